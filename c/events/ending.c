/* SPDX-License-Identifier: MIT */
/* How an event-driven run ended, in words: what was not solved, where, and what may help. */
#include "heap/ending.h"

#include <math.h>
#include <string.h>

#include "events/driven.h"
#include "heap/rules.h"
#include "perp/heap.h"

static int is(const char *field, const char *name) { return strcmp(field, name) == 0; }

/* The last event of a crowd, NULL: guards that change nothing. */
static const perp_event_change *last_of_crowd(const perp_event_driven *sim, const perp_info *info) {
  const int32_t n = sim->event.n_changes;
  return n > 0 && info != NULL && sim->event.t == info->value ? &sim->changes[n - 1] : NULL;
}

static void put_crowd(page *p, const perp_event_driven *sim, const perp_event_change *last,
                      int first) {
  char span[40];
  put(p, ", %d in less than %s s", (int)sim->options.storm_events,
      page_number(sim->options.storm_time, 2, span));
  if (last == NULL) {
    put(p, ": guards that change nothing");
  } else if (last->kind == PERP_EVENT_GUARD || last->kind == PERP_EVENT_SCHEDULE) {
    put(p, ", the last of %s %d", last->kind == PERP_EVENT_GUARD ? "guard" : "schedule",
        (int)last->index + first);
  } else {
    put(p, ", the last of ");
    perp_ending_interaction(p, sim->model, last->index, first);
    put(p, "; try zeno = %s", sim->options.zeno == PERP_ZENO_STOP ? "jump or step" : "step");
  }
}

/* "mode was not found", "iteration limit", and where. */
static void put_reason(page *p, const perp_event_driven *sim, perp_status status,
                       const perp_info *info, const char *field, int first) {
  const char *rule = *field != 0 ? perp_rule(status, info) : NULL;
  char t[40];
  (void)page_number(sim->view_t, 9, t);
  put(p, "not solved: %s%s%s at t = %s", rule != NULL ? field : "", rule != NULL ? " " : "",
      rule != NULL ? rule : perp_ending_reason(status), t);
  if (*field == 0) {
    if (sim->message[0] != 0) put(p, ": %s", sim->message);
  } else if (info->of == PERP_OF_INTERACTION && info->index >= 0 &&
             info->index < sim->n_interactions) {
    put(p, ", %s%s", rule == NULL ? field : "", rule == NULL ? " of " : "");
    perp_ending_interaction(p, sim->model, info->index, first);
  } else if (rule == NULL) {
    put(p, ", ");
    perp_place(p, info, first);
  }
}

static void put_unsolved(page *p, const perp_event_driven *sim, perp_status status,
                         const perp_info *info, int first) {
  const char *field = info != NULL && info->field != NULL ? info->field : "";
  put_reason(p, sim, status, info, field, first);
  if (status == PERP_STORM) {
    put_crowd(p, sim, last_of_crowd(sim, info), first);
  } else if (is(field, "max_steps")) {
    const int is_stiff = strstr(sim->message, "stiff") != NULL;
    put(p, "; try %s", is_stiff ? "an implicit integrator, as bdf" : "a larger max_steps or rtol");
  } else if (is(field, "mode") || is(field, "impact")) {
    const double residual = info->relative_residual;
    const double asked = perp_ending_asked(sim->options.solver, sim->options.solver_options);
    (void)perp_ending_residual(p, residual, asked, residual > asked && status != PERP_INFEASIBLE,
                               "tol");
  }
}

size_t perp_event_driven_ending(const perp_event_driven *sim, perp_status status,
                                const perp_info *info, int32_t first, char *text, size_t room) {
  page p = {text, room, 0};
  char rest[256], t[40];
  if (room > 0) *text = 0;
  if (sim == NULL) return perp_explain(status, info, first, text, room);
  (void)page_number(sim->view_t, 9, t);
  if (status < 0) {
    if (sim->message[0] == 0) return perp_explain(status, info, first, text, room);
    const int named = info != NULL && info->field != NULL;
    (void)perp_explain(status, info, first, rest, sizeof rest);
    put(&p, "failed at t = %s: %s", t, named ? rest : sim->message);
  } else if (status == PERP_OK || status == PERP_END || status == PERP_STOPPED) {
    perp_event_report done = PERP_EVENT_REPORT_INIT;
    (void)perp_event_driven_report(sim, &done);
    const int is_over = status == PERP_END || sim->t >= sim->until;
    const char *word = status == PERP_STOPPED ? "stopped" : is_over ? "finished" : "not ended";
    const long long n = (long long)done.events - 1; /* the start is none that one waits for */
    const long long missed = (long long)done.missed;
    put(&p, "%s: %lld event%s, t = %s", word, n, n == 1 ? "" : "s", t);
    if (missed > 0) put(&p, "; %lld found late: try a shorter h_max", missed);
  } else {
    put_unsolved(&p, sim, status, info, (int)first);
  }
  return p.length;
}
