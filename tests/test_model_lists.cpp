// SPDX-License-Identifier: MIT
// What a model file writes once for many: lists and blocks by repeat, named expressions, numbers
// drawn by a seed, guards of what is repeated.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "io/model.hpp"

namespace {

using perp::io::model_error;
using perp::io::read_model;

std::string refusal(const std::string &text) {
  try {
    (void)read_model(text, "m.toml");
  } catch (const model_error &e) {
    std::string all;
    for (const std::string &line : e.lines()) all += (all.empty() ? "" : "\n") + line;
    return all;
  }
  return {};
}

const char *const run = "[simulation]\nh = 0.1\nuntil = 1\n";

template <class T>
const T &system_of(const perp::io::loaded_model &m, std::size_t which) {
  return *reinterpret_cast<const T *>(perp_builder_model(m.builder.get())->systems[which]);
}

// Rows of a matrix as numbers, whatever its storage.
std::vector<std::vector<double>> rows_of(const perp_matrix &m) {
  std::vector<std::vector<double>> all(static_cast<std::size_t>(m.rows));
  for (std::size_t i = 0; i < all.size(); i++) {
    all[i].resize(static_cast<std::size_t>(m.cols));
    EXPECT_TRUE(m.kind == PERP_BLOCKS && m.offset == nullptr);
    for (std::int32_t k = m.start[i]; k < m.start[i + 1]; k++) {
      EXPECT_TRUE(k == m.start[i] || m.index[k] > m.index[k - 1]);
      all[i][static_cast<std::size_t>(m.index[k])] += m.values[k];
    }
  }
  return all;
}

// SplitMix64, as its authors have it: from a state that grows.
struct split_mix {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
};

std::vector<double> drawn(const std::string &seed, const std::string &f, int count) {
  const auto m =
      read_model("seed = " + seed + "\n[systems.a]\nrepeat = " + std::to_string(count) +
                     "\nkind = \"first_order_linear\"\nn = 1\nx0 = [\"" + f + "\"]\n" + run,
                 "m.toml");
  const double *const x0 = perp_builder_model(m->builder.get())->x0;
  return {x0, x0 + count};
}

}  // namespace

TEST(ModelLists, ListsByRepeatAreTheirEntries) {
  const auto m = read_model(
      "[parameters]\nn = 4\n[expressions]\nodd = \"2*j + 1\"\n"
      "[systems.a]\nkind = \"lagrangian_linear\"\nM = { repeat = \"n\", value = \"odd\" }\n"
      "q0 = { value = { repeat = \"n\", value = \"10 - j\" } }\n"
      "K = { repeat = 4, value = [\"j == 0\", \"j == 1\", \"j == 2\", \"3*j\"] }\n" +
          std::string("[simulation]\ngrid = { repeat = 3, value = \"j/4\" }\n"),
      "m.toml");
  const auto &a = system_of<perp_lagrangian_linear>(*m, 0);
  ASSERT_EQ(a.M.kind, PERP_DIAGONAL);
  ASSERT_EQ(a.K.kind, PERP_DENSE);
  for (int i = 0; i < 4; i++) {
    EXPECT_EQ(a.M.values[i], 2 * i + 1);
    EXPECT_EQ(perp_builder_model(m->builder.get())->q0[i], 10 - i);
    for (int j = 0; j < 4; j++) EXPECT_EQ(a.K.values[i + 4 * j], j == 3 ? 3 * i : i == j);
  }
  const perp_simulation_options &o = *perp_builder_options(m->builder.get());
  ASSERT_EQ(o.steps, 2);
  for (int k = 0; k < 3; k++) EXPECT_EQ(o.grid[k], k / 4.0);
}

TEST(ModelLists, BlocksAddUp) {
  const auto m = read_model(
      "[systems.a]\nkind = \"lagrangian_linear\"\nn = 5\nrepeat = 2\n"
      "M = { repeat = 5, index = [\"j\"], values = [[1]] }\n"
      "K = { repeat = 4, index = [\"j + 1\", \"j\"], values = [[\"10 + i\", -1], [-2, \"j\"]] }\n" +
          std::string(run),
      "m.toml");
  const auto K = rows_of(system_of<perp_lagrangian_linear>(*m, 1).K);
  ASSERT_EQ(K.size(), 5U);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) {
      double wanted = 0;
      if (i == j) wanted = (i > 0 ? 11 : 0) + (i < 4 ? i : 0);
      if (i == j + 1) wanted = -1;
      if (j == i + 1) wanted = -2;
      EXPECT_EQ(K[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], wanted) << i << j;
    }
}

