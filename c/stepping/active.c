/* SPDX-License-Identifier: MIT */
/* Which units act in a step, and the matrix of their one-step problems:
 *   active where y_k + γ h ẏ_k ≤ gap_tol (gated laws), always otherwise; what pushed in the last
 * step stays active where it is open by rounding only; islands: connected components of the active
 * units that share systems; M is the part of the matrix of all units (delassus.c) that belongs to
 * an island. Everything but the prediction is done only when the active units change. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/forest.h"
#include "stepping/flat.h"
#include "stepping/stages.h"

/* -------------------------------------------------------------------------- predict ---- */

/* Rows that are copies of size one. A long run is first looked over in stretches, so that open
 * gaps cost next to nothing. */
static int32_t *predict_rows(const double *y, const double *ydot, double gamma_h, double tol,
                             int32_t count, int32_t unit, int32_t *out) {
  int32_t k = 0;
#if !defined(__OPTIMIZE_SIZE__)
  enum { STRETCH = 16 };
  for (; k + STRETCH <= count; k += STRETCH) {
    int32_t any = 0;
    for (int32_t i = k; i < k + STRETCH; i++) any |= flat_closes(y[i], ydot[i], gamma_h, tol);
    if (!any) continue;
    for (int32_t i = k; i < k + STRETCH; i++) {
      *out = unit + i; /* no branch, there is room for all */
      out += flat_closes(y[i], ydot[i], gamma_h, tol);
    }
  }
#endif
  for (; k < count; k++)
    if (flat_closes(y[k], ydot[k], gamma_h, tol)) *out++ = unit + k;
  return out;
}

double perp_contact_gap(const interaction_run *run, int32_t unit, const double *q) {
  if (run->live && run->relation->ops->terms == NULL)
    return run->at.y[(size_t)unit * (size_t)run->size];
  int32_t r = unit % run->copies * run->size;
  size_t k = (size_t)(unit / run->copies);
  const term *t = run->H + run->H_start[r * run->n_slots];
  const term *end = run->H + run->H_start[(r + 1) * run->n_slots];
  double y = run->offset[r];
  if (q != NULL)
    for (; t < end; t++) y += t->value * q[t->q + k * run->slots[t->slot].step];
  return y;
}

/* Whether the gap of a relation yields to its multiplier: what still pushes goes on, since its gap
 * is 0 but for rounding, and a step without it would forget the force it has reached. D of a
 * constant relation is one of velocities, and its gap is read as that of any other. */
static int yields(const interaction_run *run) {
  return run->relation->ops->terms == NULL && run->order == 2 && run->D != NULL;
}

/* Gap of a unit, counted within its run, with the z as it is, which may differ from the one y was
 * stored with. */
static double gap_of(const perp_simulation *sim, const interaction_run *run, int32_t u) {
  return run->F != NULL ? perp_contact_gap(run, u, sim->state.q)
                        : sim->state.y[run->row0 + (size_t)u * (size_t)run->size];
}

/* Whether a unit acts: its gap closes, or it may act across an open one, of a law that says so or
 * of a compliant relation. */
static int may_act(const perp_simulation *sim, const interaction_run *run, int32_t u,
                   double gamma_h) {
  const perp_law *law = run->law;
  const size_t row = run->row0 + (size_t)u * (size_t)run->size;
  const unsigned char *state = sim->state.laws + run->state0 + run->state_bytes * (size_t)u;
  return flat_closes(gap_of(sim, run, u), sim->state.ydot[row], gamma_h, sim->options.gap_tol) ||
         (yields(run) && sim->state.lambda[row] != 0) ||
         (law->ops->acts != NULL && law->ops->acts(law, run->state_bytes > 0 ? state : NULL));
}

static int32_t *predict_run(const perp_simulation *sim, const interaction_run *run, double gamma_h,
                            int32_t *out) {
  const double *y = sim->state.y + run->row0, *ydot = sim->state.ydot + run->row0;
  const int plain =
      run->gated && run->size == 1 && run->F == NULL && run->law->ops->acts == NULL && !yields(run);
  if (plain)
    return predict_rows(y, ydot, gamma_h, sim->options.gap_tol, run->units, run->unit0, out);
  for (int32_t u = 0; u < run->units; u++)
    if (!run->gated || may_act(sim, run, u, gamma_h)) *out++ = run->unit0 + u;
  return out;
}

