/* SPDX-License-Identifier: MIT */
/* Walk over a model and compare its Jacobians with differences: those that users gave one by one,
 * the Jacobians of kinds that do not tell theirs, and what varying relations give as a whole. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "model/callback.h"
#include "model/derivative.h"
#include "model/head.h"
#include "perp/check.h"

/* The largest of what any system or relation needs. */
typedef struct sizes {
  size_t n_q, n, m, rows, entries, scratch;
} sizes;

typedef struct buffers {
  derivative_memory moved;
  double *q, *v, *lambda;   /* of the site                          */
  double *J;                /* a Jacobian and what guards its end   */
  derivative_values values; /* of a relation                */
} buffers;

typedef struct walk {
  const perp_model *model;
  const double *q, *v, *x, *lambda; /* of all; NULL: 0, λ between 1 and 2 */
  double t, tol;
  buffers b;
  size_t *v0, *q0;   /* n_systems: offsets in v or x, and in q */
  int32_t ends_only; /* nothing is compared */
  sizes size;
  perp_derivative_report report;
} walk;

static void at_least(size_t *most, size_t x) {
  if (x > *most) *most = x;
}

/* Numbers behind the end that a callback of another shape may write. */
static size_t guard_of(const perp_jacobian *given) {
  const size_t rows = (size_t)given->rows, columns = (size_t)given->columns;
  return (columns == 1 ? rows : rows * rows + columns * columns) + 16;
}

static void measure_callbacks(const callback_site *at, sizes *s) {
  perp_jacobian given;
  for (int32_t k = 0; perp_callback_next(at, k, &given); k++) {
    at_least(&s->rows, (size_t)given.rows);
    at_least(&s->entries, (size_t)given.rows * (size_t)given.columns + guard_of(&given));
  }
}

static void measure(const perp_model *model, sizes *s) {
  memset(s, 0, sizeof *s);
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_system *system = model->systems[i];
    const callback_site at = {system, NULL, 0, NULL, NULL, NULL};
    const size_t n = (size_t)system->n;
    if (i > 0 && system == model->systems[i - 1]) continue;
    measure_callbacks(&at, s);
    at_least(&s->n, n);
    at_least(&s->n_q, n + (size_t)system->ops->extra_q);
    if (!system_is_varying(system)) continue;
    at_least(&s->rows, n);
    at_least(&s->entries, 2 * n * n);
    if (system->ops->scratch_doubles != NULL)
      at_least(&s->scratch, system->ops->scratch_doubles(system));
  }
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *inter = model->interactions[i];
    const perp_relation *r = inter->relation;
    if (r->ops->terms != NULL) continue;
    size_t n_q = 0;
    for (int32_t k = 0; k < inter->n_systems; k++) {
      const perp_system *system = model->systems[inter->systems[k]];
      n_q += (size_t)system->n + (size_t)system->ops->extra_q;
    }
    at_least(&s->n_q, n_q);
    at_least(&s->n, (size_t)r->n);
    at_least(&s->m, (size_t)r->m);
    at_least(&s->rows, (size_t)(r->n > r->m ? r->n : r->m));
    if (r->ops->scratch_doubles != NULL) at_least(&s->scratch, r->ops->scratch_doubles(r));
    const callback_site at = {NULL, r, 0, NULL, NULL, NULL};
    measure_callbacks(&at, s);
  }
}

static double *take(arena *a, size_t count) {
  return (double *)arena_take(a, count, sizeof(double));
}

static void carve(arena *a, walk *w) {
  const sizes *s = &w->size;
  const size_t systems = (size_t)w->model->n_systems;
  const size_t n = s->n, m = s->m;
  buffers b = {.q = take(a, s->n_q), .v = take(a, n), .lambda = take(a, m)};
  b.moved.q = take(a, s->n_q);
  b.moved.v = take(a, n);
  b.moved.lambda = take(a, m);
  b.moved.d = take(a, n);
  for (int32_t k = 0; k < 4; k++) b.moved.f[k] = take(a, s->rows);
  b.J = take(a, s->entries);
  derivative_values *r = &b.values;
  r->rest = take(a, n);
  r->gamma = take(a, m);
  for (int32_t k = 0; k < 2; k++) {
    perp_relation_values *at = k == 0 ? &r->here : &r->beside;
    at->y = take(a, m);
    at->ydot = take(a, m);
    at->H = take(a, m * n);
    at->D = take(a, m * m);
    at->r = take(a, n);
    at->B = take(a, n * m);
    at->K = take(a, n * n);
  }
  r->scratch = take(a, s->scratch);
  w->b = b;
  w->v0 = (size_t *)arena_take(a, systems, sizeof(size_t));
  w->q0 = (size_t *)arena_take(a, systems, sizeof(size_t));
}

