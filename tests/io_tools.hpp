// SPDX-License-Identifier: MIT
// One problem of each class, with numbers that are hard to print, and equality of what files keep.
#ifndef PERP_TESTS_IO_TOOLS_HPP
#define PERP_TESTS_IO_TOOLS_HPP

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/file.hpp"

namespace tools {

using namespace perp::io;

// Numbers with all digits, signs and magnitudes; some are 0.
inline double hard(std::size_t k) {
  const double list[] = {1.0 / 3, -2e-308, 0,           1.7976931348623157e308, -5e-324, 0.1,
                         0,       -7,      123456789.25};
  return list[k % 9];
}

inline reals hards(std::size_t count, std::size_t from = 0) {
  reals v;
  for (std::size_t i = 0; i < count; i++) v.push_back(hard(from + i));
  return v;
}

inline matrix hard_matrix(std::int32_t rows, std::int32_t cols) {
  return dense(rows, cols, hards(at(rows) * at(cols), 4));
}

inline reals coefficients(std::size_t count) {
  reals mu(count, 0.3);
  if (count > 0) mu[0] = 1.0 / 3;
  return mu;
}

inline std::vector<any_problem> one_of_each() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<any_problem> all;
  all.emplace_back(lcp{hard_matrix(5, 5), hards(5)});
  all.emplace_back(mlcp{hard_matrix(6, 6), hards(6), {0, 1, 3, 6}, {true, false, true}});
  all.emplace_back(relay{hard_matrix(3, 3), hards(3), {-inf, -1, 0.5}, {0, inf, 0.5}});
  for (const std::int32_t dim : {2, 3})
    all.emplace_back(
        friction{dim, hard_matrix(2 * dim, 2 * dim), hards(at(2 * dim)), coefficients(2), {}});
  for (const std::int32_t dim : {2, 3})
    all.emplace_back(global_friction{dim,
                                     hard_matrix(5, 5),
                                     hard_matrix(5, 2 * dim),
                                     hards(5),
                                     hards(at(2 * dim)),
                                     coefficients(2),
                                     {}});
  for (const std::int32_t dim : {3, 5})
    all.emplace_back(rolling{dim, hard_matrix(2 * dim, 2 * dim), hards(at(2 * dim)),
                             coefficients(2), coefficients(2)});
  const ints cuts{0, 3, 5, 7, 9};
  all.emplace_back(mixed{
      to_blocks(hard_matrix(9, 9), cuts, cuts), hards(9), cuts, {4, 3, 2, 0}, {0.7, 0, 0, 0}});
  return all;
}

inline bool same(const matrix &a, const matrix &b) {
  return a.rows == b.rows && a.cols == b.cols && to_dense(a).values == to_dense(b).values;
}

inline bool same(const lcp &a, const lcp &b) { return same(a.M, b.M) && a.q == b.q; }
inline bool same(const mlcp &a, const mlcp &b) {
  return same(a.M, b.M) && a.q == b.q && a.cuts == b.cuts && a.complementary == b.complementary;
}
inline bool same(const relay &a, const relay &b) {
  return same(a.M, b.M) && a.q == b.q && a.lower == b.lower && a.upper == b.upper;
}
inline bool same(const friction &a, const friction &b) {
  bool equal = a.dim == b.dim && same(a.W, b.W) && a.q == b.q && a.mu == b.mu;
  equal = equal && a.equations.has_value() == b.equations.has_value();
  return equal && (!a.equations ||
                   (same(a.equations->V, b.equations->V) && same(a.equations->R, b.equations->R) &&
                    a.equations->s == b.equations->s));
}
inline bool same(const global_friction &a, const global_friction &b) {
  bool equal = a.dim == b.dim && same(a.M, b.M) && same(a.H, b.H) && a.q == b.q && a.b == b.b &&
               a.mu == b.mu && a.equations.has_value() == b.equations.has_value();
  return equal && (!a.equations ||
                   (same(a.equations->G, b.equations->G) && a.equations->b == b.equations->b));
}
inline bool same(const rolling &a, const rolling &b) {
  return a.dim == b.dim && same(a.M, b.M) && a.q == b.q && a.mu == b.mu &&
         a.mu_rolling == b.mu_rolling;
}
inline bool same(const mixed &a, const mixed &b) {
  return same(a.M, b.M) && a.q == b.q && a.cuts == b.cuts && a.types == b.types && a.mu == b.mu;
}
inline bool same(const any_problem &a, const any_problem &b) {
  if (a.index() != b.index()) return false;
  return std::visit([&](const auto &x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); },
                    a);
}

// A folder that goes away with its contents.
class folder {
 public:
  folder() {
    const auto base = std::filesystem::temp_directory_path() / "perp-test-XXXXXX";
    std::string name = base.string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~folder() {
    std::error_code none;
    if (!path_.empty()) std::filesystem::remove_all(path_, none);
  }
  folder(const folder &) = delete;
  folder &operator=(const folder &) = delete;
  std::string operator/(const std::string &name) const { return path_ + "/" + name; }
  std::size_t count() const {
    std::size_t n = 0;
    for (const auto &entry : std::filesystem::directory_iterator(path_))
      n += entry.exists() ? 1 : 0;
    return n;
  }

 private:
  std::string path_;
};

}  // namespace tools

#endif
