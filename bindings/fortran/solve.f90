! SPDX-License-Identifier: MIT
!> Problems with laws by component, in plain arrays. Arrays are handed to C as they are: contiguous
!! ones are not copied.
module perp_solve
  use perp_outcome
  use perp_c
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf
  implicit none
  private
  public :: method, find_method, take_work, infinity, dense_view, solve_lcp, solve_mlcp, solve_relay

  !> A solver by its name in `perp solvers`, its tolerance and its limit; options may be the address
  !! of its own struct of the module perp_c, which must stay, in place of all three.
  type :: method
    character(32) :: name = "auto"
    real(dp) :: tol = PERP_DEFAULT_TOL
    integer :: max_iter = 0 !< 0: the solver's own rule
    type(c_ptr) :: options = c_null_ptr
    real(dp) :: budget = 0  !< multiply-adds, 0: by the number of unknowns
  end type

contains

  !> For bounds.
  function infinity() result(x)
    real(dp) :: x
    x = ieee_value(0.0_dp, ieee_positive_inf)
  end function

  !> A const view of a contiguous array.
  function dense_view(A) result(view)
    real(dp), intent(in), contiguous, target :: A(:, :)
    type(perp_matrix) :: view
    view%kind = PERP_DENSE
    view%rows = size(A, 1)
    view%cols = size(A, 2)
    view%ld = max(1, size(A, 1))
    if (size(A) > 0) view%values = c_loc(A)
  end function

  !> Descriptor and options of a method; what it points to are head and wanted.
  subroutine find_method(wanted, solver, options, head, fault)
    type(method), intent(in), optional :: wanted
    type(perp_solver), pointer, intent(out) :: solver
    type(c_ptr), intent(out) :: options
    type(perp_solver_options), intent(inout), target :: head
    type(outcome), intent(inout) :: fault
    type(c_ptr) :: found
    options = c_null_ptr
    nullify (solver)
    found = perp_solver_auto()
    if (present(wanted)) found = perp_solver_find(trim(wanted%name) // c_null_char)
    if (.not. c_associated(found)) then
      call blame(fault, "method", "names no solver: " // trim(wanted%name))
      return
    end if
    call c_f_pointer(found, solver)
    if (.not. present(wanted)) return
    call perp_solver_options_init(head, c_sizeof(head))
    head%tol = wanted%tol
    head%max_iter = wanted%max_iter
    head%budget = wanted%budget
    options = c_loc(head)
    if (c_associated(wanted%options)) options = wanted%options
  end subroutine

  !> Memory for a solve, at least one byte; where there is no answer the solver says why.
  subroutine take_work(work, bytes, fault)
    integer(c_int8_t), allocatable, intent(out) :: work(:)
    integer(c_size_t), intent(in) :: bytes
    type(outcome), intent(inout) :: fault
    integer :: missing
    allocate (work(max(1_c_size_t, bytes)), stat=missing)
    if (missing /= 0) call no_memory(fault, "work_bytes", bytes)
  end subroutine

  !> w = M z + q, 0 <= z _|_ w >= 0. M is n x n, the others n; z is the start where the method
  !! takes one.
  subroutine solve_lcp(M, q, z, w, by, status, info)
    real(dp), intent(in), contiguous, target :: M(:, :), q(:)
    real(dp), intent(inout), contiguous :: z(:), w(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(perp_lcp) :: problem
    type(perp_info) :: c_info
    type(perp_solver_options), target :: head
    type(outcome) :: fault
    type(perp_solver), pointer :: solver
    type(c_ptr) :: options
    integer(c_int8_t), allocatable, target :: work(:)
    integer(c_int32_t) :: code
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    call blame_size(fault, "M", shape(M), [size(q), size(q)])
    call blame_size(fault, "z", shape(z), shape(q))
    call blame_size(fault, "w", shape(w), shape(q))
    call find_method(by, solver, options, head, fault)
    if (fault%status == PERP_OK) then
      problem = perp_lcp(size(q), max(1, size(q)), c_loc(M), c_loc(q))
      call take_work(work, perp_lcp_workspace(solver, problem%n, options), fault)
      if (fault%status == PERP_OK) &
        code = perp_lcp_solve(solver, problem, options, z, w, c_loc(work), &
                            size(work, kind=c_size_t), c_info)
    end if
    call conclude(code, "solve_lcp", status, info, c_info, fault)
  end subroutine

  !> w = M z + q: w_i >= 0 where z_i = lower_i, <= 0 where z_i = upper_i, 0 between; bounds may be
  !! -infinity() and infinity().
  subroutine solve_mlcp(M, q, lower, upper, z, w, by, status, info)
    real(dp), intent(in), contiguous, target :: M(:, :), q(:), lower(:), upper(:)
    real(dp), intent(inout), contiguous :: z(:), w(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    call mixed("solve_mlcp", M, q, lower, upper, z, w, by, status, info)
  end subroutine

  !> The same with bounds -1 and 1 for all: -w is in N_[-1,1](z), relays.
  subroutine solve_relay(M, q, z, w, by, status, info)
    real(dp), intent(in), contiguous, target :: M(:, :), q(:)
    real(dp), intent(inout), contiguous :: z(:), w(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable, target :: lower(:), upper(:)
    allocate (lower(size(q)), upper(size(q)))
    lower = -1
    upper = 1
    call mixed("solve_relay", M, q, lower, upper, z, w, by, status, info)
  end subroutine

  subroutine mixed(who, M, q, lower, upper, z, w, by, status, info)
    character(*), intent(in) :: who
    real(dp), intent(in), contiguous, target :: M(:, :), q(:), lower(:), upper(:)
    real(dp), intent(inout), contiguous :: z(:), w(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(perp_mlcp) :: problem
    type(perp_info) :: c_info
    type(perp_solver_options), target :: head
    type(outcome) :: fault
    type(perp_solver), pointer :: solver
    type(c_ptr) :: options
    integer(c_int8_t), allocatable, target :: work(:)
    integer(c_int32_t) :: code
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    call blame_size(fault, "M", shape(M), [size(q), size(q)])
    call blame_size(fault, "lower", shape(lower), shape(q))
    call blame_size(fault, "upper", shape(upper), shape(q))
    call blame_size(fault, "z", shape(z), shape(q))
    call blame_size(fault, "w", shape(w), shape(q))
    call find_method(by, solver, options, head, fault)
    if (fault%status == PERP_OK) then
      problem = perp_mlcp(size(q), max(1, size(q)), c_loc(M), c_loc(q), c_loc(lower), c_loc(upper))
      call take_work(work, perp_mlcp_workspace(solver, problem%n, options), fault)
      if (fault%status == PERP_OK) &
        code = perp_mlcp_solve(solver, problem, options, z, w, c_loc(work), &
                             size(work, kind=c_size_t), c_info)
    end if
    call conclude(code, who, status, info, c_info, fault)
  end subroutine

end module perp_solve
