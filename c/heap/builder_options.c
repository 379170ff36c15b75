/* SPDX-License-Identifier: MIT */
/* Options of a builder by name, and what it chooses where none was named. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "heap/builder.h"
#include "perp/auto.h"
#include "perp/experimental.h"
#include "perp/heap.h"

typedef struct option {
  const char *name;
  size_t offset;
  int32_t integer;
} option;

#define OPTION(name, integer) \
  { #name, offsetof(perp_simulation_options, name), integer }

static const option options[] = {
    OPTION(steps, 1),
    OPTION(t0, 0),
    OPTION(h, 0),
    OPTION(theta, 0),
    OPTION(gamma, 0),
    OPTION(min_gap, 0),
    OPTION(on_failure, 1),
    OPTION(max_halvings, 1),
    OPTION(newton_stop, 1),
    OPTION(newton_start, 1),
    OPTION(newton_max, 1),
    OPTION(newton_halvings, 1),
    OPTION(newton_tol, 0),
    OPTION(reaction_gamma, 0),
    OPTION(projection, 1),
    OPTION(projection_max, 1),
    OPTION(projection_tol, 0),
    OPTION(projection_tol_unilateral, 0),
    OPTION(gap_tol, 0),
    OPTION(switchable, 1),
    OPTION(equality_tol, 0),
    OPTION(formulation, 1),
    OPTION(accept_tol, 0),
    OPTION(speed_tol, 0),
    OPTION(sleep_energy, 0),
    OPTION(sleep_time, 0),
};

static const option *find(const char *name) {
  for (size_t i = 0; name != NULL && i < sizeof options / sizeof options[0]; i++)
    if (strcmp(options[i].name, name) == 0) return &options[i];
  return NULL;
}

perp_simulation_options *perp_builder_options(perp_builder *builder) {
  return builder == NULL ? NULL : &builder->options;
}

perp_status perp_builder_set(perp_builder *builder, const char *name, double value,
                             perp_info *info) {
  info_clear(info);
  const option *o = find(name);
  if (builder == NULL) return fail_field(info, "builder", -1);
  if (o == NULL) return fail_field(info, "name", -1);
  if (value != value) return fail(info, PERP_EINVAL, o->name, -1, value);
  char *at = (char *)&builder->options + o->offset;
  if (!o->integer) {
    memcpy(at, &value, sizeof value);
    return PERP_OK;
  }
  if (!(value >= INT32_MIN && value <= INT32_MAX) || (double)(int32_t)value != value)
    return fail(info, PERP_EINVAL, o->name, -1, value);
  const int32_t integer = (int32_t)value;
  memcpy(at, &integer, sizeof integer);
  return PERP_OK;
}

/* By the orders of the systems. */
static perp_status choose_integrators(perp_builder *b, const perp_model *model,
                                      perp_simulation_options *o, perp_info *info) {
  const size_t n = (size_t)model->n_systems;
  if (o->integrator != NULL || o->integrators != NULL) return PERP_OK;
  const perp_status status = perp_builder_reserve(b, LIST_INTEGRATORS, n, info);
  if (status != PERP_OK) return status;
  const perp_integrator **each = b->list[LIST_INTEGRATORS].data;
  int both = 0;
  for (size_t i = 0; i < n; i++) {
    each[i] = model->systems[i]->ops->order == 1 ? perp_integrator_theta()
                                                 : perp_integrator_moreau_jean();
    both |= each[i] != each[0];
  }
  o->integrator = n > 0 ? each[0] : perp_integrator_moreau_jean();
  if (both) o->integrators = each;
  return PERP_OK;
}

perp_status perp_builder_simulate(perp_builder *builder, perp_simulation **out, perp_info *info) {
  info_clear(info);
  if (out != NULL) *out = NULL;
  if (builder == NULL) return fail_field(info, "builder", -1);
  const perp_model *model = perp_builder_model(builder);
  perp_simulation_options o = builder->options;
  const perp_status status = choose_integrators(builder, model, &o, info);
  if (status != PERP_OK) return status;
  if (o.solver == NULL) o.solver = perp_solver_auto();
  return perp_simulation_create(out, model, &o, info);
}
