// SPDX-License-Identifier: MIT
#include "io/model_tree.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "io/error.hpp"
#include "io/file.hpp"

namespace perp::io {

namespace {

[[noreturn]] void fail(const std::string &place, const std::string &what) {
  throw model_error({place + ": " + what});
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string shortened(const std::string &text) {
  std::string shown;
  for (const char c : text) {
    if (shown.size() >= 60) return shown + "...";
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return shown;
}

// Refuse what would make a parser that calls itself go too deep: brackets within brackets, and
// dots in a key; and what is not ASCII outside of texts and comments, where toml++ 3.3 takes a
// branch that it says cannot be reached.
class depth_guard {
 public:
  depth_guard(std::string_view text, const std::string &name) : text_(text), name_(name) {}

  void look() {
    at_ = text_.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
    for (; at_ < text_.size(); at_++) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) >= 0x80) {
        refuse_letter();
      } else if (c == '#') {
        skip_to("\n");
        dots_ = 0, line_++;
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (c == '[' || c == '{') {
        if (++depth_ > model_depth) refuse("brackets within one another");
        dots_ = 0;
      } else if (c == ']' || c == '}') {
        depth_ -= depth_ > 0;
      } else if (c == '.') {
        if (++dots_ >= model_depth) refuse("dots in a key");
      } else if (c == '\n' || c == '=' || c == ',' || c == ':') {
        dots_ = 0;
        line_ += c == '\n';
      }
    }
  }

 private:
  void skip_to(std::string_view end) {
    const std::size_t found = text_.find(end, at_ + 1);
    const std::size_t stop =
        found == std::string_view::npos ? text_.size() : found + end.size() - 1;
    line_ += static_cast<std::size_t>(std::count(
        text_.begin() + static_cast<std::ptrdiff_t>(at_),
        text_.begin() + static_cast<std::ptrdiff_t>(std::min(stop, text_.size())), '\n'));
    at_ = stop;
  }
  void skip_string(char quote) {
    const std::string three(3, quote);
    if (text_.substr(at_, 3) == three) return skip_long_string(quote, three);
    while (++at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
      if (text_[at_] == '\\' && quote == '"') at_++;
    if (at_ < text_.size() && text_[at_] == '\n') line_++, dots_ = 0;
  }
  // Up to three quotes, of which two more may stand before the last ones.
  void skip_long_string(char quote, const std::string &three) {
    for (at_ += 3; at_ < text_.size() && text_.substr(at_, 3) != three; at_++) {
      line_ += text_[at_] == '\n';
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size())
        line_ += text_[++at_] == '\n';
    }
    at_ += 2;
    for (int more = 0; more < 2 && at_ + 1 < text_.size() && text_[at_ + 1] == quote; more++) at_++;
  }
  [[noreturn]] void refuse_letter() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) end++;
    std::size_t column = 1;
    for (std::size_t i = at_; i-- > 0 && text_[i] != '\n';)
      column += (static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80;
    fail(name_ + ":" + std::to_string(line_) + ":" + std::to_string(column),
         "found " +
             (end == at_ + 1 ? "a byte that is no UTF-8"
                             : "`" + std::string(text_.substr(at_, end - at_)) + "`") +
             " outside of a text, expected letters, digits, _ and -; other names stand in quotes");
  }
  [[noreturn]] void refuse(const char *what) const {
    fail(name_ + ":" + std::to_string(line_),
         "found " + std::to_string(model_depth) + " " + what + ", which is more than is read");
  }

