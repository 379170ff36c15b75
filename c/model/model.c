/* SPDX-License-Identifier: MIT */
/* Checks of a model: every description once for each place where it stands. */
#include "perp/model.h"

#include "base/finite.h"
#include "base/info.h"
#include "model/check.h"
#include "model/head.h"
#include "model/pool.h"

/* Initial values: n finite doubles or NULL; info tells which is not. */
static perp_status check_initial(const double *x, int64_t n, const char *field, perp_info *info) {
  size_t size = (size_t)n, bad = x == NULL ? size : first_not_finite(size, x);
  return bad == size ? PERP_OK : fail(info, PERP_ENOTFINITE, field, (int32_t)bad, x[bad]);
}

static perp_status check_system(const perp_system *s, rows_check *check_rows, int32_t i,
                                perp_info *info) {
  if (s == NULL || s->ops == NULL) return fail_field(info, "systems", i);
  if (s->struct_size < s->ops->bytes)
    return fail(info, PERP_EINVAL, "systems.struct_size", i, s->struct_size);
  if (s->ops->order != 1 && s->ops->order != 2)
    return fail(info, PERP_EINVAL, "order", i, s->ops->order);
  if (s->n < 1) return fail(info, PERP_EINVAL, "systems.n", i, s->n);
  if (system_is_varying(s) &&
      (s->ops->mass == NULL || s->ops->force == NULL || s->ops->jacobians == NULL))
    return fail_field(info, "systems.ops", i);
  if (s->ops->terms == NULL) return PERP_OK;
  perp_system_terms terms;
  s->ops->terms(s, &terms);
  if (s->ops->order == 2 && terms.M.kind == PERP_ZERO) return fail_field(info, "M", i);
  perp_status status = perp_check_operator(&terms.M, s->n, check_rows, "M", i, info);
  if (status == PERP_OK && s->ops->order == 2) status = perp_check_mass(&terms.M, s->n, i, info);
  if (status == PERP_OK) status = perp_check_operator(&terms.A, s->n, check_rows, "A", i, info);
  if (status == PERP_OK) status = perp_check_operator(&terms.C, s->n, check_rows, "C", i, info);
  if (status == PERP_OK) status = perp_check_operator(&terms.K, s->n, check_rows, "K", i, info);
  if (status == PERP_OK)
    status = perp_check_array(terms.f, (size_t)s->n, 1, s->ops->order == 2 ? "f" : "b", i, info);
  return status;
}

perp_status perp_check_system(const perp_system *s, rows_check *check_rows, int32_t i,
                              perp_info *info) {
  return fail_within(check_system(s, check_rows, i, info), PERP_OF_SYSTEM, i, info);
}

/* H of a relation, dense or in compressed rows. */
static perp_status check_H(const perp_relation *r, const perp_relation_terms *t,
                           rows_check *check_rows, int32_t i, perp_info *info) {
  const perp_matrix *rows = &t->H_rows;
  if (rows->kind == PERP_ZERO)
    return perp_check_array(t->H, (size_t)r->m * (size_t)r->n, 0, r->ops->order == 1 ? "C" : "H", i,
                            info);
  if (t->H != NULL) return fail(info, PERP_EINVAL, "H_rows", i, rows->kind);
  if (rows->kind != PERP_BLOCKS || check_rows == NULL)
    return fail(info, PERP_EUNSUPPORTED, "H_rows", i, rows->kind);
  if (rows->rows != r->m) return fail(info, PERP_EINVAL, "H_rows", i, rows->rows);
  if (rows->cols != r->n) return fail(info, PERP_EINVAL, "H_rows", i, rows->cols);
  return check_rows(rows, "H_rows", i, info);
}

