// SPDX-License-Identifier: MIT
#include "io/problem.hpp"

#include <algorithm>
#include <array>

namespace perp::io {

namespace {

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

constexpr std::array<std::string_view, 9> classes = {"lcp",   "mlcp",  "relay",   "fc2d", "fc3d",
                                                     "gfc2d", "gfc3d", "rolling", "mixed"};

std::string dimension(std::int32_t dim) { return std::to_string(dim) + "D"; }

std::int32_t count(const reals &q) { return static_cast<std::int32_t>(q.size()); }

// The law of a block row of a mixed problem; the file has no data for the others.
perp::law law_of(std::int32_t type, double mu) {
  static constexpr std::array<const char *, 10> names = {
      "LCP", "MLCP", "equality", "friction 2D", "friction 3D", "NCP", "MCP", "VI", "AVI", "relay"};
  if (type == mixed::lcp_type) return complementarity();
  if (type == mixed::equality_type) return equality();
  if (type == mixed::friction_3d_type) return friction_3d(mu);
  throw no_law(names[at(type)]);
}

// Cuts every size rows within each piece.
ints cut_further(const ints &cuts, std::int32_t size) {
  ints finer{0};
  for (std::size_t p = 0; p + 1 < cuts.size(); p++) {
    for (std::int32_t c = cuts[p]; c < cuts[p + 1]; c += std::min(size, cuts[p + 1] - c))
      finer.push_back(c + std::min(size, cuts[p + 1] - c));
  }
  return finer;
}

void store_matrix(matrix *A, storage kind, const ints &row_cuts, const ints &col_cuts) {
  if (kind == A->kind && (kind != storage::blocks || A->row_cuts == row_cuts)) return;
  if (kind == storage::dense) *A = to_dense(*A);
  if (kind == storage::sparse) *A = to_sparse(*A);
  if (kind == storage::blocks) *A = to_blocks(*A, row_cuts, col_cuts);
}

void store_square(matrix *A, storage kind, const ints &cuts) { store_matrix(A, kind, cuts, cuts); }

}  // namespace

std::string class_name(const any_problem &p) {
  return std::visit(
      overloaded{[](const lcp &) { return std::string("lcp"); },
                 [](const mlcp &) { return std::string("mlcp"); },
                 [](const relay &) { return std::string("relay"); },
                 [](const friction &f) { return "fc" + std::to_string(f.dim) + "d"; },
                 [](const global_friction &f) { return "gfc" + std::to_string(f.dim) + "d"; },
                 [](const rolling &) { return std::string("rolling"); },
                 [](const mixed &) { return std::string("mixed"); }},
      p);
}

bool is_class(std::string_view name) {
  return std::find(classes.begin(), classes.end(), name) != classes.end();
}

const matrix &matrix_of(const any_problem &p) {
  return std::visit(overloaded{[](const friction &f) -> const matrix & { return f.W; },
                               [](const auto &f) -> const matrix & { return f.M; }},
                    p);
}

std::size_t unknowns(const any_problem &p) {
  return std::visit(overloaded{[](const global_friction &f) { return f.b.size(); },
                               [](const auto &f) { return f.q.size(); }},
                    p);
}

perp::problem view(const any_problem &p) {
  return std::visit(
      overloaded{[](const lcp &f) {
                   return perp::problem(f.M.view(), f.q).add(complementarity(), count(f.q));
                 },
                 [](const mlcp &f) {
                   perp::problem v(f.M.view(), f.q);
                   for (std::size_t b = 0; b < f.complementary.size(); b++)
                     v.add(f.complementary[b] ? complementarity() : equality(),
                           f.cuts[b + 1] - f.cuts[b]);
                   return v;
                 },
                 [](const relay &f) {
                   perp::problem v(f.M.view(), f.q);
                   if (!f.q.empty()) v.add(box(f.lower, f.upper));
                   return v;
                 },
                 [](const friction &f) {
                   if (f.equations)
                     throw no_law("friction " + dimension(f.dim) + " beside equations");
                   perp::problem v(f.W.view(), f.q);
                   for (const double mu : f.mu)
                     v.add(f.dim == 2 ? friction_2d(mu) : friction_3d(mu));
                   return v;
                 },
                 [](const global_friction &f) -> perp::problem {
                   throw no_law("global friction " + dimension(f.dim));
                 },
                 [](const rolling &f) {
                   perp::problem v(f.M.view(), f.q);
                   for (std::size_t c = 0; c < f.mu.size(); c++)
                     v.add(f.dim == 3 ? rolling_2d(f.mu[c], f.mu_rolling[c])
                                      : rolling_3d(f.mu[c], f.mu_rolling[c]));
                   return v;
                 },
                 [](const mixed &f) {
                   perp::problem v(f.M.view(), f.q);
                   for (std::size_t b = 0; b < f.types.size(); b++)
                     v.add(law_of(f.types[b], f.mu[b]), f.cuts[b + 1] - f.cuts[b]);
                   return v;
                 }},
      p);
}

void store(any_problem *p, storage kind, std::int32_t size) {
  const auto whole = [](std::int32_t rows) { return rows == 0 ? ints{0} : ints{0, rows}; };
  const auto every = [&](std::int32_t rows, std::int32_t s) { return cut_further(whole(rows), s); };
  std::visit(overloaded{[&](lcp &f) { store_square(&f.M, kind, every(f.M.rows, size)); },
                        [&](mlcp &f) { store_square(&f.M, kind, cut_further(f.cuts, size)); },
                        [&](relay &f) { store_square(&f.M, kind, every(f.M.rows, size)); },
                        [&](friction &f) { store_square(&f.W, kind, every(f.W.rows, f.dim)); },
                        [&](global_friction &f) {
                          const ints rows = every(f.M.rows, size);
                          store_square(&f.M, kind, rows);
                          store_matrix(&f.H, kind, rows, every(f.H.cols, f.dim));
                        },
                        [&](rolling &f) { store_square(&f.M, kind, every(f.M.rows, f.dim)); },
                        [&](mixed &f) { store_square(&f.M, kind, f.cuts); }},
             *p);
}

}  // namespace perp::io
