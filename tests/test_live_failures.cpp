// SPDX-License-Identifier: MIT
// What goes wrong in a step of a nonlinear model: every callback fails, asks for a smaller step, or
// writes what is not a number, in turn. The step says so, names it, and leaves the state.
#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "body_world.hpp"
#include "model_tools.hpp"

namespace {

using tools::at;
using tools::body_world;
using tools::run;
using tools::vec;
using tools::world;

enum wrong { NOTHING, FAILS, ASKS, WRITES_NAN, WRITES_INFINITY };

// Which callback goes wrong, how, and for how many calls (-1: always).
struct fault {
  std::string name;
  wrong kind = NOTHING;
  int calls = -1;
  int hits = 0;
  int skip = 0;  // calls before
} g_fault;

std::int32_t outcome(const char *name, double *out, std::size_t n) {
  if (g_fault.kind == NOTHING || g_fault.name != name || g_fault.calls == 0) return 0;
  if (g_fault.skip > 0) return g_fault.skip--, 0;
  if (g_fault.calls > 0) g_fault.calls--;
  g_fault.hits++;
  switch (g_fault.kind) {
    case FAILS:
      return -7;
    case ASKS:
      return 3;
    case WRITES_NAN:
      out[n - 1] = std::numeric_limits<double>::quiet_NaN();
      return 0;
    default:
      out[n - 1] = HUGE_VAL;
      return 0;
  }
}

struct disarmed {
  disarmed() { g_fault = {}; }
  ~disarmed() { g_fault = {}; }
};

// ------------------------------------------------------------------------- second order ----

std::int32_t mass(double, const double *q, const double *, const double *, double *M, void *) {
  M[0] = 2 + q[1] * q[1];
  M[1] = M[2] = 0.3 * q[1];
  M[3] = 1;
  return outcome("mass", M, 4);
}
std::int32_t gyroscopic(double, const double *q, const double *v, const double *, double *N,
                        void *) {
  N[0] = 2 * q[1] * v[0] * v[1] + 0.3 * v[1] * v[1];
  N[1] = -q[1] * v[0] * v[0];
  return outcome("gyroscopic", N, 2);
}
std::int32_t gyroscopic_dq(double, const double *, const double *v, const double *, double *out,
                           void *) {
  out[2] = 2 * v[0] * v[1];
  out[3] = -v[0] * v[0];
  return outcome("gyroscopic_dq", out, 4);
}
std::int32_t gyroscopic_dv(double, const double *q, const double *v, const double *, double *out,
                           void *) {
  out[0] = 2 * q[1] * v[1];
  out[1] = -2 * q[1] * v[0];
  out[2] = 2 * q[1] * v[0] + 0.6 * v[1];
  return outcome("gyroscopic_dv", out, 4);
}
std::int32_t internal(double, const double *q, const double *v, const double *, double *F, void *) {
  F[0] = 0.1 * v[0];
  F[1] = 20 * q[1] + 0.05 * v[1];
  return outcome("internal", F, 2);
}
std::int32_t internal_dq(double, const double *, const double *, const double *, double *out,
                         void *) {
  out[3] = 20;
  return outcome("internal_dq", out, 4);
}
std::int32_t internal_dv(double, const double *, const double *, const double *, double *out,
                         void *) {
  out[0] = 0.1;
  out[3] = 0.05;
  return outcome("internal_dv", out, 4);
}
std::int32_t external(double t, const double *, const double *, const double *, double *F, void *) {
  F[0] = -19.62;
  F[1] = t;
  return outcome("external", F, 2);
}
std::int32_t effect(double, const double *q, const double *, const double *, double *T, void *) {
  T[0] = 0.1 * q[1];
  T[1] = 1;
  return outcome("effect", T, 2);
}
std::int32_t control(double, const double *q, const double *, const double *, double *u, void *) {
  u[0] = -2 * q[1];
  return outcome("u", u, 1);
}
std::int32_t control_dq(double, const double *, const double *, const double *, double *out,
                        void *) {
  out[1] = -2;
  return outcome("u_dq", out, 2);
}
std::int32_t control_dv(double, const double *, const double *, const double *, double *out,
                        void *) {
  return outcome("u_dv", out, 2);
}
std::int32_t gap(double t, const double *q, const double *lambda, const double *, double *y,
                 void *) {
  y[0] = q[0] + 0.1 * q[1] * q[1] - 0.01 * t + (lambda != nullptr ? 1e-6 * lambda[0] : 0);
  return outcome("h", y, 1);
}
std::int32_t gap_dq(double, const double *q, const double *, const double *, double *H, void *) {
  H[0] = 1;
  H[1] = 0.2 * q[1];
  return outcome("H", H, 2);
}
std::int32_t gap_dt(double, const double *, const double *, const double *, double *out, void *) {
  out[0] = -0.01;
  return outcome("h_dt", out, 1);
}
std::int32_t gap_dlambda(double, const double *, const double *, const double *, double *out,
                         void *) {
  out[0] = 1e-6;
  return outcome("D", out, 1);
}
std::int32_t tangent(double, const double *q, const double *, const double *, double *T, void *) {
  T[0] = -0.2 * q[1];
  T[1] = 1;
  return outcome("T", T, 2);
}
std::int32_t belt(double t, const double *, const double *, const double *, double *s, void *) {
  s[0] = -0.1 * t;
  return outcome("s", s, 1);
}
std::int32_t skate(double, const double *q, const double *v, const double *, double *g, void *) {
  g[0] = v[0] - q[1] * v[1];
  return outcome("g", g, 1);
}
std::int32_t skate_dv(double, const double *q, const double *, const double *, double *H, void *) {
  H[0] = 1;
  H[1] = -q[1];
  return outcome("H", H, 2);
}

struct scene {
  body_world w;
  perp_lagrangian arm{};
  perp_lagrangian_relation smooth{};
  perp_lagrangian_contact_relation rough{};
  perp_lagrangian_velocity_relation blade{};
  perp_first_order oscillator{};
  perp_first_order_relation coupling{};
  perp_prescribed_velocity motor{};
  perp_sphere_plane ground{0.5, {0, 0, 1}, 0};
  std::vector<std::string> callbacks;

