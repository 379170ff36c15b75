// SPDX-License-Identifier: MIT
// The inspector tells systems, interactions, couplings, sizes and relative degrees.
#include <gtest/gtest.h>

#include <string>

#include "model_tools.hpp"

namespace {

using namespace tools;

std::string describe(const perp_model *model, const perp_simulation_options *options = nullptr) {
  std::string text(perp_model_describe(model, options, nullptr, 0), '?');
  EXPECT_EQ(perp_model_describe(model, options, &text[0], text.size() + 1), text.size());
  return text;
}

// Three balls over a floor, the first two touching, and a circuit by itself.
void fill(world &w) {
  const auto &ball = w.body(vec{1.0});
  for (int i = 0; i < 3; i++) w.add(ball.system);
  w.add(w.circuit(2).system);
  const auto &pair = w.contact(1, 2, {-1, 1});
  w.join(pair.relation, w.impact(0.5), {0, 1});
  const auto &floor = w.contact(1, 1, {1});
  w.join(floor.relation, w.complementarity(), {2});
  w.finish();
}

TEST(Describe, TellsWhatAModelIsMadeOf) {
  world w;
  fill(w);
  const std::string text = describe(&w.model);
  EXPECT_EQ(
      text,
      "4 systems (3 positions, 3 velocities, 2 states of order 1), 2 interactions (2 rows, 2 "
      "copies of laws)\n"
      "  system 0 ... 2: Lagrangian linear, order 2, n = 1\n"
      "  system 3: first-order linear, order 1, n = 2\n"
      "  interaction 0: Lagrangian linear, law newton_impact, m = 1, order 2, on systems 0 1, "
      "relative degree 2\n"
      "  interaction 1: Lagrangian linear, law complementarity, m = 1, order 2, on system 2, "
      "relative degree 2\n"
      "  island with m = 1: systems 0 1; interactions 0\n"
      "  island with m = 1: systems 2; interactions 1\n"
      "  systems without interactions: 1\n");
}

TEST(Describe, TellsTheSizesUnderOptions) {
  world w;
  w.add(w.body(vec{1.0}).system);
  w.finish();
  const std::string text = describe(&w.model, &w.options);
  const auto size = std::to_string(perp_simulation_state_size(&w.model, &w.options));
  EXPECT_NE(text.find("state " + size + " bytes, work "), std::string::npos) << text;
}

TEST(Describe, TellsWhyAModelIsRefused) {
  EXPECT_NE(describe(nullptr).find("refused"), std::string::npos);
  world w;
  fill(w);
  w.interactions.front().n_systems = 1;
  EXPECT_NE(describe(&w.model).find("refused"), std::string::npos);
}

TEST(Describe, NeverWritesPastItsRoom) {
  world w;
  fill(w);
  const std::string whole = describe(&w.model);
  for (std::size_t room = 0; room < whole.size() + 5; room++) {
    std::string text(whole.size() + 10, '#');
    EXPECT_EQ(perp_model_describe(&w.model, nullptr, &text[0], room), whole.size());
    EXPECT_EQ(text.substr(room), std::string(text.size() - room, '#'));
    if (room == 0) continue;
    const std::size_t kept = std::min(room - 1, whole.size());
    EXPECT_EQ(text.substr(0, kept), whole.substr(0, kept));
    EXPECT_EQ(text[kept], '\0');
  }
}

}  // namespace
