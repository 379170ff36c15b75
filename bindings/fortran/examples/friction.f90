! SPDX-License-Identifier: MIT
! A cube stands on four corners under its weight and is pulled sideways (N, kg, s): one step of
! 1 s gives u = W r + q with Coulomb's law at each corner. Checked without perp: u = W r + q, normal
! velocities and forces are not negative and never both positive, tangential forces are in the cone,
! and where a corner slips its force is on the rim against the velocity. Exact: with the pull below
! mu times the weight nothing moves and the forces add up to it; above, the cube slides with
! (pull - mu weight) / mass.
program friction_solve
  use perp
  implicit none
  integer, parameter :: n = 12
  real(dp), parameter :: mass = 2, weight = mass * 9.81_dp, mu = 0.5_dp, side = 1
  real(dp) :: H(n, 6), inverse(6), W(n, n), q(n), r(n), u(n), load(6)
  integer :: i, k
  type(outcome) :: info

  ! rows: normal z, tangents x and y at each corner; columns: velocity, then rotation
  do i = 1, 4
    k = 3 * (i - 1)
    H(k+1, :) = jacobian([0, 0, 1], i)
    H(k+2, :) = jacobian([1, 0, 0], i)
    H(k+3, :) = jacobian([0, 1, 0], i)
  end do
  inverse = 1 / [mass, mass, mass, mass * side**2 / 6, mass * side**2 / 6, mass * side**2 / 6]
  W = matmul(H, spread(inverse, 2, n) * transpose(H))

  do i = 1, 2
    load = 0
    load(3) = -weight
    load(1) = merge(0.4_dp, 0.6_dp, i == 1) * weight ! the pull, at half the height: it also tips
    load(5) = load(1) * (-side / 2)                  ! applied at the ground: it does not
    q = matmul(H, inverse * load)
    r = 0
    u = 0
    call solve_friction(W, q, [mu, mu, mu, mu], r, u, info=info)
    if (info%status /= PERP_OK) error stop info%text
    print "(3a, f8.4, a, f8.4, a, f8.4, a)", "by ", info%solver, ": pull ", load(1), " N, friction ", &
      sum(r(2::3)), " N, speed ", u(2), " m/s"
    call judge()
    if (abs(sum(r(1::3)) - weight) > 1e-6_dp) error stop "friction: the floor does not bear the weight"
    if (i == 1 .and. (any(abs(u) > 1e-8_dp) .or. abs(sum(r(2::3)) + load(1)) > 1e-6_dp)) &
      error stop "friction: it should stick"
    if (i == 2 .and. abs(u(2) - (load(1) - mu * weight) / mass) > 1e-6_dp) &
      error stop "friction: it slides with another speed"
  end do

contains

  !> Velocity of a corner along a direction, by velocity and rotation of the cube.
  pure function jacobian(along, corner) result(row)
    integer, intent(in) :: along(3), corner
    real(dp) :: row(6), at(3), d(3)
    at = side / 2 * [merge(1, -1, corner < 3), merge(1, -1, mod(corner, 2) == 0), -1]
    d = along
    row(1:3) = d
    row(4:6) = [at(2) * d(3) - at(3) * d(2), at(3) * d(1) - at(1) * d(3), at(1) * d(2) - at(2) * d(1)]
  end function

  subroutine judge()
    real(dp), parameter :: tol = 1e-7_dp
    real(dp) :: slip, rim
    integer :: c, k
    if (any(abs(matmul(W, r) + q - u) > tol)) error stop "friction: u is not W r + q"
    do c = 1, 4
      k = 3 * (c - 1)
      if (u(k+1) < -tol .or. r(k+1) < -tol .or. abs(u(k+1) * r(k+1)) > tol) error stop "friction: normal"
      slip = norm2(u(k+2:k+3))
      rim = mu * r(k+1)
      if (norm2(r(k+2:k+3)) > rim + tol) error stop "friction: outside the cone"
      if (slip > 1e-5_dp) then
        if (any(abs(r(k+2:k+3) + rim * u(k+2:k+3) / slip) > tol)) error stop "friction: not against slip"
      end if
    end do
  end subroutine

end program friction_solve
