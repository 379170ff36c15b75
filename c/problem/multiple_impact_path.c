/* SPDX-License-Identifier: MIT */
/* Steps of the pair of order 5(4) of Dormand and Prince (J. Comput. Appl. Math. 6 (1980) 19-26).
 * In a trial the law of each phase is continued beyond its end, so that trials are smooth; a trial
 * after which a contact asks for another phase is shortened to the moment it does so (that of a
 * cubic, then Newton's iteration on the length of the step, in a bracket), or, where that moment is
 * the beginning of the step, done again in the other phase. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "linalg/dense.h"
#include "problem/multiple_impact.h"

void perp_impact_carve(impact_path *path, arena *a, int32_t m) {
  double **arrays[] = {&path->d,    &path->k,   &path->e,     &path->u0,    &path->P,
                       &path->s,    &path->u,   &path->P1,    &path->s1,    &path->u1,
                       &path->rate, &path->end, &path->begin, &path->taken, &path->lost};
  const size_t n = (size_t)m;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = arena_take(a, n, sizeof(double));
  for (int32_t i = 0; i < IMPACT_STAGES; i++) {
    path->KP[i] = arena_take(a, n, sizeof(double));
    path->Ks[i] = arena_take(a, n, sizeof(double));
  }
  path->reach = arena_take(a, n, sizeof(int32_t));
  path->phase = arena_take(a, n, 1);
  path->flips = arena_take(a, n, 1);
  path->m = m;
}

double perp_impact_power(double x, double exponent) {
  if (exponent == 1) return x;
  if (exponent == 0.5) return sqrt(x);
  if (exponent == 1.5) return x * sqrt(x);
  return perp_power(x, exponent);
}

static int closed(const impact_path *c, int32_t i) {
  return c->phase[i] == IMPACT_LOADING || c->phase[i] == IMPACT_UNLOADING;
}

/* k |s|^η with the sign of s: a smooth continuation beyond s = 0. */
static double force(const impact_path *c, int32_t i, double s) {
  if (c->exponent == 1) return c->k[i] * s;
  const double f = c->k[i] * perp_impact_power(fabs(s), c->exponent);
  return s < 0 ? -f : f;
}

static double stored(const impact_path *c, double s) {
  return 0.5 * fabs(s) * perp_impact_power(fabs(s), c->exponent);
}

/* The compression that stores the energy E >= 0. */
static double compression(const impact_path *c, double E) {
  return c->exponent == 1 ? sqrt(2 * E) : perp_power(2 * E, 1 / (c->exponent + 1));
}

static double rate_of_loading(const impact_path *c, int32_t i) {
  return 2 * c->k[i] / (c->exponent + 1);
}

/* Rows low ... high − 1 of column j of W hold what is not 0. */
static int32_t low(const impact_path *c, size_t j) {
  return (int32_t)j > c->reach[j] ? (int32_t)j - c->reach[j] : 0;
}
static int32_t high(const impact_path *c, size_t j) {
  return c->m - (int32_t)j > c->reach[j] ? (int32_t)j + c->reach[j] + 1 : c->m;
}

/* u := from + D W D x in the scaled units, all apart. */
static void velocities(const impact_path *c, const double *from, const double *x, double *u) {
  const size_t m = (size_t)c->m;
  memset(u, 0, m * sizeof *u);
  for (size_t j = 0; j < m; j++) {
    const double xj = c->d[j] * x[j];
    const size_t last = (size_t)high(c, j);
    const double *column = c->W + m * j;
    for (size_t i = (size_t)low(c, j); xj != 0 && i < last; i++) u[i] += xj * column[i];
  }
  for (size_t i = 0; i < m; i++) u[i] = from[i] + c->d[i] * u[i];
}

static void derivatives(const impact_path *c, const double *s, const double *u, int32_t stage) {
  for (int32_t i = 0; i < c->m; i++) {
    c->KP[stage][i] = closed(c, i) ? force(c, i, s[i]) : 0;
    c->Ks[stage][i] = closed(c, i) ? -c->rate[i] * u[i] : 0;
  }
}

