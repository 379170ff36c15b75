// SPDX-License-Identifier: MIT
// perp model: what a log was run from, which it holds: the model's text, and in notes the files
// that the model takes.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tool/model_run.hpp"
#include "tool/results.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace fs = std::filesystem;

static const std::string note_begin = "file ";

void put_files(const io::loaded_model &m, perp_log *log, const std::string &name) {
  perp_info info = PERP_INFO_INIT;
  for (const io::model_file &each : m.files)
    if (!each.text.empty())
      check(perp_log_add_note(log, (note_begin + each.name).c_str(), each.text.c_str(), &info),
            info, name);
}

namespace {

// Names and texts of the files that a log holds.
std::map<std::string, std::string> files_of(perp_log_reader *log, const std::string &path) {
  std::map<std::string, std::string> files;
  perp_log_record record = PERP_LOG_RECORD_INIT;
  perp_info info = PERP_INFO_INIT;
  for (;;) {
    const perp_status found =
        perp_log_reader_next(log, 1U << static_cast<unsigned>(PERP_LOG_NOTE), &record, &info);
    if (found == PERP_END) return files;
    if (found != PERP_OK) refuse(path, found, info);
    const std::string name = record.name;
    if (name.compare(0, note_begin.size(), note_begin) == 0)
      files.emplace(name.substr(note_begin.size()), record.text);
  }
}

// A name in a log may be of anybody: what it stands for lies below the folder.
fs::path below(const fs::path &folder, const std::string &name, const std::string &log) {
  const fs::path given(name);
  bool good = !name.empty() && given.is_relative() && given.has_filename();
  for (const fs::path &part : given) good = good && part != ".." && part != ".";
  if (!good) throw usage_error(log + ": found file `" + name + "`, which is not below a folder");
  return folder / given;
}

}  // namespace

void write_folder(const std::string &folder, const std::map<fs::path, std::string> &files) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_empty(folder, code))
    throw usage_error(folder + ": expected a new or an empty folder");
  try {
    for (const auto &[path, text] : files) {
      (void)fs::create_directories(path.parent_path(), code);
      if (code) throw run_error(path.string() + ": " + code.message());
      io::write_new(path.string(), text);
    }
  } catch (const io::file_error &e) {
    throw run_error(e.what());
  }
}

int model_command(const std::string &path, const std::string &folder, std::string *out) {
  const open_reader reader = opened_log(path);
  const perp_log_schema &of = *perp_log_reader_schema(reader.get());
  if (*of.model == '\0') throw usage_error(path + ": no model is in it");
  if (folder.empty()) {
    *out = of.model;
    return exit_solved;
  }
  std::map<fs::path, std::string> all;
  const fs::path model = below(folder, fs::path(of.model_name).filename().string(), path);
  all[model] = of.model;
  const auto files = files_of(reader.get(), path);
  for (const auto &[name, text] : files) all[below(folder, name, path)] = text;
  const auto options = nlohmann::json::parse(of.options, nullptr, false);
  const auto kept =
      options.is_object() ? options.value("files", nlohmann::json()) : nlohmann::json();
  std::string missing;
  for (const auto &[name, checksum] : kept.items()) {
    const auto file = files.find(name);
    if (file == files.end() || io::checksum(file->second) != checksum)
      missing += (missing.empty() ? "" : ", ") + name;
  }
  write_folder(folder, all);
  *out = model.string() + "\n";
  if (missing.empty()) return exit_solved;
  throw run_error(path + ": it takes what is not in the log: " + missing);
}

}  // namespace perp::tool