/* Leave the units of systems that are off. */
static int32_t *leave_resting(const perp_simulation *sim, int32_t *end) {
  int32_t *out = sim->active.acting, r = 0;
  for (const int32_t *unit = sim->active.acting; unit < end; unit++) {
    const interaction_run *run = &sim->runs.interactions[r];
    while (*unit >= run->unit0 + run->units) run = &sim->runs.interactions[++r];
    if (!layout_rests(sim, run, (*unit - run->unit0) / run->copies)) *out++ = *unit;
  }
  return out;
}

/* Size of the terms that the gap of a unit is made of: of its positions by H where that is known,
 * otherwise as they are. */
static double gap_size(const perp_simulation *sim, const interaction_run *run, int32_t u) {
  const size_t k = (size_t)(u / run->copies);
  const int32_t r = u % run->copies * run->size;
  double size = run->live ? 0 : fabs(run->offset[r]);
  if (!run->live) {
    const term *t = run->H + run->H_start[r * run->n_slots];
    const term *end = run->H + run->H_start[(r + 1) * run->n_slots];
    for (; t < end; t++) size += fabs(t->value * sim->state.q[t->q + k * run->slots[t->slot].step]);
    return size;
  }
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    const double *q = sim->state.q + at->q0 + k * at->step_q;
    for (int32_t i = 0; i < at->run->n_q; i++) size += fabs(q[i]);
  }
  return size;
}

/* Whether a unit that pushed in the last step is open by no more than the rounding of its gap, as a
 * contact at rest may be in any step. */
static int open_by_rounding(const perp_simulation *sim, const interaction_run *run, int32_t u,
                            double gamma_h) {
  const size_t row = run->row0 + (size_t)u * (size_t)run->size;
  if (!run->gated || !(sim->state.lambda[row] > 0)) return 0;
  const double gap = gap_of(sim, run, u) + gamma_h * sim->state.ydot[row],
               tol = sim->options.gap_tol;
  return gap - tol <= 8 * DBL_EPSILON * gap_size(sim, run, u) &&
         !layout_rests(sim, run, u / run->copies);
}

/* Let units that acted before, but would be left for the rounding of their gap, act on. */
static int32_t *hold(perp_simulation *sim, int32_t *end, double gamma_h) {
  const int32_t *at = sim->active.acting;
  for (int32_t b = 0; b < sim->active.n_acted; b++) {
    const int32_t unit = sim->active.acted[b];
    if (active_among(&at, end, unit)) continue;
    const interaction_run *run = perp_layout_run_of(sim, unit, 1);
    if (!open_by_rounding(sim, run, unit - run->unit0, gamma_h)) continue;
    int32_t *place = sim->active.acting + (at++ - sim->active.acting);
    memmove(place + 1, place, (size_t)(end++ - place) * sizeof *place);
    *place = unit;
  }
  return end;
}

/* Whether the units listed up to end are not those before. */
static int differ(const perp_simulation *sim, const int32_t *end) {
  const int32_t count = (int32_t)(end - sim->active.acting);
  int32_t any = 0;
  if (count != sim->active.n_acted) return 1;
  for (int32_t u = 0; u < count; u++) any |= sim->active.acting[u] ^ sim->active.acted[u];
  return any != 0;
}

int perp_contact_predict(perp_simulation *sim, double h) {
  const double gamma_h = sim->options.gamma * h;
  if (!sim->runs.have_gates && sim->active.assembled && !sim->live) return 0; /* all act, always */
  int32_t *out = sim->active.acting;
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++)
    out = predict_run(sim, &sim->runs.interactions[r], gamma_h, out);
  if (sim->state.n_off > 0) out = leave_resting(sim, out);
  int changed = differ(sim, out);
  if (changed && sim->runs.have_gates) {
    out = hold(sim, out, gamma_h);
    changed = differ(sim, out);
  }
  sim->active.n = (int32_t)(out - sim->active.acting);
  assert(sim->active.n <= sim->runs.units);
  return changed;
}

void perp_contact_recall(perp_simulation *sim) {
  int32_t count = 0;
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    for (int32_t u = 0; u < run->units; u++) {
      size_t row = run->row0 + (size_t)u * (size_t)run->size;
      int set = 0;
      for (size_t i = row; i < row + (size_t)run->size; i++)
        set |= sim->state.lambda[i] != 0 || sim->state.modes[i] != PERP_MODE_UNKNOWN;
      if (set) sim->active.acted[count++] = run->unit0 + u;
    }
  }
  sim->active.n_acted = count;
}

/* -------------------------------------------------------------------------- islands ---- */

/* units and their places, from the numbers of those acting, where they are not those listed.
 * Returns how many still are. */
