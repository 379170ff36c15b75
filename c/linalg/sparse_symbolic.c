/* SPDX-License-Identifier: MIT */
/* Symbolic Cholesky factorisation:
 *
 *  1. rows that follow one another and have the same pattern become one vertex, with a weight: the
 *     components of a contact, the contacts of a pair of bodies;
 *  2. the vertices are ordered by approximate minimum degree [Amestoy, Davis and Duff 2004], then
 * so that each subtree of the elimination tree follows in a row [Liu 1990];
 *  3. a column and its parent that have the same rows belong to one supernode; a supernode is
 *     merged with its parent also where few zeros come in;
 *  4. the rows of a supernode are those of its children and of its own entries.
 */
#include "linalg/sparse_symbolic.h"

#include <amd.h>
#include <stdlib.h>
#include <string.h>

typedef char int_is_int32[sizeof(int) == sizeof(int32_t) ? 1 : -1];

/* Merged although zeros come in: always up to so many columns, and up to a part of the places. */
enum { NARROW = 8 };
#define MOST_ZEROS 0.05

/* The graph of vertices, and all that is found of it; freed at the end. */
typedef struct analysis {
  int32_t n, count;         /* rows, vertices                                            */
  int32_t *vertex, *weight; /* n: vertex of each row; count: rows of each                */
  int32_t *first;           /* count: its first row                                      */
  int32_t *start, *next;    /* count + 1, start[count]: neighbours                       */
  int32_t *order, *place;   /* count: order[k] = k-th vertex, place its inverse          */
  int32_t *parent;          /* count, by place                                           */
  int32_t *below;           /* count, by place: rows below the vertex                    */
  int32_t *mark, *spare;    /* n + 1 each                                                */
  int32_t *head;            /* supernodes + 1: places of their first vertices               */
  int32_t *base;            /* count + 1, by place: first column of the vertex               */
  int32_t *column;          /* n: place of the vertex of a column                            */
  int32_t *child, *sibling; /* supernodes: lists of children, -1 at their ends               */
  void *memory[12];
  int pieces;
} analysis;

static int32_t *take(analysis *a, size_t entries) {
  int32_t *piece = calloc(entries > 0 ? entries : 1, sizeof *piece);
  a->memory[a->pieces++] = piece;
  return piece;
}

static void release(analysis *a) {
  for (int k = 0; k < a->pieces; k++) free(a->memory[k]);
}

/* ---- vertices ---- */

/* The whole pattern without its diagonal, from the lower triangle. */
static int full_pattern(analysis *a, const int32_t *start, const int32_t *index, int32_t **from,
                        int32_t **to) {
  const int32_t n = a->n;
  int32_t *begin = take(a, (size_t)n + 1);
  if (begin == NULL) return 0;
  memset(begin, 0, ((size_t)n + 1) * sizeof *begin);
  size_t entries = 0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t k = start[i]; k < start[i + 1]; k++)
      if (index[k] < i) {
        begin[i]++;
        begin[index[k]]++;
        entries += 2;
      }
  int32_t *list = entries < INT32_MAX ? take(a, entries) : NULL;
  if (list == NULL) return 0;
  for (int32_t i = 0, at = 0; i <= n; i++) {
    at += begin[i];
    begin[i] = at; /* the end of row i, which becomes its begin below */
  }
  for (int32_t i = n; i-- > 0;)
    for (int32_t k = start[i]; k < start[i + 1]; k++)
      if (index[k] < i) {
        list[--begin[i]] = index[k];
        list[--begin[index[k]]] = i;
      }
  *from = begin;
  *to = list;
  return 1;
}

/* Whether rows i and i + 1 are neighbours and have the same others. mark[j] = i for those of i. */
static int alike(const int32_t *from, const int32_t *to, const int32_t *mark, int32_t i) {
  if (from[i + 1] - from[i] != from[i + 2] - from[i + 1] || mark[i + 1] != i) return 0;
  for (int32_t k = from[i + 1]; k < from[i + 2]; k++)
    if (mark[to[k]] != i) return 0;
  return 1;
}

