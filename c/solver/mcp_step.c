/* SPDX-License-Identifier: MIT */
/* One major iteration from z. With y the part of F(z) that the bounds admit (0 between them, its
 * positive part at the lower, its negative at the upper one) the normal map has the value F − y.
 * The path of the linearisation, −(L(z(t)) − t (F − y)) ∈ N_[l,u](z(t)),   L(z') = F(z) + J(z) (z'
 * − z),   t from 1 to 0, starts at z and ends at the Newton point. Its points are tried in this
 * order: the Newton point: kept if the merit is below a part of the largest of the last ones; or,
 * for a few iterations in a row, without (watchdog), after which the search returns to the last
 * point that was kept; t = ½, ¾, ⅞, ...: backwards along the path, with the same test relaxed in
 * proportion; a projected gradient step of half the square of the merit. Where the basis at z is
 * singular, or the path ends on a ray before it has made way, J + σP and q − σPz are taken instead;
 * they have the same value at z. Where that does not help either, the Newton point is sought from a
 * ray, and the search runs on the straight line to it.
 *
 * Sources: Ralph, Mathematics of Operations Research 19 (1994) 352-389; Dirkse and Ferris,
 * Optimization Methods and Software 5 (1995) 123-156; Ferris and Munson, Computational Optimization
 * and Applications 12 (1999) 207-227. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/mcp.h"

/* σ in equilibrated units: the first one tried, its growth, how often; t that counts as way made.
 */
#define SHIFT_FIRST  1e-8
#define SHIFT_GROWTH 100
#define WAY          0.999
enum { SHIFTS = 4, HALVINGS = 20, GRADIENT_HALVINGS = 40, GRADIENT_STEPS = 12 };

/* A watchdog point may be worse by this factor, no more. */
#define LEASH 100

/* How the Newton point was found: along the path, on a straight line, the path up to t_least, not.
 */
typedef struct way {
  int complete; /* newton holds the Newton point        */
  int straight; /* and there is no path to it           */
  double least; /* least t the path came to             */
  double shift;
} way;

static void linearise(mcp *m, double shift) {
  const perp_mcp *p = m->problem;
  for (int32_t i = 0; i < m->n; i++) {
    const double z = m->z[i], l = p->lower[i], u = p->upper[i], F = m->F[i];
    double y = 0;
    m->modes[i] = PERP_MODE_FREE;
    if (z <= l) {
      m->modes[i] = PERP_MODE_LOWER;
      y = F > 0 || !(l < u) ? F : 0;
    } else if (z >= u) {
      m->modes[i] = PERP_MODE_UPPER;
      y = F < 0 ? F : 0;
    }
    m->from[i] = F - y;
  }
  m->data.shift = shift;
  m->data.center = shift > 0 ? m->z : NULL;
}

/* Follow the path to t; next := its end. */
static int follow(mcp *m, double shift, double t) {
  box_path *p = &m->path;
  linearise(m, shift);
  p->pivots = 0;
  p->limit = m->o.max_pivots;
  if (!perp_box_path_open(p, &m->data, m->modes, NULL, m->from) || p->missing > 0) return -1;
  p->stop = t;
  const int end = perp_box_path_follow(p);
  perp_box_path_point(p, m->next);
  return end;
}

/* The end of a path to t = 0, once more from its basis. */
static void refine(mcp *m) {
  perp_box_path_modes(&m->path, m->modes);
  for (int32_t i = 0; i < m->n; i++)
    if (m->modes[i] == PERP_MODE_UNKNOWN) return;
  perp_box_basis_refine(&m->path, m->modes, m->next, m->probe_F);
}

static void keep_newton(mcp *m, way *w) {
  refine(m);
  perp_mcp_clip(m, m->next);
  memcpy(m->newton, m->next, (size_t)m->n * sizeof *m->newton);
  w->complete = 1;
}

/* Newton point of the linearisation from a ray. */
static void seek_from_ray(mcp *m, way *w) {
  box_path *p = &m->path;
  linearise(m, w->shift);
  p->pivots = 0;
  p->limit = m->o.max_pivots;
  if (!perp_box_path_open(p, &m->data, NULL, NULL, NULL)) return;
  if (perp_box_path_follow(p) != BOX_SOLVED) return;
  perp_box_path_point(p, m->next);
  w->straight = 1;
  keep_newton(m, w);
}

static way seek(mcp *m) {
  way w = {0, 0, 1, m->shift}, found = w;
  if (m->o.mode == PERP_MCP_LEMKE) {
    seek_from_ray(m, &w);
    return w;
  }
  for (int k = 0; k <= SHIFTS; k++) {
    const int end = follow(m, w.shift, 0);
    if (end == BOX_SOLVED) {
      keep_newton(m, &w);
      return w;
    }
    w.least = end < 0 ? 1 : m->path.least;
    if (w.least < found.least) found = w;
    if (found.least < WAY && end != BOX_LIMIT) break;
    w.shift = w.shift < SHIFT_FIRST ? SHIFT_FIRST : w.shift * SHIFT_GROWTH;
  }
  if (found.least < WAY) return found;
  found.shift = m->shift;
  seek_from_ray(m, &found);
  return found;
}

