! SPDX-License-Identifier: MIT
!> Contacts and joints of rigid bodies; see docs/newton-euler.md. The law says how many rows a
!! contact has: 1 (normal), 2, 3 (tangential), 5 (rolling).
module perp_body_relations
  use perp_outcome
  use perp_kind
  use perp_c, c_system => perp_system, c_relation => perp_relation, c_joint => perp_joint, &
    c_gear => perp_gear
  implicit none
  private
  public :: body_contact, sphere_plane, sphere_sphere, point_plane, joint, joint_coordinate, gear, &
    perp_contact_place

  !> Contact of a body with the ground or of two bodies. Extend it by your geometry and write locate.
  type, abstract, extends(relation) :: body_contact
    type(perp_body_contact) :: described
  contains
    procedure :: order => order_contact
    procedure :: build => build_contact
    procedure(locate_place), deferred :: locate
  end type

  abstract interface
    !> Write where the bodies at q (7 entries each) touch, or would; all of spot is 0 before.
    subroutine locate_place(self, t, q, spot, reply)
      import
      class(body_contact), intent(in) :: self
      real(dp), intent(in) :: t, q(:)
      type(perp_contact_place), intent(inout) :: spot
      type(answer), intent(inout) :: reply
    end subroutine
  end interface

  type, abstract, extends(relation) :: known_contact
    type(perp_body_contact) :: described
  contains
    procedure :: order => order_known
  end type

  !> A sphere about the centre of mass, and the half space normal . x <= offset.
  type, extends(known_contact) :: sphere_plane
    real(dp) :: radius = 1, normal(3) = [0, 0, 1], offset = 0
    type(perp_sphere_plane) :: geometry
  contains
    procedure :: build => build_sphere_plane
  end type

  !> Two spheres about the centres of mass.
  type, extends(known_contact) :: sphere_sphere
    real(dp) :: radius(2) = 1
    type(perp_sphere_sphere) :: geometry
  contains
    procedure :: build => build_sphere_sphere
  end type

  !> A point of a body (in its frame), and the half space normal . x <= offset.
  type, extends(known_contact) :: point_plane
    real(dp) :: point(3) = 0, normal(3) = [0, 0, 1], offset = 0
    type(perp_point_plane) :: geometry
  contains
    procedure :: build => build_point_plane
  end type

  !> A joint of one body with the ground, or of two, for the equality law: kind is
  !! PERP_JOINT_SPHERICAL ..., point and axis are in the fixed frame at the initial positions.
  type, extends(relation) :: joint
    integer :: kind = PERP_JOINT_SPHERICAL
    real(dp) :: point(3) = 0, axis(3) = [1, 0, 0]
    real(dp) :: lead = 0 !< of a screw (m per turn)
    type(c_joint) :: described
  contains
    procedure :: order => order_joint
    procedure :: build => build_joint
  end type

  !> A relation on the coordinate of a joint: drives, stops. coordinate is PERP_COORDINATE_ANGLE or
  !! PERP_COORDINATE_TRANSLATION, use PERP_COORDINATE_RATE ... PERP_COORDINATE_UPPER. Extend it and
  !! override rate for a prescribed rate.
  type, extends(joint) :: joint_coordinate
    integer :: coordinate = PERP_COORDINATE_ANGLE, use = PERP_COORDINATE_RATE
    real(dp) :: lower = 0, upper = 0, centre = 0
    type(perp_joint_coordinate) :: on_joint
  contains
    procedure :: build => build_coordinate
    procedure :: rate => no_rate
  end type

  !> A pair of gears on two bodies, carried by the ground or a third body, for the equality law;
  !! axes in the fixed frame at the initial positions.
  type, extends(relation) :: gear
    integer :: teeth(2) = 1
    real(dp) :: axis_a(3) = [1, 0, 0], axis_b(3) = [1, 0, 0]
    type(c_gear) :: described
  contains
    procedure :: order => order_gear
    procedure :: build => build_gear
  end type

