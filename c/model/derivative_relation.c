/* SPDX-License-Identifier: MIT */
/* What a varying relation gives as a whole, compared with itself:
 *   order 1:  H = ∂y/∂x, D = ∂y/∂λ, B = ∂r/∂λ, K = ∂r/∂x;
 *   order 2:  H = ∂ẏ/∂v, D = ∂ẏ/∂λ, and where y is a position H = ∂y/∂q, ẏ(v = 0) = ∂y/∂t;
 *   γ, where the kind knows it and λ does not enter: the rate of ẏ along t + s, q ⊕ s v, or ∂y/∂t;
 * in a step of length 1, so that impulses are forces, with λ as before. */
#include <string.h>

#include "model/derivative.h"

enum { VALUE_Y, VALUE_YDOT, VALUE_R };

typedef struct relation_context {
  const perp_relation *relation;
  const derivative_values *values;
  const double *before; /* λ of the last step */
  int32_t which;
} relation_context;

static void zero(double *x, size_t n) {
  if (x != NULL) memset(x, 0, n * sizeof *x);
}

static int32_t evaluate(const relation_context *c, const derivative_point *at,
                        const perp_relation_values *out) {
  const perp_relation *r = c->relation;
  const size_t m = (size_t)r->m, n = (size_t)r->n;
  const perp_relation_point point = {at->t, 1, at->q, at->v, at->lambda, c->before, 1};
  zero(out->y, m);
  zero(out->ydot, m);
  zero(out->H, m * n);
  zero(out->D, m * m);
  zero(out->r, n);
  zero(out->B, n * m);
  zero(out->K, n * n);
  return r->ops->evaluate(r, &point, out, c->values->scratch);
}

static uint32_t features(const perp_relation *r) {
  return r->ops->features != NULL ? r->ops->features(r) : 0;
}

/* Where an evaluation writes, in the form that a step hands over. */
static perp_relation_values places(const perp_relation *r, const perp_relation_values *memory) {
  perp_relation_values v = *memory;
  if (r->ops->order == 1)
    v.ydot = NULL;
  else
    v.r = v.B = v.K = NULL;
  if ((features(r) & PERP_RELATION_D) == 0) v.D = NULL;
  if ((features(r) & PERP_RELATION_K) == 0) v.K = NULL;
  return v;
}

static int32_t relation_value(const void *context, const derivative_point *at, double *out) {
  const relation_context *c = (const relation_context *)context;
  const perp_relation_values v = places(c->relation, &c->values->beside);
  const int32_t code = evaluate(c, at, &v);
  const double *from = c->which == VALUE_Y ? v.y : c->which == VALUE_YDOT ? v.ydot : v.r;
  const int32_t rows = c->which == VALUE_R ? c->relation->n : c->relation->m;
  memcpy(out, from, (size_t)rows * sizeof *out);
  return code;
}

/* The comparisons of one relation. */
typedef struct comparison {
  const derivative_site *site;
  const derivative_memory *memory;
  relation_context context;
  double tol;
  int32_t index;
  perp_derivative_report *report;
} comparison;

/* A value as a function of something, its Jacobian being what the evaluation at the site says. */
static int32_t compare(comparison *c, const char *name, int32_t which, int32_t by, const double *J,
                       int32_t every, int32_t zeros) {
  const int32_t m = c->site->m, n = c->site->n;
  c->context.which = which;
  const derivative_task task = {
      .name = name,
      .f = relation_value,
      .context = &c->context,
      .J = J,
      .rows = which == VALUE_R ? n : m,
      .columns = by >= DERIVATIVE_BY_TIME ? 1 : (by == DERIVATIVE_BY_LAMBDA ? m : n),
      .by = by,
      .coarse = 1,
      .every = every,
      .zeros = zeros,
      .still = by == DERIVATIVE_BY_TIME && c->site->order == 2}; /* a drive: its ẏ is measured from
                                                                    a given rate */
  return perp_derivative_compare(&task, c->site, c->memory, c->tol, PERP_FOUND_RELATION, c->index,
                                 c->report);
}

