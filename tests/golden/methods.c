/* SPDX-License-Identifier: MIT */
/* What has an interface of its own: quadratic programs, problems in global form, nonlinear ones by
 * callbacks, impacts, single contacts, sensitivities. */
#include <string.h>

#include "golden.h"
#include "problems.h"

enum { N = 8, ROWS = 6, TRIALS = 5, SINGLE = 40 };

/* What a call answered, and x. */
static int tell(uint64_t *hash, perp_status status, const double *x, int32_t n) {
  golden_hash_integer(hash, status);
  golden_hash_doubles(hash, x, n);
  return status == PERP_OK;
}

static void fill(golden_source *s, double *x, int32_t n, int32_t low, int32_t high) {
  for (int32_t i = 0; i < n; i++) x[i] = golden_integer(s, low, high) / 8.0;
}

/* ---- one call each; 1: solved, 0: not, and what came out goes into the hash ---- */

static int dual(int32_t k, uint64_t *hash) {
  golden_source s = golden_source_start(2000 + k);
  double P[N * N], A[ROWS * N], c[N], low[ROWS], high[ROWS], x[N + ROWS + N];
  golden_product(&s, P, N, N, 0.5);
  fill(&s, A, ROWS * N, -16, 16);
  fill(&s, c, N, -32, 16);
  fill(&s, low, ROWS, -16, -1);
  fill(&s, high, ROWS, 1, 16);
  const perp_qp qp = {N,    ROWS, perp_dense(N, N, P), perp_dense(ROWS, N, A), c, low, high,
                      NULL, NULL};
  memset(x, 0, sizeof x);
  const perp_status status =
      perp_qp_dual(&qp, NULL, x, x + N, x + N + ROWS, golden_memory(), GOLDEN_MEMORY, NULL);
  return tell(hash, status, x, N + ROWS + N);
}

static int program(int32_t k, uint64_t *hash) {
  golden_source s = golden_source_start(2100 + k);
  double P[N * N], A[ROWS * N], c[N], low[ROWS], bound[N], x[N + ROWS + N];
  golden_product(&s, P, N, N - 2, 0);
  fill(&s, A, ROWS * N, -16, 16);
  fill(&s, c, N, -32, 16);
  fill(&s, low, ROWS, -16, -1);
  for (int i = 0; i < N; i++) bound[i] = i + 1;
  double zero[N] = {0};
  const perp_qp qp = {N,    ROWS, perp_dense(N, N, P), perp_dense(ROWS, N, A), c, low, NULL,
                      zero, bound};
  memset(x, 0, sizeof x);
  const perp_status status = perp_qp_solve(perp_solver_interior_point(), &qp, NULL, x, x + N,
                                           x + N + ROWS, golden_memory(), GOLDEN_MEMORY, NULL);
  return tell(hash, status, x, N + ROWS + N);
}

/* F(z)_i = z_i³/4 + Σ_j M_ij z_j + q_i. */
typedef struct cubic {
  double M[N * N], q[N], lower[N], upper[N];
} cubic;

static cubic make_cubic(int32_t seed) {
  golden_source s = golden_source_start(seed);
  cubic c;
  golden_product(&s, c.M, N, N, 1);
  fill(&s, c.q, N, -40, 24);
  for (int i = 0; i < N; i++) {
    c.lower[i] = 0;
    c.upper[i] = i % 2 == 0 ? 1 : 4;
  }
  return c;
}

static int32_t cubic_function(const double *z, double *F, void *user) {
  const cubic *c = user;
  for (int i = 0; i < N; i++) {
    F[i] = c->q[i] + 0.25 * z[i] * z[i] * z[i];
    for (int j = 0; j < N; j++) F[i] += c->M[i + N * j] * z[j];
  }
  return 0;
}

static int32_t cubic_project(const double *x, double *p, void *user) {
  const cubic *c = user;
  for (int i = 0; i < N; i++)
    p[i] = x[i] < c->lower[i] ? c->lower[i] : x[i] > c->upper[i] ? c->upper[i] : x[i];
  return 0;
}

static int nonlinear(int32_t k, uint64_t *hash) {
  cubic c = make_cubic(2200 + k);
  double z[N] = {0}, F[N] = {0};
  perp_mcp p = {N, 0, cubic_function, NULL, {0}, c.lower, c.upper, &c};
  const perp_status status = perp_mcp_solve(&p, NULL, z, F, golden_memory(), GOLDEN_MEMORY, NULL);
  golden_hash_doubles(hash, F, N);
  return tell(hash, status, z, N);
}

