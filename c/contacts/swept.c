/* SPDX-License-Identifier: MIT */
/* Sweeps. A visit costs some 150 multiply-adds and 256 bytes of the contact; bodies are mostly near
 * in memory to those visited before. A contact mostly sticks: λ − B u is tried first, B = W_αα⁻¹;
 * where it leaves the cone, the direction of sliding is found by Newton's method. W_αα is only a
 * means here: u is that of the bodies, so at a fixed point (u, λ) is in the law for any W_αα. */
#include "contacts/swept.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contacts/direct.h"
#include "contacts/swept_body.h"
#include "problem/one_contact.h"

/* Multiply-adds that one visit may spend on a case without a usual answer. */
#define DOUBTFUL 2e4

/* Multiply-adds of one visit, usually. */
#define SWEEP_WORK 150.0

/* The change of a sweep that was looked at in vain, and the next one, relative to what is asked. */
#define EAGER 0.8

/* The larger one; NaN stays. */
static inline double worse(double worst, double x) {
  return !(x <= worst) && worst == worst ? x : worst;
}

/* ---- W of each contact ---- */

/* The column of H W⁻¹ Hᵀ for a force along d, in the fixed frame. */
static void add_column(const swept_set *s, const swept_contact *c, const double *d, double *w) {
  for (int side = 0; side < 2; side++) {
    if (c->body[side] < 0) continue;
    double torque[3], v[6] = {0};
    swept_cross(c->arm[side], d, torque);
    swept_push(s, c->body[side], d, torque, v);
    swept_add_velocity(v, c->arm[side], 1, w);
  }
}

/* The inverse of a symmetric matrix; 0 where too few digits of it would be right. */
static int invert(const double *W, double *B) {
  const double c0 = W[3] * W[5] - W[4] * W[4], c1 = W[4] * W[2] - W[1] * W[5],
               c2 = W[1] * W[4] - W[3] * W[2];
  const double det = W[0] * c0 + W[1] * c1 + W[2] * c2, size = W[0] * W[3] * W[5];
  if (!(det > 1e-6 * size && size > 1e-250 && size < 1e250)) return 0;
  const double over = 1 / det;
  B[0] = c0 * over;
  B[1] = c1 * over;
  B[2] = c2 * over;
  B[3] = (W[0] * W[5] - W[2] * W[2]) * over;
  B[4] = (W[1] * W[2] - W[0] * W[4]) * over;
  B[5] = (W[0] * W[3] - W[1] * W[1]) * over;
  return 1;
}

static void prepare(const swept_set *s, swept_contact *c) {
  double second[3], column[3][3] = {{0}}, W[3][3];
  swept_cross(c->normal, c->tangent, second);
  add_column(s, c, c->normal, column[0]);
  add_column(s, c, c->tangent, column[1]);
  add_column(s, c, second, column[2]);
  for (int j = 0; j < 3; j++) swept_in_frame(c, second, column[j], W[j]);
  c->W[0] = W[0][0];
  c->W[1] = 0.5 * (W[0][1] + W[1][0]);
  c->W[2] = 0.5 * (W[0][2] + W[2][0]);
  c->W[3] = W[1][1];
  c->W[4] = 0.5 * (W[1][2] + W[2][1]);
  c->W[5] = W[2][2];
  if (!invert(c->W, c->inverse)) c->inverse[0] = 0;
}

/* ---- one contact ---- */

static void velocity_of(const swept_set *s, const swept_contact *c, const double *second,
                        double *u) {
  double d[3] = {0};
  swept_add_velocity(s->bodies[c->body[0]].v, c->arm[0], 1, d);
  if (c->body[1] >= 0) swept_add_velocity(s->bodies[c->body[1]].v, c->arm[1], -1, d);
  swept_in_frame(c, second, d, u);
  for (int i = 0; i < 3; i++) u[i] += c->c[i];
}

void perp_swept_velocity(const swept_set *s, const swept_contact *at, double u[3]) {
  double second[3];
  swept_cross(at->normal, at->tangent, second);
  velocity_of(s, at, second, u);
}

