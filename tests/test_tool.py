#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The perp command on files, judged from the outside: test_tool.py PERP [TEST...].

Problems are read again by the few lines below, and every residual is computed again, in rational
numbers, from the file and what --solution prints; nothing is shared with the library. Published
problems are taken from the folder that PERP_DATA names, and skipped where it is absent."""
import functools
import json
import math
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction

import read_log

PERP = ""
ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.environ.get("PERP_DATA") or os.path.join(HERE, "..", "..", "shared", "data")
KEYS = ["status", "code", "ending", "solver", "n", "iterations", "residual", "relative_residual",
        "natural_error", "componentwise", "amplification", "seconds"]
INF = math.inf
EACH = int(os.environ.get("PERP_TEST_EACH") or 1)  # builds that are slow try one of so many like cases


def call(*arguments):
    return subprocess.run([PERP, *arguments], capture_output=True, text=True, timeout=300)


def solve(file, *arguments):
    """Exit code and the JSON object of perp solve."""
    done = call("solve", file, "--json", *arguments)
    return done.returncode, json.loads(done.stdout)


@functools.lru_cache(None)
def solver_names():
    return [s["name"] for s in json.loads(call("solvers", "--json").stdout)]


# ---- a reader of text problems with laws by component ----

class Tokens:
    def __init__(self, text):
        self.lines = iter(text.splitlines())
        self.queue = []

    def word(self):
        while not self.queue:
            self.queue = next(self.lines).split()
        return self.queue.pop(0)

    def int(self):
        return int(self.word())

    def reals(self, count):
        words = [self.word() for _ in range(count)]
        return [float(w) if "inf" in w else Fraction(float(w)) for w in words]

    def line(self):
        self.queue = []
        return next(self.lines)


def read_matrix(t):
    """Rows of fractions."""
    storage, rows, cols = t.int(), t.int(), t.int()
    M = [[Fraction(0)] * cols for _ in range(rows)]
    if storage == 0:
        assert (t.int(), t.int()) == (rows, cols)
        values = t.reals(rows * cols)
        for k, v in enumerate(values):
            M[k % rows][k // rows] = v
    elif storage == 1:
        blocks, brows, bcols = t.int(), t.int(), t.int()
        if blocks == 0:
            return M
        row_cuts = [0] + [t.int() for _ in range(brows)]
        col_cuts = [0] + [t.int() for _ in range(bcols)]
        assert (t.int(), t.int()) == (brows + 1, blocks)
        start = [t.int() for _ in range(brows + 1)]
        index = [t.int() for _ in range(blocks)]
        for r in range(brows):
            for k in range(start[r], start[r + 1]):
                assert t.int() == k
                c = index[k]
                for j in range(col_cuts[c], col_cuts[c + 1]):
                    for i in range(row_cuts[r], row_cuts[r + 1]):
                        M[i][j] += t.reals(1)[0]
    else:
        origin = t.int()
        t.line()
        header = t.line().split()
        entries = int(header[header.index("nnz:") + 1].rstrip(","))
        for _ in range(entries if origin in (1, 4) else (cols if origin == 2 else rows)):
            if origin in (1, 4):
                i, j, colon = t.int(), t.int(), t.word()
                M[i][j] += t.reals(1)[0]
                continue
            words = [t.word() for _ in range(7)]  # col j : locations p0 to p1
            for _ in range(int(words[4]), int(words[6]) + 1):
                i, colon = t.int(), t.word()
                row, col = (i, int(words[1])) if origin == 2 else (int(words[1]), i)
                M[row][col] += t.reals(1)[0]
    return M


def read_problem(file, kind):
    """M, q, lower, upper."""
    with open(file) as f:
        t = Tokens(f.read())
    if kind == "mlcp":
        first, _, n, m = t.int(), t.int(), t.int(), t.int()
        assert first == 1
        cuts = [t.int()]
        while cuts[-1] < n + m:
            cuts.append(t.int())
        lower = []
        for a, b in zip(cuts, cuts[1:]):
            lower += [Fraction(0) if t.int() == 1 else -INF] * (b - a)
        M = read_matrix(t)
        return M, t.reals(n + m), lower, [INF] * (n + m)
    n = t.int()
    M, q = read_matrix(t), None
    q = t.reals(n)
    if kind == "relay":
        return M, q, t.reals(n), t.reals(n)
    return M, q, [Fraction(0)] * n, [INF] * n


# ---- the residual, from its definition ----

def project(x, low, high):
    return low if x < low else high if x > high else x


def judge(problem, solution):
    """Largest residual, the scale and the hat it is compared with, the componentwise one, and y."""
    M, q, lower, upper = problem
    n = len(q)
    z = [Fraction(v) for v in solution]
    y = [sum((M[i][j] * z[j] for j in range(n)), q[i]) for i in range(n)]
    size = [sum((abs(M[i][j] * z[j]) for j in range(n)), abs(q[i])) for i in range(n)]
    free = [abs(z[i]) if lower[i] > -INF and upper[i] < INF
            else abs(project(Fraction(0), lower[i], upper[i])) for i in range(n)]
    hat = [sum((abs(M[i][j]) * free[j] for j in range(n)), abs(q[i])) for i in range(n)]
    worst = each = 0.0
    for i in range(n):
        norm = math.sqrt(sum((M[j][i] ** 2 for j in range(n)), Fraction(0)))
        rho = Fraction(1 / norm if norm > 0 else 1.0)
        r = abs(z[i] - project(z[i] - rho * y[i], lower[i], upper[i])) / rho
        worst = max(worst, float(r))
        each = max(each, float(r / size[i])) if size[i] else each
    return worst, float(max(size, default=0)), float(max(hat, default=0)), each, y


# ---- problems in global form: M v = q + H r, u = Hᵀ v + b, condensed by elimination ----

def read_global(file):
    """dim, rows of M, rows of H, q, b, mu, in floating point."""
    with open(file) as f:
        t = Tokens(f.read())
    dim, contacts = t.int(), t.int()
    M, H = [[[float(x) for x in row] for row in read_matrix(t)] for _ in range(2)]
    q, b, mu = (list(map(float, t.reals(k))) for k in (len(M), dim * contacts, contacts))
    return dim, M, H, q, b, mu


def eliminate(M, columns):
    """M⁻¹ columns; rows that are 0 beside the diagonal cost nothing."""
    m = len(M)
    A = [dict((j, x) for j, x in enumerate(row) if x != 0) for row in M]
    B = [list(row) for row in columns]
    for k in range(m):
        p = max(range(k, m), key=lambda i: abs(A[i].get(k, 0)))
        A[k], A[p], B[k], B[p] = A[p], A[k], B[p], B[k]
        for i in range(m):
            if i == k or A[i].get(k, 0) == 0:
                continue
            f = A[i][k] / A[k][k]
            for j, x in A[k].items():
                A[i][j] = A[i].get(j, 0) - f * x
            A[i][k] = 0
            B[i] = [a - f * c for a, c in zip(B[i], B[k])]
    return [[x / A[k][k] for x in B[k]] for k in range(m)]


def project_cone(mu, x):
    n, s = x[0], math.hypot(*x[1:])
    if mu * s <= -n:
        return [0.0] * len(x)
    if s <= mu * n:
        return list(x)
    z = (n + mu * s) / (1 + mu * mu)
    return [z] + [mu * z / s * v for v in x[1:]]


def judge_global(problem, r):
    """Relative residual of u = W r + (Hᵀ M⁻¹ q + b), and u."""
    dim, M, H, q, b, mu = problem
    m, n = len(M), len(b)
    solved = eliminate(M, [H[i] + [q[i]] for i in range(m)])
    rows = [[j for j in range(m) if H[j][i] != 0] for i in range(n)]
    W = [[sum(H[j][i] * solved[j][k] for j in rows[i]) for k in range(n)] for i in range(n)]
    free = [sum(H[j][i] * solved[j][n] for j in rows[i]) + b[i] for i in range(n)]
    u = [free[i] + sum(W[i][k] * r[k] for k in range(n)) for i in range(n)]
    scale = max(abs(free[i]) + sum(abs(W[i][k] * r[k]) for k in range(n)) for i in range(n))
    worst = 0.0
    for c, coefficient in enumerate(mu):
        part = range(dim * c, dim * (c + 1))
        rho = 1 / math.sqrt(sum(W[i][k] ** 2 for i in range(n) for k in part))
        shifted = [u[i] for i in part]
        shifted[0] += coefficient * math.hypot(*shifted[1:])
        p = project_cone(coefficient, [r[i] - rho * y for i, y in zip(part, shifted)])
        worst = max(worst, math.dist([r[i] for i in part], p) / rho)
    return worst / scale, u


def crc32c(data):
    """CRC-32C, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


