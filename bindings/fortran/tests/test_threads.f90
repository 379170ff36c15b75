! SPDX-License-Identifier: MIT
!> Many simulations of one model at a time, each on a thread: what a procedure says comes out of the
!! call that failed, and of no other.
module engines
  use perp
  implicit none
  type, extends(lagrangian_linear) :: engine
    integer :: number = 0
  contains
    procedure :: force
  end type
  type, extends(mcp) :: riddle
    integer :: number = 0
  contains
    procedure :: f => riddle_f
  end type
contains
  subroutine force(self, t, f, reply)
    class(engine), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    f = self%number
    if (mod(self%number, 2) == 1 .and. t > 0.25_dp) call reply%give_up("engine " // named(self%number))
  end subroutine
  subroutine riddle_f(self, z, f, reply)
    class(riddle), intent(in) :: self
    real(dp), intent(in) :: z(:)
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    f = z
    call reply%give_up("riddle " // named(self%number))
  end subroutine
  function named(number) result(text)
    integer, intent(in) :: number
    character(4) :: text
    write (text, "(i4.4)") number
  end function
end module engines

program test_threads
  use perp
  use check
  use engines
  implicit none
  type(model) :: shared
  integer :: i, k
  k = shared%add(lagrangian_linear(mass=1.0_dp, force=-1.0_dp), q0=[1.0_dp])
  k = shared%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.5_dp), [1])
  !$omp parallel do schedule(dynamic, 1) num_threads(4)
  do i = 1, 64
    call one(i)
  end do
  call finish("test_threads")
contains

  subroutine one(number)
    integer, intent(in) :: number
    type(engine) :: motor
    type(model) :: m
    type(simulation) :: sim, same
    type(event_driven) :: events
    type(outcome) :: said, of_events, of_riddle
    type(riddle) :: r
    real(dp) :: q(1), z(1)
    integer :: k
    motor%masses = [1.0_dp]
    motor%number = number
    k = m%add(motor)
    call sim%start(m, h=1e-3_dp)
    same = sim
    call sim%run(until=0.5_dp, info=said)
    call events%start(m)
    call events%run(0.5_dp, info=of_events)
    r%number = number
    z = 1
    call solve_mcp(r, [0.0_dp], [1.0_dp], z, info=of_riddle)
    call sim%start(shared, h=1e-3_dp)
    call sim%run(until=0.5_dp)
    q = sim%q(1)
    !$omp critical (counting)
    if (mod(number, 2) == 1) then
      call refused(said, PERP_ECALLBACK, "engine " // named(number))
      call refused(of_events, PERP_ECALLBACK, "engine " // named(number))
    else
      call expect(said%text == "" .and. of_events%text == "", "others say nothing: " // said%text)
    end if
    call refused(of_riddle, PERP_ECALLBACK, "riddle " // named(number))
    call expect(same%is_open() .and. abs(q(1) - 0.875_dp) < 1e-12_dp, "a model for all")
    !$omp end critical (counting)
  end subroutine

end program test_threads
