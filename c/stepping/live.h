/* SPDX-License-Identifier: MIT */
/* What the parts of a live step share: live_system.c evaluates systems, live_relation.c relations,
 * live_geometric.c how reactions turn, live_defect.c judges the iterate, newton_passes.c goes
 * round. At an iterate (q, v, λ), order 2: R = M(q*)(v − v_k) − h(θ f(t_{k+1}, q, v) + (1−θ) f(t_k,
 * q_k, v_k)), q = q_k ⊕ h(θ v + (1−θ) v_k),   q* = q_k ⊕ θ h(θ v + (1−θ) v_k), W = M(q*) − hθ ∂f/∂v
 * − h²θ² ∂f/∂q,   v_free = v − W⁻¹R,   G = W⁻¹Hᵀ. Order 1, x in the place of v, with the reaction r
 * = g(t, x, λ) of weight h (gain): W = M − hθ ∂f/∂x − h ∂g/∂x,   x_free = x − W⁻¹(R − h(r − B λ)),
 * G = h W⁻¹B. The relations give  ẏ(v⁺, λ⁺) ≈ ẏ + H (v⁺ − v) + D (λ⁺ − λ). */
#ifndef PERP_STEPPING_LIVE_H
#define PERP_STEPPING_LIVE_H

#include "base/finite.h"
#include "base/info.h"
#include "model/callback.h"
#include "stepping/stages.h"

/* f(n, two_step, ...) of a system run, unrolled for a body, whose loops are too short to be worth
 * their counting. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define LIVE_INLINE static inline __attribute__((always_inline))
#define LIVE_UNROLLED(run, f, ...)                              \
  ((run)->n == 6 && (run)->two_step == 0 ? f(6, 0, __VA_ARGS__) \
                                         : f((size_t)(run)->n, (run)->two_step, __VA_ARGS__))
#else
#define LIVE_INLINE                static inline
#define LIVE_UNROLLED(run, f, ...) f((size_t)(run)->n, (run)->two_step, __VA_ARGS__)
#endif

/* What a callback answered; of: PERP_OF_SYSTEM or PERP_OF_INTERACTION. */
static inline perp_status live_answer(uint32_t of, int32_t code, const char *field, int32_t index,
                                      perp_info *info) {
  if (code == 0) return PERP_OK;
  return fail_of(info, of, code < 0 ? PERP_ECALLBACK : PERP_RETRY, field, index, code);
}

/* What a callback wrote. */
static inline perp_status live_finite(uint32_t of, size_t n, const double *x, const char *field,
                                      int32_t index, perp_info *info) {
  if (all_finite(n, x)) return PERP_OK;
  return fail_of(info, of, PERP_ENOTFINITE, field, index, x[first_not_finite(n, x)]);
}

/* The callback that wrote what is not finite, where one did: what is named in info is made of what
 * several wrote, and of differences. */
static inline perp_status live_blame(uint32_t of, const perp_simulation *sim,
                                     const callback_site *at, int32_t index, perp_info *info) {
  const char *name;
  double value;
  if (perp_callback_blame(at, sim->iterate.scratch, sim->iterate.scratch_doubles, &name, &value))
    info_name_of(info, of, name, index, value);
  return PERP_ENOTFINITE;
}

/* Whether some copy of interaction k acts. */
static inline int live_acts(const perp_simulation *sim, const interaction_run *run, size_t k) {
  const unsigned char *acting = sim->active.acts + (size_t)run->unit0 + k * (size_t)run->copies;
  for (int32_t copy = 0; copy < run->copies; copy++)
    if (acting[copy]) return 1;
  return 0;
}

/* Whether a system has a W of its own, not one with its component. */
static inline int live_is_alone(const perp_simulation *sim, int32_t system) {
  return sim->components.of == NULL || sim->components.of[system] < 0;
}

/* Whether free_v has entries that no linearisation writes: of constant systems, and of those off.
 */
static inline int live_keeps_free(const perp_simulation *sim) {
  return sim->runs.have_constant || sim->state.n_off > 0;
}

/* The larger of two defects; NaN is the worst and stays. */
static inline double live_worse(double worst, double defect) {
  return worst == worst && !(defect <= worst) ? defect : worst;
}

