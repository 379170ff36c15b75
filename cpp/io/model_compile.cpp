// SPDX-License-Identifier: MIT
// The expressions of a model as C: one file of functions of the C types of their fields, which is a
// plug-in, too.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "io/model.hpp"
#include "perp/plugin.h"

namespace perp::io {

namespace {

const char *const head = R"c(
 * Doubles have the bits of the run where nothing is contracted and functions are those of libm:
 *
 *     cc -std=c99 -O2 -ffp-contract=off -shared -fPIC THIS.c -o THIS.so -lm
 *
 * In a program, set the fields of the descriptions to them, and user to NULL or a double: i. In a
 * model file, name them as "plugin:THIS.so:NAME", derivatives as keys of their own beside. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
)c";

const char *const by_increments = R"c(
/* out (rows x 6 a body) := J (rows x 7 a body) by the increment d of q at d = 0: Q * (0, d_r)/2. */
static void by_increments(const double *J, int rows, int bodies, const double *q, double *out) {
  for (int b = 0; b < bodies; b++, q += 7, J += rows * 7, out += rows * 6) {
    const double *const Q = q + 3;
    const double T[3][4] = {{-Q[1] / 2, Q[0] / 2, Q[3] / 2, -Q[2] / 2},
                            {-Q[2] / 2, -Q[3] / 2, Q[0] / 2, Q[1] / 2},
                            {-Q[3] / 2, Q[2] / 2, -Q[1] / 2, Q[0] / 2}};
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int j = 0; j < 4; j++) sum += J[i + rows * (3 + j)] * T[k][j];
        out[i + rows * k] = J[i + rows * k];
        out[i + rows * (3 + k)] = sum;
      }
  }
}
)c";

// Type of C, and the parameters of a function.
struct c_type {
  const char *name, *parameters;
};
c_type type_of(signature called, bool jacobian) {
  switch (called) {
    case signature::time:
      return {"perp_time_fn", "double t, double *out, void *user"};
    case signature::state:
      return {
          "perp_state_fn",
          "double t, const double *q, const double *v, const double *z, double *out, void *user"};
    case signature::velocity:
      return {
          "perp_velocity_fn",
          "double t, const double *q, const double *v, const double *z, double *out, void *user"};
    case signature::state_x:
      return {
          "perp_state_fn",
          "double t, const double *q, const double *x, const double *z, double *out, void *user"};
    case signature::first_order:
      return {"perp_first_order_fn",
              "double t, const double *x, const double *z, double *out, void *user"};
    case signature::relation:
      return {"perp_relation_fn",
              "double t, const double *x, const double *lambda, const double *z, double *out, "
              "void *user"};
    case signature::gap:
      return {"perp_gap_fn",
              "double t, const double *q, const double *lambda, const double *z, double *out, "
              "void *user"};
    case signature::body:
      if (!jacobian)
        return {"perp_body_fn",
                "double t, const double *q, const double *v, double *out, void *user"};
      return {"perp_body_jacobian_fn",
              "double t, const double *q, const double *v, double *by_d, double *by_v, void *user"};
    case signature::law_project:
      return {"perp_law_ops",
              "const perp_law *law, const void *state, const double *x, double *out"};
    case signature::law_shift:
      return {"perp_law_ops",
              "const perp_law *law, const void *state, const double *y, double *out"};
    case signature::law_restitute:
    case signature::law_preload:
      return {"perp_law_ops",
              "const perp_law *law, const void *state, const perp_law_step *step, double *out"};
    case signature::law_compliance:
      return {"perp_law_ops", "const perp_law *law, double h, double *out"};
    case signature::law_acts:
      return {"perp_law_ops", "const perp_law *law, const void *state"};
    case signature::law_commit:
      return {"perp_law_ops", "const perp_law *law, void *state, const perp_law_step *step"};
    case signature::find:
    case signature::none:
      break;
  }
  return {"", ""};
}

