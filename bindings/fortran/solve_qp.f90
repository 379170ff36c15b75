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
    type(task), target :: it
    real(dp), allocatable :: all_nu(:), all_zeta(:)
    integer :: n, rows
    n = size(c)
    rows = 0
    if (present(A)) rows = size(A, 1)
    call blame_size(it%fault, "P", shape(P), [n, n])
    call it%sized("x", x, n)
    if (present(A)) call blame_size(it%fault, "A", shape(A), [rows, n])
    if (present(row_lower)) call it%sized("row_lower", row_lower, rows)
    if (present(row_upper)) call it%sized("row_upper", row_upper, rows)
    if (present(lower)) call it%sized("lower", lower, n)
    if (present(upper)) call it%sized("upper", upper, n)
    if (present(nu)) call it%sized("nu", nu, rows)
    if (present(zeta)) call it%sized("zeta", zeta, n)
    call it%find(by)
    allocate (all_nu(max(1, rows)), all_zeta(max(1, n)), source=0.0_dp)
    problem%n = n
    problem%m = rows
    problem%P = dense_view(P)
    problem%c = c_loc(c)
    if (present(A)) problem%A = dense_view(A)
    if (present(row_lower)) problem%row_lower = c_loc(row_lower)
    if (present(row_upper)) problem%row_upper = c_loc(row_upper)
    if (present(lower)) problem%lower = c_loc(lower)
    if (present(upper)) problem%upper = c_loc(upper)
    if (it%fault%status == PERP_OK) then
      if (it%fits(perp_qp_workspace(it%solver, problem, it%options))) &
        it%code = perp_qp_solve(it%solver, problem, it%options, x, all_nu, all_zeta, c_loc(it%work), &
                                size(it%work, kind=c_size_t), it%info)
      if (present(nu)) nu = all_nu(:rows)
      if (present(zeta)) zeta = all_zeta(:n)
    end if
    call it%finish("solve_qp", status, info)
  end subroutine

end module perp_solve_qp
