# SPDX-License-Identifier: MIT
"""The C names of perp as ctypes has them. Written by generate.py from include/perp: do not edit."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t,
                    c_uint16, c_uint32, c_void_p)
from typing import Any

address = c_void_p  # of numbers, or of what C does not show

VERSION = "0.2.1-dev"
PERP_OK = 0
PERP_MAX_ITER = 1
PERP_RAY = 2
PERP_INACCURATE = 3
PERP_INFEASIBLE = 4
PERP_STOPPED = 5
PERP_END = 6
PERP_RETRY = 7
PERP_UNBOUNDED = 8
PERP_STORM = 9
PERP_EINVAL = -1
PERP_EWORKSPACE = -2
PERP_ECALLBACK = -3
PERP_EUNSUPPORTED = -4
PERP_EBACKEND = -5
PERP_ENOTFINITE = -6
PERP_RAY_NONE = 0
PERP_RAY_SECONDARY = 1
PERP_RAY_CERTIFICATE = 2
PERP_WARN_INDEFINITE = 1
PERP_OF_ENTRY = 0
PERP_OF_SYSTEM = 1
PERP_OF_BODY = 2
PERP_OF_INTERACTION = 3
PERP_OF_LAW = 4
PERP_OF_PLACE = 5
PERP_OF_CONTACT = 6
PERP_HOLDS_END = 0
PERP_HOLDS_NUMBERS = 1
PERP_HOLDS_INTEGER = 2
PERP_HOLDS_ARRAY = 3
PERP_HOLDS_TRIPLES = 4
PERP_HOLDS_INDICES = 5
PERP_HOLDS_MATRIX = 6
PERP_HOLDS_RELATION = 7
PERP_HOLDS_PARAMETERS = 8
PERP_HOLDS_USER = 9
PERP_ZERO = 0
PERP_DIAGONAL = 1
PERP_DENSE = 2
PERP_BLOCKS = 3
PERP_SET_FREE = 0
PERP_SET_ORTHANT = 1
PERP_SET_BOX = 2
PERP_SET_CONE = 3
PERP_SET_ROLLING = 4
PERP_SET_POLYHEDRON = 5
PERP_SET_OTHER = 6
PERP_MODE_UNKNOWN = 0
PERP_MODE_LOWER = 1
PERP_MODE_FREE = 2
PERP_MODE_UPPER = 3
PERP_ASSUMES_SYMMETRIC = 1
PERP_ASSUMES_DEFINITE = 2
PERP_ASSUMES_SEMIDEFINITE = 4
PERP_ASSUMES_P_MATRIX = 8
PERP_ASSUMES_COPOSITIVE = 16
PERP_GLOBAL_CONDENSED = 1
PERP_GLOBAL_FULL = 2
PERP_GYROSCOPIC_IMPLICIT = 0
PERP_GYROSCOPIC_EXPLICIT = 1
PERP_GYROSCOPIC_NONE = 2
PERP_FRAME_BODY = 0
PERP_FRAME_FIXED = 1
PERP_FAILURE_STOP = 0
PERP_FAILURE_RETRY = 1
PERP_FAILURE_ACCEPT = 2
PERP_NEWTON_RESIDUAL = 0
PERP_NEWTON_DYNAMICS = 1
PERP_NEWTON_FIXED = 2
PERP_NEWTON_FROM_CURRENT = 0
PERP_NEWTON_FROM_POSITION = 1
PERP_PROJECT_NONE = 0
PERP_PROJECT_POSITIONS = 1
PERP_PROJECT_COMBINED = 2
PERP_FORMULATION_REDUCED = 0
PERP_FORMULATION_GLOBAL = 1
PERP_FORMULATION_AUTO = 2
PERP_SPEED_PILE = -1
PERP_SPEED_STACK = -2
PERP_OTHER_GRID = 1
PERP_LEVEL_FORCE = 0
PERP_LEVEL_IMPULSE = 1
PERP_LEVEL_POSITION = 2
PERP_GROUND = -1
PERP_COPY_PARAMETERS = 1
PERP_FOUND_NOTHING = 0
PERP_FOUND_SYSTEM = 1
PERP_FOUND_RELATION = 2
PERP_STIFFNESS_MONO = 0
PERP_STIFFNESS_BI = 1
PERP_LINEAR_AUTO = 0
PERP_LINEAR_DENSE = 1
PERP_LINEAR_BANDED = 2
PERP_LINEAR_SPARSE = 3
PERP_IMPACT_LAW = 0
PERP_IMPACT_POISSON = 1
PERP_IMPACT_LZB = 2
PERP_ZENO_JUMP = 0
PERP_ZENO_STEP = 1
PERP_ZENO_STOP = 2
PERP_CONTACT_OPEN = 0
PERP_CONTACT_TOUCH = 1
PERP_CONTACT_CLOSED = 2
PERP_CONTACT_STICK = 3
PERP_CONTACT_SLIP = 4
PERP_CONTACT_LOWER = 5
PERP_CONTACT_BETWEEN = 6
PERP_CONTACT_UPPER = 7
PERP_EVENT_IMPACT = 1
PERP_EVENT_CLOSE = 2
PERP_EVENT_OPEN = 4
PERP_EVENT_STICK = 8
PERP_EVENT_SLIP = 16
PERP_EVENT_REVERSE = 32
PERP_EVENT_SWITCH = 64
PERP_EVENT_SCHEDULE = 128
PERP_EVENT_GUARD = 256
PERP_EVENT_ACCUMULATION = 512
PERP_EVENT_HANDOVER = 1024
PERP_EVENT_RETURN = 2048
PERP_EVENT_START = 4096
PERP_NSGS_FORWARD = 0
PERP_NSGS_SYMMETRIC = 1
PERP_NSGS_SHUFFLED = 2
PERP_NSGS_PLAIN = 0
PERP_NSGS_ANDERSON = 1
PERP_NSGS_MOMENTUM = 2
PERP_OUTPUT_READS_LAMBDA = 1
PERP_REACTION_READS_X = 2
PERP_FRICTION_INTERIOR_NEWTON = 0
PERP_FRICTION_INTERIOR_LAGGED = 1
PERP_JOINT_SPHERICAL = 0
PERP_JOINT_PIVOT = 1
PERP_JOINT_PRISMATIC = 2
PERP_JOINT_CYLINDRICAL = 3
PERP_JOINT_FIXED = 4
PERP_JOINT_SCREW = 5
PERP_COORDINATE_ANGLE = 0
PERP_COORDINATE_TRANSLATION = 1
PERP_COORDINATE_RATE = 0
PERP_COORDINATE_EFFORT = 1
PERP_COORDINATE_STOPS = 2
PERP_COORDINATE_LOWER = 3
PERP_COORDINATE_UPPER = 4
PERP_GAP_READS_TIME = 1
PERP_GAP_READS_LAMBDA = 2
PERP_LOG_BEGIN = 1
PERP_LOG_SAMPLES = 2
PERP_LOG_EVENTS = 3
PERP_LOG_CHECKPOINT = 4
PERP_LOG_NOTE = 5
PERP_LOG_END = 6
PERP_LOG_CONTACT_LIST = 7
PERP_LOG_OWN = 0
PERP_LOG_Q = 1
PERP_LOG_V = 2
PERP_LOG_X = 3
PERP_LOG_Y = 4
PERP_LOG_YDOT = 5
PERP_LOG_LAMBDA = 6
PERP_LOG_FORCE = 7
PERP_LOG_KINETIC = 8
PERP_LOG_POTENTIAL = 9
PERP_LOG_CONTACTS = 10
PERP_LOG_OVERLAP = 11
PERP_LOG_CONTACT_FORCE = 12
PERP_LOG_AT_END = 0
PERP_LOG_AT_CHECKPOINT = 1
PERP_MCP_PATH = 0
PERP_MCP_LEMKE = 1
PERP_MCP_JOSEPHY_NEWTON = 2
PERP_FRICTION_NATURAL = 0
PERP_FRICTION_ALART_CURNIER = 1
PERP_FRICTION_JEAN_MOREAU = 2
PERP_SEARCH_WATCHDOG = 0
PERP_SEARCH_NONMONOTONE = 1
PERP_SEARCH_GOLDSTEIN_PRICE = 2
PERP_SEARCH_NONE = 3
PERP_SENSITIVITY_FIXED = 0
PERP_SENSITIVITY_FREE = 1
PERP_SENSITIVITY_LOWER = 2
PERP_SENSITIVITY_UPPER = 3
PERP_BACKEND_MIN = 32
PERP_VERSION_MAJOR = 0
PERP_VERSION_MINOR = 2
PERP_VERSION_PATCH = 1
PERP_VERSION = 201
PERP_SETS = 8
PERP_LOG_VERSION = 1
PERP_ENUMERATION_MAX = 25
PERP_SOLVER_OPTIONS_MOST = 256
PERP_NSGS_MOST_DEPTH = 5


class perp_info(Structure):
    """What a call has to say beyond its status. Set struct_size by #PERP_INFO_INIT; every
    function fills the other fields, on success too, but ray and ray_size, which are the
    caller's. A function that takes a perp_info accepts NULL."""

    header = "perp/base.h"


class perp_iterate(Structure):
    """One iteration of a solver as an observer sees it."""

    header = "perp/base.h"


class perp_field(Structure):
    """A field of a description. One table of them for each kind, told by the operation
    `fields`, is all that copies of a description, their comparison and the fingerprint of a
    checkpoint go by. What no table names is copied with the bytes of the struct: callbacks."""

    header = "perp/base.h"


class perp_matrix(Structure):
    """A const view of a matrix; owns nothing."""

    header = "perp/matrix.h"


class perp_law_step(Structure):
    """What a law may know of a step: of its begin in restitute_step and preload, of its end
    in commit_step. Vectors have law->size entries and belong to one copy."""

    header = "perp/law.h"


class perp_law_ops(Structure):
    """Operations of a kind of law. The table is public: a user's law is one more table with
    a struct that begins with a ::perp_law. Pointers marked optional may be NULL. All
    operations are pure."""

    header = "perp/law.h"


class perp_law(Structure):
    """perp_law"""

    header = "perp/law.h"


class perp_equality(Structure):
    """y = 0, λ free, component by component. No data."""

    header = "perp/law.h"


class perp_complementarity(Structure):
    """0 ≤ y ⟂ λ ≥ 0, component by component. On Lagrangian systems: unilateral contact that
    keeps no velocity (Newton impact with e = 0). No data."""

    header = "perp/law.h"


class perp_newton_impact(Structure):
    """Unilateral contact with Newton's impact law: while closed, 0 ≤ ẏ⁺ + e ẏ⁻ ⟂ λ ≥ 0, λ
    an impulse in N s (for y in m)."""

    header = "perp/law.h"


class perp_box(Structure):
    """−y ∈ N_[l,u](λ), component by component: relay (l = −1, u = 1), saturation, dry
    friction with a known threshold. The caller owns lower and upper."""

    header = "perp/law.h"


class perp_polyhedron(Structure):
    """−y ∈ N_P(λ), P = {λ : Hλ >= K}: y = Hᵀμ with 0 <= Hλ − K ⟂ μ >= 0. An equation is a
    row given twice with opposite signs. Whether P is bounded is found out from H. The
    caller owns what H views, and K."""

    header = "perp/law.h"


class perp_friction(Structure):
    """Unilateral contact with Coulomb friction, in the plane or in space. Components:
    normal first, then one (law.size 2) or two (law.size 3) tangential ones. With K = {‖λ_t‖
    <= μ λ_n} and De Saxcé's change of variable −(y + μ‖y_t‖ n) ∈ N_K(λ): take-off (λ = 0,
    y_n >= 0), stick (y = 0, λ ∈ K), or slip (y_n = 0, λ_t = −μ λ_n y_t/‖y_t‖). μ = 0 is
    contact without friction. With impact the law holds between (ẏ_n⁺ + e_n ẏ_n⁻, ẏ_t⁺ + e_t
    ẏ_t⁻) and the impulse."""

    header = "perp/law.h"


class perp_rolling(Structure):
    """Friction with resistance to rolling. Components: normal, tangential (one or two),
    then the moment of rolling (one or two): law.size 3 in the plane, 5 in space. K = {‖λ_t‖
    <= μ λ_n, ‖λ_m‖ <= μ_r λ_n} and −(y + (μ‖y_t‖ + μ_r‖y_m‖) n) ∈ N_K(λ)."""

    header = "perp/law.h"


class perp_mixed(Structure):
    """Components that are equalities and others that are complementarities, in one copy: y
    = 0 and λ free in the first ones, 0 ≤ y ⟂ λ ≥ 0 in the rest."""

    header = "perp/law.h"


class perp_compliant(Structure):
    """Unilateral contact of a spring and a damper side by side (Kelvin-Voigt), that can
    only push: while closed, with gap and velocity at the θ-point of the step, λ = h max(0,
    −k y_{k+θ} − c ẏ_{k+θ}), ẏ_{k+θ} = θ ẏ⁺ + (1−θ) ẏ_k, y_{k+θ} = y_k + hθ ẏ_{k+θ}. As
    complementarity, 0 ≤ ẏ⁺ + D λ + q ⟂ λ ≥ 0 with g = hθk + c, D = 1/(hθg) and q = k
    y_k/(θg) + (1−θ)/θ ẏ_k. With θ = 1, k → ∞ is the rigid contact. Penetrates by what the
    load needs: perp_simulation_options.min_gap has to allow what there is at the begin."""

    header = "perp/law.h"


