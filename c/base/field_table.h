/* SPDX-License-Identifier: MIT */
/* Entries of the tables that tell what the fields of a description hold. */
#ifndef PERP_BASE_FIELD_TABLE_H
#define PERP_BASE_FIELD_TABLE_H

#include <stddef.h>

#include "perp/base.h"

#define FIELD_AT(type, member, what, rows, columns) \
  { offsetof(type, member), what, rows, columns }

/* count doubles from member on, in the struct */
#define FIELD_NUMBERS(type, member, count) \
  FIELD_AT(type, member, PERP_HOLDS_NUMBERS, PERP_FIXED(count), PERP_FIXED(1))
#define FIELD_INTEGER(type, member)  FIELD_AT(type, member, PERP_HOLDS_INTEGER, 0, 0)
#define FIELD_MATRIX(type, member)   FIELD_AT(type, member, PERP_HOLDS_MATRIX, 0, 0)
#define FIELD_RELATION(type, member) FIELD_AT(type, member, PERP_HOLDS_RELATION, 0, 0)
#define FIELD_USER(type, member)     FIELD_AT(type, member, PERP_HOLDS_USER, 0, 0)
#define FIELD_END \
  { 0, PERP_HOLDS_END, 0, 0 }

/* rows and columns are members */
#define FIELD_VECTOR(type, member, rows) \
  FIELD_AT(type, member, PERP_HOLDS_ARRAY, offsetof(type, rows), PERP_FIXED(1))
#define FIELD_ARRAY(type, member, rows, columns) \
  FIELD_AT(type, member, PERP_HOLDS_ARRAY, offsetof(type, rows), offsetof(type, columns))
#define FIELD_PARAMETERS(type, member, rows) \
  FIELD_AT(type, member, PERP_HOLDS_PARAMETERS, offsetof(type, rows), PERP_FIXED(1))

/* of the part named control of a system */
#define FIELD_CONTROL(type) \
  FIELD_ARRAY(type, control.T, system.n, control.n_u), FIELD_USER(type, control.user)

#endif
