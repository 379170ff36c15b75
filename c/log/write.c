/* SPDX-License-Identifier: MIT */
/* Writing a log. Records gather in a block, blocks in a buffer; the buffer goes to the file when it
 * is full or the time has come. What is in the file is never written again, so that it stays what
 * it was, whatever happens afterwards. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "log/log.h"

const unsigned char perp_log_magic[8] = {0x89, 'P', 'L', 'O', 'G', '\r', '\n', 0x1a};
const unsigned char perp_log_block_magic[4] = {'P', 'L', 'B', 'K'};

enum { LEAST_BLOCK = 1024, MOST_BLOCK = 1 << 26, LEAST_BUFFER = 1 << 17, EVENT_BYTES = 48 };

/* --------------------------------------------------------------------------- options ---- */

static const perp_log_options usual = {sizeof usual, 1, 0, 65536, 1.0, NULL};

void perp_log_options_init(perp_log_options *opts, size_t size) {
  if (opts != NULL) perp_options_fill(opts, size, &usual, sizeof usual);
}

static perp_status read_options(perp_log_options *out, const perp_log_options *in,
                                perp_info *info) {
  *out = usual;
  if (perp_options_read(out, sizeof *out, in, PERP_THROUGH(perp_log_options, select)) != PERP_OK)
    return fail_field(info, "options", -1);
  if (out->every < 1) return fail(info, PERP_EINVAL, "every", -1, out->every);
  if (out->float32 != 0 && out->float32 != 1)
    return fail(info, PERP_EINVAL, "float32", -1, out->float32);
  if (out->block_bytes < LEAST_BLOCK || out->block_bytes > MOST_BLOCK)
    return fail(info, PERP_EINVAL, "block_bytes", -1, out->block_bytes);
  if (!(out->sync_seconds >= 0))
    return fail(info, PERP_EINVAL, "sync_seconds", -1, out->sync_seconds);
  return PERP_OK;
}

/* ------------------------------------------------------------------------ to the file ---- */

static perp_status answer(const perp_log *log, perp_info *info) {
  if (log->failed == NULL) return PERP_OK;
  return fail(info, PERP_EBACKEND, log->failed, -1, -log->failed_number);
}

static void give_up(perp_log *log, const char *what, int64_t number) {
  log->failed = what;
  log->failed_number = (int32_t)number;
}

static void write_bytes(perp_log *log, const unsigned char *bytes, size_t n) {
  while (n > 0 && log->failed == NULL) {
    const int64_t done = log->io.write(log->io.user, log->file, log->at, bytes, n);
    if (done <= 0) {
      give_up(log, "log.write", done < 0 ? done : -ENOSPC);
      return;
    }
    bytes += done;
    n -= (size_t)done;
    log->at += done;
    log->dirty = 1;
  }
}

/* The head of the next block, but for its checksum. */
static void put_head(perp_log *log, unsigned char *head, uint32_t type, uint64_t bytes,
                     uint32_t count) {
  memcpy(head, perp_log_block_magic, 4);
  put_u32(head + 4, type);
  put_u64(head + 8, bytes);
  put_u64(head + 16, log->number++);
  put_u32(head + 24, count);
}

static void close_block(perp_log *log) {
  if (log->type == 0) return;
  unsigned char *head = log->buffer + log->begin;
  const size_t bytes = log->used - log->begin - LOG_BLOCK_HEAD;
  const size_t padded = (bytes + 7) / 8 * 8;
  memset(log->buffer + log->used, 0, padded - bytes);
  log->used += padded - bytes;
  put_head(log, head, log->type, bytes, log->count);
  const uint32_t crc = perp_crc32c_add(&log->crc, 0, LOG_BLOCK_HEAD - 4, head);
  put_u32(head + 28, perp_crc32c_add(&log->crc, crc, padded, head + LOG_BLOCK_HEAD));
  log->type = 0;
}

/* What is closed goes to the file, and what is open to the beginning of the buffer. */
static void drain(perp_log *log) {
  const size_t closed = log->type != 0 ? log->begin : log->used;
  write_bytes(log, log->buffer, closed);
  memmove(log->buffer, log->buffer + closed, log->used - closed);
  log->used -= closed;
  log->begin = 0;
}

