/* SPDX-License-Identifier: MIT */
/** @file check.h
 * Checks that help to find mistakes in a model's callbacks. See docs/verification.md. */
#ifndef PERP_CHECK_H
#define PERP_CHECK_H

#include "perp/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a wrong derivative was found. */
enum {
  PERP_FOUND_NOTHING = 0, /**< every derivative agrees                    */
  PERP_FOUND_SYSTEM = 1,  /**< in a system                                */
  PERP_FOUND_RELATION = 2 /**< in the relation of an interaction          */
};

/** What perp_model_check_derivatives() found: counts, and the worst wrong entry. */
typedef struct perp_derivative_report {
  uint32_t struct_size; /**< sizeof(perp_derivative_report): PERP_DERIVATIVE_REPORT_INIT */
  int32_t compared;     /**< Jacobians compared                                         */
  int32_t wrong;        /**< of them with a wrong entry                                 */
  int32_t found;        /**< PERP_FOUND_NOTHING ... PERP_FOUND_RELATION                 */
  int32_t index;        /**< which system or interaction, -1: none                      */
  int32_t row;          /**< of the entry, from 0; -1: see overrun                      */
  int32_t column;       /**< of the entry, from 0; -1: see overrun                      */
  int32_t overrun;      /**< numbers the callback wrote behind the end of the Jacobian: it is of
                             another shape than rows x columns                          */
  const char *jacobian; /**< static: the field of the callback, or "evaluate: H" where what a
                             relation gives as a whole disagrees with itself; NULL: none */
  double given;         /**< what the callback wrote                                    */
  double expected;      /**< what differences of its function say                       */
  double error;         /**< |given − expected| over what is allowed                     */
} perp_derivative_report;

/** Initialiser: `perp_derivative_report report = PERP_DERIVATIVE_REPORT_INIT;` */
#define PERP_DERIVATIVE_REPORT_INIT \
  { (uint32_t)sizeof(perp_derivative_report), 0, 0, 0, -1, -1, -1, 0, NULL, 0.0, 0.0, 0.0 }

/** Bytes that perp_model_check_derivatives() needs; 0 if the model is refused by
 * perp_model_check(). Since 0.1. */
PERP_API size_t perp_model_check_derivatives_workspace(const perp_model *model);

/**
 * Compare every Jacobian that a callback of the model gives with differences of order four of its
 * function, at one state; and what each varying relation gives as a whole with itself: H with the
 * rate of y, D, B and K with differences, also where they are said to be 0.
 *
 * An entry is wrong if |given − expected| exceeds tol max(|given|, |expected|) and what differences
 * can tell. At zero many mistakes hide: choose a state whose entries all differ from 0.
 * @param model   checked by perp_model_check() first
 * @param t       time
 * @param q, v, x  positions, velocities, states of all systems; NULL: the initial values
 * @param lambda  multipliers of all interactions, at order 2 as forces; NULL: between 1 and 2
 * @param tol     relative tolerance, >= 0; 1e-6 is a good one
 * @param work    any alignment, bytes of it
 * @param[out] report  may be NULL; after a refusal jacobian and index tell the field
 * @return PERP_OK: all agree; PERP_INACCURATE: report names the worst wrong entry; PERP_ECALLBACK:
 * a callback gave up, the report names it; PERP_ENOTFINITE; PERP_EINVAL; PERP_EWORKSPACE; what
 * perp_model_check() says
 * A function that asks for a smaller step or is not finite beside the state leaves its column
 * unchecked. Since 0.1. */
PERP_API perp_status perp_model_check_derivatives(const perp_model *model, double t,
                                                  const double *q, const double *v, const double *x,
                                                  const double *lambda, double tol, void *work,
                                                  size_t bytes, perp_derivative_report *report);

/**
 * Call every callback of the model's systems and relations once, at the initial values with λ = 0,
 * and see whether it writes behind its last value (up to 16 doubles behind it, at least). What it
 * answers otherwise does not matter. perp_simulation_create() and perp_event_driven_create() do it;
 * perp_model_check_derivatives() finds the same.
 * @param model  checked by perp_model_check() first
 * @param t      time
 * @param work   any alignment, bytes of it: perp_model_check_derivatives_workspace()
 * @param[out] info  may be NULL: the callback, the system or interaction, and how many numbers
 * behind its end it wrote
 * @return PERP_OK; PERP_ECALLBACK; PERP_EINVAL, PERP_ENOTFINITE, PERP_EWORKSPACE; what
 * perp_model_check() says. Allocates nothing. Since 0.2. */
PERP_API perp_status perp_model_check_callbacks(const perp_model *model, double t, void *work,
                                                size_t bytes, perp_info *info);

/** Bytes that perp_model_relative_degree() needs; 0 if the model or the index is refused. Since
 * 0.1.
 */
PERP_API size_t perp_model_relative_degree_workspace(const perp_model *model, int32_t interaction);

/**
 * Relative degree of each row of a relation: how often y has to be differentiated until λ shows.
 *
 *   order 1:  0 where D has a nonzero in the row, else the first k with (C A^{k−1} M⁻¹B)_i ≠ 0,
 *             A = M⁻¹(∂f/∂x + K): 1 for an ideal diode at a capacitor, 2 at a coil behind it;
 *   order 2:  0 where y depends on λ (compliant), 1 where ẏ does or the relation has no position,
 *             2 where λ acts on ÿ: contacts and joints;
 *   −1:       λ never acts on the row: its law cannot be met by this interaction.
 *
 * It is that of the systems joined, without what other interactions do, linearised at one state.
 * Time-stepping takes 0, 1 and 2; beyond, an order-1 scheme solves a row only through what h leaves
 * of its entry in the one-step matrix, h^k (C A^{k−1} B), which rounding eats.
 * @param model        checked by perp_model_check() first
 * @param interaction  which
 * @param t            time
 * @param q, v, x      positions, velocities, states of all systems; NULL: the initial values
 * @param[out] degree  rows of the relation
 * @param work         any alignment, bytes of it
 * @param[out] info    may be NULL
 * @return PERP_OK, PERP_EINVAL (also a singular M), PERP_EWORKSPACE, PERP_ECALLBACK, PERP_RETRY,
 * what perp_model_check() says. Since 0.1. */
PERP_API perp_status perp_model_relative_degree(const perp_model *model, int32_t interaction,
                                                double t, const double *q, const double *v,
                                                const double *x, int32_t *degree, void *work,
                                                size_t bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
