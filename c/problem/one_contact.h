/* SPDX-License-Identifier: MIT */
/* One contact with friction, exactly:  u = W r + q, of 2 or 3 components with the normal first, and
 * (u, r) in Coulomb's law (docs/theory-friction.md). Two levels.
 *
 * Sweeps, for methods that solve the same block again and again:
 *
 *     contact_3d c;
 *     perp_contact_3d_prepare(&c, W, ld, mu);               once per block
 *     mode = contact_3d_sweep(&c, q, r);                    r: in the old reaction, out the new one
 *
 * The old reaction is a guess of the direction of sliding: any r is fine, 0 too. A sweep that finds
 * take-off, sticking or sliding beyond doubt ends within the inline function; any doubt goes to the
 * exact solution. CONTACT_FAILED: there is no solution, or something is not finite; r is then the
 * best point found, and finite if W, q and the old r are.
 *
 * Exact solutions, perp_contact_..._solve(): all cases are enumerated, each is judged by the two
 * tests of perp/contact.h in twice the precision; the best one is returned.
 *     PERP_OK          both tests hold at 1e-12
 *     PERP_INACCURATE  at 1e-8
 *     PERP_RAY         no point found; for a positive definite W there always is one, though it may
 *                      be so large that rounding hides it
 *     PERP_EINVAL      a coefficient is negative; PERP_ENOTFINITE: r is 0 then
 *
 * W is column-major with column stride ld everywhere, and need be neither symmetric nor regular. */
#ifndef PERP_PROBLEM_ONE_CONTACT_H
#define PERP_PROBLEM_ONE_CONTACT_H

#include <math.h>

#include "perp/base.h"

/* How a contact ends a sweep. */
enum {
  CONTACT_TAKE_OFF = 0,
  CONTACT_STICK = 1,
  CONTACT_SLIP = 2,
  CONTACT_FAILED = 3,
  CONTACT_DOUBT = 4 /* of the usual case alone: perp_contact_..._slow() will know */
};

/* ---- exact solutions ---- */

perp_status perp_contact_2d_solve(const double *W, int32_t ld, const double *q, double mu,
                                  double *r);
perp_status perp_contact_3d_solve(const double *W, int32_t ld, const double *q, double mu,
                                  double *r);
/* With resistance to rolling: components n, t, m (size 3) or n, t, t, m, m (size 5). */
perp_status perp_contact_rolling_solve(int32_t size, const double *W, int32_t ld, const double *q,
                                       double mu, double mu_rolling, double *r);

/* Multiply-adds after which an exact solution ends at its best point: alone, where all but a few of
 * 10^4 nearly singular blocks want less; in a sweep, where most of these, and all others, want
 * less; and all those of one contact in the sweeps of one solve, after which it keeps the force
 * that it has. */
#define CONTACT_WORK        1.2e8
#define CONTACT_VISIT_WORK  1.5e7
#define CONTACT_SWEEPS_WORK 5e7

/* What the next visit of a contact may cost that has cost so much; 0 or less: nothing. */
static inline double contact_allowance(double work) {
  const double left = CONTACT_SWEEPS_WORK - work;
  return left < CONTACT_VISIT_WORK ? left : CONTACT_VISIT_WORK;
}

/* With at most *left multiply-adds, which are counted down. */
perp_status perp_contact_2d_within(const double *W, int32_t ld, const double *q, double mu,
                                   double *r, double *left);
perp_status perp_contact_3d_within(const double *W, int32_t ld, const double *q, double mu,
                                   double *r, double *left);
perp_status perp_contact_rolling_within(int32_t size, const double *W, int32_t ld, const double *q,
                                        double mu, double mu_rolling, double *r, double *left);

/* ---- the usual case ---- */

/* Sticking and sliding where they are beyond doubt, in doubles. 1: r is as exact as above; 0: any
 * doubt, take-off too, r is then anything. */
int perp_contact_2d_usual(const double *W, int32_t ld, const double *q, double mu, double *r);
int perp_contact_3d_usual(const double *W, int32_t ld, const double *q, double mu, double *r);

/* ---- sweeps ---- */

/* What is prepared of one block in space. */
typedef struct contact_3d {
  double W[9];       /* column-major                                   */
  double inverse[9]; /* of W, column-major, where care is not 2        */
  double mu;
  double work;  /* multiply-adds of exact solutions, so far      */
  int32_t care; /* 0: none; 1: W is ill conditioned, so refine; 2: no inverse to rely on */
  int32_t reserved;
} contact_3d;

/* In the plane. */
typedef struct contact_2d {
  double W[4], inverse[4];
  double mu;
  double work;
  int32_t care;
  int32_t reserved;
} contact_2d;

/* With resistance to rolling, size 3 or 5. */
typedef struct contact_rolling {
  double W[25]; /* divided by scale, a power of two */
  double scale;
  double mu, mu_rolling;
  double work;
  int32_t size;
  int32_t reserved;
} contact_rolling;

void perp_contact_2d_prepare(contact_2d *c, const double *W, int32_t ld, double mu);
void perp_contact_3d_prepare(contact_3d *c, const double *W, int32_t ld, double mu);
void perp_contact_rolling_prepare(contact_rolling *c, int32_t size, const double *W, int32_t ld,
                                  double mu, double mu_rolling);

/* What the inline functions below leave: blocks that need care, contacts that begin to slide, and
 * doubtful cases. */
int perp_contact_2d_slow(contact_2d *c, const double *q, double *r);
int perp_contact_3d_slow(contact_3d *c, const double *q, double *r);

/* Not inline: a Newton method from the old reaction, then the exact solution. */
int perp_contact_rolling_sweep(contact_rolling *c, const double *q, double *r);

