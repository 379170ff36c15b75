/* SPDX-License-Identifier: MIT */
/* A ball dropped from H = 1 m on a floor, by events (m, kg, s, N):
 *     M dv = -M g dt + impulses,  q >= 0,  v+ = -e v- at impacts, e = 0.5.
 * Exact: impacts at t1 = sqrt(2 H / g) and then 2 e^n t1 apart, infinitely many before
 * t1 (1 + e) / (1 - e), and rest from there on with the force M g. Checked: the time of every
 * impact to 1e-10 s, and the force at rest. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

static const double M = 1, g = 9.81, e = 0.5, H = 1;

typedef struct impacts {
  int count;
  double next, worst; /* exact time of the next one, largest error so far */
} impacts;

static int32_t note(perp_event_driven *sim, const perp_event *event, void *user) {
  impacts *seen = (impacts *)user;
  const double error = event->t - seen->next;
  seen->worst = fmax(seen->worst, fabs(error));
  printf("%6d %13.10f %10.1e %11.3e%s\n", ++seen->count, event->t, error,
         *perp_event_driven_v(sim, 0),
         (event->kinds & PERP_EVENT_ACCUMULATION) != 0 ? "  the rest is cut off" : "");
  seen->next += 2 * sqrt(2 * H / g) * pow(e, seen->count);
  return 0; /* go on */
}

int main(void) {
  const double weight = -M * g, one = 1;
  perp_lagrangian_linear ball;
  perp_lagrangian_linear_init(&ball, sizeof ball, 1);
  ball.M = perp_diagonal(1, &M);
  ball.f = &weight;
  perp_lagrangian_linear_relation gap; /* y = q */
  perp_lagrangian_linear_relation_init(&gap, sizeof gap, 1, 1);
  gap.H = &one;
  perp_newton_impact impact;
  perp_newton_impact_init(&impact, sizeof impact);
  impact.e = e;
  const int32_t first = 0;
  const perp_interaction floor = {&gap.relation, &impact.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&floor};
  const perp_system *const systems[] = {&ball.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = &H;

  const perp_event_options options = perp_event_options_default();
  perp_event_driven *sim;
  perp_info info = PERP_INFO_INIT;
  perp_status status = perp_event_driven_create(&sim, &model, &options, &info);
  if (status != PERP_OK) {
    printf("%s: %s\n", info.field, perp_status_string(status));
    return 1;
  }
  impacts seen = {0, sqrt(2 * H / g), 0};
  perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;
  observer.event = note;
  observer.user = &seen;
  puts("impact         t (s)  error (s)    v+ (m/s)");
  status = perp_event_driven_run(sim, 2, &observer, &info);
  const double rest = *perp_event_driven_lambda(sim, 0) / (M * g), q = *perp_event_driven_q(sim, 0);
  printf("at %g s: q = %.1e m, force at rest %.15f M g; %s %s\n", perp_event_driven_time(sim), q,
         rest, perp_status_string(status), perp_event_driven_message(sim));
  perp_event_driven_destroy(sim);
  return status == PERP_OK && seen.count > 20 && seen.worst < 1e-10 && fabs(rest - 1) < 1e-12 ? 0
                                                                                              : 1;
}
