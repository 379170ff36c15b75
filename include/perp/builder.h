/* SPDX-License-Identifier: MIT */
/** @file builder.h
 * Models assembled by calls, in perp::perp only (from perp::core: a link error; a build without
 * perp::perp has all but the options in perp::builder, for the C++ façade). A builder copies
 * descriptions with all that they point to, keeps equal ones once, however often they are added,
 * and owns what callbacks are handed. See docs/theory-model.md.
 *
 * A call that is refused changes nothing, and owns nothing. Memory that is short is PERP_EBACKEND,
 * field "malloc", value the bytes. */
#ifndef PERP_BUILDER_H
#define PERP_BUILDER_H

#include "perp/piecewise_linear.h"
#include "perp/pool.h"
#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A model that is being built. */
typedef struct perp_builder perp_builder;

/** Bits of perp_owner.flags. */
enum {
  PERP_COPY_PARAMETERS = 1 /**< z is copied, too; otherwise a run reads it where it is */
};

/**
 * Who owns the user pointer of the callbacks of a description, as it stands in the struct. Two
 * descriptions with callbacks are equal if their functions, their numbers and their keys are.
 */
typedef struct perp_owner {
  uint32_t struct_size; /**< sizeof(perp_owner): PERP_OWNER_INIT                                */
  uint32_t flags;       /**< PERP_COPY_PARAMETERS                                               */
  void *user;           /**< what the struct has as user                                        */
  void (*destroy)(void *user); /**< called once, when no builder needs user any longer, which is at
                                    once where an equal description is there; NULL: the caller
                                    keeps user                                          */
  const void *key; /**< key_bytes bytes that are the same for users that do the same; copied      */
  size_t key_bytes; /**< 0: user itself is its key                                             */
  const void *const *kept; /**< n_kept arrays that are not copied but stay where they are, and tell
                                descriptions apart by their place                             */
  size_t n_kept;           /**< length of kept                                                */
} perp_owner;

/** Initialiser: `perp_owner owner = PERP_OWNER_INIT;` */
#define PERP_OWNER_INIT \
  { (uint32_t)sizeof(perp_owner), 0, NULL, NULL, NULL, 0, NULL, 0 }

/** An empty builder, NULL on failure; end with perp_builder_destroy(). @return PERP_OK,
 * PERP_EINVAL, PERP_EBACKEND. Since 0.2. */
PERP_API perp_status perp_builder_create(perp_builder **out, perp_info *info);

/** A builder that holds the same, shares the descriptions, and may be changed though from may not:
 * what perp_builder_model() has shown of from stays as it is. Since 0.2. */
PERP_API perp_status perp_builder_copy(perp_builder **out, const perp_builder *from,
                                       perp_info *info);

/** End a builder, after all simulations of its model; NULL is fine. Users that no other builder has
 * are destroyed. Since 0.2. */
PERP_API void perp_builder_destroy(perp_builder *builder);

/**
 * Add a system. It starts at rest in 0, a body without rotation.
 * @param builder  a builder whose model was not taken
 * @param system   any kind; copied
 * @param owner    of its callbacks, NULL: nobody
 * @param[out] id  its place in the model, from 0; -1 on failure; may be NULL
 * @param[out] info  may be NULL; names the field
 * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE, PERP_EUNSUPPORTED, as perp_model_check() has them,
 * or PERP_EBACKEND. Since 0.2. */
PERP_API perp_status perp_builder_add(perp_builder *builder, const perp_system *system,
                                      const perp_owner *owner, int32_t *id, perp_info *info);

/** Set where a system of order 2 starts: all its n positions q0, or velocities v0. @return PERP_OK,
 * PERP_EINVAL (also for another number than the system has), PERP_ENOTFINITE. Since 0.2. */
/**@{*/
PERP_API perp_status perp_builder_set_q(perp_builder *builder, int32_t id, int32_t n,
                                        const double *q0, perp_info *info);
