// SPDX-License-Identifier: MIT
// One step judged by the equations of the schemes, in dense long double arithmetic. Nothing is
// solved here: from the values before the step and the multipliers found, everything else follows.
//
//   order 2:  W = M + hθC + h²θ²K,   v_free = v − W⁻¹[(hC + h²θK) v + hK q − h F_{k+θ}],
//             v⁺ = v_free + W⁻¹Hᵀλ,  q⁺ = q + h(θv⁺ + (1−θ)v)
//   order 1:  W = M − hθA,  x_free = x + hW⁻¹(A x + b_{k+θ} + a),  x⁺ = x_free + hW⁻¹Bλ
#ifndef PERP_TESTS_SCHEME_ORACLE_HPP
#define PERP_TESTS_SCHEME_ORACLE_HPP

#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model_tools.hpp"

namespace tools {

using real = long double;

struct matrix {
  std::int32_t rows = 0, cols = 0;
  std::vector<real> a;
  matrix() = default;
  matrix(std::int32_t m, std::int32_t n) : rows(m), cols(n), a(at(m) * at(n), 0) {}
  real &operator()(std::int32_t i, std::int32_t j) { return a[at(i) + at(rows) * at(j)]; }
  real operator()(std::int32_t i, std::int32_t j) const { return a[at(i) + at(rows) * at(j)]; }
};

inline matrix operator*(const matrix &A, const matrix &B) {
  matrix C(A.rows, B.cols);
  for (std::int32_t j = 0; j < B.cols; j++)
    for (std::int32_t k = 0; k < A.cols; k++)
      for (std::int32_t i = 0; i < A.rows; i++) C(i, j) += A(i, k) * B(k, j);
  return C;
}

inline matrix operator+(matrix A, const matrix &B) {
  for (std::size_t i = 0; i < A.a.size(); i++) A.a[i] += B.a[i];
  return A;
}

inline matrix operator*(real s, matrix A) {
  for (real &x : A.a) x *= s;
  return A;
}

inline matrix identity(std::int32_t n) {
  matrix I(n, n);
  for (std::int32_t i = 0; i < n; i++) I(i, i) = 1;
  return I;
}

inline matrix transpose(const matrix &A) {
  matrix T(A.cols, A.rows);
  for (std::int32_t i = 0; i < A.rows; i++)
    for (std::int32_t j = 0; j < A.cols; j++) T(j, i) = A(i, j);
  return T;
}

inline matrix inverse(matrix A) {  // Gauss-Jordan with row exchanges
  const std::int32_t n = A.rows;
  matrix X = identity(n);
  for (std::int32_t k = 0; k < n; k++) {
    std::int32_t p = k;
    for (std::int32_t i = k; i < n; i++)
      if (std::fabs(A(i, k)) > std::fabs(A(p, k))) p = i;
    for (std::int32_t j = 0; j < n; j++) {
      std::swap(A(k, j), A(p, j));
      std::swap(X(k, j), X(p, j));
    }
    const real pivot = A(k, k);
    for (std::int32_t j = 0; j < n; j++) {
      A(k, j) /= pivot;
      X(k, j) /= pivot;
    }
    for (std::int32_t i = 0; i < n; i++) {
      const real factor = A(i, k);
      if (i == k || factor == 0) continue;
      for (std::int32_t j = 0; j < n; j++) {
        A(i, j) -= factor * A(k, j);
        X(i, j) -= factor * X(k, j);
      }
    }
  }
  return X;
}

inline matrix from_columns(std::int32_t m, std::int32_t n, const double *a) {
  matrix A(m, n);
  if (a != nullptr) std::copy(a, a + at(m) * at(n), A.a.begin());
  return A;
}

inline matrix from_view(std::int32_t n, const perp_matrix &view) {
  matrix A(n, n);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++) {
      if (view.kind == PERP_DENSE) A(i, j) = view.values[at(i) + at(view.ld) * at(j)];
      if (view.kind == PERP_DIAGONAL && i == j) A(i, j) = view.values[i];
    }
  for (std::int32_t i = 0; view.kind == PERP_BLOCKS && i < n; i++)  // compressed rows
    for (std::int32_t p = view.start[i]; p < view.start[i + 1]; p++)
      A(i, view.index[p]) += view.values[p];
  return A;
}

