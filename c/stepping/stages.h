/* SPDX-License-Identifier: MIT */
/* The stages of a step; each does one job on the parts of a perp_simulation. */
#ifndef PERP_STEPPING_STAGES_H
#define PERP_STEPPING_STAGES_H

#include "perp/pool.h"
#include "solver/solver_options.h"
#include "stepping/layout.h"

/* ------------------------------------------------------------------- optional stages ---- */

/* What a constant model of diagonal and dense systems does not need is called through these tables
 * alone. They come with the integrator, so that a program without one that has them links none of
 * it (docs/architecture.md). */
struct perp_stages {
  const struct live_stage *live;
  const struct pool_stage *pool, *swept;
  const struct sparse_stage *sparse;
  const struct global_stage *global;
  const struct steady_stage *steady;
  const struct relax_stage *relax;
};

/* stages.c: everything. */
extern const struct perp_stages perp_stages_every;

/* Models in which something varies, schemes on positions, projection (live.h). */
struct live_stage {
  /* Refuse interaction i under a scheme on positions; the options of a projection. */
  perp_status (*check_positions)(const perp_model *model, int32_t i, perp_info *info);
  perp_status (*check_projection)(const perp_model *model, const perp_simulation_options *o,
                                  perp_info *info);
  /* Memory of the iterate, the projection and the components, once that of all runs is carved. */
  void (*carve)(arena *a, const perp_model *model, const perp_simulation_options *o,
                const layout_sizes *sizes, perp_simulation *sim);
  /* Memory of a live run; its contents are made in every step. */
  void (*carve_system)(arena *a, system_run *run);
  void (*carve_interaction)(arena *a, const layout_sizes *sizes, interaction_run *run,
                            const perp_relation_terms *terms, int32_t reaction);
  /* Masses and gaps at the initial values, first step of length h. */
  perp_status (*begin)(perp_simulation *sim, double t, double h, perp_info *info);
  /* y and ẏ of the state from what was evaluated. */
  void (*outputs)(perp_simulation *sim);
  /* Masses at the state of a simulation that goes on. */
  perp_status (*resume)(perp_simulation *sim, perp_info *info);
  /* From the state and free_v of the constant runs to free_v and λ at the end of the step. */
  perp_status (*step)(perp_simulation *sim, double t_next, double h, int changed, perp_info *info);
  /* Positions, velocities, gaps of the state. */
  void (*commit)(perp_simulation *sim);
  /* Right-hand side and reactions of a segment of a live run. */
  void (*rhs)(const perp_simulation *sim, const interaction_run *run, const segment *at,
              double *rhs);
  void (*apply)(perp_simulation *sim, const interaction_run *run, const segment *at,
                const double *lambda);
};
extern const struct live_stage perp_stage_live;

/* What perp_simulation_set_state() is given. */
typedef struct state_values {
  int32_t first, count;
  const double *q, *v, *x;
} state_values;

/* Set in the mode of the first row of an interaction, or of a place, while a state that is set
 * makes it begin anew. */
enum { MODE_BEGINS = 0x80 };