/* r: in λ, out the answer to y = W (r − λ) + u where it neither takes off nor sticks. */
static void slide(const swept_contact *c, const double *q, const double *stick, double *r) {
  contact_3d block;
  const double W[9] = {c->W[0], c->W[1], c->W[2], c->W[1], c->W[3],
                       c->W[4], c->W[2], c->W[4], c->W[5]};
  const double mu = c->mu, old = -1 / (mu * r[0]);
  double d[2] = {old * r[1], old * r[2]};
  if (c->inverse[0] != 0) {
    const contact_circle circle = contact_circle_of(W, mu, q);
    if (fabs(d[0] * d[0] + d[1] * d[1] - 1) < 1e-9 && contact_circle_newton(&circle, d) &&
        contact_3d_slides(W, mu, q, d, r))
      return;
    const double force = sqrt(stick[1] * stick[1] + stick[2] * stick[2]);
    d[0] = -stick[1] / force;
    d[1] = -stick[2] / force;
    if (force > 0 && contact_circle_newton(&circle, d) && contact_3d_slides(W, mu, q, d, r)) return;
  }
  perp_contact_3d_prepare(&block, W, 3, mu);
  block.work = CONTACT_SWEEPS_WORK - DOUBTFUL;
  const double before[3] = {r[0], r[1], r[2]};
  if (perp_contact_3d_slow(&block, q, r) == CONTACT_FAILED) memcpy(r, before, sizeof before);
}

/* λ of a contact at u, the others as they are. */
static inline void solve_contact(const swept_contact *c, const double *u, double *r) {
  const double *W = c->W, *B = c->inverse;
  const double q0 = u[0] - (W[0] * r[0] + W[1] * r[1] + W[2] * r[2]);
  if (q0 >= 0) {
    r[0] = r[1] = r[2] = 0;
    return;
  }
  if (c->mu == 0) {
    r[0] = -q0 / W[0];
    r[1] = r[2] = 0;
    return;
  }
  const double stick[3] = {r[0] - (B[0] * u[0] + B[1] * u[1] + B[2] * u[2]),
                           r[1] - (B[1] * u[0] + B[3] * u[1] + B[4] * u[2]),
                           r[2] - (B[2] * u[0] + B[4] * u[1] + B[5] * u[2])};
  const double most = c->mu * stick[0];
  if (B[0] != 0 && most > 0 && stick[1] * stick[1] + stick[2] * stick[2] <= most * most) {
    r[0] = stick[0];
    r[1] = stick[1];
    r[2] = stick[2];
    return;
  }
  const double q[3] = {q0, u[1] - (W[1] * r[0] + W[3] * r[1] + W[4] * r[2]),
                       u[2] - (W[2] * r[0] + W[4] * r[1] + W[5] * r[2])};
  slide(c, q, stick, r);
}

/* By how much the contact moves, in the unit of u; *size: of its largest term. */
static inline double visit(const swept_set *s, swept_contact *c, double *size) {
  double second[3], u[3], r[3] = {c->lambda[0], c->lambda[1], c->lambda[2]};
  if (!(c->W[0] > 0)) return 0; /* it moves nothing */
  swept_cross(c->normal, c->tangent, second);
  velocity_of(s, c, second, u);
  solve_contact(c, u, r);
  const double step[3] = {r[0] - c->lambda[0], r[1] - c->lambda[1], r[2] - c->lambda[2]};
  const double a = c->W[0] * fabs(step[0]), b = c->W[3] * fabs(step[1]),
               d = c->W[5] * fabs(step[2]), term = c->W[0] * r[0];
  const double moved = a > b ? a > d ? a : d : b > d ? b : d;
  if (term > *size) *size = term;
  if (moved == 0) return 0;
  if (!(moved <= DBL_MAX)) return (double)NAN;
  double force[3], torque[3];
  swept_from_frame(c, second, step, force);
  swept_cross(c->arm[0], force, torque);
  swept_push(s, c->body[0], force, torque, s->bodies[c->body[0]].v);
  if (c->body[1] >= 0) {
    swept_cross(c->arm[1], force, torque);
    for (int i = 0; i < 3; i++) {
      force[i] = -force[i];
      torque[i] = -torque[i];
    }
    swept_push(s, c->body[1], force, torque, s->bodies[c->body[1]].v);
  }
  memcpy(c->lambda, r, sizeof r);
  return moved;
}

