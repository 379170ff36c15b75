// SPDX-License-Identifier: MIT
// The contacts of a pool, as all formats of perp export but CSV have them: an array for each part,
// of all samples one after another.
#include "tool/export.hpp"

namespace perp::tool {

namespace {

template <class T>
void take(const T *values, std::size_t n, std::vector<double> *to) {
  to->insert(to->end(), values, values + n);
}

}  // namespace

const std::vector<contact_part> &contact_parts() {
  using contact = perp_log_contact;
  using list = std::vector<double> *;
  static const std::vector<contact_part> all = {
      {"systems", 2, number_form::i32, "", "the two, of names; -1: the ground",
       [](const contact &c, list to) { take(c.systems, 2, to); }},
      {"identity", 2, number_form::u32, "", "as the pool's callback gives it",
       [](const contact &c, list to) { take(c.identity, 2, to); }},
      {"law", 1, number_form::i32, "", "of the laws of the pool",
       [](const contact &c, list to) { take(&c.law, 1, to); }},
      {"rows", 1, number_form::i32, "", "of lambda, the rest is 0",
       [](const contact &c, list to) { take(&c.rows, 1, to); }},
      {"gap", 1, number_form::real, "m", "at the end of the step",
       [](const contact &c, list to) { take(&c.gap, 1, to); }},
      {"point", 3, number_form::real, "m", "where the reaction acts",
       [](const contact &c, list to) { take(c.point, 3, to); }},
      {"normal", 3, number_form::real, "1", "to the first system",
       [](const contact &c, list to) { take(c.normal, 3, to); }},
      {"tangent", 3, number_form::real, "1", "the first; the second is normal x tangent",
       [](const contact &c, list to) { take(c.tangent, 3, to); }},
      {"lambda", 5, number_form::real, "", "reaction along normal and tangents, about axes",
       [](const contact &c, list to) { take(c.lambda, 5, to); }}};
  return all;
}

void each_contact_list(const exported &e, const results::contact_list &f) {
  e.log->each_contacts(
      [&](std::int64_t sample, double t, const perp_log_contact *list, std::int32_t n) {
        if (sample % e.stride == 0) f(sample / e.stride, t, list, n);
      });
}

std::vector<std::int64_t> contact_starts(const exported &e) {
  std::vector<std::int64_t> start(static_cast<std::size_t>(e.samples) + 1);
  each_contact_list(e, [&](std::int64_t sample, double, const perp_log_contact *, std::int32_t n) {
    start[static_cast<std::size_t>(sample) + 1] += n;
  });
  for (std::size_t k = 1; k < start.size(); k++) start[k] += start[k - 1];
  return start;
}

void each_contact(const exported &e, const contact_part &part,
                  const std::function<void(const std::vector<double> &)> &f) {
  std::vector<double> values;
  each_contact_list(e, [&](std::int64_t, double, const perp_log_contact *list, std::int32_t n) {
    for (const perp_log_contact *c = list; c != list + n; c++) part.take(*c, &values);
    constexpr std::size_t many = std::size_t{1} << 16U;
    if (values.size() < many) return;
    f(values);
    values.clear();
  });
  f(values);
}

}  // namespace perp::tool
