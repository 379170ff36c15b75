// SPDX-License-Identifier: MIT
// The façade without exceptions and without type information, as firmware has it: steps and solves
// return their negative status, all else tells on_error() and ends. Other compilers translate this
// file, too.
#include <perp/perp.hpp>

namespace {

int failures = 0;

void expect(bool holds, const char *what) {
  if (holds) return;
  (void)std::fprintf(stderr, "%s\n", what);
  failures++;
}

bool near(double a, double b) { return a - b < 1e-9 && b - a < 1e-9; }

perp::law halving() {
  perp::law_functions f;
  f.state = 1;
  f.set = PERP_SET_ORTHANT;
  f.unilateral = true;
  f.begin = [](perp::span state) { state[0] = 7; };
  f.restitute = [](perp::view state, const perp::law_step &begin, perp::span q) {
    if (state[0] == 7) q[0] += 0.5 * begin.ydot[0];
  };
  return perp::user_law(f);
}

void falls_and_bounces(const perp::law &l) {
  perp::model m;
  perp::lagrangian ball(1, 2.0);
  ball.external = [](perp::span f) { f[0] = -2 * 9.81; };
  ball.internal = [](perp::view, perp::view v, perp::span f) { f[0] = 0 * v[0]; };
  ball.internal_dv = 0.0;
  const auto b = m.add(ball, {0.0}, {-1.0});
  perp::lagrangian_scleronomous floor;
  floor.h = [](perp::view q, perp::span y) { y[0] = q[0]; };
  floor.H = 1.0;
  const auto contact = m.connect(floor, l, b);
  expect(check_derivatives(m).worst.compared > 0, "derivatives are compared");
  perp::simulation sim(m, 1e-3, 10);
  expect(sim.step() == PERP_OK && near(sim.v(b)[0], 0.5), "half of the velocity comes back");
  expect(near(sim.lambda(contact)[0], 2 * (1.5 + 9.81e-3)), "its impulse");
  expect(sim.run() == PERP_END, "the grid ends");
}

void gives_up() {
  perp::model m;
  perp::first_order runaway(1, [](double t, perp::view, perp::span f) {
    f[0] = 1;
    return t > 0.05 ? -1 : 0;
  });
  m.add(runaway, {0.0});
  perp::simulation sim(m, 0.01);
  const perp_status s = sim.run();
  expect(s == PERP_ECALLBACK && sim.status() == s, "a step returns that a callback gave up");
}

void bodies_and_pools() {
  perp::model m;
  const auto ball = m.add(perp::ball(1, 0.5, {0, 0, -9.81}), perp::pose_at({0, 0, 0.5}));
  const auto box = m.add(perp::brick(1, 1, 1, 1), perp::pose_at({5, 0, 0}));
  m.connect(perp::fixed_joint({5, 0, 0}, perp::pose_at({5, 0, 0})), perp::equality(), box);
  perp_sphere_plane ground{};
  ground.normal[2] = 1;
  ground.radius = 0.5;
  m.connect(perp::body_contact(ground), perp::friction_3d(0.3), ball);
  m.pool({4, perp::newton_impact(0), [=](double, perp::contact_search &search) {
            expect(search.systems() == 2 && search.q(ball).size() == 7, "the search sees bodies");
          }});
  perp::simulation sim(m, 1e-3, 5);
  expect(sim.run() == PERP_END && near(sim.v(ball)[2], 0), "the ball rests");
}

void solves() {
  double z[2], w[2];
  perp::solver one(perp::lemke());
  expect(one.lcp({2, 1, 1, 2}, {-5, -6}, z, w) == PERP_OK && near(z[0], 4.0 / 3), "an LCP");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect(one.lcp({nan, 1, 1, 2}, {-5, -6}, z, w) == PERP_ENOTFINITE, "a solve returns its status");
  const double P[] = {1, 0, 0, 1}, c[] = {-1, -2};
  const auto q = perp::solve(perp::qp(P, c));
  expect(q.status == PERP_OK && near(q.x[1], 2), "a program");
  const auto m = perp::solve_mcp({1.0}, {0.0}, {9.0},
                                 [](perp::view x, perp::span f) { f[0] = x[0] * x[0] - 4; });
  expect(m.status == PERP_OK && near(m.x[0], 2), "a nonlinear problem");
  const perp::sparse_matrix a(2, 2, {{1, 1, 3}, {0, 0, 1}, {1, 1, 1}, {0, 1, 2}});
  expect(a.entries() == 3 && a.get().values[2] == 4, "entries of one place are added");
}

}  // namespace

int main() {
  perp::on_error = [](const perp::error &e) { expect(false, e.what()); };
  falls_and_bounces(perp::newton_impact(0.5));
  falls_and_bounces(halving());
  gives_up();
  bodies_and_pools();
  solves();
  perp::on_error = [](const perp::error &e) {
    expect(e.status() == PERP_EINVAL && e.field() == std::string("systems.n") && e.value() == 0,
           e.what());
    std::exit(failures);
  };
  perp::model().add(perp::lagrangian_linear(0));
  return 1; /* it came back */
}