/* Contacts that come and go (pool_places.h). */
struct pool_stage {
  /* For the interactions beside a pool whose systems are no live runs of others; else NULL. */
  const struct live_stage *live;
  /* perp_pool_check() */
  perp_status (*check)(const perp_model *model, int64_t rows, perp_info *info);
  /* Add what a pool needs to the sizes of a model, before its state block is summed up. */
  void (*measure)(const perp_model *model, layout_sizes *sizes);
  /* Carve the pool and compile its runs, which are the last. */
  void (*carve)(arena *a, const perp_model *model, const layout_sizes *sizes, perp_simulation *sim);
  /* The first contacts, for a step of length h; PERP_EINVAL names "initial gap". */
  perp_status (*begin)(perp_simulation *sim, double h, perp_info *info);
  /* Find the contacts of a step of length h and let them take their places. The state before is
   * kept; undo gives it back. */
  perp_status (*update)(perp_simulation *sim, double h, perp_info *info);
  void (*undo)(perp_simulation *sim);
  /* The state block into state.backup, or from there, as far as contacts stand. */
  void (*backup)(perp_simulation *sim, int back);
  /* All of a step, or NULL: by the stages of others. */
  perp_status (*step)(perp_simulation *sim, double t_next, double h, perp_info *info);
  /* Runs and graph from the first places of a state block, behind which there are no contacts;
   * PERP_EINVAL if they are none of this model. */
  perp_status (*recall)(perp_simulation *sim, int32_t most, perp_info *info);
  /* Give back what a back end has allocated; NULL: nothing. */
  void (*release)(perp_simulation *sim);
  /* What is told of systems that sleep: 1, 0 if that is all there is to it, and whether it is kept;
   * < 0: it is a contact like others. NULL: nothing sleeps. */
  int (*told)(perp_simulation *sim, const perp_pool_contact *contact);
  /* Let a system wake between two steps. NULL: nothing sleeps. */
  void (*wake)(perp_simulation *sim, int32_t system);
  /* Before a state is set: contacts of what it changes leave their places, and that wakes. */
  void (*forget)(perp_simulation *sim, const state_values *given);
};
extern const struct pool_stage perp_stage_pool;
/* The same where contacts are swept body by body (pool_swept.h): step is not NULL, update and undo
 * are. */
extern const struct pool_stage perp_stage_swept;
perp_status perp_pool_swept_fits(const perp_model *model, const perp_simulation_options *o,
                                 perp_info *info);

/* Constant systems whose W is sparse, by the caller's back end (sparse.c). */
struct sparse_stage {
  /* perp_check_rows(), of all that is given in compressed rows */
  perp_status (*check_rows)(const perp_matrix *A, const char *field, int32_t index,
                            perp_info *info);
  /* PERP_EUNSUPPORTED: the first operator in compressed rows, where there is no back end. */
  perp_status (*refuse)(const perp_model *model, const perp_simulation_options *o,
                        const layout_sizes *sizes, perp_info *info);
  /* Pattern, W and operators of a run. */
  void (*carve)(arena *a, const layout_sizes *sizes, system_run *run);
  /* out (rows x cols, stride ld) := an operator that is compiled as a dense one. */
  void (*to_dense)(const perp_matrix *A, double *out, int32_t ld);
  /* Nonzeros of H on n columns from column on; the terms of its row r on a slot, behind count, and
   * how many there are then. */
  size_t (*count_terms)(const perp_matrix *H, int32_t column, int32_t n);
  int32_t (*list_terms)(interaction_run *run, const perp_matrix *H, int32_t r, int32_t s,
                        int32_t count);
  /* Names an operator that is not symmetric where the back end wants that, or a singular mass. */
  perp_status (*check_mass)(const perp_simulation *sim, system_run *run, perp_info *info);
  perp_status (*factorise)(const perp_simulation *sim, system_run *run, const perp_weights *w);
  /* X (n x columns, stride ld) := W⁻¹ X. */
  perp_status (*solve)(const perp_simulation *sim, const system_run *run, int32_t columns,
                       double *X, int32_t ld);
  /* The columns of W⁻¹ B that are kept, for a new W. */
  perp_status (*columns)(perp_simulation *sim, perp_info *info);
  /* The parts of the one-step matrix that pass through sparse systems, once it is assembled. */
  perp_status (*couple)(perp_simulation *sim, perp_info *info);
  /* out := velocities at the end of the step without reactions. */
  perp_status (*free_motion)(const perp_simulation *sim, const system_run *run, double h,
                             const double *v, const double *q, double *out);
  /* free_v += gain W⁻¹ B λ on sparse systems, λ of the active rows. */
  perp_status (*apply)(perp_simulation *sim, const double *lambda);
  /* free_v += gain_begin W⁻¹ B λ_k on sparse systems. */
  perp_status (*reactions_begin)(perp_simulation *sim);
  /* Give the factors back. */
  void (*release)(perp_simulation *sim);
};
extern const struct sparse_stage perp_stage_sparse;

