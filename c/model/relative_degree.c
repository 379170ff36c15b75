/* SPDX-License-Identifier: MIT */
/* The relative degree of the rows of a relation: how often y has to be differentiated until λ
 * shows.
 *
 *   order 1:  0 if row i of D is not 0, else the first k with (H A^{k−1} M⁻¹B)_i ≠ 0 where
 *             A = M⁻¹(∂f/∂x + K),  M, A of all systems joined;
 *   order 2:  0 if y depends on λ, 1 if ẏ does, else 2 where H_i ≠ 0, since H M⁻¹Hᵀ has a positive
 *             diagonal there; one less for rows without a position.
 *
 * An entry counts as 0 below 1e-7 of the terms it is a sum of. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "model/head.h"
#include "perp/check.h"

typedef struct site {
  const perp_model *model;
  const perp_interaction *inter;
  double t;
  double *q, *v, *lambda;
  perp_relation_values at;
  double *X, *Y; /* n x m: A^{k−1} M⁻¹B, and what it becomes */
  double *M, *A; /* of one system                          */
  int32_t *pivots;
  double *scratch;
  int32_t n, n_q, m, order, number;
} site;

static double *take(arena *a, size_t count) {
  return (double *)arena_take(a, count, sizeof(double));
}

static const perp_system *system_at(const site *s, int32_t k) {
  return s->model->systems[s->inter->systems[k]];
}

static void carve(arena *a, site *s) {
  const perp_relation_ops *ops = s->inter->relation->ops;
  const size_t n = (size_t)s->inter->relation->n, m = (size_t)s->inter->relation->m;
  size_t n_q = 0, largest = 0, scratch = 0;
  for (int32_t k = 0; k < s->inter->n_systems; k++) {
    const perp_system *system = system_at(s, k);
    n_q += (size_t)system->n + (size_t)system->ops->extra_q;
    largest = (size_t)system->n > largest ? (size_t)system->n : largest;
    if (system->ops->scratch_doubles != NULL && system_is_varying(system)) {
      const size_t need = system->ops->scratch_doubles(system);
      scratch = need > scratch ? need : scratch;
    }
  }
  if (ops->scratch_doubles != NULL) {
    const size_t need = ops->scratch_doubles(s->inter->relation);
    scratch = need > scratch ? need : scratch;
  }
  s->n = (int32_t)n;
  s->m = (int32_t)m;
  s->n_q = (int32_t)n_q;
  s->order = ops->order;
  s->q = take(a, n_q);
  s->v = take(a, n);
  s->lambda = take(a, m);
  s->at.y = take(a, m);
  s->at.ydot = take(a, m);
  s->at.H = take(a, m * n);
  s->at.D = take(a, m * m);
  s->scratch = take(a, scratch);
  if (s->order == 2) return;
  s->at.r = take(a, n);
  s->at.B = take(a, n * m);
  s->at.K = take(a, n * n);
  s->X = take(a, n * m);
  s->Y = take(a, n * m);
  s->M = take(a, largest * largest);
  s->A = take(a, largest * largest);
  s->pivots = (int32_t *)arena_take(a, largest, sizeof(int32_t));
}

/* The vectors of the joined systems, from those of all or the initial ones. */
static void gather(site *s, const double *q, const double *v, const double *x) {
  const perp_model *model = s->model;
  const double *all[2] = {x != NULL ? x : model->x0, v != NULL ? v : model->v0};
  const double *all_q = q != NULL ? q : model->q0;
  size_t at = 0, at_q = 0;
  for (int32_t k = 0; k < s->inter->n_systems; k++) {
    size_t offset[2] = {0, 0}, offset_q = 0;
    for (int32_t i = 0; i < s->inter->systems[k]; i++) {
      const perp_system *before = model->systems[i];
      offset[before->ops->order - 1] += (size_t)before->n;
      if (before->ops->order == 2) offset_q += (size_t)before->n + (size_t)before->ops->extra_q;
    }
    const perp_system *system = system_at(s, k);
    const int32_t order = system->ops->order, n_q = system->n + system->ops->extra_q;
    const double *from = all[order - 1];
    for (int32_t i = 0; i < system->n; i++)
      s->v[at++] = from != NULL ? from[offset[order - 1] + (size_t)i] : 0;
    for (int32_t i = 0; order == 2 && i < n_q; i++)
      s->q[at_q++] = all_q != NULL ? all_q[offset_q + (size_t)i] : 0;
  }
  for (int32_t i = 0; i < s->m; i++) s->lambda[i] = 1 + (double)(i % 7) / 8;
}

