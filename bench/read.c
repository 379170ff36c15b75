/* SPDX-License-Identifier: MIT */
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number(FILE *f, int *x) { return fscanf(f, "%d", x) == 1; }

static double *numbers(FILE *f, int n) {
  double *x = (double *)malloc(((size_t)n + 1) * sizeof *x);
  for (int i = 0; x != NULL && i < n; i++)
    if (fscanf(f, "%lf", &x[i]) != 1) return free(x), NULL;
  return x;
}

static int integers(FILE *f, int n, int *x) {
  for (int i = 0; i < n; i++)
    if (!number(f, &x[i])) return 0;
  return 1;
}

/* Dense M from block rows. */
static double *blocks(FILE *f, int n) {
  int counts[3], filled[2], cuts[64] = {0}, start[64], index[4096], k;
  double *M = (double *)calloc((size_t)n * (size_t)n + 1, sizeof *M);
  if (M == NULL || !integers(f, 3, counts) || counts[0] > 4096 || counts[1] > 62) return NULL;
  if (!integers(f, counts[1], cuts + 1)) return NULL;
  for (int i = 0; i < counts[2]; i++)
    if (!number(f, &k)) return NULL;
  if (!integers(f, 2, filled) || !integers(f, filled[0], start) || !integers(f, filled[1], index))
    return NULL;
  for (int r = 0; r < counts[1]; r++)
    for (int b = start[r]; b < start[r + 1]; b++) {
      const int c = index[b];
      if (!number(f, &k)) return NULL;
      for (int j = cuts[c]; j < cuts[c + 1]; j++)
        for (int i = cuts[r]; i < cuts[r + 1]; i++)
          if (fscanf(f, "%lf", &M[i + n * j]) != 1) return NULL;
    }
  return M;
}

static double *matrix(FILE *f, int *n) {
  int storage, size[4];
  if (!number(f, &storage) || !integers(f, 2, size)) return NULL;
  *n = size[0];
  if (storage == 1) return blocks(f, *n);
  if (storage != 0 || !integers(f, 2, size)) return NULL;
  return numbers(f, size[0] * size[1]);
}

static double *constant(int n, double value) {
  double *x = (double *)malloc(((size_t)n + 1) * sizeof *x);
  for (int i = 0; x != NULL && i < n; i++) x[i] = value;
  return x;
}

/* A, B, C, D each by rows into M, and a, b into q. */
static int read_parts(FILE *f, bench_problem *p, int n, int m) {
  const int N = n + m;
  const struct {
    int row, col, rows, cols;
  } part[4] = {{0, 0, n, n}, {n, n, m, m}, {0, n, n, m}, {n, 0, m, n}};
  double *M = constant(N * N, 0), *q;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < part[k].rows; i++)
      for (int j = 0; j < part[k].cols; j++)
        if (fscanf(f, "%lf", &M[part[k].row + i + N * (part[k].col + j)]) != 1) return 0;
  q = numbers(f, N);
  p->M = perp_dense(N, N, M);
  p->q = q;
  p->n = N;
  return q != NULL;
}

static int read_mlcp(FILE *f, bench_problem *p) {
  int head[4], cuts[64] = {0}, isComp[64] = {0, 1}, count = 0, N, size;
  if (!integers(f, 4, head)) return 0;
  N = head[2] + head[3];
  cuts[1] = head[2];
  cuts[2] = N;
  if (head[0] != 0) {
    do {
      if (!number(f, &cuts[count])) return 0;
    } while (cuts[count++] < N);
    if (!integers(f, count - 1, isComp)) return 0;
    double *M = matrix(f, &size);
    if (M == NULL || size != N) return 0;
    p->n = N;
    p->M = perp_dense(N, N, M);
    p->q = numbers(f, N);
  } else if (!read_parts(f, p, head[2], head[3])) {
    return 0;
  }
  double *lower = constant(N, -INFINITY);
  for (int b = 0, i = 0; i < N; i++) {
    while (i >= cuts[b + 1]) b++;
    if (isComp[b]) lower[i] = 0;
  }
  p->lower = lower;
  p->upper = constant(N, INFINITY);
  return p->q != NULL;
}

static int read_others(FILE *f, bench_problem *p) {
  if (!number(f, &p->n)) return 0;
  int n;
  double *M = matrix(f, &n);
  if (M == NULL || n != p->n) return 0;
  p->M = perp_dense(n, n, M);
  p->q = numbers(f, n);
  p->lower = p->kind == PROBLEM_LCP ? constant(n, 0) : numbers(f, n);
  p->upper = p->kind == PROBLEM_LCP ? constant(n, INFINITY) : numbers(f, n);
  return p->q != NULL && p->lower != NULL && p->upper != NULL;
}

int read_named(bench_problem *p, const char *data, const char *name) {
  static const char *const folder[] = {"lcp", "mlcp", "relay"};
  static char path[4096];
  FILE *f = NULL;
  memset(p, 0, sizeof *p);
  for (p->kind = PROBLEM_LCP; p->kind <= PROBLEM_RELAY; p->kind++) {
    snprintf(path, sizeof path, "%s/problems/%s/%s.dat", data, folder[p->kind], name);
    if ((f = fopen(path, "r")) != NULL) break;
  }
  if (f == NULL) return fprintf(stderr, "%s is not there\n", path), 0;
  const int good = p->kind == PROBLEM_MLCP ? read_mlcp(f, p) : read_others(f, p);
  fclose(f);
  p->file = path;
  return good;
}
