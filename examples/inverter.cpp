// SPDX-License-Identifier: MIT
// A CMOS inverter with a load C, its transistors by segments after [Acary, Bonnefon and Brogliato
// 2011] (V, uA, fF, ns):
//   C u' = i_P - i_N,   i_N = K_N/2 (f(g - v_N) - f(g - v_N - u)),
//                       i_P = K_P/2 (f(V - g - v_P) - f(u - g - v_P)),
// g the input, and f(x) = sum_i w_i max(0, x - a_i), chords of max(0, x)^2: with y = -x a graph
// that falls, four times in one relation. Checked against f by that sum: the static transfer curve
// (steps of a millisecond, in which C is nothing) against bisection, the output to a pulsed input
// against Runge-Kutta. Currents do not jump, so reactions of weight 1/2 give a hundredth of the
// error of the implicit scheme.
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <perp/perp.hpp>

namespace {

constexpr double V = 3, C = 50, v_N = 0.6, v_P = 0.7, K_N = 100, K_P = 40, h = 0.01;
constexpr double a[] = {0, 0.3, 0.6, 0.9, 1.2, 1.6, 2, 2.5, 3};
constexpr int last = 8;

double f(double x) {
  double sum = 0, slope = 0;
  for (int i = 0; i < last; i++) {
    const double next = a[i] + a[i + 1];  // of the chord from a_i^2 to a_{i+1}^2
    sum += (next - slope) * std::fmax(0, x - a[i]);
    slope = next;
  }
  return sum;
}

double i_N(double g, double u) { return K_N / 2 * (f(g - v_N) - f(g - v_N - u)); }
double i_P(double g, double u) { return K_P / 2 * (f(V - g - v_P) - f(u - g - v_P)); }
double rate(double g, double u) { return (i_P(g, u) - i_N(g, u)) / C; }

// From 0 to V and back in 0.5 ns each, every 8 ns.
double input(double t) {
  const double s = std::fmod(t, 8);
  return V * (std::fmin(1, std::fmax(0, 2 * s - 1)) - std::fmin(1, std::fmax(0, 2 * s - 9)));
}

double runge_kutta(double t, double u) {
  constexpr int parts = 10;
  constexpr double d = h / parts;
  for (int i = 0; i < parts; i++) {
    const double k1 = rate(input(t), u), k2 = rate(input(t + d / 2), u + d / 2 * k1);
    const double k3 = rate(input(t + d / 2), u + d / 2 * k2), k4 = rate(input(t + d), u + d * k3);
    u += d / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    t += d;
  }
  return u;
}

double balance(double g) {  // the output whose net current is 0
  double low = 0, high = V;
  for (int i = 0; i < 60; i++) {
    const double u = (low + high) / 2;
    (rate(g, u) > 0 ? low : high) = u;
  }
  return (low + high) / 2;
}

}  // namespace

int main(int argc, char **argv) {
  std::array<double, 1> z = {};
  double &g = z[0];
  perp::linear_relation gates;  // y = -(g - v_N, g - v_N - u, V - g - v_P, u - g - v_P)
  gates.C = {0, 1, 0, -1};
  gates.F = {-1, -1, 1, 1};
  gates.z = perp::borrow(z);
  gates.e = {v_N, v_N, v_P - V, v_P};
  gates.B = {-K_N / 2 / C, K_N / 2 / C, K_P / 2 / C, -K_P / 2 / C};
  std::vector<double> y, current;
  for (int i = last; i >= 0; i--) y.push_back(-a[i]), current.push_back(a[i] * a[i]);
  perp::model m;
  const auto load = m.add(perp::first_order_linear(1), {V});
  const auto mos =
      m.connect(gates, perp::piecewise_linear(y, current, a[last] + a[last - 1]), load);

  perp::simulation_options o;
  o.h = h, o.steps = 1600, o.theta = 1;
  perp::simulation implicit(m, o);
  o.h = 1e6;
  perp::simulation still(m, o);
  o.h = h, o.theta = o.reaction_gamma = 0.5, o.integrator = perp::theta_gamma();
  perp::simulation sim(m, o);
  std::ofstream csv(argc > 1 ? argv[1] : "");  // for a plot, if a file is named
  csv << "time (ns),input (V),output (V),i_N (uA),i_P (uA),static input (V),static output (V),"
         "static current (uA)\n";
  bool right = true;
  double exact = V, error[3] = {}, threshold = 0, fall = 0, rise = 0, before = V;
  std::puts("  t (ns)  input  output (V)   i_N   i_P (uA)");
  for (int k = 1; k <= 1600; k++) {
    const double t = k * h, slow = V * k / 1600;
    g = slow;
    right = still.step() == PERP_OK && right;
    const double u = still.x(load)[0],
                 at_rest = K_N / 2 * (still.lambda(mos)[0] - still.lambda(mos)[1]);
    error[0] = std::fmax(error[0], std::abs(u - balance(g)));
    if (u > g) threshold = g;
    g = input(t);
    right = sim.step() == PERP_OK && implicit.step() == PERP_OK && right;
    exact = runge_kutta(t - h, exact);
    const double now = sim.x(load)[0];
    const perp::view l = sim.lambda(mos);
    const double down = K_N / 2 * (l[0] - l[1]), up = K_P / 2 * (l[2] - l[3]);
    error[1] = std::fmax(error[1], std::abs(implicit.x(load)[0] - exact));
    error[2] = std::fmax(error[2], std::abs(now - exact));
    if (before > V / 2 && now <= V / 2 && fall == 0) fall = t - 0.75;
    if (before < V / 2 && now >= V / 2 && rise == 0) rise = t - 4.75;
    before = now;
    csv << t << ',' << g << ',' << now << ',' << down << ',' << up << ',' << slow << ',' << u << ','
        << at_rest << '\n';
    if (k % 50 == 0 && k <= 800)
      std::printf("%8.2f %6.2f %10.5f %7.2f %7.2f\n", t, g, now, down, up);
  }
  std::printf(
      "static curve to %.0e V, threshold %.3f V; delays %.2f and %.2f ns; error %.0e V, "
      "implicit %.0e V; %s\n",
      error[0], threshold, fall, rise, error[2], error[1], right ? "solved" : "not solved");
  return right && error[0] < 1e-5 && error[1] < 0.05 && error[2] < 3e-4 ? 0 : 1;
}
