/* SPDX-License-Identifier: MIT */
/* One running scene, for JavaScript: perp.mjs wraps these functions. A module is one simulation; a
 * second simulation is a second instance of the module. */
#include <math.h>
#include <string.h>

#include "scene.h"

static const scene *const scenes[] = {&perp_wasm_ball, &perp_wasm_beads, &perp_wasm_bridge,
                                      &perp_wasm_box};
enum { SCENES = (int)(sizeof scenes / sizeof *scenes) };

enum { STATE = PERP_SIMULATION_STATE_BYTES(SCENE_BEADS, SCENE_BEADS, SCENE_BEADS) / 8 };
static double state[STATE], checkpoint[STATE];
static unsigned char work[PERP_SIMULATION_WORK_BYTES(
    SCENE_BEADS, 1, 1, SCENE_BEADS, 1, 2, 2, 4 * SCENE_BEADS,
    SCENE_SOLVER + PERP_ACTIVE_SET_BYTES(SCENE_BEADS, 2 * SCENE_BEADS))];
static double parameters[SCENE_PARAMETERS], q0[SCENE_BEADS], v0[SCENE_BEADS], x0[2], start;
static double running_parameters[SCENE_PARAMETERS], running_start; /* of the simulation that runs */
static perp_model model;
static perp_simulation_options options;
static perp_simulation *sim;
static const scene *running;
static perp_info info;
static double worst_residual, largest_gain, last_energy;

static const scene *scene_at(int32_t i) { return i >= 0 && i < SCENES ? scenes[i] : NULL; }

const char *WASM_EXPORT(scene_name)(int32_t i) {
  return scene_at(i) == NULL ? NULL : scenes[i]->name;
}

const char *WASM_EXPORT(parameter_name)(int32_t i, int32_t k) {
  return scene_at(i) == NULL || k < 0 || k >= SCENE_PARAMETERS ? NULL
                                                               : scenes[i]->parameters[k].name;
}

double WASM_EXPORT(parameter_start)(int32_t i, int32_t k) {
  return parameter_name(i, k) == NULL ? (double)NAN : scenes[i]->parameters[k].start;
}

/* Where JavaScript writes the parameters before scene_open(). */
double *WASM_EXPORT(scene_parameters)(void) { return parameters; }

static void copy(double *to, const double *from, int32_t n) {
  for (int32_t i = 0; from != NULL && i < n; i++) to[i] = from[i];
}

/* Remember where the simulation is. */
static void save(void) {
  if (sim == NULL) return;
  int32_t at = 0;
  for (int32_t i = 0; i < model.n_systems; i++) {
    const int32_t n = model.systems[i]->n;
    copy(q0 + at, perp_simulation_q(sim, i), n);
    copy(v0 + at, perp_simulation_v(sim, i), n);
    copy(x0, perp_simulation_x(sim, i), n);
    at += n;
  }
  start = perp_simulation_time(sim);
}

static perp_status refuse(const char *field, double value) {
  const perp_info none = PERP_INFO_INIT;
  info = none;
  info.field = field;
  info.value = value;
  return PERP_EINVAL;
}

static double value_of(const scene *s, const char *field) {
  for (int32_t k = 0; k < SCENE_PARAMETERS && s->parameters[k].name != NULL; k++)
    if (s->parameters[k].name == field) return parameters[k];
  return 0;
}

/* Fill model and options from the parameters; the simulation begins, or began, at time t0. */
static perp_status describe(const scene *s, double t0) {
  const perp_model empty = PERP_MODEL_INIT;
  const char *field = NULL;
  model = empty;
  options = perp_simulation_options_default();
  const perp_status status = s->build(parameters, &model, &options, &field);
  if (status != PERP_OK) return refuse(field, value_of(s, field));
  model.q0 = q0;
  model.v0 = v0;
  model.x0 = x0;
  options.t0 = t0;
  options.min_gap = -HUGE_VAL; /* a scene goes on from where a coarse step left it */
  return PERP_OK;
}

static perp_status begin(const scene *s) {
  const perp_info none = PERP_INFO_INIT;
  const perp_status status = describe(s, start);
  if (status != PERP_OK) return status;
  info = none;
  return perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work,
                              &info);
}

