/* SPDX-License-Identifier: MIT */
/* A user of perp::core: solves w = 2 z - 4, 0 <= z _|_ w >= 0, whose answer is z = 2. */
#include <perp/perp.h>

int main(void) {
  static unsigned char work[PERP_LCP_LEMKE_WORKSPACE(1)];
  const double M[] = {2}, q[] = {-4};
  const perp_lcp problem = {1, 1, M, q};
  double z[1], w[1];
  perp_status status = perp_lcp_lemke(&problem, NULL, z, w, work, sizeof work, NULL);
  return status == PERP_OK && z[0] == 2 && perp_version() == PERP_VERSION ? 0 : 1;
}
