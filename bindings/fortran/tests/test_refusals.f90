! SPDX-License-Identifier: MIT
!> Types that lack what is needed.
module lacking
  use perp
  implicit none
  type, extends(lagrangian) :: massless
    integer :: n = 1
  contains
    procedure :: degrees => massless_degrees
  end type
  type, extends(first_order) :: still
  contains
    procedure :: degrees => still_degrees
  end type
  type, extends(first_order) :: large
    integer :: n = 0
  contains
    procedure :: degrees => large_degrees
    procedure :: f => large_f
  end type
  type, extends(lagrangian_relation) :: without_h
  end type
  type, extends(velocity_relation) :: without_g
  end type
  type, extends(contact_relation) :: without_gap
  end type
  type, extends(first_order_relation) :: without_output
  end type
  type, extends(varying_relation) :: constant
  end type
  type, extends(body_contact) :: lost
  contains
    procedure :: locate
  end type
contains
  integer function massless_degrees(self)
    class(massless), intent(in) :: self
    massless_degrees = self%n
  end function
  integer function still_degrees(self)
    class(still), intent(in) :: self
    still_degrees = 1
  end function
  integer function large_degrees(self)
    class(large), intent(in) :: self
    large_degrees = self%n
  end function
  subroutine large_f(self, t, x, out, reply)
    class(large), intent(in) :: self
    real(dp), intent(in) :: t, x(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = -x
  end subroutine
  subroutine locate(self, t, q, spot, reply)
    class(lost), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    type(perp_contact_place), intent(inout) :: spot
    type(answer), intent(inout) :: reply
    call reply%give_up("nowhere")
  end subroutine
end module lacking

!> What a model is refused for, and with which words.
program test_refusals
  use perp
  use check
  use lacking
  implicit none
  real(dp), parameter :: one(1, 1) = 1, row(1, 2) = 1, column(2, 1) = 1
  type(model) :: m
  type(simulation_options) :: o
  type(outcome) :: info
  real(dp) :: nan
  nan = infinity()
  nan = nan - nan
  call linear_systems()
  call other_systems()
  call initial_values()
  call linear_relations()
  call other_relations()
  call bodies()
  call laws()
  call options()
  call finish("test_refusals")

contains

  !> Add a system, and see the start refused.
  subroutine system_refused(s, words, status)
    class(system), intent(in) :: s
    character(*), intent(in) :: words
    integer, intent(in), optional :: status
    integer :: k
    m = model()
    k = m%add(lagrangian_linear(mass=1.0_dp))
    k = m%add(s, info=info)
    call expect(info%status == PERP_OK, "added: " // info%text)
    if (index(words, " 2") > 0) call start_refused(words, status)
    if (index(words, " 2") == 0) call start_refused("system 2: " // words, status)
  end subroutine

  subroutine start_refused(words, status)
    character(*), intent(in) :: words
    integer, intent(in), optional :: status
    type(simulation) :: sim
    integer :: code
    code = PERP_EINVAL
    if (present(status)) code = status
    call sim%start(m, options=o, info=info)
    call refused(info, code, words)
    call expect(.not. sim%is_open(), "what was refused is not open")
  end subroutine

  !> Join a system of order 2 with two degrees of freedom, one of order 1, or a body.
  subroutine joined_refused(r, of, which, words, status)
    class(relation), intent(in) :: r
    type(law), intent(in) :: of
    integer, intent(in) :: which
    character(*), intent(in) :: words
    integer, intent(in), optional :: status
    integer :: k
    m = model()
    k = m%add(lagrangian_linear(masses=[1.0_dp, 1.0_dp]))
    k = m%add(first_order_linear(one))
    k = m%add(rigid_body())
    k = m%connect(r, of, [which], info=info)
    call expect(info%status == PERP_OK, "joined: " // info%text)
    if (index(words, "interaction") == 0) call start_refused("interaction 1: " // words, status)
    if (index(words, "interaction") == 1) call start_refused(words(13:), status)
    if (index(words, " of interaction") > 0) call start_refused(words, status)
  end subroutine

  subroutine linear_systems()
    type(lagrangian_linear) :: l
    type(first_order_linear) :: f
    integer :: k
    k = m%add(l, info=info)
    call refused(info, PERP_EINVAL, "model%add: system has no degrees of freedom")
    l%masses = [1.0_dp, 2.0_dp]
    l%K = one
    call system_refused(l, "K has the shape (1, 1) where (2, 2) is needed")
    deallocate (l%K)
    l%C = row
    call system_refused(l, "C has the shape (1, 2)")
    deallocate (l%C)
    l%f = [1.0_dp]
    call system_refused(l, "f has the shape (1)")
    l%f = [1.0_dp, nan]
    call system_refused(l, "f of system 2 = ", PERP_ENOTFINITE)
    deallocate (l%f)
    l%masses(2) = -2
    call system_refused(l, "M of system 2 = -2")
    l%masses(2) = 2
    l%T = column
    call system_refused(l, "control is needed where there are inputs")
    l%T = row
    call system_refused(l, "T has the shape (1, 2) where (2, 2) is needed")
    deallocate (l%T)
    l%inputs = 1
    call system_refused(l, "control is needed")
    l%inputs = -1
    call system_refused(l, "control is needed")
    k = m%add(f, info=info)
    call refused(info, PERP_EINVAL, "no degrees of freedom")
    f%A = one
    f%b = [1.0_dp, 2.0_dp]
    call system_refused(f, "b has the shape (2) where (1) is needed")
    f%b = [nan]
    call system_refused(f, "b of system 2 = ", PERP_ENOTFINITE)
    deallocate (f%b)
    f%M = column
    call system_refused(f, "M has the shape (2, 1)")
  end subroutine

  subroutine other_systems()
    type(rigid_body) :: b
    integer :: k
    call system_refused(massless(), "M is needed")
    k = m%add(massless(n=-1), info=info)
    call refused(info, PERP_EINVAL, "no degrees of freedom")
    k = m%add(massless(n=huge(1)), info=info)
    call refused(info, PERP_EINVAL, "model%add: system has too many degrees of freedom")
    k = m%add(large(n=100000001), info=info)
    call refused(info, PERP_EINVAL, "model%add: system has too many degrees of freedom")
    call system_refused(large(n=1000000), "f_dx = 8000000000000: no memory", PERP_EWORKSPACE)
    call system_refused(still(), "f is needed")
    b%mass = -1
    call system_refused(b, "mass of body 2 = -1")
    b%mass = 1
    b%inertia(1, 1) = nan
    call system_refused(b, "inertia of body 2 = ", PERP_ENOTFINITE)
    b%inertia(1, 1) = 1
    b%torque_frame = 77
    call system_refused(b, "torque_frame of body 2 = 77")
    b%torque_frame = PERP_FRAME_BODY
    b%gyroscopic = 99
    call system_refused(b, "gyroscopic of body 2 = 99")
  end subroutine

  subroutine initial_values()
    type(lagrangian_linear) :: l
    integer :: k
    l%masses = [1.0_dp, 1.0_dp]
    m = model()
    k = m%add(l)
    k = m%add(l, q0=[1.0_dp, nan])
    call start_refused("system 2: q0(2) = nan: must be finite", PERP_ENOTFINITE)
    m = model()
    k = m%add_like(1, info=info)
    call refused(info, PERP_EINVAL, "like is no system")
    k = m%connect_like(1, [1], info=info)
    call refused(info, PERP_EINVAL, "like is no interaction")
    k = m%add(l, v0=[1.0_dp], info=info)
    call refused(info, PERP_EINVAL, "v0 has the shape (1) where (2) is needed")
    k = m%add(l)
    k = m%add_like(1, v0=[1.0_dp], info=info)
    call refused(info, PERP_EINVAL, "model%add_like: v0 has the shape (1)")
    k = m%add(first_order_linear(one), q0=[1.0_dp], info=info)
    call refused(info, PERP_EINVAL, "q0 is for systems of order 2")
    k = m%add(first_order_linear(one), x0=[infinity()])
    call start_refused("system 2: x0(1) = inf: must be finite", PERP_ENOTFINITE)
    m = model()
    k = m%add(rigid_body(), q0=[(0.0_dp, k=1, 7)])
    call start_refused("q0")
    call expect(m%systems == 1, "what is refused is not added")
  end subroutine

  subroutine linear_relations()
    type(lagrangian_linear_relation) :: l
    type(linear_relation) :: f
    type(prescribed_velocity) :: p
    integer :: k
    call joined_refused(l, equality(), 1, "H is needed")
    l%H = row
    l%D = row
    call joined_refused(l, equality(), 1, "D has the shape (1, 2) where (1, 1) is needed")
    deallocate (l%D)
    l%b = [1.0_dp, 2.0_dp]
    call joined_refused(l, equality(), 1, "b has the shape (2)")
    deallocate (l%b)
    l%z = [1.0_dp]
    call joined_refused(l, equality(), 1, "F is needed where there is a z")
    l%F = row
    call joined_refused(l, equality(), 1, "F has the shape (1, 2) where (1, 1) is needed")
    deallocate (l%F, l%z)
    l%H(1, 2) = nan
    call joined_refused(l, equality(), 1, "H of interaction 1 = ", PERP_ENOTFINITE)
    l%H(1, 2) = 1
    call joined_refused(l, friction(0.5_dp), 1, "law.size of interaction 1 = ")
    k = m%connect(l, equality(), [integer ::], info=info)
    call refused(info, PERP_EINVAL, "systems is empty")
    k = m%connect(l, equality(), [1, 9], info=info)
    call refused(info, PERP_EINVAL, "systems(2) is no system of the model")
    k = m%connect(l, equality(), [1, 2], info=info)
    call refused(info, PERP_EINVAL, "systems(2) is of the other order")
    m = model()
    k = m%add(lagrangian_linear(mass=1.0_dp))
    k = m%connect(l, equality(), [1, 1])
    call start_refused("systems")
    call joined_refused(f, equality(), 2, "C is needed")
    f%C = one
    f%e = [1.0_dp, 1.0_dp]
    call joined_refused(f, equality(), 2, "e has the shape (2)")
    call joined_refused(p, equality(), 1, "index is needed")
    p%index = [3]
    call joined_refused(p, equality(), 1, "index counts from 1 to 2")
    p%index = [0]
    call joined_refused(p, equality(), 1, "index counts from 1 to 2")
    p%index = [1]
    p%constant = [1.0_dp, 1.0_dp]
    call joined_refused(p, equality(), 1, "constant has the shape (2)")
  end subroutine

  subroutine other_relations()
    type(without_h) :: h
    type(constant) :: c
    call joined_refused(h, equality(), 1, "h is needed")
    h%m = 0
    call joined_refused(h, equality(), 1, "m is not positive")
    call joined_refused(without_g(), equality(), 1, "g is needed")
    call joined_refused(without_gap(), friction(0.5_dp), 1, "gap is needed")
    call joined_refused(without_gap(), newton_impact(0.5_dp), 1, "gaps is not positive, or the law has a single row")
    call joined_refused(without_output(), equality(), 2, "h is needed")
    call joined_refused(c, equality(), 2, "m is not positive")
    c%m = 1
    call joined_refused(c, equality(), 2, "C of interaction 1")
  end subroutine

  subroutine bodies()
    call joined_refused(lost(), friction(0.5_dp), 1, "systems have to be bodies")
    call joined_refused(sphere_plane(), mixed(2, 2), 3, "systems have to be one or two bodies, with a law of")
    call joined_refused(joint(kind=99), equality(), 3, "kind or the number of bodies is not known")
    call joined_refused(joint(kind=PERP_JOINT_PIVOT, axis=[0.0_dp, 0.0_dp, 0.0_dp]), equality(), 3, "axis has no direction")
    call joined_refused(joint_coordinate(coordinate=99), equality(), 3, "coordinate or use is not known")
    call joined_refused(gear(), equality(), 3, "systems have to be two or three bodies")
    call joined_refused(lost(), friction(0.5_dp), 3, "interaction nowhere", PERP_ECALLBACK)
  end subroutine

  subroutine laws()
    type(law) :: none
    call law_refused(none, 1, "law is none that this library knows")
    call law_refused(newton_impact(1.5_dp), 1, "e of interaction 1 = 1.5")
    call law_refused(friction(-1.0_dp, plane=.true.), 2, "mu of interaction 1 = -1")
    call law_refused(box([1.0_dp], [0.0_dp]), 1, "lower of interaction 1 = ")
    call law_refused(box([1.0_dp], [2.0_dp, 3.0_dp]), 1, "upper has the shape (2) where (1) is needed")
    call law_refused(box([real(dp) ::], [real(dp) ::]), 1, "size of interaction 1 = 0")
    call law_refused(relay(-1.0_dp), 1, "limit of a relay is negative or NaN")
    call law_refused(relay(nan), 1, "limit of a relay is negative or NaN")
    call law_refused(rolling(0.5_dp, -0.1_dp, plane=.true.), 3, "mu_rolling of interaction 1 = -0.1")
    call law_refused(mixed(0, 0), 1, "size of interaction 1 = 0")
    call law_refused(mixed(-1, 2), 1, "equalities of interaction 1 = -1")
    call law_refused(compliant(-1.0_dp), 1, "k of interaction 1 = -1")
    call law_refused(compliant(1.0_dp, theta=2.0_dp), 1, "theta of interaction 1 = 2")
    call law_refused(fremond(0.5_dp, e_n=2.0_dp, plane=.true.), 2, "e_n of interaction 1 = 2")
    call law_refused(cohesive(0.5_dp, -1.0_dp, 1.0_dp, plane=.true.), 2, "sigma_c of interaction 1 = -1")
    call law_refused(polyhedron(column, [1.0_dp]), 1, "K has the shape (1) where (2) is needed")
  end subroutine

  subroutine law_refused(of, rows, words)
    type(law), intent(in) :: of
    integer, intent(in) :: rows
    character(*), intent(in) :: words
    real(dp) :: H(3, 3)
    integer :: i, k
    H = 0
    do i = 1, 3
      H(i, i) = 1
    end do
    m = model()
    k = m%add(lagrangian_linear(masses=[1.0_dp, 1.0_dp, 1.0_dp]))
    k = m%connect(lagrangian_linear_relation(H(:rows, :)), of, [1])
    if (index(words, " of interaction") > 0) call start_refused(words)
    if (index(words, " of interaction") == 0) call start_refused("interaction 1: " // words)
  end subroutine

  subroutine options()
    integer :: k
    m = model()
    k = m%add(lagrangian_linear(mass=1.0_dp))
    k = m%add(first_order_linear(one))
    o%integrator = "euler"
    call start_refused("integrator is not known: euler")
    o%integrator = "automatic"
    o%thetas = [1.0_dp]
    call start_refused("thetas has the shape (1) where (2) is needed")
    deallocate (o%thetas)
    o%grid = [1.0_dp, 0.0_dp]
    call start_refused("grid")
    call grids()
    call names()
    o%solver%name = "none"
    call start_refused("method names no solver: none")
  end subroutine

  !> What goes without a grid.
  subroutine grids()
    type(simulation) :: sim
    o%grid = [1.0_dp]
    call start_refused("grid needs two times or more")
    o%grid = [1.0_dp, 2.0_dp]
    o%t0 = 1
    call start_refused("t0 goes without a grid")
    o%t0 = 0
    o%h = 0.5_dp
    call start_refused("h goes without a grid")
    o%h = 1e-3_dp
    o%steps = 3
    call start_refused("steps goes without a grid")
    o%steps = 0
    call sim%start(m, h=1e-3_dp, options=o, info=info)
    call refused(info, PERP_EINVAL, "simulation%start: h goes without a grid")
    call sim%start(m, steps=1, options=o, info=info)
    call refused(info, PERP_EINVAL, "simulation%start: steps goes without a grid")
    call sim%start(m, options=o, info=info)
    call expect(info%status == PERP_OK .and. abs(sim%time() - 1) <= 0, "a grid alone: " // info%text)
    deallocate (o%grid)
  end subroutine

  !> Integrators of an order that no system has, and names that are too long.
  subroutine names()
    type(event_driven) :: events
    type(event_options) :: e
    character(:), allocatable :: long
    integer :: k
    real(dp) :: z(1), w(1)
    m = model()
    k = m%add(lagrangian_linear(mass=1.0_dp))
    o%integrator = "theta-gamma"
    call start_refused("integrator theta-gamma is for systems of order 1, of which there is none")
    o%integrator = "theta"
    call start_refused("integrator theta is for systems of order 1")
    m = model()
    k = m%add(first_order_linear(one))
    o%integrator = "schatzman-paoli"
    call start_refused("integrator schatzman-paoli is for systems of order 2")
    long = "theta" // repeat(" ", 122) // "-or-not"
    o%integrator = long
    call start_refused("integrator has a name of more than 127 characters")
    o%integrator = "automatic"
    long = repeat("lemke", 30)
    o%solver%name = long
    call start_refused("method has a name of more than 127 characters")
    o%solver = method("a-name-of-more-than-thirty-two-letters")
    call start_refused("method names no solver: a-name-of-more-than-thirty-two-letters")
    o%solver = method("lemke                            nonsense")
    call start_refused("method names no solver: lemke   ")
    call solve_lcp(one, [-1.0_dp], z, w, method(repeat("a", 128)), info=info)
    call refused(info, PERP_EINVAL, "solve_lcp: method has a name of more than 127 characters")
    call solve_relay(one, [-1.0_dp], z, w, limit=-1.0_dp, info=info)
    call refused(info, PERP_EINVAL, "solve_relay: limit is negative or NaN")
    e%smooth = long
    call events%start(m, options=e, info=info)
    call refused(info, PERP_EINVAL, "smooth has a name of more than 127 characters")
  end subroutine

end program test_refusals
