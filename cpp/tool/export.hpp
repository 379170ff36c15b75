// SPDX-License-Identifier: MIT
// What the formats of perp export share: which columns, how many samples, and all that is said of
// them beside the numbers.
#ifndef PERP_TOOL_EXPORT_HPP
#define PERP_TOOL_EXPORT_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "tool/results.hpp"

namespace perp::tool {

// What is exported of a quantity: members x components columns, component by component within a
// member.
struct slice {
  std::int32_t quantity = 0;
  std::string name;  // "ball.q"
  std::vector<std::int32_t> members;
  std::vector<std::int32_t> components;
  std::vector<column> columns;
};

// Events as arrays; impulses one after another, those of event i from impulse_start[i] to
// impulse_start[i + 1].
struct event_table {
  std::vector<double> t, error, until, impulse;
  std::vector<std::int32_t> kind, index, copy, before, after;
  std::vector<std::int64_t> impulse_start;
};

struct exported {
  results *log = nullptr;
  std::vector<slice> slices;
  std::int64_t stride = 1;
  std::int64_t samples = 0;  // that are written
  bool float32 = false;
  std::int64_t log_bytes = 0;
  std::string log_crc32;  // of them, hexadecimal
  log_end end;
  event_table events;
};

// All of it but the numbers, as JSON.
std::string about_json(const exported &e);

// Each writes a file of this name; path is what messages call it. Throw run_error where the file
// cannot be written, usage_error for what the format cannot hold.
void write_hdf5(const std::string &name, const std::string &path, const exported &e);
void write_csv(const std::string &name, const std::string &path, const exported &e);
// The contacts of a pool, a line each.
void write_contacts_csv(const std::string &name, const std::string &path, const exported &e);
void write_npz(const std::string &name, const std::string &path, const exported &e);
void write_mat(const std::string &name, const std::string &path, const exported &e);
// path.pvd, and a folder of one .vtp for each sample beside it, replaced as a whole.
void write_vtp(const std::string &path, const exported &e);

}  // namespace perp::tool

#endif
