/* SPDX-License-Identifier: MIT */
/* Contacts of a scene: neighbours by a grid of cells, sorted anew in every call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contacts.h"

int contacts_grid_make(contacts_grid *grid, int32_t n) {
  const size_t bodies = (size_t)n;
  memset(grid, 0, sizeof *grid);
  grid->cells = 8 * bodies + 64;
  grid->start = (int32_t *)malloc((grid->cells + 1) * sizeof(int32_t));
  grid->item = (int32_t *)malloc(bodies * sizeof(int32_t));
  grid->of = (int32_t *)malloc(bodies * sizeof(int32_t));
  grid->sorted = (double *)malloc(3 * bodies * sizeof(double));
  grid->rotation = (double *)malloc(9 * bodies * sizeof(double));
  if (grid->start && grid->item && grid->of && grid->sorted && grid->rotation) return 1;
  contacts_grid_free(grid);
  return 0;
}

void contacts_grid_free(contacts_grid *grid) {
  free(grid->start);
  free(grid->item);
  free(grid->of);
  free(grid->sorted);
  free(grid->rotation);
  memset(grid, 0, sizeof *grid);
}

/* The axes of a body, columns of the rotation matrix. */
static void axes(const double *Q, double *R) {
  const double w = Q[0], x = Q[1], y = Q[2], z = Q[3];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y + w * z), R[2] = 2 * (x * z - w * y);
  R[3] = 2 * (x * y - w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z + w * x);
  R[6] = 2 * (x * z + w * y), R[7] = 2 * (y * z - w * x), R[8] = 1 - 2 * (x * x + y * y);
}

/* Cells of at least reach, larger where bodies are strewn so far that they would be too many. */
static int lay(contacts_grid *g, int32_t n, const double *q, double reach) {
  double high[3];
  for (int k = 0; k < 3; k++) g->low[k] = high[k] = q[k];
  for (int32_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      const double x = q[7 * (size_t)i + (size_t)k];
      if (!(fabs(x) <= 1e12)) return 0;
      if (x < g->low[k]) g->low[k] = x;
      if (x > high[k]) high[k] = x;
    }
  for (g->cell = reach;; g->cell *= 1.26) {
    double cells = 1;
    for (int k = 0; k < 3; k++) cells *= floor((high[k] - g->low[k]) / g->cell) + 1;
    if (cells <= (double)g->cells) break;
  }
  for (int k = 0; k < 3; k++) g->size[k] = (int32_t)((high[k] - g->low[k]) / g->cell) + 1;
  return 1;
}

static int32_t cell_of(const contacts_grid *g, const double *x) {
  int32_t at[3];
  for (int k = 0; k < 3; k++) {
    at[k] = (int32_t)((x[k] - g->low[k]) / g->cell);
    if (at[k] >= g->size[k]) at[k] = g->size[k] - 1;
  }
  return at[0] + g->size[0] * (at[1] + g->size[1] * at[2]);
}

static void sort(contacts_grid *g, int32_t n, const double *q) {
  const int32_t cells = g->size[0] * g->size[1] * g->size[2];
  memset(g->start, 0, ((size_t)cells + 1) * sizeof *g->start);
  for (int32_t i = 0; i < n; i++) {
    g->of[i] = cell_of(g, q + 7 * (size_t)i);
    g->start[g->of[i] + 1]++;
  }
  for (int32_t c = 0; c < cells; c++) g->start[c + 1] += g->start[c];
  for (int32_t i = 0; i < n; i++) {
    const int32_t at = g->start[g->of[i]]++;
    g->item[at] = i;
    memcpy(g->sorted + 3 * (size_t)at, q + 7 * (size_t)i, 3 * sizeof(double));
  }
  for (int32_t c = cells; c > 0; c--) g->start[c] = g->start[c - 1];
  g->start[0] = 0;
}

typedef struct finding {
  const contacts_scene *scene;
  const contacts_grid *grid;
  contacts_emit emit;
  void *user;
} finding;

static int sleeps(const finding *f, int32_t body) {
  return f->grid->asleep != NULL && f->grid->asleep[body] != 0;
}

static void pair(const finding *f, int32_t s, int32_t t) {
  const contacts_grid *g = f->grid;
  if (sleeps(f, g->item[s]) && sleeps(f, g->item[t])) return;
  const contacts_scene *scene = f->scene;
  if (g->item[s] > g->item[t]) {
    const int32_t swap = s;
    s = t, t = swap;
  }
  const double *x = g->sorted + 3 * (size_t)s, *y = g->sorted + 3 * (size_t)t;
  contacts_point p = {{g->item[s], g->item[t]}, 0, 0, {0}, {0}, {0}};
  double d[3], square = 0;
  for (int k = 0; k < 3; k++) d[k] = x[k] - y[k], square += d[k] * d[k];
  if (scene->shape == CONTACTS_BOXES) {
    contacts_box_box(scene->half, scene->margin, x, g->rotation + 9 * (size_t)p.body[0], y,
                     g->rotation + 9 * (size_t)p.body[1], &p, f->emit, f->user);
    return;
  }
  const double length = sqrt(square);
  p.gap = length - 2 * scene->half;
  for (int k = 0; k < 3; k++) {
    p.normal[k] = length > 0 ? d[k] / length : k == 2;
    p.a[k] = x[k] - scene->half * p.normal[k];
    p.b[k] = y[k] + scene->half * p.normal[k];
  }
  f->emit(&p, f->user);
}

