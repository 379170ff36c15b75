// SPDX-License-Identifier: MIT
// Tables of a model: columns of CSV files, between whose points is a line or a natural cubic
// spline.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "io/model_assembler.hpp"

namespace perp::io {

namespace {

// Lines of cells; lines that are empty or begin with # are left out.
struct csv {
  std::vector<std::string> names;  // of the first line, if a cell of it is no number; else "0" ...
  std::vector<std::vector<double>> columns;
  std::vector<std::size_t> lines;  // of each row, from 1
};

struct cell {
  std::string_view text;
  bool is_number = false, in_range = true;
  double value = 0;
};

cell read_cell(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  cell c;
  c.text = text;
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), c.value);
  c.is_number = code != std::errc::invalid_argument && end == text.data() + text.size();
  c.in_range = !c.is_number || code == std::errc();
  return c;
}

// The separators of a line: `,`, `;` and tabs outside of quotes, each once; without one, blanks.
std::string separators_of(std::string_view line) {
  std::string found;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == ',' || c == ';' || c == '\t') && found.find(c) == std::string::npos)
      found += c;
  }
  return found.empty() ? " " : found;
}

// Cells of a line; of blanks as many as there are count as one.
std::vector<cell> cells_of(std::string_view line, char separator) {
  std::vector<cell> cells;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= line.size(); at++) {
    if (at < line.size() && line[at] == '"') quoted = !quoted;
    if (at < line.size() && (quoted || line[at] != separator)) continue;
    if (separator != ' ' || at > begin) cells.push_back(read_cell(line.substr(begin, at - begin)));
    begin = at + 1;
  }
  return cells;
}

std::string shown(std::string_view text) { return "`" + std::string(text.substr(0, 40)) + "`"; }

// @throws model_error
csv read_csv(std::string_view text, const std::string &name) {
  csv c;
  std::size_t line = 0;
  char separator = ' ';  // that of the first line
  std::unordered_set<std::string> names;
  const auto fail = [&](const std::string &what) {
    throw model_error({name + ":" + std::to_string(line) + ": found " + what});
  };
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view all = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line++;
    while (!all.empty() && (all.back() == '\r' || all.back() == ' ')) all.remove_suffix(1);
    if (all.empty() || all[0] == '#') continue;
    if (std::count(all.begin(), all.end(), '"') % 2 != 0) fail("a quote that does not end");
    const bool first = c.names.empty();
    if (first) {
      const std::string found = separators_of(all);
      if (found.size() > 1)
        fail("both `" + found.substr(0, 1) + "` and `" + found.substr(1, 1) +
             "`, expected one separator");
      separator = found[0];
    }
    const std::vector<cell> cells = cells_of(all, separator);
    const auto numbers = static_cast<std::size_t>(
        std::count_if(cells.begin(), cells.end(), [](const cell &each) { return each.is_number; }));
    for (const cell &each : cells) {
      if (!each.in_range) fail(shown(each.text) + ", which is out of the range of doubles");
      if (first && numbers > 0 && !each.is_number)
        fail(shown(each.text) + " beside numbers, expected names or numbers only");
    }
    if (first) {
      for (std::size_t k = 0; k < cells.size(); k++) {
        const std::string column = numbers == 0 ? std::string(cells[k].text) : std::to_string(k);
        if (!names.insert(column).second) fail("two columns " + shown(column));
        c.names.push_back(column);
      }
      c.columns.resize(cells.size());
      if (numbers == 0) continue;
    }
    if (cells.size() != c.names.size())
      fail(std::to_string(cells.size()) + " cells, expected " + std::to_string(c.names.size()));
    for (std::size_t k = 0; k < cells.size(); k++) {
      if (!cells[k].is_number) fail(shown(cells[k].text) + ", expected a number");
      c.columns[k].push_back(cells[k].value);
    }
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
    bool good = false;
    try {
      good = is_table(m.node, "a table of a CSV file") &&
             values_.check_keys(m.node, *find_kind("part", "table"), {"says"}) && read_table(m);
    } catch (const model_error &e) {
      for (const std::string &line : e.lines()) values_.note_line(line);
    }
    if (!good) values_.add_failed_table(m);
  }
}

bool assembler::read_table(const model_node::member &m) {
  const model_node &file = *m.node.find("file");
  const csv c = read_csv(load_beside_model(m_.path, file, &m_.files), file.words);
  const kind &of = *find_kind("part", "table");
  const auto noted = [this](const std::string &place, const std::string &what) {
    values_.note_at(place, what);
    return false;
  };
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
      if (!values_.choose(*given, *find_key(of, name), to)) return false;
  if (c.lines.size() < 2 || c.columns.size() < 2)
    return noted(file.place(), "found " + std::to_string(c.lines.size()) + " rows of " +
                                   std::to_string(c.columns.size()) +
                                   " columns, expected at least 2 of 2");
  if (x == nullptr || y == nullptr) return false;
  for (std::size_t k = 0; k < x->size(); k++) {
    const std::string at = file.words + ":" + std::to_string(c.lines[k]);
    if (!std::isfinite((*x)[k]) || !std::isfinite((*y)[k]))
      return noted(at, "found what is not a finite number");
    if (k > 0 && !((*x)[k] > (*x)[k - 1]))
      return noted(at, "found an x that is not more than the one before");
  }
  const std::vector<double> M =
      cubic == 1 ? curvatures(*x, *y) : std::vector<double>(x->size(), 0.0);
  values_.add_table(m, {static_cast<std::int32_t>(x->size()), clamp, values_.keep(*x),
                        values_.keep(pieces(*x, *y, M))});
  return true;
}

}  // namespace perp::io
