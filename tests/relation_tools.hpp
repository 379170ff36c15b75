// SPDX-License-Identifier: MIT
// Relations through their operations, at a point, in arrays with guards; derivatives by differences
// in long double arithmetic of the test's own.
#ifndef PERP_TESTS_RELATION_TOOLS_HPP
#define PERP_TESTS_RELATION_TOOLS_HPP

#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <cstdint>
#include <vector>

namespace tools {

struct relation_at {
  double t = 0, h = 0.01, h_before = 0;
  std::vector<double> q, v, lambda, before;
};

// Values of a relation, y to K; every array has guards behind it that must survive.
struct relation_values {
  std::int32_t code = 999;
  std::vector<double> y, ydot, H, D, r, B, K;
};

class guarded_array {
 public:
  explicit guarded_array(std::size_t n) : n_(n), x_(n + 4, 0.0) {
    for (std::size_t i = 0; i < 4; i++) x_[n + i] = 777;
  }
  double *data() { return x_.data(); }
  std::vector<double> take() {
    for (std::size_t i = 0; i < 4; i++) EXPECT_EQ(x_[n_ + i], 777) << "written past the end";
    return std::vector<double>(x_.begin(), x_.begin() + static_cast<std::ptrdiff_t>(n_));
  }

 private:
  std::size_t n_;
  std::vector<double> x_;
};

inline relation_values evaluate(const perp_relation &r, const relation_at &at) {
  const auto m = static_cast<std::size_t>(r.m), n = static_cast<std::size_t>(r.n);
  const bool first = r.ops->order == 1;
  const std::uint32_t has = r.ops->features(&r);
  const std::size_t doubles = r.ops->scratch_doubles == nullptr ? 0 : r.ops->scratch_doubles(&r);
  guarded_array y(m), ydot(m), H(m * n), D(m * m), reaction(n), B(n * m), K(n * n),
      scratch(doubles);
  for (std::size_t i = 0; i < doubles; i++) scratch.data()[i] = 999;
  const perp_relation_point point = {at.t,
                                     at.h,
                                     first ? nullptr : at.q.data(),
                                     at.v.data(),
                                     at.lambda.data(),
                                     at.before.data(),
                                     at.h_before};
  const perp_relation_values out = {y.data(),
                                    first ? nullptr : ydot.data(),
                                    H.data(),
                                    (has & PERP_RELATION_D) != 0 ? D.data() : nullptr,
                                    first ? reaction.data() : nullptr,
                                    first ? B.data() : nullptr,
                                    (has & PERP_RELATION_K) != 0 ? K.data() : nullptr};
  relation_values values;
  values.code = r.ops->evaluate(&r, &point, &out, scratch.data());
  values.y = y.take();
  values.ydot = ydot.take();
  values.H = H.take();
  values.D = D.take();
  values.r = reaction.take();
  values.B = B.take();
  values.K = K.take();
  scratch.take();
  return values;
}

inline void expect_near(const std::vector<double> &a, const std::vector<double> &b, double tol) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); i++) EXPECT_NEAR(a[i], b[i], tol) << "entry " << i;
}

}  // namespace tools

#endif
