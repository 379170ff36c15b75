/* SPDX-License-Identifier: MIT */
/* The analysis of a pattern: neighbouring unknowns whose rows have equal patterns are one node; the
 * nodes are ordered by approximate minimum degree; the structure of each column of the factor is
 * that of its row and column of the matrix joined with those of its children in the elimination
 * tree, whose parent is its first entry; chains of nodes with nearly equal structures are one
 * front.
 *
 * Sources: Amestoy, Davis and Duff, ACM Trans. Math. Softw. 30 (2004); Liu, SIAM Review 34
 * (1992). */
#include <amd.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/multifrontal.h"

/* Part of a front that may be stored zeros, and rows up to which zeros cost nothing. */
static const double spare = 0.1;
enum { SMALL_FRONT = 16 };

typedef struct analysis {
  int32_t n, nodes;
  const int32_t *start, *index;
  int32_t *first;            /* nodes + 1: unknowns of each node                     */
  int32_t *node;             /* n: node of each unknown                              */
  int32_t *graph, *neighbor; /* nodes + 1, entries: pattern of the nodes             */
  int32_t *order, *place;    /* nodes                                                */
  int32_t *upper, *list;     /* nodes + 1, entries: neighbours in higher places      */
  int32_t *mark, *parent, *child, *sibling; /* nodes, by place                       */
  int32_t *begin, *count; /* nodes: their structures in structure, by place       */
  int32_t *structure;
  size_t used, room;
  int32_t *post; /* nodes: places in postorder                                       */
  double most;   /* multiply-adds that are affordable                                  */
  int failed;
} analysis;

static void *take(analysis *a, size_t count, size_t size) {
  if (a->failed || (count > 0 && count > SIZE_MAX / size)) {
    a->failed = 1;
    return NULL;
  }
  void *p = calloc(count > 0 ? count : 1, size);
  if (p == NULL) a->failed = 1;
  return p;
}

static int32_t *whole(analysis *a, size_t count) { return take(a, count, sizeof(int32_t)); }

/* ---- nodes ---- */

static int same_rows(const analysis *a, int32_t i, int32_t j) {
  const int32_t count = a->start[i + 1] - a->start[i];
  return a->start[j + 1] - a->start[j] == count &&
         memcmp(a->index + a->start[i], a->index + a->start[j], (size_t)count * sizeof *a->index) ==
             0;
}

static void find_nodes(analysis *a) {
  a->first = whole(a, (size_t)a->n + 1);
  a->node = whole(a, (size_t)a->n);
  if (a->failed) return;
  for (int32_t i = 0; i < a->n; i++) {
    if (i == 0 || !same_rows(a, i - 1, i)) a->first[a->nodes++] = i;
    a->node[i] = a->nodes - 1;
  }
  a->first[a->nodes] = a->n;
}

static void find_graph(analysis *a) {
  const size_t nodes = (size_t)a->nodes;
  size_t most = 0;
  for (int32_t k = 0; k < a->nodes; k++)
    most += (size_t)(a->start[a->first[k] + 1] - a->start[a->first[k]]);
  a->graph = whole(a, nodes + 1);
  a->neighbor = whole(a, most);
  a->mark = whole(a, nodes);
  if (a->failed) return;
  int32_t at = 0;
  for (int32_t k = 0; k < a->nodes; k++) a->mark[k] = -1;
  for (int32_t k = 0; k < a->nodes; k++) {
    const int32_t i = a->first[k];
    a->graph[k] = at;
    for (int32_t e = a->start[i]; e < a->start[i + 1]; e++) {
      const int32_t j = a->node[a->index[e]];
      if (a->mark[j] == k) continue;
      a->mark[j] = k;
      a->neighbor[at++] = j;
    }
  }
  a->graph[a->nodes] = at;
}

static void find_order(analysis *a) {
  a->order = whole(a, (size_t)a->nodes);
  a->place = whole(a, (size_t)a->nodes);
  if (a->failed) return;
  if (amd_order(a->nodes, a->graph, a->neighbor, a->order, NULL, NULL) < AMD_OK) a->failed = 1;
  for (int32_t k = 0; k < a->nodes && !a->failed; k++) a->place[a->order[k]] = k;
}

