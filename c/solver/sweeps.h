/* SPDX-License-Identifier: MIT */
/* What the methods share that go through the unknowns again and again: the diagonal they divide by,
 * the centre of proximal problems, one contact of any law; and the parts of nonsmooth Gauss–Seidel:
 * M packed for sweeps, orders in colours, acceleration. */
#ifndef PERP_SOLVER_SWEEPS_H
#define PERP_SOLVER_SWEEPS_H

#include "base/arena.h"
#include "linalg/envelope.h"
#include "perp/sweeps.h"
#include "problem/contacts.h"
#include "solver/anderson.h"
#include "solver/interval.h"
#include "solver/shell.h"

/* ---- all methods ---- */

/* Diagonal entries below this are none: 1 / d would overflow. */
#define LEAST_DIAGONAL 1e-290

/* Growth of what a method measures beyond its best value and |q| that counts as divergence. */
#define DIVERGED 1e8

/* The centre of a proximal problem moves where what is left of it is below this part of ρ |λ − c|.
 */
#define INNER 0.1

/* What stands for a missing diagonal entry: Σ M_ij² / M_jj over positive M_jj, what the equations
 * of other unknowns would make of it; else the largest entry. 0: the row is zero. */
double perp_sweep_substitute(const row_reader *rows, const double *diagonal, int32_t i);

/* max ρ |λ − c|, by which the proximal problem misses the given one; NaN if there is one. */
static inline double distance_to_centre(int32_t n, double rho, const double *lambda,
                                        const double *centre) {
  double most = 0;
  for (int32_t i = 0; i < n && rho != 0; i++)
    most = interval_raise(most, rho * (lambda[i] - centre[i]));
  return most;
}

/* y += M x; columns of a dense M that meet a 0 of x are not read. The number of those that are. */
int32_t perp_multiply_add_sparsely(const perp_matrix *M, const double *x, double *y);

/* ---- conjugate gradients on a box ---- */

/* The descent of cpg.c: weight and where it stands are given. */
typedef struct box_descent {
  session *run; /* where there may be no solution, which it shows; NULL: M is to be definite   */
  int32_t n;
  int conjugate; /* p holds the last direction on this face, Mp its product         */
  double curved; /* pᵀM p of the kept direction                                     */
  double slope;  /* gᵀp                                                             */
  double alarm;  /* of a solve: the size at which to look for a proof               */
  int refused;   /* and how often the judge said no                                 */
  double merit;  /* largest residual with the columns' norm replaced by M_ii        */
  double size;   /* max M_ii |λ_i| + |q_i|                                          */
  const perp_matrix *M;
  const double *q, *lower, *upper; /* n each                                            */
  double *lambda, *g;              /* n each: the caller's λ; y                         */
  double *weight, *p, *Mp, *ray;   /* n each                                            */
  double *scratch;                 /* of the residual; during a step those below        */
  double *meets, *since; /* n each: t of the bound ahead; t up to which g_i is up to date */
  row_reader rows;
  int32_t *heap, waiting; /* unknowns by the order in which they meet their bounds, their number */
} box_descent;

/* To the end of the next path; gamma: proportion of the options.
 * GO_ON, PERP_INACCURATE (there is no way down), PERP_RAY or, with a proof, PERP_INFEASIBLE. */
perp_status perp_box_descent_step(box_descent *s, double gamma);

/* ---- one contact of any law ---- */

/* Attempts at exact solutions that may be in vain. */
typedef struct vain_attempts {
  double left;  /* multiply-adds, of all contacts                                           */
  double least; /* what one counts at least: there are laws that do not say what they cost  */
} vain_attempts;

/* y = D λ + q and (y, λ) in a law that is no interval, by the law's own solution or else by a few
 * projected steps
 *
 *   λ := P(λ − ŷ / ‖D‖),  ŷ = shift(D λ + q).
 *
 * A fixed point of these is a solution, so one that ends early only slows sweeps down. D is size x
 * size, column-major; lambda: in the old one, out the new one; trial: size doubles; spare: what the
 * projection needs. vain: until when the law's own solution is asked for although it has none;
 * NULL: always. The multiply-adds that it took. */
double perp_local_law_solve(const contact *c, const double *D, const double *q, double *lambda,
                            double *trial, double *spare, vain_attempts *vain);

/* ---- packed rows ---- */

