/* SPDX-License-Identifier: MIT */
/* The compiled model. init compiles it into runs. A system run is a stretch of neighbouring systems
 * with one description, θ and integrator; their constants are stored once and their states are one
 * flat array. An interaction run is a stretch of neighbouring interactions with one relation and
 * law whose systems advance by 0 or 1 from one to the next, so that every index is affine in k.
 *
 * Runs are constant, compiled once for a step length, or *live*: a system that is varying, an
 * interaction that is or that joins a varying system. Live runs keep what was evaluated for each
 * of their members, and a model that has any is stepped by Newton's iteration (newton_passes.c). */
#ifndef PERP_STEPPING_RUNS_H
#define PERP_STEPPING_RUNS_H

#include "perp/experimental.h"

/* What a live run knows of its systems at the iterate, count of each, n or n x n entries. */
typedef struct live_system {
  double *mass;                  /* M(q*); one for all if it is constant     */
  int32_t constant_mass;         /* whether it is                            */
  double *f_begin, *f_end;       /* f at the begin and at the end of the step */
  double *defect;                /* R                                        */
  int32_t mass_band;             /* entries of M are no further from the diagonal */
  double *unfactored, *factored; /* W, and that of the factor */
  int32_t *factor_band;          /* -1: there is none; perp_dense_lu_band() */
  unsigned char *turned;         /* order 2: live_geometric.c                */
  double *dv, *dq; /* ∂f/∂v, behind it ∂f/∂q of one system; dq NULL at order 1 */
  int32_t clear;   /* both are known to be 0                   */
} live_system;

/* Systems first ... first + count - 1, n degrees of freedom each. At order 1 the "velocity" is
 * the state x, and there is no position. Diagonal runs store n entries per operator, dense ones
 * n x n, sparse ones n entries or those of the pattern of W. */
typedef struct system_run {
  const perp_integrator *integrator;
  perp_time_fn force; /* or NULL */
  void *user;
  const perp_system *system; /* the description */
  int32_t first, count, n, order;
  int32_t n_q;                     /* positions of one: n, or 7 of a body; 0 at order 1 */
  int32_t live;                    /* varying: what follows dense is not used, W and pivots are */
  int32_t dense;                   /* some operator is dense, so W is          */
  int32_t sparse;                  /* none is dense, some in compressed rows   */
  int32_t tile;                    /* entries of drift, and of P, R if diagonal: a multiple of n */
  size_t q0, v0;                   /* of the first system in q and v           */
  size_t size;                     /* n count */
  double theta, gain;              /* θ; weight of reactions                   */
  int32_t two_step;                /* scheme on positions: iterate.v holds q_{k+1} − q_{k−1} */
  double gain_begin;               /* of the reactions at t_k; 0 unless γ-weighted */
  perp_matrix M, A, C, K;          /* copies, tight; M of kind zero: identity  */
  double *W;                       /* diagonal: inverse of W; dense: its LU    */
  int32_t *pivots;                 /* of the LU                                */
  double *P, *R;                   /* v_free = v + P v + R q + drift; NULL: 0  */
  double *constant;                /* constant force                           */
  double *force_begin, *force_end; /* F(t_k), F(t_{k+1}); NULL without force   */
  double t_begin;                  /* time of force_begin, if begin_known                */
  int32_t begin_known;
  double *drift;          /* W⁻¹ s F_{k+θ}, repeated over the tile; sparse: s F_{k+θ} */
  int32_t *start, *index; /* sparse: pattern of W, columns of a row increasing */
  void *factor;           /* sparse: of W, in the memory of the back end      */
  live_system at;         /* of a live run */
} system_run;

/* One of the systems that interaction k of a run joins: number system0 + stride k. */
typedef struct slot {
  const system_run *run;
  int32_t system0, stride;
  int32_t n, column; /* degrees of freedom, first column of H */
  size_t q0, v0;     /* offsets for k = 0                     */
  size_t step;       /* that of v grows by this per k         */
  size_t step_q;     /* that of q                             */
  int32_t gain;      /* first row of G; none on sparse systems of a constant run */
  double *columns;   /* sparse: n x m, gain W⁻¹ B; NULL: solved for when wanted  */
} slot;