static void sync_file(perp_log *log) {
  if (log->failed == NULL && log->dirty) {
    const int done = log->io.sync(log->io.user, log->file);
    if (done < 0)
      give_up(log, "log.sync", done);
    else
      log->dirty = 0;
  }
  log->synced = log->io.clock(log->io.user);
}

static void flush(perp_log *log, int sync) {
  close_block(log);
  drain(log);
  if (sync) sync_file(log);
}

/* After something was added: is it time? */
static perp_status added(perp_log *log, perp_info *info) {
  if (log->sync_seconds < HUGE_VAL &&
      !(log->io.clock(log->io.user) - log->synced < log->sync_seconds))
    flush(log, 1);
  return answer(log, info);
}

/* Room for a record of n bytes at the end of a block of its type; n is at most block_bytes or that
 * of a sample. */
static unsigned char *room_for(perp_log *log, uint32_t type, size_t n) {
  if (log->type != 0) {
    const size_t bytes = log->used - log->begin - LOG_BLOCK_HEAD;
    if (log->type != type || bytes + n > log->block_bytes) close_block(log);
  }
  if (log->used + LOG_BLOCK_HEAD + n + 8 > log->room) drain(log);
  if (log->type == 0) {
    log->begin = log->used;
    log->used += LOG_BLOCK_HEAD;
    log->type = type;
    log->count = 0;
  }
  unsigned char *to = log->buffer + log->used;
  log->used += n;
  log->count++;
  return to;
}

/* A piece of a payload. */
typedef struct piece {
  const void *bytes;
  size_t n;
} piece;

/* A block of one record, of any size, in pieces. */
static void put_block(perp_log *log, uint32_t type, const piece *pieces, size_t n) {
  static const unsigned char zeros[8] = {0};
  unsigned char head[LOG_BLOCK_HEAD];
  uint64_t bytes = 0;
  for (size_t i = 0; i < n; i++) bytes += pieces[i].n;
  const size_t rest = (size_t)((8 - bytes % 8) % 8);
  flush(log, 0);
  put_head(log, head, type, bytes, 1);
  uint32_t crc = perp_crc32c_add(&log->crc, 0, LOG_BLOCK_HEAD - 4, head);
  for (size_t i = 0; i < n; i++)
    crc = perp_crc32c_add(&log->crc, crc, pieces[i].n, pieces[i].bytes);
  put_u32(head + 28, perp_crc32c_add(&log->crc, crc, rest, zeros));
  write_bytes(log, head, sizeof head);
  for (size_t i = 0; i < n; i++) write_bytes(log, pieces[i].bytes, pieces[i].n);
  write_bytes(log, zeros, rest);
}

/* ----------------------------------------------------------------------------- begin ---- */

static perp_status no_memory(perp_info *info, size_t bytes) {
  return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
}

static void destroy(perp_log *log) {
  if (log == NULL) return;
  perp_log_schema_release(&log->schema);
  free(log->stretches);
  free(log->sample);
  free(log->buffer);
  free(log);
}

/* Which stretches of what is handed over are written; neighbours are one. */
static void plan(perp_log *log, const perp_log_schema *schema, const log_selection *selection) {
  const unsigned char *picked = selection->picked;
  int32_t from = 0, own = 0;
  log->n_stretches = 0;
  for (int32_t i = 0; i < schema->n_quantities; i++) {
    const perp_log_quantity *q = schema->quantities + i;
    const int is_own = q->source == PERP_LOG_OWN;
    for (int32_t k = 0; k < q->members; k++, from += q->components) {
      log_stretch *last = log->n_stretches > 0 ? log->stretches + log->n_stretches - 1 : NULL;
      if (*picked++) {
        if (last != NULL && last->from + last->n == from && (last->own >= 0) == is_own)
          last->n += q->components;
        else
          log->stretches[log->n_stretches++] =
              (log_stretch){from, q->components, is_own ? own : -1};
      }
      own += is_own ? q->components : 0;
    }
  }
  log->n_offered = from;
  log->n_own = own;
}