static perp_status check_relation(const perp_relation *r, rows_check *check_rows, int32_t i,
                                  perp_info *info) {
  if (r == NULL || r->ops == NULL) return fail_field(info, "relation", i);
  if (r->struct_size < r->ops->bytes)
    return fail(info, PERP_EINVAL, "relation.struct_size", i, r->struct_size);
  if (r->m < 1) return fail(info, PERP_EINVAL, "relation.m", i, r->m);
  if (r->n < 1) return fail(info, PERP_EINVAL, "relation.n", i, r->n);
  if (r->ops->check != NULL) {
    perp_status status = r->ops->check(r, info);
    if (status != PERP_OK) return status;
  }
  if (r->ops->terms == NULL)
    return r->ops->evaluate != NULL ? PERP_OK : fail_field(info, "relation.ops", i);
  perp_relation_terms t;
  r->ops->terms(r, &t);
  size_t m = (size_t)r->m, n = (size_t)r->n;
  int first = r->ops->order == 1;
  if (t.n_z < 0) return fail(info, PERP_EINVAL, "n_z", i, t.n_z);
  /* entries are numbered by int32 */
  if (r->m > INT32_MAX / r->m) return fail(info, PERP_EUNSUPPORTED, "relation.m", i, r->m);
  if (r->n > INT32_MAX / r->m) return fail(info, PERP_EUNSUPPORTED, "relation.n", i, r->n);
  if (t.n_z > INT32_MAX / r->m) return fail(info, PERP_EUNSUPPORTED, "n_z", i, t.n_z);
  if (t.F != NULL && t.z == NULL) return fail_field(info, "z", i);
  perp_status status = check_H(r, &t, check_rows, i, info);
  if (status == PERP_OK) status = perp_check_array(t.B, m * n, 1, "B", i, info);
  if (status == PERP_OK) status = perp_check_array(t.D, m * m, 1, "D", i, info);
  if (status == PERP_OK) status = perp_check_array(t.F, m * (size_t)t.n_z, 1, "F", i, info);
  if (status == PERP_OK) status = perp_check_array(t.b, m, 1, first ? "e" : "b", i, info);
  if (status == PERP_OK) status = perp_check_array(t.a, n, 1, "a", i, info);
  if (status == PERP_OK && t.F != NULL)
    status = perp_check_array(t.z, (size_t)t.n_z, 0, "z", i, info);
  return status;
}

perp_status perp_check_relation(const perp_relation *r, rows_check *check_rows, int32_t i,
                                perp_info *info) {
  return fail_within(check_relation(r, check_rows, i, info), PERP_OF_INTERACTION, i, info);
}

static uint32_t features_of(const perp_relation *relation) {
  return relation->ops->features == NULL ? 0 : relation->ops->features(relation);
}

/* A joint holds; what may let go, or slip, is no law for it. */
static int law_suits(const perp_interaction *inter) {
  const uint32_t lets_go = 1u << PERP_SET_ORTHANT | 1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING;
  return (features_of(inter->relation) & PERP_RELATION_BILATERAL) == 0 ||
         (lets_go >> inter->law->ops->set & 1u) == 0;
}

static perp_status check_interaction(const perp_model *model, const perp_interaction *inter,
                                     rows_check *check_rows, int32_t i, perp_info *info) {
  if (inter == NULL) return fail_field(info, "interactions", i);
  perp_status status = check_relation(inter->relation, check_rows, i, info);
  if (status != PERP_OK) return status;
  if (inter->law == NULL) return fail_field(info, "law", i);
  status = perp_law_check(inter->law, info);
  if (status != PERP_OK) return status;
  const perp_law_ops *ops = inter->law->ops;
  if (inter->relation->ops->order == 1 &&
      (ops->restitute_step != NULL || ops->preload != NULL || ops->compliance != NULL))
    return fail(info, PERP_EUNSUPPORTED, "law", i, LAW_OF_IMPULSES);
  if (!law_suits(inter)) return fail(info, PERP_EUNSUPPORTED, "law", i, LAW_LETS_GO);
  if (inter->relation->m % inter->law->size != 0)
    return fail(info, PERP_EINVAL, "law.size", i, inter->law->size);
  if (inter->n_systems < 1 || inter->systems == NULL)
    return fail(info, PERP_EINVAL, "n_systems", i, inter->n_systems);
  int64_t columns = 0;
  for (int32_t s = 0; s < inter->n_systems; s++) {
    int32_t j = inter->systems[s];
    if (j < 0 || j >= model->n_systems) return fail(info, PERP_EINVAL, "interaction.systems", i, j);
    for (int32_t p = 0; p < s; p++)
      if (inter->systems[p] == j) return fail(info, PERP_EINVAL, "interaction.systems", i, j);
    if (model->systems[j]->ops->order != inter->relation->ops->order)
      return fail(info, PERP_EINVAL, "order", i, model->systems[j]->ops->order);
    const uint32_t features = features_of(inter->relation);
    const int bodies = (features & PERP_RELATION_BODIES) != 0;
    if (inter->relation->ops->order == 2 && (features & PERP_RELATION_ANY) == 0 &&
        (model->systems[j]->ops->extra_q != 0) != bodies)
      return fail(info, PERP_EUNSUPPORTED, "interaction.systems", i,
                  j); /* q is not what H is for */
    columns += model->systems[j]->n;
  }
  if (columns != inter->relation->n)
    return fail(info, PERP_EINVAL, "relation.n", i, inter->relation->n);
  return PERP_OK;
}

