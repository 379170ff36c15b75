/* SPDX-License-Identifier: MIT */
/* What a contact costs where contacts are swept body by body: its place in the order, W_αα and its
 * factors, a sweep, the verification; the kernels alone, of a lattice of spheres that rest on one
 * another, or of which most slide:  swept_bench EDGE [--once]   prints a line of JSON, the best of
 * nine in nanoseconds. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contacts/swept.h"

enum { SWEEPS = 20 };

typedef struct lattice {
  int32_t bodies, contacts;
  swept_pair *pairs;
  int32_t *axis; /* of the normal */
  void *block;   /* of the set */
  swept_set set;
} lattice;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void touch(lattice *of, int32_t first, int32_t second, int32_t axis) {
  of->pairs[of->contacts].body[0] = first, of->pairs[of->contacts].body[1] = second;
  of->axis[of->contacts++] = axis;
}

static int make(lattice *of, int32_t edge) {
  const int32_t step[3] = {1, edge, edge * edge};
  of->bodies = edge * edge * edge, of->contacts = 0;
  of->pairs = (swept_pair *)malloc(3 * (size_t)of->bodies * sizeof *of->pairs);
  of->axis = (int32_t *)malloc(3 * (size_t)of->bodies * sizeof *of->axis);
  if (of->pairs == NULL || of->axis == NULL) return 0;
  for (int32_t i = 0; i < of->bodies; i++) {
    if (i < step[2]) touch(of, i, -1, 2);
    for (int32_t k = 0; k < 3; k++)
      if (i / step[k] % edge < edge - 1) touch(of, i + step[k], i, k);
  }
  arena a = arena_measure();
  memset(&of->set, 0, sizeof of->set);
  perp_swept_carve(&of->set, &a, (size_t)of->bodies, (size_t)of->contacts);
  of->block = malloc(arena_bytes(&a));
  if (of->block == NULL) return 0;
  a = arena_open(of->block, arena_bytes(&a));
  perp_swept_carve(&of->set, &a, (size_t)of->bodies, (size_t)of->contacts);
  return 1;
}

/* Spheres of mass 1 and diameter 1 that fall by 0.01 a step, and drift. */
static void write(lattice *of, double drift) {
  const double free[6] = {drift, 0, -1e-2, 0, 0, 0};
  swept_set *const s = &of->set;
  for (int32_t b = 0; b < s->n_bodies; b++) {
    memset(&s->bodies[b], 0, sizeof s->bodies[b]);
    s->bodies[b].inverse_mass = 1;
    for (int i = 0; i < 3; i++) s->bodies[b].inverse_inertia[4 * i] = 10;
    memcpy(s->free + 6 * (size_t)b, free, sizeof free);
  }
  for (int32_t k = 0; k < s->n_contacts; k++) {
    swept_contact *const c = &s->contacts[k];
    const int32_t pair = s->order[k], axis = of->axis[pair];
    memset(c, 0, sizeof *c);
    c->normal[axis] = c->tangent[(axis + 1) % 3] = 1;
    c->mu = 0.5;
    for (int side = 0; side < 2; side++) {
      const int32_t number = of->pairs[pair].body[side];
      c->body[side] = number < 0 ? -1 : s->rank[number];
      c->arm[side][axis] = side == 0 ? -0.5 : 0.5;
    }
  }
}

typedef struct measured { /* ns a contact */
  double order, prepare, sweep, verify;
} measured;

/* 1, or 0 where the answer is not finite. */
static int measure(lattice *of, int times, double drift, measured *out) {
  const swept_options options = {SWEEPS, 0, 1e-30, 0};
  const double each = of->contacts;
  double order = INFINITY, prepare = INFINITY, solve = INFINITY, verify = INFINITY;
  swept_outcome told = {0};
  for (int k = 0; k < times; k++) {
    double at = now();
    perp_swept_arrange(&of->set, of->contacts, of->pairs);
    order = fmin(order, now() - at);
    write(of, drift);
    at = now();
    perp_swept_prepare(&of->set);
    prepare = fmin(prepare, now() - at);
    at = now();
    perp_swept_solve(&of->set, &options, &told); /* judges once */
    solve = fmin(solve, now() - at);
    at = now();
    perp_swept_judge(&of->set, &told);
    verify = fmin(verify, now() - at);
  }
  out->order = order / each;
  out->prepare = prepare / each;
  out->sweep = (solve - verify) / told.sweeps / each;
  out->verify = verify / each;
  return isfinite(told.residual);
}

int main(int argc, char **argv) {
  const long edge = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
  const int times = argc > 2 && strcmp(argv[2], "--once") == 0 ? 1 : 9;
  lattice of;
  if (edge < 1 || edge > 400 || !make(&of, (int32_t)edge)) {
    fprintf(stderr, "swept_bench: EDGE from 1 to 400, and memory for it\n");
    return 2;
  }
  measured rest = {0}, slide = {0};
  const int good = measure(&of, times, 0, &rest) && measure(&of, times, 1e-3, &slide);
  printf(
      "{\"edge\": %ld, \"contacts\": %ld, \"order_ns\": %.1f, \"prepare_ns\": %.1f, "
      "\"sweep_ns\": %.1f, \"slide_ns\": %.1f, \"verify_ns\": %.1f}\n",
      edge, (long)of.contacts, rest.order, rest.prepare, rest.sweep, slide.sweep, rest.verify);
  free(of.pairs);
  free(of.axis);
  free(of.block);
  return good ? 0 : 1;
}
