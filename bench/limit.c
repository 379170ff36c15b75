/* SPDX-License-Identifier: MIT */
/* The bench cases as loops written by hand, each for its one model: what a step costs when there
 * is nothing but its arithmetic. Same schemes, steps and degrees of freedom as perp_bench.c;
 * parameters are read from memory, so that the compiler cannot fold them.
 *
 * Moreau-Jean, θ = γ = 1/2:  v_free = v + h M⁻¹F (plus the spring of the follower),
 * contact i acts where y_i + h/2 ẏ_i ≤ 0:  0 ≤ ẏ⁺ + e ẏ ⟂ λ ≥ 0,  q⁺ = q + h/2 (v + v⁺).
 * A column of beads couples neighbouring contacts, M = (1/m) tridiag(−1, 2, −1), first entry 1/m:
 * an M-matrix, for which exchanging all wrong unknowns at once ends from any active set. */
#define _POSIX_C_SOURCE 199309L
#include "bench.h"

/* ---- ball: three coordinates, one contact ---- */

typedef struct ball {
  double z, x, a, up, side, spin; /* height, other translation, rotation; their rates */
  double gz, gx, ga;              /* h F / m */
  double lambda, m, w, e, h2;     /* w = 1 / m, h2 = h / 2 */
} ball;

static int ball_loop(void *simulation, int steps) {
  ball s = *(ball *)simulation;
  for (int k = 0; k < steps; k++) {
    double up = s.up + s.gz;
    s.lambda = 0.0;
    if (s.z + s.h2 * s.up <= 0.0) {
      const double r = up + s.e * s.up;
      if (r < 0.0) {
        s.lambda = -s.m * r;
        up += s.w * s.lambda;
      }
    }
    const double side = s.side + s.gx, spin = s.spin + s.ga;
    s.z += s.h2 * (up + s.up), s.x += s.h2 * (side + s.side), s.a += s.h2 * (spin + s.spin);
    s.up = up, s.side = side, s.spin = spin;
  }
  *(ball *)simulation = s;
  return 1;
}

static size_t ball_state(void *simulation, double *out) {
  const ball *s = (const ball *)simulation;
  if (out != NULL) memcpy(out, &s->z, 6 * sizeof *out);
  return 6;
}

static void *ball_prepare(void) {
  ball *s = (ball *)calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->z = 1.0, s->m = 1.0, s->w = 1.0 / s->m;
  s->gz = -BALL_H * GRAVITY / s->m;
  s->e = BALL_RESTITUTION;
  s->h2 = 0.5 * BALL_H;
  return s;
}

/* ---- body: the ball, which neither slides nor turns; projected: what is below goes up ---- */

static void *body_prepare(void) {
  ball *s = (ball *)ball_prepare();
  if (s == NULL) return NULL;
  s->up = BODY_START;
  s->z -= BODY_RADIUS; /* the gap */
  return s;
}

static int body_projected_loop(void *simulation, int steps) {
  ball *s = (ball *)simulation;
  for (int k = 0; k < steps; k++) {
    ball_loop(s, 1);
    if (s->z < -BODY_TOLERANCE) s->z = 0.0;
  }
  return 1;
}

static size_t body_state(void *simulation, double *out) {
  const ball *s = (const ball *)simulation;
  if (out == NULL) return 13;
  memset(out, 0, 13 * sizeof *out);
  out[0] = s->z + BODY_RADIUS, out[3] = 1.0, out[7] = s->up;
  return 13;
}

/* ---- follower: one coordinate on a spring ---- */

typedef struct follower {
  double q, v, from_q, from_v;      /* v_free = v + from_v v + from_q q */
  double lambda, w, inverse, e, h2; /* w = m + h²θ²k, inverse = 1 / w */
} follower;

static int follower_loop(void *simulation, int steps) {
  follower s = *(follower *)simulation;
  for (int k = 0; k < steps; k++) {
    double next = s.v + (s.from_v * s.v + s.from_q * s.q);
    s.lambda = 0.0;
    if (s.q + s.h2 * s.v <= 0.0) {
      const double r = next + s.e * s.v;
      if (r < 0.0) {
        s.lambda = -s.w * r;
        next += s.inverse * s.lambda;
      }
    }
    s.q += s.h2 * (next + s.v);
    s.v = next;
  }
  *(follower *)simulation = s;
  return 1;
}

static size_t follower_state(void *simulation, double *out) {
  const follower *s = (const follower *)simulation;
  if (out != NULL) out[0] = s->q, out[1] = s->v;
  return 2;
}

