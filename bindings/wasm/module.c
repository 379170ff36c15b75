/* SPDX-License-Identifier: MIT */
/* What a module for JavaScript has in place of perp::perp's other libraries. */
#include <stddef.h>

#include "linalg/klu.h"
#include "linalg/ldl.h"

const perp_sparse *perp_klu_affordable(void) { return NULL; }
const perp_sparse *perp_ldl_affordable(void) { return NULL; }

static perp_status factor(int32_t n, const int32_t *start, const int32_t *index,
                          const double *values, void **out) {
  (void)n, (void)start, (void)index, (void)values, (void)out;
  return PERP_EUNSUPPORTED;
}
static perp_status solve(void *of, double *b) {
  (void)of, (void)b;
  return PERP_EUNSUPPORTED;
}
static void release(void *of) { (void)of; }

/* Event-driven simulation asks for it by name where a mass is sparse. */
const perp_sparse *perp_sparse_klu(void) {
  static const perp_sparse none = {sizeof none, 0,    "none", factor, solve,
                                   release,     NULL, NULL,   NULL};
  return &none;
}

/* emscripten tells its host; ours looks by itself, so that the module imports nothing. */
void emscripten_notify_memory_growth(size_t memory);
void emscripten_notify_memory_growth(size_t memory) { (void)memory; }
