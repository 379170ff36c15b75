# SPDX-License-Identifier: MIT
"""What C answers with, as values. Written by generate.py from include/perp: do not edit."""
from dataclasses import dataclass

from ._arrays import Array


@dataclass(frozen=True)
class Iterate:
    """One iteration of a solver as an observer sees it."""

    # from 0; amid one the last that was done, -1: none
    iteration: int
    # unknown that becomes basic (or free), -1: several or none
    entering: int
    # unknown that leaves the basis, -1: several or none
    leaving: int
    # what the method decreases: infeasibilities, z0, residual
    merit: float


@dataclass(frozen=True)
class Verdict:
    """What perp_law_verify() finds: by how much (y, λ) does not satisfy a law, each 0 where it does."""

    # component with the largest part of relative, -1: relative is 0
    worst: int
    # where λ is in its set, static: "equality"; "open", "closed"; "lower", "between", "upper"; "open",
    # "stick", "slip", "roll", "slip and roll"; "inside", "boundary"; "various" where components differ
    state: str
    # ‖λ − P(λ)‖: outside its set, units of λ
    lambda_: float
    # part of y that no λ of the set allows (penetration), units of y; 0 for polyhedra and sets that only a
    # projection knows
    y: float
    # what keeps y and λ from being complementary, units of y times λ: for intervals Σ |y| times the distance
    # of λ from its bound, for friction y_n λ_n + μ λ_n ‖y_t‖ + λ_t·y_t; else (P(λ) − P(λ − sŷ))·ŷ
    work: float
    # between λ_t and −y_t, of friction and rolling, where both are not 0 (rad)
    angle: float
    # ‖λ − P(λ − sŷ)‖ / ‖λ‖, s = ‖λ‖/‖ŷ‖ (1/‖ŷ‖ and undivided if λ = 0): without units, and 0 only if the law
    # holds
    relative: float


@dataclass(frozen=True)
class Report:
    """What happened since init or resume."""

    # most unknowns in one step
    max_active: int
    # accepted steps (substeps of a retry included)
    steps: int
    # unknowns of one-step problems, summed over steps
    active: int
    # unilateral copies whose λ became positive
    impacts: int
    # summed over all solves
    solver_iterations: int
    # one-step problems not solved
    failures: int
    # steps halved
    retries: int
    # unsolved problems whose best point was taken; steps that missed their tolerance where contacts are swept
    accepted: int
    # problems whose equalities contradict each other by a little (joints that over-constrain), or rows of a
    # projection, solved in the least-squares sense; steps whose projection left overlaps of a pool in global
    # form, or more than projection_tol beside it
    relaxed: int
    # largest −y of a unilateral copy of a Lagrangian relation before or after a step in which it acted,
    # projected if it is, >= 0
    penetration: float
    # worst relative residual of an accepted step
    residual: float
    # passes of Newton's iteration in accepted steps
    newton: int
    # contacts found beyond the room of the pool, over steps
    dropped: int
    # geometric stiffness that Newton's iteration wanted and W did not get, as it would not have been positive
    # definite, or couples systems: summed over systems and all passes, of failed steps too
    left_out: int
    # worst residual of contacts that are swept, of an accepted step, unit of ẏ: what speed_tol bounds; 0
    # without such contacts
    speed_residual: float
    # systems asleep now, see perp_simulation_is_asleep()
    asleep: int


@dataclass(frozen=True)
class EventReport:
    """What a run has cost so far."""

    # times at which something happened
    events: int
    # copies of laws with an impulse, over all events
    impacts: int
    # changes of modes
    switches: int
    # accumulations cut off
    jumps: int
    # to time-stepping
    handovers: int
    # of the smooth integrator
    restarts: int
    # one-step problems solved at events
    problems: int
    # states put back on their constraints
    corrections: int
    # steps in which a guard bent more than its many points show: it may have been at 0 in between; bound the
    # step (h_max)
    unresolved: int
    # of the smooth integrator
    steps: int
    # of which the error test refused
    rejected: int
    # of the right-hand side
    evaluations: int
    # of implicit methods
    jacobians: int
    # evaluations of guards
    guards: int
    # largest |y| of a held row seen at the end of a step
    drift: float
    # gaps found deeper than contact_tol though the search had passed them: the step ends there; bound the
    # step (h_max)
    missed: int
    # next modes that were one of several: a contact slips, and its friction pushes it in by more than its
    # force holds (Painlevé)
    indeterminate: int


@dataclass(frozen=True)
class Contact:
    """A unilateral copy of a law, between Lagrangian systems or bodies, that acted in the last step."""

    # index into the model; -1: of the pool
    interaction: int
    # of its law
    copy: int
    # the first two joined; -1: none, as the ground
    systems: tuple[int, int]
    # as the pool's callback has given it; 0 otherwise
    identity: int
    # index into the pool's laws; -1 otherwise
    law: int
    # 1: what follows lambda is known (contacts of a pool and ::perp_body_contact); 0: it is 0
    located: int
    # y of its first row at the end of the step, projected if it is
    gap: float
    # rows: relative velocity at the end of the step
    ydot: Array
    # rows: reaction in the local frame, N s with Moreau-Jean
    lambda_: Array
    # where the reaction acts (m), fixed frame
    point: Array
    # normal, to the first system, and both tangents
    frame: Array
    # on the first system over the step (N s), fixed frame; its opposite acts on the second
    impulse: Array
    # impulse / h (N)
    force: Array
    # angular impulse of rolling resistance on the first system (N m s)
    couple: Array