static void *follower_prepare(void) {
  follower *s = (follower *)calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  const double h = FOLLOWER_H;
  s->q = s->v = 0.4;
  s->w = FOLLOWER_MASS + 0.25 * h * h * FOLLOWER_SPRING;
  s->inverse = 1.0 / s->w;
  s->from_v = -0.5 * h * h * FOLLOWER_SPRING / s->w;
  s->from_q = -h * FOLLOWER_SPRING / s->w;
  s->e = FOLLOWER_RESTITUTION;
  s->h2 = 0.5 * h;
  return s;
}

/* ---- oscillator: along on a spring, up under its weight, one contact with friction ---- */

typedef struct oscillator {
  double x, z, vx, vz;         /* along, up; their rates */
  double from_x, from_v;       /* v_free = v + from_v v + from_x x along */
  double gz, m, wx, mu, h2;    /* h F / m; wx = m + h²θ²k */
  double inverse_m, inverse_w; /* 1 / m, 1 / wx */
} oscillator;

static int oscillator_loop(void *simulation, int steps) {
  oscillator s = *(oscillator *)simulation;
  for (int k = 0; k < steps; k++) {
    double along = s.vx + (s.from_v * s.vx + s.from_x * s.x), up = s.vz + s.gz;
    if (s.z + s.h2 * s.vz <= 0.0 && up < 0.0) {
      const double normal = -s.m * up, most = s.mu * normal, hold = -s.wx * along;
      const double r = hold > most ? most : hold < -most ? -most : hold;
      along = r == hold ? 0.0 : along + s.inverse_w * r;
      up += s.inverse_m * normal;
    }
    s.x += s.h2 * (along + s.vx), s.z += s.h2 * (up + s.vz);
    s.vx = along, s.vz = up;
  }
  *(oscillator *)simulation = s;
  return 1;
}

static size_t oscillator_state(void *simulation, double *out) {
  const oscillator *s = (const oscillator *)simulation;
  if (out != NULL) memcpy(out, &s->x, 4 * sizeof *out);
  return 4;
}

static void *oscillator_prepare(void) {
  oscillator *s = (oscillator *)calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  const double h = OSCILLATOR_H, k = OSCILLATOR_SPRING;
  s->x = OSCILLATOR_START, s->z = -OSCILLATOR_OVERLAP;
  s->m = OSCILLATOR_MASS, s->wx = s->m + 0.25 * h * h * k;
  s->inverse_m = 1.0 / s->m, s->inverse_w = 1.0 / s->wx;
  s->from_v = -0.5 * h * h * k / s->wx, s->from_x = -h * k / s->wx;
  s->gz = -h * GRAVITY;
  s->mu = OSCILLATOR_FRICTION;
  s->h2 = 0.5 * h;
  return s;
}

/* ---- woodpecker: three coordinates, one acting contact of three, four cases of friction ---- */

typedef struct woodpecker {
  double q[3], v[3];
  double P[9], R[9], g[3];            /* v_free = v + P v + R q + g, by rows */
  double H[3][6], G[3][6], offset[3]; /* rows of the contacts; W⁻¹Hᵀ by rows */
  double D[3][3], e[3];               /* H W⁻¹Hᵀ: nn, nt, tt */
  double mu, h2;
} woodpecker;

static double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The impulse of one contact: y = D λ + (n, t); 0 if there is none. */
static int woodpecker_rub(const double D[3], double mu, double n, double t, double l[2]) {
  const double det = D[0] * D[2] - D[1] * D[1];
  l[0] = l[1] = 0.0;
  if (n >= 0.0) return 1; /* open */
  l[0] = (D[1] * t - D[2] * n) / det, l[1] = (D[1] * n - D[0] * t) / det;
  if (l[1] <= mu * l[0] && -l[1] <= mu * l[0]) return 1; /* sticks */
  for (int s = -1; s <= 1; s += 2) {
    l[0] = -n / (D[0] - s * mu * D[1]), l[1] = -s * mu * l[0];
    if (l[0] >= 0.0 && s * (D[1] * l[0] + D[2] * l[1] + t) >= 0.0) return 1; /* slides */
  }
  return 0;
}

