/* SPDX-License-Identifier: MIT */
/** @file pivoting.h
 * Solvers that exchange unknowns between a basis and its complement: Lemke, Murty, block and box
 * pivoting, the active set of symmetric M, enumeration, and Lemke for friction in the plane. */
#ifndef PERP_PIVOTING_H
#define PERP_PIVOTING_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- lemke ----------------------------------------------------------------------------------- */

/* Lemke's complementary pivoting for the linear complementarity problem
 * w = M z + q, 0 ≤ z ⟂ w ≥ 0. See docs/theory-lcp.md; [CPS92] Cottle, Pang, Stone, The Linear
 * Complementarity Problem, 1992, section 4.4. */

/** Options of Lemke's method. */
typedef struct perp_lemke_options {
  uint32_t struct_size;   /**< set by perp_lemke_options_init()                   */
  int32_t max_iter;       /**< pivots allowed, those after a warm start, at most half of them,
                               included; 0 picks 1000 + 50 n for every beginning  */
  double tol;             /**< accepted relative residual, >= 0                   */
  perp_observer observe;  /**< called once per pivot, NULL: nobody; variables are numbered w_i: i,
                               z_i: n + i, z0: 2 n, and merit is z0               */
  void *user;             /**< handed to observe                                  */
  double budget;          /**< multiply-adds allowed, 0: perp_solver_budget()     */
  const char *kind;       /**< set by perp_lemke_options_init(): whose options these are */
  const double *covering; /**< covering vector d > 0, n entries; NULL: all ones   */
} perp_lemke_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_lemke_options_init(perp_lemke_options *opts, size_t size);

/** Defaults by value. */
static inline perp_lemke_options perp_lemke_options_default(void) {
  perp_lemke_options o;
  perp_lemke_options_init(&o, sizeof o);
  return o;
}

/**
 * Lemke's method as a descriptor: complementarity laws, M zero, diagonal, dense or blocks (taken
 * as dense). Lexicographic ratio test, so it cannot cycle; starts from the modes of a warm start
 * where their basis is regular, and from the beginning if that ends on a ray. Processes
 * copositive-plus M (positive semidefinite included). A ray goes to perp_info.ray; where it proves
 * that there is no solution, as for monotone problems, the status is PERP_INFEASIBLE, and so it is
 * where up to 32 unknowns have another such proof, of any M; otherwise PERP_RAY, which proves
 * nothing.
 * Workspace 8 n (n + 8) bytes and little more. Since 0.1. */
PERP_API const perp_solver *perp_solver_lemke(void);

/** Upper bound of perp_lcp_lemke_workspace(n) as a constant expression for static arrays. */
#define PERP_LCP_LEMKE_WORKSPACE(n) (8 * (size_t)(n) * ((size_t)(n) + 8) + 256 + PERP_MARGIN(n))

/** Upper bound of the workspace and warm bytes of Lemke's method in a simulation with n rows. */
#define PERP_LEMKE_BYTES(n) \
  (PERP_LCP_LEMKE_WORKSPACE(n) + 8 * (size_t)(n) * (size_t)(n) + 48 * (size_t)(n) + 256)

/** Bytes perp_lcp_lemke() needs for n unknowns; 0 if n < 0 or the answer overflows. Since 0.1. */
PERP_API size_t perp_lcp_lemke_workspace(int32_t n);

/**
 * Solve  w = M z + q,  0 <= z ⟂ w >= 0  by Lemke's method. In perp::perp this is perp_lcp_solve()
 * with perp_solver_lemke(). In perp::core, for firmware, it is code of its own: the same pivots in
 * under 8 KiB on Cortex-M7, but with n^2 operations each, and not always the same last bits.
 * @param problem  M and q, not modified
 * @param opts     NULL: defaults
 * @param[out] z,w n each, may not overlap; on failure the last basic point
 * @param work     work_bytes bytes of any alignment
 * @param[out] info  may be NULL
 * @return PERP_OK (verified), PERP_INFEASIBLE, PERP_RAY, PERP_MAX_ITER, PERP_STOPPED,
 * PERP_INACCURATE, or < 0
 * Allocates nothing, prints nothing; parallel calls need distinct z, w, work, info. Since 0.1. */
