// SPDX-License-Identifier: MIT
// What every simulation keeps, for models that a step evaluates anew and for all schemes: blocks at
// any alignment, nothing written beyond them, checkpoints, simulations that share nothing.
#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "model_tools.hpp"
#include "systems.h"

namespace {

using tools::run;

struct trials {
  trial list[TRIALS];
  trials() { trials_init(list); }
};

class LiveContract : public testing::TestWithParam<int> {
 protected:
  trials all;
  const trial &t = all.list[GetParam()];
  int few() const { return t.steps < 150 ? t.steps : 150; }
};

const auto name_of = [](const testing::TestParamInfo<int> &info) {
  const trials all;
  std::string name = all.list[info.param].name;
  for (char &c : name) c = c == '-' ? '_' : c;
  return name;
};

TEST_P(LiveContract, WorksAtEveryAlignmentAndWritesNothingOutside) {
  run first(*t.model, t.options);
  ASSERT_EQ(first.status, PERP_OK) << first.info.field;
  ASSERT_EQ(first.steps(few()), PERP_OK);
  for (std::size_t alignment = 1; alignment < 64; alignment += alignment < 8 ? 1 : 9) {
    run r(*t.model, t.options, alignment);
    ASSERT_EQ(r.status, PERP_OK);
    ASSERT_EQ(r.steps(few()), PERP_OK);
    ASSERT_EQ(r.bytes(), first.bytes()) << alignment;
    for (std::size_t i = 0; i < r.shift; i++) ASSERT_EQ(r.work[i], 0xA5) << i;
    for (std::size_t i = r.shift + r.work_bytes; i < r.work.size(); i++)
      ASSERT_EQ(r.work[i], 0xA5) << i;
    unsigned char beyond[8];
    std::memcpy(beyond, reinterpret_cast<const unsigned char *>(r.state.data()) + r.state_bytes, 8);
    for (const unsigned char c : beyond) ASSERT_EQ(c, 0xA5);
  }
}

TEST_P(LiveContract, OneByteShortIsRefused) {
  const std::size_t state = perp_simulation_state_size(t.model, &t.options),
                    work = perp_simulation_work_size(t.model, &t.options);
  std::vector<std::uint64_t> s(state / 8 + 1, 0), w(work / 8 + 1, 0);
  perp_simulation *sim = nullptr;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(
      perp_simulation_init(&sim, t.model, &t.options, s.data(), state - 1, w.data(), work, &info),
      PERP_EWORKSPACE);
  EXPECT_STREQ(info.field, "state_bytes");
  EXPECT_EQ(
      perp_simulation_init(&sim, t.model, &t.options, s.data(), state, w.data(), work - 1, &info),
      PERP_EWORKSPACE);
  EXPECT_STREQ(info.field, "work_bytes");
  EXPECT_EQ(sim, nullptr);
  for (const std::uint64_t x : s) ASSERT_EQ(x, 0u);
}

// A checkpoint goes on in blocks elsewhere, at any step.
TEST_P(LiveContract, ResumesWithTheSameBits) {
  run whole(*t.model, t.options);
  ASSERT_EQ(whole.status, PERP_OK);
  std::vector<std::vector<unsigned char>> at = {whole.bytes()};
  for (int k = 0; k < few(); k++) {
    ASSERT_EQ(whole.step(), PERP_OK);
    at.push_back(whole.bytes());
  }
  for (std::size_t k = 0; k < at.size(); k += k < 10 ? 3 : 41) {
    run again(*t.model, t.options, k % 8, at[k].data());
    ASSERT_EQ(again.status, PERP_OK) << again.info.field;
    ASSERT_EQ(again.bytes(), at[k]) << "resuming wrote into the state";
    for (std::size_t j = k + 1; j < at.size(); j++) {
      ASSERT_EQ(again.step(), PERP_OK);
      ASSERT_EQ(again.bytes(), at[j]) << "from " << k << " at " << j;
    }
  }
}

TEST_P(LiveContract, TwoSimulationsInTurnShareNothing) {
  run alone(*t.model, t.options), a(*t.model, t.options), b(*t.model, t.options, 3);
  ASSERT_EQ(alone.steps(few()), PERP_OK);
  ASSERT_EQ(b.steps(few() / 2), PERP_OK);
  for (int k = 0; k < few(); k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    if (k < few() / 2) {
      ASSERT_EQ(b.step(), PERP_OK);
    }
  }
  EXPECT_EQ(a.bytes(), alone.bytes());
  if (few() % 2 == 0) {
    EXPECT_EQ(b.bytes(), alone.bytes());
  }
}

// A step length that the models cannot take leaves every byte as it was; the next step is that of a
// run which never asked.
TEST_P(LiveContract, ARefusedStepLeavesTheStateAndWhatFollows) {
  run other(*t.model, t.options);
  ASSERT_EQ(other.steps(few() / 2), PERP_OK);
  const auto before = other.bytes();
  ASSERT_EQ(other.steps(5), PERP_OK);
  int refused = 0;
  for (const double h : {1e160, 1e300, -1.0, 0.0, HUGE_VAL, static_cast<double>(NAN)}) {
    run r(*t.model, t.options, 0, before.data());
    if (perp_simulation_advance(r.sim, h, &r.info) == PERP_OK) continue; /* some can be taken */
    refused++;
    ASSERT_EQ(r.bytes(), before) << h;
    EXPECT_NE(r.info.field, nullptr) << h;
    ASSERT_EQ(r.steps(5), PERP_OK) << h;
    EXPECT_EQ(r.bytes(), other.bytes()) << h;
  }
  EXPECT_GE(refused, 4);
}

// Whatever the options: a step is taken or the state stays, and a checkpoint goes on likewise.
TEST_P(LiveContract, AllOptionsTogether) {
  int taken = 0;
  for (int i = 0; i < 3 * 2 * 3 * 2 * 3 * 2; i++) {
    perp_simulation_options o = t.options;
    o.projection = i % 3;
    o.switchable = i / 3 % 2;
    o.newton_stop = i / 6 % 3;
    o.newton_start = i / 18 % 2;
    o.on_failure = i / 36 % 3;
    o.newton_max = i / 108 % 2 == 0 ? 1 : 50;
    if (o.newton_stop == PERP_NEWTON_DYNAMICS) o.newton_tol = 1e-6;
    if (o.newton_stop == PERP_NEWTON_FIXED && o.newton_max > 1) o.newton_max = 3;
    run r(*t.model, o);
    if (r.status != PERP_OK) {
      EXPECT_EQ(r.status, PERP_EUNSUPPORTED) << i << " " << r.info.field;
      continue;
    }
    const auto step = [&](run &x) {
      const auto before = x.bytes();
      const perp_status status = x.step();
      if (status != PERP_OK) {
        EXPECT_EQ(x.bytes(), before) << i;
      }
      taken += status == PERP_OK;
      return status;
    };
    for (int k = 0; k < 10; k++) {
      if (o.switchable != 0 && k % 4 == 1) perp_simulation_set_active(r.sim, 0, k % 8 == 5);
      step(r);
    }
    const auto checkpoint = r.bytes();
    run again(*t.model, o, 5, checkpoint.data());
    ASSERT_EQ(again.status, PERP_OK) << i << " " << again.info.field;
    for (int k = 0; k < 5; k++) {
      ASSERT_EQ(step(r), step(again)) << i;
      ASSERT_EQ(r.bytes(), again.bytes()) << i;
    }
  }
  EXPECT_GT(taken, 100);
}

INSTANTIATE_TEST_SUITE_P(Trials, LiveContract, testing::Range(0, static_cast<int>(TRIALS)),
                         name_of);

// -------------------------------------------------------------------- constant expressions ----

std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }

