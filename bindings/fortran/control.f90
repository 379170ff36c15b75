! SPDX-License-Identifier: MIT
!> Systems of both orders with control: M dv/dt + ... = ... + T(q) u(t, q, v), M dx/dt = ... + T(x)
!! u(t, x). What is not overridden is not there, derivatives are then taken by differences.
module perp_controlled
  use perp_outcome
  use perp_kind
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: second_order, first_order_system

  !> A system with dq/dt = v.
  type, abstract, extends(system) :: second_order
    real(dp), allocatable :: T(:, :) !< n x inputs, constant; not allocated: effect gives it
    integer :: inputs = 0            !< entries of u; with T its columns
  contains
    procedure :: order => order_two
    procedure :: effect => no_effect_2    !< T(q), n x inputs
    procedure :: control => no_control_2  !< u
    procedure :: control_dq => no_by_2    !< du/dq, inputs x n
    procedure :: control_dv => no_by_2    !< du/dv, inputs x n
    procedure :: build_control => build_control_2
  end type

  !> A system with dx/dt.
  type, abstract, extends(system) :: first_order_system
    real(dp), allocatable :: T(:, :)
    integer :: inputs = 0
  contains
    procedure :: order => order_one
    procedure :: effect => no_effect_1
    procedure :: control => no_control_1
    procedure :: control_dx => no_by_1
    procedure :: build_control => build_control_1
  end type

contains

  integer function order_two(self)
    class(second_order), intent(in) :: self
    order_two = 2
  end function

  integer function order_one(self)
    class(first_order_system), intent(in) :: self
    order_one = 1
  end function

  subroutine no_effect_2(self, q, T, reply)
    class(second_order), intent(in) :: self
    real(dp), intent(in) :: q(:)
    real(dp), intent(inout) :: T(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_control_2(self, t, q, v, u, reply)
    class(second_order), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: u(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_by_2(self, t, q, v, by, reply)
    class(second_order), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: by(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_effect_1(self, x, T, reply)
    class(first_order_system), intent(in) :: self
    real(dp), intent(in) :: x(:)
    real(dp), intent(inout) :: T(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_control_1(self, t, x, u, reply)
    class(first_order_system), intent(in) :: self
    real(dp), intent(in) :: t, x(:)
    real(dp), intent(inout) :: u(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_by_1(self, t, x, by, reply)
    class(first_order_system), intent(in) :: self
    real(dp), intent(in) :: t, x(:)
    real(dp), intent(inout) :: by(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  !> What is overridden is found by a call at the initial values.
  subroutine build_control_2(self, at, user, c, fault)
    class(second_order), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(perp_control), intent(out) :: c
    type(outcome), intent(inout) :: fault
    real(dp), allocatable :: u(:), by(:, :), T(:, :)
    type(answer) :: reply(4)
    if (allocated(self%T)) then
      self%inputs = size(self%T, 2)
      call blame_size(fault, "T", shape(self%T), [self%degrees(), self%inputs])
    end if
    if (self%inputs == 0) return
    allocate (u(self%inputs), by(self%inputs, at%n), T(at%n, self%inputs), source=0.0_dp)
    call self%control(at%t, at%q, at%v, u, reply(1))
    call self%control_dq(at%t, at%q, at%v, by, reply(2))
    by = 0
    call self%control_dv(at%t, at%q, at%v, by, reply(3))
    call self%effect(at%q, T, reply(4))
    if (.not. reply(1)%given) call blame(fault, "control", "is needed where there are inputs")
    c%n_u = self%inputs
    c%user = user
    c%u = c_funloc(c_control_2)
    if (reply(2)%given) c%u_dq = c_funloc(c_control_dq_2)
    if (reply(3)%given) c%u_dv = c_funloc(c_control_dv_2)
    if (allocated(self%T)) then
      c%T = c_loc(self%T)
    else if (reply(4)%given) then
      c%effect = c_funloc(c_effect_2)
    else
      call blame(fault, "T", "is needed where there are inputs")
    end if
  end subroutine

  subroutine build_control_1(self, at, user, c, fault)
    class(first_order_system), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(perp_control), intent(out) :: c
    type(outcome), intent(inout) :: fault
    real(dp), allocatable :: u(:), by(:, :), T(:, :)
    type(answer) :: reply(3)
    if (allocated(self%T)) then
      self%inputs = size(self%T, 2)
      call blame_size(fault, "T", shape(self%T), [self%degrees(), self%inputs])
    end if
    if (self%inputs == 0) return
    allocate (u(self%inputs), by(self%inputs, at%n), T(at%n, self%inputs), source=0.0_dp)
    call self%control(at%t, at%x, u, reply(1))
    call self%control_dx(at%t, at%x, by, reply(2))
    call self%effect(at%x, T, reply(3))
    if (.not. reply(1)%given) call blame(fault, "control", "is needed where there are inputs")
    c%n_u = self%inputs
    c%user = user
    c%u = c_funloc(c_control_1)
    if (reply(2)%given) c%u_dv = c_funloc(c_control_dx_1)
    if (allocated(self%T)) then
      c%T = c_loc(self%T)
    else if (reply(3)%given) then
      c%effect = c_funloc(c_effect_1)
    else
      call blame(fault, "T", "is needed where there are inputs")
    end if
  end subroutine

  function c_control_2(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (second_order)
      values => vector(out, k%inputs)
      call k%control(t, vector(q, k%positions()), vector(v, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_control_dq_2(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (second_order)
      values => matrix(out, k%inputs, k%degrees())
      call k%control_dq(t, vector(q, k%positions()), vector(v, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_control_dv_2(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (second_order)
      values => matrix(out, k%inputs, k%degrees())
      call k%control_dv(t, vector(q, k%positions()), vector(v, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_effect_2(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (second_order)
      values => matrix(out, k%degrees(), k%inputs)
      call k%effect(vector(q, k%positions()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_control_1(t, q, x, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, x, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_system)
      values => vector(out, k%inputs)
      call k%control(t, vector(x, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_control_dx_1(t, q, x, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, x, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_system)
      values => matrix(out, k%inputs, k%degrees())
      call k%control_dx(t, vector(x, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_effect_1(t, q, x, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, x, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_system)
      values => matrix(out, k%degrees(), k%inputs)
      call k%effect(vector(x, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_controlled
