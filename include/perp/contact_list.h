/* SPDX-License-Identifier: MIT */
/** @file contact_list.h
 * The contacts that acted in the last step of a simulation: where, which way, how strongly. */
#ifndef PERP_CONTACT_LIST_H
#define PERP_CONTACT_LIST_H

#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A unilateral copy of a law, between Lagrangian systems or bodies, that acted in the last step.
 */
typedef struct perp_contact_view {
  int32_t interaction;  /**< index into the model; -1: of the pool                            */
  int32_t copy;         /**< of its law                                                       */
  int32_t systems[2];   /**< the first two joined; -1: none, as the ground                    */
  uint32_t identity[2]; /**< as the pool's callback has given it; 0 otherwise                 */
  int32_t law;          /**< index into the pool's laws; -1 otherwise                         */
  int32_t rows;         /**< size of its law                                                  */
  int32_t located;      /**< 1: what follows lambda is known (contacts of a pool and
                             ::perp_body_contact); 0: it is 0                                 */
  int32_t reserved;     /**< 0                                                                */
  double gap;           /**< y of its first row at the end of the step, projected if it is     */
  const double *ydot;   /**< rows: relative velocity at the end of the step                   */
  const double *lambda; /**< rows: reaction in the local frame, N s with Moreau-Jean          */
  double point[3];      /**< where the reaction acts (m), fixed frame                         */
  double frame[9];      /**< normal, to the first system, and both tangents                   */
  double impulse[3];    /**< on the first system over the step (N s), fixed frame; its opposite acts
                             on the second                                                  */
  double force[3];      /**< impulse / h (N)                                                  */
  double couple[3];     /**< angular impulse of rolling resistance on the first system (N m s) */
} perp_contact_view;

/**
 * List the contacts that acted in the last step, in the order of the interactions, those of the
 * pool last.
 * @param sim       the simulation
 * @param[out] list  capacity entries; NULL with capacity 0, to count
 * @param entry_bytes  sizeof(perp_contact_view) of the caller: an older one has fewer fields
 * @param capacity  entries of list, >= 0; not more are written
 * @param[out] count  the number of all of them, however many were written; 0 on failure
 * @return PERP_OK, PERP_EINVAL
 * lambda and ydot are views into the state, valid until the next step. Contacts of a pool are
 * located where they were found, at the begin of the step; others at its end. Since 0.1. */
PERP_API perp_status perp_simulation_contacts(const perp_simulation *sim, perp_contact_view *list,
                                              size_t entry_bytes, int32_t capacity, int32_t *count);

#ifdef __cplusplus
}
#endif
#endif
