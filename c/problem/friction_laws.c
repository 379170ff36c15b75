/* SPDX-License-Identifier: MIT */
/* Coulomb friction and rolling friction as laws, −ŷ ∈ N_K(λ) with
 *
 *   friction  K = {‖λ_t‖ <= μ λ_n},                     ŷ = y + μ‖y_t‖ n,
 *   rolling   K = {‖λ_t‖ <= μ λ_n, ‖λ_m‖ <= μ_r λ_n},   ŷ = y + (μ‖y_t‖ + μ_r‖y_m‖) n.
 *
 * Sources: De Saxcé and Feng 1998; Acary and Bourrier 2021. */
#include <float.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "problem/cone.h"
#include "problem/law_kinds.h"
#include "problem/one_contact.h"

static const perp_friction *friction_of(const perp_law *law) {
  return (const perp_friction *)(const void *)law;
}

static const perp_rolling *rolling_of(const perp_law *law) {
  return (const perp_rolling *)(const void *)law;
}

/* ---- projections ---- */

/* One of the two parts of a rolling contact: ‖x‖ <= c z. */
typedef struct part {
  double c, norm;
  int active; /* on its bound at the projection */
} part;

/* The normal entry z of the projection: the zero of z − n − Σ c (‖x‖ − c z)₊, which increases. Of
 * the four choices of active parts exactly one fits; ties give the same z. */
static double rolling_normal(double n, part parts[2]) {
  const double both = n + parts[0].c * parts[0].norm + parts[1].c * parts[1].norm;
  parts[0].active = parts[1].active = 0;
  if (both <= 0) {
    parts[0].active = parts[1].active = 1;
    return 0;
  }
  for (int mask = 0; mask < 4; mask++) {
    double sum = n, weight = 1;
    int fits = 1;
    for (int k = 0; k < 2; k++) {
      if ((mask >> k & 1) == 0) continue;
      sum += parts[k].c * parts[k].norm;
      weight += parts[k].c * parts[k].c;
    }
    const double z = sum / weight;
    for (int k = 0; k < 2; k++) {
      parts[k].active = mask >> k & 1;
      if (parts[k].active == (parts[k].norm <= parts[k].c * z)) fits = 0;
    }
    if (fits) return z;
  }
  parts[0].active = parts[1].active = 1; /* rounding at a tie, or NaN */
  return both / (1 + parts[0].c * parts[0].c + parts[1].c * parts[1].c);
}

/* The parts of x; scale[k]: by what part k is multiplied. */
static double rolling_parts(int32_t size, double mu, double mu_rolling, const double *x,
                            part parts[2]) {
  const int32_t half = (size - 1) / 2;
  parts[0].c = mu;
  parts[0].norm = cone_norm(half, x + 1);
  parts[1].c = mu_rolling;
  parts[1].norm = cone_norm(half, x + 1 + half);
  return rolling_normal(x[0], parts);
}

static double part_scale(const part *p, double z) {
  if (!p->active) return 1;
  return p->norm > 0 ? p->c * z / p->norm : z == z && p->norm == p->norm ? 0 : z + p->norm;
}

void perp_rolling_project(int32_t size, double mu, double mu_rolling, const double *x, double *p) {
  const int32_t half = (size - 1) / 2;
  part parts[2];
  const double z = rolling_parts(size, mu, mu_rolling, x, parts);
  for (int k = 0; k < 2; k++) {
    const double scale = part_scale(&parts[k], z);
    for (int32_t i = 1 + k * half; i < 1 + (k + 1) * half; i++)
      p[i] = scale == 0 ? 0 : scale * x[i];
  }
  p[0] = z;
}

/* ---- Jacobians ---- */

static void set_identity(int32_t size, double *J) {
  for (int32_t i = 0; i < size * size; i++) J[i] = i % (size + 1) == 0 ? 1 : 0;
}

static void set_zero(int32_t size, double *J) { memset(J, 0, (size_t)(size * size) * sizeof *J); }

/* Directions of the parts on their bounds: d (size entries) has c x / ‖x‖ there, 1 first. */
static void gradient(int32_t size, int32_t half, const part *parts, int count, const double *x,
                     double *d) {
  d[0] = 1;
  for (int32_t i = 1; i < size; i++) d[i] = 0;
  for (int k = 0; k < count; k++)
    for (int32_t i = 1 + k * half; i < 1 + (k + 1) * half && parts[k].active; i++)
      d[i] = parts[k].norm > 0 ? parts[k].c * x[i] / parts[k].norm : 0;
}

/* J := d dᵀ / (dᵀd) with what turning adds: c z / ‖x‖ (I − x xᵀ/‖x‖²) on active parts, I on the
 * others. */