/* Each pair of neighbours at the lower of its places. */
static void find_upper(analysis *a) {
  const size_t nodes = (size_t)a->nodes;
  a->upper = whole(a, nodes + 2);
  a->list = whole(a, a->failed ? 0 : (size_t)a->graph[a->nodes]);
  if (a->failed) return;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t k = 0; k < a->nodes; k++)
      for (int32_t e = a->graph[k]; e < a->graph[k + 1]; e++) {
        const int32_t p = a->place[k], q = a->place[a->neighbor[e]];
        const int32_t low = p < q ? p : q, high = p < q ? q : p;
        if (p == q) continue;
        if (pass == 0)
          a->upper[low + 2]++;
        else
          a->list[a->upper[low + 1]++] = high;
      }
    for (int32_t k = 0; k < a->nodes && pass == 0; k++) a->upper[k + 2] += a->upper[k + 1];
  }
}

/* ---- structures ---- */

static void append(analysis *a, int32_t k, int32_t j) {
  if (j == k || a->mark[j] == k || a->failed) return;
  a->mark[j] = k;
  if (a->used == a->room) {
    const size_t room = 2 * a->room + 64;
    int32_t *more = room > (size_t)INT32_MAX ? NULL : realloc(a->structure, room * sizeof *more);
    if (more == NULL) {
      a->failed = 1;
      return;
    }
    a->structure = more;
    a->room = room;
  }
  a->structure[a->used++] = j;
  if (a->parent[k] < 0 || j < a->parent[k]) a->parent[k] = j;
}

static void find_structures(analysis *a) {
  const size_t nodes = (size_t)a->nodes;
  a->parent = whole(a, nodes);
  a->child = whole(a, nodes);
  a->sibling = whole(a, nodes);
  a->begin = whole(a, nodes);
  a->count = whole(a, nodes);
  if (a->failed) return;
  for (int32_t k = 0; k < a->nodes; k++) a->mark[k] = a->parent[k] = a->child[k] = -1;
  for (int32_t k = 0; k < a->nodes && !a->failed; k++) {
    a->begin[k] = (int32_t)a->used;
    for (int32_t e = a->upper[k]; e < a->upper[k + 1]; e++) append(a, k, a->list[e]);
    for (int32_t c = a->child[k]; c >= 0; c = a->sibling[c])
      for (int32_t e = 0; e < a->count[c]; e++) append(a, k, a->structure[a->begin[c] + e]);
    a->count[k] = (int32_t)a->used - a->begin[k];
    if (a->parent[k] < 0) continue;
    a->sibling[k] = a->child[a->parent[k]];
    a->child[a->parent[k]] = k;
  }
}

/* Children before their parents, and next to them. mark serves as the way down. */
static void find_postorder(analysis *a) {
  a->post = whole(a, (size_t)a->nodes);
  if (a->failed) return;
  int32_t done = 0;
  for (int32_t root = 0; root < a->nodes; root++) {
    if (a->parent[root] >= 0) continue;
    int32_t depth = 0;
    a->mark[depth++] = root;
    while (depth > 0) {
      const int32_t k = a->mark[depth - 1], c = a->child[k];
      if (c >= 0) {
        a->child[k] = a->sibling[c];
        a->mark[depth++] = c;
      } else {
        a->post[done++] = k;
        depth--;
      }
    }
  }
}

/* ---- fronts ---- */

static int32_t node_size(const analysis *a, int32_t place) {
  return a->first[a->order[place] + 1] - a->first[a->order[place]];
}

static int32_t unknowns_below(const analysis *a, int32_t place) {
  int32_t sum = 0;
  for (int32_t e = 0; e < a->count[place]; e++)
    sum += node_size(a, a->structure[a->begin[place] + e]);
  return sum;
}

/* fronts: last[f] is the index in post of the last node of front f. Returns how many. */
static int32_t find_fronts(const analysis *a, int32_t *last) {
  int32_t fronts = 0, width = 0, height = 0;
  double zeros = 0;
  for (int32_t i = 0; i < a->nodes; i++) {
    const int32_t k = a->post[i], size = node_size(a, k), below = unknowns_below(a, k);
    int join = 0;
    if (i > 0 && a->parent[a->post[i - 1]] == k) {
      const double more = zeros + (double)width * (double)(size + below - height);
      const double all = (double)(width + size) * (double)(width + size + below);
      join = more <= spare * all || width + size + below <= SMALL_FRONT;
      if (join) zeros = more;
    }
    if (!join) {
      zeros = 0;
      width = 0;
      fronts++;
    }
    width += size;
    height = below;
    last[fronts - 1] = i;
  }
  return fronts;
}

static int ascending(const void *x, const void *y) {
  const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
  return (a > b) - (a < b);
}

