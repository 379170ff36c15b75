// SPDX-License-Identifier: MIT
// Every field that a call can refuse has a rule, as the sources name them; and whole sentences.
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include "perp/perp.hpp"

extern "C" {
#include "solver/shell.h"
}

namespace {

std::string explained(perp_status status, const char *field, double value) {
  char text[256];
  const perp_info info = perp::detail::about(field, -1, value);
  const std::size_t length = perp_explain(status, &info, 0, text, sizeof text);
  EXPECT_EQ(length, std::string(text).size());
  return text;
}

std::string read(const std::filesystem::path &file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/** The string literal that stands behind text at `at`, but for blanks; "" if none does. */
std::string literal(const std::string &text, std::size_t at) {
  at = text.find_first_not_of(" \n", at);
  if (at == std::string::npos || text[at] != '"') return "";
  return text.substr(at + 1, text.find('"', at + 1) - at - 1);
}

/** A name of C that stands there. */
std::string identifier(const std::string &text, std::size_t at) {
  at = text.find_first_not_of(" \n", at);
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at);
  const std::string name = text.substr(at, end - at);
  return text[end] == ')' && name != "field" ? name : ""; /* but the macro's own */
}

/** What stands behind `mark` in the sources of the library; skip: behind the next comma. */
std::set<std::string> named(const std::string &mark, bool skip,
                            std::string (*what)(const std::string &, std::size_t) = literal) {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(PERP_SOURCES)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read(entry.path());
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const std::size_t behind = skip ? text.find(',', at) + 1 : at + mark.size();
      if (const std::string name = what(text, behind); !name.empty()) names.insert(name);
    }
  }
  return names;
}

void expect_rules(const std::set<std::string> &names, perp_status status, double value) {
  const std::string none = std::string(": ") + perp_status_string(status);
  EXPECT_GT(names.size(), 10u) << "the sources were read";
  for (const std::string &name : names)
    EXPECT_EQ(explained(status, name.c_str(), value).find(none), std::string::npos) << name;
}

TEST(Explain, EveryFieldThatIsRefusedHasARule) {
  expect_rules(named("PERP_EINVAL,", false), PERP_EINVAL, -2);
  expect_rules(named("law_check_number(", false), PERP_EINVAL, -2);
  expect_rules(named("FIELD(", true, identifier), PERP_EINVAL, -2);
  expect_rules(named("{SIMULATION(", false, identifier), PERP_EINVAL, -2);
}

TEST(Explain, EveryFieldThatIsMissingSaysSo) {
  expect_rules(named("fail_field(", true), PERP_EINVAL, 0);
}

TEST(Explain, EveryFieldThatIsNotSupportedHasARule) {
  expect_rules(named("PERP_EUNSUPPORTED,", false), PERP_EUNSUPPORTED, PERP_BLOCKS);
}

/** Every PERP_... in the rules, without dots behind it, is a name of the headers; with them it
 * begins some. */
TEST(Explain, RulesNameWhatThereIs) {
  std::string headers;
  for (const auto &entry : std::filesystem::directory_iterator(PERP_SOURCES "/../include/perp"))
    headers += read(entry.path());
  const std::string text = read(PERP_SOURCES "/heap/rules.c");
  int names = 0;
  for (std::size_t at = text.find("PERP_"); at != std::string::npos;
       at = text.find("PERP_", at + 1)) {
    const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", at);
    const std::string name = text.substr(at, end - at);
    const std::size_t found = headers.find(name);
    EXPECT_NE(found, std::string::npos) << name;
    names++;
  }
  EXPECT_GT(names, 30);
}

/** A bound of an option, as far as its rule tells numbers, is the one that is refused by. */
void expect_bound(const option_range &r, double bound) {
  const std::string rule = explained(PERP_EINVAL, r.name, bound);
  const std::size_t text = rule.find(": must");
  if (text == std::string::npos || rule.find("PERP_") != std::string::npos) return;
  if (!(std::fabs(bound) < 1e9)) return;
  const std::string number = std::to_string(static_cast<int>(bound));
  EXPECT_NE(rule.find(number, text), std::string::npos) << r.name << rule << ", not " << number;
}

