// SPDX-License-Identifier: MIT
// perp export: logs in formats of others.
#include "tool/export.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "io/file.hpp"
#include "tool/commands.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

using json = nlohmann::ordered_json;

// CRC-32 (that of zlib) of the bytes of a log that are whole.
std::string crc32_of(const std::string &path, std::int64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> piece(std::size_t{1} << 16);
  uLong crc = ::crc32(0, nullptr, 0);
  while (bytes > 0) {
    const std::int64_t n = std::min(bytes, static_cast<std::int64_t>(piece.size()));
    if (!file.read(piece.data(), n)) throw run_error(path + ": it has changed while it was read");
    crc = ::crc32(crc, reinterpret_cast<const Bytef *>(piece.data()), static_cast<uInt>(n));
    bytes -= n;
  }
  char text[16];
  (void)std::snprintf(text, sizeof text, "%08lx", crc);
  return text;
}

// Columns as blocks of members and components.
std::vector<slice> slices_of(const results &r, const std::string &select) {
  std::vector<slice> all;
  if (select.empty() && r.schema().n_quantities == 0) return all; /* times alone */
  for (column &c : r.find(select.empty() ? "*" : select)) {
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const slice &s) { return s.quantity == c.quantity; });
    if (at == all.end()) {
      const perp_log_quantity &q = r.schema().quantities[c.quantity];
      at = all.insert(at, {c.quantity, std::string(q.kind) + "." + q.name, {}, {}, {}});
    }
    const auto note = [](std::vector<std::int32_t> *list, std::int32_t i) {
      const auto place = std::lower_bound(list->begin(), list->end(), i);
      if (place == list->end() || *place != i) list->insert(place, i);
    };
    note(&at->members, c.member);
    note(&at->components, c.component);
    at->columns.push_back(std::move(c));
  }
  for (slice &s : all) {
    if (s.columns.size() != s.members.size() * s.components.size())
      throw usage_error("--select: of " + s.name +
                        " different components of different members, which are no block");
    std::sort(s.columns.begin(), s.columns.end(), [](const column &a, const column &b) {
      return a.member != b.member ? a.member < b.member : a.component < b.component;
    });
  }
  std::sort(all.begin(), all.end(),
            [](const slice &a, const slice &b) { return a.quantity < b.quantity; });
  return all;
}

event_table events_of(results *r) {
  event_table t;
  t.impulse_start.push_back(0);
  r->each_event([&](const log_event &e) {
    t.t.push_back(e.t), t.error.push_back(e.error), t.until.push_back(e.until);
    t.kind.push_back(e.kind), t.index.push_back(e.index), t.copy.push_back(e.copy);
    t.before.push_back(e.before), t.after.push_back(e.after);
    t.impulse.insert(t.impulse.end(), e.impulse.begin(), e.impulse.end());
    t.impulse_start.push_back(static_cast<std::int64_t>(t.impulse.size()));
  });
  return t;
}

// By --format or the name of the file, which may not be that of another kind of file.
std::string format_of(const export_arguments &a) {
  static const std::map<std::string, std::string> endings = {
      {".h5", "hdf5"}, {".hdf5", "hdf5"}, {".hdf", "hdf5"}, {".csv", "csv"},
      {".npz", "npz"}, {".mat", "mat"},   {".pvd", "vtp"}};
  std::string kind = std::filesystem::path(a.out).extension().string();
  for (char &c : kind)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto found = endings.find(kind);
  if (kind.empty() && !a.format.empty()) return a.format;
  if (found == endings.end() || (!a.format.empty() && a.format != found->second)) {
    std::string allowed;
    for (const auto &[ending, format] : endings)
      if (a.format.empty() || format == a.format) allowed += (allowed.empty() ? "" : ", ") + ending;
    throw usage_error(a.out + ": expected a name that ends in " + allowed +
                      (a.format.empty() ? ", or none and --format" : ""));
  }
  return found->second;
}

}  // namespace

void refuse_file(const std::string &path, int error) {
  throw run_error(path + ": it cannot be written" +
                  (error != 0 ? std::string(": ") + std::strerror(error) : std::string()));
}

std::string about_json(const exported &e) {
  const perp_log_schema &of = e.log->schema();
  json j = {{"program", of.program},
            {"model_name", of.model_name},
            {"model", of.model},
            {"options", of.options}};
  j["log"] = {{"name", std::filesystem::path(e.log->path()).filename().string()},
              {"bytes", e.log_bytes},
              {"crc32", e.log_crc32}};
  j["ended"] = e.end.ended;
  if (e.end.ended) {
    j["end"] = e.end.t;
    j["status"] = e.end.status;
    j["reason"] = e.end.reason;
    j["report"] = e.end.report;
  }
  for (const slice &s : e.slices) {
    const perp_log_quantity &q = of.quantities[s.quantity];
    json about = {{"description", q.description}};
    for (const std::int32_t k : s.members) about["members"].push_back(e.log->member(s.quantity, k));
    for (const std::int32_t i : s.components) {
      about["components"].push_back(e.log->component(s.quantity, i));
      about["units"].push_back(e.log->at(s.quantity, 0, i).unit);
    }
    j["quantities"][s.name] = about;
  }
  if (e.log->summary().contact_lists > 0) {
    j["contacts"]["names"] = e.log->systems();
    for (const contact_part &part : contact_parts())
      j["contacts"]["parts"][part.name] = {{"unit", part.unit}, {"description", part.says}};
  }
  return j.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

int export_command(const export_arguments &a, std::string *out) {
  const std::string format = format_of(a);
  const std::filesystem::path folder = std::filesystem::path(a.out).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw usage_error(a.out + ": no such folder");
  results log(a.file);
  std::string contacts;  // a file beside the other
  if (format == "csv" && log.summary().contact_lists > 0)
    contacts = (folder / std::filesystem::path(a.out).stem()).string() + "_contacts.csv";
  std::error_code none;
  for (const std::string &each : {a.out, contacts})
    if (std::filesystem::equivalent(a.file, each, none))
      throw usage_error(each + ": this is the log itself");
  exported e;
  e.log = &log;
  e.slices = slices_of(log, a.select);
  e.stride = a.every;
  e.samples = log.samples() == 0 ? 0 : (log.samples() - 1) / a.every + 1;
  e.float32 = a.float32;
  e.log_bytes = log.summary().whole;
  e.log_crc32 = crc32_of(a.file, e.log_bytes);
  e.end = log.end();
  e.events = events_of(&log);
  try {
    if (format == "vtp") {
      write_vtp(a.out, e);
    } else {
      const auto write = format == "hdf5"  ? write_hdf5
                         : format == "csv" ? write_csv
                         : format == "npz" ? write_npz
                                           : write_mat;
      io::replace(a.out, [&](const std::string &name) { write(name, a.out, e); });
      if (!contacts.empty())
        io::replace(contacts,
                    [&](const std::string &name) { write_contacts_csv(name, contacts, e); });
    }
  } catch (const io::file_error &error) {
    throw run_error(error.what());
  }
  *out = a.out + ": " + std::to_string(e.samples) + " samples\n";
  return exit_solved;
}

}  // namespace perp::tool
