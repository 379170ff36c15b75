# SPDX-License-Identifier: MIT
"""Simulations: views, checkpoints, ends, ownership, observers, threads, events."""
import gc
import math
import pickle
import threading
import time
import unittest
import weakref

import numpy as np

import perp
from perp import Status
from test_models import ball_model


class Stepping(unittest.TestCase):
    def test_the_discrete_equations_hold_bit_by_bit(self):
        m, ball, floor = ball_model(0.9)
        h, q, v = 1e-3, 1.0, 0.0
        sim = perp.Simulation(m, h, 1000)
        for s in sim.steps():
            free = v - h * 9.81
            active = q + 0.5 * h * v <= 0
            new = max(free, -0.9 * v) if active else free
            q, v = q + h * (0.5 * new + 0.5 * v), new
            self.assertAlmostEqual(s.q(ball)[0], q, delta=1e-12)
            self.assertAlmostEqual(s.v(ball)[0], v, delta=1e-12)
            self.assertAlmostEqual(s.lambda_(floor)[0], new - free, delta=1e-12)
        self.assertEqual((sim.status, sim.step_index), (Status.END, 1000))
        self.assertGreater(sim.report().impacts, 0)

    def test_schatzman_paoli_and_theta_gamma(self):
        m, ball, floor = ball_model(0.5)
        sim = perp.Simulation(m, 1e-3, 800, integrator="schatzman-paoli")
        self.assertEqual(sim.run(), Status.END)
        e, g = 0.5, 9.81
        t1 = math.sqrt(2 / g)
        s = 0.8 - t1
        self.assertAlmostEqual(sim.q(ball)[0], e * g * t1 * s - g * s * s / 2, delta=1e-2)
        m = perp.Model()
        x = m.add(perp.FirstOrderLinear(A=-1.0), [1.0])
        for name in ("theta", "theta-gamma", "theta-gamma-full"):
            sim = perp.Simulation(m, 1e-2, 100, integrator=name)
            sim.run()
            self.assertAlmostEqual(sim.x(x)[0], math.exp(-1), delta=1e-5)

    def test_the_ending_says_in_words_which_step_was_not_taken_and_where(self):
        m = perp.Model()
        x = m.add(perp.FirstOrderLinear(b=-1.0), [0.035])
        m.connect(perp.LinearRelation(C=1.0), perp.complementarity(), x)
        sim = perp.Simulation(m, 1e-2, 10, solver="lemke")
        self.assertEqual(sim.run(), Status.INFEASIBLE)
        self.assertRegex(sim.ending, r"^not solved: no solution in step 4 at t = 0\.03, interaction 0 of system 0, residual ")
        sim = perp.Simulation(perp.Model(), 1e-2, 2)
        self.assertEqual(sim.run(), Status.END)
        self.assertEqual(sim.ending, "finished: 2 steps, t = 0.02")

    def test_both_orders_in_one_model_and_integrators_by_system(self):
        m = perp.Model()
        a, x = m.add(perp.LagrangianLinear(M=1.0), v0=[1.0]), m.add(perp.FirstOrderLinear(A=-1.0), [1.0])
        for options in ({}, {"integrator": "schatzman-paoli"}, {"integrators": ["moreau-jean", "theta"]}):
            sim = perp.Simulation(m, 1e-2, 100, **options)
            sim.run()
            self.assertAlmostEqual(sim.q(a)[0], 1.0, delta=1e-9)
            self.assertAlmostEqual(sim.x(x)[0], math.exp(-1), delta=1e-5)

    def test_run_until_steps_grid_and_advance(self):
        m, ball, _ = ball_model()
        sim = perp.Simulation(m, 1e-3)
        self.assertEqual(sim.run(until=0.1), Status.OK)
        self.assertAlmostEqual(sim.time, 0.1, delta=1e-9)
        self.assertEqual(sim.run(steps=7), Status.OK)
        self.assertEqual(sim.step_index, 107)
        with self.assertRaises(perp.ArgumentError):
            sim.run()
        sim = perp.Simulation(m, grid=[0.0, 0.1, 0.15])
        self.assertEqual(sim.run(), Status.END)
        self.assertEqual(sim.time, 0.15)
        sim = perp.Simulation(m, 0.1, 2)
        sim.advance(0.05)
        self.assertEqual(sim.time, 0.05)
        sim.step()
        self.assertEqual(sim.time, 0.1)

    def test_a_run_in_c_has_the_bits_of_steps(self):
        m, ball, _ = ball_model()
        a, b = perp.Simulation(m, 1e-3, 3000), perp.Simulation(m, 1e-3, 3000)
        a.run()
        for _ in b.steps():
            pass
        self.assertEqual(a.checkpoint(), b.checkpoint())

    def test_an_observer_stops_and_throws(self):
        m, ball, _ = ball_model()
        sim = perp.Simulation(m, 1e-3, 1000)
        self.assertEqual(sim.run(observe=lambda s: s.step_index < 10), Status.STOPPED)
        self.assertEqual((sim.step_index, sim.status), (10, Status.STOPPED))

        def bad(s):
            raise RuntimeError("seen")
        with self.assertRaisesRegex(RuntimeError, "seen"):
            sim.run(observe=bad)
        self.assertEqual(sim.step_index, 11)
        self.assertEqual(sim.run(), Status.END)

    def test_systems_are_switched_off(self):
        m, ball, _ = ball_model()
        sim = perp.Simulation(m, 1e-2, 100, switchable=True)
        sim.set_active(ball, False)
        sim.run(steps=10)
        self.assertFalse(sim.is_active(ball))
        self.assertEqual(sim.q(ball)[0], 1.0)
        with self.assertRaises(perp.UnsupportedError):
            perp.Simulation(m).set_active(ball, False)

    def test_record(self):
        m, ball, floor = ball_model()
        h = perp.record(perp.Simulation(m, 1e-2, 100), q=[ball], lambda_=floor, energy=True)
        self.assertEqual((h.t.shape, h.q[ball].shape, h.lambda_[floor].shape, h.energy.shape),
                         ((101,), (101, 1), (101, 1), (101, 2)))
        self.assertAlmostEqual(h.energy[0].sum(), 9.81)
        self.assertEqual(h.status, Status.END)


