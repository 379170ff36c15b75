// SPDX-License-Identifier: MIT
// Systems of random models: linear ones, mechanisms, bodies, circuits.
#ifndef PERP_TESTS_RANDOM_SYSTEMS_HPP
#define PERP_TESTS_RANDOM_SYSTEMS_HPP

#include "random_parts.hpp"

namespace tools {

// M v̇ + C v + K q = f + F(t) + T u(t, q, v), with diagonal or dense parts.
inline void random_model::linear_system(bool controlled) {
  const std::int32_t n = 1 + d.pick(4);
  perp_lagrangian_linear &s = body(n);
  judged_system j;
  const auto part = [&](double low, double high, bool dense) {
    vec A = symmetric(n, low, high);
    for (std::size_t i = 0; !dense && i < A.size(); i++)
      if (i % (at(n) + 1) != 0) A[i] = 0;
    return A;
  };
  const auto view = [&](const vec &A, bool dense) {
    if (dense) return perp_dense(n, n, keep(A));
    vec diagonal;
    for (std::size_t i = 0; i < A.size(); i += at(n) + 1) diagonal.push_back(A[i]);
    return perp_diagonal(n, keep(diagonal));
  };
  const bool dense = d.chance(0.5), dense_K = d.chance(0.3);
  const vec M = part(1, 3, dense), none(at(n) * at(n), 0.0);
  const vec C = d.chance(0.5) ? part(0.1, 1, dense) : none;
  const vec K = d.chance(0.5) ? part(1, 20, dense_K) : none;
  const vec f = d.many(at(n), -3, 3);
  s.M = view(M, dense);
  if (C != none) s.C = view(C, dense);
  if (K != none) s.K = view(K, dense_K);
  s.f = keep(f);
  smooth F, u;
  if (d.chance(0.5)) {
    F = smooth(d, n, 0, 0, 0, 5);
    functions &g = more();
    g.f[0] = [F](wide t, const double *, const double *, double *out) {
      for (std::int32_t i = 0; i < F.m; i++) out[i] = double(F.value(i, t, out));
    };
    s.force = call_time<0>;
    s.user = &g;
  }
  const vec T = d.many(at(n), -1, 1);
  if (controlled) {
    u = smooth(d, 1, 2 * n, 1, 1, 1);
    functions &g = more();
    g.f[0] = [u, n](wide t, const double *q, const double *v, double *out) {
      vec x(q, q + n);
      x.insert(x.end(), v, v + n);
      *out = double(u.value(0, t, x.data()));
    };
    s.control.n_u = 1;
    s.control.T = keep(T);
    s.control.u = call<0>;
    s.control.user = &g;
  }
  j.n = j.n_q = n;
  j.exact = true;
  j.K = widened(K);
  j.f0 = widened(f);
  j.mass = [M](const wide *) { return widened(M); };
  j.other = [=](wide t, const wide *q, const wide *v) {
    wides out = product(n, n, C.data(), v), x(q, q + n);
    x.insert(x.end(), v, v + n);
    for (std::int32_t i = 0; i < n; i++) {
      out[at(i)] = -out[at(i)] + (F.m > 0 ? F.value(i, t, q) : 0);
      if (u.m > 0) out[at(i)] += T[at(i)] * u.value(0, t, x.data());
    }
    return out;
  };
  const auto other = j.other;
  j.force = [=](wide t, const wide *q, const wide *v) {
    wides out = other(t, q, v);
    const wides k = product(n, n, K.data(), q);
    for (std::int32_t i = 0; i < n; i++) out[at(i)] += f[at(i)] - k[at(i)];
    return out;
  };
  place(std::move(j), s.system, d.many(at(n), -1, 1), d.many(at(n), -2, 2));
}

// Mass M0 + diag(a cos q), the N it brings, a bending spring and damper, a force of time.
inline void random_model::nonlinear_system() {
  const std::int32_t n = 1 + d.pick(3);
  perp_lagrangian &s = lagrangians.emplace_back();
  perp_lagrangian_init(&s, sizeof s, n);
  const vec M = symmetric(n, 1, 3), a = d.many(at(n), -0.4, 0.4), f = d.many(at(n), -3, 3);
  const smooth F(d, n, 2 * n, 1, 1, 0), E(d, n, 0, 0, 0, 3);
  functions &g = more();
  g.f[0] = [=](wide, const double *q, const double *, double *out) {
    std::copy(M.begin(), M.end(), out);
    for (std::int32_t i = 0; i < n; i++) out[i * (n + 1)] += a[at(i)] * std::cos(q[i]);
  };
  g.f[1] = [=](wide, const double *q, const double *v, double *out) {
    for (std::int32_t i = 0; i < n; i++) out[i] = -0.5 * a[at(i)] * std::sin(q[i]) * v[i] * v[i];
  };
  const auto both = [n](const auto *q, const auto *v) {
    wides x(q, q + n);
    x.insert(x.end(), v, v + n);
    return x;
  };
  g.f[2] = [=](wide t, const double *q, const double *v, double *out) {
    const wides x = both(q, v);
    for (std::int32_t i = 0; i < n; i++) out[i] = double(F.value(i, t, x.data()));
  };
  g.f[3] = [=](wide t, const double *, const double *, double *out) {
    for (std::int32_t i = 0; i < n; i++) out[i] = double(E.value(i, t, out));
  };
  g.f[4] = [=](wide, const double *q, const double *v, double *out) {
    const wides x = both(q, v);
    for (std::int32_t k = 0; k < n; k++)
      for (std::int32_t i = 0; i < n; i++) out[i + n * k] = double(F.by(i, k, x.data()));
  };
  g.f[5] = [=](wide, const double *q, const double *v, double *out) {
    const wides x = both(q, v);
    for (std::int32_t k = 0; k < n; k++)
      for (std::int32_t i = 0; i < n; i++) out[i + n * k] = double(F.by(i, n + k, x.data()));
  };
  const bool bends = d.chance(0.8), pushed = d.chance(0.8), timed = d.chance(0.5);
  const bool constant = d.chance(0.2);
  if (constant)
    s.M = perp_dense(n, n, keep(M));
  else
    s.mass = call<0>;
  if (!constant) s.gyroscopic = call<1>;
  if (bends) s.internal = call<2>;
  if (timed) s.external = call<3>;
  if (d.chance(0.5)) {
    s.internal_dq = bends ? call<4> : nullptr;
    s.internal_dv = bends ? call<5> : nullptr;
  }
  if (pushed) s.f = keep(f);
  s.user = &g;
  judged_system j;
  j.n = j.n_q = n;
  j.mass = [=](const wide *q) {
    wides out = widened(M);
    for (std::int32_t i = 0; !constant && i < n; i++)
      out[at(i) * (at(n) + 1)] += a[at(i)] * std::cos(q[i]);
    return out;
  };
  j.force = [=](wide t, const wide *q, const wide *v) {
    wides out(at(n), 0);
    const wides x = both(q, v);
    for (std::int32_t i = 0; i < n; i++) {
      if (!constant) out[at(i)] += 0.5L * a[at(i)] * std::sin(q[i]) * v[i] * v[i];
      if (bends) out[at(i)] -= F.value(i, t, x.data());
      if (timed) out[at(i)] += E.value(i, t, q);
      if (pushed) out[at(i)] += f[at(i)];
    }
    return out;
  };
  place(std::move(j), s.system, d.many(at(n), -1, 1), d.many(at(n), -2, 2));
}

// m ẍ = f − c ẋ,  I Ω̇ = −Ω × IΩ + T(t).
inline void random_model::body_system() {
  perp_body &s = rigid.emplace_back();
  perp_body_init(&s, sizeof s);
  const double m = d.in(0.5, 2), c = d.chance(0.5) ? d.in(0, 1) : 0;
  const vec I = symmetric(3, 0.5, 1.5), f = d.many(3, -4, 4);
  const smooth T(d, 3, 0, 0, 0, 2);
  const bool turned = d.chance(0.5);
  s.mass = m;
  std::copy(I.begin(), I.end(), s.inertia);
  std::copy(f.begin(), f.end(), s.f);
  functions &g = more();
  g.f[0] = [=](wide, const double *, const double *v, double *out) {
    for (std::int32_t i = 0; i < 3; i++) out[i] = -c * v[i];
  };
  g.f[1] = [=](wide t, const double *, const double *, double *out) {
    for (std::int32_t i = 0; i < 3; i++) out[i] = double(T.value(i, t, out));
  };
  if (c > 0) s.force = call_body<0>;
  if (turned) s.torque = call_body<1>;
  s.user = &g;
  s.gyroscopic = d.chance(0.7) ? PERP_GYROSCOPIC_IMPLICIT : PERP_GYROSCOPIC_EXPLICIT;
  judged_system j;
  j.n = 6;
  j.n_q = 7;
  j.body = j.exact = true;
  j.K = wides(36, 0);
  j.f0 = wides(6, 0);
  std::copy(f.begin(), f.end(), j.f0.begin());
  j.mass = [=](const wide *) {
    wides M(36, 0);
    for (std::size_t i = 0; i < 3; i++) M[7 * i] = m;
    for (std::size_t i = 0; i < 9; i++) M[3 + i % 3 + 6 * (3 + i / 3)] = I[i];
    return M;
  };
  j.other = [=](wide t, const wide *, const wide *v) {
    wides out(6, 0);
    const wide *w = v + 3;
    const wides L = product(3, 3, I.data(), w);
    for (std::size_t i = 0; i < 3; i++) {
      const std::size_t k = (i + 1) % 3, l = (i + 2) % 3;
      out[i] = -c * v[i];
      out[3 + i] = -(w[k] * L[l] - w[l] * L[k]);
      if (turned) out[3 + i] += T.value(std::int32_t(i), t, v);
    }
    return out;
  };
  const auto other = j.other;
  j.force = [=](wide t, const wide *q, const wide *v) {
    wides out = other(t, q, v);
    for (std::size_t i = 0; i < 3; i++) out[i] += f[i];
    return out;
  };
  vec q = d.many(3, -1, 1), Q(4);
  const vec axis = d.many(3, -1, 1);
  perp_rotation_quaternion(axis.data(), d.in(0.1, 3), Q.data());
  q.insert(q.end(), Q.begin(), Q.end());
  place(std::move(j), s.system, q, d.many(6, -1.5, 1.5));
}

inline void random_model::first_linear(bool controlled) {
  const std::int32_t n = 1 + d.pick(4);
  perp_first_order_linear &s = circuit(n);
  const bool massive = d.chance(0.4), swings = d.chance(0.3), driven = d.chance(0.5);
  vec A = d.many(at(n) * at(n), -1, 1);
  for (std::int32_t i = 0; i < n; i++) A[at(i) * (at(n) + 1)] -= 1.5;
  const vec M = massive ? symmetric(n, 1, 3) : vec(), b = d.many(at(n), -2, 2);
  const smooth B(d, n, 0, 0, 0, 2), u(d, 1, n, 0.5, 0.5, 1);
  const vec T = d.many(at(n), -1, 1);
  if (massive) s.M = perp_dense(n, n, keep(M));
  s.A = perp_dense(n, n, keep(A));
  s.b = keep(b);
  functions &g = more();
  g.f[0] = [=](wide t, const double *, const double *, double *out) {
    for (std::int32_t i = 0; i < n; i++) out[i] = double(B.value(i, t, out));
  };
  g.f[1] = [=](wide t, const double *, const double *, double *out) {
    for (std::int32_t i = 0; i < n; i++) out[i * (n + 1)] = double(std::sin(t));
  };
  g.f[2] = [=](wide t, const double *, const double *x, double *out) {
    *out = double(u.value(0, t, x));
  };
  if (driven) s.input = call_time<0>;
  if (swings) s.state_matrix = call_time<1>;
  s.user = &g;
  if (controlled) {
    s.control.n_u = 1;
    s.control.T = keep(T);
    s.control.u = call<2>;
    s.control.user = &g;
  }
  judged_system j;
  j.order = 1;
  j.n = n;
  j.mass = [=](const wide *) {
    wides out(at(n) * at(n), 0);
    for (std::size_t i = 0; i < out.size(); i += at(n) + 1) out[i] = 1;
    return massive ? widened(M) : out;
  };
  j.force = [=](wide t, const wide *, const wide *x) {
    wides out = product(n, n, A.data(), x);
    for (std::int32_t i = 0; i < n; i++) {
      out[at(i)] += b[at(i)] + (driven ? B.value(i, t, x) : 0);
      if (swings) out[at(i)] += std::sin(t) * x[i];
      if (controlled) out[at(i)] += T[at(i)] * u.value(0, t, x);
    }
    return out;
  };
  place(std::move(j), s.system, {}, d.many(at(n), -1, 1));
}

inline void random_model::first_nonlinear() {
  const std::int32_t n = 1 + d.pick(3);
  perp_first_order &s = nonlinear.emplace_back();
  perp_first_order_init(&s, sizeof s, n);
  const smooth F(d, n, n, 1, 1, 1);
  functions &g = more();
  const auto f = [F](std::int32_t i, wide t, const auto *x) {
    return F.value(i, t, x) - wide(x[i]) - 0.2L * wide(x[i]) * x[i] * x[i];
  };
  g.f[0] = [=](wide t, const double *x, const double *, double *out) {
    for (std::int32_t i = 0; i < n; i++) out[i] = double(f(i, t, x));
  };
  g.f[1] = [=](wide, const double *x, const double *, double *out) {
    for (std::int32_t k = 0; k < n; k++)
      for (std::int32_t i = 0; i < n; i++)
        out[i + n * k] = double(F.by(i, k, x)) - (i == k ? 1 + 0.6 * x[i] * x[i] : 0);
  };
  s.f = call_first<0>;
  if (d.chance(0.5)) s.f_dx = call_first<1>;
  s.user = &g;
  judged_system j;
  j.order = 1;
  j.n = n;
  j.mass = [n](const wide *) {
    wides out(at(n) * at(n), 0);
    for (std::size_t i = 0; i < out.size(); i += at(n) + 1) out[i] = 1;
    return out;
  };
  j.force = [=](wide t, const wide *, const wide *x) {
    wides out(at(n), 0);
    for (std::int32_t i = 0; i < n; i++) out[at(i)] = f(i, t, x);
    return out;
  };
  place(std::move(j), s.system, {}, d.many(at(n), -1, 1));
}

}  // namespace tools

#endif
