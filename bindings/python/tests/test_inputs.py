# SPDX-License-Identifier: MIT
"""Inputs set between steps, functions of C, runs up to a time, and the problem of the last step."""
import ctypes
import gc
import math
import pathlib
import pickle
import subprocess
import tempfile
import threading
import unittest

import numpy as np

import perp

SOURCE = """#include <stdint.h>
int32_t force(double t, double *out, void *user) { out[0] = -9.81 + (user ? *(double *)user : 0) + 0 * t; return 0; }
int32_t damp(double t, const double *q, const double *v, const double *z, double *out, void *user)
{ out[0] = -(z ? z[0] : 0.1) * v[0]; return 0; }
int32_t decay(double t, const double *x, const double *z, double *out, void *user) { out[0] = -x[0]; return 0; }
int32_t gap(double t, const double *q, const double *l, const double *z, double *out, void *user) { out[0] = q[0]; return 0; }
int32_t one(double t, const double *q, const double *l, const double *z, double *out, void *user) { out[0] = 1; return 0; }
int32_t halves(double t, double *out, void *user) { out[0] = 0.5; return 0; }
int32_t gives_up(double t, double *out, void *user) { return -1; }
int32_t nan_(double t, double *out, void *user) { out[0] = 0.0 / 0.0; return 0; }
"""
DECLARED = "int32_t force(double t, double *out, void *user); int32_t decay(double t, const double *x, const double *z, " \
    "double *out, void *user);"
folder = tempfile.TemporaryDirectory()


def setUpModule():
    global own
    path = pathlib.Path(folder.name) / "own.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-xc", "-", "-o", path], input=SOURCE.encode(), check=True)
    own = ctypes.CDLL(str(path))


def tearDownModule():
    folder.cleanup()


def ball(q0=1.0, e=0.9, **fields):
    m = perp.Model()
    b = m.add(perp.LagrangianLinear(M=1.0, **fields), [q0])
    floor = m.connect(perp.LagrangianLinearRelation([1.0]), perp.newton_impact(e), b)
    return m, b, floor


def lag(**fields):
    m = perp.Model()
    return m, m.add(perp.FirstOrder(1, **fields), [1.0])


