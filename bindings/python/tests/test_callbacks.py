# SPDX-License-Identifier: MIT
"""What a Python function throws comes out of the call as itself, with its own traceback; the
simulation is as before and goes on. The keyboard's interrupt as well, wherever it falls."""
import _thread
import functools
import gc
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


def explode(event=None, **_):
    raise Boom("in a callback")


def follow(force):
    """Velocity after 10 steps of 0.1 under a force of any signature, from 1 m and 2 m/s."""
    m = perp.Model()
    s = m.add(perp.Lagrangian(1, M=1.0, internal=force), [1.0], [2.0])
    sim = perp.Simulation(m, 0.1, 10)
    sim.run()
    return float(sim.v(s)[0])


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
            def function(begin=None, state=None, **_):
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
        self.assertEqual(sim.run(0.65), Status.OK)
        sim.run(0.66)
        with self.assertRaises(perp.BusyError):
            sim.run(0.67, every=0.001, on_output=lambda s: s.run(1.0))
        self.assertEqual(sim.status, Status.ECALLBACK)
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

    def test_retry_where_there_is_no_smaller_step(self):
        def retry(*_):
            raise perp.Retry

        def ball(law=None):
            m = perp.Model()
            b = m.add(perp.LagrangianLinear(M=1.0, f=[-9.81]), [1.0])
            m.connect(perp.LagrangianLinearRelation([1.0]), law or perp.newton_impact(0.5), b)
            return m

        def problem(**functions):
            return perp.solve(perp.Problem([[1.0]], [-1.0], perp.user_law(**functions)))
        sim = perp.Simulation(ball(), 0.1)
        cases = {
            "reset": lambda: perp.EventDriven(ball(), schedules=[perp.Schedule(first=0.1, reset=retry)]).run(0.2),
            "value": lambda: perp.EventDriven(ball(), guards=[perp.Guard(retry)]).run(0.2),
            "on_output": lambda: perp.EventDriven(ball()).run(0.2, every=0.1, on_output=retry),
            "on_event": lambda: perp.EventDriven(ball()).run(1.0, on_event=retry),
            "observe": lambda: perp.solve_lcp(np.eye(5) + 0.1, -np.ones(5), solver="lemke", observe=retry),
            "run: observe": lambda: sim.run(steps=3, observe=retry),
            "project": lambda: problem(project=retry),
            "bounds": lambda: problem(set="box", bounds=retry),
            "verify": lambda: perp.verify(perp.user_law(project=retry), [0.0], [1.0]),
            "solve_vi: project": lambda: perp.solve_vi([1.0], lambda x: x - 0.5, retry),
        }
        for name, call in cases.items():
            with self.subTest(name), self.assertRaisesRegex(perp.CallbackError, "smaller step") as caught:
                call()
            self.assertIn(name.replace("verify", "project"), str(caught.exception))
        m = ball(perp.user_law(unilateral=True, project=retry))
        m.add(perp.LagrangianLinear(M=1.0))
        sim = perp.Simulation(m, 0.1)
        sim.run(steps=3)
        for _ in range(3):  # it lands, and not without a word
            before = sim.checkpoint()
            with self.assertRaises(perp.CallbackError):
                sim.run(steps=10)
            self.assertNotEqual(sim.time, 1.0)
        self.assertEqual(sim.checkpoint(), before)
        m = ball(perp.impact(retry))
        self.assertEqual(perp.Simulation(m, 0.1, 10).run(), Status.RETRY)

    def test_bounds_are_a_pair(self):
        for given in (([-3.0, -3.0],), (0.0,), 1.0, ([0.0] * 2,) * 3, None):
            law = perp.user_law(2, set="box", bounds=lambda: given)
            with self.subTest(given=given), self.assertRaisesRegex(TypeError, "pair"):
                perp.solve(perp.Problem(np.eye(2), [-1.0, -2.0], law))
        law = perp.user_law(2, set="box", bounds=lambda: np.array([[-3.0, -3.0], [0.5, 4.0]]))
        np.testing.assert_allclose(perp.solve(perp.Problem(np.eye(2), [-1.0, -2.0], law)).lambda_, [0.5, 2.0])

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

    def test_each_signature_gets_what_it_names(self):
        def behind(q, k=4.0, v=0.0):
            return k * q + 2.0 * v

        def by_name(q, *, v):
            return 4 * q + 2 * v

        def by_name_or_not(q, *, k=4.0, v=0.0):
            return k * q + 2 * v

        def rest(q, **others):
            self.assertEqual(set(others), {"t", "v", "z"})
            return 4 * q + 2 * others["v"]

        def hidden(function):
            return functools.wraps(function)(lambda *a, **b: function(*a, **b))
        want = follow(lambda q, v: 4 * q + 2 * v)
        for force in (behind, by_name, by_name_or_not, rest, hidden(behind), lambda v, q, /: 4 * q + 2 * v,
                      functools.partial(lambda k, v, q: k * q + 2 * v, 4.0),
                      functools.partial(lambda k, v, q: k * q + 2 * v, k=4.0),
                      functools.partial(lambda q, k, v: k * q + 2 * v, k=4.0)):
            self.assertEqual(follow(force), want)
        for force in (lambda q, *rest: 4 * q, lambda *rest: rest[1], lambda x, /: x, np.multiply, math.cos, math.hypot):
            with self.assertRaisesRegex(perp.ArgumentTypeError, "by name.*has no name|by name.*have no names"):
                follow(force)
        for force in (math.cos, np.cos, lambda *a: math.cos(a[0]), lambda x, /: math.cos(x)):  # one thing is offered
            m = perp.Model()
            s = m.add(perp.LagrangianLinear(M=1.0, force=force))
            sim = perp.Simulation(m, 1.0, 1)
            sim.step()
            self.assertAlmostEqual(sim.v(s)[0], (1 + math.cos(1.0)) / 2, delta=1e-15)

    def test_false_of_numpy_stops(self):
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=1.0, f=[-10.0]), [1.0])
        m.connect(perp.LagrangianLinearRelation([1.0]), perp.newton_impact(0.5), b)
        for go_on in (lambda s: s.q(b)[0] > 0.5, lambda s: bool(s.q(b)[0] > 0.5)):
            sim = perp.Simulation(m, 0.01)
            self.assertEqual((sim.run(until=2.0, observe=go_on), sim.step_index), (Status.STOPPED, 32))
            sim = perp.EventDriven(m)
            self.assertEqual(sim.run(2.0, every=0.01, on_output=go_on), Status.STOPPED)
            self.assertAlmostEqual(sim.time, 0.32, delta=1e-12)
        sim = perp.EventDriven(m)
        self.assertEqual(sim.run(2.0, on_event=lambda e: e.impulse[0] == 0.0), Status.STOPPED)
        sim = perp.EventDriven(m, schedules=[perp.Schedule(first=0.1, reset=lambda s: s.q(b)[0] > 2.0)])
        self.assertEqual(sim.run(2.0), Status.STOPPED)
        for answer in (None, 0, 0.0, np.float64(0.0), []):  # nothing but False
            self.assertEqual(perp.Simulation(m, 0.01).run(steps=3, observe=lambda s: answer), Status.OK)
        self.assertEqual(perp.solve_lcp(np.eye(5) + 0.1, -np.ones(5), solver="lemke",
                                        observe=lambda i: np.False_).status, Status.STOPPED)


