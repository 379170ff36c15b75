/* SPDX-License-Identifier: MIT */
/* The contacts that acted in the last step, one after another. */
#ifndef PERP_STEPPING_CONTACT_LIST_H
#define PERP_STEPPING_CONTACT_LIST_H

#include "perp/contact_list.h"

/* Hand out the first most of them. @return the number of all of them. */
int32_t perp_contacts_each(const perp_simulation *sim, int32_t most,
                           void (*see)(const perp_contact_view *view, void *user), void *user);

#endif
