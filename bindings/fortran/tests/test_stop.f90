! SPDX-License-Identifier: MIT
! Without status and info a failure stops the program with a sentence.
program test_stop
  use perp
  implicit none
  real(dp) :: M(2, 2), q(2), z(2), w(2)
  M = 1
  q = [-1.0_dp, -infinity()]
  call solve_lcp(M, q, z, w)
end program test_stop
