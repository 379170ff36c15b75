# SPDX-License-Identifier: MIT
"""Wrong shapes, types, NaN, negative sizes: an exception that names the field; never a crash, never a
silent copy of what is to be written."""
import math
import random
import unittest

import numpy as np

import perp
from perp.solvers import Method
from test_models import ball_model

NAN, INF = math.nan, math.inf
EYE = np.eye(2)
ORTHANT = perp.complementarity()


class Named(unittest.TestCase):
    def refused(self, kind, field, call):
        with self.subTest(line=call.__code__.co_firstlineno, field=field):
            self.refused_at_all(kind, field, call)

    def refused_at_all(self, kind, field, call):
        with self.assertRaises(kind) as caught:
            call()
        error = caught.exception
        self.assertIsInstance(error, (ValueError, TypeError, NotImplementedError))
        self.assertLess(error.status, 0)
        self.assertIn(field, error.field or str(error), str(error))
        self.assertIn(field, str(error))

    def test_solvers(self):
        A, T, N = perp.ArgumentError, perp.ArgumentTypeError, perp.NotFiniteError
        lcp = perp.solve_lcp
        for kind, field, call in (
                (A, "M", lambda: lcp(np.ones((2, 3)), [1, 1])),
                (A, "M", lambda: lcp(np.ones((2, 2, 2)), [1, 1])),
                (A, "M", lambda: lcp([1, 2, 3], [1, 1])),
                (T, "M", lambda: lcp(EYE * 1j, [1, 1])),
                (T, "M", lambda: lcp([["a", "b"], ["c", "d"]], [1, 1])),
                (T, "M", lambda: lcp(None, [1, 1])),
                (T, "M", lambda: lcp([[1, 2], [3]], [1, 1])),
                (A, "q", lambda: lcp(EYE, EYE)),
                (N, "q", lambda: lcp(EYE, [1, NAN])),
                (N, "M", lambda: lcp([[1, INF], [0, 1]], [1, 1])),
                (T, "lambda_", lambda: lcp(EYE, [1, 1], lambda_=[0, 0])),
                (T, "lambda_", lambda: lcp(EYE, [1, 1], lambda_=np.zeros(2, dtype=np.float32))),
                (T, "y", lambda: lcp(EYE, [1, 1], y=np.zeros(2, dtype=">f8"))),
                (A, "y", lambda: lcp(EYE, [1, 1], y=np.zeros(3))),
                (A, "y", lambda: lcp(EYE, [1, 1], y=np.zeros(4)[::2])),
                (A, "y", lambda: lcp(EYE, [1, 1], y=np.broadcast_to(np.zeros(1), (2,)))),
                (A, "solver", lambda: lcp(EYE, [1, 1], solver="magic")),
                (T, "solver", lambda: lcp(EYE, [1, 1], solver=7)),
                (T, "speed", lambda: lcp(EYE, [1, 1], speed=3)),
                (T, "struct_size", lambda: lcp(EYE, [1, 1], struct_size=3)),
                (A, "max_iter", lambda: lcp(EYE, [1, 1], solver="lemke", max_iter=-1)),
                (A, "max_iter", lambda: lcp(EYE, [1, 1], solver="lemke", max_iter=2**40)),
                (T, "max_iter", lambda: lcp(EYE, [1, 1], max_iter=1.5)),
                (A, "tol", lambda: lcp(EYE, [1, 1], solver="lemke", tol=-1.0)),
                (A, "tol", lambda: lcp(EYE, [1, 1], solver="lemke", tol=NAN)),
                (T, "tol", lambda: lcp(EYE, [1, 1], tol="small")),
                (T, "observe", lambda: lcp(EYE, [1, 1], observe=3)),
                (A, "upper", lambda: perp.solve_mlcp(EYE, [1, 1], [0, 0], [1])),
                (A, "lower", lambda: perp.solve_mlcp(EYE, [1, 1], [0, 0], [1, -1])),
                (N, "lower", lambda: perp.solve_mlcp(EYE, [1, 1], [0, NAN], [1, 1])),
                (A, "limit", lambda: perp.solve_relay(EYE, [1, 1], -1.0)),
                (A, "dim", lambda: perp.solve_friction(EYE, [1, 1], 0.5, dim=4)),
                (A, "q", lambda: perp.solve_friction(EYE, [1, 1], 0.5, dim=3)),
                (A, "mu", lambda: perp.solve_friction(EYE, [1, 1], -0.5, dim=2)),
                (A, "mu", lambda: perp.solve_friction(EYE, [1, 1], [0.5, 0.5], dim=2)),
                (N, "mu", lambda: perp.solve_friction(EYE, [1, 1], NAN, dim=2)),
                (A, "laws", lambda: perp.Problem(EYE, [1, 1], [(perp.equality(), 1)])),
                (A, "copies", lambda: perp.Problem(EYE, [1, 1], [(perp.equality(), -1)])),
                (T, "laws", lambda: perp.Problem(EYE, [1, 1], [("law", 1)])),
                (A, "weight", lambda: perp.solve(perp.Problem(EYE, [1, 1], ORTHANT, weight=0.0))),
                (A, "weight", lambda: perp.Problem(EYE, [1, 1], ORTHANT, weight=[1.0])),
                (T, "weight", lambda: perp.Problem(EYE, [1, 1], ORTHANT, weight="x")),
                (A, "floor", lambda: perp.solve(perp.Problem(EYE, [1, 1], ORTHANT, floor=[0.0, -1.0]))),
                (N, "floor", lambda: perp.Problem(EYE, [1, 1], ORTHANT, floor=INF)),
                (A, "P", lambda: perp.solve_qp(np.ones((2, 3)), [1, 1])),
                (A, "A", lambda: perp.solve_qp(EYE, [1, 1], [[1, 2, 3]])),
                (N, "c", lambda: perp.solve_qp(EYE, [1, NAN])),
                (A, "lower", lambda: perp.solve_qp(EYE, [1, 1], lower=[0])),
                (T, "F", lambda: perp.solve_mcp([1.0], 0, 1, 5)),
                (N, "start", lambda: perp.solve_mcp([NAN], 0, 1, lambda x: x)),
                (A, "mode", lambda: perp.solve_mcp([1.0], 0, 1, lambda x: x, mode="fast")),
                (A, "method", lambda: perp.solve_vi([1.0], lambda x: x, lambda x: x, "newton")),
                (A, "W", lambda: perp.solve_contact(EYE, [1, 1, 1], 0.3))):
            self.refused(kind, field, call)
        self.assertRaises(perp.UnsupportedError, perp.solve_friction, EYE, [1, 1], 0.5, 2, "lemke")

    def test_the_text_begins_with_the_call(self):
        def heavy_free():
            m = perp.Model()
            m.add(perp.LagrangianLinear(M=1.0))
            return m
        heavy = perp.Model()
        heavy.connect(perp.LagrangianLinearRelation([1.0]), perp.newton_impact(0.5),
                      heavy.add(perp.LagrangianLinear(M=1.0), q0=[-1.0]))
        circuit = perp.Model()
        circuit.add(perp.FirstOrderLinear(A=-1.0), [1.0])
        kept = perp.Solver("lemke")
        for begin, call in (
                ("solve_lcp: M[0] is nan", lambda: perp.solve_lcp([[NAN, 0], [0, 1]], [1, 1])),
                ("solve_lcp: q[1] is nan", lambda: perp.solve_lcp(EYE, [1, NAN])),
                ("solve_lcp: y is written", lambda: perp.solve_lcp(EYE, [1, 1], y=[0, 0])),
                ("solve_lcp: solver 'magic' is none", lambda: perp.solve_lcp(EYE, [1, 1], "magic")),
                ("solve_lcp: lemke: no option 'speed'", lambda: perp.solve_lcp(EYE, [1, 1], "lemke", speed=1)),
                ("solve_lcp: lemke: no option 'warm_start'", lambda: perp.solve_lcp(EYE, [1, 1], "lemke", warm_start=True)),
                ("solve_lcp: lemke: observe", lambda: perp.solve_lcp(EYE, [1, 1], "lemke", observe=1)),
                ("solve_lcp: lemke: tol = -1", lambda: perp.solve_lcp(EYE, [1, 1], "lemke", tol=-1.0)),
                ("solve_mlcp: M[0] is nan", lambda: perp.solve_mlcp([[NAN, 0], [0, 1]], [1, 1], 0, 1)),
                ("solve_mlcp: lower[1] = 0", lambda: perp.solve_mlcp(EYE, [1, 1], 0, [1, -1])),
                ("solve_mlcp: upper is 'x'", lambda: perp.solve_mlcp(EYE, [1, 1], 0, "x")),
                ("solve_relay: q[0] is nan", lambda: perp.solve_relay(EYE, [NAN, 1])),
                ("solve_relay: limit is -1.0", lambda: perp.solve_relay(EYE, [1, 1], -1.0)),
                ("solve_friction: M has shape (3, 2)", lambda: perp.solve_friction(np.ones((3, 2)), [1, 1], 0.1, 2)),
                ("solve_friction: dim is 4", lambda: perp.solve_friction(EYE, [1, 1], 0.1, 4)),
                ("solve_friction: mu = -0.5", lambda: perp.solve_friction(EYE, [1, 1], -0.5, 2)),
                ("solve_friction: mu[1] = -0.5: must be >= 0",
                 lambda: perp.solve_friction(np.eye(4), np.ones(4), [0.5, -0.5], 2)),
                ("advance: h = -1: must be > 0", lambda: perp.Simulation(heavy_free()).advance(-1.0)),
                ("solve_friction: lemke: laws[0] is of friction", lambda: perp.solve_friction(EYE, [1, 1], 0.5, 2, "lemke")),
                ("solve_rolling: mu_rolling = -1", lambda: perp.solve_rolling(np.eye(3), [1, 1, 1], 0.1, -1.0, 3)),
                ("friction_problem: q has 2", lambda: perp.friction_problem(EYE, [1, 1], 0.1)),
                ("Problem: M[3] is inf", lambda: perp.Problem([[1, 0], [0, INF]], [1, 1], perp.complementarity())),
                ("Problem: the laws cover 1", lambda: perp.Problem(EYE, [1, 1], [perp.equality()])),
                ("solve: problem is list", lambda: perp.solve([1])),
                ("lcp: q[0] is nan", lambda: kept.lcp([[1.0]], [NAN])),
                ("solve_qp: lower is 'x'", lambda: perp.solve_qp(EYE, [1, 1], lower="x")),
                ("Solver: solver 'magic'", lambda: perp.Solver("magic")),
                ("method: lemke: no option", lambda: perp.method("lemke", speed=1)),
                ("relay: limit is -1.0", lambda: perp.relay(-1.0)),
                ("friction_3d: e_n = 2", lambda: perp.friction_3d(0.1, 2.0)),
                ("cohesive_2d: area = 0", lambda: perp.cohesive_2d(0.1, 1, 1, area=0)),
                ("relay_dead_zone: y", lambda: perp.relay_dead_zone(-1.0)),
                ("user_law: size is 0", lambda: perp.user_law(0)),
                ("Simulation: solver 'magic'", lambda: perp.Simulation(heavy, solver="magic")),
                ("Simulation: gamma = 0.5: must be ", lambda: perp.Simulation(circuit, gamma=0.5)),
                ("Simulation: gamma = 0.5: must be ",
                 lambda: perp.Simulation(heavy_free(), integrator="schatzman-paoli", gamma=0.5)),
                ("Simulation: reaction_gamma = 0.5: must be", lambda: perp.Simulation(circuit, reaction_gamma=0.5)),
                ("EventDriven: solver 'magic'", lambda: perp.EventDriven(heavy, solver="magic"))):
            with self.subTest(begin=begin):
                with self.assertRaises(perp.Error) as caught:
                    call()
                self.assertEqual(str(caught.exception)[:len(begin)], begin)

    def test_laws(self):
        A, T, N = perp.ArgumentError, perp.ArgumentTypeError, perp.NotFiniteError
        for kind, field, call in (
                (A, "e", lambda: perp.newton_impact(1.5)), (N, "e", lambda: perp.newton_impact(NAN)),
                (T, "e", lambda: perp.newton_impact("soft")), (A, "mu", lambda: perp.friction_3d(-1)),
                (T, "mu", lambda: perp.friction_3d(True)), (T, "k", lambda: perp.compliant(np.zeros(2))),
                (T, "e_n", lambda: perp.fremond_2d(0.1, {})), (T, "mu", lambda: perp.impact(lambda b: 0, mu=len)),
                (A, "mu_rolling", lambda: perp.rolling_3d(0.1, -1)), (A, "upper", lambda: perp.box([0], [1, 2])),
                (A, "equalities", lambda: perp.mixed(-1, 3)), (A, "complementarities", lambda: perp.mixed(0, 0)),
                (A, "complementarities", lambda: perp.mixed(2, 2**31 - 2)), (T, "equalities", lambda: perp.mixed(0.5, 1)),
                (A, "limit", lambda: perp.relay(-1.0)), (N, "limit", lambda: perp.relay(NAN)),
                (A, "limit", lambda: perp.relay_dead_zone(1.0, -1.0)), (A, "e_n", lambda: perp.friction_3d(0.1, 2.0)),
                (A, "size", lambda: perp.user_law(0)), (A, "set", lambda: perp.user_law(set="cone")),
                (T, "project", lambda: perp.user_law(project=3)), (A, "state", lambda: perp.user_law(state=-1)),
                (A, "size", lambda: perp.impact(lambda b: 0, size=4)), (T, "restitute", lambda: perp.impact(5)),
                (A, "lambda", lambda: perp.piecewise_linear([0, 1], [1])),
                (A, "lambda", lambda: perp.piecewise_linear([0, 1], [1, 2])),
                (A, "K", lambda: perp.polyhedron([[1, 0]], [1, 2])), (A, "c", lambda: perp.compliant(1, -1)),
                (A, "area", lambda: perp.cohesive_3d(0.1, 1, 1, area=0)),
                (A, "y", lambda: perp.verify(perp.newton_impact(0), [1, 2], [0]))):
            self.refused(kind, field, call)

    def test_models(self):
        A, T, N = perp.ArgumentError, perp.ArgumentTypeError, perp.NotFiniteError
        m, ball, floor = ball_model()
        x = m.add(perp.FirstOrderLinear(A=-1.0))
        L = perp.LagrangianLinear
        one = perp.LagrangianLinearRelation([1.0])
        for kind, field, call in (
                (A, "n", lambda: m.add(L(M=1.0, n=0))), (A, "n", lambda: m.add(L(M=1.0, n=-5))),
                (T, "n", lambda: m.add(L(M=1.0, n="two"))), (A, "M", lambda: m.add(L(M=np.ones((2, 3))))),
                (A, "K", lambda: m.add(L(M=[1, 1], K=np.ones((3, 3))))), (A, "f", lambda: m.add(L(M=[1, 1], f=[1]))),
                (T, "M", lambda: m.add(L(M="heavy"))), (T, "force", lambda: m.add(L(M=1.0, force=3))),
                (A, "q0", lambda: m.add(L(M=1.0), [1, 2])), (N, "q0", lambda: m.add(L(M=1.0), [NAN])),
                (T, "v0", lambda: m.add(L(M=1.0), [1], ["fast"])), (A, "x0", lambda: m.add(L(M=1.0), x0=[1])),
                (A, "x0", lambda: m.add(perp.FirstOrderLinear(A=-1.0), [1, 2])),
                (T, "z", lambda: m.add(L(M=1.0, z=np.array([1, 2])))),
                (A, "control.u", lambda: m.add(L(M=1.0, control=perp.Control(1, None)))),
                (A, "control.T", lambda: m.add(L(M=1.0, control=perp.Control(1, lambda q: q, T=[[1, 2]])))),
                (A, "control.n_u", lambda: m.add(L(M=1.0, control=perp.Control(-1, lambda q: q)))),
                (A, "M", lambda: m.add(perp.Lagrangian(1))), (A, "internal_dq", lambda: m.add(
                    perp.Lagrangian(1, M=1.0, internal=lambda q: q, internal_dq=np.ones((2, 2))))),
                (A, "inertia", lambda: m.add(perp.Body(1.0, [1, 2]))),
                (A, "torque_frame", lambda: m.add(perp.Body(torque_frame="moon"))),
                (A, "f", lambda: m.add(perp.Body(f=[1]))), (T, "mass", lambda: m.add(perp.Body(mass=None))),
                (T, "lead", lambda: perp.Joint(lead=None)._made(1)),
                (T, "system", lambda: m.add(one)), (T, "law", lambda: m.connect(one, one, ball)),
                (T, "relation", lambda: m.connect(perp.equality(), perp.equality(), ball)),
                (A, "systems", lambda: m.connect(one, perp.equality(), x)),
                (A, "systems", lambda: m.connect(one, perp.equality(), [])),
                (A, "systems", lambda: m.connect(one, perp.equality(), [ball, ball])),
                (A, "systems", lambda: m.connect(one, perp.equality(), 17)),
                (A, "systems", lambda: m.connect(one, perp.equality(), -1)),
                (T, "systems", lambda: m.connect(one, perp.equality(), floor)),
                (T, "systems", lambda: m.connect(one, perp.equality(), ["ball"])),
                (A, "H", lambda: m.connect(perp.LagrangianLinearRelation([1.0, 2.0, 3.0], m=1), perp.equality(), ball)),
                (A, "m", lambda: m.connect(one, perp.friction_3d(0.1), ball)),
                (A, "m", lambda: m.connect(perp.LagrangianScleronomous(lambda q: q, m=-1), perp.equality(), ball)),
                (A, "b", lambda: m.connect(perp.LagrangianLinearRelation([1.0], b=[1, 2]), perp.equality(), ball)),
                (A, "F", lambda: m.connect(perp.LagrangianLinearRelation([1.0], z=[1.0]), perp.equality(), ball)),
                (A, "C", lambda: m.connect(perp.LinearRelation(C=[[1, 2]]), perp.equality(), x)),
                (A, "systems", lambda: m.connect(perp.BodyContact(perp.SpherePlane(1)), perp.newton_impact(0), ball)),
                (A, "C", lambda: m.connect(perp.LinearRelation(), perp.equality(), x)),
                (A, "C", lambda: m.connect(perp.LinearVaryingRelation(m=1), perp.equality(), x)),
                (A, "h", lambda: m.connect(perp.FirstOrderRelation(None), perp.equality(), x)),
                (A, "T", lambda: m.connect(perp.LagrangianContactRelation(lambda q: q, None), perp.friction_2d(0.1), ball)),
                (A, "f", lambda: m.add(perp.FirstOrder(1, None))),
                (A, "index", lambda: m.connect(perp.PrescribedVelocity([3]), perp.equality(), ball)),
                (A, "qa", lambda: perp.pivot_joint([0, 0, 0], [0, 0, 1], [1, 2, 3])),
                (A, "axis", lambda: perp.pivot_joint([0, 0, 0], [0, 0, 0], perp.pose_at([0, 0, 0]))),
                (A, "capacity", lambda: m.pool(perp.ContactPool(0, perp.equality(), lambda s: None))),
                (T, "find", lambda: m.pool(perp.ContactPool(1, perp.equality(), 5)))):
            self.refused(kind, field, call)
        self.assertEqual((m.systems, m.interactions), (2, 1))

    def test_contacts_of_a_pool(self):
        """The sentence names the contact and its bodies; the next step goes on as if nothing had been."""
        def simulation(spoil, capacity=4):
            m = perp.Model()
            ball = perp.Body(1, np.eye(3), f=[0, 0, -9.81])
            balls = [m.add(ball, q0=[i, 0, 0, 1, 0, 0, 0]) for i in range(2)]

            def find(search):
                search.add(balls[0], perp.GROUND, perp.ContactPlace(gap=0.0, normal=[0, 0, 1], a=[0, 0, 0]))
                search.add(*[balls[i] if i >= 0 else perp.GROUND for i in spoil.get("systems", (1, -1))],
                           perp.ContactPlace(gap=spoil.get("gap", 0.0), normal=spoil.get("normal", [0, 0, 1]),
                                             a=[1, 0, 0]))
            m.pool(perp.ContactPool(capacity, perp.friction_3d(0.3), find))
            return perp.Simulation(m, 0.01)

        good = simulation({})
        for _ in range(4):
            good.step()
        for spoil, sentence in (
                ({"normal": [0, 0, 0.5]}, "contact 1 of body 1 and the ground: normal of length 0.5, must be 1"),
                ({"gap": NAN}, "contact 1 of body 1 and the ground: gap = nan: must be finite"),
                ({"systems": (1, 1)}, "contact 1 of body 1 with itself: systems are not two different systems"),
                ({"systems": (0, -1)}, "contact 1 of body 0 and the ground: identity is that of contact 0")):
            now = {}
            sim = simulation(now)
            sim.step()
            now.update(spoil)
            with self.subTest(sentence), self.assertRaises(perp.Error) as caught:
                sim.step()
            self.assertIn(sentence, str(caught.exception))
            now.clear()
            for _ in range(3):
                sim.step()
            self.assertEqual(bytes(sim.checkpoint()), bytes(good.checkpoint()))
        with self.assertRaises(MemoryError) as caught:
            simulation({}, 2 ** 31 - 1)
        self.assertRegex(str(caught.exception), r"pool.capacity needs at least 6.5\d*e11 bytes")

    def test_simulations(self):
        A, T, N = perp.ArgumentError, perp.ArgumentTypeError, perp.NotFiniteError
        m, ball, floor = ball_model()
        sim, events = perp.Simulation(m), perp.EventDriven(m)
        for kind, field, call in (
                (T, "model", lambda: perp.Simulation("model")), (A, "h", lambda: perp.Simulation(m, -1.0)),
                (A, "h", lambda: perp.Simulation(m, 0.0)), (N, "h", lambda: perp.Simulation(m, INF)),
                (ValueError, "h", lambda: perp.Simulation(m, NAN)), (T, "h", lambda: perp.Simulation(m, "1")),
                (A, "steps", lambda: perp.Simulation(m, 0.1, -1)), (T, "steps", lambda: perp.Simulation(m, 0.1, 1.5)),
                (T, "speed", lambda: perp.Simulation(m, speed=2)), (A, "theta", lambda: perp.Simulation(m, theta=2)),
                (A, "thetas", lambda: perp.Simulation(m, thetas=[0.5, 0.5])),
                (A, "grid", lambda: perp.Simulation(m, grid=[0.0])),
                (A, "grid", lambda: perp.Simulation(m, grid=[0.0, 1.0, 0.5])),
                (A, "integrator", lambda: perp.Simulation(m, integrator="euler")),
                (A, "integrators", lambda: perp.Simulation(m, integrators=[])),
                (A, "solver", lambda: perp.Simulation(m, solver="magic")),
                (A, "on_failure", lambda: perp.Simulation(m, on_failure="hope")),
                (A, "sparse", lambda: perp.Simulation(m, sparse="umfpack")),
                (A, "gap", lambda: perp.Simulation(ball_model(q0=-1.0)[0])),
                (A, "until", lambda: sim.run(until=NAN)), (A, "steps", lambda: sim.run(steps=-1)),
                (T, "observe", lambda: sim.run(until=1, observe=3)), (A, "h", lambda: sim.advance(-1.0)),
                (ValueError, "h", lambda: sim.advance(NAN)), (A, "ydot", lambda: sim.ydot(5)),
                (A, "x", lambda: sim.x(ball)), (A, "copy", lambda: sim.law_state(floor, 3)),
                (A, "smooth", lambda: perp.EventDriven(m, smooth="rough")),
                (A, "rtol", lambda: perp.EventDriven(m, rtol=-1.0)), (T, "h", lambda: perp.EventDriven(m, h=0.1)),
                (A, "atols", lambda: perp.EventDriven(m, atols=[1])),
                (T, "guards", lambda: perp.EventDriven(m, guards=[lambda s: 1.0])),
                (A, "until", lambda: events.run(-1.0)), (A, "every", lambda: events.run(1.0, on_output=print)),
                (A, "copy", lambda: events.mode(floor, 9))):
            self.refused(kind, field, call)
        self.assertEqual(sim.step(), perp.Status.OK)
        self.assertEqual(events.run(0.1), perp.Status.OK)


