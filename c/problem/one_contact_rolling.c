/* SPDX-License-Identifier: MIT */
/* One contact with friction and resistance to rolling: u = W r + q with parts k (sliding, rolling),
 * each of which sticks (u_k = 0, ||r_k|| <= mu_k r_n) or slips (r_k = -mu_k r_n u_k / ||u_k||).
 *
 * In the plane every part is one number, and the nine cases are linear systems. In space both
 * sticking is one linear system; one part that sticks is eliminated, which leaves a contact with
 * friction, whose exact solution is known; both slipping is Newton's method from those points. */
#include "problem/cone.h"
#include "problem/one_contact_exact.h"

/* ---- in the plane ---- */

/* Unknowns r_n and the parts that stick; case digits: 0 sticks, 1 and 2 slip to either side. */
static void plane_case(contact_block *b, const int *digit) {
  double A[9] = {0}, r[3] = {0, 0, 0}, y[3] = {0};
  memcpy(A, b->W, sizeof A);
  for (int k = 0; k < 2; k++) {
    if (digit[k] == 0) continue;
    /* row: r_k + d mu_k r_n = 0 */
    A[1 + k] = (digit[k] == 1 ? 1 : -1) * b->mu[k];
    for (int j = 1; j < 3; j++) A[1 + k + 3 * j] = j == 1 + k ? 1 : 0;
  }
  for (int turn = 0; turn < 3; turn++) {
    perp_contact_velocity(b, r, y);
    for (int k = 0; k < 2; k++)
      if (digit[k] != 0) y[1 + k] = r[1 + k] + A[1 + k] * r[0];
    perp_contact_eliminate(3, A, y, r);
    for (int k = 0; k < 2; k++)
      if (digit[k] != 0) r[1 + k] = -A[1 + k] * r[0];
    if (r[0] > 0) perp_contact_consider(b, r);
  }
}

static void plane(contact_block *b) {
  for (int c = 0; c < 9 && contact_unsure(b, 1e-15); c++) {
    const int digit[2] = {c % 3, c / 3};
    plane_case(b, digit);
  }
}

/* ---- in space: one case of which parts slip ---- */

/* Unknowns r_n, the angle of d_k where part k slips (r_k = -mu_k r_n d_k), and r_k where it sticks;
 * equations u_n = 0, d_k⊥·u_k = 0 or u_k = 0. Rows and columns of J in this order, stride 5. */
typedef struct trial {
  double r[5], d[2][2];
  double F[5], J[25], merit;
  int size;
} trial;

/* r from r_n and the directions. */
static void follow(const contact_block *b, int mask, trial *at) {
  for (int k = 0; k < 2; k++)
    if (mask >> k & 1)
      for (int i = 0; i < 2; i++) at->r[1 + 2 * k + i] = -b->mu[k] * at->r[0] * at->d[k][i];
}

static void evaluate(const contact_block *b, int mask, trial *at) {
  double y[5], V[25]; /* V: what the unknowns change in r */
  int count = 1;
  contact_charge(b);
  memset(V, 0, sizeof V);
  follow(b, mask, at);
  perp_contact_velocity(b, at->r, y);
  V[0] = 1;
  for (int k = 0; k < 2; k++) {
    const int i = 1 + 2 * k;
    const double c = at->d[k][0], s = at->d[k][1];
    if (mask >> k & 1) {
      V[i] = -b->mu[k] * c;
      V[i + 1] = -b->mu[k] * s;
      V[i + 5 * count] = b->mu[k] * at->r[0] * s;
      V[i + 1 + 5 * count++] = -b->mu[k] * at->r[0] * c;
    } else {
      V[i + 5 * count++] = 1;
      V[i + 1 + 5 * count++] = 1;
    }
  }
  at->size = count;
  double WV[25] = {0};
  for (int j = 0; j < count; j++)
    for (int i = 0; i < 5; i++) {
      double sum = 0;
      for (int m = 0; m < 5; m++) sum += b->W[i + 5 * m] * V[m + 5 * j];
      WV[i + 5 * j] = sum;
    }
  at->F[0] = y[0];
  for (int j = 0; j < count; j++) at->J[count * j] = WV[5 * j];
  for (int k = 0, row = 1; k < 2; k++) {
    const int i = 1 + 2 * k;
    const double c = at->d[k][0], s = at->d[k][1];
    if (mask >> k & 1) {
      at->F[row] = c * y[i + 1] - s * y[i];
      for (int j = 0; j < count; j++)
        at->J[row + count * j] = c * WV[i + 1 + 5 * j] - s * WV[i + 5 * j];
      at->J[row + count * row] -= c * y[i] + s * y[i + 1];
      row++;
    } else {
      for (int h = 0; h < 2; h++, row++) {
        at->F[row] = y[i + h];
        for (int j = 0; j < count; j++) at->J[row + count * j] = WV[i + h + 5 * j];
      }
    }
  }
  at->merit = 0;
  for (int i = 0; i < count; i++) at->merit += at->F[i] * at->F[i];
}

