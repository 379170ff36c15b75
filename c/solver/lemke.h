/* SPDX-License-Identifier: MIT */
/* What the files of Lemke's method for  w = M z + d z0 + q,  0 <= z _|_ w >= 0,  d > 0  share: two
 * ways to hold the n basic variables while pivots are done, and the point of a basis.
 *
 * Variables: w_i is i, z_i is n + i, z0 is 2 n. A pivot takes the complement of what left last. */
#ifndef PERP_SOLVER_LEMKE_H
#define PERP_SOLVER_LEMKE_H

#include "base/arena.h"
#include "perp/pivoting.h"
#include "solver/shell.h"

extern const perp_lemke_options perp_lemke_defaults;

/* Whether the covering vector d (NULL: ones) is positive and finite. */
perp_status perp_lemke_check_covering(const double *d, int32_t n, perp_info *info);

static inline int32_t lemke_complement(int32_t n, int32_t variable) {
  return variable < n ? variable + n : variable - n;
}

/* M := R^-1 M C with powers of two, R and C n each: rows to size one, then columns. All entries are
 * below 2 then, the largest of each row and column at least 1. */
void perp_equilibrate(int32_t n, double *M, double *R, double *C);

/* --- dictionary ------------------------------------------------------------------------------ */

/* The basic variables as functions of the n + 1 nonbasic ones,  x_B = qbar + D x_N,  in
 * equilibrated units  w' = w / R, z' = z / C  with powers of two, so that entries are of size one
 * and no bit is lost by it. */
typedef struct dictionary {
  int32_t n;
  double *D;         /* n x (n + 2), column-major: nonbasic columns, qbar, and a
                        column to spare                                       */
  double *R, *C;     /* n each                                                    */
  int32_t *basic;    /* n: variable of a row                                      */
  int32_t *nonbasic; /* n + 1: variable of a column                               */
  int32_t *where;    /* 2 n + 1: row r as -1 - r, or column                       */
  int32_t *ties;     /* n: rows of equal ratio                                    */
  double noise;      /* size up to which an entry of qbar is taken for rounding   */
} dictionary;

/* Its memory for n unknowns, n (n + 8) + 1 doubles, the integers at their end; NULL if n = 0. */
static inline double *dictionary_take(arena *a, int32_t n) {
  const uint64_t m = (uint64_t)n, doubles = n > 0 ? m * (m + 8) + 1 : 0;
  if (n > INT32_MAX / 2 - 1) a->failed = 1; /* 2 n + 1 variables need names */
  if (doubles > SIZE_MAX / sizeof(double)) a->failed = 1;
  return (double *)arena_take(a, (size_t)doubles, sizeof(double));
}

/* Place it there. */
void perp_dictionary_place(dictionary *s, int32_t n, double *memory);

/* Write the problem in the basis of the modes (PERP_MODE_FREE: z basic; NULL: none is), z0 nonbasic
 * in column n with covering d > 0 (NULL: ones). The first n columns of D hold M. 0 if that basis is
 * singular. */
int perp_dictionary_open(dictionary *s, const double *q, const double *d,
                         const unsigned char *modes);

/* Open it with z0 basic instead of the variable that has left last. */
int perp_dictionary_resume(dictionary *s, const double *q, const double *d,
                           const unsigned char *modes, int32_t left);

/* Begin with all w basic, D and qbar being filled in. */
void perp_dictionary_begin(dictionary *s);

/* One pivot towards the basis of the modes, between pairs whose z shall be basic; 0 if nothing but
 * rounding is left for it. */
int perp_dictionary_enter(dictionary *s, const unsigned char *modes);

/* Exchange the variables of row r and column c. */
void perp_dictionary_pivot(dictionary *s, int32_t r, int32_t c);

/* modes (n) := PERP_MODE_FREE where z is basic, LOWER where w is, UNKNOWN where neither is. */
void perp_dictionary_modes(const dictionary *s, unsigned char *modes);

/* Row that leaves when column c grows from 0, by the lexicographic rule, z0 first; -1: none. */
int32_t perp_dictionary_ratio_test(dictionary *s, int32_t c);

/* Row that leaves when z0 enters: the lexicographically lowest of qbar / d; -1: d is 0 in R. */
int32_t perp_dictionary_first_row(dictionary *s);
/* z (n) := the direction in which column c moves the basic point. */
void perp_dictionary_direction(const dictionary *s, int32_t c, double *z);

/* Whether qbar >= 0 up to rounding. */
int perp_dictionary_feasible(const dictionary *s);

/* Lemke's pivots, counted by the session, from row r and column c on: PERP_OK when z0 has left,
 * PERP_RAY (ray: n, the direction), PERP_MAX_ITER or PERP_STOPPED. */
perp_status perp_dictionary_walk(dictionary *s, session *run, int32_t r, int32_t c, double *ray);

/* z (n) := the basic point. */
void perp_dictionary_point(const dictionary *s, double *z);

