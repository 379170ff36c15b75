/* SPDX-License-Identifier: MIT */
/* The bench cases with perp, through its public C interface: Moreau-Jean with the active-set solver
 * for the mechanical ones, with friction nsgs (a step leaves a lone contact to the exact solution
 * of its law), the θ-scheme with Lemke for the circuit. */
#define _POSIX_C_SOURCE 199309L
#include "bench.h"
#include "perp/perp.h"

/* A simulation with everything its model points to. */
typedef struct run {
  perp_model model;
  perp_simulation_options options;
  perp_lagrangian_linear mechanical;
  perp_first_order_linear circuit;
  perp_lagrangian_linear_relation contact[2]; /* on the ground, between neighbours */
  perp_linear_relation diodes;
  perp_lagrangian_linear_relation edge[3];
  perp_newton_impact impact;
  perp_friction friction[3];
  perp_body body;
  perp_body_contact touch;
  perp_sphere_plane ground;
  perp_complementarity ideal;
  perp_interaction *interactions;
  const perp_system **systems;
  const perp_interaction **list;
  int32_t *pairs;
  double *q0, *v0;
  double M[3], K[1], f[3], offset[2];
  perp_simulation *simulation;
  void *state, *work;
} run;

static void release(void *simulation) {
  run *r = (run *)simulation;
  if (r == NULL) return;
  void *owned[] = {r->interactions, (void *)r->systems, (void *)r->list, r->pairs, r->q0,
                   r->v0,           r->state,           r->work};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
  free(r);
}

/* Room for n systems of dof coordinates, with one interaction each; 0 if memory is short. */
static int reserve(run *r, int n, int dof) {
  const size_t count = (size_t)n, entries = count * (size_t)dof;
  r->interactions = (perp_interaction *)calloc(count, sizeof *r->interactions);
  r->systems = (const perp_system **)calloc(count, sizeof *r->systems);
  r->list = (const perp_interaction **)calloc(count, sizeof *r->list);
  r->pairs = (int32_t *)calloc(count + 1, sizeof *r->pairs);
  r->q0 = (double *)calloc(entries, sizeof *r->q0);
  r->v0 = (double *)calloc(entries, sizeof *r->v0);
  if (r->interactions == NULL || r->systems == NULL || r->list == NULL || r->pairs == NULL ||
      r->q0 == NULL || r->v0 == NULL)
    return 0;
  r->model.n_systems = r->model.n_interactions = n;
  r->model.systems = r->systems;
  r->model.interactions = r->list;
  r->model.q0 = r->q0;
  r->model.v0 = r->v0;
  return 1;
}

/* Interaction i: a relation and a law over count systems from pairs[first] on. */
static void join(run *r, int i, const perp_relation *relation, const perp_law *law, int first,
                 int count) {
  r->interactions[i].relation = relation;
  r->interactions[i].law = law;
  r->interactions[i].systems = r->pairs + first;
  r->interactions[i].n_systems = count;
  r->list[i] = &r->interactions[i];
}

/* n spheres of 1 kg, two translations and a rotation each, weight along the first coordinate;
 * contact i lies below sphere i. */
static int make_spheres(run *r, int n, double radius, double restitution) {
  static const double H[6] = {-1, 0, 0, 1, 0, 0};
  if (!reserve(r, n, 3)) return 0;
  r->M[0] = r->M[1] = 1.0;
  r->M[2] = 0.4 * radius * radius;
  r->f[0] = -GRAVITY;
  perp_lagrangian_linear_init(&r->mechanical, sizeof r->mechanical, 3);
  r->mechanical.M = perp_diagonal(3, r->M);
  r->mechanical.f = r->f;
  perp_newton_impact_init(&r->impact, sizeof r->impact);
  r->impact.e = restitution;
  for (int i = 0; i < 2; i++) {
    perp_lagrangian_linear_relation_init(&r->contact[i], sizeof r->contact[i], 1, 3 + 3 * i);
    r->contact[i].H = H + 3 * (1 - i);
    r->contact[i].b = r->offset + i;
  }
  for (int i = 0; i < n; i++) {
    r->systems[i] = &r->mechanical.system;
    r->pairs[i] = i;
    join(r, i, &r->contact[i > 0].relation, &r->impact.law, i == 0 ? 0 : i - 1, i == 0 ? 1 : 2);
  }
  return 1;
}

static int make_beads(run *r, const bench_case *c) {
  if (!make_spheres(r, c->beads, BEADS_RADIUS, BEADS_RESTITUTION)) return 0;
  for (int i = 0; i < c->beads; i++) r->q0[3 * i] = bead_height(c, i);
  for (int i = 0; i < 2; i++) r->offset[i] = bead_offset(c, i);
  r->options.h = BEADS_H;
  return 1;
}

