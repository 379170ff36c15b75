/* SPDX-License-Identifier: MIT */
/* A follower on a cam (cam_model.h) from event to event, and by time-stepping of the same model.
 * Prints the first impacts at 358 turns a minute. Between impacts m u'' + k u = 0, so that u at an
 * impact follows from u and u' after the one before. */
#include <stdio.h>

#include "cam_model.h"

enum { IMPACTS = 16 };

typedef struct record {
  int n;
  double t, u, v; /* of the last impact: time, height, velocity after it */
  double times[IMPACTS];
  double worst; /* largest distance from the exact flight (m) */
} record;

/* After an event: an impact is compared with where the last flight had to end. */
static int32_t see(perp_event_driven *sim, const perp_event *event, void *user) {
  record *r = (record *)user;
  const double w = sqrt(cam_stiffness / cam_mass), angle = w * (event->t - r->t);
  if ((event->kinds & PERP_EVENT_IMPACT) == 0) return 0;
  const double u = *perp_event_driven_q(sim, 0);
  r->worst = fmax(r->worst, fabs(u - r->u * cos(angle) - r->v / w * sin(angle)));
  r->t = event->t;
  r->u = u;
  r->v = *perp_event_driven_v(sim, 0);
  r->times[r->n++] = event->t;
  return r->n == IMPACTS; /* 1: stop */
}

static perp_status by_events(cam_follower *f, record *r) {
  const perp_event_options options = cam_follower_options(f, 0);
  perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;
  perp_event_driven *sim;
  perp_status status = perp_event_driven_create(&sim, &f->model, &options, NULL);
  if (status != PERP_OK) return status;
  r->u = *perp_event_driven_q(sim, 0);
  r->v = *perp_event_driven_v(sim, 0);
  observer.event = see;
  observer.user = r;
  status = perp_event_driven_run(sim, 10, &observer, NULL);
  perp_event_driven_destroy(sim);
  return status;
}

static perp_status by_steps(cam_follower *f, double h, record *r) {
  perp_simulation_options options = perp_simulation_options_default();
  perp_simulation *sim;
  options.h = h;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_lemke();
  f->drive.piece = -1; /* of the profile: by the time */
  perp_status status = perp_simulation_create(&sim, &f->model, &options, NULL);
  while (status == PERP_OK && r->n < IMPACTS) {
    status = perp_simulation_step(sim, NULL);
    if (status == PERP_OK && *perp_simulation_lambda(sim, 0) > 0)
      r->times[r->n++] = perp_simulation_time(sim) - h / 2;
  }
  perp_simulation_destroy(sim);
  return status;
}

int main(void) {
  static cam_follower follower;
  record events = {0}, coarse = {0}, fine = {0};
  double difference = 0;
  cam_follower_init(&follower, 358, 0.4, 0.4, 1);
  const perp_status status = by_events(&follower, &events);
  if (status != PERP_STOPPED || by_steps(&follower, 1e-4, &coarse) != PERP_OK ||
      by_steps(&follower, 1e-6, &fine) != PERP_OK)
    return puts(perp_status_string(status)), 1;
  puts("impact   by events (s)    h = 1e-4 s    h = 1e-6 s");
  for (int k = 0; k < IMPACTS; k++) {
    printf("%6d %15.9f %13.5f %13.7f\n", k + 1, events.times[k], coarse.times[k], fine.times[k]);
    difference = fmax(difference, fabs(fine.times[k] - events.times[k]));
  }
  printf("flights by events to %.1e m, impact times at h = 1e-6 s to %.1e s\n", events.worst,
         difference);
  return events.worst < 1e-9 && difference < 1e-4 ? 0 : 1;
}
