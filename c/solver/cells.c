/* SPDX-License-Identifier: MIT */
/* Feasible points of faces by the simplex method in its general form: every variable, basic or
 * not, has an interval; the basic one of least index outside its own goes to its nearer end, by
 * the nonbasic one of least index that can move it there. Bland's rule ends it. Source: Dutertre
 * and de Moura, A fast linear-arithmetic solver for DPLL(T), CAV 2006, section 3. */
#include "solver/cells.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/farkas.h"
#include "solver/lemke.h"
#include "solver/mode.h"

/* Multiple of its error from which a number stands out, and from which a violation is certain. */
static const double stands_out = 4, certain = 1024;
/* Entries up to this size are no pivots. */
static const double pivot_floor = 0x1p-44;

/* ---- memory ---- */

void perp_cells_carve(cells *s, arena *a, int32_t n) {
  double **const vectors[] = {&s->R,   &s->C,    &s->lower, &s->upper,
                              &s->low, &s->high, &s->error, NULL};
  const size_t m = (size_t)n;
  s->n = n;
  s->doubt = 0;
  arena_take_doubles(a, m, vectors);
  s->mode = arena_take(a, m, 1);
}

void perp_tableau_carve(tableau *t, arena *a, int32_t n) {
  const size_t m = (size_t)n;
  t->cols = 0;
  t->A = arena_take(a, m, m * sizeof(double));
  t->E = arena_take(a, m, m * sizeof(double));
  t->a = arena_take(a, m, sizeof(double));
  t->e = arena_take(a, m, sizeof(double));
  t->row = arena_take(a, m, sizeof(int32_t));
  t->col = arena_take(a, m, sizeof(int32_t));
}

void perp_tableau_copy(const cells *s, const tableau *from, tableau *to) {
  const size_t n = (size_t)s->n, cols = (size_t)from->cols;
  to->cols = from->cols;
  memcpy(to->A, from->A, n * cols * sizeof(double));
  memcpy(to->E, from->E, n * cols * sizeof(double));
  memcpy(to->a, from->a, n * sizeof(double));
  memcpy(to->e, from->e, n * sizeof(double));
  memcpy(to->row, from->row, n * sizeof(int32_t));
  memcpy(to->col, from->col, cols * sizeof(int32_t));
}

static double *column(const cells *s, const tableau *t, int32_t c) {
  return t->A + (size_t)s->n * (size_t)c;
}

static double *errors(const cells *s, const tableau *t, int32_t c) {
  return t->E + (size_t)s->n * (size_t)c;
}

/* ---- start ---- */

/* Row i in a unit in which q_i is finite, too. */
static void enlarge_unit(cells *s, tableau *t, int32_t i, double q) {
  while (is_finite(q) && !is_finite(q / s->R[i])) {
    for (int32_t j = 0; j < s->n; j++) column(s, t, j)[i] *= 0x1p-512;
    s->R[i] *= 0x1p512;
  }
}

void perp_cells_open(cells *s, tableau *t, const perp_matrix *M, const double *q) {
  const int32_t n = s->n;
  const size_t entries = (size_t)n * (size_t)n;
  perp_matrix_to_dense(M, t->A, n);
  perp_equilibrate(n, t->A, s->R, s->C);
  for (int32_t i = 0; i < n; i++) enlarge_unit(s, t, i, q[i]);
  for (size_t k = 0; k < entries; k++) t->E[k] = DBL_EPSILON * fabs(t->A[k]);
  t->cols = n;
  for (int32_t i = 0; i < n; i++) {
    s->lower[i] /= s->C[i];
    s->upper[i] /= s->C[i];
    s->mode[i] = PERP_MODE_UNKNOWN;
    t->row[i] = t->col[i] = i;
    t->a[i] = q[i] / s->R[i];
    t->e[i] = DBL_EPSILON * fabs(t->a[i]);
  }
}

/* ---- one mode more ---- */

