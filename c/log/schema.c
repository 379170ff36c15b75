/* SPDX-License-Identifier: MIT */
/* Block 0 of a log, there and back. What it takes is checked alike when it is written and read. */
#include "log/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "log/bytes.h"

enum { MOST_BYTES = 1 << 30 }; /* of block 0 */

static const char *text_of(const char *text) { return text == NULL ? "" : text; }

/* ---------------------------------------------------------------------------- names ---- */

static int is_name(const char *text, const char *forbidden) {
  if (text == NULL || *text == 0) return 0;
  for (; *text != 0; text++)
    if ((unsigned char)*text < 0x20 || *text == 0x7f || strchr(forbidden, *text) != NULL) return 0;
  return 1;
}

static int is_kind(const char *text) { return is_name(text, ".,*[]/"); }

size_t perp_log_member_name(const perp_log_quantity *quantity, int32_t member, char *text,
                            size_t room) {
  char digits[16], *end = digits + sizeof digits;
  const char *name = quantity->kind;
  size_t tail = 0;
  if (quantity->member_names != NULL) {
    name = quantity->member_names[member];
  } else if (quantity->members > 1) {
    uint32_t rest = (uint32_t)member;
    *--end = ']';
    do *--end = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    *--end = '[';
    tail = (size_t)(digits + sizeof digits - end);
  }
  const size_t n = strlen(name);
  for (size_t i = 0; room > 0 && i < room - 1 && i < n + tail; i++)
    text[i] = i < n ? name[i] : end[i - n];
  if (room > 0) text[n + tail < room - 1 ? n + tail : room - 1] = 0;
  return n + tail;
}

/* -------------------------------------------------------------------- what is allowed ---- */

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_quantities(const void *a, const void *b) {
  const perp_log_quantity *p = *(const perp_log_quantity *const *)a;
  const perp_log_quantity *q = *(const perp_log_quantity *const *)b;
  const int kinds = strcmp(p->kind, q->kind);
  return kinds != 0 ? kinds : strcmp(p->name, q->name);
}

/* 0: all n pointers are different, > 0: two are not, < 0: no memory. */
static int repeated(const void *const *list, size_t n, int (*compare)(const void *, const void *)) {
  if (n < 2) return 0;
  const void **sorted = malloc(n * sizeof *sorted);
  if (sorted == NULL) return -1;
  memcpy((void *)sorted, (const void *)list, n * sizeof *sorted);
  qsort((void *)sorted, n, sizeof *sorted, compare);
  int found = 0;
  for (size_t i = 1; i < n && !found; i++) found = compare(sorted + i - 1, sorted + i) == 0;
  free((void *)sorted);
  return found;
}

static perp_status no_memory(perp_info *info, size_t bytes) {
  return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
}

static perp_status check_members(const perp_log_quantity *q, int32_t i, perp_info *info) {
  if (q->member_names != NULL) {
    for (int32_t k = 0; k < q->members; k++)
      if (!is_name(q->member_names[k], ",*"))
        return fail(info, PERP_EINVAL, "quantities.member_names", i, k);
    const int again =
        repeated((const void *const *)q->member_names, (size_t)q->members, compare_texts);
    if (again < 0) return no_memory(info, (size_t)q->members * sizeof(char *));
    if (again > 0) return fail(info, PERP_EINVAL, "quantities.member_names", i, -1);
  }
  for (int32_t k = 0; q->objects != NULL && k < q->members; k++)
    if (q->objects[k] < 0) return fail(info, PERP_EINVAL, "quantities.objects", i, q->objects[k]);
  return PERP_OK;
}

static perp_status check_quantities(const perp_log_quantity *quantities, int32_t n,
                                    perp_info *info) {
  int64_t values = 0;
  for (int32_t i = 0; i < n; i++) {
    const perp_log_quantity *q = quantities + i;
    if (!is_kind(q->kind)) return fail_field(info, "quantities.kind", i);
    if (!is_kind(q->name)) return fail_field(info, "quantities.name", i);
    if (q->members < 1) return fail(info, PERP_EINVAL, "quantities.members", i, q->members);
    if (q->components < 1)
      return fail(info, PERP_EINVAL, "quantities.components", i, q->components);
    values += (int64_t)q->members * q->components;
    if (values > LOG_MOST_VALUES)
      return fail(info, PERP_EINVAL, "quantities.members", i, q->members);
    const perp_status status = check_members(q, i, info);
    if (status != PERP_OK) return status;
  }
  const size_t bytes = (size_t)n * sizeof(void *);
  const void **list = malloc(bytes + 1);
  if (list == NULL) return no_memory(info, bytes);
  for (int32_t i = 0; i < n; i++) list[i] = quantities + i;
  const int again = repeated((const void *const *)list, (size_t)n, compare_quantities);
  free((void *)list);
  if (again < 0) return no_memory(info, bytes);
  return again > 0 ? fail(info, PERP_EINVAL, "quantities", -1, n) : PERP_OK;
}

