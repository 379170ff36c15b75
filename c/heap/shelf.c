/* SPDX-License-Identifier: MIT */
#include "heap/shelf.h"

#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/info.h"
#include "linalg/matrix.h"
#include "model/fields.h"

static size_t rounded(size_t bytes) { return (bytes + 7) / 8 * 8; }

/* ---------------------------------------------------------------------------- copies ---- */

/* Copies what fields point to behind the struct in to, and lets them point there. The first time
 * to is NULL: it only measures. */
typedef struct copier {
  field_visitor visitor;
  block *to;
  size_t bytes;
  int32_t anchors;
  const perp_owner *owner; /* or NULL */
} copier;

static int stays(const copier *c, const void *array) {
  for (size_t i = 0; c->owner != NULL && i < c->owner->n_kept; i++)
    if (c->owner->kept[i] == array) return 1;
  return 0;
}

static int copies_parameters(const copier *c) {
  return c->owner != NULL && (c->owner->flags & PERP_COPY_PARAMETERS) != 0;
}

static void note_anchor(copier *c, const void *at, int32_t of_user) {
  if (c->to != NULL) {
    const anchor p = {(size_t)((const unsigned char *)at - c->to->data), of_user};
    int32_t i = c->anchors;
    for (; i > 0 && c->to->anchors_at[i - 1].at > p.at; i--)
      c->to->anchors_at[i] = c->to->anchors_at[i - 1];
    c->to->anchors_at[i] = p;
  }
  c->anchors++;
}

/* The columns of what is at a place, of `bytes` bytes each, `gap` bytes from one to the next. */
static void take(copier *c, const void *at, size_t columns, size_t bytes, size_t gap) {
  const unsigned char *from = field_pointer(at);
  if (from == NULL || stays(c, from)) return;
  if (c->to != NULL) {
    unsigned char *to = c->to->data + c->bytes;
    unsigned char *const field = c->to->data + ((const unsigned char *)at - c->to->data);
    for (size_t j = 0; bytes > 0 && j < columns; j++) memcpy(to + j * bytes, from + j * gap, bytes);
    memcpy(field, &to, sizeof to);
  }
  note_anchor(c, at, 0);
  c->bytes += rounded(columns * bytes);
}

static void take_matrix(copier *c, const perp_matrix *A) {
  const size_t entry = sizeof(double), cuts = (size_t)A->block_rows + 1;
  const int compact = A->kind == PERP_DENSE && !stays(c, A->values);
  const size_t indices = A->kind == PERP_BLOCKS ? (size_t)A->start[A->block_rows] : 0;
  if (A->kind == PERP_DENSE)
    take(c, &A->values, (size_t)A->cols, (size_t)A->rows * entry, (size_t)A->ld * entry);
  else if (A->kind != PERP_ZERO)
    take(c, &A->values, 1, perp_matrix_stored(A) * entry, 0);
  if (compact && c->to != NULL) {
    unsigned char *const ld = c->to->data + ((const unsigned char *)&A->ld - c->to->data);
    memcpy(ld, &A->rows, sizeof A->rows);
  }
  if (A->kind != PERP_BLOCKS) return;
  take(c, &A->start, 1, cuts * sizeof *A->start, 0);
  take(c, &A->index, 1, indices * sizeof *A->index, 0);
  take(c, &A->offset, 1, cuts * sizeof *A->offset, 0);
}

static void copy_field(field_visitor *self, int32_t holds, size_t count, const void *at) {
  copier *c = (copier *)self;
  if (holds == PERP_HOLDS_ARRAY || (holds == PERP_HOLDS_PARAMETERS && copies_parameters(c)))
    take(c, at, 1, count * sizeof(double), 0);
  if (holds == PERP_HOLDS_TRIPLES) take(c, at, 1, 3 * count * sizeof(double), 0);
  if (holds == PERP_HOLDS_INDICES) take(c, at, 1, count * sizeof(int32_t), 0);
  if (holds == PERP_HOLDS_MATRIX) take_matrix(c, at);
  if (holds == PERP_HOLDS_USER) note_anchor(c, at, 1);
  if (holds == PERP_HOLDS_RELATION) {
    const perp_relation *other = field_pointer(at);
    if (other != NULL) take(c, at, 1, other->struct_size, 0);
  }
}

static void go_through(copier *c, description kind, const void *head, size_t struct_bytes) {
  c->bytes = rounded(struct_bytes);
  c->anchors = 0;
  if (kind == A_SYSTEM) perp_fields_of_system(head, &c->visitor);
  if (kind == A_RELATION) perp_fields_of_relation(head, &c->visitor);
  if (kind == A_LAW) perp_fields_of_law(head, &c->visitor);
}

static size_t struct_bytes_of(description kind, const void *head) {
  if (kind == A_SYSTEM) return ((const perp_system *)head)->struct_size;
  if (kind == A_RELATION) return ((const perp_relation *)head)->struct_size;
  return ((const perp_law *)head)->struct_size;
}

