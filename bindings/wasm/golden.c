/* SPDX-License-Identifier: MIT */
/* The golden runs as a module that asks its host for one thing, to write a piece of text. */
#include "golden.h"

__attribute__((import_module("host"), import_name("put"))) void put(const char *text);

void golden_put(const char *text) { put(text); }

__attribute__((export_name("run"))) int run(void);
int run(void) { return golden_run(GOLDEN_ALL); }