class perp_fremond(Structure):
    """Contact with friction and Frémond's impact law: the percussion opposes the mean of
    the velocities before and after. Components as of ::perp_friction. Coulomb's law holds
    between (ẏ_n⁺ + e_n ẏ_n⁻, ẏ_t⁺ + ẏ_t⁻) and the impulse, so that its work λ·(ẏ⁺ + ẏ⁻)/2
    is never positive: no impact gains energy, which with Newton's law and e_n > 0 it may."""

    header = "perp/law.h"


class perp_cohesive(Structure):
    """Contact with friction between surfaces that stick together by a cohesive zone, whose
    strength falls linearly with opening and never heals. Components as of ::perp_friction.
    With damage state β (1: intact, 0: broken), N = σ_c A and δ_c = 2 G_c / σ_c: λ + h N β n
    obeys Coulomb's law on ẏ⁺ + max(y_k, 0)/h n while β > 0; β = min over time of max(0, 1 −
    δ/δ_c), δ = ‖(max(y_n, 0), w s)‖, s the slip since the begin. So it bears the tension N
    β and the shear μ(λ_n/h + N β), and opening it costs G_c A. Broken, it is
    ::perp_friction. One copy stands for an area A."""

    header = "perp/law.h"


class perp_cohesive_state(Structure):
    """State of a copy of ::perp_cohesive, see perp_simulation_law_state()."""

    header = "perp/law.h"


class perp_user_impact(Structure):
    """Unilateral contact, with friction (law.size 2 or 3) or without (law.size 1), and an
    impact law of the user's."""

    header = "perp/law.h"


class perp_law_verdict(Structure):
    """What perp_law_verify() finds: by how much (y, λ) does not satisfy a law, each 0 where
    it does."""

    header = "perp/law.h"


class perp_problem(Structure):
    """One-step problem, a const view of the caller's arrays. Law block β covers the
    unknowns offset[β] ... offset[β+1]-1, as many copies of laws[β] as fit; its length is a
    multiple of laws[β]->size. Blocks of laws are independent of the blocks in which M is
    stored."""

    header = "perp/problem.h"


class perp_residual(Structure):
    """Result of perp_problem_residual(). NaN in the problem or in λ shows as NaN here."""

    header = "perp/problem.h"


class perp_solver_options(Structure):
    """The fields with which the options of every solver begin."""

    header = "perp/solver.h"


class perp_shape(Structure):
    """What a size query knows of a problem: upper bounds are enough."""

    header = "perp/solver.h"


class perp_warm(Structure):
    """What a solver carries from one problem to the next like it: the modes, and what of a
    factor can be used again. The bytes are the caller's, hold no pointers, and may be
    copied or stored. All bytes 0 means: nothing known."""

    header = "perp/solver.h"


class perp_solver(Structure):
    """perp_solver"""

    header = "perp/solver.h"


class perp_sparse(Structure):
    """Operations of a sparse back end on square matrices in compressed rows: row i has the
    entries start[i] ... start[i+1]-1, in columns index[...], each at most once."""

    header = "perp/sparse.h"


class perp_global_problem(Structure):
    """A problem in global form, a const view of the caller's arrays. Laws as in
    ::perp_problem."""

    header = "perp/global.h"


class perp_global_parts(Structure):
    """How far (v, r) is from a solution. NaN in the problem or in the point shows as NaN
    here."""

    header = "perp/global.h"


class perp_global_options(Structure):
    """Options of perp_global_solve()."""

    header = "perp/global.h"


class perp_lcp(Structure):
    """w = M z + q, 0 <= z ⟂ w >= 0 in dense arrays; a const view."""

    header = "perp/lcp.h"


class perp_mlcp(Structure):
    """−(M z + q) ∈ N_[l,u](z) in dense arrays, the mixed problem in box form: w = M z + q,
    and z_i = l_i where w_i > 0, z_i = u_i where w_i < 0, between them w_i = 0; a const
    view. Equations: l = −∞, u = ∞. Relays: both finite."""

    header = "perp/lcp.h"


class perp_admm_options(Structure):
    """Options of ADMM."""

    header = "perp/admm.h"


class perp_auto_options(Structure):
    """Options of auto."""

    header = "perp/auto.h"


class perp_backend(Structure):
    """Operations of a back end; all arrays column-major in the caller's memory."""

    header = "perp/backend.h"


class perp_control(Structure):
    """Control added to the right-hand side of a system: T(q) u(t, q, v) at order 2, T(x)
    u(t, x) at order 1, where q is NULL and v is x. Zeroed: none. A derivative that is NULL
    is taken by differences. An input that depends on time only, with constant T, is cheaper
    as F(t) or B(t)."""

    header = "perp/control.h"


class perp_system(Structure):
    """Head of every system. Set by the _init function of the kind."""

    header = "perp/model.h"


class perp_lagrangian_linear(Structure):
    """Lagrangian linear system: M v̇ + C v + K q = f + F(t) + T(q) u(t, q, v) + r, q̇ = v.
    M, C, K are n x n: diagonal, dense or compressed rows (PERP_BLOCKS of 1 x 1), each as it
    likes; a zeroed C or K is absent. Without control it is time-invariant and compiled;
    with it, evaluated in every step, with dense matrices. Compiled with compressed rows and
    nothing dense it is *sparse*, and the simulation needs a sparse back end in its options."""

    header = "perp/model.h"


class perp_first_order_linear(Structure):
    """First-order linear system: M ẋ = (A + A(t)) x + b + B(t) + T(x) u(t, x) + r. M, A are
    n x n, stored as in ::perp_lagrangian_linear; a zeroed M is the identity, a zeroed A is
    absent. Without A(t) and control it is compiled; with one of them, evaluated in every
    step."""

    header = "perp/model.h"


class perp_relation(Structure):
    """Head of every relation. Set by the _init function of the kind."""

    header = "perp/model.h"


class perp_linear_relation(Structure):
    """First-order linear time-invariant relation: y = C x + D λ + F z + e, r = B λ + a, x
    the states of the systems joined, one after another; λ at force level. Column-major
    arrays."""

    header = "perp/model.h"


class perp_lagrangian_linear_relation(Structure):
    """Lagrangian linear relation: y = H q + F z + b, ẏ = H v + D λ, r = Hᵀ λ, q the
    positions of the systems joined, one after another; λ an impulse under Moreau-Jean."""

    header = "perp/model.h"


class perp_interaction(Structure):
    """A relation, a law and the systems they join. The m rows of the relation are m /
    law->size copies of the law; each copy is switched by itself and is one block of the
    one-step problem. A unilateral copy of several rows is switched as a whole by the gap of
    its first row, as contact with friction needs; independent contacts are copies of a law
    of size 1."""

    header = "perp/model.h"


class perp_model(Structure):
    """A model: arrays of pointers to systems and interactions, and the initial values. The
    caller keeps all of it, and everything it points to, while a simulation uses it."""

    header = "perp/model.h"


class perp_harmonic(Structure):
    """One part a cos(ω t + φ) of a velocity."""

    header = "perp/boundary.h"


class perp_prescribed_velocity(Structure):
    """Prescribed velocity of chosen degrees of freedom, for interactions with an equality
    law:"""

    header = "perp/boundary.h"


class perp_piecewise_linear(Structure):
    """A graph λ(y) by its breakpoints. The caller owns the arrays."""

    header = "perp/piecewise_linear.h"


class perp_pieces(Structure):
    """The law of the pieces of one row: a box, whose w is y shifted."""

    header = "perp/piecewise_linear.h"


class perp_piecewise_relation(Structure):
    """The relation of the pieces: each row of inner (first-order or Lagrangian, constant or
    varying) as many times as the graph has pieces. Give it to an interaction together with
    &pieces.box.law; rows and copies are then those of the pieces. At order 2 the graph is
    one between ẏ and impulses."""

    header = "perp/piecewise_linear.h"


class perp_body(Structure):
    """A rigid body: m ẍ = f + F(t, q, v) + r_x, I Ω̇ + Ω × IΩ = T(t, q, v) + r_Ω, with T in
    the frame of the body (or Rᵀ T, T in the fixed frame), Q̇ = Q * (0, Ω)/2. Control adds
    B(q) u(t, q, v) to the right-hand sides: 3 rows of forces in the fixed frame, then 3 of
    torques in the frame of the body; control.T and control.effect hold B, 6 x n_u, and
    control.u_dq is by the increment d. Derivatives that are NULL are taken by one-sided
    differences, 12 calls of the callback; a force of time alone is cheaper with a Jacobian
    that writes nothing."""

    header = "perp/newton_euler.h"


class perp_contact_place(Structure):
    """Where and how two bodies, or a body and the ground, touch or would touch; fixed
    frame."""

    header = "perp/newton_euler.h"


class perp_body_contact(Structure):
    """Contact of a body with the ground (n = 6) or of two bodies (n = 12), in the local
    frame of its normal. Rows, all of velocity of the first relative to the second: m = 1:
    normal; m = 2: and along the first tangent; m = 3: and along the second; m = 5: and the
    angular velocities about both tangents, as perp_rolling wants them. y is the gap in the
    first row and 0 in the others."""

    header = "perp/newton_euler.h"


class perp_sphere_plane(Structure):
    """Geometry of a sphere about the centre of mass and the half space normal·x <= offset."""

    header = "perp/newton_euler.h"


class perp_sphere_sphere(Structure):
    """Geometry of two spheres about the centres of mass."""

    header = "perp/newton_euler.h"


class perp_point_plane(Structure):
    """Geometry of a point of a body, as a corner of a box, and the half space normal·x <=
    offset."""

    header = "perp/newton_euler.h"


class perp_step_solver(Structure):
    """How problems in global form are solved; the core knows the table only, whoever
    implements it may allocate."""

    header = "perp/simulation.h"


class perp_simulation_options(Structure):
    """Options of a simulation. The arrays thetas and integrators are read at init and may
    go afterwards; grid, solver_options and the descriptors must live as long as the
    simulation."""

    header = "perp/simulation.h"


class perp_report(Structure):
    """What happened since init or resume."""

    header = "perp/simulation.h"


class perp_pool_contact(Structure):
    """A contact between two systems, or of one with the ground. Systems are bodies or
    Lagrangian ones of three translations; in the plane, of (x, y, angle) or (x, y)."""

    header = "perp/pool.h"


class perp_contact_pool(Structure):
    """Room for contacts that a callback finds. Rows of a contact, of velocity of the first
    system relative to the second: law size 1: normal; 2: and along the first tangent; 3:
    and along the second; 5: and the angular velocities about both (bodies). In the plane 3:
    normal, tangential, angular velocity. Normal and points are kept as found throughout the
    step: y = gap + H (q ⊖ q_k), ẏ = H v, H of q_k."""

    header = "perp/pool.h"


class perp_owner(Structure):
    """Who owns the user pointer of the callbacks of a description, as it stands in the
    struct. Two descriptions with callbacks are equal if their functions, their numbers and
    their keys are."""

    header = "perp/builder.h"


class perp_derivative_report(Structure):
    """What perp_model_check_derivatives() found: counts, and the worst wrong entry."""

    header = "perp/check.h"


class perp_contact_view(Structure):
    """A unilateral copy of a law, between Lagrangian systems or bodies, that acted in the
    last step."""

    header = "perp/contact_list.h"


class perp_multiple_impact_options(Structure):
    """Options of perp_multiple_impact()."""

    header = "perp/multiple_impact.h"


class perp_event_state(Structure):
    """The state that guards read and resets may change: positions, velocities and states of
    all systems, one after another in the order of the model."""

    header = "perp/event_driven.h"


class perp_guard(Structure):
    """A guard of the user's and what happens there."""

    header = "perp/event_driven.h"


class perp_schedule(Structure):
    """Times known beforehand: samples of a controller, discontinuities of an excitation.
    The integrator ends a step at each; nothing is integrated across."""

    header = "perp/event_driven.h"


class perp_event_options(Structure):
    """Options of an event-driven simulation. All that is pointed to must live as long as
    it."""

    header = "perp/event_driven.h"


class perp_event_change(Structure):
    """A change at an event."""

    header = "perp/event_driven.h"


class perp_event(Structure):
    """An event: everything that happens at one time. Views end with the call that hands it
    over."""

    header = "perp/event_driven.h"


class perp_event_observer(Structure):
    """Who watches a run. Each returns 0: go on, > 0: stop after this, < 0: give up. They
    may read the simulation, but not run it or start it anew (::PERP_EINVAL)."""

    header = "perp/event_driven.h"


class perp_event_report(Structure):
    """What a run has cost so far."""

    header = "perp/event_driven.h"


class perp_pgs_options(Structure):
    """Options of projected Gauss–Seidel."""

    header = "perp/sweeps.h"


class perp_nsgs_options(Structure):
    """Options of nonsmooth Gauss–Seidel."""

    header = "perp/sweeps.h"


class perp_cpg_options(Structure):
    """Options of the conjugate projected gradient."""

    header = "perp/sweeps.h"


class perp_fc(Structure):
    """u = W r + q, and Coulomb's law between u and r at each contact; a const view.
    Components contact by contact, normal first. u: relative velocities, r: forces or
    impulses that fit W."""

    header = "perp/fc.h"


class perp_first_order(Structure):
    """First-order nonlinear system: M ẋ = f(t, x, z) + T(x) u(t, x) + r."""

    header = "perp/first_order.h"


