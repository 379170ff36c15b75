/* SPDX-License-Identifier: MIT */
/* What a simulation is made of: the state block, the compiled model, the scratch of a step.
 *
 * init compiles the model into runs. A system run is a stretch of neighbouring systems with one
 * description, θ and integrator; their constants are stored once and their states are one flat
 * array. An interaction run is a stretch of neighbouring interactions with one relation and law
 * whose systems advance by 0 or 1 from one to the next, so that every index is affine in k.
 *
 * Runs are constant, compiled once for a step length, or *live*: a system that is varying, an
 * interaction that is or that joins a varying system. Live runs keep what was evaluated for each
 * of their members, and a model that has any is stepped by Newton's iteration (newton_passes.c). */
#ifndef PERP_STEPPING_LAYOUT_H
#define PERP_STEPPING_LAYOUT_H

#include "base/arena.h"
#include "model/graph.h"
#include "model/head.h"
#include "perp/experimental.h"

/* Begin of the state block; then q, v, λ, y, ẏ, with a scheme on positions q and y of the step
 * before (doubles), law states, modes (bytes). */
typedef struct state_header {
  uint32_t magic, version;
  uint32_t fingerprint[2]; /* of the model's shape          */
  uint32_t bytes[2];       /* of the whole block, low, high */
  double t;                /* current time                  */
  double h;                /* length of the last step       */
  double step;             /* steps of the grid taken       */
} state_header;

/* What a live run knows of its systems at the iterate, count of each, n or n x n entries. */
typedef struct live_system {
  double *mass;             /* M(q*); one for all if it is constant     */
  double *now, *end;        /* f at the begin and at the end of the step */
  double *defect;           /* R                                        */
  double *plain, *factored; /* W, and that of the factor; has_factor: there is one */
  unsigned char *has_factor;
  unsigned char *turned; /* order 2: live_geometric.c                */
  double *dq, *dv;       /* ∂f/∂q, ∂f/∂v of one system               */
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
  int32_t n_q;            /* positions of one: n, or 7 of a body; 0 at order 1 */
  int32_t live;           /* varying: what follows dense is not used, W and pivots are */
  int32_t dense;          /* some operator is dense, so W is          */
  int32_t sparse;         /* none is dense, some in compressed rows   */
  int32_t tile;           /* entries of drift, and of P, R if diagonal: a multiple of n */
  size_t q0, v0;          /* of the first system in q and v           */
  size_t size;            /* n count */
  double theta, gain;     /* θ; weight of reactions                   */
  int32_t position;       /* two-step scheme on positions: trial_v holds q_{k+1} − q_{k−1} */
  double gain_now;        /* of the reactions at t_k; 0 unless γ-weighted */
  perp_matrix M, A, C, K; /* copies, tight; M of kind zero: identity  */
  double *W;              /* diagonal: inverse of W; dense: its LU    */
  int32_t *pivots;        /* of the LU                                */
  double *P, *R;          /* v_free = v + P v + R q + drift; NULL: 0  */
  double *constant;       /* constant force                           */
  double *now, *next;     /* F(t_k), F(t_{k+1}); NULL without force   */
  double t_now;           /* time of now, if now_known                */
  int32_t now_known;
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
  double *D;                /* m x m or NULL                                                     */
  double *r, *B;            /* order 1: n, n x m                                                 */
  double *r_now;            /* n: r at the begin of the step, where it has a weight; else NULL */
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
  double *B;                  /* order 1: n x m, copy; NULL: B = Hᵀ or 0   */
  int32_t n_gain;             /* rows of G: of slots that are not sparse; of a live run: of wide */
  double *G;                  /* n_gain x m: gain W⁻¹ B                    */
  double *D;                  /* m x m or NULL                             */
  double *b, *F;              /* m; m x n_z or NULL                        */
  double *offset;             /* m: b + F z                                */
  double *a, *Ga;             /* n or NULL: constant reaction, h W⁻¹ a     */
  double *G_now;              /* n x m: gain_now W⁻¹ B, but on sparse systems; NULL: no weight */
  double *compliance;         /* size x size: of the law; NULL: none       */
  size_t state0, state_bytes; /* law states: of the first copy, per copy */
  const perp_relation *relation;
  int32_t n_q;         /* positions joined */
  int32_t position;    /* law between y and λ, as its systems have it */
  double gamma;        /* order 1: relations hold at x_{k+γ}; 1: at the end of the step. H of a
                          constant run is by x, that of a live one by x_{k+1} */
  int32_t live;        /* evaluated at every iterate; G holds count n x m blocks */
  live_interaction at; /* of a live run */
} interaction_run;