/* Memory for what is written: schema is the caller's, log->schema what is in the file. */
static perp_status prepare(perp_log *log, const perp_log_schema *schema,
                           const log_selection *selection, const perp_log_options *options,
                           perp_info *info) {
  const size_t n = (size_t)log->schema.n_values;
  log->record_bytes = 8 + n * (log->schema.float32 ? 4 : 8);
  log->block_bytes = (size_t)options->block_bytes;
  log->sync_seconds = options->sync_seconds;
  const size_t most = log->record_bytes > log->block_bytes ? log->record_bytes : log->block_bytes;
  const size_t stretches = (selection->members + 1) * sizeof *log->stretches;
  log->room = LEAST_BUFFER + 2 * (LOG_BLOCK_HEAD + most + 8);
  log->buffer = malloc(log->room);
  log->sample = malloc((n + 1) * sizeof *log->sample);
  log->stretches = malloc(stretches);
  if (log->buffer == NULL || log->sample == NULL || log->stretches == NULL)
    return no_memory(info, log->room + (n + 1) * sizeof *log->sample + stretches);
  plan(log, schema, selection);
  return PERP_OK;
}

static perp_status start(perp_log **out, const perp_log_options *options, const log_io *io,
                         perp_info *info) {
  perp_log *log = calloc(1, sizeof *log);
  if (log == NULL) return no_memory(info, sizeof *log);
  log->io = *io;
  log->file = -1;
  log->sync_seconds = options->sync_seconds;
  perp_crc32c_init(&log->crc);
  *out = log;
  return PERP_OK;
}

static perp_status open_file(perp_log *log, const char *path, int how, perp_info *info) {
  log->file = log->io.open(log->io.user, path, how);
  if (log->file < 0) return fail(info, PERP_EBACKEND, "log.open", -1, -log->file);
  log->synced = log->io.clock(log->io.user);
  return PERP_OK;
}

/* Head and schema, at once in the file. */
static perp_status begin_file(perp_log *log, const piece *schema, perp_info *info) {
  unsigned char head[LOG_HEAD];
  memcpy(head, perp_log_magic, sizeof perp_log_magic);
  put_u16(head + 8, LOG_MAJOR);
  put_u16(head + 10, LOG_MINOR);
  put_u32(head + 12, perp_crc32c_add(&log->crc, 0, LOG_HEAD - 4, head));
  write_bytes(log, head, sizeof head);
  put_block(log, PERP_LOG_BEGIN, schema, 1);
  return answer(log, info);
}

static perp_status create(perp_log *log, const char *path, const perp_log_schema *schema,
                          const log_selection *selection, const perp_log_options *options,
                          perp_info *info) {
  unsigned char *payload = NULL, *copy = NULL;
  size_t bytes = 0;
  perp_status status = perp_log_schema_encode(&payload, &bytes, schema, selection, options, info);
  if (status == PERP_OK && (copy = malloc(bytes + 1)) == NULL) status = no_memory(info, bytes);
  if (status == PERP_OK) {
    memcpy(copy, payload, bytes);
    status = perp_log_schema_decode(&log->schema, copy, bytes, info);
  }
  if (status == PERP_OK) status = prepare(log, schema, selection, options, info);
  if (status == PERP_OK) status = open_file(log, path, LOG_REPLACE, info);
  if (status == PERP_OK) {
    const piece whole = {payload, bytes};
    status = begin_file(log, &whole, info);
  }
  free(payload);
  return status;
}

perp_status perp_log_create_on(perp_log **out, const char *path, const perp_log_schema *schema,
                               const perp_log_options *options, const log_io *io, perp_info *info) {
  perp_log_options o;
  perp_log_schema s;
  log_selection selection = {NULL, 0};
  perp_log *log = NULL;
  info_clear(info);
  if (out == NULL) return fail_field(info, "out", -1);
  *out = NULL;
  if (path == NULL) return fail_field(info, "path", -1);
  perp_status status = read_options(&o, options, info);
  if (status == PERP_OK) status = perp_log_schema_check(&s, schema, info);
  if (status == PERP_OK) status = perp_log_select(&selection, &s, o.select, info);
  if (status == PERP_OK) status = start(&log, &o, io, info);
  if (status == PERP_OK) status = create(log, path, &s, &selection, &o, info);
  free(selection.picked);
  if (status != PERP_OK && log != NULL) {
    if (log->file >= 0) (void)log->io.close(log->io.user, log->file);
    destroy(log);
    log = NULL;
  }
  *out = log;
  return status;
}

perp_status perp_log_create(perp_log **out, const char *path, const perp_log_schema *schema,
                            const perp_log_options *options, perp_info *info) {
  return perp_log_create_on(out, path, schema, options, perp_log_files(), info);
}

