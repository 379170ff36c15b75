/* SPDX-License-Identifier: MIT */
/* The stages of a step, in their order; each does one job on the parts of a perp_simulation. */
#ifndef PERP_STEPPING_STAGES_H
#define PERP_STEPPING_STAGES_H

#include "stepping/layout.h"

/* prepare.c: everything a size query and an init check alike; o gets the options in this library's
 * form, sizes those of the model. */
perp_status perp_prepare(const perp_model *model, const perp_simulation_options *options,
                         perp_simulation_options *o, layout_sizes *sizes, perp_info *info);

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

/* sparse_pattern.c: W of a sparse run in compressed rows. */
/* Entries of the pattern: those of any operator, and the diagonal. */
size_t perp_pattern_count(const system_run *run);
/* start and index of the run. */
void perp_pattern_fill(system_run *run);
/* out := values of an operator in compressed rows, on the pattern. */
void perp_pattern_spread(const system_run *run, const perp_matrix *A, double *out);
/* out += a A, A any operator of the run; NULL: the identity. */
void perp_pattern_add(const system_run *run, double a, const perp_matrix *A, double *out);
/* Whether an operator of the run is symmetric up to rounding. */
int perp_pattern_symmetric(const system_run *run, const perp_matrix *A);

/* sparse.c: systems whose W is sparse. */
/* Names an operator that is not symmetric where the back end wants that, or a singular mass. */
perp_status perp_sparse_check_mass(const perp_simulation *sim, system_run *run, perp_info *info);
perp_status perp_sparse_factorise(const perp_simulation *sim, system_run *run,
                                  const perp_weights *w);
/* X (n x columns, stride ld) := W⁻¹ X. */
perp_status perp_sparse_solve(const perp_simulation *sim, const system_run *run, int32_t columns,
                              double *X, int32_t ld);
/* The columns of W⁻¹ B that are kept, and their part of the diagonal blocks, for a new W. */
perp_status perp_sparse_columns(perp_simulation *sim, perp_info *info);
/* The parts of the one-step matrix that pass through sparse systems, once it is assembled. */
perp_status perp_sparse_couple(perp_simulation *sim, perp_info *info);
/* out := velocities at the end of the step without reactions. */
perp_status perp_sparse_free(const perp_simulation *sim, const system_run *run, double h,
                             const double *v, const double *q, double *out);
/* free_v += gain W⁻¹ B λ on sparse systems, λ of the active rows. */
perp_status perp_sparse_apply(perp_simulation *sim, const double *lambda);
/* free_v += gain_now W⁻¹ B λ_k on sparse systems. */
perp_status perp_sparse_reactions_now(perp_simulation *sim);
/* Give the factors back. */
void perp_sparse_release(perp_simulation *sim);

/* global.c: one-step problems in global form. */
void perp_global_carve(arena *a, const perp_model *model, const perp_simulation_options *o,
                       const layout_sizes *sizes, size_t doubles, perp_simulation *sim);
/* PERP_OK if all islands of the model can be solved so, or none is to be; PERP_EUNSUPPORTED. */
perp_status perp_global_fits(const perp_model *model, const perp_simulation_options *options,
                             const layout_sizes *sizes, perp_info *info);
/* Choose the form of every island, and make what the reduced ones need. */
perp_status perp_global_choose(perp_simulation *sim, perp_info *info);
perp_status perp_global_island(perp_simulation *sim, int32_t i, perp_residual *residual,
                               perp_info *info);

/* discretise.c: W of one dense system (n x n). */
void perp_discretise_plain(const perp_simulation *sim, const system_run *run, double *W);

/* motion.c */
/* Evaluate the forces of time at t and t + h where they are not known, and the drifts. */
perp_status perp_motion_forces(perp_simulation *sim, double t_next, double h, perp_info *info);
/* free_v := velocities (states) at the end of the step without reactions. */
perp_status perp_motion_free(perp_simulation *sim, double h, perp_info *info);
/* v := free_v, q := q + h(θ free_v + (1−θ) v). */
void perp_motion_commit(perp_simulation *sim, double t_next, double h);
/* PERP_ENOTFINITE if the velocities in free_v, or the positions they lead to, are not finite. A
 * position can overflow only where a velocity is not moderate or h is very long. */
perp_status perp_motion_check(perp_simulation *sim, double h, perp_info *info);
/* offset := b + F z of the runs with parameters. PERP_ENOTFINITE names "z". */
perp_status perp_motion_offsets(perp_simulation *sim, perp_info *info);
/* y and ẏ of the relations of order 2. */
void perp_motion_outputs(perp_simulation *sim);
/* y of the relations of order 1 from x and λ of the state; in a step it comes with the solution. */
void perp_motion_outputs_first(perp_simulation *sim);
/* The same before the commit of a step, of those on systems that are off, which no solution has. */
void perp_motion_outputs_resting(perp_simulation *sim);

