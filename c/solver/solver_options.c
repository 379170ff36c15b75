/* SPDX-License-Identifier: MIT */
#include "solver/solver_options.h"

#include <string.h>

#include "base/finite.h"
#include "base/overlap.h"
#include "linalg/sparse_table.h"

/* How options that have more than the common fields begin. */
typedef struct own_options {
  perp_solver_options common;
  const char *kind;
} own_options;

static const perp_solver_options plain = {.struct_size = (uint32_t)sizeof(perp_solver_options),
                                          .tol = PERP_DEFAULT_TOL};

void perp_solver_options_init(perp_solver_options *opts, size_t size) {
  perp_options_fill(opts, size, &plain, sizeof plain);
}

double perp_solver_budget(int32_t n) {
  const double part = n > 20 ? n / 20.0 : 1;
  return 5e7 * part * part * part;
}

/* What tells whose fields follow the common ones. It is compared as a pointer, never read: what
 * somebody else's struct has in its place may be anything. */
static const char *kind_of(const perp_solver_options *o) {
  return o->struct_size >= PERP_THROUGH(own_options, kind) ? ((const own_options *)o)->kind : NULL;
}

perp_status perp_solver_options_read(const void *defaults, const void *options, void *out,
                                     perp_info *info) {
  const perp_solver_options *d = defaults == NULL ? &plain : defaults, *in = options;
  memcpy(out, d, d->struct_size);
  if (in == NULL) return PERP_OK;
  if (in->struct_size < sizeof *in)
    return fail(info, PERP_EINVAL, "struct_size", -1, in->struct_size);
  if (in->struct_size > sizeof *in && kind_of(in) != kind_of(d))
    return fail_field(info, kind_of(d) == NULL ? "perp_solver_options" : kind_of(d), -1);
  if (perp_options_read(out, d->struct_size, in, sizeof *in) != PERP_OK)
    return fail_field(info, "struct_size", -1);
  if (!(in->tol >= 0)) return fail(info, PERP_EINVAL, "tol", -1, in->tol);
  if (!(in->budget >= 0)) return fail(info, PERP_EINVAL, "budget", -1, in->budget);
  return in->max_iter < 0 ? fail(info, PERP_EINVAL, "max_iter", -1, in->max_iter) : PERP_OK;
}

perp_status perp_options_in_range(const option_range *ranges, const void *options,
                                  perp_info *info) {
  for (const option_range *r = ranges; r != NULL && r->name != NULL; r++) {
    const void *at = (const char *)options + r->offset;
    if (r->kind >= OPTION_SPARSE) {
      if (!sparse_table_ok(*(const perp_sparse *const *)at, r->kind == OPTION_SYMMETRIC))
        return fail_field(info, r->name, -1);
      continue;
    }
    const double x = r->kind == OPTION_INT ? *(const int32_t *)at : *(const double *)at;
    const int inside =
        r->kind == OPTION_OPEN ? x > r->least && x < r->most : x >= r->least && x <= r->most;
    if (!inside) return fail(info, PERP_EINVAL, r->name, -1, x);
  }
  return PERP_OK;
}

perp_status perp_entries_check(int32_t n, const double *q, size_t rows, size_t cols, size_t ld,
                               const double *M, perp_info *info) {
  if (!perp_all_finite((size_t)n, q)) {
    const size_t at = first_not_finite((size_t)n, q);
    return fail(info, PERP_ENOTFINITE, "q", (int32_t)at, q[at]);
  }
  if (ld == rows && perp_all_finite(rows * cols, M)) return PERP_OK;
  for (size_t j = 0; j < cols; j++) {
    if (perp_all_finite(rows, M + ld * j)) continue;
    const size_t at = ld * j + first_not_finite(rows, M + ld * j);
    return fail(info, PERP_ENOTFINITE, "M", at > INT32_MAX ? -1 : (int32_t)at, M[at]);
  }
  return PERP_OK;
}

perp_status perp_lcp_arrays_check(int32_t n, int32_t ld, const double *M, const double *q,
                                  const double *z, const double *w, perp_info *info) {
  if (n < 0) return fail(info, PERP_EINVAL, "n", -1, n);
  if (ld < n) return fail(info, PERP_EINVAL, "ld", -1, ld);
  if (n > 0 && M == NULL) return fail_field(info, "M", -1);
  if (n > 0 && q == NULL) return fail_field(info, "q", -1);
  if (n > 0 && z == NULL) return fail_field(info, "z", -1);
  if (n > 0 && w == NULL) return fail_field(info, "w", -1);
  if (overlap(z, w, n)) return fail_field(info, "w overlaps z", -1);
  const size_t m = (size_t)n;
  return perp_entries_check(n, q, m, m, (size_t)ld, M, info);
}
