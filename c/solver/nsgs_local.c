/* SPDX-License-Identifier: MIT */
/* The local problem of one contact, y = D λ + q with (y, λ) in its law: exactly for intervals,
 * friction and rolling, by the law's own solution or else by a few projected steps
 *
 *   λ := P(λ − ŷ / ‖D‖),  ŷ = shift(D λ + q),
 *
 * for other laws. A fixed point of these is a solution, so one that ends early only slows the
 * sweeps down. */
#include <math.h>
#include <string.h>

#include "problem/bounds.h"
#include "problem/one_contact.h"
#include "solver/interval.h"
#include "solver/nsgs.h"

/* Projected steps, and the change relative to λ at which they end. */
enum { STEPS = 20 };
#define AT_REST 1e-15

/* What a struct takes of an array of doubles. */
#define DOUBLES(type) ((sizeof(type) + sizeof(double) - 1) / sizeof(double))

size_t perp_nsgs_local_size(const contact *c) {
  const size_t size = (size_t)c->size;
  if (c->set <= PERP_SET_BOX) return 1;
  if (c->set == PERP_SET_CONE) return size == 2 ? DOUBLES(contact_2d) : DOUBLES(contact_3d);
  if (c->set == PERP_SET_ROLLING) return DOUBLES(contact_rolling);
  return size * size;
}

size_t perp_nsgs_local_doubles(const perp_shape *shape) {
  size_t most = 1; /* for one unknown, rounded up */
  const size_t plane = (DOUBLES(contact_2d) + 1) / 2, space = (DOUBLES(contact_3d) + 2) / 3;
  const size_t rolling = (DOUBLES(contact_rolling) + 2) / 3;
  const uint32_t other = 1u << PERP_SET_POLYHEDRON | 1u << PERP_SET_OTHER;
  if ((shape->sets >> PERP_SET_CONE & 1u) != 0) most = plane > space ? plane : space;
  if ((shape->sets >> PERP_SET_ROLLING & 1u) != 0 && rolling > most) most = rolling;
  if ((shape->sets & other) != 0 && (size_t)shape->largest > most) most = (size_t)shape->largest;
  const size_t n = (size_t)shape->n;
  return n > 0 && most > SIZE_MAX / n ? SIZE_MAX : n * most;
}

void perp_nsgs_prepare(const contact *c, const double *D, double *out) {
  void *to = out;
  if (c->set == PERP_SET_CONE && c->size == 2)
    perp_contact_2d_prepare(to, D, 2, c->mu);
  else if (c->set == PERP_SET_CONE)
    perp_contact_3d_prepare(to, D, 3, c->mu);
  else if (c->set == PERP_SET_ROLLING)
    perp_contact_rolling_prepare(to, c->size, D, c->size, c->mu, c->mu_rolling);
  else
    memcpy(out, D, (size_t)c->size * (size_t)c->size * sizeof *out);
}

static double norm_of(size_t count, const double *x) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* trial := P(λ − ŷ / norm). */
static void projected_step(const nsgs *s, const contact *c, const double *D, double norm,
                           const double *q, const double *lambda, double *trial) {
  const int32_t size = c->size;
  memcpy(trial, q, (size_t)size * sizeof *q);
  for (int32_t j = 0; j < size; j++)
    for (int32_t i = 0; i < size; i++)
      trial[i] += D[(size_t)i + (size_t)size * (size_t)j] * lambda[j];
  if (c->law->ops->shift != NULL) c->law->ops->shift(c->law, c->state, trial, trial);
  for (int32_t i = 0; i < size; i++) trial[i] = lambda[i] - trial[i] / norm;
  law_project(c->law, c->state, trial, trial, s->spare);
}

static void solve_other(const nsgs *s, const contact *c, const double *D, const double *q,
                        double *lambda) {
  const size_t bytes = (size_t)c->size * sizeof *lambda;
  double *trial = s->trial + c->begin;
  if (c->law->ops->local != NULL) {
    memcpy(trial, lambda, bytes);
    if (c->law->ops->local(c->law, c->state, D, c->size, q, trial) == PERP_OK) {
      memcpy(lambda, trial, bytes);
      return;
    }
  }
  double norm = norm_of((size_t)c->size * (size_t)c->size, D);
  if (!(norm > 0)) norm = 1;
  for (int32_t k = 0; k < STEPS; k++) {
    double moved = 0, size = 0;
    projected_step(s, c, D, norm, q, lambda, trial);
    for (int32_t i = 0; i < c->size; i++) {
      moved = interval_raise(moved, trial[i] - lambda[i]);
      size = interval_raise(size, trial[i]);
    }
    memcpy(lambda, trial, bytes);
    if (!(moved > AT_REST * size)) return;
  }
}

void perp_nsgs_solve(const nsgs *s, const contact *c, const double *local, const double *q,
                     double *lambda) {
  const void *prepared = local;
  if (c->set <= PERP_SET_BOX)
    *lambda = clip(-(q[0] / local[0]), s->lower[c->begin], s->upper[c->begin]);
  else if (c->set == PERP_SET_CONE && c->size == 2)
    (void)contact_2d_sweep(prepared, q, lambda);
  else if (c->set == PERP_SET_CONE)
    (void)contact_3d_sweep(prepared, q, lambda);
  else if (c->set == PERP_SET_ROLLING)
    (void)perp_contact_rolling_sweep(prepared, q, lambda);
  else
    solve_other(s, c, local, q, lambda);
}
