/* SPDX-License-Identifier: MIT */
/* The macros that size static arrays, against what the library asks for at run time: over a grid of
 * sizes each has the margin that a patch release may use up, and none is far too large. On machines
 * with pointers of 4 bytes too. */
#include "golden.h"
#include "problems.h"

enum { MOST = 200 };

/* Where a problem is: alone with a dense M, or in a simulation, where M is in blocks that may all
 * be there, and each row may be a contact. */
typedef enum place { ALONE, SIMULATED } place;

static perp_shape shape_of(place where, int32_t n, int32_t size, uint32_t sets) {
  const size_t m = (size_t)n;
  perp_shape s = {n, 1, sets, PERP_DENSE, m * m, m * (m + 1) / 2, 0, 0, n / size, size};
  if (where == ALONE) return s;
  s.matrix = PERP_BLOCKS;
  s.n_blocks = s.contacts = n;
  return s;
}

static size_t asked(const perp_solver *solver, place where, int32_t n, int32_t size, int32_t set) {
  const perp_shape s = shape_of(where, n, size, 1u << set);
  size_t bytes = perp_solver_shape_workspace(solver, &s, NULL);
  if (where == SIMULATED && solver->warm_bytes != NULL)
    bytes += solver->warm_bytes(&s) + 32 * (size_t)n; /* heads and padding of islands */
  return bytes;
}

/* Sizes that were looked at, and how many of the macros were right. */
typedef struct tally {
  int32_t looked, right;
} tally;

/* The margin as docs/VERSIONING.md promises it for n unknowns. */
static void hold(tally *t, int32_t n, size_t macro, size_t query) {
  const size_t need = query + 8 * (size_t)n + 256;
  t->looked++;
  t->right += query > 0 && macro >= need && macro - need <= query / 3 + 1024;
}

/* ---- one-step problems ---- */

