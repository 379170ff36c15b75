/* SPDX-License-Identifier: MIT */
/* perp_lcp_lemke() of perp::perp, where size is no matter: the descriptor's method, which is faster
 * than the function of perp::core (c/solver/lcp_lemke.c) and needs the same memory. */
#include "perp/lcp.h"
#include "perp/pivoting.h"

size_t perp_lcp_lemke_workspace(int32_t n) {
  return perp_lcp_workspace(perp_solver_lemke(), n, NULL);
}

perp_status perp_lcp_lemke(const perp_lcp *problem, const perp_lemke_options *opts, double *z,
                           double *w, void *work, size_t work_bytes, perp_info *info) {
  return perp_lcp_solve(perp_solver_lemke(), problem, opts, z, w, work, work_bytes, info);
}
