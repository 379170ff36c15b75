// SPDX-License-Identifier: MIT
// A step judged by the definitions of scheme, relations and laws. Nothing is solved here: the
// states before and after and the multipliers are inserted into the equations,
//   Moreau–Jean       M(q*)(v⁺ − v) = h(θ f⁺ + (1−θ) f) + Hᵀλ,  q⁺ = q ⊕ h(θ v⁺ + (1−θ) v)
//   Schatzman–Paoli   M(q*)(q⁺ − 2q + q⁻) = h²(θ f⁺ + (1−θ) f) + Hᵀλ,  v⁺ = (q⁺ − q⁻)/(2h)
//   θ–γ               M(x⁺ − x) = h(θ f⁺ + (1−θ) f) + h(γ r⁺ + (1−γ) r), or + h r_{k+γ}
// and what remains is compared with the sizes of the terms.
#ifndef PERP_TESTS_STEP_JUDGE_HPP
#define PERP_TESTS_STEP_JUDGE_HPP

#include <cstring>

#include "random_model.hpp"

namespace tools {

struct moment {  // the state as the library shows it
  wide t = 0;
  std::vector<wides> q, v, y, ydot, lambda;  // by system; by interaction. v is x at order 1
  std::vector<std::vector<perp_cohesive_state>> glue;
};

struct verdict {
  double worst = 0;
  std::string what;
  void take(wide defect, const std::string &name, std::int32_t index) {
    if (double(defect) <= worst) return;
    worst = std::isfinite(double(defect)) ? double(defect) : 1e300;
    what = name + " " + std::to_string(index);
  }
};

class step_judge {
 public:
  explicit step_judge(const random_model &m) : m_(m) {}

  moment look(const perp_simulation *sim) const {
    moment s;
    s.t = perp_simulation_time(sim);
    for (std::int32_t i = 0; i < count(m_.systems.size()); i++) {
      const judged_system &j = m_.systems[at(i)];
      const double *q = perp_simulation_q(sim, i);
      const double *v = j.order == 2 ? perp_simulation_v(sim, i) : perp_simulation_x(sim, i);
      s.q.push_back(q != nullptr ? wides(q, q + j.n_q) : wides());
      s.v.emplace_back(v, v + j.n);
    }
    for (std::int32_t i = 0; i < count(m_.relations.size()); i++) {
      const std::int32_t rows = m_.relations[at(i)].m;
      const double *y = perp_simulation_y(sim, i), *ydot = perp_simulation_ydot(sim, i);
      const double *lambda = perp_simulation_lambda(sim, i);
      s.y.emplace_back(y, y + rows);
      s.ydot.push_back(ydot != nullptr && m_.relations[at(i)].order == 2 ? wides(ydot, ydot + rows)
                                                                         : wides());
      s.lambda.emplace_back(lambda, lambda + rows);
      s.glue.emplace_back();
      for (std::int32_t c = 0;
           m_.laws[at(i)].kind == law_kind::cohesive && c < rows / m_.laws[at(i)].size; c++) {
        perp_cohesive_state state;
        std::memcpy(&state, perp_simulation_law_state(sim, i, c, nullptr), sizeof state);
        s.glue.back().push_back(state);
      }
    }
    return s;
  }

  // Before the first step: what the schemes remember of earlier ones.
  void begin(const moment &s, double h) {
    before_ = s.q;
    y_before_ = s.y;
    h_before_ = h;
    for (std::size_t i = 0; m_.positions && i < s.q.size(); i++)
      for (std::size_t k = 0; k < s.q[i].size(); k++) before_[i][k] -= h * s.v[i][k];
    moment none = s;
    for (wides &l : none.lambda) std::fill(l.begin(), l.end(), 0);
    reaction_.clear();
    for (std::size_t i = 0; i < m_.relations.size(); i++) {
      const bool first = m_.relations[i].order == 1;
      reaction_.push_back(first ? evaluate(i, none, none, h).r : wides());
      if (!m_.positions || first) continue;
      moment back = s;
      back.q = before_;
      back.t -= h;
      y_before_[i] = evaluate(i, back, back, h).y;
    }
  }

