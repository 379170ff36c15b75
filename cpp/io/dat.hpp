// SPDX-License-Identifier: MIT
// The text classes of problem files; docs/command.md describes them.
#ifndef PERP_IO_DAT_HPP
#define PERP_IO_DAT_HPP

#include <string>
#include <string_view>

#include "io/problem.hpp"
#include "io/text.hpp"

namespace perp::io {

// How sparse entries are listed.
enum class layout { rows, columns, triplet };

// Read a text. An empty class is guessed from the content: the reading that takes most of it.
any_problem read_dat(std::string_view text, const std::string &path,
                     std::string_view class_wanted = {});

// The text of a problem, 17 digits. Throws file_error for what the form has no place for.
std::string write_dat(const any_problem &p, const std::string &path,
                      layout order = layout::columns);

// One matrix; rows, cols: what they have to be, negative: anything.
constexpr std::int32_t any_size = -1, same_as_rows = -2;
matrix read_matrix(text_reader *in, const std::string &name, std::int32_t rows, std::int32_t cols);
void write_matrix(std::string *out, const matrix &A, layout order);

// Appends "%.17g" and a separator.
void append(std::string *out, double value, char separator);
void append(std::string *out, std::int32_t value, char separator);

}  // namespace perp::io

#endif
