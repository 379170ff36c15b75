/* SPDX-License-Identifier: MIT */
#include "events/event_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events/room.h"

perp_status perp_event_problem_open(event_problem *p) {
  memset(p, 0, sizeof *p);
  perp_status status = perp_equality_init(&p->equality, sizeof p->equality);
  if (status == PERP_OK)
    status = perp_complementarity_init(&p->complementarity, sizeof p->complementarity);
  return status;
}

void perp_event_problem_close(event_problem *p) {
  free(p->M);
  free(p->work);
  memset(p, 0, sizeof *p);
}

static void carve(arena *a, event_problem *p, size_t n) {
  double **const of_n[] = {&p->q, &p->lambda, &p->y, &p->diagonal, &p->lower, &p->upper, NULL};
  p->M = room_doubles(a, n * n);
  arena_take_doubles(a, n, of_n);
  p->direction = room_doubles(a, 2 * n);
  p->box = (perp_box *)arena_take(a, n, sizeof(perp_box));
  p->laws = (const perp_law **)arena_take(a, n, sizeof(perp_law *));
  p->element = room_ints(a, n);
  p->row = room_ints(a, n);
  p->offset = room_ints(a, 2 * n);
  p->part = room_ints(a, n + 1);
  p->block = room_ints(a, n + 1);
}

perp_status perp_event_problem_begin(event_problem *p, int32_t n) {
  p->n = p->n_blocks = p->parts = 0;
  if (n <= p->room && p->M != NULL) return PERP_OK;
  const size_t room = (size_t)n + 1; /* at least one, so that every array is there */
  event_problem fresh = *p;
  arena a = arena_measure();
  carve(&a, &fresh, room);
  /* M is the first piece, and calloc aligns: freeing M frees it all */
  if (room_for(&a) == NULL) return PERP_EBACKEND;
  carve(&a, &fresh, room);
  free(p->M);
  fresh.room = n;
  *p = fresh;
  return PERP_OK;
}

void perp_event_problem_end(event_problem *p) {
  p->part[p->parts] = p->n;
  p->block[p->parts] = p->n_blocks;
  if (p->parts > 0) p->offset[p->n_blocks + p->parts - 1] = p->n - p->part[p->parts - 1];
}

void perp_event_problem_part(event_problem *p) {
  perp_event_problem_end(p);
  p->parts++;
}

event_part perp_event_problem_take(const event_problem *p, int32_t k, double **M) {
  const event_part x = {p->part[k], p->part[k + 1] - p->part[k], *M};
  *M += (size_t)x.n * (size_t)x.n;
  return x;
}

void perp_event_problem_add(event_problem *p, int32_t element, int32_t row, int32_t rows,
                            const perp_law *law) {
  p->laws[p->n_blocks] = law;
  p->offset[p->n_blocks++ + p->parts - 1] = p->n - p->part[p->parts - 1];
  for (int32_t k = 0; k < rows; k++) {
    p->element[p->n] = element;
    p->row[p->n] = row + k;
    p->direction[2 * p->n] = p->direction[2 * p->n + 1] = 0;
    p->lambda[p->n] = 0;
    p->n++;
  }
}

void perp_event_problem_add_box(event_problem *p, int32_t element, int32_t row, double lower,
                                double upper) {
  const int32_t n = p->n;
  if (isinf(lower) && isinf(upper)) {
    perp_event_problem_add(p, element, row, 1, &p->equality.law);
    return;
  }
  p->lower[n] = lower, p->upper[n] = upper;
  (void)perp_box_init(&p->box[n], sizeof p->box[n]);
  p->box[n].lower = &p->lower[n];
  p->box[n].upper = &p->upper[n];
  perp_event_problem_add(p, element, row, 1, &p->box[n].law);
}

static perp_status solve_part(event_problem *p, int32_t k, const event_part *x,
                              const perp_solver *solver, const void *options, perp_info *info) {
  const int32_t block = p->block[k];
  const perp_problem problem =
      perp_problem_of(perp_dense(x->n, x->n, x->M), p->q + x->first, p->block[k + 1] - block,
                      p->laws + block, p->offset + block + k);
  const size_t bytes = perp_solver_workspace(solver, &problem, options);
  if (bytes == 0) return fail_solver(info, solver->name, "solver", PERP_OF_ENTRY, -1, x->n);
  if (bytes > p->work_bytes) {
    void *work = realloc(p->work, bytes);
    if (work == NULL) return fail(info, PERP_EBACKEND, "memory", -1, (double)bytes);
    p->work = work;
    p->work_bytes = bytes;
  }
  return perp_solver_solve(solver, &problem, options, p->lambda + x->first, p->y + x->first, NULL,
                           p->work, p->work_bytes, info);
}

perp_status perp_event_problem_solve(event_problem *p, const perp_solver *solver,
                                     const void *options, perp_info *info) {
  perp_status status = PERP_OK;
  double *M = p->M;
  for (p->solved = 0; p->solved < p->parts; p->solved++) {
    const event_part x = perp_event_problem_take(p, p->solved, &M);
    status = solve_part(p, p->solved, &x, solver, options, info);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}
