! SPDX-License-Identifier: MIT
!> Time-stepping of a model. Indices of systems and interactions count from 1; what is returned is
!! a copy, so that nothing hangs in the air when a simulation ends. Assignment lets two variables
!! own one simulation; it ends with the last of them, or by close().
module perp_time_stepping
  use perp_outcome
  use perp_model_values
  use perp_registry
  use perp_stepping_options
  use perp_c, c_system => perp_system, c_relation => perp_relation, c_model => perp_model, &
    c_law => perp_law
  use, intrinsic :: iso_fortran_env, only: int64
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf
  implicit none
  private
  public :: simulation, run_report

  type, extends(box) :: running
    type(instance) :: model
    type(held_options) :: options
    type(c_ptr) :: c = c_null_ptr
  contains
    procedure :: destroy
  end type

  !> A run. Made by start() or restore().
  type :: simulation
    private
    type(ticket) :: own
  contains
    procedure :: start
    procedure :: restore     !< as start, from the bytes of checkpoint()
    procedure :: restore_sealed !< as start, from the bytes of sealed_checkpoint()
    procedure :: close => close_simulation
    procedure :: is_open
    procedure :: step        !< the grid's next step
    procedure :: next        !< the same in `do while (sim%next())`: false at the end of the grid
    procedure :: advance     !< a step of another length
    procedure :: run         !< until a time, or so many steps
    procedure :: time
    procedure :: step_index
    procedure :: q
    procedure :: v
    procedure :: x
    procedure :: y
    procedure :: ydot
    procedure :: lambda
    procedure :: force       !< lambda as a mean force over the last step
    procedure :: energy
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
    class(running), intent(inout) :: self
    call perp_simulation_destroy(self%c)
    self%c = c_null_ptr
  end subroutine

  subroutine assign(self, from)
    class(simulation), intent(inout) :: self
    type(simulation), intent(in) :: from
    type(ticket) :: own
    own = from%own
    call share(own)
    call drop(self%own, all=.false.)
    self%own = own
  end subroutine

  impure elemental subroutine finalise(self)
    type(simulation), intent(inout) :: self
    call drop(self%own, all=.false.)
  end subroutine

  !> End it for all who own it; done twice it does nothing. Refused while it runs.
  subroutine close_simulation(self, status, info)
    class(simulation), intent(inout) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(outcome) :: fault
    if (busy(self%own)) then
      call blame(fault, "simulation", "is running")
    else
      call drop(self%own, all=.true.)
    end if
    call conclude(fault%status, "simulation%close", status, info, fault=fault)
  end subroutine

  logical function is_open(self)
    class(simulation), intent(in) :: self
    is_open = associated(find(self%own))
  end function

  !> What is run; null after an end, which fault then says.
  function running_of(self, fault) result(it)
    class(simulation), intent(in) :: self
    type(outcome), intent(inout) :: fault
    type(running), pointer :: it
    class(box), pointer :: content
    nullify (it)
    content => find(self%own)
    if (associated(content)) then
      select type (content)
      type is (running)
        it => content
      end select
    end if
    if (.not. associated(it)) call blame(fault, "simulation", "is not open")
  end function

  !> The same for a call that may run the user's procedures, from which there is no other such call:
  !! it is kept until leave(held).
  function entered(self, held, fault) result(it)
    class(simulation), intent(in) :: self
    type(ticket), intent(out) :: held
    type(outcome), intent(inout) :: fault
    type(running), pointer :: it
    it => running_of(self, fault)
    if (.not. associated(it)) return
    if (it%busy) then
      call blame(fault, "simulation", "is running")
      nullify (it)
    else
      call enter(self%own, held)
    end if
  end function

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
    call begin(self, "simulation%start", of, all, status=status, info=info)
  end subroutine

  !> Go on from a checkpoint of a run of the same model and options.
  subroutine restore(self, of, bytes, options, status, info)
    class(simulation), intent(inout) :: self
    type(model), intent(in) :: of
    integer(c_int8_t), intent(in), contiguous, target :: bytes(:)
    type(simulation_options), intent(in) :: options
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    call begin(self, "simulation%restore", of, options, bytes, status=status, info=info)
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
    call begin(self, "simulation%restore_sealed", of, options, sealed, accept, status, info)
  end subroutine

  !> bytes: a checkpoint; a sealed one with accept.
  subroutine begin(self, who, of, options, bytes, accept, status, info)
    class(simulation), intent(inout) :: self
    character(*), intent(in) :: who
    type(model), intent(in) :: of
    type(simulation_options), intent(in) :: options
    integer(c_int8_t), intent(in), contiguous, target, optional :: bytes(:)
    integer(c_int32_t), intent(in), optional :: accept
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    class(box), pointer :: content
    type(perp_info) :: c_info
    type(outcome) :: fault
    integer(c_int32_t) :: code
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    if (busy(self%own)) then
      call blame(fault, "simulation", "is running")
      call conclude(code, who, status, info, fault=fault)
      return
    end if
    call drop(self%own, all=.false.)
    allocate (it)
    call it%model%make(of, options%t0, fault)
    if (fault%status == PERP_OK) call it%options%fill(options, it%model, fault)
    if (fault%status == PERP_OK) then
      if (present(accept)) then
        code = restored(it, bytes, accept, c_info)
      else if (present(bytes)) then
        code = perp_simulation_restore(it%c, it%model%model, it%options%c, c_loc(bytes), &
                                       size(bytes, kind=c_size_t), c_info)
      else
        code = perp_simulation_create(it%c, it%model%model, it%options%c, c_info)
      end if
    end if
    if (code == PERP_OK .and. fault%status == PERP_OK) then
      content => it
      call drop(self%own, all=.false.) ! what a procedure of the user's has started meanwhile
      call put(content, self%own)
      call conclude(code, who, status, info, c_info)
    else
      call conclude(code, who, status, info, c_info, fault, it%model%journal%take())
      deallocate (it)
    end if
  end subroutine

  !> Of a sealed checkpoint.
  function restored(it, sealed, accept, info) result(code)
    type(running), intent(inout) :: it
    integer(c_int8_t), intent(in), contiguous, target :: sealed(:)
    integer(c_int32_t), intent(in) :: accept
    type(perp_info), intent(inout) :: info
    integer(c_int32_t) :: code
    integer(c_int8_t), allocatable, target :: state(:)
    integer(c_size_t) :: bytes
    bytes = perp_simulation_state_size(it%model%model, it%options%c)
    allocate (state(max(bytes, 1_c_size_t)))
    code = perp_simulation_unseal(it%model%model, it%options%c, c_loc(sealed), &
                                  size(sealed, kind=c_size_t), accept, c_loc(state), bytes, info)
    if (code == PERP_OK) &
      code = perp_simulation_restore(it%c, it%model%model, it%options%c, c_loc(state), bytes, info)
  end function

  !> Take the grid's next step; PERP_END after the last one.
  subroutine step(self, status, info)
    class(simulation), intent(inout) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    call take_step(self, "simulation%step", 0.0_dp, .false., status, info)
  end subroutine

  !> Take a step of length h (s) that is not the grid's.
  subroutine advance(self, h, status, info)
    class(simulation), intent(inout) :: self
    real(dp), intent(in) :: h
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    call take_step(self, "simulation%advance", h, .true., status, info)
  end subroutine

  !> Take the grid's next step: true if there was one.
  logical function next(self, status, info)
    class(simulation), intent(inout) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(outcome) :: all
    call take_step(self, "simulation%next", 0.0_dp, .false., info=all)
    next = all%status == PERP_OK
    if (present(status)) status = all%status
    if (present(info)) info = all
    if (.not. present(status) .and. .not. present(info) .and. .not. next) then
      if (all%status /= PERP_END) error stop all%text
    end if
  end function

  subroutine take_step(self, who, h, own_length, status, info)
    class(simulation), intent(inout) :: self
    character(*), intent(in) :: who
    real(dp), intent(in) :: h
    logical, intent(in) :: own_length
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(ticket) :: held
    type(perp_info) :: c_info
    type(outcome) :: fault
    integer(c_int32_t) :: code
    character(:), allocatable :: said
    it => entered(self, held, fault)
    if (.not. associated(it)) then
      call conclude(int(PERP_EINVAL, c_int32_t), who, status, info, fault=fault)
      return
    end if
    c_info = perp_info_init_value()
    if (own_length) then
      code = perp_simulation_advance(it%c, h, c_info)
    else
      code = perp_simulation_step(it%c, c_info)
    end if
    said = it%model%journal%take()
    call leave(held)
    call conclude(code, who, status, info, c_info, said=said, end_is_fine=.true.)
  end subroutine

  !> Take steps until the time is not below `until` (s), or so many steps, or to the end of the grid.
  subroutine run(self, until, steps, status, info)
    class(simulation), intent(inout) :: self
    real(dp), intent(in), optional :: until
    integer, intent(in), optional :: steps
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(ticket) :: held
    type(perp_info) :: c_info
    type(outcome) :: fault
    integer(c_int32_t) :: code, number
    real(dp) :: limit
    character(:), allocatable :: said
    it => entered(self, held, fault)
    if (.not. associated(it)) then
      call conclude(int(PERP_EINVAL, c_int32_t), "simulation%run", status, info, fault=fault)
      return
    end if
    c_info = perp_info_init_value()
    limit = ieee_value(limit, ieee_positive_inf)
    if (present(until)) limit = until
    number = 0
    if (present(steps)) number = steps
    code = perp_simulation_run(it%c, number, limit, c_null_funptr, c_null_ptr, c_info)
    said = it%model%journal%take()
    call leave(held)
    call conclude(code, "simulation%run", status, info, c_info, said=said, end_is_fine=.true.)
  end subroutine

  !> Current time (s).
  real(dp) function time(self, status, info)
    class(simulation), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(outcome) :: fault
    it => running_of(self, fault)
    time = 0
    if (associated(it)) time = perp_simulation_time(it%c)
    call conclude(fault%status, "simulation%time", status, info, fault=fault)
  end function

  !> Steps taken.
  integer function step_index(self, status, info)
    class(simulation), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(outcome) :: fault
    it => running_of(self, fault)
    step_index = 0
    if (associated(it)) step_index = perp_simulation_step_index(it%c)
    call conclude(fault%status, "simulation%step_index", status, info, fault=fault)
  end function

  !> Copy what C holds for a system or an interaction, which of them what says.
  subroutine copy(self, view, what, index, values, status, info)
    class(simulation), intent(in) :: self
    procedure(view_of_c) :: view
    character(*), intent(in) :: what
    integer, intent(in) :: index
    real(dp), allocatable, intent(out) :: values(:)
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(outcome) :: fault
    it => running_of(self, fault)
    allocate (values(0))
    if (associated(it)) call it%model%copy(view(it%c, index - 1), what, index, values, fault)
    call conclude(fault%status, "simulation%" // what, status, info, fault=fault)
  end subroutine

  !> Positions of a system of order 2.
  function q(self, system, status, info) result(values)
    class(simulation), intent(in) :: self
    integer, intent(in) :: system
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_simulation_q, "q", system, values, status, info)
  end function

  !> Velocities of a system of order 2.
  function v(self, system, status, info) result(values)
    class(simulation), intent(in) :: self
    integer, intent(in) :: system
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_simulation_v, "v", system, values, status, info)
  end function

  !> State of a system of order 1.
  function x(self, system, status, info) result(values)
    class(simulation), intent(in) :: self
    integer, intent(in) :: system
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_simulation_x, "x", system, values, status, info)
  end function

  !> y of an interaction: gaps, or outputs.
  function y(self, interaction, status, info) result(values)
    class(simulation), intent(in) :: self
    integer, intent(in) :: interaction
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_simulation_y, "y", interaction, values, status, info)
  end function

  !> dy/dt of an interaction of systems of order 2.
  function ydot(self, interaction, status, info) result(values)
    class(simulation), intent(in) :: self
    integer, intent(in) :: interaction
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_simulation_ydot, "ydot", interaction, values, status, info)
  end function

  !> lambda of an interaction: impulse over the last step (N s); force level at order 1.
  function lambda(self, interaction, status, info) result(values)
    class(simulation), intent(in) :: self
    integer, intent(in) :: interaction
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_simulation_lambda, "lambda", interaction, values, status, info)
  end function

  !> lambda of an interaction as a mean force over the last step.
  function force(self, interaction, status, info) result(values)
    class(simulation), intent(in) :: self
    integer, intent(in) :: interaction
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    type(running), pointer :: it
    type(outcome) :: fault
    it => running_of(self, fault)
    allocate (values(0))
    if (associated(it)) then
      if (interaction < 1 .or. interaction > size(it%model%m)) then
        call blame(fault, "interaction", "is none of the model", interaction)
      else
        deallocate (values)
        allocate (values(it%model%m(interaction)))
        if (perp_simulation_force(it%c, interaction - 1, values) /= PERP_OK) &
          call blame(fault, "interaction", "has no force", interaction)
      end if
    end if
    call conclude(fault%status, "simulation%force", status, info, fault=fault)
  end function

  !> Kinetic and potential energy (J) of the systems of order 2.
  subroutine energy(self, kinetic, potential, status, info)
    class(simulation), intent(in) :: self
    real(dp), intent(out), optional :: kinetic, potential
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(ticket) :: held
    type(outcome) :: fault
    integer(c_int32_t) :: code
    real(dp) :: both(2)
    character(:), allocatable :: said
    both = 0
    code = PERP_EINVAL
    said = ""
    it => entered(self, held, fault)
    if (associated(it)) then
      code = perp_simulation_energy(it%c, both(1:1), both(2:2))
      if (it%model%journal%failed) code = PERP_ECALLBACK ! C says NaN
      said = it%model%journal%take()
      call leave(held)
    end if
    if (present(kinetic)) kinetic = both(1)
    if (present(potential)) potential = both(2)
    call conclude(code, "simulation%energy", status, info, fault=fault, said=said)
  end subroutine

  !> Work (J) of the reactions of an interaction over the last step (0: of all); tangential: what of
  !! it friction has done.
  subroutine work_done(self, interaction, work, tangential, status, info)
    class(simulation), intent(in) :: self
    integer, intent(in) :: interaction
    real(dp), intent(out) :: work
    real(dp), intent(out), optional :: tangential
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(outcome) :: fault
    real(dp) :: both(2)
    both = 0
    it => running_of(self, fault)
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
    type(running), pointer :: it
    type(outcome) :: fault
    type(perp_report) :: c
    it => running_of(self, fault)
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
    type(running), pointer :: it
    type(ticket) :: held
    type(outcome) :: fault
    type(c_ptr) :: at
    it => entered(self, held, fault)
    allocate (bytes(0))
    if (associated(it)) then
      at = perp_simulation_state(it%c, size)
      call c_f_pointer(at, view, [size(1)])
      bytes = view
      call leave(held)
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
    type(running), pointer :: it
    type(ticket) :: held
    type(outcome) :: fault
    type(perp_info) :: c_info
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    it => entered(self, held, fault)
    allocate (sealed(0))
    if (associated(it)) then
      bytes = perp_simulation_checkpoint_size(it%c)
      deallocate (sealed)
      allocate (sealed(bytes))
      code = perp_simulation_checkpoint(it%c, c_loc(sealed), bytes, c_info)
      call leave(held)
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
    type(running), pointer :: it
    type(ticket) :: held
    type(outcome) :: fault
    integer(c_int32_t) :: code
    it => entered(self, held, fault)
    if (associated(it)) then
      code = perp_simulation_set_active(it%c, system - 1, merge(1, 0, active))
      call leave(held)
      if (code /= PERP_OK) call blame(fault, "system", "cannot be switched", system, code=int(code))
    end if
    call conclude(fault%status, "simulation%set_active", status, info, fault=fault)
  end subroutine

end module perp_time_stepping