// As rows, a diagonal, or one expression: the same entries, and no more of them.
TEST(ModelLists, BlocksAreRowsADiagonalOrOneExpression) {
  const std::string head = "[systems.a]\nkind = \"lagrangian_linear\"\nn = 4\nM = [1, 1, 1, 1]\n";
  const auto stiffness = [&](const std::string &values) {
    const auto m = read_model(
        head + "K = { repeat = 3, index = [\"j + 1\", \"j\"], values = " + values + " }\n" + run,
        "m.toml");
    const perp_matrix &K = system_of<perp_lagrangian_linear>(*m, 0).K;
    return std::pair(rows_of(K), K.start[4]);
  };
  EXPECT_EQ(stiffness("[[\"j\", 10], [\"100 + j\", \"100 + j + 10\"]]"),
            stiffness("\"column == 0 ? 100*row + j : row == 0 ? 10 : 100*row + j + 10*column\""));
  const auto diagonal = stiffness("[\"j + 1\", 5]");
  EXPECT_EQ(diagonal.second, 4);
  for (std::size_t i = 0; i < 4; i++)
    EXPECT_EQ(diagonal.first[i][i], (i < 3 ? 5.0 : 0.0) + static_cast<double>(i));
  for (const char *wrong : {"[1, [2, 3]]", "[1]", "[1, 2, 3]", "{}", "3", "[]", "[[1, 2]]", "true"})
    EXPECT_NE(refusal(head + "K = { repeat = 3, index = [\"j + 1\", \"j\"], values = " + wrong +
                      " }\n" + run)
                  .find("m.toml:5:5: found blocks of `K`, expected `index`"),
              std::string::npos)
        << wrong;
  EXPECT_NE(refusal(head + "K = { repeat = 3, index = [\"j\"], values = \"rwo\" }\n" + run)
                .find("m.toml:5:44: found `rwo`, not a name here; did you mean `row`?"),
            std::string::npos);
}

// Expressions of t in a list by repeat are those written out, with their derivatives; so are rows.
TEST(ModelLists, FunctionsAreListsByRepeat) {
  const auto m = read_model(
      "[parameters]\nc = 3\n[expressions]\neven = \"j - 2*floor(j/2) == 0\"\n"
      "[systems.a]\nkind = \"lagrangian\"\nn = 4\nrepeat = 2\nM = [1, 1, 1, 1]\n"
      "external = { repeat = 4, value = \"even ? sin(c*t + j) : i\" }\n"
      "internal = { repeat = \"c + 1\", value = \"j*q[j]*q[j] + v[3 - j]\" }\n"
      "[systems.b]\nkind = \"lagrangian\"\nn = 2\n"
      "mass = { repeat = 2, value = [\"2 - 2*j + q[0]*0\", \"3*j\"] }\n" +
          std::string(run),
      "m.toml");
  const auto &a = system_of<perp_lagrangian>(*m, 1);
  const double q[] = {0.1, 0.2, 0.3, 0.4}, v[] = {5, 6, 7, 8};
  double out[4] = {}, J[16] = {};
  ASSERT_EQ(a.external(0.7, q, v, nullptr, out, a.user), 0);
  for (int j = 0; j < 4; j++) EXPECT_EQ(out[j], j % 2 == 0 ? std::sin(3 * 0.7 + j) : 1);
  ASSERT_EQ(a.internal(0.7, q, v, nullptr, out, a.user), 0);
  ASSERT_EQ(a.internal_dq(0.7, q, v, nullptr, J, a.user), 0);
  for (int j = 0; j < 4; j++) {
    EXPECT_EQ(out[j], j * q[j] * q[j] + v[3 - j]);
    for (int k = 0; k < 4; k++) EXPECT_NEAR(J[j + 4 * k], j == k ? 2 * j * q[j] : 0, 1e-15);
  }
  const auto &b = system_of<perp_lagrangian>(*m, 2);
  ASSERT_EQ(b.mass(0, q, v, nullptr, J, b.user), 0);
  for (int k = 0; k < 4; k++) EXPECT_EQ(J[k], k == 0 ? 2 : k == 3 ? 3 : 0);

  const auto refused = [](const std::string &list, const std::string &more = "") {
    return refusal("[systems.a]\nkind = \"lagrangian\"\nn = 2\nM = [1, 1]\nexternal = " + list +
                   "\n" + more + run);
  };
  EXPECT_EQ(refused("{ repeat = 3, value = \"t\" }"),
            "m.toml:5:12: found a list of 3, expected `external` as a list of 2 expressions");
  EXPECT_NE(refused("{ repeat = 2, value = \"t + k\" }").find(":5:39: found `k`, not a name here"),
            std::string::npos);
  EXPECT_NE(refused("{ repeat = 0, value = \"t\" }").find("found `repeat` = 0, must be >= 1"),
            std::string::npos);
  EXPECT_NE(
      refused("{ repeat = 2, value = true }").find(":5:34: found true, expected an expression"),
      std::string::npos);
  EXPECT_NE(refused("[\"j\", \"t\"]").find("found `j`, not a name here"), std::string::npos);
  EXPECT_NE(refused("{ repeat = 2, value = \"push\" }", "[expressions]\npush = \"sni(j*t)\"\n")
                .find("m.toml:7:9: found `sni`, not a function; did you mean `sin`?"),
            std::string::npos);
}

