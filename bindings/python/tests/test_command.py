# SPDX-License-Identifier: MIT
"""python -m perp, problem files, figures, examples."""
import contextlib
import io
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import perp
from perp import __main__ as command
from perp import files, plot
from test_models import ball_model

LCP = "2\n0 2 2\n2 2\n2 1 1 2\n-5 -6\n"
RELAY = "2\n0 2 2\n2 2\n2 1 1 2\n-5 -6\n-1 -inf 1 inf\n"
FC3D = "3 1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0.2 0\n0.5\n"
FC2D_BLOCKS = ("2 2\n1 4 4\n2 2 2\n2 4\n2 4\n3 2\n0 1 2\n0 1\n0 2 0 0 2\n1 1 0 0 1\n-1 0 -1 3\n0.5 0.25\n")
ROLLING = "3 1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0.2 0.3\n0.5\n0.1\n"
MLCP = "1 0 1 1\n0 1 2\n0 1\n0 2 2\n2 2\n2 1 -1 2\n1 -6\n"
MLCP2 = "0 1 1 1\n2\n2\n-1\n1\n1 -6\n"
SPARSE = ("2\n2 2 2\n2\nCSparse Version 2\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 3\n    col 0 : locations 0 to 1\n      0 : 2\n"
          "      1 : 1\n    col 1 : locations 2 to 2\n      1 : 2\n-5 -6\n")
GFC3D = "3 1\n0 3 3\n3 3\n2 0 0 0 2 0 0 0 4\n0 3 3\n3 3\n0 0 1 1 0 0 0 1 0\n1 0 -8\n-0.5 0 0\n0.25\n"
MIXED = "1 4 4\n2 2 2\n1 4\n1 4\n3 2\n0 1 2\n0 1\n0 2\n1 1 0 0 0 1 0 0 0 1\n-2 -1 0.2 0\n2 4 0.5\n"


class Command(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([sys.executable, "-m", "perp", *arguments], capture_output=True, text=True,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})

    def within(self, *arguments):
        """Exit code and stderr, without a process of its own."""
        with contextlib.redirect_stderr(io.StringIO()) as text, contextlib.redirect_stdout(io.StringIO()):
            try:
                return command.main(list(arguments)), text.getvalue()
            except SystemExit as end:
                return end.code, text.getvalue()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="p.dat"):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text)
        return str(path)

    def test_what_goes_well(self):
        self.assertIn(perp.__version__, self.run_it("version").stdout)
        self.assertEqual(len(self.run_it("solvers").stdout.splitlines()), len(perp.solvers()))
        done = self.run_it("solve", self.file(LCP), "--json", "--solution", "--solver", "lemke")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answer = json.loads(done.stdout)
        np.testing.assert_allclose(answer["lambda"], [4 / 3, 7 / 3])
        self.assertEqual((answer["code"], answer["class"], answer["n"]), (0, "lcp", 2))
        self.assertAlmostEqual(answer["amplification"], 2.0)
        self.assertNotIn("bound", answer)
        self.assertIn("solved and verified", self.run_it("solve", self.file(FC3D)).stdout)

    def test_not_solved_is_1(self):
        done = self.run_it("solve", self.file("1\n0 1 1\n1 1\n-1\n-1\n"), "--solver", "lemke")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        done = self.run_it("solve", self.file("1\n0 1 1\n1 1\n-1\n-1\n"), "--json")
        self.assertIsNone(json.loads(done.stdout)["bound"])  # for certain

    def test_wrong_command_lines_are_2_with_one_line(self):
        good, bad = self.file(LCP), self.file("2\n0 2", "bad.dat")
        for arguments in ((), ("fly",), ("solve",), ("solve", "/nowhere"), ("solve", bad), ("solve", good, "--tol", "x"),
                          ("solve", good, "--tol", "-1"), ("solve", good, "--solver", "magic"), ("solve", good, "--class", "x"),
                          ("solve", good, "--max-iter", "-1"), ("demo",), ("demo", "cow"), ("solve", good, "extra"),
                          ("solve", self.folder.name), ("demo", "friction", "--plot", "/nowhere/x.png"),
                          ("demo", "friction", "--plot", str(pathlib.Path(self.folder.name, "x.cow")))):
            code, text = self.within(*arguments)
            self.assertEqual((code, len(text.splitlines())), (2, 1), (arguments, text))
        done = self.run_it("fly")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))

    def test_demos_and_their_figures(self):
        for name in ("ball", "bridge", "friction"):
            path = pathlib.Path(self.folder.name, f"{name}.png")
            self.assertEqual(self.within("demo", name, "--plot", str(path)), (0, ""))
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG")


