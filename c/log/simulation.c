/* SPDX-License-Identifier: MIT */
/* The log of a simulation: which quantities it has, and their values after a step. */
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "events/driven.h"
#include "log/log.h"
#include "perp/experimental.h"
#include "perp/pool.h"
#include "stepping/contact_list.h"
#include "stepping/layout.h"

/* ------------------------------------------------------------- both kinds of simulations ---- */

/* How a simulation is read; what is PERP_LOG_Q ... PERP_LOG_FORCE. */
typedef struct access {
  const void *sim;
  const perp_model *model;
  int32_t (*size)(const void *sim, int32_t what, int32_t object);
  const double *(*values)(const void *sim, int32_t what, int32_t object);
  perp_status (*force)(const void *sim, int32_t object, double *force);
  perp_status (*energy)(const void *sim, double *kinetic, double *potential);
  int32_t (*level)(const void *sim, int32_t object);
  const perp_simulation *contacts; /* whose pool is asked; NULL: there is none */
} access;

static int32_t step_size(const void *sim, int32_t what, int32_t object) {
  switch (what) {
    case PERP_LOG_Q:
      return perp_simulation_n_q(sim, object);
    case PERP_LOG_V:
      return perp_simulation_n_v(sim, object);
    case PERP_LOG_X:
      return perp_simulation_n_x(sim, object);
    default:
      return perp_simulation_n_rows(sim, object);
  }
}

static const double *step_values(const void *sim, int32_t what, int32_t object) {
  switch (what) {
    case PERP_LOG_Q:
      return perp_simulation_q(sim, object);
    case PERP_LOG_V:
      return perp_simulation_v(sim, object);
    case PERP_LOG_X:
      return perp_simulation_x(sim, object);
    case PERP_LOG_Y:
      return perp_simulation_y(sim, object);
    case PERP_LOG_YDOT:
      return perp_simulation_ydot(sim, object);
    default:
      return perp_simulation_lambda(sim, object);
  }
}

static perp_status step_force(const void *sim, int32_t object, double *force) {
  return perp_simulation_force(sim, object, force);
}

/* The caller's simulation, which it handed over to be changed. */
static perp_status step_energy(const void *sim, double *kinetic, double *potential) {
  return perp_simulation_energy((perp_simulation *)(uintptr_t)sim, kinetic, potential);
}

static int32_t step_level(const void *sim, int32_t object) {
  return perp_simulation_level(sim, object);
}

static access of_stepping(const perp_simulation *sim) {
  const perp_simulation *contacts = sim->model->pool != NULL ? sim : NULL;
  return (access){sim,        sim->model,  step_size,  step_values,
                  step_force, step_energy, step_level, contacts};
}

static int32_t event_size(const void *sim, int32_t what, int32_t object) {
  switch (what) {
    case PERP_LOG_Q:
      return perp_event_driven_n_q(sim, object);
    case PERP_LOG_V:
      return perp_event_driven_n_v(sim, object);
    case PERP_LOG_X:
      return perp_event_driven_n_x(sim, object);
    default:
      return perp_event_driven_n_rows(sim, object);
  }
}

static const double *event_values(const void *sim, int32_t what, int32_t object) {
  perp_event_driven *own = (perp_event_driven *)(uintptr_t)sim;
  switch (what) {
    case PERP_LOG_Q:
      return perp_event_driven_q(own, object);
    case PERP_LOG_V:
      return perp_event_driven_v(own, object);
    case PERP_LOG_X:
      return perp_event_driven_x(own, object);
    case PERP_LOG_Y:
      return perp_event_driven_y(own, object);
    case PERP_LOG_YDOT:
      return perp_event_driven_ydot(own, object);
    default:
      return perp_event_driven_lambda(own, object);
  }
}

static perp_status event_force(const void *sim, int32_t object, double *force) {
  return perp_event_driven_force((perp_event_driven *)(uintptr_t)sim, object, force);
}

static perp_status event_energy(const void *sim, double *kinetic, double *potential) {
  return perp_event_driven_energy((perp_event_driven *)(uintptr_t)sim, kinetic, potential);
}

static int32_t event_level(const void *sim, int32_t object) {
  (void)sim;
  (void)object;
  return PERP_LEVEL_FORCE;
}

static access of_events(const perp_event_driven *sim) {
  return (access){sim,         sim->model,   event_size,  event_values,
                  event_force, event_energy, event_level, NULL};
}