/* ---- what is left ---- */

/* P(x) onto Coulomb's cone. */
static void project(double mu, const double *x, double *p) {
  const double t = sqrt(x[1] * x[1] + x[2] * x[2]);
  double normal = x[0], part = 1;
  if (mu * t <= -x[0]) {
    normal = part = 0;
  } else if (!(t <= mu * x[0])) {
    normal = (x[0] + mu * t) / (1 + mu * mu);
    part = mu * normal / t;
  }
  p[0] = normal;
  p[1] = part * x[1];
  p[2] = part * x[2];
}

/* r_α; the Frobenius norm of W_αα as a matrix. */
static double left(const swept_contact *c, const double *u) {
  const double *W = c->W;
  const double norm =
      sqrt(W[0] * W[0] + W[3] * W[3] + W[5] * W[5] + 2 * (W[1] * W[1] + W[2] * W[2] + W[4] * W[4]));
  const double rho = norm > 0 ? 1 / norm : 1;
  const double normal = u[0] + c->mu * sqrt(u[1] * u[1] + u[2] * u[2]); /* De Saxcé's shift */
  const double x[3] = {c->lambda[0] - rho * normal, c->lambda[1] - rho * u[1],
                       c->lambda[2] - rho * u[2]};
  double p[3], sum = 0;
  project(c->mu, x, p);
  for (int i = 0; i < 3; i++) sum += (c->lambda[i] - p[i]) * (c->lambda[i] - p[i]);
  return sqrt(sum) / rho;
}

/* |H| (|v_free| + W⁻¹ |Hᵀ||λ|) + |c| of the normal row: what the answer is made of. */
static double terms(const swept_set *s, const swept_contact *c) {
  double sum = fabs(c->c[0]);
  for (int side = 0; side < 2; side++) {
    if (c->body[side] < 0) continue;
    const double *moved = s->size + 6 * (size_t)c->body[side];
    const double *v = s->free + 6 * (size_t)c->body[side], *arm = c->arm[side];
    double size[6];
    for (int i = 0; i < 6; i++) size[i] = moved[i] + fabs(v[i]);
    sum += fabs(c->normal[0]) * (size[0] + fabs(arm[2]) * size[4] + fabs(arm[1]) * size[5]) +
           fabs(c->normal[1]) * (size[1] + fabs(arm[0]) * size[5] + fabs(arm[2]) * size[3]) +
           fabs(c->normal[2]) * (size[2] + fabs(arm[1]) * size[3] + fabs(arm[0]) * size[4]);
  }
  return sum;
}

/* r_α; *size: the largest scale so far. */
static double judge(const swept_set *s, const swept_contact *c, double *size) {
  double u[3];
  perp_swept_velocity(s, c, u);
  *size = worse(*size, terms(s, c));
  return left(c, u);
}

/* ---- loops over chunks ---- */

enum { BLOCK = 512 }; /* bodies */

enum { SWEEP_FORWARD, SWEEP_BACKWARD, PREPARE, LOAD, JUDGE };

typedef struct swept_pass {
  swept_set *s;
  int32_t chunk; /* first of the phase */
  int kind;
} swept_pass;

/* Hᵀλ of a contact into the loads of its bodies, and its size. */
static void load(swept_set *s, const swept_contact *c) {
  double second[3], force[3], torque[3];
  swept_cross(c->normal, c->tangent, second);
  swept_from_frame(c, second, c->lambda, force);
  for (int side = 0; side < 2; side++) {
    if (c->body[side] < 0) continue;
    double *to = s->load + 6 * (size_t)c->body[side], *size = s->size + 6 * (size_t)c->body[side];
    swept_cross(c->arm[side], force, torque);
    for (int i = 0; i < 3; i++) {
      to[i] += side == 0 ? force[i] : -force[i];
      to[3 + i] += side == 0 ? torque[i] : -torque[i];
      size[i] += fabs(force[i]);
      size[3 + i] += fabs(torque[i]);
    }
  }
}

