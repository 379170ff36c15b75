# SPDX-License-Identifier: MIT
"""Every kind of system, relation and law in a run, against exact motions or discrete equations that
are written out here."""
import math
import unittest

import numpy as np

import perp


def ball_model(e=0.9, q0=1.0, law=None):
    m = perp.Model()
    ball = m.add(perp.LagrangianLinear(M=1.0, f=[-9.81]), [q0])
    floor = m.connect(perp.LagrangianLinearRelation([1.0]), law or perp.newton_impact(e), ball)
    return m, ball, floor


class Systems(unittest.TestCase):
    def test_an_oscillator_linear_and_nonlinear(self):
        k, h, n = 4.0, 1e-3, 1000
        exact = math.cos(2.0 * n * h)
        for s in (perp.LagrangianLinear(M=1.0, K=k),
                  perp.Lagrangian(1, M=1.0, internal=lambda q: k * q),
                  perp.Lagrangian(1, mass=lambda q: [[1.0]], internal=lambda q, out: np.multiply(q, k, out=out),
                                  internal_dq=[[k]], internal_dv=[[0.0]]),
                  perp.LagrangianLinear(M=1.0, control=perp.Control(1, lambda q: -k * q, T=[[1.0]])),
                  perp.LagrangianLinear(M=1.0, z=np.array([k]), control=perp.Control(1, lambda q, z: -z * q, T=[[1.0]])),
                  perp.Lagrangian(1, M=1.0, z=np.array([k]), internal=lambda t, q, z: z * q)):
            m = perp.Model()
            i = m.add(s, [1.0])
            sim = perp.Simulation(m, h, n)
            self.assertEqual(sim.run(), perp.Status.END)
            self.assertAlmostEqual(sim.q(i)[0], exact, delta=2e-6)

    def test_matrices_by_rows_reach_c_by_columns(self):
        K = np.array([[3.0, 1.0], [1.0, 2.0]])
        C = np.array([[0.1, 0.7], [-0.7, 0.2]])  # not symmetric
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=[2.0, 1.0], C=C, K=K, f=[0.5, -0.5]), [1.0, 0.0], [0.0, 2.0])
        h, theta = 0.01, 0.5
        sim = perp.Simulation(m, h, theta=theta)
        sim.step()
        M, q, v, f = np.diag([2.0, 1.0]), np.array([1.0, 0]), np.array([0, 2.0]), np.array([0.5, -0.5])
        W = M + h * theta * C + h * h * theta**2 * K
        new = v + np.linalg.solve(W, -(h * C + h * h * theta * K) @ v - h * K @ q + h * f)
        np.testing.assert_allclose(sim.v(s), new, atol=1e-14)
        np.testing.assert_allclose(sim.q(s), q + h * (theta * new + (1 - theta) * v), atol=1e-14)

    def test_first_order_systems(self):
        A = np.array([[0.0, 1.0], [-1.0, 0.0]])
        for s in (perp.FirstOrderLinear(A=A), perp.FirstOrder(2, lambda x: A @ x),
                  perp.FirstOrder(2, lambda t, x, out: np.matmul(A, x, out=out), f_dx=A),
                  perp.FirstOrderLinear(n=2, state_matrix=lambda t: A),
                  perp.FirstOrderLinear(n=2, control=perp.Control(2, lambda x: A @ x, T=np.eye(2), u_dx=A)),
                  perp.FirstOrderLinear(n=2, z=A.ravel(), control=perp.Control(
                      2, lambda x, z: z.reshape(2, 2) @ x, effect=lambda z, out: np.copyto(out, abs(z[1]) * np.eye(2))))):
            m = perp.Model()
            i = m.add(s, x0=[1.0, 0.0])
            sim = perp.Simulation(m, 1e-3, 1000)
            sim.run()
            np.testing.assert_allclose(sim.x(i), [math.cos(1.0), -math.sin(1.0)], atol=1e-6)

    def test_functions_of_time(self):
        m = perp.Model()
        a = m.add(perp.LagrangianLinear(M=1.0, force=math.cos))
        b = m.add(perp.FirstOrderLinear(n=1, A=0.0, input=lambda t: math.cos(t)))
        sim = perp.Simulation(m, 1e-3, 1000)
        sim.run()
        self.assertAlmostEqual(sim.v(a)[0], math.sin(1.0), delta=1e-6)
        self.assertAlmostEqual(sim.x(b)[0], math.sin(1.0), delta=1e-6)

    def test_a_body_keeps_its_angular_momentum(self):
        inertia = np.diag([1.0, 2.0, 3.0])
        m = perp.Model()
        b = m.add(perp.Body(2.0, inertia), perp.pose_at([0, 0, 1]), [1, 0, 0, 0.1, 2.0, 0.1])
        sim = perp.Simulation(m, 1e-3, 500)
        sim.run()
        R = perp.rotation_matrix(sim.q(b)[3:])
        np.testing.assert_allclose(R @ inertia @ sim.v(b)[3:], [0.1, 4.0, 0.3], atol=1e-5)
        np.testing.assert_allclose(sim.q(b)[:3], [0.5, 0, 1], atol=1e-12)

    def test_force_and_torque_of_a_body(self):
        jac = (np.zeros((3, 6)), np.zeros((3, 6)))
        m = perp.Model()
        b = m.add(perp.Body(2.0, force=lambda t: [2 * math.cos(t), 0, 0], torque=lambda t, q, v: [0, 0, 1.0],
                            force_jacobian=lambda t: jac))
        sim = perp.Simulation(m, 1e-3, 1000)
        sim.run()
        self.assertAlmostEqual(sim.v(b)[0], math.sin(1.0), delta=1e-5)
        self.assertAlmostEqual(sim.v(b)[5], 1.0, delta=1e-9)

    def test_control_sees_z_in_every_kind_of_system(self):
        # each takes its sixth part, or whole, of u = z: the rate after 1 s is z
        z = np.array([0.25, 0.5])
        sizes = set()

        def u(t, z, q=None, v=None, x=None):
            sizes.add(z.size)
            return [z.sum()]
        one = perp.Control(1, u, T=[[1.0]])
        m = perp.Model()
        first = [m.add(s) for s in (perp.FirstOrderLinear(A=0.0, control=one, z=z),
                                    perp.FirstOrder(1, lambda x: 0 * x, control=one, z=z))]
        second = [m.add(s) for s in (perp.LagrangianLinear(M=1.0, control=one, z=z),
                                     perp.Lagrangian(1, M=1.0, control=one, z=z))]
        body = m.add(perp.Body(control=perp.Control(1, u, T=[1.0, 0, 0, 0, 0, 0]), z=z))
        sim = perp.Simulation(m, 0.01)
        for want in (0.75, 1.75):
            sim.run(until=sim.time + 1 - 1e-9)
            for s in first:
                self.assertAlmostEqual(sim.x(s)[0], want, delta=1e-9)
            for s in [*second, body]:
                self.assertAlmostEqual(sim.v(s)[0], want, delta=1e-9)
            z[0] = 0.5  # read where it is
        self.assertEqual(sizes, {2})

    def test_control_of_a_body_by_events_and_steps(self):
        # a spring of 4 N/m along x and a brake about z, as control: cos 2t, exp(-t)
        T = np.zeros((6, 2))
        T[0, 0] = T[5, 1] = 1.0
        turned = perp.Control(2, lambda q, v: [-4 * q[0], -v[5]], effect=lambda q: T)
        given = perp.Control(2, lambda q, v: [-4 * q[0], -v[5]], T=T, u_dq=np.array([[-4.0, 0, 0, 0, 0, 0], [0] * 6]),
                             u_dv=lambda q, v, out: out.__setitem__((1, 5), -1.0))
        for control in (turned, given):
            m = perp.Model()
            b = m.add(perp.Body(control=control), perp.pose_at([1, 0, 0]), [0, 0, 0, 0, 0, 1])
            sim = perp.Simulation(m, 1e-3, 1000)
            sim.run()
            events = perp.EventDriven(m)
            events.run(1.0)
            for run, tol in ((sim, 1e-5), (events, 1e-6)):
                self.assertAlmostEqual(run.q(b)[0], math.cos(2.0), delta=tol)
                self.assertAlmostEqual(run.v(b)[5], math.exp(-1.0), delta=tol)
        with self.assertRaisesRegex(perp.ArgumentError, "control.T"):
            m.add(perp.Body(control=perp.Control(1, lambda q: q, T=[1.0, 2.0])))