class perp_first_order_relation(Structure):
    """First-order nonlinear relation: y = h(t, x, λ, z), r = g(t, x, λ, z)."""

    header = "perp/first_order_relation.h"


class perp_linear_varying_relation(Structure):
    """First-order linear relation with coefficients that vary in time: y = C(t) x + D(t) λ
    + F(t) z + e(t), r = B(t) λ + a(t). Each coefficient is the function of time of its name
    if there is one, otherwise the constant of its name in linear, otherwise 0. Shapes as
    there; functions find their output set to 0."""

    header = "perp/first_order_relation.h"


class perp_interior_point_options(Structure):
    """Options of the interior-point method."""

    header = "perp/interior_point.h"


class perp_friction_interior_options(Structure):
    """Options of the interior-point method for friction."""

    header = "perp/interior_point.h"


class perp_joint(Structure):
    """A joint. Set by perp_joint_init() and perp_joint_place(), or the fields by hand."""

    header = "perp/joint.h"


class perp_joint_coordinate(Structure):
    """A relation on a coordinate of a joint; joins the same bodies in the same order."""

    header = "perp/joint.h"


class perp_gear(Structure):
    """A pair of gears, on bodies A and B, carried by the ground (n = 12) or by a third body
    C (n = 18): z_A ω_A + z_B ω_B = 0, ω the angular velocities about each one's axis
    relative to the carrier. One row, equality law; y is the mismatch of the teeth, an angle
    of A within half a tooth."""

    header = "perp/joint.h"


class perp_lagrangian(Structure):
    """Lagrangian nonlinear system, q̇ = v:"""

    header = "perp/lagrangian.h"


class perp_lagrangian_relation(Structure):
    """Relation of positions: y = h(t, q, λ, z), ẏ = H v + ∂h/∂t + (∂h/∂λ) λ̇, r = Hᵀ λ, H =
    ∂h/∂q."""

    header = "perp/lagrangian_relation.h"


class perp_lagrangian_velocity_relation(Structure):
    """Relation of velocities, without a position (nonholonomic: skates, wheels, clutches):
    ẏ = g(t, q, v, z), r = Hᵀ λ, H = ∂g/∂v, y = 0."""

    header = "perp/lagrangian_relation.h"


class perp_lagrangian_contact_relation(Structure):
    """Contacts with tangential directions, for friction on mechanisms. Each copy of the law
    has size rows, the first of them normal. With c = m/size gaps, H the rows of ∂h/∂q and T
    in turn: y = [h_1, 0 ..., h_2, 0 ...], ẏ_n = (∂h/∂q) v + ∂h/∂t, ẏ_t = T(t, q) v + s(t,
    q), r = Hᵀ λ. lambda is not handed to these functions: NULL."""

    header = "perp/lagrangian_relation.h"


class perp_log_quantity(Structure):
    """A quantity of one kind: members x components numbers in every sample. Kind and name
    are not empty and without '.', ',', '*', '[', ']', '/' and control characters, members
    without ',', '*' and control characters; no two quantities have the same kind and name,
    no two members of one the same name. Quantities of a kind may have different members.
    Texts are UTF-8; where they are NULL they are empty."""

    header = "perp/log.h"


class perp_log_schema(Structure):
    """What a log is of. Texts that are NULL are empty."""

    header = "perp/log.h"


class perp_log_options(Structure):
    """How a log is written."""

    header = "perp/log.h"


class perp_log_event(Structure):
    """Something that happened at a time, to one interaction, guard or schedule. Several at
    one time are several of these."""

    header = "perp/log.h"


class perp_log_contact(Structure):
    """A contact of a pool that acted; as ::perp_contact_view."""

    header = "perp/log.h"


class perp_log_summary(Structure):
    """What a log holds."""

    header = "perp/log.h"


class perp_log_record(Structure):
    """A record, with views that end with the next call that reads from the same reader."""

    header = "perp/log.h"


class perp_mcp(Structure):
    """A mixed complementarity problem; a const view."""

    header = "perp/mcp.h"


class perp_mcp_options(Structure):
    """Options of perp_mcp_solve()."""

    header = "perp/mcp.h"


class perp_newton_options(Structure):
    """Options of both Newton methods."""

    header = "perp/newton.h"


class perp_friction_newton_options(Structure):
    """Options of the semismooth Newton method for friction."""

    header = "perp/newton.h"


class perp_lemke_options(Structure):
    """Options of Lemke's method."""

    header = "perp/pivoting.h"


class perp_block_pivoting_options(Structure):
    """Options of block pivoting."""

    header = "perp/pivoting.h"


class perp_box_pivoting_options(Structure):
    """Options of the pivotal method for boxes."""

    header = "perp/pivoting.h"


class perp_active_set_options(Structure):
    """Options of the active-set method."""

    header = "perp/pivoting.h"


class perp_enumeration_report(Structure):
    """What a search found."""

    header = "perp/pivoting.h"


class perp_qp(Structure):
    """A quadratic program in the caller's arrays; a const view. Equations: equal bounds."""

    header = "perp/qp.h"


class perp_qp_residual(Structure):
    """How far (x, ν, ζ) is from optimal, from the caller's data. NaN shows as NaN."""

    header = "perp/qp.h"


class perp_sensitivity_options(Structure):
    """Options of perp_sensitivity_prepare()."""

    header = "perp/sensitivity.h"


class perp_sensitivity(Structure):
    """A solution that is ready to be differentiated: filled by perp_sensitivity_prepare(),
    lives in the work block given there, and reads the problem's M if that is dense."""

    header = "perp/sensitivity.h"


class perp_vi(Structure):
    """−F(x) ∈ N_K(x): x ∈ K and F(x)ᵀ(z − x) ≥ 0 for all z ∈ K. Callbacks are pure."""

    header = "perp/vi.h"


class perp_vi_options(Structure):
    """Options of the projection methods."""

    header = "perp/vi.h"


class perp_avi_pivoting_options(Structure):
    """Options of the method for polyhedra."""

    header = "perp/vi.h"


class perp_avi(Structure):
    """An affine variational inequality in dense arrays; a const view."""

    header = "perp/vi.h"


perp_observer = CFUNCTYPE(c_int32, POINTER(perp_iterate), address)
perp_impact_fn = CFUNCTYPE(c_int32, c_int32, POINTER(perp_law_step), address, address)
perp_state_fn = CFUNCTYPE(c_int32, c_double, address, address, address, address, address)
perp_time_fn = CFUNCTYPE(c_int32, c_double, address, address)
perp_body_fn = CFUNCTYPE(c_int32, c_double, address, address, address, address)
perp_body_jacobian_fn = CFUNCTYPE(c_int32, c_double, address, address, address, address, address)
perp_locate_fn = CFUNCTYPE(c_int32, c_double, address, POINTER(perp_contact_place), address)
perp_parallel_body = CFUNCTYPE(None, c_int32, c_int32, c_int32, address)
perp_parallel_for = CFUNCTYPE(None, c_int32, perp_parallel_body, address, address)
perp_step_fn = CFUNCTYPE(c_int32, address, address)
perp_find_fn = CFUNCTYPE(c_int32, c_double, address, address, address)
perp_guard_fn = CFUNCTYPE(c_int32, POINTER(perp_event_state), address, address)
perp_reset_fn = CFUNCTYPE(c_int32, POINTER(perp_event_state), address)
perp_first_order_fn = CFUNCTYPE(c_int32, c_double, address, address, address, address)
perp_relation_fn = CFUNCTYPE(c_int32, c_double, address, address, address, address, address)
perp_gap_fn = CFUNCTYPE(c_int32, c_double, address, address, address, address, address)
perp_velocity_fn = CFUNCTYPE(c_int32, c_double, address, address, address, address, address)
perp_mcp_function = CFUNCTYPE(c_int32, address, address, address)
perp_mcp_jacobian = CFUNCTYPE(c_int32, address, address, address)
perp_enumeration_visit = CFUNCTYPE(c_int32, address, address, address)
perp_vi_function = CFUNCTYPE(c_int32, address, address, address)
perp_vi_project = CFUNCTYPE(c_int32, address, address, address)

