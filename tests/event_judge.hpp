// SPDX-License-Identifier: MIT
// Event-driven motion judged by the definitions of systems, relations and laws. Nothing is solved
// here: states, rates and multipliers that the library shows are inserted into
//   M v̇ = f + Hᵀλ,  q̇ = v,  (y, λ) in each law at force level;  M (v⁺ − v⁻) = Hᵀp,  laws of impact,
// and along the motion v and q are the integrals of their rates (Simpson's rule over short spans).
#ifndef PERP_TESTS_EVENT_JUDGE_HPP
#define PERP_TESTS_EVENT_JUDGE_HPP

#include <perp/event_driven.h>

#include "random_model.hpp"

namespace tools {

struct verdict {
  double worst = 0;
  std::string what;
  void take(wide defect, const std::string &name, std::int32_t index, wide t) {
    if (double(defect) <= worst) return;
    worst = std::isfinite(double(defect)) ? double(defect) : 1e300;
    what = name + " " + std::to_string(index) + " at t = " + std::to_string(double(t));
  }
};

struct moment {  // the state as the library shows it
  wide t = 0;
  std::int64_t events = 0;
  std::vector<wides> q, v, rate, y, ydot, lambda;  // by system; by interaction; v is x at order 1
};

class event_judge {
 public:
  explicit event_judge(const random_model &m) : m_(m) {}
  // |ẏ| up to which a velocity may be rounding; |y| to which a gap may be closed.
  wide rest = 1e-7L, closed = 1e-8L;

  moment look(perp_event_driven *sim) const {
    moment s;
    s.t = perp_event_driven_time(sim);
    for (std::int32_t i = 0; i < count(m_.systems.size()); i++) {
      const judged_system &j = m_.systems[at(i)];
      const double *q = perp_event_driven_q(sim, i), *rate = perp_event_driven_rate(sim, i);
      const double *v = j.order == 2 ? perp_event_driven_v(sim, i) : perp_event_driven_x(sim, i);
      s.q.push_back(q != nullptr ? wides(q, q + j.n_q) : wides());
      s.v.emplace_back(v, v + j.n);
      s.rate.emplace_back(rate, rate + j.n);
    }
    for (std::int32_t i = 0; i < count(m_.relations.size()); i++) {
      const std::int32_t rows = m_.relations[at(i)].m;
      const double *y = perp_event_driven_y(sim, i), *ydot = perp_event_driven_ydot(sim, i);
      const double *lambda = perp_event_driven_lambda(sim, i);
      s.y.emplace_back(y, y + rows);
      s.ydot.push_back(ydot != nullptr ? wides(ydot, ydot + rows) : wides());
      s.lambda.emplace_back(lambda, lambda + rows);
    }
    return s;
  }

  verdict judge(const moment &now) const {
    verdict out;
    std::vector<judged_values> values;
    for (std::size_t i = 0; i < m_.relations.size(); i++) {
      values.push_back(evaluate(i, now.t, now.q, now.v, now.lambda[i]));
      relation(i, values[i], now, out);
      laws(i, values[i], now, out);
    }
    for (std::size_t i = 0; i < m_.systems.size(); i++) motion(i, values, now, out);
    return out;
  }

  // Three moments, equally far apart, without an event between them.
  verdict integral(const moment &a, const moment &b, const moment &c) const {
    verdict out;
    const wide h = (c.t - a.t) / 6;
    for (std::size_t i = 0; i < m_.systems.size(); i++) {
      const judged_system &j = m_.systems[i];
      for (std::size_t k = 0; k < at(j.n); k++) {
        const wide sum = h * (a.rate[i][k] + 4 * b.rate[i][k] + c.rate[i][k]);
        const wide change = c.v[i][k] - a.v[i][k];
        out.take(std::fabs(change - sum) / (1 + std::fabs(c.v[i][k])), "integral of rate", count(i),
                 c.t);
      }
      for (std::size_t k = 0; j.order == 2 && k < (j.body ? 3 : at(j.n)); k++) {
        const wide sum = h * (a.v[i][k] + 4 * b.v[i][k] + c.v[i][k]);
        const wide change = c.q[i][k] - a.q[i][k];
        out.take(std::fabs(change - sum) / (1 + std::fabs(c.q[i][k])), "integral of v", count(i),
                 c.t);
      }
    }
    return out;
  }

