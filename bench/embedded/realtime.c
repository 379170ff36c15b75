/* SPDX-License-Identifier: MIT */
/* What one solve of a small LCP costs at worst and in the middle, in instructions of a Cortex-M,
 * over many random problems of one size; for bench/realtime, which runs it in QEMU.
 *
 * Problem k is of family k % FAMILIES, from numbers u in (-1, 1) of the generator of families.h,
 * seeded with k. Where the solution is chosen first (z and w = M z + q, one of each pair 0, one
 * pair in four both 0) q follows from it.
 *
 *   spd         M = A A' + I, A of n x 8 entries u; q = u
 *   delassus    M = D (A A' + 10^-k I) D, D = diag(10^(2u)), k = 0 ... 6; q = u in units of D
 *   tilted      spd, plus a skew part as large: a P-matrix that is not symmetric; q = u
 *   redundant   contacts of fewer bodies than contacts: M = A A' of rank n/2 + 1; solution chosen
 *   diodes      a circuit: M skew but for a resistance in every third row; solution chosen
 *   integers    a chain: tridiagonal (-1, 2, -1); q in -2 ... 2, full of ties */
#include <math.h>
#include <string.h>

#include "board.h"
#include "perp/perp.h"

#ifndef REALTIME_COUNT
#define REALTIME_COUNT 6000 /* problems */
#endif
#ifndef REALTIME_N
#define REALTIME_N 8
#endif

enum { N = REALTIME_N, COUNT = REALTIME_COUNT, RANK = 8, FAMILIES = 6 };

static const char *const family_name[FAMILIES] = {"spd",       "delassus", "tilted",
                                                  "redundant", "diodes",   "integers"};

static double M[N * N], q[N], z[N], w[N], A[N * (N + RANK)];
static uint32_t cost[COUNT];
static unsigned char work[64 * 1024];

/* ---- problems ---- */

static uint64_t state;

static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-52 - 1;
}

/* M := A A' + shift I, A of n x rank numbers. */
static void gram(int rank, double shift) {
  for (int k = 0; k < N * rank; k++) A[k] = uniform();
  for (int j = 0; j < N; j++)
    for (int i = 0; i <= j; i++) {
      double sum = i == j ? shift : 0;
      for (int k = 0; k < rank; k++) sum += A[i * rank + k] * A[j * rank + k];
      M[i + N * j] = M[j + N * i] = sum;
    }
}

static void chosen_solution(void) {
  for (int i = 0; i < N; i++) {
    const double u = uniform();
    z[i] = u > 0.25 ? u : 0;
    q[i] = u < -0.25 ? -u : 0;
  }
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) q[i] -= M[i + N * j] * z[j];
}

static void delassus(void) {
  static const double shifts[] = {1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  double d[N];
  gram(RANK, shifts[(state >> 40) % 7]);
  for (int i = 0; i < N; i++) {
    static const double decade[] = {1e-2, 1e-1, 1, 10, 100};
    d[i] = decade[(int)(2.5 * (uniform() + 1))] * (1.5 + uniform());
    q[i] = d[i] * uniform();
  }
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) M[i + N * j] *= d[i] * d[j];
}

static void skew_part(double size) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < j; i++) {
      const double x = size * uniform();
      M[i + N * j] += x;
      M[j + N * i] -= x;
    }
}

static void make(uint32_t k) {
  state = UINT64_C(0x9E3779B97F4A7C15) * (k + 1);
  memset(M, 0, sizeof M);
  for (int i = 0; i < N; i++) q[i] = uniform();
  switch (k % FAMILIES) {
    case 0:
      gram(RANK, 1);
      break;
    case 1:
      delassus();
      break;
    case 2:
      gram(RANK, 1);
      skew_part(2);
      break;
    case 3:
      gram(N / 2 + 1, 0);
      chosen_solution();
      break;
    case 4:
      skew_part(1);
      for (int i = 0; i < N; i += 3) M[i + N * i] = 0.1;
      chosen_solution();
      break;
    default:
      for (int i = 0; i < N; i++) {
        M[i + N * i] = 2;
        if (i > 0) M[i + N * (i - 1)] = M[i - 1 + N * i] = -1;
        q[i] = (int)(2.5 * (q[i] + 1)) - 2;
      }
  }
}

