# SPDX-License-Identifier: MIT
"""What a Python function throws comes out of the call as itself, with its own traceback; the
simulation is as before and goes on. The keyboard's interrupt as well, wherever it falls."""
import _thread
import math
import os
import signal
import threading
import time
import traceback
import unittest

import numpy as np

import perp
from perp import Status


class Boom(Exception):
    pass


def explode(*_):
    raise Boom("in a callback")


class Exceptions(unittest.TestCase):
    def provoke(self, sim, fuse, step):
        sim.run(until=0.2)
        before = sim.checkpoint()
        fuse.append(1)
        try:
            step(sim)
            self.fail("nothing came out")
        except Boom as thrown:  # assertRaises drops the traceback
            names = [f.name for f in traceback.extract_tb(thrown.__traceback__)]
        finally:
            fuse.clear()
        self.assertIn("explode", names)
        self.assertEqual(sim.checkpoint(), before)
        self.assertEqual(sim.step(), Status.OK)

    def test_every_callback_of_a_step(self):
        fuse = []

        def f(value):
            def function(*args):
                if fuse:
                    explode()
                return value
            return function
        def model(system=None, relation=None, law=None, q0=None):
            m = perp.Model()
            s = m.add(system or perp.LagrangianLinear(M=1.0, f=[-1.0]), q0)
            if relation is not None:
                m.connect(relation, law or perp.newton_impact(0.5), s)
            return m
        cases = {
            "force": model(perp.LagrangianLinear(M=1.0, force=f(0.0))),
            "mass": model(perp.Lagrangian(1, mass=f(1.0))),
            "internal": model(perp.Lagrangian(1, M=1.0, internal=f(0.0))),
            "internal_dv": model(perp.Lagrangian(1, M=1.0, internal=lambda q: q, internal_dv=f(0.0))),
            "control": model(perp.LagrangianLinear(M=1.0, control=perp.Control(1, f(0.0), T=[[1.0]]))),
            "first order": model(perp.FirstOrder(1, f(0.0))),
            "h": model(relation=perp.LagrangianScleronomous(f(0.0), [[1.0]])),
            "H": model(relation=perp.LagrangianScleronomous(lambda q: q, f(1.0))),
            "impact": model(relation=perp.LagrangianLinearRelation([1.0]), law=perp.impact(f(0.0))),
            "restitute": model(relation=perp.LagrangianLinearRelation([1.0]),
                         law=perp.user_law(set="orthant", unilateral=True, restitute=f(0.0))),
        }
        for name, m in cases.items():
            for step in (perp.Simulation.step, lambda s: s.advance(0.005), lambda s: s.run(until=5.0)):
                with self.subTest(name):
                    self.provoke(perp.Simulation(m, 0.01), fuse, step)

    def test_of_bodies_and_pools(self):
        fuse = []

        def place(t, q):
            if fuse:
                explode()
            return perp.ContactPlace(q[2], [0, 0, 1], q[:3])

        def find(search):
            if fuse:
                explode()
        for kind in ("locate", "find", "force"):
            m = perp.Model()
            b = m.add(perp.Body(force=lambda t: explode() if fuse and kind == "force" else [0, 0, 0]))
            if kind == "locate":
                m.connect(perp.BodyContact(place), perp.friction_3d(0.5), b)
            if kind == "find":
                m.pool(perp.ContactPool(1, perp.friction_3d(0.5), find))
            with self.subTest(kind):
                self.provoke(perp.Simulation(m, 0.01), fuse, perp.Simulation.step)

    def test_by_events(self):
        fuse = []
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=1.0, force=lambda t: explode() if fuse else 0.0), [1.0], [-1.0])
        sim = perp.EventDriven(m, guards=[perp.Guard(lambda s: explode() if len(fuse) == 2 else 1.0)])
        sim.run(0.1)
        for _ in range(2):
            fuse.append(1)
            t, q = sim.time, sim.q(s)[0]
            with self.assertRaises(Boom):
                sim.run(0.5)
            self.assertTrue(t <= sim.time <= 0.5 and abs(sim.q(s)[0] - (1 - sim.time)) < 1e-9, q)
        with self.assertRaises(Boom):
            sim.run(0.6, on_event=explode, every=0.01, on_output=explode)
        fuse.clear()
        self.assertEqual(sim.run(0.7), Status.OK)
        self.assertAlmostEqual(sim.q(s)[0], 0.3, delta=1e-9)

    def test_where_a_run_is_looked_at(self):
        fuse = []
        m = perp.Model()
        s = m.add(perp.Lagrangian(1, M=1.0, potential=lambda q: explode() if fuse else 0.0), [1.0])
        i = m.connect(perp.LagrangianScleronomous(lambda q: explode() if fuse else q, [[1.0]]), perp.newton_impact(0.5), s)
        b = m.add(perp.ball(1, 0.5, [0, 0, -9.81]), perp.pose_at([0, 0, 0.5]))
        m.connect(perp.BodyContact(lambda q: explode() if fuse else perp.ContactPlace(q[2] - 0.5, [0, 0, 1], q[:3])),
                  perp.newton_impact(0.0), b)
        events, steps = perp.EventDriven(m), perp.Simulation(m)
        events.run(0.1)
        steps.step()
        looks = [lambda: events.y(i), lambda: events.ydot(i), lambda: events.lambda_(i), lambda: events.rate(s), events.energy,
                 steps.energy, steps.contacts]
        for look in looks:
            look()
        events.restart(0.2)
        fuse.append(1)
        thrown = 0
        for look in looks:
            try:
                look()
            except Boom:
                thrown += 1
        self.assertGreaterEqual(thrown, 4)

    def test_at_the_start(self):
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=1.0))
        m.connect(perp.LagrangianScleronomous(explode, [[1.0]]), perp.newton_impact(0.5), s)
        for kind in (perp.Simulation, perp.EventDriven):
            with self.assertRaises(Boom):
                kind(m)

    def test_retry_takes_smaller_steps(self):
        asked = []

        def force(t):
            asked.append(t)
            if len(asked) == 5:
                raise perp.Retry
            return 1.0
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=1.0, force=force))
        sim = perp.Simulation(m, 0.1, 20, on_failure="retry")
        self.assertEqual(sim.run(), Status.END)
        self.assertGreater(sim.report().retries, 0)
        self.assertAlmostEqual(sim.v(s)[0], 2.0, delta=1e-12)
        asked.clear()
        self.assertEqual(perp.Simulation(m, 0.1, 20).run(), Status.RETRY)

    def test_what_comes_back_is_looked_at(self):
        for value, kind in (("text", TypeError), (None, TypeError), ([1.0, 2.0], ValueError), (1j, TypeError),
                            (math.nan, perp.NotFiniteError), (math.inf, perp.NotFiniteError)):
            m = perp.Model()
            m.add(perp.Lagrangian(1, M=1.0, internal=lambda q, value=value: value))
            with self.assertRaises(kind):
                perp.Simulation(m, 0.1).step()

    def test_arrays_of_a_call_are_its_own(self):
        seen = []
        m = perp.Model()
        m.add(perp.Lagrangian(1, M=1.0, internal=lambda q, v: seen.append((q, q[0])) or 0.0), [0.0], [1.0])
        perp.Simulation(m, 0.1).run(steps=5)
        self.assertGreater(len({value for _, value in seen}), 2)
        for q, value in seen:
            self.assertEqual(q[0], value)
            with self.assertRaises(ValueError):
                q[0] = 1.0

    def test_what_is_thrown_belongs_to_the_thread_that_called(self):
        # simulations of one model share its functions
        angry = threading.local()

        def force(t):
            time.sleep(0.001)
            if getattr(angry, "name", None):
                raise Boom(angry.name)
            return 1.0
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=1.0, force=force))
        found = {}

        def work(name, throws):
            sim = perp.Simulation(m, 0.01)
            angry.name = name if throws else None
            try:
                sim.run(steps=50)
                found[name] = float(sim.v(s)[0])
            except Boom as thrown:
                found[name] = str(thrown)
        threads = [threading.Thread(target=work, args=(str(k), k % 2)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual((found["1"], found["3"]), ("1", "3"))
        for calm in "02":
            self.assertAlmostEqual(found[calm], 0.5, delta=1e-12)

    def test_a_simulation_within_a_function_of_another(self):
        inner = perp.Model()
        inner.add(perp.LagrangianLinear(M=1.0, force=lambda t: explode() if t > 0.35 else 1.0))

        def force(t):
            sim = perp.Simulation(inner, 0.1)
            try:
                sim.run(until=1.0)
            except Boom:
                return 1.0
            return 0.0
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=1.0, force=force))
        sim = perp.Simulation(m, 0.5)
        sim.run(steps=2)
        self.assertAlmostEqual(sim.v(s)[0], 1.0, delta=1e-12)

    def test_names_of_parameters(self):
        with self.assertRaisesRegex(perp.ArgumentTypeError, "'time'.*none of t, out"):
            perp.Model().add(perp.LagrangianLinear(M=1.0, force=lambda time: 0.0))
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=1.0, force=lambda t, k=3.0: k))
        sim = perp.Simulation(m, 1.0)
        sim.step()
        self.assertEqual(sim.v(s)[0], 3.0)