  // After an event: the state before is in it.
  verdict impact(const perp_event &e, const moment &now) const {
    verdict out;
    std::vector<wides> q, v;
    const double *place = e.q, *speed = e.v;
    for (const judged_system &j : m_.systems) {
      const std::int32_t n_q = j.order == 2 ? j.n_q : 0, n = j.order == 2 ? j.n : 0;
      q.emplace_back(place, place + n_q);
      v.emplace_back(speed, speed + n);
      place += n_q, speed += n;
    }
    std::vector<judged_values> before, after;
    std::vector<wides> p;
    const double *impulse = e.impulse;
    for (std::size_t i = 0; i < m_.relations.size(); i++) {
      p.emplace_back(impulse, impulse + m_.relations[i].m);
      impulse += m_.relations[i].m;
      if (m_.relations[i].order == 1) {
        before.emplace_back(), after.emplace_back();
        continue;
      }
      const wides none(at(m_.relations[i].m), 0);
      before.push_back(evaluate(i, e.t, q, v, none));
      after.push_back(evaluate(i, e.t, q, now.v, none));
      if ((e.kinds & std::uint32_t(PERP_EVENT_ACCUMULATION)) == 0)
        restitution(i, before[i], after[i], p[i], e.t, out);
    }
    for (std::size_t i = 0; i < m_.systems.size(); i++)
      if (m_.systems[i].order == 2) momentum(i, q[i], v[i], now.v[i], before, p, e.t, out);
    return out;
  }

 private:
  const random_model &m_;
  static constexpr wide inf = std::numeric_limits<wide>::infinity();

  judged_values evaluate(std::size_t i, wide t, const std::vector<wides> &q,
                         const std::vector<wides> &v, const wides &lambda) const {
    judged_point p;
    p.t = t;
    p.h = p.h_before = 1;
    for (std::int32_t k = 0; k < m_.interaction_list[i]->n_systems; k++) {
      const std::size_t on = at(m_.interaction_list[i]->systems[k]);
      p.q.insert(p.q.end(), q[on].begin(), q[on].end());
      p.v.insert(p.v.end(), v[on].begin(), v[on].end());
    }
    p.lambda = p.lambda_before = lambda;
    return m_.relations[i].evaluate(p);
  }

  void relation(std::size_t i, const judged_values &v, const moment &now, verdict &out) const {
    for (std::size_t r = 0; r < v.y.size(); r++) {
      out.take(std::fabs(v.y[r] - now.y[i][r]) / (1 + std::fabs(v.y[r])), "y", count(i), now.t);
      if (m_.relations[i].order == 2)
        out.take(std::fabs(v.ydot[r] - now.ydot[i][r]) / (1 + std::fabs(v.ydot[r])), "ydot",
                 count(i), now.t);
    }
  }

  // Sum of the reactions on system i; size: of the absolute terms.
  wides load(std::size_t i, const std::vector<judged_values> &values,
             const std::vector<wides> &lambda, wide &size) const {
    const judged_system &j = m_.systems[i];
    wides p(at(j.n), 0);
    for (std::size_t a = 0; a < values.size(); a++) {
      std::size_t column = 0;
      if (m_.relations[a].order != j.order) continue;
      for (std::int32_t k = 0; k < m_.interaction_list[a]->n_systems; k++) {
        const std::size_t on = at(m_.interaction_list[a]->systems[k]);
        const std::size_t rows = at(m_.relations[a].m);
        for (std::size_t c = 0; on == i && c < at(j.n); c++) {
          if (j.order == 1) {
            p[c] += values[a].r[column + c];
            size += std::fabs(values[a].r[column + c]);
          }
          for (std::size_t r = 0; j.order == 2 && r < rows; r++) {
            p[c] += values[a].H[r + rows * (column + c)] * lambda[a][r];
            size += std::fabs(values[a].H[r + rows * (column + c)] * lambda[a][r]);
          }
        }
        column += at(m_.systems[on].n);
      }
    }
    return p;
  }

