/* SPDX-License-Identifier: MIT */
/* Lemke's pivots with bounded variables. The complement of what left enters and grows from 0; a
 * basic variable reaches 0 and leaves, or a basic λ' reaches its width, is turned around
 * (λ' := width − λ', y' := −y') and leaves at 0, or the entering λ' reaches its own width and is
 * turned around, whereupon its y' enters.
 *
 * Lexicographic rule: as if the variable that was basic in row k at the start were larger by eps^k.
 * With sign s = −1 for a member turned around since, row i has the coefficients
 *   c_ik = −s D_ij where that variable is nonbasic in column j,
 *   c_ik = s where it is basic in row i, 0 where in another row.
 * The start is on the inner side of every bound then, so no basis comes twice.
 *
 * Sources: Lemke, Management Science 11 (1965) 681-689; Cao and Ferris, Mathematics of Operations
 * Research 21 (1996) 44-64. */
#include "solver/box_path.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/mode.h"

/* Relative difference up to which two ratios are equal. */
static const double equal = 0x1p-36;

static int32_t owner(const box_path *p, int32_t variable) {
  return variable < p->m ? variable : variable - p->m;
}

/* ---- turns ---- */

static void settle(const box_path *p) {
  double *v = path_values(p);
  for (int32_t i = 0; i < p->m; i++)
    if (fabs(v[i]) <= p->s.noise) v[i] = 0;
}

static void negate_column(const box_path *p, int32_t j) {
  double *a = path_column(p, j);
  for (int32_t i = 0; i < p->m; i++) a[i] = -a[i];
}

/* Turn member e around: λ' in row r, y' in a column. */
static void turn_row(box_path *p, int32_t r) {
  const int32_t e = p->s.basic[r] - p->m;
  double *v = path_values(p);
  for (int32_t j = 0; j <= p->m; j++) path_column(p, j)[r] = -path_column(p, j)[r];
  v[r] = p->width[e] - v[r];
  settle(p);
  negate_column(p, p->s.where[e]);
  p->flip[e] = !p->flip[e];
}

/* Turn it where λ' has grown to its width in column c and y' is in a column as well. */
static void turn_column(box_path *p, int32_t c) {
  const int32_t e = p->s.nonbasic[c] - p->m;
  const double *a = path_column(p, c);
  double *v = path_values(p);
  for (int32_t i = 0; i < p->m; i++) v[i] += a[i] * p->width[e];
  settle(p);
  negate_column(p, c);
  negate_column(p, p->s.where[e]);
  p->flip[e] = !p->flip[e];
}

/* ---- ratio test ---- */

/* What blocks: row r at 0 as r, row r at its width as -1 - r, the entering variable at its own as
 * m.
 */
static int32_t row_of(int32_t code) { return code < 0 ? -1 - code : code; }

static inline double room(const box_path *p, int32_t c, int32_t code) {
  if (code == p->m) return p->width[p->s.nonbasic[c] - p->m];
  if (code < 0) return p->width[p->s.basic[-1 - code] - p->m] - path_values(p)[-1 - code];
  return path_values(p)[code] - (p->s.basic[code] == 2 * p->m ? p->stop : 0);
}

static inline double slope(const box_path *p, int32_t c, int32_t code) {
  return code == p->m ? 1 : fabs(path_column(p, c)[row_of(code)]);
}

static int has_bounds(const box_path *p, int32_t variable) {
  return variable == 2 * p->m || !p->unbounded[owner(p, variable)];
}

static double width_of(const box_path *p, int32_t variable) {
  return variable < p->m || variable == 2 * p->m ? (double)INFINITY : p->width[variable - p->m];
}

