/* SPDX-License-Identifier: MIT */
/** @file base.h
 * Status, info, version, observer: what every other header of perp builds on. */
#ifndef PERP_BASE_H
#define PERP_BASE_H

#include <stddef.h>
#include <stdint.h>

/** First number of the version of these headers; see docs/VERSIONING.md. */
#define PERP_VERSION_MAJOR 0
/** Second number: before 1.0 each may change the ABI. */
#define PERP_VERSION_MINOR 2
/** Third number: fixes only. */
#define PERP_VERSION_PATCH 1
/** "-dev" between releases: on the way to this version; "" in a release. */
#define PERP_VERSION_SUFFIX "-dev"
/** Version of these headers as one number, 10000 major + 100 minor + patch. */
#define PERP_VERSION (10000 * PERP_VERSION_MAJOR + 100 * PERP_VERSION_MINOR + PERP_VERSION_PATCH)

/** Marks a function of the stable ABI. */
#if defined(_WIN32) && defined(PERP_SHARED)
#ifdef PERP_BUILDING
#define PERP_API __declspec(dllexport)
#else
#define PERP_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define PERP_API __attribute__((visibility("default")))
#else
#define PERP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What the macros for static arrays ask for beyond the need of this version: 8 bytes for each of n
 * unknowns, and 256. A patch release needs no more than that; see docs/VERSIONING.md. */
#define PERP_MARGIN(n) (8 * (size_t)(n) + 256)

/** Outcome of a call. 0: solved; positive: an honest ending without a solution; negative: the
 * call was wrong or its environment failed. Not an enum: the size of an enum varies. */
typedef int32_t perp_status;

/** The values of ::perp_status; shared by all functions, never reused. */
enum perp_status_code {
  PERP_OK = 0,            /**< solved, and the residual confirms it            */
  PERP_MAX_ITER = 1,      /**< iteration limit reached                         */
  PERP_RAY = 2,           /**< no way on, along a ray for example; proves nothing */
  PERP_INACCURATE = 3,    /**< the method claims success, the residual disagrees */
  PERP_INFEASIBLE = 4,    /**< shown to have no solution                       */
  PERP_STOPPED = 5,       /**< the observer asked for it                       */
  PERP_END = 6,           /**< the time grid has no further point              */
  PERP_RETRY = 7,         /**< a callback asked for a smaller step             */
  PERP_UNBOUNDED = 8,     /**< shown to have no least value (qp.h)             */
  PERP_STORM = 9,         /**< events crowd in time (event_driven.h)           */
  PERP_EINVAL = -1,       /**< an argument is NULL, negative or out of range   */
  PERP_EWORKSPACE = -2,   /**< a block of memory is smaller than the query's answer */
  PERP_ECALLBACK = -3,    /**< a callback returned a negative number, or wrote
                               value > 0 numbers behind its end */
  PERP_EUNSUPPORTED = -4, /**< not in this build, or not for this problem     */
  PERP_EBACKEND = -5,     /**< a back end (LAPACK, allocator) failed           */
  PERP_ENOTFINITE = -6    /**< NaN or infinity in an input or from a callback  */
};

/**
 * One line of English for a status.
 * @param status  any number at all
 * @return a static string, never NULL; "unknown status" for a number perp does not use
 * Allocates nothing; safe from any thread. Since 0.1. */
PERP_API const char *perp_status_string(perp_status status);

/**
 * Version of the library that is linked, in the form of ::PERP_VERSION.
 * Compare perp_version() / 100 with PERP_VERSION / 100: before 1.0 every minor version may
 * change the ABI. Safe from any thread. Since 0.1. */
PERP_API int32_t perp_version(void);

/** The version as text, "0.2.0", between releases "0.2.1-dev"; static. Since 0.1. */
PERP_API const char *perp_version_string(void);

/** What perp_info.ray holds. */
enum {
  PERP_RAY_NONE = 0,       /**< nothing was written                                         */
  PERP_RAY_SECONDARY = 1,  /**< direction of λ along which the method left; proves nothing   */
  PERP_RAY_CERTIFICATE = 2 /**< proof that there is no solution, see perp_problem_certificate() */
};

/** Entries of perp_info.violation: one for each PERP_SET_... of law.h, and room for one more. */
#define PERP_SETS 8

/** Bits of perp_info.warnings: the call went on, but its caller should know. */
enum {
  PERP_WARN_INDEFINITE = 1 /**< the block of M at a contact with friction, index tells which law
                                block, has an eigenvalue below -1e-5 of its norm: no mechanical
                                system gives one, so look at where M comes from */
};

/** What perp_info.index counts, where it is not -1. */
enum {
  PERP_OF_ENTRY = 0,       /**< entries of the field */
  PERP_OF_SYSTEM = 1,      /**< systems of the model */
  PERP_OF_BODY = 2,        /**< systems of the model, and this one is a rigid body */
  PERP_OF_INTERACTION = 3, /**< interactions of the model */
  PERP_OF_LAW = 4,         /**< laws of a contact pool */
  PERP_OF_PLACE = 5,       /**< places of a contact pool */
  PERP_OF_CONTACT = 6      /**< contacts by order of perp_pool_add(), systems are theirs */
};

/**
 * What a call has to say beyond its status. Set struct_size by #PERP_INFO_INIT; every function
 * fills the other fields, on success too, but ray and ray_size, which are the caller's. A function
 * that takes a perp_info accepts NULL.
 */
