# SPDX-License-Identifier: MIT
# Written by bindings/julia/generate.py from the headers in include/perp: change those.

const PERP_OK = Int32(0)
const PERP_MAX_ITER = Int32(1)
const PERP_RAY = Int32(2)
const PERP_INACCURATE = Int32(3)
const PERP_INFEASIBLE = Int32(4)
const PERP_STOPPED = Int32(5)
const PERP_END = Int32(6)
const PERP_RETRY = Int32(7)
const PERP_UNBOUNDED = Int32(8)
const PERP_STORM = Int32(9)
const PERP_EINVAL = Int32(-1)
const PERP_EWORKSPACE = Int32(-2)
const PERP_ECALLBACK = Int32(-3)
const PERP_EUNSUPPORTED = Int32(-4)
const PERP_EBACKEND = Int32(-5)
const PERP_ENOTFINITE = Int32(-6)
const PERP_RAY_NONE = Int32(0)
const PERP_RAY_SECONDARY = Int32(1)
const PERP_RAY_CERTIFICATE = Int32(2)
const PERP_WARN_INDEFINITE = Int32(1)
const PERP_OF_ENTRY = Int32(0)
const PERP_OF_SYSTEM = Int32(1)
const PERP_OF_BODY = Int32(2)
const PERP_OF_INTERACTION = Int32(3)
const PERP_OF_LAW = Int32(4)
const PERP_OF_PLACE = Int32(5)
const PERP_OF_CONTACT = Int32(6)
const PERP_HOLDS_END = Int32(0)
const PERP_HOLDS_NUMBERS = Int32(1)
const PERP_HOLDS_INTEGER = Int32(2)
const PERP_HOLDS_ARRAY = Int32(3)
const PERP_HOLDS_TRIPLES = Int32(4)
const PERP_HOLDS_INDICES = Int32(5)
const PERP_HOLDS_MATRIX = Int32(6)
const PERP_HOLDS_RELATION = Int32(7)
const PERP_HOLDS_PARAMETERS = Int32(8)
const PERP_HOLDS_USER = Int32(9)
const PERP_ZERO = Int32(0)
const PERP_DIAGONAL = Int32(1)
const PERP_DENSE = Int32(2)
const PERP_BLOCKS = Int32(3)
const PERP_SET_FREE = Int32(0)
const PERP_SET_ORTHANT = Int32(1)
const PERP_SET_BOX = Int32(2)
const PERP_SET_CONE = Int32(3)
const PERP_SET_ROLLING = Int32(4)
const PERP_SET_POLYHEDRON = Int32(5)
const PERP_SET_OTHER = Int32(6)
const PERP_MODE_UNKNOWN = Int32(0)
const PERP_MODE_LOWER = Int32(1)
const PERP_MODE_FREE = Int32(2)
const PERP_MODE_UPPER = Int32(3)
const PERP_ASSUMES_SYMMETRIC = Int32(1)
const PERP_ASSUMES_DEFINITE = Int32(2)
const PERP_ASSUMES_SEMIDEFINITE = Int32(4)
const PERP_ASSUMES_P_MATRIX = Int32(8)
const PERP_ASSUMES_COPOSITIVE = Int32(16)
const PERP_GLOBAL_CONDENSED = Int32(1)
const PERP_GLOBAL_FULL = Int32(2)
const PERP_GYROSCOPIC_IMPLICIT = Int32(0)
const PERP_GYROSCOPIC_EXPLICIT = Int32(1)
const PERP_GYROSCOPIC_NONE = Int32(2)
const PERP_FRAME_BODY = Int32(0)
const PERP_FRAME_FIXED = Int32(1)
const PERP_FAILURE_STOP = Int32(0)
const PERP_FAILURE_RETRY = Int32(1)
const PERP_FAILURE_ACCEPT = Int32(2)
const PERP_NEWTON_RESIDUAL = Int32(0)
const PERP_NEWTON_DYNAMICS = Int32(1)
const PERP_NEWTON_FIXED = Int32(2)
const PERP_NEWTON_FROM_CURRENT = Int32(0)
const PERP_NEWTON_FROM_POSITION = Int32(1)
const PERP_PROJECT_NONE = Int32(0)
const PERP_PROJECT_POSITIONS = Int32(1)
const PERP_PROJECT_COMBINED = Int32(2)
const PERP_FORMULATION_REDUCED = Int32(0)
const PERP_FORMULATION_GLOBAL = Int32(1)
const PERP_FORMULATION_AUTO = Int32(2)
const PERP_SPEED_PILE = Int32(-1)
const PERP_SPEED_STACK = Int32(-2)
const PERP_OTHER_GRID = Int32(1)
const PERP_LEVEL_FORCE = Int32(0)
const PERP_LEVEL_IMPULSE = Int32(1)
const PERP_LEVEL_POSITION = Int32(2)
const PERP_GROUND = Int32(-1)
const PERP_COPY_PARAMETERS = Int32(1)
const PERP_FOUND_NOTHING = Int32(0)
const PERP_FOUND_SYSTEM = Int32(1)
const PERP_FOUND_RELATION = Int32(2)
const PERP_STIFFNESS_MONO = Int32(0)
const PERP_STIFFNESS_BI = Int32(1)
const PERP_LINEAR_AUTO = Int32(0)
const PERP_LINEAR_DENSE = Int32(1)
const PERP_LINEAR_BANDED = Int32(2)
const PERP_LINEAR_SPARSE = Int32(3)
const PERP_IMPACT_LAW = Int32(0)
const PERP_IMPACT_POISSON = Int32(1)
const PERP_IMPACT_LZB = Int32(2)
const PERP_ZENO_JUMP = Int32(0)
const PERP_ZENO_STEP = Int32(1)
const PERP_ZENO_STOP = Int32(2)
const PERP_CONTACT_OPEN = Int32(0)
const PERP_CONTACT_TOUCH = Int32(1)
const PERP_CONTACT_CLOSED = Int32(2)
const PERP_CONTACT_STICK = Int32(3)
const PERP_CONTACT_SLIP = Int32(4)
const PERP_CONTACT_LOWER = Int32(5)
const PERP_CONTACT_BETWEEN = Int32(6)
const PERP_CONTACT_UPPER = Int32(7)
const PERP_EVENT_IMPACT = Int32(1)
const PERP_EVENT_CLOSE = Int32(2)
const PERP_EVENT_OPEN = Int32(4)
const PERP_EVENT_STICK = Int32(8)
const PERP_EVENT_SLIP = Int32(16)
const PERP_EVENT_REVERSE = Int32(32)
const PERP_EVENT_SWITCH = Int32(64)
const PERP_EVENT_SCHEDULE = Int32(128)
const PERP_EVENT_GUARD = Int32(256)
const PERP_EVENT_ACCUMULATION = Int32(512)
const PERP_EVENT_HANDOVER = Int32(1024)
const PERP_EVENT_RETURN = Int32(2048)
const PERP_EVENT_START = Int32(4096)
const PERP_NSGS_FORWARD = Int32(0)
const PERP_NSGS_SYMMETRIC = Int32(1)
const PERP_NSGS_SHUFFLED = Int32(2)
const PERP_NSGS_PLAIN = Int32(0)
const PERP_NSGS_ANDERSON = Int32(1)
const PERP_NSGS_MOMENTUM = Int32(2)
const PERP_OUTPUT_READS_LAMBDA = Int32(1)
const PERP_REACTION_READS_X = Int32(2)
const PERP_FRICTION_INTERIOR_NEWTON = Int32(0)
const PERP_FRICTION_INTERIOR_LAGGED = Int32(1)
const PERP_JOINT_SPHERICAL = Int32(0)
const PERP_JOINT_PIVOT = Int32(1)
const PERP_JOINT_PRISMATIC = Int32(2)
const PERP_JOINT_CYLINDRICAL = Int32(3)
const PERP_JOINT_FIXED = Int32(4)
const PERP_JOINT_SCREW = Int32(5)
const PERP_COORDINATE_ANGLE = Int32(0)
const PERP_COORDINATE_TRANSLATION = Int32(1)
const PERP_COORDINATE_RATE = Int32(0)
const PERP_COORDINATE_EFFORT = Int32(1)
const PERP_COORDINATE_STOPS = Int32(2)
const PERP_COORDINATE_LOWER = Int32(3)
const PERP_COORDINATE_UPPER = Int32(4)
const PERP_GAP_READS_TIME = Int32(1)
const PERP_GAP_READS_LAMBDA = Int32(2)
const PERP_LOG_BEGIN = Int32(1)
const PERP_LOG_SAMPLES = Int32(2)
const PERP_LOG_EVENTS = Int32(3)
const PERP_LOG_CHECKPOINT = Int32(4)
const PERP_LOG_NOTE = Int32(5)
const PERP_LOG_END = Int32(6)
const PERP_LOG_CONTACT_LIST = Int32(7)
const PERP_LOG_OWN = Int32(0)
const PERP_LOG_Q = Int32(1)
const PERP_LOG_V = Int32(2)
const PERP_LOG_X = Int32(3)
const PERP_LOG_Y = Int32(4)
const PERP_LOG_YDOT = Int32(5)
const PERP_LOG_LAMBDA = Int32(6)
const PERP_LOG_FORCE = Int32(7)
const PERP_LOG_KINETIC = Int32(8)
const PERP_LOG_POTENTIAL = Int32(9)
const PERP_LOG_CONTACTS = Int32(10)
const PERP_LOG_OVERLAP = Int32(11)
const PERP_LOG_CONTACT_FORCE = Int32(12)
const PERP_LOG_AT_END = Int32(0)
const PERP_LOG_AT_CHECKPOINT = Int32(1)
const PERP_MCP_PATH = Int32(0)
const PERP_MCP_LEMKE = Int32(1)
const PERP_MCP_JOSEPHY_NEWTON = Int32(2)
const PERP_FRICTION_NATURAL = Int32(0)
const PERP_FRICTION_ALART_CURNIER = Int32(1)
const PERP_FRICTION_JEAN_MOREAU = Int32(2)
const PERP_SEARCH_WATCHDOG = Int32(0)
const PERP_SEARCH_NONMONOTONE = Int32(1)
const PERP_SEARCH_GOLDSTEIN_PRICE = Int32(2)
const PERP_SEARCH_NONE = Int32(3)
const PERP_SENSITIVITY_FIXED = Int32(0)
const PERP_SENSITIVITY_FREE = Int32(1)
const PERP_SENSITIVITY_LOWER = Int32(2)
const PERP_SENSITIVITY_UPPER = Int32(3)
const PERP_BACKEND_MIN = Int32(32)
const PERP_VERSION_MAJOR = Int32(0)
const PERP_VERSION_MINOR = Int32(2)
const PERP_VERSION_PATCH = Int32(1)
const PERP_VERSION = Int32(201)
const PERP_SETS = Int32(8)
const PERP_LOG_VERSION = Int32(1)
const PERP_ENUMERATION_MAX = Int32(25)
const PERP_SOLVER_OPTIONS_MOST = Int32(256)
const PERP_NSGS_MOST_DEPTH = Int32(5)

# base.h
struct perp_info
    struct_size::UInt32
    iterations::Int32
    field::Ptr{UInt8}
    index::Int32
    worst::Int32
    value::Cdouble
    residual::Cdouble
    relative_residual::Cdouble
    solver::Ptr{UInt8}
    ray::Ptr{Cdouble}
    ray_size::Int32
    ray_kind::Int32
    worst_block::Int32
    dissipates::Int32
    warnings::UInt32
    of::UInt32
    violation::NTuple{8, Cdouble}
    amplification::Cdouble
    bound::Cdouble
    systems::NTuple{2, Int32}
end

# base.h
struct perp_iterate
    iteration::Int32
    entering::Int32
    leaving::Int32
    merit::Cdouble
end

# base.h
struct perp_field
    offset::UInt16
    holds::UInt16
    rows::UInt16
    columns::UInt16
end

# matrix.h
struct perp_matrix
    kind::Int32
    rows::Int32
    cols::Int32
    ld::Int32
    block_rows::Int32
    reserved::Int32
    values::Ptr{Cdouble}
    start::Ptr{Int32}
    index::Ptr{Int32}
    offset::Ptr{Int32}
end

# law.h
struct perp_law_step
    t::Cdouble
    h::Cdouble
    y::Ptr{Cdouble}
    ydot::Ptr{Cdouble}
    lambda::Ptr{Cdouble}
end

# law.h
struct perp_law_ops
    struct_size::UInt32
    set::Int32
    unilateral::Int32
    bounded::Int32
    name::Ptr{UInt8}
    check::Ptr{Cvoid}
    bounds::Ptr{Cvoid}
    project::Ptr{Cvoid}
    jacobian::Ptr{Cvoid}
    shift::Ptr{Cvoid}
    local_::Ptr{Cvoid}
    restitute::Ptr{Cvoid}
    state_bytes::Ptr{Cvoid}
    state_init::Ptr{Cvoid}
    commit::Ptr{Cvoid}
    project_doubles::Ptr{Cvoid}
    project_with::Ptr{Cvoid}
    restitute_step::Ptr{Cvoid}
    preload::Ptr{Cvoid}
    compliance::Ptr{Cvoid}
    acts::Ptr{Cvoid}
    commit_step::Ptr{Cvoid}
    is_bounded::Ptr{Cvoid}
    local_within::Ptr{Cvoid}
    fields::Ptr{Cvoid}
end

# law.h
struct perp_law
    ops::Ptr{Cvoid}
    struct_size::UInt32
    size::Int32
end

# law.h
struct perp_equality
    law::perp_law
end

# law.h
struct perp_complementarity
    law::perp_law
end

# law.h
struct perp_newton_impact
    law::perp_law
    e::Cdouble
end

# law.h
struct perp_box
    law::perp_law
    lower::Ptr{Cdouble}
    upper::Ptr{Cdouble}
end

# law.h
struct perp_polyhedron
    law::perp_law
    H::perp_matrix
    K::Ptr{Cdouble}
end

# law.h
struct perp_friction
    law::perp_law
    mu::Cdouble
    e_n::Cdouble
    e_t::Cdouble
end

# law.h
struct perp_rolling
    law::perp_law
    mu::Cdouble
    mu_rolling::Cdouble
    e_n::Cdouble
    e_t::Cdouble
end