/* to := at moved by length times the step. */
static void move(const trial *at, int mask, const double *step, double length, trial *to) {
  memcpy(to->r, at->r, sizeof to->r);
  to->r[0] += length * step[0];
  for (int k = 0, j = 1; k < 2; k++) {
    const double *d = at->d[k];
    double turn = 0;
    if (mask >> k & 1) {
      turn = length * step[j++];
      turn = turn > 0.7 ? 0.7 : turn < -0.7 ? -0.7 : turn;
    } else {
      to->r[1 + 2 * k] += length * step[j++];
      to->r[2 + 2 * k] += length * step[j++];
    }
    const double scale = 1 / sqrt(1 + turn * turn);
    to->d[k][0] = (d[0] - turn * d[1]) * scale;
    to->d[k][1] = (d[1] + turn * d[0]) * scale;
  }
}

/* Both parts slip: r_n := what fits the directions best, of which the equations are linear. */
static void fit_normal(const contact_block *b, trial *at) {
  double up = 0, down = 0;
  for (int i = 0; i < at->size; i++) {
    up += at->J[i] * at->F[i];
    down += at->J[i] * at->J[i];
  }
  const double old = at->r[0], n = old - up / down;
  if (!(n > 0)) return;
  at->r[0] = n;
  evaluate(b, 3, at);
}

/* Both parts slip: r_n := what makes u_n = 0, if that is positive. */
static void close_normal(const contact_block *b, trial *to) {
  double turn = b->W[0];
  for (int i = 1; i < 5; i++)
    turn -= b->W[5 * i] * (b->mu[(i - 1) / 2] * to->d[(i - 1) / 2][(i - 1) % 2]);
  const double n = -b->q[0] / turn;
  if (n > 0 && n < 1e100) to->r[0] = n;
}

/* Newton's method within one case, along u_n = 0 where both parts slip. */
static void case_newton(contact_block *b, int mask, const double *r) {
  trial at, to;
  memcpy(at.r, r, sizeof at.r);
  for (int k = 0; k < 2; k++) {
    const double x = -r[1 + 2 * k], y = -r[2 + 2 * k], length = sqrt(x * x + y * y);
    at.d[k][0] = length > 0 ? x / length : 1;
    at.d[k][1] = length > 0 ? y / length : 0;
  }
  evaluate(b, mask, &at);
  if (mask == 3) {
    fit_normal(b, &at);
    close_normal(b, &at);
    evaluate(b, mask, &at);
  }
  for (int turn = 0; turn < 30 && at.merit > 0 && *b->left > 0; turn++) {
    double step[5] = {0, 0, 0, 0, 0}, length = 1;
    perp_contact_eliminate(at.size, at.J, at.F, step);
    for (int halving = 0; halving < 8; halving++) {
      move(&at, mask, step, length, &to);
      if (mask == 3) close_normal(b, &to);
      evaluate(b, mask, &to);
      if (to.merit < at.merit) break;
      length *= 0.5;
    }
    if (!(to.merit < at.merit)) break;
    at = to;
  }
  if (at.r[0] > 0) perp_contact_consider(b, at.r);
}

