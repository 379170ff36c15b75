/* SPDX-License-Identifier: MIT */
/** @file vi.h
 * Variational inequalities: by callbacks, and affine ones over polyhedra. */
#ifndef PERP_VI_H
#define PERP_VI_H

#include "perp/pivoting.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- vi -------------------------------------------------------------------------------------- */

/* Variational inequalities  −F(x) ∈ N_K(x)  with F and the projection on a closed convex set K by
 * callback: fixed point of the projection, and extragradient for monotone F. The same two methods
 * as solvers of one-step problems accept every law that has a projection, the user's own included.
 * See docs/theory-mcp.md; Korpelevich, Matecon 12 (1976) 747-756; Khobotov, USSR Comput. Math.
 * Math. Phys. 27 (1987) 120-127; He and Liao, J. Optim. Theory Appl. 112 (2002) 111-128. */

/** Write F(x), n entries. @return 0: done, > 0: not here, try a shorter step, < 0: give up. */
typedef int32_t (*perp_vi_function)(const double *x, double *F, void *user);

/** Write p := P_K(x), the point of K next to x, n entries; p does not overlap x.
 * @return 0: done, other than 0: give up. */
typedef int32_t (*perp_vi_project)(const double *x, double *p, void *user);

/** −F(x) ∈ N_K(x): x ∈ K and F(x)ᵀ(z − x) ≥ 0 for all z ∈ K. Callbacks are pure. */
typedef struct perp_vi {
  int32_t n;                 /**< unknowns, >= 0               */
  int32_t reserved;          /**< 0                            */
  perp_vi_function function; /**< F                            */
  perp_vi_project project;   /**< P_K                          */
  void *user;                /**< handed to both               */
} perp_vi;

/** Options of the projection methods. */
typedef struct perp_vi_options {
  uint32_t struct_size;  /**< set by perp_vi_options_init()                                */
  int32_t max_iter;      /**< iterations allowed; 0 picks 5000                             */
  double tol;            /**< accepted relative residual, >= 0                             */
  perp_observer observe; /**< called once per iteration, NULL: nobody; merit:
                              ‖x − P(x − ρ F(x))‖ / ρ before it                            */
  void *user;            /**< handed to observe                                            */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()               */
  const char *kind;      /**< set by perp_vi_options_init(): whose options these are */
  double step;           /**< first ρ, >= 0; 0: from the differences of F at the start     */
  double ratio; /**< L of the rule ρ ‖F(x) − F(x̄)‖ <= L ‖x − x̄‖, 0 < L < 1        */
  double shrink; /**< ρ is multiplied by it where the rule fails, 0 < shrink < 1   */
  double grow; /**< and by this where ρ ‖F(x) − F(x̄)‖ < L ‖x − x̄‖ / 3, >= 1      */
} perp_vi_options;

/** Fill opts with the defaults (ratio 0.9, shrink 2/3, grow 3/2); size is sizeof of the caller's
 * struct. Since 0.1. */
PERP_API void perp_vi_options_init(perp_vi_options *opts, size_t size);

/** Defaults by value. */
static inline perp_vi_options perp_vi_options_default(void) {
  perp_vi_options o;
  perp_vi_options_init(&o, sizeof o);
  return o;
}

/** Bytes the two functions below need for n unknowns; 0 if n < 0 or the answer overflows.
 * Since 0.1. */
PERP_API size_t perp_vi_workspace(int32_t n);

/** Upper bound of perp_vi_workspace(n) as a constant expression for static arrays. */
#define PERP_VI_WORKSPACE(n) (48 * (size_t)(n) + 64 + PERP_MARGIN(n))

/**
 * Solve −F(x) ∈ N_K(x) by x := P_K(x − ρ F(x)) with adaptive ρ. Converges for F that is strongly
 * monotone, or the gradient of a convex function, and Lipschitz continuous.
 *
 * The residual is r = Λ ‖x − P_K(x − F(x) / Λ)‖₂, in units of F, with Λ the largest
 * ‖F(a) − F(b)‖ / ‖a − b‖ met; the relative one divides it by the larger of ‖F(x)‖ + Λ'‖x‖, Λ' the
 * largest such slope of late, and s₀ = ‖F(x₀)‖ + Λ₀‖x₀‖ at x₀ = P_K(0), or at the start where that
 * is 0 or F has no value at P_K(0); 0/0 = 0. Solved means: both computed anew from the callbacks at
 * the x handed out, relative residual <= tol, and r <= min(10⁻², max(10⁻⁶, 10 tol)) s₀.
 * @param problem  the callbacks
 * @param options  NULL: defaults
 * @param[in,out] x  n: start; solution; on failure the best point met
 * @param[out] F   n: F(x), may not overlap x
 * @param work     work_bytes bytes of any alignment, see perp_vi_workspace()
 * @param[out] info  may be NULL: iterations, residuals, or the offending argument
 * @return PERP_OK, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE (it diverges, no step is short
 * enough, or nothing more can be gained), PERP_RETRY (F has no value at the start, or at no point
 * near it), PERP_ECALLBACK, PERP_ENOTFINITE (from a callback, or x), PERP_EINVAL, PERP_EWORKSPACE
 * Allocates nothing; parallel calls need distinct x, F, work, info. Since 0.1. */
PERP_API perp_status perp_vi_fixed_point(const perp_vi *problem, const perp_vi_options *options,
                                         double *x, double *F, void *work, size_t work_bytes,
                                         perp_info *info);

/** The extragradient method, x̄ := P_K(x − ρ F(x)), x := P_K(x − ρ F(x̄)): two values of
 * F an iteration; converges for every monotone, Lipschitz continuous F that has a solution. Since
 * 0.1. */