/* One-step problems in global form (global_form.c). */
struct global_stage {
  /* PERP_OK if all islands of the model can be solved so; PERP_EUNSUPPORTED. */
  perp_status (*fits)(const perp_model *model, const perp_simulation_options *options,
                      const layout_sizes *sizes, perp_info *info);
  void (*carve)(arena *a, const perp_model *model, const perp_simulation_options *o,
                const layout_sizes *sizes, size_t doubles, perp_simulation *sim);
  /* Choose the form of every island, and make what the reduced ones need. */
  perp_status (*choose)(perp_simulation *sim, perp_info *info);
  perp_status (*solve)(perp_simulation *sim, int32_t i, perp_residual *residual, perp_info *info);
  void (*release)(perp_simulation *sim);
};
extern const struct global_stage perp_stage_global;

/* Steps in which what acts is what acted, all stages at once (steady.c). */
struct steady_stage {
  /* Whether a compiled model can have such steps. */
  int (*fits)(const perp_simulation *sim);
  /* The step to t_next but for time, law states and report; 0, the state untouched: it is none. */
  int (*step)(perp_simulation *sim, double t_next, double h, perp_info *info);
};
extern const struct steady_stage perp_stage_steady;

/* Equalities that contradict each other (least_squares.c). */
struct relax_stage {
  /* Island i, whose problem the solver could not solve, relaxed; status where that is no answer. */
  perp_status (*solve)(perp_simulation *sim, int32_t i, const perp_problem *problem,
                       perp_status status, perp_residual *residual, perp_info *info);
};
extern const struct relax_stage perp_stage_relax;

/* ---------------------------------------------------------------------- of every step ---- */

/* pass.c: one step from the state's time to t_next = t + h; the state stays as it was if it fails.
 */
perp_status perp_pass(perp_simulation *sim, double t_next, double h, perp_info *info);

/* prepare.c: options with a range that depends on nothing else. */
extern const option_range perp_simulation_ranges[];
/* prepare.c: everything a size query and an init check alike; o gets the options in this library's
 * form, sizes those of the model. */
perp_status perp_prepare(const perp_model *model, const perp_simulation_options *options,
                         perp_simulation_options *o, layout_sizes *sizes, perp_info *info);

/* simulation.c: the model's initial values of all systems. */
void perp_initial_values(const perp_simulation *sim, double *q, double *v);

/* discretise.c: factorise and combine the constant parts for a step length.
 * PERP_EINVAL names a singular W ("M", the system), PERP_EBACKEND a back end that failed. */
perp_status perp_discretise(perp_simulation *sim, double h, perp_info *info);
/* PERP_EINVAL if the mass of some system is singular; overwrites W. */
perp_status perp_discretise_check_mass(perp_simulation *sim, perp_info *info);

/* discretise.c: drift of a run from its forces, s the weight of forces. */
perp_status perp_discretise_drift(const perp_simulation *sim, system_run *run, double s);

/* discretise.c: LU of a dense W (n x n) in place; PERP_EINVAL if it is singular up to rounding. */
perp_status perp_discretise_factor(const perp_simulation *sim, int32_t n, double *W,
                                   int32_t *pivots);
/* discretise.c: X (n x columns, stride ld) := W⁻¹ X with the W of a member of a run. */
perp_status perp_discretise_solve(const perp_simulation *sim, const system_run *run, int32_t member,
                                  int32_t columns, double *X, int32_t ld);

/* delassus.c */
/* Which interactions stand on each system. */
void perp_delassus_graph(perp_simulation *sim);
/* The one-step matrix of all units, from the constants that perp_discretise() has made. */
void perp_delassus_assemble(perp_simulation *sim);

/* discretise.c: W of one dense system (n x n). */
void perp_discretise_dense(const perp_simulation *sim, const system_run *run, double *W);

