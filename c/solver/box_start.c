/* SPDX-License-Identifier: MIT */
/* The first dictionary of a path. With the eliminated free unknowns left out it is
 *   y' = S λ' + g + d t,   S = M'_NN − M'_NF M'_FF^-1 M'_FN,
 * all λ' nonbasic at 0. Then those that the modes want, and the free ones that were left over
 * because M'_FF is singular, enter the basis against their own y', the largest entry first. A free
 * unknown without such an entry needs one or two bounded members in the basis with it: from
 *
 *   [ 0     S_rj ]          [ 0     S_ra  0    ]
 *   [ S_jc  .    ]    or    [ 0     .     S_ab ]
 *                           [ S_bc  .     .    ]
 *
 * the off-diagonal entries are pivots, and the basis has as many λ' as it lost y' of the same
 * pairs. */
#include "solver/box_path.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "solver/interval.h"

/* ---- memory ---- */

void perp_box_path_carve(box_path *p, arena *a, int32_t n) {
  const size_t m = (size_t)n;
  memset(p, 0, sizeof *p);
  perp_box_factor_carve(&p->f, a, n);
  p->n = n;
  if (n > INT32_MAX / 2 - 1) a->failed = 1; /* 2 n + 1 variables need names */
  if (m > SIZE_MAX / sizeof *p->s.D - 6) a->failed = 1;
  p->s.D = arena_take(a, m, (m + 6) * sizeof *p->s.D);
  p->member = arena_take(a, 9 * m + 3, sizeof *p->member);
  p->unbounded = arena_take(a, m, 4);
  if (p->s.D == NULL || p->member == NULL) return;
  p->width = p->s.D + m * (m + 2);
  p->reference = p->width + m;
  p->x = p->reference + m;
  p->v = p->x + m;
  p->row = p->member + m;
  p->local = p->row + m;
  p->s.basic = p->local + m;
  p->origin = p->s.basic + m;
  p->s.nonbasic = p->origin + m;
  p->s.ties = p->s.nonbasic + m + 1;
  p->s.where = p->s.ties + m + 1;
  p->flip = p->unbounded + m;
  p->origin_flip = p->flip + m;
  p->chosen = p->origin_flip + m;
}

/* ---- the problem ---- */

static int is_free(const box_data *data, int32_t i) {
  return data->lower[i] < -DBL_MAX && data->upper[i] > DBL_MAX;
}

/* Where the unknowns stand that are not basic, and g there. 0 if q is not finite. */
static int refer(box_path *p, const unsigned char *modes) {
  const box_data *data = p->data;
  const int32_t n = p->n;
  double *g = box_column(&p->f, n + 1), worst = 0;
  for (int32_t i = 0; i < n; i++) {
    const unsigned char mode = modes == NULL ? PERP_MODE_UNKNOWN : modes[i];
    double at = data->lower[i];
    if (is_free(data, i)) at = 0;
    if (box_upper(data->lower[i], data->upper[i], mode)) at = data->upper[i];
    p->reference[i] = at;
    p->chosen[i] = (unsigned char)is_free(data, i);
    g[i] = data->q[i] / p->f.R[i];
    worst += 0 * data->q[i];
    if (data->shift != 0) g[i] -= data->shift * (data->center[i] / p->f.C[i]);
  }
  for (int32_t j = 0; j < n; j++) {
    const double at = p->reference[j] / p->f.C[j], *w = box_column(&p->f, j);
    for (int32_t i = 0; i < n && at != 0; i++) g[i] += w[i] * at;
  }
  return worst == 0;
}

/* Members are the unknowns with bounds and the free ones that were left over. */
static void list_members(box_path *p, const unsigned char *modes) {
  const box_data *data = p->data;
  p->m = 0;
  for (int32_t i = 0; i < p->n; i++) {
    const int open = box_bit(p->f.open_cols, i), fixed = !(data->lower[i] < data->upper[i]);
    p->local[i] = open && !fixed ? p->m : -1;
    if (!open || fixed) continue;
    const int32_t e = p->m++;
    const unsigned char mode = modes == NULL ? PERP_MODE_UNKNOWN : modes[i];
    p->member[e] = i;
    p->unbounded[e] = p->chosen[i];
    p->flip[e] = (unsigned char)box_upper(data->lower[i], data->upper[i], mode);
    p->width[e] = p->chosen[i] ? (double)INFINITY : (data->upper[i] - data->lower[i]) / p->f.C[i];
  }
}