class oracle {
 public:
  matrix H, B, D, delassus;  // rows x N, N x rows, rows x rows, rows x rows
  std::vector<matrix> Winv;  // per system
  std::vector<std::int32_t> row0, dof0, unit_of_row, row_of_unit;
  std::int32_t rows = 0, dofs = 0;

  oracle(const perp_model &model, const perp_simulation_options &options, double h)
      : model_(model), o_(options), h_(h) {
    for (std::int32_t i = 0; i < model.n_systems; i++) {
      dof0.push_back(dofs);
      dofs += model.systems[i]->n;
      Winv.push_back(inverse(iteration_matrix(i)));
    }
    for (std::int32_t i = 0; i < model.n_interactions; i++) {
      row0.push_back(rows);
      rows += model.interactions[i]->relation->m;
    }
    H = matrix(rows, dofs);
    B = matrix(dofs, rows);
    D = matrix(rows, rows);
    for (std::int32_t i = 0; i < model.n_interactions; i++) spread(i);
    delassus = H * gain(B) + D;
  }

  // Order and θ of a system, and the weight of reactions: impulses at order 2, forces at order 1.
  std::int32_t order(std::int32_t i) const { return model_.systems[i]->ops->order; }
  real theta(std::int32_t i) const { return o_.thetas != nullptr ? o_.thetas[i] : o_.theta; }
  real weight(std::int32_t i) const { return order(i) == 2 ? 1 : real(h_); }

  // s W⁻¹ X, X dofs x anything.
  matrix gain(const matrix &X) const {
    matrix Y(X.rows, X.cols);
    for (std::int32_t i = 0; i < model_.n_systems; i++) {
      const std::int32_t n = model_.systems[i]->n, d = dof0[at(i)];
      for (std::int32_t c = 0; c < X.cols; c++)
        for (std::int32_t r = 0; r < n; r++)
          for (std::int32_t k = 0; k < n; k++)
            Y(d + r, c) += weight(i) * Winv[at(i)](r, k) * X(d + k, c);
    }
    return Y;
  }

  struct snapshot {
    double t = 0;
    matrix q, v, y, ydot, lambda;  // columns; v holds x at order 1
  };

  snapshot look(const perp_simulation *sim) const {
    snapshot s{perp_simulation_time(sim), matrix(dofs, 1), matrix(dofs, 1),
               matrix(rows, 1),           matrix(rows, 1), matrix(rows, 1)};
    for (std::int32_t i = 0; i < model_.n_systems; i++)
      for (std::int32_t k = 0; k < model_.systems[i]->n; k++) {
        const std::int32_t d = dof0[at(i)] + k;
        s.q(d, 0) = order(i) == 2 ? perp_simulation_q(sim, i)[k] : 0;
        s.v(d, 0) = order(i) == 2 ? perp_simulation_v(sim, i)[k] : perp_simulation_x(sim, i)[k];
      }
    for (std::int32_t i = 0; i < model_.n_interactions; i++)
      for (std::int32_t k = 0; k < model_.interactions[i]->relation->m; k++) {
        const std::int32_t r = row0[at(i)] + k;
        s.y(r, 0) = perp_simulation_y(sim, i)[k];
        s.lambda(r, 0) = perp_simulation_lambda(sim, i)[k];
        if (perp_simulation_ydot(sim, i) != nullptr) s.ydot(r, 0) = perp_simulation_ydot(sim, i)[k];
      }
    return s;
  }

