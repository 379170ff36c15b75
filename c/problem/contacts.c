/* SPDX-License-Identifier: MIT */
#include "problem/contacts.h"

#include "problem/bounds.h"

static int32_t copy_size(const perp_law *law) {
  return law->ops->set <= PERP_SET_BOX ? 1 : law->size;
}

int32_t perp_problem_contact_count(const perp_problem *problem, int32_t *largest) {
  int32_t count = 0, most = 0;
  for (int32_t b = 0, begin = 0, end; b < problem->n_blocks; b++, begin = end) {
    const int32_t size = copy_size(problem->laws[b]);
    end = problem_block_end(problem, b, begin);
    count += (end - begin) / size;
    if (end > begin && size > most) most = size;
  }
  *largest = most;
  return count;
}

static void set_coefficients(contact *c) {
  c->mu = c->mu_rolling = 0;
  if (c->set == PERP_SET_CONE) c->mu = ((const perp_friction *)(const void *)c->law)->mu;
  if (c->set == PERP_SET_ROLLING) {
    c->mu = ((const perp_rolling *)(const void *)c->law)->mu;
    c->mu_rolling = ((const perp_rolling *)(const void *)c->law)->mu_rolling;
  }
}

static const unsigned char *first_state(const perp_problem *p, int32_t block) {
  if (p->states == NULL || p->laws[block]->ops->state_bytes == NULL) return NULL;
  return p->states[block];
}

void perp_problem_contacts(const perp_problem *problem, contact *out) {
  for (int32_t b = 0, begin = 0, end; b < problem->n_blocks; b++, begin = end) {
    const perp_law *law = problem->laws[b];
    const unsigned char *state = first_state(problem, b);
    end = problem_block_end(problem, b, begin);
    for (int32_t i = begin; i < end; i += copy_size(law), out++) {
      out->begin = i;
      out->size = copy_size(law);
      out->set = law->ops->set;
      out->block = b;
      out->law = law;
      out->state = state;
      set_coefficients(out);
      if (state != NULL && (i + out->size - begin) % law->size == 0)
        state += law->ops->state_bytes(law);
    }
  }
}