static void set(double *to, const double *from, size_t n) {
  if (to != NULL && from != NULL) memcpy(to, from, n * sizeof *to);
}

/* H, D, B, K of the relation. */
static perp_status evaluate(site *s, perp_info *info) {
  const perp_relation *relation = s->inter->relation;
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  memset(s->at.y, 0, m * sizeof(double));
  memset(s->at.ydot, 0, m * sizeof(double));
  memset(s->at.H, 0, m * n * sizeof(double));
  memset(s->at.D, 0, m * m * sizeof(double));
  if (s->order == 1) {
    memset(s->at.r, 0, n * sizeof(double));
    memset(s->at.B, 0, n * m * sizeof(double));
    memset(s->at.K, 0, n * n * sizeof(double));
  }
  if (relation->ops->terms != NULL) {
    perp_relation_terms t;
    relation->ops->terms(relation, &t);
    if (t.H_rows.kind != PERP_ZERO) perp_matrix_to_dense(&t.H_rows, s->at.H, s->m);
    set(s->at.H, t.H, m * n);
    set(s->at.D, t.D, m * m);
    set(s->at.B, t.B, n * m);
    return PERP_OK;
  }
  const perp_relation_point point = {s->t,      1, s->order == 2 ? s->q : NULL, s->v, s->lambda,
                                     s->lambda, 1};
  const uint32_t has = relation->ops->features != NULL ? relation->ops->features(relation) : 0;
  perp_relation_values out = s->at;
  if ((has & PERP_RELATION_D) == 0) out.D = NULL;
  if ((has & PERP_RELATION_K) == 0) out.K = NULL;
  if (s->order == 2) out.r = out.B = out.K = NULL;
  if (s->order == 1) out.ydot = NULL;
  const int32_t code = relation->ops->evaluate(relation, &point, &out, s->scratch);
  if (code == 0) return PERP_OK;
  return fail_interaction(info, code < 0 ? PERP_ECALLBACK : PERP_RETRY, "relation", s->number,
                          code);
}

static int row_is_zero(const double *A, size_t rows, size_t columns, size_t i) {
  for (size_t j = 0; j < columns; j++)
    if (A[i + rows * j] != 0) return 0;
  return 1;
}

static void second_order(const site *s, int32_t *degree) {
  const perp_relation_ops *ops = s->inter->relation->ops;
  const int holonomic = ops->terms != NULL || ops->features == NULL ||
                        (ops->features(s->inter->relation) & PERP_RELATION_HOLONOMIC) != 0;
  for (int32_t i = 0; i < s->m; i++) {
    const int feeds = !row_is_zero(s->at.D, (size_t)s->m, (size_t)s->m, (size_t)i);
    if (feeds)
      degree[i] = ops->terms != NULL ? 1 : 0; /* D of a constant relation is one of ẏ */
    else if (!row_is_zero(s->at.H, (size_t)s->m, (size_t)s->n, (size_t)i))
      degree[i] = holonomic ? 2 : 1;
    else
      degree[i] = -1;
  }
}

/* M (1) or ∂f/∂x (0) of system k, whose states begin at v; 0 before. */
static perp_status operator_of(site *s, int32_t k, const double *v, int mass, double *out,
                               perp_info *info) {
  const perp_system *system = system_at(s, k);
  const size_t n = (size_t)system->n;
  memset(out, 0, n * n * sizeof *out);
  if (!system_is_varying(system)) {
    perp_system_terms t;
    system->ops->terms(system, &t);
    const perp_matrix *A = mass ? &t.M : &t.A;
    if (A->kind != PERP_ZERO) perp_matrix_to_dense(A, out, system->n);
    for (size_t i = 0; mass && A->kind == PERP_ZERO && i < n; i++) out[i * (n + 1)] = 1;
    return PERP_OK;
  }
  const int32_t code = mass ? system->ops->mass(system, s->t, NULL, out, s->scratch)
                            : system->ops->jacobians(system, s->t, NULL, v, NULL, out, s->scratch);
  if (code == 0) return PERP_OK;
  return fail_system(info, code < 0 ? PERP_ECALLBACK : PERP_RETRY, mass ? "mass" : "jacobian",
                     s->inter->systems[k], code);
}