// An interaction by its name: the chain of two links, whose friction is on the joints of a list.
TEST(ModelLists, JointsAreOfOneOfMany) {
  const std::string links =
      "[systems.link]\nrepeat = 3\nkind = \"newton_euler\"\nq0 = [\"i\", 0, 0, 1, 0, 0, 0]\n";
  const std::string joints =
      "[interactions.hook]\nsystems = \"link[0]\"\nlaw = { kind = \"equality\" }\n"
      "relation = { kind = \"joint\", joint = \"pivot\", point = [0, 0, 0] }\n"
      "[interactions.pivot]\nrepeat = 2\nsystems = [\"link[i + 1]\", \"link[i]\"]\n"
      "law = { kind = \"equality\" }\n"
      "relation = { kind = \"joint\", joint = \"pivot\", point = [\"i + 0.5\", 0, 0] }\n";
  const auto rubs = [&](const std::string &joint, const std::string &systems) {
    return links + joints +
           "[interactions.rub]\nrepeat = 2\nlaw = { kind = \"box\", lower = [-1], upper = [1] }\n"
           "systems = " +
           systems +
           "\nrelation = { kind = \"joint_coordinate\", use = \"effort\", joint = " + joint +
           " }\n" + run;
  };
  const std::string both = "[\"link[i + 1]\", \"link[i]\"]";
  const auto m = read_model(rubs("\"pivot[i]\"", both), "m.toml");
  const perp_model &model = *perp_builder_model(m->builder.get());
  ASSERT_EQ(model.n_interactions, 5);
  for (int k = 0; k < 2; k++) {
    const auto &joint = *reinterpret_cast<const perp_joint *>(model.interactions[1 + k]->relation);
    const auto &rub =
        *reinterpret_cast<const perp_joint_coordinate *>(model.interactions[3 + k]->relation);
    EXPECT_EQ(std::memcmp(rub.joint->point_a, joint.point_a, sizeof joint.point_a), 0);
    EXPECT_EQ(std::memcmp(rub.joint->frame_b, joint.frame_b, sizeof joint.frame_b), 0);
  }
  const auto refused = [&](const std::string &joint) { return refusal(rubs(joint, both)); };
  EXPECT_EQ(
      refused("\"pivto[i]\""),
      "m.toml:18:65: found `pivto`, not the name of an interaction above that has a joint; did "
      "you mean `pivot`?");
  EXPECT_EQ(refused("\"rub[i]\""),
            "m.toml:18:65: found `rub`, not the name of an interaction above that has a joint; "
            "expected `hook` or `pivot`");
  EXPECT_EQ(refused("\"pivot\""),
            "m.toml:18:65: found `pivot`, which is repeated; expected an index as in `pivot[i]`");
  EXPECT_EQ(refused("\"hook[i]\""), "m.toml:18:65: found `hook[i]`, but `hook` is not repeated");
  EXPECT_EQ(refused("\"pivot[i + 2]\""), "m.toml:18:65: found `pivot[2]`, must be >= 0 and <= 1");
  EXPECT_EQ(refused("\"pivot[i - 1]\""), "m.toml:18:65: found `pivot[-1]`, must be >= 0 and <= 1");
  EXPECT_EQ(refused("\"pivot[1e300]\""), "m.toml:18:71: found 1e+300, expected an integer");
  EXPECT_EQ(refused("\"pivot[0.5]\""), "m.toml:18:71: found 0.5, expected an integer");
  EXPECT_NE(refused("\"pivot[]\"").find("m.toml:18:72: found the end"), std::string::npos);
  EXPECT_EQ(refused("\"pivot[i\""), "m.toml:18:65: found `pivot[i`, expected `]` at its end");
  EXPECT_NE(refused("\"\"").find("found ``, not the name of an interaction"), std::string::npos);
  EXPECT_EQ(refused("3"),
            "m.toml:18:65: found 3, expected the name of an interaction above that has a "
            "joint");
  EXPECT_EQ(refused("\"hook\""),
            "m.toml:18:65: found `hook`, a joint of other bodies, or in another order, than "
            "`systems` here");
  EXPECT_EQ(refusal(rubs("\"pivot[i]\"", "[\"link[i]\", \"link[i + 1]\"]")),
            "m.toml:18:65: found `pivot[0]`, a joint of other bodies, or in another order, than "
            "`systems` here");
}

