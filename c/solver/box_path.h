/* SPDX-License-Identifier: MIT */
/* The piecewise linear path of  −(M λ + q + d t) ∈ N_[l,u](λ)  from a large t, or from a given
 * point at t = 1, down to t = 0: a dictionary whose variables have bounds.
 *
 * Unknowns with two infinite bounds are eliminated first (see below), those with l = u are
 * constant. The others, and the free ones whose block is singular, are members e = 0 ... m-1, each
 * with a pair of variables y'_e (named e) and λ'_e (named m + e) that are 0 when not basic:
 *   flip_e = 0:  λ = l + C λ',  y = R y';      flip_e = 1:  λ = u − C λ',  y = −R y'.
 * t is 2 m. Every member thus looks as if it were at its lower bound 0, with λ' <= width. */
#ifndef PERP_SOLVER_BOX_PATH_H
#define PERP_SOLVER_BOX_PATH_H

#include <float.h>

#include "solver/lemke.h"
#include "solver/shell.h"

/* --- the factor ------------------------------------------------------------------------------ */

/* The matrix of a box problem in equilibrated units, M' = R^-1 M C with powers of two, and the
 * elimination of a set of unknowns from it: L U with the zeros left out, in place. Beside M' stand
 * two columns that follow every row operation: d, the covering vector, and g = q' + M' λ'_0, the y
 * of the reference point.
 *
 * Zeros are known by bits, 64 to a word, for each row and each column, so a step of the elimination
 * on a circuit costs what its nonzeros cost. */

/* Entries below this are zero where entries of size one have cancelled. */
#define BOX_ZERO 0x1p-44

typedef struct box_factor {
  int32_t n;
  int32_t words;         /* of 64 bits for n of them                                        */
  int32_t count;         /* unknowns eliminated                                             */
  double *W;             /* n x (n + 2), column-major: M', then d, then g. After the elimination
                            of row r with column c: U in row r, the multipliers of L in column c */
  double *R, *C;         /* n each                                                          */
  double *value;         /* n: multipliers of one step                                      */
  uint64_t *rows, *cols; /* n x words: where row i, column j is not zero            */
  uint64_t *open_rows;   /* words: rows and columns that are left                   */
  uint64_t *open_cols;
  int32_t *pivot_row, *pivot_col; /* n: of each step                                */
  int32_t *list;                  /* n: rows of one step                            */
  int32_t *size;                  /* 2 n: nonzeros of the rows, of the columns of M */
} box_factor;

/* Measure or place for n unknowns. */
void perp_box_factor_carve(box_factor *f, arena *a, int32_t n);

/* W := M' + shift I, nothing eliminated, d and g are left. 0 if an entry is not finite. */
int perp_box_factor_load(box_factor *f, const perp_matrix *M, double shift);

/* Eliminate the unknowns with chosen[i] != 0, as far as their block is regular; the columns of the
 * others follow if all is set. Returns how many are left over. */
int32_t perp_box_factor_eliminate(box_factor *f, const unsigned char *chosen, int all);

/* v := L^-1 v for a column v of n rows. */
void perp_box_factor_forward(const box_factor *f, double *v);

/* x of the eliminated unknowns from v = L^-1 (right-hand side), so that their rows of M' x + v are
 * 0; x holds the others, which count if all is set. */
void perp_box_factor_back(const box_factor *f, const double *v, double *x);

static inline double *box_column(const box_factor *f, int32_t j) {
  return f->W + (size_t)f->n * (size_t)j;
}

static inline int box_bit(const uint64_t *set, int32_t i) {
  return (int)(set[i >> 6] >> (i & 63) & 1u);
}

static inline void box_set(uint64_t *set, int32_t i) { set[i >> 6] |= UINT64_C(1) << (i & 63); }