class Interrupts(unittest.TestCase):
    def setUp(self):  # what a shell starts in the background begins with it ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def tearDown(self):
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def interrupted(self, sim, run, delay=0.1):
        begin, ended = time.monotonic(), []
        with self.assertRaises(KeyboardInterrupt):
            threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            run(sim)
            ended.append("by itself")
            time.sleep(60)  # the signal must not hit the next test
        self.assertEqual(ended, [])
        self.assertLess(time.monotonic() - begin, 50.0)
        return sim

    def test_in_a_long_run_of_c_alone(self):
        m = perp.Model()
        m.add(perp.LagrangianLinear(M=1.0, f=[1.0]))
        sim = self.interrupted(perp.Simulation(m, 1e-9), lambda s: s.run(until=1e9))
        self.assertEqual(sim.step(), Status.OK)

    def test_in_a_run_with_callbacks_again_and_again(self):
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=1.0, force=lambda t: 1.0))
        sim = perp.Simulation(m, 1e-6)
        for k in range(10):
            self.interrupted(sim, lambda s: s.run(until=1e9), 0.02 + 0.003 * k)
            self.assertAlmostEqual(sim.v(s)[0], sim.time, delta=1e-9)
        self.assertEqual(sim.step(), Status.OK)

    def test_in_a_callback_that_sleeps(self):
        m = perp.Model()
        slow = []
        m.add(perp.LagrangianLinear(M=1.0, force=lambda t: time.sleep(60 if slow else 0) or 0.0))
        sim = perp.Simulation(m, 0.1)
        slow.append(1)
        before = sim.checkpoint()
        self.interrupted(sim, perp.Simulation.step)
        self.assertEqual(sim.checkpoint(), before)
        slow.clear()
        self.assertEqual(sim.step(), Status.OK)

    def test_by_events(self):
        m = perp.Model()
        m.add(perp.LagrangianLinear(M=1.0, force=math.cos))
        sim = self.interrupted(perp.EventDriven(m, h_max=1e-4, max_steps=2**31 - 1), lambda s: s.run(1e6))
        self.assertEqual(sim.run(sim.time + 1e-3), Status.OK)
        m = perp.Model()  # without a function of Python
        m.add(perp.LagrangianLinear(M=1.0, K=1.0), [1.0])
        sim = self.interrupted(perp.EventDriven(m, h_max=1e-4, max_steps=2**31 - 1), lambda s: s.run(1e6))
        self.assertEqual(sim.run(sim.time + 1e-3), Status.OK)
        self.assertAlmostEqual(sim.q(0)[0], math.cos(sim.time), delta=1e-6)

    def test_in_an_observer_of_a_solver(self):
        M = np.eye(30) + 1e-3 * np.ones((30, 30))

        def interrupt(iterate):
            _thread.interrupt_main()
        with self.assertRaises(KeyboardInterrupt):
            perp.solve_lcp(M, -np.ones(30), solver="lemke", observe=interrupt)


if __name__ == "__main__":
    unittest.main()
