/* SPDX-License-Identifier: MIT */
/* One block in a common scale, and its residual in twice the precision:
 *
 *   ||r - P(r - yhat / norm)|| norm / || |W||r| + |q| ||,   yhat = y + (sum mu_k ||y_k||) n,
 *
 * P the projection on ||x_k|| <= mu_k x_n for all parts k, whose normal entry z is the zero of
 * z - x_n - sum mu_k (||x_k|| - mu_k z)_+. */
#include "problem/one_contact_exact.h"

#include "base/twofold.h"
#include "problem/cone.h"

static double largest(int32_t n, const double *x) {
  double most = 0;
  for (int32_t i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

/* x := x / scale, a power of two. */
static void divide(int32_t n, double *x, double scale) {
  for (int32_t i = 0; i < n; i++) x[i] /= scale;
}

perp_status perp_contact_block_open(contact_block *b, int32_t size, int32_t parts, const double *W,
                                    int32_t ld, const double *q, const double *mu) {
  b->size = size;
  b->parts = parts;
  b->half = (size - 1) / parts;
  b->rough = 0;
  for (int32_t k = 0; k < 2; k++) b->mu[k] = k < parts ? mu[k] : 0;
  for (int32_t j = 0; j < size; j++)
    memcpy(b->W + j * size, W + (size_t)j * (size_t)ld, (size_t)size * sizeof *W);
  memcpy(b->q, q, (size_t)size * sizeof *q);
  memset(b->best, 0, sizeof b->best);
  b->error = b->change = double_of(UINT64_C(0x7ff0000000000000));
  b->unit = b->norm = 1;
  const size_t n = (size_t)size;
  if (!all_finite(n * n, b->W) || !all_finite(n, q) || !all_finite((size_t)parts, mu))
    return PERP_ENOTFINITE;
  for (int32_t k = 0; k < parts; k++)
    if (!(mu[k] >= 0)) return PERP_EINVAL;
  const double w = power_of_two(largest(size * size, b->W)), v = power_of_two(largest(size, q));
  divide(size * size, b->W, w);
  divide(size, b->q, v);
  b->unit = v / w;
  double sum = 0;
  for (int32_t i = 0; i < size * size; i++) sum += b->W[i] * b->W[i];
  b->norm = sum > 0 ? sqrt(sum) : 1;
  return PERP_OK;
}

perp_status perp_contact_block_close(contact_block *b, double *r) {
  for (int32_t i = 0; i < b->size; i++) r[i] = b->best[i] * b->unit;
  if (!all_finite((size_t)b->size, r)) {
    memset(r, 0, (size_t)b->size * sizeof *r);
    return PERP_RAY;
  }
  /* a ray makes any residual small relative to its own terms */
  if (!(largest(b->size, b->best) <= 4e15 * largest(b->size, b->q))) return PERP_RAY;
  if (!(b->change <= 1e-8)) return PERP_RAY;
  return b->change <= 1e-12 ? PERP_OK : PERP_INACCURATE;
}

static twofold row(const contact_block *b, const double *r, int32_t i, double *terms) {
  twofold sum = twofold_of(b->q[i]);
  *terms = fabs(b->q[i]);
  for (int32_t j = 0; j < b->size; j++) {
    const twofold t = twofold_product(b->W[i + j * b->size], r[j]);
    sum = twofold_add(sum, t);
    *terms += fabs(t.hi);
  }
  return sum;
}

void perp_contact_velocity(const contact_block *b, const double *r, double *y) {
  double terms;
  for (int32_t i = 0; i < b->size; i++) y[i] = twofold_value(row(b, r, i, &terms));
}

static twofold norm_of(int32_t n, const twofold *x) {
  twofold sum = twofold_of(0);
  for (int32_t i = 0; i < n; i++) sum = twofold_add(sum, twofold_multiply(x[i], x[i]));
  return twofold_sqrt(sum);
}

/* z for the normal entry n and the norms of the parts; whether it is positive. Parts on their
 * bounds get active 1. */
static twofold project_normal(const contact_block *b, twofold n, const twofold *norms,
                              int *active) {
  twofold z = twofold_of(0);
  for (int mask = 0; mask < 1 << b->parts; mask++) {
    twofold sum = n, weight = twofold_of(1);
    for (int32_t k = 0; k < b->parts; k++) {
      active[k] = mask >> k & 1;
      if (!active[k]) continue;
      sum = twofold_add(sum, twofold_multiply(twofold_of(b->mu[k]), norms[k]));
      weight = twofold_add(weight, twofold_product(b->mu[k], b->mu[k]));
    }
    z = twofold_divide(sum, weight);
    int fits = 1;
    for (int32_t k = 0; k < b->parts; k++) {
      const twofold most = twofold_multiply(twofold_of(b->mu[k]), z);
      if (active[k] ? twofold_less(norms[k], most) : twofold_less(most, norms[k])) fits = 0;
    }
    if (fits) break;
  }
  if (z.hi > 0) return z;
  for (int32_t k = 0; k < b->parts; k++) active[k] = 1;
  return twofold_of(0);
}

double perp_contact_error(const contact_block *b, const double *r) {
  twofold x[5] = {{0, 0}}, y[5] = {{0, 0}}, norms[2] = {{0, 0}};
  double scale = 0, terms, square = 0;
  int active[2] = {0};
  for (int32_t i = 0; i < b->size; i++) {
    y[i] = row(b, r, i, &terms);
    scale = terms > scale || !(terms - terms == 0) ? terms : scale;
  }
  for (int32_t k = 0; k < b->parts; k++)
    y[0] = twofold_add(
        y[0], twofold_multiply(twofold_of(b->mu[k]), norm_of(b->half, y + 1 + k * b->half)));
  for (int32_t i = 0; i < b->size; i++)
    x[i] = twofold_subtract(twofold_of(r[i]), twofold_divide(y[i], twofold_of(b->norm)));
  for (int32_t k = 0; k < b->parts; k++) norms[k] = norm_of(b->half, x + 1 + k * b->half);
  const twofold z = project_normal(b, x[0], norms, active);
  for (int32_t i = 0; i < b->size; i++) {
    const int32_t k = i == 0 ? 0 : (i - 1) / b->half;
    twofold p = i == 0 ? z : x[i];
    if (i > 0 && active[k]) {
      const twofold most = twofold_multiply(twofold_of(b->mu[k]), z);
      p = norms[k].hi > 0 ? twofold_divide(twofold_multiply(most, x[i]), norms[k]) : twofold_of(0);
    }
    const double e = twofold_value(twofold_subtract(twofold_of(r[i]), p));
    square += e * e;
  }
  const double error = sqrt(square) * b->norm;
  if (error == 0) return 0;
  return error - error == 0 && scale - scale == 0 ? error / scale
                                                  : double_of(UINT64_C(0x7ff0000000000000));
}

/* ||r_k|| - mu_k r_n, which is far smaller than its terms on the cone. */
static double excess(const contact_block *b, const double *r, int32_t k) {
  const twofold most = twofold_product(b->mu[k], r[0]);
  twofold square = twofold_of(0);
  for (int32_t i = 1 + k * b->half; i < 1 + (k + 1) * b->half; i++)
    square = twofold_add(square, twofold_product(r[i], r[i]));
  return twofold_value(twofold_subtract(twofold_sqrt(square), most));
}

/* What u_k has to change by, and r_k, times its columns of W, so that part k sticks or slips. */
static double part_change(const contact_block *b, const double *r, const double *u, int32_t k) {
  const int32_t begin = 1 + k * b->half, end = begin + b->half;
  const double force = cone_norm(b->half, r + begin);
  double column = 0, square = 0, along = 0;
  for (int32_t j = begin; j < end; j++) {
    for (int32_t i = 0; i < b->size; i++) column += b->W[i + j * b->size] * b->W[i + j * b->size];
    square += u[j] * u[j];
  }
  column = sqrt(column);
  if (force == 0 && b->mu[k] * r[0] == 0) return 0; /* no force, any velocity */
  const double over = excess(b, r, k);
  const double stick = sqrt(square) + (over > 0 ? column * over : 0);
  if (force == 0) return stick;
  for (int32_t j = begin; j < end; j++) along += u[j] * (r[j] / force);
  square = along > 0 ? along * along : 0;
  for (int32_t j = begin; j < end; j++) {
    const double across = u[j] - along * (r[j] / force);
    square += across * across;
  }
  const double slip = sqrt(square) + column * fabs(over);
  return slip < stick ? slip : stick;
}

double perp_contact_change(const contact_block *b, const double *r) {
  double u[5] = {0}, scale = 0, terms, sum = 0;
  for (int32_t i = 0; i < b->size; i++) {
    u[i] = twofold_value(row(b, r, i, &terms));
    scale = terms > scale || !(terms - terms == 0) ? terms : scale;
  }
  sum = fabs(u[0]);
  for (int32_t k = 0; k < b->parts; k++) sum += part_change(b, r, u, k);
  if (!(r[0] >= 0) || !(sum - sum == 0)) return double_of(UINT64_C(0x7ff0000000000000));
  return sum == 0 ? 0 : sum / scale;
}

/* Points that need no more than a change of 1e-13 come first, and among them the residual decides.
 */
void perp_contact_consider(contact_block *b, const double *point) {
  static const double small = 1e-13;
  double r[5] = {0};
  if (contact_done(b) || !(point[0] >= 0)) return;
  memcpy(r, point, (size_t)b->size * sizeof *r);
  for (int32_t i = 1; i < b->size; i++)
    if (b->mu[(i - 1) / b->half] == 0) r[i] = 0; /* whatever rounding left */
  double error = perp_contact_error(b, r);
  if (b->change <= small && !(error < b->error)) return;
  const double change = perp_contact_change(b, r);
  const int fine = change <= small, was_fine = b->change <= small;
  if (!fine && change > error) error = change;
  if (was_fine && !fine) return;
  if (fine == was_fine && !(error < b->error)) return;
  b->error = error;
  b->change = change;
  memcpy(b->best, r, (size_t)b->size * sizeof *r);
}

/* ---- sticking ---- */

/* P W Q = L U with complete pivoting; rank: pivots that are not below tiny times the first. */
typedef struct factor {
  double LU[25];
  int32_t row[5], col[5], rank;
} factor;

static void exchange_rows(double *A, int32_t n, int32_t i, int32_t k) {
  for (int32_t j = 0; j < n; j++) {
    const double a = A[i + j * n];
    A[i + j * n] = A[k + j * n];
    A[k + j * n] = a;
  }
}

static void exchange_columns(double *A, int32_t n, int32_t i, int32_t k) {
  for (int32_t j = 0; j < n; j++) {
    const double a = A[j + i * n];
    A[j + i * n] = A[j + k * n];
    A[j + k * n] = a;
  }
}

static void factorise(factor *f, int32_t n, const double *W, double tiny) {
  double *A = f->LU, first = 0;
  memcpy(A, W, (size_t)(n * n) * sizeof *A);
  for (int32_t i = 0; i < n; i++) f->row[i] = f->col[i] = i;
  for (f->rank = 0; f->rank < n; f->rank++) {
    const int32_t k = f->rank;
    int32_t pi = k, pj = k;
    for (int32_t j = k; j < n; j++)
      for (int32_t i = k; i < n; i++)
        if (fabs(A[i + j * n]) > fabs(A[pi + pj * n])) pi = i, pj = j;
    const double pivot = fabs(A[pi + pj * n]);
    if (k == 0) first = pivot;
    if (!(pivot > tiny * first)) return;
    exchange_rows(A, n, k, pi);
    exchange_columns(A, n, k, pj);
    const int32_t ri = f->row[k], ci = f->col[k];
    f->row[k] = f->row[pi], f->row[pi] = ri;
    f->col[k] = f->col[pj], f->col[pj] = ci;
    for (int32_t i = k + 1; i < n; i++) {
      const double l = A[i + k * n] /= A[k + k * n];
      for (int32_t j = k + 1; j < n; j++) A[i + j * n] -= l * A[k + j * n];
    }
  }
}

/* x += -W^+ y */
static void improve(const factor *f, int32_t n, const double *y, double *x) {
  double z[5] = {0};
  const int32_t rank = f->rank;
  for (int32_t i = 0; i < rank; i++) {
    z[i] = -y[f->row[i]];
    for (int32_t j = 0; j < i; j++) z[i] -= f->LU[i + j * n] * z[j];
  }
  for (int32_t i = rank - 1; i >= 0; i--) {
    for (int32_t j = i + 1; j < rank; j++) z[i] -= f->LU[i + j * n] * z[j];
    z[i] /= f->LU[i + i * n];
  }
  for (int32_t i = 0; i < rank; i++) x[f->col[i]] += z[i];
}

void perp_contact_eliminate(int32_t n, const double *A, const double *y, double *x) {
  factor f;
  factorise(&f, n, A, 0);
  improve(&f, n, y, x);
}

void perp_contact_stick(contact_block *b, double tiny) {
  factor f;
  double r[5] = {0, 0, 0, 0, 0}, y[5] = {0};
  factorise(&f, b->size, b->W, tiny);
  for (int step = 0; step < 4 && !contact_done(b); step++) {
    perp_contact_velocity(b, r, y);
    improve(&f, b->size, y, r);
    const double before = b->error;
    perp_contact_consider(b, r);
    if (step > 1 && !(b->error < before)) return;
  }
}

/* x, i units of its last place away. */
static double neighbour(double x, int i) { return x + i * (0x1p-52 * power_of_two(fabs(x))); }

/* Where all parts stick. */
static void settle_inside(contact_block *b) {
  factor f;
  double r[5] = {0}, y[5] = {0, 0, 0, 0, 0};
  factorise(&f, b->size, b->W, 0);
  memcpy(r, b->best, sizeof r);
  for (int turn = 0; turn < 138 && !contact_settled(b); turn++) {
    double creep = 0;
    perp_contact_velocity(b, r, y);
    for (int32_t k = 0; k < b->parts; k++) {
      double square = 0;
      for (int32_t i = 1 + k * b->half; i < 1 + (k + 1) * b->half; i++) square += y[i] * y[i];
      creep += b->mu[k] * sqrt(square);
    }
    y[0] += creep * 0.0625 * (1 + turn % 23); /* the neighbours that rounding reaches vary */
    improve(&f, b->size, y, r);
    perp_contact_consider(b, r);
  }
}

/* Where one part is on its bound and one may stick: r_n moves by units of its last place, the part
 * follows, and so do neighbours of its entries. */
static void settle_bound(contact_block *b, int32_t k) {
  const int32_t begin = 1 + k * b->half;
  double start[5] = {0}, r[5] = {0}, length = 0;
  memcpy(start, b->best, sizeof start);
  for (int32_t i = begin; i < begin + b->half; i++) length += start[i] * start[i];
  length = sqrt(length);
  if (!(length > 0 && length > b->mu[k] * start[0] * (1 - 1e-12))) return;
  for (int trial = 0; trial < 201 * 9 && !contact_settled(b); trial++) {
    const int side = trial % 9, far = trial / 9;
    memcpy(r, start, sizeof r);
    r[0] = neighbour(start[0], far % 2 == 0 ? -far / 2 : (far + 1) / 2);
    for (int32_t i = 0; i < b->half; i++)
      r[begin + i] = neighbour(b->mu[k] * r[0] * (start[begin + i] / length),
                               (i == 0 ? side % 3 : side / 3) - 1);
    perp_contact_consider(b, r);
  }
}

void perp_contact_settle(contact_block *b) {
  if (contact_settled(b) || b->change > 1e-12) return;
  const contact_block before = *b;
  settle_inside(b);
  for (int32_t k = 0; k < b->parts; k++) settle_bound(b, k);
  /* at the verge of sticking there may be no such neighbour: then rather what was exact */
  if (contact_unsure(b, 1e-14) && before.change <= 1e-14 && before.error <= 1e-11) *b = before;
}