TEST(ModelLists, WhatIsWrongWithThemIsTold) {
  const auto refused = [](const std::string &key, const std::string &more = "") {
    return refusal(more + "[systems.a]\nkind = \"lagrangian_linear\"\nn = 2\nM = [1, 1]\n" + key +
                   "\n" + run);
  };
  EXPECT_EQ(refused("q0 = { repeat = 2, value = 1 }"), "");
  EXPECT_EQ(refused("q0 = { repeat = 3, value = 1 }"),
            "m.toml:5:6: found a list of 3, expected `q0` with 2 numbers");
  EXPECT_NE(refused("q0 = { repeat = 2, value = \"i\" }").find("found `i`, not a name here"),
            std::string::npos);
  EXPECT_NE(refused("q0 = { repeat = 0, value = 1 }").find("found `repeat` = 0, must be >= 1"),
            std::string::npos);
  EXPECT_NE(refused("q0 = { repeat = 2, value = 1, unit = \"m\" }").find("found `unit` of a list"),
            std::string::npos);
  EXPECT_NE(refused("q0 = { repeat = 1000001, value = 1 }").find("at most 1000000 numbers"),
            std::string::npos);
  EXPECT_EQ(refusal("[systems.a]\nkind = \"first_order_linear\"\nrepeat = 1000000\n"
                    "x0 = { repeat = 1000000, value = 1 }\n" +
                    std::string(run)),
            "m.toml:4:6: found more than 50000000 numbers in the lists of all that is repeated");
  EXPECT_EQ(refused("K = { repeat = 2, index = [\"j\", \"j + 1\"], values = [[1, 1], [1, 1]] }"),
            "m.toml:5:33: found 2, expected an integer from 0 to 1");
  EXPECT_NE(refused("K = { repeat = 2, index = [\"j\"], values = [[1, 1]] }").find("found blocks"),
            std::string::npos);
  EXPECT_EQ(refused("", "[parameters]\nj = 1\n"),
            "m.toml:2:1: found parameter `j`, which means something else in expressions");
}