/* ---------------------------------------------------------------------------- sites ---- */

static void copy_part(double *to, const double *from, size_t offset, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = from == NULL ? 0 : from[offset + i];
}

/* Where the vectors of each system begin in those of all. */
static void count_offsets(walk *w) {
  size_t v0[2] = {0, 0}, q0 = 0;
  for (int32_t i = 0; i < w->model->n_systems; i++) {
    const perp_system *s = w->model->systems[i];
    w->v0[i] = v0[s->ops->order - 1];
    w->q0[i] = q0;
    v0[s->ops->order - 1] += (size_t)s->n;
    if (s->ops->order == 2) q0 += (size_t)s->n + (size_t)s->ops->extra_q;
  }
}

/* Gather the systems of a site, and the multipliers of its m rows. */
static derivative_site gather(walk *w, const int32_t *systems, int32_t n_systems, int32_t m,
                              size_t row) {
  derivative_site site = {.model = w->model, .systems = systems, .n_systems = n_systems, .m = m};
  site.t = w->t;
  site.v = w->b.v;
  site.lambda = w->b.lambda;
  for (int32_t k = 0; k < n_systems; k++) {
    const int32_t i = systems[k];
    const perp_system *s = w->model->systems[i];
    const size_t n = (size_t)s->n, n_q = n + (size_t)s->ops->extra_q;
    site.order = s->ops->order;
    copy_part(w->b.v + site.n, site.order == 2 ? w->v : w->x, w->v0[i], n);
    if (site.order == 2) copy_part(w->b.q + site.n_q, w->q, w->q0[i], n_q);
    site.n += (int32_t)n;
    site.n_q += (int32_t)n_q;
  }
  site.q = site.order == 2 ? w->b.q : NULL;
  for (size_t i = 0; i < (size_t)m; i++)
    w->b.lambda[i] = w->ends_only        ? 0
                     : w->lambda != NULL ? w->lambda[row + i]
                                         : 1 + (double)((row + i) % 7) / 8;
  return site;
}

/* ------------------------------------------------------------- Jacobians given one by one ---- */

/* A callback and what its second vector is. */
typedef struct pair_context {
  const perp_jacobian *given;
  int32_t first_is_q, second_is_v;
} pair_context;

static int32_t pair_call(const pair_context *c, perp_callback_fn f, const derivative_point *at,
                         double *out) {
  return f(at->t, c->first_is_q ? at->q : at->v, c->second_is_v ? at->v : at->lambda, c->given->z,
           out, c->given->user);
}

static int32_t pair_value(const void *context, const derivative_point *at, double *out) {
  const pair_context *c = (const pair_context *)context;
  memset(out, 0, (size_t)c->given->rows * sizeof *out);
  return pair_call(c, c->given->f, at, out);
}

/* Numbers behind the end that were written. */
static int32_t overrun(const double *guard, size_t size, uint64_t mark) {
  size_t last = 0;
  for (size_t i = 0; i < size; i++)
    if (bits_of(guard[i]) != mark) last = i + 1;
  return (int32_t)last;
}

/* Call f of a callback, or J, which writes into w->b.J and nowhere else; an overrun is reported. */
static int32_t call_to_its_end(walk *w, const callback_site *at, const perp_jacobian *given,
                               perp_callback_fn f, int32_t found, int32_t index) {
  const uint64_t mark = UINT64_C(0x7ff8a5a5a5a5a5a5);
  const size_t entries = (size_t)given->rows * (size_t)given->columns, guard = guard_of(given);
  memset(w->b.J, 0, entries * sizeof(double));
  for (size_t i = 0; i < guard; i++) w->b.J[entries + i] = double_of(mark);
  const int32_t code = perp_callback_call(given, f, at, w->b.J);
  const int32_t behind = overrun(w->b.J + entries, guard, mark);
  if (behind > 0) perp_derivative_overrun(given->name, behind, found, index, &w->report);
  return code;
}

static int32_t compare_pair(walk *w, const derivative_site *site, const callback_site *at,
                            const perp_jacobian *given, int32_t found, int32_t index) {
  const int first_order_relation = found == PERP_FOUND_RELATION && site->order == 1;
  const pair_context c = {given, !first_order_relation,
                          found == PERP_FOUND_SYSTEM || given->velocity != 0};
  const int alone = given->by >= PERP_BY_NONE;
  const int32_t before = w->report.wrong;
  const int32_t code = call_to_its_end(w, at, given, alone ? given->f : given->J, found, index);
  if (alone || w->ends_only) return code < 0 && !w->ends_only ? code : 0;
  if (code != 0 || w->report.wrong > before) return code;
  int32_t by = DERIVATIVE_BY_TIME;
  if (given->by == PERP_BY_A) by = first_order_relation ? DERIVATIVE_BY_V : DERIVATIVE_BY_Q;
  if (given->by == PERP_BY_B) by = c.second_is_v ? DERIVATIVE_BY_V : DERIVATIVE_BY_LAMBDA;
  const derivative_task task = {.name = given->name,
                                .f = pair_value,
                                .context = &c,
                                .J = w->b.J,
                                .typical = given->typical,
                                .rows = given->rows,
                                .columns = given->columns,
                                .by = by,
                                .every = 1};
  return perp_derivative_compare(&task, site, &w->b.moved, w->tol, found, index, &w->report);
}

