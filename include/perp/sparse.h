/* SPDX-License-Identifier: MIT */
/** @file sparse.h
 * Direct solution of large sparse systems, as a table that solvers take in their options. The core
 * knows the table only; whoever implements it may allocate. */
#ifndef PERP_SPARSE_H
#define PERP_SPARSE_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Operations of a sparse back end on square matrices in compressed rows: row i has the entries
 * start[i] ... start[i+1]-1, in columns index[...], each at most once. */
typedef struct perp_sparse {
  uint32_t struct_size; /**< sizeof(perp_sparse) */
  uint32_t symmetric; /**< 0: any square matrix; 1: symmetric positive definite ones only, of which
                           the entries right of the diagonal are not read */
  const char *name;   /**< static */
  /** Factorise A (n x n). *factor is NULL at first; a factor of before is used again where its
   * pattern is the same, and replaced otherwise. On failure *factor can still be factorised anew
   * or released. @return PERP_OK, PERP_EINVAL (numerically singular), PERP_ENOTFINITE,
   * PERP_EBACKEND (memory, or the library fails). */
  perp_status (*factor)(int32_t n, const int32_t *start, const int32_t *index, const double *values,
                        void **factor);
  /** b (n) := A⁻¹ b with a factor that factor() called good. */
  perp_status (*solve)(void *factor, double *b);
  /** Free a factor; NULL is fine. */
  void (*release)(void *factor);
  /** out (n) := base + A⁻¹ (b + R x) for any n x n matrix R in compressed rows, in one pass: where
   * rows are short, a forward substitution waits for its last result and has time for the product.
   * out overlaps none of the others. NULL: there is no such thing; a product and a solve do it. */
  perp_status (*solve_product)(void *factor, const int32_t *start, const int32_t *index,
                               const double *values, const double *x, const double *b,
                               const double *base, double *out);
  /** Analyse the pattern of A, for factor() to find it known. *multiply_adds, *bytes: of a factor,
   * predicted, infinity where that is not known; they depend on the pattern alone. @return PERP_OK,
   * PERP_EINVAL, PERP_EBACKEND. NULL: there is no such thing. */
  perp_status (*analyse)(int32_t n, const int32_t *start, const int32_t *index, void **factor,
                         double *multiply_adds, double *bytes);
  /** *block := room for so many bytes, aligned for doubles, that goes with *factor until it is
   * released or more is asked for; what it holds is kept if it need not grow. @return PERP_OK,
   * PERP_EBACKEND: no memory. NULL: there is no such thing. */
  perp_status (*room)(void **factor, size_t bytes, void **block);
} perp_sparse;

/** KLU of SuiteSparse: unsymmetric LU with block triangular form, made for circuits; one thread,
 * the same bits in every run. In perp::perp only: linking it from perp::core is a link error.
 * Davis and Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010), 36:1-36:17. Since 0.1. */
PERP_API const perp_sparse *perp_sparse_klu(void);

/** LDL of SuiteSparse in an order of AMD, for symmetric positive definite matrices; one thread, the
 * same bits in every run. PERP_EINVAL where a pivot is not positive. In perp::perp only: linking it
 * from perp::core is a link error. Davis, ACM Trans. Math. Softw. 31 (2005), 587-591; Amestoy,
 * Davis and Duff, ACM Trans. Math. Softw. 30 (2004), 381-388. Since 0.1. */
PERP_API const perp_sparse *perp_sparse_ldl(void);

#ifdef __cplusplus
}
#endif
#endif
