// SPDX-License-Identifier: MIT
#include "io/model_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace perp::io {

namespace {

std::string count_of(std::int32_t n, const char *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string shown_number(double value) {
  model_node n;
  n.kind = model_node::number, n.value = value;
  return n.shown();
}

bool is_name(const std::string &text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  if (text.empty() || !letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool reserved(const std::string &name) {
  for (const char *taken : {"t", "q", "v", "x", "z", "i", "j", "lambda", "λ", "pi", "seed"})
    if (name == taken) return true;
  for (const perp_expression_function *f = perp_expression_functions; f->name != nullptr; f++)
    if (name == f->name) return true;
  return false;
}

// A place within a text: the column of a TOML string begins at its quote.
std::string place_in(const model_node &text, std::size_t position) {
  if (text.line == 0) return text.place();
  model_node at = text;
  at.column += static_cast<std::uint32_t>(position) + 1;
  return at.place();
}

perp_expression_symbol input(const char *name, std::int32_t entries, std::int32_t first) {
  return {name, entries, first, nullptr, nullptr, nullptr, nullptr};
}

}  // namespace

std::string one_of(const std::vector<std::string> &names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); i++)
    text += (i == 0 ? "`" : i + 1 < names.size() ? ", `" : " or `") + names[i] + "`";
  return text;
}

std::string nearest(std::string_view word, const std::vector<std::string> &names) {
  perp_nearest best = {nullptr, 0};
  for (const std::string &name : names)
    perp_nearest_try(&best, word.data(), word.size(), name.c_str());
  return best.name == nullptr ? std::string() : best.name;
}

std::string suggestion(const std::string &found, const std::vector<std::string> &names) {
  const std::string near = nearest(found, names);
  if (!near.empty()) return "did you mean `" + near + "`?";
  if (names.empty()) return "and there is none";
  return "expected " + one_of(names);
}

void model_values::note_line(const std::string &line) {
  if (notes_.size() < 100 && std::find(notes_.begin(), notes_.end(), line) == notes_.end())
    notes_.push_back(line);
}

const model_node &model_values::plain(const model_node &node, const std::string &unit) {
  if (node.kind != model_node::table) return node;
  const model_node *const value = node.find("value");
  if (value == nullptr) return node;
  for (const model_node::member &m : node.members)
    if (m.name != "value" && m.name != "unit" && m.name != "says")
      note(m.key, "found `" + m.name + "`, expected `value`, `unit` or `says`");
  const model_node *const u = node.find("unit");
  if (u != nullptr && u->kind != model_node::text)
    note(*u, "found " + u->shown() + ", expected the unit as a text");
  else if (u != nullptr && !unit.empty() && u->words != unit)
    note(*u, "found unit `" + u->words + "`, expected `" + unit + "`; nothing is converted");
  return *value;
}

expression_program model_values::compile(const std::vector<const model_node *> &nodes,
                                         const std::vector<perp_expression_symbol> &symbols,
                                         const std::vector<std::int32_t> &seeds, use as) {
  std::vector<std::string> numbers(nodes.size());
  std::vector<perp_expression_text> texts;
  for (std::size_t k = 0; k < nodes.size(); k++) {
    const model_node *n = nodes[k];
    if (n == nullptr) {
      texts.push_back({"0", 1});
    } else if (n->kind == model_node::text) {
      texts.push_back({n->words.data(), n->words.size()});
    } else {
      char buffer[40];
      (void)std::snprintf(buffer, sizeof buffer, "%.17g", n->value);
      numbers[k] = buffer;
      texts.push_back({numbers[k].data(), numbers[k].size()});
    }
  }
  std::vector<perp_expression_symbol> all = constants_;
  all.insert(all.end(), symbols.begin(), symbols.end());
  if (seed_ != nullptr)
    all.push_back({"seed", 0, as == use::run ? 1 : 0, seed_.get(), nullptr, nullptr, nullptr});
  perp_expression_error error;
  expression_program program(perp_expression_compile(
      static_cast<std::int32_t>(texts.size()), texts.data(), static_cast<std::int32_t>(all.size()),
      all.data(), static_cast<std::int32_t>(seeds.size()), seeds.empty() ? nullptr : seeds.data(),
      &error));
  if (program == nullptr) {
    if (error.text < 0) {
      const auto symbol = static_cast<std::size_t>(-1 - error.text);
      note_at(place_in(*expressions_.at(all[symbol].name), error.position), error.message);
      return nullptr;
    }
    const auto which = static_cast<std::size_t>(error.text);
    if (which < nodes.size() && nodes[which] != nullptr)
      note_at(place_in(*nodes[which], error.position), error.message);
    else
      note_at("model", error.message);
  }
  return program;
}

void model_values::read_seed(const model_node *node) {
  if (node == nullptr) return;
  if (node->kind != model_node::integer || std::fabs(node->value) > 9007199254740992.0)
    return note(*node, "found `seed` = " + node->shown() + ", expected an integer within 2^53");
  seed_ = std::make_unique<double>(node->value);
}

void model_values::read_parameters(const model_node *table) {
  if (table == nullptr) return;
  if (table->kind != model_node::table)
    return note(*table, "found " + table->shown() + ", expected a table of parameters");
  for (const model_node::member &m : table->members) {
    if (!is_name(m.name))
      note(m.key, "found parameter `" + m.name + "`, expected a name of letters, digits and _");
    else if (reserved(m.name))
      note(m.key, "found parameter `" + m.name + "`, which means something else in expressions");
    else
      names_.push_back(m.name), parameters_.push_back({&m.node, 0, std::nan("")});
  }
  constants_.clear();
  for (std::size_t k = 0; k < names_.size(); k++) {
    std::vector<std::size_t> open;
    if (!evaluate_parameter(k, &open)) parameters_[k].value = std::nan(""), failed_ = true;
  }
  constants_.clear();
  for (std::size_t k = 0; k < names_.size(); k++)
    constants_.push_back(
        {names_[k].c_str(), 0, 0, &parameters_[k].value, nullptr, nullptr, nullptr});
}

bool model_values::is_free(const model_node::member &m, const char *what) {
  const bool taken = reserved(m.name) || std::any_of(constants_.begin(), constants_.end(),
                                                     [&](const perp_expression_symbol &each) {
                                                       return m.name == each.name;
                                                     });
  if (!is_name(m.name))
    note(m.key, std::string("found ") + what + " `" + m.name +
                    "`, expected a name of letters, digits and _");
  else if (taken)
    note(m.key, std::string("found ") + what + " `" + m.name +
                    "`, which means something else in expressions");
  return is_name(m.name) && !taken;
}

void model_values::add_table(const model_node::member &m, const perp_expression_table &table) {
  if (is_free(m, "table"))
    constants_.push_back(
        {keep_struct(m.name)->c_str(), 0, 0, nullptr, keep_struct(table), nullptr, nullptr});
}

void model_values::read_expressions(const model_node *table) {
  if (table == nullptr) return;
  if (table->kind != model_node::table)
    return note(*table, "found " + table->shown() + ", expected a table of expressions");
  for (const model_node::member &m : table->members) {
    const model_node &node = plain(m.node, "");
    if (!is_free(m, "expression")) continue;
    if (node.kind != model_node::text) {
      note(node, "found " + node.shown() + ", expected an expression as a text");
      continue;
    }
    const perp_expression_text text = {node.words.data(), node.words.size()};
    expressions_[m.name] = &node;
    constants_.push_back(
        {keep_struct(m.name)->c_str(), 0, 0, nullptr, nullptr, keep_struct(text), nullptr});
  }
}

void model_values::make_lists(model_node *node) {
  if (node->kind == model_node::table && node->find("repeat") != nullptr &&
      node->find("value") != nullptr)
    return make_list(node);
  for (model_node &each : node->items) make_lists(&each);
  for (model_node::member &m : node->members) make_lists(&m.node);
}

void model_values::make_list(model_node *node) {
  const model_node repeat = *node->find("repeat"), value = *node->find("value");
  for (const model_node::member &m : node->members)
    if (m.name != "repeat" && m.name != "value")
      note(m.key, "found `" + m.name + "` of a list, expected `repeat` and `value`");
  model_node empty = *node;
  empty.kind = model_node::list, empty.members.clear();
  *node = empty;
  std::int32_t count = 0;
  if (!integer(repeat, 0, &count)) return;
  const bool rows = value.kind == model_node::list;
  std::vector<const model_node *> texts = {&value};
  if (rows) texts.clear();
  for (const model_node &each : value.items) texts.push_back(&each);
  for (const model_node *const each : texts)
    if (each->kind != model_node::text && each->kind != model_node::number &&
        each->kind != model_node::integer)
      return note(*each, "found " + each->shown() + ", expected an expression, or a list of them");
  if (count >= 1) made_numbers_ += static_cast<double>(count) * static_cast<double>(texts.size());
  if (count < 1 || made_numbers_ > 1000000)
    return note(repeat, "found `repeat` = " + std::to_string(count) +
                            ", must be >= 1, and lists by repeat have at most 1000000 numbers");
  const expression_program program = compile(texts, {input("j", 0, 0)}, {}, use::once);
  if (program == nullptr) return;
  std::vector<double> values(texts.size());
  model_node one = value;
  one.kind = model_node::number, one.words.clear(), one.items.clear();
  node->items.reserve(static_cast<std::size_t>(count));
  for (std::int32_t j = 0; j < count; j++) {
    const double place = j;
    perp_expression_evaluate(program.get(), &place, values.data());
    model_node entry = one;
    if (rows) entry.kind = model_node::list;
    for (const double each : values) {
      one.value = each;
      if (rows)
        entry.items.push_back(one);
      else
        entry = one;
    }
    node->items.push_back(std::move(entry));
  }
}

void model_values::add_failed_table(const model_node::member &m) {
  static const double x[] = {0, 1}, piece[] = {std::nan(""), 0, 0, 0};
  failed_ = true;
  add_table(m, {2, 0, x, piece});
}

bool model_values::evaluate_parameter(std::size_t which, std::vector<std::size_t> *open) {
  parameter &p = parameters_[which];
  if (p.state == 2) return true;
  if (p.state == 3) return false;
  const model_node &node = plain(*p.node, "");
  if (p.state == 1) {
    std::string cycle;
    const auto first = std::find(open->begin(), open->end(), which);
    for (auto at = first; at != open->end(); ++at) cycle += "`" + names_[*at] + "` -> ";
    note(node, "found parameters that need one another: " + cycle + "`" + names_[which] + "`");
    return false;
  }
  if (open->size() >= model_depth) {
    note(node, "found parameters that need more than 64 others in a row");
    return false;
  }
  p.state = 1;
  open->push_back(which);
  bool good = false;
  if (node.kind == model_node::number || node.kind == model_node::integer) {
    p.value = node.value, good = true;
  } else if (node.kind == model_node::text) {
    std::vector<perp_expression_symbol> others;
    for (std::size_t k = 0; k < names_.size(); k++)
      others.push_back(input(names_[k].c_str(), 0, static_cast<std::int32_t>(k)));
    const expression_program program = compile({&node}, others, {}, use::once);
    good = program != nullptr;
    std::vector<double> values(names_.size(), 0.0);
    for (std::size_t k = 0; good && k < names_.size(); k++)
      if (perp_expression_reads(program.get(), static_cast<std::int32_t>(k)) != 0) {
        good = evaluate_parameter(k, open);
        values[k] = parameters_[k].value;
      }
    if (good) perp_expression_evaluate(program.get(), values.data(), &p.value);
  } else {
    note(node, "found " + node.shown() + ", expected a number or an expression");
  }
  if (good && !std::isfinite(p.value)) {
    note(node, "found parameter `" + names_[which] + "` = " + shown_number(p.value) +
                   ", expected a finite number");
    good = false;
  }
  open->pop_back();
  p.state = good ? 2 : 3;
  return good;
}

bool model_values::number(const model_node &node, double index, double *out) {
  if (node.kind == model_node::number || node.kind == model_node::integer) {
    *out = node.value;
    return true;
  }
  if (node.kind != model_node::text) {
    note(node, "found " + node.shown() + ", expected a number or an expression");
    return false;
  }
  auto at = compiled_.find(&node);
  if (at == compiled_.end())
    at = compiled_.emplace(&node, compile({&node}, {input("i", 0, 0)}, {}, use::once)).first;
  if (at->second == nullptr) return false;
  perp_expression_evaluate(at->second.get(), &index, out);
  return !failed_ || !std::isnan(*out);
}

bool model_values::integer(const model_node &node, double index, std::int32_t *out) {
  double value = 0;
  if (!number(node, index, &value)) return false;
  if (!(std::fabs(value) <= 2147483647.0) || value != std::floor(value)) {
    note(node, "found " + shown_number(value) + ", expected an integer");
    return false;
  }
  *out = static_cast<std::int32_t>(value);
  return true;
}

bool model_values::choose(const model_node &node, const std::vector<std::string> &names,
                          const char *what, std::string *out) {
  if (node.kind == model_node::text &&
      std::find(names.begin(), names.end(), node.words) != names.end()) {
    *out = node.words;
    return true;
  }
  if (node.kind == model_node::text)
    note(node, "found `" + node.words + "`, not " + what + "; " + suggestion(node.words, names));
  else
    note(node, "found " + node.shown() + ", expected " + what + ": " + one_of(names));
  return false;
}

// A derivative of a function of a plug-in; noted where it is none.
bool model_values::is_derivative(const model_node &table, const kind &of,
                                 const model_node::member &m) {
  for (const key &k : of.keys)
    for (const derivative &d : k.derivatives) {
      if (d.field != m.name) continue;
      const model_node *const function = table.find(k.name);
      if (function == nullptr || !names_function(*function))
        note(m.key, "found `" + m.name + "`, which goes with a function of a plug-in as `" +
                        k.name + "`; derivatives of expressions are exact");
      else if (!names_function(m.node))
        note(m.node,
             "found " + m.node.shown() + ", expected a function of a plug-in as `" + k.name + "`");
      return true;
    }
  return false;
}

bool model_values::choose(const model_node &node, const key &k, std::int32_t *out) {
  std::vector<std::string> names;
  for (const choice &c : k.choices) names.emplace_back(c.name);
  std::string chosen;
  if (!choose(node, names, ("a value of `" + k.name + "`").c_str(), &chosen)) return false;
  for (const choice &c : k.choices)
    if (chosen == c.name) *out = c.value;
  return true;
}

bool model_values::check_keys(const model_node &table, const kind &of,
                              const std::vector<std::string> &besides) {
  for (const model_node::member &m : table.members) {
    if (find_key(of, m.name) != nullptr) continue;
    if (std::find(besides.begin(), besides.end(), m.name) != besides.end()) continue;
    if (is_derivative(table, of, m)) continue;
    std::vector<std::string> names = besides;
    for (const key &k : of.keys) names.push_back(k.name);
    note(m.key, "found key `" + m.name + "`, which `" + of.name + "` has not; " +
                    suggestion(m.name, names));
  }
  bool complete = true;
  for (const key &k : of.keys)
    if (k.needed && table.find(k.name) == nullptr) {
      note(table, "found no `" + k.name + "`, which `" + of.name + "` needs");
      complete = false;
    }
  return complete;
}

bool model_values::in_range(const model_node &node, const key &k, double value) {
  if (std::isnan(value) || (!k.infinite && std::isinf(value))) {
    note(node, "found `" + k.name + "` = " + shown_number(value) + ", expected a finite number");
    return false;
  }
  const bool low = k.above ? value > k.low : value >= k.low;
  if (low && value <= k.high) return true;
  std::string allowed;
  if (std::isfinite(k.low)) allowed = (k.above ? "> " : ">= ") + shown_number(k.low);
  if (std::isfinite(k.high))
    allowed += (allowed.empty() ? "<= " : " and <= ") + shown_number(k.high);
  note(node, "found `" + k.name + "` = " + shown_number(value) + ", must be " + allowed);
  return false;
}

std::int32_t model_values::size_of(const std::string &shape, const sizes &dims) {
  const std::size_t space = shape.find(' ');
  const std::string name = shape.substr(0, space);
  std::int32_t value = 0;
  if (name[0] >= '0' && name[0] <= '9') {
    value = static_cast<std::int32_t>(std::strtol(name.c_str(), nullptr, 10));
  } else {
    const auto at = dims.find(name);
    if (at == dims.end()) return -1;
    value = at->second;
  }
  if (space != std::string::npos) value += shape[space + 1] == '-' ? -1 : 1;
  return value;
}

bool model_values::is_room(const model_node &node, double numbers) {
  read_numbers_ += numbers;
  if (read_numbers_ <= 5e7) return true;
  note(node, "found more than 50000000 numbers in the lists of all that is repeated");
  return false;
}

bool model_values::matrix(const model_node &node, const key &k, double index, std::int32_t rows,
                          std::int32_t cols, std::vector<double> *out) {
  if (node.kind != model_node::list) {
    note(node, "found " + node.shown() + ", expected `" + k.name + "` as a list of " +
                   (k.cols == "1" ? count_of(rows, "number") : count_of(rows, "row")));
    return false;
  }
  const auto size = static_cast<std::int32_t>(node.items.size());
  if (size != rows) {
    note(node, "found " + node.shown() + ", expected `" + k.name + "` with " +
                   count_of(rows, k.cols == "1" ? "number" : "row"));
    return false;
  }
  bool good = true;
  if (k.cols != "1")  // before anything is allocated
    for (const model_node &row : node.items)
      if (row.kind != model_node::list || static_cast<std::int32_t>(row.items.size()) != cols) {
        note(row, "found " + row.shown() + ", expected a row of `" + k.name + "` with " +
                      count_of(cols, "number"));
        good = false;
      }
  if (!good || !is_room(node, static_cast<double>(rows) * cols)) return false;
  out->assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), 0.0);
  for (std::int32_t i = 0; i < rows; i++) {
    const model_node &row = node.items[static_cast<std::size_t>(i)];
    if (k.cols == "1") {
      double value = 0;
      const bool read = number(row, index, &value) && in_range(row, k, value);
      (*out)[static_cast<std::size_t>(i)] = value;
      good = good && read;
      continue;
    }
    for (std::int32_t j = 0; j < cols; j++) {
      double value = 0;
      const model_node &entry = row.items[static_cast<std::size_t>(j)];
      const bool read = number(entry, index, &value) && in_range(entry, k, value);
      (*out)[static_cast<std::size_t>(i) +
             static_cast<std::size_t>(rows) * static_cast<std::size_t>(j)] = value;
      good = good && read;
    }
  }
  return good;
}

