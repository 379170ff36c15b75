/* SPDX-License-Identifier: MIT */
/* Interactions of a plant at a point: values, gains G = M⁻¹B, biases. */
#include "events/plant_relation.h"

#include <string.h>

#include "base/finite.h"
#include "events/room.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "model/bias.h"
#include "model/head.h"
#include "model/relation_call.h"

static int is_constant(const perp_relation *relation) { return relation->ops->terms != NULL; }

/* ------------------------------------------------------------------------- layout ---- */

void perp_plant_interaction_carve(arena *a, const perp_model *model,
                                  const perp_interaction *interaction, plant_interaction *at) {
  const perp_relation *relation = interaction->relation;
  const size_t m = (size_t)relation->m, n = (size_t)relation->n;
  double **const of_m[] = {&at->lambda, &at->y, &at->ydot, &at->gamma, NULL};
  double **const of_mn[] = {&at->H, &at->B, &at->G, NULL};
  memset(at, 0, sizeof *at);
  at->relation = relation;
  at->law = interaction->law;
  at->systems = interaction->systems;
  at->n_systems = interaction->n_systems;
  at->m = relation->m;
  at->n = relation->n;
  at->order = model->systems[interaction->systems[0]]->ops->order;
  at->copies = relation->m / interaction->law->size;
  at->varying = !is_constant(relation);
  at->linear = !at->varying;
  at->fixed = !at->varying;
  for (int32_t s = 0; s < at->n_systems; s++) {
    const perp_system *system = model->systems[at->systems[s]];
    if (at->order == 2) at->n_q += system->n + system->ops->extra_q;
    if (system_is_varying(system) && (at->order == 1 || system->ops->constant_mass == 0))
      at->fixed = 0;
  }
  at->joined = (const perp_system **)arena_take(a, (size_t)at->n_systems, sizeof *at->joined);
  for (int32_t s = 0; at->joined != NULL && s < at->n_systems; s++)
    at->joined[s] = model->systems[at->systems[s]];
  at->column = room_ints(a, n);
  arena_take_doubles(a, m, of_m);
  arena_take_doubles(a, m * n, of_mn);
  at->D = room_doubles(a, m * m);
  at->r = room_doubles(a, n);
}

size_t perp_plant_interaction_doubles(const plant_interaction *at,
                                      const perp_system *const *joined) {
  const perp_relation_ops *ops = at->relation->ops;
  const size_t evaluate = ops->scratch_doubles == NULL ? 0 : ops->scratch_doubles(at->relation);
  const size_t bias = perp_relation_bias_doubles(at->relation, joined, at->n_systems);
  /* K of order 1 is written beside, and not used */
  const size_t K = at->order == 1 ? (size_t)at->n * (size_t)at->n : 0;
  return K + (evaluate > bias ? evaluate : bias);
}

void perp_plant_interaction_start(plant *p, int32_t index) {
  plant_interaction *at = &p->interactions[index];
  const size_t m = (size_t)at->m, n = (size_t)at->n;
  int32_t column = 0;
  for (int32_t s = 0; s < at->n_systems; s++) {
    const plant_system *system = &p->systems[at->systems[s]];
    for (int32_t i = 0; i < system->n; i++) at->column[column++] = (int32_t)system->w0 + i;
  }
  if (at->varying) return;
  perp_relation_terms terms;
  at->relation->ops->terms(at->relation, &terms);
  if (terms.H != NULL)
    memcpy(at->H, terms.H, m * n * sizeof(double));
  else
    perp_matrix_to_dense(&terms.H_rows, at->H, at->m);
  at->compliant = at->order == 1 && terms.D != NULL;
  if (terms.D != NULL) memcpy(at->D, terms.D, m * m * sizeof(double));
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      if (at->order == 2) at->B[j + i * n] = at->H[i + j * m];
  if (at->order == 1 && terms.B != NULL) memcpy(at->B, terms.B, n * m * sizeof(double));
}

/* ------------------------------------------------------------------------- values ---- */

static perp_relation_point point_of(plant *p, const plant_interaction *at) {
  double *q = p->gather_q, *w = p->gather_w;
  for (int32_t s = 0; s < at->n_systems; s++) {
    const plant_system *system = &p->systems[at->systems[s]];
    if (at->order == 2) {
      memcpy(q, p->q + system->q0, (size_t)system->n_q * sizeof *q);
      q += system->n_q;
    }
    memcpy(w, p->w + system->w0, (size_t)system->n * sizeof *w);
    w += system->n;
  }
  /* h = 1: what scales by the length of the step is a force */
  const perp_relation_point point = {
      p->t, 1, at->order == 2 ? p->gather_q : NULL, p->gather_w, at->lambda, at->lambda, 1};
  return point;
}

static void constant_values(plant *p, plant_interaction *at) {
  const perp_relation_point point = point_of(p, at);
  const size_t m = (size_t)at->m, n = (size_t)at->n;
  perp_relation_terms terms;
  at->relation->ops->terms(at->relation, &terms);
  memset(at->y, 0, m * sizeof *at->y);
  if (terms.b != NULL) memcpy(at->y, terms.b, m * sizeof *at->y);
  if (terms.F != NULL && terms.z != NULL)
    perp_dense_multiply_add(at->m, terms.n_z, terms.F, at->m, terms.z, at->y);
  perp_dense_multiply_add(at->m, at->n, at->H, at->m, at->order == 2 ? point.q : point.v, at->y);
  if (at->order == 2) {
    memset(at->ydot, 0, m * sizeof *at->ydot);
    perp_dense_multiply_add(at->m, at->n, at->H, at->m, point.v, at->ydot);
    return;
  }
  perp_dense_multiply_add(at->m, at->m, at->D, at->m, at->lambda, at->y);
  memset(at->r, 0, n * sizeof *at->r);
  if (terms.a != NULL) memcpy(at->r, terms.a, n * sizeof *at->r);
  perp_dense_multiply_add(at->n, at->m, at->B, at->n, at->lambda, at->r);
}

