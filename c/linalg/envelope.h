/* SPDX-License-Identifier: MIT */
/* Envelope (skyline) factor  M_FF + σ I = L D Lᵀ  of the principal submatrix that a list F of
 * unknowns picks out of a symmetric matrix, stored row by row from the first nonzero column to the
 * diagonal. Row k of the factor depends on rows 0 ... k of M_FF only: when the list changes from
 * some place on, the rows before it stay, with the bits a full factorisation would give them. */
#ifndef PERP_LINALG_ENVELOPE_H
#define PERP_LINALG_ENVELOPE_H

#include "base/arena.h"
#include "perp/matrix.h"

/* Rows of a square matrix of any kind, one by one. */
typedef struct row_reader {
  const perp_matrix *M;
  int32_t *column; /* n: dense, diagonal: 0 ... n-1; blocks: columns of the row read last */
  double *value;   /* n: dense, blocks: values of the row read last                       */
  int32_t *block;  /* blocks: block row of each row                                       */
  size_t *at;      /* blocks: place in M->values of each block row                        */
} row_reader;

typedef struct matrix_row {
  int32_t count;
  const int32_t *column;
  const double *value;
} matrix_row;

/* Take the tables of a reader of n rows, with those of blocks with cuts if M may have them; value
 * is the caller's to set. */
static inline void row_reader_carve(row_reader *reader, arena *a, size_t n, int blocks) {
  const size_t cut = blocks ? n : 0;
  reader->column = (int32_t *)arena_take(a, n, sizeof(int32_t));
  reader->block = (int32_t *)arena_take(a, cut, sizeof(int32_t));
  reader->at = (size_t *)arena_take(a, cut, sizeof(size_t));
}

/* Read M: fill the tables of a reader whose arrays are set. block and at are not touched unless M
 * has blocks with cuts; column and value not if M is in compressed rows. */
void perp_row_reader_prepare(row_reader *reader, const perp_matrix *M);

/* Row i of any kind but compressed rows, in the reader's memory until the next call. */
matrix_row perp_row_gather(const row_reader *reader, int32_t i);

/* Row i; columns may be unsorted. */
static inline matrix_row row_read(const row_reader *reader, int32_t i) {
  const perp_matrix *M = reader->M;
  if (M->kind != PERP_BLOCKS || M->offset != NULL) return perp_row_gather(reader, i);
  matrix_row row = {M->start[i + 1] - M->start[i], NULL, NULL};
  if (row.count > 0) { /* the arrays of an empty matrix may be NULL */
    row.column = M->index + M->start[i];
    row.value = M->values + M->start[i];
  }
  return row;
}

/* (M x)_i */
static inline double row_dot(const row_reader *reader, int32_t i, const double *x) {
  matrix_row row = row_read(reader, i);
  double sum = 0;
  for (int32_t c = 0; c < row.count; c++) sum += row.value[c] * x[row.column[c]];
  return sum;
}

/* (|M| |x|)_i, and the sum of |M_ij| over the row in norm. */
double perp_row_scale(const row_reader *reader, int32_t i, const double *x, double *norm);

typedef struct envelope {
  int32_t n;       /* unknowns of M                                                        */
  int32_t rows;    /* |F|                                                                  */
  int32_t valid;   /* rows that hold a factor; the caller lowers it when M or σ changes    */
  int32_t band;    /* largest length of a row of L                                         */
  int32_t weak;    /* first row whose pivot lost ENVELOPE_WEAK against M_ii; rows if none  */
  size_t capacity; /* doubles behind lower: the envelope of M is always enough             */
  int32_t *member; /* n: member[k] = k-th unknown of F, ascending                          */
  int32_t *place;  /* n: place[member[k]] = k, -1 for unknowns outside F                */
  int32_t *first;  /* n: column in which row k of L begins, k if the row is empty          */
  size_t *start;   /* n: where it begins in lower; an empty row takes one place            */
  double *inverse; /* n: 1 / D_k                                                           */
  double *lower;   /* rows of L without the unit diagonal                                  */
} envelope;

/* Take the arrays for n unknowns of M and so many places in lower. */
static inline void envelope_carve(envelope *e, arena *a, size_t n, size_t capacity) {
  e->n = (int32_t)n;
  e->capacity = capacity;
  e->member = (int32_t *)arena_take(a, n, sizeof(int32_t));
  e->place = (int32_t *)arena_take(a, n, sizeof(int32_t));
  e->first = (int32_t *)arena_take(a, n, sizeof(int32_t));
  e->start = (size_t *)arena_take(a, n, sizeof(size_t));
  e->inverse = (double *)arena_take(a, n, sizeof(double));
  e->lower = (double *)arena_take(a, capacity, sizeof(double));
}

/* Pivots below this part of M_ii leave fewer than half the digits: results need a second look. */
#define ENVELOPE_WEAK 1e-8

enum { ENVELOPE_DONE = 0, ENVELOPE_NOT_DEFINITE = 1, ENVELOPE_FULL = 2 };

/* Factorise the rows from e->valid on, with member, place and rows set. On a pivot that is not
 * above (16 + n) ε M_ii or not finite, or when lower is full, e->valid says how far it came. */
int perp_envelope_factor(envelope *e, const row_reader *reader, double shift);

/* Adopt a factor whose first, inverse, lower came from outside: start and band are rebuilt.
 * Returns 0 if first is no envelope of e->rows rows within the capacity. */
int perp_envelope_adopt(envelope *e);

/* Continue in other memory: the valid rows move to inverse and lower. */
void perp_envelope_move(envelope *e, double *inverse, double *lower, size_t capacity);

/* x (rows entries) := (M_FF + σ I)^-1 x */
void perp_envelope_solve(const envelope *e, double *x);

#endif
