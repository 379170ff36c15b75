/* SPDX-License-Identifier: MIT */
/* Linear complementarity problems from JavaScript: w = M z + q, 0 <= z, 0 <= w, z w = 0. */
#include "perp/perp.h"
#include "scene.h"

enum { N = 64 };
static double M[N * N], q[N], z[N], w[N];
static unsigned char work[PERP_LCP_LEMKE_WORKSPACE(N)];
static perp_info info;

/* The arrays, to be written and read by JavaScript: M by columns, q, z, w. */
double *WASM_EXPORT(lcp_array)(int32_t which) {
  double *const arrays[] = {M, q, z, w};
  return which >= 0 && which < 4 ? arrays[which] : NULL;
}

int32_t WASM_EXPORT(lcp_most)(void) { return N; }

perp_status WASM_EXPORT(lcp_solve)(int32_t n) {
  const perp_lcp problem = {n, n, M, q};
  const perp_info none = PERP_INFO_INIT;
  info = none;
  if (n < 0 || n > N) return PERP_EINVAL;
  return perp_lcp_lemke(&problem, NULL, z, w, work, sizeof work, &info);
}

const char *WASM_EXPORT(lcp_field)(void) { return info.field; }
int32_t WASM_EXPORT(lcp_index)(void) { return info.index; }
double WASM_EXPORT(lcp_value)(void) { return info.value; }
double WASM_EXPORT(lcp_residual)(void) { return info.relative_residual; }
int32_t WASM_EXPORT(lcp_iterations)(void) { return info.iterations; }
