/* SPDX-License-Identifier: MIT */
/* A rigid body, q = (x, Q), v = (ẋ, Ω):
 *
 *   diag(m 1, I) v̇ = ( f + F(t, q, v),  T(t, q, v) − Ω × IΩ ),     T := RᵀT if given in the fixed
 *   frame,    q ⊕ d = (x + d_x, Q * exp(d_r/2)).
 *
 * B(q) u(t, q, v) of control is added to the right-hand side.
 * Derivatives:  ∂(−Ω × IΩ)/∂Ω = [IΩ]× − [Ω]× I;  with R(Q * exp(δ/2)) = R exp([δ]×), a torque T of
 * the fixed frame has  d(RᵀT) = Rᵀ dT + (RᵀT) × δ. */
#include "model/body.h"
#include "base/finite.h"
#include "base/info.h"
#include "model/check.h"
#include "model/control.h"
#include "model/head.h"
#include "model/rotation.h"
#include "perp/newton_euler.h"

static const perp_body *body_of(const perp_system *system) {
  return (const perp_body *)(const void *)system;
}

void perp_rotation_matrix(const double Q[4], double R[9]) {
  if (Q != NULL && R != NULL) rotation_of(Q, R);
}

void perp_rotation_quaternion(const double axis[3], double angle, double Q[4]) {
  if (axis == NULL || Q == NULL) return;
  const double length = sqrt(dot3(axis, axis));
  double s;
  perp_sincos(0.5 * angle, &s, &Q[0]);
  for (int32_t i = 0; i < 3; i++) Q[1 + i] = s * (axis[i] / length);
}

void perp_body_move(const double q[7], const double d[6], double out[7]) {
  double turn[4], Q[4];
  if (q == NULL || d == NULL || out == NULL) return;
  quaternion_exp(&d[3], turn);
  quaternion_product(&q[3], turn, Q);
  for (int32_t i = 0; i < 3; i++) out[i] = q[i] + d[i];
  for (int32_t i = 0; i < 4; i++) out[3 + i] = Q[i];
}

static void move(const perp_system *system, const double *q, const double *d, double *out) {
  (void)system;
  perp_body_move(q, d, out);
}

/* Q̇ = Q * (0, Ω)/2. */
static void rate(const perp_system *system, const double *q, const double *v, double *qdot) {
  (void)system;
  const double spin[4] = {0, 0.5 * v[3], 0.5 * v[4], 0.5 * v[5]};
  for (int32_t i = 0; i < 3; i++) qdot[i] = v[i];
  quaternion_product(&q[3], spin, &qdot[3]);
}

static int32_t mass(const perp_system *system, double t, const double *q, double *M,
                    double *scratch) {
  (void)t, (void)q, (void)scratch;
  const perp_body *body = body_of(system);
  for (size_t i = 0; i < 3; i++) {
    M[i * 7] = body->mass;
    for (size_t j = 0; j < 3; j++) M[3 + i + 6 * (3 + j)] = body->inertia[i + 3 * j];
  }
  return 0;
}

/* out := F or T of a callback, 0 without; a torque of the fixed frame stays in it. */
static int32_t evaluate(const perp_body *body, perp_body_fn function, double t, const double *q,
                        const double *v, double *out) {
  out[0] = out[1] = out[2] = 0;
  return function == NULL ? 0 : function(t, q, v, out, body->user);
}

/* −Ω × IΩ added to the torque. */
static void add_gyroscopic_torque(const perp_body *body, const double *v, double *torque) {
  double spin[3], gyro[3];
  multiply3(body->inertia, &v[3], spin);
  cross3(&v[3], spin, gyro);
  for (int32_t i = 0; i < 3; i++) torque[i] -= gyro[i];
}

static size_t scratch_doubles(const perp_system *system) {
  return perp_control_doubles(&body_of(system)->control, 6);
}

static control_point point(const perp_body *body, double t, const double *q, const double *v) {
  return (control_point){.n = 6, .t = t, .q = q, .v = v, .z = body->z, .move = perp_body_move};
}