  std::string_view text_;
  const std::string &name_;
  std::size_t at_ = 0, line_ = 1;
  int depth_ = 0, dots_ = 0;
};

using shared_name = std::shared_ptr<const std::string>;

void put_place(model_node *n, const toml::source_region &r, const shared_name &file) {
  n->file = file;
  n->line = r.begin.line;
  n->column = r.begin.column;
}

model_node from_toml(const toml::node &from, const shared_name &file) {
  model_node n;
  put_place(&n, from.source(), file);
  switch (from.type()) {
    case toml::node_type::table:
      for (const auto &[key, value] : *from.as_table()) {
        model_node::member m;
        m.name = key.str();
        put_place(&m.key, key.source(), file);
        m.node = from_toml(value, file);
        n.members.push_back(std::move(m));
      }
      std::stable_sort(n.members.begin(), n.members.end(),
                       [](const model_node::member &a, const model_node::member &b) {
                         return a.key.line != b.key.line ? a.key.line < b.key.line
                                                         : a.key.column < b.key.column;
                       });
      break;
    case toml::node_type::array:
      n.kind = model_node::list;
      for (const auto &value : *from.as_array()) n.items.push_back(from_toml(value, file));
      break;
    case toml::node_type::string:
      n.kind = model_node::text;
      n.words = from.as_string()->get();
      break;
    case toml::node_type::integer:
      n.kind = model_node::integer;
      n.whole = from.as_integer()->get();
      n.value = static_cast<double>(n.whole);
      break;
    case toml::node_type::floating_point:
      n.kind = model_node::number;
      n.value = from.as_floating_point()->get();
      break;
    case toml::node_type::boolean:
      n.kind = model_node::truth;
      n.value = from.as_boolean()->get();
      break;
    default:
      n.kind = model_node::other;
      n.words = "a date or time";
  }
  return n;
}

model_node parse_toml(std::string_view text, const std::string &name) {
  const auto file = std::make_shared<const std::string>(name);
  try {
    const toml::table root = toml::parse(text, std::string_view(name));
    return from_toml(root, file);
  } catch (const toml::parse_error &e) {
    std::string what(e.description());
    const auto at = e.source().begin;
    fail(name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column), shortened(what));
  }
}

// JSON by events, so that a name that is there twice and nesting that is too deep are seen.
class json_builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit json_builder(const std::string &name)
      : file_(std::make_shared<const std::string>(name)) {}

  bool null() override { return put(model_node::other, 0, "null"); }
  bool boolean(bool v) override { return put(model_node::truth, v ? 1 : 0); }
  bool number_integer(number_integer_t v) override { return whole(v); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return put(model_node::number, static_cast<double>(v));
    return whole(static_cast<std::int64_t>(v));
  }
  bool number_float(number_float_t v, const string_t &) override {
    return put(model_node::number, v);
  }
  bool string(string_t &v) override { return put(model_node::text, 0, v); }
  bool binary(binary_t &) override { return false; }
  bool start_object(std::size_t) override { return open(model_node::table); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(model_node::list); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    model_node &top = *open_.back();
    const bool there = top.find(name) != nullptr;
    model_node::member m;
    m.name = name;
    m.key.file = file_;
    m.key.path = top.path.empty() ? name : top.path + "." + name;
    if (there) fail(*file_, "found `" + shortened(m.key.path) + "` twice");
    top.members.push_back(std::move(m));
    return true;
  }
  bool parse_error(std::size_t, const std::string &,
                   const nlohmann::detail::exception &e) override {
    std::string what = e.what();
    what = what.substr(what.find("] ") + 2);
    fail(*file_, shortened(what));
  }

  model_node root;

 private:
  model_node *place() {
    if (open_.empty()) return &root;
    model_node &top = *open_.back();
    if (top.kind == model_node::table) {
      top.members.back().node.path = top.members.back().key.path;
      return &top.members.back().node;
    }
    top.items.emplace_back();
    top.items.back().path = top.path + "[" + std::to_string(top.items.size() - 1) + "]";
    return &top.items.back();
  }
  bool put(model_node::kinds kind, double value, const std::string &words = "") {
    model_node *n = place();
    n->kind = kind, n->value = value, n->words = words, n->file = file_;
    return true;
  }
  bool whole(std::int64_t v) {
    model_node *n = place();
    n->kind = model_node::integer, n->value = static_cast<double>(v), n->whole = v;
    n->file = file_;
    return true;
  }
  bool open(model_node::kinds kind) {
    model_node *n = place();
    n->kind = kind, n->file = file_;
    open_.push_back(n);
    return true;
  }
  bool close() { return open_.pop_back(), true; }

  std::shared_ptr<const std::string> file_;
  std::vector<model_node *> open_;  // a list or table is complete before its parent grows
};

