// SPDX-License-Identifier: MIT
// Friction problems of mechanical systems: one time step of bodies under gravity, in the style of
// the published collections (Acary, Brémond and Huber, in Advanced Topics in Nonsmooth Dynamics,
// Springer 2018, ch. 10). Same seed, same bits.
//
//   M (v - v_0) = h F + Hᵀ r,  u = H v + b,  (u, r) in Coulomb's law at each contact
//
// with b = e (H v_0)_n the restitution, or after elimination of v
//
//   u = W r + q,  W = H M⁻¹ Hᵀ,  q = H (v_0 + h M⁻¹ F) + b.
//
// The contacts come from the geometry of bodies that touch and hardly overlap, and q from the same
// M and H as W. So there is a solution, however many more reactions there are than equations for
// them: without restitution b = 0; with it all contacts could open at once, as nothing confines the
// bodies from all sides (Acary, Cadoux, Lemaréchal and Malick, ZAMM 91 (2011) 155-175).
#ifndef BENCH_FRICTION_FAMILIES_HPP
#define BENCH_FRICTION_FAMILIES_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "io/problem.hpp"

namespace friction_families {

using perp::io::at;
using perp::io::ints;
using perp::io::reals;

struct model {
  std::string family;
  std::int32_t dim = 3;    // components of a contact: 2, 3; with resistance to rolling 3, 5
  bool rolling = false;    // then with mu_rolling
  perp::io::matrix M;      // compressed rows, symmetric, positive definite
  ints bodies{0};          // cuts of the velocities: M has no entry between two bodies
  perp::io::matrix H;      // compressed rows, dim a contact: normal, tangential, moment
  reals f;                 // M v_0 + h F
  reals b;                 // restitution
  reals mu, mu_rolling;    // by contact
  std::int32_t rank = -1;  // of H, where the family tells it
  std::int32_t contacts() const { return static_cast<std::int32_t>(mu.size()); }
};

struct family {
  const char *name;
  const char *what;
  model (*make)(std::int32_t contacts, std::uint64_t seed);
};
const std::vector<family> &families();

// A member of a family with about so many contacts (at least 1); the seed chooses sizes, masses,
// coefficients and the motion before the step: at rest (seed divisible by 3), sliding with moderate
// velocities (remainder 1), or an impact (2), with restitution but in piles between walls. Throws
// std::invalid_argument.
model make(const std::string &name, std::int32_t contacts, std::uint64_t seed);

// u = W r + q; W in blocks, one a pair of contacts that share a body. With rolling: the class that
// has a place for its coefficients.
perp::io::any_problem local(const model &m);
// M v = f + Hᵀ r, u = H v + b; not for rolling (std::invalid_argument).
perp::io::any_problem global(const model &m);

}  // namespace friction_families

#endif
