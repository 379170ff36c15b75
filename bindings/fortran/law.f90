! SPDX-License-Identifier: MIT
!> Nonsmooth laws as values; see docs/laws.md. Copies of a law fill the rows of a relation.
module perp_law_values
  use perp_outcome
  use perp_c, c_law => perp_law
  implicit none
  private
  public :: law, held_law, equality, complementarity, newton_impact, box, relay, friction, rolling, &
    mixed, compliant, fremond, cohesive, polyhedron

  integer, parameter :: is_equality = 1, is_complementarity = 2, is_newton = 3, is_box = 4, &
    is_friction = 5, is_rolling = 6, is_mixed = 7, is_compliant = 8, is_fremond = 9, &
    is_cohesive = 10, is_polyhedron = 11

  !> A law: made by one of the functions below.
  type :: law
    private
    integer :: kind = is_equality
    integer, public :: rows = 1 !< of one copy
    integer :: equalities = 0
    real(dp) :: a(6) = 0
    real(dp), allocatable :: lower(:), upper(:), H(:, :)
  end type

  !> The description in C; stays where it is while C knows it.
  type :: held_law
    type(law) :: value
    type(perp_equality) :: equality
    type(perp_complementarity) :: complementarity
    type(perp_newton_impact) :: newton
    type(perp_box) :: box
    type(perp_friction) :: friction
    type(perp_rolling) :: rolling
    type(perp_mixed) :: mixed
    type(perp_compliant) :: compliant
    type(perp_fremond) :: fremond
    type(perp_cohesive) :: cohesive
    type(perp_polyhedron) :: polyhedron
  contains
    procedure :: build
  end type