static void drop_column(const cells *s, tableau *t, int32_t c) {
  const int32_t last = --t->cols;
  if (c == last) return;
  memcpy(column(s, t, c), column(s, t, last), (size_t)s->n * sizeof(double));
  memcpy(errors(s, t, c), errors(s, t, last), (size_t)s->n * sizeof(double));
  t->col[c] = t->col[last];
}

static void fix_column(const cells *s, tableau *t, int32_t c, double value) {
  const double *A = column(s, t, c), *E = errors(s, t, c);
  for (int32_t i = 0; i < s->n && value != 0; i++) {
    const double term = A[i] * value;
    t->a[i] += term;
    t->e[i] += E[i] * fabs(value) + DBL_EPSILON * (fabs(t->a[i]) + fabs(term));
  }
  drop_column(s, t, c);
}

/* One column x (errors e) of an elimination with the column A (errors E): x -= A row, where row is
 * the entry x_r over the pivot. */
static void subtract(int32_t n, const double *restrict A, const double *restrict E, double row,
                     double row_error, double *restrict x, double *restrict e) {
  const double size = fabs(row);
  for (int32_t i = 0; i < n; i++) {
    const double term = A[i] * row, sum = x[i] - term;
    e[i] += E[i] * size + fabs(A[i]) * row_error + DBL_EPSILON * (fabs(sum) + fabs(term));
    x[i] = fabs(sum) <= stands_out * e[i] ? 0 : sum;
  }
}

/* Row r solved for its column c, put into all other rows of the other columns, with the constants
 * as one more of them or without. */
static void substitute(const cells *s, tableau *t, int32_t r, int32_t c, int constants) {
  const double *A = column(s, t, c), *E = errors(s, t, c);
  const double pivot = A[r], blur = E[r] / fabs(pivot) + DBL_EPSILON; /* its relative error */
  for (int32_t j = 0; j < t->cols + constants; j++) {
    double *x = j == t->cols ? t->a : column(s, t, j), *e = j == t->cols ? t->e : errors(s, t, j);
    if (j == c || (x[r] == 0 && e[r] == 0)) continue;
    const double row = x[r] / pivot, row_error = e[r] / fabs(pivot) + blur * fabs(row);
    subtract(s->n, A, E, row, row_error, x, e);
    x[r] = -row;
    e[r] = row_error;
  }
}

/* Eliminate free unknowns by free equations, the largest pivot first, as long as there is one. */
static void eliminate_all(const cells *s, tableau *t) {
  for (;;) {
    double largest = pivot_floor;
    int32_t r = -1, c = -1;
    for (int32_t j = 0; j < t->cols; j++) {
      if (s->mode[t->col[j]] != PERP_MODE_FREE) continue;
      for (int32_t i = 0; i < s->n; i++) {
        if (!(t->row[i] >= 0 && s->mode[t->row[i]] == PERP_MODE_FREE) ||
            !(fabs(column(s, t, j)[i]) > largest))
          continue;
        largest = fabs(column(s, t, j)[i]);
        r = i;
        c = j;
      }
    }
    if (r < 0) return;
    substitute(s, t, r, c, 1); /* what was y becomes λ of c */
    t->row[r] = -1 - t->col[c];
    drop_column(s, t, c);
  }
}

void perp_cells_choose(const cells *s, tableau *t, int32_t i) {
  int32_t c = 0;
  if (s->mode[i] == PERP_MODE_FREE) {
    eliminate_all(s, t);
    return;
  }
  while (t->col[c] != i) c++;
  fix_column(s, t, c, mode_bound(s->mode[i], s->lower[i], s->upper[i]));
}

/* ---- what is possible ---- */

/* The interval in which y of an unknown with this mode must be. */
static void wanted_y(unsigned char mode, double lower, double upper, double *l, double *u) {
  const int any = mode != PERP_MODE_FREE && !(lower < upper); /* of a point y may be anything */
  const int up = mode == PERP_MODE_LOWER || (mode == PERP_MODE_UNKNOWN && upper > DBL_MAX);
  const int down = mode == PERP_MODE_UPPER || (mode == PERP_MODE_UNKNOWN && lower < -DBL_MAX);
  *l = !any && (up || mode == PERP_MODE_FREE) ? 0 : -(double)INFINITY;
  *u = !any && (down || mode == PERP_MODE_FREE) ? 0 : (double)INFINITY;
}