  void motion(std::size_t i, const std::vector<judged_values> &values, const moment &now,
              verdict &out) const {
    const judged_system &j = m_.systems[i];
    const std::size_t n = at(j.n);
    wide size = 1;
    const wides p = load(i, values, now.lambda, size), M = j.mass(now.q[i].data());
    const wides f = j.force(now.t, now.q[i].data(), now.v[i].data());
    for (std::size_t r = 0; r < n; r++) {
      wide defect = -f[r] - p[r];
      for (std::size_t c = 0; c < n; c++) defect += M[r + n * c] * now.rate[i][c];
      out.take(std::fabs(defect) / (size + std::fabs(f[r])), "motion", count(i), now.t);
    }
    if (!j.body) return;
    wide norm = 0;
    for (std::size_t k = 3; k < 7; k++) norm += now.q[i][k] * now.q[i][k];
    out.take(std::fabs(norm - 1), "quaternion", count(i), now.t);
  }

  void momentum(std::size_t i, const wides &q, const wides &v, const wides &after,
                const std::vector<judged_values> &values, const std::vector<wides> &p, wide t,
                verdict &out) const {
    const judged_system &j = m_.systems[i];
    const std::size_t n = at(j.n);
    wide size = 1;
    const wides sum = load(i, values, p, size), M = j.mass(q.data());
    for (std::size_t r = 0; r < n; r++) {
      wide defect = -sum[r];
      for (std::size_t c = 0; c < n; c++) {
        defect += M[r + n * c] * (after[c] - v[c]);
        size += std::fabs(M[r + n * c] * v[c]);
      }
      out.take(std::fabs(defect) / size, "momentum", count(i), t);
    }
  }

  static bool is_friction(const judged_law &law) {
    return (law.kind == law_kind::friction || law.kind == law_kind::fremond ||
            law.kind == law_kind::user) &&
           law.size > 1;
  }
  // Laws that a gap switches; others hold between velocities at all times.
  bool is_contact(std::size_t i) const {
    const law_kind kind = m_.laws[i].kind;
    return m_.relations[i].gated && kind != law_kind::equality && kind != law_kind::box &&
           kind != law_kind::mixed;
  }
  // The set of component k.
  static void bounds(const judged_law &law, std::size_t k, wide &low, wide &high) {
    low = 0, high = inf;
    if (law.kind == law_kind::equality) low = -inf;
    if (law.kind == law_kind::mixed && k < at(law.equalities)) low = -inf;
    if (law.kind == law_kind::box) low = law.lower[k], high = law.upper[k];
  }
  // How far −u ∈ N_[low, high](r) is from holding; u by us, r by rs.
  static wide interval(wide u, wide r, wide low, wide high, wide us, wide rs) {
    const wide below = (r - low) / rs, above = (high - r) / rs, y = u / us;
    return std::max({-below, -above, std::min(y, below), std::min(-y, above)});
  }
  // Coulomb's law between velocity u (that of the normal as given) and r.
  static wide coulomb(const wides &u, const wides &r, wide mu, wide us, wide rs) {
    wide t = 0, force = 0, power = 0;
    for (std::size_t k = 1; k < u.size(); k++) {
      t += u[k] * u[k], force += r[k] * r[k], power += u[k] * r[k];
    }
    t = std::sqrt(t), force = std::sqrt(force);
    const wide cone = mu * r[0];
    wide worst = (force - cone) / rs;
    // slip against the force: λ_t·u_t = −μ λ_n ‖u_t‖
    return std::max(worst, std::fabs(power + cone * t) / (rs * us));
  }

