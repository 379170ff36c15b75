// SPDX-License-Identifier: MIT
// The scenes of contacts.h with ODE, through its public interface and its own search for contacts:
// dWorldQuickStep, or dWorldStep as "direct".
#include <ode/ode.h>
#include <time.h>

#include <cstring>
#include <memory>
#include <vector>

#include "../contacts.h"

namespace {

double thread_time() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct told_contact {
  int32_t body[2];
  double normal[3];
  dJointFeedback feedback;
};

struct peer {
  const contacts_scene *scene;
  double h;
  bool direct;
  dWorldID world = dWorldCreate();
  dSpaceID space = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
  dJointGroupID group = dJointGroupCreate(0);
  std::vector<dBodyID> bodies;
  std::vector<told_contact> contacts;  // never moves: joints point into it

  ~peer() {
    dJointGroupDestroy(group);
    dSpaceDestroy(space);
    dWorldDestroy(world);
  }
};

int32_t number(dBodyID body) {
  return body == nullptr ? CONTACTS_GROUND
                         : static_cast<int32_t>(reinterpret_cast<intptr_t>(dBodyGetData(body)));
}

void near(void *self, dGeomID first, dGeomID second) {
  enum { MOST = 16 };
  peer &p = *static_cast<peer *>(self);
  if (dGeomGetBody(first) == nullptr) std::swap(first, second);
  dBodyID one = dGeomGetBody(first), other = dGeomGetBody(second);
  if (one == nullptr) return;
  dContact found[MOST];
  const int n = dCollide(first, second, MOST, &found[0].geom, sizeof(dContact));
  for (int k = 0; k < n && p.contacts.size() < p.contacts.capacity(); k++) {
    dContact &c = found[k];
    std::memset(&c.surface, 0, sizeof c.surface);
    c.surface.mode = dContactApprox1;
    c.surface.mu = CONTACTS_MU;
    p.contacts.push_back(
        {{number(one), number(other)}, {c.geom.normal[0], c.geom.normal[1], c.geom.normal[2]}, {}});
    dJointID joint = dJointCreateContact(p.world, p.group, &c);
    dJointAttach(joint, one, other);
    dJointSetFeedback(joint, &p.contacts.back().feedback);
  }
}

void *make(const contacts_scene *scene, const contacts_request *ask) {
  dInitODE2(0);
  auto p = std::make_unique<peer>();
  p->scene = scene;
  p->h = ask->h;
  p->direct = std::strcmp(ask->solver, "direct") == 0;
  p->contacts.reserve(static_cast<size_t>(scene->places));
  dWorldSetGravity(p->world, 0, 0, -CONTACTS_GRAVITY);
  dWorldSetQuickStepNumIterations(p->world, ask->max_sweeps);
  for (int32_t i = 0; i < scene->n; i++) {
    const double *q = scene->q0 + 7 * static_cast<size_t>(i);
    dBodyID body = dBodyCreate(p->world);
    dMass mass;
    dMassSetParameters(&mass, 1, 0, 0, 0, scene->inertia, scene->inertia, scene->inertia, 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetData(body, reinterpret_cast<void *>(static_cast<intptr_t>(i)));
    dGeomID shape = scene->shape == CONTACTS_BOXES
                        ? dCreateBox(p->space, 2 * scene->half, 2 * scene->half, 2 * scene->half)
                        : dCreateSphere(p->space, scene->half);
    dGeomSetBody(shape, body);
    dBodySetPosition(body, q[0], q[1], q[2]);
    p->bodies.push_back(body);
  }
  dCreatePlane(p->space, 0, 0, 1, 0);
  if (scene->width > 0) {
    dCreatePlane(p->space, 1, 0, 0, 0);
    dCreatePlane(p->space, -1, 0, 0, -scene->width);
    dCreatePlane(p->space, 0, 1, 0, 0);
    dCreatePlane(p->space, 0, -1, 0, -scene->width);
  }
  return p.release();
}

int step(void *self, contacts_step *told) {
  peer &p = *static_cast<peer *>(self);
  const double begin = thread_time();
  dJointGroupEmpty(p.group);
  p.contacts.clear();
  dSpaceCollide(p.space, &p, near);
  const double finding = thread_time() - begin;
  const int good = p.direct ? dWorldStep(p.world, p.h) : dWorldQuickStep(p.world, p.h);
  *told = {-1, finding, p.direct ? -1 : dWorldGetQuickStepNumIterations(p.world), -1, 0};
  return good;
}

void state(void *self, double *q, double *v) {
  const peer &p = *static_cast<peer *>(self);
  for (dBodyID body : p.bodies) {
    std::memcpy(q, dBodyGetPosition(body), 3 * sizeof *q);
    std::memcpy(q + 3, dBodyGetQuaternion(body), 4 * sizeof *q);
    std::memcpy(v, dBodyGetLinearVel(body), 3 * sizeof *v);
    std::memcpy(v + 3, dBodyGetAngularVel(body), 3 * sizeof *v);
    q += 7, v += 6;
  }
}

int64_t forces(void *self, contacts_force *out) {
  const peer &p = *static_cast<peer *>(self);
  for (const told_contact &c : p.contacts) {
    std::memcpy(out->body, c.body, sizeof out->body);
    std::memcpy(out->normal, c.normal, sizeof out->normal);
    for (int k = 0; k < 3; k++) out->impulse[k] = p.h * c.feedback.f1[k];
    out++;
  }
  return static_cast<int64_t>(p.contacts.size());
}

void release(void *self) {
  delete static_cast<peer *>(self);
  dCloseODE();
}

}  // namespace

int main(int argc, char **argv) {
  const contacts_engine engine = {"ode", make, nullptr, step, state, forces, nullptr, release};
  return contacts_main(argc, argv, &engine);
}
