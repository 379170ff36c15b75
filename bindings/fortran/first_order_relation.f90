! SPDX-License-Identifier: MIT
!> Nonlinear relations of first-order systems; see docs/relations.md.
module perp_first_order_relations
  use perp_outcome
  use perp_kind
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: first_order_relation

  !> y = h(t, x, lambda), r = g(t, x, lambda); x: the states joined, one after another. Extend it by
  !! your data, set m, override h and g, and what there is of the rest; a derivative that is not
  !! overridden is taken by differences.
  type, abstract, extends(relation) :: first_order_relation
    integer :: m = 1                  !< rows of y
    logical :: reads_lambda = .true.  !< h depends on lambda
    logical :: reads_x = .true.       !< g depends on x
    type(perp_first_order_relation) :: described
  contains
    procedure :: order
    procedure :: build
    procedure :: h => no_h !< y, m entries
    procedure :: g => no_g !< r, n entries; not overridden: 0
    procedure :: h_dx => no_h_dx !< dh/dx, m x n
    procedure :: h_dlambda => no_h_dlambda !< dh/dlambda, m x m
    procedure :: g_dlambda => no_g_dlambda !< dg/dlambda, n x m
    procedure :: g_dx => no_g_dx !< dg/dx, n x n
    procedure :: h_dt => no_h_dt !< dh/dt, for events
  end type

contains

  integer function order(self)
    class(first_order_relation), intent(in) :: self
    order = 1
  end function

  subroutine no_h(self, t, x, lambda, out, reply)
    class(first_order_relation), intent(in) :: self
    real(dp), intent(in) :: t, x(:), lambda(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_g(self, t, x, lambda, out, reply)
    class(first_order_relation), intent(in) :: self
    real(dp), intent(in) :: t, x(:), lambda(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_h_dx(self, t, x, lambda, out, reply)
    class(first_order_relation), intent(in) :: self
    real(dp), intent(in) :: t, x(:), lambda(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_h_dlambda(self, t, x, lambda, out, reply)
    class(first_order_relation), intent(in) :: self
    real(dp), intent(in) :: t, x(:), lambda(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_g_dlambda(self, t, x, lambda, out, reply)
    class(first_order_relation), intent(in) :: self
    real(dp), intent(in) :: t, x(:), lambda(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_g_dx(self, t, x, lambda, out, reply)
    class(first_order_relation), intent(in) :: self
    real(dp), intent(in) :: t, x(:), lambda(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_h_dt(self, t, x, lambda, out, reply)
    class(first_order_relation), intent(in) :: self
    real(dp), intent(in) :: t, x(:), lambda(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  subroutine build(self, at, user, head, m, fault)
    class(first_order_relation), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(answer) :: reply(7)
    real(dp), allocatable :: lambda(:), rows(:), by(:, :)
    m = self%m
    associate (c => self%described)
      if (perp_first_order_relation_init(c, c_sizeof(c), m, at%n) /= PERP_OK) &
        call blame(fault, "m", "is not positive")
      c%reads = 0
      if (self%reads_lambda) c%reads = ior(c%reads, PERP_OUTPUT_READS_LAMBDA)
      if (self%reads_x) c%reads = ior(c%reads, PERP_REACTION_READS_X)
      c%user = user
    end associate
    head = c_loc(self%described)
    if (fault%status /= PERP_OK) return
    allocate (lambda(m), source=1.0_dp)
    allocate (rows(max(m, at%n)), by(max(m, at%n), max(m, at%n)), source=0.0_dp)
    call self%h(at%t, at%x, lambda, rows(:m), reply(1))
    rows = 0
    call self%g(at%t, at%x, lambda, rows(:at%n), reply(2))
    call self%h_dx(at%t, at%x, lambda, by(:m, :at%n), reply(3))
    by = 0
    call self%h_dlambda(at%t, at%x, lambda, by(:m, :m), reply(4))
    by = 0
    call self%g_dlambda(at%t, at%x, lambda, by(:at%n, :m), reply(5))
    by = 0
    call self%g_dx(at%t, at%x, lambda, by(:at%n, :at%n), reply(6))
    rows = 0
    call self%h_dt(at%t, at%x, lambda, rows(:m), reply(7))
    if (reply(1)%given) self%described%h = c_funloc(c_h)
    if (reply(2)%given) self%described%g = c_funloc(c_g)
    if (reply(3)%given) self%described%C = c_funloc(c_h_dx)
    if (reply(4)%given) self%described%D = c_funloc(c_h_dlambda)
    if (reply(5)%given) self%described%B = c_funloc(c_g_dlambda)
    if (reply(6)%given) self%described%K = c_funloc(c_g_dx)
    if (reply(7)%given) self%described%h_t = c_funloc(c_h_dt)
    if (.not. reply(1)%given) call blame(fault, "h", "is needed")
  end subroutine

  function c_h(t, x, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: x, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_relation)
      values => vector(out, held%m)
      call k%h(t, vector(x, held%n), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_g(t, x, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: x, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_relation)
      values => vector(out, held%n)
      call k%g(t, vector(x, held%n), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_h_dx(t, x, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: x, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_relation)
      values => matrix(out, held%m, held%n)
      call k%h_dx(t, vector(x, held%n), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_h_dlambda(t, x, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: x, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_relation)
      values => matrix(out, held%m, held%m)
      call k%h_dlambda(t, vector(x, held%n), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_g_dlambda(t, x, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: x, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_relation)
      values => matrix(out, held%n, held%m)
      call k%g_dlambda(t, vector(x, held%n), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_g_dx(t, x, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: x, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_relation)
      values => matrix(out, held%n, held%n)
      call k%g_dx(t, vector(x, held%n), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_h_dt(t, x, lambda, z, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: x, lambda, z, out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (first_order_relation)
      values => vector(out, held%m)
      call k%h_dt(t, vector(x, held%n), vector(lambda, held%m), values, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_first_order_relations