perp_status perp_check_interaction(const perp_model *model, const perp_interaction *inter,
                                   rows_check *check_rows, int32_t i, perp_info *info) {
  return fail_within(check_interaction(model, inter, check_rows, i, info), PERP_OF_INTERACTION, i,
                     info);
}

/* The part of initial values that begins at an offset; NULL: zeros. */
static const double *initial(const double *x, int64_t offset) {
  return x == NULL ? NULL : x + offset;
}

perp_status perp_check_fixed(const perp_model *model, rows_check *check_rows, int64_t *all_rows,
                             perp_info *info) {
  info_clear(info);
  if (model == NULL) return fail_field(info, "model", -1);
  if (model->struct_size < PERP_THROUGH(perp_model, pool))
    return fail(info, PERP_EINVAL, "model.struct_size", -1, model->struct_size);
  if (model->n_systems < 0) return fail(info, PERP_EINVAL, "n_systems", -1, model->n_systems);
  if (model->n_interactions < 0)
    return fail(info, PERP_EINVAL, "n_interactions", -1, model->n_interactions);
  if (model->n_systems > 0 && model->systems == NULL) return fail_field(info, "systems", -1);
  if (model->n_interactions > 0 && model->interactions == NULL)
    return fail_field(info, "interactions", -1);
  int64_t size[3] = {0, 0, 0}; /* by order */
  int64_t positions = 0;
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_system *s = model->systems[i];
    perp_status status =
        i > 0 && s == model->systems[i - 1] ? PERP_OK : perp_check_system(s, check_rows, i, info);
    if (status == PERP_OK && s->ops->check != NULL)
      status = fail_within(
          s->ops->check(s, initial(s->ops->order == 2 ? model->q0 : NULL, positions),
                        initial(s->ops->order == 2 ? model->v0 : model->x0, size[s->ops->order]),
                        info),
          PERP_OF_SYSTEM, i, info);
    if (status != PERP_OK) return status;
    size[s->ops->order] += s->n;
    if (s->ops->order == 2) positions += s->n + s->ops->extra_q;
  }
  int64_t rows = 0;
  for (int32_t i = 0; i < model->n_interactions; i++) {
    perp_status status = perp_check_interaction(model, model->interactions[i], check_rows, i, info);
    if (status != PERP_OK) return status;
    rows += model->interactions[i]->relation->m;
  }
  if (size[1] + size[2] > INT32_MAX / 2)
    return fail(info, PERP_EINVAL, "n_systems", -1, (double)(size[1] + size[2]));
  if (rows > INT32_MAX / 2) return fail(info, PERP_EINVAL, "n_interactions", -1, (double)rows);
  *all_rows = rows;
  perp_status status = check_initial(model->q0, positions, "q0", info);
  if (status == PERP_OK) status = check_initial(model->v0, size[2], "v0", info);
  if (status == PERP_OK) status = check_initial(model->x0, size[1], "x0", info);
  return status;
}

perp_status perp_model_check(const perp_model *model, perp_info *info) {
  int64_t rows = 0;
  const perp_status status = perp_check_fixed(model, perp_check_rows, &rows, info);
  return status != PERP_OK || model->pool == NULL ? status : perp_pool_check(model, rows, info);
}
