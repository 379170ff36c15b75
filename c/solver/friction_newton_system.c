/* SPDX-License-Identifier: MIT */
/* The equation of every contact, and its generalised Jacobian dΦ = A dλ + B du:
 *
 *   interval       Φ = λ − P(λ − ρ u)
 *   natural        Φ = λ − P_K(λ − ρ û),  û = u + Σ μ_k ‖u_k‖ n:   A = I − J,  B = ρ J dû/du
 *   Alart–Curnier  Φ_n = λ_n − (λ_n − ρ u_n)₊,  Φ_k = λ_k − P_R(λ_k − ρ u_k),
 *                  R = μ_k (λ_n − ρ u_n)₊, P_R the projection to the disk of radius R
 *   Jean–Moreau    the same with R = μ_k (λ_n)₊
 *
 * for the parts k of the contact: the tangential one, and rolling. The merit is Σ ‖Φ_α‖² / 2ρ_α, an
 * energy.
 *
 * Newton's system: contacts that take off have dλ = −Φ, so the rest is
 *
 *   (A + B (M + σ D))_II d_I = −Φ_I − B_I M_IO d_O .
 *
 * I holds the contacts that touch, and keeps for a while some that do so no more: the pattern of
 * the system then stays, and the back end its analysis. */
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/friction_newton.h"

enum { MOST = CONTACT_MOST, FILL = 50 };

/* Contacts that left the system may be this part of it. */
static const double spare = 0.25;

/* --- equations, with A and B unless A is NULL ------------------------------------------------ */

/* Rows of one part that sticks. */
static void stick_rows(int32_t m, int32_t at, int32_t half, double rho, double *A, double *B) {
  for (int32_t i = at; i < at + half; i++) {
    A[i + m * i] = 0;
    B[i + m * i] = rho;
  }
}

/* Rows of one part that slips: z = λ_k − ρ u_k beyond the disk of radius R = μ g. */
static void slip_rows(int32_t m, int32_t at, int32_t half, double mu, double g, int jean,
                      double rho, const double *z, double norm, double *A, double *B) {
  const double turn = mu * g / norm;
  for (int32_t i = 0; i < half; i++) {
    const double e = z[i] / norm;
    A[at + i] = -mu * e;
    B[at + i] = jean ? 0 : rho * mu * e;
    for (int32_t j = 0; j < half; j++) {
      const double p = turn * ((i == j ? 1 : 0) - e * (z[j] / norm));
      A[at + i + m * (at + j)] = (i == j ? 1 : 0) - p;
      B[at + i + m * (at + j)] = rho * p;
    }
  }
}

static void parts_equation(const contact *c, int jean, double rho, const double *x, const double *u,
                           double *phi, double *A, double *B) {
  const int32_t half = contact_half(c), m = c->size;
  const double zn = x[0] - rho * u[0], g = jean ? x[0] : zn;
  phi[0] = zn > 0 ? rho * u[0] : x[0];
  if (zn != zn) phi[0] = zn;
  for (int32_t i = 0; i < m * m && A != NULL; i++) {
    A[i] = i % (m + 1) == 0 && !(i == 0 && zn > 0) ? 1 : 0;
    B[i] = i == 0 && zn > 0 ? rho : 0;
  }
  for (int32_t part = 0; part < contact_parts(c); part++) {
    const int32_t at = 1 + part * half;
    const double mu = contact_mu(c, part), radius = g > 0 ? mu * g : 0;
    double z[2] = {0};
    for (int32_t i = 0; i < half; i++) z[i] = x[at + i] - rho * u[at + i];
    const double norm = cone_norm(half, z);
    for (int32_t i = 0; i < half; i++)
      phi[at + i] = norm <= radius ? rho * u[at + i] : x[at + i] - z[i] * (radius / norm);
    if (A == NULL || !(g > 0)) continue;
    if (norm <= radius)
      stick_rows(m, at, half, rho, A, B);
    else
      slip_rows(m, at, half, mu, g, jean, rho, z, norm, A, B);
  }
}

/* Φ of contact k, and its weighed square ‖Φ‖² / 2ρ. */
static double equation(const friction_newton *s, int32_t k, const double *x, const double *u,
                       double *phi, double *A, double *B) {
  const contact *c = &s->contacts[k];
  const int jean = s->o.function == PERP_FRICTION_JEAN_MOREAU;
  const double rho = s->rho[k];
  double sum = 0;
  if (contact_is_interval(c))
    interval_natural(rho, s->run->lower[c->begin], s->run->upper[c->begin], x[0], u[0], phi, A, B);
  else if (s->o.function == PERP_FRICTION_NATURAL)
    contact_natural(c, rho, x, u, phi, A, B);
  else
    parts_equation(c, jean, rho, x, u, phi, A, B);
  for (int32_t i = 0; i < c->size; i++) sum += phi[i] * phi[i];
  return 0.5 * sum / rho;
}

