#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perp plot and perp export, judged by others: test_results.py PERP [TEST...].

The values of a log are those that read_log.py finds; exports are opened by NumPy, h5py, SciPy and an
XML parser (and by VTK where it is installed; it must be if PERP_VTK is "required"), pictures by the first bytes of
their formats."""
import base64
import csv
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
import zipfile
import zlib

from write_log import write_log

try:
    import h5py
    import numpy as np
    import scipy.io
except ImportError:
    h5py = np = scipy = None
try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError:
    if os.environ.get("PERP_VTK") == "required":
        raise
    vtkXMLPolyDataReader = None

PERP = ""
HERE = os.path.dirname(os.path.abspath(__file__))
BODIES = """
[systems.stone]
kind = "newton_euler"
repeat = 3
mass = 2.0
inertia = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
f = [0, 0, -9.81]
q0 = ["i", 0, 5, 1, 0, 0, 0]
v0 = [1, 0, 0, 0.1, 2, "0.3*i"]
[simulation]
h = 0.01
steps = 50
"""


def call(*arguments, folder=None, **more):
    return subprocess.run([PERP, *arguments], capture_output=True, text=True, timeout=300, cwd=folder, **more)


def log_of(path):
    """Names and shapes of quantities, and rows of samples: t, then all values."""
    done = subprocess.run([sys.executable, os.path.join(HERE, "read_log.py"), path], capture_output=True, text=True,
                          check=True)
    quantities, rows = {}, []
    for line in done.stdout.splitlines():
        words = line.split(" ")
        if words[0] == "sample":
            rows.append([float.fromhex(w) for w in words[1:]])
        elif words[0] not in ("event", "checkpoint", "note"):
            quantities[words[0] + "." + words[1]] = (int(words[-2]), int(words[-1]))
    return quantities, rows


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        for name, text in [("stones", BODIES), ("ball", call("new", "ball").stdout),
                           ("friction", call("new", "friction_oscillator").stdout)]:
            with open(cls.path(name + ".toml"), "w") as file:
                file.write(text)
        with open(cls.path("ball.toml")) as file:
            text = file.read()
        with open(cls.path("events.toml"), "w") as file:
            file.write(text[:text.index("[simulation]")] + "[events]\nuntil = 2.0\nevery = 0.01\n")
        for arguments in (["stones.toml"], ["ball.toml", "--until", "1", "--every", "50"], ["events.toml"],
                          ["friction.toml", "--energy", "--every", "20"]):
            done = call("run", *arguments, folder=cls.folder)
            assert done.returncode == 0, done.stderr

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def run_perp(self, *arguments, **more):
        done = call(*arguments, folder=self.folder, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, code, *arguments, says="", **more):
        before = sorted(os.listdir(self.folder))
        done = call(*arguments, folder=self.folder, **more)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    @staticmethod
    def small(blocks):
        import resource
        import signal

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (blocks, blocks))
        return {"preexec_fn": limit}


def data_of(script):
    """The blocks of points of a gnuplot script."""
    blocks, inside = [], None
    for line in script.splitlines():
        if line.startswith("$"):
            inside = []
        elif line == "EOD":
            blocks.append(inside)
            inside = None
        elif inside is not None:
            inside.append(tuple(float(w) for w in line.split()))
    return blocks


class NoLog(Case):
    def test_what_is_no_log_is_told_by_what_it_is(self):
        for name, data, found in [
                ("empty", b"", "an empty file"), ("noise", bytes(range(256)), "bytes of another format"),
                ("words.csv", b"t,x\n1,2\n", "text"), ("model", BODIES.encode(), "looks like a model file: perp run"),
                ("m.json", b"{}", "looks like a model file"), ("x.h5", b"\x89HDF\r\n\x1a\n" + bytes(100), "HDF5")]:
            with open(self.path(name), "wb") as file:
                file.write(data)
            for command in (["plot", name], ["view", name], ["export", name, "-o", "x.csv"], ["run", "--resume", name],
                            ["run", "ball.toml", "--resume", name]):
                self.refused(2, *command, says=name + ": is no log of perp, found ")
                self.refused(2, *command, says=found)


class Plot(Case):
    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot draws pictures, and is not there")
    def test_pictures_of_each_format(self):
        self.assertEqual(self.run_perp("plot", "ball.log"), "ball.png\n")
        with open(self.path("ball.png"), "rb") as file:
            png = file.read()
        self.assertEqual(png[:16], b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        width, height = struct.unpack(">II", png[16:24])
        self.assertEqual(width, 1600)
        self.assertGreater(height, 1000)  # four panels
        self.assertEqual(png[-8:-4], b"IEND")
        shutil.copy(self.path("ball.log"), self.path("a 'b' $(c)\n\"d_{e}.log"))
        for name, begin in [("x.svg", b"<?xml"), ("x.PDF", b"%PDF-"), ("it's `a` \"b\"; $(c).png", b"\x89PNG")]:
            self.run_perp("plot", "a 'b' $(c)\n\"d_{e}.log", "ball.q", "-o", name)
            with open(self.path(name), "rb") as file:
                self.assertTrue(file.read().startswith(begin))
        for options in (["--phase"], ["--complementarity"], ["--poincare", "ball.v=0"], ["--poincare", "0.1"]):
            self.run_perp("plot", "ball.log", "-o", "more.png", *options)
        self.run_perp("plot", "friction.log", "--energy", "-o", "energy.png")

    def test_the_script_has_the_samples_of_the_log(self):
        quantities, rows = log_of(self.path("ball.log"))
        self.assertEqual(list(quantities), ["ball.q", "ball.v", "ground.y", "ground.lambda"])
        script = self.run_perp("plot", "ball.log", "--script")
        blocks = data_of(script)
        self.assertEqual(len(blocks), 4)
        for i, block in enumerate(blocks):
            self.assertEqual(block, [(float("%.9g" % r[0]), float("%.9g" % r[1 + i])) for r in rows])
        self.assertTrue("'ground.lambda, impulse over the step (N s)'" in script, script[-500:])
        self.assertTrue("noenhanced" in script and "set output" not in script)

    def test_many_samples_become_few_and_keep_extremes(self):
        self.run_perp("run", "ball.toml", "--log", "many.log", "--select", "ball.v,ground.lambda")
        _, rows = log_of(self.path("many.log"))
        self.assertEqual(len(rows), 100001)
        for block, column in zip(data_of(self.run_perp("plot", "many.log", "--script")), (1, 2)):
            self.assertLessEqual(len(block), 4000)
            self.assertEqual(block[0][0], 0)
            self.assertEqual(block[-1][0], 10)
            values = [float("%.9g" % r[column]) for r in rows]
            for pick in (min, max):
                self.assertIn(pick(values), [y for _, y in block])
            n, step = len(rows), 500  # each tenth of a bounce
            for i in range(0, n - step, step):
                t0, t1 = rows[i][0], rows[i + step][0]
                inside = [y for t, y in block if t0 - 0.011 <= t <= t1 + 0.011]
                self.assertLessEqual(min(inside), min(values[i:i + step]))
                self.assertGreaterEqual(max(inside), max(values[i:i + step]))

    def test_energies_and_their_sum(self):
        _, rows = log_of(self.path("friction.log"))
        blocks = data_of(self.run_perp("plot", "friction.log", "--energy", "--script"))
        for block, values in zip(blocks, [[r[-2] for r in rows], [r[-1] for r in rows], [r[-2] + r[-1] for r in rows]]):
            self.assertEqual([y for _, y in block], [float("%.9g" % v) for v in values])
        self.refused(2, "plot", "ball.log", "--energy", says="--energy logs it")

    def test_energies_between_events_and_at_them(self):
        """Of a ball of mass 1: v^2/2 and 9.81 q in each sample; at an impact e^2 of the kinetic one stays."""
        self.run_perp("run", "events.toml", "--energy", "--log", "energies.log")
        quantities, rows = log_of(self.path("energies.log"))
        at = dict(zip(quantities, range(1, 99)))
        last, impacts = None, 0
        for row in rows:
            kinetic, potential = row[at["energy.kinetic"]], row[at["energy.potential"]]
            self.assertAlmostEqual(kinetic, row[at["ball.v"]] ** 2 / 2, 12)
            self.assertAlmostEqual(potential, 9.81 * row[at["ball.q"]], 12)
            if last is not None and abs(kinetic + potential - last) > 1e-6:
                self.assertAlmostEqual((kinetic + potential) / last, 0.81, 6)
                impacts += 1
            last = kinetic + potential
        self.assertEqual(impacts, 3)  # at 0.45, 1.26 and 2.00 s

    def test_complementarity_is_y_against_lambda(self):
        _, rows = log_of(self.path("ball.log"))
        (block,) = data_of(self.run_perp("plot", "ball.log", "--complementarity", "--script"))
        there = {(float("%.9g" % r[3]), float("%.9g" % r[4])) for r in rows}
        self.assertLessEqual(set(block), there)
        self.assertIn(max(y for _, y in there), [y for _, y in block])

    def test_a_phase_portrait_is_near_every_sample(self):
        _, rows = log_of(self.path("friction.log"))
        blocks = data_of(self.run_perp("plot", "friction.log", "mass.q.0", "--phase", "--script"))
        (block,) = blocks
        self.assertLess(len(block), len(rows))
        wide = max(r[1] for r in rows) - min(r[1] for r in rows)
        high = max(r[3] for r in rows) - min(r[3] for r in rows)
        path = [(x / wide, y / high) for x, y in block]
        for r in rows[::7]:
            p = (r[1] / wide, r[3] / high)
            self.assertLess(min(distance(p, a, b) for a, b in zip(path, path[1:])), 2e-4)

    def test_a_section_lies_between_samples(self):
        _, rows = log_of(self.path("friction.log"))
        (block,) = data_of(self.run_perp("plot", "friction.log", "mass.q.0", "--poincare", "mass.v.0=0", "--script"))
        expected = []
        for a, b in zip(rows, rows[1:]):
            if a[3] < 0 <= b[3]:
                expected.append(a[1] + (b[1] - a[1]) * -a[3] / (b[3] - a[3]))
        self.assertGreater(len(expected), 3)
        self.assertEqual(len(block), len(expected))
        for (x, y), q in zip(sorted(block), sorted(expected)):
            self.assertAlmostEqual(x, q, places=8)
            self.assertAlmostEqual(y, 0, places=8)

    def test_several_logs_share_a_panel(self):
        self.run_perp("run", "ball.toml", "--set", "e=0.5", "--until", "1", "--log", "e_5.log")
        script = self.run_perp("plot", "ball.log", "e_5.log", "ball.q", "--script")
        self.assertEqual(script.count("plot $d"), 1)
        for name in ("'ball: ball.q'", "'e_5: ball.q'"):
            self.assertIn(name, script)

    def test_runs_of_different_lengths_have_one_time_axis(self):
        for folder, until in (("one", "1"), ("two", "3")):
            os.makedirs(self.path(folder), exist_ok=True)
            self.run_perp("run", "ball.toml", "--until", until, "--log", folder + "/same.log")
        script = self.run_perp("plot", "one/same.log", "two/same.log", "friction.log", "--script")
        ranges = re.findall(r"set xrange (.*)", script)
        self.assertEqual(ranges, ["[0:4]"] * 4)
        self.assertEqual(len(set(re.findall(r"set yrange (.*)", script))), 3)  # those of q and y are one
        for name in ("'one/same: ball.q'", "'two/same: ball.q'", "'friction: mass.q.0'", "'one/same.log, two/same.log, friction.log'"):
            self.assertIn(name, script)
        script = self.run_perp("plot", "one/same.log", "../" + os.path.basename(self.folder) + "/two/same.log", "--script")
        self.assertIn("'Bouncing ball \u2013 one/same.log, two/same.log'", script)
        self.run_perp("plot", "ball.log", "ball.log", "--script")  # a file twice

    def test_of_friction_the_normal_row_is_complementary(self):
        script = self.run_perp("plot", "friction.log", "--complementarity", "--script")
        _, rows = log_of(self.path("friction.log"))
        (block,) = data_of(script)
        self.assertLessEqual(set(block), {(float("%.9g" % r[5]), float("%.9g" % r[7])) for r in rows})
        self.assertIn("'complementarity: table.y.0, table.lambda.0'", script)
        self.refused(2, "plot", "friction.log", "table.y.1", "--complementarity", says="no complementary y and lambda")

    def test_the_start_of_first_order_is_no_complementarity(self):
        with open(self.path("bridge.toml"), "w") as file:
            file.write(call("new", "diode_bridge").stdout)
        self.run_perp("run", "bridge.toml")
        script = self.run_perp("plot", "bridge.log", "--complementarity", "--script")
        self.assertIn("'complementarity, without the start: bridge'", script)
        blocks = data_of(script)
        self.assertEqual(len(blocks), 4)
        for block in blocks:
            self.assertGreater(len(block), 10)
            for y, force in block:
                self.assertGreater(min(y, force), -1e-6)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot draws pictures, and is not there")
    def test_labels_are_within_the_picture(self):
        self.run_perp("plot", "friction.log", "--complementarity", "-o", "label.svg")
        with open(self.path("label.svg")) as file:
            places = [float(x) for x in re.findall(r'"translate\(([-\d.]+),[-\d.]+\) rotate\(270\)"', file.read())]
        self.assertTrue(places and min(places) > 15, places)

    def test_one_sample_constants_and_gaps(self):
        self.run_perp("run", "ball.toml", "--every", "1000000", "--log", "one.log")
        self.run_perp("plot", "one.log", "--script")
        if shutil.which("gnuplot"):
            self.run_perp("plot", "one.log", "-o", "one.png")
            self.run_perp("run", "ball.toml", "--set", "g=0", "--log", "constant.log")
            self.run_perp("plot", "constant.log", "-o", "constant.png")

    def test_what_cannot_be(self):
        for arguments, says in [
                (["none.log"], "no such file"), (["ball.toml"], "perp run makes"), (["ball.log", "bal.q"], "did you mean 'ball.q'?"),
                (["ball.log", "-o", "x.gif"], ".png, .svg or .pdf"), (["ball.log", "-o", "none/x.png"], "no such folder"),
                (["ball.log", "--phase", "--energy"], "excludes"), (["ball.log", "--poincare", "x"], "expected NAME=LEVEL"),
                (["ball.log", "--poincare", "0"], "a period > 0"), (["ball.log", "--poincare", "ball.q=9"], "no sample"),
                (["ball.log", "--poincare", "*.q,*.v=0"], "expected one"), (["ball.log", "ground", "--phase"], "no positions")]:
            with self.subTest(arguments):
                self.refused(2, "plot", *arguments, says=says)

    def test_without_gnuplot_or_with_one_that_fails(self):
        self.refused(1, "plot", "ball.log", "-o", "no.png", says="was not found", env={"PATH": "/nonexistent"})
        bin_folder = tempfile.TemporaryDirectory()
        self.addCleanup(bin_folder.cleanup)
        for text, says in [("echo 'line 7: it is broken' >&2; exit 1", "could not draw it: line 7: it is broken"),
                           ("exit 0", "could not draw it"), ("kill -9 $$", "could not draw it")]:
            with open(os.path.join(bin_folder.name, "gnuplot"), "w") as file:
                file.write("#!/bin/sh\n" + text + "\n")
            os.chmod(file.name, 0o755)
            self.refused(1, "plot", "ball.log", "-o", "no.png", says=says, env={"PATH": bin_folder.name})

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot draws pictures, and is not there")
    def test_a_full_disk(self):
        for size in (512, 65536):
            self.refused(1, "plot", "ball.log", "-o", "full.png", **self.small(size))


def distance(p, a, b):
    """Of a point from a segment."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    part = 0 if length == 0 else min(1, max(0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length))
    return ((p[0] - a[0] - part * dx) ** 2 + (p[1] - a[1] - part * dy) ** 2) ** 0.5


