/* SPDX-License-Identifier: MIT */
/* Contacts of equal spheres with one another, the ground and four walls, by a grid of cells: a
 * plug-in for spheres.toml, built beside it by
 *
 *   cc -O2 -shared -fPIC -o spheres.so spheres.c -lm
 *
 * z of the pool: how many spheres, which are the first systems; radius; half the distance of
 * walls. */
#include <math.h>
#include <stdlib.h>

#include "perp/perp.h"
#include "perp/plugin.h"

PERP_PLUGIN_STATELESS

typedef struct sphere {
  int32_t cell[3], next; /* the next one of its list, -1: none */
} sphere;

static size_t list_of(const int32_t *cell, size_t lists) {
  return ((uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^
          (uint32_t)cell[2] * 83492791u) %
         lists;
}

/* A contact of a with b where it is near; n points to a, from the point b_at along gap. */
static void add(perp_pool_writer *out, int32_t a, int32_t b, uint32_t identity, double r,
                const double *q, const double *n, double gap) {
  perp_pool_contact c = {{a, b}, 0, 0, {identity, 0}, {gap, {0}, {0}, {0}, {0}, {0}}};
  if (!(gap < r / 4)) return;
  for (int k = 0; k < 3; k++) {
    c.place.normal[k] = n[k];
    c.place.a[k] = q[k] - r * n[k];
    c.place.b[k] = c.place.a[k] - gap * n[k];
  }
  (void)perp_pool_add(out, &c, NULL); /* what is refused ends the step */
}

int32_t find(double t, const perp_simulation *sim, perp_pool_writer *out, void *user) {
  static const double walls[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  const double *const z = (const double *)user, r = z[1], size = 2.25 * r;
  const int32_t count = (int32_t)z[0];
  const size_t lists = (size_t)count + 1;
  sphere *const all = (sphere *)malloc(lists * sizeof *all);
  int32_t *const first = (int32_t *)malloc(lists * sizeof *first);
  const int room = all != NULL && first != NULL;
  for (size_t k = 0; room && k < lists; k++) first[k] = -1;
  for (int32_t i = 0; room && i < count; i++) { /* with those before it, by the 27 cells about it */
    const double *const q = perp_simulation_q(sim, i);
    for (uint32_t w = 0; w < 5; w++)
      add(out, i, PERP_GROUND, w, r, q, walls[w],
          walls[w][0] * q[0] + walls[w][1] * q[1] + walls[w][2] * q[2] + (w > 0 ? z[2] : 0) - r);
    for (int k = 0; k < 3; k++) all[i].cell[k] = (int32_t)fmax(-1e9, fmin(1e9, floor(q[k] / size)));
    for (int about = 0; about < 27; about++) {
      const int32_t cell[3] = {all[i].cell[0] + about % 3 - 1, all[i].cell[1] + about / 3 % 3 - 1,
                               all[i].cell[2] + about / 9 - 1};
      for (int32_t j = first[list_of(cell, lists)]; j >= 0; j = all[j].next) {
        const double *const p = perp_simulation_q(sim, j);
        const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        const double l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        const double n[3] = {d[0] / l, d[1] / l, d[2] / l};
        if (cell[0] == all[j].cell[0] && cell[1] == all[j].cell[1] && cell[2] == all[j].cell[2])
          add(out, i, j, 0, r, q, n, l - 2 * r);
      }
    }
    all[i].next = first[list_of(all[i].cell, lists)];
    first[list_of(all[i].cell, lists)] = i;
  }
  free(all);
  free(first);
  return (void)t, room ? 0 : -1;
}