double perp_friction_newton_merit(const friction_newton *s, const double *x, const double *u) {
  double phi[MOST] = {0}, sum = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t i = s->contacts[k].begin;
    sum += equation(s, k, x + i, u + i, phi, NULL, NULL);
  }
  return sum;
}

static int all_zero(int32_t count, const double *B) {
  for (int32_t i = 0; i < count; i++)
    if (B[i] != 0) return 0;
  return 1;
}

void perp_friction_newton_linearise(friction_newton *s) {
  s->theta = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t i = s->contacts[k].begin, m = s->contacts[k].size;
    double *A = s->A + (size_t)i * MOST, *B = s->B + (size_t)i * MOST;
    s->theta += equation(s, k, s->x + i, s->u + i, s->phi + i, A, B);
    s->off[k] = (unsigned char)all_zero(m * m, B);
  }
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Where M is stored in blocks that are cut at the contacts its own memory is handed out, and dense
 * rows too; everything else is gathered. */
void perp_friction_newton_rows_open(friction_newton *s) {
  const perp_matrix *M = &s->run->problem->M;
  perp_row_reader_prepare(&s->rows, M);
  for (int32_t i = 0; i < s->n; i++) s->seen[i] = -1;
  if (M->kind == PERP_DENSE)
    for (int32_t i = 0; i < s->n; i++) s->column[i] = i;
}

/* Block row r, if it is the rows of this contact and has their own columns: else nothing. */
static panel stored_rows(friction_newton *s, const contact *c, int32_t r) {
  const perp_matrix *M = &s->run->problem->M;
  panel p = {0, s->column, M->values + s->rows.at[r], (size_t)c->size};
  int own = 0;
  if (M->offset[r] != c->begin || M->offset[r + 1] != c->begin + c->size) return p;
  for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
    own |= M->index[b] == r;
    for (int32_t j = M->offset[M->index[b]]; j < M->offset[M->index[b] + 1] && p.count < s->n; j++)
      s->column[p.count++] = j;
  }
  if (!own) p.count = 0;
  return p;
}

static int32_t column_place(friction_newton *s, int32_t *count, size_t size, int32_t j) {
  if (s->seen[j] < 0) {
    s->seen[j] = *count;
    s->column[*count] = j;
    memset(s->value + size * (size_t)*count, 0, size * sizeof *s->value);
    *count += 1;
  }
  return s->seen[j];
}

static panel gathered_rows(friction_newton *s, const contact *c) {
  const size_t size = (size_t)c->size;
  int32_t count = 0;
  for (int32_t i = 0; i < c->size; i++) {
    const matrix_row row = row_read(&s->rows, c->begin + i);
    for (int32_t k = 0; k < row.count; k++)
      s->value[(size_t)i + size * (size_t)column_place(s, &count, size, row.column[k])] +=
          row.value[k];
  }
  for (int32_t i = 0; i < c->size; i++) (void)column_place(s, &count, size, c->begin + i);
  for (int32_t k = 0; k < count; k++) s->seen[s->column[k]] = -1;
  const panel p = {count, s->column, s->value, size};
  return p;
}

panel perp_friction_newton_rows(friction_newton *s, int32_t k) {
  const contact *c = &s->contacts[k];
  const perp_matrix *M = &s->run->problem->M;
  if (M->kind == PERP_DENSE) {
    const panel p = {s->n, s->column, M->values + c->begin, (size_t)M->ld};
    return p;
  }
  if (M->kind == PERP_BLOCKS && M->offset != NULL) {
    const panel p = stored_rows(s, c, s->rows.block[c->begin]);
    if (p.count > 0) return p;
  }
  return gathered_rows(s, c);
}

/* --- the system ------------------------------------------------------------------------------ */

static void choose_members(friction_newton *s) {
  int32_t on = 0, with = 0, fresh = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t size = s->contacts[k].size;
    if (!s->off[k]) on += size;
    if (!s->off[k] || s->inside[k]) with += size;
    if (!s->off[k] && !s->inside[k]) fresh = 1;
  }
  const int shrink = with > (1 + spare) * on;
  if (!fresh && !shrink) return;
  for (int32_t k = 0; k < s->count; k++)
    s->inside[k] = (unsigned char)(!s->off[k] || (s->inside[k] && !shrink));
  s->members = 0;
  for (int32_t k = 0; k < s->count; k++)
    for (int32_t i = s->contacts[k].begin; i < s->contacts[k].begin + s->contacts[k].size; i++)
      s->place[i] = s->inside[k] ? s->members++ : -1;
}

/* out := B v, with the size a constant where it is inlined. */
static inline void multiply(int32_t m, const double *B, const double *v, double *out) {
  for (int32_t i = 0; i < m; i++) out[i] = B[i] * v[0];
  for (int32_t j = 1; j < m; j++)
    for (int32_t i = 0; i < m; i++) out[i] += B[i + m * j] * v[j];
}

