/* SPDX-License-Identifier: MIT */
/* A log that is written, as its parts see it. */
#ifndef PERP_LOG_LOG_H
#define PERP_LOG_LOG_H

#include "log/bytes.h"
#include "log/io.h"
#include "log/schema.h"

enum { LOG_HEAD = 16, LOG_BLOCK_HEAD = 32, LOG_MAJOR = PERP_LOG_VERSION, LOG_MINOR = 0 };

extern const unsigned char perp_log_magic[8], perp_log_block_magic[4];

/* A block's bytes in the file. */
static inline int64_t log_block_bytes(int64_t payload) {
  return LOG_BLOCK_HEAD + (payload + 7) / 8 * 8;
}

/* A stretch of a sample that comes from a stretch of what the caller hands over. */
typedef struct log_stretch {
  int32_t from, n; /* in all values of the schema       */
  int32_t own;     /* in those of PERP_LOG_OWN, -1: not */
} log_stretch;

struct perp_log {
  log_io io;
  int file;
  crc32c crc;
  log_schema schema;
  log_stretch *stretches;
  int32_t n_stretches, n_offered, n_own; /* numbers that are handed over */
  double *sample;                        /* n_values of the schema       */
  size_t record_bytes, block_bytes;      /* of a sample; of the payload of a block       */
  double sync_seconds, synced;           /* the clock when it was done last              */
  int32_t dirty;                         /* something is not on the disk                 */
  int32_t contact_lists;                 /* contacts of a pool follow each sample        */
  unsigned char *contacts;               /* of a list, as they are in the file: contacts_room */
  size_t contacts_room;                  /* bytes, as many as the longest list had       */
  int64_t offered, at;                   /* samples; bytes that were handed to the file  */
  uint64_t number;                       /* of the next block                            */
  unsigned char *buffer;                 /* room bytes, used; the open block is at begin */
  size_t room, used, begin;
  uint32_t type, count;  /* of the open block, 0: none; its records     */
  const char *failed;    /* what failed first, NULL: nothing            */
  int32_t failed_number; /* -errno of it                                */
};

/* ---- create.c ---- */

/* perp_log_create() and perp_log_append() on other files; io is copied. */
perp_status perp_log_create_on(perp_log **out, const char *path, const perp_log_schema *schema,
                               const perp_log_options *options, const log_io *io, perp_info *info);
perp_status perp_log_append_on(perp_log **out, const char *path, const perp_log_schema *schema,
                               const perp_log_options *options, int32_t where, const log_io *io,
                               perp_info *info);

/* ---- write.c ---- */

/* Whether the next sample that is offered is one to be written; counts it. */
int perp_log_due(perp_log *log);
/* Write n_values numbers as they are in the file. */
perp_status perp_log_put_sample(perp_log *log, double t, const double *values, perp_info *info);

/* A piece of a payload. */
typedef struct log_piece {
  const void *bytes;
  size_t n;
} log_piece;

/* Bytes behind what is closed: small ones into the buffer, others past it. */
void perp_log_put(perp_log *log, const void *bytes, size_t n);
/* A record that begins with head, followed by n bytes: in a block of its type, or in one of its
 * own. */
perp_status perp_log_put_record(perp_log *log, uint32_t type, log_piece head, log_piece rest,
                                perp_info *info);
/* A block of one record, of any size, in pieces. */
void perp_log_put_block(perp_log *log, uint32_t type, const log_piece *pieces, size_t n);
/* Close the present block, and hand all to the file; with sync, to the disk. */
void perp_log_put_out(perp_log *log, int sync);
/* What has failed. */
perp_status perp_log_answer(const perp_log *log, perp_info *info);
/* Free it, but for its file. */
void perp_log_destroy(perp_log *log);

/* ---- contacts.c: those of a pool ---- */

enum { LOG_CONTACT_HEAD = 16, LOG_CONTACT_VALUES = 15, LOG_CONTACT_NUMBERS = 24 };

/* Bytes of one. */
static inline size_t log_contact_bytes(int32_t float32) {
  return LOG_CONTACT_NUMBERS + LOG_CONTACT_VALUES * (size_t)(float32 ? 4 : 8);
}
/* Put c behind n others into a list that is being made. @return 0: there is no memory */
int perp_log_list_contact(perp_log *log, int32_t n, const perp_log_contact *c);
/* Write the list, which has n. */
perp_status perp_log_put_contacts(perp_log *log, double t, int32_t n, perp_info *info);
/* n of them from the bytes of a file. */
void perp_log_get_contacts(const unsigned char *at, size_t n, int32_t float32,
                           perp_log_contact *to);

/* ---- scan.c: what is in a file ---- */

/* A block that is whole. */
typedef struct log_block {
  int64_t at, bytes; /* of its head in the file; of its payload */
  int64_t first;     /* samples before it                       */
  uint32_t type, count;
} log_block;

typedef struct log_blocks {
  log_schema schema;
  log_block *list;
  size_t n, room;
  int64_t size, whole, samples;
  int32_t major, minor;
} log_blocks;

/* Look through a file; on failure nothing is allocated. */
perp_status perp_log_scan(log_blocks *out, const log_io *io, int file, const crc32c *crc,
                          perp_info *info);
void perp_log_blocks_release(log_blocks *blocks);

/* ---- read.c ---- */

/* perp_log_reader_open() on other files; io is copied. */
perp_status perp_log_reader_open_on(perp_log_reader **out, const char *path, const log_io *io,
                                    perp_info *info);

#endif
