// SPDX-License-Identifier: MIT
// MATRIX := storage rows cols BODY, read and written.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "io/dat.hpp"

namespace perp::io {

namespace {

enum storages { dense_storage = 0, block_storage = 1, sparse_storage = 2 };
enum origins { triplet_origin = 1, columns_origin = 2, rows_origin = 3, half_origin = 4 };

matrix read_dense(text_reader *in, std::int32_t rows, std::int32_t cols, const std::string &name) {
  in->integer("the rows of " + name + " again", rows, rows);
  in->integer("the columns of " + name + " again", cols, cols);
  return dense(rows, cols, in->numbers(at(rows) * at(cols), "entry of " + name));
}

// Sums of block sizes, which end at total.
ints read_cuts(text_reader *in, std::int32_t blocks, std::int32_t total, const std::string &what) {
  ints cuts{0};
  for (std::int32_t b = 0; b < blocks; b++) {
    const std::int32_t low = std::max(cuts.back() + 1, b + 1 == blocks ? total : 0);
    cuts.push_back(in->integer("the end of " + what + " " + std::to_string(b), low, total));
  }
  return cuts;
}

// Refuse a block column that a row names twice.
void check_row(text_reader *in, const matrix &A, std::size_t r, std::vector<std::int32_t> *seen) {
  for (std::size_t k = at(A.start[r]); k < at(A.start[r + 1]); k++) {
    std::int32_t &mark = (*seen)[at(A.index[k])];
    if (mark == static_cast<std::int32_t>(r) + 1)
      in->fail("no block column twice in block row " + std::to_string(r), in->next());
    mark = static_cast<std::int32_t>(r) + 1;
  }
}

matrix read_blocks(text_reader *in, std::int32_t rows, std::int32_t cols, const std::string &name) {
  matrix A;
  A.kind = storage::blocks;
  A.rows = rows;
  A.cols = cols;
  const std::int32_t blocks = in->integer("the number of blocks of " + name);
  const std::int32_t least = blocks == 0 ? 0 : 1;
  const std::int32_t brows = in->integer("the number of block rows of " + name, least, rows);
  const std::int32_t bcols = in->integer("the number of block columns of " + name, least, cols);
  if (blocks == 0) { /* nothing more, not even where the cuts are */
    in->require_room(at(rows), "the " + std::to_string(rows) + " rows of " + name);
    in->require_room(at(cols), "the " + std::to_string(cols) + " columns of " + name);
    for (std::int32_t i = 0; i <= rows; i++) A.row_cuts.push_back(i);
    for (std::int32_t j = 0; j <= cols; j++) A.col_cuts.push_back(j);
    A.start.assign(at(rows) + 1, 0);
    return A;
  }
  A.row_cuts = read_cuts(in, brows, rows, "block row");
  A.col_cuts = read_cuts(in, bcols, cols, "block column");
  in->integer("the number of block rows and one", brows + 1, brows + 1);
  in->integer("the number of blocks again", blocks, blocks);
  A.start.push_back(in->integer("the start of block row 0", 0, 0));
  for (std::int32_t r = 1; r <= brows; r++) {
    A.start.push_back(in->integer("the start of block row " + std::to_string(r),
                                  r == brows ? blocks : A.start.back(), blocks));
  }
  A.index = in->integers(at(blocks), "a block column", 0, bcols - 1);
  ints seen(at(bcols), 0);
  for (std::size_t r = 0; r < at(brows); r++) check_row(in, A, r, &seen);
  for (std::size_t r = 0; r < at(brows); r++) {
    for (std::int32_t k = A.start[r]; k < A.start[r + 1]; k++) {
      const std::size_t c = at(A.index[at(k)]);
      in->integer("the number of the block", k, k);
      const std::size_t size =
          at(A.row_cuts[r + 1] - A.row_cuts[r]) * at(A.col_cuts[c + 1] - A.col_cuts[c]);
      const reals values = in->numbers(size, "entry of " + name);
      A.values.insert(A.values.end(), values.begin(), values.end());
    }
  }
  return A;
}

// "3-by-4," and the words after it; the number of entries.
std::int32_t read_sparse_header(text_reader *in, std::int32_t rows, std::int32_t cols,
                                const std::string &name) {
  const std::string size = std::to_string(rows) + "-by-" + std::to_string(cols);
  const std::size_t from = in->next();
  const std::string_view token = in->any_word("'" + size + "'");
  if (token != size && token != size + ",") in->fail("'" + size + "', the size of " + name, from);
  in->word("nzmax:");
  in->any_word("a number of entries");
  in->word("nnz:");
  const std::size_t number = in->next();
  std::string count(in->any_word("the number of entries of " + name));
  if (!count.empty() && count.back() == ',') count.pop_back();
  text_reader digits(count, "");
  try {
    const std::int32_t entries = digits.integer("");
    in->skip_line();
    return entries;
  } catch (const file_error &) {
    in->fail("the number of entries of " + name + ", an integer", number);
  }
}

std::vector<triplet> read_triplets(text_reader *in, std::int32_t rows, std::int32_t cols,
                                   std::int32_t count, const std::string &name) {
  std::vector<triplet> entries;
  for (std::int32_t k = 0; k < count; k++) {
    triplet e{};
    e.row = in->integer("a row of " + name, 0, rows - 1);
    e.col = in->integer("a column of " + name, 0, cols - 1);
    in->word(":");
    e.value = in->number("entry of " + name);
    entries.push_back(e);
  }
  return entries;
}

// Lists "word j : locations p0 to p1" of "i : value"; a triplet's row is j, its col i.
std::vector<triplet> read_lists(text_reader *in, const char *word, std::int32_t lists,
                                std::int32_t across, std::int32_t count, const std::string &name) {
  std::vector<triplet> entries;
  for (std::int32_t j = 0, from = 0; j < lists; j++) {
    in->word(word);
    in->integer(std::string("the number of the ") + word, j, j);
    in->word(":");
    in->word("locations");
    in->integer("the first location", from, from);
    in->word("to");
    const std::int32_t low = j + 1 == lists ? count - 1 : from - 1;
    const std::int32_t to = in->integer("the last location", low, count - 1) + 1;
    for (; from < to; from++) {
      triplet e{};
      e.row = j;
      e.col = in->integer("a place in " + name, 0, across - 1);
      in->word(":");
      e.value = in->number("entry of " + name);
      entries.push_back(e);
    }
  }
  return entries;
}

// Half of a symmetric matrix, from one side of the diagonal: add the other.
void mirror(text_reader *in, std::vector<triplet> *entries, const std::string &name) {
  const std::size_t half = entries->size();
  bool below = false, above = false;
  for (std::size_t k = 0; k < half; k++) {
    const triplet e = (*entries)[k];
    below = below || e.row > e.col;
    above = above || e.row < e.col;
    if (e.row != e.col) entries->push_back({e.col, e.row, e.value});
  }
  if (below && above)
    in->fail("entries of " + name + " on one side of the diagonal before this", in->next());
}

matrix read_sparse(text_reader *in, std::int32_t rows, std::int32_t cols, const std::string &name) {
  const std::int32_t origin =
      in->integer("how " + name + " is listed (1 triplet, 2 columns, 3 rows, 4 half)",
                  triplet_origin, half_origin);
  in->word("CSparse"); /* "Version ...", a line */
  in->skip_line();
  if (origin == triplet_origin || origin == half_origin) in->word("triplet:");
  if (origin == rows_origin) in->word("csr:");
  if (origin == half_origin && rows != cols) in->fail("a square " + name, in->next());
  const std::int32_t count = read_sparse_header(in, rows, cols, name);
  in->require_room(at(rows), "the " + std::to_string(rows) + " rows of " + name);
  in->require_room(at(cols), "the " + std::to_string(cols) + " columns of " + name);
  std::vector<triplet> entries;
  if (origin == triplet_origin || origin == half_origin)
    entries = read_triplets(in, rows, cols, count, name);
  if (origin == rows_origin) entries = read_lists(in, "row", rows, cols, count, name);
  if (origin == columns_origin) {
    entries = read_lists(in, "col", cols, rows, count, name);
    for (triplet &e : entries) std::swap(e.row, e.col);
  }
  if (origin == half_origin) mirror(in, &entries, name);
  matrix A = compressed_rows(rows, cols, std::move(entries));
  for (const double value : A.values)
    if (!std::isfinite(value))
      in->fail("entries of " + name + " with finite sums before this", in->next());
  return A;
}

void write_dense(std::string *out, const matrix &A) {
  append(out, A.rows, ' ');
  append(out, A.cols, '\n');
  for (std::int32_t j = 0; j < A.cols; j++)
    for (std::int32_t i = 0; i < A.rows; i++)
      append(out, A.values[at(i) + at(A.rows) * at(j)], i + 1 == A.rows ? '\n' : ' ');
}

void write_ints(std::string *out, const ints &values, std::size_t from) {
  for (std::size_t i = from; i < values.size(); i++)
    append(out, values[i], i + 1 == values.size() ? '\n' : ' ');
}

void write_blocks(std::string *out, const matrix &A) {
  const auto blocks = static_cast<std::int32_t>(A.index.size());
  const auto brows = static_cast<std::int32_t>(A.row_cuts.size()) - 1;
  append(out, blocks, '\n');
  append(out, brows, '\n');
  append(out, static_cast<std::int32_t>(A.col_cuts.size()) - 1, '\n');
  if (blocks == 0) return;
  write_ints(out, A.row_cuts, 1);
  write_ints(out, A.col_cuts, 1);
  append(out, brows + 1, '\n');
  append(out, blocks, '\n');
  write_ints(out, A.start, 0);
  write_ints(out, A.index, 0);
  std::size_t value = 0;
  for (std::size_t r = 0; r + 1 < A.row_cuts.size(); r++) {
    const std::size_t height = at(A.row_cuts[r + 1] - A.row_cuts[r]);
    for (std::size_t k = at(A.start[r]); k < at(A.start[r + 1]); k++) {
      const std::size_t c = at(A.index[k]);
      const std::size_t end = value + height * at(A.col_cuts[c + 1] - A.col_cuts[c]);
      append(out, static_cast<std::int32_t>(k), '\n');
      while (value < end) append(out, A.values[value++], '\n');
    }
  }
}

void write_list(std::string *out, const std::vector<triplet> &entries, const char *word,
                std::int32_t lists) {
  std::size_t k = 0;
  for (std::int32_t j = 0; j < lists; j++) {
    std::size_t to = k;
    while (to < entries.size() && entries[to].row == j) to++;
    *out += std::string("    ") + word + " " + std::to_string(j) + " : locations " +
            std::to_string(k) + " to " + std::to_string(static_cast<long long>(to) - 1) + "\n";
    for (; k < to; k++) {
      *out += "      " + std::to_string(entries[k].col) + " : ";
      append(out, entries[k].value, '\n');
    }
  }
}

void write_sparse(std::string *out, const matrix &A, layout order) {
  std::vector<triplet> entries = entries_of(A);
  const std::string count = std::to_string(entries.size());
  const std::string head = std::to_string(A.rows) + "-by-" + std::to_string(A.cols) +
                           ", nzmax: " + count + " nnz: " + count + "\n";
  const std::int32_t origin = order == layout::triplet   ? triplet_origin
                              : order == layout::columns ? columns_origin
                                                         : rows_origin;
  append(out, origin, '\n');
  *out += "CSparse Version 3: the listing's form, written by perp\n";
  if (order == layout::triplet) *out += "triplet: ";
  if (order == layout::rows) *out += "csr: ";
  *out += head;
  if (order == layout::triplet) {
    for (const triplet &e : entries) {
      *out += "    " + std::to_string(e.row) + " " + std::to_string(e.col) + " : ";
      append(out, e.value, '\n');
    }
  }
  if (order == layout::rows) write_list(out, entries, "row", A.rows);
  if (order == layout::columns) {
    for (triplet &e : entries) std::swap(e.row, e.col);
    const matrix T = compressed_rows(A.cols, A.rows, std::move(entries));
    write_list(out, entries_of(T), "col", A.cols);
  }
}

}  // namespace

void append(std::string *out, double value, char separator) {
  char digits[40];
  const int size = std::snprintf(digits, sizeof digits, "%.17g", value);
  out->append(digits, static_cast<std::size_t>(size));
  *out += separator;
}

void append(std::string *out, std::int32_t value, char separator) {
  *out += std::to_string(value) + separator;
}

matrix read_matrix(text_reader *in, const std::string &name, std::int32_t rows, std::int32_t cols) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const std::int32_t kind = in->integer("the storage of " + name + " (0 dense, 1 blocks, 2 sparse)",
                                        dense_storage, sparse_storage);
  rows = in->integer("the rows of " + name, std::max(rows, 0), rows < 0 ? most : rows);
  if (cols == same_as_rows) cols = rows;
  cols = in->integer("the columns of " + name, std::max(cols, 0), cols < 0 ? most : cols);
  if (kind == dense_storage) return read_dense(in, rows, cols, name);
  if (kind == block_storage) return read_blocks(in, rows, cols, name);
  return read_sparse(in, rows, cols, name);
}

void write_matrix(std::string *out, const matrix &A, layout order) {
  append(out, A.kind == storage::dense ? 0 : A.kind == storage::blocks ? 1 : 2, '\n');
  append(out, A.rows, '\n');
  append(out, A.cols, '\n');
  if (A.kind == storage::dense) write_dense(out, A);
  if (A.kind == storage::blocks) write_blocks(out, A);
  if (A.kind == storage::sparse) write_sparse(out, A, order);
}

}  // namespace perp::io
