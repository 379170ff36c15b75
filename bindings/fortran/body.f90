! SPDX-License-Identifier: MIT
!> Rigid bodies in space; see docs/newton-euler.md. q: position and unit quaternion (scalar first),
!! 7 entries; v: velocity and angular velocity in the frame of the body, 6 entries.
module perp_bodies
  use perp_outcome
  use perp_kind
  use perp_controlled, only: second_order
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: rigid_body

  !> m dv/dt = f + F(t, q, v) + r, I dW/dt + W x I W = T(t, q, v) + r. Extend it and override force
  !! and torque for F and T; of control T is 6 x inputs: forces in the fixed frame, torques in the
  !! frame of the body, control_dq by increments of q.
  type, extends(second_order) :: rigid_body
    real(dp) :: mass = 1                          !< kg
    real(dp) :: inertia(3, 3) = reshape([1.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 1.0_dp, 0.0_dp, 0.0_dp, &
                                         0.0_dp, 1.0_dp], [3, 3]) !< kg m2, frame of the body
    real(dp) :: f(3) = 0                          !< constant force (N), fixed frame
    integer :: torque_frame = PERP_FRAME_BODY     !< or PERP_FRAME_FIXED
    integer :: gyroscopic = PERP_GYROSCOPIC_IMPLICIT
    type(perp_body) :: described
  contains
    procedure :: degrees
    procedure :: positions
    procedure :: build
    procedure :: force => no_force                !< F, fixed frame
    procedure :: torque => no_force               !< T
    procedure :: force_jacobian => no_jacobian    !< by increments of q and by v, 3 x 6 each
    procedure :: torque_jacobian => no_jacobian
  end type

contains

  integer function degrees(self)
    class(rigid_body), intent(in) :: self
    degrees = 6
  end function
  integer function positions(self)
    class(rigid_body), intent(in) :: self
    positions = 7
  end function

  subroutine no_force(self, t, q, v, out, reply)
    class(rigid_body), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_jacobian(self, t, q, v, by_d, by_v, reply)
    class(rigid_body), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: by_d(:, :), by_v(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  subroutine build(self, at, user, head, fault)
    class(rigid_body), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    type(outcome), intent(inout) :: fault
    type(answer) :: reply(4)
    real(dp) :: out(3), by_d(3, 6), by_v(3, 6)
    associate (c => self%described)
      if (perp_body_init(c, c_sizeof(c)) /= PERP_OK) call blame(fault, "body", "is not known")
      c%mass = self%mass
      c%inertia = reshape(self%inertia, [9])
      c%f = self%f
      c%torque_frame = self%torque_frame
      c%gyroscopic = self%gyroscopic
      c%user = user
      call self%build_control(at, user, c%control, fault)
      out = 0
      by_d = 0
      by_v = 0
      call self%force(at%t, at%q, at%v, out, reply(1))
      out = 0
      call self%torque(at%t, at%q, at%v, out, reply(2))
      call self%force_jacobian(at%t, at%q, at%v, by_d, by_v, reply(3))
      by_d = 0
      by_v = 0
      call self%torque_jacobian(at%t, at%q, at%v, by_d, by_v, reply(4))
      if (reply(1)%given) c%force = c_funloc(c_force)
      if (reply(2)%given) c%torque = c_funloc(c_torque)
      if (reply(3)%given) c%force_jacobian = c_funloc(c_force_jacobian)
      if (reply(4)%given) c%torque_jacobian = c_funloc(c_torque_jacobian)
    end associate
    head = c_loc(self%described)
  end subroutine

  function c_force(t, q, v, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => vector(out, 3)
    select type (k => held%kind)
    class is (rigid_body)
      call k%force(t, vector(q, 7), vector(v, 6), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_torque(t, q, v, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => vector(out, 3)
    select type (k => held%kind)
    class is (rigid_body)
      call k%torque(t, vector(q, 7), vector(v, 6), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_force_jacobian(t, q, v, by_d, by_v, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, by_d, by_v, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: one(:, :), other(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    one => matrix(by_d, 3, 6)
    other => matrix(by_v, 3, 6)
    select type (k => held%kind)
    class is (rigid_body)
      call k%force_jacobian(t, vector(q, 7), vector(v, 6), one, other, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_torque_jacobian(t, q, v, by_d, by_v, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, by_d, by_v, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: one(:, :), other(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    one => matrix(by_d, 3, 6)
    other => matrix(by_v, 3, 6)
    select type (k => held%kind)
    class is (rigid_body)
      call k%torque_jacobian(t, vector(q, 7), vector(v, 6), one, other, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_bodies
