# SPDX-License-Identifier: MIT
"""What a call of the package costs beside C: prints the table of docs/python.md (microseconds)."""
import ctypes
import subprocess
import tempfile
import time

import numpy as np

import perp


def ball(**fields):
    m = perp.Model()
    b = m.add(perp.LagrangianLinear(M=1.0, **fields), [1.0])
    m.connect(perp.LagrangianLinearRelation([1.0]), perp.newton_impact(0.9), b)
    return m, b


def each(call, count):
    """Least microseconds of the processor of fifteen attempts: others may use the machine."""
    best = float("inf")
    for _ in range(15):
        begin = time.process_time()
        for _ in range(count):
            call()
        best = min(best, time.process_time() - begin)
    return 1e6 * best / count


def row(what, value):
    print(f"| {what} | {value:.2g} |")


m, b = ball(f=[-9.81])
row("`sim.run(...)`, a step of the bouncing ball", each(lambda: perp.Simulation(m, 1e-6).run(steps=200000), 1) / 200000)
sim = perp.Simulation(m, 1e-6)
row("`sim.step()`", each(sim.step, 20000))
row("`sim.run(..., observe=lambda s: None)`, a step", each(lambda: sim.run(steps=20000, observe=lambda s: None), 1) / 20000)
row("`sim.q(ball)`", each(lambda: sim.q(b), 20000))
row("`sim.checkpoint()`", each(sim.checkpoint, 20000))


def steps(model, count=5000):
    """Microseconds of a step in run()."""
    sim = perp.Simulation(model, 1e-6)
    return each(lambda: sim.run(steps=count), 1) / count


def lag(system, relation=perp.LinearRelation, **fields):
    """A system of order 1 with a relay."""
    m = perp.Model()
    m.connect(relation(C=[[1.0]], B=[[1.0]], **fields), perp.relay(), m.add(system, [1.0]))
    return m


plain, linear, varying = (steps(m) for m in (ball(f=[-9.81])[0], lag(perp.FirstOrderLinear(A=-1.0)), lag(
    perp.FirstOrderLinear(A=-1.0), perp.LinearVaryingRelation)))
row("a callback of time, `force=lambda t: -9.81`", steps(ball(force=lambda t: -9.81)[0]) - plain)
row("`FirstOrderLinear(input=lambda t: 1.0)`, a step more",
    steps(lag(perp.FirstOrderLinear(A=-1.0, input=lambda t: 1.0))) - linear)
row("`LinearVaryingRelation(e=lambda t: 0.1)`, a step more",
    steps(lag(perp.FirstOrderLinear(A=-1.0), perp.LinearVaryingRelation, e=lambda t: 0.1)) - varying)
feedback = perp.Control(1, lambda t, q, v: -0.1 * v[0], [[1.0]])
row("`Control(1, lambda t, q, v: -0.1 * v[0], T)`, a step", steps(ball(f=[-9.81], control=feedback)[0]))
row("`FirstOrder(1, f=lambda x: -x)`, a step", steps(lag(perp.FirstOrder(1, f=lambda x: -x))))

z = np.zeros(1)
m, b = ball(f=[-9.81], control=perp.Control(1, T=[[1.0]]), z=z)
sampled = perp.Simulation(m, 1e-6)


def sample():
    sampled.z[b] = 0.5
    sampled.step()


row("a sampled input: `sim.z[ball] = u; sim.step()` over a plain `sim.step()`",
    each(sample, 5000) - each(sim.step, 5000))
row("`sim.set_state(ball, q)`", each(lambda: sampled.set_state(b, [1.0]), 500))

SOURCE = """#include <stdint.h>
int32_t force(double t, double *out, void *user) { out[0] = -9.81; return 0; }
int32_t damp(double t, const double *q, const double *v, const double *z, double *out, void *user)
{ out[0] = -0.1 * v[0]; return 0; }"""
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-xc", "-", "-o", f"{folder}/own.so"], input=SOURCE.encode(), check=True)
    own = ctypes.CDLL(f"{folder}/own.so")
row("`force=perp.compiled(own.force)`, a step more than with f", steps(ball(force=perp.compiled(own.force))[0]) - plain)
row("`Control(1, perp.compiled(own.damp), T)`, a step",
    steps(ball(f=[-9.81], control=perp.Control(1, perp.compiled(own.damp), [[1.0]]))[0]))
solver = perp.Solver("lemke")
problem = perp.Problem(np.eye(2), -np.ones(2), perp.complementarity())
row("`solver.solve(problem)`, an LCP of 2 unknowns", each(lambda: solver.solve(problem), 2000))
row("`perp.solve_lcp(M, q)`, the same", each(lambda: perp.solve_lcp(np.eye(2), -np.ones(2)), 500))