/* An active unit: copy of interaction k of a run. */
typedef struct active_unit {
  int32_t unit, run, k, copy;
} active_unit;

/* A stretch of active units whose rows are neighbours in the state: along k in a run of
 * interactions with one row, otherwise copies of one interaction. */
typedef struct segment {
  int32_t run, k, copy, count;
  int32_t row; /* of its first unit in the active rows */
} segment;

/* An independent one-step problem: units first ... first + count - 1 of the active ones. */
typedef struct island {
  int32_t first, count;
  int32_t row, rows;       /* in the active rows                     */
  int32_t law, laws;       /* first law block, number of them        */
  size_t block, entry;     /* first stored block, first value        */
  size_t warm, warm_bytes; /* its part of the warm bytes */
  size_t envelope;         /* bound, as in perp_shape    */
  int32_t weighted;        /* its rows have unequal weights */
} island;

/* Components of systems of order 1 (state_component.h): members lie one after another in x and W.
 */
typedef struct component_set {
  int32_t count;
  int32_t *of, *column; /* of a system: its component or -1, its first row there */
  int32_t *parent;      /* scratch                                               */
  int32_t *start;       /* count + 1: first row of each                          */
  size_t *at;           /* count + 1: first entry of W of each                   */
  double *W, *x;
  int32_t *pivots;
} component_set;

/* Problems in global form (global_form.c). */
typedef struct global_form {
  const struct global_stage *stage; /* NULL: always reduced                         */
  void *memory;                     /* of the table                                           */
  unsigned char *chosen;            /* units: island i is solved so                           */
  int32_t *base;                    /* n_systems: first velocity in M, -1: not of the island */
  int32_t *start, *index;           /* M, rows of all systems                                 */
  int32_t *H_start, *H_index;
  double *value, *H_value;
  double *q, *v, *b; /* right-hand sides; v_free, then the solution */
  double *plain;     /* W of a dense system           */
  void *judge;
  size_t judge_bytes;
  int32_t columns; /* the one-step matrix of sparse systems is made */
} global_form;

/* A row of y that is projected: of interaction k of a run. */
typedef struct projection_row {
  int32_t run, k, row, unilateral;
} projection_row;

/* The problem of a projection, compressed rows. */
typedef struct projection {
  perp_equality bilateral;
  perp_complementarity unilateral;
  int32_t n;
  projection_row *rows;
  int32_t *first; /* n_interactions + 1: rows of each interaction */
  int32_t *start, *index, *mark, *offset;
  double *value, *rhs, *mu, *y;
  double *floor;         /* what a row may miss               */
  double *d;             /* n_v: the displacement             */
  unsigned char *listed; /* units: 1 if their rows are in rows */
  const perp_law **laws;
} projection;

/* Stages that only some models need (stages.h). */
typedef struct live_stage live_stage;
typedef struct sparse_stage sparse_stage;
typedef struct global_stage global_stage;
typedef struct steady_stage steady_stage;

struct perp_simulation {
  const perp_model *model;
  perp_simulation_options options;
  void *heap;       /* what perp_simulation_destroy() frees, NULL: nothing */
  int32_t stepping; /* a step or an energy is under way: callbacks may look, not touch */
  int32_t running;  /* runs under way, whose observers may step but not end it    */

  /* state block */
  state_header *head;
  size_t state_bytes;
  double *q, *v, *lambda, *y, *ydot;
  double *q_before, *y_before; /* of the step before; NULL without a scheme on positions */
  unsigned char *law_states, *modes;
  size_t n_v;
  int32_t units;
  int32_t moderate; /* v is known to be below 2^900 */

  /* compiled model */
  system_run *systems;
  interaction_run *interactions;
  int32_t n_system_runs, n_interaction_runs;
  int32_t n_systems, n_interactions;
  const live_stage *live;     /* NULL: no run is               */
  const sparse_stage *sparse; /* NULL: no constant run is      */
  const steady_stage *steady; /* NULL: no step is              */
  int32_t has_law_states, has_forces, has_parameters, has_constant_reactions, has_gated;
  int32_t has_reactions_now; /* some G_now is there */
  int32_t same_width;        /* all units have one size */
  double h;                  /* discretised for, 0: not yet             */
  int32_t *incidence_start;  /* n_systems + 1: interactions on a system */
  struct incidence {
    int32_t run, k, slot;
  } * incidence;
  struct pool_memory *pool; /* pool_places.h; NULL: no contacts come and go */
  int32_t *run_of;          /* n_systems: run of each                */
  unsigned char *off;       /* n_systems, state block; NULL: none may be switched off */
  int32_t n_off;
  double *frozen_q, *frozen_v; /* q and v of the systems that are off */