// A name of C; different ones for different texts.
std::string identifier(const std::string &text, std::set<std::string> *taken) {
  std::string name;
  for (const char c : text)
    name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(0, "n");
  std::string tried = name;
  for (int k = 2; !taken->insert(tried).second; k++) tried = name + "_" + std::to_string(k);
  return tried;
}

// The same of a function of a law.
std::string input_of_law(std::int32_t index, const input_layout &at, signature called) {
  const auto entry = [index](const char *array, std::int32_t first) {
    return std::string(array) + "[" + std::to_string(index - first) + "]";
  };
  if (index == 0) return "step->t";
  if (index == at.index()) return "((const perp_plugin_law *)(const void *)law)->index";
  if (index == at.h()) return called == signature::law_compliance ? "h" : "step->h";
  if (index >= at.s()) return entry("((const double *)state)", at.s());
  if (index >= at.ydot()) return entry("step->ydot", at.ydot());
  if (index >= at.y()) return entry(called == signature::law_shift ? "y" : "step->y", at.y());
  if (index >= at.z()) return entry("((const perp_plugin_law *)(const void *)law)->z", at.z());
  return index >= at.lambda() ? entry("step->lambda", at.lambda()) : entry("x", at.x());
}

// Which input the program reads, as C has it.
std::string input_of(std::int32_t index, const input_layout &at, signature called) {
  if (at.n_y > 0) return input_of_law(index, at, called);
  const struct {
    const char *name;
    std::int32_t first, count;
  } arrays[] = {{"q", at.q(), at.n_q},
                {"v", at.v(), at.n_v},
                {"x", at.x(), at.n_x},
                {"lambda", at.lambda(), at.n_lambda},
                {"z", at.z(), at.n_z}};
  for (const auto &each : arrays)
    if (index >= each.first && index < each.first + each.count)
      return std::string(each.name) + "[" + std::to_string(index - each.first) + "]";
  return index == 0 ? "t" : "user == NULL ? 0 : *(const double *)user";
}

class writer {
 public:
  explicit writer(const loaded_model &m) : m_(m), at_(m.values.made()) {
    for (const char *group : {"systems", "relations", "laws", "interactions"}) {
      const model_node *const all = m.tree.find(group);
      if (all == nullptr) continue;
      for (const model_node::member &each : all->members) {
        where_[&each.node] = {group, each.name};
        if (const model_node *const control = each.node.find("control"))
          where_[control] = {group, each.name + ".control"};
        if (const model_node *const relation = each.node.find("relation"))
          where_[relation] = {group, each.name};
        if (const model_node *const law = each.node.find("law"))
          where_[law] = {group, each.name + ".law"};
      }
    }
  }

  std::string all() {
    std::string name = m_.name;
    std::replace(name.begin(), name.end(), '*', '_');  // nothing ends the comment
    text_ =
        "/* The expressions of " + name + ", by perp compile " + perp_version_string() + "." + head;
    const bool increments =
        std::any_of(at_.begin(), at_.end(), [](const model_values::made_function &f) {
          return f.programs->slots[f.slot].by_increments;
        });
    if (increments) text_ += by_increments;
    if (std::any_of(at_.begin(), at_.end(), is_of_law)) text_ += "\n#include \"perp/plugin.h\"\n";
    for (const model_values::made_function &f : at_) one(f);
    const bool hooks = std::any_of(m_.hooks.begin(), m_.hooks.end(), [](const auto &each) {
      return each->value != nullptr || each->reset != nullptr || each->stop;
    });
    if (hooks)
      text_ +=
          "\n/* Guards and schedules, for programs: a plug-in needs neither them nor the header. "
          "Between steps of [simulation]\n * a reset is called with a copy of the states, and what "
          "it "
          "makes of them set by\n * perp_simulation_set_state(). */\n"
          "#ifdef __has_include\n#if __has_include(<perp/event_driven.h>)\n"
          "#include <perp/event_driven.h>\n";
    for (const auto &each : m_.hooks) hook(*each);
    if (hooks) text_ += "#endif\n#endif\n";
    text_ += "\nint32_t perp_plugin_version(void) { return " + std::to_string(PERP_PLUGIN_VERSION) +
             "; }\n"
             "size_t perp_plugin_save(void *bytes, size_t room) { return (void)bytes, (void)room, "
             "(size_t)0; }\n"
             "int32_t perp_plugin_restore(const void *bytes, size_t n_bytes) {\n"
             "  return (void)bytes, n_bytes == 0 ? 0 : -1;\n}\n";
    return text_;
  }