static int variational(int32_t k, uint64_t *hash) {
  cubic c = make_cubic(2300 + k);
  double z[N] = {0}, F[N] = {0};
  const perp_vi p = {N, 0, cubic_function, cubic_project, &c};
  const perp_status status = (k % 2 == 0 ? perp_vi_fixed_point : perp_vi_extragradient)(
      &p, NULL, z, F, golden_memory(), GOLDEN_MEMORY, NULL);
  return tell(hash, status, z, N);
}

/* H of two contacts in space on N velocities. */
static perp_global_problem global(int32_t k, double *M, double *H, double *q, double *b,
                                  perp_friction *law, const perp_law **laws) {
  golden_source s = golden_source_start(2400 + k);
  golden_product(&s, M, N, N, 2);
  fill(&s, H, 6 * N, -8, 8);
  fill(&s, q, N, -24, 8);
  fill(&s, b, 6, -8, 4);
  (void)perp_friction_init(law, sizeof *law);
  law->mu = 0.5;
  laws[0] = laws[1] = &law->law;
  perp_global_problem p = PERP_GLOBAL_PROBLEM_INIT;
  p.M = perp_dense(N, N, M);
  p.H = perp_dense(6, N, H);
  p.q = q;
  p.b = b;
  p.m = N;
  p.n = 6;
  p.n_blocks = 2;
  p.laws = laws;
  return p;
}

static int global_condensed(int32_t k, uint64_t *hash) {
  double M[N * N], H[6 * N], q[N], b[6], v[N] = {0}, r[6] = {0}, u[6] = {0};
  perp_friction law;
  const perp_law *laws[2];
  const perp_global_problem p = global(k, M, H, q, b, &law, laws);
  perp_global_options options = perp_global_options_default();
  options.solver = perp_solver_nsgs();
  const perp_status status =
      perp_global_solve(&p, &options, v, r, u, NULL, golden_memory(), GOLDEN_MEMORY, NULL);
  golden_hash_doubles(hash, r, 6);
  return tell(hash, status, v, N);
}

static int global_full(int32_t k, uint64_t *hash) {
  double M[N * N], H[6 * N], q[N], b[6], v[N] = {0}, r[6] = {0}, u[6] = {0};
  perp_friction law;
  const perp_law *laws[2];
  const perp_global_problem p = global(k, M, H, q, b, &law, laws);
  const perp_status status =
      perp_global_admm(&p, NULL, v, r, u, golden_memory(), GOLDEN_MEMORY, NULL);
  golden_hash_doubles(hash, r, 6);
  return tell(hash, status, v, N);
}

/* Solutions are hashed as they are found. */
static int32_t visit(const double *z, const double *w, void *user) {
  golden_hash_doubles(user, z, N);
  golden_hash_doubles(user, w, N);
  return 0;
}

static int every_solution(int32_t k, uint64_t *hash) {
  golden_source s = golden_source_start(2500 + k);
  double M[N * N], q[N];
  for (int i = 0; i < N * N; i++) M[i] = golden_integer(&s, -8, 8) / 4.0;
  fill(&s, q, N, -8, 24);
  const perp_lcp p = {N, N, M, q};
  const perp_status status =
      perp_lcp_enumerate(&p, NULL, visit, hash, NULL, golden_memory(), GOLDEN_MEMORY, NULL);
  golden_hash_integer(hash, status);
  return status == PERP_OK || status == PERP_INFEASIBLE;
}

static int lcp_lemke(int32_t k, uint64_t *hash) {
  golden_source s = golden_source_start(2600 + k);
  double M[GOLDEN_N * GOLDEN_N], q[GOLDEN_N], z[GOLDEN_N] = {0}, w[GOLDEN_N] = {0};
  const int32_t n = 2 + 7 * k;
  golden_product(&s, M, n, n, 0.25);
  fill(&s, q, n, -40, 24);
  const perp_lcp p = {n, n, M, q};
  const perp_status status = perp_lcp_lemke(&p, NULL, z, w, golden_memory(), GOLDEN_MEMORY, NULL);
  golden_hash_doubles(hash, w, n);
  return tell(hash, status, z, n);
}