static void find_vertices(analysis *a, const int32_t *from, const int32_t *to) {
  a->count = 0;
  for (int32_t i = 0; i < a->n; i++) a->mark[i] = -1;
  for (int32_t i = 0; i < a->n; i++) {
    if (i == 0 || a->spare[i] == 0) {
      a->first[a->count] = i;
      a->weight[a->count++] = 0;
    }
    a->vertex[i] = a->count - 1;
    a->weight[a->count - 1]++;
    if (i + 1 == a->n) break;
    for (int32_t k = from[i]; k < from[i + 1]; k++) a->mark[to[k]] = i;
    a->mark[i] = i;
    a->spare[i + 1] = alike(from, to, a->mark, i);
  }
}

/* The neighbours of vertices are those first rows that are neighbours of a first row. */
static void graph_of_vertices(analysis *a, const int32_t *from, const int32_t *to) {
  int32_t at = 0;
  for (int32_t v = 0; v < a->count; v++) {
    const int32_t i = a->first[v];
    a->start[v] = at;
    for (int32_t k = from[i]; k < from[i + 1]; k++) {
      const int32_t w = a->vertex[to[k]];
      if (w == v || a->first[w] != to[k]) continue;
      a->next[at++] = w;
    }
  }
  a->start[a->count] = at;
}

/* ---- elimination tree ---- */

/* parent[k] of the k-th vertex in the present order, by Liu's algorithm; spare holds ancestors. */
static void elimination_tree(analysis *a) {
  int32_t *ancestor = a->spare;
  for (int32_t k = 0; k < a->count; k++) {
    const int32_t v = a->order[k];
    a->parent[k] = ancestor[k] = -1;
    for (int32_t e = a->start[v]; e < a->start[v + 1]; e++) {
      int32_t j = a->place[a->next[e]];
      while (j >= 0 && j < k) {
        const int32_t up = ancestor[j];
        ancestor[j] = k;
        if (up < 0) a->parent[j] = k;
        j = up;
      }
    }
  }
}

/* Order the tree so that every subtree stands in a row before its root. mark: first child, spare:
 * next sibling, below: the new place. */
static void postorder(analysis *a) {
  int32_t *child = a->mark, *sibling = a->spare, *to = a->below;
  const int32_t count = a->count;
  int32_t root = -1, at = 0;
  for (int32_t k = 0; k < count; k++) child[k] = -1;
  for (int32_t k = count; k-- > 0;) {
    int32_t *list = a->parent[k] >= 0 ? &child[a->parent[k]] : &root;
    sibling[k] = *list;
    *list = k;
  }
  for (int32_t k = root; k >= 0;) {
    if (child[k] >= 0) { /* down; what was gone through is cut off */
      const int32_t down = child[k];
      child[k] = -1;
      k = down;
      continue;
    }
    to[k] = at++;
    k = sibling[k] >= 0 ? sibling[k] : a->parent[k];
  }
  for (int32_t k = 0; k < count; k++) child[to[k]] = a->order[k];
  memcpy(a->order, child, (size_t)count * sizeof *child);
  for (int32_t k = 0; k < count; k++) child[to[k]] = a->parent[k] < 0 ? -1 : to[a->parent[k]];
  memcpy(a->parent, child, (size_t)count * sizeof *child);
  for (int32_t k = 0; k < count; k++) a->place[a->order[k]] = k;
}

/* below[j] := rows of L below vertex j: each row k adds its weight to the subtree of its entries.
 */
static void count_rows(analysis *a) {
  for (int32_t k = 0; k < a->count; k++) a->below[k] = 0;
  for (int32_t k = 0; k < a->count; k++) a->mark[k] = -1;
  for (int32_t k = 0; k < a->count; k++) {
    const int32_t v = a->order[k];
    a->mark[k] = k;
    for (int32_t e = a->start[v]; e < a->start[v + 1]; e++)
      for (int32_t j = a->place[a->next[e]]; j < k && a->mark[j] != k; j = a->parent[j]) {
        a->mark[j] = k;
        a->below[j] += a->weight[v];
      }
  }
}