/* ties := all that blocks column c growing (direction 1) or shrinking (-1). */
static int32_t list_blocking(box_path *p, int32_t c, double direction) {
  const double *a = path_column(p, c);
  const double largest = direction > 0 ? largest_size(p->m, a) : 0;
  const double floor = direction > 0 ? BOX_ZERO * (largest > 1 ? largest : 1) : 0;
  int32_t count = 0;
  for (int32_t i = 0; i < p->m; i++) {
    const double rate = direction * a[i];
    if (!(fabs(rate) > floor) || !has_bounds(p, p->s.basic[i])) continue;
    if (rate < 0)
      p->s.ties[count++] = i;
    else if (width_of(p, p->s.basic[i]) <= DBL_MAX)
      p->s.ties[count++] = -1 - i;
  }
  if (direction > 0 && width_of(p, p->s.nonbasic[c]) <= DBL_MAX) p->s.ties[count++] = p->m;
  return count;
}

/* c_ik of what blocks, for the variable of eps^k. */
static double coefficient(const box_path *p, int32_t code, int32_t k) {
  const int32_t variable = p->origin[k], at = p->s.where[variable], e = owner(p, variable);
  const double sign = p->flip[e] == p->origin_flip[e] ? 1 : -1;
  if (code == p->m) return 0;
  if (at < 0) return -1 - at == row_of(code) ? (code < 0 ? -sign : sign) : 0;
  return (code < 0 ? sign : -sign) * path_column(p, at)[row_of(code)];
}

/* What is compared: room, or the coefficient of eps^k for k >= 0. */
static inline double measured(const box_path *p, int32_t c, int32_t code, int32_t k) {
  return k < 0 ? room(p, c, code) : coefficient(p, code, k);
}

/* Of the ties keep those where that is least beside the slope, at least one. */
static int32_t keep_least(box_path *p, int32_t count, int32_t c, int32_t k) {
  const double slack = k < 0 ? p->s.noise : equal;
  double least = (double)INFINITY;
  int32_t kept = 0;
  for (int32_t t = 0; t < count; t++) {
    const double ratio = measured(p, c, p->s.ties[t], k) / slope(p, c, p->s.ties[t]);
    if (ratio < least) least = ratio;
  }
  for (int32_t t = 0; t < count; t++) {
    const double here = measured(p, c, p->s.ties[t], k), there = least * slope(p, c, p->s.ties[t]);
    if (here - there <= equal * (fabs(here) + fabs(there)) + slack)
      p->s.ties[kept++] = p->s.ties[t];
  }
  return kept > 0 ? kept : count > 0;
}

/* One of the ties by the lexicographic rule; where rounding has made rows equal, the largest
 * pivot. */
static int32_t break_ties(box_path *p, int32_t count, int32_t c) {
  for (int32_t k = 0; k < p->m && count > 1; k++) count = keep_least(p, count, c, k);
  int32_t best = p->s.ties[0];
  for (int32_t t = 1; t < count; t++)
    if (slope(p, c, p->s.ties[t]) > slope(p, c, best)) best = p->s.ties[t];
  return best;
}

/* ---- the path ---- */

/* A variable as the caller numbers it: y_i is i, λ_i is n + i, t is 2 n. */
static int32_t shown(const box_path *p, int32_t variable) {
  if (variable == 2 * p->m) return 2 * p->n;
  return p->member[owner(p, variable)] + (variable < p->m ? 0 : p->n);
}

/* Do what blocks asks for, tell the observer. Returns the column that enters next, -1 if there is
 * none because t has left; *stopped says whether the observer has had enough. */
static int32_t advance(box_path *p, int32_t code, int32_t c, int *stopped) {
  const int32_t m = p->m, entering = p->s.nonbasic[c];
  int32_t leaving = entering;
  if (code == m) {
    turn_column(p, c);
  } else {
    if (code < 0) turn_row(p, -1 - code);
    leaving = p->s.basic[row_of(code)];
    perp_dictionary_pivot(&p->s, row_of(code), c);
  }
  p->pivots++;
  *stopped = p->run != NULL && perp_session_step(p->run, shown(p, entering), shown(p, leaving),
                                                 perp_dictionary_z0(&p->s)) == PERP_STOPPED;
  if (perp_dictionary_z0(&p->s) < p->least) p->least = perp_dictionary_z0(&p->s);
  if (leaving == 2 * m) return -1;
  return p->s.where[leaving < m ? leaving + m : leaving - m];
}