  verdict judge(const moment &old, const moment &now) {
    verdict out;
    h_ = now.t - old.t;
    std::vector<judged_values> values;
    for (std::size_t i = 0; i < m_.relations.size(); i++) values.push_back(at_end(i, old, now));
    for (std::size_t i = 0; i < m_.relations.size(); i++) relation(i, values[i], now, out);
    for (std::size_t i = 0; i < m_.systems.size(); i++) system(i, values, old, now, out);
    for (std::size_t i = 0; i < m_.relations.size(); i++) laws(i, values[i], old, now, out);
    for (std::size_t i = 0; i < m_.relations.size(); i++) glue(i, old, now, out);
    remember(old, now);
    return out;
  }

  // T and V of the mechanical systems whose balance is exact.
  wide energy(const moment &s, std::size_t i) const {
    const judged_system &j = m_.systems[i];
    const wides M = j.mass(s.q[i].data());
    wide E = 0;
    for (std::size_t r = 0; r < at(j.n); r++) {
      for (std::size_t c = 0; c < at(j.n); c++) {
        E += s.v[i][r] * M[r + at(j.n) * c] * s.v[i][c] / 2;
        E += s.q[i][r] * j.K[r + at(j.n) * c] * s.q[i][c] / 2;
      }
      E -= j.f0[r] * s.q[i][r];
    }
    return E;
  }

 private:
  const random_model &m_;
  wide h_ = 0, h_before_ = 0;
  std::vector<wides> before_, y_before_, reaction_;

  judged_values evaluate(std::size_t i, const moment &s, const moment &old, wide h) const {
    judged_point p;
    p.t = s.t;
    p.h = h;
    p.h_before = h_before_;
    for (std::int32_t k = 0; k < m_.interaction_list[i]->n_systems; k++) {
      const std::size_t on = at(m_.interaction_list[i]->systems[k]);
      p.q.insert(p.q.end(), s.q[on].begin(), s.q[on].end());
      p.v.insert(p.v.end(), s.v[on].begin(), s.v[on].end());
    }
    p.lambda = s.lambda[i];
    p.lambda_before = old.lambda[i];
    return m_.relations[i].evaluate(p);
  }

  // Relations hold at the end of a step, or at t_{k+γ} and x_{k+γ}.
  judged_values at_end(std::size_t i, const moment &old, const moment &now) const {
    if (m_.relations[i].order == 2 || !m_.middle) return evaluate(i, now, old, h_);
    moment mid = now;
    const wide g = m_.gamma_first;
    mid.t = old.t + g * h_;
    for (std::size_t s = 0; s < mid.v.size(); s++)
      for (std::size_t k = 0; k < mid.v[s].size(); k++)
        mid.v[s][k] = g * now.v[s][k] + (1 - g) * old.v[s][k];
    return evaluate(i, mid, old, h_);
  }

  // Sizes of the terms of a row: |H||v| and the rest.
  wide row_size(std::size_t i, const judged_values &v, const moment &now, std::size_t row) const {
    wide size = std::fabs(level(i, v)[row]);
    if (m_.relations[i].order == 1) return size + 1;
    std::size_t column = 0;
    for (std::int32_t k = 0; k < m_.interaction_list[i]->n_systems; k++)
      for (wide x : now.v[at(m_.interaction_list[i]->systems[k])])
        size += std::fabs(v.H[row + at(m_.relations[i].m) * column++] * x);
    return size;
  }

  const wides &level(std::size_t i, const judged_values &v) const {
    return m_.relations[i].order == 2 && !m_.positions ? v.ydot : v.y;
  }

