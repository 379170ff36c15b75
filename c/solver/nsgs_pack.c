/* SPDX-License-Identifier: MIT */
/* M copied once into the order in which sweeps of nonsmooth Gauss–Seidel read it: contact after
 * contact, without the own blocks, which go into the local problems.
 *
 *   space    two 3x3 blocks side by side, row by row: 3 times 6 values. An odd one has zeros beside
 *   plane    a 2x2 block, row by row
 *   columns  each column of the row that has an entry, as high as the contact
 *   in place nothing
 *
 * Zeros are left out. In a row the unknowns behind the contact come first, then those before it:
 * what the sweep has changed last is read last. */
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "problem/one_contact.h"
#include "solver/sweeps.h"

/* A diagonal entry below this part of its block's largest counts as 0. */
#define VANISHING 1e-13

enum { FULL = 100 };

typedef struct packer {
  nsgs *s;
  const double *diagonal; /* M_ii                                                 */
  size_t value, index, local;
  int32_t columns; /* slots given in this row                                     */
  double *D;       /* the own block                                               */
  int32_t row;     /* of M, without an entry, where that leaves no solution; -1   */
} packer;

/* ---- the local problem ---- */

/* What a struct takes of an array of doubles. */
#define DOUBLES(type) ((sizeof(type) + sizeof(double) - 1) / sizeof(double))

static size_t local_size(const contact *c) {
  const size_t size = (size_t)c->size;
  if (c->set <= PERP_SET_BOX) return 1;
  if (c->set == PERP_SET_CONE) return size == 2 ? DOUBLES(contact_2d) : DOUBLES(contact_3d);
  if (c->set == PERP_SET_ROLLING) return DOUBLES(contact_rolling);
  return size * size;
}

size_t perp_nsgs_local_doubles(const perp_shape *shape) {
  size_t most = 1; /* for one unknown, rounded up */
  const size_t plane = (DOUBLES(contact_2d) + 1) / 2, space = (DOUBLES(contact_3d) + 2) / 3;
  const size_t rolling = (DOUBLES(contact_rolling) + 2) / 3;
  const uint32_t other = 1u << PERP_SET_POLYHEDRON | 1u << PERP_SET_OTHER;
  if ((shape->sets >> PERP_SET_CONE & 1u) != 0) most = plane > space ? plane : space;
  if ((shape->sets >> PERP_SET_ROLLING & 1u) != 0 && rolling > most) most = rolling;
  if ((shape->sets & other) != 0 && (size_t)shape->largest > most) most = (size_t)shape->largest;
  const size_t n = (size_t)shape->n;
  return n > 0 && most > SIZE_MAX / n ? SIZE_MAX : n * most;
}

static void prepare(const contact *c, const double *D, double *out) {
  void *to = out;
  if (c->set == PERP_SET_CONE && c->size == 2)
    perp_contact_2d_prepare(to, D, 2, c->mu);
  else if (c->set == PERP_SET_CONE)
    perp_contact_3d_prepare(to, D, 3, c->mu);
  else if (c->set == PERP_SET_ROLLING)
    perp_contact_rolling_prepare(to, c->size, D, c->size, c->mu, c->mu_rolling);
  else
    memcpy(out, D, (size_t)c->size * (size_t)c->size * sizeof *out);
}

static void add_own_row(const contact *c, int32_t i, matrix_row row, double *D) {
  for (int32_t k = 0; k < row.count; k++) {
    const int32_t j = row.column[k] - c->begin;
    if (j >= 0 && j < c->size) D[(size_t)i + (size_t)c->size * (size_t)j] += row.value[k];
  }
}

static void read_own_block(packer *p, const contact *c, double *D) {
  const perp_matrix *M = &p->s->run->problem->M;
  const size_t size = (size_t)c->size, begin = (size_t)c->begin;
  memset(D, 0, size * size * sizeof *D);
  if (M->kind == PERP_DENSE) {
    for (size_t j = 0; j < size; j++)
      memcpy(D + size * j, M->values + begin + (size_t)M->ld * (begin + j), size * sizeof *D);
  } else {
    for (int32_t i = 0; i < c->size; i++)
      add_own_row(c, i, row_read(&p->s->reader, c->begin + i), D);
  }
}