// The arguments of PERP_SIMULATION_VARYING_WORK_BYTES, counted as its comment says.
struct counts {
  std::size_t n_q = 0, n_v = 0, rows = 0, systems, n = 0, interactions, m = 0, joined = 0,
              couplings = 0, coupled = 0;

  explicit counts(const perp_model &model)
      : systems(size(model.n_systems)), interactions(size(model.n_interactions)) {
    std::vector<std::size_t> on(systems, 0);
    std::size_t first = 0;
    for (std::int32_t i = 0; i < model.n_systems; i++) {
      const perp_system *s = model.systems[i];
      n = std::max(n, size(s->n));
      n_v += size(s->n);
      if (s->ops->order == 2) n_q += size(s->n + s->ops->extra_q);
      if (s->ops->order == 1) first += size(s->n);
    }
    for (std::int32_t i = 0; i < model.n_interactions; i++) {
      const perp_interaction *in = model.interactions[i];
      const perp_relation *r = in->relation;
      m = std::max(m, size(r->m));
      joined = std::max(joined, size(in->n_systems));
      rows += size(r->m);
      for (std::int32_t k = 0; k < in->n_systems; k++) on[size(in->systems[k])] += size(r->m);
      if (r->ops->order == 1 && in->n_systems > 1 && r->ops->features != nullptr &&
          (r->ops->features(r) & PERP_RELATION_K) != 0)
        coupled = first;
    }
    for (const std::size_t r : on) couplings += r * r;
    if (coupled > 0) couplings = rows * rows;
  }
  std::size_t work(std::size_t solver) const {
    return PERP_SIMULATION_VARYING_WORK_BYTES(systems, n, interactions, m, joined, couplings,
                                              coupled, solver);
  }
};

