/* SPDX-License-Identifier: MIT */
#include "contacts/direct.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/options.h"
#include "contacts/swept_visit.h"
#include "solver/admm.h"
#include "solver/shell.h"

/* Multiply-adds and bytes of a factor that is tried. */
#define MOST_WORK  1e9
#define MOST_BYTES 1e8
/* What things cost in multiply-adds of a sweep: an iteration by contact, one multiply-add of a
 * factor, and a byte of it in an iteration. */
#define CONTACT_PRICE 700.0
#define FACTOR_PRICE  5.0
#define BYTE_PRICE    0.5
/* Contacts of stacks mostly stick, for which a small ρ is the better one. De Saxcé's term follows
 * every iterate: kept until each convex problem is solved (options.outer), a pyramid of 55 boxes
 * takes more than ten times the iterations. */
#define FIRST_RHO 1e-2
/* Iterations and factors that a solve is taken to need, and by how much more it may cost. */
enum { USUAL = 60, USUAL_FACTORS = 4, PATIENT = 3 };
/* Solves by the symmetric part of K for one by K. */
enum { PASSES = 3 };

typedef struct direct {
  admm loop; /* first, so that one is the other's address */
  swept_set *set;
  const swept_options *o;
  swept_outcome *out;
  direct_matrix K;
  double *weight; /* contacts: D²            */
  double *start;  /* n: λ at the begin        */
  double *lambda, *best;
  double *x, *f; /* 6 a body: of the last iteration; right-hand side */
  double factor_price, iteration_price, allowed;
} direct;

int perp_direct_knows(const perp_sparse *table) {
  return table != NULL && table->symmetric != 0 &&
         table->struct_size >= PERP_THROUGH(perp_sparse, room) && table->analyse != NULL &&
         table->room != NULL;
}

/* ---- memory ---- */

static int32_t unknowns(const swept_set *s) {
  int32_t n = 0;
  for (int32_t k = 0; k < s->n_contacts; k++) n += s->contacts[k].mu == 0 ? 1 : 3;
  return n;
}

static void carve(direct *d, arena *a, int32_t n, const perp_admm_options *options) {
  const size_t bodies = (size_t)d->set->n_bodies, contacts = (size_t)d->set->n_contacts;
  const perp_shape shape = {.n = n, .contacts = d->set->n_contacts};
  double **const taken[] = {&d->start, &d->lambda, &d->best, NULL};
  arena_take_doubles(a, (size_t)n, taken);
  d->weight = arena_take(a, contacts, sizeof *d->weight);
  d->x = arena_take(a, 6 * bodies, sizeof *d->x);
  d->f = arena_take(a, 6 * bodies, sizeof *d->f);
  perp_direct_matrix_carve(&d->K, a, d->set->n_bodies, d->set->n_contacts);
  d->K.weight = d->weight;
  perp_admm_carve(&d->loop, a, &shape, options);
}

static int take_room(direct *d, int32_t n, const perp_admm_options *options) {
  void *block = NULL;
  arena measure = arena_measure();
  carve(d, &measure, n, options);
  const size_t bytes = arena_bytes(&measure);
  if (bytes == 0 || bytes > (size_t)(4 * MOST_BYTES) ||
      d->set->sparse->room(&d->set->factor, bytes, &block) != PERP_OK || block == NULL)
    return 0;
  arena a = arena_open(block, bytes);
  carve(d, &a, n, options);
  return arena_fits(&a);
}

/* ---- H ---- */

static void velocity_at(const swept_contact *c, const double *v, double *u) {
  double second[3], d[3] = {0};
  swept_cross(c->normal, c->tangent, second);
  swept_add_velocity(v + 6 * (size_t)c->body[0], c->arm[0], 1, d);
  if (c->body[1] >= 0) swept_add_velocity(v + 6 * (size_t)c->body[1], c->arm[1], -1, d);
  swept_in_frame(c, second, d, u);
}

/* f += Hᵀ y of a contact. */
static void push_at(const swept_contact *c, const double *y, double *f) {
  double second[3], force[3], torque[3];
  swept_cross(c->normal, c->tangent, second);
  swept_from_frame(c, second, y, force);
  for (int side = 0; side < 2; side++) {
    if (c->body[side] < 0) continue;
    double *to = f + 6 * (size_t)c->body[side];
    swept_cross(c->arm[side], force, torque);
    for (int i = 0; i < 3; i++) {
      to[i] += side == 0 ? force[i] : -force[i];
      to[3 + i] += side == 0 ? torque[i] : -torque[i];
    }
  }
}

