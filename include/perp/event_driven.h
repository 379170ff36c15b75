/* SPDX-License-Identifier: MIT */
/** @file event_driven.h
 * Event-driven simulation, in perp::perp only: between events the motion is smooth and is
 * integrated at high order, at events everything may jump. It takes the model of simulation.h.
 *
 * Smooth motion in a *mode* (which contacts are closed, stick or slip, which relays slide):
 *   M(q) v̇ = f(t, q, v) + Hᵀλ,  q̇ = T(q) v,  ÿ = 0 in the rows that are held;
 *   M ẋ = f(t, x) + r(t, x, λ),  y = 0 or a derivative of y in the rows that are held.
 * At an event: resets; the one-step problem of the impact on velocities, over the closed contacts
 * (index set I1); then that of the forces on accelerations, over those that stay (I2), whose
 * solution is the next mode. λ is a *force* between events, and an impulse at an impact.
 * Source: Acary and Brogliato 2008, ch. 8; docs/theory-event-driven.md. */
#ifndef PERP_EVENT_DRIVEN_H
#define PERP_EVENT_DRIVEN_H

#include "perp/multiple_impact.h"
#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A method that integrates the smooth motion; a constant descriptor. */
typedef struct perp_smooth perp_smooth;

/** Explicit Runge-Kutta pair of order 8(5, 3) with interpolation of order 7 (Dormand and Prince;
 * Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, 1993): no restart costs,
 * so the one for motions with many events that are not stiff. Since 0.1. */
PERP_API const perp_smooth *perp_smooth_runge_kutta(void);
/** CVODE with Adams' methods of order 1 to 12: not stiff, smooth and long. Behind each event it
 * begins at order 1. Since 0.1. */
PERP_API const perp_smooth *perp_smooth_adams(void);
/** CVODE with backward differentiation of order 1 to 5 and Newton's iteration: stiff. Since 0.1. */
PERP_API const perp_smooth *perp_smooth_bdf(void);
/** ARKODE: explicit Runge-Kutta of the order of the options, 2 to 8, 0: 5 (7 is the method of order
 * 8). Its interpolation has order 5 at most, so between the ends of steps it is less exact at
 * orders above; a step up to an event is taken again. See docs/theory-event-driven.md. Since 0.1.
 */
PERP_API const perp_smooth *perp_smooth_arkode(void);
/** IDA with backward differentiation of order 1 to 5: λ is an unknown beside q, v and x, and what
 * is held is kept on positions and velocities (index 2, stabilised after Gear, Gupta and Leimkuhler
 * 1985). For stiff systems with constraints, and for many constraints at once, a hundred and more:
 * its matrix stays sparse, and the cost of a step is proportional to their number. See
 * docs/theory-event-driven.md. Since 0.1. */
PERP_API const perp_smooth *perp_smooth_ida(void);

/** How the implicit methods store and factorise their matrix. */
enum {
  PERP_LINEAR_AUTO = 0,   /**< by the structure of the model */
  PERP_LINEAR_DENSE = 1,  /**< dense                         */
  PERP_LINEAR_BANDED = 2, /**< banded                        */
  PERP_LINEAR_SPARSE = 3  /**< compressed columns, KLU       */
};

/** Which law an impact obeys. */
enum {
  PERP_IMPACT_LAW = 0, /**< that of each interaction (Newton's restitution, Frémond, the user's) */
  PERP_IMPACT_POISSON = 1, /**< compression, then expansion with the impulse e times as large     */
  PERP_IMPACT_LZB = 2      /**< multiple_impact.h: Liu, Zhao and Brogliato                        */
};

/** What happens where impacts accumulate. */
enum {
  PERP_ZENO_JUMP = 0, /**< once what remains is below zeno_tol, the contact closes               */
  PERP_ZENO_STEP = 1, /**< Moreau-Jean takes over for the crowded stretch, options.stepping      */
  PERP_ZENO_STOP = 2  /**< nothing is cut off: the run ends with ::PERP_STORM when events crowd   */
};

