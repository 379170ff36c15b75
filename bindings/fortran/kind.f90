! SPDX-License-Identifier: MIT
!> What all kinds of systems and relations have in common: how a value becomes a description in C,
!! and how C comes back to it.
module perp_kind
  use perp_outcome
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: description, system, relation, relation_of_order_1, relation_of_order_2, place, held, &
    vector, matrix, address, view_of, diagonal, rows, zeros, &
    owners_in, ending

  !> What C has a description of.
  type, abstract :: description
  contains
    procedure(count_of), deferred :: order !< 1 or 2
    procedure(build_description), deferred :: build
  end type

  !> A system. Its kinds have names of their own: lagrangian_linear, lagrangian, rigid_body, ...
  type, abstract, extends(description) :: system
  contains
    procedure(count_of_system), deferred :: degrees !< n
    procedure :: positions !< entries of q: n, of a body 7
  end type

  !> A relation between y and the systems it joins.
  type, abstract, extends(description) :: relation
  end type
  type, abstract, extends(relation) :: relation_of_order_1
  contains
    procedure :: order => order_1
  end type
  type, abstract, extends(relation) :: relation_of_order_2
  contains
    procedure :: order => order_2
  end type

  !> Where a description will be used: time, and the initial values of the systems it is of.
  type :: place
    real(dp) :: t = 0
    integer :: n = 0, n_q = 0 !< degrees of freedom joined, positions
    integer :: m = 0          !< rows of y
    integer :: law_rows = 1   !< rows of one copy of the law
    integer :: systems = 1    !< how many are joined
    integer :: order = 0      !< of them
    logical :: called = .false. !< C calls procedures of the value
    real(dp), allocatable :: q(:), v(:), x(:)
  end type

  !> A value in a place that does not move: what `user` is the address of.
  type :: held
    class(description), allocatable :: kind
    type(place) :: at
    type(c_ptr) :: head = c_null_ptr
    type(journal), pointer :: journal => null()
  end type

  abstract interface
    integer function count_of(self)
      import
      class(description), intent(in) :: self
    end function
    integer function count_of_system(self)
      import
      class(system), intent(in) :: self
    end function
    !> Fill the description of C, and give its head; user comes back in callbacks.
    subroutine build_description(self, at, user, head, fault)
      import
      class(description), intent(inout), target :: self
      type(place), intent(inout) :: at
      type(c_ptr), intent(in) :: user
      type(c_ptr), intent(out) :: head
      type(outcome), intent(inout) :: fault
    end subroutine
  end interface

  !> Values of a shape, all 0, if there is memory.
  interface zeros
    module procedure zero, zero_vector, zero_matrix
  end interface

  real(dp), target :: nothing(0), no_matrix(0, 0)
  integer, save :: ended = -1 !< owners of runs that were in a copy, while one is tried; -1: none is
  !$omp threadprivate(ended)

contains

  integer function positions(self)
    class(system), intent(in) :: self
    positions = self%degrees()
  end function
  integer function order_1(self)
    class(relation_of_order_1), intent(in) :: self
    order_1 = 1
  end function
  integer function order_2(self)
    class(relation_of_order_2), intent(in) :: self
    order_2 = 2
  end function

  !> How many variables in a value own a run: its copies, which are made byte by byte, would end that.
  integer function owners_in(kind)
    class(description), intent(in) :: kind
    class(description), allocatable :: copy
    allocate (copy, source=kind)
    ended = 0
    deallocate (copy)
    owners_in = ended
    ended = -1
  end function

  !> Whether an owner ends in earnest, and not with a copy that was tried.
  logical function ending()
    ending = ended < 0
    if (.not. ending) ended = ended + 1
  end function

  subroutine zero(value, field, fault)
    real(dp), allocatable, intent(out) :: value
    character(*), intent(in) :: field
    type(outcome), intent(inout) :: fault
    value = 0
  end subroutine
  subroutine zero_vector(values, field, fault, n)
    real(dp), allocatable, intent(out) :: values(:)
    character(*), intent(in) :: field
    type(outcome), intent(inout) :: fault
    integer, intent(in) :: n
    integer :: missing
    allocate (values(n), source=0.0_dp, stat=missing)
    if (missing /= 0) call no_memory(fault, field, 8 * int(n, c_size_t))
  end subroutine
  subroutine zero_matrix(values, field, fault, rows, columns)
    real(dp), allocatable, intent(out) :: values(:, :)
    character(*), intent(in) :: field
    type(outcome), intent(inout) :: fault
    integer, intent(in) :: rows, columns
    integer :: missing
    allocate (values(rows, columns), source=0.0_dp, stat=missing)
    if (missing /= 0) call no_memory(fault, field, 8 * int(rows, c_size_t) * columns)
  end subroutine

  !> Memory of C as an array; of size 0 where C hands over NULL.
  function vector(of, n) result(view)
    type(c_ptr), intent(in) :: of
    integer, intent(in) :: n
    real(dp), pointer :: view(:)
    view => nothing
    if (c_associated(of)) call c_f_pointer(of, view, [n])
  end function

  function matrix(of, rows, columns) result(view)
    type(c_ptr), intent(in) :: of
    integer, intent(in) :: rows, columns
    real(dp), pointer :: view(:, :)
    view => no_matrix
    if (c_associated(of)) call c_f_pointer(of, view, [rows, columns])
  end function

  !> Where the entries are; NULL where there are none.
  function address(array) result(at)
    real(dp), intent(in), allocatable, target :: array(:)
    type(c_ptr) :: at
    at = c_null_ptr
    if (allocated(array)) then
      if (size(array) > 0) at = c_loc(array)
    end if
  end function

  !> A matrix as C views it: dense, or absent (zero).
  function view_of(dense) result(view)
    real(dp), intent(in), allocatable, target :: dense(:, :)
    type(perp_matrix) :: view
    if (.not. allocated(dense)) return
    view = perp_matrix(kind=PERP_DENSE, rows=size(dense, 1), cols=size(dense, 2), ld=size(dense, 1), &
                       values=c_loc(dense))
  end function

  !> The same of a diagonal one.
  function diagonal(entries) result(view)
    real(dp), intent(in), allocatable, target :: entries(:)
    type(perp_matrix) :: view
    view = perp_matrix(kind=PERP_DIAGONAL, rows=size(entries), cols=size(entries), values=address(entries))
  end function

  !> Of a matrix that may be left out.
  integer function rows(of)
    real(dp), intent(in), allocatable :: of(:, :)
    rows = 0
    if (allocated(of)) rows = size(of, 1)
  end function

end module perp_kind
