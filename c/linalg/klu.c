/* SPDX-License-Identifier: MIT */
/* The sparse back end on KLU. Compressed rows of A are compressed columns of A^T, so KLU factorises
 * A^T and solves with its transpose. A factor remembers its pattern: the analysis is done once for
 * it, and the numbers alone are factorised again as long as the old pivots are good. */
#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/klu.h"
#include "linalg/sparse_table.h"

typedef struct klu_factors {
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int32_t n;
  int32_t *start; /* n + 1, and the index behind it: the pattern of symbolic */
  int32_t *index;
} klu_factors;

typedef char int_is_int32[sizeof(int) == sizeof(int32_t) ? 1 : -1];

/* Pivots may shrink by this much against those that a new choice gave, before it is made again. */
static const double least_growth = 1e-6;
/* Below this reciprocal condition (of the diagonal of U) a matrix counts as singular. */
static const double singular = 1e-15;
/* Operations of a factor that is affordable. */
static const double affordable = 1e10;

static void forget(klu_factors *f) {
  klu_free_numeric(&f->numeric, &f->common);
  klu_free_symbolic(&f->symbolic, &f->common);
  free(f->start);
  f->start = f->index = NULL;
}

static int same_pattern(const klu_factors *f, int32_t n, const int32_t *start,
                        const int32_t *index) {
  return f->symbolic != NULL && f->n == n &&
         sparse_pattern_same(n, f->start, f->index, start, index);
}

static perp_status analyse(klu_factors *f, int32_t n, const int32_t *start, const int32_t *index) {
  forget(f);
  size_t cuts = (size_t)n + 1, entries = (size_t)start[n];
  f->start = malloc((cuts + entries) * sizeof *f->start);
  if (f->start == NULL) return PERP_EBACKEND;
  f->index = f->start + cuts;
  f->n = n;
  memcpy(f->start, start, cuts * sizeof *start);
  memcpy(f->index, index, entries * sizeof *index);
  f->symbolic = klu_analyze(n, f->start, f->index, &f->common);
  if (f->symbolic != NULL) return PERP_OK;
  return f->common.status == KLU_SINGULAR ? PERP_EINVAL : PERP_EBACKEND;
}

static int regular(klu_factors *f) {
  return klu_rcond(f->symbolic, f->numeric, &f->common) && f->common.rcond > singular;
}

/* New numbers with the pivots of before; 0 if they are not good any more. values is not written
 * by KLU, whose interface knows no const. */
static int refactor(klu_factors *f, double *values) {
  if (f->numeric == NULL) return 0;
  if (!klu_refactor(f->start, f->index, values, f->symbolic, f->numeric, &f->common)) return 0;
  if (!klu_rgrowth(f->start, f->index, values, f->symbolic, f->numeric, &f->common)) return 0;
  return f->common.rgrowth > least_growth && regular(f);
}

static perp_status factor_within(double most, int32_t n, const int32_t *start, const int32_t *index,
                                 const double *values, void **factor) {
  const perp_status wrong = sparse_arguments(n, start, index, values, factor);
  if (wrong != PERP_OK || n == 0) return wrong;
  klu_factors *f = *factor;
  if (f == NULL) {
    *factor = f = calloc(1, sizeof *f);
    if (f == NULL) return PERP_EBACKEND;
    klu_defaults(&f->common);
  }
  if (!same_pattern(f, n, start, index)) {
    perp_status status = analyse(f, n, start, index);
    if (status != PERP_OK) return status;
  }
  if (f->symbolic->est_flops > most) return PERP_EBACKEND; /* -1: not known */
  double *entries = (double *)(uintptr_t)values;
  if (refactor(f, entries)) return PERP_OK;
  klu_free_numeric(&f->numeric, &f->common);
  f->numeric = klu_factor(f->start, f->index, entries, f->symbolic, &f->common);
  if (f->numeric != NULL) return regular(f) ? PERP_OK : PERP_EINVAL;
  return f->common.status == KLU_SINGULAR ? PERP_EINVAL : PERP_EBACKEND;
}

static perp_status factor(int32_t n, const int32_t *start, const int32_t *index,
                          const double *values, void **factor) {
  return factor_within(INFINITY, n, start, index, values, factor);
}

static perp_status factor_affordable(int32_t n, const int32_t *start, const int32_t *index,
                                     const double *values, void **factor) {
  return factor_within(affordable, n, start, index, values, factor);
}

static perp_status solve(void *factor, double *b) {
  klu_factors *f = factor;
  if (f == NULL) return PERP_OK; /* of n = 0 */
  if (b == NULL || f->numeric == NULL) return PERP_EINVAL;
  return klu_tsolve(f->symbolic, f->numeric, f->n, 1, b, &f->common) ? PERP_OK : PERP_EBACKEND;
}

static void release(void *factor) {
  if (factor == NULL) return;
  forget(factor);
  free(factor);
}

const perp_sparse *perp_sparse_klu(void) {
  static const perp_sparse klu = {
      sizeof(perp_sparse), 0, "klu", factor, solve, release, NULL, NULL, NULL};
  return &klu;
}

const perp_sparse *perp_klu_affordable(void) {
  static const perp_sparse klu = {
      sizeof(perp_sparse), 0, "klu", factor_affordable, solve, release, NULL, NULL, NULL};
  return &klu;
}
