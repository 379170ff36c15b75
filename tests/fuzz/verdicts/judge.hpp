// SPDX-License-Identifier: MIT
// The judge of a point: the residual of the contract by its formulas, in extended precision, and in
// quadruple precision where that leaves a doubt. No code of the library has a part in it.
#ifndef PERP_FUZZ_VERDICTS_JUDGE_HPP
#define PERP_FUZZ_VERDICTS_JUDGE_HPP

#include "instance.hpp"

namespace verdicts {

constexpr double kTol = 1e-10;     // the default, with which all is solved
constexpr double kFloor = 1e-6;    // min(1e-2, max(1e-6, 10 tol)) of it
constexpr double kDoubt = 0x1p30;  // A from which an answer may be refused as infeasible

struct judgement {
  bool finite = false;
  bool within_tol = false;      // r <= tol scale
  bool within_ceiling = false;  // r <= 1e-6 hat
  long double residual = 0, scale = 0, hat = 0;
  long double norm = 0;   // of M
  long double reach = 0;  // largest |λ_i| in units of y, by that norm
  bool solved() const { return finite && within_tol && within_ceiling; }
  long double amplification() const { return scale == 0 ? 1 : scale / hat; }
};

// What a judge in doubles may lose of a sum, (n + 4) ε scale, is allowed in the first test.
judgement judge(const instance &p, const double *lambda);

}  // namespace verdicts

#endif
