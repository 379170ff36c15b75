/* SPDX-License-Identifier: MIT */
/* The residual that judges every solution, from the caller's data and by code that no solver
 * shares: see problem.h for its parts. One pass over M gives y, the row sums |M||lambda| + |q| and
 * the squares of the columns. Where the rounding of y would matter, it is summed once more in twice
 * the precision.
 *
 * In the variables weight y and lambda / weight the columns of M have the norms
 * chat = weight_j ||diag(weight) M_.j||, and the parts of problem.h become those of the code.
 * Interval sets are judged by the median, which loses nothing where lambda is large. Comparisons
 * may drop a NaN, so it is caught apart: every entry of M, q and lambda that meets another is part
 * of the row sums, and the largest row sum is taken by its bits, where NaN is largest. */
#include "problem/residual.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/options.h"
#include "linalg/matrix.h"
#include "problem/allowance.h"
#include "problem/bounds.h"
#include "problem/cone.h"
#include "problem/contact_parts.h"
#include "problem/residual_few.h"
#include "problem/residual_lcp.h"
#include "problem/sums.h"

enum { SMALL = 8 };

/* A y that is smaller than this part of lambda / rho is not seen in lambda - rho yhat. */
#define LOST 0x1p-22

/* Where scale is below RESIDUAL_TINY, λ as it is is judged beside y' = M (u λ) + u q and c' = u c
 * in twice the precision, and what is counted in units of y is multiplied back: all of it is
 * homogeneous in y and c. */
#define RESIDUAL_UNIT 0x1p200

typedef struct judge {
  const perp_problem *p;
  const double *lambda;
  double *y;                        /* M lambda + q                                    */
  double *rows;                     /* |M||lambda| + |q|                               */
  double *norm;                     /* of the columns of M, of weighted rows           */
  double *a, *b;                    /* one copy, or the bounds of one law              */
  double *hat;                      /* lambdahat, once a law needs it                  */
  double *hatrows;                  /* |M| lambdahat + |q|, then                       */
  double largest_q;                 /* max |q_i|, not weighted, NaN included           */
  residual_maximum most[PERP_SETS]; /* of the laws of each set   */
  double creep;                     /* see perp_residual                              */
  double reach;                     /* largest c ||lambda_a|| of a law that is no interval */
  int32_t bad;                      /* first place of a NaN that came from a law, or n */
  int hat_used;                     /* a law with a set other than free and orthant    */
  double *spare;                    /* of projections that need memory                 */
  double unit;                      /* of y, rows and norm: 1, or that of tiny numbers */
  int fine;                         /* y and parts of contacts are of twice the precision */
  const perp_law *asked;            /* the law that was last asked whether it is bounded */
  int bounded;
} judge;

/* ---- one pass over M ---- */

#if !defined(__OPTIMIZE_SIZE__) /* where size counts, perp_sums_blocks() has their bits */
/* perp_residual_dense() of a small matrix, with sums in registers (y and s have the same bits).
 * Whether a norm is out of range is the answer. A loop over c of its own would wait for the stores
 * of this one. */
static int small_pass(int32_t n, const double *restrict A, size_t ld, const double *restrict x,
                      double *restrict y, double *restrict s, double *restrict c) {
  uint64_t outside = 0;
  for (int32_t i = 0; i < n; i++) {
    const double *a = A + i;
    double yi = y[i], si = s[i];
    for (int32_t j = 0; j < n; j++, a += ld) {
      double u = *a * x[j];
      yi += u;
      si += fabs(u);
    }
    y[i] = yi;
    s[i] = si;
  }
  for (int32_t j = 0; j < n; j++, A += ld) {
    double even = 0, odd = 0; /* as the other judges add them */
    for (int32_t i = 0; i < n; i += 2) even += A[i] * A[i];
    for (int32_t i = 1; i < n; i += 2) odd += A[i] * A[i];
    const double cj = even + odd;
    outside |= residual_out_of_range(cj);
    c[j] = sqrt(cj);
  }
  return (outside >> 63) != 0;
}

