/* SPDX-License-Identifier: MIT */
/* Writing perp_info through the size its caller declared. */
#ifndef PERP_BASE_INFO_H
#define PERP_BASE_INFO_H

#include <string.h>

#include "base/finite.h"
#include "base/options.h"

/* Size of the first published perp_info; a smaller struct_size was never initialised. */
#define PERP_INFO_V1 ((uint32_t)PERP_THROUGH(perp_info, bound))

/* Whether the caller's info can be written. */
static inline int info_ready(const perp_info *info) {
  return info != NULL && info->struct_size >= PERP_INFO_V1;
}

/* Reset all fields but struct_size, ray and ray_size; harmless for NULL. */
static inline void info_clear_inline(perp_info *info) {
  if (!info_ready(info)) return;
  info->iterations = 0;
  info->field = NULL;
  info->index = -1;
  info->worst = -1;
  info->value = 0;
  info->residual = 0;
  info->relative_residual = 0;
  info->solver = NULL;
  info->ray_kind = PERP_RAY_NONE;
  info->worst_block = -1;
  info->dissipates = -1;
  info->warnings = 0;
  info->of = PERP_OF_ENTRY;
  memset(info->violation, 0, sizeof info->violation);
  info->amplification = 0;
  info->bound = 0;
}

#if defined(__OPTIMIZE_SIZE__) /* status.c: one function for all */
void perp_info_clear(perp_info *info);
#define info_clear perp_info_clear
#else
#define info_clear info_clear_inline
#endif

/* Hand a ray of n entries to a caller who has room for it. */
static inline void info_ray(perp_info *info, int32_t kind, int32_t n, const double *ray) {
  if (!info_ready(info) || info->ray == NULL || info->ray_size < n) return;
  if (n > 0) memcpy(info->ray, ray, (size_t)n * sizeof *ray);
  info->ray_kind = kind;
}

/* Hand over a ray that proves that every solution has ||lambda||_1 >= bound. */
static inline void info_proof(perp_info *info, double bound, int32_t n, const double *ray) {
  info_ray(info, PERP_RAY_CERTIFICATE, n, ray);
  if (info_ready(info)) info->bound = bound;
}

/* Name the offending argument; index counts what `of` says. */
static inline void info_name_of(perp_info *info, uint32_t of, const char *field, int32_t index,
                                double value) {
  if (!info_ready(info)) return;
  info->field = field;
  info->index = index;
  info->value = value;
  info->of = of;
}

static inline void info_name(perp_info *info, const char *field, int32_t index, double value) {
  info_name_of(info, PERP_OF_ENTRY, field, index, value);
}

/* status.c: functions of these, one for all where size counts; elsewhere a call would cost the
 * functions around it registers. */
void perp_info_name(perp_info *info, const char *field, int32_t index, double value);
void perp_info_name_of(perp_info *info, uint32_t of, const char *field, int32_t index,
                       double value);

/* Name it and hand back the status. */
static inline perp_status fail_of(perp_info *info, uint32_t of, perp_status status,
                                  const char *field, int32_t index, double value) {
#if defined(__OPTIMIZE_SIZE__)
  perp_info_name_of(info, of, field, index, value);
#else
  info_name_of(info, of, field, index, value);
#endif
  return status;
}

/* Name an argument of the call itself: return fail(info, PERP_EINVAL, "h", -1, h); */
static inline perp_status fail(perp_info *info, perp_status status, const char *field,
                               int32_t index, double value) {
#if defined(__OPTIMIZE_SIZE__)
  perp_info_name(info, field, index, value);
#else
  info_name(info, field, index, value);
#endif
  return status;
}

/* Name what belongs to system i, to interaction i. */
static inline perp_status fail_system(perp_info *info, perp_status status, const char *field,
                                      int32_t i, double value) {
  return fail_of(info, PERP_OF_SYSTEM, status, field, i, value);
}
static inline perp_status fail_interaction(perp_info *info, perp_status status, const char *field,
                                           int32_t i, double value) {
  return fail_of(info, PERP_OF_INTERACTION, status, field, i, value);
}

/* Why a relation is refused where others are taken: the value of "relation" in an info. */
enum { RELATION_VARIES, RELATION_COMPLIANT, RELATION_OF_VELOCITIES, RELATION_OF_PIECES };
/* The same of a law; where a solver does not take it, the value is its set. */
enum { LAW_OF_IMPULSES = -1, LAW_LETS_GO = -2, LAW_OF_VELOCITIES = -3, LAW_WITHOUT_EVENTS = -4 };

/* Name what a solver does not take, and the solver. */
static inline perp_status fail_solver(perp_info *info, const char *solver, const char *field,
                                      uint32_t of, int32_t index, double value) {
  if (info_ready(info)) info->solver = solver;
  return fail_of(info, of, PERP_EUNSUPPORTED, field, index, value);
}

/* What a description refused, told for place i of those that hold it; it may have said more nearly
 * what it is. */
static inline perp_status fail_within(perp_status status, uint32_t of, int32_t i, perp_info *info) {
  if (status == PERP_OK || !info_ready(info)) return status;
  info->index = i;
  if (info->of == PERP_OF_ENTRY) info->of = of;
  return status;
}

/* Name an argument whose value is no number (a NULL pointer, a whole matrix). */
static inline perp_status fail_field(perp_info *info, const char *field, int32_t index) {
  return fail(info, PERP_EINVAL, field, index, 0.0);
}

/* PERP_OK, or the first of n entries that is not finite. */
static inline perp_status fail_not_finite(perp_info *info, const char *field, size_t n,
                                          const double *x) {
  if (perp_all_finite(n, x)) return PERP_OK;
  const size_t at = first_not_finite(n, x);
  return fail(info, PERP_ENOTFINITE, field, at > INT32_MAX ? -1 : (int32_t)at, x[at]);
}

#endif