/* What the law of a run holds for: ẏ, the output of order 1, or y with a scheme on positions. */
static inline double *live_level(const interaction_run *run) {
  return run->two_step ? run->at.y : run->at.ydot;
}

/* out += H (to − from) of rows first ... first + rows - 1 of interaction k. */
static inline void live_add_change(const interaction_run *run, size_t k, size_t first, size_t rows,
                                   const double *to, const double *from, double *out) {
  const size_t m = (size_t)run->m;
  const double *H = run->at.H + k * m * (size_t)run->n + first;
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const size_t v0 = at->v0 + k * at->step;
    for (size_t c = 0; c < (size_t)at->n; c++, H += m) {
      const double change = to[v0 + c] - from[v0 + c];
      for (size_t i = 0; i < rows; i++) out[i] += H[i] * change;
    }
  }
}

/* live_layout.c: what struct live_stage tells of them. */
void perp_live_carve(arena *a, const perp_model *model, const perp_simulation_options *o,
                     const layout_sizes *sizes, perp_simulation *sim);
void perp_projection_carve(arena *a, const perp_model *model, const layout_sizes *sizes,
                           perp_simulation *sim);
void perp_live_carve_system(arena *a, system_run *run);
void perp_live_carve_interaction(arena *a, const layout_sizes *sizes, interaction_run *run,
                                 const perp_relation_terms *terms, int32_t reaction);

/* schatzman_paoli.c */
perp_status perp_live_check_positions(const perp_model *model, int32_t i, perp_info *info);

/* newton_passes.c: from the state and free_v of the constant runs to free_v and λ at the end of the
 * step, by passes of linearisation, one-step problem and evaluation. */
perp_status perp_newton(perp_simulation *sim, double t_next, double h, int changed,
                        perp_info *info);

/* projection.c */
perp_status perp_projection_check(const perp_model *model, const perp_simulation_options *o,
                                  perp_info *info);
/* Move trial_q on the constraints; moved tells whether it had to. PERP_MAX_ITER names
 * "projection" with the largest violation relative to its tolerance. */
perp_status perp_projection(perp_simulation *sim, double t_next, double h, int *moved,
                            perp_info *info);
/* For others that project interactions together with what they know (pool_swept_correct.c): the
 * largest violation at the iterate, relative to its tolerance, and a list of the rows to project.
 */
double perp_projection_judge(perp_simulation *sim);
/* projection.d of the rows that are listed, and of all those that it would close: by find, which
 * is called with more and more of them, G given. */
typedef perp_status perp_projection_finder(perp_simulation *sim, void *context, perp_info *info);
perp_status perp_projection_find(perp_simulation *sim, perp_projection_finder *find, void *context,
                                 perp_info *info);
/* projection.mu of the rows that are listed where others have moved positions by projection.d; and
 * x += M⁻¹Hᵀμ. */
perp_status perp_projection_answer(perp_simulation *sim, perp_info *info);
void perp_projection_displace(const perp_simulation *sim, const double *mu, double *x);

/* live_system.c, live_relation.c, live.c, live_defect.c */
/* The positions that velocities trial_v lead to over a step, written to trial_q. */
void perp_live_move(perp_simulation *sim, double h);
/* The same of one member of a run of order 2. */
enum { LIVE_SMALL = 6 }; /* systems of so many velocities may be moved at once */
void perp_live_system_move(perp_simulation *sim, const system_run *run, size_t s, double h);
/* trial_v of the systems with a scheme on positions times a factor: between v and the unknown
 * q_{k+1} − q_{k−1} = 2h v. */
void perp_live_scale_positions(perp_simulation *sim, double factor);
/* f at the begin of the step, anew: parameters z may have changed since it was its end. */
perp_status perp_live_begin(perp_simulation *sim, perp_info *info);
/* r at the begin of the step (the iterate is x_k, λ_k), where the scheme gives it a weight. */
perp_status perp_live_reactions_begin(perp_simulation *sim, double h, perp_info *info);
/* R and f of all live systems at the iterate. */
perp_status perp_live_systems(perp_simulation *sim, double t_next, double h, perp_info *info);
/* Relations of the acting interactions at the iterate (others 0), or of the others (1). */
perp_status perp_live_relations(perp_simulation *sim, double t, double h, int others,
                                perp_info *info);
