/* SPDX-License-Identifier: MIT */
/* What the solver knows of F: values, derivatives, and two measures of a point z.
 *
 * Merit, continuous in z:  ‖ψ‖₂ with Fischer and Burmeister's function of each interval, in units
 * z / C and F / R; 0 where l = u.
 * Judgement: the residual of the linearisation, by the code that judges every solver. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"
#include "solver/mcp.h"

/* How much more than the tolerance a row may be off by its own measure. */
#define ROWS 1e3

/* ---- callbacks ---- */

int perp_mcp_evaluate(mcp *m, const double *z, double *F) {
  const int32_t code = m->problem->function(z, F, m->problem->user);
  if (code < 0) return MCP_GIVE_UP;
  m->not_finite = code == 0 && !all_finite((size_t)m->n, F);
  return code > 0 || m->not_finite ? MCP_REFUSED : MCP_DONE;
}

static size_t entry_count(const mcp *m) {
  if (m->J.kind == PERP_BLOCKS) return (size_t)m->J.start[m->n];
  return (size_t)m->J.ld * (size_t)m->n;
}

/* Step of a difference in direction j: towards the farther bound if the interval is narrow. */
static double step_of(const mcp *m, int32_t j) {
  const double z = m->z[j], l = m->problem->lower[j], u = m->problem->upper[j];
  const double size = fabs(z) > 1 ? fabs(z) : 1, h = 0x1p-26 * size;
  if (z + h <= u) return h;
  if (z - h >= l) return -h;
  return u - z >= z - l ? u - z : l - z;
}

/* The same on the other side, and closer, if F cannot be evaluated there. */
static const double attempts[] = {1, -1, 0x1p-4, -0x1p-4};

static int difference(mcp *m, int32_t j, double *column) {
  const double z = m->z[j], h = step_of(m, j);
  int code = h == 0 ? MCP_DONE : MCP_REFUSED; /* l = u: this column does not matter */
  memset(column, 0, (size_t)m->n * sizeof *column);
  for (size_t k = 0; k < sizeof attempts / sizeof *attempts && code == MCP_REFUSED; k++) {
    m->probe[j] = z + attempts[k] * h;
    const double exact = m->probe[j] - z;
    if (exact == 0 || m->probe[j] < m->problem->lower[j] || m->probe[j] > m->problem->upper[j])
      continue;
    code = perp_mcp_evaluate(m, m->probe, m->probe_F);
    for (int32_t i = 0; i < m->n && code == MCP_DONE; i++)
      column[i] = (m->probe_F[i] - m->F[i]) / exact;
    if (code == MCP_DONE && !all_finite((size_t)m->n, column)) code = MCP_REFUSED;
  }
  m->probe[j] = z;
  return code;
}

static int differences(mcp *m) {
  memcpy(m->probe, m->z, (size_t)m->n * sizeof *m->z);
  for (int32_t j = 0; j < m->n; j++) {
    const int code = difference(m, j, m->entries + (size_t)m->n * (size_t)j);
    if (code != MCP_DONE) return code;
  }
  return MCP_DONE;
}

static int entries_finite(const mcp *m) {
  if (m->J.kind == PERP_BLOCKS) return all_finite(entry_count(m), m->entries);
  for (size_t j = 0; j < (size_t)m->n; j++)
    if (!all_finite((size_t)m->n, m->entries + (size_t)m->J.ld * j)) return 0;
  return 1;
}

int perp_mcp_differentiate(mcp *m) {
  int code = MCP_DONE;
  if (m->problem->jacobian == NULL) {
    code = differences(m);
  } else {
    const int32_t answer = m->problem->jacobian(m->z, m->entries, m->problem->user);
    if (answer < 0) return MCP_GIVE_UP;
    m->not_finite = answer == 0 && !entries_finite(m);
    code = answer > 0 || m->not_finite ? MCP_REFUSED : MCP_DONE;
  }
  if (code != MCP_DONE) return code;
  memset(m->probe_F, 0, (size_t)m->n * sizeof *m->probe_F);
  perp_matrix_multiply_add(&m->J, m->z, m->probe_F);
  for (int32_t i = 0; i < m->n; i++) m->q[i] = m->F[i] - m->probe_F[i];
  return MCP_DONE;
}

void perp_mcp_scale(mcp *m) {
  const size_t bytes = (size_t)m->n * sizeof(double);
  perp_box_factor_load(&m->path.f, &m->J, 0);
  memcpy(m->R, m->path.f.R, bytes);
  memcpy(m->C, m->path.f.C, bytes);
}

void perp_mcp_clip(const mcp *m, double *x) {
  for (int32_t i = 0; i < m->n; i++) x[i] = clip(x[i], m->problem->lower[i], m->problem->upper[i]);
}

/* ---- merit ---- */

