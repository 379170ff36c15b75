// SPDX-License-Identifier: MIT
// Random numbers, and a problem as the fuzzer knows it: dense, with what is true of it.
#ifndef PERP_FUZZ_VERDICTS_INSTANCE_HPP
#define PERP_FUZZ_VERDICTS_INSTANCE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace verdicts {

using vec = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

// Numbers for sums that cancel: of 113 bits where the compiler has them.
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
using quad = long double;
#endif

inline std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Steele, Lea and Flood's splitmix64: every seed starts a sequence of its own.
class source {
 public:
  explicit source(std::uint64_t seed) : x_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = x_ += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  double signed_unit() { return 2 * unit() - 1; }
  bool chance(double p) { return unit() < p; }
  std::int32_t integer(std::int32_t a, std::int32_t b) {  // a ... b
    return a + static_cast<std::int32_t>(unit() * (b - a + 1));
  }
  double power(double a, double b) {
    return std::pow(10.0, a + (b - a) * unit());
  }  // 10^a ... 10^b

 private:
  std::uint64_t x_;
};

// What is known of M, and of the problem.
enum property : unsigned {
  kSymmetric = 1,
  kSemidefinite = 2,
  kDefinite = 4,
  kPMatrix = 8,
  kCopositive = 16,  // copositive-plus
  kSolvable = 32,    // by a theorem; the solution may be of any size
  kInfeasible = 64,  // by integers that prove it
  kUnitScale = 128   // numbers that neither overflow nor vanish, so that no wrong call is right
};

// A contact: friction (size 2, 3), or with rolling (size 3, 5).
struct contact {
  std::int32_t begin = 0, size = 0;
  double mu = 0, mu_rolling = 0;
  bool rolls = false;
  std::int32_t width() const {
    return rolls ? (size - 1) / 2 : size - 1;
  }  // of one tangential part
  std::int32_t parts() const { return rolls ? 2 : 1; }
  double coefficient(std::int32_t part) const { return part == 0 ? mu : mu_rolling; }
};

// {λ : Hλ >= K} for the unknowns begin ... n - 1.
struct polyhedron {
  std::int32_t begin = 0, rows = 0;
  vec H, K;  // H column by column
  bool bounded = false;
};

// y = M λ + q; unknowns of no contact or polyhedron have the intervals [lower, upper].
struct instance {
  std::int32_t n = 0;
  vec M, q, lower, upper;  // M column by column
  std::vector<contact> contacts;
  std::vector<polyhedron> polyhedra;  // none or one
  unsigned properties = kUnitScale;
  vec planted;  // λ of a solution up to the rounding of q; empty: none is known

  void resize(std::int32_t size) {
    n = size;
    M.assign(at(n) * at(n), 0);
    q.assign(at(n), 0);
    lower.assign(at(n), 0);
    upper.assign(at(n), kInf);
  }
  double &operator()(std::int32_t i, std::int32_t j) { return M[at(i) + at(n) * at(j)]; }
  double operator()(std::int32_t i, std::int32_t j) const { return M[at(i) + at(n) * at(j)]; }
  bool bounded(std::int32_t i) const { return lower[at(i)] > -kInf && upper[at(i)] < kInf; }
  bool has(unsigned bits) const { return (properties & bits) == bits; }
};

}  // namespace verdicts

#endif