PERP_API perp_status perp_lcp_lemke(const perp_lcp *problem, const perp_lemke_options *opts,
                                    double *z, double *w, void *work, size_t work_bytes,
                                    perp_info *info);

/* --- murty ----------------------------------------------------------------------------------- */

/* Murty's least-index principal pivoting for problems with laws by component (equality,
 * complementarity, box) and a P-matrix. See docs/theory-lcp.md; Murty, Opsearch 11 (1974)
 * 123-130; [CPS92] section 4.7. */

/**
 * Murty's method as a descriptor. M in any kind of storage (taken as dense). Finite for
 * P-matrices: never more than 2^n - 1 pivots for complementarity, a bound that is reached. Starts
 * from the modes of a warm start, and keeps them; else all bounded unknowns are at the bound
 * nearest to 0. For other M it may end in PERP_RAY (a pivot is 0), which proves nothing.
 * Options: ::perp_solver_options, max_iter counts pivots, 0 picks 1000 + 50 n; the observer is
 * called once per pivot, merit: infeasible unknowns after it, up to rounding.
 * @return in solve: PERP_OK (verified), PERP_RAY, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE.
 * Since 0.1. */
PERP_API const perp_solver *perp_solver_murty(void);

/** Upper bound of its workspace for dense M with n unknowns, as a constant expression. */
#define PERP_MURTY_WORKSPACE(n) \
  (16 * (size_t)(n) * (size_t)(n) + 50 * (size_t)(n) + 64 + PERP_MARGIN(n))

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_MURTY_BYTES(n) \
  (24 * (size_t)(n) * (size_t)(n) + 84 * (size_t)(n) + 128 + PERP_MARGIN(n))

/* --- block pivoting -------------------------------------------------------------------------- */

/* Block principal pivoting for problems with laws by component (equality, complementarity, box) and
 * a P-matrix that need not be symmetric, with a finite safeguard; a proximal outer loop where M is
 * monotone but singular. Dense inside. See docs/theory-lcp.md; Júdice and Pires, Computers &
 * Operations Research 21 (1994) 587-596. */

/** Options of block pivoting. */
typedef struct perp_block_pivoting_options {
  uint32_t struct_size;  /**< set by perp_block_pivoting_options_init()                 */
  int32_t max_iter;      /**< bases allowed; 0 picks 200 + 20 n                         */
  double tol;            /**< accepted relative residual, >= 0                          */
  perp_observer observe; /**< called once per basis, NULL: nobody; merit: infeasible
                              unknowns, infinity if M_FF is singular; entering, leaving: only
                              after a single exchange                                   */
  void *user;            /**< handed to observe                                         */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()            */
  const char *kind;      /**< set by perp_block_pivoting_options_init(): whose options these are */
  double proximal;       /**< σ / (largest entry of M) of the proximal loop, > 0; it runs only
                              where a singular M_FF or no end is met; default 1e-6      */
  int32_t patience;      /**< block exchanges without a new least number of infeasible unknowns
                              before single ones take over, >= 0; default 5             */
  int32_t reserved;      /**< 0                                                         */
} perp_block_pivoting_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_block_pivoting_options_init(perp_block_pivoting_options *opts, size_t size);

/** Defaults by value. */
static inline perp_block_pivoting_options perp_block_pivoting_options_default(void) {
  perp_block_pivoting_options o;
  perp_block_pivoting_options_init(&o, sizeof o);
  return o;
}

/**
 * Block pivoting as a descriptor. M in any kind of storage (a dense one is used in place, others
 * are copied), symmetric or not. Starts from the modes of a warm start, and keeps them.
 * Finite for P-matrices; solves monotone problems, singular ones included, by the proximal loop.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (a certificate was found, info.ray),
 * PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE. Since 0.1. */
PERP_API const perp_solver *perp_solver_block_pivoting(void);

