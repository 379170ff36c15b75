/* SPDX-License-Identifier: MIT */
/* Anderson's mixing: the next point of a fixed-point iteration x <- f(x) from the last few, so that
 * f(x) - x is smallest on the plane through them. Where f is linear the points are those of GMRES.
 * Source: Walker and Ni, SIAM J. Numer. Anal. 49 (2011). */
#ifndef PERP_STEPPING_MIXING_H
#define PERP_STEPPING_MIXING_H

#include "base/arena.h"

enum { MIXING_MOST = 5 }; /* differences of points that can be kept */

typedef struct mixing {
  int32_t n;            /* of the vectors of this iteration            */
  int32_t most;         /* differences that are kept                   */
  int32_t points, kept; /* so far; differences at hand                 */
  double *f, *g;        /* f(x) and the weighed f(x) - x of the point before */
  double *df, *dg, *q;  /* MIXING_MOST vectors each                    */
} mixing;

void perp_mixing_carve(mixing *m, arena *a, size_t rows);
/* Begin with nothing known, and keep so many differences, 0: x is the image, <= MIXING_MOST. */
void perp_mixing_begin(mixing *m, int32_t n, int32_t most);
/* x, of which f is the image, := the next point; weight divides f(x) - x. */
void perp_mixing_next(mixing *m, const double *weight, const double *f, double *x);

#endif
