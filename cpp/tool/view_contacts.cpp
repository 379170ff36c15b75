// SPDX-License-Identifier: MIT
// The contacts of a pool in a page of perp view: at some of its samples the points and reactions of
// those that acted. In base64, all little-endian:
//   times, f64 x lists; how many contacts each list has, f64 x lists; then as columns point x, y, z
//   and reaction x, y, z of all contacts, list after list
#include <algorithm>
#include <array>
#include <cmath>

#include "tool/view_numbers.hpp"

namespace perp::tool {

namespace {

constexpr std::int64_t most_contacts = 72000;  // 12 bytes each, less than a quarter of a page
constexpr std::int64_t most_lists = 3000, least_lists = 12;

// The reaction on the first system in the fixed frame.
std::array<double, 3> reaction(const perp_log_contact &c) {
  const double *const n = c.normal, *const s = c.tangent, *const l = c.lambda;
  const double t[] = {n[1] * s[2] - n[2] * s[1], n[2] * s[0] - n[0] * s[2],
                      n[0] * s[1] - n[1] * s[0]};
  std::array<double, 3> f{};
  for (std::size_t k = 0; k < 3; k++) f[k] = l[0] * n[k] + l[1] * s[k] + l[2] * t[k];
  return f;
}

// The least with which every stride-th list has room, or with which few are left.
std::int64_t stride_of(const std::vector<std::int32_t> &lengths) {
  const auto lists = static_cast<std::int64_t>(lengths.size());
  for (std::int64_t stride = 1 + lists / (most_lists + 1);; stride++) {
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < lists; k += stride) sum += lengths[static_cast<std::size_t>(k)];
    if (sum <= most_contacts || lists / (stride + 1) < least_lists) return stride;
  }
}

}  // namespace

packed contacts_of(results *log, nlohmann::ordered_json *about) {
  std::vector<std::int32_t> lengths;
  log->each_contacts([&](std::int64_t, double, const perp_log_contact *, std::int32_t n) {
    lengths.push_back(n);
  });
  packed to;
  if (std::all_of(lengths.begin(), lengths.end(), [](std::int32_t n) { return n == 0; })) return to;
  const std::int64_t stride = stride_of(lengths);
  const std::int64_t lists = (static_cast<std::int64_t>(lengths.size()) - 1) / stride + 1;
  const std::int64_t most =
      std::max<std::int64_t>(1, most_contacts / lists); /* of a list, if all do not fit */
  std::int64_t all = 0;
  for (std::size_t k = 0; k < lengths.size(); k += static_cast<std::size_t>(stride))
    all += lengths[k];
  std::vector<double> times, counts;
  std::array<std::vector<double>, 6> columns;
  std::int64_t list = 0;
  log->each_contacts([&](std::int64_t, double t, const perp_log_contact *from, std::int32_t n) {
    if (list++ % stride != 0) return;
    std::vector<const perp_log_contact *> kept;
    for (const perp_log_contact *c = from; c != from + n; c++) kept.push_back(c);
    if (all > most_contacts && n > most) {
      const auto strength = [](const perp_log_contact *c) {
        const auto f = reaction(*c);
        return std::hypot(f[0], f[1], f[2]);
      };
      std::nth_element(kept.begin(), kept.begin() + most, kept.end(),
                       [&](const auto *a, const auto *b) { return strength(a) > strength(b); });
      kept.resize(static_cast<std::size_t>(most));
    }
    times.push_back(t);
    counts.push_back(static_cast<double>(kept.size()));
    for (const perp_log_contact *c : kept) {
      const auto f = reaction(*c);
      for (std::size_t k = 0; k < 3; k++)
        columns[k].push_back(c->point[k]), columns[k + 3].push_back(f[k]);
    }
  });
  const std::size_t total = columns[0].size();
  const forms form = 2 * total <= most_contacts ? forms::f32 : forms::i16;
  (*about)["contacts"] = {{"form", name_of(form)},
                          {"lists", times.size()},
                          {"total", total},
                          {"stride", stride},
                          {"most", all > static_cast<std::int64_t>(total) ? most : 0}};
  for (const std::vector<double> *values : {&times, &counts})
    for (const double x : *values) to.f64(x);
  for (const std::vector<double> &column : columns) put_column(&to, column, form);
  return to;
}

}  // namespace perp::tool