  /* one-step matrix of all units, block rows in the order of the units; constant for one h */
  int32_t *full_start, *full_index; /* units + 1; blocks               */
  size_t *full_entry;               /* units + 1: first value of a row */
  double *full_value;
  int32_t *full_width; /* units: size of each; NULL if all are 1 */

  /* scratch of a step */
  double *free_v;             /* n_v: v_free, then v_{k+1}               */
  double *increment;          /* largest n                               */
  double *load;               /* n_v: B λ on sparse systems, 0 between uses; NULL: none are */
  int32_t *loaded;            /* n_systems: whether load is set, likewise */
  int32_t n_active, n_before; /* units active now, and at the state's λ */
  int32_t *now, *before;      /* their numbers, increasing               */
  active_unit *active;        /* the same, island by island              */
  active_unit *unsorted;      /* scratch of the sort                       */
  int32_t *position;          /* of a unit in active, -1: not active       */
  int32_t *parent;            /* union-find over active units              */
  segment *segments;
  island *islands;
  int32_t n_segments, n_islands;
  int32_t assembled; /* M is that of now                        */
  int32_t fresh;     /* M was assembled in this step            */
  int32_t single;    /* each island is a unit that its law solves */
  int32_t active_rows;
  int32_t n_listed; /* units in active                         */
  int32_t *start, *index, *cut, *law_offset, *row_id;
  double *value, *rhs, *active_lambda, *active_y;
  double *weight;      /* of the active rows, where their island is weighted */
  double *ydot_before; /* of all rows: ẏ at the begin of the last step in which something acted */
  double *kept;        /* rows: diagonal of M while it is relaxed; NULL: no law is an equality */
  double *preload;     /* known part of λ by active rows; NULL: no law has any */
  unsigned char *active_modes;
  const perp_law **laws;
  const void **states;
  double *residual_work; /* of a single unit                        */
  unsigned char *warm;
  size_t warm_bytes;
  uint32_t sets; /* of all laws */
  uint32_t stamp;
  unsigned char *solver_work;
  size_t solver_bytes;
  unsigned char *backup; /* of the state, for retries               */
  /* the iterate of a live model */
  double *trial_q, *trial_v;    /* n_q, n_v: positions, velocities and states             */
  double *last_q, *last_y;      /* q, y a step of this length ago; NULL as q_before         */
  double *trial_lambda;         /* of all rows                                            */
  double *base_v;               /* n_v: free_v of the constant runs                       */
  double *from_v, *from_lambda; /* where a line search starts                             */
  double *defect, *defect_size; /* n_v: what the equations lack, and the sizes of their terms */
  double *owed;                 /* n_v: defect at the iterate before                          */
  const char *missed;           /* whose defect is the largest: what it is, and its number    */
  int32_t missed_index;
  double *gather_q, *gather_v; /* of the systems of one interaction                      */
  double *scratch;             /* of the operations of kinds                             */
  size_t scratch_doubles;
  double *probe; /* of one interaction: H beside the iterate, and what comes with it */
  double *shift; /* n_v: what projections have added to the positions; NULL: none */
  projection projection;
  global_form global;
  component_set components; /* of is NULL where there is none */
  int32_t starting;         /* no step yet: the state is not written */
  unsigned char *acting;    /* units: 1 in now; NULL: not a live model                */
  size_t n_q, rows;
  uint32_t step_newton; /* passes of this step */
  double step_residual; /* worst of the islands in this step       */
  uint32_t step_iterations;
  int32_t step_accepted;
  int32_t step_relaxed; /* islands whose equalities were relaxed in this pass */
  perp_report report;
};

