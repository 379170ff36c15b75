// SPDX-License-Identifier: MIT
/** @file sparse.hpp
 * Sparse matrices in descriptions: `sparse_matrix`, in compressed rows, and `matrix`, which is that
 * or an array. */
#ifndef PERP_CXX_SPARSE_HPP
#define PERP_CXX_SPARSE_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "perp/matrix.h"
#include "perp/memory.hpp"
#include "perp/view.hpp"

namespace perp {

/** A sparse matrix in compressed rows. It never changes, and copies share it. */
class sparse_matrix {
 public:
  /** A value at a place; those of one place are added. */
  struct entry {
    std::int32_t row;    /**< from 0 */
    std::int32_t column; /**< from 0 */
    double value;        /**< what is added there */
  };
  /** Of entries in any order, as elements give them: a stiffness matrix is their sum. */
  sparse_matrix(std::int32_t rows, std::int32_t columns, const std::vector<entry> &entries)
      : data_(new content(assemble(rows, columns, entries))) {
    require();
  }
  /** Of compressed rows: row i has the values start[i] ... start[i + 1] - 1 in columns index[...],
   * each column at most once. */
  sparse_matrix(std::int32_t rows, std::int32_t columns, std::vector<std::int32_t> start,
                std::vector<std::int32_t> index, std::vector<double> values)
      : data_(new content{rows, columns, std::move(start), std::move(index), std::move(values)}) {
    if (rows < 0 || data_->start.size() != static_cast<std::size_t>(rows) + 1 ||
        data_->index.size() != data_->values.size() ||
        data_->start.back() != static_cast<std::int64_t>(data_->index.size())) {
      detail::refuse(PERP_EINVAL, "sparse_matrix: start, index and values do not fit together",
                     "start", -1, static_cast<double>(data_->start.size()));
    }
    require();
  }

  /** The C view; valid as long as this or a copy of it. */
  perp_matrix get() const noexcept {
    return perp_sparse_rows(data_->rows, data_->columns, data_->start.data(), data_->index.data(),
                            data_->values.data());
  }
  /** Rows and columns. */
  /**@{*/
  std::int32_t rows() const noexcept { return data_->rows; }
  std::int32_t columns() const noexcept { return data_->columns; }
  /**@}*/
  /** How many entries are stored. */
  std::size_t entries() const noexcept { return data_->values.size(); }
  /** Where they are: equal for copies. */
  const void *address() const noexcept { return data_.get(); }

 private:
  struct content {
    std::int32_t rows, columns;
    std::vector<std::int32_t> start, index;
    std::vector<double> values;
  };

  static bool before(const entry &a, const entry &b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  }
  /** By rows and columns, those of one place as they came: runs of 1, 2, 4, ... are merged. */
  static std::vector<entry> in_order(std::vector<entry> a) {
    std::vector<entry> b(a.size());
    for (std::size_t run = 1; run < a.size(); run *= 2) {
      std::size_t to = 0;
      for (std::size_t begin = 0; begin < a.size(); begin += 2 * run) {
        const std::size_t middle = begin + run < a.size() ? begin + run : a.size();
        const std::size_t end = middle + run < a.size() ? middle + run : a.size();
        std::size_t i = begin, j = middle;
        while (i < middle || j < end) {
          b[to++] = j == end || (i < middle && !before(a[j], a[i])) ? a[i++] : a[j++];
        }
      }
      a.swap(b);
    }
    return a;
  }

  static content assemble(std::int32_t rows, std::int32_t columns,
                          const std::vector<entry> &entries) {
    const std::vector<entry> sorted = in_order(entries);
    content c{
        rows, columns, std::vector<std::int32_t>(rows < 0 ? 1 : std::size_t(rows) + 1), {}, {}};
    for (std::size_t e = 0; e < sorted.size(); e++) {
      const entry &at = sorted[e];
      if (at.row < 0 || at.row >= rows || at.column < 0 || at.column >= columns) {
        detail::refuse(PERP_EINVAL, "sparse_matrix: an entry outside", "entries", at.row,
                       at.column);
      }
      if (e > 0 && !before(sorted[e - 1], at)) {
        c.values.back() += at.value;
        continue;
      }
      c.start[static_cast<std::size_t>(at.row) + 1]++;
      c.index.push_back(at.column);
      c.values.push_back(at.value);
    }
    for (std::size_t i = 1; i < c.start.size(); i++) c.start[i] += c.start[i - 1];
    return c;
  }

  void require() const {
    const perp_matrix view = get();
    perp_info info = PERP_INFO_INIT;
    check(perp_matrix_check(&view, &info), "sparse_matrix", info);
  }

  detail::shared<const content> data_;
};

/** A matrix of a description: an array of its entries, or a sparse matrix. */
class matrix : public array {
 public:
  /** @cond */
  using array::array;
  /** @endcond */
  /** Of either kind. */
  /**@{*/
  matrix() = default;
  matrix(array values) : array(std::move(values)) {}
  matrix(sparse_matrix values) : sparse_(new sparse_matrix(std::move(values))) {}
  /**@}*/
  /** The sparse one, null if it is none. */
  const sparse_matrix *sparse() const noexcept { return sparse_.get(); }
  /** Whether it has no entries at all. */
  bool absent() const noexcept { return empty() && !sparse_; }

 private:
  detail::shared<const sparse_matrix> sparse_;
};

}  // namespace perp

#endif