class Relations(unittest.TestCase):
    def test_all_relations_of_positions_let_a_ball_rest(self):
        kinds = [perp.LagrangianLinearRelation([1.0]), perp.LagrangianScleronomous(lambda q: q, [[1.0]]),
                 perp.LagrangianScleronomous(lambda q, out: out.__setitem__(0, q[0])),
                 perp.LagrangianRheonomous(lambda t, q: q + 0 * t, [[1.0]], h_dt=[0.0]),
                 perp.LagrangianCompliant(lambda q, lambda_: q, [[1.0]], D=[[0.0]])]
        for r in kinds:
            m = perp.Model()
            ball = m.add(perp.LagrangianLinear(M=2.0, f=[-19.62]), [0.0])
            floor = m.connect(r, perp.newton_impact(0.0), ball)
            sim = perp.Simulation(m, 0.01, 50)
            sim.run()
            self.assertAlmostEqual(sim.q(ball)[0], 0.0, delta=1e-9)
            self.assertAlmostEqual(sim.lambda_(floor)[0], 0.1962, delta=1e-8)
            self.assertAlmostEqual(sim.force(floor)[0], 19.62, delta=1e-6)

    def test_friction_on_a_mechanism_in_the_plane(self):
        m = perp.Model()
        block = m.add(perp.LagrangianLinear(M=[1.0, 1.0], f=[0.0, -10.0]), [0.0, 0.0], [2.0, 0.0])
        floor = m.connect(perp.LagrangianContactRelation(lambda q: q[1], [[1.0, 0.0]], G=[[0.0, 1.0]]),
                          perp.friction_2d(0.3), block)
        sim = perp.Simulation(m, 1e-3, 500)
        sim.run()
        self.assertAlmostEqual(sim.v(block)[0], 2.0 - 0.3 * 10 * 0.5, delta=1e-9)
        np.testing.assert_allclose(sim.lambda_(floor), [0.01, -0.003], atol=1e-12)
        self.assertAlmostEqual(sim.work().tangential, -0.003 * (sim.v(block)[0] + 0.0015), delta=1e-12)
        self.assertEqual(len(sim.contacts()), 1)

    def test_prescribed_velocity_and_skate(self):
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=[1.0, 1.0]))
        m.connect(perp.PrescribedVelocity([1], 0.5, harmonics=[[0.1, 2.0, 0.0]], velocity=lambda t: t),
                  perp.equality(), s)
        m.connect(perp.LagrangianVelocityRelation(lambda v: v[0] - 0.25, [[1.0, 0.0]]), perp.equality(), s)
        sim = perp.Simulation(m, 1e-3, 1000)
        sim.run()
        np.testing.assert_allclose(sim.v(s), [0.25, 0.5 + 0.1 * math.cos(2.0) + 1.0], atol=1e-9)

    def test_all_relations_of_order_1_are_the_same_diode(self):
        kinds = [perp.LinearRelation(C=[[1.0]], B=[[1.0]]), perp.LinearVaryingRelation(C=lambda t: [[1.0]], B=[[1.0]]),
                 perp.FirstOrderType1(lambda x: x, lambda lambda_: lambda_, C=[[1.0]], B=[[1.0]]),
                 perp.FirstOrderType2(lambda x, lambda_: x, lambda lambda_: lambda_),
                 perp.FirstOrderRelation(lambda x, lambda_: x, lambda x, lambda_: lambda_)]
        for r in kinds:
            m = perp.Model()
            s = m.add(perp.FirstOrderLinear(A=0.0, b=[-1.0]), [1.0])  # falls at rate 1, held at 0
            d = m.connect(r, perp.complementarity(), s)
            sim = perp.Simulation(m, 0.01, 200)
            sim.run()
            self.assertAlmostEqual(sim.x(s)[0], 0.0, delta=1e-9)
            self.assertAlmostEqual(sim.lambda_(d)[0], 1.0, delta=1e-9)
            with self.assertRaises(perp.ArgumentError):
                sim.ydot(d)

    def test_bodies_contacts_and_joints(self):
        for place in (perp.SpherePlane(0.1), lambda q: perp.ContactPlace(q[2] - 0.1, [0, 0, 1], [q[0], q[1], q[2] - 0.1])):
            m = perp.Model()
            b = m.add(perp.ball(1.0, 0.1, [0, 0, -9.81]), perp.pose_at([0, 0, 0.1]), [1.0, 0, 0, 0, 0, 0])
            floor = m.connect(perp.BodyContact(place), perp.friction_3d(0.5), b)
            sim = perp.Simulation(m, 1e-3, 500)
            sim.run()
            # slides until it rolls: v = 5/7 of what it had
            self.assertAlmostEqual(sim.v(b)[0], 5 / 7, delta=1e-3)
            self.assertAlmostEqual(sim.lambda_(floor)[0], 9.81e-3, delta=1e-9)
        m = perp.Model()
        at = perp.pose_at([1, 0, 0])
        bar = m.add(perp.brick(1.0, [2.0, 0.1, 0.1], [0, 0, -9.81]), at)
        pivot = perp.pivot_joint([0, 0, 0], [0, 1, 0], at)
        m.connect(pivot, perp.equality(), bar)
        m.connect(perp.joint_stops(pivot, -1.0, 0.5), perp.newton_impact(0.0), bar)
        sim = perp.Simulation(m, 1e-3, 2000, projection="positions")
        sim.run()
        self.assertAlmostEqual(perp.coordinate_value(pivot, sim.q(bar)), 0.5, delta=1e-6)
        self.assertAlmostEqual(np.linalg.norm(sim.q(bar)[:3]), 1.0, delta=1e-6)

    def test_a_drive_a_motor_and_gears(self):
        m = perp.Model()
        poses = [perp.pose_at([0, 0, 0]), perp.pose_at([1, 0, 0])]
        a, b = (m.add(perp.Body(1.0), p) for p in poses)
        pa, pb = (perp.pivot_joint(p[:3], [0, 0, 1], p) for p in poses)
        for j, s in ((pa, a), (pb, b)):
            m.connect(j, perp.equality(), s)
        m.connect(perp.Gear(20, 10, [0, 0, 1], [0, 0, 1], *poses), perp.equality(), [a, b])
        m.connect(perp.joint_drive(pa, lambda t: 2.0), perp.equality(), a)
        m.connect(perp.joint_effort(pb), perp.box(-0.1, 0.1), b)
        sim = perp.Simulation(m, 1e-3, 100)
        sim.run()
        self.assertAlmostEqual(sim.v(a)[5], 2.0, delta=1e-6)
        self.assertAlmostEqual(sim.v(b)[5], -4.0, delta=1e-6)

    def test_contacts_that_come_and_go(self):
        m = perp.Model()
        balls = [m.add(perp.ball(1.0, 0.5, [0, 0, -10.0]), perp.pose_at([0, 0, 0.5 + 1.0 * k])) for k in range(3)]

        def find(search):
            for i in range(search.systems):
                q = search.q(i)
                if i == 0:
                    search.add(i, perp.GROUND, perp.ContactPlace(q[2] - 0.5, [0, 0, 1], [0, 0, q[2] - 0.5]))
                else:
                    p = search.q(i - 1)
                    search.add(i, i - 1, perp.ContactPlace(q[2] - p[2] - 1, [0, 0, 1], [0, 0, q[2] - 0.5],
                                                           [0, 0, p[2] + 0.5]))
        m.pool(perp.ContactPool(10, perp.friction_3d(0.3), find))
        sim = perp.Simulation(m, 1e-3, 100)
        sim.run()
        forces = sorted(c.force[2] for c in sim.contacts())
        np.testing.assert_allclose(forces, [10, 20, 30], atol=1e-5)
        np.testing.assert_allclose([sim.q(b)[2] for b in balls], [0.5, 1.5, 2.5], atol=1e-5)

    def test_a_pyramid_of_boxes_runs_by_default(self):
        sim = perp.Simulation(pyramid(5), 2e-3, 400)
        self.assertEqual(sim.run(), perp.Status.END)
        report = sim.report()
        self.assertEqual((report.steps, report.accepted), (400, 0))
        self.assertTrue(0 < report.speed_residual <= 0.1 * 10 * 2e-3)
        self.assertLess(report.penetration, 5e-3)
        self.assertLess(abs(sum(c.impulse[2] for c in sim.contacts() if c.systems[1] == perp.GROUND) / (15 * 0.02) - 1), 0.1)
        stack = perp.Simulation(pyramid(5), 2e-3, 50, speed_tol="stack")
        stack.run()
        self.assertTrue(0 < stack.report().speed_residual <= 0.01 * 10 * 2e-3)
        with self.assertRaisesRegex(perp.ArgumentError, "speed_tol is 'heap', one of pile, stack is needed"):
            perp.Simulation(pyramid(1), 2e-3, speed_tol="heap")

    def test_missed_speeds_are_counted_or_stop(self):
        limit = {"solver": perp.method("auto", max_iter=1), "formulation": "auto", "speed_tol": "pile"}
        sim = perp.Simulation(pyramid(5), 2e-3, 50, **limit)
        self.assertEqual(sim.run(), perp.Status.END)
        report = sim.report()
        self.assertTrue(0 < report.accepted <= 50)
        self.assertGreater(report.speed_residual, 0.1 * 10 * 2e-3)
        stops = perp.Simulation(pyramid(5), 2e-3, 50, on_failure="stop", **limit)
        self.assertEqual(stops.run(), perp.Status.MAX_ITER)
        self.assertEqual(stops.report().accepted, 0)
        self.assertRegex(stops.ending, "asked 0.002 of speed_tol; try a larger max_iter or speed_tol, or on_failure = accept$")


