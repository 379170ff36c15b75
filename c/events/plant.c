/* SPDX-License-Identifier: MIT */
/* The parts of a plant, and its systems at a point. */
#include "events/plant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/plant_relation.h"
#include "events/room.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "model/check.h"
#include "model/head.h"
#include "perp/sparse.h"

/* ------------------------------------------------------------------------- layout ---- */

static int32_t storage_of(const perp_system *system, const perp_system_terms *terms) {
  return system_is_varying(system) ? PERP_DENSE : terms->M.kind;
}

static void carve_system(arena *a, const perp_system *system, plant_system *s) {
  const size_t n = (size_t)system->n;
  plant_system at;
  memset(&at, 0, sizeof at);
  at.system = system;
  at.n = system->n;
  at.order = system->ops->order;
  at.n_q = at.order == 2 ? system->n + system->ops->extra_q : 0;
  at.varying = system_is_varying(system);
  at.mass_varies = at.varying && at.order == 2 && system->ops->constant_mass == 0;
  if (!at.varying) system->ops->terms(system, &at.terms);
  at.storage = storage_of(system, &at.terms);
  if (at.storage == PERP_DIAGONAL) at.inverse = room_doubles(a, n);
  if (at.storage == PERP_DENSE) {
    at.inverse = room_doubles(a, n * n);
    at.pivots = room_ints(a, n);
  }
  if (s != NULL) *s = at;
}

/* joined: room for the systems of one interaction. */
static void carve(arena *a, plant *p, const perp_system **joined) {
  const perp_model *model = p->model;
  plant_system *systems = (plant_system *)arena_take(a, (size_t)model->n_systems, sizeof *systems);
  plant_interaction *interactions =
      (plant_interaction *)arena_take(a, (size_t)model->n_interactions, sizeof *interactions);
  size_t n_q = 0, n_v = 0, n_x = 0, largest = 1, scratch = 1;
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_system *system = model->systems[i];
    const size_t n = (size_t)system->n;
    carve_system(a, system, systems == NULL ? NULL : &systems[i]);
    if (systems != NULL) systems[i].q0 = n_q, systems[i].w0 = system->ops->order == 2 ? n_v : n_x;
    if (system->ops->order == 2)
      n_q += n + (size_t)system->ops->extra_q, n_v += n;
    else
      n_x += n;
    largest = n > largest ? n : largest;
    const size_t need =
        system->ops->scratch_doubles == NULL ? 0 : system->ops->scratch_doubles(system);
    scratch = need > scratch ? need : scratch;
  }
  for (int32_t i = 0; systems != NULL && i < model->n_systems; i++)
    if (systems[i].order == 1) systems[i].w0 += n_v;
  p->n_q = n_q, p->n_v = n_v, p->n_x = n_x;
  p->n_w = n_v + n_x;
  p->n = n_q + p->n_w;
  size_t row0 = 0, wide_q = 1, wide = 1;
  for (int32_t i = 0; i < model->n_interactions; i++) {
    plant_interaction at;
    perp_plant_interaction_carve(a, model, model->interactions[i], &at);
    at.row0 = row0;
    row0 += (size_t)at.m;
    wide_q = (size_t)at.n_q > wide_q ? (size_t)at.n_q : wide_q;
    wide = (size_t)at.n > wide ? (size_t)at.n : wide;
    for (int32_t s = 0; s < at.n_systems; s++) joined[s] = model->systems[at.systems[s]];
    const size_t need = perp_plant_interaction_doubles(&at, joined);
    scratch = need > scratch ? need : scratch;
    if (interactions != NULL) interactions[i] = at;
  }
  p->rows = row0;
  p->n_systems = model->n_systems, p->n_interactions = model->n_interactions;
  p->systems = systems, p->interactions = interactions;
  p->Y = room_doubles(a, p->n);
  p->q = p->Y, p->w = p->Y == NULL ? NULL : p->Y + n_q;
  p->free = room_doubles(a, p->n_w);
  p->gather_q = room_doubles(a, wide_q);
  p->gather_w = room_doubles(a, wide);
  p->scratch = room_doubles(a, scratch);
  p->scratch_doubles = scratch;
  p->matrix = room_doubles(a, largest * largest + largest);
}

