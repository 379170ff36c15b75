/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <math.h>

#include "board.h"

enum { LARGEST = 32 };

static uint64_t seed;

/* Uniform in [-1, 1): SplitMix64 [Steele, Lea and Flood 2014], its upper 53 bits. */
static double uniform(void) {
  uint64_t z = seed += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* M = B B^T / n + shift I, B of n x m. */
static void gram(int32_t n, int32_t m, double shift, double *M) {
  static double B[LARGEST * (LARGEST + 2)];
  for (int32_t i = 0; i < n * m; i++) B[i] = uniform();
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i <= j; i++) {
      double sum = 0;
      for (int32_t k = 0; k < m; k++) sum += B[i * m + k] * B[j * m + k];
      M[i + n * j] = M[j + n * i] = sum / n + (i == j ? shift : 0);
    }
}

void corpus_lcp(uint32_t k, int32_t n, int skew, double *M, double *q) {
  seed = (uint64_t)k << 32 | (uint32_t)n;
  gram(n, n, 0.1, M);
  for (int32_t j = 0; j < n && skew && k % 2 == 1; j++)
    for (int32_t i = 0; i < j; i++) {
      const double s = uniform();
      M[i + n * j] += s;
      M[j + n * i] -= s;
    }
  for (int32_t i = 0; i < n; i++) q[i] = uniform();
}

double corpus_friction(uint32_t k, int32_t contacts, int32_t size, double *M, double *q) {
  const int32_t n = size * contacts;
  seed = (uint64_t)k << 32 | (uint32_t)n;
  gram(n, n + 2, 0.01, M);
  for (int32_t i = 0; i < n; i++) q[i] = i % size == 0 ? uniform() - 0.5 : uniform();
  return 0.5 + 0.3 * uniform();
}

static double row(int32_t n, const double *M, const double *q, const double *z, int32_t i,
                  double *size) {
  double y = q[i];
  *size = fabs(q[i]);
  for (int32_t j = 0; j < n; j++) {
    y += M[i + n * j] * z[j];
    *size += fabs(M[i + n * j] * z[j]);
  }
  return y;
}

int corpus_lcp_solved(int32_t n, const double *M, const double *q, const double *z) {
  for (int32_t i = 0; i < n; i++) {
    double size;
    const double w = row(n, M, q, z, i, &size), least = z[i] < w ? z[i] : w;
    if (!(fabs(least) <= CORPUS_TOLERANCE * (1 + size))) return 0;
  }
  return 1;
}

int corpus_friction_solved(int32_t contacts, int32_t size, double mu, const double *M,
                           const double *q, const double *r) {
  const int32_t n = size * contacts;
  double scale = 1, u[LARGEST];
  for (int32_t i = 0; i < n; i++) {
    double s;
    u[i] = row(n, M, q, r, i, &s);
    if (!(s + fabs(r[i]) <= scale)) scale = s + fabs(r[i]);
  }
  const double tol = 100 * CORPUS_TOLERANCE * scale;
  for (const double *v = u; v < u + n; v += size, r += size) {
    double rt = 0, vt = 0,
           along = 0; /* |r_t|, |u_t|, and r_t . u_t = -|r_t| |u_t| where it slips */
    for (int32_t i = 1; i < size; i++) {
      rt += r[i] * r[i];
      vt += v[i] * v[i];
      along += r[i] * v[i];
    }
    if (!(r[0] >= -tol && v[0] >= -tol && r[0] * v[0] <= tol * scale)) return 0;
    if (!(sqrt(rt) <= mu * r[0] + tol)) return 0;
    if (!(along <= -mu * r[0] * sqrt(vt) + tol * scale)) return 0;
  }
  return 1;
}

/* Shell's sort; the gaps of Ciura. */
static void sort(uint32_t *a, uint32_t n) {
  static const uint32_t gaps[] = {46000, 20500, 9100, 4000, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
  for (uint32_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
    for (uint32_t i = gaps[g]; i < n; i++) {
      const uint32_t x = a[i];
      uint32_t j = i;
      for (; j >= gaps[g] && a[j - gaps[g]] > x; j -= gaps[g]) a[j] = a[j - gaps[g]];
      a[j] = x;
    }
}

void corpus_report(int32_t n, corpus_costs *costs, uint32_t stack, size_t work) {
  sort(costs->count, costs->problems);
  board_note("n", (uint32_t)n);
  board_note("problems", costs->problems);
  board_note("solved", costs->solved);
  board_note("median", costs->count[costs->problems / 2]);
  board_note("maximum", costs->count[costs->problems - 1]);
  board_note("stack", stack);
  board_note("work", (uint32_t)work);
}