/* The interval in which a row must be. */
static void wanted(const cells *s, int32_t row, double *l, double *u) {
  if (row >= 0) {
    wanted_y(s->mode[row], s->lower[row], s->upper[row], l, u);
  } else {
    *l = s->lower[-1 - row];
    *u = s->upper[-1 - row];
  }
}

/* low, high, error of the rows, with the columns anywhere within their bounds. */
static void measure(cells *s, const tableau *t) {
  const int32_t n = s->n;
  memcpy(s->low, t->a, (size_t)n * sizeof(double));
  memcpy(s->high, t->a, (size_t)n * sizeof(double));
  memcpy(s->error, t->e, (size_t)n * sizeof(double));
  for (int32_t c = 0; c < t->cols; c++) {
    const double *A = column(s, t, c), *E = errors(s, t, c);
    const double l = s->lower[t->col[c]], u = s->upper[t->col[c]];
    const double far = fabs(l) <= DBL_MAX ? fabs(l) : 0, wide = fabs(u) <= DBL_MAX ? fabs(u) : 0;
    const double size = far > wide ? far : wide;
    for (int32_t i = 0; i < n; i++) {
      s->error[i] += (E[i] + DBL_EPSILON * fabs(A[i])) * size;
      if (A[i] == 0) continue;
      s->low[i] += A[i] * (A[i] > 0 ? l : u);
      s->high[i] += A[i] * (A[i] > 0 ? u : l);
    }
  }
}

int perp_cells_possible(cells *s, const tableau *t) {
  int refused = 0, surely = 0;
  double most = 0;
  measure(s, t);
  for (int32_t r = 0; r < s->n; r++) {
    double l, u;
    wanted(s, t->row[r], &l, &u);
    const double below = l - s->high[r], above = s->low[r] - u, e = below > above ? below : above;
    refused |= e > stands_out * s->error[r];
    surely |= e > certain * s->error[r];
    if (!(e > stands_out * s->error[r]) || e / s->error[r] <= most) continue;
    most = e / s->error[r];
    s->refused = r;
    s->too_small = below > above;
  }
  if (refused && !surely) s->doubt = 1;
  return !refused;
}

/* ---- a point ---- */

/* Least variable (y_i: i, λ_i: n + i) among the rows whose value is outside what it must be in;
 * -1: none. goal: the end that it must go to. */
static int32_t outside(const cells *s, const tableau *t, const double *value, double *goal) {
  int32_t found = -1, least = INT32_MAX;
  for (int32_t r = 0; r < s->n; r++) {
    double l, u;
    const int32_t id = t->row[r] >= 0 ? t->row[r] : s->n - 1 - t->row[r];
    wanted(s, t->row[r], &l, &u);
    const double e = stands_out * s->error[r];
    if (id > least || !(value[r] < l - e || value[r] > u + e)) continue;
    least = id;
    found = r;
    *goal = value[r] < l ? l : u;
  }
  return found;
}

/* Least variable among the columns that can move row r by the sign of step; -1: none. A column may
 * hold a y, coded as in rows. */
static int32_t mover(const cells *s, const tableau *t, int32_t r, const double *at, double step) {
  int32_t found = -1, least = INT32_MAX;
  for (int32_t c = 0; c < t->cols; c++) {
    double l, u;
    const int32_t id = t->col[c] >= 0 ? s->n + t->col[c] : -1 - t->col[c];
    const double x = column(s, t, c)[r];
    wanted(s, -1 - t->col[c], &l, &u);
    if (id > least || !(fabs(x) > pivot_floor)) continue;
    if (!((x > 0) == (step > 0) ? at[c] < u : at[c] > l)) continue;
    least = id;
    found = c;
  }
  return found;
}

