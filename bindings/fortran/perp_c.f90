! SPDX-License-Identifier: MIT
! Written by bindings/fortran/generate.py from the headers in include/perp: change those.
!> The stable C interface, name by name; the module perp makes it pleasant.
module perp_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int32_t), parameter :: PERP_OK = 0
  integer(c_int32_t), parameter :: PERP_MAX_ITER = 1
  integer(c_int32_t), parameter :: PERP_RAY = 2
  integer(c_int32_t), parameter :: PERP_INACCURATE = 3
  integer(c_int32_t), parameter :: PERP_INFEASIBLE = 4
  integer(c_int32_t), parameter :: PERP_STOPPED = 5
  integer(c_int32_t), parameter :: PERP_END = 6
  integer(c_int32_t), parameter :: PERP_RETRY = 7
  integer(c_int32_t), parameter :: PERP_UNBOUNDED = 8
  integer(c_int32_t), parameter :: PERP_STORM = 9
  integer(c_int32_t), parameter :: PERP_EINVAL = -1
  integer(c_int32_t), parameter :: PERP_EWORKSPACE = -2
  integer(c_int32_t), parameter :: PERP_ECALLBACK = -3
  integer(c_int32_t), parameter :: PERP_EUNSUPPORTED = -4
  integer(c_int32_t), parameter :: PERP_EBACKEND = -5
  integer(c_int32_t), parameter :: PERP_ENOTFINITE = -6
  integer(c_int32_t), parameter :: PERP_RAY_NONE = 0
  integer(c_int32_t), parameter :: PERP_RAY_SECONDARY = 1
  integer(c_int32_t), parameter :: PERP_RAY_CERTIFICATE = 2
  integer(c_int32_t), parameter :: PERP_WARN_INDEFINITE = 1
  integer(c_int32_t), parameter :: PERP_HOLDS_END = 0
  integer(c_int32_t), parameter :: PERP_HOLDS_NUMBERS = 1
  integer(c_int32_t), parameter :: PERP_HOLDS_INTEGER = 2
  integer(c_int32_t), parameter :: PERP_HOLDS_ARRAY = 3
  integer(c_int32_t), parameter :: PERP_HOLDS_TRIPLES = 4
  integer(c_int32_t), parameter :: PERP_HOLDS_INDICES = 5
  integer(c_int32_t), parameter :: PERP_HOLDS_MATRIX = 6
  integer(c_int32_t), parameter :: PERP_HOLDS_RELATION = 7
  integer(c_int32_t), parameter :: PERP_HOLDS_PARAMETERS = 8
  integer(c_int32_t), parameter :: PERP_HOLDS_USER = 9
  integer(c_int32_t), parameter :: PERP_ZERO = 0
  integer(c_int32_t), parameter :: PERP_DIAGONAL = 1
  integer(c_int32_t), parameter :: PERP_DENSE = 2
  integer(c_int32_t), parameter :: PERP_BLOCKS = 3
  integer(c_int32_t), parameter :: PERP_SET_FREE = 0
  integer(c_int32_t), parameter :: PERP_SET_ORTHANT = 1
  integer(c_int32_t), parameter :: PERP_SET_BOX = 2
  integer(c_int32_t), parameter :: PERP_SET_CONE = 3
  integer(c_int32_t), parameter :: PERP_SET_ROLLING = 4
  integer(c_int32_t), parameter :: PERP_SET_POLYHEDRON = 5
  integer(c_int32_t), parameter :: PERP_SET_OTHER = 6
  integer(c_int32_t), parameter :: PERP_MODE_UNKNOWN = 0
  integer(c_int32_t), parameter :: PERP_MODE_LOWER = 1
  integer(c_int32_t), parameter :: PERP_MODE_FREE = 2
  integer(c_int32_t), parameter :: PERP_MODE_UPPER = 3
  integer(c_int32_t), parameter :: PERP_ASSUMES_SYMMETRIC = 1
  integer(c_int32_t), parameter :: PERP_ASSUMES_DEFINITE = 2
  integer(c_int32_t), parameter :: PERP_ASSUMES_SEMIDEFINITE = 4
  integer(c_int32_t), parameter :: PERP_ASSUMES_P_MATRIX = 8
  integer(c_int32_t), parameter :: PERP_ASSUMES_COPOSITIVE = 16
  integer(c_int32_t), parameter :: PERP_GLOBAL_CONDENSED = 1
  integer(c_int32_t), parameter :: PERP_GLOBAL_FULL = 2
  integer(c_int32_t), parameter :: PERP_GYROSCOPIC_IMPLICIT = 0
  integer(c_int32_t), parameter :: PERP_GYROSCOPIC_EXPLICIT = 1
  integer(c_int32_t), parameter :: PERP_GYROSCOPIC_NONE = 2
  integer(c_int32_t), parameter :: PERP_FRAME_BODY = 0
  integer(c_int32_t), parameter :: PERP_FRAME_FIXED = 1
  integer(c_int32_t), parameter :: PERP_FAILURE_STOP = 0
  integer(c_int32_t), parameter :: PERP_FAILURE_RETRY = 1
  integer(c_int32_t), parameter :: PERP_FAILURE_ACCEPT = 2
  integer(c_int32_t), parameter :: PERP_NEWTON_RESIDUAL = 0
  integer(c_int32_t), parameter :: PERP_NEWTON_DYNAMICS = 1
  integer(c_int32_t), parameter :: PERP_NEWTON_FIXED = 2
  integer(c_int32_t), parameter :: PERP_NEWTON_FROM_CURRENT = 0
  integer(c_int32_t), parameter :: PERP_NEWTON_FROM_POSITION = 1
  integer(c_int32_t), parameter :: PERP_PROJECT_NONE = 0
  integer(c_int32_t), parameter :: PERP_PROJECT_POSITIONS = 1
  integer(c_int32_t), parameter :: PERP_PROJECT_COMBINED = 2
  integer(c_int32_t), parameter :: PERP_FORMULATION_REDUCED = 0
  integer(c_int32_t), parameter :: PERP_FORMULATION_GLOBAL = 1
  integer(c_int32_t), parameter :: PERP_FORMULATION_AUTO = 2
  integer(c_int32_t), parameter :: PERP_OTHER_GRID = 1
  integer(c_int32_t), parameter :: PERP_GROUND = -1
  integer(c_int32_t), parameter :: PERP_COPY_PARAMETERS = 1
  integer(c_int32_t), parameter :: PERP_FOUND_NOTHING = 0
  integer(c_int32_t), parameter :: PERP_FOUND_SYSTEM = 1
  integer(c_int32_t), parameter :: PERP_FOUND_RELATION = 2
  integer(c_int32_t), parameter :: PERP_STIFFNESS_MONO = 0
  integer(c_int32_t), parameter :: PERP_STIFFNESS_BI = 1
  integer(c_int32_t), parameter :: PERP_LINEAR_AUTO = 0
  integer(c_int32_t), parameter :: PERP_LINEAR_DENSE = 1
  integer(c_int32_t), parameter :: PERP_LINEAR_BANDED = 2
  integer(c_int32_t), parameter :: PERP_LINEAR_SPARSE = 3
  integer(c_int32_t), parameter :: PERP_IMPACT_LAW = 0
  integer(c_int32_t), parameter :: PERP_IMPACT_POISSON = 1
  integer(c_int32_t), parameter :: PERP_IMPACT_LZB = 2
  integer(c_int32_t), parameter :: PERP_ZENO_JUMP = 0
  integer(c_int32_t), parameter :: PERP_ZENO_STEP = 1
  integer(c_int32_t), parameter :: PERP_ZENO_STOP = 2
  integer(c_int32_t), parameter :: PERP_CONTACT_OPEN = 0
  integer(c_int32_t), parameter :: PERP_CONTACT_TOUCH = 1
  integer(c_int32_t), parameter :: PERP_CONTACT_CLOSED = 2
  integer(c_int32_t), parameter :: PERP_CONTACT_STICK = 3
  integer(c_int32_t), parameter :: PERP_CONTACT_SLIP = 4
  integer(c_int32_t), parameter :: PERP_CONTACT_LOWER = 5
  integer(c_int32_t), parameter :: PERP_CONTACT_BETWEEN = 6
  integer(c_int32_t), parameter :: PERP_CONTACT_UPPER = 7
  integer(c_int32_t), parameter :: PERP_EVENT_IMPACT = 1
  integer(c_int32_t), parameter :: PERP_EVENT_CLOSE = 2
  integer(c_int32_t), parameter :: PERP_EVENT_OPEN = 4
  integer(c_int32_t), parameter :: PERP_EVENT_STICK = 8
  integer(c_int32_t), parameter :: PERP_EVENT_SLIP = 16
  integer(c_int32_t), parameter :: PERP_EVENT_REVERSE = 32
  integer(c_int32_t), parameter :: PERP_EVENT_SWITCH = 64
  integer(c_int32_t), parameter :: PERP_EVENT_SCHEDULE = 128
  integer(c_int32_t), parameter :: PERP_EVENT_GUARD = 256
  integer(c_int32_t), parameter :: PERP_EVENT_ACCUMULATION = 512
  integer(c_int32_t), parameter :: PERP_EVENT_HANDOVER = 1024
  integer(c_int32_t), parameter :: PERP_EVENT_RETURN = 2048
  integer(c_int32_t), parameter :: PERP_EVENT_START = 4096
  integer(c_int32_t), parameter :: PERP_NSGS_FORWARD = 0
  integer(c_int32_t), parameter :: PERP_NSGS_SYMMETRIC = 1
  integer(c_int32_t), parameter :: PERP_NSGS_SHUFFLED = 2
  integer(c_int32_t), parameter :: PERP_NSGS_PLAIN = 0
  integer(c_int32_t), parameter :: PERP_NSGS_ANDERSON = 1
  integer(c_int32_t), parameter :: PERP_NSGS_MOMENTUM = 2
  integer(c_int32_t), parameter :: PERP_OUTPUT_READS_LAMBDA = 1
  integer(c_int32_t), parameter :: PERP_REACTION_READS_X = 2
  integer(c_int32_t), parameter :: PERP_FRICTION_INTERIOR_NEWTON = 0
  integer(c_int32_t), parameter :: PERP_FRICTION_INTERIOR_LAGGED = 1
  integer(c_int32_t), parameter :: PERP_JOINT_SPHERICAL = 0
  integer(c_int32_t), parameter :: PERP_JOINT_PIVOT = 1
  integer(c_int32_t), parameter :: PERP_JOINT_PRISMATIC = 2
  integer(c_int32_t), parameter :: PERP_JOINT_CYLINDRICAL = 3
  integer(c_int32_t), parameter :: PERP_JOINT_FIXED = 4
  integer(c_int32_t), parameter :: PERP_JOINT_SCREW = 5
  integer(c_int32_t), parameter :: PERP_COORDINATE_ANGLE = 0
  integer(c_int32_t), parameter :: PERP_COORDINATE_TRANSLATION = 1
  integer(c_int32_t), parameter :: PERP_COORDINATE_RATE = 0
  integer(c_int32_t), parameter :: PERP_COORDINATE_EFFORT = 1
  integer(c_int32_t), parameter :: PERP_COORDINATE_STOPS = 2
  integer(c_int32_t), parameter :: PERP_COORDINATE_LOWER = 3
  integer(c_int32_t), parameter :: PERP_COORDINATE_UPPER = 4
  integer(c_int32_t), parameter :: PERP_GAP_READS_TIME = 1
  integer(c_int32_t), parameter :: PERP_GAP_READS_LAMBDA = 2
  integer(c_int32_t), parameter :: PERP_MCP_PATH = 0
  integer(c_int32_t), parameter :: PERP_MCP_LEMKE = 1
  integer(c_int32_t), parameter :: PERP_MCP_JOSEPHY_NEWTON = 2
  integer(c_int32_t), parameter :: PERP_FRICTION_NATURAL = 0
  integer(c_int32_t), parameter :: PERP_FRICTION_ALART_CURNIER = 1
  integer(c_int32_t), parameter :: PERP_FRICTION_JEAN_MOREAU = 2
  integer(c_int32_t), parameter :: PERP_SEARCH_WATCHDOG = 0
  integer(c_int32_t), parameter :: PERP_SEARCH_NONMONOTONE = 1
  integer(c_int32_t), parameter :: PERP_SEARCH_GOLDSTEIN_PRICE = 2
  integer(c_int32_t), parameter :: PERP_SEARCH_NONE = 3
  integer(c_int32_t), parameter :: PERP_SENSITIVITY_FIXED = 0
  integer(c_int32_t), parameter :: PERP_SENSITIVITY_FREE = 1
  integer(c_int32_t), parameter :: PERP_SENSITIVITY_LOWER = 2
  integer(c_int32_t), parameter :: PERP_SENSITIVITY_UPPER = 3
  integer(c_int32_t), parameter :: PERP_BACKEND_MIN = 32
  integer(c_int32_t), parameter :: PERP_VERSION_MAJOR = 0
  integer(c_int32_t), parameter :: PERP_VERSION_MINOR = 2
  integer(c_int32_t), parameter :: PERP_VERSION_PATCH = 0
  integer(c_int32_t), parameter :: PERP_HEADER_VERSION = 200
  integer(c_int32_t), parameter :: PERP_SETS = 8
  integer(c_int32_t), parameter :: PERP_ENUMERATION_MAX = 25
  integer(c_int32_t), parameter :: PERP_SOLVER_OPTIONS_MOST = 256
  integer(c_int32_t), parameter :: PERP_NSGS_MOST_DEPTH = 5
  real(c_double), parameter :: PERP_DEFAULT_TOL = 1e-10_c_double

  !> base.h
  type, bind(C) :: perp_info
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: iterations = 0
    type(c_ptr) :: field = c_null_ptr
    integer(c_int32_t) :: index = 0
    integer(c_int32_t) :: worst = 0
    real(c_double) :: value = 0.0_c_double
    real(c_double) :: residual = 0.0_c_double
    real(c_double) :: relative_residual = 0.0_c_double
    type(c_ptr) :: solver = c_null_ptr
    type(c_ptr) :: ray = c_null_ptr
    integer(c_int32_t) :: ray_size = 0
    integer(c_int32_t) :: ray_kind = 0
    integer(c_int32_t) :: worst_block = 0
    integer(c_int32_t) :: dissipates = 0
    integer(c_int32_t) :: warnings = 0
    integer(c_int32_t) :: reserved = 0
    real(c_double) :: violation(8) = 0.0_c_double
    real(c_double) :: amplification = 0.0_c_double
    real(c_double) :: bound = 0.0_c_double
  end type

  !> base.h
  type, bind(C) :: perp_iterate
    integer(c_int32_t) :: iteration = 0
    integer(c_int32_t) :: entering = 0
    integer(c_int32_t) :: leaving = 0
    real(c_double) :: merit = 0.0_c_double
  end type

  !> base.h
  type, bind(C) :: perp_field
    integer(c_int16_t) :: offset = 0
    integer(c_int16_t) :: holds = 0
    integer(c_int16_t) :: rows = 0
    integer(c_int16_t) :: columns = 0
  end type

  !> matrix.h
  type, bind(C) :: perp_matrix
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: rows = 0
    integer(c_int32_t) :: cols = 0
    integer(c_int32_t) :: ld = 0
    integer(c_int32_t) :: block_rows = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: values = c_null_ptr
    type(c_ptr) :: start = c_null_ptr
    type(c_ptr) :: index = c_null_ptr
    type(c_ptr) :: offset = c_null_ptr
  end type

  !> law.h
  type, bind(C) :: perp_law_step
    real(c_double) :: t = 0.0_c_double
    real(c_double) :: h = 0.0_c_double
    type(c_ptr) :: y = c_null_ptr
    type(c_ptr) :: ydot = c_null_ptr
    type(c_ptr) :: lambda = c_null_ptr
  end type

  !> law.h
  type, bind(C) :: perp_law_ops
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: set = 0
    integer(c_int32_t) :: unilateral = 0
    integer(c_int32_t) :: bounded = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_funptr) :: check = c_null_funptr
    type(c_funptr) :: bounds = c_null_funptr
    type(c_funptr) :: project = c_null_funptr
    type(c_funptr) :: jacobian = c_null_funptr
    type(c_funptr) :: shift = c_null_funptr
    type(c_funptr) :: local = c_null_funptr
    type(c_funptr) :: map = c_null_funptr
    type(c_funptr) :: state_bytes = c_null_funptr
    type(c_funptr) :: state_init = c_null_funptr
    type(c_funptr) :: commit = c_null_funptr
    type(c_funptr) :: project_doubles = c_null_funptr
    type(c_funptr) :: project_with = c_null_funptr
    type(c_funptr) :: map_step = c_null_funptr
    type(c_funptr) :: preload = c_null_funptr
    type(c_funptr) :: compliance = c_null_funptr
    type(c_funptr) :: acts = c_null_funptr
    type(c_funptr) :: commit_step = c_null_funptr
    type(c_funptr) :: is_bounded = c_null_funptr
    type(c_funptr) :: local_within = c_null_funptr
    type(c_funptr) :: fields = c_null_funptr
  end type

  !> law.h
  type, bind(C) :: perp_law
    type(c_ptr) :: ops = c_null_ptr
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: size = 0
  end type

  !> law.h
  type, bind(C) :: perp_equality
    type(perp_law) :: law
  end type

  !> law.h
  type, bind(C) :: perp_complementarity
    type(perp_law) :: law
  end type

  !> law.h
  type, bind(C) :: perp_newton_impact
    type(perp_law) :: law
    real(c_double) :: e = 0.0_c_double
  end type

  !> law.h
  type, bind(C) :: perp_box
    type(perp_law) :: law
    type(c_ptr) :: lower = c_null_ptr
    type(c_ptr) :: upper = c_null_ptr
  end type

  !> law.h
  type, bind(C) :: perp_polyhedron
    type(perp_law) :: law
    type(perp_matrix) :: H
    type(c_ptr) :: K = c_null_ptr
  end type

  !> law.h
  type, bind(C) :: perp_friction
    type(perp_law) :: law
    real(c_double) :: mu = 0.0_c_double
    real(c_double) :: e_n = 0.0_c_double
    real(c_double) :: e_t = 0.0_c_double
  end type

  !> law.h
  type, bind(C) :: perp_rolling
    type(perp_law) :: law
    real(c_double) :: mu = 0.0_c_double
    real(c_double) :: mu_rolling = 0.0_c_double
    real(c_double) :: e_n = 0.0_c_double
    real(c_double) :: e_t = 0.0_c_double
  end type

  !> law.h
  type, bind(C) :: perp_mixed
    type(perp_law) :: law
    integer(c_int32_t) :: equalities = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> law.h
  type, bind(C) :: perp_compliant
    type(perp_law) :: law
    real(c_double) :: k = 0.0_c_double
    real(c_double) :: c = 0.0_c_double
    real(c_double) :: theta = 0.0_c_double
  end type

  !> law.h
  type, bind(C) :: perp_fremond
    type(perp_friction) :: friction
  end type

  !> law.h
  type, bind(C) :: perp_cohesive
    type(perp_friction) :: friction
    real(c_double) :: sigma_c = 0.0_c_double
    real(c_double) :: G_c = 0.0_c_double
    real(c_double) :: area = 0.0_c_double
    real(c_double) :: slip_weight = 0.0_c_double
  end type

  !> law.h
  type, bind(C) :: perp_cohesive_state
    real(c_double) :: beta = 0.0_c_double
    real(c_double) :: slip(2) = 0.0_c_double
  end type

  !> law.h
  type, bind(C) :: perp_user_impact
    type(perp_friction) :: friction
    type(c_funptr) :: map = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> law.h
  type, bind(C) :: perp_law_verdict
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: worst = 0
    type(c_ptr) :: state = c_null_ptr
    real(c_double) :: lambda = 0.0_c_double
    real(c_double) :: y = 0.0_c_double
    real(c_double) :: work = 0.0_c_double
    real(c_double) :: angle = 0.0_c_double
    real(c_double) :: relative = 0.0_c_double
  end type

  !> problem.h
  type, bind(C) :: perp_problem
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: n_blocks = 0
    integer(c_int32_t) :: reserved = 0
    type(perp_matrix) :: M
    type(c_ptr) :: q = c_null_ptr
    type(c_ptr) :: laws = c_null_ptr
    type(c_ptr) :: offset = c_null_ptr
    type(c_ptr) :: states = c_null_ptr
    type(c_ptr) :: weight = c_null_ptr
    type(c_ptr) :: floor = c_null_ptr
  end type

  !> problem.h
  type, bind(C) :: perp_residual
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: worst = 0
    integer(c_int32_t) :: worst_block = 0
    integer(c_int32_t) :: reserved = 0
    real(c_double) :: residual = 0.0_c_double
    real(c_double) :: relative = 0.0_c_double
    real(c_double) :: scale = 0.0_c_double
    real(c_double) :: hat = 0.0_c_double
    real(c_double) :: rounding = 0.0_c_double
    real(c_double) :: natural_error = 0.0_c_double
    real(c_double) :: componentwise = 0.0_c_double
    real(c_double) :: creep = 0.0_c_double
    real(c_double) :: violation(8) = 0.0_c_double
  end type

  !> solver.h
  type, bind(C) :: perp_solver_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
  end type

  !> solver.h
  type, bind(C) :: perp_shape
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: n_blocks = 0
    integer(c_int32_t) :: sets = 0
    integer(c_int32_t) :: matrix = 0
    integer(c_size_t) :: nonzeros = 0
    integer(c_size_t) :: envelope = 0
    integer(c_size_t) :: projection = 0
    integer(c_size_t) :: constraints = 0
    integer(c_int32_t) :: contacts = 0
    integer(c_int32_t) :: largest = 0
  end type

  !> solver.h
  type, bind(C) :: perp_warm
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: bytes = 0
    integer(c_int32_t) :: stamp = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> solver.h
  type, bind(C) :: perp_solver
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: sets = 0
    integer(c_int32_t) :: matrices = 0
    integer(c_int32_t) :: assumes = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: defaults = c_null_ptr
    type(c_funptr) :: check = c_null_funptr
    type(c_funptr) :: workspace = c_null_funptr
    type(c_funptr) :: warm_bytes = c_null_funptr
    type(c_funptr) :: solve = c_null_funptr
    type(c_ptr) :: method = c_null_ptr
    integer(c_int32_t) :: max_n = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> sparse.h
  type, bind(C) :: perp_sparse
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: symmetric = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_funptr) :: factor = c_null_funptr
    type(c_funptr) :: solve = c_null_funptr
    type(c_funptr) :: release = c_null_funptr
    type(c_funptr) :: solve_product = c_null_funptr
  end type

  !> global.h
  type, bind(C) :: perp_global_problem
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: m = 0
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: n_blocks = 0
    type(perp_matrix) :: M_
    type(perp_matrix) :: H
    type(c_ptr) :: q = c_null_ptr
    type(c_ptr) :: b = c_null_ptr
    type(c_ptr) :: laws = c_null_ptr
    type(c_ptr) :: offset = c_null_ptr
    type(c_ptr) :: states = c_null_ptr
    type(c_ptr) :: weight = c_null_ptr
    type(c_ptr) :: floor = c_null_ptr
  end type

  !> global.h
  type, bind(C) :: perp_global_parts
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: worst_row = 0
    real(c_double) :: equilibrium = 0.0_c_double
    real(c_double) :: equilibrium_relative = 0.0_c_double
    real(c_double) :: equilibrium_hat = 0.0_c_double
    real(c_double) :: relative = 0.0_c_double
    type(perp_residual) :: contact
  end type

  !> global.h
  type, bind(C) :: perp_global_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: solver = c_null_ptr
    type(c_ptr) :: solver_options = c_null_ptr
    type(c_ptr) :: sparse = c_null_ptr
  end type

  !> lcp.h
  type, bind(C) :: perp_lcp
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: ld = 0
    type(c_ptr) :: M = c_null_ptr
    type(c_ptr) :: q = c_null_ptr
  end type

  !> lcp.h
  type, bind(C) :: perp_mlcp
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: ld = 0
    type(c_ptr) :: M = c_null_ptr
    type(c_ptr) :: q = c_null_ptr
    type(c_ptr) :: lower = c_null_ptr
    type(c_ptr) :: upper = c_null_ptr
  end type

  !> admm.h
  type, bind(C) :: perp_admm_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    real(c_double) :: rho = 0.0_c_double
    real(c_double) :: relaxation = 0.0_c_double
    integer(c_int32_t) :: memory = 0
    integer(c_int32_t) :: updates = 0
    integer(c_int32_t) :: outer = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: sparse = c_null_ptr
  end type

  !> auto.h
  type, bind(C) :: perp_auto_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    integer(c_int32_t) :: allocate = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> backend.h
  type, bind(C) :: perp_backend
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_funptr) :: lu_factor = c_null_funptr
    type(c_funptr) :: lu_solve = c_null_funptr
    type(c_funptr) :: multiply_add = c_null_funptr
  end type

  !> control.h
  type, bind(C) :: perp_control
    integer(c_int32_t) :: n_u = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: T = c_null_ptr
    type(c_funptr) :: effect = c_null_funptr
    type(c_funptr) :: u = c_null_funptr
    type(c_funptr) :: u_dq = c_null_funptr
    type(c_funptr) :: u_dv = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> model.h
  type, bind(C) :: perp_system
    type(c_ptr) :: ops = c_null_ptr
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: n = 0
  end type

  !> model.h
  type, bind(C) :: perp_lagrangian_linear
    type(perp_system) :: system
    type(perp_matrix) :: M
    type(perp_matrix) :: C
    type(perp_matrix) :: K
    type(c_ptr) :: f = c_null_ptr
    type(c_funptr) :: force = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(perp_control) :: control
    type(c_ptr) :: z = c_null_ptr
    type(c_ptr) :: typical_q = c_null_ptr
    type(c_ptr) :: typical_v = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> model.h
  type, bind(C) :: perp_first_order_linear
    type(perp_system) :: system
    type(perp_matrix) :: M
    type(perp_matrix) :: A
    type(c_ptr) :: b = c_null_ptr
    type(c_funptr) :: input = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_funptr) :: state_matrix = c_null_funptr
    type(perp_control) :: control
    type(c_ptr) :: z = c_null_ptr
    type(c_ptr) :: typical = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> model.h
  type, bind(C) :: perp_relation
    type(c_ptr) :: ops = c_null_ptr
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: m = 0
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> model.h
  type, bind(C) :: perp_linear_relation
    type(perp_relation) :: relation
    type(c_ptr) :: C = c_null_ptr
    type(c_ptr) :: D = c_null_ptr
    type(c_ptr) :: B = c_null_ptr
    type(c_ptr) :: F = c_null_ptr
    type(c_ptr) :: e = c_null_ptr
    type(c_ptr) :: a = c_null_ptr
    type(c_ptr) :: z = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> model.h
  type, bind(C) :: perp_lagrangian_linear_relation
    type(perp_relation) :: relation
    type(c_ptr) :: H = c_null_ptr
    type(c_ptr) :: D = c_null_ptr
    type(c_ptr) :: F = c_null_ptr
    type(c_ptr) :: b = c_null_ptr
    type(c_ptr) :: z = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: reserved = 0
    type(perp_matrix) :: H_rows
  end type

  !> model.h
  type, bind(C) :: perp_interaction
    type(c_ptr) :: relation = c_null_ptr
    type(c_ptr) :: law = c_null_ptr
    type(c_ptr) :: systems = c_null_ptr
    integer(c_int32_t) :: n_systems = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> model.h
  type, bind(C) :: perp_model
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: n_systems = 0
    integer(c_int32_t) :: n_interactions = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: systems = c_null_ptr
    type(c_ptr) :: interactions = c_null_ptr
    type(c_ptr) :: q0 = c_null_ptr
    type(c_ptr) :: v0 = c_null_ptr
    type(c_ptr) :: x0 = c_null_ptr
    type(c_ptr) :: pool = c_null_ptr
  end type

  !> boundary.h
  type, bind(C) :: perp_harmonic
    real(c_double) :: amplitude = 0.0_c_double
    real(c_double) :: omega = 0.0_c_double
    real(c_double) :: phase = 0.0_c_double
  end type

  !> boundary.h
  type, bind(C) :: perp_prescribed_velocity
    type(perp_relation) :: relation
    type(c_ptr) :: index = c_null_ptr
    type(c_ptr) :: constant = c_null_ptr
    type(c_ptr) :: harmonics = c_null_ptr
    type(c_funptr) :: velocity = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    integer(c_int32_t) :: n_harmonics = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> piecewise_linear.h
  type, bind(C) :: perp_piecewise_linear
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: points = 0
    type(c_ptr) :: y = c_null_ptr
    type(c_ptr) :: lambda = c_null_ptr
    real(c_double) :: slope_before = 0.0_c_double
    real(c_double) :: slope_after = 0.0_c_double
  end type

  !> piecewise_linear.h
  type, bind(C) :: perp_pieces
    type(perp_box) :: box
    type(c_ptr) :: shift = c_null_ptr
  end type

  !> piecewise_linear.h
  type, bind(C) :: perp_piecewise_relation
    type(perp_relation) :: relation
    type(perp_pieces) :: pieces
    type(c_ptr) :: inner = c_null_ptr
    type(c_ptr) :: graph = c_null_ptr
    type(c_ptr) :: compliance = c_null_ptr
    type(c_ptr) :: reference = c_null_ptr
    type(c_ptr) :: H = c_null_ptr
    type(c_ptr) :: B_ = c_null_ptr
    type(c_ptr) :: D = c_null_ptr
    type(c_ptr) :: F = c_null_ptr
    type(c_ptr) :: b = c_null_ptr
  end type

  !> newton_euler.h
  type, bind(C) :: perp_body
    type(perp_system) :: system
    real(c_double) :: mass = 0.0_c_double
    real(c_double) :: inertia(9) = 0.0_c_double
    real(c_double) :: f(3) = 0.0_c_double
    type(c_funptr) :: force = c_null_funptr
    type(c_funptr) :: torque = c_null_funptr
    type(c_funptr) :: force_jacobian = c_null_funptr
    type(c_funptr) :: torque_jacobian = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    integer(c_int32_t) :: torque_frame = 0
    integer(c_int32_t) :: gyroscopic = 0
    type(perp_control) :: control
    type(c_ptr) :: z = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> newton_euler.h
  type, bind(C) :: perp_contact_place
    real(c_double) :: gap = 0.0_c_double
    real(c_double) :: normal(3) = 0.0_c_double
    real(c_double) :: tangent(3) = 0.0_c_double
    real(c_double) :: a(3) = 0.0_c_double
    real(c_double) :: b(3) = 0.0_c_double
    real(c_double) :: velocity(3) = 0.0_c_double
  end type

  !> newton_euler.h
  type, bind(C) :: perp_body_contact
    type(perp_relation) :: relation
    type(c_funptr) :: locate = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> newton_euler.h
  type, bind(C) :: perp_sphere_plane
    real(c_double) :: radius = 0.0_c_double
    real(c_double) :: normal(3) = 0.0_c_double
    real(c_double) :: offset = 0.0_c_double
  end type

  !> newton_euler.h
  type, bind(C) :: perp_sphere_sphere
    real(c_double) :: radius(2) = 0.0_c_double
  end type

  !> newton_euler.h
  type, bind(C) :: perp_point_plane
    real(c_double) :: point(3) = 0.0_c_double
    real(c_double) :: normal(3) = 0.0_c_double
    real(c_double) :: offset = 0.0_c_double
  end type

  !> simulation.h
  type, bind(C) :: perp_step_solver
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: name = c_null_ptr
    type(c_funptr) :: suits = c_null_funptr
    type(c_funptr) :: solve = c_null_funptr
    type(c_funptr) :: release = c_null_funptr
  end type

  !> simulation.h
  type, bind(C) :: perp_simulation_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: steps = 0
    real(c_double) :: t0 = 0.0_c_double
    real(c_double) :: h = 0.0_c_double
    type(c_ptr) :: grid = c_null_ptr
    real(c_double) :: theta = 0.0_c_double
    type(c_ptr) :: thetas = c_null_ptr
    real(c_double) :: gamma = 0.0_c_double
    real(c_double) :: min_gap = 0.0_c_double
    type(c_ptr) :: integrator = c_null_ptr
    type(c_ptr) :: integrators = c_null_ptr
    type(c_ptr) :: solver = c_null_ptr
    type(c_ptr) :: solver_options = c_null_ptr
    type(c_ptr) :: backend = c_null_ptr
    integer(c_int32_t) :: on_failure = 0
    integer(c_int32_t) :: max_halvings = 0
    integer(c_int32_t) :: newton_stop = 0
    integer(c_int32_t) :: newton_start = 0
    integer(c_int32_t) :: newton_max = 0
    integer(c_int32_t) :: newton_halvings = 0
    real(c_double) :: newton_tol = 0.0_c_double
    real(c_double) :: reaction_gamma = 0.0_c_double
    integer(c_int32_t) :: projection = 0
    integer(c_int32_t) :: projection_max = 0
    real(c_double) :: projection_tol = 0.0_c_double
    real(c_double) :: projection_tol_unilateral = 0.0_c_double
    real(c_double) :: gap_tol = 0.0_c_double
    integer(c_int32_t) :: switchable = 0
    type(c_ptr) :: sparse = c_null_ptr
    real(c_double) :: equality_tol = 0.0_c_double
    type(c_ptr) :: global = c_null_ptr
    integer(c_int32_t) :: formulation = 0
    integer(c_int32_t) :: reserved = 0
    real(c_double) :: accept_tol = 0.0_c_double
  end type

  !> simulation.h
  type, bind(C) :: perp_report
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_active = 0
    integer(c_int64_t) :: steps = 0
    integer(c_int64_t) :: active = 0
    integer(c_int64_t) :: impacts = 0
    integer(c_int64_t) :: solver_iterations = 0
    integer(c_int64_t) :: failures = 0
    integer(c_int64_t) :: retries = 0
    integer(c_int64_t) :: accepted = 0
    integer(c_int64_t) :: relaxed = 0
    real(c_double) :: penetration = 0.0_c_double
    real(c_double) :: residual = 0.0_c_double
    integer(c_int64_t) :: newton = 0
    integer(c_int64_t) :: dropped = 0
    integer(c_int64_t) :: left_out = 0
  end type

  !> pool.h
  type, bind(C) :: perp_pool_contact
    integer(c_int32_t) :: systems(2) = 0
    integer(c_int32_t) :: law = 0
    integer(c_int32_t) :: reserved = 0
    integer(c_int32_t) :: identity(2) = 0
    type(perp_contact_place) :: place
  end type

  !> pool.h
  type, bind(C) :: perp_contact_pool
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: capacity = 0
    integer(c_int32_t) :: max_per_system = 0
    integer(c_int32_t) :: plane = 0
    integer(c_int32_t) :: n_laws = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: laws = c_null_ptr
    type(c_funptr) :: find = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> builder.h
  type, bind(C) :: perp_owner
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: flags = 0
    type(c_ptr) :: user = c_null_ptr
    type(c_funptr) :: destroy = c_null_funptr
    type(c_ptr) :: key = c_null_ptr
    integer(c_size_t) :: key_bytes = 0
    type(c_ptr) :: kept = c_null_ptr
    integer(c_size_t) :: n_kept = 0
  end type

  !> check.h
  type, bind(C) :: perp_derivative_report
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: compared = 0
    integer(c_int32_t) :: wrong = 0
    integer(c_int32_t) :: found = 0
    integer(c_int32_t) :: index = 0
    integer(c_int32_t) :: row = 0
    integer(c_int32_t) :: column = 0
    integer(c_int32_t) :: overrun = 0
    type(c_ptr) :: jacobian = c_null_ptr
    real(c_double) :: given = 0.0_c_double
    real(c_double) :: expected = 0.0_c_double
    real(c_double) :: error = 0.0_c_double
  end type

  !> contact_list.h
  type, bind(C) :: perp_contact_view
    integer(c_int32_t) :: interaction = 0
    integer(c_int32_t) :: copy = 0
    integer(c_int32_t) :: systems(2) = 0
    integer(c_int32_t) :: identity(2) = 0
    integer(c_int32_t) :: law = 0
    integer(c_int32_t) :: rows = 0
    integer(c_int32_t) :: located = 0
    integer(c_int32_t) :: reserved = 0
    real(c_double) :: gap = 0.0_c_double
    type(c_ptr) :: ydot = c_null_ptr
    type(c_ptr) :: lambda = c_null_ptr
    real(c_double) :: point(3) = 0.0_c_double
    real(c_double) :: frame(9) = 0.0_c_double
    real(c_double) :: impulse(3) = 0.0_c_double
    real(c_double) :: force(3) = 0.0_c_double
    real(c_double) :: couple(3) = 0.0_c_double
  end type

  !> multiple_impact.h
  type, bind(C) :: perp_multiple_impact_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: compliance = 0
    real(c_double) :: exponent = 0.0_c_double
    real(c_double) :: step = 0.0_c_double
    real(c_double) :: tol = 0.0_c_double
    integer(c_int32_t) :: max_steps = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: stiffness = c_null_ptr
  end type

  !> event_driven.h
  type, bind(C) :: perp_event_state
    real(c_double) :: t = 0.0_c_double
    type(c_ptr) :: q = c_null_ptr
    type(c_ptr) :: v = c_null_ptr
    type(c_ptr) :: x = c_null_ptr
  end type

  !> event_driven.h
  type, bind(C) :: perp_guard
    type(c_funptr) :: value = c_null_funptr
    type(c_funptr) :: reset = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    integer(c_int32_t) :: direction = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> event_driven.h
  type, bind(C) :: perp_schedule
    type(c_ptr) :: times = c_null_ptr
    integer(c_int32_t) :: n_times = 0
    integer(c_int32_t) :: reserved = 0
    real(c_double) :: first = 0.0_c_double
    real(c_double) :: period = 0.0_c_double
    type(c_funptr) :: reset = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> event_driven.h
  type, bind(C) :: perp_event_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: order = 0
    real(c_double) :: t0 = 0.0_c_double
    real(c_double) :: rtol = 0.0_c_double
    real(c_double) :: atol = 0.0_c_double
    type(c_ptr) :: atols = c_null_ptr
    type(c_ptr) :: smooth = c_null_ptr
    integer(c_int32_t) :: linear = 0
    integer(c_int32_t) :: max_steps = 0
    real(c_double) :: h_first = 0.0_c_double
    real(c_double) :: h_max = 0.0_c_double
    real(c_double) :: contact_tol = 0.0_c_double
    real(c_double) :: min_gap = 0.0_c_double
    real(c_double) :: velocity_tol = 0.0_c_double
    integer(c_int32_t) :: impact = 0
    integer(c_int32_t) :: zeno = 0
    real(c_double) :: zeno_tol = 0.0_c_double
    integer(c_int32_t) :: storm_events = 0
    integer(c_int32_t) :: samples = 0
    real(c_double) :: storm_time = 0.0_c_double
    type(c_ptr) :: lzb = c_null_ptr
    type(c_ptr) :: stepping = c_null_ptr
    type(c_ptr) :: solver = c_null_ptr
    type(c_ptr) :: solver_options = c_null_ptr
    type(c_ptr) :: guards = c_null_ptr
    type(c_ptr) :: schedules = c_null_ptr
    integer(c_int32_t) :: n_guards = 0
    integer(c_int32_t) :: n_schedules = 0
  end type

  !> event_driven.h
  type, bind(C) :: perp_event_change
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: index = 0
    integer(c_int32_t) :: copy = 0
    integer(c_int32_t) :: before = 0
    integer(c_int32_t) :: after = 0
  end type

  !> event_driven.h
  type, bind(C) :: perp_event
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: kinds = 0
    real(c_double) :: t = 0.0_c_double
    real(c_double) :: error = 0.0_c_double
    real(c_double) :: until = 0.0_c_double
    type(c_ptr) :: q = c_null_ptr
    type(c_ptr) :: v = c_null_ptr
    type(c_ptr) :: x = c_null_ptr
    type(c_ptr) :: impulse = c_null_ptr
    type(c_ptr) :: changes = c_null_ptr
    integer(c_int32_t) :: n_changes = 0
    integer(c_int32_t) :: number = 0
  end type

  !> event_driven.h
  type, bind(C) :: perp_event_observer
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: n_times = 0
    type(c_ptr) :: times = c_null_ptr
    real(c_double) :: first = 0.0_c_double
    real(c_double) :: every = 0.0_c_double
    type(c_funptr) :: output = c_null_funptr
    type(c_funptr) :: event = c_null_funptr
    type(c_funptr) :: step = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> event_driven.h
  type, bind(C) :: perp_event_report
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: reserved = 0
    integer(c_int64_t) :: events = 0
    integer(c_int64_t) :: impacts = 0
    integer(c_int64_t) :: switches = 0
    integer(c_int64_t) :: jumps = 0
    integer(c_int64_t) :: handovers = 0
    integer(c_int64_t) :: restarts = 0
    integer(c_int64_t) :: problems = 0
    integer(c_int64_t) :: corrections = 0
    integer(c_int64_t) :: unresolved = 0
    integer(c_int64_t) :: steps = 0
    integer(c_int64_t) :: rejected = 0
    integer(c_int64_t) :: evaluations = 0
    integer(c_int64_t) :: jacobians = 0
    integer(c_int64_t) :: guards = 0
    real(c_double) :: drift = 0.0_c_double
    integer(c_int64_t) :: missed = 0
    integer(c_int64_t) :: indeterminate = 0
  end type

  !> sweeps.h
  type, bind(C) :: perp_gauss_seidel_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    real(c_double) :: omega = 0.0_c_double
    real(c_double) :: regularisation = 0.0_c_double
    integer(c_int32_t) :: symmetric = 0
    integer(c_int32_t) :: check = 0
  end type

  !> sweeps.h
  type, bind(C) :: perp_nsgs_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    real(c_double) :: omega = 0.0_c_double
    real(c_double) :: regularisation = 0.0_c_double
    integer(c_int32_t) :: order = 0
    integer(c_int32_t) :: acceleration = 0
    integer(c_int32_t) :: depth = 0
    integer(c_int32_t) :: freeze = 0
    integer(c_int32_t) :: check = 0
    integer(c_int32_t) :: colours = 0
    type(c_funptr) :: parallel = c_null_funptr
    type(c_ptr) :: parallel_user = c_null_ptr
  end type

  !> sweeps.h
  type, bind(C) :: perp_conjugate_gradient_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    real(c_double) :: proportion = 0.0_c_double
  end type

  !> fc.h
  type, bind(C) :: perp_fc
    integer(c_int32_t) :: contacts = 0
    integer(c_int32_t) :: dim = 0
    integer(c_int32_t) :: ld = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: W = c_null_ptr
    type(c_ptr) :: q = c_null_ptr
    type(c_ptr) :: mu = c_null_ptr
  end type

  !> first_order.h
  type, bind(C) :: perp_first_order
    type(perp_system) :: system
    type(perp_matrix) :: M
    type(c_funptr) :: f = c_null_funptr
    type(c_funptr) :: f_dx = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(perp_control) :: control
    type(c_ptr) :: z = c_null_ptr
    type(c_ptr) :: typical = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> first_order_relation.h
  type, bind(C) :: perp_first_order_relation
    type(perp_relation) :: relation
    type(c_funptr) :: h = c_null_funptr
    type(c_funptr) :: g = c_null_funptr
    type(c_funptr) :: C = c_null_funptr
    type(c_funptr) :: D = c_null_funptr
    type(c_funptr) :: B = c_null_funptr
    type(c_funptr) :: K = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: z = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: reads = 0
    type(c_ptr) :: typical_x = c_null_ptr
    type(c_ptr) :: typical_lambda = c_null_ptr
    type(c_funptr) :: h_t = c_null_funptr
  end type

  !> first_order_relation.h
  type, bind(C) :: perp_linear_varying_relation
    type(perp_linear_relation) :: linear
    type(c_funptr) :: C = c_null_funptr
    type(c_funptr) :: D = c_null_funptr
    type(c_funptr) :: B = c_null_funptr
    type(c_funptr) :: F = c_null_funptr
    type(c_funptr) :: e = c_null_funptr
    type(c_funptr) :: a = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> interior_point.h
  type, bind(C) :: perp_interior_point_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    integer(c_int32_t) :: correctors = 0
    integer(c_int32_t) :: crossover = 0
    type(c_ptr) :: sparse = c_null_ptr
  end type

  !> interior_point.h
  type, bind(C) :: perp_friction_interior_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    integer(c_int32_t) :: coupling = 0
    integer(c_int32_t) :: crossover = 0
    type(c_ptr) :: sparse = c_null_ptr
  end type

  !> joint.h
  type, bind(C) :: perp_joint
    type(perp_relation) :: relation
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: reserved = 0
    real(c_double) :: point_a(3) = 0.0_c_double
    real(c_double) :: point_b(3) = 0.0_c_double
    real(c_double) :: frame_a(9) = 0.0_c_double
    real(c_double) :: frame_b(9) = 0.0_c_double
    real(c_double) :: lead = 0.0_c_double
  end type

  !> joint.h
  type, bind(C) :: perp_joint_coordinate
    type(perp_relation) :: relation
    type(c_ptr) :: joint = c_null_ptr
    integer(c_int32_t) :: coordinate = 0
    integer(c_int32_t) :: use = 0
    real(c_double) :: lower = 0.0_c_double
    real(c_double) :: upper = 0.0_c_double
    real(c_double) :: centre = 0.0_c_double
    type(c_funptr) :: rate = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> joint.h
  type, bind(C) :: perp_gear
    type(perp_relation) :: relation
    integer(c_int32_t) :: teeth_a = 0
    integer(c_int32_t) :: teeth_b = 0
    real(c_double) :: frame_a(9) = 0.0_c_double
    real(c_double) :: frame_b(9) = 0.0_c_double
    real(c_double) :: carrier_a(9) = 0.0_c_double
    real(c_double) :: carrier_b(9) = 0.0_c_double
  end type

  !> lagrangian.h
  type, bind(C) :: perp_lagrangian
    type(perp_system) :: system
    type(perp_matrix) :: M
    type(c_funptr) :: mass = c_null_funptr
    type(c_funptr) :: gyroscopic = c_null_funptr
    type(c_funptr) :: gyroscopic_dq = c_null_funptr
    type(c_funptr) :: gyroscopic_dv = c_null_funptr
    type(c_funptr) :: internal = c_null_funptr
    type(c_funptr) :: internal_dq = c_null_funptr
    type(c_funptr) :: internal_dv = c_null_funptr
    type(c_funptr) :: external = c_null_funptr
    type(c_funptr) :: potential = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: f = c_null_ptr
    type(perp_control) :: control
    type(c_ptr) :: z = c_null_ptr
    type(c_ptr) :: typical_q = c_null_ptr
    type(c_ptr) :: typical_v = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> lagrangian_relation.h
  type, bind(C) :: perp_lagrangian_relation
    type(perp_relation) :: relation
    type(c_funptr) :: h = c_null_funptr
    type(c_funptr) :: H_ = c_null_funptr
    type(c_funptr) :: h_t = c_null_funptr
    type(c_funptr) :: D = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: z = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: reads = 0
    type(c_ptr) :: typical_q = c_null_ptr
    type(c_ptr) :: typical_lambda = c_null_ptr
    integer(c_int32_t) :: bodies = 0
    integer(c_int32_t) :: reserved = 0
    type(c_funptr) :: bias = c_null_funptr
  end type

  !> lagrangian_relation.h
  type, bind(C) :: perp_lagrangian_velocity_relation
    type(perp_relation) :: relation
    type(c_funptr) :: g = c_null_funptr
    type(c_funptr) :: H = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: z = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: bodies = 0
    type(c_ptr) :: typical_v = c_null_ptr
    type(c_funptr) :: bias = c_null_funptr
  end type

  !> lagrangian_relation.h
  type, bind(C) :: perp_lagrangian_contact_relation
    type(perp_relation) :: relation
    type(c_funptr) :: h = c_null_funptr
    type(c_funptr) :: G = c_null_funptr
    type(c_funptr) :: T = c_null_funptr
    type(c_funptr) :: h_t = c_null_funptr
    type(c_funptr) :: s = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: z = c_null_ptr
    integer(c_int32_t) :: n_z = 0
    integer(c_int32_t) :: size = 0
    type(c_ptr) :: typical_q = c_null_ptr
    integer(c_int32_t) :: bodies = 0
    integer(c_int32_t) :: reserved = 0
    type(c_funptr) :: bias = c_null_funptr
  end type

  !> mcp.h
  type, bind(C) :: perp_mcp
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: reserved = 0
    type(c_funptr) :: function = c_null_funptr
    type(c_funptr) :: jacobian = c_null_funptr
    type(perp_matrix) :: layout
    type(c_ptr) :: lower = c_null_ptr
    type(c_ptr) :: upper = c_null_ptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> mcp.h
  type, bind(C) :: perp_mcp_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    integer(c_int32_t) :: mode = 0
    integer(c_int32_t) :: max_pivots = 0
    integer(c_int32_t) :: crash = 0
    integer(c_int32_t) :: restarts = 0
    integer(c_int32_t) :: memory = 0
    integer(c_int32_t) :: watchdog = 0
    real(c_double) :: decrease = 0.0_c_double
  end type

  !> newton.h
  type, bind(C) :: perp_newton_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    integer(c_int32_t) :: history = 0
    integer(c_int32_t) :: restarts = 0
  end type

  !> newton.h
  type, bind(C) :: perp_friction_newton_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    integer(c_int32_t) :: function = 0
    integer(c_int32_t) :: search = 0
    integer(c_int32_t) :: history = 0
    integer(c_int32_t) :: sweeps = 0
    real(c_double) :: proximal = 0.0_c_double
    type(c_ptr) :: sparse = c_null_ptr
  end type

  !> pivoting.h
  type, bind(C) :: perp_lemke_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    type(c_ptr) :: covering = c_null_ptr
  end type

  !> pivoting.h
  type, bind(C) :: perp_block_pivoting_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    real(c_double) :: proximal = 0.0_c_double
    integer(c_int32_t) :: patience = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> pivoting.h
  type, bind(C) :: perp_box_pivoting_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    type(c_ptr) :: covering = c_null_ptr
    real(c_double) :: proximal = 0.0_c_double
  end type

  !> pivoting.h
  type, bind(C) :: perp_active_set_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    real(c_double) :: proximal = 0.0_c_double
  end type

  !> pivoting.h
  type, bind(C) :: perp_enumeration_report
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: solutions = 0
    integer(c_int32_t) :: nodes = 0
    integer(c_int32_t) :: complete = 0
    integer(c_int32_t) :: faces = 0
  end type

  !> qp.h
  type, bind(C) :: perp_qp
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: m = 0
    type(perp_matrix) :: P
    type(perp_matrix) :: A
    type(c_ptr) :: c = c_null_ptr
    type(c_ptr) :: row_lower = c_null_ptr
    type(c_ptr) :: row_upper = c_null_ptr
    type(c_ptr) :: lower = c_null_ptr
    type(c_ptr) :: upper = c_null_ptr
  end type

  !> qp.h
  type, bind(C) :: perp_qp_residual
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: worst = 0
    real(c_double) :: primal = 0.0_c_double
    real(c_double) :: dual = 0.0_c_double
    real(c_double) :: gap = 0.0_c_double
    real(c_double) :: relative_primal = 0.0_c_double
    real(c_double) :: relative_dual = 0.0_c_double
    real(c_double) :: relative_gap = 0.0_c_double
    real(c_double) :: primal_hat = 0.0_c_double
    real(c_double) :: dual_hat = 0.0_c_double
    real(c_double) :: primal_rounding = 0.0_c_double
    real(c_double) :: dual_rounding = 0.0_c_double
    real(c_double) :: objective = 0.0_c_double
  end type

  !> sensitivity.h
  type, bind(C) :: perp_sensitivity_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: reserved = 0
    real(c_double) :: tol = 0.0_c_double
  end type

  !> sensitivity.h
  type, bind(C) :: perp_sensitivity
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: n_free = 0
    integer(c_int32_t) :: n_degenerate = 0
    integer(c_int32_t) :: reserved = 0
    type(c_ptr) :: state = c_null_ptr
    type(c_ptr) :: data = c_null_ptr
  end type

  !> vi.h
  type, bind(C) :: perp_vi
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: reserved = 0
    type(c_funptr) :: function = c_null_funptr
    type(c_funptr) :: project = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type

  !> vi.h
  type, bind(C) :: perp_vi_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    real(c_double) :: step = 0.0_c_double
    real(c_double) :: ratio = 0.0_c_double
    real(c_double) :: shrink = 0.0_c_double
    real(c_double) :: grow = 0.0_c_double
  end type

  !> vi.h
  type, bind(C) :: perp_avi_pivoting_options
    integer(c_int32_t) :: struct_size = 0
    integer(c_int32_t) :: max_iter = 0
    real(c_double) :: tol = 0.0_c_double
    type(c_funptr) :: observe = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    real(c_double) :: budget = 0.0_c_double
    type(c_ptr) :: kind = c_null_ptr
    type(c_ptr) :: engine = c_null_ptr
  end type

  !> vi.h
  type, bind(C) :: perp_avi
    integer(c_int32_t) :: n = 0
    integer(c_int32_t) :: ldM = 0
    type(c_ptr) :: M_ = c_null_ptr
    type(c_ptr) :: q = c_null_ptr
    integer(c_int32_t) :: m = 0
    integer(c_int32_t) :: ldH = 0
    type(c_ptr) :: H = c_null_ptr
    type(c_ptr) :: K = c_null_ptr
  end type

  abstract interface
    function perp_observer(iterate, user) bind(C) result(answer)
      import
      type(perp_iterate), intent(in) :: iterate
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_impact_fn(size, begin, q, user) bind(C) result(answer)
      import
      integer(c_int32_t), value :: size
      type(perp_law_step), intent(in) :: begin
      type(c_ptr), value :: q
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_state_fn(t, q, v, z, out, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: q
      type(c_ptr), value :: v
      type(c_ptr), value :: z
      type(c_ptr), value :: out
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_time_fn(t, f, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: f
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_body_fn(t, q, v, out, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: q
      type(c_ptr), value :: v
      type(c_ptr), value :: out
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_body_jacobian_fn(t, q, v, by_d, by_v, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: q
      type(c_ptr), value :: v
      type(c_ptr), value :: by_d
      type(c_ptr), value :: by_v
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_locate_fn(t, q, place, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: q
      type(perp_contact_place), intent(inout) :: place
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_step_fn(sim, user) bind(C) result(answer)
      import
      type(c_ptr), value :: sim
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_find_fn(t, sim, out, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: sim
      type(c_ptr), value :: out
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_guard_fn(at, g, user) bind(C) result(answer)
      import
      type(perp_event_state), intent(in) :: at
      type(c_ptr), value :: g
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_reset_fn(at, user) bind(C) result(answer)
      import
      type(perp_event_state), intent(inout) :: at
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    subroutine perp_parallel_body(begin, end, worker, ctx) bind(C)
      import
      integer(c_int32_t), value :: begin
      integer(c_int32_t), value :: end
      integer(c_int32_t), value :: worker
      type(c_ptr), value :: ctx
    end subroutine
    subroutine perp_parallel_for(chunks, body, ctx, user) bind(C)
      import
      integer(c_int32_t), value :: chunks
      type(c_funptr), value :: body
      type(c_ptr), value :: ctx
      type(c_ptr), value :: user
    end subroutine
    function perp_first_order_fn(t, x, z, out, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: x
      type(c_ptr), value :: z
      type(c_ptr), value :: out
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_relation_fn(t, x, lambda, z, out, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: x
      type(c_ptr), value :: lambda
      type(c_ptr), value :: z
      type(c_ptr), value :: out
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_gap_fn(t, q, lambda, z, out, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: q
      type(c_ptr), value :: lambda
      type(c_ptr), value :: z
      type(c_ptr), value :: out
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_velocity_fn(t, q, v, z, out, user) bind(C) result(answer)
      import
      real(c_double), value :: t
      type(c_ptr), value :: q
      type(c_ptr), value :: v
      type(c_ptr), value :: z
      type(c_ptr), value :: out
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_mcp_function(z, F, user) bind(C) result(answer)
      import
      type(c_ptr), value :: z
      type(c_ptr), value :: F
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_mcp_jacobian(z, values, user) bind(C) result(answer)
      import
      type(c_ptr), value :: z
      type(c_ptr), value :: values
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_enumeration_visit(z, w, user) bind(C) result(answer)
      import
      type(c_ptr), value :: z
      type(c_ptr), value :: w
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_vi_function(x, F, user) bind(C) result(answer)
      import
      type(c_ptr), value :: x
      type(c_ptr), value :: F
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_vi_project(x, p, user) bind(C) result(answer)
      import
      type(c_ptr), value :: x
      type(c_ptr), value :: p
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
  end interface

  interface
    ! base.h
    function perp_status_string(status) bind(C, name="perp_status_string") result(answer)
      import
      integer(c_int32_t), value :: status
      type(c_ptr) :: answer
    end function
    function perp_version() bind(C, name="perp_version") result(answer)
      import
      integer(c_int32_t) :: answer
    end function
    function perp_version_string() bind(C, name="perp_version_string") result(answer)
      import
      type(c_ptr) :: answer
    end function
    ! matrix.h
    function perp_matrix_check(matrix, info) bind(C, name="perp_matrix_check") result(answer)
      import
      type(perp_matrix), intent(in), optional :: matrix
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_matrix_multiply(A, x, y) bind(C, name="perp_matrix_multiply") result(answer)
      import
      type(perp_matrix), intent(in), optional :: A
      real(c_double), intent(in), optional :: x(*)
      real(c_double), intent(inout), optional :: y(*)
      integer(c_int32_t) :: answer
    end function
    function perp_matrix_entry(A, i, j) bind(C, name="perp_matrix_entry") result(answer)
      import
      type(perp_matrix), intent(in), optional :: A
      integer(c_int32_t), value :: i
      integer(c_int32_t), value :: j
      real(c_double) :: answer
    end function
    ! law.h
    function perp_equality_init(law, size) bind(C, name="perp_equality_init") result(answer)
      import
      type(perp_equality), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_complementarity_init(law, size) bind(C, name="perp_complementarity_init") &
      result(answer)
      import
      type(perp_complementarity), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_newton_impact_init(law, size) bind(C, name="perp_newton_impact_init") result( &
      answer)
      import
      type(perp_newton_impact), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_box_init(law, size) bind(C, name="perp_box_init") result(answer)
      import
      type(perp_box), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_polyhedron_init(law, size) bind(C, name="perp_polyhedron_init") result(answer)
      import
      type(perp_polyhedron), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_friction_init(law, size) bind(C, name="perp_friction_init") result(answer)
      import
      type(perp_friction), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_friction_small_init(law, size) bind(C, name="perp_friction_small_init") result( &
      answer)
      import
      type(perp_friction), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_rolling_init(law, size) bind(C, name="perp_rolling_init") result(answer)
      import
      type(perp_rolling), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_mixed_init(law, size) bind(C, name="perp_mixed_init") result(answer)
      import
      type(perp_mixed), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_compliant_init(law, size) bind(C, name="perp_compliant_init") result(answer)
      import
      type(perp_compliant), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_fremond_init(law, size) bind(C, name="perp_fremond_init") result(answer)
      import
      type(perp_fremond), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_cohesive_init(law, size) bind(C, name="perp_cohesive_init") result(answer)
      import
      type(perp_cohesive), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    function perp_user_impact_init(law, size, components) bind(C, name="perp_user_impact_init") &
      result(answer)
      import
      type(perp_user_impact), intent(inout), optional :: law
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: components
      integer(c_int32_t) :: answer
    end function
    function perp_law_check(law, info) bind(C, name="perp_law_check") result(answer)
      import
      type(perp_law), intent(in), optional :: law
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_law_verify_workspace(law) bind(C, name="perp_law_verify_workspace") result(answer)
      import
      type(perp_law), intent(in), optional :: law
      integer(c_size_t) :: answer
    end function
    function perp_law_verify(law, state, y, lambda, verdict, work, work_bytes) bind(C, &
      name="perp_law_verify") result(answer)
      import
      type(perp_law), intent(in), optional :: law
      type(c_ptr), value :: state
      real(c_double), intent(in), optional :: y(*)
      real(c_double), intent(in), optional :: lambda(*)
      type(perp_law_verdict), intent(inout), optional :: verdict
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      integer(c_int32_t) :: answer
    end function
    ! problem.h
    function perp_problem_check(problem, info) bind(C, name="perp_problem_check") result(answer)
      import
      type(perp_problem), intent(in), optional :: problem
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_problem_residual_workspace(problem) bind(C, &
      name="perp_problem_residual_workspace") result(answer)
      import
      type(perp_problem), intent(in), optional :: problem
      integer(c_size_t) :: answer
    end function
    function perp_problem_residual(problem, lambda, y, residual, work, work_bytes) bind(C, &
      name="perp_problem_residual") result(answer)
      import
      type(perp_problem), intent(in), optional :: problem
      real(c_double), intent(in), optional :: lambda(*)
      real(c_double), intent(inout), optional :: y(*)
      type(perp_residual), intent(inout), optional :: residual
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      integer(c_int32_t) :: answer
    end function
    function perp_problem_certificate(problem, u, bound, work, work_bytes) bind(C, &
      name="perp_problem_certificate") result(answer)
      import
      type(perp_problem), intent(in), optional :: problem
      real(c_double), intent(in), optional :: u(*)
      real(c_double), intent(inout), optional :: bound(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      integer(c_int32_t) :: answer
    end function
    function perp_residual_solved(residual, tol) bind(C, name="perp_residual_solved") result(answer)
      import
      type(perp_residual), intent(in), optional :: residual
      real(c_double), value :: tol
      integer(c_int32_t) :: answer
    end function
    ! solver.h
    subroutine perp_solver_options_init(opts, size) bind(C, name="perp_solver_options_init")
      import
      type(perp_solver_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_budget(n) bind(C, name="perp_solver_budget") result(answer)
      import
      integer(c_int32_t), value :: n
      real(c_double) :: answer
    end function
    function perp_solver_check(solver, options, info) bind(C, name="perp_solver_check") result( &
      answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(c_ptr), value :: options
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    subroutine perp_problem_shape(problem, shape) bind(C, name="perp_problem_shape")
      import
      type(perp_problem), intent(in), optional :: problem
      type(perp_shape), intent(inout), optional :: shape
    end subroutine
    function perp_solver_workspace(solver, problem, options) bind(C, &
      name="perp_solver_workspace") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(perp_problem), intent(in), optional :: problem
      type(c_ptr), value :: options
      integer(c_size_t) :: answer
    end function
    function perp_solver_shape_workspace(solver, shape, options) bind(C, &
      name="perp_solver_shape_workspace") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(perp_shape), intent(in), optional :: shape
      type(c_ptr), value :: options
      integer(c_size_t) :: answer
    end function
    function perp_solver_warm_bytes(solver, problem) bind(C, name="perp_solver_warm_bytes") &
      result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(perp_problem), intent(in), optional :: problem
      integer(c_size_t) :: answer
    end function
    function perp_solver_solve(solver, problem, options, lambda, y, warm, work, work_bytes, info) &
      bind(C, name="perp_solver_solve") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(perp_problem), intent(in), optional :: problem
      type(c_ptr), value :: options
      real(c_double), intent(inout), optional :: lambda(*)
      real(c_double), intent(inout), optional :: y(*)
      type(perp_warm), intent(inout), optional :: warm
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_warm_set_modes(warm, n, modes) bind(C, name="perp_warm_set_modes") result(answer)
      import
      type(perp_warm), intent(inout), optional :: warm
      integer(c_int32_t), value :: n
      integer(c_int8_t), intent(in), optional :: modes(*)
      integer(c_int32_t) :: answer
    end function
    function perp_warm_get_modes(warm, n, modes) bind(C, name="perp_warm_get_modes") result(answer)
      import
      type(perp_warm), intent(in), optional :: warm
      integer(c_int32_t), value :: n
      integer(c_int8_t), intent(inout), optional :: modes(*)
      integer(c_int32_t) :: answer
    end function
    ! sparse.h
    function perp_sparse_klu() bind(C, name="perp_sparse_klu") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_sparse_ldl() bind(C, name="perp_sparse_ldl") result(answer)
      import
      type(c_ptr) :: answer
    end function
    ! global.h
    function perp_global_check(problem, info) bind(C, name="perp_global_check") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_global_residual_workspace(problem) bind(C, &
      name="perp_global_residual_workspace") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      integer(c_size_t) :: answer
    end function
    function perp_global_residual(problem, v, r, u, parts, work, work_bytes) bind(C, &
      name="perp_global_residual") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      real(c_double), intent(in), optional :: v(*)
      real(c_double), intent(in), optional :: r(*)
      real(c_double), intent(inout), optional :: u(*)
      type(perp_global_parts), intent(inout), optional :: parts
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      integer(c_int32_t) :: answer
    end function
    function perp_global_solved(parts, tol) bind(C, name="perp_global_solved") result(answer)
      import
      type(perp_global_parts), intent(in), optional :: parts
      real(c_double), value :: tol
      integer(c_int32_t) :: answer
    end function
    subroutine perp_global_options_init(opts, size) bind(C, name="perp_global_options_init")
      import
      type(perp_global_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_global_scratch(problem) bind(C, name="perp_global_scratch") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      integer(c_size_t) :: answer
    end function
    function perp_global_workspace(problem, options, scratch, scratch_bytes) bind(C, &
      name="perp_global_workspace") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      type(perp_global_options), intent(in), optional :: options
      type(c_ptr), value :: scratch
      integer(c_size_t), value :: scratch_bytes
      integer(c_size_t) :: answer
    end function
    function perp_global_form(problem, scratch, scratch_bytes) bind(C, name="perp_global_form") &
      result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      type(c_ptr), value :: scratch
      integer(c_size_t), value :: scratch_bytes
      integer(c_int32_t) :: answer
    end function
    function perp_global_solve(problem, options, v, r, u, warm, work, work_bytes, info) bind(C, &
      name="perp_global_solve") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      type(perp_global_options), intent(in), optional :: options
      real(c_double), intent(inout), optional :: v(*)
      real(c_double), intent(inout), optional :: r(*)
      real(c_double), intent(inout), optional :: u(*)
      type(perp_warm), intent(inout), optional :: warm
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_global_condense_workspace(problem, sparse, scratch, scratch_bytes) bind(C, &
      name="perp_global_condense_workspace") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      type(perp_sparse), intent(in), optional :: sparse
      type(c_ptr), value :: scratch
      integer(c_size_t), value :: scratch_bytes
      integer(c_size_t) :: answer
    end function
    function perp_global_condense(problem, sparse, condensed, work, work_bytes, info) bind(C, &
      name="perp_global_condense") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      type(perp_sparse), intent(in), optional :: sparse
      type(perp_problem), intent(inout), optional :: condensed
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! lcp.h
    function perp_lcp_workspace(solver, n, options) bind(C, name="perp_lcp_workspace") result( &
      answer)
      import
      type(perp_solver), intent(in), optional :: solver
      integer(c_int32_t), value :: n
      type(c_ptr), value :: options
      integer(c_size_t) :: answer
    end function
    function perp_lcp_solve(solver, problem, options, z, w, work, work_bytes, info) bind(C, &
      name="perp_lcp_solve") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(perp_lcp), intent(in), optional :: problem
      type(c_ptr), value :: options
      real(c_double), intent(inout), optional :: z(*)
      real(c_double), intent(inout), optional :: w(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_mlcp_workspace(solver, n, options) bind(C, name="perp_mlcp_workspace") result( &
      answer)
      import
      type(perp_solver), intent(in), optional :: solver
      integer(c_int32_t), value :: n
      type(c_ptr), value :: options
      integer(c_size_t) :: answer
    end function
    function perp_mlcp_solve(solver, problem, options, z, w, work, work_bytes, info) bind(C, &
      name="perp_mlcp_solve") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(perp_mlcp), intent(in), optional :: problem
      type(c_ptr), value :: options
      real(c_double), intent(inout), optional :: z(*)
      real(c_double), intent(inout), optional :: w(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! admm.h
    subroutine perp_admm_options_init(opts, size) bind(C, name="perp_admm_options_init")
      import
      type(perp_admm_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_admm() bind(C, name="perp_solver_admm") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_global_admm_workspace(problem, options) bind(C, &
      name="perp_global_admm_workspace") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      type(perp_admm_options), intent(in), optional :: options
      integer(c_size_t) :: answer
    end function
    function perp_global_admm(problem, options, v, r, u, work, work_bytes, info) bind(C, &
      name="perp_global_admm") result(answer)
      import
      type(perp_global_problem), intent(in), optional :: problem
      type(perp_admm_options), intent(in), optional :: options
      real(c_double), intent(inout), optional :: v(*)
      real(c_double), intent(inout), optional :: r(*)
      real(c_double), intent(inout), optional :: u(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! auto.h
    subroutine perp_auto_options_init(opts, size) bind(C, name="perp_auto_options_init")
      import
      type(perp_auto_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_auto() bind(C, name="perp_solver_auto") result(answer)
      import
      type(c_ptr) :: answer
    end function
    ! backend.h
    function perp_backend_lapack() bind(C, name="perp_backend_lapack") result(answer)
      import
      type(c_ptr) :: answer
    end function
    ! model.h
    function perp_lagrangian_linear_init(system, size, n) bind(C, &
      name="perp_lagrangian_linear_init") result(answer)
      import
      type(perp_lagrangian_linear), intent(inout), optional :: system
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_lagrangian_linear_constant_init(system, size, n) bind(C, &
      name="perp_lagrangian_linear_constant_init") result(answer)
      import
      type(perp_lagrangian_linear), intent(inout), optional :: system
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_first_order_linear_init(system, size, n) bind(C, &
      name="perp_first_order_linear_init") result(answer)
      import
      type(perp_first_order_linear), intent(inout), optional :: system
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_linear_relation_init(relation, size, m, n) bind(C, &
      name="perp_linear_relation_init") result(answer)
      import
      type(perp_linear_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_lagrangian_linear_relation_init(relation, size, m, n) bind(C, &
      name="perp_lagrangian_linear_relation_init") result(answer)
      import
      type(perp_lagrangian_linear_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_model_check(model, info) bind(C, name="perp_model_check") result(answer)
      import
      type(perp_model), intent(in), optional :: model
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! boundary.h
    function perp_prescribed_velocity_init(relation, size, m, n) bind(C, &
      name="perp_prescribed_velocity_init") result(answer)
      import
      type(perp_prescribed_velocity), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    ! piecewise_linear.h
    function perp_piecewise_linear_check(graph, info) bind(C, name="perp_piecewise_linear_check") &
      result(answer)
      import
      type(perp_piecewise_linear), intent(in), optional :: graph
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_piecewise_linear_pieces(graph) bind(C, name="perp_piecewise_linear_pieces") &
      result(answer)
      import
      type(perp_piecewise_linear), intent(in), optional :: graph
      integer(c_int32_t) :: answer
    end function
    function perp_piecewise_linear_distance(graph, y, lambda) bind(C, &
      name="perp_piecewise_linear_distance") result(answer)
      import
      type(perp_piecewise_linear), intent(in), optional :: graph
      real(c_double), value :: y
      real(c_double), value :: lambda
      real(c_double) :: answer
    end function
    function perp_piecewise_relation_memory(inner, graph) bind(C, &
      name="perp_piecewise_relation_memory") result(answer)
      import
      type(perp_relation), intent(in), optional :: inner
      type(perp_piecewise_linear), intent(in), optional :: graph
      integer(c_size_t) :: answer
    end function
    function perp_piecewise_relation_init(relation, size, inner, graph, memory, bytes, info) bind( &
      C, name="perp_piecewise_relation_init") result(answer)
      import
      type(perp_piecewise_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      type(perp_relation), intent(in), optional :: inner
      type(perp_piecewise_linear), intent(in), optional :: graph
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_piecewise_relation_of(relation) bind(C, name="perp_piecewise_relation_of") &
      result(answer)
      import
      type(perp_relation), intent(in), optional :: relation
      type(c_ptr) :: answer
    end function
    function perp_piecewise_relation_values(relation, w, z, y, lambda) bind(C, &
      name="perp_piecewise_relation_values") result(answer)
      import
      type(perp_piecewise_relation), intent(in), optional :: relation
      real(c_double), intent(in), optional :: w(*)
      real(c_double), intent(in), optional :: z(*)
      real(c_double), intent(inout), optional :: y(*)
      real(c_double), intent(inout), optional :: lambda(*)
      integer(c_int32_t) :: answer
    end function
    ! newton_euler.h
    function perp_body_init(body, size) bind(C, name="perp_body_init") result(answer)
      import
      type(perp_body), intent(inout), optional :: body
      integer(c_size_t), value :: size
      integer(c_int32_t) :: answer
    end function
    subroutine perp_rotation_matrix(Q, R) bind(C, name="perp_rotation_matrix")
      import
      real(c_double), intent(in), optional :: Q(*)
      real(c_double), intent(inout), optional :: R(*)
    end subroutine
    subroutine perp_rotation_quaternion(axis, angle, Q) bind(C, name="perp_rotation_quaternion")
      import
      real(c_double), intent(in), optional :: axis(*)
      real(c_double), value :: angle
      real(c_double), intent(inout), optional :: Q(*)
    end subroutine
    subroutine perp_body_move(q, d, out) bind(C, name="perp_body_move")
      import
      real(c_double), intent(in), optional :: q(*)
      real(c_double), intent(in), optional :: d(*)
      real(c_double), intent(inout), optional :: out(*)
    end subroutine
    function perp_body_contact_init(contact, size, m, bodies) bind(C, &
      name="perp_body_contact_init") result(answer)
      import
      type(perp_body_contact), intent(inout), optional :: contact
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: bodies
      integer(c_int32_t) :: answer
    end function
    function perp_locate_sphere_plane(t, q, place, user) bind(C, name="perp_locate_sphere_plane") &
      result(answer)
      import
      real(c_double), value :: t
      real(c_double), intent(in), optional :: q(*)
      type(perp_contact_place), intent(inout), optional :: place
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_locate_sphere_sphere(t, q, place, user) bind(C, &
      name="perp_locate_sphere_sphere") result(answer)
      import
      real(c_double), value :: t
      real(c_double), intent(in), optional :: q(*)
      type(perp_contact_place), intent(inout), optional :: place
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    function perp_locate_point_plane(t, q, place, user) bind(C, name="perp_locate_point_plane") &
      result(answer)
      import
      real(c_double), value :: t
      real(c_double), intent(in), optional :: q(*)
      type(perp_contact_place), intent(inout), optional :: place
      type(c_ptr), value :: user
      integer(c_int32_t) :: answer
    end function
    ! simulation.h
    function perp_integrator_moreau_jean() bind(C, name="perp_integrator_moreau_jean") result( &
      answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_integrator_moreau_jean_constant() bind(C, &
      name="perp_integrator_moreau_jean_constant") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_integrator_schatzman_paoli() bind(C, name="perp_integrator_schatzman_paoli") &
      result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_integrator_theta() bind(C, name="perp_integrator_theta") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_integrator_theta_constant() bind(C, name="perp_integrator_theta_constant") &
      result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_integrator_theta_gamma() bind(C, name="perp_integrator_theta_gamma") result( &
      answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_integrator_theta_gamma_full() bind(C, name="perp_integrator_theta_gamma_full") &
      result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_global_step() bind(C, name="perp_global_step") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_simulation_options_init(opts, size) bind(C, name="perp_simulation_options_init")
      import
      type(perp_simulation_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_simulation_state_size(model, options) bind(C, &
      name="perp_simulation_state_size") result(answer)
      import
      type(perp_model), intent(in), optional :: model
      type(perp_simulation_options), intent(in), optional :: options
      integer(c_size_t) :: answer
    end function
    function perp_simulation_work_size(model, options) bind(C, name="perp_simulation_work_size") &
      result(answer)
      import
      type(perp_model), intent(in), optional :: model
      type(perp_simulation_options), intent(in), optional :: options
      integer(c_size_t) :: answer
    end function
    function perp_simulation_init(out, model, options, state, state_bytes, work, work_bytes, &
      info) bind(C, name="perp_simulation_init") result(answer)
      import
      type(c_ptr), intent(inout), optional :: out
      type(perp_model), intent(in), optional :: model
      type(perp_simulation_options), intent(in), optional :: options
      type(c_ptr), value :: state
      integer(c_size_t), value :: state_bytes
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_resume(out, model, options, state, state_bytes, work, work_bytes, &
      info) bind(C, name="perp_simulation_resume") result(answer)
      import
      type(c_ptr), intent(inout), optional :: out
      type(perp_model), intent(in), optional :: model
      type(perp_simulation_options), intent(in), optional :: options
      type(c_ptr), value :: state
      integer(c_size_t), value :: state_bytes
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    subroutine perp_simulation_release(sim) bind(C, name="perp_simulation_release")
      import
      type(c_ptr), value :: sim
    end subroutine
    function perp_simulation_step(sim, info) bind(C, name="perp_simulation_step") result(answer)
      import
      type(c_ptr), value :: sim
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_advance(sim, h, info) bind(C, name="perp_simulation_advance") result( &
      answer)
      import
      type(c_ptr), value :: sim
      real(c_double), value :: h
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_run(sim, steps, until, observe, user, info) bind(C, &
      name="perp_simulation_run") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: steps
      real(c_double), value :: until
      type(c_funptr), value :: observe
      type(c_ptr), value :: user
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_set_active(sim, system, active) bind(C, &
      name="perp_simulation_set_active") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: system
      integer(c_int32_t), value :: active
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_is_active(sim, system) bind(C, name="perp_simulation_is_active") &
      result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: system
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_state(sim, bytes) bind(C, name="perp_simulation_state") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_size_t), intent(inout), optional :: bytes(*)
      type(c_ptr) :: answer
    end function
    function perp_simulation_checkpoint_size(sim) bind(C, name="perp_simulation_checkpoint_size") &
      result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_size_t) :: answer
    end function
    function perp_simulation_checkpoint(sim, sealed, bytes, info) bind(C, &
      name="perp_simulation_checkpoint") result(answer)
      import
      type(c_ptr), value :: sim
      type(c_ptr), value :: sealed
      integer(c_size_t), value :: bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_unseal(model, options, sealed, sealed_bytes, accept, state, &
      state_bytes, info) bind(C, name="perp_simulation_unseal") result(answer)
      import
      type(perp_model), intent(in), optional :: model
      type(perp_simulation_options), intent(in), optional :: options
      type(c_ptr), value :: sealed
      integer(c_size_t), value :: sealed_bytes
      integer(c_int32_t), value :: accept
      type(c_ptr), value :: state
      integer(c_size_t), value :: state_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_time(sim) bind(C, name="perp_simulation_time") result(answer)
      import
      type(c_ptr), value :: sim
      real(c_double) :: answer
    end function
    function perp_simulation_step_index(sim) bind(C, name="perp_simulation_step_index") result( &
      answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_q(sim, system) bind(C, name="perp_simulation_q") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: system
      type(c_ptr) :: answer
    end function
    function perp_simulation_v(sim, system) bind(C, name="perp_simulation_v") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: system
      type(c_ptr) :: answer
    end function
    function perp_simulation_x(sim, system) bind(C, name="perp_simulation_x") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: system
      type(c_ptr) :: answer
    end function
    function perp_simulation_y(sim, interaction) bind(C, name="perp_simulation_y") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      type(c_ptr) :: answer
    end function
    function perp_simulation_ydot(sim, interaction) bind(C, name="perp_simulation_ydot") result( &
      answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      type(c_ptr) :: answer
    end function
    function perp_simulation_lambda(sim, interaction) bind(C, name="perp_simulation_lambda") &
      result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      type(c_ptr) :: answer
    end function
    function perp_simulation_law_state(sim, interaction, copy, bytes) bind(C, &
      name="perp_simulation_law_state") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      integer(c_int32_t), value :: copy
      integer(c_size_t), intent(inout), optional :: bytes(*)
      type(c_ptr) :: answer
    end function
    function perp_simulation_force(sim, interaction, force) bind(C, name="perp_simulation_force") &
      result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      real(c_double), intent(inout), optional :: force(*)
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_islands(sim) bind(C, name="perp_simulation_islands") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_problem(sim, island, problem, rows) bind(C, &
      name="perp_simulation_problem") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: island
      type(perp_problem), intent(inout), optional :: problem
      type(c_ptr), intent(inout), optional :: rows
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_energy(sim, kinetic, potential) bind(C, &
      name="perp_simulation_energy") result(answer)
      import
      type(c_ptr), value :: sim
      real(c_double), intent(inout), optional :: kinetic(*)
      real(c_double), intent(inout), optional :: potential(*)
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_work_done(sim, interaction, work, tangential) bind(C, &
      name="perp_simulation_work_done") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      real(c_double), intent(inout), optional :: work(*)
      real(c_double), intent(inout), optional :: tangential(*)
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_report(sim, report) bind(C, name="perp_simulation_report") result( &
      answer)
      import
      type(c_ptr), value :: sim
      type(perp_report), intent(inout), optional :: report
      integer(c_int32_t) :: answer
    end function
    ! pool.h
    function perp_pool_add(out, contact) bind(C, name="perp_pool_add") result(answer)
      import
      type(c_ptr), value :: out
      type(perp_pool_contact), intent(in), optional :: contact
      integer(c_int32_t) :: answer
    end function
    function perp_pool_gap_tol(model) bind(C, name="perp_pool_gap_tol") result(answer)
      import
      type(perp_model), intent(in), optional :: model
      real(c_double) :: answer
    end function
    ! builder.h
    function perp_builder_create(out, info) bind(C, name="perp_builder_create") result(answer)
      import
      type(c_ptr), intent(inout), optional :: out
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_builder_copy(out, from, info) bind(C, name="perp_builder_copy") result(answer)
      import
      type(c_ptr), intent(inout), optional :: out
      type(c_ptr), value :: from
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    subroutine perp_builder_destroy(builder) bind(C, name="perp_builder_destroy")
      import
      type(c_ptr), value :: builder
    end subroutine
    function perp_builder_add(builder, system, owner, id, info) bind(C, name="perp_builder_add") &
      result(answer)
      import
      type(c_ptr), value :: builder
      type(perp_system), intent(in), optional :: system
      type(perp_owner), intent(in), optional :: owner
      integer(c_int32_t), intent(inout), optional :: id(*)
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_builder_set_q(builder, id, n, q0, info) bind(C, name="perp_builder_set_q") &
      result(answer)
      import
      type(c_ptr), value :: builder
      integer(c_int32_t), value :: id
      integer(c_int32_t), value :: n
      real(c_double), intent(in), optional :: q0(*)
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_builder_set_v(builder, id, n, v0, info) bind(C, name="perp_builder_set_v") &
      result(answer)
      import
      type(c_ptr), value :: builder
      integer(c_int32_t), value :: id
      integer(c_int32_t), value :: n
      real(c_double), intent(in), optional :: v0(*)
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_builder_set_x(builder, id, n, x0, info) bind(C, name="perp_builder_set_x") &
      result(answer)
      import
      type(c_ptr), value :: builder
      integer(c_int32_t), value :: id
      integer(c_int32_t), value :: n
      real(c_double), intent(in), optional :: x0(*)
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_builder_connect(builder, interaction, of_relation, of_law, id, info) bind(C, &
      name="perp_builder_connect") result(answer)
      import
      type(c_ptr), value :: builder
      type(perp_interaction), intent(in), optional :: interaction
      type(perp_owner), intent(in), optional :: of_relation
      type(perp_owner), intent(in), optional :: of_law
      integer(c_int32_t), intent(inout), optional :: id(*)
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_builder_connect_graph(builder, interaction, graph, of_relation, id, info) bind( &
      C, name="perp_builder_connect_graph") result(answer)
      import
      type(c_ptr), value :: builder
      type(perp_interaction), intent(in), optional :: interaction
      type(perp_piecewise_linear), intent(in), optional :: graph
      type(perp_owner), intent(in), optional :: of_relation
      integer(c_int32_t), intent(inout), optional :: id(*)
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_builder_pieces(builder, id) bind(C, name="perp_builder_pieces") result(answer)
      import
      type(c_ptr), value :: builder
      integer(c_int32_t), value :: id
      type(c_ptr) :: answer
    end function
    function perp_builder_pool(builder, pool, owner, of_laws, info) bind(C, &
      name="perp_builder_pool") result(answer)
      import
      type(c_ptr), value :: builder
      type(perp_contact_pool), intent(in), optional :: pool
      type(perp_owner), intent(in), optional :: owner
      type(perp_owner), intent(in), optional :: of_laws
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_builder_descriptions(builder) bind(C, name="perp_builder_descriptions") result( &
      answer)
      import
      type(c_ptr), value :: builder
      integer(c_size_t) :: answer
    end function
    function perp_builder_model(builder) bind(C, name="perp_builder_model") result(answer)
      import
      type(c_ptr), value :: builder
      type(c_ptr) :: answer
    end function
    function perp_builder_options(builder) bind(C, name="perp_builder_options") result(answer)
      import
      type(c_ptr), value :: builder
      type(c_ptr) :: answer
    end function
    function perp_builder_set(builder, name, value, info) bind(C, name="perp_builder_set") result( &
      answer)
      import
      type(c_ptr), value :: builder
      character(kind=c_char), intent(in), optional :: name(*)
      real(c_double), value :: value
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_builder_simulate(builder, out, info) bind(C, name="perp_builder_simulate") &
      result(answer)
      import
      type(c_ptr), value :: builder
      type(c_ptr), intent(inout), optional :: out
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! check.h
    function perp_model_check_derivatives_workspace(model) bind(C, &
      name="perp_model_check_derivatives_workspace") result(answer)
      import
      type(perp_model), intent(in), optional :: model
      integer(c_size_t) :: answer
    end function
    function perp_model_check_derivatives(model, t, q, v, x, lambda, tol, work, bytes, report) &
      bind(C, name="perp_model_check_derivatives") result(answer)
      import
      type(perp_model), intent(in), optional :: model
      real(c_double), value :: t
      real(c_double), intent(in), optional :: q(*)
      real(c_double), intent(in), optional :: v(*)
      real(c_double), intent(in), optional :: x(*)
      real(c_double), intent(in), optional :: lambda(*)
      real(c_double), value :: tol
      type(c_ptr), value :: work
      integer(c_size_t), value :: bytes
      type(perp_derivative_report), intent(inout), optional :: report
      integer(c_int32_t) :: answer
    end function
    function perp_model_check_callbacks(model, t, work, bytes, info) bind(C, &
      name="perp_model_check_callbacks") result(answer)
      import
      type(perp_model), intent(in), optional :: model
      real(c_double), value :: t
      type(c_ptr), value :: work
      integer(c_size_t), value :: bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_model_relative_degree_workspace(model, interaction) bind(C, &
      name="perp_model_relative_degree_workspace") result(answer)
      import
      type(perp_model), intent(in), optional :: model
      integer(c_int32_t), value :: interaction
      integer(c_size_t) :: answer
    end function
    function perp_model_relative_degree(model, interaction, t, q, v, x, degree, work, bytes, &
      info) bind(C, name="perp_model_relative_degree") result(answer)
      import
      type(perp_model), intent(in), optional :: model
      integer(c_int32_t), value :: interaction
      real(c_double), value :: t
      real(c_double), intent(in), optional :: q(*)
      real(c_double), intent(in), optional :: v(*)
      real(c_double), intent(in), optional :: x(*)
      integer(c_int32_t), intent(inout), optional :: degree(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! contact.h
    function perp_contact_2d(W, q, mu, r, u) bind(C, name="perp_contact_2d") result(answer)
      import
      real(c_double), intent(in), optional :: W(*)
      real(c_double), intent(in), optional :: q(*)
      real(c_double), value :: mu
      real(c_double), intent(inout), optional :: r(*)
      real(c_double), intent(inout), optional :: u(*)
      integer(c_int32_t) :: answer
    end function
    function perp_contact_3d(W, q, mu, r, u) bind(C, name="perp_contact_3d") result(answer)
      import
      real(c_double), intent(in), optional :: W(*)
      real(c_double), intent(in), optional :: q(*)
      real(c_double), value :: mu
      real(c_double), intent(inout), optional :: r(*)
      real(c_double), intent(inout), optional :: u(*)
      integer(c_int32_t) :: answer
    end function
    function perp_contact_rolling_2d(W, q, mu, mu_rolling, r, u) bind(C, &
      name="perp_contact_rolling_2d") result(answer)
      import
      real(c_double), intent(in), optional :: W(*)
      real(c_double), intent(in), optional :: q(*)
      real(c_double), value :: mu
      real(c_double), value :: mu_rolling
      real(c_double), intent(inout), optional :: r(*)
      real(c_double), intent(inout), optional :: u(*)
      integer(c_int32_t) :: answer
    end function
    function perp_contact_rolling_3d(W, q, mu, mu_rolling, r, u) bind(C, &
      name="perp_contact_rolling_3d") result(answer)
      import
      real(c_double), intent(in), optional :: W(*)
      real(c_double), intent(in), optional :: q(*)
      real(c_double), value :: mu
      real(c_double), value :: mu_rolling
      real(c_double), intent(inout), optional :: r(*)
      real(c_double), intent(inout), optional :: u(*)
      integer(c_int32_t) :: answer
    end function
    ! contact_list.h
    function perp_simulation_contacts(sim, list, entry_bytes, capacity) bind(C, &
      name="perp_simulation_contacts") result(answer)
      import
      type(c_ptr), value :: sim
      type(perp_contact_view), intent(inout), optional :: list(*)
      integer(c_size_t), value :: entry_bytes
      integer(c_int32_t), value :: capacity
      integer(c_int32_t) :: answer
    end function
    ! multiple_impact.h
    subroutine perp_multiple_impact_options_init(opts, size) bind(C, &
      name="perp_multiple_impact_options_init")
      import
      type(perp_multiple_impact_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_multiple_impact_workspace(m) bind(C, name="perp_multiple_impact_workspace") &
      result(answer)
      import
      integer(c_int32_t), value :: m
      integer(c_size_t) :: answer
    end function
    function perp_multiple_impact(m, W, ydot, e, options, impulse, energy, work, work_bytes, &
      info) bind(C, name="perp_multiple_impact") result(answer)
      import
      integer(c_int32_t), value :: m
      real(c_double), intent(in), optional :: W(*)
      real(c_double), intent(in), optional :: ydot(*)
      real(c_double), intent(in), optional :: e(*)
      type(perp_multiple_impact_options), intent(in), optional :: options
      real(c_double), intent(inout), optional :: impulse(*)
      real(c_double), intent(inout), optional :: energy(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! event_driven.h
    function perp_smooth_runge_kutta() bind(C, name="perp_smooth_runge_kutta") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_smooth_adams() bind(C, name="perp_smooth_adams") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_smooth_bdf() bind(C, name="perp_smooth_bdf") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_smooth_arkode() bind(C, name="perp_smooth_arkode") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_smooth_ida() bind(C, name="perp_smooth_ida") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_event_options_init(opts, size) bind(C, name="perp_event_options_init")
      import
      type(perp_event_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_event_driven_create(out, model, options, info) bind(C, &
      name="perp_event_driven_create") result(answer)
      import
      type(c_ptr), intent(inout), optional :: out
      type(perp_model), intent(in), optional :: model
      type(perp_event_options), intent(in), optional :: options
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    subroutine perp_event_driven_destroy(sim) bind(C, name="perp_event_driven_destroy")
      import
      type(c_ptr), value :: sim
    end subroutine
    function perp_event_driven_run(sim, until, observer, info) bind(C, &
      name="perp_event_driven_run") result(answer)
      import
      type(c_ptr), value :: sim
      real(c_double), value :: until
      type(perp_event_observer), intent(in), optional :: observer
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_event_driven_next(sim, until, info) bind(C, name="perp_event_driven_next") &
      result(answer)
      import
      type(c_ptr), value :: sim
      real(c_double), value :: until
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_event_driven_event(sim) bind(C, name="perp_event_driven_event") result(answer)
      import
      type(c_ptr), value :: sim
      type(c_ptr) :: answer
    end function
    function perp_event_driven_restart(sim, t, q, v, x, info) bind(C, &
      name="perp_event_driven_restart") result(answer)
      import
      type(c_ptr), value :: sim
      real(c_double), value :: t
      real(c_double), intent(in), optional :: q(*)
      real(c_double), intent(in), optional :: v(*)
      real(c_double), intent(in), optional :: x(*)
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_event_driven_message(sim) bind(C, name="perp_event_driven_message") result(answer)
      import
      type(c_ptr), value :: sim
      type(c_ptr) :: answer
    end function
    function perp_event_driven_time(sim) bind(C, name="perp_event_driven_time") result(answer)
      import
      type(c_ptr), value :: sim
      real(c_double) :: answer
    end function
    function perp_event_driven_q(sim, system) bind(C, name="perp_event_driven_q") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: system
      type(c_ptr) :: answer
    end function
    function perp_event_driven_v(sim, system) bind(C, name="perp_event_driven_v") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: system
      type(c_ptr) :: answer
    end function
    function perp_event_driven_x(sim, system) bind(C, name="perp_event_driven_x") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: system
      type(c_ptr) :: answer
    end function
    function perp_event_driven_y(sim, interaction) bind(C, name="perp_event_driven_y") result( &
      answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      type(c_ptr) :: answer
    end function
    function perp_event_driven_ydot(sim, interaction) bind(C, name="perp_event_driven_ydot") &
      result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      type(c_ptr) :: answer
    end function
    function perp_event_driven_lambda(sim, interaction) bind(C, name="perp_event_driven_lambda") &
      result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      type(c_ptr) :: answer
    end function
    function perp_event_driven_rate(sim, system) bind(C, name="perp_event_driven_rate") result( &
      answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: system
      type(c_ptr) :: answer
    end function
    function perp_event_driven_mode(sim, interaction, copy) bind(C, &
      name="perp_event_driven_mode") result(answer)
      import
      type(c_ptr), value :: sim
      integer(c_int32_t), value :: interaction
      integer(c_int32_t), value :: copy
      integer(c_int32_t) :: answer
    end function
    function perp_event_driven_energy(sim, kinetic, potential) bind(C, &
      name="perp_event_driven_energy") result(answer)
      import
      type(c_ptr), value :: sim
      real(c_double), intent(inout), optional :: kinetic(*)
      real(c_double), intent(inout), optional :: potential(*)
      integer(c_int32_t) :: answer
    end function
    function perp_event_driven_report(sim, report) bind(C, name="perp_event_driven_report") &
      result(answer)
      import
      type(c_ptr), value :: sim
      type(perp_event_report), intent(inout), optional :: report
      integer(c_int32_t) :: answer
    end function
    ! sweeps.h
    subroutine perp_gauss_seidel_options_init(opts, size) bind(C, &
      name="perp_gauss_seidel_options_init")
      import
      type(perp_gauss_seidel_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_gauss_seidel() bind(C, name="perp_solver_gauss_seidel") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_nsgs_options_init(opts, size) bind(C, name="perp_nsgs_options_init")
      import
      type(perp_nsgs_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_nsgs() bind(C, name="perp_solver_nsgs") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_solver_nsgs_small() bind(C, name="perp_solver_nsgs_small") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_conjugate_gradient_options_init(opts, size) bind(C, &
      name="perp_conjugate_gradient_options_init")
      import
      type(perp_conjugate_gradient_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_conjugate_gradient() bind(C, name="perp_solver_conjugate_gradient") &
      result(answer)
      import
      type(c_ptr) :: answer
    end function
    ! fc.h
    function perp_fc_workspace(solver, contacts, dim, options) bind(C, name="perp_fc_workspace") &
      result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      integer(c_int32_t), value :: contacts
      integer(c_int32_t), value :: dim
      type(c_ptr), value :: options
      integer(c_size_t) :: answer
    end function
    function perp_fc_solve(solver, problem, options, r, u, work, work_bytes, info) bind(C, &
      name="perp_fc_solve") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(perp_fc), intent(in), optional :: problem
      type(c_ptr), value :: options
      real(c_double), intent(inout), optional :: r(*)
      real(c_double), intent(inout), optional :: u(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_fc_nsgs_workspace(contacts, dim, opts) bind(C, name="perp_fc_nsgs_workspace") &
      result(answer)
      import
      integer(c_int32_t), value :: contacts
      integer(c_int32_t), value :: dim
      type(perp_nsgs_options), intent(in), optional :: opts
      integer(c_size_t) :: answer
    end function
    function perp_fc_nsgs(problem, opts, r, u, work, work_bytes, info) bind(C, &
      name="perp_fc_nsgs") result(answer)
      import
      type(perp_fc), intent(in), optional :: problem
      type(perp_nsgs_options), intent(in), optional :: opts
      real(c_double), intent(inout), optional :: r(*)
      real(c_double), intent(inout), optional :: u(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! first_order.h
    function perp_first_order_init(system, size, n) bind(C, name="perp_first_order_init") result( &
      answer)
      import
      type(perp_first_order), intent(inout), optional :: system
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    ! first_order_relation.h
    function perp_first_order_relation_init(relation, size, m, n) bind(C, &
      name="perp_first_order_relation_init") result(answer)
      import
      type(perp_first_order_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_first_order_type1_init(relation, size, m, n) bind(C, &
      name="perp_first_order_type1_init") result(answer)
      import
      type(perp_first_order_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_first_order_type2_init(relation, size, m, n) bind(C, &
      name="perp_first_order_type2_init") result(answer)
      import
      type(perp_first_order_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_linear_varying_relation_init(relation, size, m, n) bind(C, &
      name="perp_linear_varying_relation_init") result(answer)
      import
      type(perp_linear_varying_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    ! heap.h
    function perp_simulation_create(out, model, options, info) bind(C, &
      name="perp_simulation_create") result(answer)
      import
      type(c_ptr), intent(inout), optional :: out
      type(perp_model), intent(in), optional :: model
      type(perp_simulation_options), intent(in), optional :: options
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_simulation_restore(out, model, options, state, state_bytes, info) bind(C, &
      name="perp_simulation_restore") result(answer)
      import
      type(c_ptr), intent(inout), optional :: out
      type(perp_model), intent(in), optional :: model
      type(perp_simulation_options), intent(in), optional :: options
      type(c_ptr), value :: state
      integer(c_size_t), value :: state_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    subroutine perp_simulation_destroy(sim) bind(C, name="perp_simulation_destroy")
      import
      type(c_ptr), value :: sim
    end subroutine
    function perp_model_describe(model, options, text, room) bind(C, name="perp_model_describe") &
      result(answer)
      import
      type(perp_model), intent(in), optional :: model
      type(perp_simulation_options), intent(in), optional :: options
      character(kind=c_char), intent(inout), optional :: text(*)
      integer(c_size_t), value :: room
      integer(c_size_t) :: answer
    end function
    function perp_solver_count() bind(C, name="perp_solver_count") result(answer)
      import
      integer(c_int32_t) :: answer
    end function
    function perp_solver_at(i) bind(C, name="perp_solver_at") result(answer)
      import
      integer(c_int32_t), value :: i
      type(c_ptr) :: answer
    end function
    function perp_solver_find(name) bind(C, name="perp_solver_find") result(answer)
      import
      character(kind=c_char), intent(in), optional :: name(*)
      type(c_ptr) :: answer
    end function
    function perp_threads_create(out, workers) bind(C, name="perp_threads_create") result(answer)
      import
      type(c_ptr), intent(inout), optional :: out
      integer(c_int32_t), value :: workers
      integer(c_int32_t) :: answer
    end function
    subroutine perp_threads_for(chunks, body, ctx, user) bind(C, name="perp_threads_for")
      import
      integer(c_int32_t), value :: chunks
      type(c_funptr), value :: body
      type(c_ptr), value :: ctx
      type(c_ptr), value :: user
    end subroutine
    subroutine perp_threads_destroy(threads) bind(C, name="perp_threads_destroy")
      import
      type(c_ptr), value :: threads
    end subroutine
    ! interior_point.h
    subroutine perp_interior_point_options_init(opts, size) bind(C, &
      name="perp_interior_point_options_init")
      import
      type(perp_interior_point_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_interior_point() bind(C, name="perp_solver_interior_point") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_friction_interior_options_init(opts, size) bind(C, &
      name="perp_friction_interior_options_init")
      import
      type(perp_friction_interior_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_friction_interior() bind(C, name="perp_solver_friction_interior") result( &
      answer)
      import
      type(c_ptr) :: answer
    end function
    ! joint.h
    function perp_joint_init(joint, size, kind, bodies) bind(C, name="perp_joint_init") result( &
      answer)
      import
      type(perp_joint), intent(inout), optional :: joint
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: kind
      integer(c_int32_t), value :: bodies
      integer(c_int32_t) :: answer
    end function
    function perp_joint_place(joint, point, axis, qa, qb) bind(C, name="perp_joint_place") result( &
      answer)
      import
      type(perp_joint), intent(inout), optional :: joint
      real(c_double), intent(in), optional :: point(*)
      real(c_double), intent(in), optional :: axis(*)
      real(c_double), intent(in), optional :: qa(*)
      real(c_double), intent(in), optional :: qb(*)
      integer(c_int32_t) :: answer
    end function
    function perp_joint_coordinate_init(relation, size, joint, coordinate, use) bind(C, &
      name="perp_joint_coordinate_init") result(answer)
      import
      type(perp_joint_coordinate), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      type(perp_joint), intent(in), optional :: joint
      integer(c_int32_t), value :: coordinate
      integer(c_int32_t), value :: use
      integer(c_int32_t) :: answer
    end function
    function perp_joint_coordinate_value(joint, coordinate, q, v, value, rate) bind(C, &
      name="perp_joint_coordinate_value") result(answer)
      import
      type(perp_joint), intent(in), optional :: joint
      integer(c_int32_t), value :: coordinate
      real(c_double), intent(in), optional :: q(*)
      real(c_double), intent(in), optional :: v(*)
      real(c_double), intent(inout), optional :: value(*)
      real(c_double), intent(inout), optional :: rate(*)
      integer(c_int32_t) :: answer
    end function
    function perp_gear_init(gear, size, bodies) bind(C, name="perp_gear_init") result(answer)
      import
      type(perp_gear), intent(inout), optional :: gear
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: bodies
      integer(c_int32_t) :: answer
    end function
    function perp_gear_place(gear, axis_a, axis_b, qa, qb, qc) bind(C, name="perp_gear_place") &
      result(answer)
      import
      type(perp_gear), intent(inout), optional :: gear
      real(c_double), intent(in), optional :: axis_a(*)
      real(c_double), intent(in), optional :: axis_b(*)
      real(c_double), intent(in), optional :: qa(*)
      real(c_double), intent(in), optional :: qb(*)
      real(c_double), intent(in), optional :: qc(*)
      integer(c_int32_t) :: answer
    end function
    ! lagrangian.h
    function perp_lagrangian_init(system, size, n) bind(C, name="perp_lagrangian_init") result( &
      answer)
      import
      type(perp_lagrangian), intent(inout), optional :: system
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    ! lagrangian_relation.h
    function perp_lagrangian_scleronomous_init(relation, size, m, n) bind(C, &
      name="perp_lagrangian_scleronomous_init") result(answer)
      import
      type(perp_lagrangian_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_lagrangian_rheonomous_init(relation, size, m, n) bind(C, &
      name="perp_lagrangian_rheonomous_init") result(answer)
      import
      type(perp_lagrangian_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_lagrangian_compliant_init(relation, size, m, n) bind(C, &
      name="perp_lagrangian_compliant_init") result(answer)
      import
      type(perp_lagrangian_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_lagrangian_velocity_relation_init(relation, size, m, n) bind(C, &
      name="perp_lagrangian_velocity_relation_init") result(answer)
      import
      type(perp_lagrangian_velocity_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: m
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    function perp_lagrangian_contact_relation_init(relation, size, gaps, rows, n) bind(C, &
      name="perp_lagrangian_contact_relation_init") result(answer)
      import
      type(perp_lagrangian_contact_relation), intent(inout), optional :: relation
      integer(c_size_t), value :: size
      integer(c_int32_t), value :: gaps
      integer(c_int32_t), value :: rows
      integer(c_int32_t), value :: n
      integer(c_int32_t) :: answer
    end function
    ! mcp.h
    subroutine perp_mcp_options_init(opts, size) bind(C, name="perp_mcp_options_init")
      import
      type(perp_mcp_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_mcp_workspace(problem, opts) bind(C, name="perp_mcp_workspace") result(answer)
      import
      type(perp_mcp), intent(in), optional :: problem
      type(perp_mcp_options), intent(in), optional :: opts
      integer(c_size_t) :: answer
    end function
    function perp_mcp_solve(problem, opts, z, F, work, work_bytes, info) bind(C, &
      name="perp_mcp_solve") result(answer)
      import
      type(perp_mcp), intent(in), optional :: problem
      type(perp_mcp_options), intent(in), optional :: opts
      real(c_double), intent(inout), optional :: z(*)
      real(c_double), intent(inout), optional :: F(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! newton.h
    subroutine perp_newton_options_init(opts, size) bind(C, name="perp_newton_options_init")
      import
      type(perp_newton_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_newton_min() bind(C, name="perp_solver_newton_min") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_solver_newton_fb() bind(C, name="perp_solver_newton_fb") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_friction_newton_options_init(opts, size) bind(C, &
      name="perp_friction_newton_options_init")
      import
      type(perp_friction_newton_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_friction_newton() bind(C, name="perp_solver_friction_newton") result( &
      answer)
      import
      type(c_ptr) :: answer
    end function
    ! pivoting.h
    subroutine perp_lemke_options_init(opts, size) bind(C, name="perp_lemke_options_init")
      import
      type(perp_lemke_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_lemke() bind(C, name="perp_solver_lemke") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_lcp_lemke_workspace(n) bind(C, name="perp_lcp_lemke_workspace") result(answer)
      import
      integer(c_int32_t), value :: n
      integer(c_size_t) :: answer
    end function
    function perp_lcp_lemke(problem, opts, z, w, work, work_bytes, info) bind(C, &
      name="perp_lcp_lemke") result(answer)
      import
      type(perp_lcp), intent(in), optional :: problem
      type(perp_lemke_options), intent(in), optional :: opts
      real(c_double), intent(inout), optional :: z(*)
      real(c_double), intent(inout), optional :: w(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_solver_murty() bind(C, name="perp_solver_murty") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_block_pivoting_options_init(opts, size) bind(C, &
      name="perp_block_pivoting_options_init")
      import
      type(perp_block_pivoting_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_block_pivoting() bind(C, name="perp_solver_block_pivoting") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_box_pivoting_options_init(opts, size) bind(C, &
      name="perp_box_pivoting_options_init")
      import
      type(perp_box_pivoting_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_box_pivoting() bind(C, name="perp_solver_box_pivoting") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_active_set_options_init(opts, size) bind(C, name="perp_active_set_options_init")
      import
      type(perp_active_set_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_active_set() bind(C, name="perp_solver_active_set") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_solver_enumeration() bind(C, name="perp_solver_enumeration") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_lcp_enumerate_workspace(n) bind(C, name="perp_lcp_enumerate_workspace") result( &
      answer)
      import
      integer(c_int32_t), value :: n
      integer(c_size_t) :: answer
    end function
    function perp_lcp_enumerate(problem, opts, visit, user, report, work, work_bytes, info) bind( &
      C, name="perp_lcp_enumerate") result(answer)
      import
      type(perp_lcp), intent(in), optional :: problem
      type(perp_solver_options), intent(in), optional :: opts
      type(c_funptr), value :: visit
      type(c_ptr), value :: user
      type(perp_enumeration_report), intent(inout), optional :: report
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_mlcp_enumerate_workspace(n) bind(C, name="perp_mlcp_enumerate_workspace") &
      result(answer)
      import
      integer(c_int32_t), value :: n
      integer(c_size_t) :: answer
    end function
    function perp_mlcp_enumerate(problem, opts, visit, user, report, work, work_bytes, info) bind( &
      C, name="perp_mlcp_enumerate") result(answer)
      import
      type(perp_mlcp), intent(in), optional :: problem
      type(perp_solver_options), intent(in), optional :: opts
      type(c_funptr), value :: visit
      type(c_ptr), value :: user
      type(perp_enumeration_report), intent(inout), optional :: report
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_solver_friction_lemke() bind(C, name="perp_solver_friction_lemke") result(answer)
      import
      type(c_ptr) :: answer
    end function
    ! poisson_impact.h
    function perp_poisson_impact_workspace(solver, m, options) bind(C, &
      name="perp_poisson_impact_workspace") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      integer(c_int32_t), value :: m
      type(c_ptr), value :: options
      integer(c_size_t) :: answer
    end function
    function perp_poisson_impact(solver, m, W, ydot, e, options, impulse, compression, work, &
      work_bytes, info) bind(C, name="perp_poisson_impact") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      integer(c_int32_t), value :: m
      real(c_double), intent(in), optional :: W(*)
      real(c_double), intent(in), optional :: ydot(*)
      real(c_double), intent(in), optional :: e(*)
      type(c_ptr), value :: options
      real(c_double), intent(inout), optional :: impulse(*)
      real(c_double), intent(inout), optional :: compression(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! qp.h
    function perp_qp_check(qp, info) bind(C, name="perp_qp_check") result(answer)
      import
      type(perp_qp), intent(in), optional :: qp
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_qp_judge_workspace(qp) bind(C, name="perp_qp_judge_workspace") result(answer)
      import
      type(perp_qp), intent(in), optional :: qp
      integer(c_size_t) :: answer
    end function
    function perp_qp_judge(qp, x, nu, zeta, residual, work, work_bytes) bind(C, &
      name="perp_qp_judge") result(answer)
      import
      type(perp_qp), intent(in), optional :: qp
      real(c_double), intent(in), optional :: x(*)
      real(c_double), intent(in), optional :: nu(*)
      real(c_double), intent(in), optional :: zeta(*)
      type(perp_qp_residual), intent(inout), optional :: residual
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      integer(c_int32_t) :: answer
    end function
    function perp_qp_residual_solved(residual, tol) bind(C, name="perp_qp_residual_solved") &
      result(answer)
      import
      type(perp_qp_residual), intent(in), optional :: residual
      real(c_double), value :: tol
      integer(c_int32_t) :: answer
    end function
    function perp_qp_certificate(qp, ray, bound, work, work_bytes) bind(C, &
      name="perp_qp_certificate") result(answer)
      import
      type(perp_qp), intent(in), optional :: qp
      real(c_double), intent(in), optional :: ray(*)
      real(c_double), intent(inout), optional :: bound(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      integer(c_int32_t) :: answer
    end function
    function perp_qp_workspace(solver, qp, options) bind(C, name="perp_qp_workspace") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(perp_qp), intent(in), optional :: qp
      type(c_ptr), value :: options
      integer(c_size_t) :: answer
    end function
    function perp_qp_solve(solver, qp, options, x, nu, zeta, work, work_bytes, info) bind(C, &
      name="perp_qp_solve") result(answer)
      import
      type(perp_solver), intent(in), optional :: solver
      type(perp_qp), intent(in), optional :: qp
      type(c_ptr), value :: options
      real(c_double), intent(inout), optional :: x(*)
      real(c_double), intent(inout), optional :: nu(*)
      real(c_double), intent(inout), optional :: zeta(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_qp_dual_workspace(n, m) bind(C, name="perp_qp_dual_workspace") result(answer)
      import
      integer(c_int32_t), value :: n
      integer(c_int32_t), value :: m
      integer(c_size_t) :: answer
    end function
    function perp_qp_dual(qp, opts, x, nu, zeta, work, work_bytes, info) bind(C, &
      name="perp_qp_dual") result(answer)
      import
      type(perp_qp), intent(in), optional :: qp
      type(perp_solver_options), intent(in), optional :: opts
      real(c_double), intent(inout), optional :: x(*)
      real(c_double), intent(inout), optional :: nu(*)
      real(c_double), intent(inout), optional :: zeta(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    ! sensitivity.h
    subroutine perp_sensitivity_options_init(opts, size) bind(C, &
      name="perp_sensitivity_options_init")
      import
      type(perp_sensitivity_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_sensitivity_workspace(problem) bind(C, name="perp_sensitivity_workspace") &
      result(answer)
      import
      type(perp_problem), intent(in), optional :: problem
      integer(c_size_t) :: answer
    end function
    function perp_sensitivity_prepare(s, problem, lambda, opts, work, work_bytes, info) bind(C, &
      name="perp_sensitivity_prepare") result(answer)
      import
      type(perp_sensitivity), intent(inout), optional :: s
      type(perp_problem), intent(in), optional :: problem
      real(c_double), intent(in), optional :: lambda(*)
      type(perp_sensitivity_options), intent(in), optional :: opts
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_sensitivity_load(n, dM, dq, lambda, load) bind(C, name="perp_sensitivity_load") &
      result(answer)
      import
      integer(c_int32_t), value :: n
      type(perp_matrix), intent(in), optional :: dM
      real(c_double), intent(in), optional :: dq(*)
      real(c_double), intent(in), optional :: lambda(*)
      real(c_double), intent(inout), optional :: load(*)
      integer(c_int32_t) :: answer
    end function
    function perp_sensitivity_apply(s, m, load, dlambda, one_sided) bind(C, &
      name="perp_sensitivity_apply") result(answer)
      import
      type(perp_sensitivity), intent(in), optional :: s
      integer(c_int32_t), value :: m
      real(c_double), intent(in), optional :: load(*)
      real(c_double), intent(inout), optional :: dlambda(*)
      integer(c_int32_t), intent(inout), optional :: one_sided(*)
      integer(c_int32_t) :: answer
    end function
    function perp_sensitivity_adjoint(s, m, gradient, result) bind(C, &
      name="perp_sensitivity_adjoint") result(answer)
      import
      type(perp_sensitivity), intent(in), optional :: s
      integer(c_int32_t), value :: m
      real(c_double), intent(in), optional :: gradient(*)
      real(c_double), intent(inout), optional :: result(*)
      integer(c_int32_t) :: answer
    end function
    ! vi.h
    subroutine perp_vi_options_init(opts, size) bind(C, name="perp_vi_options_init")
      import
      type(perp_vi_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_vi_workspace(n) bind(C, name="perp_vi_workspace") result(answer)
      import
      integer(c_int32_t), value :: n
      integer(c_size_t) :: answer
    end function
    function perp_vi_fixed_point(problem, options, x, F, work, work_bytes, info) bind(C, &
      name="perp_vi_fixed_point") result(answer)
      import
      type(perp_vi), intent(in), optional :: problem
      type(perp_vi_options), intent(in), optional :: options
      real(c_double), intent(inout), optional :: x(*)
      real(c_double), intent(inout), optional :: F(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_vi_extragradient(problem, options, x, F, work, work_bytes, info) bind(C, &
      name="perp_vi_extragradient") result(answer)
      import
      type(perp_vi), intent(in), optional :: problem
      type(perp_vi_options), intent(in), optional :: options
      real(c_double), intent(inout), optional :: x(*)
      real(c_double), intent(inout), optional :: F(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
    function perp_solver_fixed_point() bind(C, name="perp_solver_fixed_point") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_solver_extragradient() bind(C, name="perp_solver_extragradient") result(answer)
      import
      type(c_ptr) :: answer
    end function
    subroutine perp_avi_pivoting_options_init(opts, size) bind(C, &
      name="perp_avi_pivoting_options_init")
      import
      type(perp_avi_pivoting_options), intent(inout), optional :: opts
      integer(c_size_t), value :: size
    end subroutine
    function perp_solver_avi_pivoting() bind(C, name="perp_solver_avi_pivoting") result(answer)
      import
      type(c_ptr) :: answer
    end function
    function perp_avi_pivoting_workspace(n, m, opts) bind(C, name="perp_avi_pivoting_workspace") &
      result(answer)
      import
      integer(c_int32_t), value :: n
      integer(c_int32_t), value :: m
      type(perp_avi_pivoting_options), intent(in), optional :: opts
      integer(c_size_t) :: answer
    end function
    function perp_avi_pivoting(problem, opts, z, w, work, work_bytes, info) bind(C, &
      name="perp_avi_pivoting") result(answer)
      import
      type(perp_avi), intent(in), optional :: problem
      type(perp_avi_pivoting_options), intent(in), optional :: opts
      real(c_double), intent(inout), optional :: z(*)
      real(c_double), intent(inout), optional :: w(*)
      type(c_ptr), value :: work
      integer(c_size_t), value :: work_bytes
      type(perp_info), intent(inout), optional :: info
      integer(c_int32_t) :: answer
    end function
  end interface

contains

  !> What PERP_INFO_INIT sets.
  pure function perp_info_init_value() result(value)
    type(perp_info) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
    value%index = -1
    value%worst = -1
    value%worst_block = -1
    value%dissipates = -1
  end function

  !> What PERP_LAW_VERDICT_INIT sets.
  pure function perp_law_verdict_init_value() result(value)
    type(perp_law_verdict) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_PROBLEM_INIT sets.
  pure function perp_problem_init_value() result(value)
    type(perp_problem) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_RESIDUAL_INIT sets.
  pure function perp_residual_init_value() result(value)
    type(perp_residual) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
    value%worst = -1
    value%worst_block = -1
  end function

  !> What PERP_GLOBAL_PROBLEM_INIT sets.
  pure function perp_global_problem_init_value() result(value)
    type(perp_global_problem) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_GLOBAL_PARTS_INIT sets.
  pure function perp_global_parts_init_value() result(value)
    type(perp_global_parts) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
    value%worst_row = -1
  end function

  !> What PERP_MODEL_INIT sets.
  pure function perp_model_init_value() result(value)
    type(perp_model) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_PIECEWISE_LINEAR_INIT sets.
  pure function perp_piecewise_linear_init_value() result(value)
    type(perp_piecewise_linear) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_REPORT_INIT sets.
  pure function perp_report_init_value() result(value)
    type(perp_report) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_CONTACT_POOL_INIT sets.
  pure function perp_contact_pool_init_value() result(value)
    type(perp_contact_pool) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_OWNER_INIT sets.
  pure function perp_owner_init_value() result(value)
    type(perp_owner) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_DERIVATIVE_REPORT_INIT sets.
  pure function perp_derivative_report_init_value() result(value)
    type(perp_derivative_report) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
    value%index = -1
    value%row = -1
    value%column = -1
  end function

  !> What PERP_EVENT_OBSERVER_INIT sets.
  pure function perp_event_observer_init_value() result(value)
    type(perp_event_observer) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_EVENT_REPORT_INIT sets.
  pure function perp_event_report_init_value() result(value)
    type(perp_event_report) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_ENUMERATION_REPORT_INIT sets.
  pure function perp_enumeration_report_init_value() result(value)
    type(perp_enumeration_report) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
  end function

  !> What PERP_QP_RESIDUAL_INIT sets.
  pure function perp_qp_residual_init_value() result(value)
    type(perp_qp_residual) :: value
    value%struct_size = int(c_sizeof(value), c_int32_t)
    value%worst = -1
  end function

end module perp_c
