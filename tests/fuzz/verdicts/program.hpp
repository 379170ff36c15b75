// SPDX-License-Identifier: MIT
// Convex quadratic programs: min ½ xᵀP x + cᵀx, row_lower <= A x <= row_upper, lower <= x <= upper.
#ifndef PERP_FUZZ_VERDICTS_PROGRAM_HPP
#define PERP_FUZZ_VERDICTS_PROGRAM_HPP

#include "trial.hpp"

namespace verdicts {

// What is known of a program, by whole numbers that prove it.
enum class truth { open, solvable, infeasible, unbounded };

struct program {
  std::int32_t n = 0, m = 0;
  vec P, A, c, row_lower, row_upper, lower, upper;  // P and A column by column
  bool definite = false;
  truth known = truth::open;
  vec x, nu, zeta;  // if solvable: a minimum and its multipliers, up to the rounding of c

  void resize(std::int32_t unknowns, std::int32_t rows);
  double hess(std::int32_t i, std::int32_t j) const { return P[at(i) + at(n) * at(j)]; }
  double row(std::int32_t k, std::int32_t j) const { return A[at(k) + at(m) * at(j)]; }
};

struct program_family {
  const char *name;
  void (*make)(source &s, program &p);
};
const std::vector<program_family> &program_families();

// The residual of qp.h by its formulas, in extended precision.
struct program_judgement {
  bool finite = false, within_tol = false, primal_passes = false, dual_passes = false;
  long double primal = 0, dual = 0, gap = 0, relative = 0;  // relative: the largest part
  long double primal_hat = 0, dual_hat = 0, amplification = 1;
  bool solved() const { return finite && within_tol && primal_passes && dual_passes; }
};
program_judgement judge(const program &p, const vec &x, const vec &nu, const vec &zeta);

// In rationals: whether there is a feasible point, and a direction along which the objective falls
// for ever from any such point.
bool is_feasible(const program &p);
bool has_descent(const program &p);

void try_program(const program_family &f, std::uint64_t seed, const settings &how, tally &t);

}  // namespace verdicts

#endif
