/* SPDX-License-Identifier: MIT */
/* The mode of order 1: the laws' own complementarity problem for an implicit step of length δ,
 *   y = y(t, x) + δ (H ẇ + γ) + δ² H A ẇ + (D + δ H G + δ² H A G) λ,   H, ẇ, γ at t + δ,
 * small against the motion and large against what the state misses its equations by, so that
 * its solution is that of every small δ: the mode after t. Where λ grows like 1/δ instead of
 * staying, δ λ is an impulse and x jumps.
 * Source: Heemels, Schumacher and Weiland, SIAM J. Appl. Math. 60 (2000) 1234-1269 (rational
 * complementarity); Camlibel, Heemels and Schumacher, Syst. Control Lett. 46 (2002). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "events/engine.h"

enum { MAX_JUMPS = 30, MAX_LINEARISATIONS = 30 };

/* Length of the step. */
static double resolution(engine *e) {
  const double size = largest_of(e->p.n_x, e->p.w + e->p.n_v);
  const double speed = largest_of(e->p.n_x, e->p.free + e->p.n_v);
  const double own = speed > 0 ? 1e-7 * fmax(size, 1e-3) / speed : 1e-7;
  const double step = e->last_h > 0 ? 1e-7 * e->last_h : own;
  return fmax(fmin(step, own), 1e4 * DBL_EPSILON * fabs(e->t));
}

/* Gather the rows of order 1 into one problem. */
static perp_status collect(engine *e) {
  const perp_status status = perp_event_problem_begin(&e->problem, e->n_elements);
  if (status != PERP_OK) return status;
  perp_event_problem_part(&e->problem);
  for (int32_t k = 0; k < e->n_elements; k++) {
    const element *x = &e->elements[k];
    if (x->kind == ELEMENT_OUTPUT)
      perp_event_problem_add_box(&e->problem, k, x->row, x->lower, x->upper);
  }
  perp_event_problem_end(&e->problem);
  return PERP_OK;
}

/* Everything at (t + δ, x) with λ as it is, and free rates without the part B λ. */
static int32_t evaluate(engine *e, double delta) {
  int32_t code = perp_plant_at(&e->p, e->t + delta, e->Y);
  if (code == 0) code = perp_first_order_lambda(e, PLANT_VALUES | PLANT_GAIN | PLANT_BIAS);
  memcpy(e->dw3, e->p.free, e->p.n_w * sizeof *e->dw3);
  return code == 0 ? perp_first_order_free(e, 1, e->dw3) : code;
}

/* What the outputs that have come to 0 miss it by, with λ as it was before: by row. */
static double *missed(const engine *e) { return e->scale + 2 * e->n_elements; }

static int32_t find_missed(engine *e) {
  int32_t row = 0, code = evaluate(e, 0);
  for (int32_t k = 0; k < e->n_elements; k++) {
    const element *x = &e->elements[k];
    if (x->kind != ELEMENT_OUTPUT) continue;
    const double y = e->p.interactions[x->interaction].y[x->row];
    missed(e)[row++] = fabs(y) <= e->options.contact_tol || perp_element_has_fired(e, k) ? y : 0;
  }
  return code;
}

/* The problem of a step of length δ. */
static int32_t assemble(engine *e, double delta) {
  event_problem *p = &e->problem;
  const int32_t n = p->n;
  int32_t code = evaluate(e, 0);
  for (int32_t k = 0; k < n && code == 0; k++) {
    const plant_interaction *at = problem_home(e, k);
    const int32_t row = p->row[k];
    double y = at->y[row] - missed(e)[k];
    for (int32_t c = 0; c < at->m; c++) y -= at->D[row + at->m * c] * at->lambda[c];
    p->q[k] = fabs(y) <= e->options.contact_tol ? 0 : y;
  }
  if (code == 0) code = evaluate(e, delta);
  if (code == 0) code = perp_plant_apply_A(&e->p, e->dw3, e->dw2);
  for (int32_t k = 0; k < n && code == 0; k++) {
    const plant_interaction *at = problem_home(e, k);
    const int32_t row = p->row[k];
    p->q[k] += delta * (perp_plant_row(at, row, e->dw3) + at->gamma[row]) +
               delta * delta * perp_plant_row(at, row, e->dw2);
  }
  for (int32_t c = 0; c < n && code == 0; c++) {
    memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
    perp_plant_add_gain(problem_home(e, c), p->row[c], 1, e->dw);
    code = perp_plant_apply_A(&e->p, e->dw, e->dw2);
    for (int32_t r = 0; r < n && code == 0; r++) {
      const plant_interaction *at = problem_home(e, r);
      p->M[(size_t)r + (size_t)c * (size_t)n] =
          (at == problem_home(e, c) ? at->D[p->row[r] + at->m * p->row[c]] : 0) +
          delta * perp_plant_row(at, p->row[r], e->dw) +
          delta * delta * perp_plant_row(at, p->row[r], e->dw2);
    }
  }
  memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
  return code;
}