  void relation(std::size_t i, const judged_values &v, const moment &now, verdict &out) const {
    for (std::size_t r = 0; r < v.y.size(); r++) {
      out.take(std::fabs(v.y[r] - now.y[i][r]) / (1 + std::fabs(v.y[r])), "y", count(i));
      if (m_.relations[i].order == 2 && !m_.positions)
        out.take(std::fabs(v.ydot[r] - now.ydot[i][r]) / (1 + row_size(i, v, now, r)), "ydot",
                 count(i));
    }
  }

  // q ⊕ d.
  static wides moved(const judged_system &j, const wides &q, const wides &d) {
    wides out = q;
    for (std::size_t i = 0; i < (j.body ? 3 : q.size()); i++) out[i] += d[i];
    if (!j.body) return out;
    const wide angle = std::hypot(d[3], d[4], d[5]),
               s = angle > 0 ? std::sin(angle / 2) / angle : 0.5L;
    const wide a = q[3], b = q[4], c = q[5], e = q[6];
    const wide w = std::cos(angle / 2), x = s * d[3], y = s * d[4], z = s * d[5];
    out[3] = a * w - b * x - c * y - e * z;
    out[4] = a * x + b * w + c * z - e * y;
    out[5] = a * y - b * z + c * w + e * x;
    out[6] = a * z + b * y - c * x + e * w;
    return out;
  }

  // Reactions of all interactions on system i: impulses at order 2, weighted r at order 1.
  wides load(std::size_t i, const std::vector<judged_values> &values, const moment &now,
             wides &size) const {
    const judged_system &j = m_.systems[i];
    wides p(at(j.n), 0);
    for (std::size_t a = 0; a < values.size(); a++) {
      std::size_t column = 0;
      for (std::int32_t k = 0; k < m_.interaction_list[a]->n_systems; k++) {
        const std::size_t on = at(m_.interaction_list[a]->systems[k]);
        for (std::size_t c = 0; on == i && c < at(j.n); c++) {
          const std::size_t rows = at(m_.relations[a].m);
          for (std::size_t r = 0; j.order == 2 && r < rows; r++) {
            const wide term = values[a].H[r + rows * (column + c)] * now.lambda[a][r];
            p[c] += term;
            size[c] += std::fabs(term);
          }
          if (j.order == 2) continue;
          const wide g = m_.middle ? 1 : wide(m_.gamma_first);
          const wide r = values[a].r[column + c], r_before = reaction_[a][column + c];
          p[c] += h_ * (g * r + (1 - g) * r_before);
          size[c] += h_ * (g * std::fabs(r) + (1 - g) * std::fabs(r_before));
        }
        column += at(m_.systems[on].n);
      }
    }
    return p;
  }

