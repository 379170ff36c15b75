! SPDX-License-Identifier: MIT
!> How calls end: a status, and a sentence that says what was wrong.
module perp_outcome
  use perp_c
  implicit none
  private
  public :: dp, name_length, outcome, answer, journal, conclude, blame, blame_size, blame_cut, &
    blame_c, no_memory, number, text_of, how_it_ended, how_events_ended

  integer, parameter :: dp = c_double
  integer, parameter :: name_length = 128 !< of what holds a name, which is shorter

  !> What a call has to say. Indices count from 1; 0: none.
  type :: outcome
    integer :: status = PERP_OK
    character(:), allocatable :: text   !< the sentence; "" after success
    character(:), allocatable :: field  !< the offending argument; "" if none
    integer :: index = 0                !< which system, interaction or entry
    integer :: of = PERP_OF_ENTRY       !< which of these, PERP_OF_...
    real(dp) :: value = 0               !< the offending value
    integer :: iterations = 0
    real(dp) :: residual = 0            !< largest residual of a block, units of y
    real(dp) :: relative_residual = 0   !< what the tolerance is compared with
    real(dp) :: amplification = 0       !< how much larger the terms of y are than its data
    real(dp) :: bound = 0               !< with PERP_INFEASIBLE and PERP_UNBOUNDED: every solution
                                        !! would have a 1-norm >= bound; infinite: there is none
    character(:), allocatable :: solver !< who gave the answer
  end type

  !> What a callback answers: nothing (done), give_up("why"), or smaller_step().
  type :: answer
    integer(c_int32_t) :: code = 0
    logical :: given = .true.           !< no: the procedure was not overridden
    character(:), allocatable :: text
  contains
    procedure :: give_up
    procedure :: smaller_step
  end type

  !> Keeps what callbacks said until the call of C that they failed has come back: one a simulation,
  !! whose callbacks may be called by several threads.
  type :: journal
    character(:), allocatable :: text
    logical :: failed = .false.         !< one has, since the last take()
  contains
    procedure :: note
    procedure :: take
  end type

