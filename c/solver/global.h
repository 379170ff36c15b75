/* SPDX-License-Identifier: MIT */
/* Condensation of a problem in global form, W = H M⁻¹ Hᵀ. The pattern is known first: components of
 * M, which contacts (copies of laws) touch which component, and so which blocks W has. Its counts
 * say how much memory the numbers need. */
#ifndef PERP_SOLVER_GLOBAL_H
#define PERP_SOLVER_GLOBAL_H

#include "base/arena.h"
#include "perp/global.h"
#include "problem/contacts.h"
#include "solver/factor.h"

/* --- arguments and the answer ---------------------------------------------------------------- */

/* v, r, u and work are there and apart. */
perp_status perp_global_check_arguments(const perp_global_problem *g, const double *v,
                                        const double *r, const double *u, const void *work,
                                        perp_info *info);

/* Name the first law that is in none of the sets. */
perp_status perp_global_check_laws(const perp_global_problem *g, const char *solver, uint32_t sets,
                                   perp_info *info);

/* Name the first row of M or H (in compressed rows), or entry of q or b, that is not finite. */
perp_status perp_global_check_finite(const perp_global_problem *g, const row_reader *M,
                                     const perp_matrix *H, perp_info *info);

/* What perp_info says of an answer in global form: its own judge's numbers. */
void perp_global_tell(const perp_global_problem *g, const perp_global_parts *parts, double tol,
                      perp_info *info);

/* --- H --------------------------------------------------------------------------------------- */

/* Entries of row i, and of all: those that are not 0 of a dense H, those that are stored of
 * another.
 */
int32_t perp_global_row_length(const perp_matrix *H, int32_t i);
uint64_t perp_global_stored(const perp_matrix *H);

/* They in compressed rows: start (rows + 1), index, value. */
void perp_global_copy_rows(const perp_matrix *H, int32_t *start, int32_t *index, double *value);

/* --- what is coupled ------------------------------------------------------------------------- */

typedef struct global_pattern {
  const perp_global_problem *g;
  row_reader M;
  perp_matrix H;        /* in compressed rows                                                */
  int32_t contacts;     /* copies of laws                                                    */
  int32_t components;   /* of M                                                              */
  int32_t largest;      /* unknowns of the largest component                                 */
  int32_t widest;       /* unknowns of the largest contact                                   */
  size_t blocks;        /* of W                                                              */
  size_t nonzeros;      /* entries of these                                                  */
  size_t envelope;      /* as in perp_shape                                                  */
  size_t stored;        /* entries of H                                                      */
  int32_t *component;   /* m: of each velocity                                               */
  int32_t *place;       /* m: its place in there                                             */
  int32_t *member;      /* m: the velocities component by component, ascending in each       */
  int32_t *first;       /* components + 1: where they begin in member                        */
  int32_t *entries;     /* components: stored entries of M                                   */
  contact *contact;     /* contacts                                                          */
  int32_t *touch_start; /* contacts + 1                                                      */
  int32_t *touch;       /* the components that each contact touches                          */
  int32_t *reach_start; /* components + 1                                                    */
  int32_t *reach;       /* the contacts that touch each component, ascending                 */
  int32_t *link;        /* of each entry of reach: the entry of touch that says the same     */
  int32_t *mark;        /* scratch, max(m, contacts)                                         */
  int32_t *h_start, *h_index; /* the copy of an H that is not in compressed rows             */
  double *h_value;
} global_pattern;

/* Take the memory of a pattern of a checked problem. */
void perp_global_pattern_carve(global_pattern *p, arena *a, const perp_global_problem *g);

/* Fill it. 0: W has more blocks than can be counted. */
int perp_global_pattern_make(global_pattern *p);

/* --- the numbers ----------------------------------------------------------------------------- */

typedef struct condensation {
  const global_pattern *p;
  const perp_sparse *sparse; /* NULL: all components are dense                                 */
  int32_t kind;              /* of W: PERP_DENSE or PERP_BLOCKS                                */
  int32_t symmetric;         /* M is, but for rounding                                           */
  int32_t singular;          /* first velocity of the component that failed, -1                */
  any_factor *K;             /* components: of each                                            */
  double *four;              /* 4 m: scratch                                                   */
  size_t *packed_at; /* entries of touch: where H_αcᵀ begins in packed; SIZE_MAX: nowhere */
  double *packed;    /* H_αcᵀ of small components, dense, one after another */
  double *x; /* largest x widest: columns of M⁻¹ Hᵀ                                        */
  size_t *where; /* contacts: where the block of the present column begins                     */
  size_t *next;  /* contacts: behind it                                                        */
  int32_t *start, *index, *cuts; /* of W in blocks                                             */
  double *W;
  double *q; /* n: H M⁻¹ q + b                                                                 */
} condensation;

/* Take the memory of the numbers; kind as above. */
void perp_condensation_carve(condensation *c, arena *a, const global_pattern *p,
                             const perp_sparse *sparse, int32_t kind);

/* Factorise M. PERP_EINVAL: c->singular tells where; else what the back end says. In any case
 * perp_condensation_release() follows in the end. */
perp_status perp_condensation_factor(condensation *c);
void perp_condensation_release(condensation *c);

/* x (m) := M⁻¹ x */
perp_status perp_condensation_solve(condensation *c, double *x);

/* W and q; free (m) takes M⁻¹ q. */
perp_status perp_condensation_fill(condensation *c, double *free);

/* The condensed problem. */
perp_problem perp_condensation_view(const condensation *c);

#endif