// Take what another file has: tables are joined, nothing may be there twice.
void join(model_node *to, model_node from, int depth) {
  for (model_node::member &m : from.members) {
    model_node *there = to->find(m.name);
    if (there == nullptr) {
      to->members.push_back(std::move(m));
    } else if (depth == 0 && there->kind == model_node::table && m.node.kind == model_node::table) {
      join(there, std::move(m.node), 1);
    } else {
      fail(m.key.place(),
           "found `" + shortened(m.name) + "`, which is at " + there->place() + " already");
    }
  }
}

namespace fs = std::filesystem;

bool is_below(const fs::path &folder, const fs::path &file) {
  const auto end = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end.first == folder.end();
}

class includer {
 public:
  explicit includer(fs::path folder) : folder_(std::move(folder)) {}

  model_node read(const fs::path &path, const std::string &name) {
    std::error_code none;
    const auto bytes = fs::file_size(path, none);
    if (!none && bytes > model_bytes)
      fail(name, "found " + std::to_string(bytes) + " bytes; a model has at most 10000000");
    std::string text;
    try {
      text = load(path.string());
    } catch (const file_error &e) {
      throw model_error({e.what()});
    }
    open_.push_back(path);
    model_node root = parse_model(text, name);
    include(&root, name);
    open_.pop_back();
    return root;
  }

 private:
  void include(model_node *root, const std::string &name) {
    const auto at = std::find_if(root->members.begin(), root->members.end(),
                                 [](const model_node::member &m) { return m.name == "include"; });
    if (at == root->members.end()) return;
    model_node list = std::move(at->node);
    root->members.erase(at);
    if (list.kind == model_node::text) {
      model_node one = list;
      list.kind = model_node::list;
      list.items = {one};
    }
    for (const model_node &each : list.items)
      if (each.kind != model_node::text)
        fail(each.place(), "found " + each.shown() + ", expected the name of a file");
    if (list.kind != model_node::list)
      fail(list.place(), "found " + list.shown() + ", expected names of files");
    for (const model_node &each : list.items) {
      const fs::path beside = open_.back().parent_path() / each.words;
      std::error_code none;
      const fs::path real = fs::weakly_canonical(beside, none);
      if (none || !is_below(folder_, real))
        fail(each.place(),
             "found `" + shortened(each.words) + "`, which is not below the folder of the model");
      if (std::find(open_.begin(), open_.end(), real) != open_.end())
        fail(each.place(),
             "found `" + shortened(each.words) + "`, which includes " + name + " itself");
      if (!fs::is_regular_file(real, none))
        fail(each.place(), "found `" + shortened(each.words) + "`, and there is no such file");
      if (++files_ > 1000) fail(each.place(), "found more than 1000 includes");
      join(root, read(real, real.lexically_relative(folder_).generic_string()), 0);
    }
  }

  fs::path folder_;
  std::vector<fs::path> open_;
  int files_ = 0;
};

}  // namespace

const model_node *model_node::find(std::string_view name) const {
  for (const member &m : members)
    if (m.name == name) return &m.node;
  return nullptr;
}

model_node *model_node::find(std::string_view name) {
  for (member &m : members)
    if (m.name == name) return &m.node;
  return nullptr;
}

std::string model_node::place() const {
  if (line == 0 && !path.empty() && path.rfind("--set", 0) == 0) return path;
  std::string name = file == nullptr ? std::string("model") : *file;
  if (line > 0) return name + ":" + std::to_string(line) + ":" + std::to_string(column);
  return path.empty() ? name : name + ": " + shortened(path);
}

