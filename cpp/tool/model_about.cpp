// SPDX-License-Identifier: MIT
// perp check, describe, new and schema: what does not run a model.
#include <cmath>

#include "io/model.hpp"
#include "tool/commands.hpp"
#include "tool/model_examples.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

std::string described(const io::loaded_model &m, bool options) {
  const perp_model *const model = perp_builder_model(m.builder.get());
  const perp_simulation_options *const o = perp_builder_options(m.builder.get());
  const perp_simulation_options *const with = options && !m.by_events ? o : nullptr;
  std::string text(perp_model_describe(model, with, nullptr, 0) + 1, '\0');
  (void)perp_model_describe(model, with, text.data(), text.size());
  text.pop_back();
  return text;
}

[[noreturn]] void refuse(const io::loaded_model &m, perp_status status, const perp_info &info) {
  throw usage_error(m.name + ": " + io::explained(status, info) + m.values.plugins.complaint());
}

}  // namespace

int check_command(const check_arguments &a, std::string *out) {
  const auto m = io::load_model(a.file, a.set, a.plugins);
  const perp_model *const model = perp_builder_model(m->builder.get());
  perp_info info = PERP_INFO_INIT;
  // As a run begins: forces at the start, gaps, the mass.
  if (m->by_events) {
    perp_event_driven *sim = nullptr;
    const perp_status status = perp_event_driven_create(&sim, model, &m->events, &info);
    if (status != PERP_OK) refuse(*m, status, info);
    perp_event_driven_destroy(sim);
  } else {
    perp_simulation *sim = nullptr;
    const perp_status status =
        perp_simulation_create(&sim, model, perp_builder_options(m->builder.get()), &info);
    if (status != PERP_OK) refuse(*m, status, info);
    perp_simulation_destroy(sim);
  }
  *out = m->name + ": " + std::to_string(m->systems.size()) + " system" +
         (m->systems.size() == 1 ? "" : "s") + ", " + std::to_string(m->interactions.size()) +
         " interaction" + (m->interactions.size() == 1 ? "" : "s") + ", nothing is wrong\n";
  return exit_solved;
}

int describe_command(const check_arguments &a, std::string *out) {
  const auto m = io::load_model(a.file, a.set, a.plugins);
  *out = described(*m, true);
  if (out->empty() || out->back() != '\n') *out += '\n';
  return exit_solved;
}

int compile_command(const check_arguments &a, const std::string &out_file, std::string *out) {
  const auto m = io::load_model(a.file, a.set, a.plugins);
  if (m->values.made().empty())
    throw usage_error(m->name + ": found no expression of t, q, v, x, lambda or z to compile");
  const std::string text = io::compiled_model(*m);
  if (out_file.empty())
    *out = text;
  else
    io::save(out_file, text);
  return exit_solved;
}

int new_command(const std::string &name, std::string *out) {
  std::vector<std::string> names;
  for (const model_example &e : model_examples()) {
    names.emplace_back(e.name);
    if (name == e.name) {
      *out = e.text;
      return exit_solved;
    }
  }
  for (const io::kind &k : io::model_kinds()) {
    names.push_back(k.name);
    if (k.name == name || k.group + "." + k.name == name) {
      *out += (out->empty() ? "" : "\n") + io::model_template(k);
    }
  }
  if (!out->empty()) return exit_solved;
  throw usage_error("new: found `" + name + "`, not an example or a kind; " +
                    io::suggestion(name, names));
}

int schema_command(bool page, std::string *out) {
  *out = page ? io::model_reference() : io::model_schema();
  return exit_solved;
}

}  // namespace perp::tool