static void run_chunk(const swept_pass *p, int32_t chunk) {
  swept_set *s = p->s;
  const int32_t begin = s->chunk[chunk], end = s->chunk[chunk + 1];
  double change = 0, size = 0;
  for (int32_t k = begin; k < end; k++) {
    const int32_t at = p->kind == SWEEP_BACKWARD ? begin + end - 1 - k : k;
    swept_contact *c = &s->contacts[at];
    double most = 0;
    if (p->kind <= SWEEP_BACKWARD)
      most = visit(s, c, &size);
    else if (p->kind == PREPARE)
      prepare(s, c);
    else if (p->kind == LOAD)
      load(s, c);
    else
      most = judge(s, c, &size);
    change = worse(change, most);
  }
  s->change[2 * chunk] = change;
  s->change[2 * chunk + 1] = size;
}

static void run_chunks(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const swept_pass *p = ctx;
  (void)worker;
  for (int32_t i = begin; i < end; i++) run_chunk(p, p->chunk + i);
}

/* The largest change and term of all chunks. */
static double run(swept_set *s, int kind, double *size) {
  double change = 0;
  for (int32_t i = 0; i < s->phases; i++) {
    const int32_t at = kind == SWEEP_BACKWARD ? s->phases - 1 - i : i;
    const int32_t first = s->phase[at], count = s->phase[at + 1] - first;
    swept_pass pass = {s, first, kind};
    if (count > 1 && s->parallel != NULL)
      s->parallel(count, run_chunks, &pass, s->parallel_user);
    else
      run_chunks(0, count, 0, &pass);
    for (int32_t k = first; k < first + count; k++) {
      change = worse(change, s->change[2 * k]);
      *size = worse(*size, s->change[2 * k + 1]);
    }
  }
  return change;
}

void perp_swept_prepare(swept_set *s) {
  double none = 0;
  (void)run(s, PREPARE, &none);
}

/* Bodies of a block: v := v_free + W⁻¹ load, size := W⁻¹ size. */
static void move_bodies(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const swept_set *s = ctx;
  const int32_t last = end * BLOCK < s->n_bodies ? end * BLOCK : s->n_bodies;
  (void)worker;
  for (int32_t b = begin * BLOCK; b < last; b++) {
    double *v = s->bodies[b].v, *size = s->size + 6 * (size_t)b, moved[6] = {0};
    const double *push = s->load + 6 * (size_t)b;
    memcpy(v, s->free + 6 * (size_t)b, sizeof s->bodies[b].v);
    swept_push(s, b, push, push + 3, v);
    swept_push(s, b, size, size + 3, moved);
    for (int i = 0; i < 6; i++) size[i] = fabs(moved[i]);
  }
}

/* The contact of a residual. */
static int32_t find(const swept_set *s, double residual) {
  const int32_t chunks = s->phase[s->phases];
  for (int32_t i = 0; i < chunks; i++) {
    if (s->change[2 * i] <= residual && s->change[2 * i] < residual) continue;
    for (int32_t k = s->chunk[i]; k < s->chunk[i + 1]; k++) {
      double size = 0;
      if (!(judge(s, &s->contacts[k], &size) < residual)) return k;
    }
  }
  return -1;
}

/* v := v_free + W⁻¹ Hᵀ λ; size := W⁻¹ |Hᵀ||λ|. */
void perp_swept_apply(swept_set *s) {
  const size_t n = 6 * (size_t)s->n_bodies;
  const int32_t blocks = (s->n_bodies + BLOCK - 1) / BLOCK;
  double none = 0;
  memset(s->load, 0, n * sizeof *s->load);
  memset(s->size, 0, n * sizeof *s->size);
  (void)run(s, LOAD, &none);
  if (s->parallel != NULL && blocks > 1)
    s->parallel(blocks, move_bodies, s, s->parallel_user);
  else
    move_bodies(0, blocks, 0, s);
}

void perp_swept_judge(swept_set *s, swept_outcome *out) {
  perp_swept_apply(s);
  out->scale = 0;
  out->residual = run(s, JUDGE, &out->scale);
  out->worst = out->residual > 0 || out->residual != out->residual ? find(s, out->residual) : -1;
}

