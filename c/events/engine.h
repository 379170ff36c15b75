/* SPDX-License-Identifier: MIT */
/* What moves one component of a model, and the stages of an event.
 *
 * The component is cut into *elements*, each switched as a whole: a contact with friction, a
 * component of a law by component. The states of all elements are the mode. Files: element.c makes
 * the elements and tells their guards; force.c finds λ in a mode, first_order_mode.c that of order
 * 1; impact_problem.c solves the problem on velocities, select.c those that choose the next mode;
 * correct.c puts a state back on its constraints; locate.c finds the first zero of a guard in a
 * step; event.c goes through an event, step.c through time up to one. event_driven.h joins the
 * engines of all components. */
#ifndef PERP_EVENTS_ENGINE_H
#define PERP_EVENTS_ENGINE_H

#include "events/coupling.h"
#include "events/event_problem.h"
#include "events/plant.h"
#include "events/rank.h"
#include "events/smooth.h"

#include <math.h>

/* Kinds of elements. */
enum {
  ELEMENT_EQUALITY, /* always held                                             */
  ELEMENT_CONTACT,  /* order 2: 0 ≤ y ⟂ λ ≥ 0 on positions                      */
  ELEMENT_FRICTION, /* order 2: the same with Coulomb friction in 1 or 2 rows more */
  ELEMENT_BOX,      /* order 2: −ẏ ∈ N_[l,u](λ)                                 */
  ELEMENT_OUTPUT    /* order 1: −y ∈ N_[l,u](λ)                                 */
};

typedef struct element {
  int32_t kind, interaction, copy;
  int32_t row, size; /* first row within the interaction; rows           */
  int32_t holonomic; /* order 2: y is a position                          */
  int32_t state;     /* PERP_CONTACT_...                                  */
  int32_t held;      /* place of its first row in the held rows of its order, -1: none */
  int32_t asked;     /* how it enters the problem of the next mode, 0: not at all */
  const perp_law *law;
  double mu, lower, upper;
  double d[2]; /* slip: direction of ẏ_t; [0] is the sign in the plane */
  double
      rest; /* |ẏ| up to which it is at rest at this event: velocity_tol, or what time resolves */
  int32_t idle;  /* it has brought an event at which nothing happened   */
  double hit;    /* -ẏ before its last impact               */
  int32_t loose; /* accumulation.c: rises by more than may be cut off */
} element;

/* A row of order 2 whose ÿ is held at 0, and the force that holds it. */
typedef struct held_row {
  int32_t element, row; /* row within the interaction */
} held_row;

/* An equation of order 1 in the held rows: Σ u_j (row j) of y, ẏ or ÿ (level) is 0. */
typedef struct first_order_mode {
  int32_t n;
  int32_t *element;    /* n: held rows                */
  double *U;           /* n x n, row k: combination k */
  int32_t *level;      /* n                           */
  unsigned char *done; /* scratch, n               */
  double *yddot;       /* n: of the rows, without what λ̇ adds */
  double t, *Y;        /* where they are evaluated */
  int32_t moves;       /* along the motion of x, not in time alone */
  double *scratch;
} first_order_mode;

