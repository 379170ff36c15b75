// SPDX-License-Identifier: MIT
// The nearest point of a small polyhedron, by trial of all sets of active rows.
#ifndef PERP_FUZZ_VERDICTS_NEAREST_HPP
#define PERP_FUZZ_VERDICTS_NEAREST_HPP

#include "instance.hpp"

namespace verdicts {

// The point of {x : Hx >= K} that is nearest to w; as far as its rows go, they are few.
std::vector<long double> nearest_point(const polyhedron &d, const std::vector<long double> &w);

}  // namespace verdicts

#endif
