! SPDX-License-Identifier: MIT
!> Nonlinear Lagrangian systems; see docs/systems.md.
module perp_lagrangian_system
  use perp_outcome
  use perp_kind
  use perp_controlled
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: lagrangian

  !> M(q) dv/dt + N(q, v) + F_int(t, q, v) = f + F_ext(t) + T(q) u + p. Extend it by your data and
  !! override what there is; a derivative that is not overridden is taken by differences. Matrices
  !! are n x n, and 0 when the procedure is called.
  type, abstract, extends(second_order) :: lagrangian
    real(dp), allocatable :: M(:, :) !< constant mass; not allocated: mass() gives it
    real(dp), allocatable :: f(:)    !< constant force
    type(perp_lagrangian) :: described
  contains
    procedure :: build
    procedure :: mass => no_mass !< mass matrix M(q)
    procedure :: gyroscopic => no_gyroscopic !< N(q, v)
    procedure :: gyroscopic_dq => no_gyroscopic_dq !< dN/dq
    procedure :: gyroscopic_dv => no_gyroscopic_dv !< dN/dv
    procedure :: internal => no_internal !< F_int(t, q, v)
    procedure :: internal_dq => no_internal_dq !< dF_int/dq
    procedure :: internal_dv => no_internal_dv !< dF_int/dv
    procedure :: external => no_external !< F_ext(t)
    procedure :: potential => no_potential !< V(q), one entry: what N and F_int derive from
  end type

contains

  subroutine no_mass(self, q, out, reply)
    class(lagrangian), intent(in) :: self
    real(dp), intent(in) :: q(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_gyroscopic(self, q, v, out, reply)
    class(lagrangian), intent(in) :: self
    real(dp), intent(in) :: q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_gyroscopic_dq(self, q, v, out, reply)
    class(lagrangian), intent(in) :: self
    real(dp), intent(in) :: q(:), v(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_gyroscopic_dv(self, q, v, out, reply)
    class(lagrangian), intent(in) :: self
    real(dp), intent(in) :: q(:), v(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_internal(self, t, q, v, out, reply)
    class(lagrangian), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_internal_dq(self, t, q, v, out, reply)
    class(lagrangian), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_internal_dv(self, t, q, v, out, reply)
    class(lagrangian), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_external(self, t, out, reply)
    class(lagrangian), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_potential(self, q, out, reply)
    class(lagrangian), intent(in) :: self
    real(dp), intent(in) :: q(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  subroutine build(self, at, user, head, fault)
    class(lagrangian), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    type(outcome), intent(inout) :: fault
    type(answer) :: reply(9)
    real(dp) :: out(at%n), by(at%n, at%n), one(1)
    associate (n => self%degrees(), c => self%described)
      if (allocated(self%M)) call blame_size(fault, "M", shape(self%M), [n, n])
      if (allocated(self%f)) call blame_size(fault, "f", shape(self%f), [n])
      if (perp_lagrangian_init(c, c_sizeof(c), n) /= PERP_OK) &
        call blame(fault, "degrees", "is not positive")
      c%M = view_of(self%M)
      c%f = address(self%f)
      c%user = user
      call self%build_control(at, user, c%control, fault)
    end associate
    head = c_loc(self%described)
    if (fault%status /= PERP_OK) return
    out = 0
    by = 0
    one = 0
    call self%mass(at%q, by, reply(1))
    call self%gyroscopic(at%q, at%v, out, reply(2))
    by = 0
    call self%gyroscopic_dq(at%q, at%v, by, reply(3))
    by = 0
    call self%gyroscopic_dv(at%q, at%v, by, reply(4))
    out = 0
    call self%internal(at%t, at%q, at%v, out, reply(5))
    by = 0
    call self%internal_dq(at%t, at%q, at%v, by, reply(6))
    by = 0
    call self%internal_dv(at%t, at%q, at%v, by, reply(7))
    out = 0
    call self%external(at%t, out, reply(8))
    call self%potential(at%q, one, reply(9))
    if (reply(1)%given) self%described%mass = c_funloc(c_mass)
    if (reply(2)%given) self%described%gyroscopic = c_funloc(c_gyroscopic)
    if (reply(3)%given) self%described%gyroscopic_dq = c_funloc(c_gyroscopic_dq)
    if (reply(4)%given) self%described%gyroscopic_dv = c_funloc(c_gyroscopic_dv)
    if (reply(5)%given) self%described%internal = c_funloc(c_internal)
    if (reply(6)%given) self%described%internal_dq = c_funloc(c_internal_dq)
    if (reply(7)%given) self%described%internal_dv = c_funloc(c_internal_dv)
    if (reply(8)%given) self%described%external = c_funloc(c_external)
    if (reply(9)%given) self%described%potential = c_funloc(c_potential)
    if (.not. allocated(self%M) .and. .not. reply(1)%given) call blame(fault, "M", "is needed")
    if (allocated(self%M)) self%described%mass = c_null_funptr
  end subroutine

  function c_mass(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian)
      values => matrix(out, k%degrees(), k%degrees())
      call k%mass(vector(q, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_gyroscopic(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian)
      values => vector(out, k%degrees())
      call k%gyroscopic(vector(q, k%degrees()), vector(v, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_gyroscopic_dq(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian)
      values => matrix(out, k%degrees(), k%degrees())
      call k%gyroscopic_dq(vector(q, k%degrees()), vector(v, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_gyroscopic_dv(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian)
      values => matrix(out, k%degrees(), k%degrees())
      call k%gyroscopic_dv(vector(q, k%degrees()), vector(v, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_internal(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian)
      values => vector(out, k%degrees())
      call k%internal(t, vector(q, k%degrees()), vector(v, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_internal_dq(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian)
      values => matrix(out, k%degrees(), k%degrees())
      call k%internal_dq(t, vector(q, k%degrees()), vector(v, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_internal_dv(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian)
      values => matrix(out, k%degrees(), k%degrees())
      call k%internal_dv(t, vector(q, k%degrees()), vector(v, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_external(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian)
      values => vector(out, k%degrees())
      call k%external(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_potential(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian)
      values => vector(out, 1)
      call k%potential(vector(q, k%degrees()), values, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_lagrangian_system