static void sparse_pass(const perp_matrix *M, const double *restrict x, double *restrict y,
                        double *restrict s, double *restrict c) {
  const int32_t *start = M->start, *index = M->index;
  const double *values = M->values;
  for (int32_t i = 0; i < M->rows; i++) {
    double yi = y[i], si = s[i];
    for (int32_t k = start[i]; k < start[i + 1]; k++) {
      int32_t j = index[k];
      double v = values[k], u = v * x[j];
      yi += u;
      si += fabs(u);
      c[j] += v * v;
    }
    y[i] = yi;
    s[i] = si;
  }
}

static void diagonal_pass(int32_t n, const double *restrict d, const double *restrict x,
                          double *restrict y, double *restrict s, double *restrict c) {
  for (int32_t i = 0; i < n; i++) {
    y[i] += d[i] * x[i];
    s[i] += fabs(d[i] * x[i]);
    c[i] = d[i] * d[i];
  }
}

#endif

/* y, row sums and norms of columns. */
static void plain_pass(judge *j) {
  const perp_problem *p = j->p;
  const perp_matrix *M = &p->M;
  const double *x = j->lambda;
  const int32_t n = p->n;
  double *y = j->y, *rows = j->rows, *norm = j->norm;
  if (M->kind == PERP_DENSE && n > SMALL) {
    perp_residual_dense(n, M->values, M->ld, x, y, rows, norm);
    return;
  }
#if defined(__OPTIMIZE_SIZE__)
  perp_sums_blocks(M, x, y, rows, norm);
#else
  if (M->kind == PERP_DENSE) {
    if (small_pass(n, M->values, (size_t)M->ld, x, y, rows, norm))
      perp_sums_norms(M, NULL, norm, j->a);
    return;
  }
  if (M->kind == PERP_DIAGONAL)
    diagonal_pass(n, M->values, x, y, rows, norm);
  else if (M->kind == PERP_BLOCKS && M->offset == NULL)
    sparse_pass(M, x, y, rows, norm);
  else
    perp_sums_blocks(M, x, y, rows, norm);
#endif
  if (perp_residual_norms(n, norm)) perp_sums_norms(M, NULL, norm, j->a);
}

static void matrix_pass(judge *j) {
  j->largest_q = perp_residual_begin(j->p->n, j->p->q, j->y, j->rows, j->norm);
  plain_pass(j);
  if (j->p->weight != NULL) perp_sums_norms(&j->p->M, j->p->weight, j->norm, j->a);
}

/* ---- the laws ---- */

/* What a run found joins the laws of its set. */
static inline residual_maximum maximum_open(const judge *j, int32_t set) { return j->most[set]; }

static inline void maximum_close(judge *j, int32_t set, residual_maximum m) { j->most[set] = m; }

/* A NaN that a law had a part in is placed here. */
static inline void check_number(judge *j, int32_t i, double r) {
  if (r != r && i < j->bad) j->bad = i;
}

/* x clamped to [lower, upper]; NaN in any of the three comes out. */
static double median(double lower, double x, double upper) {
  double m = x > upper ? upper : x < lower ? lower : x;
  return lower == lower && upper == upper ? m : lower + upper;
}

static double weight_of(const judge *j, int32_t i) {
  return j->p->weight == NULL ? 1 : j->p->weight[i];
}

/* A part that begins at row i; below its floor it passes. */
static double above_floor(const judge *j, int32_t i, double r) {
  return j->p->floor != NULL && r <= j->unit * weight_of(j, i) * j->p->floor[i] ? 0 : r;
}

/* Component i with the interval [l, u]. */
static double interval_part(const judge *j, int32_t i, double l, double u) {
  const double w = weight_of(j, i), x = j->lambda[i], y = w * j->y[i];
  const double c = j->norm[i] > 0 ? j->norm[i] : 1 / w; /* chat / w */
  return above_floor(j, i, fabs(median(c * (x - u), y, c * (x - l))));
}

