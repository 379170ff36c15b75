// SPDX-License-Identifier: MIT
// Guards and schedules of event-driven runs: expressions of the states of all systems.
#include <algorithm>
#include <charconv>

#include "io/model_assembler.hpp"

namespace perp::io {

namespace {

const double *inputs(model_hook *of, const perp_event_state &at) {
  std::vector<double> &all = of->all;
  all.assign(1, at.t);
  all.insert(all.end(), at.q, at.q + at.n_q);
  all.insert(all.end(), at.v, at.v + at.n_v);
  all.insert(all.end(), at.x, at.x + at.n_x);
  return all.data();
}

std::int32_t call_value(const perp_event_state *at, double *g, void *user) {
  auto *const of = static_cast<model_hook *>(user);
  perp_expression_evaluate(of->value.get(), inputs(of, *at), g);
  return 0;
}

std::int32_t call_reset(perp_event_state *at, void *user) {
  auto &of = *static_cast<model_hook *>(user);
  of.made.resize(of.places.size());
  if (!of.made.empty()) perp_expression_evaluate(of.reset.get(), inputs(&of, *at), of.made.data());
  const auto n_q = static_cast<std::size_t>(at->n_q), n_v = static_cast<std::size_t>(at->n_v);
  for (std::size_t k = 0; k < of.made.size(); k++) {
    const std::size_t p = of.places[k];
    (p < n_q ? at->q[p] : p < n_q + n_v ? at->v[p - n_q] : at->x[p - n_q - n_v]) = of.made[k];
  }
  return of.stop ? 1 : 0;
}

}  // namespace

// t, and NAME.q, NAME.v, NAME.x of each system; of those that are repeated NAME[k].q where each has
// as many.
std::vector<perp_expression_symbol> assembler::state_symbols() {
  std::int32_t n_q = 0, n_v = 0;
  for (const one_system &s : systems_)
    if (s.order == 2) n_q += s.n_q, n_v += s.n;
  std::vector<perp_expression_symbol> all = {{"t", 0, 0, nullptr, nullptr, nullptr, nullptr}};
  std::int32_t q = 1, v = 1 + n_q, x = 1 + n_q + n_v;
  for (std::size_t k = 0; k < systems_.size();) {
    const std::string name = m_.systems[k].substr(0, m_.systems[k].find('['));
    const one_system &s = systems_[k];
    const auto group = groups_.find(name);
    const std::int32_t repeated = group == groups_.end() ? 0 : group->second.second;
    const auto end = std::min(k + static_cast<std::size_t>(std::max(repeated, 1)), systems_.size());
    bool alike = true;
    for (std::size_t each = k; each < end; each++)
      alike = alike && systems_[each].n == s.n && systems_[each].n_q == s.n_q;
    const auto add = [&](const char *what, std::int32_t entries, std::int32_t first) {
      const perp_expression_members *members = nullptr;
      if (repeated > 0) members = values_.keep_struct(perp_expression_members{repeated, entries});
      if (alike)
        all.push_back({values_.keep_struct(name + what)->c_str(), entries, first, nullptr, nullptr,
                       nullptr, members});
    };
    if (s.order == 2)
      add(".q", s.n_q, q), add(".v", s.n, v);
    else
      add(".x", s.n, x);
    for (; k < end; k++) {
      if (s.order == 2)
        q += systems_[k].n_q, v += systems_[k].n;
      else
        x += systems_[k].n;
    }
  }
  return all;
}

// The place among q, v and x that "ball.v[0]" or "bead[i + 1].v[0]" means; -1: noted.
std::int32_t assembler::place_of(const model_node::member &m,
                                 const std::vector<perp_expression_symbol> &symbols, double index) {
  const std::size_t dot = m.name.rfind('.');
  const std::size_t bracket = m.name.find('[', dot == std::string::npos ? 0 : dot);
  std::string name = m.name.substr(0, bracket);
  const std::size_t member = name.find('[');
  const bool one = member != std::string::npos && dot != std::string::npos && dot > member + 1 &&
                   name[dot - 1] == ']';
  if (one) name = name.substr(0, member) + name.substr(dot);
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
  std::int32_t first = s->first - 1;
  if (one != (s->members != nullptr)) {
    const std::string system = name.substr(0, name.rfind('.'));
    values_.note(m.key, "found `" + m.name + "`, but `" + system +
                            (one ? "` is not repeated"
                                 : "` is repeated; name one of them, as in `" + system + "[0]" +
                                       name.substr(system.size()) + "`"));
    return -1;
  }
  if (one) {
    model_node &expression = indices_[&m.key];
    if (expression.file == nullptr) {
      expression = m.key;
      expression.kind = model_node::text;
      expression.words = m.name.substr(member + 1, dot - member - 2);
      expression.column += static_cast<std::uint32_t>(member);
    }
    std::int32_t place = 0;
    if (!values_.integer(expression, index, &place)) return -1;
    if (place < 0 || place >= s->members->count) {
      values_.note(m.key, "found member " + std::to_string(place) + " of `" + m.name +
                              "`, must be >= 0 and <= " + std::to_string(s->members->count - 1));
      return -1;
    }
    first += place * s->members->stride;
  }
  std::int32_t entry = 0;
  const char *const end = m.name.data() + m.name.size();
  const bool whole =
      bracket == std::string::npos
          ? s->entries == 1
          : m.name.back() == ']' &&
                std::from_chars(m.name.data() + bracket + 1, end, entry).ptr + 1 == end;
  if (whole && entry >= 0 && entry < s->entries) return first + entry;
  const std::string shown = m.name.substr(0, bracket);
  values_.note(m.key, "found `" + m.name + "`, expected `" + shown + "[0]` to `" + shown + "[" +
                          std::to_string(s->entries - 1) + "]`");
  return -1;
}

// Of a table of guards or schedules: once, or the one with that index.
void assembler::read_guard(const std::string &name, const model_node &table, const kind &of,
                           std::vector<perp_expression_symbol> symbols, double index,
                           perp_guard *guard, perp_schedule *schedule) {
  m_.hooks.push_back(std::make_unique<model_hook>());
  model_hook *const made = m_.hooks.back().get();
  made->guard = of.name == "guard";
  made->name = name;
  for (const one_system &s : systems_)
    if (s.order == 2)
      made->n_q += static_cast<std::size_t>(s.n_q), made->n_v += static_cast<std::size_t>(s.n);
    else
      made->n_x += static_cast<std::size_t>(s.n);
  if (table.find("repeat") != nullptr)
    symbols.push_back({"i", 0, 0, values_.keep({index}), nullptr, nullptr, nullptr});
  *guard = {nullptr, nullptr, made, 0, 0};
  *schedule = {nullptr, 0, 0, 0, 0, nullptr, made};
  bool ok = true;
  values_.fill(table, of, index, {},
               made->guard ? static_cast<void *>(guard) : static_cast<void *>(schedule), &ok);
  const model_node *const value = table.find("value");
  if (value != nullptr && is_expression(*value)) {
    made->value = values_.compile({value}, symbols, {}, model_values::use::run);
    guard->value = call_value;
  }
  std::vector<const model_node *> resets;
  const model_node *const reset = table.find("reset");
  if (reset != nullptr && is_table(*reset, "states and what they become"))
    for (const model_node::member &each : reset->members) {
      const std::int32_t place = place_of(each, symbols, index);
      if (place < 0 || !is_expression(each.node)) continue;
      resets.push_back(&each.node);
      made->places.push_back(static_cast<std::size_t>(place));
    }
  if (!resets.empty()) made->reset = values_.compile(resets, symbols, {}, model_values::use::run);
  const model_node *const stop = table.find("stop");
  if (stop != nullptr && stop->kind != model_node::truth)
    values_.note(*stop, "found " + stop->shown() + ", expected true or false");
  made->stop = stop != nullptr && stop->value != 0;
  if (!resets.empty() || made->stop) guard->reset = schedule->reset = call_reset;
  const bool timed = table.find("first") != nullptr || table.find("period") != nullptr;
  if (!made->guard && timed == (schedule->times != nullptr))
    values_.note(table, "found a schedule with both or neither of `times` and `first`");
  for (std::int32_t k = 0; k + 1 < schedule->n_times; k++)
    if (!(schedule->times[k] < schedule->times[k + 1]))
      values_.note(*table.find("times"), "found `times` that do not increase");
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
    values_.check_keys(m.node, of, {"says"});
    const std::int32_t count = repeats(m.node);
    for (std::int32_t i = 0; count >= 0 && i < std::max(count, 1); i++) {
      const std::size_t before = values_.notes().size();
      some_guards.emplace_back();
      some_schedules.emplace_back();
      const std::string index = count == 0 ? "" : "[" + std::to_string(i) + "]";
      read_guard(m.name + index, m.node, of, symbols, i, &some_guards.back(),
                 &some_schedules.back());
      if (values_.notes().size() > before) break;
    }
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
