/* SPDX-License-Identifier: MIT */
/* Sweeps of nonsmooth Gauss–Seidel over packed rows: for each contact a
 *
 *   w = q_a + Σ M_ab λ_b,  b ≠ a,    λ' solves  y = D λ' + w,    λ_a := λ_a + ω (λ' − λ_a),
 *
 * moved back into the law's set where ω > 1. Sums have a fixed order, two lanes each in space and
 * in the plane. */
#include <math.h>
#include <string.h>

#include "base/pair.h"
#include "problem/bounds.h"
#include "problem/one_contact.h"
#include "solver/sweeps.h"

/* ---- rows ---- */

static inline double sum_of(pair x) { return pair_first(x) + pair_second(x); }

/* Two rows of 3x3 blocks are 6 wide: (x0 x1), (x2 y0), (y1 y2). */
static inline pair six(const double *v, pair a, pair b, pair c) {
  const pair ab = pair_add(pair_multiply(pair_load(v), a), pair_multiply(pair_load(v + 2), b));
  return pair_add(ab, pair_multiply(pair_load(v + 4), c));
}

static inline void row_space(const nsgs *s, const nsgs_row *row, double *w) {
  const double *v = s->values + row->value, *lambda = s->run->lambda, *q = s->q + row->begin;
  const int32_t *at = s->index + row->index;
  pair n = pair_twice(0), t = n, u = n;
  for (int32_t k = 0; k < row->count; k++, v += 18, at += 2) {
    const double *x = lambda + at[0], *y = lambda + at[1];
    const pair a = pair_load(x), b = pair_of(x[2], y[0]), c = pair_load(y + 1);
    n = pair_add(n, six(v, a, b, c));
    t = pair_add(t, six(v + 6, a, b, c));
    u = pair_add(u, six(v + 12, a, b, c));
  }
  w[0] = q[0] + sum_of(n);
  w[1] = q[1] + sum_of(t);
  w[2] = q[2] + sum_of(u);
}

static inline void row_plane(const nsgs *s, const nsgs_row *row, double *w) {
  const double *v = s->values + row->value, *q = s->q + row->begin;
  const int32_t *at = s->index + row->index;
  pair n = pair_twice(0), t = n;
  for (int32_t k = 0; k < row->count; k++, v += 4) {
    const pair x = pair_load(s->run->lambda + at[k]);
    n = pair_add(n, pair_multiply(pair_load(v), x));
    t = pair_add(t, pair_multiply(pair_load(v + 2), x));
  }
  w[0] = q[0] + sum_of(n);
  w[1] = q[1] + sum_of(t);
}

/* Columns of a height that the compiler knows. */
static inline void row_columns(const nsgs *s, const nsgs_row *row, int32_t size, double *w) {
  const double *v = s->values + row->value;
  const int32_t *at = s->index + row->index;
  for (int32_t i = 0; i < size; i++) w[i] = s->q[row->begin + i];
  for (int32_t k = 0; k < row->count; k++, v += size) {
    const double x = s->run->lambda[at[k]];
    for (int32_t i = 0; i < size; i++) w[i] += v[i] * x;
  }
}

/* One row in four lanes. */
static inline double row_single(const nsgs *s, const nsgs_row *row) {
  const double *v = s->values + row->value, *x = s->run->lambda;
  const int32_t *at = s->index + row->index, count = row->count;
  double a = 0, b = 0, c = 0, d = 0;
  int32_t k = 0;
  for (; k + 4 <= count; k += 4) {
    a += v[k] * x[at[k]];
    b += v[k + 1] * x[at[k + 1]];
    c += v[k + 2] * x[at[k + 2]];
    d += v[k + 3] * x[at[k + 3]];
  }
  for (; k < count; k++) a += v[k] * x[at[k]];
  return s->q[row->begin] + ((a + b) + (c + d));
}

static void row_in_place(const nsgs *s, const nsgs_row *row, int32_t size, double *w) {
  for (int32_t i = 0; i < size; i++) {
    const matrix_row entries = row_read(&s->reader, row->begin + i);
    double sum = s->q[row->begin + i] - row->lift * s->run->lambda[row->begin + i];
    for (int32_t k = 0; k < entries.count; k++) {
      const int32_t j = entries.column[k];
      if (j < row->begin || j >= row->begin + size) sum += entries.value[k] * s->run->lambda[j];
    }
    w[i] = sum;
  }
}