static int is_plain(const judge *j) { return j->p->weight == NULL && j->p->floor == NULL; }

static void judge_free(judge *j, int32_t begin, int32_t end) {
  residual_maximum m = maximum_open(j, PERP_SET_FREE);
  if (is_plain(j))
    for (int32_t i = begin; i < end; i++) residual_raise(&m, i, fabs(j->y[i]));
  else
    for (int32_t i = begin; i < end; i++)
      residual_raise(&m, i, above_floor(j, i, fabs(weight_of(j, i) * j->y[i])));
  maximum_close(j, PERP_SET_FREE, m);
}

static void judge_orthant(judge *j, int32_t begin, int32_t end) {
  residual_maximum *m = &j->most[PERP_SET_ORTHANT];
  if (is_plain(j))
    perp_residual_orthant(begin, end, j->norm, j->lambda, j->y, m);
  else
    for (int32_t i = begin; i < end; i++)
      residual_raise(m, i, interval_part(j, i, 0, (double)INFINITY));
}

static void use_hat(judge *j) {
  if (!j->hat_used) memset(j->hat, 0, (size_t)j->p->n * sizeof *j->hat);
  j->hat_used = 1;
}

static void judge_box(judge *j, const perp_law *law, int32_t begin, int32_t end) {
  if (begin == end) return; /* the bounds of a law without an unknown may exceed the scratch */
  use_hat(j);
  law->ops->bounds(law, j->a, j->b);
  residual_maximum m = maximum_open(j, PERP_SET_BOX);
  for (int32_t i = begin, k = 0; i < end; i++, k = k + 1 < law->size ? k + 1 : 0) {
    const double l = j->a[k], u = j->b[k], r = interval_part(j, i, l, u);
    residual_raise(&m, i, r);
    check_number(j, i, r);
    j->hat[i] = is_finite(l) && is_finite(u) ? fabs(j->lambda[i]) : fabs(median(l, 0, u));
  }
  maximum_close(j, PERP_SET_BOX, m);
}

/* chat of the copy at i, 0 where its columns of M are. */
static double block_norm(const judge *j, const perp_law *law, int32_t i) {
  const int32_t size = law->size;
  const double *norm = j->norm + i;
  if (j->p->weight != NULL) {
    for (int32_t k = 0; k < size; k++) j->a[k] = j->p->weight[i + k] * norm[k];
    norm = j->a;
  }
  return perp_residual_norm(norm, size);
}

typedef struct part {
  int32_t at; /* first row */
  double r;
} part;

/* The parts of a contact; how many. */
static int32_t contact_part_list(const judge *j, const perp_law *law, int32_t i, part out[3]) {
  const double chat = residual_positive(block_norm(j, law, i));
  const double *weight = j->p->weight == NULL ? NULL : j->p->weight + i;
  const contact_parts p = contact_parts_of(law, chat, weight, j->lambda + i, j->y + i, j->fine);
  for (int32_t k = 0, at = i; k < p.count; k++) {
    out[k].at = at;
    out[k].r = above_floor(j, at, p.r[k]);
    at += k == 0 ? 1 : p.half;
  }
  return p.count;
}

/* a := lambda - P(lambda - yhat / c) of the copy at i. */
static void project_copy(judge *j, const perp_law *law, const void *state, int32_t i, double c) {
  const double *x = j->lambda + i;
  if (law->ops->shift != NULL)
    law->ops->shift(law, state, j->y + i, j->a);
  else
    memcpy(j->a, j->y + i, (size_t)law->size * sizeof *j->a);
  for (int32_t k = 0; k < law->size; k++) j->a[k] = x[k] - j->a[k] / c;
  law_project(law, state, j->a, j->a, j->spare);
  for (int32_t k = 0; k < law->size; k++) j->a[k] = x[k] - j->a[k];
}

static int is_contact(const perp_law *law) {
  return law->ops->set == PERP_SET_CONE || law->ops->set == PERP_SET_ROLLING;
}

