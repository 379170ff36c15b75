/* SPDX-License-Identifier: MIT */
/* The order of Cuthill and McKee, reversed: breadth first from a node at the rim, the neighbours of
 * each node by their degree. The rim is looked for by George and Liu's rule: as long as the last
 * level lies farther away than before, start again from the node of least degree in it. Where M is
 * not symmetric in its structure the graph is that of its rows, which gives an order too.
 *
 * Sources: Cuthill and McKee, Proc. 24th ACM Nat. Conf. (1969); George and Liu, ACM Trans. Math.
 * Softw. 5 (1979). */
#include "linalg/order.h"

/* Times the rim is looked for. */
enum { LOOKS = 4 };

/* ---- neighbours ---- */

/* The blocks of the rows of a node, one after another. */
typedef struct walk {
  int32_t row, last_row; /* block rows          */
  int32_t block;         /* block within them   */
  int32_t next, last;    /* nodes of that block */
} walk;

static inline int32_t cut(const perp_matrix *M, int32_t block) {
  return M->offset == NULL ? block : M->offset[block];
}

static walk walk_open(const order_graph *g, int32_t node) {
  walk w = {g->row_of[g->first[node]], g->row_of[g->first[node + 1] - 1], 0, 0, -1};
  w.block = g->M->start[w.row];
  return w;
}

/* The next neighbour, a node may come several times; -1 at the end. */
static inline int32_t walk_next(const order_graph *g, walk *w) {
  while (w->next > w->last) {
    while (w->block == g->M->start[w->row + 1]) {
      if (w->row == w->last_row) return -1;
      w->block = g->M->start[++w->row];
    }
    const int32_t c = g->M->index[w->block++];
    w->next = g->node_of[cut(g->M, c)];
    w->last = g->node_of[cut(g->M, c + 1) - 1];
  }
  return w->next++;
}

/* ---- breadth first ---- */

/* Shell's sort of a level by degree, stable enough: equal nodes keep an order that depends on the
 * input alone. */
static void sort_by_degree(int32_t count, int32_t *node, const int32_t *degree) {
  int32_t gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int32_t i = gap; i < count; i++) {
      const int32_t x = node[i];
      int32_t k = i;
      for (; k >= gap && degree[node[k - gap]] > degree[x]; k -= gap) node[k] = node[k - gap];
      node[k] = x;
    }
}

/* order[0 ... count-1] := the nodes reached from root, level by level; mark[k] = stamp for them.
 * Returns how many; *levels how far, *last where the last level begins. */
static int32_t breadth_first(const order_graph *g, int32_t root, int32_t stamp, int32_t *order,
                             int32_t *mark, const int32_t *degree, int32_t *levels, int32_t *last) {
  int32_t count = 1, end = 1;
  order[0] = root;
  mark[root] = stamp;
  *levels = 0;
  *last = 0;
  for (int32_t k = 0; k < count; k++) {
    if (k == end) {
      *last = end;
      end = count;
      ++*levels;
    }
    const int32_t begin = count;
    walk w = walk_open(g, order[k]);
    for (int32_t node = walk_next(g, &w); node >= 0; node = walk_next(g, &w)) {
      if (mark[node] == stamp || mark[node] == 0) continue;
      mark[node] = stamp;
      order[count++] = node;
    }
    sort_by_degree(count - begin, order + begin, degree);
  }
  return count;
}

static int32_t least_degree(int32_t count, const int32_t *node, const int32_t *degree) {
  int32_t best = node[0];
  for (int32_t i = 1; i < count; i++)
    if (degree[node[i]] < degree[best]) best = node[i];
  return best;
}

/* Order what is reached from a node at the rim, which is looked for from root on; returns how many.
 * Nodes that are ordered have mark 0; those of a search have its number, which grows. Where M is
 * not symmetric a new root may reach less, and is not taken. */
static int32_t order_part(const order_graph *g, int32_t root, int32_t *stamp, int32_t *part,
                          int32_t *mark, const int32_t *degree) {
  int32_t levels, last, far = -1;
  int32_t count = breadth_first(g, root, (*stamp)++, part, mark, degree, &levels, &last);
  for (int32_t look = 0; look < LOOKS && levels > far; look++) {
    const int32_t before = count, kept = root;
    far = levels;
    root = least_degree(count - last, part + last, degree);
    count = breadth_first(g, root, (*stamp)++, part, mark, degree, &levels, &last);
    if (count >= before) continue;
    count = breadth_first(g, kept, (*stamp)++, part, mark, degree, &levels, &last);
    break;
  }
  for (int32_t i = 0; i < count; i++) mark[part[i]] = 0;
  return count;
}

void perp_order_cuthill_mckee(const order_graph *graph, int32_t *order, int32_t *mark,
                              int32_t *degree) {
  const int32_t nodes = graph->nodes;
  int32_t stamp = 1, done = 0;
  for (int32_t k = 0; k < nodes; k++) {
    const int32_t from = graph->row_of[graph->first[k]];
    const int32_t to = graph->row_of[graph->first[k + 1] - 1];
    degree[k] = graph->M->start[to + 1] - graph->M->start[from];
    mark[k] = -1;
  }
  for (int32_t k = 0; k < nodes; k++)
    while (mark[k] != 0) done += order_part(graph, k, &stamp, order + done, mark, degree);
  for (int32_t i = 0, j = nodes - 1; i < j; i++, j--) {
    const int32_t node = order[i];
    order[i] = order[j];
    order[j] = node;
  }
}

/* ---- envelope ---- */

size_t perp_order_envelope(const order_graph *graph, const int32_t *order, int32_t *place,
                           int32_t *low) {
  uint64_t sum = 0, at = 0;
  for (int32_t k = 0; k < graph->nodes; k++) {
    place[order[k]] = k;
    low[k] = k;
  }
  for (int32_t k = 0; k < graph->nodes; k++) {
    walk w = walk_open(graph, order[k]);
    for (int32_t node = walk_next(graph, &w); node >= 0; node = walk_next(graph, &w)) {
      const int32_t p = place[node], upper = p > k ? p : k, lower = p > k ? k : p;
      if (lower < low[upper]) low[upper] = lower;
    }
  }
  /* from nodes to unknowns: low is overwritten where it is not needed any more, by the first
   * unknown of each place */
  for (int32_t k = 0; k < graph->nodes; k++) {
    const uint64_t size = (uint64_t)(graph->first[order[k] + 1] - graph->first[order[k]]);
    const uint64_t begin = low[k] == k ? at : (uint64_t)low[low[k]];
    low[k] = (int32_t)at;
    sum += size * (at - begin) + size * (size + 1) / 2;
    at += size;
  }
  return sum > SIZE_MAX ? SIZE_MAX : (size_t)sum;
}
