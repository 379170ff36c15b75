// SPDX-License-Identifier: MIT
// u = W r + q of files whose equations stand apart, in long double and by code that shares nothing
// with the library: what the second judge judges.
#ifndef PERP_TOOL_CONDENSE_HPP
#define PERP_TOOL_CONDENSE_HPP

#include "io/problem.hpp"

namespace perp::tool {

struct one_step {
  std::vector<io::triplet> entries;
  io::reals q;
};

// With the velocities eliminated, component by component of M; rows of G behind those of H. Throws
// io::no_law where M is singular, or a component too large to be factorised densely.
one_step condense(const io::global_friction &problem);
// [[W V] [Vᵀ R]] and (q, s).
one_step join(const io::friction &problem);

}  // namespace perp::tool

#endif