static void by_component(tally *t, int32_t n) {
  const size_t envelope = (size_t)n * ((size_t)n + 1) / 2;
  const int32_t set = PERP_SET_ORTHANT;
#define ALONE_IS(macro, solver) hold(t, n, macro, asked(perp_solver_##solver(), ALONE, n, 1, set))
#define SIMULATED_IS(macro, solver) \
  hold(t, n, macro, asked(perp_solver_##solver(), SIMULATED, n, 1, set))
  ALONE_IS(PERP_ACTIVE_SET_WORKSPACE(n, envelope), active_set);
  ALONE_IS(PERP_ADMM_WORKSPACE(n, n), admm);
  ALONE_IS(PERP_AVI_PIVOTING_WORKSPACE(n, 0), avi_pivoting);
  ALONE_IS(PERP_BLOCK_PIVOTING_WORKSPACE(n), block_pivoting);
  ALONE_IS(PERP_BOX_PIVOTING_WORKSPACE(n), box_pivoting);
  ALONE_IS(PERP_CPG_WORKSPACE(n), cpg);
  ALONE_IS(PERP_EXTRAGRADIENT_WORKSPACE(n), extragradient);
  ALONE_IS(PERP_FIXED_POINT_WORKSPACE(n), fixed_point);
  ALONE_IS(PERP_FRICTION_INTERIOR_WORKSPACE(n, n), friction_interior);
  ALONE_IS(PERP_FRICTION_NEWTON_WORKSPACE(n, n), friction_newton);
  ALONE_IS(PERP_PGS_WORKSPACE(n), pgs);
  ALONE_IS(PERP_INTERIOR_POINT_WORKSPACE(n), interior_point);
  ALONE_IS(PERP_LCP_LEMKE_WORKSPACE(n), lemke);
  ALONE_IS(PERP_MURTY_WORKSPACE(n), murty);
  ALONE_IS(PERP_NEWTON_WORKSPACE(n), newton_fb);
  ALONE_IS(PERP_NEWTON_WORKSPACE(n), newton_min);
  ALONE_IS(PERP_NSGS_WORKSPACE(n, n), nsgs);
  ALONE_IS(PERP_NSGS_SMALL_WORKSPACE(n, n), nsgs_small);
  SIMULATED_IS(PERP_ACTIVE_SET_BYTES(n, envelope), active_set);
  SIMULATED_IS(PERP_ADMM_BYTES(n), admm);
  SIMULATED_IS(PERP_BLOCK_PIVOTING_BYTES(n), block_pivoting);
  SIMULATED_IS(PERP_BOX_PIVOTING_BYTES(n), box_pivoting);
  SIMULATED_IS(PERP_CPG_BYTES(n), cpg);
  SIMULATED_IS(PERP_FIXED_POINT_WORKSPACE(n), fixed_point);
  SIMULATED_IS(PERP_FRICTION_INTERIOR_BYTES(n), friction_interior);
  SIMULATED_IS(PERP_FRICTION_NEWTON_BYTES(n), friction_newton);
  SIMULATED_IS(PERP_PGS_BYTES(n), pgs);
  SIMULATED_IS(PERP_INTERIOR_POINT_BYTES(n), interior_point);
  SIMULATED_IS(PERP_LEMKE_BYTES(n), lemke);
  SIMULATED_IS(PERP_MURTY_BYTES(n), murty);
  SIMULATED_IS(PERP_NEWTON_BYTES(n), newton_min);
  SIMULATED_IS(PERP_NSGS_BYTES(n), nsgs);
  SIMULATED_IS(PERP_NSGS_SMALL_BYTES(n), nsgs_small);
  if (n <= PERP_ENUMERATION_MAX) {
    ALONE_IS(PERP_ENUMERATION_WORKSPACE(n), enumeration);
    SIMULATED_IS(PERP_ENUMERATION_WORKSPACE(n), enumeration);
    hold(t, n, PERP_ENUMERATION_WORKSPACE(n), perp_lcp_enumerate_workspace(n));
    hold(t, n, PERP_ENUMERATION_WORKSPACE(n), perp_mlcp_enumerate_workspace(n));
  }
#undef ALONE_IS
#undef SIMULATED_IS
}

/* n unknowns in contacts of so many. */
static void by_contact(tally *t, int32_t contacts, int32_t size, int32_t set) {
  const int32_t n = contacts * size;
#define ALONE_IS(macro, solver) \
  hold(t, n, macro, asked(perp_solver_##solver(), ALONE, n, size, set))
#define SIMULATED_IS(macro, solver) \
  hold(t, n, macro, asked(perp_solver_##solver(), SIMULATED, n, size, set))
  ALONE_IS(PERP_ADMM_WORKSPACE(n, contacts), admm);
  ALONE_IS(PERP_FRICTION_INTERIOR_WORKSPACE(n, contacts), friction_interior);
  ALONE_IS(PERP_FRICTION_NEWTON_WORKSPACE(n, contacts), friction_newton);
  ALONE_IS(PERP_NSGS_WORKSPACE(n, contacts), nsgs);
  ALONE_IS(PERP_NSGS_SMALL_WORKSPACE(n, contacts), nsgs_small);
  SIMULATED_IS(PERP_ADMM_BYTES(n), admm);
  SIMULATED_IS(PERP_FRICTION_INTERIOR_BYTES(n), friction_interior);
  SIMULATED_IS(PERP_FRICTION_NEWTON_BYTES(n), friction_newton);
  SIMULATED_IS(PERP_NSGS_BYTES(n), nsgs);
  SIMULATED_IS(PERP_NSGS_SMALL_BYTES(n), nsgs_small);
  if (set == PERP_SET_CONE && size == 2) {
    ALONE_IS(PERP_FRICTION_LEMKE_WORKSPACE(n), friction_lemke);
    SIMULATED_IS(PERP_FRICTION_LEMKE_WORKSPACE(n), friction_lemke);
  }
#undef ALONE_IS
#undef SIMULATED_IS
  if (set == PERP_SET_CONE) {
    hold(t, n, PERP_FC_WORKSPACE(contacts, PERP_NSGS_WORKSPACE(n, contacts)),
         perp_fc_workspace(perp_solver_nsgs(), contacts, size, NULL));
    hold(t, n, PERP_FC_WORKSPACE(contacts, PERP_NSGS_WORKSPACE(n, contacts)),
         perp_fc_nsgs_workspace(contacts, size, NULL));
  }
}

/* ---- what has an interface of its own ---- */

static void sensitivity(tally *t, int32_t n) {
  static double M[GOLDEN_N * GOLDEN_N], q[GOLDEN_N];
  perp_complementarity law;
  const perp_law *const laws[] = {&law.law};
  const int32_t offset[] = {0, n};
  const perp_problem p = perp_problem_of(perp_dense(n, n, M), q, 1, laws, offset);
  (void)perp_complementarity_init(&law, sizeof law);
  hold(t, n, PERP_SENSITIVITY_WORKSPACE(n), perp_sensitivity_workspace(&p));
}

static int32_t no_function(const double *z, double *F, void *user) {
  (void)z, (void)F, (void)user;
  return -1;
}

static void others(tally *t, int32_t n) {
  static double bound[MOST];
  const perp_mcp mcp = {n, 0, no_function, NULL, {0}, bound, bound, NULL};
  hold(t, n, PERP_MCP_WORKSPACE(n), perp_mcp_workspace(&mcp, NULL));
  hold(t, n, PERP_VI_WORKSPACE(n), perp_vi_workspace(n));
  hold(t, n, PERP_MULTIPLE_IMPACT_WORKSPACE(n), perp_multiple_impact_workspace(n));
  hold(t, n, PERP_POISSON_IMPACT_WORKSPACE(n, PERP_MURTY_WORKSPACE(n)),
       perp_poisson_impact_workspace(perp_solver_murty(), n, NULL));
  hold(t, n, PERP_LCP_LEMKE_WORKSPACE(n), perp_lcp_lemke_workspace(n));
  for (int32_t m = 0; m <= 2 * n; m += n) {
    hold(t, n + m, PERP_QP_DUAL_WORKSPACE(n, m), perp_qp_dual_workspace(n, m));
    hold(t, n + m, PERP_AVI_PIVOTING_WORKSPACE(n, m), perp_avi_pivoting_workspace(n, m, NULL));
  }
  if (n <= GOLDEN_N) sensitivity(t, n);
}

int golden_sizes(void) {
  static const struct {
    int32_t size, set;
  } contacts[] = {
      {2, PERP_SET_CONE}, {3, PERP_SET_CONE}, {3, PERP_SET_ROLLING}, {5, PERP_SET_ROLLING}};
  tally t = {0, 0};
  for (int32_t n = 1; n <= MOST; n += 1 + n / 8) {
    by_component(&t, n);
    others(&t, n);
    for (size_t k = 0; k < sizeof contacts / sizeof *contacts; k++)
      by_contact(&t, n, contacts[k].size, contacts[k].set);
  }
  golden_line("sizes", NULL, golden_hash_start(), t.right, t.looked);
  return t.right == t.looked ? 0 : 1;
}
