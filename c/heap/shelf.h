/* SPDX-License-Identifier: MIT */
/* Descriptions on the heap, each in one block with all that it points to. Equal ones are one: a
 * shelf finds them by content. Blocks are shared by the shelves that have them. */
#ifndef PERP_HEAP_SHELF_H
#define PERP_HEAP_SHELF_H

#include "perp/builder.h"

/* A pointer within a block: into the block itself, or, of callbacks, to their user. */
typedef struct anchor {
  size_t at;
  int32_t of_user;
} anchor;

/* A block: this, its anchors by at, its key, its data. */
typedef struct block {
  int32_t shelves; /* that have it; changed atomically                              */
  int32_t anchors;
  size_t bytes;     /* of data                                                      */
  size_t key_bytes; /* what equal blocks have in common beside their data           */
  uint64_t hash;
  void *user;                  /* of the callbacks; key stands for it               */
  void (*destroy)(void *user); /* of a block that owns a user: it has no data       */
  anchor *anchors_at;
  unsigned char *key;
  unsigned char *data;
} block;

/* A hash table of blocks, open addressing; room is a power of 2. */
typedef struct shelf {
  block **slot;
  size_t room, used;
} shelf;

/* A description on its way to a shelf: fresh or already there, and what becomes of its owner. */
typedef struct delivery {
  block *fresh, *owner; /* to be put on the shelf, NULL: nothing                  */
  unsigned char *data;  /* of the description, where it is once it is put         */
  const perp_owner *from;
} delivery;

/* What a description is, for perp_shelf_order(). */
typedef enum description { A_SYSTEM, A_RELATION, A_LAW } description;

/* Room for so many deliveries. */
perp_status perp_shelf_reserve(shelf *s, size_t more, perp_info *info);
/* Copy a description that was checked, unless it is there. There is room for it. */
perp_status perp_shelf_order(const shelf *s, description kind, const void *head,
                             const perp_owner *owner, delivery *out, perp_info *info);
/* A block that is known by its key alone, its data not yet written where it is fresh. */
perp_status perp_shelf_order_key(const shelf *s, size_t key_bytes, const void *key, size_t bytes,
                                 delivery *out, perp_info *info);
/* The owner of a user alone. */
perp_status perp_shelf_order_owner(const shelf *s, const perp_owner *owner, delivery *out,
                                   perp_info *info);
/* Put what was ordered; when all of a call is put, let go of the owners that nobody needs. */
void perp_shelf_put(shelf *s, delivery *d);
void perp_shelf_settle(const shelf *s, delivery *d);
/* It is not put. */
void perp_shelf_cancel(delivery *d);

/* How many there are, owners of users not counted. */
size_t perp_shelf_descriptions(const shelf *s);
perp_status perp_shelf_copy(shelf *to, const shelf *from, perp_info *info);
/* Blocks that no other shelf has end, and users with them. */
void perp_shelf_clear(shelf *s);

#endif
