/* SPDX-License-Identifier: MIT */
#include "events/dae.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "linalg/matrix.h"

static int32_t interaction_of(const engine *e, int32_t k) {
  return e->elements[e->held[k].element].interaction;
}

/* ------------------------------------------------------------------------- begin ---- */

static int compare(const void *a, const void *b) {
  const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
  return (i > j) - (i < j);
}

static void choose_rows(engine *e) {
  dae *d = e->dae;
  d->n_rows = e->n_held > 0 ? e->S.rank : 0;
  d->n_positions = 0;
  if (d->n_rows == 0) return;
  perp_rank_pivots(&e->S, d->row, d->column);
  qsort(d->row, (size_t)d->n_rows, sizeof *d->row, compare);
  qsort(d->column, (size_t)d->n_rows, sizeof *d->column, compare);
  for (int32_t k = 0; k < d->n_rows; k++)
    if (perp_has_position(e, d->row[k])) d->position[d->n_positions++] = d->row[k];
}

static int outputs_are_unknowns(const engine *e) {
  for (int32_t k = 0; k < e->first.n; k++)
    if (e->first.level[k] > 1) return 0;
  return 1;
}

int perp_dae_holds_outputs(const engine *e) {
  return e->dae != NULL && e->dae->n_outputs == e->first.n;
}

/* Tolerance of the integral of a force: it moves no entry of w by more than is allowed there; of a
 * shift of positions likewise. */
static double tolerance_of(const engine *e, const plant_interaction *at, int32_t row, int shifts) {
  double largest = 0, least = HUGE_VAL;
  for (int32_t j = 0; j < at->n; j++)
    largest = fmax(largest, fabs(at->G[(size_t)j + (size_t)row * (size_t)at->n]));
  for (int32_t s = 0; s < at->n_systems; s++) {
    const plant_system *system = &e->p.systems[at->systems[s]];
    const double *atol = e->atol + (shifts ? system->q0 : e->p.n_q + system->w0);
    const int32_t n = shifts ? system->n_q : system->n;
    for (int32_t j = 0; j < n; j++) least = fmin(least, atol[j]);
  }
  return largest > 0 ? least / largest : least;
}

static void choose_tolerances(engine *e) {
  dae *d = e->dae;
  memcpy(d->atol, e->atol, e->p.n * sizeof *d->atol);
  double *atol = d->atol + e->p.n;
  for (int32_t k = 0; k < d->n_rows; k++)
    *atol++ = tolerance_of(e, held_home(e, d->column[k]), e->held[d->column[k]].row, 0);
  for (int32_t k = 0; k < d->n_positions; k++)
    *atol++ = tolerance_of(e, held_home(e, d->position[k]), e->held[d->position[k]].row, 1);
  for (int32_t k = 0; k < d->n_bodies; k++) *atol++ = e->atol[e->p.systems[d->body[k]].q0 + 3];
  for (int32_t k = 0; k < d->n_outputs; k++) {
    const element *x = &e->elements[e->first.element[k]];
    *atol++ = tolerance_of(e, &e->p.interactions[x->interaction], x->row, 0);
  }
}

static int32_t begin(void *context, double t, const double *y, int32_t *n_dae) {
  engine *e = (engine *)context;
  dae *d = e->dae;
  int32_t code = perp_plant_at(&e->p, t, y);
  if (code == 0) code = perp_force(e);
  if (code != 0) return perp_engine_refuses(e, t, code);
  choose_rows(e);
  d->n_outputs = outputs_are_unknowns(e) ? e->first.n : 0;
  d->n = (int32_t)dae_outputs(e) + d->n_outputs;
  perp_plant_rate(&e->p, e->wdot, d->zdot);
  double *multiplier = d->zdot + e->p.n;
  for (int32_t k = 0; k < d->n_rows; k++)
    *multiplier++ = e->lambda[held_home(e, d->column[k])->row0 + (size_t)e->held[d->column[k]].row];
  for (int32_t k = 0; k < d->n_positions + d->n_bodies; k++) *multiplier++ = 0;
  for (int32_t k = 0; k < d->n_outputs; k++) {
    const element *x = &e->elements[e->first.element[k]];
    *multiplier++ = e->lambda[e->p.interactions[x->interaction].row0 + (size_t)x->row];
  }
  choose_tolerances(e);
  *n_dae = d->n;
  return 0;
}

static void consistent(void *context, double *z, double *zdot, double *atol) {
  const engine *e = (const engine *)context;
  const dae *d = e->dae;
  const size_t n = (size_t)d->n;
  memcpy(z, e->p.Y, e->p.n * sizeof *z);
  memset(z + e->p.n, 0, (n - e->p.n) * sizeof *z);
  memcpy(zdot, d->zdot, n * sizeof *zdot);
  memcpy(atol, d->atol, n * sizeof *atol);
}

/* ---------------------------------------------------------------------- residual ---- */

