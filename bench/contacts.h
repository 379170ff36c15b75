/* SPDX-License-Identifier: MIT */
/* Scenes of many contacts, for perp and its peers: bodies, their contacts, and the judge, which
 * shares nothing with the library or a peer.
 *
 *   PROGRAM SCENE SIZE [OPTION...]                              see contacts_main.c
 *
 * All bodies of a scene are equal, of 1 kg: spheres of radius 0.5 m or cubes of edge 1 m, so that
 * the inertia about any axis through the centre is the same. Positions are 7 numbers a body (place,
 * unit quaternion with the scalar first), velocities 6; the frame of the angular ones does not
 * matter then.
 *
 * C99 and C++17. */
#ifndef BENCH_CONTACTS_H
#define BENCH_CONTACTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONTACTS_GRAVITY 9.81
#define CONTACTS_MU      0.5
#define CONTACTS_GROUND  (-1)

typedef enum contacts_shape { CONTACTS_SPHERES, CONTACTS_BOXES } contacts_shape;

typedef struct contacts_scene {
  const char *name;
  contacts_shape shape;
  int32_t n;
  double half;    /* radius, or half the edge (m)                      */
  double inertia; /* kg m²                                             */
  double width;   /* of the square room with a floor; 0: a floor alone */
  double margin;  /* gaps of more are not told (m)                     */
  int32_t places; /* room for contacts                                 */
  double *q0;     /* 7 n                                               */
} contacts_scene;

/* The normal points from body[1], which may be the ground, to body[0] < body[1]. */
typedef struct contacts_point {
  int32_t body[2];
  uint32_t feature; /* tells it from others of the same bodies, from step to step */
  double gap, normal[3], a[3], b[3];
} contacts_point;

typedef void (*contacts_emit)(const contacts_point *point, void *user);

/* Memory of contacts_find(). */
typedef struct contacts_grid {
  double low[3], cell;
  int32_t size[3];
  size_t cells;
  int32_t *start, *item, *of;
  double *sorted;              /* places in the order of the cells, 3 n */
  double *rotation;            /* boxes: 9 n, columns are the axes      */
  const unsigned char *asleep; /* n: two of 1, or one with the floor, are not told; NULL: all are */
} contacts_grid;

/* SCENE and SIZE: "pyramid" of so many rows, so many "spheres" that fall into a box, "lattice" of
 * so many spheres along an edge. 1, or 0 with the reason in stderr. */
int contacts_make(contacts_scene *scene, const char *name, int32_t size, double margin);
void contacts_free(contacts_scene *scene);

int contacts_grid_make(contacts_grid *grid, int32_t n);
void contacts_grid_free(contacts_grid *grid);

/* Tell every contact with a gap of at most the margin at q; 0 if q is not finite. */
int contacts_find(const contacts_scene *scene, contacts_grid *grid, const double *q,
                  contacts_emit emit, void *user);

/* The same in two halves: the grid at q, then the contacts of a part of the bodies, which threads
 * may find at once; those of all parts together are all. */
int contacts_grid_lay(const contacts_scene *scene, contacts_grid *grid, const double *q);
void contacts_find_of(const contacts_scene *scene, const contacts_grid *grid, const double *q,
                      int32_t first, int32_t last, contacts_emit emit, void *user);

/* All points of two cubes (contacts_boxes.c). */
void contacts_box_box(double half, double margin, const double *xa, const double *Ra,
                      const double *xb, const double *Rb, contacts_point *point, contacts_emit emit,
                      void *user);

/* A force between two bodies, or on one by the ground, as an engine tells it. */
typedef struct contacts_force {
  int32_t body[2];
  double normal[3];  /* to body[0]                     */
  double impulse[3]; /* on body[0] in one step (N s)  */
} contacts_force;

/* What the judge says of a state after a step. */
typedef struct contacts_verdict {
  int64_t touching;   /* gaps up to the margin                                        */
  double penetration; /* deepest overlap (m)                                          */
  double drift;       /* furthest way of a centre since the start of the figures (m)  */
  double weight;      /* |force of the ground - weight| / weight; < 0: none told     */
  double cone;        /* most by which a force told leaves its cone, / (m g h)        */
} contacts_verdict;

/* Kinetic energy of all bodies, and that with the potential energy (J). */
void contacts_energy(const contacts_scene *scene, const double *q, const double *v, double *kinetic,
                     double *all);

void contacts_judge(const contacts_scene *scene, contacts_grid *grid, double h, const double *start,
                    const double *q, const contacts_force *forces, int64_t n_forces,
                    contacts_verdict *out);

/* What the command line asks of an engine. */
typedef struct contacts_request {
  double h;
  double speed_tol; /* perp: unit g h; 0: the relative tolerance */
  double tol;       /* relative                                  */
  int32_t max_sweeps;
  double gap_tol;     /* perp: m */
  const char *solver; /* of the engine's, "": its usual one */
  int32_t correct;    /* perp: passes that take overlaps out */
  double sleep;       /* perp: J/kg; 0: nothing sleeps */
  double sleep_time;  /* s */
  int32_t threads;    /* > 1: time is the wall's */
} contacts_request;

/* What an engine tells of its last step. */
typedef struct contacts_step {
  double seconds;   /* of the step by its own clock; < 0: it has none */
  double find;      /* s; < 0: not known                */
  int64_t sweeps;   /* -1: not known                    */
  double residual;  /* unit g h; < 0: it tells none     */
  int32_t accepted; /* the tolerance was missed        */
} contacts_step;

/* One engine. */
typedef struct contacts_engine {
  const char *name;
  /* NULL, with the reason in stderr, if it cannot. */
  void *(*make)(const contacts_scene *scene, const contacts_request *ask);
  /* Go on at other tolerances; NULL: the engine has none. */
  int (*retune)(void *self, const contacts_request *ask);
  int (*step)(void *self, contacts_step *told);
  void (*state)(void *self, double *q, double *v);
  /* Forces of the last step, at most as many as the scene has places; NULL: it tells none. */
  int64_t (*forces)(void *self, contacts_force *out);
  /* Bytes it was given for its state and its work; NULL: not known. */
  void (*bytes)(void *self, size_t *state, size_t *work);
  void (*release)(void *self);
} contacts_engine;

int contacts_main(int argc, char **argv, const contacts_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
