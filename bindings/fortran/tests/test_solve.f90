! SPDX-License-Identifier: MIT
!> Problems that are functions: F and its data.
module problems
  use perp
  implicit none
  type, extends(mcp) :: square !< f = z**2 - a
    real(dp) :: a = 4
    logical :: fails = .false.
  contains
    procedure :: f => square_f
  end type
  type, extends(square) :: square_with_jacobian
  contains
    procedure :: jacobian => square_jacobian
  end type
  type, extends(vi) :: nearest !< f = x - point, K = the unit ball: x is the point of K next to it
    real(dp) :: point(2) = [3, 4]
    logical :: fails = .false.
  contains
    procedure :: f => nearest_f
    procedure :: project => ball
  end type
contains
  subroutine square_f(self, z, f, reply)
    class(square), intent(in) :: self
    real(dp), intent(in) :: z(:)
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    f = z**2 - self%a
    if (self%fails) call reply%give_up("the square is broken")
  end subroutine
  subroutine square_jacobian(self, z, J, reply)
    class(square_with_jacobian), intent(in) :: self
    real(dp), intent(in) :: z(:)
    real(dp), intent(inout) :: J(:, :)
    type(answer), intent(inout) :: reply
    integer :: i
    do i = 1, size(z)
      J(i, i) = 2 * z(i)
    end do
  end subroutine
  subroutine nearest_f(self, x, f, reply)
    class(nearest), intent(in) :: self
    real(dp), intent(in) :: x(:)
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    f = x - self%point
    if (self%fails) call reply%give_up("no such point")
  end subroutine
  subroutine ball(self, x, f, reply)
    class(nearest), intent(in) :: self
    real(dp), intent(in) :: x(:)
    real(dp), intent(inout) :: f(:)
    type(answer), intent(inout) :: reply
    f = x / max(1.0_dp, norm2(x))
  end subroutine
end module problems