static int32_t list_units(perp_simulation *sim) {
  const int32_t n = sim->active.n, listed = sim->active.n_listed, *acting = sim->active.acting;
  const interaction_run *run = sim->runs.interactions;
  active_unit *units = sim->active.units;
  int32_t first = 0;
  while (first < n && first < listed && units[first].unit == acting[first]) first++;
  for (int32_t u = first; u < listed; u++) sim->active.place[units[u].unit] = -1;
  for (int32_t i = first; i < n; i++) {
    const int32_t unit = acting[i];
    while (unit >= run->unit0 + run->units) run++;
    active_unit *a = &units[i];
    a->unit = unit;
    a->run = (int32_t)(run - sim->runs.interactions);
    a->k = unit - run->unit0;
    a->copy = 0;
    if (run->copies > 1) {
      a->copy = a->k % run->copies;
      a->k /= run->copies;
    }
    sim->active.place[unit] = i;
  }
  sim->active.n_listed = n;
  return first;
}

/* Unite the active units that are coupled, each island under its first. */
static void connect(perp_simulation *sim) {
  for (int32_t i = 0; i < sim->active.n; i++) {
    int32_t unit = sim->active.units[i].unit;
    sim->active.parent[i] = i;
    for (int32_t b = sim->whole.start[unit]; b < sim->whole.start[unit + 1]; b++) {
      int32_t p = sim->active.place[sim->whole.index[b]];
      if (p >= 0 && p < i) (void)forest_join(sim->active.parent, p, i);
    }
  }
}

/* Reorder active so that islands are contiguous, in the order of their first unit; parent then
 * holds the root's old place at each new place, the same for all of an island. */
static void sort_islands(perp_simulation *sim) {
  int32_t *place = sim->problem.start; /* where the next unit of a root's island goes */
  int32_t *root = sim->problem.start + sim->active.n;
  connect(sim);
  for (int32_t i = 0; i < sim->active.n; i++) place[i] = 0;
  for (int32_t i = 0; i < sim->active.n; i++) place[forest_root(sim->active.parent, i)]++;
  for (int32_t i = 0, first = 0; i < sim->active.n; i++) {
    int32_t count = place[i];
    place[i] = first;
    first += count;
  }
  for (int32_t i = 0; i < sim->active.n; i++) {
    active_unit *a = &sim->active.units[i];
    int32_t r = forest_root(sim->active.parent, i), p = place[r]++;
    sim->active.place[a->unit] = p;
    sim->active.unsorted[p] = *a;
    root[p] = r;
  }
  memcpy(sim->active.parent, root, (size_t)sim->active.n * sizeof *root);
  active_unit *sorted = sim->active.unsorted;
  sim->active.unsorted = sim->active.units;
  sim->active.units = sorted;
}

/* ------------------------------------------------------------------------- assembly ---- */

/* Where the next unit goes. */
typedef struct cursor {
  int32_t *index;
  double *value;
  int32_t row, law;
} cursor;

/* Append the row of active unit u to M: what couples it to active units, columns counted from the
 * unit origin. own: its block on the diagonal, NULL if it has none. Returns the first of these
 * units. */
static inline int32_t extract_row(const perp_simulation *sim, int32_t u, int32_t origin,
                                  int32_t height, const int32_t *width, cursor *to,
                                  const double **own) {
  const int32_t unit = sim->active.units[u].unit, *place = sim->active.place;
  const int32_t begin = sim->whole.start[unit],
                *end = sim->whole.index + sim->whole.start[unit + 1];
  const double *value = sim->whole.value + (width != NULL ? sim->whole.entry[unit] : (size_t)begin);
  int32_t lowest = u;
  *own = NULL;
  for (const int32_t *column = sim->whole.index + begin; column < end; column++) {
    const int32_t p = place[*column];
    const size_t entries = width != NULL ? (size_t)(height * width[*column]) : 1;
    if (p >= 0) {
      if (p < lowest) lowest = p;
      if (p == u) *own = value;
      *to->index++ = p - origin;
      if (entries == 1) /* without the price of a loop */
        *to->value = *value;
      else
        memcpy(to->value, value, entries * sizeof *value);
      to->value += entries;
    }
    value += entries;
  }
  return lowest;
}

/* 2^-floor(e/2) for d = 2^e m, 1 <= m < 2; 1 where d is not positive and normal. */
static double weight_of(double d) {
  const uint64_t bits = bits_of(d);
  const int32_t biased = (int32_t)(bits >> 52); /* the sign is its bit 11 */
  if (biased <= 0 || biased >= 0x7ff) return 1;
  return double_of((uint64_t)(1535 - (biased + 1) / 2) << 52);
}

