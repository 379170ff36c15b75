// SPDX-License-Identifier: MIT
// The bench cases with Siconos 4.4, through its public C++ interface and with its default solver
// (Lemke on a dense matrix; with friction NSGS, the fastest of its four there). Same degrees of
// freedom, scheme, step and initial values as perp_bench.c; all contacts exist from the start.
#include <EulerMoreauOSI.hpp>
#include <FirstOrderLinearTIDS.hpp>
#include <FirstOrderLinearTIR.hpp>
#include <MLCPProjectOnConstraints.hpp>
#include <MoreauJeanDirectProjectionOSI.hpp>
#include <NewtonEuler3DR.hpp>
#include <SiconosKernel.hpp>
#include <TimeSteppingDirectProjection.hpp>
#include <memory>
#include <vector>

#include "../bench.h"

namespace {

using std::make_shared;
using vector = SiconosVector;
using matrix = SimpleMatrix;

// A simulation with the systems whose state is compared.
struct run {
  SP::NonSmoothDynamicalSystem nsds;
  SP::TimeStepping stepping;
  std::vector<SP::LagrangianDS> mechanical;
  SP::NewtonEulerDS body;
  SP::FirstOrderLinearTIDS circuit;
};

SP::SiconosVector filled(std::initializer_list<double> values) {
  auto v = make_shared<vector>(static_cast<unsigned>(values.size()));
  unsigned i = 0;
  for (double value : values) v->setValue(i++, value);
  return v;
}

SP::SimpleMatrix filled(unsigned rows, unsigned cols, std::initializer_list<double> by_rows) {
  auto m = make_shared<matrix>(rows, cols);
  unsigned i = 0;
  for (double value : by_rows) {
    m->setValue(i / cols, i % cols, value);
    i++;
  }
  return m;
}

// With friction in the plane.
void start_with_friction(run &r, double h) {
  r.stepping = make_shared<TimeStepping>(r.nsds, make_shared<TimeDiscretisation>(0.0, h),
                                         make_shared<MoreauJeanOSI>(0.5),
                                         make_shared<FrictionContact>(2, SICONOS_FRICTION_2D_NSGS));
}

// The end of the time grid lies beyond any number of steps that is asked for.
void start(run &r, double h, const SP::OneStepIntegrator &integrator) {
  r.stepping = make_shared<TimeStepping>(r.nsds, make_shared<TimeDiscretisation>(0.0, h),
                                         integrator, make_shared<LCP>());
}

constexpr double no_end = 1e3;

// Sphere of 1 kg: two translations and a rotation, weight along the first coordinate.
SP::LagrangianLinearTIDS sphere(double height, double radius) {
  const double inertia = 0.4 * radius * radius;
  auto ds = make_shared<LagrangianLinearTIDS>(filled({height, 0, 0}), filled({0, 0, 0}),
                                              filled(3, 3, {1, 0, 0, 0, 1, 0, 0, 0, inertia}));
  ds->setFExtPtr(filled({-GRAVITY, 0, 0}));
  return ds;
}

void make_ball(run &r) {
  r.nsds = make_shared<NonSmoothDynamicalSystem>(0.0, no_end);
  auto ball = sphere(1.0, BALL_RADIUS);
  r.nsds->insertDynamicalSystem(ball);
  auto contact =
      make_shared<Interaction>(make_shared<NewtonImpactNSL>(BALL_RESTITUTION),
                               make_shared<LagrangianLinearTIR>(filled(1, 3, {1, 0, 0})));
  r.nsds->link(contact, ball);
  r.mechanical = {ball};
  start(r, BALL_H, make_shared<MoreauJeanOSI>(0.5));
}

// y = q as a relation that may depend on time, with user functions for the gap and its
// derivatives: what the reference trajectory of the follower was made with. The functions are set
// here without the shared library they otherwise come from.
extern "C" {
static void gap(unsigned, double *q, double, unsigned, double *y, unsigned, double *) { *y = *q; }
static void gap_rate(unsigned, double *, double, unsigned, double *rate, unsigned, double *) {
  *rate = 0;
}
static void gap_gradient(unsigned, double *, double, unsigned, double *H, unsigned, double *) {
  *H = 1;
}
}

class rheonomous : public LagrangianRheonomousR {
 public:
  rheonomous() {
    _pluginh->setComputeFunction(reinterpret_cast<void *>(gap));
    _pluginhDot->setComputeFunction(reinterpret_cast<void *>(gap_rate));
    _pluginJachq->setComputeFunction(reinterpret_cast<void *>(gap_gradient));
  }
};

void make_follower(run &r, bool linear) {
  r.nsds = make_shared<NonSmoothDynamicalSystem>(0.0, no_end);
  auto follower =
      make_shared<LagrangianLinearTIDS>(filled({0.4}), filled({0.4}), filled(1, 1, {FOLLOWER_MASS}),
                                        filled(1, 1, {FOLLOWER_SPRING}), filled(1, 1, {0}));
  r.nsds->insertDynamicalSystem(follower);
  SP::Relation relation;
  if (linear)
    relation = make_shared<LagrangianLinearTIR>(filled(1, 1, {1}));
  else
    relation = make_shared<rheonomous>();
  auto contact =
      make_shared<Interaction>(make_shared<NewtonImpactNSL>(FOLLOWER_RESTITUTION), relation);
  r.nsds->link(contact, follower);
  r.mechanical = {follower};
  start(r, FOLLOWER_H, make_shared<MoreauJeanOSI>(0.5));
}

void make_oscillator(run &r) {
  r.nsds = make_shared<NonSmoothDynamicalSystem>(0.0, no_end);
  const double m = OSCILLATOR_MASS;
  auto mass = make_shared<LagrangianLinearTIDS>(
      filled({OSCILLATOR_START, -OSCILLATOR_OVERLAP}), filled({0, 0}), filled(2, 2, {m, 0, 0, m}),
      filled(2, 2, {OSCILLATOR_SPRING, 0, 0, 0}), filled(2, 2, {0, 0, 0, 0}));
  mass->setFExtPtr(filled({0, -m * GRAVITY}));
  r.nsds->insertDynamicalSystem(mass);
  auto table =
      make_shared<Interaction>(make_shared<NewtonImpactFrictionNSL>(0, 0, OSCILLATOR_FRICTION, 2),
                               make_shared<LagrangianLinearTIR>(filled(2, 2, {0, 1, 1, 0})));
  r.nsds->link(table, mass);
  r.mechanical = {mass};
  start_with_friction(r, OSCILLATOR_H);
}

// Contact of a ball with the ground.
class ball_on_ground : public NewtonEuler3DR {
 public:
  void computeh(double, const BlockVector &q, SiconosVector &y) override {
    const double height = q.getValue(0);
    y.setValue(0, height - BODY_RADIUS);
    _Nc->setValue(0, 1), _Nc->setValue(1, 0), _Nc->setValue(2, 0);
    _Pc1->setValue(0, height - BODY_RADIUS), _Pc2->setValue(0, 0);
    for (unsigned i = 1; i < 3; i++)
      _Pc1->setValue(i, q.getValue(i)), _Pc2->setValue(i, q.getValue(i));
  }
};

void make_body(run &r, bool projected) {
  r.nsds = make_shared<NonSmoothDynamicalSystem>(0.0, no_end);
  r.body =
      make_shared<NewtonEulerDS>(filled({1, 0, 0, 1, 0, 0, 0}), filled({BODY_START, 0, 0, 0, 0, 0}),
                                 1.0, filled(3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
  r.body->setFExtPtr(filled({-GRAVITY, 0, 0}));
  r.nsds->insertDynamicalSystem(r.body);
  auto contact = make_shared<Interaction>(
      make_shared<NewtonImpactFrictionNSL>(BODY_RESTITUTION, BODY_RESTITUTION, BODY_FRICTION, 3),
      make_shared<ball_on_ground>());
  r.nsds->link(contact, r.body);
  auto time = make_shared<TimeDiscretisation>(0.0, BODY_H);
  auto friction = make_shared<FrictionContact>(3, SICONOS_FRICTION_3D_ONECONTACT_NSN);
  if (projected)
    r.stepping = make_shared<TimeSteppingDirectProjection>(
        r.nsds, time, make_shared<MoreauJeanDirectProjectionOSI>(0.5), friction,
        make_shared<MLCPProjectOnConstraints>(SICONOS_MLCP_ENUM, 1.0));
  else
    r.stepping = make_shared<TimeStepping>(r.nsds, time, make_shared<MoreauJeanOSI>(0.5), friction);
}

void make_woodpecker(run &r) {
  r.nsds = make_shared<NonSmoothDynamicalSystem>(0.0, no_end);
  const double *M = toy_mass, *K = toy_spring, *f = toy_weight, *q = toy_q0, *v = toy_v0;
  auto toy = make_shared<LagrangianLinearTIDS>(
      filled({q[0], q[1], q[2]}), filled({v[0], v[1], v[2]}),
      filled(3, 3, {M[0], M[1], M[2], M[3], M[4], M[5], M[6], M[7], M[8]}),
      filled(3, 3, {K[0], K[1], K[2], K[3], K[4], K[5], K[6], K[7], K[8]}),
      filled(3, 3, {0, 0, 0, 0, 0, 0, 0, 0, 0}));
  toy->setFExtPtr(filled({f[0], f[1], f[2]}));
  r.nsds->insertDynamicalSystem(toy);
  for (int i = 0; i < 3; i++) {
    const double *H = toy_rows[i];
    auto relation = make_shared<LagrangianLinearTIR>(
        filled(2, 3, {H[0], H[1], H[2], H[3], H[4], H[5]}), filled({toy_offset[i], 0}));
    auto law = make_shared<NewtonImpactFrictionNSL>(i == 0 ? TOY_BEAK : 0.0, 0, TOY_FRICTION, 2);
    r.nsds->link(make_shared<Interaction>(law, relation), toy);
  }
  r.mechanical = {toy};
  start_with_friction(r, TOY_H);
}

void make_bridge(run &r) {
  r.nsds = make_shared<NonSmoothDynamicalSystem>(0.0, no_end);
  const double c = 1 / BRIDGE_C, l = 1 / BRIDGE_L, g = 1 / BRIDGE_R;
  r.circuit = make_shared<FirstOrderLinearTIDS>(filled({10, 0}), filled(2, 2, {0, -c, l, 0}));
  r.nsds->insertDynamicalSystem(r.circuit);
  auto relation = make_shared<FirstOrderLinearTIR>(filled(4, 2, {0, 0, 0, 0, -1, 0, 1, 0}),
                                                   filled(2, 4, {0, 0, -c, c, 0, 0, 0, 0}));
  relation->setDPtr(filled(4, 4, {g, g, -1, 0, g, g, 0, -1, 1, 0, 0, 0, 0, 1, 0, 0}));
  auto diodes = make_shared<Interaction>(make_shared<ComplementarityConditionNSL>(4), relation);
  r.nsds->link(diodes, r.circuit);
  start(r, BRIDGE_H, make_shared<EulerMoreauOSI>(0.5));
}

void make_beads(run &r, const bench_case &c) {
  r.nsds = make_shared<NonSmoothDynamicalSystem>(0.0, no_end);
  auto law = make_shared<NewtonImpactNSL>(BEADS_RESTITUTION);
  for (int i = 0; i < c.beads; i++) {
    auto bead = sphere(bead_height(&c, i), BEADS_RADIUS);
    r.nsds->insertDynamicalSystem(bead);
    auto offset = filled({bead_offset(&c, i)});
    if (i == 0) {
      auto relation = make_shared<LagrangianLinearTIR>(filled(1, 3, {1, 0, 0}), offset);
      r.nsds->link(make_shared<Interaction>(law, relation), bead);
    } else {
      auto relation = make_shared<LagrangianLinearTIR>(filled(1, 6, {-1, 0, 0, 1, 0, 0}), offset);
      r.nsds->link(make_shared<Interaction>(law, relation), r.mechanical.back(), bead);
    }
    r.mechanical.push_back(bead);
  }
  start(r, BEADS_H, make_shared<MoreauJeanOSI>(0.5));
}

void release(void *simulation) { delete static_cast<run *>(simulation); }

void *prepare(const bench_case *c, void *previous) {
  release(previous);
  auto r = std::make_unique<run>();
  if (c->beads > 0)
    make_beads(*r, *c);
  else if (std::strcmp(c->name, "ball") == 0)
    make_ball(*r);
  else if (std::strcmp(c->name, "bridge") == 0)
    make_bridge(*r);
  else if (std::strcmp(c->name, "oscillator") == 0)
    make_oscillator(*r);
  else if (std::strcmp(c->name, "woodpecker") == 0)
    make_woodpecker(*r);
  else if (std::strncmp(c->name, "body", 4) == 0)
    make_body(*r, std::strcmp(c->name, "body") != 0);
  else
    make_follower(*r, std::strcmp(c->name, "follower-linear") == 0);
  r->stepping->initialize();
  return r.release();
}

int loop(void *simulation, int steps) {
  TimeStepping &stepping = *static_cast<run *>(simulation)->stepping;
  for (int k = 0; k < steps; k++) {
    stepping.computeOneStep();
    stepping.nextStep();
  }
  return 1;
}

size_t copy(const SiconosVector &from, double *out) {
  for (unsigned i = 0; i < from.size() && out != nullptr; i++) out[i] = from.getValue(i);
  return from.size();
}

size_t state(void *simulation, double *out) {
  const run &r = *static_cast<run *>(simulation);
  size_t n = 0;
  const auto append = [&](const SiconosVector &from) {
    n += copy(from, out == nullptr ? nullptr : out + n);
  };
  if (r.circuit) append(*r.circuit->x());
  if (r.body) append(*r.body->q()), append(*r.body->twist());
  for (const auto &ds : r.mechanical) append(*ds->q());
  for (const auto &ds : r.mechanical) append(*ds->velocity());
  return n;
}

}  // namespace

int main(int argc, char **argv) {
  const bench_program program = {"peer", prepare, loop, state, release};
  return bench_main(argc, argv, &program);
}