perp_status perp_log_schema_check(perp_log_schema *out, const perp_log_schema *in,
                                  perp_info *info) {
  *out = (perp_log_schema)PERP_LOG_SCHEMA_INIT;
  if (in == NULL) return fail_field(info, "schema", -1);
  if (perp_options_read(out, sizeof *out, in, PERP_THROUGH(perp_log_schema, options)) != PERP_OK)
    return fail(info, PERP_EINVAL, "schema.struct_size", -1, in->struct_size);
  if (out->n_quantities < 0) return fail(info, PERP_EINVAL, "n_quantities", -1, out->n_quantities);
  if (out->n_quantities > 0 && out->quantities == NULL) return fail_field(info, "quantities", -1);
  for (int32_t i = 0; i < out->n_quantities; i++) {
    const perp_log_quantity *q = out->quantities + i;
    if (q->source < 0 || q->source >= LOG_SOURCES)
      return fail(info, PERP_EINVAL, "quantities.source", i, q->source);
    const int is_one = q->source >= PERP_LOG_KINETIC && q->source <= PERP_LOG_OVERLAP;
    if (is_one && q->members > 1)
      return fail(info, PERP_EINVAL, "quantities.members", i, q->members);
    if (is_one && q->components > 1)
      return fail(info, PERP_EINVAL, "quantities.components", i, q->components);
  }
  return check_quantities(out->quantities, out->n_quantities, info);
}

/* ---------------------------------------------------------------------------- encode ---- */

/* Where bytes go; at NULL: they are counted. */
typedef struct sink {
  unsigned char *at;
  uint64_t n;
} sink;

static void sink_u32(sink *s, uint32_t value) {
  if (s->at != NULL) put_u32(s->at + s->n, value);
  s->n += 4;
}

static void sink_text(sink *s, const char *text) {
  const size_t n = strlen(text_of(text));
  sink_u32(s, (uint32_t)n);
  if (s->at != NULL) memcpy(s->at + s->n, text_of(text), n);
  s->n += n;
}

static void sink_member(sink *s, const perp_log_quantity *q, int32_t member) {
  if (q->member_names != NULL) {
    sink_text(s, q->member_names[member]);
    return;
  }
  const size_t n = perp_log_member_name(q, member, NULL, 0);
  sink_u32(s, (uint32_t)n);
  if (s->at != NULL) { /* its 0 is written over by what follows, or behind the block */
    char *to = (char *)s->at + s->n;
    perp_log_member_name(q, member, to, n + 1);
  }
  s->n += n;
}

static void sink_texts(sink *s, const char *const *texts, int32_t n) {
  for (int32_t i = 0; i < n; i++) sink_text(s, texts != NULL ? texts[i] : "");
}

static void sink_quantity(sink *s, const perp_log_quantity *q, const unsigned char *picked,
                          int32_t members) {
  const int part_of_it = members < q->members;
  sink_text(s, q->kind);
  sink_text(s, q->name);
  sink_text(s, q->unit);
  sink_text(s, q->description);
  sink_u32(s, (uint32_t)q->source);
  sink_u32(s, (uint32_t)members);
  sink_u32(s, (uint32_t)q->components);
  const int named = q->member_names != NULL || part_of_it;
  sink_u32(s, named ? (uint32_t)members : 0);
  for (int32_t k = 0; named && k < q->members; k++)
    if (picked == NULL || picked[k]) sink_member(s, q, k);
  sink_texts(s, q->component_names, q->components);
  sink_texts(s, q->component_units, q->components);
  const int numbered = q->objects != NULL || part_of_it;
  sink_u32(s, numbered ? (uint32_t)members : 0);
  for (int32_t k = 0; numbered && k < q->members; k++)
    if (picked == NULL || picked[k])
      sink_u32(s, (uint32_t)(q->objects != NULL ? q->objects[k] : k));
}

static int32_t count_picked(const unsigned char *picked, int32_t members) {
  int32_t n = picked == NULL ? members : 0;
  for (int32_t k = 0; picked != NULL && k < members; k++) n += picked[k];
  return n;
}

/* The bytes of the next quantity. */
static const unsigned char *next_picked(const unsigned char *picked, const perp_log_quantity *q) {
  return picked == NULL ? NULL : picked + q->members;
}

