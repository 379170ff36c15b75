! SPDX-License-Identifier: MIT
!> Who owns what C has made. A simulation in Fortran is a ticket: a slot and a serial number. What is
!! no longer there is not found, whatever copies of the ticket there are, so nothing is used after its
!! end, or ended twice. Slots are used again and never freed: threads may look tickets up while others
!! take new ones (with -fopenmp).
module perp_registry
  use perp_outcome, only: dp
  use perp_kind, only: ending
  use perp_model_values, only: instance
  use perp_c, only: c_ptr, c_null_ptr, c_int32_t
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: running, ticket, put, find, share, drop, busy, enter, leave

  !> What runs, and is owned: C's simulation, and the model that it is of.
  type, abstract :: running
    type(instance) :: model
    type(c_ptr) :: c = c_null_ptr
    logical :: computes = .false. !< what is no state is computed when it is asked for
    logical :: busy = .false.     !< a call of C runs, from which procedures of the user's are called;
    type(ticket), allocatable :: held !< of that call
  contains
    procedure(end_of), deferred :: destroy
    procedure(view_of), deferred :: view
    procedure(energies_of), deferred :: energies
    procedure(time_of), deferred :: time
  end type

  abstract interface
    subroutine end_of(self)
      import
      class(running), intent(inout) :: self
    end subroutine
    !> What C shows of a system or an interaction, counted from 0; NULL where there is nothing.
    function view_of(self, what, index) result(at)
      import
      class(running), intent(in) :: self
      character(*), intent(in) :: what
      integer(c_int32_t), intent(in) :: index
      type(c_ptr) :: at
    end function
    function energies_of(self, kinetic, potential) result(code)
      import
      class(running), intent(in) :: self
      real(dp), intent(inout) :: kinetic(1), potential(1)
      integer(c_int32_t) :: code
    end function
    real(dp) function time_of(self)
      import
      class(running), intent(in) :: self
    end function
  end interface

  type :: slot
    class(running), pointer :: content => null()
    integer(int64) :: serial = 0
    integer :: owners = 0
    type(slot), pointer :: next_free => null()
  end type

  type :: ticket
    private
    type(slot), pointer :: at => null()
    integer(int64) :: serial = 0
  end type

  type(slot), pointer, save :: free => null()
  integer(int64), save :: serials = 0

contains

  !> Own content, which was allocated as a pointer.
  subroutine put(content, new)
    class(running), pointer, intent(in) :: content
    type(ticket), intent(out) :: new
    !$omp critical (perp_registry)
    if (associated(free)) then
      new%at => free
      free => free%next_free
    else
      allocate (new%at)
    end if
    serials = serials + 1
    new%serial = serials
    new%at%content => content
    new%at%owners = 1
    new%at%serial = serials
    !$omp end critical (perp_registry)
  end subroutine

  !> The content of a ticket; null where it is gone.
  function find(of) result(content)
    type(ticket), intent(in) :: of
    class(running), pointer :: content
    nullify (content)
    if (.not. associated(of%at)) return
    if (of%at%serial == of%serial) content => of%at%content
  end function

  !> One more owner.
  subroutine share(of)
    type(ticket), intent(in) :: of
    if (.not. associated(find(of))) return
    !$omp critical (perp_registry)
    of%at%owners = of%at%owners + 1
    !$omp end critical (perp_registry)
  end subroutine

  !> One owner less, or (all) none; the last one ends it. The ticket is then empty.
  subroutine drop(of, all)
    type(ticket), intent(inout) :: of
    logical, intent(in) :: all
    class(running), pointer :: content
    nullify (content)
    if (associated(find(of))) then
      if (.not. ending()) return
      !$omp critical (perp_registry)
      of%at%owners = of%at%owners - 1
      if (all .or. of%at%owners == 0) then
        content => of%at%content
        nullify (of%at%content)
        of%at%serial = 0
        of%at%next_free => free
        free => of%at
      end if
      !$omp end critical (perp_registry)
    end if
    nullify (of%at)
    of%serial = 0
    if (.not. associated(content)) return
    call content%destroy()
    deallocate (content)
  end subroutine

  !> Whether a call of C runs with the content.
  logical function busy(of)
    type(ticket), intent(in) :: of
    class(running), pointer :: content
    content => find(of)
    busy = .false.
    if (associated(content)) busy = content%busy
  end function

  !> Before a call of C: until it is left, what runs has one more owner, so that nothing that the user's
  !! procedures do ends it.
  subroutine enter(of)
    type(ticket), intent(in) :: of
    class(running), pointer :: content
    call share(of)
    content => find(of)
    content%held = of
    content%busy = .true.
  end subroutine

  subroutine leave(it)
    class(running), intent(inout) :: it
    type(ticket) :: held
    held = it%held
    it%busy = .false.
    call drop(held, all=.false.) ! which may end it
  end subroutine

end module perp_registry
