! SPDX-License-Identifier: MIT
!> What all kinds of systems and relations have in common: how a value becomes a description in C,
!! and how C comes back to it.
module perp_kind
  use perp_outcome
  use perp_c, c_system => perp_system, c_relation => perp_relation
  implicit none
  private
  public :: system, relation, place, held_system, held_relation, vector, matrix, address, view_of

  !> A system. Its kinds have names of their own: lagrangian_linear, lagrangian, body, ...
  type, abstract :: system
  contains
    procedure(count_of_system), deferred :: order !< 1 or 2
    procedure(count_of_system), deferred :: degrees !< n
    procedure :: positions !< entries of q: n, of a body 7
    procedure(build_system), deferred :: build
  end type

  !> A relation between y and the systems it joins.
  type, abstract :: relation
  contains
    procedure(count_of_relation), deferred :: order
    procedure(build_relation), deferred :: build
  end type

  !> Where a description will be used: time, and the initial values of the systems it is of.
  type :: place
    real(dp) :: t = 0
    integer :: n = 0         !< degrees of freedom joined
    integer :: law_rows = 1  !< rows of one copy of the law
    integer :: systems = 1   !< how many are joined
    real(dp), allocatable :: q(:), v(:), x(:)
  end type

  !> A value in a place that does not move: what `user` is the address of.
  type :: held_system
    class(system), allocatable :: kind
    type(journal), pointer :: journal => null()
  end type
  type :: held_relation
    class(relation), allocatable :: kind
    type(journal), pointer :: journal => null()
    integer :: m = 0, n = 0, n_q = 0
  end type

  abstract interface
    integer function count_of_system(self)
      import
      class(system), intent(in) :: self
    end function
    integer function count_of_relation(self)
      import
      class(relation), intent(in) :: self
    end function
    !> Fill the description of C, and give its head; user comes back in callbacks.
    subroutine build_system(self, at, user, head, fault)
      import
      class(system), intent(inout), target :: self
      type(place), intent(in) :: at
      type(c_ptr), intent(in) :: user
      type(c_ptr), intent(out) :: head
      type(outcome), intent(inout) :: fault
    end subroutine
    !> The same; m: rows of y.
    subroutine build_relation(self, at, user, head, m, fault)
      import
      class(relation), intent(inout), target :: self
      type(place), intent(in) :: at
      type(c_ptr), intent(in) :: user
      type(c_ptr), intent(out) :: head
      integer, intent(out) :: m
      type(outcome), intent(inout) :: fault
    end subroutine
  end interface

  real(dp), target :: nothing(0), no_matrix(0, 0)

contains

  integer function positions(self)
    class(system), intent(in) :: self
    positions = self%degrees()
  end function

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

  !> A matrix as C views it: dense, or diagonal, or absent (zero).
  function view_of(dense, diagonal) result(view)
    real(dp), intent(in), allocatable, target :: dense(:, :)
    real(dp), intent(in), allocatable, target, optional :: diagonal(:)
    type(perp_matrix) :: view
    if (present(diagonal)) then
      if (allocated(diagonal)) then
        view%kind = PERP_DIAGONAL
        view%rows = size(diagonal)
        view%cols = size(diagonal)
        view%values = c_loc(diagonal)
        return
      end if
    end if
    if (.not. allocated(dense)) return
    view%kind = PERP_DENSE
    view%rows = size(dense, 1)
    view%cols = size(dense, 2)
    view%ld = size(dense, 1)
    view%values = c_loc(dense)
  end function

end module perp_kind