TEST(Explain, RulesTellTheBoundsOfOptions) {
  int options = 0;
  for (std::int32_t i = 0; i < perp_solver_count(); i++) {
    const perp_method *method = perp_solver_at(i)->method;
    const option_range *r = method == nullptr ? nullptr : method->ranges;
    for (; r != nullptr && r->name != nullptr; r++) {
      if (r->kind >= OPTION_SPARSE) continue;
      expect_bound(*r, r->least);
      expect_bound(*r, r->most);
      options++;
    }
  }
  EXPECT_GT(options, 20);
}

TEST(Explain, SentencesNameCallFieldValueAndWhatIsAllowed) {
  EXPECT_EQ(explained(PERP_EINVAL, "newton_max", 0), "newton_max = 0: must be >= 1");
  EXPECT_EQ(explained(PERP_EINVAL, "solver", 0), "solver is missing");
  EXPECT_EQ(explained(PERP_ENOTFINITE, "q", std::nan("")), "q = nan: must be finite");
  EXPECT_EQ(explained(PERP_EWORKSPACE, "work_bytes", 4096),
            "work_bytes = 4096: so many bytes are needed");
  EXPECT_EQ(explained(PERP_ECALLBACK, "force", -3), "force = -3: the function gave up");
  EXPECT_EQ(explained(PERP_EUNSUPPORTED, "pool.laws", 3),
            "pool.laws are of a set that the solver does not take");
  EXPECT_EQ(explained(PERP_MAX_ITER, nullptr, 0), "iteration limit reached");
  EXPECT_EQ(explained(PERP_END, nullptr, 0), "finished");
  EXPECT_EQ(explained(PERP_INACCURATE, nullptr, 0), "not as accurate as asked");
  EXPECT_EQ(explained(PERP_EINVAL, "a name that no call has", 7),
            "a name that no call has = 7: an argument is NULL, negative or out of range");
}

std::string of_object(std::uint32_t of, const char *field, std::int32_t first) {
  char text[256];
  perp_info info = perp::detail::about(field, 3, -1);
  info.of = of;
  (void)perp_explain(PERP_ENOTFINITE, &info, first, text, sizeof text);
  const std::string whole = text;
  return whole.substr(0, whole.find(" = "));
}

TEST(Explain, AnIndexTellsWhatItCounts) {
  EXPECT_EQ(of_object(PERP_OF_ENTRY, "q", 0), "q[3]");
  EXPECT_EQ(of_object(PERP_OF_ENTRY, "q", 1), "q[4]");
  EXPECT_EQ(of_object(PERP_OF_SYSTEM, "M", 0), "M of system 3");
  EXPECT_EQ(of_object(PERP_OF_SYSTEM, "M", 1), "M of system 4");
  EXPECT_EQ(of_object(PERP_OF_BODY, "systems.n", 0), "n of body 3");
  EXPECT_EQ(of_object(PERP_OF_SYSTEM, "newton at system", 0), "newton at system 3");
  EXPECT_EQ(of_object(PERP_OF_INTERACTION, "interaction.systems", 0), "systems of interaction 3");
  EXPECT_EQ(of_object(PERP_OF_INTERACTION, "interactions", 0), "interaction 3");
  EXPECT_EQ(of_object(PERP_OF_LAW, "pool.laws.size", 0), "pool.laws[3].size");
  EXPECT_EQ(of_object(PERP_OF_LAW, "mu", 0), "mu of pool.laws[3]");
  EXPECT_EQ(of_object(PERP_OF_PLACE, "initial gap", 0), "initial gap of pool place 3");
}

std::string of_contact(const char *field, double value, std::int32_t a, std::int32_t b,
                       std::int32_t first, std::uint32_t size = sizeof(perp_info)) {
  char text[300];
  perp_info info = PERP_INFO_INIT;
  info.struct_size = size;
  info.field = field;
  info.index = 3;
  info.value = value;
  info.of = PERP_OF_CONTACT;
  info.systems[0] = a;
  info.systems[1] = b;
  (void)perp_explain(PERP_EINVAL, &info, first, text, sizeof text);
  return text;
}

