/* SPDX-License-Identifier: MIT */
/* Condensation, W = H M⁻¹ Hᵀ. What couples what: M falls into connected components, M⁻¹ into the
 * same ones; contact α touches the components in which a row of H_α has an entry, and W_αβ is not 0
 * only where α and β touch one and the same. Components by union and find, with halved paths.
 *
 * The numbers: M is factorised component by component; then column by column
 *
 *   X_c := M_cc⁻¹ H_βcᵀ,   W_αβ += H_αc X_c   for every component c that β touches, α that c
 * reaches,
 *
 * for α >= β alone where M is symmetric: the others are mirrored, so W is symmetric bit by bit.
 * H_αcᵀ of a small component is written as a dense block first; of a large one it is read row by
 * row. Blocks of a row lie in the order of their columns, so the place of W_αβ moves on by one
 * block in every row α as β runs. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/global_problem.h"
#include "solver/global.h"
#include "solver/interval.h"

/* From so many unknowns on, and where at most one entry in so many is stored, a component goes to
 * the sparse back end. */
enum { SPARSE_SIZE = 100, SPARSE_FILL = 8 };

/* M differs from its transpose by more than rounding. */
#define SAME 1e-13

/* Up to this size a component counts as a body, whose part of H is full. */
enum { BODY = 12 };

/* --- H --------------------------------------------------------------------------------------- */

int32_t perp_global_row_length(const perp_matrix *H, int32_t i) {
  if (H->kind == PERP_BLOCKS) return H->start[i + 1] - H->start[i];
  int32_t count = 0;
  for (int32_t j = 0; j < H->cols && H->kind == PERP_DENSE; j++)
    count += H->values[(size_t)i + (size_t)H->ld * (size_t)j] != 0;
  return count;
}

uint64_t perp_global_stored(const perp_matrix *H) {
  uint64_t count = 0;
  for (int32_t i = 0; i < H->rows; i++) count += (uint64_t)perp_global_row_length(H, i);
  return count;
}

void perp_global_copy_rows(const perp_matrix *H, int32_t *start, int32_t *index, double *value) {
  int32_t at = 0;
  for (int32_t i = 0; i < H->rows; i++) {
    const int dense = H->kind == PERP_DENSE, stored = H->kind == PERP_BLOCKS;
    const int32_t end = dense ? H->cols : stored ? H->start[i + 1] : 0;
    start[i] = at;
    for (int32_t k = stored ? H->start[i] : 0; k < end; k++) {
      const double h = H->values[dense ? (size_t)i + (size_t)H->ld * (size_t)k : (size_t)k];
      if (dense && h == 0) continue;
      index[at] = dense ? k : H->index[k];
      value[at++] = h;
    }
  }
  start[H->rows] = at;
}

static void take_rows(global_pattern *p) {
  p->H = p->g->H;
  if (p->H.kind == PERP_BLOCKS) return;
  perp_global_copy_rows(&p->g->H, p->h_start, p->h_index, p->h_value);
  p->H = perp_sparse_rows(p->g->n, p->g->m, p->h_start, p->h_index, p->h_value);
}

/* --- memory ---------------------------------------------------------------------------------- */