# law.h
struct perp_mixed
    law::perp_law
    equalities::Int32
    reserved::Int32
end

# law.h
struct perp_compliant
    law::perp_law
    k::Cdouble
    c::Cdouble
    theta::Cdouble
end

# law.h
struct perp_fremond
    friction::perp_friction
end

# law.h
struct perp_cohesive
    friction::perp_friction
    sigma_c::Cdouble
    G_c::Cdouble
    area::Cdouble
    slip_weight::Cdouble
end

# law.h
struct perp_cohesive_state
    beta::Cdouble
    slip::NTuple{2, Cdouble}
end

# law.h
struct perp_user_impact
    friction::perp_friction
    restitute::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# law.h
struct perp_law_verdict
    struct_size::UInt32
    worst::Int32
    state::Ptr{UInt8}
    lambda::Cdouble
    y::Cdouble
    work::Cdouble
    angle::Cdouble
    relative::Cdouble
end

# problem.h
struct perp_problem
    struct_size::UInt32
    n::Int32
    n_blocks::Int32
    reserved::Int32
    M::perp_matrix
    q::Ptr{Cdouble}
    laws::Ptr{Cvoid}
    offset::Ptr{Int32}
    states::Ptr{Cvoid}
    weight::Ptr{Cdouble}
    floor::Ptr{Cdouble}
end

# problem.h
struct perp_residual
    struct_size::UInt32
    worst::Int32
    worst_block::Int32
    reserved::Int32
    residual::Cdouble
    relative::Cdouble
    scale::Cdouble
    hat::Cdouble
    rounding::Cdouble
    natural_error::Cdouble
    componentwise::Cdouble
    creep::Cdouble
    violation::NTuple{8, Cdouble}
end

# solver.h
struct perp_solver_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
end

# solver.h
struct perp_shape
    n::Int32
    n_blocks::Int32
    sets::UInt32
    matrix::Int32
    nonzeros::Csize_t
    envelope::Csize_t
    projection::Csize_t
    constraints::Csize_t
    contacts::Int32
    largest::Int32
end

# solver.h
struct perp_warm
    data::Ptr{Cvoid}
    bytes::Csize_t
    stamp::UInt32
    reserved::UInt32
end

# solver.h
struct perp_solver
    struct_size::UInt32
    sets::UInt32
    matrices::UInt32
    assumes::UInt32
    name::Ptr{UInt8}
    defaults::Ptr{Cvoid}
    check::Ptr{Cvoid}
    workspace::Ptr{Cvoid}
    warm_bytes::Ptr{Cvoid}
    solve::Ptr{Cvoid}
    method::Ptr{Cvoid}
    max_n::Int32
    reserved::Int32
end

# sparse.h
struct perp_sparse
    struct_size::UInt32
    symmetric::UInt32
    name::Ptr{UInt8}
    factor::Ptr{Cvoid}
    solve::Ptr{Cvoid}
    release::Ptr{Cvoid}
    solve_product::Ptr{Cvoid}
    analyse::Ptr{Cvoid}
    room::Ptr{Cvoid}
end

# global.h
struct perp_global_problem
    struct_size::UInt32
    m::Int32
    n::Int32
    n_blocks::Int32
    M::perp_matrix
    H::perp_matrix
    q::Ptr{Cdouble}
    b::Ptr{Cdouble}
    laws::Ptr{Cvoid}
    offset::Ptr{Int32}
    states::Ptr{Cvoid}
    weight::Ptr{Cdouble}
    floor::Ptr{Cdouble}
end

# global.h
struct perp_global_parts
    struct_size::UInt32
    worst_row::Int32
    equilibrium::Cdouble
    equilibrium_relative::Cdouble
    equilibrium_hat::Cdouble
    relative::Cdouble
    contact::perp_residual
end

# global.h
struct perp_global_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    solver::Ptr{Cvoid}
    solver_options::Ptr{Cvoid}
    sparse::Ptr{Cvoid}
end

# lcp.h
struct perp_lcp
    n::Int32
    ld::Int32
    M::Ptr{Cdouble}
    q::Ptr{Cdouble}
end

# lcp.h
struct perp_mlcp
    n::Int32
    ld::Int32
    M::Ptr{Cdouble}
    q::Ptr{Cdouble}
    lower::Ptr{Cdouble}
    upper::Ptr{Cdouble}
end

# admm.h
struct perp_admm_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    rho::Cdouble
    relaxation::Cdouble
    memory::Int32
    updates::Int32
    outer::Int32
    reserved::Int32
    sparse::Ptr{Cvoid}
end

# auto.h
struct perp_auto_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    allocate::Int32
    reserved::Int32
end

# backend.h
struct perp_backend
    struct_size::UInt32
    reserved::UInt32
    name::Ptr{UInt8}
    lu_factor::Ptr{Cvoid}
    lu_solve::Ptr{Cvoid}
    multiply_add::Ptr{Cvoid}
end

# control.h
struct perp_control
    n_u::Int32
    reserved::Int32
    T::Ptr{Cdouble}
    effect::Ptr{Cvoid}
    u::Ptr{Cvoid}
    u_dq::Ptr{Cvoid}
    u_dv::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# model.h
struct perp_system
    ops::Ptr{Cvoid}
    struct_size::UInt32
    n::Int32
end

# model.h
struct perp_lagrangian_linear
    system::perp_system
    M::perp_matrix
    C::perp_matrix
    K::perp_matrix
    f::Ptr{Cdouble}
    force::Ptr{Cvoid}
    user::Ptr{Cvoid}
    control::perp_control
    z::Ptr{Cdouble}
    typical_q::Ptr{Cdouble}
    typical_v::Ptr{Cdouble}
    n_z::Int32
    reserved::Int32
end

# model.h
struct perp_first_order_linear
    system::perp_system
    M::perp_matrix
    A::perp_matrix
    b::Ptr{Cdouble}
    input::Ptr{Cvoid}
    user::Ptr{Cvoid}
    state_matrix::Ptr{Cvoid}
    control::perp_control
    z::Ptr{Cdouble}
    typical::Ptr{Cdouble}
    n_z::Int32
    reserved::Int32
end

# model.h
struct perp_relation
    ops::Ptr{Cvoid}
    struct_size::UInt32
    m::Int32
    n::Int32
    reserved::Int32
end

# model.h
struct perp_linear_relation
    relation::perp_relation
    C::Ptr{Cdouble}
    D::Ptr{Cdouble}
    B::Ptr{Cdouble}
    F::Ptr{Cdouble}
    e::Ptr{Cdouble}
    a::Ptr{Cdouble}
    z::Ptr{Cdouble}
    n_z::Int32
    reserved::Int32
end

# model.h
struct perp_lagrangian_linear_relation
    relation::perp_relation
    H::Ptr{Cdouble}
    D::Ptr{Cdouble}
    F::Ptr{Cdouble}
    b::Ptr{Cdouble}
    z::Ptr{Cdouble}
    n_z::Int32
    reserved::Int32
    H_rows::perp_matrix
end

# model.h
struct perp_interaction
    relation::Ptr{Cvoid}
    law::Ptr{Cvoid}
    systems::Ptr{Int32}
    n_systems::Int32
    reserved::Int32
end

# model.h
struct perp_model
    struct_size::UInt32
    n_systems::Int32
    n_interactions::Int32
    reserved::Int32
    systems::Ptr{Cvoid}
    interactions::Ptr{Cvoid}
    q0::Ptr{Cdouble}
    v0::Ptr{Cdouble}
    x0::Ptr{Cdouble}
    pool::Ptr{Cvoid}
end

# boundary.h
struct perp_harmonic
    amplitude::Cdouble
    omega::Cdouble
    phase::Cdouble
end

# boundary.h
struct perp_prescribed_velocity
    relation::perp_relation
    index::Ptr{Int32}
    constant::Ptr{Cdouble}
    harmonics::Ptr{Cvoid}
    velocity::Ptr{Cvoid}
    user::Ptr{Cvoid}
    n_harmonics::Int32
    reserved::Int32
end

# piecewise_linear.h
struct perp_piecewise_linear
    struct_size::UInt32
    points::Int32
    y::Ptr{Cdouble}
    lambda::Ptr{Cdouble}
    slope_before::Cdouble
    slope_after::Cdouble
end

# piecewise_linear.h
struct perp_pieces
    box::perp_box
    shift::Ptr{Cdouble}
end

# piecewise_linear.h
struct perp_piecewise_relation
    relation::perp_relation
    pieces::perp_pieces
    inner::Ptr{Cvoid}
    graph::Ptr{Cvoid}
    compliance::Ptr{Cdouble}
    reference::Ptr{Cdouble}
    H::Ptr{Cdouble}
    B::Ptr{Cdouble}
    D::Ptr{Cdouble}
    F::Ptr{Cdouble}
    b::Ptr{Cdouble}
end

# newton_euler.h
struct perp_body
    system::perp_system
    mass::Cdouble
    inertia::NTuple{9, Cdouble}
    f::NTuple{3, Cdouble}
    force::Ptr{Cvoid}
    torque::Ptr{Cvoid}
    force_jacobian::Ptr{Cvoid}
    torque_jacobian::Ptr{Cvoid}
    user::Ptr{Cvoid}
    torque_frame::Int32
    gyroscopic::Int32
    control::perp_control
    z::Ptr{Cdouble}
    n_z::Int32
    reserved::Int32
end

# newton_euler.h
struct perp_contact_place
    gap::Cdouble
    normal::NTuple{3, Cdouble}
    tangent::NTuple{3, Cdouble}
    a::NTuple{3, Cdouble}
    b::NTuple{3, Cdouble}
    velocity::NTuple{3, Cdouble}
end

# newton_euler.h
struct perp_body_contact
    relation::perp_relation
    locate::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# newton_euler.h
struct perp_sphere_plane
    radius::Cdouble
    normal::NTuple{3, Cdouble}
    offset::Cdouble
end

# newton_euler.h
struct perp_sphere_sphere
    radius::NTuple{2, Cdouble}
end

# newton_euler.h
struct perp_point_plane
    point::NTuple{3, Cdouble}
    normal::NTuple{3, Cdouble}
    offset::Cdouble
end

# simulation.h
struct perp_step_solver
    struct_size::UInt32
    reserved::UInt32
    name::Ptr{UInt8}
    suits::Ptr{Cvoid}
    solve::Ptr{Cvoid}
    release::Ptr{Cvoid}
end

# simulation.h
struct perp_simulation_options
    struct_size::UInt32
    steps::Int32
    t0::Cdouble
    h::Cdouble
    grid::Ptr{Cdouble}
    theta::Cdouble
    thetas::Ptr{Cdouble}
    gamma::Cdouble
    min_gap::Cdouble
    integrator::Ptr{Cvoid}
    integrators::Ptr{Cvoid}
    solver::Ptr{Cvoid}
    solver_options::Ptr{Cvoid}
    backend::Ptr{Cvoid}
    on_failure::Int32
    max_halvings::Int32
    newton_stop::Int32
    newton_start::Int32
    newton_max::Int32
    newton_halvings::Int32
    newton_tol::Cdouble
    reaction_gamma::Cdouble
    projection::Int32
    projection_max::Int32
    projection_tol::Cdouble
    projection_tol_unilateral::Cdouble
    gap_tol::Cdouble
    switchable::Int32
    sparse::Ptr{Cvoid}
    equality_tol::Cdouble
    global_::Ptr{Cvoid}
    formulation::Int32
    reserved::Int32
    accept_tol::Cdouble
    speed_tol::Cdouble
    parallel::Ptr{Cvoid}
    parallel_user::Ptr{Cvoid}
    sleep_energy::Cdouble
    sleep_time::Cdouble
end

# simulation.h
struct perp_report
    struct_size::UInt32
    max_active::Int32
    steps::Int64
    active::Int64
    impacts::Int64
    solver_iterations::Int64
    failures::Int64
    retries::Int64
    accepted::Int64
    relaxed::Int64
    penetration::Cdouble
    residual::Cdouble
    newton::Int64
    dropped::Int64
    left_out::Int64
    speed_residual::Cdouble
    asleep::Int64
end

# pool.h
struct perp_pool_contact
    systems::NTuple{2, Int32}
    law::Int32
    reserved::Int32
    identity::NTuple{2, UInt32}
    place::perp_contact_place
end

# pool.h
struct perp_contact_pool
    struct_size::UInt32
    capacity::Int32
    max_per_system::Int32
    plane::Int32
    n_laws::Int32
    reserved::Int32
    laws::Ptr{Cvoid}
    find::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# builder.h
struct perp_owner
    struct_size::UInt32
    flags::UInt32
    user::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
    key::Ptr{Cvoid}
    key_bytes::Csize_t
    kept::Ptr{Cvoid}
    n_kept::Csize_t
end

# check.h
struct perp_derivative_report
    struct_size::UInt32
    compared::Int32
    wrong::Int32
    found::Int32
    index::Int32
    row::Int32
    column::Int32
    overrun::Int32
    jacobian::Ptr{UInt8}
    given::Cdouble
    expected::Cdouble
    error::Cdouble
end

# contact_list.h
struct perp_contact_view
    interaction::Int32
    copy::Int32
    systems::NTuple{2, Int32}
    identity::NTuple{2, UInt32}
    law::Int32
    rows::Int32
    located::Int32
    reserved::Int32
    gap::Cdouble
    ydot::Ptr{Cdouble}
    lambda::Ptr{Cdouble}
    point::NTuple{3, Cdouble}
    frame::NTuple{9, Cdouble}
    impulse::NTuple{3, Cdouble}
    force::NTuple{3, Cdouble}
    couple::NTuple{3, Cdouble}
end

# multiple_impact.h
struct perp_multiple_impact_options
    struct_size::UInt32
    compliance::Int32
    exponent::Cdouble
    step::Cdouble
    tol::Cdouble
    max_steps::Int32
    reserved::Int32
    stiffness::Ptr{Cdouble}
end

# event_driven.h
struct perp_event_state
    t::Cdouble
    q::Ptr{Cdouble}
    v::Ptr{Cdouble}
    x::Ptr{Cdouble}
    n_q::Int32
    n_v::Int32
    n_x::Int32
    reserved::Int32
end

# event_driven.h
struct perp_guard
    value::Ptr{Cvoid}
    reset::Ptr{Cvoid}
    user::Ptr{Cvoid}
    direction::Int32
    reserved::Int32