static inline void box_clear(uint64_t *set, int32_t i) {
  set[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

/* Index of the lowest bit of a word that is not 0. */
static inline int32_t box_lowest(uint64_t x) {
#ifdef __GNUC__
  return __builtin_ctzll(x);
#else
  int32_t i = 0;
  for (int32_t half = 32; half > 0; half /= 2)
    if ((x & ((UINT64_C(1) << half) - 1)) == 0) {
      x >>= half;
      i += half;
    }
  return i;
#endif
}

/* --- the path -------------------------------------------------------------------------------- */

/* The problem that a path is for, M + shift P with the weights P_i = R_i / C_i, and q − shift P
 * center.
 */
typedef struct box_data {
  const perp_matrix *M;
  const double *q, *lower, *upper;
  const double *center; /* n; NULL with shift 0 */
  double shift;
} box_data;

typedef struct box_path {
  box_factor f;
  const box_data *data;
  int32_t n, m;
  int32_t missing;   /* members that the modes, or no bounds, want basic and that are not      */
  dictionary s;      /* of m rows, without R, C, and the column to spare                    */
  double *width;     /* m: bound of λ', infinity if there is none                                */
  double *reference; /* n: λ at which g was made                                               */
  double *x;         /* n: scratch                                                             */
  double *v;         /* n: scratch                                                             */
  int32_t *member;   /* m: unknown                                                             */
  int32_t *row;      /* m: row of M' behind y, not the unknown's own if that is free           */
  int32_t *local;    /* n: member, -1: eliminated or constant                                  */
  int32_t *origin;   /* m: variable of a row at the start, which carries eps^row               */
  unsigned char *unbounded;   /* m: a free unknown that is a member                              */
  unsigned char *flip;        /* m                                                               */
  unsigned char *origin_flip; /* m: as it was at the start                                     */
  unsigned char *chosen;      /* n: scratch                                                    */
  double stop;                /* t at which to stop                                  */
  double ceiling;             /* t that ends the path as a ray does, where it comes back from */
  double least;               /* least t that the path has come to                   */
  int32_t at;                 /* column that has moved off 0, -1: none               */
  double value;               /* by how much                                         */
  int32_t pivots;
  int32_t limit; /* pivots allowed */
  session *run;  /* counts them, too; NULL: nobody's */
} box_path;

static inline double *path_column(const box_path *p, int32_t j) {
  return p->s.D + (size_t)p->m * (size_t)j;
}

static inline double *path_values(const box_path *p) { return path_column(p, p->m + 1); }

/* How following a path ends. */
enum { BOX_SOLVED, BOX_RAY, BOX_LIMIT, BOX_STOPPED };

/* Measure or place for n unknowns. */
void perp_box_path_carve(box_path *p, arena *a, int32_t n);

/* Where unknown i with these bounds stands when it is not basic: 1 at its upper one. */
static inline int box_upper(double lower, double upper, unsigned char mode) {
  return upper - lower > 0 && upper <= DBL_MAX && (mode == PERP_MODE_UPPER || lower < -DBL_MAX);
}

/* Write the problem in the basis of the modes (PERP_MODE_FREE: basic; NULL: at bounds); where that
 * is singular others are brought in. 0 if M or q is not finite. With p->missing > 0 that did not
 * help: then there is no path if modes were given (pairs may have both variables in the basis), and
 * one that leaves out some equations of free unknowns if not. With from NULL t starts from infinity
 * with the covering vector d > 0 (NULL: ones). Otherwise it starts from 1 at the point of the modes
 * where M λ + q − y = from. */
int perp_box_path_open(box_path *p, const box_data *data, const unsigned char *modes,
                       const double *covering, const double *from);

/* Follow the path to t = p->stop: BOX_SOLVED, or another ending. */
int perp_box_path_follow(box_path *p);

/* λ (n) at the end of the path, t there. */
double perp_box_path_point(box_path *p, double *lambda);

/* modes (n) at the end: FREE if λ is basic, LOWER or UPPER if y is, UNKNOWN if neither. */
void perp_box_path_modes(const box_path *p, unsigned char *modes);

/* λ (n) -= the change that makes r vanish, the residual M λ + q on the rows of the basis. */
void perp_box_path_correct(box_path *p, const double *r, double *lambda);

/* ray (n) := direction of λ in which the path leaves, after BOX_RAY. */
void perp_box_path_ray(box_path *p, double *ray);

/* --- the point of a basis: what a warm start tries, and what a path ends with ------------------
 */

/* Eliminate all that the modes have FREE from M + shift I. 0 if that is singular. */
int perp_box_basis_factor(box_path *p, const perp_matrix *M, double shift,
                          const unsigned char *modes);

/* x (n) -= the change that makes y vanish on the rows of that basis. */
void perp_box_basis_correct(box_path *p, const double *y, double *x);

/* λ := the point of the modes, by a factorisation of their own; y (n): M λ + q (with the shift of
 * the data) up to the last correction. The path is gone afterwards. 0 if the basis is singular or
 * its equations cannot be met. */
int perp_box_basis_point(box_path *p, const box_data *data, const unsigned char *modes,
                         double *lambda, double *y);

/* Correct λ, the end of a path in the basis of the modes, until its equations are met: mostly once.
 */
int perp_box_basis_refine(box_path *p, const unsigned char *modes, double *lambda, double *y);

#endif