static inline size_t diagonal_place(const contact *c, int32_t i) {
  return (size_t)i * ((size_t)c->size + 1);
}

/* What has to be added to the diagonal of D so that the local problem can be solved, 0 mostly. */
static double lift(packer *p, const contact *c, const double *D) {
  double largest = 0, least = INFINITY, most = 0;
  for (int32_t i = 0; i < c->size; i++) {
    const double d = D[diagonal_place(c, i)];
    if (d > largest) largest = d;
    if (!(d >= least)) least = d;
  }
  const int missing = !(least >= VANISHING * largest && least >= LEAST_DIAGONAL);
  for (int32_t i = 0; i < c->size && missing; i++) {
    const double d = perp_sweep_substitute(&p->s->reader, p->diagonal, c->begin + i);
    if (d > most) most = d;
  }
  return missing ? (most >= LEAST_DIAGONAL ? most : 1) : 0;
}

/* ---- rows ---- */

static int32_t slot_of(packer *p, int32_t key, int32_t place) {
  nsgs *s = p->s;
  if (s->slot[key] < 0) {
    if (p->index + (size_t)p->columns >= s->places) return -1;
    s->index[p->index + (size_t)p->columns] = place;
    s->slot[key] = p->columns++;
  }
  return s->slot[key];
}

/* Unknowns under one slot: a block of these packs, a column of the other. */
static int32_t width_of(const nsgs *s) {
  return s->pack == NSGS_SPACE ? 3 : s->pack == NSGS_PLANE ? 2 : 1;
}

/* Where entry (i, j) of slot stands among the values of its row. */
static size_t place_of(const nsgs *s, const contact *c, int32_t slot, int32_t i, int32_t j) {
  if (s->pack == NSGS_SPACE) return (size_t)(slot / 2) * 18 + (size_t)(6 * i + 3 * (slot % 2) + j);
  if (s->pack == NSGS_PLANE) return (size_t)slot * 4 + (size_t)(2 * i + j);
  return (size_t)slot * (size_t)c->size + (size_t)i;
}

/* The parts of a row. */
enum { BEHIND = 1, BEFORE = 2, OWN = 4 };

/* Give a slot to (v NULL), or add to the values v in it, what is in some parts of the rows of
 * contact c: entries of M, and as its own block −by on the diagonal, which the local problem has
 * too much. Whether there was room. */
static inline int take_parts(packer *p, const contact *c, int parts, double by, double *v) {
  const nsgs *s = p->s;
  const int32_t width = width_of(s);
  for (int32_t i = 0; i < c->size; i++) {
    const int32_t own = c->begin + i;
    const double lift = -by;
    matrix_row row = {1, &own, &lift};
    if (parts != OWN) row = row_read(&s->reader, own);
    for (int32_t k = 0; k < row.count; k++) {
      const int32_t j = row.column[k], slot = j / width;
      const int here = j < c->begin ? BEFORE : j < c->begin + c->size ? OWN : BEHIND;
      if (row.value[k] == 0 || (here & parts) == 0) continue;
      if (v != NULL)
        v[place_of(s, c, s->slot[slot], i, j % width)] += row.value[k];
      else if (slot_of(p, slot, slot * width) < 0)
        return 0;
    }
  }
  return 1;
}

static void forget_slots(packer *p) {
  nsgs *s = p->s;
  const int32_t width = width_of(s);
  for (int32_t k = 0; k < p->columns; k++) s->slot[s->index[p->index + (size_t)k] / width] = -1;
}