static void own_column(const friction_newton *s, int32_t k, int32_t j, double *out) {
  const contact *c = &s->contacts[k];
  const size_t at = (size_t)c->begin * MOST + (size_t)(c->size * j);
  for (int32_t i = 0; i < c->size; i++)
    out[i] += s->A[at + (size_t)i] + s->sigma * s->size[k] * s->B[at + (size_t)i];
}

/* The m rows of contact k: dense, or in compressed rows from place at on. Returns the place behind.
 */
static inline int32_t put(friction_newton *s, int32_t k, int32_t m, int32_t at) {
  const contact *c = &s->contacts[k];
  const panel p = perp_friction_newton_rows(s, k);
  const double *B = s->B + (size_t)c->begin * MOST;
  const int32_t row = s->place[c->begin];
  const int dense = s->K.way == FACTOR_LU;
  int32_t width = 0;
  for (int32_t i = 0; i < p.count && !dense; i++) width += s->place[p.column[i]] >= 0;
  for (int32_t i = 0, e = at; i < p.count; i++) {
    const int32_t j = p.column[i], place = s->place[j];
    double out[MOST];
    if (place < 0) continue;
    multiply(m, B, p.value + p.ld * (size_t)i, out);
    if (j >= c->begin && j < c->begin + m) own_column(s, k, j - c->begin, out);
    if (dense) {
      memcpy(s->K.dense + (size_t)row + (size_t)s->members * (size_t)place, out,
             (size_t)m * sizeof *out);
      continue;
    }
    for (int32_t r = 0; r < m; r++) {
      s->K.index[e + r * width] = place;
      s->K.values[e + r * width] = out[r];
    }
    e++;
  }
  for (int32_t r = 0; r < m && !dense; r++) s->K.start[row + r] = at + r * width;
  return at + m * width;
}

static int32_t put_rows(friction_newton *s, int32_t k, int32_t at) {
  const int32_t m = s->contacts[k].size;
  if (m == 1) return put(s, k, 1, at);
  if (m == 2) return put(s, k, 2, at);
  return m == 3 ? put(s, k, 3, at) : put(s, k, m, at);
}

/* Multiply-adds of a step. What a sparse factor has beyond the entries of the system is not known
 * before: some tens of passes. */
static double factor_work(const friction_newton *s) {
  const double m = s->members;
  return s->K.way == FACTOR_LU ? m * m * m / 3 + MOST * s->pass : FILL * s->pass;
}

static perp_status factor(friction_newton *s) {
  const size_t m = (size_t)s->members;
  const int dense = s->o.sparse == NULL || s->members <= FRICTION_NEWTON_DENSE ||
                    s->run->problem->M.kind == PERP_DENSE;
  int32_t at = 0;
  s->K.n = s->members;
  s->K.way = dense ? FACTOR_LU : FACTOR_SPARSE;
  perp_friction_newton_spend(s, factor_work(s));
  if (dense) memset(s->K.dense, 0, m * m * sizeof(double));
  for (int32_t k = 0; k < s->count; k++)
    if (s->inside[k]) at = put_rows(s, k, at);
  if (!dense) s->K.start[m] = at;
  return perp_factor_make(&s->K, 0);
}

/* v := M d. */
static void multiply_step(friction_newton *s) {
  memset(s->v, 0, (size_t)s->n * sizeof *s->v);
  perp_matrix_multiply_add(&s->run->problem->M, s->d, s->v);
}

/* rhs := −Φ − B (M d) on the members, where d holds the steps of the others. */
static void right_side(friction_newton *s) {
  int any = 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->d[i] = s->place[i] >= 0 ? 0 : -s->phi[i];
    any |= s->d[i] != 0;
  }
  if (any) multiply_step(s);
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    double out[MOST] = {0};
    if (!s->inside[k]) continue;
    if (any) multiply(c->size, s->B + (size_t)c->begin * MOST, s->v + c->begin, out);
    for (int32_t i = 0; i < c->size; i++)
      s->rhs[s->place[c->begin] + i] = -s->phi[c->begin + i] - out[i];
  }
}

static perp_status solve(friction_newton *s) {
  const perp_status status = factor(s);
  if (status != PERP_OK) return status;
  right_side(s);
  return perp_factor_solve(&s->K, s->rhs);
}

perp_status perp_friction_newton_direction(friction_newton *s) {
  choose_members(s);
  const perp_status status = s->members > 0 ? solve(s) : PERP_OK;
  if (status != PERP_OK) return status == PERP_EBACKEND ? status : PERP_INACCURATE;
  for (int32_t i = 0; i < s->n; i++) s->d[i] = s->place[i] >= 0 ? s->rhs[s->place[i]] : -s->phi[i];
  multiply_step(s);
  return GO_ON;
}
