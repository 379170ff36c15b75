! SPDX-License-Identifier: MIT
!> Time-stepping of a model.
module perp_time_stepping
  use perp_outcome
  use perp_model_values
  use perp_runs
  use perp_stepping_options
  use perp_solve, only: infinity
  use perp_c, c_system => perp_system, c_relation => perp_relation, c_model => perp_model, &
    c_law => perp_law
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: simulation, run_report

  type, extends(running) :: stepping
    type(held_options) :: options
  contains
    procedure :: destroy
    procedure :: view
    procedure :: energies
    procedure :: time => time_of
  end type

  !> A run. Made by start() or restore().
  type, extends(handle) :: simulation
  contains
    procedure :: name
    procedure :: start
    procedure :: restore     !< as start, from the bytes of checkpoint()
    procedure :: restore_sealed !< as start, from the bytes of sealed_checkpoint()
    procedure :: step        !< the grid's next step
    procedure :: next        !< the same in `do while (sim%next())`: false at the end of the grid
    procedure :: advance     !< a step of another length
    procedure :: run => go_on !< until a time, or so many steps
    procedure :: step_index
    procedure :: force       !< lambda as a mean force over the last step
    procedure :: work_done
    procedure :: report
    procedure :: checkpoint
    procedure :: sealed_checkpoint !< for files: it shows damage, and another model
    procedure :: set_active
    procedure, private :: assign
    generic :: assignment(=) => assign
    final :: finalise
  end type

  !> What happened since the start; see perp_report.
  type :: run_report
    integer(int64) :: steps = 0, active = 0, impacts = 0, solver_iterations = 0, newton = 0
    integer(int64) :: dropped = 0   !< contacts beyond the room of the pool, over steps
    integer(int64) :: left_out = 0  !< geometric stiffness that W does not have
    integer(int64) :: failures = 0, retries = 0, accepted = 0
    integer(int64) :: relaxed = 0   !< problems whose equalities contradict each other by a little
    integer :: max_active = 0
    real(dp) :: penetration = 0, residual = 0
  end type