/* -------------------------------------------------------------------------- systems ---- */

typedef struct system_context {
  const perp_system *system;
  double *scratch;
} system_context;

static int32_t system_value(const void *context, const derivative_point *at, double *out) {
  const system_context *c = (const system_context *)context;
  memset(out, 0, (size_t)c->system->n * sizeof *out);
  return c->system->ops->force(c->system, at->t, at->q, at->v, out, c->scratch);
}

static int32_t compare_system_whole(walk *w, const derivative_site *site, const perp_system *s,
                                    int32_t index) {
  const size_t entries = (size_t)s->n * (size_t)s->n;
  double *dq = site->order == 2 ? w->b.J : NULL, *dv = w->b.J + entries;
  memset(w->b.J, 0, 2 * entries * sizeof(double));
  const system_context c = {s, w->b.values.scratch};
  int32_t code = s->ops->jacobians(s, site->t, site->q, site->v, dq, dv, w->b.values.scratch);
  derivative_task task = {.name = "jacobians: df_dq",
                          .f = system_value,
                          .context = &c,
                          .J = dq,
                          .rows = s->n,
                          .columns = s->n,
                          .by = DERIVATIVE_BY_Q,
                          .coarse = 1,
                          .every = 1};
  if (code == 0 && dq != NULL)
    code = perp_derivative_compare(&task, site, &w->b.moved, w->tol, PERP_FOUND_SYSTEM, index,
                                   &w->report);
  task.name = "jacobians: df_dv";
  task.J = dv;
  task.by = DERIVATIVE_BY_V;
  if (code == 0)
    code = perp_derivative_compare(&task, site, &w->b.moved, w->tol, PERP_FOUND_SYSTEM, index,
                                   &w->report);
  return code;
}

static int32_t compare_system(walk *w, int32_t i, const char **name) {
  const perp_system *s = w->model->systems[i];
  perp_jacobian given;
  if (w->ends_only && i > 0 && s == w->model->systems[i - 1]) return 0;
  const derivative_site site = gather(w, &i, 1, 0, 0);
  const callback_site at = {s, NULL, site.t, site.q, site.v, NULL};
  *name = "jacobians";
  if (s->ops->jacobian == NULL && system_is_varying(s) && !w->ends_only)
    return compare_system_whole(w, &site, s, i);
  int32_t code = 0;
  for (int32_t k = 0; code == 0 && perp_callback_next(&at, k, &given); k++) {
    *name = given.name;
    code = compare_pair(w, &site, &at, &given, PERP_FOUND_SYSTEM, i);
  }
  return code;
}

/* ------------------------------------------------------------------------ relations ---- */

static int32_t compare_relation(walk *w, int32_t i, size_t row, const char **name) {
  const perp_interaction *inter = w->model->interactions[i];
  const perp_relation *r = inter->relation;
  const int32_t wrong = w->report.wrong;
  perp_jacobian given;
  if (r->ops->terms != NULL) return 0;
  if (w->ends_only && i > 0 && r == w->model->interactions[i - 1]->relation) return 0;
  const derivative_site site = gather(w, inter->systems, inter->n_systems, r->m, row);
  const callback_site at = {NULL, r, site.t, site.q, site.v, site.lambda};
  int32_t code = 0;
  for (int32_t k = 0; code == 0 && perp_callback_next(&at, k, &given); k++) {
    *name = given.name;
    code = compare_pair(w, &site, &at, &given, PERP_FOUND_RELATION, i);
  }
  if (code != 0 || w->report.wrong > wrong || w->ends_only) return code; /* named better */
  *name = "evaluate";
  return perp_derivative_relation(inter, &w->b.values, &site, &w->b.moved, w->tol, i, &w->report);
}

/* ----------------------------------------------------------------------------- door ---- */

size_t perp_model_check_derivatives_workspace(const perp_model *model) {
  walk w;
  if (perp_model_check(model, NULL) != PERP_OK) return 0;
  memset(&w, 0, sizeof w);
  w.model = model;
  measure(model, &w.size);
  arena a = arena_measure();
  carve(&a, &w);
  return arena_bytes(&a);
}