enum { GUARDS_PER_ELEMENT = 2 };

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order in which it is read */
typedef struct engine {
  const component *component;
  perp_event_options options; /* atols: of all, at creation alone */
  plant p;
  element *elements;
  int32_t n_elements;

  /* the state: at t, and as observers see it */
  double t, *Y;
  double view_t;
  double *view;     /* what accessors show: Y, or output                          */
  double *output;   /* n: interpolated                                           */
  int64_t shown;    /* at which view of the simulation                            */
  int32_t viewed;   /* the plant is at the view, with forces                      */
  int64_t record;   /* of its last event, in the simulation                      */
  uint32_t ahead;   /* PERP_EVENT_GUARD or _RETURN: what its last step has found at t, _START: a
                       start that failed; 0: the end of the step */
  int32_t straight; /* the last step was one of time-stepping, straight from save at begin */
  double begin;
  double *lambda;  /* rows: forces at the point last evaluated by perp_force() */
  double *impulse; /* rows: of the last event              */
  double *wdot, *Ydot;

  /* the mode */
  held_row *held;
  int32_t n_held;
  rank_factor S; /* of the held rows of order 2        */
  double *S_rhs; /* n_held                             */
  int32_t S_fixed, S_ready;
  double largest_q; /* since the start */
  double damping;   /* α of force.c, 1/s; 0 for one-step methods  */
  first_order_mode first;
  rank_factor S1; /* of the held rows of order 1 */
  double *S1_rhs;
  int32_t S1_ready, S1_fixed;
  int32_t has_held_positions;

  coupling coupled;
  int32_t *reach;              /* rows or elements: scratch of their parts */
  int32_t *members, *gathered; /* n_elements: of a problem; scratch        */
  int32_t *part;               /* n_elements + 1: where parts of them begin */
  event_problem problem;
  rank_factor R;                  /* scratch of corrections                  */
  double *trial, *dw, *dw2, *dw3; /* n; n_w each                */
  double *problem_bounds;         /* 2 x largest law                   */
  double *scale;                  /* 3 n_elements                      */
  int32_t n_outputs;              /* elements of order 1               */
  double *save;                   /* n: the state before an event      */

  const perp_smooth *smooth;
  void *integrator;
  smooth_problem equations;
  struct dae *dae; /* dae.c; NULL: the integrator has no use for it */
  double *atol;
  double smooth_since; /* time of the last event */
  double last_h;       /* of the last whole step */
  int32_t running;     /* the integrator continues from (t, Y) */
  void *block;
  int32_t *pattern; /* compressed columns, or NULL */

  /* time-stepping in a crowd of events: NULL outside */
  perp_simulation *stepper;
  perp_model stepped;
  double *thetas; /* n_systems, of options.stepping */
  const perp_integrator **integrators;
  int32_t quiet; /* steps since the last impact */
  double seen_impacts;

  /* guards: those of elements, then the user's */
  int32_t n_guards;
  int32_t watches;    /* some of them may fire: not all elements are equalities */
  double guard_scale; /* largest component of the state at the restart */
  double force_scale; /* largest force since the start                 */
  double slack;       /* of contacts that touch, at the point last looked at */
  double *g_size;     /* n_guards: of what they are made of, at the restart */
  double *g_loose;    /* n_guards: what of it the motion does not resolve, after an idle event */
  double *g_start;    /* n_guards: at the restart                       */
  int32_t max_points; /* within a step */
  unsigned char *way; /* n_guards: SEARCH_..., and how many of each */
  int32_t ways[5];
  double *bezier;           /* (SMOOTH_DEGREE + 1) n: the last step */
  double *g;                /* (max_points + 2) n_guards */
  double *g_times;          /* max_points + 2 */
  unsigned char *fresh;     /* guards that were zero at the restart, and still may be */
  signed char *sign;        /* of all guards before they fire; 0: not known yet (the user's) */
  unsigned char *fired;     /* guards at zero at the event             */
  unsigned char *known;     /* 2 n_guards: fresh and sign before they are looked at in points */
  unsigned char *was_fresh; /* at the begin of a step                                      */
  int32_t first_fired;      /* one of them, its value at the event and its slope before */
  double fired_at, fired_slope;

  /* the event: what happens at t */
  struct {
    uint32_t kinds;
    int32_t n_changes;
    double error, until;
  } event;
  perp_event_change *changes; /* with numbers of the whole model */
  int32_t *state_before;      /* of the elements */
  double *d_before;
  unsigned char *fired_before; /* resets may take it back */
  perp_event_report report_before;
  double *times; /* of the last storm_events events; room for some of them */
  int32_t n_times, room_times;
  int64_t outputs;     /* of the simulation, when steps_alone began      */
  int32_t steps_alone; /* since the last event or output                 */
  perp_event_report report;
  char message[2 * SMOOTH_MESSAGE];
  perp_status refusal; /* what was wrong when the model last refused a point, since the restart */
  const char *refused_field;
  uint32_t refused_of;
  int32_t refused_index;
  double refused_value;
  double refused_at; /* time of that point */
} engine;

