/* SPDX-License-Identifier: MIT */
/* A quadruped with stiff legs is dropped on level ground and slides to rest (m, kg, s, N): one
 * rigid body, x its centre, R its attitude, v and w its velocities in the fixed frame, and four
 * points r_i of its frame that may touch. In each period of h = 5 ms, after Stewart and Trinkle,
 *   v+ = v - g h + p / m,  w+ = w + J^-1 (tau - h w x J w),   J = R J0 R^T,
 * the feet that would be under the ground get impulses n_i along z and b_ik along the four
 * directions d_k in the plane, all >= 0, complementary to
 *   u_n+ + g_i / h >= 0,   s_i + d_k^T u_t+ >= 0,   mu n_i - sum_k b_ik >= 0  (with s_i >= 0),
 * a linear complementarity problem of six unknowns for each foot, whose matrix is built from the
 * Delassus matrix H M^-1 H^T. Lemke's method processes it: the matrix is copositive.
 * Checked: no foot sinks, friction stays in its pyramid, energy never grows, all is at rest. */
#include "board/board.h"
#include "perp/perp.h"

enum { FEET = 4, ROWS = 3 * FEET, UNKNOWNS = 6 * FEET, PERIODS = 240 };
static const double h = 5e-3, mu = 0.6, mass = 9, gravity = 9.81;
static const double J0[3] = {0.07, 0.26, 0.242};
static const double feet[FEET][3] = {
    {0.19, 0.11, -0.29}, {0.19, -0.11, -0.29}, {-0.19, 0.11, -0.29}, {-0.19, -0.11, -0.29}};

typedef struct body {
  double x[3], R[3][3], v[3], w[3];
} body;

static unsigned char work[PERP_LCP_LEMKE_WORKSPACE(UNKNOWNS)];
static double M[UNKNOWNS * UNKNOWNS], q[UNKNOWNS], z[UNKNOWNS], y[UNKNOWNS];

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void rotate(double (*R)[3], const double *a, double *out) {
  for (int i = 0; i < 3; i++) out[i] = dot(R[i], a);
}

/* R diag(d) R^T a: the inertia in the fixed frame for d = J0, its inverse for 1 / J0. */
static void weigh(body *s, int inverse, const double *a, double *out) {
  double local[3];
  for (int i = 0; i < 3; i++) {
    const double column[] = {s->R[0][i], s->R[1][i], s->R[2][i]}, c = dot(column, a);
    local[i] = inverse ? c / J0[i] : c * J0[i];
  }
  rotate(s->R, local, out);
}

static double energy(body *s) {
  double L[3];
  weigh(s, 0, s->w, L);
  return (mass * dot(s->v, s->v) + dot(L, s->w)) / 2 + mass * gravity * s->x[2];
}

/* x and R after h of v and w, by an exact rotation: the Cayley map of h w. */
static void turn(body *s) {
  double a[3], scale = 1;
  for (int i = 0; i < 3; i++) {
    s->x[i] += h * s->v[i];
    a[i] = h * s->w[i] / 2;
    scale += a[i] * a[i];
  }
  for (int j = 0; j < 3; j++) { /* r + 2 (a x r + a x (a x r)) / (1 + a²) */
    const double r[] = {s->R[0][j], s->R[1][j], s->R[2][j]};
    double once[3], twice[3];
    cross(a, r, once);
    cross(a, once, twice);
    for (int i = 0; i < 3; i++) s->R[i][j] = r[i] + 2 * (once[i] + twice[i]) / scale;
  }
}

/* Rows of the Jacobian of the feet that may touch, 6 entries each: z, x, y of the foot's velocity.
 * Returns the number of feet and their gaps. */
static int touching(body *s, double H[ROWS][6], double *gap) {
  int n = 0;
  for (int i = 0; i < FEET; i++) {
    double r[3], u[3];
    rotate(s->R, feet[i], r);
    cross(s->w, r, u);
    gap[n] = s->x[2] + r[2];
    if (gap[n] + h * (s->v[2] + u[2]) > 0) continue;
    for (int k = 0; k < 3; k++) { /* e . (v + w x r) = e . v + (r x e) . w */
      double e[3] = {0, 0, 0};
      e[(k + 2) % 3] = 1;
      double *row = H[3 * n + k];
      for (int j = 0; j < 3; j++) row[j] = e[j];
      cross(r, e, row + 3);
    }
    n++;
  }
  return n;
}

/* What an impulse of 1 on row H does to the velocity. */
static void respond(body *s, const double *H, double *dv) {
  for (int j = 0; j < 3; j++) dv[j] = H[j] / mass;
  weigh(s, 1, H + 3, dv + 3);
}

