/* SPDX-License-Identifier: MIT */
/* One block in a common scale, and how far a point is from the law, in twice the precision: the
 * largest of |min(u_n, c r_n)|, c = ||W||_F, and for every part of the lesser of
 *
 *   stick  ||u_k|| + c (||r_k|| - mu_k r_n)_+,
 *   slip   ||u_k - d (d·u_k)_-|| + c | ||r_k|| - mu_k r_n |,    d = r_k / ||r_k||,
 *
 * which is never less than c ||r_k - P(r_k - u_k / c)||, P on ||x|| <= mu_k r_n, and sees more
 * where r is small. It is relative to || |W||r| + |q| || as long as that is no more than 1e6 || q
 * ||, and beyond to 1e6 || q ||: 1e-12 is both tests of contact.h. */
#include "problem/one_contact_exact.h"

#include "base/twofold.h"
#include "problem/cone.h"

/* Multiply-adds of nine lengths in twice the precision. */
#define TO_BOUND 600

/* How much larger than q the terms of u may be before q is what errors are measured by. */
static const double ordinary = 1e6;

static double largest(int32_t n, const double *x) {
  double most = 0;
  for (int32_t i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

/* x := x / the power of two that is returned, with the largest entry in [1, 2). */
static double normalise(int32_t n, double *x) {
  static const double small = 0x1p-1000; /* denormal numbers have no power of two of their own */
  const double most = largest(n, x);
  double up = 1;
  if (most > 0 && most < small) up = small;
  const double scale = power_of_two(most / up);
  for (int32_t i = 0; i < n; i++) x[i] = x[i] / up / scale;
  return up * scale;
}

perp_status perp_contact_block_open(contact_block *b, int32_t size, int32_t parts, const double *W,
                                    int32_t ld, const double *q, const double *mu, double *left) {
  b->left = left;
  b->size = size;
  b->parts = parts;
  b->half = (size - 1) / parts;
  b->rough = 0;
  for (int32_t k = 0; k < 2; k++) b->mu[k] = k < parts ? mu[k] : 0;
  for (int32_t j = 0; j < size; j++)
    memcpy(b->W + j * size, W + (size_t)j * (size_t)ld, (size_t)size * sizeof *W);
  memcpy(b->q, q, (size_t)size * sizeof *q);
  memset(b->best, 0, sizeof b->best);
  b->error = double_of(UINT64_C(0x7ff0000000000000));
  b->unit = b->norm = 1;
  const size_t n = (size_t)size;
  if (!all_finite(n * n, b->W) || !all_finite(n, q) || !all_finite((size_t)parts, mu))
    return PERP_ENOTFINITE;
  for (int32_t k = 0; k < parts; k++)
    if (!(mu[k] >= 0)) return PERP_EINVAL;
  const double w = normalise(size * size, b->W);
  b->unit = normalise(size, b->q) / w;
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
  if (b->unit < 0x1p-900) { /* r may have lost bits */
    for (int32_t i = 0; i < b->size; i++) b->best[i] = b->unit > 0 ? r[i] / b->unit : 0;
    b->error = perp_contact_error(b, b->best);
  }
  if (!(b->error <= 1e-8)) return PERP_RAY;
  return b->error <= 1e-12 ? PERP_OK : PERP_INACCURATE;
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

/* ||r_k|| - most, which is far smaller than its terms next to the bound. */
static double beyond(int32_t half, const double *x, twofold most) {
  twofold square = twofold_of(0);
  for (int32_t i = 0; i < half; i++) square = twofold_add(square, twofold_product(x[i], x[i]));
  return twofold_value(twofold_subtract(twofold_sqrt(square), most));
}

/* What u_k and c r_k have to change by so that part k sticks or slips. */
static double part_error(const contact_block *b, const double *r, const double *u, int32_t k) {
  const double *v = u + 1 + k * b->half, *x = r + 1 + k * b->half;
  const double force = cone_norm(b->half, x), most = b->mu[k] * r[0];
  double along = 0, across[2] = {0};
  if (force == 0 && most == 0) return 0; /* no force, any velocity */
  const double over = b->norm * beyond(b->half, x, twofold_product(b->mu[k], r[0]));
  const double stick = cone_norm(b->half, v) + (over > 0 ? over : 0);
  if (force == 0) return stick;
  for (int32_t i = 0; i < b->half; i++) along += v[i] * (x[i] / force);
  for (int32_t i = 0; i < b->half; i++) across[i] = v[i] - (along < 0 ? along * (x[i] / force) : 0);
  const double slip = cone_norm(b->half, across) + fabs(over);
  return slip < stick ? slip : stick;
}

double perp_contact_error(const contact_block *b, const double *r) {
  double u[5] = {0}, scale = 0, terms;
  for (int32_t i = 0; i < b->size; i++) {
    u[i] = twofold_value(row(b, r, i, &terms));
    scale = terms > scale || !(terms - terms == 0) ? terms : scale;
  }
  const double off = b->norm * r[0];
  double error = fabs(u[0] < off ? u[0] : off);
  for (int32_t k = 0; k < b->parts; k++) {
    const double part = part_error(b, r, u, k);
    if (!(part <= error)) error = part;
  }
  const double most = ordinary * largest(b->size, b->q);
  /* where r is larger than that a small error is luck: no better than what u rounds to */
  if (scale > most) error = (error > 0x1p-53 * scale ? error : 0x1p-53 * scale) * (scale / most);
  if (error == 0) return 0;
  return error - error == 0 && scale - scale == 0 ? error / scale
                                                  : double_of(UINT64_C(0x7ff0000000000000));
}

void perp_contact_consider(contact_block *b, const double *point) {
  double r[5] = {0};
  if (contact_done(b) || !(point[0] >= 0)) return;
  memcpy(r, point, (size_t)b->size * sizeof *r);
  for (int32_t i = 1; i < b->size; i++)
    if (b->mu[(i - 1) / b->half] == 0) r[i] = 0; /* whatever rounding left */
  const double error = perp_contact_error(b, r);
  contact_charge(b);
  if (!(error < b->error)) return;
  b->error = error;
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

/* ---- the last bits ---- */

/* x, i units of its last place away. */
static double neighbour(double x, int i) { return x + i * (0x1p-52 * power_of_two(fabs(x))); }

/* r_k := the neighbour of mu_k r_n d, d a unit vector, that is next to the cone's boundary, inside.
 */
static void to_bound(const contact_block *b, int32_t k, const double *d, double *r) {
  const twofold most = twofold_product(b->mu[k], r[0]);
  double least = double_of(UINT64_C(0x7ff0000000000000));
  *b->left -= TO_BOUND;
  for (int side = 0; side < 9; side++) {
    double x[2] = {0};
    for (int32_t i = 0; i < b->half; i++)
      x[i] = neighbour(b->mu[k] * r[0] * d[i], (i == 0 ? side % 3 : side / 3) - 1);
    const double inside = -beyond(b->half, x, most);
    if (!(inside >= 0 && inside < least)) continue;
    least = inside;
    memcpy(r + 1 + k * b->half, x, (size_t)b->half * sizeof *x);
  }
}

void perp_contact_settle(contact_block *b) {
  double start[5] = {0}, r[5] = {0}, d[2][2] = {{0}};
  int bound[2] = {0, 0}, blame = 0; /* whether the error can be that distance */
  memcpy(start, b->best, sizeof start);
  memcpy(r, start, sizeof r);
  for (int32_t k = 0; k < b->parts; k++) {
    const double *x = start + 1 + k * b->half, length = cone_norm(b->half, x);
    bound[k] = length > 0 && length > b->mu[k] * start[0] * (1 - 1e-12);
    blame |= bound[k] && b->error <= 0x1p-49 * b->norm * length;
    for (int32_t i = 0; i < b->half; i++) d[k][i] = x[i] / length;
  }
  if (!blame) return;
  for (int trial = 0; trial < 201 && !contact_settled(b); trial++) {
    r[0] = neighbour(start[0], trial % 2 == 0 ? -trial / 2 : (trial + 1) / 2);
    for (int32_t k = 0; k < b->parts; k++)
      if (bound[k]) to_bound(b, k, d[k], r);
    perp_contact_consider(b, r);
  }
}
