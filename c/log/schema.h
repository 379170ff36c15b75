/* SPDX-License-Identifier: MIT */
/* What a log is of: as the caller describes it, as block 0 has it, and as it is read from there. */
#ifndef PERP_LOG_SCHEMA_OF_A_LOG_H
#define PERP_LOG_SCHEMA_OF_A_LOG_H

#include "perp/log.h"

enum {
  LOG_MOST_VALUES = 1 << 24, /* numbers of a sample */
  LOG_SOURCES = PERP_LOG_CONTACT_FORCE + 1
};

/* A schema that was read: the views point into the payload and the block. */
typedef struct log_schema {
  perp_log_schema view;
  perp_log_quantity *quantities; /* those of view                   */
  int32_t *offsets;              /* of each in a sample             */
  int32_t n_values;              /* numbers of a sample             */
  int32_t perp_version, every, float32;
  unsigned char *payload; /* of block 0, from malloc, changed */
  void *block;            /* from malloc                      */
} log_schema;

/* Which members of each quantity are logged: a byte for each, one quantity after another; NULL: all
 * of them. */
typedef struct log_selection {
  unsigned char *picked; /* from malloc */
  size_t members;
} log_selection;

/* The caller's schema, as far as both sides know it. */
perp_status perp_log_schema_check(perp_log_schema *out, const perp_log_schema *in, perp_info *info);
perp_status perp_log_select(log_selection *out, const perp_log_schema *schema, const char *select,
                            perp_info *info);
/* The payload of block 0, from malloc. */
perp_status perp_log_schema_encode(unsigned char **out, size_t *bytes,
                                   const perp_log_schema *schema, const log_selection *selection,
                                   const perp_log_options *options, perp_info *info);
/* Takes the payload, from malloc, whatever happens. */
perp_status perp_log_schema_decode(log_schema *out, unsigned char *payload, size_t bytes,
                                   perp_info *info);
void perp_log_schema_release(log_schema *schema);
/* The index of the first quantity in which they differ, -1: none; n_quantities: in their number. */
int32_t perp_log_schema_differs(const perp_log_schema *a, const perp_log_schema *b);

/* The name of a member, as snprintf(). */
size_t perp_log_member_name(const perp_log_quantity *quantity, int32_t member, char *text,
                            size_t room);

/* Read a text in place: move it over its length, and end it. NULL: it is not whole. */
char *perp_log_text(unsigned char **at, size_t *left);

#endif
