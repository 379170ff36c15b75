/* SPDX-License-Identifier: MIT */
/* The law of a polyhedron, -y in N_P(lambda), P = {H lambda >= K}. Its projection is the program
 *
 *     min 1/2 |p - x|^2,   H p >= K,
 *
 * solved by the dual active set from p = x. The point is accepted if it is the exact projection on
 * a polyhedron whose K differs by rounding: p - x = H'mu with mu >= 0, no row violated, the rows
 * with mu > 0 active. Else, and where P is empty, the answer is NaN.
 *
 * P is bounded if its recession cone {H d >= 0} is {0}. With any weights omega > 0 that is so if
 * H'omega projects to 0 on the cone (then H d = 0 for all its d, as sum omega_k (H d)_k = 0, and
 * H'(omega + mu) = 0 with the multipliers mu of the projection proves it) and if H d = 0 has no
 * solution but 0, so that a vector without structure projects to 0 as well. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/field_table.h"
#include "base/finite.h"
#include "base/info.h"
#include "linalg/dual_set.h"
#include "linalg/matrix.h"
#include "perp/law.h"

/* What may be missing of a row, as a part of its terms. */
#define ROUNDING 0x1p-36

static const perp_polyhedron *polyhedron(const perp_law *law) {
  return (const perp_polyhedron *)(const void *)law;
}

/* ---- check ---- */

static perp_status check_rows(const perp_polyhedron *p, perp_info *info) {
  const perp_matrix *H = &p->H;
  for (size_t j = 0; H->kind == PERP_DENSE && H->rows > 0 && j < (size_t)H->cols; j++) {
    const double *column = H->values + (size_t)H->ld * j;
    const size_t at = first_not_finite((size_t)H->rows, column);
    if (at < (size_t)H->rows) return fail(info, PERP_ENOTFINITE, "H", (int32_t)at, column[at]);
  }
  const size_t at = first_not_finite((size_t)H->rows, p->K);
  if (at < (size_t)H->rows) return fail(info, PERP_ENOTFINITE, "K", (int32_t)at, p->K[at]);
  return PERP_OK;
}

static perp_status check(const perp_law *law, perp_info *info) {
  const perp_polyhedron *p = polyhedron(law);
  if (law->struct_size < sizeof *p) return fail_field(info, "struct_size", -1);
  if (perp_matrix_check(&p->H, NULL) != PERP_OK) return fail_field(info, "H", -1);
  if (p->H.rows > 0 && p->H.cols != law->size) return fail(info, PERP_EINVAL, "H", -1, p->H.cols);
  if (p->H.rows > INT32_MAX / 4 || law->size > INT32_MAX / 4) return fail_field(info, "H", -1);
  if (p->H.rows > 0 && p->K == NULL) return fail_field(info, "K", -1);
  return check_rows(p, info);
}

/* ---- projection ---- */

typedef struct pieces {
  dual_set s;
  double *H, *c, *mu, *rest, *terms;
} pieces;

static pieces carve(arena *a, const perp_law *law) {
  const perp_polyhedron *p = polyhedron(law);
  const size_t n = (size_t)law->size, m = (size_t)p->H.rows, d = sizeof(double);
  pieces t;
  memset(&t, 0, sizeof t);
  perp_dual_set_carve(&t.s, a, law->size, p->H.rows);
  if (m > 0 && n > SIZE_MAX / m) a->failed = 1;
  t.H = arena_take(a, n * m, d);
  t.c = arena_take(a, n, d);
  t.mu = arena_take(a, m, d);
  t.rest = arena_take(a, n, d);
  t.terms = arena_take(a, n, d);
  return t;
}

static size_t project_doubles(const perp_law *law) {
  arena a = arena_measure();
  (void)carve(&a, law);
  const size_t bytes = arena_bytes(&a);
  return bytes == 0 ? SIZE_MAX / sizeof(double) : bytes / sizeof(double) + 1;
}

/* The program of projecting x on {H p >= K}. */
static void start(pieces *t, const perp_law *law, const double *x, const double *K) {
  const perp_polyhedron *p = polyhedron(law);
  const size_t n = (size_t)law->size;
  dual_set *s = &t->s;
  s->n = law->size;
  s->m = p->H.rows;
  s->A = t->H;
  s->ldA = p->H.rows;
  s->row_lower = K;
  s->c = t->c;
  s->limit = 100 + 10 * (law->size + p->H.rows);
  if (s->m > 0) perp_matrix_to_dense(&p->H, t->H, p->H.rows);
  for (size_t i = 0; i < n * n; i++) s->J[i] = 0;
  for (size_t i = 0; i < n; i++) {
    s->J[i + n * i] = 1;
    s->x[i] = x[i];
    t->c[i] = -x[i];
  }
  perp_dual_set_begin(s);
}

/* Rows that depend on others may miss by rounding. */
static perp_status run(dual_set *s) {
  perp_status status = perp_dual_set_run(s);
  while (status == PERP_INFEASIBLE && dual_set_missed_by(s, ROUNDING)) {
    s->side[s->entering] = DUAL_IGNORED;
    status = perp_dual_set_run(s);
  }
  return status;
}

