// SPDX-License-Identifier: MIT
// The scenes of contacts.h with DART, through its public interface and its own search for contacts:
// Dantzig's method on the boxed LCP of each group, which is its usual one, or projected
// Gauss-Seidel as "pgs".
#include <cstring>
#include <dart/collision/CollisionObject.hpp>
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "../contacts.h"

namespace {

namespace dyn = dart::dynamics;
using dart::constraint::BoxedLcpConstraintSolver;
using dart::constraint::PgsBoxedLcpSolver;

struct peer {
  const contacts_scene *scene;
  double h;
  int32_t sweeps;  // of PGS, else -1
  dart::simulation::WorldPtr world = dart::simulation::World::create();
  std::vector<dyn::BodyNode *> bodies;
  std::unordered_map<const dyn::BodyNode *, int32_t> number;
};

void give_shape(dyn::BodyNode *body, const dyn::ShapePtr &shape) {
  auto *node = body->createShapeNodeWith<dyn::CollisionAspect, dyn::DynamicsAspect>(shape);
  node->getDynamicsAspect()->setFrictionCoeff(CONTACTS_MU);
  node->getDynamicsAspect()->setRestitutionCoeff(0);
}

/** What does not move: a box with its centre at a place. */
void add_wall(peer &p, const Eigen::Vector3d &centre, const Eigen::Vector3d &edges) {
  auto wall = dyn::Skeleton::create("wall " + std::to_string(p.world->getNumSkeletons()));
  auto [joint, body] = wall->createJointAndBodyNodePair<dyn::WeldJoint>();
  Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
  at.translation() = centre;
  joint->setTransformFromParentBodyNode(at);
  give_shape(body, std::make_shared<dyn::BoxShape>(edges));
  wall->setMobile(false);
  p.world->addSkeleton(wall);
}

void add_room(peer &p) {
  constexpr double deep = 10, wide = 1000;
  const double w = p.scene->width;
  add_wall(p, {w / 2, w / 2, -deep / 2}, {wide, wide, deep});
  if (w <= 0) return;
  add_wall(p, {-deep / 2, w / 2, wide / 2}, {deep, wide, wide});
  add_wall(p, {w + deep / 2, w / 2, wide / 2}, {deep, wide, wide});
  add_wall(p, {w / 2, -deep / 2, wide / 2}, {wide, deep, wide});
  add_wall(p, {w / 2, w + deep / 2, wide / 2}, {wide, deep, wide});
}

void add_body(peer &p, int32_t i, const dyn::ShapePtr &shape) {
  const double *q = p.scene->q0 + 7 * static_cast<size_t>(i), I = p.scene->inertia;
  auto skeleton = dyn::Skeleton::create("body " + std::to_string(i));
  auto [joint, body] = skeleton->createJointAndBodyNodePair<dyn::FreeJoint>();
  Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
  at.translation() = Eigen::Vector3d(q[0], q[1], q[2]);
  at.linear() = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).toRotationMatrix();
  joint->setTransform(at);
  body->setInertia(dyn::Inertia(1, 0, 0, 0, I, I, I, 0, 0, 0));
  give_shape(body, shape);
  p.world->addSkeleton(skeleton);
  p.bodies.push_back(body);
  p.number[body] = i;
}

std::unique_ptr<BoxedLcpConstraintSolver> make_solver(peer &p, const contacts_request *ask) {
  if (std::strcmp(ask->solver, "pgs") != 0) return std::make_unique<BoxedLcpConstraintSolver>();
  auto pgs = std::make_shared<PgsBoxedLcpSolver>();
  PgsBoxedLcpSolver::Option option;
  option.mMaxIteration = p.sweeps = ask->max_sweeps;
  pgs->setOption(option);
  return std::make_unique<BoxedLcpConstraintSolver>(pgs, nullptr);
}

void *make(const contacts_scene *scene, const contacts_request *ask) {
  auto p = std::make_unique<peer>();
  p->scene = scene;
  p->h = ask->h;
  p->sweeps = -1;
  p->world->setConstraintSolver(make_solver(*p, ask));
  p->world->setTimeStep(ask->h);
  p->world->setGravity({0, 0, -CONTACTS_GRAVITY});
  auto *solver = p->world->getConstraintSolver();
  solver->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
  solver->getCollisionOption().maxNumContacts = static_cast<size_t>(scene->places);
  const double edge = 2 * scene->half;
  dyn::ShapePtr shape;
  if (scene->shape == CONTACTS_BOXES)
    shape = std::make_shared<dyn::BoxShape>(Eigen::Vector3d(edge, edge, edge));
  else
    shape = std::make_shared<dyn::SphereShape>(scene->half);
  add_room(*p);
  for (int32_t i = 0; i < scene->n; i++) add_body(*p, i, shape);
  return p.release();
}

int step(void *self, contacts_step *told) {
  peer &p = *static_cast<peer *>(self);
  p.world->step();
  *told = {-1, -1, p.sweeps, -1, 0};
  return 1;
}

void state(void *self, double *q, double *v) {
  const peer &p = *static_cast<peer *>(self);
  for (const dyn::BodyNode *body : p.bodies) {
    const Eigen::Isometry3d &at = body->getWorldTransform();
    const Eigen::Quaterniond turn(at.linear());
    const Eigen::Vector3d place = at.translation();
    const Eigen::Vector3d linear = body->getLinearVelocity(), spin = body->getAngularVelocity();
    for (int k = 0; k < 3; k++) q[k] = place[k], v[k] = linear[k], v[3 + k] = spin[k];
    q[3] = turn.w(), q[4] = turn.x(), q[5] = turn.y(), q[6] = turn.z();
    q += 7, v += 6;
  }
}

int32_t number_of(const peer &p, const dart::collision::CollisionObject *object) {
  const auto at = p.number.find(object->getShapeFrame()->asShapeNode()->getBodyNodePtr());
  return at == p.number.end() ? CONTACTS_GROUND : at->second;
}

int64_t forces(void *self, contacts_force *out) {
  const peer &p = *static_cast<peer *>(self);
  const auto &found = p.world->getLastCollisionResult().getContacts();
  for (const dart::collision::Contact &c : found) {
    int32_t one = number_of(p, c.collisionObject1), other = number_of(p, c.collisionObject2);
    const double sign = one == CONTACTS_GROUND ? -1 : 1;
    if (sign < 0) std::swap(one, other);
    out->body[0] = one, out->body[1] = other;
    for (int k = 0; k < 3; k++) {
      out->normal[k] = sign * c.normal[k];
      out->impulse[k] = sign * p.h * c.force[k];
    }
    out++;
  }
  return static_cast<int64_t>(found.size());
}

void release(void *self) { delete static_cast<peer *>(self); }

}  // namespace

int main(int argc, char **argv) {
  const contacts_engine engine = {"dart", make, nullptr, step, state, forces, nullptr, release};
  return contacts_main(argc, argv, &engine);
}