/* Those of the sorted bodies first to last - 1 that are near body s. */
static void look(const finding *f, int32_t s, int32_t first, int32_t last, double reach) {
  const double *x = f->grid->sorted + 3 * (size_t)s;
  for (int32_t t = first; t < last; t++) {
    const double *y = f->grid->sorted + 3 * (size_t)t;
    const double a = x[0] - y[0], b = x[1] - y[1], c = x[2] - y[2];
    if (a * a + b * b + c * c <= reach * reach) pair(f, s, t);
  }
}

/* Bodies first to last - 1 of the grid, each with what is behind it in its own row of cells, and
 * with four rows further on. */
static void pairs(const finding *f, double reach, int32_t first, int32_t last) {
  static const int32_t rows[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};
  const contacts_grid *g = f->grid;
  for (int32_t s = first; s < last; s++) {
    const int32_t cell = g->of[g->item[s]], i = cell % g->size[0];
    const int32_t j = cell / g->size[0] % g->size[1], k = cell / g->size[0] / g->size[1];
    const int32_t from = i > 0 ? -1 : 0, to = i + 1 < g->size[0] ? 1 : 0;
    look(f, s, s + 1, g->start[cell + to + 1], reach);
    for (int r = 0; r < 4; r++) {
      const int32_t b = j + rows[r][0], c = k + rows[r][1];
      if (b < 0 || b >= g->size[1] || c >= g->size[2]) continue;
      const int32_t row = i + g->size[0] * (b + g->size[1] * c);
      look(f, s, g->start[row + from], g->start[row + to + 1], reach);
    }
  }
}

/* A sphere at x, or a corner of a box with radius 0, and the floor (wall 4) or a wall. */
static void wall(const finding *f, int32_t body, const double *x, double radius, int side,
                 uint32_t feature) {
  const int axis = side / 2;
  const double sign = side % 2 == 1 ? -1 : 1;
  const double gap = sign > 0 ? x[axis] - radius : f->scene->width - x[axis] - radius;
  if (gap > f->scene->margin) return;
  contacts_point p = {{body, CONTACTS_GROUND}, feature, gap, {0}, {x[0], x[1], x[2]}, {0}};
  p.normal[axis] = sign;
  p.a[axis] -= sign * radius;
  memcpy(p.b, p.a, sizeof p.b);
  p.b[axis] -= sign * gap;
  f->emit(&p, f->user);
}

enum { FLOOR = 4 };

static void ground(const finding *f, const double *q, int32_t first, int32_t last) {
  const contacts_scene *scene = f->scene;
  const double h = scene->half, far = scene->shape == CONTACTS_BOXES ? 1.75 * h : h;
  for (int32_t i = first; i < last; i++) {
    const double *x = q + 7 * (size_t)i;
    if (sleeps(f, i)) continue;
    if (scene->shape == CONTACTS_SPHERES) {
      for (int side = scene->width > 0 ? 0 : FLOOR; side <= FLOOR; side++)
        wall(f, i, x, h, side, (uint32_t)side);
    } else if (x[2] <= far + scene->margin) {
      const double *R = f->grid->rotation + 9 * (size_t)i;
      for (uint32_t corner = 0; corner < 8; corner++) {
        double p[3];
        for (int k = 0; k < 3; k++)
          p[k] = x[k] + (corner & 1 ? h : -h) * R[k] + (corner & 2 ? h : -h) * R[3 + k] +
                 (corner & 4 ? h : -h) * R[6 + k];
        wall(f, i, p, 0, FLOOR, corner);
      }
    }
  }
}

static double reach_of(const contacts_scene *scene) {
  const double far = scene->shape == CONTACTS_BOXES ? sqrt(3.0) : 1.0;
  return 2 * scene->half * far + scene->margin;
}

int contacts_grid_lay(const contacts_scene *scene, contacts_grid *grid, const double *q) {
  if (!lay(grid, scene->n, q, reach_of(scene))) return 0;
  sort(grid, scene->n, q);
  for (int32_t i = 0; scene->shape == CONTACTS_BOXES && i < scene->n; i++)
    axes(q + 7 * (size_t)i + 3, grid->rotation + 9 * (size_t)i);
  return 1;
}

void contacts_find_of(const contacts_scene *scene, const contacts_grid *grid, const double *q,
                      int32_t first, int32_t last, contacts_emit emit, void *user) {
  const finding f = {scene, grid, emit, user};
  ground(&f, q, first, last);
  pairs(&f, reach_of(scene), first, last);
}

int contacts_find(const contacts_scene *scene, contacts_grid *grid, const double *q,
                  contacts_emit emit, void *user) {
  if (!contacts_grid_lay(scene, grid, q)) return 0;
  contacts_find_of(scene, grid, q, 0, scene->n, emit, user);
  return 1;
}