class Damaged(Case):
    def test_what_is_left_out_is_told(self):
        with open(self.path("ball.log"), "rb") as file:
            data = file.read()
        whole = next(k for k in range(len(data) - 1, 0, -1) if data[k:k + 4] == b"PLBK")  # the end of the run
        for part, lost in ((data[:-1], len(data) - 1 - whole), (data + b"more", 4),
                           (data[:whole + 40] + bytes([data[whole + 40] ^ 1]) + data[whole + 41:], len(data) - whole)):
            with open(self.path("c.log"), "wb") as file:
                file.write(part)
            _, rows = log_of(self.path("c.log"))
            for arguments in (["plot", "c.log", "--script"], ["export", "c.log", "-o", "c.csv"], ["view", "c.log", "-o", "c.html"]):
                done = call(*arguments, folder=self.folder)
                self.assertEqual((done.returncode, done.stderr),
                                 (0, f"perp: c.log: {lost} bytes after t = {rows[-1][0]:.9g} are damaged and left out\n"))


class Export(Case):
    def check_numbers(self, log, of, times, every=1, convert=float):
        """of(name): samples x members x components, as lists."""
        quantities, rows = log_of(self.path(log))
        rows = rows[::every]
        self.assertEqual(list(times), [r[0] for r in rows])
        at = 1
        for name, (members, components) in quantities.items():
            values = of(name)
            self.assertEqual(len(values), len(rows))
            for row, sample in zip(rows, values):
                self.assertEqual(len(sample), members)
                flat = [x for member in sample for x in member]
                self.assertEqual(flat, [convert(x) for x in row[at:at + members * components]])
            at += members * components

    def test_csv(self):
        for log, every in [("stones.log", 1), ("ball.log", 7)]:
            self.run_perp("export", log, "-o", "x.csv", "--every", str(every))
            quantities, rows = log_of(self.path(log))
            with open(self.path("x.csv"), newline="") as file:
                head, *lines = csv.reader(file)
            self.assertEqual([[float(x) for x in line] for line in lines], rows[::every])
            self.assertEqual(len(head), 1 + sum(m * c for m, c in quantities.values()))
        self.assertEqual(head, ["t", "ball.q", "ball.v", "ground.y", "ground.lambda"])
        self.run_perp("export", "stones.log", "-o", "x.csv", "--select", "stone[1].q,stone.v.wz")
        with open(self.path("x.csv"), newline="") as file:
            head = next(csv.reader(file))
        self.assertEqual(head[1:3], ["stone[1].q.x", "stone[1].q.y"])
        self.assertEqual(head[8:], ["stone[0].v.wz", "stone[1].v.wz", "stone[2].v.wz"])

    @unittest.skipUnless(np, "NumPy, h5py and SciPy judge exports, and are not there")
    def test_numpy(self):
        for log in ("stones.log", "ball.log"):
            self.run_perp("export", log, "-o", "x.npz")
            with np.load(self.path("x.npz")) as z:
                self.assertIsNone(z.zip.testzip())
                self.check_numbers(log, lambda name: z[name].tolist(), z["t"])  # pylint: disable=cell-var-from-loop
                about = json.loads(z["about.json"])
        with open(self.path("ball.toml")) as file:
            self.assertEqual(about["model"], file.read())
        with open(self.path("ball.log"), "rb") as file:
            data = file.read()
        self.assertEqual((about["log"]["crc32"], about["log"]["bytes"]), ("%08x" % zlib.crc32(data), len(data)))
        self.assertEqual(about["quantities"]["ground.lambda"]["units"], ["N s"])
        self.assertIn("finished", about["reason"])
        self.run_perp("export", "stones.log", "-o", "x.npz", "--float32", "--every", "9")
        with np.load(self.path("x.npz")) as z:
            self.assertEqual(z["stone.q"].dtype, np.float32)
            self.check_numbers("stones.log", lambda name: z[name].tolist(), z["t"], 9, lambda x: float(np.float32(x)))

    @unittest.skipUnless(np, "NumPy, h5py and SciPy judge exports, and are not there")
    def test_hdf5(self):
        self.run_perp("export", "stones.log", "-o", "x.h5")
        with h5py.File(self.path("x.h5")) as h:
            self.check_numbers("stones.log", lambda name: h["quantities"][name.replace(".", "/")][()].tolist(), h["t"][()])
            q = h["quantities/stone/q"]
            self.assertEqual(q.shape, (51, 3, 7))
            self.assertEqual(list(q.attrs["components"]), ["x", "y", "z", "p0", "p1", "p2", "p3"])
            self.assertEqual(list(q.attrs["units"]), ["m"] * 3 + ["1"] * 4)
            self.assertIn("centre of mass", q.attrs["description"])
            self.assertEqual([n.decode() for n in h["members/stone/q"][()]], ["stone[0]", "stone[1]", "stone[2]"])
            self.assertEqual(h["model"][()].decode(), BODIES)
            self.assertEqual(json.loads(h["report"][()])["steps"], 50)
            with open(self.path("stones.log"), "rb") as file:
                self.assertEqual(h.attrs["log_crc32"], "%08x" % zlib.crc32(file.read()))
        self.run_perp("export", "events.log", "-o", "e.h5")
        impacts = [e for e in self.events() if e[1] & 1]
        with h5py.File(self.path("e.h5")) as h:
            events = h["events"]
            self.assertEqual(list(zip(events["t"][()], events["kind"][()], events["index"][()])), self.events())
            self.assertEqual(len(events["impulse_start"]), len(self.events()) + 1)
            self.assertGreaterEqual(events["impulse_start"][-1], len(impacts))
            self.assertTrue((events["impulse"][()] >= 0).all())
        for command in (["plot", "x.h5"], ["info", "x.h5"], ["export", "x.h5", "-o", "y.csv"], ["solve", "x.h5"]):
            self.refused(2, *command, says="not read back")

    def events(self):
        done = subprocess.run([sys.executable, os.path.join(HERE, "read_log.py"), self.path("events.log")],
                              capture_output=True, text=True, check=True)
        words = [line.split(" ") for line in done.stdout.splitlines() if line.startswith("event ")]
        self.assertGreater(len(words), 1)
        return [(float.fromhex(w[1]), int(w[2]), int(w[3])) for w in words]

    @unittest.skipUnless(np, "NumPy, h5py and SciPy judge exports, and are not there")
    def test_mat(self):
        self.run_perp("export", "stones.log", "-o", "x.mat")
        m = scipy.io.loadmat(self.path("x.mat"))
        shapes = log_of(self.path("stones.log"))[0]
        self.check_numbers("stones.log", lambda n: m[n.replace(".", "_")].reshape((51, *shapes[n])).tolist(), m["t"][:, 0])
        self.assertEqual(m["stone_q"].shape, (51, 3, 7))
        self.assertEqual(json.loads(m["about"][0])["model"], BODIES)
        self.run_perp("export", "ball.log", "-o", "x.mat", "--float32")
        self.assertEqual(scipy.io.loadmat(self.path("x.mat"))["ball_q"].dtype, np.float32)

    @unittest.skipUnless(np, "NumPy, h5py and SciPy judge exports, and are not there")
    def test_contacts_of_a_pool(self):
        rng = random.Random(2)
        parts = [("systems", 2), ("identity", 2), ("law", 1), ("rows", 1), ("gap", 1), ("point", 3), ("normal", 3), ("tangent", 3), ("lambda", 5)]
        contact = lambda: [rng.randrange(3), rng.randrange(-1, 3), rng.randrange(2 ** 32), rng.randrange(2 ** 32), rng.randrange(2), 3,
                           *(rng.uniform(-9, 9) for _ in range(15))]
        for counts in ([0, 1, 3, 0, 2, 5, 1, 0, 4], [0] * 9):
            lists = [[contact() for _ in range(n)] for n in counts]
            write_log(self.path("made.log"), [("stone", "q", 1, 3, ["x", "y", "z", "p0", "p1", "p2", "p3"])],
                      [[k, *range(21)] for k in range(9)], contacts=lists)
            for every, single in ((1, False), (2, True)):
                options = ["--every", str(every)] + ["--float32"] * single
                for kind in ("h5", "npz", "mat"):
                    self.run_perp("export", "made.log", "-o", "made." + kind, *options)
                flat = np.array([c for kept in lists[::every] for c in kept]).reshape(-1, 21)
                starts = np.cumsum([0, *map(len, lists[::every])]).tolist()
                m = scipy.io.loadmat(self.path("made.mat"))
                with h5py.File(self.path("made.h5")) as h, np.load(self.path("made.npz")) as z:
                    about = json.loads(z["about.json"])
                    self.assertEqual(about, json.loads(m["about"][0]))
                    self.assertEqual(about["contacts"]["names"], ["stone[0]", "stone[1]", "stone[2]"])
                    self.assertEqual(about["contacts"]["parts"]["gap"]["unit"], h["contacts/gap"].attrs["units"])
                    for got in (h["contacts/start"][()], z["contacts/start"], m["contacts_start"][:, 0]):
                        self.assertEqual(got.tolist(), starts)
                    at = 0
                    for name, width in parts:
                        real = name in ("gap", "point", "normal", "tangent", "lambda")
                        form = {"identity": np.uint32}.get(name, np.int32) if not real else np.float32 if single else np.float64
                        should = flat[:, at:at + width].astype(form)
                        for got in (h["contacts/" + name][()], z["contacts/" + name], m["contacts_" + name]):
                            self.assertEqual((got.dtype, got.reshape(-1, width).tolist()), (form, should.tolist()), (name, every))
                        at += width
                    self.assertEqual((at, z["contacts/lambda"].shape, m["contacts_gap"].shape), (21, (len(flat), 5), (len(flat), 1)))
        self.run_perp("export", "stones.log", "-o", "x.npz")
        with np.load(self.path("x.npz")) as z:
            self.assertFalse([name for name in z if "contacts" in name])

    def test_frames_of_bodies(self):
        self.run_perp("export", "stones.log", "-o", "s.pvd", "--every", "10")
        quantities, rows = log_of(self.path("stones.log"))
        self.assertEqual(list(quantities.items()), [("stone.q", (3, 7)), ("stone.v", (3, 6))])
        sets = xml.etree.ElementTree.parse(self.path("s.pvd")).getroot().findall("Collection/DataSet")
        self.assertEqual([float(s.get("timestep")) for s in sets], [r[0] for r in rows[::10]])
        for s, row in zip(sets, rows[::10]):
            file = self.path(s.get("file"))
            places = [row[1 + 7 * k:4 + 7 * k] for k in range(3)]
            orientations = [row[4 + 7 * k:8 + 7 * k] for k in range(3)]
            velocities = [row[22 + 6 * k:25 + 6 * k] for k in range(3)]
            piece = xml.etree.ElementTree.parse(file).getroot().find("PolyData/Piece")
            self.assertEqual((piece.get("NumberOfPoints"), piece.get("NumberOfVerts")), ("3", "3"))
            arrays = {a.get("Name"): self.numbers(a) for a in piece.iter("DataArray")}
            self.assertEqual(arrays["Points"], [x for p in places for x in p])
            self.assertEqual(arrays["quaternion"], [x for p in orientations for x in p])
            self.assertEqual(arrays["velocity"], [x for v in velocities for x in v])
            self.assertEqual(arrays["system"], [0, 1, 2])
            self.assertEqual((arrays["connectivity"], arrays["offsets"]), ([0, 1, 2], [1, 2, 3]))
            if vtkXMLPolyDataReader is None:
                continue
            reader = vtkXMLPolyDataReader()
            reader.SetFileName(file)
            reader.Update()
            data = reader.GetOutput()
            self.assertEqual(data.GetNumberOfCells(), 3)
            self.assertEqual(vtk_to_numpy(data.GetPoints().GetData()).tolist(), places)
            self.assertEqual(vtk_to_numpy(data.GetPointData().GetArray("quaternion")).tolist(), orientations)
        self.run_perp("export", "stones.log", "-o", "s.pvd", "--every", "25")  # in the place of those before
        self.assertEqual(len(os.listdir(self.path("s_frames"))), 3)
        self.refused(2, "export", "ball.log", "-o", "b.pvd", says="no bodies")
        with open(self.path("s_frames/mine.txt"), "w") as mine:
            mine.write("keep")
        self.refused(2, "export", "stones.log", "-o", "s.pvd", says="mine.txt")

    @staticmethod
    def numbers(array):
        form = {"Float64": "d", "Int32": "i", "Int64": "q"}[array.get("type")]
        data = base64.b64decode(array.text)
        (size,) = struct.unpack_from("<Q", data)
        assert size == len(data) - 8
        return [x for (x,) in struct.iter_unpack("<" + form, data[8:])]

    def test_what_cannot_be(self):
        for arguments, says in [(["none.log", "-o", "x.csv"], "no such file"), (["ball.log", "-o", "x.xls"], "--format"),
                                (["ball.log", "-o", "none/x.csv"], "no such folder"), (["ball.log"], "required"),
                                (["ball.log", "-o", "./ball.log", "--format", "csv"], "ends in .csv"),
                                (["ball.log", "-o", "ball.toml", "--format", "csv"], "ends in .csv"),
                                (["ball.log", "-o", "x.csv", "--format", "hdf5"], "ends in .h5, .hdf, .hdf5"),
                                (["ball.log", "-o", "x.csv", "--select", "bal.q"], "did you mean 'ball.q'?"),
                                (["stones.log", "-o", "x.npz", "--select", "stone[0].q.x,stone[1].q.y"], "no block"),
                                (["ball.log", "-o", "x.csv", "--every", "0"], "from 1")]:
            with self.subTest(arguments):
                self.refused(2, "export", *arguments, says=says)

    def test_a_full_disk_leaves_nothing(self):
        sizes = {}
        for kind in ("csv", "npz", "mat", "h5"):
            self.run_perp("export", "ball.log", "-o", "size." + kind)
            sizes[kind] = os.path.getsize(self.path("size." + kind))
        for kind, size in sizes.items():
            for part in (0, 100, size // 3, size // 2, size - 1000, size - 1):
                with self.subTest(kind=kind, part=part):
                    self.refused(1, "export", "ball.log", "-o", "full." + kind, says="full." + kind + ": ", **self.small(part))
                    self.refused(1, "export", "ball.log", "-o", "full." + kind, says=": File too large", **self.small(part))
            done = call("export", "ball.log", "-o", "enough." + kind, folder=self.folder, **self.small(size))
            self.assertEqual(done.returncode, 0, done.stderr)
        self.refused(1, "export", "stones.log", "-o", "full.pvd", says=": File too large", **self.small(1000))

    def test_links_are_followed_and_no_log_is_replaced(self):
        os.makedirs(self.path("real"), exist_ok=True)
        for name, to in [("one.csv", "real/two.csv"), ("real/two.csv", "three.csv"), ("round.csv", "round.csv")]:
            os.symlink(to, self.path(name))
        self.run_perp("export", "ball.log", "-o", "one.csv")
        self.assertTrue(os.path.islink(self.path("one.csv")) and os.path.islink(self.path("real/two.csv")))
        self.run_perp("export", "ball.log", "-o", "plain.csv")
        with open(self.path("real/three.csv")) as linked, open(self.path("plain.csv")) as plain:
            self.assertEqual(linked.read(), plain.read())
        self.refused(1, "export", "ball.log", "-o", "round.csv", says="Too many levels of symbolic links")
        shutil.copy(self.path("ball.log"), self.path("log.png"))
        self.refused(2, "plot", "log.png", says="log.png: is the log itself; -o names another file")
        self.assertEqual(log_of(self.path("log.png")), log_of(self.path("ball.log")))

    def test_names_of_any_letters_and_logs_of_times_alone(self):
        with open(self.path("odd.json"), "w") as file:
            json.dump({"systems": {"bälle€": {"kind": "lagrangian_linear", "M": [1]}}, "simulation": {"h": 0.5, "until": 1}}, file)
        with open(self.path("times.toml"), "w") as file:
            file.write("[systems]\n[simulation]\nh = 0.5\nuntil = 1\n")
        for name in ("odd.json", "times.toml"):
            self.run_perp("run", name)
        self.run_perp("export", "odd.log", "-o", "odd.npz")
        with zipfile.ZipFile(self.path("odd.npz")) as archive:
            self.assertIn("bälle€.q.npy", archive.namelist())
        for kind in ("csv", "npz", "mat", "h5"):
            self.assertIn("3 samples", self.run_perp("export", "times.log", "-o", "times." + kind))
        with open(self.path("times.csv")) as file:
            self.assertEqual(file.read(), "t\n0\n0.5\n1\n")

    def test_a_name_without_an_ending_has_a_format(self):
        self.run_perp("export", "ball.log", "-o", "plain", "--format", "csv")
        self.run_perp("export", "ball.log", "-o", "plain.csv")
        with open(self.path("plain"), "rb") as plain, open(self.path("plain.csv"), "rb") as named:
            self.assertEqual(plain.read(), named.read())
        self.refused(2, "export", "ball.log", "-o", "plain", says="--format")

    def test_what_cannot_be_written_is_no_bad_input(self):
        for command, ending in (("export", "csv"), ("view", "html"), ("plot", "png")):
            if command != "plot" or shutil.which("gnuplot"):
                self.refused(1, command, "ball.log", "-o", "/proc/none." + ending, says="No such file")
                if command == "view":
                    self.refused(1, command, "ball.log", "-o", "full.html", **self.small(1000))
        with open("/dev/full", "w") as full:
            done = subprocess.run([PERP, "plot", self.path("ball.log"), "--script"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "perp: the output cannot be written\n"))


if __name__ == "__main__":
    PERP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