/* out := h (w_0 K_0 + w_1 K_1 + ...), n terms. */
static void combine(const impact_path *c, double h, const double *w, int32_t n, double *const *K,
                    double *out) {
  const size_t m = (size_t)c->m;
  for (size_t i = 0; i < m; i++) out[i] = h * w[0] * K[0][i];
  for (int32_t j = 1; j < n; j++)
    if (w[j] != 0) perp_dense_axpy(c->m, h * w[j], K[j], out);
}

/* (P1, s1, u1) := (P, s, u) a step of length h later; returns its error relative to tol. */
static double trial(const impact_path *c, double h) {
  static const double a[IMPACT_STAGES][IMPACT_STAGES - 1] = {
      {0},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static const double b[IMPACT_STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                          -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  derivatives(c, c->s, c->u, 0);
  for (int32_t stage = 1; stage < IMPACT_STAGES; stage++) {
    combine(c, h, a[stage], stage, c->KP, c->P1);
    combine(c, h, a[stage], stage, c->Ks, c->s1);
    for (int32_t i = 0; i < c->m; i++) c->s1[i] += c->s[i];
    velocities(c, c->u, c->P1, c->u1); /* of what this step adds: exact to its own rounding */
    derivatives(c, c->s1, c->u1, stage);
  }
  double worst = 0;
  for (int32_t i = 0; i < c->m; i++) {
    double p = 0, s = 0;
    for (int32_t j = 0; j < IMPACT_STAGES; j++) {
      p += b[j] * c->KP[j][i];
      s += b[j] * c->Ks[j][i];
    }
    if (fabs(h * p) > worst) worst = fabs(h * p);
    if (fabs(h * s) > worst) worst = fabs(h * s);
    c->P1[i] += c->P[i];
  }
  return worst / c->tol;
}

/* What contact i asks to be after it has come to s with velocity u. */
static int32_t wanted(const impact_path *c, int32_t i, double s, double u) {
  switch (c->phase[i]) {
    case IMPACT_OPEN:
      return u < -IMPACT_SMALL ? IMPACT_LOADING : IMPACT_OPEN;
    case IMPACT_LOADING:
      if (c->e[i] < 1) return u > IMPACT_SMALL ? IMPACT_UNLOADING : IMPACT_LOADING;
      return u > 0 && s < 0 ? IMPACT_OPEN : IMPACT_LOADING;
    case IMPACT_UNLOADING:
      if (u > 0 && s < c->end[i]) return IMPACT_OPEN;
      return u < -IMPACT_SMALL ? IMPACT_LOADING : IMPACT_UNLOADING;
    default:
      return c->phase[i];
  }
}

/* The function whose zero is the moment of that change, and its derivative. */
static double distance(const impact_path *c, int32_t i, int32_t to, const double *s,
                       const double *u) {
  return to == IMPACT_OPEN ? s[i] - c->end[i] : u[i];
}

/* d u_i / dτ where impulses grow at the rates P. */
static double acceleration(const impact_path *c, int32_t i, const double *P) {
  double sum = 0;
  for (int32_t j = low(c, (size_t)i); j < high(c, (size_t)i); j++)
    sum += impact_entry(c->m, c->W, j, i) * c->d[j] * P[j];
  return sum * c->d[i];
}

/* The derivative of that function at a stage of the trial, where velocities are u. */
static double slope(const impact_path *c, int32_t i, int32_t to, const double *u, int32_t stage) {
  return to == IMPACT_OPEN ? -c->rate[i] * u[i] : acceleration(c, i, c->KP[stage]);
}

/* Contact i opens: what it has not given back is lost. */
static void open_contact(impact_path *c, int32_t i) {
  c->lost[i] += (1 - c->e[i]) * (1 + c->e[i]) * c->taken[i];
  c->taken[i] = c->begin[i] = c->s[i] = c->end[i] = 0;
  c->phase[i] = IMPACT_OPEN;
}

/* The largest compression: from here on e² of what was taken is given back. */
static void turn_contact(impact_path *c, int32_t i) {
  const double e = c->e[i], lose = (1 - e) * (1 + e);
  c->taken[i] += stored(c, c->s[i]) - c->begin[i];
  if (c->taken[i] < 0) c->taken[i] = 0;
  c->phase[i] = IMPACT_UNLOADING;
  if (e * e < DBL_EPSILON)
    open_contact(c, i);
  else if (c->compliance == PERP_STIFFNESS_BI)
    c->rate[i] = rate_of_loading(c, i) / (e * e);
  else
    c->end[i] = compression(c, lose * c->taken[i]);
}

static void load_contact(impact_path *c, int32_t i) {
  if (c->phase[i] == IMPACT_OPEN) c->s[i] = 0;
  c->begin[i] = c->phase[i] == IMPACT_OPEN ? 0 : stored(c, c->s[i]);
  c->end[i] = 0;
  c->rate[i] = rate_of_loading(c, i);
  c->phase[i] = IMPACT_LOADING;
}

static void change(impact_path *c, int32_t i, int32_t to) {
  c->flips[i] = 1;
  if (to == IMPACT_OPEN) open_contact(c, i);
  if (to == IMPACT_UNLOADING) turn_contact(c, i);
  if (to == IMPACT_LOADING) load_contact(c, i);
}

/* Change the phase of contacts that the trial shows to change at the very beginning of the step;
 * whether there were any. Each may do so once: both motions then agree up to IMPACT_SMALL. */
static int change_now(impact_path *c) {
  int any = 0;
  for (int32_t i = 0; i < c->m; i++) {
    const int32_t to = wanted(c, i, c->s1[i], c->u1[i]);
    if (to == c->phase[i] || c->flips[i] > 0) continue;
    const double now = distance(c, i, to, c->s, c->u);
    const double sign = to == IMPACT_UNLOADING ? -1 : 1; /* rising u; the others fall */
    if (sign * now > IMPACT_SMALL) continue;
    change(c, i, to);
    any = 1;
  }
  return any;
}

/* Where in 0 ... h the cubic with values a, b and derivatives da, db at the ends is zero; a and b
 * differ in sign. */
static double zero_of_cubic(double h, double a, double da, double b, double db) {
  const double c2 = 3 * (b - a) - h * (2 * da + db), c3 = 2 * (a - b) + h * (da + db);
  double low = 0, high = 1, x = a / (a - b);
  for (int32_t k = 0; k < 50 && high - low > 4 * DBL_EPSILON; k++) {
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    const double f = a + x * (h * da + x * (c2 + x * c3));
    const double by = f / (h * da + x * (2 * c2 + x * 3 * c3));
    if ((f < 0) == (a < 0))
      low = x;
    else
      high = x;
    x -= by;
    if (fabs(by) <= 4 * DBL_EPSILON) break;
  }
  return h * (x > low && x < high ? x : 0.5 * (low + high));
}

/* By how much the function may have passed its zero where the phase changes, 0: not at all. Where
 * the force is continuous the error is that of a kink, quadratic in this. */
static double allowance(const impact_path *c, int32_t i, int32_t to, double rate_of_change) {
  const double e = c->e[i], tol = c->tol < 1e-12 ? c->tol : 1e-12;
  const int opens = c->phase[i] == IMPACT_OPEN;
  const int jumps = to == IMPACT_OPEN && c->compliance == PERP_STIFFNESS_MONO && e < 1;
  if (!opens && (jumps || e * e < DBL_EPSILON)) return 0;
  const double softest = opens ? 1 : e * e;
  return sqrt(0.1 * tol * softest * fabs(rate_of_change) / rate_of_loading(c, i));
}

/* Whether contact i changes at the end of the trial, and not before. */
static int changes_there(const impact_path *c, int32_t i, int32_t to) {
  const double g = distance(c, i, to, c->s1, c->u1);
  return fabs(g) <= allowance(c, i, to, slope(c, i, to, c->u1, IMPACT_STAGES - 1));
}

/* Of the contacts that the trial of length h shows to change before its end, the first, by cubic
 * interpolation; -1: none. */
static int32_t first_change(const impact_path *c, double h, double *when) {
  int32_t first = -1;
  for (int32_t i = 0; i < c->m; i++) {
    const int32_t to = wanted(c, i, c->s1[i], c->u1[i]);
    if (to == c->phase[i] || c->flips[i] > 0 || changes_there(c, i, to)) continue;
    const double a = distance(c, i, to, c->s, c->u), b = distance(c, i, to, c->s1, c->u1);
    const double at = (a < 0) == (b < 0) ? h
                                         : zero_of_cubic(h, a, slope(c, i, to, c->u, 0), b,
                                                         slope(c, i, to, c->u1, IMPACT_STAGES - 1));
    if (first >= 0 && at >= *when) continue;
    first = i;
    *when = at;
  }
  return first;
}

/* Shorten the trial of length *h to the moment at which contact i changes, or a little later. */
static void locate(impact_path *c, int32_t i, int32_t to, double when, double *h) {
  const double rising = to == IMPACT_UNLOADING ? 1 : -1;
  double low = 0, high = *h, fall = slope(c, i, to, c->u1, IMPACT_STAGES - 1);
  double t = when + 0.5 * allowance(c, i, to, fall) / fabs(fall);
  for (int32_t k = 0; k < 60; k++) {
    if (!(t > low && t < high)) t = 0.5 * (low + high);
    *h = t;
    trial(c, t);
    c->steps++;
    const double g = distance(c, i, to, c->s1, c->u1);
    fall = slope(c, i, to, c->u1, IMPACT_STAGES - 1);
    const double may = allowance(c, i, to, fall);
    if (fabs(g) <= 1e-2 * IMPACT_SMALL || high - low <= 4 * DBL_EPSILON * high) break;
    if (rising * g > IMPACT_SMALL && fabs(g) <= may) break;
    if (rising * g > 0) {
      high = t;
    } else {
      low = t;
    }
    t -= (g - rising * 0.5 * may) / fall;
  }
}

/* The time in which the spring of a closed contact acts. */
static double time_of(const impact_path *c, int32_t i) {
  const double u = fabs(c->u[i]) > IMPACT_SMALL ? c->u[i] : IMPACT_SMALL;
  const double E = 0.5 * u * u + stored(c, c->s[i]);
  return compression(c, E) / sqrt(2 * E * rate_of_loading(c, i) * c->rate[i]);
}

static double longest(const impact_path *c) {
  double shortest = DBL_MAX;
  for (int32_t i = 0; i < c->m; i++) {
    const double time = closed(c, i) ? time_of(c, i) : DBL_MAX;
    if (time < shortest) shortest = time;
  }
  return c->step * shortest;
}

static void exchange(double **a, double **b) {
  double *was = *a;
  *a = *b;
  *b = was;
}

/* Shorten the trial of length *h to the first change of phase; the contact that changes there, -1:
 * none. A shortened trial may still be too long for another contact. */
static int32_t shorten(impact_path *c, double *h, int32_t *to) {
  double when = 0;
  int32_t last = -1;
  for (int32_t k = 0; k <= c->m; k++) {
    const int32_t i = first_change(c, *h, &when);
    if (i < 0 || i == last) break;
    *to = wanted(c, i, c->s1[i], c->u1[i]);
    locate(c, i, *to, when, h);
    last = i;
  }
  return last;
}

/* Take the trial, at whose end contact first (-1: none) and others change. */
static void take(impact_path *c, int32_t first, int32_t to) {
  for (int32_t i = 0; i < c->m; i++) {
    const int32_t now = wanted(c, i, c->s1[i], c->u1[i]);
    if (now != c->phase[i] && !c->flips[i] && changes_there(c, i, now)) c->flips[i] = 2;
  }
  exchange(&c->P, &c->P1);
  exchange(&c->s, &c->s1);
  exchange(&c->u, &c->u1);
  if (first >= 0) change(c, first, to);
  for (int32_t i = 0; i < c->m; i++)
    if (c->flips[i] == 2) change(c, i, wanted(c, i, c->s[i], c->u[i]));
}

/* One step of at most h; returns the length proposed for the next one. */
static double advance(impact_path *c, double h) {
  memset(c->flips, 0, (size_t)c->m);
  double error;
  for (;;) {
    error = trial(c, h);
    c->steps++;
    if (c->steps >= c->max_steps) return h;
    if (error > 1) {
      const double by = 0.9 * perp_power(error, -0.2);
      h *= by > 0.1 ? by : 0.1;
    } else if (!change_now(c)) {
      break;
    }
  }
  const double next = h * (error < 1e-4 ? 5 : 0.9 * perp_power(error, -0.2));
  int32_t to = 0;
  const int32_t first = shorten(c, &h, &to);
  take(c, first, to);
  return next;
}

/* Whether closed contacts hold each other in equilibrium: opposite ones, with energy in their
 * springs that none can give back. */
static int balanced(const impact_path *c) {
  double longest_time = 0;
  for (int32_t i = 0; i < c->m; i++) {
    if (c->phase[i] != IMPACT_APART && c->u[i] < -IMPACT_REST) return 0;
    if (!closed(c, i)) continue;
    if (c->u[i] > IMPACT_REST) return 0;
    const double time = time_of(c, i);
    if (time > longest_time) longest_time = time;
  }
  derivatives(c, c->s, c->u, 0);
  for (int32_t i = 0; i < c->m; i++)
    if (closed(c, i) && fabs(acceleration(c, i, c->KP[0])) * longest_time > IMPACT_REST) return 0;
  return 1;
}

/* Close contacts that approach; whether the impact goes on. */
static int acting(impact_path *c) {
  int any = 0;
  for (int32_t i = 0; i < c->m; i++) {
    if (c->phase[i] == IMPACT_OPEN && c->u[i] < -IMPACT_SMALL) load_contact(c, i);
    if (closed(c, i))
      any |= 0.5 * c->u[i] * c->u[i] + stored(c, c->s[i]) > 0.5 * IMPACT_REST * IMPACT_REST;
  }
  return any && !balanced(c);
}

/* What a contact that has not opened still stores is lost too. */
static void give_up(impact_path *c, int32_t i) {
  const double stays = stored(c, c->s[i]);
  if (c->phase[i] == IMPACT_LOADING) c->taken[i] += stays - c->begin[i];
  if (c->e[i] == 1) {
    c->lost[i] += stays;
  } else if (c->phase[i] == IMPACT_LOADING || c->compliance == PERP_STIFFNESS_MONO) {
    const double goes = (1 - c->e[i]) * (1 + c->e[i]) * c->taken[i];
    c->lost[i] += stays > goes ? stays - goes : 0;
  } else {
    c->lost[i] += c->e[i] * c->e[i] * stays;
  }
  open_contact(c, i);
}

void perp_impact_settle(impact_path *c) {
  double *z = c->P1, worst = 1;
  const int64_t sweeps = 1000 + 10 * (int64_t)c->m * c->m; /* a row of m takes m² */
  velocities(c, c->u0, c->P, c->u);
  memset(z, 0, (size_t)c->m * sizeof *z);
  for (int64_t sweep = 0; sweep < sweeps && worst > 4 * DBL_EPSILON * IMPACT_REST; sweep++) {
    worst = 0;
    for (int32_t i = 0; i < c->m; i++) {
      if (c->phase[i] == IMPACT_APART) continue;
      const double was = z[i], now = was - c->u[i] > 0 ? was - c->u[i] : 0, by = now - was;
      if (by == 0) continue;
      z[i] = now;
      if (fabs(by) > worst) worst = fabs(by);
      for (int32_t j = low(c, (size_t)i); j < high(c, (size_t)i); j++)
        c->u[j] += by * c->d[i] * c->d[j] * impact_entry(c->m, c->W, j, i);
    }
  }
  for (int32_t i = 0; i < c->m; i++) c->P[i] += z[i];
}

perp_status perp_impact_follow(impact_path *c) {
  double h = DBL_MAX;
  while (acting(c)) {
    if (c->steps >= c->max_steps) return PERP_MAX_ITER;
    const double limit = longest(c);
    h = advance(c, h < limit ? h : limit);
  }
  for (int32_t i = 0; i < c->m; i++)
    if (closed(c, i)) give_up(c, i);
  return PERP_OK;
}
