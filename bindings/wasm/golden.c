/* SPDX-License-Identifier: MIT */
/* The golden runs as a module that asks its host for one thing, to write a piece of text. */
#include "golden.h"

#include "scene.h"

__attribute__((import_module("host"), import_name("put"))) void put(const char *text);

void golden_put(const char *text) { put(text); }

int WASM_EXPORT(run)(void) { return golden_run(GOLDEN_ALL); }
