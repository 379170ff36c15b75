// SPDX-License-Identifier: MIT
// Expressions from any bytes: a program, whose values are the same with and without derivatives, or
// one line at a place of the text.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../expression_tools.hpp"

namespace {

[[noreturn]] void broken(const char *what, const char *detail) {
  (void)std::fprintf(stderr, "%s\n%s\n", what, detail);
  std::abort();
}

void check_refusal(const perp_expression_error &error, const std::string &text) {
  const std::string line(error.message);
  if (line.empty() || line.size() >= sizeof error.message - 1) broken("no line", line.c_str());
  for (const char c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) broken("another line", line.c_str());
  if (error.position + error.bytes > text.size()) broken("no place", line.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const double constants[] = {2, -0.5, 0};
  static const double at[] = {-1, 0, 2}, piece[] = {1, 2, 0, 0, 3, -1, 0.5, 4};
  static const perp_expression_table road = {3, 0, at, piece}, held = {3, 1, at, piece};
  static const perp_expression_text half = {"q[1]/m", 6}, loop = {"half*(loop + 1)", 15};
  static const perp_expression_members balls = {2, 1};
  const std::vector<perp_expression_symbol> symbols = {
      {"t", 0, 0, nullptr, nullptr, nullptr, nullptr},
      {"q", 2, 1, nullptr, nullptr, nullptr, nullptr},
      {"m", 0, 0, constants, nullptr, nullptr, nullptr},
      {"c", 3, 0, constants, nullptr, nullptr, nullptr},
      {"road", 0, 0, nullptr, &road, nullptr, nullptr},
      {"held", 0, 0, nullptr, &held, nullptr, nullptr},
      {"half", 0, 0, nullptr, nullptr, &half, nullptr},
      {"loop", 0, 0, nullptr, nullptr, &loop, nullptr},
      {"ball.q", 2, 0, nullptr, nullptr, nullptr, &balls},
      {"seed", 0, 1, constants, nullptr, nullptr, nullptr}};
  const std::string text(data, data + size);
  const expressions::program p = expressions::compile({text, "t"}, symbols, {0, 1, 2});
  if (p.p == nullptr) {
    if (p.error.text == 0 && p.error.message[0] != 'w') check_refusal(p.error, text);
    return 0;
  }
  for (const double t : {0.0, 0.75, -1e300, std::nan("")}) {
    const double x[] = {t, 1, -t};
    double y[2], both[2], J[6];
    perp_expression_evaluate(p.p.get(), x, y);
    perp_expression_derive(p.p.get(), x, both, J);
    if (std::memcmp(y, both, sizeof y) != 0) broken("other values", text.c_str());
    if (J[1] != 1 || J[3] != 0 || J[5] != 0) broken("other derivatives", text.c_str());
    for (int s = 0; s < 3; s++)
      if (perp_expression_kind(p.p.get(), 0, s) == PERP_EXPRESSION_ZERO && J[2 * s] != 0)
        broken("not zero", text.c_str());
  }
  if (expressions::in_c(p.p.get(), "f", true).back() != '\n') broken("no C", text.c_str());
  return 0;
}
