! SPDX-License-Identifier: MIT
! An LC oscillator feeds a resistor through a bridge of four ideal diodes (V, A, s):
!   C dv/dt = -i - l3 + l4,  L di/dt = v,  0 <= y _|_ l >= 0  with
!   y1 = (l1 + l2)/R - l3,  y2 = (l1 + l2)/R - l4,  y3 = l1 - v,  y4 = l2 + v;
! l1, l2 voltages of two diodes, l3, l4 currents of the others. Checked: the resistor carries |v|/R,
! and what it has burnt is what the oscillator has lost.
program bridge
  use perp
  implicit none
  real(dp), parameter :: L = 1e-2_dp, C = 1e-6_dp, R = 1e3_dp, h = 1e-7_dp, o = 0, w = 1
  type(model) :: m
  type(simulation) :: sim
  real(dp) :: x(2), lambda(4), load, burnt, worst, missing
  integer :: oscillator, diodes

  oscillator = m%add(first_order_linear(rows(2, 2, [o, -w/C, w/L, o])), x0=[10.0_dp, 0.0_dp])
  diodes = m%connect(linear_relation( &
                     C=rows(4, 2, [o, o, o, o, -w, o, w, o]), &
                     D=rows(4, 4, [w/R, w/R, -w, o, w/R, w/R, o, -w, w, o, o, o, o, w, o, o]), &
                     B=rows(2, 4, [o, o, -w/C, w/C, o, o, o, o])), complementarity(), [oscillator])

  call sim%start(m, h=h, steps=50000)
  burnt = 0
  worst = 0
  do while (sim%next())
    x = sim%x(oscillator)
    lambda = sim%lambda(diodes)
    load = (lambda(1) + lambda(2)) / R
    burnt = burnt + h * R * load**2
    worst = max(worst, abs(load - abs(x(1)) / R))
    if (mod(sim%step_index(), 10000_int64) == 0) &
      print "(f6.2, a, f8.4, a, f8.4, a)", 1e3_dp * sim%time(), " ms ", x(1), " V ", 1e3_dp * load, " mA"
  end do
  missing = (stored([10.0_dp, 0.0_dp]) - stored(x) - burnt) / burnt
  print "(a, es8.1, a, es8.1)", "load within ", worst, " A, energy missing ", missing
  if (sim%step_index() /= 50000 .or. worst > 1e-12_dp .or. abs(missing) > 1e-3_dp) &
    error stop "bridge: disagrees"

contains

  !> A matrix that is written row by row.
  pure function rows(m, n, entries) result(matrix)
    integer, intent(in) :: m, n
    real(dp), intent(in) :: entries(:)
    real(dp) :: matrix(m, n)
    matrix = transpose(reshape(entries, [n, m]))
  end function

  pure real(dp) function stored(x)
    real(dp), intent(in) :: x(2)
    stored = (C * x(1)**2 + L * x(2)**2) / 2
  end function

end program bridge