static int32_t force(const perp_system *system, double t, const double *q, const double *v,
                     double *f, double *scratch) {
  const perp_body *body = body_of(system);
  int32_t answer = evaluate(body, body->force, t, q, v, f);
  if (answer == 0) answer = evaluate(body, body->torque, t, q, v, &f[3]);
  if (answer != 0) return answer;
  for (int32_t i = 0; i < 3; i++) f[i] += body->f[i];
  if (body->torque != NULL && body->torque_frame == PERP_FRAME_FIXED) {
    double R[9], torque[3];
    memcpy(torque, &f[3], sizeof torque);
    rotation_of(&q[3], R);
    multiply3_transposed(R, torque, &f[3]);
  }
  if (body->gyroscopic != PERP_GYROSCOPIC_NONE) add_gyroscopic_torque(body, v, &f[3]);
  if (body->control.n_u == 0) return 0;
  const control_point at = point(body, t, q, v);
  return perp_control_force(&body->control, &at, f, scratch);
}

/* Derivatives by differences forward: column j of by_d, then of by_v (3 x 6 each). */
static int32_t differences(const perp_body *body, perp_body_fn function, double t, const double *q,
                           const double *v, double *by_d, double *by_v) {
  double base[3];
  int32_t answer = evaluate(body, function, t, q, v, base);
  for (size_t j = 0; j < 12 && answer == 0; j++) {
    double moved[7], rate[6], d[6] = {0}, at[3];
    const double size = fabs(j < 3 ? q[j] : j < 6 ? 1 : v[j - 6]);
    const double wanted = 0x1p-26 * (size > 1 ? size : 1);
    memcpy(moved, q, sizeof moved);
    memcpy(rate, v, sizeof rate);
    double step = wanted;
    if (j < 6) {
      d[j] = wanted;
      perp_body_move(q, d, moved);
      if (j < 3) step = moved[j] - q[j];
    } else {
      rate[j - 6] += wanted;
      step = rate[j - 6] - v[j - 6];
    }
    answer = evaluate(body, function, t, moved, rate, at);
    double *column = j < 6 ? &by_d[3 * j] : &by_v[3 * (j - 6)];
    for (int32_t i = 0; i < 3; i++) column[i] = (at[i] - base[i]) / step;
  }
  return answer;
}

/* by_d and by_v (3 x 6, 0 before) of one callback. */
static int32_t derivatives(const perp_body *body, perp_body_fn function,
                           perp_body_jacobian_fn jacobian, double t, const double *q,
                           const double *v, double *by_d, double *by_v) {
  if (function == NULL) return 0;
  return jacobian != NULL ? jacobian(t, q, v, by_d, by_v, body->user)
                          : differences(body, function, t, q, v, by_d, by_v);
}

/* Derivatives of a torque of the fixed frame, turned into those of RᵀT. */
static int32_t turn_derivatives(const perp_body *body, double t, const double *q, const double *v,
                                double *by_d, double *by_v) {
  double torque[3], R[9], here[3], skew[9], column[3];
  int32_t answer = evaluate(body, body->torque, t, q, v, torque);
  if (answer != 0) return answer;
  rotation_of(&q[3], R);
  multiply3_transposed(R, torque, here);
  skew3(here, skew);
  for (size_t j = 0; j < 6; j++) {
    memcpy(column, &by_d[3 * j], sizeof column);
    multiply3_transposed(R, column, &by_d[3 * j]);
    memcpy(column, &by_v[3 * j], sizeof column);
    multiply3_transposed(R, column, &by_v[3 * j]);
  }
  for (size_t k = 0; k < 9; k++) by_d[9 + k] += skew[k];
  return 0;
}

/* J(rows row..row+2, all columns) += part (3 x 6). */
static void place(const double *part, size_t row, double *J) {
  for (size_t j = 0; j < 6; j++)
    for (size_t i = 0; i < 3; i++) J[row + i + 6 * j] += part[i + 3 * j];
}

