/* SPDX-License-Identifier: MIT */
/* Sealed copies of the state: a head, the state, and a CRC-32C of both (polynomial 0x1EDC6F41
 * reflected, as in iSCSI, RFC 3720), which tells any three flipped bits in up to 2^31. The head has
 * the fingerprint of all numbers that a run depends on. */
#include "base/fingerprint.h"
#include "base/finite.h"
#include "base/info.h"
#include "base/overlap.h"
#include "linalg/matrix.h"
#include "model/fields.h"
#include "perp/pool.h"
#include "solver/shell.h"
#include "solver/solver_options.h"
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
  static const uint32_t of_nibble[16] = {0x00000000u, 0x105ec76fu, 0x20bd8edeu, 0x30e349b1u,
                                         0x417b1dbcu, 0x5125dad3u, 0x61c69362u, 0x7198540du,
                                         0x82f63b78u, 0x92a8fc17u, 0xa24bb5a6u, 0xb21572c9u,
                                         0xc38d26c4u, 0xd3d3e1abu, 0xe330a81au, 0xf36e6f75u};
  uint32_t crc = 0xffffffffu;
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

static void add_numbers(uint64_t *hash, size_t n, const double *x) {
  fingerprint_mix(hash, x == NULL ? 0 : (uint64_t)n + 1);
  for (size_t i = 0; x != NULL && i < n; i++) fingerprint_mix(hash, bits_of(x[i]));
}

static void add_indices(uint64_t *hash, size_t n, const int32_t *x) {
  fingerprint_mix(hash, x == NULL ? 0 : (uint64_t)n + 1);
  for (size_t i = 0; x != NULL && i < n; i++) fingerprint_mix(hash, (uint64_t)x[i]);
}

static void add_matrix(uint64_t *hash, const perp_matrix *A) {
  const int32_t shape[] = {A->kind, A->rows, A->cols};
  add_indices(hash, 3, shape);
  if (A->kind == PERP_DENSE)
    for (int32_t j = 0; j < A->cols; j++)
      add_numbers(hash, (size_t)A->rows, A->values + (size_t)A->ld * (size_t)j);
  else
    add_numbers(hash, perp_matrix_stored(A), A->values);
  if (A->kind != PERP_BLOCKS) return;
  const size_t cuts = (size_t)A->block_rows + 1;
  add_indices(hash, cuts, A->start);
  add_indices(hash, (size_t)A->start[A->block_rows], A->index);
  add_indices(hash, cuts, A->offset);
}

/* Constants alone: parameters may change in a run, and users are addresses. */
typedef struct teller {
  field_visitor visitor;
  uint64_t *hash;
} teller;

static void tell_field(field_visitor *self, int32_t holds, size_t count, const void *at) {
  uint64_t *hash = ((teller *)self)->hash;
  if (holds == PERP_HOLDS_NUMBERS) add_numbers(hash, count, at);
  if (holds == PERP_HOLDS_INTEGER) add_indices(hash, 1, at);
  if (holds == PERP_HOLDS_ARRAY) add_numbers(hash, count, field_pointer(at));
  if (holds == PERP_HOLDS_TRIPLES) add_numbers(hash, 3 * count, field_pointer(at));
  if (holds == PERP_HOLDS_INDICES) add_indices(hash, count, field_pointer(at));
  if (holds == PERP_HOLDS_MATRIX) add_matrix(hash, at);
}

static void tell_system(const perp_system *s, uint64_t *hash) {
  const int32_t sizes[] = {s->ops->order, s->n, s->ops->extra_q};
  teller to = {{tell_field}, hash};
  fingerprint_text(hash, s->ops->name);
  add_indices(hash, 3, sizes);
  perp_fields_of_system(s, &to.visitor);
}

static void tell_relation(const perp_relation *r, uint64_t *hash) {
  const int32_t sizes[] = {r->m, r->n};
  teller to = {{tell_field}, hash};
  fingerprint_text(hash, r->ops->name);
  add_indices(hash, 2, sizes);
  perp_fields_of_relation(r, &to.visitor);
}

static void tell_law(const perp_law *law, uint64_t *hash) {
  const int32_t sizes[] = {law->ops->set, law->size};
  teller to = {{tell_field}, hash};
  fingerprint_text(hash, law->ops->name);
  add_indices(hash, 2, sizes);
  perp_fields_of_law(law, &to.visitor);
}

