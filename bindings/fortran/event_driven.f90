! SPDX-License-Identifier: MIT
!> Event-driven runs of the same model; see docs/event-driven.md. Between events lambda is a force.
module perp_event_stepping
  use perp_outcome
  use perp_solve
  use perp_model_values
  use perp_registry
  use perp_stepping_options
  use perp_c, c_system => perp_system, c_relation => perp_relation, c_model => perp_model, &
    c_law => perp_law
  implicit none
  private
  public :: event_driven, event_options, event, event_change, event_report

  type :: event_options
    real(dp) :: t0 = 0
    real(dp) :: rtol = 1e-10_dp
    real(dp) :: atol = 1e-12_dp
    character(16) :: smooth = "runge-kutta" !< "adams", "bdf", "arkode", "ida"
    integer :: order = 0                    !< 0: the method's own
    integer :: max_steps = 100000           !< between two events
    real(dp) :: h_first = 0, h_max = 0      !< 0: the method's own choice, none
    real(dp) :: contact_tol = 1e-10_dp
    real(dp) :: min_gap = -1e-6_dp
    real(dp) :: velocity_tol = 1e-10_dp
    integer :: impact = PERP_IMPACT_LAW
    integer :: zeno = PERP_ZENO_JUMP
    real(dp) :: zeno_tol = 1e-13_dp
    integer :: storm_events = 1000
    real(dp) :: storm_time = 1e-6_dp
    integer :: samples = 4
    type(method) :: solver = method()       !< of the problems at events
    type(simulation_options) :: stepping    !< for PERP_ZENO_STEP
  end type

  !> A change at an event: what is one of PERP_EVENT_..., modes are PERP_CONTACT_...
  type :: event_change
    integer :: what = 0, interaction = 0, copy = 0, before = -1, after = -1
  end type

  !> What happened at one time: what holds bits PERP_EVENT_...; until is where impacts accumulate.
  type :: event
    real(dp) :: t = 0, until = 0, error = 0
    integer :: what = 0, number = 0
    type(event_change), allocatable :: changes(:)
  contains
    procedure :: has
  end type

  type :: event_report
    integer(c_int64_t) :: events = 0, impacts = 0, switches = 0, jumps = 0, handovers = 0, restarts = 0
    integer(c_int64_t) :: steps = 0, rejected = 0, evaluations = 0
    real(dp) :: drift = 0
  end type

  type, extends(box) :: running
    type(instance) :: model
    type(perp_event_options) :: options
    type(perp_solver_options) :: solver
    type(held_options) :: stepping
    type(c_ptr) :: c = c_null_ptr
  contains
    procedure :: destroy
  end type

  !> A run. Made by start().
  type :: event_driven
    private
    type(ticket) :: own
  contains
    procedure :: start
    procedure :: close => close_simulation
    procedure :: is_open
    procedure :: run        !< until a time
    procedure :: next       !< to the next event: `do while (sim%next(until=t))`
    procedure :: last_event
    procedure :: time
    procedure :: q
    procedure :: v
    procedure :: x
    procedure :: y
    procedure :: ydot
    procedure :: lambda
    procedure :: rate
    procedure :: mode
    procedure :: energy
    procedure :: report
    procedure, private :: assign
    generic :: assignment(=) => assign
    final :: finalise
  end type

