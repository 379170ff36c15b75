// SPDX-License-Identifier: MIT
// What is made of the table of model files besides the reader: JSON schema, templates, reference.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "io/model_table.hpp"

namespace perp::io {

namespace {

using json = nlohmann::ordered_json;

json reference(const std::string &name) { return {{"$ref", "#/definitions/" + name}}; }

// A value with a unit, { value = ..., unit = "..." }, or without.
json with_unit(const key &k, json value) {
  if (k.what == holds::part || k.what == holds::table || k.what == holds::operation ||
      k.what == holds::expression || k.what == holds::resets)
    return value;
  json table = {{"type", "object"},
                {"properties", {{"value", value}, {"says", {{"type", "string"}}}}},
                {"required", {"value"}},
                {"additionalProperties", false}};
  table["properties"]["unit"] = k.unit.empty() ? json{{"type", "string"}} : json{{"const", k.unit}};
  return {{"anyOf", {std::move(value), std::move(table)}}};
}

json number_schema(const key &k, const char *type) {
  json n = {{"type", type}};
  if (std::isfinite(k.low)) n[k.above ? "exclusiveMinimum" : "minimum"] = k.low;
  if (std::isfinite(k.high)) n["maximum"] = k.high;
  return {{"anyOf", {std::move(n), reference("expression")}}};  // names of choices are among these
}

json list_of(json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

// A list, or one by repeat.
json list_or_made(json list, bool flat) {
  return {{"anyOf", {std::move(list), reference(flat ? "list" : "rows")}}};
}

json names_schema(const std::vector<std::string> &names) { return {{"enum", names}}; }

json value_schema(const key &k) {
  const bool flat = k.cols == "1";
  switch (k.what) {
    case holds::number:
      return number_schema(k, "number");
    case holds::integer:
      return number_schema(k, "integer");
    case holds::truth:
      return {{"type", "boolean"}};
    case holds::option: {
      std::vector<std::string> names;
      for (const choice &c : k.choices) names.emplace_back(c.name);
      return names_schema(names);
    }
    case holds::numbers:
    case holds::array:
      return list_or_made(
          flat ? list_of(number_schema(k, "number")) : list_of(list_of(number_schema(k, "number"))),
          flat);
    case holds::indices:
      return list_or_made(list_of(number_schema(k, "integer")), true);
    case holds::operation:
      return reference("matrix");
    case holds::function:
      return {{"anyOf",
               {flat ? list_of(reference("function")) : list_of(list_of(reference("function"))),
                reference(flat ? "list" : "rows"), reference("plugin")}}};
    case holds::expression:
      return reference("function");
    case holds::resets:
      return {{"type", "object"}, {"additionalProperties", reference("function")}};
    case holds::part:
      return reference(k.within);
    case holds::name:
      return k.called == signature::none ? json{{"type", "string"}} : reference("plugin");
    case holds::names:
      return {{"anyOf",
               {{{"type", "string"}},
                {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}}}}};
    case holds::table:
      break;
  }
  if (k.name == "solver") return reference("solver");
  if (k.name == "stepping") return reference("stepping");
  return {{"anyOf", {{{"type", "string"}}, reference(k.name == "law" ? "law" : "relation")}}};
}

json kind_schema(const kind &k, bool tagged) {
  json properties = json::object();
  std::vector<std::string> needed;
  if (tagged) {
    properties["kind"] = {{"const", k.name}};
    needed.emplace_back("kind");
  }
  if (tagged || (k.group == "part" && k.name != "control" && k.name != "lzb"))
    properties["says"] = {{"type", "string"}};
  if (k.group == "solver") {
    properties["name"] = {{"const", k.name}};
    needed.emplace_back("name");
  }
  for (const key &each : k.keys) {
    json value = with_unit(each, value_schema(each));
    std::string says = each.says;
    if (!each.unit.empty()) says += " (" + each.unit + ")";
    if (!each.fallback.empty()) says += "; default " + each.fallback;
    value["description"] = says;
    json fields = json::array();
    if (!each.field.empty()) fields.push_back(each.field);
    if (!each.length.empty()) fields.push_back(each.length);
    for (const derivative &d : each.derivatives) fields.push_back(d.field);
    if (!fields.empty()) value["x-fields"] = fields;
    properties[each.name] = std::move(value);
    for (const derivative &d : each.derivatives) properties[d.field] = reference("plugin");
    if (each.needed) needed.push_back(each.name);
  }
  json s = {{"type", "object"}, {"description", k.says}};
  if (!k.structure.empty()) s["x-struct"] = k.structure;
  s["properties"] = std::move(properties);
  if (!needed.empty()) s["required"] = needed;
  s["additionalProperties"] = false;
  return s;
}

json group_schema(const std::string &group) {
  json any = json::array();
  for (const kind &k : model_kinds())
    if (k.group == group) any.push_back(reference(group + "-" + k.name));
  return any;
}

json map_of(json values) {
  return {{"type", "object"}, {"additionalProperties", std::move(values)}};
}

std::string shape_of(const key &k) {
  if (k.what == holds::part || k.what == holds::table) return "table";
  if (k.what == holds::name) return k.called == signature::none ? "name" : "function of a plug-in";
  if (k.what == holds::expression) return "expression";
  if (k.what == holds::resets) return "table of expressions";
  if (k.what == holds::names) return "names";
  if (k.what == holds::number) {
    std::string all = "number";
    for (const choice &c : k.choices) all += ", " + std::string(c.name);
    return all;
  }
  if (k.what == holds::integer) return "integer";
  if (k.what == holds::truth) return "true or false";
  if (k.what == holds::option) {
    std::string all;
    for (const choice &c : k.choices) all += (all.empty() ? "" : ", ") + std::string(c.name);
    return all;
  }
  const bool expressions = k.what == holds::function;
  if (k.what == holds::indices) return k.rows + " integers";
  const std::string of = expressions ? " expressions" : " numbers";
  if (k.what == holds::operation) return "matrix " + k.rows + " x " + k.cols;
  if (k.cols == "1") return k.rows + (k.rows == "1" && expressions ? " expression" : of);
  return k.rows + " rows of " + k.cols + of;
}

std::string range_of(const key &k) {
  char text[80] = "";
  if (std::isfinite(k.low) && std::isfinite(k.high))
    (void)std::snprintf(text, sizeof text, "%s %g ... %g", k.above ? ">" : "", k.low, k.high);
  else if (std::isfinite(k.low))
    (void)std::snprintf(text, sizeof text, "%s %g", k.above ? ">" : ">=", k.low);
  else if (std::isfinite(k.high))
    (void)std::snprintf(text, sizeof text, "<= %g", k.high);
  return text;
}

// A value for a template: a small one of the right form.
std::string example_of(const key &k, bool quoted) {
  const std::string entry = quoted ? "\"0\"" : "0.0";
  if (k.what == holds::option) return "\"" + std::string(k.choices.front().name) + "\"";
  if (k.what == holds::name || k.what == holds::names || k.what == holds::table) return "\"...\"";
  if (k.what == holds::expression) return "\"0\"";
  if (k.what == holds::part || k.what == holds::resets) return "{}";
  if (k.what == holds::truth) return "false";
  if (k.what == holds::number) return k.low > 0 || k.above ? "1.0" : "0.0";
  if (k.what == holds::integer) return k.low >= 1 ? "1" : "0";
  if (k.what == holds::indices) return "[0]";
  if (k.what == holds::operation) return "[1.0]";
  if (k.cols != "1") return "[[" + entry + "]]";
  const int rows = std::atoi(k.rows.c_str());
  std::string list = entry;
  for (int i = 1; i < rows; i++) list += ", " + entry;
  return "[" + list + "]";
}

}  // namespace

std::string model_schema() {
  json defs;
  defs["expression"] = {{"type", "string"}, {"minLength", 1}};
  defs["plugin"] = {{"type", "string"}, {"pattern", "^(plugin|siconos|py):"}};
  defs["function"] = {{"type", json::array({"string", "number"})}};
  const json entry = {{"anyOf", {{{"type", "number"}}, reference("expression")}}};
  const json count = {{"anyOf", {{{"type", "integer"}, {"minimum", 1}}, reference("expression")}}};
  const auto made = [&count](json value) {
    return json{{"type", "object"},
                {"description", "a list by repeat; expressions read the place in it as j"},
                {"properties", {{"repeat", count}, {"value", std::move(value)}}},
                {"required", {"repeat", "value"}},
                {"additionalProperties", false}};
  };
  defs["list"] = made(entry);
  defs["rows"] = made(list_of(entry));
  const json lists = list_or_made(list_of(entry), true);
  const json blocks = {
      {"type", "object"},
      {"description", "blocks that add up, at the rows and columns of index"},
      {"properties",
       {{"repeat", count},
        {"index", list_of(entry)},
        {"values",
         {{"anyOf", {list_of(list_of(entry)), list_of(entry), reference("expression")}}}}}},
      {"required", {"repeat", "index", "values"}},
      {"additionalProperties", false}};
  json sparse = {{"type", "object"},
                 {"properties", {{"start", lists}, {"index", lists}, {"values", lists}}},
                 {"required", {"start", "index", "values"}},
                 {"additionalProperties", false}};
  json some = list_of(entry);
  some["minItems"] = 1;
  json rows = list_of(list_of(entry));
  rows["minItems"] = 1;
  defs["matrix"] = {{"anyOf", {some, rows, sparse, blocks, reference("list"), reference("rows")}}};
  for (const kind &k : model_kinds()) {
    const bool tagged = k.group == "system" || k.group == "relation" || k.group == "law";
    const std::string name = tagged || k.group == "solver" ? k.group + "-" + k.name : k.name;
    defs[name] = kind_schema(k, tagged);
  }
  for (const char *group : {"system", "relation", "law"})
    defs[group] = {{"type", "object"}, {"required", {"kind"}}, {"oneOf", group_schema(group)}};
  json solvers = group_schema("solver");
  solvers.push_back(names_schema(kind_names("solver")));
  defs["solver"] = {{"anyOf", solvers}};
  defs["stepping"] = defs["simulation"];
  json run = {{"anyOf", {{{"required", {"h"}}}, {{"required", {"grid"}}}}}};
  json ends = {
      {"anyOf", {{{"required", {"until"}}}, {{"required", {"steps"}}}, {{"required", {"grid"}}}}}};
  const json timed = {{"anyOf", {{{"required", {"first"}}}, {{"required", {"period"}}}}}};
  defs["schedule"]["oneOf"] = {{{"required", {"times"}}}, timed};
  defs["simulation"]["allOf"] = json::array({run, ends});
  defs["stepping"]["allOf"] = json::array({run});
  json parameter = {
      {"anyOf",
       {entry,
        {{"type", "object"},
         {"properties",
          {{"value", entry}, {"unit", {{"type", "string"}}}, {"says", {{"type", "string"}}}}},
         {"required", {"value"}},
         {"additionalProperties", false}}}}};
  const json named = {{"anyOf",
                       {reference("expression"),
                        {{"type", "object"},
                         {"properties",
                          {{"value", reference("expression")},
                           {"unit", {{"type", "string"}}},
                           {"says", {{"type", "string"}}}}},
                         {"required", {"value"}},
                         {"additionalProperties", false}}}}};
  const std::int64_t most_seed = std::int64_t(1) << 53;
  json s;
  s["$schema"] = "http://json-schema.org/draft-07/schema#";
  s["title"] = "perp model";
  s["type"] = "object";
  s["properties"] = {
      {"title", {{"type", "string"}}},
      {"seed", {{"type", "integer"}, {"minimum", -most_seed}, {"maximum", most_seed}}},
      {"include", {{"anyOf", {{{"type", "string"}}, list_of({{"type", "string"}})}}}},
      {"parameters", map_of(parameter)},
      {"tables", map_of(reference("table"))},
      {"expressions", map_of(named)},
      {"systems", map_of(reference("system"))},
      {"relations", map_of(reference("relation"))},
      {"laws", map_of(reference("law"))},
      {"interactions", map_of(reference("interaction"))},
      {"pool", reference("pool")},
      {"guards", map_of(reference("guard"))},
      {"schedules", map_of(reference("schedule"))},
      {"simulation", reference("simulation")},
      {"events", reference("events")}};
  s["required"] = {"systems"};
  s["oneOf"] = {{{"required", {"simulation"}}}, {{"required", {"events"}}}};
  s["dependencies"] = {{"guards", {"events"}}, {"pool", {"simulation"}}};
  s["additionalProperties"] = false;
  s["definitions"] = std::move(defs);
  return s.dump(1) + "\n";
}

std::string model_template(const kind &of) {
  const bool tagged = of.group == "system" || of.group == "relation" || of.group == "law";
  std::string text = "# " + of.says + "\n";
  text += tagged                 ? "[" + of.group + "s.NAME]\nkind = \"" + of.name + "\"\n"
          : of.group == "solver" ? "[simulation.solver]\nname = \"" + of.name + "\"\n"
          : of.name == "interaction" || of.name == "guard" || of.name == "schedule" ||
                  of.name == "table"
              ? "[" + of.name + "s.NAME]\n"
              : "[" + of.name + "]\n";
  for (const key &k : of.keys) {
    std::string line = k.needed ? "" : "# ";
    const std::string value = k.fallback.empty() || k.what == holds::array ||
                                      k.what == holds::operation || k.what == holds::numbers ||
                                      k.what == holds::name || k.what == holds::table
                                  ? example_of(k, k.what == holds::function)
                              : k.what == holds::option ? "\"" + k.fallback + "\""
                                                        : k.fallback;
    line += k.name + " = " + value;
    line += std::string(line.size() < 30 ? 30 - line.size() : 1, ' ') + "# " + shape_of(k);
    if (!k.unit.empty()) line += " (" + k.unit + ")";
    if (!k.reads.empty()) line += " of " + k.reads;
    if (!range_of(k).empty()) line += ", " + range_of(k);
    text += line + ": " + k.says + "\n";
  }
  return text;
}

std::string model_reference() {
  std::string text =
      "# Model files: every key\n\n"
      "Generated by `perp schema --page` from the table that the reader goes by; how to write a "
      "model: [perp run](../command.md#perp-run). In place of a list of expressions, a text names "
      "a "
      "function, `plugin:LIBRARY:FUNCTION`, `siconos:LIBRARY:FUNCTION` or `py:MODULE.FUNCTION` "
      "([plug-ins](../command.md#plug-ins)); its derivatives are named by keys of their own, or "
      "taken by differences.\n\n"
      "A list of numbers, expressions or rows may be `{ repeat = 1000, value = \"gap + j*l\" }`, j "
      "its place in it. Matrices are a list (diagonal), a list of rows, compressed rows `{ start, "
      "index, values }`, or blocks that add up, as of finite elements: `{ repeat = 1000, index = "
      "[\"j\", \"j + 1\"], values = [[\"k\", \"-k\"], [\"-k\", \"k\"]] }`, values also a list "
      "(diagonal) or one expression of row and column, from 0.\n\n"
      "`[expressions]` gives names to parts of expressions, `angle = \"w*t + phi\"`; a name is "
      "read where it is used, with what may be read there, and looked at in any case.\n\n"
      "With `seed = 1` above all tables (`--set seed=2`: another), `uniform(k)` and `normal(k)` "
      "draw numbers by the integer k where constants are: parameters, starts, `z`; of what is "
      "repeated by `uniform(i)`. uniform(k) is output k, from 0, of SplitMix64 from that seed "
      "(Steele, Lea, Flood 2014), its upper 53 bits by 2^-53; normal(k) is AS 241 (Wichura 1988) "
      "of (the upper 52 bits + 1/2) 2^-52 of output k from the complement of the seed, by + - * /, "
      "sqrt and a logarithm made of these: bits depend on neither machine nor order.\n";
  std::string group;
  const auto cell = [](std::string s) {
    for (std::size_t at = 0; (at = s.find('|', at)) != std::string::npos; at += 2)
      s.insert(at, "\\");
    for (std::size_t at = 0; (at = s.find('<', at)) != std::string::npos; at += 4)
      s.replace(at, 1, "&lt;");
    return s;
  };
  for (const kind &k : model_kinds()) {
    if (k.group != group) {
      group = k.group;
      const char *const head =
          group == "system"     ? "Systems: `[systems.NAME]`"
          : group == "relation" ? "Relations: `[relations.NAME]`, or within an interaction"
          : group == "law"      ? "Laws: `[laws.NAME]`, or within an interaction"
          : group == "solver"   ? "Solvers: `solver` of `[simulation]` and `[events]`"
          : group == "part"     ? "Parts"
                                : "How to run";
      if (group != "events") text += std::string("\n## ") + head + "\n";
    }
    text += "\n### " + k.name + "\n\n" + cell(k.says) + "\n\n";
    if (!k.structure.empty()) text += "C: `" + k.structure + "`.\n\n";
    if (k.keys.empty()) continue;
    text += "| key | form | unit | default | range | what |\n|---|---|---|---|---|---|\n";
    for (const key &each : k.keys) {
      std::string says = cell(each.says);
      for (const derivative &d : each.derivatives)
        says += (&d == &each.derivatives.front() ? "; of a plug-in with `" : ", `") + d.field + "`";
      text += "| `" + each.name + "`" + (each.needed ? " (needed)" : "") + " | " + shape_of(each) +
              (each.reads.empty() ? "" : " of " + each.reads) + " | " + each.unit + " | " +
              each.fallback + " | " + cell(range_of(each)) + " | " + says + " |\n";
    }
  }
  return text;
}

}  // namespace perp::io
