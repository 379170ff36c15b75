/* SPDX-License-Identifier: MIT */
/* golden [trajectories] [solvers] [methods] [sizes]: what these parts write, on stdout; all without
 * an argument. Exit code 1 where a run stopped early, 2 for a wrong argument. */
#include <stdio.h>
#include <string.h>

#include "golden.h"

void golden_put(const char *text) { (void)fputs(text, stdout); }

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    unsigned part;
  } known[] = {{"trajectories", GOLDEN_TRAJECTORIES},
               {"solvers", GOLDEN_SOLVERS},
               {"methods", GOLDEN_METHODS},
               {"sizes", GOLDEN_SIZES}};
  unsigned parts = argc > 1 ? 0 : GOLDEN_ALL;
  for (int i = 1; i < argc; i++) {
    size_t k = 0;
    while (k < sizeof known / sizeof *known && strcmp(argv[i], known[k].name) != 0) k++;
    if (k == sizeof known / sizeof *known) {
      (void)fprintf(stderr, "%s: '%s' is none of trajectories, solvers, methods, sizes\n", argv[0],
                    argv[i]);
      return 2;
    }
    parts |= known[k].part;
  }
  return golden_run(parts) == 0 && fflush(stdout) == 0 ? 0 : 1;
}