/* The first column is that of t, which shrinks; it counts from 0 while it is not basic. */
static int first_step(box_path *p, int32_t *code) {
  const int32_t count = keep_least(p, list_blocking(p, p->m, -1), p->m, -1);
  if (count > 0 && -room(p, p->m, p->s.ties[0]) > p->stop * slope(p, p->m, p->s.ties[0])) {
    *code = break_ties(p, count, p->m);
    return 1;
  }
  p->at = p->m;
  p->value = p->stop;
  return 0;
}

/* Whether column c takes t above where it may go before any of the ties blocks. A path from a point
 * that comes back to t = 1 has made a circle, or would. */
static int exceeds_ceiling(const box_path *p, int32_t count, int32_t c) {
  const int32_t at = p->s.where[2 * p->m];
  if (at >= 0 || !(p->ceiling <= DBL_MAX) || count == 0) return 0;
  const double rate = path_column(p, c)[-1 - at], high = p->ceiling - path_values(p)[-1 - at];
  const double step = room(p, c, p->s.ties[0]) / slope(p, c, p->s.ties[0]);
  if (high <= 0x1p-30 && p->pivots > 2 * p->m) return 1; /* no longer the ties of the start */
  return rate > 0 && rate * step > high + equal;
}

/* Whether t is among the ties; it is then where to stop. */
static int reaches_stop(const box_path *p, int32_t count, int32_t *code) {
  for (int32_t t = 0; t < count; t++)
    if (p->s.ties[t] >= 0 && p->s.ties[t] < p->m && p->s.basic[p->s.ties[t]] == 2 * p->m) {
      *code = p->s.ties[t];
      return 1;
    }
  return 0;
}

int perp_box_path_follow(box_path *p) {
  int32_t c = p->m, code = 0;
  int stopped = 0;
  p->least = DBL_MAX;
  p->at = -1;
  p->value = 0;
  if (p->run != NULL) p->run->price = (double)p->m * p->m;
  if (!first_step(p, &code)) return BOX_SOLVED;
  for (;;) {
    if (p->pivots >= p->limit) return BOX_LIMIT;
    if (p->run != NULL && perp_session_limits(p->run) != GO_ON) return BOX_LIMIT;
    c = advance(p, code, c, &stopped);
    if (stopped) return BOX_STOPPED;
    if (c < 0) return BOX_SOLVED;
    const int32_t count = keep_least(p, list_blocking(p, c, 1), c, -1);
    p->at = c;
    if (count == 0 || exceeds_ceiling(p, count, c)) return BOX_RAY;
    if (!reaches_stop(p, count, &code)) {
      code = break_ties(p, count, c);
    } else if (p->stop > 0) {
      p->value = room(p, c, code) / slope(p, c, code);
      return BOX_SOLVED;
    }
    p->at = -1;
  }
}

/* ---- results ---- */

/* λ of a member with bounds from its λ'. */
static double outer_value(const box_path *p, int32_t e, double inner) {
  const int32_t i = p->member[e];
  const double moved = p->f.C[i] * inner;
  return p->flip[e] ? p->data->upper[i] - moved : p->data->lower[i] + moved;
}

/* x := what the member's λ' says, in the orientation in which g was made. */
static double displacement(const box_path *p, int32_t e, double inner) {
  const int32_t i = p->member[e];
  return p->unbounded[e] ? inner : (outer_value(p, e, inner) - p->reference[i]) / p->f.C[i];
}

/* λ' of a member at the end of the path. */
static double inner_value(const box_path *p, int32_t e) {
  const int32_t at = p->s.where[p->m + e];
  if (at >= 0) return at == p->at ? p->value : 0;
  const double moved = p->at >= 0 ? p->value * path_column(p, p->at)[-1 - at] : 0;
  return path_values(p)[-1 - at] + moved;
}

