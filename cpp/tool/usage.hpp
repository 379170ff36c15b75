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

}  // namespace perp::tool

#endif