static void sink_schema(sink *s, const perp_log_schema *schema, const log_selection *selection,
                        const perp_log_options *options) {
  int32_t n = 0;
  const unsigned char *picked = selection->picked;
  for (int32_t i = 0; i < schema->n_quantities;
       picked = next_picked(picked, schema->quantities + i++))
    n += count_picked(picked, schema->quantities[i].members) > 0;
  sink_u32(s, (uint32_t)perp_version());
  sink_u32(s, options->float32 ? 4 : 8);
  sink_u32(s, (uint32_t)options->every);
  sink_u32(s, (uint32_t)n);
  sink_text(s, schema->program);
  sink_text(s, schema->model_name);
  sink_text(s, schema->model);
  sink_text(s, schema->options);
  picked = selection->picked;
  for (int32_t i = 0; i < schema->n_quantities;
       picked = next_picked(picked, schema->quantities + i++)) {
    const int32_t members = count_picked(picked, schema->quantities[i].members);
    if (members > 0) sink_quantity(s, schema->quantities + i, picked, members);
  }
}

perp_status perp_log_schema_encode(unsigned char **out, size_t *bytes,
                                   const perp_log_schema *schema, const log_selection *selection,
                                   const perp_log_options *options, perp_info *info) {
  sink s = {NULL, 0};
  sink_schema(&s, schema, selection, options);
  if (s.n > MOST_BYTES) return fail(info, PERP_EINVAL, "schema", -1, (double)s.n);
  *bytes = (size_t)s.n;
  *out = malloc(*bytes + 1);
  if (*out == NULL) return no_memory(info, *bytes);
  s = (sink){*out, 0};
  sink_schema(&s, schema, selection, options);
  return PERP_OK;
}

/* ---------------------------------------------------------------------------- decode ---- */

char *perp_log_text(unsigned char **at, size_t *left) {
  if (*left < 4) return NULL;
  const uint32_t n = get_u32(*at);
  if (n > *left - 4 || memchr(*at + 4, 0, n) != NULL) return NULL;
  char *text = (char *)*at;
  memmove(text, text + 4, n);
  text[n] = 0;
  *at += n + 4;
  *left -= n + 4;
  return text;
}

/* The same without changing it: what is passed over must be whole. */
static int pass_texts(unsigned char **at, size_t *left, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (*left < 4) return 0;
    const uint32_t n = get_u32(*at);
    if (n > *left - 4 || memchr(*at + 4, 0, n) != NULL) return 0;
    *at += n + 4;
    *left -= n + 4;
  }
  return 1;
}

static int take(unsigned char **at, size_t *left, uint32_t *value) {
  if (*left < 4) return 0;
  *value = get_u32(*at);
  *at += 4;
  *left -= 4;
  return 1;
}

/* What has to be allocated. */
typedef struct needs {
  uint32_t quantities;
  size_t texts, objects;
} needs;

static int measure_quantity(unsigned char **at, size_t *left, needs *n) {
  uint32_t source, members, components, names, objects;
  if (!pass_texts(at, left, 4) || !take(at, left, &source) || !take(at, left, &members) ||
      !take(at, left, &components) || !take(at, left, &names))
    return 0;
  if (members < 1 || members > INT32_MAX || components < 1 || components > INT32_MAX ||
      (names != 0 && names != members) || !pass_texts(at, left, names) ||
      !pass_texts(at, left, components) || !pass_texts(at, left, components) ||
      !take(at, left, &objects) || (objects != 0 && objects != members) || *left / 4 < objects)
    return 0;
  *at += 4 * (size_t)objects;
  *left -= 4 * (size_t)objects;
  n->texts += (size_t)names + 2 * (size_t)components;
  n->objects += objects;
  return 1;
}

static int measure(unsigned char *at, size_t left, needs *n) {
  uint32_t version, width, every;
  if (!take(&at, &left, &version) || !take(&at, &left, &width) || !take(&at, &left, &every) ||
      !take(&at, &left, &n->quantities) || (width != 4 && width != 8) || every < 1 ||
      every > INT32_MAX || version > INT32_MAX || n->quantities > INT32_MAX ||
      !pass_texts(&at, &left, 4))
    return 0;
  for (uint32_t i = 0; i < n->quantities; i++)
    if (!measure_quantity(&at, &left, n)) return 0;
  return 1;
}

/* Where the parts of the block are filled from. */
typedef struct filler {
  unsigned char *at;
  size_t left;
  const char **texts;
  int32_t *objects;
} filler;

static uint32_t next_u32(filler *f) {
  uint32_t value = 0;
  (void)take(&f->at, &f->left, &value);
  return value;
}

static const char *const *next_texts(filler *f, uint32_t count) {
  const char **first = f->texts;
  for (uint32_t i = 0; i < count; i++) *f->texts++ = perp_log_text(&f->at, &f->left);
  return first;
}