class OptionsAndMemory(unittest.TestCase):
    def test_options_of_another_solver_are_refused_by_name(self):
        m, _, _ = ball_model()
        for call in (lambda: perp.solve_lcp(EYE, [1, 1], "lemke", rho=1.0),
                     lambda: perp.solve_friction(EYE, [1, 1], 0.5, 2, "nsgs", rho=1.0),
                     lambda: perp.solve_qp(EYE, [1, 1], solver="lemke", rho=1.0),
                     lambda: perp.solve_qp(EYE, [1, 1], solver="dual", rho=1.0),
                     lambda: perp.solve_mcp([1.0], 0, 1, lambda x: x, rho=1.0),
                     lambda: perp.solve_vi([1.0], lambda x: x, lambda x: x, rho=1.0),
                     lambda: perp.Solver("lemke", rho=1.0), lambda: perp.method("lemke", rho=1.0),
                     lambda: perp.Simulation(m, solver=Method("lemke", {"rho": 1.0})),
                     lambda: perp.Simulation(m, rho=1.0), lambda: perp.EventDriven(m, rho=1.0),
                     lambda: perp.EventDriven(m, solver=Method("lemke", {"rho": 1.0}))):
            with self.assertRaises(perp.ArgumentTypeError) as caught:
                call()
            self.assertRegex(str(caught.exception), "no option 'rho'; there are .*(tol|max_iter)")
        self.assertEqual(perp.solve_lcp(EYE, [1, 1], "admm", rho=1.0).status, perp.Status.OK)

    def test_a_workspace_is_as_large_as_its_options_ask(self):
        M = np.array([[2.0, 1.0], [1.0, 2.0]])
        for memory in (0, 5, 20):
            self.assertTrue(perp.solve_lcp(M, [-5, -6], "admm", memory=memory).solved)

    def test_memory_that_is_not_there_is_told_in_bytes(self):
        n = 5000000  # a tableau of 2e14 bytes, more than addresses have
        p = perp.Problem(np.ones(n), np.ones(n), ORTHANT)
        with self.assertRaises(perp.WorkspaceError) as caught:
            perp.solve(p, "lemke")
        self.assertIsInstance(caught.exception, MemoryError)
        self.assertRegex(str(caught.exception), r"^solve: lemke: no memory: work_bytes = 2\d{14}: ")
        self.assertGreater(caught.exception.value, 8.0 * n * n)
        m = perp.Model()
        ball, rail = perp.LagrangianLinear(M=1.0), perp.LagrangianLinearRelation([1.0])
        for _ in range(100000):
            m.connect(rail, perp.newton_impact(0.5), m.add(ball, [1.0]))
        with self.assertRaises(perp.WorkspaceError) as caught:
            perp.Simulation(m, solver="lemke")
        self.assertRegex(str(caught.exception), r"^Simulation: no memory: work_bytes = \d{11,}: ")