/** What a copy of a law does; perp_event_driven_mode(). */
enum {
  PERP_CONTACT_OPEN = 0,   /**< λ = 0                                                         */
  PERP_CONTACT_TOUCH = 1,  /**< λ = 0 and y = 0: leaving, or carried by others                 */
  PERP_CONTACT_CLOSED = 2, /**< held: y = 0, λ as it needs; of friction: without tangential rows */
  PERP_CONTACT_STICK = 3,  /**< held in all its rows                                           */
  PERP_CONTACT_SLIP = 4,   /**< held in its normal row, λ_t on the cone                        */
  PERP_CONTACT_LOWER = 5,  /**< of boxes: λ is the lower bound                                 */
  PERP_CONTACT_BETWEEN = 6, /**< of boxes and equalities: held, y = 0 (sliding mode of a relay)   */
  PERP_CONTACT_UPPER = 7    /**< of boxes: λ is the upper bound                                 */
};

/** What happened at an event; bits of perp_event.kinds. */
enum {
  PERP_EVENT_IMPACT = 1,         /**< velocities or states jumped by impulses        */
  PERP_EVENT_CLOSE = 2,          /**< a contact closed and stays closed              */
  PERP_EVENT_OPEN = 4,           /**< a contact opened                               */
  PERP_EVENT_STICK = 8,          /**< a contact that slipped sticks                  */
  PERP_EVENT_SLIP = 16,          /**< a contact that stuck slips                     */
  PERP_EVENT_REVERSE = 32,       /**< a contact slips the other way                  */
  PERP_EVENT_SWITCH = 64,        /**< a box or diode changed its mode                */
  PERP_EVENT_SCHEDULE = 128,     /**< a scheduled time                               */
  PERP_EVENT_GUARD = 256,        /**< a guard of the user's                          */
  PERP_EVENT_ACCUMULATION = 512, /**< a sequence of impacts was cut off: t is where it accumulates,
                                      perp_event.error bounds the positions           */
  PERP_EVENT_HANDOVER = 1024,    /**< time-stepping takes over                      */
  PERP_EVENT_RETURN = 2048,      /**< and gives back                                */
  PERP_EVENT_START = 4096        /**< the mode at t0                                */
};

/** The state that guards read and resets may change: positions, velocities and states of all
 * systems, one after another in the order of the model. */
typedef struct perp_event_state {
  double t;         /**< time (s)                       */
  double *q;        /**< positions of systems of order 2 */
  double *v;        /**< their velocities                */
  double *x;        /**< states of systems of order 1    */
  int32_t n_q;      /**< length of q                   */
  int32_t n_v;      /**< length of v                   */
  int32_t n_x;      /**< length of x                   */
  int32_t reserved; /**< 0                        */
} perp_event_state;

/** A function of the state; its zeros are events. @return 0: done, < 0: give up. Pure. */
typedef int32_t (*perp_guard_fn)(const perp_event_state *at, double *g, void *user);
/** Change the state at an event. @return 0: go on, > 0: the run ends after this event
 * (::PERP_STOPPED), < 0: give up, the state stays that before the event. */
typedef int32_t (*perp_reset_fn)(perp_event_state *at, void *user);

/** A guard of the user's and what happens there. */
typedef struct perp_guard {
  perp_guard_fn value; /**< g                                                        */
  perp_reset_fn reset; /**< NULL: the event is only reported                         */
  void *user;          /**< handed to both                                           */
  int32_t direction;   /**< -1: g falls through 0, 1: it rises, 0: both              */
  int32_t reserved;    /**< 0                                                        */
} perp_guard;

/** Times known beforehand: samples of a controller, discontinuities of an excitation. The
 * integrator ends a step at each; nothing is integrated across. */
typedef struct perp_schedule {
  const double *times; /**< n_times increasing times; NULL: first + k period            */
  int32_t n_times;     /**< length of times                                            */
  int32_t reserved;    /**< 0                                                          */
  double first;        /**< first time                                                 */
  double period;       /**< > 0, or 0: once                                            */
  perp_reset_fn reset; /**< NULL: only a new start of the integrator                   */
  void *user;          /**< handed to reset                                            */
} perp_schedule;

