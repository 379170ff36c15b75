/* SPDX-License-Identifier: MIT */
/* Contacts solved with one sparse factor, where sweeps are slow (stacks that bear one another in
 * many ways): ADMM (solver/admm.h) on the problem of swept.h, its linear system in the form
 *
 *   K x = Hᵀ D c / ρ,   r = (c − D H x) / ρ,   K = W + Hᵀ D² H / ρ,
 *
 * x what contacts change of the velocities, D_α = 1 / √(mean of the diagonal of W_αα). K has a
 * block of 6 x 6 for each body and for each pair that touches. The factor and all memory are the
 * back end's (perp_sparse), which also predicts what the factor costs: a function of which bodies
 * touch, as are all decisions, so that no answer depends on what was kept from before. */
#ifndef PERP_CONTACTS_DIRECT_H
#define PERP_CONTACTS_DIRECT_H

#include "contacts/swept.h"

/* Whether a back end can be asked: one for symmetric matrices, with all that it takes. */
int perp_direct_knows(const perp_sparse *table);

/* λ from λ, where this is predicted to cost fewer multiply-adds than given. PERP_OK: judged so by
 * perp_swept_judge(), in out; PERP_EUNSUPPORTED: nothing was done; else λ is no worse than it was.
 * out->iterations grows. */
perp_status perp_direct_solve(swept_set *s, const swept_options *o, double affordable,
                              swept_outcome *out);

/* ---- direct_matrix.c ---- */

/* K as compressed rows of its lower triangle: row r of body i has the entries of the bodies before
 * it that it touches, 6 each, then those of its own up to the diagonal. */
typedef struct direct_matrix {
  int32_t bodies, contacts;
  int32_t *first;         /* bodies + 1: of the neighbours of each body before it */
  int32_t *neighbour;     /* contacts at most                                     */
  int32_t *block;         /* contacts: the pair's number of them, from first on   */
  int32_t *start, *index; /* 6 bodies + 1, entries                                */
  double *values;         /* entries                                              */
  double *own;            /* 36 each, column-major: W of bodies, identity where they are held */
  double *skew;           /* 36 each: (W − Wᵀ) / 2                                */
  unsigned char *held;    /* 6 each: what no force moves                          */
  int is_skew, any_held;  /* whether there is any                                 */
  const double *weight;   /* contacts: D²                                         */
} direct_matrix;

void perp_direct_matrix_carve(direct_matrix *m, arena *a, int32_t bodies, int32_t contacts);
/* start and index; values are scratch. 0: too many entries. */
int perp_direct_matrix_pattern(direct_matrix *m, const swept_set *s);
/* own, skew and held. 0: W⁻¹ of some body has no inverse where it is not 0. */
int perp_direct_matrix_bodies(direct_matrix *m, const swept_set *s);
/* values, for a ρ. */
void perp_direct_matrix_fill(direct_matrix *m, const swept_set *s, double rho);

#endif
