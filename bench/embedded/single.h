/* SPDX-License-Identifier: MIT */
/* Included before all else: perp in single precision, to measure why there is none. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define double float
#define sqrt sqrtf
#define fabs fabsf
#undef DBL_EPSILON
#undef DBL_MIN
#undef DBL_MAX
#define DBL_EPSILON      FLT_EPSILON
#define DBL_MIN          FLT_MIN
#define DBL_MAX          FLT_MAX
#define CORPUS_TOLERANCE 1e-4
