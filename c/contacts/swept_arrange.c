/* SPDX-License-Identifier: MIT */
/* The order of sweeps. Clusters of bodies grow by neighbourhood, the first from the ground; one
 * that stays small is a part of a neighbour. A contact within a cluster follows the later of its
 * bodies. The contacts between two clusters are a group, of the first colour that neither of the
 * two has given away; where there is none left it is of the last, which is one chunk. */
#include <string.h>

#include "contacts/swept.h"

/* Clusters wanted; contacts of a cluster, and at least of a chunk. */
enum { PARTS = 64, LEAST = 256, MOST = 4096, CHUNK = 64, COLOURS = 63 };

void perp_swept_carve(swept_set *s, arena *a, size_t bodies, size_t contacts) {
  const size_t chunks = contacts / CHUNK + COLOURS + 4;
  memset(s, 0, sizeof *s);
  s->number = arena_take(a, bodies, sizeof *s->number);
  s->rank = arena_take(a, bodies, sizeof *s->rank);
  s->bodies = arena_take(a, bodies, sizeof *s->bodies);
  s->free = arena_take(a, bodies, 6 * sizeof *s->free);
  s->load = arena_take(a, bodies, 6 * sizeof *s->load);
  s->size = arena_take(a, bodies, 6 * sizeof *s->size);
  s->contacts = arena_take(a, contacts, sizeof *s->contacts);
  s->order = arena_take(a, contacts, sizeof *s->order);
  s->chunk = arena_take(a, chunks, sizeof *s->chunk);
  s->owned = arena_take(a, chunks, sizeof *s->owned);
  s->told = arena_take(a, chunks, sizeof *s->told);
  s->phase = arena_take(a, COLOURS + 4, sizeof *s->phase);
  s->room = (int32_t)bodies;
}

/* What is only needed meanwhile lies where loads and contacts will. */
typedef struct arrangement {
  swept_set *s;
  const swept_pair *pairs;
  int32_t n;
  /* of bodies: first of their entries in at; cluster, or −1; whether
   * it touches the ground */
  int32_t *start, *cluster, *grounded;
  int32_t *first;                 /* of sorted lists */
  uint64_t *used;                 /* of clusters: colours given away */
  int32_t *at;                    /* contacts of each body */
  int32_t *left, *spare, *colour; /* contacts between clusters */
  int32_t n_left, placed, begun;  /* contacts in order, and in chunks */
  int32_t chunks;
} arrangement;

static arrangement begin(swept_set *s, int32_t n, const swept_pair *pairs) {
  const size_t bodies = (size_t)s->room, contacts = (size_t)n;
  int32_t *load = (int32_t *)(void *)s->load, *scratch = (int32_t *)(void *)s->contacts;
  arrangement w = {.s = s, .pairs = pairs, .n = n};
  w.cluster = load;
  w.grounded = load + bodies;
  w.start = load + 2 * bodies; /* one more than bodies */
  w.first = load + 4 * bodies; /* as many */
  w.used = (uint64_t *)(void *)s->size;
  w.at = scratch;
  w.left = scratch + 2 * contacts;
  w.spare = scratch + 3 * contacts;
  w.colour = scratch + 4 * contacts;
  return w;
}

/* Contacts of each body, in their order. */
static void list(arrangement *w) {
  const int32_t bodies = w->s->room;
  memset(w->start, 0, ((size_t)bodies + 1) * sizeof *w->start);
  memset(w->grounded, 0, (size_t)bodies * sizeof *w->grounded);
  for (int32_t k = 0; k < w->n; k++) {
    const int32_t *b = w->pairs[k].body;
    w->start[b[0]]++;
    if (b[1] >= 0)
      w->start[b[1]]++;
    else
      w->grounded[b[0]] = 1;
  }
  for (int32_t b = 0, end = 0; b <= bodies; b++) {
    end += b < bodies ? w->start[b] : 0;
    w->start[b] = end;
  }
  for (int32_t k = w->n; k-- > 0;)
    for (int32_t s = 0; s < 2; s++)
      if (w->pairs[k].body[s] >= 0) w->at[--w->start[w->pairs[k].body[s]]] = k;
}

static int32_t other(const arrangement *w, int32_t k, int32_t b) {
  const int32_t *pair = w->pairs[k].body;
  return pair[0] == b ? pair[1] : pair[0];
}

/* A cluster from a body on, which a neighbour takes over that has left it too little room; the
 * number of bodies that have joined by then. */
static int32_t grow(arrangement *w, int32_t seed, int32_t cluster, int32_t joined, int32_t most) {
  int32_t ends = 0, first = joined, head = joined, neighbour = -1; /* ends of contacts */
  w->cluster[seed] = cluster;
  w->s->number[joined++] = seed;
  for (; head < joined && ends < most; head++) {
    const int32_t b = w->s->number[head];
    ends += w->start[b + 1] - w->start[b];
    for (int32_t i = w->start[b]; i < w->start[b + 1] && ends < most; i++) {
      const int32_t next = other(w, w->at[i], b);
      if (next < 0) continue;
      if (w->cluster[next] >= 0) {
        if (w->cluster[next] != cluster) neighbour = w->cluster[next];
        continue;
      }
      w->cluster[next] = cluster;
      w->s->number[joined++] = next;
    }
  }
  for (int32_t i = first; 2 * ends < most && neighbour >= 0 && i < joined; i++)
    w->cluster[w->s->number[i]] = neighbour;
  return joined;
}

/* to := from by key, which is below count, those of one key in their order; first: count + 1. */
static void sort(int32_t n, const int32_t *from, const int32_t *key_of, int32_t count,
                 int32_t *first, int32_t *to) {
  memset(first, 0, ((size_t)count + 1) * sizeof *first);
  for (int32_t i = 0; i < n; i++) first[key_of[from[i]] + 1]++;
  for (int32_t k = 0; k < count; k++) first[k + 1] += first[k];
  for (int32_t i = 0; i < n; i++) to[first[key_of[from[i]]]++] = from[i];
}

