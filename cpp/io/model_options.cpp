// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "io/model_assembler.hpp"

namespace perp::io {

void assembler::read_solver(const model_node &node, const perp_solver **solver,
                            const void **options) {
  const model_node *name = &node;
  if (node.kind == model_node::table) {
    name = node.find("name");
    if (name == nullptr) return values_.note(node, "found no `name` of a solver");
  }
  std::string chosen;
  if (!values_.choose(*name, kind_names("solver"), "a solver", &chosen)) return;
  const kind &of = *find_kind("solver", chosen);
  *solver = perp_solver_find(chosen.c_str());
  if (*solver == nullptr)
    return values_.note(*name, "found `" + chosen + "`, which this build has not");
  if (node.kind != model_node::table) return;
  values_.check_keys(node, of, {"name"});
  struct alignas(8) bytes {
    unsigned char of[PERP_SOLVER_OPTIONS_MOST];
  };
  bytes whole = {};
  const perp_solver_options common = perp_solver_options_default();
  const void *const defaults = (*solver)->defaults == nullptr ? &common : (*solver)->defaults;
  std::uint32_t size = 0;
  std::memcpy(&size, defaults, sizeof size);
  std::memcpy(&whole, defaults, std::min<std::size_t>(size, sizeof whole));
  bool ok = true;
  values_.fill(node, of, 0, {}, &whole, &ok);
  if (const model_node *const given = node.find("engine"))
    if (values_.choose(*given, kind_names("solver"), "a solver", &chosen)) {
      const perp_solver *const engine = perp_solver_find(chosen.c_str());
      std::memcpy(whole.of + offsetof(perp_avi_pivoting_options, engine), &engine, sizeof engine);
    }
  if (!ok) return;
  const auto *const kept = values_.keep_struct(whole);
  perp_info info = PERP_INFO_INIT;
  const perp_status status = perp_solver_check(*solver, kept, &info);
  if (status != PERP_OK) return refused(node, of, status, info);
  *options = kept;
}

void assembler::read_simulation(const model_node &table, perp_simulation_options *o, bool is_run) {
  if (!is_table(table, "time-stepping")) return;
  const kind &of = *find_kind("simulation", "simulation");
  values_.check_keys(table, of, {});
  const model_node *const grid = table.find("grid");
  const std::int32_t steps = std::max(list_size(grid) - 1, 0);
  bool ok = true;
  values_.fill(table, of, 0, {{"steps", steps}}, o, &ok);
  if (o->grid != nullptr) o->steps = steps;
  if (const model_node *const until = table.find("until"))
    if (values_.number(*until, 0, &m_.until) && !std::isfinite(m_.until))
      values_.note(*until, "found `until` = " + until->shown() + ", expected a finite number");
  if (const model_node *const solver = table.find("solver"))
    read_solver(*solver, &o->solver, &o->solver_options);
  if (table.find("h") == nullptr && grid == nullptr)
    values_.note(table, "found no `h`, which `simulation` needs unless it has a `grid`");
  if (grid != nullptr && table.find("steps") != nullptr)
    values_.note(*grid, "found `grid` beside `steps`, which its length tells");
  if (is_run && grid == nullptr && table.find("steps") == nullptr && table.find("until") == nullptr)
    values_.note(table,
                 "found no `until`, which `simulation` needs unless it has `steps` or a `grid`");
  if (is_run) read_guards("schedules", &m_.events);
  if (pool_ > 0 && is_run) {
    pool_defaults(table, o);
    values_.fill(table, of, 0, {{"steps", steps}}, o, &ok);
  }
  if (o->solver == nullptr) o->solver = perp_solver_auto();
  put_schemes(o);
}

void assembler::put_schemes(perp_simulation_options *o) {
  bool any_first = false, all_first = true, thetas = false, schemes = false;
  for (const one_system &s : systems_) {
    any_first = any_first || s.order == 1, all_first = all_first && s.order == 1;
    thetas = thetas || !std::isnan(s.theta), schemes = schemes || s.scheme != nullptr;
  }
  if (thetas) {
    std::vector<double> all;
    for (const one_system &s : systems_) all.push_back(std::isnan(s.theta) ? o->theta : s.theta);
    o->thetas = values_.keep(std::move(all));
  }
  const auto of_order = [](bool first) {
    return first ? perp_integrator_theta() : perp_integrator_moreau_jean();
  };
  if (!schemes && (!any_first || all_first)) {
    if (o->integrator == nullptr) o->integrator = of_order(any_first);
    return;
  }
  std::vector<const perp_integrator *> all;
  for (const one_system &s : systems_)
    all.push_back(s.scheme != nullptr                      ? s.scheme
                  : o->integrator != nullptr && !any_first ? o->integrator
                                                           : of_order(s.order == 1));
  o->integrators = values_.keep_struct(std::move(all))->data();
}

void assembler::read_events(const model_node &table) {
  if (!is_table(table, "event-driven integration")) return;
  const kind &of = *find_kind("events", "events");
  values_.check_keys(table, of, {});
  perp_event_options &o = m_.events;
  m_.by_events = true;
  bool ok = true;
  std::int32_t state = 0, rows = 0;
  for (const one_system &s : systems_) state += s.order == 2 ? s.n_q + s.n : s.n;
  const perp_model *const model = perp_builder_model(m_.builder.get());
  for (std::int32_t k = 0; model != nullptr && k < model->n_interactions; k++)
    rows += model->interactions[k]->relation->m;
  values_.fill(table, of, 0, {{"state", state}}, &o, &ok);
  read_guards("guards", &o);
  read_guards("schedules", &o);
  const auto time = [&](const char *name, double low, double *to) {
    const model_node *const node = table.find(name);
    if (node != nullptr && values_.number(*node, 0, to) && !(std::isfinite(*to) && *to > low))
      values_.note(*node,
                   "found `" + std::string(name) + "` = " + node->shown() + ", expected a time");
  };
  time("until", -HUGE_VAL, &m_.until);
  time("every", 0, &m_.every);
  if (const model_node *const solver = table.find("solver"))
    read_solver(*solver, &o.solver, &o.solver_options);
  if (const model_node *const stepping = table.find("stepping")) {
    perp_simulation_options s = perp_simulation_options_default();
    s.solver = perp_solver_auto();
    read_simulation(*stepping, &s, false);
    o.stepping = values_.keep_struct(s);
  }
  const model_node *const lzb = table.find("lzb");
  if (lzb != nullptr && is_table(*lzb, "impacts by springs")) {
    perp_multiple_impact_options impacts = perp_multiple_impact_options_default();
    values_.check_keys(*lzb, *find_kind("part", "lzb"), {});
    values_.fill(*lzb, *find_kind("part", "lzb"), 0, {{"rows", rows}}, &impacts, &ok);
    o.lzb = values_.keep_struct(impacts);
  }
}

double loaded_model::first_time() const {
  const perp_simulation_options &o = *perp_builder_options(builder.get());
  return by_events ? events.t0 : o.grid != nullptr ? o.grid[0] : o.t0;
}

double loaded_model::last_time() const {
  const perp_simulation_options &o = *perp_builder_options(builder.get());
  if (by_events || o.steps == 0) return until;
  return std::fmin(until, o.grid != nullptr ? o.grid[o.steps] : o.t0 + o.steps * o.h);
}

std::string lost_in_time(double distance, double first, double last) {
  for (const double t : {first, last}) {
    if (t + distance > t) continue;
    if (!std::isfinite(t)) return "which leads beyond all times";
    char text[120];
    (void)std::snprintf(text, sizeof text,
                        "which does not move time at t = %.9g, where doubles are %.2g apart", t,
                        std::nextafter(std::fabs(t), HUGE_VAL) - std::fabs(t));
    return text;
  }
  return "";
}

void check_times(const loaded_model &m) {
  std::vector<std::string> wrong;
  const double first = m.first_time(), last = m.last_time();
  const model_node *const table = m.tree.find(m.by_events ? "events" : "simulation");
  const auto note = [&wrong](const model_node *at, const std::string &what) {
    wrong.push_back((at == nullptr ? std::string("model") : at->place()) + ": " + what);
  };
  const auto check = [&](const model_node *of, const char *key, double distance) {
    const std::string why = lost_in_time(distance, first, std::fmax(first, last));
    if (!why.empty())
      note(of->find(key),
           "found `" + std::string(key) + "` = " + shown_number(distance) + ", " + why);
  };
  const perp_simulation_options &o = *perp_builder_options(m.builder.get());
  if (!m.by_events && o.grid == nullptr) check(table, "h", o.h);
  if (m.every > 0) check(table, "every", m.every);
  if (m.by_events && m.events.stepping != nullptr)
    check(table->find("stepping"), "h", m.events.stepping->h);
  if (wrong.empty() && !(last > first))
    note(table->find("until"),
         "found `until` = " + shown_number(last) +
             ", expected a time behind the start, t = " + shown_number(first));
  if (!wrong.empty()) throw model_error(wrong);
}

}  // namespace perp::io