LOG_BLOCK = 32 + 3 * 3 * 8  # of three samples of two numbers


def log_bytes(times):
    """A log of ball.q, two members of one component (m), as perp/log.h describes it by the byte."""
    def text(s):
        return struct.pack("<I", len(s)) + s.encode()

    def block(kind, payload, number, records):
        head = b"PLBK" + struct.pack("<IQQI", kind, len(payload), number, records)
        tail = payload + bytes(-len(payload) % 8)
        return head + struct.pack("<I", crc32c(head + tail)) + tail

    head = b"\x89PLOG\r\n\x1a" + struct.pack("<HH", 1, 0)
    schema = struct.pack("<IIII", 201, 8, 1, 1) + b"".join(
        map(text, ("test", "ball.toml", "", "", "ball", "q", "m", "")))
    schema += struct.pack("<iIII", 0, 2, 1, 0) + text("") + text("") + struct.pack("<I", 0)
    samples = b"".join(struct.pack("<3d", t, t + 1, t + 2) for t in times)
    return (head + struct.pack("<I", crc32c(head)) + block(1, schema, 0, 1)
            + block(2, samples, 1, len(times)))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def refuses(self, *arguments, says=()):
        """Exit code 2, nothing on stdout, one line on stderr that says these things."""
        done = call(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), (arguments, done))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)

    def check_answer(self, file, kind, tol, *arguments):
        """Solve; a claim of success has to be true. Returns the JSON object."""
        code, j = solve(file, "--solution", "--tol", repr(tol), *arguments)
        self.assertEqual([key for key in j if key != "bound"], KEYS + ["lambda", "y"])
        self.assertEqual("bound" in j, j["status"] == "infeasible")
        self.assertEqual(code == 0, j["status"] == "solved")
        self.assertEqual(code == 0, j["code"] == 0)
        if j["status"] == "unsupported":
            self.assertEqual((code, j["lambda"]), (1, []))
            return j
        problem = read_problem(file, kind)
        self.assertEqual(len(j["lambda"]), len(problem[1]))
        if None in j["lambda"]:
            self.assertNotEqual(code, 0)
            return j
        residual, scale, hat, each, y = judge(problem, j["lambda"])
        if code == 0:
            self.assertLessEqual(residual, tol * scale * (1 + 1e-9) + 1e-15 * scale, file)
            self.assertLessEqual(residual, min(1e-2, max(1e-6, 10 * tol)) * hat + 1e-15 * scale, file)
        if scale < 1e100:
            self.assertAlmostEqual(j["residual"], residual, delta=1e-13 * scale + 1e-9 * residual)
            self.assertAlmostEqual(j["componentwise"], each, delta=1e-9 * (1 + each))
            if hat > 0:
                self.assertAlmostEqual(j["amplification"], scale / hat, delta=1e-9 * scale / hat)
            for ours, theirs in zip(y, j["y"]):
                self.assertAlmostEqual(float(ours), theirs, delta=1e-13 * scale)
        return j


LCP = "2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n"
RELAY = "2\n0\n2\n2\n2 2\n1 0\n0 1\n-0.5 0.5\n-1 -1\n1 inf\n"
FC = "3\n1\n0\n3\n3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 2 3\n0.1\n"


class Solve(Case):
    def test_a_solved_problem_prints_what_the_contract_says(self):
        code, j = solve(self.file("a.dat", LCP))
        self.assertEqual((code, list(j)), (0, KEYS))
        self.assertEqual((j["status"], j["code"], j["n"]), ("solved", 0, 2))
        self.assertGreaterEqual(j["seconds"], 0)
        code, j = solve(self.file("a.dat", LCP), "--solution")
        self.assertAlmostEqual(j["lambda"][0], 4 / 3, delta=1e-15)
        self.assertAlmostEqual(j["lambda"][1], 7 / 3, delta=1e-15)

    def test_text_for_people(self):
        done = call("solve", self.file("a.dat", LCP), "--solution")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in ["status      solved", "lambda", "1.333333333333333", "lcp, 2 unknowns, dense",
                     "componentwise 0,", "amplification 2\n"]:
            self.assertIn(text, done.stdout)

    def test_a_relay_with_an_infinite_bound(self):
        file = self.file("r.dat", RELAY)
        self.assertEqual(self.check_answer(file, "relay", 1e-9)["lambda"], [0.5, -0.5])

    def test_an_infeasible_problem_is_not_solved(self):
        file = self.file("i.dat", "1\n0\n1\n1\n1 1\n-1\n-1\n")
        for name in [None] + solver_names():
            code, j = solve(file, *([] if name is None else ["--solver", name]))
            self.assertEqual(code, 1, name)
            self.assertIn(j["status"], ["ray", "infeasible", "iteration limit", "inaccurate",
                                        "unsupported"])

    def test_what_a_proof_says(self):
        file = self.file("i.dat", "1\n0\n1\n1\n1 1\n-1\n-1\n")
        code, j = solve(file)
        self.assertEqual((code, j["status"], j["bound"]), (1, "infeasible", None))
        self.assertIn("proof       there is no solution", call("solve", file).stdout)
        # solved by (2^46 + 1, 2^46)
        file = self.file("j.dat", f"2\n0\n2\n2\n2 2\n1 -1 -1 {1 + 2**-45!r}\n-1 -1\n")
        code, j = solve(file, "--solver", "lemke")
        self.assertEqual((code, j["status"]), (1, "infeasible"))
        self.assertTrue(2**40 < j["bound"] <= 2**47 + 1)
        self.assertIn("|lambda|_1 >= 1.41e+14", call("solve", file, "--solver", "lemke").stdout)

    def test_no_unknowns_are_solved(self):
        code, j = solve(self.file("e.dat", "0 0 0 0 0 0\n"), "--solution")
        self.assertEqual((code, j["n"], j["lambda"], j["y"]), (0, 0, [], []))

    def test_many_contacts_in_sparse_rows_take_no_dense_matrix(self):
        """A chain of 900 contacts, each of which pulls at the next: 2700 unknowns."""
        contacts, text = 900, []
        n, at = 3 * contacts, 0
        for j in range(n):
            column = [(i, 4 if i == j else -1) for i in (j - 3, j, j + 3) if 0 <= i < n]
            text.append(f"    col {j} : locations {at} to {at + len(column) - 1}")
            text += [f"      {i} : {v}" for i, v in column]
            at += len(column)
        q = " ".join("-1 0.1 2" for _ in range(contacts))
        file = self.file("chain.dat", f"3\n{contacts}\n2\n{n}\n{n}\n2\n"
                         "CSparse Version 3: the listing's form\n"
                         f"{n}-by-{n}, nzmax: {at} nnz: {at}\n" + "\n".join(text) +
                         f"\n{q}\n" + "0.3\n" * contacts)
        for solver in ("friction-newton", "friction-interior"):
            code, j = solve(file, "--solver", solver)
            self.assertEqual((code, j["status"], j["n"]), (0, "solved", n), solver)

    def test_a_limit_is_kept(self):
        code, j = solve(self.file("a.dat", LCP), "--solver", "lemke", "--max-iter", "1")
        self.assertEqual((code, j["status"], j["iterations"]), (1, "iteration limit", 1))
        self.assertEqual(j["ending"], "not solved: iteration limit after 1 iteration, row 1, residual 1, "
                                      "asked 1e-10; try a larger --max-iter or --solver auto")

    def test_a_class_can_be_said(self):
        file = self.file("r.dat", RELAY)
        self.assertEqual(solve(file, "--class", "lcp", "--solution")[1]["lambda"], [0.5, 0])
        self.refuses("solve", file, "--class", "fc3d", says=[file])


GFC = ("2\n1\n0\n2\n2\n2 2\n2 0 0 2\n0\n2\n2\n2 2\n0 1 1 0\n0.4 -2\n0 0\n0.5\n")


class Global(Case):
    """M v = q + H r, u = Hᵀ v + b: a ball of 2 kg that falls with 1 m/s and slides with 0.2."""

    def test_a_ball_sticks(self):
        code, j = solve(self.file("g.dat", GFC), "--solution")
        self.assertEqual((code, j["n"], j["status"]), (0, 2, "solved"))
        for ours, theirs in zip(j["lambda"] + j["y"], [2, -0.4, 0, 0]):
            self.assertAlmostEqual(ours, theirs, delta=1e-8)

    def test_a_solver_by_name(self):
        file = self.file("g.dat", GFC)
        code, j = solve(file, "--solver", "friction-lemke", "--tol", "1e-12")
        self.assertEqual((code, j["solver"]), (0, "friction-lemke"))
        self.assertEqual(solve(file, "--solver", "lemke")[1]["status"], "unsupported")

    def test_a_singular_mass_is_named(self):
        file = self.file("g.dat", GFC.replace("2 0 0 2\n", "2 0 0 0\n", 1))
        self.refuses("solve", file, says=[file, "M"])

    def test_bench_judges_them(self):
        self.file("g.dat", GFC)
        j = json.loads(call("bench", self.folder, "--json", "--solver", "friction-lemke").stdout)
        self.assertEqual((j["solvers"][0]["claims"], j["solvers"][0]["true"]), (3, 3))


