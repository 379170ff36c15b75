/* SPDX-License-Identifier: MIT */
/* Constant operators and functions of time in the evaluation of a system. */
#ifndef PERP_MODEL_OPERATOR_H
#define PERP_MODEL_OPERATOR_H

#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "perp/model.h"

/* out (n x n, zeroed) := M, the identity where it is absent. */
static inline void operator_mass(const perp_matrix *M, int32_t n, double *out) {
  perp_matrix_add_to_dense(M, 1, out, n);
  for (size_t i = 0; M->kind == PERP_ZERO && i < (size_t)n; i++) out[i * ((size_t)n + 1)] = 1;
}

/* f += w A x; scratch: n. */
static inline void operator_add(const perp_matrix *A, int32_t n, double w, const double *x,
                                double *f, double *scratch) {
  if (A->kind == PERP_ZERO) return;
  memset(scratch, 0, (size_t)n * sizeof *scratch);
  perp_matrix_multiply_add(A, x, scratch);
  perp_dense_axpy(n, w, scratch, f);
}

/* xᵀ A x; scratch: n. */
static inline double operator_square(const perp_matrix *A, int32_t n, const double *x,
                                     double *scratch) {
  if (A->kind == PERP_ZERO) return 0;
  memset(scratch, 0, (size_t)n * sizeof *scratch);
  perp_matrix_multiply_add(A, x, scratch);
  return perp_dense_dot(n, x, scratch);
}

/* f := constant + F(t), either may be absent; answers as F does. scratch: n. */
static inline int32_t operator_input(const double *constant, perp_time_fn F, void *user, int32_t n,
                                     double t, double *f, double *scratch) {
  if (constant == NULL)
    memset(f, 0, (size_t)n * sizeof *f);
  else
    memcpy(f, constant, (size_t)n * sizeof *f);
  if (F == NULL) return 0;
  memset(scratch, 0, (size_t)n * sizeof *scratch);
  int32_t code = F(t, scratch, user);
  if (code == 0) perp_dense_axpy(n, 1, scratch, f);
  return code;
}

#endif