/* ---- supernodes ---- */

/* Weight of the places of a trapezoid. */
static double trapezoid(double cols, double rows) { return cols * (cols + 1) / 2 + cols * rows; }

/* Vertices k .. k' with head[k'] = k are one supernode. zeros: places that are no entries of L. */
static int32_t find_supernodes(analysis *a, int32_t *cols, double *zeros) {
  int32_t tops = 0;
  for (int32_t k = 0; k < a->count; k++) {
    int32_t first = k, width = a->weight[a->order[k]];
    double empty = 0;
    while (tops > 0) {
      const int32_t child = tops - 1, last = first - 1, up = a->parent[last];
      if (up < first || up > k) break;
      const int32_t extra = width + a->below[k] - a->below[last];
      const double more = empty + zeros[child] + (double)cols[child] * extra;
      const double all = trapezoid(width + cols[child], a->below[k]);
      if (extra > 0 && width + cols[child] > NARROW && more > MOST_ZEROS * all) break;
      empty = more;
      width += cols[child];
      first = a->head[child];
      tops--;
    }
    a->head[tops] = first;
    cols[tops] = width;
    zeros[tops++] = empty;
  }
  return tops;
}

/* ---- memory and order ---- */

static int open_analysis(analysis *a, const int32_t *start, const int32_t *index, int32_t **from,
                         int32_t **to) {
  const size_t n = (size_t)a->n;
  if (!full_pattern(a, start, index, from, to)) return 0;
  a->vertex = take(a, n);
  a->mark = take(a, n + 1);
  a->spare = take(a, n + 1);
  int32_t *rest = take(a, 12 * n + 3);
  a->next = take(a, (size_t)(*from)[n]);
  if (a->vertex == NULL || a->mark == NULL || a->spare == NULL || rest == NULL || a->next == NULL)
    return 0;
  a->weight = rest;
  a->first = rest + n;
  a->order = rest + 2 * n;
  a->place = rest + 3 * n;
  a->parent = rest + 4 * n;
  a->below = rest + 5 * n;
  a->column = rest + 6 * n;
  a->child = rest + 7 * n;
  a->sibling = rest + 8 * n;
  a->head = rest + 9 * n;
  a->base = rest + 10 * n + 1;
  a->start = rest + 11 * n + 2;
  return 1;
}

/* order from the graph. */
static int order_vertices(analysis *a) {
  const int done = amd_order(a->count, a->start, a->next, a->order, NULL, NULL);
  if (done != AMD_OK && done != AMD_OK_BUT_JUMBLED) return 0;
  for (int32_t k = 0; k < a->count; k++) a->place[a->order[k]] = k;
  elimination_tree(a);
  postorder(a);
  count_rows(a);
  return 1;
}

/* Columns of the vertices. */
static void set_columns(sparse_symbolic *s, analysis *a) {
  int32_t at = 0;
  for (int32_t k = 0; k < a->count; k++) {
    const int32_t v = a->order[k];
    a->base[k] = at;
    for (int32_t i = 0; i < a->weight[v]; i++) {
      s->place[a->first[v] + i] = at;
      a->column[at++] = k;
    }
  }
  a->base[a->count] = at;
}

/* Sizes of the supernodes and their tree; mark: supernode of each vertex. Returns the rows in all
 * lists. */
static size_t set_sizes(sparse_symbolic *s, analysis *a, const int32_t *cols) {
  size_t list = 0;
  a->head[s->count] = a->count;
  for (int32_t t = 0; t < s->count; t++) {
    const int32_t last = a->head[t + 1] - 1;
    const supernode node = {a->base[a->head[t]], cols[t], a->below[last], a->parent[last], 0, t - 1,
                            s->places,           list};
    const int32_t height = node.cols + node.rows;
    s->node[t] = node;
    for (int32_t k = a->head[t]; k <= last; k++) a->mark[k] = t;
    s->places += (size_t)height * (size_t)node.cols;
    list += (size_t)node.rows;
    s->most = height > s->most ? height : s->most;
    for (int32_t c = 0; c < node.cols; c++)
      s->flops += 0.5 * (double)(height - c) * (double)(height - c);
  }
  for (int32_t t = 0; t < s->count; t++) a->child[t] = -1;
  for (int32_t t = 0; t < s->count; t++) {
    supernode *node = s->node + t;
    if (node->parent < 0) continue; /* a vertex up to here */
    node->parent = a->mark[node->parent];
    supernode *parent = s->node + node->parent;
    if (parent->children++ == 0 || node->before < parent->before) parent->before = node->before;
    a->sibling[t] = a->child[node->parent];
    a->child[node->parent] = t;
  }
  return list;
}

