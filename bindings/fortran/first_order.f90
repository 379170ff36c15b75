! SPDX-License-Identifier: MIT
!> Nonlinear systems of first order; see docs/systems.md.
module perp_nonlinear_first_order
  use perp_outcome
  use perp_kind
  use perp_controlled
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: first_order

  !> M dx/dt = f(t, x) + T(x) u(t, x) + r. Extend it by your data, write degrees and override f.
  type, abstract, extends(first_order_system) :: first_order
    real(dp), allocatable :: M(:, :) !< constant; not allocated: the identity
    type(perp_first_order) :: described
  contains
    procedure :: build
    procedure :: f => no_f       !< f(t, x)
    procedure :: f_dx => no_f_dx !< df/dx; not overridden: by differences
  end type

contains

  subroutine no_f(self, t, x, out, reply)
    class(first_order), intent(in) :: self
    real(dp), intent(in) :: t, x(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_f_dx(self, t, x, out, reply)
    class(first_order), intent(in) :: self
    real(dp), intent(in) :: t, x(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  subroutine build(self, at, user, head, fault)
    class(first_order), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    type(outcome), intent(inout) :: fault
    type(answer) :: reply(2)
    real(dp) :: out(at%n), by(at%n, at%n)
    associate (n => self%degrees(), c => self%described)
      if (allocated(self%M)) call blame_size(fault, "M", shape(self%M), [n, n])
      if (perp_first_order_init(c, c_sizeof(c), n) /= PERP_OK) &
        call blame(fault, "degrees", "is not positive")
      c%M = view_of(self%M)
      c%user = user
      call self%build_control(at, user, c%control, fault)
      out = 0
      by = 0
      call self%f(at%t, at%x, out, reply(1))
      call self%f_dx(at%t, at%x, by, reply(2))
      if (.not. reply(1)%given) call blame(fault, "f", "is needed")
      c%f = c_funloc(c_f)
      if (reply(2)%given) c%f_dx = c_funloc(c_f_dx)
    end associate
    head = c_loc(self%described)
  end subroutine

  function c_f(t, x, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: x, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order)
      values => vector(out, k%degrees())
      call k%f(t, vector(x, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_f_dx(t, x, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: x, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order)
      values => matrix(out, k%degrees(), k%degrees())
      call k%f_dx(t, vector(x, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_nonlinear_first_order