/* ------------------------------------------------------------------------- masses ---- */

int32_t perp_plant_refuse(plant *p, uint32_t of, perp_status status, const char *field,
                          int32_t index, int32_t answer) {
  const int answered = status == PERP_ECALLBACK || status == PERP_RETRY;
  p->status = status, p->of = of, p->field = field, p->index = index;
  p->value = answered ? answer : p->t;
  return answer;
}

int32_t perp_plant_finite(plant *p, uint32_t of, size_t n, const double *x, const callback_site *at,
                          const char *field, int32_t index) {
  const size_t bad = first_not_finite(n, x);
  if (bad == n) return 0;
  (void)perp_plant_refuse(p, of, PERP_ENOTFINITE, field, index, 1);
  p->value = x[bad];
  if (at != NULL)
    (void)perp_callback_blame(at, p->scratch, p->scratch_doubles, &p->field, &p->value);
  return 1;
}

static perp_status factor_dense(plant_system *s) {
  return perp_dense_lu_factor(s->n, s->inverse, s->n, s->pivots);
}

static perp_status factor_constant(plant_system *s) {
  const perp_matrix *M = &s->terms.M;
  const size_t n = (size_t)s->n;
  switch (s->storage) {
    case PERP_DIAGONAL:
      for (size_t i = 0; i < n; i++) {
        s->inverse[i] = 1 / M->values[i];
        if (!is_finite(s->inverse[i])) return PERP_EINVAL;
      }
      return PERP_OK;
    case PERP_DENSE:
      perp_matrix_to_dense(M, s->inverse, s->n);
      return factor_dense(s);
    case PERP_BLOCKS:
      return perp_sparse_klu()->factor(s->n, M->start, M->index, M->values, &s->factor);
    default:
      return PERP_OK;
  }
}

static int32_t factor_varying(plant *p, plant_system *s) {
  const size_t n = (size_t)s->n;
  memset(s->inverse, 0, n * n * sizeof *s->inverse);
  const double *q = s->order == 2 ? p->q + s->q0 : NULL;
  const int32_t code = s->system->ops->mass(s->system, p->t, q, s->inverse, p->scratch);
  if (code != 0)
    return perp_plant_refuse(p, PERP_OF_SYSTEM, code < 0 ? PERP_ECALLBACK : PERP_RETRY, "mass",
                             s->number, code);
  if (perp_plant_finite(p, PERP_OF_SYSTEM, n * n, s->inverse, NULL, "mass", s->number) != 0)
    return 1;
  if (s->order == 2 && !s->judged &&
      perp_check_dense_mass(s->n, s->inverse, p->matrix, s->number, NULL) != PERP_OK)
    return perp_plant_refuse(p, PERP_OF_SYSTEM, PERP_EINVAL, "M", s->number, -1);
  s->judged = 1;
  return factor_dense(s) == PERP_OK
             ? 0
             : perp_plant_refuse(p, PERP_OF_SYSTEM, PERP_EINVAL, "M", s->number, 1);
}

perp_status perp_plant_solve_mass(const plant *p, int32_t index, double *x) {
  const plant_system *s = &p->systems[index];
  switch (s->storage) {
    case PERP_DIAGONAL:
      for (int32_t i = 0; i < s->n; i++) x[i] *= s->inverse[i];
      return PERP_OK;
    case PERP_DENSE:
      perp_dense_lu_solve(s->n, 1, s->inverse, s->n, s->pivots, x, s->n);
      return PERP_OK;
    case PERP_BLOCKS:
      return perp_sparse_klu()->solve(s->factor, x);
    default:
      return PERP_OK;
  }
}

/* ------------------------------------------------------------------------- create ---- */

