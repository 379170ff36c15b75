// SPDX-License-Identifier: MIT
// Guards and schedules of event-driven runs: expressions of the states of all systems.
#include <algorithm>
#include <charconv>

#include "io/model_assembler.hpp"

namespace perp::io {

namespace {

// What the user pointer of a guard or schedule points to. Inputs: t, all q, all v, all x.
struct hook {
  expression_program value, reset;
  std::vector<std::size_t> places;  // that reset sets, among q, v and x
  bool stop = false;
  std::vector<double> all, made;  // room of a call

  const double *inputs(const perp_event_state &at) {
    all.assign(1, at.t);
    all.insert(all.end(), at.q, at.q + at.n_q);
    all.insert(all.end(), at.v, at.v + at.n_v);
    all.insert(all.end(), at.x, at.x + at.n_x);
    return all.data();
  }
  static std::int32_t call_value(const perp_event_state *at, double *g, void *user) {
    auto &of = *static_cast<hook *>(user);
    perp_expression_evaluate(of.value.get(), of.inputs(*at), g);
    return 0;
  }
  static std::int32_t call_reset(perp_event_state *at, void *user) {
    auto &of = *static_cast<hook *>(user);
    of.made.resize(of.places.size());
    if (!of.made.empty()) perp_expression_evaluate(of.reset.get(), of.inputs(*at), of.made.data());
    const auto n_q = static_cast<std::size_t>(at->n_q), n_v = static_cast<std::size_t>(at->n_v);
    for (std::size_t k = 0; k < of.made.size(); k++) {
      const std::size_t p = of.places[k];
      (p < n_q ? at->q[p] : p < n_q + n_v ? at->v[p - n_q] : at->x[p - n_q - n_v]) = of.made[k];
    }
    return of.stop ? 1 : 0;
  }
};

}  // namespace

// t, and NAME.q, NAME.v, NAME.x of each system that is not repeated.
std::vector<perp_expression_symbol> assembler::state_symbols() {
  std::int32_t n_q = 0, n_v = 0;
  for (const one_system &s : systems_)
    if (s.order == 2) n_q += s.n_q, n_v += s.n;
  std::vector<perp_expression_symbol> all = {{"t", 0, 0, nullptr, nullptr}};
  const auto add = [&](std::size_t which, const char *what, std::int32_t entries,
                       std::int32_t first) {
    const std::string &name = m_.systems[which];
    if (name.back() == ']') return;
    all.push_back({values_.keep_struct(name + what)->c_str(), entries, first, nullptr, nullptr});
  };
  std::int32_t q = 1, v = 1 + n_q, x = 1 + n_q + n_v;
  for (std::size_t k = 0; k < systems_.size(); k++) {
    const one_system &s = systems_[k];
    if (s.order == 2) {
      add(k, ".q", s.n_q, q), add(k, ".v", s.n, v);
      q += s.n_q, v += s.n;
    } else {
      add(k, ".x", s.n, x);
      x += s.n;
    }
  }
  return all;
}

// The place among q, v and x that "ball.v[0]" means; -1: noted.
std::int32_t assembler::place_of(const model_node::member &m,
                                 const std::vector<perp_expression_symbol> &symbols) {
  const std::size_t bracket = m.name.find('[');
  const std::string name = m.name.substr(0, bracket);
  const auto s =
      std::find_if(symbols.begin() + 1, symbols.end(),  // behind t
                   [&](const perp_expression_symbol &each) { return name == each.name; });
  if (s == symbols.end()) {
    std::vector<std::string> names;
    for (auto each = symbols.begin() + 1; each != symbols.end(); ++each)
      names.emplace_back(each->name);
    values_.note(m.key,
                 "found `" + m.name + "`, not a state of a system; " + suggestion(name, names));
    return -1;
  }
  std::int32_t index = 0;
  const char *const end = m.name.data() + m.name.size();
  const bool whole =
      bracket == std::string::npos
          ? s->entries == 1
          : m.name.back() == ']' &&
                std::from_chars(m.name.data() + bracket + 1, end, index).ptr + 1 == end;
  if (whole && index >= 0 && index < s->entries) return s->first - 1 + index;
  values_.note(m.key, "found `" + m.name + "`, expected `" + name + "[0]` to `" + name + "[" +
                          std::to_string(s->entries - 1) + "]`");
  return -1;
}

void assembler::read_guards(const char *group, perp_event_options *o) {
  const model_node *const all = m_.tree.find(group);
  if (all == nullptr || !is_table(*all, "guards or schedules by their names")) return;
  const bool guards = std::string_view(group) == "guards";
  const kind &of = *find_kind("part", guards ? "guard" : "schedule");
  const std::vector<perp_expression_symbol> symbols = state_symbols();
  std::vector<perp_guard> some_guards;
  std::vector<perp_schedule> some_schedules;
  for (const model_node::member &m : all->members) {
    if (!is_member_name(m) || !is_table(m.node, guards ? "a guard" : "a schedule")) continue;
    bool ok = values_.check_keys(m.node, of, {"says"});
    auto *const made = values_.keep_struct(std::make_shared<hook>())->get();
    perp_guard guard = {nullptr, nullptr, made, 0, 0};
    perp_schedule schedule = {nullptr, 0, 0, 0, 0, nullptr, made};
    values_.fill(m.node, of, 0, {},
                 guards ? static_cast<void *>(&guard) : static_cast<void *>(&schedule), &ok);
    const model_node *const value = m.node.find("value");
    if (value != nullptr && is_expression(*value)) {
      made->value = values_.compile({value}, symbols, {});
      guard.value = hook::call_value;
    }
    std::vector<const model_node *> resets;
    const model_node *const reset = m.node.find("reset");
    if (reset != nullptr && is_table(*reset, "states and what they become"))
      for (const model_node::member &each : reset->members) {
        const std::int32_t place = place_of(each, symbols);
        if (place < 0 || !is_expression(each.node)) continue;
        resets.push_back(&each.node);
        made->places.push_back(static_cast<std::size_t>(place));
      }
    if (!resets.empty()) made->reset = values_.compile(resets, symbols, {});
    const model_node *const stop = m.node.find("stop");
    if (stop != nullptr && stop->kind != model_node::truth)
      values_.note(*stop, "found " + stop->shown() + ", expected true or false");
    made->stop = stop != nullptr && stop->value != 0;
    if (!resets.empty() || made->stop) guard.reset = schedule.reset = hook::call_reset;
    const bool timed = m.node.find("first") != nullptr || m.node.find("period") != nullptr;
    if (!guards && timed == (schedule.times != nullptr))
      values_.note(m.node, "found a schedule with both or neither of `times` and `first`");
    for (std::int32_t k = 0; k + 1 < schedule.n_times; k++)
      if (!(schedule.times[k] < schedule.times[k + 1]))
        values_.note(*m.node.find("times"), "found `times` that do not increase");
    (guards ? m_.guards : m_.schedules).emplace_back(m.name, made->stop);
    if (guards)
      some_guards.push_back(guard);
    else
      some_schedules.push_back(schedule);
  }
  if (guards) {
    o->n_guards = static_cast<std::int32_t>(some_guards.size());
    o->guards = values_.keep_struct(std::move(some_guards))->data();
  } else {
    o->n_schedules = static_cast<std::int32_t>(some_schedules.size());
    o->schedules = values_.keep_struct(std::move(some_schedules))->data();
  }
}

bool assembler::is_expression(const model_node &node) {
  if (node.kind == model_node::text || node.kind == model_node::number ||
      node.kind == model_node::integer)
    return true;
  values_.note(node, "found " + node.shown() + ", expected an expression");
  return false;
}

}  // namespace perp::io
