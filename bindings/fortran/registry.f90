! SPDX-License-Identifier: MIT
!> Who owns what C has made. A simulation in Fortran is a ticket: a place in a table and a serial
!! number. What is no longer there is not found, whatever copies of the ticket there are, so nothing
!! is used after its end, or ended twice. Places of the table never move: threads may look tickets
!! up while others take new ones (with -fopenmp).
module perp_registry
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: box, ticket, put, find, share, drop, busy, enter, leave

  !> What is owned.
  type, abstract :: box
    logical :: busy = .false. !< a call of C runs, from which procedures of the user's are called
  contains
    procedure(end_of_box), deferred :: destroy
  end type
  abstract interface
    subroutine end_of_box(self)
      import
      class(box), intent(inout) :: self
    end subroutine
  end interface

  type :: ticket
    private
    integer :: place = 0
    integer(int64) :: serial = 0
  end type

  type :: slot
    class(box), pointer :: content => null()
    integer(int64) :: serial = 0
    integer :: owners = 0, next_free = 0
  end type
  type :: page
    type(slot), pointer :: slots(:) => null()
  end type

  integer, parameter :: page_size = 256
  type(page), save :: pages(4096)
  integer, save :: used = 0, free = 0
  integer(int64), save :: serials = 0

contains

  !> Own content, which was allocated as a pointer.
  subroutine put(content, new)
    class(box), pointer, intent(in) :: content
    type(ticket), intent(out) :: new
    type(slot), pointer :: s
    !$omp critical (perp_registry)
    if (free == 0) then
      used = used + 1
      if (used > page_size * size(pages)) error stop "perp: too many simulations at a time"
      if (.not. associated(pages(page_of(used))%slots)) &
        allocate (pages(page_of(used))%slots(page_size))
      new%place = used
    else
      new%place = free
      s => slot_at(free)
      free = s%next_free
    end if
    serials = serials + 1
    new%serial = serials
    s => slot_at(new%place)
    s%content => content
    s%owners = 1
    s%serial = new%serial
    !$omp end critical (perp_registry)
  end subroutine

  !> The content of a ticket; null where it is gone.
  function find(of) result(content)
    type(ticket), intent(in) :: of
    class(box), pointer :: content
    type(slot), pointer :: s
    nullify (content)
    if (of%place == 0) return
    s => slot_at(of%place)
    if (s%serial == of%serial) content => s%content
  end function

  !> One more owner.
  subroutine share(of)
    type(ticket), intent(in) :: of
    type(slot), pointer :: s
    if (.not. associated(find(of))) return
    !$omp critical (perp_registry)
    s => slot_at(of%place)
    s%owners = s%owners + 1
    !$omp end critical (perp_registry)
  end subroutine

  !> One owner less, or (all) none; the last one ends it. The ticket is then empty.
  subroutine drop(of, all)
    type(ticket), intent(inout) :: of
    logical, intent(in) :: all
    type(slot), pointer :: s
    class(box), pointer :: content
    nullify (content)
    if (associated(find(of))) then
      !$omp critical (perp_registry)
      s => slot_at(of%place)
      s%owners = s%owners - 1
      if (all .or. s%owners == 0) then
        content => s%content
        nullify (s%content)
        s%serial = 0
        s%next_free = free
        free = of%place
      end if
      !$omp end critical (perp_registry)
    end if
    of%place = 0
    of%serial = 0
    if (.not. associated(content)) return
    call content%destroy()
    deallocate (content)
  end subroutine

  !> Whether a call of C runs with the content.
  logical function busy(of)
    type(ticket), intent(in) :: of
    class(box), pointer :: content
    content => find(of)
    busy = .false.
    if (associated(content)) busy = content%busy
  end function

  !> Before a call of C: until leave(held) the content has one more owner, so that nothing that the
  !! user's procedures do ends it.
  subroutine enter(of, held)
    type(ticket), intent(in) :: of
    type(ticket), intent(out) :: held
    class(box), pointer :: content
    held = of
    call share(held)
    content => find(held)
    content%busy = .true.
  end subroutine

  subroutine leave(held)
    type(ticket), intent(inout) :: held
    class(box), pointer :: content
    content => find(held)
    content%busy = .false.
    call drop(held, all=.false.)
  end subroutine

  function slot_at(place) result(s)
    integer, intent(in) :: place
    type(slot), pointer :: s
    s => pages(page_of(place))%slots(mod(place - 1, page_size) + 1)
  end function

  pure integer function page_of(place)
    integer, intent(in) :: place
    page_of = (place - 1) / page_size + 1
  end function

end module perp_registry