/* The row of M' that stands for the y of each member: its own, but for free unknowns the rows that
 * are left, in their order. */
static void list_rows(box_path *p) {
  int32_t next = 0;
  for (int32_t e = 0; e < p->m; e++) {
    p->row[e] = p->member[e];
    if (!p->unbounded[e]) continue;
    while (!p->chosen[next] || !box_bit(p->f.open_rows, next)) next++;
    p->row[e] = next++;
  }
}

static void gather(box_path *p) {
  const int32_t m = p->m, n = p->n;
  const int32_t *row = p->row;
  int turned = 0;
  list_rows(p);
  for (int32_t i = 0; i < m; i++) turned |= p->flip[i];
  for (int32_t j = 0; j < m + 2; j++) {
    const double *w = box_column(&p->f, j < m ? p->member[j] : n + (j - m));
    double *a = path_column(p, j);
    const double sign = j < m && p->flip[j] ? -1 : 1;
    for (int32_t i = 0; i < m; i++) a[i] = sign * w[row[i]];
    for (int32_t i = 0; i < m && turned; i++)
      if (p->flip[i]) a[i] = -a[i];
  }
  p->s.n = m;
  perp_dictionary_begin(&p->s);
}

/* ---- unknowns that begin in the basis ---- */

/* Whether the row still has the y', the column the λ', of a member that shall be basic. */
static int row_wanted(const box_path *p, int32_t r) {
  return p->s.basic[r] < p->m && p->chosen[p->s.basic[r]];
}

static int column_wanted(const box_path *p, int32_t c) {
  return p->s.nonbasic[c] >= p->m && p->s.nonbasic[c] < 2 * p->m &&
         p->chosen[p->s.nonbasic[c] - p->m];
}

/* Members with bounds that may join: both variables of the pair where they began. */
static int may_join(const box_path *p, int32_t e) {
  return !p->unbounded[e] && !p->chosen[e] && p->s.where[e] < 0 && p->s.where[p->m + e] >= 0;
}

/* 0, and nothing done, if the last pivot is too small. */
static int join(box_path *p, int32_t r, int32_t c, int32_t a, int32_t b) {
  const int32_t at_b = -1 - p->s.where[b], at_a = p->s.where[p->m + a];
  perp_dictionary_pivot(&p->s, at_b, c);
  perp_dictionary_pivot(&p->s, r, at_a);
  if (a == b) return 1;
  const int32_t last = -1 - p->s.where[a], entering = p->s.where[p->m + b];
  if (fabs(path_column(p, entering)[last]) > BOX_ZERO) {
    perp_dictionary_pivot(&p->s, last, entering);
    return 1;
  }
  perp_dictionary_pivot(&p->s, r, at_a);
  perp_dictionary_pivot(&p->s, at_b, c);
  return 0;
}

static double lesser(double x, double y) { return x < y ? x : y; }

/* Entry of the row of y'_e, or of a row, in the column of λ'_a. */
static double entry_at(const box_path *p, int32_t r, int32_t a) {
  return fabs(path_column(p, p->s.where[p->m + a])[r]);
}

/* The smallest pivot where a, whose is left, and b join for column c, less where a bound on two
 * sides joins. */
static double size_of_join(const box_path *p, double left, int32_t c, int32_t a, int32_t b) {
  if (!may_join(p, b)) return 0;
  double size = lesser(left, fabs(path_column(p, c)[-1 - p->s.where[b]]));
  if (a != b) size = lesser(size, entry_at(p, -1 - p->s.where[a], b));
  if (!(size > BOX_ZERO)) return 0;
  return p->width[a] <= DBL_MAX || p->width[b] <= DBL_MAX ? 1e-3 * size : size;
}