/* Whether the point is the projection on a polyhedron that differs by rounding. */
static int accepted(const pieces *t, const double *K) {
  const dual_set *s = &t->s;
  double largest = 0;
  for (int32_t i = 0; i < s->n; i++) {
    t->rest[i] = s->x[i] + t->c[i];
    t->terms[i] = fabs(s->x[i]) + fabs(t->c[i]);
  }
  perp_dual_set_multipliers(s, t->mu, NULL);
  for (int32_t j = 0; j < s->n; j++) {
    const double *h = s->m > 0 ? s->A + (size_t)s->ldA * (size_t)j : NULL;
    for (int32_t k = 0; k < s->m; k++) {
      t->rest[j] -= h[k] * t->mu[k];
      t->terms[j] += fabs(h[k] * t->mu[k]);
    }
    if (t->terms[j] > largest) largest = t->terms[j];
  }
  for (int32_t j = 0; j < s->n; j++)
    if (!(fabs(t->rest[j]) <= ROUNDING * largest)) return 0;
  for (int32_t k = 0; k < s->m; k++) {
    double v = -K[k], size = fabs(K[k]);
    for (int32_t j = 0; j < s->n; j++) {
      const double term = s->A[(size_t)k + (size_t)s->ldA * (size_t)j] * s->x[j];
      v += term;
      size += fabs(term);
    }
    const double hair = ROUNDING * size + perp_dual_set_noise(s) * s->norm[k];
    if (!(v >= -hair) || !(t->mu[k] >= 0)) return 0;
    if (t->mu[k] > 0 && !(v <= hair)) return 0;
  }
  return 1;
}

static void project_with(const perp_law *law, const void *state, const double *x, double *p,
                         double *scratch) {
  (void)state;
  arena a = arena_open(scratch, project_doubles(law) * sizeof *scratch);
  pieces t = carve(&a, law);
  int done = arena_fits(&a) && all_finite((size_t)law->size, x);
  if (done) {
    start(&t, law, x, polyhedron(law)->K);
    done = run(&t.s) == PERP_OK && accepted(&t, polyhedron(law)->K);
  }
  for (int32_t i = 0; i < law->size; i++) p[i] = done ? t.s.x[i] : (double)NAN;
}

/* ---- boundedness ---- */

/* Numbers of no structure in [1, 2). */
static double structureless(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return 1 + (double)(*state >> 8) * 0x1p-24;
}

/* The projection of t->rest on {H d >= 0}. 0 is in it, so that no row is out of reach but by
 * rounding. K = 0 stands in mu. */
static int project_on_cone(pieces *t, const perp_law *law) {
  dual_set *s = &t->s;
  const size_t m = (size_t)polyhedron(law)->H.rows;
  for (size_t k = 0; k < m; k++) t->mu[k] = 0;
  start(t, law, t->rest, t->mu);
  perp_status status = perp_dual_set_run(s);
  while (status == PERP_INFEASIBLE) {
    s->side[s->entering] = DUAL_IGNORED;
    status = perp_dual_set_run(s);
  }
  return status == PERP_OK;
}

/* rest := H'(omega + mu), omega_k = the k-th number without structure / ||H_k||; whether it is 0 up
 * to rounding. */
static int balance(pieces *t, const double *mu) {
  const dual_set *s = &t->s;
  double largest = 0;
  int zero = 1;
  for (int32_t j = 0; j < s->n; j++) {
    uint32_t state = 1;
    t->rest[j] = t->terms[j] = 0;
    for (int32_t k = 0; k < s->m; k++) {
      const double omega = structureless(&state) / (s->norm[k] > 0 ? s->norm[k] : 1);
      const double h = s->A[(size_t)k + (size_t)s->ldA * (size_t)j] * (omega + mu[k]);
      t->rest[j] += h;
      t->terms[j] += fabs(h);
    }
    if (t->terms[j] > largest) largest = t->terms[j];
  }
  for (int32_t j = 0; j < s->n; j++) zero &= fabs(t->rest[j]) <= ROUNDING * largest;
  return zero;
}

/* Whether the point of the program is 0 beside where it began. */
static int vanishes(const dual_set *s) {
  for (int32_t j = 0; j < s->n; j++)
    if (!(fabs(s->x[j]) <= ROUNDING * s->reach)) return 0;
  return 1;
}

static int32_t is_bounded(const perp_law *law, double *scratch) {
  arena a = arena_open(scratch, project_doubles(law) * sizeof *scratch);
  pieces t = carve(&a, law);
  uint32_t state = 1;
  if (!arena_fits(&a) || polyhedron(law)->H.rows <= law->size) return 0;
  for (int32_t j = 0; j < law->size; j++) t.rest[j] = structureless(&state);
  if (!project_on_cone(&t, law) || !vanishes(&t.s)) return 0;
  for (int32_t k = 0; k < t.s.m; k++) t.mu[k] = 0;
  if (balance(&t, t.mu)) return 1;
  if (!project_on_cone(&t, law)) return 0;
  perp_dual_set_multipliers(&t.s, t.s.value, NULL);
  return balance(&t, t.s.value);
}

static const perp_field *fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_MATRIX(perp_polyhedron, H),
                                   FIELD_VECTOR(perp_polyhedron, K, H.rows), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops ops = {.struct_size = sizeof(perp_law_ops),
                                 .set = PERP_SET_POLYHEDRON,
                                 .name = "polyhedron",
                                 .check = check,
                                 .project_doubles = project_doubles,
                                 .project_with = project_with,
                                 .is_bounded = is_bounded,
                                 .fields = fields};

perp_status perp_polyhedron_init(perp_polyhedron *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  memset(law, 0, size);
  law->law.ops = &ops;
  law->law.struct_size = (uint32_t)size;
  law->law.size = 1;
  return PERP_OK;
}
