/* SPDX-License-Identifier: MIT */
/* Systems of order 1 in a mode, M ẋ = f + r(t, x, λ), y = h(t, x, λ). The held rows give as many
 * equations for their λ: y = 0 where that depends on λ; combinations of rows where it does not are
 * differentiated, up to twice, until λ shows (the structure algorithm; relative degrees 0, 1, 2):
 *   level 0: u·y = 0,   level 1: u·(H ẋ + γ) = 0,   level 2: u·d/dt(H ẋ + γ) = 0. */
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "events/engine.h"
#include "model/curve.h"

enum { NEEDS = PLANT_VALUES | PLANT_GAIN | PLANT_BIAS, MAX_ITERATIONS = 20 };
static const double kDependent = 1e-9; /* a combination that λ does not enter */

static plant_interaction *home(engine *e, int32_t k) {
  return &e->p.interactions[e->elements[e->first.element[k]].interaction];
}

static int32_t row_at(const engine *e, int32_t k) { return e->elements[e->first.element[k]].row; }

/* λ of held row k. */
static double *lambda_at(engine *e, int32_t k) {
  return &e->lambda[home(e, k)->row0 + (size_t)row_at(e, k)];
}

/* -------------------------------------------------------------------- reactions ---- */

/* λ of an interaction from the states of its elements; of held ones as they are. */
static void set_known(engine *e) {
  for (int32_t k = 0; k < e->n_elements; k++) {
    const element *x = &e->elements[k];
    if (x->kind != ELEMENT_OUTPUT) continue;
    double *lambda = e->lambda + e->p.interactions[x->interaction].row0 + x->row;
    if (x->state == PERP_CONTACT_LOWER) *lambda = x->lower;
    if (x->state == PERP_CONTACT_UPPER) *lambda = x->upper;
    if (x->state == PERP_CONTACT_BETWEEN)
      *lambda = e->p.interactions[x->interaction].lambda[x->row];
  }
}

int32_t perp_first_order_lambda(engine *e, unsigned what) {
  int32_t code = 0;
  for (int32_t i = 0; i < e->p.n_interactions && code == 0; i++) {
    if (e->p.interactions[i].order != 1) continue;
    perp_plant_set_lambda(&e->p, i, e->lambda + e->p.interactions[i].row0);
    code = perp_plant_need(&e->p, i, what);
  }
  return code;
}

int32_t perp_first_order_free(engine *e, int without, double *wdot) {
  const size_t n_v = e->p.n_v;
  memset(e->dw + n_v, 0, e->p.n_x * sizeof *e->dw);
  for (int32_t i = 0; i < e->p.n_interactions; i++) {
    const plant_interaction *at = &e->p.interactions[i];
    for (int32_t j = 0; at->order == 1 && j < at->n; j++) {
      double r = at->r[j];
      for (int32_t c = 0; without && c < at->m; c++) r -= at->B[j + at->n * c] * at->lambda[c];
      e->dw[at->column[j]] += r;
    }
  }
  for (int32_t i = 0; i < e->p.n_systems; i++) {
    const plant_system *s = &e->p.systems[i];
    if (s->order == 1 && perp_plant_solve_mass(&e->p, i, e->dw + s->w0) != PERP_OK) return -1;
  }
  for (size_t k = n_v; k < e->p.n_w; k++) wdot[k] = e->p.free[k] + e->dw[k];
  memset(e->dw + n_v, 0, e->p.n_x * sizeof *e->dw);
  return 0;
}

static int32_t rates(engine *e, double *wdot) { return perp_first_order_free(e, 0, wdot); }

/* ---------------------------------------------------------------------- equations ---- */

/* Entry of combination k for column c of the unknowns, at a level; dw holds G of column c, dw2 what
 * A makes of it. */
static double entry(engine *e, int32_t k, int32_t level, int32_t c) {
  const int32_t n = e->first.n;
  double sum = 0;
  for (int32_t j = 0; j < n; j++) {
    const double u = e->first.U[k + n * j];
    const plant_interaction *at = home(e, j);
    if (u == 0) continue;
    if (level > 0)
      sum += u * perp_plant_row(at, row_at(e, j), level == 1 ? e->dw : e->dw2);
    else if (at == home(e, c))
      sum += u * at->D[row_at(e, j) + at->m * row_at(e, c)];
  }
  return sum;
}

/* The columns' effects one by one: S (n x n) := entries at the levels of the combinations. */
static int32_t fill(engine *e, double *S) {
  const int32_t n = e->first.n;
  int32_t second = 0, code = 0;
  for (int32_t k = 0; k < n; k++) second = second || e->first.level[k] == 2;
  for (int32_t c = 0; c < n && code == 0; c++) {
    memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
    perp_plant_add_gain(home(e, c), row_at(e, c), 1, e->dw);
    if (second) code = perp_plant_apply_A(&e->p, e->dw, e->dw2);
    for (int32_t k = 0; k < n && code == 0; k++) S[k + n * c] = entry(e, k, e->first.level[k], c);
  }
  memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
  return code;
}

