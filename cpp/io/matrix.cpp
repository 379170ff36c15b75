// SPDX-License-Identifier: MIT
#include "io/matrix.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace perp::io {

bool matrix::has_view() const {
  if (kind == storage::dense) return true;
  return kind == storage::sparse || (rows == cols && row_cuts == col_cuts);
}

perp_matrix matrix::view() const {
  if (!has_view()) throw std::logic_error("a view of blocks is square");
  if (kind == storage::dense) return perp_dense(rows, cols, values.data());
  if (kind == storage::sparse)
    return perp_sparse_rows(rows, cols, start.data(), index.data(), values.data());
  return perp_block_rows(static_cast<std::int32_t>(row_cuts.size()) - 1, row_cuts.data(),
                         start.data(), index.data(), values.data());
}

matrix dense(std::int32_t rows, std::int32_t cols, reals values) {
  matrix A;
  A.rows = rows;
  A.cols = cols;
  A.values = std::move(values);
  return A;
}

matrix compressed_rows(std::int32_t rows, std::int32_t cols, std::vector<triplet> entries) {
  if (entries.size() > at(std::numeric_limits<std::int32_t>::max())) throw std::bad_alloc();
  std::stable_sort(entries.begin(), entries.end(), [](const triplet &a, const triplet &b) {
    return std::tie(a.row, a.col) < std::tie(b.row, b.col);
  });
  matrix A;
  A.kind = storage::sparse;
  A.rows = rows;
  A.cols = cols;
  A.start.assign(at(rows) + 1, 0);
  for (std::size_t k = 0; k < entries.size(); k++) {
    const triplet &e = entries[k];
    if (k > 0 && e.row == entries[k - 1].row && e.col == entries[k - 1].col) {
      A.values.back() += e.value;
      continue;
    }
    A.start[at(e.row) + 1]++;
    A.index.push_back(e.col);
    A.values.push_back(e.value);
  }
  for (std::size_t r = 0; r < at(rows); r++) A.start[r + 1] += A.start[r];
  return A;
}

namespace {

void add_dense_entries(const matrix &A, std::vector<triplet> *out) {
  for (std::int32_t i = 0; i < A.rows; i++)
    for (std::int32_t j = 0; j < A.cols; j++)
      out->push_back({i, j, A.values[at(i) + at(A.rows) * at(j)]});
}

void add_sparse_entries(const matrix &A, std::vector<triplet> *out) {
  for (std::int32_t i = 0; i < A.rows; i++)
    for (std::size_t k = at(A.start[at(i)]); k < at(A.start[at(i) + 1]); k++)
      out->push_back({i, A.index[k], A.values[k]});
}

void add_block_entries(const matrix &A, std::vector<triplet> *out) {
  std::size_t value = 0;
  for (std::size_t r = 0; r + 1 < A.row_cuts.size(); r++) {
    for (std::size_t k = at(A.start[r]); k < at(A.start[r + 1]); k++) {
      const std::size_t c = at(A.index[k]);
      for (std::int32_t j = A.col_cuts[c]; j < A.col_cuts[c + 1]; j++)
        for (std::int32_t i = A.row_cuts[r]; i < A.row_cuts[r + 1]; i++)
          out->push_back({i, j, A.values[value++]});
    }
  }
}

// The piece of cuts in which each row lies.
ints piece_of(const ints &cuts) {
  ints piece(at(cuts.back()));
  for (std::size_t p = 0; p + 1 < cuts.size(); p++)
    std::fill(piece.begin() + cuts[p], piece.begin() + cuts[p + 1], static_cast<std::int32_t>(p));
  return piece;
}

}  // namespace

std::vector<triplet> entries_of(const matrix &A) {
  std::vector<triplet> entries;
  entries.reserve(A.stored());
  if (A.kind == storage::dense) add_dense_entries(A, &entries);
  if (A.kind == storage::sparse) add_sparse_entries(A, &entries);
  if (A.kind == storage::blocks) add_block_entries(A, &entries);
  std::stable_sort(entries.begin(), entries.end(), [](const triplet &a, const triplet &b) {
    return std::tie(a.row, a.col) < std::tie(b.row, b.col);
  });
  return entries;
}

matrix to_dense(const matrix &A) {
  if (A.kind == storage::dense) return A;
  if (at(A.rows) * at(A.cols) > at(std::numeric_limits<std::int32_t>::max()))
    throw std::bad_alloc();
  matrix D = dense(A.rows, A.cols, reals(at(A.rows) * at(A.cols)));
  for (const triplet &e : entries_of(A)) D.values[at(e.row) + at(A.rows) * at(e.col)] += e.value;
  return D;
}

matrix to_dense(const perp_matrix &A) {
  if (at(A.rows) * at(A.cols) > at(std::numeric_limits<std::int32_t>::max()))
    throw std::bad_alloc();
  matrix D = dense(A.rows, A.cols, reals(at(A.rows) * at(A.cols)));
  reals unit(at(A.cols), 0);
  for (std::int32_t j = 0; j < A.cols; j++) { /* column by column */
    unit[at(j)] = 1;
    (void)perp_matrix_multiply(&A, unit.data(), D.values.data() + at(A.rows) * at(j));
    unit[at(j)] = 0;
  }
  return D;
}

matrix to_sparse(const matrix &A) {
  if (A.kind == storage::sparse) return A;
  std::vector<triplet> entries = entries_of(A);
  entries.erase(
      std::remove_if(entries.begin(), entries.end(), [](const triplet &e) { return e.value == 0; }),
      entries.end());
  return compressed_rows(A.rows, A.cols, std::move(entries));
}

matrix to_blocks(const matrix &A, ints row_cuts, ints col_cuts) {
  const matrix S = to_sparse(A);
  const ints piece = piece_of(col_cuts);
  matrix B;
  B.kind = storage::blocks;
  B.rows = A.rows;
  B.cols = A.cols;
  B.start.push_back(0);
  std::vector<std::size_t> place(col_cuts.size());  // of a block's values, by block column
  for (std::size_t r = 0; r + 1 < row_cuts.size(); r++) {
    const std::size_t from = at(S.start[at(row_cuts[r])]), to = at(S.start[at(row_cuts[r + 1])]);
    const std::size_t height = at(row_cuts[r + 1] - row_cuts[r]);
    ints here;
    for (std::size_t k = from; k < to; k++)
      if (S.values[k] != 0) here.push_back(piece[at(S.index[k])]);
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    for (const std::int32_t c : here) {
      place[at(c)] = B.values.size();
      B.values.resize(B.values.size() + height * at(col_cuts[at(c) + 1] - col_cuts[at(c)]));
    }
    B.index.insert(B.index.end(), here.begin(), here.end());
    B.start.push_back(static_cast<std::int32_t>(B.index.size()));
    for (std::int32_t i = row_cuts[r]; i < row_cuts[r + 1]; i++) {
      for (std::size_t k = at(S.start[at(i)]); k < at(S.start[at(i) + 1]); k++) {
        if (S.values[k] == 0) continue;
        const std::int32_t c = piece[at(S.index[k])];
        const std::size_t col = at(S.index[k] - col_cuts[at(c)]);
        B.values[place[at(c)] + col * height + at(i - row_cuts[r])] = S.values[k];
      }
    }
  }
  B.row_cuts = std::move(row_cuts);
  B.col_cuts = std::move(col_cuts);
  return B;
}

}  // namespace perp::io