/* The contact with friction that is left when part 1 - k sticks. */
static void reduced(contact_block *b, int k) {
  const int32_t keep[3] = {0, 1 + 2 * k, 2 + 2 * k}, drop[2] = {3 - 2 * k, 4 - 2 * k};
  const double *W = b->W;
  double A[4], X[2][4]; /* X: -inverse of the part times its rows, columns keep and q */
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++) A[i + 2 * j] = W[drop[i] + 5 * drop[j]];
  for (int j = 0; j < 4; j++) {
    double x[2] = {0, 0}, y[2] = {0};
    for (int i = 0; i < 2; i++) y[i] = j < 3 ? W[drop[i] + 5 * keep[j]] : b->q[drop[i]];
    perp_contact_eliminate(2, A, y, x);
    X[0][j] = x[0];
    X[1][j] = x[1];
  }
  double V[9] = {0}, p[3] = {0}, s[3] = {0}, r[5] = {0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      V[i + 3 * j] = W[keep[i] + 5 * keep[j]] + W[keep[i] + 5 * drop[0]] * X[0][j] +
                     W[keep[i] + 5 * drop[1]] * X[1][j];
    p[i] = b->q[keep[i]] + W[keep[i] + 5 * drop[0]] * X[0][3] + W[keep[i] + 5 * drop[1]] * X[1][3];
  }
  if (perp_contact_3d_within(V, 3, p, b->mu[k], s, b->left) < 0) return;
  for (int i = 0; i < 3; i++) r[keep[i]] = s[i];
  for (int i = 0; i < 2; i++)
    r[drop[i]] = X[i][3] + X[i][0] * s[0] + X[i][1] * s[1] + X[i][2] * s[2];
  perp_contact_consider(b, r);
  if (contact_unsure(b, 1e-15)) case_newton(b, 1 << k, r);
}

/* Both parts slip: from the best point, then from directions all around. */
static void both(contact_block *b) {
  static const double way[6][2] = {{1, 0},  {-.5, .875}, {-.5, -.875},
                                   {-1, 0}, {.5, -.875}, {.5, .875}};
  double r[5] = {0};
  memcpy(r, b->best, sizeof r);
  case_newton(b, 3, r);
  const double n = b->W[0] > 0 ? -b->q[0] / b->W[0] : 1;
  for (int i = 0; i < 36 && contact_unsure(b, 1e-14); i++) {
    r[0] = n;
    for (int k = 0; k < 2; k++)
      for (int h = 0; h < 2; h++) r[1 + 2 * k + h] = n * way[k == 0 ? i / 6 : i % 6][h];
    case_newton(b, 3, r);
  }
}

static void space(contact_block *b) {
  for (int k = 0; k < 2 && contact_unsure(b, 1e-15); k++) reduced(b, k);
  if (contact_unsure(b, 1e-15)) both(b);
}

/* ---- when no case fits ---- */

/* Newton's methods from r. */
static void newton(contact_block *b, const double *r) {
  perp_contact_newton(b, r);
  for (int mask = 0; mask < 4 && b->size == 5 && contact_unsure(b, 1e-14); mask++) {
    case_newton(b, mask, r);
    case_newton(b, mask, b->best);
  }
}

/* ---- along the normal force ---- */

/* By proximal points where Newton's method alone does not get there: W + c I about the point before
 * is as well conditioned as c is large, and the points converge for any c where W is monotone. */
static int proximal(const contact_block *b, double n, double *r) {
  double c = 1e-2 * b->norm;
  for (int turn = 0; turn < 150 && c < 10 * b->norm; turn++) {
    if (*b->left <= 0) return 0;
    contact_block easy = *b;
    double next[5] = {0};
    memcpy(next, r, sizeof next);
    for (int32_t i = 1; i < b->size; i++) {
      easy.W[i + i * b->size] += c;
      easy.q[i] -= c * r[i];
    }
    if (!perp_contact_newton_given(&easy, n, next)) {
      c *= 10;
      continue;
    }
    memcpy(r, next, sizeof next);
    if (perp_contact_newton_given(b, n, next)) {
      memcpy(r, next, sizeof next);
      return 1;
    }
    c *= 0.2;
  }
  return 0;
}

