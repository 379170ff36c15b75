# SPDX-License-Identifier: MIT
"""Three small models, judged against exact values: `python -m perp demo ball|bridge|friction`."""
from __future__ import annotations

import math
from typing import Any, Callable, Optional

import numpy as np

from . import laws, relations, systems
from ._arrays import Array
from .errors import Status
from .events import EventDriven
from .history import record
from .model import Model
from .simulation import Simulation
from .solvers import Solution, solve_friction


class Judged:
    """Lines of a table; `ok` is False as soon as a value is not what it has to be."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.ok = True

    def value(self, name: str, got: float, exact: float, tol: float) -> None:
        good = abs(got - exact) <= tol  # False for NaN
        self.ok = self.ok and good
        self.lines.append(f"{name:34} {got:16.10g} {exact:16.10g} {abs(got - exact):9.2g} "
                          f"{'ok' if good else f'MORE THAN {tol:g}'}")


def bouncing_ball(e: float = 0.9, g: float = 9.81) -> tuple[Model, Any, Any]:
    """A ball of 1 kg dropped from 1 m: v̇ = −g + λ, 0 ≤ q ⟂ λ, ẏ⁺ = −e ẏ⁻."""
    m = Model()
    ball = m.add(systems.LagrangianLinear(M=1.0, f=[-g]), q0=[1.0])
    floor = m.connect(relations.LagrangianLinearRelation(H=[1.0]), laws.newton_impact(e), ball)
    return m, ball, floor


def ball_demo(figure: Optional[str] = None) -> Judged:
    """By events the times of the bounces are exact, t_1 = √(2/g), t_k+1 = t_k + 2 e^k √(2/g); by
    time-stepping positions are of first order in h."""
    e, g, end, h = 0.9, 9.81, 3.0, 1e-4
    m, ball, floor = bouncing_ball(e, g)
    judged = Judged()
    sim = EventDriven(m)
    hits = [event.t for event in sim.events(end)]
    t, fall = math.sqrt(2 / g), math.sqrt(2 / g)
    for k, hit in enumerate(hits):
        judged.value(f"bounce {k + 1} by events (s)", hit, t, 1e-9)
        t += 2 * e ** (k + 1) * fall
    n = len(hits)
    since = end - hits[-1]
    height = g * fall * e**n * since - g * since**2 / 2
    judged.value("height at 3 s by events (m)", float(sim.q(ball)[0]), height, 1e-9)
    steps = Simulation(m, h=h)
    steps.run(until=end)
    judged.value("height at 3 s by time-stepping (m)", float(steps.q(ball)[0]), height, 200 * h)
    if figure:
        from . import plot
        axes = plot.times(record(EventDriven(m), end, every=0.005, q=[ball]), "q", ball)
        plot.save(axes, figure)
    return judged


def diode_bridge() -> tuple[Model, Any, Any]:
    """An LC oscillator (1 µF, 10 mH) loaded by 1 kΩ through four ideal diodes.

    x = (voltage of C, current of L), λ = (−v_DR1, −v_DF2, i_DF1, i_DR2), y = (i_DR1, i_DF2, −v_DF1,
    −v_DR2); Acary and Brogliato 2008.
    """
    C, L, R = 1e-6, 1e-2, 1e3
    m = Model()
    oscillator = m.add(systems.FirstOrderLinear(A=[[0, -1 / C], [1 / L, 0]]), x0=[10.0, 0.0])
    bridge = m.connect(relations.LinearRelation(
        C=[[0, 0], [0, 0], [-1, 0], [1, 0]],
        D=[[1 / R, 1 / R, -1, 0], [1 / R, 1 / R, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]],
        B=[[0, 0, -1 / C, 1 / C], [0, 0, 0, 0]]), laws.complementarity(), oscillator)
    return m, oscillator, bridge


def bridge_demo(figure: Optional[str] = None) -> Judged:
    """The bridge loads the oscillator by R either way: C v̇ = −i − v/R. Switching costs an error of order h."""
    C, L, R, end = 1e-6, 1e-2, 1e3, 5e-3
    m, oscillator, bridge = diode_bridge()
    sim = Simulation(m, h=1e-7)
    history = record(sim, end, every=10, x=[oscillator], y=[bridge], lambda_=[bridge])
    a = 1 / (2 * R * C)
    w = math.sqrt(1 / (L * C) - a * a)

    def voltage(t: float) -> float:
        return 10 * math.exp(-a * t) * (math.cos(w * t) - a / w * math.sin(w * t))
    judged = Judged()
    for t in (1e-3, 2e-3, 5e-3):
        k = int(np.argmin(abs(history.t - t)))
        judged.value(f"voltage at {1e3 * t:g} ms (V)", float(history.x[oscillator][k, 0]), voltage(history.t[k]), 5e-3)
    y, z = history.y[bridge][1:], history.lambda_[bridge][1:]
    judged.value("least of y and λ", float(min(y.min(), z.min())), 0.0, 1e-9)
    judged.value("largest |y λ|", float(abs(y * z).max()), 0.0, 1e-12)
    if figure:
        from . import plot
        plot.save(plot.times(history, "x", oscillator, [0], label="voltage of C (V)"), figure)
    return judged


def friction_problem_of_box(push: float) -> tuple[Array, Array, float]:
    """A block of 2 kg on a table, pushed: W = 1/m, q = h (−g, push/m, 0), μ = 0.5; h = 1."""
    mass, g, mu = 2.0, 9.81, 0.5
    return np.eye(3) / mass, np.array([-g, push / mass, 0.0]), mu


def friction_demo(figure: Optional[str] = None) -> Judged:
    """Below μ m g it sticks and friction balances the push; above, it slides with push − μ m g."""
    judged = Judged()
    weight = 2.0 * 9.81
    pushes, slides = np.linspace(0, 20, 81), []
    for push in (5.0, 15.0):
        W, q, mu = friction_problem_of_box(push)
        for solver in ("nsgs", "friction-newton", "auto"):
            s: Solution = solve_friction(W, q, mu, solver=solver, tol=1e-10)
            judged.ok = judged.ok and s.status == Status.OK
            judged.value(f"friction at {push:g} N, {solver} (N)", float(s.lambda_[1]), -min(push, mu * weight), 1e-8)
            judged.value(f"slip at {push:g} N, {solver} (m/s)", float(s.y[1]), max(0.0, push / 2 - mu * 9.81), 1e-8)
    for push in pushes:
        W, q, mu = friction_problem_of_box(push)
        slides.append(-solve_friction(W, q, mu).lambda_[1])
    if figure:
        from . import plot
        axes = plot._axes(None)
        axes.plot(pushes, slides)
        axes.set_xlabel("push (N)")
        axes.set_ylabel("friction (N)")
        plot.save(axes, figure)
    return judged


DEMOS: dict[str, Callable[[Optional[str]], Judged]] = {"ball": ball_demo, "bridge": bridge_demo, "friction": friction_demo}


def main(name: str, figure: Optional[str] = None) -> int:
    """Run a demo, print its table; 0 if all values are right, 1 if not."""
    judged = DEMOS[name](figure)
    print(f"{'':34} {'value':>16} {'exact':>16} {'error':>9}")
    print("\n".join(judged.lines))
    print(f"{name}: {'all values agree' if judged.ok else 'WRONG'}")
    return 0 if judged.ok else 1
