/* SPDX-License-Identifier: MIT */
/* Two doubles at a time, for kernels of a few unknowns, which compilers unroll before they could
 * vectorise them. Each operation is the one on doubles twice, so the bits do not depend on what
 * stands behind it. */
#ifndef PERP_BASE_PAIR_H
#define PERP_BASE_PAIR_H

#include <math.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Where there are registers for two: elsewhere compilers would keep a vector in memory. */
#if defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON) || defined(__VSX__))
typedef double pair __attribute__((vector_size(16)));
typedef double pair_in_memory __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long pair_bits __attribute__((vector_size(16)));

static inline pair pair_of(double a, double b) {
  const pair v = {a, b};
  return v;
}
static inline pair pair_add(pair x, pair y) { return x + y; }
static inline pair pair_subtract(pair x, pair y) { return x - y; }
static inline pair pair_multiply(pair x, pair y) { return x * y; }
static inline pair pair_divide(pair x, pair y) { return x / y; }
/* v where x > y, 0 elsewhere. */
static inline pair pair_where_greater(pair x, pair y, pair v) {
  return (pair)((pair_bits)v & (pair_bits)(x > y));
}
static inline pair pair_absolute(pair x) {
  const pair_bits sign = {0x7fffffffffffffff, 0x7fffffffffffffff};
  return (pair)((pair_bits)x & sign);
}
static inline double pair_first(pair x) { return x[0]; }
static inline double pair_second(pair x) { return x[1]; }
static inline pair pair_load(const double *from) { return *(const pair_in_memory *)from; }
static inline void pair_store(double *to, pair v) { *(pair_in_memory *)to = v; }
#else
typedef struct pair {
  double a, b;
} pair;

static inline pair pair_of(double a, double b) {
  pair v = {a, b};
  return v;
}
static inline pair pair_add(pair x, pair y) { return pair_of(x.a + y.a, x.b + y.b); }
static inline pair pair_subtract(pair x, pair y) { return pair_of(x.a - y.a, x.b - y.b); }
static inline pair pair_multiply(pair x, pair y) { return pair_of(x.a * y.a, x.b * y.b); }
static inline pair pair_divide(pair x, pair y) { return pair_of(x.a / y.a, x.b / y.b); }
static inline pair pair_where_greater(pair x, pair y, pair v) {
  return pair_of(x.a > y.a ? v.a : 0, x.b > y.b ? v.b : 0);
}
static inline pair pair_absolute(pair x) { return pair_of(fabs(x.a), fabs(x.b)); }
static inline double pair_first(pair x) { return x.a; }
static inline double pair_second(pair x) { return x.b; }
static inline pair pair_load(const double *from) { return pair_of(from[0], from[1]); }
static inline void pair_store(double *to, pair v) {
  to[0] = v.a;
  to[1] = v.b;
}
#endif

static inline pair pair_twice(double a) { return pair_of(a, a); }

/* x < y ? x : y and x > y ? x : y, and roots. Compilers do not find these instructions. */
#if defined(__GNUC__) && defined(__SSE2__)
static inline pair pair_minimum(pair x, pair y) { return _mm_min_pd(x, y); }
static inline pair pair_maximum(pair x, pair y) { return _mm_max_pd(x, y); }
static inline pair pair_root(pair x) { return _mm_sqrt_pd(x); }
#else
static inline pair pair_minimum(pair x, pair y) {
  const double a = pair_first(x), b = pair_second(x), c = pair_first(y), d = pair_second(y);
  return pair_of(a < c ? a : c, b < d ? b : d);
}
static inline pair pair_maximum(pair x, pair y) {
  const double a = pair_first(x), b = pair_second(x), c = pair_first(y), d = pair_second(y);
  return pair_of(a > c ? a : c, b > d ? b : d);
}
static inline pair pair_root(pair x) { return pair_of(sqrt(pair_first(x)), sqrt(pair_second(x))); }
#endif

static inline double pair_least(pair x) {
  const double a = pair_first(x), b = pair_second(x);
  return a < b ? a : b;
}
static inline double pair_most(pair x) {
  const double a = pair_first(x), b = pair_second(x);
  return a > b ? a : b;
}

#endif