/* ---- solvers ---- */

static perp_status by_lcp_lemke(const perp_lcp *p, perp_info *info) {
  perp_lemke_options o = perp_lemke_options_default();
  o.tol = 1e-9;
  return perp_lcp_lemke(p, &o, z, w, work, sizeof work, info);
}

#ifdef REALTIME_ALL /* every solver of complementarity, to choose one */
static const perp_solver *method;

static perp_status by_descriptor(const perp_lcp *p, perp_info *info) {
  return perp_lcp_solve(method, p, NULL, z, w, work, sizeof work, info);
}
#endif

typedef perp_status (*solve_fn)(const perp_lcp *p, perp_info *info);

/* ---- measuring ---- */

static void sort(uint32_t *x, int32_t n) { /* heap sort */
  for (int32_t end = n, begin = n / 2; end > 1;) {
    if (begin > 0) {
      begin--;
    } else {
      const uint32_t t = x[--end];
      x[end] = x[0];
      x[0] = t;
    }
    for (int32_t i = begin, child; (child = 2 * i + 1) < end; i = child) {
      if (child + 1 < end && x[child + 1] > x[child]) child++;
      if (x[child] <= x[i]) break;
      const uint32_t t = x[i];
      x[i] = x[child];
      x[child] = t;
    }
  }
}

static void note(const char *solver, const char *what, const char *family, uint32_t value) {
  char name[64] = "";
  strncat(name, solver, 24);
  strcat(name, " ");
  strcat(name, what);
  if (family != NULL) strcat(name, " ");
  if (family != NULL) strncat(name, family, 16);
  board_note(name, value);
}

/* Not solved to 1e-9. */
static int failed(perp_status status, const perp_info *info) {
  return status != PERP_OK || !(info->relative_residual <= 1e-9);
}

static uint32_t measure(const char *name, solve_fn solve) {
  const perp_lcp p = {N, N, M, q};
  uint32_t bad = 0, bad_of[FAMILIES] = {0}, worst_of[FAMILIES] = {0}, pivots = 0;
  for (uint32_t k = 0; k < COUNT; k++) {
    perp_info info = PERP_INFO_INIT;
    make(k);
    memset(z, 0, sizeof z);
    const uint32_t since = board_clock();
    const perp_status status = solve(&p, &info);
    cost[k] = board_instructions(since);
    if (failed(status, &info)) bad++, bad_of[k % FAMILIES]++;
    if (cost[k] > worst_of[k % FAMILIES]) worst_of[k % FAMILIES] = cost[k];
    if (info.iterations > (int32_t)pivots) pivots = (uint32_t)info.iterations;
  }
  sort(cost, COUNT);
  note(name, "problems", NULL, COUNT);
  note(name, "unsolved", NULL, bad);
  note(name, "least", NULL, cost[0]);
  note(name, "median", NULL, cost[COUNT / 2]);
  note(name, "worst", NULL, cost[COUNT - 1]);
  note(name, "iterations", NULL, pivots);
  for (int f = 0; f < FAMILIES; f++) {
    note(name, "worst", family_name[f], worst_of[f]);
    if (bad_of[f] > 0) note(name, "unsolved", family_name[f], bad_of[f]);
  }
  return bad;
}

int main(void) {
#ifdef REALTIME_ALL
  const perp_solver *const solvers[] = {perp_solver_lemke(),          perp_solver_murty(),
                                        perp_solver_block_pivoting(), perp_solver_box_pivoting(),
                                        perp_solver_interior_point(), perp_solver_newton_min(),
                                        perp_solver_newton_fb(),      perp_solver_active_set()};
  (void)measure("lcp-lemke", by_lcp_lemke);
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    method = solvers[i];
    (void)measure(method->name, by_descriptor);
  }
  return 0;
#else
  return measure("lcp-lemke", by_lcp_lemke) > 0;
#endif
}
