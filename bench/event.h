/* SPDX-License-Identifier: MIT */
/* Cases of event-driven simulation. A run is whole: create, integrate from output to output, end.
 * The state of a run is all that it has to show: the times of the impacts, then the rows of all
 * outputs, one after another. Its exact values are computed here in long double. */
#ifndef BENCH_EVENT_H
#define BENCH_EVENT_H

#include <math.h>

#include "bench.h"

/*  case            row at an output   model
 *  event-ball      height, velocity   ball dropped from 1 m, e = 0.9, to 8.5 s: 44 impacts
 *  event-resting   height, force      the same ball at rest on the ground
 *  event-pendulum  q, v, force        1 kg on a string of 1 m from 60 degrees, to 10 s
 *  event-balls-N   height, velocity   N balls from heights between 1 and 2 m, each on ground of its
 *                  of the first       own, to 0.64 s: N impacts */
#define EVENT_RESTITUTION 0.9
#define EVENT_H           5e-3 /* between outputs of the ball */
#define EVENT_PENDULUM_H  1e-2
#define EVENT_IMPACTS     44
enum { EVENT_OUTPUTS = 1700, EVENT_COLUMNS = 5 };

/* Balls of event-balls-N; 0: another case. */
static inline int event_balls(const bench_case *c) {
  return strncmp(c->name, "event-balls-", 12) == 0 ? atoi(c->name + 12) : 0;
}
static inline double event_height(int ball) { return 1 + fmod(0.6180339887498949 * (ball + 1), 1); }
static inline int event_impacts(const bench_case *c) {
  return strcmp(c->name, "event-ball") == 0 ? EVENT_IMPACTS : event_balls(c);
}
static inline int event_columns(const bench_case *c) {
  return strcmp(c->name, "event-pendulum") == 0 ? EVENT_COLUMNS : 2;
}
static inline double event_h(const bench_case *c) {
  return strcmp(c->name, "event-pendulum") == 0 ? EVENT_PENDULUM_H : EVENT_H;
}
static inline size_t event_entries(const bench_case *c, int outputs) {
  return (size_t)event_impacts(c) + (size_t)event_columns(c) * (size_t)outputs;
}

#endif