static void fill_quantity(filler *f, perp_log_quantity *q) {
  q->kind = perp_log_text(&f->at, &f->left);
  q->name = perp_log_text(&f->at, &f->left);
  q->unit = perp_log_text(&f->at, &f->left);
  q->description = perp_log_text(&f->at, &f->left);
  q->source = (int32_t)next_u32(f);
  q->members = (int32_t)next_u32(f);
  q->components = (int32_t)next_u32(f);
  const uint32_t names = next_u32(f);
  q->member_names = names > 0 ? next_texts(f, names) : NULL;
  q->component_names = next_texts(f, (uint32_t)q->components);
  q->component_units = next_texts(f, (uint32_t)q->components);
  const uint32_t objects = next_u32(f);
  q->objects = objects > 0 ? f->objects : NULL;
  for (uint32_t k = 0; k < objects; k++) *f->objects++ = (int32_t)next_u32(f);
  q->reserved = 0;
}

static void fill(log_schema *s, filler f, uint32_t n) {
  s->perp_version = (int32_t)next_u32(&f);
  s->float32 = next_u32(&f) == 4;
  s->every = (int32_t)next_u32(&f);
  (void)next_u32(&f);
  s->view = (perp_log_schema)PERP_LOG_SCHEMA_INIT;
  s->view.n_quantities = (int32_t)n;
  s->view.quantities = s->quantities;
  s->view.program = perp_log_text(&f.at, &f.left);
  s->view.model_name = perp_log_text(&f.at, &f.left);
  s->view.model = perp_log_text(&f.at, &f.left);
  s->view.options = perp_log_text(&f.at, &f.left);
  for (uint32_t i = 0; i < n; i++) fill_quantity(&f, s->quantities + i);
}

perp_status perp_log_schema_decode(log_schema *out, unsigned char *payload, size_t bytes,
                                   perp_info *info) {
  needs n = {0, 0, 0};
  *out = (log_schema){.payload = payload};
  if (!measure(payload, bytes, &n)) {
    perp_log_schema_release(out);
    return fail_field(info, "log.schema", -1);
  }
  const size_t quantities = n.quantities * sizeof(perp_log_quantity);
  const size_t need =
      quantities + n.texts * sizeof(char *) + (n.objects + n.quantities) * sizeof(int32_t);
  unsigned char *block = malloc(need + 1);
  if (block == NULL) {
    perp_log_schema_release(out);
    return no_memory(info, need);
  }
  out->block = block;
  out->quantities = (perp_log_quantity *)(void *)block;
  const char **texts = (const char **)(void *)(block + quantities);
  int32_t *objects = (int32_t *)(void *)(texts + n.texts);
  out->offsets = objects + n.objects;
  fill(out, (filler){payload, bytes, texts, objects}, n.quantities);
  const perp_status status = check_quantities(out->quantities, (int32_t)n.quantities, NULL);
  if (status != PERP_OK) {
    perp_log_schema_release(out);
    return status == PERP_EBACKEND ? no_memory(info, need) : fail_field(info, "log.schema", -1);
  }
  for (uint32_t i = 0; i < n.quantities; i++) {
    out->offsets[i] = out->n_values;
    out->n_values += out->quantities[i].members * out->quantities[i].components;
  }
  return PERP_OK;
}

void perp_log_schema_release(log_schema *schema) {
  free(schema->payload);
  free(schema->block);
  *schema = (log_schema){.payload = NULL};
}

/* --------------------------------------------------------------------------- compare ---- */

static int same_names(const perp_log_quantity *a, const perp_log_quantity *b) {
  if (a->member_names == NULL || b->member_names == NULL) return a->member_names == b->member_names;
  for (int32_t k = 0; k < a->members; k++)
    if (strcmp(a->member_names[k], b->member_names[k]) != 0) return 0;
  return 1;
}

static int same_objects(const perp_log_quantity *a, const perp_log_quantity *b) {
  if (a->objects == NULL || b->objects == NULL) return a->objects == b->objects;
  return memcmp(a->objects, b->objects, (size_t)a->members * sizeof *a->objects) == 0;
}

int32_t perp_log_schema_differs(const perp_log_schema *a, const perp_log_schema *b) {
  for (int32_t i = 0; i < a->n_quantities && i < b->n_quantities; i++) {
    const perp_log_quantity *p = a->quantities + i, *q = b->quantities + i;
    if (strcmp(p->kind, q->kind) != 0 || strcmp(p->name, q->name) != 0 ||
        p->members != q->members || p->components != q->components || p->source != q->source ||
        !same_names(p, q) || !same_objects(p, q))
      return i;
  }
  if (a->n_quantities == b->n_quantities) return -1;
  return a->n_quantities < b->n_quantities ? a->n_quantities : b->n_quantities;
}