/* df_dv += ∂(−Ω × IΩ)/∂Ω = [IΩ]× − [Ω]× I. */
static void add_gyroscopic(const perp_body *body, const double *v, double *df_dv) {
  double spin[3], A[9], B[9], C[9];
  multiply3(body->inertia, &v[3], spin);
  skew3(spin, A);
  skew3(&v[3], B);
  product3(B, body->inertia, C);
  for (size_t j = 0; j < 3; j++)
    for (size_t i = 0; i < 3; i++) df_dv[3 + i + 6 * (3 + j)] += A[i + 3 * j] - C[i + 3 * j];
}

/* df_dq and df_dv of the callbacks. */
static int32_t external_jacobians(const perp_body *body, double t, const double *q, const double *v,
                                  double *df_dq, double *df_dv) {
  double by_d[2][18] = {{0}}, by_v[2][18] = {{0}};
  int32_t answer = derivatives(body, body->force, body->force_jacobian, t, q, v, by_d[0], by_v[0]);
  if (answer == 0)
    answer = derivatives(body, body->torque, body->torque_jacobian, t, q, v, by_d[1], by_v[1]);
  if (answer == 0 && body->torque != NULL && body->torque_frame == PERP_FRAME_FIXED)
    answer = turn_derivatives(body, t, q, v, by_d[1], by_v[1]);
  if (answer != 0) return answer;
  for (size_t k = 0; k < 2; k++) {
    place(by_d[k], 3 * k, df_dq);
    place(by_v[k], 3 * k, df_dv);
  }
  return 0;
}

static int32_t jacobians(const perp_system *system, double t, const double *q, const double *v,
                         double *df_dq, double *df_dv, double *scratch) {
  const perp_body *body = body_of(system);
  if (body->gyroscopic == PERP_GYROSCOPIC_IMPLICIT) add_gyroscopic(body, v, df_dv);
  if (body->force != NULL || body->torque != NULL) {
    const int32_t answer = external_jacobians(body, t, q, v, df_dq, df_dv);
    if (answer != 0) return answer;
  }
  if (body->control.n_u == 0) return 0;
  const control_point at = point(body, t, q, v);
  return perp_control_jacobians(&body->control, &at, df_dq, df_dv, scratch);
}

static void energy(const perp_system *system, double t, const double *q, const double *v,
                   double *kinetic, double *potential, double *scratch) {
  (void)t, (void)scratch;
  const perp_body *body = body_of(system);
  double spin[3];
  multiply3(body->inertia, &v[3], spin);
  *kinetic = 0.5 * (body->mass * dot3(v, v) + dot3(&v[3], spin));
  *potential = -dot3(body->f, q);
}

/* Whether a symmetric 3 x 3 matrix is positive definite, by its leading minors. */
static int is_definite(const double *I) {
  const double second = I[0] * I[4] - I[1] * I[3];
  double c[3];
  cross3(&I[3], &I[6], c);
  return I[0] > 0 && second > 0 && dot3(I, c) > 0;
}

static perp_status check_inertia(const double *I, perp_info *info) {
  const size_t bad = first_not_finite(9, I);
  if (bad < 9) return fail_of(info, PERP_OF_BODY, PERP_ENOTFINITE, "inertia", (int32_t)bad, I[bad]);
  double size = 0;
  for (int32_t k = 0; k < 9; k++) size = fabs(I[k]) > size ? fabs(I[k]) : size;
  for (int32_t k = 1; k < 8; k++)
    if (!(fabs(I[k] - I[3 * (k % 3) + k / 3]) <= 1e-12 * size))
      return fail_of(info, PERP_OF_BODY, PERP_EINVAL, "inertia", k, I[k]);
  double scaled[9];
  for (int32_t k = 0; k < 9; k++) scaled[k] = I[k] / size;
  return is_definite(scaled) ? PERP_OK
                             : fail_of(info, PERP_OF_BODY, PERP_EINVAL, "inertia", -1, I[0]);
}