/* F (n) := Ẏ of the equations with the multipliers given. */
static int32_t rates(engine *e, const double *multipliers, double *F) {
  const dae *d = e->dae;
  plant *p = &e->p;
  const double *lambda = multipliers, *mu = lambda + d->n_rows, *kappa = mu + d->n_positions;
  int32_t code = 0;
  memcpy(e->wdot, p->free, p->n_w * sizeof *e->wdot);
  code = perp_force_known(e);
  memcpy(d->v, p->w, p->n_v * sizeof *d->v);
  for (int32_t k = 0; k < d->n_rows && code == 0; k++)
    code = perp_plant_need(p, interaction_of(e, d->row[k]), PLANT_VALUES | PLANT_GAIN);
  for (int32_t k = 0; k < d->n_rows && code == 0; k++) {
    code = perp_plant_need(p, interaction_of(e, d->column[k]), PLANT_VALUES | PLANT_GAIN);
    if (code == 0) perp_force_add_column(e, d->column[k], lambda[k], e->wdot);
  }
  for (int32_t k = 0; k < d->n_positions && code == 0; k++)
    perp_plant_add_gain(held_home(e, d->position[k]), e->held[d->position[k]].row, mu[k], d->v);
  if (code == 0 && p->n_x > 0)
    code = perp_dae_holds_outputs(e) ? perp_first_order_rates(e, kappa + d->n_bodies, e->wdot)
                                     : perp_first_order_force(e);
  if (code != 0) return code;
  perp_plant_velocity(p, d->v, F);
  memcpy(F + p->n_q, e->wdot, p->n_w * sizeof *F);
  for (int32_t k = 0; k < d->n_bodies; k++) {
    const size_t at = p->systems[d->body[k]].q0 + 3;
    for (size_t i = at; i < at + 4; i++) F[i] += kappa[k] * p->q[i];
  }
  return 0;
}

static void multiply(const perp_matrix *M, double *x, double *scratch) {
  const size_t n = (size_t)M->rows;
  memset(scratch, 0, n * sizeof *scratch);
  perp_matrix_multiply_add(M, x, scratch);
  memcpy(x, scratch, n * sizeof *x);
}

/* Equations of a sparse mass are multiplied by it, or their Jacobian would be full. */
static void weigh(engine *e, double *F) {
  for (int32_t i = 0; i < e->p.n_systems; i++) {
    const plant_system *s = &e->p.systems[i];
    if (s->storage != PERP_BLOCKS) continue;
    multiply(&s->terms.M, F + e->p.n_q + s->w0, e->dae->r);
    if (s->order == 2) multiply(&s->terms.M, F + s->q0, e->dae->r);
  }
}

static int32_t residual(void *context, double t, const double *z, const double *zdot, double *F) {
  engine *e = (engine *)context;
  const dae *d = e->dae;
  int32_t code = perp_plant_at(&e->p, t, z);
  if (code == 0) code = rates(e, zdot + e->p.n, F);
  if (code != 0) return perp_engine_refuses(e, t, code);
  for (size_t k = 0; k < e->p.n; k++) F[k] = zdot[k] - F[k];
  weigh(e, F);
  double *equation = F + e->p.n;
  for (int32_t k = 0; k < d->n_rows; k++)
    *equation++ = held_home(e, d->row[k])->ydot[e->held[d->row[k]].row];
  for (int32_t k = 0; k < d->n_positions; k++)
    *equation++ = held_home(e, d->position[k])->y[e->held[d->position[k]].row];
  for (int32_t k = 0; k < d->n_bodies; k++) {
    const double *Q = e->p.q + e->p.systems[d->body[k]].q0 + 3;
    *equation++ = 0.5 * (Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3] - 1);
  }
  for (int32_t k = 0; k < d->n_outputs; k++) {
    const element *x = &e->elements[e->first.element[k]];
    *equation++ = e->p.interactions[x->interaction].y[x->row];
  }
  return 0;
}

/* -------------------------------------------------------------------------- room ---- */

static void carve(arena *a, const engine *e, dae *d) {
  const size_t rows = e->p.rows, bodies = (size_t)e->p.n_systems;
  const size_t n = e->p.n + 2 * rows + bodies;
  d->row = room_ints(a, rows);
  d->column = room_ints(a, rows);
  d->position = room_ints(a, rows);
  d->body = room_ints(a, bodies);
  d->zdot = room_doubles(a, n);
  d->atol = room_doubles(a, n);
  d->v = room_doubles(a, e->p.n_w);
  d->r = room_doubles(a, e->p.n);
}

perp_status perp_dae_open(engine *e, perp_info *info) {
  dae *d = (dae *)calloc(1, sizeof *d);
  arena room = arena_measure();
  if (d == NULL) return fail(info, PERP_EBACKEND, "memory", -1, (double)sizeof *d);
  e->dae = d;
  carve(&room, e, d);
  d->block = room_for(&room);
  if (d->block == NULL) return no_room(&room, info);
  carve(&room, e, d);
  for (int32_t i = 0; i < e->p.n_systems; i++)
    if (e->p.systems[i].n_q > e->p.systems[i].n) d->body[d->n_bodies++] = i;
  e->equations.dae_begin = begin;
  e->equations.residual = residual;
  e->equations.dae_consistent = consistent;
  e->equations.dae_structure = perp_dae_structure;
  return PERP_OK;
}

void perp_dae_close(engine *e) {
  if (e->dae == NULL) return;
  free(e->dae->block);
  free(e->dae);
  e->dae = NULL;
}
