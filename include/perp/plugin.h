/* SPDX-License-Identifier: MIT */
/** @file plugin.h
 * Plug-ins of model files: shared libraries whose functions a model names in place of expressions,
 *
 *     internal = "plugin:spring.so:spring"
 *     internal_dq = "plugin:spring.so:spring_dq"
 *
 * Each has the C type of the field of that name, as ::perp_state_fn; user leads to a double: i of
 * what is repeated, from 0. Those of a law of kind "user" are of ::perp_law_ops, and law leads to a
 * ::perp_plugin_law. The command opens a plug-in with --plugins or --plugin FILE only, and
 * never closes it; its code has the rights of the user from the moment it is loaded, before its
 * version is asked for. What is declared here a plug-in defines; no library has it, and perp.h does
 * not include it. */
#ifndef PERP_PLUGIN_H
#define PERP_PLUGIN_H

#include "perp/law.h"

/** Version of what is declared here; a plug-in of another one is refused. Since 0.2.1. */
#define PERP_PLUGIN_VERSION 1

/** A law of kind "user", as its functions are handed it. Since 0.2.1. */
typedef struct perp_plugin_law {
  perp_law law;     /**< head                                */
  double index;     /**< i of the interaction that has it    */
  const double *z;  /**< n_z parameters, as the file has them */
  int32_t n_z;      /**< length of z                         */
  int32_t reserved; /**< 0                                  */
} perp_plugin_law;

/** From perp_plugin_save(): it cannot be saved, which ends the run. Since 0.2.1. */
#define PERP_PLUGIN_FAILED ((size_t)-1)

#if defined(_WIN32)
#define PERP_PLUGIN_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define PERP_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define PERP_PLUGIN_EXPORT /**< in front of what a plug-in defines */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Each plug-in has it. @return #PERP_PLUGIN_VERSION. Since 0.2.1. */
PERP_PLUGIN_EXPORT int32_t perp_plugin_version(void);

/**
 * Write what the functions of the plug-in remember between calls, for a checkpoint: all of it, of
 * all systems. A plug-in without this and perp_plugin_restore() has runs that cannot be resumed.
 * @param[out] bytes  room bytes; NULL with room 0: only the answer is wanted
 * @param room  their number
 * @return bytes that it takes, which does not change during a run; 0: nothing is remembered;
 * #PERP_PLUGIN_FAILED. Since 0.2.1. */
PERP_PLUGIN_EXPORT size_t perp_plugin_save(void *bytes, size_t room);

/** Remember what perp_plugin_save() wrote. @return 0: done; else it cannot be. Since 0.2.1. */
PERP_PLUGIN_EXPORT int32_t perp_plugin_restore(const void *bytes, size_t n_bytes);

#ifdef __cplusplus
}
#endif

/** Once in a plug-in whose functions remember nothing: defines the three functions above. */
#define PERP_PLUGIN_STATELESS                                       \
  int32_t perp_plugin_version(void) { return PERP_PLUGIN_VERSION; } \
  size_t perp_plugin_save(void *bytes, size_t room) {               \
    (void)bytes;                                                    \
    (void)room;                                                     \
    return 0;                                                       \
  }                                                                 \
  int32_t perp_plugin_restore(const void *bytes, size_t n_bytes) {  \
    (void)bytes;                                                    \
    return n_bytes == 0 ? 0 : -1;                                   \
  }

#endif
