! SPDX-License-Identifier: MIT
!> Convex quadratic programs in plain arrays.
module perp_solve_qp
  use perp_outcome
  use perp_solve
  use perp_c
  implicit none
  private
  public :: solve_qp

contains

  !> min x'P x / 2 + c'x subject to row_lower <= A x <= row_upper and lower <= x <= upper. What is
  !! left out is not there. nu (rows) and zeta (bounds): multipliers, P x + c = A'nu + zeta.
  subroutine solve_qp(P, c, x, A, row_lower, row_upper, lower, upper, nu, zeta, by, status, info)
    real(dp), intent(in), contiguous, target :: P(:, :), c(:)
    real(dp), intent(inout), contiguous :: x(:)
    real(dp), intent(in), contiguous, target, optional :: A(:, :), row_lower(:), row_upper(:), &
      lower(:), upper(:)
    real(dp), intent(out), contiguous, optional :: nu(:), zeta(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(perp_qp) :: problem
    type(perp_info) :: c_info
    type(perp_solver_options), target :: head
    type(outcome) :: fault
    type(perp_solver), pointer :: solver
    type(c_ptr) :: options
    integer(c_int8_t), allocatable, target :: work(:)
    real(dp), allocatable :: all_nu(:), all_zeta(:)
    integer(c_int32_t) :: code
    integer :: rows
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    rows = 0
    if (present(A)) rows = size(A, 1)
    call blame_size(fault, "P", shape(P), [size(c), size(c)])
    call blame_size(fault, "x", shape(x), shape(c))
    if (present(A)) call blame_size(fault, "A", shape(A), [rows, size(c)])
    if (present(row_lower)) call blame_size(fault, "row_lower", shape(row_lower), [rows])
    if (present(row_upper)) call blame_size(fault, "row_upper", shape(row_upper), [rows])
    if (present(lower)) call blame_size(fault, "lower", shape(lower), shape(c))
    if (present(upper)) call blame_size(fault, "upper", shape(upper), shape(c))
    if (present(nu)) call blame_size(fault, "nu", shape(nu), [rows])
    if (present(zeta)) call blame_size(fault, "zeta", shape(zeta), shape(c))
    call find_method(by, solver, options, head, fault)
    if (fault%status == PERP_OK) then
      allocate (all_nu(max(1, rows)), all_zeta(max(1, size(c))), source=0.0_dp)
      problem%n = size(c)
      problem%m = rows
      problem%P = dense_view(P)
      problem%c = c_loc(c)
      if (present(A)) problem%A = dense_view(A)
      if (present(row_lower)) problem%row_lower = c_loc(row_lower)
      if (present(row_upper)) problem%row_upper = c_loc(row_upper)
      if (present(lower)) problem%lower = c_loc(lower)
      if (present(upper)) problem%upper = c_loc(upper)
      call take_work(work, perp_qp_workspace(solver, problem, options), fault)
      if (fault%status == PERP_OK) &
        code = perp_qp_solve(solver, problem, options, x, all_nu, all_zeta, c_loc(work), &
                           size(work, kind=c_size_t), c_info)
      if (present(nu)) nu = all_nu(:rows)
      if (present(zeta)) zeta = all_zeta(:size(c))
    end if
    call conclude(code, "solve_qp", status, info, c_info, fault)
  end subroutine

end module perp_solve_qp
