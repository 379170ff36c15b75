/* SPDX-License-Identifier: MIT */
/* An implicit sliding-mode controller in a timer interrupt of 1 kHz: the twisting algorithm
 * [Acary and Brogliato 2010] brings a cart of unit mass to the origin (m, s, N),
 *   x1' = x2,  x2' = u + d(t),  u = k1 l1 + k2 l2,  -x_i in N_[-1,1](l_i)   (l_i = -sgn x_i).
 * The controller does not know d. It demands the signs of the x that it expects at the end of the
 * period, x+ = (x1 + h x2+, x2 + h u): a relay problem with two unknowns, M = (h² k; h k), q =
 * (x1 + h x2, x2). The plant, here simulated, moves exactly under the constant u + d of a period.
 * Checked: it gets there, and from then on the force is minus the d of the period before, without
 * chattering, and x stays within what d can do in one period, h² and h. */
#include "board/board.h"
#include "perp/perp.h"

enum { PERIODS = 4000, SHOWN = 20 };
static const double h = 1e-3, k1 = 4, k2 = 2, swing = 0.5, rate = 4; /* d = swing sin(rate t) */

static unsigned char work[PERP_BOX_PIVOTING_WORKSPACE(2)];

typedef struct loop {
  double x[2], lambda[2], y[2], u; /* the controller's                                */
  double sine, cosine;             /* of the phase of d, turned a little each period  */
  double before;                   /* d of the period before                          */
  double away[2], mistake;         /* since it is there: largest |x|, |u + d before|  */
  double shown[SHOWN][4];          /* written in the interrupt, printed after the run */
  int32_t period, there;           /* periods done; the one since which it is there   */
} loop;

/* u from the measured x. */
static perp_status control(loop *s) {
  const double M[] = {h * h * k1, h * k1, h * h * k2, h * k2}; /* by columns */
  const double q[] = {s->x[0] + h * s->x[1], s->x[1]};
  static const double lower[] = {-1, -1}, upper[] = {1, 1};
  const perp_mlcp problem = {2, 2, M, q, lower, upper};
  const perp_status status = perp_mlcp_solve(perp_solver_box_pivoting(), &problem, 0, s->lambda,
                                             s->y, work, sizeof work, 0);
  if (status == PERP_OK) s->u = k1 * s->lambda[0] + k2 * s->lambda[1];
  return status; /* on failure the force of the period before stays */
}

/* One period of the plant; returns d. */
static double move(loop *s) {
  const double d = swing * s->sine, a = s->u + d;
  s->x[0] += h * (s->x[1] + h * a / 2);
  s->x[1] += h * a;
  /* the phase by the exact rotation of rate h: (1 - t², 2 t) / (1 + t²), t = tan of half */
  const double t = rate * h / 2 * (1 + rate * h * rate * h / 12);
  const double c = (1 - t * t) / (1 + t * t), r = 2 * t / (1 + t * t), sine = s->sine;
  s->sine = c * sine + r * s->cosine;
  s->cosine = c * s->cosine - r * sine;
  return d;
}

static double larger(double a, double b) { return b > a ? b : b < -a ? -b : a; }

/* The controller is there as long as it holds the d of the period before. */
static void judge(loop *s) {
  const double mistake = larger(0, s->u + s->before);
  if (mistake > 2 * h * rate * swing) {
    s->there = s->period + 1;
    s->away[0] = s->away[1] = s->mistake = 0;
    return;
  }
  s->away[0] = larger(s->away[0], s->x[0]);
  s->away[1] = larger(s->away[1], s->x[1]);
  s->mistake = larger(s->mistake, mistake);
}

static int32_t period(void *user) {
  loop *s = user;
  if (control(s) != PERP_OK) return 1;
  judge(s);
  s->before = move(s);
  if (++s->period % (PERIODS / SHOWN) == 0) {
    double *row = s->shown[s->period / (PERIODS / SHOWN) - 1];
    row[0] = s->x[0];
    row[1] = s->x[1];
    row[2] = s->u;
    row[3] = s->before;
  }
  return 0;
}

int main(void) {
  static loop s;
  s.x[0] = 1;
  s.cosine = 1;
  uint32_t worst = 0;
  const int32_t late = board_every(1000, PERIODS, period, &s, &worst);
  for (int32_t i = 0; i < s.period / (PERIODS / SHOWN); i++) board_bits("x1 x2 u d", s.shown[i], 4);
  const double checked[] = {s.there * h, s.away[0], s.away[1], s.mistake};
  board_bits("there |x1| |x2| |u+d|", checked, 4);
  board_note("instructions of the worst period", worst);
  board_note("periods that were late", late < 0 ? UINT32_MAX : (uint32_t)late);
  board_note("static memory", (uint32_t)(sizeof work + sizeof s));
  const int held = s.there * h < 3.8 && s.away[0] < 2e-6 && s.away[1] < 1e-3;
  return late == 0 && s.period == PERIODS && held ? 0 : 1;
}
