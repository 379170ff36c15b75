/* SPDX-License-Identifier: MIT */
/* What the solver knows of F, and how it moves.
 *
 * Two measures of a point z. Merit, continuous in z: ‖ψ‖₂ with Fischer and Burmeister's function of
 * each interval, in units z / C and F / R; 0 where l = u. Judgement: the residual of the
 * linearisation, by the code that judges every solver.
 *
 * Crash: guess which bounds are active before the first path. With
 *   A = {i: z_i = l_i and F_i >= 0, or z_i = u_i and F_i <= 0},   I the others,
 * the step solves J_II d_I = −F_I and is projected,  z(α) = P(z + α d), α = 1, ½, ¼, ...  until the
 * merit falls. It ends as soon as A stays as it is, since from there on the path does better.
 *
 * One major iteration from z. With y the part of F(z) that the bounds admit (0 between them, its
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
 * Optimization Methods and Software 5 (1995) 123-156, and in: Complementarity and Variational
 * Problems, SIAM 1997, 40-61; Ferris and Munson, Computational Optimization and Applications 12
 * (1999) 207-227. */
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"
#include "solver/mcp.h"
#include "solver/mode.h"

/* How much more than the tolerance a row may be off by its own measure. */
#define ROWS 1e3

/* σ in equilibrated units: the first one tried, its growth, how often; t that counts as way made.
 */
#define SHIFT_FIRST  1e-8
#define SHIFT_GROWTH 100
#define WAY          0.999
enum { SHIFTS = 4, GRADIENT_STEPS = 12 };
enum { HALVINGS = 20, GRADIENT_HALVINGS = 40, CRASH_HALVINGS = 8 };

/* Where J_II is singular: how much larger than at the start, or than 1, a solution may be. */
#define FAR 1e3

/* A watchdog point may be worse by this factor, no more. */
#define LEASH 100

/* --- callbacks -----------------------------------------------------------------------------------
 */

static int evaluate(mcp *m, const double *z, double *F) {
  const int32_t code = m->problem->function(z, F, m->problem->user);
  m->asked = "function", m->answered = code;
  if (code < 0) return MCP_GIVE_UP;
  m->not_finite = code == 0 && !all_finite((size_t)m->n, F);
  return code > 0 || m->not_finite ? MCP_REFUSED : MCP_DONE;
}

/* Step of a difference in direction j: towards the farther bound if the interval is narrow. */
static double step_of(const mcp *m, int32_t j) {
  const double z = m->z[j], l = m->problem->lower[j], u = m->problem->upper[j];
  const double size = fabs(z) > 1 ? fabs(z) : 1, h = 0x1p-26 * size;
  if (z + h <= u) return h;
  if (z - h >= l) return -h;
  return u - z >= z - l ? u - z : l - z;
}

/* Parts of that step to try, as long as F cannot be evaluated there: also on the other side, and
 * closer. */
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
    code = evaluate(m, m->probe, m->probe_F);
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
  if (m->J.kind == PERP_BLOCKS) return all_finite((size_t)m->J.start[m->n], m->entries);
  for (size_t j = 0; j < (size_t)m->n; j++)
    if (!all_finite((size_t)m->n, m->entries + (size_t)m->J.ld * j)) return 0;
  return 1;
}

