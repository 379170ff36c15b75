// SPDX-License-Identifier: MIT
#include "io/model.hpp"

#include <algorithm>
#include <cstring>

#include "io/file.hpp"
#include "io/model_assembler.hpp"

namespace perp::io {

void assembler::assemble() {
  static const std::vector<std::string> tables = {
      "title", "seed",         "parameters", "tables", "expressions", "systems",    "relations",
      "laws",  "interactions", "pool",       "guards", "schedules",   "simulation", "events"};
  for (const model_node::member &each : m_.tree.members)
    if (std::find(tables.begin(), tables.end(), each.name) == tables.end())
      values_.note(each.key, "found `" + each.name + "`, not a table of a model; " +
                                 suggestion(each.name, tables));
  if (const model_node *title = m_.tree.find("title"))
    if (title->kind != model_node::text)
      values_.note(*title, "found " + title->shown() + ", expected a text");
  values_.read_seed(m_.tree.find("seed"));
  values_.read_parameters(m_.tree.find("parameters"));
  read_tables();
  read_expressions();
  make_lists();
  perp_builder *b = nullptr;
  perp_info info = PERP_INFO_INIT;
  const perp_status made = perp_builder_create(&b, &info);
  if (made != PERP_OK) throw model_error({m_.name + ": " + explained(made, info)});
  m_.builder.reset(b);
  add_systems();
  for (const char *group : {"relations", "laws"}) check_named(group);
  add_interactions();
  read_pool();
  const model_node *const simulation = m_.tree.find("simulation");
  const model_node *const events = m_.tree.find("events");
  if (simulation == nullptr && events == nullptr)
    values_.note(m_.tree, "found neither `simulation` nor `events`, one of which says how to run");
  if (simulation != nullptr && events != nullptr)
    values_.note(*events, "found `events` beside `simulation`; a model has one of them");
  const model_node *const guards = m_.tree.find("guards");
  if (guards != nullptr && events == nullptr)
    values_.note(
        *guards,
        "found `guards` without `events`: time-stepping finds no zeros; run by [events], or "
        "reset states at times that [schedules] name");
  if (simulation != nullptr)
    read_simulation(*simulation, perp_builder_options(b), true);
  else if (events != nullptr)
    read_events(*events);
  if (!values_.notes().empty()) throw model_error(values_.notes());
  check_times(m_);
}

void assembler::read_expressions() {
  values_.read_expressions(m_.tree.find("expressions"));
  std::map<std::string, bool> states;
  if (const model_node *const all = m_.tree.find("systems"))
    for (const model_node::member &m : all->members)
      for (const char *const what : {".q", ".v", ".x"})
        states[m.name + what] = m.node.find("repeat") != nullptr;
  values_.check_expressions(states);
}

// Lists by repeat, below the tables that may be repeated themselves.
void assembler::make_lists() {
  const std::pair<const char *, const char *> tables[] = {
      {"systems", "system"},           {"relations", "relation"}, {"laws", "law"},
      {"interactions", "interaction"}, {"guards", "guard"},       {"schedules", "schedule"}};
  for (const auto &[group, of] : tables)
    if (model_node *const all = m_.tree.find(group))
      for (model_node::member &named : all->members) make_lists(&named.node, of);
  for (const char *run : {"simulation", "events"})
    if (model_node *const table = m_.tree.find(run)) make_lists(table, run);
}

// Of a table of a kind, whose keys tell which lists are functions.
void assembler::make_lists(model_node *table, const std::string &group) {
  const model_node *const name = table->find("kind");
  const kind *const of = name != nullptr && name->kind == model_node::text
                             ? find_kind(group, name->words)
                             : find_kind("part", group);
  for (model_node::member &m : table->members) {
    const key *const k = of == nullptr ? nullptr : find_key(*of, m.name);
    if (k != nullptr && k->what == holds::part)
      make_lists(&m.node, k->within);
    else if (k != nullptr && k->what == holds::table)
      make_lists(&m.node, m.name);
    else
      values_.make_lists(&m.node, k != nullptr && k->what == holds::function);
  }
}

bool assembler::is_table(const model_node &node, const char *what) {
  if (node.kind == model_node::table) return true;
  values_.note(node, "found " + node.shown() + ", expected a table: " + what);
  return false;
}

const kind *assembler::kind_of(const model_node &table, const char *group, const char *what) {
  const model_node *const name = table.find("kind");
  const std::vector<std::string> names = kind_names(group);
  if (name == nullptr) {
    values_.note(table, std::string("found no `kind`, expected ") + what + ": " + one_of(names));
    return nullptr;
  }
  std::string chosen;
  return values_.choose(*name, names, what, &chosen) ? find_kind(group, chosen) : nullptr;
}

std::int32_t assembler::repeats(const model_node &table) {
  const model_node *const node = table.find("repeat");
  if (node == nullptr) return 0;
  std::int32_t count = 0;
  if (!values_.integer(*node, 0, &count)) return -1;
  if (count < 1 || count > 1000000) {
    values_.note(*node,
                 "found `repeat` = " + std::to_string(count) + ", must be >= 1 and <= 1000000");
    return -1;
  }
  return count;
}

bool assembler::is_member_name(const model_node::member &m) {
  const bool good = !m.name.empty() && m.name.size() <= 100 &&
                    m.name.find_first_of(".,*[]/\" ") == std::string::npos &&
                    std::all_of(m.name.begin(), m.name.end(), [](char c) {
                      return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
                    });
  if (!good)
    values_.note(m.key,
                 "found name `" + m.name.substr(0, 100) + "`, expected letters, digits, _ and -");
  return good;
}

std::int32_t list_size(const model_node *node) {
  if (node == nullptr) return -1;
  if (node->kind == model_node::table && node->find("value") != nullptr) node = node->find("value");
  if (node->kind == model_node::list) return static_cast<std::int32_t>(node->items.size());
  if (node->kind == model_node::table && node->find("start") != nullptr &&
      node->find("start")->kind == model_node::list)
    return static_cast<std::int32_t>(node->find("start")->items.size()) - 1;
  return -1;
}

bool assembler::size_of_table(const model_node &table, const kind &of, const char *dim,
                              double index, std::int32_t *out) {
  if (const model_node *const given = table.find(dim)) {
    if (!values_.integer(*given, index, out)) return false;
    if (*out >= 1 && *out <= 1000000) return true;
    values_.note(*given, "found `" + std::string(dim) + "` = " + std::to_string(*out) +
                             ", must be >= 1 and <= 1000000");
    return false;
  }
  for (const key &k : of.keys)
    if (k.rows == dim && k.what != holds::part && (*out = list_size(table.find(k.name))) > 0)
      return true;
  return false;
}

const model_node *given_field(const model_node &table, const kind &of, const perp_info &info) {
  const model_node *at = nullptr;
  if (info.field != nullptr)
    for (const key &k : of.keys)
      if (k.field == info.field || k.name == info.field)
        if (const model_node *const given = table.find(k.name)) at = given;
  return at;
}

void assembler::refused(const model_node &table, const kind &of, perp_status status,
                        const perp_info &info) {
  const model_node *const at = given_field(table, of, info);
  values_.note(at == nullptr ? table : *at,
               "found what `" + of.name + "` cannot be: " + explained(status, info));
}

void assembler::check_named(const char *group) {
  const model_node *const all = m_.tree.find(group);
  if (all == nullptr) return;
  const bool laws = std::strcmp(group, "laws") == 0;
  if (!is_table(*all, laws ? "laws by their names" : "relations by their names")) return;
  for (const model_node::member &m : all->members) {
    if (!is_table(m.node, laws ? "a law" : "a relation")) continue;
    const kind *const of = laws ? kind_of(m.node, "law", "a kind of law")
                                : kind_of(m.node, "relation", "a kind of relation");
    if (of != nullptr) values_.check_keys(m.node, *of, {"kind", "says"});
  }
}

std::string explained(perp_status status, const perp_info &info) {
  char text[512];
  (void)perp_explain(status, &info, 0, text, sizeof text);
  return text;
}

std::unique_ptr<loaded_model> load_model(const std::string &path,
                                         const std::vector<std::string> &overrides,
                                         const plugin_permission &may) {
  auto m = std::make_unique<loaded_model>();
  m->name = m->path = path;
  m->values.plugins.allow(path, may);
  m->tree = load_model_tree(path, &m->text, &m->files);
  for (const std::string &each : overrides) override_model(&m->tree, each);
  assembler(m.get()).assemble();
  m->values.plugins.list(&m->files);
  return m;
}

std::unique_ptr<loaded_model> read_model(std::string_view text, const std::string &name) {
  auto m = std::make_unique<loaded_model>();
  m->name = name;
  m->text = text;
  m->tree = parse_model(text, name);
  assembler(m.get()).assemble();
  return m;
}

}  // namespace perp::io
