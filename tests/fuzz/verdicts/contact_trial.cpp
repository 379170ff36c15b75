// SPDX-License-Identifier: MIT
// A problem of one contact and nothing else, by the functions of contact.h.
#include <perp/contact.h>

#include "trial.hpp"

namespace verdicts {

// What reports call them; no descriptor of the library.
static perp_solver one_contact() {
  perp_solver s{};
  s.name = "one-contact";
  return s;
}

bool run_contact(const instance &p, outcome &o) {
  static const perp_solver descriptor = one_contact();
  if (p.contacts.size() != 1 || p.contacts[0].size != p.n) return false;
  const contact &c = p.contacts[0];
  vec u(at(p.n), 999);
  o.solver = &descriptor;
  o.how = storage::dense;
  o.bound = kInf;
  o.lambda.assign(at(p.n), 999);
  const double begin = seconds_now();
  if (!c.rolls)
    o.status = (p.n == 2 ? perp_contact_2d : perp_contact_3d)(p.M.data(), p.q.data(), c.mu,
                                                              o.lambda.data(), u.data());
  else
    o.status = (p.n == 3 ? perp_contact_rolling_2d : perp_contact_rolling_3d)(
        p.M.data(), p.q.data(), c.mu, c.mu_rolling, o.lambda.data(), u.data());
  o.seconds = seconds_now() - begin;
  return true;
}

}  // namespace verdicts
