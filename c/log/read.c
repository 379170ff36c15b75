/* SPDX-License-Identifier: MIT */
/* Reading a log. A block is read and checked again when it is asked for, since the file may have
 * been written over meanwhile; the last one stays in memory. */
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "log/log.h"

struct perp_log_reader {
  log_io io;
  int file;
  crc32c crc;
  log_blocks blocks;
  size_t loaded;          /* block in payload, blocks.n: none  */
  unsigned char *payload; /* of it                             */
  double *numbers;        /* what a record shows               */
  size_t payload_room, numbers_room;
  size_t next; /* block of the next record          */
  uint32_t record;
  size_t offset; /* the next record within the block  */
};

static perp_status no_memory(perp_info *info, size_t bytes) {
  return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
}

/* ------------------------------------------------------------------------ open, close ---- */

perp_status perp_log_reader_open_on(perp_log_reader **out, const char *path, const log_io *io,
                                    perp_info *info) {
  info_clear(info);
  if (out == NULL) return fail_field(info, "out", -1);
  *out = NULL;
  if (path == NULL) return fail_field(info, "path", -1);
  perp_log_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return no_memory(info, sizeof *reader);
  reader->io = *io;
  reader->file = io->open(io->user, path, LOG_READ);
  if (reader->file < 0) {
    const int number = -reader->file;
    free(reader);
    return fail(info, PERP_EBACKEND, "log.open", -1, number);
  }
  perp_crc32c_init(&reader->crc);
  const perp_status status = perp_log_scan(&reader->blocks, io, reader->file, &reader->crc, info);
  if (status != PERP_OK) {
    perp_log_reader_close(reader);
    return status;
  }
  reader->loaded = reader->blocks.n;
  perp_log_reader_rewind(reader);
  *out = reader;
  return PERP_OK;
}

perp_status perp_log_reader_open(perp_log_reader **out, const char *path, perp_info *info) {
  return perp_log_reader_open_on(out, path, perp_log_files(), info);
}

void perp_log_reader_close(perp_log_reader *reader) {
  if (reader == NULL) return;
  (void)reader->io.close(reader->io.user, reader->file);
  perp_log_blocks_release(&reader->blocks);
  free(reader->payload);
  free(reader->numbers);
  free(reader);
}

/* -------------------------------------------------------------------------- what it is ---- */

const perp_log_schema *perp_log_reader_schema(const perp_log_reader *reader) {
  return reader == NULL ? NULL : &reader->blocks.schema.view;
}

perp_status perp_log_reader_summary(const perp_log_reader *reader, perp_log_summary *summary) {
  if (reader == NULL || summary == NULL) return PERP_EINVAL;
  const log_blocks *blocks = &reader->blocks;
  perp_log_summary s = PERP_LOG_SUMMARY_INIT;
  s.major = blocks->major;
  s.minor = blocks->minor;
  s.perp_version = blocks->schema.perp_version;
  s.every = blocks->schema.every;
  s.float32 = blocks->schema.float32;
  s.n_values = blocks->schema.n_values;
  s.samples = blocks->samples;
  s.bytes = blocks->size;
  s.whole = blocks->whole;
  for (size_t i = 0; i < blocks->n; i++) {
    const uint32_t type = blocks->list[i].type;
    s.events += type == PERP_LOG_EVENTS ? (int64_t)blocks->list[i].count : 0;
    s.checkpoints += type == PERP_LOG_CHECKPOINT;
    s.notes += type == PERP_LOG_NOTE;
    if (type == PERP_LOG_END) s.ended = 1;
    s.contact_lists += type == PERP_LOG_CONTACT_LIST ? (int64_t)blocks->list[i].count : 0;
  }
  return perp_options_answer(summary, &s, sizeof s, PERP_THROUGH(perp_log_summary, whole));
}

static const perp_log_quantity *quantity_of(const perp_log_reader *reader, int32_t i) {
  if (reader == NULL || i < 0 || i >= reader->blocks.schema.view.n_quantities) return NULL;
  return reader->blocks.schema.quantities + i;
}

int32_t perp_log_reader_find(const perp_log_reader *reader, const char *name) {
  if (reader == NULL || name == NULL) return -1;
  for (int32_t i = 0; i < reader->blocks.schema.view.n_quantities; i++) {
    const perp_log_quantity *q = reader->blocks.schema.quantities + i;
    const size_t n = strlen(q->kind);
    if (strncmp(name, q->kind, n) == 0 && name[n] == '.' && strcmp(name + n + 1, q->name) == 0)
      return i;
  }
  return -1;
}

