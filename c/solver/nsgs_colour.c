/* SPDX-License-Identifier: MIT */
/* Groups and colours of contacts, and sweeps in their order. */
#include <string.h>

#include "solver/sweeps.h"

/* Work in a chunk, in blocks of M: a contact is worth so many itself. */
enum { CONTACT = 16, CHUNK = 192 };

/* Work in a group: a part of all, within limits. */
enum { PARTS = 40, LEAST = 500, MOST = 1000 };

void perp_colouring_carve(colouring *c, arena *a, const perp_shape *shape, int wanted) {
  const size_t count = wanted ? (size_t)shape->contacts : 0, one = wanted ? 1 : 0;
  const size_t n = wanted ? (size_t)shape->n : 0, i = sizeof(int32_t);
  const size_t pairs = count > 0 && count > SIZE_MAX / count ? SIZE_MAX : count * count;
  const size_t met = !wanted ? 0 : pairs < shape->nonzeros ? pairs : shape->nonzeros;
  const size_t edges = met > SIZE_MAX / 2 ? SIZE_MAX : 2 * met;
  c->begin = arena_take(a, count + one, i);
  c->row = arena_take(a, count + one, i);
  c->change = arena_take(a, count, sizeof(double));
  c->work = arena_take(a, count, sizeof(double));
  c->owner = arena_take(a, n, i);
  c->start = arena_take(a, count + one, sizeof *c->start);
  c->next = arena_take(a, edges, i);
  c->group = arena_take(a, count, i);
  c->colour = arena_take(a, count, i);
  c->mark = arena_take(a, count, i);
  c->sorted = arena_take(a, count, sizeof *c->sorted);
}

/* ---- the graph ---- */

typedef void (*edge_fn)(colouring *c, int32_t a, int32_t b);

/* Each b that contact a meets in its rows, once. */
static void for_edges(colouring *c, nsgs *s, edge_fn body) {
  for (int32_t k = 0; k < s->count; k++) c->mark[k] = -1;
  for (int32_t a = 0; a < s->count; a++) {
    const contact *own = &s->contacts[a];
    c->mark[a] = a;
    for (int32_t i = own->begin; i < own->begin + own->size; i++) {
      const matrix_row row = row_read(&s->reader, i);
      for (int32_t k = 0; k < row.count; k++) {
        const int32_t b = c->owner[row.column[k]];
        if (row.value[k] == 0 || c->mark[b] == a) continue;
        c->mark[b] = a;
        body(c, a, b);
      }
    }
  }
}

static void count_edge(colouring *c, int32_t a, int32_t b) {
  c->start[a]++;
  c->start[b]++;
}

/* start holds the ends of the lists, which are filled from there down. */
static void keep_edge(colouring *c, int32_t a, int32_t b) {
  c->next[--c->start[a]] = b;
  c->next[--c->start[b]] = a;
}

static void make_graph(colouring *c, nsgs *s) {
  for (int32_t a = 0; a < s->count; a++) {
    const contact *own = &s->contacts[a];
    for (int32_t i = own->begin; i < own->begin + own->size; i++) c->owner[i] = a;
  }
  memset(c->start, 0, ((size_t)s->count + 1) * sizeof *c->start);
  for_edges(c, s, count_edge);
  size_t end = 0;
  for (int32_t a = 0; a < s->count; a++) c->start[a] = end += c->start[a];
  c->start[s->count] = end;
  for_edges(c, s, keep_edge);
}

/* ---- groups and colours ---- */

static int64_t work_of(const colouring *c, int32_t a) {
  return CONTACT + (int64_t)(c->start[a + 1] - c->start[a]) / 2;
}

/* From the first contact that has no group its neighbours join one by one, then their neighbours,
 * until there is enough to do. */
static void make_groups(colouring *c, int32_t count, int32_t *queue) {
  int64_t all = 0;
  for (int32_t a = 0; a < count; a++) {
    c->group[a] = -1;
    all += work_of(c, a);
  }
  const int64_t part = all / PARTS, enough = part < LEAST ? LEAST : part > MOST ? MOST : part;
  for (int32_t seed = 0; seed < count; seed++) {
    if (c->group[seed] >= 0) continue;
    int32_t head = 0, tail = 1;
    int64_t work = work_of(c, seed);
    c->group[seed] = seed;
    queue[0] = seed;
    for (; head < tail && work < enough; head++)
      for (size_t k = c->start[queue[head]]; k < c->start[queue[head] + 1] && work < enough; k++) {
        const int32_t b = c->next[k];
        if (c->group[b] >= 0) continue;
        c->group[b] = seed;
        work += work_of(c, b);
        queue[tail++] = b;
      }
  }
}

/* Whether a colour is taken is marked with the group that asks. */
static void forbid(colouring *c, int32_t a, int32_t group) {
  for (size_t k = c->start[a]; k < c->start[a + 1]; k++) {
    const int32_t other = c->group[c->next[k]];
    if (other != group && c->colour[other] >= 0) c->mark[c->colour[other]] = group;
  }
}

