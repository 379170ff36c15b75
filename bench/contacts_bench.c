/* SPDX-License-Identifier: MIT */
/* Many contacts by perp: the scenes through the callback of a pool. contacts_main.c has the command
 * line. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contacts.h"
#include "perp/perp.h"

/* What a thread has found. */
typedef struct found {
  perp_pool_contact *contacts;
  int32_t n, room;
  int lost;       /* 1: no memory */
  char apart[64]; /* from the next one, which another thread writes */
} found;

typedef struct world {
  const contacts_scene *scene;
  contacts_grid grid;
  unsigned char *asleep;
  perp_body body;
  perp_friction friction;
  const perp_law *laws[1];
  const perp_system **systems;
  perp_contact_pool pool;
  perp_model model;
  perp_nsgs_options sweeps;
  perp_simulation_options options;
  perp_simulation *sim;
  perp_threads *threads; /* NULL: one */
  int32_t workers;
  found *found; /* of each thread */
  void *state, *work;
  size_t state_bytes, work_bytes;
  perp_contact_view *views;
  double finding;
  int64_t iterations, accepted; /* of the report, before the last step */
} world;

static void write(const contacts_point *point, perp_pool_contact *c) {
  c->systems[0] = point->body[0];
  c->systems[1] = point->body[1]; /* CONTACTS_GROUND is PERP_GROUND */
  c->law = c->reserved = 0;
  c->identity[0] = point->feature;
  c->identity[1] = 0;
  c->place.gap = point->gap;
  memcpy(c->place.normal, point->normal, sizeof c->place.normal);
  memset(c->place.tangent, 0, sizeof c->place.tangent);
  memcpy(c->place.a, point->a, sizeof c->place.a);
  memcpy(c->place.b, point->b, sizeof c->place.b);
  memset(c->place.velocity, 0, sizeof c->place.velocity);
}

static void add(const contacts_point *point, void *user) {
  perp_pool_contact c;
  write(point, &c);
  (void)perp_pool_add((perp_pool_writer *)user, &c, NULL); /* what is refused ends the step */
}

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void note(const contacts_point *point, void *user) {
  found *f = (found *)user;
  if (f->n == f->room) {
    const int32_t room = 2 * f->room + 1024;
    perp_pool_contact *more =
        (perp_pool_contact *)realloc(f->contacts, (size_t)room * sizeof *more);
    if (more == NULL) {
      f->lost = 1;
      return;
    }
    f->contacts = more;
    f->room = room;
  }
  write(point, &f->contacts[f->n++]);
}

enum { BODIES = 64 }; /* that one thread looks at in one go */

typedef struct looking {
  world *w;
  const double *q;
} looking;

static void look(int32_t begin, int32_t end, int32_t worker, void *user) {
  const looking *l = (const looking *)user;
  const int32_t n = l->w->scene->n, last = BODIES * end < n ? BODIES * end : n;
  contacts_find_of(l->w->scene, &l->w->grid, l->q, BODIES * begin, last, note,
                   &l->w->found[worker]);
}

/* By all threads, each for itself; then all is added. */
static int find_together(world *w, const double *q, perp_pool_writer *out) {
  looking l = {w, q};
  if (!contacts_grid_lay(w->scene, &w->grid, q)) return 0;
  for (int32_t k = 0; k < w->workers; k++) w->found[k].n = 0;
  perp_threads_for((w->scene->n + BODIES - 1) / BODIES, look, &l, w->threads);
  for (int32_t k = 0; k < w->workers; k++) {
    if (w->found[k].lost) return 0;
    (void)perp_pool_add_all(out, w->found[k].n, w->found[k].contacts, NULL);
  }
  return 1;
}

static int32_t find(double t, const perp_simulation *sim, perp_pool_writer *out, void *user) {
  world *w = (world *)user;
  (void)t;
  if (perp_simulation_awake(sim) == 0) return 0; /* all stays as it is */
  for (int32_t i = 0; w->asleep != NULL && i < w->scene->n; i++)
    w->asleep[i] = perp_simulation_is_asleep(sim, i) != 0;
  const double begin = clock_now(), *q = perp_simulation_q(sim, 0);
  const int good = w->threads != NULL ? find_together(w, q, out)
                                      : contacts_find(w->scene, &w->grid, q, add, out);
  w->finding += clock_now() - begin;
  return good ? 0 : -1;
}

