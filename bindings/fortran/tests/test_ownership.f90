! SPDX-License-Identifier: MIT
!> A system whose force fails when it is told to.
module failing
  use perp
  implicit none
  type, extends(lagrangian_linear) :: motor
    real(dp) :: broken_from = huge(1.0_dp)
    logical :: gives_nan = .false., wants_less = .false.
  contains
    procedure :: force
  end type
contains
  subroutine force(self, t, f, reply)
    class(motor), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    f = 1
    if (t < self%broken_from) return
    if (self%gives_nan) then
      f = f / (f - f)
      f = f - f
    else if (self%wants_less) then
      call reply%smaller_step()
    else
      call reply%give_up("the motor is broken")
    end if
  end subroutine
end module failing

!> Who owns what, when it ends, and callbacks that fail.
program test_ownership
  use perp
  use check
  use failing
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  call callbacks()
  call closed()
  call shared()
  call many()
  call checkpoints()
  call finish("test_ownership")

contains

  function of_motor(m) result(made)
    type(motor), intent(in) :: m
    type(model) :: made
    integer :: i
    i = made%add(m)
  end function

  subroutine callbacks()
    type(motor) :: m
    type(simulation) :: sim
    type(event_driven) :: events
    type(simulation_options) :: o
    type(outcome) :: info
    type(model) :: of
    real(dp) :: before(1), after(1)
    integer :: status
    m%masses = [1.0_dp]
    m%broken_from = 0.5_dp
    call sim%start(of_motor(m), h=0.01_dp)
    call sim%run(until=1.0_dp, info=info)
    call refused(info, PERP_ECALLBACK, "the motor is broken")
    call expect(index(info%text, "simulation%run") == 1, "who: " // info%text)
    before = sim%v(1)
    call expect(abs(sim%time() - before(1)) < 1e-12_dp .and. sim%time() > 0.48_dp, "up to there")
    call sim%step(info=info)
    call refused(info, PERP_ECALLBACK, "the motor is broken")
    after = sim%v(1)
    call expect(all(after == before), "the state is as it was")
    call expect(.not. sim%next(status), "next says no")
    call expect(status == PERP_ECALLBACK, "and why")
    of = of_motor(m)
    call events%start(of)
    call events%run(1.0_dp, info=info)
    call refused(info, PERP_ECALLBACK, "the motor is broken")
    m%broken_from = 0
    call sim%start(of_motor(m), h=0.01_dp, info=info)
    call expect(info%status == PERP_OK .or. info%status == PERP_ECALLBACK, "at the start")
    if (info%status == PERP_OK) call sim%step(info=info)
    call refused(info, PERP_ECALLBACK, "the motor is broken")
    m%broken_from = 0.5_dp
    m%gives_nan = .true.
    call sim%start(of_motor(m), h=0.01_dp)
    call sim%run(until=1.0_dp, info=info)
    call refused(info, PERP_ENOTFINITE, "NaN or infinity")
    m%gives_nan = .false.
    m%wants_less = .true.
    call sim%start(of_motor(m), h=0.01_dp)
    call sim%run(until=1.0_dp, status=status)
    call expect(status == PERP_RETRY, "a smaller step is asked for")
    o%h = 0.01_dp
    o%integrator = "jean-moreau"
    call sim%start(of_motor(m), options=o, info=info)
    call refused(info, PERP_EINVAL, "integrator is not known: jean-moreau")
    call expect(.not. sim%is_open(), "what was refused is not open")
    call sim%start(of_motor(m), h=-1.0_dp, info=info)
    call refused(info, PERP_EINVAL, "h = -1")
  end subroutine

  subroutine closed()
    type(simulation) :: sim
    type(event_driven) :: events
    type(outcome) :: info
    type(motor) :: m
    real(dp), allocatable :: q(:)
    integer :: status
    logical :: more
    call sim%step(info=info)
    call refused(info, PERP_EINVAL, "simulation is not open")
    q = sim%q(1, status)
    call expect(status == PERP_EINVAL .and. size(q) == 0, "no positions")
    m%masses = [1.0_dp]
    call sim%start(of_motor(m), h=0.01_dp)
    q = sim%q(2, info=info)
    call refused(info, PERP_EINVAL, "i")
    q = sim%lambda(1, info=info)
    call refused(info, PERP_EINVAL, "none of the model")
    call sim%close()
    call sim%close()
    call sim%step(status)
    call expect(status == PERP_EINVAL .and. sim%time() == 0, "closed")
    q = sim%q(1, info=info)
    call refused(info, PERP_EINVAL, "simulation is not open")
    more = events%next(until=1.0_dp, info=info)
    call refused(info, PERP_EINVAL, "event_driven is not open")
    call expect(.not. more .and. events%mode(1) == -1, "nothing there")
    call events%start(of_motor(m))
    call events%close()
    call events%run(1.0_dp, status)
    call expect(status == PERP_EINVAL, "closed, too")
  end subroutine

  !> Two variables of one simulation; shallow copies by allocation, whose ends come in any order.
  subroutine shared()
    type(simulation) :: a
    type(simulation), allocatable :: b, c(:)
    type(motor) :: m
    real(dp) :: v(1)
    integer :: status
    m%masses = [1.0_dp]
    call a%start(of_motor(m), h=0.01_dp)
    allocate (b)
    b = a
    call a%step()
    call expect(b%step_index() == 1, "one simulation")
    deallocate (b)
    call a%step(status)
    call expect(status == PERP_OK, "it lives as long as one owner")
    allocate (b, source=a)
    deallocate (b)
    call a%step(status)
    call expect(status == PERP_OK .or. status == PERP_EINVAL, "never used after its end")
    call a%start(of_motor(m), h=0.01_dp)
    call a%step()
    allocate (c(3))
    c(1) = a
    c(2) = c(1)
    call a%close()
    call c(2)%step(status)
    call expect(status == PERP_EINVAL, "closed for all")
    call c(3)%start(of_motor(m), h=0.01_dp)
    call a%start(of_motor(m), h=0.01_dp)
    call c(1)%step(status)
    call expect(status == PERP_EINVAL, "a place that is used again is not the old one")
    c(3) = c(3)
    call c(3)%step()
    v = c(3)%v(1)
    call expect(abs(v(1) - 0.01_dp) < 1e-14_dp, "assigned to itself")
  end subroutine

  !> Ten thousand, opened and forgotten: local variables end by themselves.
  subroutine many()
    type(motor) :: m
    type(model) :: of
    integer :: i
    m%masses = [1.0_dp]
    of = of_motor(m)
    do i = 1, 10000
      call one(of)
    end do
    call expect(.true., "many")
  end subroutine

  subroutine one(of)
    type(model), intent(in) :: of
    type(simulation) :: sim, other
    call sim%start(of, h=0.01_dp)
    call sim%step()
    call other%start(of, h=0.01_dp)
    other = sim
  end subroutine

  !> A run resumed from its bytes goes on with the same bits.
  subroutine checkpoints()
    type(model) :: m
    type(simulation) :: a, b
    type(simulation_options) :: o
    type(outcome) :: info
    integer(int8), allocatable :: bytes(:)
    real(dp) :: qa(1), qb(1)
    integer :: ball, floor
    ball = m%add(lagrangian_linear(mass=1.0_dp, force=-9.81_dp), q0=[1.0_dp])
    floor = m%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.9_dp), [ball])
    o%h = 0.01_dp
    call a%start(m, options=o)
    call a%run(steps=77)
    bytes = a%checkpoint()
    call b%restore(m, bytes, o)
    call a%run(steps=50)
    call b%run(steps=50)
    qa = a%q(ball)
    qb = b%q(ball)
    call expect(all(qa == qb) .and. b%step_index() == 127, "the same bits")
    call b%restore(m, bytes(:size(bytes)-8), o, info=info)
    call expect(info%status < 0, "bytes that are cut off are refused")
    call expect(floor == 1, "floor")
  end subroutine

end program test_ownership