end

# event_driven.h
struct perp_schedule
    times::Ptr{Cdouble}
    n_times::Int32
    reserved::Int32
    first::Cdouble
    period::Cdouble
    reset::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# event_driven.h
struct perp_event_options
    struct_size::UInt32
    order::Int32
    t0::Cdouble
    rtol::Cdouble
    atol::Cdouble
    atols::Ptr{Cdouble}
    smooth::Ptr{Cvoid}
    linear::Int32
    max_steps::Int32
    h_first::Cdouble
    h_max::Cdouble
    contact_tol::Cdouble
    min_gap::Cdouble
    velocity_tol::Cdouble
    impact::Int32
    zeno::Int32
    zeno_tol::Cdouble
    storm_events::Int32
    samples::Int32
    storm_time::Cdouble
    lzb::Ptr{Cvoid}
    stepping::Ptr{Cvoid}
    solver::Ptr{Cvoid}
    solver_options::Ptr{Cvoid}
    guards::Ptr{Cvoid}
    schedules::Ptr{Cvoid}
    n_guards::Int32
    n_schedules::Int32
end

# event_driven.h
struct perp_event_change
    kind::Int32
    index::Int32
    copy::Int32
    before::Int32
    after::Int32
end

# event_driven.h
struct perp_event
    struct_size::UInt32
    kinds::UInt32
    t::Cdouble
    error::Cdouble
    until::Cdouble
    q::Ptr{Cdouble}
    v::Ptr{Cdouble}
    x::Ptr{Cdouble}
    impulse::Ptr{Cdouble}
    changes::Ptr{Cvoid}
    n_changes::Int32
    n_q::Int32
    n_v::Int32
    n_x::Int32
    number::Int64
    n_rows::Int32
    reserved::Int32
end

# event_driven.h
struct perp_event_observer
    struct_size::UInt32
    n_times::Int32
    times::Ptr{Cdouble}
    first::Cdouble
    every::Cdouble
    output::Ptr{Cvoid}
    event::Ptr{Cvoid}
    step::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# event_driven.h
struct perp_event_report
    struct_size::UInt32
    reserved::Int32
    events::Int64
    impacts::Int64
    switches::Int64
    jumps::Int64
    handovers::Int64
    restarts::Int64
    problems::Int64
    corrections::Int64
    unresolved::Int64
    steps::Int64
    rejected::Int64
    evaluations::Int64
    jacobians::Int64
    guards::Int64
    drift::Cdouble
    missed::Int64
    indeterminate::Int64
end

# sweeps.h
struct perp_pgs_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    omega::Cdouble
    regularisation::Cdouble
    symmetric::Int32
    check::Int32
end

# sweeps.h
struct perp_nsgs_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    omega::Cdouble
    regularisation::Cdouble
    order::Int32
    acceleration::Int32
    depth::Int32
    freeze::Int32
    check::Int32
    colours::Int32
    parallel::Ptr{Cvoid}
    parallel_user::Ptr{Cvoid}
end

# sweeps.h
struct perp_cpg_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    proportion::Cdouble
end

# fc.h
struct perp_fc
    contacts::Int32
    dim::Int32
    ld::Int32
    reserved::Int32
    W::Ptr{Cdouble}
    q::Ptr{Cdouble}
    mu::Ptr{Cdouble}
end

# first_order.h
struct perp_first_order
    system::perp_system
    M::perp_matrix
    f::Ptr{Cvoid}
    f_dx::Ptr{Cvoid}
    user::Ptr{Cvoid}
    control::perp_control
    z::Ptr{Cdouble}
    typical::Ptr{Cdouble}
    n_z::Int32
    reserved::Int32
end

# first_order_relation.h
struct perp_first_order_relation
    relation::perp_relation
    h::Ptr{Cvoid}
    g::Ptr{Cvoid}
    C::Ptr{Cvoid}
    D::Ptr{Cvoid}
    B::Ptr{Cvoid}
    K::Ptr{Cvoid}
    user::Ptr{Cvoid}
    z::Ptr{Cdouble}
    n_z::Int32
    reads::UInt32
    typical_x::Ptr{Cdouble}
    typical_lambda::Ptr{Cdouble}
    h_dt::Ptr{Cvoid}
end

# first_order_relation.h
struct perp_linear_varying_relation
    linear::perp_linear_relation
    C::Ptr{Cvoid}
    D::Ptr{Cvoid}
    B::Ptr{Cvoid}
    F::Ptr{Cvoid}
    e::Ptr{Cvoid}
    a::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# interior_point.h
struct perp_interior_point_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    correctors::Int32
    crossover::Int32
    sparse::Ptr{Cvoid}
end

# interior_point.h
struct perp_friction_interior_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    coupling::Int32
    crossover::Int32
    sparse::Ptr{Cvoid}
end

# joint.h
struct perp_joint
    relation::perp_relation
    kind::Int32
    reserved::Int32
    point_a::NTuple{3, Cdouble}
    point_b::NTuple{3, Cdouble}
    frame_a::NTuple{9, Cdouble}
    frame_b::NTuple{9, Cdouble}
    lead::Cdouble
end

# joint.h
struct perp_joint_coordinate
    relation::perp_relation
    joint::Ptr{Cvoid}
    coordinate::Int32
    use::Int32
    lower::Cdouble
    upper::Cdouble
    centre::Cdouble
    rate::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# joint.h
struct perp_gear
    relation::perp_relation
    teeth_a::Int32
    teeth_b::Int32
    frame_a::NTuple{9, Cdouble}
    frame_b::NTuple{9, Cdouble}
    carrier_a::NTuple{9, Cdouble}
    carrier_b::NTuple{9, Cdouble}
end

# lagrangian.h
struct perp_lagrangian
    system::perp_system
    M::perp_matrix
    mass::Ptr{Cvoid}
    gyroscopic::Ptr{Cvoid}
    gyroscopic_dq::Ptr{Cvoid}
    gyroscopic_dv::Ptr{Cvoid}
    internal::Ptr{Cvoid}
    internal_dq::Ptr{Cvoid}
    internal_dv::Ptr{Cvoid}
    external::Ptr{Cvoid}
    potential::Ptr{Cvoid}
    user::Ptr{Cvoid}
    f::Ptr{Cdouble}
    control::perp_control
    z::Ptr{Cdouble}
    typical_q::Ptr{Cdouble}
    typical_v::Ptr{Cdouble}
    n_z::Int32
    reserved::Int32
end

# lagrangian_relation.h
struct perp_lagrangian_relation
    relation::perp_relation
    h::Ptr{Cvoid}
    H::Ptr{Cvoid}
    h_dt::Ptr{Cvoid}
    D::Ptr{Cvoid}
    user::Ptr{Cvoid}
    z::Ptr{Cdouble}
    n_z::Int32
    reads::UInt32
    typical_q::Ptr{Cdouble}
    typical_lambda::Ptr{Cdouble}
    bodies::Int32
    reserved::Int32
    bias::Ptr{Cvoid}
end

# lagrangian_relation.h
struct perp_lagrangian_velocity_relation
    relation::perp_relation
    g::Ptr{Cvoid}
    H::Ptr{Cvoid}
    user::Ptr{Cvoid}
    z::Ptr{Cdouble}
    n_z::Int32
    bodies::Int32
    typical_v::Ptr{Cdouble}
    bias::Ptr{Cvoid}
end

# lagrangian_relation.h
struct perp_lagrangian_contact_relation
    relation::perp_relation
    h::Ptr{Cvoid}
    G::Ptr{Cvoid}
    T::Ptr{Cvoid}
    h_dt::Ptr{Cvoid}
    s::Ptr{Cvoid}
    user::Ptr{Cvoid}
    z::Ptr{Cdouble}
    n_z::Int32
    size::Int32
    typical_q::Ptr{Cdouble}
    bodies::Int32
    reserved::Int32
    bias::Ptr{Cvoid}
end

# log.h
struct perp_log_quantity
    kind::Ptr{UInt8}
    name::Ptr{UInt8}
    unit::Ptr{UInt8}
    description::Ptr{UInt8}
    member_names::Ptr{Cvoid}
    component_names::Ptr{Cvoid}
    component_units::Ptr{Cvoid}
    objects::Ptr{Int32}
    members::Int32
    components::Int32
    source::Int32
    reserved::Int32
end

# log.h
struct perp_log_schema
    struct_size::UInt32
    n_quantities::Int32
    quantities::Ptr{Cvoid}
    program::Ptr{UInt8}
    model_name::Ptr{UInt8}
    model::Ptr{UInt8}
    options::Ptr{UInt8}
end

# log.h
struct perp_log_options
    struct_size::UInt32
    every::Int32
    float32::Int32
    block_bytes::Int32
    sync_seconds::Cdouble
    select::Ptr{UInt8}
    contact_lists::Int32
    reserved::Int32
end

# log.h
struct perp_log_event
    t::Cdouble
    kind::Int32
    index::Int32
    copy::Int32
    before::Int32
    after::Int32
    n_impulse::Int32
    error::Cdouble
    until::Cdouble
    impulse::Ptr{Cdouble}
end

# log.h
struct perp_log_contact
    systems::NTuple{2, Int32}
    identity::NTuple{2, UInt32}
    law::Int32
    rows::Int32
    gap::Cdouble
    point::NTuple{3, Cdouble}
    normal::NTuple{3, Cdouble}
    tangent::NTuple{3, Cdouble}
    lambda::NTuple{5, Cdouble}
end

# log.h
struct perp_log_summary
    struct_size::UInt32
    major::Int32
    minor::Int32
    perp_version::Int32
    every::Int32
    float32::Int32
    n_values::Int32
    ended::Int32
    samples::Int64
    events::Int64
    checkpoints::Int64
    notes::Int64
    bytes::Int64
    whole::Int64
    contact_lists::Int64
end

# log.h
struct perp_log_record
    struct_size::UInt32
    type_::Int32
    count::Int32
    status::Int32
    t::Cdouble
    first::Int64
    offered::Int64
    times::Ptr{Cdouble}
    values::Ptr{Cdouble}
    event::perp_log_event
    name::Ptr{UInt8}
    text::Ptr{UInt8}
    report::Ptr{UInt8}
    bytes::Ptr{Cvoid}
    n_bytes::Csize_t
    contacts::Ptr{Cvoid}
end

# mcp.h
struct perp_mcp
    n::Int32
    reserved::Int32
    function_::Ptr{Cvoid}
    jacobian::Ptr{Cvoid}
    layout::perp_matrix
    lower::Ptr{Cdouble}
    upper::Ptr{Cdouble}
    user::Ptr{Cvoid}
end

# mcp.h
struct perp_mcp_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    mode::Int32
    max_pivots::Int32
    crash::Int32
    restarts::Int32
    memory::Int32
    watchdog::Int32
    decrease::Cdouble
end

# newton.h
struct perp_newton_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    history::Int32
    restarts::Int32
end

# newton.h
struct perp_friction_newton_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    function_::Int32
    search::Int32
    history::Int32
    sweeps::Int32
    proximal::Cdouble
    sparse::Ptr{Cvoid}
end

# pivoting.h
struct perp_lemke_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    covering::Ptr{Cdouble}
end

# pivoting.h
struct perp_block_pivoting_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    proximal::Cdouble
    patience::Int32
    reserved::Int32
end

# pivoting.h
struct perp_box_pivoting_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    covering::Ptr{Cdouble}
    proximal::Cdouble
end

# pivoting.h
struct perp_active_set_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    proximal::Cdouble
end

# pivoting.h
struct perp_enumeration_report
    struct_size::UInt32
    solutions::Int32
    nodes::Int32
    complete::Int32
    faces::Int32
end

# qp.h
struct perp_qp
    n::Int32
    m::Int32
    P::perp_matrix
    A::perp_matrix
    c::Ptr{Cdouble}
    row_lower::Ptr{Cdouble}
    row_upper::Ptr{Cdouble}
    lower::Ptr{Cdouble}
    upper::Ptr{Cdouble}
end

# qp.h
struct perp_qp_residual
    struct_size::UInt32
    worst::Int32
    primal::Cdouble
    dual::Cdouble
    gap::Cdouble
    relative_primal::Cdouble
    relative_dual::Cdouble
    relative_gap::Cdouble
    primal_hat::Cdouble
    dual_hat::Cdouble
    primal_rounding::Cdouble
    dual_rounding::Cdouble
    objective::Cdouble
end

# sensitivity.h
struct perp_sensitivity_options
    struct_size::UInt32
    reserved::Int32
    tol::Cdouble
end

# sensitivity.h
struct perp_sensitivity
    n::Int32
    n_free::Int32
    n_degenerate::Int32
    reserved::Int32
    state::Ptr{UInt8}
    data::Ptr{Cvoid}
end

# vi.h
struct perp_vi
    n::Int32
    reserved::Int32
    function_::Ptr{Cvoid}
    project::Ptr{Cvoid}
    user::Ptr{Cvoid}
end

# vi.h
struct perp_vi_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    step::Cdouble
    ratio::Cdouble
    shrink::Cdouble
    grow::Cdouble
end

# vi.h
struct perp_avi_pivoting_options
    struct_size::UInt32
    max_iter::Int32
    tol::Cdouble
    observe::Ptr{Cvoid}
    user::Ptr{Cvoid}
    budget::Cdouble
    kind::Ptr{UInt8}
    engine::Ptr{Cvoid}
end

# vi.h
struct perp_avi
    n::Int32
    ldM::Int32
    M::Ptr{Cdouble}
    q::Ptr{Cdouble}
    m::Int32
    ldH::Int32
    H::Ptr{Cdouble}
    K::Ptr{Cdouble}
end

# base.h
function perp_status_string(status)
    return @ccall libperp.perp_status_string(status::Int32)::Cstring
end
function perp_version()
    return @ccall libperp.perp_version()::Int32
end
function perp_version_string()
    return @ccall libperp.perp_version_string()::Cstring
end

# matrix.h
function perp_matrix_check(matrix, info)
    return @ccall libperp.perp_matrix_check(matrix::Ptr{perp_matrix}, info::Ptr{perp_info})::Int32
