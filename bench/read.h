/* SPDX-License-Identifier: MIT */
/* A problem file by its name. */
#ifndef BENCH_READ_H
#define BENCH_READ_H

#include "solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* p := DATA/problems/{lcp,mlcp,relay}/NAME.dat with M dense; 0, with a line on stderr, if there is
 * none. */
int read_named(bench_problem *p, const char *data, const char *name);

#ifdef __cplusplus
}
#endif
#endif