/* z (n) := the basic point from caller's M (column stride ld) and q, with z0 nonbasic: steps of
 * refinement, in which the dictionary has M_BB^-1; entries that are negative by rounding become 0.
 * w: n, scratch. */
void perp_dictionary_refine(dictionary *s, const double *M, int32_t ld, const double *q, double *z,
                            double *w);

/* Value of z0. */
double perp_dictionary_z0(const dictionary *s);

/* For a few unknowns: whether w = M z + q, z, w >= 0 has no point at all, and the x (n) that shows
 * it: x >= 0, M'x <= 0, q'x < 0. The dictionary was opened with no z basic. 0 says nothing. */
int perp_dictionary_separate(dictionary *s, double *x);

/* --- path ------------------------------------------------------------------------------------ */

/* For a dense M, by principal pivots: with z0 as a parameter, the basic variables of a set B of z
 * are  x = qb + z0 db,  and one factor of the rows M_.B is all that is kept of M. The pivots are
 * those of the dictionary, which takes over where a principal pivot is too small to be divided by.
 */
typedef struct lemke_path {
  int32_t n, k; /* unknowns, size of B                                          */
  const perp_matrix *M;
  const double *d;   /* the caller's; NULL: ones                                     */
  double *F;         /* n x n, column-major, k columns in use                        */
  double *qb, *db;   /* n each: of the basic variables, by place                     */
  double *tiny;      /* n: size up to which an entry of db is rounding               */
  double *x, *y, *t; /* n each: scratch                                              */
  int32_t *name;     /* n: pair at a place; the first k places are B, as it grew     */
  int32_t *at;       /* n: scratch, place of a pair                                  */
  double z0, before; /* where a variable blocks, and where one did before            */
  double z0_first;   /* the largest so far                                           */
} lemke_path;

/* Begin with B empty, in n x n + 5 n doubles and 4 n integers (8-byte aligned). 0: q is not
 * finite. */
int perp_lemke_path_open(lemke_path *p, const perp_matrix *M, const double *q, const double *d,
                         double *F, int32_t *names);

/* Place of the variable that leaves when z0 enters; -1 if q >= 0. */
int32_t perp_lemke_path_first(lemke_path *p);

/* Exchange the pair at a place. Its new place; -1 if that pivot is refused: B is as it was. */
int32_t perp_lemke_path_exchange(lemke_path *p, int32_t place);

/* Place that blocks when the variable at this place grows, n: z0 itself, -1: none. */
int32_t perp_lemke_path_next(lemke_path *p, int32_t entered);

/* Number of the variable at a place, z0 included. */
static inline int32_t lemke_path_variable(const lemke_path *p, int32_t place) {
  return place == p->n ? 2 * p->n : p->name[place] + (place < p->k ? p->n : 0);
}

/* modes (n) := PERP_MODE_FREE in B, LOWER elsewhere. */
void perp_lemke_path_modes(const lemke_path *p, unsigned char *modes);

/* z (n) := the point of B and z0. */
void perp_lemke_path_point(const lemke_path *p, double *z);

/* z (n) := the direction of the point as z0 rises. */
void perp_lemke_path_direction(const lemke_path *p, double *z);

/* z := the solution of M_BB z_B = -q_B with one step of refinement, w := M z + q before that step.
 * Whether it solves the problem beyond doubt. */
int perp_lemke_path_finish(lemke_path *p, const double *q, double *z, double *w);

/* --- basis ----------------------------------------------------------------------------------- */

/* The point that belongs to a set B of basic unknowns,
 *   z_B = -M_BB^-1 q_B,   z_N = 0,   w = M z + q,
 * from the caller's M and q. It depends on (M, q, B) alone, so a point has the same bits whether
 * its inverse was kept from an earlier call or not. */
typedef struct lcp_basis {
  int32_t k;                  /* size of B             */
  int32_t *set;               /* n: B in increasing order */
  const unsigned char *modes; /* n: FREE in B          */
} lcp_basis;

/* Fill a basis from modes, which stay: PERP_MODE_FREE is basic, every other byte is not. */
void perp_lcp_basis_read(lcp_basis *basis, int32_t n, const unsigned char *modes);

/* inverse (n x n, k x k of it in the end) := M_BB^-1; pivots: k. 0 if it is singular. */
int perp_lcp_basis_invert(const lcp_basis *basis, const perp_matrix *M, double *inverse,
                          int32_t *pivots);

/* The k x k inverse to where its entries are of the n x n matrix, zeros elsewhere. */
void perp_lcp_basis_spread(const lcp_basis *basis, int32_t n, double *inverse);

/* z, w (n each) := the point of the basis, one step of refinement included. Whether it solves the
 * problem up to rounding; entries of z that are negative by rounding become 0. x: 3 k. */
int perp_lcp_basis_point(const lcp_basis *basis, const perp_problem *problem, const double *inverse,
                         double *z, double *w, double *x);

/* Whether w_i < 0 is rounding of M_i. z + q_i. */
int perp_lcp_row_holds(const perp_problem *problem, int32_t i, const double *z, double w);

#endif