end
function perp_matrix_multiply(A, x, y)
    return @ccall libperp.perp_matrix_multiply(
        A::Ptr{perp_matrix},
        x::Ptr{Cdouble},
        y::Ptr{Cdouble})::Int32
end
function perp_matrix_entry(A, i, j)
    return @ccall libperp.perp_matrix_entry(A::Ptr{perp_matrix}, i::Int32, j::Int32)::Cdouble
end

# law.h
function perp_equality_init(law, size)
    return @ccall libperp.perp_equality_init(law::Ptr{perp_equality}, size::Csize_t)::Int32
end
function perp_complementarity_init(law, size)
    return @ccall libperp.perp_complementarity_init(
        law::Ptr{perp_complementarity},
        size::Csize_t)::Int32
end
function perp_newton_impact_init(law, size)
    return @ccall libperp.perp_newton_impact_init(
        law::Ptr{perp_newton_impact},
        size::Csize_t)::Int32
end
function perp_box_init(law, size)
    return @ccall libperp.perp_box_init(law::Ptr{perp_box}, size::Csize_t)::Int32
end
function perp_polyhedron_init(law, size)
    return @ccall libperp.perp_polyhedron_init(law::Ptr{perp_polyhedron}, size::Csize_t)::Int32
end
function perp_friction_init(law, size)
    return @ccall libperp.perp_friction_init(law::Ptr{perp_friction}, size::Csize_t)::Int32
end
function perp_friction_small_init(law, size)
    return @ccall libperp.perp_friction_small_init(law::Ptr{perp_friction}, size::Csize_t)::Int32
end
function perp_rolling_init(law, size)
    return @ccall libperp.perp_rolling_init(law::Ptr{perp_rolling}, size::Csize_t)::Int32
end
function perp_mixed_init(law, size)
    return @ccall libperp.perp_mixed_init(law::Ptr{perp_mixed}, size::Csize_t)::Int32
end
function perp_compliant_init(law, size)
    return @ccall libperp.perp_compliant_init(law::Ptr{perp_compliant}, size::Csize_t)::Int32
end
function perp_fremond_init(law, size)
    return @ccall libperp.perp_fremond_init(law::Ptr{perp_fremond}, size::Csize_t)::Int32
end
function perp_cohesive_init(law, size)
    return @ccall libperp.perp_cohesive_init(law::Ptr{perp_cohesive}, size::Csize_t)::Int32
end
function perp_user_impact_init(law, size, components)
    return @ccall libperp.perp_user_impact_init(
        law::Ptr{perp_user_impact},
        size::Csize_t,
        components::Int32)::Int32
end
function perp_law_check(law, info)
    return @ccall libperp.perp_law_check(law::Ptr{perp_law}, info::Ptr{perp_info})::Int32
end
function perp_law_verify_workspace(law)
    return @ccall libperp.perp_law_verify_workspace(law::Ptr{perp_law})::Csize_t
end
function perp_law_verify(law, state, y, lambda, verdict, work, work_bytes)
    return @ccall libperp.perp_law_verify(
        law::Ptr{perp_law},
        state::Ptr{Cvoid},
        y::Ptr{Cdouble},
        lambda::Ptr{Cdouble},
        verdict::Ptr{perp_law_verdict},
        work::Ptr{Cvoid},
        work_bytes::Csize_t)::Int32
end

# problem.h
function perp_problem_check(problem, info)
    return @ccall libperp.perp_problem_check(
        problem::Ptr{perp_problem},
        info::Ptr{perp_info})::Int32
end
function perp_problem_residual_workspace(problem)
    return @ccall libperp.perp_problem_residual_workspace(problem::Ptr{perp_problem})::Csize_t
end
function perp_problem_residual(problem, lambda, y, residual, work, work_bytes)
    return @ccall libperp.perp_problem_residual(
        problem::Ptr{perp_problem},
        lambda::Ptr{Cdouble},
        y::Ptr{Cdouble},
        residual::Ptr{perp_residual},
        work::Ptr{Cvoid},
        work_bytes::Csize_t)::Int32
end
function perp_problem_certificate(problem, u, bound, work, work_bytes)
    return @ccall libperp.perp_problem_certificate(
        problem::Ptr{perp_problem},
        u::Ptr{Cdouble},
        bound::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t)::Int32
end
function perp_residual_solved(residual, tol)
    return @ccall libperp.perp_residual_solved(residual::Ptr{perp_residual}, tol::Cdouble)::Int32
end

# solver.h
function perp_solver_options_init(opts, size)
    return @ccall libperp.perp_solver_options_init(
        opts::Ptr{perp_solver_options},
        size::Csize_t)::Cvoid
end
function perp_solver_budget(n)
    return @ccall libperp.perp_solver_budget(n::Int32)::Cdouble
end
function perp_solver_check(solver, options, info)
    return @ccall libperp.perp_solver_check(
        solver::Ptr{perp_solver},
        options::Ptr{Cvoid},
        info::Ptr{perp_info})::Int32
end
function perp_problem_shape(problem, shape)
    return @ccall libperp.perp_problem_shape(
        problem::Ptr{perp_problem},
        shape::Ptr{perp_shape})::Cvoid
end
function perp_solver_workspace(solver, problem, options)
    return @ccall libperp.perp_solver_workspace(
        solver::Ptr{perp_solver},
        problem::Ptr{perp_problem},
        options::Ptr{Cvoid})::Csize_t
end
function perp_solver_shape_workspace(solver, shape, options)
    return @ccall libperp.perp_solver_shape_workspace(
        solver::Ptr{perp_solver},
        shape::Ptr{perp_shape},
        options::Ptr{Cvoid})::Csize_t
end
function perp_solver_warm_bytes(solver, problem)
    return @ccall libperp.perp_solver_warm_bytes(
        solver::Ptr{perp_solver},
        problem::Ptr{perp_problem})::Csize_t