/* What the stack of update matrices holds at most: the children's and the own one. */
static void set_stack(sparse_symbolic *s, const analysis *a) {
  size_t top = 0;
  s->stack = 0;
  for (int32_t t = 0; t < s->count; t++) {
    const size_t own = (size_t)s->node[t].rows * (size_t)s->node[t].rows;
    s->stack = top + own > s->stack ? top + own : s->stack;
    for (int32_t c = a->child[t]; c >= 0; c = a->sibling[c])
      top -= (size_t)s->node[c].rows * (size_t)s->node[c].rows;
    top += own;
  }
}

static void sort(int32_t count, int32_t *x) {
  int32_t gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int32_t i = gap; i < count; i++) {
      const int32_t e = x[i];
      int32_t k = i;
      for (; k >= gap && x[k - gap] > e; k -= gap) x[k] = x[k - gap];
      x[k] = e;
    }
}

/* A vertex at place k is below supernode t if it is none of its own, nor of its children's. */
static inline void find(int32_t end, int32_t k, int32_t t, int32_t *seen, int32_t *found,
                        int32_t *many) {
  if (k < end || seen[k] == t) return;
  seen[k] = t;
  found[(*many)++] = k;
}

/* The rows below each supernode: those of its entries and of its children. */
static void find_rows(sparse_symbolic *s, const analysis *a) {
  int32_t *seen = a->mark, *found = a->spare;
  for (int32_t k = 0; k < a->count; k++) seen[k] = -1;
  for (int32_t t = 0; t < s->count; t++) {
    const supernode *node = s->node + t;
    const int32_t end = a->head[t + 1];
    int32_t many = 0, *rows = s->rows + node->list;
    for (int32_t k = a->head[t]; k < end; k++) {
      const int32_t v = a->order[k];
      for (int32_t e = a->start[v]; e < a->start[v + 1]; e++)
        find(end, a->place[a->next[e]], t, seen, found, &many);
    }
    for (int32_t c = a->child[t]; c >= 0; c = a->sibling[c])
      for (int32_t i = 0; i < s->node[c].rows; i++)
        find(end, a->column[s->rows[s->node[c].list + (size_t)i]], t, seen, found, &many);
    sort(many, found);
    for (int32_t i = 0; i < many; i++)
      for (int32_t c = a->base[found[i]]; c < a->base[found[i] + 1]; c++) *rows++ = c;
  }
}

/* The entries of the lower triangle, grouped by the supernode of their column. */
typedef struct grouped {
  int32_t *owner; /* n: supernode of each column      */
  int32_t *row;   /* of every entry                   */
  int32_t *list;  /* entries, supernode by supernode  */
  int32_t count;
} grouped;

static inline int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static void group_entries(const sparse_symbolic *s, const int32_t *start, const int32_t *index,
                          int32_t *begin, grouped *g) {
  for (int32_t t = 0; t < s->count; t++) {
    begin[t] = 0;
    for (int32_t c = 0; c < s->node[t].cols; c++) g->owner[s->node[t].first + c] = t;
  }
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t k = start[i]; k < start[i + 1]; k++) {
      g->row[k] = i;
      if (index[k] <= i) begin[g->owner[smaller(s->place[i], s->place[index[k]])]]++;
    }
  g->count = 0;
  for (int32_t t = 0; t < s->count; t++) begin[t] = g->count += begin[t];
  for (int32_t k = start[s->n]; k-- > 0;) {
    const int32_t i = g->row[k];
    if (index[k] <= i) g->list[--begin[g->owner[smaller(s->place[i], s->place[index[k]])]]] = k;
  }
}