// Under every scheme, with every option that takes memory; the bound is no more than generous.
void expect_bounded(const perp_model &model, const perp_simulation_options &options,
                    const std::string &what) {
  SCOPED_TRACE(what);
  const counts c(model);
  perp_simulation_options o = options;
  for (const int32_t projection : {PERP_PROJECT_NONE, PERP_PROJECT_COMBINED})
    for (const int32_t switchable : {0, 1}) {
      o.projection = projection;
      o.switchable = switchable;
      const bool positions = o.integrator == perp_integrator_schatzman_paoli();
      if (switchable != 0 && positions) continue;
      o.solver = perp_solver_active_set();
      if (perp_simulation_work_size(&model, &o) == 0) o.solver = perp_solver_lemke();
      if (perp_simulation_work_size(&model, &o) == 0) continue; /* cones */
      const bool lemke = o.solver == perp_solver_lemke();
      const std::size_t need = perp_simulation_work_size(&model, &o),
                        solver = lemke ? PERP_LEMKE_BYTES(c.rows)
                                       : PERP_ACTIVE_SET_BYTES(c.rows, c.rows * (c.rows + 1) / 2);
      EXPECT_GE(c.work(solver), need + 8 * (c.n_v + c.rows) + 256);
      EXPECT_LE(c.work(solver), 8 * need) << "projection " << projection;
      EXPECT_EQ(perp_simulation_state_size(&model, &o),
                PERP_SIMULATION_STATE_BYTES(c.n_q, c.n_v, c.rows) +
                    (positions ? 8 * (c.n_q + c.rows) : 0) +
                    (switchable != 0 ? (c.systems + 7) / 8 * 8 : 0));
    }
}

TEST(LiveContractMemory, ConstantExpressionsBoundTheTrials) {
  const trials all;
  int bounded = 0;
  for (const trial &t : all.list) {
    if (t.model->pool != nullptr) continue;
    expect_bounded(*t.model, t.options, t.name);
    bounded++;
  }
  EXPECT_GE(bounded, 11);
}

std::int32_t zero(double, const double *, const double *, const double *, double *, void *) {
  return 0;
}
std::int32_t zero_first(double, const double *, const double *, double *, void *) { return 0; }

// Chains of nonlinear systems, with control, and of relations over some neighbours each.
TEST(LiveContractMemory, ConstantExpressionsBoundMechanisms) {
  for (std::int32_t n = 1; n <= 8; n++)
    for (const std::int32_t m : {1, 2, 5})
      for (std::int32_t bodies = 1; bodies <= 7; bodies += 2)
        for (const std::int32_t joined : {1, 2, 3})
          for (const bool controlled : {false, true})
            for (const auto *scheme :
                 {perp_integrator_moreau_jean(), perp_integrator_schatzman_paoli()}) {
              if (joined > bodies) continue;
              tools::world w;
              perp_lagrangian s[2];
              perp_lagrangian_relation r;
              for (perp_lagrangian &one : s) {
                perp_lagrangian_init(&one, sizeof one, n);
                one.mass = zero;
                one.internal = zero;
                if (controlled)
                  one.control = {n, 0, nullptr, zero, zero, nullptr, nullptr, nullptr};
              }
              if (scheme == perp_integrator_moreau_jean())
                perp_lagrangian_compliant_init(&r, sizeof r, m, n * joined);
              else
                perp_lagrangian_rheonomous_init(&r, sizeof r, m, n * joined);
              r.h = zero;
              for (std::int32_t i = 0; i < bodies; i++) w.add(s[i % 2].system);
              tools::ids first;
              for (std::int32_t i = 0; i + joined <= bodies; i++) {
                tools::ids over;
                for (std::int32_t k = 0; k < joined; k++) over.push_back(i + k);
                w.join(r.relation, w.complementarity(m), over);
              }
              w.options.integrator = scheme;
              expect_bounded(*w.finish(), w.options,
                             std::to_string(bodies) + " of " + std::to_string(n) + ", m = " +
                                 std::to_string(m) + ", joined " + std::to_string(joined));
            }
}

