! SPDX-License-Identifier: MIT
!> Relations of velocities, without a position (nonholonomic); see docs/relations.md.
module perp_velocity_relations
  use perp_outcome
  use perp_kind
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: velocity_relation

  !> dy/dt = g(t, q, v), r = H' lambda, H = dg/dv, y = 0. Extend it by your data, set m and override
  !! g; a derivative that is not overridden is taken by differences.
  type, abstract, extends(relation) :: velocity_relation
    integer :: m = 1  !< rows
    type(perp_lagrangian_velocity_relation) :: described
  contains
    procedure :: order
    procedure :: build
    procedure :: g => no_g !< dy/dt, m entries
    procedure :: g_dv => no_g_dv !< H, m x n
    procedure :: bias => no_bias !< what d2y/dt2 has beside H dv/dt, for events
  end type

contains

  integer function order(self)
    class(velocity_relation), intent(in) :: self
    order = 2
  end function

  subroutine no_g(self, t, q, v, out, reply)
    class(velocity_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_g_dv(self, t, q, v, out, reply)
    class(velocity_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_bias(self, t, q, v, out, reply)
    class(velocity_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  subroutine build(self, at, user, head, m, fault)
    class(velocity_relation), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(answer) :: reply(3)
    real(dp), allocatable :: lambda(:), rows(:), by(:, :)
    m = self%m
    associate (c => self%described)
      if (perp_lagrangian_velocity_relation_init(c, c_sizeof(c), m, at%n) /= PERP_OK) &
        call blame(fault, "m", "is not positive")
      if (size(at%q) /= at%n) c%bodies = 1
      c%user = user
    end associate
    head = c_loc(self%described)
    if (fault%status /= PERP_OK) return
    allocate (lambda(m), source=1.0_dp)
    allocate (rows(max(m, at%n)), by(max(m, at%n), max(m, at%n)), source=0.0_dp)
    call self%g(at%t, at%q, at%v, rows(:m), reply(1))
    call self%g_dv(at%t, at%q, at%v, by(:m, :at%n), reply(2))
    rows = 0
    call self%bias(at%t, at%q, at%v, rows(:m), reply(3))
    if (reply(1)%given) self%described%g = c_funloc(c_g)
    if (reply(2)%given) self%described%H = c_funloc(c_g_dv)
    if (reply(3)%given) self%described%bias = c_funloc(c_bias)
    if (.not. reply(1)%given) call blame(fault, "g", "is needed")
  end subroutine

  function c_g(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (velocity_relation)
      values => vector(out, held%m)
      call k%g(t, vector(q, held%n_q), vector(v, held%n), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_g_dv(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (velocity_relation)
      values => matrix(out, held%m, held%n)
      call k%g_dv(t, vector(q, held%n_q), vector(v, held%n), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_bias(t, q, v, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, v, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (velocity_relation)
      values => vector(out, held%m)
      call k%bias(t, vector(q, held%n_q), vector(v, held%n), values, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_velocity_relations
