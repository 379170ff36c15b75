// SPDX-License-Identifier: MIT
#include "io/model_keys.hpp"

namespace perp::io {

using namespace keys;

namespace {

#define CONTROL(structure)                                                         \
  entry(FIELD(structure, control), holds::part,                                    \
        "control T(q) u(t, q, v) on the right-hand side, at order 1 T(x) u(t, x)") \
      .holding("control")

key own_scheme() {
  key k = scheme("", nowhere, "scheme of this system");
  return k.as("integrator");
}
std::vector<key> start_of_order_2() {
  return {own("n", holds::integer, "degrees of freedom; without it as many as q0, v0, f or M have")
              .from(1),
          repeat_key(),
          own("q0", holds::array, "positions at the start").shape("n").otherwise("0"),
          own("v0", holds::array, "velocities at the start").shape("n").otherwise("0"),
          own("theta", holds::number, "weight of the end of a step, of this system").from(0).to(1),
          own_scheme()};
}
std::vector<key> start_of_order_1() {
  return {own("n", holds::integer, "states; without it as many as x0, b, f, M or A have").from(1),
          repeat_key(), own("x0", holds::array, "states at the start").shape("n").otherwise("0"),
          own("theta", holds::number, "weight of the end of a step, of this system").from(0).to(1),
          own_scheme()};
}
}  // namespace

void add_systems(std::vector<kind> *all) {
  const auto system = [all](const char *name, const description &of, int order, const char *says,
                            std::vector<key> keys) {
    all->push_back(
        make("system", name, of, says,
             joined(order == 2 ? start_of_order_2() : start_of_order_1(), std::move(keys))));
    all->back().order = order;
  };
  using L = perp_lagrangian_linear;
  system("lagrangian_linear", STRUCT(perp_lagrangian_linear), 2,
         "M v' + C v + K q = f + F(t) + T(q) u(t, q, v) + reactions",
         {operation(FIELD(L, M), "mass, symmetric positive definite").in("kg").must(),
          operation(FIELD(L, C), "damping").in("N s/m").otherwise("0"),
          operation(FIELD(L, K), "stiffness").in("N/m").otherwise("0"),
          array(FIELD(L, f), "constant force", "n").in("N").otherwise("0"),
          function(FIELD(L, force), signature::time, "t", "force F(t), added to f", "n").in("N"),
          CONTROL(L), PARAMETERS(L, z, n_z),
          array(FIELD(L, typical_q), "typical sizes of q, for differences", "n").more_than(0),
          array(FIELD(L, typical_v), "typical sizes of v, for differences", "n").more_than(0)});

  using N = perp_lagrangian;
  system("lagrangian", STRUCT(perp_lagrangian), 2,
         "M(q) v' + N(q, v) + F_int(t, q, v) = f + F_ext(t) + T(q) u(t, q, v) + reactions",
         {operation(FIELD(N, M), "constant mass; or mass gives it").in("kg"),
          function(FIELD(N, mass), signature::state, "q z", "mass M(q), both triangles", "n", "n")
              .in("kg"),
          function(FIELD(N, gyroscopic), signature::state, "q v z",
                   "N(q, v): what the variation of M brings", "n")
              .derived(FIELD(N, gyroscopic_dq), "q")
              .derived(FIELD(N, gyroscopic_dv), "v"),
          function(FIELD(N, internal), signature::state, "t q v z",
                   "F_int(t, q, v): any other force, on the left-hand side", "n")
              .derived(FIELD(N, internal_dq), "q")
              .derived(FIELD(N, internal_dv), "v"),
          function(FIELD(N, external), signature::state, "t z", "F_ext(t), on the right-hand side",
                   "n"),
          function(FIELD(N, potential), signature::state, "q z",
                   "V(q), of which N and F_int derive; for energies", "1")
              .in("J"),
          array(FIELD(N, f), "constant force", "n").in("N").otherwise("0"), CONTROL(N),
          PARAMETERS(N, z, n_z),
          array(FIELD(N, typical_q), "typical sizes of q, for differences", "n").more_than(0),
          array(FIELD(N, typical_v), "typical sizes of v, for differences", "n").more_than(0)});

  using B = perp_body;
  system("newton_euler", STRUCT(perp_body), 2,
         "rigid body in space: q = (x, unit quaternion), v = (x', angular velocity in its frame)",
         {number(FIELD(B, mass), "mass", "1").in("kg").more_than(0),
          numbers(FIELD(B, inertia), "inertia about the centre of mass, in the frame of the body",
                  "3", "3")
              .in("kg m^2")
              .otherwise("1"),
          numbers(FIELD(B, f), "constant force in the fixed frame", "3").in("N").otherwise("0"),
          function(FIELD(B, force), signature::body, "t q v", "force in the fixed frame", "3")
              .in("N")
              .derived(FIELD(B, force_jacobian), ""),
          function(FIELD(B, torque), signature::body, "t q v", "torque in torque_frame", "3")
              .in("N m")
              .derived(FIELD(B, torque_jacobian), ""),
          option(FIELD(B, torque_frame), {{"body", PERP_FRAME_BODY}, {"fixed", PERP_FRAME_FIXED}},
                 "frame of torque"),
          option(FIELD(B, gyroscopic),
                 {{"implicit", PERP_GYROSCOPIC_IMPLICIT},
                  {"explicit", PERP_GYROSCOPIC_EXPLICIT},
                  {"none", PERP_GYROSCOPIC_NONE}},
                 "how the gyroscopic torque enters a step"),
          CONTROL(B), PARAMETERS(B, z, n_z)});

  using F = perp_first_order_linear;
  system("first_order_linear", STRUCT(perp_first_order_linear), 1,
         "M x' = (A + A(t)) x + b + B(t) + T(x) u(t, x) + reactions",
         {operation(FIELD(F, M), "regular").otherwise("1"),
          operation(FIELD(F, A), "state matrix").otherwise("0"),
          array(FIELD(F, b), "constant input", "n").otherwise("0"),
          function(FIELD(F, input), signature::time, "t", "input B(t), added to b", "n"),
          function(FIELD(F, state_matrix), signature::time, "t", "A(t), added to A", "n", "n"),
          CONTROL(F), PARAMETERS(F, z, n_z),
          array(FIELD(F, typical), "typical sizes of x, for differences", "n").more_than(0)});

  using G = perp_first_order;
  system("first_order", STRUCT(perp_first_order), 1, "M x' = f(t, x) + T(x) u(t, x) + reactions",
         {operation(FIELD(G, M), "constant, regular").otherwise("1"),
          function(FIELD(G, f), signature::first_order, "t x z", "right-hand side", "n")
              .derived(FIELD(G, f_dx), "x")
              .must(),
          CONTROL(G), PARAMETERS(G, z, n_z),
          array(FIELD(G, typical), "typical sizes of x, for differences", "n").more_than(0)});
}

}  // namespace perp::io