  // y and ẏ belong to q, v, λ.
  void expect_outputs(const snapshot &s, real tol) const {
    const matrix position = H * s.q, velocity = H * s.v, feed = D * s.lambda;
    for (std::int32_t i = 0; i < model_.n_interactions; i++)
      for (std::int32_t k = 0; k < model_.interactions[i]->relation->m; k++) {
        const std::int32_t r = row0[at(i)] + k;
        const bool second = model_.interactions[i]->relation->ops->order == 2;
        const real offset = constant(i, k), scale = 1 + std::fabs(s.y(r, 0));
        if (second) {
          EXPECT_NEAR(double(s.y(r, 0)), double(position(r, 0) + offset), double(tol * scale));
          EXPECT_NEAR(double(s.ydot(r, 0)), double(velocity(r, 0) + feed(r, 0)),
                      double(tol * (1 + std::fabs(s.ydot(r, 0)))));
        } else {
          EXPECT_NEAR(double(s.y(r, 0)), double(velocity(r, 0) + feed(r, 0) + offset),
                      double(tol * scale));
        }
      }
  }

  // The step from one snapshot to the next is one of the scheme.
  void expect_step(const snapshot &old, const snapshot &now, const perp_simulation *sim,
                   real tol = 1e-11L) const {
    const matrix free = free_motion(old), after = free + gain(B * now.lambda);
    for (std::int32_t i = 0; i < model_.n_systems; i++)
      for (std::int32_t d = dof0[at(i)]; d < dof0[at(i)] + model_.systems[i]->n; d++) {
        EXPECT_NEAR(double(now.v(d, 0)), double(after(d, 0)),
                    double(tol * (1 + std::fabs(after(d, 0)))))
            << "system " << i;
        if (order(i) == 1) continue;
        const real q =
            old.q(d, 0) + real(h_) * (theta(i) * now.v(d, 0) + (1 - theta(i)) * old.v(d, 0));
        EXPECT_NEAR(double(now.q(d, 0)), double(q), double(tol * (1 + std::fabs(q))));
      }
    expect_outputs(now, tol);
    const std::vector<bool> active = expect_activation(old, now, sim);
    expect_laws(old, now, free, active);
    expect_problem(old, now, free, active, sim, tol);
  }

 private:
  const perp_model &model_;
  perp_simulation_options o_;
  double h_;

  const perp_lagrangian_linear *body(std::int32_t i) const {
    return reinterpret_cast<const perp_lagrangian_linear *>(model_.systems[i]);
  }
  const perp_first_order_linear *circuit(std::int32_t i) const {
    return reinterpret_cast<const perp_first_order_linear *>(model_.systems[i]);
  }
  const perp_lagrangian_linear_relation *contact(std::int32_t i) const {
    return reinterpret_cast<const perp_lagrangian_linear_relation *>(
        model_.interactions[i]->relation);
  }
  const perp_linear_relation *port(std::int32_t i) const {
    return reinterpret_cast<const perp_linear_relation *>(model_.interactions[i]->relation);
  }

  matrix iteration_matrix(std::int32_t i) const {
    const std::int32_t n = model_.systems[i]->n;
    const real h = h_, th = theta(i);
    if (order(i) == 2)
      return from_view(n, body(i)->M) + (h * th) * from_view(n, body(i)->C) +
             (h * h * th * th) * from_view(n, body(i)->K);
    const bool absent = circuit(i)->M.kind == PERP_ZERO;
    return (absent ? identity(n) : from_view(n, circuit(i)->M)) +
           (-h * th) * from_view(n, circuit(i)->A);
  }

  // b + F z (e + F z at order 1) of row k of interaction i.
  real constant(std::int32_t i, std::int32_t k) const {
    const bool second = model_.interactions[i]->relation->ops->order == 2;
    const double *b = second ? contact(i)->b : port(i)->e;
    const double *F = second ? contact(i)->F : port(i)->F;
    const double *z = second ? contact(i)->z : port(i)->z;
    const std::int32_t n_z = second ? contact(i)->n_z : port(i)->n_z;
    real sum = b != nullptr ? b[k] : 0;
    for (std::int32_t c = 0; F != nullptr && c < n_z; c++)
      sum += real(F[at(k) + at(model_.interactions[i]->relation->m) * at(c)]) * z[c];
    return sum;
  }