/* Row r and column c change places. */
static void exchange(const cells *s, tableau *t, int32_t r, int32_t c) {
  double *A = column(s, t, c), *E = errors(s, t, c);
  const double pivot = A[r], blur = E[r] / fabs(pivot) + DBL_EPSILON;
  substitute(s, t, r, c, 0);
  for (int32_t i = 0; i < s->n; i++) {
    A[i] /= pivot;
    E[i] = E[i] / fabs(pivot) + blur * fabs(A[i]);
  }
  A[r] = 1 / pivot;
  E[r] = blur * fabs(A[r]);
  const int32_t row = t->row[r];
  t->row[r] = -1 - t->col[c];
  t->col[c] = -1 - row;
}

/* value (n, of the rows) and at (n, of the columns) := a point with everything where it must be. */
static int feasible(cells *s, tableau *t, double *value, double *at) {
  memcpy(value, t->a, (size_t)s->n * sizeof(double));
  for (int32_t c = 0; c < t->cols; c++) {
    at[c] = nearest_to_zero(s->lower[t->col[c]], s->upper[t->col[c]]);
    for (int32_t i = 0; i < s->n; i++) value[i] += column(s, t, c)[i] * at[c];
  }
  for (int32_t round = 0; round < 1000; round++) {
    double goal = 0;
    const int32_t r = outside(s, t, value, &goal);
    if (r < 0) return 1;
    const int32_t c = mover(s, t, r, at, goal - value[r]);
    s->refused = r;
    s->too_small = value[r] < goal;
    if (c < 0) return 0;
    const double step = (goal - value[r]) / column(s, t, c)[r], to = at[c] + step;
    for (int32_t i = 0; i < s->n; i++) {
      const double term = column(s, t, c)[i] * step;
      value[i] += term;
      s->error[i] += errors(s, t, c)[i] * fabs(step) + DBL_EPSILON * (fabs(value[i]) + fabs(term));
    }
    exchange(s, t, r, c);
    value[r] = to;
    at[c] = goal;
  }
  s->doubt = 1;
  return 0;
}

/* Whether a free unknown is at a bound. */
static int at_bound(const cells *s, int32_t i, double value, double slack) {
  return fabs(value - s->lower[i]) <= slack || fabs(value - s->upper[i]) <= slack;
}

int perp_cells_point(cells *s, tableau *t, double *value, double *lambda) {
  double *at = value + s->n;
  int shared = 0;
  if (t->cols > 0 && !feasible(s, t, value, at)) return CELLS_NONE;
  if (t->cols == 0) memcpy(value, t->a, (size_t)s->n * sizeof(double));
  for (int32_t i = 0; i < s->n; i++)
    if (s->mode[i] != PERP_MODE_FREE)
      lambda[i] = mode_bound(s->mode[i], s->lower[i], s->upper[i]) * s->C[i];
  for (int32_t r = 0; r < s->n; r++) {
    const int32_t i = -1 - t->row[r];
    if (i < 0) continue;
    lambda[i] = value[r] * s->C[i];
    shared |= at_bound(s, i, value[r], stands_out * s->error[r]);
  }
  for (int32_t c = 0; c < t->cols; c++) {
    const int32_t i = t->col[c];
    if (i < 0) continue;
    lambda[i] = at[c] * s->C[i];
    shared |= at_bound(s, i, at[c], 0);
  }
  return shared ? CELLS_SHARED : CELLS_OWN;
}

/* ---- the proof ---- */

/* Row r of a tableau is a combination of the equations y = M λ + q. With N the y that are no rows
 * (0, as their unknowns are free, or columns), Λ the λ that are rows, and σ = 1 where the row is
 * too small for every value of the columns, -1 where it is too large, d is the combination with
 *
 *   d_N = z,  z_Λ'M_NΛ = −σ M_iΛ  and d_i = σ   for y_i in row r,    −σ e_iᵀ  for λ_i in row r,
 *
 * so that d'y = d'(M λ + q) is σ times that row, but for a λ_i in it, and negative for all λ within
 * their bounds. Where the modes below t say that d'y >= 0, there is no solution. */

