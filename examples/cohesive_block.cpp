// SPDX-License-Identifier: MIT
// A block of linear triangles in plane strain, glued to the ground along its foot, is pulled off
// (m, kg, s, N; thickness 1 m):
//   M dv + (C v + K q) dt = f(t) dt + Hᵀ dr,
// each node of the foot with Coulomb friction and a cohesive zone: strength σ_c, fracture energy
// G_c, whose damage is a state of the law. The load on the top grows until the foot gives way, from
// its edges, where the stress is highest. Checked: the impulses of the zone have taken G_c times
// the area for opening (to first order in h); damage never heals; then the block flies as the load
// says.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>
#include <vector>

namespace {

constexpr int across = 8, up = 8, nodes = (across + 1) * (up + 1), n = 2 * nodes;
constexpr double width = 0.1, height = 0.1, E = 1e7, nu = 0.3, rho = 2000, sigma = 2e4, G_c = 2.0;
constexpr double mu = 0.5, damping = 2e-5, h = 5e-6, ramp = 1e6;

// On the whole top.
double load(double t) { return std::min(ramp * t, 1.5 * sigma * width); }

// Add the matrices of a triangle: lumped mass, stiffness of constant strain.
void triangle(const int (&node)[3], const double (&x)[3][2], std::vector<double> &M,
              std::vector<perp::sparse_matrix::entry> &K) {
  double b[3], c[3];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    b[i] = x[j][1] - x[k][1], c[i] = x[k][0] - x[j][0];
  }
  const double area = (b[0] * c[1] - b[1] * c[0]) / 2, lame = E * nu / ((1 + nu) * (1 - 2 * nu)),
               G = E / (2 * (1 + nu)), D[2] = {lame + 2 * G, lame};
  for (int i = 0; i < 3; i++) {
    const auto at = 2 * static_cast<std::size_t>(node[i]);
    M[at] += rho * area / 3;
    M[at + 1] += rho * area / 3;
    for (int j = 0; j < 3; j++) {
      const double s = 1 / (4 * area);
      K.push_back({2 * node[i], 2 * node[j], s * (D[0] * b[i] * b[j] + G * c[i] * c[j])});
      K.push_back({2 * node[i], 2 * node[j] + 1, s * (D[1] * b[i] * c[j] + G * c[i] * b[j])});
      K.push_back({2 * node[i] + 1, 2 * node[j], s * (D[1] * c[i] * b[j] + G * b[i] * c[j])});
      K.push_back({2 * node[i] + 1, 2 * node[j] + 1, s * (D[0] * c[i] * c[j] + G * b[i] * b[j])});
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<double> M(n, 0.0);
  std::vector<perp::sparse_matrix::entry> K;
  const auto at = [](int i, int j) { return i + (across + 1) * j; };
  constexpr double dx = width / across, dy = height / up;
  for (int j = 0; j < up; j++)
    for (int i = 0; i < across; i++) {
      const double x0 = i * dx, x1 = x0 + dx, y0 = j * dy, y1 = y0 + dy;
      triangle({at(i, j), at(i + 1, j), at(i + 1, j + 1)}, {{x0, y0}, {x1, y0}, {x1, y1}}, M, K);
      triangle({at(i, j), at(i + 1, j + 1), at(i, j + 1)}, {{x0, y0}, {x1, y1}, {x0, y1}}, M, K);
    }
  std::vector<perp::sparse_matrix::entry> mass, C;
  for (int i = 0; i < n; i++) mass.push_back({i, i, M[static_cast<std::size_t>(i)]});
  for (const auto &k : K) C.push_back({k.row, k.column, damping * k.value});
  perp::lagrangian_linear block(n, perp::sparse_matrix(n, n, mass));
  block.K = perp::sparse_matrix(n, n, K);
  block.C = perp::sparse_matrix(n, n, C);
  block.force = [](double t, perp::span f) {
    for (int i = 0; i <= across; i++)
      f[2 * static_cast<std::size_t>(i + (across + 1) * up) + 1] =
          load(t) / across * (i == 0 || i == across ? 0.5 : 1.0);
  };
  perp::model m;
  const auto body = m.add(block);
  std::vector<perp::interaction_id> foot;
  for (int i = 0; i <= across; i++) {
    perp::lagrangian_linear_relation node(
        perp::sparse_matrix(2, n, {{0, 2 * i + 1, 1.0}, {1, 2 * i, 1.0}}));
    perp::law zone = perp::cohesive_2d(mu, sigma, G_c, i == 0 || i == across ? dx / 2 : dx);
    zone.slip_weight = 0;  // opening breaks it, not sliding
    foot.push_back(m.connect(node, zone, body));
  }
  perp::simulation_options o;
  o.h = h;
  o.steps = 1000;
  perp::simulation sim(m, o);
  std::ofstream csv(argc > 1 ? argv[1] : "");
  csv << "time (ms),load (kN),foot (kN),taken (J),intact,opening edge (mm),opening middle (mm)\n";
  double opened = 0, rubbed = 0, strongest = 0, healed = 0, momentum_error = 0, free_impulse = 0,
         momentum = 0, broken = 0;
  double rate[across + 1][2] = {}, beta[across + 1];
  std::fill(std::begin(beta), std::end(beta), 1.0);
  for (const auto &s : sim.steps()) {
    double intact = 0, force = 0, carried = 0;
    for (std::size_t i = 0; i < foot.size(); i++) {
      const perp::view p = s.lambda(foot[i]), v = s.ydot(foot[i]);
      opened -= p[0] * (v[0] + rate[i][0]) / 2;
      rubbed -= p[1] * (v[1] + rate[i][1]) / 2;
      rate[i][0] = v[0], rate[i][1] = v[1];
      const double now = s.law_state(foot[i])[0];
      healed = std::max(healed, now - beta[i]);
      beta[i] = now, intact += now / (across + 1), force -= p[0] / h;
    }
    strongest = std::max(strongest, force);
    for (std::size_t i = 0; i < nodes; i++) carried += M[2 * i + 1] * s.v(body)[2 * i + 1];
    if (intact == 0 && broken == 0) broken = s.time(), momentum = carried;
    if (broken > 0 && s.time() > broken)
      free_impulse += h * (load(s.time()) + load(s.time() - h)) / 2;
    if (broken > 0)
      momentum_error = std::max(momentum_error, std::abs(carried - momentum - free_impulse));
    if (s.step_index() % 5 == 0)
      csv << 1e3 * s.time() << ',' << load(s.time()) / 1e3 << ',' << force / 1e3 << ',' << opened
          << ',' << intact << ',' << 1e3 * s.y(foot[0])[0] << ',' << 1e3 * s.y(foot[across / 2])[0]
          << '\n';
  }
  const double energy = G_c * width;
  std::printf(
      "broken at %.3f ms, at most %.0f N (σ_c A = %.0f N); opening took %.5f J (G_c A = %.5f), "
      "sliding %.1e J; momentum to %.1e N s; %s\n",
      1e3 * broken, strongest, sigma * width, opened, energy, rubbed, momentum_error,
      perp_status_string(sim.status()));
  return sim.status() == PERP_END && broken > 0 && healed <= 0 && strongest <= sigma * width &&
                 std::abs(opened / energy - 1) < 0.02 && rubbed >= -1e-12 && momentum_error < 1e-9
             ? 0
             : 1;
}
