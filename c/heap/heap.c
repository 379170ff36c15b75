/* SPDX-License-Identifier: MIT */
/* Simulations in blocks from malloc. In perp::perp only. */
#include "perp/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "heap/heap.h"
#include "perp/check.h"
#include "stepping/layout.h"

perp_status perp_heap_check_callbacks(const perp_model *model, double t, perp_info *info) {
  const size_t bytes = perp_model_check_derivatives_workspace(model);
  void *work = malloc(bytes + 1);
  if (work == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
  const perp_status status = perp_model_check_callbacks(model, t, work, bytes, info);
  free(work);
  return status;
}

/* Both blocks in one piece: state first, so that it is aligned. */
static perp_status create(perp_simulation **out, const perp_model *model,
                          const perp_simulation_options *options, const void *state,
                          size_t state_bytes, perp_info *info) {
  if (out == NULL) return fail_field(info, "out", -1);
  *out = NULL;
  size_t need = perp_simulation_state_size(model, options);
  size_t work = perp_simulation_work_size(model, options);
  if (need == 0 || work == 0) { /* let init say why */
    perp_status status = perp_simulation_init(out, model, options, NULL, 0, NULL, 0, info);
    return status == PERP_OK ? PERP_EINVAL : status;
  }
  if (state != NULL && state_bytes != need)
    return fail(info, PERP_EINVAL, "state_bytes", -1, (double)state_bytes);
  size_t head = (need + 63) / 64 * 64;
  unsigned char *block = work > SIZE_MAX - head ? NULL : malloc(head + work);
  if (block == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)(head + work));
  if (state != NULL) memcpy(block, state, need);
  perp_status status =
      state != NULL
          ? perp_simulation_resume(out, model, options, block, need, block + head, work, info)
          : perp_simulation_init(out, model, options, block, need, block + head, work, info);
  if (status != PERP_OK)
    free(block);
  else
    (*out)->heap = block;
  return status;
}

perp_status perp_heap_create(perp_simulation **out, const perp_model *model,
                             const perp_simulation_options *options, perp_info *info) {
  return create(out, model, options, NULL, 0, info);
}

perp_status perp_simulation_create(perp_simulation **out, const perp_model *model,
                                   const perp_simulation_options *options, perp_info *info) {
  if (perp_simulation_state_size(model, options) > 0) { /* both are well formed */
    const double t0 = options->grid != NULL ? options->grid[0] : options->t0;
    const perp_status status = perp_heap_check_callbacks(model, t0, info);
    if (out != NULL) *out = NULL;
    if (status != PERP_OK) return status;
  }
  return create(out, model, options, NULL, 0, info);
}

perp_status perp_simulation_restore(perp_simulation **out, const perp_model *model,
                                    const perp_simulation_options *options, const void *state,
                                    size_t state_bytes, perp_info *info) {
  if (state == NULL) {
    if (out != NULL) *out = NULL;
    return fail_field(info, "state", -1);
  }
  return create(out, model, options, state, state_bytes, info);
}

void perp_simulation_destroy(perp_simulation *sim) {
  if (sim == NULL || sim->heap == NULL || sim->stepping || sim->running > 0) return;
  perp_simulation_release(sim);
  free(sim->heap);
}