  scene() {
    w.options.h = 1e-3;
    w.options.solver = perp_solver_nsgs();
  }
};

void add_arm(scene &s) {
  perp_lagrangian_init(&s.arm, sizeof s.arm, 2);
  s.arm.mass = mass;
  s.arm.gyroscopic = gyroscopic;
  s.arm.gyroscopic_dq = gyroscopic_dq;
  s.arm.gyroscopic_dv = gyroscopic_dv;
  s.arm.internal = internal;
  s.arm.internal_dq = internal_dq;
  s.arm.internal_dv = internal_dv;
  s.arm.external = external;
  s.arm.control = {1, 0, nullptr, effect, control, control_dq, control_dv, nullptr};
  s.w.add(s.arm.system);
  s.w.q0 = {0, 0.2};
  s.w.v0 = {0, 0.5};
  s.callbacks = {"mass",     "gyroscopic",  "gyroscopic_dq", "gyroscopic_dv",
                 "internal", "internal_dq", "internal_dv",   "external",
                 "effect",   "u",           "u_dq",          "u_dv"};
}

void add_callbacks(scene &s, const std::vector<std::string> &more) {
  s.callbacks.insert(s.callbacks.end(), more.begin(), more.end());
}

void on_a_smooth_floor(scene &s) {
  add_arm(s);
  perp_lagrangian_rheonomous_init(&s.smooth, sizeof s.smooth, 1, 2);
  s.smooth.h = gap;
  s.smooth.H = gap_dq;
  s.smooth.h_dt = gap_dt;
  s.w.join(s.smooth.relation, s.w.impact(0.1), {0});
  add_callbacks(s, {"h", "H", "h_dt"});
}
void on_a_soft_floor(scene &s) {
  add_arm(s);
  perp_lagrangian_compliant_init(&s.smooth, sizeof s.smooth, 1, 2);
  s.smooth.h = gap;
  s.smooth.H = gap_dq;
  s.smooth.D = gap_dlambda;
  s.w.join(s.smooth.relation, s.w.complementarity(), {0});
  add_callbacks(s, {"h", "H", "D"});
}
void on_a_rough_floor(scene &s) {
  add_arm(s);
  perp_lagrangian_contact_relation_init(&s.rough, sizeof s.rough, 1, 2, 2);
  s.rough.h = gap;
  s.rough.G = gap_dq;
  s.rough.T = tangent;
  s.rough.h_dt = gap_dt;
  s.rough.s = belt;
  s.w.join(s.rough.relation, s.w.friction(2, 0.3), {0});
  add_callbacks(s, {"h", "H", "T", "h_dt", "s"});
}
void on_a_blade(scene &s) {
  add_arm(s);
  perp_lagrangian_velocity_relation_init(&s.blade, sizeof s.blade, 1, 2);
  s.blade.g = skate;
  s.blade.H = skate_dv;
  s.w.join(s.blade.relation, s.w.equality(), {0});
  add_callbacks(s, {"g", "H"});
}
void on_positions(scene &s) {
  on_a_smooth_floor(s);
  s.w.options.integrator = perp_integrator_schatzman_paoli();
}
std::int32_t motor_speed(double t, double *f, void *) {
  f[0] = 0.1 * t;
  return outcome("velocity", f, 1);
}
void with_a_motor(scene &s) {
  static const std::int32_t which[] = {1};
  add_arm(s);
  s.w.v0 = {0, 0};
  perp_prescribed_velocity_init(&s.motor, sizeof s.motor, 1, 2);
  s.motor.index = which;
  s.motor.velocity = motor_speed;
  s.w.join(s.motor.relation, s.w.equality(), {0});
  add_callbacks(s, {"velocity"});
}

// -------------------------------------------------------------------------- first order ----

std::int32_t flow(double, const double *x, const double *, double *f, void *) {
  f[0] = x[1];
  f[1] = -x[0] + 2 * (1 - x[0] * x[0]) * x[1];
  return outcome("f", f, 2);
}
std::int32_t flow_dx(double, const double *x, const double *, double *out, void *) {
  out[1] = -1 - 4 * x[0] * x[1];
  out[2] = 1;
  out[3] = 2 * (1 - x[0] * x[0]);
  return outcome("f_dx", out, 4);
}
std::int32_t output(double, const double *x, const double *l, const double *, double *y, void *) {
  y[0] = x[0] - 0.5 * x[2] + 0.3 * l[0];
  return outcome("h", y, 1);
}
std::int32_t output_dx(double, const double *, const double *, const double *, double *C, void *) {
  C[0] = 1;
  C[2] = -0.5;
  return outcome("C", C, 4);
}
std::int32_t output_dl(double, const double *, const double *, const double *, double *D, void *) {
  D[0] = 0.3;
  return outcome("D", D, 1);
}
std::int32_t reaction(double, const double *x, const double *l, const double *, double *r, void *) {
  r[0] = l[0] - 0.2 * x[2] * x[2];
  r[2] = -0.5 * l[0];
  return outcome("g", r, 4);
}
std::int32_t reaction_dl(double, const double *, const double *, const double *, double *B,
                         void *) {
  B[0] = 1;
  B[2] = -0.5;
  return outcome("B", B, 4);
}
std::int32_t reaction_dx(double, const double *x, const double *, const double *, double *K,
                         void *) {
  K[8] = -0.4 * x[2];
  return outcome("K", K, 16);
}

void in_a_circuit(scene &s) {
  perp_first_order_init(&s.oscillator, sizeof s.oscillator, 2);
  s.oscillator.f = flow;
  s.oscillator.f_dx = flow_dx;
  perp_first_order_relation_init(&s.coupling, sizeof s.coupling, 1, 4);
  s.coupling.h = output;
  s.coupling.g = reaction;
  s.coupling.C = output_dx;
  s.coupling.D = output_dl;
  s.coupling.B = reaction_dl;
  s.coupling.K = reaction_dx;
  s.w.add(s.oscillator.system);
  s.w.add(s.oscillator.system);
  s.w.join(s.coupling.relation, s.w.complementarity(), {0, 1});
  s.w.x0 = {-1, 0, 0.3, 0.5};
  s.w.options.integrator = perp_integrator_theta();
  s.w.options.solver = perp_solver_lemke();
  s.callbacks = {"f", "f_dx", "h", "g", "C", "D", "B", "K"};
}
void in_a_weighted_circuit(scene &s) {
  in_a_circuit(s);
  s.w.options.integrator = perp_integrator_theta_gamma();
  s.w.options.reaction_gamma = 0.6;
}
void in_a_circuit_at_its_middle(scene &s) {
  in_a_circuit(s);
  s.w.options.integrator = perp_integrator_theta_gamma_full();
  s.w.options.reaction_gamma = 0.5;
}

// ------------------------------------------------------------------------------- bodies ----

std::int32_t push(double, const double *, const double *v, double *F, void *) {
  for (int i = 0; i < 3; i++) F[i] = -0.1 * v[i];
  return outcome("force", F, 3);
}
std::int32_t push_jacobian(double, const double *, const double *, double *by_d, double *by_v,
                           void *) {
  for (int i = 0; i < 3; i++) by_v[4 * i] = -0.1;
  const std::int32_t code = outcome("force_jacobian by d", by_d, 18);
  return code != 0 ? code : outcome("force_jacobian by v", by_v, 18);
}
std::int32_t twist(double, const double *q, const double *, double *T, void *) {
  T[0] = 0.01 * q[4];
  return outcome("torque", T, 3);
}
std::int32_t twist_jacobian(double, const double *, const double *, double *by_d, double *by_v,
                            void *) {
  const std::int32_t code = outcome("torque_jacobian by d", by_d, 18);
  return code != 0 ? code : outcome("torque_jacobian by v", by_v, 18);
}
std::int32_t locate(double t, const double *q, perp_contact_place *place, void *user) {
  const std::int32_t code = perp_locate_sphere_plane(t, q, place, user);
  if (code != 0) return code;
  std::int32_t answer = outcome("gap", &place->gap, 1);
  if (answer == 0) answer = outcome("normal", place->normal, 3);
  if (answer == 0) answer = outcome("tangent", place->tangent, 3);
  if (answer == 0) answer = outcome("a", place->a, 3);
  if (answer == 0) answer = outcome("ground velocity", place->velocity, 3);
  return answer;
}
std::int32_t drive(double t, double *f, void *) {
  f[0] = 0.2 * t;
  return outcome("rate", f, 1);
}
void with_bodies(scene &s) {
  perp_body &a = s.w.add_body(2, {0.1, 0.2, 0.25}, 9.81, {0, 0, 0.5, 1, 0, 0, 0});
  a.force = push;
  a.force_jacobian = push_jacobian;
  a.torque = twist;
  a.torque_jacobian = twist_jacobian;
  s.w.add_body(1, {0.1, 0.1, 0.1}, 0, {1, 0, 0.5, 1, 0, 0, 0});
  s.w.add_contact(3, locate, &s.ground, s.w.friction(3, 0.3), {0});
  const perp_joint &pivot = s.w.add_joint(PERP_JOINT_PIVOT, {0.5, 0, 0.5}, {0, 1, 0}, {0, 1});
  s.w.add_coordinate(pivot, PERP_COORDINATE_ANGLE, PERP_COORDINATE_RATE, s.w.equality(), {0, 1})
      .rate = drive;
  s.w.options.solver = perp_solver_nsgs();
  s.callbacks = {"force",
                 "force_jacobian by d",
                 "force_jacobian by v",
                 "torque",
                 "torque_jacobian by d",
                 "torque_jacobian by v",
                 "gap",
                 "normal",
                 "tangent",
                 "a",
                 "ground velocity",
                 "rate"};
}
void with_projected_bodies(scene &s) {
  with_bodies(s);
  s.w.options.projection = PERP_PROJECT_COMBINED;
}

// -------------------------------------------------------------------------------- tests ----

const std::pair<const char *, std::function<void(scene &)>> kScenes[] = {
    {"smooth", on_a_smooth_floor},
    {"soft", on_a_soft_floor},
    {"rough", on_a_rough_floor},
    {"blade", on_a_blade},
    {"positions", on_positions},
    {"motor", with_a_motor},
    {"circuit", in_a_circuit},
    {"weighted circuit", in_a_weighted_circuit},
    {"middle of a circuit", in_a_circuit_at_its_middle},
    {"bodies", with_bodies},
    {"projected bodies", with_projected_bodies},
};

// The field of a description in which a callback stands.
std::string field_of(const std::string &callback) {
  if (callback.substr(0, 1) == "u" || callback == "effect") return "control." + callback;
  for (const char *part : {"gap", "normal", "tangent", "a", "ground velocity"})
    if (callback == part) return "locate";
  const std::size_t by = callback.find(" by ");
  if (by == std::string::npos) return callback;
  return callback.substr(0, by) + ", by_" + callback.substr(by + 4);
}

// What a step has to answer.
perp_status expected(wrong kind) {
  return kind == FAILS ? PERP_ECALLBACK : kind == ASKS ? PERP_RETRY : PERP_ENOTFINITE;
}

TEST(LiveFailures, EveryCallbackIsNamedAndTheStateStays) {
  const disarmed guard;
  for (const auto &[name, make] : kScenes)
    for (const int policy : {PERP_FAILURE_STOP, PERP_FAILURE_RETRY, PERP_FAILURE_ACCEPT}) {
      scene s;
      make(s);
      s.w.options.on_failure = policy;
      s.w.options.max_halvings = 2;
      run r(s.w), untouched(s.w);
      ASSERT_EQ(r.status, PERP_OK) << name << " " << r.info.field;
      ASSERT_EQ(r.steps(3), PERP_OK) << name << " " << r.info.field;
      ASSERT_EQ(untouched.steps(5), PERP_OK);
      const auto before = r.bytes();
      for (const std::string &callback : s.callbacks)
        for (const wrong kind : {FAILS, ASKS, WRITES_NAN, WRITES_INFINITY}) {
          SCOPED_TRACE(std::string(name) + ", " + callback + " " + std::to_string(kind) +
                       ", policy " + std::to_string(policy));
          g_fault = {callback, kind};
          r.info.field = nullptr;
          EXPECT_EQ(r.step(), expected(kind));
          EXPECT_GT(g_fault.hits, 0) << "not called";
          ASSERT_EQ(r.bytes(), before);
          ASSERT_NE(r.info.field, nullptr);
          if (kind == FAILS || kind == ASKS) {
            EXPECT_EQ(r.info.value, kind == FAILS ? -7 : 3);
          }
          if (kind == WRITES_NAN || kind == WRITES_INFINITY) {
            EXPECT_FALSE(std::isfinite(r.info.value)) << r.info.field;
            const bool slope = callback == "H" && std::string(name) == "rough";
            EXPECT_EQ(r.info.field, slope ? "G" : field_of(callback));
          }
        }
      g_fault = {};
      ASSERT_EQ(r.steps(2), PERP_OK);
      EXPECT_EQ(r.bytes(), untouched.bytes()) << name << ": the failures left a trace";
    }
}

// One that asks once is given a smaller step; one that always does, the smallest and no more.
TEST(LiveFailures, AskingForASmallerStepHalvesIt) {
  const disarmed guard;
  for (const auto &[name, make] : kScenes) {
    scene s;
    make(s);
    s.w.options.on_failure = PERP_FAILURE_RETRY;
    s.w.options.max_halvings = 3;
    run r(s.w);
    ASSERT_EQ(r.steps(3), PERP_OK);
    for (const std::string &callback : s.callbacks) {
      SCOPED_TRACE(std::string(name) + ", " + callback);
      const auto report = r.report();
      const double t = r.time();
      g_fault = {callback, ASKS, 1};
      ASSERT_EQ(r.step(), PERP_OK) << r.info.field;
      EXPECT_EQ(g_fault.hits, 1);
      EXPECT_EQ(r.report().retries, report.retries + 1);
      EXPECT_EQ(static_cast<double>(r.report().steps), static_cast<double>(report.steps) + 2);
      EXPECT_NEAR(r.time(), t + s.w.options.h, 1e-15);
      g_fault = {callback, ASKS};
      const auto before = r.bytes();
      const std::int64_t retries = r.report().retries;
      EXPECT_EQ(r.step(), PERP_RETRY);
      EXPECT_EQ(r.report().retries, retries + 3);
      ASSERT_EQ(r.bytes(), before);
      g_fault = {};
    }
    ASSERT_EQ(r.steps(3), PERP_OK) << name;
  }
}

// At the begin and at a resume: nothing starts, nothing is written into the state.
TEST(LiveFailures, InitNamesACallbackAndWritesNothing) {
  const disarmed guard;
  const std::vector<std::string> at_begin = {"mass", "h", "H", "h_dt", "D",   "T",      "s",
                                             "g",    "C", "B", "K",    "gap", "normal", "rate"};
  for (const auto &[name, make] : kScenes) {
    scene s;
    make(s);
    for (const std::string &callback : s.callbacks)
      for (const wrong kind : {FAILS, ASKS, WRITES_NAN, WRITES_INFINITY}) {
        SCOPED_TRACE(std::string(name) + ", " + callback + " " + std::to_string(kind));
        g_fault = {callback, kind};
        run r(s.w);
        const bool called = g_fault.hits > 0;
        g_fault = {};
        if (std::find(at_begin.begin(), at_begin.end(), callback) != at_begin.end() &&
            callback != "g") {
          EXPECT_TRUE(called);
        }
        EXPECT_EQ(r.status, called ? expected(kind) : PERP_OK);
        EXPECT_EQ(r.sim == nullptr, called);
        if (!called) continue;
        EXPECT_NE(r.info.field, nullptr);
        for (const std::uint64_t x : r.state) ASSERT_EQ(x, UINT64_C(0xA5A5A5A5A5A5A5A5));
      }
  }
}

// ---------------------------------------------------------------- Newton's iteration ----

// v̇ = -c v |v| 50: a Jacobian of the user's that is wrong by a factor.
struct drag {
  perp_lagrangian system{};
  double factor = 1;
  world w;