/* ---------------------------------------------------------------------------- append ---- */

/* Where a file is cut: behind which block, and how many samples were offered up to there. */
static perp_status find_end(perp_log *log, const log_blocks *blocks, int32_t where,
                            perp_info *info) {
  unsigned char head[16]; /* t and offered of a checkpoint */
  size_t last = blocks->n;
  while (last > 0 && blocks->list[last - 1].type != PERP_LOG_CHECKPOINT) last--;
  if (last == 0 && where == PERP_LOG_AT_CHECKPOINT) return fail_field(info, "log.checkpoint", -1);
  int64_t offered = 0, first = 0; /* of samples before the checkpoint */
  if (last > 0) {
    const log_block *b = blocks->list + last - 1;
    if (b->bytes < 16) return fail_field(info, "log.record", -1);
    const int read = perp_log_read_all(&log->io, log->file, b->at + LOG_BLOCK_HEAD, head, 16);
    if (read < 0) return fail(info, PERP_EBACKEND, "log.read", -1, -read);
    const uint64_t counted = get_u64(head + 8);
    if (counted > INT64_MAX) return fail_field(info, "log.record", -1);
    offered = (int64_t)counted;
    first = b->first;
  }
  if (where == PERP_LOG_AT_END) {
    last = blocks->n;
    /* of those offered since the last that is in the file nothing is known */
    if (blocks->samples > first) offered = (blocks->samples - 1) * (int64_t)log->schema.every + 1;
  }
  const log_block *end = blocks->list + last - 1;
  log->offered = offered;
  log->number = last;
  log->at = end->at + log_block_bytes(end->bytes);
  return PERP_OK;
}

/* The schema that tells where values come from: the caller's, or the file's with all selected. */
static perp_status match(perp_log *log, const perp_log_schema *schema,
                         const perp_log_options *options, perp_info *info) {
  perp_log_schema s = log->schema.view;
  log_selection selection = {NULL, 0};
  const char *select = schema != NULL ? options->select : NULL;
  perp_status status = schema != NULL ? perp_log_schema_check(&s, schema, info) : PERP_OK;
  if (status == PERP_OK) status = perp_log_select(&selection, &s, select, info);
  if (status == PERP_OK && schema != NULL) {
    unsigned char *payload = NULL;
    size_t bytes = 0;
    log_schema own = {.payload = NULL};
    status = perp_log_schema_encode(&payload, &bytes, &s, &selection, &usual, info);
    if (status == PERP_OK) status = perp_log_schema_decode(&own, payload, bytes, info);
    const int32_t differs =
        status == PERP_OK ? perp_log_schema_differs(&own.view, &log->schema.view) : -1;
    perp_log_schema_release(&own);
    if (differs >= 0) status = fail(info, PERP_EINVAL, "quantities", differs, differs);
  }
  if (status == PERP_OK) status = prepare(log, &s, &selection, options, info);
  free(selection.picked);
  return status;
}

static perp_status append(perp_log *log, const char *path, const perp_log_schema *schema,
                          const perp_log_options *options, int32_t where, perp_info *info) {
  log_blocks blocks;
  perp_status status = open_file(log, path, LOG_APPEND, info);
  if (status != PERP_OK) return status;
  status = perp_log_scan(&blocks, &log->io, log->file, &log->crc, info);
  if (status != PERP_OK) return status;
  log->schema = blocks.schema;
  blocks.schema = (log_schema){.payload = NULL};
  status = match(log, schema, options, info);
  if (status == PERP_OK) status = find_end(log, &blocks, where, info);
  if (status == PERP_OK && log->at < blocks.size) {
    int done = log->io.cut(log->io.user, log->file, log->at);
    if (done >= 0) done = log->io.sync(log->io.user, log->file);
    if (done < 0) status = fail(info, PERP_EBACKEND, "log.cut", -1, -done);
  }
  perp_log_blocks_release(&blocks);
  return status;
}