/** Options of an event-driven simulation. All that is pointed to must live as long as it. */
typedef struct perp_event_options {
  uint32_t struct_size; /**< set by perp_event_options_init()                           */
  int32_t order;        /**< highest order of the method, 0: its own                    */
  double t0;            /**< first time (s)                                             */
  double rtol;          /**< relative tolerance of the smooth motion, > 0; default 1e-10 */
  double atol;          /**< absolute one, > 0; default 1e-12                            */
  const double *atols; /**< absolute ones by component: all q, then all v, then all x; NULL: atol */
  const perp_smooth *smooth; /**< default NULL: perp_smooth_runge_kutta(); what is held on positions
                                  is projected                                              */
  int32_t linear;     /**< PERP_LINEAR_AUTO ... PERP_LINEAR_SPARSE                              */
  int32_t max_steps;  /**< steps of a component between two of its events or outputs, >= 1;
                           default 100000                                                   */
  double h_first;     /**< first step (s), 0: the method's own choice                           */
  double h_max;       /**< longest step (s), 0: none                                            */
  double contact_tol; /**< |y| at which a contact counts as closed, > 0, unit of y; default 1e-10 */
  double min_gap; /**< smallest accepted initial gap of a contact, <= 0, unit of y; default -1e-6:
                     what lies below 0 is put back on the contact                          */
  double velocity_tol; /**< |ẏ| at which a closed contact counts as at rest, and sticks, > 0, unit
                            of ẏ; default 1e-10                                            */
  int32_t impact;      /**< PERP_IMPACT_LAW ... PERP_IMPACT_LZB                               */
  int32_t zeno;        /**< PERP_ZENO_JUMP ... PERP_ZENO_STOP                                 */
  double zeno_tol;     /**< largest excursion that is cut off, > 0, unit of y; default 1e-13   */
  int32_t storm_events; /**< that many events of a component, >= 2, ...; default 1000          */
  int32_t samples;   /**< points inside a step at which forces are looked at, >= 0; default 4: two
                          crossings inside one step are seen; docs/theory-event-driven.md      */
  double storm_time; /**< ... in less than this time (s) end the run; default 1e-6           */
  const perp_multiple_impact_options *lzb; /**< for PERP_IMPACT_LZB; NULL: its defaults     */
  const perp_simulation_options *stepping; /**< for PERP_ZENO_STEP: h, θ, integrators, solver */
  const perp_solver *solver;      /**< of the problems at events; NULL: perp_solver_auto()       */
  const void *solver_options;     /**< its own struct, NULL: defaults                            */
  const perp_guard *guards;       /**< n_guards                                                  */
  const perp_schedule *schedules; /**< n_schedules                                            */
  int32_t n_guards;               /**< >= 0                                                      */
  int32_t n_schedules;            /**< >= 0                                                      */
} perp_event_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_event_options_init(perp_event_options *opts, size_t size);

/** Defaults by value. */
static inline perp_event_options perp_event_options_default(void) {
  perp_event_options o;
  perp_event_options_init(&o, sizeof o);
  return o;
}

/** A change at an event. */
typedef struct perp_event_change {
  int32_t kind;   /**< one bit PERP_EVENT_...                                        */
  int32_t index;  /**< interaction, guard or schedule                                */
  int32_t copy;   /**< of the law, -1: none                                          */
  int32_t before; /**< PERP_CONTACT_... before, -1: none                          */
  int32_t after;  /**< PERP_CONTACT_... after, -1: none                           */
} perp_event_change;

