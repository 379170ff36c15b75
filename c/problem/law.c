/* SPDX-License-Identifier: MIT */
/* The laws by component, all of the form -y in N_[l,u](lambda):
 *
 *   equality [-inf, inf],   complementarity and Newton impact [0, inf],   box [l, u].
 *
 * Comparisons are written so that a NaN argument comes out as NaN. */
#include "perp/law.h"

#include <float.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "problem/law_kinds.h"

static double clamp(double x, double lower, double upper) {
  return x > upper ? upper : x < lower ? lower : x;
}

/* Whether the exact solution of one copy can be written down: one finite component. Larger copies
 * are a solver's work. */
static perp_status local_check(const perp_law *law, const double *M, const double *q,
                               double *lambda) {
  if (law->size != 1) return PERP_EUNSUPPORTED;
  lambda[0] = 0;
  return is_finite(M[0]) && is_finite(q[0]) ? PERP_OK : PERP_ENOTFINITE;
}

/* ---- equality ---- */

static void free_project(const perp_law *law, const void *state, const double *x, double *p) {
  (void)state;
  if (p != x) memmove(p, x, (size_t)law->size * sizeof *p);
}

/* Diagonal matrix from 0/1 entries that the caller writes afterwards. */
static size_t zero_square(const perp_law *law, double *J) {
  size_t n = (size_t)law->size;
  for (size_t i = 0; i < n * n; i++) J[i] = 0;
  return n;
}

static void free_jacobian(const perp_law *law, const void *state, const double *x, double *J) {
  (void)state;
  (void)x;
  size_t n = zero_square(law, J);
  for (size_t i = 0; i < n; i++) J[i + n * i] = 1;
}

static perp_status free_local(const perp_law *law, const void *state, const double *M, int32_t ld,
                              const double *q, double *lambda) {
  (void)state;
  (void)ld;
  perp_status status = local_check(law, M, q, lambda);
  if (status != PERP_OK || q[0] == 0) return status;
  if (M[0] == 0) return PERP_RAY;
  lambda[0] = -q[0] / M[0];
  return PERP_OK;
}

static perp_status equality_check(const perp_law *law, perp_info *info) {
  return law->struct_size >= sizeof(perp_equality) ? PERP_OK : fail_field(info, "struct_size", -1);
}

static const perp_law_ops equality_ops = {.struct_size = sizeof(perp_law_ops),
                                          .set = PERP_SET_FREE,
                                          .name = "equality",
                                          .check = equality_check,
                                          .project = free_project,
                                          .jacobian = free_jacobian,
                                          .local = free_local};

/* ---- complementarity, Newton impact ---- */

void perp_orthant_project(const perp_law *law, const void *state, const double *x, double *p) {
  (void)state;
  for (int32_t i = 0; i < law->size; i++) p[i] = x[i] < 0 ? 0 : x[i];
}

void perp_orthant_jacobian(const perp_law *law, const void *state, const double *x, double *J) {
  (void)state;
  size_t n = zero_square(law, J);
  for (size_t i = 0; i < n; i++) J[i + n * i] = x[i] > 0 ? 1 : 0;
}

/* q >= 0 is solved by 0 whatever M is; q < 0 needs M > 0. */
perp_status perp_orthant_local(const perp_law *law, const void *state, const double *M, int32_t ld,
                               const double *q, double *lambda) {
  (void)state;
  (void)ld;
  perp_status status = local_check(law, M, q, lambda);
  if (status != PERP_OK || q[0] >= 0) return status;
  if (!(M[0] > 0)) return PERP_RAY;
  lambda[0] = -q[0] / M[0];
  return PERP_OK;
}

static perp_status complementarity_check(const perp_law *law, perp_info *info) {
  return law->struct_size >= sizeof(perp_complementarity) ? PERP_OK
                                                          : fail_field(info, "struct_size", -1);
}

static const perp_law_ops complementarity_ops = {.struct_size = sizeof(perp_law_ops),
                                                 .set = PERP_SET_ORTHANT,
                                                 .unilateral = 1,
                                                 .name = "complementarity",
                                                 .check = complementarity_check,
                                                 .project = perp_orthant_project,
                                                 .jacobian = perp_orthant_jacobian,
                                                 .local = perp_orthant_local};

/* ---- box ---- */

perp_status perp_box_check(const perp_law *law, perp_info *info) {
  const perp_box *box = (const perp_box *)law;
  if (law->struct_size < sizeof(perp_box)) return fail_field(info, "struct_size", -1);
  if (box->lower == NULL) return fail_field(info, "lower", -1);
  if (box->upper == NULL) return fail_field(info, "upper", -1);
  for (int32_t i = 0; i < law->size; i++) {
    double l = box->lower[i], u = box->upper[i];
    if (!(l <= DBL_MAX)) return fail(info, PERP_ENOTFINITE, "lower", i, l);
    if (!(u >= -DBL_MAX)) return fail(info, PERP_ENOTFINITE, "upper", i, u);
    if (l > u) return fail(info, PERP_EINVAL, "lower", i, l);
  }
  return PERP_OK;
}

void perp_box_bounds(const perp_law *law, double *lower, double *upper) {
  const perp_box *box = (const perp_box *)law;
  memcpy(lower, box->lower, (size_t)law->size * sizeof *lower);
  memcpy(upper, box->upper, (size_t)law->size * sizeof *upper);
}

void perp_box_project(const perp_law *law, const void *state, const double *x, double *p) {
  const perp_box *box = (const perp_box *)law;
  (void)state;
  for (int32_t i = 0; i < law->size; i++) p[i] = clamp(x[i], box->lower[i], box->upper[i]);
}

