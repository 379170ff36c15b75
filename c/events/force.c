/* SPDX-License-Identifier: MIT */
/* λ in a mode. Order 2: rows with ÿ = 0 and unknown forces,  S λ = −(H ẇ + γ),  S = H M⁻¹ Bᵀ,
 * where a contact that slips has the column of n − μ d, d the direction of its velocity; forces at
 * a bound are known. For integrators that cannot be put back on the constraints after every step,
 * ÿ + 2α ẏ + α² y = 0 takes the place of ÿ = 0: the same motion, to which what errors add returns
 * (Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972) 1-16). */
#include <math.h>
#include <string.h>

#include "events/engine.h"

enum { NEEDS = PLANT_VALUES | PLANT_GAIN | PLANT_BIAS };
static const double kDependent = 1e-11; /* a held row that others imply */

/* Direction of slip at the plant's point. */
static void slip_direction(const engine *e, const element *x, double d[2]) {
  const double *ydot = e->p.interactions[x->interaction].ydot + x->row + 1;
  d[0] = x->d[0], d[1] = x->d[1];
  if (x->size == 2) return;
  const double length = sqrt(ydot[0] * ydot[0] + ydot[1] * ydot[1]);
  if (!(ydot[0] * d[0] + ydot[1] * d[1] > e->options.velocity_tol)) return;
  d[0] = ydot[0] / length, d[1] = ydot[1] / length;
}

void perp_force_add_column(engine *e, int32_t k, double a, double *dw) {
  const held_row *at = &e->held[k];
  const element *x = &e->elements[at->element];
  const plant_interaction *in = &e->p.interactions[x->interaction];
  perp_plant_add_gain(in, at->row, a, dw);
  if (x->state != PERP_CONTACT_SLIP) return;
  double d[2];
  slip_direction(e, x, d);
  for (int32_t r = 1; r < x->size && r <= 2; r++)
    perp_plant_add_gain(in, at->row + r, -a * x->mu * d[r - 1], dw);
}

/* Set the entries of w that an interaction reaches to 0. */
static void clear_column(const engine *e, int32_t k, double *dw) {
  const plant_interaction *in = &e->p.interactions[e->elements[e->held[k].element].interaction];
  for (int32_t j = 0; j < in->n; j++) dw[in->column[j]] = 0;
}

static int32_t need_held(engine *e, unsigned what) {
  int32_t code = 0;
  for (int32_t k = 0; k < e->n_held && code == 0; k++)
    code = perp_plant_need(&e->p, e->elements[e->held[k].element].interaction, what);
  return code;
}

static double row_of(const engine *e, int32_t k, const double *x) {
  const held_row *at = &e->held[k];
  return perp_plant_row(&e->p.interactions[e->elements[at->element].interaction], at->row, x);
}

int32_t perp_force_matrix(engine *e, rank_factor *S) {
  const int32_t code = need_held(e, PLANT_VALUES | PLANT_GAIN);
  if (code != 0) return code;
  perp_element_held_parts(e, S);
  double *A = S->A;
  memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
  for (int32_t part = 0; part < S->parts; part++)
    for (int32_t c = S->first[part]; c < S->first[part + 1]; c++) {
      perp_force_add_column(e, S->order[c], 1, e->dw);
      for (int32_t r = S->first[part]; r < S->first[part + 1]; r++)
        *A++ = row_of(e, S->order[r], e->dw);
      clear_column(e, S->order[c], e->dw);
    }
  return 0;
}

int32_t perp_force_known(engine *e) {
  int32_t code = 0;
  memset(e->lambda, 0, e->p.rows * sizeof *e->lambda);
  for (int32_t k = 0; k < e->n_elements && code == 0; k++) {
    const element *x = &e->elements[k];
    if (x->kind != ELEMENT_BOX ||
        (x->state != PERP_CONTACT_LOWER && x->state != PERP_CONTACT_UPPER))
      continue;
    const plant_interaction *in = &e->p.interactions[x->interaction];
    const double force = x->state == PERP_CONTACT_LOWER ? x->lower : x->upper;
    if (force == 0) continue;
    code = perp_plant_need(&e->p, x->interaction, PLANT_VALUES | PLANT_GAIN);
    if (code != 0) break;
    e->lambda[in->row0 + (size_t)x->row] = force;
    perp_plant_add_gain(in, x->row, force, e->wdot);
  }
  return code;
}

static int32_t held_forces(engine *e) {
  const int32_t n = e->n_held;
  int32_t code = need_held(e, NEEDS);
  if (code != 0) return code;
  if (!(e->S_ready && e->S_fixed)) {
    code = perp_force_matrix(e, &e->S);
    if (code == 0 && perp_rank_factorise(&e->S, kDependent) != 0) {
      return perp_plant_refuse(&e->p, PERP_ENOTFINITE, "H", -1, 1);
    }
    if (code != 0) return code;
    e->S_ready = 1;
  }
  for (int32_t k = 0; k < n; k++) {
    const held_row *at = &e->held[k];
    const plant_interaction *in = &e->p.interactions[e->elements[at->element].interaction];
    const int holds_position = e->elements[at->element].holonomic &&
                               e->elements[at->element].kind != ELEMENT_BOX &&
                               at->row == e->elements[at->element].row;
    e->S_rhs[k] = -(row_of(e, k, e->wdot) + in->gamma[at->row]);
    if (e->damping == 0) continue;
    e->S_rhs[k] -= 2 * e->damping * in->ydot[at->row];
    if (holds_position) e->S_rhs[k] -= e->damping * e->damping * in->y[at->row];
  }
  perp_rank_solve(&e->S, e->S_rhs);
  for (int32_t k = 0; k < n; k++) {
    const held_row *at = &e->held[k];
    const element *x = &e->elements[at->element];
    double *lambda = e->lambda + e->p.interactions[x->interaction].row0 + at->row;
    lambda[0] = e->S_rhs[k];
    if (x->state == PERP_CONTACT_SLIP) {
      double d[2];
      slip_direction(e, x, d);
      for (int32_t r = 1; r < x->size && r <= 2; r++) lambda[r] = -x->mu * e->S_rhs[k] * d[r - 1];
    }
    perp_force_add_column(e, k, e->S_rhs[k], e->wdot);
  }
  return 0;
}

int32_t perp_force_mechanics(engine *e) {
  memcpy(e->wdot, e->p.free, e->p.n_w * sizeof *e->wdot);
  const int32_t code = perp_force_known(e);
  return code == 0 && e->n_held > 0 ? held_forces(e) : code;
}

int32_t perp_force(engine *e) {
  const int32_t code = perp_force_mechanics(e);
  return code == 0 && e->p.n_x > 0 ? perp_first_order_force(e) : code;
}