typedef struct perp_info {
  uint32_t struct_size;     /**< sizeof(perp_info) of the caller */
  int32_t iterations;       /**< pivots, sweeps or Newton steps done */
  const char *field;        /**< static name of the offending argument, NULL if none */
  int32_t index;            /**< which system, interaction, entry (of); -1: none or the only one */
  int32_t worst;            /**< component with the largest residual, -1: none */
  double value;             /**< the offending value, 0 if it is not a number */
  double residual;          /**< largest block residual, in units of y (see problem.h) */
  double relative_residual; /**< residual as a backward error; what tol is compared with */
  const char *solver;       /**< static name of the solver that gave the answer, NULL: none */
  double *ray;              /**< in: the caller's memory for a ray, NULL: not wanted */
  int32_t ray_size;         /**< in: entries behind ray; a problem of more unknowns leaves it */
  int32_t ray_kind;         /**< PERP_RAY_NONE ... PERP_RAY_CERTIFICATE */
  int32_t worst_block;      /**< law block (contact) of worst, -1: none */
  int32_t dissipates; /**< whether friction takes energy out at every contact, y_tᵀλ_t <= 0 (and
                           y_mᵀλ_m) up to tol: 1 yes, 0 no, -1 there is no friction */
  uint32_t warnings;  /**< bits PERP_WARN_... */
  uint32_t of;        /**< PERP_OF_..., what index counts. Since 0.2 */
  double violation[PERP_SETS]; /**< largest block residual of the laws of each PERP_SET_..., in
                                    units of y; 0 where there are none */
  double amplification; /**< A = scale / hat of problem.h: how much larger the terms of y are than
                             the data that λ answers to; 1 if both are 0 */
  double bound;         /**< with PERP_INFEASIBLE and PERP_UNBOUNDED: every solution, if there is
                             one, has ‖λ‖₁ >= bound and A >= 2^30; infinity: there is none. Of
                             avi-pivoting both are those of λ with its multipliers, see vi.h */
  int32_t systems[2];   /**< with PERP_OF_CONTACT: what the contact joins, as it was handed over;
                             else they say nothing. Since 0.2.1 */
} perp_info;

/** Initialiser: `perp_info info = PERP_INFO_INIT;` */
#define PERP_INFO_INIT                                                                           \
  {                                                                                              \
    (uint32_t)sizeof(perp_info), 0, NULL, -1, -1, 0.0, 0.0, 0.0, NULL, NULL, 0, 0, -1, -1, 0, 0, \
        {0.0}, 0.0, 0.0, {                                                                       \
      0, 0                                                                                       \
    }                                                                                            \
  }

/** One iteration of a solver as an observer sees it. */
typedef struct perp_iterate {
  int32_t iteration; /**< from 0; amid one the last that was done, -1: none         */
  int32_t entering;  /**< unknown that becomes basic (or free), -1: several or none */
  int32_t leaving;   /**< unknown that leaves the basis, -1: several or none        */
  double merit;      /**< what the method decreases: infeasibilities, z0, residual  */
} perp_iterate;

/** What a field of a description holds, see ::perp_field. Arrays are behind pointers, column-major,
 * NULL where they are absent. */
enum {
  PERP_HOLDS_END = 0,        /**< ends the table                                              */
  PERP_HOLDS_NUMBERS = 1,    /**< rows x columns doubles, in the struct itself                 */
  PERP_HOLDS_INTEGER = 2,    /**< an int32_t, in the struct itself                             */
  PERP_HOLDS_ARRAY = 3,      /**< a pointer to rows x columns doubles                          */
  PERP_HOLDS_TRIPLES = 4,    /**< a pointer to rows x columns structs of three doubles         */
  PERP_HOLDS_INDICES = 5,    /**< a pointer to rows x columns int32_t                          */
  PERP_HOLDS_MATRIX = 6,     /**< a perp_matrix                                                */
  PERP_HOLDS_RELATION = 7,   /**< a pointer to another description, a perp_relation            */
  PERP_HOLDS_PARAMETERS = 8, /**< a pointer to rows x columns doubles that a run reads again and
                                  again: no constants                                          */
  PERP_HOLDS_USER = 9        /**< what callbacks are handed                                    */
};

/**
 * A field of a description. One table of them for each kind, told by the operation `fields`, is all
 * that copies of a description, their comparison and the fingerprint of a checkpoint go by. What no
 * table names is copied with the bytes of the struct: callbacks.
 */
typedef struct perp_field {
  uint16_t offset;  /**< in the struct                                                         */
  uint16_t holds;   /**< PERP_HOLDS_NUMBERS ...                                                */
  uint16_t rows;    /**< offset of the int32_t that has their number, or PERP_FIXED()          */
  uint16_t columns; /**< offset of the int32_t that has their number, or PERP_FIXED()          */
} perp_field;

/** A number that is the same in all descriptions, in place of an offset. */
#define PERP_FIXED(number) ((uint16_t)(0x8000 | (number)))

/** Called once per iteration, and every 1e7 multiply-adds where one takes longer; a return value
 * other than 0 ends the solve with PERP_STOPPED. */
typedef int32_t (*perp_observer)(const perp_iterate *iterate, void *user);

#ifdef __cplusplus
}
#endif
#endif