class Sampled(unittest.TestCase):
    def test_an_input_without_a_function_is_z(self):
        z = np.array([-9.81])
        m, b, _ = ball(control=perp.Control(1, T=[[1.0]]), z=z)
        sim, plain = perp.Simulation(m, 1e-3), perp.Simulation(ball(f=[-9.81])[0], 1e-3)
        sim.run(steps=2000), plain.run(steps=2000)
        self.assertLess(abs(sim.q(b)[0] - plain.q(0)[0]), 1e-12)
        self.assertIs(sim.z[b], z)

    def test_what_is_set_acts_in_the_next_step(self):
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=2.0, control=perp.Control(1, T=[[3.0]]), z=np.zeros(1)))
        sim = perp.Simulation(m, 0.5)
        v = 0.0
        for k, u in enumerate((1.0, -2.0, 0.25)):
            sim.z[b] = u
            sim.step()
            v += 0.5 * 3.0 * u / 2.0
            self.assertAlmostEqual(sim.v(b)[0], v, delta=1e-14)

    def test_of_every_kind_of_system(self):
        for system, x0 in ((perp.Lagrangian(1, M=1.0, control=perp.Control(1, T=[[1.0]]), z=np.ones(1)), [0.0]),
                           (perp.FirstOrderLinear(A=0.0, control=perp.Control(1, T=[[1.0]]), z=np.ones(1)), [0.0]),
                           (perp.FirstOrder(1, f=lambda: 0.0, control=perp.Control(1, T=[[1.0]]), z=np.ones(1)), [0.0]),
                           (perp.Body(control=perp.Control(1, T=[[0.0], [0], [1.0], [0], [0], [0]]), z=np.ones(1)), None)):
            m = perp.Model()
            s = m.add(system, x0)
            sim = perp.Simulation(m, 0.25)
            sim.run(steps=4)
            self.assertAlmostEqual(float((sim.x(s) if system.order == 1 else sim.v(s)).sum()), 1.0, delta=1e-12)

    def test_of_relations(self):
        m = perp.Model()
        a = m.add(perp.FirstOrderLinear(A=0.0), [0.0])
        valve = m.connect(perp.LinearRelation(C=[[1.0]], B=[[1.0]], F=[[1.0]], z=np.zeros(1)), perp.relay(), a)
        sim = perp.Simulation(m, 1e-2)
        sim.z[valve] = np.array([-0.5])
        sim.run(steps=100)
        self.assertAlmostEqual(sim.x(a)[0], 0.5, delta=1e-9)  # y = x + z = 0

    def test_refusals(self):
        z = np.zeros(2)
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=[1.0, 1.0], control=perp.Control(2, T=np.eye(2)), z=z))
        c = m.add(perp.LagrangianLinear(M=1.0, control=perp.Control(1, T=[[1.0]]), z=[1.0]))
        f = m.connect(perp.LagrangianLinearRelation([1.0]), perp.newton_impact(0.0), c)
        sim = perp.Simulation(m, 1e-3)
        for values, kind in (([1.0], perp.ArgumentError), (1.0, perp.ArgumentError), ([1.0, math.nan], perp.NotFiniteError),
                             (np.array([math.inf, 0.0]), perp.NotFiniteError), (["a", "b"], perp.ArgumentTypeError),
                             (np.zeros((2, 1)), perp.ArgumentError), ([True, False], perp.ArgumentTypeError),
                             (np.zeros(2, complex), perp.ArgumentTypeError), (None, perp.ArgumentTypeError)):
            with self.subTest(values=values), self.assertRaises(kind):
                sim.z[b] = values
            self.assertFalse(z.any())
        sim.z[b] = np.array([1, 2], dtype=np.int16)
        sim.z[b] = np.arange(4.0)[::2] + 1e200
        self.assertEqual(z.tolist(), [1e200, 1e200])
        with self.assertRaisesRegex(perp.ArgumentError, "that of system 1 stays as it is"):
            sim.z[c] = 2.0
        with self.assertRaisesRegex(perp.ArgumentError, "interaction 0 has no z"):
            sim.z[f] = 2.0
        for of in (0, perp.SystemId(7), "ball", None, [b]):
            with self.subTest(of=of), self.assertRaisesRegex(perp.ArgumentTypeError, "is no system or interaction"):
                sim.z[of] = 2.0
        with self.assertRaises(AttributeError):
            sim.z = 3
        for wrong in (dict(z=None), dict(z=np.zeros(1))):
            with self.assertRaisesRegex(perp.ArgumentError, "control.u: without it the input is z: 2 entries or more"):
                perp.Model().add(perp.LagrangianLinear(M=[1.0, 1.0], control=perp.Control(2, T=np.eye(2)), **wrong))
        with self.assertRaisesRegex(perp.ArgumentError, "no derivatives"):
            perp.Model().add(perp.LagrangianLinear(M=1.0, control=perp.Control(1, T=[[1.0]], u_dq=[[1.0]]), z=np.zeros(1)))

    def test_not_within_a_step(self):
        held = []
        m, b, _ = ball(control=perp.Control(1, lambda z: (held[0].z.__setitem__(perp.SystemId(0), 1.0), z)[1], [[1.0]]),
                       z=np.zeros(1))
        sim = perp.Simulation(m, 1e-3)
        held.append(sim)
        with self.assertRaisesRegex(perp.BusyError, "within a step"):
            sim.step()
        held.clear()
        sim.z[b] = 2.0
        self.assertEqual(sim.z[b][0], 2.0)

    def test_nan_that_is_written_to_the_array_is_found_by_the_step(self):
        m, b, _ = ball(control=perp.Control(1, T=[[1.0]]), z=np.zeros(1))
        sim = perp.Simulation(m, 1e-3)
        sim.z[b][0] = math.nan
        before = sim.checkpoint()
        with self.assertRaises(perp.NotFiniteError):
            sim.step()
        self.assertEqual(sim.checkpoint(), before)


