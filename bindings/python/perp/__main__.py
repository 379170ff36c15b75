# SPDX-License-Identifier: MIT
"""python -m perp version | solvers | solve FILE | demo NAME

Exit codes: 0 done; 1 not solved, or a demo's value is wrong; 2 a wrong command line or file, with one
line that says what.
"""
from __future__ import annotations

import argparse
import json
import math
import signal
import sys
from typing import Any, NoReturn, Optional

from . import __version__, library_path
from .errors import Error, Status


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"python -m perp: {message}\n")
        raise SystemExit(2)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m perp", description="Nonsmooth dynamical systems.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="version|solvers|solve|demo",
                                     parser_class=_Parser)
    commands.add_parser("version", help="version and place of libperp")
    commands.add_parser("solvers", help="names of solvers, what they take and assume")
    solve = commands.add_parser("solve", help="solve a problem from a file (.npz or text)")
    solve.add_argument("file")
    solve.add_argument("--class", dest="kind", help="lcp, mlcp, relay, fc2d, fc3d, gfc2d, gfc3d, rolling, mixed")
    solve.add_argument("--solver", default="auto")
    solve.add_argument("--tol", type=float)
    solve.add_argument("--max-iter", type=int)
    solve.add_argument("--json", action="store_true", help="one JSON object")
    solve.add_argument("--solution", action="store_true", help="print λ and y, too")
    demo = commands.add_parser("demo", help="a model against exact values")
    demo.add_argument("name", choices=["ball", "bridge", "friction"])
    demo.add_argument("--plot", metavar="FILE.png", help="write a figure (needs matplotlib)")
    return parser


def _solvers() -> int:
    from .solvers import solvers
    for s in solvers().values():
        assumes = f"; assumes {', '.join(s.assumes)}" if s.assumes else ""
        print(f"{s.name:18} {', '.join(s.laws)}{assumes}")
    return 0


def _solve(a: Any) -> int:
    from . import files
    from .solvers import solve
    options = {name: value for name, value in (("tol", a.tol), ("max_iter", a.max_iter)) if value is not None}
    kind, problem = files.load(a.file, a.kind)
    s = solve(problem, a.solver, **options)
    if a.json:
        answer = {"status": s.text, "code": int(s.status), "class": kind, "solver": s.solver, "n": problem.n,
                  "iterations": s.iterations, "residual": s.residual, "relative_residual": s.relative_residual,
                  "amplification": s.amplification}
        if s.status == Status.INFEASIBLE:
            answer["bound"] = s.bound if math.isfinite(s.bound) else None
        if a.solution:
            answer |= {"lambda": s.lambda_.tolist(), "y": s.y.tolist()}
        print(json.dumps(answer))
    else:
        print(f"{a.file}: {kind}, {problem.n} unknowns\n{s.text}: {s.solver}, {s.iterations} iterations, "
              f"residual {s.residual:.3g}, relative {s.relative_residual:.3g}, amplification {s.amplification:.3g}")
        if a.solution:
            for i, (z, w) in enumerate(zip(s.lambda_, s.y)):
                print(f"{i:6d} {z:24.17g} {w:24.17g}")
    return 0 if s.status == Status.OK else 1


def main(arguments: Optional[list[str]] = None) -> int:
    a = _parser().parse_args(arguments)
    try:
        if a.command == "version":
            print(f"perp {__version__} ({library_path})")
            return 0
        if a.command == "solvers":
            return _solvers()
        if a.command == "solve":
            return _solve(a)
        from . import demos
        return demos.main(a.name, a.plot)
    except (Error, OSError, ImportError, ValueError) as problem:
        sys.stderr.write(f"python -m perp: {' '.join(str(problem).split())}\n")
        return 2


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):  # a reader that has seen enough (head) ends the command as it does any other
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    raise SystemExit(main())
