! SPDX-License-Identifier: MIT
!> Nonlinear relations of positions; see docs/relations.md.
module perp_lagrangian_relations
  use perp_outcome
  use perp_kind
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: lagrangian_relation

  !> y = h(t, q, lambda), dy/dt = H v + dh/dt, r = H' lambda, H = dh/dq; q: the positions joined, one
  !! after another (7 of a body, whose H is by velocities). lambda is a force. Extend it by your
  !! data, set m, override h, and what there is of the rest; a derivative that is not overridden is
  !! taken by differences.
  type, abstract, extends(relation) :: lagrangian_relation
    integer :: m = 1                   !< rows of y
    logical :: reads_time = .false.    !< h depends on t
    logical :: reads_lambda = .false.  !< h depends on lambda: compliant
    type(perp_lagrangian_relation) :: described
  contains
    procedure :: order
    procedure :: build
    procedure :: h => no_h !< y, m entries
    procedure :: h_dq => no_h_dq !< H, m x n
    procedure :: h_dt => no_h_dt !< dh/dt
    procedure :: h_dlambda => no_h_dlambda !< dh/dlambda, m x m
    procedure :: bias => no_bias !< what d2y/dt2 has beside H dv/dt, for events
  end type

contains

  integer function order(self)
    class(lagrangian_relation), intent(in) :: self
    order = 2
  end function

  subroutine no_h(self, t, q, lambda, out, reply)
    class(lagrangian_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:), lambda(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_h_dq(self, t, q, lambda, out, reply)
    class(lagrangian_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:), lambda(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_h_dt(self, t, q, lambda, out, reply)
    class(lagrangian_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:), lambda(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_h_dlambda(self, t, q, lambda, out, reply)
    class(lagrangian_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:), lambda(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_bias(self, t, q, v, out, reply)
    class(lagrangian_relation), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  subroutine build(self, at, user, head, m, fault)
    class(lagrangian_relation), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(answer) :: reply(5)
    real(dp), allocatable :: lambda(:), rows(:), by(:, :)
    m = self%m
    associate (c => self%described)
      if (perp_lagrangian_scleronomous_init(c, c_sizeof(c), m, at%n) /= PERP_OK) &
        call blame(fault, "m", "is not positive")
      if (self%reads_time) c%reads = ior(c%reads, PERP_GAP_READS_TIME)
      if (self%reads_lambda) c%reads = ior(c%reads, PERP_GAP_READS_LAMBDA)
      if (size(at%q) /= at%n) c%bodies = 1
      c%user = user
    end associate
    head = c_loc(self%described)
    if (fault%status /= PERP_OK) return
    allocate (lambda(m), source=1.0_dp)
    allocate (rows(max(m, at%n)), by(max(m, at%n), max(m, at%n)), source=0.0_dp)
    call self%h(at%t, at%q, lambda, rows(:m), reply(1))
    call self%h_dq(at%t, at%q, lambda, by(:m, :at%n), reply(2))
    rows = 0
    call self%h_dt(at%t, at%q, lambda, rows(:m), reply(3))
    by = 0
    call self%h_dlambda(at%t, at%q, lambda, by(:m, :m), reply(4))
    rows = 0
    call self%bias(at%t, at%q, at%v, rows(:m), reply(5))
    if (reply(1)%given) self%described%h = c_funloc(c_h)
    if (reply(2)%given) self%described%H_ = c_funloc(c_h_dq)
    if (reply(3)%given) self%described%h_t = c_funloc(c_h_dt)
    if (reply(4)%given) self%described%D = c_funloc(c_h_dlambda)
    if (reply(5)%given) self%described%bias = c_funloc(c_bias)
    if (.not. reply(1)%given) call blame(fault, "h", "is needed")
  end subroutine

  function c_h(t, q, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian_relation)
      values => vector(out, held%m)
      call k%h(t, vector(q, held%n_q), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_h_dq(t, q, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian_relation)
      values => matrix(out, held%m, held%n)
      call k%h_dq(t, vector(q, held%n_q), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_h_dt(t, q, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian_relation)
      values => vector(out, held%m)
      call k%h_dt(t, vector(q, held%n_q), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_h_dlambda(t, q, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (lagrangian_relation)
      values => matrix(out, held%m, held%m)
      call k%h_dlambda(t, vector(q, held%n_q), vector(lambda, held%m), values, reply)
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
    class is (lagrangian_relation)
      values => vector(out, held%m)
      call k%bias(t, vector(q, held%n_q), vector(v, held%n), values, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_lagrangian_relations