TEST(Explain, AContactIsNamedWithItsBodies) {
  const auto normal = [](std::int32_t a, std::int32_t b, std::int32_t first) {
    const std::string text = of_contact("contact.normal", 0.5, a, b, first);
    EXPECT_EQ(text.substr(text.find(": ")), ": normal of length 0.5, must be 1");
    return text.substr(0, text.find(": "));
  };
  EXPECT_EQ(normal(5, 7, 0), "contact 3 of bodies 5 and 7");
  EXPECT_EQ(normal(5, 7, 1), "contact 4 of bodies 6 and 8");
  EXPECT_EQ(normal(5, -1, 1), "contact 4 of body 6 and the ground");
  EXPECT_EQ(normal(5, 5, 0), "contact 3 of body 5 with itself");
  EXPECT_EQ(normal(INT32_MAX, INT32_MIN, 0), "contact 3 of bodies 2147483647 and -2147483648");
  EXPECT_EQ(of_contact("contact.identity", 1, 5, 7, 0),
            "contact 3 of bodies 5 and 7: identity is that of contact 1, which joins the same "
            "bodies");
  EXPECT_EQ(of_contact("contact.identity", 1, 5, 7, 1),
            "contact 4 of bodies 6 and 8: identity is that of contact 2, which joins the same "
            "bodies");
  // one of before, which does not know them
  EXPECT_EQ(of_contact("contact.normal", 0.5, 5, 7, 0, offsetof(perp_info, systems)),
            "contact 3: normal of length 0.5, must be 1");
}

TEST(Explain, NumbersHaveAPointInEveryLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no such locale here";
  const std::string text = explained(PERP_EINVAL, "mu", -0.5);
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_EQ(text, "mu = -0.5: must be >= 0");
}

TEST(Explain, TextIsCutOffWhereThereIsNoRoom) {
  char text[8] = "abcdefg";
  const perp_info info = perp::detail::about("mu", -1, -0.5);
  EXPECT_EQ(perp_explain(PERP_EINVAL, &info, 0, text, 5), 23u);
  EXPECT_STREQ(text, "mu =");
  EXPECT_EQ(perp_explain(PERP_EINVAL, &info, 0, nullptr, 0), 23u);
  EXPECT_EQ(perp_simulation_ending(nullptr, PERP_EINVAL, &info, 0, text, 5), 23u);
  EXPECT_STREQ(text, "mu =");
}

/** What an error of f says. */
template <class F>
std::string said(F &&f) {
  try {
    f();
  } catch (const perp::error &e) {
    return e.what();
  }
  return "nothing";
}

/** A ball on a floor, with something wrong. */
struct scene {
  perp::model m;
  perp::lagrangian_linear ball{1};
  perp::simulation_options o;
  double height = 1;

  scene() {
    ball.M = 1.0;
    o.h = 0.01;
  }
  void run() {
    const auto b = m.add(ball, {height});
    m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.5), b);
    perp::simulation sim(m, o);
    (void)sim.step();
  }
};

std::string wrong(void (*change)(scene &)) {
  return said([=] {
    scene s;
    change(s);
    s.run();
  });
}

TEST(Explain, ErrorsOfTheFacade) {
  EXPECT_EQ(wrong([](scene &s) { s.o.h = 0; }), "simulation: h = 0: must be > 0");
  EXPECT_EQ(wrong([](scene &s) { s.o.h = NAN; }), "simulation: h = nan: must be finite");
  EXPECT_EQ(wrong([](scene &s) { s.o.theta = 2; }),
            "simulation: theta = 2: must be between 0 and 1, of compliant laws > 0");
  EXPECT_EQ(wrong([](scene &s) { s.o.newton_max = 0; }),
            "simulation: newton_max = 0: must be >= 1");
  EXPECT_EQ(wrong([](scene &s) { s.height = -1; }),
            "simulation: initial gap of interaction 0 = -1: must be at least min_gap (or |y| at "
            "most |min_gap| of a "
            "joint) at the initial values");
  EXPECT_EQ(wrong([](scene &s) { s.height = NAN; }), "model: q0[0] = nan: must be finite");
}

TEST(Explain, WhatASolverCannotDoIsToldWithItsName) {
  EXPECT_EQ(wrong([](scene &s) {
              s.o.projection = perp::projection::combined;
              s.o.solver = perp::lemke();
            }),
            "simulation: projection needs equalities and contacts, which lemke does not take: take "
            "auto");
  EXPECT_EQ(wrong([](scene &s) { s.o.formulation = perp::formulation::global; }),
            "simulation: global is needed by this formulation: perp_global_step()");
}