/* c ||lambda - P(lambda - yhat / c)|| of the copy at i, of weighted rows. Where yhat / c is lost
 * beside lambda, it is y / ||y|| ||lambda|| that must not move the point either, and that alone
 * where c is 1 for want of a norm; else what was rounded is noted. */
static double projected_part(judge *j, const perp_law *law, const void *state, int32_t i) {
  const double norm = block_norm(j, law, i), chat = residual_positive(norm), w = weight_of(j, i);
  const double reach = chat / w * perp_residual_norm(j->lambda + i, law->size);
  const double y = w * perp_residual_norm(j->y + i, law->size);
  project_copy(j, law, state, i, chat / w / w);
  const double r = perp_residual_norm(j->a, law->size) * (chat / w);
  if (!(y < LOST * reach)) {
    if (reach > j->reach) j->reach = reach;
    return r;
  }
  const double less = chat * (y / reach);
  if (!(less > 0)) return r; /* y is 0, and nothing is rounded */
  project_copy(j, law, state, i, less / w / w);
  const double other = perp_residual_norm(j->a, law->size) * (less / w);
  return r > other && norm > 0 ? r : other;
}

/* The parts of a copy of a law that is no interval; how many. */
static int32_t copy_parts(judge *j, const perp_law *law, const void *state, int32_t i,
                          part out[3]) {
  if (is_contact(law)) return contact_part_list(j, law, i, out);
  out[0].at = i;
  out[0].r = above_floor(j, i, projected_part(j, law, state, i));
  return 1;
}

/* The velocity along the force of size entries of one contact. */
static void creep_of_part(judge *j, int32_t i, int32_t size) {
  const double force = cone_norm(size, j->lambda + i);
  double power = 0;
  for (int32_t k = i; k < i + size; k++) power += j->y[k] * (j->lambda[k] / force);
  if (force > 0 && power > j->creep) j->creep = power;
}

static void creep_of_contact(judge *j, const perp_law *law, int32_t i) {
  const int rolls = law->ops->set == PERP_SET_ROLLING;
  const int32_t half = rolls ? (law->size - 1) / 2 : law->size - 1;
  creep_of_part(j, i + 1, half);
  if (rolls) creep_of_part(j, i + 1 + half, half);
}

/* lambdahat of a copy; that of a contact is 0. */
static void hat_of_copy(judge *j, const perp_law *law, const void *state, int32_t i) {
  use_hat(j);
  if (j->asked != law) j->bounded = law_is_bounded(law, j->spare);
  j->asked = law;
  if (j->bounded) {
    memcpy(j->hat + i, j->lambda + i, (size_t)law->size * sizeof *j->hat);
  } else {
    memset(j->hat + i, 0, (size_t)law->size * sizeof *j->hat);
    law_project(law, state, j->hat + i, j->hat + i, j->spare);
  }
  for (int32_t k = 0; k < law->size; k++) j->hat[i + k] = fabs(j->hat[i + k]);
}

static void judge_copy(judge *j, const perp_law *law, const void *state, int32_t i) {
  part parts[3];
  const int32_t count = copy_parts(j, law, state, i, parts);
  residual_maximum m = maximum_open(j, law->ops->set);
  for (int32_t k = 0; k < count; k++) {
    residual_raise(&m, parts[k].at, parts[k].r);
    check_number(j, parts[k].at, parts[k].r);
  }
  maximum_close(j, law->ops->set, m);
  if (!is_contact(law)) {
    hat_of_copy(j, law, state, i);
    return;
  }
  if (!j->fine) {
    const double chat = residual_positive(block_norm(j, law, i));
    const double reach = chat / weight_of(j, i) * perp_residual_norm(j->lambda + i, law->size);
    if (reach > j->reach) j->reach = reach;
  }
  creep_of_contact(j, law, i);
}

static const void *state_of(const perp_problem *p, int32_t block, int32_t copy) {
  const perp_law *law = p->laws[block];
  if (p->states == NULL || p->states[block] == NULL || law->ops->state_bytes == NULL) return NULL;
  return (const unsigned char *)p->states[block] + (size_t)copy * law->ops->state_bytes(law);
}