class SetState(unittest.TestCase):
    def test_a_run_goes_on_as_one_that_begins_there(self):
        def model(q, v):
            m = perp.Model()
            bodies = [m.add(perp.ball(1.0, 0.5, f=[0, 0, -9.81]), q[k], v[k]) for k in range(2)]
            places = [m.connect(perp.BodyContact(perp.SpherePlane(0.5, [0, 0, 1.0], 0.0)), perp.friction_3d(0.3), bodies[0]),
                      m.connect(perp.BodyContact(perp.SphereSphere((0.5, 0.5))), perp.friction_3d(0.3), bodies)]
            return m, bodies, places
        m, bodies, places = model([perp.pose_at([0, 0, 1.0]), perp.pose_at([0, 0, 2.1])], [None, None])
        sim = perp.Simulation(m, 1e-3)
        sim.run(steps=30)
        shown = sim.q(bodies[0])
        sim.set_state(bodies[0], perp.pose_at([0.1, 0, 0.5001], [1, 0, 0], 0.3), [1.0, 0, -1, 0, 1, 2])
        self.assertEqual((shown[0], sim.time, sim.step_index), (0.1, 0.03, 30))
        m, _, _ = model([sim.q(b).copy() for b in bodies], [sim.v(b).copy() for b in bodies])
        other = perp.Simulation(m, 1e-3, t0=sim.time)
        for place in places:
            self.assertEqual(sim.y(place).tolist(), other.y(place).tolist())
            self.assertEqual(sim.ydot(place).tolist(), other.ydot(place).tolist())
        sim.run(steps=40), other.run(steps=40)
        for b in bodies:
            self.assertEqual(sim.q(b).tobytes(), other.q(b).tobytes())
            self.assertEqual(sim.v(b).tobytes(), other.v(b).tobytes())

    def test_gaps_that_depend_on_time_are_those_of_now(self):
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=1.0), [1.0])
        lift = m.connect(perp.LagrangianRheonomous(h=lambda t, q: q - t, H=[[1.0]]), perp.newton_impact(0.0), b)
        sim = perp.Simulation(m, 0.125)
        sim.run(steps=4)
        sim.set_state(b, [0.75])
        self.assertEqual(sim.y(lift)[0], 0.25)
        sim.set_state(b, v=[-1.0])
        self.assertEqual((sim.q(b)[0], sim.ydot(lift)[0]), (0.75, -2.0))

    def test_order_1(self):
        m, a = lag(f=lambda x: -x)
        sim = perp.Simulation(m, 1e-2)
        sim.run(steps=7)
        sim.set_state(a, x=[5.0])
        sim.step()
        self.assertAlmostEqual(sim.x(a)[0], 5.0 * (1 - 0.005) / (1 + 0.005), delta=1e-9)

    def test_a_scheme_on_positions(self):
        sim = perp.Simulation(ball(f=[-9.81])[0], 0.125, integrator="schatzman-paoli")
        sim.run(steps=3)
        sim.set_state(0, [2.0], [1.0])
        sim.step()
        self.assertAlmostEqual(sim.q(0)[0], 2 + 0.125 - 0.125**2 * 9.81, delta=1e-14)

    def test_refused_all_stays(self):
        m, b, _ = ball(f=[-9.81])
        body = m.add(perp.ball(1.0, 1.0))
        sim = perp.Simulation(m, 1e-3)
        sim.run(steps=10)
        before, view = sim.checkpoint(), sim.q(b)
        for args, kind, text in (((b, [math.nan]), perp.NotFiniteError, r"q\[0\] is nan"),
                                 ((b, [1.0, 2.0]), perp.ArgumentError, r"q has shape \(2,\)"),
                                 ((b, "up"), perp.ArgumentTypeError, "real numbers"),
                                 ((b,), perp.ArgumentError, "q, v or x is needed"),
                                 ((b, [-1.0]), perp.ArgumentError, "gap of interaction 0 = -1"),
                                 ((body, [0, 0, 0, 1, 1, 0, 0]), perp.ArgumentError, "norm 1.414"),
                                 ((7, [1.0]), perp.ArgumentError, "must be 0 ... 1"),
                                 ((perp.InteractionId(0), [1.0]), perp.ArgumentTypeError, "InteractionId")):
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                sim.set_state(*args)
            self.assertEqual(sim.checkpoint(), before)
        with self.assertRaisesRegex(perp.ArgumentError, "has no x"):
            sim.set_state(b, x=[1.0])
        sim.set_state(b, [0.5])
        self.assertEqual(view[0], 0.5)
        sim.close()
        with self.assertRaises(perp.ClosedError):
            sim.set_state(b, [0.5])

    def test_a_gap_that_throws_leaves_all(self):
        wrong = []

        def gap(q):
            if wrong:
                raise KeyError("gap")
            return q
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=1.0), [1.0])
        m.connect(perp.LagrangianScleronomous(h=gap, H=[[1.0]]), perp.newton_impact(0.0), b)
        sim = perp.Simulation(m, 1e-3)
        before = sim.checkpoint()
        wrong.append(1)
        with self.assertRaises(KeyError):
            sim.set_state(b, [0.5])
        wrong.clear()
        self.assertEqual(sim.checkpoint(), before)
        self.assertEqual(sim.step(), perp.Status.OK)

    def test_not_from_a_function_of_the_model(self):
        held = []
        m, b, _ = ball(force=lambda t: held and held[0].set_state(0, [1.0]) or -9.81)
        sim = perp.Simulation(m, 1e-3)
        held.append(sim)
        with self.assertRaises(perp.BusyError):
            sim.step()