/** Upper bound of its workspace for dense M with n unknowns, as a constant expression. */
#define PERP_BLOCK_PIVOTING_WORKSPACE(n) \
  (8 * (size_t)(n) * (size_t)(n) + 106 * (size_t)(n) + 64 + PERP_MARGIN(n))

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_BLOCK_PIVOTING_BYTES(n) \
  (16 * (size_t)(n) * (size_t)(n) + 140 * (size_t)(n) + 128 + PERP_MARGIN(n))

/* --- box pivoting ---------------------------------------------------------------------------- */

/* Complementary pivoting with bounded variables for −(M λ + q) ∈ N_[l,u](λ): linear complementarity
 * problems, mixed ones with free unknowns, relays. M may be any matrix. See docs/theory-mcp.md;
 * Cao and Ferris, Mathematics of Operations Research 21 (1996) 44-64. */

/** Options of the pivotal method for boxes. */
typedef struct perp_box_pivoting_options {
  uint32_t struct_size;   /**< set by perp_box_pivoting_options_init()                  */
  int32_t max_iter;       /**< pivots allowed in all; 0 picks 1000 + 50 n               */
  double tol;             /**< accepted relative residual, >= 0                         */
  perp_observer observe;  /**< called once per pivot, NULL: nobody; variables are numbered y_i: i,
                               λ_i: n + i, t: 2 n (entering = leaving: λ_i went from one bound to
                               the other), and merit is t                               */
  void *user;             /**< handed to observe                                        */
  double budget;          /**< multiply-adds allowed, 0: perp_solver_budget()           */
  const char *kind;       /**< set by perp_box_pivoting_options_init(): whose options these are */
  const double *covering; /**< covering vector d > 0, n entries; NULL: all ones         */
  double proximal;        /**< first σ of the proximal loop, in equilibrated units, > 0; it runs
                               only where pivoting fails and M may be monotone; default
                               1e-6                                                     */
} perp_box_pivoting_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_box_pivoting_options_init(perp_box_pivoting_options *opts, size_t size);

/** Defaults by value. */
static inline perp_box_pivoting_options perp_box_pivoting_options_default(void) {
  perp_box_pivoting_options o;
  perp_box_pivoting_options_init(&o, sizeof o);
  return o;
}

/**
 * The pivotal method for boxes as a descriptor: laws by component (equality, complementarity, box),
 * M zero, diagonal, dense or blocks (taken as dense, zeros skipped where free unknowns are
 * eliminated). Lexicographic, so it cannot cycle; starts from the modes of a warm start where their
 * basis is regular, and from the beginning if that fails. Sure for monotone problems; otherwise
 * PERP_RAY proves nothing. Two-sided bounds cost nothing beyond one-sided ones.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (proved, with the certificate as ray),
 * PERP_RAY, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE.
 * Workspace about 16 n² bytes. Since 0.1. */
PERP_API const perp_solver *perp_solver_box_pivoting(void);

/** Upper bound of its workspace for n unknowns, as a constant expression. */
#define PERP_BOX_PIVOTING_WORKSPACE(n)                  \
  (16 * (size_t)(n) * (size_t)(n) + 229 * (size_t)(n) + \
   8 * (2 * (size_t)(n) + 3) * (((size_t)(n) + 63) / 64) + 64 + PERP_MARGIN(n))

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_BOX_PIVOTING_BYTES(n) (PERP_BOX_PIVOTING_WORKSPACE(n) + 34 * (size_t)(n) + 64)

/* --- active set ------------------------------------------------------------------------------ */

/* Active-set method for one-step problems with symmetric positive definite M and laws by
 * component (equality, complementarity, box): block principal pivoting with a finite safeguard,
 * on an envelope factorisation. Semidefinite M is handled by a proximal outer loop.
 * See docs/theory-mcp.md; Júdice and Pires, Computers & Operations Research 21 (1994) 587-596;
 * Kostreva, Linear Algebra Appl. 21 (1978) 207-215. */

