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

const unsigned char perp_log_block_magic[4] = {'P', 'L', 'B', 'K'};

enum { EVENT_BYTES = 48 };

/* ------------------------------------------------------------------------ to the file ---- */

perp_status perp_log_answer(const perp_log *log, perp_info *info) {
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

void perp_log_put_out(perp_log *log, int sync) {
  close_block(log);
  drain(log);
  if (sync) sync_file(log);
}

/* After something was added: is it time? */
static perp_status added(perp_log *log, perp_info *info) {
  if (log->sync_seconds < HUGE_VAL &&
      !(log->io.clock(log->io.user) - log->synced < log->sync_seconds))
    perp_log_put_out(log, 1);
  return perp_log_answer(log, info);
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

/* Bytes behind what is closed: small ones into the buffer, others past it. */
void perp_log_put(perp_log *log, const void *bytes, size_t n) {
  if (n > log->room - log->used) drain(log);
  if (n > log->room) {
    write_bytes(log, bytes, n);
  } else if (n > 0) {
    memcpy(log->buffer + log->used, bytes, n);
    log->used += n;
  }
}

/* A block of one record, of any size, in pieces. */
void perp_log_put_block(perp_log *log, uint32_t type, const log_piece *pieces, size_t n) {
  static const unsigned char zeros[8] = {0};
  unsigned char head[LOG_BLOCK_HEAD];
  uint64_t bytes = 0;
  for (size_t i = 0; i < n; i++) bytes += pieces[i].n;
  const size_t rest = (size_t)((8 - bytes % 8) % 8);
  close_block(log);
  put_head(log, head, type, bytes, 1);
  uint32_t crc = perp_crc32c_add(&log->crc, 0, LOG_BLOCK_HEAD - 4, head);
  for (size_t i = 0; i < n; i++)
    crc = perp_crc32c_add(&log->crc, crc, pieces[i].n, pieces[i].bytes);
  put_u32(head + 28, perp_crc32c_add(&log->crc, crc, rest, zeros));
  perp_log_put(log, head, sizeof head);
  for (size_t i = 0; i < n; i++) perp_log_put(log, pieces[i].bytes, pieces[i].n);
  perp_log_put(log, zeros, rest);
}

perp_status perp_log_put_record(perp_log *log, uint32_t type, log_piece head, log_piece rest,
                                perp_info *info) {
  if (head.n + rest.n <= log->block_bytes) {
    unsigned char *to = room_for(log, type, head.n + rest.n);
    memcpy(to, head.bytes, head.n);
    if (rest.n > 0) memcpy(to + head.n, rest.bytes, rest.n);
  } else {
    const log_piece pieces[] = {head, rest};
    perp_log_put_block(log, type, pieces, 2);
  }
  return added(log, info);
}

static perp_status no_memory(perp_info *info, size_t bytes) {
  return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
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
  if (log->failed != NULL) return perp_log_answer(log, info);
  if (!perp_log_due(log)) return PERP_OK;
  if (n == log->schema.n_values) return perp_log_put_sample(log, t, values, info);
  double *to = log->sample;
  for (int32_t i = 0; i < log->n_stretches; to += log->stretches[i++].n)
    memcpy(to, values + log->stretches[i].from, (size_t)log->stretches[i].n * sizeof *to);
  return perp_log_put_sample(log, t, log->sample, info);
}

/* ------------------------------------------------------------------------ other records ---- */

perp_status perp_log_add_event(perp_log *log, const perp_log_event *event, perp_info *info) {
  enum { FEW_ROWS = 16 }; /* of an impulse, which need no memory */
  unsigned char small[EVENT_BYTES];
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (event == NULL) return fail_field(info, "event", -1);
  if (event->n_impulse < 0) return fail(info, PERP_EINVAL, "n_impulse", -1, event->n_impulse);
  if (event->n_impulse > 0 && event->impulse == NULL) return fail_field(info, "impulse", -1);
  if (log->failed != NULL) return perp_log_answer(log, info);
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
  unsigned char few[8 * FEW_ROWS], *impulse = n <= FEW_ROWS ? few : malloc(8 * n);
  if (impulse == NULL) return no_memory(info, 8 * n);
  put_f64s(impulse, n, event->impulse);
  const log_piece head = {small, sizeof small}, rest = {impulse, 8 * n};
  const perp_status status = perp_log_put_record(log, PERP_LOG_EVENTS, head, rest, info);
  if (impulse != few) free(impulse);
  return status;
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
  if (log->failed != NULL) return perp_log_answer(log, info);
  const size_t n = strlen(name);
  put_f64(head, t);
  put_u64(head + 8, (uint64_t)log->offered);
  put_u32(head + 16, (uint32_t)n);
  const log_piece pieces[] = {{head, sizeof head}, {name, n}, {bytes, n_bytes}};
  perp_log_put_block(log, PERP_LOG_CHECKPOINT, pieces, 3);
  perp_log_put_out(log, 1);
  return perp_log_answer(log, info);
}

perp_status perp_log_add_note(perp_log *log, const char *name, const char *text, perp_info *info) {
  unsigned char a[4], b[4];
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (!is_text(name)) return fail_field(info, "name", -1);
  if (!is_text(text)) return fail_field(info, "text", -1);
  if (log->failed != NULL) return perp_log_answer(log, info);
  put_u32(a, (uint32_t)strlen(name));
  put_u32(b, (uint32_t)strlen(text));
  const log_piece pieces[] = {{a, 4}, {name, strlen(name)}, {b, 4}, {text, strlen(text)}};
  perp_log_put_block(log, PERP_LOG_NOTE, pieces, 4);
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
  if (log->failed != NULL) return perp_log_answer(log, info);
  put_f64(head, t);
  put_i32(head + 8, status);
  put_u32(head + 12, 0);
  put_u32(head + 16, (uint32_t)strlen(reason));
  put_u32(b, (uint32_t)strlen(report));
  const log_piece pieces[] = {
      {head, sizeof head}, {reason, strlen(reason)}, {b, 4}, {report, strlen(report)}};
  perp_log_put_block(log, PERP_LOG_END, pieces, 4);
  return added(log, info);
}

/* -------------------------------------------------------------------------------- rest ---- */

perp_status perp_log_flush(perp_log *log, int32_t sync, perp_info *info) {
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (log->failed == NULL) perp_log_put_out(log, sync != 0);
  return perp_log_answer(log, info);
}

void perp_log_destroy(perp_log *log) {
  if (log == NULL) return;
  perp_log_schema_release(&log->schema);
  free(log->stretches);
  free(log->sample);
  free(log->contacts);
  free(log->buffer);
  free(log);
}

perp_status perp_log_close(perp_log *log, perp_info *info) {
  info_clear(info);
  if (log == NULL) return PERP_OK;
  if (log->failed == NULL) perp_log_put_out(log, 1);
  const int closed = log->io.close(log->io.user, log->file);
  if (closed < 0 && log->failed == NULL) give_up(log, "log.close", closed);
  const perp_status status = perp_log_answer(log, info);
  perp_log_destroy(log);
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
