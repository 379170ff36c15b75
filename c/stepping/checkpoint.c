/* SPDX-License-Identifier: MIT */
/* Sealed copies of the state: a head, the state, and a CRC-32C of both (polynomial 0x1EDC6F41
 * reflected, as in iSCSI, RFC 3720), which tells any three flipped bits in up to 2^31. The head has
 * the fingerprint of all numbers that a run depends on. */
#include "base/fingerprint.h"
#include "base/info.h"
#include "base/overlap.h"
#include "linalg/matrix.h"
#include "perp/pool.h"
#include "solver/options.h"
#include "solver/shell.h"
#include "stepping/grid.h"
#include "stepping/stages.h"

enum { SEAL_MAGIC = 0x7365616c, SEAL_VERSION = 1, CRC_BYTES = 4 };

typedef struct seal {
  uint32_t magic, version;
  uint64_t bytes; /* of the state */
  uint64_t model; /* constants, sizes, options */
  uint64_t grid;  /* times of the grid up to the state's */
} seal;

/* ------------------------------------------------------------------------- checksum ---- */

static uint32_t crc32c(size_t n, const unsigned char *bytes) {
  static const uint32_t of_nibble[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                         0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                         0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                         0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    crc = (crc >> 4) ^ of_nibble[crc & 15];
    crc = (crc >> 4) ^ of_nibble[crc & 15];
  }
  return ~crc;
}

/* Low byte first: then it continues the polynomial, and its own bits are guarded alike. */
static void put_crc(unsigned char *to, uint32_t crc) {
  for (int i = 0; i < CRC_BYTES; i++, crc >>= 8) to[i] = (unsigned char)(crc & 0xff);
}

/* ---------------------------------------------------------------------- fingerprint ---- */

static void tell_system(const perp_system *s, perp_fingerprint *to) {
  const double sizes[] = {s->ops->order, s->n, s->ops->extra_q};
  fingerprint_text(to, s->ops->name);
  perp_fingerprint_add(to, 3, sizes);
  if (s->ops->terms != NULL) {
    perp_system_terms t;
    s->ops->terms(s, &t);
    perp_matrix_constants(&t.M, to);
    perp_matrix_constants(&t.A, to);
    perp_matrix_constants(&t.C, to);
    perp_matrix_constants(&t.K, to);
    perp_fingerprint_add(to, (size_t)s->n, t.f);
  }
  if (s->ops->constants != NULL) s->ops->constants(s, to);
}

static void tell_relation(const perp_relation *r, perp_fingerprint *to) {
  const size_t m = (size_t)r->m, n = (size_t)r->n;
  const double sizes[] = {r->m, r->n};
  fingerprint_text(to, r->ops->name);
  perp_fingerprint_add(to, 2, sizes);
  if (r->ops->terms != NULL) {
    perp_relation_terms t;
    r->ops->terms(r, &t);
    perp_fingerprint_add(to, m * n, t.H);
    perp_matrix_constants(&t.H_rows, to);
    perp_fingerprint_add(to, n * m, t.B);
    perp_fingerprint_add(to, m * m, t.D);
    perp_fingerprint_add(to, m * (size_t)t.n_z, t.F);
    perp_fingerprint_add(to, m, t.b);
    perp_fingerprint_add(to, n, t.a);
  }
  if (r->ops->constants != NULL) r->ops->constants(r, to);
}

static void tell_law(const perp_law *law, perp_fingerprint *to) {
  const double sizes[] = {law->ops->set, law->size};
  fingerprint_text(to, law->ops->name);
  perp_fingerprint_add(to, 2, sizes);
  if (law->ops->struct_size >= PERP_THROUGH(perp_law_ops, constants) && law->ops->constants != NULL)
    law->ops->constants(law, to);
}

static void tell_model(const perp_model *model, perp_fingerprint *to) {
  perp_fingerprint part = {FINGERPRINT_BEGIN};
  for (int32_t i = 0; i < model->n_systems; i++) { /* what neighbours share is read once */
    if (i == 0 || model->systems[i] != model->systems[i - 1]) {
      part.hash = FINGERPRINT_BEGIN;
      tell_system(model->systems[i], &part);
    }
    fingerprint_mix(&to->hash, part.hash);
  }
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *now = model->interactions[i];
    const perp_interaction *before = i > 0 ? model->interactions[i - 1] : NULL;
    if (i == 0 || now->relation != before->relation || now->law != before->law) {
      part.hash = FINGERPRINT_BEGIN;
      tell_relation(now->relation, &part);
      tell_law(now->law, &part);
    }
    fingerprint_mix(&to->hash, part.hash);
    for (int32_t s = 0; s < now->n_systems; s++)
      fingerprint_mix(&to->hash, (uint64_t)now->systems[s]);
  }
  const perp_contact_pool *pool = model->pool;
  if (pool == NULL) return;
  const double sizes[] = {pool->capacity, pool->max_per_system, pool->plane, pool->n_laws};
  perp_fingerprint_add(to, 4, sizes);
  for (int32_t i = 0; i < pool->n_laws; i++) tell_law(pool->laws[i], to);
}

