/* SPDX-License-Identifier: MIT */
/* A log begins: anew, or behind what a file has. */
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "log/log.h"

const unsigned char perp_log_magic[8] = {0x89, 'P', 'L', 'O', 'G', '\r', '\n', 0x1a};

enum { LEAST_BLOCK = 1024, MOST_BLOCK = 1 << 26, LEAST_BUFFER = 1 << 17 };

/* --------------------------------------------------------------------------- options ---- */

static const perp_log_options usual = {sizeof usual, 1, 0, 65536, 1.0, NULL, 0, 0};

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
  if (out->contact_lists != 0 && out->contact_lists != 1)
    return fail(info, PERP_EINVAL, "contact_lists", -1, out->contact_lists);
  return PERP_OK;
}

/* ----------------------------------------------------------------------------- begin ---- */

static perp_status no_memory(perp_info *info, size_t bytes) {
  return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
}

/* Which stretches of what is handed over are written; neighbours are one. to NULL: they are
 * counted.
 */
static size_t plan(perp_log *log, const perp_log_schema *schema, const log_selection *selection,
                   log_stretch *to) {
  const unsigned char *picked = selection->picked;
  log_stretch last = {0, 0, -1};
  int32_t from = 0, own = 0;
  size_t n = 0;
  for (int32_t i = 0; i < schema->n_quantities; i++) {
    const perp_log_quantity *q = schema->quantities + i;
    const int is_own = q->source == PERP_LOG_OWN;
    for (int32_t k = 0, many; k < q->members; k += many) { /* members at once */
      many = picked == NULL ? q->members : 1;
      if (picked == NULL || *picked++) {
        const int goes_on = n > 0 && last.from + last.n == from && (last.own >= 0) == is_own;
        if (!goes_on) n++, last = (log_stretch){from, 0, is_own ? own : -1};
        last.n += many * q->components;
        if (to != NULL) to[n - 1] = last;
      }
      from += many * q->components;
      own += is_own ? many * q->components : 0;
    }
  }
  log->n_offered = from;
  log->n_own = own;
  return n;
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
  const size_t stretches = plan(log, schema, selection, NULL);
  log->room = LEAST_BUFFER + LOG_BLOCK_HEAD + most + 8;
  log->buffer = malloc(log->room);
  log->sample = malloc((n + 1) * sizeof *log->sample);
  log->stretches = malloc((stretches + 1) * sizeof *log->stretches);
  if (log->buffer == NULL || log->sample == NULL || log->stretches == NULL)
    return no_memory(info, log->room + n * sizeof *log->sample + stretches * sizeof(log_stretch));
  log->n_stretches = (int32_t)plan(log, schema, selection, log->stretches);
  return PERP_OK;
}

static perp_status start(perp_log **out, const perp_log_options *options, const log_io *io,
                         perp_info *info) {
  perp_log *log = calloc(1, sizeof *log);
  if (log == NULL) return no_memory(info, sizeof *log);
  log->io = *io;
  log->file = -1;
  log->sync_seconds = options->sync_seconds;
  log->contact_lists = options->contact_lists;
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
static perp_status begin_file(perp_log *log, const log_piece *schema, perp_info *info) {
  unsigned char head[LOG_HEAD];
  memcpy(head, perp_log_magic, sizeof perp_log_magic);
  put_u16(head + 8, LOG_MAJOR);
  put_u16(head + 10, LOG_MINOR);
  put_u32(head + 12, perp_crc32c_add(&log->crc, 0, LOG_HEAD - 4, head));
  perp_log_put(log, head, sizeof head);
  perp_log_put_block(log, PERP_LOG_BEGIN, schema, 1);
  perp_log_put_out(log, 0);
  return perp_log_answer(log, info);
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
    const log_piece whole = {payload, bytes};
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
    perp_log_destroy(log);
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
    perp_log_destroy(log);
    log = NULL;
  }
  *out = log;
  return status;
}

perp_status perp_log_append(perp_log **out, const char *path, const perp_log_schema *schema,
                            const perp_log_options *options, int32_t where, perp_info *info) {
  return perp_log_append_on(out, path, schema, options, where, perp_log_files(), info);
}