static int woodpecker_loop(void *simulation, int steps) {
  woodpecker *s = (woodpecker *)simulation;
  for (int k = 0; k < steps; k++) {
    double next[3], l[2];
    int acting = -1;
    for (int i = 0; i < 3; i++)
      next[i] = s->v[i] + (dot3(s->P + 3 * i, s->v) + dot3(s->R + 3 * i, s->q) + s->g[i]);
    double rate = 0.0;
    for (int c = 0; c < 3; c++) {
      const double gap = dot3(s->H[c], s->q) + s->offset[c], its = dot3(s->H[c], s->v);
      if (gap + s->h2 * its > 0.0) continue;
      if (acting >= 0) return 0; /* the toy never does that */
      acting = c, rate = its;
    }
    if (acting >= 0) {
      const double *H = s->H[acting], *G = s->G[acting];
      if (!woodpecker_rub(s->D[acting], s->mu, dot3(H, next) + s->e[acting] * rate,
                          dot3(H + 3, next), l))
        return 0;
      for (int i = 0; i < 3; i++) next[i] += G[2 * i] * l[0] + G[2 * i + 1] * l[1];
    }
    for (int i = 0; i < 3; i++) s->q[i] += s->h2 * (next[i] + s->v[i]), s->v[i] = next[i];
  }
  return 1;
}

static size_t woodpecker_state(void *simulation, double *out) {
  const woodpecker *s = (const woodpecker *)simulation;
  if (out != NULL) memcpy(out, s->q, 6 * sizeof *out);
  return 6;
}

/* X := A⁻¹ B, A 3 x 3 and B 3 x n by rows, by Cramer's rule. */
static void solve3(const double *A, const double *B, int n, double *X) {
  const double c[9] = {
      A[4] * A[8] - A[5] * A[7], A[2] * A[7] - A[1] * A[8], A[1] * A[5] - A[2] * A[4],
      A[5] * A[6] - A[3] * A[8], A[0] * A[8] - A[2] * A[6], A[2] * A[3] - A[0] * A[5],
      A[3] * A[7] - A[4] * A[6], A[1] * A[6] - A[0] * A[7], A[0] * A[4] - A[1] * A[3]};
  const double det = A[0] * c[0] + A[1] * c[3] + A[2] * c[6];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < n; j++)
      X[i * n + j] =
          (c[3 * i] * B[j] + c[3 * i + 1] * B[n + j] + c[3 * i + 2] * B[2 * n + j]) / det;
}

static void *woodpecker_prepare(void) {
  woodpecker *s = (woodpecker *)calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  const double h = TOY_H;
  double W[9], A[9], B[9], F[3];
  memcpy(s->q, toy_q0, sizeof toy_q0), memcpy(s->v, toy_v0, sizeof toy_v0);
  for (int i = 0; i < 9; i++) {
    W[i] = toy_mass[i] + 0.25 * h * h * toy_spring[i];
    A[i] = -0.5 * h * h * toy_spring[i], B[i] = -h * toy_spring[i];
  }
  for (int i = 0; i < 3; i++) F[i] = h * toy_weight[i];
  solve3(W, A, 3, s->P), solve3(W, B, 3, s->R), solve3(W, F, 1, s->g);
  for (int c = 0; c < 3; c++) {
    const double *H = toy_rows[c], T[6] = {H[0], H[3], H[1], H[4], H[2], H[5]};
    memcpy(s->H[c], H, sizeof s->H[c]);
    solve3(W, T, 2, s->G[c]);
    for (int i = 0; i < 3; i++) {
      s->D[c][0] += H[i] * s->G[c][2 * i];
      s->D[c][1] += H[i] * s->G[c][2 * i + 1];
      s->D[c][2] += H[3 + i] * s->G[c][2 * i + 1];
    }
    s->offset[c] = toy_offset[c];
  }
  s->e[0] = TOY_BEAK;
  s->mu = TOY_FRICTION;
  s->h2 = 0.5 * h;
  return s;
}

/* ---- bridge: two states, four diodes, one factor per set of conducting diodes ---- */

typedef struct bridge {
  double x[2], lambda[4], y[4];
  double P[4];         /* x_free = P x, by rows */
  double C[2];         /* y_2 = C_0 v + ..., y_3 = C_1 v + ...; the rest of C is 0 */
  double B[4];         /* columns 2 and 3 of h W⁻¹ B, by rows; the others are 0 */
  double M[16];        /* one-step matrix, by rows; its entries 02, 13, 20, 31 are ±1 */
  double solve[16][8]; /* per set: λ = solve (q_2, q_3), by rows; q_0 = q_1 = 0 */
  int known[16];       /* 0: the set has a singular block */
  unsigned set;        /* the last one */
} bridge;