static perp_status check_control(const perp_body *body, perp_info *info) {
  const perp_status status = perp_check_parameters(body->z, body->n_z, info);
  return status == PERP_OK ? perp_control_check(&body->control, 6, 2, info) : status;
}

static perp_status check(const perp_system *system, const double *q0, const double *v0,
                         perp_info *info) {
  (void)v0;
  const perp_body *body = body_of(system);
  if (system->n != 6) return fail_of(info, PERP_OF_BODY, PERP_EINVAL, "systems.n", -1, system->n);
  if (!is_finite(body->mass))
    return fail_of(info, PERP_OF_BODY, PERP_ENOTFINITE, "mass", -1, body->mass);
  if (!(body->mass > 0)) return fail_of(info, PERP_OF_BODY, PERP_EINVAL, "mass", -1, body->mass);
  perp_status status = check_inertia(body->inertia, info);
  if (status == PERP_OK) status = check_control(body, info);
  if (status != PERP_OK) return status;
  const size_t bad = first_not_finite(3, body->f);
  if (bad < 3) return fail_of(info, PERP_OF_BODY, PERP_ENOTFINITE, "f", (int32_t)bad, body->f[bad]);
  if (body->torque_frame != PERP_FRAME_BODY && body->torque_frame != PERP_FRAME_FIXED)
    return fail_of(info, PERP_OF_BODY, PERP_EINVAL, "torque_frame", -1, body->torque_frame);
  if (body->gyroscopic < PERP_GYROSCOPIC_IMPLICIT || body->gyroscopic > PERP_GYROSCOPIC_NONE)
    return fail_of(info, PERP_OF_BODY, PERP_EINVAL, "gyroscopic", -1, body->gyroscopic);
  if (q0 == NULL)
    return fail_of(info, PERP_OF_BODY, PERP_EINVAL, "q0", -1, 0); /* 0 is no unit quaternion */
  const size_t number = first_not_finite(7, q0);
  if (number < 7)
    return fail_of(info, PERP_OF_BODY, PERP_ENOTFINITE, "q0", (int32_t)number, q0[number]);
  const double length = sqrt(dot3(&q0[3], &q0[3]) + q0[6] * q0[6]);
  return fabs(length - 1) <= 1e-9 ? PERP_OK
                                  : fail_of(info, PERP_OF_BODY, PERP_EINVAL, "q0", 3, length);
}

/* The derivatives in the form of other callbacks, one of two at a time; user is the body. */
#define PART(name, fn, by_d, by_v)                                                              \
  static int32_t name(double t, const double *q, const double *v, const double *z, double *out, \
                      void *user) {                                                             \
    const perp_body *body = (const perp_body *)user;                                            \
    double other[18];                                                                           \
    (void)z;                                                                                    \
    memset(other, 0, sizeof other);                                                             \
    return body->fn(t, q, v, by_d, by_v, body->user);                                           \
  }
PART(force_by_d, force_jacobian, out, other)
PART(force_by_v, force_jacobian, other, out)
PART(torque_by_d, torque_jacobian, out, other)
PART(torque_by_v, torque_jacobian, other, out)

static int32_t force_call(double t, const double *q, const double *v, const double *z, double *out,
                          void *user) {
  const perp_body *body = (const perp_body *)user;
  (void)z;
  return body->force(t, q, v, out, body->user);
}

static int32_t torque_call(double t, const double *q, const double *v, const double *z, double *out,
                           void *user) {
  const perp_body *body = (const perp_body *)user;
  (void)z;
  return body->torque(t, q, v, out, body->user);
}