contains

  !> y = 0, lambda free.
  function equality() result(new)
    type(law) :: new
    new%kind = is_equality
  end function

  !> 0 <= y _|_ lambda >= 0.
  function complementarity() result(new)
    type(law) :: new
    new%kind = is_complementarity
  end function

  !> Unilateral contact with restitution 0 <= e <= 1.
  function newton_impact(e) result(new)
    real(dp), intent(in) :: e
    type(law) :: new
    new%kind = is_newton
    new%a(1) = e
  end function

  !> -y is in N_[lower,upper](lambda): as many rows as bounds, which may be infinite.
  function box(lower, upper) result(new)
    real(dp), intent(in) :: lower(:), upper(:)
    type(law) :: new
    new%kind = is_box
    new%rows = size(lower)
    new%lower = lower
    new%upper = upper
  end function

  !> -y is in N_[-limit,limit](lambda): lambda = -limit sgn(y). limit 1 where it is left out.
  function relay(limit) result(new)
    real(dp), intent(in), optional :: limit
    type(law) :: new
    new = box([-1.0_dp], [1.0_dp])
    if (.not. present(limit)) return
    new%lower = [-limit]
    new%upper = [limit]
  end function

  !> Coulomb friction in space, or in the plane; restitution e_n, tangential e_t.
  function friction(mu, e_n, e_t, plane) result(new)
    real(dp), intent(in) :: mu
    real(dp), intent(in), optional :: e_n, e_t
    logical, intent(in), optional :: plane
    type(law) :: new
    new%kind = is_friction
    new%rows = rows_of(plane, 2, 3)
    new%a(1:3) = [mu, given(e_n, 0.0_dp), given(e_t, 0.0_dp)]
  end function

  !> Friction with resistance to rolling (mu_rolling in m).
  function rolling(mu, mu_rolling, e_n, e_t, plane) result(new)
    real(dp), intent(in) :: mu, mu_rolling
    real(dp), intent(in), optional :: e_n, e_t
    logical, intent(in), optional :: plane
    type(law) :: new
    new%kind = is_rolling
    new%rows = rows_of(plane, 3, 5)
    new%a(1:4) = [mu, mu_rolling, given(e_n, 0.0_dp), given(e_t, 0.0_dp)]
  end function

  !> Equalities first, then complementarities, in one copy.
  function mixed(equalities, complementarities) result(new)
    integer, intent(in) :: equalities, complementarities
    type(law) :: new
    new%kind = is_mixed
    new%rows = equalities + complementarities
    new%equalities = equalities
  end function

  !> Unilateral contact of a spring k (N/m) and a damper c (N s/m).
  function compliant(k, c, theta) result(new)
    real(dp), intent(in) :: k
    real(dp), intent(in), optional :: c, theta
    type(law) :: new
    new%kind = is_compliant
    new%a(1:3) = [k, given(c, 0.0_dp), given(theta, 0.5_dp)]
  end function

  !> Friction with the impact law of Fremond.
  function fremond(mu, e_n, plane) result(new)
    real(dp), intent(in) :: mu
    real(dp), intent(in), optional :: e_n
    logical, intent(in), optional :: plane
    type(law) :: new
    new%kind = is_fremond
    new%rows = rows_of(plane, 2, 3)
    new%a(1:2) = [mu, given(e_n, 0.0_dp)]
  end function

  !> Friction between surfaces that stick together: strength sigma_c (Pa), fracture energy G_c
  !! (J/m2), area of one copy (m2).
  function cohesive(mu, sigma_c, G_c, area, slip_weight, plane) result(new)
    real(dp), intent(in) :: mu, sigma_c, G_c
    real(dp), intent(in), optional :: area, slip_weight
    logical, intent(in), optional :: plane
    type(law) :: new
    new%kind = is_cohesive
    new%rows = rows_of(plane, 2, 3)
    new%a(1:5) = [mu, sigma_c, G_c, given(area, 1.0_dp), given(slip_weight, 1.0_dp)]
  end function

  !> -y is in N_P(lambda), P = {H lambda >= K}.
  function polyhedron(H, K) result(new)
    real(dp), intent(in) :: H(:, :), K(:)
    type(law) :: new
    new%kind = is_polyhedron
    new%rows = size(H, 2)
    allocate (new%H, source=H)
    allocate (new%lower, source=K)
  end function

  !> Fill the description; its head.
  function build(self, fault) result(head)
    class(held_law), intent(inout), target :: self
    type(outcome), intent(inout) :: fault
    type(c_ptr) :: head
    integer(c_int32_t) :: code
    head = c_null_ptr
    select case (self%value%kind)
    case (is_equality)
      code = perp_equality_init(self%equality, c_sizeof(self%equality))
      head = c_loc(self%equality)
    case (is_complementarity)
      code = perp_complementarity_init(self%complementarity, c_sizeof(self%complementarity))
      head = c_loc(self%complementarity)
    case (is_newton)
      code = perp_newton_impact_init(self%newton, c_sizeof(self%newton))
      self%newton%e = self%value%a(1)
      head = c_loc(self%newton)
    case (is_box)
      call blame_size(fault, "upper", shape(self%value%upper), shape(self%value%lower))
      code = perp_box_init(self%box, c_sizeof(self%box))
      self%box%law%size = self%value%rows
      self%box%lower = c_loc(self%value%lower)
      self%box%upper = c_loc(self%value%upper)
      head = c_loc(self%box)
    case (is_friction)
      code = perp_friction_init(self%friction, c_sizeof(self%friction))
      call fill(self%friction, self%value)
      head = c_loc(self%friction)
    case (is_rolling)
      code = perp_rolling_init(self%rolling, c_sizeof(self%rolling))
      self%rolling%law%size = self%value%rows
      self%rolling%mu = self%value%a(1)
      self%rolling%mu_rolling = self%value%a(2)
      self%rolling%e_n = self%value%a(3)
      self%rolling%e_t = self%value%a(4)
      head = c_loc(self%rolling)
    case (is_mixed)
      code = perp_mixed_init(self%mixed, c_sizeof(self%mixed))
      self%mixed%law%size = self%value%rows
      self%mixed%equalities = self%value%equalities
      head = c_loc(self%mixed)
    case (is_compliant)
      code = perp_compliant_init(self%compliant, c_sizeof(self%compliant))
      self%compliant%k = self%value%a(1)
      self%compliant%c = self%value%a(2)
      self%compliant%theta = self%value%a(3)
      head = c_loc(self%compliant)
    case (is_fremond)
      code = perp_fremond_init(self%fremond, c_sizeof(self%fremond))
      call fill(self%fremond%friction, self%value)
      head = c_loc(self%fremond)
    case (is_cohesive)
      code = perp_cohesive_init(self%cohesive, c_sizeof(self%cohesive))
      self%cohesive%friction%law%size = self%value%rows
      self%cohesive%friction%mu = self%value%a(1)
      self%cohesive%sigma_c = self%value%a(2)
      self%cohesive%G_c = self%value%a(3)
      self%cohesive%area = self%value%a(4)
      self%cohesive%slip_weight = self%value%a(5)
      head = c_loc(self%cohesive)
    case (is_polyhedron)
      call blame_size(fault, "K", shape(self%value%lower), [size(self%value%H, 1)])
      code = perp_polyhedron_init(self%polyhedron, c_sizeof(self%polyhedron))
      self%polyhedron%law%size = self%value%rows
      self%polyhedron%H%kind = PERP_DENSE
      self%polyhedron%H%rows = size(self%value%H, 1)
      self%polyhedron%H%cols = size(self%value%H, 2)
      self%polyhedron%H%ld = size(self%value%H, 1)
      self%polyhedron%H%values = c_loc(self%value%H)
      self%polyhedron%K = c_loc(self%value%lower)
      head = c_loc(self%polyhedron)
    case default
      code = PERP_EINVAL
    end select
    if (code /= PERP_OK) call blame(fault, "law", "is none that this library knows", code=int(code))
  end function

  subroutine fill(c, value)
    type(perp_friction), intent(inout) :: c
    type(law), intent(in) :: value
    c%law%size = value%rows
    c%mu = value%a(1)
    c%e_n = value%a(2)
    c%e_t = value%a(3)
  end subroutine

  pure real(dp) function given(x, default)
    real(dp), intent(in), optional :: x
    real(dp), intent(in) :: default
    given = default
    if (present(x)) given = x
  end function

  pure integer function rows_of(plane, in_plane, in_space)
    logical, intent(in), optional :: plane
    integer, intent(in) :: in_plane, in_space
    rows_of = in_space
    if (present(plane)) rows_of = merge(in_plane, in_space, plane)
  end function

end module perp_law_values
