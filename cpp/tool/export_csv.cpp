// SPDX-License-Identifier: MIT
// perp export: CSV.
#include <cerrno>
#include <charconv>

#include "tool/export.hpp"

namespace perp::tool {

namespace {

std::string cell(const std::string &text) {
  if (text.find_first_of("\",\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// The fewest digits that read back to the same number.
template <class Number>
void add_number(std::string *to, Number x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x);
  to->append(text, end.ptr);
}

}  // namespace

void write_csv(const std::string &name, const std::string &path, const exported &e) {
  const file_handle to(std::fopen(name.c_str(), "wb"));
  if (to == nullptr) refuse_file(path, errno);
  std::vector<column> columns;
  std::string text = "t";
  for (const slice &s : e.slices)
    for (const column &c : s.columns) {
      columns.push_back(c);
      text += "," + cell(c.name);
    }
  text += "\n";
  const auto put = [&] {
    if (std::fwrite(text.data(), 1, text.size(), to.get()) != text.size()) refuse_file(path, errno);
    text.clear();
  };
  e.log->each(
      columns,
      [&](std::int64_t count, const double *times, const double *values) {
        for (std::int64_t k = 0; k < count; k++) {
          add_number(&text, times[k]);
          for (std::size_t i = 0; i < columns.size(); i++) {
            text += ',';
            if (e.float32)
              add_number(&text, static_cast<float>(*values++));
            else
              add_number(&text, *values++);
          }
          text += '\n';
        }
        put();
      },
      e.stride);
  put();
  if (std::fflush(to.get()) != 0) refuse_file(path, errno);
}

void write_contacts_csv(const std::string &name, const std::string &path, const exported &e) {
  const file_handle to(std::fopen(name.c_str(), "wb"));
  if (to == nullptr) refuse_file(path, errno);
  const std::vector<std::string> systems = e.log->systems();
  std::string text =
      "t,sample,first,second,identity.0,identity.1,law,rows,gap,point.x,point.y,point.z,normal.x,"
      "normal.y,normal.z,tangent.x,tangent.y,tangent.z,lambda.0,lambda.1,lambda.2,lambda.3,"
      "lambda.4\n";
  const auto put = [&] {
    if (std::fwrite(text.data(), 1, text.size(), to.get()) != text.size()) refuse_file(path, errno);
    text.clear();
  };
  const auto add_system = [&](std::int32_t i) {
    text += ',';
    if (i >= 0 && static_cast<std::size_t>(i) < systems.size() &&
        !systems[static_cast<std::size_t>(i)].empty())
      text += cell(systems[static_cast<std::size_t>(i)]);
    else if (i >= 0)
      add_number(&text, i);
  };
  const auto add = [&](const double *values, std::size_t n) {
    for (std::size_t i = 0; i < n; i++) {
      text += ',';
      if (e.float32)
        add_number(&text, static_cast<float>(values[i]));
      else
        add_number(&text, values[i]);
    }
  };
  each_contact_list(
      e, [&](std::int64_t sample, double t, const perp_log_contact *list, std::int32_t n) {
        for (const perp_log_contact *c = list; c != list + n; c++) {
          add_number(&text, t);
          text += ',';
          add_number(&text, sample);
          for (const std::int32_t i : c->systems) add_system(i);
          for (const std::uint32_t i : c->identity) {
            text += ',';
            add_number(&text, i);
          }
          for (const std::int32_t i : {c->law, c->rows}) {
            text += ',';
            add_number(&text, i);
          }
          add(&c->gap, 1), add(c->point, 3), add(c->normal, 3), add(c->tangent, 3);
          add(c->lambda, 5);
          text += '\n';
        }
        put();
      });
  put();
  if (std::fflush(to.get()) != 0) refuse_file(path, errno);
}

}  // namespace perp::tool
