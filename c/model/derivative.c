/* SPDX-License-Identifier: MIT */
/* An entry of a Jacobian against  e = (4 D(δ) − D(2δ))/3,  D(δ) = (f(x + δ) − f(x − δ))/2δ,
 * δ = 2^-12 max(|x_j|, typical_j):  wrong if not
 *   |given − e| <= tol max(|given|, |e|) + |D(δ) − D(2δ)|/8 + 2^-38 (max|f|/size + max|J|),
 * what is asked, what the differences leave open, and their rounding. */
#include "model/derivative.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "model/curve.h"

/* Positions of one system at q ⊕ d, n and its size in d. */
static void move_system(const perp_system *system, const double *q, const double *d, double *out) {
  if (system->ops->move != NULL) {
    system->ops->move(system, q, d, out);
    return;
  }
  for (int32_t i = 0; i < system->n; i++) out[i] = q[i] + d[i];
}

/* The site moved by step along its velocities. */
static derivative_point moved_along(const derivative_site *site, const derivative_memory *mem,
                                    double step) {
  const derivative_point at = {site->t + step, mem->q, site->v, site->lambda};
  int32_t q0 = 0, v0 = 0;
  for (int32_t s = 0; s < site->n_systems; s++) {
    const perp_system *system = site->model->systems[site->systems[s]];
    for (int32_t i = 0; i < system->n; i++) mem->d[i] = step * site->v[v0 + i];
    move_system(system, site->q + q0, mem->d, mem->q + q0);
    q0 += system->n + system->ops->extra_q;
    v0 += system->n;
  }
  return at;
}

/* The site moved by step along direction j. */
static derivative_point moved(const derivative_task *task, const derivative_site *site,
                              const derivative_memory *mem, int32_t j, double step) {
  derivative_point at = {site->t, site->q, site->v, site->lambda};
  if (task->by == DERIVATIVE_BY_MOTION) return moved_along(site, mem, step);
  if (task->by == DERIVATIVE_BY_TIME) {
    at.t += step;
  } else if (task->by == DERIVATIVE_BY_LAMBDA) {
    memcpy(mem->lambda, site->lambda, (size_t)site->m * sizeof(double));
    mem->lambda[j] += step;
    at.lambda = mem->lambda;
  } else if (task->by == DERIVATIVE_BY_V) {
    memcpy(mem->v, site->v, (size_t)site->n * sizeof(double));
    mem->v[j] += step;
    at.v = mem->v;
  } else {
    memcpy(mem->q, site->q, (size_t)site->n_q * sizeof(double));
    int32_t q0 = 0;
    for (int32_t s = 0; s < site->n_systems; s++) {
      const perp_system *system = site->model->systems[site->systems[s]];
      if (j < system->n) {
        memset(mem->d, 0, (size_t)system->n * sizeof(double));
        mem->d[j] = step;
        move_system(system, site->q + q0, mem->d, mem->q + q0);
        break;
      }
      j -= system->n;
      q0 += system->n + system->ops->extra_q;
    }
    at.q = mem->q;
  }
  return at;
}

/* Time in which the site moves by its own size, or by typical, at most 1. */
static double time_of(const derivative_task *task, const derivative_site *site) {
  const double *q = site->n_q == site->n ? site->q : NULL;
  return perp_curve_scale(site->n, q, site->v, task->typical, 1);
}

/* Size of unknown j. Positions of bodies are not numbered as increments are: 1 or typical. */
static double size_of(const derivative_task *task, const derivative_site *site, int32_t j) {
  if (task->by == DERIVATIVE_BY_MOTION) return time_of(task, site);
  double size = task->typical != NULL ? task->typical[j] : 1, x = 0;
  if (task->by == DERIVATIVE_BY_TIME) x = site->t;
  if (task->by == DERIVATIVE_BY_LAMBDA) x = site->lambda[j];
  if (task->by == DERIVATIVE_BY_V) x = site->v[j];
  if (task->by == DERIVATIVE_BY_Q && site->n_q == site->n) x = site->q[j];
  return fabs(x) > size ? fabs(x) : size;
}

