! SPDX-License-Identifier: MIT
!> Counts what is not as expected; the judges of the tests, which share nothing with the library.
module check
  use perp, only: dp, outcome, PERP_OK
  implicit none
  integer :: failures = 0, checks = 0
contains

  subroutine expect(true, what)
    logical, intent(in) :: true
    character(*), intent(in) :: what
    checks = checks + 1
    if (true) return
    failures = failures + 1
    print "(2a)", "FAILED: ", what
  end subroutine

  !> Refused with this status, and a sentence that holds these words.
  subroutine refused(info, status, words)
    type(outcome), intent(in) :: info
    integer, intent(in) :: status
    character(*), intent(in) :: words
    call expect(info%status == status .and. index(info%text, words) > 0, &
                words // " is not in: " // info%text)
  end subroutine

  subroutine finish(name)
    character(*), intent(in) :: name
    print "(2a, i0, a, i0, a)", name, ": ", checks, " checks, ", failures, " failed"
    if (failures > 0) error stop 1
    if (checks == 0) error stop 2
  end subroutine

  !> Largest violation of -w in N_[lower,upper](z), w = M z + q, by its definition.
  real(dp) function box_error(M, q, lower, upper, z, w)
    real(dp), intent(in) :: M(:, :), q(:), lower(:), upper(:), z(:), w(:)
    integer :: i
    box_error = maxval(abs(matmul(M, z) + q - w))
    do i = 1, size(q)
      box_error = max(box_error, lower(i) - z(i), z(i) - upper(i))
      if (w(i) > 0) box_error = max(box_error, min(w(i), z(i) - lower(i)))
      if (w(i) < 0) box_error = max(box_error, min(-w(i), upper(i) - z(i)))
    end do
  end function

  !> The same of contacts: normal first, parts(k) components in the k-th tangential part, which is
  !! bounded by bound(k) times the normal force and opposes its velocity where that is not 0.
  real(dp) function contact_error(W, q, bound, parts, r, u)
    real(dp), intent(in) :: W(:, :), q(:), bound(:), r(:), u(:)
    integer, intent(in) :: parts(:)
    integer :: c, k, first, rows
    real(dp) :: rim, slip
    rows = 1 + sum(parts)
    contact_error = maxval(abs(matmul(W, r) + q - u))
    do c = 1, size(q), rows
      contact_error = max(contact_error, -u(c), -r(c), min(u(c), r(c)))
      first = c + 1
      do k = 1, size(parts)
        associate (rt => r(first:first+parts(k)-1), ut => u(first:first+parts(k)-1))
          rim = bound(k) * r(c)
          slip = norm2(ut)
          contact_error = max(contact_error, norm2(rt) - rim)
          if (slip > 0) contact_error = max(contact_error, &
                                            min(slip, norm2(rt + rim * ut / slip)))
        end associate
        first = first + parts(k)
      end do
    end do
  end function

  !> A symmetric positive definite matrix and a vector, the same in every run.
  subroutine random_problem(n, M, q)
    integer, intent(in) :: n
    real(dp), intent(out) :: M(n, n), q(n)
    real(dp) :: A(n, n)
    integer :: i
    call random_number(A)
    call random_number(q)
    M = matmul(transpose(A - 0.5_dp), A - 0.5_dp)
    do i = 1, n
      M(i, i) = M(i, i) + 0.1_dp
    end do
    q = 2 * q - 1.2_dp
  end subroutine

end module check
