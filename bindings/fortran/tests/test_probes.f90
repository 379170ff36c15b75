! SPDX-License-Identifier: MIT
!> A system that fills by adding, as its arrays are said to be 0 when it is called.
module adding
  use perp
  implicit none
  integer :: calls = 0, dirty = 0
  type, extends(lagrangian) :: summed
  contains
    procedure :: degrees => two
    procedure :: mass => add_mass
    procedure :: gyroscopic => add_gyroscopic
    procedure :: gyroscopic_dq => add_gyroscopic_d
    procedure :: gyroscopic_dv => add_gyroscopic_d
    procedure :: internal => add_internal
    procedure :: internal_dq => add_internal_d
    procedure :: internal_dv => add_internal_d
    procedure :: external => add_external
    procedure :: potential => add_potential
  end type
  type, extends(lagrangian_linear) :: pushed
  contains
    procedure :: force => add_force
  end type
  type, extends(first_order) :: flow
  contains
    procedure :: degrees => two_states
    procedure :: f => add_flow
  end type
contains
  integer function two_states(self)
    class(flow), intent(in) :: self
    two_states = 2
  end function
  subroutine add_force(self, t, f, reply)
    class(pushed), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    call count_call(all(f == 0))
    f = f + 1 + t
  end subroutine
  subroutine add_flow(self, t, x, out, reply)
    class(flow), intent(in) :: self
    real(dp), intent(in) :: t, x(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    call count_call(all(out == 0))
    out = out - x + t
  end subroutine
  subroutine count_call(is_zero)
    logical, intent(in) :: is_zero
    calls = calls + 1
    if (.not. is_zero) dirty = dirty + 1
  end subroutine
  integer function two(self)
    class(summed), intent(in) :: self
    two = 2
  end function
  subroutine add_mass(self, q, out, reply)
    class(summed), intent(in) :: self
    real(dp), intent(in) :: q(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    call count_call(all(out == 0))
    out(1, 1) = out(1, 1) + 1
    out(2, 2) = out(2, 2) + 1
  end subroutine
  subroutine add_gyroscopic(self, q, v, out, reply)
    class(summed), intent(in) :: self
    real(dp), intent(in) :: q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    call count_call(all(out == 0))
    out = out + q + v
  end subroutine
  subroutine add_gyroscopic_d(self, q, v, out, reply)
    class(summed), intent(in) :: self
    real(dp), intent(in) :: q(:), v(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    call count_call(all(out == 0))
    out(1, 1) = out(1, 1) + 1
    out(2, 2) = out(2, 2) + 1
  end subroutine
  subroutine add_internal(self, t, q, v, out, reply)
    class(summed), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    call count_call(all(out == 0))
    out = out + q + v
  end subroutine
  subroutine add_internal_d(self, t, q, v, out, reply)
    class(summed), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    call count_call(all(out == 0))
    out(1, 1) = out(1, 1) + 1
    out(2, 2) = out(2, 2) + 1
  end subroutine
  subroutine add_external(self, t, out, reply)
    class(summed), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    call count_call(all(out == 0))
    out = out + 1
  end subroutine
  subroutine add_potential(self, q, out, reply)
    class(summed), intent(in) :: self
    real(dp), intent(in) :: q(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    call count_call(all(out == 0))
    out = out + dot_product(q, q)
  end subroutine
end module adding

!> What procedures are called with when it is found out which of them there are, and in a run.
program test_probes
  use perp
  use check
  use adding
  implicit none
  type(model) :: m
  type(simulation) :: sim
  real(dp) :: potential
  integer :: i
  i = m%add(summed(), q0=[1.0_dp, 2.0_dp], v0=[0.5_dp, 0.25_dp])
  i = m%add(pushed(M=reshape([1.0_dp], [1, 1])), q0=[0.0_dp], v0=[0.0_dp])
  i = m%add(flow(), x0=[1.0_dp, 2.0_dp])
  call sim%start(m, h=0.01_dp)
  call expect(calls >= 9, "each is asked")
  call expect(dirty == 0, "arrays are 0 when a model is built")
  call sim%run(steps=10)
  call sim%energy(potential=potential)
  call expect(dirty == 0, "and in a run")
  call finish("test_probes")
end program test_probes
