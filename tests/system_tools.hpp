// SPDX-License-Identifier: MIT
// The operations of a system or relation, called with scratch of the exact size between canaries.
#ifndef PERP_TESTS_SYSTEM_TOOLS_HPP
#define PERP_TESTS_SYSTEM_TOOLS_HPP

#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/perp.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace tools {

using vec = std::vector<double>;

// Memory of n doubles that tells when somebody wrote past its ends.
struct guarded {
  vec memory;
  explicit guarded(std::size_t n) : memory(n + 2, 12345.0) {}
  ~guarded() {
    EXPECT_EQ(memory.front(), 12345.0);
    EXPECT_EQ(memory.back(), 12345.0);
  }
  guarded(const guarded &) = delete;
  double *get() { return memory.data() + 1; }
};

struct jacobian_pair {
  std::int32_t code;
  vec dq, dv;
};

struct evaluated {
  const perp_system *system;
  std::int32_t code = 999;

  explicit evaluated(const perp_system &s) : system(&s) {}
  std::size_t n() const { return static_cast<std::size_t>(system->n); }
  std::size_t scratch() const {
    return system->ops->scratch_doubles == nullptr ? 0 : system->ops->scratch_doubles(system);
  }
  const double *positions(const vec &q) const {
    return system->ops->order == 2 ? q.data() : nullptr;
  }

  vec mass(double t, const vec &q) {
    guarded s(scratch());
    vec M(n() * n(), 0.0);
    code = system->ops->mass(system, t, positions(q), M.data(), s.get());
    return M;
  }
  vec force(double t, const vec &q, const vec &v) {
    guarded s(scratch());
    vec f(n(), 999);
    code = system->ops->force(system, t, positions(q), v.data(), f.data(), s.get());
    return f;
  }
  jacobian_pair jacobians(double t, const vec &q, const vec &v) {
    guarded s(scratch());
    const bool second = system->ops->order == 2;
    jacobian_pair J{999, vec(second ? n() * n() : 0, 0.0), vec(n() * n(), 0.0)};
    J.code = system->ops->jacobians(system, t, positions(q), v.data(),
                                    second ? J.dq.data() : nullptr, J.dv.data(), s.get());
    return J;
  }
  // Central differences of force, by q or by v.
  vec reference(double t, const vec &q, const vec &v, bool by_q) {
    vec J(n() * n());
    for (std::size_t j = 0; j < n(); j++) {
      const double h = 1e-5;
      vec a[2] = {q, v}, b[2] = {q, v};
      a[by_q ? 0 : 1][j] += h;
      b[by_q ? 0 : 1][j] -= h;
      const vec up = force(t, a[0], a[1]), down = force(t, b[0], b[1]);
      for (std::size_t i = 0; i < n(); i++) J[i + n() * j] = (up[i] - down[i]) / (2 * h);
    }
    return J;
  }
  double kinetic = 999, potential = 999;
  void energy(double t, const vec &q, const vec &v) {
    guarded s(scratch());
    system->ops->energy(system, t, q.data(), v.data(), &kinetic, &potential, s.get());
  }
};

inline void expect_near(const vec &a, const vec &b, double tol) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); i++) EXPECT_NEAR(a[i], b[i], tol) << i;
}

// The check of a model of this one system: status and field.
struct verdict {
  perp_status status;
  std::string field;
  double value;
};
inline verdict check(const perp_system &s) {
  perp_info info = PERP_INFO_INIT;
  const perp_system *list[] = {&s};
  perp_model m = PERP_MODEL_INIT;
  m.n_systems = 1;
  m.systems = list;
  const perp_status status = perp_model_check(&m, &info);
  EXPECT_EQ(perp_model_check(&m, nullptr), status);
  EXPECT_EQ(info.index, status == PERP_OK ? -1 : 0);
  return {status, info.field == nullptr ? "" : info.field, info.value};
}
inline void expect_refused(const perp_system &s, const char *field,
                           perp_status status = PERP_EINVAL) {
  const verdict v = check(s);
  EXPECT_EQ(v.status, status) << field;
  EXPECT_EQ(v.field, field);
}

}  // namespace tools

#endif