double perp_box_path_point(box_path *p, double *lambda) {
  const int32_t n = p->n, at = p->s.where[2 * p->m];
  const double *d = box_column(&p->f, n), *g = box_column(&p->f, n + 1);
  double t = at == p->at ? p->value : 0;
  if (at < 0)
    t = path_values(p)[-1 - at] + (p->at >= 0 ? p->value * path_column(p, p->at)[-1 - at] : 0);
  for (int32_t i = 0; i < n; i++) {
    const int32_t e = p->local[i];
    p->x[i] = e < 0 ? 0 : displacement(p, e, inner_value(p, e));
    p->v[i] = g[i] + d[i] * t;
  }
  perp_box_factor_back(&p->f, p->v, p->x);
  for (int32_t i = 0; i < n; i++) lambda[i] = p->reference[i] + p->f.C[i] * p->x[i];
  for (int32_t e = 0; e < p->m; e++) /* bounds to the bit */
    if (!p->unbounded[e]) lambda[p->member[e]] = outer_value(p, e, inner_value(p, e));
  return t;
}

void perp_box_path_modes(const box_path *p, unsigned char *modes) {
  for (int32_t i = 0; i < p->n; i++) {
    const int32_t e = p->local[i];
    modes[i] = p->data->lower[i] < p->data->upper[i] ? PERP_MODE_FREE : PERP_MODE_LOWER;
    if (e < 0 || p->s.where[p->m + e] < 0) continue;
    modes[i] = p->s.where[e] >= 0 ? PERP_MODE_UNKNOWN
               : p->flip[e]       ? PERP_MODE_UPPER
                                  : PERP_MODE_LOWER;
  }
}

static double orientation(const box_path *p, int32_t e) { return p->flip[e] ? -1 : 1; }

/* x of the members whose λ' is basic += sign a_row. */
static void spread(const box_path *p, const double *a, double factor) {
  for (int32_t r = 0; r < p->m; r++) {
    const int32_t e = p->s.basic[r] - p->m;
    if (e >= 0 && e < p->m) p->x[p->member[e]] += factor * orientation(p, e) * a[r];
  }
}

void perp_box_path_correct(box_path *p, const double *r, double *lambda) {
  const int32_t n = p->n;
  for (int32_t i = 0; i < n; i++) {
    const int32_t e = p->local[i];
    const int basic =
        e < 0 || p->unbounded[e] ? p->data->lower[i] < p->data->upper[i] : p->s.where[p->m + e] < 0;
    p->v[i] = basic ? r[i] / p->f.R[i] : 0;
    p->x[i] = 0;
  }
  perp_box_factor_forward(&p->f, p->v);
  for (int32_t e = 0; e < p->m; e++) {
    const double v = p->v[p->row[e]];
    if (p->s.where[e] >= 0 && v != 0)
      spread(p, path_column(p, p->s.where[e]), -orientation(p, e) * v);
  }
  perp_box_factor_back(&p->f, p->v, p->x);
  for (int32_t i = 0; i < n; i++) lambda[i] += p->f.C[i] * p->x[i];
}

void perp_box_path_ray(box_path *p, double *ray) {
  const int32_t n = p->n, entering = p->s.nonbasic[p->at], at = p->s.where[2 * p->m];
  const double *a = path_column(p, p->at), *d = box_column(&p->f, n);
  const double rate = at < 0 ? a[-1 - at] : 0; /* of t */
  for (int32_t i = 0; i < n; i++) {
    p->v[i] = rate * d[i];
    p->x[i] = 0;
  }
  spread(p, a, 1);
  if (entering >= p->m && entering < 2 * p->m)
    p->x[p->member[entering - p->m]] = orientation(p, entering - p->m);
  perp_box_factor_back(&p->f, p->v, p->x);
  for (int32_t i = 0; i < n; i++) ray[i] = p->f.C[i] * p->x[i];
}