/* ---- the iteration ---- */

/* Whether forward sweeps or those to and fro contract faster, measured by turns. */
typedef struct direction {
  int forward, chosen;
  int32_t sweeps; /* of this turn */
  double first;   /* change at its begin */
  double rate;    /* by which those to and fro reduced it */
} direction;

enum { TURN = 8, LASTS = 96 };

static int next_kind(const direction *d) {
  return !d->forward && d->sweeps % 2 == 1 ? SWEEP_BACKWARD : SWEEP_FORWARD;
}

static void learn(direction *d, double change) {
  if (++d->sweeps == 2) d->first = change;
  if (d->sweeps < (d->chosen ? LASTS : TURN)) return;
  d->sweeps = 0;
  if (d->chosen) { /* measure again, to and fro first */
    d->chosen = d->forward = 0;
  } else if (d->forward) {
    d->chosen = 1;
    d->forward = change / d->first < d->rate;
  } else {
    d->rate = change / d->first;
    d->forward = 1;
  }
}

/* What the sweeps of late tell of those to come. */
typedef struct outlook {
  int32_t sweeps; /* of this stretch                                    */
  double first;   /* change at its begin                                */
  double next;    /* sweeps that must have been made before ADMM is asked (again) */
} outlook;

enum { STRETCH = 8, SOON = 48 };
#define GROWTH 1.5

/* Sweeps until the change is as small as wanted, as the last stretch has it; 0 amid a stretch. */
static double to_come(outlook *l, double change, double wanted) {
  enum { MOST = 1000000 };
  if (l->sweeps++ == 0) l->first = change;
  if (l->sweeps <= STRETCH) return 0;
  const double rate = change / l->first;
  double n = 0;
  l->sweeps = 0;
  if (!(rate < 1)) return MOST;
  for (double left = change; left > wanted && n < MOST; n += STRETCH) left *= rate;
  return n;
}

/* Whether ADMM has ended it. It is tried once, where it is predicted to cost no more than the
 * sweeps already made, and those to come as far as their contraction tells, which mostly becomes
 * worse: so that it at most doubles what sweeps would have cost, or saves the rest of them. */
static int by_factor(swept_set *s, const swept_options *o, outlook *l, double change, double wanted,
                     swept_outcome *out) {
  if (s->sparse == NULL) return 0;
  double sweeps = to_come(l, change, wanted);
  if (sweeps <= SOON || out->sweeps < l->next) return 0;
  if (sweeps > out->sweeps) sweeps = out->sweeps;
  const perp_status status = perp_direct_solve(s, o, sweeps * SWEEP_WORK * s->n_contacts, out);
  l->next = status == PERP_EUNSUPPORTED ? GROWTH * out->sweeps : INFINITY;
  return status == PERP_OK;
}

/* What a sweep changes tells when to look at the residual, and that how much may be left. Sweeps
 * come first: what a step leaves open must not add up over steps that take it as it is. */
perp_status perp_swept_solve(swept_set *s, const swept_options *o, swept_outcome *out) {
  enum { FIRST = 2 };
  direction d = {0};
  outlook ahead = {0};
  double trust = 1, change = DBL_MAX, size;
  out->sweeps = out->iterations = 0;
  perp_swept_apply(s);
  for (;;) {
    while (out->sweeps < o->max_sweeps) {
      size = 0;
      change = run(s, next_kind(&d), &size);
      out->sweeps++;
      learn(&d, change);
      const double enough = trust * swept_wanted(o, size);
      if (!(change > enough) && out->sweeps >= FIRST) break;
      if (by_factor(s, o, &ahead, change, enough, out)) return PERP_OK;
    }
    perp_swept_judge(s, out);
    if (out->residual <= swept_wanted(o, out->scale)) return PERP_OK;
    if (!(out->residual <= DBL_MAX)) return PERP_ENOTFINITE;
    if (change == 0) return PERP_INACCURATE;
    if (out->sweeps >= o->max_sweeps) return PERP_MAX_ITER;
    const double part = swept_wanted(o, out->scale) / out->residual;
    trust *= part < EAGER ? part : EAGER;
  }
}