/* Neighbouring blocks of one law are one run. */
static void judge_laws(judge *j) {
  const perp_problem *p = j->p;
  for (int32_t b = 0, begin = 0, end; b < p->n_blocks; b++, begin = end) {
    const perp_law *law = p->laws[b];
    end = problem_block_end(p, b, begin);
    if (law->ops->set > PERP_SET_BOX) {
      for (int32_t i = begin, k = 0; i < end; i += law->size, k++)
        judge_copy(j, law, state_of(p, b, k), i);
      continue;
    }
    for (; b + 1 < p->n_blocks && p->laws[b + 1] == law; b++)
      end = problem_block_end(p, b + 1, end);
    if (law->ops->set == PERP_SET_FREE) judge_free(j, begin, end);
    if (law->ops->set == PERP_SET_ORTHANT) judge_orthant(j, begin, end);
    if (law->ops->set == PERP_SET_BOX) judge_box(j, law, begin, end);
  }
}

/* ---- the answer ---- */

/* || |M| lambdahat + |q| ||, where free, orthant and contacts have lambdahat = 0. */
static double hat_norm(judge *j) {
  const perp_problem *p = j->p;
  if (!j->hat_used && p->weight == NULL) return j->largest_q;
  if (!j->hat_used) return j->unit * perp_residual_weighted_largest(p->n, p->weight, p->q);
  for (int32_t i = 0; i < p->n; i++) {
    j->hatrows[i] = fabs(j->unit * p->q[i]);
    j->hat[i] *= j->unit;
  }
#if defined(__OPTIMIZE_SIZE__) /* these sums, and others that nobody reads */
  perp_sums_blocks(&p->M, j->hat, j->a, j->hatrows, j->b);
#else
  perp_matrix_absolute_multiply_add(&p->M, j->hat, j->hatrows);
#endif
  return perp_residual_weighted_largest(p->n, p->weight, j->hatrows);
}

/* The law block of unknown i. */
static int32_t block_of(const perp_problem *p, int32_t i) {
  int32_t b = -1, end = 0;
  for (b = 0; b < p->n_blocks; b++) {
    end = problem_block_end(p, b, end);
    if (i < end) return b;
  }
  return -1;
}

/* The largest of all laws, first of equal ones. */
static residual_maximum largest_of(const judge *j) {
  residual_maximum m = j->most[0];
  for (int32_t set = 1; set < PERP_SETS; set++) {
    const residual_maximum *s = &j->most[set];
    if (s->r > m.r || (s->r == m.r && s->r > 0 && s->at < m.at)) m = *s;
  }
  return m;
}

static int32_t first_culprit(const judge *j, int32_t otherwise) {
  int32_t i = 0;
  while (i < j->p->n && i < j->bad && is_finite(j->rows[i]) && is_finite(j->lambda[i])) i++;
  return i < j->p->n ? i : otherwise;
}

/* rounding: of y. */
static void answer(judge *j, double hat, double rounding, perp_residual *out) {
  int32_t n = j->p->n;
  const residual_maximum most = largest_of(j);
  double scale = perp_residual_weighted_largest(n, j->p->weight, j->rows);
  const double of_laws = residual_laws_rounding(j->reach);
  out->struct_size = (uint32_t)sizeof *out;
  out->reserved = 0;
  out->residual = most.r;
  out->relative = residual_ratio(most.r, scale);
  out->scale = scale;
  out->hat = hat;
  out->rounding = rounding > of_laws ? rounding : of_laws;
  out->natural_error = out->componentwise = 0;
  out->worst = n > 0 ? most.at : -1;
  out->creep = j->creep > -(double)INFINITY ? j->creep : 0;
  for (int32_t set = 0; set < PERP_SETS; set++) out->violation[set] = j->most[set].r;
  int finite = is_finite(scale) && is_finite(most.r) && all_finite((size_t)n, j->lambda);
  if (!finite || j->bad < n) {
    out->worst = first_culprit(j, out->worst);
    out->residual = out->relative = out->hat = out->rounding = (double)NAN;
    out->natural_error = out->componentwise = (double)NAN;
  }
  out->worst_block = block_of(j->p, out->worst);
}

