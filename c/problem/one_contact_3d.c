/* SPDX-License-Identifier: MIT */
/* One contact in space. With d = (c, s) the direction of sliding, d⊥ = (-s, c), the cases are
 *
 *   take-off  r = 0,                       q_n >= 0,
 *   stick     r = -W^-1 q,                 ||r_t|| <= mu r_n,
 *   slip      r = r_n (1, -mu d),          r_n = -q_n / (W_nn - mu W_nt·d) > 0,
 *             d⊥·u_t = 0,  d·u_t >= 0,     u_t = q_t + r_n (W_tn - mu W_tt d).
 *
 * d⊥·u_t (W_nn - mu W_nt·d) is a trigonometric polynomial of degree 2, the quartic in tan(θ/2) of
 * docs/theory-friction.md; it is 0 in at most 4 directions, or in all of them. */
#include "problem/cone.h"
#include "problem/one_contact_exact.h"

/* Multiply-adds of the zeros of the polynomial, and of Newton's method from them. */
#define SLIP 2000

/* Rows and tangential forces brought to one scale by powers of two, so that mu is in [1, 2) or 0:
 * r_n and r_t / turn are the unknowns. */
typedef struct balanced {
  double W[9], q[3], mu;
  double turn, unit; /* r = unit (r_n, turn r_t) */
} balanced;

static double larger(double a, double b) { return a > b ? a : b; }

static balanced balance(const contact_block *b) {
  balanced s;
  const double *W = b->W;
  s.turn = b->mu[0] > 0 ? power_of_two(b->mu[0]) : 1;
  s.mu = b->mu[0] / s.turn;
  memcpy(s.W, W, sizeof s.W);
  for (int i = 3; i < 9; i++) s.W[i] *= s.turn;
  const double n = power_of_two(larger(fabs(s.W[0]), larger(fabs(s.W[3]), fabs(s.W[6]))));
  double t = 0;
  for (int j = 0; j < 9; j += 3) t = larger(t, larger(fabs(s.W[j + 1]), fabs(s.W[j + 2])));
  t = power_of_two(t);
  for (int j = 0; j < 9; j += 3) {
    s.W[j] /= n;
    s.W[j + 1] /= t;
    s.W[j + 2] /= t;
  }
  s.q[0] = b->q[0] / n;
  s.q[1] = b->q[1] / t;
  s.q[2] = b->q[2] / t;
  s.unit = power_of_two(larger(-s.q[0], larger(fabs(s.q[1]), fabs(s.q[2]))));
  for (int i = 0; i < 3; i++) s.q[i] /= s.unit;
  return s;
}

/* A sliding contact: unknowns r_n and d, equations u_n = 0 and d⊥·u_t = 0, with their derivatives
 * by r_n and along d⊥. */
typedef struct slide {
  double n, d[2];
  double F[2], J[4], merit;
} slide;

static void evaluate(const balanced *s, slide *at) {
  const double *W = s->W, mu = s->mu, c = at->d[0], z = at->d[1], n = at->n;
  const double turn = W[0] - mu * (W[3] * c + W[6] * z);
  const double vx = W[1] - mu * (W[4] * c + W[7] * z), vy = W[2] - mu * (W[5] * c + W[8] * z);
  const double ux = s->q[1] + n * vx, uy = s->q[2] + n * vy;
  const double wx = mu * (W[4] * z - W[7] * c), wy = mu * (W[5] * z - W[8] * c);
  at->F[0] = turn * n + s->q[0];
  at->F[1] = c * uy - z * ux;
  at->J[0] = turn;
  at->J[1] = c * vy - z * vx;
  at->J[2] = n * mu * (W[3] * z - W[6] * c);
  at->J[3] = n * (c * wy - z * wx) - (c * ux + z * uy);
  at->merit = at->F[0] * at->F[0] + at->F[1] * at->F[1];
}

/* The normal force that fits d best: u_n = 0 alone says little of it where W_nn - mu W_nt·d is
 * small. */