/* λ and y for a set of conducting diodes; 1 if they have the right signs. */
static int bridge_try(const bridge *s, double q2, double q3, unsigned set, double l[4],
                      double y[4]) {
  const double *S = s->solve[set], *M = s->M;
  for (int i = 0; i < 4; i++) l[i] = S[2 * i] * q2 + S[2 * i + 1] * q3;
  y[0] = (M[0] * l[0] + M[1] * l[1]) + M[2] * l[2];
  y[1] = (M[4] * l[0] + M[5] * l[1]) + M[7] * l[3];
  y[2] = q2 + M[8] * l[0] + (M[10] * l[2] + M[11] * l[3]);
  y[3] = q3 + M[13] * l[1] + (M[14] * l[2] + M[15] * l[3]);
  int good = 1;
  for (int i = 0; i < 4; i++) good &= (l[i] >= 0.0) & (y[i] >= -1e-12);
  return good;
}

static int bridge_loop(void *simulation, int steps) {
  bridge *s = (bridge *)simulation;
  const double *P = s->P, *B = s->B;
  double x0 = s->x[0], x1 = s->x[1], l[4] = {0}, y[4] = {0};
  unsigned now = s->set;
  for (int k = 0; k < steps; k++) {
    const double free0 = P[0] * x0 + P[1] * x1, free1 = P[2] * x0 + P[3] * x1;
    const double q2 = s->C[0] * free0, q3 = s->C[1] * free0;
    if (!bridge_try(s, q2, q3, now, l, y)) {
      now = 0;
      while (now < 16 && !(s->known[now] && bridge_try(s, q2, q3, now, l, y))) now++;
      if (now == 16) return 0;
    }
    x0 = free0 + (B[0] * l[2] + B[1] * l[3]);
    x1 = free1 + (B[2] * l[2] + B[3] * l[3]);
  }
  s->x[0] = x0, s->x[1] = x1, s->set = now;
  memcpy(s->lambda, l, sizeof l), memcpy(s->y, y, sizeof y);
  return 1;
}

static size_t bridge_state(void *simulation, double *out) {
  const bridge *s = (const bridge *)simulation;
  if (out != NULL) memcpy(out, s->x, sizeof s->x);
  return 2;
}

/* S := −(M_ff)⁻¹ on the rows and columns of the set, 0 elsewhere; 0 if M_ff is singular. */
static int invert_block(const double *M, unsigned set, double *S) {
  double A[4][8] = {{0}};
  int f[4], n = 0;
  for (int i = 0; i < 4; i++)
    if ((set >> i & 1u) != 0) f[n++] = i;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A[i][j] = M[4 * f[i] + f[j]];
    A[i][n + i] = -1.0;
  }
  for (int c = 0; c < n; c++) {
    int p = c;
    for (int i = c + 1; i < n; i++)
      if (A[i][c] * A[i][c] > A[p][c] * A[p][c]) p = i;
    const double pivot = A[p][c];
    if (pivot * pivot < 1e-24) return 0;
    for (int j = 0; j < 2 * n; j++) {
      const double t = A[p][j] / pivot, old = A[c][j];
      A[c][j] = t;
      if (p != c) A[p][j] = old;
    }
    for (int i = 0; i < n; i++) {
      const double t = A[i][c];
      for (int j = 0; j < 2 * n && i != c; j++) A[i][j] -= t * A[c][j];
    }
  }
  for (int i = 0; i < 16; i++) S[i] = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) S[4 * f[i] + f[j]] = A[i][n + j];
  return 1;
}

static void *bridge_prepare(void) {
  static const double C[8] = {0, 0, 0, 0, -1, 0, 1, 0};
  bridge *s = (bridge *)calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  const double h = BRIDGE_H, c = 1 / BRIDGE_C, l = 1 / BRIDGE_L, g = 1 / BRIDGE_R;
  const double D[16] = {g, g, -1, 0, g, g, 0, -1, 1, 0, 0, 0, 0, 1, 0, 0};
  /* W = [1, hc/2; −hl/2, 1] */
  const double a = 0.5 * h * c, b = 0.5 * h * l, d = 1 / (1 + a * b);
  const double inverse[4] = {d, -a * d, b * d, d};
  const double forward[4] = {1, -a, b, 1}, B[8] = {0, 0, -c, c, 0, 0, 0, 0};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      s->P[2 * i + j] = inverse[2 * i] * forward[j] + inverse[2 * i + 1] * forward[2 + j];
  double hWB[8];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++)
      hWB[4 * i + j] = h * (inverse[2 * i] * B[j] + inverse[2 * i + 1] * B[4 + j]);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) s->B[2 * i + j] = hWB[4 * i + 2 + j];
  s->C[0] = C[4], s->C[1] = C[6];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      s->M[4 * i + j] = D[4 * i + j] + C[2 * i] * hWB[j] + C[2 * i + 1] * hWB[4 + j];
  for (unsigned set = 0; set < 16; set++) {
    double S[16] = {0};
    s->known[set] = invert_block(s->M, set, S);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 2; j++) s->solve[set][2 * i + j] = S[4 * i + 2 + j];
  }
  s->x[0] = 10.0;
  return s;
}