/* Rates H ẋ + γ of the held rows a time s later along the motion, λ as it is; of constant models
 * at x as it is, the rest being H A ẋ. */
static int32_t rates_along(double s, double *out, const void *context) {
  engine *e = *(engine *const *)context;
  plant *p = &e->p;
  const double t = e->first.t + s;
  const double move = e->first.moves ? s : 0;
  if (t < e->smooth_since || t >= p->limit) return 1; /* not this smooth motion any more */
  memcpy(e->trial, e->first.Y, p->n * sizeof *e->trial);
  for (size_t j = p->n_v; j < p->n_w; j++) e->trial[p->n_q + j] += move * e->wdot[j];
  int32_t code = perp_plant_at(p, t, e->trial);
  if (code == 0) code = perp_first_order_lambda(e, NEEDS);
  if (code == 0) code = rates(e, e->dw3);
  for (int32_t k = 0; k < e->first.n && code == 0; k++)
    out[k] = perp_plant_row(home(e, k), row_at(e, k), e->dw3) + home(e, k)->gamma[row_at(e, k)];
  return code;
}

/* Whether systems or relations vary, and whether anything depends on time. */
static void what_varies(engine *e, int32_t *moves, int32_t *timed) {
  *moves = *timed = 0;
  for (int32_t i = 0; i < e->p.n_systems; i++) {
    const plant_system *s = &e->p.systems[i];
    *moves = *moves || (s->order == 1 && s->varying);
    *timed = *timed || (s->order == 1 && s->terms.force != NULL);
  }
  for (int32_t i = 0; i < e->p.n_interactions; i++)
    *moves = *moves || (e->p.interactions[i].order == 1 && e->p.interactions[i].varying);
}

/* In what time the motion may change by its size, within what is smooth; terms (n) := of what the
 * rates of the held rows are sums. */
static double time_scale(const engine *e, double *terms) {
  const plant *p = &e->p;
  double longest = fmin(1, p->limit - e->smooth_since);
  for (size_t j = p->n_v; j < p->n_w; j++)
    if (fabs(e->wdot[j]) * longest > fmax(fabs(p->w[j]), 1))
      longest = fmax(fabs(p->w[j]), 1) / fabs(e->wdot[j]);
  for (int32_t k = 0; k < e->first.n; k++) {
    const element *x = &e->elements[e->first.element[k]];
    const plant_interaction *at = &p->interactions[x->interaction];
    terms[k] = fabs(at->gamma[x->row]);
    for (int32_t j = 0; j < at->n; j++)
      terms[k] += fabs(at->H[x->row + at->m * j] * e->wdot[at->column[j]]);
  }
  return longest;
}

/* ÿ of the held rows without what λ̇ adds, into first.yddot: H A ẋ where all is constant, else by
 * differences of H ẋ + γ along the motion. The plant is at its point again. */
static int32_t second_rates(engine *e) {
  plant *p = &e->p;
  const int32_t n = e->first.n;
  double *terms = e->first.scratch;
  int32_t code = 0, timed;
  what_varies(e, &e->first.moves, &timed);
  memset(e->first.yddot, 0, (size_t)n * sizeof(double));
  if (e->first.moves || timed) {
    const double scale = time_scale(e, terms);
    e->first.t = p->t;
    memcpy(e->first.Y, p->Y, p->n * sizeof *p->Y);
    code = perp_curve_derivative(n, rates_along, &e, CURVE_RATE, scale, terms, e->first.yddot,
                                 terms + n);
    if (code == 0) code = perp_plant_at(p, e->first.t, e->first.Y);
    if (code == 0) code = perp_first_order_lambda(e, NEEDS);
  }
  if (code != 0 || e->first.moves) return code;
  code = perp_plant_apply_A(p, e->wdot, e->dw2);
  for (int32_t k = 0; k < n && code == 0; k++)
    e->first.yddot[k] += perp_plant_row(home(e, k), row_at(e, k), e->dw2);
  return code;
}

/* What combination k lacks of 0 at its level, ÿ from second_rates(). */
static double defect(engine *e, int32_t k, int32_t level) {
  const int32_t n = e->first.n;
  double sum = 0;
  for (int32_t j = 0; j < n; j++) {
    const double u = e->first.U[k + n * j];
    const plant_interaction *at = home(e, j);
    const int32_t row = row_at(e, j);
    if (u == 0) continue;
    if (level == 0) sum += u * at->y[row];
    if (level == 1) sum += u * (perp_plant_row(at, row, e->wdot) + at->gamma[row]);
    if (level == 2) sum += u * e->first.yddot[j];
  }
  return sum;
}