static perp_status compare_all(walk *w) {
  const char *name = NULL;
  size_t row = 0;
  for (int32_t pass = 0; pass < 2; pass++) {
    const int32_t count = pass == 0 ? w->model->n_systems : w->model->n_interactions;
    for (int32_t i = 0; i < count; i++) {
      const int32_t code =
          pass == 0 ? compare_system(w, i, &name) : compare_relation(w, i, row, &name);
      if (pass == 1) row += (size_t)w->model->interactions[i]->relation->m;
      if (code == 0) continue;
      w->report.found = pass == 0 ? PERP_FOUND_SYSTEM : PERP_FOUND_RELATION;
      w->report.index = i;
      w->report.jacobian = name;
      return code < 0 ? PERP_ECALLBACK : PERP_RETRY;
    }
  }
  return w->report.wrong == 0 ? PERP_OK : PERP_INACCURATE;
}

/* The state that was handed over, all of it finite. */
static perp_status check_state(const walk *w, perp_info *info) {
  size_t n[2] = {0, 0}, n_q = 0, rows = 0;
  for (int32_t i = 0; i < w->model->n_systems; i++) {
    const perp_system *s = w->model->systems[i];
    n[s->ops->order - 1] += (size_t)s->n;
    if (s->ops->order == 2) n_q += (size_t)s->n + (size_t)s->ops->extra_q;
  }
  for (int32_t i = 0; i < w->model->n_interactions; i++)
    rows += (size_t)w->model->interactions[i]->relation->m;
  const struct {
    const double *x;
    size_t n;
    const char *name;
  } all[] = {{w->q, n_q, "q"}, {w->v, n[1], "v"}, {w->x, n[0], "x"}, {w->lambda, rows, "lambda"}};
  for (size_t k = 0; k < 4; k++) {
    const size_t bad = all[k].x == NULL ? all[k].n : first_not_finite(all[k].n, all[k].x);
    if (bad < all[k].n)
      return fail(info, PERP_ENOTFINITE, all[k].name, (int32_t)bad, all[k].x[bad]);
  }
  if (!is_finite(w->t)) return fail(info, PERP_ENOTFINITE, "t", -1, w->t);
  if (!is_finite(w->tol) || w->tol < 0) return fail(info, PERP_EINVAL, "tol", -1, w->tol);
  return PERP_OK;
}

static perp_status open_walk(walk *w, void *work, size_t bytes, perp_info *info) {
  perp_status status = perp_model_check(w->model, info);
  if (status != PERP_OK) return status;
  if (w->q == NULL) w->q = w->model->q0;
  if (w->v == NULL) w->v = w->model->v0;
  if (w->x == NULL) w->x = w->model->x0;
  status = check_state(w, info);
  if (status != PERP_OK) return status;
  measure(w->model, &w->size);
  arena a = arena_open(work, bytes);
  carve(&a, w);
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  count_offsets(w);
  return PERP_OK;
}

perp_status perp_model_check_derivatives(const perp_model *model, double t, const double *q,
                                         const double *v, const double *x, const double *lambda,
                                         double tol, void *work, size_t bytes,
                                         perp_derivative_report *report) {
  const perp_derivative_report nothing = PERP_DERIVATIVE_REPORT_INIT;
  perp_info info = PERP_INFO_INIT;
  walk w;
  memset(&w, 0, sizeof w);
  w.model = model;
  w.t = t;
  w.q = q;
  w.v = v;
  w.x = x;
  w.lambda = lambda;
  w.tol = tol;
  w.report = nothing;
  if (report != NULL && report->struct_size < PERP_THROUGH(perp_derivative_report, error))
    return PERP_EINVAL;
  perp_status status = open_walk(&w, work, bytes, &info);
  if (status == PERP_OK) {
    status = compare_all(&w);
  } else {
    w.report.jacobian = info.field;
    w.report.index = info.index;
    w.report.given = info.value;
  }
  if (report != NULL)
    (void)perp_options_answer(report, &w.report, sizeof w.report,
                              PERP_THROUGH(perp_derivative_report, error));
  return status;
}

perp_status perp_model_check_callbacks(const perp_model *model, double t, void *work, size_t bytes,
                                       perp_info *info) {
  walk w;
  info_clear(info);
  memset(&w, 0, sizeof w);
  w.model = model;
  w.t = t;
  w.ends_only = 1;
  w.report.index = -1;
  const perp_status status = open_walk(&w, work, bytes, info);
  if (status == PERP_EWORKSPACE)
    return fail(info, PERP_EWORKSPACE, "bytes", -1,
                (double)perp_model_check_derivatives_workspace(model));
  if (status != PERP_OK) return status;
  (void)compare_all(&w); /* what they answer is for those who need it */
  if (w.report.overrun == 0) return PERP_OK;
  return fail(info, PERP_ECALLBACK, w.report.jacobian, w.report.index, w.report.overrun);
}
