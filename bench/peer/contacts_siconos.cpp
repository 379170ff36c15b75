// SPDX-License-Identifier: MIT
// The scenes of contacts.h with Siconos mechanics, through its public interface: contacts of its
// Bullet manager, Moreau-Jean with θ = 1/2, NSGS on the friction problem in sparse blocks.
#include <Friction_cst.h>
#include <SolverOptions.h>
#include <Bullet5DR.hpp>
#include <BulletR.hpp>
#include <FrictionContact.hpp>
#include <MoreauJeanOSI.hpp>
#include <NewtonImpactFrictionNSL.hpp>
#include <NonSmoothDynamicalSystem.hpp>
#include <RigidBodyDS.hpp>
#include <SiconosBulletCollisionManager.hpp>
#include <SiconosContactor.hpp>
#include <SiconosKernel.hpp>
#include <SiconosShape.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <unordered_map>
#include <vector>

#include "../contacts.h"

namespace {

using std::make_shared;

constexpr double no_end = 1e6;

struct peer {
  const contacts_scene *scene;
  SP::SolverOptions solver;
  SP::SiconosBulletCollisionManager manager;
  SP::NonSmoothDynamicalSystem nsds;
  SP::TimeStepping stepping;
  std::vector<SP::RigidBodyDS> bodies;
  std::unordered_map<const DynamicalSystem *, int32_t> number;
};

SP::SiconosVector filled(const double *values, unsigned n) {
  auto v = make_shared<SiconosVector>(n);
  for (unsigned i = 0; i < n; i++) v->setValue(i, values[i]);
  return v;
}

SP::SiconosContactorSet only(const SP::SiconosShape &shape) {
  auto set = make_shared<SiconosContactorSet>();
  set->push_back(make_shared<SiconosContactor>(shape));
  return set;
}

/** A half-space below z = 0 of the frame (x, y, z, unit quaternion). */
void add_plane(peer &p, double x, double y, double z, double w, double i, double j) {
  const double at[7] = {x, y, z, w, i, j, 0};
  p.manager->insertStaticContactorSet(only(make_shared<SiconosPlane>()), filled(at, 7));
}

void add_room(peer &p) {
  const double w = p.scene->width, s = std::sqrt(0.5);
  add_plane(p, 0, 0, 0, 1, 0, 0);
  if (w <= 0) return;
  add_plane(p, 0, 0, 0, s, 0, s);   // z of the frame is x
  add_plane(p, w, 0, 0, s, 0, -s);  // −x
  add_plane(p, 0, 0, 0, s, -s, 0);  // y
  add_plane(p, 0, w, 0, s, s, 0);   // −y
}

void add_body(peer &p, int32_t i, const SP::SiconosShape &shape) {
  const double rest[6] = {0}, weight[3] = {0, 0, -CONTACTS_GRAVITY};
  auto inertia = make_shared<SimpleMatrix>(3, 3);
  inertia->zero();
  for (unsigned k = 0; k < 3; k++) inertia->setValue(k, k, p.scene->inertia);
  auto body = make_shared<RigidBodyDS>(filled(p.scene->q0 + 7 * static_cast<size_t>(i), 7),
                                       filled(rest, 6), 1.0, inertia);
  body->setUseContactorInertia(false);
  body->setContactors(only(shape));
  body->setFExtPtr(filled(weight, 3));
  p.nsds->insertDynamicalSystem(body);
  p.number[body.get()] = i;
  p.bodies.push_back(body);
}

void *make(const contacts_scene *scene, const contacts_request *ask) {
  auto p = std::make_unique<peer>();
  p->scene = scene;
  p->nsds = make_shared<NonSmoothDynamicalSystem>(0.0, no_end);
  p->manager = make_shared<SiconosBulletCollisionManager>(SiconosBulletOptions());
  p->manager->useEqualityConstraints(false);
  p->manager->insertNonSmoothLaw(make_shared<NewtonImpactFrictionNSL>(0.0, 0.0, CONTACTS_MU, 3), 0,
                                 0);
  add_room(*p);
  const double edge = 2 * scene->half;
  SP::SiconosShape shape;
  if (scene->shape == CONTACTS_BOXES)
    shape = make_shared<SiconosBox>(edge, edge, edge);
  else
    shape = make_shared<SiconosSphere>(static_cast<float>(scene->half));
  for (int32_t i = 0; i < scene->n; i++) add_body(*p, i, shape);
  p->solver.reset(solver_options_create(SICONOS_FRICTION_3D_NSGS), solver_options_delete);
  p->solver->iparam[SICONOS_IPARAM_MAX_ITER] = ask->max_sweeps;
  p->solver->dparam[SICONOS_DPARAM_TOL] = ask->tol;
  auto problem = make_shared<FrictionContact>(3, p->solver);
  problem->setMaxSize(static_cast<unsigned>(3 * scene->places));
  problem->setMStorageType(NM_SPARSE_BLOCK);
  problem->setNumericsVerboseMode(false);
  problem->setKeepLambdaAndYState(true);
  p->stepping = make_shared<TimeStepping>(p->nsds, make_shared<TimeDiscretisation>(0.0, ask->h),
                                          make_shared<MoreauJeanOSI>(0.5), problem);
  p->stepping->insertInteractionManager(p->manager);
  p->stepping->setNewtonOptions(SICONOS_TS_LINEAR);
  p->stepping->setWarnOnNonConvergence(false);
  return p.release();
}

int step(void *self, contacts_step *told) {
  peer &p = *static_cast<peer *>(self);
  try {
    p.stepping->computeOneStep();
    p.stepping->nextStep();
  } catch (...) {
    std::fprintf(stderr, "siconos: a step failed\n");
    return 0;
  }
  *told = {-1, -1, p.solver->iparam[SICONOS_IPARAM_ITER_DONE], -1,
           p.solver->dparam[SICONOS_DPARAM_RESIDU] > p.solver->dparam[SICONOS_DPARAM_TOL]};
  return 1;
}

void state(void *self, double *q, double *v) {
  const peer &p = *static_cast<peer *>(self);
  for (const auto &body : p.bodies) {
    for (unsigned i = 0; i < 7; i++) *q++ = body->q()->getValue(i);
    for (unsigned i = 0; i < 6; i++) *v++ = body->twist()->getValue(i);
  }
}

/** The force of one contact on its first body; its frame is (n, t1, t2) as NewtonEuler3DR has it.
 */
int64_t forces(void *self, contacts_force *out) {
  const peer &p = *static_cast<peer *>(self);
  int64_t n = 0;
  const auto graph = p.nsds->topology()->indexSet(1);
  InteractionsGraph::VIterator at, end;
  for (std::tie(at, end) = graph->vertices(); at != end; ++at) {
    const auto inter = graph->bundle(*at);
    const auto relation = std::dynamic_pointer_cast<ContactR>(inter->relation());
    if (!relation) continue;
    const auto one = graph->properties(*at).source, other = graph->properties(*at).target;
    contacts_force &f = out[n++];
    const auto first = p.number.find(one.get());
    f.body[0] = first->second;
    f.body[1] = other.get() == one.get() ? CONTACTS_GROUND : p.number.at(other.get());
    // p = H^T λ on the first body, of one contact: the rows of H are the axes of its frame
    const SimpleMatrix &H = *relation->jachqT();
    for (unsigned k = 0; k < 3; k++) {
      f.normal[k] = H.getValue(0, k);
      f.impulse[k] = 0;
      for (unsigned r = 0; r < 3; r++)
        f.impulse[k] += H.getValue(r, k) * inter->lambda(1)->getValue(r);
    }
  }
  return n;
}

void release(void *self) { delete static_cast<peer *>(self); }

}  // namespace

int main(int argc, char **argv) {
  const contacts_engine engine = {"siconos", make, nullptr, step, state, forces, nullptr, release};
  return contacts_main(argc, argv, &engine);
}