void perp_box_jacobian(const perp_law *law, const void *state, const double *x, double *J) {
  const perp_box *box = (const perp_box *)law;
  (void)state;
  size_t n = zero_square(law, J);
  for (size_t i = 0; i < n; i++)
    J[i + n * i] = x[i] > box->lower[i] && x[i] < box->upper[i] ? 1 : 0;
}

/* M > 0: the zero of y, clamped. M <= 0: whichever of l, u and a zero of y between them solves;
 * none does only where a bound is infinite. */
perp_status perp_box_local(const perp_law *law, const void *state, const double *M, int32_t ld,
                           const double *q, double *lambda) {
  const perp_box *box = (const perp_box *)law;
  (void)state;
  (void)ld;
  perp_status status = local_check(law, M, q, lambda);
  if (status != PERP_OK) return status;
  double l = box->lower[0], u = box->upper[0], m = M[0], b = q[0];
  double zero = b == 0 ? 0 : -b / m; /* of y; not finite where m = 0 */
  if (m > 0 || (b == 0 && (m == 0 || (l <= 0 && u >= 0))))
    lambda[0] = clamp(zero, l, u);
  else if (l >= -DBL_MAX && m * l + b >= 0)
    lambda[0] = l;
  else if (u <= DBL_MAX && m * u + b <= 0)
    lambda[0] = u;
  else if (m < 0 && zero >= l && zero <= u)
    lambda[0] = zero;
  else
    return PERP_RAY;
  return PERP_OK;
}

const perp_field *perp_box_fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_VECTOR(perp_box, lower, law.size),
                                   FIELD_VECTOR(perp_box, upper, law.size), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops box_ops = {.struct_size = sizeof(perp_law_ops),
                                     .set = PERP_SET_BOX,
                                     .name = "box",
                                     .check = perp_box_check,
                                     .bounds = perp_box_bounds,
                                     .project = perp_box_project,
                                     .jacobian = perp_box_jacobian,
                                     .local = perp_box_local,
                                     .fields = perp_box_fields};

/* ---- construction and check ---- */

perp_status perp_equality_init(perp_equality *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->law, &equality_ops, sizeof *law, 1);
  return PERP_OK;
}

perp_status perp_complementarity_init(perp_complementarity *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->law, &complementarity_ops, sizeof *law, 1);
  return PERP_OK;
}

perp_status perp_box_init(perp_box *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->law, &box_ops, sizeof *law, 1);
  return PERP_OK;
}

/* Solvers read more than the head of a law of these sets. */
static size_t least_struct(int32_t set) {
  if (set == PERP_SET_POLYHEDRON) return sizeof(perp_polyhedron);
  if (set == PERP_SET_CONE) return sizeof(perp_friction);
  return set == PERP_SET_ROLLING ? sizeof(perp_rolling) : sizeof(perp_law);
}

/* What the set of a law demands of its size and its operations. */
static perp_status check_table(const perp_law *law, perp_info *info) {
  const perp_law_ops *ops = law->ops;
  if (ops->struct_size < PERP_THROUGH(perp_law_ops, commit_step))
    return fail(info, PERP_EINVAL, "ops", -1, ops->struct_size);
  if (ops->set < PERP_SET_FREE || ops->set > PERP_SET_OTHER)
    return fail(info, PERP_EINVAL, "set", -1, ops->set);
  if (ops->unilateral != 0 && ops->unilateral != 1)
    return fail(info, PERP_EINVAL, "unilateral", -1, ops->unilateral);
  if (ops->bounded != 0 && ops->bounded != 1)
    return fail(info, PERP_EINVAL, "bounded", -1, ops->bounded);
  if (ops->set == PERP_SET_BOX && ops->bounds == NULL) return fail_field(info, "bounds", -1);
  if (ops->set > PERP_SET_BOX && ops->project == NULL && ops->project_with == NULL)
    return fail_field(info, "project", -1);
  if (ops->project_with != NULL && ops->project_doubles == NULL)
    return fail_field(info, "project_doubles", -1);
  if (law->struct_size < least_struct(ops->set))
    return fail(info, PERP_EINVAL, "struct_size", -1, law->struct_size);
  if ((ops->set == PERP_SET_CONE || ops->set == PERP_SET_ROLLING) && ops->shift == NULL)
    return fail_field(info, "shift", -1);
  if (ops->acts != NULL && ops->unilateral != 1) return fail_field(info, "acts", -1);
  if (ops->state_bytes != NULL && ops->state_init == NULL)
    return fail_field(info, "state_init", -1);
  int bad_cone = ops->set == PERP_SET_CONE && law->size != 2 && law->size != 3;
  int bad_rolling = ops->set == PERP_SET_ROLLING && law->size != 3 && law->size != 5;
  return bad_cone || bad_rolling ? fail(info, PERP_EINVAL, "size", -1, law->size) : PERP_OK;
}

perp_status perp_law_check(const perp_law *law, perp_info *info) {
  info_clear(info);
  if (law == NULL) return fail_field(info, "law", -1);
  if (law->ops == NULL) return fail_field(info, "ops", -1);
  if (law->struct_size < sizeof(perp_law))
    return fail(info, PERP_EINVAL, "struct_size", -1, law->struct_size);
  if (law->size < 1) return fail(info, PERP_EINVAL, "size", -1, law->size);
  perp_status status = check_table(law, info);
  if (status != PERP_OK || law->ops->check == NULL) return status;
  status = law->ops->check(law, info);
  return status > 0 ? PERP_EINVAL : status; /* a check knows no honest ending */
}
