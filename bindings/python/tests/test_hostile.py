# SPDX-License-Identifier: MIT
"""Users who copy, pickle, share, mask, mutate and alias: what cannot be done is refused in words, and
nothing is read or written where it should not."""
import array
import copy
import dataclasses
import functools
import gc
import math
import pickle
import sys
import threading
import unittest

import numpy as np

import perp
from test_models import ball_model


class Rows:
    """What has the form of a sparse matrix of SciPy."""

    def __init__(self, data, indptr, indices, n=2):
        self.shape, self.data, self.indptr, self.indices = (n, n), np.asarray(data), np.asarray(indptr), np.asarray(indices)

    def tocsr(self):
        return self

    def sum_duplicates(self):
        pass

    def copy(self):
        return self


@dataclasses.dataclass
class Spring:
    k: float
    calls: int = 0

    def __call__(self, q):
        self.calls += 1
        return self.k * q


@dataclasses.dataclass(slots=True)
class Slotted:
    k: float

    def __call__(self, q):
        return self.k * q


class Numbers:
    """What NumPy makes an array of."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values)


class Copies(unittest.TestCase):
    def test_what_a_copy_adds_is_its_own(self):
        m = perp.Model()
        m.add(perp.LagrangianLinear(M=1.0))
        for k in range(5):
            other = copy.copy(m)
            other.add(perp.LagrangianLinear(M=2.0 + k))
            self.assertEqual((other.descriptions, m.descriptions, len(m._forms)), (2, 1, 1))

    def test_copies_are_for_threads_of_their_own(self):
        m = perp.Model()
        for k in range(2000):
            m.add(perp.LagrangianLinear(M=1.0 + k))
        other, ended, thrown = copy.copy(m), threading.Event(), []

        def add():
            k = 0
            while not ended.is_set():
                k += 1
                other.add(perp.LagrangianLinear(M=1e6 + k))

        def simulate():
            try:
                for _ in range(10):
                    perp.Simulation(m).close()
            except RuntimeError as error:
                thrown.append(error)
        switch = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        threads = [threading.Thread(target=add), threading.Thread(target=simulate)]
        for t in threads:
            t.start()
        threads[1].join()
        ended.set()
        threads[0].join()
        sys.setswitchinterval(switch)
        self.assertEqual(thrown, [])

    def test_numbers_of_any_kind_are_copied_and_told_apart(self):
        for make, change in ((lambda: array.array("d", [1.0, 1.0]), lambda f: f.__setitem__(0, 5.0)),
                             (lambda: memoryview(bytearray(np.ones(2).tobytes())).cast("d"), lambda f: f.__setitem__(0, 5.0)),
                             (lambda: Numbers([1.0, 1.0]), lambda f: setattr(f, "values", [5.0, 1.0])),
                             (lambda: [np.ones(1)[0], 1.0], lambda f: f.__setitem__(0, 5.0))):
            f, m = make(), perp.Model()
            m.add(perp.LagrangianLinear(M=[1.0, 1.0], f=f))
            change(f)
            m.add(perp.LagrangianLinear(M=[1.0, 1.0], f=f))
            for model in (m, pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
                sim = perp.Simulation(model, 1.0)
                sim.step()
                np.testing.assert_array_equal([sim.v(0), sim.v(1)], [[1.0, 1.0], [5.0, 1.0]])

    def test_functions_are_never_copied(self):
        for force in (Spring(4.0), Slotted(4.0)):
            m = perp.Model()
            s = m.add(perp.Lagrangian(1, M=1.0, internal=force), [1.0])
            force.k = 0.0
            sim = perp.Simulation(m, 0.1)
            sim.step()
            self.assertEqual(sim.v(s)[0], 0.0)
            self.assertGreater(getattr(force, "calls", 1), 0)
        half = Spring(0.5)  # of what the gap loses in a second
        for law in (perp.impact(lambda begin: half(begin.ydot)),
                    perp.user_law(set="orthant", unilateral=True, restitute=functools.partial(lambda h, s, b: h(b.ydot), half))):
            m = perp.Model()
            m.connect(perp.LagrangianLinearRelation([1.0]), law, m.add(perp.LagrangianLinear(M=1.0), [0.0], [-1.0]))
            before = half.calls
            sim = perp.Simulation(m, 0.1)
            sim.step()
            self.assertEqual((sim.v(0)[0], half.calls > before), (0.5, True))

    def test_times_are_copied(self):
        m, ball, _ = ball_model()
        grid, times = np.array([0.0, 0.1, 0.3]), np.array([0.25])
        sim, events = perp.Simulation(m, grid=grid), perp.EventDriven(m, schedules=[perp.Schedule(times)])
        thetas = np.array([1.0])
        theta, want = perp.Simulation(m, 0.1, thetas=thetas), perp.Simulation(m, 0.1, theta=1.0)
        grid[:], times[:], thetas[:] = 7.0, 7.0, 0.5
        self.assertEqual((sim.run(), sim.time), (perp.Status.END, 0.3))
        self.assertEqual((events.next(0.3), events.time), (perp.Status.OK, 0.25))
        theta.run(steps=2), want.run(steps=2)
        np.testing.assert_array_equal(theta.q(ball), want.q(ball))

    def test_what_owns_memory_of_c_is_not_copied(self):
        m, ball, _ = ball_model()
        for owner in (perp.Simulation(m), perp.EventDriven(m), perp.Solver("lemke")):
            for how in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.subTest(owner=type(owner).__name__, how=how.__name__):
                    with self.assertRaisesRegex(perp.ArgumentTypeError, "cannot be copied or pickled"):
                        how(owner)
        del owner
        gc.collect()

    def test_models_and_problems_are_values(self):
        m, ball, floor = ball_model()
        for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
            other.add(perp.LagrangianLinear(M=2.0))
            self.assertEqual((m.systems, other.systems), (1, 2))
            a, b = perp.Simulation(m), perp.Simulation(other)
            a.run(until=1.0)
            b.run(until=1.0)
            np.testing.assert_array_equal(a.q(ball), b.q(ball))
        tridiagonal = Rows([2.0, 1.0, 1.0, 2.0], [0, 2, 4], [0, 1, 0, 1])
        for M in ([[2.0, 1.0], [1.0, 2.0]], [2.0, 3.0], tridiagonal):
            p = perp.Problem(M, [-5, -6], perp.complementarity(), weight=2.0)
            want = perp.solve(p).lambda_
            others = [copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p))]
            del p
            gc.collect()
            for other in others:
                np.testing.assert_array_equal(perp.solve(other).lambda_, want)
                np.testing.assert_array_equal(other.weight, [2.0, 2.0])
        s = pickle.loads(pickle.dumps(perp.solve_lcp([[2.0]], [-1.0])))
        self.assertEqual((s.status, s.lambda_[0]), (perp.Status.OK, 0.5))


    def test_what_refers_to_itself_ends_in_any_order(self):
        for kind in (perp.Simulation, perp.EventDriven):
            for _ in range(20):
                own, m = [], perp.Model()
                a = m.add(perp.LagrangianLinear(M=1.0, force=lambda t, own=own: float(len(own) > 5)), [1.0])
                m.connect(perp.LagrangianScleronomous(lambda q, own=own: q), perp.newton_impact(0.5), a)
                own += [m, kind(m)]
                own[1].run(until=0.01)
                own[1].owner = own
                del own, m
                gc.collect()
            sim = kind(ball_model()[0])
            builder = sim._model.builder
            builder.__del__()  # as the garbage collector may, before that of the run
            self.assertIsNotNone(builder.c)
            sim.run(until=0.1)
            sim.close()
            sim.close()
            self.assertIsNone(builder.c)


class Arrays(unittest.TestCase):
    def refused(self, kind, text, call):
        with self.subTest(line=call.__code__.co_firstlineno):
            with self.assertRaises(kind) as caught:
                call()
            self.assertRegex(str(caught.exception), text)

    def test_sparse_matrices_that_end_early(self):
        A = perp.ArgumentError
        q = [-1.0, -1.0]
        for data, indptr, indices in (([1.0], [0, 1, 2], [0, 1]), ([1.0, 1.0], [0, 1, 2], [0]),
                                      ([1.0, 1.0], [0], [0, 1]), ([1.0, 1.0], [0, 1, 2, 3], [0, 1]),
                                      ([1.0, 1.0], [], [0, 1]), ([1.0, 1.0], [0, 1, 2**31 + 2], [0, 1])):
            self.refused(A, "M", lambda: perp.solve_lcp(Rows(data, indptr, indices), q))
        self.refused(A, "index", lambda: perp.solve_lcp(Rows([1.0, 1.0], [0, 1, 2], [0, 7]), q))
        self.refused(A, "start", lambda: perp.solve_lcp(Rows([1.0, 1.0], [0, 3, 2], [0, 1]), q))
        self.refused(A, "indices", lambda: perp.solve_lcp(Rows([1.0, 1.0], [0, 1, 2], [0, 2**32]), q))
        self.refused(perp.ArgumentTypeError, "indptr", lambda: perp.solve_lcp(Rows([1.0], [0.0, 1.0, 1.5], [0]), q))
        self.assertTrue(perp.solve_lcp(Rows([2.0, 2.0], [0, 1, 2], [0, 1]), q).solved)

    def test_a_sparse_matrix_with_an_entry_twice_stays_as_it_is(self):
        class Twice(Rows):
            def sum_duplicates(self):
                self.data, self.indices, self.indptr = np.array([2.0, 2.0]), np.array([0, 1]), np.array([0, 1, 2])
        M = Twice([1.5, 0.5, 2.0], [0, 2, 3], [0, 0, 1])
        np.testing.assert_array_equal(perp.solve_lcp(M, [-1.0, -1.0]).lambda_, [0.5, 0.5])
        self.assertEqual((M.data.tolist(), M.indices.tolist()), ([1.5, 0.5, 2.0], [0, 0, 1]))

    def test_masked_entries_are_no_numbers(self):
        T = perp.ArgumentTypeError
        hidden = np.ma.masked_array([[2.0]], mask=[[True]])
        self.refused(T, "M has masked", lambda: perp.solve_lcp(hidden, [-1.0]))
        m = perp.Model()
        m.add(perp.LagrangianLinear(M=1.0, force=lambda t: hidden[0]))
        self.refused(T, "masked", lambda: perp.Simulation(m).step())
        self.assertTrue(perp.solve_lcp(np.ma.masked_array([[2.0]], mask=[[False]]), [-1.0]).solved)
        self.refused(T, "lambda_ has masked", lambda: perp.solve_lcp([2.0], [-1.0], lambda_=np.ma.masked_array([0.0], mask=[True])))

    def test_what_is_written_is_not_what_is_read(self):
        M, both = np.asfortranarray(np.eye(2)), np.zeros((2, 2))
        for name in ("lambda_", "y"):
            self.refused(perp.ArgumentError, "share memory", lambda: perp.solve_lcp(M, [-1, -1], **{name: M[:, 0]}))
        self.refused(perp.ArgumentError, "share", lambda: perp.solve_lcp(M, [-1, -1], lambda_=both[0], y=both[0]))
        np.testing.assert_array_equal(M, np.eye(2))
        self.assertTrue(perp.solve_lcp(M, [-1, -1], lambda_=both[0], y=both[1]).solved)

    def test_views_of_a_state_cannot_be_made_writable(self):
        m, ball, floor = ball_model()
        sim = perp.Simulation(m, 0.01)
        for view in (sim.q(ball), sim.v(ball), sim.lambda_(floor), sim.y(floor)):
            with self.assertRaises(ValueError):
                view.flags.writeable = True
            with self.assertRaises(ValueError):
                view[0] = 5.0
        before = sim.q(ball).copy()
        sim.step()
        self.assertNotEqual(sim.q(ball)[0], before[0])

    def test_truth_is_no_number_and_a_word_no_truth(self):
        m, _, _ = ball_model()
        T, A = perp.ArgumentTypeError, perp.ArgumentError
        self.refused(T, "h is True", lambda: perp.Simulation(m, h=True))
        self.refused(T, "switchable is 'no', True or", lambda: perp.Simulation(m, switchable="no"))
        self.refused(T, "max_halvings is True", lambda: perp.Simulation(m, max_halvings=True))
        self.refused(T, "order is True", lambda: perp.EventDriven(m, order=True))
        self.refused(T, "switchable is 1", lambda: perp.Simulation(m, switchable=1))
        self.refused(T, "no option 'rho'.*grid.*solver", lambda: perp.Simulation(m, rho=1))
        self.refused(A, "backend is 'cuda', one of lapack", lambda: perp.Simulation(m, backend="cuda"))
        self.refused(A, "grid", lambda: perp.Simulation(m, grid=[0, 1, 2], steps=5))
        self.refused(A, "grid", lambda: perp.Simulation(m, grid=[0, 1, 2], t0=5.0))
        self.refused(A, "grid says all times: h", lambda: perp.Simulation(m, 1e-3, grid=[0, 1, 2]))
        self.refused(T, "h is True", lambda: perp.EventDriven(m, zeno="step", stepping={"h": True}))
        self.refused(A, "axis", lambda: perp.pose_at([0, 0, 0], [0, 0, 0], 1.0))
        self.refused(perp.NotFiniteError, "x", lambda: perp.pose_at([math.nan, 0, 0]))

    def test_normals_have_length_1(self):
        def place(normal):
            return lambda q: perp.ContactPlace(q[2] - 0.5, normal, q[:3], q[:3])
        for where in (perp.SpherePlane(0.5, (0, 0, 2.0)), perp.SpherePlane(0.5, (0, 0, 0.0), -0.6),
                      perp.PointPlane((0, 0, -0.5), (1.0, 0, 1.0)), place((0, 0, 2.0)), place((0, 0, 0))):
            m = perp.Model()
            body = m.add(perp.ball(1, 0.5), perp.pose_at([0, 0, 1]))
            self.refused(perp.ArgumentError, "normal", lambda: (
                m.connect(perp.BodyContact(where), perp.newton_impact(0.0), body), perp.Simulation(m)))

    def test_things_that_are_not_several(self):
        m, ball, _ = ball_model()
        T = perp.ArgumentTypeError
        one = perp.LagrangianLinearRelation([1.0])
        self.refused(T, "Problem: laws is 5", lambda: perp.Problem(np.eye(2), [1, 1], 5))
        self.refused(T, "laws", lambda: perp.Problem(np.eye(2), [1, 1], [5]))
        self.refused(T, "connect: systems is None", lambda: m.connect(one, perp.equality(), None))
        self.refused(T, "pool: list is no ContactPool", lambda: m.pool([1]))
        self.refused(T, "pool: laws", lambda: m.pool(perp.ContactPool(1, 3, lambda s: None)))
        sim = perp.Simulation(m)
        b = m.add(perp.LagrangianLinear(M=1.0))
        for wrong in (np.array(0.7), np.array([1.9]), [True], True, np.array([True]), "01", [[0, 1]]):
            self.refused(T, "connect: systems is .*needed", lambda: m.connect(one, perp.equality(), wrong))
        both = perp.LagrangianLinearRelation([1.0, -1.0])
        self.assertEqual(m.connect(both, perp.equality(), np.array([ball, b])), m.interactions - 1)
        self.assertEqual(m.connect(one, perp.equality(), np.array(1)), m.interactions - 1)
        self.refused(T, "steps is array", lambda: perp.Simulation(m, 0.1, np.array(2.9)))
        self.refused(T, "steps is array", lambda: perp.Simulation(m, 0.1, np.array([1, 2])))
        for truth in (True, [True], np.array([True]), np.True_):
            self.refused(T, "M holds bool", lambda: perp.solve_lcp(truth, [1.0]))
            self.refused(T, "f holds bool", lambda: m.add(perp.LagrangianLinear(M=1.0, f=truth)))
        self.assertEqual(list(perp.record(perp.Simulation(m, 0.1), 0.3, q=np.array([0, 1])).q), [0, 1])
        self.refused(T, "q is \\[0\\]", lambda: sim.q([0]))
        self.refused(T, "lambda_ is {}", lambda: sim.lambda_({}))


class Runs(unittest.TestCase):
    def test_a_simulation_among_threads(self):
        # run, restore, close and looks, all at a time: each does its work or is refused, nobody reads what is gone
        m, ball, floor = ball_model()
        sims, said, ended = [perp.Simulation(m, 1e-3)], set(), threading.Event()
        start = sims[0].checkpoint()

        def work(act):
            while not ended.is_set():
                try:
                    for _ in range(50):
                        act(sims[0])
                except perp.Error as error:
                    said.add(type(error))

        def look(sim):
            sim.time, sim.step_index, sim.is_active(ball), sim.islands(), sim.report().steps
            sim.q(ball).sum(), sim.lambda_(floor).sum()
        threads = [threading.Thread(target=work, args=(act,)) for act in (
            lambda s: s.run(steps=1), lambda s: s.run(steps=1), lambda s: s.restore(start), look, look)]
        for t in threads:
            t.start()
        for _ in range(40):
            old, sims[0] = sims[0], perp.Simulation(m, 1e-3)
            ended.wait(0.02)
            while not old.closed:
                try:
                    old.close()
                except perp.BusyError as error:
                    said.add(type(error))
        ended.set()
        for t in threads:
            t.join()
        self.assertLessEqual(said, {perp.BusyError, perp.ClosedError})

    def test_a_run_is_not_restored_on_its_way(self):
        m, ball, floor = ball_model()
        sim, ended, refused = perp.Simulation(m, 1e-3), threading.Event(), 0
        start = sim.checkpoint()

        def run():
            while not ended.is_set():
                try:
                    sim.run(steps=100000)
                except perp.BusyError:
                    pass
        runner = threading.Thread(target=run)
        runner.start()
        while refused < 3000:
            try:
                sim.restore(start)
            except perp.BusyError as error:
                refused += 1
                self.assertIn("restore: it runs, in another thread", str(error))
        ended.set()
        runner.join()
        self.assertEqual(sim.step_index % 100000, 0)  # runs from the start to their end

    def test_the_end_of_a_grid_is_recorded(self):
        m, ball, _ = ball_model()
        for options in ({"until": 0.5}, {}):
            h = perp.record(perp.Simulation(m, 0.1, 5), every=2, q=[ball], **options)
            np.testing.assert_allclose(h.t, [0.0, 0.2, 0.4, 0.5], rtol=1e-15)
            self.assertEqual(h.q[ball].shape, (4, 1))
        h = perp.record(perp.Simulation(m, 0.1, 4), every=2, q=[ball])
        np.testing.assert_allclose(h.t, [0.0, 0.2, 0.4], rtol=1e-15)

    def test_what_a_plain_checkpoint_knows(self):
        sim = perp.Simulation(ball_model()[0], 1e-2)
        sim.run(steps=5)
        state = sim.checkpoint()
        two = perp.Model()
        two.add(perp.LagrangianLinear(M=[1.0, 1.0]))
        two.connect(perp.LagrangianLinearRelation([1.0, 0.0]), perp.newton_impact(0.9), 0)
        more = ball_model()[0]
        more.add(perp.LagrangianLinear(M=1.0))
        for m in (two, more, perp.Model()):
            other = perp.Simulation(m, 1e-2)
            before = other.checkpoint()
            with self.assertRaisesRegex(perp.ArgumentError, "another model|fingerprint"):
                other.restore(state)
            self.assertEqual(other.checkpoint(), before)

    def test_a_record_without_an_end(self):
        m, ball, _ = ball_model()
        with self.assertRaisesRegex(perp.ArgumentError, "record: until .* the grid has no end"):
            perp.record(perp.Simulation(m), q=[ball])
        self.assertEqual(perp.record(perp.Simulation(m, 0.1, 5), q=[ball]).t.size, 6)

    def test_outputs_that_nobody_sees(self):
        m, _, _ = ball_model()
        sim = perp.EventDriven(m)
        for kind, call in ((perp.ArgumentError, lambda: sim.run(1.0, every=-5)),
                           (perp.ArgumentError, lambda: sim.run(1.0, times=[0.1])),
                           (perp.ArgumentError, lambda: sim.run(1.0, every=0.1, on_event=lambda e: None)),
                           (perp.ArgumentTypeError, lambda: sim.run(1.0, every=0.1, on_output=5)),
                           (perp.ArgumentTypeError, lambda: sim.run(1.0, on_event=5)),
                           (perp.NotFiniteError, lambda: sim.run(1.0, times=[0.1, math.nan], on_output=print))):
            with self.assertRaisesRegex(kind, "^run: "):
                call()
        self.assertEqual(sim.time, 0.0)

    def test_options_that_are_none_or_of_nothing(self):
        m, ball, _ = ball_model()
        T, A = perp.ArgumentTypeError, perp.ArgumentError
        for kind, text, call in ((T, "lzb is 5", lambda: perp.EventDriven(m, lzb=5, impact="lzb")),
                                 (A, "lzb goes with", lambda: perp.EventDriven(m, lzb={"tol": 1e-9})),
                                 (T, "stepping is 5", lambda: perp.EventDriven(m, stepping=5, zeno="step")),
                                 (A, "stepping goes with", lambda: perp.EventDriven(m, stepping={"h": 1.0})),
                                 (T, "guards is 5", lambda: perp.EventDriven(m, guards=5)),
                                 (T, "schedules is", lambda: perp.EventDriven(m, schedules=perp.Schedule([0.1]))),
                                 (T, "integrators is 5", lambda: perp.Simulation(m, integrators=5)),
                                 (T, "q is None", lambda: perp.record(perp.Simulation(m), until=1.0, q=None))):
            with self.assertRaisesRegex(kind, text):
                call()
        sim = perp.EventDriven(m)
        with self.assertRaisesRegex(perp.NotFiniteError, r"restart: v\[0\] = nan"):
            sim.restart(0.0, v=[math.nan])

    def test_a_matrix_of_functions_that_memory_cannot_hold(self):
        m = perp.Model()
        with self.assertRaisesRegex(perp.WorkspaceError, "Simulation: no memory: work_bytes = [0-9]{15}"):
            m.add(perp.Lagrangian(6324555, mass=lambda q: q))
            perp.Simulation(m)

    def test_a_solver_is_for_one_at_a_time(self):
        again, said = [], []

        def observe(_):
            try:
                again[0].lcp(np.eye(50), -np.ones(50))
            except perp.BusyError as error:
                said.append(str(error))
        again.append(perp.Solver("pgs", observe=observe))
        s = again[0].lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
        np.testing.assert_allclose(s.lambda_, [4 / 3, 7 / 3], rtol=1e-8)
        self.assertRegex(said[0], "^lcp: the solver is at work")
        shared, wrong = perp.Solver("lemke"), []

        def work(k):
            for _ in range(200):
                try:
                    found = shared.lcp(2 * np.eye(20), np.full(20, -1.0 - k)).lambda_
                except perp.BusyError:
                    continue
                if not np.allclose(found, (1 + k) / 2):
                    wrong.append(k)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