const double *model_values::keep(std::vector<double> values) {
  arrays_.push_back(std::move(values));
  return arrays_.back().data();
}

namespace {

template <class T>
void store(char *at, const key &k, const T &value) {
  std::memcpy(at + k.offset, &value, sizeof value);
}

}  // namespace

// Blocks that add up, as those of finite elements: each at the rows and columns of its index.
bool model_values::elements(const model_node &node, const key &k, double index, std::int32_t rows,
                            std::int32_t cols, perp_matrix *out) {
  for (const model_node::member &m : node.members)
    if (m.name != "repeat" && m.name != "index" && m.name != "values")
      note(m.key, "found key `" + m.name + "` of blocks, expected `repeat`, `index` or `values`");
  const model_node *const places = node.find("index"), *const block = node.find("values");
  const std::size_t m = places == nullptr ? 0 : places->items.size();
  bool good = m > 0 && m <= 64 && block != nullptr && block->items.size() == m;
  std::vector<const model_node *> texts;
  if (good)
    for (const model_node &each : places->items) texts.push_back(&each);
  if (good)
    for (const model_node &row : block->items) {
      good = good && row.items.size() == m;
      for (const model_node &each : row.items) texts.push_back(&each);
    }
  for (const model_node *const each : texts)
    good = good && (each->kind == model_node::text || each->kind == model_node::number ||
                    each->kind == model_node::integer);
  std::int32_t count = 0;
  if (!good) {
    note(node, "found blocks of `" + k.name +
                   "`, expected `index`, a list of expressions, and `values`, as many rows of as "
                   "many");
    return false;
  }
  if (!integer(*node.find("repeat"), index, &count)) return false;
  if (count < 1 || static_cast<double>(count) * static_cast<double>(m * m) > 10000000) {
    note(*node.find("repeat"), "found `repeat` = " + std::to_string(count) +
                                   ", must be >= 1, with at most 10000000 numbers in all blocks");
    return false;
  }
  const expression_program program =
      compile(texts, {input("i", 0, 0), input("j", 0, 1)}, {}, use::once);
  if (program == nullptr || !is_room(node, static_cast<double>(count) * static_cast<double>(m * m)))
    return false;
  struct entry {
    std::int32_t row, col;
    double value;
  };
  std::vector<entry> entries;
  std::vector<double> values(texts.size());
  for (std::int32_t j = 0; j < count; j++) {
    const double inputs[] = {index, static_cast<double>(j)};
    perp_expression_evaluate(program.get(), inputs, values.data());
    for (std::size_t a = 0; a < m; a++) {
      const double at = values[a];
      if (at >= 0 && at < std::min(rows, cols) && at == std::floor(at)) continue;
      note(places->items[a], "found " + shown_number(at) + ", expected an integer from 0 to " +
                                 std::to_string(std::min(rows, cols) - 1));
      return false;
    }
    for (std::size_t a = 0; a < m; a++)
      for (std::size_t b = 0; b < m; b++)
        entries.push_back({static_cast<std::int32_t>(values[a]),
                           static_cast<std::int32_t>(values[b]), values[m + a * m + b]});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const entry &a, const entry &b) {
    return a.row != b.row ? a.row < b.row : a.col < b.col;
  });
  auto *const start = keep_struct(std::vector<std::int32_t>());
  auto *const column = keep_struct(std::vector<std::int32_t>());
  std::vector<double> sums;
  std::size_t at = 0;
  for (std::int32_t row = 0; row < rows; row++) {
    start->push_back(static_cast<std::int32_t>(sums.size()));
    for (; at < entries.size() && entries[at].row == row; at++)
      if (static_cast<std::size_t>(start->back()) < sums.size() &&
          column->back() == entries[at].col)
        sums.back() += entries[at].value;
      else
        column->push_back(entries[at].col), sums.push_back(entries[at].value);
  }
  start->push_back(static_cast<std::int32_t>(sums.size()));
  *out = perp_sparse_rows(rows, cols, start->data(), column->data(), keep(std::move(sums)));
  return true;
}