!> Solvers judged by definitions, and bad input.
program test_solve
  use perp
  use check
  use problems
  use perp_c
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  implicit none
  integer, parameter :: n = 12
  real(dp) :: M(n, n), q(n), z(n), w(n), lower(n), upper(n), big(n + 3, n), nan, bound(1)
  type(outcome) :: info
  integer :: status, i

  nan = ieee_value(nan, ieee_quiet_nan)
  call random_init(repeatable=.true., image_distinct=.true.)
  do i = 1, 20
    call random_problem(n, M, q)
    lower = 0
    upper = infinity()
    z = 0
    w = 999
    call solve_lcp(M, q, z, w, status=status)
    call expect(status == PERP_OK .and. box_error(M, q, lower, upper, z, w) < 1e-8_dp, "solve_lcp")
    w = 999
    call solve_lcp(M, q, z, w, method("lemke"), status, info)
    call expect(status == PERP_OK .and. box_error(M, q, lower, upper, z, w) < 1e-8_dp, "by lemke")
    call expect(info%solver == "lemke" .and. info%iterations > 0, "says who solved it")
    lower = -0.1_dp
    upper = 0.3_dp
    w = 999
    call solve_mlcp(M, q, lower, upper, z, w, status=status)
    call expect(status == PERP_OK .and. box_error(M, q, lower, upper, z, w) < 1e-8_dp, "solve_mlcp")
    lower = -1
    upper = 1
    w = 999
    call solve_relay(M, q, z, w, status=status)
    call expect(status == PERP_OK .and. box_error(M, q, lower, upper, z, w) < 1e-8_dp, "solve_relay")
    w = 999
    call solve_relay(M, q, z, w, status=status, limit=0.25_dp)
    call expect(status == PERP_OK .and. box_error(M, q, lower / 4, upper / 4, z, w) < 1e-8_dp, "of another limit")
    call solve_relay(M, q, z, w, info=info, limit=-1.0_dp)
    call refused(info, PERP_EINVAL, "solve_relay")
    w = 999
    z = 0
    call solve_friction(M, q, [(0.3_dp, status=1, n / 2)], z, w, info=info)
    call expect(info%status == PERP_OK .and. contact_error(M, q, [0.3_dp], [1], z, w) < 1e-7_dp, &
                "friction in the plane " // info%text)
    w = 999
    z = 0
    call solve_friction(M, q, [(0.3_dp, status=1, n / 3)], z, w, info=info)
    call expect(info%status == PERP_OK .and. contact_error(M, q, [0.3_dp], [2], z, w) < 1e-7_dp, &
                "friction in space " // info%text)
    w = 999
    z = 0
    call solve_rolling(M, q, [(0.3_dp, status=1, n / 3)], [(0.2_dp, status=1, n / 3)], z, w, info=info)
    call expect(info%status == PERP_OK .and. &
                contact_error(M, q, [0.3_dp, 0.2_dp], [1, 1], z, w) < 1e-7_dp, "rolling " // info%text)
    w(:3) = 999
    call solve_contact(M(:3, :3), q(:3), 0.4_dp, z(:3), w(:3), info=info)
    call expect(info%status == PERP_OK .and. &
                contact_error(M(:3, :3), q(:3), [0.4_dp], [2], z(:3), w(:3)) < 1e-9_dp, "one contact")
  end do
  ! a section with a stride of its own is taken right
  big = 7
  big(:n, :) = M
  lower = 0
  upper = infinity()
  call solve_lcp(big(:n, :), q, z, w)
  call expect(box_error(M, q, lower, upper, z, w) < 1e-8_dp, "a section")

  call programs()
  call functions()

  ! bad input: outputs untouched, sentences that say what and where
  z = 5
  call solve_lcp(M(:, :n-1), q, z, w, info=info)
  call refused(info, PERP_EINVAL, "solve_lcp: M has the shape (12, 11) where (12, 12) is needed")
  call expect(all(z == 5), "nothing is written")
  call solve_lcp(M, q, z(:3), w, info=info)
  call refused(info, PERP_EINVAL, "z has the shape (3) where (12) is needed")
  call solve_lcp(M, q, z, w, method("lemming"), info=info)
  call refused(info, PERP_EINVAL, "method names no solver: lemming")
  call solve_lcp(M, q, z, w, method("lemke", tol=-1.0_dp), info=info)
  call refused(info, PERP_EINVAL, "tol")
  q(3) = nan
  call solve_lcp(M, q, z, w, info=info)
  call refused(info, PERP_ENOTFINITE, "solve_lcp: q(3) = nan: must be finite")
  call expect(info%index == 3 .and. info%field == "q", "names the entry")
  call solve_friction(M, q, [0.3_dp, 0.3_dp, 0.3_dp, 0.3_dp], z, w, info=info)
  call refused(info, PERP_ENOTFINITE, "q(3)")
  call solve_rolling(M, q, [0.3_dp, 0.3_dp, 0.3_dp, 0.3_dp], [0.3_dp, 0.3_dp, 0.3_dp, 0.3_dp], z, w, &
                     info=info)
  call refused(info, PERP_ENOTFINITE, "q has an entry")
  q(3) = 0
  call solve_friction(M, q, [0.3_dp, 0.3_dp, 0.3_dp, 0.3_dp, 0.3_dp], z, w, info=info)
  call refused(info, PERP_EINVAL, "q has the shape (12) where (15) is needed")
  call solve_friction(M, q, [0.3_dp, -0.3_dp, 0.3_dp, 0.3_dp], z, w, info=info)
  call refused(info, PERP_EINVAL, "mu(2) = -0.3")
  lower(2) = 2
  upper(2) = 1
  call solve_mlcp(M, q, lower, upper, z, w, info=info)
  call refused(info, PERP_EINVAL, "lower(2)")
  bound = -1 ! no solution: 0 * z - 1 >= 0
  call solve_lcp(reshape([0.0_dp], [1, 1]), bound, z(:1), w(:1), status=status)
  call expect(status == PERP_INFEASIBLE, "an honest end without a solution")
  call sizes()
  call units()
  call foreign_options()
  call too_large()
  call finish("test_solve")

contains

  !> How far an answer ran from the data, and what a proof says of one that is not.
  subroutine sizes()
    real(dp) :: A(2, 2), x(2), y(2)
    x = 0
    A = reshape([2, 1, 1, 2], [2, 2])
    call solve_lcp(A, [-5.0_dp, -6.0_dp], x, y, method("lemke"), info=info)
    call expect(abs(info%amplification - 2) < 1e-14_dp, "(4/3 + 14/3 + 6) / 6")
    call expect(info%bound <= 0, "no proof, no bound")
    call solve_lcp(0 * A, [-1.0_dp, 1.0_dp], x, y, method("lemke"), info=info)
    call expect(info%status == PERP_INFEASIBLE .and. info%bound >= infinity(), "none for certain")
    A = reshape([1.0_dp, -1.0_dp, -1.0_dp, 1 + 2.0_dp**(-45)], [2, 2]) ! solved by (2**46 + 1, 2**46)
    call solve_lcp(A, [-1.0_dp, -1.0_dp], x, y, method("lemke"), info=info)
    call expect(info%status == PERP_INFEASIBLE .and. info%bound > 2.0_dp**40 .and. &
                info%bound <= 2.0_dp**47 + 1, "none that is of ordinary size")
  end subroutine

  !> Options of another solver are refused by the name of those that are asked for, wherever they
  !! are handed over; a budget ends a solve.
  subroutine foreign_options()
    type(perp_lemke_options), target :: pivots
    type(perp_cpg_options), target :: gradients
    type(perp_admm_options), target :: never
    type(method) :: wrong
    type(model) :: m_
    type(simulation) :: steps
    type(event_driven) :: events
    type(simulation_options) :: o
    type(event_options) :: e
    real(dp) :: A(2, 2), x(2), y(2)
    integer :: ball, i
    A = reshape([2, 1, 1, 2], [2, 2])
    x = 0
    call perp_cpg_options_init(gradients, c_sizeof(gradients))
    call perp_lemke_options_init(pivots, c_sizeof(pivots))
    wrong = method("lemke", options=c_loc(gradients))
    call solve_lcp(A, [-5.0_dp, -6.0_dp], x, y, wrong, info=info)
    call refused(info, PERP_EINVAL, "perp_lemke_options")
    call solve_mlcp(A, [-5.0_dp, -6.0_dp], [0.0_dp, 0.0_dp], [1.0_dp, 1.0_dp], x, y, &
                    method("cpg", options=c_loc(pivots)), info=info)
    call refused(info, PERP_EINVAL, "perp_cpg_options")
    call solve_friction(A, [-5.0_dp, -6.0_dp], [0.5_dp], x, y, method("nsgs", options=c_loc(gradients)), info=info)
    call refused(info, PERP_EINVAL, "perp_nsgs_options")
    call solve_friction(A, [-5.0_dp, -6.0_dp], [0.5_dp], x, y, method("lemke"), info=info)
    call refused(info, PERP_EUNSUPPORTED, "solve_friction: laws(1) is of friction, which ")
    call solve_qp(A, [-5.0_dp, -6.0_dp], x, by=method("lemke", options=c_loc(gradients)), info=info)
    call refused(info, PERP_EINVAL, "perp_lemke_options")
    call solve_lcp(A, [-5.0_dp, -6.0_dp], x, y, method("admm", options=c_loc(never)), info=info)
    call refused(info, PERP_EINVAL, "struct_size")
    call solve_lcp(A, [-5.0_dp, -6.0_dp], x, y, method("lemke", options=c_loc(pivots)), info=info)
    call expect(info%status == PERP_OK .and. maxval(abs(x - [4 / 3.0_dp, 7 / 3.0_dp])) < 1e-14_dp, &
                "its own options are read")
    x = 0
    call solve_lcp(A, [-5.0_dp, -6.0_dp], x, y, method("pgs", budget=1.0_dp), info=info)
    call expect(info%status == PERP_MAX_ITER, "a budget of one multiply-add")
    call solve_lcp(A, [-5.0_dp, -6.0_dp], x, y, method("pgs", budget=-1.0_dp), info=info)
    call refused(info, PERP_EINVAL, "budget = -1")
    ball = m_%add(lagrangian_linear(mass=1.0_dp, force=-9.81_dp), q0=[1.0_dp])
    i = m_%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.9_dp), [ball])
    o%solver = wrong
    call steps%start(m_, options=o, info=info)
    call refused(info, PERP_EINVAL, "perp_lemke_options")
    e%solver = wrong
    call events%start(m_, options=e, info=info)
    call refused(info, PERP_EINVAL, "perp_lemke_options")
  end subroutine

  !> What is too large for memory ends in its bytes, not in a stop of the program.
  subroutine too_large()
    type(model) :: m_
    type(simulation) :: steps
    type(simulation_options) :: o
    type(square) :: wide
    real(dp), allocatable :: x(:), low(:), high(:)
    real(dp) :: largest
    integer :: i, k, ball
    integer(c_int64_t) :: kept
    ball = m_%add(lagrangian_linear(mass=1.0_dp, force=-9.81_dp), q0=[1.0_dp])
    i = m_%connect(lagrangian_linear_relation(1.0_dp), newton_impact(0.9_dp), [ball])
    do k = 2, 100000
      ball = m_%add_like(1, q0=[1.0_dp])
      i = m_%connect_like(i, [ball])
    end do
    o%solver = method("lemke") ! a tableau of 1e5 x 1e5
    call steps%start(m_, options=o, info=info)
    call expect(info%status < 0 .and. info%value > 8e10_dp, "a simulation: " // info%text)
    kept = 300000
    allocate (x(kept), low(kept), high(kept), source=0.0_dp)
    call solve_mcp(wide, low, high, x, info=info)
    largest = 8 * real(kept, dp)**2
    call refused(info, PERP_EWORKSPACE, "jacobian = 720000000000: no memory")
    call expect(abs(info%value - largest) < 1, "in bytes")
  end subroutine

  !> Problems of the module perp_c: weights of rows, and tolerances.
  subroutine units()
    real(c_double), target :: A(1) = 0, b(1) = -1e-6_dp, weight(1) = 4, floor(1) = 2e-6_dp
    type(perp_complementarity), target :: orthant
    type(c_ptr), target :: laws(1)
    type(perp_problem) :: problem
    real(dp) :: residual
    integer(c_int32_t) :: code
    code = perp_complementarity_init(orthant, c_sizeof(orthant))
    laws = c_loc(orthant)
    problem = perp_problem_init_value()
    problem%n = 1
    problem%n_blocks = 1
    problem%M = perp_matrix(kind=PERP_DENSE, rows=1, cols=1, ld=1, values=c_loc(A))
    problem%q = c_loc(b)
    problem%laws = c_loc(laws)
    call judge(problem, code, residual)
    call expect(code == PERP_INFEASIBLE .and. abs(residual - 1e-6_dp) < 1e-20_dp, "no weight is 1")
    problem%weight = c_loc(weight)
    call judge(problem, code, residual)
    call expect(code == PERP_INFEASIBLE .and. abs(residual - 4e-6_dp) < 1e-20_dp, "a weight")
    problem%weight = c_null_ptr
    problem%floor = c_loc(floor)
    call judge(problem, code, residual)
    call expect(code == PERP_OK .and. residual <= 0, "below the floor")
    floor = -1
    call judge(problem, code, residual)
    call expect(code == PERP_EINVAL, "a floor is not negative")
  end subroutine

  subroutine judge(problem, code, residual)
    type(perp_problem), intent(in) :: problem
    integer(c_int32_t), intent(out) :: code
    real(dp), intent(out) :: residual
    type(perp_solver), pointer :: solver
    type(perp_info) :: said
    integer(c_int8_t), target :: work(4000)
    real(dp) :: lambda(1), y(1)
    lambda = 0
    said = perp_info_init_value()
    call c_f_pointer(perp_solver_lemke(), solver)
    code = perp_solver_solve(solver, problem, c_null_ptr, lambda, y, work=c_loc(work), &
                             work_bytes=size(work, kind=c_size_t), info=said)
    residual = said%residual
  end subroutine

  !> min (x1 - 1)^2 + (x2 - 2.5)^2 under 3 rows and x >= 0: Nocedal and Wright, example 16.4.
  subroutine programs()
    real(dp) :: P(2, 2), c(2), A(3, 2), x(2), nu(3), zeta(2)
    P = reshape([2, 0, 0, 2], [2, 2])
    c = [-2, -5]
    A = reshape([1, -1, -1, -2, -2, 2], [3, 2])
    x = 0
    call solve_qp(P, c, x, A, row_lower=[-2.0_dp, -6.0_dp, -2.0_dp], lower=[0.0_dp, 0.0_dp], nu=nu, &
                  zeta=zeta, info=info)
    call expect(info%status == PERP_OK .and. all(abs(x - [1.4_dp, 1.7_dp]) < 1e-8_dp), "solve_qp")
    call expect(all(abs(matmul(P, x) + c - matmul(transpose(A), nu) - zeta) < 1e-8_dp), "multipliers")
    call solve_qp(P, c, x, A(:, :1), info=info)
    call refused(info, PERP_EINVAL, "A has the shape (3, 1) where (3, 2) is needed")
    call solve_qp(P, [nan, 0.0_dp], x, info=info)
    call refused(info, PERP_ENOTFINITE, "solve_qp")
  end subroutine

  subroutine functions()
    type(square) :: f
    type(square_with_jacobian) :: with
    type(nearest) :: point
    real(dp) :: z(2), values(2), x(2)
    z = 1
    call solve_mcp(f, [0.0_dp, 3.0_dp], [10.0_dp, 10.0_dp], z, values, info=info)
    call expect(info%status == PERP_OK .and. all(abs(z - [2, 3]) < 1e-8_dp), "solve_mcp")
    call expect(all(abs(values - [0, 5]) < 1e-6_dp), "its values")
    z = 1
    call solve_mcp(with, [0.0_dp, 3.0_dp], [10.0_dp, 10.0_dp], z, info=info)
    call expect(info%status == PERP_OK .and. all(abs(z - [2, 3]) < 1e-8_dp), "with a Jacobian")
    f%fails = .true.
    call solve_mcp(f, [0.0_dp, 0.0_dp], [1.0_dp, 1.0_dp], z, info=info)
    call refused(info, PERP_ECALLBACK, "the square is broken")
    x = 0
    call solve_vi(point, x, info=info)
    call expect(info%status == PERP_OK .and. all(abs(x - [0.6_dp, 0.8_dp]) < 1e-8_dp), "solve_vi")
    point%fails = .true.
    call solve_vi(point, x, info=info)
    call refused(info, PERP_ECALLBACK, "no such point")
  end subroutine

end program test_solve