static void describe(world *w, const contacts_request *ask) {
  const contacts_scene *scene = w->scene;
  perp_body_init(&w->body, sizeof w->body);
  w->body.mass = 1;
  for (int i = 0; i < 3; i++) w->body.inertia[4 * i] = scene->inertia;
  w->body.f[2] = -CONTACTS_GRAVITY;
  for (int32_t i = 0; i < scene->n; i++) w->systems[i] = &w->body.system;
  perp_friction_init(&w->friction, sizeof w->friction);
  w->friction.law.size = 3;
  w->friction.mu = CONTACTS_MU;
  w->laws[0] = &w->friction.law;
  const perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
  w->pool = pool;
  w->pool.capacity = scene->places;
  w->pool.n_laws = 1;
  w->pool.laws = w->laws;
  w->pool.find = find;
  w->pool.user = w;
  const perp_model model = PERP_MODEL_INIT;
  w->model = model;
  w->model.n_systems = scene->n;
  w->model.systems = w->systems;
  w->model.q0 = scene->q0;
  w->model.pool = &w->pool;
  w->sweeps = perp_nsgs_options_default();
  w->options = perp_simulation_options_default();
  w->options.integrator = perp_integrator_moreau_jean();
  w->options.theta = 1;
  w->options.h = ask->h;
  w->options.solver = perp_solver_nsgs();
  w->options.solver_options = &w->sweeps;
  w->options.gap_tol = ask->gap_tol;
  w->options.formulation =
      strcmp(ask->solver, "reduced") == 0 ? PERP_FORMULATION_REDUCED : PERP_FORMULATION_GLOBAL;
  w->options.sparse = strcmp(ask->solver, "sweeps") == 0 ? NULL : perp_sparse_ldl();
  w->options.projection = ask->correct > 0 ? PERP_PROJECT_POSITIONS : PERP_PROJECT_NONE;
  if (ask->correct > 0) w->options.projection_max = ask->correct;
  w->options.on_failure = PERP_FAILURE_ACCEPT;
  w->options.accept_tol = HUGE_VAL;
  w->options.sleep_energy = ask->sleep;
  w->options.sleep_time = ask->sleep_time;
  if (w->threads != NULL) {
    w->options.parallel = perp_threads_for;
    w->options.parallel_user = w->threads;
  }
}

static void tolerances(world *w, const contacts_request *ask) {
  w->sweeps.tol = ask->tol;
  w->sweeps.max_iter = ask->max_sweeps;
  w->options.speed_tol =
      strcmp(ask->solver, "reduced") == 0 ? 0 : ask->speed_tol * CONTACTS_GRAVITY * ask->h;
}

static int explain(const char *what, perp_status status, const perp_info *info) {
  fprintf(stderr, "perp: %s: %s (%s, %d, %g)\n", what, perp_status_string(status),
          info->field != NULL ? info->field : "-", (int)info->index, info->value);
  return 0;
}

static void release(void *self) {
  world *w = (world *)self;
  perp_simulation_release(w->sim);
  perp_threads_destroy(w->threads);
  for (int32_t k = 0; w->found != NULL && k < w->workers; k++) free(w->found[k].contacts);
  free(w->found);
  contacts_grid_free(&w->grid);
  free(w->systems);
  free(w->asleep);
  free(w->state);
  free(w->work);
  free(w->views);
  free(w);
}

static int allocate(world *w) {
  w->state_bytes = perp_simulation_state_size(&w->model, &w->options);
  w->work_bytes = perp_simulation_work_size(&w->model, &w->options);
  w->state = w->state_bytes > 0 ? malloc(w->state_bytes) : NULL;
  w->work = w->work_bytes > 0 ? malloc(w->work_bytes) : NULL;
  w->views = (perp_contact_view *)malloc((size_t)w->scene->places * sizeof *w->views);
  if (w->state != NULL && w->work != NULL && w->views != NULL) return 1;
  fprintf(stderr, "perp: state of %zu bytes, work of %zu: refused, or too many\n", w->state_bytes,
          w->work_bytes);
  return 0;
}

