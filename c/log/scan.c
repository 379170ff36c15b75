/* SPDX-License-Identifier: MIT */
/* Looking through a log: which blocks are whole. Nothing is believed before its checksum was seen,
 * and no length before it was held against that of the file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "log/log.h"

enum { CHUNK = 1 << 18, LEAST_EVENT = 48 };

/* A file that is looked through. */
typedef struct scanner {
  const log_io *io;
  int file;
  const crc32c *crc;
  unsigned char *chunk; /* CHUNK bytes, or those of the file if it has fewer */
} scanner;

static perp_status unread(perp_info *info, int failed) {
  return fail(info, PERP_EBACKEND, "log.read", -1, -failed);
}

static perp_status no_memory(perp_info *info, size_t bytes) {
  return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
}

/* The checksum of a block whose head is read: 1 if it is right, 0 if not, or -errno. */
static int right(const scanner *s, const unsigned char *head, int64_t at, int64_t rest) {
  uint32_t crc = perp_crc32c_add(s->crc, 0, LOG_BLOCK_HEAD - 4, head);
  while (rest > 0) {
    const size_t n = rest < CHUNK ? (size_t)rest : CHUNK;
    const int read = perp_log_read_all(s->io, s->file, at, s->chunk, n);
    if (read < 0) return read;
    crc = perp_crc32c_add(s->crc, crc, n, s->chunk);
    at += (int64_t)n;
    rest -= (int64_t)n;
  }
  return crc == get_u32(head + 28);
}

/* Whether so many records can have so many bytes. */
static int has_shape(const log_blocks *out, const log_block *b) {
  const int64_t record = 8 + (int64_t)out->schema.n_values * (out->schema.float32 ? 4 : 8);
  switch (b->type) {
    case PERP_LOG_BEGIN:
      return 0; /* another one */
    case PERP_LOG_SAMPLES:
      return b->count >= 1 && b->count <= INT32_MAX && b->bytes % record == 0 &&
             b->bytes / record == b->count;
    case PERP_LOG_EVENTS:
      return b->count >= 1 && b->bytes / LEAST_EVENT >= b->count;
    case PERP_LOG_CONTACT_LIST:
      return b->count >= 1 && b->bytes / LOG_CONTACT_HEAD >= b->count;
    case PERP_LOG_CHECKPOINT:
    case PERP_LOG_NOTE:
    case PERP_LOG_END:
      return b->count == 1;
    default:
      return 1;
  }
}

static perp_status remember(log_blocks *out, const log_block *b, perp_info *info) {
  if (out->n == out->room) {
    const size_t room = out->room < 64 ? 64 : out->room + out->room / 2;
    log_block *list = realloc(out->list, room * sizeof *list);
    if (list == NULL) return no_memory(info, room * sizeof *list);
    out->list = list;
    out->room = room;
  }
  out->list[out->n++] = *b;
  return PERP_OK;
}

/* The block at the end of what is whole: *found 1, or 0 where there is none. */
static perp_status next_block(const scanner *s, log_blocks *out, log_block *b, int *found,
                              perp_info *info) {
  unsigned char head[LOG_BLOCK_HEAD];
  *found = 0;
  if (out->size - out->whole < LOG_BLOCK_HEAD) return PERP_OK;
  int done = perp_log_read_all(s->io, s->file, out->whole, head, sizeof head);
  if (done < 0) return unread(info, done);
  const uint64_t bytes = get_u64(head + 8);
  if (memcmp(head, perp_log_block_magic, 4) != 0 || get_u64(head + 16) != out->n ||
      bytes > (uint64_t)(out->size - out->whole - LOG_BLOCK_HEAD))
    return PERP_OK;
  *b = (log_block){out->whole, (int64_t)bytes, out->samples, get_u32(head + 4), get_u32(head + 24)};
  const int64_t all = log_block_bytes(b->bytes);
  if (all > out->size - out->whole) return PERP_OK;
  done = right(s, head, out->whole + LOG_BLOCK_HEAD, all - LOG_BLOCK_HEAD);
  if (done < 0) return unread(info, done);
  *found = done;
  return PERP_OK;
}

static perp_status read_head(const scanner *s, log_blocks *out, perp_info *info) {
  unsigned char head[LOG_HEAD] = {0};
  const size_t n = out->size < LOG_HEAD ? (size_t)out->size : LOG_HEAD;
  const int done = perp_log_read_all(s->io, s->file, 0, head, n);
  if (done < 0) return unread(info, done);
  if (n < LOG_HEAD || memcmp(head, perp_log_magic, 8) != 0)
    return fail_field(info, "log.magic", -1);
  if (perp_crc32c_add(s->crc, 0, LOG_HEAD - 4, head) != get_u32(head + 12))
    return fail_field(info, "log.schema", -1);
  out->major = (int32_t)get_number(head + 8, 2);
  out->minor = (int32_t)get_number(head + 10, 2);
  if (out->major > LOG_MAJOR) return fail(info, PERP_EUNSUPPORTED, "log.version", -1, out->major);
  if (out->major < 1) return fail_field(info, "log.schema", -1);
  out->whole = LOG_HEAD;
  return PERP_OK;
}

static perp_status read_schema(const scanner *s, log_blocks *out, perp_info *info) {
  log_block b;
  int found;
  perp_status status = next_block(s, out, &b, &found, info);
  if (status != PERP_OK) return status;
  if (!found || b.type != PERP_LOG_BEGIN) return fail_field(info, "log.schema", -1);
  unsigned char *payload = malloc((size_t)b.bytes + 1);
  if (payload == NULL) return no_memory(info, (size_t)b.bytes);
  const int done =
      perp_log_read_all(s->io, s->file, b.at + LOG_BLOCK_HEAD, payload, (size_t)b.bytes);
  if (done < 0) {
    free(payload);
    return unread(info, done);
  }
  status = perp_log_schema_decode(&out->schema, payload, (size_t)b.bytes, info);
  if (status == PERP_OK) status = remember(out, &b, info);
  out->whole += log_block_bytes(b.bytes);
  return status;
}

static perp_status scan(const scanner *s, log_blocks *out, perp_info *info) {
  perp_status status = read_head(s, out, info);
  if (status == PERP_OK) status = read_schema(s, out, info);
  while (status == PERP_OK) {
    log_block b;
    int found;
    status = next_block(s, out, &b, &found, info);
    if (status != PERP_OK || !found || !has_shape(out, &b)) break;
    status = remember(out, &b, info);
    out->whole += log_block_bytes(b.bytes);
    if (b.type == PERP_LOG_SAMPLES) out->samples += b.count;
  }
  return status;
}

perp_status perp_log_scan(log_blocks *out, const log_io *io, int file, const crc32c *crc,
                          perp_info *info) {
  *out = (log_blocks){.list = NULL};
  out->size = io->size(io->user, file);
  if (out->size < 0) return unread(info, (int)out->size);
  const size_t chunk = out->size < CHUNK ? (size_t)out->size : CHUNK;
  const scanner s = {io, file, crc, malloc(chunk + 1)};
  if (s.chunk == NULL) return no_memory(info, chunk);
  const perp_status status = scan(&s, out, info);
  free(s.chunk);
  if (status != PERP_OK) perp_log_blocks_release(out);
  return status;
}

void perp_log_blocks_release(log_blocks *blocks) {
  perp_log_schema_release(&blocks->schema);
  free(blocks->list);
  *blocks = (log_blocks){.list = NULL};
}