/** An event: everything that happens at one time. Views end with the call that hands it over. */
typedef struct perp_event {
  uint32_t struct_size; /**< sizeof(perp_event)                                       */
  uint32_t kinds;       /**< bits PERP_EVENT_...                                      */
  double t;             /**< time (s)                                                 */
  double error; /**< PERP_EVENT_ACCUMULATION: bound of what the jump neglects, unit of y; else 0 */
  double until; /**< PERP_EVENT_ACCUMULATION: estimated time of the accumulation point; else t */
  const double *q;                  /**< positions before, those after are in the simulation; after
                                         perp_event_driven_run() only of systems it happened to  */
  const double *v;                  /**< velocities before                                      */
  const double *x;                  /**< states before                                          */
  const double *impulse;            /**< of all rows of all interactions, 0 where none          */
  const perp_event_change *changes; /**< what changed                                 */
  int32_t n_changes;                /**< how many                                     */
  int32_t n_q;                      /**< length of q                                  */
  int32_t n_v;                      /**< length of v                                  */
  int32_t n_x;                      /**< length of x                                  */
  int64_t number;                   /**< events before this one                       */
  int32_t n_rows;                   /**< length of impulse                            */
  int32_t reserved;                 /**< 0                                            */
} perp_event;

/** An event-driven simulation on the heap. */
typedef struct perp_event_driven perp_event_driven;

/** Who watches a run. Each returns 0: go on, > 0: stop after this, < 0: give up. They may read the
 * simulation, but not run it or start it anew (::PERP_EINVAL). */
typedef struct perp_event_observer {
  uint32_t struct_size; /**< sizeof(perp_event_observer): PERP_EVENT_OBSERVER_INIT            */
  int32_t n_times;      /**< length of times                                                  */
  const double *times;  /**< n_times increasing times of output; NULL: first + k every           */
  double first;         /**< first time of output                                              */
  double every;         /**< distance of outputs (s), 0: none (without times)                   */
  /** At a time of output, by interpolation: the accessors show the state at that time. At the time
   * of an event: the state after it. */
  int32_t (*output)(perp_event_driven *sim, void *user);
  /** After an event: the accessors show the state after it. */
  int32_t (*event)(perp_event_driven *sim, const perp_event *event, void *user);
  /** After every step of an integrator; each component of the model has one. */
  int32_t (*step)(perp_event_driven *sim, void *user);
  void *user; /**< handed to all of them */
} perp_event_observer;

/** Initialiser: `perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;` */
#define PERP_EVENT_OBSERVER_INIT \
  { (uint32_t)sizeof(perp_event_observer), 0, NULL, 0, 0, NULL, NULL, NULL, NULL }

/** What a run has cost so far. */
typedef struct perp_event_report {
  uint32_t struct_size; /**< set by the caller: PERP_EVENT_REPORT_INIT              */
  int32_t reserved;     /**< 0                                                      */
  int64_t events;       /**< times at which something happened                      */
  int64_t impacts;      /**< copies of laws with an impulse, over all events         */
  int64_t switches;     /**< changes of modes                                       */
  int64_t jumps;        /**< accumulations cut off                                  */
  int64_t handovers;    /**< to time-stepping                                       */
  int64_t restarts;     /**< of the smooth integrator                               */
  int64_t problems;     /**< one-step problems solved at events                     */
  int64_t corrections;  /**< states put back on their constraints                   */
  int64_t unresolved;   /**< steps in which a guard bent more than its many points show: it may have
                             been at 0 in between; bound the step (h_max)           */
  int64_t steps;        /**< of the smooth integrator                               */
  int64_t rejected;     /**< of which the error test refused                        */
  int64_t evaluations;  /**< of the right-hand side                                 */
  int64_t jacobians;    /**< of implicit methods                                    */
  int64_t guards;       /**< evaluations of guards                                  */
  double drift;         /**< largest |y| of a held row seen at the end of a step      */
  int64_t missed;       /**< gaps found deeper than contact_tol though the search had passed them:
                             the step ends there; bound the step (h_max)               */
  int64_t indeterminate; /**< next modes that were one of several: a contact slips, and its
                              friction pushes it in by more than its force holds (Painlevé) */
} perp_event_report;

