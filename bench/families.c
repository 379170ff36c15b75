/* SPDX-License-Identifier: MIT */
#include "families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
  uint64_t x;
} source;

static double uniform(source *s) {
  s->x = s->x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(s->x >> 11) * 0x1p-52 - 1;
}

/* M := 3 A Aᵀ / n + shift I */
static void gram(source *s, int n, double shift, double *M) {
  const size_t size = (size_t)n;
  double *A = (double *)calloc(size * size, sizeof *A); /* by rows */
  if (A == NULL) abort();
  for (size_t k = 0; k < size * size; k++) A[k] = uniform(s);
  for (size_t j = 0; j < size; j++)
    for (size_t i = 0; i <= j; i++) {
      double sum = 0;
      for (size_t k = 0; k < size; k++) sum += A[i * size + k] * A[j * size + k];
      M[i + size * j] = M[j + size * i] = 3 * sum / n + (i == j ? shift : 0);
    }
  free(A);
}

static int dense(bench_problem *p, source *s, double shift) {
  const size_t n = (size_t)p->n;
  double *M = (double *)malloc(n * n * sizeof *M);
  if (M == NULL) return 0;
  gram(s, p->n, shift, M);
  p->M = perp_dense(p->n, p->n, M);
  return 1;
}

static int tilted(bench_problem *p, source *s) {
  if (!dense(p, s, 1)) return 0;
  const size_t n = (size_t)p->n;
  double *M = (double *)p->M.values;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++) {
      const double x = uniform(s) / sqrt((double)n);
      M[i + n * j] += x;
      M[j + n * i] -= x;
    }
  return 1;
}

/* Rows of blocks of size b that reach so many block columns to both sides. */
static int rows_of_blocks(bench_problem *p, int b, int reach) {
  const int rows = p->n / b, most = 2 * reach + 1;
  int32_t *start = (int32_t *)malloc((size_t)(rows + 1) * sizeof *start);
  int32_t *index = (int32_t *)malloc((size_t)rows * (size_t)most * sizeof *index);
  int32_t *offset = (int32_t *)malloc((size_t)(rows + 1) * sizeof *offset);
  double *values = (double *)calloc((size_t)rows * (size_t)(most * b * b), sizeof *values);
  if (start == NULL || index == NULL || offset == NULL || values == NULL) abort();
  start[0] = offset[0] = 0;
  for (int r = 0; r < rows; r++) {
    offset[r + 1] = offset[r] + b;
    start[r + 1] = start[r];
    for (int c = r - reach; c <= r + reach; c++)
      if (c >= 0 && c < rows) index[start[r + 1]++] = c;
  }
  p->n = rows * b;
  p->M = b == 1 ? perp_compressed_rows(rows, start, index, values)
                : perp_block_rows(rows, offset, start, index, values);
  if (b == 1) free(offset);
  return 1;
}

/* Block (r, c), NULL outside of the band. */
static double *block(const bench_problem *p, int b, int r, int c) {
  for (int k = p->M.start[r]; k < p->M.start[r + 1]; k++)
    if (p->M.index[k] == c) return (double *)p->M.values + (size_t)k * (size_t)(b * b);
  return NULL;
}

static int banded(bench_problem *p, source *s) {
  if (!rows_of_blocks(p, 1, 2)) return 0;
  for (int i = 0; i < p->n; i++)
    for (int j = i + 1; j <= i + 2 && j < p->n; j++)
      *block(p, 1, i, j) = *block(p, 1, j, i) = uniform(s) / 4;
  for (int i = 0; i < p->n; i++) {
    double sum = 1;
    for (int k = p->M.start[i]; k < p->M.start[i + 1]; k++) sum += fabs(p->M.values[k]);
    *block(p, 1, i, i) = sum;
  }
  return 1;
}

static int skew(bench_problem *p, source *s) {
  if (!rows_of_blocks(p, 1, 2)) return 0;
  for (int i = 0; i < p->n; i++) {
    *block(p, 1, i, i) = 0.1;
    for (int j = i + 1; j <= i + 2 && j < p->n; j++)
      *block(p, 1, j, i) = -(*block(p, 1, i, j) = uniform(s));
  }
  return 1;
}

static int blocks(bench_problem *p, source *s) {
  if (!rows_of_blocks(p, 3, 1)) return 0;
  for (int r = 0; r < p->n / 3; r++) {
    double *diagonal = block(p, 3, r, r), B[9];
    for (int k = 0; k < 9; k++) B[k] = uniform(s);
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) {
        diagonal[i + 3 * j] = i == j ? 6 : 0;
        for (int k = 0; k < 3; k++) diagonal[i + 3 * j] += B[i + 3 * k] * B[j + 3 * k];
      }
    if (r + 1 >= p->n / 3) continue;
    double *upper = block(p, 3, r, r + 1), *lower = block(p, 3, r + 1, r);
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) upper[i + 3 * j] = lower[j + 3 * i] = uniform(s) / 4;
  }
  return 1;
}

int make_problem(bench_problem *p, const char *family, int n) {
  source s = {(uint64_t)n};
  int good = 0;
  memset(p, 0, sizeof *p);
  p->kind = PROBLEM_LCP;
  p->n = n;
  if (n < 1) return 0;
  if (strcmp(family, "spd") == 0) good = dense(p, &s, 1);
  if (strcmp(family, "stiff") == 0) good = dense(p, &s, 1e-3);
  if (strcmp(family, "tilted") == 0) good = tilted(p, &s);
  if (strcmp(family, "banded") == 0) good = banded(p, &s);
  if (strcmp(family, "blocks") == 0) good = blocks(p, &s);
  if (strcmp(family, "skew") == 0) good = skew(p, &s);
  if (!good) return 0;
  double *q = (double *)malloc((size_t)n * sizeof *q);
  if (q == NULL) abort();
  for (int i = 0; i < p->n; i++) q[i] = uniform(&s);
  p->q = q;
  return 1;
}

void free_problem(bench_problem *p) {
  const void *owned[] = {p->M.values, p->M.start, p->M.index, p->M.offset,
                         p->q,        p->lower,   p->upper};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free((void *)owned[i]);
  memset(p, 0, sizeof *p);
}