/* Where each of them goes: supernode by supernode, so that where[row] is that of one at a time. */
static void set_targets(sparse_symbolic *s, const int32_t *index, const grouped *g,
                        int32_t *where) {
  for (int32_t t = 0, e = 0; t < s->count; t++) {
    const supernode *node = s->node + t;
    const size_t height = (size_t)(node->cols + node->rows);
    for (int32_t c = 0; c < node->cols; c++) where[node->first + c] = c;
    for (int32_t i = 0; i < node->rows; i++)
      where[s->rows[node->list + (size_t)i]] = node->cols + i;
    for (; e < g->count; e++) {
      const int32_t k = g->list[e], p = s->place[g->row[k]], q = s->place[index[k]];
      const int32_t low = smaller(p, q), high = p < q ? q : p;
      if (g->owner[low] != t) break;
      s->target[k] = node->at + (size_t)where[high] + height * (size_t)(low - node->first);
      if (p == q) s->origin[p] = k;
    }
  }
}

static int find_targets(sparse_symbolic *s, analysis *a) {
  const size_t entries = (size_t)s->start[s->n];
  grouped g = {take(a, (size_t)s->n), take(a, entries), take(a, entries), 0};
  if (g.owner == NULL || g.row == NULL || g.list == NULL) return 0;
  for (size_t k = 0; k < entries; k++) s->target[k] = s->places; /* right of the diagonal */
  for (int32_t i = 0; i < s->n; i++) s->origin[i] = -1;
  group_entries(s, s->start, s->index, a->mark, &g);
  set_targets(s, s->index, &g, a->spare);
  return 1;
}

/* ---- the whole ---- */

static void *copy(const void *from, size_t bytes) {
  void *to = malloc(bytes > 0 ? bytes : 1);
  if (to != NULL && bytes > 0) memcpy(to, from, bytes);
  return to;
}

static int build(sparse_symbolic *s, analysis *a) {
  int32_t *from, *to;
  const size_t n = (size_t)s->n;
  if (!open_analysis(a, s->start, s->index, &from, &to)) return 0;
  find_vertices(a, from, to);
  graph_of_vertices(a, from, to);
  if (!order_vertices(a)) return 0;
  set_columns(s, a);
  double *zeros = malloc(n * sizeof *zeros);
  if (zeros == NULL) return 0;
  s->count = find_supernodes(a, a->spare, zeros);
  free(zeros);
  s->node = malloc((size_t)s->count * sizeof *s->node);
  if (s->node == NULL) return 0;
  const size_t listed = set_sizes(s, a, a->spare);
  set_stack(s, a);
  s->rows = malloc((listed > 0 ? listed : 1) * sizeof *s->rows);
  if (s->rows == NULL) return 0;
  find_rows(s, a);
  return find_targets(s, a);
}

sparse_symbolic *perp_symbolic_new(int32_t n, const int32_t *start, const int32_t *index) {
  sparse_symbolic *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  analysis a = {.n = n};
  const size_t rows = (size_t)n, entries = (size_t)start[n];
  s->n = n;
  s->start = copy(start, (rows + 1) * sizeof *start);
  s->index = copy(index, entries * sizeof *index);
  s->place = malloc(rows * sizeof *s->place);
  s->origin = malloc(rows * sizeof *s->origin);
  s->target = malloc((entries > 0 ? entries : 1) * sizeof *s->target);
  const int room = s->start != NULL && s->index != NULL && s->place != NULL && s->origin != NULL &&
                   s->target != NULL;
  const int done = room && build(s, &a);
  release(&a);
  if (done) return s;
  perp_symbolic_free(s);
  return NULL;
}

void perp_symbolic_free(sparse_symbolic *s) {
  if (s == NULL) return;
  free(s->start);
  free(s->index);
  free(s->place);
  free(s->node);
  free(s->rows);
  free(s->target);
  free(s->origin);
  free(s);
}