class Files(unittest.TestCase):
    def load(self, text, kind=None):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "p.dat")
            path.write_text(text)
            return files.load(path, kind)

    def test_classes_are_known_by_content(self):
        M = np.array([[2.0, 1.0], [1.0, 2.0]])
        for text, kind, n in ((LCP, "lcp", 2), (RELAY, "relay", 2), (FC3D, "fc3d", 3), (FC2D_BLOCKS, "fc2d", 4),
                              (ROLLING, "rolling", 3), (MLCP, "mlcp", 2), (MLCP2, "mlcp", 2), (SPARSE, "lcp", 2),
                              (MIXED, "mixed", 4), (GFC3D, "gfc3d", 3)):
            name, p = self.load(text)
            self.assertEqual((name, p.n), (kind, n), text)
            self.assertTrue(perp.solve(p).solved)
            self.assertEqual(self.load(text, kind)[0], kind)
        np.testing.assert_array_equal(self.load(LCP)[1].M.values, M)
        np.testing.assert_array_equal(self.load(SPARSE)[1].M.values, [[2, 0], [1, 2]])
        np.testing.assert_array_equal(self.load(MLCP2)[1].M.values, [[2, -1], [1, 2]])
        np.testing.assert_array_equal(self.load(MLCP)[1].M.values, [[2, -1], [1, 2]])
        # v = (x, y, z) with masses 2, 2, 4, u = (v_z, v_x, v_y) + b
        p = self.load(GFC3D)[1]
        np.testing.assert_allclose(p.M.values, np.diag([0.25, 0.5, 0.5]))
        np.testing.assert_allclose(p.q, [-2.5, 0.5, 0])
        # one token more, as friction files often end
        self.assertEqual(self.load(FC3D + "1\n")[0], "fc3d")
        blocks = self.load(FC2D_BLOCKS)[1]
        np.testing.assert_array_equal(np.diag(blocks.M.values), [2, 2, 1, 1])
        self.assertEqual([law.data["mu"] for law, _ in blocks.laws], [0.5, 0.25])

    def test_npz(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "p.npz")
            for arrays, kind in (({}, "lcp"), ({"lower": -1.0, "upper": [1.0, 2.0, 3.0]}, "mlcp"), ({"mu": 0.5}, "fc3d"),
                                 ({"mu": [0.5], "mu_rolling": [0.1], "dim": 3}, "rolling")):
                np.savez(path, M=np.eye(3), q=-np.ones(3), **arrays)
                name, p = files.load(path)
                self.assertEqual(name, kind)
                self.assertTrue(perp.solve(p).solved)
            for arrays in ({"M": np.eye(3)}, {"M": np.eye(3), "q": np.ones(2)}, {"M": np.eye(2), "q": [1, math.nan]},
                           {"M": np.eye(2), "q": np.ones(2), "cow": 1}, {"M": np.array("x"), "q": np.ones(1)},
                           {"M": np.eye(2), "q": np.ones(2), "mu": 1, "dim": 2.5}, {"q": np.ones(2)},
                           {"M": np.eye(2), "q": np.ones(2), "mu_rolling": 1}):
                np.savez(path, **arrays)
                with self.assertRaises(files.FileError):
                    files.load(path)
            path.write_bytes(b"PK\x03\x04 nothing")
            with self.assertRaises(files.FileError):
                files.load(path)

    def test_bad_text_is_refused_in_words(self):
        for text in ("", "x", "-1", "2", "1\n0 1 1\n1 1\nnan\n0", "1\n0 1 1\n1 1\n1\ninf", "999999999\n0 999999999 999999999",
                     "2\n0 2 2\n2 3\n1 1 1 1\n1 1", "3 1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n-0.5\n",
                     FC2D_BLOCKS.replace("3 2\n0 1 2\n0 1", "3 2\n0 1 2\n0 9")):
            with self.assertRaises(files.FileError, msg=text):
                self.load(text)

    def test_damaged_files_never_crash(self):
        rng = random.Random(7)
        texts = [LCP, RELAY, FC3D, FC2D_BLOCKS, ROLLING, MLCP, MLCP2, SPARSE, MIXED, GFC3D]
        refused = 0
        for _ in range(1500):
            words = rng.choice(texts).split(" ")
            for _ in range(rng.randint(1, 3)):
                words[rng.randrange(len(words))] = rng.choice(["", "-1", "0", "1e300", "nan", "x", "4294967296", "7", "\n", ":"])
            try:
                self.load(" ".join(words))
            except files.FileError:
                refused += 1
        self.assertTrue(100 < refused < 1500)


class Plots(unittest.TestCase):
    def test_figures_show_what_was_recorded(self):
        m, ball, floor = ball_model()
        h = perp.record(perp.Simulation(m, 1e-2, 100), q=[ball], v=[ball], y=[floor], lambda_=[floor], energy=True)
        line = plot.times(h, "q", ball).lines[0]
        np.testing.assert_array_equal(line.get_ydata(), h.q[ball][:, 0])
        np.testing.assert_array_equal(line.get_xdata(), h.t)
        line = plot.phase(h, ball).lines[0]
        np.testing.assert_array_equal(line.get_xdata(), h.q[ball][:, 0])
        np.testing.assert_array_equal(plot.complementarity(h, floor).lines[-1].get_ydata(), h.lambda_[floor][:, 0])
        self.assertEqual(len(plot.energy(h).lines), 3)
        e = perp.record(perp.EventDriven(m), 1.5, every=0.1, q=[ball])
        self.assertEqual(len(plot.events(e, plot.times(e, "q", ball)).lines), 3)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.svg")
            plot.save(plot.times(e, "q", ball), path)
            self.assertGreater(path.stat().st_size, 1000)
        for bad in (lambda: plot.times(h, "q", 7), lambda: plot.times(h, "cow", ball), lambda: plot.phase(h, ball, 3),
                    lambda: plot.energy(e)):
            with self.assertRaises(perp.ArgumentError):
                bad()

    def test_matplotlib_is_imported_by_figures_alone(self):
        code = "import sys, perp, perp.plot; sys.exit('matplotlib' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
