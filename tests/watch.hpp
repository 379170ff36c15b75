// SPDX-License-Identifier: MIT
// An observer of solvers that keeps what it sees.
#ifndef PERP_TESTS_WATCH_HPP
#define PERP_TESTS_WATCH_HPP

#include <gtest/gtest.h>
#include <perp/solver.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tools {

// What it saw of the last solve with watched options, and the iteration it stops at.
inline std::vector<perp_iterate> seen;
inline std::int32_t stop_at = -1;

template <class Options>
Options watch(Options o) {
  seen.clear();
  stop_at = -1;
  o.user = &seen;
  o.observe = [](const perp_iterate *it, void *user) -> std::int32_t {
    EXPECT_EQ(user, &seen);
    EXPECT_EQ(it->iteration, static_cast<std::int32_t>(seen.size()));
    seen.push_back(*it);
    return it->iteration == stop_at;
  };
  return o;
}

// Of a method without pivots.
inline bool no_pivots_seen() {
  return std::all_of(seen.begin(), seen.end(),
                     [](const perp_iterate &it) { return it.entering == -1 && it.leaving == -1; });
}

}  // namespace tools

#endif
