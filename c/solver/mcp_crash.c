/* SPDX-License-Identifier: MIT */
/* Crash: guess which bounds are active before the first path. With
 *   A = {i: z_i = l_i and F_i >= 0, or z_i = u_i and F_i <= 0},   I the others,
 * the step solves J_II d_I = −F_I and is projected,  z(α) = P(z + α d), α = 1, ½, ¼, ...  until the
 * merit falls. It ends as soon as A stays as it is, since from there on the path does better.
 * Source: Dirkse and Ferris, in: Complementarity and Variational Problems, SIAM 1997, 40-61. */
#include <math.h>
#include <string.h>

#include "solver/mcp.h"

enum { HALVINGS = 8 };

/* Where J_II is singular: how much larger than at the start, or than 1, a solution may be. */
#define FAR 1e3

/* modes := FREE on I. Whether that has changed. */
static int guess(mcp *m) {
  int changed = 0;
  for (int32_t i = 0; i < m->n; i++) {
    const double z = m->z[i], l = m->problem->lower[i], u = m->problem->upper[i];
    unsigned char mode = PERP_MODE_FREE;
    if (z <= l && (m->F[i] >= 0 || !(l < u))) mode = PERP_MODE_LOWER;
    if (z >= u && l < u && m->F[i] <= 0) mode = PERP_MODE_UPPER;
    changed |= mode != m->modes[i];
    m->modes[i] = mode;
  }
  return changed;
}

int perp_mcp_newton_step(mcp *m) {
  box_factor *f = &m->path.f;
  unsigned char *chosen = m->path.chosen;
  double *v = m->path.v, *x = m->path.x;
  if (!perp_box_factor_load(f, &m->J, 0)) return 0;
  memset(box_column(f, m->n), 0, 2 * (size_t)m->n * sizeof(double));
  for (int32_t i = 0; i < m->n; i++) {
    chosen[i] = m->modes[i] == PERP_MODE_FREE;
    v[i] = chosen[i] ? m->F[i] / f->R[i] : 0;
  }
  if (perp_box_factor_eliminate(f, chosen, 0) > 0) return 0;
  perp_box_factor_forward(f, v);
  perp_box_factor_back(f, v, x);
  for (int32_t i = 0; i < m->n; i++) m->newton[i] = chosen[i] ? f->C[i] * x[i] : 0;
  return 1;
}

double perp_mcp_size(const mcp *m) {
  double size = 0;
  for (int32_t i = 0; i < m->n; i++)
    if (fabs(m->z[i]) / m->C[i] > size) size = fabs(m->z[i]) / m->C[i];
  return size;
}

int perp_mcp_stays(mcp *m) {
  double step = 0;
  for (int32_t i = 0; i < m->n; i++) {
    const int inside = m->z[i] > m->problem->lower[i] && m->z[i] < m->problem->upper[i];
    m->modes[i] = inside ? PERP_MODE_FREE : PERP_MODE_LOWER;
  }
  if (!perp_mcp_newton_step(m)) return perp_mcp_size(m) <= FAR * m->begin_size;
  for (int32_t i = 0; i < m->n; i++) {
    const double d = fabs(m->newton[i]) / m->C[i];
    if (!(d <= step)) step = d;
  }
  return step <= 0.1 * perp_mcp_size(m);
}

int perp_mcp_crash(mcp *m) {
  memset(m->modes, PERP_MODE_UNKNOWN, (size_t)m->n);
  for (int32_t k = 0; k < m->o.crash; k++) {
    if (!guess(m) || !perp_mcp_newton_step(m)) return MCP_DONE;
    double a = 2;
    int halving = 0, code = MCP_REFUSED;
    for (; halving < HALVINGS; halving++) {
      a /= 2;
      for (int32_t i = 0; i < m->n; i++) m->next[i] = m->z[i] + a * m->newton[i];
      code = perp_mcp_try(m);
      if (code == MCP_GIVE_UP) return code;
      if (code == MCP_DONE && m->next_merit <= (1 - m->o.decrease * a) * m->merit)
        code = perp_mcp_accept(m);
      else
        code = MCP_REFUSED;
      if (code != MCP_REFUSED) break;
    }
    if (code != MCP_DONE) return code == MCP_GIVE_UP ? code : MCP_DONE;
  }
  return MCP_DONE;
}
