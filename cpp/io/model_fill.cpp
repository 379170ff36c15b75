// SPDX-License-Identifier: MIT
// The structs of C from tables: their keys, lists and matrices.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/model_values.hpp"

namespace perp::io {

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

// Blocks that add up, as those of finite elements: each at the rows and columns of its index; its
// values are rows, a list (diagonal), or one expression of row and column.
bool model_values::elements(const model_node &node, const key &k, double index, std::int32_t rows,
                            std::int32_t cols, perp_matrix *out) {
  for (const model_node::member &m : node.members)
    if (m.name != "repeat" && m.name != "index" && m.name != "values")
      note(m.key, "found key `" + m.name + "` of blocks, expected `repeat`, `index` or `values`");
  const model_node *const places = node.find("index"), *const block = node.find("values");
  const std::size_t m = places == nullptr ? 0 : places->items.size();
  bool good = m > 0 && m <= 64 && block != nullptr;
  const bool formula = good && block->kind == model_node::text;
  const bool diagonal =
      good && !formula && block->items.size() == m && block->items.front().kind != model_node::list;
  good = good && (formula || block->items.size() == m);
  std::vector<const model_node *> texts;
  if (good)
    for (const model_node &each : places->items) texts.push_back(&each);
  if (formula) texts.push_back(block);
  if (good && !formula)
    for (const model_node &row : block->items) {
      good = good && (diagonal || row.items.size() == m);
      if (diagonal) texts.push_back(&row);
      for (const model_node &each : row.items) texts.push_back(&each);
    }
  for (const model_node *const each : texts)
    good = good && (each->kind == model_node::text || each->kind == model_node::number ||
                    each->kind == model_node::integer);
  std::int32_t count = 0;
  if (!good) {
    note(node, "found blocks of `" + k.name +
                   "`, expected `index`, a list of expressions, and `values`, as many rows of as "
                   "many, as many (diagonal), or one expression of row and column");
    return false;
  }
  if (!integer(*node.find("repeat"), index, &count)) return false;
  const std::size_t each_block = diagonal ? m : m * m;
  const double numbers = static_cast<double>(count) * static_cast<double>(each_block);
  if (count < 1 || numbers > 10000000) {
    note(*node.find("repeat"), "found `repeat` = " + std::to_string(count) +
                                   ", must be >= 1, with at most 10000000 numbers in all blocks");
    return false;
  }
  const expression_program program = compile(
      texts, {input("i", 0, 0), input("j", 0, 1), input("row", 0, 2), input("column", 0, 3)}, {},
      use::once);
  if (program == nullptr || !is_room(node, numbers)) return false;
  struct entry {
    std::int32_t row, col;
    double value;
  };
  std::vector<entry> entries;
  std::vector<double> values(texts.size()), where(m);
  for (std::int32_t j = 0; j < count; j++) {
    double inputs[] = {index, static_cast<double>(j), 0, 0};
    perp_expression_evaluate(program.get(), inputs, values.data());
    std::copy_n(values.begin(), m, where.begin());
    for (std::size_t a = 0; a < m; a++) {
      if (where[a] >= 0 && where[a] < std::min(rows, cols) && where[a] == std::floor(where[a]))
        continue;
      note(places->items[a], "found " + shown_number(where[a]) +
                                 ", expected an integer from 0 to " +
                                 std::to_string(std::min(rows, cols) - 1));
      return false;
    }
    for (std::size_t e = 0; e < each_block; e++) {
      const std::size_t a = diagonal ? e : e / m, b = diagonal ? e : e % m;
      inputs[2] = static_cast<double>(a), inputs[3] = static_cast<double>(b);
      if (formula) perp_expression_evaluate(program.get(), inputs, values.data());
      entries.push_back({static_cast<std::int32_t>(where[a]), static_cast<std::int32_t>(where[b]),
                         values[formula ? m : m + e]});
    }
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

}  // namespace perp::io
