/* SPDX-License-Identifier: MIT */
/* Lexicographic rule: as if q were q + (eps, eps^2, ..., eps^n). Row i of the dictionary then reads
 *   qbar_i + sum_k c_ik eps^k,   c_ik = -D_ij where w_k is nonbasic in column j,
 *                                c_ik = 1 where w_k is basic in row i, 0 where in another row,
 * so no part of an inverse is stored for it. */
#include "solver/lemke.h"

#include <math.h>

#include "base/finite.h"
#include "base/info.h"
#include "solver/interval.h"
#include "solver/mode.h"

/* Part of the largest entry of a column below which an entry is no pivot. */
static const double pivot_floor = 0x1p-44;
/* Relative difference up to which two ratios are equal. */
static const double equal = 0x1p-36;

/* ---- options ---- */

const perp_lemke_options perp_lemke_defaults = {.struct_size = (uint32_t)sizeof(perp_lemke_options),
                                                .tol = PERP_DEFAULT_TOL,
                                                .kind = "perp_lemke_options"};

void perp_lemke_options_init(perp_lemke_options *opts, size_t size) {
  perp_options_fill(opts, size, &perp_lemke_defaults, sizeof perp_lemke_defaults);
}

perp_status perp_lemke_check_covering(const double *d, int32_t n, perp_info *info) {
  for (int32_t i = 0; d != NULL && i < n; i++) {
    if (!is_finite(d[i])) return fail(info, PERP_ENOTFINITE, "covering", i, d[i]);
    if (!(d[i] > 0)) return fail(info, PERP_EINVAL, "covering", i, d[i]);
  }
  return PERP_OK;
}

/* ---- memory ---- */

void perp_dictionary_place(dictionary *s, int32_t n, double *memory) {
  const size_t m = (size_t)n;
  s->n = n;
  s->D = memory;
  s->noise = 0;
  if (memory == NULL) return;
  s->R = s->D + m * (m + 3);
  s->C = s->R + m;
  s->basic = (int32_t *)(void *)(s->C + m);
  s->nonbasic = s->basic + m;
  s->where = s->nonbasic + m + 1;
  s->ties = s->where + 2 * m + 1;
}

static double *column(const dictionary *s, int32_t c) { return s->D + (size_t)s->n * (size_t)c; }

void perp_equilibrate(int32_t n, double *M, double *R, double *C) {
  const double *m = M;
  for (int32_t i = 0; i < n; i++) R[i] = 0;
  for (int32_t j = 0; j < n; j++, m += n)
    for (int32_t i = 0; i < n; i++) R[i] = fabs(m[i]) > R[i] ? fabs(m[i]) : R[i];
  for (int32_t i = 0; i < n; i++) R[i] = power_of_two(R[i]);
  for (int32_t j = 0; j < n; j++, M += n) {
    for (int32_t i = 0; i < n; i++) M[i] /= R[i];
    C[j] = 1 / power_of_two(largest_size(n, M));
    for (int32_t i = 0; i < n; i++) M[i] *= C[j];
  }
}

void perp_dictionary_begin(dictionary *s) {
  const int32_t n = s->n;
  for (int32_t i = 0; i < n; i++) {
    s->basic[i] = i;
    s->where[i] = -1 - i;
    s->nonbasic[i] = n + i;
    s->where[n + i] = i;
  }
  s->nonbasic[n] = 2 * n;
  s->where[2 * n] = n;
  s->noise = 0x1p-40 * largest_size(n, column(s, n + 1));
}

/* Everything but the covering column, which follows when the first basis is reached. */
static void fill(dictionary *s, const double *q) {
  const int32_t n = s->n;
  double *covering = column(s, n), *qbar = covering + n;
  perp_equilibrate(n, s->D, s->R, s->C);
  for (int32_t i = 0; i < n; i++) {
    covering[i] = 0;
    qbar[i] = q[i] / s->R[i];
  }
  perp_dictionary_begin(s);
}

void perp_dictionary_pivot(dictionary *s, int32_t r, int32_t c) {
  const int32_t n = s->n, out = s->basic[r], in = s->nonbasic[c];
  exchange_variables((size_t)n, (size_t)n + 2, s->D, (size_t)r, (size_t)c);
  double *qbar = column(s, n + 1);
  for (const double *end = qbar + n; qbar < end; qbar++)
    if (fabs(*qbar) <= s->noise) *qbar = 0;
  s->basic[r] = in;
  s->nonbasic[c] = out;
  s->where[in] = -1 - r;
  s->where[out] = c;
}

/* By the largest entry in a row that still has its w and a column that still has its z. */
int perp_dictionary_enter(dictionary *s, const unsigned char *modes) {
  const int32_t n = s->n;
  double largest = pivot_floor;
  int32_t r = -1, c = -1;
  for (int32_t j = 0; j < n; j++) {
    const double *a = column(s, j);
    if (s->nonbasic[j] < n || modes[s->nonbasic[j] - n] != PERP_MODE_FREE) continue;
    for (int32_t i = 0; i < n; i++) {
      if (s->basic[i] >= n || modes[s->basic[i]] != PERP_MODE_FREE) continue;
      if (!(fabs(a[i]) > largest)) continue;
      largest = fabs(a[i]);
      r = i;
      c = j;
    }
  }
  if (r >= 0) perp_dictionary_pivot(s, r, c);
  return r >= 0;
}