static int32_t given(const perp_system *system, int32_t k, perp_jacobian *out) {
  const perp_body *body = body_of(system);
  union { /* handed on as the user pointer of calls that only read it */
    const perp_body *read;
    void *user;
  } me = {body};
  const perp_control *c = &body->control;
  const perp_callback_fn f = body->force != NULL ? force_call : NULL;
  const perp_callback_fn g = body->torque != NULL ? torque_call : NULL;
  const int f_given = body->force_jacobian != NULL, g_given = body->torque_jacobian != NULL;
  const perp_jacobian all[] = {
      {"force", f, NULL, me.user, NULL, NULL, 3, 1, PERP_BY_NONE, 1},
      {"torque", g, NULL, me.user, NULL, NULL, 3, 1, PERP_BY_NONE, 1},
      {"control.u", c->u, NULL, c->user, body->z, NULL, c->n_u, 1, PERP_BY_NONE, 1},
      {"control.effect", c->effect, NULL, c->user, body->z, NULL, 6, c->n_u, PERP_BY_NONE, 1},
      {"force_jacobian, by_d", f, f_given ? force_by_d : NULL, me.user, NULL, NULL, 3, 6, PERP_BY_A,
       1},
      {"force_jacobian, by_v", f, f_given ? force_by_v : NULL, me.user, NULL, NULL, 3, 6, PERP_BY_B,
       1},
      {"torque_jacobian, by_d", g, g_given ? torque_by_d : NULL, me.user, NULL, NULL, 3, 6,
       PERP_BY_A, 1},
      {"torque_jacobian, by_v", g, g_given ? torque_by_v : NULL, me.user, NULL, NULL, 3, 6,
       PERP_BY_B, 1},
      {"control.u_dq", c->u, c->u_dq, c->user, body->z, NULL, c->n_u, 6, PERP_BY_A, 1},
      {"control.u_dv", c->u, c->u_dv, c->user, body->z, NULL, c->n_u, 6, PERP_BY_B, 1}};
  return jacobian_pick(all, 10, k, out);
}

static const perp_field *fields(const perp_system *system) {
  static const perp_field all[] = {FIELD_NUMBERS(perp_body, mass, 1),
                                   FIELD_NUMBERS(perp_body, inertia, 9),
                                   FIELD_NUMBERS(perp_body, f, 3),
                                   FIELD_INTEGER(perp_body, torque_frame),
                                   FIELD_INTEGER(perp_body, gyroscopic),
                                   FIELD_USER(perp_body, user),
                                   FIELD_CONTROL(perp_body),
                                   FIELD_PARAMETERS(perp_body, z, n_z),
                                   FIELD_END};
  (void)system;
  return all;
}

static const perp_system_ops ops = {.struct_size = (uint32_t)sizeof(perp_system_ops),
                                    .order = 2,
                                    .name = "Newton-Euler body",
                                    .bytes = sizeof(perp_body),
                                    .extra_q = 1,
                                    .constant_mass = 1,
                                    .scratch_doubles = scratch_doubles,
                                    .mass = mass,
                                    .force = force,
                                    .jacobians = jacobians,
                                    .move = move,
                                    .rate = rate,
                                    .energy = energy,
                                    .check = check,
                                    .jacobian = given,
                                    .fields = fields};

int perp_body_is_free(const perp_system *system) {
  if (system->ops != &ops) return 0;
  const perp_body *body = body_of(system);
  return body->force == NULL && body->torque == NULL && body->control.n_u == 0;
}

double perp_body_pull(const perp_system *system, double f[3]) {
  if (system->ops != &ops) return 0;
  const perp_body *body = body_of(system);
  for (int32_t i = 0; i < 3; i++) f[i] = body->f[i];
  return body->mass;
}

int perp_body_is_linear(const perp_system *system) {
  if (!perp_body_is_free(system)) return 0;
  const perp_body *body = body_of(system);
  const double *I = body->inertia;
  for (int32_t k = 1; k < 8; k++)
    if (I[k] != (k == 4 ? I[0] : 0)) return body->gyroscopic == PERP_GYROSCOPIC_NONE;
  return I[8] == I[0] || body->gyroscopic == PERP_GYROSCOPIC_NONE;
}

perp_status perp_body_init(perp_body *body, size_t size) {
  const perp_status status = system_init(body, size, 6, &ops);
  if (status != PERP_OK) return status;
  body->mass = 1;
  for (size_t i = 0; i < 3; i++) body->inertia[4 * i] = 1;
  return PERP_OK;
}
