/* SPDX-License-Identifier: MIT */
/* The loops over equal neighbours that the stages of a step and a steady step have in common. Sums
 * have one order wherever they are made. */
#ifndef PERP_STEPPING_FLAT_H
#define PERP_STEPPING_FLAT_H

#include "stepping/layout.h"

/* Whether a gap may close within γ h. Not (gap > 0), so that a NaN acts and shows in the residual.
 */
static inline int flat_closes(double y, double ydot, double gamma_h, double tol) {
  return !(y + gamma_h * ydot > tol);
}

/* Loops in groups of four are for speed alone, and there are none where size counts. */
#if defined(__OPTIMIZE_SIZE__)
#define FLAT_FOURS(i, n) 0
#else
#define FLAT_FOURS(i, n) ((i) + 4 <= (n))
#endif

/* Dense operators of fewer rows are multiplied in place, with the bits of
 * perp_dense_multiply_add(). */
enum { FLAT_SMALL = 4 };

/* out := v + drift, in groups of four, which every compiler turns into vector code without a
 * prologue that would cost more than a small system's whole step. */
static inline void flat_drift(size_t n, const double *restrict v, const double *restrict drift,
                              double *restrict out) {
  size_t i = 0;
  for (; FLAT_FOURS(i, n); i += 4) {
    out[i] = v[i] + drift[i];
    out[i + 1] = v[i + 1] + drift[i + 1];
    out[i + 2] = v[i + 2] + drift[i + 2];
    out[i + 3] = v[i + 3] + drift[i + 3];
  }
  for (; i < n; i++) out[i] = v[i] + drift[i];
}

/* Free motion under diagonal operators, tile by tile. */
static inline void flat_free_diagonal(const system_run *run, const double *restrict v,
                                      const double *restrict q, double *restrict out) {
  const double *restrict drift = run->drift, *restrict P = run->P, *restrict R = run->R;
  size_t tile = (size_t)run->tile, left = run->size;
  for (; left > 0; v += tile, q += tile, out += tile) {
    size_t length = left < tile ? left : tile;
    left -= length;
    if (P == NULL)
      flat_drift(length, v, drift, out);
    else if (R == NULL)
      for (size_t i = 0; i < length; i++) out[i] = v[i] + (P[i] * v[i] + drift[i]);
    else
      for (size_t i = 0; i < length; i++) out[i] = v[i] + (P[i] * v[i] + R[i] * q[i] + drift[i]);
  }
}

/* q += new_part v_new + old_part v,  v := v_new. */
static inline void flat_commit(double new_part, double old_part, size_t n,
                               const double *restrict v_new, double *restrict v,
                               double *restrict q) {
  size_t i = 0;
  for (; FLAT_FOURS(i, n); i += 4) {
    q[i] += new_part * v_new[i] + old_part * v[i];
    q[i + 1] += new_part * v_new[i + 1] + old_part * v[i + 1];
    q[i + 2] += new_part * v_new[i + 2] + old_part * v[i + 2];
    q[i + 3] += new_part * v_new[i + 3] + old_part * v[i + 3];
    v[i] = v_new[i];
    v[i + 1] = v_new[i + 1];
    v[i + 2] = v_new[i + 2];
    v[i + 3] = v_new[i + 3];
  }
  for (; i < n; i++) {
    q[i] += new_part * v_new[i] + old_part * v[i];
    v[i] = v_new[i];
  }
}

/* A constant run at the end of a step that leads to t_next. */
static inline void flat_commit_run(perp_simulation *sim, system_run *run, double t_next, double h) {
  double *v = sim->state.v + run->v0;
  const double *v_new = sim->step.free_v + run->v0;
  if (run->order == 2)
    flat_commit(h * run->theta, h * (1 - run->theta), run->size, v_new, v, sim->state.q + run->q0);
  else
    memcpy(v, v_new, run->size * sizeof *v);
  if (run->force == NULL) return;
  double *next = run->force_end; /* F(t_{k+1}) is the next step's F(t_k) */
  run->force_end = run->force_begin;
  run->force_begin = next;
  run->t_begin = t_next;
  run->begin_known = 1;
}