  void system(std::size_t i, const std::vector<judged_values> &values, const moment &old,
              const moment &now, verdict &out) {
    const judged_system &j = m_.systems[i];
    const std::size_t n = at(j.n);
    const wide theta = m_.thetas[i];
    wides size(n, 0), change(n), mean(n), part(n);
    const wides p = load(i, values, now, size);
    for (std::size_t k = 0; k < n; k++) {
      mean[k] = theta * now.v[i][k] + (1 - theta) * old.v[i][k];
      change[k] = now.v[i][k] - old.v[i][k];
      part[k] = theta * h_ * mean[k];
      if (m_.positions && j.order == 2) {
        change[k] = now.q[i][k] - 2 * old.q[i][k] + before_[i][k];
        part[k] = theta * (now.q[i][k] - old.q[i][k]);
      }
    }
    const wides star = j.order == 2 ? moved(j, old.q[i], part) : wides();
    const wides M = j.mass(star.data());
    const wides f0 = j.force(old.t, old.q[i].data(), old.v[i].data());
    const wides f1 = j.force(now.t, now.q[i].data(), now.v[i].data());
    const wide s = m_.positions && j.order == 2 ? h_ * h_ : h_;
    wides defect(n, 0);
    wide largest = 0;
    for (std::size_t r = 0; r < n; r++) {
      defect[r] = -s * (theta * f1[r] + (1 - theta) * f0[r]) - p[r];
      size[r] += s * (theta * std::fabs(f1[r]) + (1 - theta) * std::fabs(f0[r]));
      for (std::size_t c = 0; c < n; c++) {
        const wide term = M[r + n * c] * change[c];
        defect[r] += term;
        size[r] += std::fabs(term);
        size[r] += 1e-3L * std::fabs(M[r + n * c]) *
                   (m_.positions && j.order == 2 ? std::fabs(old.q[i][c]) : std::fabs(now.v[i][c]));
      }
      largest = std::max(largest, size[r]);
    }
    for (std::size_t r = 0; r < n; r++)
      if (defect[r] != 0)
        out.take(std::fabs(defect[r]) / (size[r] + 1e-3L * largest), "motion", count(i));
    if (j.order == 1) return;
    for (std::size_t k = 0; k < n; k++) part[k] = h_ * mean[k];
    if (m_.positions) {
      for (std::size_t k = 0; k < n; k++)
        out.take(std::fabs(now.v[i][k] - (now.q[i][k] - before_[i][k]) / (2 * h_)) /
                     (1 + std::fabs(now.v[i][k])),
                 "velocity", count(i));
      return;
    }
    const wides q = moved(j, old.q[i], part);
    for (std::size_t k = 0; k < q.size(); k++)
      out.take(std::fabs(q[k] - now.q[i][k]) / (1 + std::fabs(q[k])), "position", count(i));
    if (j.exact) balance(i, p, mean, old, now, out);
  }

  // ΔE = h (other forces)_θ·v_θ + (1/2 − θ)(ΔvᵀMΔv + ΔqᵀKΔq) + p·v_θ, without any approximation.
  void balance(std::size_t i, const wides &p, const wides &mean, const moment &old,
               const moment &now, verdict &out) {
    const judged_system &j = m_.systems[i];
    const std::size_t n = at(j.n);
    const wide theta = m_.thetas[i];
    const wides M = j.mass(now.q[i].data());
    const wides f0 = j.other(old.t, old.q[i].data(), old.v[i].data());
    const wides f1 = j.other(now.t, now.q[i].data(), now.v[i].data());
    const wide before = energy(old, i), after = energy(now, i);
    wide work = 0, size = 1 + std::fabs(before) + std::fabs(after);
    for (std::size_t r = 0; r < n; r++) {
      const wide power = (h_ * (theta * f1[r] + (1 - theta) * f0[r]) + p[r]) * mean[r];
      work += power;
      size += std::fabs(power);
      for (std::size_t c = 0; c < n; c++) {
        work += (0.5L - theta) * (now.v[i][r] - old.v[i][r]) * M[r + n * c] *
                (now.v[i][c] - old.v[i][c]);
        work += (0.5L - theta) * (now.q[i][r] - old.q[i][r]) * j.K[r + n * c] *
                (now.q[i][c] - old.q[i][c]);
      }
    }
    out.take(std::fabs(after - before - work) / size, "energy", count(i));
  }

  // Whether the prediction lets a copy act: 1 yes, 0 no, -1 either, by rounding.
  int acts(std::size_t i, std::size_t row, const moment &old) const {
    const judged_law &law = m_.laws[i];
    const bool unilateral = law.kind != law_kind::equality && law.kind != law_kind::box &&
                            law.kind != law_kind::mixed && law.kind != law_kind::polyhedron;
    if (m_.relations[i].order == 1 || m_.positions || !m_.relations[i].gated || !unilateral)
      return 1;
    if (law.kind == law_kind::cohesive && old.glue[i][row / at(law.size)].beta > 0) return 1;
    if (m_.relations[i].yields && old.lambda[i][row] != 0) return 1;
    const wide predicted = old.y[i][row] + m_.options.gamma * h_ * old.ydot[i][row];
    if (std::fabs(predicted) < 1e-13L * (1 + std::fabs(old.y[i][row]))) return -1;
    return predicted <= 0;
  }