/* Weights of the rows of a mechanical unit, whose residuals may have different units: the power of
 * two next to 1/sqrt(W_ii) by its block of W (NULL: 0), so that weighing rounds nothing. A contact
 * with friction has one weight for its normal and its tangents, whose units are the same, and
 * rolling one for its moments. */
static inline void weigh(perp_simulation *sim, island *at, const interaction_run *run, int32_t size,
                         const double *own) {
  const int32_t set = run->law->ops->set, half = (size - 1) / 2;
  double *first = sim->problem.weight + at->row, *weight = first + at->rows;
  if (run->order == 1) return;
  for (int32_t i = 0; i < size; i++) {
    int32_t of = set <= PERP_SET_BOX ? i : 0;
    if (set == PERP_SET_ROLLING && i > half) of = half + 1;
    weight[i] = own == NULL ? 1 : weight_of(own[of * (size + 1)]);
    at->weighted |= weight[i] != *first;
  }
}

/* Law block of the unit that is about to join the island; neighbours with one law and no state
 * share one. */
static inline void list_law(perp_simulation *sim, island *at, const interaction_run *run,
                            const active_unit *a) {
  const perp_law **laws = sim->problem.laws + at->law;
  if (at->laws > 0 && laws[at->laws - 1] == run->law && run->state_bytes == 0) return;
  laws[at->laws] = run->law;
  sim->problem.law_offset[at->law + (at - sim->active.islands) + at->laws] = at->rows;
  if (sim->problem.states != NULL)
    sim->problem.states[at->law + at->laws] =
        sim->state.laws + run->state0 + run->state_bytes * (size_t)(a->k * run->copies + a->copy);
  at->laws++;
}

static island *open_island(perp_simulation *sim, int32_t first, const cursor *from, int32_t law) {
  const island fresh = {.first = first,
                        .row = from->row,
                        .law = law,
                        .block = (size_t)(from->index - sim->problem.index),
                        .entry = (size_t)(from->value - sim->problem.value)};
  sim->active.islands[sim->active.n_islands] = fresh;
  return &sim->active.islands[sim->active.n_islands++];
}

/* Write the last start, cut and law offset of an island whose blocks end before index. Returns the
 * law blocks up to there. */
static int32_t close_island(perp_simulation *sim, const island *at, const int32_t *index) {
  const int32_t i = (int32_t)(at - sim->active.islands), end = at->first + at->count + i;
  sim->problem.start[end] = (int32_t)(index - (sim->problem.index + at->block));
  if (sim->problem.cut != NULL) sim->problem.cut[end] = at->rows;
  sim->problem.law_offset[at->law + i + at->laws] = at->rows;
  return at->law + at->laws;
}

/* M, laws and weights of all islands but the first kept ones in one pass over active. Not yet
 * sorted, a unit that is coupled to none before it begins an island; returns 0 if some unit joins
 * islands, or belongs to one that another has followed. width, cut: NULL where all units are of one
 * row. */
static inline int extract_all(perp_simulation *sim, int sorted, int32_t kept, const int32_t *width,
                              int32_t *cut) {
  cursor to = {sim->problem.index, sim->problem.value, 0, 0};
  island *at = NULL;
  const double *last = NULL; /* own block of the unit before */
  int32_t u = 0;
  if (kept > 0) {
    at = &sim->active.islands[kept - 1];
    u = at[1].first;
    to.index += at[1].block;
    to.value += at[1].entry;
    to.row = at[1].row;
  }
  sim->active.n_islands = kept;
  for (; u < sim->active.n; u++) {
    const active_unit *a = &sim->active.units[u];
    const interaction_run *run = &sim->runs.interactions[a->run];
    const int32_t size = width != NULL ? run->size : 1, origin = at != NULL ? at->first : 0;
    const cursor from = to;
    const double *own;
    const int32_t lowest = extract_row(sim, u, origin, size, width, &to, &own);
    if (lowest < origin) return 0;
    if (at == NULL || (sorted ? sim->active.parent[u] != sim->active.parent[u - 1] : lowest == u)) {
      if (at != NULL) to.law = close_island(sim, at, from.index);
      at = open_island(sim, u, &from, to.law);
      for (int32_t *b = from.index; b < to.index; b++) *b -= u - origin;
    }
    const int32_t i = u + sim->active.n_islands - 1;
    sim->problem.start[i] = (int32_t)(from.index - sim->problem.index) - (int32_t)at->block;
    if (cut != NULL) cut[i] = at->rows;
    if (at->rows == 0 || a->run != a[-1].run || run->state_bytes > 0) list_law(sim, at, run, a);
    if (size == 1 && at->rows > 0 && own != NULL && last != NULL && *own == *last)
      sim->problem.weight[to.row] = sim->problem.weight[to.row - 1];
    else
      weigh(sim, at, run, size, own);
    last = own;
    const int32_t first = cut != NULL ? cut[lowest + i - u] : lowest - at->first;
    at->envelope += (size_t)size * (size_t)(at->rows - first + size);
    at->count++;
    at->rows += size;
    to.row += size;
  }
  if (at != NULL) (void)close_island(sim, at, to.index);
  assert((size_t)to.row <= sim->state.rows);
  sim->problem.rows = to.row;
  return 1;
}