static int make_ball(run *r) {
  if (!make_spheres(r, 1, BALL_RADIUS, BALL_RESTITUTION)) return 0;
  r->q0[0] = 1.0;
  r->options.h = BALL_H;
  return 1;
}

static int make_follower(run *r) {
  static const double H[1] = {1};
  if (!reserve(r, 1, 1)) return 0;
  r->M[0] = FOLLOWER_MASS;
  r->K[0] = FOLLOWER_SPRING;
  perp_lagrangian_linear_init(&r->mechanical, sizeof r->mechanical, 1);
  r->mechanical.M = perp_dense(1, 1, r->M);
  r->mechanical.K = perp_dense(1, 1, r->K);
  perp_newton_impact_init(&r->impact, sizeof r->impact);
  r->impact.e = FOLLOWER_RESTITUTION;
  perp_lagrangian_linear_relation_init(r->contact, sizeof *r->contact, 1, 1);
  r->contact->H = H;
  r->systems[0] = &r->mechanical.system;
  r->q0[0] = r->v0[0] = 0.4;
  join(r, 0, &r->contact->relation, &r->impact.law, 0, 1);
  r->options.h = FOLLOWER_H;
  return 1;
}

/* Contact i of one body: normal and tangential row H, by columns. */
static void rub(run *r, int i, const double *H, const double *offset, double mu,
                double restitution) {
  perp_lagrangian_linear_relation *edge = &r->edge[i];
  perp_friction *friction = &r->friction[i];
  perp_lagrangian_linear_relation_init(edge, sizeof *edge, 2, r->mechanical.system.n);
  edge->H = H;
  edge->b = offset;
  perp_friction_init(friction, sizeof *friction);
  friction->law.size = 2;
  friction->mu = mu;
  friction->e_n = restitution;
  r->pairs[0] = 0;
  join(r, i, &edge->relation, &friction->law, 0, 1);
}

static int make_oscillator(run *r) {
  static const double H[4] = {0, 1, 1, 0}, K[2] = {OSCILLATOR_SPRING, 0};
  if (!reserve(r, 1, 2)) return 0;
  r->M[0] = r->M[1] = OSCILLATOR_MASS;
  r->f[1] = -OSCILLATOR_MASS * GRAVITY;
  perp_lagrangian_linear_init(&r->mechanical, sizeof r->mechanical, 2);
  r->mechanical.M = perp_diagonal(2, r->M);
  r->mechanical.K = perp_diagonal(2, K);
  r->mechanical.f = r->f;
  r->systems[0] = &r->mechanical.system;
  r->q0[0] = OSCILLATOR_START;
  r->q0[1] = -OSCILLATOR_OVERLAP;
  rub(r, 0, H, NULL, OSCILLATOR_FRICTION, 0);
  r->options.h = OSCILLATOR_H;
  r->options.solver = perp_solver_nsgs();
  return 1;
}

static int make_woodpecker(run *r) {
  static double H[3][6], offset[3][2];
  if (!reserve(r, 3, 3)) return 0;
  perp_lagrangian_linear_init(&r->mechanical, sizeof r->mechanical, 3);
  r->mechanical.M = perp_dense(3, 3, toy_mass);
  r->mechanical.K = perp_dense(3, 3, toy_spring);
  r->mechanical.f = toy_weight;
  r->systems[0] = &r->mechanical.system;
  r->model.n_systems = 1;
  memcpy(r->q0, toy_q0, sizeof toy_q0);
  memcpy(r->v0, toy_v0, sizeof toy_v0);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 6; j++) H[i][j] = toy_rows[i][3 * (j % 2) + j / 2];
    offset[i][0] = toy_offset[i];
    rub(r, i, H[i], offset[i], TOY_FRICTION, i == 0 ? TOY_BEAK : 0.0);
  }
  r->options.h = TOY_H;
  r->options.solver = perp_solver_nsgs();
  return 1;
}

static int make_body(run *r, int projected) {
  if (!reserve(r, 1, 7)) return 0;
  perp_body_init(&r->body, sizeof r->body); /* 1 kg, inertia the identity: no gyroscopic torque */
  r->body.gyroscopic = PERP_GYROSCOPIC_NONE;
  r->body.f[0] = -GRAVITY;
  r->ground.radius = BODY_RADIUS;
  r->ground.normal[0] = 1;
  perp_body_contact_init(&r->touch, sizeof r->touch, 3, 1);
  r->touch.locate = perp_locate_sphere_plane;
  r->touch.user = &r->ground;
  perp_friction_init(&r->friction[0], sizeof r->friction[0]);
  r->friction[0].mu = BODY_FRICTION;
  r->friction[0].e_n = r->friction[0].e_t = BODY_RESTITUTION;
  r->systems[0] = &r->body.system;
  r->q0[0] = r->q0[3] = 1.0;
  r->v0[0] = BODY_START;
  r->pairs[0] = 0;
  join(r, 0, &r->touch.relation, &r->friction[0].law, 0, 1);
  r->options.h = BODY_H;
  r->options.solver = perp_solver_nsgs();
  r->options.projection = projected ? PERP_PROJECT_POSITIONS : PERP_PROJECT_NONE;
  return 1;
}

