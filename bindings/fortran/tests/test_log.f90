! SPDX-License-Identifier: MIT
! A log written by one call a step, read byte by byte after the description in include/perp/log.h.
program test_log
  use check
  use perp
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real64
  implicit none
  type(model) :: m
  type(simulation) :: sim
  type(event_driven) :: events
  type(run_log) :: log, copy
  type(outcome) :: info
  real(dp), allocatable :: wanted(:, :), found(:, :)
  real(dp) :: q(1), v(1), y(1), lambda(1)
  integer :: body, floor, k, status
  integer(int64) :: checkpoints, ends

  body = m%add(lagrangian_linear(mass=2.0_dp, force=-19.62_dp), q0=[1.0_dp])
  floor = m%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.5_dp), [body])
  call sim%start(m, h=1e-2_dp, steps=120)
  call log%create("test_log_fortran.log", sim)
  allocate (wanted(5, 0:120))
  do k = 0, 120
    if (k > 0) call sim%step()
    call log%step(sim)
    if (k == 60) call log%checkpoint(sim, sim%sealed_checkpoint())
    q = sim%q(body)
    v = sim%v(body)
    y = sim%y(floor)
    lambda = sim%lambda(floor)
    wanted(:, k) = [sim%time(), q, v, y, lambda]
  end do
  call log%finish(sim, PERP_END, "done")
  copy = log ! has none
  call copy%step(sim, info=info)
  call refused(info, PERP_EINVAL, "log is not open")
  call log%close()
  call log%close()
  call read_log("test_log_fortran.log")
  call expect(size(found, 2) == 121, "so many samples")
  call expect(all(found == wanted), "samples have the bits of the run")
  call expect(checkpoints == 1 .and. ends == 1, "a checkpoint and an end")
  call expect(any(wanted(5, :) > 0), "the ball has hit the floor")

  call events%start(m)
  call log%create("test_log_fortran.log", events, every=2)
  call log%step(events)
  call log%step(sim, info=info)
  call refused(info, PERP_EINVAL, "simulation is not the kind of run that the log is of")
  call log%step(events)
  do while (events%next(until=1.0_dp))
    call log%step(events)
  end do
  call log%close()
  call read_log("test_log_fortran.log")
  q = events%q(body)
  call expect(size(found, 2) >= 2 .and. found(2, 1) == 1 .and. found(1, 1) == 0, "every second sample")
  call log%create("no/such/folder/x.log", sim, status=status, info=info)
  call refused(info, PERP_EBACKEND, "log.open")
  call sim%close()
  call log%create("test_log_fortran.log", sim, info=info)
  call refused(info, PERP_EINVAL, "simulation is not open")
  call finish("log")

contains

  !> Samples of five numbers, and how many checkpoints and ends there are.
  subroutine read_log(path)
    character(*), intent(in) :: path
    integer(int8), allocatable :: bytes(:)
    integer(int64) :: total, at, n
    integer(int32) :: kind, records
    integer :: unit
    open (newunit=unit, file=path, access="stream", form="unformatted", status="old")
    inquire (unit=unit, size=total)
    allocate (bytes(total))
    read (unit) bytes
    close (unit)
    if (allocated(found)) deallocate (found)
    allocate (found(5, 0))
    checkpoints = 0
    ends = 0
    at = 16
    do while (at < total)
      kind = transfer(bytes(at + 5:at + 8), kind)
      n = transfer(bytes(at + 9:at + 16), n)
      records = transfer(bytes(at + 25:at + 28), records)
      if (kind == 2) then
        call expect(n == 40_int64 * records, "five numbers a sample")
        found = reshape([found, transfer(bytes(at + 33:at + 32 + n), [0.0_real64])], &
                        [5, size(found, 2) + records])
      end if
      if (kind == 4) checkpoints = checkpoints + 1
      if (kind == 6) ends = ends + 1
      at = at + 32 + (n + 7) / 8 * 8
    end do
  end subroutine

end program test_log
