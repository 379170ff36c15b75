/* SPDX-License-Identifier: MIT */
/* The rate of ẏ beside that of the velocities, γ = d/ds ẏ(t + s, q ⊕ s v, v) at s = 0, and at order
 * 1 ∂h/∂t: by the kind's operation, or by differences along that motion. */
#include "model/bias.h"

#include <math.h>
#include <string.h>

#include "model/curve.h"

/* A relation that moves, and where it is evaluated. */
typedef struct motion {
  const perp_relation *relation;
  const perp_system *const *systems;
  int32_t n_systems;
  const perp_relation_point *at;
  double *zero, *q, *d; /* λ, positions, an increment */
  perp_relation_values values;
  double *scratch;
} motion;

static uint32_t features_of(const perp_relation *relation) {
  return relation->ops->features != NULL ? relation->ops->features(relation) : 0;
}

static double *take(double **from, size_t count) {
  double *here = *from;
  if (here != NULL) *from += count;
  return here;
}

/* Places in scratch; answers how many doubles they take. NULL: measure. */
static size_t place(const perp_relation *r, size_t n_q, double *scratch, motion *to) {
  const size_t m = (size_t)r->m, n = (size_t)r->n;
  const int second = r->ops->order == 2;
  const uint32_t has = features_of(r);
  const size_t D = (has & PERP_RELATION_D) != 0 ? m * m : 0;
  const size_t K = (has & PERP_RELATION_K) != 0 ? n * n : 0;
  const size_t matrices = m * n + D + (second ? 0 : n * m + K), vectors = second ? m : n;
  double *from = scratch;
  to->zero = take(&from, m);
  to->q = take(&from, n_q);
  to->d = take(&from, n);
  to->values.y = take(&from, m);
  to->values.ydot = second ? take(&from, m) : NULL;
  to->values.r = second ? NULL : take(&from, n);
  to->values.H = take(&from, m * n);
  to->values.D = D > 0 ? take(&from, D) : NULL;
  to->values.B = second ? NULL : take(&from, n * m);
  to->values.K = !second && K > 0 ? take(&from, K) : NULL;
  to->scratch = from;
  return 2 * m + n_q + n + vectors + matrices;
}

static size_t positions_of(const perp_relation *relation, const perp_system *const *systems,
                           int32_t n_systems) {
  size_t n_q = 0;
  if (relation->ops->order == 1) return 0;
  for (int32_t i = 0; i < n_systems; i++)
    n_q += (size_t)systems[i]->n + (size_t)systems[i]->ops->extra_q;
  return n_q;
}

/* Whether γ is a matter of differences. */
static int by_differences(const perp_relation *relation) {
  const perp_relation_ops *ops = relation->ops;
  if (ops->terms != NULL) return 0;
  return ops->bias == NULL || (features_of(relation) & PERP_RELATION_NO_BIAS) != 0;
}

size_t perp_relation_bias_doubles(const perp_relation *relation, const perp_system *const *systems,
                                  int32_t n_systems) {
  const perp_relation_ops *ops = relation->ops;
  const size_t own = ops->scratch_doubles != NULL ? ops->scratch_doubles(relation) : 0;
  motion to;
  if (!by_differences(relation)) return own;
  const size_t m = (size_t)relation->m;
  return own + m + perp_curve_doubles(relation->m) +
         place(relation, positions_of(relation, systems, n_systems), NULL, &to);
}

/* q ⊕ s v of all systems. */
static void move(const motion *c, double s) {
  const double *from = c->at->q, *v = c->at->v;
  double *to = c->q;
  for (int32_t k = 0; k < c->n_systems; k++) {
    const perp_system *system = c->systems[k];
    const int32_t n = system->n;
    if (system->ops->move != NULL) {
      for (int32_t i = 0; i < n; i++) c->d[i] = s * v[i];
      system->ops->move(system, from, c->d, to);
    } else {
      for (int32_t i = 0; i < n; i++) to[i] = from[i] + s * v[i];
    }
    from += n + system->ops->extra_q;
    to += n + system->ops->extra_q;
    v += n;
  }
}

static int32_t evaluate(const motion *c, double s) {
  const perp_relation *r = c->relation;
  const size_t m = (size_t)r->m, n = (size_t)r->n;
  const perp_relation_values *v = &c->values;
  perp_relation_point there = *c->at;
  there.t += s;
  there.lambda = there.lambda_before = c->zero;
  if (r->ops->order == 2) {
    move(c, s);
    there.q = c->q;
    memset(v->ydot, 0, m * sizeof(double));
  } else {
    memset(v->r, 0, n * sizeof(double));
    memset(v->B, 0, n * m * sizeof(double));
  }
  memset(v->y, 0, m * sizeof(double));
  memset(v->H, 0, m * n * sizeof(double));
  if (v->D != NULL) memset(v->D, 0, m * m * sizeof(double));
  if (v->K != NULL) memset(v->K, 0, n * n * sizeof(double));
  return r->ops->evaluate(r, &there, v, c->scratch);
}

static int32_t rate(double s, double *out, const void *context) {
  const motion *c = (const motion *)context;
  const int32_t code = evaluate(c, s);
  const double *from = c->relation->ops->order == 2 ? c->values.ydot : c->values.y;
  memcpy(out, from, (size_t)c->relation->m * sizeof *out);
  return code;
}

/* Time in which something changes by its size: 1 at least, 1 where positions are not numbered as
 * velocities are. */
static double scale_of(const motion *c) {
  const double *q = c->at->q, *v = c->at->v;
  double scale = 1;
  if (c->relation->ops->order == 1) return scale;
  for (int32_t k = 0; k < c->n_systems; k++) {
    const perp_system *system = c->systems[k];
    const int32_t extra = system->ops->extra_q;
    scale = perp_curve_scale(system->n, extra == 0 ? q : NULL, v, NULL, scale);
    q += system->n + extra;
    v += system->n;
  }
  return scale;
}

/* terms_i := Σ_j |H_ij v_j|, what ẏ or y is a sum of. */
static void sum_sizes(const motion *c, double *terms) {
  const size_t m = (size_t)c->relation->m, n = (size_t)c->relation->n;
  memset(terms, 0, m * sizeof *terms);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < m; i++) terms[i] += fabs(c->values.H[i + m * j] * c->at->v[j]);
}

int32_t perp_relation_bias(const perp_relation *relation, const perp_system *const *systems,
                           int32_t n_systems, const perp_relation_point *at, double *gamma,
                           double *scratch) {
  const perp_relation_ops *ops = relation->ops;
  const size_t m = (size_t)relation->m;
  memset(gamma, 0, m * sizeof *gamma);
  if (ops->terms != NULL) return 0;
  if (!by_differences(relation)) return ops->bias(relation, at, gamma, scratch);
  motion c = {.relation = relation, .systems = systems, .n_systems = n_systems, .at = at};
  double *terms = scratch, *curve = terms + m;
  double *places = curve + perp_curve_doubles(relation->m);
  (void)place(relation, positions_of(relation, systems, n_systems), places, &c);
  memset(c.zero, 0, m * sizeof *c.zero);
  const int32_t code = evaluate(&c, 0);
  if (code != 0) return code;
  sum_sizes(&c, terms);
  return perp_curve_derivative(relation->m, rate, &c, CURVE_RATE, scale_of(&c), terms, gamma,
                               curve);
}