TEST(Explain, ErrorsOfQuestions) {
  perp::model m;
  const auto ball = m.add(perp::lagrangian_linear(1, 1.0), {1});
  const auto floor =
      m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.5), ball);
  perp::simulation sim(m, 0.01, 2);
  EXPECT_EQ(said([&] { (void)sim.level(perp::interaction_id{7}); }),
            "level: no such interaction as 7");
  EXPECT_EQ(said([&] { (void)sim.x(ball); }),
            "x: no such system as 0, or it is of the other order");
  EXPECT_EQ(said([&] { (void)sim.lambda(perp::interaction_id{3}); }),
            "lambda: no such interaction as 3, or it has none");
  EXPECT_EQ(said([&] { (void)sim.law_state(floor, 2); }),
            "law_state: no such copy as 2, or its law has no state");
  EXPECT_EQ(said([&] { (void)sim.work(9); }),
            "work: no such interaction as 9, or it is of order 1");
  EXPECT_EQ(said([&] { sim.set_active(ball, false); }),
            "set_active: options.switchable has to be true");
  EXPECT_EQ(said([&] { sim.restore(perp::checkpoint(3)); }),
            "restore: a checkpoint of another model (bytes = 3)");
  EXPECT_EQ(said([&] { (void)m.connect(perp::linear_relation(), perp::complementarity(), ball); }),
            "connect: the relation is for systems of the other order");
  EXPECT_EQ(sim.run(), PERP_END);
  EXPECT_EQ(sim.ending(), "finished: 2 steps, t = 0.02");
  perp::simulation other = std::move(sim);
  EXPECT_EQ(said([&] { (void)sim.step(); }), "simulation: it was moved from");
}

TEST(Explain, ABodyThatIsNotTurnedRight) {
  perp::model m;
  const auto first = m.add(perp::body(1, {1, 1, 1}));
  const auto second = m.add(perp::body(1, {1, 1, 1}), {0, 0, 0, 1, 1, 0, 0});
  (void)first, (void)second;
  EXPECT_EQ(said([&] { perp::simulation sim(m, 0.01); }),
            "model: q0 of body 1: norm 1.41421356, must be 1 (a quaternion)");
}

int asks = 0;

TEST(Explain, ACallWithinAStep) {
  perp::model m;
  perp::lagrangian_linear ball(1, 1.0);
  perp::simulation *within = nullptr;
  std::string step, energy;
  ball.force = [&](double, perp::span) {
    if (within == nullptr || asks++ > 0) return;
    step = said([&] { (void)within->step(); });
    energy = said([&] { (void)within->energy(); });
  };
  m.add(ball, {1});
  perp::simulation sim(m, 0.01);
  within = &sim;
  EXPECT_EQ(sim.step(), PERP_OK);
  EXPECT_EQ(step, "step: step within a step is not possible: callbacks may look, not touch");
  EXPECT_EQ(energy, "energy: step within a step is not possible: callbacks may look, not touch");
}

/** Three masses in a row, of which the outer ones fly at the one between: sweeps that are few. */
TEST(Explain, AnEndingNamesStepContactResidualAndWhatMayHelp) {
  perp::model m;
  const auto a = m.add(perp::lagrangian_linear(1, 1.0), {0}, {1});
  const auto b = m.add(perp::lagrangian_linear(1, 1.0), {0}, {0});
  const auto c = m.add(perp::lagrangian_linear(1, 1.0), {0}, {-1});
  m.connect(perp::lagrangian_linear_relation({-1, 1}), perp::newton_impact(0.5), {a, b});
  m.connect(perp::lagrangian_linear_relation({-1, 1}), perp::newton_impact(0.5), {b, c});
  perp::simulation_options o;
  o.h = 0.01;
  perp_pgs_options slow = perp_pgs_options_default();
  slow.max_iter = 14;
  o.solver = perp::pgs(slow);
  perp::simulation sim(m, o);
  EXPECT_EQ(sim.step(), PERP_MAX_ITER);
  EXPECT_EQ(sim.ending(),
            "not solved: iteration limit in step 1 at t = 0, contact 0 between systems 0 and 1, "
            "residual 2.8e-9, asked 1e-10; try tol = 1e-8 or on_failure = accept");
}

}  // namespace
