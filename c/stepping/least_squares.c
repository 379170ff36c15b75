/* SPDX-License-Identifier: MIT */
/* Equalities that contradict each other, as those of joints that over-constrain and have drifted:
 * no λ solves them. With ε on the diagonal of the equality rows, y_E + ε λ_E = 0,   y = M λ + q, λ
 * always exists; as ε → 0 the velocities are those that miss the equalities least, in the metric of
 * M's range, and λ has least norm among theirs. ε is 1e-9 of the largest diagonal entry of a row.
 */
#include <math.h>

#include "stepping/stages.h"

/* Calls visit for every diagonal entry of the island's equality rows, row counted in the island. */
typedef void visitor(double *entry, int32_t row, void *context);

static int each_equality(perp_simulation *sim, int32_t i, visitor *visit, void *context) {
  const island *at = &sim->active.islands[i];
  const int32_t *start = sim->problem.start + at->first + i,
                *index = sim->problem.index + at->block;
  double *value = sim->problem.value + at->entry;
  int32_t row = 0, found = 0;
  for (int32_t u = 0; u < at->count; u++) {
    const interaction_run *run = &sim->runs.interactions[sim->active.units[at->first + u].run];
    const int32_t height = run->size;
    for (int32_t b = start[u]; b < start[u + 1]; b++) {
      const int32_t width =
          sim->runs.interactions[sim->active.units[at->first + index[b]].run].size;
      for (int32_t r = 0; index[b] == u && run->law->ops->set == PERP_SET_FREE && r < height;
           r++, found++)
        visit(value + (size_t)r * (size_t)(height + 1), row + r, context);
      value += (size_t)height * (size_t)width;
    }
    row += height;
  }
  return found;
}

typedef struct relaxation {
  double *kept, epsilon;
} relaxation;

static void largest(double *entry, int32_t row, void *context) {
  relaxation *x = (relaxation *)context;
  (void)row;
  if (fabs(*entry) > x->epsilon) x->epsilon = fabs(*entry);
}

static void add(double *entry, int32_t row, void *context) {
  relaxation *x = (relaxation *)context;
  x->kept[row] = *entry;
  *entry += x->epsilon;
}

static void restore(double *entry, int32_t row, void *context) {
  *entry = ((relaxation *)context)->kept[row];
}

double perp_least_squares_begin(perp_simulation *sim, int32_t i) {
  relaxation x = {sim->problem.kept, 0};
  if (sim->problem.kept == NULL || each_equality(sim, i, largest, &x) == 0) return 0;
  x.epsilon *= 1e-9;
  if (x.epsilon > 0) (void)each_equality(sim, i, add, &x);
  return x.epsilon;
}

void perp_least_squares_end(perp_simulation *sim, int32_t i) {
  relaxation x = {sim->problem.kept, 0};
  (void)each_equality(sim, i, restore, &x);
}
