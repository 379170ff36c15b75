/* SPDX-License-Identifier: MIT */
/* Numbers of twice the precision, as sums of two doubles hi + lo, |lo| <= ulp(hi)/2: for judging
 * what doubles hold to their last bit. Products are exact while they neither overflow nor leave
 * the normal numbers, so callers scale. Source: Dekker, Numer. Math. 18 (1971) 224-242. */
#ifndef PERP_BASE_TWOFOLD_H
#define PERP_BASE_TWOFOLD_H

#include <math.h>

typedef struct twofold {
  double hi, lo;
} twofold;

static inline twofold twofold_of(double a) {
  const twofold x = {a, 0};
  return x;
}

/* a + b without error. */
static inline twofold twofold_sum(double a, double b) {
  const double s = a + b, t = s - a;
  const twofold x = {s, (a - (s - t)) + (b - t)};
  return x;
}

/* a b without error. */
static inline twofold twofold_product(double a, double b) {
  const double p = a * b, ta = 134217729.0 * a, tb = 134217729.0 * b;
  const double ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
  const twofold x = {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
  return x;
}

static inline twofold twofold_add(twofold x, twofold y) {
  const twofold s = twofold_sum(x.hi, y.hi), t = twofold_sum(x.lo, y.lo);
  const twofold u = twofold_sum(s.hi, s.lo + t.hi);
  return twofold_sum(u.hi, u.lo + t.lo);
}

static inline twofold twofold_negative(twofold x) {
  const twofold y = {-x.hi, -x.lo};
  return y;
}

static inline twofold twofold_subtract(twofold x, twofold y) {
  return twofold_add(x, twofold_negative(y));
}

static inline twofold twofold_multiply(twofold x, twofold y) {
  const twofold p = twofold_product(x.hi, y.hi);
  return twofold_sum(p.hi, p.lo + (x.hi * y.lo + x.lo * y.hi));
}

static inline twofold twofold_divide(twofold x, twofold y) {
  const double first = x.hi / y.hi;
  const twofold rest = twofold_subtract(x, twofold_multiply(y, twofold_of(first)));
  return twofold_sum(first, rest.hi / y.hi);
}

static inline twofold twofold_sqrt(twofold x) {
  if (!(x.hi > 0)) return twofold_of(x.hi);
  const double first = sqrt(x.hi);
  const twofold rest = twofold_subtract(x, twofold_product(first, first));
  return twofold_sum(first, rest.hi / (2 * first));
}

/* x < y; false for NaN. */
static inline int twofold_less(twofold x, twofold y) {
  return x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo);
}

static inline double twofold_value(twofold x) { return x.hi + x.lo; }

#endif
