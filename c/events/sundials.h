/* SPDX-License-Identifier: MIT */
/* What the integrators on SUNDIALS share: a context of their own, vectors, its words when it fails,
 * and the choice of a matrix with its linear solver. */
#ifndef PERP_EVENTS_SUNDIALS_H
#define PERP_EVENTS_SUNDIALS_H

#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

#include "events/smooth.h"

/* Entries of a square matrix that may be other than 0, by columns, the diagonal included, and a
 * partition of the columns: those of one colour have no row in common. */
typedef struct sundials_pattern {
  int32_t n, colours;
  int32_t lower, upper; /* half widths of the band     */
  int32_t *start;       /* n + 1                       */
  int32_t *index;       /* start[n], ascending by column */
  int32_t *colour;      /* n                           */
} sundials_pattern;

/* The functions of a package of SUNDIALS with the shape of CVODE's; they return its flags. */
typedef struct sundials sundials;
typedef struct sundials_method {
  int (*restart)(sundials *s, double t);     /* from y, or y1 */
  int (*set_first)(void *package, double h); /* 0: its own choice */
  int (*set_stop)(void *package, double t);
  int (*step)(sundials *s, double stop, double *t); /* y := that at t */
  int (*derivative)(void *package, double t, int order, N_Vector dky);
  int (*order)(void *package, int *order);  /* of the last step; NULL: a method of one step */
  int (*last)(void *package, double *h);    /* length of the last step, */
  int (*current)(void *package, double *h); /* and of the next          */
  int (*time)(void *package, double *t);
  void (*count)(void *package, smooth_counts *counts); /* since the restart, evaluations apart */
  perp_status (*status)(int flag);
  void (*release)(void **package);
} sundials_method;

struct sundials {
  const smooth_problem *problem;
  const sundials_method *method;
  SUNContext context;
  void *package;
  N_Vector y, rate, atol; /* n each */
  double *memory;         /* n, n */
  double *y0, *y1;        /* n each: at begin and at end */
  double begin, end;      /* the last step */
  double full_end;        /* its end before it was shortened */
  double h;               /* length that it would take next, 0: not known */
  double uncut;           /* length of the last step that did not end at a stop, 0: none */
  int32_t fresh;          /* restart before the next step */
  int32_t first_order;    /* of the first step after a restart; 1: a method of several steps */
  int32_t answer;         /* of the right-hand side in this step, when it was not 0 last */
  int32_t not_finite;     /* that was a slope that is not finite */
  double refused_at;      /* time at which the right-hand side last asked for a smaller step */
  int32_t refused_as_nan; /* because its slope was not finite */
  SUNMatrix matrix;
  SUNLinearSolver linear;
  sundials_pattern pattern;
  smooth_counts counts; /* up to the last restart; evaluations up to now */
  char message[SMOOTH_MESSAGE];
};

/* Whether a method of that highest order takes the problem's order and linear. */
perp_status perp_sundials_check(const smooth_problem *problem, int32_t highest, perp_info *info);
/* What the flag of a package that was set up means. */
perp_status perp_sundials_configured(const sundials *s, int flag, perp_info *info);
/* *self := made, which is destroyed if it was not made; returns status. */
perp_status perp_sundials_created(void **self, void *made, perp_status status,
                                  void (*destroy)(void *));
/* Context and vectors for a problem; PERP_EINVAL or PERP_EBACKEND as perp_smooth.create(). */
perp_status perp_sundials_open(sundials *s, const smooth_problem *problem,
                               const sundials_method *method, perp_info *info);

/* Add the counts of the package to counts; before each restart of it. */
void perp_sundials_tally(sundials *s);
/* What a flag means that ended a step (>= 0: it did not advance), with what the right-hand side
 * said in mind. */
perp_status perp_sundials_refused(sundials *s, int flag);

/* SUNDIALS' handler of errors, data: char[SMOOTH_MESSAGE]. Keeps the words, prints nothing. */
void perp_sundials_error(int code, const char *module, const char *function, char *words,
                         void *message);
/* f of CVODE and ARKODE, user: sundials. A slope that is not finite asks for a smaller step. */
int perp_sundials_rhs(double t, N_Vector y, N_Vector ydot, void *user);

/* Which of PERP_LINEAR_DENSE ... PERP_LINEAR_SPARSE suits a pattern; asked if it is not _AUTO. */
int32_t perp_sundials_kind(const sundials_pattern *pattern, int32_t asked);
/* start NULL: all entries. 0 if memory is short. */
int perp_sundials_pattern(sundials_pattern *pattern, int32_t n, const int32_t *start,
                          const int32_t *index);
void perp_sundials_forget(sundials_pattern *pattern);
/* Matrix and solver of that kind; 0 if memory is short. */
int perp_sundials_linear(SUNContext context, N_Vector y, const sundials_pattern *pattern,
                         int32_t kind, SUNMatrix *matrix, SUNLinearSolver *linear);
/* Write the indices of the pattern into a sparse matrix, whose values become 0. */
void perp_sundials_shape(const sundials_pattern *pattern, SUNMatrix matrix);
/* ∂f/∂y by differences over the pattern, one evaluation for each colour; user: sundials. */
int perp_sundials_difference(double t, N_Vector y, N_Vector fy, SUNMatrix J, void *user, N_Vector a,
                             N_Vector b, N_Vector c);

/* out (n) := derivative of that order of the interpolation at t within the last step. */
perp_status perp_sundials_read(sundials *s, double t, int order, double *out);

/* perp_smooth's functions on *self = sundials of any method. */
perp_status perp_sundials_restart(void *self, double t, const double *y, double h);
perp_status perp_sundials_step(void *self, double stop, double *begin, double *end, double *y);
perp_status perp_sundials_interpolate(void *self, double t, double *y);
perp_status perp_sundials_bezier(void *self, int32_t *degree, double *out);
void perp_sundials_counts(const void *self, smooth_counts *counts);
const char *perp_sundials_message(const void *self);
void perp_sundials_destroy(void *self);

/* A table of perp_smooth on SUNDIALS. */
#define SUNDIALS_TABLE(dae, name, one_step, border, create, destroy, shorten)                 \
  {                                                                                           \
    sizeof(perp_smooth), dae, name, one_step, border, create, destroy, perp_sundials_restart, \
        perp_sundials_step, perp_sundials_interpolate, perp_sundials_bezier, shorten,         \
        perp_sundials_counts, perp_sundials_message                                           \
  }

#endif