static int32_t factorise(engine *e) {
  perp_rank_whole(&e->S1, e->first.n);
  const int32_t code = fill(e, e->S1.A);
  if (code != 0) return code;
  e->S1_ready = 1;
  return perp_rank_factorise(&e->S1, kDependent) == 0 ? 0 : 1;
}

int32_t perp_first_order_rates(engine *e, const double *held, double *wdot) {
  set_known(e);
  for (int32_t k = 0; k < e->first.n; k++) *lambda_at(e, k) = held[k];
  const int32_t code = perp_first_order_lambda(e, PLANT_VALUES);
  return code == 0 ? rates(e, wdot) : code;
}

/* Whether λ is found: where changes shrink no more they are rounding. Differences leave a little of
 * it open. */
static int32_t has_settled(const engine *e, int32_t second, int32_t pass, double change,
                           double last, double size) {
  if (!(size < HUGE_VAL)) return 0;
  if (change <= 1e-14 * size || (change <= 1e-8 * size && change >= 0.5 * last)) return 1;
  if (!second) return 0;
  const double tiny = 1e-9 * fmax(e->force_scale, 1);
  return change <= 1e-10 * size || (pass >= 3 && change <= fmax(1e-6 * size, tiny));
}

/* Newton's iteration on λ of the held outputs, from where e->lambda is. */
static int32_t iterate(engine *e, int32_t linear, int32_t second) {
  const int32_t n = e->first.n;
  double last = HUGE_VAL;
  for (int32_t pass = 0; pass < MAX_ITERATIONS; pass++) {
    int32_t code = perp_first_order_lambda(e, n > 0 ? (unsigned)NEEDS : (unsigned)PLANT_VALUES);
    if (code == 0) code = rates(e, e->wdot);
    if (code != 0 || n == 0) return code;
    if (second) code = second_rates(e);
    for (int32_t k = 0; k < n && code == 0; k++) e->S1_rhs[k] = -defect(e, k, e->first.level[k]);
    if (code == 0 && !(e->S1_ready && e->S1_fixed)) code = factorise(e);
    if (code != 0) return code;
    double missing = 0, change = 0, size = 0;
    for (int32_t k = 0; k < n; k++) missing = fmax(missing, fabs(e->S1_rhs[k]));
    if (e->S1.rank == 0 && missing > 0) break; /* λ has gone where it has no effect */
    perp_rank_solve(&e->S1, e->S1_rhs);
    for (int32_t k = 0; k < n; k++) {
      double *lambda = lambda_at(e, k);
      *lambda += e->S1_rhs[k];
      change = fmax(change, fabs(e->S1_rhs[k]));
      size = fmax(size, fabs(*lambda));
    }
    if (linear || has_settled(e, second, pass, change, last, size)) {
      code = perp_first_order_lambda(e, PLANT_VALUES);
      return code == 0 ? rates(e, e->wdot) : code;
    }
    last = change;
  }
  return perp_plant_refuse(&e->p, PERP_OF_ENTRY, PERP_MAX_ITER, "lambda", -1, 1);
}

int perp_first_order_is_linear(const engine *e) {
  for (int32_t i = 0; i < e->p.n_interactions; i++)
    if (e->p.interactions[i].order == 1 && !e->p.interactions[i].linear) return 0;
  return 1;
}

int32_t perp_first_order_force(engine *e) {
  const int32_t n = e->first.n, linear = perp_first_order_is_linear(e);
  int32_t second = 0;
  for (int32_t k = 0; k < n; k++) second = second || e->first.level[k] == 2;
  set_known(e);
  const int32_t code = iterate(e, linear, second);
  if (code <= 0 || linear || n == 0) return code;
  /* λ of before may be that of a step that went too far */
  for (int32_t k = 0; k < n; k++) *lambda_at(e, k) = 0;
  const int32_t again = iterate(e, linear, second);
  if (again == 0) return 0;
  for (int32_t k = 0; k < n; k++) *lambda_at(e, k) = 0;
  (void)perp_first_order_lambda(e, 0);
  return again;
}

/* ---------------------------------------------------------------------- structure ---- */

/* Eliminate among the combinations of a level; those that λ enters no more go to the next level.
 * Returns how many. */
