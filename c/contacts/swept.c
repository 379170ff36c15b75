/* SPDX-License-Identifier: MIT */
/* Sweeps. A visit costs some 150 multiply-adds and 232 bytes of the contact, of which it writes 48;
 * bodies are mostly near in memory to those visited before. Between two sweeps λ goes on in the
 * direction of late:
 *
 *   p := β p + Δλ,   λ' = λ + β' p,   β' = (k − 1)/(k + 2), k sweeps since β was 0,
 *
 * the gradient method of Nesterov (1983) with a sweep in place of a step, begun anew where a sweep
 * goes back, Σ Δλ·p < 0 in the metric of diag(W) (O'Donoghue and Candès, Found. Comput. Math.
 * 2015), or has become larger. v goes along, body by body; a contact takes its part when it is
 * visited. What is judged is always the point behind a sweep. */
#include "contacts/swept.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contacts/direct.h"
#include "contacts/swept_visit.h"

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

/* W_αα, and λ at rest. */
static void prepare(const swept_set *s, swept_contact *c) {
  double second[3], column[3][3] = {{0}}, W[3][3];
  swept_cross(c->normal, c->tangent, second);
  add_column(s, c, c->normal, column[0]);
  add_column(s, c, c->tangent, column[1]);
  add_column(s, c, second, column[2]);
  for (int j = 0; j < 3; j++) swept_in_frame(c, second, column[j], W[j]);
  const double lower[6] = {W[0][0], 0.5 * (W[0][1] + W[1][0]), 0.5 * (W[0][2] + W[2][0]),
                           W[1][1], 0.5 * (W[1][2] + W[2][1]), W[2][2]};
  swept_factor(lower, c->factor);
  memset(c->ahead, 0, sizeof c->ahead);
}

void perp_swept_velocity(const swept_set *s, const swept_contact *at, double u[3]) {
  double second[3];
  swept_cross(at->normal, at->tangent, second);
  swept_relative(s, at, second, u);
}

