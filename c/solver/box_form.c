/* SPDX-License-Identifier: MIT */
#include "solver/box_form.h"

#include "solver/run.h"

void perp_box_form_carve(box_form *f, arena *a, size_t entries, size_t n, size_t bounds,
                         size_t bytes) {
  f->M = arena_take(a, entries, sizeof(double));
  f->q = arena_take(a, n, sizeof(double));
  f->z = arena_take(a, n, sizeof(double));
  f->w = arena_take(a, n, sizeof(double));
  f->lower = arena_take(a, bounds, sizeof(double));
  f->upper = arena_take(a, bounds, sizeof(double));
  f->work = arena_take(a, bytes, 1);
  f->bytes = bytes;
  if (bytes == 0) a->failed = 1;
}

size_t perp_box_form_bytes(const perp_solver *solver, int32_t n, int32_t set, const void *options) {
  if (n < 0 || (n > 0 && (size_t)n > SIZE_MAX / (size_t)n)) return 0;
  const perp_shape shape = dense_shape(n, set);
  return perp_solver_shape_workspace(solver, &shape, options);
}