static int32_t varying_values(plant *p, plant_interaction *at) {
  const perp_relation_point point = point_of(p, at);
  const size_t m = (size_t)at->m, n = (size_t)at->n;
  const int first = at->order == 1;
  double *K = first ? p->scratch : NULL;
  const perp_relation_values out = {
      at->y, first ? NULL : at->ydot, at->H, at->D, first ? at->r : NULL, first ? at->B : NULL, K};
  memset(at->y, 0, m * sizeof *at->y);
  memset(at->ydot, 0, m * sizeof *at->ydot);
  memset(at->H, 0, m * n * sizeof *at->H);
  memset(at->D, 0, m * m * sizeof *at->D);
  memset(at->r, 0, n * sizeof *at->r);
  memset(at->B, 0, n * m * sizeof *at->B);
  if (K != NULL) memset(K, 0, n * n * sizeof *K);
  double *scratch = p->scratch + (first ? n * n : 0);
  int32_t code = at->relation->ops->evaluate(at->relation, &point, &out, scratch);
  if (code == 0) code = perp_relation_fine_C(at->relation, &point, at->H, scratch);
  if (code != 0)
    return perp_plant_refuse(p, PERP_OF_INTERACTION, code < 0 ? PERP_ECALLBACK : PERP_RETRY,
                             "relation", at->number, code);
  const callback_site site = {NULL, at->relation, point.t, point.q, point.v, point.lambda};
  if (perp_plant_finite(p, PERP_OF_INTERACTION, m, at->y, &site, "y", at->number) != 0 ||
      perp_plant_finite(p, PERP_OF_INTERACTION, m, at->ydot, &site, "ydot", at->number) != 0 ||
      perp_plant_finite(p, PERP_OF_INTERACTION, m * n, at->H, &site, first ? "C" : "H",
                        at->number) != 0 ||
      perp_plant_finite(p, PERP_OF_INTERACTION, n, at->r, &site, "r", at->number) != 0)
    return 1;
  for (size_t i = 0; !first && i < m; i++)
    for (size_t j = 0; j < n; j++) at->B[j + i * n] = at->H[i + j * m];
  return 0;
}

/* ------------------------------------------------------------------ gains, biases ---- */

static int32_t gains(plant *p, plant_interaction *at) {
  const size_t n = (size_t)at->n;
  memcpy(at->G, at->B, n * (size_t)at->m * sizeof *at->G);
  for (int32_t row = 0; row < at->m; row++) {
    double *column = at->G + (size_t)row * n;
    for (int32_t s = 0; s < at->n_systems; s++) {
      const plant_system *system = &p->systems[at->systems[s]];
      if (perp_plant_solve_mass(p, at->systems[s], column) != PERP_OK)
        return perp_plant_refuse(p, PERP_OF_SYSTEM, PERP_EBACKEND, "M", system->number, -1);
      column += system->n;
    }
  }
  return 0;
}

static int32_t biases(plant *p, plant_interaction *at) {
  const size_t m = (size_t)at->m;
  memset(at->gamma, 0, m * sizeof *at->gamma);
  if (!at->varying) return 0;
  const perp_relation_point point = point_of(p, at);
  const int32_t code =
      perp_relation_bias(at->relation, at->joined, at->n_systems, &point, at->gamma, p->scratch);
  if (code != 0)
    return perp_plant_refuse(p, PERP_OF_INTERACTION, code < 0 ? PERP_ECALLBACK : PERP_RETRY,
                             "relation", at->number, code);
  const callback_site site = {NULL, at->relation, point.t, point.q, point.v, point.lambda};
  return perp_plant_finite(p, PERP_OF_INTERACTION, m, at->gamma, &site, "bias", at->number);
}

int32_t perp_plant_need(plant *p, int32_t index, unsigned what) {
  plant_interaction *at = &p->interactions[index];
  const unsigned lacks = (what | (what & PLANT_GAIN ? (unsigned)PLANT_VALUES : 0u)) & ~at->has;
  int32_t code = 0;
  if ((lacks & PLANT_VALUES) != 0) {
    if (at->varying)
      code = varying_values(p, at);
    else
      constant_values(p, at);
  }
  if (code == 0 && (lacks & PLANT_GAIN) != 0) code = gains(p, at);
  if (code == 0 && (lacks & PLANT_BIAS) != 0) code = biases(p, at);
  if (code == 0) at->has |= what | (lacks & PLANT_VALUES);
  return code;
}

void perp_plant_set_lambda(plant *p, int32_t index, const double *lambda) {
  plant_interaction *at = &p->interactions[index];
  memcpy(at->lambda, lambda, (size_t)at->m * sizeof *lambda);
  at->has &= at->fixed ? (unsigned)(PLANT_GAIN | PLANT_BIAS) : (unsigned)PLANT_BIAS;
}

double perp_plant_row(const plant_interaction *at, int32_t row, const double *x) {
  double sum = 0;
  for (int32_t j = 0; j < at->n; j++)
    sum += at->H[(size_t)row + (size_t)j * (size_t)at->m] * x[at->column[j]];
  return sum;
}

void perp_plant_add_gain(const plant_interaction *at, int32_t row, double a, double *x) {
  const double *column = at->G + (size_t)row * (size_t)at->n;
  for (int32_t j = 0; j < at->n; j++) x[at->column[j]] += a * column[j];
}

void perp_plant_clear(const plant_interaction *at, double *x) {
  for (int32_t j = 0; j < at->n; j++) x[at->column[j]] = 0;
}
