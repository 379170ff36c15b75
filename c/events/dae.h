/* SPDX-License-Identifier: MIT */
/* The motion in the present mode as a DAE of index 2, stabilised after Gear, Gupta and Leimkuhler
 * (1985):
 *
 *   q̇ = T(q) (v + M⁻¹Hᵀμ),  v̇ = M⁻¹(f + Hᵀλ),  0 = ẏ (held rows),  0 = y (held positions);
 *   quaternions:  Q̇ = T(Q) Ω + κ Q,  0 = (|Q|² − 1)/2;
 *   order 1:  ẋ = M⁻¹(f + r(t, x, λ)),  0 = y (held outputs).
 *
 * Unknowns beside Y are the integrals of λ, μ, κ: their derivatives enter alone. For the method it
 * is the same (a multiplier is whatever the equations ask for), but the matrix of Newton's
 * iteration keeps its condition as the step shrinks, and what is solved for has the size of a
 * velocity or a position. Held rows that others imply are left out, by the pivots of H M⁻¹Hᵀ at the
 * begin. Outputs whose second derivative must be held keep λ eliminated, as in first_order_mode.c.
 */
#ifndef PERP_EVENTS_DAE_H
#define PERP_EVENTS_DAE_H

#include "events/engine.h"

typedef struct dae {
  int32_t n;           /* entries of z                                                    */
  int32_t n_rows;      /* independent held rows of order 2                                */
  int32_t *row;        /* n_rows: held rows that are equations,                           */
  int32_t *column;     /* and those whose λ are unknowns; the same but where contacts slip */
  int32_t n_positions; /* of row, those that are positions                                */
  int32_t *position;   /* n_positions: held rows                                          */
  int32_t n_bodies;    /* systems with a quaternion                                       */
  int32_t *body;       /* n_bodies                                                        */
  int32_t n_outputs;   /* held outputs whose λ are unknowns: all or none                  */
  double *zdot, *atol; /* n: at the begin; tolerances                                     */
  double *v, *r;       /* scratch: n_w, n                                                 */
  void *block;
} dae;

/* Where the groups of unknowns, and of equations, begin. */
static inline size_t dae_lambda(const engine *e) { return e->p.n; }
static inline size_t dae_mu(const engine *e) { return e->p.n + (size_t)e->dae->n_rows; }
static inline size_t dae_kappa(const engine *e) { return dae_mu(e) + (size_t)e->dae->n_positions; }
static inline size_t dae_outputs(const engine *e) {
  return dae_kappa(e) + (size_t)e->dae->n_bodies;
}

/* Room for the DAE, and its functions into e->equations. */
perp_status perp_dae_open(engine *e, perp_info *info);
void perp_dae_close(engine *e);
/* Whether what is held at order 1 is solved for, so that it does not drift. */
int perp_dae_holds_outputs(const engine *e);

/* dae_structure.c: smooth_problem.dae_structure. */
void perp_dae_structure(void *context, int32_t *start, int32_t *index);

#endif
