! SPDX-License-Identifier: MIT
!> A model, put together piece by piece, as a value: it may be copied, changed and thrown away while
!! simulations of it run. Each of those has a builder of C (perp/builder.h), which copies, checks and
!! shares what is equal. Systems and interactions count from 1.
module perp_model_values
  use perp_outcome
  use perp_kind, relation_kind => relation
  use perp_law_values, law_value => law
  use perp_c, c_system => perp_system, c_relation => perp_relation, c_model => perp_model, &
    c_law => perp_law
  implicit none
  private
  public :: model, instance

  integer, parameter :: most_degrees = 10**8 !< of a system

  !> A system, or an interaction.
  type :: part
    class(description), allocatable :: kind
    integer :: like = 0               !< 0: of its own; else whose description it shares
    integer :: order = 0, n = 0, n_q = 0
    real(dp), allocatable :: start(:) !< initial q and v, or x
    type(law_value), allocatable :: law
    integer, allocatable :: systems(:)
  end type

  !> What is simulated.
  type :: model
    private
    integer, public :: systems = 0, interactions = 0 !< how many there are
    type(part), allocatable :: system(:), interaction(:)
  contains
    procedure :: add
    procedure :: add_like
    procedure :: connect
    procedure :: connect_like
    procedure :: descriptions
  end type

  !> A model as C sees it, for one simulation. It does not move.
  type :: instance
    type(c_ptr) :: builder = c_null_ptr
    type(c_model), pointer :: c => null()
    type(journal) :: journal
    type(held), allocatable :: systems(:), relations(:)   !< descriptions,
    integer, allocatable :: of_system(:), of_interaction(:) !< and which one each has
  contains
    procedure :: make
    procedure :: copy
    procedure :: destroy
  end type