/* What a term of interaction k lies behind that of interaction 0. */
static inline size_t flat_shift(const interaction_run *run, const term *t, size_t k) {
  return k == 0 ? 0 : k * run->slots[t->slot].step;
}

/* out := H x of rows first ... first + rows - 1 of interaction k, whose terms follow one another;
 * at order 1 with the offset. */
static inline void flat_rows(const interaction_run *run, size_t k, int32_t first, int32_t rows,
                             const double *x, double *out) {
  const int32_t *start = run->H_start + first * run->n_slots;
  const term *t = run->H + *start;
  for (int32_t i = 0; i < rows; i++) {
    const term *end = run->H + start[(i + 1) * run->n_slots];
    double sum = 0;
    for (; t < end; t++) sum += t->value * x[t->v + flat_shift(run, t, k)];
    out[i] = run->order == 1 ? run->offset[first + i] + sum : sum;
  }
}

/* y and ẏ of row r of all interactions of a run at order 2, without D λ; the usual contact, between
 * one or two coordinates, in one pass. */
static inline void flat_row_outputs(const perp_simulation *sim, const interaction_run *run,
                                    int32_t r, double *y, double *ydot) {
  int32_t first = run->H_start[r * run->n_slots], end = run->H_start[(r + 1) * run->n_slots];
  const term *t = run->H + first;
  size_t m = (size_t)run->m, count = (size_t)run->count;
  double offset = run->offset[r];
#if defined(__OPTIMIZE_SIZE__)
  /* −0 + x is x, whatever the sign of a zero: the sum of two terms alone */
  const double start = end - first == 2 && count > 1 ? -0.0 : 0;
#else
  const double start = 0;
  if (end - first == 2) {
    double a0 = t[0].value, a1 = t[1].value;
    size_t d0 = run->slots[t[0].slot].step, d1 = run->slots[t[1].slot].step;
    const double *q0 = sim->state.q + t[0].q, *q1 = sim->state.q + t[1].q;
    const double *v0 = sim->state.v + t[0].v, *v1 = sim->state.v + t[1].v;
    for (size_t k = 0; k < count; k++, q0 += d0, q1 += d1, v0 += d0, v1 += d1) {
      y[k * m] = offset + (a0 * *q0 + a1 * *q1);
      ydot[k * m] = a0 * *v0 + a1 * *v1;
    }
    return;
  }
#endif
  for (size_t k = 0; k < count; k++) {
    double position = start, velocity = start;
    for (int32_t e = 0; e < end - first; e++) {
      size_t shift = k * run->slots[t[e].slot].step;
      position += t[e].value * sim->state.q[t[e].q + shift];
      velocity += t[e].value * sim->state.v[t[e].v + shift];
    }
    y[k * m] = offset + position;
    ydot[k * m] = velocity;
  }
}

/* y and ẏ of all rows: of a run of one interaction, whose terms follow one another, at once. */
static inline void flat_outputs(perp_simulation *sim, const interaction_run *run) {
  double *y = sim->state.y + run->row0, *ydot = sim->state.ydot + run->row0;
#if defined(__OPTIMIZE_SIZE__)
  for (int32_t r = 0; r < run->m; r++) flat_row_outputs(sim, run, r, y + r, ydot + r);
#else
  const term *t = run->H;
  if (run->count > 1) {
    for (int32_t r = 0; r < run->m; r++) flat_row_outputs(sim, run, r, y + r, ydot + r);
    return;
  }
  for (int32_t r = 0; r < run->m; r++) {
    const term *end = run->H + run->H_start[(r + 1) * run->n_slots];
    double position = 0, velocity = 0;
    for (; t < end; t++) {
      position += t->value * sim->state.q[t->q];
      velocity += t->value * sim->state.v[t->v];
    }
    y[r] = run->offset[r] + position;
    ydot[r] = velocity;
  }
#endif
}

#endif
