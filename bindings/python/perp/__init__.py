# SPDX-License-Identifier: MIT
"""perp: nonsmooth dynamical systems. See docs/python.md for a guide in five minutes.

    import perp
    m = perp.Model()
    ball = m.add(perp.LagrangianLinear(M=1.0, f=[-9.81]), q0=[1.0])
    floor = m.connect(perp.LagrangianLinearRelation(H=[1.0]), perp.newton_impact(0.9), ball)
    sim = perp.Simulation(m, h=1e-3)
    sim.run(until=2.0)
    print(sim.time, sim.q(ball), sim.lambda_(floor))
"""
from . import _c
from ._library import lib as _lib
from ._library import path as library_path
from ._library import text as _text
from ._records import Contact, EventReport, Iterate, Report, Verdict
from .bodies import (Body, BodyContact, ContactPlace, Gear, Joint, JointCoordinate, PointPlane, SpherePlane,
                     SphereSphere, ball, brick, coordinate_value, cylindrical_joint, fixed_joint, joint,
                     joint_drive, joint_effort, joint_stops, pivot_joint, pose_at, prismatic_joint,
                     rotation_matrix, screw_joint, spherical_joint)
from .compiled import CallbackType, Compiled, callback_type, compiled
from .errors import (ArgumentError, ArgumentTypeError, BackendError, BusyError, CallbackError, ClosedError, Error,
                     NotFiniteError, Retry, Status, UnsupportedError, WorkspaceError)
from .event_types import Change, Event, EventState, Guard, Schedule
from .events import EventDriven
from .history import History, record
from .laws import (VERTICAL, Law, LawStep, box, cohesive_2d, cohesive_3d, complementarity, compliant,
                   distance, equality, fremond_2d, fremond_3d, friction_2d, friction_3d, impact, mixed,
                   newton_impact, piecewise_linear, polyhedron, relay, relay_dead_zone, rolling_2d, rolling_3d,
                   user_law, verify)
from .log import Log, LogContacts, LogEnd, LogEvent, LogGroup, LogQuantity, open
from .model import GROUND, ContactPool, ContactSearch, InteractionId, Model, SystemId
from .programs import ProgramSolution, RootSolution, solve_mcp, solve_qp, solve_vi
from .relations import (FirstOrderRelation, FirstOrderType1, FirstOrderType2, LagrangianCompliant,
                        LagrangianContactRelation, LagrangianLinearRelation, LagrangianRheonomous,
                        LagrangianScleronomous, LagrangianVelocityRelation, LinearRelation, LinearVaryingRelation,
                        PrescribedVelocity)
from .run import Energy, Work
from .simulation import Parameters, Simulation
from .solvers import (Method, Problem, Solution, Solver, SolverInfo, friction_problem, method,
                      rolling_problem, solve, solve_box, solve_contact, solve_friction, solve_lcp, solve_mlcp,
                      solve_relay, solve_rolling, solvers)
from .systems import Control, FirstOrder, FirstOrderLinear, Lagrangian, LagrangianLinear

__version__ = _text(_lib.perp_version_string()).replace("-dev", ".dev0")
"""Version of libperp, as Python writes it: between releases 0.2.1.dev0."""

__all__ = [  # for type checkers too, which take no other name from here
    "GROUND", "VERTICAL", "ArgumentError", "ArgumentTypeError", "BackendError", "Body", "BodyContact",
    "BusyError", "CallbackError", "CallbackType", "Change", "ClosedError", "Compiled", "Contact",
    "ContactPlace", "ContactPool", "ContactSearch", "Control", "Energy", "Error", "Event", "EventDriven",
    "EventReport", "EventState", "FirstOrder", "FirstOrderLinear", "FirstOrderRelation", "FirstOrderType1",
    "FirstOrderType2", "Gear", "Guard", "History", "InteractionId", "Iterate", "Joint", "JointCoordinate",
    "Lagrangian", "LagrangianCompliant", "LagrangianContactRelation", "LagrangianLinear",
    "LagrangianLinearRelation", "LagrangianRheonomous", "LagrangianScleronomous",
    "LagrangianVelocityRelation", "Law", "LawStep", "LinearRelation", "LinearVaryingRelation", "Log", "LogContacts", "LogEnd", "LogEvent", "LogGroup",
    "LogQuantity", "Method",
    "Model", "NotFiniteError", "Parameters", "PointPlane", "PrescribedVelocity", "Problem", "ProgramSolution",
    "Report", "Retry", "RootSolution", "Schedule", "Simulation", "Solution", "Solver", "SolverInfo",
    "SpherePlane", "SphereSphere", "Status", "SystemId", "UnsupportedError", "Verdict", "Work",
    "WorkspaceError", "ball", "box", "brick", "callback_type", "cohesive_2d", "cohesive_3d", "compiled",
    "complementarity", "compliant", "coordinate_value", "cylindrical_joint", "distance", "equality",
    "fixed_joint", "fremond_2d", "fremond_3d", "friction_2d", "friction_3d", "friction_problem", "impact",
    "joint", "joint_drive", "joint_effort", "joint_stops", "library_path", "method", "mixed", "newton_impact", "open",
    "piecewise_linear", "pivot_joint", "polyhedron", "pose_at", "prismatic_joint", "record", "relay",
    "relay_dead_zone", "rolling_2d", "rolling_3d", "rolling_problem", "rotation_matrix", "screw_joint",
    "solve", "solve_box", "solve_contact", "solve_friction", "solve_lcp", "solve_mcp", "solve_mlcp",
    "solve_qp", "solve_relay", "solve_rolling", "solve_vi", "solvers", "spherical_joint", "user_law",
    "verify", "__version__"]