/* r at another normal force n. Both the old r, and r with the old directions, are starts. */
static int follow_to(const contact_block *b, double n, const double *from, double *r) {
  memcpy(r, from, 5 * sizeof *r);
  for (int32_t i = 1; i < b->size; i++) r[i] *= n / from[0];
  if (perp_contact_newton_given(b, n, r)) return 1;
  memcpy(r, from, 5 * sizeof *r);
  return perp_contact_newton_given(b, n, r) || proximal(b, n, r);
}

static double normal_velocity(const contact_block *b, const double *r) {
  double y[5] = {0};
  perp_contact_velocity(b, r, y);
  return y[0];
}

/* From r_n = 0+, where both parts slip along q, the solutions of the problems with given r_n form a
 * path on which u_n begins negative, and for a positive definite W ends positive. Where it is 0 is
 * a solution. */
static void walk(contact_block *b) {
  double low[5] = {0, 0, 0, 0, 0}, r[5] = {0}, t = 0, ratio = 4;
  for (int32_t i = 1; i < b->size; i++) t = fabs(b->q[i]) > t ? fabs(b->q[i]) : t;
  low[0] = 1e-3 * (t > 0 ? t : 1) / (b->norm * (1 + b->mu[0] + b->mu[1]));
  for (int k = 0; k < 2; k++) {
    const double *x = b->q + 1 + k * b->half, length = cone_norm(b->half, x);
    for (int32_t i = 0; i < b->half && length > 0; i++)
      low[1 + k * b->half + i] = -b->mu[k] * low[0] * (x[i] / length);
  }
  if (!follow_to(b, low[0], low, r)) return;
  /* beyond 1e14 u rounds to more than 1e-2 of q */
  for (int turn = 0; turn < 300 && r[0] * b->norm < 1e14 && normal_velocity(b, r) < 0; turn++) {
    if (*b->left <= 0) return;
    memcpy(low, r, sizeof low);
    while (!follow_to(b, ratio * low[0], low, r)) {
      ratio = sqrt(ratio);
      if (!(ratio > 1.001)) return;
    }
    ratio = ratio * ratio < 4 ? ratio * ratio : 4;
  }
  double high[5] = {0}, part = 0.5;
  memcpy(high, r, sizeof high);
  for (int turn = 0; turn < 100 && contact_unsure(b, 1e-14); turn++) {
    const double n = low[0] + part * (high[0] - low[0]);
    if (!(n > low[0] && n < high[0])) break;
    if (!follow_to(b, n, low, r) && !follow_to(b, n, high, r)) {
      part *= 0.7;
      continue;
    }
    if (turn % 4 == 3) newton(b, r);
    memcpy(normal_velocity(b, r) < 0 ? low : high, r, sizeof low);
    part = 0.5;
  }
  newton(b, low);
}

static void search(contact_block *b) {
  double r[5] = {b->W[0] > 0 ? -b->q[0] / b->W[0] : 1, 0, 0, 0, 0};
  newton(b, r);
  if (contact_unsure(b, 1e-14)) walk(b);
  for (int turn = 0; turn < 4 && contact_unsure(b, 1e-13); turn++) {
    memcpy(r, b->best, sizeof r);
    perp_contact_project(b, r);
    memcpy(r, b->best, sizeof r);
    newton(b, r);
  }
}

static void cases(contact_block *b) {
  perp_contact_stick(b, 0);
  if (b->size == 3)
    plane(b);
  else if (contact_unsure(b, 1e-15))
    space(b);
}