class Ownership(unittest.TestCase):
    def test_views_show_the_present_and_cannot_be_written(self):
        m, ball, _ = ball_model()
        sim = perp.Simulation(m, 1e-2, 100)
        q = sim.q(ball)
        sim.run()
        self.assertEqual(q[0], sim.q(ball)[0])
        self.assertNotEqual(q[0], 1.0)
        self.assertTrue(np.shares_memory(q, sim._state))
        with self.assertRaises(ValueError):
            q[0] = 5.0

    def test_views_of_a_closed_simulation_hold_its_last_numbers(self):
        m, ball, floor = ball_model()
        with perp.Simulation(m, 1e-2, 100) as sim:
            sim.run()
            q, f, last = sim.q(ball), sim.lambda_(floor), sim.q(ball)[0]
        self.assertTrue(sim.closed)
        sim.close()
        for use in (sim.step, lambda: sim.q(ball), lambda: sim.time, sim.report, sim.energy, sim.checkpoint,
                    sim.sealed_checkpoint, lambda: sim.run(until=1), lambda: sim.advance(0.1), lambda: sim.contacts(), sim.islands):
            with self.assertRaises(perp.ClosedError):
                use()
        del sim
        gc.collect()
        self.assertEqual((q[0], f.shape), (last, (1,)))

    def test_a_simulation_keeps_what_it_reads(self):
        def build():
            k = np.array([4.0])
            m = perp.Model()
            s = m.add(perp.Lagrangian(1, M=1.0, z=k, internal=lambda q, z: z * q), [1.0])
            m.connect(perp.LagrangianScleronomous(lambda q: q + 10, [[1.0]]), perp.newton_impact(0.5), s)
            return perp.Simulation(m, 1e-3, 500), s
        sim, s = build()
        gc.collect()
        junk = [np.full(1, math.nan) for _ in range(1000)]
        self.assertEqual(sim.run(), Status.END)
        self.assertAlmostEqual(sim.q(s)[0], math.cos(1.0), delta=1e-5)
        del junk

    def test_simulations_are_freed(self):
        m, ball, _ = ball_model()
        for kind in (lambda: perp.Simulation(m, 1e-3), lambda: perp.EventDriven(m)):
            sim = kind()
            seen = weakref.ref(sim)
            del sim
            gc.collect()
            self.assertIsNone(seen())

    def test_arrays_that_a_callback_keeps_do_not_dangle(self):
        kept = []
        m = perp.Model()
        m.add(perp.Lagrangian(1, M=1.0, internal=lambda q, v, out: kept.append((q, v, out))), [1.0])
        sim = perp.Simulation(m, 1e-3, 10)
        sim.run()
        sim.close()
        del sim, m
        gc.collect()
        self.assertEqual(kept[0][0].shape, (1,))
        self.assertTrue(math.isfinite(float(kept[0][0][0] + kept[0][1][0])))
        with self.assertRaises(ValueError):
            kept[0][0][0] = 1.0

    def test_a_search_ends_with_its_call(self):
        held = []
        m = perp.Model()
        m.add(perp.ball(1.0, 0.5))
        m.pool(perp.ContactPool(1, perp.newton_impact(0.5), held.append))
        perp.Simulation(m, 0.1).step()
        for use in (lambda: held[0].q(0), lambda: held[0].add(0, perp.GROUND, perp.ContactPlace(0, [0, 0, 1], [0, 0, 0]))):
            with self.assertRaises(perp.ArgumentError):
                use()

    def test_running_twice_at_a_time_is_refused(self):
        m = perp.Model()
        errors = []

        def force(t):
            for use in (sim.step, sim.close, sim.checkpoint, sim.sealed_checkpoint, sim.energy):
                try:
                    use()
                except perp.BusyError as error:
                    errors.append(error)
            return 0.0
        m.add(perp.LagrangianLinear(M=1.0, force=lambda t: force(t) if sim is not None else 0.0))
        sim = None
        sim = perp.Simulation(m, 0.1)
        sim.step()
        self.assertGreaterEqual(len(errors), 5)


