/* SPDX-License-Identifier: MIT */
#include "problems.h"

#include <string.h>

golden_source golden_source_start(int32_t seed) {
  golden_source s = {UINT32_C(2463534242) ^ (uint32_t)seed * UINT32_C(2654435761)};
  if (s.state == 0) s.state = 1;
  for (int i = 0; i < 8; i++) (void)golden_integer(&s, 0, 1);
  return s;
}

int32_t golden_integer(golden_source *s, int32_t low, int32_t high) {
  s->state ^= s->state << 13;
  s->state ^= s->state >> 17;
  s->state ^= s->state << 5;
  return low + (int32_t)((s->state >> 4) % (uint32_t)(high - low + 1));
}

void golden_product(golden_source *s, double *M, int32_t n, int32_t rank, double shift) {
  int32_t B[GOLDEN_N * GOLDEN_N];
  for (int32_t i = 0; i < n * rank; i++) B[i] = golden_integer(s, -5, 5);
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) {
      int32_t sum = 0;
      for (int32_t k = 0; k < rank; k++) sum += B[i + n * k] * B[j + n * k];
      M[i + n * j] = sum / 16.0 + (i == j ? shift : 0);
    }
}

/* ---- matrices and right-hand sides ---- */

static void skew(golden_source *s, golden_problem *p, double scale) {
  const int32_t n = p->problem.n;
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < j; i++) {
      const double x = golden_integer(s, -4, 4) * scale;
      p->M[i + n * j] += x;
      p->M[j + n * i] -= x;
    }
}

/* Only neighbours are coupled; diagonally dominant. */
static void band(golden_source *s, golden_problem *p, int32_t half) {
  const int32_t n = p->problem.n;
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i <= j; i++) {
      const double x = i == j ? 4 * half + 1 : i + half >= j ? golden_integer(s, -3, 3) / 2.0 : 0;
      p->M[i + n * j] = p->M[j + n * i] = x;
    }
}

static void random_q(golden_source *s, golden_problem *p) {
  for (int32_t i = 0; i < p->problem.n; i++) p->q[i] = golden_integer(s, -40, 24) / 8.0;
}

/* The matrix in compressed rows. */
static void compress(golden_problem *p) {
  const int32_t n = p->problem.n;
  int32_t count = 0;
  for (int32_t i = 0; i < n; i++) {
    p->start[i] = count;
    for (int32_t j = 0; j < n; j++) {
      if (p->M[i + n * j] == 0) continue;
      p->index[count] = j;
      p->values[count++] = p->M[i + n * j];
    }
  }
  p->start[n] = count;
  p->problem.M = perp_compressed_rows(n, p->start, p->index, p->values);
}

/* ---- laws ---- */

/* Add a block of so many unknowns of a law. */
static void block(golden_problem *p, const perp_law *law, int32_t unknowns) {
  const int32_t k = p->problem.n_blocks++;
  p->laws[k] = law;
  p->offset[k + 1] = p->offset[k] + unknowns;
  p->problem.n = p->offset[k + 1];
}

static void bounds(golden_source *s, golden_problem *p, int32_t n) {
  p->box.law.size = n;
  for (int32_t i = 0; i < n; i++) {
    p->lower[i] = golden_integer(s, -8, 0) / 4.0;
    p->upper[i] = p->lower[i] + golden_integer(s, 0, 8) / 4.0;
  }
}

static void cones(golden_problem *p, int32_t contacts, int32_t size, double mu) {
  p->friction.law.size = size;
  p->friction.mu = mu;
  block(p, &p->friction.law, contacts * size);
}

static void rolling(golden_problem *p, int32_t contacts, int32_t size) {
  p->rolling.law.size = size;
  p->rolling.mu = 0.5;
  p->rolling.mu_rolling = 0.125;
  block(p, &p->rolling.law, contacts * size);
}

/* ---- families ---- */

static void lcp_definite(golden_source *s, golden_problem *p, int32_t k) {
  block(p, &p->complementarity.law, 3 + 5 * k);
  golden_product(s, p->M, p->problem.n, p->problem.n, 0.5);
}

static void lcp_semidefinite(golden_source *s, golden_problem *p, int32_t k) {
  block(p, &p->complementarity.law, 4 + 3 * k);
  golden_product(s, p->M, p->problem.n, 2 + k, 0);
}

static void lcp_monotone(golden_source *s, golden_problem *p, int32_t k) {
  block(p, &p->complementarity.law, 4 + 4 * k);
  golden_product(s, p->M, p->problem.n, p->problem.n / 2 + 1, 0);
  skew(s, p, 0.5);
}

/* Half of q is 0, see below. */
static void lcp_degenerate(golden_source *s, golden_problem *p, int32_t k) {
  lcp_definite(s, p, k);
}

/* M is copositive, and far from symmetric. */
static void lcp_positive(golden_source *s, golden_problem *p, int32_t k) {
  block(p, &p->complementarity.law, 3 + 3 * k);
  const int32_t n = p->problem.n;
  for (int32_t i = 0; i < n * n; i++)
    p->M[i] = i % (n + 1) == 0 ? 1 : golden_integer(s, 0, 12) / 4.0;
}

static void lcp_band(golden_source *s, golden_problem *p, int32_t k) {
  block(p, &p->complementarity.law, 10 + 5 * k);
  band(s, p, 2);
}

static void mixed(golden_source *s, golden_problem *p, int32_t k) {
  block(p, &p->equality.law, 2 + k);
  block(p, &p->complementarity.law, 3 + 3 * k);
  golden_product(s, p->M, p->problem.n, p->problem.n, 1);
}