perp_info._fields_ = [
    ("struct_size", c_uint32),
    ("iterations", c_int32),
    ("field", c_char_p),
    ("index", c_int32),
    ("worst", c_int32),
    ("value", c_double),
    ("residual", c_double),
    ("relative_residual", c_double),
    ("solver", c_char_p),
    ("ray", address),
    ("ray_size", c_int32),
    ("ray_kind", c_int32),
    ("worst_block", c_int32),
    ("dissipates", c_int32),
    ("warnings", c_uint32),
    ("of", c_uint32),
    ("violation", c_double * 8),
    ("amplification", c_double),
    ("bound", c_double),
    ("systems", c_int32 * 2),
]
perp_iterate._fields_ = [
    ("iteration", c_int32),
    ("entering", c_int32),
    ("leaving", c_int32),
    ("merit", c_double),
]
perp_field._fields_ = [
    ("offset", c_uint16),
    ("holds", c_uint16),
    ("rows", c_uint16),
    ("columns", c_uint16),
]
perp_matrix._fields_ = [
    ("kind", c_int32),
    ("rows", c_int32),
    ("cols", c_int32),
    ("ld", c_int32),
    ("block_rows", c_int32),
    ("reserved", c_int32),
    ("values", address),
    ("start", address),
    ("index", address),
    ("offset", address),
]
perp_law_step._fields_ = [
    ("t", c_double),
    ("h", c_double),
    ("y", address),
    ("ydot", address),
    ("lambda", address),
]
perp_law_ops._fields_ = [
    ("struct_size", c_uint32),
    ("set", c_int32),
    ("unilateral", c_int32),
    ("bounded", c_int32),
    ("name", c_char_p),
    ("check", CFUNCTYPE(c_int32, POINTER(perp_law), POINTER(perp_info))),
    ("bounds", CFUNCTYPE(None, POINTER(perp_law), address, address)),
    ("project", CFUNCTYPE(None, POINTER(perp_law), address, address, address)),
    ("jacobian", CFUNCTYPE(None, POINTER(perp_law), address, address, address)),
    ("shift", CFUNCTYPE(None, POINTER(perp_law), address, address, address)),
    ("local", CFUNCTYPE(c_int32, POINTER(perp_law), address, address, c_int32, address, address)),
    ("restitute", CFUNCTYPE(None, POINTER(perp_law), address, address, address)),
    ("state_bytes", CFUNCTYPE(c_size_t, POINTER(perp_law))),
    ("state_init", CFUNCTYPE(None, POINTER(perp_law), address)),
    ("commit", CFUNCTYPE(None, POINTER(perp_law), address, address, address)),
    ("project_doubles", CFUNCTYPE(c_size_t, POINTER(perp_law))),
    ("project_with", CFUNCTYPE(None, POINTER(perp_law), address, address, address, address)),
    ("restitute_step", CFUNCTYPE(c_int32, POINTER(perp_law), address, POINTER(perp_law_step), address)),
    ("preload", CFUNCTYPE(None, POINTER(perp_law), address, POINTER(perp_law_step), address)),
    ("compliance", CFUNCTYPE(None, POINTER(perp_law), c_double, address)),
    ("acts", CFUNCTYPE(c_int32, POINTER(perp_law), address)),
    ("commit_step", CFUNCTYPE(None, POINTER(perp_law), address, POINTER(perp_law_step))),
    ("is_bounded", CFUNCTYPE(c_int32, POINTER(perp_law), address)),
    ("local_within", CFUNCTYPE(c_int32, POINTER(perp_law), address, address, c_int32, address, address, address)),
    ("fields", CFUNCTYPE(POINTER(perp_field), POINTER(perp_law))),
]
perp_law._fields_ = [
    ("ops", POINTER(perp_law_ops)),
    ("struct_size", c_uint32),
    ("size", c_int32),
]
perp_equality._fields_ = [
    ("law", perp_law),
]
perp_complementarity._fields_ = [
    ("law", perp_law),
]
perp_newton_impact._fields_ = [
    ("law", perp_law),
    ("e", c_double),
]
perp_box._fields_ = [
    ("law", perp_law),
    ("lower", address),
    ("upper", address),
]
perp_polyhedron._fields_ = [
    ("law", perp_law),
    ("H", perp_matrix),
    ("K", address),
]
perp_friction._fields_ = [
    ("law", perp_law),
    ("mu", c_double),
    ("e_n", c_double),
    ("e_t", c_double),
]
perp_rolling._fields_ = [
    ("law", perp_law),
    ("mu", c_double),
    ("mu_rolling", c_double),
    ("e_n", c_double),
    ("e_t", c_double),
]
perp_mixed._fields_ = [
    ("law", perp_law),
    ("equalities", c_int32),
    ("reserved", c_int32),
]
perp_compliant._fields_ = [
    ("law", perp_law),
    ("k", c_double),
    ("c", c_double),
    ("theta", c_double),
]
perp_fremond._fields_ = [
    ("friction", perp_friction),
]
perp_cohesive._fields_ = [
    ("friction", perp_friction),
    ("sigma_c", c_double),
    ("G_c", c_double),
    ("area", c_double),
    ("slip_weight", c_double),
]
perp_cohesive_state._fields_ = [
    ("beta", c_double),
    ("slip", c_double * 2),
]
perp_user_impact._fields_ = [
    ("friction", perp_friction),
    ("restitute", perp_impact_fn),
    ("user", address),
]
perp_law_verdict._fields_ = [
    ("struct_size", c_uint32),
    ("worst", c_int32),
    ("state", c_char_p),
    ("lambda", c_double),
    ("y", c_double),
    ("work", c_double),
    ("angle", c_double),
    ("relative", c_double),
]
perp_problem._fields_ = [
    ("struct_size", c_uint32),
    ("n", c_int32),
    ("n_blocks", c_int32),
    ("reserved", c_int32),
    ("M", perp_matrix),
    ("q", address),
    ("laws", address),
    ("offset", address),
    ("states", address),
    ("weight", address),
    ("floor", address),
]
perp_residual._fields_ = [
    ("struct_size", c_uint32),
    ("worst", c_int32),
    ("worst_block", c_int32),
    ("reserved", c_int32),
    ("residual", c_double),
    ("relative", c_double),
    ("scale", c_double),
    ("hat", c_double),
    ("rounding", c_double),
    ("natural_error", c_double),
    ("componentwise", c_double),
    ("creep", c_double),
    ("violation", c_double * 8),
]
perp_solver_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
]
perp_shape._fields_ = [
    ("n", c_int32),
    ("n_blocks", c_int32),
    ("sets", c_uint32),
    ("matrix", c_int32),
    ("nonzeros", c_size_t),
    ("envelope", c_size_t),
    ("projection", c_size_t),
    ("constraints", c_size_t),
    ("contacts", c_int32),
    ("largest", c_int32),
]
perp_warm._fields_ = [
    ("data", address),
    ("bytes", c_size_t),
    ("stamp", c_uint32),
    ("reserved", c_uint32),
]
perp_solver._fields_ = [
    ("struct_size", c_uint32),
    ("sets", c_uint32),
    ("matrices", c_uint32),
    ("assumes", c_uint32),
    ("name", c_char_p),
    ("defaults", address),
    ("check", CFUNCTYPE(c_int32, address, POINTER(perp_info))),
    ("workspace", CFUNCTYPE(c_size_t, POINTER(perp_shape), address)),
    ("warm_bytes", CFUNCTYPE(c_size_t, POINTER(perp_shape))),
    ("solve", CFUNCTYPE(c_int32, POINTER(perp_problem), address, address, address, POINTER(perp_warm), address, c_size_t, POINTER(perp_info))),
    ("method", address),
    ("max_n", c_int32),
    ("reserved", c_int32),
]
perp_sparse._fields_ = [
    ("struct_size", c_uint32),
    ("symmetric", c_uint32),
    ("name", c_char_p),
    ("factor", CFUNCTYPE(c_int32, c_int32, address, address, address, address)),
    ("solve", CFUNCTYPE(c_int32, address, address)),
    ("release", CFUNCTYPE(None, address)),
    ("solve_product", CFUNCTYPE(c_int32, address, address, address, address, address, address, address, address)),
    ("analyse", CFUNCTYPE(c_int32, c_int32, address, address, address, address, address)),
    ("room", CFUNCTYPE(c_int32, address, c_size_t, address)),
]
perp_global_problem._fields_ = [
    ("struct_size", c_uint32),
    ("m", c_int32),
    ("n", c_int32),
    ("n_blocks", c_int32),
    ("M", perp_matrix),
    ("H", perp_matrix),
    ("q", address),
    ("b", address),
    ("laws", address),
    ("offset", address),
    ("states", address),
    ("weight", address),
    ("floor", address),
]
perp_global_parts._fields_ = [
    ("struct_size", c_uint32),
    ("worst_row", c_int32),
    ("equilibrium", c_double),
    ("equilibrium_relative", c_double),
    ("equilibrium_hat", c_double),
    ("relative", c_double),
    ("contact", perp_residual),
]
perp_global_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("solver", POINTER(perp_solver)),
    ("solver_options", address),
    ("sparse", POINTER(perp_sparse)),
]
perp_lcp._fields_ = [
    ("n", c_int32),
    ("ld", c_int32),
    ("M", address),
    ("q", address),
]
perp_mlcp._fields_ = [
    ("n", c_int32),
    ("ld", c_int32),
    ("M", address),
    ("q", address),
    ("lower", address),
    ("upper", address),
]
perp_admm_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("rho", c_double),
    ("relaxation", c_double),
    ("memory", c_int32),
    ("updates", c_int32),
    ("outer", c_int32),
    ("reserved", c_int32),
    ("sparse", POINTER(perp_sparse)),
]
perp_auto_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("allocate", c_int32),
    ("reserved", c_int32),
]
perp_backend._fields_ = [
    ("struct_size", c_uint32),
    ("reserved", c_uint32),
    ("name", c_char_p),
    ("lu_factor", CFUNCTYPE(c_int32, c_int32, address, c_int32, address)),
    ("lu_solve", CFUNCTYPE(c_int32, c_int32, c_int32, address, c_int32, address, address, c_int32)),
    ("multiply_add", CFUNCTYPE(None, c_int32, c_int32, address, c_int32, address, address)),
]
perp_control._fields_ = [
    ("n_u", c_int32),
    ("reserved", c_int32),
    ("T", address),
    ("effect", perp_state_fn),
    ("u", perp_state_fn),
    ("u_dq", perp_state_fn),
    ("u_dv", perp_state_fn),
    ("user", address),
]
perp_system._fields_ = [
    ("ops", address),
    ("struct_size", c_uint32),
    ("n", c_int32),
]
perp_lagrangian_linear._fields_ = [
    ("system", perp_system),
    ("M", perp_matrix),
    ("C", perp_matrix),
    ("K", perp_matrix),
    ("f", address),
    ("force", perp_time_fn),
    ("user", address),
    ("control", perp_control),
    ("z", address),
    ("typical_q", address),
    ("typical_v", address),
    ("n_z", c_int32),
    ("reserved", c_int32),
]
perp_first_order_linear._fields_ = [
    ("system", perp_system),
    ("M", perp_matrix),
    ("A", perp_matrix),
    ("b", address),
    ("input", perp_time_fn),
    ("user", address),
    ("state_matrix", perp_time_fn),
    ("control", perp_control),
    ("z", address),
    ("typical", address),
    ("n_z", c_int32),
    ("reserved", c_int32),
]
perp_relation._fields_ = [
    ("ops", address),
    ("struct_size", c_uint32),
    ("m", c_int32),
    ("n", c_int32),
    ("reserved", c_int32),
]
perp_linear_relation._fields_ = [
    ("relation", perp_relation),
    ("C", address),
    ("D", address),
    ("B", address),
    ("F", address),
    ("e", address),
    ("a", address),
    ("z", address),
    ("n_z", c_int32),
    ("reserved", c_int32),
]
perp_lagrangian_linear_relation._fields_ = [
    ("relation", perp_relation),
    ("H", address),
    ("D", address),
    ("F", address),
    ("b", address),
    ("z", address),
    ("n_z", c_int32),
    ("reserved", c_int32),
    ("H_rows", perp_matrix),
]
perp_interaction._fields_ = [
    ("relation", POINTER(perp_relation)),
    ("law", POINTER(perp_law)),
    ("systems", address),
    ("n_systems", c_int32),
    ("reserved", c_int32),
]
perp_model._fields_ = [
    ("struct_size", c_uint32),
    ("n_systems", c_int32),
    ("n_interactions", c_int32),
    ("reserved", c_int32),
    ("systems", address),
    ("interactions", address),
    ("q0", address),
    ("v0", address),
    ("x0", address),
    ("pool", POINTER(perp_contact_pool)),
]
perp_harmonic._fields_ = [
    ("amplitude", c_double),
    ("omega", c_double),
    ("phase", c_double),
]
perp_prescribed_velocity._fields_ = [
    ("relation", perp_relation),
    ("index", address),
    ("constant", address),
    ("harmonics", POINTER(perp_harmonic)),
    ("velocity", perp_time_fn),
    ("user", address),
    ("n_harmonics", c_int32),
    ("reserved", c_int32),
]
perp_piecewise_linear._fields_ = [
    ("struct_size", c_uint32),
    ("points", c_int32),
    ("y", address),
    ("lambda", address),
    ("slope_before", c_double),
    ("slope_after", c_double),
]
perp_pieces._fields_ = [
    ("box", perp_box),
    ("shift", address),
]
perp_piecewise_relation._fields_ = [
    ("relation", perp_relation),
    ("pieces", perp_pieces),
    ("inner", POINTER(perp_relation)),
    ("graph", POINTER(perp_piecewise_linear)),
    ("compliance", address),
    ("reference", address),
    ("H", address),
    ("B", address),
    ("D", address),
    ("F", address),
    ("b", address),
]
perp_body._fields_ = [
    ("system", perp_system),
    ("mass", c_double),
    ("inertia", c_double * 9),
    ("f", c_double * 3),
    ("force", perp_body_fn),
    ("torque", perp_body_fn),
    ("force_jacobian", perp_body_jacobian_fn),
    ("torque_jacobian", perp_body_jacobian_fn),
    ("user", address),
    ("torque_frame", c_int32),
    ("gyroscopic", c_int32),
    ("control", perp_control),
    ("z", address),
    ("n_z", c_int32),
    ("reserved", c_int32),
]
perp_contact_place._fields_ = [
    ("gap", c_double),
    ("normal", c_double * 3),
    ("tangent", c_double * 3),
    ("a", c_double * 3),
    ("b", c_double * 3),
    ("velocity", c_double * 3),
]
perp_body_contact._fields_ = [
    ("relation", perp_relation),
    ("locate", perp_locate_fn),
    ("user", address),
]
perp_sphere_plane._fields_ = [
    ("radius", c_double),
    ("normal", c_double * 3),
    ("offset", c_double),
]
perp_sphere_sphere._fields_ = [
    ("radius", c_double * 2),
]
perp_point_plane._fields_ = [
    ("point", c_double * 3),
    ("normal", c_double * 3),
    ("offset", c_double),
]
perp_step_solver._fields_ = [
    ("struct_size", c_uint32),
    ("reserved", c_uint32),
    ("name", c_char_p),
    ("suits", CFUNCTYPE(c_int32, address, POINTER(perp_global_problem), address)),
    ("solve", CFUNCTYPE(c_int32, address, POINTER(perp_global_problem), POINTER(perp_solver_options), POINTER(perp_sparse), address, address, address, POINTER(perp_info))),
    ("release", CFUNCTYPE(None, address)),
]
perp_simulation_options._fields_ = [
    ("struct_size", c_uint32),
    ("steps", c_int32),
    ("t0", c_double),
    ("h", c_double),
    ("grid", address),
    ("theta", c_double),
    ("thetas", address),
    ("gamma", c_double),
    ("min_gap", c_double),
    ("integrator", address),
    ("integrators", address),
    ("solver", POINTER(perp_solver)),
    ("solver_options", address),
    ("backend", POINTER(perp_backend)),
    ("on_failure", c_int32),
    ("max_halvings", c_int32),
    ("newton_stop", c_int32),
    ("newton_start", c_int32),
    ("newton_max", c_int32),
    ("newton_halvings", c_int32),
    ("newton_tol", c_double),
    ("reaction_gamma", c_double),
    ("projection", c_int32),
    ("projection_max", c_int32),
    ("projection_tol", c_double),
    ("projection_tol_unilateral", c_double),
    ("gap_tol", c_double),
    ("switchable", c_int32),
    ("sparse", POINTER(perp_sparse)),
    ("equality_tol", c_double),
    ("global", POINTER(perp_step_solver)),
    ("formulation", c_int32),
    ("reserved", c_int32),
    ("accept_tol", c_double),
    ("speed_tol", c_double),
    ("parallel", perp_parallel_for),
    ("parallel_user", address),
    ("sleep_energy", c_double),
    ("sleep_time", c_double),
]
perp_report._fields_ = [
    ("struct_size", c_uint32),
    ("max_active", c_int32),
    ("steps", c_int64),
    ("active", c_int64),
    ("impacts", c_int64),
    ("solver_iterations", c_int64),
    ("failures", c_int64),
    ("retries", c_int64),
    ("accepted", c_int64),
    ("relaxed", c_int64),
    ("penetration", c_double),
    ("residual", c_double),
    ("newton", c_int64),
    ("dropped", c_int64),
    ("left_out", c_int64),
    ("speed_residual", c_double),
    ("asleep", c_int64),
]
perp_pool_contact._fields_ = [
    ("systems", c_int32 * 2),
    ("law", c_int32),
    ("reserved", c_int32),
    ("identity", c_uint32 * 2),
    ("place", perp_contact_place),
]
perp_contact_pool._fields_ = [
    ("struct_size", c_uint32),
    ("capacity", c_int32),
    ("max_per_system", c_int32),
    ("plane", c_int32),
    ("n_laws", c_int32),
    ("reserved", c_int32),
    ("laws", address),
    ("find", perp_find_fn),
    ("user", address),
]
perp_owner._fields_ = [
    ("struct_size", c_uint32),
    ("flags", c_uint32),
    ("user", address),
    ("destroy", CFUNCTYPE(None, address)),
    ("key", address),
    ("key_bytes", c_size_t),
    ("kept", address),
    ("n_kept", c_size_t),
]
perp_derivative_report._fields_ = [
    ("struct_size", c_uint32),
    ("compared", c_int32),
    ("wrong", c_int32),
    ("found", c_int32),
    ("index", c_int32),
    ("row", c_int32),
    ("column", c_int32),
    ("overrun", c_int32),
    ("jacobian", c_char_p),
    ("given", c_double),
    ("expected", c_double),
    ("error", c_double),
]
perp_contact_view._fields_ = [
    ("interaction", c_int32),
    ("copy", c_int32),
    ("systems", c_int32 * 2),
    ("identity", c_uint32 * 2),
    ("law", c_int32),
    ("rows", c_int32),
    ("located", c_int32),
    ("reserved", c_int32),
    ("gap", c_double),
    ("ydot", address),
    ("lambda", address),
    ("point", c_double * 3),
    ("frame", c_double * 9),
    ("impulse", c_double * 3),
    ("force", c_double * 3),
    ("couple", c_double * 3),
]
perp_multiple_impact_options._fields_ = [
    ("struct_size", c_uint32),
    ("compliance", c_int32),
    ("exponent", c_double),
    ("step", c_double),
    ("tol", c_double),
    ("max_steps", c_int32),
    ("reserved", c_int32),
    ("stiffness", address),
]
perp_event_state._fields_ = [
    ("t", c_double),
    ("q", address),
    ("v", address),
    ("x", address),
    ("n_q", c_int32),
    ("n_v", c_int32),
    ("n_x", c_int32),
    ("reserved", c_int32),
]
perp_guard._fields_ = [
    ("value", perp_guard_fn),
    ("reset", perp_reset_fn),
    ("user", address),
    ("direction", c_int32),
    ("reserved", c_int32),
]
perp_schedule._fields_ = [
    ("times", address),
    ("n_times", c_int32),
    ("reserved", c_int32),
    ("first", c_double),
    ("period", c_double),
    ("reset", perp_reset_fn),
    ("user", address),
]
perp_event_options._fields_ = [
    ("struct_size", c_uint32),
    ("order", c_int32),
    ("t0", c_double),
    ("rtol", c_double),
    ("atol", c_double),
    ("atols", address),
    ("smooth", address),
    ("linear", c_int32),
    ("max_steps", c_int32),
    ("h_first", c_double),
    ("h_max", c_double),
    ("contact_tol", c_double),
    ("min_gap", c_double),
    ("velocity_tol", c_double),
    ("impact", c_int32),
    ("zeno", c_int32),
    ("zeno_tol", c_double),
    ("storm_events", c_int32),
    ("samples", c_int32),
    ("storm_time", c_double),
    ("lzb", POINTER(perp_multiple_impact_options)),
    ("stepping", POINTER(perp_simulation_options)),
    ("solver", POINTER(perp_solver)),
    ("solver_options", address),
    ("guards", POINTER(perp_guard)),
    ("schedules", POINTER(perp_schedule)),
    ("n_guards", c_int32),
    ("n_schedules", c_int32),
]
perp_event_change._fields_ = [
    ("kind", c_int32),
    ("index", c_int32),
    ("copy", c_int32),
    ("before", c_int32),
    ("after", c_int32),
]
perp_event._fields_ = [
    ("struct_size", c_uint32),
    ("kinds", c_uint32),
    ("t", c_double),
    ("error", c_double),
    ("until", c_double),
    ("q", address),
    ("v", address),
    ("x", address),
    ("impulse", address),
    ("changes", POINTER(perp_event_change)),
    ("n_changes", c_int32),
    ("n_q", c_int32),
    ("n_v", c_int32),
    ("n_x", c_int32),
    ("number", c_int64),
    ("n_rows", c_int32),
    ("reserved", c_int32),
]
perp_event_observer._fields_ = [
    ("struct_size", c_uint32),
    ("n_times", c_int32),
    ("times", address),
    ("first", c_double),
    ("every", c_double),
    ("output", CFUNCTYPE(c_int32, address, address)),
    ("event", CFUNCTYPE(c_int32, address, POINTER(perp_event), address)),
    ("step", CFUNCTYPE(c_int32, address, address)),
    ("user", address),
]
perp_event_report._fields_ = [
    ("struct_size", c_uint32),
    ("reserved", c_int32),
    ("events", c_int64),
    ("impacts", c_int64),
    ("switches", c_int64),
    ("jumps", c_int64),
    ("handovers", c_int64),
    ("restarts", c_int64),
    ("problems", c_int64),
    ("corrections", c_int64),
    ("unresolved", c_int64),
    ("steps", c_int64),
    ("rejected", c_int64),
    ("evaluations", c_int64),
    ("jacobians", c_int64),
    ("guards", c_int64),
    ("drift", c_double),
    ("missed", c_int64),
    ("indeterminate", c_int64),
]
perp_pgs_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("omega", c_double),
    ("regularisation", c_double),
    ("symmetric", c_int32),
    ("check", c_int32),
]
perp_nsgs_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("omega", c_double),
    ("regularisation", c_double),
    ("order", c_int32),
    ("acceleration", c_int32),
    ("depth", c_int32),
    ("freeze", c_int32),
    ("check", c_int32),
    ("colours", c_int32),
    ("parallel", perp_parallel_for),
    ("parallel_user", address),
]
perp_cpg_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("proportion", c_double),
]
perp_fc._fields_ = [
    ("contacts", c_int32),
    ("dim", c_int32),
    ("ld", c_int32),
    ("reserved", c_int32),
    ("W", address),
    ("q", address),
    ("mu", address),
]
perp_first_order._fields_ = [
    ("system", perp_system),
    ("M", perp_matrix),
    ("f", perp_first_order_fn),
    ("f_dx", perp_first_order_fn),
    ("user", address),
    ("control", perp_control),
    ("z", address),
    ("typical", address),
    ("n_z", c_int32),
    ("reserved", c_int32),
]
perp_first_order_relation._fields_ = [
    ("relation", perp_relation),
    ("h", perp_relation_fn),
    ("g", perp_relation_fn),
    ("C", perp_relation_fn),
    ("D", perp_relation_fn),
    ("B", perp_relation_fn),
    ("K", perp_relation_fn),
    ("user", address),
    ("z", address),
    ("n_z", c_int32),
    ("reads", c_uint32),
    ("typical_x", address),
    ("typical_lambda", address),
    ("h_dt", perp_relation_fn),
]
perp_linear_varying_relation._fields_ = [
    ("linear", perp_linear_relation),
    ("C", perp_time_fn),
    ("D", perp_time_fn),
    ("B", perp_time_fn),
    ("F", perp_time_fn),
    ("e", perp_time_fn),
    ("a", perp_time_fn),
    ("user", address),
]
perp_interior_point_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("correctors", c_int32),
    ("crossover", c_int32),
    ("sparse", POINTER(perp_sparse)),
]
perp_friction_interior_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("coupling", c_int32),
    ("crossover", c_int32),
    ("sparse", POINTER(perp_sparse)),
]
perp_joint._fields_ = [
    ("relation", perp_relation),
    ("kind", c_int32),
    ("reserved", c_int32),
    ("point_a", c_double * 3),
    ("point_b", c_double * 3),
    ("frame_a", c_double * 9),
    ("frame_b", c_double * 9),
    ("lead", c_double),
]
perp_joint_coordinate._fields_ = [
    ("relation", perp_relation),
    ("joint", POINTER(perp_joint)),
    ("coordinate", c_int32),
    ("use", c_int32),
    ("lower", c_double),
    ("upper", c_double),
    ("centre", c_double),
    ("rate", perp_time_fn),
    ("user", address),
]
perp_gear._fields_ = [
    ("relation", perp_relation),
    ("teeth_a", c_int32),
    ("teeth_b", c_int32),
    ("frame_a", c_double * 9),
    ("frame_b", c_double * 9),
    ("carrier_a", c_double * 9),
    ("carrier_b", c_double * 9),
]
perp_lagrangian._fields_ = [
    ("system", perp_system),
    ("M", perp_matrix),
    ("mass", perp_state_fn),
    ("gyroscopic", perp_state_fn),
    ("gyroscopic_dq", perp_state_fn),
    ("gyroscopic_dv", perp_state_fn),
    ("internal", perp_state_fn),
    ("internal_dq", perp_state_fn),
    ("internal_dv", perp_state_fn),
    ("external", perp_state_fn),
    ("potential", perp_state_fn),
    ("user", address),
    ("f", address),
    ("control", perp_control),
    ("z", address),
    ("typical_q", address),
    ("typical_v", address),
    ("n_z", c_int32),
    ("reserved", c_int32),
]
perp_lagrangian_relation._fields_ = [
    ("relation", perp_relation),
    ("h", perp_gap_fn),
    ("H", perp_gap_fn),
    ("h_dt", perp_gap_fn),
    ("D", perp_gap_fn),
    ("user", address),
    ("z", address),
    ("n_z", c_int32),
    ("reads", c_uint32),
    ("typical_q", address),
    ("typical_lambda", address),
    ("bodies", c_int32),
    ("reserved", c_int32),
    ("bias", perp_velocity_fn),
]
perp_lagrangian_velocity_relation._fields_ = [
    ("relation", perp_relation),
    ("g", perp_velocity_fn),
    ("H", perp_velocity_fn),
    ("user", address),
    ("z", address),
    ("n_z", c_int32),
    ("bodies", c_int32),
    ("typical_v", address),
    ("bias", perp_velocity_fn),
]
perp_lagrangian_contact_relation._fields_ = [
    ("relation", perp_relation),
    ("h", perp_gap_fn),
    ("G", perp_gap_fn),
    ("T", perp_gap_fn),
    ("h_dt", perp_gap_fn),
    ("s", perp_gap_fn),
    ("user", address),
    ("z", address),
    ("n_z", c_int32),
    ("size", c_int32),
    ("typical_q", address),
    ("bodies", c_int32),
    ("reserved", c_int32),
    ("bias", perp_velocity_fn),
]
perp_log_quantity._fields_ = [
    ("kind", c_char_p),
    ("name", c_char_p),
    ("unit", c_char_p),
    ("description", c_char_p),
    ("member_names", address),
    ("component_names", address),
    ("component_units", address),
    ("objects", address),
    ("members", c_int32),
    ("components", c_int32),
    ("source", c_int32),
    ("reserved", c_int32),
]
perp_log_schema._fields_ = [
    ("struct_size", c_uint32),
    ("n_quantities", c_int32),
    ("quantities", POINTER(perp_log_quantity)),
    ("program", c_char_p),
    ("model_name", c_char_p),
    ("model", c_char_p),
    ("options", c_char_p),
]
perp_log_options._fields_ = [
    ("struct_size", c_uint32),
    ("every", c_int32),
    ("float32", c_int32),
    ("block_bytes", c_int32),
    ("sync_seconds", c_double),
    ("select", c_char_p),
    ("contact_lists", c_int32),
    ("reserved", c_int32),
]
perp_log_event._fields_ = [
    ("t", c_double),
    ("kind", c_int32),
    ("index", c_int32),
    ("copy", c_int32),
    ("before", c_int32),
    ("after", c_int32),
    ("n_impulse", c_int32),
    ("error", c_double),
    ("until", c_double),
    ("impulse", address),
]
perp_log_contact._fields_ = [
    ("systems", c_int32 * 2),
    ("identity", c_uint32 * 2),
    ("law", c_int32),
    ("rows", c_int32),
    ("gap", c_double),
    ("point", c_double * 3),
    ("normal", c_double * 3),
    ("tangent", c_double * 3),
    ("lambda", c_double * 5),
]
perp_log_summary._fields_ = [
    ("struct_size", c_uint32),
    ("major", c_int32),
    ("minor", c_int32),
    ("perp_version", c_int32),
    ("every", c_int32),
    ("float32", c_int32),
    ("n_values", c_int32),
    ("ended", c_int32),
    ("samples", c_int64),
    ("events", c_int64),
    ("checkpoints", c_int64),
    ("notes", c_int64),
    ("bytes", c_int64),
    ("whole", c_int64),
    ("contact_lists", c_int64),
]
perp_log_record._fields_ = [
    ("struct_size", c_uint32),
    ("type", c_int32),
    ("count", c_int32),
    ("status", c_int32),
    ("t", c_double),
    ("first", c_int64),
    ("offered", c_int64),
    ("times", address),
    ("values", address),
    ("event", perp_log_event),
    ("name", c_char_p),
    ("text", c_char_p),
    ("report", c_char_p),
    ("bytes", address),
    ("n_bytes", c_size_t),
    ("contacts", POINTER(perp_log_contact)),
]
perp_mcp._fields_ = [
    ("n", c_int32),
    ("reserved", c_int32),
    ("function", perp_mcp_function),
    ("jacobian", perp_mcp_jacobian),
    ("layout", perp_matrix),
    ("lower", address),
    ("upper", address),
    ("user", address),
]
perp_mcp_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("mode", c_int32),
    ("max_pivots", c_int32),
    ("crash", c_int32),
    ("restarts", c_int32),
    ("memory", c_int32),
    ("watchdog", c_int32),
    ("decrease", c_double),
]
perp_newton_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("history", c_int32),
    ("restarts", c_int32),
]
perp_friction_newton_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("function", c_int32),
    ("search", c_int32),
    ("history", c_int32),
    ("sweeps", c_int32),
    ("proximal", c_double),
    ("sparse", POINTER(perp_sparse)),
]
perp_lemke_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("covering", address),
]
perp_block_pivoting_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("proximal", c_double),
    ("patience", c_int32),
    ("reserved", c_int32),
]
perp_box_pivoting_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("covering", address),
    ("proximal", c_double),
]
perp_active_set_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("proximal", c_double),
]
perp_enumeration_report._fields_ = [
    ("struct_size", c_uint32),
    ("solutions", c_int32),
    ("nodes", c_int32),
    ("complete", c_int32),
    ("faces", c_int32),
]
perp_qp._fields_ = [
    ("n", c_int32),
    ("m", c_int32),
    ("P", perp_matrix),
    ("A", perp_matrix),
    ("c", address),
    ("row_lower", address),
    ("row_upper", address),
    ("lower", address),
    ("upper", address),
]
perp_qp_residual._fields_ = [
    ("struct_size", c_uint32),
    ("worst", c_int32),
    ("primal", c_double),
    ("dual", c_double),
    ("gap", c_double),
    ("relative_primal", c_double),
    ("relative_dual", c_double),
    ("relative_gap", c_double),
    ("primal_hat", c_double),
    ("dual_hat", c_double),
    ("primal_rounding", c_double),
    ("dual_rounding", c_double),
    ("objective", c_double),
]
perp_sensitivity_options._fields_ = [
    ("struct_size", c_uint32),
    ("reserved", c_int32),
    ("tol", c_double),
]
perp_sensitivity._fields_ = [
    ("n", c_int32),
    ("n_free", c_int32),
    ("n_degenerate", c_int32),
    ("reserved", c_int32),
    ("state", address),
    ("data", address),
]
perp_vi._fields_ = [
    ("n", c_int32),
    ("reserved", c_int32),
    ("function", perp_vi_function),
    ("project", perp_vi_project),
    ("user", address),
]
perp_vi_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("step", c_double),
    ("ratio", c_double),
    ("shrink", c_double),
    ("grow", c_double),
]
perp_avi_pivoting_options._fields_ = [
    ("struct_size", c_uint32),
    ("max_iter", c_int32),
    ("tol", c_double),
    ("observe", perp_observer),
    ("user", address),
    ("budget", c_double),
    ("kind", c_char_p),
    ("engine", POINTER(perp_solver)),
]
perp_avi._fields_ = [
    ("n", c_int32),
    ("ldM", c_int32),
    ("M", address),
    ("q", address),
    ("m", c_int32),
    ("ldH", c_int32),
    ("H", address),
    ("K", address),
]