perp_status perp_log_append_on(perp_log **out, const char *path, const perp_log_schema *schema,
                               const perp_log_options *options, int32_t where, const log_io *io,
                               perp_info *info) {
  perp_log_options o;
  perp_log *log = NULL;
  info_clear(info);
  if (out == NULL) return fail_field(info, "out", -1);
  *out = NULL;
  if (path == NULL) return fail_field(info, "path", -1);
  if (where != PERP_LOG_AT_END && where != PERP_LOG_AT_CHECKPOINT)
    return fail(info, PERP_EINVAL, "where", -1, where);
  perp_status status = read_options(&o, options, info);
  if (status == PERP_OK) status = start(&log, &o, io, info);
  if (status == PERP_OK) status = append(log, path, schema, &o, where, info);
  if (status != PERP_OK && log != NULL) {
    if (log->file >= 0) (void)log->io.close(log->io.user, log->file);
    destroy(log);
    log = NULL;
  }
  *out = log;
  return status;
}

perp_status perp_log_append(perp_log **out, const char *path, const perp_log_schema *schema,
                            const perp_log_options *options, int32_t where, perp_info *info) {
  return perp_log_append_on(out, path, schema, options, where, perp_log_files(), info);
}

/* ----------------------------------------------------------------------------- samples ---- */

int perp_log_due(perp_log *log) { return log->offered++ % log->schema.every == 0; }

perp_status perp_log_put_sample(perp_log *log, double t, const double *values, perp_info *info) {
  const size_t n = (size_t)log->schema.n_values;
  unsigned char *to = room_for(log, PERP_LOG_SAMPLES, log->record_bytes);
  to = put_f64(to, t);
  if (log->schema.float32)
    put_f32s(to, n, values);
  else
    put_f64s(to, n, values);
  return added(log, info);
}

perp_status perp_log_add_sample(perp_log *log, double t, const double *values, int32_t n,
                                perp_info *info) {
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (n != log->n_offered) return fail(info, PERP_EINVAL, "n_values", -1, n);
  if (n > 0 && values == NULL) return fail_field(info, "values", -1);
  if (log->failed != NULL) return answer(log, info);
  if (!perp_log_due(log)) return PERP_OK;
  if (n == log->schema.n_values) return perp_log_put_sample(log, t, values, info);
  double *to = log->sample;
  for (int32_t i = 0; i < log->n_stretches; to += log->stretches[i++].n)
    memcpy(to, values + log->stretches[i].from, (size_t)log->stretches[i].n * sizeof *to);
  return perp_log_put_sample(log, t, log->sample, info);
}

/* ------------------------------------------------------------------------ other records ---- */

perp_status perp_log_add_event(perp_log *log, const perp_log_event *event, perp_info *info) {
  unsigned char small[EVENT_BYTES];
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (event == NULL) return fail_field(info, "event", -1);
  if (event->n_impulse < 0) return fail(info, PERP_EINVAL, "n_impulse", -1, event->n_impulse);
  if (event->n_impulse > 0 && event->impulse == NULL) return fail_field(info, "impulse", -1);
  if (log->failed != NULL) return answer(log, info);
  const size_t n = (size_t)event->n_impulse;
  unsigned char *to = put_f64(small, event->t);
  to = put_i32(to, event->kind);
  to = put_i32(to, event->index);
  to = put_i32(to, event->copy);
  to = put_i32(to, event->before);
  to = put_i32(to, event->after);
  to = put_u32(to, (uint32_t)n);
  to = put_f64(to, event->error);
  put_f64(to, event->until);
  if (sizeof small + 8 * n <= log->block_bytes) {
    to = room_for(log, PERP_LOG_EVENTS, sizeof small + 8 * n);
    memcpy(to, small, sizeof small);
    put_f64s(to + sizeof small, n, event->impulse);
    return added(log, info);
  }
  unsigned char *impulse = malloc(8 * n);
  if (impulse == NULL) return no_memory(info, 8 * n);
  put_f64s(impulse, n, event->impulse);
  const piece pieces[] = {{small, sizeof small}, {impulse, 8 * n}};
  put_block(log, PERP_LOG_EVENTS, pieces, 2);
  free(impulse);
  return added(log, info);
}

/* A text of 2^32 bytes or more would not be one. */
static int is_text(const char *text) { return text != NULL && strlen(text) <= INT32_MAX; }