void perp_global_pattern_carve(global_pattern *p, arena *a, const perp_global_problem *g) {
  const size_t m = (size_t)g->m, i = sizeof(int32_t), d = sizeof(double);
  const perp_problem laws = perp_global_laws(g);
  const int cut = g->M.kind == PERP_BLOCKS && g->M.offset != NULL;
  const int own = g->H.kind != PERP_BLOCKS;
  memset(p, 0, sizeof *p);
  p->g = g;
  p->contacts = perp_problem_contact_count(&laws, &p->widest);
  const uint64_t stored = perp_global_stored(&g->H);
  if (stored > INT32_MAX) a->failed = 1;
  p->stored = (size_t)stored;
  p->component = arena_take(a, m, i);
  p->place = arena_take(a, m, i);
  p->member = arena_take(a, m, i);
  p->first = arena_take(a, m + 1, i);
  p->entries = arena_take(a, m, i);
  p->contact = arena_take(a, (size_t)p->contacts, sizeof(contact));
  p->touch_start = arena_take(a, (size_t)p->contacts + 1, i);
  p->touch = arena_take(a, p->stored, i);
  p->reach_start = arena_take(a, m + 1, i);
  p->reach = arena_take(a, p->stored, i);
  p->link = arena_take(a, p->stored, i);
  p->mark = arena_take(a, g->m > p->contacts ? m : (size_t)p->contacts, i);
  p->h_start = arena_take(a, own ? (size_t)g->n + 1 : 0, i);
  p->h_index = arena_take(a, own ? p->stored : 0, i);
  p->h_value = arena_take(a, own ? p->stored : 0, d);
  p->M.value = arena_take(a, m, d);
  row_reader_carve(&p->M, a, m, cut);
}

/* --- components of M ------------------------------------------------------------------------- */

/* A component has the number of its first velocity. */
static void couple(global_pattern *p) {
  const int32_t m = p->g->m;
  forest_begin(m, p->mark);
  for (int32_t i = 0; i < m && p->g->M.kind != PERP_ZERO && p->g->M.kind != PERP_DIAGONAL; i++) {
    const matrix_row row = row_read(&p->M, i);
    for (int32_t c = 0; c < row.count; c++)
      if (row.value[c] != 0) (void)forest_join(p->mark, i, row.column[c]);
  }
}

static void number_components(global_pattern *p) {
  const int32_t m = p->g->m;
  p->components = 0;
  for (int32_t i = 0; i < m; i++) {
    const int32_t r = forest_root(p->mark, i);
    p->component[i] = r == i ? p->components++ : p->component[r];
  }
  for (int32_t c = 0; c <= p->components; c++) p->first[c] = 0;
  for (int32_t i = 0; i < m; i++) {
    p->place[i] = p->first[p->component[i] + 1]++;
    if (p->place[i] + 1 > p->largest) p->largest = p->place[i] + 1;
  }
  for (int32_t c = 0; c < p->components; c++) p->first[c + 1] += p->first[c];
  for (int32_t i = 0; i < m; i++) p->member[p->first[p->component[i]] + p->place[i]] = i;
}

/* Entries of M in each component; saturates. */
static void count_entries(global_pattern *p) {
  for (int32_t c = 0; c < p->components; c++) p->entries[c] = 0;
  for (int32_t i = 0; i < p->g->m; i++) {
    const matrix_row row = row_read(&p->M, i);
    int32_t *entries = &p->entries[p->component[i]];
    for (int32_t c = 0; c < row.count; c++)
      if (row.value[c] != 0 && *entries < INT32_MAX) ++*entries;
  }
}

/* --- who touches what ------------------------------------------------------------------------ */

static void find_touched(global_pattern *p) {
  int32_t count = 0;
  for (int32_t c = 0; c < p->components; c++) p->mark[c] = -1;
  for (int32_t k = 0; k < p->contacts; k++) {
    const contact *a = &p->contact[k];
    p->touch_start[k] = count;
    for (int32_t i = a->begin; i < a->begin + a->size; i++) {
      for (int32_t e = p->H.start[i]; e < p->H.start[i + 1]; e++) {
        const int32_t c = p->component[p->H.index[e]];
        if (p->mark[c] != k) p->touch[count++] = c;
        p->mark[c] = k;
      }
    }
  }
  p->touch_start[p->contacts] = count;
}

