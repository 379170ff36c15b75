! SPDX-License-Identifier: MIT
!> Contacts of mechanisms with tangential directions; see docs/relations.md.
module perp_contact_relations
  use perp_outcome
  use perp_kind
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: contact_relation

  !> y = [h_1, 0 ..., h_2, 0 ...], normal dy/dt = G v + dh/dt, tangential dy/dt = T v + s. The law
  !! says how many rows each gap has. Extend it by your data, set gaps, override gap and tangents.
  type, abstract, extends(relation) :: contact_relation
    integer :: gaps = 1
    type(perp_lagrangian_contact_relation) :: described
  contains
    procedure :: order
    procedure :: build
    procedure :: gap => no_gap !< h, one entry for each gap
    procedure :: gap_dq => no_gap_dq !< G = dh/dq, gaps x n; not overridden: by differences
    procedure :: tangents => no_tangents !< T: tangential directions of the first gap, of the second, ...
    procedure :: gap_dt => no_gap_dt !< dh/dt; not overridden: 0
    procedure :: slide => no_slide !< s: minus the velocity of a belt; not overridden: 0
    procedure :: bias => no_bias !< what d2y/dt2 has beside H dv/dt, for events
  end type

contains

  integer function order(self)
    class(contact_relation), intent(in) :: self
    order = 2
  end function

  subroutine no_gap(self, t, q, out, reply)
    class(contact_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_gap_dq(self, t, q, out, reply)
    class(contact_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_tangents(self, t, q, out, reply)
    class(contact_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_gap_dt(self, t, q, out, reply)
    class(contact_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_slide(self, t, q, out, reply)
    class(contact_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_bias(self, t, q, v, out, reply)
    class(contact_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  subroutine build(self, at, user, head, m, fault)
    class(contact_relation), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(answer) :: reply(6)
    real(dp), allocatable :: lambda(:), rows(:), by(:, :)
    m = self%gaps * at%law_rows
    associate (c => self%described)
      if (perp_lagrangian_contact_relation_init(c, c_sizeof(c), self%gaps, at%law_rows, at%n) &
          /= PERP_OK) call blame(fault, "gaps", "is not positive, or the law has a single row")
      if (size(at%q) /= at%n) c%bodies = 1
      c%user = user
    end associate
    head = c_loc(self%described)
    if (fault%status /= PERP_OK) return
    allocate (lambda(m), source=1.0_dp)
    allocate (rows(max(m, at%n)), by(max(m, at%n), max(m, at%n)), source=0.0_dp)
    call self%gap(at%t, at%q, rows(:self%gaps), reply(1))
    call self%gap_dq(at%t, at%q, by(:self%gaps, :at%n), reply(2))
    by = 0
    call self%tangents(at%t, at%q, by(:m - self%gaps, :at%n), reply(3))
    rows = 0
    call self%gap_dt(at%t, at%q, rows(:self%gaps), reply(4))
    rows = 0
    call self%slide(at%t, at%q, rows(:m - self%gaps), reply(5))
    rows = 0
    call self%bias(at%t, at%q, at%v, rows(:m), reply(6))
    if (reply(1)%given) self%described%h = c_funloc(c_gap)
    if (reply(2)%given) self%described%G = c_funloc(c_gap_dq)
    if (reply(3)%given) self%described%T = c_funloc(c_tangents)
    if (reply(4)%given) self%described%h_t = c_funloc(c_gap_dt)
    if (reply(5)%given) self%described%s = c_funloc(c_slide)
    if (reply(6)%given) self%described%bias = c_funloc(c_bias)
    if (.not. reply(1)%given) call blame(fault, "gap", "is needed")
    if (.not. reply(3)%given) call blame(fault, "tangents", "is needed")
  end subroutine

  function c_gap(t, q, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (contact_relation)
      values => vector(out, k%gaps)
      call k%gap(t, vector(q, held%n_q), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_gap_dq(t, q, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (contact_relation)
      values => matrix(out, k%gaps, held%n)
      call k%gap_dq(t, vector(q, held%n_q), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_tangents(t, q, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (contact_relation)
      values => matrix(out, held%m - k%gaps, held%n)
      call k%tangents(t, vector(q, held%n_q), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_gap_dt(t, q, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (contact_relation)
      values => vector(out, k%gaps)
      call k%gap_dt(t, vector(q, held%n_q), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_slide(t, q, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (contact_relation)
      values => vector(out, held%m - k%gaps)
      call k%slide(t, vector(q, held%n_q), values, reply)
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
    class is (contact_relation)
      values => vector(out, held%m)
      call k%bias(t, vector(q, held%n_q), vector(v, held%n), values, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_contact_relations