/** Initialiser: `perp_event_report report = PERP_EVENT_REPORT_INIT;` */
#define PERP_EVENT_REPORT_INIT \
  { (uint32_t)sizeof(perp_event_report), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Start at the model's initial values: contacts that are closed are found, an impact at t0 is done,
 * the mode is chosen.
 * @param[out] out   the simulation, NULL on failure; end with perp_event_driven_destroy()
 * @param model      lives as long as the simulation
 * @param options    copied
 * @param[out] info  may be NULL: the offending field, its index and value
 * @return PERP_OK, PERP_EINVAL (bad argument, singular mass, tolerances that are not positive),
 *         PERP_EUNSUPPORTED (pools, laws and relations that have no event-driven form),
 *         PERP_ENOTFINITE, PERP_ECALLBACK, PERP_EBACKEND (memory, SUNDIALS), or the status of the
 *         problem that was not solved
 * Since 0.1. */
PERP_API perp_status perp_event_driven_create(perp_event_driven **out, const perp_model *model,
                                              const perp_event_options *options, perp_info *info);
/** Free it; NULL is fine. From a callback or an observer of its own run nothing happens: it is to
 * be destroyed once that has ended. Since 0.1. */
PERP_API void perp_event_driven_destroy(perp_event_driven *sim);

/**
 * Go on until a time, or until an observer stops.
 * @param sim       the simulation
 * @param until     the time at which to end (s), not before perp_event_driven_time()
 * @param observer  may be NULL
 * @param[out] info may be NULL
 * @return PERP_OK at until; PERP_STOPPED; PERP_STORM where events crowd, PERP_MAX_ITER after
 *         max_steps, PERP_RETRY, PERP_ECALLBACK, PERP_ENOTFINITE, PERP_EBACKEND (SUNDIALS gave up),
 *         or the status of the problem at an event that was not solved. perp_event_driven_message()
 *         says more; the state is the last good one. PERP_EINVAL for times of output that do not
 *         increase, and from a callback or an observer of a run of its own.
 * Since 0.1. */
PERP_API perp_status perp_event_driven_run(perp_event_driven *sim, double until,
                                           const perp_event_observer *observer, perp_info *info);
/** Go on to the next event, which has happened then: PERP_OK; PERP_END at until without one; else
 * as perp_event_driven_run(). Since 0.1. */
PERP_API perp_status perp_event_driven_next(perp_event_driven *sim, double until, perp_info *info);
/** The event that happened last, that of the start at first; NULL for NULL. Since 0.1. */
PERP_API const perp_event *perp_event_driven_event(const perp_event_driven *sim);

/**
 * Set the state and start anew from it, as perp_event_driven_create() does.
 * @param sim  the simulation
 * @param t    time
 * @param q    all positions, NULL: as they are
 * @param v    all velocities, NULL: as they are
 * @param x    all states of first order, NULL: as they are
 * @param[out] info  may be NULL
 * @return as perp_event_driven_create(); on failure the state stays
 * Since 0.1. */
PERP_API perp_status perp_event_driven_restart(perp_event_driven *sim, double t, const double *q,
                                               const double *v, const double *x, perp_info *info);

/** What went wrong last, in words: those of SUNDIALS, the time, guards and rate of a storm; "" if
 * nothing did. Valid until the next call. Since 0.1. */
PERP_API const char *perp_event_driven_message(const perp_event_driven *sim);

/**
 * Write how a run ended, as perp_simulation_ending() of a time-stepping one: "finished: 12 events,
 * t = 10", "stopped: ...", "not solved: mode was not found at t = 0.2, contact 17 between bodies 4
 * and 9, residual 2.6e-9, asked 1e-10; try tol = 1e-8"; of a negative status "failed at t = 0.2: "
 * (unless it was the call that was wrong) and perp_explain().
 * @param sim     as that call left it; NULL: perp_explain() alone
 * @param status  what it answered
 * @param info    what it said; may be NULL
 * @param first   what the first object is called: 0, or 1
 * @param[out] text  room bytes, ends with a 0 always if room > 0; may be NULL
 * @param room     bytes of text
 * @return as perp_explain(). Since 0.2.1. */
PERP_API size_t perp_event_driven_ending(const perp_event_driven *sim, perp_status status,
                                         const perp_info *info, int32_t first, char *text,
                                         size_t room);

/** Current time (s); within an observer's output that of the output. Since 0.1. */
PERP_API double perp_event_driven_time(const perp_event_driven *sim);
/** Views, as perp_simulation_q() and its neighbours; valid until the simulation goes on. NULL for a
 * bad index, and for callbacks of the model, which ask while it is being evaluated. What is shown
 * is worked out when it is asked for: the simulation is no const one, and looking at it is for one
 * thread at a time, too.
 * perp_event_driven_n_q() and its neighbours tell how long they are. Since 0.1. */
PERP_API const double *perp_event_driven_q(perp_event_driven *sim, int32_t system);
/** @copydoc perp_event_driven_q */
PERP_API const double *perp_event_driven_v(perp_event_driven *sim, int32_t system);
/** @copydoc perp_event_driven_q */
PERP_API const double *perp_event_driven_x(perp_event_driven *sim, int32_t system);
/** Gap, or output, of an interaction: m entries. @copydetails perp_event_driven_q */
PERP_API const double *perp_event_driven_y(perp_event_driven *sim, int32_t interaction);
/** Relative velocity; NULL at order 1. @copydetails perp_event_driven_q */
PERP_API const double *perp_event_driven_ydot(perp_event_driven *sim, int32_t interaction);
/** λ as a force (N) at this time, m entries. @copydetails perp_event_driven_q */
PERP_API const double *perp_event_driven_lambda(perp_event_driven *sim, int32_t interaction);
/** λ at this time into force[m], as perp_simulation_force() of a time-stepping one. @return
 * PERP_OK; PERP_EINVAL, also where perp_event_driven_lambda() is NULL. Since 0.2. */
PERP_API perp_status perp_event_driven_force(perp_event_driven *sim, int32_t interaction,
                                             double *force);
/** Accelerations v̇ of a system of order 2, or ẋ, n entries. @copydetails perp_event_driven_q */
PERP_API const double *perp_event_driven_rate(perp_event_driven *sim, int32_t system);
/** Entries of q, of v (and of the rate), of x (and of the rate) of a system, as
 * perp_simulation_n_q() and its neighbours: 0 for a bad index, and where the order of the system
 * has no such vector. Since 0.2. */
PERP_API int32_t perp_event_driven_n_q(const perp_event_driven *sim, int32_t system);
/** @copydoc perp_event_driven_n_q */
PERP_API int32_t perp_event_driven_n_v(const perp_event_driven *sim, int32_t system);
/** @copydoc perp_event_driven_n_q */
PERP_API int32_t perp_event_driven_n_x(const perp_event_driven *sim, int32_t system);
/** Rows m of an interaction: entries of its y, ẏ, λ and forces; 0 for a bad index. Since 0.2. */
PERP_API int32_t perp_event_driven_n_rows(const perp_event_driven *sim, int32_t interaction);
/** Number of parts of the model that no interaction joins, each with an integrator of its own; one
 * if there are guards. 0 for NULL. Since 0.2. */
PERP_API int32_t perp_event_driven_components(const perp_event_driven *sim);
/** PERP_CONTACT_... of a copy of a law; -1 for a bad index. Since 0.1. */
PERP_API int32_t perp_event_driven_mode(const perp_event_driven *sim, int32_t interaction,
                                        int32_t copy);
/** As perp_simulation_energy(); PERP_EINVAL for callbacks of the model. Since 0.1. */
PERP_API perp_status perp_event_driven_energy(perp_event_driven *sim, double *kinetic,
                                              double *potential);
/** Costs and counts. Since 0.1. */
PERP_API perp_status perp_event_driven_report(const perp_event_driven *sim,
                                              perp_event_report *report);

#ifdef __cplusplus
}
#endif
#endif