static void slide_open(const balanced *s, const double *d, slide *at) {
  memcpy(at->d, d, sizeof at->d);
  at->n = 0;
  evaluate(s, at);
  at->n =
      -(at->J[0] * at->F[0] + at->J[1] * at->F[1]) / (at->J[0] * at->J[0] + at->J[1] * at->J[1]);
  evaluate(s, at);
}

static void consider_slide(contact_block *b, const balanced *s, const slide *at) {
  if (!(at->n > 0)) return;
  const double n = at->n * s->unit, t = -b->mu[0] * n;
  const double r[3] = {n, t * at->d[0], t * at->d[1]};
  perp_contact_consider(b, r);
}

/* Newton's method, as long as the equations come closer to 0. */
static void polish(const balanced *s, slide *at) {
  for (int i = 0; i < 12 && at->merit > 0; i++) {
    const double *J = at->J, det = J[0] * J[3] - J[1] * J[2];
    const double step = (J[1] * at->F[0] - J[0] * at->F[1]) / det;
    slide to;
    if (!(fabs(step) < 0.5)) return;
    to.n = at->n - (J[3] * at->F[0] - J[2] * at->F[1]) / det;
    to.d[0] = at->d[0] - step * at->d[1];
    to.d[1] = at->d[1] + step * at->d[0];
    const double length = sqrt(to.d[0] * to.d[0] + to.d[1] * to.d[1]);
    to.d[0] /= length;
    to.d[1] /= length;
    evaluate(s, &to);
    if (!(to.merit < at->merit)) return;
    *at = to;
  }
}

static void slip(contact_block *b) {
  const balanced s = balance(b);
  *b->left -= SLIP;
  double d[18][2];
  const contact_circle k = contact_circle_of(s.W, s.mu, s.q);
  int count = perp_contact_circle_zeros(&k, d);
  /* for a circle of zeros: the direction of the least normal force */
  const double length = sqrt(s.W[3] * s.W[3] + s.W[6] * s.W[6]);
  d[count][0] = length > 0 ? -s.W[3] / length : 1;
  d[count++][1] = length > 0 ? -s.W[6] / length : 0;
  for (int i = 0; i < count; i++) {
    slide at;
    slide_open(&s, d[i], &at);
    consider_slide(b, &s, &at);
    polish(&s, &at);
    consider_slide(b, &s, &at);
  }
}

/* The usual case, without the quartic: sliding against the force at which it would stick. */
static void slip_near(contact_block *b) {
  const double *r = b->best, length = cone_norm(2, r + 1);
  if (!(length > 0)) return;
  const balanced s = balance(b);
  const contact_circle k = contact_circle_of(s.W, s.mu, s.q);
  double d[2] = {-r[1] / length, -r[2] / length};
  if (!contact_circle_newton(&k, d)) return;
  slide at;
  slide_open(&s, d, &at);
  polish(&s, &at);
  consider_slide(b, &s, &at);
}

/* Points for blocks that are singular or have no solution by rounding. */
static void search(contact_block *b) {
  const double frictionless[3] = {-b->q[0] / b->W[0], 0, 0};
  if (b->W[0] > 0) perp_contact_consider(b, frictionless);
  static const double tiny[4] = {1e-15, 1e-13, 1e-11, 1e-9};
  for (int i = 0; i < 4 && contact_unsure(b, 1e-14); i++) perp_contact_stick(b, tiny[i]);
  for (int i = 0; i < 8 && contact_unsure(b, 1e-14); i++) {
    static const double start[8][2] = {{0, 0},  {1, 0},   {0, 1},    {-1, 0},
                                       {0, -1}, {.7, .7}, {-.7, .7}, {-.7, -.7}};
    const double n = b->W[0] > 0 ? -b->q[0] / b->W[0] : 1, t = b->mu[0] * n;
    const double r[3] = {n, t * start[i][0], t * start[i][1]};
    perp_contact_newton(b, i == 0 && b->error < 1 ? b->best : r);
  }
  if (contact_unsure(b, 1e-12)) {
    double r[5];
    memcpy(r, b->best, sizeof r);
    perp_contact_project(b, r);
    memcpy(r, b->best, sizeof r);
    perp_contact_newton(b, r);
  }
}