/* Scale rows and unknowns alike, so that the diagonal is near 1 whatever the degree of a row; scale
 * (n) is what λ' is multiplied by. */
static void equilibrate(event_problem *p, double *scale) {
  const size_t n = (size_t)p->n;
  for (size_t k = 0; k < n; k++) {
    double size = fabs(p->M[k + k * n]), largest = 0;
    for (size_t c = 0; c < n; c++)
      largest = fmax(largest, fmax(fabs(p->M[k + c * n]), fabs(p->M[c + k * n])));
    if (size < 1e-6 * largest) size = largest;
    scale[k] = size > 0 ? 1 / sqrt(size) : 1;
  }
  for (size_t k = 0; k < n; k++) {
    p->q[k] *= scale[k];
    p->lower[k] /= scale[k];
    p->upper[k] /= scale[k];
    for (size_t c = 0; c < n; c++) p->M[k + c * n] *= scale[k] * scale[c];
  }
}

/* Where rows are still of very different size, which a residual of the whole would not see, scale
 * them by themselves: y times a positive number keeps its law. */
static void balance_rows(event_problem *p) {
  const size_t n = (size_t)p->n;
  double least = INFINITY, most = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t k = 0; k < n; k++) {
      double size = fabs(p->q[k]);
      for (size_t c = 0; c < n; c++) size = fmax(size, fabs(p->M[k + c * n]));
      if (size > 0) least = fmin(least, size), most = fmax(most, size);
      for (size_t c = 0; pass == 1 && size > 0 && c < n; c++) p->M[k + c * n] /= size;
      if (pass == 1 && size > 0) p->q[k] /= size;
    }
    if (!(most > 1e3 * least)) return;
  }
}

static perp_status solve_step(engine *e, double delta, double *scale, perp_info *info) {
  perp_status status = collect(e);
  if (status != PERP_OK) return perp_engine_no_memory(e, info);
  if (assemble(e, delta) != 0) return perp_engine_plant_fail(e, info);
  equilibrate(&e->problem, scale);
  balance_rows(&e->problem);
  e->report.problems++;
  status =
      perp_event_problem_solve(&e->problem, e->options.solver, e->options.solver_options, info);
  if (status == PERP_OK) return PERP_OK;
  perp_engine_unsolved(e, status, "mode", info);
  return perp_engine_fail(e, status, "the problem of the mode of first order was not solved");
}

/* Whether λ grows as δ shrinks by the factor from that of before: an impulse, which moves x. Its
 * limit from two δ, since δ λ is a power series in δ. -1 where λ grows like 1/δ²: y itself would
 * have to jump where only its rate can. */
static int jump(engine *e, const double *before, const double *scale, double delta, double factor) {
  const event_problem *p = &e->problem;
  const double size = largest_of((size_t)p->n, before);
  const double largest_x = largest_of(e->p.n_x, e->p.w + e->p.n_v);
  const double rounding = 16 * DBL_EPSILON * fmax(e->options.contact_tol, largest_x);
  int any = 0;
  for (int32_t k = 0; k < p->n; k++) {
    const double now = p->lambda[k] * scale[k];
    if (!(fabs(now) > 0.5 * factor * fabs(before[k]) && fabs(now) > 1e-3 * factor * size)) continue;
    if (fabs(now) > 0.5 * factor * factor * fabs(before[k]) && before[k] != 0) return -1;
    const plant_interaction *at = problem_home(e, k);
    const double fine = delta * now, coarse = factor * delta * before[k];
    const double impulse = fine + (fine - coarse) / (factor - 1);
    const double *G = at->G + (size_t)p->row[k] * (size_t)at->n;
    double moved = 0;
    for (int32_t j = 0; j < at->n; j++) moved = fmax(moved, fabs(impulse * G[j]));
    if (moved <= rounding) continue;
    any = 1;
    perp_plant_add_gain(at, p->row[k], impulse, e->Y + e->p.n_q);
    e->impulse[at->row0 + (size_t)p->row[k]] += impulse;
  }
  return any;
}

