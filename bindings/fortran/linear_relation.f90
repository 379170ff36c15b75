! SPDX-License-Identifier: MIT
!> Linear relations; see docs/relations.md. x, q: of the systems joined, one after another.
!!   linear_relation             y = C x + D lambda + F z + e,  r = B lambda + a
!!   varying_relation            the same with coefficients of time
!!   lagrangian_linear_relation  y = H q + F z + b,  dy/dt = H v + D lambda,  r = H' lambda
!!   prescribed_velocity         v(index) = constant + F(t), for the equality law
module perp_linear_relations
  use perp_outcome
  use perp_kind
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: linear_relation, varying_relation, lagrangian_linear_relation, prescribed_velocity

  !> Shapes: C m x n, D m x m, B n x m, F m x size(z), e m, a n. Left out: 0.
  type, extends(relation) :: linear_relation
    real(dp), allocatable :: C(:, :), D(:, :), B(:, :), F(:, :), e(:), a(:), z(:)
    type(perp_linear_relation) :: described
  contains
    procedure :: order => order_one
    procedure :: build => build_linear
  end type

  !> Extend it and override the coefficients that vary; the others are those of linear_relation.
  type, abstract, extends(linear_relation) :: varying_relation
    integer :: m = 0 !< rows of y, where C is not allocated
    type(perp_linear_varying_relation) :: varying
  contains
    procedure :: build => build_varying
    procedure :: c_of => no_matrix
    procedure :: d_of => no_matrix
    procedure :: b_of => no_matrix
    procedure :: e_of => no_vector
    procedure :: a_of => no_vector
  end type

  !> Shapes: H m x n, D m x m, F m x size(z), b m.
  type, extends(relation) :: lagrangian_linear_relation
    real(dp), allocatable :: H(:, :), D(:, :), F(:, :), b(:), z(:)
    type(perp_lagrangian_linear_relation) :: described
  contains
    procedure :: order => order_two
    procedure :: build => build_lagrangian
  end type

  !> Velocities index (counted from 1 over the systems joined) are held at constant; extend it and
  !! override velocity for an F(t).
  type, extends(relation) :: prescribed_velocity
    integer, allocatable :: index(:)
    real(dp), allocatable :: constant(:)
    integer(c_int32_t), allocatable :: places(:)
    type(perp_prescribed_velocity) :: described
  contains
    procedure :: order => order_prescribed
    procedure :: build => build_prescribed
    procedure :: velocity => no_velocity
  end type

  !> lagrangian_linear_relation(H, b, D): H a number (one row, one column), one row, or a matrix.
  interface lagrangian_linear_relation
    module procedure of_number, of_row, of_matrix
  end interface