 private:
  static bool is_of_law(const model_values::made_function &f) { return f.programs->layout.n_y > 0; }

  // The program of a slot as a static function.
  void emit(const model_slot &s, const std::string &name) {
    std::string code(
        perp_expression_emit(s.program.get(), name.c_str(), s.seeds > 0, nullptr, 0) + 1, '\0');
    (void)perp_expression_emit(s.program.get(), name.c_str(), s.seeds > 0, code.data(),
                               code.size());
    code.pop_back();
    text_ += code;
  }

  // A call of it, which writes to an array of C.
  void call(const model_slot &s, const input_layout &at, signature called, const std::string &name,
            const std::string &out) {
    const std::string texts = std::to_string(s.texts);
    text_ += "  {\n    double in[" + std::to_string(at.all()) + "] = {0};\n";
    for (std::int32_t k = 0; k < at.all(); k++)
      if (perp_expression_reads(s.program.get(), k) != 0)
        text_ += "    in[" + std::to_string(k) + "] = " + input_of(k, at, called) + ";\n";
    if (s.seeds == 0) {
      text_ += "    " + name + "(in, " + out + ");\n";
    } else {
      text_ += "    double y[" + texts + "];\n";
      if (s.by_increments) text_ += "    double J[" + std::to_string(s.texts * s.seeds) + "];\n";
      text_ += "    " + name + "(in, y, " + (s.by_increments ? "J" : out) + ");\n";
      if (s.by_increments)
        text_ += "    by_increments(J, " + texts + ", " + std::to_string(at.bodies) + ", q, " +
                 out + ");\n";
    }
    text_ += "  }\n";
  }

  void one(const model_values::made_function &f) {
    const auto &[group, name] = where_[f.table];
    const std::string field = f.by == nullptr ? f.of->field : f.by->field;
    const std::string called = identifier(name + "_" + field, &taken_);
    const bool jacobian = f.called == signature::body && f.by != nullptr;
    const c_type type = type_of(f.called, jacobian);
    const model_slot &s = f.programs->slots[f.slot];
    const input_layout &at = f.programs->layout;
    text_ += "\n";
    emit(s, called + "_1");
    if (jacobian) emit(f.programs->slots[f.slot + 1], called + "_2");
    text_ += "/* " + std::string(type.name) + ": " + field + " of " + group + "." + name + " */\n";
    if (is_of_law(f)) return of_law(f, called, type.parameters);
    text_ += "int32_t " + called + "(" + type.parameters + ");\n";
    text_ += "int32_t " + called + "(" + type.parameters + ") {\n";
    call(s, at, f.called, called + "_1", jacobian ? "by_d" : "out");
    if (jacobian) call(f.programs->slots[f.slot + 1], at, f.called, called + "_2", "by_v");
    text_ += "  (void)t;\n";
    for (const char *unused : {"q", "v", "x", "lambda", "z", "user"})
      if (std::strstr(type.parameters, ("*" + std::string(unused)).c_str()) != nullptr)
        text_ += std::string("  (void)") + unused + ";\n";
    text_ += "  return 0;\n}\n";
  }

  // An entry of the state of a guard, by its place among q, v and x.
  static std::string state(const model_hook &h, std::size_t place) {
    const char *name = "q";
    if (place >= h.n_q) name = "v", place -= h.n_q;
    if (name[0] == 'v' && place >= h.n_v) name = "x", place -= h.n_v;
    return std::string("at->") + name + "[" + std::to_string(place) + "]";
  }

