/* SPDX-License-Identifier: MIT */
/* All points of two cubes that touch or are about to: separating axes, then the face of one clipped
 * by the face of the other, or two edges. Feature numbers name faces and edges, and what is chosen
 * is kept where another choice is as good but for rounding: the numbers stay from step to step. */
#include <math.h>
#include <string.h>

#include "contacts.h"

/* In units of half the edge: what another axis must win by, and by how much a corner may stick out
 * of the other's face and still be called inside. */
#define PREFER 2e-3
#define INSIDE 2e-4

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

typedef struct cubes {
  double half, margin;
  const double *x[2], *R[2];
  double d[3];     /* from the first centre to the second        */
  double C[3][3];  /* cosines between the axes of both           */
  double best;     /* largest distance along an axis so far      */
  int kind;        /* 0, 1: a face of this cube; 2: edges        */
  int axis, other; /* of the face; or of the edges of both       */
  double along[3]; /* edges: from the first to the second        */
} cubes;

/* The axis that separates most; 0 if by more than the margin. */
static int separate(cubes *c) {
  const double h = c->half;
  c->best = -HUGE_VAL;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c->C[i][j] = dot(c->R[0] + 3 * i, c->R[1] + 3 * j);
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i < 3; i++) {
      double size = 1;
      for (int j = 0; j < 3; j++) size += fabs(kind == 0 ? c->C[i][j] : c->C[j][i]);
      const double gap = fabs(dot(c->d, c->R[kind] + 3 * i)) - h * size;
      if (gap > c->margin) return 0;
      if (gap > c->best + PREFER * h) c->best = gap, c->kind = kind, c->axis = i;
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double sine = sqrt(fmax(0, 1 - c->C[i][j] * c->C[i][j]));
      if (sine < 1e-3) continue;
      double L[3], size = 0;
      cross(c->R[0] + 3 * i, c->R[1] + 3 * j, L);
      for (int k = 0; k < 3; k++)
        size += fabs(dot(L, c->R[0] + 3 * k)) + fabs(dot(L, c->R[1] + 3 * k));
      const double way = dot(c->d, L), gap = (fabs(way) - h * size) / sine;
      if (gap > c->margin) return 0;
      if (gap > c->best + PREFER * h) {
        c->best = gap, c->kind = 2, c->axis = i, c->other = j;
        for (int k = 0; k < 3; k++) c->along[k] = (way < 0 ? -L[k] : L[k]) / sine;
      }
    }
  return 1;
}

/* ---- edges ---- */

/* Middle of the edge along axis that lies furthest in a direction; returns which of the four. */
static unsigned edge_of(const cubes *c, int box, int axis, const double *way, double *middle) {
  unsigned which = 0;
  memcpy(middle, c->x[box], 3 * sizeof *middle);
  for (int k = 0; k < 3; k++) {
    if (k == axis) continue;
    const int up = dot(way, c->R[box] + 3 * k) > 0;
    which = 2 * which + (unsigned)up;
    for (int i = 0; i < 3; i++) middle[i] += (up ? c->half : -c->half) * c->R[box][3 * k + i];
  }
  return which;
}

static double clamp(double x, double most) { return x > most ? most : x < -most ? -most : x; }

static void edge_edge(const cubes *c, contacts_point *p, contacts_emit emit, void *user) {
  const double *a = c->R[0] + 3 * c->axis, *b = c->R[1] + 3 * c->other;
  double m[2][3], back[3], w[3];
  for (int i = 0; i < 3; i++) back[i] = -c->along[i];
  const unsigned first = edge_of(c, 0, c->axis, c->along, m[0]);
  const unsigned second = edge_of(c, 1, c->other, back, m[1]);
  for (int i = 0; i < 3; i++) w[i] = m[1][i] - m[0][i];
  const double cosine = c->C[c->axis][c->other], det = 1 - cosine * cosine;
  const double s = clamp((dot(w, a) - cosine * dot(w, b)) / det, c->half);
  const double t = clamp((cosine * dot(w, a) - dot(w, b)) / det, c->half);
  p->gap = c->best;
  for (int i = 0; i < 3; i++) {
    p->normal[i] = back[i];
    p->a[i] = m[0][i] + s * a[i];
    p->b[i] = m[1][i] + t * b[i];
  }
  p->feature = 1u << 31 | (unsigned)c->axis << 8 | (unsigned)c->other << 4 | first << 2 | second;
  emit(p, user);
}

/* ---- faces ---- */

/* A corner of what is left of a face: place in the frame of the other's face (its third is the
 * gap), and which lines meet there: edges 0 to 3 of the face, sides 4 to 7 of the other. */
typedef struct corner {
  double at[3];
  unsigned in, out;
} corner;

