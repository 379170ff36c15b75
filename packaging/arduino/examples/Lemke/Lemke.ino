// SPDX-License-Identifier: MIT
// w = 2 z - 4, 0 <= z, 0 <= w, z w = 0 by Lemke's method in static memory: z = 2.
#include <perp_core.h>

static unsigned char work[PERP_LCP_LEMKE_WORKSPACE(1)];

void setup() {
  const double M[] = {2}, q[] = {-4};
  const perp_lcp problem = {1, 1, M, q};
  double z[1], w[1];
  const perp_status status = perp_lcp_lemke(&problem, NULL, z, w, work, sizeof work, NULL);
  Serial.begin(115200);
  Serial.println(perp_status_string(status));
  Serial.println(z[0]);
}

void loop() {}