/* Y := M⁻¹ Z by systems, where Z is in Y. */
static perp_status divide(site *s, perp_info *info) {
  size_t at = 0;
  for (int32_t k = 0; k < s->inter->n_systems; k++) {
    const int32_t n = system_at(s, k)->n;
    perp_status status = operator_of(s, k, s->v + at, 1, s->M, info);
    if (status != PERP_OK) return status;
    status = perp_dense_lu_factor(n, s->M, n, s->pivots);
    if (status != PERP_OK) return fail_system(info, PERP_EINVAL, "M", s->inter->systems[k], 0);
    perp_dense_lu_solve(n, s->m, s->M, n, s->pivots, s->Y + at, s->n);
    at += (size_t)n;
  }
  return PERP_OK;
}

/* Y := (∂f/∂x + K) X. */
static perp_status advance(site *s, perp_info *info) {
  const size_t n = (size_t)s->n;
  size_t at = 0;
  memset(s->Y, 0, n * (size_t)s->m * sizeof(double));
  for (int32_t k = 0; k < s->inter->n_systems; k++) {
    const int32_t width = system_at(s, k)->n;
    const perp_status status = operator_of(s, k, s->v + at, 0, s->A, info);
    if (status != PERP_OK) return status;
    for (size_t j = 0; j < (size_t)s->m; j++)
      perp_dense_multiply_add(width, width, s->A, width, s->X + n * j + at, s->Y + n * j + at);
    at += (size_t)width;
  }
  for (size_t j = 0; j < (size_t)s->m; j++)
    perp_dense_multiply_add(s->n, s->n, s->at.K, s->n, s->X + n * j, s->Y + n * j);
  return PERP_OK;
}

/* Whether row i of H X is not 0. */
static int reaches(const site *s, int32_t i) {
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  for (size_t j = 0; j < m; j++) {
    double sum = 0, size = 0;
    for (size_t k = 0; k < n; k++) {
      const double term = s->at.H[(size_t)i + m * k] * s->X[k + n * j];
      sum += term;
      size += fabs(term);
    }
    if (fabs(sum) > 1e-7 * size) return 1;
  }
  return 0;
}

static perp_status first_order(site *s, int32_t *degree, perp_info *info) {
  const size_t size = (size_t)s->n * (size_t)s->m;
  int32_t left = 0;
  for (int32_t i = 0; i < s->m; i++) {
    degree[i] = row_is_zero(s->at.D, (size_t)s->m, (size_t)s->m, (size_t)i) ? -1 : 0;
    left += degree[i] < 0;
  }
  memcpy(s->Y, s->at.B, size * sizeof(double));
  for (int32_t k = 1; left > 0 && k <= s->n; k++) {
    perp_status status = k > 1 ? advance(s, info) : PERP_OK;
    if (status == PERP_OK) status = divide(s, info);
    if (status != PERP_OK) return status;
    memcpy(s->X, s->Y, size * sizeof(double));
    for (int32_t i = 0; i < s->m; i++)
      if (degree[i] < 0 && reaches(s, i)) {
        degree[i] = k;
        left--;
      }
  }
  return PERP_OK;
}

size_t perp_model_relative_degree_workspace(const perp_model *model, int32_t interaction) {
  if (perp_model_check(model, NULL) != PERP_OK) return 0;
  if (interaction < 0 || interaction >= model->n_interactions) return 0;
  site s;
  memset(&s, 0, sizeof s);
  s.model = model;
  s.inter = model->interactions[interaction];
  arena a = arena_measure();
  carve(&a, &s);
  return arena_bytes(&a);
}

perp_status perp_model_relative_degree(const perp_model *model, int32_t interaction, double t,
                                       const double *q, const double *v, const double *x,
                                       int32_t *degree, void *work, size_t bytes, perp_info *info) {
  perp_status status = perp_model_check(model, info);
  if (status != PERP_OK) return status;
  if (interaction < 0 || interaction >= model->n_interactions)
    return fail(info, PERP_EINVAL, "interaction", -1, interaction);
  if (degree == NULL) return fail_field(info, "degree", -1);
  site s;
  memset(&s, 0, sizeof s);
  s.model = model;
  s.inter = model->interactions[interaction];
  s.number = interaction;
  s.t = t;
  arena a = arena_open(work, bytes);
  carve(&a, &s);
  if (work == NULL) return fail_field(info, "work", -1);
  if (!arena_fits(&a))
    return fail(info, PERP_EWORKSPACE, "bytes", -1,
                (double)perp_model_relative_degree_workspace(model, interaction));
  gather(&s, q, v, x);
  status = evaluate(&s, info);
  if (status != PERP_OK) return status;
  if (s.order == 1) return first_order(&s, degree, info);
  second_order(&s, degree);
  return PERP_OK;
}
