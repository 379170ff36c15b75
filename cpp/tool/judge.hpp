// SPDX-License-Identifier: MIT
// The residual of docs/verification.md once more, in long double and from the file's own
// arrays, by code that shares nothing with the library.
#ifndef PERP_TOOL_JUDGE_HPP
#define PERP_TOOL_JUDGE_HPP

#include "io/problem.hpp"

namespace perp::tool {

class judge {
 public:
  // A problem of any class, condensed if it is global; throws io::no_law where there is no law, or
  // no condensed problem.
  explicit judge(const io::any_problem &problem);

  // Whether lambda is a solution at tolerance tol, as the library promises it of "solved", but for
  // rounding.
  bool is_solution(const io::reals &lambda, double tol) const;

 private:
  using real = long double;
  // One copy of a law: an interval, or a contact whose force is split into a normal entry and parts
  // of equal width, each no longer than its coefficient times the normal one.
  struct copy {
    std::size_t begin, size;
    double lower, upper;           // size 1
    std::vector<double> friction;  // otherwise
  };
  struct measures {
    real residual = 0;  // the largest
    real scale = 0;     // ‖ |M||λ| + |q| ‖∞
    real hat = 0;       // ‖ |M|λ̂ + |q| ‖∞
  };
  void add_intervals(std::int32_t count, double lower, double upper);
  void add_equations(std::size_t count);
  void add_contact(std::size_t size, std::vector<double> friction);
  void add_laws(const io::any_problem &problem);
  measures measure(const io::reals &lambda) const;
  real column_norm(const copy &c) const;
  real miss(const copy &c, const io::reals &lambda, const std::vector<real> &y) const;

  std::vector<io::triplet> entries_;
  io::reals q_;
  std::vector<copy> copies_;
  std::vector<real> square_;  // of the columns of M
};

}  // namespace perp::tool

#endif
