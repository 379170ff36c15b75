/* SPDX-License-Identifier: MIT */
/* γ of contacts of bodies whose geometry is one of the library's. */
#ifndef PERP_MODEL_BODY_CONTACT_H
#define PERP_MODEL_BODY_CONTACT_H

#include "perp/experimental.h"
#include "perp/newton_euler.h"

/* Whether the geometry is known. */
int perp_body_contact_bias_known(const perp_body_contact *contact);

/* gamma += γ; answers as a callback. */
int32_t perp_body_contact_bias(const perp_body_contact *contact, const perp_relation_point *at,
                               double *gamma);

#endif