def pyramid(rows):
    """Cubes of 1 m and 1 kg, each upon two with a gap between them; corners are what touches."""
    m, centres = perp.Model(), []
    for row in range(rows):
        centres += [(1.02 * i + 0.51 * row, row) for i in range(rows - row)]
    for x, row in centres:
        m.add(perp.brick(1.0, [1.0, 1.0, 1.0], [0, 0, -10.0]), perp.pose_at([x, 0, row + 0.5]))

    def corners(q):
        w, x, y, z = q[3:7]
        R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
        return q[:3] + np.array([[(c >> k & 1) - 0.5 for k in range(3)] for c in range(8)]) @ R.T, R

    def find(search):
        q = [np.array(search.q(i)) for i in range(search.systems)]
        shape = [corners(p) for p in q]
        for a, (points, _) in enumerate(shape):
            for c, point in enumerate(points):
                if point[2] < 0.05:
                    search.add(a, perp.GROUND, perp.ContactPlace(point[2], [0, 0, 1], point), identity=c)
                for b in range(len(q)):
                    if abs(centres[a][1] - centres[b][1]) != 1 or abs(q[a][0] - q[b][0]) > 1.1:
                        continue
                    R = shape[b][1]
                    local = R.T @ (point - q[b][:3])
                    side = 1.0 if local[2] > 0 else -1.0
                    gap = side * local[2] - 0.5
                    if abs(gap) < 0.05 and max(abs(local[:2])) <= 0.5 * (1 + 1e-6):
                        normal = side * R[:, 2]
                        search.add(a, b, perp.ContactPlace(gap, normal, point, point - gap * normal), identity=c)
    m.pool(perp.ContactPool(300, perp.friction_3d(0.5), find))
    return m

    def test_overlaps_are_taken_out_where_contacts_are_swept(self):
        m = perp.Model()
        b = m.add(perp.ball(1.0, 0.5, [0, 0, -10.0]), perp.pose_at([0, 0, 0.49]))

        def find(search):
            z = search.q(0)[2]
            search.add(0, perp.GROUND, perp.ContactPlace(z - 0.5, [0, 0, 1], [0, 0, z - 0.5]))
        m.pool(perp.ContactPool(1, perp.friction_3d(0.3), find))
        for projection, height in (("none", 0.49), ("positions", 0.5)):
            sim = perp.Simulation(m, 1e-3, 10, formulation="global", projection=projection, min_gap=-0.1)
            sim.run()
            self.assertAlmostEqual(sim.q(b)[2], height, delta=2e-8 + 1e-3 * 1e-4)
            self.assertAlmostEqual(sim.v(b)[2], 0, delta=1e-4)

    def test_a_pile_at_rest_sleeps_until_its_support_goes(self):
        m, seen = perp.Model(), []
        balls = [m.add(perp.ball(1.0, 0.5, [0, 0, -10.0]), perp.pose_at([0, 0, 0.5 + 1.0 * k])) for k in range(2)]

        def find(search):
            seen.append((search.awake(), [search.is_asleep(i) for i in range(search.systems)]))
            for i in range(search.systems if search.awake() else 0):
                z = search.q(i)[2]
                below = search.q(i - 1)[2] + 0.5 if i else 0.0
                search.add(i, i - 1 if i else perp.GROUND, perp.ContactPlace(z - 0.5 - below, [0, 0, 1], [0, 0, z - 0.5],
                                                                            [0, 0, below]))
        m.pool(perp.ContactPool(10, perp.friction_3d(0.3), find))
        sim = perp.Simulation(m, 1e-3, 200, formulation="global", switchable=True, sleep_energy=1e-4, sleep_time=0.05)
        sim.run(steps=40)
        self.assertEqual((sim.awake(), sim.is_asleep(balls[0]), sim.report().asleep), (2, False, 0))
        sim.run(steps=60)
        self.assertEqual((sim.awake(), sim.is_asleep(balls[0]), sim.report().asleep), (0, True, 2))
        self.assertEqual(seen[-1], (0, [True, True]))
        np.testing.assert_allclose(sorted(c.force[2] for c in sim.contacts()), [10, 20], atol=1e-5)
        sim.wake(balls[1])
        self.assertEqual(sim.awake(), 2)
        sim.run(steps=60)
        self.assertEqual(sim.awake(), 0)
        sim.set_state(balls[1], v=[0, 0, 1.0, 0, 0, 0])
        self.assertEqual(sim.awake(), 2)
        sim.set_active(balls[0], False)
        self.assertEqual(sim.awake(), 1)
        sim.step()
        self.assertAlmostEqual(sim.v(balls[1])[2], 1 - 10 * 1e-3)
        with self.assertRaisesRegex(perp.Error, "sleep_energy"):
            perp.Simulation(m, 1e-3, formulation="reduced", sleep_energy=1.0)
        with self.assertRaises(perp.Error):
            sim.wake(7)


