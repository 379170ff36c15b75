// SPDX-License-Identifier: MIT
// A matrix that owns its entries: dense, block rows, or compressed rows.
#ifndef PERP_IO_MATRIX_HPP
#define PERP_IO_MATRIX_HPP

#include <cstdint>
#include <vector>

#include "perp/matrix.h"

namespace perp::io {

using ints = std::vector<std::int32_t>;
using reals = std::vector<double>;

inline std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

enum class storage { dense, blocks, sparse };

// One entry of a matrix.
struct triplet {
  std::int32_t row;
  std::int32_t col;
  double value;
};

struct matrix {
  storage kind = storage::dense;
  std::int32_t rows = 0;
  std::int32_t cols = 0;
  reals values;   // dense: column-major; blocks: one after another, each column-major
  ints start;     // blocks, sparse: where each (block) row begins in index
  ints index;     // blocks, sparse: (block) columns
  ints row_cuts;  // blocks: from 0 to rows
  ints col_cuts;  // blocks: from 0 to cols

  // The C view; blocks have to be square with equal cuts.
  perp_matrix view() const;
  // Whether view() can show it.
  bool has_view() const;
  // Entries with a place in memory.
  std::size_t stored() const { return values.size(); }
};

matrix dense(std::int32_t rows, std::int32_t cols, reals values);
// Compressed rows from entries in any order; those of one place add up. Columns ascend.
matrix compressed_rows(std::int32_t rows, std::int32_t cols, std::vector<triplet> entries);
// The stored entries row by row, columns ascending.
std::vector<triplet> entries_of(const matrix &A);

// Entries that are 0 are not stored; blocks of zeros are not. More than 2³¹ dense entries are taken
// for more than there is memory for (std::bad_alloc).
matrix to_dense(const matrix &A);
matrix to_dense(const perp_matrix &A);
matrix to_sparse(const matrix &A);
matrix to_blocks(const matrix &A, ints row_cuts, ints col_cuts);

}  // namespace perp::io

#endif
