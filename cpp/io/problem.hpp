// SPDX-License-Identifier: MIT
// The problems that files hold, as plain values that own their arrays: one struct a class. They
// hand out the problems that the solvers take.
#ifndef PERP_IO_PROBLEM_HPP
#define PERP_IO_PROBLEM_HPP

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/matrix.hpp"
#include "perp/global.hpp"

namespace perp::io {

// w = M z + q, 0 <= z ⟂ w >= 0.
struct lcp {
  matrix M;
  reals q;
};

// w = M z + q; rows in blocks of equations (w = 0, z free) and of complementarity.
struct mlcp {
  matrix M;
  reals q;
  ints cuts{0};                     // of the blocks, from 0 to rows
  std::vector<bool> complementary;  // one for each block
};

// −(M z + q) ∈ N_[l,u](z).
struct relay {
  matrix M;
  reals q;
  reals lower;
  reals upper;
};

// What FCLIB adds to contacts: equations. Local: u = W r + V λ + q, 0 = Vᵀ r + R λ + s.
struct local_equations {
  matrix V;
  matrix R;
  reals s;
};

// u = W r + q, Coulomb friction at each contact, normal first; dim 2 or 3.
struct friction {
  std::int32_t dim = 3;
  matrix W;
  reals q;
  reals mu;
  std::optional<local_equations> equations;
};

// Global: M v = H r + G λ + f, 0 = Gᵀ v + b.
struct global_equations {
  matrix G;
  reals b;
};

// M v = q + H r, u = Hᵀ v + b, Coulomb friction between u and r.
struct global_friction {
  std::int32_t dim = 3;
  matrix M;
  matrix H;
  reals q;
  reals b;
  reals mu;
  std::optional<global_equations> equations;
};

// Friction with resistance to rolling; dim 3 (plane) or 5 (space).
struct rolling {
  std::int32_t dim = 5;
  matrix M;
  reals q;
  reals mu;
  reals mu_rolling;
};

// Block rows, each with a law of its own.
struct mixed {
  enum types { lcp_type = 0, equality_type = 2, friction_2d_type = 3, friction_3d_type = 4 };
  matrix M;  // blocks
  reals q;
  ints cuts;   // of the block rows, from 0 to rows
  ints types;  // 0 ... 9, as the file has them
  reals mu;    // of friction 3D, otherwise 0
};

using any_problem = std::variant<lcp, mlcp, relay, friction, global_friction, rolling, mixed>;

// Values of the unknowns as FCLIB keeps them; an empty array is absent.
struct fclib_point {
  reals v;
  reals l;
  reals u;
  reals r;
};

// A file: the problem, and what FCLIB says beside it.
struct document {
  any_problem problem;
  std::string title;
  std::string description;
  std::string math_info;
  std::vector<fclib_point> guesses;
  std::optional<fclib_point> solution;
};

// lcp, mlcp, relay, fc2d, fc3d, gfc2d, gfc3d, rolling, mixed.
std::string class_name(const any_problem &p);
// Whether a name is one of these.
bool is_class(std::string_view name);
// The main matrix as the file has it, and the entries of λ.
const matrix &matrix_of(const any_problem &p);
std::size_t unknowns(const any_problem &p);

// Thrown by view() for a law that the library does not have.
class no_law : public std::runtime_error {
 public:
  explicit no_law(const std::string &law) : std::runtime_error(law) {}
};

// The problem that solvers take; borrows the arrays of p. Equations beside friction become rows
// with the law y = 0 behind it, a global problem is condensed.
perp::problem view(const any_problem &p);

// The problem in global form, with Hᵀ of the file for H, and Gᵀ below it as rows with the law y =
// 0; borrows the arrays of p.
perp::global_problem view_global(const global_friction &p);

// Store the matrices of p in another way. Blocks are cut where the laws are, otherwise every size
// rows.
void store(any_problem *p, storage kind, std::int32_t size = 4);

}  // namespace perp::io

#endif
