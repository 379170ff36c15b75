/* SPDX-License-Identifier: MIT */
/* Two doubles at a time, for kernels of a few unknowns, which compilers unroll before they could
 * vectorise them. Each operation is the one on doubles twice, so the bits do not depend on what
 * stands behind it. */
#ifndef PERP_BASE_PAIR_H
#define PERP_BASE_PAIR_H

#if defined(__GNUC__)
typedef double pair __attribute__((vector_size(16)));
typedef double pair_in_memory __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long pair_bits __attribute__((vector_size(16)));

static inline pair pair_of(double a, double b) { return (pair){a, b}; }
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
static inline pair pair_absolute(pair x) {
  return pair_of(x.a < 0 || x.a == 0 ? 0 - x.a : x.a, x.b < 0 || x.b == 0 ? 0 - x.b : x.b);
}
static inline double pair_first(pair x) { return x.a; }
static inline double pair_second(pair x) { return x.b; }
static inline pair pair_load(const double *from) { return pair_of(from[0], from[1]); }
static inline void pair_store(double *to, pair v) {
  to[0] = v.a;
  to[1] = v.b;
}
#endif

static inline pair pair_twice(double a) { return pair_of(a, a); }

#endif