bool model_values::one_key(const model_node &given, const key &k, double index, sizes *dims,
                           char *at) {
  const model_node &node = plain(given, k.unit);
  double value = 0;
  switch (k.what) {
    case holds::number:
      for (const choice &c : k.choices)
        if (node.kind == model_node::text && node.words == c.name)
          return store(at, k, static_cast<double>(c.value)), true;
      if (!number(node, index, &value) || !in_range(node, k, value)) return false;
      store(at, k, value);
      return true;
    case holds::integer: {
      std::int32_t whole = 0;
      if (!integer(node, index, &whole) || !in_range(node, k, whole)) return false;
      store(at, k, whole);
      if (k.name == "size") (*dims)["size"] = whole;
      return true;
    }
    case holds::truth:
      if (node.kind != model_node::truth) {
        note(node, "found " + node.shown() + ", expected true or false");
        return false;
      }
      store(at, k, static_cast<std::int32_t>(node.value));
      return true;
    case holds::option: {
      std::int32_t chosen = 0;
      if (!choose(node, k, &chosen)) return false;
      if (k.pointer != nullptr)
        store(at, k, k.pointer(chosen));
      else
        store(at, k, chosen);
      return true;
    }
    case holds::numbers:
    case holds::array: {
      if (node.kind != model_node::list) {
        note(node, "found " + node.shown() + ", expected `" + k.name + "` as a list");
        return false;
      }
      std::int32_t rows = size_of(k.rows, *dims);
      if (rows < 0) (*dims)[k.rows] = rows = static_cast<std::int32_t>(node.items.size());
      const std::int32_t cols = size_of(k.cols, *dims);
      if (cols < 0) {
        note(node, "found `" + k.name + "`, which needs `z` beside it");
        return false;
      }
      std::vector<double> values;
      if (!matrix(node, k, index, rows, cols, &values)) return false;
      if (k.what == holds::numbers) {
        std::memcpy(at + k.offset, values.data(), values.size() * sizeof(double));
      } else {
        store(at, k, keep(std::move(values)));
      }
      return true;
    }
    case holds::indices: {
      if (node.kind != model_node::list ||
          static_cast<std::int32_t>(node.items.size()) != size_of(k.rows, *dims)) {
        note(node, "found " + node.shown() + ", expected `" + k.name + "` as a list of " +
                       count_of(size_of(k.rows, *dims), "integer"));
        return false;
      }
      auto *const whole = keep_struct(std::vector<std::int32_t>(node.items.size()));
      bool good = true;
      for (std::size_t j = 0; j < whole->size(); j++)
        good = integer(node.items[j], index, &(*whole)[j]) && good;
      store(at, k, static_cast<const std::int32_t *>(whole->data()));
      return good;
    }
    case holds::operation: {
      perp_matrix view = perp_dense(0, 0, nullptr);
      if (node.kind == model_node::table && node.find("repeat") != nullptr) {
        if (!elements(node, k, index, size_of(k.rows, *dims), size_of(k.cols, *dims), &view))
          return false;
        store(at, k, view);
        return true;
      }
      if (node.kind == model_node::table) {
        for (const model_node::member &m : node.members)
          if (m.name != "start" && m.name != "index" && m.name != "values")
            note(m.key, "found key `" + m.name +
                            "` of sparse rows, expected `start`, `index` or `values`");
        const model_node *const start = node.find("start"), *const column = node.find("index"),
                                *const entries = node.find("values");
        if (start == nullptr || column == nullptr || entries == nullptr ||
            start->kind != model_node::list || column->kind != model_node::list ||
            entries->kind != model_node::list) {
          note(node,
               "found " + node.shown() + ", expected sparse rows: lists start, index, values");
          return false;
        }
        const std::int32_t rows = size_of(k.rows, *dims), cols = size_of(k.cols, *dims);
        auto *const whole = keep_struct(std::vector<std::int32_t>());
        auto *const places = keep_struct(std::vector<std::int32_t>());
        std::vector<double> values(entries->items.size());
        bool good = true;
        const auto integers = [&](const model_node &list, std::vector<std::int32_t> *out) {
          for (const model_node &each : list.items) {
            std::int32_t one = 0;
            good = integer(each, index, &one) && good;
            out->push_back(one);
          }
        };
        integers(*start, whole);
        integers(*column, places);
        for (std::size_t j = 0; j < values.size(); j++)
          good = number(entries->items[j], index, &values[j]) && good;
        if (!good) return false;
        if (static_cast<std::int32_t>(whole->size()) != rows + 1 || whole->back() < 0 ||
            static_cast<std::size_t>(whole->back()) != values.size() ||
            places->size() != values.size()) {
          note(node, "found sparse rows of `" + k.name + "` whose lists do not fit: start has " +
                         std::to_string(rows + 1) +
                         " entries, the last of which is how many index and values have");
          return false;
        }
        view = perp_sparse_rows(rows, cols, whole->data(), places->data(), keep(std::move(values)));
        store(at, k, view);
        return true;
      }
      if (node.kind != model_node::list || node.items.empty()) {
        note(node, "found " + node.shown() + ", expected `" + k.name +
                       "` as a list (diagonal), a list of rows, or sparse rows");
        return false;
      }
      std::int32_t rows = size_of(k.rows, *dims);
      if (rows < 0) (*dims)[k.rows] = rows = static_cast<std::int32_t>(node.items.size());
      const std::int32_t cols = size_of(k.cols, *dims);
      key shape = k;
      const bool diagonal = node.items[0].kind != model_node::list;
      if (diagonal && rows != cols) {
        note(node, "found " + node.shown() + ", expected `" + k.name + "` as a list of rows");
        return false;
      }
      shape.cols = diagonal ? "1" : "cols";
      std::vector<double> values;
      if (!matrix(node, shape, index, rows, diagonal ? 1 : cols, &values)) return false;
      const double *const kept = keep(std::move(values));
      view = diagonal ? perp_diagonal(rows, kept) : perp_dense(rows, cols, kept);
      store(at, k, view);
      return true;
    }
    default:
      return true;
  }
}