/* ------------------------------------------------------------------------------- kinds ---- */

/* An object, by the kind that it is of. */
typedef struct named {
  const char *kind; /* n bytes of a name, or a word  */
  size_t n;
  int32_t index;
  int32_t size, other; /* numbers: q and v, x, or rows  */
} named;

static int compare_kinds(const void *a, const void *b) {
  const named *p = a, *q = b;
  const int order = memcmp(p->kind, q->kind, p->n < q->n ? p->n : q->n);
  if (order != 0) return order;
  if (p->n != q->n) return p->n < q->n ? -1 : 1;
  return p->index < q->index ? -1 : p->index > q->index;
}

static int is_same_kind(const named *p, const named *q) {
  return p->n == q->n && memcmp(p->kind, q->kind, p->n) == 0;
}

/* What an object is where it has no name: one word for all of a kind and size. */
static const char *word_for(const access *a, int32_t i, int interactions) {
  if (interactions) return "interaction";
  const perp_system *s = a->model->systems[i];
  if (s->ops->order == 1) return "state";
  return s->ops->extra_q > 0 ? "body" : "system";
}

/* ------------------------------------------------------------------------------- schema ---- */

/* Quantities that are being gathered, with all that they point to. */
typedef struct gathering {
  const access *sim;
  perp_log_quantity *quantities;
  int32_t n;
  char *text;         /* kinds                */
  const char **names; /* of members           */
  int32_t *objects;
} gathering;

