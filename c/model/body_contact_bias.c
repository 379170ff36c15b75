/* SPDX-License-Identifier: MIT */
/* γ of contacts with known geometry: d/ds of  ẏ = (n·u, t1·u, t2·u, t1·ω, t2·ω)  while v̇ = 0, with
 * u = v_A + ω_A × r_A − v_B − ω_B × r_B and ω = ω_A − ω_B.
 *
 *   sphere on a plane:  frame and lever arm rest, γ = 0;
 *   point on a plane:   the frame rests, ṙ = ω × r, so u̇ = ω × (ω × r);
 *   two spheres:        d = x_A − x_B, n = d/|d|, ṅ = (ḋ − n (n·ḋ))/|d|, and with
 *                       κ = (ρ_B − ρ_A)/2 the lever arms r_A = κ n − d/2, r_B = κ n + d/2. */
#include "model/body_contact.h"
#include "model/contact_frame.h"

int perp_body_contact_bias_known(const perp_body_contact *contact) {
  const int32_t n = contact->relation.n;
  return n == 6 ? contact->locate == perp_locate_sphere_plane ||
                      contact->locate == perp_locate_point_plane
                : n == 12 && contact->locate == perp_locate_sphere_sphere;
}

static int32_t point_plane(const perp_body_contact *contact, const perp_relation_point *at,
                           double *gamma) {
  const perp_point_plane *g = (const perp_point_plane *)contact->user;
  double R[9], lever[3], spin[3], once[3], twice[3], frame[9];
  if (g == NULL) return -1;
  rotation_of(at->q + 3, R);
  multiply3(R, g->point, lever);
  multiply3(R, at->v + 3, spin);
  cross3(spin, lever, once);
  cross3(spin, once, twice);
  frame_of_normal(g->normal, frame);
  for (int32_t i = 0; i < contact->relation.m && i < 3; i++)
    gamma[i] = dot3(&frame[3 * (size_t)i], twice);
  return 0;
}

/* Of one of two spheres: u += v + ω × r and u̇ += ω × ṙ, times sign; ω and R Ω. */
static void add_sphere(const double *q, const double *v, const double lever[3],
                       const double lever_rate[3], double sign, double u[3], double u_rate[3],
                       double spin[3]) {
  double R[9], own[3], once[3], twice[3];
  rotation_of(q + 3, R);
  multiply3(R, v + 3, own);
  cross3(own, lever, once);
  cross3(own, lever_rate, twice);
  for (int32_t i = 0; i < 3; i++) {
    u[i] += sign * (v[i] + once[i]);
    u_rate[i] += sign * twice[i];
    spin[i] += sign * own[i];
  }
}

static int32_t sphere_sphere(const perp_body_contact *contact, const perp_relation_point *at,
                             double *gamma) {
  const perp_sphere_sphere *g = (const perp_sphere_sphere *)contact->user;
  const double *q = at->q, *v = at->v;
  double d[3], n[3], rate[3], n_rate[3], lever[2][3], moving[2][3], frame[9], turn[9];
  double u[3] = {0, 0, 0}, u_rate[3] = {0, 0, 0}, spin[3] = {0, 0, 0};
  if (g == NULL) return -1;
  for (int32_t i = 0; i < 3; i++) d[i] = q[i] - q[7 + i], rate[i] = v[i] - v[6 + i];
  const double distance = sqrt(dot3(d, d)), half = 0.5 * (g->radius[1] - g->radius[0]);
  if (distance == 0) return 1; /* no normal here */
  for (int32_t i = 0; i < 3; i++) n[i] = d[i] / distance;
  const double along = dot3(n, rate);
  for (int32_t i = 0; i < 3; i++) {
    n_rate[i] = (rate[i] - along * n[i]) / distance;
    lever[0][i] = half * n[i] - 0.5 * d[i];
    lever[1][i] = half * n[i] + 0.5 * d[i];
    moving[0][i] = half * n_rate[i] - 0.5 * rate[i];
    moving[1][i] = half * n_rate[i] + 0.5 * rate[i];
  }
  add_sphere(q, v, lever[0], moving[0], 1, u, u_rate, spin);
  add_sphere(q + 7, v + 6, lever[1], moving[1], -1, u, u_rate, spin);
  frame_of_normal(n, frame);
  rate_of_frame(n, n_rate, turn);
  for (int32_t i = 0; i < contact->relation.m; i++) {
    const size_t k = 3 * (size_t)(i < 3 ? i : i - 2); /* directions n t1 t2 t1 t2 */
    gamma[i] = i < 3 ? dot3(&turn[k], u) + dot3(&frame[k], u_rate) : dot3(&turn[k], spin);
  }
  return 0;
}

int32_t perp_body_contact_bias(const perp_body_contact *contact, const perp_relation_point *at,
                               double *gamma) {
  if (contact->locate == perp_locate_point_plane) return point_plane(contact, at, gamma);
  if (contact->locate == perp_locate_sphere_sphere) return sphere_sphere(contact, at, gamma);
  return 0;
}