/* ---- what sweeps prepare, and what they leave ---- */

void perp_contact_3d_prepare(contact_3d *c, const double *W, int32_t ld, double mu) {
  for (int32_t j = 0; j < 3; j++)
    for (int32_t i = 0; i < 3; i++) c->W[i + 3 * j] = W[i + j * ld];
  const double *A = c->W;
  double size = 0;
  c->mu = mu;
  c->work = c->reserved = 0;
  /* inverse[j + 3 i] := cofactor of entry (i, j) */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = 3 * ((j + 1) % 3), j2 = 3 * ((j + 2) % 3);
      const double up = A[i1 + j1] * A[i2 + j2], down = A[i1 + j2] * A[i2 + j1];
      c->inverse[j + 3 * i] = up - down;
      if (j == 0) size += fabs(A[i]) * (fabs(up) + fabs(down));
    }
  const double det = A[0] * c->inverse[0] + A[1] * c->inverse[3] + A[2] * c->inverse[6];
  for (int i = 0; i < 9; i++) c->inverse[i] /= det;
  c->care = 2;
  const double most = mu > 1 ? mu * size : size;
  if (size > 1e-250 && size < 1e250 && mu * (fabs(A[3]) + fabs(A[6])) < 100 * A[0])
    c->care = fabs(det) > 1e-3 * most ? 0 : fabs(det) > 1e-9 * most ? 1 : 2;
}

/* The force at which it would stick, refined as often as W needs. */
static void stick_force(const contact_3d *c, const double *q, double *x) {
  x[0] = x[1] = x[2] = 0;
  for (int turn = 0; turn < (c->care == 0 ? 1 : 3); turn++) {
    double y[3] = {q[0], q[1], q[2]};
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) y[i] += c->W[i + 3 * j] * x[j];
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) x[i] -= c->inverse[i + 3 * j] * y[j];
  }
}

/* Sliding in the direction of the old force if there was one, or against x. */
static int slides(const contact_3d *c, const double *q, const double *x, double *r) {
  const contact_circle k = contact_circle_of(c->W, c->mu, q);
  for (int turn = 0; turn < 2; turn++) {
    const double *from = turn == 0 ? r : x, length = cone_norm(2, from + 1);
    if (!(length > 0)) continue;
    double d[2] = {-from[1] / length, -from[2] / length};
    if (contact_circle_newton(&k, d) && contact_3d_slides(c->W, c->mu, q, d, r)) return 1;
  }
  return 0;
}

/* ---- the usual case in doubles ---- */

/* Whether the error of one_contact_exact.h is below 4e-15, up to the rounding of this function. */
static int accurate(const contact_3d *c, const double *q, const double *r, int sticks) {
  double u[3] = {q[0], q[1], q[2]}, scale = 0, norm = 0;
  for (int i = 0; i < 3; i++) {
    double terms = fabs(q[i]);
    for (int j = 0; j < 3; j++) {
      const double w = c->W[i + 3 * j], t = w * r[j];
      u[i] += t;
      terms += fabs(t);
      norm += w * w;
    }
    scale = larger(scale, terms);
  }
  const double force = c->mu * r[0], limit = 2e-15 * scale, speed = sqrt(u[1] * u[1] + u[2] * u[2]);
  if (!(scale <= 1e6 * (fabs(q[0]) + fabs(q[1]) + fabs(q[2])))) return 0;
  if (sticks) return (1 + c->mu) * (fabs(u[0]) + speed) <= limit;
  const double across = force > 0 ? (u[1] * r[2] - u[2] * r[1]) / force : 0;
  /* 4e-16: how far rounding leaves r from the cone */
  return fabs(u[0]) + fabs(across) + 4e-16 * force * sqrt(norm) <= limit;
}