/* Sizes of a model under options, both checked. */
typedef struct layout_sizes {
  const perp_stages *stages; /* what there is; not NULL */
  size_t pool_bytes;         /* of a pool in the state  */
  size_t n_q, n_v, law_state_bytes, state_bytes;
  int32_t n_system_runs, n_interaction_runs, largest_law, largest_n, scalar;
  int32_t largest_sparse; /* n of compiled sparse systems, 0: there is none */
  int32_t preloads;       /* some law has a preload */
  int32_t live;           /* something varies                                   */
  int32_t position;       /* some scheme is on positions */
  int32_t components;     /* some relation joins the states of several systems through K */
  int32_t first_systems;
  size_t first_n;        /* sum of n over the systems of order 1 */
  int32_t varying_first; /* order 1 has a varying relation, or a varying system and a θ–γ scheme:
                            then all its systems are live */
  size_t joined_q, joined_v, scratch; /* largest of an interaction; of an operation */
  size_t probe;                       /* largest of layout_stiffness_doubles()      */
  graph_counts graph;
} layout_sizes;

/* What a varying relation of order 2 writes: H, y, ẏ and D. */
static inline size_t layout_probe_doubles(int32_t m, int32_t n) {
  return (size_t)m * ((size_t)n + 2 + (size_t)m);
}
/* The same, and its geometric stiffness. */
static inline size_t layout_stiffness_doubles(int32_t m, int32_t n) {
  return layout_probe_doubles(m, n) + (size_t)n * (size_t)n;
}

/* Unknowns of the largest one-step problem if they are more than the solver has a size for, else 0.
 */
int32_t perp_layout_too_many(const perp_model *model, const perp_simulation_options *o,
                             const layout_sizes *sizes);

/* The stages that the integrators of a model bring; none of them may be NULL. */
const perp_stages *perp_layout_stages(const perp_model *model, const perp_simulation_options *o);

/* Integrator and θ of system i. */
const perp_integrator *perp_layout_integrator(const perp_simulation_options *options, int32_t i);
double perp_layout_theta(const perp_simulation_options *options, int32_t i);

/* Whether system i belongs to the run of system i - 1 (i > 0). */
int perp_layout_joins_system(const perp_model *model, const perp_simulation_options *options,
                             int32_t i);

/* First row of an active unit in the rows of the model. */
static inline size_t layout_unit_row(const interaction_run *run, int32_t k, int32_t copy) {
  return run->row0 + (size_t)k * (size_t)run->m + (size_t)(copy * run->size);
}

/* Whether system i is evaluated in a step. */
static inline int layout_is_live(const perp_model *model, const perp_simulation_options *o,
                                 const layout_sizes *sizes, int32_t i) {
  const perp_system *s = model->systems[i];
  return system_is_varying(s) || (sizes->varying_first && s->ops->order == 1) ||
         perp_layout_integrator(o, i)->position != 0 ||
         (o->projection != PERP_PROJECT_NONE && s->ops->order == 2);
}

/* What W of system i is stored as: PERP_DIAGONAL, PERP_DENSE (always if it is live) or PERP_BLOCKS;
 * terms are those of a compiled one. */
static inline int32_t layout_storage(const perp_model *model, const perp_simulation_options *o,
                                     const layout_sizes *sizes, int32_t i,
                                     perp_system_terms *terms) {
  const perp_system *s = model->systems[i];
  if (layout_is_live(model, o, sizes, i)) return PERP_DENSE;
  s->ops->terms(s, terms);
  return terms_storage(terms);
}

/* Whether a system is switched off; whether one that interaction k of a run joins is. */
static inline int layout_is_off(const perp_simulation *sim, int32_t system) {
  return sim->n_off > 0 && sim->off[system] != 0;
}
static inline int layout_rests(const perp_simulation *sim, const interaction_run *run, int32_t k) {
  for (int32_t s = 0; sim->n_off > 0 && s < run->n_slots; s++)
    if (sim->off[run->slots[s].system0 + run->slots[s].stride * k]) return 1;
  return 0;
}

/* The one-step problem of an island, as views. */
void perp_layout_island_problem(const perp_simulation *sim, int32_t i, perp_problem *problem);

/* run is the length of the run that ends at interaction i - 1. */
int perp_layout_joins_interaction(const perp_model *model, const perp_simulation_options *options,
                                  const layout_sizes *sizes, int32_t i, int32_t run);

void perp_layout_measure(const perp_model *model, const perp_simulation_options *options,
                         layout_sizes *sizes);

/* Place the parts of the state block, whose begin is head. */
void perp_layout_state(perp_simulation *sim, const layout_sizes *sizes, void *state);

/* Carve the work block, its perp_simulation first, and compile the model into it. With an arena
 * that only measures, nothing is written and NULL comes back. */
perp_simulation *perp_layout_work(arena *a, const perp_model *model,
                                  const perp_simulation_options *options,
                                  const layout_sizes *sizes);

#endif