/* λ of a contact, its bodies moved. */
static inline void visit(const swept_set *s, swept_contact *c, swept_told *out) {
  double second[3], u[3], r[3], step[3], square = 0, along = 0;
  const double over = fabs(c->factor[3]); /* 1 / W of the normal */
  if (!(over > 0)) return;                /* it moves nothing    */
  swept_cross(c->normal, c->tangent, second);
  swept_relative(s, c, second, u);
  for (int i = 0; i < 3; i++) {
    c->ahead[i] *= s->recent;
    c->lambda[i] += s->momentum * c->ahead[i];
    r[i] = c->lambda[i];
  }
  swept_law(c, u, r);
  for (int i = 0; i < 3; i++) {
    step[i] = r[i] - c->lambda[i];
    square += step[i] * step[i];
    along += step[i] * c->ahead[i];
    c->ahead[i] = s->momentum * c->ahead[i] + step[i];
  }
  if (r[0] > out->term * over) out->term = r[0] / over;
  if (square == 0) return;
  square /= over;
  out->square += square;
  out->along += along / over;
  out->change = worse(out->change, square / over);
  swept_apply_force(s, c, second, step);
  memcpy(c->lambda, r, sizeof r);
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

/* r_α = ‖N λ − P(N λ − û)‖, N = 1/ρ the Frobenius norm of W_αα: P is homogeneous. */
static double left(const swept_contact *c, const double *u) {
  const double norm = swept_norm(c), N = norm > 0 ? norm : 1;
  const double normal = u[0] + c->mu * sqrt(u[1] * u[1] + u[2] * u[2]); /* De Saxcé's shift */
  const double old[3] = {N * c->lambda[0], N * c->lambda[1], N * c->lambda[2]};
  const double x[3] = {old[0] - normal, old[1] - u[1], old[2] - u[2]};
  double p[3], sum = 0;
  project(c->mu, x, p);
  for (int i = 0; i < 3; i++) sum += (old[i] - p[i]) * (old[i] - p[i]);
  return sqrt(sum);
}

/* |H| (|v_free| + W⁻¹ |Hᵀ||λ|) + |c| of the largest row: what the answer is made of. */
static double terms(const swept_set *s, const swept_contact *c, const double *second) {
  double most = 0, sum[3] = {0};
  for (int side = 0; side < 2; side++) {
    if (c->body[side] < 0) continue;
    const double *size = s->size + 6 * (size_t)c->body[side], *arm = c->arm[side];
    sum[0] += size[0] + fabs(arm[2]) * size[4] + fabs(arm[1]) * size[5];
    sum[1] += size[1] + fabs(arm[0]) * size[5] + fabs(arm[2]) * size[3];
    sum[2] += size[2] + fabs(arm[1]) * size[3] + fabs(arm[0]) * size[4];
  }
  const double *rows[3] = {c->normal, c->tangent, second};
  for (int r = 0; r < (c->mu > 0 ? 3 : 1); r++) {
    const double *d = rows[r];
    most = worse(most,
                 fabs(c->c[r]) + fabs(d[0]) * sum[0] + fabs(d[1]) * sum[1] + fabs(d[2]) * sum[2]);
  }
  return most;
}

/* r_α; *size: the largest scale so far. */
static double judge(const swept_set *s, const swept_contact *c, double *size) {
  double second[3], u[3];
  swept_cross(c->normal, c->tangent, second);
  swept_relative(s, c, second, u);
  *size = worse(*size, terms(s, c, second));
  return left(c, u);
}

/* ---- bodies ---- */

/* Bodies go on as contacts will. Loads are p, sizes the v' before. */
static void move_ahead(const swept_set *s, int32_t begin, int32_t end) {
  for (int32_t b = begin; b < end; b++) {
    double *v = s->bodies[b].v, *ahead = s->load + 6 * (size_t)b, *before = s->size + 6 * (size_t)b;
    for (int i = 0; i < 6; i++) {
      const double step = s->recent != 0 ? v[i] - before[i] : 0;
      ahead[i] = s->last != 0 ? s->last * ahead[i] + step : step;
      if (s->momentum != 0) v[i] += s->momentum * ahead[i];
      before[i] = v[i];
    }
  }
}

/* v := v_free + W⁻¹ load, size := |v_free| + |W⁻¹ size|. */
static void move_bodies(const swept_set *s, int32_t begin, int32_t end) {
  for (int32_t b = begin; b < end; b++) {
    double *v = s->bodies[b].v, *size = s->size + 6 * (size_t)b, moved[6] = {0};
    const double *push = s->load + 6 * (size_t)b, *free = s->free + 6 * (size_t)b;
    memcpy(v, free, sizeof s->bodies[b].v);
    swept_push(s, b, push, push + 3, v);
    swept_push(s, b, size, size + 3, moved);
    for (int i = 0; i < 6; i++) size[i] = fabs(moved[i]) + fabs(free[i]);
  }
}

/* ---- loops over chunks ---- */

enum { SWEEP_FORWARD, SWEEP_BACKWARD, PREPARE, LOAD, JUDGE, MOVE_AHEAD, MOVE_BODIES };

typedef struct swept_pass {
  swept_set *s;
  int32_t chunk, count; /* first of the phase; how many it has */
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
  swept_told *out = &s->told[chunk];
  memset(out, 0, sizeof *out);
  for (int32_t k = begin; k < end; k++) {
    const int32_t at = p->kind == SWEEP_BACKWARD ? begin + end - 1 - k : k;
    swept_contact *c = &s->contacts[at];
    if (p->kind <= SWEEP_BACKWARD)
      visit(s, c, out);
    else if (p->kind == PREPARE)
      prepare(s, c);
    else if (p->kind == LOAD)
      load(s, c);
    else
      out->change = worse(out->change, judge(s, c, &out->term));
  }
}

/* The chunk of a phase from which on its contacts from part i of n on are. */
static int32_t chunk_of(const swept_pass *p, int32_t i) {
  const int32_t *chunk = p->s->chunk + p->chunk;
  const int64_t from = chunk[0], of = chunk[p->count] - from;
  int32_t low = 0, high = p->count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if ((chunk[middle] - from) * p->count < of * i)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Parts of a phase, of as many contacts each as chunks allow, or the bodies of these. */
static void run_parts(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const swept_pass *p = ctx;
  const int32_t first = chunk_of(p, begin), last = chunk_of(p, end);
  (void)worker;
  if (p->kind == MOVE_AHEAD)
    move_ahead(p->s, p->s->owned[first], p->s->owned[last]);
  else if (p->kind == MOVE_BODIES)
    move_bodies(p->s, p->s->owned[first], p->s->owned[last]);
  else
    for (int32_t i = first; i < last; i++) run_chunk(p, p->chunk + i);
}

static void run_phase(swept_set *s, int32_t first, int32_t count, int kind) {
  swept_pass pass = {s, first, count, kind};
  if (count > 1 && s->parallel != NULL)
    s->parallel(count, run_parts, &pass, s->parallel_user);
  else
    run_parts(0, count, 0, &pass);
}

/* A pass over all chunks, and what they tell. */
static swept_told run(swept_set *s, int kind) {
  swept_told all = {0};
  for (int32_t i = 0; i < s->phases; i++) {
    const int32_t at = kind == SWEEP_BACKWARD ? s->phases - 1 - i : i;
    run_phase(s, s->phase[at], s->phase[at + 1] - s->phase[at], kind);
  }
  for (int32_t k = 0; k < s->phase[s->phases]; k++) {
    all.change = worse(all.change, s->told[k].change);
    all.term = worse(all.term, s->told[k].term);
    all.square += s->told[k].square;
    all.along += s->told[k].along;
  }
  return all;
}

void perp_swept_prepare(swept_set *s) { (void)run(s, PREPARE); }

/* The contact of a residual. */
static int32_t find(const swept_set *s, double residual) {
  const int32_t chunks = s->phase[s->phases];
  for (int32_t i = 0; i < chunks; i++) {
    if (s->told[i].change < residual) continue;
    for (int32_t k = s->chunk[i]; k < s->chunk[i + 1]; k++) {
      double size = 0;
      if (!(judge(s, &s->contacts[k], &size) < residual)) return k;
    }
  }
  return -1;
}

/* v := v_free + W⁻¹ Hᵀ λ; size := |v_free| + W⁻¹ |Hᵀ||λ|. */
void perp_swept_apply(swept_set *s) {
  const size_t n = 6 * (size_t)s->n_bodies;
  memset(s->load, 0, n * sizeof *s->load);
  memset(s->size, 0, n * sizeof *s->size);
  (void)run(s, LOAD);
  run_phase(s, 0, s->owners, MOVE_BODIES);
  s->momentum = s->last = s->recent = 0; /* loads are taken */
}

void perp_swept_judge(swept_set *s, swept_outcome *out) {
  perp_swept_apply(s);
  const swept_told all = run(s, JUDGE);
  out->scale = all.term;
  out->residual = all.change;
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

enum { TURN = 8, LASTS = 64 };

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
  double left = change;
  int32_t n = 0;
  l->sweeps = 0;
  if (!(rate < 1)) return MOST;
  for (; left > wanted && n < MOST; n += STRETCH) left *= rate;
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

/* What the sweeps before tell the next one. */
typedef struct course {
  direction turn;
  int32_t sweeps, most; /* since β was 0; that many make it larger */
  int32_t gained;       /* 1: the changes have halved since      */
  double square, least; /* of the last sweep; when they did      */
} course;

/* β of the next sweep. Friction is no potential's gradient: where β leads astray again and again it
 * stays small, until sweeps have got on. */
static double momentum(const swept_set *s, course *c, const swept_told *told) {
  enum { LARGER = 2 };
  const int back = told->along < 0 || !(told->square < LARGER * c->square);
  c->square = told->square;
  if (c->square < 0.5 * c->least) {
    c->least = c->square;
    c->gained = 1;
    if (c->most < INT32_MAX / 2) c->most = 2 * c->most + 1;
  }
  if (s->recent == 0) {
    c->sweeps = 0;
  } else if (back) {
    if (!c->gained) c->most = c->sweeps / 2;
    c->sweeps = c->gained = 0;
  } else if (c->sweeps < c->most) {
    c->sweeps++;
  }
  return c->sweeps / (c->sweeps + 3.0);
}

/* One sweep; the largest change. */
static double sweep(swept_set *s, course *c, int plain, double *size) {
  run_phase(s, 0, s->owners, MOVE_AHEAD);
  const swept_told all = run(s, next_kind(&c->turn));
  const double change = sqrt(all.change);
  s->last = s->momentum;
  s->momentum = plain ? 0 : momentum(s, c, &all);
  s->recent = 1;
  *size = all.term;
  learn(&c->turn, change);
  return change;
}

/* What a sweep changes tells when to look at the residual, and that how much may be left; then it
 * is looked at again after an eighth of the sweeps made, too, since the change of a few wedged
 * contacts stays long after the rest has settled. Sweeps come first: what a step leaves open must
 * not add up over steps that take it as it is. */
perp_status perp_swept_solve(swept_set *s, const swept_options *o, swept_outcome *out) {
  enum { FIRST = 2, AGAIN = 8 };
  course c = {.turn = {.forward = !o->plain, .chosen = 1}, .most = INT32_MAX, .least = HUGE_VAL};
  outlook ahead = {0};
  double trust = 1, change = DBL_MAX, size = 0;
  int32_t look = INT32_MAX; /* sweeps after which the residual is looked at in any case */
  out->sweeps = out->iterations = 0;
  perp_swept_apply(s);
  for (;;) {
    while (out->sweeps < o->max_sweeps) {
      change = sweep(s, &c, o->plain, &size);
      out->sweeps++;
      const double enough = trust * swept_wanted(o, size);
      if (out->sweeps >= look || (!(change > enough) && out->sweeps >= FIRST)) break;
      if (by_factor(s, o, &ahead, change, enough, out)) return PERP_OK;
    }
    perp_swept_judge(s, out);
    if (out->residual <= swept_wanted(o, out->scale)) return PERP_OK;
    if (!(out->residual <= DBL_MAX)) return PERP_ENOTFINITE;
    if (change == 0) return PERP_INACCURATE;
    if (out->sweeps >= o->max_sweeps) return PERP_MAX_ITER;
    look = out->sweeps + AGAIN + out->sweeps / AGAIN;
    const double part = swept_wanted(o, out->scale) / out->residual;
    trust *= part < EAGER ? part : EAGER;
  }
}