  void laws(std::size_t i, const judged_values &v, const moment &old, const moment &now,
            verdict &out) const {
    const judged_law &law = m_.laws[i];
    const std::size_t size = at(law.size);
    wide scale = 1e-12L;
    for (const wides &l : now.lambda)
      for (wide x : l) scale = std::max(scale, std::fabs(x));
    for (std::size_t row = 0; row < now.y[i].size(); row += size) {
      wides u(size), r(now.lambda[i].begin() + std::ptrdiff_t(row),
                       now.lambda[i].begin() + std::ptrdiff_t(row + size));
      wide u_size = 1e-3L;
      for (std::size_t k = 0; k < size; k++) {
        u[k] = level(i, v)[row + k];
        u_size = std::max(u_size, row_size(i, v, now, row + k));
      }
      const int act = acts(i, row, old);
      bool none = true;
      for (wide x : r) none = none && x == 0;
      if (act == 0 || (act == -1 && none)) {
        out.take(none ? 0 : 1,
                 "acts across a gap, kind " + std::to_string(int(law.kind)) + " on " +
                     m_.interaction_list[i]->relation->ops->name,
                 count(i));
        continue;
      }
      add_restitution(i, row, old, u, r);
      out.take(inclusion(i, row, u, r, u_size, scale, old, now),
               "law of kind " + std::to_string(int(law.kind)) + " on " +
                   (m_.interaction_list[i]->relation->ops->name) + " " + std::to_string(law.size),
               count(i));
    }
  }

  // Restitution, and what a bond is known to bear.
  void add_restitution(std::size_t i, std::size_t row, const moment &old, wides &u,
                       wides &r) const {
    const judged_law &law = m_.laws[i];
    if (m_.relations[i].order == 1) return;
    const wides &before = m_.positions ? y_before_[i] : old.ydot[i];
    for (std::size_t k = 0; k < u.size(); k++) {
      wide e = 0;
      if (law.kind == law_kind::impact) e = law.e;
      if (law.kind == law_kind::friction || law.kind == law_kind::rolling)
        e = k == 0 ? law.e : law.e_t;
      if (law.kind == law_kind::fremond) e = k == 0 ? law.e : 1;
      if (law.kind == law_kind::user) e = k == 0 ? 0.3 : 0.1;
      if (law.kind == law_kind::cohesive) {
        const wide beta = old.glue[i][row / u.size()].beta;
        if (beta == 0)
          e = k == 0 ? law.e : law.e_t;
        else if (k == 0)
          u[0] += std::max<wide>(old.y[i][row], 0) / h_, r[0] += h_ * law.N * beta;
      }
      u[k] += e * before[row + k];
    }
  }

  static wide norm(const wides &x, std::size_t a, std::size_t b) {
    wide sum = 0;
    for (std::size_t i = a; i < b; i++) sum += x[i] * x[i];
    return std::sqrt(sum);
  }