static const char *const body_q[] = {"x", "y", "z", "p0", "p1", "p2", "p3"};
static const char *const body_q_units[] = {"m", "m", "m", "1", "1", "1", "1"};
static const char *const axes[] = {"x", "y", "z"};
static const char *const body_v[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const body_v_units[] = {"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"};

static void add(gathering *g, const perp_log_quantity *like, const char *name,
                const char *description, int32_t source, int32_t size) {
  perp_log_quantity q = *like;
  q.name = name;
  q.description = description;
  q.source = source;
  q.components = size;
  if (size > 0) g->quantities[g->n++] = q;
}

static void add_systems(gathering *g, perp_log_quantity *q, const named *first) {
  const perp_system *system = g->sim->model->systems[first->index];
  if (system->ops->order == 1) {
    add(g, q, "x", "state", PERP_LOG_X, first->size);
    return;
  }
  const int is_body = system->ops->extra_q > 0 && first->size == 7 && first->other == 6;
  q->component_names = is_body ? body_q : NULL;
  q->component_units = is_body ? body_q_units : NULL;
  add(g, q, "q", is_body ? "place of the centre of mass, quaternion" : "position", PERP_LOG_Q,
      first->size);
  q->component_names = is_body ? body_v : NULL;
  q->component_units = is_body ? body_v_units : NULL;
  add(g, q, "v", is_body ? "velocity, angular velocity" : "velocity", PERP_LOG_V, first->other);
  if (g->sim->contacts == NULL) return;
  q->component_names = axes;
  q->component_units = NULL;
  q->unit = "N";
  add(g, q, "contact", "force of the contacts of the pool", PERP_LOG_CONTACT_FORCE,
      g->sim->model->pool->plane ? 2 : 3);
}

/* Of the pool as a whole. */
static void add_pool(gathering *g) {
  perp_log_quantity q = {"pool", "", "", "", NULL, NULL, NULL, NULL, 1, 0, 0, 0};
  if (g->sim->contacts == NULL) return;
  add(g, &q, "contacts", "how many acted in the step", PERP_LOG_CONTACTS, 1);
  q.unit = "m";
  add(g, &q, "overlap", "the deepest of them", PERP_LOG_OVERLAP, 1);
}

static void add_interactions(gathering *g, perp_log_quantity *q, const named *first) {
  static const char *const units[] = {"", "N s", "kg m"};
  static const char *const words[] = {"force", "impulse over the step",
                                      "what acts on positions over the step"};
  const int32_t level = g->sim->level(g->sim->sim, first->index);
  const int known = level >= PERP_LEVEL_FORCE && level <= PERP_LEVEL_POSITION;
  add(g, q, "y", "gap or output", PERP_LOG_Y, first->size);
  q->unit = known ? units[level] : "";
  add(g, q, "lambda", known ? words[level] : "", PERP_LOG_LAMBDA, first->size);
}

static char *kind_text(gathering *g, const named *o, int32_t size) {
  char *text = g->text, digits[16];
  memcpy(text, o->kind, o->n);
  size_t n = o->n;
  if (size > 0) { /* behind a word, where there are several sizes */
    size_t count = 0;
    for (int32_t rest = size; rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
    text[n++] = '-';
    while (count > 0) text[n++] = digits[--count];
  }
  text[n] = 0;
  g->text += n + 1;
  return text;
}

/* The members from a to b of a kind, all of one size. */
static void add_kind(gathering *g, const named *from, size_t n, int interactions, int sized,
                     const char *const *names) {
  perp_log_quantity q = {"", "", "", "", NULL, NULL, NULL, g->objects, (int32_t)n, 0, 0, 0};
  q.kind = kind_text(g, from, sized ? from->size : 0);
  if (names != NULL) q.member_names = g->names;
  for (size_t k = 0; k < n; k++) {
    *g->objects++ = from[k].index;
    if (names != NULL) *g->names++ = names[from[k].index];
  }
  if (interactions)
    add_interactions(g, &q, from);
  else
    add_systems(g, &q, from);
}

static int compare_sizes(const void *a, const void *b) {
  const named *p = a, *q = b;
  if (p->size != q->size) return p->size < q->size ? -1 : 1;
  if (p->other != q->other) return p->other < q->other ? -1 : 1;
  return p->index < q->index ? -1 : p->index > q->index;
}

static int is_same_size(const named *p, const named *q) {
  return p->size == q->size && p->other == q->other;
}

/* All that are called one thing; where the word is ours, each size by itself. */
static perp_status add_called(gathering *g, named *from, size_t n, int interactions,
                              const char *const *names, perp_info *info) {
  size_t different = 1;
  while (different < n && is_same_size(from, from + different)) different++;
  if (different < n && names != NULL)
    return interactions ? fail_interaction(info, PERP_EINVAL, "interactions.name",
                                           from[different].index, from[different].size)
                        : fail_system(info, PERP_EINVAL, "systems.name", from[different].index,
                                      from[different].size);
  if (different == n) {
    add_kind(g, from, n, interactions, 0, names);
    return PERP_OK;
  }
  qsort(from, n, sizeof *from, compare_sizes);
  for (size_t first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && is_same_size(from + first, from + end);) end++;
    add_kind(g, from + first, end - first, interactions, 1, names);
  }
  return PERP_OK;
}

static perp_status gather(gathering *g, named *list, int32_t n, int interactions,
                          const char *const *names, perp_info *info) {
  const access *a = g->sim;
  for (int32_t i = 0; i < n; i++) {
    if (names != NULL && (names[i] == NULL || *names[i] == 0 || *names[i] == '['))
      return interactions ? fail_interaction(info, PERP_EINVAL, "interactions.name", i, 0)
                          : fail_system(info, PERP_EINVAL, "systems.name", i, 0);
    const char *kind = names != NULL ? names[i] : word_for(a, i, interactions);
    named *o = list + i;
    *o = (named){kind, strcspn(kind, "["), i, 0, 0};
    if (interactions) {
      o->size = a->size(a->sim, PERP_LOG_Y, i);
    } else {
      const int order = a->model->systems[i]->ops->order;
      o->size = a->size(a->sim, order == 1 ? PERP_LOG_X : PERP_LOG_Q, i);
      o->other = order == 1 ? 0 : a->size(a->sim, PERP_LOG_V, i);
    }
  }
  qsort(list, (size_t)n, sizeof *list, compare_kinds);
  perp_status status = PERP_OK;
  for (size_t first = 0, end; status == PERP_OK && first < (size_t)n; first = end) {
    for (end = first + 1; end < (size_t)n && is_same_kind(list + first, list + end);) end++;
    status = add_called(g, list + first, end - first, interactions, names, info);
  }
  return status;
}

static size_t text_bytes(const char *const *names, int32_t n) {
  size_t bytes = 0;
  for (int32_t i = 0; i < n; i++)
    bytes += names != NULL && names[i] != NULL ? strlen(names[i]) + 1 : 32;
  return bytes;
}

static perp_status create(perp_log **out, const char *path, const access *a,
                          const char *const *systems, const char *const *interactions,
                          const perp_log_schema *schema, const perp_log_options *options,
                          perp_info *info) {
  perp_log_schema s = PERP_LOG_SCHEMA_INIT;
  if (schema != NULL) {
    const perp_status status = perp_log_schema_check(&s, schema, info);
    if (status != PERP_OK) return status;
  }
  const int32_t n_systems = a->model->n_systems, n_interactions = a->model->n_interactions;
  const size_t n = (size_t)n_systems + (size_t)n_interactions;
  const size_t quantities = (3 * n + 2 + (size_t)s.n_quantities) * sizeof(perp_log_quantity);
  const size_t text = text_bytes(systems, n_systems) + text_bytes(interactions, n_interactions);
  const size_t need = quantities + n * (sizeof(named) + sizeof(char *) + sizeof(int32_t)) + text;
  unsigned char *block = malloc(need + 1);
  if (block == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)need);
  named *list = (named *)(void *)(block + quantities);
  gathering g = {.sim = a, .quantities = (perp_log_quantity *)(void *)block};
  g.names = (const char **)(void *)(list + n);
  g.objects = (int32_t *)(void *)(g.names + n);
  g.text = (char *)(g.objects + n);
  perp_status status = gather(&g, list, n_systems, 0, systems, info);
  if (status == PERP_OK) status = gather(&g, list, n_interactions, 1, interactions, info);
  if (status == PERP_OK) {
    add_pool(&g);
    if (s.n_quantities > 0)
      memcpy(g.quantities + g.n, s.quantities, (size_t)s.n_quantities * sizeof *s.quantities);
    s.quantities = g.quantities;
    s.n_quantities += g.n;
    status = perp_log_create(out, path, &s, options, info);
  }
  free(block);
  return status;
}

