/* SPDX-License-Identifier: MIT */
/* The bits of the core, as text: one line `name hash done/asked` for each trajectory (done: steps),
 * for each family of problems and method (done: problems solved), and for the macros of sizes. The
 * hash is FNV-1a of 64 bits over every position, velocity, multiplier, status and count of
 * iterations on the way. Every build on every platform writes golden.txt, byte by byte.
 *
 * C99 without allocation, stdio and libm but sqrt; static memory, see GOLDEN_MEMORY. It has to be
 * compiled with -ffp-contract=off, as the core: the forces of the models are in these files. */
#ifndef PERP_TESTS_GOLDEN_H
#define PERP_TESTS_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

/* The one thing a platform supplies: write a piece of text. */
void golden_put(const char *text);

/* What there is to run: bits. */
enum {
  GOLDEN_TRAJECTORIES = 1, /* systems in time                                        */
  GOLDEN_SOLVERS = 2,      /* one-step problems, every solver on all that it accepts */
  GOLDEN_METHODS = 4,      /* what has an interface of its own                       */
  GOLDEN_SIZES = 8,        /* macros of sizes, against the queries at run time        */
  GOLDEN_ALL = 15
};

/* Run parts. Returns how many lines tell of a call that was refused or a run that stopped early: 0
 * where all is well, whatever the bits are. */
int golden_run(unsigned parts);

/* ---- for the parts ---- */

/* Bytes that a trajectory, or a solver, may take; 8-byte aligned. One block serves all. */
enum { GOLDEN_MEMORY = 1088 * 1024 };
void *golden_memory(void);

uint64_t golden_hash_start(void);
void golden_hash_integer(uint64_t *hash, int32_t value);
void golden_hash_doubles(uint64_t *hash, const double *x, int32_t n); /* NULL: nothing */

/* One line; what is NULL is left out of the name `first/second`. */
void golden_line(const char *first, const char *second, uint64_t hash, int32_t done, int32_t asked);

/* Each returns as golden_run(). */
int golden_trajectories(void);
int golden_solvers(void);
int golden_methods(void);
int golden_sizes(void);

#endif