contains

  subroutine destroy(self)
    class(stepping), intent(inout) :: self
    call perp_simulation_destroy(self%c)
    self%c = c_null_ptr
    call self%model%destroy()
  end subroutine

  function view(self, what, index) result(at)
    class(stepping), intent(in) :: self
    character(*), intent(in) :: what
    integer(c_int32_t), intent(in) :: index
    type(c_ptr) :: at
    select case (what)
    case ("q")
      at = perp_simulation_q(self%c, index)
    case ("v")
      at = perp_simulation_v(self%c, index)
    case ("x")
      at = perp_simulation_x(self%c, index)
    case ("y")
      at = perp_simulation_y(self%c, index)
    case ("ydot")
      at = perp_simulation_ydot(self%c, index)
    case default
      at = perp_simulation_lambda(self%c, index)
    end select
  end function

  function energies(self, kinetic, potential) result(code)
    class(stepping), intent(in) :: self
    real(dp), intent(inout) :: kinetic(1), potential(1)
    integer(c_int32_t) :: code
    code = perp_simulation_energy(self%c, kinetic, potential)
  end function

  real(dp) function time_of(self)
    class(stepping), intent(in) :: self
    time_of = perp_simulation_time(self%c)
  end function

  function name(self)
    class(simulation), intent(in) :: self
    character(:), allocatable :: name
    name = "simulation"
  end function

  subroutine assign(self, from)
    class(simulation), intent(inout) :: self
    type(simulation), intent(in) :: from
    call share_run(self, from)
  end subroutine

  impure elemental subroutine finalise(self)
    type(simulation), intent(inout) :: self
    call release(self)
  end subroutine

  !> Start at the model's initial values; h and steps in place of those in options.
  subroutine start(self, of, h, steps, options, status, info)
    class(simulation), intent(inout) :: self
    type(model), intent(in) :: of
    real(dp), intent(in), optional :: h
    integer, intent(in), optional :: steps
    type(simulation_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(simulation_options) :: all
    if (present(options)) all = options
    if (present(h)) all%h = h
    if (present(steps)) all%steps = steps
    call start_at(self, "simulation%start", of, all, status=status, info=info)
  end subroutine

  !> Go on from a checkpoint of a run of the same model and options.
  subroutine restore(self, of, bytes, options, status, info)
    class(simulation), intent(inout) :: self
    type(model), intent(in) :: of
    integer(c_int8_t), intent(in), contiguous, target :: bytes(:)
    type(simulation_options), intent(in) :: options
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    call start_at(self, "simulation%restore", of, options, bytes, status=status, info=info)
  end subroutine

  !> Go on from a sealed checkpoint; what is damaged, or of another model, other options or another
  !! grid, is refused. other_grid: h, t0 or grid may be others.
  subroutine restore_sealed(self, of, sealed, options, other_grid, status, info)
    class(simulation), intent(inout) :: self
    type(model), intent(in) :: of
    integer(c_int8_t), intent(in), contiguous, target :: sealed(:)
    type(simulation_options), intent(in) :: options
    logical, intent(in), optional :: other_grid
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    integer(c_int32_t) :: accept
    accept = 0
    if (present(other_grid)) accept = merge(PERP_OTHER_GRID, 0_c_int32_t, other_grid)
    call start_at(self, "simulation%restore_sealed", of, options, sealed, accept, status, info)
  end subroutine

  !> bytes: a checkpoint; a sealed one with accept.
  subroutine start_at(self, who, of, options, bytes, accept, status, info)
    class(simulation), intent(inout) :: self
    character(*), intent(in) :: who
    type(model), intent(in) :: of
    type(simulation_options), intent(in) :: options
    integer(c_int8_t), intent(in), contiguous, target, optional :: bytes(:)
    integer(c_int32_t), intent(in), optional :: accept
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(stepping), pointer :: it
    class(running), pointer :: content
    type(perp_info) :: c_info
    type(outcome) :: fault
    integer(c_int32_t) :: code
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    call begin(self, fault)
    if (fault%status /= PERP_OK) then
      call conclude(code, who, status, info, fault=fault)
      return
    end if
    allocate (it)
    call it%model%make(of, options%t0, fault)
    if (fault%status == PERP_OK) call it%options%fill(options, it%model, fault)
    if (fault%status == PERP_OK) then
      if (present(accept)) then
        code = restored(it, bytes, accept, c_info)
      else if (present(bytes)) then
        code = perp_simulation_restore(it%c, it%model%c, it%options%c, c_loc(bytes), &
                                       size(bytes, kind=c_size_t), c_info)
      else
        code = perp_simulation_create(it%c, it%model%c, it%options%c, c_info)
      end if
    end if
    content => it
    call own(self, content, code, who, c_info, fault, status, info)
  end subroutine

  !> Of a sealed checkpoint.
  function restored(it, sealed, accept, info) result(code)
    type(stepping), intent(inout) :: it
    integer(c_int8_t), intent(in), contiguous, target :: sealed(:)
    integer(c_int32_t), intent(in) :: accept
    type(perp_info), intent(inout) :: info
    integer(c_int32_t) :: code
    integer(c_int8_t), allocatable, target :: state(:)
    integer(c_size_t) :: bytes
    bytes = perp_simulation_state_size(it%model%c, it%options%c)
    allocate (state(max(bytes, 1_c_size_t)))
    code = perp_simulation_unseal(it%model%c, it%options%c, c_loc(sealed), &
                                  size(sealed, kind=c_size_t), accept, c_loc(state), bytes, info)
    if (code == PERP_OK) &
      code = perp_simulation_restore(it%c, it%model%c, it%options%c, c_loc(state), bytes, info)
  end function

  !> Take the grid's next step; PERP_END after the last one.
  subroutine step(self, status, info)
    class(simulation), intent(inout) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    call drive(self, "simulation%step", status=status, info=info)
  end subroutine

  !> Take a step of length h (s) that is not the grid's.
  subroutine advance(self, h, status, info)
    class(simulation), intent(inout) :: self
    real(dp), intent(in) :: h
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    call drive(self, "simulation%advance", h=h, status=status, info=info)
  end subroutine

  !> Take the grid's next step: true if there was one.
  logical function next(self, status, info)
    class(simulation), intent(inout) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(outcome) :: all
    call drive(self, "simulation%next", info=all)
    next = finish_call(all, status, info)
  end function

  !> Take steps until the time is not below `until` (s), or so many steps, or to the end of the grid.
  subroutine go_on(self, until, steps, status, info)
    class(simulation), intent(inout) :: self
    real(dp), intent(in), optional :: until
    integer, intent(in), optional :: steps
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp) :: limit
    integer :: number
    limit = infinity()
    if (present(until)) limit = until
    number = 0
    if (present(steps)) number = steps
    call drive(self, "simulation%run", steps=number, until=limit, status=status, info=info)
  end subroutine

  !> A step of length h, or steps until a time, or the grid's next step.
  subroutine drive(self, who, h, steps, until, status, info)
    class(simulation), intent(inout) :: self
    character(*), intent(in) :: who
    real(dp), intent(in), optional :: h, until
    integer, intent(in), optional :: steps
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    class(running), pointer :: it
    type(perp_info) :: c_info
    type(outcome) :: fault
    integer(c_int32_t) :: code
    character(:), allocatable :: said
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    said = ""
    it => entered(self, fault)
    if (associated(it)) then
      if (present(h)) then
        code = perp_simulation_advance(it%c, h, c_info)
      else if (present(steps)) then
        code = perp_simulation_run(it%c, steps, until, c_null_funptr, c_null_ptr, c_info)
      else
        code = perp_simulation_step(it%c, c_info)
      end if
      call left(it, said)
    end if
    call conclude(code, who, status, info, c_info, fault, said, end_is_fine=.true.)
  end subroutine

  !> Steps taken.
  integer function step_index(self, status, info)
    class(simulation), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    class(running), pointer :: it
    type(outcome) :: fault
    it => open_run(self, fault)
    step_index = 0
    if (associated(it)) step_index = perp_simulation_step_index(it%c)
    call conclude(fault%status, "simulation%step_index", status, info, fault=fault)
  end function

  !> lambda of an interaction as a mean force over the last step.
  function force(self, interaction, status, info) result(values)
    class(simulation), intent(in) :: self
    integer, intent(in) :: interaction
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    class(running), pointer :: it
    type(outcome) :: fault
    it => open_run(self, fault)
    allocate (values(0))
    if (associated(it)) then
      call it%model%copy(it%view("lambda", interaction - 1), "force", interaction, values, fault)
      if (fault%status == PERP_OK) then
        if (perp_simulation_force(it%c, interaction - 1, values) /= PERP_OK) &
          call blame(fault, "interaction", "has no force", interaction)
      end if
    end if
    call conclude(fault%status, "simulation%force", status, info, fault=fault)
  end function

  !> Work (J) of the reactions of an interaction over the last step (0: of all); tangential: what of
  !! it friction has done.
  subroutine work_done(self, interaction, work, tangential, status, info)
    class(simulation), intent(in) :: self
    integer, intent(in) :: interaction
    real(dp), intent(out) :: work
    real(dp), intent(out), optional :: tangential
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    class(running), pointer :: it
    type(outcome) :: fault
    real(dp) :: both(2)
    both = 0
    it => open_run(self, fault)
    if (associated(it)) then
      if (perp_simulation_work_done(it%c, interaction - 1, both(1:1), both(2:2)) /= PERP_OK) &
        call blame(fault, "interaction", "is none of the model", interaction)
    end if
    work = both(1)
    if (present(tangential)) tangential = both(2)
    call conclude(fault%status, "simulation%work_done", status, info, fault=fault)
  end subroutine

  !> What happened since the start.
  function report(self, status, info) result(all)
    class(simulation), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(run_report) :: all
    class(running), pointer :: it
    type(outcome) :: fault
    type(perp_report) :: c
    it => open_run(self, fault)
    if (associated(it)) then
      c = perp_report_init_value()
      fault%status = perp_simulation_report(it%c, c)
      all%steps = c%steps
      all%active = c%active
      all%impacts = c%impacts
      all%solver_iterations = c%solver_iterations
      all%newton = c%newton
      all%dropped = c%dropped
      all%left_out = c%left_out
      all%max_active = c%max_active
      all%failures = c%failures
      all%retries = c%retries
      all%accepted = c%accepted
      all%relaxed = c%relaxed
      all%penetration = c%penetration
      all%residual = c%residual
    end if
    call conclude(fault%status, "simulation%report", status, info, fault=fault)
  end function

  !> The bytes of the state: what restore() goes on from.
  function checkpoint(self, status, info) result(bytes)
    class(simulation), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    integer(c_int8_t), allocatable :: bytes(:)
    integer(c_int8_t), pointer :: view(:)
    integer(c_size_t) :: size(1)
    class(running), pointer :: it
    type(outcome) :: fault
    type(c_ptr) :: at
    it => entered(self, fault)
    allocate (bytes(0))
    if (associated(it)) then
      at = perp_simulation_state(it%c, size)
      call c_f_pointer(at, view, [size(1)])
      bytes = view
      call left(it)
    end if
    call conclude(fault%status, "simulation%checkpoint", status, info, fault=fault)
  end function

  !> A copy of the state with a checksum and a fingerprint of model and options, see docs/memory.md:
  !! what restore_sealed() goes on from.
  function sealed_checkpoint(self, status, info) result(sealed)
    class(simulation), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    integer(c_int8_t), allocatable, target :: sealed(:)
    integer(c_size_t) :: bytes
    integer(c_int32_t) :: code
    class(running), pointer :: it
    type(outcome) :: fault
    type(perp_info) :: c_info
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    it => entered(self, fault)
    allocate (sealed(0))
    if (associated(it)) then
      bytes = perp_simulation_checkpoint_size(it%c)
      deallocate (sealed)
      allocate (sealed(bytes))
      code = perp_simulation_checkpoint(it%c, c_loc(sealed), bytes, c_info)
      call left(it)
    end if
    call conclude(code, "simulation%sealed_checkpoint", status, info, c_info, fault)
  end function

  !> Switch a system on or off from the next step on; needs the option switchable.
  subroutine set_active(self, system, active, status, info)
    class(simulation), intent(inout) :: self
    integer, intent(in) :: system
    logical, intent(in) :: active
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    class(running), pointer :: it
    type(outcome) :: fault
    integer(c_int32_t) :: code
    it => entered(self, fault)
    if (associated(it)) then
      code = perp_simulation_set_active(it%c, system - 1, merge(1, 0, active))
      call left(it)
      if (code /= PERP_OK) call blame(fault, "system", "cannot be switched", system, code=int(code))
    end if
    call conclude(fault%status, "simulation%set_active", status, info, fault=fault)
  end subroutine

end module perp_time_stepping
