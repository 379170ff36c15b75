// SPDX-License-Identifier: MIT
// Figures that docs/benchmarks.md quotes: each test that finds one prints it on a line of its own.
//   build/release/bin/test_reference | grep figure
#ifndef PERP_TESTS_FIGURE_HPP
#define PERP_TESTS_FIGURE_HPP

#include <cstdio>
#include <string>

namespace tools {

inline void figure(const std::string &what, double value) {
  std::printf("[  figure  ] %s: %.3g\n", what.c_str(), value);
}

}  // namespace tools

#endif
