// SPDX-License-Identifier: MIT
// Questions that are answered in rational numbers, for the few verdicts that need them.
#ifndef PERP_FUZZ_VERDICTS_EXACT_HPP
#define PERP_FUZZ_VERDICTS_EXACT_HPP

#include <gmpxx.h>

#include <optional>

#include "instance.hpp"

namespace verdicts {

using rational = mpq_class;
using rational_row = std::vector<rational>;

// x >= 0 with A x = b, or none, by the simplex method with Bland's rule. rows of A, all as long.
std::optional<rational_row> feasible_point(std::vector<rational_row> A, rational_row b);

// An exact solution of a problem with intervals.
struct exact_solution {
  double norm;           // ‖λ‖₁
  double amplification;  // ‖|M||λ|+|q|‖∞ / ‖|M|λ̂+|q|‖∞
  bool fits;             // λ is in the range of doubles
};

enum class answer { yes, no, unknown };

struct exact_answer {
  answer solvable = answer::unknown;
  exact_solution solution{0, 0, true};  // if yes: one of small A, where that was to be had
};

// Whether a problem with intervals has a solution, all complementary bases taken together. most:
// programs that may be solved for it.
exact_answer solve_exactly(const instance &p, int most = 3000);

// Whether λ solves a problem to the last bit, contacts too.
bool solves_exactly(const instance &p, const vec &lambda);

}  // namespace verdicts

#endif