/* ---------------------------------------------------------------------------- blocks ---- */

static block *make_block(size_t bytes, int32_t anchors, size_t key_bytes, const void *key,
                         perp_info *info) {
  const size_t head = rounded(sizeof(block)),
               of_anchors = rounded((size_t)anchors * sizeof(anchor));
  const size_t all = head + of_anchors + rounded(key_bytes) + bytes;
  unsigned char *base = all < bytes ? NULL : calloc(1, all);
  if (base == NULL) {
    (void)fail(info, PERP_EBACKEND, "malloc", -1, (double)all);
    return NULL;
  }
  block *b = (block *)(void *)base;
  b->anchors_at = (anchor *)(void *)(base + head);
  b->key = base + head + of_anchors;
  b->data = b->key + rounded(key_bytes);
  b->bytes = bytes;
  b->key_bytes = key_bytes;
  if (key_bytes > 0) memcpy(b->key, key, key_bytes);
  return b;
}

static void mix_bytes(uint64_t *hash, size_t n, const unsigned char *bytes) {
  uint64_t word = 0;
  for (; n >= sizeof word; n -= sizeof word, bytes += sizeof word) {
    memcpy(&word, bytes, sizeof word);
    fingerprint_mix(hash, word);
  }
  for (; n > 0; n--) fingerprint_mix(hash, *bytes++);
}

/* A pointer as what it means: into its block, or that it is the user, or itself. */
static uint64_t meaning(const block *b, const anchor *p) {
  const unsigned char *value = field_pointer(b->data + p->at);
  if (p->of_user) return (const void *)value == b->user ? 1 : (uint64_t)(uintptr_t)value;
  return (uint64_t)(value - b->data);
}

static void set_hash(block *b) {
  size_t from = 0;
  b->hash = FINGERPRINT_BEGIN;
  for (int32_t i = 0; i < b->anchors; i++) {
    const anchor *p = &b->anchors_at[i];
    mix_bytes(&b->hash, p->at - from, b->data + from);
    fingerprint_mix(&b->hash, meaning(b, p));
    from = p->at + sizeof(void *);
  }
  mix_bytes(&b->hash, b->bytes - from, b->data + from);
  mix_bytes(&b->hash, b->key_bytes, b->key);
}

static int same_block(const block *a, const block *b) {
  size_t from = 0;
  if (a->hash != b->hash || a->bytes != b->bytes || a->anchors != b->anchors ||
      a->key_bytes != b->key_bytes || a->destroy != b->destroy)
    return 0;
  if (memcmp(a->key, b->key, a->key_bytes) != 0) return 0;
  for (int32_t i = 0; i < a->anchors; i++) {
    const anchor *p = &a->anchors_at[i], *q = &b->anchors_at[i];
    if (p->at != q->at || p->of_user != q->of_user || meaning(a, p) != meaning(b, q) ||
        memcmp(a->data + from, b->data + from, p->at - from) != 0)
      return 0;
    from = p->at + sizeof(void *);
  }
  return memcmp(a->data + from, b->data + from, a->bytes - from) == 0;
}

static block *describe(description kind, const void *head, const perp_owner *owner,
                       perp_info *info) {
  const size_t struct_bytes = struct_bytes_of(kind, head);
  copier c = {{copy_field}, NULL, 0, 0, owner};
  go_through(&c, kind, head, struct_bytes);
  const void *key = NULL;
  size_t key_bytes = 0;
  if (owner != NULL) {
    const int given = owner->key_bytes > 0;
    key = given ? owner->key : (const void *)&owner->user;
    key_bytes = given ? owner->key_bytes : sizeof owner->user;
  }
  block *b = make_block(c.bytes, c.anchors, key_bytes, key, info);
  if (b == NULL) return NULL;
  b->user = owner != NULL ? owner->user : NULL;
  memcpy(b->data, head, struct_bytes);
  b->anchors = c.anchors;
  c.to = b;
  go_through(&c, kind, b->data, struct_bytes);
  set_hash(b);
  return b;
}

static block *describe_owner(const perp_owner *owner, perp_info *info) {
  block *b = make_block(0, 0, sizeof owner->user, &owner->user, info);
  if (b == NULL) return NULL;
  b->user = owner->user;
  b->destroy = owner->destroy;
  set_hash(b);
  return b;
}

/* ----------------------------------------------------------------------------- shelf ---- */

/* Where a block like this one is, or would be. */
static block **slot_of(const shelf *s, const block *like) {
  size_t i = (size_t)(like->hash ^ like->hash >> 32) & (s->room - 1);
  while (s->slot[i] != NULL && !same_block(s->slot[i], like)) i = (i + 1) & (s->room - 1);
  return &s->slot[i];
}

