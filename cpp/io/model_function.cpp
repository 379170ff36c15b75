// SPDX-License-Identifier: MIT
#include "io/model_function.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
  if (at.n_y > 0) {
    in[at.h()] = a.h;
    put(a.y, at.n_y, in + at.y());
    put(a.ydot, at.n_y, in + at.ydot());
    put(a.s, at.n_s, in + at.s());
  }
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

// ---- laws ----

const file_law &file(const perp_law *law) { return *reinterpret_cast<const file_law *>(law); }

std::int32_t run_law(std::size_t slot, const perp_law *law, call_arguments a, double *out) {
  a.z = file(law).open.z;
  return run(slot, a, out, const_cast<model_callbacks *>(file(law).with));
}
call_arguments arguments_of(const void *state, const perp_law_step *step) {
  call_arguments a;
  a.s = static_cast<const double *>(state);
  if (step != nullptr)
    a.t = step->t, a.h = step->h, a.y = step->y, a.ydot = step->ydot, a.lambda = step->lambda;
  return a;
}
// What cannot give up gives no number.
void run_or_nan(std::size_t slot, const perp_law *law, const call_arguments &a, double *out,
                std::int32_t count) {
  if (run_law(slot, law, a, out) != 0) std::fill_n(out, count, std::nan(""));
}

template <std::size_t S>
void law_project_fn(const perp_law *law, const void *state, const double *x, double *p) {
  call_arguments a = arguments_of(state, nullptr);
  a.x = x;
  const model_slot &s = file(law).with->programs->slots[S];
  run_or_nan(S, law, a, p, s.seeds > 0 ? law->size * law->size : law->size);
}
template <std::size_t S>
void law_shift_fn(const perp_law *law, const void *state, const double *y, double *yhat) {
  call_arguments a = arguments_of(state, nullptr);
  a.y = y;
  run_or_nan(S, law, a, yhat, law->size);
}
template <std::size_t S>
std::int32_t law_restitute_fn(const perp_law *law, const void *state, const perp_law_step *step,
                              double *q) {
  const auto size = static_cast<std::size_t>(law->size);
  scratch added(size);
  const std::int32_t status = run_law(S, law, arguments_of(state, step), added.data());
  for (std::size_t i = 0; status == 0 && i < size; i++) q[i] += added.data()[i];
  return status;
}
template <std::size_t S>
void law_preload_fn(const perp_law *law, const void *state, const perp_law_step *step, double *s) {
  run_or_nan(S, law, arguments_of(state, step), s, law->size);
}
template <std::size_t S>
void law_compliance_fn(const perp_law *law, double h, double *D) {
  call_arguments a;
  a.h = h;
  run_or_nan(S, law, a, D, law->size * law->size);
}
template <std::size_t S>
std::int32_t law_acts_fn(const perp_law *law, const void *state) {
  double yes = 1;
  return run_law(S, law, arguments_of(state, nullptr), &yes) != 0 || yes != 0 ? 1 : 0;
}
template <std::size_t S>
void law_commit_fn(const perp_law *law, void *state, const perp_law_step *step) {
  const std::int32_t n = file(law).n_s;
  scratch next(static_cast<std::size_t>(n));
  run_or_nan(S, law, arguments_of(state, step), next.data(), n);
  std::copy_n(next.data(), n, static_cast<double *>(state));
}

void law_bounds(const perp_law *law, double *lower, double *upper) {
  std::copy_n(file(law).lower, law->size, lower);
  std::copy_n(file(law).upper, law->size, upper);
}
std::size_t law_state_bytes(const perp_law *law) {
  return static_cast<std::size_t>(file(law).n_s) * sizeof(double);
}
void law_state_init(const perp_law *law, void *state) {
  std::copy_n(file(law).start, file(law).n_s, static_cast<double *>(state));
}
// At order 1.
void law_commit(const perp_law *law, void *state, const double *y, const double *lambda) {
  scratch none(static_cast<std::size_t>(law->size));
  std::fill_n(none.data(), law->size, 0.0);
  const perp_law_step step = {0, 0, y, none.data(), lambda};
  law->ops->commit_step(law, state, &step);
}
const perp_field *law_fields(const perp_law *) {
#define AT(field) static_cast<std::uint16_t>(offsetof(file_law, field))
  static const perp_field fields[] = {
      {AT(open.z), PERP_HOLDS_ARRAY, AT(open.n_z), PERP_FIXED(1)},
      {AT(open.index), PERP_HOLDS_NUMBERS, PERP_FIXED(1), PERP_FIXED(1)},
      {AT(start), PERP_HOLDS_ARRAY, AT(n_s), PERP_FIXED(1)},
      {AT(lower), PERP_HOLDS_ARRAY, AT(open.law.size), PERP_FIXED(1)},
      {AT(upper), PERP_HOLDS_ARRAY, AT(open.law.size), PERP_FIXED(1)},
      {0, PERP_HOLDS_END, 0, 0}};
#undef AT
  return fields;
}

template <class F>
any_function plain(F *f) {
  return reinterpret_cast<any_function>(f);
}

struct row {
  any_function time, state, state_x, first_order, relation, gap, body, jacobian;
  any_function project, shift, restitute, preload, compliance, acts, commit;
};

template <std::size_t... S>
std::array<row, sizeof...(S)> make_rows(std::index_sequence<S...>) {
  return {row{plain(time_fn<S>), plain(state_fn<S>), plain(state_x_fn<S>), plain(first_order_fn<S>),
              plain(relation_fn<S>), plain(gap_fn<S>), plain(body_fn<S>),
              plain(body_jacobian_fn<S>), plain(law_project_fn<S>), plain(law_shift_fn<S>),
              plain(law_restitute_fn<S>), plain(law_preload_fn<S>), plain(law_compliance_fn<S>),
              plain(law_acts_fn<S>), plain(law_commit_fn<S>)}...};
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
    case signature::law_project:
      return f.project;
    case signature::law_shift:
      return f.shift;
    case signature::law_restitute:
      return f.restitute;
    case signature::law_preload:
      return f.preload;
    case signature::law_compliance:
      return f.compliance;
    case signature::law_acts:
      return f.acts;
    case signature::law_commit:
      return f.commit;
    case signature::find:
    case signature::none:
      break;
  }
  return nullptr;
}

any_function body_jacobian(std::size_t slot) { return functions(slot).jacobian; }

void finish_law(const file_law &law, perp_law_ops *ops) {
  if (law.lower != nullptr && law.upper != nullptr) ops->bounds = law_bounds;
  if (law.n_s > 0) ops->state_bytes = law_state_bytes, ops->state_init = law_state_init;
  if (ops->commit_step != nullptr) ops->commit = law_commit;
  ops->fields = law_fields;
}

}  // namespace perp::io