STRUCTS = {
    "perp_info": perp_info,
    "perp_iterate": perp_iterate,
    "perp_field": perp_field,
    "perp_matrix": perp_matrix,
    "perp_law_step": perp_law_step,
    "perp_law_ops": perp_law_ops,
    "perp_law": perp_law,
    "perp_equality": perp_equality,
    "perp_complementarity": perp_complementarity,
    "perp_newton_impact": perp_newton_impact,
    "perp_box": perp_box,
    "perp_polyhedron": perp_polyhedron,
    "perp_friction": perp_friction,
    "perp_rolling": perp_rolling,
    "perp_mixed": perp_mixed,
    "perp_compliant": perp_compliant,
    "perp_fremond": perp_fremond,
    "perp_cohesive": perp_cohesive,
    "perp_cohesive_state": perp_cohesive_state,
    "perp_user_impact": perp_user_impact,
    "perp_law_verdict": perp_law_verdict,
    "perp_problem": perp_problem,
    "perp_residual": perp_residual,
    "perp_solver_options": perp_solver_options,
    "perp_shape": perp_shape,
    "perp_warm": perp_warm,
    "perp_solver": perp_solver,
    "perp_sparse": perp_sparse,
    "perp_global_problem": perp_global_problem,
    "perp_global_parts": perp_global_parts,
    "perp_global_options": perp_global_options,
    "perp_lcp": perp_lcp,
    "perp_mlcp": perp_mlcp,
    "perp_admm_options": perp_admm_options,
    "perp_auto_options": perp_auto_options,
    "perp_backend": perp_backend,
    "perp_control": perp_control,
    "perp_system": perp_system,
    "perp_lagrangian_linear": perp_lagrangian_linear,
    "perp_first_order_linear": perp_first_order_linear,
    "perp_relation": perp_relation,
    "perp_linear_relation": perp_linear_relation,
    "perp_lagrangian_linear_relation": perp_lagrangian_linear_relation,
    "perp_interaction": perp_interaction,
    "perp_model": perp_model,
    "perp_harmonic": perp_harmonic,
    "perp_prescribed_velocity": perp_prescribed_velocity,
    "perp_piecewise_linear": perp_piecewise_linear,
    "perp_pieces": perp_pieces,
    "perp_piecewise_relation": perp_piecewise_relation,
    "perp_body": perp_body,
    "perp_contact_place": perp_contact_place,
    "perp_body_contact": perp_body_contact,
    "perp_sphere_plane": perp_sphere_plane,
    "perp_sphere_sphere": perp_sphere_sphere,
    "perp_point_plane": perp_point_plane,
    "perp_step_solver": perp_step_solver,
    "perp_simulation_options": perp_simulation_options,
    "perp_report": perp_report,
    "perp_pool_contact": perp_pool_contact,
    "perp_contact_pool": perp_contact_pool,
    "perp_owner": perp_owner,
    "perp_derivative_report": perp_derivative_report,
    "perp_contact_view": perp_contact_view,
    "perp_multiple_impact_options": perp_multiple_impact_options,
    "perp_event_state": perp_event_state,
    "perp_guard": perp_guard,
    "perp_schedule": perp_schedule,
    "perp_event_options": perp_event_options,
    "perp_event_change": perp_event_change,
    "perp_event": perp_event,
    "perp_event_observer": perp_event_observer,
    "perp_event_report": perp_event_report,
    "perp_pgs_options": perp_pgs_options,
    "perp_nsgs_options": perp_nsgs_options,
    "perp_cpg_options": perp_cpg_options,
    "perp_fc": perp_fc,
    "perp_first_order": perp_first_order,
    "perp_first_order_relation": perp_first_order_relation,
    "perp_linear_varying_relation": perp_linear_varying_relation,
    "perp_interior_point_options": perp_interior_point_options,
    "perp_friction_interior_options": perp_friction_interior_options,
    "perp_joint": perp_joint,
    "perp_joint_coordinate": perp_joint_coordinate,
    "perp_gear": perp_gear,
    "perp_lagrangian": perp_lagrangian,
    "perp_lagrangian_relation": perp_lagrangian_relation,
    "perp_lagrangian_velocity_relation": perp_lagrangian_velocity_relation,
    "perp_lagrangian_contact_relation": perp_lagrangian_contact_relation,
    "perp_log_quantity": perp_log_quantity,
    "perp_log_schema": perp_log_schema,
    "perp_log_options": perp_log_options,
    "perp_log_event": perp_log_event,
    "perp_log_contact": perp_log_contact,
    "perp_log_summary": perp_log_summary,
    "perp_log_record": perp_log_record,
    "perp_mcp": perp_mcp,
    "perp_mcp_options": perp_mcp_options,
    "perp_newton_options": perp_newton_options,
    "perp_friction_newton_options": perp_friction_newton_options,
    "perp_lemke_options": perp_lemke_options,
    "perp_block_pivoting_options": perp_block_pivoting_options,
    "perp_box_pivoting_options": perp_box_pivoting_options,
    "perp_active_set_options": perp_active_set_options,
    "perp_enumeration_report": perp_enumeration_report,
    "perp_qp": perp_qp,
    "perp_qp_residual": perp_qp_residual,
    "perp_sensitivity_options": perp_sensitivity_options,
    "perp_sensitivity": perp_sensitivity,
    "perp_vi": perp_vi,
    "perp_vi_options": perp_vi_options,
    "perp_avi_pivoting_options": perp_avi_pivoting_options,
    "perp_avi": perp_avi,
}

