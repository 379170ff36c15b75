/* SPDX-License-Identifier: MIT */
/** @file check.h
 * Checks that help to find mistakes in a model's callbacks. See docs/check.md. */
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

#ifdef __cplusplus
}
#endif
#endif
