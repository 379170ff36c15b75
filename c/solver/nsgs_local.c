/* SPDX-License-Identifier: MIT */
/* The local problem of one contact, y = D λ + q with (y, λ) in its law: exactly for intervals,
 * friction and rolling, by what the law's table has for other laws. */
#include <string.h>

#include "problem/one_contact.h"
#include "solver/interval.h"
#include "solver/local_law.h"
#include "solver/nsgs.h"

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

void perp_nsgs_solve(const nsgs *s, const contact *c, double *local, const double *q,
                     double *lambda) {
  void *prepared = local;
  if (c->set <= PERP_SET_BOX)
    *lambda = clip(-(q[0] / local[0]), s->lower[c->begin], s->upper[c->begin]);
  else if (c->set == PERP_SET_CONE && c->size == 2)
    (void)contact_2d_sweep(prepared, q, lambda);
  else if (c->set == PERP_SET_CONE)
    (void)contact_3d_sweep(prepared, q, lambda);
  else if (c->set == PERP_SET_ROLLING)
    (void)perp_contact_rolling_sweep(prepared, q, lambda);
  else
    perp_local_law_solve(c, local, q, lambda, s->trial + c->begin, s->spare, NULL);
}
