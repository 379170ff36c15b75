/* SPDX-License-Identifier: MIT */
/* What is allowed of a field that a call refused. */
#ifndef PERP_HEAP_RULES_H
#define PERP_HEAP_RULES_H

#include "heap/page.h"
#include "perp/base.h"

/* What is to be said of a field that an info names, NULL: nothing but its value. A rule that begins
 * with "must" or "so many" is about the value, which stands before it; one that begins with ":"
 * holds the value at its %s, if it has one; any other is about the field. */
const char *perp_rule(perp_status status, const perp_info *info);

/* The field of an info, with what it is of; objects and entries are counted from first. */
void perp_place(page *p, const perp_info *info, int first);

#endif