void model_values::fill(const model_node &table, const kind &of, double index, sizes dims, void *at,
                        bool *ok) {
  char *const bytes = static_cast<char *>(at);
  for (const key &k : of.keys)
    if (!k.length.empty())
      if (const model_node *const list = table.find(k.name))
        if (list->kind == model_node::list) {
          const auto size = static_cast<std::int32_t>(list->items.size());
          dims[k.rows] = size;
        }
  for (const key &k : of.keys) {
    const model_node *const node = table.find(k.name);
    if (node == nullptr || k.offset == nowhere) continue;
    if (k.what == holds::function || k.what == holds::part) continue;
    if (!one_key(*node, k, index, &dims, bytes)) *ok = false;
    if (!k.length.empty() && k.length_offset != nowhere) {
      const std::int32_t size = size_of(k.rows, dims);
      std::memcpy(bytes + k.length_offset, &size, sizeof size);
    }
  }
}

void model_values::list_functions(const model_node &node, const key &k, std::int32_t rows,
                                  std::int32_t cols, std::vector<const model_node *> *out,
                                  bool *ok) {
  const auto size = static_cast<std::int32_t>(node.items.size());
  const bool flat = k.cols == "1";
  if (rows < 0) rows = size;
  if (node.kind != model_node::list || size != rows) {
    note(node, "found " + node.shown() + ", expected `" + k.name + "` as a list of " +
                   count_of(rows, flat ? "expression" : "row"));
    *ok = false;
    return;
  }
  const auto is_function = [this, ok](const model_node &each) {
    if (each.kind == model_node::text || each.kind == model_node::number ||
        each.kind == model_node::integer)
      return;
    note(each, "found " + each.shown() + ", expected an expression");
    *ok = false;
  };
  if (!flat)
    for (const model_node &row : node.items)
      if (row.kind != model_node::list || static_cast<std::int32_t>(row.items.size()) != cols) {
        note(row, "found " + row.shown() + ", expected a row of `" + k.name + "` with " +
                      count_of(cols, "expression"));
        *ok = false;
      }
  if (!*ok) return;
  out->assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(flat ? 1 : cols), nullptr);
  for (std::int32_t i = 0; i < rows; i++) {
    const model_node &row = node.items[static_cast<std::size_t>(i)];
    if (flat) {
      is_function(row);
      (*out)[static_cast<std::size_t>(i)] = &row;
      continue;
    }
    for (std::int32_t j = 0; j < cols; j++) {
      const model_node &entry = row.items[static_cast<std::size_t>(j)];
      is_function(entry);
      (*out)[static_cast<std::size_t>(i) +
             static_cast<std::size_t>(rows) * static_cast<std::size_t>(j)] = &entry;
    }
  }
}

