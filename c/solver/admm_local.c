/* SPDX-License-Identifier: MIT */
/* ADMM on one-step problems: the linear system (A + ρI) r = b with A = D W D, D_α = 1 / √(mean of
 * the diagonal of W_αα) on contact α, so that cones stay what they are. A dense A is factorised as
 * it stands. A sparse one is split, A = S + E with S = (A + Aᵀ) / 2: the lower triangle of S is
 * stored and factorised, and the one of E beside it if there is any; S within its envelope in the
 * order of Cuthill and McKee, or by the caller's back end. A back end for any matrix gets A itself.
 * The iteration itself is in admm.c. */
#include "solver/admm.h"

#include <string.h>

#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "linalg/order.h"
#include "problem/residual.h"
#include "solver/contact_map.h"
#include "solver/factor.h"

/* A differs from its transpose by more than rounding. */
#define SAME 1e-13
/* Rows of the factor longer than this make it much dearer than a solution. */
enum { DEAR = 64 };

typedef struct local {
  admm loop; /* first, so that one is the other's address */
  const perp_matrix *M;
  int32_t n;
  any_factor A;     /* A + ρI, or S + ρI; sparse: the diagonal first in each row         */
  int lower;        /* sparse: it is the lower triangle of S                             */
  int skew;         /* the symmetric part is not all: what is left stands in skewed      */
  double *d;        /* n: D, in the order of the problem                                 */
  int32_t *place;   /* n: where unknown i stands                                         */
  double *skewed;   /* sparse, symmetric: of the entries: ((A − Aᵀ) / 2)                 */
  double *diagonal; /* n, sparse: A_ii                                                 */
  row_reader rows;  /* of M                                                              */
  int32_t *order, *node_place, *first, *node_of; /* nodes, nodes, nodes + 1, n: the contacts */
} local;

/* --- memory ---------------------------------------------------------------------------------- */

/* Envelopes of more places than twice the lower triangle has are the back end's, if there is one.
 */
static size_t capacity(const perp_shape *shape, const perp_sparse *table) {
  const size_t n = (size_t)shape->n,
               most = shape->nonzeros < SIZE_MAX - n ? shape->nonzeros + n : SIZE_MAX;
  return table == NULL || shape->envelope < most ? shape->envelope : most;
}

static void carve_sparse(local *s, arena *a, const perp_shape *shape) {
  const size_t n = (size_t)shape->n;
  int32_t **const lists[] = {&s->first, &s->order, &s->node_place, &s->node_of};
  const perp_sparse *table = s->A.table;
  const int lower = table == NULL || table->symmetric;
  const uint64_t triangle = (uint64_t)n * (n + 1) / 2, all = (uint64_t)shape->nonzeros + n;
  const uint64_t count = lower && triangle < all ? triangle : all;
  const size_t entries = count <= INT32_MAX ? (size_t)count : SIZE_MAX;
  for (int k = 0; k < 4; k++) *lists[k] = arena_take(a, n + 1, sizeof(int32_t));
  factor_carve_rows(&s->A, a, n, entries);
  s->skewed = arena_take(a, entries, sizeof(double));
  s->diagonal = arena_take(a, n, sizeof(double));
  s->rows.value = arena_take(a, n, sizeof(double));
  row_reader_carve(&s->rows, a, n, 1);
  envelope_carve(&s->A.env, a, n, capacity(shape, table));
}

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  local *s = state;
  const perp_admm_options *o = options;
  const size_t n = (size_t)shape->n;
  perp_admm_carve(&s->loop, a, shape, o);
  s->n = s->A.n = s->A.env.rows = shape->n;
  s->A.table = o->sparse;
  s->d = arena_take(a, n, sizeof(double));
  s->place = arena_take(a, n, sizeof(int32_t));
  if (shape->matrix != PERP_DENSE) {
    carve_sparse(s, a, shape);
    return;
  }
  s->A.dense = arena_take(a, n, n * sizeof(double));
  s->A.pivots = arena_take(a, n, sizeof(int32_t));
}

/* --- dense ----------------------------------------------------------------------------------- */

static void fill_dense(local *s) {
  const size_t n = (size_t)s->n, ld = (size_t)s->M->ld;
  for (size_t j = 0; j < n; j++) {
    const double *from = s->M->values + ld * j;
    double *to = s->A.dense + n * j;
    for (size_t i = 0; i < n; i++) to[i] = from[i] * (s->d[i] * s->d[j]);
    to[j] += s->loop.rho;
  }
}

/* --- sparse ---------------------------------------------------------------------------------- */