/* Unknown c of foot i acts along `sign` times this row of its Jacobian: normal, +x, -x, +y, -y. */
static int row_of(int c) { return c == 0 ? 0 : (c + 1) / 2; }
static double sign_of(int c) { return c == 0 || c % 2 == 1 ? 1 : -1; }

static void assemble(body *s, int n, double H[ROWS][6], const double *gap) {
  double response[ROWS][6];
  const int size = 6 * n;
  for (int r = 0; r < 3 * n; r++) respond(s, H[r], response[r]);
  for (int i = 0; i < size * size; i++) M[i] = 0;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < 5; c++) {
      const double *row = H[3 * i + row_of(c)];
      q[6 * i + c] = sign_of(c) * (dot(row, s->v) + dot(row + 3, s->w)) + (c == 0 ? gap[i] / h : 0);
      for (int j = 0; j < n; j++)
        for (int d = 0; d < 5; d++) {
          const double *other = response[3 * j + row_of(d)];
          M[6 * i + c + size * (6 * j + d)] =
              sign_of(c) * sign_of(d) * (dot(row, other) + dot(row + 3, other + 3));
        }
      if (c > 0) {
        M[6 * i + c + size * (6 * i + 5)] = 1;  /* the slack of this foot */
        M[6 * i + 5 + size * (6 * i + c)] = -1; /* less is left of mu n   */
      }
    }
    M[6 * i + 5 + size * 6 * i] = mu;
    q[6 * i + 5] = 0;
  }
}

/* One period; the impulses on the ground go to total (z, x, y). */
static perp_status step(body *s, double *total, double *pyramid) {
  double H[ROWS][6], gap[FEET], L[3], gyro[3];
  weigh(s, 0, s->w, L);
  cross(L, s->w, gyro);
  weigh(s, 1, gyro, L);
  for (int j = 0; j < 3; j++) s->w[j] += h * L[j];
  s->v[2] -= gravity * h;
  const int n = touching(s, H, gap), size = 6 * n;
  assemble(s, n, H, gap);
  const perp_lcp problem = {size, size, M, q};
  const perp_status status = perp_lcp_lemke(&problem, 0, z, y, work, sizeof work, 0);
  for (int k = 0; k < 3; k++) total[k] = 0;
  for (int i = 0; i < n; i++) {
    double tangential = 0;
    for (int c = 0; c < 5; c++) {
      const double p = sign_of(c) * z[6 * i + c];
      double dv[6];
      respond(s, H[3 * i + row_of(c)], dv);
      for (int j = 0; j < 3; j++) {
        s->v[j] += p * dv[j];
        s->w[j] += p * dv[j + 3];
      }
      total[row_of(c)] += p;
      if (c > 0) tangential += z[6 * i + c];
    }
    if (tangential - mu * z[6 * i] > *pyramid) *pyramid = tangential - mu * z[6 * i];
  }
  turn(s);
  return status;
}

int main(void) {
  static body s = {
      {0, 0, 0.4}, {{1, 0, 0}, {0, 0.96, -0.28}, {0, 0.28, 0.96}}, {1, 0.2, 0}, {0.2, 0.5, 1}};
  double total[3], pyramid = 0, growth = 0, lowest = 0, before = energy(&s);
  uint32_t worst = 0, stack = 0;
  for (int k = 1; k <= PERIODS; k++) {
    board_stack_paint();
    const uint32_t begin = board_clock();
    if (step(&s, total, &pyramid) != PERP_OK) return 1;
    const uint32_t spent = board_instructions(begin), used = board_stack_used();
    if (spent > worst) worst = spent;
    if (used > stack) stack = used;
    const double now = energy(&s);
    if (now - before > growth) growth = now - before;
    before = now;
    for (int i = 0; i < FEET; i++) {
      double r[3];
      rotate(s.R, feet[i], r);
      if (s.x[2] + r[2] < lowest) lowest = s.x[2] + r[2];
    }
    if (k % 20 == 0) {
      board_bits("x", s.x, 3);
      board_bits("v", s.v, 3);
      board_bits("w", s.w, 3);
      board_bits("impulses", total, 3);
    }
  }
  const double checked[] = {pyramid, growth, lowest, total[0] - mass * gravity * h};
  board_bits("pyramid, energy, depth, weight", checked, 4);
  board_note("instructions of the worst period", worst);
  board_note("stack of a period", stack);
  board_note("static memory", (uint32_t)(sizeof work + sizeof M + sizeof q + sizeof z + sizeof y));
  const int rests = dot(s.v, s.v) + dot(s.w, s.w) < 1e-12;
  const int stands = checked[3] < 1e-9 && checked[3] > -1e-9 && s.R[2][2] > 0.999;
  return rests && stands && pyramid < 1e-9 && growth < 1e-2 && lowest > -1e-3 ? 0 : 1;
}
