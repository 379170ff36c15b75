/* SPDX-License-Identifier: MIT */
/* Checks that the kinds of systems and relations share. Each refusal names the field in info (may
 * be NULL) and the place index of the model, -1 where it is not known yet. */
#ifndef PERP_MODEL_CHECK_H
#define PERP_MODEL_CHECK_H

#include "perp/model.h"

/* A well-formed matrix of 1 x 1 blocks with finite entries: perp_check_rows(), or NULL where
 * matrices in compressed rows are PERP_EUNSUPPORTED. */
typedef perp_status rows_check(const perp_matrix *A, const char *field, int32_t index,
                               perp_info *info);
perp_status perp_check_rows(const perp_matrix *A, const char *field, int32_t index,
                            perp_info *info);

/* perp_model_check() but for the pool; rows: those of the interactions. */
perp_status perp_check_fixed(const perp_model *model, rows_check *check_rows, int64_t *rows,
                             perp_info *info);

/* System i of a model, without its initial values and what only its kind knows. */
perp_status perp_check_system(const perp_system *system, rows_check *check_rows, int32_t i,
                              perp_info *info);

/* All that perp_model_check() asks of interaction i, whose systems are those of the model. */
perp_status perp_check_interaction(const perp_model *model, const perp_interaction *interaction,
                                   rows_check *check_rows, int32_t i, perp_info *info);

/* A relation by itself. */
perp_status perp_check_relation(const perp_relation *relation, rows_check *check_rows, int32_t i,
                                perp_info *info);

/* n finite doubles at x, which may be absent if optional. */
perp_status perp_check_array(const double *x, size_t n, int optional, const char *field,
                             int32_t index, perp_info *info);

/* A zero, diagonal, dense or compressed n x n operator with finite entries. */
perp_status perp_check_operator(const perp_matrix *A, int32_t n, rows_check *check_rows,
                                const char *field, int32_t index, perp_info *info);

/* A mass that perp_check_operator() accepted: symmetric but for rounding, with positive minors of
 * one and two unknowns. What a larger one may still lack is seen where it is factorised. */
perp_status perp_check_mass(const perp_matrix *M, int32_t n, int32_t index, perp_info *info);

/* Of a dense M of leading dimension n, and that it has a Cholesky factor, which is left in
 * L (n x n). */
perp_status perp_check_dense_mass(int32_t n, const double *M, double *L, int32_t index,
                                  perp_info *info);

/* n_z finite parameters. */
perp_status perp_check_parameters(const double *z, int32_t n_z, perp_info *info);

/* n positive finite sizes, or NULL. */
perp_status perp_check_typical(const double *typical, int32_t n, const char *field,
                               perp_info *info);

#endif
