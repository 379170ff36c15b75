// SPDX-License-Identifier: MIT
#include "io/problem.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

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

template <class Problem>
Problem with_contacts(Problem v, std::int32_t dim, const reals &mu) {
  for (const double m : mu) v.add(dim == 2 ? friction_2d(m) : friction_3d(m));
  return v;
}

// Entries of A, moved by so many rows and columns, or those of Aᵀ.
void add_entries(const matrix &A, std::int32_t down, std::int32_t right, bool transposed,
                 std::vector<triplet> *out) {
  for (const triplet &e : entries_of(A))
    out->push_back(
        {down + (transposed ? e.col : e.row), right + (transposed ? e.row : e.col), e.value});
}

reals joined(reals a, const reals &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// (u, 0) = [[W V] [Vᵀ R]] (r, λ) + (q, s), cut at the contacts.
perp::problem view_with_equations(const friction &f, const local_equations &e) {
  struct arrays {
    matrix M;
    reals q;
  };
  const std::int32_t rows = f.W.rows, equations = count(e.s);
  std::vector<triplet> entries;
  add_entries(f.W, 0, 0, false, &entries);
  add_entries(e.V, 0, rows, false, &entries);
  add_entries(e.V, rows, 0, true, &entries);
  add_entries(e.R, rows, rows, false, &entries);
  ints cuts{0};
  for (std::int32_t i = 0; i < rows; i += f.dim) cuts.push_back(i + f.dim);
  for (std::int32_t i = 0; i < equations; i++) cuts.push_back(rows + i + 1);
  matrix M = compressed_rows(rows + equations, rows + equations, std::move(entries));
  const auto own = std::make_shared<const arrays>(arrays{
      f.W.kind == storage::dense ? to_dense(M) : to_blocks(M, cuts, cuts), joined(f.q, e.s)});
  perp::problem v = with_contacts(perp::problem(own->M.view(), own->q), f.dim, f.mu);
  v.add(equality(), equations);
  v.keep(own);
  return v;
}

// With v eliminated.
perp::problem view_condensed(const global_friction &f) {
  struct arrays {
    perp::global_problem whole;
    perp::condensed_problem local;
    explicit arrays(perp::global_problem g) : whole(std::move(g)), local(whole.get()) {}
  };
  const auto own = std::make_shared<const arrays>(view_global(f));
  const perp_problem &p = own->local.get();
  perp::problem v = with_contacts(perp::problem(p.M, perp::view(p.q, at(p.n))), f.dim, f.mu);
  if (f.equations) v.add(equality(), count(f.equations->b));
  v.keep(own);
  return v;
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
  return std::visit(overloaded{[](const global_friction &f) {
                                 return f.b.size() + (f.equations ? f.equations->b.size() : 0);
                               },
                               [](const friction &f) {
                                 return f.q.size() + (f.equations ? f.equations->s.size() : 0);
                               },
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
                   if (f.equations) return view_with_equations(f, *f.equations);
                   return with_contacts(perp::problem(f.W.view(), f.q), f.dim, f.mu);
                 },
                 [](const global_friction &f) { return view_condensed(f); },
                 [](const rolling &f) {
                   perp::problem v(f.M.view(), f.q);
                   for (std::size_t c = 0; c < f.mu.size(); c++)
                     v.add(f.dim == 3 ? rolling_2d(f.mu[c], f.mu_rolling[c])
                                      : rolling_3d(f.mu[c], f.mu_rolling[c]));
                   return v;
                 },
                 [](const mixed &f) {
                   perp::problem v(f.M.view(), f.q);
                   for (std::size_t b = 0; b < f.types.size(); b++) {
                     const bool contact = f.types[b] == mixed::friction_3d_type;
                     v.add(law_of(f.types[b], f.mu[b]), contact ? 1 : f.cuts[b + 1] - f.cuts[b]);
                   }
                   return v;
                 }},
      p);
}

perp::global_problem view_global(const global_friction &f) {
  struct arrays {
    matrix H;
    reals b;
  };
  std::vector<triplet> entries;
  add_entries(f.H, 0, 0, true, &entries);
  if (f.equations) add_entries(f.equations->G, f.H.cols, 0, true, &entries);
  reals b = f.equations ? joined(f.b, f.equations->b) : f.b;
  const std::int32_t rows = count(b);
  const auto own = std::make_shared<const arrays>(
      arrays{compressed_rows(rows, f.M.rows, std::move(entries)), std::move(b)});
  perp::global_problem v =
      with_contacts(perp::global_problem(f.M.view(), own->H.view(), f.q, own->b), f.dim, f.mu);
  if (f.equations) v.add(equality(), count(f.equations->b));
  v.keep(own);
  return v;
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