/* What a live run knows of its interactions at the iterate, count of each. */
typedef struct live_interaction {
  double *y, *ydot;         /* m: gap, relative velocity; at order 1 ydot is the output y        */
  double *H;                /* m x n                                                             */
  double *H_before;         /* that of the iterate before                                        */
  double *r, *B;            /* order 1: n, n x m                                                 */
  double *r_begin;          /* n: r at the begin of the step, where it has a weight; else NULL */
  double *K;                /* order 1: n x n or NULL                                            */
  double *base, *predicted; /* m: what the law was solved for at the iterate before, and at this */
} live_interaction;

/* A nonzero of a row of H or of a column of G. */
typedef struct term {
  double value;
  int32_t slot, column; /* column counted within the slot        */
  size_t q, v;          /* offsets for k = 0 in q and v          */
} term;

/* Interactions first ... first + count - 1, m rows each in copies of size rows. */
typedef struct interaction_run {
  const perp_law *law;
  const double *z;
  int32_t first, count, m, n, n_slots, n_z, order;
  int32_t copies, size;
  int32_t units; /* copies count */
  int32_t gated; /* switched by the predicted gap             */
  int32_t local; /* a unit by itself is solved by its law */
  int32_t unit0; /* first unit                                */
  size_t row0;   /* first row                                 */
  slot *slots;
  slot *wide; /* slots, and the systems that their components add: what G reaches */
  int32_t n_wide;
  int32_t *H_start; /* m n_slots + 1: terms of (row, slot)       */
  term *H;
  int32_t *G_start; /* m + 1: terms of column r of G             */
  term *G_terms;
  double *B;             /* order 1: n x m, copy; NULL: B = Hᵀ or 0   */
  int32_t n_gain;        /* rows of G: of slots that are not sparse; of a live run: of wide */
  double *G;             /* n_gain x m: gain W⁻¹ B                    */
  double *D;             /* m x m or NULL                             */
  size_t G_step, D_step; /* from k to k + 1: 0 of a constant run      */
  double *b, *F;         /* m; m x n_z or NULL                        */
  double *offset;        /* m: b + F z                                */
  double *a, *Ga;        /* n or NULL: constant reaction, h W⁻¹ a     */
  double *G_begin;       /* n x m: gain_begin W⁻¹ B, but on sparse systems; NULL: no weight */
  double *compliance;    /* size x size: of the law; NULL: none       */
  size_t state0, state_bytes; /* law states: of the first copy, per copy */
  const perp_relation *relation;
  int32_t n_q;         /* positions joined */
  int32_t two_step;    /* law between y and λ, as its systems have it */
  double gamma;        /* order 1: relations hold at x_{k+γ}; 1: at the end of the step. H of a
                          constant run is by x, that of a live one by x_{k+1} */
  int32_t live;        /* evaluated at every iterate */
  live_interaction at; /* of a live run */
} interaction_run;

/* First row of an active unit in the rows of the model. */
static inline size_t layout_unit_row(const interaction_run *run, int32_t k, int32_t copy) {
  return run->row0 + (size_t)k * (size_t)run->m + (size_t)(copy * run->size);
}

/* All of them. */
typedef struct compiled_model {
  system_run *systems;
  interaction_run *interactions;
  int32_t n_system_runs, n_interaction_runs;
  int32_t *of;                                                   /* n_systems: run of each */
  int32_t units;                                                 /* of all interaction runs */
  double h;                                                      /* discretised for, 0: not yet */
  int32_t have_states, have_forces, have_parameters, have_gates; /* some run has any */
  int32_t have_a, have_reactions_begin;                          /* Ga of a constant run, G_begin */
  int32_t calm; /* v_free = v + drift of all, below 2^800: only reactions can make v grow fast */
  int32_t have_constant;    /* some run of systems is not live */
  int32_t *incidence_start; /* n_systems + 1: interactions on a system */
  struct incidence {
    int32_t run, k, slot;
  } * incidence;
} compiled_model;

/* The one-step matrix of all units, block rows in their order; of a constant model for one h. */
typedef struct whole_matrix {
  int32_t *start, *index; /* units + 1; blocks               */
  size_t *entry;          /* units + 1: first value of a row */
  double *value;
  int32_t *width;     /* units: size of each; NULL if all are 1 */
  int32_t same_width; /* all units have one size */
} whole_matrix;

#endif
