// SPDX-License-Identifier: MIT
#ifndef PERP_TESTS_EACH_HPP
#define PERP_TESTS_EACH_HPP

#include <algorithm>
#include <cstdlib>

namespace tools {

// One of so many like cases is tried, of random ones and of the places of a fault: all where the
// code is fast, fewer under sanitizers, where tests/CMakeLists.txt sets PERP_TEST_EACH.
inline int each() {
  const char *text = std::getenv("PERP_TEST_EACH");
  return text != nullptr ? std::max(1, std::atoi(text)) : 1;
}

}  // namespace tools

#endif