  // A function of the state at an event; out: what gets the values.
  void begin_hook(const model_hook &h, const perp_expression *program, const std::string &called,
                  const char *type, const char *parameters, const char *what) {
    text_ += "\n";
    if (program != nullptr) {
      std::string code(perp_expression_emit(program, (called + "_1").c_str(), 0, nullptr, 0) + 1,
                       '\0');
      (void)perp_expression_emit(program, (called + "_1").c_str(), 0, code.data(), code.size());
      code.pop_back();
      text_ += code;
    }
    text_ += std::string("/* ") + type + ": " + what + " of " +
             (h.guard ? "guards." : "schedules.") + h.name + " */\n";
    const std::string line = "int32_t " + called + "(" + parameters + ")";
    text_ += line + ";\n" + line + " {\n";
    if (program == nullptr) return;
    const std::size_t n = h.n_q + h.n_v + h.n_x;
    text_ += "  double in[" + std::to_string(n + 1) + "] = {0};\n";
    if (perp_expression_reads(program, 0) != 0) text_ += "  in[0] = at->t;\n";
    for (std::size_t k = 0; k < n; k++)
      if (perp_expression_reads(program, static_cast<std::int32_t>(k + 1)) != 0)
        text_ += "  in[" + std::to_string(k + 1) + "] = " + state(h, k) + ";\n";
  }

  void hook(const model_hook &h) {
    if (h.value != nullptr) {
      const std::string called = identifier(h.name + "_value", &taken_);
      begin_hook(h, h.value.get(), called, "perp_guard_fn",
                 "const perp_event_state *at, double *g, void *user", "value");
      text_ += "  " + called + "_1(in, g);\n  (void)at;\n  (void)user;\n  return 0;\n}\n";
    }
    if (h.reset == nullptr && !h.stop) return;
    const std::string called = identifier(h.name + "_reset", &taken_);
    begin_hook(h, h.reset.get(), called, "perp_reset_fn", "perp_event_state *at, void *user",
               "reset");
    if (h.reset != nullptr)
      text_ += "  double y[" + std::to_string(h.places.size()) + "];\n  " + called + "_1(in, y);\n";
    for (std::size_t k = 0; k < h.places.size(); k++)
      text_ += "  " + state(h, h.places[k]) + " = y[" + std::to_string(k) + "];\n";
    text_ += std::string("  (void)at;\n  (void)user;\n  return ") + (h.stop ? "1" : "0") + ";\n}\n";
  }

  void of_law(const model_values::made_function &f, const std::string &called,
              const std::string &parameters) {
    const bool answers = f.called == signature::law_restitute || f.called == signature::law_acts;
    const bool adds = f.called == signature::law_restitute;
    const bool apart = adds || f.called == signature::law_acts || f.called == signature::law_commit;
    const model_slot &s = f.programs->slots[f.slot];
    const std::string texts = std::to_string(s.texts);
    const std::string line = (answers ? "int32_t " : "void ") + called + "(" + parameters + ")";
    text_ += line + ";\n" + line + " {\n";
    if (apart) text_ += "  double to[" + texts + "];\n";
    call(s, f.programs->layout, f.called, called + "_1", apart ? "to" : "out");
    for (const char *unused : {"law", "state", "x", "y", "step"})
      if (parameters.find("*" + std::string(unused)) != std::string::npos)
        text_ += std::string("  (void)") + unused + ";\n";
    if (f.called == signature::law_compliance) text_ += "  (void)h;\n";
    if (adds) text_ += "  for (int i = 0; i < " + texts + "; i++) out[i] += to[i];\n  return 0;\n";
    if (f.called == signature::law_acts) text_ += "  return to[0] != 0;\n";
    if (f.called == signature::law_commit)
      text_ += "  for (int i = 0; i < " + texts + "; i++) ((double *)state)[i] = to[i];\n";
    text_ += "}\n";
  }

  const loaded_model &m_;
  const std::vector<model_values::made_function> &at_;
  std::map<const model_node *, std::pair<std::string, std::string>> where_;
  std::set<std::string> taken_;
  std::string text_;
};

}  // namespace

std::string compiled_model(const loaded_model &m) { return writer(m).all(); }

}  // namespace perp::io