contains

  !> Add a system at position q0 and velocity v0, or in state x0 (left out: zeros; a body is then not
  !! rotated). Its number; 0 if it was refused.
  function add(self, kind, q0, v0, x0, status, info) result(number)
    class(model), intent(inout) :: self
    class(system), intent(in) :: kind
    real(dp), intent(in), optional :: q0(:), v0(:), x0(:)
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    integer :: number
    type(outcome) :: fault
    call room(self%system, self%systems)
    associate (new => self%system(self%systems + 1))
      new = part(order=kind%order(), n=kind%degrees(), n_q=kind%positions())
      if (new%n < 1) call blame(fault, "system", "has no degrees of freedom")
      if (max(new%n, new%n_q) > most_degrees) call blame(fault, "system", "has too many degrees of freedom")
      call initial(new, fault, q0, v0, x0)
      if (fault%status == PERP_OK) allocate (new%kind, source=kind)
    end associate
    number = kept(self%systems, fault)
    call conclude(fault%status, "model%add", status, info, fault=fault)
  end function

  !> Add one more system with the description of number like, which both then share: a thousand
  !! equal beads cost one.
  function add_like(self, like, q0, v0, x0, status, info) result(number)
    class(model), intent(inout) :: self
    integer, intent(in) :: like
    real(dp), intent(in), optional :: q0(:), v0(:), x0(:)
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    integer :: number
    type(outcome) :: fault
    if (like < 1 .or. like > self%systems) then
      call blame(fault, "like", "is no system of the model")
    else
      call room(self%system, self%systems)
      associate (new => self%system(self%systems + 1), first => self%system(like))
        new = part(like=first_of(first, like), order=first%order, n=first%n, n_q=first%n_q)
        call initial(new, fault, q0, v0, x0)
      end associate
    end if
    number = kept(self%systems, fault)
    call conclude(fault%status, "model%add_like", status, info, fault=fault)
  end function

  !> Join systems by a relation and copies of a law, as many as fill its rows. Its number; 0 if it
  !! was refused.
  function connect(self, relation, law, systems, status, info) result(number)
    class(model), intent(inout) :: self
    class(relation_kind), intent(in) :: relation
    type(law_value), intent(in) :: law
    integer, intent(in) :: systems(:)
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    integer :: number
    type(outcome) :: fault
    call room(self%interaction, self%interactions)
    associate (new => self%interaction(self%interactions + 1))
      new = part(order=relation%order())
      call join(new, self, systems, fault)
      if (fault%status == PERP_OK) allocate (new%kind, source=relation)
      new%law = law
    end associate
    number = kept(self%interactions, fault)
    call conclude(fault%status, "model%connect", status, info, fault=fault)
  end function

  !> Join other systems with the relation and the law of interaction number like.
  function connect_like(self, like, systems, status, info) result(number)
    class(model), intent(inout) :: self
    integer, intent(in) :: like
    integer, intent(in) :: systems(:)
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    integer :: number
    type(outcome) :: fault
    if (like < 1 .or. like > self%interactions) then
      call blame(fault, "like", "is no interaction of the model")
    else
      call room(self%interaction, self%interactions)
      associate (new => self%interaction(self%interactions + 1), first => self%interaction(like))
        new = part(like=first_of(first, like), order=first%order)
        call join(new, self, systems, fault)
        if (new%n /= first%n .or. new%n_q /= first%n_q) &
          call blame(fault, "systems", "have other degrees of freedom than those joined before")
      end associate
    end if
    number = kept(self%interactions, fault)
    call conclude(fault%status, "model%connect_like", status, info, fault=fault)
  end function

  !> How many different systems, relations and laws C keeps of it.
  integer function descriptions(self, status, info)
    class(model), intent(in) :: self
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    type(instance), target :: as_c
    type(outcome) :: fault
    call as_c%make(self, 0.0_dp, fault)
    descriptions = int(perp_builder_descriptions(as_c%builder))
    call as_c%destroy()
    call conclude(fault%status, "model%descriptions", status, info, fault=fault)
  end function

  !> Whose description a part has that shares that of number like.
  pure integer function first_of(like, number)
    type(part), intent(in) :: like
    integer, intent(in) :: number
    first_of = merge(like%like, number, like%like > 0)
  end function

  !> Room for one more.
  subroutine room(parts, used)
    type(part), allocatable, intent(inout) :: parts(:)
    integer, intent(in) :: used
    type(part), allocatable :: larger(:)
    class(description), allocatable :: kind
    integer :: i
    if (.not. allocated(parts)) allocate (parts(8))
    if (used < size(parts)) return
    allocate (larger(2 * used))
    do i = 1, used
      call move_alloc(parts(i)%kind, kind) ! may be large
      larger(i) = parts(i)
      call move_alloc(kind, larger(i)%kind)
    end do
    call move_alloc(larger, parts)
  end subroutine

  !> The number of the part behind those that are used, which it joins unless there is a fault.
  integer function kept(used, fault)
    integer, intent(inout) :: used
    type(outcome), intent(in) :: fault
    kept = 0
    if (fault%status /= PERP_OK) return
    used = used + 1
    kept = used
  end function

  subroutine initial(new, fault, q0, v0, x0)
    type(part), intent(inout) :: new
    type(outcome), intent(inout) :: fault
    real(dp), intent(in), optional :: q0(:), v0(:), x0(:)
    if (fault%status /= PERP_OK) return
    if (new%order == 1 .and. (present(q0) .or. present(v0))) &
      call blame(fault, "q0", "is for systems of order 2: use x0")
    if (new%order == 2 .and. present(x0)) &
      call blame(fault, "x0", "is for systems of order 1: use q0 and v0")
    call zeros(new%start, "start_bytes", fault, new%n + merge(new%n_q, 0, new%order == 2))
    if (fault%status /= PERP_OK) return
    if (new%order == 1) then
      call set(new%start, "x0", fault, x0)
    else
      if (new%n_q > new%n) new%start(4) = 1 ! the quaternion of no rotation
      call set(new%start(:new%n_q), "q0", fault, q0)
      call set(new%start(new%n_q+1:), "v0", fault, v0)
    end if
  end subroutine

  subroutine set(to, field, fault, from)
    real(dp), intent(inout) :: to(:)
    character(*), intent(in) :: field
    type(outcome), intent(inout) :: fault
    real(dp), intent(in), optional :: from(:)
    if (.not. present(from)) return
    call blame_size(fault, field, shape(from), shape(to))
    if (size(from) == size(to)) to = from
  end subroutine

  !> The systems of an interaction, and what they have together.
  subroutine join(new, of, systems, fault)
    type(part), intent(inout) :: new
    class(model), intent(in) :: of
    integer, intent(in) :: systems(:)
    type(outcome), intent(inout) :: fault
    integer :: i
    new%systems = systems
    if (size(systems) < 1) call blame(fault, "systems", "is empty")
    do i = 1, size(systems)
      if (systems(i) < 1 .or. systems(i) > of%systems) then
        call blame(fault, "systems", "is no system of the model", i)
      else if (of%system(systems(i))%order /= new%order) then
        call blame(fault, "systems", "is of the other order than the relation", i)
      else
        new%n = new%n + of%system(systems(i))%n
        new%n_q = new%n_q + of%system(systems(i))%n_q
      end if
    end do
  end subroutine

  !> Make the descriptions of C from a model, for a run that starts at time t.
  subroutine make(self, from, t, fault)
    class(instance), intent(inout), target :: self
    class(model), intent(in) :: from
    real(dp), intent(in) :: t
    type(outcome), intent(inout) :: fault
    type(perp_info) :: info
    integer :: i
    info = perp_info_init_value()
    call assign(from%system, from%systems, self%systems, self%of_system)
    call assign(from%interaction, from%interactions, self%relations, self%of_interaction)
    call blame_c(fault, perp_builder_create(self%builder, info), info)
    do i = 1, from%systems
      if (fault%status == PERP_OK) call make_system(self, from%system(i), i, t, fault)
    end do
    do i = 1, from%interactions
      if (fault%status == PERP_OK) call make_interaction(self, from, i, t, fault)
    end do
    if (fault%status == PERP_OK) call c_f_pointer(perp_builder_model(self%builder), self%c)
    do i = 1, size(self%systems)
      call forget(self%systems(i))
    end do
    do i = 1, size(self%relations)
      call forget(self%relations(i))
    end do
  end subroutine

  !> A place for each description, and which one each part has.
  subroutine assign(parts, used, descriptions, which)
    type(part), allocatable, intent(in) :: parts(:)
    integer, intent(in) :: used
    type(held), allocatable, intent(out) :: descriptions(:)
    integer, allocatable, intent(out) :: which(:)
    integer :: i, count
    allocate (which(used))
    count = 0
    do i = 1, used
      if (parts(i)%like > 0) then
        which(i) = which(parts(i)%like)
      else
        count = count + 1
        which(i) = count
      end if
    end do
    allocate (descriptions(count))
  end subroutine

  !> What C has copied, or does not need.
  subroutine forget(it)
    type(held), intent(inout) :: it
    if (allocated(it%kind) .and. .not. it%at%called) deallocate (it%kind)
    if (allocated(it%at%q)) deallocate (it%at%q, it%at%v, it%at%x)
  end subroutine

  !> One more system in a place.
  subroutine extend(at, by, fault)
    type(place), intent(inout) :: at
    type(part), intent(in) :: by
    type(outcome), intent(inout) :: fault
    if (.not. allocated(at%q)) allocate (at%q(0), at%v(0), at%x(0))
    if (by%order == 1) then
      call append(at%x, by%start, fault)
    else
      call append(at%q, by%start(:by%n_q), fault)
      call append(at%v, by%start(by%n_q+1:), fault)
    end if
  end subroutine

  subroutine append(to, more, fault)
    real(dp), allocatable, intent(inout) :: to(:)
    real(dp), intent(in) :: more(:)
    type(outcome), intent(inout) :: fault
    real(dp), allocatable :: longer(:)
    call zeros(longer, "start_bytes", fault, size(to) + size(more))
    if (fault%status /= PERP_OK) return
    longer(:size(to)) = to
    longer(size(to)+1:) = more
    call move_alloc(longer, to)
  end subroutine

  !> Build the description of a part where it is used.
  subroutine describe(it, of, journal_, t, what, i, fault)
    type(held), intent(inout), target :: it
    type(part), intent(in) :: of
    type(journal), intent(in), target :: journal_
    real(dp), intent(in) :: t
    character(*), intent(in) :: what
    integer, intent(in) :: i
    type(outcome), intent(inout) :: fault
    it%journal => journal_
    it%at%t = t
    it%at%order = of%order
    it%at%n = of%n
    it%at%n_q = of%n_q
    allocate (it%kind, source=of%kind)
    if (fault%status == PERP_OK) call it%kind%build(it%at, c_loc(it), it%head, fault)
    call locate_fault(fault, what, i)
  end subroutine

  subroutine make_system(self, from, i, t, fault)
    class(instance), intent(inout), target :: self
    type(part), intent(in) :: from
    integer, intent(in) :: i
    real(dp), intent(in) :: t
    type(outcome), intent(inout) :: fault
    type(c_system), pointer :: head
    type(perp_info) :: info
    integer(c_int32_t) :: code
    associate (it => self%systems(self%of_system(i)))
      if (from%like == 0) then
        call extend(it%at, from, fault)
        call describe(it, from, self%journal, t, "system", i, fault)
        if (fault%status /= PERP_OK) return
      end if
      call c_f_pointer(it%head, head)
    end associate
    info = perp_info_init_value()
    code = perp_builder_add(self%builder, head, info=info)
    if (code == PERP_OK .and. from%order == 1) &
      code = perp_builder_set_x(self%builder, i - 1, from%n, from%start, info)
    if (code == PERP_OK .and. from%order == 2) &
      code = perp_builder_set_q(self%builder, i - 1, from%n_q, from%start, info)
    if (code == PERP_OK .and. from%order == 2) &
      code = perp_builder_set_v(self%builder, i - 1, from%n, from%start(from%n_q+1:), info)
    call blame_c(fault, code, info)
    call locate_fault(fault, "system", i)
  end subroutine

  subroutine make_interaction(self, from, i, t, fault)
    class(instance), intent(inout), target :: self
    class(model), intent(in) :: from
    integer, intent(in) :: i
    real(dp), intent(in) :: t
    type(outcome), intent(inout) :: fault
    type(perp_interaction) :: c
    type(perp_info) :: info
    type(c_relation), pointer :: head
    type(law_value), target :: law
    integer(c_int32_t), allocatable, target :: systems(:)
    integer :: j
    associate (one => from%interaction(i), it => self%relations(self%of_interaction(i)))
      law = from%interaction(merge(one%like, i, one%like > 0))%law
      if (one%like == 0) then
        it%at%law_rows = law%rows
        it%at%systems = size(one%systems)
        do j = 1, size(one%systems)
          call extend(it%at, from%system(one%systems(j)), fault)
        end do
        call describe(it, one, self%journal, t, "interaction", i, fault)
      end if
      c%law = c_loc(law_for_c(law, fault))
      if (fault%status == PERP_OK) then
        info = perp_info_init_value()
        systems = int(one%systems - 1, c_int32_t)
        call c_f_pointer(it%head, head)
        it%at%m = head%m
        c%relation = it%head
        c%systems = c_loc(systems)
        c%n_systems = size(systems)
        call blame_c(fault, perp_builder_connect(self%builder, c, info=info), info)
      end if
    end associate
    call locate_fault(fault, "interaction", i)
  end subroutine

  !> Say in front where it was, once.
  subroutine locate_fault(fault, what, i)
    type(outcome), intent(inout) :: fault
    character(*), intent(in) :: what
    integer, intent(in) :: i
    character(:), allocatable :: where
    if (fault%status == PERP_OK) return
    where = what // " " // number(i) // ": "
    if (index(fault%text, where) /= 1) fault%text = where // fault%text
    if (fault%index == 0) fault%index = i
  end subroutine

  !> Copy what C shows of a system (q, v, x, rate) or an interaction.
  subroutine copy(self, at, what, index, values, fault)
    class(instance), intent(in) :: self
    type(c_ptr), intent(in) :: at
    character(*), intent(in) :: what
    integer, intent(in) :: index
    real(dp), allocatable, intent(inout) :: values(:)
    type(outcome), intent(inout) :: fault
    real(dp), pointer :: view(:)
    logical :: of_system
    of_system = any(what == ["q   ", "v   ", "x   ", "rate"])
    if (.not. c_associated(at)) then
      call blame(fault, trim(merge("system     ", "interaction", of_system)), &
                 "is none of the model, or has no " // what, index)
      return
    else if (what == "q") then
      view => vector(at, self%systems(self%of_system(index))%at%n_q)
    else if (of_system) then
      view => vector(at, self%systems(self%of_system(index))%at%n)
    else
      view => vector(at, self%relations(self%of_interaction(index))%at%m)
    end if
    values = view
  end subroutine

  subroutine destroy(self)
    class(instance), intent(inout) :: self
    call perp_builder_destroy(self%builder)
    self%builder = c_null_ptr
  end subroutine

end module perp_model_values
