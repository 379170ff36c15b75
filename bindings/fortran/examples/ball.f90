! SPDX-License-Identifier: MIT
! A ball dropped from 1 m (m, kg, s), by time-stepping and by events: M dv = -M g dt + impulses,
! q >= 0, v+ = -e v- at impacts. Exact: impacts at t1 = sqrt(2 H / g) and then 2 e**n t1 apart,
! infinitely many before t1 (1 + e) / (1 - e), and rest from there on. Checked: the times of impacts
! to 1e-10 s, their accumulation to 1e-9 s, heights by steps to 10 h, the floor's force at rest.
program ball
  use perp
  implicit none
  real(dp), parameter :: g = 9.81_dp, e = 0.8_dp, height = 1, h = 1e-3_dp
  type(model) :: m
  type(simulation) :: steps
  type(event_driven) :: events
  type(event) :: what
  real(dp) :: t1, impact, worst_time, worst_height, accumulation, q(1), v(1), weight(1)
  integer :: body, floor, n

  body = m%add(lagrangian_linear(mass=1.0_dp, force=-g), q0=[height])
  floor = m%connect(lagrangian_linear_relation(1.0_dp), newton_impact(e), [body])

  t1 = sqrt(2 * height / g)
  worst_height = 0
  call steps%start(m, h=h, steps=5000)
  do while (steps%next())
    q = steps%q(body)
    worst_height = max(worst_height, abs(q(1) - exact_height(steps%time())))
  end do
  weight = steps%force(floor)
  print "(a, es8.1, a, f9.5, a)", "by steps: heights within ", worst_height, " m, at rest the floor &
    &bears ", weight(1), " N"
  if (worst_height > 10 * h .or. abs(weight(1) - g) > 1e-9_dp) error stop "ball: steps disagree"

  impact = t1
  worst_time = 0
  accumulation = 0
  n = 0
  call events%start(m)
  do while (events%next(until=5.0_dp))
    what = events%last_event()
    if (what%has(PERP_EVENT_ACCUMULATION)) accumulation = what%until
    n = n + 1
    worst_time = max(worst_time, abs(what%t - impact))
    v = events%v(body)
    if (mod(n, 20) == 1) print "(a, i4, f14.10, a, f10.6, a)", "impact", n, what%t, " s, then ", v(1), " m/s"
    impact = impact + 2 * t1 * e**n
  end do
  weight = events%lambda(floor)
  print "(a, es8.1, a, f14.10, a)", "by events: times within ", worst_time, " s, accumulation at ", &
    accumulation, " s"
  if (n < 50 .or. worst_time > 1e-10_dp .or. abs(weight(1) - g) > 1e-9_dp .or. &
      abs(accumulation - t1 * (1 + e) / (1 - e)) > 1e-9_dp) error stop "ball: events disagree"

contains

  real(dp) function exact_height(t)
    real(dp), intent(in) :: t
    real(dp) :: begin, flight
    begin = -t1
    flight = 2 * t1
    do while (t >= begin + flight .and. flight > 1e-9_dp)
      begin = begin + flight
      flight = flight * e
    end do
    exact_height = 0
    if (flight > 1e-9_dp) exact_height = g / 2 * (t - begin) * (begin + flight - t)
  end function

end program ball