static void relay(golden_source *s, golden_problem *p, int32_t k) {
  bounds(s, p, 4 + 4 * k);
  block(p, &p->box.law, 4 + 4 * k);
  golden_product(s, p->M, p->problem.n, p->problem.n, 0.5);
  if (k % 2 == 1) skew(s, p, 0.25);
}

static void intervals(golden_source *s, golden_problem *p, int32_t k) {
  bounds(s, p, 3 + k);
  block(p, &p->equality.law, 1 + k);
  block(p, &p->box.law, 3 + k);
  block(p, &p->complementarity.law, 2 + 2 * k);
  band(s, p, 4);
}

static void friction_plane(golden_source *s, golden_problem *p, int32_t k) {
  cones(p, 2 + 2 * k, 2, 0.25 + 0.125 * k);
  golden_product(s, p->M, p->problem.n, p->problem.n, 0.5);
}

static void friction_space(golden_source *s, golden_problem *p, int32_t k) {
  cones(p, 1 + 2 * k, 3, 0.25 + 0.125 * k);
  golden_product(s, p->M, p->problem.n, p->problem.n, 0.5);
}

/* By the law that is little code. */
static void friction_small(golden_source *s, golden_problem *p, int32_t k) {
  p->small.law.size = 2 + k % 2;
  p->small.mu = 0.5;
  block(p, &p->small.law, (2 + k) * p->small.law.size);
  golden_product(s, p->M, p->problem.n, p->problem.n, 0.5);
}

/* More contacts than velocities, as in piles. */
static void friction_singular(golden_source *s, golden_problem *p, int32_t k) {
  cones(p, 2 + k, 3, 0.375);
  golden_product(s, p->M, p->problem.n, p->problem.n - 2, 0);
}

static void friction_chain(golden_source *s, golden_problem *p, int32_t k) {
  cones(p, 4 + k, 3, 0.75);
  band(s, p, 4);
}

static void friction_mixed(golden_source *s, golden_problem *p, int32_t k) {
  block(p, &p->equality.law, 1 + k);
  cones(p, 2 + k, 3, 0.5);
  block(p, &p->complementarity.law, 2);
  golden_product(s, p->M, p->problem.n, p->problem.n, 1);
}

static void rolling_plane(golden_source *s, golden_problem *p, int32_t k) {
  rolling(p, 1 + k, 3);
  golden_product(s, p->M, p->problem.n, p->problem.n, 0.5);
}

static void rolling_space(golden_source *s, golden_problem *p, int32_t k) {
  rolling(p, 1 + k, 5);
  golden_product(s, p->M, p->problem.n, p->problem.n, 0.5);
}

/* H λ >= K with 0 inside. */
static void polyhedra(golden_source *s, golden_problem *p, int32_t k) {
  const int32_t n = 3 + k, rows = 4 + k;
  p->polyhedron.law.size = n;
  p->polyhedron.H = perp_dense(rows, n, p->H);
  p->polyhedron.K = p->K;
  for (int32_t i = 0; i < rows * n; i++) p->H[i] = golden_integer(s, -4, 4) / 2.0;
  for (int32_t i = 0; i < rows; i++) p->K[i] = -golden_integer(s, 1, 8) / 4.0;
  block(p, &p->polyhedron.law, n);
  golden_product(s, p->M, p->problem.n, p->problem.n, 0.5);
}

static const struct {
  const char *name;
  void (*make)(golden_source *s, golden_problem *p, int32_t k);
} families[GOLDEN_FAMILIES] = {{"lcp-definite", lcp_definite},
                               {"lcp-semidefinite", lcp_semidefinite},
                               {"lcp-monotone", lcp_monotone},
                               {"lcp-degenerate", lcp_degenerate},
                               {"lcp-positive", lcp_positive},
                               {"lcp-band", lcp_band},
                               {"mixed", mixed},
                               {"relay", relay},
                               {"intervals", intervals},
                               {"friction-plane", friction_plane},
                               {"friction-space", friction_space},
                               {"friction-singular", friction_singular},
                               {"friction-chain", friction_chain},
                               {"friction-mixed", friction_mixed},
                               {"rolling-plane", rolling_plane},
                               {"rolling-space", rolling_space},
                               {"polyhedra", polyhedra},
                               {"friction-small", friction_small}};

const char *golden_family(int32_t family) { return families[family].name; }

void golden_problem_init(golden_problem *p, int32_t family, int32_t instance) {
  golden_source s = golden_source_start(100 * family + instance);
  const perp_problem none = PERP_PROBLEM_INIT;
  memset(p, 0, sizeof *p);
  p->problem = none;
  (void)perp_equality_init(&p->equality, sizeof p->equality);
  (void)perp_complementarity_init(&p->complementarity, sizeof p->complementarity);
  (void)perp_box_init(&p->box, sizeof p->box);
  p->box.lower = p->lower;
  p->box.upper = p->upper;
  (void)perp_polyhedron_init(&p->polyhedron, sizeof p->polyhedron);
  (void)perp_friction_init(&p->friction, sizeof p->friction);
  (void)perp_friction_small_init(&p->small, sizeof p->small);
  (void)perp_rolling_init(&p->rolling, sizeof p->rolling);
  families[family].make(&s, p, instance);
  random_q(&s, p);
  p->problem.q = p->q;
  p->problem.laws = p->laws;
  p->problem.offset = p->offset;
  if (families[family].make == lcp_degenerate)
    for (int32_t i = 0; i < p->problem.n; i += 2) p->q[i] = 0;
  if (instance % 2 == 1)
    compress(p);
  else
    p->problem.M = perp_dense(p->problem.n, p->problem.n, p->M);
}
