// SPDX-License-Identifier: MIT
// Tokens of a text in memory: numbers and words between white space; errors that name the line.
#ifndef PERP_IO_TEXT_HPP
#define PERP_IO_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "io/error.hpp"
#include "io/matrix.hpp"

namespace perp::io {

class text_reader {
 public:
  // text is borrowed; path is for messages.
  text_reader(std::string_view text, std::string path) : text_(text), path_(std::move(path)) {}

  // Where the next token starts; the size of the text if there is none.
  std::size_t next();
  // The next token, not taken; empty at the end.
  std::string_view peek();

  // Each takes one token, or throws a file_error that says what was expected.
  std::int32_t integer(const std::string &what, std::int32_t low = 0,
                       std::int32_t high = std::numeric_limits<std::int32_t>::max());
  void peek_integer(const std::string &what, std::int32_t low, std::int32_t high);  // not taken
  double number(const std::string &what);                                           // finite
  double bound(const std::string &what, double infinite);  // finite, or this infinity
  void word(std::string_view expected);
  std::string_view any_word(const std::string &what);

  // count tokens. Nothing is allocated that the rest of the text could not fill.
  reals numbers(std::size_t count, const std::string &what);
  ints integers(std::size_t count, const std::string &what, std::int32_t low = 0,
                std::int32_t high = std::numeric_limits<std::int32_t>::max());

  // The rest of the line at hand.
  void skip_line();

  // Refuse sizes that need more tokens than the rest of the text can hold.
  void require_room(std::size_t count, const std::string &what);

  // Throw: "PATH:LINE: expected WHAT, found TOKEN", the token at `from`.
  [[noreturn]] void fail(const std::string &expected, std::size_t from,
                         file_error::kinds kind = file_error::kinds::form) const;

 private:
  std::string_view take();
  double real(const std::string &what, std::string_view token, std::size_t from);
  std::size_t room(std::size_t count) const;

  std::string_view text_;
  std::string path_;
  std::size_t at_ = 0;
};

}  // namespace perp::io

#endif
