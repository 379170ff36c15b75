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
    type(perp_info) :: c_info
    type(perp_solver_options), target :: head
    type(outcome) :: fault
    type(perp_solver), pointer :: solver
    type(c_ptr) :: options
    integer(c_int8_t), allocatable, target :: work(:)
    integer(c_int32_t) :: code
    integer :: rows
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    call rows_of(fault, size(q), size(mu), [2, 3], rows)
    call blame_size(fault, "W", shape(W), [size(q), size(q)])
    call blame_size(fault, "r", shape(r), shape(q))
    call blame_size(fault, "u", shape(u), shape(q))
    call find_method(by, solver, options, head, fault)
    if (fault%status == PERP_OK) then
      problem = perp_fc(size(mu), rows, max(1, size(q)), 0, c_loc(W), c_loc(q), c_loc(mu))
      call take_work(work, perp_fc_workspace(solver, problem%contacts, problem%dim, options), fault)
      if (fault%status == PERP_OK) &
        code = perp_fc_solve(solver, problem, options, r, u, c_loc(work), &
                           size(work, kind=c_size_t), c_info)
    end if
    call conclude(code, "solve_friction", status, info, c_info, fault)
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
    type(perp_info) :: c_info
    type(perp_solver_options), target :: head
    type(outcome) :: fault
    type(perp_solver), pointer :: solver
    type(c_ptr) :: options
    integer(c_int8_t), allocatable, target :: work(:)
    integer(c_int32_t) :: code
    integer :: rows, i
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    call rows_of(fault, size(q), size(mu), [3, 5], rows)
    call blame_size(fault, "mu_rolling", shape(mu_rolling), shape(mu))
    call blame_size(fault, "W", shape(W), [size(q), size(q)])
    call blame_size(fault, "r", shape(r), shape(q))
    call blame_size(fault, "u", shape(u), shape(q))
    if (.not. all(ieee_is_finite(W))) &
      call blame(fault, "W", "has an entry that is NaN or infinite", code=int(PERP_ENOTFINITE))
    if (.not. all(ieee_is_finite(q))) &
      call blame(fault, "q", "has an entry that is NaN or infinite", code=int(PERP_ENOTFINITE))
    call find_method(by, solver, options, head, fault)
    if (fault%status == PERP_OK) then
      allocate (laws(max(1, size(mu))), addresses(max(1, size(mu))))
      do i = 1, size(mu)
        code = perp_rolling_init(laws(i), c_sizeof(laws(i)))
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
      call take_work(work, perp_solver_workspace(solver, problem, options), fault)
      if (fault%status == PERP_OK) &
        code = perp_solver_solve(solver, problem, options, r, u, work=c_loc(work), &
                               work_bytes=size(work, kind=c_size_t), info=c_info)
    end if
    call conclude(code, "solve_rolling", status, info, c_info, fault)
  end subroutine

  !> One contact with friction, exactly: q has 2 or 3 entries; with mu_rolling 3 or 5.
  subroutine solve_contact(W, q, mu, r, u, mu_rolling, status, info)
    real(dp), intent(in), contiguous :: W(:, :), q(:)
    real(dp), intent(in) :: mu
    real(dp), intent(inout), contiguous :: r(:), u(:)
    real(dp), intent(in), optional :: mu_rolling
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(outcome) :: fault
    integer(c_int32_t) :: code
    integer :: rows
    code = PERP_EINVAL
    if (present(mu_rolling)) then
      call rows_of(fault, size(q), 1, [3, 5], rows)
    else
      call rows_of(fault, size(q), 1, [2, 3], rows)
    end if
    call blame_size(fault, "W", shape(W), [size(q), size(q)])
    call blame_size(fault, "r", shape(r), shape(q))
    call blame_size(fault, "u", shape(u), shape(q))
    if (fault%status == PERP_OK) then
      if (present(mu_rolling)) then
        if (rows == 3) code = perp_contact_rolling_2d(W, q, mu, mu_rolling, r, u)
        if (rows == 5) code = perp_contact_rolling_3d(W, q, mu, mu_rolling, r, u)
      else
        if (rows == 2) code = perp_contact_2d(W, q, mu, r, u)
        if (rows == 3) code = perp_contact_3d(W, q, mu, r, u)
      end if
    end if
    call conclude(code, "solve_contact", status, info, fault=fault)
  end subroutine

  !> Rows of each contact: one of two numbers.
  subroutine rows_of(fault, n, contacts, allowed, rows)
    type(outcome), intent(inout) :: fault
    integer, intent(in) :: n, contacts, allowed(2)
    integer, intent(out) :: rows
    rows = allowed(2)
    if (contacts > 0) rows = n / contacts
    if (all(rows /= allowed) .or. rows * contacts /= n) then
      rows = allowed(2)
      call blame_size(fault, "q", [n], [rows * contacts])
      call blame(fault, "q", "does not fit the number of contacts")
    end if
  end subroutine

end module perp_solve_contact