/* Back to the simulation that ran, at its checkpoint; info goes on telling why. */
static void roll_back(void) {
  memcpy(parameters, running_parameters, sizeof parameters);
  memcpy(state, checkpoint, sizeof state);
  for (int32_t i = 0; i < SCENE_BEADS; i++) q0[i] = v0[i] = 0; /* not used, but must be finite */
  x0[0] = x0[1] = 0;
  sim = NULL;
  if (describe(running, running_start) == PERP_OK)
    (void)perp_simulation_resume(&sim, &model, &options, state, sizeof state, work, sizeof work,
                                 NULL); /* on failure sim is NULL, and each call says so */
}

/* Begin scene s at q0, v0, x0, start; if it is refused, what ran before goes on. */
static perp_status replace(const scene *s) {
  const int32_t ran = sim != NULL;
  memcpy(checkpoint, state, sizeof state);
  const perp_status status = begin(s);
  if (status != PERP_OK) {
    if (ran) roll_back();
    return status;
  }
  memcpy(running_parameters, parameters, sizeof parameters);
  running_start = start;
  running = s;
  worst_residual = largest_gain = 0;
  last_energy = s->energy(parameters, sim);
  return PERP_OK;
}

/* Begin scene i with the parameters: where it is (keep) or at its beginning. What is refused leaves
 * the simulation, its parameters included, as it was. */
perp_status WASM_EXPORT(scene_open)(int32_t i, int32_t keep) {
  const scene *s = scene_at(i);
  if (s == NULL) return refuse("scene", i);
  save();
  if (!keep || s != running) {
    s->place(parameters, q0, v0, x0);
    start = 0;
  }
  return replace(s);
}

/* Take as many steps; the first that fails is the last, and leaves the state before it. */
perp_status WASM_EXPORT(scene_run)(int32_t steps) {
  if (sim == NULL) return refuse("scene", 0);
  worst_residual = largest_gain = 0;
  for (int32_t k = 0; k < steps; k++) {
    const perp_info none = PERP_INFO_INIT;
    info = none;
    const perp_status status = perp_simulation_step(sim, &info);
    if (status != PERP_OK) return status;
    if (!(info.relative_residual <= worst_residual)) worst_residual = info.relative_residual;
    const double energy = running->energy(parameters, sim), gain = energy - last_energy;
    if (!(gain <= largest_gain)) largest_gain = gain;
    last_energy = energy;
  }
  return PERP_OK;
}

/* Change velocity (m/s) or voltage (V) and go on; refused as scene_open(). */
perp_status WASM_EXPORT(scene_push)(double amount) {
  if (sim == NULL) return refuse("scene", 0);
  save();
  running->push(amount, v0, x0);
  return replace(running);
}

double WASM_EXPORT(scene_time)(void) { return perp_simulation_time(sim); }
/* Of the state (J). */
double WASM_EXPORT(scene_energy)(void) { return last_energy; }
/* Over the steps of the last scene_run(): largest energy gained in a step (J), worst residual. */
double WASM_EXPORT(scene_gain)(void) { return largest_gain; }
double WASM_EXPORT(scene_residual)(void) { return worst_residual; }

/* Vectors of the state, all systems or interactions one after another. */
enum { Q, V, X, Y, LAMBDA };

const double *WASM_EXPORT(scene_vector)(int32_t kind) {
  if (sim == NULL) return NULL;
  switch (kind) {
    case Q:
      return perp_simulation_q(sim, 0);
    case V:
      return perp_simulation_v(sim, 0);
    case X:
      return perp_simulation_x(sim, 0);
    case Y:
      return perp_simulation_y(sim, 0);
    case LAMBDA:
      return perp_simulation_lambda(sim, 0);
    default:
      return NULL;
  }
}

int32_t WASM_EXPORT(scene_length)(int32_t kind) {
  int32_t n = 0;
  if (scene_vector(kind) == NULL) return 0;
  for (int32_t i = 0; kind <= X && i < model.n_systems; i++) n += model.systems[i]->n;
  for (int32_t i = 0; kind > X && i < model.n_interactions; i++)
    n += model.interactions[i]->relation->m;
  return n;
}

/* What the last call had to say. */
const char *WASM_EXPORT(info_field)(void) { return info.field; }
int32_t WASM_EXPORT(info_index)(void) { return info.index; }
double WASM_EXPORT(info_value)(void) { return info.value; }
const char *WASM_EXPORT(status_text)(perp_status status) { return perp_status_string(status); }
const char *WASM_EXPORT(version_text)(void) { return perp_version_string(); }
