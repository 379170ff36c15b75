/* SPDX-License-Identifier: MIT */
/* What is known of the forces on a rigid body. */
#ifndef PERP_MODEL_BODY_H
#define PERP_MODEL_BODY_H

#include "perp/experimental.h"

/* Whether a system is a perp_body on which no callback acts: only a constant force, and its spin.
 */
int perp_body_is_free(const perp_system *system);
/* Whether, besides, its spin has no part in its motion. */
int perp_body_is_linear(const perp_system *system);
/* Its mass and the constant force; 0, and f as it was, of another kind. */
double perp_body_pull(const perp_system *system, double f[3]);

#endif
