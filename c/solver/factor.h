/* SPDX-License-Identifier: MIT */
/* A factor of a square matrix in any of the ways that the library has, for solvers that choose one
 * when they see the matrix: dense, within the envelope, or by the caller's sparse back end. */
#ifndef PERP_SOLVER_FACTOR_H
#define PERP_SOLVER_FACTOR_H

#include "linalg/envelope.h"
#include "perp/sparse.h"

enum { FACTOR_CHOLESKY, FACTOR_LU, FACTOR_ENVELOPE, FACTOR_SPARSE };

typedef struct any_factor {
  int way;
  int32_t n;              /* rows                                                            */
  double *dense;          /* n x n: the matrix, and then its factor                          */
  int32_t *pivots;        /* n: LU                                                           */
  int32_t *start, *index; /* compressed rows, of the lower triangle alone for the envelope   */
  double *values;
  envelope env;             /* its members are the rows that are factorised: env.rows of them */
  const perp_sparse *table; /* NULL: no back end                                              */
  void *handle;             /* its factor                                                     */
  perp_status failure;      /* PERP_EBACKEND once the back end said so, to factor or to solve */
} any_factor;

/* Take the compressed rows. */
static inline void factor_carve_rows(any_factor *f, arena *a, size_t n, size_t entries) {
  f->start = (int32_t *)arena_take(a, n + 1, sizeof(int32_t));
  f->index = (int32_t *)arena_take(a, entries, sizeof(int32_t));
  f->values = (double *)arena_take(a, entries, sizeof(double));
}

/* Where column j stands in the last row, which began at begin; with the value 0 at *end, which
 * grows, where it is new. place: n, -1 before the first row. */
static inline int32_t factor_place(any_factor *f, int32_t *place, int32_t begin, int32_t *end,
                                   int32_t j) {
  if (place[j] < begin) {
    place[j] = *end;
    f->index[*end] = j;
    f->values[(*end)++] = 0;
  }
  return place[j];
}

/* Factorise the matrix, within the envelope with shift on its diagonal. PERP_EINVAL: it is not
 * definite or singular; PERP_EUNSUPPORTED: its envelope is too long; else what the back end says.
 */
perp_status perp_factor_make(any_factor *f, double shift);

/* x := matrix⁻¹ x. PERP_OK or PERP_EBACKEND. */
perp_status perp_factor_solve(any_factor *f, double *x);

void perp_factor_release(any_factor *f);

/* out := d M d x; scratch: n. out is neither x nor scratch. */
void perp_factor_product(const perp_matrix *M, const double *d, const double *x, double *scratch,
                         double *out);

/* sums_i := Σ_j |M_ij|; ones: n, all 1 afterwards. */
void perp_factor_row_sums(const perp_matrix *M, double *ones, double *sums);

/* First row in which d M d (NULL: M) is not symmetric but for this part of its terms, -1: it is;
 * asked by one product with M and one with its transpose. four: scratch, 4 n. */
int32_t perp_factor_skew_row(const perp_matrix *M, const double *d, double part, double *four);

/* Whether dense A is symmetric bit by bit. Most that are not show it in their first column. */
static inline int symmetric_bits(int32_t n, const double *A, int32_t ld) {
  const size_t stride = (size_t)ld;
  for (size_t j = 0; j < (size_t)n; j++)
    for (size_t i = j + 1; i < (size_t)n; i++)
      if (!(A[i + stride * j] == A[j + stride * i])) return 0;
  return 1;
}

static inline int perp_factor_symmetric(const perp_matrix *M, const double *d, double part,
                                        double *four) {
  return perp_factor_skew_row(M, d, part, four) < 0;
}

#endif
