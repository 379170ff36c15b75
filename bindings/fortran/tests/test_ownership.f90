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

!> Systems that meddle with the simulation that calls them, once, and one that may not know its
!! potential.
module meddling
  use perp
  implicit none
  type(model) :: of
  type(simulation) :: steps
  type(event_driven) :: events
  type(outcome) :: said(11)
  real(dp) :: seen = -1
  character(8) :: does = "nothing"
  logical :: lost = .false.
  type, extends(lagrangian_linear) :: meddler
  contains
    procedure :: force => meddle
  end type
  type, extends(lagrangian_linear) :: coupled !< to a simulation of another model, owned elsewhere
    type(simulation), pointer :: other
  contains
    procedure :: force => coupled_force
  end type
  type, extends(lagrangian_linear) :: owning
    type(simulation) :: other
  end type
  type, extends(lagrangian) :: hill
  contains
    procedure :: degrees => hill_degrees
    procedure :: internal => hill_force
    procedure :: potential => hill_potential
  end type
contains
  subroutine meddle(self, t, f, reply)
    class(meddler), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    character(8) :: now
    integer(1), allocatable :: bytes(:)
    real(dp), allocatable :: values(:)
    logical :: more
    f = 1
    now = does
    does = "nothing"
    select case (now)
    case ("steps")
      call steps%close(info=said(1))
      call steps%step(info=said(2))
      call steps%advance(0.1_dp, info=said(3))
      more = steps%next(info=said(4))
      call steps%run(steps=1, info=said(5))
      call steps%start(of, h=0.01_dp, info=said(6))
      call steps%energy(info=said(7))
      bytes = steps%checkpoint(info=said(8))
      bytes = steps%sealed_checkpoint(info=said(10))
      call steps%set_active(1, .false., info=said(9))
      call steps%set_state(1, q=[1.0_dp], info=said(11))
      seen = steps%time()
    case ("events")
      call events%close(info=said(1))
      call events%run(2.0_dp, info=said(2))
      more = events%next(2.0_dp, info=said(3))
      call events%start(of, info=said(4))
      call events%energy(info=said(5))
      values = events%rate(1, info=said(6))
      seen = events%time()
    case ("forget")
      steps = simulation()
    end select
  end subroutine
  subroutine coupled_force(self, t, f, reply)
    class(coupled), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    type(outcome) :: info
    f = self%other%q(1, info=info)
    if (info%status /= PERP_OK) call reply%give_up(info%text)
  end subroutine
  integer function hill_degrees(self)
    class(hill), intent(in) :: self
    hill_degrees = 1
  end function
  subroutine hill_force(self, t, q, v, out, reply)
    class(hill), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = q
    if (lost) call reply%give_up("the map is lost")
  end subroutine
  subroutine hill_potential(self, q, out, reply)
    class(hill), intent(in) :: self
    real(dp), intent(in) :: q(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = q**2 / 2
    if (lost) call reply%give_up("the map is lost")
  end subroutine
end module meddling

!> Who owns what, when it ends, and callbacks that fail.
program test_ownership
  use perp
  use check
  use failing
  use meddling
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  call callbacks()
  call closed()
  call meddled()
  call potentials()
  call shared()
  call components()
  call many()
  call checkpoints()
  call sealed_checkpoints()
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
    call refused(info, PERP_ENOTFINITE, "must be finite")
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
    integer :: status, i
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
    call expect(status == PERP_EINVAL, "closed")
    call expect(sim%time(info=info) == 0, "no time")
    call refused(info, PERP_EINVAL, "simulation%time: simulation is not open")
    i = int(sim%step_index(info=info))
    call refused(info, PERP_EINVAL, "simulation%step_index: simulation is not open")
    q = sim%q(1, info=info)
    call refused(info, PERP_EINVAL, "simulation is not open")
    more = events%next(until=1.0_dp, info=info)
    call refused(info, PERP_EINVAL, "event_driven is not open")
    call expect(.not. more .and. events%mode(1, status=status) == -1, "nothing there")
    call expect(status == PERP_EINVAL, "mode says so")
    call expect(events%time(status) == 0 .and. status == PERP_EINVAL, "no time of events")
    call events%start(of_motor(m))
    call events%close()
    call events%run(1.0_dp, status)
    call expect(status == PERP_EINVAL, "closed, too")
  end subroutine

  !> What runs is not ended, restarted or run by the procedures that it calls.
  subroutine meddled()
    type(meddler) :: m
    real(dp) :: v(1)
    integer :: i, status
    m%masses = [1.0_dp]
    of = model()
    i = of%add(m)
    call steps%start(of, h=0.01_dp)
    call steps%step()
    does = "steps"
    call steps%step(status)
    call expect(status == PERP_OK .and. does == "nothing", "a step with a meddler")
    do i = 1, 11
      call refused(said(i), PERP_EINVAL, "simulation is running")
    end do
    call expect(abs(seen - 0.01_dp) < 0.011_dp, "time may be asked for")
    v = steps%v(1)
    call expect(steps%step_index() == 2 .and. abs(v(1) - 0.02_dp) < 1e-14_dp, "undisturbed")
    call events%start(of)
    does = "events"
    call events%run(1.0_dp, status)
    call expect(status == PERP_OK .and. does == "nothing", "events with a meddler")
    do i = 1, 6
      call refused(said(i), PERP_EINVAL, "event_driven is running")
    end do
    v = events%v(1)
    call expect(abs(v(1) - 1) < 1e-9_dp, "undisturbed events")
    does = "forget"
    call steps%step(status)
    call expect(status == PERP_OK .and. .not. steps%is_open(), "it ends after the step")
    does = "steps"
    call steps%start(of, h=0.01_dp, status=status)
    call expect(status == PERP_OK .and. steps%is_open(), "started in its own start")
    call steps%close()
    call events%close(status)
    call expect(status == PERP_OK .and. .not. events%is_open(), "closed after the run")
  end subroutine

  !> Energy that cannot be told is an error of the call that asks, and of no other.
  subroutine potentials()
    type(hill) :: h
    type(model) :: m
    type(simulation) :: sim
    type(event_driven) :: events
    type(outcome) :: info
    real(dp) :: kinetic, potential
    real(dp), allocatable :: rate(:)
    integer :: i
    allocate (h%M(1, 1), source=2.0_dp)
    i = m%add(h, q0=[1.0_dp], v0=[3.0_dp])
    call sim%start(m, h=0.01_dp)
    call events%start(m)
    lost = .true.
    call sim%energy(kinetic, potential, info=info)
    call refused(info, PERP_ECALLBACK, "simulation%energy")
    call refused(info, PERP_ECALLBACK, "the map is lost")
    call events%energy(kinetic, potential, info=info)
    call refused(info, PERP_ECALLBACK, "event_driven%energy")
    call refused(info, PERP_ECALLBACK, "the map is lost")
    call events%run(0.5_dp, info=info)
    call refused(info, PERP_ECALLBACK, "the map is lost")
    rate = events%rate(1, info=info)
    call refused(info, PERP_ECALLBACK, "event_driven%rate")
    call refused(info, PERP_ECALLBACK, "the map is lost")
    lost = .false.
    call sim%energy(kinetic, potential, info=info)
    call expect(info%status == PERP_OK .and. info%text == "", "nothing is left over: " // info%text)
    call expect(kinetic == 9 .and. potential == 0.5_dp, "m v**2 / 2, q**2 / 2")
    call events%energy(kinetic, potential, info=info)
    call expect(info%status == PERP_OK .and. info%text == "" .and. kinetic == 9, "nor in events")
    lost = .true.
    call sim%energy(info=info)
    lost = .false.
    call sim%step(info=info)
    call expect(info%status == PERP_OK .and. info%text == "", "nor for a step: " // info%text)
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

  !> A value that points to a simulation: its copies in models look at it, and do not end it.
  subroutine components()
    type(simulation), target :: inner
    type(model) :: m
    real(dp) :: v(1)
    integer :: i
    i = m%add(lagrangian_linear(mass=1.0_dp), q0=[3.0_dp])
    call inner%start(m, h=0.1_dp)
    call outer(inner, v)
    call expect(abs(v(1) - 0.6_dp) < 1e-14_dp, "the force of the other one's position")
    call expect(inner%is_open(), "the one inside outlives those around it")
    call owned(inner)
    call expect(inner%is_open(), "and what is refused")
    call inner%step()
    call inner%close()
    call expect(.not. inner%is_open(), "and ends")
  end subroutine

  !> One that owns it is refused, for its copies would end it.
  subroutine owned(inner)
    type(simulation), intent(in) :: inner
    type(owning) :: o
    type(model) :: m
    type(outcome) :: info
    integer :: i
    o%masses = [1.0_dp]
    i = m%add(o, info=info)
    call expect(i == 1 .and. info%status == PERP_OK, "one that is not open is none: " // info%text)
    o%other = inner
    i = m%add(o, info=info)
    call refused(info, PERP_EINVAL, "model%add: system owns a simulation: let it point to one")
    call expect(i == 0 .and. o%other%is_open(), "refused as it was")
  end subroutine

  subroutine outer(inner, v)
    type(simulation), intent(in), target :: inner
    real(dp), intent(out) :: v(1)
    type(coupled) :: c
    type(model) :: m, again
    type(simulation) :: sim
    type(outcome) :: info
    integer :: i
    c%masses = [1.0_dp]
    c%other => inner
    i = m%add(c)
    again = m
    call sim%start(m, h=0.1_dp)
    call sim%run(steps=2, info=info)
    call expect(info%status == PERP_OK, "coupled: " // info%text)
    v = sim%v(1)
    again = model()
    call sim%close()
    call expect(inner%is_open() .and. c%other%is_open(), "closed around it")
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

  !> A sealed one does so too, and shows damage and another model, option or grid.
  subroutine sealed_checkpoints()
    type(model) :: m
    type(simulation) :: a, b
    type(simulation_options) :: o, other
    type(outcome) :: info
    integer(int8), allocatable :: sealed(:), damaged(:)
    real(dp) :: qa(1), qb(1)
    integer :: ball, floor, k
    ball = m%add(lagrangian_linear(mass=1.0_dp, force=-9.81_dp), q0=[1.0_dp])
    floor = m%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.9_dp), [ball])
    o%h = 0.01_dp
    call a%start(m, options=o)
    call a%run(steps=77)
    sealed = a%sealed_checkpoint()
    call b%restore_sealed(m, sealed, o)
    call a%run(steps=50)
    call b%run(steps=50)
    qa = a%q(ball)
    qb = b%q(ball)
    call expect(all(qa == qb) .and. b%step_index() == 127, "the same bits, sealed")
    do k = 37, size(sealed), 5
      damaged = sealed
      damaged(k) = ieor(damaged(k), 1_int8)
      call b%restore_sealed(m, damaged, o, info=info)
      call expect(info%field == "checkpoint.checksum", "damage is seen")
    end do
    call b%restore_sealed(m, sealed(:0), o, info=info)
    call expect(info%field == "checkpoint.bytes", "no bytes are refused")
    call b%restore_sealed(m, a%checkpoint(), o, info=info)
    call expect(info%field == "checkpoint.magic", "a plain checkpoint is refused")
    other = o
    other%theta = 0.75_dp
    call b%restore_sealed(m, sealed, other, info=info)
    call expect(info%field == "checkpoint.model", "another option is refused")
    other = o
    other%h = 0.005_dp
    call b%restore_sealed(m, sealed, other, info=info)
    call expect(info%field == "checkpoint.grid", "another h is refused")
    call b%restore_sealed(m, sealed, other, other_grid=.false., info=info)
    call expect(info%field == "checkpoint.grid" .and. .not. b%is_open(), "and none is started")
    call b%restore_sealed(m, sealed, other, other_grid=.true.)
    call b%step()
    call expect(abs(b%time() - 0.775_dp) < 1e-12_dp, "another h that is allowed")
    call a%close()
    sealed = a%sealed_checkpoint(info=info)
    call expect(info%status == PERP_EINVAL .and. size(sealed) == 0, "nothing of what is closed")
    call expect(floor == 1, "floor")
  end subroutine

end program test_ownership