class BadInput(Case):
    def test_one_line_says_where(self):
        self.refuses("solve", os.path.join(self.folder, "none.dat"), says=["none.dat"])
        self.refuses("solve", self.folder, says=[self.folder, "folder"])
        self.refuses("info", "/dev/zero", says=["device"])
        self.refuses("solve", self.file("empty.dat", ""), says=["empty.dat:1", "end of the file"])
        self.refuses("solve", self.file("w.dat", LCP.replace("-6", "six")), says=["w.dat:8", "'six'"])
        self.refuses("solve", self.file("n.dat", LCP.replace("-6", "nan")), says=["n.dat:8", "finite"])
        self.refuses("solve", self.file("i.dat", LCP.replace("-6", "inf")), says=["i.dat:8", "finite"])
        self.refuses("solve", self.file("m.dat", LCP.replace("2 1", "2 nan")), says=["m.dat:6"])
        self.refuses("solve", self.file("l.dat", RELAY.replace("-1 -1", "-1 1e400")), says=["l.dat:9"])
        self.refuses("solve", self.file("u.dat", RELAY.replace("-1 -1", "-1 2").replace("inf", "1")),
                     says=["u.dat:10", "upper"])
        self.refuses("solve", self.file("big.dat", "2147483647 0 2147483647 2147483647"),
                     says=["big.dat:1"])
        self.refuses("solve", self.file("neg.dat", "-1 0 1 1 1 1 1 1"), says=["neg.dat:1"])

    def test_a_log_tells_what_it_holds(self):
        file = os.path.join(self.folder, "ball.log")
        whole = log_bytes([0.0, 0.5, 2.0])
        for cut in (0, 3):
            with open(file, "wb") as f:
                f.write(whole[:len(whole) - cut])
            told = json.loads(call("info", file, "--json").stdout)
            samples = 3 if cut == 0 else 0
            self.assertEqual((told["class"], told["samples"], told["model"], told["ended"]),
                             ("log", samples, "ball.toml", False))
            self.assertEqual(told.get("times"), [0.0, 2.0] if samples else None)
            self.assertEqual(told["bytes"], len(whole) - cut)
            self.assertEqual(told["bytes_cut"], 0 if cut == 0 else LOG_BLOCK - 3)
            self.assertEqual(told["quantities"],
                             {"ball.q": {"members": 2, "components": 1, "unit": "m"}})
        with open(file, "wb") as f:
            f.write(whole[:20])
        self.refuses("info", file, says=[file])

    def test_cut_anywhere(self):
        for name, text in [("l.dat", LCP), ("r.dat", RELAY), ("f.dat", FC)]:
            words = text.split()
            for end in range(0, len(words), EACH):
                cut = " ".join(words[:end])
                if name == "r.dat" and cut == " ".join(words[:-4]):
                    continue  # without its bounds a relay is an LCP
                self.refuses("info", self.file(name, cut), says=[name])

    def test_wrong_arguments(self):
        file = self.file("a.dat", LCP)
        self.refuses("solve", file, "--solver", "none", says=["no solver is called 'none'"])
        for wrong in [["--tol", "-1"], ["--tol", "nan"], ["--tol", "x"], ["--max-iter", "-1"],
                      ["--class", "x"], ["--nothing"]]:
            self.refuses("solve", file, *wrong)
        self.refuses()
        self.refuses("solve")
        self.refuses("fly", says=["'fly'"])
        for option, wrong in [("--tol", "inf"), ("--tol", "x"), ("--max-iter", "1.5"),
                              ("--max-iter", "99999999999")]:
            self.refuses("solve", file, option, wrong, says=[option, "from 0, found '" + wrong + "'"])
        self.refuses("convert", file, "b.dat", "--block", "0", says=["--block", "from 1, found '0'"])

    def test_a_solver_that_does_not_take_the_problem_has_not_answered(self):
        file = self.file("r.dat", RELAY)
        done = call("solve", file, "--solver", "lemke", "--json")
        j = json.loads(done.stdout)
        self.assertEqual((done.returncode, j["status"], j["solver"]), (1, "unsupported", None))
        self.assertIn("lemke does not take box", done.stderr)

    def test_a_conversion_that_fails_writes_nothing(self):
        file = self.file("a.dat", LCP)
        self.refuses("convert", file, os.path.join(self.folder, "a.h5"), says=["a.h5", "lcp"])
        self.refuses("convert", file, os.path.join(self.folder, "a.xyz"), says=["a.xyz"])
        self.refuses("convert", file, os.path.join(self.folder, "no", "a.dat"), says=["a.dat"])
        self.refuses("convert", file, self.folder)
        self.assertEqual(os.listdir(self.folder), ["a.dat"])


