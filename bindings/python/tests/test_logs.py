# SPDX-License-Identifier: MIT
"""Logs: what is written by C is read as arrays."""
import ctypes
import pathlib
import tempfile
import unittest

import numpy as np

import perp
from perp import _c
from perp._library import lib, made


def words(*texts):
    return ctypes.cast((ctypes.c_char_p * len(texts))(*(t.encode() for t in texts)), ctypes.c_void_p)


class Logs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "ball ü.log"
        self.values = np.random.default_rng(1).random((500, 9))
        self.times = 0.25 * np.arange(500)

    def write(self, finish=True, with_contacts=0):
        q = (_c.perp_log_quantity * 3)()
        for at, (kind, name, members, components) in zip(q, (("ball", "q", 1, 2), ("bead", "v", 2, 3),
                                                             ("contact", "lambda", 1, 1))):
            at.kind, at.name, at.unit = kind.encode(), name.encode(), b"m"
            at.members, at.components = members, components
        q[0].component_names = words("x", "y")
        schema = made(_c.perp_log_schema, quantities=q, n_quantities=3, model=b"g = 9.81", model_name=b"ball.toml")
        log, info = ctypes.c_void_p(), made(_c.perp_info)
        created = lib.perp_log_create(ctypes.byref(log), str(self.path).encode(), schema, None, info)
        self.assertEqual(created, 0, info.field)
        for t, row in zip(self.times, self.values):
            lib.perp_log_add_sample(log, t, row.ctypes.data, 9, None)
        impulse = (ctypes.c_double * 2)(3.0, 4.0)
        event = _c.perp_log_event(t=1.5, kind=_c.PERP_EVENT_IMPACT, index=7, n_impulse=2,
                                  impulse=ctypes.addressof(impulse))
        lib.perp_log_add_event(log, event, None)
        contacts = (_c.perp_log_contact * 2)(*(_c.perp_log_contact(systems=(k, -1), rows=3, gap=0.5 * k) for k in (3, 4)))
        contacts[1].point, contacts[1].normal, contacts[1].identity = (1, 2, 3), (0, 0, 1), (8, 9)
        setattr(contacts[0], "lambda", (1, 2, 3, 4, 5))
        for _ in range(with_contacts):
            lib.perp_log_add_contacts(log, 125.0, contacts, 2, None)
        lib.perp_log_add_note(log, b"name", "täxt".encode(), None)
        if finish:
            lib.perp_log_add_end(log, 125.0, 6, b"finished", b"{}", None)
        self.assertEqual(lib.perp_log_close(log, None), 0)

    def test_contacts(self):
        self.write(with_contacts=1)
        with perp.open(self.path) as log:
            of = log.contacts
        np.testing.assert_array_equal(of.start, [0] * 500 + [2])
        np.testing.assert_array_equal(of.systems, [[3, -1], [4, -1]])
        np.testing.assert_array_equal(of.identity, [[0, 0], [8, 9]])
        np.testing.assert_array_equal(of.gap, [1.5, 2])
        np.testing.assert_array_equal(of.point, [[0, 0, 0], [1, 2, 3]])
        np.testing.assert_array_equal(of.normal, [[0, 0, 0], [0, 0, 1]])
        np.testing.assert_array_equal(of.lambda_, [[1, 2, 3, 4, 5], [0] * 5])
        self.assertEqual((len(of), of.law.tolist(), of.rows.tolist(), of.tangent.sum()), (2, [0, 0], [3, 3], 0))

    def test_arrays(self):
        self.write()
        with perp.open(self.path) as log:
            np.testing.assert_array_equal(log.t, self.times)
            np.testing.assert_array_equal(log["ball"].q, self.values[:, :2])
            beads = self.values[:, 2:8].reshape(500, 2, 3)
            np.testing.assert_array_equal(log["bead"].v, beads)
            np.testing.assert_array_equal(log["bead[1]"].v, beads[:, 1])
            np.testing.assert_array_equal(log["contact"].lambda_, self.values[:, 8:])
            np.testing.assert_array_equal(log.read("bead.v", 7, stride=100), beads[7::100])
            self.assertEqual(log.kinds, ("ball", "bead", "contact"))
            self.assertEqual(log.quantities[0].components, ("x", "y"))
            self.assertEqual(log.quantities[1].members, ("bead[0]", "bead[1]"))
            self.assertEqual(log.quantities[1].objects, (0, 1))
            self.assertEqual((log.model, log.model_name), ("g = 9.81", "ball.toml"))
            self.assertEqual(log.events[0].impulse, (3.0, 4.0))
            self.assertEqual((log.events[0].t, log.events[0].index), (1.5, 7))
            self.assertIsNone(log.contacts)
            self.assertEqual(log.notes, [("name", "täxt")])
            self.assertEqual((log.end.t, log.end.reason, log.complete), (125.0, "finished", True))
            self.assertEqual(dir(log["contact"]), ["lambda_"])
            kept = log["ball"].q
        np.testing.assert_array_equal(kept, self.values[:, :2])
        with self.assertRaises(perp.ClosedError):
            log["ball"].q

    def test_what_is_not_there(self):
        self.write()
        with perp.open(self.path) as log:
            with self.assertRaisesRegex(KeyError, "there is no cube; there are ball, bead, contact"):
                log["cube"]
            with self.assertRaisesRegex(AttributeError, "ball has no v; it has q"):
                log["ball"].v
            with self.assertRaisesRegex(perp.ArgumentError, "there is no ball.x; there are ball.q"):
                log.read("ball.x")
            for first, count, stride in ((-1, 1, 1), (0, 501, 1), (0, 2, 500), (0, 1, 0), (0, -1, 1), (500, 1, 1)):
                with self.assertRaises(perp.ArgumentError):
                    log.read("ball.q", first, count, stride)
            self.assertEqual(log.read("ball.q", 500).shape, (0, 1, 2))
        with self.assertRaisesRegex(perp.BackendError, "there is no such file"):
            perp.open(self.path.with_name("none.log"))
        self.path.write_text("text")
        with self.assertRaisesRegex(perp.ArgumentError, "this file is none"):
            perp.open(self.path)

    def test_a_log_that_was_cut(self):
        self.write(finish=False)
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[:-1])
        with perp.open(self.path) as log:
            self.assertFalse(log.complete)
            self.assertIsNone(log.end)
            self.assertLess(log.whole, log.bytes)
            self.assertEqual((log.samples, log.notes), (500, []))

    def test_tables(self):
        self.write()
        with perp.open(self.path) as log:
            self.assertEqual([c for q in log.quantities for c in log._columns(q)][:4],
                             ["ball.q.x", "ball.q.y", "bead[0].v.0", "bead[0].v.1"])
            try:
                import pandas  # noqa: F401
            except ImportError:
                with self.assertRaises(ImportError):
                    log.pandas()
            else:
                table = log.pandas()
                np.testing.assert_array_equal(table["ball.q.y"], self.values[:, 1])
                np.testing.assert_array_equal(table.index, self.times)
            try:
                import xarray  # noqa: F401
            except ImportError:
                with self.assertRaises(ImportError):
                    log.xarray()
            else:
                data = log.xarray()
                np.testing.assert_array_equal(data["bead.v"].sel({"bead.v member": "bead[1]"}),
                                              self.values[:, 5:8])


if __name__ == "__main__":
    unittest.main()
