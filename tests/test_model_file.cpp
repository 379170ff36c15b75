// SPDX-License-Identifier: MIT
// Model files: what they say becomes the model, and what is wrong is told in a sentence.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/model.hpp"

namespace {

using perp::io::load_model;
using perp::io::model_error;
using perp::io::read_model;

// What a text is refused with, line by line; empty: it is not.
std::string refusal(const std::string &text, const std::string &name = "m.toml") {
  try {
    (void)read_model(text, name);
  } catch (const model_error &e) {
    std::string all;
    for (const std::string &line : e.lines()) all += (all.empty() ? "" : "\n") + line;
    return all;
  }
  return {};
}

// A ball on a floor, of which tests replace a part.
const char *const parts[][2] = {
    {"parameters", "[parameters]\ng = 9.81\n"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\n"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\n"
     "relation = { kind = \"lagrangian_linear\", H = [[1.0]] }\n"
     "law = { kind = \"newton_impact\", e = 0.5 }\n"},
    {"run", "[simulation]\nh = 0.01\nuntil = 1.0\n"}};

std::string model_with(const std::string &part, const std::string &text) {
  std::string all;
  for (const auto &each : parts) all += part == each[0] ? text : each[1];
  return all;
}

struct bad {
  const char *part, *text, *says;
};

// Lines count from the beginning of the whole: parameters 1-2, ball 3-5, floor 6-9, run 10-12.
const bad bad_files[] = {
    {"parameters", "[parameters]\ng = \"h2 + 1\"\nh2 = \"g\"\n",
     "m.toml:2:5: found parameters that need one another: `g` -> `h2` -> `g`"},
    {"parameters", "[parameters]\ng = \"g\"\n",
     "m.toml:2:5: found parameters that need one another: `g` -> `g`"},
    {"parameters", "[parameters]\ng = [1]\n",
     "m.toml:2:5: found a list of 1, expected a number or an expression"},
    {"parameters", "[parameters]\ng = true\n",
     "m.toml:2:5: found true, expected a number or an expression"},
    {"parameters", "[parameters]\ng = 1979-05-27\n",
     "m.toml:2:5: found a date or time, expected a number or an expression"},
    {"parameters", "[parameters]\ng = inf\n",
     "m.toml:2:5: found parameter `g` = inf, expected a finite number"},
    {"parameters", "[parameters]\ng = \"1/0\"\n",
     "m.toml:2:5: found parameter `g` = inf, expected a finite number"},
    {"parameters", "[parameters]\nt = 1\n",
     "m.toml:2:1: found parameter `t`, which means something else in expressions"},
    {"parameters", "[parameters]\nsin = 1\n",
     "m.toml:2:1: found parameter `sin`, which means something else in expressions"},
    {"parameters", "[parameters]\n\"a b\" = 1\n",
     "m.toml:2:1: found parameter `a b`, expected a name of letters, digits and _"},
    {"parameters", "[parameters]\ng = { value = 1, units = \"m\" }\n",
     "m.toml:2:18: found `units`, expected `value`, `unit` or `says`"},
    {"parameters", "[parameters]\ng = { value = 1, unit = 2 }\n",
     "m.toml:2:25: found 2, expected the unit as a text"},
    {"parameters", "parameters = 3\n", "m.toml:1:14: found 3, expected a table of parameters"},
    {"parameters", "[parameter]\ng = 1\n",
     "m.toml:1:2: found `parameter`, not a table of a model; did you mean `parameters`?"},
    {"parameters", "title = 3\n", "m.toml:1:9: found 3, expected a text"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linaer\"\nM = [1.0]\n",
     "m.toml:4:8: found `lagrangian_linaer`, not a kind of system; did you mean "
     "`lagrangian_linear`?"},
    {"ball", "[systems.ball]\nM = [1.0]\n",
     "m.toml:3:1: found no `kind`, expected a kind of system: `lagrangian_linear`, `lagrangian`, "
     "`newton_euler`, `first_order_linear` or `first_order`"},
    {"ball", "[systems.ball]\nkind = 1\nM = [1.0]\n",
     "m.toml:4:8: found 1, expected a kind of system: `lagrangian_linear`, `lagrangian`, "
     "`newton_euler`, `first_order_linear` or `first_order`"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nq00 = [1]\n",
     "m.toml:6:1: found key `q00`, which `lagrangian_linear` has not; did you mean `q0`?"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nq0 = [1.0]\n",
     "m.toml:3:1: found no `M`, which `lagrangian_linear` needs"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = 1.0\nn = 1\n",
     "m.toml:5:5: found 1, expected `M` as a list (diagonal), a list of rows, or sparse rows"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [[1.0, 2.0]]\n",
     "m.toml:5:6: found a list of 2, expected a row of `M` with 1 number"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nq0 = [1, 2]\nn = 1\n",
     "m.toml:6:6: found a list of 2, expected `q0` with 1 number"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nv0 = 1\n",
     "m.toml:6:6: found 1, expected `v0` as a list of 1 number"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nf = [\"-m*g\"]\n",
     "m.toml:6:8: found `m`, not a name here; allowed: `g`, `i`, `pi`"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nf = [true]\n",
     "m.toml:6:6: found true, expected a number or an expression"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nf = [nan]\n",
     "m.toml:6:6: found `f` = nan, expected a finite number"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nf = [inf]\n",
     "m.toml:6:6: found `f` = inf, expected a finite number"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nforce = [\"q[0]\"]\n",
     "m.toml:6:11: found `q`, not a name here; allowed: `g`, `i`, `t`, `pi`"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nforce = [\"1\", \"2\"]\n",
     "m.toml:6:9: found a list of 2, expected `force` as a list of 1 expression"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nforce = [true]\n",
     "m.toml:6:10: found true, expected an expression"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nforce = [\"sni(t)\"]\n",
     "m.toml:6:11: found `sni`, not a function; did you mean `sin`?"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\ntheta = 2\n",
     "m.toml:6:9: found `theta` out of 0 to 1"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nintegrator = \"euler\"\n",
     "m.toml:6:14: found `euler`, not a value of `integrator`; expected `moreau_jean`, "
     "`schatzman_paoli`, "
     "`theta`, `theta_gamma` or `theta_gamma_full`"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nn = 0\nM = [1.0]\n",
     "m.toml:5:5: found `n` = 0, must be >= 1 and <= 1000000"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nn = 1.5\nM = [1.0]\n",
     "m.toml:5:5: found 1.5, expected an integer"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = { value = [1.0], unit = \"g\" }\n",
     "m.toml:5:29: found unit `g`, expected `kg`; nothing is converted"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nrepeat = 0\n",
     "m.toml:6:10: found `repeat` = 0, must be >= 1 and <= 1000000"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\nrepeat = 3\n",
     "m.toml:8:12: found `ball`, which is repeated; expected an index as in `ball[i]`"},
    {"ball", "[systems.\"a.b\"]\nkind = \"lagrangian_linear\"\nM = [1.0]\n",
     "m.toml:3:10: found name `a.b`, expected letters, digits, _ and -\n"
     "m.toml:7:12: found `ball`, not the name of a system; and there is none"},
    {"ball", "[systems]\nball = 3\n", "m.toml:4:8: found 3, expected a table: a system"},
    {"ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = { start = [0, 1], values = [1] }\n",
     "m.toml:5:5: found a table, expected sparse rows: lists start, index, values"},
    {"ball",
     "[systems.ball]\nkind = \"lagrangian_linear\"\nM = { start = [0, 2], index = [0], values = "
     "[1] }\n",
     "m.toml:5:5: found sparse rows of `M` whose lists do not fit: start has 2 entries, the last "
     "of "
     "which is how many index and values have"},
    {"floor",
     "[interactions.floor]\nsystems = [\"bal\"]\nrelation = { kind = \"lagrangian_linear\", "
     "H = [[1]] }\nlaw = { kind = \"equality\" }\n",
     "m.toml:7:12: found `bal`, not the name of a system; did you mean `ball`?"},
    {"floor",
     "[interactions.floor]\nsystems = []\nrelation = { kind = \"lagrangian_linear\", "
     "H = [[1]] }\nlaw = { kind = \"equality\" }\n",
     "m.toml:7:11: found an empty list, expected names of systems"},
    {"floor",
     "[interactions.floor]\nsystems = [3]\nrelation = { kind = \"lagrangian_linear\", "
     "H = [[1]] }\nlaw = { kind = \"equality\" }\n",
     "m.toml:7:12: found 3, expected the name of a system"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball[0]\"]\nrelation = { kind = "
     "\"lagrangian_linear\", H = [[1]] }\nlaw = { kind = \"equality\" }\n",
     "m.toml:7:12: found `ball[0]`, but `ball` is not repeated"},
    {"floor", "[interactions.floor]\nsystems = [\"ball\"]\nlaw = { kind = \"equality\" }\n",
     "m.toml:6:1: found no `relation`, which `interaction` needs"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\nrelation = \"up\"\nlaw = { kind = "
     "\"equality\" }\n",
     "m.toml:8:12: found `up`, not the name of a relation; and there is none"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\nrelation = { kind = "
     "\"lagrangian_linear\", H = [[1]] }\nlaw = 3\n",
     "m.toml:9:7: found 3, expected a law: a table, or the name of one of [laws]"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\nrelation = { kind = "
     "\"lagrangian_linear\", H = [[1]] }\nlaw = { kind = \"newton\" }\n",
     "m.toml:9:16: found `newton`, not a kind of law; expected `equality`, `complementarity`, "
     "`newton_impact`, `box`, `polyhedron`, `friction`, `rolling`, `mixed`, `compliant`, "
     "`fremond`, `cohesive`, `piecewise_linear` or `user`"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\nrelation = { kind = "
     "\"lagrangian_linear\", H = [[1]] }\nlaw = { kind = \"newton_impact\", e = 2 }\n",
     "m.toml:9:37: found `e` = 2, must be >= 0 and <= 1"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\nrelation = { kind = "
     "\"lagrangian_linear\", H = [[1, 2]] }\nlaw = { kind = \"newton_impact\" }\n",
     "m.toml:8:47: found a list of 2, expected a row of `H` with 1 number"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\nrelation = { kind = \"linear\", C = "
     "[[1]] }\nlaw = { kind = \"equality\" }\n",
     "m.toml:7:11: found `ball`, of order 2; `linear` joins systems of order 1"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\nrelation = { kind = \"sphere_plane\", "
     "radius = 1, normal = [0, 0, 1] }\nlaw = { kind = \"newton_impact\" }\n",
     "m.toml:8:12: found `sphere_plane` with a system that is no rigid body"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\nrelation = { kind = "
     "\"lagrangian_linear\", H = [[1]], F = [[1]] }\nlaw = { kind = \"equality\" }\n",
     "m.toml:8:57: found `F`, which needs `z` beside it"},
    {"floor",
     "[interactions.floor]\nsystems = [\"ball\"]\nrelation = { kind = "
     "\"lagrangian_linear\", H = [[1]] }\nlaw = { kind = \"friction\", mu = -1 }\n",
     "m.toml:9:33: found `mu` = -1, must be >= 0"},
    {"run", "[simulation]\nuntil = 1\n",
     "m.toml:10:1: found no `h`, which `simulation` needs unless it has a `grid`"},
    {"run", "[simulation]\nh = 0\nuntil = 1\n", "m.toml:11:5: found `h` = 0, must be > 0"},
    {"run", "[simulation]\nh = 0.1\n",
     "m.toml:10:1: found no `until`, which `simulation` needs unless it has `steps` or a `grid`"},
    {"run", "[simulation]\nh = 1e-300\nuntil = 4\n",
     "m.toml:11:5: found `h` = 1e-300, which does not move time at t = 4, where doubles are "
     "8.9e-16 "
     "apart"},
    {"run", "[simulation]\nh = 1\nt0 = -1e16\nuntil = 4\n",
     "m.toml:11:5: found `h` = 1, which does not move time at t = -1e+16, where doubles are 2 "
     "apart"},
    {"run", "[simulation]\nh = 1e308\nsteps = 3\n",
     "m.toml:11:5: found `h` = 1e+308, which leads beyond all times"},
    {"run", "[simulation]\nh = 1\nuntil = -2\n",
     "m.toml:12:9: found `until` = -2, expected a time behind the start, t = 0"},
    {"run", "[simulation]\nh = 1\nuntil = nan\n",
     "m.toml:12:9: found `until` = nan, expected a finite number"},
    {"run", "[simulation]\ngrid = [1, 2]\nuntil = 1\n",
     "m.toml:12:9: found `until` = 1, expected a time behind the start, t = 1"},
    {"run", "[events]\nuntil = 0\n",
     "m.toml:11:9: found `until` = 0, expected a time behind the start, t = 0"},
    {"run", "[events]\nuntil = 1\nevery = 5e-324\n",
     "m.toml:12:9: found `every` = 5e-324, which does not move time at t = 1, where doubles "
     "are 2.2e-16 apart"},
    {"run", "[events]\nuntil = 1\nzeno = \"step\"\nstepping = { h = 1e-17 }\n",
     "m.toml:13:18: found `h` = 1e-17, which does not move time at t = 1, where doubles are "
     "2.2e-16 "
     "apart"},
    {"run", "[simulation]\nh = 0.1\nuntil = 1\nsolver = \"lemk\"\n",
     "m.toml:13:10: found `lemk`, not a solver; did you mean `lemke`?"},
    {"run", "[simulation]\nh = 0.1\nuntil = 1\nsolver = { tol = 1 }\n",
     "m.toml:13:10: found no `name` of a solver"},
    {"run", "[simulation]\nh = 0.1\nuntil = 1\nsolver = { name = \"lemke\", omega = 1 }\n",
     "m.toml:13:28: found key `omega`, which `lemke` has not; expected `name`, `max_iter`, `tol` "
     "or "
     "`budget`"},
    {"run", "[simulation]\nh = 0.1\nuntil = 1\non_failure = \"retri\"\n",
     "m.toml:13:14: found `retri`, not a value of `on_failure`; did you mean `retry`?"},
    {"run", "[simulation]\nh = 0.1\nuntil = 1\nswitchable = 1\n",
     "m.toml:13:14: found 1, expected true or false"},
    {"run", "[simulation]\ngrid = [0, 1]\nsteps = 1\n",
     "m.toml:11:8: found `grid` beside `steps`, which its length tells"},
    {"run", "",
     "m.toml:1:1: found neither `simulation` nor `events`, one of which says how to run"},
    {"run", "[events]\nuntil = 1\n[simulation]\nh = 0.1\nuntil = 1\n",
     "m.toml:10:1: found `events` beside `simulation`; a model has one of them"},
    {"run", "[events]\nuntil = 1\nsmooth = \"rk\"\n",
     "m.toml:12:10: found `rk`, not a value of `smooth`; expected `runge_kutta`, `adams`, `bdf`, "
     "`arkode` or `ida`"},
    {"run", "[simulation\nh = 1\n", "m.toml:10:12: "},
    {"run", "[simulation]\nh = 1\nh = 2\n", "m.toml:12:5: "},
};

// What a system lacks may be noted at a parameter: what joins the system is then not looked at.
TEST(ModelFile, SystemLostByAParameter) {
  EXPECT_EQ(
      refusal(model_with("ball", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [\"m\"]\n") +
              "[parameters.m]\nunit = \"kg\"\n"),
      "m.toml:13:1: found a table, expected a number or an expression");
}

// A joint that an expression lost, which is noted once, has no coordinates.
TEST(ModelFile, JointLostByAnExpression) {
  const std::string text = R"toml(
[expressions]
odd = "i - floor{i)"
[systems.link]
repeat = 2
kind = "newton_euler"
mass = 1
inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
q0 = ["i", 0, 0, 1, 0, 0, 0]
[laws.dry]
kind = "box"
lower = [-1]
upper = [1]
[interactions.hook]
systems = ["link[0]"]
relation = { kind = "joint", joint = "pivot", point = [0, 0, 0], axis = [0, "1 - odd", "odd"] }
law = { kind = "equality" }
[interactions.pivot]
systems = ["link[1]", "link[0]"]
relation = { kind = "joint", joint = "pivot", point = [1, 0, 0], axis = [0, "1 - odd", "odd"] }
law = { kind = "equality" }
[interactions.friction]
systems = ["link[1]", "link[0]"]
relation = { kind = "joint_coordinate", joint = "pivot", use = "effort" }
law = "dry"
[simulation]
h = 1e-3
steps = 10
)toml";
  EXPECT_EQ(refusal(text).substr(0, 9), "m.toml:3:");
}

TEST(ModelFile, WhatIsWrongIsToldInASentence) {
  ASSERT_EQ(refusal(model_with("", "")), "");
  for (const bad &b : bad_files) {
    const std::string text = model_with(b.part, b.text);
    const std::string told = refusal(text), says = b.says;
    const bool open = says.size() > 1 && (says.back() == ' ');  // the rest is another's sentence
    if (open)
      EXPECT_EQ(told.substr(0, says.size()), says) << text << told;
    else
      EXPECT_EQ(told, says) << text;
  }
}

TEST(ModelFile, AllThatIsWrongIsToldAtOnce) {
  EXPECT_EQ(refusal("[systems.a]\nkind = \"lagrangian_linear\"\nM = [1, 1]\nM2 = 1\n"
                    "[systems.b]\nkind = \"x\"\n[simulation]\nh = -1\nuntil = 1\n"),
            "m.toml:4:1: found key `M2`, which `lagrangian_linear` has not; did you mean `M`?\n"
            "m.toml:6:8: found `x`, not a kind of system; expected `lagrangian_linear`, "
            "`lagrangian`, `newton_euler`, `first_order_linear` or `first_order`\n"
            "m.toml:8:5: found `h` = -1, must be > 0");
}

TEST(ModelFile, WhatTheLibraryRefusesIsToldAtItsKey) {
  EXPECT_EQ(refusal("[systems.b]\nkind = \"newton_euler\"\nq0 = [0, 0, 0, 1, 1, 0, 0]\n"
                    "[simulation]\nh = 0.1\nuntil = 1\n"),
            "");  // seen when the run begins: perp check
  EXPECT_EQ(
      refusal("[systems.b]\nkind = \"lagrangian_linear\"\nM = [0]\n"
              "[simulation]\nh = 0.1\nuntil = 1\n"),
      "m.toml:3:5: found what `lagrangian_linear` cannot be: M of system 0 = 0: must be n x n, "
      "and symmetric positive definite where it is a mass");
}

TEST(ModelFile, JsonIsTheSameTreeAndErrorsNameThePath) {
  const std::string good =
      R"({"systems": {"ball": {"kind": "lagrangian_linear", "M": [1], "q0": ["2*3"]}},)"
      R"( "simulation": {"h": 0.1, "until": 1}})";
  EXPECT_EQ(refusal(good, "m.json"), "");
  EXPECT_EQ(refusal(R"({"systems": {"ball": {"kind": "lagrangian_linear", "M": [true]}},)"
                    R"( "simulation": {"h": 0.1, "until": 1}})",
                    "m.json"),
            "m.json: systems.ball.M[0]: found true, expected a number or an expression");
  EXPECT_EQ(refusal(R"({"systems": {}, "systems": {}})", "m.json"),
            "m.json: found `systems` twice");
  EXPECT_EQ(refusal("[1]", "m.json"), "m.json: found a list of 1, expected an object");
}

TEST(ModelFile, WhatAParserWouldChokeOnIsRefusedBefore) {
  EXPECT_EQ(refusal(std::string(10000001, ' ')),
            "m.toml: found 10000001 bytes; a model has at most 10000000");
  std::string dots = "a";
  for (int k = 0; k < 64; k++) dots += ".a";
  EXPECT_EQ(refusal(dots + " = 1"), "m.toml:1: found 64 dots in a key, which is more than is read");
  EXPECT_EQ(refusal("\na = " + std::string(65, '[')),
            "m.toml:2: found 64 brackets within one another, which is more than is read");
  EXPECT_EQ(refusal(std::string(100000, '['), "m.json"),
            "m.json:1: found 64 brackets within one another, which is more than is read");
  // toml++ 3.3 says of these letters that they cannot be there.
  EXPECT_EQ(refusal("μ = 1").substr(0, 12), "m.toml:1:1: ");
  EXPECT_EQ(refusal("a = 3'μ'").substr(0, 10), "m.toml:1:6");
  // Quotes within longer texts.
  const std::string deep(100, '[');
  EXPECT_EQ(refusal("title = \"\"\"\\\"\"\"" + deep + "\"\"\"\"\"\n" + model_with("", "")), "");
  EXPECT_EQ(refusal("title = '''\\'" + deep + "'''''\n[a]\nb = " + deep),
            "m.toml:3: found 64 brackets within one another, which is more than is read");
  // Within a text or a comment they are no brackets.
  EXPECT_EQ(refusal("title = \"" + std::string(100, '[') + "\" # " + std::string(100, '.') + "\n" +
                    model_with("", "")),
            "");
}

// A folder of files that goes when the test ends.
class Folder : public testing::Test {
 protected:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "perp-model-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    path_ = name;
    std::filesystem::create_directories(path_ / "parts");
  }
  ~Folder() override { std::filesystem::remove_all(path_); }
  std::string write(const std::string &name, const std::string &text) {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string refused(const std::string &path, const std::vector<std::string> &set = {}) {
    try {
      (void)load_model(path, set);
    } catch (const model_error &e) {
      std::string all;
      for (const std::string &line : e.lines()) {
        const bool of_folder = line.find(path_.string() + "/") == 0;
        all += (all.empty() ? "" : "\n") + line.substr(of_folder ? path_.string().size() + 1 : 0);
      }
      return all;
    }
    return {};
  }
  std::filesystem::path path_;
};

TEST_F(Folder, IncludesStayBelowAndDoNotGoInCircles) {
  write("parts/ball.toml", "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [\"m\"]\n");
  write("parts/loop.toml", "include = \"../main.toml\"\n");
  const std::string run = "[simulation]\nh = 0.1\nuntil = 1\n[parameters]\nm = 2\n";
  const auto good = load_model(write("main.toml", "include = [\"parts/ball.toml\"]\n" + run));
  EXPECT_EQ(good->systems, std::vector<std::string>{"ball"});
  EXPECT_EQ(refused(write("main.toml", "include = [\"../x.toml\"]\n" + run)),
            "main.toml:1:12: found `../x.toml`, which is not below the folder of the model");
  EXPECT_EQ(refused(write("main.toml", "include = [\"/etc/passwd\"]\n" + run)),
            "main.toml:1:12: found `/etc/passwd`, which is not below the folder of the model");
  EXPECT_EQ(refused(write("main.toml", "include = [\"none.toml\"]\n" + run)),
            "main.toml:1:12: found `none.toml`, and there is no such file");
  EXPECT_EQ(refused(write("main.toml", "include = [\"parts/loop.toml\"]\n" + run)),
            "parts/loop.toml:1:11: found `../main.toml`, which includes parts/loop.toml itself");
  EXPECT_EQ(refused(write("main.toml", "include = \"parts/ball.toml\"\n[systems.ball]\n" + run)),
            "parts/ball.toml:1:10: found `ball`, which is at " + (path_ / "main.toml").string() +
                ":2:1 already");
}

TEST_F(Folder, OverridesSetParametersAndKeys) {
  const std::string path =
      write("ball.toml", model_with("ball",
                                    "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1.0]\n"
                                    "q0 = [\"g\"]\n"));
  const auto start = [&](const std::vector<std::string> &set) {
    return perp_builder_model(load_model(path, set)->builder.get())->q0[0];
  };
  EXPECT_EQ(start({}), 9.81);
  EXPECT_EQ(start({"g=2"}), 2);
  EXPECT_EQ(start({"g=2*3"}), 6);
  EXPECT_EQ(start({"ball.q0=[7]"}), 7);
  EXPECT_EQ(start({"systems.ball.q0=[\"2*g\"]"}), 2 * 9.81);
  EXPECT_EQ(refused(path, {"k=2"}), "--set k=2: found `k`, which is no parameter");
  EXPECT_EQ(refused(path, {"bal.q0=[7]"}),
            "--set bal.q0=[7]: found `bal`, and nothing has that name");
  EXPECT_EQ(refused(path, {"ball.q0"}), "--set ball.q0: expected NAME=VALUE");
  EXPECT_EQ(refused(path, {"ball.q0=[true]"}),
            "--set ball.q0=[true]: found true, expected a number or an expression");
}

TEST(ModelFile, RepeatedBodiesShareDescriptionsAndLoadFast) {
  const auto began = std::chrono::steady_clock::now();
  const auto m = load_model(std::string(PERP_SOURCE_DIR) + "/examples/models" + "/beads.toml");
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  EXPECT_EQ(m->systems.size(), 1000U);
  EXPECT_EQ(m->systems[17], "bead[17]");
  EXPECT_EQ(m->interactions.size(), 1000U);
  EXPECT_EQ(perp_builder_descriptions(m->builder.get()), 4U);  // bead, two relations, a law
  EXPECT_EQ(perp_builder_model(m->builder.get())->q0[17], 1 + 0.25 * 17);
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, 1.0);  // some 10 ms on an idle machine
}

// Functions: values and derivatives against those by hand, at points that no run visits.
TEST(ModelFile, ExpressionsBecomeCallbacksWithExactDerivatives) {
  const auto m = read_model(
      "[parameters]\nk = 3\n[systems.s]\nkind = \"lagrangian\"\nn = 2\nM = [1, 1]\n"
      "internal = [\"k*q[0]*q[1] + sin(t)*v[0]\", \"v[1]^2 + z[0]\"]\nz = [5]\n"
      "[interactions.c]\nsystems = \"s\"\n"
      "relation = { kind = \"lagrangian_rheonomous\", h = [\"q[0]*q[1] - t^2\"] }\n"
      "law = { kind = \"equality\" }\n[simulation]\nh = 0.1\nuntil = 1\nmin_gap = -9\n",
      "m.toml");
  const perp_model *const model = perp_builder_model(m->builder.get());
  const auto *const s = reinterpret_cast<const perp_lagrangian *>(model->systems[0]);
  const double q[] = {0.3, -0.7}, v[] = {1.1, 0.4}, t = 0.25;
  double out[2], J[4];
  ASSERT_EQ(s->internal(t, q, v, s->z, out, s->user), 0);
  EXPECT_EQ(out[0], 3 * q[0] * q[1] + std::sin(t) * v[0]);
  EXPECT_EQ(out[1], v[1] * v[1] + 5);
  ASSERT_EQ(s->internal_dq(t, q, v, s->z, J, s->user), 0);
  EXPECT_EQ(J[0], 3 * q[1]);
  EXPECT_EQ(J[1], 0);
  EXPECT_EQ(J[2], 3 * q[0]);
  EXPECT_EQ(J[3], 0);
  ASSERT_EQ(s->internal_dv(t, q, v, s->z, J, s->user), 0);
  EXPECT_EQ(J[0], std::sin(t));
  EXPECT_EQ(J[1], 0);
  EXPECT_EQ(J[2], 0);
  EXPECT_EQ(J[3], 2 * v[1]);
  const auto *const r =
      reinterpret_cast<const perp_lagrangian_relation *>(model->interactions[0]->relation);
  ASSERT_EQ(r->H(t, q, nullptr, nullptr, J, r->user), 0);
  EXPECT_EQ(J[0], q[1]);
  EXPECT_EQ(J[1], q[0]);
  ASSERT_EQ(r->h_dt(t, q, nullptr, nullptr, J, r->user), 0);
  EXPECT_EQ(J[0], -2 * t);
}

// Of bodies derivatives are by the increments d of q ⊕ d: against differences by perp_body_move().
TEST(ModelFile, DerivativesOfBodiesAreByIncrements) {
  const auto m = read_model(
      "[systems.b]\nkind = \"newton_euler\"\nq0 = [0, 0, 0, 1, 0, 0, 0]\n"
      "force = [\"q[0]*q[4]\", \"q[3]^2 + v[5]\", \"q[5]*q[6] - q[2]\"]\n"
      "[simulation]\nh = 0.1\nuntil = 1\n",
      "m.toml");
  const auto *const b =
      reinterpret_cast<const perp_body *>(perp_builder_model(m->builder.get())->systems[0]);
  const double q[] = {0.3, -0.2, 0.5, 0.5, -0.5, 0.5, 0.5}, v[] = {1, 2, 3, 4, 5, 6};
  double by_d[18] = {0}, by_v[18] = {0};
  ASSERT_EQ(b->force_jacobian(0, q, v, by_d, by_v, b->user), 0);
  for (int j = 0; j < 6; j++) {
    const double step = 1e-6;
    double d[6] = {0}, moved[7], up[3], down[3];
    d[j] = step, perp_body_move(q, d, moved);
    ASSERT_EQ(b->force(0, moved, v, up, b->user), 0);
    d[j] = -step, perp_body_move(q, d, moved);
    ASSERT_EQ(b->force(0, moved, v, down, b->user), 0);
    for (int i = 0; i < 3; i++)
      EXPECT_NEAR(by_d[i + 3 * j], (up[i] - down[i]) / (2 * step), 1e-8) << i << " " << j;
  }
  EXPECT_EQ(by_v[1 + 3 * 5], 1);
}

// A ball that a guard reflects, and a plant whose input a schedule samples, u := -2 x each 0.1 s:
// both have closed solutions. The second guard ends the run.
TEST(ModelFile, GuardsAndSchedulesResetTheState) {
  const auto m = read_model(
      "[systems.other]\nkind = \"lagrangian_linear\"\nM = [1, 1]\nq0 = [5, 6]\n"
      "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1]\nf = [-2]\nq0 = [1]\n"
      "[systems.plant]\nkind = \"first_order_linear\"\nA = [[0, 1], [0, 0]]\nx0 = [3, 0]\n"
      "[guards.floor]\nvalue = \"ball.q\"\ndirection = \"falling\"\n"
      "reset = { \"ball.v[0]\" = \"-ball.v/2\", \"ball.q\" = 0 }\n"
      "[guards.end]\nvalue = \"t - 1.25\"\nstop = true\n"
      "[schedules.sampler]\nperiod = 0.1\nreset = { \"plant.x[1]\" = \"-2*plant.x[0]\" }\n"
      "[events]\nuntil = 9\n",
      "m.toml");
  perp_event_driven *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  ASSERT_EQ(perp_event_driven_create(&sim, perp_builder_model(m->builder.get()), &m->events, &info),
            PERP_OK);
  EXPECT_EQ(perp_event_driven_run(sim, m->until, nullptr, &info), PERP_STOPPED);
  EXPECT_NEAR(perp_event_driven_time(sim), 1.25, 1e-9);
  // At t = 1 it arrives with -2 and leaves with 1.
  EXPECT_NEAR(perp_event_driven_v(sim, 1)[0], 1 - 2 * 0.25, 1e-8);
  EXPECT_NEAR(perp_event_driven_q(sim, 1)[0], 0.25 - 0.25 * 0.25, 1e-8);
  const double sampled = 3 * std::pow(0.8, 12);  // at t = 1.2
  EXPECT_NEAR(perp_event_driven_x(sim, 2)[1], -2 * sampled, 1e-8);
  EXPECT_NEAR(perp_event_driven_x(sim, 2)[0], sampled * (1 - 2 * 0.05), 1e-8);
  perp_event_driven_destroy(sim);
}

TEST(ModelFile, GuardsAndSchedulesAreRefusedBySentences) {
  const auto refused = [](const std::string &tables, const char *run = "[events]\nuntil = 9\n") {
    return refusal(
        "[systems.ball]\nkind = \"lagrangian_linear\"\nM = [1]\n"
        "[systems.bead]\nkind = \"lagrangian_linear\"\nM = [1]\nrepeat = 2\n" +
        tables + run);
  };
  EXPECT_EQ(refused("[guards.a]\nvalue = \"ball.q\"\nreset = { \"ball.v\" = 0 }\n"), "");
  EXPECT_EQ(refused("[guards.a]\ndirection = \"rising\"\n"),
            "m.toml:8:1: found no `value`, which `guard` needs");
  EXPECT_NE(refused("[guards.a]\nvalue = \"bal.q\"\n").find("did you mean `ball.q`?"),
            std::string::npos);
  EXPECT_NE(refused("[guards.a]\nvalue = \"bead.q\"\n").find("name one of them, as `bead[0].q`"),
            std::string::npos);
  EXPECT_EQ(refused("[guards.a]\nvalue = 1\nreset = { \"ball.v[1]\" = 0 }\n"),
            "m.toml:10:11: found `ball.v[1]`, expected `ball.v[0]` to `ball.v[0]`");
  EXPECT_EQ(refused("[guards.a]\nvalue = 1\nreset = { \"ball.w\" = 0 }\n"),
            "m.toml:10:11: found `ball.w`, not a state of a system; did you mean `ball.q`?");
  EXPECT_EQ(refused("[guards.a]\nvalue = [\"t\"]\n"),
            "m.toml:9:9: found a list of 1, expected an expression");
  EXPECT_EQ(refused("[schedules.a]\ntimes = [1, 1]\n"),
            "m.toml:9:9: found `times` that do not increase");
  EXPECT_EQ(refused("[schedules.a]\nstop = true\n"),
            "m.toml:8:1: found a schedule with both or neither of `times` and `first`");
  const char *const stepping = "[simulation]\nh = 0.1\nuntil = 1\n";
  EXPECT_EQ(refused("[schedules.a]\nperiod = 1\n", stepping), "");
  EXPECT_EQ(refused("[schedules.a]\nperiod = -1\n", stepping),
            "m.toml:9:10: found `period` = -1, must be >= 0");
  EXPECT_EQ(refused("[guards.a]\nvalue = \"t\"\n", stepping),
            "m.toml:8:1: found `guards` without `events`: time-stepping finds no zeros; run by "
            "[events], or reset states at times that [schedules] name");
}

// Tables against formulas: a line between the points, a natural spline by its properties (through
// the points, without a jump of the second derivative, which is 0 at the ends).
TEST_F(Folder, TablesOfCsvFilesAreFunctionsOfExpressions) {
  write("road.csv", "# a road\ntime; height;left\n0;1;0\n1;3;0\n\n3;+2e0;0\n4.5;0.25;1\n");
  const auto model = [this](const std::string &table, const std::string &force = "road(t)") {
    return load_model(
        write("m.toml", "[tables.road]\nfile = \"road.csv\"\n" + table +
                            "[systems.s]\nkind = \"lagrangian\"\nn = 1\nM = [1]\ninternal = [\"" +
                            force + "\"]\n[simulation]\nh = 0.1\nuntil = 1\n"));
  };
  const auto value = [](const perp::io::loaded_model &m, double t, double q = 0) {
    const auto *const s =
        reinterpret_cast<const perp_lagrangian *>(perp_builder_model(m.builder.get())->systems[0]);
    double out = 0, v = 0;
    EXPECT_EQ(s->internal(t, &q, &v, s->z, &out, s->user), 0);
    return out;
  };
  const auto linear = model("x = \"time\"\ny = \"height\"\noutside = \"clamp\"\n");
  EXPECT_EQ(value(*linear, 0.25), 1.5);
  EXPECT_EQ(value(*linear, 2), 2.5);
  EXPECT_EQ(value(*linear, -7), 1);
  EXPECT_NEAR(value(*linear, 99), 0.25, 1e-15);
  EXPECT_EQ(value(*model("y = \"left\"\n"), 3.75), 0.5);
  EXPECT_TRUE(std::isnan(value(*model(""), 5)));
  const auto cubic = model("between = \"cubic\"\n");
  const double x[] = {0, 1, 3, 4.5}, y[] = {1, 3, 2, 0.25}, e = 1.0 / 64;
  for (int k = 0; k < 4; k++) EXPECT_NEAR(value(*cubic, x[k]), y[k], 1e-14);
  // Second differences of a cubic are its second derivative, which goes on linearly to a knot.
  const auto curvature = [&](double t) {
    return (value(*cubic, t + e) - 2 * value(*cubic, t) + value(*cubic, t - e)) / (e * e);
  };
  const auto before = [&](double t) { return 2 * curvature(t - e) - curvature(t - 2 * e); };
  const auto behind = [&](double t) { return 2 * curvature(t + e) - curvature(t + 2 * e); };
  for (const double t : {1.0, 3.0}) EXPECT_NEAR(before(t), behind(t), 1e-9);
  for (const double t : {1.0, 3.0})
    EXPECT_NEAR((value(*cubic, t) - value(*cubic, t - 1e-6)) / 1e-6,
                (value(*cubic, t + 1e-6) - value(*cubic, t)) / 1e-6, 1e-5);
  EXPECT_NEAR(behind(0), 0, 1e-9);
  EXPECT_NEAR(before(4.5), 0, 1e-9);
  EXPECT_GT(std::abs(curvature(1)), 1);  // it is no line
}

// What a parser says is told to its end, up to 400 characters; values are shown by their beginning.
TEST(ModelFile, SentencesOfParsersAreWhole) {
  const std::string key(150, 'k');
  const std::string twice = refusal(key + " = 1\n" + key + " = 2\n");
  EXPECT_NE(twice.find(key), std::string::npos) << twice;
  const std::string bad = refusal("{\"" + key + "\": nul}", "m.json");
  EXPECT_NE(bad.find("invalid literal; last read: '\"" + key + "\": nul}'"), std::string::npos)
      << bad;
  EXPECT_LT(refusal(std::string(5000, 'k') + " = 1\n" + std::string(5000, 'k') + " = 2\n").size(),
            500U);
}

TEST_F(Folder, ALogIsNoModel) {
  const std::string log("\x89PLOG\r\n\x1a and so on", 18);
  for (const char *const name : {"a.log", "a.json"})
    EXPECT_EQ(refused(write(name, log)),
              std::string(name) + ": found a log; perp plot, view, export and info read it");
}

// What needs a name whose definition is refused says nothing more.
TEST_F(Folder, ANameThatFailedIsRefusedOnce) {
  const std::string use =
      "[systems.s]\nkind = \"lagrangian\"\nn = 1\nM = [\"1 + A\"]\ninternal = [\"A*q[0]\"]\n"
      "q0 = [\"2*A\"]\n[systems.r]\nkind = \"lagrangian_linear\"\nM = [\"A\"]\n[interactions.c]\n"
      "systems = \"s\"\nlaw = { kind = \"newton_impact\", e = \"A\" }\n"
      "relation = { kind = \"lagrangian_scleronomous\", h = [\"q[0] - A\"] }\n"
      "[simulation]\nh = \"A\"\nuntil = 1\n";
  const auto with = [&use](const std::string &name) {
    std::string text = use;
    for (std::size_t at; (at = text.find('A')) != std::string::npos;) text.replace(at, 1, name);
    return text;
  };
  EXPECT_EQ(refusal("[parameters]\na = 0.5\n" + with("a")), "");
  EXPECT_EQ(refusal("[parameters]\na = \"b\"\nb = \"2*a\"\n" + with("(a + b)")),
            "m.toml:2:5: found parameters that need one another: `a` -> `b` -> `a`");
  EXPECT_EQ(refusal("[parameters]\na = \"1 +\"\nb = \"2*a\"\n" + with("(a + b)")),
            "m.toml:2:9: found the end, allowed: a number, a name, a function, a sign or `(`");
  EXPECT_EQ(refusal("[parameters]\na = \"1/0\"\n" + with("a")),
            "m.toml:2:5: found parameter `a` = inf, expected a finite number");
  write("road.csv", "t,y\n0,1\n1,a\n");
  EXPECT_EQ(refused(write("m.toml", "[tables.road]\nfile = \"road.csv\"\n" + with("road(0.5)"))),
            "road.csv:3: found `a`, expected a number");
  EXPECT_EQ(refused(write("m.toml", "[tables.road]\nfile = \"none.csv\"\n" + with("road(0.5)"))),
            "m.toml:2:8: found `none.csv`, and there is no such file");
  // What has nothing to do with it is still told.
  EXPECT_EQ(refused(write("m.toml",
                          "[tables.road]\nfile = \"road.csv\"\n[systems.s]\nkind = "
                          "\"lagrangian_linear\"\nM = [\"road(0)\"]\nf = [\"a\"]\n"
                          "[simulation]\nh = 0.1\nuntil = 1\n")),
            "road.csv:3: found `a`, expected a number\n"
            "m.toml:6:7: found `a`, not a name here; allowed: `road`, `i`, `pi`");
}

TEST_F(Folder, TablesAreRefusedBySentences) {
  const auto refused_with = [this](const std::string &csv, const std::string &table = "") {
    write("road.csv", csv);
    return refused(write("m.toml", "[tables.road]\nfile = \"road.csv\"\n" + table +
                                       "[systems.s]\nkind = \"lagrangian_linear\"\nM = [1]\n"
                                       "[simulation]\nh = 0.1\nuntil = 1\n"));
  };
  const std::string good = "t,y\n0,1\n1,2\n";
  EXPECT_EQ(refused_with(good), "");
  EXPECT_EQ(refused_with("0,1\n1,2\n", "x = \"0\"\n"), "");
  EXPECT_EQ(refused_with("t,y\n0,1\n0,2\n"),
            "road.csv:3: found an x that is not more than the one before");
  EXPECT_EQ(refused_with("t,y\n0,1\n1,nan\n"), "road.csv:3: found what is not a finite number");
  EXPECT_EQ(refused_with("t,y\n0,1\n1\n"), "road.csv:3: found 1 cells, expected 2");
  EXPECT_EQ(refused_with("t,y\n0,1\n1,a2\n"), "road.csv:3: found `a2`, expected a number");
  EXPECT_EQ(refused_with("t,y\n0,1\n"),
            "m.toml:2:8: found 1 rows of 2 columns, expected at least 2 of 2");
  EXPECT_EQ(refused_with(""), "m.toml:2:8: found 0 rows of 0 columns, expected at least 2 of 2");
  // One separator in a file.
  for (const char *const file :
       {"\xEF\xBB\xBF\"t\",\"y\"\r\n0,1\r\n1,2\r\n", "t\ty\n0\t1\n1\t 2\n", " t   y\n0 1 \n 1  2\n",
        "\"t\";\"y\"\n\"0\"; 1\n1;\"2\"\n", "\"t\", \"a; b, c\", y\n0, 1, 1\n1, 2, 2\n"})
    EXPECT_EQ(refused_with(file, "x = \"t\"\ny = \"y\"\n"), "") << file;
  EXPECT_EQ(refused_with("t;y\n0,5;1\n1,5;2\n"), "road.csv:2: found `0,5`, expected a number");
  EXPECT_EQ(refused_with("t,y\n0,5;1,2\n"), "road.csv:2: found 3 cells, expected 2");
  EXPECT_EQ(refused_with("# m\n0,5;1,2\n1,5;2,2\n"),
            "road.csv:2: found both `,` and `;`, expected one separator");
  EXPECT_EQ(refused_with("t\ty\n0,1\n"), "road.csv:2: found 1 cells, expected 2");
  EXPECT_EQ(refused_with("0,1O\n1,2\n"),
            "road.csv:1: found `1O` beside numbers, expected names or numbers only");
  EXPECT_EQ(refused_with("t,y,t\n0,1,2\n1,2,3\n"), "road.csv:1: found two columns `t`");
  EXPECT_EQ(refused_with("\"t,y\n0,1\n1,2\n"), "road.csv:1: found a quote that does not end");
  for (const char *const number : {"1e-400", "1e400", "-1e999"})
    EXPECT_EQ(
        refused_with(good + "2," + number + "\n"),
        std::string("road.csv:4: found `") + number + "`, which is out of the range of doubles");
  EXPECT_EQ(refused_with(good + "2,4.9e-324\n"), "");
  EXPECT_EQ(refused_with(good, "y = \"Y\"\n"),
            "m.toml:3:5: found `Y`, not a column of the file; did you mean `y`?");
  EXPECT_NE(refused_with(good, "[tables.sin]\nfile = \"road.csv\"\n")
                .find("found table `sin`, which means something else"),
            std::string::npos);
  EXPECT_EQ(refused_with(good, "[tables.a]\nfile = \"../road.csv\"\n"),
            "m.toml:4:8: found `../road.csv`, which is not below the folder of the model");
  EXPECT_EQ(refused_with(good, "[tables.a]\nfile = \"none.csv\"\n"),
            "m.toml:4:8: found `none.csv`, and there is no such file");
  EXPECT_NE(refusal("[tables.a]\nfile = \"road.csv\"\n").find("a text without a folder"),
            std::string::npos);
}

}  // namespace
