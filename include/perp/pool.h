/* SPDX-License-Identifier: MIT */
/** @file pool.h
 * Contacts that come and go: a model's pool has room for a number of contacts between any of its
 * systems; a callback finds them anew in every step. See docs/running.md. */
#ifndef PERP_POOL_H
#define PERP_POOL_H

#include "perp/newton_euler.h"
#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The second system of a contact with the ground. */
enum { PERP_GROUND = -1 };

/** A contact between two systems, or of one with the ground. Systems are bodies or Lagrangian ones
 * of three translations; in the plane, of (x, y, angle) or (x, y). */
typedef struct perp_pool_contact {
  int32_t systems[2];       /**< the one the normal points to; the other, or PERP_GROUND          */
  int32_t law;              /**< index into the laws of the pool                                  */
  int32_t reserved;         /**< 0                                                                */
  uint32_t identity[2];     /**< with systems, tells the contact from others from step to step: what
                                keeps its number has its λ as the start of the solver, and keeps the
                                state of its law; not twice in a step                            */
  perp_contact_place place; /**< in the plane third components are 0 and tangent is not read  */
} perp_pool_contact;

/** What a callback writes contacts to; lives in a simulation. */
typedef struct perp_pool_writer perp_pool_writer;

/**
 * Find the contacts at time t and the positions that perp_simulation_q() tells, those at the
 * begin of a step: all that may act within it. Each is handed to perp_pool_add(). 0: done, > 0: ask
 * for a smaller step, < 0: give up. Pure; may only look at sim. Contacts between two systems that
 * sleep need not be told, nor those of one with ground that does not move: they stay as they are.
 * See perp_simulation_is_asleep(), perp_simulation_awake().
 */
typedef int32_t (*perp_find_fn)(double t, const perp_simulation *sim, perp_pool_writer *out,
                                void *user);

/**
 * Room for contacts that a callback finds. Rows of a contact, of velocity of the first system
 * relative to the second: law size 1: normal;  2: and along the first tangent; 3: and along the
 * second;  5: and the angular velocities about both (bodies). In the plane 3: normal, tangential,
 * angular velocity. Normal and points are kept as found throughout the step:
 *   y = gap + H (q ⊖ q_k),  ẏ = H v,  H of q_k.
 */
typedef struct perp_contact_pool {
  uint32_t struct_size;   /**< sizeof(perp_contact_pool): PERP_CONTACT_POOL_INIT              */
  int32_t capacity;       /**< contacts at a time, >= 1                                       */
  int32_t max_per_system; /**< contacts of one system at a time; 0: capacity. Bounds memory    */
  int32_t plane;          /**< 1: systems and contacts are in the plane                       */
  int32_t n_laws;         /**< >= 1                                                           */
  int32_t reserved;       /**< 0                                                              */
  const perp_law *const *laws; /**< n_laws, of size 1, 2, 3 or 5                              */
  perp_find_fn find;           /**< called at the begin of each step, again where systems wake
                                    in it, and by init                                     */
  void *user;                  /**< handed to find                                            */
} perp_contact_pool;

/** Initialiser: `perp_contact_pool pool = PERP_CONTACT_POOL_INIT;` */
#define PERP_CONTACT_POOL_INIT \
  { (uint32_t)sizeof(perp_contact_pool), 0, 0, 0, 0, 0, NULL, NULL, NULL }

/**
 * Add a contact, from within a perp_find_fn(). Where more are added than there is room for, the
 * deepest are kept and the others counted in perp_report.dropped. A contact of a system that is
 * switched off is left out. The frame is (n, t, n × t), right-handed whatever is given. Arms are
 * differences of points and positions: 1e9 m from the origin they are known to 1e-7 m, as gaps are.
 * @param out      what the callback was handed
 * @param contact  copied
 * @param[out] kept  may be NULL: 1 if it is among those kept so far, 0 if not
 * @return PERP_OK, kept or not; PERP_EINVAL, PERP_ENOTFINITE if it is no contact of this model:
 *         then the step fails with this status and names what is wrong, and leaves the state; so it
 *         does where two of those kept have the same systems and identity
 * Since 0.1. */
PERP_API perp_status perp_pool_add(perp_pool_writer *out, const perp_pool_contact *contact,
                                   int32_t *kept);

/**
 * Add n contacts, as perp_pool_add() does one after another: the first that is refused ends it. By
 * all threads of the simulation (perp_simulation_options.parallel), so that a callback that finds
 * its contacts by several threads need not write them by one; what it comes to is the same.
 * @param contacts  n, copied
 * @param[out] kept  n, may be NULL: as those of perp_pool_add(); of each only at its own turn, so
 *         that one that is kept may have to leave for those behind it
 * @return of the first that is refused; PERP_EINVAL also if n < 0 or contacts are NULL
 * Since 0.2.1. */
PERP_API perp_status perp_pool_add_all(perp_pool_writer *out, int32_t n,
                                       const perp_pool_contact *contacts, int32_t *kept);

/**
 * A gap_tol for faces that rest on several points, whose gaps are 0 but for what the solver's
 * tolerance leaves: 1e-8 of the least radius of gyration √(I/m) among the bodies of the model, in
 * the plane among the systems of (x, y, angle) with a constant mass.
 * @return unit of y; 0 where there is no such body, or for NULL. Since 0.2. */
PERP_API double perp_pool_gap_tol(const perp_model *model);

/**
 * A gap_tol for steps of h (s): h² g, by which what rests falls before it is seen to have lost its
 * ground, but not less than perp_pool_gap_tol() nor more than 1e-3 of that radius of gyration. g as
 * for perp_pool_speed_tol().
 * @return unit of y; perp_pool_gap_tol() where h or g is not > 0. Since 0.2.1. */
PERP_API double perp_pool_gap_tol_of_step(const perp_model *model, double h);

/**
 * What PERP_SPEED_PILE means where a constant force acts: 0.1 g h; for stacks take a tenth of it. g
 * is the mean acceleration of the systems that can be in contact and are pulled by a constant
 * force, sum of the forces over sum of the masses.
 * @return unit of ẏ; 0 where there is no such force, h is not > 0, or for NULL. Since 0.2.1. */
PERP_API double perp_pool_speed_tol(const perp_model *model, double h);

/**
 * Options with which a model with a pool runs where its user says nothing; what C++, Python and
 * JavaScript begin with: on_failure PERP_FAILURE_ACCEPT, gap_tol of perp_pool_gap_tol_of_step();
 * where no solver is named formulation PERP_FORMULATION_AUTO with speed_tol PERP_SPEED_PILE.
 * @param model    without a pool, or NULL: nothing is set
 * @param h        the first step (s)
 * @param named    1: the user has named a solver, 0: not
 * @param options  begun by perp_simulation_options_init(); NULL: nothing happens. Since 0.2.1. */
PERP_API void perp_pool_defaults(const perp_model *model, double h, int32_t named,
                                 perp_simulation_options *options);

#ifdef __cplusplus
}
#endif
#endif