  explicit drag(double wrong_by = 1) : factor(wrong_by) {
    static const double M[] = {1};
    perp_lagrangian_init(&system, sizeof system, 1);
    system.M = perp_diagonal(1, M);
    system.internal = [](double, const double *, const double *v, const double *, double *F,
                         void *) {
      F[0] = 50 * v[0] * std::fabs(v[0]);
      return 0;
    };
    system.internal_dv = [](double, const double *, const double *v, const double *, double *out,
                            void *user) {
      out[0] = 100 * std::fabs(v[0]) * *static_cast<double *>(user);
      return 0;
    };
    system.user = &factor;
    w.add(system.system);
    w.q0 = {0};
    w.v0 = {3};
    w.options.h = 1e-2;
  }
  // What the step's equation lacks.
  double defect(double v0, double v, double h) const {
    const auto f = [](double x) { return -50 * x * std::fabs(x); };
    return v - v0 - h / 2 * (f(v) + f(v0));
  }
};

TEST(LiveFailures, AWrongJacobianConvergesSlowlyOrIsSaidNotTo) {
  drag exact, low(0.6), high(3);
  double passes[3];
  int i = 0;
  for (drag *d : {&exact, &low, &high}) {
    run r(d->w);
    ASSERT_EQ(r.steps(20), PERP_OK) << d->factor << " " << r.info.value;
    passes[i++] = static_cast<double>(r.report().newton);
    double v = 3;
    run again(d->w);
    for (int k = 0; k < 20; k++) {
      ASSERT_EQ(again.step(), PERP_OK);
      ASSERT_NEAR(d->defect(v, again.v(), 1e-2), 0, 1e-9) << d->factor << " " << k;
      v = again.v();
    }
  }
  EXPECT_LT(passes[0], 5 * 20);
  EXPECT_GT(passes[1], passes[0]);
  EXPECT_GT(passes[2], passes[0]);
}

TEST(LiveFailures, AJacobianOfTheWrongSignIsNeverCalledSolved) {
  drag d(-3);
  d.w.options.h = 2e-2;
  d.w.options.newton_max = 30;
  run r(d.w);
  const auto before = r.bytes();
  const perp_status status = r.step();
  if (status == PERP_OK) {
    EXPECT_NEAR(d.defect(3, r.v(), 2e-2), 0, 1e-8);
  } else {
    EXPECT_EQ(status, PERP_MAX_ITER);
    EXPECT_STREQ(r.info.field, "newton at system");
    EXPECT_GT(r.info.value, d.w.options.newton_tol);
    EXPECT_EQ(r.bytes(), before);
    EXPECT_EQ(r.report().failures, 1);
  }
}

TEST(LiveFailures, TooFewIterationsUnderEachPolicy) {
  for (const int policy : {PERP_FAILURE_STOP, PERP_FAILURE_RETRY, PERP_FAILURE_ACCEPT}) {
    drag d;
    d.w.options.on_failure = policy;
    d.w.options.newton_max = 2;
    d.w.options.newton_tol = 1e-6;
    d.w.options.accept_tol = 1;
    run r(d.w);
    const auto before = r.bytes();
    const perp_status status = r.step();
    const perp_report report = r.report();
    EXPECT_GT(report.failures, 0);
    if (policy == PERP_FAILURE_STOP) {
      EXPECT_EQ(status, PERP_MAX_ITER);
      EXPECT_STREQ(r.info.field, "newton at system");
      EXPECT_GT(r.info.value, 1e-6);
      EXPECT_EQ(r.bytes(), before);
      EXPECT_EQ(report.failures, 1);
      EXPECT_EQ(static_cast<double>(report.steps), 0);
      EXPECT_EQ(static_cast<double>(report.newton), 0) << "of accepted steps only";
    } else if (policy == PERP_FAILURE_RETRY) {
      ASSERT_EQ(status, PERP_OK) << r.info.value;
      EXPECT_GT(report.retries, 0);
      EXPECT_EQ(report.accepted, 0);
      const double parts = static_cast<double>(report.steps);
      EXPECT_EQ(parts, std::ldexp(1, static_cast<int>(report.retries)));
      EXPECT_NEAR(r.time(), d.w.options.h, 1e-16);
      EXPECT_LE(static_cast<double>(report.newton), 2 * parts);
    } else {
      ASSERT_EQ(status, PERP_OK);
      EXPECT_EQ(report.failures, 1);
      EXPECT_EQ(report.accepted, 1);
      EXPECT_EQ(static_cast<double>(report.steps), 1);
      EXPECT_EQ(static_cast<double>(report.newton), 2);
      EXPECT_LT(std::fabs(d.defect(3, r.v(), 1e-2)), 0.3) << "the best there was";
    }
  }
}

TEST(LiveFailures, AnIterateThatIsFarFromASolutionIsNotAccepted) {
  drag d;
  d.w.options.on_failure = PERP_FAILURE_ACCEPT;
  d.w.options.newton_max = 2;
  d.w.options.newton_tol = 1e-6;
  run r(d.w);
  const auto before = r.bytes();
  ASSERT_EQ(r.step(), PERP_MAX_ITER);
  EXPECT_GT(r.info.value, d.w.options.accept_tol);
  EXPECT_EQ(r.bytes(), before);
  EXPECT_EQ(r.report().accepted, 0);
  d.w.options.accept_tol = 1.01 * r.info.value;
  run near(d.w);
  EXPECT_EQ(near.step(), PERP_OK);
  EXPECT_EQ(near.report().accepted, 1);
}

TEST(LiveFailures, AnAcceptedPointThatIsNotFiniteIsNotAccepted) {
  const disarmed guard;
  scene s;
  on_a_smooth_floor(s);
  s.w.options.on_failure = PERP_FAILURE_ACCEPT;
  s.w.options.newton_max = 1;
  s.w.options.newton_tol = 1e-300;
  run r(s.w);
  ASSERT_EQ(r.status, PERP_OK);
  const auto before = r.bytes();
  g_fault = {"internal", WRITES_NAN};
  EXPECT_EQ(r.step(), PERP_ENOTFINITE);
  EXPECT_EQ(r.bytes(), before);
  EXPECT_EQ(r.report().accepted, 0);
  g_fault = {};
  EXPECT_EQ(r.step(), PERP_OK);
  EXPECT_EQ(r.report().accepted, 1);
}

// The last evaluation, of the point to be accepted, fails: nothing was accepted.
TEST(LiveFailures, WhatIsNotTakenIsNotCountedAsAccepted) {
  const disarmed guard;
  int failed = 0;
  for (int skip = 0; skip < 6; skip++) {
    scene s;
    on_a_smooth_floor(s);
    s.w.options.on_failure = PERP_FAILURE_ACCEPT;
    s.w.options.newton_max = 1;
    s.w.options.newton_tol = 1e-300;
    run r(s.w);
    ASSERT_EQ(r.status, PERP_OK);
    g_fault = {"internal", FAILS, -1, 0, skip};
    const perp_status status = r.step();
    g_fault = {};
    EXPECT_EQ(r.report().accepted, status == PERP_OK ? 1 : 0) << skip;
    failed += status != PERP_OK;
  }
  EXPECT_GE(failed, 3);
  EXPECT_LT(failed, 6);
}

// ------------------------------------------------------------------ singular matrices ----

// M is 1 while q > 1, then 0.
TEST(LiveFailures, AMassThatBecomesSingularIsNamedWhenItDoes) {
  perp_lagrangian s;
  perp_lagrangian_init(&s, sizeof s, 1);
  s.mass = [](double, const double *q, const double *, const double *, double *M, void *) {
    M[0] = q[0] > 1 ? 1 : 0;
    return 0;
  };
  for (const int policy : {PERP_FAILURE_STOP, PERP_FAILURE_RETRY, PERP_FAILURE_ACCEPT})
    for (const perp_integrator *scheme :
         {perp_integrator_moreau_jean(), perp_integrator_schatzman_paoli()}) {
      world w;
      w.add(s.system);
      w.q0 = {1.05};
      w.v0 = {-1};
      w.options.h = 1e-2;
      w.options.integrator = scheme;
      w.options.on_failure = policy;
      run r(w);
      ASSERT_EQ(r.status, PERP_OK);
      perp_status status = PERP_OK;
      auto before = r.bytes();
      for (int k = 0; k < 10 && status == PERP_OK; k++) {
        before = r.bytes();
        status = r.step();
      }
      EXPECT_EQ(status, PERP_EINVAL);
      EXPECT_STREQ(r.info.field, "W");
      EXPECT_EQ(r.info.index, 0);
      EXPECT_EQ(r.bytes(), before);
      w.q0 = {0.5};
      run late(w);
      EXPECT_EQ(late.status, PERP_EINVAL);
      EXPECT_STREQ(late.info.field, "M");
      EXPECT_EQ(late.sim, nullptr);
    }
}

// W = M − h²θ² ∂f/∂q = 0 for f = q / (h θ)², at one step length and no other.
TEST(LiveFailures, AStepLengthThatMakesWSingularIsNamed) {
  static const double M[] = {1};
  perp_lagrangian s;
  perp_lagrangian_init(&s, sizeof s, 1);
  s.M = perp_diagonal(1, M);
  s.internal = [](double, const double *q, const double *, const double *, double *F, void *) {
    F[0] = -256 * q[0];
    return 0;
  };
  s.internal_dq = [](double, const double *, const double *, const double *, double *out, void *) {
    out[0] = -256;
    return 0;
  };
  world w;
  w.add(s.system);
  w.q0 = {1};
  w.options.h = 0.125;  // hθ = 1/16
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  const auto before = r.bytes();
  EXPECT_EQ(r.step(), PERP_EINVAL);
  EXPECT_STREQ(r.info.field, "W");
  EXPECT_EQ(r.info.value, 0.125);
  EXPECT_EQ(r.bytes(), before);
  EXPECT_EQ(perp_simulation_advance(r.sim, 0.0625, &r.info), PERP_OK);
}

// -------------------------------------------------------------------- models, options ----

TEST(LiveFailures, AQuaternionThatIsNoneIsNamed) {
  for (const double scale : {2.0, 0.0, 1 + 1e-3}) {
    scene s;
    with_bodies(s);
    for (std::size_t i = 10; i < 14; i++) s.w.q0[i] *= scale;
    run r(s.w);
    EXPECT_EQ(r.status, PERP_EINVAL) << scale;
    EXPECT_STREQ(r.info.field, "q0") << scale;
    EXPECT_EQ(r.sim, nullptr);
  }
  scene s;
  with_bodies(s);
  s.w.q0[5] = std::numeric_limits<double>::quiet_NaN();
  run r(s.w);
  EXPECT_EQ(r.status, PERP_ENOTFINITE);
}

TEST(LiveFailures, OptionsOutOfRangeAreNamed) {
  using options = perp_simulation_options;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    const char *field;
    perp_status status;
    std::function<void(options &)> spoil;
  } cases[] = {
      {"newton_stop", PERP_EINVAL, [](options &o) { o.newton_stop = -1; }},
      {"newton_stop", PERP_EINVAL, [](options &o) { o.newton_stop = 3; }},
      {"newton_start", PERP_EINVAL, [](options &o) { o.newton_start = -1; }},
      {"newton_start", PERP_EINVAL, [](options &o) { o.newton_start = 2; }},
      {"newton_max", PERP_EINVAL, [](options &o) { o.newton_max = 0; }},
      {"newton_max", PERP_EINVAL, [](options &o) { o.newton_max = INT32_MIN; }},
      {"newton_halvings", PERP_EINVAL, [](options &o) { o.newton_halvings = -1; }},
      {"newton_halvings", PERP_EINVAL, [](options &o) { o.newton_halvings = 51; }},
      {"newton_tol", PERP_EINVAL, [](options &o) { o.newton_tol = 0; }},
      {"newton_tol", PERP_EINVAL, [](options &o) { o.newton_tol = -1; }},
      {"newton_tol", PERP_ENOTFINITE, [&](options &o) { o.newton_tol = nan; }},
      {"newton_tol", PERP_ENOTFINITE, [](options &o) { o.newton_tol = HUGE_VAL; }},
      {"reaction_gamma", PERP_EINVAL, [](options &o) { o.reaction_gamma = 1.5; }},
      {"reaction_gamma", PERP_ENOTFINITE, [&](options &o) { o.reaction_gamma = nan; }},
      {"projection", PERP_EINVAL, [](options &o) { o.projection = 3; }},
      {"projection", PERP_EINVAL, [](options &o) { o.projection = -1; }},
      {"projection_max", PERP_EINVAL,
       [](options &o) {
         o.projection = 1;
         o.projection_max = 0;
       }},
      {"projection_tol", PERP_EINVAL,
       [&](options &o) {
         o.projection = 1;
         o.projection_tol = nan;
       }},
      {"projection_tol_unilateral", PERP_EINVAL,
       [](options &o) {
         o.projection = 1;
         o.projection_tol_unilateral = 0;
       }},
      {"gap_tol", PERP_ENOTFINITE, [&](options &o) { o.gap_tol = nan; }},
      {"gap_tol", PERP_EINVAL, [](options &o) { o.gap_tol = -1; }},
      {"switchable", PERP_EINVAL, [](options &o) { o.switchable = 2; }},
      {"theta", PERP_ENOTFINITE, [&](options &o) { o.theta = nan; }},
      {"max_halvings", PERP_EINVAL, [](options &o) { o.max_halvings = 21; }},
      {"on_failure", PERP_EINVAL, [](options &o) { o.on_failure = 3; }},
  };
  for (const auto &c : cases) {
    scene s;
    on_a_smooth_floor(s);
    c.spoil(s.w.options);
    s.w.finish();
    EXPECT_EQ(perp_simulation_work_size(&s.w.model, &s.w.options), 0u) << c.field;
    EXPECT_EQ(perp_simulation_state_size(&s.w.model, &s.w.options), 0u) << c.field;
    run r(s.w);
    EXPECT_EQ(r.status, c.status) << c.field;
    EXPECT_STREQ(r.info.field, c.field);
  }
}

