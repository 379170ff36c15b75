/* SPDX-License-Identifier: MIT */
/** @file enumeration.h
 * All solutions of small problems with laws by component, whatever the matrix: a search over the
 * modes of the unknowns. See docs/enumeration.md. */
#ifndef PERP_ENUMERATION_H
#define PERP_ENUMERATION_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most unknowns that can be enumerated. */
#define PERP_ENUMERATION_MAX 25

/**
 * The enumeration as a descriptor: the first solution found, or the proof that there is none. At
 * most PERP_ENUMERATION_MAX unknowns; any M, in any kind of storage.
 * Options: ::perp_solver_options, max_iter counts nodes of the search, 0 picks 2^27, more than an
 * LCP has; the observer is called once per node, entering: the unknown that is free from this node
 * on, leaving: the one that is at a bound, merit: solutions found so far.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (every cell is refuted from M and q),
 * PERP_RAY (no solution was found, and nothing is proven), PERP_MAX_ITER, PERP_STOPPED.
 * Since 0.1. */
PERP_API const perp_solver *perp_solver_enumeration(void);

/** Upper bound of its workspace, and of perp_lcp_enumerate_workspace() and its mixed kin, for n
 * unknowns, as a constant expression; in a simulation with n rows, too. */
#define PERP_ENUMERATION_WORKSPACE(n) \
  (8 * (size_t)(n) * (2 * (size_t)(n) * (size_t)(n) + 7 * (size_t)(n) + 155) + 64)

/** Takes one solution: z and w = M z + q, n entries, valid during the call.
 * @return 0 to go on, anything else to stop */
typedef int32_t (*perp_enumeration_visit)(const double *z, const double *w, void *user);

/** What a search found. */
typedef struct perp_enumeration_report {
  uint32_t struct_size; /**< sizeof(perp_enumeration_report), set by the caller               */
  int32_t solutions;    /**< calls of visit                                                   */
  int32_t nodes;        /**< nodes of the search                                              */
  int32_t complete;     /**< 1: all cells were searched, and no decision was near its rounding,
                             so that there is no other solution outside the faces            */
  int32_t faces;        /**< solutions that are one point of a set with infinitely many, or may
                             be: their free block is singular                                 */
} perp_enumeration_report;

/** Initialiser: `perp_enumeration_report report = PERP_ENUMERATION_REPORT_INIT;` A report whose
 * size was not set is left alone. */
#define PERP_ENUMERATION_REPORT_INIT \
  { (uint32_t)sizeof(perp_enumeration_report), 0, 0, 0, 0 }

/** Bytes perp_lcp_enumerate() needs; 0 if n < 0 or n > PERP_ENUMERATION_MAX. Since 0.1. */
PERP_API size_t perp_lcp_enumerate_workspace(int32_t n);

/**
 * Visit all solutions of an LCP. An isolated solution comes once; of a connected set of infinitely
 * many at least one point.
 * @param problem  M and q, not modified; n <= PERP_ENUMERATION_MAX
 * @param opts     NULL: defaults
 * @param visit    called for every solution, each verified; may not be NULL
 * @param user     handed to visit
 * @param[out] report  may be NULL
 * @param work     work_bytes bytes of any alignment
 * @param[out] info  may be NULL; iterations: nodes; residuals of the last solution
 * @return PERP_OK (at least one solution, search ended), PERP_INFEASIBLE, PERP_RAY, PERP_MAX_ITER,
 * PERP_STOPPED (by visit or the observer), or < 0
 * Allocates nothing; parallel calls need distinct work, info, report. Since 0.1. */
PERP_API perp_status perp_lcp_enumerate(const perp_lcp *problem, const perp_solver_options *opts,
                                        perp_enumeration_visit visit, void *user,
                                        perp_enumeration_report *report, void *work,
                                        size_t work_bytes, perp_info *info);

/** As perp_lcp_enumerate_workspace(), for perp_mlcp_enumerate(). Since 0.1. */
PERP_API size_t perp_mlcp_enumerate_workspace(int32_t n);

/** As perp_lcp_enumerate(), for the box form. An unknown with two finite bounds has three modes, so
 * that 16 of them may take as long as 25 of an LCP. Since 0.1. */
PERP_API perp_status perp_mlcp_enumerate(const perp_mlcp *problem, const perp_solver_options *opts,
                                         perp_enumeration_visit visit, void *user,
                                         perp_enumeration_report *report, void *work,
                                         size_t work_bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