int32_t perp_log_reader_offset(const perp_log_reader *reader, int32_t quantity) {
  return quantity_of(reader, quantity) == NULL ? -1 : reader->blocks.schema.offsets[quantity];
}

size_t perp_log_reader_member(const perp_log_reader *reader, int32_t quantity, int32_t member,
                              char *text, size_t room) {
  const perp_log_quantity *q = quantity_of(reader, quantity);
  if (text == NULL) room = 0;
  if (room > 0) *text = 0;
  if (q == NULL || member < 0 || member >= q->members) return 0;
  return perp_log_member_name(q, member, text, room);
}

/* ------------------------------------------------------------------------------ blocks ---- */

/* Have at least n bytes at *memory, what was there is lost. */
static perp_status reserve(void **memory, size_t *room, size_t n, perp_info *info) {
  if (n <= *room) return PERP_OK;
  free(*memory);
  *room = 0;
  *memory = malloc(n);
  if (*memory == NULL) return no_memory(info, n);
  *room = n;
  return PERP_OK;
}

/* The payload of block i; as it was when the file was opened, or PERP_EBACKEND. */
static perp_status load(perp_log_reader *reader, size_t i, perp_info *info) {
  unsigned char head[LOG_BLOCK_HEAD];
  const log_block *b = reader->blocks.list + i;
  const size_t rest = (size_t)log_block_bytes(b->bytes) - LOG_BLOCK_HEAD;
  void *memory = reader->payload;
  if (reader->loaded == i) return PERP_OK;
  reader->loaded = reader->blocks.n;
  perp_status status = reserve(&memory, &reader->payload_room, rest + 1, info);
  reader->payload = memory;
  if (status != PERP_OK) return status;
  int done = perp_log_read_all(&reader->io, reader->file, b->at, head, sizeof head);
  if (done == 0)
    done =
        perp_log_read_all(&reader->io, reader->file, b->at + LOG_BLOCK_HEAD, reader->payload, rest);
  if (done < 0) return fail(info, PERP_EBACKEND, "log.read", -1, -done);
  uint32_t crc = perp_crc32c_add(&reader->crc, 0, LOG_BLOCK_HEAD - 4, head);
  crc = perp_crc32c_add(&reader->crc, crc, rest, reader->payload);
  if (crc != get_u32(head + 28) || get_u32(head + 4) != b->type ||
      get_u64(head + 8) != (uint64_t)b->bytes || get_u32(head + 24) != b->count)
    return fail(info, PERP_EBACKEND, "log.read", -1, 0);
  reader->loaded = i;
  return PERP_OK;
}

/* n numbers of a sample of the loaded block, from its offset-th. */
static void decode(const perp_log_reader *reader, size_t sample, size_t offset, size_t n,
                   double *to) {
  const size_t width = reader->blocks.schema.float32 ? 4 : 8;
  const size_t record = 8 + width * (size_t)reader->blocks.schema.n_values;
  const unsigned char *at = reader->payload + sample * record + 8 + offset * width;
  if (width == 4)
    get_f32s(at, n, to);
  else
    get_f64s(at, n, to);
}

static double time_of(const perp_log_reader *reader, size_t sample) {
  const size_t width = reader->blocks.schema.float32 ? 4 : 8;
  return get_f64(reader->payload + sample * (8 + width * (size_t)reader->blocks.schema.n_values));
}

/* ----------------------------------------------------------------------------- samples ---- */

/* The block that has a sample: the last one that does not begin behind it. */
static size_t block_of(const log_blocks *blocks, int64_t sample) {
  size_t low = 0, high = blocks->n;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (blocks->list[middle].first <= sample)
      low = middle;
    else
      high = middle;
  }
  return low;
}

perp_status perp_log_reader_read(perp_log_reader *reader, int32_t quantity, int64_t first,
                                 int64_t count, int64_t stride, double *times, double *values,
                                 perp_info *info) {
  info_clear(info);
  if (reader == NULL) return fail_field(info, "reader", -1);
  const perp_log_quantity *q = quantity_of(reader, quantity);
  if (q == NULL && quantity != -1) return fail(info, PERP_EINVAL, "quantity", -1, quantity);
  if (first < 0) return fail(info, PERP_EINVAL, "first", -1, (double)first);
  if (stride < 1) return fail(info, PERP_EINVAL, "stride", -1, (double)stride);
  const log_blocks *blocks = &reader->blocks;
  if (count < 0 || (count > 0 && (first >= blocks->samples ||
                                  (count - 1) > (blocks->samples - 1 - first) / stride)))
    return fail(info, PERP_EINVAL, "count", -1, (double)count);
  const size_t offset = q == NULL ? 0 : (size_t)blocks->schema.offsets[quantity];
  const size_t n = (size_t)(q == NULL ? blocks->schema.n_values : q->members * q->components);
  for (int64_t done = 0; done < count;) {
    int64_t sample = first + done * stride;
    const size_t i = block_of(blocks, sample);
    const perp_status status = load(reader, i, info);
    if (status != PERP_OK) return status;
    const log_block *b = blocks->list + i;
    for (; done < count && sample - b->first < b->count; done++, sample += stride) {
      const size_t within = (size_t)(sample - b->first);
      if (times != NULL) times[done] = time_of(reader, within);
      if (values != NULL) decode(reader, within, offset, n, values + (size_t)done * n);
    }
  }
  return PERP_OK;
}