/* Loops over components unroll where pack and size are known. */
static inline void row_of(const nsgs *s, const nsgs_row *row, int32_t pack, int32_t size,
                          double *w) {
  if (pack == NSGS_SPACE)
    row_space(s, row, w);
  else if (pack == NSGS_PLANE)
    row_plane(s, row, w);
  else if (pack == NSGS_IN_PLACE)
    row_in_place(s, row, size, w);
  else if (size == 1)
    w[0] = row_single(s, row);
  else if (size == 2)
    row_columns(s, row, 2, w);
  else if (size == 3)
    row_columns(s, row, 3, w);
  else if (size == 5)
    row_columns(s, row, 5, w);
  else
    row_columns(s, row, size, w);
}

/* ---- contacts ---- */

/* λ := λ + ω (λ' − λ), in the set of the law. */
static void relax(const nsgs *s, const contact *c, const double *before, double *lambda) {
  const double omega = s->options->omega;
  for (int32_t i = 0; i < c->size; i++) lambda[i] = before[i] + omega * (lambda[i] - before[i]);
  if (omega <= 1) return;
  if (c->set > PERP_SET_BOX)
    law_project(c->law, c->state, lambda, lambda, s->spare);
  else
    *lambda = clip(*lambda, s->run->lower[c->begin], s->run->upper[c->begin]);
}

/* Exact solutions beyond the usual case are paid for one by one. Whether to go on. */
static int pay(nsgs_pass *pass, double work) {
  pass->work += work;
  if (pass->run != NULL) pass->status = perp_session_spend(pass->run, work);
  return pass->status == GO_ON;
}

/* The local problem y = D λ + q of one contact: exactly for intervals, friction and rolling, by
 * what the law's table has for other laws. lambda: in the old one, out the new one. The
 * multiply-adds beyond the usual case. */
static inline double solve(const nsgs *s, const contact *c, int32_t set, int32_t size,
                           double *local, const double *q, double *lambda) {
  void *prepared = local;
  contact_2d *plane = prepared;
  contact_3d *space = prepared;
  contact_rolling *rolling = prepared;
  double before;
  if (set <= PERP_SET_BOX) {
    *lambda = clip(-(q[0] / local[0]), s->run->lower[c->begin], s->run->upper[c->begin]);
    return 0;
  }
  if (set > PERP_SET_ROLLING)
    return perp_local_law_solve(c, local, q, lambda, s->trial + c->begin, s->spare, NULL);
  if (set == PERP_SET_ROLLING) {
    before = rolling->work;
    (void)perp_contact_rolling_sweep(rolling, q, lambda);
    return rolling->work - before;
  }
  if (size == 2) {
    if (contact_2d_fast(plane, q, lambda) != CONTACT_DOUBT) return 0;
    before = plane->work;
    (void)perp_contact_2d_slow(plane, q, lambda);
    return plane->work - before;
  }
  if (contact_3d_fast(space, q, lambda) != CONTACT_DOUBT) return 0;
  before = space->work;
  (void)perp_contact_3d_slow(space, q, lambda);
  return space->work - before;
}

enum { FEW = 5 };

/* Row k, of that set and size; *moved: how far λ moves, weighed. The multiply-adds beyond the usual
 * case. */
static inline double visit(const nsgs *s, int32_t k, int32_t pack, int32_t set, int32_t size,
                           int relaxed, double *moved) {
  const nsgs_row *row = &s->rows[k];
  const contact *c = &s->contacts[k];
  double small[2 * FEW], *lambda = s->run->lambda + row->begin, sum = 0;
  double *w = size <= FEW ? small : s->w + row->begin;
  double *r = size <= FEW ? small + FEW : s->r + row->begin;
  row_of(s, row, pack, size, w);
  memcpy(r, lambda, (size_t)size * sizeof *r);
  const double work = solve(s, c, set, size, s->locals + row->local, w, r);
  if (relaxed) relax(s, c, lambda, r);
  for (int32_t i = 0; i < size; i++) sum += fabs(r[i] - lambda[i]);
  memcpy(lambda, r, (size_t)size * sizeof *r);
  *moved = row->weight * sum;
  return work;
}

/* ---- sweeps ---- */

