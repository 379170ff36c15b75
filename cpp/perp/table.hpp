// SPDX-License-Identifier: MIT
/** @file table.hpp
 * Tables of numbers whose columns have names and units, and their CSV form. */
#ifndef PERP_CXX_TABLE_HPP
#define PERP_CXX_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "perp/view.hpp"

namespace perp {

/** What a column of a table holds. */
struct column {
  std::string name; /**< "speed"                 */
  std::string unit; /**< "m/s"; empty: none      */
  /** "speed (m/s)". */
  std::string title() const { return unit.empty() ? name : name + " (" + unit + ")"; }
};

/** Rows of numbers under named columns. */
class table {
 public:
  table() = default;
  /** No rows yet. */
  /**@{*/
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  table(std::initializer_list<column> columns) : columns_(columns) {}
  /**@}*/

  /** What the columns hold. */
  const std::vector<column> &columns() const noexcept { return columns_; }
  /** How many rows. */
  std::size_t rows() const noexcept {
    return columns_.empty() ? 0 : values_.size() / columns_.size();
  }
  /** Whether there are none. */
  bool empty() const noexcept { return values_.empty(); }
  /** A row; indices are not checked. */
  view row(std::size_t i) const noexcept {
    return {values_.data() + i * columns_.size(), columns_.size()};
  }
  /** An entry; indices are not checked. */
  double operator()(std::size_t i, std::size_t j) const noexcept {
    return values_[i * columns_.size() + j];
  }
  /** Place of the column of that name. */
  std::size_t find(const std::string &name) const {
    for (std::size_t j = 0; j < columns_.size(); j++)
      if (columns_[j].name == name) return j;
    detail::refuse(PERP_EINVAL, ("table: no column " + name).c_str(), "name");
  }
  /** All entries of the column of that name. */
  std::vector<double> operator[](const std::string &name) const {
    const std::size_t j = find(name);
    std::vector<double> of(rows());
    for (std::size_t i = 0; i < of.size(); i++) of[i] = (*this)(i, j);
    return of;
  }

  /** Append a row. */
  void add(view values) {
    require(values.size());
    values_.insert(values_.end(), values.begin(), values.end());
  }
  /** Append a row of zeros, to be written; valid until the next one. */
  span add() {
    values_.resize(values_.size() + columns_.size());
    return {values_.data() + values_.size() - columns_.size(), columns_.size()};
  }
  /** Append the rows of a table with as many columns, after front, the entries that it lacks. */
  void append(const table &other, view front = {}) {
    for (std::size_t i = 0; i < other.rows(); i++) {
      require(front.size() + other.columns_.size());
      values_.insert(values_.end(), front.begin(), front.end());
      values_.insert(values_.end(), other.row(i).begin(), other.row(i).end());
    }
  }
  /** Remove the last row, if there is one. */
  void drop() {
    if (!empty()) values_.resize(values_.size() - columns_.size());
  }

 private:
  void require(std::size_t size) const {
    if (size != columns_.size()) {
      detail::refuse(PERP_EINVAL, "table: a row of another length", "columns", -1,
                     static_cast<double>(size));
    }
  }

  std::vector<column> columns_;
  std::vector<double> values_;
};

/** A line of titles, then the rows, with as many digits as distinguish doubles. */
inline std::string to_csv(const table &t) {
  std::string text;
  const std::vector<column> &columns = t.columns();
  for (std::size_t j = 0; j < columns.size(); j++) {
    text += (j > 0 ? "," : "") + columns[j].title();
  }
  text += '\n';
  for (std::size_t i = 0; i < t.rows(); i++) {
    for (std::size_t j = 0; j < columns.size(); j++) {
      char number[32];
      (void)std::snprintf(number, sizeof number, "%s%.17g", j > 0 ? "," : "", t(i, j));
      text += number;
    }
    text += '\n';
  }
  return text;
}

/** Write to_csv() to a file. */
inline void write_csv(const table &t, const std::string &path) {
  std::ofstream file(path, std::ios::binary);
  file << to_csv(t);
  file.close();
  if (!file) detail::refuse(PERP_EBACKEND, ("write_csv: cannot write " + path).c_str());
}

}  // namespace perp

#endif
