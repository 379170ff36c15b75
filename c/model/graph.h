/* SPDX-License-Identifier: MIT */
/* The graph of a model: systems are its nodes, interactions join them. Here are the counts that a
 * size query needs, found without any memory but a small stack. */
#ifndef PERP_MODEL_GRAPH_H
#define PERP_MODEL_GRAPH_H

#include "perp/model.h"

typedef struct graph_counts {
  int32_t rows;      /* sum of m over the interactions                               */
  int32_t units;     /* copies of laws                                               */
  size_t incidences; /* pairs (interaction, system of it)                            */
  size_t blocks;     /* bound on the unit blocks of the one-step matrix              */
  size_t entries;    /* bound on its scalar entries                                  */
  size_t envelope;   /* bound on sum of i - first(i) + 1 over its rows               */
} graph_counts;

/* Counts of a checked model. Two units are coupled when their interactions share a system, so
 * blocks <= sum_j U_j^2 with U_j the units on system j, and likewise for entries. The first
 * column of a row of interaction a is at least the lowest row on any system of a. */
void perp_graph_count(const perp_model *model, graph_counts *counts);

#endif
