/* SPDX-License-Identifier: MIT */
#include "portfolio/friction_run.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "portfolio/friction.h"
#include "problem/allowance.h"
#include "problem/certificate.h"
#include "solver/run.h"

/* --- judging --------------------------------------------------------------------------------- */

int perp_friction_judge(friction_run *run, perp_status status) {
  perp_residual *r = &run->residual;
  perp_residual_compute(run->problem, run->lambda, run->y, r, run->scratch);
  if (perp_residual_solved(r, run->tol)) return 1;
  if (r->scale > run->estimate.scale) run->estimate.scale = r->scale;
  const double score = residual_merit(r, run->tol);
  if (score < run->best_score || run->best_name == NULL) {
    run->best_score = score == score ? score : INFINITY;
    run->best_status = status == PERP_OK ? PERP_INACCURATE : status;
    run->best_name = run->name;
    memcpy(run->best, run->lambda, (size_t)run->shape.n * sizeof *run->best);
  }
  run->hopeless = !is_finite(r->residual) && all_finite((size_t)run->shape.n, run->lambda);
  return 0;
}

void perp_friction_best(friction_run *run) {
  if (run->best_name == NULL) return;
  memcpy(run->lambda, run->best, (size_t)run->shape.n * sizeof *run->lambda);
  run->name = run->best_name;
}

/* --- no solution ----------------------------------------------------------------------------- */

/* A law of a user's own may have y_n < 0. */
static int known_laws(const friction_run *run) {
  return (run->shape.sets >> PERP_SET_POLYHEDRON) == 0;
}

int perp_friction_infeasible(friction_run *run) {
  const perp_problem *p = run->problem;
  for (int attempt = run->has_ray != 0 ? 0 : 1; attempt < 2 && known_laws(run); attempt++) {
    if (attempt == 1) memcpy(run->ray, run->lambda, (size_t)p->n * sizeof *run->ray);
    perp_certificate_project(p, run->ray, run->scratch);
    run->bound = perp_certificate_proves(p, run->ray, run->scratch);
    run->has_ray = run->bound > 0;
    if (run->has_ray) return 1;
  }
  return 0;
}

/* --- watching -------------------------------------------------------------------------------- */

/* log2 x to a few percent, with the same bits everywhere. */
static double rough_log2(double x) {
  const uint64_t bits = bits_of(x);
  const double exponent = (double)(int64_t)(bits >> 52 & 2047) - 1023;
  return exponent + (double)(bits & UINT64_C(0xfffffffffffff)) / 4503599627370496.0;
}

/* A method is given up where it promises so many times the work of its rival, by the last window
 * and on the whole, after this part of that work; or by the last window alone, after all of it. */
static const double slower = 1.5, patience = 0.3;

/* What is promised is believed up to so many times what has been done: rates change. */
static const double believed = 8;

/* What the rival needs. */
static double rival_work(friction_run *run) {
  const double *left = run->left;
  if (run->watch.rival == RIVAL_NONE) return INFINITY;
  perp_friction_weigh_factors(run);
  if (run->watch.rival < RIVAL_BEST) return left[run->watch.rival];
  return left[RIVAL_ADMM] < left[RIVAL_SWEEPS] ? left[RIVAL_ADMM] : left[RIVAL_SWEEPS];
}

/* As long as it may look as if a method had come to the end. */
enum { MOST_BEYOND = 40 };

/* What hardly falls in a window (in powers of two) after so much of a fall is at its end, and to be
 * judged. */
#define LEAST_FALL 0.2
static const double still = 1e-5;

/* The work that is left where a merit has fallen from one number to another in some iterations. */
static double promise(const friction_watch *w, double from, double to, int32_t steps, double tol) {
  const double fall = rough_log2(from) - rough_log2(to);
  const double miss = rough_log2(to) - rough_log2(tol * w->unit);
  if (!(miss > 0)) return 0;
  return fall > 0 ? miss / fall * steps * w->price : INFINITY;
}

/* Whether another method would be there first. From mark to mark it takes twice as long, so that in
 * the end the rate is that of many iterations. */