PERP_API perp_status perp_vi_extragradient(const perp_vi *problem, const perp_vi_options *options,
                                           double *x, double *F, void *work, size_t work_bytes,
                                           perp_info *info);

/**
 * The fixed point as a solver of one-step problems, F(λ) = M λ + q after the law's change of
 * variable: all laws that have a projection (equality, complementarity, box, cones, polyhedra, the
 * user's own), M in any kind of storage. Scaled by the diagonal of M. Options: ::perp_vi_options;
 * the residual is that of problem.h. Since 0.1. */
PERP_API const perp_solver *perp_solver_fixed_point(void);

/** Upper bound of the workspace of both solvers for n unknowns without polyhedra, as a constant
 * expression; in a simulation with n rows, too. */
#define PERP_FIXED_POINT_WORKSPACE(n) (168 * (size_t)(n) + 128 + PERP_MARGIN(n))
/** As #PERP_FIXED_POINT_WORKSPACE. */
#define PERP_EXTRAGRADIENT_WORKSPACE(n) PERP_FIXED_POINT_WORKSPACE(n)

/** The extragradient method, for M that is positive semidefinite and need not be
 * symmetric. Since 0.1. */
PERP_API const perp_solver *perp_solver_extragradient(void);

/* --- avi ------------------------------------------------------------------------------------- */

/* Affine variational inequalities over polyhedra: λ in P = {Hλ >= K} with (Mλ + q)ᵀ(λ' − λ) >= 0
 * for every λ' in P, alone or in one problem with laws by component. See docs/theory-mcp.md. */

/** Options of the method for polyhedra. */
typedef struct perp_avi_pivoting_options {
  uint32_t struct_size;  /**< set by perp_avi_pivoting_options_init()                  */
  int32_t max_iter;      /**< iterations of the engine; 0: its own rule                */
  double tol;            /**< accepted relative residual, >= 0                         */
  perp_observer observe; /**< called by the engine, NULL: nobody; its unknowns are λ, then
                              the multipliers of the rows                              */
  void *user;            /**< handed to observe                                        */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()           */
  const char *kind;      /**< set by perp_avi_pivoting_options_init(): whose options these are */
  const perp_solver *engine; /**< solver of the box form: any that takes boxes and dense M that
                                  is not symmetric; NULL: perp_solver_box_pivoting()       */
} perp_avi_pivoting_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_avi_pivoting_options_init(perp_avi_pivoting_options *opts, size_t size);

/** Defaults by value. */
static inline perp_avi_pivoting_options perp_avi_pivoting_options_default(void) {
  perp_avi_pivoting_options o;
  perp_avi_pivoting_options_init(&o, sizeof o);
  return o;
}

/**
 * Pivoting over polyhedra as a descriptor: laws of polyhedra, mixed with equality, complementarity
 * and boxes; M zero, diagonal, dense or blocks (taken as dense). Every row of H becomes an unknown
 * μ >= 0 (two opposite rows one without sign), every λ of a polyhedron free; that problem in box
 * form goes to the engine. Sure for monotone problems, singular M included, but for those whose
 * solutions are all so large that no residual can tell (problem.h). Judged by the projection on the
 * polyhedra. λ = 0 is the answer where it solves.
 * @return in solve: PERP_OK (verified); PERP_INFEASIBLE: the engine proved that there is no
 * solution; where info has room for n + constraints entries (perp_shape), the ray holds the proof:
 * a direction in λ, then in μ row by row, and info.bound and the amplification are those of λ and μ
 * together; else the engine's ending.
 * Workspace 8 N² bytes and the engine's for N = n + rows. Since 0.1. */
PERP_API const perp_solver *perp_solver_avi_pivoting(void);

/** Upper bound of its workspace for n unknowns and m rows of polyhedra, with the default engine, as
 * a constant expression; in a simulation with n rows, too. */
#define PERP_AVI_PIVOTING_WORKSPACE(n, m)                              \
  (8 * ((size_t)(n) + (size_t)(m)) * ((size_t)(n) + (size_t)(m) + 8) + \
   PERP_BOX_PIVOTING_WORKSPACE((size_t)(n) + (size_t)(m)) + 128)

/** An affine variational inequality in dense arrays; a const view. */
typedef struct perp_avi {
  int32_t n;       /**< unknowns, n >= 0                    */
  int32_t ldM;     /**< column stride of M in doubles, >= n */
  const double *M; /**< n x n, column-major, M[i + ldM*j]   */
  const double *q; /**< n                                   */
  int32_t m;       /**< rows of H, m >= 0                   */
  int32_t ldH;     /**< column stride of H in doubles, >= m */
  const double *H; /**< m x n, column-major, H[k + ldH*j]   */
  const double *K; /**< m                                   */
} perp_avi;

/** Bytes perp_avi_pivoting() needs for n unknowns and m rows with these options (may be NULL); 0 if
 * n or m < 0 or the answer overflows. Since 0.1. */
PERP_API size_t perp_avi_pivoting_workspace(int32_t n, int32_t m,
                                            const perp_avi_pivoting_options *opts);

/**
 * Solve  −(M z + q) ∈ N_P(z),  P = {Hz >= K}.
 * @param problem  not modified; entries must be finite
 * @param opts     NULL: defaults
 * @param[in,out] z  n: start where the engine takes one; solution; on failure the last point
 * @param[out] w   n: M z + q, may not overlap z
 * @param work     work_bytes bytes of any alignment
 * @param[out] info  may be NULL
 * @return see perp_solver_avi_pivoting(), or < 0
 * Allocates nothing, prints nothing; parallel calls need distinct z, w, work, info. Since 0.1. */
PERP_API perp_status perp_avi_pivoting(const perp_avi *problem,
                                       const perp_avi_pivoting_options *opts, double *z, double *w,
                                       void *work, size_t work_bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