static judge judge_open(const perp_problem *p, const double *lambda, double *y, double *scratch) {
  size_t n = (size_t)p->n;
  judge j = {.p = p, .lambda = lambda, .y = y, .unit = 1, .bad = p->n, .creep = -(double)INFINITY};
  if (n == 0) return j; /* scratch may be NULL */
  j.rows = scratch;
  j.norm = scratch + n;
  j.a = scratch + 2 * n;
  j.b = scratch + 3 * n;
  j.hat = scratch + 4 * n;
  j.hatrows = scratch + 5 * n;
  j.spare = scratch + residual_scratch_doubles(p->n);
  return j;
}

/* ---- the precision of y ---- */

/* Products that a row of y is the sum of, at most. */
static int32_t most_terms(const perp_matrix *M) {
  int32_t most = M->kind == PERP_DENSE ? M->cols : M->kind == PERP_DIAGONAL;
  for (int32_t r = 0; M->kind == PERP_BLOCKS && r < M->block_rows; r++) {
    int32_t terms = 0;
    for (int32_t k = M->start[r]; k < M->start[r + 1]; k++)
      terms += M->offset == NULL ? 1 : M->offset[M->index[k] + 1] - M->offset[M->index[k]];
    most = terms > most ? terms : most;
  }
  return most;
}

static void laws_again(judge *j) {
  memset(j->most, 0, sizeof j->most);
  j->bad = j->p->n;
  j->creep = -(double)INFINITY;
  j->reach = 0;
  judge_laws(j);
}

/* y in twice the precision, and the laws with it. The rounding that is left, or that of y as it was
 * where a product has no parts. */
static double judge_finely(judge *j, double scale) {
  const perp_problem *p = j->p;
  perp_sums_twofold(&p->M, j->lambda, p->q, j->y, j->hatrows);
  if (all_finite((size_t)p->n, j->y)) {
    j->fine = 1;
    laws_again(j);
    return residual_fine_rounding(p->n, scale);
  }
  for (int32_t i = 0; i < p->n; i++) j->y[i] = p->q[i];
  perp_sums_blocks(&p->M, j->lambda, j->y, j->a, j->b);
  laws_again(j);
  return residual_rounding(p->n, scale);
}

/* ---- tiny numbers ---- */

/* Whether they are to be judged in their own unit: numbers stay finite, λ = 0 has no products, and
 * of other laws nobody knows what y does there. */
static int enlarges(const judge *j, double scale) {
  const perp_problem *p = j->p;
  const double most = 0x1p770, x = perp_residual_largest(p->n, j->lambda);
  if (!(scale > 0 && largest_of(j).r < 1 && x > 0 && x < most)) return 0;
  if (!(perp_residual_largest(p->n, j->norm) < most)) return 0;
  return perp_problem_sets(p) >> (PERP_SET_BOX + 1) == 0 &&
         (!j->hat_used || perp_residual_largest(p->n, j->hat) < most);
}

/* Back to units of y. */
static void shrink(int32_t n, double *y, perp_residual *r) {
  for (int32_t i = 0; i < n; i++) y[i] /= RESIDUAL_UNIT;
  for (int32_t set = 0; set < PERP_SETS; set++) r->violation[set] /= RESIDUAL_UNIT;
  r->residual /= RESIDUAL_UNIT;
  r->scale /= RESIDUAL_UNIT;
  r->hat /= RESIDUAL_UNIT;
  r->rounding /= RESIDUAL_UNIT;
}

