// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/model_assembler.hpp"

namespace perp::io {

void assembler::add_systems() {
  const model_node *const all = m_.tree.find("systems");
  if (all == nullptr) return values_.note(m_.tree, "found no `systems`, which a model needs");
  if (!is_table(*all, "the systems by their names")) return;
  for (const model_node::member &m : all->members) {
    if (!is_member_name(m) || !is_table(m.node, "a system")) continue;
    const kind *const of = kind_of(m.node, "system", "a kind of system");
    if (of == nullptr) {
      lost_ = true;
      continue;
    }
    const bool complete = values_.check_keys(m.node, *of, {"kind", "says"});
    const std::int32_t count = repeats(m.node);
    if (count < 0 || !complete) {
      lost_ = true;
      continue;
    }
    groups_[m.name] = {static_cast<std::int32_t>(systems_.size()), count};
    for (std::int32_t i = 0; i < std::max(count, 1); i++) {
      const std::size_t before = values_.notes().size(), made = systems_.size();
      const std::string name = count == 0 ? m.name : m.name + "[" + std::to_string(i) + "]";
      add_system(m.node, *of, name, i);
      // What it lacks may have been noted elsewhere: of a parameter, say, once.
      if (systems_.size() == made || values_.notes().size() > before) {
        lost_ = true;
        break;
      }
    }
  }
}

void assembler::add_system(const model_node &table, const kind &of, const std::string &name,
                           double index) {
  one_system made = {of.order, 6, 7, of.name == "newton_euler", NAN, nullptr, {}};
  if (!made.body) {
    if (!size_of_table(table, of, "n", index, &made.n)) {
      if (table.find("n") == nullptr)
        values_.note(table,
                     "found no size of `" + of.name + "`: neither `n` nor a list that tells it");
      return;
    }
    made.n_q = made.n;
  }
  any_struct s = {};
  if (of.begin(&s, 0, made.n) != PERP_OK)
    return values_.note(table, "found a size that is refused");
  bool ok = true;
  const sizes dims = {{"n", made.n}};
  values_.fill(table, of, index, dims, &s, &ok);
  input_layout layout;
  if (of.order == 2)
    layout.n_q = made.n_q, layout.n_v = made.n;
  else
    layout.n_x = made.n;
  layout.bodies = made.body ? 1 : 0;
  layout.n_z = std::max(list_size(table.find("z")), 0);
  values_.functions(table, of, index, dims, layout, of.order, &s, &ok);
  const model_callbacks *const mine = values_.callbacks();
  const model_callbacks *controls = nullptr;
  if (const model_node *const control = table.find("control"))
    controls = read_control(*control, of, index, made.n, layout, &s, &ok);
  if (!ok) return;
  perp_owner owner = PERP_OWNER_INIT;
  const struct { const void *mine, *controls; } both = {mine, controls};
  owner.user = const_cast<model_callbacks *>(mine);
  owner.key = &both, owner.key_bytes = sizeof both;
  perp_info info = PERP_INFO_INIT;
  std::int32_t id = -1;
  const bool called = mine != nullptr || controls != nullptr;
  const perp_status added =
      perp_builder_add(m_.builder.get(), &s.system, called ? &owner : nullptr, &id, &info);
  if (added != PERP_OK) return refused(table, of, added, info);
  start(table, of, index, id, &made);
  if (const model_node *const given = table.find("theta"))
    if (values_.number(values_.plain(*given, ""), index, &made.theta) &&
        !(made.theta >= 0 && made.theta <= 1))
      values_.note(*given, "found `theta` out of 0 to 1");
  if (const model_node *const given = table.find("integrator")) {
    const key &k = *find_key(of, "integrator");
    std::int32_t which = 0;
    if (values_.choose(*given, k, &which))
      made.scheme = static_cast<const perp_integrator *>(k.pointer(which));
  }
  systems_.push_back(std::move(made));
  m_.systems.push_back(name);
}

const model_callbacks *assembler::read_control(const model_node &node, const kind &of, double index,
                                               std::int32_t n, const input_layout &layout,
                                               any_struct *s, bool *ok) {
  if (!is_table(node, "control")) {
    *ok = false;
    return nullptr;
  }
  const key *const k = find_key(of, "control");
  const kind &control = *find_kind("part", k->within);
  values_.check_keys(node, control, {});
  char *const at = reinterpret_cast<char *>(s) + k->offset;
  std::int32_t n_u = std::max(list_size(node.find("u")), 0);
  if (const model_node *const T = node.find("T"); n_u == 0 && list_size(T) > 0)
    n_u = std::max(list_size(&T->items[0]), 0);
  const sizes dims = {{"n", n}, {"n_u", n_u}};
  values_.fill(node, control, index, dims, at, ok);
  values_.functions(node, control, index, dims, layout, of.order, at, ok);
  std::memcpy(at + offsetof(perp_control, n_u), &n_u, sizeof n_u);
  return values_.callbacks();
}

void assembler::start(const model_node &table, const kind &of, double index, std::int32_t id,
                      one_system *made) {
  std::vector<double> values;
  const auto set = [&](const char *name, std::int32_t size, auto setter) {
    const model_node *const given = table.find(name);
    if (given == nullptr) return;
    const key &k = *find_key(of, name);
    if (!values_.matrix(values_.plain(*given, k.unit), k, index, size, 1, &values)) return;
    perp_info info = PERP_INFO_INIT;
    const perp_status done = setter(m_.builder.get(), id, size, values.data(), &info);
    if (done != PERP_OK)
      values_.note(*given,
                   "found `" + std::string(name) + "` that cannot be: " + explained(done, info));
  };
  if (of.order == 1) return set("x0", made->n, perp_builder_set_x);
  if (made->body) values = {0, 0, 0, 1, 0, 0, 0};
  set("q0", made->n_q, perp_builder_set_q);
  if (made->body) made->q0 = values;
  set("v0", made->n, perp_builder_set_v);
}

}  // namespace perp::io
