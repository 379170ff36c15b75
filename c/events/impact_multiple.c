/* SPDX-License-Identifier: MIT */
/* Impacts by the laws of Poisson and of Liu, Zhao and Brogliato, on the problem that
 * impact_problem.c has made. Equalities hold throughout such an impact: they are eliminated, W :=
 * W_cc − W_ce W_ee⁻¹ W_ec,   ẏ := ẏ_c − W_ce W_ee⁻¹ ẏ_e. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "events/engine.h"
#include "perp/poisson_impact.h"

/* What a call works on: m contacts, n_e equalities of one part. */
typedef struct parts {
  event_part part;
  int32_t m, n_e;
  int32_t *contact, *equality; /* their rows in the problem */
  double *W, *ydot, *e, *impulse, *stiffness;
  double *columns; /* n_e x (m + 1): W_ee⁻¹ of W_ec and of ẏ_e */
  void *work;
  size_t work_bytes;
} parts;

static void carve(arena *a, parts *x, size_t work_bytes) {
  const size_t m = (size_t)x->m, n_e = (size_t)x->n_e;
  x->contact = room_ints(a, m);
  x->equality = room_ints(a, n_e);
  double **const of_m[] = {&x->ydot, &x->e, &x->impulse, &x->stiffness, NULL};
  x->W = room_doubles(a, m * m);
  arena_take_doubles(a, m, of_m);
  x->columns = room_doubles(a, n_e * (m + 1));
  x->work = arena_take(a, work_bytes, 1);
  x->work_bytes = work_bytes;
}

static size_t work_for(const engine *e, int32_t m) {
  return e->options.impact == PERP_IMPACT_LZB
             ? perp_multiple_impact_workspace(m)
             : perp_poisson_impact_workspace(e->options.solver, m, e->options.solver_options);
}

/* Coefficient of restitution of an element: what its law adds per approaching velocity. */
static double coefficient(engine *e, const element *x) {
  const perp_law *law = x->law;
  const size_t size = (size_t)law->size;
  double *ydot = e->problem_bounds, *added = ydot + size;
  if (law->ops->restitute == NULL) return 0;
  for (size_t k = 0; k < size; k++) ydot[k] = -1, added[k] = 0;
  law->ops->restitute(law, NULL, ydot, added);
  return -added[x->row % law->size];
}

/* Eliminate the equalities. Answers 0, or -1 if they are not finite. */
static int reduce(engine *e, parts *x) {
  const int32_t m = x->m, n_e = x->n_e;
  perp_rank_whole(&e->R, n_e);
  for (int32_t c = 0; c < n_e; c++)
    for (int32_t r = 0; r < n_e; r++)
      e->R.A[r + n_e * c] = event_part_entry(&x->part, x->equality[r], x->equality[c]);
  if (n_e > 0 && perp_rank_factorise(&e->R, 1e-11) != 0) return -1;
  for (int32_t c = 0; c <= m && n_e > 0; c++) {
    double *column = x->columns + (size_t)n_e * (size_t)c;
    for (int32_t r = 0; r < n_e; r++)
      column[r] = c < m ? event_part_entry(&x->part, x->equality[r], x->contact[c])
                        : e->problem.q[x->equality[r]];
    perp_rank_solve(&e->R, column);
  }
  for (int32_t r = 0; r < m; r++) {
    for (int32_t c = 0; c <= m; c++) {
      double sum = c < m ? event_part_entry(&x->part, x->contact[r], x->contact[c])
                         : e->problem.q[x->contact[r]];
      for (int32_t k = 0; k < n_e; k++)
        sum -= event_part_entry(&x->part, x->contact[r], x->equality[k]) * x->columns[k + n_e * c];
      if (c < m)
        x->W[r + m * c] = sum;
      else
        x->ydot[r] = sum;
    }
  }
  for (int32_t r = 0; r < m; r++) /* symmetric to the last bit */
    for (int32_t c = 0; c < r; c++) x->W[r + m * c] = x->W[c + m * r];
  return 0;
}

/* Impulses of contacts and of equalities into the problem. */
static void hand_back(engine *e, const parts *x) {
  for (int32_t r = 0; r < x->m; r++) e->problem.lambda[x->contact[r]] = x->impulse[r];
  for (int32_t k = 0; k < x->n_e; k++) {
    double sum = x->columns[k + x->n_e * x->m];
    for (int32_t r = 0; r < x->m; r++) sum += x->columns[k + x->n_e * r] * x->impulse[r];
    e->problem.lambda[x->equality[k]] = -sum;
  }
}

static perp_status solve(engine *e, parts *x, perp_info *info) {
  if (e->options.impact == PERP_IMPACT_POISSON)
    return perp_poisson_impact(e->options.solver, x->m, x->W, x->ydot, x->e,
                               e->options.solver_options, x->impulse, NULL, x->work, x->work_bytes,
                               info);
  perp_multiple_impact_options o =
      e->options.lzb != NULL ? *e->options.lzb : perp_multiple_impact_options_default();
  if (o.stiffness != NULL) {
    for (int32_t r = 0; r < x->m; r++) {
      const element *at = &e->elements[e->problem.element[x->contact[r]]];
      x->stiffness[r] = o.stiffness[e->p.interactions[at->interaction].whole_row + (size_t)at->row];
    }
    o.stiffness = x->stiffness;
  }
  return perp_multiple_impact(x->m, x->W, x->ydot, x->e, &o, x->impulse, NULL, x->work,
                              x->work_bytes, info);
}

static perp_status solve_part(engine *e, event_part part, perp_info *info) {
  const event_problem *p = &e->problem;
  const int32_t end = part.first + part.n;
  parts x;
  memset(&x, 0, sizeof x);
  x.part = part;
  for (int32_t k = part.first; k < end; k++) {
    const element *at = &e->elements[p->element[k]];
    if (at->kind == ELEMENT_EQUALITY)
      x.n_e++;
    else if (at->kind == ELEMENT_CONTACT)
      x.m++;
  }
  arena room = arena_measure();
  const size_t work_bytes = work_for(e, x.m);
  carve(&room, &x, work_bytes);
  void *block = work_bytes > 0 ? room_for(&room) : NULL;
  if (block == NULL) return perp_engine_no_memory(e, info);
  carve(&room, &x, work_bytes);
  int32_t m = 0, n_e = 0;
  for (int32_t k = part.first; k < end; k++) {
    const element *at = &e->elements[p->element[k]];
    e->problem.q[k] = e->p.interactions[at->interaction].ydot[p->row[k]];
    if (at->kind == ELEMENT_EQUALITY) {
      x.equality[n_e++] = k;
    } else {
      x.e[m] = coefficient(e, at);
      x.contact[m++] = k;
    }
  }
  perp_status status = reduce(e, &x) == 0 ? solve(e, &x, info) : PERP_ENOTFINITE;
  if (status == PERP_OK)
    hand_back(e, &x);
  else
    status = perp_engine_fail(e, status, "the impact was not solved");
  free(block);
  return status;
}

perp_status perp_impact_multiple(engine *e, perp_info *info) {
  perp_status status = PERP_OK;
  double *M = e->problem.M;
  e->report.problems++;
  for (int32_t k = 0; k < e->problem.parts && status == PERP_OK; k++)
    status = solve_part(e, perp_event_problem_take(&e->problem, k, &M), info);
  return status;
}