perp_status perp_log_simulation_create(perp_log **out, const char *path, const perp_simulation *sim,
                                       const char *const *systems, const char *const *interactions,
                                       const perp_log_schema *schema,
                                       const perp_log_options *options, perp_info *info) {
  info_clear(info);
  if (out == NULL) return fail_field(info, "out", -1);
  *out = NULL;
  if (sim == NULL) return fail_field(info, "sim", -1);
  const access a = of_stepping(sim);
  return create(out, path, &a, systems, interactions, schema, options, info);
}

perp_status perp_log_event_driven_create(perp_log **out, const char *path,
                                         const perp_event_driven *sim, const char *const *systems,
                                         const char *const *interactions,
                                         const perp_log_schema *schema,
                                         const perp_log_options *options, perp_info *info) {
  info_clear(info);
  if (out == NULL) return fail_field(info, "out", -1);
  *out = NULL;
  if (sim == NULL) return fail_field(info, "sim", -1);
  const access a = of_events(sim);
  return create(out, path, &a, systems, interactions, schema, options, info);
}

/* -------------------------------------------------------------------------------- steps ---- */

static perp_status read_energy(const access *a, int32_t source, double *to) {
  return source == PERP_LOG_KINETIC ? a->energy(a->sim, to, NULL) : a->energy(a->sim, NULL, to);
}

/* What is summed over the contacts of the pool; whether systems are listed as they are numbered. */
typedef struct contact_sum {
  const perp_log_quantity *q;
  double *to;
  int rising;
} contact_sum;

static int is_rising(const perp_log_quantity *q) {
  for (int32_t i = 1; q->objects != NULL && i < q->members; i++)
    if (q->objects[i] <= q->objects[i - 1]) return 0;
  return 1;
}

/* The member that is a system, -1 if none is. */
static int32_t member_of(const contact_sum *sum, int32_t system) {
  const perp_log_quantity *q = sum->q;
  int32_t low = 0, high = q->members;
  if (q->objects == NULL) return system < q->members ? system : -1;
  while (sum->rising && low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (q->objects[middle] < system)
      low = middle + 1;
    else
      high = middle;
  }
  while (!sum->rising && low < high && q->objects[low] != system) low++;
  return low < q->members && q->objects[low] == system ? low : -1;
}

static void add_contact(const perp_contact_view *view, void *user) {
  const contact_sum *sum = user;
  const perp_log_quantity *q = sum->q;
  if (view->interaction >= 0) return;
  if (q->source == PERP_LOG_CONTACTS) *sum->to += 1;
  if (q->source == PERP_LOG_OVERLAP && -view->gap > *sum->to) *sum->to = -view->gap;
  for (int32_t s = 0; q->source == PERP_LOG_CONTACT_FORCE && s < 2; s++) {
    const int32_t k = view->systems[s] < 0 ? -1 : member_of(sum, view->systems[s]);
    if (k < 0) continue;
    double *to = sum->to + (size_t)k * (size_t)q->components;
    for (int32_t c = 0; c < q->components; c++) to[c] += s == 0 ? view->force[c] : -view->force[c];
  }
}

