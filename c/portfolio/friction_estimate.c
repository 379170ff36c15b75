/* SPDX-License-Identifier: MIT */
/* What the methods cost on a problem with friction. */
#include <math.h>

#include "linalg/order.h"
#include "portfolio/friction_run.h"

/* Multiply-adds that take as long as the solution of one contact, measured. */
enum { COMPONENT = 15, PLANE = 40, SPACE = 100, ROLLING_PLANE = 4000, ROLLING_SPACE = 14000 };

/* The same of a law that is known by its projection, a component. */
enum { PROJECTED = 300 };

static double copy_cost(const perp_law *law) {
  if (law->ops->set <= PERP_SET_BOX) return COMPONENT * (double)law->size;
  if (law->ops->set == PERP_SET_CONE) return law->size == 2 ? PLANE : SPACE;
  if (law->ops->set == PERP_SET_ROLLING) return law->size == 3 ? ROLLING_PLANE : ROLLING_SPACE;
  return PROJECTED * (double)law->size;
}

static double local_cost(const perp_problem *p) {
  double sum = 0;
  for (int32_t b = 0, begin = 0, end; b < p->n_blocks; b++, begin = end) {
    const perp_law *law = p->laws[b];
    end = p->offset == NULL ? begin + law->size : p->offset[b + 1];
    sum += copy_cost(law) * ((double)(end - begin) / law->size);
  }
  return sum;
}

/* --- the envelope ---------------------------------------------------------------------------- */

void perp_friction_graph_carve(friction_graph *g, arena *a, int32_t unknowns) {
  const size_t n = (size_t)unknowns;
  g->first = arena_take(a, n + 1, sizeof(int32_t));
  g->node_of = arena_take(a, n, sizeof(int32_t));
  g->row_of = arena_take(a, n, sizeof(int32_t));
  g->order = arena_take(a, n, sizeof(int32_t));
  g->mark = arena_take(a, n, sizeof(int32_t));
  g->degree = arena_take(a, n, sizeof(int32_t));
  g->place = arena_take(a, n, sizeof(int32_t));
  g->low = arena_take(a, n, sizeof(int32_t));
}

/* Copies of laws are nodes, and those that share a block row are one. */
static int32_t find_nodes(const perp_problem *p, const friction_graph *g) {
  const perp_matrix *M = &p->M;
  int32_t nodes = 0;
  for (int32_t r = 0; r < M->block_rows; r++)
    for (int32_t i = M->offset == NULL ? r : M->offset[r];
         i < (M->offset == NULL ? r + 1 : M->offset[r + 1]); i++)
      g->row_of[i] = r;
  for (int32_t b = 0, i = 0; b < p->n_blocks; b++) {
    const int32_t size = p->laws[b]->size;
    const int32_t end = p->offset == NULL ? i + size : p->offset[b + 1];
    for (; i < end; i += size) {
      if (i == 0 || g->row_of[i] != g->row_of[i - 1]) g->first[nodes++] = i;
      for (int32_t k = i; k < i + size; k++) g->node_of[k] = nodes - 1;
    }
  }
  g->first[nodes] = p->n;
  return nodes;
}

/* Places of a factor of M, in the order that ADMM uses. */
static double factor_places(const friction_run *run) {
  const double n = run->shape.n, all = n * (n + 1) / 2;
  const friction_graph *g = &run->graph;
  if (run->shape.matrix == PERP_DENSE) return all;
  if (run->shape.matrix != PERP_BLOCKS) return n;
  order_graph graph = {&run->problem->M, 0, g->first, g->node_of, g->row_of};
  graph.nodes = find_nodes(run->problem, g);
  perp_order_cuthill_mckee(&graph, g->order, g->mark, g->degree);
  const size_t places = perp_order_envelope(&graph, g->order, g->place, g->low);
  return (double)places < all ? (double)places : all;
}

void perp_friction_weigh_factors(friction_run *run) {
  friction_estimate *e = &run->estimate;
  if (e->weighed) return;
  e->weighed = 1;
  const double n = run->shape.n, entries = perp_friction_entries(&run->shape);
  const double places = factor_places(run), dense = n * n * n / 3 + 10 * n * n;
  e->admm_once = 0.6 * places * places / n + 10 * entries;
  e->admm_step = 2 * places + 2 * entries + 80 * n;
  e->newton_step = dense + entries;
  if (run->shape.matrix == PERP_BLOCKS && run->options->allocate != 0) {
    const double sparse = 2 * e->admm_once + 50 * entries;
    if (n > 60 && sparse < dense) e->newton_step = sparse;
  }
  run->left[RIVAL_ADMM] = e->admm_once + ADMM_STEPS * e->admm_step;
}

void perp_friction_estimate(friction_run *run) {
  friction_estimate *e = &run->estimate;
  double largest = 0;
  for (int32_t i = 0; i < run->shape.n; i++)
    if (fabs(run->problem->q[i]) > largest) largest = fabs(run->problem->q[i]);
  e->sweep = perp_friction_entries(&run->shape) + local_cost(run->problem);
  e->scale = run->ratio * largest;
  e->weighed = 0;
}

double perp_friction_budget(const perp_shape *shape) {
  double most = 1e8 + 300000 * perp_friction_entries(shape);
  if ((shape->sets & 1u << PERP_SET_ROLLING) != 0) most *= 2; /* their sweeps cost more */
  return most;
}
