/* SPDX-License-Identifier: MIT */
/* What perp_info says of an answer in global form: its own judge's numbers. */
#ifndef PERP_SOLVER_GLOBAL_INFO_H
#define PERP_SOLVER_GLOBAL_INFO_H

#include <string.h>

#include "base/info.h"
#include "perp/global.h"
#include "problem/residual_lcp.h"

static inline void global_info_tell(const perp_global_problem *problem,
                                    const perp_global_parts *parts, double tol, perp_info *info) {
  if (!info_ready(info)) return;
  int friction = 0;
  for (int32_t b = 0; b < problem->n_blocks; b++) {
    const int32_t set = problem->laws[b]->ops->set;
    friction |= set == PERP_SET_CONE || set == PERP_SET_ROLLING;
  }
  info->residual = parts->contact.residual;
  info->relative_residual = parts->relative;
  info->amplification = residual_amplification(&parts->contact);
  info->worst = parts->contact.worst;
  info->worst_block = parts->contact.worst_block;
  memcpy(info->violation, parts->contact.violation, sizeof info->violation);
  info->dissipates = friction ? parts->contact.creep <= tol * parts->contact.scale : -1;
}

#endif
