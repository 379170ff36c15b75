! SPDX-License-Identifier: MIT
!> Systems and relations of the user's own.
module mechanisms
  use perp
  implicit none
  real(dp), parameter :: g = 9.81_dp

  !> phi'' = -g / length sin(phi), as a Lagrangian system.
  type, extends(lagrangian) :: pendulum
    real(dp) :: length = 1, mass_ = 2
  contains
    procedure :: degrees => one
    procedure :: mass => pendulum_mass
    procedure :: internal => pendulum_torque
    procedure :: internal_dq => pendulum_stiffness
    procedure :: potential => pendulum_potential
  end type
  !> A mass point in the plane held by a rod: y = |q| - length.
  type, extends(lagrangian_relation) :: rod
    real(dp) :: length = 1
  contains
    procedure :: h => rod_h
    procedure :: h_dq => rod_h_dq
  end type
  !> A belt under a block: y = height, tangential velocity relative to the belt.
  type, extends(contact_relation) :: belt
    real(dp) :: speed = 0
  contains
    procedure :: gap => belt_gap
    procedure :: tangents => belt_tangents
    procedure :: slide => belt_slide
  end type
  !> A skate: no velocity across it.
  type, extends(velocity_relation) :: skate
  contains
    procedure :: g => skate_g
  end type
  type, extends(lagrangian_linear) :: shaken !< F(t) = cos(t), and what makes it fail
    real(dp) :: broken_from = huge(1.0_dp)
  contains
    procedure :: force => shaken_force
  end type
  type, extends(lagrangian_linear) :: damped !< u = -5 v
  contains
    procedure :: control => damping
  end type
  type, extends(first_order) :: logistic !< dx/dt = x (1 - x)
  contains
    procedure :: degrees => one_state
    procedure :: f => logistic_f
    procedure :: f_dx => logistic_f_dx
  end type
  type, extends(first_order_linear) :: driven !< dx/dt = -x + t
  contains
    procedure :: input => driven_input
  end type
  !> A diode with a threshold: y = x + 2 lambda - 1, r = lambda, as functions.
  type, extends(first_order_relation) :: threshold
  contains
    procedure :: h => threshold_h
    procedure :: g => threshold_g
  end type
  type, extends(varying_relation) :: ramp !< y = x - t, r = lambda
  contains
    procedure :: e_of => ramp_e
  end type
  type, extends(rigid_body) :: rocket !< thrust along z of the fixed frame
    real(dp) :: thrust = 0
  contains
    procedure :: force => rocket_force
  end type
  type, extends(rigid_body) :: steered !< a spring along x, 4 N/m, and a brake about z
  contains
    procedure :: control => steered_control
    procedure :: control_dq => steered_dq
  end type
  type, extends(body_contact) :: ceiling !< z <= 3
  contains
    procedure :: locate => ceiling_locate
  end type
  type, extends(prescribed_velocity) :: crank
  contains
    procedure :: velocity => crank_velocity
  end type