static int extract(perp_simulation *sim, int sorted, int32_t kept) {
#if !defined(__OPTIMIZE_SIZE__)
  if (sim->whole.width == NULL) return extract_all(sim, sorted, kept, NULL, NULL);
#endif
  return extract_all(sim, sorted, kept, sim->whole.width, sim->problem.cut);
}

/* How many islands stay where the units from first on are new: the one before may grow. */
static int32_t kept_islands(const perp_simulation *sim, int32_t first) {
  int32_t i = sim->active.n_islands - 1;
  while (i > 0 && sim->active.islands[i].first >= first) i--;
  return first > 0 ? i : 0;
}

/* The rows of the model that a segment is, and their λ as the start of the solver. */
static void list_rows(perp_simulation *sim, const segment *at) {
  const interaction_run *run = &sim->runs.interactions[at->run];
  const size_t id = layout_unit_row(run, at->k, at->copy);
  const double *lambda = (sim->live ? sim->iterate.lambda : sim->state.lambda) + id;
  int32_t *row_id = sim->problem.row_id + at->row;
  const size_t rows = (size_t)at->count * (size_t)run->size;
  FLAT_EACH(rows, row_id[j] = (int32_t)(id + j));
  memcpy(sim->problem.lambda + at->row, lambda, rows * sizeof *lambda);
}

/* Units that follow one another in a run of one row, or in one interaction, and their rows. */
static void list_segments(perp_simulation *sim) {
  sim->active.n_segments = 0;
  if (sim->active.n == 0) return; /* the arrays may be NULL */
  const active_unit *a = sim->active.units, *end = a + sim->active.n;
  segment *at = sim->active.segments;
  for (int32_t row = 0; a < end; at++) {
    const active_unit *first = a++;
    const interaction_run *run = &sim->runs.interactions[first->run];
    const int along = run->m == 1;
    while (a < end && a->unit == a[-1].unit + 1 && a->run == first->run &&
           (along || a->k == first->k))
      a++;
    const segment whole = {first->run, first->k, first->copy, (int32_t)(a - first), row};
    *at = whole;
    list_rows(sim, at);
    row += at->count * run->size;
  }
  sim->active.n_segments = (int32_t)(at - sim->active.segments);
}

/* Hand out the warm bytes to the islands that go to the solver, as far as they go. */
static void share_warm(perp_simulation *sim) {
  const perp_solver *solver = sim->options.solver;
  size_t used = 0;
  sim->active.single = 1;
  for (int32_t i = 0; i < sim->active.n_islands; i++) {
    island *at = &sim->active.islands[i];
    if (at->count == 1 && sim->runs.interactions[sim->active.units[at->first].run].local) continue;
    sim->active.single = 0;
    if (sim->problem.warm_bytes == 0) continue;
    perp_shape shape = {at->rows, at->laws, sim->problem.sets, PERP_BLOCKS, 0, at->envelope,
                        0,        0,        at->rows,          at->rows};
    shape.nonzeros = (size_t)at->rows * (size_t)at->rows;
    size_t bytes = (solver->warm_bytes(&shape) + 7) / 8 * 8;
    if (bytes > sim->problem.warm_bytes - used) bytes = 0;
    at->warm = used;
    at->warm_bytes = bytes;
    used += bytes;
  }
}

void perp_contact_assemble(perp_simulation *sim) {
  if (!extract(sim, 0, kept_islands(sim, list_units(sim)))) {
    sort_islands(sim);
    (void)extract(sim, 1, 0);
  }
  list_segments(sim);
  share_warm(sim);
  if (++sim->problem.stamp == 0) sim->problem.stamp = 1;
  sim->active.assembled = ASSEMBLED;
  sim->active.fresh = 1;
}