class Other(Case):
    def test_help_and_version(self):
        for arguments in [["--help"], ["solve", "--help"], ["bench", "--help"], ["--version"]]:
            done = call(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertGreater(len(done.stdout), 8)

    def test_solvers(self):
        for s in json.loads(call("solvers", "--json").stdout):
            self.assertEqual(list(s), ["name", "laws", "matrices", "assumes", "max_n"])
            self.assertIn(s["name"], call("solvers").stdout)


class Bench(Case):
    def test_a_folder_becomes_a_table(self):
        for name, text in [("a.dat", LCP), ("r.dat", RELAY), ("f.dat", FC), ("x.dat", "x"),
                           ("no.md", "x")]:
            self.file(name, text)
        done = call("bench", self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in ["3 problems, 3 of them with a solver; 1 files are no problems", "1e-9", "x.dat:1"]:
            self.assertIn(text, done.stdout)
        j = json.loads(call("bench", self.folder, "--json", "--solver", "lemke").stdout)
        self.assertEqual(list(j), ["solvers", "problems", "unreadable"])
        (lemke,) = j["solvers"]
        self.assertEqual((lemke["solver"], lemke["files"], lemke["claims"], lemke["true"]),
                         ("lemke", 1, 3, 3))
        self.assertEqual(lemke["solved"], {"1e-4": 1, "1e-6": 1, "1e-9": 1})
        self.assertEqual(lemke["profile"][0], [1.0, 1.0])
        self.assertEqual([p["file"] for p in j["problems"]], ["a.dat", "f.dat", "r.dat"])
        lines = call("bench", self.folder, "--csv", "--solver", "lemke").stdout.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual(lines[0].split(",")[:5], ["file", "class", "n", "solver", "tol"])
        self.assertEqual({len(line.split(",")) for line in lines}, {11})

    def test_tolerances_may_be_chosen(self):
        self.file("a.dat", LCP)
        j = json.loads(call("bench", self.folder, "--json", "--solver", "lemke", "--tol", "1e-4",
                            "--tol", "2.5e-8").stdout)
        self.assertEqual(j["solvers"][0]["solved"], {"1e-4": 1, "2.5e-8": 1})
        self.assertEqual([t["tol"] for t in j["problems"][0]["runs"][0]["trials"]], [1e-4, 2.5e-8])
        self.refuses("bench", self.folder, "--tol", "-1")
        self.refuses("bench", self.folder, "--tol", "nan")

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot draws the profile, and is not there")
    def test_the_profile_becomes_a_picture(self):
        for name, text in [("a.dat", LCP), ("r.dat", RELAY), ("f.dat", FC)]:
            self.file(name, text)
        for picture in ["p.png", "it's.png"]:
            path = os.path.join(self.folder, picture)
            done = call("bench", self.folder, "--plot", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("3 problems", done.stdout)
            with open(path, "rb") as f:
                png = f.read()
            self.assertEqual(png[:16], b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
            self.assertEqual(struct.unpack(">II", png[16:24]), (1600, 1100))
        self.refuses("bench", self.folder, "--plot", os.path.join(self.folder, "none", "p.png"))

    def test_bad_folders(self):
        self.refuses("bench", os.path.join(self.folder, "none"))
        self.refuses("bench", self.folder)
        self.file("a.dat", LCP)
        self.refuses("bench", self.folder, "--solver", "none")
        self.refuses("bench", self.folder, "--json", "--csv")


class Convert(Case):
    def test_every_way_there_and_back_keeps_the_problem(self):
        for text in [LCP, RELAY, FC, "1 0 1 1 0 1 2 0 1 0 2 2 2 2 1 2 3 4 5 6"]:
            a, b, c = self.file("a.dat", text), *[os.path.join(self.folder, n) for n in ("b.dat", "c.dat")]
            self.assertEqual(call("convert", a, c).returncode, 0)
            for storage in ["dense", "blocks", "sparse"]:
                for layout in ["rows", "columns", "triplet"]:
                    done = call("convert", a, b, "--storage", storage, "--layout", layout)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                    self.assertEqual(json.loads(call("info", b, "--json").stdout)["M"]["storage"], storage)
                    self.assertEqual(call("convert", b, b, "--storage", "dense").returncode, 0)
                    with open(b) as f, open(c) as g:
                        self.assertEqual(f.read(), g.read())

    def test_friction_goes_through_hdf5(self):
        a, h, b, c = [os.path.join(self.folder, n) for n in ("a.dat", "a.hdf5", "b.dat", "c.dat")]
        self.file("a.dat", FC)
        for arguments in [(a, h), (h, b, "--storage", "dense"), (a, c)]:
            self.assertEqual(call("convert", *arguments).returncode, 0)
        with open(b) as f, open(c) as g:
            self.assertEqual(f.read(), g.read())
        for other in [h + "x", os.path.join(self.folder, "cut.hdf5")]:
            with open(h, "rb") as f, open(other, "wb") as g:
                g.write(f.read()[:1000])
            self.refuses("info", other, says=[other])


def problems(kind):
    folder = os.path.join(DATA, "problems", kind)
    if not os.path.isdir(folder):
        raise unittest.SkipTest("no published problems: " + folder + " (PERP_DATA) is absent")
    return [os.path.join(folder, f) for f in sorted(os.listdir(folder))][::EACH]


class Published(Case):
    def both_storages(self, kind):
        for file in problems(kind):
            for storage in ["dense", "blocks", "sparse"]:
                stored = os.path.join(self.folder, storage + ".dat")
                self.assertEqual(call("convert", file, stored, "--storage", storage).returncode, 0)
                j = self.check_answer(stored, kind, 1e-9)
                self.assertEqual(j["status"], "solved", stored + " of " + file)
            self.assertEqual(self.check_answer(file, kind, 1e-9)["code"], j["code"])

    def test_lcp(self):
        self.both_storages("lcp")

    def test_mlcp(self):
        self.both_storages("mlcp")

    def test_relay(self):
        self.both_storages("relay")

    def test_global_friction(self):
        for file in problems("global_friction"):
            code, j = solve(file, "--solution", "--tol", "1e-8")
            self.assertEqual(code, 0, (file, j["status"]))
            relative, u = judge_global(read_global(file), j["lambda"])
            self.assertLessEqual(relative, 1e-8 * (1 + 1e-6), file)
            for ours, theirs in zip(u, j["y"]):
                self.assertAlmostEqual(ours, theirs, delta=1e-9 * (1 + max(map(abs, u))))

    def test_every_class_is_recognised(self):
        classes = {"lcp": ["lcp"], "mlcp": ["mlcp"], "relay": ["relay"], "friction2d": ["fc2d"],
                   "friction3d": ["fc3d", "gfc3d"], "global_friction": ["gfc2d", "gfc3d"],
                   "rolling": ["rolling"], "mixed": ["mixed"]}
        for kind, names in classes.items():
            for file in problems(kind):
                self.assertIn(json.loads(call("info", "--json", file).stdout)["class"], names, file)

    def test_friction_files_go_to_hdf5_and_back(self):
        dat, h5, one, two = [os.path.join(self.folder, n) for n in ("a.dat", "a.h5", "b.dat", "c.dat")]
        for file in problems("friction2d") + problems("friction3d") + problems("global_friction"):
            if os.path.getsize(file) > 400000:
                continue
            for step in [(file, one, "--storage", "sparse"), (file, h5, "--storage", "sparse"),
                         (h5, two)]:
                self.assertEqual(call("convert", *step).returncode, 0, step)
            with open(one) as f, open(two) as g:
                self.assertEqual(f.read(), g.read(), file)

    def test_no_solver_lies(self):
        for kind in ["lcp", "mlcp", "relay"]:
            for file in problems(kind):
                for name in solver_names():
                    self.check_answer(file, kind, 1e-9, "--solver", name)


# ---- models ----

def log_of(path):
    """Samples (each its bytes) and ends of a log, by the description in include/perp/log.h."""
    with open(path, "rb") as file:
        data = file.read()
    at, samples, ends, width = 16, [], [], 0
    while at < len(data):
        magic, kind, size, _, records, _ = struct.unpack_from("<4sIQQII", data, at)
        assert magic == b"PLBK"
        payload = data[at + 32:at + 32 + size]
        if kind == 2:
            width = size // records
            samples += [payload[k * width:(k + 1) * width] for k in range(records)]
        if kind == 6:
            ends.append(struct.unpack_from("<di", payload))
        at += 32 + (size + 7) // 8 * 8
    return samples, ends


def with_checksums(data):
    """A log with the checksums of its blocks as they should be."""
    data, at = bytearray(data), 16
    while at + 32 <= len(data):
        end = at + 32 + (struct.unpack_from("<Q", data, at + 8)[0] + 7) // 8 * 8
        struct.pack_into("<I", data, at + 28, read_log.crc32c(bytes(data[at:at + 28] + data[at + 32:end])))
        at = end
    return data


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.ball = self.path("ball.toml")
        with open(self.ball, "w") as file:
            file.write(call("new", "ball").stdout)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_model(self, *arguments, **more):
        return subprocess.run([PERP, "run", *arguments], capture_output=True, text=True, timeout=300,
                              cwd=self.folder.name, **more)

    def test_a_new_model_runs_and_its_log_has_every_step(self):
        done = self.run_model("ball.toml")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("finished: 100000 steps, t = 10", done.stdout)
        self.assertIn("ball.log: %.3g MB, " % (os.path.getsize(self.path("ball.log")) / 1e6), done.stdout)
        samples, ends = log_of(self.path("ball.log"))
        self.assertEqual(len(samples), 100001)
        t, q, v, y, force = struct.unpack("<5d", samples[0])
        self.assertEqual((t, q, v, y, force), (0, 1, 0, 1, 0))
        t, q = struct.unpack_from("<2d", samples[4000])  # before the first impact
        self.assertAlmostEqual(q, 1 - 9.81 * t * t / 2, places=4)
        self.assertEqual(len(ends), 1)

    def test_what_texts_say_of_set_works_with_the_new_ball(self):
        said = re.findall(r"as in (\S+) or (\S+);", " ".join(call("run", "--help").stdout.split()))
        self.assertEqual(len(said), 1)
        page = (ROOT / "docs/perp.1").read_text() + (ROOT / "docs/command.md").read_text()
        for each in said[0]:
            self.assertIn(each, page)
            self.assertEqual(call("check", self.ball, "--set", each).returncode, 0, each)
        self.assertEqual(set(re.findall("`--set ([^` ]+)`", page)) - set(said[0]), set())

    def test_a_log_is_no_model(self):
        self.assertEqual(self.run_model("ball.toml", "--until", "0.01").returncode, 0)
        done = self.run_model("ball.log")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "perp: ball.log: found a log; perp plot, view, export and info read it\n"))

    def test_overrides_until_every_and_select(self):
        done = self.run_model("ball.toml", "--set", "g=0", "--set", "ball.v0=[2]", "--until", "1", "--every", "100",
                              "--select", "ball.q", "--log", "other.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        samples, _ = log_of(self.path("other.log"))
        self.assertEqual(len(samples), 101)
        t, q = struct.unpack("<2d", samples[-1])
        self.assertAlmostEqual(q, 1 + 2 * t, places=9)

    def test_a_resumed_run_has_the_bits_of_the_uninterrupted_one(self):
        self.assertEqual(self.run_model("ball.toml", "--log", "whole.log").returncode, 0)
        self.assertEqual(self.run_model("ball.toml", "--log", "part.log", "--until", "4").returncode, 0)
        done = self.run_model("ball.toml", "--resume", "part.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(log_of(self.path("part.log"))[0], log_of(self.path("whole.log"))[0])
        again = self.run_model("ball.toml", "--set", "e=0.5", "--resume", "part.log")
        self.assertEqual(again.returncode, 2)
        self.assertIn("another model, or of other --set", again.stderr)

    def test_a_finished_log_is_gone_on_with_and_loses_nothing(self):
        self.assertEqual(self.run_model("ball.toml", "--log", "whole.log", "--until", "0.5").returncode, 0)
        self.assertEqual(self.run_model("ball.toml", "--until", "0.4").returncode, 0)
        before = self.bytes("ball.log")
        for until in ("0.2", "0.3998"):
            self.refused_run("found results up to t = 0.4, behind the last time " + until, "ball.toml", "--until", until,
                             "--resume", "ball.log")
        for options in (["--every", "2"], ["--select", "ball.q"], ["--float32"], ["--energy"]):
            self.refused_run(options[0], "ball.toml", "--until", "0.5", "--resume", "ball.log", *options)
        self.assertEqual(self.bytes("ball.log"), before)
        self.assertEqual(self.run_model("ball.toml", "--until", "0.4", "--resume", "ball.log").returncode, 0)
        self.assertEqual(log_of(self.path("ball.log"))[0], log_of(self.path("whole.log"))[0][:4001])
        done = self.run_model("ball.toml", "--until", "0.5", "--resume", "ball.log")
        self.assertIn("finished: 5000 steps, t = 0.5", done.stdout)
        self.assertEqual(log_of(self.path("ball.log"))[0], log_of(self.path("whole.log"))[0])
        # What there is up to the end is in it: nothing was done again.
        self.assertEqual(self.bytes("ball.log")[:len(before) // 2], before[:len(before) // 2])

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def refused_run(self, says, *arguments):
        done = self.run_model(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)
        self.assertIn(says, done.stderr)

    def test_a_run_replaces_logs_only(self):
        os.link(self.ball, self.path("other.log"))
        model = self.bytes("ball.toml")
        for name in ("ball.toml", "other.log", os.path.join("..", os.path.basename(self.folder.name), "ball.toml")):
            self.refused_run("is there and is no log", "ball.toml", "--until", "0.1", "--log", name)
            done = subprocess.run([PERP, "compile", "ball.toml", "-o", name], capture_output=True, text=True,
                                  cwd=self.folder.name)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("is a file of the model", done.stderr)
            self.assertEqual(self.bytes("ball.toml"), model)
        open(self.path("empty.log"), "w").close()
        for _ in range(2):  # an empty file, then a log
            self.assertEqual(self.run_model("ball.toml", "--until", "0.1", "--log", "empty.log").returncode, 0)

    def test_a_last_time_that_is_none_leaves_a_log_as_it_is(self):
        with open(self.ball) as file, open(self.path("events.toml"), "w") as to:
            to.write(file.read().split("[simulation]")[0] + "[events]\nuntil = 1.0\n")
        for model in ("ball.toml", "events.toml"):
            self.assertEqual(self.run_model(model, "--until", "0.1", "--log", "a.log").returncode, 0)
            before = self.bytes("a.log")
            for until in ("nan", "inf", "-inf", "0", "-1"):
                self.refused_run("--until", model, "--until=" + until, "--log", "a.log")
            self.refused_run("nothing", model, "--select", "nothing", "--log", "a.log")
            self.assertEqual(self.bytes("a.log"), before)

    def test_a_table_that_has_changed_is_seen(self):
        os.mkdir(self.path("data"))
        with open(self.path("data/push.csv"), "w") as file:
            file.write("0,1\n10,2\n")
        with open(self.path("m.toml"), "w") as file:
            file.write('[tables.push]\nfile = "data/push.csv"\n[systems.a]\nkind = "lagrangian"\nM = [1]\n'
                       'external = ["push(t)"]\n[simulation]\nh = 0.01\nuntil = 1\n')
        self.assertEqual(self.run_model("m.toml", "--until", "0.5").returncode, 0)
        self.assertEqual(self.run_model("m.toml", "--until", "0.6", "--resume", "m.log").returncode, 0)
        done = subprocess.run([PERP, "compile", "m.toml", "-o", "data/push.csv"], capture_output=True, text=True,
                              cwd=self.folder.name)
        self.assertEqual((done.returncode, self.bytes("data/push.csv")), (2, b"0,1\n10,2\n"))
        with open(self.path("data/push.csv"), "a") as file:
            file.write("11,2\n")
        self.refused_run("`data/push.csv`, which m.toml takes, has changed since", "m.toml", "--resume", "m.log")

    def test_a_log_gives_back_its_model_and_what_that_takes(self):
        """Elsewhere the run is resumed from it, with the bits of the uninterrupted one."""
        os.makedirs(self.path("data/deep"))
        files = {"m.toml": 'include = ["data/run.toml"]\n[tables.push]\nfile = "data/deep/push.csv"\n[systems.a]\n'
                           'kind = "lagrangian"\nM = [1]\nexternal = ["push(t)"]\n',
                 "data/run.toml": "[simulation]\nh = 0.01\nuntil = 1\n", "data/deep/push.csv": "0,1\n10,2\n"}
        for name, text in files.items():
            with open(self.path(name), "w") as file:
                file.write(text)
        self.assertEqual(self.run_model("m.toml", "--log", "whole.log").returncode, 0)
        self.assertEqual(self.run_model("m.toml", "--until", "0.5").returncode, 0)
        self.assertEqual(call("model", self.path("m.log")).stdout, files["m.toml"])
        shutil.rmtree(self.path("data"))
        os.remove(self.path("m.toml"))
        done = call("model", self.path("m.log"), "-o", self.path("new/place"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, self.path("new/place/m.toml") + "\n", ""))
        found = {}
        for folder, _, names in os.walk(self.path("new/place")):
            for name in names:
                with open(os.path.join(folder, name)) as file:
                    found[os.path.relpath(file.name, self.path("new/place"))] = file.read()
        self.assertEqual(found, files)
        done = self.run_model("new/place/m.toml", "--resume", "m.log")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(log_of(self.path("m.log"))[0], log_of(self.path("whole.log"))[0])
        done = call("model", self.path("m.log"), "-o", self.path("new/place"))
        self.assertIn("expected a new or an empty folder", done.stderr)
        with open(self.path("m.log"), "rb") as file:
            data = file.read()
        for name in (b"../../tmp/run", b"/ata/run.toml"):  # of anybody's, with right checksums
            at = data.index(b"file data/run.toml")
            with open(self.path("evil.log"), "wb") as file:
                file.write(with_checksums(data[:at + 5] + name + data[at + 18:]))
            done = call("model", self.path("evil.log"), "-o", self.path("evil"))
            self.assertEqual((done.returncode, os.path.exists(self.path("evil"))), (2, False), done)
            self.assertIn(", which is not below a folder", done.stderr)

    def told_size(self, *arguments):
        """Bytes that `perp check` tells, of each further checkpoint, and events."""
        done = subprocess.run([PERP, "check", *arguments], capture_output=True, text=True, cwd=self.folder.name)
        told = re.search(r"\na log of .* \((\d+) bytes\)(?:, (\d+) events? in it)?, each further checkpoint (\d+) bytes\n",
                         done.stdout)
        return int(told[1]), int(told[3]), int(told[2] or 0)

    def test_the_size_of_a_log_is_told_before_a_run(self):
        """Exactly, but for the record of the end; blocks that end with a checkpoint or a second have 39 bytes at most."""
        with open(self.path("row.toml"), "w") as file:
            file.write('include = ["part.toml"]\n[systems.a]\nrepeat = 7\nkind = "lagrangian_linear"\nM = [2]\nq0 = [1]\n'
                       '[simulation]\ngrid = [0, 0.5, 0.75, 2, 3]\nuntil = 0.76\n')
        with open(self.path("part.toml"), "w") as file:
            file.write("[parameters]\nnothing = 0\n")
        cases = (["ball.toml"], ["ball.toml", "--set", "simulation.h=3e-3"], ["ball.toml", "--set", "simulation.h=20"],
                 ["ball.toml", "--set", "simulation.until=1e-3"], ["row.toml"],
                 ["events.toml", "--set", "simulation.h=0.01", "--set", "simulation.until=2"])
        with open(self.path("events.toml"), "w") as file:
            file.write('include = ["ball.toml"]\n' + "".join(
                f"[schedules.s{k}]\n{times}\n" for k, times in enumerate(
                    ("first = 0.003\nperiod = 0.3", "times = [-1, 0, 0.001, 0.002, 0.009, 0.011, 1, 2, 2.1]", "first = 1.9\nperiod = 0.001",
                     "first = 0.5", "first = 2.02"))))
        for case in cases:
            told, checkpoint, events = self.told_size(*case)
            self.assertEqual(events, 7 + 5 + 11 + 1 if case[0] == "events.toml" else 0)
            log = self.path("told.log")
            for more, checkpoints in ((["--checkpoint", "0"], 0), ([], 2)):
                done = self.run_model(*case, "--log", log, *more)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                with open(log, "rb") as file:
                    blocks = list(read_log.blocks(file.read()))
                self.assertEqual([kind for kind, _, _ in blocks].count(4), checkpoints)
                self.assertEqual(sum(records for kind, records, _ in blocks if kind == 3), events)
                self.assertEqual((blocks[-1][0], blocks[-1][1]), (6, 1))
                end = 32 + (len(blocks[-1][2].data) + 7) // 8 * 8
                seconds = float(re.search(r", ([0-9.e-]+) s\n", done.stdout).group(1))
                late = os.path.getsize(log) - end - (told - (2 - checkpoints) * checkpoint)
                few = 71 * events  # that share a block, or end one that ends anyway
                self.assertTrue(-few <= late <= 39 * (checkpoints + int(seconds + 0.1)) + 7 * events, (case, late))

    def test_a_disk_too_small_is_told_and_nothing_refused(self):
        free = shutil.disk_usage(self.folder.name).free
        samples = free / struct.calcsize("<5d")
        done = call("check", self.ball, "--set", "simulation.h=%.17g" % (10 / (0.5 * samples)))
        self.assertNotIn("do not fit", done.stdout)
        run = self.path("run.log")
        for part, lacks in ((0.5, False), (2, True)):
            with subprocess.Popen([PERP, "run", "ball.toml", "--until", "%.17g" % (1e-4 * part * samples), "--log", run],
                                  cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
                while not os.path.exists(run):
                    pass
                time.sleep(0.2)
                p.send_signal(signal.SIGINT)
                out, err = p.communicate(timeout=60)
            os.remove(run)
            self.assertEqual((p.returncode, err.count("\n")), (1, lacks), err)
            self.assertEqual("run.log: " in err and " do not fit on its disk, which has " in err, lacks, err)
            self.assertIn("stopped: ", out)

    def test_ctrl_c_and_its_like_end_with_what_there_is(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            log = "%d.log" % number
            with subprocess.Popen([PERP, "run", "ball.toml", "--until", "1e6", "--every", "1000", "--log", log],
                                  cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)) as run:
                while not os.path.exists(self.path(log)):
                    pass
                time.sleep(0.3)
                run.send_signal(number)
                out, err = run.communicate(timeout=60)
            self.assertEqual((run.returncode, err), (1, ""), number)
            self.assertIn("stopped: ", out)
            samples, ends = log_of(self.path(log))
            self.assertEqual(ends[0][1], 5)  # PERP_STOPPED
            self.assertGreater(len(samples), 1)

    def test_events(self):
        with open(self.ball) as file:
            text = file.read()
        with open(self.path("events.toml"), "w") as file:
            file.write(text[:text.index("[simulation]")] + "[events]\nuntil = 1.0\nevery = 0.25\n")
        done = self.run_model("events.toml", "--events")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        impact = float(done.stdout.split("t = ")[1].split(":")[0])
        self.assertAlmostEqual(impact, math.sqrt(2 / 9.81), places=8)
        self.assertIn(": impact", done.stdout)
        self.assertIn("cannot be resumed", done.stdout)
        self.assertIn("finished: 1 event, t = 1\n", done.stdout)
        self.assertIn("events.log: %.3g kB, " % (os.path.getsize(self.path("events.log")) / 1e3), done.stdout)
        times = [struct.unpack_from("<d", sample)[0] for sample in log_of(self.path("events.log"))[0]]
        self.assertEqual(times, [0, 0.25, times[2], 0.5, 0.75, 1])
        self.assertEqual(self.run_model("events.toml", "--resume", "events.log").returncode, 2)

    def test_an_event_driven_run_is_resumed_with_the_same_bits(self):
        """Whole, cut short by --until, and killed: three logs with one content."""
        with open(self.path("events.toml"), "w") as file:
            file.write('include = ["mass.toml"]\n[systems.ball]\nkind = "lagrangian"\nM = ["m"]\n'
                       'internal = ["m*9.81 + 0.3*v[0] + q[0]*cos(3*t)"]\nq0 = [1]\n[systems.other]\n'
                       'kind = "first_order"\nn = 1\nf = ["sin(x[0]) + cos(5*t)"]\n[interactions.ground]\n'
                       'systems = "ball"\nlaw = { kind = "newton_impact", e = 0.8 }\n'
                       'relation = { kind = "lagrangian_linear", H = [[1]] }\n'
                       '[events]\nuntil = 3\nevery = 0.05\n')
        with open(self.path("mass.toml"), "w") as file:
            file.write("[parameters]\nm = 2\n")
        for smooth in ("runge_kutta", "adams", "bdf"):
            common = ("events.toml", "--set", "events.smooth='%s'" % smooth)
            done = self.run_model(*common, "--checkpoint", "0.25", "--log", "whole.log", "--events")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            events = done.stdout.count("event ")
            self.assertGreater(events, 5)
            self.assertIn("finished: %d events, t = 3" % events, done.stdout)
            whole = log_of(self.path("whole.log"))
            self.assertEqual(len({sample[:8] for sample in whole[0]}), 61 + events)
            done = self.run_model(*common, "--checkpoint", "0.25", "--log", "part.log", "--until", "1.6")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.run_model(*common, "--resume", "part.log")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("finished: %d events, t = 3" % events, done.stdout)
            with open(self.path("whole.log"), "rb") as one, open(self.path("part.log"), "rb") as other:
                whole_bytes, part_bytes = one.read(), other.read()
            self.assertEqual(log_of(self.path("part.log"))[0], whole[0])
            for cut in (len(whole_bytes) * 2 // 3, len(whole_bytes) - 1):  # killed
                with open(self.path("killed.log"), "wb") as file:
                    file.write(whole_bytes[:cut])
                self.assertEqual(self.run_model(*common, "--resume", "killed.log").returncode, 0)
                self.assertEqual(log_of(self.path("killed.log"))[0], whole[0])
        done = self.run_model(*common, "--checkpoint", "0.5", "--resume", "part.log")
        self.assertEqual(done.returncode, 2)
        self.assertIn("another --checkpoint", done.stderr)
        done = self.run_model(*common, "--until", "1", "--resume", "part.log")
        self.assertEqual(done.returncode, 2)
        self.assertIn("part.log: found results up to t = 3, behind the last time 1", done.stderr)
        with open(self.path("mass.toml"), "w") as file:
            file.write("[parameters]\nm = 3\n")
        done = self.run_model(*common, "--resume", "part.log")
        self.assertEqual(done.returncode, 2)
        self.assertIn("`mass.toml`, which events.toml takes, has changed since", done.stderr)
        with open(self.path("part.log"), "rb") as file:
            self.assertEqual(file.read(), part_bytes)

    def report(self, log):
        """What the last block of a log says of its run."""
        with open(self.path(log), "rb") as file:
            data = file.read()
        at = data.rindex(b"{")
        return json.loads(data[at:data.rindex(b"}") + 1])

    def test_counters_of_a_resumed_run_are_those_of_all_of_it(self):
        with open(self.path("crank.toml"), "w") as file:
            file.write(call("new", "slider_crank").stdout)
        whole = self.run_model("crank.toml", "--log", "whole.log")
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))
        for part, until in enumerate(("0.05", "0.1")):
            more = ["--resume", "part.log"] if part else ["--log", "part.log"]
            self.assertEqual(self.run_model("crank.toml", "--until", until, *more).returncode, 0)
        last = self.run_model("crank.toml", "--resume", "part.log")
        self.assertEqual(last.stdout.splitlines()[:2], whole.stdout.splitlines()[:2])
        self.assertEqual(self.report("part.log"), self.report("whole.log"))
        self.assertGreater(self.report("part.log")["residual"], 0)
        self.assertGreater(self.report("part.log")["solver_iterations"], 0)

    PAIR = ('[systems.beads]\nkind = "lagrangian_linear"\nrepeat = 4\nM = [1.0]\nq0 = [1.0]\n[laws.eq]\n'
            'kind = "equality"\n[interactions.a]\nsystems = "beads[2]"\nlaw = "eq"\n'
            'relation = { kind = "lagrangian_linear", H = [[1]], b = [-1] }\n[interactions.b]\nsystems = "beads[2]"\n'
            'law = "eq"\nrelation = { kind = "lagrangian_linear", H = [[2]], b = [%s] }\n%s')

    def test_a_run_of_equalities_that_contradict_is_refused_as_by_check(self):
        for run in ("[simulation]\nh = 0.01\nuntil = 1\n", "[events]\nuntil = 1\n"):
            for b, good in (("-2", True), ("-4", False)):
                with open(self.path("pair.toml"), "w") as file:
                    file.write(self.PAIR % (b, run))
                if good and "events" in run:
                    continue
                done = self.run_model("pair.toml")
                self.assertEqual((done.returncode, done.stderr == ""), (0, True) if good else (2, False), done)
                if not good:
                    self.assertIn("pair.toml:12:1: found row 0 of b, which contradicts other equalities", done.stderr)

    def test_what_ends_a_run_has_its_name_in_the_file(self):
        with open(self.path("names.toml"), "w") as file:
            file.write('[systems.first]\nkind = "lagrangian"\nM = [1]\n[systems.beads]\nkind = "lagrangian"\nrepeat = 4\n'
                       'M = [1.0]\nexternal = ["sqrt(0.5 - t + 0.1*(i - 2)^2)"]\n[simulation]\nh = 0.01\nuntil = 1\n')
        done = self.run_model("names.toml")
        self.assertEqual(done.returncode, 1)
        self.assertIn("external of system beads[2] = ", done.stderr)
        with open(self.path("names.toml")) as file:
            text = file.read().split("[simulation]")[0]
        with open(self.path("names.toml"), "w") as file:
            file.write(text + "[events]\nuntil = 1\n")
        done = self.run_model("names.toml")
        self.assertEqual(done.returncode, 1)
        self.assertIn(" beads[2]", done.stderr)
        with open(self.path("names.toml"), "w") as file:
            file.write(self.PAIR % ("-2", '[simulation]\nh = 0.01\nuntil = 1\nsolver = { name = "lemke" }\n'))
        done = self.run_model("names.toml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("interaction a", done.stderr)

    def test_a_guard_that_stops_is_a_good_end_and_is_named(self):
        fall = ('[systems.ball]\nkind = "lagrangian"\nM = [1.0]\nq0 = [1.0]\nexternal = [-9.81]\n[events]\nuntil = 3\n'
                '[guards.high]\nvalue = "ball.q[0] - 0.5"\n[guards.floor]\nvalue = "ball.q[0]"\nstop = %s\n')
        for stop in ("true", "false"):
            with open(self.path("fall.toml"), "w") as file:
                file.write(fall % stop)
            done = self.run_model("fall.toml", "--log", stop + ".log")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            if stop == "true":
                self.assertIn("stopped by guard floor: 2 events, t = %.9g\n" % math.sqrt(2 / 9.81), done.stdout)
            else:
                self.assertIn("finished: 2 events, t = 3\n", done.stdout)
        self.assertEqual(log_of(self.path("true.log"))[1][0][1], 5)  # PERP_STOPPED

    def on_a_terminal(self, *arguments):
        """What a run writes to standard error that is a terminal."""
        import pty
        ours, theirs = pty.openpty()
        with subprocess.Popen([PERP, "run", *arguments], cwd=self.folder.name, stdout=subprocess.DEVNULL,
                              stderr=theirs) as run:
            os.close(theirs)
            said = b""
            try:
                while True:
                    part = os.read(ours, 65536)
                    if not part:
                        break
                    said += part
            except OSError:  # the end, on Linux
                pass
            self.assertEqual(run.wait(timeout=300), 0)
        os.close(ours)
        return said.decode()

    def test_progress_of_slow_steps_and_of_fast_ones(self):
        with open(self.path("slow.toml"), "w") as file:
            file.write('[systems.b]\nkind = "lagrangian"\nrepeat = 40000\nM = [1.0]\nq0 = [0]\n'
                       'external = [-9.81]\n[interactions.floor]\nrepeat = 40000\nsystems = "b[i]"\n'
                       'law = { kind = "newton_impact", e = 0 }\nrelation = { kind = "lagrangian_linear", H = [[1]] }\n'
                       '[simulation]\nh = 1e-6\nsteps = 60\n')
        said = self.on_a_terminal("slow.toml", "--every", "1000", "--checkpoint", "0")
        lines = said.split("\r\033[K")
        shown = [line for line in lines if line.startswith("t = ")]
        self.assertGreater(len(shown), 1, said)
        for line in shown:
            self.assertRegex(line, r", 40000 contacts, \d+ impacts, worst residual \d")
        said = self.on_a_terminal("ball.toml", "--until", "400", "--every", "100000")
        self.assertRegex(said, r"t = [\d.]+ s \[#* *\] [\d.]+ s a second, [01] contacts?, \d+ impacts, worst residual \d")

    def test_bad_models_are_told_line_by_line_and_write_nothing(self):
        with open(self.path("bad.toml"), "w") as file:
            file.write("[systems.a]\nkind = \"ball\"\n[simulation]\nh = 0\nuntil = 1\n")
        for command in ("run", "check", "describe"):
            done = subprocess.run([PERP, command, "bad.toml"], capture_output=True, text=True, cwd=self.folder.name)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual([line.split(": ")[1] for line in done.stderr.splitlines()],
                             ["bad.toml:2:8", "bad.toml:4:5"])
        self.assertFalse(os.path.exists(self.path("bad.log")))

    def test_times_that_no_run_gets_through_are_refused(self):
        apart = "which does not move time at t = "
        self.refused_run(apart + "10, where doubles are 1.8e-15 apart", "ball.toml", "--set", "simulation.h=1e-300")
        self.refused_run(apart + "1e+300, where", "ball.toml", "--until", "1e300")
        with open(self.path("ball_events.toml"), "w") as file:
            file.write(call("new", "ball_events").stdout)
        self.refused_run("found --checkpoint 1e-17, " + apart + "2, where", "ball_events.toml", "--checkpoint", "1e-17")
        # A step beyond the end is taken, however long it is.
        done = self.run_model("ball.toml", "--set", "simulation.h=1e9", "--set", "g=0")
        self.assertIn("1 step", done.stdout)

    def test_check_begins_the_run_and_describe_tells_the_model(self):
        self.assertIn("nothing is wrong", call("check", self.ball).stdout)
        self.assertIn("\n100000 steps to t = 10\n", call("check", self.ball).stdout)
        done = call("check", self.ball, "--set", "simulation.h=1e-12")
        self.assertIn("found 1e+13 steps: at ten million a second 11.5741 days", done.stdout)
        done = call("check", self.ball, "--set", "ball.q0=[-1]")
        self.assertEqual(done.returncode, 2)
        self.assertIn("gap", done.stderr)
        self.assertIn("law newton_impact", call("describe", self.ball).stdout)

    def check(self, text):
        with open(self.path("m.toml"), "w") as file:
            file.write(text + "[simulation]\nh = 0.01\nuntil = 1\n")
        done = subprocess.run([PERP, "check", "m.toml"], capture_output=True, text=True, cwd=self.folder.name)
        self.assertEqual(done.stdout == "", done.returncode == 2, done)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def test_check_finds_expressions_and_masses_that_cannot_begin(self):
        system = "[systems.a]\nkind = \"lagrangian\"\nq0 = [%s]\nmass = [%s]\ninternal = [%s]\n"
        for q0, mass, internal, code, place, words in (
                ("0", '["1"]', '"1/q[0]"', 2, "5:13", "`1/q[0]`, which is inf"),
                ("1, 0", '["1", "0"], ["0", "1"]', '"q[0]", "log(-q[0])"', 2, "5:21", "which is no number"),
                ("0", '["1"]', '"sqrt(q[0])"', 2, "5:12", "internal_dq"),
                ("0, 0", '["1", "0.5"], ["q[0]", "1"]', '"0", "0"', 2, "4:8", "not symmetric at the start: M[1][0] = 0"),
                ("0, 0", '["1", "3"], ["3", "8"]', '"0", "0"', 2, "4:8", "pivot 1 of its factors is -1"),
                ("1e-8", '["1"]', '"abs(q[0])"', 0, "5:12", "a corner is near")):
            done = self.check(system % (q0, mass, internal))
            lines = [line for line in done[1] if "m.toml:" + place + ": found" in line and words in line]
            if words == "internal_dq":
                lines = [line for line in done[1] if "m.toml:" + place + ": failed in step 1" in line and words in line]
            self.assertEqual((done[0], len(lines)), (code, 1), done)

    def test_check_compares_what_holds_with_what_holds(self):
        system = ('[systems.a]\nkind = "lagrangian_linear"\nM = [1, 2, 3]\nq0 = [1, 0, 0]\n[laws.eq]\nkind = "equality"\n'
                  '[interactions.b]\nsystems = "a"\nlaw = "eq"\n'
                  'relation = { kind = "lagrangian_linear", H = [[1, 1, 0], [0, 1, 1], [%s]], b = [-1, 0, %s] }\n')
        for row, b, code, words in (("1, 2, 2", "-1", 0, None),  # independent
                                    ("1, 2, 1", "-1", 0, "row 2 of b, which other equalities already say"),
                                    ("1, 2, 1", "-1.5", 2, "row 2 of b, which contradicts other equalities: "
                                     "where they hold, its y is -0.5"),
                                    ("0, 0, 0", "0", 0, "row 2 of b, on which λ does not act")):
            done = self.check(system % (row, b))
            self.assertEqual(done[0], code, done)
            said = [line for line in done[1] if ": found row 2 of b, " in line]
            self.assertEqual([words is not None and words in line for line in said], [True] * (words is not None), done)
            self.assertIn("1 interaction, nothing is wrong" if words is None else "", done[1][0])

    def test_check_looks_at_velocities_degrees_and_the_first_step(self):
        code, lines = self.check('[systems.a]\nkind = "lagrangian_linear"\nM = [1]\nv0 = [-2]\n'
                                 '[interactions.b]\nsystems = "a"\nlaw = { kind = "newton_impact", e = 0 }\n'
                                 'relation = { kind = "lagrangian_linear", H = [[1]] }\n')
        self.assertEqual(code, 0)
        self.assertIn("m.toml:5:1: found row 0 of b closed and approaching at the start, ẏ = -2", "".join(lines))
        self.assertIn("relative degree of b: 2", lines)
        code, lines = self.check('[systems.a]\nkind = "first_order_linear"\nA = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]\n'
                                 'x0 = [0, 0, 0]\n[interactions.b]\nsystems = "a"\n'
                                 'law = { kind = "box", lower = [-1], upper = [1] }\n'
                                 'relation = { kind = "linear", C = [[1, 0, 0], [0, 1, 0]], '
                                 'B = [[0, 0], [0, 0], [1, 1]] }\n')
        self.assertEqual(code, 0)
        self.assertIn("relative degree of b: 2, 3", lines)
        self.assertIn("m.toml:8:12: found row 0 of b of relative degree 3", "".join(lines))
        code, lines = self.check('[systems.a]\nkind = "lagrangian_linear"\nM = [1]\n'
                                 '[interactions.b]\nsystems = "a"\nlaw = { kind = "equality" }\n'
                                 'relation = { kind = "lagrangian_velocity", g = ["v[0] + 1"] }\n'
                                 '[interactions.c]\nsystems = "a"\nlaw = { kind = "newton_impact", e = 0 }\n'
                                 'relation = { kind = "lagrangian_linear", H = [[1]] }\n')
        self.assertIn("not solved", "".join(lines))

    def test_every_example_is_checked(self):
        folder = os.path.join(HERE, "..", "examples", "models")
        files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".toml")]
        files = [name for name in files if b"[pool]" not in self.bytes(name)]  # whose plug-ins test_plugin.py has
        done = call("check", *files)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = [line for line in done.stdout.splitlines() if line.split(": ")[0] in files]
        self.assertEqual([line.split(": ")[0] for line in told], files)
        by_events = os.path.join(folder, "cam_follower_events.toml")  # begins where the cam's c'' jumps
        self.assertEqual([line for line in told if not line.endswith(", nothing is wrong")],
                         [by_events + ": 1 system, 1 interaction, 1 warning"])
        self.assertIn("at some states: wrong there, or a corner is near", done.stdout)

    def test_templates_are_models_files_take(self):
        self.assertIn("mu = 0", call("new", "friction").stdout)
        done = call("new", "frictoin")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean `friction`?", done.stderr)

    def test_an_example_comes_with_the_files_that_it_takes(self):
        examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "models")
        folder = self.path("bricks")
        done = call("new", "masonry", "-o", folder)
        self.assertEqual((done.returncode, done.stdout), (0, os.path.join(folder, "masonry.toml") + "\n"))
        self.assertEqual(sorted(os.listdir(folder)), ["masonry.py", "masonry.toml"])
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file, open(os.path.join(examples, name), "rb") as other:
                self.assertEqual(file.read(), other.read())
        again = call("new", "ball", "-o", folder)
        self.assertEqual((again.returncode, again.stderr), (2, f"perp: {folder}: expected a new or an empty folder\n"))
        kind = call("new", "friction", "-o", self.path("else"))
        self.assertEqual(kind.returncode, 2)
        self.assertIn("found `friction`, not an example, which a folder is for", kind.stderr)
        self.assertFalse(os.path.exists(self.path("else")))

    def test_blows_of_the_pile_driver_drive_as_far_as_the_soil_takes(self):
        with open(self.path("pile.toml"), "w") as file:
            file.write(call("new", "pile_driver").stdout)
        done = self.run_model("pile.toml", "--set", "drop=1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        samples = [struct.unpack("<9d", each) for each in log_of(self.path("pile.log"))[0]]
        M, m, F, drop, g, h = 500, 300, 60e3, 1, 9.81, 1e-3
        at_impact = math.sqrt(2 * g * drop)
        V = M * at_impact / (M + m)  # the impact is plastic
        depth = V * V / (2 * (F / (M + m) - g))
        for k in range(1, 5):
            t, pile, _, ram, *_ = samples[2000 * k - 1]  # before the ram is lifted again
            self.assertAlmostEqual(t, 2 * k - h, delta=1e-9)
            self.assertAlmostEqual(-pile, k * depth, delta=k * h * V)
            self.assertAlmostEqual(ram, pile, delta=h * at_impact)
            self.assertAlmostEqual(samples[2000 * k][3], pile + drop, delta=1e-9)
        self.assertEqual(max(s[1] for s in samples), 0)
        self.assertLess(max(abs(s[8]) for s in samples), F * h * (1 + 1e-9))  # of the soil

    def test_a_run_that_fails_says_so_and_keeps_its_log(self):
        with open(self.path("fails.toml"), "w") as file:
            file.write("[systems.a]\nkind = \"first_order\"\nn = 1\nf = [\"sqrt(0.5 - t)\"]\n"
                       "[simulation]\nh = 0.01\nuntil = 1\n")
        done = self.run_model("fails.toml")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("fails.toml: failed in step ", done.stderr)
        samples, ends = log_of(self.path("fails.log"))
        self.assertGreater(len(samples), 40)
        self.assertEqual(ends[0][1], -6)  # PERP_ENOTFINITE

    def test_names_that_nobody_expects(self):
        """They are told in one line, which no terminal obeys; a log is of the text that was read, by a pipe, too."""
        with open(self.ball) as file:
            text = file.read()
        names = ["t", "q", "energy", "ä€😀", "%s%n", "-", "{", "$(x)", "x" * 100, "`", "<b>", "#", ";", "é"]
        for name in names + ["a\nb", "\x1b[31m", "x" * 101, "x" * 10000, "", "a b", "a.b", "a[0]", '"']:
            with self.subTest(name):
                model = {"systems": {name: {"kind": "lagrangian_linear", "M": [1], "q0": [2]}},
                         "simulation": {"h": 0.5, "until": 1}}
                with open(self.path("odd.json"), "w") as file:
                    json.dump(model, file)
                if name in names:
                    self.assertEqual(self.run_model("odd.json").returncode, 0)
                    self.assertEqual(struct.unpack_from("<d", log_of(self.path("odd.log"))[0][2], 8), (2,))
                else:
                    done = self.run_model("odd.json", "--log", "no.log")
                    self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
                    self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f]", done.stderr))
                    self.assertLess(len(done.stderr), 400)
        self.assertFalse(os.path.exists(self.path("no.log")))
        done = self.run_model("/dev/stdin", "--log", "pipe.log", input=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(text.encode(), self.bytes("pipe.log"))
        done = subprocess.run("yes | %s check /dev/stdin" % PERP, shell=True, capture_output=True, text=True)
        self.assertIn("; a model has at most 10000000\n", done.stderr)

    def test_an_empty_name_is_none_left_out(self):
        self.assertEqual(self.run_model("ball.toml", "--until", "0.5").returncode, 0)
        before = self.bytes("ball.log")
        for option in ("--resume", "--log"):
            self.refused_run("%s: expected a name, found an empty text" % option, "ball.toml", option, "")
        self.refused_run("found `until` = 0, expected a time behind the start, t = 0", "ball.toml", "--set",
                         "simulation.until=0")
        self.assertEqual(self.bytes("ball.log"), before)
        os.symlink("loop", self.path("loop"))
        self.refused_run("loop: log.open: links go round in a circle", "ball.toml", "--log", "loop")

    def test_two_runs_of_one_log(self):
        with subprocess.Popen([PERP, "run", "ball.toml", "--until", "1e6", "--every", "1000"], cwd=self.folder.name,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            try:
                while not os.path.exists(self.path("ball.log")) or os.path.getsize(self.path("ball.log")) < 1500:
                    time.sleep(0.01)
                for arguments in (["ball.toml"], ["ball.toml", "--until", "1e6", "--resume", "ball.log"]):
                    self.refused_run("ball.log: log.open: another process writes this log", *arguments)
                self.assertEqual(call("info", self.path("ball.log")).returncode, 0)
                for number in (signal.SIGTSTP, signal.SIGCONT, signal.SIGTERM):
                    run.send_signal(number)
                    time.sleep(0.1)
                out, err = run.communicate(timeout=60)
            finally:
                run.kill()
        self.assertEqual((run.returncode, err), (1, ""))
        samples, ends = log_of(self.path("ball.log"))
        self.assertEqual((len(ends), len(samples)), (1, int(re.search("stopped: ([0-9]+) steps", out)[1]) // 1000 + 1))

    def test_a_disk_that_is_full_is_said(self):
        done = self.run_model("ball.toml", "--log", "/dev/full")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    PERP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
