// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "io/model_assembler.hpp"
#include "perp/auto.h"

namespace perp::io {

void assembler::read_pool() {
  const model_node *const table = m_.tree.find("pool");
  if (table == nullptr || !is_table(*table, "contacts that come and go")) return;
  const kind &of = *find_kind("part", "pool");
  bool ok = values_.check_keys(*table, of, {"says"});
  if (m_.tree.find("events") != nullptr) {
    values_.note(*table, "found `pool` beside `events`, which has none");
    ok = false;
  }
  perp_contact_pool pool = PERP_CONTACT_POOL_INIT;
  values_.fill(*table, of, 0, {}, &pool, &ok);
  std::vector<double> z;
  const model_node *const parameters = table->find("z");
  if (parameters != nullptr && !values_.matrix(values_.plain(*parameters, ""), *find_key(of, "z"),
                                               0, std::max(list_size(parameters), 0), 1, &z))
    ok = false;
  if (!ok) return;
  wanted_function wanted;
  wanted.of = &of, wanted.field = "find", wanted.called = signature::find;
  wanted.z = z;
  for (std::size_t k = 0; k < systems_.size(); k++)
    wanted.systems.push_back({m_.systems[k], systems_[k].n_q, systems_[k].n});
  if (!z.empty()) pool.user = const_cast<double *>(values_.keep(std::move(z)));
  const model_node &find = *table->find("find");
  std::string why = "expected a function of a plug-in";
  found_function found;
  if (names_function(find)) why.clear(), found = values_.plugins.find(find.words, wanted, &why);
  const bool is_text = find.kind == model_node::text;
  if (found.function == nullptr)
    values_.note(find, "found " + (is_text ? "`" + find.words + "`" : find.shown()) + ", " + why);
  pool.find = reinterpret_cast<perp_find_fn>(found.function);
  const model_node &names = *table->find("laws");
  const std::vector<model_node> one = {names};
  std::vector<const perp_law *> laws;
  for (const model_node &each : names.kind == model_node::list ? names.items : one) {
    const model_node *const l =
        each.kind == model_node::table ? nullptr : table_or_name(each, "laws", "a law");
    const kind *const of_law = l == nullptr ? nullptr : kind_of(*l, "law", "a kind of law");
    if (of_law == nullptr) {
      if (each.kind == model_node::table)
        values_.note(each, "found " + each.shown() + ", expected the name of one of [laws]");
      ok = false;
      continue;
    }
    if (of_law->name == "piecewise_linear") {
      values_.note(each, "found `" + each.words + "`, a graph, which contacts cannot have");
      ok = false;
      continue;
    }
    auto *const law = values_.keep_struct(any_struct{});
    if (!values_.check_keys(*l, *of_law, {"kind", "says"}) || !read_law(*l, *of_law, 0, law))
      ok = false;
    laws.push_back(&law->law);
  }
  if (!ok || lost_ || found.function == nullptr) return;
  pool.n_laws = static_cast<std::int32_t>(laws.size()), pool.laws = laws.data();
  perp_info info = PERP_INFO_INIT;
  const perp_status made = perp_builder_pool(m_.builder.get(), &pool, nullptr, nullptr, &info);
  if (made != PERP_OK) {
    const model_node *at = table;
    const std::string field = info.field == nullptr ? "" : info.field;
    for (const model_node::member &each : table->members)
      if (field.compare(0, 5 + each.name.size(), "pool." + each.name) == 0) at = &each.node;
    return values_.note(*at, "found a pool that cannot be: " + explained(made, info));
  }
  pool_ = pool.capacity;
}

void assembler::pool_defaults(const model_node &table, perp_simulation_options *o) {
  const bool named = table.find("solver") != nullptr;
  perp_pool_defaults(perp_builder_model(m_.builder.get()),
                     o->grid != nullptr && o->steps > 0 ? o->grid[1] - o->grid[0] : o->h,
                     named ? 1 : 0, o);
  o->sparse = perp_sparse_ldl();
  if (named) return;
  perp_auto_options with = perp_auto_options_default();
  with.allocate = 0;
  with.tol = 1e-8;
  with.budget = 1e5 * std::max(pool_, 100);  // as in C++ and Python
  o->solver = perp_solver_auto();
  o->solver_options = values_.keep_struct(with);
}

}  // namespace perp::io
