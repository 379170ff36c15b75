/* SPDX-License-Identifier: MIT */
/* What the playground shows: a scene turns a few numbers into a model and options. One module holds
 * one running scene, all its memory is static. */
#ifndef PERP_WASM_SCENE_H
#define PERP_WASM_SCENE_H

#include "perp/perp.h"

/* A function that JavaScript sees under its own name; elsewhere a function like others. */
#ifdef __wasm__
#define WASM_EXPORT(name) __attribute__((export_name(#name))) name
#else
#define WASM_EXPORT(name) name
#endif

enum {
  SCENE_PARAMETERS = 5, /* of a scene, at most             */
  SCENE_BEADS = 100,    /* degrees of freedom, at most     */
  SCENE_SOLVER = 1 << 14
};

typedef struct scene_parameter {
  const char *name;
  double start; /* value of a scene that was not told another */
} scene_parameter;

/* p: the parameters. Arrays of initial values hold SCENE_BEADS numbers each. */
typedef struct scene {
  const char *name;
  scene_parameter parameters[SCENE_PARAMETERS]; /* name NULL: no more */
  /* Write where the scene starts: positions and velocities, or the state of a first-order system.
   */
  void (*place)(const double *p, double *q, double *v, double *x);
  /* Fill model and options; initial values and t0 are the caller's business. On failure the name of
   * the offending parameter is left in *field. */
  perp_status (*build)(const double *p, perp_model *model, perp_simulation_options *options,
                       const char **field);
  double (*energy)(const double *p, const perp_simulation *sim); /* J */
  /* Add amount to the velocity (m/s) or voltage (V) that a person would push at. */
  void (*push)(double amount, double *v, double *x);
} scene;

extern const scene perp_wasm_ball, perp_wasm_beads, perp_wasm_bridge, perp_wasm_box;

#endif