namespace {

bool reads(const std::string &list, const std::string &name) {
  return (" " + list + " ").find(" " + name + " ") != std::string::npos;
}

void set_function(void *at, std::size_t offset, any_function f) {
  std::memcpy(static_cast<char *>(at) + offset, &f, sizeof f);
}

}  // namespace

void model_values::not_parameters(const model_node &at,
                                  const std::vector<perp_expression_symbol> &symbols, bool *ok) {
  for (const perp_expression_symbol &each : symbols)
    if (std::find(names_.begin(), names_.end(), each.name) != names_.end()) {
      note(at, "found parameter `" + std::string(each.name) +
                   "`, which means something else in these expressions; call it otherwise");
      *ok = false;
    }
}

void model_values::functions(const model_node &table, const kind &of, double index,
                             const sizes &dims, const input_layout &layout, std::int32_t order,
                             void *at, bool *ok) {
  callbacks_ = nullptr;
  std::vector<const key *> given;
  for (const key &k : of.keys)
    if (k.what == holds::function && table.find(k.name) != nullptr) given.push_back(&k);
  if (given.empty()) return;
  const std::vector<std::int32_t> shape = {layout.n_q,        layout.n_v, layout.n_x,
                                           layout.n_lambda,   layout.n_z, layout.n_s,
                                           size_of("m", dims)};
  auto &programs = programs_[{&table, shape}];
  const bool made = programs != nullptr;
  if (!made) programs = std::make_unique<model_programs>(), programs->layout = layout;
  std::size_t slot = 0;
  const double *z = nullptr;
  if (const key *const k = find_key(of, "z"); k != nullptr && layout.n_z > 0)
    std::memcpy(&z, static_cast<const char *>(at) + k->offset, sizeof z);
  const auto refer = [&](const model_node &node, const wanted_function &wanted,
                         std::size_t offset) {
    std::string why;
    const found_function found = plugins.find(node.words, wanted, &why);
    if (found.function == nullptr) {
      note(node, "found `" + node.words + "`, " + why);
      *ok = false;
      return;
    }
    programs->reads_index = true;
    if (found.call == nullptr) return set_function(at, offset, found.function);
    if (!made) {
      programs->slots.emplace_back();
      programs->slots.back().other = found.function, programs->slots.back().call = found.call;
    }
    set_function(at, offset, callback(wanted.called, slot++));
  };
  for (const key *const k : given) {
    const signature called =
        k->called == signature::state && order == 1 ? signature::state_x : k->called;
    const auto columns = [&](const derivative &d) {
      if (d.by == "q" && layout.bodies > 0) return 6 * layout.bodies;
      if (d.by == "q") return layout.n_q;
      if (d.by == "v" && order == 2) return layout.n_v;
      if (d.by == "lambda") return layout.n_lambda;
      return d.by == "t" ? 0 : layout.n_x;
    };
    if (const model_node &node = *table.find(k->name); names_function(node)) {
      wanted_function wanted;
      wanted.of = &of, wanted.field = k->field, wanted.called = called, wanted.reads = k->reads;
      wanted.rows = size_of(k->rows, dims), wanted.layout = layout;
      if (k->cols != "1") wanted.cols = size_of(k->cols, dims);
      refer(node, wanted, k->offset);
      for (const derivative &d : k->derivatives)
        if (const model_node *const given_d = table.find(d.field);
            given_d != nullptr && names_function(*given_d) && *ok) {
          wanted.field = d.field, wanted.jacobian = called == signature::body;
          wanted.cols = wanted.jacobian ? 6 : columns(d);
          refer(*given_d, wanted, d.offset);
        }
      if (!*ok) return;
      continue;
    }
    std::vector<const model_node *> nodes;
    std::vector<perp_expression_symbol> symbols = {input("i", 0, layout.index())};
    const auto may = [&](const char *name, std::int32_t entries, std::int32_t first) {
      if (entries > 0 && reads(k->reads, name)) symbols.push_back(input(name, entries, first));
    };
    if (reads(k->reads, "t")) symbols.push_back(input("t", 0, 0));
    may("q", layout.n_q, layout.q());
    may("v", layout.n_v, layout.v());
    may("x", layout.n_x, layout.x());
    may("lambda", layout.n_lambda, layout.lambda());
    if (reads(k->reads, "lambda")) {
      if (layout.n_lambda > 0) symbols.push_back(input("λ", layout.n_lambda, layout.lambda()));
    }
    may("z", layout.n_z, layout.z());
    if (layout.n_y > 0) {
      may("y", layout.n_y, layout.y());
      may("ydot", layout.n_y, layout.ydot());
      may("s", layout.n_s, layout.s());
      if (reads(k->reads, "h")) symbols.push_back(input("h", 0, layout.h()));
      if (!made) not_parameters(*table.find(k->name), symbols, ok);
      if (!*ok) return;
    }
    const auto add = [&](const std::vector<std::int32_t> &seeds, bool increments) {
      if (!made) {
        model_slot s;
        s.program = compile(nodes, symbols, seeds, use::run);
        if (s.program == nullptr)
          *ok = false;
        else if (perp_expression_reads(s.program.get(), layout.index()) != 0)
          programs->reads_index = true;
        s.texts = static_cast<std::int32_t>(nodes.size());
        s.seeds = static_cast<std::int32_t>(seeds.size());
        s.by_increments = increments;
        programs->slots.push_back(std::move(s));
      }
      return slot++;
    };
    const auto range = [](std::int32_t first, std::int32_t count) {
      std::vector<std::int32_t> all(static_cast<std::size_t>(count));
      std::iota(all.begin(), all.end(), first);
      return all;
    };
    if (!made)
      list_functions(*table.find(k->name), *k, size_of(k->rows, dims),
                     std::max(size_of(k->cols, dims), 1), &nodes, ok);
    if (!*ok) return;
    const auto remember = [&](const derivative *by, std::size_t at_slot) {
      if (!made) functions_.push_back({&table, programs.get(), k, by, at_slot, called});
    };
    const std::size_t value = add({}, false);
    if (!*ok) return;
    set_function(at, k->offset, callback(called, value));
    remember(nullptr, value);
    if (called == signature::body) {
      const std::size_t by_q = add(range(layout.q(), layout.n_q), true);
      (void)add(range(layout.v(), layout.n_v), false);
      for (const derivative &d : k->derivatives) {
        set_function(at, d.offset, body_jacobian(by_q));
        remember(&d, by_q);
      }
      continue;
    }
    for (const derivative &d : k->derivatives) {
      std::string by = d.by;
      if (order == 1 && by == "q") continue;
      if (order == 1 && by == "v") by = "x";
      std::vector<std::int32_t> seeds;
      if (by == "t") seeds = {0};
      if (by == "q") seeds = range(layout.q(), layout.n_q);
      if (by == "v") seeds = range(layout.v(), layout.n_v);
      if (by == "x") seeds = range(layout.x(), layout.n_x);
      if (by == "lambda") seeds = range(layout.lambda(), layout.n_lambda);
      const std::size_t derived = add(seeds, by == "q" && layout.bodies > 0);
      set_function(at, d.offset, callback(called, derived));
      if (!*ok) return;
      remember(&d, derived);
    }
  }
  const double told = programs->reads_index ? index : 0.0;
  auto &made_of = made_[{programs.get(), told}];
  if (made_of == nullptr)
    made_of = std::make_unique<model_callbacks>(model_callbacks{told, programs.get(), z});
  callbacks_ = made_of.get();
  if (of.user != nowhere) {
    void *const user = made_of.get();
    std::memcpy(static_cast<char *>(at) + of.user, &user, sizeof user);
  }
}

}  // namespace perp::io