PERP_API perp_status perp_builder_set_v(perp_builder *builder, int32_t id, int32_t n,
                                        const double *v0, perp_info *info);
/**@}*/
/** Set where a system of order 1 starts: all its n states x0. Answers as those above. Since 0.2. */
PERP_API perp_status perp_builder_set_x(perp_builder *builder, int32_t id, int32_t n,
                                        const double *x0, perp_info *info);

/**
 * Join systems that were added by a relation and copies of a law.
 * @param builder      a builder whose model was not taken
 * @param interaction  relation, law and systems; all of it is copied
 * @param of_relation  owner of the relation's callbacks, NULL: nobody
 * @param of_law       the same of the law's
 * @param[out] id      its place in the model, from 0; -1 on failure; may be NULL
 * @param[out] info    may be NULL; names the field
 * @return as perp_builder_add(); PERP_EUNSUPPORTED for a ::perp_piecewise_relation, which
 * perp_builder_connect_graph() makes. Since 0.2. */
PERP_API perp_status perp_builder_connect(perp_builder *builder,
                                          const perp_interaction *interaction,
                                          const perp_owner *of_relation, const perp_owner *of_law,
                                          int32_t *id, perp_info *info);

/** As perp_builder_connect() with a graph for a law: interaction->law is NULL, and the relation
 * becomes the ::perp_piecewise_relation of both, see perp_builder_pieces(). Since 0.2. */
PERP_API perp_status perp_builder_connect_graph(perp_builder *builder,
                                                const perp_interaction *interaction,
                                                const perp_piecewise_linear *graph,
                                                const perp_owner *of_relation, int32_t *id,
                                                perp_info *info);

/** The pieces of interaction id, for perp_piecewise_relation_values(); NULL if its law is no graph.
 * Since 0.2. */
PERP_API const perp_piecewise_relation *perp_builder_pieces(const perp_builder *builder,
                                                            int32_t id);

/** Room for contacts that come and go, in place of that before; laws are copied. of_laws: n_laws
 * pointers to the owners of each law's callbacks, NULL: nobody; or NULL. Since 0.2. */
PERP_API perp_status perp_builder_pool(perp_builder *builder, const perp_contact_pool *pool,
                                       const perp_owner *owner, const perp_owner *const *of_laws,
                                       perp_info *info);

/** Different descriptions of systems, relations and laws; 0 for NULL. Since 0.2. */
PERP_API size_t perp_builder_descriptions(const perp_builder *builder);

/** The model, for perp_simulation_create(), perp_event_driven_create() and all that takes one;
 * valid as long as the builder, which cannot be changed any longer (PERP_EINVAL, field "builder").
 * NULL for NULL. Since 0.2. */
PERP_API const perp_model *perp_builder_model(perp_builder *builder);

/** Options of perp_builder_simulate(), the defaults at first, to be set in place as far as their
 * struct_size says; what their pointers refer to stays the caller's. NULL for NULL. Since 0.2. */
PERP_API perp_simulation_options *perp_builder_options(perp_builder *builder);

/** Set an option by the name of its field: "h", "theta", "steps", "projection".
 * @return PERP_OK; PERP_EINVAL if there is no field of that name that holds a number (field
 * "name"), for a fraction where it is an integer, for NaN. Whether the value makes sense is said by
 * perp_builder_simulate(). Since 0.2. */
PERP_API perp_status perp_builder_set(perp_builder *builder, const char *name, double value,
                                      perp_info *info);

/**
 * Take the model and make a simulation of it, by time-stepping with the options of the builder. An
 * integrator that is not named is perp_integrator_moreau_jean() for systems of order 2 and
 * perp_integrator_theta() for those of order 1; a solver that is not named is perp_solver_auto().
 * @param[out] out  end with perp_simulation_destroy() before the builder; NULL on failure
 * @return as perp_simulation_create(). Since 0.2. */
PERP_API perp_status perp_builder_simulate(perp_builder *builder, perp_simulation **out,
                                           perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