/* λ of the contacts from lambda, and the way back. */
static void hand_over(const direct *d, const double *lambda) {
  for (int32_t k = 0; k < d->loop.count; k++) {
    const contact *at = d->loop.contacts + k;
    double *to = d->set->contacts[k].lambda;
    for (int32_t i = 0; i < 3; i++) to[i] = i < at->size ? lambda[at->begin + i] : 0;
  }
}

static void take_over(const direct *d, double *lambda) {
  for (int32_t k = 0; k < d->loop.count; k++) {
    const contact *at = d->loop.contacts + k;
    memcpy(lambda + at->begin, d->set->contacts[k].lambda, (size_t)at->size * sizeof *lambda);
  }
}

/* ---- what the iteration asks for ---- */

static perp_status factorise(admm *loop) {
  direct *d = (direct *)loop;
  perp_direct_matrix_fill(&d->K, d->set, loop->rho);
  const perp_status status =
      d->set->sparse->factor(6 * d->K.bodies, d->K.start, d->K.index, d->K.values, &d->set->factor);
  loop->dear = 1;
  return status == PERP_EINVAL ? PERP_INACCURATE : status;
}

/* f := b − E x */
static void subtract_skew(const direct *d, const double *b, double *f) {
  for (int32_t i = 0; i < d->K.bodies; i++) {
    const double *E = d->K.skew + 36 * (size_t)i, *x = d->x + 6 * (size_t)i;
    double *to = f + 6 * (size_t)i;
    memcpy(to, b + 6 * (size_t)i, 6 * sizeof *to);
    for (size_t c = 0; c < 6; c++)
      for (size_t r = 0; r < 6; r++) to[r] -= E[6 * c + r] * x[c];
  }
}

/* x := K⁻¹ f; where K is not symmetric from the x of before on. */
static perp_status solve_for(direct *d) {
  const size_t bytes = 6 * (size_t)d->K.bodies * sizeof(double);
  const perp_sparse *table = d->set->sparse;
  double *right = d->set->load; /* of the judge, which is asked elsewhere */
  if (!d->K.is_skew) {
    memcpy(d->x, d->f, bytes);
    return table->solve(d->set->factor, d->x);
  }
  for (int pass = 0; pass < PASSES; pass++) {
    subtract_skew(d, d->f, right);
    const perp_status status = table->solve(d->set->factor, right);
    if (status != PERP_OK) return status;
    memcpy(d->x, right, bytes);
  }
  return PERP_OK;
}

static perp_status to_reaction(admm *loop) {
  direct *d = (direct *)loop;
  const size_t rows = 6 * (size_t)d->K.bodies;
  memset(d->f, 0, rows * sizeof *d->f);
  for (int32_t k = 0; k < loop->count; k++) {
    const contact *at = loop->contacts + k;
    const double *c = loop->step + at->begin, over = loop->unit[at->begin] / loop->rho;
    const double y[3] = {over * c[0], at->size > 1 ? over * c[1] : 0,
                         at->size > 1 ? over * c[2] : 0};
    push_at(&d->set->contacts[k], y, d->f);
  }
  for (size_t i = 0; d->K.any_held && i < rows; i++)
    if (d->K.held[i]) d->f[i] = 0;
  const perp_status status = solve_for(d);
  if (status != PERP_OK) return status;
  for (int32_t k = 0; k < loop->count; k++) {
    const contact *at = loop->contacts + k;
    double *c = loop->step + at->begin, u[3];
    velocity_at(&d->set->contacts[k], d->x, u);
    for (int32_t i = 0; i < at->size; i++) c[i] = (c[i] - loop->unit[at->begin] * u[i]) / loop->rho;
  }
  return PERP_OK;
}

static void velocity(admm *loop) {
  direct *d = (direct *)loop;
  hand_over(d, loop->run->lambda);
  perp_swept_apply(d->set);
  for (int32_t k = 0; k < loop->count; k++) {
    const contact *at = loop->contacts + k;
    double u[3];
    perp_swept_velocity(d->set, &d->set->contacts[k], u);
    for (int32_t i = 0; i < at->size; i++) loop->w[at->begin + i] = loop->unit[at->begin] * u[i];
  }
}

static void keep(admm *loop) { (void)perp_session_keep(loop->run, loop->run->merit); }

static int judge(admm *loop, double *relative, double *scale) {
  direct *d = (direct *)loop;
  hand_over(d, loop->run->lambda);
  perp_swept_judge(d->set, d->out);
  *scale = swept_wanted(d->o, d->out->scale);
  *relative = d->out->residual / *scale;
  return d->out->residual <= *scale;
}

/* ---- the solve ---- */