perp_status perp_shelf_reserve(shelf *s, size_t more, perp_info *info) {
  size_t room = s->room > 0 ? s->room : 16;
  while (room < 2 * (s->used + 2 * more)) room *= 2;
  if (room == s->room) return PERP_OK;
  shelf larger = {calloc(room, sizeof *larger.slot), room, s->used};
  if (larger.slot == NULL)
    return fail(info, PERP_EBACKEND, "malloc", -1, (double)(room * sizeof *larger.slot));
  for (size_t i = 0; i < s->room; i++)
    if (s->slot[i] != NULL) *slot_of(&larger, s->slot[i]) = s->slot[i];
  free(s->slot);
  *s = larger;
  return PERP_OK;
}

/* Whether a user is owned already; the block of its owner if not. */
static perp_status order_owner(const shelf *s, const perp_owner *owner, block **out,
                               perp_info *info) {
  *out = NULL;
  if (owner == NULL || owner->destroy == NULL) return PERP_OK;
  block *b = describe_owner(owner, info);
  if (b == NULL) return PERP_EBACKEND;
  if (*slot_of(s, b) == NULL)
    *out = b;
  else
    free(b);
  return PERP_OK;
}

static perp_status order(const shelf *s, block *b, const perp_owner *owner, delivery *out,
                         perp_info *info) {
  const perp_status status = order_owner(s, owner, &out->owner, info);
  if (status != PERP_OK) {
    free(b);
    return status;
  }
  block *there = *slot_of(s, b);
  out->fresh = there == NULL ? b : NULL;
  out->data = there == NULL ? b->data : there->data;
  out->from = owner;
  if (there != NULL) free(b);
  return PERP_OK;
}

perp_status perp_shelf_order_owner(const shelf *s, const perp_owner *owner, delivery *out,
                                   perp_info *info) {
  const perp_status status = order_owner(s, owner, &out->fresh, info);
  if (out->fresh != NULL) out->data = out->fresh->data;
  return status;
}

size_t perp_shelf_descriptions(const shelf *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->room; i++) count += s->slot[i] != NULL && s->slot[i]->destroy == NULL;
  return count;
}

perp_status perp_shelf_order(const shelf *s, description kind, const void *head,
                             const perp_owner *owner, delivery *out, perp_info *info) {
  block *b = describe(kind, head, owner, info);
  return b == NULL ? PERP_EBACKEND : order(s, b, owner, out, info);
}

perp_status perp_shelf_order_key(const shelf *s, size_t key_bytes, const void *key, size_t bytes,
                                 delivery *out, perp_info *info) {
  block *b = make_block(bytes, 0, key_bytes, key, info);
  if (b == NULL) return PERP_EBACKEND;
  b->bytes = 0; /* to compare */
  set_hash(b);
  return order(s, b, NULL, out, info);
}

/* Put a block, unless one that was ordered with it is the same. */
static block *put(shelf *s, block *fresh) {
  block **slot = slot_of(s, fresh);
  if (*slot != NULL) {
    free(fresh);
    return *slot;
  }
  fresh->shelves = 1;
  s->used++;
  return *slot = fresh;
}

void perp_shelf_put(shelf *s, delivery *d) {
  if (d->fresh == NULL) return;
  const int first = *slot_of(s, d->fresh) == NULL;
  d->data = put(s, d->fresh)->data;
  d->fresh = NULL;
  if (!first || d->owner == NULL) return;
  (void)put(s, d->owner);
  d->owner = NULL;
}

void perp_shelf_settle(const shelf *s, delivery *d) {
  if (d->owner == NULL) return;
  const int needed = *slot_of(s, d->owner) != NULL;
  free(d->owner);
  d->owner = NULL;
  if (!needed) d->from->destroy(d->from->user);
}

void perp_shelf_cancel(delivery *d) {
  free(d->fresh);
  free(d->owner);
  d->fresh = d->owner = NULL;
}

perp_status perp_shelf_copy(shelf *to, const shelf *from, perp_info *info) {
  const size_t bytes = from->room * sizeof *from->slot;
  *to = *from;
  if (from->room == 0) return PERP_OK;
  to->slot = malloc(bytes);
  if (to->slot == NULL) {
    to->room = to->used = 0;
    return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
  }
  memcpy(to->slot, from->slot, bytes);
  for (size_t i = 0; i < to->room; i++)
    if (to->slot[i] != NULL) __atomic_add_fetch(&to->slot[i]->shelves, 1, __ATOMIC_RELAXED);
  return PERP_OK;
}

void perp_shelf_clear(shelf *s) {
  for (size_t i = 0; i < s->room; i++) {
    block *b = s->slot[i];
    if (b == NULL || __atomic_sub_fetch(&b->shelves, 1, __ATOMIC_ACQ_REL) > 0) continue;
    if (b->destroy != NULL) b->destroy(b->user);
    free(b);
  }
  free(s->slot);
  memset(s, 0, sizeof *s);
}