static void boundary_jacobian(int32_t size, const part *parts, int count, double z, const double *x,
                              double *J) {
  const int32_t half = (size - 1) / count;
  double d[5], weight = 1;
  gradient(size, half, parts, count, x, d);
  for (int k = 0; k < count; k++) weight += parts[k].active ? parts[k].c * parts[k].c : 0;
  for (int32_t j = 0; j < size; j++)
    for (int32_t i = 0; i < size; i++) J[i + size * j] = d[i] * d[j] / weight;
  for (int k = 0; k < count; k++) {
    const double norm = parts[k].norm, turn = norm > 0 ? parts[k].c * z / norm : 0;
    for (int32_t j = 1 + k * half; j < 1 + (k + 1) * half; j++)
      for (int32_t i = 1 + k * half; i < 1 + (k + 1) * half; i++) {
        const double same = i == j ? 1 : 0;
        if (!parts[k].active)
          J[i + size * j] = same;
        else if (norm > 0)
          J[i + size * j] += turn * (same - (x[i] / norm) * (x[j] / norm));
      }
  }
}

void perp_cone_jacobian(int32_t size, double mu, const double *x, double *J) {
  const part one = {mu, cone_norm(size - 1, x + 1), 1};
  if (mu * one.norm <= -x[0])
    set_zero(size, J);
  else if (one.norm <= mu * x[0])
    set_identity(size, J);
  else
    boundary_jacobian(size, &one, 1, (x[0] + mu * one.norm) / (1 + mu * mu), x, J);
}

void perp_rolling_jacobian(int32_t size, double mu, double mu_rolling, const double *x, double *J) {
  part parts[2];
  const double z = rolling_parts(size, mu, mu_rolling, x, parts);
  if (z <= 0)
    set_zero(size, J);
  else
    boundary_jacobian(size, parts, 2, z, x, J);
}

/* ---- friction ---- */

void perp_friction_project(const perp_law *law, const void *state, const double *x, double *p) {
  (void)state;
  cone_project(law->size, friction_of(law)->mu, x, p);
}

void perp_friction_jacobian(const perp_law *law, const void *state, const double *x, double *J) {
  (void)state;
  perp_cone_jacobian(law->size, friction_of(law)->mu, x, J);
}

void perp_friction_shift(const perp_law *law, const void *state, const double *y, double *yhat) {
  (void)state;
  const double normal = y[0] + friction_of(law)->mu * cone_norm(law->size - 1, y + 1);
  for (int32_t k = 1; k < law->size; k++) yhat[k] = y[k];
  yhat[0] = normal;
}

perp_status perp_friction_within(const perp_law *law, const void *state, const double *M,
                                 int32_t ld, const double *q, double *lambda, double *work) {
  const double mu = friction_of(law)->mu;
  (void)state;
  return law->size == 2 ? perp_contact_2d_within(M, ld, q, mu, lambda, work)
                        : perp_contact_3d_within(M, ld, q, mu, lambda, work);
}

perp_status perp_friction_local(const perp_law *law, const void *state, const double *M, int32_t ld,
                                const double *q, double *lambda) {
  double work = CONTACT_VISIT_WORK;
  return perp_friction_within(law, state, M, ld, q, lambda, &work);
}

/* The law asks for it between the sum of both velocities, so the old one's part joins q. */
static void add_restitution(int32_t size, double e_n, double e_t, const double *ydot, double *q) {
  q[0] += e_n * ydot[0];
  for (int32_t k = 1; k < size; k++) q[k] += e_t * ydot[k];
}

static void friction_restitute(const perp_law *law, const void *state, const double *ydot,
                               double *q) {
  (void)state;
  add_restitution(law->size, friction_of(law)->e_n, friction_of(law)->e_t, ydot, q);
}

static perp_status friction_check(const perp_law *law, perp_info *info) {
  const perp_friction *f = friction_of(law);
  perp_status status = law_check_number("mu", f->mu, 0, DBL_MAX, info);
  if (status == PERP_OK) status = law_check_number("e_n", f->e_n, 0, 1, info);
  return status == PERP_OK ? law_check_number("e_t", f->e_t, -1, 1, info) : status;
}

const perp_field *perp_friction_fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_NUMBERS(perp_friction, mu, 3), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops friction_ops = {.struct_size = sizeof(perp_law_ops),
                                          .set = PERP_SET_CONE,
                                          .unilateral = 1,
                                          .name = "friction",
                                          .check = friction_check,
                                          .project = perp_friction_project,
                                          .jacobian = perp_friction_jacobian,
                                          .shift = perp_friction_shift,
                                          .local = perp_friction_local,
                                          .restitute = friction_restitute,
                                          .local_within = perp_friction_within,
                                          .fields = perp_friction_fields};

/* The usual case of a contact in the plane: in space, where a third direction of its own has no
 * velocity and so no force. */
