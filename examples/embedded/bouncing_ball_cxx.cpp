// SPDX-License-Identifier: MIT
// The ball of examples/bouncing_ball.cpp (m, kg, s) in firmware: perp/perp.hpp without exceptions
// and type information. Setting up takes memory from the heap, steps take none. Prints the bits of
// height, speed and impulse; ends with 0 if the ball rests on the floor and carries its weight.
#include <perp/perp.hpp>

extern "C" {
#include "board/board.h"
}

int main() {
  board_construct();
  perp::on_error = [](const perp::error &e) {
    board_text(e.what());
    board_exit(2);
  };
  perp::model m;
  perp::lagrangian_linear ball(1);
  ball.M = 1.0;
  ball.f = -9.81;
  const auto b = m.add(ball, {1.0});
  const auto floor = m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.9), b);

  perp::simulation sim(m, 0.005, 2000);
  std::uint32_t worst = 0;
  for (;;) {
    const std::uint32_t begin = board_clock();
    const perp_status status = sim.step();
    const std::uint32_t spent = board_instructions(begin);
    if (status != PERP_OK) break;
    if (spent > worst) worst = spent;
    if (sim.step_index() % 100 == 0) {
      const double row[] = {sim.time(), sim.q(b)[0], sim.v(b)[0], sim.lambda(floor)[0]};
      board_bits("t q v P", row, 4);
    }
  }
  board_note("instructions of the worst step", worst);
  const double error = sim.lambda(floor)[0] - 0.04905;
  return sim.status() == PERP_END && error < 1e-12 && error > -1e-12 ? 0 : 1;
}