  void spread(std::int32_t i) {
    const perp_interaction *in = model_.interactions[i];
    const bool second = in->relation->ops->order == 2;
    const std::int32_t m = in->relation->m, n = in->relation->n;
    const matrix own_H = from_columns(m, n, second ? contact(i)->H : port(i)->C);
    const matrix own_B = second ? transpose(own_H) : from_columns(n, m, port(i)->B);
    const matrix own_D = from_columns(m, m, second ? contact(i)->D : port(i)->D);
    std::int32_t column = 0;
    for (std::int32_t s = 0; s < in->n_systems; s++)
      for (std::int32_t c = 0; c < model_.systems[in->systems[s]]->n; c++, column++)
        for (std::int32_t r = 0; r < m; r++) {
          const std::int32_t d = dof0[at(in->systems[s])] + c;
          H(row0[at(i)] + r, d) = own_H(r, column);
          B(d, row0[at(i)] + r) = own_B(column, r);
        }
    for (std::int32_t r = 0; r < m; r++) {
      for (std::int32_t c = 0; c < m; c++) D(row0[at(i)] + r, row0[at(i)] + c) = own_D(r, c);
      if (r % in->law->size == 0) row_of_unit.push_back(row0[at(i)] + r);
      unit_of_row.push_back(count(row_of_unit.size()) - 1);
    }
  }

  matrix force(std::int32_t i, double t) const {
    const std::int32_t n = model_.systems[i]->n;
    const double *f = order(i) == 2 ? body(i)->f : circuit(i)->b;
    const perp_time_fn fn = order(i) == 2 ? body(i)->force : circuit(i)->input;
    void *user = order(i) == 2 ? body(i)->user : circuit(i)->user;
    matrix F = from_columns(n, 1, f);
    vec more(at(n), 0.0);
    if (fn != nullptr) fn(t, more.data(), user);
    return F + from_columns(n, 1, more.data());
  }

  matrix part(const matrix &x, std::int32_t i) const {
    matrix p(model_.systems[i]->n, 1);
    for (std::int32_t k = 0; k < p.rows; k++) p(k, 0) = x(dof0[at(i)] + k, 0);
    return p;
  }

  matrix free_motion(const snapshot &s) const {
    matrix free = s.v;
    const real h = h_;
    for (std::int32_t i = 0; i < model_.n_systems; i++) {
      const std::int32_t n = model_.systems[i]->n;
      const real th = theta(i);
      matrix load = (h * th) * force(i, s.t + h_) + (h * (1 - th)) * force(i, s.t);
      if (order(i) == 2) {
        const matrix C = from_view(n, body(i)->C), K = from_view(n, body(i)->K);
        load =
            load + real(-1) * ((h * C + (h * h * th) * K) * part(s.v, i) + (h * K) * part(s.q, i));
      } else {
        load = load + (h * from_view(n, circuit(i)->A)) * part(s.v, i);
      }
      const matrix change = Winv[at(i)] * load;
      for (std::int32_t k = 0; k < n; k++) free(dof0[at(i)] + k, 0) += change(k, 0);
    }
    matrix constant_reaction(dofs, 1);
    for (std::int32_t i = 0; i < model_.n_interactions; i++) {
      const perp_interaction *in = model_.interactions[i];
      if (in->relation->ops->order != 1 || port(i)->a == nullptr) continue;
      std::int32_t column = 0;
      for (std::int32_t s2 = 0; s2 < in->n_systems; s2++)
        for (std::int32_t c = 0; c < model_.systems[in->systems[s2]]->n; c++)
          constant_reaction(dof0[at(in->systems[s2])] + c, 0) += port(i)->a[column++];
    }
    return free + gain(constant_reaction);
  }

