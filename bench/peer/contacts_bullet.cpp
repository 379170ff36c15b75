// SPDX-License-Identifier: MIT
// The scenes of contacts.h with Bullet in double precision, through its public interface and its
// own search for contacts. Bodies never sleep; friction is what it does unless told otherwise.
#include <btBulletDynamicsCommon.h>
#include <time.h>

#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <cmath>
#include <cstdio>
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

struct timed_world : btDiscreteDynamicsWorld {
  using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;
  double finding = 0;
  void performDiscreteCollisionDetection() override {
    const double begin = thread_time();
    btDiscreteDynamicsWorld::performDiscreteCollisionDetection();
    finding += thread_time() - begin;
  }
};

struct peer {
  const contacts_scene *scene;
  double h;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver;
  std::unique_ptr<timed_world> world;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;  // those of the scene, then walls

  ~peer() {
    for (auto &body : bodies) world->removeRigidBody(body.get());
  }
};

// Friction of a contact is the product of both.
void add(peer &p, double mass, btCollisionShape *shape, const btTransform &at, int number) {
  btVector3 inertia(0, 0, 0);
  if (mass > 0) inertia.setValue(p.scene->inertia, p.scene->inertia, p.scene->inertia);
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
  info.m_startWorldTransform = at;
  info.m_friction = std::sqrt(CONTACTS_MU);
  info.m_restitution = 0;
  p.bodies.push_back(std::make_unique<btRigidBody>(info));
  p.bodies.back()->setActivationState(DISABLE_DEACTIVATION);
  p.bodies.back()->setUserIndex(number);
  p.world->addRigidBody(p.bodies.back().get());
}

void add_wall(peer &p, const btVector3 &normal, double offset) {
  p.shapes.push_back(std::make_unique<btStaticPlaneShape>(normal, offset));
  add(p, 0, p.shapes.back().get(), btTransform::getIdentity(), CONTACTS_GROUND);
}

void *make(const contacts_scene *scene, const contacts_request *ask) {
  auto p = std::make_unique<peer>();
  p->scene = scene;
  p->h = ask->h;
  const bool nncg = std::strcmp(ask->solver, "nncg") == 0;
  p->solver.reset(nncg ? new btNNCGConstraintSolver : new btSequentialImpulseConstraintSolver);
  p->world = std::make_unique<timed_world>(&p->dispatcher, &p->broadphase, p->solver.get(),
                                           &p->configuration);
  p->world->setGravity(btVector3(0, 0, -CONTACTS_GRAVITY));
  p->world->getSolverInfo().m_numIterations = ask->max_sweeps;
  if (scene->shape == CONTACTS_BOXES)
    p->shapes.push_back(
        std::make_unique<btBoxShape>(btVector3(scene->half, scene->half, scene->half)));
  else
    p->shapes.push_back(std::make_unique<btSphereShape>(scene->half));
  for (int32_t i = 0; i < scene->n; i++) {
    const double *q = scene->q0 + 7 * static_cast<size_t>(i);
    const btTransform at(btQuaternion(q[4], q[5], q[6], q[3]), btVector3(q[0], q[1], q[2]));
    add(*p, 1, p->shapes[0].get(), at, i);
  }
  add_wall(*p, btVector3(0, 0, 1), 0);
  if (scene->width > 0)
    for (int axis = 0; axis < 2; axis++) {
      btVector3 normal(0, 0, 0);
      normal[axis] = 1;
      add_wall(*p, normal, 0);
      add_wall(*p, -normal, -scene->width);
    }
  return p.release();
}

int step(void *self, contacts_step *told) {
  peer &p = *static_cast<peer *>(self);
  p.world->finding = 0;
  p.world->stepSimulation(p.h, 0);
  *told = {-1, p.world->finding, p.world->getSolverInfo().m_numIterations, -1, 0};
  return 1;
}

void state(void *self, double *q, double *v) {
  const peer &p = *static_cast<peer *>(self);
  for (int32_t i = 0; i < p.scene->n; i++, q += 7, v += 6) {
    const btRigidBody &body = *p.bodies[static_cast<size_t>(i)];
    const btTransform &at = body.getWorldTransform();
    const btQuaternion Q = at.getRotation();
    q[3] = Q.w(), q[4] = Q.x(), q[5] = Q.y(), q[6] = Q.z();
    for (int k = 0; k < 3; k++) {
      q[k] = at.getOrigin()[k];
      v[k] = body.getLinearVelocity()[k];
      v[3 + k] = body.getAngularVelocity()[k];
    }
  }
}

// On the first body; the ground second.
void tell(int first, int second, const btManifoldPoint &point, contacts_force *f) {
  const double sign = first == CONTACTS_GROUND ? -1 : 1;
  f->body[0] = sign > 0 ? first : second;
  f->body[1] = sign > 0 ? second : first;
  for (int k = 0; k < 3; k++) {
    f->normal[k] = sign * point.m_normalWorldOnB[k];
    f->impulse[k] = sign * (point.m_appliedImpulse * point.m_normalWorldOnB[k] +
                            point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1[k] +
                            point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2[k]);
  }
}

int64_t forces(void *self, contacts_force *out) {
  peer &p = *static_cast<peer *>(self);
  int64_t n = 0;
  for (int m = 0; m < p.dispatcher.getNumManifolds(); m++) {
    const btPersistentManifold &manifold = *p.dispatcher.getManifoldByIndexInternal(m);
    for (int k = 0; k < manifold.getNumContacts() && n < p.scene->places; k++)
      tell(manifold.getBody0()->getUserIndex(), manifold.getBody1()->getUserIndex(),
           manifold.getContactPoint(k), &out[n++]);
  }
  return n;
}

void release(void *self) { delete static_cast<peer *>(self); }

}  // namespace

int main(int argc, char **argv) {
  const contacts_engine engine = {"bullet", make, nullptr, step, state, forces, nullptr, release};
  return contacts_main(argc, argv, &engine);
}