static inline int contact_2d_fast(const contact_2d *c, const double *q, double *r) {
  const double *W = c->W, *B = c->inverse, mu = c->mu;
  if (q[0] >= 0 && q[1] - q[1] == 0) {
    r[0] = r[1] = 0;
    return CONTACT_TAKE_OFF;
  }
  if (c->care != 0) return CONTACT_DOUBT;
  const double n = -(B[0] * q[0] + B[2] * q[1]), t = -(B[1] * q[0] + B[3] * q[1]);
  if (fabs(t) <= mu * n) {
    r[0] = n;
    r[1] = t;
    return CONTACT_STICK;
  }
  /* where it would stick beyond the cone it slides against that force */
  const double d = t < 0 ? mu : -mu; /* mu times the direction of sliding */
  const double turn = W[0] - W[2] * d, normal = -q[0] / turn;
  const double speed = q[1] + normal * (W[1] - W[3] * d);
  const double along = t < 0 ? speed : -speed;
  if (!(turn > 1e-3 * W[0] && along >= 0 && along < 1e300)) return CONTACT_DOUBT;
  r[0] = normal;
  r[1] = -d * normal;
  return CONTACT_SLIP;
}

static inline int contact_2d_sweep(contact_2d *c, const double *q, double *r) {
  const int mode = contact_2d_fast(c, q, r);
  return mode == CONTACT_DOUBT ? perp_contact_2d_slow(c, q, r) : mode;
}

/* The trigonometric polynomial A c² + B s² + C cs + D s + E c that is 0 in the directions
 * d = (c, s) in which the velocity at r = r_n (1, -mu d), u_n = 0, has no part across d. */
typedef struct contact_circle {
  double A, B, C, D, E;
} contact_circle;

static inline contact_circle contact_circle_of(const double *W, double mu, const double *q) {
  const double n = mu * q[0], x = mu * q[1], y = mu * q[2];
  const contact_circle k = {n * W[5] - y * W[3], x * W[6] - n * W[7],
                            x * W[3] - y * W[6] + n * (W[8] - W[4]), q[0] * W[1] - q[1] * W[0],
                            q[2] * W[0] - q[0] * W[2]};
  return k;
}

/* Newton's method on the circle from a unit vector d, which ends in a zero where the polynomial
 * falls, as it does at a sliding contact. Whether it converged: the last turn was less than 3e-5,
 * and its square is the error. */
static inline int contact_circle_newton(const contact_circle *k, double *d) {
  double c = d[0], s = d[1];
  for (int i = 0; i < 12; i++) {
    const double p = k->A * c, b = k->B * s, e = p + k->E, h = b + (k->D + k->C * c);
    const double f = c * e + s * h, g = c * (h + b) - s * (e + (p + k->C * s));
    double step = f > 0 ? 0.75 : -0.75;
    if (fabs(f) < -0.75 * g) step = -f / g;
    const double x = c - step * s, y = s + step * c, longer = (x * x + y * y) - 1;
    const double scale = fabs(longer) < 1e-7 ? 1 - 0.5 * longer : 1 / sqrt(1 + longer);
    c = x * scale;
    s = y * scale;
    if (longer < 1e-9) {
      d[0] = c;
      d[1] = s;
      return 1;
    }
  }
  return 0;
}

/* Accept the sliding reaction in direction d if its signs are right. */
static inline int contact_3d_slides(const double *W, double mu, const double *q, const double *d,
                                    double *r) {
  const double c = mu * d[0], s = mu * d[1];
  const double turn = W[0] - (W[3] * c + W[6] * s), n = -q[0] / turn;
  const double x = q[1] + n * (W[1] - (W[4] * c + W[7] * s));
  const double y = q[2] + n * (W[2] - (W[5] * c + W[8] * s));
  const double speed = x * d[0] + y * d[1];
  if (!(turn > 1e-3 * W[0])) return 0;
  if (!(speed >= 0 || speed >= 1e-15 * (q[0] - fabs(q[1]) - fabs(q[2])))) return 0;
  r[0] = n;
  r[1] = -c * n;
  r[2] = -s * n;
  return 1;
}

static inline int contact_3d_fast(const contact_3d *c, const double *q, double *r) {
  const double *B = c->inverse, mu = c->mu;
  if (q[0] >= 0 && q[1] - q[1] == 0 && q[2] - q[2] == 0) {
    r[0] = r[1] = r[2] = 0;
    return CONTACT_TAKE_OFF;
  }
  if (c->care != 0) return CONTACT_DOUBT;
  const double old = -1 / (mu * r[0]);
  double d[2] = {old * r[1], old * r[2]};
  if (fabs(d[0] * d[0] + d[1] * d[1] - 1) < 1e-9) { /* it slid; if it does not now, signs tell */
    const contact_circle k = contact_circle_of(c->W, mu, q);
    if (contact_circle_newton(&k, d) && contact_3d_slides(c->W, mu, q, d, r)) return CONTACT_SLIP;
  }
  const double n = -(B[0] * q[0] + B[3] * q[1] + B[6] * q[2]);
  const double x = -(B[1] * q[0] + B[4] * q[1] + B[7] * q[2]);
  const double y = -(B[2] * q[0] + B[5] * q[1] + B[8] * q[2]);
  const double force = x * x + y * y, most = mu * n;
  if (!(most > 1e-140 && force <= most * most && most < 1e150)) return CONTACT_DOUBT;
  r[0] = n;
  r[1] = x;
  r[2] = y;
  return CONTACT_STICK;
}

static inline int contact_3d_sweep(contact_3d *c, const double *q, double *r) {
  const int mode = contact_3d_fast(c, q, r);
  return mode == CONTACT_DOUBT ? perp_contact_3d_slow(c, q, r) : mode;
}

#endif
