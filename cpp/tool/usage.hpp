// SPDX-License-Identifier: MIT
#ifndef PERP_TOOL_USAGE_HPP
#define PERP_TOOL_USAGE_HPP

#include <stdexcept>
#include <string>

namespace perp::tool {

// The command was called wrongly: one line on stderr, exit code 2.
class usage_error : public std::runtime_error {
 public:
  explicit usage_error(const std::string &what) : std::runtime_error(what) {}
};

// A run that could not go on, although it was called rightly: one line, exit code 1.
class run_error : public std::runtime_error {
 public:
  explicit run_error(const std::string &what) : std::runtime_error(what) {}
};

// Exit codes of the command.
enum exit_codes { exit_solved = 0, exit_not_solved = 1, exit_bad_input = 2 };

// A text with blanks for control characters.
inline std::string one_line(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

}  // namespace perp::tool

#endif