class Checkpoints(unittest.TestCase):
    def test_a_restored_run_has_the_same_bits_and_views_follow(self):
        m, ball, floor = ball_model()
        sim = perp.Simulation(m, 1e-3)
        sim.run(until=0.4)
        c, q = sim.checkpoint(), sim.q(ball)
        before = q[0]
        sim.run(until=2.0)
        end = sim.checkpoint()
        sim.restore(c)
        self.assertEqual(q[0], before)
        sim.run(until=2.0)
        self.assertEqual(sim.checkpoint(), end)
        other = perp.Simulation(m, 1e-3)
        other.restore(pickle.loads(pickle.dumps(c)))
        other.run(until=2.0)
        self.assertEqual(other.checkpoint(), end)

    def test_a_checkpoint_of_another_model_is_refused_and_changes_nothing(self):
        m, ball, _ = ball_model()
        sim = perp.Simulation(m, 1e-3)
        sim.run(until=0.3)
        state = sim.checkpoint()
        for bad in (b"", b"x", state + b"y", bytes(len(state)), bytes([255]) * len(state)):
            with self.assertRaises(perp.ArgumentError):
                sim.restore(bad)
            self.assertEqual(sim.checkpoint(), state)
        with self.assertRaises(perp.ArgumentTypeError):
            sim.restore("text")
        self.assertEqual(sim.step(), Status.OK)

    def test_a_sealed_checkpoint_goes_on_with_the_same_bits_and_sees_what_is_another(self):
        m, ball, _ = ball_model(0.9)
        sim = perp.Simulation(m, 1e-3)
        sim.run(until=0.4)
        sealed, q = sim.sealed_checkpoint(), sim.q(ball)
        sim.run(until=1.0)
        end = sim.checkpoint()
        sim.restore_sealed(sealed)
        self.assertAlmostEqual(q[0], 1 - 9.81 * 0.4 ** 2 / 2, delta=1e-2)
        sim.run(until=1.0)
        self.assertEqual(sim.checkpoint(), end)
        other = perp.Simulation(m, 1e-3)
        other.restore_sealed(memoryview(sealed))
        other.run(until=1.0)
        self.assertEqual(other.checkpoint(), end)

        def refused(by, field, *given):
            state = by.checkpoint()
            with self.assertRaises(perp.ArgumentError) as caught:
                by.restore_sealed(*given)
            self.assertEqual((caught.exception.field, by.checkpoint()), (field, state))
            self.assertEqual(by.step(), Status.OK)
        for byte in range(36, len(sealed), 7):
            damaged = bytearray(sealed)
            damaged[byte] ^= 1
            refused(sim, "checkpoint.checksum", damaged)
        refused(sim, "checkpoint.bytes", b"")
        refused(sim, "checkpoint.magic", sim.checkpoint())
        refused(perp.Simulation(ball_model(0.8)[0], 1e-3), "checkpoint.model", sealed)
        refused(perp.Simulation(m, 1e-3, theta=0.75), "checkpoint.model", sealed)
        finer = perp.Simulation(m, 5e-4)
        refused(finer, "checkpoint.grid", sealed)
        finer.restore_sealed(sealed, other_grid=True)
        self.assertEqual((finer.time, finer.step()), (0.4, Status.OK))
        self.assertAlmostEqual(finer.time, 0.4005, delta=1e-12)
        with self.assertRaises(perp.ArgumentTypeError):
            sim.restore_sealed("text")