/* Bring in one member with bounds, or else two, for a row and a column that are left. */
static int join_largest(box_path *p) {
  const int32_t m = p->m;
  double most = 0;
  int32_t best[4] = {0};
  for (int two = 0; two < 2 && !(most > 0); two++)
    for (int32_t r = 0; r < m; r++)
      for (int32_t a = 0; a < m && row_wanted(p, r); a++) {
        const double left = may_join(p, a) ? entry_at(p, r, a) : 0;
        for (int32_t c = 0; c < m && left > BOX_ZERO; c++)
          for (int32_t b = two ? 0 : a; b < (two ? m : a + 1) && column_wanted(p, c); b++) {
            const double size = two && a == b ? 0 : size_of_join(p, left, c, a, b);
            if (!(size > most)) continue;
            const int32_t here[4] = {r, c, a, b};
            memcpy(best, here, sizeof best);
            most = size;
          }
      }
  return most > 0 && join(p, best[0], best[1], best[2], best[3]);
}

/* chosen: of the members from here on. */
static void enter_wanted(box_path *p, const unsigned char *modes) {
  for (int32_t e = 0; e < p->m; e++)
    p->chosen[e] = p->unbounded[e] || (modes != NULL && modes[p->member[e]] == PERP_MODE_FREE)
                       ? PERP_MODE_FREE
                       : 0;
  do {
    while (perp_dictionary_enter(&p->s, p->chosen)) {
    }
    p->missing = 0;
    for (int32_t e = 0; e < p->m; e++) p->missing += p->chosen[e] && p->s.where[p->m + e] >= 0;
  } while (p->missing > 0 && join_largest(p));
}

/* ---- covering ---- */

/* The unit of t in which d has entries of size one, as W and C have: else what t changes by might
 * count as zero. */
static double unit_of_level(const box_path *p, const double *d) {
  double most = 0;
  for (int32_t r = 0; r < p->m; r++) most = d[r] > most ? d[r] : most;
  return most > 0x1p20 || most < 0x1p-20 ? power_of_two(most) : 1;
}

/* t from infinity: +d in every row with a bound on one side. A basic λ' between two bounds is put
 * into their middle at the t that is reached first. */
static void cover(box_path *p, const double *covering) {
  double *d = path_column(p, p->m), *v = path_column(p, p->m + 1), begin = 0;
  for (int32_t r = 0; r < p->m; r++) {
    const int32_t b = p->s.basic[r], e = b < p->m ? b : b - p->m;
    const double size = covering == NULL ? 1 : covering[p->member[e]];
    d[r] = p->unbounded[e] ? 0 : size / p->f.R[p->member[e]];
    if (b >= p->m && p->width[e] <= DBL_MAX) d[r] = 0;
  }
  const double unit = unit_of_level(p, d);
  for (int32_t r = 0; r < p->m; r++) {
    d[r] /= unit;
    if (d[r] > 0 && -v[r] > begin * d[r]) begin = -v[r] / d[r];
  }
  if (!(begin > 0)) begin = 1;
  for (int32_t r = 0; r < p->m; r++) {
    const int32_t e = p->s.basic[r] - p->m;
    if (e < 0 || p->unbounded[e] || p->width[e] > DBL_MAX) continue;
    if (v[r] < 0 || v[r] > p->width[e]) d[r] = (p->width[e] / 2 - v[r]) / begin;
  }
}

int perp_box_path_open(box_path *p, const box_data *data, const unsigned char *modes,
                       const double *covering, const double *from) {
  const int32_t n = p->n;
  p->data = data;
  p->stop = 0;
  p->ceiling = from == NULL ? (double)INFINITY : 1;
  p->at = -1;
  p->missing = p->m = 0;
  if (!perp_box_factor_load(&p->f, data->M, data->shift) || !refer(p, modes)) return 0;
  double *d = box_column(&p->f, n);
  for (int32_t i = 0; i < n; i++) d[i] = from == NULL ? 0 : -from[i] / p->f.R[i];
  perp_box_factor_eliminate(&p->f, p->chosen, 1);
  list_members(p, modes);
  gather(p);
  enter_wanted(p, modes);
  if (from == NULL) cover(p, covering);
  memcpy(p->origin, p->s.basic, (size_t)p->m * sizeof *p->origin);
  memcpy(p->origin_flip, p->flip, (size_t)p->m);
  return 1;
}