  // Which units acted, by rows that are known to the simulation's islands; each as the predicted
  // gap says (either where it is 0 to rounding).
  std::vector<bool> expect_activation(const snapshot &old, const snapshot &now,
                                      const perp_simulation *sim) const {
    std::vector<bool> active(at(rows), false);
    for (std::int32_t k = 0; k < perp_simulation_islands(sim); k++) {
      perp_problem p = PERP_PROBLEM_INIT;
      const std::int32_t *id = nullptr;
      EXPECT_EQ(perp_simulation_problem(sim, k, &p, &id), PERP_OK);
      for (std::int32_t r = 0; r < p.n; r++) {
        EXPECT_FALSE(active[at(id[r])]) << "row in two islands";
        active[at(id[r])] = true;
      }
    }
    for (std::int32_t i = 0; i < model_.n_interactions; i++) {
      const perp_interaction *in = model_.interactions[i];
      const bool gated = in->relation->ops->order == 2 && in->law->ops->unilateral != 0;
      for (std::int32_t k = 0; k < in->relation->m; k++) {
        const std::int32_t r = row0[at(i)] + k, first = r - k % in->law->size;
        const real gap = old.y(first, 0) + real(o_.gamma == PERP_GAMMA_DEFAULT ? 0.5 : o_.gamma) *
                                               h_ * old.ydot(first, 0);
        const bool acts = active[at(r)];
        const bool undecided = gated && std::fabs(gap) <= 1e-13L;
        EXPECT_TRUE(undecided || acts == (!gated || gap <= 0)) << "gap " << double(gap);
        EXPECT_TRUE(acts || now.lambda(r, 0) == 0);
      }
    }
    return active;
  }

  real rhs(const snapshot &old, const matrix &free_y, std::int32_t i, std::int32_t r) const {
    const perp_interaction *in = model_.interactions[i];
    real value = free_y(r, 0);
    if (in->relation->ops->order == 1) return value + constant(i, r - row0[at(i)]);
    if (in->law->ops->restitute != nullptr)
      value += real(reinterpret_cast<const perp_newton_impact *>(in->law)->e) * old.ydot(r, 0);
    return value;
  }

  // (y, λ) of the active rows lies on the law.
  void expect_laws(const snapshot &old, const snapshot &now, const matrix &free,
                   const std::vector<bool> &active) const {
    const matrix reaction = delassus * now.lambda, free_y = H * free;
    real scale = 0;
    for (std::int32_t r = 0; r < rows; r++) {
      real sum = std::fabs(free_y(r, 0));
      for (std::int32_t c = 0; c < rows; c++) sum += std::fabs(delassus(r, c) * now.lambda(c, 0));
      scale = std::max(scale, sum);
    }
    const double tol = double(scale) * 1e-9 + 1e-15;
    for (std::int32_t i = 0; i < model_.n_interactions; i++)
      for (std::int32_t k = 0; k < model_.interactions[i]->relation->m; k++) {
        const std::int32_t r = row0[at(i)] + k;
        if (!active[at(r)]) continue;
        const perp_law *law = model_.interactions[i]->law;
        const double y = double(reaction(r, 0) + rhs(old, free_y, i, r));
        const double lambda = double(now.lambda(r, 0));
        double lower = -HUGE_VAL, upper = HUGE_VAL;
        if (law->ops->set == PERP_SET_ORTHANT) lower = 0;
        if (law->ops->set == PERP_SET_BOX) {
          lower = reinterpret_cast<const perp_box *>(law)->lower[k % law->size];
          upper = reinterpret_cast<const perp_box *>(law)->upper[k % law->size];
        }
        EXPECT_GE(lambda, lower - tol);
        EXPECT_LE(lambda, upper + tol);
        EXPECT_TRUE(y <= tol || lambda <= lower + tol)
            << "row " << r << ": " << y << ", " << lambda;
        EXPECT_TRUE(y >= -tol || lambda >= upper - tol)
            << "row " << r << ": " << y << ", " << lambda;
      }
  }

  bool coupled(std::int32_t unit_a, std::int32_t unit_b) const {
    const perp_interaction *a = owner(unit_a), *b = owner(unit_b);
    if (a == b) return true;
    for (std::int32_t s = 0; s < a->n_systems; s++)
      if (std::find(b->systems, b->systems + b->n_systems, a->systems[s]) !=
          b->systems + b->n_systems)
        return true;
    return false;
  }
  const perp_interaction *owner(std::int32_t unit) const {
    std::int32_t i = model_.n_interactions - 1;
    while (row0[at(i)] > row_of_unit[at(unit)]) i--;
    return model_.interactions[i];
  }

