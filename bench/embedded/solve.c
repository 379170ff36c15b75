/* SPDX-License-Identifier: MIT */
/* One solver and the corpus: what a solve costs. The build names
 *   SOLVER   its name in C,
 *   FORM     LEMKE: perp_lcp_lemke(); ANY: perp_lcp_solve() with its descriptor; FRICTION:
 *            perp_solver_solve() with laws of friction; CONTACT: perp_SOLVER() for one contact,
 *   COMPONENTS of a contact, 2 in the plane and 3 in space,
 *   SKEW     1 if M need not be symmetric,
 *   SMALL    1 takes the law of friction for firmware,
 *   SIZES    unknowns, or contacts, of each run,
 *   PROBLEMS how many of each size.
 * The image has no other part of perp, so that its map tells the flash that the solver takes. */
#include "board.h"
#include "corpus.h"
#include "perp/perp.h"

#define LEMKE    1
#define ANY      2
#define FRICTION 3
#define CONTACT  4

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

enum { LARGEST = 32 };
static double M[LARGEST * LARGEST], q[LARGEST], z[LARGEST], y[LARGEST];
#if FORM != CONTACT
static uint64_t work[1 << 14];
#endif
static corpus_costs costs;

#if FORM == FRICTION || FORM == CONTACT
static perp_friction law;

#if FORM == FRICTION
static const perp_law *const laws[] = {&law.law};
static perp_problem problem;

static size_t prepare(int32_t n, const int32_t *offset) {
  (SMALL ? perp_friction_small_init : perp_friction_init)(&law, sizeof law);
  law.law.size = COMPONENTS;
  problem = perp_problem_of(perp_dense(n, n, M), q, 1, laws, offset);
  return perp_solver_workspace(JOIN(perp_solver_, SOLVER)(), &problem, 0);
}

static perp_status solve(void) {
  return perp_solver_solve(JOIN(perp_solver_, SOLVER)(), &problem, 0, z, y, 0, work, sizeof work,
                           0);
}
#else
static size_t prepare(int32_t n, const int32_t *offset) {
  (void)n, (void)offset;
  return 0;
}

static perp_status solve(void) { return JOIN(perp_, SOLVER)(M, q, law.mu, z, y); }
#endif

static void run(int32_t contacts) {
  const int32_t n = COMPONENTS * contacts, offset[] = {0, n};
  const size_t size = prepare(n, offset);
  board_stack_paint();
  for (uint32_t k = 0; k < PROBLEMS; k++) {
    law.mu = corpus_friction(k, contacts, COMPONENTS, M, q);
    for (int32_t i = 0; i < n; i++) z[i] = 0;
    const uint32_t begin = board_clock();
    const perp_status status = solve();
    costs.count[k] = board_instructions(begin);
    costs.solved +=
        status == PERP_OK && corpus_friction_solved(contacts, COMPONENTS, law.mu, M, q, z);
  }
  corpus_report(n, &costs, board_stack_used(), size);
}
#else
static void run(int32_t n) {
  const perp_lcp problem = {n, n, M, q};
#if FORM == LEMKE
  const size_t size = perp_lcp_lemke_workspace(n);
#else
  const size_t size = perp_lcp_workspace(JOIN(perp_solver_, SOLVER)(), n, 0);
#endif
  board_stack_paint();
  for (uint32_t k = 0; k < PROBLEMS; k++) {
    corpus_lcp(k, n, SKEW, M, q);
    for (int32_t i = 0; i < n; i++) z[i] = 0;
    const uint32_t begin = board_clock();
#if FORM == LEMKE
    const perp_status status = perp_lcp_lemke(&problem, 0, z, y, work, sizeof work, 0);
#else
    const perp_status status =
        perp_lcp_solve(JOIN(perp_solver_, SOLVER)(), &problem, 0, z, y, work, sizeof work, 0);
#endif
    costs.count[k] = board_instructions(begin);
    costs.solved += status == PERP_OK && corpus_lcp_solved(n, M, q, z);
  }
  corpus_report(n, &costs, board_stack_used(), size);
}
#endif

int main(void) {
  static const int32_t sizes[] = {SIZES};
  costs.problems = PROBLEMS;
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    costs.solved = 0;
    run(sizes[i]);
  }
  return 0;
}