static perp_status read_contacts(const access *a, int32_t i, const perp_log_quantity *q, double *to,
                                 perp_info *info) {
  if (a->contacts == NULL || q->components > 3) return fail_field(info, "quantities", i);
  const size_t n = (size_t)q->members * (size_t)q->components;
  for (size_t k = 0; k < n; k++) to[k] = 0;
  contact_sum sum = {q, to, is_rising(q)};
  (void)perp_contacts_each(a->contacts, INT32_MAX, add_contact, &sum);
  return PERP_OK;
}

/* The values of quantity i of the file. */
static perp_status read_quantity(const perp_log *log, const access *a, int32_t i, double *to,
                                 perp_info *info) {
  const perp_log_quantity *q = log->schema.quantities + i;
  if (q->source < 0 || q->source >= LOG_SOURCES) return fail_field(info, "quantities", i);
  if (q->source >= PERP_LOG_CONTACTS) return read_contacts(a, i, q, to, info);
  if (q->source >= PERP_LOG_KINETIC) {
    const perp_status status = read_energy(a, q->source, to);
    return status == PERP_OK ? status : fail(info, status, "energy", -1, 0);
  }
  for (int32_t k = 0; k < q->members; k++, to += q->components) {
    const int32_t object = q->objects != NULL ? q->objects[k] : k;
    if (a->size(a->sim, q->source, object) != q->components)
      return fail(info, PERP_EINVAL, "quantities", i, object);
    if (q->source == PERP_LOG_FORCE) {
      const perp_status status = a->force(a->sim, object, to);
      if (status != PERP_OK) return fail(info, status, "quantities", i, object);
      continue;
    }
    const double *values = a->values(a->sim, q->source, object);
    if (values == NULL) return fail(info, PERP_EINVAL, "quantities", i, object);
    for (int32_t c = 0; c < q->components; c++) to[c] = values[c];
  }
  return PERP_OK;
}

static perp_status step(perp_log *log, const access *a, double t, const double *own, int32_t n_own,
                        perp_info *info) {
  if (n_own != log->n_own) return fail(info, PERP_EINVAL, "n_own", -1, n_own);
  if (n_own > 0 && own == NULL) return fail_field(info, "own", -1);
  if (log->failed != NULL) return perp_log_flush(log, 0, info);
  if (!perp_log_due(log)) return PERP_OK;
  double *to = log->sample;
  for (int32_t i = 0; n_own > 0 && i < log->n_stretches; to += log->stretches[i++].n)
    if (log->stretches[i].own >= 0)
      memcpy(to, own + log->stretches[i].own, (size_t)log->stretches[i].n * sizeof *to);
  for (int32_t i = 0; i < log->schema.view.n_quantities; i++) {
    if (log->schema.quantities[i].source == PERP_LOG_OWN) continue;
    const perp_status status = read_quantity(log, a, i, log->sample + log->schema.offsets[i], info);
    if (status == PERP_OK) continue;
    log->offered--; /* it was not */
    return status;
  }
  return perp_log_put_sample(log, t, log->sample, info);
}

/* Contacts that are gathered: so many in the list of the log. */
typedef struct gathered {
  perp_log *log;
  int32_t n;
  int lost; /* there was no memory */
} gathered;

static void gather_contact(const perp_contact_view *view, void *user) {
  gathered *all = user;
  if (view->interaction >= 0 || all->lost) return; /* of the model, which its quantities have */
  perp_log_contact c = {{view->systems[0], view->systems[1]},
                        {view->identity[0], view->identity[1]},
                        view->law,
                        view->rows,
                        view->gap,
                        {0},
                        {0},
                        {0},
                        {0}};
  memcpy(c.point, view->point, sizeof c.point);
  memcpy(c.normal, view->frame, sizeof c.normal);
  memcpy(c.tangent, view->frame + 3, sizeof c.tangent);
  for (int32_t r = 0; r < view->rows && r < 5; r++) c.lambda[r] = view->lambda[r];
  all->lost = !perp_log_list_contact(all->log, all->n++, &c);
}