class OfC(unittest.TestCase):
    def same(self, one, other, steps=1500):
        a, b = perp.Simulation(one, 1e-3), perp.Simulation(other, 1e-3)
        self.assertFalse(a._guard.used)  # nobody asks Python
        a.run(steps=steps), b.run(steps=steps)
        for name in ("q", "v") if one._added[0][0].value.order == 2 else ("x",):
            self.assertLess(np.abs(getattr(a, name)(0) - getattr(b, name)(0)).max(), 1e-12)

    def test_of_ctypes(self):
        self.same(ball(force=perp.compiled(own.force))[0], ball(f=[-9.81])[0])
        self.same(ball(f=[-9.81], control=perp.Control(1, perp.compiled(own.damp), [[1.0]]), z=[0.1])[0],
                  ball(f=[-9.81], C=0.1)[0])
        self.same(lag(f=perp.compiled(own.decay))[0], lag(f=lambda x: -x)[0])

    def test_relations(self):
        def on(relation, law=perp.newton_impact(0.9)):
            m = perp.Model()
            m.connect(relation, law, m.add(perp.LagrangianLinear(M=1.0, f=[-9.81]), [1.0]))
            return m
        self.same(on(perp.LagrangianScleronomous(h=perp.compiled(own.gap), H=perp.compiled(own.one))), ball(f=[-9.81])[0])

        def varying(e):
            m = perp.Model()
            a = m.add(perp.FirstOrderLinear(A=0.0), [1.0])
            m.connect(perp.LinearVaryingRelation(C=[[1.0]], B=[[1.0]], e=e), perp.relay(), a)
            return m
        self.same(varying(perp.compiled(own.halves)), varying([0.5]))

    def test_an_address_alone_and_user(self):
        user = np.array([4.81])
        at = ctypes.cast(own.force, ctypes.c_void_p).value
        self.same(ball(force=perp.compiled(at, user=user))[0], ball(f=[-5.0])[0])
        self.same(ball(force=perp.compiled(at, user=ctypes.c_double(4.81)))[0], ball(f=[-5.0])[0])
        self.same(ball(force=perp.compiled(at, user=user.ctypes.data))[0], ball(f=[-5.0])[0])
        two = dict(H=perp.compiled(own.one, user=np.ones(1)), h=perp.compiled(own.gap, user=user))
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=1.0), [1.0])
        with self.assertRaisesRegex(perp.ArgumentError, "have one user"):
            m.connect(perp.LagrangianScleronomous(**two), perp.newton_impact(0.0), b)
        for wrong in ("abc", 1.5, -1, True, np.array([None]), np.zeros((4, 4))[::2]):
            with self.assertRaisesRegex(perp.ArgumentTypeError, "user is"):
                perp.compiled(own.force, user=wrong)

    def test_of_ctypes_by_its_type(self):
        kind = perp.callback_type(perp.LagrangianLinear, "force").ctypes

        def force(t, out, user):
            ctypes.c_double.from_address(out).value = -9.81
            return 0
        self.same(ball(force=perp.compiled(kind(force)))[0], ball(f=[-9.81])[0])
        with self.assertRaisesRegex(perp.ArgumentTypeError, r"the compiled function is i4\(d p p\), i4\(d p p p p p\) is"):
            ball(control=perp.Control(1, perp.compiled(kind(force)), [[1.0]]))
        for wrong in (ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p),
                      ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p),
                      ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p)):
            with self.assertRaisesRegex(perp.ArgumentTypeError, "is needed"):
                ball(force=perp.compiled(wrong(force)))

    def test_of_numba(self):
        try:
            import numba
        except ImportError:
            self.skipTest("numba is not installed (python3-numba)")
        kind = perp.callback_type(perp.LagrangianLinear, "force").numba
        self.assertEqual(kind, "int32(float64, CPointer(float64), voidptr)")

        @numba.cfunc(kind)
        def force(t, out, user):
            out[0] = -9.81
            return 0
        self.same(ball(force=perp.compiled(force))[0], ball(f=[-9.81])[0])

        @numba.cfunc(perp.callback_type(perp.FirstOrder, "f").numba)
        def decay(t, x, z, out, user):
            out[0] = -x[0]
            return 0
        self.same(lag(f=perp.compiled(decay))[0], lag(f=lambda x: -x)[0])
        with self.assertRaisesRegex(perp.ArgumentTypeError, "is needed"):
            ball(force=perp.compiled(decay))

    def test_of_cffi(self):
        try:
            import cffi
        except ImportError:
            self.skipTest("cffi is not installed (python3-cffi)")
        ffi = cffi.FFI()
        ffi.cdef(DECLARED)
        lib = ffi.dlopen(str(pathlib.Path(folder.name) / "own.so"))
        self.same(ball(force=perp.compiled(ffi.addressof(lib, "force")))[0], ball(f=[-9.81])[0])
        with self.assertRaisesRegex(perp.ArgumentTypeError, r"is i4\(d p p p p\), i4\(d p p\) is needed"):
            ball(force=perp.compiled(ffi.addressof(lib, "decay")))
        for wrong in (ffi.new("double[3]"), ffi.NULL, ffi.cast("int", 5000)):
            with self.assertRaisesRegex(perp.ArgumentTypeError, "no pointer to a function"):
                perp.compiled(wrong)
        with self.assertRaisesRegex(perp.ArgumentError, "where there is none"):
            perp.compiled(ffi.cast("int32_t (*)(double, double *, void *)", 0))

    def test_what_is_no_function_is_refused(self):
        for wrong in (None, "force", 1.5, True, lambda t: 0.0, np.zeros(3), print):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(perp.ArgumentTypeError, "compiled: function is"):
                perp.compiled(wrong)
        for wrong in (0, 7, -1, 2**64, ctypes.CFUNCTYPE(None)(0)):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(perp.ArgumentError, "where there is none"):
                perp.compiled(wrong)
        with self.assertRaisesRegex(perp.ArgumentTypeError, r"goes in as perp.compiled"):
            ball(force=own.force)
        with self.assertRaisesRegex(perp.ArgumentTypeError, "is no function"):
            perp.impact(perp.compiled(own.force))
        for at in ((perp.LagrangianLinear, "M"), (perp.FirstOrder, "g"), (int, "f"), (perp.Model, "f"), (None, "f")):
            with self.subTest(at=at), self.assertRaisesRegex(perp.ArgumentError, "no field that holds a function"):
                perp.callback_type(*at)

    def test_types_of_all_fields(self):
        kind = perp.callback_type(perp.FirstOrder, "f")
        self.assertEqual(kind.c, "int32_t f(double t, const double *x, const double *z, double *out, void *user)")
        kinds = [perp.Control, *(k for k in vars(perp).values() if isinstance(k, type) and getattr(k, "_struct", ""))]
        seen = 0
        for description in kinds:
            for field in getattr(description, "__dataclass_fields__", ()):
                try:
                    kind = perp.callback_type(description, field)
                except perp.ArgumentError:
                    continue
                seen += 1
                self.assertEqual(kind.numba.count(",") + 1, len(kind.ctypes._argtypes_))
                self.assertEqual(kind.c.count(",") + 1, len(kind.ctypes._argtypes_))
        self.assertGreater(seen, 50)

    def test_refusals_of_the_function_itself(self):
        m, b, _ = ball(force=perp.compiled(own.gives_up))
        sim = perp.Simulation(m, 1e-3)
        with self.assertRaisesRegex(perp.CallbackError, "force"):
            sim.step()
        with self.assertRaises(perp.NotFiniteError):
            perp.Simulation(ball(force=perp.compiled(own.nan_))[0], 1e-3).step()

    def test_it_lives_as_long_as_who_calls_it(self):
        kind = perp.callback_type(perp.LagrangianLinear, "force").ctypes

        def make():
            @kind
            def force(t, out, user):
                ctypes.c_double.from_address(out).value = ctypes.c_double.from_address(user).value
                return 0
            return perp.Simulation(ball(force=perp.compiled(force, user=np.array([-9.81])))[0], 1e-3)
        sim = make()
        gc.collect()
        noise = [bytearray(100) for _ in range(10000)]
        sim.run(steps=100)
        self.assertAlmostEqual(sim.v(0)[0], -0.981, delta=1e-12)
        del noise
        m = sim._parts.__copy__()
        sim.close()
        perp.Simulation(m, 1e-3).run(steps=10)

    def test_it_cannot_be_pickled(self):
        with self.assertRaisesRegex(perp.ArgumentTypeError, "an address of this process"):
            pickle.dumps(ball(force=perp.compiled(own.force))[0])

    def test_threads(self):
        function = perp.compiled(own.force)
        sims = [perp.Simulation(ball(force=function)[0], 1e-4) for _ in range(4)]
        threads = [threading.Thread(target=s.run, kwargs={"steps": 200000}) for s in sims]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len({s.checkpoint() for s in sims}), 1)