/* The order of the problem, or one with a shorter envelope if that pays. */
static size_t choose_order(local *s) {
  const contact *contacts = s->loop.contacts;
  const int32_t count = s->loop.count;
  for (int32_t c = 0; c < count; c++) {
    s->first[c] = contacts[c].begin;
    s->order[c] = c;
    for (int32_t i = contacts[c].begin; i < contacts[c].begin + contacts[c].size; i++)
      s->node_of[i] = c;
  }
  s->first[count] = s->n;
  if (s->M->kind != PERP_BLOCKS) return (size_t)s->n;
  const int32_t *row_of = s->M->offset == NULL ? s->place : s->rows.block;
  const order_graph graph = {s->M, count, s->first, s->node_of, row_of};
  const size_t natural = perp_order_envelope(&graph, s->order, s->node_place, s->A.env.first);
  perp_order_cuthill_mckee(&graph, s->order, s->node_place, s->A.env.first);
  const size_t better = perp_order_envelope(&graph, s->order, s->node_place, s->A.env.first);
  if (better < natural && better <= s->A.env.capacity) return better;
  for (int32_t c = 0; c < count; c++) s->order[c] = c;
  return natural;
}

/* place of the unknowns from the order of the contacts. */
static void set_places(local *s) {
  int32_t at = 0;
  for (int32_t k = 0; k < s->loop.count; k++) {
    const contact *c = s->loop.contacts + s->order[k];
    for (int32_t i = c->begin; i < c->begin + c->size; i++) s->place[i] = at++;
  }
}

/* start from the entries that each row can have, its diagonal among them whether or not it is
 * stored. */
static void count_entries(local *s, int lower) {
  for (int32_t i = 0; i <= s->n; i++) s->A.start[i] = i < s->n;
  for (int32_t i = 0; i < s->n; i++) {
    const matrix_row row = row_read(&s->rows, i);
    for (int32_t c = 0; c < row.count; c++) {
      const int32_t a = s->place[i], b = s->place[row.column[c]];
      if (a != b) s->A.start[lower && b > a ? b : a]++;
    }
  }
  for (int32_t i = 0, at = 0; i <= s->n; i++) {
    const int32_t row = lower && s->A.start[i] > i + 1 ? i + 1 : s->A.start[i];
    s->A.start[i] = at;
    at += row;
  }
}

/* Entry `at` of a row, in column j: new where the row ends. */
static inline void add(local *s, int32_t *end, int32_t at, int32_t j, double value, double skewed) {
  if (at == *end) {
    s->A.index[at] = j;
    s->A.values[at] = s->skewed[at] = 0;
    ++*end;
  }
  s->A.values[at] += value;
  s->skewed[at] += skewed;
}

/* Row i of A at place a, of which half belongs to S and half to E: its left part to its own row,
 * where rows before it left something, the right one to those behind it, where it is the last one.
 * end, seen: n each. */
static void take_row(local *s, int lower, int32_t i, int32_t a, int32_t *end, int32_t *seen) {
  const int32_t begin = s->A.start[a];
  const matrix_row row = row_read(&s->rows, i);
  for (int32_t k = begin; k < end[a]; k++) seen[s->A.index[k]] = k;
  for (int32_t c = 0; c < row.count; c++) {
    const int32_t j = row.column[c], b = s->place[j];
    const double v = row.value[c] * (s->d[i] * s->d[j]);
    if (a == b) {
      s->A.values[begin] += v;
    } else if (lower && b > a) {
      add(s, end + b, end[b] - (s->A.index[end[b] - 1] == a), a, 0.5 * v, -0.5 * v);
    } else {
      if (seen[b] < begin || seen[b] >= end[a]) seen[b] = end[a];
      add(s, end + a, seen[b], b, lower ? 0.5 * v : v, 0.5 * v);
    }
  }
}

/* Rows that are shorter than they might have been close up, and tell whether E is there. */
static void close_rows(local *s, const int32_t *end) {
  double most = 0, skew = 0;
  int32_t to = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const int32_t from = s->A.start[i];
    s->A.start[i] = to;
    for (int32_t k = from; k < end[i]; k++, to++) {
      s->A.index[to] = s->A.index[k];
      s->A.values[to] = s->A.values[k];
      s->skewed[to] = s->skewed[k];
      most = interval_raise(most, s->A.values[k]);
      skew = interval_raise(skew, s->skewed[k]);
    }
  }
  s->A.start[s->n] = to;
  s->skew = s->lower && skew > SAME * most;
}

/* The entries of A, or of S and E, in the order of place. */
static void copy_entries(local *s) {
  const int lower = s->lower;
  int32_t *end = s->A.env.member, *seen = s->A.env.place, *unknown = s->node_of;
  count_entries(s, lower);
  for (int32_t i = 0; i < s->n; i++) {
    seen[i] = -1;
    unknown[s->place[i]] = i;
    end[i] = s->A.start[i];
    add(s, end + i, end[i], i, 0, 0);
  }
  for (int32_t a = 0; a < s->n; a++) take_row(s, lower, unknown[a], a, end, seen);
  close_rows(s, end);
  for (int32_t i = 0; i < s->n; i++) s->diagonal[i] = s->A.values[s->A.start[i]];
}

/* --- what the iteration asks for ------------------------------------------------------------- */