std::string model_node::shown() const {
  char buffer[40];
  switch (kind) {
    case table:
      return "a table";
    case list:
      return items.empty() ? "an empty list" : "a list of " + std::to_string(items.size());
    case text:
      return "text `" + shortened(words) + "`";
    case number:
      (void)std::snprintf(buffer, sizeof buffer, "%.17g", value);
      for (int digits = 1; digits < 17; digits++) {
        char shorter[40];
        (void)std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        if (std::strtod(shorter, nullptr) == value) return shorter;
      }
      return buffer;
    case integer:
      return std::to_string(whole);
    case truth:
      return value != 0 ? "true" : "false";
    case other:
      break;
  }
  return words;
}

model_node parse_model(std::string_view text, const std::string &name) {
  if (text.size() > model_bytes)
    fail(name, "found " + std::to_string(text.size()) + " bytes; a model has at most 10000000");
  depth_guard(text, name).look();
  if (!ends_with(name, ".json")) return parse_toml(text, name);
  json_builder builder(name);
  (void)nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  if (builder.root.kind != model_node::table)
    fail(name, "found " + builder.root.shown() + ", expected an object");
  return std::move(builder.root);
}

model_node load_model_tree(const std::string &path) {
  std::error_code none;
  const fs::path real = fs::weakly_canonical(path, none);
  const fs::path &file = none ? fs::path(path) : real;
  return includer(file.parent_path()).read(file, path);
}

void override_model(model_node *root, const std::string &assignment) {
  const std::string option = "--set " + shortened(assignment);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) fail(option, "expected NAME=VALUE");
  std::vector<std::string> names(1);
  for (const char c : assignment.substr(0, equals))
    if (c == '.')
      names.emplace_back();
    else
      names.back() += c;
  if (names.size() > model_depth) fail(option, "found too many dots");
  model_node value;
  const std::string written = assignment.substr(equals + 1);
  try {
    value = parse_model("value = " + written, "--set");
    if (value.members.size() != 1) throw model_error({option});
    model_node only = std::move(value.members.front().node);
    value = std::move(only);
  } catch (const model_error &) {  // an expression without quotes
    value = model_node();
    value.kind = model_node::text;
    value.words = written;
  }
  const auto put_path = [&option](auto &&self, model_node *n) -> void {
    n->line = 0, n->path = option;
    for (model_node &each : n->items) self(self, &each);
    for (model_node::member &m : n->members) self(self, &m.node);
  };
  put_path(put_path, &value);
  model_node *within = nullptr;
  std::size_t first = 0;
  if (names.size() == 1) {
    within = root->find("parameters");
    if (within == nullptr || within->find(names[0]) == nullptr)
      fail(option, "found `" + names[0] + "`, which is no parameter");
  } else if (model_node *top = root->find(names[0])) {
    within = top, first = 1;
  } else {
    for (const char *group :
         {"systems", "relations", "laws", "interactions", "guards", "schedules"}) {
      model_node *in = root->find(group);
      model_node *found = in == nullptr ? nullptr : in->find(names[0]);
      if (found == nullptr) continue;
      if (within != nullptr)
        fail(option, "found `" + names[0] + "`, which is more than one; name its table, as in " +
                         group + "." + names[0]);
      within = found, first = 1;
    }
    if (within == nullptr) fail(option, "found `" + names[0] + "`, and nothing has that name");
  }
  for (; first + 1 < names.size(); first++) {
    within = within->find(names[first]);
    if (within == nullptr || within->kind != model_node::table)
      fail(option, "found `" + names[first] + "`, and there is no such table");
  }
  if (within->kind != model_node::table) fail(option, "found no table to set a key of");
  if (model_node *there = within->find(names.back())) {
    *there = std::move(value);
  } else {
    model_node::member m;
    m.name = names.back(), m.key = value, m.node = std::move(value);
    within->members.push_back(std::move(m));
  }
}

}  // namespace perp::io