static void find_reach(global_pattern *p) {
  for (int32_t c = 0; c <= p->components; c++) p->reach_start[c] = 0;
  for (int32_t k = 0; k < p->touch_start[p->contacts]; k++) p->reach_start[p->touch[k] + 1]++;
  for (int32_t c = 0; c < p->components; c++) p->reach_start[c + 1] += p->reach_start[c];
  for (int32_t c = 0; c < p->components; c++) p->mark[c] = p->reach_start[c];
  for (int32_t k = 0; k < p->contacts; k++)
    for (int32_t t = p->touch_start[k]; t < p->touch_start[k + 1]; t++) {
      const int32_t e = p->mark[p->touch[t]]++;
      p->reach[e] = k;
      p->link[e] = t;
    }
}

/* --- blocks of W ----------------------------------------------------------------------------- */

/* Mark the contacts that share a component with contact k, itself first; out (may be NULL) takes
 * them. Their number, and how many unknowns they have. */
static int32_t partners(const global_pattern *p, int32_t k, int32_t *out, size_t *unknowns) {
  int32_t count = 1;
  p->mark[k] = k;
  if (out != NULL) out[0] = k;
  *unknowns = (size_t)p->contact[k].size;
  for (int32_t t = p->touch_start[k]; t < p->touch_start[k + 1]; t++) {
    const int32_t c = p->touch[t];
    for (int32_t e = p->reach_start[c]; e < p->reach_start[c + 1]; e++) {
      const int32_t other = p->reach[e];
      if (p->mark[other] == k) continue;
      p->mark[other] = k;
      *unknowns += (size_t)p->contact[other].size;
      if (out != NULL) out[count] = other;
      count++;
    }
  }
  return count;
}

static void no_marks(const global_pattern *p) {
  for (int32_t k = 0; k < p->contacts; k++) p->mark[k] = -1;
}

static void count_row(global_pattern *p, int32_t k) {
  const contact *a = &p->contact[k];
  const size_t rows = (size_t)a->size;
  int32_t first = a->begin;
  size_t cols;
  p->blocks += (size_t)partners(p, k, NULL, &cols);
  p->nonzeros += rows * cols;
  for (int32_t t = p->touch_start[k]; t < p->touch_start[k + 1]; t++) {
    const int32_t *reach = p->reach + p->reach_start[p->touch[t]];
    if (p->contact[*reach].begin < first) first = p->contact[*reach].begin;
  }
  p->envelope += rows * (size_t)(a->begin - first) + rows * (rows + 1) / 2;
}

int perp_global_pattern_make(global_pattern *p) {
  const perp_problem laws = perp_global_laws(p->g);
  perp_row_reader_prepare(&p->M, &p->g->M);
  if (p->contacts > 0) perp_problem_contacts(&laws, p->contact);
  take_rows(p);
  couple(p);
  number_components(p);
  count_entries(p);
  find_touched(p);
  find_reach(p);
  no_marks(p);
  for (int32_t c = 0; c < p->contacts; c++) count_row(p, c);
  return p->blocks <= INT32_MAX;
}

/* W's block columns row by row, ascending: start (contacts + 1), index (p->blocks); spare holds as
 * many as index. */
static void blocks_of(const global_pattern *p, int32_t *start, int32_t *index, int32_t *spare) {
  int32_t count = 0;
  size_t unknowns;
  no_marks(p);
  for (int32_t k = 0; k < p->contacts; k++) {
    start[k] = count;
    count += partners(p, k, spare + count, &unknowns);
  }
  start[p->contacts] = count;
  /* W's pattern is symmetric, so its transpose, written row by row, is it in order */
  for (int32_t k = 0; k < p->contacts; k++) p->mark[k] = start[k];
  for (int32_t k = 0; k < p->contacts; k++)
    for (int32_t e = start[k]; e < start[k + 1]; e++) index[p->mark[spare[e]]++] = k;
}

static size_t size_of(const global_pattern *p, int32_t c) {
  return (size_t)(p->first[c + 1] - p->first[c]);
}

