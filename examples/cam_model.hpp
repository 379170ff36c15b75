// SPDX-License-Identifier: MIT
// A follower pressed on a cam by a spring, u its height (m, kg, s, N):
//   m u'' + k u = r,  0 <= u - c(t),  r >= 0,  (u - c)'+ = -0.8 (u - c)'-,
// as two models of one motion: relative, q = u - c with the force -(m c'' + k c), and absolute,
// q = u with the gap q - c(t). For time-stepping the model is enough; simulations by events need
// the options too, which schedule the joints of the profile, where c'' jumps, so that the motion is
// smooth up to and at both ends of every step. cam_model.h is the same in C.
#ifndef EXAMPLES_CAM_MODEL_HPP
#define EXAMPLES_CAM_MODEL_HPP

#include <memory>
#include <perp/event_driven.hpp>

#include "cam.h"

enum class cam_form { relative, absolute };

struct cam_model {
  static constexpr double mass = 1.221, stiffness = 1430.8, restitution = 0.8;

  double rpm;
  cam_form form;
  perp::model model;
  perp::system_id follower{};
  perp::interaction_id contact{};
  perp::event_options events;

  // At height and speed over the cam at time 0. Each run by events needs a model of its own.
  explicit cam_model(double turns_per_minute, cam_form which = cam_form::absolute,
                     double height = 0.4, double speed = 0.4)
      : rpm(turns_per_minute), form(which) {
    const auto piece = std::make_shared<int>(-1);  // of the profile, -1: by the time
    const auto at = [piece, rpm = rpm](double t) {
      return *piece < 0 ? cam_at(t, rpm) : cam_on(*piece, t, rpm);
    };
    perp::lagrangian_linear body(1, mass);
    body.K = stiffness;
    if (form == cam_form::relative) {
      body.force = [at](double t, perp::span f) {
        const cam c = at(t);
        f[0] = -(mass * c.acceleration + stiffness * c.position);
      };
      follower = model.add(body, {height}, {speed});
      contact = model.connect(perp::lagrangian_linear_relation(1.0),
                              perp::newton_impact(restitution), follower);
    } else {
      perp::lagrangian_rheonomous gap;
      gap.h = [at](double t, perp::view q, perp::span y) { y[0] = q[0] - at(t).position; };
      gap.H = 1.0;
      gap.h_dt = [at](double t, perp::view, perp::span rate) { rate[0] = -at(t).velocity; };
      gap.bias = [at](double t, perp::view, perp::view, perp::span bias) {
        bias[0] = -at(t).acceleration;
      };
      const cam c = cam_at(0, rpm);
      follower = model.add(body, {height + c.position}, {speed + c.velocity});
      contact = model.connect(gap, perp::newton_impact(restitution), follower);
    }
    for (int k = 0; k < CAM_JOINTS; k++) {
      perp::schedule joint;
      joint.first = cam_joint(k) / (2 * cam_pi) * turn();
      joint.period = turn();
      joint.reset = [piece, k](perp::reset_state &) { *piece = k; };
      events.schedules.push_back(joint);
    }
  }

  // Time of a turn (s).
  double turn() const { return 60 / rpm; }

  // Height and velocity in space, from those of the model.
  cam in_space(double t, double q, double v) const {
    const cam c = form == cam_form::relative ? cam_at(t, rpm) : cam{0, 0, 0};
    return {q + c.position, v + c.velocity, 0};
  }
};

#endif
