// SPDX-License-Identifier: MIT
// What the formats of perp export share: which columns, how many samples, and all that is said of
// them beside the numbers.
#ifndef PERP_TOOL_EXPORT_HPP
#define PERP_TOOL_EXPORT_HPP

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
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

// How the numbers of a part of a contact are written; all of them are exact as doubles.
enum class number_form { i32, u32, real };

// A part of a contact of a pool: `width` numbers of each.
struct contact_part {
  const char *name;
  std::size_t width;
  number_form form;
  const char *unit, *says;
  void (*take)(const perp_log_contact &c, std::vector<double> *to);
};
const std::vector<contact_part> &contact_parts();

// The lists of the samples that are written, by the numbers of these.
void each_contact_list(const exported &e, const results::contact_list &f);
// Where the contacts of sample k begin among all of them, and behind the last their number.
std::vector<std::int64_t> contact_starts(const exported &e);
// A part of all contacts, some at a time.
void each_contact(const exported &e, const contact_part &part,
                  const std::function<void(const std::vector<double> &)> &f);

// All of it but the numbers, as JSON.
std::string about_json(const exported &e);

// @throws run_error that a file cannot be written, with the words of an errno that is not 0.
[[noreturn]] void refuse_file(const std::string &path, int error);

struct file_close {
  void operator()(std::FILE *f) const noexcept { (void)std::fclose(f); }
};
using file_handle = std::unique_ptr<std::FILE, file_close>;

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
