// SPDX-License-Identifier: MIT
// A wall of dry bricks in running bond (m, kg, s, N), pushed along its top course. Bricks are rigid
// bodies; faces that touch have four contacts, at the corners of what they have in common, with
// Coulomb friction (μ = 0.6, e = 0), found anew in every step:
//   m dv = -m g e_z dt + Σ r_i,  I dΩ + Ω × IΩ dt = Σ p_i × r_i,  r_i in the cone of friction.
// Until 0.1 s the wall stands: the ground gives its weight, exactly. The push F = 1.2 μ W, W the
// weight of the top course, then shears that off as one row, with the acceleration 0.2 μ g.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>
#include <vector>

namespace {

constexpr double edge[3] = {0.06, 0.03, 0.03}, density = 2300, mu = 0.6, g = 9.80665, h = 5e-4;
constexpr int courses = 3, bricks = 4;

struct wall {
  std::vector<perp::system_id> id;
  std::vector<int> course;
  std::vector<double> half;  // half of the length of each
};

double extent(const wall &w, std::size_t i, std::size_t k) {
  return k == 0 ? w.half[i] : edge[k] / 2;
}

// Contacts of brick a with brick b, whose faces across axis k look at each other: bricks turn so
// little that the common part is a rectangle along the axes.
void touch(perp::contact_search &s, const wall &w, std::size_t a, std::size_t b, std::size_t k) {
  const perp::view qa = s.q(w.id[a]), qb = s.q(w.id[b]);
  double R[9], Ra[9];
  perp_rotation_matrix(qb.data() + 3, R);
  perp_rotation_matrix(qa.data() + 3, Ra);
  const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
  double from[3] = {}, to[3] = {};
  for (const std::size_t c : {i, j}) {
    from[c] = std::max(qa[c] - extent(w, a, c), qb[c] - extent(w, b, c));
    to[c] = std::min(qa[c] + extent(w, a, c), qb[c] + extent(w, b, c));
    if (to[c] - from[c] < 1e-3) return;
  }
  // Where the face of a brick meets the line through (x_i, x_j) along k.
  const auto face = [&](const perp::view &q, const double *turn, double side, const double *x) {
    const double *n = turn + 3 * k;
    double along = side;
    for (const std::size_t c : {i, j}) along -= n[c] * (x[c] - q[c]);
    return q[k] + along / n[k];
  };
  for (int corner = 0; corner < 4; corner++) {
    double x[3] = {};
    x[i] = corner % 2 ? to[i] : from[i];
    x[j] = corner / 2 ? to[j] : from[j];
    perp::contact_place place{};
    for (std::size_t c = 0; c < 3; c++)
      place.a[c] = place.b[c] = x[c], place.normal[c] = R[c + 3 * k];
    place.a[k] = face(qa, Ra, -extent(w, a, k), x);
    place.b[k] = face(qb, R, extent(w, b, k), x);
    place.gap = (place.a[k] - place.b[k]) * R[k + 3 * k];
    if (place.gap < 1e-3) s.add(w.id[a], w.id[b], place, 0, static_cast<std::uint64_t>(corner));
  }
}

void stand(perp::contact_search &s, const wall &w, std::size_t a) {
  double R[9];
  const perp::view q = s.q(w.id[a]);
  perp_rotation_matrix(q.data() + 3, R);
  for (int corner = 0; corner < 4; corner++) {
    const double p[3] = {corner % 2 ? w.half[a] : -w.half[a],
                         corner / 2 ? edge[1] / 2 : -edge[1] / 2, -edge[2] / 2};
    perp::contact_place place{};
    place.normal[2] = 1;
    for (std::size_t c = 0; c < 3; c++)
      place.a[c] = q[c] + R[c] * p[0] + R[c + 3] * p[1] + R[c + 6] * p[2];
    place.gap = place.a[2];
    s.add(w.id[a], perp::ground, place, 0, static_cast<std::uint64_t>(corner));
  }
}

}  // namespace