/* ----------------------------------------------------------------------------- records ---- */

/* Numbers that a record shows. */
static perp_status room_for(perp_log_reader *reader, size_t n, perp_info *info) {
  void *memory = reader->numbers;
  const perp_status status = reserve(&memory, &reader->numbers_room, n * sizeof(double) + 1, info);
  reader->numbers = memory;
  return status;
}

static perp_status show_samples(perp_log_reader *reader, const log_block *b, perp_log_record *r,
                                perp_info *info) {
  const size_t n = (size_t)reader->blocks.schema.n_values, count = b->count;
  const perp_status status = room_for(reader, count * (n + 1), info);
  if (status != PERP_OK) return status;
  double *times = reader->numbers, *values = times + count;
  for (size_t i = 0; i < count; i++) {
    times[i] = time_of(reader, i);
    decode(reader, i, 0, n, values + i * n);
  }
  r->count = (int32_t)count;
  r->t = count > 0 ? times[0] : 0;
  r->first = b->first;
  r->times = times;
  r->values = values;
  return PERP_OK;
}

static perp_status show_event(perp_log_reader *reader, const log_block *b, perp_log_record *r,
                              perp_info *info) {
  const size_t head = 48, left = (size_t)b->bytes - reader->offset;
  const unsigned char *at = reader->payload + reader->offset;
  if (left < head || (left - head) / 8 < get_u32(at + 28)) return PERP_EINVAL;
  const size_t n = get_u32(at + 28);
  if (n > INT32_MAX) return PERP_EINVAL;
  const perp_status status = room_for(reader, n, info);
  if (status != PERP_OK) return status;
  perp_log_event *e = &r->event;
  e->t = get_f64(at);
  e->kind = get_i32(at + 8);
  e->index = get_i32(at + 12);
  e->copy = get_i32(at + 16);
  e->before = get_i32(at + 20);
  e->after = get_i32(at + 24);
  e->n_impulse = (int32_t)n;
  e->error = get_f64(at + 32);
  e->until = get_f64(at + 40);
  get_f64s(at + head, n, reader->numbers);
  e->impulse = n > 0 ? reader->numbers : NULL;
  r->t = e->t;
  reader->offset += head + 8 * n;
  return PERP_OK;
}

static perp_status show_contacts(perp_log_reader *reader, const log_block *b, perp_log_record *r,
                                 perp_info *info) {
  const size_t left = (size_t)b->bytes - reader->offset;
  const unsigned char *at = reader->payload + reader->offset;
  const int32_t float32 = reader->blocks.schema.float32;
  if (left < LOG_CONTACT_HEAD) return PERP_EINVAL;
  const size_t n = get_u32(at + 8), bytes = log_contact_bytes(float32);
  if (n > INT32_MAX || (left - LOG_CONTACT_HEAD) / bytes < n) return PERP_EINVAL;
  const perp_status status =
      room_for(reader, n * (sizeof(perp_log_contact) / sizeof(double)), info);
  if (status != PERP_OK) return status;
  perp_log_contact *to = (perp_log_contact *)(void *)reader->numbers;
  perp_log_get_contacts(at + LOG_CONTACT_HEAD, n, float32, to);
  r->t = get_f64(at);
  r->count = (int32_t)n;
  r->first = b->first - 1;
  r->contacts = to;
  reader->offset += LOG_CONTACT_HEAD + bytes * n;
  return PERP_OK;
}

