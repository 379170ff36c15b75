/* SPDX-License-Identifier: MIT */
/** @file contact.h
 * One contact with friction, exactly: for programs that have just one (a foot, a wheel, a gripper),
 * and for methods of one's own that go from contact to contact.
 *
 * Given u = W r + q and a coefficient of friction, find the impulse r and the velocity u after it:
 *
 * | case     | velocity                 | impulse                                  |
 * |----------|--------------------------|------------------------------------------|
 * | take-off | u_n >= 0                 | r = 0                                    |
 * | stick    | u = 0                    | ‖r_t‖ <= μ r_n                           |
 * | slip     | u_n = 0, u_t not 0       | r_t = −μ r_n u_t / ‖u_t‖                 |
 *
 * Components: normal first. Units: r in N s, u and q in m/s, W in 1/kg (the inverse mass seen from
 * the contact); or forces in N and accelerations in m/s². With resistance to rolling the last
 * components are moments (N m s) and rates of rotation (rad/s), and μ_r is a length (m).
 *
 * All cases are enumerated (in space the direction of sliding is a zero of a quartic), each is
 * judged in twice the precision, and the best one is returned. See docs/theory-friction.md.
 *
 * Every function allocates nothing, needs no memory but its arguments and a few kB of stack, calls
 * nothing of libm but sqrt, gives the same bits on every IEEE platform, and may be called from any
 * thread. W is column-major, W[i + size*j], and neither its symmetry nor its regularity is asked
 * for; if it is positive definite there is a solution, whatever μ is. */
#ifndef PERP_CONTACT_H
#define PERP_CONTACT_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Solve one contact in the plane (n, t).
 * @param W   2 x 2, column-major
 * @param q   2: the velocity without the contact
 * @param mu  coefficient of friction, >= 0; 0 is contact without friction
 * @param[out] r  2: the impulse; on a positive status the best point found
 * @param[out] u  2: W r + q; may be NULL; r and u overlap neither each other nor W and q
 * @return PERP_OK: r passes both tests of the contract. With c = ‖W‖_F (1 if that is 0) the normal
 * part |min(u_n, c r_n)| and the tangential part c‖r_t − P(r_t − u_t/c)‖, P on the ball of radius
 * μ r_n, are each at most 1e-12 of ‖ |W||r| + |q| ‖∞ (in nearly all cases the rounding of r alone)
 * and at most 1e-6 of ‖q‖∞; where solutions are many, as for a singular W, none is taken that is so
 * large that u rounds to more while one of ordinary size is found. PERP_INACCURATE: at most 1e-8
 * and 1e-2 of them, as where the only solutions are 1e10 times as large as q and more; PERP_RAY: no
 * solution was found, and there is none that rounding could not take away;
 * PERP_EINVAL: W, q or r is NULL or mu < 0, nothing is written; PERP_ENOTFINITE: NaN or infinity in
 * W, q or mu, r and u are 0. Where there are several solutions it is one of them.
 * Since 0.1. See docs/theory-friction.md. */
PERP_API perp_status perp_contact_2d(const double *W, const double *q, double mu, double *r,
                                     double *u);

/**
 * Solve one contact in space (n, t1, t2): W 3 x 3; q, r, u 3 each.
 * @copydetails perp_contact_2d */
PERP_API perp_status perp_contact_3d(const double *W, const double *q, double mu, double *r,
                                     double *u);

/**
 * Solve one contact with friction and resistance to rolling in the plane (n, t, m): W 3 x 3; q, r,
 * u 3 each; ‖r_t‖ <= mu r_n, ‖r_m‖ <= mu_rolling r_n, each part sticks or slips by itself.
 * @param mu_rolling  length of the resistance to rolling (m), >= 0
 * Otherwise as perp_contact_2d(). Since 0.1. */
PERP_API perp_status perp_contact_rolling_2d(const double *W, const double *q, double mu,
                                             double mu_rolling, double *r, double *u);

/**
 * In space (n, t1, t2, m1, m2): W 5 x 5; q, r, u 5 each. Where both parts slip the method
 * is Newton's from many starts, so that one in a hundred thousand W of condition up to 1e12, and
 * three in ten thousand singular ones, end as PERP_INACCURATE or PERP_RAY. Since 0.1. */
PERP_API perp_status perp_contact_rolling_3d(const double *W, const double *q, double mu,
                                             double mu_rolling, double *r, double *u);

#ifdef __cplusplus
}
#endif
#endif