  // M and q of every island; blocks only where units are coupled; islands are the components.
  void expect_problem(const snapshot &old, const snapshot &now, const matrix &free,
                      const std::vector<bool> &active, const perp_simulation *sim, real tol) const {
    (void)now;
    const matrix free_y = H * free;
    std::vector<std::int32_t> island_of(row_of_unit.size(), -1);
    for (std::int32_t k = 0; k < perp_simulation_islands(sim); k++) {
      perp_problem p = PERP_PROBLEM_INIT;
      const std::int32_t *id = nullptr;
      ASSERT_EQ(perp_simulation_problem(sim, k, &p, &id), PERP_OK);
      ASSERT_EQ(perp_problem_check(&p, nullptr), PERP_OK);
      for (std::int32_t i = 0; i < p.n; i++) {
        island_of[at(unit_of_row[at(id[i])])] = k;
        for (std::int32_t j = 0; j < p.n; j++) {
          const real exact = delassus(id[i], id[j]);
          EXPECT_NEAR(perp_matrix_entry(&p.M, i, j), double(exact),
                      double(tol * (1 + std::fabs(exact))));
        }
        std::int32_t in = model_.n_interactions - 1;
        while (row0[at(in)] > id[i]) in--;
        const real exact = rhs(old, free_y, in, id[i]);
        EXPECT_NEAR(p.q[i], double(exact), double(tol * (1 + std::fabs(exact))));
      }
      expect_sparsity(p, id);
    }
    for (std::int32_t a = 0; a < count(row_of_unit.size()); a++)
      for (std::int32_t b = 0; b < a; b++)
        if (active[at(row_of_unit[at(a)])] && active[at(row_of_unit[at(b)])] && coupled(a, b)) {
          EXPECT_EQ(island_of[at(a)], island_of[at(b)]);
        }
    expect_connected(island_of);
  }

  void expect_sparsity(const perp_problem &p, const std::int32_t *id) const {
    ASSERT_EQ(p.M.kind, PERP_BLOCKS);
    std::size_t stored = 0, exact = 0;
    for (std::int32_t r = 0; r < p.M.block_rows; r++) {
      const std::int32_t row = p.M.offset != nullptr ? p.M.offset[r] : r;
      for (std::int32_t b = p.M.start[r]; b < p.M.start[r + 1]; b++, stored++) {
        const std::int32_t c = p.M.index[b], column = p.M.offset != nullptr ? p.M.offset[c] : c;
        EXPECT_TRUE(coupled(unit_of_row[at(id[row])], unit_of_row[at(id[column])]));
      }
      for (std::int32_t c = 0; c < p.M.block_rows; c++) {
        const std::int32_t column = p.M.offset != nullptr ? p.M.offset[c] : c;
        exact += coupled(unit_of_row[at(id[row])], unit_of_row[at(id[column])]);
      }
    }
    EXPECT_EQ(stored, exact);
  }

  // No island falls apart into two.
  void expect_connected(const std::vector<std::int32_t> &island_of) const {
    const std::int32_t units = count(island_of.size());
    ids label(island_of.size());
    std::iota(label.begin(), label.end(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::int32_t a = 0; a < units; a++)
        for (std::int32_t b = 0; b < units; b++)
          if (island_of[at(a)] >= 0 && island_of[at(b)] >= 0 && coupled(a, b) &&
              label[at(b)] < label[at(a)]) {
            label[at(a)] = label[at(b)];
            changed = true;
          }
    }
    for (std::int32_t a = 0; a < units; a++)
      for (std::int32_t b = 0; b < units; b++)
        if (island_of[at(a)] >= 0 && island_of[at(a)] == island_of[at(b)]) {
          EXPECT_EQ(label[at(a)], label[at(b)]);
        }
  }
};

}  // namespace tools

#endif
