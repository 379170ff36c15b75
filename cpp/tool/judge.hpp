// SPDX-License-Identifier: MIT
// The residual of docs/one-step-problem.md once more, in long double and from the file's own
// arrays, by code that shares nothing with the library.
#ifndef PERP_TOOL_JUDGE_HPP
#define PERP_TOOL_JUDGE_HPP

#include "io/problem.hpp"

namespace perp::tool {

class judge {
 public:
  // Problems with laws by component; throws io::no_law for others.
  explicit judge(const io::any_problem &problem);

  // Whether lambda is a solution at tolerance tol, as the library promises it of "solved", but for
  // rounding.
  bool is_solution(const io::reals &lambda, double tol) const;

 private:
  struct measures {
    long double residual = 0;  // the largest
    long double scale = 0;     // ‖ |M||λ| + |q| ‖∞
    long double ceiling = 0;
  };
  measures measure(const io::reals &lambda) const;

  std::vector<io::triplet> entries_;
  io::reals q_, lower_, upper_;
  std::vector<long double> rho_;
};

}  // namespace perp::tool

#endif
