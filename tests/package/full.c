/* SPDX-License-Identifier: MIT */
/* A user of perp::perp: what only the full library has. */
#include <perp/perp.h>
#include <string.h>

int main(void) {
  const perp_solver *lemke = perp_solver_find("lemke");
  const perp_backend *backend = perp_backend_lapack();
  return lemke != NULL && strcmp(lemke->name, "lemke") == 0 && backend != NULL ? 0 : 1;
}
