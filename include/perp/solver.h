/* SPDX-License-Identifier: MIT */
/** @file solver.h
 * Solvers of one-step problems behind one prototype: a solver is a constant descriptor. Firmware
 * that names one solver links one solver; a user's solver is one more descriptor.
 *
 * Every options struct begins with the fields of ::perp_solver_options. Where more follow, the
 * first of these is `const char *kind`, which its _init() sets: the options of another solver are
 * refused, the common fields alone (struct_size tells) are welcome everywhere. PERP_OK is said only
 * after the residual of problem.h was recomputed from the caller's data, by code that no solver
 * shares. */
#ifndef PERP_SOLVER_H
#define PERP_SOLVER_H

#include "perp/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The fields with which the options of every solver begin. */
typedef struct perp_solver_options {
  uint32_t struct_size;  /**< size of the whole options struct                       */
  int32_t max_iter;      /**< iterations allowed; 0: the solver's own rule           */
  double tol;            /**< accepted relative residual, >= 0                       */
  perp_observer observe; /**< called once per iteration, NULL: nobody                */
  void *user;            /**< handed to observe                                      */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()         */
} perp_solver_options;

/** Default of perp_solver_options.tol. */
#define PERP_DEFAULT_TOL 1e-10

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.2. */
PERP_API void perp_solver_options_init(perp_solver_options *opts, size_t size);

/** Defaults by value. */
static inline perp_solver_options perp_solver_options_default(void) {
  perp_solver_options o;
  perp_solver_options_init(&o, sizeof o);
  return o;
}

/** The budget of a solver of n unknowns whose options say 0: 5e7 multiply-adds, some 50 ms, up to
 * 20 unknowns, and 6250 n³ from there on. auto has a rule of its own. Since 0.2. */
PERP_API double perp_solver_budget(int32_t n);

/** Most bytes of the options of a solver. */
#define PERP_SOLVER_OPTIONS_MOST 256

/** What a size query knows of a problem: upper bounds are enough. */
typedef struct perp_shape {
  int32_t n;          /**< unknowns                                                      */
  int32_t n_blocks;   /**< law blocks                                                    */
  uint32_t sets;      /**< bits 1u << PERP_SET_... that occur                            */
  int32_t matrix;     /**< kind of M                                                     */
  size_t nonzeros;    /**< stored entries of M                                           */
  size_t envelope;    /**< sum over rows i of i - (first stored column of row i) + 1     */
  size_t projection;  /**< most doubles that the projection of a law needs, see perp_law_ops */
  size_t constraints; /**< rows of H of the polyhedra, copy by copy                     */
  int32_t contacts;   /**< copies of laws; laws by component count each component       */
  int32_t largest;    /**< most unknowns of one of them                                 */
} perp_shape;

/** The mode of one unknown at a solution: its place in a basis. */
enum {
  PERP_MODE_UNKNOWN = 0, /**< nothing is known                  */
  PERP_MODE_LOWER = 1,   /**< λ at its lower bound, y >= 0      */
  PERP_MODE_FREE = 2,    /**< λ between its bounds, y = 0       */
  PERP_MODE_UPPER = 3    /**< λ at its upper bound, y <= 0      */
};

/**
 * What a solver carries from one problem to the next like it: the modes, and what of a factor can
 * be used again. The bytes are the caller's, hold no pointers, and may be copied or stored.
 * All bytes 0 means: nothing known.
 */
typedef struct perp_warm {
  void *data;        /**< bytes bytes, 8-byte aligned                                      */
  size_t bytes;      /**< see perp_solver_warm_bytes(); fewer are used as far as they go   */
  uint32_t stamp;    /**< names M: equal stamps promise equal M (bits); 0: promise nothing */
  uint32_t reserved; /**< 0 */
} perp_warm;

typedef struct perp_solver perp_solver;

/** How the library describes its own solvers; what is in it is not public. */
typedef struct perp_method perp_method;

/** What a method assumes of M, so that its answer is sure to come; beyond that it may fail, and
 * says so. Bits of perp_solver.assumes. */
enum {
  PERP_ASSUMES_SYMMETRIC = 1,    /**< M = Mᵀ                                             */
  PERP_ASSUMES_DEFINITE = 2,     /**< xᵀM x > 0                                           */
  PERP_ASSUMES_SEMIDEFINITE = 4, /**< xᵀM x >= 0 (monotone problems)                      */
  PERP_ASSUMES_P_MATRIX = 8,     /**< positive principal minors                           */
  PERP_ASSUMES_COPOSITIVE = 16   /**< copositive-plus                                     */
};