/* All that was judged once more in that unit. */
static void judge_enlarged(judge *j, perp_residual *out) {
  const perp_problem *p = j->p;
  const int32_t n = p->n;
  double *q = j->a, *lambda = j->b, *unread = j->hat;
  for (int32_t i = 0; i < n; i++) {
    q[i] = RESIDUAL_UNIT * p->q[i];
    lambda[i] = RESIDUAL_UNIT * j->lambda[i];
    j->norm[i] = RESIDUAL_UNIT * (j->norm[i] > 0 ? j->norm[i] : 1 / weight_of(j, i));
  }
  j->unit = RESIDUAL_UNIT;
  j->largest_q = perp_residual_begin(n, q, j->y, j->rows, unread);
  perp_sums_blocks(&p->M, lambda, j->y, j->rows, unread);
  perp_sums_twofold(&p->M, lambda, q, j->y, j->hatrows);
  j->hat_used = 0;
  laws_again(j);
  const double hat = hat_norm(j);
  const double scale = perp_residual_weighted_largest(n, p->weight, j->rows);
  answer(j, hat, residual_fine_rounding(n, scale), out);
  shrink(n, j->y, out);
}

void perp_residual_compute(const perp_problem *problem, const double *lambda, double *y,
                           perp_residual *residual, double *scratch) {
#if !defined(__OPTIMIZE_SIZE__)
  const int rows = problem->M.kind == PERP_BLOCKS && problem->M.offset == NULL;
  if (problem->n > 0 && (rows || problem->n <= RESIDUAL_FEW)) {
    if (problem->n <= RESIDUAL_FEW && problem->laws[0]->ops->set == PERP_SET_CONE)
      perp_residual_contact(problem, lambda, y, residual, scratch);
    else
      perp_residual_few(problem, lambda, y, residual, scratch);
    return;
  }
#endif
  perp_residual_of_any(problem, lambda, y, residual, scratch);
}

void perp_residual_of_any(const perp_problem *problem, const double *lambda, double *y,
                          perp_residual *residual, double *scratch) {
  judge j = judge_open(problem, lambda, y, scratch);
  matrix_pass(&j);
  judge_laws(&j);
  const double hat = hat_norm(&j);
  const double scale = perp_residual_weighted_largest(problem->n, problem->weight, j.rows);
  if (scale < RESIDUAL_TINY && enlarges(&j, scale)) {
    judge_enlarged(&j, residual);
    return;
  }
  int32_t terms = problem->n;
  if (residual_is_coarse(terms, scale, hat)) terms = most_terms(&problem->M);
  const int coarse =
      residual_is_coarse(terms, scale, hat) || residual_laws_are_coarse(j.reach, scale, hat);
  answer(&j, hat, coarse ? judge_finely(&j, scale) : residual_rounding(terms, scale), residual);
}

void perp_residual_of_laws(const perp_problem *problem, const double *lambda, double *y,
                           perp_residual *residual, double *scratch) {
  judge j = judge_open(problem, lambda, y, scratch);
  if (problem->n > 0) use_hat(&j);
  judge_laws(&j);
  const double scale = perp_residual_weighted_largest(problem->n, problem->weight, j.rows);
  answer(&j, 0, DBL_EPSILON * scale, residual);
}

/* ---- for reports ---- */

/* Largest r of a part as a part of the terms of its first row. */
static void raise_componentwise(const judge *j, int32_t i, double r, double *most) {
  const double part_of = residual_ratio(r, weight_of(j, i) * j->rows[i]);
  if (!(part_of <= *most)) *most = part_of;
}

/* After the laws were judged. */
static double componentwise(judge *j) {
  const perp_problem *p = j->p;
  double most = 0, *lower = j->hat, *upper = j->hatrows;
  part parts[3];
  perp_problem_bounds(p, lower, upper);
  for (int32_t b = 0, begin = 0, end; b < p->n_blocks; b++, begin = end) {
    const perp_law *law = p->laws[b];
    end = problem_block_end(p, b, begin);
    for (int32_t i = begin; law->ops->set <= PERP_SET_BOX && i < end; i++)
      raise_componentwise(j, i, interval_part(j, i, lower[i], upper[i]), &most);
    for (int32_t i = begin, k = 0; law->ops->set > PERP_SET_BOX && i < end; i += law->size, k++) {
      const int32_t count = copy_parts(j, law, state_of(p, b, k), i, parts);
      for (int32_t c = 0; c < count; c++) raise_componentwise(j, parts[c].at, parts[c].r, &most);
    }
  }
  return most;
}