void perp_plant_destroy(plant *p) {
  if (p == NULL || p->block == NULL) return;
  for (int32_t i = 0; i < p->n_systems; i++)
    if (p->systems[i].factor != NULL) perp_sparse_klu()->release(p->systems[i].factor);
  free(p->block);
  p->block = NULL;
}

perp_status perp_plant_create(plant *p, const component *c, perp_info *info) {
  const perp_model *model = &c->model;
  memset(p, 0, sizeof *p);
  p->model = model;
  p->limit = HUGE_VAL;
  size_t widest = 1;
  for (int32_t i = 0; i < model->n_interactions; i++)
    if ((size_t)model->interactions[i]->n_systems > widest)
      widest = (size_t)model->interactions[i]->n_systems;
  const perp_system **joined = (const perp_system **)calloc(widest, sizeof *joined);
  arena room = arena_measure();
  if (joined != NULL) carve(&room, p, joined);
  p->block = joined != NULL ? room_for(&room) : NULL;
  if (p->block != NULL) carve(&room, p, joined);
  free(joined);
  if (p->block == NULL) return no_room(&room, info);
  for (int32_t i = 0; i < p->n_systems; i++) {
    plant_system *s = &p->systems[i];
    perp_status status = PERP_OK;
    s->number = c->systems[i];
    if (!s->varying)
      status = factor_constant(s);
    else if (!s->mass_varies && factor_varying(p, s) != 0)
      status = p->status;
    if (status != PERP_OK) {
      perp_plant_destroy(p);
      return fail_system(info, status, "M", c->systems[i], 0);
    }
  }
  for (int32_t i = 0; i < p->n_interactions; i++) {
    p->interactions[i].number = c->interactions[i];
    p->interactions[i].whole_row = c->rows[i];
    perp_plant_interaction_start(p, i);
  }
  return PERP_OK;
}

/* -------------------------------------------------------------------------- point ---- */

/* f of a constant system: f + F(t) + A x, or f + F(t) − C v − K q. */
static int32_t constant_force(const plant_system *s, double t, const double *q, const double *v,
                              double *f, double *scratch) {
  const perp_system_terms *terms = &s->terms;
  const size_t n = (size_t)s->n;
  memset(f, 0, n * sizeof *f);
  if (terms->force != NULL) {
    const int32_t code = terms->force(t, f, terms->user);
    if (code != 0) return code;
  }
  for (size_t i = 0; terms->f != NULL && i < n; i++) f[i] += terms->f[i];
  if (terms->A.kind != PERP_ZERO) perp_matrix_multiply_add(&terms->A, v, f);
  if (terms->C.kind == PERP_ZERO && terms->K.kind == PERP_ZERO) return 0;
  memset(scratch, 0, n * sizeof *scratch);
  if (terms->C.kind != PERP_ZERO) perp_matrix_multiply_add(&terms->C, v, scratch);
  if (terms->K.kind != PERP_ZERO) perp_matrix_multiply_add(&terms->K, q, scratch);
  for (size_t i = 0; i < n; i++) f[i] -= scratch[i];
  return 0;
}

static int32_t system_at(plant *p, int32_t index) {
  plant_system *s = &p->systems[index];
  const double *q = s->order == 2 ? p->q + s->q0 : NULL, *w = p->w + s->w0;
  double *f = p->free + s->w0;
  int32_t code;
  if (s->varying) {
    memset(f, 0, (size_t)s->n * sizeof *f);
    code = s->system->ops->force(s->system, p->t, q, w, f, p->scratch);
  } else {
    code = constant_force(s, p->t, q, w, f, p->matrix);
  }
  const char *name = s->order == 1 && !s->varying ? "input" : "force";
  if (code != 0)
    return perp_plant_refuse(p, PERP_OF_SYSTEM, code < 0 ? PERP_ECALLBACK : PERP_RETRY, name,
                             s->number, code);
  const callback_site at = {s->system, NULL, p->t, q, w, NULL};
  if (perp_plant_finite(p, PERP_OF_SYSTEM, (size_t)s->n, f, &at, name, s->number) != 0) return 1;
  if (s->varying && (s->mass_varies || s->order == 1)) code = factor_varying(p, s);
  if (code != 0) return code;
  return perp_plant_solve_mass(p, index, f) == PERP_OK
             ? 0
             : perp_plant_refuse(p, PERP_OF_SYSTEM, PERP_EBACKEND, "M", s->number, -1);
}