class Until(unittest.TestCase):
    def test_steps(self):
        sim = perp.Simulation(ball(f=[-9.81])[0], 0.125)
        self.assertEqual([s.time for s in sim.steps(until=0.3)], [0.125, 0.25, 0.375])
        self.assertEqual(sim.status, perp.Status.OK)
        for until in (0.3, 0.0, -math.inf):  # past
            self.assertEqual(list(sim.steps(until=until)), [])
            self.assertEqual(sim.run(until=until), perp.Status.OK)
        for go in (sim.steps, sim.run):
            for wrong, kind in ((math.nan, perp.ArgumentError), ("1", perp.ArgumentTypeError), (None, perp.ArgumentTypeError)):
                with self.subTest(wrong=wrong), self.assertRaisesRegex(kind, "until"):
                    go(until=wrong)  # at once, not at the first step

    def test_the_end_comes_first(self):
        sim = perp.Simulation(ball(f=[-9.81])[0], 0.25, steps=2)
        self.assertEqual([s.time for s in sim.steps(until=9.0)], [0.25, 0.5])
        self.assertEqual(sim.status, perp.Status.END)
        self.assertEqual(list(sim.steps()), [])
        self.assertEqual((sim.run(until=9.0), sim.step()), (perp.Status.END, perp.Status.END))

    def test_inputs_in_the_loop(self):
        m, b, _ = ball(control=perp.Control(1, T=[[1.0]]), z=np.zeros(1))
        sim = perp.Simulation(m, 0.25)
        sim.z[b] = 1.0
        for s in sim.steps(until=1.0):
            s.z[b] = -s.z[b]
        self.assertEqual(sim.v(b)[0], 0.0)