/* The numbers among the options of a solver, given or its defaults. */
static void tell_solver(const perp_solver *solver, const void *options, perp_fingerprint *to) {
  solver_options all;
  fingerprint_text(to, solver == NULL ? NULL : solver->name);
  if (solver == NULL) return;
  if (perp_solver_options_read(solver->defaults, options, &all, NULL) != PERP_OK) return;
  const double common[] = {all.common.max_iter, all.common.tol, all.common.budget};
  perp_fingerprint_add(to, 3, common);
  const option_range *r = solver->method == NULL ? NULL : solver->method->ranges;
  for (; r != NULL && r->name != NULL; r++) {
    const void *at = (const char *)&all + r->offset;
    if (r->kind >= OPTION_SPARSE) {
      const perp_sparse *sparse = *(const perp_sparse *const *)at;
      fingerprint_text(to, sparse == NULL ? NULL : sparse->name);
      continue;
    }
    const double x = r->kind == OPTION_INT ? *(const int32_t *)at : *(const double *)at;
    perp_fingerprint_add(to, 1, &x);
  }
}

static void tell_options(const perp_simulation_options *o, perp_fingerprint *to) {
  const double numbers[] = {o->gamma,        o->min_gap,         o->on_failure,
                            o->max_halvings, o->newton_stop,     o->newton_start,
                            o->newton_max,   o->newton_halvings, o->newton_tol,
                            o->projection,   o->projection_max,  o->projection_tol,
                            o->gap_tol,      o->reaction_gamma,  o->projection_tol_unilateral,
                            o->switchable,   o->equality_tol,    o->formulation,
                            o->accept_tol};
  perp_fingerprint_add(to, sizeof numbers / sizeof numbers[0], numbers);
  fingerprint_text(to, o->backend == NULL ? NULL : o->backend->name);
  fingerprint_text(to, o->sparse == NULL ? NULL : o->sparse->name);
  fingerprint_text(to, o->global == NULL ? NULL : o->global->name);
  tell_solver(o->solver, o->solver_options, to);
}

/* Integrator and θ of one system. */
static void tell_scheme(const perp_integrator *integrator, double theta, perp_fingerprint *to) {
  fingerprint_text(to, integrator->name);
  perp_fingerprint_add(to, 1, &theta);
}

/* Of a simulation, whose options may have lost their arrays; or, with sim NULL, of options. */
static uint64_t print_model(const perp_model *model, const perp_simulation_options *o,
                            const perp_simulation *sim) {
  perp_fingerprint f = {FINGERPRINT_BEGIN};
  tell_model(model, &f);
  tell_options(o, &f);
  for (int32_t i = 0; sim == NULL && i < model->n_systems; i++)
    tell_scheme(perp_layout_integrator(o, i), perp_layout_theta(o, i), &f);
  for (int32_t r = 0; sim != NULL && r < sim->runs.n_system_runs; r++)
    for (int32_t s = 0; s < sim->runs.systems[r].count; s++)
      tell_scheme(sim->runs.systems[r].integrator, sim->runs.systems[r].theta, &f);
  return f.hash;
}

/* A grid may be continued: what counts are the points that were passed. */
static uint64_t print_grid(const perp_simulation_options *o, double step) {
  perp_fingerprint f = {FINGERPRINT_BEGIN};
  const double uniform[] = {o->t0, o->h};
  if (o->grid == NULL)
    perp_fingerprint_add(&f, 2, uniform);
  else
    perp_fingerprint_add(&f, (size_t)step + 1, o->grid);
  return f.hash;
}

/* ----------------------------------------------------------------------------- door ---- */

size_t perp_simulation_checkpoint_size(const perp_simulation *sim) {
  return sim == NULL ? 0 : sizeof(seal) + sim->state.bytes + CRC_BYTES;
}