perp_status perp_log_add_checkpoint(perp_log *log, double t, const char *name, const void *bytes,
                                    size_t n_bytes, perp_info *info) {
  unsigned char head[20];
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (!is_text(name)) return fail_field(info, "name", -1);
  if (n_bytes > 0 && bytes == NULL) return fail_field(info, "bytes", -1);
  if (log->failed != NULL) return answer(log, info);
  const size_t n = strlen(name);
  put_f64(head, t);
  put_u64(head + 8, (uint64_t)log->offered);
  put_u32(head + 16, (uint32_t)n);
  const piece pieces[] = {{head, sizeof head}, {name, n}, {bytes, n_bytes}};
  put_block(log, PERP_LOG_CHECKPOINT, pieces, 3);
  sync_file(log);
  return answer(log, info);
}

perp_status perp_log_add_note(perp_log *log, const char *name, const char *text, perp_info *info) {
  unsigned char a[4], b[4];
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (!is_text(name)) return fail_field(info, "name", -1);
  if (!is_text(text)) return fail_field(info, "text", -1);
  if (log->failed != NULL) return answer(log, info);
  put_u32(a, (uint32_t)strlen(name));
  put_u32(b, (uint32_t)strlen(text));
  const piece pieces[] = {{a, 4}, {name, strlen(name)}, {b, 4}, {text, strlen(text)}};
  put_block(log, PERP_LOG_NOTE, pieces, 4);
  return added(log, info);
}

perp_status perp_log_add_end(perp_log *log, double t, perp_status status, const char *reason,
                             const char *report, perp_info *info) {
  unsigned char head[20], b[4];
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (reason == NULL) reason = "";
  if (report == NULL) report = "";
  if (!is_text(reason)) return fail_field(info, "reason", -1);
  if (!is_text(report)) return fail_field(info, "report", -1);
  if (log->failed != NULL) return answer(log, info);
  put_f64(head, t);
  put_i32(head + 8, status);
  put_u32(head + 12, 0);
  put_u32(head + 16, (uint32_t)strlen(reason));
  put_u32(b, (uint32_t)strlen(report));
  const piece pieces[] = {
      {head, sizeof head}, {reason, strlen(reason)}, {b, 4}, {report, strlen(report)}};
  put_block(log, PERP_LOG_END, pieces, 4);
  return added(log, info);
}

/* -------------------------------------------------------------------------------- rest ---- */

perp_status perp_log_flush(perp_log *log, int32_t sync, perp_info *info) {
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (log->failed == NULL) flush(log, sync != 0);
  return answer(log, info);
}

perp_status perp_log_close(perp_log *log, perp_info *info) {
  info_clear(info);
  if (log == NULL) return PERP_OK;
  if (log->failed == NULL) flush(log, 1);
  const int closed = log->io.close(log->io.user, log->file);
  if (closed < 0 && log->failed == NULL) give_up(log, "log.close", closed);
  const perp_status status = answer(log, info);
  destroy(log);
  return status;
}

/* Of the first n numbers 0, 1, 2 ... those that are multiples of every. */
static int64_t multiples(int64_t n, int64_t every) { return n / every + (n % every != 0); }

int64_t perp_log_bytes(const perp_log *log, int64_t samples) {
  const int64_t most = INT64_C(1) << 62;
  if (log == NULL || samples < 0 || samples > most - log->offered) return -1;
  const int64_t every = log->schema.every, record = (int64_t)log->record_bytes;
  int64_t n = multiples(log->offered + samples, every) - multiples(log->offered, every);
  if (n > (most - log->at) / (record + LOG_BLOCK_HEAD + 8)) return -1;
  const int64_t per_block =
      (int64_t)(log->block_bytes > log->record_bytes ? log->block_bytes / log->record_bytes : 1);
  const int64_t closed = log->at + (int64_t)(log->type != 0 ? log->begin : log->used);
  int64_t bytes = closed;
  if (log->type != 0) {
    const int64_t open = (int64_t)(log->used - log->begin) - LOG_BLOCK_HEAD;
    int64_t more = 0;
    if (log->type == PERP_LOG_SAMPLES) {
      more = per_block - log->count < n ? per_block - log->count : n;
      n -= more;
    }
    bytes += log_block_bytes(open + more * record);
  }
  bytes += n / per_block * log_block_bytes(per_block * record);
  return n % per_block == 0 ? bytes : bytes + log_block_bytes(n % per_block * record);
}

int32_t perp_log_n_values(const perp_log *log) { return log == NULL ? 0 : log->n_offered; }