static int pack_blocks(packer *p, const contact *c, nsgs_row *row, double by) {
  nsgs *s = p->s;
  p->columns = 0;
  int fits = take_parts(p, c, BEHIND, 0, NULL) && take_parts(p, c, BEFORE, 0, NULL) &&
             (by == 0 || take_parts(p, c, OWN, by, NULL));
  const int in_pairs = s->pack == NSGS_SPACE;
  if (in_pairs && p->columns % 2 == 1) { /* what the zeros multiply */
    int32_t *pad = s->index + p->index + (size_t)p->columns;
    fits = fits && p->index + (size_t)p->columns < s->places;
    if (fits) *pad = pad[-1];
    p->columns += fits;
  }
  const size_t doubles = (size_t)p->columns * (size_t)(c->size * width_of(s));
  fits = fits && doubles <= s->capacity - p->value;
  if (fits && doubles > 0) {
    double *v = s->values + p->value;
    memset(v, 0, doubles * sizeof *v);
    (void)take_parts(p, c, BEHIND | BEFORE, 0, v);
    if (by != 0) (void)take_parts(p, c, OWN, by, v);
  }
  forget_slots(p);
  row->count = in_pairs ? p->columns / 2 : p->columns;
  p->value += doubles;
  p->index += (size_t)p->columns;
  return fits;
}

/* ---- all rows ---- */

/* A row of zeros leaves y = q: whether the law cannot bear that. */
static int hopeless(const packer *p, const contact *c, const double *D) {
  const nsgs *s = p->s;
  const double q = s->run->problem->q[c->begin];
  if (c->set > PERP_SET_ROLLING || D[0] != 0 || !(fabs(q) > 0)) return 0;
  const matrix_row row = row_read(&s->reader, c->begin);
  for (int32_t k = 0; k < row.count; k++)
    if (row.value[k] != 0) return 0;
  if (c->set > PERP_SET_BOX) return q < 0;
  return fabs(q > 0 ? s->run->lower[c->begin] : s->run->upper[c->begin]) == INFINITY;
}

static int pack_row(packer *p, int32_t k) {
  nsgs *s = p->s;
  const contact *c = &s->contacts[k];
  nsgs_row *row = &s->rows[k];
  double *D = p->D, trace = 0;
  row->begin = c->begin;
  row->value = p->value;
  row->index = p->index;
  row->local = p->local;
  read_own_block(p, c, D);
  if (hopeless(p, c, D)) p->row = c->begin;
  for (int32_t i = 0; i < c->size; i++) D[diagonal_place(c, i)] += s->rho;
  const double by = lift(p, c, D);
  for (int32_t i = 0; i < c->size; i++) {
    D[diagonal_place(c, i)] += by;
    trace += D[diagonal_place(c, i)];
  }
  row->weight = trace / c->size;
  prepare(c, D, s->locals + p->local);
  p->local += local_size(c);
  row->lift = by;
  return s->pack == NSGS_IN_PLACE ? 1 : pack_blocks(p, c, row, by);
}

static int uniform(const nsgs *s, int32_t size) {
  for (int32_t k = 0; k < s->count; k++)
    if (s->contacts[k].set != PERP_SET_CONE || s->contacts[k].size != size) return 0;
  return 1;
}

/* Multiply-adds of one visit, its row apart. */
static double visit_price(const contact *c) {
  if (c->set <= PERP_SET_BOX) return 5;
  if (c->set == PERP_SET_CONE) return 50;
  return c->set == PERP_SET_ROLLING ? 600 : 20.0 * c->size * c->size;
}

static perp_status pack_all(packer *p) {
  p->value = p->index = p->local = 0;
  p->s->price = 0;
  for (int32_t k = 0; k < p->s->count; k++) {
    if (!pack_row(p, k)) return FULL;
    if (p->row >= 0) return PERP_INFEASIBLE;
    p->s->price += visit_price(&p->s->contacts[k]);
  }
  p->s->price +=
      p->s->pack == NSGS_IN_PLACE ? perp_matrix_work(&p->s->run->problem->M) : (double)p->value;
  return PERP_OK;
}

perp_status perp_nsgs_pack(nsgs *s, const double *diagonal, int32_t *row) {
  packer p = {.s = s, .diagonal = diagonal, .D = s->own, .row = -1};
  s->pack = uniform(s, 3) ? NSGS_SPACE : uniform(s, 2) ? NSGS_PLANE : NSGS_COLUMNS;
  for (int32_t i = 0; i < s->n; i++) s->slot[i] = -1;
  perp_status status = pack_all(&p);
  if (status == FULL) {
    s->pack = NSGS_IN_PLACE;
    status = pack_all(&p);
  }
  *row = p.row;
  return status == FULL ? PERP_EWORKSPACE : status;
}