/* pack is known where this is called. Contacts at rest are left out for a while. */
static inline void sweep(const nsgs *s, int32_t pack, int32_t first, int32_t last, int backward,
                         const int32_t *order, nsgs_pass *pass) {
  const int32_t freeze = s->options->freeze, step = backward ? -1 : 1;
  const int relaxed = s->options->omega != 1;
  double most = 0, moved;
  int32_t place = backward ? last - 1 : first;
  for (int32_t left = last - first; left > 0; left--, place += step) {
    const int32_t k = order == NULL ? place : order[place];
    if (freeze > 0 && s->asleep[k] > 0) {
      s->asleep[k]--;
      continue;
    }
    const double work =
        pack == NSGS_SPACE ? visit(s, k, NSGS_SPACE, PERP_SET_CONE, 3, relaxed, &moved)
        : pack == NSGS_PLANE
            ? visit(s, k, NSGS_PLANE, PERP_SET_CONE, 2, relaxed, &moved)
            : visit(s, k, pack, s->contacts[k].set, s->contacts[k].size, relaxed, &moved);
    if (freeze > 0 && moved <= s->rest) s->asleep[k] = freeze;
    most = interval_raise(most, moved);
    if (work > 0 && !pay(pass, work)) break;
  }
  pass->change = most;
}

static void sweep_rows(const nsgs *s, int32_t first, int32_t last, int backward,
                       const int32_t *order, nsgs_pass *pass) {
  if (s->pack == NSGS_SPACE)
    sweep(s, NSGS_SPACE, first, last, backward, order, pass);
  else if (s->pack == NSGS_PLANE)
    sweep(s, NSGS_PLANE, first, last, backward, order, pass);
  else
    sweep(s, s->pack, first, last, backward, order, pass);
}

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

/* Each b that contact a meets in its rows, once, and a for it: count them in start, or keep them in
 * the lists, whose ends start holds, and which are filled from there down. */
static void take_edges(colouring *c, nsgs *s, int keep) {
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
        if (keep) {
          c->next[--c->start[a]] = b;
          c->next[--c->start[b]] = a;
        } else {
          c->start[a]++;
          c->start[b]++;
        }
      }
    }
  }
}

static void make_graph(colouring *c, nsgs *s) {
  for (int32_t a = 0; a < s->count; a++) {
    const contact *own = &s->contacts[a];
    for (int32_t i = own->begin; i < own->begin + own->size; i++) c->owner[i] = a;
  }
  memset(c->start, 0, ((size_t)s->count + 1) * sizeof *c->start);
  take_edges(c, s, 0);
  size_t end = 0;
  for (int32_t a = 0; a < s->count; a++) c->start[a] = end += c->start[a];
  c->start[s->count] = end;
  take_edges(c, s, 1);
}

/* ---- groups and colours ---- */

static int64_t visit_work(const colouring *c, int32_t a) {
  return CONTACT + (int64_t)(c->start[a + 1] - c->start[a]) / 2;
}

/* From the first contact that has no group its neighbours join one by one, then their neighbours,
 * until there is enough to do. */
static void make_groups(colouring *c, int32_t count, int32_t *queue) {
  int64_t all = 0;
  for (int32_t a = 0; a < count; a++) {
    c->group[a] = -1;
    all += visit_work(c, a);
  }
  const int64_t part = all / PARTS, enough = part < LEAST ? LEAST : part > MOST ? MOST : part;
  for (int32_t seed = 0; seed < count; seed++) {
    if (c->group[seed] >= 0) continue;
    int32_t head = 0, tail = 1;
    int64_t work = visit_work(c, seed);
    c->group[seed] = seed;
    queue[0] = seed;
    for (; head < tail && work < enough; head++)
      for (size_t k = c->start[queue[head]]; k < c->start[queue[head] + 1] && work < enough; k++) {
        const int32_t b = c->next[k];
        if (c->group[b] >= 0) continue;
        c->group[b] = seed;
        work += visit_work(c, b);
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
    work += visit_work(c, a);
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

/* ---- sweeps in colours ---- */

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
  sweep_rows(w->s, w->c->row[from], w->c->row[to], w->backward, NULL, &pass);
  w->c->change[from] = pass.change;
  w->c->work[from] = pass.work;
}

static void sweep_colours(const colouring *c, const nsgs *s, int backward, const int32_t *order,
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

void perp_nsgs_sweep(const nsgs *s, const colouring *c, int backward, const int32_t *order,
                     perp_parallel_for parallel, nsgs_pass *pass) {
  if (c == NULL)
    sweep_rows(s, 0, s->count, backward, order, pass);
  else
    sweep_colours(c, s, backward, order, parallel, pass);
}