perp_status perp_simulation_checkpoint(const perp_simulation *sim, void *sealed, size_t bytes,
                                       perp_info *info) {
  info_clear(info);
  if (sim == NULL) return fail_field(info, "sim", -1);
  if (sealed == NULL) return fail_field(info, "sealed", -1);
  if (sim->stepping) return fail_field(info, "checkpoint within a step", -1);
  const size_t need = perp_simulation_checkpoint_size(sim);
  if (bytes < need) return fail(info, PERP_EWORKSPACE, "bytes", -1, (double)need);
  const seal head = {SEAL_MAGIC, SEAL_VERSION, sim->state.bytes,
                     print_model(sim->model, &sim->options, sim),
                     print_grid(&sim->options, sim->state.head->step)};
  unsigned char *to = sealed;
  memcpy(to, &head, sizeof head);
  memcpy(to + sizeof head, sim->state.head, sim->state.bytes);
  put_crc(to + need - CRC_BYTES, crc32c(need - CRC_BYTES, to));
  return PERP_OK;
}

/* Head and checksum: whether it is a checkpoint, and whole. */
static perp_status check_seal(const unsigned char *sealed, size_t bytes, seal *head,
                              perp_info *info) {
  unsigned char crc[CRC_BYTES];
  if (bytes < sizeof *head + CRC_BYTES)
    return fail(info, PERP_EINVAL, "checkpoint.bytes", -1, (double)bytes);
  memcpy(head, sealed, sizeof *head);
  if (head->magic != SEAL_MAGIC)
    return fail(info, PERP_EINVAL, "checkpoint.magic", -1, head->magic);
  if (head->version != SEAL_VERSION)
    return fail(info, PERP_EINVAL, "checkpoint.version", -1, head->version);
  if (head->bytes != bytes - sizeof *head - CRC_BYTES)
    return fail(info, PERP_EINVAL, "checkpoint.bytes", -1, (double)bytes);
  put_crc(crc, crc32c(bytes - CRC_BYTES, sealed));
  if (memcmp(crc, sealed + bytes - CRC_BYTES, CRC_BYTES) != 0)
    return fail_field(info, "checkpoint.checksum", -1);
  return PERP_OK;
}

/* The number of the step on a grid that is another than before. */
static perp_status move_grid(const perp_simulation_options *o, state_header *head,
                             perp_info *info) {
  const double first = o->grid != NULL ? o->grid[0] : o->t0;
  if (!(head->t >= first)) return fail(info, PERP_EINVAL, "checkpoint.grid", -1, head->t);
  head->step = perp_grid_index(o, 0, head->t);
  return PERP_OK;
}

perp_status perp_simulation_unseal(const perp_model *model, const perp_simulation_options *options,
                                   const void *sealed, size_t sealed_bytes, uint32_t accept,
                                   void *state, size_t state_bytes, perp_info *info) {
  perp_simulation_options o;
  layout_sizes sizes;
  seal head;
  state_header at;
  perp_status status = perp_prepare(model, options, &o, &sizes, info);
  if (status != PERP_OK) return status;
  if (sealed == NULL) return fail_field(info, "sealed", -1);
  if (state == NULL) return fail_field(info, "state", -1);
  if ((accept & ~(uint32_t)PERP_OTHER_GRID) != 0)
    return fail(info, PERP_EINVAL, "accept", -1, accept);
  status = check_seal(sealed, sealed_bytes, &head, info);
  if (status != PERP_OK) return status;
  const unsigned char *from = (const unsigned char *)sealed + sizeof head;
  if (head.bytes != sizes.state_bytes || head.model != print_model(model, &o, NULL))
    return fail_field(info, "checkpoint.model", -1);
  if (state_bytes < sizes.state_bytes)
    return fail(info, PERP_EWORKSPACE, "state_bytes", -1, (double)sizes.state_bytes);
  if (overlap_blocks(sealed, sealed_bytes, state, sizes.state_bytes))
    return fail_field(info, "state overlaps sealed", -1);
  memcpy(&at, from, sizeof at);
  const int within = o.grid == NULL || (at.step >= 0 && at.step <= o.steps);
  if (!within || head.grid != print_grid(&o, at.step)) {
    if ((accept & PERP_OTHER_GRID) == 0) return fail(info, PERP_EINVAL, "checkpoint.grid", -1, o.h);
    status = move_grid(&o, &at, info);
  }
  if (status != PERP_OK) return status;
  memcpy(state, from, sizes.state_bytes);
  memcpy(state, &at, sizeof at);
  return PERP_OK;
}
