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

  !> A system, or an interaction.
  type :: part
    class(description), allocatable :: kind
    integer :: like = 0               !< 0: of its own; else whose description it shares
    integer :: order = 0, n = 0, n_q = 0
    real(dp), allocatable :: q(:), v(:), x(:)
    type(law_value) :: law
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
  end type

  !> A model as C sees it, for one simulation. It does not move.
  type :: instance
    type(c_ptr) :: builder = c_null_ptr
    type(c_model), pointer :: c => null()
    type(journal) :: journal
    type(held), allocatable :: systems(:), relations(:)
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
    type(part) :: new
    type(outcome) :: fault
    new%order = kind%order()
    new%n = kind%degrees()
    new%n_q = kind%positions()
    if (new%n < 1) call blame(fault, "system", "has no degrees of freedom")
    call initial(new, fault, q0, v0, x0)
    if (fault%status == PERP_OK) allocate (new%kind, source=kind)
    number = put(self%system, self%systems, new, fault)
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
    type(part) :: new
    type(outcome) :: fault
    if (like < 1 .or. like > self%systems) then
      call blame(fault, "like", "is no system of the model")
    else
      associate (first => self%system(like))
        new%like = first_of(first, like)
        new%order = first%order
        new%n = first%n
        new%n_q = first%n_q
      end associate
      call initial(new, fault, q0, v0, x0)
    end if
    number = put(self%system, self%systems, new, fault)
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
    type(part) :: new
    type(outcome) :: fault
    new%order = relation%order()
    call join(new, self, systems, fault)
    if (fault%status == PERP_OK) allocate (new%kind, source=relation)
    new%law = law
    number = put(self%interaction, self%interactions, new, fault)
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
    type(part) :: new
    type(outcome) :: fault
    if (like < 1 .or. like > self%interactions) then
      call blame(fault, "like", "is no interaction of the model")
    else
      associate (first => self%interaction(like))
        new%like = first_of(first, like)
        new%order = first%order
        call join(new, self, systems, fault)
        if (new%n /= first%n .or. new%n_q /= first%n_q) &
          call blame(fault, "systems", "have other degrees of freedom than those joined before")
      end associate
    end if
    number = put(self%interaction, self%interactions, new, fault)
    call conclude(fault%status, "model%connect_like", status, info, fault=fault)
  end function

  !> Whose description a part has that shares that of number like.
  pure integer function first_of(like, number)
    type(part), intent(in) :: like
    integer, intent(in) :: number
    first_of = merge(like%like, number, like%like > 0)
  end function

  !> Put a part behind the others unless there is a fault; its number, or 0.
  integer function put(parts, used, new, fault)
    type(part), allocatable, intent(inout) :: parts(:)
    integer, intent(inout) :: used
    type(part), intent(inout) :: new
    type(outcome), intent(in) :: fault
    type(part), allocatable :: larger(:)
    integer :: i
    put = 0
    if (fault%status /= PERP_OK) return
    if (.not. allocated(parts)) allocate (parts(8))
    if (used == size(parts)) then
      allocate (larger(2 * used))
      do i = 1, used
        call move(parts(i), larger(i))
      end do
      call move_alloc(larger, parts)
    end if
    used = used + 1
    call move(new, parts(used))
    put = used
  end function

  !> The large components are not copied.
  subroutine move(from, to)
    type(part), intent(inout) :: from, to
    class(description), allocatable :: kind
    call move_alloc(from%kind, kind)
    to = from
    call move_alloc(kind, to%kind)
  end subroutine

  subroutine initial(new, fault, q0, v0, x0)
    type(part), intent(inout) :: new
    type(outcome), intent(inout) :: fault
    real(dp), intent(in), optional :: q0(:), v0(:), x0(:)
    new%q = spread(0.0_dp, 1, merge(new%n_q, 0, new%order == 2))
    if (size(new%q) > new%n) new%q(4) = 1 ! the quaternion of no rotation
    new%v = spread(0.0_dp, 1, merge(new%n, 0, new%order == 2))
    new%x = spread(0.0_dp, 1, merge(new%n, 0, new%order == 1))
    if (new%order == 1 .and. (present(q0) .or. present(v0))) &
      call blame(fault, "q0", "is for systems of order 2: use x0")
    if (new%order == 2 .and. present(x0)) &
      call blame(fault, "x0", "is for systems of order 1: use q0 and v0")
    call set(new%q, "q0", fault, q0)
    call set(new%v, "v0", fault, v0)
    call set(new%x, "x0", fault, x0)
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
    allocate (self%systems(from%systems), self%relations(from%interactions))
    call blame_c(fault, perp_builder_create(self%builder, info), info)
    do i = 1, from%systems
      if (fault%status == PERP_OK) call make_system(self, from%system(i), i, t, fault)
    end do
    do i = 1, from%interactions
      if (fault%status == PERP_OK) call make_interaction(self, from, i, t, fault)
    end do
    if (fault%status == PERP_OK) call c_f_pointer(perp_builder_model(self%builder), self%c)
    do i = 1, size(self%systems)
      if (.not. self%systems(i)%at%called) call forget(self%systems(i))
    end do
    do i = 1, size(self%relations)
      if (.not. self%relations(i)%at%called) call forget(self%relations(i))
    end do
  end subroutine

  !> C has copied all that there is.
  subroutine forget(it)
    type(held), intent(inout) :: it
    if (allocated(it%kind)) deallocate (it%kind)
  end subroutine

  !> Build the description of a part, unless there is one, where it is used.
  subroutine describe(it, of, like, what, i, fault)
    type(held), intent(inout), target :: it
    type(part), intent(in) :: of
    type(held), intent(in) :: like(:)
    character(*), intent(in) :: what
    integer, intent(in) :: i
    type(outcome), intent(inout) :: fault
    it%at%order = of%order
    it%at%n = of%n
    it%at%n_q = of%n_q
    if (of%like > 0) then
      it%head = like(of%like)%head
      it%at%m = like(of%like)%at%m
    else
      allocate (it%kind, source=of%kind)
      call it%kind%build(it%at, c_loc(it), it%head, fault)
      call locate_fault(fault, what, i)
    end if
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
    self%systems(i)%journal => self%journal
    associate (at => self%systems(i)%at)
      at%t = t
      at%q = from%q
      at%v = from%v
      at%x = from%x
    end associate
    call describe(self%systems(i), from, self%systems, "system", i, fault)
    if (fault%status /= PERP_OK) return
    info = perp_info_init_value()
    call c_f_pointer(self%systems(i)%head, head)
    code = perp_builder_add(self%builder, head, info=info)
    if (code == PERP_OK .and. from%order == 1) &
      code = perp_builder_set_x(self%builder, i - 1, size(from%x), from%x, info)
    if (code == PERP_OK .and. from%order == 2) &
      code = perp_builder_set_q(self%builder, i - 1, size(from%q), from%q, info)
    if (code == PERP_OK .and. from%order == 2) &
      code = perp_builder_set_v(self%builder, i - 1, size(from%v), from%v, info)
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
    associate (one => from%interaction(i), it => self%relations(i))
      law = from%interaction(merge(one%like, i, one%like > 0))%law
      it%journal => self%journal
      it%at%t = t
      it%at%law_rows = law%rows
      it%at%systems = size(one%systems)
      it%at%q = [(from%system(one%systems(j))%q, j=1, size(one%systems))]
      it%at%v = [(from%system(one%systems(j))%v, j=1, size(one%systems))]
      it%at%x = [(from%system(one%systems(j))%x, j=1, size(one%systems))]
      call describe(it, one, self%relations, "interaction", i, fault)
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
      view => vector(at, self%systems(index)%at%n_q)
    else if (of_system) then
      view => vector(at, self%systems(index)%at%n)
    else
      view => vector(at, self%relations(index)%at%m)
    end if
    values = view
  end subroutine

  subroutine destroy(self)
    class(instance), intent(inout) :: self
    call perp_builder_destroy(self%builder)
    self%builder = c_null_ptr
  end subroutine

end module perp_model_values