static int employ(world *w, int32_t workers) {
  if (workers <= 1) return 1;
  w->found = (found *)calloc((size_t)workers, sizeof *w->found);
  w->workers = workers;
  return w->found != NULL && perp_threads_create(&w->threads, workers) == PERP_OK;
}

static void *make(const contacts_scene *scene, const contacts_request *ask) {
  world *w = (world *)calloc(1, sizeof *w);
  perp_info info = PERP_INFO_INIT;
  if (w == NULL) return NULL;
  w->scene = scene;
  w->systems = (const perp_system **)malloc((size_t)scene->n * sizeof *w->systems);
  if (ask->sleep > 0) w->asleep = (unsigned char *)malloc((size_t)scene->n);
  if (w->systems == NULL || (ask->sleep > 0 && w->asleep == NULL) ||
      !contacts_grid_make(&w->grid, scene->n) || !employ(w, ask->threads)) {
    release(w);
    return NULL;
  }
  w->grid.asleep = w->asleep;
  describe(w, ask);
  tolerances(w, ask);
  if (!allocate(w)) {
    release(w);
    return NULL;
  }
  const perp_status status = perp_simulation_init(&w->sim, &w->model, &w->options, w->state,
                                                  w->state_bytes, w->work, w->work_bytes, &info);
  if (status == PERP_OK) return w;
  explain("init", status, &info);
  release(w);
  return NULL;
}

static int retune(void *self, const contacts_request *ask) {
  world *w = (world *)self;
  perp_info info = PERP_INFO_INIT;
  tolerances(w, ask);
  perp_simulation_release(w->sim);
  const perp_status status = perp_simulation_resume(&w->sim, &w->model, &w->options, w->state,
                                                    w->state_bytes, w->work, w->work_bytes, &info);
  w->iterations = w->accepted = 0;
  return status == PERP_OK ? 1 : explain("resume", status, &info);
}

static int step(void *self, contacts_step *told) {
  world *w = (world *)self;
  perp_info info = PERP_INFO_INIT;
  perp_report report = PERP_REPORT_INIT;
  w->finding = 0;
  const perp_status status = perp_simulation_step(w->sim, &info);
  if (status != PERP_OK) return explain("step", status, &info);
  perp_simulation_report(w->sim, &report);
  told->seconds = -1;
  told->find = w->finding;
  told->sweeps = report.solver_iterations - w->iterations;
  told->accepted = (int32_t)(report.accepted - w->accepted);
  told->residual = info.residual / (CONTACTS_GRAVITY * w->options.h);
  w->iterations = report.solver_iterations;
  w->accepted = report.accepted;
  if (report.dropped > 0) fprintf(stderr, "perp: contacts dropped\n");
  return report.dropped == 0;
}

static void state(void *self, double *q, double *v) {
  const world *w = (const world *)self;
  const size_t n = (size_t)w->scene->n;
  memcpy(q, perp_simulation_q(w->sim, 0), 7 * n * sizeof *q);
  memcpy(v, perp_simulation_v(w->sim, 0), 6 * n * sizeof *v);
}

static int64_t forces(void *self, contacts_force *out) {
  const world *w = (const world *)self;
  int32_t n = 0;
  if (perp_simulation_contacts(w->sim, w->views, sizeof *w->views, w->scene->places, &n) != PERP_OK)
    return 0;
  for (int32_t k = 0; k < n; k++) {
    memcpy(out[k].body, w->views[k].systems, sizeof out[k].body);
    memcpy(out[k].normal, w->views[k].frame, sizeof out[k].normal);
    memcpy(out[k].impulse, w->views[k].impulse, sizeof out[k].impulse);
  }
  return n;
}

static void bytes(void *self, size_t *state_bytes, size_t *work_bytes) {
  const world *w = (const world *)self;
  *state_bytes = w->state_bytes;
  *work_bytes = w->work_bytes;
}

int main(int argc, char **argv) {
  static const contacts_engine engine = {"perp", make, retune, step, state, forces, bytes, release};
  return contacts_main(argc, argv, &engine);
}
