// SPDX-License-Identifier: MIT
// What is wrong with a file, in one line: which file, where in it, what was expected.
#ifndef PERP_IO_ERROR_HPP
#define PERP_IO_ERROR_HPP

#include <cstddef>
#include <stdexcept>
#include <string>

namespace perp::io {

class file_error : public std::runtime_error {
 public:
  enum class kinds {
    ended,  // the file ends too early
    form,   // a token of another kind, or sizes that do not fit
    value,  // a number that a problem cannot have: NaN, infinity, lower > upper
    system  // not readable, not writable
  };

  // where: "" or a place within the file, "12" for a line, "dataset /fclib_local/W/p".
  file_error(const std::string &path, const std::string &where, const std::string &what,
             kinds kind = kinds::form, std::size_t position = 0)
      : std::runtime_error(path + (where.empty() ? "" : ":" + where) + ": " + what),
        kind_(kind),
        position_(position) {}

  kinds kind() const noexcept { return kind_; }
  // Byte of a text file at which reading stopped.
  std::size_t position() const noexcept { return position_; }

 private:
  kinds kind_;
  std::size_t position_;
};

}  // namespace perp::io

#endif