enum { MOST = 8 };

static corner between(const corner *p, const corner *q, double dp, double dq) {
  corner c;
  const double t = dp / (dp - dq);
  for (int i = 0; i < 3; i++) c.at[i] = p->at[i] + t * (q->at[i] - p->at[i]);
  c.in = c.out = 0;
  return c;
}

/* What of a convex polygon lies where sign * at[axis] <= most. */
static int clip(corner *polygon, int n, int axis, double sign, double most, unsigned side) {
  corner left[MOST + 1];
  int kept = 0;
  for (int k = 0; k < n; k++) {
    const corner *p = &polygon[k], *q = &polygon[(k + 1) % n];
    const double dp = sign * p->at[axis] - most, dq = sign * q->at[axis] - most;
    if (dp <= 0) left[kept++] = *p;
    if ((dp <= 0) == (dq <= 0)) continue;
    corner c = between(p, q, dp, dq);
    c.in = dp <= 0 ? p->out : side;
    c.out = dp <= 0 ? side : p->out;
    left[kept++] = c;
  }
  memcpy(polygon, left, (size_t)kept * sizeof *left);
  return kept;
}

static void face_face(const cubes *c, contacts_point *p, contacts_emit emit, void *user) {
  const int own = c->kind, other = 1 - own, i = c->axis, u = (i + 1) % 3, v = (i + 2) % 3;
  const double h = c->half, *R = c->R[own], *Q = c->R[other];
  const double way = (own == 0 ? 1 : -1) * dot(c->d, R + 3 * i), sign = way < 0 ? -1 : 1;
  double cosine[3], n[3], most = -1; /* of the other's axes to n, out of the face */
  int j = 0;
  for (int k = 0; k < 3; k++) n[k] = sign * R[3 * i + k];
  for (int k = 0; k < 3; k++) {
    cosine[k] = dot(n, Q + 3 * k);
    if (fabs(cosine[k]) > most + PREFER) most = fabs(cosine[k]), j = k;
  }
  const double facing = cosine[j] > 0 ? -1 : 1;
  const int s = (j + 1) % 3, t = (j + 2) % 3;
  corner polygon[MOST + 1];
  for (int k = 0; k < 4; k++) { /* the four corners of the other's face, round it */
    const double e = k == 0 || k == 3 ? h : -h, f = k < 2 ? h : -h;
    double w[3];
    for (int l = 0; l < 3; l++)
      w[l] = c->x[other][l] + facing * h * Q[3 * j + l] + e * Q[3 * s + l] + f * Q[3 * t + l] -
             c->x[own][l];
    polygon[k].at[0] = dot(w, R + 3 * u);
    polygon[k].at[1] = dot(w, R + 3 * v);
    polygon[k].at[2] = dot(w, n) - h;
    polygon[k].in = (unsigned)(k + 3) % 4;
    polygon[k].out = (unsigned)k;
  }
  int left = 4;
  for (unsigned side = 0; side < 4 && left > 0; side++)
    left = clip(polygon, left, (int)side / 2, side % 2 == 0 ? 1 : -1, h * (1 + INSIDE), 4 + side);
  const unsigned faces = (unsigned)own << 20 | (unsigned)i << 18 | (unsigned)(sign > 0) << 17 |
                         (unsigned)j << 15 | (unsigned)(facing > 0) << 14;
  for (int k = 0; k < left; k++) {
    const corner *at = &polygon[k];
    if (at->at[2] > c->margin) continue;
    const double x = clamp(at->at[0], h), y = clamp(at->at[1], h);
    double *here = own == 0 ? p->a : p->b, *there = own == 0 ? p->b : p->a;
    for (int l = 0; l < 3; l++) {
      here[l] = c->x[own][l] + x * R[3 * u + l] + y * R[3 * v + l] + h * n[l];
      there[l] = here[l] + at->at[2] * n[l];
      p->normal[l] = own == 0 ? -n[l] : n[l];
    }
    p->gap = at->at[2];
    p->feature = faces | (at->in < at->out ? at->in << 4 | at->out : at->out << 4 | at->in);
    emit(p, user);
  }
}

void contacts_box_box(double half, double margin, const double *xa, const double *Ra,
                      const double *xb, const double *Rb, contacts_point *point, contacts_emit emit,
                      void *user) {
  cubes c;
  c.half = half;
  c.margin = margin;
  c.x[0] = xa, c.x[1] = xb, c.R[0] = Ra, c.R[1] = Rb;
  for (int i = 0; i < 3; i++) c.d[i] = xb[i] - xa[i];
  if (!separate(&c)) return;
  if (c.kind == 2)
    edge_edge(&c, point, emit, user);
  else
    face_face(&c, point, emit, user);
}