/* motion.c */
/* Evaluate the forces of time at t and t + h where they are not known, and the drifts. */
perp_status perp_motion_forces(perp_simulation *sim, double t_next, double h, perp_info *info);
/* free_v := velocities (states) at the end of the step without reactions. */
perp_status perp_motion_free(perp_simulation *sim, double h, perp_info *info);
/* Free motion of a run with dense operators of fewer than FLAT_SMALL rows, in flat loops. */
void perp_motion_free_small(const system_run *run, const double *v, const double *q, double *out);
/* v := free_v, q := q + h(θ free_v + (1−θ) v). */
void perp_motion_commit(perp_simulation *sim, double t_next, double h);
/* PERP_ENOTFINITE if the velocities in free_v, or the positions they lead to, are not finite. A
 * position can overflow only where a velocity is not moderate or h is very long. */
perp_status perp_motion_check(perp_simulation *sim, double h, perp_info *info);
/* offset := b + F z of the runs with parameters. PERP_ENOTFINITE names "z". */
perp_status perp_motion_offsets(perp_simulation *sim, perp_info *info);
/* y and ẏ of the relations of order 2. */
void perp_motion_outputs(perp_simulation *sim);
/* y of the relations of order 1 from x and λ of the state, in a step it comes with the solution;
 * resting: before the commit of a step, of those on systems that are off, which no solution has. */
void perp_motion_outputs_first(perp_simulation *sim, int resting);
/* x_{k+γ} = γ x_free + (1−γ) x_k. */
void perp_motion_middle(perp_simulation *sim);

/* switch.c */
/* free_v := v of the systems that are off. */
void perp_switch_free(perp_simulation *sim);
/* q and v of the systems that are off, as they were when switched off. */
void perp_switch_freeze(perp_simulation *sim);
/* Which systems the state block has off. */
void perp_switch_recall(perp_simulation *sim);

/* active.c */
/* Gap of a unit of a run of order 2 (its first row) at positions q, all 0 if q is NULL. */
double perp_contact_gap(const interaction_run *run, int32_t unit, const double *q);
/* acting := units that act in this step; 1 if they are not those of the last one. */
int perp_contact_predict(perp_simulation *sim, double h);
/* acted := units whose λ or mode in the state is set. */
void perp_contact_recall(perp_simulation *sim);
/* Islands, segments, M and laws of the units acting. */
void perp_contact_assemble(perp_simulation *sim);

/* reaction.c */
/* Right-hand side of the one-step problem from free_v and ẏ_k; free_v gains what the known parts of
 * reactions do. PERP_ECALLBACK, PERP_RETRY if a law's map asks for it. */
perp_status perp_reaction_rhs(perp_simulation *sim, double h, perp_info *info);
/* What interaction k of a run is to the user: its number, *pooled 0; of a contact of the pool the
 * number of its first system, *pooled 1. */
int32_t perp_reaction_whose(const perp_simulation *sim, const interaction_run *run, int32_t k,
                            int *pooled);
/* Right-hand side, solution and reaction of an island of one unit; 0 where its law cannot solve it.
 */
int perp_reaction_unit(perp_simulation *sim, const island *at, perp_info *info);
/* Solve and judge every island. */
perp_status perp_reaction_solve(perp_simulation *sim, perp_info *info);
/* free_v += gain W⁻¹ B λ. */
perp_status perp_reaction_apply(perp_simulation *sim, perp_info *info);
/* λ and modes of the state block, and the report; acted := acting. */
void perp_reaction_commit(perp_simulation *sim);
/* Where what acts is what acted, each unit an island that its law has solved. */
void perp_reaction_commit_units(perp_simulation *sim);
/* Law states, once y and λ of the accepted step stand. */
void perp_reaction_commit_laws(perp_simulation *sim);
/* Track −y of the active gated units. */
void perp_reaction_penetration(perp_simulation *sim);

#endif