static void prepare(local *s, double *spare) {
  for (int32_t i = 0; i < s->n; i++) s->place[i] = i;
  contacts_scale(s->M, s->loop.count, s->loop.contacts, 1, spare, s->d);
  if (s->M->kind == PERP_DENSE) {
    s->A.way = perp_factor_symmetric(s->M, s->d, 2 * SAME, spare) ? FACTOR_CHOLESKY : FACTOR_LU;
    return;
  }
  perp_row_reader_prepare(&s->rows, s->M);
  const size_t long_one = choose_order(s);
  s->A.way = s->A.table != NULL && long_one > s->A.env.capacity ? FACTOR_SPARSE : FACTOR_ENVELOPE;
  s->lower = s->A.way == FACTOR_ENVELOPE || s->A.table->symmetric;
  if (s->A.way == FACTOR_ENVELOPE) set_places(s);
  copy_entries(s);
  for (int32_t i = 0; i < s->n; i++) s->A.env.member[i] = s->A.env.place[i] = i;
}

static int dear(const local *s) {
  if (s->M->kind == PERP_DENSE) return s->n > DEAR;
  return s->A.way == FACTOR_SPARSE || s->A.env.start[s->n - 1] / DEAR > (size_t)s->n;
}

/* Entries of a factor, as far as they can be known. */
static double places(const local *s) {
  if (s->M->kind == PERP_DENSE) return 0.5 * s->n * s->n;
  if (s->A.way == FACTOR_SPARSE) return 5.0 * s->A.start[s->n];
  return (double)s->A.env.start[s->n - 1] + s->n;
}

static perp_status factorise(admm *loop) {
  local *s = (local *)loop;
  if (s->M->kind == PERP_DENSE) fill_dense(s);
  for (int32_t i = 0; i < s->n && s->A.way == FACTOR_SPARSE; i++)
    s->A.values[s->A.start[i]] = s->diagonal[i] + loop->rho;
  const perp_status status = perp_factor_make(&s->A, loop->rho);
  if (status != PERP_OK) return status;
  const double entries = places(s);
  loop->dear = dear(s);
  loop->price = entries * entries / s->n;
  loop->run->price = 2 * entries;
  return PERP_OK;
}

/* b −= E z, where A is not symmetric. */
static void subtract_skew(const local *s, const double *z, double *b) {
  if (!s->skew) return;
  for (int32_t i = 0; i < s->n; i++) {
    const double zi = z[i];
    double sum = 0;
    for (int32_t k = s->A.start[i] + 1; k < s->A.start[i + 1]; k++) {
      sum += s->skewed[k] * z[s->A.index[k]];
      b[s->A.index[k]] += s->skewed[k] * zi;
    }
    b[i] -= sum;
  }
}

static perp_status to_reaction(admm *loop) {
  local *s = (local *)loop;
  subtract_skew(s, loop->z, loop->step);
  return perp_factor_solve(&s->A, loop->step);
}

static void velocity(admm *loop) {
  const local *s = (const local *)loop;
  const session *run = loop->run;
  memcpy(run->y, run->problem->q, (size_t)s->n * sizeof *run->y);
  perp_matrix_multiply_add(s->M, run->lambda, run->y);
  for (int32_t i = 0; i < s->n; i++) loop->w[s->place[i]] = s->d[i] * run->y[i];
}

static void keep(admm *loop) { (void)perp_session_keep(loop->run, loop->run->merit); }

static int judge(admm *loop, double *relative, double *scale) {
  session *run = loop->run;
  perp_residual r;
  perp_residual_compute(run->problem, run->lambda, run->y, &r, run->scratch);
  *relative = r.relative;
  *scale = r.scale;
  return perp_residual_solved(&r, run->tol);
}

/* --- the solver ------------------------------------------------------------------------------ */

static perp_status start(void *state, session *run) {
  static const admm_form form = {factorise, to_reaction, velocity, keep, judge};
  local *s = state;
  perp_admm_open(&s->loop, run, &form);
  s->M = &run->problem->M;
  prepare(s, run->scratch);
  s->loop.place = s->place;
  perp_admm_fill(&s->loop, s->d);
  if (!perp_admm_begin(&s->loop)) { /* of no use: an infinity comes of it */
    memset(run->lambda, 0, (size_t)s->n * sizeof *run->lambda);
    (void)perp_admm_begin(&s->loop);
  }
  return perp_admm_first_factor(&s->loop);
}

static perp_status finish(void *state, session *run, perp_status status) {
  local *s = state;
  if (status == PERP_STOPPED) perp_session_take_best(run);
  perp_factor_release(&s->A);
  if (status == PERP_EUNSUPPORTED) return fail(run->info, status, "M", -1, 0);
  if (status == PERP_EBACKEND) return fail(run->info, status, "sparse", -1, 0);
  return status;
}

const perp_solver *perp_solver_admm(void) {
  static const perp_method method = {.state = METHOD_STATE(local),
                                     .ranges = perp_admm_ranges,
                                     .needs = NEEDS_SHAPE | NEEDS_BEST | NEEDS_JUDGE,
                                     .carve = carve,
                                     .start = start,
                                     .iterate = perp_admm_iterate,
                                     .finish = finish};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = CONTACT_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "admm",
                                     .defaults = &perp_admm_defaults,
                                     .method = &method};
  return &solver;
}
