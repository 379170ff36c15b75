/* SPDX-License-Identifier: MIT */
#include "portfolio/portfolio.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"
#include "problem/allowance.h"
#include "solver/verified.h"

void perp_portfolio_open(portfolio *s, const perp_problem *problem,
                         const perp_auto_options *options, double *lambda, double *y) {
  perp_problem_shape_known(problem, &s->shape);
  s->problem = problem;
  s->options = options;
  s->tol = options->tol;
  s->lambda = lambda;
  s->y = y;
  s->iterations = s->hopeless = 0;
  s->best_score = INFINITY;
  s->best_status = PERP_MAX_ITER;
  s->best_name = NULL;
  s->name = "auto";
  s->watch.wait = s->watch.stopped = s->watch.seen = 0;
  s->lower = NULL;
  s->warm.data = NULL;
  s->estimate.scale = 0;
  s->has_ray = 0;
}

/* --- judging --------------------------------------------------------------------------------- */

/* By the residual of 0: that of a λ which ran away may overflow, and says nothing of M and q. */
static int data_are_finite(portfolio *s) {
  perp_residual at_zero;
  memset(s->ray, 0, (size_t)s->shape.n * sizeof *s->ray);
  s->has_ray = 0;
  perp_residual_compute(s->problem, s->ray, s->y, &at_zero, s->scratch);
  return is_finite(at_zero.residual);
}

/* With friction the merit is that of both tests, and else the relative residual. */
int perp_portfolio_judge(portfolio *s, perp_status status) {
  perp_residual *r = &s->residual;
  perp_residual_compute(s->problem, s->lambda, s->y, r, s->scratch);
  if (perp_residual_solved(r, s->tol)) return 1;
  const double score = s->lower == NULL ? residual_merit(r, s->tol) : r->relative;
  if (score < s->best_score || s->best_name == NULL) {
    s->best_score = score == score ? score : INFINITY;
    s->best_status = status == PERP_OK ? PERP_INACCURATE : status;
    s->best_name = s->name;
    memcpy(s->best, s->lambda, (size_t)s->shape.n * sizeof *s->best);
  }
  if (r->scale > s->estimate.scale) s->estimate.scale = r->scale;
  s->hopeless = !is_finite(r->residual) && !data_are_finite(s);
  return 0;
}

void perp_portfolio_best(portfolio *s) {
  if (s->best_name == NULL) return;
  memcpy(s->lambda, s->best, (size_t)s->shape.n * sizeof *s->lambda);
  s->name = s->best_name;
}

void perp_portfolio_multiply(portfolio *s) {
  memcpy(s->y, s->problem->q, (size_t)s->shape.n * sizeof *s->y);
  perp_matrix_multiply_add(&s->problem->M, s->lambda, s->y);
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
static int too_slow(portfolio *s, double merit) {
  friction_watch *w = &s->watch;
  if (w->seen == 1) w->begin = w->first = w->low = w->least = merit;
  if (!(merit >= w->low)) w->low = merit;
  if (!(merit >= w->least)) w->least = merit;
  w->beyond += w->least <= s->tol * w->unit;
  if (w->beyond > MOST_BEYOND && w->beyond > w->seen / 2) return 1; /* it does not see the end */
  if (w->seen < w->mark + w->wait) return 0;
  const double spent = w->seen * w->price, most = believed * spent;
  const double fall = rough_log2(w->first) - rough_log2(w->low);
  const double lately = promise(w, w->first, w->low, w->wait, s->tol);
  const double ever = promise(w, w->begin, w->least, w->seen, s->tol);
  w->left = lately < ever ? lately : ever;
  if (!(w->left < most)) w->left = most;
  w->mark = w->seen;
  w->wait *= 2;
  w->first = w->low;
  if (lately == 0) return 0;
  if (!(fall > LEAST_FALL) && w->least <= still * w->begin) return 1;
  const double other = perp_friction_rival(s);
  if (spent < patience * other || lately <= slower * other) return 0;
  return spent >= other || ever > slower * other;
}

/* Between a method and the caller: iterations are counted on. Who is called amid one hears of the
 * last that was done once more. */
static int32_t observe(const perp_iterate *iterate, void *user) {
  portfolio *s = user;
  friction_watch *w = &s->watch;
  const int again = iterate->iteration < w->seen;
  w->seen += !again;
  if (s->options->observe != NULL) {
    perp_iterate counted = *iterate;
    counted.iteration += s->iterations;
    if (s->options->observe(&counted, s->options->user) != 0) w->stopped = 2;
  }
  if (w->stopped == 0 && !again && w->wait > 0 && too_slow(s, iterate->merit)) w->stopped = 1;
  return w->stopped;
}

/* --- running a method ------------------------------------------------------------------------ */

size_t perp_portfolio_bytes(const perp_solver *solver, const perp_shape *shape, const void *options,
                            int friction) {
  const size_t times = friction ? 2 : 1, least = (size_t)64 << (20 + 2 * friction);
  const size_t n = (size_t)shape->n;
  const size_t bytes = perp_solver_shape_workspace(solver, shape, options);
  if (shape->nonzeros > SIZE_MAX / 512 - least || n > SIZE_MAX / 8192) return bytes;
  return bytes <= least + times * (1024 * n + 64 * shape->nonzeros) ? bytes : 0;
}

int32_t perp_portfolio_allowed(const portfolio *s, double iterations, double price, double left) {
  const int32_t rest = s->options->max_iter - s->iterations;
  double most = iterations;
  if (!(left > 0)) return 0;
  if (most * price > left) most = left / price;
  if (s->options->max_iter > 0 && most > rest) most = rest;
  return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

void perp_portfolio_limit(portfolio *s, int32_t most, perp_solver_options *o) {
  if (o->max_iter == 0 || o->max_iter > most) o->max_iter = most;
  if (o->budget == 0) o->budget = 0.5 * s->left;
  o->tol = s->tol;
  o->user = s;
  o->observe = s->options->observe != NULL || s->watch.wait > 0 ? observe : NULL;
}

perp_solver_options perp_portfolio_limits(portfolio *s) {
  const int32_t most = perp_portfolio_allowed(s, INT32_MAX, 0, s->left);
  perp_solver_options o = {.struct_size = (uint32_t)sizeof o};
  perp_portfolio_limit(s, most > 0 ? most : 1, &o);
  return o;
}

perp_status perp_portfolio_run(portfolio *s, const perp_solver *solver, void *options, double price,
                               perp_info *said) {
  double spent;
  said->ray = s->ray;
  said->ray_size = s->shape.n;
  s->name = solver->name;
  s->watch.price = price;
  s->watch.seen = s->watch.mark = s->watch.beyond = s->watch.stopped = 0;
  s->watch.left = INFINITY;
  const perp_status status = perp_solver_apply(solver, s->problem, options, s->lambda, s->y,
                                               s->warm.data == NULL ? NULL : &s->warm, s->room,
                                               s->room_bytes, &spent, said);
  s->iterations += said->iterations;
  s->left -= spent;
  return status;
}
