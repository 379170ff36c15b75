/* SPDX-License-Identifier: MIT */
/* What a simulation is made of, and how large it is. */
#ifndef PERP_STEPPING_LAYOUT_H
#define PERP_STEPPING_LAYOUT_H

#include "base/arena.h"
#include "model/graph.h"
#include "model/head.h"
#include "perp/experimental.h"
#include "stepping/active.h"
#include "stepping/global_form.h"
#include "stepping/iterate.h"
#include "stepping/projection.h"
#include "stepping/runs.h"
#include "stepping/state.h"

/* Stages that only some models need (stages.h). */
typedef struct live_stage live_stage;
typedef struct sparse_stage sparse_stage;
typedef struct global_stage global_stage;
typedef struct steady_stage steady_stage;
typedef struct relax_stage relax_stage;

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

/* A step's counts, and those of all steps. */
typedef struct step_counts {
  uint32_t passes; /* of Newton's iteration                */
  uint32_t iterations;
  double residual;       /* worst of the islands                 */
  double speed_residual; /* of contacts that are swept, unit of ẏ */
  int32_t accepted;      /* islands, and iterates, that are not solved */
  int32_t relaxed;       /* islands whose equalities were relaxed in this pass */
  perp_report report;
} step_counts;

/* Vectors that every step needs. */
typedef struct step_vectors {
  double *free_v;      /* n_v: v_free, then v_{k+1}               */
  double *middle;      /* n_v: x_{k+γ}; NULL: γ is 1               */
  double *increment;   /* largest n                               */
  double *load;        /* n_v: B λ on sparse systems, 0 between uses; NULL: none are */
  int32_t *loaded;     /* n_systems: whether load is set, likewise */
  double *ydot_before; /* of all rows: ẏ at the begin of the last step in which something acted */
} step_vectors;

struct perp_simulation {
  const perp_model *model;
  int32_t n_systems, n_interactions;
  perp_simulation_options options;
  void *heap;       /* what perp_simulation_destroy() frees, NULL: nothing */
  int32_t stepping; /* a step or an energy is under way: callbacks may look, not touch */
  int32_t running;  /* runs under way, whose observers may step but not end it    */

  simulation_state state;
  compiled_model runs;
  whole_matrix whole;
  active_set active;
  active_problem problem;
  step_vectors step;
  step_counts counts;

  /* what only some models have */
  const live_stage *live;     /* NULL: no run is               */
  const sparse_stage *sparse; /* NULL: no constant run is      */
  const steady_stage *steady; /* NULL: no step is              */
  const relax_stage *relax;   /* NULL: no equality is          */
  struct pool_memory *pool;   /* pool_places.h; NULL: no contacts come and go */
  newton_iterate iterate;
  projection projection;
  component_set components; /* of is NULL where there is none */
  global_form global;
};

/* Sizes of a model under options, both checked. */
typedef struct layout_sizes {
  const perp_stages *stages; /* what there is; not NULL */
  size_t pool_bytes;         /* of a pool in the state  */
  size_t n_q, n_v, law_state_bytes, state_bytes;
  int32_t n_system_runs, n_interaction_runs, largest_law, largest_n, scalar;
  int32_t largest_sparse; /* n of compiled sparse systems, 0: there is none */
  int32_t preloads;       /* some law has a preload */
  int32_t live;           /* something varies, and is evaluated by the live stage */
  int32_t swept;          /* the pool's contacts are swept body by body */
  int32_t sleeps;         /* and its systems may sleep */
  int32_t two_step;       /* some scheme is on positions */
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
/* With its geometric stiffness. */
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

/* Whether system i is evaluated in a step. */
static inline int layout_is_live(const perp_model *model, const perp_simulation_options *o,
                                 const layout_sizes *sizes, int32_t i) {
  const perp_system *s = model->systems[i];
  return system_is_varying(s) || sizes->swept || (sizes->varying_first && s->ops->order == 1) ||
         perp_layout_integrator(o, i)->two_step != 0 ||
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

/* Whether a system is switched off. */
static inline int layout_is_off(const perp_simulation *sim, int32_t system) {
  return sim->state.n_off > 0 && sim->state.off[system] != 0;
}
/* Whether interactions are on a system. */
static inline int layout_is_joined(const perp_simulation *sim, int32_t system) {
  return sim->runs.incidence_start[system + 1] > sim->runs.incidence_start[system];
}
/* Whether a system that interaction k of a run joins is switched off. */
static inline int layout_rests(const perp_simulation *sim, const interaction_run *run, int32_t k) {
  for (int32_t s = 0; sim->state.n_off > 0 && s < run->n_slots; s++)
    if (sim->state.off[run->slots[s].system0 + run->slots[s].stride * k]) return 1;
  return 0;
}

/* The run of an interaction, or of a unit. */
const interaction_run *perp_layout_run_of(const perp_simulation *sim, int32_t number, int unit);

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