// force = F(t), by a chain of names, has the bits of the expression written out; errors are at the
// name's own text, and names do not need one another.
TEST(ModelLists, NamesStandForExpressions) {
  const auto m = read_model(
      "[parameters]\nw = 3\n[expressions]\nall = \"half - half*half\"\nhalf = \"sin(angle)/2\"\n"
      "angle = { value = \"w*t\", unit = \"rad\" }\nfar = \"q[0]*angle\"\n"
      "[systems.a]\nkind = \"lagrangian\"\nM = [1]\ninternal = [\"far*far\"]\n"
      "external = [\"2*all\"]\n" +
          std::string(run),
      "m.toml");
  const auto &a = system_of<perp_lagrangian>(*m, 0);
  for (const double t : {0.0, 0.3, 2.0}) {
    const double q = 0.7, v = 0, half = std::sin(3 * t) / 2;
    double out = 0;
    ASSERT_EQ(a.external(t, &q, &v, nullptr, &out, a.user), 0);
    EXPECT_EQ(out, 2 * (half - half * half));
    ASSERT_EQ(a.internal_dq(t, &q, &v, nullptr, &out, a.user), 0);
    EXPECT_NEAR(out, 2 * q * 9 * t * t, 1e-14);
  }
  const auto refused = [](const std::string &expressions, const std::string &force) {
    return refusal("[expressions]\n" + expressions +
                   "\n[systems.a]\nkind = \"lagrangian_linear\"\nM = [1]\nforce = [\"" + force +
                   "\"]\n" + run);
  };
  EXPECT_EQ(refused("a = \"t\"", "a + t"), "");
  EXPECT_EQ(refused("a = \"1 + b\"\nb = \"2*a\"", "3*a"),
            "m.toml:3:8: found `a`, which needs itself");
  EXPECT_NE(refused("a = \"1 + sni(t)\"", "a")
                .find("m.toml:2:10: found `sni`, not a function; did you mean `sin`?"),
            std::string::npos);
  EXPECT_NE(refused("a = \"q[0]\"", "t*a").find("m.toml:2:6: found `q`, not a name here"),
            std::string::npos);
  EXPECT_EQ(refused("a = \"t)\"", "a"), "m.toml:2:7: found `)`, allowed: an operator or the end");
  EXPECT_EQ(refused("t = \"1\"", "t"),
            "m.toml:2:1: found expression `t`, which means something else in expressions");
  EXPECT_EQ(refused("a = 1", "t"), "m.toml:2:5: found 1, expected an expression as a text");
  std::string chain = "a0 = \"t\"\n";
  for (int k = 1; k < 100; k++)
    chain += "a" + std::to_string(k) + " = \"a" + std::to_string(k - 1) + " + a" +
             std::to_string(k - 1) + "\"\n";
  EXPECT_EQ(refused(chain, "a40"), "");
  EXPECT_NE(refused(chain, "a99").find("nested too deeply"), std::string::npos);
}

// Known outputs of SplitMix64 from 1234567; uniform numbers from them; normal ones by the
// distribution of what they are below.
TEST(ModelLists, NumbersAreDrawnBySeedAndCount) {
  split_mix known = {1234567};
  EXPECT_EQ(known.next(), 6457827717110365317U);
  EXPECT_EQ(known.next(), 3203168211198807973U);
  for (const char *seed : {"1234567", "-3", "0", "9007199254740992"}) {
    split_mix a = {static_cast<std::uint64_t>(std::stoll(seed))};
    split_mix b = {~a.state};
    const std::vector<double> u = drawn(seed, "uniform(i)", 1000);
    const std::vector<double> n = drawn(seed, "normal(i)", 1000);
    for (std::size_t k = 0; k < u.size(); k++) {
      EXPECT_EQ(u[k], std::ldexp(static_cast<double>(a.next() >> 11), -53));
      const long double p = std::ldexp(static_cast<long double>(b.next() >> 12) + 0.5L, -52);
      const long double below = std::erfc(-static_cast<long double>(n[k]) / std::sqrt(2.0L)) / 2;
      EXPECT_NEAR(static_cast<double>(below / p), 1, 1e-14) << n[k];
    }
  }
  const std::vector<double> many = drawn("5", "normal(i)", 200000);
  double sum = 0, squares = 0, fourth = 0, together = 0;
  for (std::size_t k = 0; k < many.size(); k++) {
    sum += many[k], squares += many[k] * many[k], fourth += std::pow(many[k], 4);
    if (k > 0) together += many[k] * many[k - 1];
  }
  const auto size = static_cast<double>(many.size());  // limits: five standard deviations
  EXPECT_NEAR(sum / size, 0, 5 / std::sqrt(size));
  EXPECT_NEAR(squares / size, 1, 5 * std::sqrt(2 / size));
  EXPECT_NEAR(fourth / size, 3, 5 * std::sqrt(96 / size));
  EXPECT_NEAR(together / size, 0, 5 / std::sqrt(size));
}

TEST(ModelLists, DrawnNumbersAreOfConstantsAlone) {
  const auto refused = [](const std::string &seed, const std::string &x0,
                          const std::string &input) {
    return refusal(seed + "[parameters]\na = \"" + x0 +
                   "\"\n[systems.a]\nkind = \"first_order_linear\"\nn = 1\nx0 = [\"" + x0 +
                   "\"]\ninput = [\"" + input + "\"]\n" + run);
  };
  EXPECT_EQ(refused("seed = 1\n", "1 + uniform(7)*normal(seed)", "a*normal(3)"), "");
  EXPECT_NE(refused("", "uniform(1)", "t").find("found `uniform`, which needs a seed: `seed = 1`"),
            std::string::npos);
  EXPECT_EQ(refused("seed = 1\n", "1", "normal(t)"),
            "m.toml:8:11: found `normal` of what is no constant here; draw it for a parameter, a "
            "start or `z`");
  EXPECT_EQ(refused("seed = 1\n", "1", "uniform(i)"),
            "m.toml:8:11: found `uniform` of what is no constant here; draw it for a parameter, a "
            "start or `z`");
  EXPECT_NE(refused("seed = 1\n", "uniform(0.5)", "t").find("expected a finite number"),
            std::string::npos);
  EXPECT_EQ(refused("seed = 1.5\n", "1", "t"),
            "m.toml:1:8: found `seed` = 1.5, expected an integer within 2^53");
}

