/* SPDX-License-Identifier: MIT */
/* A model evaluated at a point of its smooth motion. With w = (v, x), the velocities of all systems
 * of order 2 and then the states of all of order 1, the state is Y = (q, w), and
 *   q̇ = T(q) v,   ẇ = free + Σ M⁻¹ r(λ),   r = Hᵀλ at order 2, g(t, x, λ) at order 1.
 * Constant parts are read once; everything else is evaluated at most once per point, when it is
 * asked for. */
#ifndef PERP_EVENTS_PLANT_H
#define PERP_EVENTS_PLANT_H

#include "events/component.h"
#include "model/callback.h"
#include "perp/experimental.h"

/* A system at the point. */
typedef struct plant_system {
  const perp_system *system;
  int32_t number;          /* in the whole model                                  */
  perp_system_terms terms; /* of a constant one                                   */
  int32_t n, n_q, order;   /* n_q: 0 at order 1                                   */
  int32_t varying;         /* evaluated by its operations, else from its terms    */
  int32_t mass_varies;     /* M depends on the point                              */
  int32_t judged;          /* at the first point: it is a mass                    */
  int32_t storage;         /* of M⁻¹: PERP_ZERO (identity), PERP_DIAGONAL (the inverse),
                              PERP_DENSE (LU), PERP_BLOCKS (factor of a sparse M)  */
  size_t q0, w0;           /* its first entries in q and w                        */
  double *inverse;         /* n, or n x n                                         */
  int32_t *pivots;         /* dense                                               */
  void *factor;            /* sparse                                              */
} plant_system;

/* An interaction at the point; arrays of its own rows and columns. */
typedef struct plant_interaction {
  const perp_relation *relation;
  const perp_law *law;
  int32_t number; /* in the whole model */
  const int32_t *systems;
  const perp_system **joined; /* n_systems */
  int32_t n_systems, m, n, n_q, order;
  int32_t copies; /* of the law */
  int32_t varying;
  int32_t compliant; /* constant terms of order 1: y reads λ                       */
  int32_t linear;    /* reaction r = B λ + a with constant B: no iteration on λ    */
  int32_t fixed;     /* H, B and the masses of its systems are constant: so is G  */
  size_t row0;       /* first row of the component                                */
  size_t whole_row;  /* first row of the whole model                              */
  int32_t *column;   /* n: index in w                                              */
  double *lambda;    /* m: where D-terms and reactions are taken; order 1          */
  double *y, *ydot;  /* m; ydot at order 2                                         */
  double *H, *D, *B; /* m x n; m x m, order 1; n x m, order 1 (order 2: Hᵀ)        */
  double *r;         /* n, order 1                                                 */
  double *gamma;     /* m                                                          */
  double *G;         /* n x m: M⁻¹ B in the columns of the interaction              */
  unsigned has;      /* what of this is that of the point                          */
} plant_interaction;

enum { PLANT_VALUES = 1, PLANT_GAIN = 2, PLANT_BIAS = 4 };

typedef struct plant {
  const perp_model *model;
  plant_system *systems;
  plant_interaction *interactions;
  int32_t n_systems, n_interactions;
  size_t n_q, n_v, n_x, n_w, n; /* n = n_q + n_w */
  size_t rows;
  double t;
  double limit;  /* from there on another motion, which times stop short of; HUGE_VAL: none */
  double *Y;     /* n: the point */
  double *q, *w; /* in Y */
  double *free;  /* n_w: ẇ without reactions (with the constant ones, a, of order 1) */
  double *gather_q, *gather_w; /* of one interaction */
  double *scratch, *matrix;    /* of operations; largest n x n */
  size_t scratch_doubles;
  void *block; /* all of the above */
  /* what went wrong in the last operation that did not answer 0 */
  const char *field;
  uint32_t of;   /* PERP_OF_..., what index counts */
  int32_t index; /* in the whole model */
  double value;  /* PERP_ENOTFINITE: what was written, else the time */
  perp_status status;
} plant;

/* A component of a checked model. PERP_EUNSUPPORTED for pools, PERP_EINVAL for a singular constant
 * mass, PERP_EBACKEND for memory. */
perp_status perp_plant_create(plant *p, const component *c, perp_info *info);
void perp_plant_destroy(plant *p);

/* The following answer as callbacks do; otherwise field, index and status say what was wrong. */

/* Come to a point for what does not depend on forces: values of interactions of order 2. */
void perp_plant_place(plant *p, double t, const double *Y);
/* Come to a point: masses and free rates of all systems. */
int32_t perp_plant_at(plant *p, double t, const double *Y);
/* Make sure that an interaction has what is asked for at the point. */
int32_t perp_plant_need(plant *p, int32_t interaction, unsigned what);
/* Take λ of an interaction of order 1 for D and r. */
void perp_plant_set_lambda(plant *p, int32_t interaction, const double *lambda);

/* x := M⁻¹ x for system s; n entries. */
perp_status perp_plant_solve_mass(const plant *p, int32_t s, double *x);
/* q̇ (n_q) := T(q) v at the point, v: the first n_v entries. */
void perp_plant_velocity(const plant *p, const double *v, double *qdot);
/* out (n) := Ẏ with the rates wdot (n_w) at the point. */
void perp_plant_rate(const plant *p, const double *wdot, double *Ydot);
/* Y (n) := (q ⊕ d, w): positions moved by increments in n_v coordinates. */
void perp_plant_move(const plant *p, const double *d, double *Y);
/* Quaternions of unit length. */
void perp_plant_normalise(const plant *p, double *Y);
/* out(n_x or n_v entries of w) += A-part: rates of the free motion along a direction dw of w of
 * order 1: M⁻¹ (∂f/∂x) dw; constant systems only. */
int32_t perp_plant_apply_A(plant *p, const double *dw, double *out);

/* Say what was wrong, and answer so. */
int32_t perp_plant_refuse(plant *p, uint32_t of, perp_status status, const char *field,
                          int32_t index, int32_t answer);
/* Refuse n numbers x, made of what callbacks wrote at the site, that are not finite: the callback
 * is named, where one did it; at NULL: they are one's own. 0 if they are. */
int32_t perp_plant_finite(plant *p, uint32_t of, size_t n, const double *x, const callback_site *at,
                          const char *field, int32_t index);

/* Sum over the columns of interaction i of H_row · x, x of all w. */
double perp_plant_row(const plant_interaction *at, int32_t row, const double *x);
/* x (all w) += a G_column. */
void perp_plant_add_gain(const plant_interaction *at, int32_t row, double a, double *x);
/* x (all w) := 0 where gains of the interaction reach. */
void perp_plant_clear(const plant_interaction *at, double *x);

#endif
