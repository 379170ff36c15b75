// SPDX-License-Identifier: MIT
#include "io/model_function.hpp"

#include <algorithm>
#include <utility>

namespace perp::io {

namespace {

// Memory for a call, without an allocation where it is little.
class scratch {
 public:
  explicit scratch(std::size_t count) {
    if (count > few_.size()) many_.resize(count);
  }
  double *data() { return many_.empty() ? few_.data() : many_.data(); }

 private:
  std::array<double, 192> few_;
  std::vector<double> many_;
};

void put(const double *from, std::int32_t count, double *to) {
  if (from != nullptr)
    std::copy_n(from, count, to);
  else
    std::fill_n(to, count, 0.0);
}

// out (rows x 6 a body) := J (rows x 7 a body) times the derivative of q ⊕ d by d at 0:
// Q * (0, d_r)/2.
void by_increments(const double *J, std::int32_t rows, std::int32_t bodies, const double *q,
                   double *out) {
  for (std::int32_t b = 0; b < bodies; b++, q += 7) {
    const double *const Q = q + 3;
    const double T[3][4] = {{-Q[1] / 2, Q[0] / 2, Q[3] / 2, -Q[2] / 2},
                            {-Q[2] / 2, -Q[3] / 2, Q[0] / 2, Q[1] / 2},
                            {-Q[3] / 2, Q[2] / 2, -Q[1] / 2, Q[0] / 2}};
    for (std::int32_t i = 0; i < rows; i++) {
      for (std::int32_t k = 0; k < 3; k++) out[i + rows * k] = J[i + rows * k];
      for (std::int32_t k = 0; k < 3; k++) {
        double sum = 0;
        for (std::int32_t j = 0; j < 4; j++) sum += J[i + rows * (3 + j)] * T[k][j];
        out[i + rows * (3 + k)] = sum;
      }
    }
    J += rows * 7, out += rows * 6;
  }
}

std::int32_t run(std::size_t slot, const call_arguments &a, double *out, void *user) {
  const auto &with = *static_cast<const model_callbacks *>(user);
  const model_slot &s = with.programs->slots[slot];
  if (s.other != nullptr) return s.call(s.other, with, a, out);
  const input_layout &at = with.programs->layout;
  scratch inputs(static_cast<std::size_t>(at.all()));
  double *const in = inputs.data();
  in[0] = a.t;
  put(a.q, at.n_q, in + at.q());
  put(a.v, at.n_v, in + at.v());
  put(a.x, at.n_x, in + at.x());
  put(a.lambda, at.n_lambda, in + at.lambda());
  put(a.z, at.n_z, in + at.z());
  in[at.index()] = with.index;
  if (s.seeds == 0) {
    perp_expression_evaluate(s.program.get(), in, out);
    return 0;
  }
  const auto texts = static_cast<std::size_t>(s.texts);
  scratch values(texts);
  if (!s.by_increments) {
    perp_expression_derive(s.program.get(), in, values.data(), out);
    return 0;
  }
  scratch J(texts * static_cast<std::size_t>(s.seeds));
  perp_expression_derive(s.program.get(), in, values.data(), J.data());
  by_increments(J.data(), s.texts, at.bodies, a.q, out);
  return 0;
}

template <std::size_t S>
std::int32_t time_fn(double t, double *out, void *user) {
  call_arguments a;
  a.t = t;
  return run(S, a, out, user);
}
template <std::size_t S>
std::int32_t state_fn(double t, const double *q, const double *v, const double *z, double *out,
                      void *user) {
  return run(S, {t, q, v, nullptr, nullptr, z}, out, user);
}
template <std::size_t S>
std::int32_t state_x_fn(double t, const double *, const double *x, const double *z, double *out,
                        void *user) {
  return run(S, {t, nullptr, nullptr, x, nullptr, z}, out, user);
}
template <std::size_t S>
std::int32_t first_order_fn(double t, const double *x, const double *z, double *out, void *user) {
  return run(S, {t, nullptr, nullptr, x, nullptr, z}, out, user);
}
template <std::size_t S>
std::int32_t relation_fn(double t, const double *x, const double *lambda, const double *z,
                         double *out, void *user) {
  return run(S, {t, nullptr, nullptr, x, lambda, z}, out, user);
}
template <std::size_t S>
std::int32_t gap_fn(double t, const double *q, const double *lambda, const double *z, double *out,
                    void *user) {
  return run(S, {t, q, nullptr, nullptr, lambda, z}, out, user);
}
template <std::size_t S>
std::int32_t body_fn(double t, const double *q, const double *v, double *out, void *user) {
  return run(S, {t, q, v, nullptr, nullptr, nullptr}, out, user);
}
template <std::size_t S>
std::int32_t body_jacobian_fn(double t, const double *q, const double *v, double *by_d,
                              double *by_v, void *user) {
  const call_arguments a = {t, q, v, nullptr, nullptr, nullptr};
  const std::int32_t status = run(S, a, by_d, user);
  return status != 0 ? status : run(S + 1, a, by_v, user);
}

template <class F>
any_function plain(F *f) {
  return reinterpret_cast<any_function>(f);
}

struct row {
  any_function time, state, state_x, first_order, relation, gap, body, jacobian;
};

template <std::size_t... S>
std::array<row, sizeof...(S)> make_rows(std::index_sequence<S...>) {
  return {row{plain(time_fn<S>), plain(state_fn<S>), plain(state_x_fn<S>), plain(first_order_fn<S>),
              plain(relation_fn<S>), plain(gap_fn<S>), plain(body_fn<S>),
              plain(body_jacobian_fn<S>)}...};
}

const row &functions(std::size_t slot) {
  static const auto rows = make_rows(std::make_index_sequence<most_slots>());
  return rows.at(slot);
}

}  // namespace

any_function callback(signature called, std::size_t slot) {
  const row &f = functions(slot);
  switch (called) {
    case signature::time:
      return f.time;
    case signature::state:
    case signature::velocity:
      return f.state;
    case signature::state_x:
      return f.state_x;
    case signature::first_order:
      return f.first_order;
    case signature::relation:
      return f.relation;
    case signature::gap:
      return f.gap;
    case signature::body:
      return f.body;
    case signature::none:
      break;
  }
  return nullptr;
}

any_function body_jacobian(std::size_t slot) { return functions(slot).jacobian; }

}  // namespace perp::io