// Balls that fall from other heights, each with a guard of its own that reflects it, and the last
// one by an index written out: closed solutions.
TEST(ModelLists, GuardsAreOfOneOfMany) {
  const auto m = read_model(
      "[systems.other]\nkind = \"first_order_linear\"\nn = 1\nx0 = [1]\n"
      "[systems.ball]\nrepeat = 3\nkind = \"lagrangian_linear\"\nM = [1, 1]\nf = [-2, 0]\n"
      "q0 = [\"(i + 1)^2\", \"i\"]\n"
      "[guards.floor]\nrepeat = \"1 + 1\"\nvalue = \"ball[i].q[0]\"\ndirection = \"falling\"\n"
      "reset = { \"ball[i].v[0]\" = \"-ball[i].v[0]/2\", \"ball[i].q[0]\" = 0, \"ball[i + "
      "1].q[1]\" "
      "= \"10 + i\" }\n"
      "[guards.last]\nvalue = \"ball[1 + 1].q[0]\"\ndirection = \"falling\"\nstop = true\n"
      "[schedules.mark]\nrepeat = 2\nfirst = \"0.25*(i + 1)\"\n"
      "reset = { \"other.x\" = \"other.x + 1 + i\" }\n"
      "[events]\nuntil = 9\n",
      "m.toml");
  EXPECT_EQ(m->events.n_guards, 3);
  EXPECT_EQ(m->events.n_schedules, 2);
  perp_event_driven *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  ASSERT_EQ(perp_event_driven_create(&sim, perp_builder_model(m->builder.get()), &m->events, &info),
            PERP_OK);
  EXPECT_EQ(perp_event_driven_run(sim, m->until, nullptr, &info), PERP_STOPPED);
  EXPECT_NEAR(perp_event_driven_time(sim), 3, 1e-8);  // from 9 with -2
  EXPECT_NEAR(perp_event_driven_x(sim, 0)[0], 1 + 1 + 2, 1e-12);
  // The second one arrived at t = 2 with -4, left with 2, and fell for 1.
  EXPECT_NEAR(perp_event_driven_q(sim, 2)[0], 2 - 1, 1e-7);
  EXPECT_NEAR(perp_event_driven_v(sim, 2)[0], 0, 1e-7);
  EXPECT_EQ(perp_event_driven_q(sim, 2)[1], 10);  // set by the first
  EXPECT_EQ(perp_event_driven_q(sim, 3)[1], 11);
  EXPECT_EQ(perp_event_driven_q(sim, 1)[1], 0);
  perp_event_driven_destroy(sim);
  const auto refused = [](const std::string &guard) {
    return refusal(
        "[systems.one]\nkind = \"lagrangian_linear\"\nM = [1]\n"
        "[systems.bead]\nkind = \"lagrangian_linear\"\nM = [1]\nrepeat = 2\n[guards.a]\n" +
        guard + "\n[events]\nuntil = 1\n");
  };
  EXPECT_EQ(refused("value = \"bead[1].q + bead[0].v[0]\""), "");
  EXPECT_EQ(refused("value = \"bead.q\""),
            "m.toml:9:10: found `bead.q`, which is repeated; name one of them, as `bead[0].q`");
  EXPECT_EQ(refused("value = \"bead[2].q\""),
            "m.toml:9:15: found `2`, allowed: constant integers 0 to 1 as index of `bead`");
  EXPECT_EQ(refused("value = \"bead[t].q\""),
            "m.toml:9:15: found `t`, allowed: constant integers 0 to 1 as index of `bead`");
  EXPECT_EQ(refused("value = \"bead[1].w\""), "m.toml:9:18: found `w`, which it has not");
  EXPECT_EQ(refused("value = \"bead[1]\""),
            "m.toml:9:17: found the end, allowed: `.` and what of it is read");
  EXPECT_NE(refused("value = \"one[0].q\"").find("found `one`, not a name here"),
            std::string::npos);
  EXPECT_EQ(refused("value = 1\nreset = { \"bead.q\" = 0 }"),
            "m.toml:10:11: found `bead.q`, but `bead` is repeated; name one of them, as in "
            "`bead[0].q`");
  EXPECT_EQ(refused("value = 1\nreset = { \"one[0].q\" = 0 }"),
            "m.toml:10:11: found `one[0].q`, but `one` is not repeated");
  EXPECT_EQ(refused("value = 1\nrepeat = 3\nreset = { \"bead[i].q[0]\" = 0 }"),
            "m.toml:11:11: found member 2 of `bead[i].q[0]`, must be >= 0 and <= 1");
}