/* W and its factor, v_free of the live systems, G of the acting relations. again: from_v, H_before
 * are those of the pass before, and W may have geometric stiffness. */
perp_status perp_live_linearise(perp_simulation *sim, double t_next, double h, int again,
                                perp_info *info);
/* live_relation.c: right-hand side and reactions of a segment of a live run. */
void perp_live_rhs(const perp_simulation *sim, const interaction_run *run, const segment *at,
                   double *rhs);
void perp_live_apply(perp_simulation *sim, const interaction_run *run, const segment *at,
                     const double *lambda);
/* Before the first pass: no law was solved for yet, so none is missed. */
void perp_live_hold(perp_simulation *sim);
/* Keep what the linearisation at from_v says about trial_v, before that is evaluated. */
void perp_live_keep(perp_simulation *sim);
/* What the equations of motion and the relations lack at the iterate, each relative to its terms,
 * after the part of the step that perp_live_keep() saw in full: against what the laws were solved
 * for, of which the iterate before has the other part. So it is that of the iterate before where
 * part is 0, and falls with small parts where the linearisation is right. */
double perp_live_defect(perp_simulation *sim, double part, double h);
/* That of interaction k alone; slack is added to the size of each of its rows. */
double perp_live_relation_defect(const perp_simulation *sim, const interaction_run *run, size_t k,
                                 double part, double slack);
/* Go on from the part of that step. */
void perp_live_shorten(perp_simulation *sim, double part);
/* ‖R − Hᵀλ‖₂ over the live systems, H that of the iterate before. */
double perp_live_imbalance(perp_simulation *sim);
/* f at the begin of the step, R and f at the iterate, the mass at positions q, of one member. */
perp_status perp_live_system_begin(perp_simulation *sim, system_run *run, size_t s,
                                   perp_info *info);
perp_status perp_live_system_evaluate(perp_simulation *sim, system_run *run, size_t s,
                                      double t_next, double h, perp_info *info);
/* f (n entries) of one member at (t, q, v), each its own alone. */
perp_status perp_live_system_force(perp_simulation *sim, const system_run *run, size_t s, double t,
                                   const double *q, const double *v, double *f, perp_info *info);
perp_status perp_live_system_mass(perp_simulation *sim, system_run *run, double t, const double *q,
                                  perp_info *info);
/* W (without its factor) of a system run's member, and −R in free_v. */
perp_status perp_live_system_linearise(perp_simulation *sim, system_run *run, size_t s,
                                       double t_next, double h, perp_info *info);
/* Before the first pass: no system wants geometric stiffness. */
void perp_live_no_geometric(perp_simulation *sim);
/* The geometric stiffness in W of all systems for which a pass has shown that it is wanted. */
perp_status perp_live_geometric(perp_simulation *sim, double t, double h, perp_info *info);
/* Sizes of the terms that R of a member is made of, by component. */
void perp_live_system_sizes(const perp_simulation *sim, const system_run *run, size_t s, double h,
                            double *size);
/* Factor of W, and free_v := trial_v + W⁻¹ free_v. */
perp_status perp_live_system_solve(perp_simulation *sim, system_run *run, size_t s, double h,
                                   perp_info *info);
/* What interaction k of a run of order 1 adds to W and to −R: −h K, and h (r − B λ); and to the
 * free velocities of constant systems. */
perp_status perp_live_relation_load(perp_simulation *sim, const interaction_run *run, size_t k);
/* G of interaction k. */
perp_status perp_live_relation_gain(const perp_simulation *sim, const interaction_run *run,
                                    size_t k);
/* probe := H of interaction k of order 2 at the positions in gather_q, which are set to those of
 * the iterate by the second. Answers as callbacks do, > 0 too where H is not finite. */
int32_t perp_live_relation_probe(perp_simulation *sim, const interaction_run *run, size_t k,
                                 double t, double h);
double *perp_live_relation_positions(const perp_simulation *sim, const interaction_run *run,
                                     size_t k);
/* out := q ⊕ d of one system of a run. */
void perp_live_displace(const system_run *run, const double *q, const double *d, double *out);
/* Masses of all live systems at positions q: PERP_EINVAL names a singular one. */
perp_status perp_live_masses(perp_simulation *sim, const double *q, double t, perp_info *info);

#endif
