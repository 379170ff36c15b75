/* SPDX-License-Identifier: MIT */
/* The judge of one contact with friction. Where size counts it is not called. */
#include "problem/contact_parts.h"
#include "problem/residual_small.h"

/* ‖x‖ with the bits of perp_residual_norm(). */
static inline double small_norm(int32_t n, const double *x) {
  double sum = 0;
  for (int32_t k = 0; k < n; k++) sum += x[k] * x[k];
  return residual_out_of_range(sum) >> 63 == 0 ? sqrt(sum) : perp_residual_norm(x, n);
}

/* Of dense M. 0: the problem is in some way special, and nothing is said. */
UNROLLED int small_contact(int32_t n, const perp_problem *p, const double *lambda, double *y,
                           perp_residual *out) {
  small_sums sums;
  double norm[RESIDUAL_FEW];
  small_dense(n, p, lambda, &sums);
  write_y(n, &sums, y);
  const small_size size = size_of(n, &sums);
  for (int32_t i = 0; i < n; i += 2) pair_store(norm + i, pair_root(sums.squares[i / 2]));
  const double c = residual_positive(small_norm(n, norm)), reach = c * small_norm(n, lambda);
  const contact_parts parts = contact_parts_of(p->laws[0], c, NULL, lambda, y, 0);
  residual_maximum most = {0, 0};
  residual_raise(&most, 0, parts.r[0]);
  residual_raise(&most, 1, parts.r[1]);
  const double plain = residual_rounding(n, size.scale), of_laws = residual_laws_rounding(reach);
  write_answer(p, &size, PERP_SET_CONE, most, plain > of_laws ? plain : of_laws, out);
  const double force = cone_norm(n - 1, lambda + 1);
  for (int32_t k = 1; force > 0 && k < n; k++) out->creep += y[k] * (lambda[k] / force);
  return size.sound && parts.r[0] + parts.r[1] <= DBL_MAX &&
         !residual_laws_are_coarse(reach, size.scale, size.hat);
}

UNROLLED int judge_contact(const perp_problem *p, const double *lambda, double *y,
                           perp_residual *out) {
  if (p->n_blocks != 1 || p->laws[0]->size != p->n || p->M.kind != PERP_DENSE) return 0;
  if (p->weight != NULL || p->floor != NULL) return 0;
  if (p->n == 2) return small_contact(2, p, lambda, y, out);
  return p->n == 3 && small_contact(3, p, lambda, y, out);
}

void perp_residual_contact(const perp_problem *p, const double *lambda, double *y,
                           perp_residual *out, double *scratch) {
  if (!judge_contact(p, lambda, y, out)) perp_residual_of_any(p, lambda, y, out, scratch);
}
