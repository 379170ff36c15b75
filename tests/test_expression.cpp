// SPDX-License-Identifier: MIT
// Expressions: values have the bits of a compiler's C, derivatives are those of complex steps, what
// is wrong is refused at its place, and no bytes do harm.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "expression_tools.hpp"

namespace {

using namespace expressions;

const double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<perp_expression_symbol> &symbols() {
  static const double m = 2, table[] = {10, 20, 30};
  static const std::vector<perp_expression_symbol> all = {
      {"t", 0, 0, nullptr, nullptr, nullptr, nullptr},
      {"q", 1, 1, nullptr, nullptr, nullptr, nullptr},
      {"x", 4, 0, nullptr, nullptr, nullptr, nullptr},
      {"m", 0, 0, &m, nullptr, nullptr, nullptr},
      {"ball.z", 0, 2, nullptr, nullptr, nullptr, nullptr},
      {"λ", 2, 2, nullptr, nullptr, nullptr, nullptr},
      {"c", 3, 0, table, nullptr, nullptr, nullptr},
      {"stiffness", 0, 0, &m, nullptr, nullptr, nullptr}};
  return all;
}

// NaN is one value: its sign is not told.
bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

double value(const std::string &text, std::vector<double> x = {0, 0, 0, 0}) {
  const program p = compile({text}, symbols());
  double y = -999;
  EXPECT_NE(p.p, nullptr) << text << ": " << p.error.message;
  if (p.p != nullptr) perp_expression_evaluate(p.p.get(), x.data(), &y);
  return y;
}

// The derivative in the first input, at x.
double slope(const std::string &text, double x, double second = 0) {
  const program p = compile({text}, symbols(), {0});
  const double in[] = {x, second, 0, 0};
  double y, d = -999;
  EXPECT_NE(p.p, nullptr) << text << ": " << p.error.message;
  if (p.p != nullptr) perp_expression_derive(p.p.get(), in, &y, &d);
  return d;
}

// Inputs of all sizes, with what is special among them.
std::vector<double> random_inputs(std::mt19937 *random, bool special) {
  static const double extremes[] = {0.0, -0.0, 1, -1, 1e300, -1e-300, kInfinity, -kInfinity, kNan};
  std::vector<double> x(kInputs);
  for (double &v : x) {
    v = static_cast<double>((*random)()) / 1073741824.0 - 2;
    if (special && (*random)() % 4 == 0) v = extremes[(*random)() % 9];
  }
  return x;
}

// Sources as a library of the compiler, opened.
class library {
 public:
  explicit library(const std::string &source) {
    const std::string base = ::testing::TempDir() + "perp_expression_" + std::to_string(getpid());
    std::ofstream(base + ".c") << source;
    // Functions of constants are libm's, not those of the compiler; pow stays the compiler's.
    std::string command =
        std::string(PERP_TEST_CC) + " -std=c99 -O2 -ffp-contract=off -w -shared -fPIC";
    for (const char *f : {"acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "hypot", "log",
                          "sin", "sinh", "tan", "tanh"})
      command += std::string(" -fno-builtin-") + f;
    command += " " + base + ".c -o " + base + ".so -lm";
    if (std::system(command.c_str()) == 0) handle_ = dlopen((base + ".so").c_str(), RTLD_NOW);
    (void)std::remove((base + ".c").c_str());
    (void)std::remove((base + ".so").c_str());
  }
  ~library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  library(const library &) = delete;
  library &operator=(const library &) = delete;
  template <typename F>
  F function(const std::string &name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<F>(dlsym(handle_, name.c_str()));
  }