contains

  logical function has(self, what)
    class(event), intent(in) :: self
    integer(c_int32_t), intent(in) :: what
    has = iand(self%what, what) /= 0
  end function

  subroutine destroy(self)
    class(running), intent(inout) :: self
    call perp_event_driven_destroy(self%c)
    self%c = c_null_ptr
  end subroutine

  subroutine assign(self, from)
    class(event_driven), intent(inout) :: self
    type(event_driven), intent(in) :: from
    type(ticket) :: own
    own = from%own
    call share(own)
    call drop(self%own, all=.false.)
    self%own = own
  end subroutine

  impure elemental subroutine finalise(self)
    type(event_driven), intent(inout) :: self
    call drop(self%own, all=.false.)
  end subroutine

  !> End it for all who own it; done twice it does nothing. Refused while it runs.
  subroutine close_simulation(self, status, info)
    class(event_driven), intent(inout) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(outcome) :: fault
    if (busy(self%own)) then
      call blame(fault, "event_driven", "is running")
    else
      call drop(self%own, all=.true.)
    end if
    call conclude(fault%status, "event_driven%close", status, info, fault=fault)
  end subroutine

  logical function is_open(self)
    class(event_driven), intent(in) :: self
    is_open = associated(find(self%own))
  end function

  function running_of(self, fault) result(it)
    class(event_driven), intent(in) :: self
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
    if (.not. associated(it)) call blame(fault, "event_driven", "is not open")
  end function

  !> The same for a call that may run the user's procedures, from which there is no other such call:
  !! it is kept until leave(held).
  function entered(self, held, fault) result(it)
    class(event_driven), intent(in) :: self
    type(ticket), intent(out) :: held
    type(outcome), intent(inout) :: fault
    type(running), pointer :: it
    it => running_of(self, fault)
    if (.not. associated(it)) return
    if (it%busy) then
      call blame(fault, "event_driven", "is running")
      nullify (it)
    else
      call enter(self%own, held)
    end if
  end function

  !> Start at the model's initial values.
  subroutine start(self, of, options, status, info)
    class(event_driven), intent(inout) :: self
    type(model), intent(in) :: of
    type(event_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(event_options) :: all
    type(running), pointer :: it
    class(box), pointer :: content
    type(perp_info) :: c_info
    type(outcome) :: fault
    integer(c_int32_t) :: code
    c_info = perp_info_init_value()
    code = PERP_EINVAL
    if (present(options)) all = options
    if (busy(self%own)) then
      call blame(fault, "event_driven", "is running")
      call conclude(code, "event_driven%start", status, info, fault=fault)
      return
    end if
    call drop(self%own, all=.false.)
    allocate (it)
    call it%model%make(of, all%t0, fault)
    if (fault%status == PERP_OK) call fill(it, all, fault)
    if (fault%status == PERP_OK) &
      code = perp_event_driven_create(it%c, it%model%model, it%options, c_info)
    if (code == PERP_OK) then
      content => it
      call drop(self%own, all=.false.) ! what a procedure of the user's has started meanwhile
      call put(content, self%own)
      call conclude(code, "event_driven%start", status, info, c_info)
    else
      call conclude(code, "event_driven%start", status, info, c_info, fault, it%model%journal%take())
      deallocate (it)
    end if
  end subroutine

  subroutine fill(it, from, fault)
    type(running), pointer, intent(in) :: it
    type(event_options), intent(in) :: from
    type(outcome), intent(inout) :: fault
    type(perp_solver), pointer :: solver
    associate (c => it%options)
      call perp_event_options_init(c, c_sizeof(c))
      c%t0 = from%t0
      c%rtol = from%rtol
      c%atol = from%atol
      c%order = from%order
      c%max_steps = from%max_steps
      c%h_first = from%h_first
      c%h_max = from%h_max
      c%contact_tol = from%contact_tol
      c%min_gap = from%min_gap
      c%velocity_tol = from%velocity_tol
      c%impact = from%impact
      c%zeno = from%zeno
      c%zeno_tol = from%zeno_tol
      c%storm_events = from%storm_events
      c%storm_time = from%storm_time
      c%samples = from%samples
      select case (from%smooth)
      case ("runge-kutta")
        c%smooth = perp_smooth_runge_kutta()
      case ("adams")
        c%smooth = perp_smooth_adams()
      case ("bdf")
        c%smooth = perp_smooth_bdf()
      case ("arkode")
        c%smooth = perp_smooth_arkode()
      case ("ida")
        c%smooth = perp_smooth_ida()
      case default
        call blame(fault, "smooth", "is not known: " // trim(from%smooth))
      end select
      call find_method(from%solver, solver, c%solver_options, it%solver, fault)
      if (associated(solver)) c%solver = c_loc(solver)
      if (from%zeno /= PERP_ZENO_STEP) return
      call it%stepping%fill(from%stepping, it%model, fault)
      c%stepping = c_loc(it%stepping%c)
    end associate
  end subroutine

  !> Go on until a time (s).
  subroutine run(self, until, status, info)
    class(event_driven), intent(inout) :: self
    real(dp), intent(in) :: until
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    call go(self, "event_driven%run", until, .false., status, info)
  end subroutine

  !> Go on to the next event: true if there was one before `until`.
  logical function next(self, until, status, info)
    class(event_driven), intent(inout) :: self
    real(dp), intent(in) :: until
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(outcome) :: all
    call go(self, "event_driven%next", until, .true., info=all)
    next = all%status == PERP_OK
    if (present(status)) status = all%status
    if (present(info)) info = all
    if (.not. present(status) .and. .not. present(info) .and. .not. next) then
      if (all%status /= PERP_END) error stop all%text
    end if
  end function

  subroutine go(self, who, until, to_event, status, info)
    class(event_driven), intent(inout) :: self
    character(*), intent(in) :: who
    real(dp), intent(in) :: until
    logical, intent(in) :: to_event
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
    if (to_event) then
      code = perp_event_driven_next(it%c, until, c_info)
    else
      code = perp_event_driven_run(it%c, until, info=c_info)
    end if
    said = it%model%journal%take()
    if (said == "" .and. code /= PERP_OK) said = text_of(perp_event_driven_message(it%c))
    call leave(held)
    call conclude(code, who, status, info, c_info, said=said)
  end subroutine

  !> The event that happened last; that of the start at first.
  function last_event(self, status, info) result(new)
    class(event_driven), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(event) :: new
    type(running), pointer :: it
    type(outcome) :: fault
    type(perp_event), pointer :: c
    type(perp_event_change), pointer :: changes(:)
    type(c_ptr) :: at
    integer :: i
    it => running_of(self, fault)
    if (associated(it)) then
      at = perp_event_driven_event(it%c)
      call c_f_pointer(at, c)
      new%t = c%t
      new%until = c%until
      new%error = c%error
      new%what = c%kinds
      new%number = c%number
      allocate (new%changes(c%n_changes))
      if (c%n_changes > 0) then
        call c_f_pointer(c%changes, changes, [c%n_changes])
        do i = 1, size(changes)
          new%changes(i) = event_change(changes(i)%kind, changes(i)%index + 1, changes(i)%copy + 1, &
                                        changes(i)%before, changes(i)%after)
        end do
      end if
    else
      allocate (new%changes(0))
    end if
    call conclude(fault%status, "event_driven%last_event", status, info, fault=fault)
  end function

  !> Current time (s).
  real(dp) function time(self, status, info)
    class(event_driven), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(outcome) :: fault
    it => running_of(self, fault)
    time = 0
    if (associated(it)) time = perp_event_driven_time(it%c)
    call conclude(fault%status, "event_driven%time", status, info, fault=fault)
  end function

  !> PERP_CONTACT_... of a copy of the law of an interaction, -1: there is none.
  integer function mode(self, interaction, copy, status, info)
    class(event_driven), intent(in) :: self
    integer, intent(in) :: interaction
    integer, intent(in), optional :: copy
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(outcome) :: fault
    integer :: which
    which = 1
    if (present(copy)) which = copy
    it => running_of(self, fault)
    mode = -1
    if (associated(it)) mode = perp_event_driven_mode(it%c, interaction - 1, which - 1)
    call conclude(fault%status, "event_driven%mode", status, info, fault=fault)
  end function

  !> Kinetic and potential energy (J) of the systems of order 2.
  subroutine energy(self, kinetic, potential, status, info)
    class(event_driven), intent(in) :: self
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
      code = perp_event_driven_energy(it%c, both(1:1), both(2:2))
      if (it%model%journal%failed) code = PERP_ECALLBACK ! C says NaN
      said = it%model%journal%take()
      call leave(held)
    end if
    if (present(kinetic)) kinetic = both(1)
    if (present(potential)) potential = both(2)
    call conclude(code, "event_driven%energy", status, info, fault=fault, said=said)
  end subroutine

  !> Costs and counts.
  function report(self, status, info) result(all)
    class(event_driven), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(event_report) :: all
    type(running), pointer :: it
    type(outcome) :: fault
    type(perp_event_report) :: c
    it => running_of(self, fault)
    if (associated(it)) then
      c = perp_event_report_init_value()
      fault%status = perp_event_driven_report(it%c, c)
      all = event_report(c%events, c%impacts, c%switches, c%jumps, c%handovers, c%restarts, c%steps, &
                         c%rejected, c%evaluations, c%drift)
    end if
    call conclude(fault%status, "event_driven%report", status, info, fault=fault)
  end function

  !> Copy what C holds for a system or an interaction, which of them what says.
  subroutine copy(self, view, what, index, values, status, info)
    class(event_driven), intent(in) :: self
    procedure(view_of_c) :: view
    character(*), intent(in) :: what
    integer, intent(in) :: index
    real(dp), allocatable, intent(out) :: values(:)
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(running), pointer :: it
    type(ticket) :: held
    type(outcome) :: fault
    integer(c_int32_t) :: code
    character(:), allocatable :: said
    type(c_ptr) :: at
    allocate (values(0))
    code = PERP_EINVAL
    said = ""
    if (any(what == ["q", "v", "x"])) then
      it => running_of(self, fault)
      if (associated(it)) call it%model%copy(view(it%c, index - 1), what, index, values, fault)
      call conclude(fault%status, "event_driven%" // what, status, info, fault=fault)
      return
    end if
    it => entered(self, held, fault) ! what is not a state is computed when it is asked for
    if (associated(it)) then
      at = view(it%c, index - 1)
      if (it%model%journal%failed) then
        code = PERP_ECALLBACK
      else
        call it%model%copy(at, what, index, values, fault)
        code = fault%status
      end if
      said = it%model%journal%take()
      call leave(held)
    end if
    call conclude(code, "event_driven%" // what, status, info, fault=fault, said=said)
  end subroutine

  !> Positions of a system of order 2.
  function q(self, system, status, info) result(values)
    class(event_driven), intent(in) :: self
    integer, intent(in) :: system
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_event_driven_q, "q", system, values, status, info)
  end function

  !> Velocities of a system of order 2.
  function v(self, system, status, info) result(values)
    class(event_driven), intent(in) :: self
    integer, intent(in) :: system
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_event_driven_v, "v", system, values, status, info)
  end function

  !> State of a system of order 1.
  function x(self, system, status, info) result(values)
    class(event_driven), intent(in) :: self
    integer, intent(in) :: system
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_event_driven_x, "x", system, values, status, info)
  end function

  !> y of an interaction: gaps, or outputs.
  function y(self, interaction, status, info) result(values)
    class(event_driven), intent(in) :: self
    integer, intent(in) :: interaction
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_event_driven_y, "y", interaction, values, status, info)
  end function

  !> dy/dt of an interaction of systems of order 2.
  function ydot(self, interaction, status, info) result(values)
    class(event_driven), intent(in) :: self
    integer, intent(in) :: interaction
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_event_driven_ydot, "ydot", interaction, values, status, info)
  end function

  !> lambda of an interaction as a force (N) at this time.
  function lambda(self, interaction, status, info) result(values)
    class(event_driven), intent(in) :: self
    integer, intent(in) :: interaction
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_event_driven_lambda, "lambda", interaction, values, status, info)
  end function

  !> Accelerations of a system of order 2, or dx/dt.
  function rate(self, system, status, info) result(values)
    class(event_driven), intent(in) :: self
    integer, intent(in) :: system
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    real(dp), allocatable :: values(:)
    call copy(self, perp_event_driven_rate, "rate", system, values, status, info)
  end function

end module perp_event_stepping