/** Descriptor of a solver; see the functions below for the meaning of the members. */
struct perp_solver {
  uint32_t struct_size; /**< sizeof(perp_solver)                                  */
  uint32_t sets;        /**< bits 1u << PERP_SET_... it accepts                   */
  uint32_t matrices;    /**< bits 1u << PERP_ZERO ... it accepts                  */
  uint32_t assumes;     /**< bits PERP_ASSUMES_...; 0: no assumption              */
  const char *name;     /**< static, for reports and look-up by name              */
  /** Its options struct with the defaults: struct_size (at most PERP_SOLVER_OPTIONS_MOST) and kind
   * are told by it, too. NULL: perp_solver_options. What the operations below get is a whole one,
   * in which the common fields have been checked. */
  const void *defaults;
  /** Check the other fields; NULL: all is well. */
  perp_status (*check)(const void *options, perp_info *info);
  /** Bytes for solve; 0 if no such size. It and solve are NULL where there is a method. */
  size_t (*workspace)(const perp_shape *shape, const void *options);
  /** Bytes of warm data that make full use of a warm start; 0: the solver has none. */
  size_t (*warm_bytes)(const perp_shape *shape);
  /** Solve a checked problem. Writes lambda always (on failure the best or last point); y is
   * recomputed by the caller of this operation, which also verifies a claim of PERP_OK. */
  perp_status (*solve)(const perp_problem *problem, const void *options, double *lambda, double *y,
                       perp_warm *warm, void *work, size_t work_bytes, perp_info *info);
  const perp_method *method; /**< of the library's own solvers; NULL for a user's           */
  int32_t max_n;             /**< most unknowns it takes, 0: as many as there is memory for */
  int32_t reserved;          /**< 0                                                         */
};

/** Check a descriptor and options for it, as every call below does.
 * @return PERP_OK, PERP_EINVAL; info (may be NULL) names the field. Since 0.2. */
PERP_API perp_status perp_solver_check(const perp_solver *solver, const void *options,
                                       perp_info *info);

/** Shape of a problem that passed perp_problem_check(). Since 0.1. */
PERP_API void perp_problem_shape(const perp_problem *problem, perp_shape *shape);

/** Bytes perp_solver_solve() needs for this problem; 0 if the solver does not accept it or the
 * size overflows. options may be NULL. Since 0.1. */
PERP_API size_t perp_solver_workspace(const perp_solver *solver, const perp_problem *problem,
                                      const void *options);

/** Workspace for any problem within a shape. Since 0.1. */
PERP_API size_t perp_solver_shape_workspace(const perp_solver *solver, const perp_shape *shape,
                                            const void *options);

/** Bytes a perp_warm needs so that this solver can use all of it. Since 0.1. */
PERP_API size_t perp_solver_warm_bytes(const perp_solver *solver, const perp_problem *problem);

/**
 * Solve a one-step problem and verify the answer.
 * @param solver   a descriptor, for example perp_solver_lemke()
 * @param problem  checked first, not modified
 * @param options  the solver's own struct or a perp_solver_options, NULL: defaults; those of
 * another solver are PERP_EINVAL, info->field names the struct that is asked for
 * @param[in,out] lambda  n: start where the method takes one; solution; on failure the last or
 *                 best point
 * @param[out] y   n: M λ + q, may not overlap lambda
 * @param warm     may be NULL; read and updated
 * @param work     work_bytes bytes of any alignment, see perp_solver_workspace()
 * @param[out] info  may be NULL: iterations, residuals, or the offending argument
 * @return PERP_OK only if perp_residual_solved() of the recomputed residual says so
 * Allocates nothing, prints nothing; parallel calls need distinct lambda, y, warm, work, info.
 * Since 0.1. */
PERP_API perp_status perp_solver_solve(const perp_solver *solver, const perp_problem *problem,
                                       const void *options, double *lambda, double *y,
                                       perp_warm *warm, void *work, size_t work_bytes,
                                       perp_info *info);

/** Write modes (n bytes, PERP_MODE_...) into warm data, and forget what was factorised for other
 * modes. @return PERP_OK, PERP_EINVAL, PERP_EWORKSPACE (bytes too few for n modes). Since 0.1. */
PERP_API perp_status perp_warm_set_modes(perp_warm *warm, int32_t n, const unsigned char *modes);

/** Read the n modes of warm data; PERP_MODE_UNKNOWN where it holds none for n unknowns.
 * Since 0.1. */
PERP_API perp_status perp_warm_get_modes(const perp_warm *warm, int32_t n, unsigned char *modes);

#ifdef __cplusplus
}
#endif
#endif
