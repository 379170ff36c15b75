/* SPDX-License-Identifier: MIT */
/* Farkas certificates of interval problems. C is the recession cone of K = prod [l_i, u_i]. At a
 * solution -y is in N_K(lambda), so 0 <= d'y = d'(M lambda + q) for d in C (lambda + d is in K). A
 * d with d'(M lambda + q) < 0 for every lambda in K, which farkas.c decides, shows that there is no
 * solution.
 *
 * At a contact with friction or rolling y_n >= 0 at a solution, so that d_n >= 0 and d_t = 0 serve
 * there, and of lambda it is known that ||lambda_t|| <= mu lambda_n. */
#include "problem/certificate.h"

#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "problem/bounds.h"
#include "problem/farkas.h"

/* Whether d lies in C. NaN does not. */
static int in_cone(const farkas *s) {
  for (int32_t i = 0; i < s->cols; i++) {
    const int down = s->lower[i]<-DBL_MAX, up = s->upper[i]> DBL_MAX;
    if (!(s->d[i] == 0 || (s->d[i] > 0 && up) || (s->d[i] < 0 && down))) return 0;
  }
  return 1;
}

/* Whether the law is friction or rolling; then into how many groups the unknowns after the first
 * fall, and how large these may be for lambda_n = 1. */
static int32_t groups_of(const perp_law *law, double mu[2]) {
  if (law->ops->set == PERP_SET_CONE) {
    mu[0] = ((const perp_friction *)(const void *)law)->mu;
    return 1;
  }
  if (law->ops->set != PERP_SET_ROLLING) return 0;
  mu[0] = ((const perp_rolling *)(const void *)law)->mu;
  mu[1] = ((const perp_rolling *)(const void *)law)->mu_rolling;
  return 2;
}

/* The bounds of d's recession cone: at contacts [0, inf), and 0 behind. */
static void bounds(const perp_problem *p, double *lower, double *upper) {
  double mu[2];
  perp_problem_bounds(p, lower, upper);
  for (int32_t b = 0, i = 0, end; b < p->n_blocks; b++, i = end) {
    const perp_law *law = p->laws[b];
    end = p->offset == NULL ? i + law->size : p->offset[b + 1];
    if (groups_of(law, mu) == 0) continue;
    for (int32_t k = i; k < end; k++) {
      lower[k] = 0;
      if ((k - i) % law->size != 0) upper[k] = 0;
    }
  }
}

/* The tangents of contacts become free, or are folded into the normal. */
static void fold(farkas *s, const perp_problem *p) {
  double mu[2];
  for (int32_t b = 0, i = 0, end; b < p->n_blocks; b++, i = end) {
    const perp_law *law = p->laws[b];
    const int32_t size = law->size, groups = groups_of(law, mu);
    end = p->offset == NULL ? i + size : p->offset[b + 1];
    for (int32_t k = i; groups > 0 && k < end; k += size) {
      for (int32_t t = k + 1; t < k + size; t++) {
        s->lower[t] = -(double)INFINITY;
        s->upper[t] = (double)INFINITY;
      }
      perp_farkas_fold(s, k, groups, (size - 1) / groups, mu);
    }
  }
}

/* Whether d lies in C; then s is ready. Of contacts only normals have a hat, which is 0. */
static int prepare(farkas *s, const perp_problem *p, const double *d, double *scratch,
                   wide_number *hat) {
  perp_farkas_begin(s, p->n, p->n, d, p->q, scratch);
  bounds(p, s->lower, s->upper);
  s->weight = p->weight;
  if (!in_cone(s)) return 0;
  *hat = perp_farkas_hat(s, &p->M, s->sum);
  perp_farkas_add(s, &p->M, 0);
  fold(s, p);
  return 1;
}

void perp_certificate_project(const perp_problem *problem, double *u, double *scratch) {
  if (problem->n == 0) return;
  double *lower = scratch, *upper = scratch + problem->n;
  bounds(problem, lower, upper);
  for (int32_t i = 0; i < problem->n; i++) {
    if ((u[i] > 0 && upper[i] <= DBL_MAX) || (u[i] < 0 && lower[i] >= -DBL_MAX)) u[i] = 0;
  }
}

double perp_certificate_proves(const perp_problem *problem, const double *u, double *scratch) {
  farkas s;
  wide_number hat;
  if (problem->n == 0 || !prepare(&s, problem, u, scratch, &hat)) return 0;
  return perp_farkas_proof(&s, hat);
}

double perp_certificate_margin(const perp_problem *problem, const double *u, double *scratch) {
  farkas s;
  wide_number hat;
  if (problem->n == 0 || !prepare(&s, problem, u, scratch, &hat)) return 0;
  return perp_farkas_margin(&s, hat);
}

double perp_certificate_lcp(int32_t n, const double *M, int32_t ld, const double *q, double *u) {
  for (int32_t i = 0; i < n; i++)
    if (u[i] < 0) u[i] = 0;
  return perp_farkas_orthant(n, M, ld, q, u);
}

perp_status perp_problem_certificate(const perp_problem *problem, const double *u, double *bound,
                                     void *work, size_t work_bytes) {
  const uint32_t known = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX |
                         1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING;
  perp_status status = perp_problem_check(problem, NULL);
  if (status != PERP_OK) return status;
  if (bound == NULL) return PERP_EINVAL;
  *bound = 0;
  if ((perp_problem_sets(problem) & ~known) != 0) return PERP_EUNSUPPORTED;
  if (problem->n == 0) return PERP_INACCURATE;
  if (u == NULL || work == NULL) return PERP_EINVAL;
  arena a = arena_open(work, work_bytes);
  double *scratch = arena_take(&a, certificate_scratch_doubles(problem->n), sizeof *scratch);
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  farkas s;
  wide_number hat;
  if (!prepare(&s, problem, u, scratch, &hat)) return PERP_INACCURATE;
  *bound = perp_farkas_bound(&s);
  return *bound > 0 ? PERP_OK : PERP_INACCURATE;
}
