/* SPDX-License-Identifier: MIT */
/* The stages of a step, in their order; each does one job on the parts of a perp_simulation. */
#ifndef PERP_STEPPING_STAGES_H
#define PERP_STEPPING_STAGES_H

#include "stepping/layout.h"

/* discretise.c: factorise and combine the constant parts for a step length.
 * PERP_EINVAL names a singular W ("M", the system), PERP_EBACKEND a back end that failed. */
perp_status perp_discretise(perp_simulation *sim, double h, perp_info *info);
/* PERP_EINVAL if the mass of some system is singular; overwrites W. */
perp_status perp_discretise_check_mass(perp_simulation *sim, perp_info *info);

/* discretise.c: drift of a run from its forces, s the weight of forces. */
perp_status perp_discretise_drift(const perp_simulation *sim, system_run *run, double s);

/* delassus.c */
/* Which interactions stand on each system. */
void perp_delassus_graph(perp_simulation *sim);
/* The one-step matrix of all units, from the constants that perp_discretise() has made. */
void perp_delassus_assemble(perp_simulation *sim);

/* motion.c */
/* Evaluate the forces of time at t and t + h where they are not known, and the drifts. */
perp_status perp_motion_forces(perp_simulation *sim, double t_next, double h, perp_info *info);
/* free_v := velocities (states) at the end of the step without reactions. */
void perp_motion_free(perp_simulation *sim);
/* v := free_v, q := q + h(θ free_v + (1−θ) v). */
void perp_motion_commit(perp_simulation *sim, double t_next, double h);
/* PERP_ENOTFINITE if the velocities in free_v, or the positions they lead to, are not finite. A
 * position can overflow only where a velocity is not moderate or h is very long. */
perp_status perp_motion_check(perp_simulation *sim, double h, perp_info *info);
/* offset := b + F z of the runs with parameters. PERP_ENOTFINITE names "z". */
perp_status perp_motion_offsets(perp_simulation *sim, perp_info *info);
/* y and ẏ of the relations of order 2. */
void perp_motion_outputs(perp_simulation *sim);
/* y of the relations of order 1 from x and λ; in a step it comes with the solution instead. */
void perp_motion_outputs_first(perp_simulation *sim);

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
/* free_v += gain W⁻¹ B λ. */
void perp_reaction_apply(perp_simulation *sim);
/* λ and modes of the state block, and the report; before := now. */
void perp_reaction_commit(perp_simulation *sim);
/* Law states, once y and λ of the accepted step stand. */
void perp_reaction_commit_laws(perp_simulation *sim);
/* Track −y of the active gated units. */
void perp_reaction_penetration(perp_simulation *sim);

#endif
