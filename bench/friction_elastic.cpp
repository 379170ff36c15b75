// SPDX-License-Identifier: MIT
// A deformable block on a plane: linear elasticity on bricks of eight nodes, one implicit step,
//
//   (M + θ²h² K) (v - v_0) = h (F - K d_0 - θ h K v_0) + Hᵀ r,   θ = 1/2,
//
// with lumped masses. The block slides as a whole before the step (K v_0 = 0) and is sheared and
// compressed by d_0. Every node of its lower side is a contact. The inverse of the matrix on the
// left is full, so W is.
#include <algorithm>

#include "friction_scene.hpp"

namespace friction_families {

namespace {

using perp::io::triplet;

struct mesh {
  std::int32_t nx, ny, nz;  // nodes
  double edge;
  std::int32_t node(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return k + nz * (j + ny * i);
  }
  std::int32_t nodes() const { return nx * ny * nz; }
};

using element_matrix = std::array<std::array<double, 24>, 24>;

// Stiffness of a cube, two Gauss points a direction: Σ Bᵀ D B times the volume of a point.
element_matrix stiffness(double edge, double young, double poisson) {
  const double lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  const double shear = young / (2 * (1 + poisson));
  element_matrix K{};
  const double g = 1 / std::sqrt(3.0);
  for (std::int32_t point = 0; point < 8; point++) {
    const double s[] = {(point & 1) != 0 ? g : -g, (point & 2) != 0 ? g : -g,
                        (point & 4) != 0 ? g : -g};
    std::array<std::array<double, 3>, 8> slope;  // of the shape functions
    for (std::int32_t a = 0; a < 8; a++) {
      const double c[] = {(a & 1) != 0 ? 1.0 : -1.0, (a & 2) != 0 ? 1.0 : -1.0,
                          (a & 4) != 0 ? 1.0 : -1.0};
      for (std::size_t d = 0; d < 3; d++)
        slope[at(a)][d] = 2 / edge * c[d] / 8 * (1 + c[(d + 1) % 3] * s[(d + 1) % 3]) *
                          (1 + c[(d + 2) % 3] * s[(d + 2) % 3]);
    }
    const double volume = edge * edge * edge / 8;
    for (std::size_t a = 0; a < 8; a++)
      for (std::size_t b = 0; b < 8; b++) {
        const auto &x = slope[a], &y = slope[b];
        const double inner = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        for (std::size_t i = 0; i < 3; i++)
          for (std::size_t j = 0; j < 3; j++)
            K[3 * a + i][3 * b + j] +=
                volume * (lame * x[i] * y[j] + shear * x[j] * y[i] + (i == j ? shear * inner : 0));
      }
  }
  return K;
}

// The stiffness of all elements.
std::vector<triplet> assemble(const mesh &g, const element_matrix &K) {
  std::vector<triplet> entries;
  for (std::int32_t i = 0; i + 1 < g.nx; i++)
    for (std::int32_t j = 0; j + 1 < g.ny; j++)
      for (std::int32_t k = 0; k + 1 < g.nz; k++)
        for (std::int32_t a = 0; a < 24; a++)
          for (std::int32_t b = 0; b < 24; b++) {
            const auto row = [&](std::int32_t c) {
              const std::int32_t p = c / 3;
              return 3 * g.node(i + (p & 1), j + (p >> 1 & 1), k + (p >> 2)) + c % 3;
            };
            entries.push_back({row(a), row(b), K[at(a)][at(b)]});
          }
  return entries;
}

double half_at_ends(std::int32_t i, std::int32_t n) { return i == 0 || i == n - 1 ? 0.5 : 1; }

// H, and the coefficients: the nodes below.
void fill_contacts(const mesh &g, double mu, double restitution, const vec3 &v, model *m) {
  std::vector<triplet> rows;
  for (std::int32_t i = 0; i < g.nx; i++)
    for (std::int32_t j = 0; j < g.ny; j++) {
      const std::int32_t row = 3 * m->contacts(), node = 3 * g.node(i, j, 0);
      rows.insert(rows.end(), {{row, node + 2, 1}, {row + 1, node, 1}, {row + 2, node + 1, 1}});
      m->mu.push_back(mu);
      m->b.insert(m->b.end(), {restitution * v.z, 0, 0});
    }
  m->rank = 3 * m->contacts();
  m->H = perp::io::compressed_rows(m->rank, 3 * g.nodes(), std::move(rows));
}

}  // namespace

model make_elastic(std::int32_t contacts, std::uint64_t seed) {
  random_source u(seed);
  constexpr double h = 5e-3, theta = 0.5, edge = 0.05, density = 1000, gravity = 9.81;
  const auto side = std::max(2, static_cast<std::int32_t>(std::lround(std::sqrt(contacts))));
  const mesh g{std::max(2, contacts / side), side, 4, edge};
  const double slope = u(0, 0.6), young = u.logarithmic(1e5, 1e8);
  const vec3 strain{u(-0.02, 0.02), 0, -u(0, 0.01)},
      weight{gravity * std::sin(slope), 0, -gravity * std::cos(slope)};
  vec3 v;
  double restitution = 0;
  if (motion_of(seed) != motion::rest) v = {u(-0.5, 0.5), u(-0.5, 0.5), -u(0, 0.05)};
  if (motion_of(seed) == motion::impact) v.z = -u(0.5, 3), restitution = u(0, 0.8);
  model m;
  m.family = "elastic";
  m.bodies.push_back(3 * g.nodes());
  std::vector<triplet> matrix = assemble(g, stiffness(edge, young, u(0, 0.45)));
  m.f.assign(at(3 * g.nodes()), 0);
  for (triplet &e : matrix) {
    const double z = edge * (e.col / 3 % g.nz);
    m.f[at(e.row)] -= h * e.value * z * (e.col % 3 == 0 ? strain.x : e.col % 3 == 2 ? strain.z : 0);
    e.value *= theta * theta * h * h;
  }
  for (std::int32_t i = 0; i < g.nx; i++)
    for (std::int32_t j = 0; j < g.ny; j++)
      for (std::int32_t k = 0; k < g.nz; k++) {
        const double mass = density * edge * edge * edge * half_at_ends(i, g.nx) *
                            half_at_ends(j, g.ny) * half_at_ends(k, g.nz);
        const double impulse[] = {mass * (v.x + h * weight.x), mass * (v.y + h * weight.y),
                                  mass * (v.z + h * weight.z)};
        for (std::int32_t d = 0; d < 3; d++) {
          const std::int32_t row = 3 * g.node(i, j, k) + d;
          matrix.push_back({row, row, mass});
          m.f[at(row)] += impulse[d];
        }
      }
  m.M = perp::io::compressed_rows(3 * g.nodes(), 3 * g.nodes(), std::move(matrix));
  fill_contacts(g, u(0.1, 0.9), restitution, v, &m);
  return m;
}

}  // namespace friction_families