static int poisson(int32_t k, uint64_t *hash) {
  golden_source s = golden_source_start(2700 + k);
  double W[N * N], ydot[N], e[N], impulse[N] = {0}, compression[N] = {0};
  golden_product(&s, W, N, N, 0.25);
  fill(&s, ydot, N, -24, 8);
  fill(&s, e, N, 0, 8);
  const perp_status status = perp_poisson_impact(perp_solver_lemke(), N, W, ydot, e, NULL, impulse,
                                                 compression, golden_memory(), GOLDEN_MEMORY, NULL);
  golden_hash_doubles(hash, compression, N);
  return tell(hash, status, impulse, N);
}

static int multiple(int32_t k, uint64_t *hash) {
  golden_source s = golden_source_start(2800 + k);
  double W[N * N], ydot[N], e[N], impulse[N] = {0}, energy[N] = {0};
  perp_multiple_impact_options options = perp_multiple_impact_options_default();
  options.exponent = k % 2 == 0 ? 1.5 : 1;
  options.tol = 1e-8;
  golden_product(&s, W, N, N, 0.25);
  fill(&s, ydot, N, -24, 8);
  fill(&s, e, N, 0, 8);
  const perp_status status = perp_multiple_impact(N, W, ydot, e, &options, impulse, energy,
                                                  golden_memory(), GOLDEN_MEMORY, NULL);
  golden_hash_doubles(hash, energy, N);
  return tell(hash, status, impulse, N);
}

static int sensitivity(int32_t k, uint64_t *hash) {
  static golden_problem p;
  golden_problem_init(&p, 0, k);
  const int32_t n = p.problem.n;
  double lambda[GOLDEN_N] = {0}, y[GOLDEN_N] = {0}, load[GOLDEN_N], out[GOLDEN_N] = {0};
  unsigned char *const memory = golden_memory();
  perp_sensitivity s;
  perp_status status = perp_solver_solve(perp_solver_lemke(), &p.problem, NULL, lambda, y, NULL,
                                         memory, GOLDEN_MEMORY, NULL);
  if (status == PERP_OK)
    status = perp_sensitivity_prepare(&s, &p.problem, lambda, NULL, memory, GOLDEN_MEMORY, NULL);
  for (int32_t i = 0; i < n; i++) load[i] = i % 3 - 1;
  if (status == PERP_OK) status = perp_sensitivity_apply(&s, 1, load, out, NULL);
  golden_hash_doubles(hash, out, n);
  if (status == PERP_OK) status = perp_sensitivity_adjoint(&s, 1, load, out);
  return tell(hash, status, out, n);
}

/* One contact of each kind, a number of times. */
static int single_contacts(int32_t k, uint64_t *hash) {
  golden_source s = golden_source_start(2900 + k);
  int solved = 1;
  for (int i = 0; i < SINGLE; i++) {
    static const int32_t size[] = {2, 3, 3, 5};
    const int kind = i % 4;
    const int32_t n = size[kind];
    const double mu = golden_integer(&s, 0, 16) / 8.0, rolling = golden_integer(&s, 0, 8) / 16.0;
    double W[25], q[5], r[5] = {0}, u[5] = {0};
    golden_product(&s, W, n, n, 0.5);
    fill(&s, q, n, -24, 8);
    const perp_status status = kind == 0   ? perp_contact_2d(W, q, mu, r, u)
                               : kind == 1 ? perp_contact_3d(W, q, mu, r, u)
                               : kind == 2 ? perp_contact_rolling_2d(W, q, mu, rolling, r, u)
                                           : perp_contact_rolling_3d(W, q, mu, rolling, r, u);
    golden_hash_doubles(hash, u, n);
    solved &= tell(hash, status, r, n);
  }
  return solved;
}

int golden_methods(void) {
  static const struct {
    const char *name;
    int (*run)(int32_t k, uint64_t *hash);
  } methods[] = {{"qp-dual", dual},
                 {"qp-interior-point", program},
                 {"mcp", nonlinear},
                 {"vi", variational},
                 {"global-condensed", global_condensed},
                 {"global-admm", global_full},
                 {"every-solution", every_solution},
                 {"lcp-lemke", lcp_lemke},
                 {"poisson-impact", poisson},
                 {"multiple-impact", multiple},
                 {"sensitivity", sensitivity},
                 {"one-contact", single_contacts}};
  int wrong = 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    uint64_t hash = golden_hash_start();
    int32_t solved = 0;
    for (int32_t k = 0; k < TRIALS; k++) solved += methods[i].run(k, &hash);
    golden_line(methods[i].name, NULL, hash, solved, TRIALS);
    wrong += solved == 0;
  }
  return wrong;
}
