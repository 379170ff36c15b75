! SPDX-License-Identifier: MIT
!> Nonlinear complementarity and variational inequalities, whose functions are procedures of a type.
module perp_solve_function
  use perp_outcome
  use perp_kind, only: vector, matrix
  use perp_solve
  use perp_c
  implicit none
  private
  public :: mcp, solve_mcp, vi, solve_vi

  !> Nonlinear complementarity: extend it by your data and write f. -f(z) is in N_[lower,upper](z).
  type, abstract :: mcp
  contains
    procedure(vector_function), deferred :: f !< f(z)
    procedure :: jacobian                     !< df/dz; not overridden: by differences
  end type

  !> -f(x) is in N_K(x): extend it by your data, write f and the projection on K.
  type, abstract :: vi
  contains
    procedure(vi_function), deferred :: f
    procedure(vi_function), deferred :: project !< f: the point of K next to x
  end type

  abstract interface
    subroutine vector_function(self, z, f, reply)
      import
      class(mcp), intent(in) :: self
      real(dp), intent(in) :: z(:)
      real(dp), intent(inout) :: f(:)
      type(answer), intent(inout) :: reply
    end subroutine
    subroutine vi_function(self, x, f, reply)
      import
      class(vi), intent(in) :: self
      real(dp), intent(in) :: x(:)
      real(dp), intent(inout) :: f(:)
      type(answer), intent(inout) :: reply
    end subroutine
  end interface

  !> Whom C asks.
  type :: asked
    class(mcp), pointer :: mcp => null()
    class(vi), pointer :: vi => null()
    integer :: n = 0
    type(journal) :: journal
  end type

contains

  subroutine jacobian(self, z, J, reply)
    class(mcp), intent(in) :: self
    real(dp), intent(in) :: z(:)
    real(dp), intent(inout) :: J(:, :) !< 0 before
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  !> Find z in [lower, upper] with f_i(z) >= 0 where z_i = lower_i, <= 0 where z_i = upper_i, 0
  !! between. z is the start; f is f(z).
  subroutine solve_mcp(problem, lower, upper, z, f, tol, max_iter, status, info)
    class(mcp), intent(in), target :: problem
    real(dp), intent(in), contiguous, target :: lower(:), upper(:)
    real(dp), intent(inout), contiguous :: z(:)
    real(dp), intent(out), contiguous, optional :: f(:)
    real(dp), intent(in), optional :: tol
    integer, intent(in), optional :: max_iter
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(asked), target :: holder
    type(perp_mcp) :: c
    type(perp_mcp_options) :: options
    type(task), target :: a
    type(answer) :: reply
    real(dp), allocatable :: values(:), probe(:, :)
    integer :: missing
    call a%sized("lower", lower, size(z))
    call a%sized("upper", upper, size(z))
    if (present(f)) call a%sized("f", f, size(z))
    allocate (probe(size(z), size(z)), source=0.0_dp, stat=missing)
    if (missing /= 0) call no_memory(a%fault, "jacobian", 8 * int(size(z), c_size_t)**2)
    call perp_mcp_options_init(options, c_sizeof(options))
    if (present(tol)) options%tol = tol
    if (present(max_iter)) options%max_iter = max_iter
    if (a%fault%status == PERP_OK) then
      holder%mcp => problem
      holder%n = size(z)
      call problem%jacobian(z, probe, reply)
      c%n = size(z)
      c%function = c_funloc(c_mcp_f)
      if (reply%given) then
        c%jacobian = c_funloc(c_mcp_jacobian)
        c%layout = dense_view(probe)
        c%layout%values = c_null_ptr
      end if
      c%lower = c_loc(lower)
      c%upper = c_loc(upper)
      c%user = c_loc(holder)
      allocate (values(max(1, size(z))), source=0.0_dp)
      if (a%fits(perp_mcp_workspace(c, options))) &
        a%code = perp_mcp_solve(c, options, z, values, c_loc(a%work), size(a%work, kind=c_size_t), a%info)
      if (present(f)) f = values(:size(z))
    end if
    call a%finish("solve_mcp", status, info, holder%journal%take())
  end subroutine

  !> Find x in K with f(x)'(z - x) >= 0 for all z in K, by the extragradient method (fixed_point:
  !! by the fixed point of the projection). x is the start; f is f(x).
  subroutine solve_vi(problem, x, f, tol, max_iter, fixed_point, status, info)
    class(vi), intent(in), target :: problem
    real(dp), intent(inout), contiguous :: x(:)
    real(dp), intent(out), contiguous, optional :: f(:)
    real(dp), intent(in), optional :: tol
    integer, intent(in), optional :: max_iter
    logical, intent(in), optional :: fixed_point
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(asked), target :: holder
    type(perp_vi) :: c
    type(perp_vi_options) :: options
    type(task), target :: a
    real(dp), allocatable :: values(:)
    logical :: fixed
    fixed = .false.
    if (present(fixed_point)) fixed = fixed_point
    if (present(f)) call a%sized("f", f, size(x))
    holder%vi => problem
    holder%n = size(x)
    allocate (values(max(1, size(x))), source=0.0_dp)
    c%n = size(x)
    c%function = c_funloc(c_vi_f)
    c%project = c_funloc(c_vi_project)
    c%user = c_loc(holder)
    call perp_vi_options_init(options, c_sizeof(options))
    if (present(tol)) options%tol = tol
    if (present(max_iter)) options%max_iter = max_iter
    if (a%fits(perp_vi_workspace(c%n))) then
      associate (bytes => size(a%work, kind=c_size_t))
        if (fixed) then
          a%code = perp_vi_fixed_point(c, options, x, values, c_loc(a%work), bytes, a%info)
        else
          a%code = perp_vi_extragradient(c, options, x, values, c_loc(a%work), bytes, a%info)
        end if
      end associate
      if (present(f)) f = values(:size(x))
    end if
    call a%finish("solve_vi", status, info, holder%journal%take())
  end subroutine

  function c_mcp_f(z, out, user) bind(C, name="") result(code)
    type(c_ptr), value :: z, out, user
    integer(c_int32_t) :: code
    type(asked), pointer :: it
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, it)
    values => vector(out, it%n)
    call it%mcp%f(vector(z, it%n), values, reply)
    code = it%journal%note(reply)
  end function

  function c_mcp_jacobian(z, out, user) bind(C, name="") result(code)
    type(c_ptr), value :: z, out, user
    integer(c_int32_t) :: code
    type(asked), pointer :: it
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, it)
    values => matrix(out, it%n, it%n)
    values = 0
    call it%mcp%jacobian(vector(z, it%n), values, reply)
    code = it%journal%note(reply)
  end function

  function c_vi_f(x, out, user) bind(C, name="") result(code)
    type(c_ptr), value :: x, out, user
    integer(c_int32_t) :: code
    type(asked), pointer :: it
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, it)
    values => vector(out, it%n)
    call it%vi%f(vector(x, it%n), values, reply)
    code = it%journal%note(reply)
  end function

  function c_vi_project(x, out, user) bind(C, name="") result(code)
    type(c_ptr), value :: x, out, user
    integer(c_int32_t) :: code
    type(asked), pointer :: it
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, it)
    values => vector(out, it%n)
    call it%vi%project(vector(x, it%n), values, reply)
    code = it%journal%note(reply)
  end function

end module perp_solve_function
