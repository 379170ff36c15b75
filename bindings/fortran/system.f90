! SPDX-License-Identifier: MIT
!> Linear systems. Matrices are n x n, all components may be left out but the mass.
!!   lagrangian_linear    M dv/dt + C v + K q = f + F(t) + T u + r,  dq/dt = v
!!   first_order_linear   M dx/dt = (A + A(t)) x + b + B(t) + T u + r
module perp_linear_systems
  use perp_outcome
  use perp_kind
  use perp_controlled
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: lagrangian_linear, first_order_linear

  !> Extend it and override force for an F(t).
  type, extends(second_order) :: lagrangian_linear
    real(dp), allocatable :: M(:, :)      !< mass; or
    real(dp), allocatable :: masses(:)    !< its diagonal
    real(dp), allocatable :: C(:, :)      !< damping
    real(dp), allocatable :: K(:, :)      !< stiffness
    real(dp), allocatable :: f(:)         !< constant force
    type(perp_lagrangian_linear) :: described
  contains
    procedure :: degrees => degrees_2
    procedure :: build => build_2
    procedure :: force => no_force
  end type

  !> Extend it and override input for a B(t), state_matrix for an A(t).
  type, extends(first_order_system) :: first_order_linear
    real(dp), allocatable :: A(:, :)      !< state matrix
    real(dp), allocatable :: b(:)         !< constant input
    real(dp), allocatable :: M(:, :)      !< not allocated: the identity
    integer :: n = 0                      !< where A is left out
    type(perp_first_order_linear) :: described
  contains
    procedure :: degrees => degrees_1
    procedure :: build => build_1
    procedure :: input => no_input
    procedure :: state_matrix => no_state_matrix
  end type

  !> lagrangian_linear(mass, force) with one degree of freedom; (masses, forces) with a diagonal
  !! mass; (M, K, C, f) with matrices.
  interface lagrangian_linear
    module procedure one_degree, of_masses, of_matrices
  end interface
  !> first_order_linear(A, b, M).
  interface first_order_linear
    module procedure of_state_matrix
  end interface

contains

  function one_degree(mass, force, stiffness, damping) result(new)
    real(dp), intent(in) :: mass
    real(dp), intent(in), optional :: force, stiffness, damping
    type(lagrangian_linear) :: new
    new%masses = [mass]
    if (present(force)) new%f = [force]
    if (present(stiffness)) allocate (new%K(1, 1), source=stiffness)
    if (present(damping)) allocate (new%C(1, 1), source=damping)
  end function

  function of_masses(masses, forces, K, C) result(new)
    real(dp), intent(in) :: masses(:)
    real(dp), intent(in), optional :: forces(:), K(:, :), C(:, :)
    type(lagrangian_linear) :: new
    new%masses = masses
    if (present(forces)) new%f = forces
    if (present(K)) allocate (new%K, source=K)
    if (present(C)) allocate (new%C, source=C)
  end function

  function of_matrices(M, forces, K, C) result(new)
    real(dp), intent(in) :: M(:, :)
    real(dp), intent(in), optional :: forces(:), K(:, :), C(:, :)
    type(lagrangian_linear) :: new
    allocate (new%M, source=M)
    if (present(forces)) new%f = forces
    if (present(K)) allocate (new%K, source=K)
    if (present(C)) allocate (new%C, source=C)
  end function

  function of_state_matrix(A, b, M) result(new)
    real(dp), intent(in) :: A(:, :)
    real(dp), intent(in), optional :: b(:), M(:, :)
    type(first_order_linear) :: new
    allocate (new%A, source=A)
    if (present(b)) new%b = b
    if (present(M)) allocate (new%M, source=M)
  end function

  integer function degrees_2(self)
    class(lagrangian_linear), intent(in) :: self
    degrees_2 = 0
    if (allocated(self%masses)) then
      degrees_2 = size(self%masses)
    else if (allocated(self%M)) then
      degrees_2 = size(self%M, 1)
    end if
  end function

  integer function degrees_1(self)
    class(first_order_linear), intent(in) :: self
    degrees_1 = self%n
    if (allocated(self%A)) degrees_1 = size(self%A, 1)
  end function

  subroutine no_force(self, t, f, reply)
    class(lagrangian_linear), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_input(self, t, b, reply)
    class(first_order_linear), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: b(:)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine
  subroutine no_state_matrix(self, t, A, reply)
    class(first_order_linear), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: A(:, :)
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  subroutine build_2(self, at, user, head, fault)
    class(lagrangian_linear), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    type(outcome), intent(inout) :: fault
    type(answer) :: reply
    real(dp) :: f(at%n)
    associate (n => self%degrees(), c => self%described)
      if (allocated(self%M)) call blame_size(fault, "M", shape(self%M), [n, n])
      if (allocated(self%C)) call blame_size(fault, "C", shape(self%C), [n, n])
      if (allocated(self%K)) call blame_size(fault, "K", shape(self%K), [n, n])
      if (allocated(self%f)) call blame_size(fault, "f", shape(self%f), [n])
      if (perp_lagrangian_linear_init(c, c_sizeof(c), n) /= PERP_OK) &
        call blame(fault, "M", "is needed")
      c%M = view_of(self%M, self%masses)
      c%C = view_of(self%C)
      c%K = view_of(self%K)
      c%f = address(self%f)
      f = 0
      call self%force(at%t, f, reply)
      if (reply%given) c%force = c_funloc(c_force)
      c%user = user
      call self%build_control(at, user, c%control, fault)
    end associate
    head = c_loc(self%described)
  end subroutine

  subroutine build_1(self, at, user, head, fault)
    class(first_order_linear), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    type(outcome), intent(inout) :: fault
    type(answer) :: reply(2)
    real(dp) :: b(at%n), A(at%n, at%n)
    associate (n => self%degrees(), c => self%described)
      if (allocated(self%M)) call blame_size(fault, "M", shape(self%M), [n, n])
      if (allocated(self%A)) call blame_size(fault, "A", shape(self%A), [n, n])
      if (allocated(self%b)) call blame_size(fault, "b", shape(self%b), [n])
      if (perp_first_order_linear_init(c, c_sizeof(c), n) /= PERP_OK) &
        call blame(fault, "A", "or n is needed")
      c%M = view_of(self%M)
      c%A = view_of(self%A)
      c%b = address(self%b)
      b = 0
      A = 0
      call self%input(at%t, b, reply(1))
      if (reply(1)%given) c%input = c_funloc(c_input)
      call self%state_matrix(at%t, A, reply(2))
      if (reply(2)%given) c%state_matrix = c_funloc(c_state_matrix)
      c%user = user
      call self%build_control(at, user, c%control, fault)
    end associate
    head = c_loc(self%described)
  end subroutine

  function c_force(t, f, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: f, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => vector(f, held%kind%degrees())
    select type (k => held%kind)
    class is (lagrangian_linear)
      call k%force(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_input(t, b, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: b, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => vector(b, held%kind%degrees())
    select type (k => held%kind)
    class is (first_order_linear)
      call k%input(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_state_matrix(t, A, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: A, user
    integer(c_int32_t) :: code
    type(held_system), pointer :: held
    real(dp), pointer :: values(:, :)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => matrix(A, held%kind%degrees(), held%kind%degrees())
    select type (k => held%kind)
    class is (first_order_linear)
      call k%state_matrix(t, values, reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_linear_systems