 private:
  void *handle_ = nullptr;
};

using value_fn = double (*)(const double *x);
using values_fn = void (*)(const double *x, double *y);
using all_fn = void (*)(const double *x, double *y, double *J);

TEST(Expression, ThousandRandomOnesHaveTheBitsOfCompiledC) {
  constexpr int count = 1000;
  std::mt19937 random(1);
  std::vector<tree> trees;
  std::vector<program> programs;
  std::string source = "#include <math.h>\n";
  for (int k = 0; k < count; k++) {
    const std::string n = std::to_string(k);
    trees.push_back(random_tree(&random, 1 + k % 4, false));
    programs.push_back(compile({written(trees.back(), false)}, symbols(), {0, 1, 2, 3}));
    ASSERT_NE(programs.back().p, nullptr) << programs.back().error.message;
    source +=
        "double c" + n + "(const double *x) { return " + written(trees.back(), true) + "; }\n";
    source += in_c(programs.back().p.get(), "e" + n, k % 10 == 0).substr(7);  // without static
  }
  const library compiled(source);
  int told = 0;
  for (int k = 0; k < count; k++) {
    const auto c = compiled.function<value_fn>("c" + std::to_string(k));
    const auto emitted = compiled.function<all_fn>("e" + std::to_string(k));
    const auto emitted_value = compiled.function<values_fn>("e" + std::to_string(k));
    ASSERT_TRUE(c != nullptr && emitted != nullptr);
    const perp_expression *p = programs[static_cast<std::size_t>(k)].p.get();
    for (int i = 0; i < 20; i++) {
      const std::vector<double> x = random_inputs(&random, i >= 10);
      double y = 0, both = 0, J[kInputs], other = 0, other_J[kInputs];
      perp_expression_evaluate(p, x.data(), &y);
      perp_expression_derive(p, x.data(), &both, J);
      std::memcpy(other_J, J, sizeof J);
      if (k % 10 == 0)
        emitted(x.data(), &other, other_J);
      else
        emitted_value(x.data(), &other);
      bool right = same_bits(y, c(x.data())) && same_bits(y, both) && same_bits(y, other);
      for (int s = 0; s < kInputs; s++) right = right && same_bits(J[s], other_J[s]);
      EXPECT_TRUE(right) << written(trees[static_cast<std::size_t>(k)], false) << " at " << x[0]
                         << " " << x[1] << " " << x[2] << " " << x[3];
      ASSERT_LT(told += !right, 5);
    }
  }
}

TEST(Expression, DerivativesAreThoseOfComplexSteps) {
  std::mt19937 random(2);
  int compared = 0;
  for (int k = 0; k < 3000; k++) {
    const tree t = random_tree(&random, 1 + k % 3, true);
    const program p = compile({written(t, false)}, symbols(), {0, 1, 2, 3});
    const std::vector<double> x = random_inputs(&random, false);
    double y, J[kInputs];
    ASSERT_NE(p.p, nullptr) << p.error.message;
    perp_expression_derive(p.p.get(), x.data(), &y, J);
    for (int s = 0; s < kInputs; s++) {
      number at[kInputs];
      for (int i = 0; i < kInputs; i++) at[i] = number(x[static_cast<std::size_t>(i)]);
      at[s] += number(0, 1e-30L);
      const number exact = expressions::value(t, at);
      const auto d = static_cast<double>(exact.imag() / 1e-30L);
      const double size = std::fabs(d) + std::fabs(y) + 1;
      if (!(size < 1e6)) continue;
      compared++;
      EXPECT_NEAR(J[s], d, 1e-11 * size) << written(t, false) << " by " << s;
    }
  }
  EXPECT_GT(compared, 10000);
}

TEST(Expression, DerivativesWhereThereIsNone) {
  EXPECT_EQ(slope("abs(t)", 0), 0);
  EXPECT_EQ(slope("abs(t)", -3), -1);
  EXPECT_EQ(slope("sqrt(t)", 0), kInfinity);
  EXPECT_EQ(slope("sign(t)", 0), 0);
  EXPECT_EQ(slope("max(t, q)", 1, 1), 1);  // the first at a tie
  EXPECT_EQ(slope("min(t, q)", 1, 1), 1);
  EXPECT_EQ(slope("max(q, t)", 1, 1), 0);
  EXPECT_EQ(slope("min(q, t)", 1, 1), 0);
  EXPECT_EQ(slope("hypot(t, q)", 0), 0);
  EXPECT_EQ(slope("t > 0 ? sqrt(t) : 3 * t", 0), 3);  // infinite on the side not taken
  EXPECT_EQ(slope("t == 0 ? 1 : sin(t) / t", 0), 0);  // no number there
  EXPECT_EQ(slope("t > 1", 1), 0);
}

TEST(Expression, PowersDeriveByCases) {
  EXPECT_EQ(slope("t^0", 0), 0);
  EXPECT_EQ(slope("t^1", 0), 1);
  EXPECT_EQ(slope("t^2", -3), -6);
  EXPECT_EQ(slope("t^3", -2), 12);
  EXPECT_EQ(slope("t^-1", 2), -0.25);
  EXPECT_EQ(slope("t^0.5", 0), kInfinity);
  EXPECT_EQ(slope("t^q", 0, 0), 0);
  EXPECT_EQ(slope("t^q", -2, 3), 12);
  EXPECT_EQ(slope("0^t", 2), 0);
  EXPECT_EQ(slope("1^t", 2), 0);
  EXPECT_EQ(slope("2^t", 3), 8 * std::log(2.0));
  EXPECT_TRUE(std::isnan(slope("(-2)^t", 2)));
}

TEST(Expression, NothingIsLostNearTheLimits) {
  EXPECT_DOUBLE_EQ(slope("atan2(t, 1e200)", 0), 1e-200);
  EXPECT_DOUBLE_EQ(slope("tanh(t)", 20), 4 * std::exp(-40.0));
  EXPECT_DOUBLE_EQ(slope("asin(t)", 1 - 0x1p-53), 1 / std::sqrt(0x1p-52 - 0x1p-106));
  EXPECT_EQ(slope("tanh(t)", 1e6), 0);
}

TEST(Expression, OperatorsBindAndGroupAsWritten) {
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("8 - 4 - 2"), 2);
  EXPECT_EQ(value("8 / 4 / 2"), 1);
  EXPECT_EQ(value("1 + 2 * 3 - 4"), 3);
  EXPECT_EQ(value("1 < 2 == 2 > 1"), 1);
  EXPECT_EQ(value("0 && 0 || 1"), 1);
  EXPECT_EQ(value("!0 + 1"), 2);
  EXPECT_EQ(value("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(value("1 ? 2 : 0 ? 3 : 4"), 2);
  EXPECT_EQ(value("- - +3"), 3);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("3 >= 3"), 1);
  EXPECT_EQ(value("3 <= 2"), 0);
  EXPECT_EQ(value("1/3"), 1.0 / 3);
  EXPECT_TRUE(std::signbit(value("-0")));
  EXPECT_TRUE(std::isnan(value("min(t, q)", {kNan, 1})));
  EXPECT_TRUE(std::isnan(value("min(t, q)", {1, kNan})));
  EXPECT_TRUE(std::isnan(value("max(t, q)", {1, kNan})));
}

TEST(Expression, NumbersHaveAllTheirBits) {
  for (const char *text :
       {"0.1", "1e22", "123456789.123456789e-5", "4.9e-324", ".5", "2.", "2.e3",
        "1.7976931348623157e308", "0.000000000000000000001e21", "1E+5", "1e-400"})
    EXPECT_EQ(value(text), std::strtod(text, nullptr)) << text;
  EXPECT_EQ(value("pi"), std::acos(-1.0));
}

TEST(Expression, NamesAreInputsAndConstants) {
  const std::vector<double> x = {1, 2, 3, 4};
  EXPECT_EQ(value("t + 10*q + 100*q[0]", x), 221);
  EXPECT_EQ(value("x[3] - x[m]", x), 1);
  EXPECT_EQ(value("ball.z * m", x), 6);
  EXPECT_EQ(value("λ[0] + λ[1]", x), 7);
  EXPECT_EQ(value("c[0] + c[2*1]", x), 40);
  const program p = compile({"x[2] + 0*t"}, symbols(), {2});
  EXPECT_EQ(perp_expression_reads(p.p.get(), 2), 1);
  EXPECT_EQ(perp_expression_reads(p.p.get(), 1), 0);
}

TEST(Expression, TextsShareWhatIsEqual) {
  const program p = compile({"sin(m*t) + q", "2*sin(m*t)", "q"}, symbols(), {0, 1});
  const std::string c = in_c(p.p.get(), "f", true);
  EXPECT_EQ(c.find("sin("), c.rfind("sin(")) << c;
  EXPECT_EQ(c.find("cos("), c.rfind("cos(")) << c;
  const double x[] = {0.5, 3};
  double y[3], J[6];
  perp_expression_derive(p.p.get(), x, y, J);
  EXPECT_EQ(y[1], 2 * std::sin(1.0));
  EXPECT_EQ(y[2], 3);
  EXPECT_EQ(J[0], std::cos(1.0) * 2);
  EXPECT_EQ(J[3], 1);
  EXPECT_EQ(J[4], 0);
  const std::int32_t kinds[] = {PERP_EXPRESSION_VARIES, PERP_EXPRESSION_VARIES,
                                PERP_EXPRESSION_ZERO,   PERP_EXPRESSION_CONSTANT,
                                PERP_EXPRESSION_ZERO,   PERP_EXPRESSION_CONSTANT};
  for (int k = 0; k < 6; k++) EXPECT_EQ(perp_expression_kind(p.p.get(), k % 3, k / 3), kinds[k]);
  EXPECT_EQ(perp_expression_kind(p.p.get(), 2, -1), PERP_EXPRESSION_VARIES);
}

TEST(Expression, EachFunctionOfTheTableIsOne) {
  int count = 0;
  for (const perp_expression_function *f = perp_expression_functions; f->name != nullptr;
       f++, count++) {
    const std::string call = std::string(f->name) + (f->arity == 1 ? "(t)" : "(t, q)");
    const bool drawn = std::strcmp(f->name, "normal") == 0 || std::strcmp(f->name, "uniform") == 0;
    EXPECT_TRUE(drawn || std::isfinite(value(call, {0.5, 0.5}))) << call;
    EXPECT_NE(compile({std::string(f->name) + "(t, q, t)"}, symbols()).error.message[0], 0);
    EXPECT_TRUE(count == 0 || std::strcmp(f[-1].name, f->name) < 0);
    EXPECT_GT(std::strlen(f->text), 3U);
  }
  EXPECT_EQ(count, 22);
}

struct refusal {
  std::string text;
  std::size_t position, bytes;
  const char *message;
};

TEST(Expression, WhatIsWrongIsRefusedAtItsPlace) {
  const refusal all[] = {
      {"", 0, 0, "found the end, allowed: a number, a name, a function, a sign or `(`"},
      {"  ", 2, 0, "found the end"},
      {"2 * sni(t)", 4, 3, "found `sni`, not a function; did you mean `sin`?"},
      {"stifness + 1", 0, 8, "found `stifness`, not a name here; did you mean `stiffness`?"},
      {"1 + foo", 4, 3,
       "found `foo`, not a name here; allowed: `t`, `q`, `x`, `m`, `ball.z`, `λ`, `c`, "
       "`stiffness`, `pi`"},
      {"T", 0, 1, "did you mean `t`?"},
      {"q(2)", 0, 1, "found `q`, which is no function"},
      {"sin + 1", 0, 3, "found `sin`, a function: `(` is to follow"},
      {"x + 1", 2, 1, "found `+`, allowed: `[` after `x`, which has 4 entries"},
      {"x[4]", 2, 1, "found `4`, allowed: constant integers 0 to 3 as index of `x`"},
      {"x[t]", 2, 1, "constant integers"},
      {"x[0.5]", 2, 3, "constant integers"},
      {"x[-1]", 2, 2, "found `-1`"},
      {"x[0/0]", 2, 3, "constant integers"},
      {"x[1", 3, 0, "allowed: an operator or `]`"},
      {"m[0]", 1, 1, "allowed: an operator or the end"},
      {"atan2(t)", 7, 1, "found `)`, allowed: an operator or `,` (atan2 has 2 arguments)"},
      {"sin(t, q)", 5, 1, "found `,`, allowed: an operator or `)` (sin has 1 argument)"},
      {"sin()", 4, 1, "allowed: a number"},
      {"t q", 2, 1, "allowed: an operator or the end"},
      {"2t", 1, 1, "found `t`, allowed: an operator or the end"},
      {"(t", 2, 0, "found the end, allowed: an operator or `)`"},
      {"t)", 1, 1, "allowed: an operator or the end"},
      {"t ? 1", 5, 0, "allowed: an operator or `:`"},
      {"t ** 2", 3, 1, "found `*`, allowed: a number"},
      {"t = 2", 2, 1, "found `=`, allowed: an operator or the end"},
      {"1 < t < 2", 6, 1, "found `<`, which does not chain"},
      {"1e999", 0, 5, "larger than a double can be"},
      {std::string(101, '1'), 0, 101, "more than 100 characters"},
      {"t + \x01", 4, 1, "found `\\x01`"},
      {std::string("t\0t", 3), 1, 1, "found `\\x00`"},
      {"\xff\xfe", 0, 2, "found `\\xff\\xfe`, not a name"},
      {"1 + µm", 4, 3, "found `µm`, not a name here"},
      {std::string(40, '\xb5') + "(", 0, 40, "\\xb5\\xb5...`, not a function; allowed: abs, acos"},
      {std::string(65537, ' '), 65536, 1, "found 65537 bytes, allowed: 65536"},
      {std::string(1000000, 'a'), 65536, 934464, "found 1000000 bytes"},
      {std::string(60000, 'a'), 0, 60000, "aaa...`, not a name here"},
      {std::string(65, '(') + "t" + std::string(65, ')'), 65, 1, "nested too deeply"},
      {std::string(65, '-') + "t", 64, 1, "nested too deeply"},
      {std::string(50000, '('), 65, 1, "nested too deeply"},
  };
  for (const refusal &r : all) {
    const program p = compile({"t", r.text}, symbols());
    const std::string shown = r.text.substr(0, 40) + ": " + p.error.message;
    EXPECT_EQ(p.p, nullptr) << shown;
    EXPECT_EQ(p.error.text, 1) << shown;
    EXPECT_EQ(p.error.position, r.position) << shown;
    EXPECT_EQ(p.error.bytes, r.bytes) << shown;
    EXPECT_NE(std::strstr(p.error.message, r.message), nullptr) << shown;
  }
}

// Two pieces, 1 + 2 s + 3 s² + 4 s³ from 0 and 10 - s from 2, to 3; written out at each x.
TEST(Expression, TablesArePiecesWithTheirDerivatives) {
  const double at[] = {0, 2, 3}, piece[] = {1, 2, 3, 4, 10, -1, 0, 0};
  const perp_expression_table refuses = {3, 0, at, piece}, clamps = {3, 1, at, piece};
  const std::vector<perp_expression_symbol> names = {
      {"t", 0, 0, nullptr, nullptr, nullptr, nullptr},
      {"road", 0, 0, nullptr, &refuses, nullptr, nullptr},
      {"held", 0, 0, nullptr, &clamps, nullptr, nullptr}};
  const program p = compile({"road(t)", "held(2*t)", "held(1) + 0*t"}, names, {0});
  ASSERT_NE(p.p, nullptr) << p.error.message;
  const library compiled("#include <math.h>\n" + in_c(p.p.get(), "e", true) +
                         "void f(const double *x, double *y, double *J) { e(x, y, J); }\n");
  const auto emitted = compiled.function<all_fn>("f");
  ASSERT_NE(emitted, nullptr);
  const auto cubic = [](double s) { return 1 + s * (2 + s * (3 + s * 4)); };
  const struct {
    double t, road, slope, held, held_slope;
  } cases[] = {{0, 1, 2, 1, 4},
               {0.5, cubic(0.5), 2 + 3 + 3, cubic(1), 2 * (2 + 6 + 12)},
               {1, cubic(1), 2 + 6 + 12, 10, -2},  // at a breakpoint: the piece behind it
               {2.5, 9.5, -1, 9, 0},
               {3, 9, -1, 9, 0},
               {-1, kNan, kNan, 1, 0},
               {4, kNan, kNan, 9, 0},
               {kNan, kNan, kNan, kNan, kNan}};
  for (const auto &c : cases) {
    double y[3], J[3], by_c[3], J_by_c[3];
    perp_expression_derive(p.p.get(), &c.t, y, J);
    emitted(&c.t, by_c, J_by_c);
    const double wanted[] = {c.road, c.held, 10.0, c.slope, c.held_slope};
    for (int k = 0; k < 5; k++) {
      const double got = k < 3 ? y[k] : J[k - 3];
      if (k == 2 && std::isnan(c.t)) continue;
      EXPECT_TRUE(same_bits(got, wanted[k])) << c.t << ": " << k << ": " << got;
      EXPECT_TRUE(same_bits(got, k < 3 ? by_c[k] : J_by_c[k - 3])) << c.t << " in C: " << k;
    }
  }
  EXPECT_STREQ(compile({"roa(t)"}, names).error.message,
               "found `roa`, not a function; did you mean `road`?");
  EXPECT_STREQ(compile({"road + 1"}, names).error.message,
               "found `+`, allowed: `(` after the name of a table");
}

TEST(Expression, MessagesOfLongNamesAreWhole) {
  const std::string name(200, 'n');
  const std::string text = std::string(200, 'm') + "(";
  const std::vector<perp_expression_symbol> two = {
      {name.c_str(), 3, 0, nullptr, nullptr, nullptr, nullptr},
      {"x", 0, 0, nullptr, nullptr, nullptr, nullptr}};
  for (const std::string &wrong :
       {text, name, name + "[3]", name + "(1)", std::string("zz"), std::string(200, '\xff')}) {
    const std::string message = compile({wrong}, two).error.message;
    EXPECT_TRUE(message.size() > 20 && message.size() < 240) << message;
  }
  EXPECT_STREQ(compile({"z"}, {}).error.message, "found `z`, not a name here; allowed: `pi`");
}

TEST(Expression, LimitsAreThoseTold) {
  EXPECT_EQ(value(std::string(64, '(') + "3" + std::string(64, ')')), 3);
  EXPECT_EQ(value(std::string(64, '-') + "3"), 3);
  EXPECT_EQ(value("1" + std::string(65535, ' ')), 1);
  const auto chain = [](int operations) { /* all different */
                                          std::string text = "t";
                                          for (int k = 0; k < operations; k++) text += "*t";
                                          return text;
  };
  EXPECT_NE(compile({chain(9900)}, symbols()).p, nullptr);
  EXPECT_STREQ(compile({chain(9900)}, symbols(), {0}).error.message,
               "with derivatives: more than 10000 operations");
  const program refused = compile({chain(10100)}, symbols());
  EXPECT_NE(std::strstr(refused.error.message, ", more than 10000 operations"), nullptr);
  EXPECT_NEAR(static_cast<double>(refused.error.position), 20000, 10);
}

TEST(Expression, CutAndChangedTextsAreValuesOrRefusals) {
  std::mt19937 random(3);
  for (int k = 0; k < 20000; k++) {
    std::string text = written(random_tree(&random, 2, false), false);
    for (unsigned edits = random() % 4; edits > 0 && !text.empty(); edits--) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) text[at] = static_cast<char>(random());
      if (random() % 2 == 0) text.erase(at, random() % 5);
    }
    const program p = compile({text}, symbols(), {0, 1});
    EXPECT_EQ(p.p == nullptr, p.error.message[0] != 0);
    EXPECT_LE(p.error.position + p.error.bytes, text.size());
  }
}

TEST(NearestName, IsTheOneWithFewestEdits) {
  const auto nearest = [](const std::string &found) {
    perp_nearest best = {nullptr, 0};
    for (const char *name : {"newton_impact", "newton_euler", "theta", "h", "linear", "Linear"})
      perp_nearest_try(&best, found.data(), found.size(), name);
    return std::string(best.name == nullptr ? "" : best.name);
  };
  EXPECT_EQ(nearest("newton_impct"), "newton_impact");
  EXPECT_EQ(nearest("newton-impact"), "newton_impact");
  EXPECT_EQ(nearest("enwton_impact"), "newton_impact");
  EXPECT_EQ(nearest("NEWTON_IMPACT"), "newton_impact");
  EXPECT_EQ(nearest("newton_eular"), "newton_euler");
  EXPECT_EQ(nearest("thet"), "theta");
  EXPECT_EQ(nearest("lineaR"), "linear");
  EXPECT_EQ(nearest("H"), "h");
  EXPECT_EQ(nearest("g"), "");
  EXPECT_EQ(nearest("zeta_max"), "");
  EXPECT_EQ(nearest(""), "");
  EXPECT_EQ(nearest(std::string(100000, 'n')), "");
}

}  // namespace