  void laws(std::size_t i, const judged_values &v, const moment &now, verdict &out) const {
    const judged_law &law = m_.laws[i];
    const judged_relation &rel = m_.relations[i];
    const std::size_t size = at(law.size);
    wide scale = 1;
    for (const wides &l : now.lambda)
      for (wide x : l) scale = std::max(scale, std::fabs(x));
    for (std::size_t row = 0; row < v.y.size(); row += size) {
      const std::string name = "law of kind " + std::to_string(int(law.kind));
      for (std::size_t k = 0; k < (is_friction(law) ? 1 : size); k++) {
        const wide r = now.lambda[i][row + k];
        wide low, high;
        bounds(law, k, low, high);
        if (rel.order == 1) {
          out.take(interval(v.y[row + k], r, low, high, 1, scale), name, count(i), now.t);
        } else if (is_contact(i)) {
          // gap and force, and at a force the velocity
          out.take(interval(v.y[row + k], r, low, high, 1, scale), name + " gap", count(i), now.t);
          out.take(std::min(std::fabs(v.ydot[row + k]), std::fabs(r) / scale), name + " speed",
                   count(i), now.t);
        } else {
          if (low == -inf && high == inf && rel.gated)
            out.take(std::fabs(v.y[row + k]), name + " position", count(i), now.t);
          out.take(interval(v.ydot[row + k], r, low, high, 1, scale), name, count(i), now.t);
        }
      }
      if (!is_friction(law)) continue;
      const auto part = [&](const wides &x) {
        return wides(x.begin() + std::ptrdiff_t(row), x.begin() + std::ptrdiff_t(row + size));
      };
      out.take(coulomb(part(v.ydot), part(now.lambda[i]), law.mu, 1, scale), name + " friction",
               count(i), now.t);
    }
  }

  // Laws between ẏ⁺ + what they add and the impulse.
  void restitution(std::size_t i, const judged_values &before, const judged_values &after,
                   const wides &p, wide t, verdict &out) const {
    const judged_law &law = m_.laws[i];
    const std::size_t size = at(law.size);
    wide scale = 1;
    for (wide x : p) scale = std::max(scale, std::fabs(x));
    for (std::size_t row = 0; row < p.size(); row += size) {
      wides u(size), r(size);
      // a contact that opens is not asked to come back
      const bool opens = before.ydot[row] > 0;
      for (std::size_t k = 0; k < size; k++) {
        wide e = 0;
        if (law.kind == law_kind::impact) e = law.e;
        if (law.kind == law_kind::friction) e = k == 0 ? law.e : law.e_t;
        if (law.kind == law_kind::fremond) e = k == 0 ? law.e : 1;
        if (law.kind == law_kind::user) e = k == 0 ? 0.3 : 0.1;
        if (is_friction(law) ? opens : before.ydot[row + k] > 0) e = 0;
        u[k] = after.ydot[row + k] + e * before.ydot[row + k];
        r[k] = p[row + k];
      }
      for (std::size_t k = 0; k < (is_friction(law) ? 1 : size); k++) {
        wide low, high;
        bounds(law, k, low, high);
        if (law.kind == law_kind::box) {
          out.take(std::fabs(r[k]), "impulse of a box", count(i), t);
        } else if (is_contact(i) && before.y[row + k] > 1e-9L) {
          out.take(std::fabs(r[k]), "impulse across a gap", count(i), t);
        } else {
          out.take(interval(u[k], r[k], low, high, 1, scale), "restitution", count(i), t);
        }
      }
      if (is_friction(law))
        out.take(coulomb(u, r, law.mu, 1, scale), "friction of impact", count(i), t);
    }
  }
};

}  // namespace tools

#endif
