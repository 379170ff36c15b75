! SPDX-License-Identifier: MIT
!> A model, built piece by piece, as a value: it may be copied, changed and thrown away while
!! simulations of it run, for each has a copy of its own. Systems and interactions count from 1.
module perp_model_values
  use perp_outcome
  use perp_kind, relation_kind => relation
  use perp_law_values, law_value => law
  use perp_c, c_system => perp_system, c_relation => perp_relation, c_model => perp_model, &
    c_law => perp_law
  implicit none
  private
  public :: model, instance, view_of_c

  type :: system_part
    class(system), allocatable :: kind
    integer :: like = 0 !< 0: of its own; else whose description it shares
    real(dp), allocatable :: q(:), v(:), x(:)
  end type
  type :: interaction_part
    class(relation_kind), allocatable :: relation
    type(law_value) :: law
    integer :: like = 0
    integer, allocatable :: systems(:)
  end type

  !> What is simulated.
  type :: model
    private
    integer, public :: systems = 0, interactions = 0 !< how many there are
    type(system_part), allocatable :: system(:)
    type(interaction_part), allocatable :: interaction(:)
  contains
    procedure :: add
    procedure :: add_like
    procedure :: connect
    procedure :: connect_like
  end type

  !> A model as C sees it, for one simulation. It does not move.
  type :: instance
    type(c_model) :: model
    type(journal) :: journal
    integer, allocatable :: n_q(:), n(:), order(:), m(:)
    type(held_system), allocatable :: systems(:)
    type(held_relation), allocatable :: relations(:)
    type(held_law), allocatable :: laws(:)
    type(perp_interaction), allocatable :: interactions(:)
    type(c_ptr), allocatable :: system_heads(:), interaction_heads(:)
    integer(c_int32_t), allocatable :: joined(:)
    real(dp), allocatable :: q(:), v(:), x(:)
  contains
    procedure :: make
    procedure :: copy
  end type

  abstract interface
    !> A function of C that shows values of a system or an interaction; NULL where there are none.
    function view_of_c(sim, index) bind(C) result(at)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: index
      type(c_ptr) :: at
    end function
  end interface

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
    type(system_part) :: part
    number = 0
    if (kind%degrees() < 1) call blame(fault, "system", "has no degrees of freedom")
    call initial(part, kind, fault, q0, v0, x0)
    if (fault%status == PERP_OK) then
      call room_for_system(self)
      self%systems = self%systems + 1
      number = self%systems
      allocate (self%system(number)%kind, source=kind)
      call take(self%system(number), part)
    end if
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
    integer :: number, first
    type(outcome) :: fault
    type(system_part) :: part
    number = 0
    first = 0
    if (like < 1 .or. like > self%systems) then
      call blame(fault, "like", "is no system of the model", code=int(PERP_EINVAL))
    else
      first = like
      if (self%system(like)%like > 0) first = self%system(like)%like
      call initial(part, self%system(first)%kind, fault, q0, v0, x0)
    end if
    if (fault%status == PERP_OK) then
      call room_for_system(self)
      self%systems = self%systems + 1
      number = self%systems
      self%system(number)%like = first
      call take(self%system(number), part)
    end if
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
    integer :: number, i
    type(outcome) :: fault
    number = 0
    call check_joined(self, relation%order(), systems, fault)
    if (fault%status == PERP_OK) then
      call room_for_interaction(self)
      i = self%interactions + 1
      if (allocated(self%interaction(i)%relation)) deallocate (self%interaction(i)%relation)
      allocate (self%interaction(i)%relation, source=relation)
      self%interaction(i)%law = law
      self%interaction(i)%systems = systems
      self%interactions = i
      number = i
    end if
    call conclude(fault%status, "model%connect", status, info, fault=fault)
  end function

  !> Join other systems with the relation and the law of interaction number like.
  function connect_like(self, like, systems, status, info) result(number)
    class(model), intent(inout) :: self
    integer, intent(in) :: like
    integer, intent(in) :: systems(:)
    integer, intent(out), optional :: status
    type(outcome), intent(out), optional :: info
    integer :: number, first
    type(outcome) :: fault
    number = 0
    if (like < 1 .or. like > self%interactions) then
      call blame(fault, "like", "is no interaction of the model")
    else
      first = like
      if (self%interaction(like)%like > 0) first = self%interaction(like)%like
      call check_joined(self, self%interaction(first)%relation%order(), systems, fault)
      if (degrees(self, systems, fault) /= degrees(self, self%interaction(first)%systems, fault)) &
        call blame(fault, "systems", "have other degrees of freedom than those joined before")
    end if
    if (fault%status == PERP_OK) then
      call room_for_interaction(self)
      self%interactions = self%interactions + 1
      number = self%interactions
      self%interaction(number)%like = first
      self%interaction(number)%systems = systems
    end if
    call conclude(fault%status, "model%connect_like", status, info, fault=fault)
  end function

  subroutine initial(part, kind, fault, q0, v0, x0)
    type(system_part), intent(inout) :: part
    class(system), intent(in) :: kind
    type(outcome), intent(inout) :: fault
    real(dp), intent(in), optional :: q0(:), v0(:), x0(:)
    if (kind%order() == 1) then
      if (present(q0) .or. present(v0)) call blame(fault, "q0", "is for systems of order 2: use x0")
      call one(part%x, "x0", kind%degrees(), fault, x0)
      allocate (part%q(0), part%v(0))
    else
      if (present(x0)) call blame(fault, "x0", "is for systems of order 1: use q0 and v0")
      call one(part%q, "q0", kind%positions(), fault, q0)
      if (.not. present(q0)) then
        if (size(part%q) /= kind%degrees()) part%q(4) = 1 ! the quaternion of no rotation
      end if
      call one(part%v, "v0", kind%degrees(), fault, v0)
      allocate (part%x(0))
    end if
  end subroutine

  subroutine one(to, field, n, fault, from)
    real(dp), allocatable, intent(out) :: to(:)
    character(*), intent(in) :: field
    integer, intent(in) :: n
    type(outcome), intent(inout) :: fault
    real(dp), intent(in), optional :: from(:)
    allocate (to(n), source=0.0_dp)
    if (.not. present(from)) return
    call blame_size(fault, field, shape(from), [n])
    if (size(from) == n) to = from
  end subroutine

  subroutine take(to, from)
    type(system_part), intent(inout) :: to
    type(system_part), intent(inout) :: from
    call move_alloc(from%q, to%q)
    call move_alloc(from%v, to%v)
    call move_alloc(from%x, to%x)
  end subroutine

  !> The description of a system of the model.
  integer function description(self, i)
    class(model), intent(in) :: self
    integer, intent(in) :: i
    description = i
    if (self%system(i)%like > 0) description = self%system(i)%like
  end function

  subroutine check_joined(self, order, systems, fault)
    class(model), intent(in) :: self
    integer, intent(in) :: order, systems(:)
    type(outcome), intent(inout) :: fault
    integer :: i
    if (size(systems) < 1) call blame(fault, "systems", "is empty")
    do i = 1, size(systems)
      if (systems(i) < 1 .or. systems(i) > self%systems) then
        call blame(fault, "systems", "is no system of the model", i)
      else if (self%system(description(self, systems(i)))%kind%order() /= order) then
        call blame(fault, "systems", "is of the other order than the relation", i)
      end if
    end do
  end subroutine

  integer function degrees(self, systems, fault)
    class(model), intent(in) :: self
    integer, intent(in) :: systems(:)
    type(outcome), intent(in) :: fault
    integer :: i
    degrees = 0
    if (fault%status /= PERP_OK) return
    do i = 1, size(systems)
      degrees = degrees + self%system(description(self, systems(i)))%kind%degrees()
    end do
  end function

  subroutine room_for_system(self)
    class(model), intent(inout) :: self
    type(system_part), allocatable :: larger(:)
    integer :: i
    if (.not. allocated(self%system)) allocate (self%system(8))
    if (self%systems < size(self%system)) return
    allocate (larger(2 * self%systems))
    do i = 1, self%systems
      call move_alloc(self%system(i)%kind, larger(i)%kind)
      larger(i)%like = self%system(i)%like
      call take(larger(i), self%system(i))
    end do
    call move_alloc(larger, self%system)
  end subroutine

  subroutine room_for_interaction(self)
    class(model), intent(inout) :: self
    type(interaction_part), allocatable :: larger(:)
    integer :: i
    if (.not. allocated(self%interaction)) allocate (self%interaction(8))
    if (self%interactions < size(self%interaction)) return
    allocate (larger(2 * self%interactions))
    do i = 1, self%interactions
      call move_alloc(self%interaction(i)%relation, larger(i)%relation)
      larger(i)%like = self%interaction(i)%like
      larger(i)%law = self%interaction(i)%law
      call move_alloc(self%interaction(i)%systems, larger(i)%systems)
    end do
    call move_alloc(larger, self%interaction)
  end subroutine

  !> Make the descriptions of C from a model, for a run that starts at time t.
  subroutine make(self, from, t, fault)
    class(instance), intent(inout), target :: self
    class(model), intent(in) :: from
    real(dp), intent(in) :: t
    type(outcome), intent(inout) :: fault
    integer :: i, used
    associate (n => from%systems, k => from%interactions)
      allocate (self%systems(n), self%system_heads(n), self%n(n), self%n_q(n), self%order(n))
      allocate (self%relations(k), self%laws(k), self%interactions(k), self%interaction_heads(k), &
                self%m(k))
      call gather(self, from)
      do i = 1, n
        call make_system(self, from, i, t, fault)
        if (fault%status /= PERP_OK) return
      end do
      allocate (self%joined(sum([(size(from%interaction(i)%systems), i=1, k)])))
      used = 0
      do i = 1, k
        call make_interaction(self, from, i, t, used, fault)
        if (fault%status /= PERP_OK) return
      end do
      self%model%struct_size = int(c_sizeof(self%model), c_int32_t)
      self%model%n_systems = n
      self%model%n_interactions = k
      self%model%systems = c_loc(self%system_heads)
      self%model%interactions = c_loc(self%interaction_heads)
      if (size(self%q) > 0) self%model%q0 = c_loc(self%q)
      if (size(self%v) > 0) self%model%v0 = c_loc(self%v)
      if (size(self%x) > 0) self%model%x0 = c_loc(self%x)
    end associate
  end subroutine

  !> Initial values of all systems, one after another.
  subroutine gather(self, from)
    class(instance), intent(inout) :: self
    class(model), intent(in) :: from
    integer :: i, q, v, x
    associate (n => from%systems)
      allocate (self%q(sum([(size(from%system(i)%q), i=1, n)])), &
                self%v(sum([(size(from%system(i)%v), i=1, n)])), &
                self%x(sum([(size(from%system(i)%x), i=1, n)])))
    end associate
    q = 0
    v = 0
    x = 0
    do i = 1, from%systems
      associate (part => from%system(i))
        self%q(q+1:q+size(part%q)) = part%q
        self%v(v+1:v+size(part%v)) = part%v
        self%x(x+1:x+size(part%x)) = part%x
        q = q + size(part%q)
        v = v + size(part%v)
        x = x + size(part%x)
      end associate
    end do
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
    character(:), allocatable :: field
    field = "interaction"
    if (any(what == ["q   ", "v   ", "x   ", "rate"])) field = "system"
    if (.not. c_associated(at)) then
      call blame(fault, field, "is none of the model, or has no " // what, index)
    else if (what == "q") then
      call c_f_pointer(at, view, [self%n_q(index)])
      values = view
    else if (field == "system") then
      call c_f_pointer(at, view, [self%n(index)])
      values = view
    else
      call c_f_pointer(at, view, [self%m(index)])
      values = view
    end if
  end subroutine

  subroutine make_system(self, from, i, t, fault)
    class(instance), intent(inout), target :: self
    class(model), intent(in) :: from
    integer, intent(in) :: i
    real(dp), intent(in) :: t
    type(outcome), intent(inout) :: fault
    type(place) :: at
    associate (part => from%system(i), described => from%system(description(from, i))%kind)
      self%n(i) = described%degrees()
      self%n_q(i) = described%positions()
      self%order(i) = described%order()
      if (part%like > 0) then
        self%system_heads(i) = self%system_heads(part%like)
        return
      end if
      at%t = t
      at%n = self%n(i)
      at%q = part%q
      at%v = part%v
      at%x = part%x
      allocate (self%systems(i)%kind, source=described)
      self%systems(i)%journal => self%journal
      call self%systems(i)%kind%build(at, c_loc(self%systems(i)), self%system_heads(i), fault)
      call locate_fault(fault, "system", i)
    end associate
  end subroutine

  !> used: entries of joined that those before have.
  subroutine make_interaction(self, from, i, t, used, fault)
    class(instance), intent(inout), target :: self
    class(model), intent(in) :: from
    integer, intent(in) :: i
    real(dp), intent(in) :: t
    integer, intent(inout) :: used
    type(outcome), intent(inout) :: fault
    type(place) :: at
    type(c_ptr) :: head
    integer :: j, first
    associate (part => from%interaction(i), c => self%interactions(i))
      self%joined(used+1:used+size(part%systems)) = int(part%systems - 1, c_int32_t)
      c%systems = c_loc(self%joined(used + 1))
      c%n_systems = size(part%systems)
      used = used + size(part%systems)
      self%interaction_heads(i) = c_loc(c)
      first = part%like
      if (first > 0) then
        self%m(i) = self%m(first)
        c%relation = self%interactions(first)%relation
        c%law = self%interactions(first)%law
        return
      end if
      self%laws(i)%value = part%law
      c%law = self%laws(i)%build(fault)
      at%t = t
      at%law_rows = part%law%rows
      at%systems = size(part%systems)
      at%q = [real(dp) ::]
      at%v = [real(dp) ::]
      at%x = [real(dp) ::]
      do j = 1, size(part%systems)
        associate (s => from%system(part%systems(j)))
          at%n = at%n + self%n(part%systems(j))
          at%q = [at%q, s%q]
          at%v = [at%v, s%v]
          at%x = [at%x, s%x]
        end associate
      end do
      allocate (self%relations(i)%kind, source=part%relation)
      self%relations(i)%journal => self%journal
      self%relations(i)%n = at%n
      self%relations(i)%n_q = size(at%q)
      head = c_null_ptr
      self%m(i) = 0
      call self%relations(i)%kind%build(at, c_loc(self%relations(i)), head, self%m(i), fault)
      self%relations(i)%m = self%m(i)
      c%relation = head
      call locate_fault(fault, "interaction", i)
    end associate
  end subroutine

  !> Say in front where it was.
  subroutine locate_fault(fault, what, i)
    type(outcome), intent(inout) :: fault
    character(*), intent(in) :: what
    integer, intent(in) :: i
    character(12) :: number
    if (fault%status == PERP_OK) return
    write (number, "(i0)") i
    fault%text = what // " " // trim(number) // ": " // fault%text
    if (fault%index == 0) fault%index = i
  end subroutine

end module perp_model_values