static int make_bridge(run *r) {
  enum { c = 1000000, l = 100 }; /* 1 / BRIDGE_C, 1 / BRIDGE_L */
  static const double A[4] = {0, l, -c, 0};
  static const double C[8] = {0, 0, -1, 1, 0, 0, 0, 0}, B[8] = {0, 0, 0, 0, -c, 0, c, 0};
  static const double D[16] = {
      1 / BRIDGE_R, 1 / BRIDGE_R, 1, 0, 1 / BRIDGE_R, 1 / BRIDGE_R, 0, 1, -1, 0, 0, 0, 0, -1, 0, 0};
  if (!reserve(r, 1, 2)) return 0;
  perp_first_order_linear_init(&r->circuit, sizeof r->circuit, 2);
  r->circuit.A = perp_dense(2, 2, A);
  perp_linear_relation_init(&r->diodes, sizeof r->diodes, 4, 2);
  r->diodes.C = C;
  r->diodes.D = D;
  r->diodes.B = B;
  perp_complementarity_init(&r->ideal, sizeof r->ideal);
  r->systems[0] = &r->circuit.system;
  r->q0[0] = 10.0;
  r->model.q0 = r->model.v0 = NULL;
  r->model.x0 = r->q0;
  join(r, 0, &r->diodes.relation, &r->ideal.law, 0, 1);
  r->options.h = BRIDGE_H;
  r->options.integrator = perp_integrator_theta();
  r->options.solver = perp_solver_lemke();
  return 1;
}

static int make(run *r, const bench_case *c) {
  const perp_model empty = PERP_MODEL_INIT;
  r->model = empty;
  r->options = perp_simulation_options_default();
  r->options.integrator = perp_integrator_moreau_jean();
  r->options.solver = perp_solver_active_set();
  if (c->beads > 0) return make_beads(r, c);
  if (strcmp(c->name, "ball") == 0) return make_ball(r);
  if (strcmp(c->name, "bridge") == 0) return make_bridge(r);
  if (strcmp(c->name, "oscillator") == 0) return make_oscillator(r);
  if (strcmp(c->name, "woodpecker") == 0) return make_woodpecker(r);
  if (strncmp(c->name, "body", 4) == 0) return make_body(r, strcmp(c->name, "body") != 0);
  return make_follower(r);
}

static void *prepare(const bench_case *c, void *previous) {
  release(previous);
  run *r = (run *)calloc(1, sizeof *r);
  if (r == NULL || !make(r, c)) return NULL;
  const size_t state = perp_simulation_state_size(&r->model, &r->options);
  const size_t work = perp_simulation_work_size(&r->model, &r->options);
  r->state = calloc(1, state + 1);
  r->work = calloc(1, work + 1);
  if (r->state == NULL || r->work == NULL) return NULL;
  perp_info info = PERP_INFO_INIT;
  const perp_status status = perp_simulation_init(&r->simulation, &r->model, &r->options, r->state,
                                                  state, r->work, work, &info);
  if (status == PERP_OK) return r;
  fprintf(stderr, "%s: %s %d %g\n", perp_status_string(status),
          info.field == NULL ? "-" : info.field, (int)info.index, info.value);
  return NULL;
}

static int loop(void *simulation, int steps) {
  perp_simulation *s = ((run *)simulation)->simulation;
  perp_status status = PERP_OK;
  int k = 0;
  for (; k < steps && status == PERP_OK; k++) status = perp_simulation_step(s, NULL);
  if (status != PERP_OK) fprintf(stderr, "step %d: %s\n", k, perp_status_string(status));
  return status == PERP_OK;
}

static size_t state(void *simulation, double *out) {
  const run *r = (const run *)simulation;
  const int32_t last = r->model.n_systems - 1;
  const double *x = perp_simulation_x(r->simulation, 0);
  const double *q = x != NULL ? x : perp_simulation_q(r->simulation, 0);
  const double *v = x != NULL ? x : perp_simulation_v(r->simulation, 0);
  const size_t n = (size_t)(last + 1) * (size_t)r->systems[0]->n;
  const size_t n_q = r->systems[0] == &r->body.system ? 7 : n; /* a quaternion */
  if (out != NULL) memcpy(out, q, n_q * sizeof *out);
  if (out != NULL && x == NULL) memcpy(out + n_q, v, n * sizeof *out);
  return x != NULL ? n : n_q + n;
}

int main(int argc, char **argv) {
  const bench_program program = {"perp", prepare, loop, state, release};
  return bench_main(argc, argv, &program);
}