class Laws(unittest.TestCase):
    def test_newtons_law_by_a_function_has_the_bits_of_the_built_in(self):
        a, ball, _ = ball_model(0.8)
        b, _, _ = ball_model(law=perp.impact(lambda begin: 0.8 * begin.ydot))
        c, _, _ = ball_model(law=perp.user_law(set="orthant", unilateral=True,
                                               restitute=lambda state, begin: 0.8 * begin.ydot))
        runs = []
        for m in (a, b, c):
            sim = perp.Simulation(m, 1e-3, 1500)
            sim.run()
            runs.append((sim.q(ball)[0], sim.v(ball)[0]))
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(runs[0], runs[2])

    def test_coefficients_reach_the_fields_of_their_names(self):
        from perp.laws import LawForm
        e, et, mu, roll = 0.5, 0.25, 0.7, 0.1
        for law, fields in ((perp.newton_impact(e), {"e": e}), (perp.compliant(3.0, 2.0, 0.75), {"k": 3, "c": 2, "theta": 0.75}),
                            (perp.friction_2d(mu, e_n=e, e_t=et), {"mu": mu, "e_n": e, "e_t": et}),
                            (perp.friction_3d(mu, e_n=e, e_t=et), {"mu": mu, "e_n": e, "e_t": et}),
                            (perp.rolling_2d(mu, roll, e_n=e, e_t=et),
                             {"mu": mu, "mu_rolling": roll, "e_n": e, "e_t": et}),
                            (perp.rolling_3d(mu, roll, e_n=e, e_t=et),
                             {"mu": mu, "mu_rolling": roll, "e_n": e, "e_t": et}),
                            (perp.fremond_2d(mu, e_n=e), {"friction.mu": mu, "friction.e_n": e}),
                            (perp.fremond_3d(mu, e_n=e), {"friction.mu": mu, "friction.e_n": e}),
                            (perp.cohesive_2d(mu, 5.0, 6.0, 7.0, 8.0),
                             {"friction.mu": mu, "sigma_c": 5, "G_c": 6, "area": 7, "slip_weight": 8}),
                            (perp.cohesive_3d(mu, 5.0, 6.0, 7.0, 8.0),
                             {"friction.mu": mu, "sigma_c": 5, "G_c": 6, "area": 7, "slip_weight": 8}),
                            (perp.mixed(3, 1), {"equalities": 3, "law.size": 4})):
            c = LawForm(law).c
            for path, value in fields.items():
                at = c
                for part in path.split("."):
                    at = getattr(at, part)
                self.assertEqual(at, value, f"{law.kind}.{path}")

    def test_laws_with_a_state(self):
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=np.ones(3), f=[0, 0, 5.0]), [0, 0, 0])
        c = m.connect(perp.LagrangianContactRelation(lambda q: q[2], [[1, 0, 0], [0, 1, 0]], G=[[0, 0, 1]]),
                      perp.cohesive_3d(0.5, sigma_c=100.0, G_c=1.0), b)
        sim = perp.Simulation(m, 1e-3, 100)
        sim.run()
        self.assertEqual(sim.law_state(c)[0], 1.0)
        self.assertAlmostEqual(sim.lambda_(c)[0], -5e-3, delta=1e-9)
        counted = perp.user_law(set="orthant", unilateral=True, state=1, commit=lambda state, end: state + end.lambda_)
        m, ball, floor = ball_model(law=counted, q0=0.0)
        sim = perp.Simulation(m, 1e-2, 100)
        sim.run()
        self.assertAlmostEqual(sim.law_state(floor)[0], 9.81, delta=1e-9)

    def test_a_graph_is_taken_apart_and_shown_whole(self):
        m = perp.Model()
        s = m.add(perp.FirstOrderLinear(A=0.0), [3.0])
        i = m.connect(perp.LinearRelation(C=[[1.0]], B=[[1.0]]), perp.relay_dead_zone(1.0), s)
        sim = perp.Simulation(m, 0.01, 500)
        sim.step()
        self.assertEqual(sim.lambda_(i).tolist(), [-1.0])
        np.testing.assert_allclose(sim.y(i), sim.x(s), atol=1e-12)
        sim.run()
        self.assertAlmostEqual(sim.x(s)[0], 1.0, delta=1e-9)

    def test_sliding_of_a_relay(self):
        m = perp.Model()
        s = m.add(perp.FirstOrderLinear(A=0.0, b=[0.3]), [1.0])
        i = m.connect(perp.LinearRelation(C=[[1.0]], B=[[1.0]]), perp.relay(), s)
        sim = perp.Simulation(m, 0.01, 300)
        sim.run()
        self.assertAlmostEqual(sim.lambda_(i)[0], -0.3, delta=1e-9)


