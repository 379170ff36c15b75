/* SPDX-License-Identifier: MIT */
/* The loops over equal neighbours that the stages of a step and a steady step have in common. Sums
 * have one order wherever they are made. */
#ifndef PERP_STEPPING_FLAT_H
#define PERP_STEPPING_FLAT_H

#include "base/pair.h"
#include "stepping/layout.h"

/* Whether a gap may close within γ h. Not (gap > 0), so that a NaN acts and shows in the residual.
 */
static inline int flat_closes(double y, double ydot, double gamma_h, double tol) {
  return !(y + gamma_h * ydot > tol);
}

/* What follows for each j from 0 to n - 1: in groups of four, then of two and of one, which every
 * compiler turns into vector code without a prologue that would cost more than a small system's
 * whole step. Groups are for speed alone, and there are none where size counts. */
#if defined(__OPTIMIZE_SIZE__)
#define FLAT_EACH(n, ...)              \
  do {                                 \
    for (size_t j = 0; j < (n); j++) { \
      __VA_ARGS__;                     \
    }                                  \
  } while (0)
#else
#define FLAT_ONE(at, ...)  \
  do {                     \
    const size_t j = (at); \
    __VA_ARGS__;           \
  } while (0)
#define FLAT_TWO(at, ...)    \
  FLAT_ONE(at, __VA_ARGS__); \
  FLAT_ONE((at) + 1, __VA_ARGS__)
#define FLAT_EACH(n, ...)                       \
  do {                                          \
    size_t i = 0;                               \
    for (; i + 4 <= (n); i += 4) {              \
      FLAT_TWO(i, __VA_ARGS__);                 \
      FLAT_TWO(i + 2, __VA_ARGS__);             \
    }                                           \
    if (((n)&2) != 0) {                         \
      FLAT_TWO(i, __VA_ARGS__);                 \
      i += 2;                                   \
    }                                           \
    if (((n)&1) != 0) FLAT_ONE(i, __VA_ARGS__); \
  } while (0)
#endif

/* y += a x */
static inline void flat_add(size_t n, double a, const double *restrict x, double *restrict y) {
  FLAT_EACH(n, y[j] += a * x[j]);
}

/* Dense operators of fewer rows are multiplied in place, with the bits of
 * perp_dense_multiply_add(). */
enum { FLAT_SMALL = 4 };

/* Free motion under diagonal operators, tile by tile. */
static inline void flat_free_diagonal(const system_run *run, const double *restrict v,
                                      const double *restrict q, double *restrict out) {
  const double *restrict drift = run->drift, *restrict P = run->P, *restrict R = run->R;
  size_t tile = (size_t)run->tile, left = run->size;
  for (; left > 0; v += tile, q += tile, out += tile) {
    size_t length = left < tile ? left : tile;
    left -= length;
    if (P == NULL)
      FLAT_EACH(length, out[j] = v[j] + drift[j]);
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
  FLAT_EACH(n, q[j] += new_part * v_new[j] + old_part * v[j]; v[j] = v_new[j]);
}

/* Both where nothing acts, of a run that is calm. */
static inline void flat_glide(const system_run *run, double new_part, double old_part,
                              double *restrict v, double *restrict q) {
  const double *restrict drift = run->drift;
  for (size_t tile = (size_t)run->tile, left = run->size; left > 0; v += tile, q += tile) {
    const size_t length = left < tile ? left : tile;
    left -= length;
    FLAT_EACH(length, const double old = v[j]; v[j] = old + drift[j];
              q[j] += new_part * v[j] + old_part * old);
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

#if !defined(__OPTIMIZE_SIZE__)
/* a0 x0 + a1 x1 of two neighbours, whose coordinates lie d apart. */
static inline pair flat_two(pair a0, pair a1, const double *x0, const double *x1, size_t d) {
  return pair_add(pair_multiply(a0, pair_of(x0[0], x0[d])),
                  pair_multiply(a1, pair_of(x1[0], x1[d])));
}
#endif

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
    size_t k = 0, i0 = 0;
    if (m == 1 && d0 == d1) {
      const pair p0 = pair_twice(a0), p1 = pair_twice(a1), b = pair_twice(offset);
      for (; k + 2 <= count; k += 2, i0 += 2 * d0) {
        pair_store(y + k, pair_add(b, flat_two(p0, p1, q0 + i0, q1 + i0, d0)));
        pair_store(ydot + k, flat_two(p0, p1, v0 + i0, v1 + i0, d0));
      }
    }
    for (size_t i1 = i0; k < count * m; k += m, i0 += d0, i1 += d1) {
      y[k] = offset + (a0 * q0[i0] + a1 * q1[i1]);
      ydot[k] = a0 * v0[i0] + a1 * v1[i1];
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
  const int32_t *start = run->H_start;
  const double *offset = run->offset;
  for (int32_t r = run->m; r > 0; r--) {
    start += run->n_slots;
    const term *end = run->H + *start;
    double position = 0, velocity = 0;
    for (; t < end; t++) {
      position += t->value * sim->state.q[t->q];
      velocity += t->value * sim->state.v[t->v];
    }
    *y++ = *offset++ + position;
    *ydot++ = velocity;
  }
#endif
}

#endif
