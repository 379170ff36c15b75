/* SPDX-License-Identifier: MIT */
/* The scenes, and the judge of what an engine makes of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contacts.h"

/* Between neighbours of a row of boxes: more than the margin, so that they do not touch. */
#define ROW_GAP 0.1
#define SPACING 1.05 /* of spheres before they fall, in diameters */

static double *at(contacts_scene *scene, int32_t body) {
  double *q = scene->q0 + 7 * (size_t)body;
  q[3] = 1;
  return q;
}

/* Each box on two of the row below. */
static void pyramid(contacts_scene *scene, int32_t rows) {
  int32_t body = 0;
  for (int32_t row = 0; row < rows; row++)
    for (int32_t i = 0; i < rows - row; i++) {
      double *q = at(scene, body++);
      q[0] = (1 + ROW_GAP) * (i + 0.5 * row);
      q[2] = 0.5 + row;
    }
}

/* The same places on every machine: a linear congruential generator, [0, 1). */
static double chance(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

static void cloud(contacts_scene *scene) {
  const int32_t edge = (int32_t)ceil(cbrt((double)scene->n) - 1e-9);
  uint64_t seed = 1;
  scene->width = SPACING * edge + 0.02;
  for (int32_t i = 0; i < scene->n; i++) {
    const int32_t cell[3] = {i % edge, i / edge % edge, i / edge / edge};
    double *q = at(scene, i);
    for (int k = 0; k < 3; k++) q[k] = 0.52 + SPACING * cell[k] + 0.02 * chance(&seed);
  }
}

static void lattice(contacts_scene *scene, int32_t edge) {
  scene->width = edge;
  for (int32_t i = 0; i < scene->n; i++) {
    const int32_t cell[3] = {i % edge, i / edge % edge, i / edge / edge};
    double *q = at(scene, i);
    for (int k = 0; k < 3; k++) q[k] = 0.5 + cell[k];
  }
}

int contacts_make(contacts_scene *scene, const char *name, int32_t size, double margin) {
  const int32_t most = strcmp(name, "spheres") == 0   ? 10000000
                       : strcmp(name, "lattice") == 0 ? 200
                                                      : 1000;
  memset(scene, 0, sizeof *scene);
  if (size < 1 || size > most) {
    fprintf(stderr, "contacts: a size from 1 to %d\n", most);
    return 0;
  }
  scene->name = name;
  scene->half = 0.5;
  scene->margin = margin;
  scene->shape = CONTACTS_SPHERES;
  scene->inertia = 0.4 * 0.25;
  if (strcmp(name, "pyramid") == 0) {
    scene->shape = CONTACTS_BOXES;
    scene->inertia = 1.0 / 6;
    scene->n = size * (size + 1) / 2;
    scene->places = 10 * scene->n + 64;
  } else if (strcmp(name, "spheres") == 0) {
    scene->n = size;
    scene->places = 5 * size + 64;
  } else if (strcmp(name, "lattice") == 0) {
    scene->n = size * size * size;
    scene->places = 3 * scene->n + 2 * size * size;
  } else {
    fprintf(stderr, "contacts: no scene %s; there are pyramid, spheres, lattice\n", name);
    return 0;
  }
  scene->q0 = (double *)calloc(7 * (size_t)scene->n, sizeof(double));
  if (scene->q0 == NULL) return 0;
  if (scene->shape == CONTACTS_BOXES)
    pyramid(scene, size);
  else if (strcmp(name, "spheres") == 0)
    cloud(scene);
  else
    lattice(scene, size);
  return 1;
}

void contacts_free(contacts_scene *scene) {
  free(scene->q0);
  memset(scene, 0, sizeof *scene);
}

/* ---- the judge ---- */

static void deepest(const contacts_point *point, void *user) {
  contacts_verdict *out = (contacts_verdict *)user;
  out->touching++;
  if (-point->gap > out->penetration) out->penetration = -point->gap;
}

static double square(const double *x) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }

static void judge_forces(const contacts_force *forces, int64_t n, double h, double weight,
                         contacts_verdict *out) {
  double up = 0, worst = 0;
  for (int64_t k = 0; k < n; k++) {
    const contacts_force *f = &forces[k];
    double normal = 0, rest[3];
    for (int i = 0; i < 3; i++) normal += f->normal[i] * f->impulse[i];
    for (int i = 0; i < 3; i++) rest[i] = f->impulse[i] - normal * f->normal[i];
    const double slip = sqrt(square(rest)) - CONTACTS_MU * fmax(0, normal);
    worst = fmax(worst, fmax(slip, -normal));
    if (f->body[1] == CONTACTS_GROUND) up += f->impulse[2];
  }
  out->weight = fabs(up / h - weight) / weight;
  out->cone = worst / (CONTACTS_GRAVITY * h);
}

void contacts_judge(const contacts_scene *scene, contacts_grid *grid, double h, const double *start,
                    const double *q, const contacts_force *forces, int64_t n_forces,
                    contacts_verdict *out) {
  memset(out, 0, sizeof *out);
  out->weight = out->cone = -1;
  if (!contacts_find(scene, grid, q, deepest, out)) out->penetration = HUGE_VAL;
  for (int32_t i = 0; i < scene->n; i++) {
    const double *x = q + 7 * (size_t)i, *x0 = start + 7 * (size_t)i;
    const double way[3] = {x[0] - x0[0], x[1] - x0[1], x[2] - x0[2]};
    out->drift = fmax(out->drift, sqrt(square(way)));
  }
  if (forces != NULL) judge_forces(forces, n_forces, h, CONTACTS_GRAVITY * scene->n, out);
}

void contacts_energy(const contacts_scene *scene, const double *q, const double *v, double *kinetic,
                     double *all) {
  double potential = 0;
  *kinetic = 0;
  for (int32_t i = 0; i < scene->n; i++) {
    const double *u = v + 6 * (size_t)i;
    *kinetic += 0.5 * (square(u) + scene->inertia * square(u + 3));
    potential += CONTACTS_GRAVITY * q[7 * (size_t)i + 2];
  }
  *all = *kinetic + potential;
}