static perp_status put_contacts(perp_log *log, const perp_simulation *sim, perp_info *info) {
  gathered all = {log, 0, 0};
  (void)perp_contacts_each(sim, INT32_MAX, gather_contact, &all);
  if (all.lost)
    return fail(info, PERP_EBACKEND, "malloc", -1,
                (double)all.n * (double)log_contact_bytes(log->schema.float32));
  return perp_log_put_contacts(log, perp_simulation_time(sim), all.n, info);
}

perp_status perp_log_step(perp_log *log, perp_simulation *sim, const double *own, int32_t n_own,
                          perp_info *info) {
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (sim == NULL) return fail_field(info, "sim", -1);
  const access a = of_stepping(sim);
  const int is_due = log->offered % log->schema.every == 0; /* as perp_log_due() will say */
  const perp_status status = step(log, &a, perp_simulation_time(sim), own, n_own, info);
  if (status != PERP_OK || !is_due || !log->contact_lists || a.contacts == NULL) return status;
  return put_contacts(log, sim, info);
}

perp_status perp_log_event_driven_step(perp_log *log, perp_event_driven *sim, const double *own,
                                       int32_t n_own, perp_info *info) {
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (sim == NULL) return fail_field(info, "sim", -1);
  const access a = of_events(sim);
  return step(log, &a, perp_event_driven_time(sim), own, n_own, info);
}

/* ------------------------------------------------------------------------------- events ---- */

static int any(const double *x, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    if (x[i] != 0) return 1;
  return 0;
}

/* Whether a change is one of an interaction: guards and schedules count by themselves. */
static int is_of_interaction(const perp_event_change *change) {
  return (change->kind & (PERP_EVENT_SCHEDULE | PERP_EVENT_GUARD)) == 0 && change->index >= 0;
}

static int changed(const perp_event *event, int32_t interaction) {
  for (int32_t k = 0; k < event->n_changes; k++)
    if (is_of_interaction(event->changes + k) && event->changes[k].index == interaction) return 1;
  return 0;
}

/* An event of a simulation has as many rows as its interactions. */
static int is_of(const perp_event *event, const perp_event_driven *sim) {
  return event->struct_size >= PERP_THROUGH(perp_event, n_rows) && event->n_changes >= 0 &&
         (event->n_changes == 0 || event->changes != NULL) &&
         (event->n_rows == 0 ||
          (event->impulse != NULL && event->n_rows >= 0 && (size_t)event->n_rows == sim->rows));
}

perp_status perp_log_event_driven_event(perp_log *log, perp_event_driven *sim,
                                        const perp_event *event, perp_info *info) {
  info_clear(info);
  if (log == NULL) return fail_field(info, "log", -1);
  if (sim == NULL) return fail_field(info, "sim", -1);
  if (event == NULL) return fail_field(info, "event", -1);
  if (!is_of(event, sim)) return fail_field(info, "event.impulse", -1);
  perp_status status = PERP_OK;
  const int has_impulse = (event->kinds & PERP_EVENT_IMPACT) != 0 && event->n_rows > 0;
  for (int32_t k = 0; status == PERP_OK && k < event->n_changes; k++) {
    const perp_event_change *c = event->changes + k;
    perp_log_event e = {event->t, c->kind, c->index,     c->copy,      c->before,
                        c->after, 0,       event->error, event->until, NULL};
    if (has_impulse && is_of_interaction(c) && c->index < sim->n_interactions) {
      const double *at = event->impulse;
      for (int32_t i = 0; i < c->index; i++) at += perp_event_driven_n_rows(sim, i);
      const int32_t rows = perp_event_driven_n_rows(sim, c->index);
      if (any(at, rows)) e.impulse = at, e.n_impulse = rows;
    }
    status = perp_log_add_event(log, &e, info);
  }
  const double *at = event->impulse;
  for (int32_t i = 0; has_impulse && status == PERP_OK && i < sim->n_interactions; i++) {
    const int32_t rows = perp_event_driven_n_rows(sim, i);
    if (any(at, rows) && !changed(event, i)) {
      const perp_log_event e = {event->t,     PERP_EVENT_IMPACT, i, -1, -1, -1, rows,
                                event->error, event->until,      at};
      status = perp_log_add_event(log, &e, info);
    }
    at += rows;
  }
  return status;
}