  // How far −u ∈ N_K(r) is from holding, r against its size and u against its own.
  wide inclusion(std::size_t i, std::size_t row, const wides &u, const wides &r, wide us, wide rs,
                 const moment &old, const moment &now) const {
    const judged_law &law = m_.laws[i];
    wide worst = 0;
    const auto interval = [&](std::size_t k, wide low, wide high) {
      const wide below = (r[k] - low) / rs, above = (high - r[k]) / rs, y = u[k] / us;
      worst =
          std::max({worst, -below, -above});  // inside; y > 0 at the lower end, < 0 at the upper
      worst = std::max(worst, std::min(y, below));
      worst = std::max(worst, std::min(-y, above));
    };
    constexpr wide inf = std::numeric_limits<wide>::infinity();
    switch (law.kind) {
      case law_kind::equality:
        for (std::size_t k = 0; k < u.size(); k++) interval(k, -inf, inf);
        break;
      case law_kind::complementarity:
      case law_kind::impact:
        for (std::size_t k = 0; k < u.size(); k++) interval(k, 0, inf);
        break;
      case law_kind::mixed:
        for (std::size_t k = 0; k < u.size(); k++)
          interval(k, k < at(law.equalities) ? -inf : 0, inf);
        break;
      case law_kind::box:
        for (std::size_t k = 0; k < u.size(); k++) interval(k, law.lower[k], law.upper[k]);
        break;
      case law_kind::compliant:
        for (std::size_t k = 0; k < u.size(); k++) {
          const wide mean =
              law.theta * now.ydot[i][row + k] + (1 - law.theta) * old.ydot[i][row + k];
          const wide y = old.y[i][row + k] + h_ * law.theta * mean;
          const wide want = h_ * std::max<wide>(0, -law.k * y - law.c * mean);
          const wide terms = h_ * (law.k * (std::fabs(old.y[i][row + k]) + h_ * us) + law.c * us);
          worst = std::max(worst, std::fabs(r[k] - want) / (rs + terms));
        }
        break;
      case law_kind::polyhedron:
        for (std::size_t k = 0; k < 3; k++) {
          const wide angle = wide(law.angle) + 2.0943951023931953L * wide(k);
          const wide a = std::cos(angle), b = std::sin(angle);
          worst =
              std::max(worst, -(a * r[0] + b * r[1] + law.radius) / std::max(rs, wide(law.radius)));
          const wide w0 = 2 * law.radius * a, w1 = 2 * law.radius * b;  // a corner
          worst = std::max(worst, -(u[0] * (w0 - r[0]) + u[1] * (w1 - r[1])) / (us * law.radius));
        }
        break;
      default: {
        interval(0, 0, inf);
        const std::size_t first = u.size() == 1                    ? 1
                                  : u.size() == 5 || u.size() == 2 ? (u.size() == 5 ? 3 : 2)
                                  : law.kind == law_kind::rolling  ? 2
                                                                   : 3;
        worst = std::max(worst, drag(u, r, 1, first, law.mu, us, rs));
        worst = std::max(worst, drag(u, r, first, u.size(), law.mu_r, us, rs));
      }
    }
    return worst;
  }

  // ‖r_t‖ <= μ r_n, and u_t = 0 or r_t = −μ r_n u_t/‖u_t‖.
  static wide drag(const wides &u, const wides &r, std::size_t a, std::size_t b, wide mu, wide us,
                   wide rs) {
    if (a == b) return 0;
    const wide speed = norm(u, a, b), limit = mu * std::max<wide>(r[0], 0);
    wide worst = (norm(r, a, b) - limit) / rs;
    wides off(r);
    for (std::size_t k = a; speed > 0 && k < b; k++) off[k] += limit * u[k] / speed;
    return std::max(worst, std::min(speed / us, norm(off, a, b) / rs));
  }

  // The damage of bonds.
  void glue(std::size_t i, const moment &old, const moment &now, verdict &out) const {
    const judged_law &law = m_.laws[i];
    for (std::size_t c = 0; c < now.glue[i].size(); c++) {
      const perp_cohesive_state &a = old.glue[i][c], &b = now.glue[i][c];
      if (!(a.beta > 0)) continue;
      const std::size_t row = c * at(law.size);
      wides open = {std::max<wide>(0, now.y[i][row]), 0, 0};
      for (std::size_t k = 1; k < at(law.size); k++)
        open[k] = law.weight * (a.slip[k - 1] + h_ * now.ydot[i][row + k]);
      const wide want = std::max<wide>(0, std::min<wide>(a.beta, 1 - norm(open, 0, 3) / law.delta));
      out.take(std::fabs(want - b.beta), "damage", count(i));
    }
  }

  void remember(const moment &old, const moment &now) {
    before_ = old.q;
    y_before_ = old.y;
    h_before_ = h_;
    for (std::size_t i = 0; i < m_.relations.size(); i++)
      if (m_.relations[i].order == 1) reaction_[i] = evaluate(i, now, old, h_).r;
  }
};

}  // namespace tools

#endif
