/* SPDX-License-Identifier: MIT */
/* The scenes of contacts.h with engines for node: contacts.mjs in a process of its own, which tells
 * the time it took. --solver: rapier, jolt or mujoco. PERP_PEERS is the folder they were installed
 * in. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../contacts.h"

typedef struct peer {
  const contacts_scene *scene;
  int64_t sweeps;
  pid_t child;
  int to, from;
  double *told; /* seconds, positions, velocities */
} peer;

enum { REPLY = 3 }; /* the script writes here, as packages may print to stdout */

static int all(ssize_t (*move)(int, void *, size_t), int file, void *data, size_t bytes) {
  for (char *at = (char *)data; bytes > 0;) {
    const ssize_t n = move(file, at, bytes);
    if (n <= 0) return 0;
    at += n;
    bytes -= (size_t)n;
  }
  return 1;
}

static ssize_t write_some(int file, void *data, size_t bytes) { return write(file, data, bytes); }

static void release(void *self) {
  peer *p = (peer *)self;
  if (p->to >= 0) close(p->to);
  if (p->from >= 0) close(p->from);
  if (p->child > 0) waitpid(p->child, NULL, 0);
  free(p->told);
  free(p);
}

static void become_node(const int to[2], const int from[2], const char *engine) {
  const int in = dup2(to[0], STDIN_FILENO), out = from[1] == REPLY ? REPLY : dup2(from[1], REPLY);
  close(to[1]);
  if (from[0] != REPLY) close(from[0]);
  if (in >= 0 && out >= 0) execlp("node", "node", CONTACTS_SCRIPT, engine, (char *)NULL);
  perror("node");
  _exit(127);
}

static int start(peer *p, const char *engine) {
  int to[2], from[2];
  if (pipe(to) != 0 || pipe(from) != 0) return 0;
  fflush(NULL);
  p->child = fork();
  if (p->child == 0) become_node(to, from, engine);
  close(to[0]);
  close(from[1]);
  p->to = to[1];
  p->from = from[0];
  return p->child > 0;
}

static void *make(const contacts_scene *scene, const contacts_request *ask) {
  peer *p = (peer *)calloc(1, sizeof *p);
  const size_t n = (size_t)scene->n;
  double ready = 0;
  double head[] = {scene->n,       scene->shape == CONTACTS_BOXES,
                   scene->half,    scene->inertia,
                   scene->width,   ask->h,
                   ask->max_sweeps};
  if (p == NULL) return NULL;
  signal(SIGPIPE, SIG_IGN);
  p->scene = scene;
  p->sweeps = ask->max_sweeps;
  p->to = p->from = -1;
  p->told = (double *)malloc((1 + 13 * n) * sizeof *p->told);
  if (p->told != NULL && start(p, ask->solver) && all(write_some, p->to, head, sizeof head) &&
      all(write_some, p->to, scene->q0, 7 * n * sizeof(double)) &&
      all(read, p->from, &ready, sizeof ready) && ready == 1)
    return p;
  release(p);
  return NULL;
}

static int step(void *self, contacts_step *told) {
  peer *p = (peer *)self;
  char go = 's';
  const size_t bytes = (1 + 13 * (size_t)p->scene->n) * sizeof(double);
  if (!all(write_some, p->to, &go, 1) || !all(read, p->from, p->told, bytes)) return 0;
  const contacts_step answer = {p->told[0], -1, p->sweeps, -1, 0};
  *told = answer;
  return 1;
}

static void state(void *self, double *q, double *v) {
  const peer *p = (const peer *)self;
  const size_t n = (size_t)p->scene->n;
  memcpy(q, p->told + 1, 7 * n * sizeof *q);
  memcpy(v, p->told + 1 + 7 * n, 6 * n * sizeof *v);
}

int main(int argc, char **argv) {
  const contacts_engine engine = {"node", make, NULL, step, state, NULL, NULL, release};
  return contacts_main(argc, argv, &engine);
}