class Threads(unittest.TestCase):
    def test_two_simulations_in_two_threads_have_the_bits_of_one(self):
        def chain():
            m = perp.Model()
            for k in range(40):
                m.add(perp.Lagrangian(1, M=1.0, internal=lambda q: 0.1 * q), [float(k)], [-1.0 if k % 2 else 1.0])
            for k in range(39):
                m.connect(perp.LagrangianLinearRelation([[-1.0, 1.0]], b=[-0.5]), perp.newton_impact(0.9), [k, k + 1])
            return m
        m = chain()
        alone = perp.Simulation(m, 1e-3, 150)
        alone.run()
        results = [None] * 4

        def work(k):
            sim = perp.Simulation(m, 1e-3, 150)
            sim.run()
            results[k] = sim.checkpoint()
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(results, [alone.checkpoint()] * 4)

    def test_closing_while_others_look_ends_in_words(self):
        m, ball, floor = ball_model()
        for kind in (lambda: perp.Simulation(m, 1e-4), lambda: perp.EventDriven(m)):
            for _ in range(10):
                sim, wrong = kind(), []

                def look():
                    try:
                        while True:
                            for use in (sim.report, lambda: sim.q(ball), lambda: sim.y(floor), sim.energy, lambda: sim.time):
                                try:
                                    use()
                                except perp.BusyError:
                                    pass
                                time.sleep(1e-4)  # nobody waits for a turn: leave one
                    except perp.ClosedError:
                        pass
                    except BaseException as error:
                        wrong.append(error)
                threads = [threading.Thread(target=look) for _ in range(3)]
                for t in threads:
                    t.start()
                while not sim.closed:
                    try:
                        sim.run(until=0.3)
                        sim.close()
                    except perp.BusyError:
                        pass
                for t in threads:
                    t.join()
                self.assertEqual(wrong, [])

    def test_python_goes_on_while_c_runs(self):
        m, ball, _ = ball_model()
        sim, count, go = perp.Simulation(m, 1e-7), [0], threading.Event()

        def watch():
            while not go.is_set():
                count[0] += 1
        t = threading.Thread(target=watch)
        t.start()
        sim.run(steps=2_000_000)
        go.set()
        t.join()
        self.assertGreater(count[0], 100)


