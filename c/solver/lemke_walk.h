/* SPDX-License-Identifier: MIT */
/* Lemke's method in a dictionary, from a basis to an ending: all of perp_lcp_lemke(), and what
 * perp_solver_lemke() falls back on. */
#ifndef PERP_SOLVER_LEMKE_WALK_H
#define PERP_SOLVER_LEMKE_WALK_H

#include "perp/pivoting.h"
#include "solver/dictionary.h"

typedef struct lemke_walk {
  dictionary s;
  perp_lemke_options o;
  int32_t limit; /* pivots allowed                                   */
  int32_t total; /* of all walks of this solve                       */
  double *ray;   /* n: direction of the last walk that ended on a ray */
} lemke_walk;

extern const perp_lemke_options perp_lemke_defaults;

/* Whether the covering vector d (NULL: ones) is positive and finite. */
perp_status perp_lemke_check_covering(const double *d, int32_t n, perp_info *info);

/* Count the pivot that was just done, and tell the observer. Whether he stops. */
int perp_lemke_observed_stop(lemke_walk *l, int32_t entering, int32_t leaving, double z0);

/* From where column c enters and row r (-1: none) leaves to an ending. */
perp_status perp_lemke_walk_on(lemke_walk *l, int32_t r, int32_t c);

/* From the basis of the modes (NULL: that of w) to an ending; M is in s.D as for
 * perp_dictionary_open(). PERP_RAY also where that basis is singular. */
perp_status perp_lemke_walk_from(lemke_walk *l, const double *q, const unsigned char *modes);

static inline int32_t lemke_complement(int32_t n, int32_t variable) {
  return variable < n ? variable + n : variable - n;
}

#endif