/* Texts are moved in place, which spoils the payload: it is to be loaded anew. */
static perp_status show_texts(perp_log_reader *reader, const log_block *b, perp_log_record *r) {
  unsigned char *at = reader->payload;
  size_t left = (size_t)b->bytes;
  reader->loaded = reader->blocks.n;
  if (b->type == PERP_LOG_NOTE) {
    r->name = perp_log_text(&at, &left);
    r->text = perp_log_text(&at, &left);
    return r->name != NULL && r->text != NULL ? PERP_OK : PERP_EINVAL;
  }
  if (left < 16) return PERP_EINVAL;
  r->t = get_f64(at);
  if (b->type == PERP_LOG_CHECKPOINT) {
    r->offered = (int64_t)(get_u64(at + 8) & INT64_MAX);
  } else {
    r->status = get_i32(at + 8);
  }
  at += 16;
  left -= 16;
  if (b->type == PERP_LOG_CHECKPOINT) {
    r->name = perp_log_text(&at, &left);
    r->bytes = at;
    r->n_bytes = left;
    return r->name != NULL ? PERP_OK : PERP_EINVAL;
  }
  r->text = perp_log_text(&at, &left);
  r->report = perp_log_text(&at, &left);
  return r->text != NULL && r->report != NULL ? PERP_OK : PERP_EINVAL;
}

static void go_to(perp_log_reader *reader, size_t block) {
  reader->next = block;
  reader->record = 0;
  reader->offset = 0;
}

void perp_log_reader_rewind(perp_log_reader *reader) {
  if (reader != NULL) go_to(reader, 1);
}

/* The record at which the reader stands, which goes on behind it whatever it is. */
static perp_status show(perp_log_reader *reader, perp_log_record *r, perp_info *info) {
  const log_block *b = reader->blocks.list + reader->next;
  perp_status status = load(reader, reader->next, info);
  if (status != PERP_OK) return status; /* of the file; it may be asked again */
  r->type = (int32_t)b->type;
  r->count = 1;
  if (b->type == PERP_LOG_SAMPLES)
    status = show_samples(reader, b, r, info);
  else if (b->type == PERP_LOG_EVENTS)
    status = show_event(reader, b, r, info);
  else if (b->type == PERP_LOG_CONTACT_LIST)
    status = show_contacts(reader, b, r, info);
  else
    status = show_texts(reader, b, r);
  const int within =
      (b->type == PERP_LOG_EVENTS || b->type == PERP_LOG_CONTACT_LIST) && status == PERP_OK;
  if (status == PERP_EBACKEND) return status;
  if (!within || ++reader->record == b->count) go_to(reader, reader->next + 1);
  return status == PERP_EINVAL ? fail_field(info, "log.record", -1) : status;
}

static int is_wanted(uint32_t type, uint32_t types) {
  return type >= PERP_LOG_SAMPLES && type <= PERP_LOG_CONTACT_LIST &&
         (types == 0 || (types >> type & 1) != 0);
}

/* Hand over what the caller knows of a record. */
static perp_status answer(perp_log_record *record, const perp_log_record *r, perp_status status) {
  const perp_status known =
      perp_options_answer(record, r, sizeof *r, PERP_THROUGH(perp_log_record, n_bytes));
  return status == PERP_OK ? known : status;
}

static perp_status check_call(const perp_log_reader *reader, const perp_log_record *record,
                              perp_info *info) {
  info_clear(info);
  if (reader == NULL) return fail_field(info, "reader", -1);
  if (record == NULL) return fail_field(info, "record", -1);
  if (record->struct_size < PERP_THROUGH(perp_log_record, n_bytes))
    return fail(info, PERP_EINVAL, "record.struct_size", -1, record->struct_size);
  return PERP_OK;
}

perp_status perp_log_reader_next(perp_log_reader *reader, uint32_t types, perp_log_record *record,
                                 perp_info *info) {
  const perp_status wrong = check_call(reader, record, info);
  if (wrong != PERP_OK) return wrong;
  perp_log_record r = PERP_LOG_RECORD_INIT;
  perp_status status = PERP_END;
  while (reader->next < reader->blocks.n &&
         !is_wanted(reader->blocks.list[reader->next].type, types))
    go_to(reader, reader->next + 1);
  if (reader->next < reader->blocks.n) status = show(reader, &r, info);
  return answer(record, &r, status);
}

perp_status perp_log_reader_last(perp_log_reader *reader, uint32_t types, perp_log_record *record,
                                 perp_info *info) {
  const perp_status wrong = check_call(reader, record, info);
  if (wrong != PERP_OK) return wrong;
  perp_log_record r = PERP_LOG_RECORD_INIT;
  size_t i = reader->blocks.n;
  while (i > 1 && !is_wanted(reader->blocks.list[i - 1].type, types)) i--;
  if (i <= 1) return answer(record, &r, PERP_END);
  go_to(reader, i - 1);
  perp_status status;
  do { /* of a block of several the last */
    r = (perp_log_record)PERP_LOG_RECORD_INIT;
    status = show(reader, &r, info);
  } while (status == PERP_OK && reader->next == i - 1);
  return answer(record, &r, status);
}
