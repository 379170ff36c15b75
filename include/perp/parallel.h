/* SPDX-License-Identifier: MIT */
/** @file parallel.h
 * Parallel loops, handed in by the caller. A loop is cut into chunks, and how many there are never
 * depends on the number of workers: results have the same bits for any number of threads. The core
 * knows the two types only. perp::perp has a small pool of threads behind them; whoever has one of
 * his own writes a function of a few lines. */
#ifndef PERP_PARALLEL_H
#define PERP_PARALLEL_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Work on the chunks begin ... end-1 as worker number worker, from 0. Calls of one loop may run at
 * the same time and in any order. */
typedef void (*perp_parallel_body)(int32_t begin, int32_t end, int32_t worker, void *ctx);

/**
 * Call body until every chunk 0 ... chunks-1 was part of exactly one call, and return when all of
 * that is done and visible to the caller.
 * @param chunks  >= 0
 * @param body    what to call
 * @param ctx     handed to body
 * @param user    what the caller gave along with the hook, a pool for example
 */
typedef void (*perp_parallel_for)(int32_t chunks, perp_parallel_body body, void *ctx, void *user);

#ifdef __cplusplus
}
#endif
#endif