/* The first colour that no neighbour of the group has. Members of a group are found by a list
 * through first, which is sorted. */
static void make_colours(colouring *c, int32_t count, const int32_t *member, const int32_t *first) {
  c->colours = 0;
  for (int32_t a = 0; a < count; a++) c->colour[a] = c->mark[a] = -1;
  for (int32_t g = 0; g < count; g++) {
    if (c->group[g] != g) continue;
    for (int32_t k = first[g]; k < first[g + 1]; k++) forbid(c, member[k], g);
    int32_t colour = 0;
    while (colour < c->colours && c->mark[colour] == g) colour++;
    if (colour == c->colours) c->colours++;
    c->colour[g] = colour;
  }
}

/* member := 0 ... count-1 by key, which is below count, those of one key in their order;
 * first[key]: where its members begin. */
static void sort_by(int32_t count, const int32_t *key, int32_t *member, int32_t *first) {
  memset(first, 0, ((size_t)count + 1) * sizeof *first);
  for (int32_t a = 0; a < count; a++) first[key[a] + 1]++;
  for (int32_t k = 0; k < count; k++) first[k + 1] += first[k];
  for (int32_t a = 0; a < count; a++) member[first[key[a]]++] = a;
  for (int32_t k = count; k > 0; k--) first[k] = first[k - 1];
  first[0] = 0;
}

/* ---- chunks ---- */

/* Put the contacts in their order, which member holds, and cut each colour where a group ends and
 * there is enough to do. colour: of each contact. */
static void make_chunks(colouring *c, nsgs *s, const int32_t *member, const int32_t *colour) {
  int32_t chunk = 0, last = -1;
  int64_t work = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t a = member[k];
    const int group_begins = k == 0 || c->group[a] != c->group[member[k - 1]];
    if (colour[a] != last || (group_begins && work >= CHUNK)) {
      for (; last < colour[a]; last++) c->begin[last + 1] = chunk;
      c->row[chunk++] = k;
      work = 0;
    }
    c->sorted[k] = s->contacts[a];
    work += work_of(c, a);
  }
  c->begin[c->colours] = chunk;
  c->row[chunk] = s->count;
  memcpy(s->contacts, c->sorted, (size_t)s->count * sizeof *s->contacts);
}

/* The lists that are sorted through lie where the owners and the chunks do. */
void perp_colouring_make(colouring *c, nsgs *s) {
  int32_t *member = c->mark, *first = c->row, *by_group = c->owner;
  make_graph(c, s);
  make_groups(c, s->count, c->mark);
  sort_by(s->count, c->group, by_group, first);
  make_colours(c, s->count, by_group, first);
  /* a stable sort by colour keeps the groups together */
  for (int32_t k = 0; k < s->count; k++) c->begin[k] = c->colour[c->group[by_group[k]]];
  sort_by(s->count, c->begin, member, first);
  for (int32_t k = 0; k < s->count; k++) member[k] = by_group[member[k]];
  for (int32_t a = 0; a < s->count; a++) c->colour[a] = c->colour[c->group[a]];
  make_chunks(c, s, member, c->colour);
}

/* ---- sweeps ---- */

typedef struct colour_sweep {
  const colouring *c;
  const nsgs *s;
  int32_t chunk; /* first of the colour */
  int backward;
} colour_sweep;

static void sweep_chunks(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const colour_sweep *w = ctx;
  const int32_t from = w->chunk + begin, to = w->chunk + end;
  nsgs_pass pass = {.status = GO_ON};
  (void)worker;
  if (from == to) return;
  perp_nsgs_sweep(w->s, w->c->row[from], w->c->row[to], w->backward, NULL, &pass);
  w->c->change[from] = pass.change;
  w->c->work[from] = pass.work;
}

void perp_colouring_sweep(const colouring *c, const nsgs *s, int backward, const int32_t *order,
                          perp_parallel_for parallel, nsgs_pass *pass) {
  const int32_t all = c->begin[c->colours];
  for (int32_t k = 0; k < all; k++) c->change[k] = c->work[k] = 0;
  for (int32_t k = 0; k < c->colours && pass->status == GO_ON; k++) {
    const int32_t place = backward ? c->colours - 1 - k : k;
    const int32_t colour = order == NULL ? place : order[place];
    const int32_t first = c->begin[colour], chunks = c->begin[colour + 1] - first;
    double work = 0;
    colour_sweep w = {c, s, first, backward};
    if (chunks > 1 && parallel != NULL)
      parallel(chunks, sweep_chunks, &w, s->options->parallel_user);
    else
      sweep_chunks(0, chunks, 0, &w);
    for (int32_t i = first; i < first + chunks; i++) work += c->work[i];
    if (work > 0) pass->status = perp_session_spend(pass->run, work);
  }
  for (int32_t k = 0; k < all; k++) pass->change = interval_raise(pass->change, c->change[k]);
}