class Observed(unittest.TestCase):
    def test_record_shows_each_step_to_who_sets_inputs(self):
        m, b, _ = ball(control=perp.Control(1, T=[[1.0]]), z=np.array([-9.81]))
        sim = perp.Simulation(m, 1e-3)
        seen = []

        def hold(s):
            seen.append(s.time)
            if s.q(b)[0] < 0.5:
                s.z[b] = 2.0
        h = perp.record(sim, until=1.0, every=100, q=[b], v=b, observe=hold)
        self.assertEqual((len(seen), len(h.t), h.t[-1]), (1000, 11, 1.0))
        self.assertTrue((h.q[b] > 0.0).all())
        self.assertGreater(h.v[b][-1, 0], h.v[b][5, 0])

    def test_it_stops(self):
        h = perp.record(perp.Simulation(ball(f=[-9.81])[0], 0.125), until=9.0, every=2, observe=lambda s: s.time < 0.375)
        self.assertEqual((h.status, h.t.tolist()), (perp.Status.STOPPED, [0.0, 0.25, 0.375]))

    def test_it_throws(self):
        sim = perp.Simulation(ball(f=[-9.81])[0], 0.125)
        with self.assertRaisesRegex(KeyError, "hook"):
            perp.record(sim, until=1.0, observe=lambda s: {}["hook"])
        self.assertEqual(sim.time, 0.125)
        self.assertEqual(len(perp.record(sim, until=1.0).t), 8)
        with self.assertRaisesRegex(perp.ArgumentTypeError, "observe is no function"):
            perp.record(sim, until=2.0, observe=1)

    def test_by_events(self):
        seen = []
        h = perp.record(perp.EventDriven(ball(f=[-9.81])[0]), until=1.0, every=0.25, q=[0],
                        observe=lambda s: seen.append(s.time) or s.time < 0.7)
        self.assertEqual((seen, h.t.tolist(), h.status), ([0.0, 0.25, 0.5, 0.75],) * 2 + (perp.Status.STOPPED,))