static int differentiate(mcp *m) {
  int code = MCP_DONE;
  if (m->problem->jacobian == NULL) {
    code = differences(m);
  } else {
    const int32_t answer = m->problem->jacobian(m->z, m->entries, m->problem->user);
    m->asked = "jacobian", m->answered = answer;
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

/* --- merit ---------------------------------------------------------------------------------------
 */

/* Nothing where l = u. */
static fischer_slope component(const mcp *m, int32_t i, double z, double F) {
  const fischer_slope none = {0, 0, 0};
  const double C = m->C[i], l = m->problem->lower[i], u = m->problem->upper[i];
  return l < u ? fischer_interval(z / C, F / m->R[i], l / C, u / C) : none;
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
  double *weight = m->probe;
  for (int32_t i = 0; i < m->n; i++) {
    const fischer_slope psi = component(m, i, m->z[i], m->F[i]);
    weight[i] = psi.value * psi.b / m->R[i];
    g[i] = psi.value * psi.a / m->C[i];
  }
  perp_matrix_transpose_multiply_add(&m->J, 1, weight, g, NULL);
  for (int32_t i = 0; i < m->n; i++) g[i] *= m->C[i];
}

/* --- judgement -----------------------------------------------------------------------------------
 */

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
    const double l = m->problem->lower[i], u = m->problem->upper[i];
    const double r = interval_residual(m->z[i], l, u, m->R[i] / m->C[i], m->F[i]);
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

/* --- moving --------------------------------------------------------------------------------------
 */

static double size_of(const mcp *m) {
  double size = 0;
  for (int32_t i = 0; i < m->n; i++)
    if (fabs(m->z[i]) / m->C[i] > size) size = fabs(m->z[i]) / m->C[i];
  return size;
}

int perp_mcp_begin(mcp *m) {
  const size_t bytes = (size_t)m->n * sizeof(double);
  clip_all(m->n, m->z, m->problem->lower, m->problem->upper);
  int code = evaluate(m, m->z, m->F);
  if (code == MCP_DONE) code = differentiate(m);
  if (code != MCP_DONE) return code;
  perp_box_factor_load(&m->path.f, &m->J, 0);
  memcpy(m->R, m->path.f.R, bytes);
  memcpy(m->C, m->path.f.C, bytes);
  m->merit = perp_mcp_merit(m, m->z, m->F);
  m->begin_size = size_of(m);
  if (!(m->begin_size >= 1)) m->begin_size = 1;
  return MCP_DONE;
}

static void exchange(mcp *m) {
  double *z = m->z, *F = m->F;
  m->z = m->next;
  m->F = m->next_F;
  m->next = z;
  m->next_F = F;
}

/* Make next the iterate, J included, if its merit is at most level; if F or J is refused there
 * everything stays as it was. */
static int try_below(mcp *m, double level) {
  clip_all(m->n, m->next, m->problem->lower, m->problem->upper);
  if (!all_finite((size_t)m->n, m->next)) return MCP_REFUSED;
  int code = evaluate(m, m->next, m->next_F);
  if (code != MCP_DONE) return code;
  const double merit = perp_mcp_merit(m, m->next, m->next_F);
  if (!(merit <= level && merit <= DBL_MAX)) return MCP_REFUSED;
  exchange(m);
  code = differentiate(m);
  if (code == MCP_DONE) {
    m->merit = merit;
    return code;
  }
  exchange(m);
  if (code == MCP_GIVE_UP) return code;
  return differentiate(m) == MCP_DONE ? MCP_REFUSED : MCP_GIVE_UP;
}

/* --- a Newton step -------------------------------------------------------------------------------
 */

/* The bound at which z_i stands, as a mode. */
static unsigned char place_of(const mcp *m, int32_t i) {
  if (m->z[i] <= m->problem->lower[i]) return PERP_MODE_LOWER;
  return m->z[i] >= m->problem->upper[i] ? PERP_MODE_UPPER : PERP_MODE_FREE;
}

/* Whether F_i holds it there. */
static int holds(const mcp *m, int32_t i, unsigned char place) {
  if (place == PERP_MODE_LOWER)
    return m->F[i] >= 0 || !(m->problem->lower[i] < m->problem->upper[i]);
  return place == PERP_MODE_UPPER && m->F[i] <= 0;
}

/* modes := FREE on I. Whether that has changed. */
static int guess(mcp *m) {
  int changed = 0;
  for (int32_t i = 0; i < m->n; i++) {
    const unsigned char place = place_of(m, i), mode = holds(m, i, place) ? place : PERP_MODE_FREE;
    changed |= mode != m->modes[i];
    m->modes[i] = mode;
  }
  return changed;
}

/* newton := Newton step from the iterate that leaves all components but those of the modes FREE; 0
 * if there is none. */
static int newton_step(mcp *m) {
  m->run.price += (double)m->n * m->n * m->n / 3;
  if (!perp_box_basis_factor(&m->path, &m->J, 0, m->modes)) return 0;
  memset(m->newton, 0, (size_t)m->n * sizeof *m->newton);
  perp_box_basis_correct(&m->path, m->F, m->newton);
  return 1;
}

int perp_mcp_stays(mcp *m) {
  double step = 0;
  for (int32_t i = 0; i < m->n; i++) m->modes[i] = place_of(m, i);
  if (!newton_step(m)) return size_of(m) <= FAR * m->begin_size;
  for (int32_t i = 0; i < m->n; i++) {
    const double d = fabs(m->newton[i]) / m->C[i];
    if (!(d <= step)) step = d;
  }
  return step <= 0.1 * size_of(m);
}

/* --- paths ---------------------------------------------------------------------------------------
 */

/* How the Newton point was found: along the path, on a straight line, the path up to t_least, not.
 */
typedef struct way {
  int complete; /* newton holds the Newton point        */
  int straight; /* and there is no path to it           */
  double least; /* least t the path came to             */
  double shift;
} way;

static void linearise(mcp *m, double shift) {
  for (int32_t i = 0; i < m->n; i++) {
    m->modes[i] = place_of(m, i);
    m->from[i] = holds(m, i, m->modes[i]) ? 0 : m->F[i];
  }
  m->data.shift = shift;
  m->data.center = shift > 0 ? m->z : NULL;
}

/* Follow the path of the linearisation to t; next := its end. -1: there is none. */
static int follow(mcp *m, double shift, double t, int from_ray) {
  box_path *p = &m->path;
  const double n = m->n;
  linearise(m, shift);
  p->pivots = 0;
  p->limit = m->o.max_pivots;
  m->run.price += n * n * n / 3;
  if (!perp_box_path_open(p, &m->data, from_ray ? NULL : m->modes, NULL, from_ray ? NULL : m->from))
    return -1;
  if (p->missing > 0 && !from_ray) return -1;
  p->stop = t;
  const int end = perp_box_path_follow(p);
  m->run.price += n * n * p->pivots;
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
  clip_all(m->n, m->next, m->problem->lower, m->problem->upper);
  memcpy(m->newton, m->next, (size_t)m->n * sizeof *m->newton);
  w->complete = 1;
}

/* Newton point of the linearisation from a ray. */
static void seek_from_ray(mcp *m, way *w) {
  if (follow(m, w->shift, 0, 1) != BOX_SOLVED) return;
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
    const int end = follow(m, w.shift, 0, 0);
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

/* --- acceptance ----------------------------------------------------------------------------------
 */

/* The largest of the last merits. */
static double reference(const mcp *m) { return merits_largest(&m->merits, m->memory); }

/* The iterate is one to return to. */
static void set_mark(mcp *m) {
  merits_remember(&m->merits, m->memory, m->merit);
  memcpy(m->mark, m->z, (size_t)m->n * sizeof *m->mark);
  m->provisional = 0;
}

/* try_below(), and a point to return to. */
static int keep_below(mcp *m, double level) {
  const int code = try_below(m, level);
  if (code == MCP_DONE) set_mark(m);
  return code;
}

static int try_newton(mcp *m) {
  const double level = (1 - m->o.decrease) * reference(m);
  memcpy(m->next, m->newton, (size_t)m->n * sizeof *m->next);
  if (m->o.mode != PERP_MCP_PATH) return try_below(m, DBL_MAX);
  int code = keep_below(m, level);
  if (code == MCP_DONE) m->gradient_steps = 0;
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
  return try_below(m, DBL_MAX);
}

/* --- before the first path -----------------------------------------------------------------------
 */

int perp_mcp_crash(mcp *m) {
  memset(m->modes, PERP_MODE_UNKNOWN, (size_t)m->n);
  for (int32_t k = 0; k < m->o.crash; k++) {
    if (!guess(m) || !newton_step(m)) return MCP_DONE;
    int code = MCP_REFUSED;
    double a = 2;
    for (int halving = 0; halving < CRASH_HALVINGS && code == MCP_REFUSED; halving++) {
      a /= 2;
      for (int32_t i = 0; i < m->n; i++) m->next[i] = m->z[i] + a * m->newton[i];
      code = try_below(m, (1 - m->o.decrease * a) * m->merit);
    }
    if (code != MCP_DONE) return code == MCP_GIVE_UP ? code : MCP_DONE;
  }
  return MCP_DONE;
}

/* --- searches ------------------------------------------------------------------------------------
 */

/* next := the point of the path, or of the straight line, at t. */
static int point_at(mcp *m, const way *w, double t) {
  if (!w->straight) return follow(m, w->shift, t, 0) == BOX_SOLVED;
  for (int32_t i = 0; i < m->n; i++) m->next[i] = m->z[i] + (1 - t) * (m->newton[i] - m->z[i]);
  return 1;
}

static int path_search(mcp *m, const way *w) {
  double a = w->complete ? 1 : 1.8 * (1 - w->least);
  if (!w->complete && !(w->least < WAY)) return MCP_REFUSED;
  for (int k = 0; k < HALVINGS; k++) {
    a /= 2;
    if (!point_at(m, w, 1 - a)) return MCP_REFUSED;
    const int code = keep_below(m, (1 - m->o.decrease * a) * reference(m));
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
    clip_all(m->n, m->next, m->problem->lower, m->problem->upper);
    for (int32_t i = 0; i < m->n; i++) fall += g[i] * (m->z[i] - m->next[i]) / m->C[i];
    const double level = m->merit * m->merit - 2 * m->o.decrease * fall;
    if (!(fall > 0 && level > 0)) continue;
    const int code = keep_below(m, sqrt(level));
    if (code != MCP_REFUSED) return code;
  }
  return MCP_REFUSED;
}

int perp_mcp_step(mcp *m) {
  if (m->merits.count == 0) set_mark(m);
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