int main(int argc, char **argv) {
  constexpr double volume = edge[0] * edge[1] * edge[2], row_mass = bricks * density * volume;
  constexpr double push = 1.2 * mu * row_mass * g, start = 0.1;
  perp::model m;
  wall w;
  double mass = 0;
  for (int c = 0; c < courses; c++) {
    const bool shifted = c % 2 == 1;
    for (int i = 0; i < bricks + shifted; i++) {
      const double length = shifted && (i == 0 || i == bricks) ? edge[0] / 2 : edge[0];
      const double x = shifted && i > 0 ? i * edge[0] - edge[0] / 2 : i * edge[0];
      const double kg = density * length * edge[1] * edge[2];
      perp::body brick = perp::brick(kg, length, edge[1], edge[2], {0, 0, -kg * g});
      brick.gyroscopic = PERP_GYROSCOPIC_EXPLICIT;
      if (c == courses - 1 && i == 0)
        brick.force = [](double t, perp::view, perp::view, perp::span F) {
          F[0] = t > start ? push : 0;
        };
      w.id.push_back(m.add(brick, perp::pose_at({x + length / 2, 0, (c + 0.5) * edge[2]})));
      w.half.push_back(length / 2);
      w.course.push_back(c);
      mass += kg;
    }
  }
  perp::contact_pool pool(400, perp::friction_3d(mu), [&w](perp::contact_search &s) {
    for (std::size_t a = 0; a < w.id.size(); a++) {
      if (w.course[a] == 0) stand(s, w, a);
      for (std::size_t b = 0; b < a; b++) {
        if (w.course[a] == w.course[b] + 1) touch(s, w, a, b, 2);
        if (w.course[a] == w.course[b] && a == b + 1) touch(s, w, a, b, 0);
      }
    }
  });
  pool.max_per_system = 40;
  m.pool(pool);

  perp::simulation_options o;
  o.h = h;
  o.steps = 600;
  o.gap_tol = 1e-6;              // what touches acts, whatever the rounding of its gap
  o.solver = perp::automatic();  // to 1e-10, more than a pool takes by itself
  perp::simulation sim(m, o);
  std::ofstream csv(argc > 1 ? argv[1] : "");
  csv << "time (s),up (N),along (N),top (m/s),middle (m/s),bottom (m/s),moved (mm)\n";
  double weight = 0, still = 0, together = 0, below = 0;
  for (const auto &s : sim.steps()) {
    double up = 0, along = 0, speed[courses] = {};
    for (const auto &c : s.contacts())
      if (c.systems[1] < 0) up += c.impulse[2], along += c.impulse[0];
    const double last = s.v(w.id.back())[0];
    for (std::size_t i = 0; i < w.id.size(); i++) {
      const perp::view v = s.v(w.id[i]);
      speed[w.course[i]] = v[0];
      if (s.time() <= start)
        for (const double x : v) still = std::max(still, std::abs(x));
      if (w.course[i] == courses - 1)
        together = std::max(together, std::abs(v[0] - last));
      else
        below = std::max(below, std::abs(v[0]));
    }
    weight = std::max(weight, std::abs(up / (mass * g * h) - 1));
    csv << s.time() << ',' << up / h << ',' << along / h << ',' << speed[2] << ',' << speed[1]
        << ',' << speed[0] << ','
        << 1e3 * s.q(w.id.back())[0] - 1e3 * w.half.back() * (2 * bricks - 1) << '\n';
  }
  // The step in which the push sets in feels half of it, which is too little.
  const double speed = sim.v(w.id.back())[0], exact = 0.2 * mu * g * (o.steps * h - start - h);
  std::printf("%zu bricks, %d unknowns at most; weight on the ground to %.1e, standing: %.1e m/s\n",
              w.id.size(), sim.report().max_active, weight, still);
  std::printf(
      "speed of the top course %.9f m/s (exact %.9f), together to %.1e m/s, below %.1e m/s; "
      "%s\n",
      speed, exact, together, below, perp_status_string(sim.status()));
  return sim.status() == PERP_END && weight < 1e-7 && still < 1e-8 && together < 1e-6 &&
                 below < 1e-6 && std::abs(speed - exact) < 1e-6
             ? 0
             : 1;
}