/* order, own, row: from the nodes of each front and the structure of its last one. */
static void number(analysis *a, multifrontal *s, const int32_t *last) {
  const size_t nodes = (size_t)a->nodes, fronts = (size_t)s->fronts;
  int32_t *place = whole(a, nodes); /* first place of the unknowns of each node's place */
  size_t rows = 0;
  for (int32_t f = 0; f < s->fronts; f++) rows += (size_t)unknowns_below(a, a->post[last[f]]);
  s->order = whole(a, (size_t)a->n);
  s->own = whole(a, fronts + 1);
  s->row_start = whole(a, fronts + 1);
  s->row = whole(a, rows);
  s->link = whole(a, rows);
  s->children = whole(a, fronts);
  int32_t at = 0, i = 0;
  for (int32_t f = 0; f < s->fronts && !a->failed; f++) {
    s->own[f] = at;
    for (; i <= last[f]; i++) {
      const int32_t node = a->order[a->post[i]];
      place[a->post[i]] = at;
      for (int32_t u = a->first[node]; u < a->first[node + 1]; u++) s->order[at++] = u;
    }
    s->own[f + 1] = at;
  }
  at = 0;
  for (int32_t f = 0; f < s->fronts && !a->failed; f++) {
    const int32_t k = a->post[last[f]];
    s->row_start[f] = at;
    for (int32_t e = 0; e < a->count[k]; e++) {
      const int32_t j = a->structure[a->begin[k] + e];
      for (int32_t u = 0; u < node_size(a, j); u++) s->row[at++] = place[j] + u;
    }
    s->row_start[f + 1] = at;
    qsort(s->row + s->row_start[f], (size_t)front_height(s, f), sizeof *s->row, ascending);
  }
  free(place);
}

/* ---- where numbers go ---- */

static int32_t local_row(const multifrontal *s, int32_t f, const int32_t *local, int32_t place) {
  return place < s->own[f + 1] ? place - s->own[f] : local[place];
}

/* local: of each place among the rows of front f. */
static void set_local(const multifrontal *s, int32_t f, int32_t *local) {
  for (int32_t e = s->row_start[f]; e < s->row_start[f + 1]; e++)
    local[s->row[e]] = front_width(s, f) + e - s->row_start[f];
}

/* link and children: the parent owns the first row that is left. */
static void find_links(analysis *a, multifrontal *s, const int32_t *front_of, int32_t *local) {
  int32_t *head = whole(a, (size_t)s->fronts), *next = whole(a, (size_t)s->fronts);
  for (int32_t f = 0; f < s->fronts && !a->failed; f++) head[f] = -1;
  for (int32_t f = 0; f < s->fronts && !a->failed; f++) {
    set_local(s, f, local);
    for (int32_t c = head[f]; c >= 0; c = next[c])
      for (int32_t e = s->row_start[c]; e < s->row_start[c + 1]; e++)
        s->link[e] = local_row(s, f, local, s->row[e]);
    if (front_height(s, f) == 0) continue;
    const int32_t p = front_of[s->row[s->row_start[f]]];
    next[f] = head[p];
    head[p] = f;
    s->children[p]++;
  }
  free(head);
  free(next);
}

static void find_targets(analysis *a, multifrontal *s, const int32_t *front_of,
                         const int32_t *place_of, int32_t *local) {
  const size_t entries = (size_t)a->start[a->n];
  s->entry_start = whole(a, (size_t)s->fronts + 2);
  s->entry = whole(a, entries);
  s->target = take(a, entries, sizeof *s->target);
  if (a->failed) return;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < a->n; i++)
      for (int32_t e = a->start[i]; e < a->start[i + 1]; e++) {
        const int32_t p = place_of[i], q = place_of[a->index[e]];
        const int32_t f = front_of[p < q ? p : q];
        if (pass == 0)
          s->entry_start[f + 2]++;
        else
          s->entry[s->entry_start[f + 1]++] = e;
      }
    for (int32_t f = 0; f < s->fronts && pass == 0; f++)
      s->entry_start[f + 2] += s->entry_start[f + 1];
  }
  int32_t *row_of = whole(a, entries);
  for (int32_t i = 0; i < a->n && !a->failed; i++)
    for (int32_t e = a->start[i]; e < a->start[i + 1]; e++) row_of[e] = i;
  for (int32_t f = 0; f < s->fronts && !a->failed; f++) {
    const size_t m = (size_t)(front_width(s, f) + front_height(s, f));
    set_local(s, f, local);
    for (int32_t k = s->entry_start[f]; k < s->entry_start[f + 1]; k++) {
      const int32_t e = s->entry[k];
      s->target[k] = (size_t)local_row(s, f, local, place_of[row_of[e]]) +
                     m * (size_t)local_row(s, f, local, place_of[a->index[e]]);
    }
  }
  free(row_of);
}