TEST(LiveContractMemory, ConstantExpressionsBoundCircuits) {
  for (std::int32_t n = 1; n <= 6; n++)
    for (const std::int32_t m : {1, 2, 5})
      for (std::int32_t parts = 1; parts <= 6; parts++)
        for (const std::int32_t joined : {1, 2})
          for (const auto *scheme : {perp_integrator_theta(), perp_integrator_theta_gamma()}) {
            if (joined > parts) continue;
            tools::world w;
            perp_first_order s;
            perp_first_order_relation r;
            perp_first_order_init(&s, sizeof s, n);
            s.f = zero_first;
            perp_first_order_relation_init(&r, sizeof r, m, n * joined);
            r.h = zero;
            r.g = zero;
            for (std::int32_t i = 0; i < parts; i++) w.add(s.system);
            for (std::int32_t i = 0; i + joined <= parts; i++)
              w.join(r.relation, w.complementarity(m),
                     joined == 1 ? tools::ids{i} : tools::ids{i, i + 1});
            w.options.integrator = scheme;
            w.options.reaction_gamma = 0.5;
            expect_bounded(*w.finish(), w.options,
                           std::to_string(parts) + " of " + std::to_string(n) +
                               ", m = " + std::to_string(m) + ", joined " + std::to_string(joined));
          }
}

// Constant relations on varying systems, and constant systems beside them.
TEST(LiveContractMemory, ConstantExpressionsBoundMixedModels) {
  for (std::int32_t n = 1; n <= 6; n++)
    for (const std::int32_t m : {1, 2, 5}) {
      tools::world w;
      perp_lagrangian s;
      perp_lagrangian_init(&s, sizeof s, n);
      s.mass = zero;
      const tools::vec diagonal(size(n), 1.0);
      const auto a = w.add(s.system), b = w.add(w.body(diagonal).system),
                 c = w.add(w.body(diagonal).system);
      const perp_relation &pair = w.contact(m, 2 * n, tools::vec(size(2 * n * m), 0.5)).relation;
      const perp_relation &one = w.contact(m, n, tools::vec(size(n * m), 0.5)).relation;
      w.join(pair, w.complementarity(m), {a, b});
      w.join(pair, w.complementarity(m), {b, c});
      w.join(one, w.complementarity(m), {a});
      w.join(one, w.complementarity(m), {c});
      expect_bounded(*w.finish(), w.options, std::to_string(n) + ", m = " + std::to_string(m));
    }
}

// Bodies of six degrees of freedom in a row of joints.
TEST(LiveContractMemory, ConstantExpressionsBoundJointedBodies) {
  for (std::int32_t bodies = 1; bodies <= 12; bodies++) {
    tools::world w;
    perp_body body;
    perp_body_init(&body, sizeof body);
    perp_joint ground, joint;
    perp_joint_init(&ground, sizeof ground, PERP_JOINT_FIXED, 1);
    perp_joint_init(&joint, sizeof joint, PERP_JOINT_PIVOT, 2);
    for (std::int32_t i = 0; i < bodies; i++) {
      w.add(body.system);
      if (i == 0)
        w.join(ground.relation, w.equality(6), {0});
      else
        w.join(joint.relation, w.equality(5), {i - 1, i});
      const double at[] = {1.0 * i, 0, 0, 1, 0, 0, 0};
      w.q0.insert(w.q0.end(), at, at + 7);
    }
    expect_bounded(*w.finish(), w.options, std::to_string(bodies) + " bodies");
  }
}

// Models without an interaction, with every option that wants some.
TEST(LiveContractTrials, NothingToJoin) {
  perp_body body;
  perp_body_init(&body, sizeof body);
  body.inertia[0] = 2;
  body.inertia[4] = 3;
  for (const int projection : {PERP_PROJECT_NONE, PERP_PROJECT_POSITIONS, PERP_PROJECT_COMBINED})
    for (const int switchable : {0, 1})
      for (const bool solver : {false, true}) {
        tools::world w;
        w.add(body.system);
        w.q0 = {0, 0, 0, 1, 0, 0, 0};
        w.v0 = {1, 0, 0, 1, 2, 3};
        w.options.projection = projection;
        w.options.switchable = switchable;
        w.options.on_failure = PERP_FAILURE_RETRY;
        if (!solver) w.options.solver = nullptr;
        run r(w);
        ASSERT_EQ(r.status, PERP_OK) << r.info.field;
        ASSERT_EQ(r.steps(10), PERP_OK);
        EXPECT_NEAR(r.q(), 0.1, 1e-12);
        if (switchable != 0) {
          ASSERT_EQ(perp_simulation_set_active(r.sim, 0, 0), PERP_OK);
          ASSERT_EQ(r.steps(10), PERP_OK);
          EXPECT_NEAR(r.q(), 0.1, 1e-12);
        }
      }
}

// The trials that are there for it halve their steps.
TEST(LiveContractTrials, SomeStepsAreHalved) {
  const trials all;
  for (const trial &t : all.list) {
    if (t.options.on_failure != PERP_FAILURE_RETRY) continue;
    run r(*t.model, t.options);
    ASSERT_EQ(r.steps(t.steps), PERP_OK);
    EXPECT_GT(r.report().retries, 0) << t.name;
  }
}

}  // namespace
