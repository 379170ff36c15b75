# SPDX-License-Identifier: MIT
"""Figures of a run, by matplotlib, which is imported here and nowhere else.

Each function draws a `History` (perp.record) into axes, its own new ones if none are given, and gives
the axes back; `save(axes, path)` writes the figure.
"""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .errors import ArgumentError
from .history import QUANTITIES, History

_LABELS = {"q": "position q", "v": "velocity v", "x": "state x", "y": "gap y", "ydot": "rate of y",
           "lambda_": "multiplier λ"}


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # type: ignore[import]
    from matplotlib.figure import Figure  # type: ignore[import]
    figure = Figure(figsize=(7, 4), constrained_layout=True)
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def _column(history: History, quantity: str, of: int, component: int) -> Any:
    if quantity not in QUANTITIES:
        raise ArgumentError(f"plot: '{quantity}' is none of {', '.join(QUANTITIES)}", "quantity")
    rows = getattr(history, quantity).get(of)
    if rows is None:
        raise ArgumentError(f"plot: {quantity} of {of} was not recorded", quantity, of)
    if not 0 <= component < rows.shape[1]:
        raise ArgumentError(f"plot: {quantity} of {of} has {rows.shape[1]} components", "component", component)
    return rows[:, component]


def times(history: History, quantity: str, of: int, components: Optional[list[int]] = None, axes: Any = None,
          **style: Any) -> Any:
    """Time histories of components (None: all) of one quantity of a system or interaction."""
    axes = _axes(axes)
    rows = getattr(history, quantity, {}).get(of) if quantity in QUANTITIES else None
    count = range(rows.shape[1]) if rows is not None and components is None else (components or [0])
    for c in count:
        label = style.get("label", f"{quantity}[{c}]")
        axes.plot(history.t, _column(history, quantity, of, c), **{**style, "label": label})
    axes.set_xlabel("t (s)")
    axes.set_ylabel(_LABELS[quantity])
    if len(count) > 1:
        axes.legend()
    return axes


def phase(history: History, system: int, component: int = 0, axes: Any = None, **style: Any) -> Any:
    """Velocity over position of a component of a system of order 2; x[c + 1] over x[c] of order 1."""
    axes = _axes(axes)
    if system in history.x:
        axes.plot(_column(history, "x", system, component), _column(history, "x", system, component + 1), **style)
        axes.set_xlabel(f"x[{component}]")
        axes.set_ylabel(f"x[{component + 1}]")
        return axes
    axes.plot(_column(history, "q", system, component), _column(history, "v", system, component), **style)
    axes.set_xlabel(f"q[{component}]")
    axes.set_ylabel(f"v[{component}]")
    return axes


def events(history: History, axes: Any = None) -> Any:
    """A line at each event of an event-driven run, coloured by its first kind."""
    axes = _axes(axes)
    kinds = list(dict.fromkeys(e.kinds[0] for e in history.events if e.kinds))
    for k, kind in enumerate(kinds):
        at = [e.t for e in history.events if e.kinds and e.kinds[0] == kind]
        for j, t in enumerate(at):
            axes.axvline(t, color=f"C{k + 1}", linewidth=0.8, alpha=0.7, label=kind if j == 0 else None)
    if kinds:
        axes.legend()
    axes.set_xlabel("t (s)")
    return axes


def complementarity(history: History, interaction: int, component: int = 0, rate: bool = False,
                    axes: Any = None, **style: Any) -> Any:
    """λ over y (rate: over ẏ) of an interaction: points of a unilateral law lie on two half-axes."""
    axes = _axes(axes)
    name = "ydot" if rate else "y"
    axes.axhline(0, color="0.7", linewidth=0.8)
    axes.axvline(0, color="0.7", linewidth=0.8)
    axes.plot(_column(history, name, interaction, component), _column(history, "lambda_", interaction, component),
              **{"marker": ".", "linestyle": "none", **style})
    axes.set_xlabel(_LABELS[name])
    axes.set_ylabel(_LABELS["lambda_"])
    return axes


def energy(history: History, axes: Any = None) -> Any:
    """Kinetic, potential and total energy."""
    if history.energy is None:
        raise ArgumentError("plot: energy was not recorded", "energy")
    axes = _axes(axes)
    kinetic, potential = np.asarray(history.energy).T
    for values, label in ((kinetic, "kinetic"), (potential, "potential"), (kinetic + potential, "total")):
        axes.plot(history.t, values, label=label)
    axes.set_xlabel("t (s)")
    axes.set_ylabel("energy (J)")
    axes.legend()
    return axes


def save(axes: Any, path: Any) -> None:
    """Write the figure of some axes to a file; its ending tells the format."""
    axes.figure.savefig(path, dpi=120)