static void classify(engine *e, const double *scale) {
  const event_problem *p = &e->problem;
  for (int32_t k = 0; k < p->n; k++) {
    element *x = &e->elements[p->element[k]];
    const double lambda = p->lambda[k], y = p->y[k];
    const double l = x->lower / scale[k], u = x->upper / scale[k];
    x->state = PERP_CONTACT_BETWEEN;
    if (isinf(l) && isinf(u)) continue;
    if (lambda - l <= fmax(y, 0)) x->state = PERP_CONTACT_LOWER;
    if (u - lambda <= fmax(-y, 0)) x->state = PERP_CONTACT_UPPER;
  }
}

/* λ as found: where held rows start. Returns whether it has changed by no more than its problem
 * is exact: differences of second order in δ. */
static int keep_lambda(engine *e, const double *scale) {
  const event_problem *p = &e->problem;
  double change = 0, size = 0;
  for (int32_t k = 0; k < p->n; k++) {
    double *kept = &e->lambda[problem_home(e, k)->row0 + (size_t)p->row[k]];
    const double lambda = p->lambda[k] * scale[k];
    change = fmax(change, fabs(lambda - *kept));
    size = fmax(size, fabs(lambda));
    *kept = lambda;
  }
  (void)perp_first_order_lambda(e, 0);
  return change <= 1e-6 * size + 1e-9 * fmax(e->force_scale, 1);
}

perp_status perp_first_order_select(engine *e, int *jumped, perp_info *info) {
  const double factor = 16;
  if (e->p.n_x == 0 || e->n_outputs == 0) return PERP_OK;
  if (perp_plant_at(&e->p, e->t, e->Y) != 0) return perp_engine_plant_fail(e, info);
  for (int32_t i = 0; i < e->p.n_interactions; i++) {
    const plant_interaction *at = &e->p.interactions[i];
    if (at->order == 1) memcpy(e->lambda + at->row0, at->lambda, (size_t)at->m * sizeof *e->lambda);
  }
  double *scale = e->scale, *before = e->scale + e->n_elements;
  if (find_missed(e) != 0) return perp_engine_plant_fail(e, info);
  for (int32_t round = 0;; round++) {
    const double delta = resolution(e);
    perp_status status = solve_step(e, delta, scale, info);
    if (status != PERP_OK) return status;
    for (int32_t k = 0; k < e->problem.n; k++) before[k] = e->problem.lambda[k] * scale[k];
    status = solve_step(e, delta / factor, scale, info);
    if (status != PERP_OK) return status;
    const int jumps = jump(e, before, scale, delta / factor, factor);
    if (jumps < 0)
      return perp_engine_fail(e, fail(info, PERP_INFEASIBLE, "x", -1, e->t),
                              "an output of relative degree 2 is not in its bounds");
    if (!jumps) break;
    *jumped = 1;
    if (round == MAX_JUMPS)
      return perp_engine_fail(e, fail(info, PERP_MAX_ITER, "jumps", -1, e->t),
                              "x does not come to where outputs are in their bounds");
    for (int32_t k = 0; k < e->problem.n; k++) missed(e)[k] = 0;
    if (perp_plant_at(&e->p, e->t, e->Y) != 0) return perp_engine_plant_fail(e, info);
  }
  for (int32_t pass = 0;; pass++) {
    const perp_status status = solve_step(e, resolution(e), scale, info);
    if (status != PERP_OK) return status;
    if (keep_lambda(e, scale) || perp_first_order_is_linear(e)) break;
    if (pass == MAX_LINEARISATIONS)
      return perp_engine_fail(e, fail(info, PERP_MAX_ITER, "lambda", -1, e->t),
                              "λ of the next mode was not found");
  }
  classify(e, scale);
  if (perp_plant_at(&e->p, e->t, e->Y) != 0) return perp_engine_plant_fail(e, info);
  return perp_first_order_hold(e, info);
}