/* The interaction of row k of the problem at an event, and of held row k of order 2. */
static inline plant_interaction *problem_home(engine *e, int32_t k) {
  return &e->p.interactions[e->elements[e->problem.element[k]].interaction];
}
static inline plant_interaction *held_home(const engine *e, int32_t k) {
  return &e->p.interactions[e->elements[e->held[k].element].interaction];
}

static inline int is_contact(const element *x) {
  return x->kind == ELEMENT_CONTACT || x->kind == ELEMENT_FRICTION;
}
/* A gap, or a one-sided velocity, that nothing holds. */
static inline int is_open(const element *x) {
  return x->state == PERP_CONTACT_OPEN || x->state == PERP_CONTACT_TOUCH;
}
static inline int is_closed(const element *x) {
  return x->state == PERP_CONTACT_CLOSED || x->state == PERP_CONTACT_STICK ||
         x->state == PERP_CONTACT_SLIP;
}
/* Largest of n numbers by size. */
static inline double largest_of(size_t n, const double *x) {
  double most = 0;
  for (size_t k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

/* Times of output of a run that are still to come. */
typedef struct output_times {
  const perp_event_observer *observer; /* NULL: none */
  int64_t next;
} output_times;

static inline double next_output(const output_times *o) {
  const perp_event_observer *w = o->observer;
  if (w == NULL || w->output == NULL) return HUGE_VAL;
  if (w->times != NULL) return o->next < w->n_times ? w->times[o->next] : HUGE_VAL;
  return w->every > 0 ? w->first + (double)o->next * w->every : HUGE_VAL;
}

/* engine.c: room for a component; the caller sets t, Y and atol. */
perp_status perp_engine_create(engine **out, const component *part,
                               const perp_event_options *options, perp_info *info);
/* Its integrator. */
perp_status perp_engine_open(engine *e, perp_info *info);
/* Nothing has happened yet at (t, Y), where contacts must not lie deeper than min_gap. */
perp_status perp_engine_start(engine *e, perp_info *info);
void perp_engine_destroy(engine *e);
/* Values of all interactions at (t, Y). */
perp_status perp_engine_values(engine *e, perp_info *info);
/* Gains of all interactions of order 2, at the plant's point. */
perp_status perp_engine_gains(engine *e, perp_info *info);
/* Contacts must not lie deeper than min_gap at (t, Y): PERP_EINVAL with that field. */
perp_status perp_engine_check_gaps(engine *e, const char *field, perp_info *info);
/* What went wrong, for the message. */
perp_status perp_engine_fail(engine *e, perp_status status, const char *what);
perp_status perp_engine_no_memory(engine *e, perp_info *info);
/* Name the first interaction of the part that was not solved, where the info names nothing yet. */
void perp_engine_unsolved(engine *e, perp_status status, const char *field, perp_info *info);
/* The model refused a point at time t of the smooth motion, if code is not 0; returns code. */
int32_t perp_engine_refuses(engine *e, double t, int32_t code);
/* The plant's complaint as a status. */
perp_status perp_engine_plant_fail(engine *e, perp_info *info);
/* The integrator starts anew from (t, Y). */
perp_status perp_engine_restart(engine *e, perp_info *info);

/* step.c: one step from (t, Y), not beyond stop, to its end or to what is found before: ahead. What
 * happens there is for perp_engine_arrive() or event.c, once the simulation has come to t. No
 * output of o may lie deeper in an obstacle than contact_tol. */
perp_status perp_engine_step(engine *e, double stop, double scheduled, const output_times *o,
                             perp_info *info);
/* The end of a step, at which nothing happens; outputs: how many there have been. */
perp_status perp_engine_arrive(engine *e, int64_t outputs, perp_info *info);
/* view := the state at a time within the last step, on what is held. */
perp_status perp_engine_show(engine *e, double t, perp_info *info);
/* The view with forces and values of all interactions. */
int perp_engine_look(engine *e);
/* The end of a step that is about to be seen, on what is held. An integrator of several steps goes
 * on from its own. */
perp_status perp_engine_settle(engine *e, perp_info *info);
/* Back to a time within the last step. What a failed event has found at the end of it is looked at
 * once more. */
perp_status perp_engine_cut(engine *e, double t, perp_info *info);

/* element.c */
int32_t perp_element_count(const perp_model *model);
perp_status perp_element_make(engine *e, perp_info *info);
/* Rows held in the present states; called after every change. */
void perp_element_hold(engine *e);
/* Sort the first n of e->members into parts of what is coupled at the plant's point, e->part:
 * returns how many. */
int32_t perp_element_parts(engine *e, int32_t n);
/* The held rows of order 2 as parts of a matrix. */
void perp_element_held_parts(engine *e, rank_factor *f);
/* The interaction of an element in the whole model. */
static inline int32_t perp_element_number(const engine *e, const element *x) {
  return e->p.interactions[x->interaction].number;
}
/* Normal gap and its rate of an element at the plant's point. */
double perp_element_gap(engine *e, const element *x);
double perp_element_speed(engine *e, const element *x);
/* Whether its gap or output is what brought the event, so that it is 0 whatever rounding says. */
int perp_element_has_fired(const engine *e, int32_t k);
/* What counts as at rest: where a velocity was found to be 0, as much as it still is; in impacts,
 * no less than the rounding of ẏ at the plant's point. */
perp_status perp_element_rest(engine *e, perp_info *info);
void perp_element_round(engine *e);
/* Size of the terms that the gap is made of. */
double perp_element_size(const engine *e, const element *x);
/* What of its gap the motion does not resolve: rounding, and of integrators of several steps, which
 * leave the state at an event to their interpolation, what a step may be wrong by. */
double perp_element_error(const engine *e, const element *x);
/* g (n_guards) at the plant's point (λ is evaluated where a guard needs it); all guards of elements
 * are positive until something happens. Answers as callbacks. */
int32_t perp_element_guards(engine *e, double *g);
/* Those of the user's alone, g from the first of them on. */
int32_t perp_element_user_guards(engine *e, double *g);
/* Whether a guard of the mode needs λ. */
int perp_element_needs_force(const engine *e);

/* force.c: λ and ẇ at the plant's point in the present mode. */
int32_t perp_force(engine *e);
/* Those of order 2 alone. */
int32_t perp_force_mechanics(engine *e);
/* The held rows of order 2 as a matrix, at the plant's point: S := (row) M⁻¹ (column), where what
 * slips has the column of its force, or of its row. */
int32_t perp_force_matrix(engine *e, int slips, rank_factor *S);
/* λ := 0 but forces at bounds, which go into ẇ. */
int32_t perp_force_known(engine *e);
/* dw += a times the column of w of held row k: what its unknown force does. */
void perp_force_add_column(engine *e, int32_t k, double a, double *dw);
/* first_order_mode.c: λ of all interactions of order 1 is e->lambda, and what of them is asked for.
 */
int32_t perp_first_order_lambda(engine *e, unsigned what);
/* ẇ of order 1 := free + M⁻¹ Σ r, or of r without the part B λ. */
int32_t perp_first_order_free(engine *e, int without, double *wdot);
int perp_first_order_is_linear(const engine *e);
int32_t perp_first_order_force(engine *e);
/* ẇ of order 1 with given λ of the held outputs (first.n). */
int32_t perp_first_order_rates(engine *e, const double *held, double *wdot);
perp_status perp_first_order_hold(engine *e, perp_info *info);
/* Choose the mode of order 1 at (t, Y), which jumps where it must; *jumped says so. */
perp_status perp_first_order_select(engine *e, int *jumped, perp_info *info);
/* Largest |y| of held rows of order 1 that should be 0 by their derivatives. Answers as
 * perp_drift(). */
int32_t perp_first_order_drift(engine *e, double *drift);
/* Put x back on what is held. */
int32_t perp_first_order_correct(engine *e);

/* impact_multiple.c: Poisson's law and that of Liu, Zhao and Brogliato on the problem of an impact.
 */
perp_status perp_impact_multiple(engine *e, perp_info *info);
/* impact_problem.c: impulses over the closed contacts and equalities at (t, Y), if any is called
 * for; first: nothing has jumped at this event yet. */
perp_status perp_impact(engine *e, int first, int *jumped, perp_info *info);
/* accumulation.c: what the impact on e->problem leaves too slow to rise by more than may be cut off
 * comes to rest: *rests says whether anything did. Answers as callbacks. */
int32_t perp_accumulation(engine *e, int *rests);
/* select.c: forces over the contacts that stay closed; states := the next mode. */
perp_status perp_select(engine *e, perp_info *info);
/* M of part k, which comes next: H M⁻¹ (column) over its rows, and M behind it. */
event_part perp_problem_matrix(engine *e, int32_t k, double **M);
/* correct.c: Y at t back on the held rows, in the metric of the mass; *drift: largest |y| before.
 */
int32_t perp_correct(engine *e, double t, double *Y, double *drift);
/* Positions onto the equalities, velocities as they are, before a mode is known: contacts that
 * touch go on to, where the equalities let them. The plant is at (t, Y). */
int32_t perp_correct_equalities(engine *e);
/* Whether held row k of order 2 is held as a position, too. */
int perp_has_position(const engine *e, int32_t k);
/* Largest |y| of held positions and |ẏ| of held rows at (t, Y), of those before a point that the
 * model refuses. Answers 0, or < 0: give up. */
int32_t perp_drift(engine *e, double *drift);

/* What perp_locate() found. */
enum {
  LOCATE_NOTHING = 0,
  LOCATE_EVENT = 1, /* at *t, with fired                                                 */
  LOCATE_SHORTEN =
      2 /* the model refuses what follows *t, and nothing has fired: end the step there  */
};
/* locate.c: the first event in the step (begin, end]; < 0 give up. */
int32_t perp_locate(engine *e, double begin, double end, const double *y_end, double *t);
/* Look again where some gap of that step lies below -contact_tol at time seen, which the search has
 * passed; nothing if none does. */
int32_t perp_locate_again(engine *e, double begin, double end, double seen, double *t);
/* Contacts at the plant's point that lie deeper than contact_tol, though none was found to close.
 */
int32_t perp_locate_missed(engine *e);
/* guard.c: guards at the begin of a step, after a restart. */
int32_t perp_locate_start(engine *e);
/* Which of those that have fired at (t, Y) are still near their zeros; *any of them. */
int32_t perp_guard_again(engine *e, int *any);

/* go_to.c: to what was found at t in the step (begin, end]: e->t and e->Y, which is that of the
 * end.
 */
perp_status perp_go_to(engine *e, double begin, double end, double scheduled, int32_t found,
                       double t);

/* stiff.c: h times the largest rate, by its size, at which neighbours of the motion come nearer, go
 * apart or swing about it at (t, Y); 0: not known. */
double perp_stiffness(engine *e, double h);

/* pattern.c: equations.start and index, NULL where dense is better. PERP_EBACKEND without memory.
 */
perp_status perp_pattern_make(engine *e);

/* handover.c */
/* Whether time-stepping could take over with these options. */
perp_status perp_handover_check(const perp_model *model, const perp_event_options *o,
                                perp_info *info);
/* Whether events crowd so much that time-stepping takes over. */
int perp_handover_is_due(const engine *e);
/* From now on stepper goes on. */
perp_status perp_handover_begin(engine *e, perp_info *info);
/* The stepper goes on from (t, Y), at which a run was stopped within its last step. */
perp_status perp_handover_again(engine *e, perp_info *info);
/* One of its steps, not beyond stop; *returns: it gives back at (t, Y). */
perp_status perp_handover_step(engine *e, double stop, double scheduled, int *returns,
                               perp_info *info);
/* What carried in that step is closed. */
perp_status perp_handover_return(engine *e, perp_info *info);
void perp_handover_end(engine *e);

/* event.c: what happens at (t, Y) in two parts, between which the state may be reset. kinds:
 * PERP_EVENT_START, _GUARD, _SCHEDULE, _RETURN. */
perp_status perp_event_open(engine *e, uint32_t kinds, perp_info *info);
perp_status perp_event_close(engine *e, uint32_t kinds, perp_info *info);
/* It has happened, to all whom it concerns. Answers how long the last storm_events took, where that
 * is too short, else HUGE_VAL. */
double perp_event_keep(engine *e);
/* All is as it was before perp_event_open(), and the event is still to come. */
void perp_event_undo(engine *e, uint32_t kinds);

#endif
