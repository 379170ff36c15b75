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
  const element *x = &e->elements[e->held[k].element];
  const plant_interaction *at = held_home(e, k);
  double d[2];
  perp_plant_add_gain(at, e->held[k].row, a, dw);
  if (x->state != PERP_CONTACT_SLIP) return;
  slip_direction(e, x, d);
  for (int32_t r = 1; r < x->size && r <= 2; r++)
    perp_plant_add_gain(at, e->held[k].row + r, -a * x->mu * d[r - 1], dw);
}

static int32_t need_held(engine *e, unsigned what) {
  int32_t code = 0;
  for (int32_t k = 0; k < e->n_held && code == 0; k++)
    code = perp_plant_need(&e->p, e->elements[e->held[k].element].interaction, what);
  return code;
}

int32_t perp_force_matrix(engine *e, int slips, rank_factor *S) {
  const int32_t code = need_held(e, PLANT_VALUES | PLANT_GAIN);
  if (code != 0) return code;
  perp_element_held_parts(e, S);
  double *A = S->A;
  memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
  for (int32_t part = 0; part < S->parts; part++)
    for (int32_t c = S->first[part]; c < S->first[part + 1]; c++) {
      const int32_t held = S->order[c];
      if (slips)
        perp_force_add_column(e, held, 1, e->dw);
      else
        perp_plant_add_gain(held_home(e, held), e->held[held].row, 1, e->dw);
      for (int32_t r = S->first[part]; r < S->first[part + 1]; r++)
        *A++ = perp_plant_row(held_home(e, S->order[r]), e->held[S->order[r]].row, e->dw);
      perp_plant_clear(held_home(e, held), e->dw);
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
    code = perp_force_matrix(e, 1, &e->S);
    if (code == 0 && perp_rank_factorise(&e->S, kDependent) != 0)
      return perp_plant_refuse(&e->p, PERP_OF_ENTRY, PERP_ENOTFINITE, "H", -1, 1);
    if (code != 0) return code;
    e->S_ready = 1;
  }
  for (int32_t k = 0; k < n; k++) {
    const plant_interaction *at = held_home(e, k);
    const int32_t row = e->held[k].row;
    e->S_rhs[k] = -(perp_plant_row(at, row, e->wdot) + at->gamma[row]);
    if (e->damping == 0) continue;
    e->S_rhs[k] -= 2 * e->damping * at->ydot[row];
    if (perp_has_position(e, k)) e->S_rhs[k] -= e->damping * e->damping * at->y[row];
  }
  perp_rank_solve(&e->S, e->S_rhs);
  for (int32_t k = 0; k < n; k++) {
    const element *x = &e->elements[e->held[k].element];
    double *lambda = e->lambda + held_home(e, k)->row0 + e->held[k].row;
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