static int32_t eliminate(engine *e, int32_t level, double *S, unsigned char *done) {
  const int32_t n = e->first.n;
  int32_t left = 0;
  double scale = 0;
  for (int32_t k = 0; k < n; k++)
    for (int32_t c = 0; c < n; c++)
      if (e->first.level[k] == level && !done[k]) scale = fmax(scale, fabs(S[k + n * c]));
  for (;;) {
    int32_t row = -1, column = -1;
    double largest = kDependent * scale;
    for (int32_t k = 0; k < n; k++)
      for (int32_t c = 0; c < n; c++)
        if (e->first.level[k] == level && !done[k] && fabs(S[k + n * c]) > largest) {
          largest = fabs(S[k + n * c]);
          row = k, column = c;
        }
    if (row < 0) break;
    done[row] = 1;
    for (int32_t k = 0; k < n; k++) {
      if (e->first.level[k] != level || done[k]) continue;
      const double a = S[k + n * column] / S[row + n * column];
      for (int32_t c = 0; c < n; c++) {
        S[k + n * c] -= a * S[row + n * c];
        e->first.U[k + n * c] -= a * e->first.U[row + n * c];
      }
    }
  }
  for (int32_t k = 0; k < n; k++)
    if (e->first.level[k] == level && !done[k]) e->first.level[k]++, left++;
  return left;
}

perp_status perp_first_order_hold(engine *e, perp_info *info) {
  int32_t n = 0;
  e->S1_ready = 0;
  e->S1_fixed = 1;
  for (int32_t k = 0; k < e->n_elements; k++) {
    element *x = &e->elements[k];
    const plant_interaction *at = &e->p.interactions[x->interaction];
    if (x->kind != ELEMENT_OUTPUT) continue;
    x->held = x->state == PERP_CONTACT_BETWEEN ? n : -1;
    if (x->held < 0) continue;
    e->first.element[n++] = k;
    if (!at->fixed) e->S1_fixed = 0;
  }
  e->first.n = n;
  if (n == 0) return PERP_OK;
  memset(e->first.U, 0, (size_t)n * (size_t)n * sizeof *e->first.U);
  memset(e->first.level, 0, (size_t)n * sizeof *e->first.level);
  unsigned char *done = e->first.done;
  memset(done, 0, (size_t)n);
  for (int32_t k = 0; k < n; k++) e->first.U[k + n * k] = 1;
  set_known(e);
  int32_t code = perp_first_order_lambda(e, NEEDS), left = n;
  for (int32_t level = 0; level <= 2 && left > 0 && code == 0; level++) {
    code = fill(e, e->S1.A);
    if (code == 0) left = eliminate(e, level, e->S1.A, done);
  }
  if (code != 0) return perp_engine_plant_fail(e, info);
  for (int32_t k = 0; k < n; k++) {
    if (e->first.level[k] <= 2) continue;
    e->first.level[k] = 2; /* an equation that others imply, or a degree beyond 2 */
  }
  return PERP_OK;
}

/* --------------------------------------------------------------------- correction ---- */

int32_t perp_first_order_correct(engine *e) {
  const int32_t n = e->first.n;
  int32_t code = 0;
  if (n == 0) return 0;
  for (int32_t pass = 0; pass < 2 && code == 0; pass++) { /* y of level 2, then y and ẏ */
    int32_t any = 0;
    code = perp_plant_at(&e->p, e->t, e->Y);
    if (code == 0) code = perp_first_order_force(e);
    if (code == 0 && !e->S1_ready) code = factorise(e);
    if (code != 0) return code;
    for (int32_t k = 0; k < n; k++) {
      const int32_t level = e->first.level[k];
      if (pass == 0) e->S1_rhs[k] = level == 2 ? -defect(e, k, 0) : 0;
      if (pass == 1) e->S1_rhs[k] = level == 0 ? 0 : -defect(e, k, level - 1);
      any = any || e->S1_rhs[k] != 0;
    }
    if (!any) continue;
    perp_rank_solve(&e->S1, e->S1_rhs);
    memset(e->dw3, 0, e->p.n_w * sizeof *e->dw3);
    for (int32_t k = 0; k < n; k++)
      perp_plant_add_gain(home(e, k), row_at(e, k), e->S1_rhs[k], e->dw3);
    if (pass == 0) {
      code = perp_plant_apply_A(&e->p, e->dw3, e->dw2);
      for (size_t j = e->p.n_v; j < e->p.n_w && code == 0; j++) e->Y[e->p.n_q + j] += e->dw2[j];
    } else {
      for (size_t j = e->p.n_v; j < e->p.n_w; j++) e->Y[e->p.n_q + j] += e->dw3[j];
    }
  }
  return code;
}

int32_t perp_first_order_drift(engine *e, double *drift) {
  int differentiated = 0;
  *drift = 0;
  for (int32_t k = 0; k < e->first.n; k++) differentiated = differentiated || e->first.level[k] > 0;
  if (!differentiated) return 0;
  int32_t code = perp_plant_at(&e->p, e->t, e->Y);
  if (code == 0) code = perp_first_order_force(e);
  for (int32_t k = 0; k < e->first.n && code == 0; k++)
    if (e->first.level[k] > 0) *drift = fmax(*drift, fabs(defect(e, k, 0)));
  return code < 0 ? code : 0;
}