static void tell_model(const perp_model *model, uint64_t *to) {
  uint64_t part = FINGERPRINT_BEGIN;
  for (int32_t i = 0; i < model->n_systems; i++) { /* what neighbours share is read once */
    if (i == 0 || model->systems[i] != model->systems[i - 1]) {
      part = FINGERPRINT_BEGIN;
      tell_system(model->systems[i], &part);
    }
    fingerprint_mix(to, part);
  }
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *now = model->interactions[i];
    const perp_interaction *before = i > 0 ? model->interactions[i - 1] : NULL;
    if (i == 0 || now->relation != before->relation || now->law != before->law) {
      part = FINGERPRINT_BEGIN;
      tell_relation(now->relation, &part);
      tell_law(now->law, &part);
    }
    fingerprint_mix(to, part);
    for (int32_t s = 0; s < now->n_systems; s++) fingerprint_mix(to, (uint64_t)now->systems[s]);
  }
  const perp_contact_pool *pool = model->pool;
  if (pool == NULL) return;
  const double sizes[] = {pool->capacity, pool->max_per_system, pool->plane, pool->n_laws};
  add_numbers(to, 4, sizes);
  for (int32_t i = 0; i < pool->n_laws; i++) tell_law(pool->laws[i], to);
}

/* Numbers, and names of back ends, of the fields that a table has. */
static void tell_fields(const option_range *r, const void *options, uint64_t *to) {
  for (; r != NULL && r->name != NULL; r++) {
    const void *at = (const char *)options + r->offset;
    if (r->kind >= OPTION_SPARSE) {
      const perp_sparse *sparse = *(const perp_sparse *const *)at;
      fingerprint_text(to, sparse == NULL ? NULL : sparse->name);
      continue;
    }
    const double x = r->kind == OPTION_INT ? *(const int32_t *)at : *(const double *)at;
    add_numbers(to, 1, &x);
  }
}

/* The numbers among the options of a solver, given or its defaults. */
static void tell_solver(const perp_solver *solver, const void *options, uint64_t *to) {
  solver_options all;
  fingerprint_text(to, solver == NULL ? NULL : solver->name);
  if (solver == NULL) return;
  if (perp_solver_options_read(solver->defaults, options, &all, NULL) != PERP_OK) return;
  const double common[] = {all.common.max_iter, all.common.tol, all.common.budget};
  add_numbers(to, 3, common);
  tell_fields(solver->method == NULL ? NULL : solver->method->ranges, &all, to);
}

static void tell_options(const perp_simulation_options *o, uint64_t *to) {
  const double numbers[] = {o->gamma,          o->projection,     o->projection_max,
                            o->projection_tol, o->reaction_gamma, o->projection_tol_unilateral,
                            o->formulation};
  add_numbers(to, sizeof numbers / sizeof numbers[0], numbers);
  tell_fields(perp_simulation_ranges, o, to);
  fingerprint_text(to, o->backend == NULL ? NULL : o->backend->name);
  fingerprint_text(to, o->sparse == NULL ? NULL : o->sparse->name);
  fingerprint_text(to, o->global == NULL ? NULL : o->global->name);
  tell_solver(o->solver, o->solver_options, to);
}

/* Integrator and θ of one system. */
static void tell_scheme(const perp_integrator *integrator, double theta, uint64_t *to) {
  fingerprint_text(to, integrator->name);
  add_numbers(to, 1, &theta);
}

/* Of a simulation, whose options may have lost their arrays; or, with sim NULL, of options. */
static uint64_t print_model(const perp_model *model, const perp_simulation_options *o,
                            const perp_simulation *sim) {
  uint64_t f = FINGERPRINT_BEGIN;
  tell_model(model, &f);
  tell_options(o, &f);
  for (int32_t i = 0; sim == NULL && i < model->n_systems; i++)
    tell_scheme(perp_layout_integrator(o, i), perp_layout_theta(o, i), &f);
  for (int32_t r = 0; sim != NULL && r < sim->runs.n_system_runs; r++)
    for (int32_t s = 0; s < sim->runs.systems[r].count; s++)
      tell_scheme(sim->runs.systems[r].integrator, sim->runs.systems[r].theta, &f);
  return f;
}

/* A grid may be continued: what counts are the points that were passed. */
static uint64_t print_grid(const perp_simulation_options *o, double step) {
  uint64_t f = FINGERPRINT_BEGIN;
  const double uniform[] = {o->t0, o->h};
  if (o->grid == NULL)
    add_numbers(&f, 2, uniform);
  else
    add_numbers(&f, (size_t)step + 1, o->grid);
  return f;
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
