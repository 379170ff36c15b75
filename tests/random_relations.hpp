// SPDX-License-Identifier: MIT
// Relations of random models, and which systems they join.
#ifndef PERP_TESTS_RANDOM_RELATIONS_HPP
#define PERP_TESTS_RANDOM_RELATIONS_HPP

#include "random_parts.hpp"

namespace tools {

inline vec random_model::gathered(const ids &on) const {
  vec q;
  for (std::int32_t i : on) {
    const vec &part = systems[at(i)].order == 2 ? initial_q[at(i)] : initial_v[at(i)];
    q.insert(q.end(), part.begin(), part.end());
  }
  return q;
}

// Up to `most` different systems of an order, whose degrees of freedom can bear so many rows.
inline ids random_model::choose(std::int32_t order, std::int32_t rows, bool heavy,
                                std::int32_t most) {
  ids all;
  for (std::int32_t i = 0; i < count(systems.size()); i++)
    if (systems[at(i)].order == order) all.push_back(i);
  std::shuffle(all.begin(), all.end(), d.engine);
  all.resize(std::min(all.size(), at(1 + d.pick(most))));
  std::int32_t left = 0;
  for (std::int32_t i : all) left += budget[at(i)];
  if (!heavy) return all;
  if (left < rows) return {};
  for (; rows > 0; rows--) {
    std::int32_t best = all.front();
    for (std::int32_t i : all)
      if (budget[at(i)] > budget[at(best)]) best = i;
    budget[at(best)]--;
  }
  return all;
}

inline void random_model::close(judged_relation r, const perp_relation &relation,
                                const perp_law *law, const ids &on) {
  r.m = relation.m;
  r.n = relation.n;
  relations.push_back(std::move(r));
  join(relation, law, on);
}

// What a body relation says: by its own operations, which are held to differences elsewhere.
inline judged_relation by_operations(const perp_relation *relation) {
  judged_relation j;
  j.evaluate = [relation](const judged_point &p) {
    const auto narrow = [](const wides &x) { return vec(x.begin(), x.end()); };
    const vec q = narrow(p.q), v = narrow(p.v), l = narrow(p.lambda), lb = narrow(p.lambda_before);
    const std::size_t m = at(relation->m), n = at(relation->n);
    vec y(m), ydot(m), H(m * n), scratch(1000);
    const perp_relation_point point = {double(p.t), double(p.h), q.data(),          v.data(),
                                       l.data(),    lb.data(),   double(p.h_before)};
    const perp_relation_values out = {y.data(), ydot.data(), H.data(), nullptr,
                                      nullptr,  nullptr,     nullptr};
    relation->ops->evaluate(relation, &point, &out, scratch.data());
    return judged_values{widened(y), widened(ydot), widened(H), {}};
  };
  return j;
}

inline bool random_model::attach_bodies(const ids &on, law_kind kind, std::int32_t size) {
  const std::int32_t of_bodies = count(on.size());
  if (of_bodies > 2) return false;
  const vec q = gathered(on);
  if (kind == law_kind::equality) {
    perp_joint &s = joints.emplace_back();
    const std::int32_t rows[] = {3, 5, 5, 4, 6, 5};
    std::int32_t type = 0;
    while (type < 6 && rows[type] != size) type++;
    if (type == 6) return false;
    if (size == 5) type = d.pick(2) == 0 ? PERP_JOINT_PIVOT : PERP_JOINT_PRISMATIC;
    perp_joint_init(&s, sizeof s, type, of_bodies);
    const vec point = d.many(3, -1, 1), axis = d.many(3, -1, 1);
    perp_joint_place(&s, point.data(), axis.data(), q.data(),
                     of_bodies == 2 ? q.data() + 7 : nullptr);
    close(by_operations(&s.relation), s.relation, law(kind, size), on);
    return true;
  }
  if (size > 5 || size == 4) return false;
  perp_body_contact &s = touches.emplace_back();
  if (perp_body_contact_init(&s, sizeof s, size, of_bodies) != PERP_OK) return false;
  if (of_bodies == 1) {
    perp_sphere_plane &p = planes.emplace_back();
    vec normal = d.many(3, -1, 1);
    const double length = std::hypot(normal[0], normal[1], normal[2]);
    p.radius = 0.5;
    p.offset = -p.radius - d.in(-0.01, 0.05);
    for (std::size_t i = 0; i < 3; i++) {
      p.normal[i] = normal[i] / length;
      p.offset += p.normal[i] * q[i];
    }
    s.locate = perp_locate_sphere_plane;
    s.user = &p;
  } else {
    perp_sphere_sphere &p = pairs.emplace_back();
    const double distance = std::hypot(q[0] - q[7], q[1] - q[8], q[2] - q[9]);
    if (!(distance > 0.3)) return false;
    p.radius[0] = p.radius[1] = 0.5 * distance - d.in(-0.01, 0.03);
    s.locate = perp_locate_sphere_sphere;
    s.user = &p;
  }
  close(by_operations(&s.relation), s.relation, law(kind, size), on);
  return true;
}

inline bool random_model::attach_second(const ids &on, law_kind kind, std::int32_t size,
                                        std::int32_t copies) {
  const std::int32_t m = size * copies;
  std::int32_t n = 0, rigid_ones = 0;
  for (std::int32_t i : on) n += systems[at(i)].n, rigid_ones += systems[at(i)].body;
  const vec q = gathered(on);
  const std::int32_t type = rigid_ones > 0 ? 5 : d.pick(positions ? 3 : 6);
  judged_relation j;
  const auto start = [&](smooth &h) {  // gaps that are about to close
    for (std::int32_t i = 0; i < h.m; i++) {
      h.c[at(i)] = 0;
      h.c[at(i)] = d.in(-0.01, 0.06) - double(h.value(i, 0, q.data()));
    }
  };
  if (type == 0) {
    perp_lagrangian_linear_relation &s = contact(m, n, d.many(at(m) * at(n), -1, 1));
    const vec H(s.H, s.H + at(m) * at(n));
    vec b(at(m)), D(at(m) * at(m)), F = d.many(at(m), -1, 1), z = {d.in(-0.01, 0.01)};
    for (std::int32_t i = 0; i < m; i++) {
      b[at(i)] = d.in(-0.01, 0.06);
      for (std::int32_t k = 0; k < n; k++) b[at(i)] -= H[at(i) + at(m) * at(k)] * q[at(k)];
    }
    const bool feeds = !positions && d.chance(0.3), shifted = d.chance(0.3);
    if (feeds)
      for (std::int32_t i = 0; i < m; i++) D[at(i) * (at(m) + 1)] = d.in(0, 0.5);
    s.b = keep(b);
    if (feeds) s.D = keep(D);
    if (shifted) {
      s.F = keep(F);
      s.z = keep(z);
      s.n_z = 1;
    }
    j.evaluate = [=](const judged_point &p) {
      judged_values out{
          product(m, n, H.data(), p.q.data()), product(m, n, H.data(), p.v.data()), widened(H), {}};
      const wides more = product(m, m, D.data(), p.lambda.data());
      for (std::size_t i = 0; i < at(m); i++) {
        out.y[i] += b[i] + (shifted ? F[i] * z[0] : 0);
        out.ydot[i] += more[i];
      }
      return out;
    };
    close(std::move(j), s.relation, law(kind, size), on);
    return true;
  }
  if (type == 1 || type == 2) {  // scleronomous, rheonomous, compliant
    perp_lagrangian_relation &s = gaps.emplace_back();
    const bool yields = !positions && kind != law_kind::compliant && d.chance(0.3);
    const bool timed = d.chance(0.5);
    smooth h(d, m, n, 1, 0.4, timed ? 0.05 : 0);
    start(h);
    const double slope = yields ? d.in(0.001, 0.01) : 0;
    perp_lagrangian_scleronomous_init(&s, sizeof s, m, n);
    s.reads = (timed ? 1u : 0u) * PERP_GAP_READS_TIME + (yields ? 1u : 0u) * PERP_GAP_READS_LAMBDA;
    functions &g = more();
    g.f[0] = [=](wide t, const double *x, const double *lambda, double *out) {
      for (std::int32_t i = 0; i < m; i++)
        out[i] = double(h.value(i, t, x)) + (yields ? slope * lambda[i] : 0);
    };
    g.f[1] = [=](wide, const double *x, const double *, double *out) {
      for (std::int32_t k = 0; k < n; k++)
        for (std::int32_t i = 0; i < m; i++) out[i + m * k] = double(h.by(i, k, x));
    };
    g.f[2] = [=](wide t, const double *, const double *, double *out) {
      for (std::int32_t i = 0; i < m; i++) out[i] = double(h.by_time(i, t));
    };
    s.h = call<0>;
    if (d.chance(0.7)) s.H = call<1>;
    if (timed && d.chance(0.7)) s.h_dt = call<2>;
    s.user = &g;
    j.yields = yields;
    j.evaluate = [=](const judged_point &p) {
      judged_values out{wides(at(m)), wides(at(m)), wides(at(m) * at(n)), {}};
      for (std::int32_t i = 0; i < m; i++) {
        const std::size_t r = at(i);
        const wide force = p.lambda[r] / p.h, before = p.lambda_before[r] / p.h_before;
        out.y[r] = h.value(i, p.t, p.q.data()) + slope * force;
        out.ydot[r] = h.by_time(i, p.t) + slope * (force - before) / p.h;
        for (std::int32_t k = 0; k < n; k++) {
          out.H[r + at(m) * at(k)] = h.by(i, k, p.q.data());
          out.ydot[r] += h.by(i, k, p.q.data()) * p.v[at(k)];
        }
      }
      return out;
    };
    close(std::move(j), s.relation, law(kind, size), on);
    return true;
  }
  if (type == 3 && size > 1) {  // gaps with tangential directions
    perp_lagrangian_contact_relation &s = rubs.emplace_back();
    smooth h(d, copies, n, 1, 0.3, 0), T(d, (m - copies) * n, n, 0, 0.3, 0);
    start(h);
    const vec belt = d.many(at(m - copies), -0.5, 0.5);
    perp_lagrangian_contact_relation_init(&s, sizeof s, copies, size, n);
    functions &g = more();
    g.f[0] = [=](wide t, const double *x, const double *, double *out) {
      for (std::int32_t i = 0; i < copies; i++) out[i] = double(h.value(i, t, x));
    };
    g.f[1] = [=](wide, const double *x, const double *, double *out) {
      for (std::int32_t k = 0; k < n; k++)
        for (std::int32_t i = 0; i < copies; i++) out[i + copies * k] = double(h.by(i, k, x));
    };
    g.f[2] = [=](wide t, const double *x, const double *, double *out) {
      for (std::int32_t i = 0; i < T.m; i++) out[i] = double(T.value(i, t, x));
    };
    g.f[3] = [=](wide, const double *, const double *, double *out) {
      std::copy(belt.begin(), belt.end(), out);
    };
    s.h = call<0>;
    if (d.chance(0.7)) s.G = call<1>;
    s.T = call<2>;
    const bool moves = d.chance(0.5);
    if (moves) s.s = call<3>;
    s.user = &g;
    j.evaluate = [=](const judged_point &p) {
      judged_values out{wides(at(m)), wides(at(m)), wides(at(m) * at(n)), {}};
      std::int32_t tangent = 0;
      for (std::int32_t i = 0; i < m; i++) {
        const bool normal = i % size == 0;
        if (normal) out.y[at(i)] = h.value(i / size, p.t, p.q.data());
        if (!normal && moves) out.ydot[at(i)] = belt[at(tangent)];
        for (std::int32_t k = 0; k < n; k++) {
          const wide entry = normal ? h.by(i / size, k, p.q.data())
                                    : T.value(tangent + (m - copies) * k, p.t, p.q.data());
          out.H[at(i) + at(m) * at(k)] = entry;
          out.ydot[at(i)] += entry * p.v[at(k)];
        }
        tangent += !normal;
      }
      return out;
    };
    close(std::move(j), s.relation, law(kind, size), on);
    return true;
  }
  if (type == 4 && kind == law_kind::equality && m <= n) {
    perp_prescribed_velocity &s = drives.emplace_back();
    perp_prescribed_velocity_init(&s, sizeof s, m, n);
    ids &index = joined.emplace_back();
    for (std::int32_t i = 0; i < n; i++) index.push_back(i);
    std::shuffle(index.begin(), index.end(), d.engine);
    const ids of = index;
    const vec mean = d.many(at(m), -1, 1);
    std::vector<perp_harmonic> parts;
    static std::deque<std::vector<perp_harmonic>> kept;  // the description points to them
    for (std::int32_t i = 0; i < m; i++) parts.push_back({d.in(0, 1), d.in(1, 5), d.in(0, 6)});
    s.index = index.data();
    s.constant = keep(mean);
    s.harmonics = kept.emplace_back(parts).data();
    s.n_harmonics = 1;
    j.gated = false;
    j.evaluate = [=](const judged_point &p) {
      judged_values out{wides(at(m)), wides(at(m)), wides(at(m) * at(n)), {}};
      for (std::size_t i = 0; i < at(m); i++) {
        out.H[i + at(m) * at(of[i])] = 1;
        out.ydot[i] = p.v[at(of[i])] - mean[i] -
                      parts[i].amplitude * std::cos(parts[i].omega * p.t + parts[i].phase);
      }
      return out;
    };
    close(std::move(j), s.relation, law(kind, size), on);
    return true;
  }
  // a relation of velocities, of any systems
  perp_lagrangian_velocity_relation &s = wheels.emplace_back();
  std::int32_t n_q = count(q.size());
  const smooth G(d, m * n, n_q, 0, 0.1, 0);
  const vec drift = d.many(at(m), -0.5, 0.5);
  perp_lagrangian_velocity_relation_init(&s, sizeof s, m, n);
  s.bodies = rigid_ones > 0;
  if (rigid_ones > 0 && rigid_ones != count(on.size())) return false;
  functions &g = more();
  g.f[0] = [=](wide t, const double *x, const double *v, double *out) {
    for (std::int32_t i = 0; i < m; i++) {
      wide sum = drift[at(i)];
      for (std::int32_t k = 0; k < n; k++) sum += G.value(i + m * k, t, x) * v[k];
      out[i] = double(sum);
    }
  };
  g.f[1] = [=](wide t, const double *x, const double *, double *out) {
    for (std::int32_t i = 0; i < m * n; i++) out[i] = double(G.value(i, t, x));
  };
  s.g = call<0>;
  if (d.chance(0.7)) s.H = call<1>;
  s.user = &g;
  j.gated = false;
  j.evaluate = [=](const judged_point &p) {
    judged_values out{wides(at(m)), widened(drift), wides(at(m) * at(n)), {}};
    for (std::int32_t k = 0; k < n; k++)
      for (std::int32_t i = 0; i < m; i++) {
        const wide entry = G.value(i + m * k, p.t, p.q.data());
        out.H[at(i + m * k)] = entry;
        out.ydot[at(i)] += entry * p.v[at(k)];
      }
    return out;
  };
  close(std::move(j), s.relation, law(kind, size), on);
  return true;
}

inline void random_model::attach_first(const ids &on, law_kind kind, std::int32_t size,
                                       std::int32_t copies) {
  const std::int32_t m = size * copies;
  std::int32_t n = 0;
  for (std::int32_t i : on) n += systems[at(i)].n;
  const std::int32_t type = d.pick(3);
  const vec C = d.many(at(m) * at(n), -1, 1);
  vec B(at(n) * at(m)), D(at(m) * at(m));
  for (std::int32_t i = 0; i < m; i++)
    for (std::int32_t k = 0; k < n; k++) B[at(k) + at(n) * at(i)] = C[at(i) + at(m) * at(k)];
  const bool feeds = d.chance(0.5);
  if (feeds)
    for (std::int32_t i = 0; i < m; i++) D[at(i) * (at(m) + 1)] = d.in(0.05, 1);
  const smooth e(d, m, n, 0, type == 2 ? 0.1 : 0, type == 0 ? 0 : 1);
  const smooth a(d, n, n, 0, type == 2 && d.chance(0.5) ? 0.1 : 0, type == 0 ? 0 : 1);
  const double bent = type == 2 ? 0.1 : 0, swing = type == 1 ? 0.2 : 0;
  judged_relation j;
  j.order = 1;
  j.evaluate = [=](const judged_point &p) {
    judged_values out{product(m, n, C.data(), p.v.data()), {}, {}, wides(at(n))};
    const wides more = product(m, m, D.data(), p.lambda.data());
    for (std::int32_t i = 0; i < m; i++) out.y[at(i)] += more[at(i)] + e.value(i, p.t, p.v.data());
    const wides r = product(n, m, B.data(), p.lambda.data());
    for (std::int32_t k = 0; k < n; k++)
      out.r[at(k)] = (1 + swing * std::sin(p.t)) * r[at(k)] + bent * std::sin(r[at(k)]) +
                     a.value(k, p.t, p.v.data());
    return out;
  };
  const perp_law *obeyed = law(kind, size);
  if (type == 0 || type == 1) {
    perp_linear_varying_relation *v = nullptr;
    perp_linear_relation *s = nullptr;
    if (type == 1) {
      v = &varying.emplace_back();
      perp_linear_varying_relation_init(v, sizeof *v, m, n);
      s = &v->linear;
      functions &g = more();
      g.f[0] = [=](wide t, const double *, const double *, double *out) {
        const vec zero(at(n));
        for (std::int32_t i = 0; i < m; i++) out[i] = double(e.value(i, t, zero.data()));
      };
      g.f[1] = [=](wide t, const double *, const double *, double *out) {
        const vec zero(at(n));
        for (std::int32_t i = 0; i < n; i++) out[i] = double(a.value(i, t, zero.data()));
      };
      g.f[2] = [=](wide t, const double *, const double *, double *out) {
        for (std::size_t i = 0; i < B.size(); i++)
          out[i] = double((1 + swing * std::sin(t)) * B[i]);
      };
      v->e = call_time<0>;
      v->a = call_time<1>;
      v->B = call_time<2>;
      v->user = &g;
    } else {
      s = &port(m, n, C);
      s->B = keep(B);
      s->e = keep(e.c);
      s->a = keep(a.c);
    }
    s->C = keep(C);
    if (feeds) s->D = keep(D);
    close(std::move(j), s->relation, obeyed, on);
    return;
  }
  perp_first_order_relation &s = diodes.emplace_back();
  perp_first_order_relation_init(&s, sizeof s, m, n);
  functions &g = more();
  const auto evaluate = j.evaluate;
  const auto at_point = [=](wide t, const double *x, const double *lambda) {
    judged_point p;
    p.t = t;
    p.v = wides(x, x + n);
    p.lambda = wides(at(m), 0);
    for (std::int32_t i = 0; lambda != nullptr && i < m; i++) p.lambda[at(i)] = lambda[i];
    return evaluate(p);
  };
  g.f[0] = [=](wide t, const double *x, const double *lambda, double *out) {
    const judged_values v = at_point(t, x, lambda);
    std::copy(v.y.begin(), v.y.end(), out);
  };
  g.f[1] = [=](wide t, const double *x, const double *lambda, double *out) {
    const judged_values v = at_point(t, x, lambda);
    std::copy(v.r.begin(), v.r.end(), out);
  };
  g.f[2] = [=](wide, const double *x, const double *, double *out) {
    for (std::int32_t k = 0; k < n; k++)
      for (std::int32_t i = 0; i < m; i++)
        out[i + m * k] = C[at(i + m * k)] + double(e.by(i, k, x));
  };
  s.h = call<0>;
  s.g = call<1>;
  if (d.chance(0.5)) s.C = call<2>;
  s.user = &g;
  close(std::move(j), s.relation, obeyed, on);
}

inline void random_model::attach(std::int32_t order) {
  const bool first = order == 1;
  const law_kind last = first       ? law_kind::rolling
                        : positions ? law_kind::polyhedron
                                    : law_kind::user;
  law_kind kind = law_kind(d.pick(std::int32_t(last) + (positions && !first ? 0 : 1)));
  if (first && kind == law_kind::rolling) kind = law_kind::box;
  if (first && kind == law_kind::impact) kind = law_kind::complementarity;
  std::int32_t size = 1 + d.pick(2);
  switch (kind) {
    case law_kind::polyhedron:
      size = 2;
      break;
    case law_kind::friction:
    case law_kind::fremond:
    case law_kind::cohesive:
      size = 2 + d.pick(2);
      break;
    case law_kind::rolling:
      size = d.chance(0.5) ? 3 : 5;
      break;
    case law_kind::user:
      size = 1 + d.pick(3);
      break;
    case law_kind::equality:
      size = 1 + d.pick(5);
      break;
    default:
      break;
  }
  const std::int32_t copies = kind == law_kind::equality ? 1 : 1 + d.pick(2);
  const bool bounded = kind == law_kind::box || kind == law_kind::polyhedron;
  const ids on = choose(order, size * copies, !bounded, 3);
  if (on.empty()) return;
  if (first) return attach_first(on, kind, size, copies);
  std::int32_t rigid_ones = 0;
  for (std::int32_t i : on) rigid_ones += systems[at(i)].body;
  if (rigid_ones > 0 && rigid_ones != count(on.size())) return;
  if (rigid_ones > 0 && d.chance(0.8)) {
    (void)attach_bodies(on, kind, size);
    return;
  }
  (void)attach_second(on, kind, size, copies);
}

}  // namespace tools

#endif
