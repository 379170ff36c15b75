/* SPDX-License-Identifier: MIT */
/* Steps per second of two scenes, compiled for this machine; bench.mjs does the same in node. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "scene.h"

double *scene_parameters(void);
perp_status scene_open(int32_t i, int32_t keep);
perp_status scene_run(int32_t steps);

static double seconds(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int measure(const char *name, int32_t which, const double *p, int32_t steps) {
  double best = HUGE_VAL;
  for (int32_t i = 0; i < SCENE_PARAMETERS; i++) scene_parameters()[i] = p[i];
  for (int32_t round = 0; round < 5; round++) {
    if (scene_open(which, 0) != PERP_OK) return 0;
    const double start = seconds();
    if (scene_run(steps) != PERP_OK) return 0;
    const double took = seconds() - start;
    if (took < best) best = took;
  }
  printf("%-10s %.3g steps/s\n", name, steps / best);
  return 1;
}

int main(void) {
  const double ball[] = {0.8, 0.5, 1e-4, 1, 0}, beads[] = {0.6, 0.5, 1e-3, 100, 0};
  return measure("ball", 0, ball, 200000) && measure("100 beads", 1, beads, 3000) ? 0 : 1;
}