/* switch.c */
/* free_v := v of the systems that are off. */
void perp_switch_free(perp_simulation *sim);
/* q and v of the systems that are off, as they were when switched off. */
void perp_switch_freeze(perp_simulation *sim);
/* Which systems the state block has off. */
void perp_switch_recall(perp_simulation *sim);

/* newton.c: from the state and free_v of the constant runs to free_v and λ at the end of the step,
 * by passes of linearisation, one-step problem and evaluation. */
perp_status perp_newton(perp_simulation *sim, double t_next, double h, int changed,
                        perp_info *info);

/* projection.c: move trial_q on the constraints; moved tells whether it had to. PERP_MAX_ITER names
 * "projection" with the largest violation relative to its tolerance. */
perp_status perp_projection(perp_simulation *sim, double t_next, double h, int *moved,
                            perp_info *info);

/* live.c */
/* The positions that velocities trial_v lead to over a step, written to trial_q. */
void perp_live_move(perp_simulation *sim, double h);
/* trial_v of the systems with a scheme on positions times a factor: between v and the unknown
 * q_{k+1} − q_{k−1} = 2h v. */
void perp_live_scale_positions(perp_simulation *sim, double factor);
/* f at the begin of the step, anew: parameters z may have changed since it was its end. */
perp_status perp_live_begin(perp_simulation *sim, perp_info *info);
/* r at the begin of the step (the iterate is x_k, λ_k), where the scheme gives it a weight. */
perp_status perp_live_reactions_now(perp_simulation *sim, double h, perp_info *info);
/* R and f of all live systems at the iterate. */
perp_status perp_live_systems(perp_simulation *sim, double t_next, double h, perp_info *info);
/* Relations of the acting interactions at the iterate (others 0), or of the others (1). */
perp_status perp_live_relations(perp_simulation *sim, double t, double h, int others,
                                perp_info *info);
/* W and its factor, v_free of the live systems, G of the acting relations. */
perp_status perp_live_linearise(perp_simulation *sim, double t_next, double h, perp_info *info);
/* Right-hand side and reactions of a segment of a live run. */
void perp_live_rhs(const perp_simulation *sim, const interaction_run *run, const segment *at,
                   double *rhs);
void perp_live_apply(perp_simulation *sim, const interaction_run *run, const segment *at,
                     const double *lambda);
/* Keep what the linearisation at from_v says about trial_v, before that is evaluated. */
void perp_live_keep(perp_simulation *sim);
/* What the equations of motion and the relations lack at the iterate, each relative to its terms,
 * after the part of the step that perp_live_keep() saw in full. */
double perp_live_defect(perp_simulation *sim, double part, double h);
/* ‖R − Hᵀλ‖₂ over the live systems, H that of the iterate before. */
double perp_live_imbalance(perp_simulation *sim);
/* Positions, velocities, gaps of the state. */
void perp_live_commit(perp_simulation *sim);
/* Masses and gaps at the initial values q, v, x (NULL: 0). */
perp_status perp_live_initial(perp_simulation *sim, const double *q, const double *v,
                              const double *x, double t, double h, perp_info *info);
/* y and ẏ of the state from what was evaluated. */
void perp_live_outputs(perp_simulation *sim);

/* contact.c */
/* Gap of a unit of a run of order 2 (its first row) at positions q, all 0 if q is NULL. */
double perp_contact_gap(const interaction_run *run, int32_t unit, const double *q);
/* now := units that act in this step; 1 if they are not those before. */
int perp_contact_predict(perp_simulation *sim, double h);
/* before := units whose λ or mode in the state is set. */
void perp_contact_recall(perp_simulation *sim);
/* Islands, segments, M and laws of the units in now. */
void perp_contact_assemble(perp_simulation *sim);

/* reaction.c */
/* Right-hand side of the one-step problem from free_v and ẏ_k; free_v gains what the known parts of
 * reactions do. PERP_ECALLBACK, PERP_RETRY if a law's map asks for it. */
perp_status perp_reaction_rhs(perp_simulation *sim, double h, perp_info *info);
/* Solve and judge every island. */
perp_status perp_reaction_solve(perp_simulation *sim, perp_info *info);
/* least_squares.c: relax the equalities of an island by ε, returned; 0: it has none. */
double perp_least_squares_begin(perp_simulation *sim, int32_t i);
/* least_squares.c: give M back what it was. */
void perp_least_squares_end(perp_simulation *sim, int32_t i);
/* free_v += gain W⁻¹ B λ. */
perp_status perp_reaction_apply(perp_simulation *sim, perp_info *info);
/* λ and modes of the state block, and the report; before := now. */
void perp_reaction_commit(perp_simulation *sim);
/* Law states, once y and λ of the accepted step stand. */
void perp_reaction_commit_laws(perp_simulation *sim);
/* Track −y of the active gated units. */
void perp_reaction_penetration(perp_simulation *sim);

#endif