/* ---- acceptance ---- */

static double reference(const mcp *m) {
  double largest = m->merit_count == 0 ? m->merit : 0;
  for (int32_t k = 0; k < m->merit_count && k < m->memory; k++)
    if (m->merits[k] > largest) largest = m->merits[k];
  return largest;
}

/* The iterate is one to return to. */
static void set_mark(mcp *m) {
  for (int32_t k = m->memory - 1; k > 0; k--) m->merits[k] = m->merits[k - 1];
  m->merits[0] = m->merit;
  m->merit_count++;
  m->mark_merit = m->merit;
  memcpy(m->mark, m->z, (size_t)m->n * sizeof *m->mark);
  m->provisional = 0;
}

/* Try next and keep it if its merit is at most level. */
static int try_below(mcp *m, double level) {
  int code = perp_mcp_try(m);
  if (code == MCP_DONE && !(m->next_merit <= level)) code = MCP_REFUSED;
  if (code == MCP_DONE) code = perp_mcp_accept(m);
  return code;
}

static int try_newton(mcp *m) {
  const double level = (1 - m->o.decrease) * reference(m);
  memcpy(m->next, m->newton, (size_t)m->n * sizeof *m->next);
  if (m->o.mode != PERP_MCP_PATH) return try_below(m, DBL_MAX);
  int code = try_below(m, level);
  if (code == MCP_DONE) {
    set_mark(m);
    m->gradient_steps = 0;
  }
  if (code != MCP_REFUSED || m->provisional >= m->watchdog) return code;
  memcpy(m->next, m->newton, (size_t)m->n * sizeof *m->next);
  code = try_below(m, LEASH * reference(m));
  if (code == MCP_DONE) m->provisional++;
  return code;
}

/* Back to the mark; the descent is asked for from there on. */
static int return_to_mark(mcp *m) {
  memcpy(m->next, m->mark, (size_t)m->n * sizeof *m->next);
  m->provisional = 0;
  const int code = perp_mcp_try(m);
  return code == MCP_DONE ? perp_mcp_accept(m) : code;
}

/* ---- searches ---- */

/* next := the point of the path, or of the straight line, at t. */
static int point_at(mcp *m, const way *w, double t) {
  if (!w->straight) return follow(m, w->shift, t) == BOX_SOLVED;
  for (int32_t i = 0; i < m->n; i++) m->next[i] = m->z[i] + (1 - t) * (m->newton[i] - m->z[i]);
  return 1;
}

static int path_search(mcp *m, const way *w) {
  double a = w->complete ? 1 : 1.8 * (1 - w->least);
  if (!w->complete && !(w->least < WAY)) return MCP_REFUSED;
  for (int k = 0; k < HALVINGS; k++) {
    a /= 2;
    if (!point_at(m, w, 1 - a)) return MCP_REFUSED;
    const int code = try_below(m, (1 - m->o.decrease * a) * reference(m));
    if (code == MCP_DONE) set_mark(m);
    if (code != MCP_REFUSED) return code;
  }
  return MCP_REFUSED;
}

/* z(α) = P(z − α C g), kept if ½ merit² falls by a part of gᵀ(z − z(α)) / C. */
static int gradient_step(mcp *m) {
  double *g = m->newton, size = 0;
  perp_mcp_gradient(m, g);
  for (int32_t i = 0; i < m->n; i++) size += g[i] * g[i];
  if (!(size > 0 && size <= DBL_MAX)) return MCP_REFUSED;
  /* at first twice as far as to the zero of the linear model of ½ merit² */
  double a = 2 * m->merit * m->merit / size;
  for (int k = 0; k < GRADIENT_HALVINGS; k++) {
    double fall = 0;
    a /= 2;
    for (int32_t i = 0; i < m->n; i++) m->next[i] = m->z[i] - a * m->C[i] * g[i];
    perp_mcp_clip(m, m->next);
    for (int32_t i = 0; i < m->n; i++) fall += g[i] * (m->z[i] - m->next[i]) / m->C[i];
    const double level = m->merit * m->merit - 2 * m->o.decrease * fall;
    if (!(fall > 0 && level > 0)) continue;
    const int code = try_below(m, sqrt(level));
    if (code == MCP_DONE) set_mark(m);
    if (code != MCP_REFUSED) return code;
  }
  return MCP_REFUSED;
}

int perp_mcp_step(mcp *m) {
  if (m->merit_count == 0) set_mark(m);
  way w = seek(m);
  int code = w.complete ? try_newton(m) : MCP_REFUSED;
  if (code != MCP_REFUSED || m->o.mode != PERP_MCP_PATH) return code;
  if (m->provisional > 0) {
    code = return_to_mark(m);
    if (code != MCP_DONE) return code;
    w = seek(m);
  }
  code = path_search(m, &w);
  if (code != MCP_REFUSED) {
    m->gradient_steps = 0;
    return code;
  }
  return m->gradient_steps++ < GRADIENT_STEPS ? gradient_step(m) : MCP_REFUSED;
}