class Building(unittest.TestCase):
    def test_equal_descriptions_are_one(self):
        m = perp.Model()
        for k in range(100):
            m.add(perp.LagrangianLinear(M=[[1.0, 0], [0, 2.0]]), [k, 0.0])
        self.assertEqual((m.systems, m.descriptions), (100, 1))
        m.add(perp.LagrangianLinear(M=[[1.0, 0], [0, 2.5]]))
        self.assertEqual(m.descriptions, 2)
        for force in (math.cos, math.cos, math.sin):
            m.add(perp.LagrangianLinear(M=1.0, force=force))
        self.assertEqual(m.descriptions, 4)

    def test_what_c_refuses_changes_nothing(self):
        m, ball, _ = ball_model()
        before = m.systems, m.interactions, m.descriptions
        with self.assertRaisesRegex(perp.ArgumentError, r"^add: Body: mass of body 1 = -1"):
            m.add(perp.Body(-1.0))
        with self.assertRaisesRegex(perp.ArgumentError, "^connect: LagrangianScleronomous: H"):
            b = m.add(perp.Body(1.0))
            m.connect(perp.LagrangianScleronomous(lambda q: q[0]), perp.equality(), b)
        self.assertEqual((m.systems - 1, m.interactions, m.descriptions - 1), before)
        self.assertEqual(perp.Simulation(m).step(), perp.Status.OK)

    def test_copies_go_their_own_ways(self):
        import copy
        import pickle
        z, m = np.array([2.0]), perp.Model()
        a = m.add(perp.LagrangianLinear(M=1.0, force=math.cos), [3.0], [-1.0])
        m.add(perp.FirstOrderLinear(A=-1.0), [0.5])
        m.add(perp.Body(1.0, z=z))
        m.connect(perp.LagrangianLinearRelation([1.0]), perp.newton_impact(0.5), a)
        m.connect(perp.LagrangianLinearRelation([1.0]), perp.equality(), m.add(perp.LagrangianLinear(M=1.0)))
        m.pool(perp.ContactPool(2, perp.friction_3d(0.3), id))  # finds nothing, and can be pickled
        want = m.describe()
        for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
            self.assertEqual(other.describe(), want)
            self.assertEqual(other.descriptions, m.descriptions)
            other.connect(perp.LagrangianLinearRelation([2.0]), perp.newton_impact(0.5), a)
            self.assertEqual((other.interactions, m.interactions), (3, 2))
            sim = perp.Simulation(other)
            self.assertEqual((sim.q(a)[0], sim.v(a)[0], sim.x(1)[0], sim.q(2)[3]), (3.0, -1.0, 0.5, 1.0))

    def test_a_description_is_copied_when_it_is_added_and_z_is_not(self):
        s, z = perp.LagrangianLinear(M=1.0, f=np.array([1.0])), np.array([0.0])
        m = perp.Model()
        a = m.add(s)
        s.f[0] = 50.0
        b = m.add(perp.LagrangianLinear(M=1.0), [-1.0])
        wall = m.connect(perp.LagrangianLinearRelation([1.0], F=[[1.0]], z=z), perp.complementarity(), b)
        sim = perp.Simulation(m, 0.1, min_gap=-10)
        sim.step()
        self.assertAlmostEqual(sim.v(a)[0], 0.1)
        z[0] = 5.0
        sim.step()
        self.assertAlmostEqual(sim.y(wall)[0], sim.q(b)[0] + 5.0)

    def test_parameters_of_equal_content_stay_apart(self):
        m, zs, ids = perp.Model(), [np.array([1.0]), np.array([1.0])], []
        for z in zs:
            ids.append(m.add(perp.Lagrangian(1, M=1.0, z=z, external=lambda z: z)))
        sim = perp.Simulation(m, 1.0)
        zs[1][0] = 3.0
        sim.step()
        self.assertEqual([sim.v(i)[0] for i in ids], [1.0, 3.0])

    def test_describe(self):
        m, _, _ = ball_model()
        self.assertIn("newton_impact", m.describe())

    def test_ids_of_the_other_kind_are_refused(self):
        m, ball, floor = ball_model()
        sim = perp.Simulation(m)
        with self.assertRaises(perp.ArgumentTypeError):
            sim.q(floor)
        with self.assertRaises(perp.ArgumentTypeError):
            sim.lambda_(ball)
        for bad in (-1, 1, 10**12):
            with self.assertRaises(perp.ArgumentError):
                sim.q(bad)


if __name__ == "__main__":
    unittest.main()
