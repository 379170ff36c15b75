! SPDX-License-Identifier: MIT
!> Problems with laws by component, in plain arrays. Arrays are handed to C as they are: contiguous
!! ones are not copied.
module perp_solve
  use perp_outcome
  use perp_c
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf
  implicit none
  private
  public :: method, find_method, task, infinity, dense_view, solve_lcp, solve_mlcp, solve_relay

  !> A solver by its name in `perp solvers`, its tolerance and its limit; options may be the address
  !! of its own struct of the module perp_c, which must stay, in place of all three.
  type :: method
    character(name_length) :: name = "auto"
    real(dp) :: tol = PERP_DEFAULT_TOL
    integer :: max_iter = 0 !< 0: the solver's own rule
    type(c_ptr) :: options = c_null_ptr
    real(dp) :: budget = 0  !< multiply-adds, 0: by the number of unknowns
  end type

  !> One call of a solver: what is wrong with its arguments, and then its answer.
  type :: task
    type(perp_solver), pointer :: solver => null()
    type(c_ptr) :: options = c_null_ptr
    type(perp_solver_options) :: head
    integer(c_int8_t), allocatable :: work(:)
    type(perp_info) :: info
    type(outcome) :: fault
    integer(c_int32_t) :: code = PERP_EINVAL
  contains
    procedure :: sized
    procedure :: find
    procedure :: fits
    procedure :: finish
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
    if (present(wanted)) then
      call blame_cut(fault, "method", wanted%name)
      found = perp_solver_find(trim(wanted%name) // c_null_char)
      if (.not. c_associated(found)) &
        call blame(fault, "method", "names no solver: " // trim(wanted%name))
      if (.not. c_associated(found)) return
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

  !> An array of the size that is needed.
  subroutine sized(self, field, given, n)
    class(task), intent(inout) :: self
    character(*), intent(in) :: field
    real(dp), intent(in) :: given(:)
    integer, intent(in) :: n
    call blame_size(self%fault, field, shape(given), [n])
  end subroutine

  !> The solver that is wanted.
  subroutine find(self, by)
    class(task), intent(inout), target :: self
    type(method), intent(in), optional :: by
    call find_method(by, self%solver, self%options, self%head, self%fault)
  end subroutine

  !> Whether all is well, and there is memory, at least one byte; where no size is known the solver
  !! says why.
  logical function fits(self, bytes)
    class(task), intent(inout) :: self
    integer(c_size_t), intent(in) :: bytes
    integer :: missing
    self%info = perp_info_init_value()
    if (self%fault%status == PERP_OK) then
      allocate (self%work(max(1_c_size_t, bytes)), stat=missing)
      if (missing /= 0) call no_memory(self%fault, "work_bytes", bytes)
    end if
    fits = self%fault%status == PERP_OK
  end function

  subroutine finish(self, who, status, info, said)
    class(task), intent(in) :: self
    character(*), intent(in) :: who
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    character(*), intent(in), optional :: said
    call conclude(self%code, who, status, info, self%info, self%fault, said)
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
    type(task), target :: a
    call blame_size(a%fault, "M", shape(M), [size(q), size(q)])
    call a%sized("z", z, size(q))
    call a%sized("w", w, size(q))
    call a%find(by)
    problem = perp_lcp(size(q), max(1, size(q)), c_loc(M), c_loc(q))
    if (a%fits(perp_lcp_workspace(a%solver, problem%n, a%options))) &
      a%code = perp_lcp_solve(a%solver, problem, a%options, z, w, c_loc(a%work), &
                              size(a%work, kind=c_size_t), a%info)
    call a%finish("solve_lcp", status, info)
  end subroutine

  !> w = M z + q: w_i >= 0 where z_i = lower_i, <= 0 where z_i = upper_i, 0 between; bounds may be
  !! -infinity() and infinity().
  subroutine solve_mlcp(M, q, lower, upper, z, w, by, status, info)
    real(dp), intent(in), contiguous, target :: M(:, :), q(:), lower(:), upper(:)
    real(dp), intent(inout), contiguous :: z(:), w(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(task), target :: a
    call mixed(a, "solve_mlcp", M, q, lower, upper, z, w, by, status, info)
  end subroutine

  !> The same with bounds -limit and limit for all, 1 where it is left out: -w is in
  !! N_[-limit,limit](z), relays.
  subroutine solve_relay(M, q, z, w, by, status, info, limit)
    real(dp), intent(in), contiguous, target :: M(:, :), q(:)
    real(dp), intent(inout), contiguous :: z(:), w(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), intent(in), optional :: limit
    real(dp), allocatable, target :: upper(:)
    type(task), target :: a
    allocate (upper(size(q)), source=1.0_dp)
    if (present(limit)) then
      upper = limit
      if (.not. limit >= 0) call blame(a%fault, "limit", "is negative or NaN")
    end if
    call mixed(a, "solve_relay", M, q, -upper, upper, z, w, by, status, info)
  end subroutine

  subroutine mixed(a, who, M, q, lower, upper, z, w, by, status, info)
    type(task), intent(inout), target :: a
    character(*), intent(in) :: who
    real(dp), intent(in), contiguous, target :: M(:, :), q(:), lower(:), upper(:)
    real(dp), intent(inout), contiguous :: z(:), w(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(perp_mlcp) :: problem
    call blame_size(a%fault, "M", shape(M), [size(q), size(q)])
    call a%sized("lower", lower, size(q))
    call a%sized("upper", upper, size(q))
    call a%sized("z", z, size(q))
    call a%sized("w", w, size(q))
    call a%find(by)
    problem = perp_mlcp(size(q), max(1, size(q)), c_loc(M), c_loc(q), c_loc(lower), c_loc(upper))
    if (a%fits(perp_mlcp_workspace(a%solver, problem%n, a%options))) &
      a%code = perp_mlcp_solve(a%solver, problem, a%options, z, w, c_loc(a%work), &
                               size(a%work, kind=c_size_t), a%info)
    call a%finish(who, status, info)
  end subroutine

end module perp_solve