/* Contacts, and weight, unit, q and bounds of them. */
static void fill(direct *d) {
  admm *loop = &d->loop;
  for (int32_t k = 0, at = 0; k < loop->count; k++) {
    const swept_contact *c = &d->set->contacts[k];
    const int32_t size = c->mu == 0 ? 1 : 3;
    double W[9];
    swept_matrix(c->factor, W);
    const double mean = size == 1 ? W[0] : (W[0] + W[4] + W[8]) / 3;
    const double unit = mean >= DBL_MIN && mean <= DBL_MAX ? 1 / sqrt(mean) : 1;
    const contact made = {at,   size, size == 1 ? PERP_SET_ORTHANT : PERP_SET_CONE, k, c->mu, 0,
                          NULL, NULL};
    double u[3];
    loop->contacts[k] = made;
    d->weight[k] = unit * unit;
    velocity_at(c, d->set->free, u);
    for (int32_t i = 0; i < size; i++, at++) {
      loop->unit[at] = unit;
      loop->q[at] = unit * (u[i] + c->c[i]);
      loop->lower[at] = i == 0 ? 0 : -INFINITY;
      loop->upper[at] = INFINITY;
    }
  }
}

/* Whether a factor is affordable, as predicted. */
static int pays(direct *d, double affordable) {
  const swept_set *s = d->set;
  double work = INFINITY, bytes = INFINITY;
  if (!perp_direct_matrix_pattern(&d->K, s)) return 0;
  const perp_status status =
      s->sparse->analyse(6 * d->K.bodies, d->K.start, d->K.index, &d->set->factor, &work, &bytes);
  if (status != PERP_OK || !(work <= MOST_WORK) || !(bytes <= MOST_BYTES)) return 0;
  d->factor_price = FACTOR_PRICE * work;
  d->iteration_price = CONTACT_PRICE * s->n_contacts + BYTE_PRICE * bytes;
  const double price = USUAL_FACTORS * d->factor_price + USUAL * d->iteration_price;
  d->allowed = PATIENT * price;
  return price <= affordable;
}

static double spent(const direct *d, const session *run) {
  return (1 + d->loop.updates) * d->factor_price + run->iterations * d->iteration_price;
}

static perp_status iterate(direct *d, session *run) {
  if (!perp_admm_begin(&d->loop)) return PERP_INACCURATE;
  perp_status status = perp_admm_first_factor(&d->loop);
  while (status == GO_ON && spent(d, run) < d->allowed) {
    run->iterations++;
    status = perp_admm_iterate(&d->loop, run);
  }
  d->out->iterations += run->iterations;
  return status == GO_ON ? PERP_MAX_ITER : status;
}

/* The better one of start and best. */
static void fall_back(direct *d, const session *run) {
  hand_over(d, d->start);
  perp_swept_judge(d->set, d->out);
  const double residual = d->out->residual;
  if (!(run->best_merit <= DBL_MAX)) return;
  hand_over(d, d->best);
  perp_swept_judge(d->set, d->out);
  if (d->out->residual <= residual) return;
  hand_over(d, d->start);
  perp_swept_judge(d->set, d->out);
}

perp_status perp_direct_solve(swept_set *s, const swept_options *o, double affordable,
                              swept_outcome *out) {
  static const admm_form form = {factorise, to_reaction, velocity, keep, judge};
  perp_admm_options options = perp_admm_defaults;
  direct d;
  memset(&d, 0, sizeof d);
  options.rho = FIRST_RHO;
  options.tol = 1;
  d.set = s;
  d.o = o;
  d.out = out;
  const int32_t n = unknowns(s);
  if (!perp_direct_knows(s->sparse) || USUAL * CONTACT_PRICE * s->n_contacts > affordable ||
      !take_room(&d, n, &options) || !pays(&d, affordable))
    return PERP_EUNSUPPORTED;
  session run;
  memset(&run, 0, sizeof run);
  run.options = &options;
  run.common = (const perp_solver_options *)&options;
  run.n = n;
  run.max_iter = INT32_MAX;
  run.tol = 1;
  run.lambda = d.lambda;
  run.best = d.best;
  run.best_merit = INFINITY;
  fill(&d);
  memset(d.x, 0, 6 * (size_t)s->n_bodies * sizeof *d.x);
  take_over(&d, d.lambda);
  memcpy(d.start, d.lambda, (size_t)n * sizeof *d.start);
  if (!perp_direct_matrix_bodies(&d.K, s)) return PERP_EUNSUPPORTED;
  perp_admm_reset(&d.loop, &run, &form);
  const perp_status status = iterate(&d, &run);
  if (status != PERP_OK) fall_back(&d, &run);
  return status;
}