/* How the rows of the contacts are packed. */
enum {
  NSGS_SPACE = 0,   /* every contact is friction in space: 3x3 blocks, two by two                */
  NSGS_PLANE = 1,   /* every contact is friction in the plane: 2x2 blocks                        */
  NSGS_COLUMNS = 2, /* columns as high as the contact                                            */
  NSGS_IN_PLACE = 3 /* not at all, where columns would take too much memory                      */
};

/* Row of one contact a: what Σ M_ab λ_b over the others needs, and the local problem. */
typedef struct nsgs_row {
  size_t value;  /* where its values begin                                                  */
  size_t index;  /* where the first unknowns of what they multiply begin                    */
  size_t local;  /* where its prepared local problem begins, in doubles                     */
  int32_t count; /* pairs of blocks (space), blocks (plane), or columns                    */
  int32_t begin; /* first unknown of the contact                                            */
  double weight; /* mean diagonal entry of its own block, as the local problem has it       */
  double lift;   /* what that has more than M and ρ on the diagonal                         */
} nsgs_row;

typedef struct nsgs {
  session *run;
  const perp_nsgs_options *options;
  int32_t n, count;  /* unknowns, contacts                                         */
  int32_t pack;      /* NSGS_SPACE ...                                             */
  contact *contacts; /* count, in the order of the rows                            */
  nsgs_row *rows;    /* count                                                      */
  double *values;    /* capacity: the packed rows                                  */
  int32_t *index;    /* places                                                     */
  double *locals;    /* prepared local problems                                    */
  size_t capacity, places;
  double price;          /* multiply-adds of a sweep                            */
  double *q;             /* n: q − ρ c                                          */
  double *w, *r, *trial; /* n: of local problems of more than 5 unknowns        */
  double *own;           /* block of one contact                                */
  double *spare;         /* of projections that need memory                     */
  double rho;            /* as it is added to M                                 */
  double rest;           /* a contact that moves less may sleep                 */
  int32_t *asleep;       /* count: sweeps for which a contact is still left out */
  int32_t *order;        /* count: shuffled rows                                */
  row_reader reader;     /* of the caller's M                                   */
  int32_t *slot;         /* n: where a column stands in the row that is packed; -1 */
} nsgs;

/* Doubles for the prepared local problems of a shape. */
size_t perp_nsgs_local_doubles(const perp_shape *shape);

/* Pack M into the order of s->contacts: rows, values, index, locals. diagonal: M_ii of all.
 * PERP_INFEASIBLE: row *row of M is zero where the law cannot bear q. */
perp_status perp_nsgs_pack(nsgs *s, const double *diagonal, int32_t *row);

/* ---- sweeps ---- */

/* What comes of a sweep. */
typedef struct nsgs_pass {
  session *run;       /* who pays for exact solutions; NULL: whoever adds up work          */
  double work;        /* their multiply-adds                                               */
  double change;      /* the largest change of a contact times its weight, NaN if there is one */
  perp_status status; /* GO_ON, or what ended the sweep amid its contacts                   */
} nsgs_pass;

/* An order of the contacts in which many can be solved at once. Contacts that meet in M form groups
 * of a microsecond's work, which are solved one after the other; groups have colours, of which none
 * has two groups that meet. So there are few colours, and much to do in each. Colour c has the
 * chunks begin[c] ... begin[c+1]-1, chunk k the rows row[k] ... row[k+1]-1. Chunks depend on the
 * problem alone. */
typedef struct colouring {
  int32_t colours;
  int32_t *begin; /* count + 1                                          */
  int32_t *row;   /* count + 1                                          */
  double *change; /* count: what the chunks found                       */
  double *work;   /* count: and what that took                          */
  /* while it is made */
  int32_t *owner;  /* n: contact of an unknown                         */
  size_t *start;   /* count + 1: neighbours of a contact               */
  int32_t *next;   /* edges: one by one; some twice                    */
  int32_t *group;  /* count: first contact of the group, itself mostly */
  int32_t *colour; /* count: of the group, at its first contact        */
  int32_t *mark;   /* count                                            */
  contact *sorted; /* count                                            */
} colouring;

void perp_colouring_carve(colouring *c, arena *a, const perp_shape *shape, int wanted);

/* Order s->contacts and cut them into chunks. */
void perp_colouring_make(colouring *c, nsgs *s);

/* Solve all contacts, one after the other, or from the last to the first; order (NULL: as packed)
 * says which row, or colour, stands at which place. c: NULL: there are no colours; parallel: NULL:
 * one chunk after the other. */
void perp_nsgs_sweep(const nsgs *s, const colouring *c, int backward, const int32_t *order,
                     perp_parallel_for parallel, nsgs_pass *pass);

#endif