static int planar_usual(const double *M, int32_t ld, const double *q, double mu, double *lambda) {
  const double W[9] = {M[0], M[1], 0, M[ld], M[ld + 1], 0, 0, 0, M[ld + 1]};
  const double velocity[3] = {q[0], q[1], 0};
  double force[3];
  if (!perp_contact_3d_usual(W, 3, velocity, mu, force)) return 0;
  memcpy(lambda, force, 2 * sizeof *lambda);
  return 1;
}

/* Take-off and the usual cases; the rest is left to who solves the problem. */
static perp_status small_local(const perp_law *law, const void *state, const double *M, int32_t ld,
                               const double *q, double *lambda) {
  const double mu = friction_of(law)->mu;
  (void)state;
  if (q[0] >= 0 && all_finite((size_t)law->size, q)) {
    memset(lambda, 0, (size_t)law->size * sizeof *lambda);
    return PERP_OK;
  }
  const int known = law->size == 2 ? planar_usual(M, ld, q, mu, lambda)
                                   : perp_contact_3d_usual(M, ld, q, mu, lambda);
  return known ? PERP_OK : PERP_INACCURATE;
}

static const perp_law_ops small_friction_ops = {.struct_size = sizeof(perp_law_ops),
                                                .set = PERP_SET_CONE,
                                                .unilateral = 1,
                                                .name = "friction",
                                                .check = friction_check,
                                                .project = perp_friction_project,
                                                .shift = perp_friction_shift,
                                                .local = small_local,
                                                .restitute = friction_restitute,
                                                .fields = perp_friction_fields};

/* ---- rolling ---- */

static void rolling_project(const perp_law *law, const void *state, const double *x, double *p) {
  (void)state;
  perp_rolling_project(law->size, rolling_of(law)->mu, rolling_of(law)->mu_rolling, x, p);
}

static void rolling_jacobian(const perp_law *law, const void *state, const double *x, double *J) {
  (void)state;
  perp_rolling_jacobian(law->size, rolling_of(law)->mu, rolling_of(law)->mu_rolling, x, J);
}

static void rolling_shift(const perp_law *law, const void *state, const double *y, double *yhat) {
  const perp_rolling *r = rolling_of(law);
  const int32_t half = (law->size - 1) / 2;
  (void)state;
  const double normal =
      y[0] + r->mu * cone_norm(half, y + 1) + r->mu_rolling * cone_norm(half, y + 1 + half);
  for (int32_t k = 1; k < law->size; k++) yhat[k] = y[k];
  yhat[0] = normal;
}

static perp_status rolling_within(const perp_law *law, const void *state, const double *M,
                                  int32_t ld, const double *q, double *lambda, double *work) {
  (void)state;
  return perp_contact_rolling_within(law->size, M, ld, q, rolling_of(law)->mu,
                                     rolling_of(law)->mu_rolling, lambda, work);
}

static perp_status rolling_local(const perp_law *law, const void *state, const double *M,
                                 int32_t ld, const double *q, double *lambda) {
  double work = CONTACT_VISIT_WORK;
  return rolling_within(law, state, M, ld, q, lambda, &work);
}

static void rolling_restitute(const perp_law *law, const void *state, const double *ydot,
                              double *q) {
  (void)state;
  add_restitution(law->size, rolling_of(law)->e_n, rolling_of(law)->e_t, ydot, q);
}

static perp_status rolling_check(const perp_law *law, perp_info *info) {
  const perp_rolling *r = rolling_of(law);
  perp_status status = law_check_number("mu", r->mu, 0, DBL_MAX, info);
  if (status == PERP_OK) status = law_check_number("mu_rolling", r->mu_rolling, 0, DBL_MAX, info);
  if (status == PERP_OK) status = law_check_number("e_n", r->e_n, 0, 1, info);
  return status == PERP_OK ? law_check_number("e_t", r->e_t, -1, 1, info) : status;
}

static const perp_field *rolling_fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_NUMBERS(perp_rolling, mu, 4), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops rolling_ops = {.struct_size = sizeof(perp_law_ops),
                                         .set = PERP_SET_ROLLING,
                                         .unilateral = 1,
                                         .name = "rolling",
                                         .check = rolling_check,
                                         .project = rolling_project,
                                         .jacobian = rolling_jacobian,
                                         .shift = rolling_shift,
                                         .local = rolling_local,
                                         .restitute = rolling_restitute,
                                         .local_within = rolling_within,
                                         .fields = rolling_fields};

/* ---- construction ---- */

perp_status perp_friction_init(perp_friction *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->law, &friction_ops, sizeof *law, 3);
  return PERP_OK;
}

perp_status perp_friction_small_init(perp_friction *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->law, &small_friction_ops, sizeof *law, 3);
  return PERP_OK;
}

perp_status perp_rolling_init(perp_rolling *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->law, &rolling_ops, sizeof *law, 5);
  return PERP_OK;
}
