// SPDX-License-Identifier: MIT
// Random expressions as trees: as text, as C, and evaluated in complex numbers of long double,
// whose imaginary part is a derivative without differences (Squire and Trapp, SIAM Review 40,
// 1998).
#ifndef PERP_TESTS_EXPRESSION_TOOLS_HPP
#define PERP_TESTS_EXPRESSION_TOOLS_HPP

#include <complex>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "expression/expression.h"

namespace expressions {

using number = std::complex<long double>;

inline number by_sign(number x) { return x.real() < 0 ? -x : x; }

// One way to make an expression of others: %1, %2, %3 stand for them.
struct shape {
  int operands;
  const char *text, *c;
  number (*value)(number a, number b, number d);
};

inline const std::vector<shape> &shapes() {
  using n = number;
  static const std::vector<shape> all = {
      {2, "%1 + %2", "%1 + %2", [](n a, n b, n) { return a + b; }},
      {2, "%1 - %2", "%1 - %2", [](n a, n b, n) { return a - b; }},
      {2, "%1 * %2", "%1 * %2", [](n a, n b, n) { return a * b; }},
      {2, "%1 / (%2^2 + 2)", "%1 / (pow(%2, 2) + 2)",
       [](n a, n b, n) { return a / (b * b + n(2)); }},
      {1, "-%1", "-%1", [](n a, n, n) { return -a; }},
      {1, "abs(%1)", "fabs(%1)", [](n a, n, n) { return by_sign(a); }},
      {1, "acos(%1 / (1 + abs(%1)))", "acos(%1 / (1 + fabs(%1)))",
       [](n a, n, n) { return std::acos(a / (n(1) + by_sign(a))); }},
      {1, "asin(%1 / (1 + abs(%1)))", "asin(%1 / (1 + fabs(%1)))",
       [](n a, n, n) { return std::asin(a / (n(1) + by_sign(a))); }},
      {1, "atan(%1)", "atan(%1)", [](n a, n, n) { return std::atan(a); }},
      {2, "atan2(%1, 1 + %2^2)", "atan2(%1, 1 + pow(%2, 2))",
       [](n a, n b, n) { return std::atan(a / (n(1) + b * b)); }},
      {1, "cos(%1)", "cos(%1)", [](n a, n, n) { return std::cos(a); }},
      {1, "cosh(sin(%1))", "cosh(sin(%1))", [](n a, n, n) { return std::cosh(std::sin(a)); }},
      {1, "exp(-abs(%1))", "exp(-fabs(%1))", [](n a, n, n) { return std::exp(-by_sign(a)); }},
      {2, "hypot(%1, %2)", "hypot(%1, %2)", [](n a, n b, n) { return std::sqrt(a * a + b * b); }},
      {1, "log(1 + abs(%1))", "log(1 + fabs(%1))",
       [](n a, n, n) { return std::log(n(1) + by_sign(a)); }},
      {2, "max(%1, %2)", "(%2 > %1 || %2 != %2 ? %2 : %1)",
       [](n a, n b, n) { return b.real() > a.real() ? b : a; }},
      {2, "min(%1, %2)", "(%2 < %1 || %2 != %2 ? %2 : %1)",
       [](n a, n b, n) { return b.real() < a.real() ? b : a; }},
      {2, "pow(0.5 + abs(%1), %2)", "pow(0.5 + fabs(%1), %2)",
       [](n a, n b, n) { return std::exp(b * std::log(n(0.5L) + by_sign(a))); }},
      {1, "%1^3", "pow(%1, 3)", [](n a, n, n) { return a * a * a; }},
      {1, "%1^-1", "pow(%1, -1)", [](n a, n, n) { return n(1) / a; }},
      {1, "sign(%1) * x[0]", "(%1 > 0 ? 1 : %1 < 0 ? -1 : %1) * x[0]", nullptr},
      {1, "sin(%1)", "sin(%1)", [](n a, n, n) { return std::sin(a); }},
      {1, "sinh(cos(%1))", "sinh(cos(%1))", [](n a, n, n) { return std::sinh(std::cos(a)); }},
      {1, "sqrt(1 + abs(%1))", "sqrt(1 + fabs(%1))",
       [](n a, n, n) { return std::sqrt(n(1) + by_sign(a)); }},
      {1, "tan(sin(%1))", "tan(sin(%1))", [](n a, n, n) { return std::tan(std::sin(a)); }},
      {1, "tanh(%1)", "tanh(%1)", [](n a, n, n) { return std::tanh(a); }},
      {3, "(%1 < %2 ? %2 : %3)", "(%1 < %2 ? %2 : %3)",
       [](n a, n b, n d) { return a.real() < b.real() ? b : d; }},
      {3, "(%1 >= 0 && %2 >= 0 || !(%3 != %1) ? %1 : %2 * %3)",
       "((%1 >= 0 && %2 >= 0) || !(%3 != %1) ? %1 : %2 * %3)",
       [](n a, n b, n d) { return (a.real() >= 0 && b.real() >= 0) || d == a ? a : b * d; }},
  };
  return all;
}

struct tree {
  const shape *made = nullptr;  // nullptr: a leaf
  int input = -1;               // of a leaf, -1: a constant
  std::string constant;
  std::vector<tree> of;
};

constexpr int kInputs = 4;

inline tree random_tree(std::mt19937 *random, int depth, bool smooth) {
  const auto draw = [&](std::size_t n) { return static_cast<std::size_t>((*random)() % n); };
  tree t;
  if (depth == 0 || draw(8) == 0) {
    t.input = draw(5) == 0 && depth != 0 ? -1 : static_cast<int>(draw(kInputs));
    t.constant = std::to_string(1 + draw(30)) + "." + std::to_string(draw(100));
    return t;
  }
  do t.made = &shapes()[draw(shapes().size())];
  while (smooth && t.made->value == nullptr);
  for (int k = 0; k < t.made->operands; k++) t.of.push_back(random_tree(random, depth - 1, smooth));
  return t;
}

// In parentheses wherever it is an operand: the order is that of the tree.
inline std::string written(const tree &t, bool as_c) {
  if (t.made == nullptr) return t.input >= 0 ? "x[" + std::to_string(t.input) + "]" : t.constant;
  std::string out;
  for (const char *c = as_c ? t.made->c : t.made->text; *c != 0; c++) {
    if (*c == '%')
      out += "(" + written(t.of[static_cast<std::size_t>(*++c - '1')], as_c) + ")";
    else
      out += *c;
  }
  return out;
}

inline number value(const tree &t, const number *x) {
  if (t.made == nullptr) return t.input >= 0 ? x[t.input] : number(std::stod(t.constant));
  number of[3] = {};
  for (std::size_t k = 0; k < t.of.size(); k++) of[k] = value(t.of[k], x);
  return t.made->value(of[0], of[1], of[2]);
}

// A program of texts; message has what was refused, at what place.
struct program {
  std::unique_ptr<perp_expression, decltype(&perp_expression_free)> p{nullptr,
                                                                      perp_expression_free};
  perp_expression_error error{};
};

inline program compile(const std::vector<std::string> &texts,
                       const std::vector<perp_expression_symbol> &symbols,
                       const std::vector<std::int32_t> &seeds = {}) {
  std::vector<perp_expression_text> views;
  for (const std::string &t : texts) views.push_back({t.data(), t.size()});
  program out;
  out.p.reset(perp_expression_compile(static_cast<std::int32_t>(texts.size()), views.data(),
                                      static_cast<std::int32_t>(symbols.size()), symbols.data(),
                                      static_cast<std::int32_t>(seeds.size()), seeds.data(),
                                      &out.error));
  return out;
}

inline std::string in_c(const perp_expression *p, const std::string &name, bool derive) {
  std::string out(perp_expression_emit(p, name.c_str(), derive, nullptr, 0) + 1, '\0');
  perp_expression_emit(p, name.c_str(), derive, &out[0], out.size());
  out.pop_back();
  return out;
}

}  // namespace expressions

#endif
