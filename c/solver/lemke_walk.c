/* SPDX-License-Identifier: MIT */
/* Lemke's method for  w = M z + d z0 + q,  0 <= z _|_ w >= 0,  d > 0  [CPS92, section 4.4].
 *
 * First z0 enters and the row of the least (lexicographic) q_i / d_i leaves, so that all basic
 * variables are >= 0. Then, over and over, the complement of what left enters, and a ratio test
 * says what leaves: z0 (solved), another variable, or none (a ray). */
#include "solver/lemke_walk.h"

#include "base/finite.h"
#include "base/info.h"
#include "solver/options.h"

const perp_lemke_options perp_lemke_defaults = {.struct_size = (uint32_t)sizeof(perp_lemke_options),
                                                .tol = PERP_DEFAULT_TOL,
                                                .kind = "perp_lemke_options"};

void perp_lemke_options_init(perp_lemke_options *opts, size_t size) {
  perp_options_fill(opts, size, &perp_lemke_defaults, sizeof perp_lemke_defaults);
}

perp_status perp_lemke_check_covering(const double *d, int32_t n, perp_info *info) {
  for (int32_t i = 0; d != NULL && i < n; i++) {
    if (!is_finite(d[i])) return fail(info, PERP_ENOTFINITE, "covering", i, d[i]);
    if (!(d[i] > 0)) return fail(info, PERP_EINVAL, "covering", i, d[i]);
  }
  return PERP_OK;
}

int perp_lemke_observed_stop(lemke_walk *l, int32_t entering, int32_t leaving, double z0) {
  const int32_t iteration = l->total++;
  if (l->o.observe == NULL) return 0;
  perp_iterate it = {iteration, entering, leaving, z0};
  return l->o.observe(&it, l->o.user) != 0;
}

perp_status perp_lemke_walk_on(lemke_walk *l, int32_t r, int32_t c) {
  dictionary *s = &l->s;
  int32_t n = s->n;
  for (;; r = perp_dictionary_ratio_test(s, c)) {
    if (r < 0) {
      perp_dictionary_direction(s, c, l->ray);
      return PERP_RAY;
    }
    if (l->total >= l->limit) return PERP_MAX_ITER;
    int32_t entering = s->nonbasic[c], leaving = s->basic[r];
    perp_dictionary_pivot(s, r, c);
    if (perp_lemke_observed_stop(l, entering, leaving, perp_dictionary_z0(s))) return PERP_STOPPED;
    if (leaving == 2 * n) return PERP_OK;
    c = s->where[lemke_complement(n, leaving)];
  }
}

perp_status perp_lemke_walk_from(lemke_walk *l, const double *q, const unsigned char *modes) {
  dictionary *s = &l->s;
  if (!perp_dictionary_open(s, q, l->o.covering, modes)) return PERP_RAY;
  if (perp_dictionary_feasible(s)) return PERP_OK;
  return perp_lemke_walk_on(l, perp_dictionary_first_row(s), s->n);
}