/* Bodies that contacts touch, cluster by cluster; how many. */
static int32_t gather(arrangement *w) {
  const int32_t part = w->n / PARTS;
  const int32_t most = 2 * (part < LEAST ? LEAST : part > MOST ? MOST : part);
  int32_t joined = 0, clusters = 0;
  for (int32_t b = 0; b < w->s->room; b++) w->cluster[b] = w->s->rank[b] = -1;
  for (int32_t low = 1; low >= 0; low--)
    for (int32_t b = 0; b < w->s->room; b++)
      if (w->cluster[b] < 0 && w->start[b + 1] > w->start[b] && w->grounded[b] >= low)
        joined = grow(w, b, clusters++, joined, most);
  sort(joined, w->s->number, w->cluster, clusters, w->first, w->spare);
  for (int32_t i = 0; i < joined; i++) {
    w->s->number[i] = w->spare[i];
    w->s->rank[w->spare[i]] = i;
  }
  return joined;
}

/* End the chunk here, if it is large enough or has to be. */
static int cut(arrangement *w, int32_t least) {
  if (w->placed - w->begun < least) return 0;
  w->s->chunk[w->chunks++] = w->begun;
  w->begun = w->placed;
  return 1;
}

static void end_phase(arrangement *w) {
  (void)cut(w, 1);
  if (w->chunks > w->s->phase[w->s->phases]) w->s->phase[++w->s->phases] = w->chunks;
}

/* Contacts within clusters, and a list of the others. */
static void place_within(arrangement *w, int32_t joined) {
  swept_set *s = w->s;
  int32_t from = 0; /* first body of the chunk */
  s->owners = 0;
  for (int32_t i = 0; i < joined; i++) {
    const int32_t b = s->number[i];
    if (i > 0 && w->cluster[b] != w->cluster[s->number[i - 1]] && cut(w, CHUNK)) {
      s->owned[s->owners++] = from;
      from = i;
    }
    for (int32_t e = w->start[b]; e < w->start[b + 1]; e++) {
      const int32_t k = w->at[e], to = other(w, k, b);
      if (to >= 0 && s->rank[to] > i) continue;
      if (to < 0 || w->cluster[to] == w->cluster[b])
        s->order[w->placed++] = k;
      else
        w->left[w->n_left++] = k;
    }
  }
  if (w->placed > w->begun || s->owners == 0) s->owned[s->owners++] = from;
  s->owned[s->owners] = joined;
  end_phase(w);
}

static int32_t lower_cluster(const arrangement *w, int32_t k) {
  const int32_t a = w->cluster[w->pairs[k].body[0]], b = w->cluster[w->pairs[k].body[1]];
  return a < b ? a : b;
}

static int32_t higher_cluster(const arrangement *w, int32_t k) {
  const int32_t a = w->cluster[w->pairs[k].body[0]], b = w->cluster[w->pairs[k].body[1]];
  return a > b ? a : b;
}

/* Groups follow one another in left; the colour of each contact. */
static void paint(arrangement *w) {
  for (int32_t b = 0; b < w->s->room; b++) w->used[b] = 0;
  for (int32_t i = 0, colour = 0; i < w->n_left; i++) {
    const int32_t k = w->left[i], a = lower_cluster(w, k), b = higher_cluster(w, k);
    if (i == 0 || a != lower_cluster(w, w->left[i - 1]) || b != higher_cluster(w, w->left[i - 1])) {
      const uint64_t taken = w->used[a] | w->used[b];
      for (colour = 0; colour < COLOURS && (taken >> colour & 1) != 0;) colour++;
      w->used[a] |= (uint64_t)1 << colour;
      w->used[b] |= (uint64_t)1 << colour;
    }
    w->colour[k] = colour;
  }
}

/* Contacts between clusters, colour by colour. */
static void place_between(arrangement *w) {
  for (int32_t i = 0; i < w->n_left; i++) w->colour[w->left[i]] = higher_cluster(w, w->left[i]);
  sort(w->n_left, w->left, w->colour, w->s->room, w->first, w->spare);
  for (int32_t i = 0; i < w->n_left; i++) w->colour[w->left[i]] = lower_cluster(w, w->left[i]);
  sort(w->n_left, w->spare, w->colour, w->s->room, w->first, w->left);
  paint(w);
  int32_t colours[COLOURS + 2];
  sort(w->n_left, w->left, w->colour, COLOURS + 1, colours, w->spare);
  for (int32_t i = 0; i < w->n_left; i++) {
    const int32_t k = w->spare[i], before = i > 0 ? w->spare[i - 1] : k;
    if (w->colour[k] != w->colour[before])
      end_phase(w);
    else if (w->colour[k] < COLOURS && (lower_cluster(w, k) != lower_cluster(w, before) ||
                                        higher_cluster(w, k) != higher_cluster(w, before)))
      (void)cut(w, CHUNK);
    w->s->order[w->placed++] = k;
  }
  end_phase(w);
}

void perp_swept_arrange(swept_set *s, int32_t n_contacts, const swept_pair *pairs) {
  s->n_contacts = n_contacts;
  s->n_bodies = 0;
  s->phases = 0;
  s->phase[0] = 0;
  s->chunk[0] = 0;
  arrangement w = begin(s, n_contacts, pairs);
  list(&w);
  s->n_bodies = gather(&w);
  place_within(&w, s->n_bodies);
  if (w.n_left > 0) place_between(&w);
  s->chunk[w.chunks] = n_contacts;
}
