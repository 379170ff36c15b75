/* SPDX-License-Identifier: MIT */
/* Shape of the one-step problem y = M lambda + q, (y, lambda) in law: its check, and what solvers
 * read of its laws. */
#include "perp/problem.h"

#include <math.h>

#include "base/finite.h"
#include "base/info.h"
#include "problem/bounds.h"

/* The unknowns of block b begin at begin (known) and end at the answer; -1: not a whole number of
 * copies, or beyond n. */
static int64_t block_end(const perp_problem *p, int32_t b, int64_t begin) {
  int32_t size = p->laws[b]->size;
  int64_t end = p->offset == NULL ? begin + size : p->offset[b + 1];
  return end >= begin && end <= p->n && (end - begin) % size == 0 ? end : -1;
}

/* A law with a state needs one for every copy. */
static int lacks_state(const perp_problem *p, int32_t b) {
  const perp_law *law = p->laws[b];
  if (law->ops->state_bytes == NULL || law->ops->state_bytes(law) == 0) return 0;
  return p->states == NULL || p->states[b] == NULL;
}

static perp_status check_laws(const perp_problem *p, perp_info *info) {
  int64_t end = 0;
  if (p->n_blocks > 0 && p->laws == NULL) return fail_field(info, "laws", -1);
  if (p->offset != NULL && p->offset[0] != 0)
    return fail(info, PERP_EINVAL, "offset", 0, p->offset[0]);
  for (int32_t b = 0; b < p->n_blocks; b++) {
    if (p->laws[b] == NULL) return fail_field(info, "laws", b);
    if (b == 0 || p->laws[b] != p->laws[b - 1]) {
      perp_status status = perp_law_check(p->laws[b], info);
      if (status != PERP_OK) return status;
    }
    end = block_end(p, b, end);
    if (end < 0) return fail_field(info, p->offset == NULL ? "n" : "offset", b);
    if (lacks_state(p, b)) return fail_field(info, "states", b);
  }
  return end == p->n ? PERP_OK : fail(info, PERP_EINVAL, "n", -1, p->n);
}

/* Finite and >= 0, or > 0 if strict. */
static perp_status check_tolerances(const char *name, const double *x, int32_t n, int strict,
                                    perp_info *info) {
  for (int32_t i = 0; x != NULL && i < n; i++) {
    if (!is_finite(x[i])) return fail(info, PERP_ENOTFINITE, name, i, x[i]);
    if (x[i] < 0 || (strict && x[i] == 0)) return fail(info, PERP_EINVAL, name, i, x[i]);
  }
  return PERP_OK;
}

perp_status perp_problem_check(const perp_problem *problem, perp_info *info) {
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  if (!perp_options_known(problem, sizeof *problem, PERP_THROUGH(perp_problem, floor)))
    return fail(info, PERP_EINVAL, "struct_size", -1, problem->struct_size);
  if (problem->reserved != 0) return fail(info, PERP_EINVAL, "reserved", -1, problem->reserved);
  if (problem->n < 0) return fail(info, PERP_EINVAL, "n", -1, problem->n);
  if (problem->n_blocks < 0) return fail(info, PERP_EINVAL, "n_blocks", -1, problem->n_blocks);
  perp_status status = perp_matrix_check(&problem->M, info);
  if (status != PERP_OK) return status;
  if (problem->M.rows != problem->n) return fail(info, PERP_EINVAL, "M", -1, problem->M.rows);
  if (problem->M.cols != problem->n) return fail(info, PERP_EINVAL, "M", -1, problem->M.cols);
  if (problem->n > 0 && problem->q == NULL) return fail_field(info, "q", -1);
  status = check_tolerances("weight", problem->weight, problem->n, 1, info);
  if (status == PERP_OK) status = check_tolerances("floor", problem->floor, problem->n, 0, info);
  return status == PERP_OK ? check_laws(problem, info) : status;
}

uint32_t perp_problem_sets(const perp_problem *problem) {
  uint32_t sets = 0;
  for (int32_t b = 0; b < problem->n_blocks; b++) sets |= 1u << problem->laws[b]->ops->set;
  return sets;
}

size_t perp_problem_projection_doubles(const perp_problem *problem) {
  size_t most = 0;
  for (int32_t b = 0; b < problem->n_blocks; b++) {
    const size_t doubles = law_projection_doubles(problem->laws[b]);
    if (doubles > most) most = doubles;
  }
  return most;
}

void perp_problem_bounds(const perp_problem *problem, double *lower, double *upper) {
  int32_t end = 0;
  for (int32_t b = 0; b < problem->n_blocks; b++) {
    const perp_law *law = problem->laws[b];
    int32_t begin = end, set = law->ops->set;
    end = problem->offset == NULL ? begin + law->size : problem->offset[b + 1];
    if (set == PERP_SET_BOX) {
      for (int32_t i = begin; i < end; i += law->size) law->ops->bounds(law, lower + i, upper + i);
      continue;
    }
    for (int32_t i = begin; i < end; i++) {
      lower[i] = set == PERP_SET_ORTHANT ? 0.0 : -(double)INFINITY;
      upper[i] = (double)INFINITY;
    }
  }
}
