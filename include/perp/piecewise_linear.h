/* SPDX-License-Identifier: MIT */
/** @file piecewise_linear.h
 * Laws that are maximal monotone piecewise linear graphs: relays with dead zone, diodes and
 * transistors by segments, springs with stops.
 *
 * A graph λ(y) does not increase. It is given by its breakpoints, from left to right, and by what
 * it does before the first and after the last:
 *
 *      λ
 *      |\  slope_before             vertical segments: y equal,
 *      | *------*  horizontal       horizontal ones: λ equal
 *      |        |
 *      |        *--_  slope_after
 *      +------------------ y
 *
 * Such a law has no set of its own to be solved in, for its resolvent depends on the scale of y. So
 * it is taken apart: λ = Σ_j z_j, a piece z_j in an interval for each segment that is not
 * horizontal,
 *      −w_j ∈ N_[l_j, u_j](z_j),   w_j = y − y_j + D_j (z_j − r_j),
 * with D_j = Δy/|Δλ| ≥ 0. Every solver with bounds solves that, and a
 * ::perp_piecewise_relation makes it of any relation. */
#ifndef PERP_PIECEWISE_LINEAR_H
#define PERP_PIECEWISE_LINEAR_H

#include "perp/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A graph λ(y) by its breakpoints. The caller owns the arrays. */
typedef struct perp_piecewise_linear {
  uint32_t struct_size; /**< sizeof(perp_piecewise_linear): PERP_PIECEWISE_LINEAR_INIT        */
  int32_t points;       /**< breakpoints, >= 1                                                */
  const double *y;      /**< points, not decreasing                                           */
  const double *lambda; /**< points, not increasing                                           */
  double slope_before;  /**< −dλ/dy for y < y[0], >= 0; infinity: vertical, λ unbounded above */
  double slope_after; /**< −dλ/dy for y > y[points − 1]; infinity: λ unbounded below        */
} perp_piecewise_linear;

/** Initialiser: `perp_piecewise_linear graph = PERP_PIECEWISE_LINEAR_INIT;` */
#define PERP_PIECEWISE_LINEAR_INIT \
  { (uint32_t)sizeof(perp_piecewise_linear), 0, NULL, NULL, 0, 0 }

/** Check a graph. @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE; info (may be NULL) names field and
 * index. Since 0.1. */
PERP_API perp_status perp_piecewise_linear_check(const perp_piecewise_linear *graph,
                                                 perp_info *info);

/** Pieces z_j that the graph is taken apart into, >= 1; 0 if it is malformed. Since 0.1. */
PERP_API int32_t perp_piecewise_linear_pieces(const perp_piecewise_linear *graph);

/**
 * How far (y, λ) is from the graph, in the maximum norm: the least t with (y ± t, λ ± t) on it.
 * @return NaN if the graph is malformed or y or λ is NaN. Since 0.1. */
PERP_API double perp_piecewise_linear_distance(const perp_piecewise_linear *graph, double y,
                                               double lambda);

/** The law of the pieces of one row: a box, whose w is y shifted. */
typedef struct perp_pieces {
  perp_box box;        /**< head, bounds                                    */
  const double *shift; /**< y_j + D_j r_j: subtracted from ẏ at order 2, where no relation does */
} perp_pieces;

/**
 * The relation of the pieces: each row of inner (first-order or Lagrangian, constant or varying) as
 * many times as the graph has pieces. Give it to an interaction together with &pieces.box.law; rows
 * and copies are then those of the pieces. At order 2 the graph is one between ẏ and impulses.
 */
typedef struct perp_piecewise_relation {
  perp_relation relation;             /**< head; m = inner->m times the pieces  */
  perp_pieces pieces;                 /**< the law                              */
  const perp_relation *inner;         /**< the relation of y and λ              */
  const perp_piecewise_linear *graph; /**< the graph of every row               */
  const double *compliance;           /**< D_j                                  */
  const double *reference;            /**< r_j                                  */
  const double *H;                    /**< of a constant relation, as its terms */
  const double *B;                    /**< of a constant relation               */
  const double *D;                    /**< of a constant relation               */
  const double *F;                    /**< the same                             */
  const double *b;                    /**< the same                             */
} perp_piecewise_relation;

/** Bytes perp_piecewise_relation_init() needs; 0 if relation or graph is malformed or the size
 * overflows. Since 0.1. */
PERP_API size_t perp_piecewise_relation_memory(const perp_relation *inner,
                                               const perp_piecewise_linear *graph);

/**
 * Make the relation of the pieces of a graph.
 * @param[out] relation  the description, and with it the law
 * @param size           sizeof the caller's struct
 * @param inner          checked when a model is; must live as long as relation. A constant one is
 *                       copied now, but z, which is read in every step
 * @param graph          must live as long as relation, with its arrays
 * @param memory         bytes bytes, any alignment: kept until relation is no longer used
 * @param bytes          see perp_piecewise_relation_memory()
 * @param[out] info      may be NULL; names the field
 * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE, PERP_EWORKSPACE
 * Allocates nothing. Since 0.1. */
PERP_API perp_status perp_piecewise_relation_init(perp_piecewise_relation *relation, size_t size,
                                                  const perp_relation *inner,
                                                  const perp_piecewise_linear *graph, void *memory,
                                                  size_t bytes, perp_info *info);

/** The relation of the pieces that this relation is, NULL if it is another one. Since 0.2. */
PERP_API const perp_piecewise_relation *perp_piecewise_relation_of(const perp_relation *relation);

/**
 * y (ẏ at order 2) and λ of the rows of inner from those of the pieces, as a simulation shows them.
 * @param relation  from perp_piecewise_relation_init()
 * @param w         relation->m: y of the pieces (ẏ at order 2); NULL if y is
 * @param z         relation->m: λ of the pieces
 * @param[out] y       inner->m or NULL
 * @param[out] lambda  inner->m or NULL
 * @return PERP_OK or PERP_EINVAL. Since 0.1. */
PERP_API perp_status perp_piecewise_relation_values(const perp_piecewise_relation *relation,
                                                    const double *w, const double *z, double *y,
                                                    double *lambda);

#ifdef __cplusplus
}
#endif
#endif
