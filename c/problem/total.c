/* SPDX-License-Identifier: MIT */
/* The error of a product needs no bits below 2^-106 times the product, which is a normal number
 * here: 2^-900 is what is left out. */
#include "problem/total.h"

#include <float.h>
#include <math.h>

#include "base/finite.h"

/* ---- numbers beyond the range of doubles ---- */

double perp_wide_split(double x, int32_t *e) {
  if (fabs(x) < DBL_MIN) {
    x *= 0x1p64;
    *e -= 64;
  }
  const uint64_t bits = bits_of(x);
  const int32_t biased = (int32_t)(bits >> 52 & 0x7ff);
  *e += biased - 1023;
  return biased == 0x7ff ? x - x : double_of(bits + ((uint64_t)(1023 - biased) << 52));
}

/* 2^e of a normal number */
static double power(int32_t e) { return double_of((uint64_t)(e + 1023) << 52); }

double perp_wide_scaled(double x, int32_t e) {
  if (!(x >= 0x1p-1000)) return 0;
  x = perp_wide_split(x, &e);
  if (e > 1023) return DBL_MAX;
  return e < -1000 ? 0 : x * power(e);
}

void perp_wide_raise(wide_number *w, double x, int32_t unit) {
  if (x == 0) return;
  x = perp_wide_split(x, &unit);
  if (w->x != 0 && (unit < w->unit || (unit == w->unit && x <= w->x))) return;
  w->x = x;
  w->unit = unit;
}

/* ---- sums with a bound of their error ---- */

/* *a := a + b, and what that is wrong by */
static double absorb(double *a, double b) {
  const double x = *a, s = x + b, back = s - x;
  *a = s;
  return (x - (s - back)) + (b - back);
}

/* High half of the digits of x. */
static double upper_half(double x) {
  const double c = 134217729.0 * x;
  return c - (c - x);
}

/* a b - p for p = fl(a b), without error in the normal range. */
static double product_error(double a, double b, double p) {
  const double ah = upper_half(a), al = a - ah, bh = upper_half(b), bl = b - bh;
  return al * bl - (((p - ah * bh) - al * bh) - ah * bl);
}

void perp_total_add(total *t, double a, double b, int32_t shift) {
  if (a == 0 || b == 0) return;
  const double x = perp_wide_split(a, &shift), y = perp_wide_split(b, &shift);
  if (t->open) {
    if (shift > t->unit) t->unit = shift;
    return;
  }
  shift -= t->unit;
  if (shift < -900) {
    t->error += 0x1p-898;
    return;
  }
  const double c = x * power(shift), p = c * y, low = product_error(c, y, p);
  const double carry = absorb(&t->sum, p);
  t->error += fabs(absorb(&t->rest, low));
  t->error += fabs(absorb(&t->rest, carry));
}

double perp_total_top(const total *t, double sign) {
  double x = sign * t->sum;
  const double low = absorb(&x, sign * t->rest), r = low + 2 * t->error;
  return r == 0 ? x : x + r + 2 * DBL_EPSILON * (fabs(x) + fabs(r));
}

total perp_total_dot(int32_t n, const double *a, const double *b, double floor) {
  total t = total_open();
  for (; t.open >= 0; t.open--) {
    for (int32_t i = 0; i < n; i++) {
      double x = a[i], y = b == NULL ? 1 : b[i];
      if (floor >= 0) {
        x = fabs(x);
        y = fabs(y) < floor ? floor : fabs(y);
      }
      perp_total_add(&t, x, y, 0);
    }
  }
  return t;
}