void perp_plant_place(plant *p, double t, const double *Y) {
  p->t = t < p->limit ? t : nextafter(p->limit, -HUGE_VAL);
  p->value = p->t;
  if (Y != p->Y) memcpy(p->Y, Y, p->n * sizeof *Y);
  for (int32_t i = 0; i < p->n_interactions; i++) {
    plant_interaction *at = &p->interactions[i];
    at->has = at->fixed ? at->has & (unsigned)PLANT_GAIN : 0;
  }
}

int32_t perp_plant_at(plant *p, double t, const double *Y) {
  perp_plant_place(p, t, Y);
  for (int32_t i = 0; i < p->n_systems; i++) {
    const int32_t code = system_at(p, i);
    if (code != 0) return code;
  }
  return 0;
}

/* ------------------------------------------------------------------------- motion ---- */

void perp_plant_velocity(const plant *p, const double *v, double *qdot) {
  for (int32_t i = 0; i < p->n_systems; i++) {
    const plant_system *s = &p->systems[i];
    if (s->order != 2) continue;
    if (s->system->ops->rate != NULL)
      s->system->ops->rate(s->system, p->q + s->q0, v + s->w0, qdot + s->q0);
    else
      memcpy(qdot + s->q0, v + s->w0, (size_t)s->n * sizeof *qdot);
  }
}

void perp_plant_rate(const plant *p, const double *wdot, double *Ydot) {
  perp_plant_velocity(p, p->w, Ydot);
  memcpy(Ydot + p->n_q, wdot, p->n_w * sizeof *Ydot);
}

void perp_plant_move(const plant *p, const double *d, double *Y) {
  for (int32_t i = 0; i < p->n_systems; i++) {
    const plant_system *s = &p->systems[i];
    if (s->order != 2) continue;
    double *q = Y + s->q0;
    const double *step = d + s->w0;
    if (s->system->ops->move != NULL)
      s->system->ops->move(s->system, q, step, q);
    else
      for (int32_t k = 0; k < s->n; k++) q[k] += step[k];
  }
}

void perp_plant_normalise(const plant *p, double *Y) {
  for (int32_t i = 0; i < p->n_systems; i++) {
    const plant_system *s = &p->systems[i];
    if (s->order != 2 || s->n_q == s->n) continue;
    double *Q = Y + s->q0 + 3;
    const double length = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
    for (int32_t k = 0; k < 4; k++) Q[k] /= length;
  }
}

int32_t perp_plant_apply_A(plant *p, const double *dw, double *out) {
  memset(out, 0, p->n_w * sizeof *out);
  for (int32_t i = 0; i < p->n_systems; i++) {
    const plant_system *s = &p->systems[i];
    const size_t n = (size_t)s->n;
    if (s->order != 1) continue;
    if (s->varying) {
      memset(p->matrix, 0, n * n * sizeof *p->matrix);
      const int32_t code = s->system->ops->jacobians(s->system, p->t, NULL, p->w + s->w0, NULL,
                                                     p->matrix, p->scratch);
      if (code != 0)
        return perp_plant_refuse(p, PERP_OF_SYSTEM, code < 0 ? PERP_ECALLBACK : PERP_RETRY,
                                 "jacobian", s->number, code);
      perp_dense_multiply_add(s->n, s->n, p->matrix, s->n, dw + s->w0, out + s->w0);
    } else if (s->terms.A.kind != PERP_ZERO) {
      perp_matrix_multiply_add(&s->terms.A, dw + s->w0, out + s->w0);
    }
    if (perp_plant_solve_mass(p, i, out + s->w0) != PERP_OK)
      return perp_plant_refuse(p, PERP_OF_SYSTEM, PERP_EBACKEND, "M", s->number, -1);
  }
  return 0;
}