static int32_t compare_first(comparison *c, const perp_relation_values *at) {
  int32_t code = compare(c, "evaluate: H", VALUE_Y, DERIVATIVE_BY_V, at->H, 1, 0);
  if (code == 0) code = compare(c, "evaluate: D", VALUE_Y, DERIVATIVE_BY_LAMBDA, at->D, 1, 0);
  if (code == 0) code = compare(c, "evaluate: K", VALUE_R, DERIVATIVE_BY_V, at->K, 1, 0);
  if (code == 0) code = compare(c, "evaluate: B", VALUE_R, DERIVATIVE_BY_LAMBDA, at->B, 1, 0);
  return code;
}

static int32_t compare_second(comparison *c, const perp_relation_values *at, const perp_law *law) {
  const int32_t unilateral = law->ops->unilateral != 0, every = unilateral ? law->size : 1;
  const derivative_values *values = c->context.values;
  int32_t code = compare(c, "evaluate: H", VALUE_YDOT, DERIVATIVE_BY_V, at->H, 1, 0);
  if (code == 0) code = compare(c, "evaluate: D", VALUE_YDOT, DERIVATIVE_BY_LAMBDA, at->D, 1, 0);
  if (code != 0 || (features(c->context.relation) & PERP_RELATION_HOLONOMIC) == 0) return code;
  code = compare(c, "evaluate: H of y", VALUE_Y, DERIVATIVE_BY_Q, at->H, every, !unilateral);
  if (code != 0) return code;
  zero(values->rest, (size_t)c->site->n);
  const derivative_point rest = {c->site->t, c->site->q, values->rest, c->site->lambda};
  const perp_relation_values here = places(c->context.relation, &values->here);
  code = evaluate(&c->context, &rest, &here);
  return code != 0 ? code
                   : compare(c, "evaluate: ydot at rest", VALUE_Y, DERIVATIVE_BY_TIME, at->ydot,
                             every, !unilateral);
}

static int32_t compare_bias(comparison *c) {
  const perp_relation *r = c->context.relation;
  const derivative_values *values = c->context.values;
  const derivative_site *site = c->site;
  const perp_relation_point point = {site->t, 1, site->q, site->v, site->lambda, site->lambda, 1};
  const int first = site->order == 1;
  if (r->ops->bias == NULL || (features(r) & (PERP_RELATION_D | PERP_RELATION_NO_BIAS)) != 0)
    return 0;
  zero(values->gamma, (size_t)r->m);
  const int32_t code = r->ops->bias(r, &point, values->gamma, values->scratch);
  return code != 0
             ? code
             : compare(c, "bias", first ? VALUE_Y : VALUE_YDOT,
                       first ? DERIVATIVE_BY_TIME : DERIVATIVE_BY_MOTION, values->gamma, 1, 0);
}

int32_t perp_derivative_relation(const perp_interaction *inter, const derivative_values *values,
                                 const derivative_site *site, const derivative_memory *memory,
                                 double tol, int32_t index, perp_derivative_report *report) {
  const perp_relation *r = inter->relation;
  comparison c = {site, memory, {r, values, site->lambda, VALUE_Y}, tol, index, report};
  const derivative_point at = {site->t, site->q, site->v, site->lambda};
  const perp_relation_values here = places(r, &values->here);
  /* what is not handed over is said to be 0 */
  zero(values->here.D, (size_t)r->m * (size_t)r->m);
  zero(values->here.K, (size_t)r->n * (size_t)r->n);
  const int32_t wrong = report->wrong;
  int32_t code = evaluate(&c.context, &at, &here);
  if (code == 0)
    code = site->order == 1 ? compare_first(&c, &values->here)
                            : compare_second(&c, &values->here, inter->law);
  if (code != 0 || report->wrong > wrong) return code; /* γ rests on the others */
  return compare_bias(&c);
}
