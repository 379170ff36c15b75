// SPDX-License-Identifier: MIT
// Names, expressions and numbers of a model file.
#include "io/model_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace perp::io {

namespace {

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

}  // namespace

std::string shown_number(double value) {
  model_node n;
  n.kind = model_node::number, n.value = value;
  return n.shown();
}

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
  std::vector<double> places(nodes.size());
  bool made = false;
  for (std::size_t k = 0; k < nodes.size(); k++)
    if (nodes[k] != nullptr && nodes[k]->kind == model_node::text && nodes[k]->whole != 0)
      made = true, places[k] = nodes[k]->value;
  if (made)
    all.push_back({"j", PERP_EXPRESSION_BY_TEXT, 0, places.data(), nullptr, nullptr, nullptr});
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

void model_values::make_lists(model_node *node, bool functions) {
  if (node->kind == model_node::table && node->find("repeat") != nullptr &&
      node->find("value") != nullptr)
    return make_list(node, functions);
  for (model_node &each : node->items) make_lists(&each, functions);
  for (model_node::member &m : node->members) make_lists(&m.node, functions);
}

void model_values::make_list(model_node *node, bool functions) {
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
  node->items.reserve(static_cast<std::size_t>(count));
  if (functions) {
    for (std::int32_t j = 0; j < count; j++) {
      node->items.push_back(value);
      model_node &made = node->items.back();
      for (std::size_t k = 0; k < texts.size(); k++)
        if (model_node &each = rows ? made.items[k] : made; each.kind == model_node::text)
          each.value = j, each.whole = 1;
    }
    return;
  }
  const expression_program program = compile(texts, {input("j", 0, 0)}, {}, use::once);
  if (program == nullptr) return;
  std::vector<double> values(texts.size());
  model_node one = value;
  one.kind = model_node::number, one.words.clear(), one.items.clear();
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

}  // namespace perp::io
