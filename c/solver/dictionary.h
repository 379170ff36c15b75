/* SPDX-License-Identifier: MIT */
/* Dictionary of Lemke's method for  w = M z + d z0 + q:  the n basic variables as functions of the
 * n + 1 nonbasic ones,  x_B = qbar + D x_N,  in equilibrated units  w' = w / R, z' = z / C with
 * powers of two, so that entries are of size one and no bit is lost by it.
 *
 * Variables: w_i is i, z_i is n + i, z0 is 2 n. */
#ifndef PERP_SOLVER_DICTIONARY_H
#define PERP_SOLVER_DICTIONARY_H

#include "base/arena.h"
#include "perp/solver.h"

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

/* Doubles it takes in all, the 5 n + 2 integers at their end. */
static inline uint64_t dictionary_doubles(int32_t n) {
  uint64_t m = n > 0 ? (uint64_t)n : 0;
  return m > 0 ? m * (m + 8) + 1 : 0;
}

/* Measure or place for n unknowns. */
void perp_dictionary_carve(dictionary *s, arena *a, int32_t n);

/* Write the problem in the basis of the modes (PERP_MODE_FREE: z basic; NULL: none is), z0 nonbasic
 * in column n with covering d > 0 (NULL: ones). The first n columns of D hold M. 0 if that basis is
 * singular. */
int perp_dictionary_open(dictionary *s, const double *q, const double *d,
                         const unsigned char *modes);

/* The same with z0 basic instead of the variable that has left last. */
int perp_dictionary_resume(dictionary *s, const double *q, const double *d,
                           const unsigned char *modes, int32_t left);

/* Exchange the variables of row r and column c. */
void perp_dictionary_pivot(dictionary *s, int32_t r, int32_t c);

/* modes (n) := PERP_MODE_FREE where z is basic, LOWER where w is, UNKNOWN where neither is. */
void perp_dictionary_modes(const dictionary *s, unsigned char *modes);

/* Row that leaves when column c grows from 0, by the lexicographic rule, z0 first; -1: none. */
int32_t perp_dictionary_ratio_test(dictionary *s, int32_t c);

/* Row that leaves when z0 enters: the lexicographically lowest of qbar / d; -1: d is 0 in R. */
int32_t perp_dictionary_first_row(dictionary *s);

/* Whether qbar >= 0 up to rounding. */
int perp_dictionary_feasible(const dictionary *s);

/* z (n) := the basic point. */
void perp_dictionary_point(const dictionary *s, double *z);

/* z (n) := the basic point from caller's M (column stride ld) and q, with z0 nonbasic: steps of
 * refinement, in which the dictionary has M_BB^-1; entries that are negative by rounding become 0.
 * w: n, scratch. */
void perp_dictionary_refine(dictionary *s, const double *M, int32_t ld, const double *q, double *z,
                            double *w);

/* z (n) := the direction in which column c moves the basic point. */
void perp_dictionary_direction(const dictionary *s, int32_t c, double *z);

/* Value of z0. */
double perp_dictionary_z0(const dictionary *s);

#endif