perp_status perp_contact_rolling_within(int32_t size, const double *W, int32_t ld, const double *q,
                                        double mu, double mu_rolling, double *r, double *left) {
  contact_block b;
  const double coefficients[2] = {mu, mu_rolling};
  memset(r, 0, (size_t)size * sizeof *r);
  const perp_status status = perp_contact_block_open(&b, size, 2, W, ld, q, coefficients, left);
  if (status != PERP_OK || b.q[0] >= 0) return status;
  cases(&b);
  if (contact_unsure(&b, 1e-14)) perp_contact_approach(&b, cases);
  if (contact_unsure(&b, 1e-14)) search(&b);
  perp_contact_settle(&b);
  return perp_contact_block_close(&b, r);
}

perp_status perp_contact_rolling_solve(int32_t size, const double *W, int32_t ld, const double *q,
                                       double mu, double mu_rolling, double *r) {
  double left = CONTACT_WORK;
  return perp_contact_rolling_within(size, W, ld, q, mu, mu_rolling, r, &left);
}

/* ---- sweeps ---- */

void perp_contact_rolling_prepare(contact_rolling *c, int32_t size, const double *W, int32_t ld,
                                  double mu, double mu_rolling) {
  double most = 0;
  for (int32_t j = 0; j < size; j++)
    for (int32_t i = 0; i < size; i++) {
      const double w = W[i + j * ld];
      c->W[i + j * size] = w;
      most = fabs(w) > most ? fabs(w) : most;
    }
  c->scale = power_of_two(most);
  for (int32_t i = 0; i < size * size; i++) c->W[i] /= c->scale;
  c->mu = mu;
  c->mu_rolling = mu_rolling;
  c->size = size;
  c->work = c->reserved = 0;
}

static int mode_of(const contact_rolling *c, const double *r) {
  const int32_t h = (c->size - 1) / 2;
  if (r[0] == 0) return CONTACT_TAKE_OFF;
  const double nearly = (1 - 1e-12) * r[0];
  return cone_norm(h, r + 1) < c->mu * nearly && cone_norm(h, r + 1 + h) < c->mu_rolling * nearly
             ? CONTACT_STICK
             : CONTACT_SLIP;
}

/* Newton's method in doubles from the old reaction. */
static int warm(const contact_rolling *c, const double *q, double *r, double *left) {
  const int32_t n = c->size;
  contact_block b;
  double x[5] = {0};
  b.left = left;
  b.size = n;
  b.parts = 2;
  b.half = (n - 1) / 2;
  b.mu[0] = c->mu;
  b.mu[1] = c->mu_rolling;
  b.rough = 1;
  memcpy(b.W, c->W, (size_t)(n * n) * sizeof *b.W);
  memcpy(b.q, q, (size_t)n * sizeof *b.q);
  for (int32_t i = 0; i < n; i++) x[i] = r[i] * c->scale;
  if (!perp_contact_newton_rough(&b, x)) return 0;
  for (int32_t i = 0; i < n; i++) r[i] = x[i] / c->scale;
  return 1;
}

int perp_contact_rolling_sweep(contact_rolling *c, const double *q, double *r) {
  const int32_t n = c->size;
  double old[5] = {0}, W[25] = {0};
  if (q[0] >= 0 && all_finite((size_t)n, q)) {
    memset(r, 0, (size_t)n * sizeof *r);
    return CONTACT_TAKE_OFF;
  }
  const double allowed = contact_allowance(c->work);
  if (allowed <= 0) return CONTACT_FAILED;
  double left = allowed;
  if (warm(c, q, r, &left)) return mode_of(c, r);
  memcpy(old, r, (size_t)n * sizeof *r);
  for (int32_t i = 0; i < n * n; i++) W[i] = c->W[i] * c->scale;
  const perp_status status =
      perp_contact_rolling_within(n, W, n, q, c->mu, c->mu_rolling, r, &left);
  c->work += allowed - left;
  if (status == PERP_OK || status == PERP_INACCURATE) return mode_of(c, r);
  if (status == PERP_ENOTFINITE) memcpy(r, old, (size_t)n * sizeof *r);
  return CONTACT_FAILED;
}