static int too_slow(friction_run *run, double merit) {
  friction_watch *w = &run->watch;
  if (w->seen == 1) w->begin = w->first = w->low = w->least = merit;
  if (!(merit >= w->low)) w->low = merit;
  if (!(merit >= w->least)) w->least = merit;
  w->beyond += w->least <= run->tol * w->unit;
  if (w->beyond > MOST_BEYOND && w->beyond > w->seen / 2) return 1; /* it does not see the end */
  if (w->seen < w->mark + w->wait) return 0;
  const double spent = w->seen * w->price, most = believed * spent;
  const double fall = rough_log2(w->first) - rough_log2(w->low);
  const double lately = promise(w, w->first, w->low, w->wait, run->tol);
  const double ever = promise(w, w->begin, w->least, w->seen, run->tol);
  w->left = lately < ever ? lately : ever;
  if (!(w->left < most)) w->left = most;
  w->mark = w->seen;
  w->wait *= 2;
  w->first = w->low;
  if (lately == 0) return 0;
  if (!(fall > LEAST_FALL) && w->least <= still * w->begin) return 1;
  const double other = rival_work(run);
  if (spent < patience * other || lately <= slower * other) return 0;
  return spent >= other || ever > slower * other;
}

/* Between a method and the caller: iterations are counted on. */
static int32_t observe(const perp_iterate *iterate, void *user) {
  friction_run *run = user;
  friction_watch *w = &run->watch;
  w->seen++;
  if (run->options->observe != NULL) {
    perp_iterate counted = *iterate;
    counted.iteration += run->iterations;
    if (run->options->observe(&counted, run->options->user) != 0) w->stopped = 2;
  }
  if (w->stopped == 0 && w->wait > 0 && too_slow(run, iterate->merit)) w->stopped = 1;
  return w->stopped;
}

/* --- running a method ------------------------------------------------------------------------ */

/* A dense copy where that is small, and some copies of M in any case. */
static size_t most_bytes(const perp_shape *shape) {
  const size_t least = (size_t)256 << 20, n = (size_t)shape->n;
  if (shape->nonzeros > SIZE_MAX / 512 - least || n > SIZE_MAX / 8192) return SIZE_MAX;
  return least + 2048 * n + 128 * shape->nonzeros;
}

size_t perp_friction_method_bytes(const perp_solver *solver, const perp_shape *shape,
                                  const void *options) {
  if ((shape->sets & ~solver->sets) != 0) return 0;
  if (perp_friction_small(shape)) return perp_friction_small_bytes((size_t)shape->n);
  const size_t bytes = perp_solver_shape_workspace(solver, shape, options);
  return bytes <= most_bytes(shape) ? bytes : 0;
}

/* Iterations that the work allows, 0: none worth the name. */
static int32_t allowed(const friction_run *run, double price, double share) {
  const int32_t least = 5, left = run->options->max_iter - run->iterations;
  double most = share * run->work / price;
  if (most < least) return 0;
  if (run->options->max_iter > 0 && most > left) most = left;
  return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

perp_status perp_friction_try(friction_run *run, const perp_solver *solver, void *options,
                              double price, double share) {
  perp_solver_options *o = options;
  perp_info said = PERP_INFO_INIT;
  o->max_iter = allowed(run, price, share);
  if (o->max_iter == 0) return run->best_name == NULL ? FRICTION_PASSED : PERP_MAX_ITER;
  o->tol = run->tol;
  o->budget = run->work;
  const size_t need = perp_friction_method_bytes(solver, &run->shape, options);
  if (need == 0 || need > run->room_bytes) return FRICTION_PASSED;
  o->observe = observe;
  o->user = run;
  said.ray = run->ray;
  said.ray_size = run->shape.n;
  run->name = solver->name;
  run->watch.price = price;
  run->watch.seen = run->watch.mark = run->watch.beyond = run->watch.stopped = 0;
  run->watch.left = INFINITY;
  perp_status status = perp_solver_apply(solver, run->problem, o, run->lambda, run->y, NULL,
                                         run->room, run->room_bytes, &said);
  run->iterations += said.iterations;
  run->work -= (said.iterations + 1) * price;
  if (run->watch.rival < RIVAL_BEST) run->left[1 - run->watch.rival] = run->watch.left;
  run->bound = said.bound;
  run->has_ray = said.ray_kind == PERP_RAY_CERTIFICATE ? 1
                 : said.ray_kind == PERP_RAY_NONE      ? 0
                                                       : -1;
  if (status < 0) return FRICTION_PASSED;
  if (status == PERP_STOPPED && run->watch.stopped == 1) status = PERP_MAX_ITER;
  if (run->has_ray == 1) return PERP_INFEASIBLE;
  if (status == PERP_OK && run->trusting) return PERP_OK;
  const int solved = perp_friction_judge(run, status);
  if (run->watch.stopped == 2) return PERP_STOPPED;
  if (solved) return PERP_OK;
  return status == PERP_OK ? PERP_INACCURATE : status;
}