class Interrupts(unittest.TestCase):
    def setUp(self):  # what a shell starts in the background begins with it ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)
        gc.collect()  # what is thrown into the end of an object is lost in any program

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

    def test_what_handlers_of_the_user_throw(self):
        # wherever it falls: within the function, and between it and C, where ctypes would swallow it
        class TooLong(Exception):
            pass

        def alarm(*_):
            raise TooLong
        before = signal.signal(signal.SIGALRM, alarm)
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=1.0, force=lambda t: 1.0))
        try:
            for k in range(40):
                sim = perp.Simulation(m, 1e-3)
                with self.assertRaises(TooLong):
                    signal.setitimer(signal.ITIMER_REAL, 0.001 + 0.0001 * k)
                    sim.run(until=1e9)
                    time.sleep(60)
                self.assertAlmostEqual(sim.v(s)[0], sim.time, delta=1e-9)
                self.assertIs(signal.getsignal(signal.SIGALRM), alarm)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def storm(self, count, act):
        """Call a function again and again, and break it off so many times."""
        class Now(Exception):
            pass

        def alarm(*_):
            raise Now
        before, thrown = signal.signal(signal.SIGALRM, alarm), 0
        try:
            while thrown < count:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 3e-5 + 2e-6 * (thrown % 50), 0.5)
                    while True:
                        act()
                except Now:
                    thrown += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_thousands_of_them_wherever_they_fall(self):
        solver, problem = perp.Solver("lemke"), perp.Problem([[2.0]], [-1.0], perp.complementarity())
        for force in ({"f": [1.0]}, {"force": lambda t: 1.0}):
            m = perp.Model()
            s = m.add(perp.LagrangianLinear(M=1.0, **force))
            sim, events = perp.Simulation(m, 1e-3), perp.EventDriven(m)
            self.storm(1500, lambda: (sim.step(), sim.energy(), events.energy(), solver.solve(problem)))
            self.assertAlmostEqual(sim.v(s)[0], sim.time, delta=1e-9)
            self.assertEqual(solver.solve(problem).lambda_[0], 0.5)

    def test_a_model_that_is_broken_off_while_it_grows(self):
        m = perp.Model()

        def grow():
            n = 1 + m.systems % 3
            s = m.add(perp.LagrangianLinear(M=np.arange(1.0, n + 1)), [float(m.systems)] * n)
            m.connect(perp.LagrangianLinearRelation(np.eye(n)), perp.newton_impact(0.5), s)
        self.storm(300, grow)
        sim = perp.Simulation(m)
        self.assertGreater(m.systems, 3)
        for i in range(m.systems):
            np.testing.assert_array_equal(sim.q(i), [float(i)] * (1 + i % 3))
        for i in range(m.interactions):
            self.assertIn(sim.y(i).size, (1, 2, 3))

    def test_a_handler_that_throws_nothing_changes_nothing(self):
        seen = []
        before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
        m = perp.Model()
        s = m.add(perp.LagrangianLinear(M=1.0, force=lambda t: 1.0))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0005)
            sim = perp.Simulation(m, 1e-3)
            while len(seen) < 30:
                self.assertEqual(sim.run(steps=100), Status.OK)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertAlmostEqual(sim.v(s)[0], sim.time, delta=1e-9)

    def test_a_handler_set_by_a_callback_stays(self):
        def own(*_):
            pass
        m = perp.Model()
        m.add(perp.LagrangianLinear(M=1.0, force=lambda t: signal.signal(signal.SIGALRM, own) and 0.0))
        before = signal.signal(signal.SIGALRM, lambda *_: None)
        try:
            perp.Simulation(m, 0.1).step()
            self.assertIs(signal.getsignal(signal.SIGALRM), own)
        finally:
            signal.signal(signal.SIGALRM, before)

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
