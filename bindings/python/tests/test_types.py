# SPDX-License-Identifier: MIT
"""Types, by mypy: the examples and a user's program under --strict, all definitions of the package typed."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import perp

HERE = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = """
from __future__ import annotations
import perp

def feed(sim: perp.Simulation, ball: perp.SystemId) -> bool | None:
    sim.z[ball] = 0.5 - sim.q(ball)[0]
    return sim.time < 1.0

m = perp.Model()
ball = m.add(perp.LagrangianLinear(M=1.0, control=perp.Control(1, T=[[1.0]]), z=[0.0]), q0=[1.0])
floor = m.connect(perp.LagrangianLinearRelation(H=[1.0]), perp.newton_impact(0.9), ball)
sim = perp.Simulation(m, h=1e-3)
history = perp.record(sim, until=1.0, q=[ball], observe=lambda s: feed(s, ball))
solution: perp.Solution = perp.solve(sim.problem())
reveal_type(sim.q(ball))
reveal_type(sim.problem().laws)
reveal_type(perp.callback_type(perp.FirstOrder, "f").c)
"""


cache = tempfile.TemporaryDirectory()


def tearDownModule():
    cache.cleanup()


def mypy(*arguments):
    run = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", cache.name, *map(str, arguments)], text=True,
                         capture_output=True, env={**os.environ, "MYPYPATH": str(HERE)}, cwd=cache.name)
    return run.returncode, run.stdout + run.stderr


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed (scripts/setup python)")
class Types(unittest.TestCase):
    def test_all_of_the_package_is_typed(self):
        code, said = mypy("--disallow-untyped-defs", "--disallow-incomplete-defs", "--disallow-any-generics", HERE / "perp")
        self.assertEqual(code, 0, said)

    def test_examples(self):
        code, said = mypy("--strict", "--follow-imports=silent", *(HERE / "examples").glob("*.py"))
        self.assertEqual(code, 0, said)

    def test_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program.py"
            program.write_text(PROGRAM)
            code, said = mypy("--strict", "--follow-imports=silent", program)
            self.assertEqual(code, 0, said)
            self.assertIn("ndarray[Any, numpy.dtype[numpy.floating[numpy._typing._64Bit]]]", said)
            self.assertIn("list[Tuple[perp.laws.Law, builtins.int]]", said)
            self.assertIn("builtins.str", said)
            program.write_text(PROGRAM + "sim.rum(until=2.0)\nsim.z['ball'] = 1.0\nsim.run(until='2')\n")
            code, said = mypy("--strict", "--follow-imports=silent", program)
            self.assertEqual((code, said.count(": error:")), (1, 3), said)


class Names(unittest.TestCase):
    def test_all_that_is_public_is_exported(self):
        modules = {p.stem for p in (HERE / "perp").glob("*.py")} - {"joint"}
        public = {n for n in vars(perp) if not n.startswith("_") and n not in modules}
        self.assertEqual(public - set(perp.__all__), set())
        self.assertEqual({n for n in perp.__all__ if not hasattr(perp, n)}, set())


if __name__ == "__main__":
    unittest.main()
