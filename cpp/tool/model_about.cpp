// SPDX-License-Identifier: MIT
// perp check, describe, new and schema: what does not run a model.
#include <cmath>
#include <filesystem>
#include <map>

#include "io/model.hpp"
#include "tool/commands.hpp"
#include "tool/log_size.hpp"
#include "tool/model_check.hpp"
#include "tool/model_examples.hpp"
#include "tool/model_run.hpp"
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

// What a model is made of is not replaced.
void check_output(const io::loaded_model &m, const std::string &out_file) {
  std::vector<std::string> paths = {m.path};
  for (const io::model_file &each : m.files) paths.push_back(each.path);
  std::error_code none;
  for (const std::string &each : paths)
    if (std::filesystem::equivalent(each, out_file, none))
      throw usage_error(out_file + ": is a file of the model, so that it is not replaced");
}

std::string checked(const check_arguments &a) {
  const auto m = io::load_model(a.file, a.set, a.plugins);
  model_findings found = check_model(*m);
  if (!found.errors.empty()) {
    std::vector<std::string> lines = std::move(found.errors);
    lines.front() += m->values.plugins.complaint();
    for (const std::string &each : found.warnings) lines.push_back("warning: " + each);
    throw io::model_error(std::move(lines));
  }
  tell_log(*m, a, found.begun.get(), &found);
  const auto counted = [](std::size_t n, const char *what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  std::string out =
      m->name + ": " + counted(m->systems.size(), "system") + ", " +
      counted(m->interactions.size(), "interaction") + ", " +
      (found.warnings.empty() ? "nothing is wrong" : counted(found.warnings.size(), "warning")) +
      "\n";
  for (const std::string &each : found.facts) out += each + "\n";
  for (const std::string &each : found.warnings) out += "warning: " + each + "\n";
  return out;
}

}  // namespace

int check_command(check_arguments a, const std::vector<std::string> &files, std::string *out,
                  std::vector<std::string> *wrong) {
  for (const std::string &file : files) try {
      a.file = file;
      *out += checked(a);
    } catch (const io::model_error &e) {
      wrong->insert(wrong->end(), e.lines().begin(), e.lines().end());
    } catch (const std::runtime_error &e) {
      wrong->emplace_back(e.what());
    }
  return wrong->empty() ? exit_solved : exit_bad_input;
}

int describe_command(const check_arguments &a, std::string *out) {
  const auto m = io::load_model(a.file, a.set, a.plugins);
  *out = described(*m, true);
  if (out->empty() || out->back() != '\n') *out += '\n';
  return exit_solved;
}

int compile_command(const check_arguments &a, const std::string &out_file, std::string *out) {
  const auto m = io::load_model(a.file, a.set, a.plugins);
  if (!out_file.empty()) check_output(*m, out_file);
  if (m->values.made().empty() && m->hooks.empty())
    throw usage_error(m->name + ": found no expression of t, q, v, x, lambda or z to compile");
  const std::string text = io::compiled_model(*m);
  if (out_file.empty())
    *out = text;
  else
    io::save(out_file, text);
  return exit_solved;
}

int new_command(const std::string &name, const std::string &folder, std::string *out) {
  std::vector<std::string> names;
  std::map<std::filesystem::path, std::string> files;
  for (const model_example &e : model_examples()) {
    const std::filesystem::path file(e.file);
    if (file.extension() == ".toml") names.push_back(file.stem().string());
    if (name != file.stem().string()) continue;
    files[folder / file] = e.text;
    if (file.extension() == ".toml")
      *out = folder.empty() ? e.text : (folder / file).string() + "\n";
  }
  if (!files.empty()) {
    if (!folder.empty()) write_folder(folder, files);
    return exit_solved;
  }
  if (!folder.empty())
    throw usage_error("new: found `" + name + "`, not an example, which a folder is for; " +
                      io::suggestion(name, names));
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