class Events(unittest.TestCase):
    def test_times_of_bounces_are_exact(self):
        m, ball, floor = ball_model(0.9)
        sim = perp.EventDriven(m)
        t = fall = math.sqrt(2 / 9.81)
        v = 9.81 * fall
        for k, event in enumerate(sim.events(3.0)):
            self.assertAlmostEqual(event.t, t, delta=1e-10)
            self.assertAlmostEqual(event.impulse[0], 1.9 * v, delta=1e-9)
            self.assertAlmostEqual(event.v[0], -v, delta=1e-9)
            self.assertTrue(event.is_("impact"))
            t += 2 * 0.9 ** (k + 1) * fall
            v *= 0.9
        self.assertEqual((sim.status, sim.time), (Status.END, 3.0))
        self.assertEqual(sim.mode(floor), "open")
        self.assertAlmostEqual(sim.rate(ball)[0], -9.81)
        self.assertEqual(sim.report().impacts, k + 1)

    def test_multipliers_tell_their_level(self):
        h = 0.25
        for integrator, level in (("moreau-jean", "impulse"), ("schatzman-paoli", "position")):
            m, ball, floor = ball_model(0.0, 0.0)
            sim = perp.Simulation(m, h, 4, integrator=integrator)
            sim.run()
            self.assertEqual(sim.level(floor), level)
            power = ("force", "impulse", "position").index(level)
            self.assertAlmostEqual(sim.lambda_(floor)[0], 9.81 * h**power, delta=1e-9)
            with self.assertRaises(perp.ArgumentError):
                sim.level(floor + 1)
        m = perp.Model()
        valve = m.connect(perp.LinearRelation(C=1.0, D=1.0, B=1.0), perp.complementarity(),
                          m.add(perp.FirstOrderLinear(A=-1.0), [-1.0]))
        self.assertEqual(perp.Simulation(m, h).level(valve), "force")

    def test_rest_gives_a_force(self):
        m, ball, floor = ball_model(0.0, 0.0)
        sim = perp.EventDriven(m)
        sim.run(1.0)
        self.assertEqual(sim.mode(floor), "closed")
        self.assertEqual(sim.components(), 1)
        self.assertAlmostEqual(sim.lambda_(floor)[0], 9.81, delta=1e-9)
        self.assertAlmostEqual(sim.energy().total, 0.0, delta=1e-12)

    def test_outputs_events_and_stopping(self):
        m, ball, _ = ball_model()
        sim, seen, hits = perp.EventDriven(m), [], []
        self.assertEqual(sim.run(1.0, 0.25, lambda s: seen.append((s.time, s.q(ball)[0])), hits.append), Status.OK)
        np.testing.assert_allclose([t for t, _ in seen], [0, 0.25, 0.5, 0.75, 1.0], atol=1e-12)
        self.assertAlmostEqual(seen[1][1], 1 - 9.81 * 0.25**2 / 2, delta=1e-9)
        self.assertEqual(len(hits), 1)
        self.assertEqual(sim.run(2.0, on_event=lambda e: False), Status.STOPPED)
        self.assertLess(sim.time, 2.0)

    def test_guards_resets_and_schedules(self):
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=1.0, f=[-10.0]), [1.0])
        kick = perp.Schedule(first=0.1, period=1.0, reset=lambda s: s.v(b).__setitem__(0, 0.0))
        low = perp.Guard(lambda s: s.q(b)[0] - 0.5, -1, lambda s: False)
        sim = perp.EventDriven(m, guards=[low], schedules=[kick])
        self.assertEqual(sim.run(5.0), Status.STOPPED)
        height = 1 - 10 * 0.1**2 / 2  # at the kick, from there it falls from rest
        self.assertAlmostEqual(sim.time, 0.1 + math.sqrt(2 * (height - 0.5) / 10), delta=1e-9)

    def test_restart_close_and_refusals(self):
        m, ball, _ = ball_model()
        sim = perp.EventDriven(m, smooth="bdf", rtol=1e-8)
        sim.run(0.2)
        sim.restart(0.0, q=[2.0], v=[0.0])
        self.assertEqual((sim.time, sim.q(ball)[0]), (0.0, 2.0))
        for bad in ({"q": [1.0, 2.0]}, {"v": ["x"]}, {"q": [math.nan]}):
            with self.assertRaises((ValueError, TypeError)):
                sim.restart(0.0, **bad)
        self.assertEqual(sim.q(ball)[0], 2.0)
        sim.close()
        for use in (lambda: sim.run(1), lambda: sim.q(ball), lambda: sim.next(1), sim.event, sim.report):
            with self.assertRaises(perp.ClosedError):
                use()

    def test_the_ending_says_in_words_where_and_why(self):
        m, ball, floor = ball_model(0.5)
        sim = perp.EventDriven(m)
        self.assertEqual(sim.ending, "not ended: 0 events, t = 0")
        sim.run(0.1)
        self.assertEqual(sim.ending, "finished: 0 events, t = 0.1")
        sim = perp.EventDriven(m, zeno="stop", storm_time=1.0, storm_events=5)
        self.assertEqual(sim.run(3.0), Status.STORM)
        self.assertRegex(sim.ending, r"^not solved: events crowd at t = 1\.\d+, 5 in less than 1 s, the last of "
                                     r"contact 0 of system 0; try zeno = jump or step$")
        sim = perp.EventDriven(m, guards=[perp.Guard(lambda s: 1.0 if s.t < 0.2 else math.nan)])
        with self.assertRaisesRegex(perp.Error, r"^run: failed at t = 0\.\d+: guard\[0\] = nan: must be finite$"):
            sim.run(1.0)
        self.assertRegex(sim.ending, r"^failed at t = 0\.\d+: guard\[0\] = nan: must be finite$")

    def test_accumulation(self):
        m, ball, floor = ball_model(0.5)
        sim = perp.EventDriven(m)
        self.assertEqual(sim.run(3.0), Status.OK)
        self.assertEqual(sim.mode(floor), "closed")
        self.assertGreater(sim.report().jumps, 0)
        with self.assertRaises(perp.UnsupportedError):
            pool = perp.Model()
            pool.add(perp.ball(1.0, 0.5))
            pool.pool(perp.ContactPool(1, perp.newton_impact(0.5), lambda s: None))
            perp.EventDriven(pool)

    def test_the_state_of_a_run_that_looks_at_itself_from_a_force_is_refused(self):
        m, sim = perp.Model(), None
        errors = []

        def force(t):
            if sim is not None:
                try:
                    sim.q(0)
                except perp.BusyError as e:
                    errors.append(e)
            return 0.0
        m.add(perp.LagrangianLinear(M=1.0, force=force))
        sim = perp.EventDriven(m)
        sim.run(0.1)
        self.assertTrue(errors)

    def test_record_of_events(self):
        m, ball, floor = ball_model()
        h = perp.record(perp.EventDriven(m), 1.0, every=0.1, q=[ball], y=[floor], lambda_=[floor])
        self.assertEqual(h.t.shape, (11,))
        self.assertEqual([e.kinds for e in h.events], [("impact",)])


if __name__ == "__main__":
    unittest.main()