contains

  function of_number(H, b) result(new)
    real(dp), intent(in) :: H
    real(dp), intent(in), optional :: b
    type(lagrangian_linear_relation) :: new
    allocate (new%H(1, 1), source=H)
    if (present(b)) new%b = [b]
  end function
  function of_row(H, b) result(new)
    real(dp), intent(in) :: H(:)
    real(dp), intent(in), optional :: b
    type(lagrangian_linear_relation) :: new
    allocate (new%H(1, size(H)), source=reshape(H, [1, size(H)]))
    if (present(b)) new%b = [b]
  end function
  function of_matrix(H, b, D) result(new)
    real(dp), intent(in) :: H(:, :)
    real(dp), intent(in), optional :: b(:), D(:, :)
    type(lagrangian_linear_relation) :: new
    allocate (new%H, source=H)
    if (present(b)) new%b = b
    if (present(D)) allocate (new%D, source=D)
  end function

  integer function order_one(self)
    class(linear_relation), intent(in) :: self
    order_one = 1
  end function
  integer function order_two(self)
    class(lagrangian_linear_relation), intent(in) :: self
    order_two = 2
  end function
  integer function order_prescribed(self)
    class(prescribed_velocity), intent(in) :: self
    order_prescribed = 2
  end function

  subroutine no_matrix(self, t, out, reply)
    class(varying_relation), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_vector(self, t, out, reply)
    class(varying_relation), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_velocity(self, t, out, reply)
    class(prescribed_velocity), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  !> The constants of a relation of order 1.
  subroutine fill(self, c, m, n, fault)
    class(linear_relation), intent(inout), target :: self
    type(perp_linear_relation), intent(inout) :: c
    integer, intent(in) :: m, n
    type(outcome), intent(inout) :: fault
    if (allocated(self%C)) call blame_size(fault, "C", shape(self%C), [m, n])
    if (allocated(self%D)) call blame_size(fault, "D", shape(self%D), [m, m])
    if (allocated(self%B)) call blame_size(fault, "B", shape(self%B), [n, m])
    if (allocated(self%e)) call blame_size(fault, "e", shape(self%e), [m])
    if (allocated(self%a)) call blame_size(fault, "a", shape(self%a), [n])
    if (allocated(self%C)) c%C = c_loc(self%C)
    if (allocated(self%D)) c%D = c_loc(self%D)
    if (allocated(self%B)) c%B = c_loc(self%B)
    c%e = address(self%e)
    c%a = address(self%a)
    if (.not. allocated(self%z)) return
    if (.not. allocated(self%F)) then
      call blame(fault, "F", "is needed where there is a z")
      return
    end if
    call blame_size(fault, "F", shape(self%F), [m, size(self%z)])
    c%F = c_loc(self%F)
    c%z = address(self%z)
    c%n_z = size(self%z)
  end subroutine

  subroutine build_linear(self, at, user, head, m, fault)
    class(linear_relation), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    m = 0
    if (allocated(self%C)) m = size(self%C, 1)
    if (perp_linear_relation_init(self%described, c_sizeof(self%described), m, at%n) /= PERP_OK) &
      call blame(fault, "C", "is needed")
    call fill(self, self%described, m, at%n, fault)
    head = c_loc(self%described)
  end subroutine

  subroutine build_varying(self, at, user, head, m, fault)
    class(varying_relation), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(answer) :: reply(5)
    real(dp), allocatable :: rows(:), by(:, :)
    m = self%m
    if (allocated(self%C)) m = size(self%C, 1)
    head = c_loc(self%varying)
    associate (c => self%varying, n => at%n)
      if (perp_linear_varying_relation_init(c, c_sizeof(c), m, n) /= PERP_OK) &
        call blame(fault, "m", "is not positive")
      call fill(self, c%linear, m, n, fault)
      if (fault%status /= PERP_OK) return
      allocate (rows(max(m, n)), by(max(m, n), max(m, n)), source=0.0_dp)
      call self%c_of(at%t, by(:m, :n), reply(1))
      by = 0
      call self%d_of(at%t, by(:m, :m), reply(2))
      by = 0
      call self%b_of(at%t, by(:n, :m), reply(3))
      call self%e_of(at%t, rows(:m), reply(4))
      rows = 0
      call self%a_of(at%t, rows(:n), reply(5))
      if (reply(1)%given) c%C = c_funloc(c_c_of)
      if (reply(2)%given) c%D = c_funloc(c_d_of)
      if (reply(3)%given) c%B = c_funloc(c_b_of)
      if (reply(4)%given) c%e = c_funloc(c_e_of)
      if (reply(5)%given) c%a = c_funloc(c_a_of)
      c%user = user
    end associate
  end subroutine

  subroutine build_lagrangian(self, at, user, head, m, fault)
    class(lagrangian_linear_relation), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    m = 0
    if (allocated(self%H)) m = size(self%H, 1)
    head = c_loc(self%described)
    associate (c => self%described)
      if (perp_lagrangian_linear_relation_init(c, c_sizeof(c), m, at%n) /= PERP_OK) then
        call blame(fault, "H", "is needed")
        return
      end if
      call blame_size(fault, "H", shape(self%H), [m, at%n])
      if (allocated(self%D)) call blame_size(fault, "D", shape(self%D), [m, m])
      if (allocated(self%b)) call blame_size(fault, "b", shape(self%b), [m])
      c%H = c_loc(self%H)
      if (allocated(self%D)) c%D = c_loc(self%D)
      c%b = address(self%b)
      if (.not. allocated(self%z)) return
      if (.not. allocated(self%F)) then
        call blame(fault, "F", "is needed where there is a z")
        return
      end if
      call blame_size(fault, "F", shape(self%F), [m, size(self%z)])
      c%F = c_loc(self%F)
      c%z = address(self%z)
      c%n_z = size(self%z)
    end associate
  end subroutine

  subroutine build_prescribed(self, at, user, head, m, fault)
    class(prescribed_velocity), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(answer) :: reply
    real(dp), allocatable :: rows(:)
    m = 0
    if (allocated(self%index)) m = size(self%index)
    head = c_loc(self%described)
    associate (c => self%described)
      if (perp_prescribed_velocity_init(c, c_sizeof(c), m, at%n) /= PERP_OK) then
        call blame(fault, "index", "is needed")
        return
      end if
      if (allocated(self%constant)) call blame_size(fault, "constant", shape(self%constant), [m])
      self%places = int(self%index - 1, c_int32_t)
      c%index = c_loc(self%places)
      c%constant = address(self%constant)
      allocate (rows(m), source=0.0_dp)
      call self%velocity(at%t, rows, reply)
      if (reply%given) c%velocity = c_funloc(c_velocity)
      c%user = user
    end associate
  end subroutine

  function c_c_of(t, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => matrix(out, held%m, held%n)
    select type (k => held%kind)
    class is (varying_relation)
      call k%c_of(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_d_of(t, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => matrix(out, held%m, held%m)
    select type (k => held%kind)
    class is (varying_relation)
      call k%d_of(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_b_of(t, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => matrix(out, held%n, held%m)
    select type (k => held%kind)
    class is (varying_relation)
      call k%b_of(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_e_of(t, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => vector(out, held%m)
    select type (k => held%kind)
    class is (varying_relation)
      call k%e_of(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_a_of(t, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => vector(out, held%n)
    select type (k => held%kind)
    class is (varying_relation)
      call k%a_of(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_velocity(t, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => vector(out, held%m)
    select type (k => held%kind)
    class is (prescribed_velocity)
      call k%velocity(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_linear_relations