contains

  integer function order_contact(self)
    class(body_contact), intent(in) :: self
    order_contact = 2
  end function
  integer function order_known(self)
    class(known_contact), intent(in) :: self
    order_known = 2
  end function
  integer function order_joint(self)
    class(joint), intent(in) :: self
    order_joint = 2
  end function
  integer function order_gear(self)
    class(gear), intent(in) :: self
    order_gear = 2
  end function

  subroutine no_rate(self, t, rate, reply)
    class(joint_coordinate), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: rate
    type(answer), intent(inout) :: reply
    reply%given = .false.
  end subroutine

  !> Only bodies: seven positions each.
  subroutine require_bodies(at, fault)
    type(place), intent(in) :: at
    type(outcome), intent(inout) :: fault
    if (size(at%q) /= 7 * at%systems) call blame(fault, "systems", "have to be bodies")
  end subroutine

  subroutine start(c, at, m, locator, user, fault)
    type(perp_body_contact), intent(inout), target :: c
    type(place), intent(in) :: at
    integer, intent(out) :: m
    type(c_funptr), intent(in) :: locator
    type(c_ptr), intent(in) :: user
    type(outcome), intent(inout) :: fault
    m = at%law_rows
    call require_bodies(at, fault)
    if (perp_body_contact_init(c, c_sizeof(c), m, at%systems) /= PERP_OK) &
      call blame(fault, "systems", "have to be one or two bodies, with a law of 1, 2, 3 or 5 rows")
    c%locate = locator
    c%user = user
  end subroutine

  subroutine build_contact(self, at, user, head, m, fault)
    class(body_contact), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(c_funptr) :: locator
    locator = c_funloc(c_locate)
    call start(self%described, at, m, locator, user, fault)
    head = c_loc(self%described)
  end subroutine

  subroutine build_sphere_plane(self, at, user, head, m, fault)
    class(sphere_plane), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(c_funptr) :: locator
    locator = c_funloc(perp_locate_sphere_plane)
    self%geometry = perp_sphere_plane(self%radius, self%normal, self%offset)
    call start(self%described, at, m, locator, c_loc(self%geometry), fault)
    head = c_loc(self%described)
  end subroutine

  subroutine build_sphere_sphere(self, at, user, head, m, fault)
    class(sphere_sphere), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(c_funptr) :: locator
    locator = c_funloc(perp_locate_sphere_sphere)
    self%geometry = perp_sphere_sphere(self%radius)
    call start(self%described, at, m, locator, c_loc(self%geometry), fault)
    head = c_loc(self%described)
  end subroutine

  subroutine build_point_plane(self, at, user, head, m, fault)
    class(point_plane), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(c_funptr) :: locator
    locator = c_funloc(perp_locate_point_plane)
    self%geometry = perp_point_plane(self%point, self%normal, self%offset)
    call start(self%described, at, m, locator, c_loc(self%geometry), fault)
    head = c_loc(self%described)
  end subroutine

  subroutine place_joint(self, at, m, fault)
    class(joint), intent(inout), target :: self
    type(place), intent(in) :: at
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    integer(c_int32_t) :: code
    m = 0
    call require_bodies(at, fault)
    if (fault%status /= PERP_OK) return
    if (perp_joint_init(self%described, c_sizeof(self%described), self%kind, at%systems) /= PERP_OK) then
      call blame(fault, "kind", "or the number of bodies is not known")
      return
    end if
    code = perp_joint_place(self%described, self%point, self%axis, at%q(1:7), at%q(size(at%q)-6:))
    if (code /= PERP_OK) call blame(fault, "axis", "has no direction", code=int(code))
    self%described%lead = self%lead
    m = self%described%relation%m
  end subroutine

  subroutine build_joint(self, at, user, head, m, fault)
    class(joint), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    call place_joint(self, at, m, fault)
    head = c_loc(self%described)
  end subroutine

  subroutine build_coordinate(self, at, user, head, m, fault)
    class(joint_coordinate), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    type(answer) :: reply
    real(dp) :: rate
    head = c_loc(self%on_joint)
    call place_joint(self, at, m, fault)
    if (fault%status /= PERP_OK) return
    associate (c => self%on_joint)
      if (perp_joint_coordinate_init(c, c_sizeof(c), self%described, self%coordinate, self%use) &
          /= PERP_OK) call blame(fault, "coordinate", "or use is not known")
      c%lower = self%lower
      c%upper = self%upper
      c%centre = self%centre
      rate = 0
      call self%rate(at%t, rate, reply)
      if (reply%given) c%rate = c_funloc(c_rate)
      c%user = user
      m = c%relation%m
    end associate
  end subroutine

  subroutine build_gear(self, at, user, head, m, fault)
    class(gear), intent(inout), target :: self
    type(place), intent(in) :: at
    type(c_ptr), intent(in) :: user
    type(c_ptr), intent(out) :: head
    integer, intent(out) :: m
    type(outcome), intent(inout) :: fault
    integer(c_int32_t) :: code
    head = c_loc(self%described)
    m = 1
    call require_bodies(at, fault)
    if (fault%status /= PERP_OK) return
    if (perp_gear_init(self%described, c_sizeof(self%described), at%systems) /= PERP_OK) then
      call blame(fault, "systems", "have to be two or three bodies")
      return
    end if
    self%described%teeth_a = self%teeth(1)
    self%described%teeth_b = self%teeth(2)
    code = perp_gear_place(self%described, self%axis_a, self%axis_b, at%q(1:7), at%q(8:14), &
                           at%q(size(at%q)-6:))
    if (code /= PERP_OK) call blame(fault, "axis", "has no direction", code=int(code))
  end subroutine

  function c_locate(t, q, spot, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: q, user
    type(perp_contact_place), intent(inout) :: spot
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    type(answer) :: reply
    call c_f_pointer(user, held)
    select type (k => held%kind)
    class is (body_contact)
      call k%locate(t, vector(q, held%n_q), spot, reply)
    end select
    code = held%journal%note(reply)
  end function

  function c_rate(t, out, user) bind(C, name="") result(code)
    real(c_double), value :: t
    type(c_ptr), value :: out, user
    integer(c_int32_t) :: code
    type(held_relation), pointer :: held
    real(dp), pointer :: values(:)
    type(answer) :: reply
    call c_f_pointer(user, held)
    values => vector(out, 1)
    select type (k => held%kind)
    class is (joint_coordinate)
      call k%rate(t, values(1), reply)
    end select
    code = held%journal%note(reply)
  end function

end module perp_body_relations