/* As in a sweep from no guess. */
int perp_contact_3d_usual(const double *W, int32_t ld, const double *q, double mu, double *r) {
  contact_3d c;
  const double size = larger(fabs(q[0]), larger(fabs(q[1]), fabs(q[2])));
  if (!(q[0] < 0 && mu >= 0 && mu < 1e3 && size > 1e-100 && size < 1e100)) return 0;
  perp_contact_3d_prepare(&c, W, ld, mu);
  if (c.care != 0) return 0;
  double x[3], d[2];
  stick_force(&c, q, x);
  const double length = sqrt(x[1] * x[1] + x[2] * x[2]), most = mu * x[0];
  const int straight = x[1] == 0 && x[2] == 0 && most > 0;
  if (!straight && !(length > 1e-100 && length < 1e100)) return 0;
  if (length < most && most < 1e100) {
    memcpy(r, x, sizeof x);
    return accurate(&c, q, r, 1);
  }
  d[0] = -x[1] / length;
  d[1] = -x[2] / length;
  const contact_circle k = contact_circle_of(c.W, mu, q);
  return contact_circle_newton(&k, d) && contact_circle_newton(&k, d) &&
         contact_3d_slides(c.W, mu, q, d, r) && accurate(&c, q, r, 0);
}

int perp_contact_3d_slow(contact_3d *c, const double *q, double *r) {
  const double old[3] = {r[0], r[1], r[2]};
  if (c->care < 2) {
    double x[3];
    stick_force(c, q, x);
    const double force = x[1] * x[1] + x[2] * x[2], most = c->mu * x[0];
    if (most > 1e-140 && force <= most * most && most < 1e150) {
      memcpy(r, x, sizeof x);
      return CONTACT_STICK;
    }
    if (slides(c, q, x, r)) return CONTACT_SLIP;
  }
  const double allowed = contact_allowance(c->work);
  if (allowed <= 0) return CONTACT_FAILED;
  double left = allowed;
  const perp_status status = perp_contact_3d_within(c->W, 3, q, c->mu, r, &left);
  c->work += allowed - left;
  if (status == PERP_OK || status == PERP_INACCURATE) {
    const double force = cone_norm(2, r + 1);
    return r[0] == 0                            ? CONTACT_TAKE_OFF
           : force < c->mu * r[0] * (1 - 1e-15) ? CONTACT_STICK
                                                : CONTACT_SLIP;
  }
  if (status == PERP_ENOTFINITE) memcpy(r, old, sizeof old);
  return CONTACT_FAILED;
}

/* ---- exact ---- */

static void cases(contact_block *b) {
  perp_contact_stick(b, 0);
  if (contact_unsure(b, 1e-15)) slip_near(b);
  if (contact_unsure(b, 1e-15)) slip(b);
}

perp_status perp_contact_3d_within(const double *W, int32_t ld, const double *q, double mu,
                                   double *r, double *left) {
  contact_block b;
  if (perp_contact_3d_usual(W, ld, q, mu, r)) return PERP_OK;
  r[0] = r[1] = r[2] = 0;
  const perp_status status = perp_contact_block_open(&b, 3, 1, W, ld, q, &mu, left);
  if (status != PERP_OK || b.q[0] >= 0) return status;
  cases(&b);
  perp_contact_settle(&b);
  if (contact_unsure(&b, 1e-14)) perp_contact_approach(&b, cases);
  if (contact_unsure(&b, 1e-14)) search(&b);
  return perp_contact_block_close(&b, r);
}

perp_status perp_contact_3d_solve(const double *W, int32_t ld, const double *q, double mu,
                                  double *r) {
  double left = CONTACT_WORK;
  return perp_contact_3d_within(W, ld, q, mu, r, &left);
}