// The C of guards and schedules does to random states what the run does.
TEST(ModelLists, GuardsAreCompiled) {
  const auto m = read_model(
      "[systems.x]\nkind = \"first_order_linear\"\nn = 2\n"
      "[systems.ball]\nrepeat = 3\nkind = \"lagrangian_linear\"\nM = [1, 1]\n"
      "[guards.hit]\nrepeat = 2\nvalue = \"ball[i].q[0] - sin(t)*ball[i + 1].v[1]\"\n"
      "reset = { \"ball[i].v[0]\" = \"-ball[i].v[0]/3\", \"x.x[1]\" = \"t*x.x[0]\", "
      "\"ball[2].q[1]\" = 7 "
      "}\n"
      "[guards.end]\nvalue = \"x.x[1] - 1\"\nstop = true\n"
      "[schedules.tick]\nperiod = 1\nreset = { \"x.x[0]\" = \"x.x[0] + 1\" }\n"
      "[events]\nuntil = 1\n",
      "m.toml");
  const std::string base = ::testing::TempDir() + "perp_guards_" + std::to_string(getpid());
  std::ofstream(base + ".c") << compiled_model(*m);
  const std::string command =
      std::string(PERP_TEST_CC) +
      " -std=c99 -O2 -Wall -Wextra -Werror -ffp-contract=off -shared -fPIC -I" +
      PERP_SOURCE_DIR "/include " + base + ".c -o " + base + ".so -lm";
  ASSERT_EQ(std::system(command.c_str()), 0) << compiled_model(*m);
  void *const library = dlopen((base + ".so").c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  (void)std::remove((base + ".c").c_str());
  (void)std::remove((base + ".so").c_str());
  std::mt19937 random(1);
  const auto state_of = [&] {
    std::vector<double> all(15);
    for (double &each : all) each = std::uniform_real_distribution<double>(-2, 2)(random);
    return all;
  };
  const auto at = [](std::vector<double> *s) {
    return perp_event_state{(*s)[14], s->data(), s->data() + 6, s->data() + 12, 6, 6, 2, 0};
  };
  const char *const names[] = {"hit_0__", "hit_1__", "end_"};
  for (int k = 0; k < 4; k++)
    for (int times = 0; times < 20; times++) {
      std::vector<double> mine = state_of(), theirs = mine;
      perp_event_state a = at(&mine), b = at(&theirs);
      const std::string name = k < 3 ? names[k] : "tick_";
      if (k < 3) {
        const perp_guard &g = m->events.guards[k];
        const auto f = reinterpret_cast<perp_guard_fn>(dlsym(library, (name + "value").c_str()));
        ASSERT_NE(f, nullptr) << name;
        double x = 0, y = 0;
        ASSERT_EQ(g.value(&a, &x, g.user), 0);
        ASSERT_EQ(f(&b, &y, nullptr), 0);
        EXPECT_EQ(x, y);
      }
      const auto f = reinterpret_cast<perp_reset_fn>(dlsym(library, (name + "reset").c_str()));
      ASSERT_NE(f, nullptr) << name;
      const perp_reset_fn run_s = k < 3 ? m->events.guards[k].reset : m->events.schedules[0].reset;
      void *const user = k < 3 ? m->events.guards[k].user : m->events.schedules[0].user;
      EXPECT_EQ(run_s(&a, user), k == 2 ? 1 : 0);
      EXPECT_EQ(f(&b, nullptr), k == 2 ? 1 : 0);
      EXPECT_EQ(mine, theirs) << name;
    }
  dlclose(library);
}