class Fuzz(unittest.TestCase):
    """Random arguments: each call ends with a result or an exception of Python, never a crash."""

    VALUES = [None, 0, 1, -1, 2, 7, 2**31, -2**63, 0.5, NAN, INF, -INF, 1e308, "", "lemke", b"x", True, [], [1.0],
              [1.0, 2.0], [[1.0]], [[1.0, 2.0], [3.0, 4.0]], [[]], {}, object(), 1j, np.float32(1), np.zeros(0),
              np.zeros(3), np.full(3, NAN), np.eye(3), np.eye(3)[::-1], np.zeros((2, 0)), np.array("a"),
              np.zeros(3, dtype=int), np.zeros(3, dtype=object), lambda: 1.0, lambda t: t, lambda q, v: q, lambda x: x,
              lambda *a: [1.0], lambda t, out: None, perp.equality(), perp.friction_3d(0.3), perp.relay_dead_zone(1.0),
              perp.LagrangianLinear(M=1.0), perp.LagrangianLinearRelation([1.0]), perp.FirstOrderLinear(A=-1.0)]

    def test_wrong_arguments(self):
        rng = random.Random(20261122)
        calls = 0
        outcomes = set()
        for _ in range(4000):
            m, ball, floor = ball_model()
            sim = perp.Simulation(m, 0.01, 5)
            targets = [
                perp.solve_lcp, perp.solve_mlcp, perp.solve_relay, perp.solve_friction, perp.solve_rolling,
                perp.solve_contact, perp.solve_qp, perp.solve_mcp, perp.solve_vi, perp.Problem, perp.box, perp.mixed,
                perp.polyhedron, perp.friction_3d, perp.rolling_2d, perp.user_law, perp.piecewise_linear, perp.impact,
                perp.verify, perp.pose_at, perp.joint, perp.ball, perp.brick, m.add, m.connect, sim.q, sim.y,
                sim.advance, sim.run, sim.restore, sim.restore_sealed, sim.set_active, sim.law_state, sim.work, sim.force,
                lambda *a: perp.Simulation(m, *a).step(), lambda *a: m.add(perp.LagrangianLinear(*a)),
                lambda *a: m.add(perp.Lagrangian(*a)), lambda *a: m.add(perp.Body(*a)),
                lambda *a: m.add(perp.FirstOrder(*a)), lambda a, *b: m.connect(perp.LagrangianScleronomous(a, *b), perp.newton_impact(0.5), ball),
                lambda *a: m.connect(perp.LagrangianLinearRelation(*a), perp.newton_impact(0.5), ball),
                lambda *a: m.connect(perp.BodyContact(*a), perp.friction_3d(0.5), ball)]
            target = rng.choice(targets)
            if target == sim.run:
                arguments = [rng.choice(self.VALUES), 3]
            else:
                arguments = [rng.choice(self.VALUES) for _ in range(rng.randint(1, 4))]
            calls += 1
            try:
                target(*arguments)
                outcomes.add("fine")
            except Exception as error:
                outcomes.add(type(error).__name__)
                self.assertNotIsInstance(error, (SystemError, AssertionError, AttributeError, NameError, KeyError),
                                         f"{target} {arguments} {error!r}")
            perp.Simulation(ball_model()[0], 0.01, 5).step()  # the library is as good as before
        self.assertLessEqual({"fine", "ArgumentError", "ArgumentTypeError", "NotFiniteError"}, outcomes)


if __name__ == "__main__":
    unittest.main()
