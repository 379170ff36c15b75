! SPDX-License-Identifier: MIT
!> perp for Fortran: `use perp`, or `use perp, only: ...`. See docs/fortran.md.
module perp
  use perp_outcome, only: dp, outcome, answer
  use perp_solve, only: method, infinity, solve_lcp, solve_mlcp, solve_relay
  use perp_solve_contact, only: solve_friction, solve_rolling, solve_contact
  use perp_solve_qp, only: solve_qp
  use perp_solve_function, only: mcp, solve_mcp, vi, solve_vi
  use perp_law_values, only: law, equality, complementarity, newton_impact, box, relay, friction, &
    rolling, mixed, compliant, fremond, cohesive, polyhedron
  use perp_kind, only: system, relation
  use perp_systems, only: lagrangian_linear, first_order_linear, lagrangian, first_order, rigid_body
  use perp_relations, only: linear_relation, varying_relation, lagrangian_linear_relation, &
    prescribed_velocity, first_order_relation, lagrangian_relation, velocity_relation, contact_relation
  use perp_body_relations, only: body_contact, sphere_plane, sphere_sphere, point_plane, joint, &
    joint_coordinate, gear, perp_contact_place
  use perp_model_values, only: model
  use perp_stepping_options, only: simulation_options
  use perp_time_stepping, only: simulation, run_report
  use perp_event_stepping, only: event_driven, event_options, event, event_change, event_report
  use perp_c, only: PERP_OK, PERP_MAX_ITER, PERP_RAY, PERP_INACCURATE, PERP_INFEASIBLE, &
    PERP_STOPPED, PERP_END, PERP_RETRY, PERP_UNBOUNDED, PERP_STORM, PERP_EINVAL, &
    PERP_EWORKSPACE, PERP_ECALLBACK, PERP_EUNSUPPORTED, PERP_EBACKEND, PERP_ENOTFINITE, &
    PERP_LEVEL_FORCE, PERP_LEVEL_IMPULSE, PERP_LEVEL_POSITION, &
    PERP_FAILURE_STOP, PERP_FAILURE_RETRY, PERP_FAILURE_ACCEPT, PERP_NEWTON_RESIDUAL, &
    PERP_NEWTON_DYNAMICS, PERP_NEWTON_FIXED, PERP_NEWTON_FROM_CURRENT, &
    PERP_NEWTON_FROM_POSITION, PERP_PROJECT_NONE, PERP_PROJECT_POSITIONS, &
    PERP_PROJECT_COMBINED, PERP_FORMULATION_REDUCED, PERP_FORMULATION_GLOBAL, &
    PERP_FORMULATION_AUTO, PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB, &
    PERP_ZENO_JUMP, PERP_ZENO_STEP, PERP_ZENO_STOP, PERP_CONTACT_OPEN, PERP_CONTACT_TOUCH, &
    PERP_CONTACT_CLOSED, PERP_CONTACT_STICK, PERP_CONTACT_SLIP, PERP_CONTACT_LOWER, &
    PERP_CONTACT_BETWEEN, PERP_CONTACT_UPPER, PERP_EVENT_IMPACT, PERP_EVENT_CLOSE, &
    PERP_EVENT_OPEN, PERP_EVENT_STICK, PERP_EVENT_SLIP, PERP_EVENT_REVERSE, PERP_EVENT_SWITCH, &
    PERP_EVENT_SCHEDULE, PERP_EVENT_GUARD, PERP_EVENT_ACCUMULATION, PERP_EVENT_HANDOVER, &
    PERP_EVENT_RETURN, PERP_EVENT_START, PERP_GYROSCOPIC_IMPLICIT, PERP_GYROSCOPIC_EXPLICIT, &
    PERP_GYROSCOPIC_NONE, PERP_FRAME_BODY, PERP_FRAME_FIXED, PERP_JOINT_SPHERICAL, &
    PERP_JOINT_PIVOT, PERP_JOINT_PRISMATIC, PERP_JOINT_CYLINDRICAL, PERP_JOINT_FIXED, &
    PERP_JOINT_SCREW, PERP_COORDINATE_ANGLE, PERP_COORDINATE_TRANSLATION, &
    PERP_COORDINATE_RATE, PERP_COORDINATE_EFFORT, PERP_COORDINATE_STOPS, &
    PERP_COORDINATE_LOWER, PERP_COORDINATE_UPPER, PERP_DEFAULT_TOL
  use, intrinsic :: iso_fortran_env, only: int64 ! of counts
  implicit none
  public
end module perp