/* ---- column of beads: three coordinates each, contact i below bead i ---- */

/* Impulses and velocities (SI) below this are rounding. */
#define BEADS_ZERO 1e-13

typedef struct beads {
  int n;
  double *q, *v, *next; /* 3 n */
  double *offset, *r, *lambda, *sweep;
  double *over_ground, *over_bead; /* inverse pivots of a run that begins on the ground, or not */
  unsigned char *acting, *was;     /* this step, last step: 1 acting, 2 acting with λ > 0 */
  double gain[3], m, e, h2;
} beads;

/* Solve the run of contacts [a, b) with all of them closed. */
static void beads_factor_solve(beads *s, int a, int b) {
  const double *inverse = a == 0 ? s->over_ground : s->over_bead, w = 1.0 / s->m;
  double *x = s->lambda;
  double before = -s->r[a];
  s->sweep[a] = before;
  for (int i = a + 1; i < b; i++) {
    before = w * inverse[i - 1 - a] * before - s->r[i];
    s->sweep[i] = before;
  }
  double after = x[b - 1] = inverse[b - 1 - a] * before;
  for (int i = b - 2; i >= a; i--) {
    after = inverse[i - a] * (s->sweep[i] + w * after);
    x[i] = after;
  }
}

/* One pass of exchanges over [a, b): 1 if the set changed. */
static int beads_exchange(beads *s, int a, int b) {
  const double w = 1.0 / s->m;
  int changed = 0;
  for (int i = a; i < b; i++) {
    if (s->acting[i] == 2) {
      if (s->lambda[i] < -BEADS_ZERO) s->acting[i] = 1, changed = 1;
    } else {
      const double below = i > a ? s->lambda[i - 1] : 0.0,
                   above = i + 1 < b ? s->lambda[i + 1] : 0.0;
      if (s->r[i] - w * (below + above) < -BEADS_ZERO) s->acting[i] = 2, changed = 1;
    }
  }
  return changed;
}

/* Impulses of the maximal run [a, b) of acting contacts. */
static void beads_solve(beads *s, int a, int b) {
  if (b - a == 1) {
    s->acting[a] = s->r[a] <= 0.0 ? 2 : 1;
    s->lambda[a] = s->r[a] < 0.0 ? -(a == 0 ? s->over_ground : s->over_bead)[0] * s->r[a] : 0.0;
    return;
  }
  for (int i = a; i < b; i++) s->acting[i] = s->was[i] != 0 ? s->was[i] : s->r[i] <= 0.0 ? 2 : 1;
  do {
    for (int i = a; i < b;) {
      int end = i;
      while (end < b && s->acting[end] == 2) end++;
      if (end > i)
        beads_factor_solve(s, i, end);
      else
        s->lambda[end++] = 0.0;
      i = end;
    }
  } while (beads_exchange(s, a, b));
}

static void beads_impulses(beads *s) {
  const double w = 1.0 / s->m;
  for (int a = 0; a < s->n;) {
    if (s->acting[a] == 0) {
      a++;
      continue;
    }
    int b = a + 1;
    while (b < s->n && s->acting[b] != 0) b++;
    beads_solve(s, a, b);
    for (int i = a; i < b; i++) {
      s->next[3 * i] += w * s->lambda[i];
      if (i > 0) s->next[3 * i - 3] -= w * s->lambda[i];
    }
    a = b;
  }
}