static double largest(size_t n, const double *x) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    if (fabs(x[i]) > most) most = fabs(x[i]);
  return most;
}

/* f at four places along direction j. 0: all are there, 1: one is refused, < 0: f gave up. */
static int32_t sample(const derivative_task *task, const derivative_site *site,
                      const derivative_memory *mem, int32_t j, double step) {
  static const double places[4] = {1, -1, 2, -2};
  for (int32_t k = 0; k < 4; k++) {
    const derivative_point at = moved(task, site, mem, j, places[k] * step);
    const int32_t code = task->f(task->context, &at, mem->f[k]);
    if (code < 0) return code;
    if (code > 0 || !all_finite((size_t)task->rows, mem->f[k])) return 1;
  }
  return 0;
}

/* Entry (i, j) of the report if it is the worst so far. */
static int judge(const derivative_task *task, double given, double expected, double allowed,
                 int32_t i, int32_t j, int32_t found, int32_t index,
                 perp_derivative_report *report) {
  const double error = fabs(given - expected);
  if (error <= allowed) return 0;
  const double ratio = is_finite(given) ? error / allowed : double_of(UINT64_C(0x7ff0000000000000));
  if (!(ratio > report->error)) return 1;
  report->found = found;
  report->index = index;
  report->row = i;
  report->column = j;
  report->overrun = 0;
  report->jacobian = task->name;
  report->given = given;
  report->expected = expected;
  report->error = ratio;
  return 1;
}

int32_t perp_derivative_compare(const derivative_task *task, const derivative_site *site,
                                const derivative_memory *mem, double tol, int32_t found,
                                int32_t index, perp_derivative_report *report) {
  const size_t rows = (size_t)task->rows;
  const double size_J = largest(rows * (size_t)task->columns, task->J);
  int wrong = 0;
  report->compared++;
  for (int32_t j = 0; j < task->columns; j++) {
    const double size = size_of(task, site, j), step = 0x1p-12 * size;
    const int32_t code = sample(task, site, mem, j, step);
    if (code < 0) return code;
    if (code > 0) continue;
    double size_f = 0;
    for (int32_t k = 0; k < 4; k++) {
      const double most = largest(rows, mem->f[k]);
      if (most > size_f) size_f = most;
    }
    const double unit = size_f / size + (is_finite(size_J) ? size_J : 0);
    for (int32_t i = 0; i < task->rows; i += task->every) {
      const double a = mem->f[0][i], b = mem->f[1][i], c = mem->f[2][i], d = mem->f[3][i];
      const int same = a == b && c == d && a == c;
      if ((task->still && same) || (task->zeros && same && a == 0)) continue;
      const double near = (a - b) / (2 * step), far = (c - d) / (4 * step);
      const double expected = (4 * near - far) / 3, given = task->J[(size_t)i + rows * (size_t)j];
      const double entry = fabs(given) > fabs(expected) ? fabs(given) : fabs(expected);
      double allowed = tol * entry + fabs(near - far) / 8 + 0x1p-38 * unit + 0x1p-40 / size;
      if (task->coarse) /* one-sided with 2^-26: rounding, and the curvature over its step */
        allowed += 0x1p-22 * unit + 0x1p-24 * size * fabs((c + d) - (a + b)) / (3 * step * step);
      wrong |= judge(task, given, expected, allowed, i, j, found, index, report);
    }
  }
  report->wrong += wrong;
  return 0;
}

void perp_derivative_overrun(const char *name, int32_t overrun, int32_t found, int32_t index,
                             perp_derivative_report *report) {
  const double infinity = double_of(UINT64_C(0x7ff0000000000000));
  report->compared++;
  report->wrong++;
  if (report->overrun > 0) return; /* the first one stays */
  report->found = found;
  report->index = index;
  report->row = report->column = -1;
  report->overrun = overrun;
  report->jacobian = name;
  report->given = report->expected = 0;
  report->error = infinity;
}
