! SPDX-License-Identifier: MIT
!> Contacts with friction and rolling, in plain arrays: u = W r + q, components contact by contact,
!! normal first.
module perp_solve_contact
  use perp_outcome
  use perp_solve
  use perp_c
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  implicit none
  private
  public :: solve_friction, solve_rolling, solve_contact

contains

  !> u = W r + q with Coulomb's law at each contact; components contact by contact, normal first:
  !! two each (plane) or three (space), as many contacts as mu has entries. r is the start.
  subroutine solve_friction(W, q, mu, r, u, by, status, info)
    real(dp), intent(in), contiguous, target :: W(:, :), q(:), mu(:)
    real(dp), intent(inout), contiguous :: r(:), u(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(perp_fc) :: problem
    type(task), target :: a
    integer :: rows
    call check(a, W, q, r, u, size(mu), [2, 3], rows)
    call a%find(by)
    problem = perp_fc(size(mu), rows, max(1, size(q)), 0, c_loc(W), c_loc(q), c_loc(mu))
    if (a%fits(perp_fc_workspace(a%solver, problem%contacts, problem%dim, a%options))) &
      a%code = perp_fc_solve(a%solver, problem, a%options, r, u, c_loc(a%work), &
                             size(a%work, kind=c_size_t), a%info)
    call a%finish("solve_friction", status, info)
  end subroutine

  !> The same with resistance to rolling: three components a contact (plane) or five (space);
  !! mu_rolling (m) has as many entries as mu.
  subroutine solve_rolling(W, q, mu, mu_rolling, r, u, by, status, info)
    real(dp), intent(in), contiguous, target :: W(:, :), q(:)
    real(dp), intent(in) :: mu(:), mu_rolling(:)
    real(dp), intent(inout), contiguous :: r(:), u(:)
    type(method), intent(in), optional :: by
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(perp_problem) :: problem
    type(perp_rolling), allocatable, target :: laws(:)
    type(c_ptr), allocatable, target :: addresses(:)
    type(task), target :: a
    integer :: rows, i
    call check(a, W, q, r, u, size(mu), [3, 5], rows)
    call a%sized("mu_rolling", mu_rolling, size(mu))
    if (.not. all(ieee_is_finite(W))) &
      call blame(a%fault, "W", "has an entry that is NaN or infinite", code=int(PERP_ENOTFINITE))
    if (.not. all(ieee_is_finite(q))) &
      call blame(a%fault, "q", "has an entry that is NaN or infinite", code=int(PERP_ENOTFINITE))
    call a%find(by)
    if (a%fault%status == PERP_OK) then
      allocate (laws(max(1, size(mu))), addresses(max(1, size(mu))))
      do i = 1, size(mu)
        a%code = perp_rolling_init(laws(i), c_sizeof(laws(i)))
        laws(i)%law%size = rows
        laws(i)%mu = mu(i)
        laws(i)%mu_rolling = mu_rolling(i)
        addresses(i) = c_loc(laws(i))
      end do
      problem = perp_problem_init_value()
      problem%M = dense_view(W)
      problem%q = c_loc(q)
      problem%n = size(q)
      problem%n_blocks = size(mu)
      problem%laws = c_loc(addresses)
      if (a%fits(perp_solver_workspace(a%solver, problem, a%options))) &
        a%code = perp_solver_solve(a%solver, problem, a%options, r, u, work=c_loc(a%work), &
                                   work_bytes=size(a%work, kind=c_size_t), info=a%info)
    end if
    call a%finish("solve_rolling", status, info)
  end subroutine

  !> One contact with friction, exactly: q has 2 or 3 entries; with mu_rolling 3 or 5.
  subroutine solve_contact(W, q, mu, r, u, mu_rolling, status, info)
    real(dp), intent(in), contiguous :: W(:, :), q(:)
    real(dp), intent(in) :: mu
    real(dp), intent(inout), contiguous :: r(:), u(:)
    real(dp), intent(in), optional :: mu_rolling
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(task) :: a
    integer :: rows
    call check(a, W, q, r, u, 1, merge([3, 5], [2, 3], present(mu_rolling)), rows)
    if (a%fault%status == PERP_OK) then
      if (present(mu_rolling)) then
        if (rows == 3) a%code = perp_contact_rolling_2d(W, q, mu, mu_rolling, r, u)
        if (rows == 5) a%code = perp_contact_rolling_3d(W, q, mu, mu_rolling, r, u)
      else
        if (rows == 2) a%code = perp_contact_2d(W, q, mu, r, u)
        if (rows == 3) a%code = perp_contact_3d(W, q, mu, r, u)
      end if
    end if
    call conclude(a%code, "solve_contact", status, info, fault=a%fault)
  end subroutine

  !> Shapes, and the rows of each contact: one of two numbers.
  subroutine check(a, W, q, r, u, contacts, allowed, rows)
    type(task), intent(inout) :: a
    real(dp), intent(in) :: W(:, :), q(:), r(:), u(:)
    integer, intent(in) :: contacts, allowed(2)
    integer, intent(out) :: rows
    rows = allowed(2)
    if (contacts > 0) rows = size(q) / contacts
    if (all(rows /= allowed) .or. rows * contacts /= size(q)) then
      rows = allowed(2)
      call a%sized("q", q, rows * contacts)
      call blame(a%fault, "q", "does not fit the number of contacts")
    end if
    call blame_size(a%fault, "W", shape(W), [size(q), size(q)])
    call a%sized("r", r, size(q))
    call a%sized("u", u, size(q))
  end subroutine

end module perp_solve_contact