/** Options of the active-set method. */
typedef struct perp_active_set_options {
  uint32_t struct_size;  /**< set by perp_active_set_options_init()                     */
  int32_t max_iter;      /**< factorisations allowed; 0 picks 100 + 10 n                */
  double tol;            /**< accepted relative residual, >= 0                          */
  perp_observer observe; /**< called once per factorisation (one used again counts too), NULL:
                              nobody; merit: infeasible unknowns, infinity if M_FF is not
                              positive definite; entering, leaving: only in the safeguard */
  void *user;            /**< handed to observe                                         */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()            */
  const char *kind;      /**< set by perp_active_set_options_init(): whose options these are */
  double proximal;       /**< σ / (largest diagonal entry of M) of the proximal loop, > 0; it
                              runs only where M is found not to be positive definite;
                              default 1e-6                                              */
} perp_active_set_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_active_set_options_init(perp_active_set_options *opts, size_t size);

/** Defaults by value. */
static inline perp_active_set_options perp_active_set_options_default(void) {
  perp_active_set_options o;
  perp_active_set_options_init(&o, sizeof o);
  return o;
}

/**
 * The active-set method as a descriptor. M symmetric positive (semi)definite in any kind of
 * storage; only the entries on and below the diagonal enter the factor (all enter the
 * verification). Work and memory are linear in n for a banded M: number neighbours closely.
 * With a warm start whose stamp and modes agree with the last solve the factor is used again.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (semidefinite M, with a certificate found),
 * PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE. Since 0.1. */
PERP_API const perp_solver *perp_solver_active_set(void);

/** Upper bound of the solver's workspace for n unknowns, as a constant expression; envelope as
 * in ::perp_shape (2 n for a tridiagonal matrix, n (n + 1) / 2 for a dense one). */
#define PERP_ACTIVE_SET_WORKSPACE(n, envelope) \
  (8 * (size_t)(envelope) + 128 * (size_t)(n) + 64 + PERP_MARGIN(n))

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_ACTIVE_SET_BYTES(n, envelope) \
  (PERP_ACTIVE_SET_WORKSPACE(n, envelope) + 8 * (size_t)(envelope) + 56 * (size_t)(n) + 64)

/* --- enumeration ----------------------------------------------------------------------------- */

/* All solutions of small problems with laws by component, whatever the matrix: a search over the
 * modes of the unknowns. See docs/theory-lcp.md. */

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
  (8 * (size_t)(n) * (2 * (size_t)(n) * (size_t)(n) + 7 * (size_t)(n) + 164) + 128 + PERP_MARGIN(n))

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

/* --- friction lemke -------------------------------------------------------------------------- */

/* Friction in the plane as a linear complementarity problem, solved by Lemke's pivoting. See
 * docs/theory-friction-methods.md. Sources: Klarbring, Comput. Methods Appl. Mech. Eng. 58 (1986)
 * 175-200; Stewart and Trinkle, Int. J. Numer. Meth. Eng. 39 (1996) 2673-2691. */

/**
 * Lemke's method for friction in the plane as a descriptor: friction with law.size 2, beside laws
 * by component (equality, complementarity, box); M zero, diagonal, dense or blocks (taken as
 * dense). Finite, and exact: the answer is the solution of linear equations. For M symmetric
 * positive semidefinite and q in its range (mechanics) it ends with a solution, whatever μ is.
 * Options: ::perp_solver_options, max_iter counts pivots in all, 0 picks 1000 + 50 N for each of
 * its two forms, N unknowns of the complementarity problem; the observer is called once per pivot,
 * merit is the artificial variable.
 * @return in solve: PERP_OK (verified), PERP_RAY (proves nothing here), PERP_MAX_ITER,
 * PERP_STOPPED, PERP_INACCURATE; a problem with friction in space is PERP_EUNSUPPORTED. Workspace
 * about 100 n² bytes: 2000 unknowns at most. The start lambda is not used. Since 0.1. */
PERP_API const perp_solver *perp_solver_friction_lemke(void);

/** Upper bound of its workspace for n unknowns of friction and complementarity laws, as a constant
 * expression; in a simulation with n rows, too. */
#define PERP_FRICTION_LEMKE_WORKSPACE(n)                \
  (32 * (size_t)(n) * (size_t)(n) + 224 * (size_t)(n) + \
   PERP_LCP_LEMKE_WORKSPACE(2 * (size_t)(n)) + 128)

#ifdef __cplusplus
}
#endif
#endif
