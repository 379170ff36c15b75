# SPDX-License-Identifier: MIT
"""What a call of the package costs beside C: prints the table of docs/python.md (microseconds)."""
import time

import numpy as np

import perp


def ball(**fields):
    m = perp.Model()
    b = m.add(perp.LagrangianLinear(M=1.0, **fields), [1.0])
    m.connect(perp.LagrangianLinearRelation([1.0]), perp.newton_impact(0.9), b)
    return m, b


def each(call, count):
    """Least microseconds of five attempts."""
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, time.perf_counter() - begin)
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
m, b = ball(force=lambda t: -9.81)
timed = perp.Simulation(m, 1e-6)
plain = perp.Simulation(ball(f=[-9.81])[0], 1e-6)
row("a callback of time, `force=lambda t: -9.81`",
    (each(lambda: timed.run(steps=20000), 1) - each(lambda: plain.run(steps=20000), 1)) / 20000)
solver = perp.Solver("lemke")
problem = perp.Problem(np.eye(2), -np.ones(2), perp.complementarity())
row("`solver.solve(problem)`, an LCP of 2 unknowns", each(lambda: solver.solve(problem), 2000))
row("`perp.solve_lcp(M, q)`, the same", each(lambda: perp.solve_lcp(np.eye(2), -np.ones(2)), 500))