// Every kind of relation with systems it is not for.
TEST(LiveFailures, RelationsOfOtherSystemsAreRefused) {
  struct parts : scene {
    perp_body body{};
    perp_lagrangian six{};
    perp_body_contact touch{};
    perp_joint joint{};
    perp_linear_varying_relation varying{};
  };
  const auto prepare = [](parts &p) {
    perp_body_init(&p.body, sizeof p.body);
    perp_lagrangian_init(&p.arm, sizeof p.arm, 2);
    p.arm.mass = mass;
    perp_lagrangian_init(&p.six, sizeof p.six, 6);
    p.six.mass = mass;
    perp_first_order_init(&p.oscillator, sizeof p.oscillator, 2);
    p.oscillator.f = flow;
  };
  enum system { BODY, ARM, SIX, OSCILLATOR };
  const auto system_of = [](const parts &p, int i) -> const perp_system & {
    return i == BODY  ? p.body.system
           : i == ARM ? p.arm.system
           : i == SIX ? p.six.system
                      : p.oscillator.system;
  };
  enum kind { SMOOTH, SMOOTH_SIX, BLADE, ROUGH, COUPLING, VARYING, TOUCH, JOINT, MOTOR };
  const auto relation_of = [](parts &p, int i) -> const perp_relation & {
    static const std::int32_t first[] = {0};
    switch (i) {
      case SMOOTH:
      case SMOOTH_SIX:
        perp_lagrangian_scleronomous_init(&p.smooth, sizeof p.smooth, 1, i == SMOOTH ? 2 : 6);
        p.smooth.h = gap;
        p.smooth.H = gap_dq;
        return p.smooth.relation;
      case BLADE:
        perp_lagrangian_velocity_relation_init(&p.blade, sizeof p.blade, 1, 2);
        p.blade.g = skate;
        return p.blade.relation;
      case ROUGH:
        perp_lagrangian_contact_relation_init(&p.rough, sizeof p.rough, 1, 2, 2);
        p.rough.h = gap;
        p.rough.T = tangent;
        return p.rough.relation;
      case COUPLING:
        perp_first_order_type1_init(&p.coupling, sizeof p.coupling, 1, 2);
        p.coupling.h = output;
        p.coupling.g = reaction;
        return p.coupling.relation;
      case VARYING:
        perp_linear_varying_relation_init(&p.varying, sizeof p.varying, 1, 2);
        p.varying.C = motor_speed;
        return p.varying.linear.relation;
      case TOUCH:
        perp_body_contact_init(&p.touch, sizeof p.touch, 1, 1);
        p.touch.locate = locate;
        return p.touch.relation;
      case JOINT:
        perp_joint_init(&p.joint, sizeof p.joint, PERP_JOINT_FIXED, 1);
        return p.joint.relation;
      default:
        perp_prescribed_velocity_init(&p.motor, sizeof p.motor, 1, 2);
        p.motor.index = first;
        return p.motor.relation;
    }
  };
  const struct {
    int relation, system;
    perp_status status;
  } cases[] = {
      {SMOOTH, OSCILLATOR, PERP_EINVAL},     {SMOOTH, SIX, PERP_EINVAL},
      {SMOOTH_SIX, BODY, PERP_EUNSUPPORTED}, {SMOOTH_SIX, ARM, PERP_EINVAL},
      {BLADE, OSCILLATOR, PERP_EINVAL},      {BLADE, SIX, PERP_EINVAL},
      {ROUGH, OSCILLATOR, PERP_EINVAL},      {ROUGH, BODY, PERP_EUNSUPPORTED},
      {COUPLING, ARM, PERP_EINVAL},          {COUPLING, BODY, PERP_EINVAL},
      {VARYING, ARM, PERP_EINVAL},           {TOUCH, SIX, PERP_EUNSUPPORTED},
      {TOUCH, ARM, PERP_EUNSUPPORTED},       {TOUCH, OSCILLATOR, PERP_EINVAL},
      {JOINT, SIX, PERP_EUNSUPPORTED},       {JOINT, OSCILLATOR, PERP_EINVAL},
      {MOTOR, OSCILLATOR, PERP_EINVAL},      {MOTOR, SIX, PERP_EINVAL},
  };
  for (const auto &c : cases) {
    parts p;
    prepare(p);
    p.w.add(system_of(p, c.system));
    if (c.system == BODY) p.w.q0 = {0, 0, 0, 1, 0, 0, 0};
    const perp_relation &relation = relation_of(p, c.relation);
    p.w.join(relation, p.w.equality(relation.m), {0});
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_model_check(p.w.finish(), &info), c.status)
        << c.relation << " " << c.system << " " << info.field;
    EXPECT_NE(info.field, nullptr);
    EXPECT_EQ(info.index, 0) << c.relation << " " << c.system << " " << info.field;
  }
}

}  // namespace