static int beads_loop(void *simulation, int steps) {
  beads *s = (beads *)simulation;
  const int n = s->n;
  const double h2 = s->h2, e = s->e, g0 = s->gain[0], g1 = s->gain[1], g2 = s->gain[2];
  for (int k = 0; k < steps; k++) {
    double *restrict q = s->q, *restrict v = s->v, *restrict next = s->next;
    double *restrict r = s->r, *restrict lambda = s->lambda;
    unsigned char *restrict acting = s->acting;
    const double *restrict offset = s->offset;
    int any = 0;
    double z = 0.0, w = 0.0, f = 0.0;
    for (int i = 0; i < n; i++) {
      const double rate = v[3 * i] - w, up = v[3 * i] + g0;
      const int acts = q[3 * i] - z + offset[i] + h2 * rate <= 0.0;
      acting[i] = (unsigned char)acts;
      any |= acts;
      r[i] = up - f + e * rate;
      lambda[i] = 0.0;
      next[3 * i] = up;
      next[3 * i + 1] = v[3 * i + 1] + g1;
      next[3 * i + 2] = v[3 * i + 2] + g2;
      z = q[3 * i];
      w = v[3 * i];
      f = up;
    }
    if (any) beads_impulses(s);
    for (int i = 0; i < 3 * n; i++) q[i] += h2 * (next[i] + v[i]);
    unsigned char *acted = s->acting;
    s->acting = s->was, s->was = acted;
    s->v = next, s->next = v;
  }
  return 1;
}

static size_t beads_state(void *simulation, double *out) {
  const beads *s = (const beads *)simulation;
  const size_t n = 3 * (size_t)s->n;
  if (out != NULL) memcpy(out, s->q, n * sizeof *out), memcpy(out + n, s->v, n * sizeof *out);
  return 2 * n;
}

static void *beads_prepare(const bench_case *c) {
  const size_t n = (size_t)c->beads;
  beads *s = (beads *)calloc(1, sizeof *s + 16 * n * sizeof(double));
  if (s == NULL) return NULL;
  double *p = (double *)(void *)(s + 1);
  s->n = c->beads;
  s->q = p, s->v = p + 3 * n, s->next = p + 6 * n;
  s->offset = p + 9 * n, s->r = p + 10 * n, s->lambda = p + 11 * n, s->sweep = p + 12 * n;
  s->over_ground = p + 13 * n, s->over_bead = p + 14 * n;
  s->acting = (unsigned char *)(p + 15 * n), s->was = s->acting + n;
  s->m = 1.0, s->e = BEADS_RESTITUTION, s->h2 = 0.5 * BEADS_H;
  s->gain[0] = -BEADS_H * GRAVITY / s->m;
  const double w = 1.0 / s->m;
  for (int i = 0; i < s->n; i++) {
    s->q[3 * i] = bead_height(c, i);
    s->offset[i] = bead_offset(c, i);
    const double ground = i == 0 ? w : 2 * w - w * w * s->over_ground[i - 1];
    const double bead = i == 0 ? 2 * w : 2 * w - w * w * s->over_bead[i - 1];
    s->over_ground[i] = 1.0 / ground, s->over_bead[i] = 1.0 / bead;
  }
  return s;
}

/* ---- the program ---- */

typedef struct run {
  int (*loop)(void *, int);
  size_t (*state)(void *, double *);
  void *model;
} run;

static void release(void *simulation) {
  if (simulation != NULL) free(((run *)simulation)->model);
  free(simulation);
}

static void *prepare(const bench_case *c, void *previous) {
  release(previous);
  run r = {beads_loop, beads_state, NULL};
  if (c->beads > 0)
    r.model = beads_prepare(c);
  else if (strcmp(c->name, "ball") == 0)
    r = (run){ball_loop, ball_state, ball_prepare()};
  else if (strcmp(c->name, "bridge") == 0)
    r = (run){bridge_loop, bridge_state, bridge_prepare()};
  else if (strcmp(c->name, "oscillator") == 0)
    r = (run){oscillator_loop, oscillator_state, oscillator_prepare()};
  else if (strcmp(c->name, "woodpecker") == 0)
    r = (run){woodpecker_loop, woodpecker_state, woodpecker_prepare()};
  else if (strcmp(c->name, "body") == 0)
    r = (run){ball_loop, body_state, body_prepare()};
  else if (strcmp(c->name, "body-projected") == 0)
    r = (run){body_projected_loop, body_state, body_prepare()};
  else
    r = (run){follower_loop, follower_state, follower_prepare()};
  run *out = (run *)malloc(sizeof *out);
  if (out == NULL || r.model == NULL) return NULL;
  *out = r;
  return out;
}

static int loop(void *simulation, int steps) {
  run *r = (run *)simulation;
  return r->loop(r->model, steps);
}

static size_t state(void *simulation, double *out) {
  run *r = (run *)simulation;
  return r->state(r->model, out);
}

int main(int argc, char **argv) {
  const bench_program program = {"limit", prepare, loop, state, release};
  return bench_main(argc, argv, &program);
}
