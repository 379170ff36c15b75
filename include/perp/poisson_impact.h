/* SPDX-License-Identifier: MIT */
/** @file poisson_impact.h
 * Impacts at several contacts by Poisson's restitution in the form of Glocker and Pfeiffer: two
 * linear complementarity problems, one for each phase. Without friction.
 *
 *   compression  ẏ_c = ẏ⁻ + W P_c,  0 <= ẏ_c ⟂ P_c >= 0;
 *   expansion    ẏ⁺ = ẏ_c + W P_e,  0 <= ẏ⁺ ⟂ P_e − e P_c >= 0.
 *
 * Each contact gives back at least the part e of its impulse of compression, more where it would
 * be penetrated. The kinetic energy never grows: ẏ⁺ makes it least over all P_e >= e P_c, and
 * P_e = P_c would give back what compression took.
 * Sources: Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts, 1996, ch. 8;
 * Glocker, Multibody System Dynamics, doi 10.1007/s11044-013-9387-2; docs/theory-laws.md. */
#ifndef PERP_POISSON_IMPACT_H
#define PERP_POISSON_IMPACT_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of memory that perp_poisson_impact() needs for m contacts with this solver and these
 * options (may be NULL); 0 if m is out of range or the solver takes no such problem. Since 0.1. */
PERP_API size_t perp_poisson_impact_workspace(const perp_solver *solver, int32_t m,
                                              const void *options);

/** Upper bound of it as a constant expression; solver: the bound of the solver's workspace for m
 * unknowns, for example PERP_MURTY_WORKSPACE(m). */
#define PERP_POISSON_IMPACT_WORKSPACE(m, solver) \
  ((size_t)(solver) + 40 * (size_t)(m) + 64 + PERP_MARGIN(m))

/**
 * Impulses of a frictionless impact at m contacts.
 * @param solver   of both problems: any that takes complementarity and dense M
 * @param m        contacts, >= 0
 * @param W        m x m, column-major: H M⁻¹ Hᵀ, symmetric positive semidefinite
 * @param ydot     m: ẏ before; negative: approaching
 * @param e        m: Poisson's restitution, 0 <= e <= 1
 * @param options  the solver's own struct, NULL: defaults
 * @param[out] impulse  m: P_c + P_e; ẏ after is ydot + W impulse
 * @param[out] compression  m: P_c; may be NULL
 * @param work     work_bytes bytes of any alignment, see perp_poisson_impact_workspace()
 * @param[out] info  may be NULL: of the second problem (of the first, if that was not solved), its
 *                 iterations those of both; or the offending argument
 * @return as perp_lcp_solve() of the first problem that is not PERP_OK; impulse is then not written
 * Allocates nothing. Since 0.1. */
PERP_API perp_status perp_poisson_impact(const perp_solver *solver, int32_t m, const double *W,
                                         const double *ydot, const double *e, const void *options,
                                         double *impulse, double *compression, void *work,
                                         size_t work_bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