class LastProblem(unittest.TestCase):
    def test_it_has_the_solution_of_the_step(self):
        m, b, floor = ball(q0=0.0, f=[-9.81])
        sim = perp.Simulation(m, 1e-3)
        with self.assertRaisesRegex(perp.ArgumentError, "problem: island 0: the last step had 0"):
            sim.problem()
        sim.step()
        p = sim.problem()
        self.assertEqual((p.M.given().tolist(), p.laws[0][0].name, p.rows.tolist()), ([[1.0]], "newton_impact", [[0, 0]]))
        self.assertAlmostEqual(p.q[0], -9.81e-3, delta=1e-15)
        for p in (p, pickle.loads(pickle.dumps(p))):
            self.assertEqual(perp.solve(p).lambda_.tolist(), sim.lambda_(floor).tolist())
            self.assertEqual(p.rows.tolist(), [[0, 0]])
        q = p.q.copy()
        sim.set_state(b, [1.0], [0.0])
        sim.step()
        self.assertEqual(sim.islands(), 0)
        with self.assertRaisesRegex(perp.ArgumentError, "the last step had 0"):
            sim.problem()
        self.assertEqual(p.q.tolist(), q.tolist())  # its own
        for wrong, kind in ((-1, perp.ArgumentError), (1.5, perp.ArgumentTypeError), (None, perp.ArgumentTypeError)):
            with self.assertRaises(kind):
                sim.problem(wrong)
        sim.close()
        with self.assertRaises(perp.ClosedError):
            sim.problem()

    def test_friction_islands_and_a_pool(self):
        m = perp.Model()
        pile = [m.add(perp.ball(1.0, 0.5, f=[1.0, 0, -9.81]), perp.pose_at([3.0 * k, 0, 0.5])) for k in range(2)]
        on = [m.connect(perp.BodyContact(perp.SpherePlane(0.5, [0, 0, 1.0], 0.0)), perp.friction_3d(0.3), b) for b in pile]
        free = m.add(perp.ball(1.0, 0.5, f=[0, 0, -9.81]), perp.pose_at([9.0, 0, 0.5]))
        m.pool(perp.ContactPool(4, perp.friction_3d(0.7), lambda s: s.add(
            free, perp.GROUND, perp.ContactPlace(s.q(free)[2] - 0.5, [0, 0, 1.0], s.q(free)[:3] - [0, 0, 0.5]))))
        sim = perp.Simulation(m, 1e-3, formulation="reduced")
        sim.run(steps=3)
        self.assertEqual(sim.islands(), 3)
        found = [sim.problem(k) for k in range(3)]
        self.assertEqual(sorted(p.rows[:, 0].tolist() for p in found), [[-1] * 3, [0] * 3, [1] * 3])
        for p in found:
            self.assertEqual((p.n, p.rows[:, 1].tolist()), (3, [0, 1, 2]))
            self.assertEqual(p.laws[0][0].data["mu"], 0.7 if p.rows[0, 0] == -1 else 0.3)
            s = perp.solve(p, tol=1e-12)
            self.assertTrue(s.solved)
            if p.rows[0, 0] >= 0:
                self.assertLess(np.abs(s.lambda_ - sim.lambda_(on[p.rows[0, 0]])).max(), 1e-6)

    def test_a_graph_is_boxes(self):
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=1.0, f=[-9.81]), [0.05])
        m.connect(perp.LagrangianLinearRelation([1.0]), perp.relay_dead_zone(0.1, 3.0), b)
        sim = perp.Simulation(m, 1e-3)
        sim.run(steps=500)
        p = sim.problem()
        self.assertEqual(p.laws[0][0].kind, "box")
        s = perp.solve(p)
        self.assertAlmostEqual(s.lambda_.sum(), sim.lambda_(0)[0], delta=1e-12)

    def test_a_law_that_remembers_is_refused(self):
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=[1.0, 1.0], f=[-9.81, 0.0]), [0.0, 0.0])
        m.connect(perp.LagrangianLinearRelation(np.eye(2)), perp.cohesive_2d(0.3, 1e3, 1.0), b)
        sim = perp.Simulation(m, 1e-3)
        sim.step()
        with self.assertRaisesRegex(perp.UnsupportedError, "cohesive_2d carries a state"):
            sim.problem()

    def test_large_and_sparse(self):
        m = perp.Model()
        n = 60
        beads = [m.add(perp.LagrangianLinear(M=1.0, f=[-9.81]), [0.01 * k]) for k in range(n)]
        m.connect(perp.LagrangianLinearRelation([1.0]), perp.newton_impact(0.0), beads[0])
        for a, b in zip(beads, beads[1:]):
            m.connect(perp.LagrangianLinearRelation([[-1.0, 1.0]], b=[-0.01]), perp.newton_impact(0.0), [a, b])
        sim = perp.Simulation(m, 1e-3)
        sim.run(steps=2)
        p = sim.problem()
        expected = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
        expected[0, 0] = 1.0
        at = p.rows[:, 0]
        self.assertLess(np.abs(p.M.given() - expected[np.ix_(at, at)]).max(), 1e-14)
        force = np.array([sim.lambda_(perp.InteractionId(int(i)))[0] for i in at])
        self.assertLess(np.abs(perp.solve(p).lambda_ - force).max(), 1e-9)


class Laws(unittest.TestCase):
    def test_of_several_components(self):
        M, q = np.eye(4), [-1.0, 2.0, -3.0, 4.0]
        for laws in ((perp.complementarity(2), 2), (perp.complementarity(4), 1), (perp.complementarity(), 4)):
            self.assertEqual(perp.solve(perp.Problem(M, q, [laws])).lambda_.tolist(), [1.0, 0.0, 3.0, 0.0])
        self.assertEqual(perp.solve(perp.Problem(M, q, perp.equality(4))).lambda_.tolist(), [1.0, -2.0, 3.0, -4.0])
        m = perp.Model()
        b = m.add(perp.LagrangianLinear(M=[1.0, 1.0], f=[-9.81, -9.81]), [0.0, 1.0])
        f = m.connect(perp.LagrangianLinearRelation(np.eye(2)), perp.complementarity(2), b)
        sim = perp.Simulation(m, 1e-3)
        sim.step()
        self.assertGreater(sim.lambda_(f)[0], 0.0)
        for wrong in (0, -1, 1.5, True, None):
            with self.assertRaises(perp.Error):
                perp.complementarity(wrong)


if __name__ == "__main__":
    unittest.main()