void perp_cells_proof_carve(cells_proof *p, arena *a, int32_t n) {
  const size_t m = (size_t)n;
  p->B = arena_take(a, m, m * sizeof(double));
  p->z = arena_take(a, m, sizeof(double));
  p->d = arena_take(a, m, sizeof(double));
  p->scratch = arena_take(a, farkas_doubles(n), sizeof(double));
  p->eq = arena_take(a, m, sizeof(int32_t));
  p->basic = arena_take(a, m, sizeof(int32_t));
  p->pivots = arena_take(a, m, sizeof(int32_t));
}

/* The inequality for p->d, with G still to come. */
static farkas inequality(const cells_proof *p) {
  farkas f;
  const int32_t n = p->problem->n;
  perp_farkas_begin(&f, n, n, p->d, p->problem->q, p->scratch);
  memcpy(f.lower, p->lower, (size_t)n * sizeof(double));
  memcpy(f.upper, p->upper, (size_t)n * sizeof(double));
  return f;
}

void perp_cells_proof_open(cells_proof *p) {
  const farkas f = inequality(p);
  p->hat = perp_farkas_hat(&f, &p->problem->M, f.sum);
  p->bound = (double)INFINITY;
}

/* eq := N, basic := Λ; how many each are, -1 if they differ. */
static int32_t split_rows(cells_proof *p, const cells *s, const tableau *t) {
  int32_t count = 0, equations = 0;
  for (int32_t i = 0; i < s->n; i++) p->pivots[i] = 0;
  for (int32_t r = 0; r < s->n; r++) {
    if (t->row[r] >= 0)
      p->pivots[t->row[r]] = 1;
    else
      p->basic[count++] = -1 - t->row[r];
  }
  for (int32_t i = 0; i < s->n; i++)
    if (!p->pivots[i]) p->eq[equations++] = i;
  return equations == count ? count : -1;
}

/* d in the units of the cells; 0 if there is none. */
static int combine(cells_proof *p, const cells *s, const tableau *t) {
  const int32_t n = s->n, k = split_rows(p, s, t), row = t->row[s->refused];
  const double sign = s->too_small ? 1 : -1;
  if (k < 0) return 0;
  for (int32_t j = 0; j < k; j++) {
    const double *column = p->A + (size_t)n * (size_t)p->basic[j];
    for (int32_t i = 0; i < k; i++) p->B[(size_t)k * (size_t)j + (size_t)i] = column[p->eq[i]];
    p->z[j] = row >= 0 ? -sign * column[row] : p->basic[j] == -1 - row ? -sign : 0;
  }
  if (k > 0) {
    if (perp_dense_lu_factor(k, p->B, k, p->pivots) != PERP_OK) return 0;
    perp_dense_lu_solve_transposed(k, p->B, k, p->pivots, p->z);
  }
  for (int32_t i = 0; i < n; i++) p->d[i] = 0;
  for (int32_t i = 0; i < k; i++) p->d[p->eq[i]] = p->z[i];
  if (row >= 0) p->d[row] = sign;
  return 1;
}

/* d_i, or 0 where that of y_i which the modes tell does not make d_i y_i >= 0. */
static double allowed(double d, unsigned char mode, double lower, double upper) {
  double l, u;
  wanted_y(mode, lower, upper, &l, &u);
  return (d > 0 && l == 0) || (d < 0 && u == 0) ? d : 0;
}

int perp_cells_refuted(cells_proof *p, const cells *s, const tableau *t) {
  if (!combine(p, s, t)) return 0;
  for (int32_t i = 0; i < s->n; i++)
    p->d[i] = allowed(p->d[i] / s->R[i], s->mode[i], p->lower[i], p->upper[i]);
  farkas f = inequality(p);
  for (int32_t i = 0; i < s->n; i++) {
    if (s->mode[i] == PERP_MODE_LOWER) f.upper[i] = f.lower[i];
    if (s->mode[i] == PERP_MODE_UPPER) f.lower[i] = f.upper[i];
  }
  perp_farkas_add(&f, &p->problem->M, 0);
  const double bound = perp_farkas_proof(&f, p->hat);
  if (!(bound > 0)) return 0;
  if (bound < p->bound) p->bound = bound;
  return 1;
}
