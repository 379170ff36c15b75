/* SPDX-License-Identifier: MIT */
/* What a model is made of, as text. In perp::perp only: it formats numbers and allocates scratch.
 */
#include <stdlib.h>

#include "base/forest.h"
#include "heap/page.h"
#include "model/head.h"
#include "perp/check.h"
#include "perp/heap.h"

static int32_t order_of(const perp_model *model, const perp_interaction *inter) {
  return model->systems[inter->systems[0]]->ops->order;
}

/* "0, 2 ... 5" of increasing numbers that follow one another in stretches. */
typedef struct stretch {
  int32_t first, last, any;
} stretch;

static void put_stretch(page *p, const stretch *s) {
  if (s->first == s->last)
    put(p, " %d", (int)s->first);
  else
    put(p, " %d%s%d", (int)s->first, s->last == s->first + 1 ? " " : " ... ", (int)s->last);
}

static void list_one(page *p, stretch *s, int32_t i) {
  if (s->any && i == s->last + 1) {
    s->last = i;
    return;
  }
  if (s->any) put_stretch(p, s);
  s->first = s->last = i;
  s->any = 1;
}

/* ----------------------------------------------------------------------- systems ---- */

static void put_systems(page *p, const perp_model *model) {
  for (int32_t i = 0, end; i < model->n_systems; i = end) {
    const perp_system *s = model->systems[i];
    for (end = i + 1; end < model->n_systems && model->systems[end] == s;) end++;
    put(p, "  system %d", (int)i);
    if (end > i + 1) put(p, " ... %d", (int)end - 1);
    put(p, ": %s, order %d, n = %d", s->ops->name, (int)s->ops->order, (int)s->n);
    if (s->ops->extra_q > 0) put(p, " (%d positions)", (int)(s->n + s->ops->extra_q));
    put(p, "%s\n", system_is_varying(s) ? ", evaluated in every iteration" : "");
  }
}

/* ------------------------------------------------------------------ interactions ---- */

static void put_degrees(page *p, const perp_model *model, int32_t i) {
  const int32_t m = model->interactions[i]->relation->m;
  const size_t bytes = perp_model_relative_degree_workspace(model, i);
  int32_t *degree = (int32_t *)malloc((size_t)m * sizeof *degree);
  void *work = malloc(bytes);
  if (degree != NULL && work != NULL &&
      perp_model_relative_degree(model, i, 0, NULL, NULL, NULL, degree, work, bytes, NULL) ==
          PERP_OK) {
    int same = 1;
    for (int32_t r = 1; r < m; r++) same &= degree[r] == degree[0];
    put(p, ", relative degree");
    for (int32_t r = 0; r < (same ? 1 : m); r++)
      put(p, degree[r] < 0 ? " none" : " %d", (int)degree[r]);
  } else {
    put(p, ", relative degree unknown");
  }
  free(work);
  free(degree);
}

static int same_kind(const perp_interaction *a, const perp_interaction *b) {
  return a->relation == b->relation && a->law == b->law;
}

static void put_interactions(page *p, const perp_model *model) {
  for (int32_t i = 0, end; i < model->n_interactions; i = end) {
    const perp_interaction *a = model->interactions[i];
    for (end = i + 1; end < model->n_interactions && same_kind(a, model->interactions[end]);) end++;
    put(p, "  interaction %d", (int)i);
    if (end > i + 1) put(p, " ... %d", (int)end - 1);
    put(p, ": %s, law %s", a->relation->ops->name, a->law->ops->name);
    if (a->relation->m > a->law->size) put(p, " x %d", (int)(a->relation->m / a->law->size));
    put(p, ", m = %d, order %d, on system%s", (int)a->relation->m, (int)order_of(model, a),
        a->n_systems > 1 ? "s" : "");
    for (int32_t k = 0; k < a->n_systems; k++) put(p, " %d", (int)a->systems[k]);
    if (end > i + 1) put(p, ", and so on");
    put_degrees(p, model, i);
    put(p, "\n");
  }
}

/* --------------------------------------------------------------------- couplings ---- */

/* Connected components of systems and interactions, each under its lowest system. */
static void join_all(const perp_model *model, int32_t *parent) {
  forest_begin(model->n_systems, parent);
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *a = model->interactions[i];
    for (int32_t k = 1; k < a->n_systems; k++)
      (void)forest_join(parent, a->systems[0], a->systems[k]);
  }
}

/* Islands of a model in which every interaction acts; those in excess of a few are counted only. */
static void put_islands(page *p, const perp_model *model, int32_t *parent) {
  enum { SHOWN = 20 };
  int32_t islands = 0, alone = 0;
  for (int32_t i = 0; i < model->n_systems; i++) {
    if (forest_root(parent, i) != i) continue;
    int32_t rows = 0;
    for (int32_t a = 0; a < model->n_interactions; a++)
      if (forest_root(parent, model->interactions[a]->systems[0]) == i)
        rows += model->interactions[a]->relation->m;
    if (rows == 0) {
      alone++;
      continue;
    }
    if (islands++ >= SHOWN) continue;
    stretch s = {0, 0, 0};
    put(p, "  island with m = %d: systems", (int)rows);
    for (int32_t k = i; k < model->n_systems; k++)
      if (forest_root(parent, k) == i) list_one(p, &s, k);
    put_stretch(p, &s);
    put(p, "; interactions");
    s.any = 0;
    for (int32_t a = 0; a < model->n_interactions; a++)
      if (forest_root(parent, model->interactions[a]->systems[0]) == i) list_one(p, &s, a);
    put_stretch(p, &s);
    put(p, "\n");
  }
  if (islands > SHOWN) put(p, "  and %d islands more\n", (int)(islands - SHOWN));
  if (alone > 0) put(p, "  systems without interactions: %d\n", (int)alone);
}

static void put_sizes(page *p, const perp_model *model, const perp_simulation_options *options) {
  long long n[2] = {0, 0}, n_q = 0, rows = 0, copies = 0;
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_system *s = model->systems[i];
    n[s->ops->order - 1] += s->n;
    if (s->ops->order == 2) n_q += s->n + s->ops->extra_q;
  }
  for (int32_t i = 0; i < model->n_interactions; i++) {
    rows += model->interactions[i]->relation->m;
    copies += model->interactions[i]->relation->m / model->interactions[i]->law->size;
  }
  put(p,
      "%d systems (%lld positions, %lld velocities, %lld states of order 1), %d interactions "
      "(%lld rows, %lld copies of laws)\n",
      (int)model->n_systems, n_q, n[1], n[0], (int)model->n_interactions, rows, copies);
  if (options == NULL) return;
  put(p, "state %zu bytes, work %zu bytes\n", perp_simulation_state_size(model, options),
      perp_simulation_work_size(model, options));
}

size_t perp_model_describe(const perp_model *model, const perp_simulation_options *options,
                           char *text, size_t room) {
  page p = {text, text == NULL ? 0 : room, 0};
  perp_info info = PERP_INFO_INIT;
  const perp_status status = perp_model_check(model, &info);
  if (p.room > 0) text[0] = '\0';
  if (status != PERP_OK) {
    put(&p, "refused: %s: %s [%d] = %g\n", perp_status_string(status),
        info.field != NULL ? info.field : "model", (int)info.index, info.value);
    return p.length;
  }
  put_sizes(&p, model, options);
  put_systems(&p, model);
  put_interactions(&p, model);
  int32_t *parent = (int32_t *)malloc(((size_t)model->n_systems + 1) * sizeof *parent);
  if (parent != NULL) {
    join_all(model, parent);
    put_islands(&p, model, parent);
  }
  free(parent);
  return p.length;
}