contains

  integer function one(self)
    class(pendulum), intent(in) :: self
    one = 1
  end function
  subroutine pendulum_mass(self, q, out, reply)
    class(pendulum), intent(in) :: self
    real(dp), intent(in) :: q(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    out(1, 1) = self%mass_ * self%length**2
  end subroutine
  subroutine pendulum_torque(self, t, q, v, out, reply)
    class(pendulum), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = self%mass_ * g * self%length * sin(q)
  end subroutine
  subroutine pendulum_stiffness(self, t, q, v, out, reply)
    class(pendulum), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    out(1, 1) = self%mass_ * g * self%length * cos(q(1))
  end subroutine
  subroutine pendulum_potential(self, q, out, reply)
    class(pendulum), intent(in) :: self
    real(dp), intent(in) :: q(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = self%mass_ * g * self%length * (1 - cos(q(1)))
  end subroutine
  subroutine rod_h(self, t, q, lambda, out, reply)
    class(rod), intent(in) :: self
    real(dp), intent(in) :: t, q(:), lambda(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = norm2(q) - self%length
  end subroutine
  subroutine rod_h_dq(self, t, q, lambda, out, reply)
    class(rod), intent(in) :: self
    real(dp), intent(in) :: t, q(:), lambda(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    out(1, :) = q / norm2(q)
  end subroutine
  subroutine belt_gap(self, t, q, out, reply)
    class(belt), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = q(2)
  end subroutine
  subroutine belt_tangents(self, t, q, out, reply)
    class(belt), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    out(1, 1) = 1
  end subroutine
  subroutine belt_slide(self, t, q, out, reply)
    class(belt), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = -self%speed
  end subroutine
  subroutine skate_g(self, t, q, v, out, reply)
    class(skate), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = v(1) - v(2)
  end subroutine
  subroutine shaken_force(self, t, f, reply)
    class(shaken), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    if (t > self%broken_from) call reply%give_up("the shaker is broken")
    f = cos(t)
  end subroutine
  subroutine damping(self, t, q, v, u, reply)
    class(damped), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: u(:)
    type(answer), intent(inout) :: reply
    u = -5 * v
  end subroutine
  integer function one_state(self)
    class(logistic), intent(in) :: self
    one_state = 1
  end function
  subroutine logistic_f(self, t, x, out, reply)
    class(logistic), intent(in) :: self
    real(dp), intent(in) :: t, x(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = x * (1 - x)
  end subroutine
  subroutine logistic_f_dx(self, t, x, out, reply)
    class(logistic), intent(in) :: self
    real(dp), intent(in) :: t, x(:)
    real(dp), intent(inout) :: out(:, :)
    type(answer), intent(inout) :: reply
    out(1, 1) = 1 - 2 * x(1)
  end subroutine
  subroutine driven_input(self, t, b, reply)
    class(driven), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: b(:)
    type(answer), intent(inout) :: reply
    b = t
  end subroutine
  subroutine threshold_h(self, t, x, lambda, out, reply)
    class(threshold), intent(in) :: self
    real(dp), intent(in) :: t, x(:), lambda(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = x + 2 * lambda - 1
  end subroutine
  subroutine threshold_g(self, t, x, lambda, out, reply)
    class(threshold), intent(in) :: self
    real(dp), intent(in) :: t, x(:), lambda(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = lambda
  end subroutine
  subroutine ramp_e(self, t, out, reply)
    class(ramp), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = -t
  end subroutine
  subroutine steered_control(self, t, q, v, u, reply)
    class(steered), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: u(:)
    type(answer), intent(inout) :: reply
    u = [-4 * q(1), -v(6)]
    if (size(q) /= 7 .or. size(v) /= 6) call reply%give_up("seven positions, six velocities")
  end subroutine
  subroutine steered_dq(self, t, q, v, by, reply)
    class(steered), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: by(:, :)
    type(answer), intent(inout) :: reply
    by(1, 1) = -4
    if (any(shape(by) /= [2, 6])) call reply%give_up("by six increments")
  end subroutine
  subroutine rocket_force(self, t, q, v, out, reply)
    class(rocket), intent(in) :: self
    real(dp), intent(in) :: t, q(:), v(:)
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = [0.0_dp, 0.0_dp, self%thrust]
  end subroutine
  subroutine ceiling_locate(self, t, q, spot, reply)
    class(ceiling), intent(in) :: self
    real(dp), intent(in) :: t, q(:)
    type(perp_contact_place), intent(inout) :: spot
    type(answer), intent(inout) :: reply
    spot%gap = 3 - q(3)
    spot%normal = [0, 0, -1]
    spot%a = q(1:3)
  end subroutine
  subroutine crank_velocity(self, t, out, reply)
    class(crank), intent(in) :: self
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: out(:)
    type(answer), intent(inout) :: reply
    out = t
  end subroutine

end module mechanisms

!> Every kind of system and relation against an exact motion.
program test_model
  use perp
  use check
  use mechanisms
  implicit none
  call pendulums()
  call circuits()
  call contacts()
  call bodies()
  call laws()
  call builder()
  call reports()
  call states()
  call finish("test_model")

contains

  subroutine pendulums()
    type(model) :: m
    type(simulation) :: sim
    type(event_driven) :: events
    type(simulation_options) :: o
    type(damped) :: brake
    real(dp) :: kinetic, potential, total, q(2), phi(1), h, t, lambda(1)
    integer :: s, i, status
    ! energy is kept to O(h^2); both strategies give one motion
    s = m%add(pendulum(length=0.5_dp), q0=[1.0_dp], v0=[0.0_dp])
    call sim%start(m, h=1e-3_dp)
    call sim%energy(kinetic, potential)
    total = kinetic + potential
    call expect(abs(total - 2 * g * 0.5_dp * (1 - cos(1.0_dp))) < 1e-12_dp, "potential")
    call sim%run(until=2.0_dp)
    call sim%energy(kinetic, potential)
    call expect(abs(kinetic + potential - total) < 1e-4_dp * total, "energy of a pendulum")
    call events%start(m)
    call events%run(2.0_dp)
    call events%energy(kinetic, potential)
    call expect(abs(kinetic + potential - total) < 1e-9_dp * total, "energy by events")
    phi = events%q(s) - sim%q(s)
    call expect(abs(phi(1)) < 1e-4_dp, "one motion by both strategies")
    ! the same in Cartesian coordinates on a rod, with and without a Jacobian
    m = model()
    s = m%add(lagrangian_linear(masses=[2.0_dp, 2.0_dp], forces=[0.0_dp, -2 * g]), &
              q0=0.5_dp * [sin(1.0_dp), -cos(1.0_dp)])
    i = m%connect(rod(length=0.5_dp), equality(), [s])
    o%h = 1e-4_dp
    o%projection = PERP_PROJECT_POSITIONS
    call sim%start(m, options=o)
    call sim%run(until=2.0_dp)
    q = sim%q(s)
    phi = events%q(1)
    call expect(norm2(q - 0.5_dp * [sin(phi(1)), -cos(phi(1))]) < 1e-4_dp, "a point on a rod")
    call expect(abs(norm2(q) - 0.5_dp) < 1e-7_dp, "of constant length")
    ! forced: q'' = cos t
    m = model()
    s = m%add(shaken(masses=[1.0_dp]))
    call events%start(m)
    call events%run(3.0_dp)
    phi = events%q(s)
    call expect(abs(phi(1) - (1 - cos(3.0_dp))) < 1e-8_dp, "F(t)")
    ! damped by control: v = exp(-5 t)
    brake%masses = [1.0_dp]
    allocate (brake%T(1, 1), source=1.0_dp)
    m = model()
    s = m%add(brake, v0=[1.0_dp])
    call events%start(m)
    call events%run(1.0_dp)
    phi = events%v(s)
    call expect(abs(phi(1) - exp(-5.0_dp)) < 1e-8_dp, "control")
    ! spring and damper: exact by the characteristic equation
    m = model()
    s = m%add(lagrangian_linear(mass=1.0_dp, stiffness=4.0_dp), q0=[1.0_dp])
    call events%start(m)
    call events%run(1.0_dp)
    phi = events%q(s)
    call expect(abs(phi(1) - cos(2.0_dp)) < 1e-8_dp, "a spring")
    ! a driven degree of freedom, and a skate
    m = model()
    s = m%add(lagrangian_linear(masses=[1.0_dp, 1.0_dp], forces=[2.0_dp, 0.0_dp]))
    i = m%connect(crank(index=[2]), equality(), [s])
    h = 0.01_dp
    call sim%start(m, h=h)
    call sim%run(until=1.0_dp)
    q = sim%v(s)
    t = sim%time()
    call expect(abs(q(2) - t) < 1e-12_dp .and. abs(q(1) - 2 * t) < 1e-12_dp, "prescribed velocity")
    m = model()
    s = m%add(lagrangian_linear(masses=[1.0_dp, 1.0_dp], forces=[2.0_dp, 0.0_dp]))
    i = m%connect(skate(), equality(), [s])
    call sim%start(m, h=h)
    call sim%run(steps=100)
    q = sim%v(s)
    call expect(all(abs(q - 1) < 1e-10_dp), "a skate moves along itself")
    lambda = sim%force(i, status)
    call expect(status == PERP_OK .and. abs(abs(lambda(1)) - 1) < 1e-9_dp, "and bears half the force")
    call expect(sim%level(i) == PERP_LEVEL_IMPULSE .and. sim%level(i + 1) == -1, "its lambda is an impulse")
  end subroutine

  subroutine circuits()
    type(model) :: m
    type(simulation) :: sim
    type(event_driven) :: events
    type(driven) :: input
    type(ramp) :: moving
    real(dp) :: x(1), lambda(1)
    integer :: s, i
    s = m%add(logistic(), x0=[0.1_dp])
    call events%start(m)
    call events%run(3.0_dp)
    x = events%x(s)
    call expect(abs(x(1) - 1 / (1 + 9 * exp(-3.0_dp))) < 1e-8_dp, "logistic")
    allocate (input%A(1, 1), source=-1.0_dp)
    m = model()
    s = m%add(input)
    call events%start(m)
    call events%run(2.0_dp)
    x = events%x(s)
    call expect(abs(x(1) - (1 + exp(-2.0_dp))) < 1e-8_dp, "input of time")
    ! y = x + 2 l - 1 >= 0 with dx/dt = -x + l: at rest l = (1 - x)/2 = x
    m = model()
    s = m%add(first_order_linear(reshape([-1.0_dp], [1, 1])), x0=[0.0_dp])
    i = m%connect(threshold(reads_x=.false.), complementarity(), [s])
    call sim%start(m, h=0.01_dp)
    call sim%run(until=20.0_dp)
    x = sim%x(s)
    lambda = sim%lambda(i)
    call expect(abs(x(1) - 1 / 3.0_dp) < 1e-9_dp .and. abs(lambda(1) - x(1)) < 1e-9_dp, "h and g")
    ! x is held above t by what it takes: dx/dt = 0 + l, y = x - t
    moving%C = reshape([1.0_dp], [1, 1])
    moving%B = moving%C
    m = model()
    s = m%add(first_order_linear(reshape([0.0_dp], [1, 1])), x0=[0.5_dp])
    i = m%connect(moving, complementarity(), [s])
    call sim%start(m, h=0.01_dp)
    call sim%run(until=2.0_dp)
    x = sim%x(s)
    lambda = sim%lambda(i)
    call expect(abs(x(1) - sim%time()) < 1e-10_dp .and. abs(lambda(1) - 1) < 1e-9_dp, "e(t)")
    ! relay: dx/dt = 1 + 3 l, y = x: reaches 0 and stays there with l = -1/3
    m = model()
    s = m%add(first_order_linear(reshape([0.0_dp], [1, 1]), b=[1.0_dp]), x0=[1.0_dp])
    i = m%connect(linear_relation(C=reshape([1.0_dp], [1, 1]), B=reshape([3.0_dp], [1, 1])), relay(), &
                  [s])
    call sim%start(m, h=0.01_dp)
    call sim%run(until=2.0_dp)
    x = sim%x(s)
    lambda = sim%lambda(i)
    call expect(abs(x(1)) < 1e-10_dp .and. abs(lambda(1) + 1 / 3.0_dp) < 1e-9_dp, "a relay slides")
  end subroutine

  !> A block on a belt of speed 1, mu = 0.3: it is carried along until it sticks at t = 1/(mu g).
  subroutine contacts()
    type(model) :: m
    type(simulation) :: sim
    real(dp) :: v(2), r(2), work, tangential
    integer :: s, i
    s = m%add(lagrangian_linear(masses=[2.0_dp, 2.0_dp], forces=[0.0_dp, -2 * g]))
    i = m%connect(belt(speed=1.0_dp), friction(0.3_dp, plane=.true.), [s])
    call sim%start(m, h=1e-3_dp)
    call sim%run(until=0.2_dp)
    v = sim%v(s)
    r = sim%force(i)
    call expect(abs(v(1) - 0.3_dp * g * sim%time()) < 1e-9_dp .and. abs(v(2)) < 1e-12_dp, "it slips")
    call expect(abs(r(1) - 2 * g) < 1e-9_dp .and. abs(r(2) - 0.6_dp * g) < 1e-9_dp, "on the cone")
    call sim%work_done(i, work, tangential)
    call expect(work < 0 .neqv. tangential > 0, "work of friction")
    call sim%run(until=1.0_dp)
    v = sim%v(s)
    call expect(abs(v(1) - 1) < 1e-9_dp, "it sticks")
  end subroutine

  subroutine bodies()
    type(model) :: m
    type(simulation) :: sim
    type(rocket) :: up
    type(steered) :: boat
    type(rigid_body) :: ball
    real(dp) :: q(7), v(6), r(3)
    integer :: s, i
    up%mass = 2
    up%f = [0.0_dp, 0.0_dp, -2 * g]
    up%thrust = 2 * g + 4 ! upwards with 2 m/s2
    s = m%add(up)
    i = m%connect(ceiling(), newton_impact(0.0_dp), [s])
    call sim%start(m, h=1e-3_dp)
    call sim%run(until=1.0_dp)
    q = sim%q(s)
    call expect(abs(q(3) - sim%time()**2) < 1e-9_dp .and. abs(q(4) - 1) < 1e-14_dp, "thrust")
    call sim%run(until=3.0_dp)
    q = sim%q(s)
    r(:1) = sim%force(i)
    call expect(abs(q(3) - 3) < 5e-3_dp .and. abs(r(1) - 4) < 1e-8_dp, "stopped by the ceiling")
    ! cos(2 t) along x, exp(-t) about z
    allocate (boat%T(6, 2), source=0.0_dp)
    boat%T(1, 1) = 1
    boat%T(6, 2) = 1
    m = model()
    s = m%add(boat, q0=[1.0_dp, 0.0_dp, 0.0_dp, 1.0_dp, 0.0_dp, 0.0_dp, 0.0_dp], &
              v0=[0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 1.0_dp])
    call sim%start(m, h=1e-3_dp, steps=1000)
    call sim%run()
    q = sim%q(s)
    v = sim%v(s)
    call expect(abs(q(1) - cos(2.0_dp)) < 1e-5_dp .and. abs(v(6) - exp(-1.0_dp)) < 1e-5_dp, "control")
    ! a ball that slides on a plane begins to roll with 5/7 of its speed
    ball%f = [0.0_dp, 0.0_dp, -g]
    ball%inertia = 0.4_dp * ball%inertia
    m = model()
    s = m%add(ball, q0=[0.0_dp, 0.0_dp, 1.0_dp, 1.0_dp, 0.0_dp, 0.0_dp, 0.0_dp], &
              v0=[1.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp])
    i = m%connect(sphere_plane(radius=1.0_dp), friction(0.2_dp), [s])
    call sim%start(m, h=1e-3_dp)
    call sim%run(until=0.5_dp)
    v = sim%v(s)
    call expect(abs(v(1) - 5 / 7.0_dp) < 1e-3_dp .and. abs(v(5) - v(1)) < 1e-3_dp, "a ball rolls")
    ! a bar on a pivot in its end, under gravity: phi'' = m g l / I sin(phi) at first
    ball%inertia = 0.4_dp * reshape([1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 3])
    m = model()
    s = m%add(ball, q0=[1.0_dp, 0.0_dp, 0.0_dp, 1.0_dp, 0.0_dp, 0.0_dp, 0.0_dp])
    i = m%connect(joint(kind=PERP_JOINT_PIVOT, point=[0.0_dp, 0.0_dp, 0.0_dp], &
                        axis=[0.0_dp, 1.0_dp, 0.0_dp]), equality(), [s])
    call sim%start(m, h=1e-4_dp)
    call sim%run(steps=10)
    v = sim%v(s)
    call expect(abs(v(5) - 1e-3_dp * g / 1.4_dp) < 1e-6_dp, "a pivot")
    i = m%connect(joint_coordinate(axis=[0.0_dp, 1.0_dp, 0.0_dp], kind=PERP_JOINT_PIVOT, &
                                   use=PERP_COORDINATE_UPPER, upper=0.1_dp), newton_impact(0.0_dp), [s])
    call sim%start(m, h=1e-3_dp)
    call sim%run(until=1.0_dp)
    v = sim%v(s)
    q = sim%q(s)
    call expect(abs(v(5)) < 1e-8_dp .and. abs(2 * asin(q(6)) - 0.1_dp) < 5e-3_dp, "a stop")
  end subroutine

  !> A block thrown on a floor obliquely: each law with its own impulse, by hand.
  subroutine laws()
    real(dp) :: v(2)
    v = after(friction(0.5_dp, plane=.true.))
    call expect(all(abs(v - [0.5_dp, 0.0_dp]) < 1e-12_dp), "friction")
    v = after(friction(0.5_dp, e_n=0.5_dp, plane=.true.))
    call expect(all(abs(v - [0.25_dp, 0.5_dp]) < 1e-12_dp), "with restitution")
    v = after(fremond(0.5_dp, e_n=0.5_dp, plane=.true.))
    call expect(abs(v(2) - 0.5_dp) < 1e-12_dp .and. abs(v(1) - 0.25_dp) < 1e-12_dp, "Fremond")
    v = after(mixed(1, 1))
    call expect(all(abs(v - [1.0_dp, 0.0_dp]) < 1e-12_dp), "mixed")
    v = after(box([-0.25_dp, -0.5_dp], [0.25_dp, 0.5_dp]))
    call expect(all(abs(v - [0.5_dp, -0.75_dp]) < 1e-12_dp), "box")
    v = after(polyhedron(reshape(real([1, 0, -1, 0, 0, 1, 0, -1], dp), [4, 2]), [-0.25_dp, -0.5_dp, &
                                                                              -0.25_dp, -0.5_dp]))
    call expect(all(abs(v - [0.5_dp, -0.75_dp]) < 1e-10_dp), "polyhedron")
    v = after(cohesive(0.5_dp, sigma_c=0.0_dp, G_c=1.0_dp, plane=.true.))
    call expect(all(abs(v - [0.5_dp, 0.0_dp]) < 1e-10_dp), "cohesive")
    v = after(rolling(0.5_dp, 0.1_dp, plane=.true.), 3)
    call expect(all(abs(v - [0.5_dp, 0.0_dp]) < 1e-10_dp), "rolling")
    v = after(compliant(k=1e12_dp, theta=1.0_dp), 1)
    call expect(all(abs(v - [1.0_dp, 0.0_dp]) < 1e-5_dp), "a stiff spring")
  end subroutine

  !> Velocity (x, y) after one step with a contact at height 0 and velocity (1, -1) before.
  function after(of, rows) result(v)
    type(law), intent(in) :: of
    integer, intent(in), optional :: rows
    real(dp) :: v(2), all(3), H(3, 3)
    type(model) :: m
    type(simulation) :: sim
    integer :: s, i, k
    k = 2
    if (present(rows)) k = rows
    H = reshape([0, 1, 0, 1, 0, 0, 0, 0, 1], [3, 3])
    s = m%add(lagrangian_linear(masses=[1.0_dp, 1.0_dp, 1.0_dp]), v0=[1.0_dp, -1.0_dp, 0.0_dp])
    i = m%connect(lagrangian_linear_relation(H(:k, :)), of, [s])
    call sim%start(m, h=1e-3_dp)
    call sim%step()
    all = sim%v(s)
    v = all(1:2)
  end function

  !> Descriptions that are shared, copies, and what is refused.
  subroutine builder()
    type(model) :: m, copy
    type(simulation) :: sim
    type(outcome) :: info
    real(dp) :: q(1)
    integer :: first, next, i, k
    first = m%add(lagrangian_linear(mass=1.0_dp, force=-g), q0=[1.0_dp])
    k = m%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.5_dp), [first])
    do i = 2, 100
      next = m%add_like(first, q0=[1.0_dp + i])
      call expect(next == i, "numbers")
      next = m%connect_like(k, [i])
    end do
    call expect(m%descriptions() == 3, "a system, a relation and a law")
    do i = 1, 3
      next = copy%add(lagrangian_linear(mass=1.0_dp, force=-g), q0=[1.0_dp * i])
      next = copy%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.5_dp), [i])
    end do
    call expect(copy%descriptions() == 3, "equal ones are one, however they were added")
    next = copy%add(lagrangian_linear(mass=2.0_dp, force=-g))
    next = copy%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.25_dp), [4])
    call expect(copy%descriptions() == 5, "others are not")
    next = copy%add(shaken(masses=[1.0_dp]))
    next = copy%add_like(next)
    next = copy%add(shaken(masses=[1.0_dp]))
    call expect(copy%descriptions() == 7, "with procedures each is its own")
    copy = m
    next = copy%add(lagrangian_linear(mass=1.0_dp))
    call expect(m%systems == 100 .and. copy%systems == 101, "a copy is a copy")
    call sim%start(m, h=1e-3_dp)
    call sim%run(steps=100)
    q = sim%q(100)
    call expect(abs(q(1) - (101 - g * sim%time()**2 / 2)) < 1e-9_dp, "each has its own place")
    i = m%add(lagrangian_linear(mass=1.0_dp), q0=[1.0_dp, 2.0_dp], info=info)
    call refused(info, PERP_EINVAL, "model%add: q0 has the shape (2) where (1) is needed")
    call expect(i == 0 .and. m%systems == 100, "and not added")
    i = m%add(lagrangian_linear(mass=1.0_dp), x0=[1.0_dp], info=info)
    call refused(info, PERP_EINVAL, "x0")
    i = m%connect(lagrangian_linear_relation(1.0_dp), equality(), [101], info=info)
    call refused(info, PERP_EINVAL, "systems(1) is no system of the model")
    i = m%connect(linear_relation(), equality(), [1], info=info)
    call refused(info, PERP_EINVAL, "systems(1) is of the other order")
    i = m%connect_like(1, [1, 2], info=info)
    call refused(info, PERP_EINVAL, "other degrees of freedom")
    i = m%connect(lagrangian_linear_relation([1.0_dp, 2.0_dp]), newton_impact(0.5_dp), [1])
    call sim%start(m, h=1e-3_dp, info=info)
    call refused(info, PERP_EINVAL, "interaction 101: H has the shape (1, 2) where (1, 1) is needed")
    m = model()
    i = m%add(lagrangian_linear(reshape([1.0_dp, 0.0_dp], [1, 2])))
    call sim%start(m, h=1e-3_dp, info=info)
    call refused(info, PERP_EINVAL, "system 1: M has the shape (1, 2) where (1, 1) is needed")
    m = model()
    i = m%add(lagrangian_linear(mass=infinity()))
    call sim%start(m, h=1e-3_dp, info=info)
    call refused(info, PERP_ENOTFINITE, "M")
    m = model()
    i = m%add(lagrangian_linear(mass=1.0_dp))
    i = m%connect(lagrangian_linear_relation(1.0_dp), newton_impact(1.5_dp), [1])
    call sim%start(m, h=1e-3_dp, info=info)
    call refused(info, PERP_EINVAL, "e of interaction 1 = 1.5")
  end subroutine

  !> A state that is set: what follows has the bits of a run that starts there.
  subroutine states()
    type(model) :: m, there
    type(simulation) :: sim, other
    type(outcome) :: info
    real(dp) :: q(1), v(1), x(1)
    integer :: s, i, tank
    s = m%add(lagrangian_linear(mass=1.0_dp, force=-g), q0=[1.0_dp])
    i = m%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.5_dp), [s])
    tank = m%add(first_order_linear(A=reshape([-1.0_dp], [1, 1])), x0=[1.0_dp])
    s = there%add(lagrangian_linear(mass=1.0_dp, force=-g), q0=[2.0_dp], v0=[-3.0_dp])
    i = there%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.5_dp), [s])
    i = there%add(first_order_linear(A=reshape([-1.0_dp], [1, 1])), x0=[5.0_dp])
    call sim%start(m, h=1e-3_dp)
    call sim%run(steps=700)
    call sim%set_state(s, q=[2.0_dp], v=[-3.0_dp])
    call sim%set_state(tank, x=[5.0_dp])
    call sim%run(steps=1000)
    call other%start(there, h=1e-3_dp)
    call other%run(steps=1000)
    q = sim%q(s) - other%q(s)
    v = sim%v(s) - other%v(s)
    x = sim%x(tank) - other%x(tank)
    call expect(all(abs([q, v, x]) <= 0), "the same bits from there on")
    call sim%set_state(s, v=[7.0_dp])
    q = sim%q(s) - other%q(s)
    v = sim%v(s)
    call expect(abs(q(1)) <= 0 .and. abs(v(1) - 7) <= 0, "what is absent stays")
    call sim%set_state(s, q=[1.0_dp, 2.0_dp], info=info)
    call refused(info, PERP_EINVAL, "simulation%set_state: q has the shape (2) where (1) is needed")
    call sim%set_state(tank, v=[1.0_dp], info=info)
    call refused(info, PERP_EINVAL, "v has the shape (1) where (0) is needed")
    call sim%set_state(3, info=info)
    call refused(info, PERP_EINVAL, "simulation%set_state: system(3) is none of the model")
    call sim%set_state(s, q=[infinity()], info=info)
    call refused(info, PERP_ENOTFINITE, "simulation%set_state: q of system 1 = inf")
    v = sim%v(s)
    call expect(abs(v(1) - 7) <= 0, "what is refused changes nothing")
  end subroutine

  !> Two motors on one mass that differ by little: the mean of both, in every step, and it is said.
  subroutine reports()
    type(model) :: m
    type(simulation) :: sim
    type(run_report) :: what
    type(event_driven) :: events
    type(event_report) :: cost
    type(outcome) :: info
    real(dp) :: v(1)
    integer :: s, i
    s = m%add(lagrangian_linear(mass=1.0_dp), v0=[1.0_dp])
    i = m%connect(prescribed_velocity(index=[1], constant=[1.0_dp]), equality(), [s])
    i = m%connect(prescribed_velocity(index=[1], constant=[1.001_dp]), equality(), [s])
    call sim%start(m, h=0.01_dp)
    call sim%run(steps=10)
    what = sim%report()
    v = sim%v(s)
    call expect(i == 2 .and. abs(v(1) - 1.0005_dp) < 1e-6_dp, "the mean")
    call expect(what%steps == 10 .and. what%relaxed == 10, "what was relaxed")
    call expect(what%dropped == 0 .and. what%failures == 0, "and nothing else")
    m = model()
    s = m%add(lagrangian_linear(mass=1.0_dp, force=-9.81_dp), q0=[1.0_dp])
    i = m%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.5_dp), [s])
    call events%start(m)
    call events%run(1.0_dp)
    call events%start(m, event_options(h_max=1e-3_dp, max_steps=5))
    call events%run(1.0_dp, info=info)
    call refused(info, PERP_MAX_ITER, "event_driven%run: not solved: max_steps are over since the last event or output")
    call events%start(m, event_options(storm_time=1.0_dp, storm_events=5, zeno=PERP_ZENO_STOP))
    call events%run(3.0_dp, info=info)
    call refused(info, PERP_STORM, "5 in less than 1 s, the last of contact 1 of system 1; try zeno = jump or step")
    call events%start(m)
    call events%run(1.0_dp)
    cost = events%report()
    call expect(cost%impacts == 2 .and. cost%events >= 2 .and. cost%problems >= 2, "two impacts until 1 s")
    call expect(cost%steps > 0 .and. cost%evaluations > cost%steps .and. cost%unresolved == 0, "and what they cost")
  end subroutine

end program test_model