/* ||lambda - P(lambda - yhat)||_2 */
static double natural_map(judge *j) {
  const perp_problem *p = j->p;
  double sum = 0;
  double *lower = j->rows, *upper = j->norm;
  perp_problem_bounds(p, lower, upper);
  for (int32_t b = 0, begin = 0, end; b < p->n_blocks; b++, begin = end) {
    const perp_law *law = p->laws[b];
    end = problem_block_end(p, b, begin);
    int32_t step = law->ops->set > PERP_SET_BOX ? law->size : 1;
    for (int32_t i = begin, k = 0; i < end; i += step, k++) {
      if (law->ops->set > PERP_SET_BOX)
        project_copy(j, law, state_of(p, b, k), i, 1);
      else
        j->a[0] = median(j->lambda[i] - upper[i], j->y[i], j->lambda[i] - lower[i]);
      double e = perp_residual_norm(j->a, step);
      sum += e * e;
    }
  }
  return sqrt(sum);
}

double perp_residual_natural(const perp_problem *problem, const double *lambda, double *y,
                             double *scratch) {
  judge j = judge_open(problem, lambda, y, scratch);
  return natural_map(&j);
}

static size_t all_doubles(const perp_problem *problem) {
  const size_t own = residual_scratch_doubles(problem->n);
  const size_t most = perp_problem_projection_doubles(problem);
  return most > SIZE_MAX - own ? SIZE_MAX : own + most;
}

size_t perp_problem_residual_workspace(const perp_problem *problem) {
  if (perp_problem_check(problem, NULL) != PERP_OK) return 0;
  arena a = arena_measure();
  arena_take(&a, all_doubles(problem), sizeof(double));
  return arena_bytes(&a);
}

perp_status perp_problem_residual(const perp_problem *problem, const double *lambda, double *y,
                                  perp_residual *residual, void *work, size_t work_bytes) {
  const size_t first = PERP_THROUGH(perp_residual, violation);
  perp_status status = perp_problem_check(problem, NULL);
  if (status != PERP_OK) return status;
  if (residual == NULL || residual->struct_size < first) return PERP_EINVAL;
  if (problem->n > 0 && (lambda == NULL || y == NULL || work == NULL)) return PERP_EINVAL;
  arena a = arena_open(work, work_bytes);
  double *scratch = arena_take(&a, all_doubles(problem), sizeof *scratch);
  if (problem->n > 0 && !arena_fits(&a)) return PERP_EWORKSPACE;
  perp_residual r;
  perp_residual_compute(problem, lambda, y, &r, scratch);
  if (is_finite(r.residual) && problem->n > 0) {
    judge j = judge_open(problem, lambda, y, scratch);
    double *kept = y; /* of twice the precision, perhaps */
    j.y = j.b;        /* the pass writes another one */
    matrix_pass(&j);
    j.y = kept;
    j.fine = 1; /* it may be, and r was judged so then */
    r.componentwise = componentwise(&j);
    r.natural_error = residual_ratio(natural_map(&j), perp_residual_norm(problem->q, problem->n));
  }
  return perp_options_answer(residual, &r, sizeof r, first);
}

int32_t perp_residual_solved(const perp_residual *residual, double tol) {
  const perp_residual *r = residual;
  if (r == NULL || r->struct_size < PERP_THROUGH(perp_residual, violation)) return 0;
  const double a = residual_allowance(tol), most = a * r->hat;
  if (!is_finite(r->residual) || !(r->relative <= tol)) return 0;
  if (r->hat > 0) return r->residual + r->rounding <= most;
  return r->residual <= most && r->rounding <= a * r->scale;
}
