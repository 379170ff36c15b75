/* SPDX-License-Identifier: MIT */
/** @file multiple_impact.h
 * Impacts at several contacts at once, by the energetic law of Liu, Zhao and Brogliato (LZB): the
 * contacts are springs of given ratios of stiffness; velocities and potential energies follow each
 * other through the impulse, positions do not move.
 *
 * With primary contact j (the one with the largest potential energy, or, where all are 0, the
 * fastest compression), contact i takes  dP_i = (κ_i/κ_j)^(1/(η+1)) (E_i/E_j)^(η/(η+1)) dP_j,
 * v := v + M⁻¹Hᵀ dP,  dE_i = −ẏ_i dP_i; E_i is the energy of its spring. Expansion ends where
 * a contact has given back e_i² of what it took; a contact that is compressed again begins anew.
 *
 * That curve of impulses without the 0/0 at its beginning, and without a primary contact:
 * dP_i = κ_i s_i^η dτ,  ds_i = −ẏ_i dτ, with E_i = κ_i s_i^(η+1)/(η+1). That is what is integrated.
 * Sources: Liu, Zhao and Brogliato, Proc. R. Soc. A 464 (2008) 3193-3211 and 465 (2009) 1-23;
 * Nguyen and Brogliato, Multiple Impacts in Dissipative Granular Chains, 2014;
 * docs/theory-laws.md. */
#ifndef PERP_MULTIPLE_IMPACT_H
#define PERP_MULTIPLE_IMPACT_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Springs of the contacts during an impact. With e = 0 both let go at the largest compression. */
enum {
  PERP_STIFFNESS_MONO = 0, /**< one stiffness; what is to be lost is lost at the end of expansion,
                                with a jump of the force                                     */
  PERP_STIFFNESS_BI = 1 /**< compression with κ, expansion with κ/e^(2η): the force is continuous */
};

/** Options of perp_multiple_impact(). */
typedef struct perp_multiple_impact_options {
  uint32_t struct_size; /**< set by perp_multiple_impact_options_init()                      */
  int32_t compliance;   /**< PERP_STIFFNESS_MONO or PERP_STIFFNESS_BI (default)              */
  double exponent; /**< η > 0 of force = κ δ^η: 1 linear (default), 3/2 Hertz; at most 16 */
  double step;     /**< longest step as a part of the shortest s/|ẏ| among the closed contacts, s
                        and ẏ those with which all energy of a contact would be in its spring,
                        or none; 0 < step <= 1; default 1/2. With tol = 1 it is all that counts */
  double tol;      /**< error of a step as a part of the whole, > 0, makes steps shorter; 1: none
                        is; default 1e-12                                                  */
  int32_t max_steps;       /**< default 10000000                                               */
  int32_t reserved;        /**< 0                                                              */
  const double *stiffness; /**< κ by contact, > 0; only ratios matter; NULL: all equal. In an
                                event-driven simulation: by row of all its interactions         */
} perp_multiple_impact_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_multiple_impact_options_init(perp_multiple_impact_options *opts, size_t size);

/** Defaults by value. */
static inline perp_multiple_impact_options perp_multiple_impact_options_default(void) {
  perp_multiple_impact_options o;
  perp_multiple_impact_options_init(&o, sizeof o);
  return o;
}

/** Bytes of memory that perp_multiple_impact() needs for m contacts; 0 if m is out of range.
 * Since 0.1. */
PERP_API size_t perp_multiple_impact_workspace(int32_t m);

/** Upper bound of it as a constant expression. */
#define PERP_MULTIPLE_IMPACT_WORKSPACE(m) (240 * (size_t)(m) + 64 + PERP_MARGIN(m))

/**
 * Impulses of a frictionless impact at m contacts.
 * The kinetic energy changes by impulse·ydot + impulse·W impulse/2 = −Σ energy to rounding. A
 * contact that W couples to no other gets −(1 + e) ẏ/W_ii. Afterwards ẏ >= 0 up to tol.
 * @param m        contacts, >= 0
 * @param W        m x m, column-major: H M⁻¹ Hᵀ, symmetric positive semidefinite; rows of H may
 *                 depend on each other, then ydot has to be possible: ẏ = H v for some v
 * @param ydot     m: ẏ before; negative: approaching
 * @param e        m: energetic restitution, 0 <= e <= 1: the part e² of the energy is given back
 * @param options  may be NULL
 * @param[out] impulse  m, >= 0; ẏ after is ydot + W impulse; with PERP_MAX_ITER those so far
 * @param[out] energy   m: what each contact has dissipated, >= 0 (J); may be NULL
 * @param work     work_bytes bytes of any alignment, see perp_multiple_impact_workspace()
 * @param[out] info  may be NULL: iterations (steps), or the offending argument
 * @return PERP_OK, PERP_MAX_ITER (also where springs cannot stop an impossible ydot), PERP_EINVAL,
 * PERP_ENOTFINITE, PERP_EWORKSPACE
 * Allocates nothing. Since 0.1. */
PERP_API perp_status perp_multiple_impact(int32_t m, const double *W, const double *ydot,
                                          const double *e,
                                          const perp_multiple_impact_options *options,
                                          double *impulse, double *energy, void *work,
                                          size_t work_bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
