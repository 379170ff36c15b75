// SPDX-License-Identifier: MIT
// The cases of event.h with Siconos 4.4, through its public C++ interface: EventDriven with
// LsodarOSI at its default tolerances (near rounding) and Lemke. Every output is an event of its
// time discretisation, which is how it gives outputs.
#include <EventDriven.hpp>
#include <EventsManager.hpp>
#include <LagrangianScleronomousR.hpp>
#include <LsodarOSI.hpp>
#include <SiconosKernel.hpp>
#include <memory>
#include <vector>

#include "../event.h"

namespace {

using std::make_shared;
using vector = SiconosVector;
using matrix = SimpleMatrix;

struct run {
  const bench_case *c;
  std::vector<double> out;
};

SP::SiconosVector filled(std::initializer_list<double> values) {
  auto v = make_shared<vector>(static_cast<unsigned>(values.size()));
  unsigned i = 0;
  for (double value : values) v->setValue(i++, value);
  return v;
}

SP::SimpleMatrix diagonal(std::initializer_list<double> values) {
  const auto n = static_cast<unsigned>(values.size());
  auto m = make_shared<matrix>(n, n);
  m->zero();
  unsigned i = 0;
  for (double value : values) m->setValue(i, i, value), i++;
  return m;
}

SP::SimpleMatrix row(std::initializer_list<double> values) {
  auto m = make_shared<matrix>(1, static_cast<unsigned>(values.size()));
  unsigned j = 0;
  for (double value : values) m->setValue(0, j++, value);
  return m;
}

// The gap 1 - |q|², its gradient H, and the rate of H along the velocity.
extern "C" {
static void gap(unsigned, double *q, unsigned, double *y, unsigned, double *) {
  *y = 1 - q[0] * q[0] - q[1] * q[1];
}
static void gap_gradient(unsigned, double *q, unsigned, double *H, unsigned, double *) {
  H[0] = -2 * q[0], H[1] = -2 * q[1];
}
static void gap_gradient_rate(unsigned, double *, unsigned, double *v, double *H, unsigned,
                              double *) {
  H[0] = -2 * v[0], H[1] = -2 * v[1];
}
}

class on_string : public LagrangianScleronomousR {
 public:
  on_string() {
    _pluginh->setComputeFunction(reinterpret_cast<void *>(gap));
    _pluginJachq->setComputeFunction(reinterpret_cast<void *>(gap_gradient));
    _plugindotjacqh->setComputeFunction(reinterpret_cast<void *>(gap_gradient_rate));
  }
};

bool is(const run &r, const char *name) { return std::strcmp(r.c->name, name) == 0; }

int loop(void *simulation, int steps) {
  run &r = *static_cast<run *>(simulation);
  if (steps != r.c->steps) return 0;
  const bool pendulum = is(r, "event-pendulum"), ball = is(r, "event-ball");
  const double h = event_h(r.c);
  SP::LagrangianLinearTIDS ds;
  SP::Relation relation;
  if (pendulum) {
    ds = make_shared<LagrangianLinearTIDS>(filled({std::sqrt(0.75), 0.5}), filled({0, 0}),
                                           diagonal({1, 1}));
    ds->setFExtPtr(filled({0, GRAVITY}));
    relation = make_shared<on_string>();
  } else {
    ds = make_shared<LagrangianLinearTIDS>(filled({ball ? 1.0 : 0.0, 0, 0}), filled({0, 0, 0}),
                                           diagonal({1, 1, 0.004}));
    ds->setFExtPtr(filled({-GRAVITY, 0, 0}));
    relation = make_shared<LagrangianLinearTIR>(row({1, 0, 0}));
  }
  auto nsds = make_shared<NonSmoothDynamicalSystem>(0.0, h * steps);
  nsds->insertDynamicalSystem(ds);
  auto contact =
      make_shared<Interaction>(make_shared<NewtonImpactNSL>(EVENT_RESTITUTION), relation);
  nsds->link(contact, ds);
  auto sim = make_shared<EventDriven>(nsds, make_shared<TimeDiscretisation>(0.0, h));
  sim->insertIntegrator(make_shared<LsodarOSI>());
  sim->insertNonSmoothProblem(make_shared<LCP>(), SICONOS_OSNSP_ED_IMPACT);
  sim->insertNonSmoothProblem(make_shared<LCP>(), SICONOS_OSNSP_ED_SMOOTH_ACC);
  sim->initialize();

  const std::size_t impacts = static_cast<std::size_t>(event_impacts(r.c)),
                    columns = static_cast<std::size_t>(event_columns(r.c));
  std::size_t n = 0, k = 0;
  const SiconosVector &q = *ds->q(), &v = *ds->velocity();
  while (sim->hasNextEvent()) {
    sim->advanceToEvent();
    const bool impact = sim->eventsManager()->nextEvent()->getType() == NS_EVENT;
    sim->processEvents();
    if (impact) {  // or the contact that is closed at the start
      if (n < impacts) r.out[n] = sim->startingTime();
      n++;
      continue;
    }
    if (k == static_cast<std::size_t>(steps)) break;
    double *out = &r.out[impacts + columns * k++];
    *out++ = q.getValue(0);
    if (pendulum) {
      *out++ = q.getValue(1), *out++ = v.getValue(0), *out++ = v.getValue(1);
      *out = contact->lambda(2)->getValue(0);
    } else {
      *out = ball ? v.getValue(0) : contact->lambda(2)->getValue(0);
    }
  }
  const bool good = (n == impacts || !ball) && k == static_cast<std::size_t>(steps);
  if (!good) std::fprintf(stderr, "%zu impacts, %zu outputs\n", n, k);
  return good;
}

void release(void *simulation) { delete static_cast<run *>(simulation); }

void *prepare(const bench_case *c, void *previous) {
  release(previous);
  return new run{c, std::vector<double>(event_entries(c, c->steps))};
}

size_t state(void *simulation, double *out) {
  const run &r = *static_cast<run *>(simulation);
  if (out != nullptr) std::memcpy(out, r.out.data(), r.out.size() * sizeof(double));
  return r.out.size();
}

}  // namespace

int main(int argc, char **argv) {
  const bench_program program = {"peer", prepare, loop, state, release};
  return bench_main(argc, argv, &program);
}