static size_t square(int32_t m) { return (size_t)m * (size_t)m; }

/* Memory for the numbers: panels, the largest front, and what is on the stack at most. */
static void find_sizes(analysis *a, multifrontal *s) {
  size_t largest = 0, deep = 0, most = 0;
  double work = 0;
  int32_t *waiting = whole(a, (size_t)s->fronts);
  int32_t depth = 0;
  s->panel = take(a, (size_t)s->fronts + 1, sizeof *s->panel);
  for (int32_t f = 0; f < s->fronts && !a->failed; f++) {
    const int32_t w = front_width(s, f), h = front_height(s, f);
    s->panel[f + 1] = s->panel[f] + (size_t)w * (size_t)(w + 2 * h);
    if (square(w + h) > largest) largest = square(w + h);
    work += (double)w * (double)(w + h) * (double)(w + h);
    for (int32_t c = 0; c < s->children[f]; c++) deep -= square(front_height(s, waiting[--depth]));
    if (h == 0) continue;
    deep += square(h);
    waiting[depth++] = f;
    if (deep > most) most = deep;
  }
  free(waiting);
  if (!(work <= a->most)) a->failed = 1;
  if (a->failed) return;
  s->factor = take(a, s->panel[s->fronts], sizeof *s->factor);
  s->front = take(a, largest, sizeof *s->front);
  s->stack = take(a, most, sizeof *s->stack);
  s->vector = take(a, 2 * (size_t)a->n, sizeof *s->vector);
  s->pivots = whole(a, (size_t)a->n);
}

static void copy_pattern(analysis *a, multifrontal *s) {
  const size_t cuts = (size_t)a->n + 1, entries = (size_t)a->start[a->n];
  s->start = whole(a, cuts);
  s->index = whole(a, entries);
  if (a->failed) return;
  memcpy(s->start, a->start, cuts * sizeof *s->start);
  if (entries > 0) memcpy(s->index, a->index, entries * sizeof *s->index);
}

static void assemble_plan(analysis *a, multifrontal *s) {
  const size_t n = (size_t)a->n;
  int32_t *last = whole(a, (size_t)a->nodes), *front_of = whole(a, n), *place_of = whole(a, n),
          *local = whole(a, n);
  if (!a->failed) {
    s->fronts = find_fronts(a, last);
    number(a, s, last);
  }
  for (int32_t f = 0; f < s->fronts && !a->failed; f++)
    for (int32_t p = s->own[f]; p < s->own[f + 1]; p++) {
      front_of[p] = f;
      place_of[s->order[p]] = p;
    }
  if (!a->failed) find_links(a, s, front_of, local);
  if (!a->failed) find_targets(a, s, front_of, place_of, local);
  if (!a->failed) find_sizes(a, s);
  free(last);
  free(front_of);
  free(place_of);
  free(local);
}

int perp_multifrontal_analyse(multifrontal *s, int32_t n, const int32_t *start,
                              const int32_t *index, double most) {
  analysis a = {.n = n, .start = start, .index = index, .most = most};
  perp_multifrontal_forget(s);
  s->n = n;
  copy_pattern(&a, s);
  if (!a.failed) find_nodes(&a);
  if (!a.failed) find_graph(&a);
  if (!a.failed) find_order(&a);
  if (!a.failed) find_upper(&a);
  if (!a.failed) find_structures(&a);
  if (!a.failed) find_postorder(&a);
  if (!a.failed) assemble_plan(&a, s);
  int32_t *all[] = {a.first, a.node,   a.graph, a.neighbor, a.order, a.place, a.upper,     a.list,
                    a.mark,  a.parent, a.child, a.sibling,  a.begin, a.count, a.structure, a.post};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  if (a.failed) perp_multifrontal_forget(s);
  return !a.failed;
}

void perp_multifrontal_forget(multifrontal *s) {
  void *all[] = {s->start,  s->index,    s->order,       s->own,   s->row_start, s->row,
                 s->link,   s->children, s->entry_start, s->entry, s->target,    s->panel,
                 s->pivots, s->factor,   s->front,       s->stack, s->vector};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  void *klu = s->klu;
  memset(s, 0, sizeof *s);
  s->klu = klu;
}
