/* SPDX-License-Identifier: MIT */
/* Positions and velocities back on the held rows, along M⁻¹Hᵀ: the nearest in the metric of the
 * mass. Differential equations with ÿ = 0 drift off y = 0 as far as their errors go. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "events/engine.h"

enum { MAX_PASSES = 10 };

int perp_has_position(const engine *e, int32_t k) {
  const element *x = &e->elements[e->held[k].element];
  return x->holonomic && x->kind != ELEMENT_BOX && e->held[k].row == x->row;
}

static int32_t factorise(engine *e) {
  const int32_t code = perp_force_matrix(e, 0, &e->R);
  return code != 0 ? code : perp_rank_factorise(&e->R, 1e-11) != 0;
}

/* dw := M⁻¹Hᵀ R⁻¹ S_rhs */
static void direction(engine *e) {
  perp_rank_solve(&e->R, e->S_rhs);
  memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
  for (int32_t k = 0; k < e->n_held; k++)
    perp_plant_add_gain(held_home(e, k), e->held[k].row, e->S_rhs[k], e->dw);
}

/* Largest |q| that y is made of: below its rounding nothing can be put right. */
static double rounding(const engine *e, const double *Y) {
  return 4e-16 * fmax(largest_of(e->p.n_q, Y), 1e-6);
}

/* Held positions of Y at t onto 0; *drift: largest |y| before. */
static int32_t put_positions(engine *e, double t, double *Y, double *drift) {
  double last = HUGE_VAL;
  for (int32_t pass = 0; pass < MAX_PASSES; pass++) {
    double worst = 0;
    int32_t code = perp_plant_at(&e->p, t, Y);
    if (code == 0) code = factorise(e);
    if (code != 0) return code;
    for (int32_t k = 0; k < e->n_held; k++) {
      e->S_rhs[k] = perp_has_position(e, k) ? -held_home(e, k)->y[e->held[k].row] : 0;
      worst = fmax(worst, fabs(e->S_rhs[k]));
    }
    *drift = fmax(*drift, worst);
    if (worst <= rounding(e, Y) || worst > 0.5 * last) break;
    last = worst;
    direction(e);
    perp_plant_move(&e->p, e->dw, Y);
  }
  return 0;
}

/* Whether what is held is as near to 0 as can be asked for. */
static int is_near(engine *e) {
  const perp_event_options *o = &e->options;
  const double size = largest_of(e->p.n, e->p.Y);
  double worst = 0;
  for (int32_t k = 0; k < e->n_held; k++)
    if (perp_has_position(e, k)) worst = fmax(worst, fabs(held_home(e, k)->y[e->held[k].row]));
  return worst <= 1e3 * fmax(fmax(o->contact_tol, o->velocity_tol), 64 * DBL_EPSILON * size);
}

int32_t perp_correct(engine *e, double t, double *Y, double *drift) {
  int32_t code = 0;
  *drift = 0;
  if (e->n_held == 0) return 0;
  if (e->has_held_positions) code = put_positions(e, t, Y, drift);
  if (code == 0) code = perp_plant_at(&e->p, t, Y);
  if (code == 0) code = factorise(e);
  if (code == 0 && !is_near(e))
    return perp_plant_refuse(&e->p, PERP_OF_ENTRY, PERP_INFEASIBLE, "constraints", -1, -1);
  if (code != 0) return code;
  for (int32_t k = 0; k < e->n_held; k++) e->S_rhs[k] = -held_home(e, k)->ydot[e->held[k].row];
  direction(e);
  for (size_t k = 0; k < e->p.n_v; k++) Y[e->p.n_q + k] += e->dw[k];
  memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
  return 0;
}

/* Hold the positions of equalities alone, or also of contacts that touch. Returns the largest |y|
 * of the equalities. */
static double hold_positions(engine *e, int touching) {
  double worst = 0;
  e->n_held = 0;
  for (int32_t k = 0; k < e->n_elements; k++) {
    const element *x = &e->elements[k];
    const int contact = is_contact(x);
    if (!x->holonomic || (!contact && x->kind != ELEMENT_EQUALITY)) continue;
    const double y = perp_element_gap(e, x);
    if (contact && !(touching && y <= e->options.contact_tol)) continue;
    if (!contact) worst = fmax(worst, fabs(y));
    e->held[e->n_held].element = k;
    e->held[e->n_held++].row = x->row;
  }
  return worst;
}

int32_t perp_correct_equalities(engine *e) {
  double seen = 0;
  int32_t code = 0;
  for (int touching = 1; touching >= 0 && code == 0; touching--) {
    if (hold_positions(e, touching) > rounding(e, e->Y)) {
      code = put_positions(e, e->t, e->Y, &seen);
      memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
    }
  }
  perp_element_hold(e);
  return code;
}

int32_t perp_drift(engine *e, double *drift) {
  *drift = 0;
  if (e->n_held == 0) return 0;
  int32_t code = perp_plant_at(&e->p, e->t, e->Y);
  for (int32_t k = 0; k < e->n_held && code == 0; k++) {
    const int32_t row = e->held[k].row;
    code = perp_plant_need(&e->p, e->elements[e->held[k].element].interaction, PLANT_VALUES);
    if (code != 0) break;
    if (perp_has_position(e, k)) *drift = fmax(*drift, fabs(held_home(e, k)->y[row]));
    *drift = fmax(*drift, fabs(held_home(e, k)->ydot[row]));
  }
  return code < 0 ? code : 0;
}