static int is_sparse(const condensation *s, int32_t c) {
  const size_t n = size_of(s->p, c);
  return s->sparse != NULL && n >= SPARSE_SIZE && (size_t)s->p->entries[c] <= n * (n / SPARSE_FILL);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void carve_factors(condensation *s, arena *a) {
  const global_pattern *p = s->p;
  s->K = arena_take(a, (size_t)p->components, sizeof *s->K);
  s->four = arena_take(a, (size_t)p->g->m, 4 * sizeof(double));
  for (int32_t c = 0; c < p->components; c++) {
    const size_t n = size_of(p, c);
    any_factor f = {.way = is_sparse(s, c) ? FACTOR_SPARSE : FACTOR_LU, .n = (int32_t)n};
    if (f.way == FACTOR_SPARSE) {
      f.table = s->sparse;
      factor_carve_rows(&f, a, n, (size_t)p->entries[c]);
    } else {
      f.dense = arena_take(a, n, n * sizeof(double));
      f.pivots = arena_take(a, n, sizeof(int32_t));
    }
    if (s->K != NULL) s->K[c] = f;
  }
}

static void carve_packed(condensation *s, arena *a) {
  const global_pattern *p = s->p;
  size_t doubles = 0;
  for (int32_t k = 0; k < p->contacts; k++)
    for (int32_t t = p->touch_start[k]; t < p->touch_start[k + 1]; t++)
      if (size_of(p, p->touch[t]) <= BODY)
        doubles += size_of(p, p->touch[t]) * (size_t)p->contact[k].size;
  s->packed_at = arena_take(a, (size_t)p->touch_start[p->contacts], sizeof(size_t));
  s->packed = arena_take(a, doubles, sizeof(double));
}

void perp_condensation_carve(condensation *s, arena *a, const global_pattern *p,
                             const perp_sparse *sparse, int32_t kind) {
  const size_t n = (size_t)p->g->n, k = (size_t)p->contacts;
  const size_t i = sizeof(int32_t), d = sizeof(double);
  const int blocks = kind == PERP_BLOCKS;
  memset(s, 0, sizeof *s);
  s->p = p;
  s->sparse = sparse;
  s->kind = kind;
  s->singular = -1;
  carve_factors(s, a);
  carve_packed(s, a);
  s->x = arena_take(a, (size_t)p->largest, d * (size_t)(p->widest > 1 ? p->widest : 1));
  s->where = arena_take(a, k, sizeof(size_t));
  s->next = arena_take(a, k, sizeof(size_t));
  s->start = arena_take(a, blocks ? k + 1 : 0, i);
  s->cuts = arena_take(a, blocks ? k + 1 : 0, i);
  s->index = arena_take(a, blocks ? p->blocks : 0, i);
  if (!blocks && n > 0 && n > SIZE_MAX / 16 / n) a->failed = 1;
  s->W = arena_take(a, blocks ? p->nonzeros : n * n, d);
  s->q = arena_take(a, n, d);
}

/* --- factors --------------------------------------------------------------------------------- */

/* A (n x n) := the entries of M in component c. */
static void gather_dense(condensation *s, int32_t c, double *A) {
  const global_pattern *p = s->p;
  const size_t n = size_of(p, c);
  memset(A, 0, n * n * sizeof *A);
  for (int32_t k = p->first[c]; k < p->first[c + 1]; k++) {
    const int32_t i = p->member[k];
    const matrix_row row = row_read(&p->M, i);
    for (int32_t e = 0; e < row.count; e++)
      if (row.value[e] != 0)
        A[(size_t)p->place[i] + n * (size_t)p->place[row.column[e]]] += row.value[e];
  }
}

/* Pivots that are rounding of their columns, whose largest entries are in size. */
static int singular_pivot(size_t n, const double *A, const double *size) {
  for (size_t j = 0; j < n; j++)
    if (!(fabs(A[j + n * j]) > (double)n * DBL_EPSILON * size[j])) return 1;
  return 0;
}

static perp_status factor_dense(condensation *s, int32_t c) {
  const size_t n = size_of(s->p, c);
  double *A = s->K[c].dense;
  gather_dense(s, c, A);
  for (size_t j = 0; j < n; j++) s->x[j] = largest_size((int32_t)n, A + n * j);
  const perp_status status = perp_factor_make(&s->K[c], 0);
  return status != PERP_OK || singular_pivot(n, A, s->x) ? PERP_EINVAL : PERP_OK;
}

static perp_status factor_sparse(condensation *s, int32_t c) {
  const global_pattern *p = s->p;
  any_factor *f = &s->K[c];
  int32_t count = 0;
  if (s->sparse->symmetric && !s->symmetric) return PERP_EUNSUPPORTED;
  for (int32_t k = 0; k < f->n; k++) {
    const matrix_row row = row_read(&p->M, p->member[p->first[c] + k]);
    f->start[k] = count;
    for (int32_t e = 0; e < row.count; e++) {
      if (row.value[e] == 0) continue;
      f->index[count] = p->place[row.column[e]];
      f->values[count++] = row.value[e];
    }
  }
  f->start[f->n] = count;
  return perp_factor_make(f, 0);
}

perp_status perp_condensation_factor(condensation *s) {
  const global_pattern *p = s->p;
  s->symmetric = perp_factor_symmetric(&p->g->M, NULL, SAME, s->four);
  for (int32_t c = 0; c < p->components; c++) {
    const perp_status status =
        s->K[c].way == FACTOR_SPARSE ? factor_sparse(s, c) : factor_dense(s, c);
    if (status == PERP_OK) continue;
    s->singular = p->member[p->first[c]];
    return status;
  }
  return PERP_OK;
}

void perp_condensation_release(condensation *s) {
  for (int32_t c = 0; c < s->p->components; c++) perp_factor_release(&s->K[c]);
}

/* B (cols columns of the size of component c) := M_cc⁻¹ B */
static perp_status solve_component(condensation *s, int32_t c, int32_t cols, double *B) {
  any_factor *f = &s->K[c];
  if (f->n == 1)
    for (int32_t k = 0; k < cols; k++) B[k] /= *f->dense;
  else if (f->way == FACTOR_LU)
    perp_dense_lu_solve(f->n, cols, f->dense, f->n, f->pivots, B, f->n);
  else
    for (int32_t k = 0; k < cols; k++) (void)perp_factor_solve(f, B + (size_t)f->n * (size_t)k);
  return f->failure;
}

perp_status perp_condensation_solve(condensation *s, double *x) {
  const global_pattern *p = s->p;
  for (int32_t c = 0; c < p->components; c++) {
    for (int32_t k = p->first[c]; k < p->first[c + 1]; k++) s->x[k - p->first[c]] = x[p->member[k]];
    const perp_status status = solve_component(s, c, 1, s->x);
    if (status != PERP_OK) return status;
    for (int32_t k = p->first[c]; k < p->first[c + 1]; k++) x[p->member[k]] = s->x[k - p->first[c]];
  }
  return PERP_OK;
}

/* --- W --------------------------------------------------------------------------------------- */

/* Where the blocks of column k begin. */
static void open_column(condensation *s, int32_t k) {
  const global_pattern *p = s->p;
  const size_t cols = (size_t)p->contact[k].size;
  if (s->kind == PERP_DENSE) {
    const size_t left = (size_t)p->g->n * (size_t)p->contact[k].begin;
    for (int32_t a = 0; a < p->contacts; a++) s->where[a] = left + (size_t)p->contact[a].begin;
    return;
  }
  for (int32_t e = s->start[k]; e < s->start[k + 1]; e++) {
    const int32_t a = s->index[e];
    s->where[a] = s->next[a];
    s->next[a] += (size_t)p->contact[a].size * cols;
  }
}

static size_t stride(const condensation *s, int32_t k) {
  return (size_t)(s->kind == PERP_DENSE ? s->p->g->n : s->p->contact[k].size);
}

/* X := H_βcᵀ for contact k. */
static void load_column(const condensation *s, int32_t k, int32_t c, double *x) {
  const global_pattern *p = s->p;
  const contact *b = &p->contact[k];
  const size_t n = size_of(p, c);
  memset(x, 0, n * (size_t)b->size * sizeof *x);
  for (int32_t i = 0; i < b->size; i++)
    for (int32_t e = p->H.start[b->begin + i]; e < p->H.start[b->begin + i + 1]; e++)
      if (p->component[p->H.index[e]] == c)
        x[(size_t)p->place[p->H.index[e]] + n * (size_t)i] += p->H.values[e];
}

static void pack(condensation *s) {
  const global_pattern *p = s->p;
  size_t at = 0;
  for (int32_t k = 0; k < p->contacts; k++)
    for (int32_t t = p->touch_start[k]; t < p->touch_start[k + 1]; t++) {
      const size_t n = size_of(p, p->touch[t]);
      s->packed_at[t] = n <= BODY ? at : SIZE_MAX;
      if (n > BODY) continue;
      load_column(s, k, p->touch[t], s->packed + at);
      at += n * (size_t)p->contact[k].size;
    }
}

/* W (rows x cols, stride ld) += Aᵀ X, A and X of n rows. */
static inline void add_product(size_t n, size_t rows, size_t cols, const double *restrict A,
                               const double *restrict X, double *restrict W, size_t ld) {
  for (size_t j = 0; j < cols; j++)
    for (size_t i = 0; i < rows; i++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += A[k + n * i] * X[k + n * j];
      W[i + ld * j] += sum;
    }
}

/* W_αβ += H_αc X, read from the rows of H. */
static void add_sparse(condensation *s, int32_t k, int32_t c, int32_t cols) {
  const global_pattern *p = s->p;
  const contact *a = &p->contact[k];
  const size_t n = size_of(p, c), ld = stride(s, k);
  for (int32_t i = 0; i < a->size; i++) {
    double *w = s->W + s->where[k] + i;
    for (int32_t e = p->H.start[a->begin + i]; e < p->H.start[a->begin + i + 1]; e++) {
      if (p->component[p->H.index[e]] != c) continue;
      const double *x = s->x + p->place[p->H.index[e]], h = p->H.values[e];
      for (int32_t j = 0; j < cols; j++) w[ld * (size_t)j] += h * x[n * (size_t)j];
    }
  }
}

/* W_αβ += H_αc X for the entry e of reach. */
static void add_block(condensation *s, int32_t e, int32_t c, int32_t cols) {
  const global_pattern *p = s->p;
  const int32_t k = p->reach[e], rows = p->contact[k].size;
  const size_t at = s->packed_at[p->link[e]], n = size_of(p, c), ld = stride(s, k);
  double *W = s->W + s->where[k];
  if (at == SIZE_MAX)
    add_sparse(s, k, c, cols);
  else if (rows == 3 && cols == 3)
    add_product(n, 3, 3, s->packed + at, s->x, W, ld);
  else
    add_product(n, (size_t)rows, (size_t)cols, s->packed + at, s->x, W, ld);
}

static perp_status add_column(condensation *s, int32_t k) {
  const global_pattern *p = s->p;
  const int32_t cols = p->contact[k].size;
  for (int32_t t = p->touch_start[k]; t < p->touch_start[k + 1]; t++) {
    const int32_t c = p->touch[t];
    const size_t at = s->packed_at[t];
    if (at == SIZE_MAX)
      load_column(s, k, c, s->x);
    else
      memcpy(s->x, s->packed + at, size_of(p, c) * (size_t)cols * sizeof *s->x);
    const perp_status status = solve_component(s, c, cols, s->x);
    if (status != PERP_OK) return status;
    for (int32_t e = p->reach_start[c + 1]; e-- > p->reach_start[c];) {
      if (s->symmetric && p->reach[e] < k) break;
      add_block(s, e, c, cols);
    }
  }
  return PERP_OK;
}

/* The block (α, k) := block (k, α)ᵀ, which begins at from. */
static void mirror(condensation *s, int32_t alpha, int32_t k, size_t from) {
  const int32_t rows = s->p->contact[alpha].size, cols = s->p->contact[k].size;
  const size_t ld = stride(s, alpha), ldf = stride(s, k);
  for (int32_t j = 0; j < cols; j++)
    for (int32_t i = 0; i < rows; i++)
      s->W[s->where[alpha] + (size_t)i + ld * (size_t)j] = s->W[from + (size_t)j + ldf * (size_t)i];
}

/* The blocks above the diagonal of column k from those left of it in row k; and the diagonal block
 * itself, whose lower half counts. */
static void mirror_column(condensation *s, int32_t k) {
  const global_pattern *p = s->p;
  const size_t n = (size_t)p->g->n, rows = (size_t)p->contact[k].size, ld = stride(s, k);
  double *diagonal = s->W + s->where[k];
  if (s->kind == PERP_DENSE) {
    for (int32_t a = 0; a < k; a++)
      mirror(s, a, k, (size_t)p->contact[k].begin + n * (size_t)p->contact[a].begin);
  } else {
    size_t from = s->where[k];
    int32_t e = s->start[k];
    while (s->index[e] < k) e++;
    while (e-- > s->start[k]) {
      from -= rows * (size_t)p->contact[s->index[e]].size;
      mirror(s, s->index[e], k, from);
    }
  }
  for (size_t j = 1; j < rows; j++)
    for (size_t i = 0; i < j; i++) diagonal[i + ld * j] = diagonal[j + ld * i];
}

static void open_blocks(condensation *s) {
  const global_pattern *p = s->p;
  size_t at = 0;
  /* the values of W are not there yet, and have room for the unsorted rows */
  blocks_of(p, s->start, s->index, (int32_t *)(void *)s->W);
  for (int32_t k = 0; k < p->contacts; k++) {
    s->cuts[k] = p->contact[k].begin;
    s->next[k] = at;
    for (int32_t e = s->start[k]; e < s->start[k + 1]; e++)
      at += (size_t)p->contact[k].size * (size_t)p->contact[s->index[e]].size;
  }
  s->cuts[p->contacts] = p->g->n;
}

static perp_status fill_matrix(condensation *s) {
  const global_pattern *p = s->p;
  const size_t n = (size_t)p->g->n, entries = s->kind == PERP_BLOCKS ? p->nonzeros : n * n;
  pack(s);
  if (s->kind == PERP_BLOCKS) open_blocks(s);
  if (entries > 0) memset(s->W, 0, entries * sizeof *s->W);
  for (int32_t k = 0; k < p->contacts; k++) {
    open_column(s, k);
    const perp_status status = add_column(s, k);
    if (status != PERP_OK) return status;
    if (s->symmetric) mirror_column(s, k);
  }
  return PERP_OK;
}

perp_status perp_condensation_fill(condensation *s, double *free) {
  const perp_global_problem *g = s->p->g;
  perp_status status = fill_matrix(s);
  if (status != PERP_OK) return status;
  if (g->m > 0) memcpy(free, g->q, (size_t)g->m * sizeof *free);
  status = perp_condensation_solve(s, free);
  if (g->n > 0) memcpy(s->q, g->b, (size_t)g->n * sizeof *s->q);
  perp_matrix_multiply_add(&g->H, free, s->q);
  return status;
}

perp_problem perp_condensation_view(const condensation *s) {
  const perp_global_problem *g = s->p->g;
  perp_problem view = perp_global_laws(g);
  view.q = s->q;
  if (s->kind == PERP_DENSE)
    view.M = perp_dense(g->n, g->n, s->W);
  else if (s->p->widest <= 1)
    view.M = perp_compressed_rows(g->n, s->start, s->index, s->W);
  else
    view.M = perp_block_rows(s->p->contacts, s->cuts, s->start, s->index, s->W);
  return view;
}