/* Make the z of the modes basic; 0 if that basis is singular. */
static int pivot_to(dictionary *s, const unsigned char *modes) {
  for (int32_t i = 0; i < s->n; i++)
    if (modes[i] == PERP_MODE_FREE && !perp_dictionary_enter(s, modes)) return 0;
  return 1;
}

static void cover(dictionary *s, const double *d) {
  double *covering = column(s, s->n);
  for (int32_t i = 0; i < s->n; i++) covering[i] = (d == NULL ? 1 : d[i]) / s->R[i];
}

int perp_dictionary_open(dictionary *s, const double *q, const double *d,
                         const unsigned char *modes) {
  fill(s, q);
  if (modes != NULL && !pivot_to(s, modes)) return 0;
  cover(s, d);
  return 1;
}

int perp_dictionary_resume(dictionary *s, const double *q, const double *d,
                           const unsigned char *modes, int32_t left) {
  fill(s, q);
  cover(s, d);
  if (!pivot_to(s, modes) || s->where[left] >= 0) return 0;
  const double *covering = column(s, s->n);
  const int32_t r = -1 - s->where[left];
  if (!(fabs(covering[r]) > pivot_floor * largest_size(s->n, covering))) return 0;
  perp_dictionary_pivot(s, r, s->n);
  return 1;
}

void perp_dictionary_modes(const dictionary *s, unsigned char *modes) {
  for (int32_t i = 0; i < s->n; i++) {
    modes[i] = PERP_MODE_UNKNOWN;
    if (s->where[i] < 0) modes[i] = PERP_MODE_LOWER;
    if (s->where[s->n + i] < 0) modes[i] = PERP_MODE_FREE;
  }
}

/* Of the rows in ties, keep those whose a value_i / (b D_ic) is least up to rounding; a and b are
 * signs, b D_ic > 0. At least one stays, NaN or not. */
static int32_t keep_least(dictionary *s, int32_t count, double a, const double *value, double b,
                          const double *pivots, double slack) {
  double least = (double)INFINITY;
  int32_t kept = 0;
  for (int32_t t = 0; t < count; t++) {
    double ratio = a * value[s->ties[t]] / (b * pivots[s->ties[t]]);
    if (ratio < least) least = ratio;
  }
  for (int32_t t = 0; t < count; t++) {
    int32_t i = s->ties[t];
    double here = a * value[i], there = least * b * pivots[i];
    if (here - there <= equal * (fabs(here) + fabs(there)) + slack) s->ties[kept++] = i;
  }
  return kept > 0 ? kept : 1;
}

/* Drop a row from ties. */
static int32_t drop(dictionary *s, int32_t count, int32_t row) {
  int32_t kept = 0;
  for (int32_t t = 0; t < count; t++)
    if (s->ties[t] != row) s->ties[kept++] = s->ties[t];
  return kept;
}

/* Break ties by the coefficients of eps, eps^2, ...; then, where rounding has made rows equal, by
 * the size of the pivot. */
static int32_t break_ties(dictionary *s, int32_t count, int32_t c, double sign) {
  const double *pivots = column(s, c);
  for (int32_t k = 0; k < s->n && count > 1; k++) {
    int32_t at = s->where[k];
    if (at < 0)
      count = drop(s, count, -1 - at);
    else if (at != c) /* in column c itself all ratios are equal */
      count = keep_least(s, count, -1, column(s, at), sign, pivots, equal);
  }
  int32_t best = s->ties[0];
  for (int32_t t = 1; t < count; t++)
    if (fabs(pivots[s->ties[t]]) > fabs(pivots[best])) best = s->ties[t];
  return best;
}

/* The rows with sign D_ic > floor; then those of least qbar_i / (sign D_ic). */
static int32_t least_rows(dictionary *s, int32_t c, double sign, double floor) {
  const double *pivots = column(s, c);
  int32_t count = 0;
  for (int32_t i = 0; i < s->n; i++)
    if (sign * pivots[i] > floor) s->ties[count++] = i;
  if (count == 0) return 0;
  return keep_least(s, count, 1, column(s, s->n + 1), sign, pivots, s->noise);
}

int32_t perp_dictionary_ratio_test(dictionary *s, int32_t c) {
  const double *pivots = column(s, c);
  const double largest = largest_size(s->n, pivots);
  int32_t count = least_rows(s, c, -1, pivot_floor * (largest > 1 ? largest : 1));
  if (count == 0) return -1;
  for (int32_t t = 0; t < count; t++)
    if (s->basic[s->ties[t]] == 2 * s->n) return s->ties[t];
  return break_ties(s, count, c, -1);
}

int32_t perp_dictionary_first_row(dictionary *s) {
  int32_t count = least_rows(s, s->n, 1, 0);
  return count == 0 ? -1 : break_ties(s, count, s->n, 1);
}

