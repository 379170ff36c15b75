// SPDX-License-Identifier: MIT
// Tables of a model: columns of CSV files, between whose points is a line or a natural cubic
// spline.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/model_assembler.hpp"

namespace perp::io {

namespace {

// Lines of cells; lines that are empty or begin with # are left out.
struct csv {
  std::vector<std::string> names;  // of the first line, if a cell of it is no number; else "0" ...
  std::vector<std::vector<double>> columns;
  std::vector<std::size_t> lines;  // of each row, from 1
};

bool is_number(std::string_view cell, double *value) {
  if (!cell.empty() && cell[0] == '+') cell.remove_prefix(1);
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), *value);
  return code == std::errc() && end == cell.data() + cell.size() && !cell.empty();
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find_first_of(",;\t", begin), line.size());
    std::string_view cell = line.substr(begin, end - begin);
    while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\r')) cell.remove_suffix(1);
    cells.push_back(cell);
    begin = end + 1;
  }
  return cells;
}

// @throws model_error
csv read_csv(std::string_view text, const std::string &name) {
  csv c;
  std::size_t line = 0;
  const auto fail = [&](const std::string &what) {
    throw model_error({name + ":" + std::to_string(line) + ": found " + what});
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view all = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line++;
    const std::vector<std::string_view> cells = cells_of(all);
    if ((cells.size() == 1 && cells[0].empty()) || all[0] == '#') continue;
    std::vector<double> row(cells.size());
    std::size_t good = 0;
    while (good < cells.size() && is_number(cells[good], &row[good])) good++;
    if (c.names.empty()) {
      for (std::size_t k = 0; k < cells.size(); k++)
        c.names.push_back(good < cells.size() ? std::string(cells[k]) : std::to_string(k));
      c.columns.resize(cells.size());
      if (good < cells.size()) continue;
    }
    if (cells.size() != c.names.size())
      fail(std::to_string(cells.size()) + " cells, expected " + std::to_string(c.names.size()));
    if (good < cells.size())
      fail("`" + std::string(cells[good].substr(0, 40)) + "`, expected a number");
    for (std::size_t k = 0; k < cells.size(); k++) c.columns[k].push_back(row[k]);
    c.lines.push_back(line);
  }
  return c;
}

// Second derivatives of the natural cubic spline: h[k-1] M[k-1] + 2 (h[k-1] + h[k]) M[k] + h[k]
// M[k+1] = 6 (slope[k] - slope[k-1]), 0 at the ends, by elimination.
std::vector<double> curvatures(const std::vector<double> &x, const std::vector<double> &y) {
  const std::size_t n = x.size();
  std::vector<double> M(n, 0.0), ratio(n, 0.0);
  for (std::size_t k = 1; k + 1 < n; k++) {
    const double before = x[k] - x[k - 1], after = x[k + 1] - x[k];
    const double right = 6 * ((y[k + 1] - y[k]) / after - (y[k] - y[k - 1]) / before);
    const double pivot = 2 * (before + after) - before * ratio[k - 1];
    ratio[k] = after / pivot;
    M[k] = (right - before * M[k - 1]) / pivot;
  }
  for (std::size_t k = n - 1; k-- > 1;) M[k] -= ratio[k] * M[k + 1];
  return M;
}

std::vector<double> pieces(const std::vector<double> &x, const std::vector<double> &y,
                           const std::vector<double> &M) {
  std::vector<double> all;
  for (std::size_t k = 0; k + 1 < x.size(); k++) {
    const double h = x[k + 1] - x[k];
    all.insert(all.end(), {y[k], (y[k + 1] - y[k]) / h - h * (2 * M[k] + M[k + 1]) / 6, M[k] / 2,
                           (M[k + 1] - M[k]) / (6 * h)});
  }
  return all;
}

}  // namespace

void assembler::read_tables() {
  const model_node *const all = m_.tree.find("tables");
  if (all == nullptr || !is_table(*all, "tables by their names")) return;
  for (const model_node::member &m : all->members) {
    if (!is_table(m.node, "a table of a CSV file")) continue;
    if (!values_.check_keys(m.node, *find_kind("part", "table"), {"says"})) continue;
    try {
      read_table(m);
    } catch (const model_error &e) {
      for (const std::string &line : e.lines()) values_.note_line(line);
    }
  }
}

void assembler::read_table(const model_node::member &m) {
  const model_node &file = *m.node.find("file");
  const csv c = read_csv(load_beside_model(m_.path, file, &m_.files), file.words);
  const kind &of = *find_kind("part", "table");
  const auto column = [&](const char *name, std::size_t without) -> const std::vector<double> * {
    const model_node *const given = m.node.find(name);
    std::string chosen;
    if (given == nullptr) return without < c.columns.size() ? &c.columns[without] : nullptr;
    if (!values_.choose(*given, c.names, "a column of the file", &chosen)) return nullptr;
    return &c.columns[static_cast<std::size_t>(std::find(c.names.begin(), c.names.end(), chosen) -
                                               c.names.begin())];
  };
  const std::vector<double> *const x = column("x", 0), *const y = column("y", 1);
  std::int32_t cubic = 0, clamp = 0;
  for (const auto &[name, to] : {std::pair("between", &cubic), std::pair("outside", &clamp)})
    if (const model_node *const given = m.node.find(name))
      if (!values_.choose(*given, *find_key(of, name), to)) return;
  if (c.lines.size() < 2 || c.columns.size() < 2)
    return values_.note(file, "found " + std::to_string(c.lines.size()) + " rows of " +
                                  std::to_string(c.columns.size()) +
                                  " columns, expected at least 2 of 2");
  if (x == nullptr || y == nullptr) return;
  for (std::size_t k = 0; k < x->size(); k++) {
    const std::string at = file.words + ":" + std::to_string(c.lines[k]);
    if (!std::isfinite((*x)[k]) || !std::isfinite((*y)[k]))
      return values_.note_at(at, "found what is not a finite number");
    if (k > 0 && !((*x)[k] > (*x)[k - 1]))
      return values_.note_at(at, "found an x that is not more than the one before");
  }
  const std::vector<double> M =
      cubic == 1 ? curvatures(*x, *y) : std::vector<double>(x->size(), 0.0);
  values_.add_table(m, {static_cast<std::int32_t>(x->size()), clamp, values_.keep(*x),
                        values_.keep(pieces(*x, *y, M))});
}

}  // namespace perp::io
