/* SPDX-License-Identifier: MIT */
/** @file heap.h
 * Simulations and solvers on the heap, and threads, in perp::perp only (from perp::core: a link
 * error). */
#ifndef PERP_HEAP_H
#define PERP_HEAP_H

#include "perp/parallel.h"
#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/** As perp_simulation_init(), in blocks from malloc; end with perp_simulation_destroy().
 * @return as perp_simulation_init(), or PERP_EBACKEND if memory is short. Since 0.1. */
PERP_API perp_status perp_simulation_create(perp_simulation **out, const perp_model *model,
                                            const perp_simulation_options *options,
                                            perp_info *info);
/** As perp_simulation_resume(), from a copy of the bytes of perp_simulation_state(). Since 0.1. */
PERP_API perp_status perp_simulation_restore(perp_simulation **out, const perp_model *model,
                                             const perp_simulation_options *options,
                                             const void *state, size_t state_bytes,
                                             perp_info *info);
/** Free what create or restore made; NULL is fine. Called within a step or a run of the same
 * simulation, by a callback or an observer, it does nothing: call it again when that has returned.
 * Since 0.1. */
PERP_API void perp_simulation_destroy(perp_simulation *sim);

/**
 * Write what a model is made of into text: sizes, systems, interactions with their relative
 * degrees (check.h, at the initial values), and which of them are coupled: the islands if every
 * interaction acts. Neighbours with one description share a line.
 * @param model    the model; where it is refused the text says why
 * @param options  with the sizes of state and work under them; may be NULL
 * @param[out] text  room bytes, ends with a 0 always if room > 0; may be NULL
 * @param room     bytes of text
 * @return length of the whole text without its 0, as snprintf() does: room <= it: cut off. Since
 * 0.1. */
PERP_API size_t perp_model_describe(const perp_model *model, const perp_simulation_options *options,
                                    char *text, size_t room);

/**
 * Write what a call refused, and what is allowed: "h = 0: must be > 0", "q0 of body 3: norm 1.414,
 * must be 1 (a quaternion)", "q[2] = nan: must be finite". So the sentence of an error is who
 * refused, ": ", and this.
 * @param status  what the call answered
 * @param info    what it said; NULL, or without a field: the text is perp_status_string()
 * @param first   what the first object and the first entry are called: 0, or 1
 * @param[out] text  room bytes, ends with a 0 always if room > 0; may be NULL
 * @param room     bytes of text
 * @return length of the whole text without its 0, as snprintf() does. Beside perp::core it is where
 * the builder is, too. Since 0.2. */
PERP_API size_t perp_explain(perp_status status, const perp_info *info, int32_t first, char *text,
                             size_t room);

/**
 * Write how a step or a run of a simulation ended: "finished: 1000 steps, t = 10", "stopped: ...",
 * "not solved: iteration limit in step 280 at t = 2.79, contact 17 between bodies 4 and 9, residual
 * 2.6e-9, asked 1e-10; try tol = 1e-8 or on_failure = accept"; of a negative status "failed in step
 * 3 at t = 0.02: " and perp_explain().
 * @param sim     as that call left it; NULL: perp_explain() alone
 * @param status  what it answered
 * @param info    what it said; may be NULL
 * @param first   what the first object is called: 0, or 1
 * @param[out] text  room bytes, ends with a 0 always if room > 0; may be NULL
 * @param room     bytes of text
 * @return as perp_explain(). Since 0.2. */
PERP_API size_t perp_simulation_ending(const perp_simulation *sim, perp_status status,
                                       const perp_info *info, int32_t first, char *text,
                                       size_t room);

/** Number of solvers in the library, and the i-th of them; NULL out of range. Since 0.1. */
PERP_API int32_t perp_solver_count(void);
/** @copydoc perp_solver_count */
PERP_API const perp_solver *perp_solver_at(int32_t i);
/** The solver of that name ("lemke", "active-set"), NULL if there is none. Since 0.1. */
PERP_API const perp_solver *perp_solver_find(const char *name);

/** A few threads that wait for the loops of one caller. */
typedef struct perp_threads perp_threads;

/**
 * Start workers - 1 threads; the one that calls perp_threads_for() is the other worker. They wait
 * by looking for work for some 50 microseconds, and asleep after that.
 * @param[out] out  the pool, NULL on failure; end with perp_threads_destroy()
 * @param workers   1 ... 256; more than there are processors only slows everything down
 * @return PERP_OK, PERP_EINVAL, PERP_EBACKEND if memory or threads are short. Since 0.1. */
PERP_API perp_status perp_threads_create(perp_threads **out, int32_t workers);

/** The hook of parallel.h: user is the pool, NULL: the caller does it all. Worker w takes the w-th
 * part of the chunks, the same ones in every loop of as many. One loop at a time, and no loop
 * within a loop. Since 0.1. */
PERP_API void perp_threads_for(int32_t chunks, perp_parallel_body body, void *ctx, void *user);

/** Let the threads end, and wait for that; NULL is fine. No loop may be running. Since 0.1. */
PERP_API void perp_threads_destroy(perp_threads *threads);

#ifdef __cplusplus
}
#endif
#endif