DEFAULTS = {  # what the macros PERP_..._INIT set beside struct_size
    "perp_info": {'index': -1, 'worst': -1, 'worst_block': -1, 'dissipates': -1},
    "perp_law_verdict": {},
    "perp_problem": {},
    "perp_residual": {'worst': -1, 'worst_block': -1},
    "perp_global_problem": {},
    "perp_global_parts": {'worst_row': -1},
    "perp_model": {},
    "perp_piecewise_linear": {},
    "perp_report": {},
    "perp_contact_pool": {},
    "perp_owner": {},
    "perp_derivative_report": {'index': -1, 'row': -1, 'column': -1},
    "perp_event_observer": {},
    "perp_event_report": {},
    "perp_log_schema": {},
    "perp_log_summary": {},
    "perp_log_record": {},
    "perp_enumeration_report": {},
    "perp_qp_residual": {'worst': -1},
}

FUNCTIONS = {
    "perp_status_string": (c_char_p, [c_int32]),
    "perp_version": (c_int32, []),
    "perp_version_string": (c_char_p, []),
    "perp_matrix_check": (c_int32, [POINTER(perp_matrix), POINTER(perp_info)]),
    "perp_matrix_multiply": (c_int32, [POINTER(perp_matrix), address, address]),
    "perp_matrix_entry": (c_double, [POINTER(perp_matrix), c_int32, c_int32]),
    "perp_equality_init": (c_int32, [POINTER(perp_equality), c_size_t]),
    "perp_complementarity_init": (c_int32, [POINTER(perp_complementarity), c_size_t]),
    "perp_newton_impact_init": (c_int32, [POINTER(perp_newton_impact), c_size_t]),
    "perp_box_init": (c_int32, [POINTER(perp_box), c_size_t]),
    "perp_polyhedron_init": (c_int32, [POINTER(perp_polyhedron), c_size_t]),
    "perp_friction_init": (c_int32, [POINTER(perp_friction), c_size_t]),
    "perp_friction_small_init": (c_int32, [POINTER(perp_friction), c_size_t]),
    "perp_rolling_init": (c_int32, [POINTER(perp_rolling), c_size_t]),
    "perp_mixed_init": (c_int32, [POINTER(perp_mixed), c_size_t]),
    "perp_compliant_init": (c_int32, [POINTER(perp_compliant), c_size_t]),
    "perp_fremond_init": (c_int32, [POINTER(perp_fremond), c_size_t]),
    "perp_cohesive_init": (c_int32, [POINTER(perp_cohesive), c_size_t]),
    "perp_user_impact_init": (c_int32, [POINTER(perp_user_impact), c_size_t, c_int32]),
    "perp_law_check": (c_int32, [POINTER(perp_law), POINTER(perp_info)]),
    "perp_law_verify_workspace": (c_size_t, [POINTER(perp_law)]),
    "perp_law_verify": (c_int32, [POINTER(perp_law), address, address, address, POINTER(perp_law_verdict), address, c_size_t]),
    "perp_problem_check": (c_int32, [POINTER(perp_problem), POINTER(perp_info)]),
    "perp_problem_residual_workspace": (c_size_t, [POINTER(perp_problem)]),
    "perp_problem_residual": (c_int32, [POINTER(perp_problem), address, address, POINTER(perp_residual), address, c_size_t]),
    "perp_problem_certificate": (c_int32, [POINTER(perp_problem), address, address, address, c_size_t]),
    "perp_residual_solved": (c_int32, [POINTER(perp_residual), c_double]),
    "perp_solver_options_init": (None, [POINTER(perp_solver_options), c_size_t]),
    "perp_solver_budget": (c_double, [c_int32]),
    "perp_solver_check": (c_int32, [POINTER(perp_solver), address, POINTER(perp_info)]),
    "perp_problem_shape": (None, [POINTER(perp_problem), POINTER(perp_shape)]),
    "perp_solver_workspace": (c_size_t, [POINTER(perp_solver), POINTER(perp_problem), address]),
    "perp_solver_shape_workspace": (c_size_t, [POINTER(perp_solver), POINTER(perp_shape), address]),
    "perp_solver_warm_bytes": (c_size_t, [POINTER(perp_solver), POINTER(perp_problem)]),
    "perp_solver_solve": (c_int32, [POINTER(perp_solver), POINTER(perp_problem), address, address, address, POINTER(perp_warm), address, c_size_t, POINTER(perp_info)]),
    "perp_warm_set_modes": (c_int32, [POINTER(perp_warm), c_int32, address]),
    "perp_warm_get_modes": (c_int32, [POINTER(perp_warm), c_int32, address]),
    "perp_sparse_klu": (POINTER(perp_sparse), []),
    "perp_sparse_ldl": (POINTER(perp_sparse), []),
    "perp_global_check": (c_int32, [POINTER(perp_global_problem), POINTER(perp_info)]),
    "perp_global_residual_workspace": (c_size_t, [POINTER(perp_global_problem)]),
    "perp_global_residual": (c_int32, [POINTER(perp_global_problem), address, address, address, POINTER(perp_global_parts), address, c_size_t]),
    "perp_global_solved": (c_int32, [POINTER(perp_global_parts), c_double]),
    "perp_global_options_init": (None, [POINTER(perp_global_options), c_size_t]),
    "perp_global_scratch": (c_size_t, [POINTER(perp_global_problem)]),
    "perp_global_workspace": (c_size_t, [POINTER(perp_global_problem), POINTER(perp_global_options), address, c_size_t]),
    "perp_global_form": (c_int32, [POINTER(perp_global_problem), address, c_size_t]),
    "perp_global_solve": (c_int32, [POINTER(perp_global_problem), POINTER(perp_global_options), address, address, address, POINTER(perp_warm), address, c_size_t, POINTER(perp_info)]),
    "perp_global_condense_workspace": (c_size_t, [POINTER(perp_global_problem), POINTER(perp_sparse), address, c_size_t]),
    "perp_global_condense": (c_int32, [POINTER(perp_global_problem), POINTER(perp_sparse), POINTER(perp_problem), address, c_size_t, POINTER(perp_info)]),
    "perp_lcp_workspace": (c_size_t, [POINTER(perp_solver), c_int32, address]),
    "perp_lcp_solve": (c_int32, [POINTER(perp_solver), POINTER(perp_lcp), address, address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_mlcp_workspace": (c_size_t, [POINTER(perp_solver), c_int32, address]),
    "perp_mlcp_solve": (c_int32, [POINTER(perp_solver), POINTER(perp_mlcp), address, address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_admm_options_init": (None, [POINTER(perp_admm_options), c_size_t]),
    "perp_solver_admm": (POINTER(perp_solver), []),
    "perp_global_admm_workspace": (c_size_t, [POINTER(perp_global_problem), POINTER(perp_admm_options)]),
    "perp_global_admm": (c_int32, [POINTER(perp_global_problem), POINTER(perp_admm_options), address, address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_auto_options_init": (None, [POINTER(perp_auto_options), c_size_t]),
    "perp_solver_auto": (POINTER(perp_solver), []),
    "perp_backend_lapack": (POINTER(perp_backend), []),
    "perp_control_sampled": (c_int32, [c_double, address, address, address, address, address]),
    "perp_lagrangian_linear_init": (c_int32, [POINTER(perp_lagrangian_linear), c_size_t, c_int32]),
    "perp_lagrangian_linear_constant_init": (c_int32, [POINTER(perp_lagrangian_linear), c_size_t, c_int32]),
    "perp_first_order_linear_init": (c_int32, [POINTER(perp_first_order_linear), c_size_t, c_int32]),
    "perp_linear_relation_init": (c_int32, [POINTER(perp_linear_relation), c_size_t, c_int32, c_int32]),
    "perp_lagrangian_linear_relation_init": (c_int32, [POINTER(perp_lagrangian_linear_relation), c_size_t, c_int32, c_int32]),
    "perp_model_check": (c_int32, [POINTER(perp_model), POINTER(perp_info)]),
    "perp_prescribed_velocity_init": (c_int32, [POINTER(perp_prescribed_velocity), c_size_t, c_int32, c_int32]),
    "perp_piecewise_linear_check": (c_int32, [POINTER(perp_piecewise_linear), POINTER(perp_info)]),
    "perp_piecewise_linear_pieces": (c_int32, [POINTER(perp_piecewise_linear)]),
    "perp_piecewise_linear_distance": (c_double, [POINTER(perp_piecewise_linear), c_double, c_double]),
    "perp_piecewise_relation_memory": (c_size_t, [POINTER(perp_relation), POINTER(perp_piecewise_linear)]),
    "perp_piecewise_relation_init": (c_int32, [POINTER(perp_piecewise_relation), c_size_t, POINTER(perp_relation), POINTER(perp_piecewise_linear), address, c_size_t, POINTER(perp_info)]),
    "perp_piecewise_relation_of": (POINTER(perp_piecewise_relation), [POINTER(perp_relation)]),
    "perp_piecewise_relation_values": (c_int32, [POINTER(perp_piecewise_relation), address, address, address, address]),
    "perp_body_init": (c_int32, [POINTER(perp_body), c_size_t]),
    "perp_rotation_matrix": (None, [address, address]),
    "perp_rotation_quaternion": (None, [address, c_double, address]),
    "perp_body_move": (None, [address, address, address]),
    "perp_body_contact_init": (c_int32, [POINTER(perp_body_contact), c_size_t, c_int32, c_int32]),
    "perp_locate_sphere_plane": (c_int32, [c_double, address, POINTER(perp_contact_place), address]),
    "perp_locate_sphere_sphere": (c_int32, [c_double, address, POINTER(perp_contact_place), address]),
    "perp_locate_point_plane": (c_int32, [c_double, address, POINTER(perp_contact_place), address]),
    "perp_integrator_moreau_jean": (address, []),
    "perp_integrator_moreau_jean_constant": (address, []),
    "perp_integrator_schatzman_paoli": (address, []),
    "perp_integrator_theta": (address, []),
    "perp_integrator_theta_constant": (address, []),
    "perp_integrator_theta_gamma": (address, []),
    "perp_integrator_theta_gamma_full": (address, []),
    "perp_global_step": (POINTER(perp_step_solver), []),
    "perp_simulation_options_init": (None, [POINTER(perp_simulation_options), c_size_t]),
    "perp_simulation_state_size": (c_size_t, [POINTER(perp_model), POINTER(perp_simulation_options)]),
    "perp_simulation_work_size": (c_size_t, [POINTER(perp_model), POINTER(perp_simulation_options)]),
    "perp_simulation_init": (c_int32, [address, POINTER(perp_model), POINTER(perp_simulation_options), address, c_size_t, address, c_size_t, POINTER(perp_info)]),
    "perp_simulation_resume": (c_int32, [address, POINTER(perp_model), POINTER(perp_simulation_options), address, c_size_t, address, c_size_t, POINTER(perp_info)]),
    "perp_simulation_release": (None, [address]),
    "perp_simulation_step": (c_int32, [address, POINTER(perp_info)]),
    "perp_simulation_advance": (c_int32, [address, c_double, POINTER(perp_info)]),
    "perp_simulation_run": (c_int32, [address, c_int32, c_double, perp_step_fn, address, POINTER(perp_info)]),
    "perp_simulation_set_active": (c_int32, [address, c_int32, c_int32]),
    "perp_simulation_is_active": (c_int32, [address, c_int32]),
    "perp_simulation_is_asleep": (c_int32, [address, c_int32]),
    "perp_simulation_awake": (c_int32, [address]),
    "perp_simulation_wake": (c_int32, [address, c_int32]),
    "perp_simulation_set_state": (c_int32, [address, c_int32, c_int32, address, address, address, POINTER(perp_info)]),
    "perp_simulation_state": (address, [address, address]),
    "perp_simulation_checkpoint_size": (c_size_t, [address]),
    "perp_simulation_checkpoint": (c_int32, [address, address, c_size_t, POINTER(perp_info)]),
    "perp_simulation_unseal": (c_int32, [POINTER(perp_model), POINTER(perp_simulation_options), address, c_size_t, c_uint32, address, c_size_t, POINTER(perp_info)]),
    "perp_simulation_time": (c_double, [address]),
    "perp_simulation_step_index": (c_int64, [address]),
    "perp_simulation_q": (address, [address, c_int32]),
    "perp_simulation_v": (address, [address, c_int32]),
    "perp_simulation_x": (address, [address, c_int32]),
    "perp_simulation_y": (address, [address, c_int32]),
    "perp_simulation_ydot": (address, [address, c_int32]),
    "perp_simulation_lambda": (address, [address, c_int32]),
    "perp_simulation_n_q": (c_int32, [address, c_int32]),
    "perp_simulation_n_v": (c_int32, [address, c_int32]),
    "perp_simulation_n_x": (c_int32, [address, c_int32]),
    "perp_simulation_n_rows": (c_int32, [address, c_int32]),
    "perp_simulation_level": (c_int32, [address, c_int32]),
    "perp_simulation_law_state": (address, [address, c_int32, c_int32, address]),
    "perp_simulation_force": (c_int32, [address, c_int32, address]),
    "perp_simulation_islands": (c_int32, [address]),
    "perp_simulation_problem": (c_int32, [address, c_int32, POINTER(perp_problem), address]),
    "perp_simulation_energy": (c_int32, [address, address, address]),
    "perp_simulation_work_done": (c_int32, [address, c_int32, address, address]),
    "perp_simulation_report": (c_int32, [address, POINTER(perp_report)]),
    "perp_pool_add": (c_int32, [address, POINTER(perp_pool_contact), address]),
    "perp_pool_add_all": (c_int32, [address, c_int32, POINTER(perp_pool_contact), address]),
    "perp_pool_gap_tol": (c_double, [POINTER(perp_model)]),
    "perp_pool_gap_tol_of_step": (c_double, [POINTER(perp_model), c_double]),
    "perp_pool_speed_tol": (c_double, [POINTER(perp_model), c_double]),
    "perp_pool_defaults": (None, [POINTER(perp_model), c_double, c_int32, POINTER(perp_simulation_options)]),
    "perp_builder_create": (c_int32, [address, POINTER(perp_info)]),
    "perp_builder_copy": (c_int32, [address, address, POINTER(perp_info)]),
    "perp_builder_destroy": (None, [address]),
    "perp_builder_add": (c_int32, [address, POINTER(perp_system), POINTER(perp_owner), address, POINTER(perp_info)]),
    "perp_builder_set_q": (c_int32, [address, c_int32, c_int32, address, POINTER(perp_info)]),
    "perp_builder_set_v": (c_int32, [address, c_int32, c_int32, address, POINTER(perp_info)]),
    "perp_builder_set_x": (c_int32, [address, c_int32, c_int32, address, POINTER(perp_info)]),
    "perp_builder_connect": (c_int32, [address, POINTER(perp_interaction), POINTER(perp_owner), POINTER(perp_owner), address, POINTER(perp_info)]),
    "perp_builder_connect_graph": (c_int32, [address, POINTER(perp_interaction), POINTER(perp_piecewise_linear), POINTER(perp_owner), address, POINTER(perp_info)]),
    "perp_builder_pieces": (POINTER(perp_piecewise_relation), [address, c_int32]),
    "perp_builder_pool": (c_int32, [address, POINTER(perp_contact_pool), POINTER(perp_owner), address, POINTER(perp_info)]),
    "perp_builder_descriptions": (c_size_t, [address]),
    "perp_builder_model": (POINTER(perp_model), [address]),
    "perp_builder_options": (POINTER(perp_simulation_options), [address]),
    "perp_builder_set": (c_int32, [address, c_char_p, c_double, POINTER(perp_info)]),
    "perp_builder_simulate": (c_int32, [address, address, POINTER(perp_info)]),
    "perp_model_check_derivatives_workspace": (c_size_t, [POINTER(perp_model)]),
    "perp_model_check_derivatives": (c_int32, [POINTER(perp_model), c_double, address, address, address, address, c_double, address, c_size_t, POINTER(perp_derivative_report)]),
    "perp_model_check_callbacks": (c_int32, [POINTER(perp_model), c_double, address, c_size_t, POINTER(perp_info)]),
    "perp_model_relative_degree_workspace": (c_size_t, [POINTER(perp_model), c_int32]),
    "perp_model_relative_degree": (c_int32, [POINTER(perp_model), c_int32, c_double, address, address, address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_contact_2d": (c_int32, [address, address, c_double, address, address]),
    "perp_contact_3d": (c_int32, [address, address, c_double, address, address]),
    "perp_contact_rolling_2d": (c_int32, [address, address, c_double, c_double, address, address]),
    "perp_contact_rolling_3d": (c_int32, [address, address, c_double, c_double, address, address]),
    "perp_simulation_contacts": (c_int32, [address, POINTER(perp_contact_view), c_size_t, c_int32, address]),
    "perp_multiple_impact_options_init": (None, [POINTER(perp_multiple_impact_options), c_size_t]),
    "perp_multiple_impact_workspace": (c_size_t, [c_int32]),
    "perp_multiple_impact": (c_int32, [c_int32, address, address, address, POINTER(perp_multiple_impact_options), address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_smooth_runge_kutta": (address, []),
    "perp_smooth_adams": (address, []),
    "perp_smooth_bdf": (address, []),
    "perp_smooth_arkode": (address, []),
    "perp_smooth_ida": (address, []),
    "perp_event_options_init": (None, [POINTER(perp_event_options), c_size_t]),
    "perp_event_driven_create": (c_int32, [address, POINTER(perp_model), POINTER(perp_event_options), POINTER(perp_info)]),
    "perp_event_driven_destroy": (None, [address]),
    "perp_event_driven_run": (c_int32, [address, c_double, POINTER(perp_event_observer), POINTER(perp_info)]),
    "perp_event_driven_next": (c_int32, [address, c_double, POINTER(perp_info)]),
    "perp_event_driven_event": (POINTER(perp_event), [address]),
    "perp_event_driven_restart": (c_int32, [address, c_double, address, address, address, POINTER(perp_info)]),
    "perp_event_driven_message": (c_char_p, [address]),
    "perp_event_driven_ending": (c_size_t, [address, c_int32, POINTER(perp_info), c_int32, address, c_size_t]),
    "perp_event_driven_time": (c_double, [address]),
    "perp_event_driven_q": (address, [address, c_int32]),
    "perp_event_driven_v": (address, [address, c_int32]),
    "perp_event_driven_x": (address, [address, c_int32]),
    "perp_event_driven_y": (address, [address, c_int32]),
    "perp_event_driven_ydot": (address, [address, c_int32]),
    "perp_event_driven_lambda": (address, [address, c_int32]),
    "perp_event_driven_force": (c_int32, [address, c_int32, address]),
    "perp_event_driven_rate": (address, [address, c_int32]),
    "perp_event_driven_n_q": (c_int32, [address, c_int32]),
    "perp_event_driven_n_v": (c_int32, [address, c_int32]),
    "perp_event_driven_n_x": (c_int32, [address, c_int32]),
    "perp_event_driven_n_rows": (c_int32, [address, c_int32]),
    "perp_event_driven_components": (c_int32, [address]),
    "perp_event_driven_mode": (c_int32, [address, c_int32, c_int32]),
    "perp_event_driven_energy": (c_int32, [address, address, address]),
    "perp_event_driven_report": (c_int32, [address, POINTER(perp_event_report)]),
    "perp_pgs_options_init": (None, [POINTER(perp_pgs_options), c_size_t]),
    "perp_solver_pgs": (POINTER(perp_solver), []),
    "perp_nsgs_options_init": (None, [POINTER(perp_nsgs_options), c_size_t]),
    "perp_solver_nsgs": (POINTER(perp_solver), []),
    "perp_solver_nsgs_small": (POINTER(perp_solver), []),
    "perp_cpg_options_init": (None, [POINTER(perp_cpg_options), c_size_t]),
    "perp_solver_cpg": (POINTER(perp_solver), []),
    "perp_fc_workspace": (c_size_t, [POINTER(perp_solver), c_int32, c_int32, address]),
    "perp_fc_solve": (c_int32, [POINTER(perp_solver), POINTER(perp_fc), address, address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_fc_nsgs_workspace": (c_size_t, [c_int32, c_int32, POINTER(perp_nsgs_options)]),
    "perp_fc_nsgs": (c_int32, [POINTER(perp_fc), POINTER(perp_nsgs_options), address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_first_order_init": (c_int32, [POINTER(perp_first_order), c_size_t, c_int32]),
    "perp_first_order_relation_init": (c_int32, [POINTER(perp_first_order_relation), c_size_t, c_int32, c_int32]),
    "perp_first_order_type1_init": (c_int32, [POINTER(perp_first_order_relation), c_size_t, c_int32, c_int32]),
    "perp_first_order_type2_init": (c_int32, [POINTER(perp_first_order_relation), c_size_t, c_int32, c_int32]),
    "perp_linear_varying_relation_init": (c_int32, [POINTER(perp_linear_varying_relation), c_size_t, c_int32, c_int32]),
    "perp_simulation_create": (c_int32, [address, POINTER(perp_model), POINTER(perp_simulation_options), POINTER(perp_info)]),
    "perp_simulation_restore": (c_int32, [address, POINTER(perp_model), POINTER(perp_simulation_options), address, c_size_t, POINTER(perp_info)]),
    "perp_simulation_destroy": (None, [address]),
    "perp_model_describe": (c_size_t, [POINTER(perp_model), POINTER(perp_simulation_options), address, c_size_t]),
    "perp_explain": (c_size_t, [c_int32, POINTER(perp_info), c_int32, address, c_size_t]),
    "perp_simulation_ending": (c_size_t, [address, c_int32, POINTER(perp_info), c_int32, address, c_size_t]),
    "perp_solver_count": (c_int32, []),
    "perp_solver_at": (POINTER(perp_solver), [c_int32]),
    "perp_solver_find": (POINTER(perp_solver), [c_char_p]),
    "perp_threads_create": (c_int32, [address, c_int32]),
    "perp_threads_for": (None, [c_int32, perp_parallel_body, address, address]),
    "perp_threads_destroy": (None, [address]),
    "perp_interior_point_options_init": (None, [POINTER(perp_interior_point_options), c_size_t]),
    "perp_solver_interior_point": (POINTER(perp_solver), []),
    "perp_friction_interior_options_init": (None, [POINTER(perp_friction_interior_options), c_size_t]),
    "perp_solver_friction_interior": (POINTER(perp_solver), []),
    "perp_joint_init": (c_int32, [POINTER(perp_joint), c_size_t, c_int32, c_int32]),
    "perp_joint_place": (c_int32, [POINTER(perp_joint), address, address, address, address]),
    "perp_joint_coordinate_init": (c_int32, [POINTER(perp_joint_coordinate), c_size_t, POINTER(perp_joint), c_int32, c_int32]),
    "perp_joint_coordinate_value": (c_int32, [POINTER(perp_joint), c_int32, address, address, address, address]),
    "perp_gear_init": (c_int32, [POINTER(perp_gear), c_size_t, c_int32]),
    "perp_gear_place": (c_int32, [POINTER(perp_gear), address, address, address, address, address]),
    "perp_lagrangian_init": (c_int32, [POINTER(perp_lagrangian), c_size_t, c_int32]),
    "perp_lagrangian_scleronomous_init": (c_int32, [POINTER(perp_lagrangian_relation), c_size_t, c_int32, c_int32]),
    "perp_lagrangian_rheonomous_init": (c_int32, [POINTER(perp_lagrangian_relation), c_size_t, c_int32, c_int32]),
    "perp_lagrangian_compliant_init": (c_int32, [POINTER(perp_lagrangian_relation), c_size_t, c_int32, c_int32]),
    "perp_lagrangian_velocity_relation_init": (c_int32, [POINTER(perp_lagrangian_velocity_relation), c_size_t, c_int32, c_int32]),
    "perp_lagrangian_contact_relation_init": (c_int32, [POINTER(perp_lagrangian_contact_relation), c_size_t, c_int32, c_int32, c_int32]),
    "perp_log_options_init": (None, [POINTER(perp_log_options), c_size_t]),
    "perp_log_create": (c_int32, [address, c_char_p, POINTER(perp_log_schema), POINTER(perp_log_options), POINTER(perp_info)]),
    "perp_log_append": (c_int32, [address, c_char_p, POINTER(perp_log_schema), POINTER(perp_log_options), c_int32, POINTER(perp_info)]),
    "perp_log_add_sample": (c_int32, [address, c_double, address, c_int32, POINTER(perp_info)]),
    "perp_log_add_contacts": (c_int32, [address, c_double, POINTER(perp_log_contact), c_int32, POINTER(perp_info)]),
    "perp_log_add_event": (c_int32, [address, POINTER(perp_log_event), POINTER(perp_info)]),
    "perp_log_add_checkpoint": (c_int32, [address, c_double, c_char_p, address, c_size_t, POINTER(perp_info)]),
    "perp_log_add_note": (c_int32, [address, c_char_p, c_char_p, POINTER(perp_info)]),
    "perp_log_add_end": (c_int32, [address, c_double, c_int32, c_char_p, c_char_p, POINTER(perp_info)]),
    "perp_log_flush": (c_int32, [address, c_int32, POINTER(perp_info)]),
    "perp_log_close": (c_int32, [address, POINTER(perp_info)]),
    "perp_log_bytes": (c_int64, [address, c_int64]),
    "perp_log_n_values": (c_int32, [address]),
    "perp_log_simulation_create": (c_int32, [address, c_char_p, address, address, address, POINTER(perp_log_schema), POINTER(perp_log_options), POINTER(perp_info)]),
    "perp_log_event_driven_create": (c_int32, [address, c_char_p, address, address, address, POINTER(perp_log_schema), POINTER(perp_log_options), POINTER(perp_info)]),
    "perp_log_step": (c_int32, [address, address, address, c_int32, POINTER(perp_info)]),
    "perp_log_event_driven_step": (c_int32, [address, address, address, c_int32, POINTER(perp_info)]),
    "perp_log_event_driven_event": (c_int32, [address, address, POINTER(perp_event), POINTER(perp_info)]),
    "perp_log_reader_open": (c_int32, [address, c_char_p, POINTER(perp_info)]),
    "perp_log_reader_close": (None, [address]),
    "perp_log_reader_schema": (POINTER(perp_log_schema), [address]),
    "perp_log_reader_summary": (c_int32, [address, POINTER(perp_log_summary)]),
    "perp_log_reader_find": (c_int32, [address, c_char_p]),
    "perp_log_reader_offset": (c_int32, [address, c_int32]),
    "perp_log_reader_member": (c_size_t, [address, c_int32, c_int32, address, c_size_t]),
    "perp_log_reader_read": (c_int32, [address, c_int32, c_int64, c_int64, c_int64, address, address, POINTER(perp_info)]),
    "perp_log_reader_next": (c_int32, [address, c_uint32, POINTER(perp_log_record), POINTER(perp_info)]),
    "perp_log_reader_last": (c_int32, [address, c_uint32, POINTER(perp_log_record), POINTER(perp_info)]),
    "perp_log_reader_rewind": (None, [address]),
    "perp_mcp_options_init": (None, [POINTER(perp_mcp_options), c_size_t]),
    "perp_mcp_workspace": (c_size_t, [POINTER(perp_mcp), POINTER(perp_mcp_options)]),
    "perp_mcp_solve": (c_int32, [POINTER(perp_mcp), POINTER(perp_mcp_options), address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_newton_options_init": (None, [POINTER(perp_newton_options), c_size_t]),
    "perp_solver_newton_min": (POINTER(perp_solver), []),
    "perp_solver_newton_fb": (POINTER(perp_solver), []),
    "perp_friction_newton_options_init": (None, [POINTER(perp_friction_newton_options), c_size_t]),
    "perp_solver_friction_newton": (POINTER(perp_solver), []),
    "perp_lemke_options_init": (None, [POINTER(perp_lemke_options), c_size_t]),
    "perp_solver_lemke": (POINTER(perp_solver), []),
    "perp_lcp_lemke_workspace": (c_size_t, [c_int32]),
    "perp_lcp_lemke": (c_int32, [POINTER(perp_lcp), POINTER(perp_lemke_options), address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_solver_murty": (POINTER(perp_solver), []),
    "perp_block_pivoting_options_init": (None, [POINTER(perp_block_pivoting_options), c_size_t]),
    "perp_solver_block_pivoting": (POINTER(perp_solver), []),
    "perp_box_pivoting_options_init": (None, [POINTER(perp_box_pivoting_options), c_size_t]),
    "perp_solver_box_pivoting": (POINTER(perp_solver), []),
    "perp_active_set_options_init": (None, [POINTER(perp_active_set_options), c_size_t]),
    "perp_solver_active_set": (POINTER(perp_solver), []),
    "perp_solver_enumeration": (POINTER(perp_solver), []),
    "perp_lcp_enumerate_workspace": (c_size_t, [c_int32]),
    "perp_lcp_enumerate": (c_int32, [POINTER(perp_lcp), POINTER(perp_solver_options), perp_enumeration_visit, address, POINTER(perp_enumeration_report), address, c_size_t, POINTER(perp_info)]),
    "perp_mlcp_enumerate_workspace": (c_size_t, [c_int32]),
    "perp_mlcp_enumerate": (c_int32, [POINTER(perp_mlcp), POINTER(perp_solver_options), perp_enumeration_visit, address, POINTER(perp_enumeration_report), address, c_size_t, POINTER(perp_info)]),
    "perp_solver_friction_lemke": (POINTER(perp_solver), []),
    "perp_poisson_impact_workspace": (c_size_t, [POINTER(perp_solver), c_int32, address]),
    "perp_poisson_impact": (c_int32, [POINTER(perp_solver), c_int32, address, address, address, address, address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_qp_check": (c_int32, [POINTER(perp_qp), POINTER(perp_info)]),
    "perp_qp_judge_workspace": (c_size_t, [POINTER(perp_qp)]),
    "perp_qp_judge": (c_int32, [POINTER(perp_qp), address, address, address, POINTER(perp_qp_residual), address, c_size_t]),
    "perp_qp_residual_solved": (c_int32, [POINTER(perp_qp_residual), c_double]),
    "perp_qp_certificate": (c_int32, [POINTER(perp_qp), address, address, address, c_size_t]),
    "perp_qp_workspace": (c_size_t, [POINTER(perp_solver), POINTER(perp_qp), address]),
    "perp_qp_solve": (c_int32, [POINTER(perp_solver), POINTER(perp_qp), address, address, address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_qp_dual_workspace": (c_size_t, [c_int32, c_int32]),
    "perp_qp_dual": (c_int32, [POINTER(perp_qp), POINTER(perp_solver_options), address, address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_sensitivity_options_init": (None, [POINTER(perp_sensitivity_options), c_size_t]),
    "perp_sensitivity_workspace": (c_size_t, [POINTER(perp_problem)]),
    "perp_sensitivity_prepare": (c_int32, [POINTER(perp_sensitivity), POINTER(perp_problem), address, POINTER(perp_sensitivity_options), address, c_size_t, POINTER(perp_info)]),
    "perp_sensitivity_load": (c_int32, [c_int32, POINTER(perp_matrix), address, address, address]),
    "perp_sensitivity_apply": (c_int32, [POINTER(perp_sensitivity), c_int32, address, address, address]),
    "perp_sensitivity_adjoint": (c_int32, [POINTER(perp_sensitivity), c_int32, address, address]),
    "perp_vi_options_init": (None, [POINTER(perp_vi_options), c_size_t]),
    "perp_vi_workspace": (c_size_t, [c_int32]),
    "perp_vi_fixed_point": (c_int32, [POINTER(perp_vi), POINTER(perp_vi_options), address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_vi_extragradient": (c_int32, [POINTER(perp_vi), POINTER(perp_vi_options), address, address, address, c_size_t, POINTER(perp_info)]),
    "perp_solver_fixed_point": (POINTER(perp_solver), []),
    "perp_solver_extragradient": (POINTER(perp_solver), []),
    "perp_avi_pivoting_options_init": (None, [POINTER(perp_avi_pivoting_options), c_size_t]),
    "perp_solver_avi_pivoting": (POINTER(perp_solver), []),
    "perp_avi_pivoting_workspace": (c_size_t, [c_int32, c_int32, POINTER(perp_avi_pivoting_options)]),
    "perp_avi_pivoting": (c_int32, [POINTER(perp_avi), POINTER(perp_avi_pivoting_options), address, address, address, c_size_t, POINTER(perp_info)]),
}


def bind(library: Any) -> None:
    """Give the functions of a loaded library their prototypes."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