end
function perp_solver_solve(solver, problem, options, lambda, y, warm, work, work_bytes, info)
    return @ccall libperp.perp_solver_solve(
        solver::Ptr{perp_solver},
        problem::Ptr{perp_problem},
        options::Ptr{Cvoid},
        lambda::Ptr{Cdouble},
        y::Ptr{Cdouble},
        warm::Ptr{perp_warm},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_warm_set_modes(warm, n, modes)
    return @ccall libperp.perp_warm_set_modes(
        warm::Ptr{perp_warm},
        n::Int32,
        modes::Ptr{UInt8})::Int32
end
function perp_warm_get_modes(warm, n, modes)
    return @ccall libperp.perp_warm_get_modes(
        warm::Ptr{perp_warm},
        n::Int32,
        modes::Ptr{UInt8})::Int32
end

# sparse.h
function perp_sparse_klu()
    return @ccall libperp.perp_sparse_klu()::Ptr{perp_sparse}
end
function perp_sparse_ldl()
    return @ccall libperp.perp_sparse_ldl()::Ptr{perp_sparse}
end

# global.h
function perp_global_check(problem, info)
    return @ccall libperp.perp_global_check(
        problem::Ptr{perp_global_problem},
        info::Ptr{perp_info})::Int32
end
function perp_global_residual_workspace(problem)
    return @ccall libperp.perp_global_residual_workspace(problem::Ptr{perp_global_problem})::Csize_t
end
function perp_global_residual(problem, v, r, u, parts, work, work_bytes)
    return @ccall libperp.perp_global_residual(
        problem::Ptr{perp_global_problem},
        v::Ptr{Cdouble},
        r::Ptr{Cdouble},
        u::Ptr{Cdouble},
        parts::Ptr{perp_global_parts},
        work::Ptr{Cvoid},
        work_bytes::Csize_t)::Int32
end
function perp_global_solved(parts, tol)
    return @ccall libperp.perp_global_solved(parts::Ptr{perp_global_parts}, tol::Cdouble)::Int32
end
function perp_global_options_init(opts, size)
    return @ccall libperp.perp_global_options_init(
        opts::Ptr{perp_global_options},
        size::Csize_t)::Cvoid
end
function perp_global_scratch(problem)
    return @ccall libperp.perp_global_scratch(problem::Ptr{perp_global_problem})::Csize_t
end
function perp_global_workspace(problem, options, scratch, scratch_bytes)
    return @ccall libperp.perp_global_workspace(
        problem::Ptr{perp_global_problem},
        options::Ptr{perp_global_options},
        scratch::Ptr{Cvoid},
        scratch_bytes::Csize_t)::Csize_t
end
function perp_global_form(problem, scratch, scratch_bytes)
    return @ccall libperp.perp_global_form(
        problem::Ptr{perp_global_problem},
        scratch::Ptr{Cvoid},
        scratch_bytes::Csize_t)::Int32
end
function perp_global_solve(problem, options, v, r, u, warm, work, work_bytes, info)
    return @ccall libperp.perp_global_solve(
        problem::Ptr{perp_global_problem},
        options::Ptr{perp_global_options},
        v::Ptr{Cdouble},
        r::Ptr{Cdouble},
        u::Ptr{Cdouble},
        warm::Ptr{perp_warm},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_global_condense_workspace(problem, sparse, scratch, scratch_bytes)
    return @ccall libperp.perp_global_condense_workspace(
        problem::Ptr{perp_global_problem},
        sparse::Ptr{perp_sparse},
        scratch::Ptr{Cvoid},
        scratch_bytes::Csize_t)::Csize_t
end
function perp_global_condense(problem, sparse, condensed, work, work_bytes, info)
    return @ccall libperp.perp_global_condense(
        problem::Ptr{perp_global_problem},
        sparse::Ptr{perp_sparse},
        condensed::Ptr{perp_problem},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

# lcp.h
function perp_lcp_workspace(solver, n, options)
    return @ccall libperp.perp_lcp_workspace(
        solver::Ptr{perp_solver},
        n::Int32,
        options::Ptr{Cvoid})::Csize_t
end
function perp_lcp_solve(solver, problem, options, z, w, work, work_bytes, info)
    return @ccall libperp.perp_lcp_solve(
        solver::Ptr{perp_solver},
        problem::Ptr{perp_lcp},
        options::Ptr{Cvoid},
        z::Ptr{Cdouble},
        w::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_mlcp_workspace(solver, n, options)
    return @ccall libperp.perp_mlcp_workspace(
        solver::Ptr{perp_solver},
        n::Int32,
        options::Ptr{Cvoid})::Csize_t
end
function perp_mlcp_solve(solver, problem, options, z, w, work, work_bytes, info)
    return @ccall libperp.perp_mlcp_solve(
        solver::Ptr{perp_solver},
        problem::Ptr{perp_mlcp},
        options::Ptr{Cvoid},
        z::Ptr{Cdouble},
        w::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

# admm.h
function perp_admm_options_init(opts, size)
    return @ccall libperp.perp_admm_options_init(opts::Ptr{perp_admm_options}, size::Csize_t)::Cvoid
end
function perp_solver_admm()
    return @ccall libperp.perp_solver_admm()::Ptr{perp_solver}
end
function perp_global_admm_workspace(problem, options)
    return @ccall libperp.perp_global_admm_workspace(
        problem::Ptr{perp_global_problem},
        options::Ptr{perp_admm_options})::Csize_t
end
function perp_global_admm(problem, options, v, r, u, work, work_bytes, info)
    return @ccall libperp.perp_global_admm(
        problem::Ptr{perp_global_problem},
        options::Ptr{perp_admm_options},
        v::Ptr{Cdouble},
        r::Ptr{Cdouble},
        u::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

# auto.h
function perp_auto_options_init(opts, size)
    return @ccall libperp.perp_auto_options_init(opts::Ptr{perp_auto_options}, size::Csize_t)::Cvoid
end
function perp_solver_auto()
    return @ccall libperp.perp_solver_auto()::Ptr{perp_solver}
end

# backend.h
function perp_backend_lapack()
    return @ccall libperp.perp_backend_lapack()::Ptr{perp_backend}
end

# control.h
function perp_control_sampled(t, q, v, z, out, user)
    return @ccall libperp.perp_control_sampled(
        t::Cdouble,
        q::Ptr{Cdouble},
        v::Ptr{Cdouble},
        z::Ptr{Cdouble},
        out::Ptr{Cdouble},
        user::Ptr{Cvoid})::Int32
end

# model.h
function perp_lagrangian_linear_init(system, size, n)
    return @ccall libperp.perp_lagrangian_linear_init(
        system::Ptr{perp_lagrangian_linear},
        size::Csize_t,
        n::Int32)::Int32
end
function perp_lagrangian_linear_constant_init(system, size, n)
    return @ccall libperp.perp_lagrangian_linear_constant_init(
        system::Ptr{perp_lagrangian_linear},
        size::Csize_t,
        n::Int32)::Int32
end
function perp_first_order_linear_init(system, size, n)
    return @ccall libperp.perp_first_order_linear_init(
        system::Ptr{perp_first_order_linear},
        size::Csize_t,
        n::Int32)::Int32
end
function perp_linear_relation_init(relation, size, m, n)
    return @ccall libperp.perp_linear_relation_init(
        relation::Ptr{perp_linear_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end
function perp_lagrangian_linear_relation_init(relation, size, m, n)
    return @ccall libperp.perp_lagrangian_linear_relation_init(
        relation::Ptr{perp_lagrangian_linear_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end
function perp_model_check(model, info)
    return @ccall libperp.perp_model_check(model::Ptr{perp_model}, info::Ptr{perp_info})::Int32
end

# boundary.h
function perp_prescribed_velocity_init(relation, size, m, n)
    return @ccall libperp.perp_prescribed_velocity_init(
        relation::Ptr{perp_prescribed_velocity},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end

# piecewise_linear.h
function perp_piecewise_linear_check(graph, info)
    return @ccall libperp.perp_piecewise_linear_check(
        graph::Ptr{perp_piecewise_linear},
        info::Ptr{perp_info})::Int32
end
function perp_piecewise_linear_pieces(graph)
    return @ccall libperp.perp_piecewise_linear_pieces(graph::Ptr{perp_piecewise_linear})::Int32
end
function perp_piecewise_linear_distance(graph, y, lambda)
    return @ccall libperp.perp_piecewise_linear_distance(
        graph::Ptr{perp_piecewise_linear},
        y::Cdouble,
        lambda::Cdouble)::Cdouble
end
function perp_piecewise_relation_memory(inner, graph)
    return @ccall libperp.perp_piecewise_relation_memory(
        inner::Ptr{perp_relation},
        graph::Ptr{perp_piecewise_linear})::Csize_t
end
function perp_piecewise_relation_init(relation, size, inner, graph, memory, bytes, info)
    return @ccall libperp.perp_piecewise_relation_init(
        relation::Ptr{perp_piecewise_relation},
        size::Csize_t,
        inner::Ptr{perp_relation},
        graph::Ptr{perp_piecewise_linear},
        memory::Ptr{Cvoid},
        bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_piecewise_relation_of(relation)
    return @ccall libperp.perp_piecewise_relation_of(
        relation::Ptr{perp_relation})::Ptr{perp_piecewise_relation}
end
function perp_piecewise_relation_values(relation, w, z, y, lambda)
    return @ccall libperp.perp_piecewise_relation_values(
        relation::Ptr{perp_piecewise_relation},
        w::Ptr{Cdouble},
        z::Ptr{Cdouble},
        y::Ptr{Cdouble},
        lambda::Ptr{Cdouble})::Int32
end

# newton_euler.h
function perp_body_init(body, size)
    return @ccall libperp.perp_body_init(body::Ptr{perp_body}, size::Csize_t)::Int32
end
function perp_rotation_matrix(Q, R)
    return @ccall libperp.perp_rotation_matrix(Q::Ptr{Cdouble}, R::Ptr{Cdouble})::Cvoid
end
function perp_rotation_quaternion(axis, angle, Q)
    return @ccall libperp.perp_rotation_quaternion(
        axis::Ptr{Cdouble},
        angle::Cdouble,
        Q::Ptr{Cdouble})::Cvoid
end
function perp_body_move(q, d, out)
    return @ccall libperp.perp_body_move(q::Ptr{Cdouble}, d::Ptr{Cdouble}, out::Ptr{Cdouble})::Cvoid
end
function perp_body_contact_init(contact, size, m, bodies)
    return @ccall libperp.perp_body_contact_init(
        contact::Ptr{perp_body_contact},
        size::Csize_t,
        m::Int32,
        bodies::Int32)::Int32
end
function perp_locate_sphere_plane(t, q, place, user)
    return @ccall libperp.perp_locate_sphere_plane(
        t::Cdouble,
        q::Ptr{Cdouble},
        place::Ptr{perp_contact_place},
        user::Ptr{Cvoid})::Int32
end
function perp_locate_sphere_sphere(t, q, place, user)
    return @ccall libperp.perp_locate_sphere_sphere(
        t::Cdouble,
        q::Ptr{Cdouble},
        place::Ptr{perp_contact_place},
        user::Ptr{Cvoid})::Int32
end
function perp_locate_point_plane(t, q, place, user)
    return @ccall libperp.perp_locate_point_plane(
        t::Cdouble,
        q::Ptr{Cdouble},
        place::Ptr{perp_contact_place},
        user::Ptr{Cvoid})::Int32
end

# simulation.h
function perp_integrator_moreau_jean()
    return @ccall libperp.perp_integrator_moreau_jean()::Ptr{Cvoid}
end
function perp_integrator_moreau_jean_constant()
    return @ccall libperp.perp_integrator_moreau_jean_constant()::Ptr{Cvoid}
end
function perp_integrator_schatzman_paoli()
    return @ccall libperp.perp_integrator_schatzman_paoli()::Ptr{Cvoid}
end
function perp_integrator_theta()
    return @ccall libperp.perp_integrator_theta()::Ptr{Cvoid}
end
function perp_integrator_theta_constant()
    return @ccall libperp.perp_integrator_theta_constant()::Ptr{Cvoid}
end
function perp_integrator_theta_gamma()
    return @ccall libperp.perp_integrator_theta_gamma()::Ptr{Cvoid}
end
function perp_integrator_theta_gamma_full()
    return @ccall libperp.perp_integrator_theta_gamma_full()::Ptr{Cvoid}
end
function perp_global_step()
    return @ccall libperp.perp_global_step()::Ptr{perp_step_solver}
end
function perp_simulation_options_init(opts, size)
    return @ccall libperp.perp_simulation_options_init(
        opts::Ptr{perp_simulation_options},
        size::Csize_t)::Cvoid
end
function perp_simulation_state_size(model, options)
    return @ccall libperp.perp_simulation_state_size(
        model::Ptr{perp_model},
        options::Ptr{perp_simulation_options})::Csize_t
end
function perp_simulation_work_size(model, options)
    return @ccall libperp.perp_simulation_work_size(
        model::Ptr{perp_model},
        options::Ptr{perp_simulation_options})::Csize_t
end
function perp_simulation_init(out, model, options, state, state_bytes, work, work_bytes, info)
    return @ccall libperp.perp_simulation_init(
        out::Ptr{Ptr{Cvoid}},
        model::Ptr{perp_model},
        options::Ptr{perp_simulation_options},
        state::Ptr{Cvoid},
        state_bytes::Csize_t,
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_simulation_resume(out, model, options, state, state_bytes, work, work_bytes, info)
    return @ccall libperp.perp_simulation_resume(
        out::Ptr{Ptr{Cvoid}},
        model::Ptr{perp_model},
        options::Ptr{perp_simulation_options},
        state::Ptr{Cvoid},
        state_bytes::Csize_t,
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_simulation_release(sim)
    return @ccall libperp.perp_simulation_release(sim::Ptr{Cvoid})::Cvoid
end
function perp_simulation_step(sim, info)
    return @ccall libperp.perp_simulation_step(sim::Ptr{Cvoid}, info::Ptr{perp_info})::Int32
end
function perp_simulation_advance(sim, h, info)
    return @ccall libperp.perp_simulation_advance(
        sim::Ptr{Cvoid},
        h::Cdouble,
        info::Ptr{perp_info})::Int32
end
function perp_simulation_run(sim, steps, until, observe, user, info)
    return @ccall libperp.perp_simulation_run(
        sim::Ptr{Cvoid},
        steps::Int32,
        until::Cdouble,
        observe::Ptr{Cvoid},
        user::Ptr{Cvoid},
        info::Ptr{perp_info})::Int32
end
function perp_simulation_set_active(sim, system, active)
    return @ccall libperp.perp_simulation_set_active(
        sim::Ptr{Cvoid},
        system::Int32,
        active::Int32)::Int32
end
function perp_simulation_is_active(sim, system)
    return @ccall libperp.perp_simulation_is_active(sim::Ptr{Cvoid}, system::Int32)::Int32
end
function perp_simulation_is_asleep(sim, system)
    return @ccall libperp.perp_simulation_is_asleep(sim::Ptr{Cvoid}, system::Int32)::Int32
end
function perp_simulation_awake(sim)
    return @ccall libperp.perp_simulation_awake(sim::Ptr{Cvoid})::Int32
end
function perp_simulation_wake(sim, system)
    return @ccall libperp.perp_simulation_wake(sim::Ptr{Cvoid}, system::Int32)::Int32
end
function perp_simulation_set_state(sim, first, count, q, v, x, info)
    return @ccall libperp.perp_simulation_set_state(
        sim::Ptr{Cvoid},
        first::Int32,
        count::Int32,
        q::Ptr{Cdouble},
        v::Ptr{Cdouble},
        x::Ptr{Cdouble},
        info::Ptr{perp_info})::Int32
end
function perp_simulation_state(sim, bytes)
    return @ccall libperp.perp_simulation_state(sim::Ptr{Cvoid}, bytes::Ptr{Csize_t})::Ptr{Cvoid}
end
function perp_simulation_checkpoint_size(sim)
    return @ccall libperp.perp_simulation_checkpoint_size(sim::Ptr{Cvoid})::Csize_t
end
function perp_simulation_checkpoint(sim, sealed, bytes, info)
    return @ccall libperp.perp_simulation_checkpoint(
        sim::Ptr{Cvoid},
        sealed::Ptr{Cvoid},
        bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_simulation_unseal(model, options, sealed, sealed_bytes, accept, state, state_bytes, info)
    return @ccall libperp.perp_simulation_unseal(
        model::Ptr{perp_model},
        options::Ptr{perp_simulation_options},
        sealed::Ptr{Cvoid},
        sealed_bytes::Csize_t,
        accept::UInt32,
        state::Ptr{Cvoid},
        state_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_simulation_time(sim)
    return @ccall libperp.perp_simulation_time(sim::Ptr{Cvoid})::Cdouble
end
function perp_simulation_step_index(sim)
    return @ccall libperp.perp_simulation_step_index(sim::Ptr{Cvoid})::Int64
end
function perp_simulation_q(sim, system)
    return @ccall libperp.perp_simulation_q(sim::Ptr{Cvoid}, system::Int32)::Ptr{Cdouble}
end
function perp_simulation_v(sim, system)
    return @ccall libperp.perp_simulation_v(sim::Ptr{Cvoid}, system::Int32)::Ptr{Cdouble}
end
function perp_simulation_x(sim, system)
    return @ccall libperp.perp_simulation_x(sim::Ptr{Cvoid}, system::Int32)::Ptr{Cdouble}
end
function perp_simulation_y(sim, interaction)
    return @ccall libperp.perp_simulation_y(sim::Ptr{Cvoid}, interaction::Int32)::Ptr{Cdouble}
end
function perp_simulation_ydot(sim, interaction)
    return @ccall libperp.perp_simulation_ydot(sim::Ptr{Cvoid}, interaction::Int32)::Ptr{Cdouble}
end
function perp_simulation_lambda(sim, interaction)
    return @ccall libperp.perp_simulation_lambda(sim::Ptr{Cvoid}, interaction::Int32)::Ptr{Cdouble}
end
function perp_simulation_n_q(sim, system)
    return @ccall libperp.perp_simulation_n_q(sim::Ptr{Cvoid}, system::Int32)::Int32
end
function perp_simulation_n_v(sim, system)
    return @ccall libperp.perp_simulation_n_v(sim::Ptr{Cvoid}, system::Int32)::Int32
end
function perp_simulation_n_x(sim, system)
    return @ccall libperp.perp_simulation_n_x(sim::Ptr{Cvoid}, system::Int32)::Int32
end
function perp_simulation_n_rows(sim, interaction)
    return @ccall libperp.perp_simulation_n_rows(sim::Ptr{Cvoid}, interaction::Int32)::Int32
end
function perp_simulation_level(sim, interaction)
    return @ccall libperp.perp_simulation_level(sim::Ptr{Cvoid}, interaction::Int32)::Int32
end
function perp_simulation_law_state(sim, interaction, copy, bytes)
    return @ccall libperp.perp_simulation_law_state(
        sim::Ptr{Cvoid},
        interaction::Int32,
        copy::Int32,
        bytes::Ptr{Csize_t})::Ptr{Cvoid}
end
function perp_simulation_force(sim, interaction, force)
    return @ccall libperp.perp_simulation_force(
        sim::Ptr{Cvoid},
        interaction::Int32,
        force::Ptr{Cdouble})::Int32
end
function perp_simulation_islands(sim)
    return @ccall libperp.perp_simulation_islands(sim::Ptr{Cvoid})::Int32
end
function perp_simulation_problem(sim, island, problem, rows)
    return @ccall libperp.perp_simulation_problem(
        sim::Ptr{Cvoid},
        island::Int32,
        problem::Ptr{perp_problem},
        rows::Ptr{Ptr{Cvoid}})::Int32
end
function perp_simulation_energy(sim, kinetic, potential)
    return @ccall libperp.perp_simulation_energy(
        sim::Ptr{Cvoid},
        kinetic::Ptr{Cdouble},
        potential::Ptr{Cdouble})::Int32
end
function perp_simulation_work_done(sim, interaction, work, tangential)
    return @ccall libperp.perp_simulation_work_done(
        sim::Ptr{Cvoid},
        interaction::Int32,
        work::Ptr{Cdouble},
        tangential::Ptr{Cdouble})::Int32
end
function perp_simulation_report(sim, report)
    return @ccall libperp.perp_simulation_report(sim::Ptr{Cvoid}, report::Ptr{perp_report})::Int32
end

# pool.h
function perp_pool_add(out, contact, kept)
    return @ccall libperp.perp_pool_add(
        out::Ptr{Cvoid},
        contact::Ptr{perp_pool_contact},
        kept::Ptr{Int32})::Int32
end
function perp_pool_add_all(out, n, contacts, kept)
    return @ccall libperp.perp_pool_add_all(
        out::Ptr{Cvoid},
        n::Int32,
        contacts::Ptr{perp_pool_contact},
        kept::Ptr{Int32})::Int32
end
function perp_pool_gap_tol(model)
    return @ccall libperp.perp_pool_gap_tol(model::Ptr{perp_model})::Cdouble
end
function perp_pool_gap_tol_of_step(model, h)
    return @ccall libperp.perp_pool_gap_tol_of_step(model::Ptr{perp_model}, h::Cdouble)::Cdouble
end
function perp_pool_speed_tol(model, h)
    return @ccall libperp.perp_pool_speed_tol(model::Ptr{perp_model}, h::Cdouble)::Cdouble
end
function perp_pool_defaults(model, h, named, options)
    return @ccall libperp.perp_pool_defaults(
        model::Ptr{perp_model},
        h::Cdouble,
        named::Int32,
        options::Ptr{perp_simulation_options})::Cvoid
end

# builder.h
function perp_builder_create(out, info)
    return @ccall libperp.perp_builder_create(out::Ptr{Ptr{Cvoid}}, info::Ptr{perp_info})::Int32
end
function perp_builder_copy(out, from, info)
    return @ccall libperp.perp_builder_copy(
        out::Ptr{Ptr{Cvoid}},
        from::Ptr{Cvoid},
        info::Ptr{perp_info})::Int32
end
function perp_builder_destroy(builder)
    return @ccall libperp.perp_builder_destroy(builder::Ptr{Cvoid})::Cvoid
end
function perp_builder_add(builder, system, owner, id, info)
    return @ccall libperp.perp_builder_add(
        builder::Ptr{Cvoid},
        system::Ptr{perp_system},
        owner::Ptr{perp_owner},
        id::Ptr{Int32},
        info::Ptr{perp_info})::Int32
end
function perp_builder_set_q(builder, id, n, q0, info)
    return @ccall libperp.perp_builder_set_q(
        builder::Ptr{Cvoid},
        id::Int32,
        n::Int32,
        q0::Ptr{Cdouble},
        info::Ptr{perp_info})::Int32
end
function perp_builder_set_v(builder, id, n, v0, info)
    return @ccall libperp.perp_builder_set_v(
        builder::Ptr{Cvoid},
        id::Int32,
        n::Int32,
        v0::Ptr{Cdouble},
        info::Ptr{perp_info})::Int32
end
function perp_builder_set_x(builder, id, n, x0, info)
    return @ccall libperp.perp_builder_set_x(
        builder::Ptr{Cvoid},
        id::Int32,
        n::Int32,
        x0::Ptr{Cdouble},
        info::Ptr{perp_info})::Int32
end
function perp_builder_connect(builder, interaction, of_relation, of_law, id, info)
    return @ccall libperp.perp_builder_connect(
        builder::Ptr{Cvoid},
        interaction::Ptr{perp_interaction},
        of_relation::Ptr{perp_owner},
        of_law::Ptr{perp_owner},
        id::Ptr{Int32},
        info::Ptr{perp_info})::Int32
end
function perp_builder_connect_graph(builder, interaction, graph, of_relation, id, info)
    return @ccall libperp.perp_builder_connect_graph(
        builder::Ptr{Cvoid},
        interaction::Ptr{perp_interaction},
        graph::Ptr{perp_piecewise_linear},
        of_relation::Ptr{perp_owner},
        id::Ptr{Int32},
        info::Ptr{perp_info})::Int32
end
function perp_builder_pieces(builder, id)
    return @ccall libperp.perp_builder_pieces(
        builder::Ptr{Cvoid},
        id::Int32)::Ptr{perp_piecewise_relation}
end
function perp_builder_pool(builder, pool, owner, of_laws, info)
    return @ccall libperp.perp_builder_pool(
        builder::Ptr{Cvoid},
        pool::Ptr{perp_contact_pool},
        owner::Ptr{perp_owner},
        of_laws::Ptr{Cvoid},
        info::Ptr{perp_info})::Int32
end
function perp_builder_descriptions(builder)
    return @ccall libperp.perp_builder_descriptions(builder::Ptr{Cvoid})::Csize_t
end
function perp_builder_model(builder)
    return @ccall libperp.perp_builder_model(builder::Ptr{Cvoid})::Ptr{perp_model}
end
function perp_builder_options(builder)
    return @ccall libperp.perp_builder_options(builder::Ptr{Cvoid})::Ptr{perp_simulation_options}
end
function perp_builder_set(builder, name, value, info)
    return @ccall libperp.perp_builder_set(
        builder::Ptr{Cvoid},
        name::Cstring,
        value::Cdouble,
        info::Ptr{perp_info})::Int32
end
function perp_builder_simulate(builder, out, info)
    return @ccall libperp.perp_builder_simulate(
        builder::Ptr{Cvoid},
        out::Ptr{Ptr{Cvoid}},
        info::Ptr{perp_info})::Int32
end

# check.h
function perp_model_check_derivatives_workspace(model)
    return @ccall libperp.perp_model_check_derivatives_workspace(model::Ptr{perp_model})::Csize_t
end
function perp_model_check_derivatives(model, t, q, v, x, lambda, tol, work, bytes, report)
    return @ccall libperp.perp_model_check_derivatives(
        model::Ptr{perp_model},
        t::Cdouble,
        q::Ptr{Cdouble},
        v::Ptr{Cdouble},
        x::Ptr{Cdouble},
        lambda::Ptr{Cdouble},
        tol::Cdouble,
        work::Ptr{Cvoid},
        bytes::Csize_t,
        report::Ptr{perp_derivative_report})::Int32
end
function perp_model_check_callbacks(model, t, work, bytes, info)
    return @ccall libperp.perp_model_check_callbacks(
        model::Ptr{perp_model},
        t::Cdouble,
        work::Ptr{Cvoid},
        bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_model_relative_degree_workspace(model, interaction)
    return @ccall libperp.perp_model_relative_degree_workspace(
        model::Ptr{perp_model},
        interaction::Int32)::Csize_t
end
function perp_model_relative_degree(model, interaction, t, q, v, x, degree, work, bytes, info)
    return @ccall libperp.perp_model_relative_degree(
        model::Ptr{perp_model},
        interaction::Int32,
        t::Cdouble,
        q::Ptr{Cdouble},
        v::Ptr{Cdouble},
        x::Ptr{Cdouble},
        degree::Ptr{Int32},
        work::Ptr{Cvoid},
        bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

# contact.h
function perp_contact_2d(W, q, mu, r, u)
    return @ccall libperp.perp_contact_2d(
        W::Ptr{Cdouble},
        q::Ptr{Cdouble},
        mu::Cdouble,
        r::Ptr{Cdouble},
        u::Ptr{Cdouble})::Int32
end
function perp_contact_3d(W, q, mu, r, u)
    return @ccall libperp.perp_contact_3d(
        W::Ptr{Cdouble},
        q::Ptr{Cdouble},
        mu::Cdouble,
        r::Ptr{Cdouble},
        u::Ptr{Cdouble})::Int32
end
function perp_contact_rolling_2d(W, q, mu, mu_rolling, r, u)
    return @ccall libperp.perp_contact_rolling_2d(
        W::Ptr{Cdouble},
        q::Ptr{Cdouble},
        mu::Cdouble,
        mu_rolling::Cdouble,
        r::Ptr{Cdouble},
        u::Ptr{Cdouble})::Int32
end
function perp_contact_rolling_3d(W, q, mu, mu_rolling, r, u)
    return @ccall libperp.perp_contact_rolling_3d(
        W::Ptr{Cdouble},
        q::Ptr{Cdouble},
        mu::Cdouble,
        mu_rolling::Cdouble,
        r::Ptr{Cdouble},
        u::Ptr{Cdouble})::Int32
end

# contact_list.h
function perp_simulation_contacts(sim, list, entry_bytes, capacity, count)
    return @ccall libperp.perp_simulation_contacts(
        sim::Ptr{Cvoid},
        list::Ptr{perp_contact_view},
        entry_bytes::Csize_t,
        capacity::Int32,
        count::Ptr{Int32})::Int32
end

# multiple_impact.h
function perp_multiple_impact_options_init(opts, size)
    return @ccall libperp.perp_multiple_impact_options_init(
        opts::Ptr{perp_multiple_impact_options},
        size::Csize_t)::Cvoid
end
function perp_multiple_impact_workspace(m)
    return @ccall libperp.perp_multiple_impact_workspace(m::Int32)::Csize_t
end
function perp_multiple_impact(m, W, ydot, e, options, impulse, energy, work, work_bytes, info)
    return @ccall libperp.perp_multiple_impact(
        m::Int32,
        W::Ptr{Cdouble},
        ydot::Ptr{Cdouble},
        e::Ptr{Cdouble},
        options::Ptr{perp_multiple_impact_options},
        impulse::Ptr{Cdouble},
        energy::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

# event_driven.h
function perp_smooth_runge_kutta()
    return @ccall libperp.perp_smooth_runge_kutta()::Ptr{Cvoid}
end
function perp_smooth_adams()
    return @ccall libperp.perp_smooth_adams()::Ptr{Cvoid}
end
function perp_smooth_bdf()
    return @ccall libperp.perp_smooth_bdf()::Ptr{Cvoid}
end
function perp_smooth_arkode()
    return @ccall libperp.perp_smooth_arkode()::Ptr{Cvoid}
end
function perp_smooth_ida()
    return @ccall libperp.perp_smooth_ida()::Ptr{Cvoid}
end
function perp_event_options_init(opts, size)
    return @ccall libperp.perp_event_options_init(
        opts::Ptr{perp_event_options},
        size::Csize_t)::Cvoid
end
function perp_event_driven_create(out, model, options, info)
    return @ccall libperp.perp_event_driven_create(
        out::Ptr{Ptr{Cvoid}},
        model::Ptr{perp_model},
        options::Ptr{perp_event_options},
        info::Ptr{perp_info})::Int32
end
function perp_event_driven_destroy(sim)
    return @ccall libperp.perp_event_driven_destroy(sim::Ptr{Cvoid})::Cvoid
end
function perp_event_driven_run(sim, until, observer, info)
    return @ccall libperp.perp_event_driven_run(
        sim::Ptr{Cvoid},
        until::Cdouble,
        observer::Ptr{perp_event_observer},
        info::Ptr{perp_info})::Int32
end
function perp_event_driven_next(sim, until, info)
    return @ccall libperp.perp_event_driven_next(
        sim::Ptr{Cvoid},
        until::Cdouble,
        info::Ptr{perp_info})::Int32
end
function perp_event_driven_event(sim)
    return @ccall libperp.perp_event_driven_event(sim::Ptr{Cvoid})::Ptr{perp_event}
end
function perp_event_driven_restart(sim, t, q, v, x, info)
    return @ccall libperp.perp_event_driven_restart(
        sim::Ptr{Cvoid},
        t::Cdouble,
        q::Ptr{Cdouble},
        v::Ptr{Cdouble},
        x::Ptr{Cdouble},
        info::Ptr{perp_info})::Int32
end
function perp_event_driven_message(sim)
    return @ccall libperp.perp_event_driven_message(sim::Ptr{Cvoid})::Cstring
end
function perp_event_driven_ending(sim, status, info, first, text, room)
    return @ccall libperp.perp_event_driven_ending(
        sim::Ptr{Cvoid},
        status::Int32,
        info::Ptr{perp_info},
        first::Int32,
        text::Ptr{UInt8},
        room::Csize_t)::Csize_t
end
function perp_event_driven_time(sim)
    return @ccall libperp.perp_event_driven_time(sim::Ptr{Cvoid})::Cdouble
end
function perp_event_driven_q(sim, system)
    return @ccall libperp.perp_event_driven_q(sim::Ptr{Cvoid}, system::Int32)::Ptr{Cdouble}
end
function perp_event_driven_v(sim, system)
    return @ccall libperp.perp_event_driven_v(sim::Ptr{Cvoid}, system::Int32)::Ptr{Cdouble}
end
function perp_event_driven_x(sim, system)
    return @ccall libperp.perp_event_driven_x(sim::Ptr{Cvoid}, system::Int32)::Ptr{Cdouble}
end
function perp_event_driven_y(sim, interaction)
    return @ccall libperp.perp_event_driven_y(sim::Ptr{Cvoid}, interaction::Int32)::Ptr{Cdouble}
end
function perp_event_driven_ydot(sim, interaction)
    return @ccall libperp.perp_event_driven_ydot(sim::Ptr{Cvoid}, interaction::Int32)::Ptr{Cdouble}
end
function perp_event_driven_lambda(sim, interaction)
    return @ccall libperp.perp_event_driven_lambda(
        sim::Ptr{Cvoid},
        interaction::Int32)::Ptr{Cdouble}
end
function perp_event_driven_force(sim, interaction, force)
    return @ccall libperp.perp_event_driven_force(
        sim::Ptr{Cvoid},
        interaction::Int32,
        force::Ptr{Cdouble})::Int32
end
function perp_event_driven_rate(sim, system)
    return @ccall libperp.perp_event_driven_rate(sim::Ptr{Cvoid}, system::Int32)::Ptr{Cdouble}
end
function perp_event_driven_n_q(sim, system)
    return @ccall libperp.perp_event_driven_n_q(sim::Ptr{Cvoid}, system::Int32)::Int32
end
function perp_event_driven_n_v(sim, system)
    return @ccall libperp.perp_event_driven_n_v(sim::Ptr{Cvoid}, system::Int32)::Int32
end
function perp_event_driven_n_x(sim, system)
    return @ccall libperp.perp_event_driven_n_x(sim::Ptr{Cvoid}, system::Int32)::Int32
end
function perp_event_driven_n_rows(sim, interaction)
    return @ccall libperp.perp_event_driven_n_rows(sim::Ptr{Cvoid}, interaction::Int32)::Int32
end
function perp_event_driven_components(sim)
    return @ccall libperp.perp_event_driven_components(sim::Ptr{Cvoid})::Int32
end
function perp_event_driven_mode(sim, interaction, copy)
    return @ccall libperp.perp_event_driven_mode(
        sim::Ptr{Cvoid},
        interaction::Int32,
        copy::Int32)::Int32
end
function perp_event_driven_energy(sim, kinetic, potential)
    return @ccall libperp.perp_event_driven_energy(
        sim::Ptr{Cvoid},
        kinetic::Ptr{Cdouble},
        potential::Ptr{Cdouble})::Int32
end
function perp_event_driven_report(sim, report)
    return @ccall libperp.perp_event_driven_report(
        sim::Ptr{Cvoid},
        report::Ptr{perp_event_report})::Int32
end

# sweeps.h
function perp_pgs_options_init(opts, size)
    return @ccall libperp.perp_pgs_options_init(opts::Ptr{perp_pgs_options}, size::Csize_t)::Cvoid
end
function perp_solver_pgs()
    return @ccall libperp.perp_solver_pgs()::Ptr{perp_solver}
end
function perp_nsgs_options_init(opts, size)
    return @ccall libperp.perp_nsgs_options_init(opts::Ptr{perp_nsgs_options}, size::Csize_t)::Cvoid
end
function perp_solver_nsgs()
    return @ccall libperp.perp_solver_nsgs()::Ptr{perp_solver}
end
function perp_solver_nsgs_small()
    return @ccall libperp.perp_solver_nsgs_small()::Ptr{perp_solver}
end
function perp_cpg_options_init(opts, size)
    return @ccall libperp.perp_cpg_options_init(opts::Ptr{perp_cpg_options}, size::Csize_t)::Cvoid
end
function perp_solver_cpg()
    return @ccall libperp.perp_solver_cpg()::Ptr{perp_solver}
end

# fc.h
function perp_fc_workspace(solver, contacts, dim, options)
    return @ccall libperp.perp_fc_workspace(
        solver::Ptr{perp_solver},
        contacts::Int32,
        dim::Int32,
        options::Ptr{Cvoid})::Csize_t
end
function perp_fc_solve(solver, problem, options, r, u, work, work_bytes, info)
    return @ccall libperp.perp_fc_solve(
        solver::Ptr{perp_solver},
        problem::Ptr{perp_fc},
        options::Ptr{Cvoid},
        r::Ptr{Cdouble},
        u::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_fc_nsgs_workspace(contacts, dim, opts)
    return @ccall libperp.perp_fc_nsgs_workspace(
        contacts::Int32,
        dim::Int32,
        opts::Ptr{perp_nsgs_options})::Csize_t
end
function perp_fc_nsgs(problem, opts, r, u, work, work_bytes, info)
    return @ccall libperp.perp_fc_nsgs(
        problem::Ptr{perp_fc},
        opts::Ptr{perp_nsgs_options},
        r::Ptr{Cdouble},
        u::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

# first_order.h
function perp_first_order_init(system, size, n)
    return @ccall libperp.perp_first_order_init(
        system::Ptr{perp_first_order},
        size::Csize_t,
        n::Int32)::Int32
end

# first_order_relation.h
function perp_first_order_relation_init(relation, size, m, n)
    return @ccall libperp.perp_first_order_relation_init(
        relation::Ptr{perp_first_order_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end
function perp_first_order_type1_init(relation, size, m, n)
    return @ccall libperp.perp_first_order_type1_init(
        relation::Ptr{perp_first_order_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end
function perp_first_order_type2_init(relation, size, m, n)
    return @ccall libperp.perp_first_order_type2_init(
        relation::Ptr{perp_first_order_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end
function perp_linear_varying_relation_init(relation, size, m, n)
    return @ccall libperp.perp_linear_varying_relation_init(
        relation::Ptr{perp_linear_varying_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end

# heap.h
function perp_simulation_create(out, model, options, info)
    return @ccall libperp.perp_simulation_create(
        out::Ptr{Ptr{Cvoid}},
        model::Ptr{perp_model},
        options::Ptr{perp_simulation_options},
        info::Ptr{perp_info})::Int32
end
function perp_simulation_restore(out, model, options, state, state_bytes, info)
    return @ccall libperp.perp_simulation_restore(
        out::Ptr{Ptr{Cvoid}},
        model::Ptr{perp_model},
        options::Ptr{perp_simulation_options},
        state::Ptr{Cvoid},
        state_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_simulation_destroy(sim)
    return @ccall libperp.perp_simulation_destroy(sim::Ptr{Cvoid})::Cvoid
end
function perp_model_describe(model, options, text, room)
    return @ccall libperp.perp_model_describe(
        model::Ptr{perp_model},
        options::Ptr{perp_simulation_options},
        text::Ptr{UInt8},
        room::Csize_t)::Csize_t
end
function perp_explain(status, info, first, text, room)
    return @ccall libperp.perp_explain(
        status::Int32,
        info::Ptr{perp_info},
        first::Int32,
        text::Ptr{UInt8},
        room::Csize_t)::Csize_t
end
function perp_simulation_ending(sim, status, info, first, text, room)
    return @ccall libperp.perp_simulation_ending(
        sim::Ptr{Cvoid},
        status::Int32,
        info::Ptr{perp_info},
        first::Int32,
        text::Ptr{UInt8},
        room::Csize_t)::Csize_t
end
function perp_solver_count()
    return @ccall libperp.perp_solver_count()::Int32
end
function perp_solver_at(i)
    return @ccall libperp.perp_solver_at(i::Int32)::Ptr{perp_solver}
end
function perp_solver_find(name)
    return @ccall libperp.perp_solver_find(name::Cstring)::Ptr{perp_solver}
end
function perp_threads_create(out, workers)
    return @ccall libperp.perp_threads_create(out::Ptr{Ptr{Cvoid}}, workers::Int32)::Int32
end
function perp_threads_for(chunks, body, ctx, user)
    return @ccall libperp.perp_threads_for(
        chunks::Int32,
        body::Ptr{Cvoid},
        ctx::Ptr{Cvoid},
        user::Ptr{Cvoid})::Cvoid
end
function perp_threads_destroy(threads)
    return @ccall libperp.perp_threads_destroy(threads::Ptr{Cvoid})::Cvoid
end

# interior_point.h
function perp_interior_point_options_init(opts, size)
    return @ccall libperp.perp_interior_point_options_init(
        opts::Ptr{perp_interior_point_options},
        size::Csize_t)::Cvoid
end
function perp_solver_interior_point()
    return @ccall libperp.perp_solver_interior_point()::Ptr{perp_solver}
end
function perp_friction_interior_options_init(opts, size)
    return @ccall libperp.perp_friction_interior_options_init(
        opts::Ptr{perp_friction_interior_options},
        size::Csize_t)::Cvoid
end
function perp_solver_friction_interior()
    return @ccall libperp.perp_solver_friction_interior()::Ptr{perp_solver}
end

# joint.h
function perp_joint_init(joint, size, kind, bodies)
    return @ccall libperp.perp_joint_init(
        joint::Ptr{perp_joint},
        size::Csize_t,
        kind::Int32,
        bodies::Int32)::Int32
end
function perp_joint_place(joint, point, axis, qa, qb)
    return @ccall libperp.perp_joint_place(
        joint::Ptr{perp_joint},
        point::Ptr{Cdouble},
        axis::Ptr{Cdouble},
        qa::Ptr{Cdouble},
        qb::Ptr{Cdouble})::Int32
end
function perp_joint_coordinate_init(relation, size, joint, coordinate, use)
    return @ccall libperp.perp_joint_coordinate_init(
        relation::Ptr{perp_joint_coordinate},
        size::Csize_t,
        joint::Ptr{perp_joint},
        coordinate::Int32,
        use::Int32)::Int32
end
function perp_joint_coordinate_value(joint, coordinate, q, v, value, rate)
    return @ccall libperp.perp_joint_coordinate_value(
        joint::Ptr{perp_joint},
        coordinate::Int32,
        q::Ptr{Cdouble},
        v::Ptr{Cdouble},
        value::Ptr{Cdouble},
        rate::Ptr{Cdouble})::Int32
end
function perp_gear_init(gear, size, bodies)
    return @ccall libperp.perp_gear_init(gear::Ptr{perp_gear}, size::Csize_t, bodies::Int32)::Int32
end
function perp_gear_place(gear, axis_a, axis_b, qa, qb, qc)
    return @ccall libperp.perp_gear_place(
        gear::Ptr{perp_gear},
        axis_a::Ptr{Cdouble},
        axis_b::Ptr{Cdouble},
        qa::Ptr{Cdouble},
        qb::Ptr{Cdouble},
        qc::Ptr{Cdouble})::Int32
end

# lagrangian.h
function perp_lagrangian_init(system, size, n)
    return @ccall libperp.perp_lagrangian_init(
        system::Ptr{perp_lagrangian},
        size::Csize_t,
        n::Int32)::Int32
end

# lagrangian_relation.h
function perp_lagrangian_scleronomous_init(relation, size, m, n)
    return @ccall libperp.perp_lagrangian_scleronomous_init(
        relation::Ptr{perp_lagrangian_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end
function perp_lagrangian_rheonomous_init(relation, size, m, n)
    return @ccall libperp.perp_lagrangian_rheonomous_init(
        relation::Ptr{perp_lagrangian_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end
function perp_lagrangian_compliant_init(relation, size, m, n)
    return @ccall libperp.perp_lagrangian_compliant_init(
        relation::Ptr{perp_lagrangian_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end
function perp_lagrangian_velocity_relation_init(relation, size, m, n)
    return @ccall libperp.perp_lagrangian_velocity_relation_init(
        relation::Ptr{perp_lagrangian_velocity_relation},
        size::Csize_t,
        m::Int32,
        n::Int32)::Int32
end
function perp_lagrangian_contact_relation_init(relation, size, gaps, rows, n)
    return @ccall libperp.perp_lagrangian_contact_relation_init(
        relation::Ptr{perp_lagrangian_contact_relation},
        size::Csize_t,
        gaps::Int32,
        rows::Int32,
        n::Int32)::Int32
end

# log.h
function perp_log_options_init(opts, size)
    return @ccall libperp.perp_log_options_init(opts::Ptr{perp_log_options}, size::Csize_t)::Cvoid
end
function perp_log_create(out, path, schema, options, info)
    return @ccall libperp.perp_log_create(
        out::Ptr{Ptr{Cvoid}},
        path::Cstring,
        schema::Ptr{perp_log_schema},
        options::Ptr{perp_log_options},
        info::Ptr{perp_info})::Int32
end
function perp_log_append(out, path, schema, options, where_, info)
    return @ccall libperp.perp_log_append(
        out::Ptr{Ptr{Cvoid}},
        path::Cstring,
        schema::Ptr{perp_log_schema},
        options::Ptr{perp_log_options},
        where_::Int32,
        info::Ptr{perp_info})::Int32
end
function perp_log_add_sample(log, t, values, n, info)
    return @ccall libperp.perp_log_add_sample(
        log::Ptr{Cvoid},
        t::Cdouble,
        values::Ptr{Cdouble},
        n::Int32,
        info::Ptr{perp_info})::Int32
end
function perp_log_add_contacts(log, t, list, n, info)
    return @ccall libperp.perp_log_add_contacts(
        log::Ptr{Cvoid},
        t::Cdouble,
        list::Ptr{perp_log_contact},
        n::Int32,
        info::Ptr{perp_info})::Int32
end
function perp_log_add_event(log, event, info)
    return @ccall libperp.perp_log_add_event(
        log::Ptr{Cvoid},
        event::Ptr{perp_log_event},
        info::Ptr{perp_info})::Int32
end
function perp_log_add_checkpoint(log, t, name, bytes, n_bytes, info)
    return @ccall libperp.perp_log_add_checkpoint(
        log::Ptr{Cvoid},
        t::Cdouble,
        name::Cstring,
        bytes::Ptr{Cvoid},
        n_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_log_add_note(log, name, text, info)
    return @ccall libperp.perp_log_add_note(
        log::Ptr{Cvoid},
        name::Cstring,
        text::Cstring,
        info::Ptr{perp_info})::Int32
end
function perp_log_add_end(log, t, status, reason, report, info)
    return @ccall libperp.perp_log_add_end(
        log::Ptr{Cvoid},
        t::Cdouble,
        status::Int32,
        reason::Cstring,
        report::Cstring,
        info::Ptr{perp_info})::Int32
end
function perp_log_flush(log, sync, info)
    return @ccall libperp.perp_log_flush(log::Ptr{Cvoid}, sync::Int32, info::Ptr{perp_info})::Int32
end
function perp_log_close(log, info)
    return @ccall libperp.perp_log_close(log::Ptr{Cvoid}, info::Ptr{perp_info})::Int32
end
function perp_log_bytes(log, samples)
    return @ccall libperp.perp_log_bytes(log::Ptr{Cvoid}, samples::Int64)::Int64
end
function perp_log_n_values(log)
    return @ccall libperp.perp_log_n_values(log::Ptr{Cvoid})::Int32
end
function perp_log_simulation_create(out, path, sim, systems, interactions, schema, options, info)
    return @ccall libperp.perp_log_simulation_create(
        out::Ptr{Ptr{Cvoid}},
        path::Cstring,
        sim::Ptr{Cvoid},
        systems::Ptr{Cvoid},
        interactions::Ptr{Cvoid},
        schema::Ptr{perp_log_schema},
        options::Ptr{perp_log_options},
        info::Ptr{perp_info})::Int32
end
function perp_log_event_driven_create(out, path, sim, systems, interactions, schema, options, info)
    return @ccall libperp.perp_log_event_driven_create(
        out::Ptr{Ptr{Cvoid}},
        path::Cstring,
        sim::Ptr{Cvoid},
        systems::Ptr{Cvoid},
        interactions::Ptr{Cvoid},
        schema::Ptr{perp_log_schema},
        options::Ptr{perp_log_options},
        info::Ptr{perp_info})::Int32
end
function perp_log_step(log, sim, own, n_own, info)
    return @ccall libperp.perp_log_step(
        log::Ptr{Cvoid},
        sim::Ptr{Cvoid},
        own::Ptr{Cdouble},
        n_own::Int32,
        info::Ptr{perp_info})::Int32
end
function perp_log_event_driven_step(log, sim, own, n_own, info)
    return @ccall libperp.perp_log_event_driven_step(
        log::Ptr{Cvoid},
        sim::Ptr{Cvoid},
        own::Ptr{Cdouble},
        n_own::Int32,
        info::Ptr{perp_info})::Int32
end
function perp_log_event_driven_event(log, sim, event, info)
    return @ccall libperp.perp_log_event_driven_event(
        log::Ptr{Cvoid},
        sim::Ptr{Cvoid},
        event::Ptr{perp_event},
        info::Ptr{perp_info})::Int32
end
function perp_log_reader_open(out, path, info)
    return @ccall libperp.perp_log_reader_open(
        out::Ptr{Ptr{Cvoid}},
        path::Cstring,
        info::Ptr{perp_info})::Int32
end
function perp_log_reader_close(reader)
    return @ccall libperp.perp_log_reader_close(reader::Ptr{Cvoid})::Cvoid
end
function perp_log_reader_schema(reader)
    return @ccall libperp.perp_log_reader_schema(reader::Ptr{Cvoid})::Ptr{perp_log_schema}
end
function perp_log_reader_summary(reader, summary)
    return @ccall libperp.perp_log_reader_summary(
        reader::Ptr{Cvoid},
        summary::Ptr{perp_log_summary})::Int32
end
function perp_log_reader_find(reader, name)
    return @ccall libperp.perp_log_reader_find(reader::Ptr{Cvoid}, name::Cstring)::Int32
end
function perp_log_reader_offset(reader, quantity)
    return @ccall libperp.perp_log_reader_offset(reader::Ptr{Cvoid}, quantity::Int32)::Int32
end
function perp_log_reader_member(reader, quantity, member, text, room)
    return @ccall libperp.perp_log_reader_member(
        reader::Ptr{Cvoid},
        quantity::Int32,
        member::Int32,
        text::Ptr{UInt8},
        room::Csize_t)::Csize_t
end
function perp_log_reader_read(reader, quantity, first, count, stride, times, values, info)
    return @ccall libperp.perp_log_reader_read(
        reader::Ptr{Cvoid},
        quantity::Int32,
        first::Int64,
        count::Int64,
        stride::Int64,
        times::Ptr{Cdouble},
        values::Ptr{Cdouble},
        info::Ptr{perp_info})::Int32
end
function perp_log_reader_next(reader, types, record, info)
    return @ccall libperp.perp_log_reader_next(
        reader::Ptr{Cvoid},
        types::UInt32,
        record::Ptr{perp_log_record},
        info::Ptr{perp_info})::Int32
end
function perp_log_reader_last(reader, types, record, info)
    return @ccall libperp.perp_log_reader_last(
        reader::Ptr{Cvoid},
        types::UInt32,
        record::Ptr{perp_log_record},
        info::Ptr{perp_info})::Int32
end
function perp_log_reader_rewind(reader)
    return @ccall libperp.perp_log_reader_rewind(reader::Ptr{Cvoid})::Cvoid
end

# mcp.h
function perp_mcp_options_init(opts, size)
    return @ccall libperp.perp_mcp_options_init(opts::Ptr{perp_mcp_options}, size::Csize_t)::Cvoid
end
function perp_mcp_workspace(problem, opts)
    return @ccall libperp.perp_mcp_workspace(
        problem::Ptr{perp_mcp},
        opts::Ptr{perp_mcp_options})::Csize_t
end
function perp_mcp_solve(problem, opts, z, F, work, work_bytes, info)
    return @ccall libperp.perp_mcp_solve(
        problem::Ptr{perp_mcp},
        opts::Ptr{perp_mcp_options},
        z::Ptr{Cdouble},
        F::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

# newton.h
function perp_newton_options_init(opts, size)
    return @ccall libperp.perp_newton_options_init(
        opts::Ptr{perp_newton_options},
        size::Csize_t)::Cvoid
end
function perp_solver_newton_min()
    return @ccall libperp.perp_solver_newton_min()::Ptr{perp_solver}
end
function perp_solver_newton_fb()
    return @ccall libperp.perp_solver_newton_fb()::Ptr{perp_solver}
end
function perp_friction_newton_options_init(opts, size)
    return @ccall libperp.perp_friction_newton_options_init(
        opts::Ptr{perp_friction_newton_options},
        size::Csize_t)::Cvoid
end
function perp_solver_friction_newton()
    return @ccall libperp.perp_solver_friction_newton()::Ptr{perp_solver}
end

# pivoting.h
function perp_lemke_options_init(opts, size)
    return @ccall libperp.perp_lemke_options_init(
        opts::Ptr{perp_lemke_options},
        size::Csize_t)::Cvoid
end
function perp_solver_lemke()
    return @ccall libperp.perp_solver_lemke()::Ptr{perp_solver}
end
function perp_lcp_lemke_workspace(n)
    return @ccall libperp.perp_lcp_lemke_workspace(n::Int32)::Csize_t
end
function perp_lcp_lemke(problem, opts, z, w, work, work_bytes, info)
    return @ccall libperp.perp_lcp_lemke(
        problem::Ptr{perp_lcp},
        opts::Ptr{perp_lemke_options},
        z::Ptr{Cdouble},
        w::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_solver_murty()
    return @ccall libperp.perp_solver_murty()::Ptr{perp_solver}
end
function perp_block_pivoting_options_init(opts, size)
    return @ccall libperp.perp_block_pivoting_options_init(
        opts::Ptr{perp_block_pivoting_options},
        size::Csize_t)::Cvoid
end
function perp_solver_block_pivoting()
    return @ccall libperp.perp_solver_block_pivoting()::Ptr{perp_solver}
end
function perp_box_pivoting_options_init(opts, size)
    return @ccall libperp.perp_box_pivoting_options_init(
        opts::Ptr{perp_box_pivoting_options},
        size::Csize_t)::Cvoid
end
function perp_solver_box_pivoting()
    return @ccall libperp.perp_solver_box_pivoting()::Ptr{perp_solver}
end
function perp_active_set_options_init(opts, size)
    return @ccall libperp.perp_active_set_options_init(
        opts::Ptr{perp_active_set_options},
        size::Csize_t)::Cvoid
end
function perp_solver_active_set()
    return @ccall libperp.perp_solver_active_set()::Ptr{perp_solver}
end
function perp_solver_enumeration()
    return @ccall libperp.perp_solver_enumeration()::Ptr{perp_solver}
end
function perp_lcp_enumerate_workspace(n)
    return @ccall libperp.perp_lcp_enumerate_workspace(n::Int32)::Csize_t
end
function perp_lcp_enumerate(problem, opts, visit, user, report, work, work_bytes, info)
    return @ccall libperp.perp_lcp_enumerate(
        problem::Ptr{perp_lcp},
        opts::Ptr{perp_solver_options},
        visit::Ptr{Cvoid},
        user::Ptr{Cvoid},
        report::Ptr{perp_enumeration_report},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_mlcp_enumerate_workspace(n)
    return @ccall libperp.perp_mlcp_enumerate_workspace(n::Int32)::Csize_t
end
function perp_mlcp_enumerate(problem, opts, visit, user, report, work, work_bytes, info)
    return @ccall libperp.perp_mlcp_enumerate(
        problem::Ptr{perp_mlcp},
        opts::Ptr{perp_solver_options},
        visit::Ptr{Cvoid},
        user::Ptr{Cvoid},
        report::Ptr{perp_enumeration_report},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_solver_friction_lemke()
    return @ccall libperp.perp_solver_friction_lemke()::Ptr{perp_solver}
end

# poisson_impact.h
function perp_poisson_impact_workspace(solver, m, options)
    return @ccall libperp.perp_poisson_impact_workspace(
        solver::Ptr{perp_solver},
        m::Int32,
        options::Ptr{Cvoid})::Csize_t
end
function perp_poisson_impact(solver, m, W, ydot, e, options, impulse, compression, work, work_bytes, info)
    return @ccall libperp.perp_poisson_impact(
        solver::Ptr{perp_solver},
        m::Int32,
        W::Ptr{Cdouble},
        ydot::Ptr{Cdouble},
        e::Ptr{Cdouble},
        options::Ptr{Cvoid},
        impulse::Ptr{Cdouble},
        compression::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

# qp.h
function perp_qp_check(qp, info)
    return @ccall libperp.perp_qp_check(qp::Ptr{perp_qp}, info::Ptr{perp_info})::Int32
end
function perp_qp_judge_workspace(qp)
    return @ccall libperp.perp_qp_judge_workspace(qp::Ptr{perp_qp})::Csize_t
end
function perp_qp_judge(qp, x, nu, zeta, residual, work, work_bytes)
    return @ccall libperp.perp_qp_judge(
        qp::Ptr{perp_qp},
        x::Ptr{Cdouble},
        nu::Ptr{Cdouble},
        zeta::Ptr{Cdouble},
        residual::Ptr{perp_qp_residual},
        work::Ptr{Cvoid},
        work_bytes::Csize_t)::Int32
end
function perp_qp_residual_solved(residual, tol)
    return @ccall libperp.perp_qp_residual_solved(
        residual::Ptr{perp_qp_residual},
        tol::Cdouble)::Int32
end
function perp_qp_certificate(qp, ray, bound, work, work_bytes)
    return @ccall libperp.perp_qp_certificate(
        qp::Ptr{perp_qp},
        ray::Ptr{Cdouble},
        bound::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t)::Int32
end
function perp_qp_workspace(solver, qp, options)
    return @ccall libperp.perp_qp_workspace(
        solver::Ptr{perp_solver},
        qp::Ptr{perp_qp},
        options::Ptr{Cvoid})::Csize_t
end
function perp_qp_solve(solver, qp, options, x, nu, zeta, work, work_bytes, info)
    return @ccall libperp.perp_qp_solve(
        solver::Ptr{perp_solver},
        qp::Ptr{perp_qp},
        options::Ptr{Cvoid},
        x::Ptr{Cdouble},
        nu::Ptr{Cdouble},
        zeta::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_qp_dual_workspace(n, m)
    return @ccall libperp.perp_qp_dual_workspace(n::Int32, m::Int32)::Csize_t
end
function perp_qp_dual(qp, opts, x, nu, zeta, work, work_bytes, info)
    return @ccall libperp.perp_qp_dual(
        qp::Ptr{perp_qp},
        opts::Ptr{perp_solver_options},
        x::Ptr{Cdouble},
        nu::Ptr{Cdouble},
        zeta::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

# sensitivity.h
function perp_sensitivity_options_init(opts, size)
    return @ccall libperp.perp_sensitivity_options_init(
        opts::Ptr{perp_sensitivity_options},
        size::Csize_t)::Cvoid
end
function perp_sensitivity_workspace(problem)
    return @ccall libperp.perp_sensitivity_workspace(problem::Ptr{perp_problem})::Csize_t
end
function perp_sensitivity_prepare(s, problem, lambda, opts, work, work_bytes, info)
    return @ccall libperp.perp_sensitivity_prepare(
        s::Ptr{perp_sensitivity},
        problem::Ptr{perp_problem},
        lambda::Ptr{Cdouble},
        opts::Ptr{perp_sensitivity_options},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_sensitivity_load(n, dM, dq, lambda, load)
    return @ccall libperp.perp_sensitivity_load(
        n::Int32,
        dM::Ptr{perp_matrix},
        dq::Ptr{Cdouble},
        lambda::Ptr{Cdouble},
        load::Ptr{Cdouble})::Int32
end
function perp_sensitivity_apply(s, m, load, dlambda, one_sided)
    return @ccall libperp.perp_sensitivity_apply(
        s::Ptr{perp_sensitivity},
        m::Int32,
        load::Ptr{Cdouble},
        dlambda::Ptr{Cdouble},
        one_sided::Ptr{Int32})::Int32
end
function perp_sensitivity_adjoint(s, m, gradient, result)
    return @ccall libperp.perp_sensitivity_adjoint(
        s::Ptr{perp_sensitivity},
        m::Int32,
        gradient::Ptr{Cdouble},
        result::Ptr{Cdouble})::Int32
end

# vi.h
function perp_vi_options_init(opts, size)
    return @ccall libperp.perp_vi_options_init(opts::Ptr{perp_vi_options}, size::Csize_t)::Cvoid
end
function perp_vi_workspace(n)
    return @ccall libperp.perp_vi_workspace(n::Int32)::Csize_t
end
function perp_vi_fixed_point(problem, options, x, F, work, work_bytes, info)
    return @ccall libperp.perp_vi_fixed_point(
        problem::Ptr{perp_vi},
        options::Ptr{perp_vi_options},
        x::Ptr{Cdouble},
        F::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_vi_extragradient(problem, options, x, F, work, work_bytes, info)
    return @ccall libperp.perp_vi_extragradient(
        problem::Ptr{perp_vi},
        options::Ptr{perp_vi_options},
        x::Ptr{Cdouble},
        F::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end
function perp_solver_fixed_point()
    return @ccall libperp.perp_solver_fixed_point()::Ptr{perp_solver}
end
function perp_solver_extragradient()
    return @ccall libperp.perp_solver_extragradient()::Ptr{perp_solver}
end
function perp_avi_pivoting_options_init(opts, size)
    return @ccall libperp.perp_avi_pivoting_options_init(
        opts::Ptr{perp_avi_pivoting_options},
        size::Csize_t)::Cvoid
end
function perp_solver_avi_pivoting()
    return @ccall libperp.perp_solver_avi_pivoting()::Ptr{perp_solver}
end
function perp_avi_pivoting_workspace(n, m, opts)
    return @ccall libperp.perp_avi_pivoting_workspace(
        n::Int32,
        m::Int32,
        opts::Ptr{perp_avi_pivoting_options})::Csize_t
end
function perp_avi_pivoting(problem, opts, z, w, work, work_bytes, info)
    return @ccall libperp.perp_avi_pivoting(
        problem::Ptr{perp_avi},
        opts::Ptr{perp_avi_pivoting_options},
        z::Ptr{Cdouble},
        w::Ptr{Cdouble},
        work::Ptr{Cvoid},
        work_bytes::Csize_t,
        info::Ptr{perp_info})::Int32
end

initial(::Type{perp_info}) = with(zeroed(perp_info); struct_size=sizeof(perp_info), index=-1, worst=-1, worst_block=-1, dissipates=-1)
initial(::Type{perp_law_verdict}) = with(zeroed(perp_law_verdict); struct_size=sizeof(perp_law_verdict))
initial(::Type{perp_problem}) = with(zeroed(perp_problem); struct_size=sizeof(perp_problem))
initial(::Type{perp_residual}) = with(zeroed(perp_residual); struct_size=sizeof(perp_residual), worst=-1, worst_block=-1)
initial(::Type{perp_global_problem}) = with(zeroed(perp_global_problem); struct_size=sizeof(perp_global_problem))
initial(::Type{perp_global_parts}) = with(zeroed(perp_global_parts); struct_size=sizeof(perp_global_parts), worst_row=-1)
initial(::Type{perp_model}) = with(zeroed(perp_model); struct_size=sizeof(perp_model))
initial(::Type{perp_piecewise_linear}) = with(zeroed(perp_piecewise_linear); struct_size=sizeof(perp_piecewise_linear))
initial(::Type{perp_report}) = with(zeroed(perp_report); struct_size=sizeof(perp_report))
initial(::Type{perp_contact_pool}) = with(zeroed(perp_contact_pool); struct_size=sizeof(perp_contact_pool))
initial(::Type{perp_owner}) = with(zeroed(perp_owner); struct_size=sizeof(perp_owner))
initial(::Type{perp_derivative_report}) = with(zeroed(perp_derivative_report); struct_size=sizeof(perp_derivative_report), index=-1, row=-1, column=-1)
initial(::Type{perp_event_observer}) = with(zeroed(perp_event_observer); struct_size=sizeof(perp_event_observer))
initial(::Type{perp_event_report}) = with(zeroed(perp_event_report); struct_size=sizeof(perp_event_report))
initial(::Type{perp_log_schema}) = with(zeroed(perp_log_schema); struct_size=sizeof(perp_log_schema))
initial(::Type{perp_log_summary}) = with(zeroed(perp_log_summary); struct_size=sizeof(perp_log_summary))
initial(::Type{perp_log_record}) = with(zeroed(perp_log_record); struct_size=sizeof(perp_log_record))
initial(::Type{perp_enumeration_report}) = with(zeroed(perp_enumeration_report); struct_size=sizeof(perp_enumeration_report))
initial(::Type{perp_qp_residual}) = with(zeroed(perp_qp_residual); struct_size=sizeof(perp_qp_residual), worst=-1)