/* φ in units of the larger argument. */
static fischer_slope fischer(double a, double b) {
  const double x = fabs(a), y = fabs(b), big = x > y ? x : y;
  fischer_slope f = {0, 1 - 0.70710678118654752, 1 - 0.70710678118654752};
  if (big == 0) return f;
  const double s = a / big, t = b / big, r = sqrt(s * s + t * t);
  f.value = s + t > 0 ? 2 * s * t / (r + s + t) * big : (s + t - r) * big;
  f.a = 1 - s / r;
  f.b = 1 - t / r;
  return f;
}

/* Nothing where l = u. */
static fischer_slope component(const mcp *m, int32_t i, double z, double F) {
  const fischer_slope none = {0, 0, 0};
  const double C = m->C[i], l = m->problem->lower[i], u = m->problem->upper[i];
  return l < u ? fischer_interval(fischer, z / C, F / m->R[i], l / C, u / C) : none;
}

double perp_mcp_merit(const mcp *m, const double *z, const double *F) {
  double sum = 0;
  for (int32_t i = 0; i < m->n; i++) {
    const double psi = component(m, i, z[i], F[i]).value;
    sum += psi * psi;
  }
  return sqrt(sum);
}

/* g_j = ψ_j ∂ψ_j/∂z_j + Σ_i ψ_i ∂ψ_i/∂F_i J_ij C_j / R_i. */
void perp_mcp_gradient(const mcp *m, double *g) {
  const int32_t n = m->n;
  const perp_matrix *J = &m->J;
  memset(g, 0, (size_t)n * sizeof *g);
  for (int32_t i = 0; i < n; i++) {
    const fischer_slope psi = component(m, i, m->z[i], m->F[i]);
    const double weight = psi.value * psi.b / m->R[i];
    if (J->kind == PERP_BLOCKS)
      for (int32_t k = J->start[i]; k < J->start[i + 1]; k++)
        g[J->index[k]] += weight * m->entries[k] * m->C[J->index[k]];
    else
      for (int32_t j = 0; j < n; j++)
        g[j] += weight * m->entries[(size_t)i + (size_t)J->ld * (size_t)j] * m->C[j];
    g[i] += psi.value * psi.a;
  }
}

/* ---- judgement ---- */

/* Whether every row is solved by its own measure too: the residual is compared with the largest
 * row, and one whose terms cancel at a huge z would hide all others. */
static int rows_solved(mcp *m) {
  double *size = m->probe_F;
  for (int32_t i = 0; i < m->n; i++) {
    m->probe[i] = fabs(m->z[i]);
    size[i] = fabs(m->q[i]);
  }
  perp_matrix_absolute_multiply_add(&m->J, m->probe, size);
  for (int32_t i = 0; i < m->n; i++) {
    const double c = m->R[i] / m->C[i], F = m->F[i];
    const double low = c * (m->z[i] - m->problem->lower[i]);
    const double high = c * (m->z[i] - m->problem->upper[i]);
    const double r = F > low ? low : F < high ? high : F;
    if (!(fabs(r) <= ROWS * m->o.tol * size[i])) return 0;
  }
  return 1;
}

int perp_mcp_judge(mcp *m) {
  perp_residual_compute(&m->linear, m->z, m->probe_F, &m->judged, m->scratch);
  if (m->judged.relative < m->best_judged.relative) {
    m->best_judged = m->judged;
    memcpy(m->best, m->z, (size_t)m->n * sizeof *m->best);
    memcpy(m->best_F, m->F, (size_t)m->n * sizeof *m->best);
  }
  return perp_residual_solved(&m->judged, m->o.tol) && rows_solved(m);
}

/* ---- moving ---- */

int perp_mcp_try(mcp *m) {
  perp_mcp_clip(m, m->next);
  if (!all_finite((size_t)m->n, m->next)) return MCP_REFUSED;
  const int code = perp_mcp_evaluate(m, m->next, m->next_F);
  if (code != MCP_DONE) return code;
  m->next_merit = perp_mcp_merit(m, m->next, m->next_F);
  return m->next_merit <= DBL_MAX ? MCP_DONE : MCP_REFUSED;
}

static void exchange(mcp *m) {
  double *z = m->z, *F = m->F;
  m->z = m->next;
  m->F = m->next_F;
  m->next = z;
  m->next_F = F;
}

int perp_mcp_accept(mcp *m) {
  exchange(m);
  const int code = perp_mcp_differentiate(m);
  if (code == MCP_DONE) {
    m->merit = m->next_merit;
    return MCP_DONE;
  }
  exchange(m);
  if (code == MCP_GIVE_UP) return code;
  return perp_mcp_differentiate(m) == MCP_DONE ? MCP_REFUSED : MCP_GIVE_UP;
}
