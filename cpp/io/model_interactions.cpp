// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/model_assembler.hpp"

namespace perp::io {

const model_node *assembler::table_or_name(const model_node &node, const char *group,
                                           const char *what) {
  if (node.kind == model_node::table) return &node;
  const model_node *const all = m_.tree.find(group);
  std::vector<std::string> names;
  if (all != nullptr)
    for (const model_node::member &m : all->members) names.push_back(m.name);
  if (node.kind != model_node::text) {
    values_.note(node, "found " + node.shown() + ", expected " + what +
                           ": a table, or the name of one of [" + group + "]");
    return nullptr;
  }
  const model_node *const found = all == nullptr ? nullptr : all->find(node.words);
  if (found == nullptr)
    values_.note(node, "found `" + node.words + "`, not the name of " + what + "; " +
                           suggestion(node.words, names));
  else if (found->kind != model_node::table)
    return nullptr;
  return found;
}

std::int32_t assembler::member_of(const model_node &node, double index, const groups &all,
                                  const char *what) {
  if (node.kind != model_node::text) {
    values_.note(node, "found " + node.shown() + ", expected the name of " + what);
    return -1;
  }
  const std::size_t bracket = node.words.find('[');
  const std::string name = node.words.substr(0, bracket);
  const auto at = all.find(name);
  if (at == all.end()) {
    std::vector<std::string> names;
    for (const auto &each : all) names.push_back(each.first);
    values_.note(node,
                 "found `" + name + "`, not the name of " + what + "; " + suggestion(name, names));
    return -1;
  }
  const std::int32_t count = at->second.second;
  if (bracket == std::string::npos) {
    if (count == 0) return at->second.first;
    values_.note(
        node, "found `" + name + "`, which is repeated; expected an index as in `" + name + "[i]`");
    return -1;
  }
  if (count == 0 || node.words.back() != ']') {
    values_.note(node, count == 0 ? "found `" + node.words + "`, but `" + name + "` is not repeated"
                                  : "found `" + node.words + "`, expected `]` at its end");
    return -1;
  }
  model_node &expression = indices_[&node];
  if (expression.file == nullptr) {
    expression = node;
    expression.words = node.words.substr(bracket + 1, node.words.size() - bracket - 2);
    expression.column += static_cast<std::uint32_t>(bracket) + 1;
  }
  std::int32_t place = 0;
  if (!values_.integer(expression, index, &place)) return -1;
  if (place < 0 || place >= count) {
    values_.note(node, "found `" + name + "[" + std::to_string(place) +
                           "]`, must be >= 0 and <= " + std::to_string(count - 1));
    return -1;
  }
  return at->second.first + place;
}

std::int32_t assembler::system_of(const model_node &node, double index) {
  const model_node *const all = m_.tree.find("systems");
  const std::string name = node.words.substr(0, node.words.find('['));
  if (groups_.count(name) == 0 && node.kind == model_node::text && all != nullptr &&
      all->find(name) != nullptr)
    return -1;  // it has been noted
  return member_of(node, index, groups_, "a system");
}

void assembler::add_interactions() {
  const model_node *const all = m_.tree.find("interactions");
  if (all == nullptr || !is_table(*all, "interactions by their names")) return;
  const kind &of = *find_kind("part", "interaction");
  for (const model_node::member &m : all->members) {
    if (!is_member_name(m) || !is_table(m.node, "an interaction")) continue;
    values_.check_keys(m.node, of, {"says"});
    const model_node *const relation = m.node.find("relation"), *const law = m.node.find("law");
    const model_node *const joined = m.node.find("systems");
    if (relation == nullptr || law == nullptr || joined == nullptr) continue;
    const model_node *const r = table_or_name(*relation, "relations", "a relation");
    const model_node *const l = table_or_name(*law, "laws", "a law");
    if (r == nullptr || l == nullptr) continue;
    const kind *const of_relation = kind_of(*r, "relation", "a kind of relation");
    const kind *const of_law = kind_of(*l, "law", "a kind of law");
    if (of_relation == nullptr || of_law == nullptr) continue;
    const bool complete = values_.check_keys(*r, *of_relation, {"kind", "says"});
    if (!values_.check_keys(*l, *of_law, {"kind", "says"}) || !complete) continue;
    const std::int32_t count = repeats(m.node),
                       first = static_cast<std::int32_t>(interactions_.size());
    std::int32_t i = 0;
    for (; i < std::max(count, 1) && count >= 0; i++) {
      const std::size_t before = values_.notes().size(), made = interactions_.size();
      const std::string name = count == 0 ? m.name : m.name + "[" + std::to_string(i) + "]";
      add_interaction(m.node, *joined, *r, *of_relation, *l, *of_law, name, i);
      // What it lacks may have been noted elsewhere: of an expression, say, once.
      if (interactions_.size() == made || values_.notes().size() > before) break;
    }
    if (of_relation->name == "joint" && count >= 0 && i == std::max(count, 1))
      joints_[m.name] = {first, count};
  }
}

void assembler::add_interaction(const model_node &table, const model_node &joined,
                                const model_node &r, const kind &of_relation, const model_node &l,
                                const kind &of_law, const std::string &name, double index) {
  any_struct law = {};
  const bool graph = of_law.name == "piecewise_linear";
  bool ok = read_law(l, of_law, index, &law);
  reading read = {r, of_relation, index, graph ? 1 : law.law.size, {}};
  std::vector<std::int32_t> &systems = read.systems;
  if (joined.kind == model_node::text) {
    systems.push_back(system_of(joined, index));
  } else if (joined.kind == model_node::list && !joined.items.empty()) {
    for (const model_node &each : joined.items) systems.push_back(system_of(each, index));
  } else {
    return values_.note(joined, "found " + joined.shown() + ", expected names of systems");
  }
  if (std::find(systems.begin(), systems.end(), -1) != systems.end() || lost_ || !ok) return;
  for (const std::int32_t each : systems) {
    const one_system &s = systems_[static_cast<std::size_t>(each)];
    if (s.order != of_relation.order)
      return values_.note(joined, "found `" + m_.systems[static_cast<std::size_t>(each)] +
                                      "`, of order " + std::to_string(s.order) + "; `" +
                                      of_relation.name + "` joins systems of order " +
                                      std::to_string(of_relation.order));
    read.n += s.n, read.n_q += s.n_q, read.bodies += s.body ? 1 : 0;
  }
  if (!read_relation(&read)) return;
  perp_interaction interaction = {&read.made.relation, graph ? nullptr : &law.law, systems.data(),
                                  static_cast<std::int32_t>(systems.size()), 0};
  perp_owner owner = PERP_OWNER_INIT;
  owner.user = const_cast<void *>(read.user);
  owner.key = read.key.data(), owner.key_bytes = read.key.size();
  perp_info info = PERP_INFO_INIT;
  std::int32_t id = -1;
  const perp_owner *const own = read.user != nullptr ? &owner : nullptr;
  const perp_status done =
      graph
          ? perp_builder_connect_graph(m_.builder.get(), &interaction, &law.graph, own, &id, &info)
          : perp_builder_connect(m_.builder.get(), &interaction, own, nullptr, &id, &info);
  if (done != PERP_OK) {
    const model_node *at = given_field(r, of_relation, info);
    if (const model_node *const of = given_field(l, of_law, info)) at = of;
    return values_.note(at == nullptr ? table : *at,
                        "found an interaction that cannot be: " + explained(done, info));
  }
  interactions_.push_back(
      {of_relation.name == "joint" ? values_.keep_struct(read.made.joint) : nullptr, systems});
  m_.interactions.push_back(name);
}

}  // namespace perp::io