int perp_dictionary_feasible(const dictionary *s) {
  const double *qbar = column(s, s->n + 1);
  for (int32_t i = 0; i < s->n; i++)
    if (!(qbar[i] >= 0)) return 0;
  return 1;
}

void perp_dictionary_point(const dictionary *s, double *z) {
  const double *qbar = column(s, s->n + 1);
  for (int32_t i = 0; i < s->n; i++) {
    int32_t at = s->where[s->n + i];
    z[i] = at < 0 ? qbar[-1 - at] * s->C[i] : 0;
  }
}

/* w := M z + q */
static void image(int32_t n, const double *M, int32_t ld, const double *q, const double *z,
                  double *w) {
  for (int32_t i = 0; i < n; i++) w[i] = q[i];
  for (int32_t j = 0; j < n; j++)
    if (z[j] != 0) add_multiple((size_t)n, z[j], M + (size_t)ld * (size_t)j, w);
}

/* What is left in a nonbasic w_j is taken out by its column. The fourth step is the last, or one
 * that does not halve the one before it. */
void perp_dictionary_refine(dictionary *s, const double *M, int32_t ld, const double *q, double *z,
                            double *w) {
  int32_t n = s->n;
  double *qbar = column(s, n + 1), *step = column(s, s->where[2 * n]);
  double before = (double)INFINITY;
  for (int left = 4;; left--) {
    double changes = 0;
    perp_dictionary_point(s, z);
    for (int32_t i = 0; i < n; i++) z[i] = z[i] > 0 ? z[i] : 0;
    if (left == 0) return;
    image(n, M, ld, q, z, w);
    for (int32_t i = 0; i < n; i++) step[i] = 0;
    for (int32_t k = 0; k < n; k++) {
      int32_t at = s->where[k];
      if (at < 0 || w[k] == 0) continue;
      add_multiple((size_t)n, -w[k] / s->R[k], column(s, at), step);
    }
    for (int32_t i = 0; i < n; i++)
      if (s->basic[i] >= n) changes += fabs(step[i]);
    if (!(changes > 0 && changes <= 0.5 * before)) return;
    before = changes;
    for (int32_t i = 0; i < n; i++)
      if (s->basic[i] >= n) qbar[i] += step[i];
  }
}

void perp_dictionary_direction(const dictionary *s, int32_t c, double *z) {
  const double *entering = column(s, c);
  for (int32_t i = 0; i < s->n; i++) {
    int32_t at = s->where[s->n + i];
    z[i] = at < 0 ? entering[-1 - at] * s->C[i] : at == c ? s->C[i] : 0;
  }
}

perp_status perp_dictionary_walk(dictionary *s, session *run, int32_t r, int32_t c, double *ray) {
  while (r >= 0) {
    if (perp_session_limits(run) != GO_ON) return PERP_MAX_ITER;
    const int32_t entering = s->nonbasic[c], leaving = s->basic[r];
    perp_dictionary_pivot(s, r, c);
    if (perp_session_step(run, entering, leaving, perp_dictionary_z0(s)) == PERP_STOPPED)
      return PERP_STOPPED;
    if (leaving == 2 * s->n) return PERP_OK;
    c = s->where[lemke_complement(s->n, leaving)];
    r = perp_dictionary_ratio_test(s, c);
  }
  perp_dictionary_direction(s, c, ray);
  return PERP_RAY;
}

double perp_dictionary_z0(const dictionary *s) {
  int32_t at = s->where[2 * s->n];
  return at < 0 ? column(s, s->n + 1)[-1 - at] : 0;
}

/* ---- a proof ----
 *
 * The simplex method lowers z0 as far as  w = M z + d z0 + q,  z, w >= 0  let it. The row of z0
 * then has no negative entry, z0 = z0* + x'w + s'z,   x, s >= 0,   so that   x'd = 1,   M'x = -s <=
 * 0,   q'x = -z0*. */

/* Up to so many unknowns. */
enum { SEPARATE_MOST = 32 };

/* Column whose growth lowers z0 most; -1: none does. */
static int32_t descent(const dictionary *s, int32_t r) {
  double least = -pivot_floor;
  int32_t best = -1;
  for (int32_t c = 0; c <= s->n; c++) {
    if (!(column(s, c)[r] < least)) continue;
    least = column(s, c)[r];
    best = c;
  }
  return best;
}

/* It may take a few times the pivots that it should take. */
int perp_dictionary_separate(dictionary *s, double *x) {
  const int32_t n = s->n;
  int32_t c = n, r = n <= SEPARATE_MOST ? perp_dictionary_first_row(s) : -1;
  for (int32_t left = 8 * n + 8; c >= 0; left--) {
    if (left == 0 || r < 0 || s->basic[r] == 2 * n) return 0;
    perp_dictionary_pivot(s, r, c);
    c = descent(s, -1 - s->where[2 * n]);
    if (c >= 0) r = perp_dictionary_ratio_test(s, c);
  }
  r = -1 - s->where[2 * n];
  for (int32_t i = 0; i < n; i++) x[i] = s->where[i] < 0 ? 0 : column(s, s->where[i])[r] / s->R[i];
  return 1;
}