contains

  !> The call cannot go on: it ends with PERP_ECALLBACK and this text.
  subroutine give_up(self, text)
    class(answer), intent(inout) :: self
    character(*), intent(in) :: text
    self%code = -1
    self%text = text
  end subroutine

  !> Not here: try a smaller step.
  subroutine smaller_step(self)
    class(answer), intent(inout) :: self
    self%code = 1
  end subroutine

  !> Keep the text of an answer; what C is told.
  function note(self, said) result(code)
    class(journal), intent(inout) :: self
    class(answer), intent(in) :: said
    integer(c_int32_t) :: code
    code = said%code
    if (code == 0) return
    !$omp critical (perp_journal)
    self%failed = .true.
    if (code < 0 .and. allocated(said%text)) self%text = said%text
    !$omp end critical (perp_journal)
  end function

  !> What was kept, once; "" if nothing was.
  function take(self) result(text)
    class(journal), intent(inout) :: self
    character(:), allocatable :: text
    text = ""
    self%failed = .false.
    if (allocated(self%text)) call move_alloc(self%text, text)
  end function

  !> A static string of C.
  function text_of(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer :: i, length
    text = ""
    if (.not. c_associated(address)) return
    call c_f_pointer(address, bytes, [huge(0)])
    length = 0
    do while (bytes(length + 1) /= c_null_char)
      length = length + 1
    end do
    deallocate (text)
    allocate (character(length) :: text)
    do i = 1, length
      text(i:i) = bytes(i)
    end do
  end function

  !> Refuse an argument before C sees it; the first fault stays.
  subroutine blame(fault, field, what, index, code)
    type(outcome), intent(inout) :: fault
    character(*), intent(in) :: field, what
    integer, intent(in), optional :: index, code
    if (fault%status /= PERP_OK) return
    fault%status = PERP_EINVAL
    if (present(code)) fault%status = code
    fault%field = field
    fault%text = field // " " // what
    if (present(index)) then
      fault%index = index
      fault%text = field // "(" // number(index) // ") " // what
    end if
  end subroutine

  !> Refuse an array whose shape is not the one needed.
  subroutine blame_size(fault, field, given, needed)
    type(outcome), intent(inout) :: fault
    character(*), intent(in) :: field
    integer, intent(in) :: given(:), needed(:)
    if (size(given) == size(needed)) then
      if (all(given == needed)) return
    end if
    if (fault%status == PERP_OK) fault%value = real(product(given), dp)
    call blame(fault, field, "has the shape (" // list(given) // ") where (" // list(needed) // &
               ") is needed")
  end subroutine

  !> Refuse a name that fills its variable: what was behind is lost.
  subroutine blame_cut(fault, field, name)
    type(outcome), intent(inout) :: fault
    character(name_length), intent(in) :: name
    character(*), intent(in) :: field
    if (name(name_length:) /= "") &
      call blame(fault, field, "has a name of more than " // number(name_length - 1) // " characters")
  end subroutine

  !> What C has refused, if it has.
  subroutine blame_c(fault, code, info)
    type(outcome), intent(inout) :: fault
    integer(c_int32_t), intent(in) :: code
    type(perp_info), intent(in) :: info
    if (code == PERP_OK .or. fault%status /= PERP_OK) return
    fault%status = code
    call take_field(fault, info)
    fault%solver = text_of(info%solver)
    fault%text = named(fault)
  end subroutine

  !> There is no memory for a block of so many bytes.
  subroutine no_memory(fault, field, bytes)
    type(outcome), intent(inout) :: fault
    character(*), intent(in) :: field
    integer(c_size_t), intent(in) :: bytes
    character(24) :: count
    write (count, "(i0)") bytes
    call blame(fault, field, "= " // trim(count) // ": no memory", code=PERP_EWORKSPACE)
    fault%value = real(bytes, dp)
  end subroutine

  !> End a call: fill status and info; stop the program where neither is there to take what is not
  !! a success (with end_is_fine: nor the end of a grid, nor a stop by an observer).
  subroutine conclude(code, who, status, info, c_info, fault, said, end_is_fine, ending)
    integer(c_int32_t), intent(in) :: code
    character(*), intent(in) :: who
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(perp_info), intent(in), optional :: c_info
    type(outcome), intent(in), optional :: fault
    character(*), intent(in), optional :: said
    logical, intent(in), optional :: end_is_fine
    character(*), intent(in), optional :: ending !< how a run ended, in words
    type(outcome) :: all
    logical :: fine

    all%status = code
    all%text = ""
    all%field = ""
    all%solver = ""
    if (present(fault)) then
      if (fault%status /= PERP_OK) then
        all = fault
        all%solver = ""
        all%text = who // ": " // fault%text
      end if
    end if
    if (present(c_info) .and. all%text == "") then
      call take_field(all, c_info)
      all%solver = text_of(c_info%solver)
      all%iterations = c_info%iterations
      all%residual = c_info%residual
      all%relative_residual = c_info%relative_residual
      all%amplification = c_info%amplification
      all%bound = c_info%bound
    end if
    if (present(ending) .and. all%text == "") all%text = who // ": " // ending
    if (all%status /= PERP_OK .and. all%text == "") all%text = who // ": " // named(all)
    if (present(said)) then
      if (said /= "") all%text = all%text // ": " // said
    end if
    if (present(status)) status = all%status
    if (present(info)) info = all
    if (present(status) .or. present(info)) return
    fine = all%status == PERP_OK
    if (present(end_is_fine)) then
      if (end_is_fine) fine = fine .or. all%status == PERP_END .or. all%status == PERP_STOPPED
    end if
    if (.not. fine) error stop all%text
  end subroutine

  !> What C says of an argument.
  subroutine take_field(all, info)
    type(outcome), intent(inout) :: all
    type(perp_info), intent(in) :: info
    all%field = text_of(info%field)
    all%index = info%index + 1
    all%of = int(info%of)
    all%value = info%value
  end subroutine

  !> "q(3) = nan: must be finite", "mass of body 2 = -1: must be > 0".
  function named(all) result(text)
    type(outcome), intent(in) :: all
    character(:), allocatable :: text
    character(kind=c_char), target :: rest(512)
    character(:), allocatable, target :: field, solver
    type(perp_info) :: info
    integer(c_size_t) :: length
    field = all%field // c_null_char
    info = perp_info_init_value()
    info%field = c_loc(field)
    info%index = all%index - 1
    info%of = all%of
    info%value = all%value
    if (allocated(all%solver)) then
      solver = all%solver // c_null_char
      if (all%solver /= "") info%solver = c_loc(solver)
    end if
    length = perp_explain(int(all%status, c_int32_t), info, 1_c_int32_t, rest, &
                          size(rest, kind=c_size_t))
    text = in_parentheses(text_of(c_loc(rest)))
  end function

  !> q[3] is q(3).
  function in_parentheses(told) result(text)
    character(*), intent(in) :: told
    character(:), allocatable :: text
    integer :: i, j
    text = told
    i = index(text, "[")
    j = index(text, "]")
    if (i == 0 .or. j == 0) return
    text(i:i) = "("
    text(j:j) = ")"
  end function

  !> How a run of a simulation ended, in words: "finished: 100 steps, t = 1".
  function how_it_ended(sim, code, info) result(text)
    type(c_ptr), intent(in) :: sim
    integer(c_int32_t), intent(in) :: code
    type(perp_info), intent(in) :: info
    character(:), allocatable :: text
    character(kind=c_char), target :: rest(512)
    integer(c_size_t) :: length
    length = perp_simulation_ending(sim, code, info, 1_c_int32_t, rest, size(rest, kind=c_size_t))
    text = text_of(c_loc(rest))
  end function

  !> The same of an event-driven one: "finished: 12 events, t = 1".
  function how_events_ended(sim, code, info) result(text)
    type(c_ptr), intent(in) :: sim
    integer(c_int32_t), intent(in) :: code
    type(perp_info), intent(in) :: info
    character(:), allocatable :: text
    character(kind=c_char), target :: rest(512)
    integer(c_size_t) :: length
    length = perp_event_driven_ending(sim, code, info, 1_c_int32_t, rest, size(rest, kind=c_size_t))
    text = in_parentheses(text_of(c_loc(rest)))
  end function

  function number(i) result(text)
    integer, intent(in) :: i
    character(:), allocatable :: text
    character(16) :: buffer
    write (buffer, "(i0)") i
    text = trim(buffer)
  end function

  function list(values) result(text)
    integer, intent(in) :: values(:)
    character(:), allocatable :: text
    integer :: i
    text = ""
    do i = 1, size(values)
      if (i > 1) text = text // ", "
      text = text // number(values(i))
    end do
  end function

end module perp_outcome
