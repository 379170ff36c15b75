// SPDX-License-Identifier: MIT
#include "io/model_keys.hpp"

namespace perp::io {

const std::vector<kind> &model_kinds() {
  static const std::vector<kind> all = [] {
    std::vector<kind> made;
    for (const auto add :
         {add_systems, add_relations, add_laws, add_solvers, add_simulation, add_events, add_parts})
      add(&made);
    return made;
  }();
  return all;
}

const kind *find_kind(std::string_view group, std::string_view name) {
  for (const kind &k : model_kinds())
    if (k.group == group && k.name == name) return &k;
  return nullptr;
}

const key *find_key(const kind &of, std::string_view name) {
  for (const key &k : of.keys)
    if (k.name == name) return &k;
  return nullptr;
}

std::vector<std::string> kind_names(std::string_view group) {
  std::vector<std::string> names;
  for (const kind &k : model_kinds())
    if (k.group == group) names.push_back(k.name);
  return names;
}

}  // namespace perp::io
