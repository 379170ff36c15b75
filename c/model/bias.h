/* SPDX-License-Identifier: MIT */
/* γ: the rate that ẏ has beside that of the velocities, for every relation. */
#ifndef PERP_MODEL_BIAS_H
#define PERP_MODEL_BIAS_H

#include "perp/experimental.h"

/* Doubles of scratch for perp_relation_bias(): those of evaluate are among them. */
size_t perp_relation_bias_doubles(const perp_relation *relation, const perp_system *const *systems,
                                  int32_t n_systems);

/* gamma (m entries) := γ at a point, λ = 0: relations whose y or ẏ depend on λ are for the caller
 * to refuse. Order 2: ÿ = H v̇ + γ, γ = d/ds ẏ(t + s, q ⊕ s v, v) at s = 0; order 1: ẏ = H ẋ + γ, γ
 * = ∂h/∂t. By the kind's own bias, 0 where there are constant terms, otherwise by differences
 * (curve.h) of what evaluate gives, 9 evaluations where it is smooth; errors are about
 * 1e-13 |H| |v| / T, T = min(1 s, |q|/|v|).
 * at->lambda and at->lambda_before are not read. systems: those that are joined, as at->q, at->v
 * hold them. Answers as a callback. */
int32_t perp_relation_bias(const perp_relation *relation, const perp_system *const *systems,
                           int32_t n_systems, const perp_relation_point *at, double *gamma,
                           double *scratch);

#endif
