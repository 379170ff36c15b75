// SPDX-License-Identifier: MIT
#include "io/model_table.hpp"

#include <cmath>

// A field of a struct, by name and place.
#define FIELD(structure, field) #field, offsetof(structure, field)

namespace perp::io {

namespace {

// The key of a field is called as the field; of a nested one as its last part.
key begin(const char *field, std::size_t at, holds what, const char *says) {
  key k;
  k.field = field, k.what = what, k.offset = at, k.says = says;
  k.name = k.field.substr(k.field.rfind('.') + 1);
  return k;
}

key number(const char *field, std::size_t at, const char *says) {
  return begin(field, at, holds::number, says);
}
key integer(const char *field, std::size_t at, const char *says) {
  return begin(field, at, holds::integer, says);
}
key truth(const char *field, std::size_t at, const char *says) {
  return begin(field, at, holds::truth, says).otherwise("false");
}
key option(const char *field, std::size_t at, std::vector<choice> choices, const char *says) {
  return begin(field, at, holds::option, says).otherwise(choices.front().name).one_of(choices);
}
key numbers(const char *field, std::size_t at, const char *says, const char *rows,
            const char *cols = "1") {
  return begin(field, at, holds::numbers, says).shape(rows, cols);
}
key array(const char *field, std::size_t at, const char *says, const char *rows,
          const char *cols = "1") {
  return begin(field, at, holds::array, says).shape(rows, cols);
}
key operation(const char *field, std::size_t at, const char *says) {
  return begin(field, at, holds::operation, says).shape("n", "n");
}
key function(const char *field, std::size_t at, signature called, const char *reads,
             const char *says, const char *rows, const char *cols = "1") {
  key k = begin(field, at, holds::function, says).shape(rows, cols);
  k.called = called, k.reads = reads;
  return k;
}
// What no field of a struct holds as it stands.
key own(const char *name, holds what, const char *says) {
  key k;
  k.name = name, k.what = what, k.says = says;
  return k;
}
key named(const char *field, const char *name, holds what, std::vector<choice> choices,
          const char *says) {
  key k = own(name, what, says);
  k.field = field, k.choices = std::move(choices);
  return k;
}

const kind *control_part();
const kind *lzb_part();

#define CONTROL(structure)                           \
  begin(FIELD(structure, control), holds::part,      \
        "control T(q) u(t, q, v) on the right-hand " \
        "side, at order 1 T(x) u(t, x)")
#define PARAMETERS(structure, field_z, field_n) \
  parameters(FIELD(structure, field_z), FIELD(structure, field_n))

key parameters(const char *field, std::size_t at, const char *length, std::size_t length_at) {
  key k = array(field, at, "parameters that expressions read as z[0], z[1] ...", "n_z");
  k.length = length, k.length_offset = length_at;
  return k;
}

template <class T, perp_status (*init)(T *, std::size_t, std::int32_t)>
perp_status begin_system(void *at, std::int32_t, std::int32_t n) {
  return init(static_cast<T *>(at), sizeof(T), n);
}
template <class T, perp_status (*init)(T *, std::size_t, std::int32_t, std::int32_t)>
perp_status begin_relation(void *at, std::int32_t m, std::int32_t n) {
  return init(static_cast<T *>(at), sizeof(T), m, n);
}
template <class T, perp_status (*init)(T *, std::size_t)>
perp_status begin_law(void *at, std::int32_t, std::int32_t) {
  return init(static_cast<T *>(at), sizeof(T));
}
perp_status begin_body(void *at, std::int32_t, std::int32_t) {
  return perp_body_init(static_cast<perp_body *>(at), sizeof(perp_body));
}
perp_status begin_joint(void *at, std::int32_t, std::int32_t n) {
  return perp_joint_init(static_cast<perp_joint *>(at), sizeof(perp_joint), PERP_JOINT_SPHERICAL,
                         n / 6);
}
perp_status begin_gear(void *at, std::int32_t, std::int32_t n) {
  return perp_gear_init(static_cast<perp_gear *>(at), sizeof(perp_gear), n / 6);
}
perp_status begin_graph(void *at, std::int32_t, std::int32_t) {
  *static_cast<perp_piecewise_linear *>(at) = PERP_PIECEWISE_LINEAR_INIT;
  return PERP_OK;
}
// Gaps c and rows of each are told by m = c rows, and by the key size.
perp_status begin_contact_relation(void *at, std::int32_t m, std::int32_t n) {
  return perp_lagrangian_contact_relation_init(static_cast<perp_lagrangian_contact_relation *>(at),
                                               sizeof(perp_lagrangian_contact_relation), 1, m, n);
}

key repeat_key() {
  return own("repeat", holds::integer,
             "so many of them, called NAME[0], NAME[1] ...; expressions read the index as i")
      .from(1);
}
std::vector<key> start_of_order_2() {
  return {own("n", holds::integer, "degrees of freedom; without it as many as q0, v0, f or M have")
              .from(1),
          repeat_key(),
          own("q0", holds::array, "positions at the start").shape("n").otherwise("0"),
          own("v0", holds::array, "velocities at the start").shape("n").otherwise("0"),
          own("theta", holds::number, "weight of the end of a step, of this system").from(0).to(1),
          own("integrator", holds::name, "scheme of this system")};
}
std::vector<key> start_of_order_1() {
  return {own("n", holds::integer, "states; without it as many as x0, b, f, M or A have").from(1),
          repeat_key(), own("x0", holds::array, "states at the start").shape("n").otherwise("0"),
          own("theta", holds::number, "weight of the end of a step, of this system").from(0).to(1),
          own("integrator", holds::name, "scheme of this system")};
}
std::vector<key> joined(std::vector<key> head, std::vector<key> rest) {
  for (key &k : rest) head.push_back(std::move(k));
  return head;
}

kind system(const char *name, const char *structure, std::size_t bytes, int order, const char *says,
            std::vector<key> keys) {
  kind k;
  k.group = "system", k.name = name, k.structure = structure, k.bytes = bytes, k.says = says;
  k.order = order;
  k.keys = joined(order == 2 ? start_of_order_2() : start_of_order_1(), std::move(keys));
  return k;
}

void add_systems(std::vector<kind> *all) {
  using L = perp_lagrangian_linear;
  kind k = system(
      "lagrangian_linear", "perp_lagrangian_linear", sizeof(L), 2,
      "M v' + C v + K q = f + F(t) + T(q) u(t, q, v) + reactions",
      {operation(FIELD(L, M), "mass, symmetric positive definite").in("kg").must(),
       operation(FIELD(L, C), "damping").in("N s/m").otherwise("0"),
       operation(FIELD(L, K), "stiffness").in("N/m").otherwise("0"),
       array(FIELD(L, f), "constant force", "n").in("N").otherwise("0"),
       function(FIELD(L, force), signature::time, "t", "force F(t), added to f", "n").in("N"),
       CONTROL(L), PARAMETERS(L, z, n_z),
       array(FIELD(L, typical_q), "typical sizes of q, for differences", "n").more_than(0),
       array(FIELD(L, typical_v), "typical sizes of v, for differences", "n").more_than(0)});
  k.begin = begin_system<L, perp_lagrangian_linear_init>, k.user = offsetof(L, user);
  all->push_back(k);

  using N = perp_lagrangian;
  k = system(
      "lagrangian", "perp_lagrangian", sizeof(N), 2,
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
  k.begin = begin_system<N, perp_lagrangian_init>, k.user = offsetof(N, user);
  all->push_back(k);

  using B = perp_body;
  k = system(
      "newton_euler", "perp_body", sizeof(B), 2,
      "rigid body in space: q = (x, unit quaternion), v = (x', angular velocity in its frame)",
      {number(FIELD(B, mass), "mass").in("kg").more_than(0).otherwise("1"),
       numbers(FIELD(B, inertia), "inertia about the centre of mass, in the frame of the body", "3",
               "3")
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
  k.begin = begin_body, k.user = offsetof(B, user);
  all->push_back(k);

  using F = perp_first_order_linear;
  k = system("first_order_linear", "perp_first_order_linear", sizeof(F), 1,
             "M x' = (A + A(t)) x + b + B(t) + T(x) u(t, x) + reactions",
             {operation(FIELD(F, M), "regular").otherwise("1"),
              operation(FIELD(F, A), "state matrix").otherwise("0"),
              array(FIELD(F, b), "constant input", "n").otherwise("0"),
              function(FIELD(F, input), signature::time, "t", "input B(t), added to b", "n"),
              function(FIELD(F, state_matrix), signature::time, "t", "A(t), added to A", "n", "n"),
              CONTROL(F), PARAMETERS(F, z, n_z),
              array(FIELD(F, typical), "typical sizes of x, for differences", "n").more_than(0)});
  k.begin = begin_system<F, perp_first_order_linear_init>, k.user = offsetof(F, user);
  all->push_back(k);

  using G = perp_first_order;
  k = system("first_order", "perp_first_order", sizeof(G), 1,
             "M x' = f(t, x) + T(x) u(t, x) + reactions",
             {operation(FIELD(G, M), "constant, regular").otherwise("1"),
              function(FIELD(G, f), signature::first_order, "t x z", "right-hand side", "n")
                  .derived(FIELD(G, f_dx), "x")
                  .must(),
              CONTROL(G), PARAMETERS(G, z, n_z),
              array(FIELD(G, typical), "typical sizes of x, for differences", "n").more_than(0)});
  k.begin = begin_system<G, perp_first_order_init>, k.user = offsetof(G, user);
  all->push_back(k);
}

kind relation(const char *name, const char *structure, std::size_t bytes, int order,
              const char *says, std::vector<key> keys) {
  kind k;
  k.group = "relation", k.name = name, k.structure = structure, k.bytes = bytes, k.says = says;
  k.order = order, k.keys = std::move(keys);
  return k;
}

key rows_key() {
  return own("m", holds::integer, "rows; without it as many as its arrays have").from(1);
}

// Of the three set-ups of one struct: what h reads tells them apart.
kind gap_relation(const char *name, const char *says, const char *reads) {
  using R = perp_lagrangian_relation;
  key h = function(FIELD(R, h), signature::gap, reads, "gap y", "m").must();
  h.derived(FIELD(R, H), "q");
  if (std::string_view(reads).find('t') != std::string_view::npos) h.derived(FIELD(R, h_dt), "t");
  if (std::string_view(reads).find("lambda") != std::string_view::npos)
    h.derived(FIELD(R, D), "lambda");
  kind k = relation(
      name, "perp_lagrangian_relation", sizeof(R), 2, says,
      {rows_key(), h,
       function(FIELD(R, bias), signature::velocity, "t q v z",
                "g in y'' = H v' + g, for event-driven runs; without it by differences", "m"),
       PARAMETERS(R, z, n_z),
       array(FIELD(R, typical_q), "typical sizes of q, for differences", "n").more_than(0),
       array(FIELD(R, typical_lambda), "typical sizes of lambda, for differences", "m")
           .more_than(0)});
  k.user = offsetof(R, user);
  return k;
}

void add_relations(std::vector<kind> *all) {
  using H = perp_lagrangian_linear_relation;
  kind k =
      relation("lagrangian_linear", "perp_lagrangian_linear_relation", sizeof(H), 2,
               "y = H q + F z + b, y' = H v + D lambda, reaction H^T lambda",
               {rows_key(), array(FIELD(H, H), "by rows", "m", "n"),
                array(FIELD(H, D), "acts where lambda is solved", "m", "m").otherwise("0"),
                array(FIELD(H, F), "of the parameters z", "m", "n_z").otherwise("0"),
                array(FIELD(H, b), "constant part of y", "m").otherwise("0"), PARAMETERS(H, z, n_z),
                operation(FIELD(H, H_rows), "H as compressed rows").shape("m", "n")});
  k.begin = begin_relation<H, perp_lagrangian_linear_relation_init>;
  all->push_back(k);

  k = gap_relation("lagrangian_scleronomous", "y = h(q), y' = H v, H = dh/dq", "q z");
  k.begin = begin_relation<perp_lagrangian_relation, perp_lagrangian_scleronomous_init>;
  all->push_back(k);
  k = gap_relation("lagrangian_rheonomous", "y = h(t, q), y' = H v + dh/dt, H = dh/dq", "t q z");
  k.begin = begin_relation<perp_lagrangian_relation, perp_lagrangian_rheonomous_init>;
  all->push_back(k);
  k = gap_relation("lagrangian_compliant",
                   "y = h(q, lambda), lambda a force, y' = H v + dh/dlambda lambda'", "q lambda z");
  k.begin = begin_relation<perp_lagrangian_relation, perp_lagrangian_compliant_init>;
  all->push_back(k);

  using V = perp_lagrangian_velocity_relation;
  k = relation(
      "lagrangian_velocity", "perp_lagrangian_velocity_relation", sizeof(V), 2,
      "y' = g(t, q, v), reaction H^T lambda, H = dg/dv; without a position",
      {rows_key(),
       function(FIELD(V, g), signature::velocity, "t q v z", "relative velocity y'", "m")
           .derived(FIELD(V, H), "v")
           .must(),
       function(FIELD(V, bias), signature::velocity, "t q v z",
                "g in y'' = H v' + g, for event-driven runs; without it by differences", "m"),
       PARAMETERS(V, z, n_z),
       array(FIELD(V, typical_v), "typical sizes of v, for differences", "n").more_than(0)});
  k.begin = begin_relation<V, perp_lagrangian_velocity_relation_init>, k.user = offsetof(V, user);
  all->push_back(k);

  using U = perp_prescribed_velocity;
  key which = begin(FIELD(U, index), holds::indices, "velocities that are prescribed, from 0")
                  .shape("m")
                  .from(0)
                  .must();
  k = relation("prescribed_velocity", "perp_prescribed_velocity", sizeof(U), 2,
               "y' = v[index] - (constant + F(t)), with the law equality: motors",
               {rows_key(), which, array(FIELD(U, constant), "part of it", "m").otherwise("0"),
                function(FIELD(U, velocity), signature::time, "t", "F(t), the other part", "m")});
  k.begin = begin_relation<U, perp_prescribed_velocity_init>, k.user = offsetof(U, user);
  all->push_back(k);

  using C = perp_lagrangian_contact_relation;
  k = relation(
      "lagrangian_contact", "perp_lagrangian_contact_relation", sizeof(C), 2,
      "a contact with tangential directions: first row the gap h(t, q), others T(t, q) v + s(t, q)",
      {rows_key(),
       function(FIELD(C, h), signature::gap, "t q z", "gap", "1")
           .derived(FIELD(C, G), "q")
           .derived(FIELD(C, h_dt), "t")
           .must(),
       function(FIELD(C, T), signature::gap, "t q z", "tangential directions, by rows", "m - 1",
                "n")
           .must(),
       function(FIELD(C, s), signature::gap, "t q z",
                "tangential velocity of what is touched, with its sign in y'", "m - 1"),
       function(FIELD(C, bias), signature::velocity, "t q v z",
                "g in y'' = H v' + g, for event-driven runs; without it by differences", "m"),
       PARAMETERS(C, z, n_z),
       array(FIELD(C, typical_q), "typical sizes of q, for differences", "n").more_than(0)});
  k.begin = begin_contact_relation, k.user = offsetof(C, user);
  all->push_back(k);

  using P = perp_linear_relation;
  k = relation(
      "linear", "perp_linear_relation", sizeof(P), 1,
      "y = C x + D lambda + F z + e, reaction B lambda + a",
      {rows_key(), array(FIELD(P, C), "by rows", "m", "n").must(),
       array(FIELD(P, D), "by rows", "m", "m").otherwise("0"),
       array(FIELD(P, B), "by rows; without it y is only observed", "n", "m").otherwise("0"),
       array(FIELD(P, F), "of the parameters z", "m", "n_z").otherwise("0"),
       array(FIELD(P, e), "constant part of y", "m").otherwise("0"),
       array(FIELD(P, a), "constant part of the reaction", "n").otherwise("0"),
       PARAMETERS(P, z, n_z)});
  k.begin = begin_relation<P, perp_linear_relation_init>;
  all->push_back(k);

  using W = perp_linear_varying_relation;
  k = relation("linear_varying", "perp_linear_varying_relation", sizeof(W), 1,
               "y = C(t) x + D(t) lambda + F(t) z + e(t), reaction B(t) lambda + a(t)",
               {rows_key(), function(FIELD(W, C), signature::time, "t", "by rows", "m", "n"),
                function(FIELD(W, D), signature::time, "t", "by rows", "m", "m"),
                function(FIELD(W, B), signature::time, "t", "by rows", "n", "m"),
                function(FIELD(W, F), signature::time, "t", "by rows", "m", "n_z"),
                function(FIELD(W, e), signature::time, "t", "part of y", "m"),
                function(FIELD(W, a), signature::time, "t", "part of the reaction", "n"),
                PARAMETERS(W, linear.z, linear.n_z)});
  k.begin = begin_relation<W, perp_linear_varying_relation_init>, k.user = offsetof(W, user);
  all->push_back(k);

  using Q = perp_first_order_relation;
  k = relation("first_order", "perp_first_order_relation", sizeof(Q), 1,
               "y = h(t, x, lambda), reaction g(t, x, lambda)",
               {rows_key(),
                function(FIELD(Q, h), signature::relation, "t x lambda z", "output y", "m")
                    .derived(FIELD(Q, C), "x")
                    .derived(FIELD(Q, D), "lambda")
                    .derived(FIELD(Q, h_dt), "t")
                    .must(),
                function(FIELD(Q, g), signature::relation, "t x lambda z",
                         "reaction; without it y is only observed", "n")
                    .derived(FIELD(Q, B), "lambda")
                    .derived(FIELD(Q, K), "x"),
                PARAMETERS(Q, z, n_z),
                array(FIELD(Q, typical_x), "typical sizes of x, for differences", "n").more_than(0),
                array(FIELD(Q, typical_lambda), "typical sizes of lambda, for differences", "m")
                    .more_than(0)});
  k.begin = begin_relation<Q, perp_first_order_relation_init>, k.user = offsetof(Q, user);
  all->push_back(k);

  using S = perp_sphere_plane;
  k = relation("sphere_plane", "perp_sphere_plane", sizeof(S), 2,
               "contact of a sphere about the centre of mass of a body with a plane",
               {rows_key(), number(FIELD(S, radius), "of the sphere").in("m").more_than(0).must(),
                numbers(FIELD(S, normal), "of the plane, length 1", "3").must(),
                number(FIELD(S, offset), "of the plane from the origin, along normal")
                    .in("m")
                    .otherwise("0")});
  all->push_back(k);
  using T = perp_sphere_sphere;
  k = relation("sphere_sphere", "perp_sphere_sphere", sizeof(T), 2,
               "contact of two spheres about the centres of mass of two bodies",
               {rows_key(), numbers(FIELD(T, radius), "of both", "2").in("m").more_than(0).must()});
  all->push_back(k);
  using O = perp_point_plane;
  k = relation(
      "point_plane", "perp_point_plane", sizeof(O), 2,
      "contact of a point of a body, as a corner of a box, with a plane",
      {rows_key(), numbers(FIELD(O, point), "in the frame of the body", "3").in("m").must(),
       numbers(FIELD(O, normal), "of the plane, length 1", "3").must(),
       number(FIELD(O, offset), "of the plane from the origin, along normal")
           .in("m")
           .otherwise("0")});
  all->push_back(k);

  using J = perp_joint;
  const std::vector<choice> joints = {
      {"spherical", PERP_JOINT_SPHERICAL}, {"pivot", PERP_JOINT_PIVOT},
      {"prismatic", PERP_JOINT_PRISMATIC}, {"cylindrical", PERP_JOINT_CYLINDRICAL},
      {"fixed", PERP_JOINT_FIXED},         {"screw", PERP_JOINT_SCREW}};
  k = relation(
      "joint", "perp_joint", sizeof(J), 2,
      "joint of two bodies, or of a body and the ground, placed by where they start",
      {named("kind", "joint", holds::option, joints, "what remains free").otherwise("spherical"),
       own("point", holds::array, "where it is at the start, in the fixed frame")
           .in("m")
           .shape("3")
           .must(),
       own("axis", holds::array, "its direction then").shape("3").otherwise("[1, 0, 0]"),
       number(FIELD(J, lead), "of a screw: translation in one turn").in("m").otherwise("0")});
  k.begin = begin_joint;
  all->push_back(k);

  using X = perp_joint_coordinate;
  k = relation(
      "joint_coordinate", "perp_joint_coordinate", sizeof(X), 2,
      "a drive, friction or stops on a coordinate of a joint of the same bodies",
      {named("joint", "joint", holds::name, {}, "interaction that has the joint").must(),
       option(FIELD(X, coordinate),
              {{"angle", PERP_COORDINATE_ANGLE}, {"translation", PERP_COORDINATE_TRANSLATION}},
              "which"),
       option(FIELD(X, use),
              {{"rate", PERP_COORDINATE_RATE},
               {"effort", PERP_COORDINATE_EFFORT},
               {"stops", PERP_COORDINATE_STOPS},
               {"lower", PERP_COORDINATE_LOWER},
               {"upper", PERP_COORDINATE_UPPER}},
              "rate: a drive; effort: friction, or a drive of limited effort; stops: both"),
       number(FIELD(X, lower), "stop").in("rad or m").otherwise("0"),
       number(FIELD(X, upper), "stop, more than lower").in("rad or m").otherwise("0"),
       number(FIELD(X, centre), "angles are taken within pi of it").in("rad").otherwise("0"),
       function(FIELD(X, rate), signature::time, "t", "prescribed rate", "1").in("rad/s or m/s")});
  k.user = offsetof(X, user);
  all->push_back(k);

  using E = perp_gear;
  k = relation("gear", "perp_gear", sizeof(E), 2,
               "a pair of gears on two bodies, carried by the ground or by a third",
               {integer(FIELD(E, teeth_a), "of the first").from(1).otherwise("1"),
                integer(FIELD(E, teeth_b), "of the second, not 0; < 0: internal").otherwise("1"),
                own("axis_a", holds::array, "of the first, at the start").shape("3").must(),
                own("axis_b", holds::array, "of the second, at the start").shape("3").must()});
  k.begin = begin_gear;
  all->push_back(k);
}

kind law(const char *name, const char *structure, std::size_t bytes, const char *says,
         std::vector<key> keys) {
  kind k;
  k.group = "law", k.name = name, k.structure = structure, k.bytes = bytes, k.says = says;
  k.keys = std::move(keys);
  return k;
}

void add_laws(std::vector<kind> *all) {
  const char *const rows = "components of a copy: 2 in the plane, 3 in space";
  const char *const many = "components of a copy";
  all->push_back(law("equality", "perp_equality", sizeof(perp_equality), "y = 0, lambda free",
                     {integer(FIELD(perp_equality, law.size), many).from(1).otherwise("1")}));
  all->back().begin = begin_law<perp_equality, perp_equality_init>;
  all->push_back(
      law("complementarity", "perp_complementarity", sizeof(perp_complementarity),
          "0 <= y _|_ lambda >= 0",
          {integer(FIELD(perp_complementarity, law.size), many).from(1).otherwise("1")}));
  all->back().begin = begin_law<perp_complementarity, perp_complementarity_init>;
  all->push_back(
      law("newton_impact", "perp_newton_impact", sizeof(perp_newton_impact),
          "unilateral contact, 0 <= y'+ + e y'- _|_ lambda >= 0 while closed",
          {integer(FIELD(perp_newton_impact, law.size), many).from(1).otherwise("1"),
           number(FIELD(perp_newton_impact, e), "restitution").from(0).to(1).otherwise("0")}));
  all->back().begin = begin_law<perp_newton_impact, perp_newton_impact_init>;
  all->push_back(law(
      "box", "perp_box", sizeof(perp_box),
      "lambda = lower where y > 0, upper where y < 0, between: y = 0 (relay, saturation)",
      {integer(FIELD(perp_box, law.size), "components; without it as many as lower has").from(1),
       array(FIELD(perp_box, lower), "may hold -inf", "size").or_infinite().must(),
       array(FIELD(perp_box, upper), "may hold inf", "size").or_infinite().must()}));
  all->back().begin = begin_law<perp_box, perp_box_init>;
  all->push_back(law("polyhedron", "perp_polyhedron", sizeof(perp_polyhedron),
                     "-y in the normal cone of {lambda: H lambda >= K}",
                     {integer(FIELD(perp_polyhedron, law.size), many).from(1).must(),
                      operation(FIELD(perp_polyhedron, H), "by rows").shape("rows", "size").must(),
                      array(FIELD(perp_polyhedron, K), "right-hand side", "rows").must()}));
  all->back().begin = begin_law<perp_polyhedron, perp_polyhedron_init>;
  all->push_back(law(
      "friction", "perp_friction", sizeof(perp_friction),
      "unilateral contact with Coulomb friction, normal first",
      {integer(FIELD(perp_friction, law.size), rows).from(2).to(3).otherwise("3"),
       number(FIELD(perp_friction, mu), "coefficient of friction").from(0).otherwise("0"),
       number(FIELD(perp_friction, e_n), "normal restitution").from(0).to(1).otherwise("0"),
       number(FIELD(perp_friction, e_t), "tangential restitution").from(-1).to(1).otherwise("0")}));
  all->back().begin = begin_law<perp_friction, perp_friction_init>;
  all->push_back(law(
      "rolling", "perp_rolling", sizeof(perp_rolling),
      "contact with friction and resistance to rolling",
      {integer(FIELD(perp_rolling, law.size), "components of a copy: 3 in the plane, 5 in space")
           .from(3)
           .to(5)
           .otherwise("5"),
       number(FIELD(perp_rolling, mu), "coefficient of friction").from(0).otherwise("0"),
       number(FIELD(perp_rolling, mu_rolling), "coefficient of rolling friction")
           .in("m")
           .from(0)
           .otherwise("0"),
       number(FIELD(perp_rolling, e_n), "normal restitution").from(0).to(1).otherwise("0"),
       number(FIELD(perp_rolling, e_t), "of sliding and rolling").from(-1).to(1).otherwise("0")}));
  all->back().begin = begin_law<perp_rolling, perp_rolling_init>;
  all->push_back(law("mixed", "perp_mixed", sizeof(perp_mixed),
                     "some equalities, then complementarities",
                     {integer(FIELD(perp_mixed, law.size), many).from(1).otherwise("1"),
                      integer(FIELD(perp_mixed, equalities), "how many components are equalities")
                          .from(0)
                          .otherwise("0")}));
  all->back().begin = begin_law<perp_mixed, perp_mixed_init>;
  all->push_back(law(
      "compliant", "perp_compliant", sizeof(perp_compliant),
      "unilateral contact of a spring and a damper side by side",
      {integer(FIELD(perp_compliant, law.size), many).from(1).otherwise("1"),
       number(FIELD(perp_compliant, k), "stiffness").in("N/m").from(0).otherwise("0"),
       number(FIELD(perp_compliant, c), "damping; k + c > 0").in("N s/m").from(0).otherwise("0"),
       number(FIELD(perp_compliant, theta), "as that of the integrator")
           .more_than(0)
           .to(1)
           .otherwise("0.5")}));
  all->back().begin = begin_law<perp_compliant, perp_compliant_init>;
  all->push_back(law(
      "fremond", "perp_fremond", sizeof(perp_fremond), "friction with Fremond's impact law",
      {integer(FIELD(perp_fremond, friction.law.size), rows).from(2).to(3).otherwise("3"),
       number(FIELD(perp_fremond, friction.mu), "coefficient of friction").from(0).otherwise("0"),
       number(FIELD(perp_fremond, friction.e_n), "normal restitution")
           .from(0)
           .to(1)
           .otherwise("0")}));
  all->back().begin = begin_law<perp_fremond, perp_fremond_init>;
  all->push_back(law(
      "cohesive", "perp_cohesive", sizeof(perp_cohesive),
      "contact with friction between surfaces that a cohesive zone holds together",
      {integer(FIELD(perp_cohesive, friction.law.size), rows).from(2).to(3).otherwise("3"),
       number(FIELD(perp_cohesive, friction.mu), "coefficient of friction").from(0).otherwise("0"),
       number(FIELD(perp_cohesive, friction.e_n), "normal restitution, once broken")
           .from(0)
           .to(1)
           .otherwise("0"),
       number(FIELD(perp_cohesive, friction.e_t), "tangential restitution, once broken")
           .from(-1)
           .to(1)
           .otherwise("0"),
       number(FIELD(perp_cohesive, sigma_c), "tensile strength").in("Pa").from(0).otherwise("0"),
       number(FIELD(perp_cohesive, G_c), "fracture energy").in("J/m^2").more_than(0).must(),
       number(FIELD(perp_cohesive, area), "of one copy").in("m^2").more_than(0).otherwise("1"),
       number(FIELD(perp_cohesive, slip_weight), "of slip in the opening")
           .from(0)
           .otherwise("1")}));
  all->back().begin = begin_law<perp_cohesive, perp_cohesive_init>;
  using G = perp_piecewise_linear;
  key points = array(FIELD(G, y), "breakpoints, not decreasing", "points").must();
  points.length = "points", points.length_offset = offsetof(G, points);
  all->push_back(
      law("piecewise_linear", "perp_piecewise_linear", sizeof(G),
          "a graph lambda(y) that does not increase, by its breakpoints",
          {points, array(FIELD(G, lambda), "at the breakpoints, not increasing", "points").must(),
           number(FIELD(G, slope_before), "-dlambda/dy before the first; inf: vertical")
               .from(0)
               .or_infinite()
               .otherwise("0"),
           number(FIELD(G, slope_after), "-dlambda/dy behind the last; inf: vertical")
               .from(0)
               .or_infinite()
               .otherwise("0")}));
  all->back().begin = begin_graph;
}

std::vector<key> solver_keys() {
  using O = perp_solver_options;
  return {integer(FIELD(O, max_iter), "iterations allowed; 0: the solver's own rule")
              .from(0)
              .otherwise("0"),
          number(FIELD(O, tol), "accepted relative residual").from(0).otherwise("1e-10"),
          number(FIELD(O, budget), "multiply-adds allowed; 0: the solver's own rule")
              .from(0)
              .otherwise("0")};
}

kind solver(const char *name, const char *structure, std::size_t bytes, const char *says,
            std::vector<key> keys) {
  kind k;
  k.group = "solver", k.name = name, k.structure = structure, k.bytes = bytes, k.says = says;
  k.keys = joined(solver_keys(), std::move(keys));
  return k;
}

key factorises(const char *field) {
  return named(field, "sparse", holds::option, {{"none", 0}, {"klu", 1}, {"ldl", 2}},
               "who factorises sparse matrices")
      .otherwise("none");
}

void add_solvers(std::vector<kind> *all) {
  const auto add = [all](const char *name, const char *structure, std::size_t bytes,
                         const char *says, std::vector<key> keys) {
    all->push_back(solver(name, structure, bytes, says, std::move(keys)));
  };
#define OPTIONS(s) "perp_" #s "_options", sizeof(perp_##s##_options)
  add("auto", OPTIONS(auto), "chooses among the solvers",
      {truth(FIELD(perp_auto_options, allocate), "KLU and LDL may be called").otherwise("true")});
  add("lemke", OPTIONS(lemke), "Lemke's pivoting", {});
  using S = perp_active_set_options;
  add("active-set", OPTIONS(active_set), "active set",
      {number(FIELD(S, proximal), "of the proximal loop").more_than(0).otherwise("1e-6")});
  using I = perp_interior_point_options;
  add("interior-point", OPTIONS(interior_point), "interior point",
      {integer(FIELD(I, correctors), "a step may try").from(0).to(4).otherwise("2"),
       truth(FIELD(I, crossover), "finish by solving the active set").otherwise("true"),
       factorises("sparse")});
  using N = perp_newton_options;
  const auto newton = [] {
    return std::vector<key>{
        integer(FIELD(N, history), "merits looked back on").from(1).to(16).otherwise("5"),
        integer(FIELD(N, restarts), "starts tried").from(0).otherwise("30")};
  };
  add("newton-fb", OPTIONS(newton), "Newton's method on the Fischer-Burmeister function", newton());
  add("newton-min", OPTIONS(newton), "Newton's method on the minimum function", newton());
  using C = perp_cpg_options;
  add("cpg", OPTIONS(cpg), "conjugate projected gradients",
      {number(FIELD(C, proportion), "when bounds are released").more_than(0).otherwise("0.5")});
  using F = perp_friction_newton_options;
  add("friction-newton", OPTIONS(friction_newton), "nonsmooth Newton for friction",
      {option(FIELD(F, function),
              {{"natural", PERP_FRICTION_NATURAL},
               {"alart_curnier", PERP_FRICTION_ALART_CURNIER},
               {"jean_moreau", PERP_FRICTION_JEAN_MOREAU}},
              "whose zero is looked for")
           .otherwise("alart_curnier"),
       option(FIELD(F, search),
              {{"watchdog", PERP_SEARCH_WATCHDOG},
               {"nonmonotone", PERP_SEARCH_NONMONOTONE},
               {"goldstein_price", PERP_SEARCH_GOLDSTEIN_PRICE},
               {"none", PERP_SEARCH_NONE}},
              "line search"),
       integer(FIELD(F, history), "steps looked back on").from(1).to(16).otherwise("6"),
       integer(FIELD(F, sweeps), "before the first step").from(0).otherwise("10"),
       number(FIELD(F, proximal), "largest proximal parameter").from(0).otherwise("1"),
       factorises("sparse")});
  using P = perp_pgs_options;
  add("pgs", OPTIONS(pgs), "projected Gauss-Seidel",
      {number(FIELD(P, omega), "relaxation").more_than(0).to(2).otherwise("1"),
       number(FIELD(P, regularisation), "of the proximal loop").from(0).otherwise("0"),
       truth(FIELD(P, symmetric), "every second sweep goes backward"),
       integer(FIELD(P, check), "sweeps between two looks at the residual")
           .from(1)
           .otherwise("5")});
  using A = perp_admm_options;
  add("admm", OPTIONS(admm), "ADMM",
      {number(FIELD(A, rho), "first penalty").more_than(0).otherwise("0.3"),
       number(FIELD(A, relaxation), "1: none").more_than(0).to(2).otherwise("1"),
       integer(FIELD(A, memory), "of the acceleration").from(0).to(30).otherwise("10"),
       integer(FIELD(A, updates), "times the penalty may change").from(0).otherwise("20"),
       truth(FIELD(A, outer), "De Saxce's term is kept until the convex problem is solved"),
       factorises("sparse")});
  using B = perp_box_pivoting_options;
  add("box-pivoting", OPTIONS(box_pivoting), "pivoting for bounds",
      {number(FIELD(B, proximal), "of the proximal loop").more_than(0).otherwise("1e-6")});
  add("avi-pivoting", OPTIONS(avi_pivoting), "pivoting for polyhedra",
      {named("engine", "engine", holds::name, {}, "solver of the box form")
           .otherwise("box-pivoting")});
  using K = perp_block_pivoting_options;
  add("block-pivoting", OPTIONS(block_pivoting), "block pivoting",
      {number(FIELD(K, proximal), "of the proximal loop").more_than(0).otherwise("1e-6"),
       integer(FIELD(K, patience), "exchanges before single ones").from(0).otherwise("5")});
  add("murty", "perp_solver_options", sizeof(perp_solver_options), "Murty's least index", {});
  using V = perp_vi_options;
  const auto vi = [] {
    return std::vector<key>{
        number(FIELD(V, step), "first step; 0: from differences").from(0).otherwise("0"),
        number(FIELD(V, ratio), "of the rule for steps").more_than(0).to(1).otherwise("0.9"),
        number(FIELD(V, shrink), "of a step that fails")
            .more_than(0)
            .to(1)
            .otherwise("0.6666666666666666"),
        number(FIELD(V, grow), "of an easy step").from(1).otherwise("1.5")};
  };
  add("extragradient", OPTIONS(vi), "extragradient", vi());
  add("fixed-point", OPTIONS(vi), "fixed point", vi());
  using T = perp_friction_interior_options;
  add("friction-interior", OPTIONS(friction_interior), "interior point for friction",
      {option(
           FIELD(T, coupling),
           {{"newton", PERP_FRICTION_INTERIOR_NEWTON}, {"lagged", PERP_FRICTION_INTERIOR_LAGGED}},
           "how De Saxce's term follows"),
       truth(FIELD(T, crossover), "finish by Newton's method").otherwise("true"),
       factorises("sparse")});
  add("friction-lemke", "perp_solver_options", sizeof(perp_solver_options), "pivoting for friction",
      {});
  add("enumeration", "perp_solver_options", sizeof(perp_solver_options), "all modes in turn", {});
  using G = perp_nsgs_options;
  const auto nsgs = [] {
    return std::vector<key>{
        number(FIELD(G, omega), "relaxation").more_than(0).to(2).otherwise("1"),
        number(FIELD(G, regularisation), "of the proximal loop").from(0).otherwise("0"),
        option(FIELD(G, order),
               {{"forward", PERP_NSGS_FORWARD},
                {"symmetric", PERP_NSGS_SYMMETRIC},
                {"shuffled", PERP_NSGS_SHUFFLED}},
               "of the contacts in a sweep"),
        option(FIELD(G, acceleration),
               {{"plain", PERP_NSGS_PLAIN},
                {"anderson", PERP_NSGS_ANDERSON},
                {"momentum", PERP_NSGS_MOMENTUM}},
               "of the sweeps")
            .otherwise("anderson"),
        integer(FIELD(G, depth), "of Anderson's acceleration").from(1).otherwise("5"),
        integer(FIELD(G, freeze), "sweeps for which a contact at rest is left out")
            .from(0)
            .otherwise("0"),
        integer(FIELD(G, check), "sweeps between two looks").from(1).otherwise("10"),
        truth(FIELD(G, colours), "contacts ordered by colours")};
  };
  add("nsgs", OPTIONS(nsgs), "nonsmooth Gauss-Seidel", nsgs());
  add("nsgs-small", "perp_solver_options", sizeof(perp_solver_options),
      "nonsmooth Gauss-Seidel without acceleration", {});
#undef OPTIONS
}

kind simulation() {
  using O = perp_simulation_options;
  kind k;
  k.group = k.name = "simulation", k.structure = "perp_simulation_options", k.bytes = sizeof(O);
  k.says = "time-stepping";
  k.keys = {
      number(FIELD(O, h), "step length").in("s").more_than(0),
      own("until", holds::number, "last time").in("s"),
      integer(FIELD(O, steps), "steps of the grid; 0: no end").from(0).otherwise("0"),
      number(FIELD(O, t0), "first time").in("s").otherwise("0"),
      array(FIELD(O, grid), "increasing times of the steps, in place of h", "steps + 1").in("s"),
      named("integrator", "integrator", holds::name, {},
            "moreau_jean, schatzman_paoli; at order 1 theta, theta_gamma, theta_gamma_full")
          .otherwise("moreau_jean, at order 1 theta"),
      number(FIELD(O, theta), "weight of the end of a step").from(0).to(1).otherwise("0.5"),
      number(FIELD(O, gamma), "prediction of the gap").from(0).to(2).otherwise("0.5"),
      number(FIELD(O, reaction_gamma), "of the theta-gamma schemes").from(0).to(1).otherwise("1"),
      number(FIELD(O, min_gap), "smallest gap at the start").otherwise("-1e-3"),
      number(FIELD(O, gap_tol), "acts where the predicted gap is at most that")
          .from(0)
          .otherwise("0"),
      named("solver", "solver", holds::table, {},
            "of the one-step problems: a name, or a table with name and its options")
          .otherwise("auto"),
      named("backend", "backend", holds::option, {{"own", 0}, {"lapack", 1}},
            "of large dense systems")
          .otherwise("own"),
      named("sparse", "sparse", holds::option, {{"none", 0}, {"klu", 1}, {"ldl", 2}},
            "who factorises sparse matrices")
          .otherwise("none"),
      named("global", "global", holds::option, {{"none", 0}, {"admm", 1}},
            "who solves problems in global form")
          .otherwise("none"),
      option(FIELD(O, formulation),
             {{"reduced", PERP_FORMULATION_REDUCED},
              {"global", PERP_FORMULATION_GLOBAL},
              {"auto", PERP_FORMULATION_AUTO}},
             "form of the one-step problems"),
      option(FIELD(O, on_failure),
             {{"stop", PERP_FAILURE_STOP},
              {"retry", PERP_FAILURE_RETRY},
              {"accept", PERP_FAILURE_ACCEPT}},
             "what a step does that is not solved"),
      integer(FIELD(O, max_halvings), "for retry").from(0).to(20).otherwise("4"),
      number(FIELD(O, accept_tol), "for accept").from(0).or_infinite().otherwise("1e-2"),
      option(FIELD(O, newton_stop),
             {{"residual", PERP_NEWTON_RESIDUAL},
              {"dynamics", PERP_NEWTON_DYNAMICS},
              {"fixed", PERP_NEWTON_FIXED}},
             "when Newton's iteration ends"),
      option(FIELD(O, newton_start),
             {{"current", PERP_NEWTON_FROM_CURRENT}, {"position", PERP_NEWTON_FROM_POSITION}},
             "where it starts"),
      integer(FIELD(O, newton_max), "iterations of one step").from(1).otherwise("50"),
      integer(FIELD(O, newton_halvings), "of its line search").from(0).otherwise("8"),
      number(FIELD(O, newton_tol), "of its defect").more_than(0).otherwise("1e-10"),
      option(FIELD(O, projection),
             {{"none", PERP_PROJECT_NONE},
              {"positions", PERP_PROJECT_POSITIONS},
              {"combined", PERP_PROJECT_COMBINED}},
             "what is done about drift"),
      integer(FIELD(O, projection_max), "passes of one step").from(1).otherwise("20"),
      number(FIELD(O, projection_tol), "largest error left of an equality")
          .more_than(0)
          .otherwise("1e-8"),
      number(FIELD(O, projection_tol_unilateral), "largest penetration left")
          .more_than(0)
          .otherwise("1e-8"),
      number(FIELD(O, equality_tol), "by how much equalities that contradict may be missed")
          .from(0)
          .otherwise("1e-3"),
      truth(FIELD(O, switchable), "systems may be switched off")};
  return k;
}

kind events() {
  using O = perp_event_options;
  kind k;
  k.group = k.name = "events", k.structure = "perp_event_options", k.bytes = sizeof(O);
  k.says = "event-driven integration, in place of simulation";
  k.keys = {
      own("until", holds::number, "last time").in("s").must(),
      own("every", holds::number, "distance of outputs").in("s").more_than(0),
      number(FIELD(O, t0), "first time").in("s").otherwise("0"),
      named("smooth", "smooth", holds::option,
            {{"runge_kutta", 0}, {"adams", 1}, {"bdf", 2}, {"arkode", 3}, {"ida", 4}},
            "integrator of the smooth motion")
          .otherwise("runge_kutta"),
      integer(FIELD(O, order), "highest order; 0: its own").from(0).otherwise("0"),
      number(FIELD(O, rtol), "relative tolerance").more_than(0).otherwise("1e-10"),
      number(FIELD(O, atol), "absolute tolerance").more_than(0).otherwise("1e-12"),
      array(FIELD(O, atols), "absolute ones: all q, all v, all x", "state").more_than(0),
      option(FIELD(O, linear),
             {{"auto", PERP_LINEAR_AUTO},
              {"dense", PERP_LINEAR_DENSE},
              {"banded", PERP_LINEAR_BANDED},
              {"sparse", PERP_LINEAR_SPARSE}},
             "matrix of implicit methods"),
      integer(FIELD(O, max_steps), "between two events or outputs").from(1).otherwise("100000"),
      number(FIELD(O, h_first), "first step; 0: its own choice").in("s").from(0).otherwise("0"),
      number(FIELD(O, h_max), "longest step; 0: none").in("s").from(0).otherwise("0"),
      number(FIELD(O, contact_tol), "gap at which a contact is closed")
          .more_than(0)
          .otherwise("1e-10"),
      number(FIELD(O, min_gap), "smallest gap at the start").to(0).otherwise("-1e-6"),
      number(FIELD(O, velocity_tol), "speed at which a contact is at rest")
          .more_than(0)
          .otherwise("1e-10"),
      option(FIELD(O, impact),
             {{"law", PERP_IMPACT_LAW}, {"poisson", PERP_IMPACT_POISSON}, {"lzb", PERP_IMPACT_LZB}},
             "which law an impact obeys"),
      begin(FIELD(O, lzb), holds::part, "of impacts by Liu, Zhao and Brogliato"),
      option(FIELD(O, zeno),
             {{"jump", PERP_ZENO_JUMP}, {"step", PERP_ZENO_STEP}, {"stop", PERP_ZENO_STOP}},
             "what happens where impacts accumulate"),
      named("stepping", "stepping", holds::table, {}, "for zeno = step: as the table simulation"),
      number(FIELD(O, zeno_tol), "largest excursion cut off").more_than(0).otherwise("1e-13"),
      integer(FIELD(O, storm_events), "so many events ...").from(2).otherwise("1000"),
      number(FIELD(O, storm_time), "... in less than this end the run")
          .in("s")
          .more_than(0)
          .otherwise("1e-6"),
      integer(FIELD(O, samples), "points of a step at which forces are looked at")
          .from(0)
          .otherwise("4"),
      named("solver", "solver", holds::table, {},
            "of the problems at events: a name, or a table with name and its options")
          .otherwise("auto")};
  for (key &each : k.keys)
    if (each.what == holds::part) each.within = lzb_part;
  return k;
}

kind part(const char *name, const char *structure, std::size_t bytes, const char *says,
          std::vector<key> keys) {
  kind k;
  k.group = "part", k.name = name, k.structure = structure, k.bytes = bytes, k.says = says;
  k.keys = std::move(keys);
  return k;
}

void add_parts(std::vector<kind> *all) {
  using C = perp_control;
  key u = function(FIELD(C, u), signature::state, "t q v x z", "control u(t, q, v)", "n_u").must();
  u.derived(FIELD(C, u_dq), "q").derived(FIELD(C, u_dv), "v");
  u.length = "n_u", u.length_offset = offsetof(C, n_u);
  kind control = part(
      "control", "perp_control", sizeof(C), "control T(q) u(t, q, v), at order 1 T(x) u(t, x)",
      {u, array(FIELD(C, T), "constant T, by rows; or effect gives it", "n", "n_u"),
       function(FIELD(C, effect), signature::state, "q x z", "T(q) or T(x), by rows", "n", "n_u")});
  control.user = offsetof(C, user);
  all->push_back(control);
  using M = perp_multiple_impact_options;
  all->push_back(part(
      "lzb", "perp_multiple_impact_options", sizeof(M), "impacts by springs",
      {option(FIELD(M, compliance), {{"bi", PERP_STIFFNESS_BI}, {"mono", PERP_STIFFNESS_MONO}},
              "springs in compression and expansion"),
       number(FIELD(M, exponent), "of force and compression; 1.5: Hertz")
           .more_than(0)
           .to(16)
           .otherwise("1"),
       number(FIELD(M, step), "longest step, relative").more_than(0).to(1).otherwise("0.5"),
       number(FIELD(M, tol), "of the error of a step").more_than(0).otherwise("1e-12"),
       integer(FIELD(M, max_steps), "allowed").from(1).otherwise("10000000"),
       array(FIELD(M, stiffness), "of all rows of all interactions; only ratios matter", "rows")
           .more_than(0)}));
  key systems = named("systems", "systems", holds::names, {},
                      "names: \"ball\", \"bead[i + 1]\"; or one name");
  systems.must().length = "n_systems";
  all->push_back(
      part("interaction", "perp_interaction", sizeof(perp_interaction),
           "a relation, a law, and the systems they join",
           {repeat_key(), systems,
            named("relation", "relation", holds::table, {},
                  "a table with kind, or the name of one of [relations]")
                .must(),
            named("law", "law", holds::table, {}, "a table with kind, or the name of one of [laws]")
                .must()}));
}

const kind *control_part() { return find_kind("part", "control"); }
const kind *lzb_part() { return find_kind("part", "lzb"); }

std::vector<kind> make_kinds() {
  std::vector<kind> all;
  add_systems(&all);
  add_relations(&all);
  add_laws(&all);
  add_solvers(&all);
  all.push_back(simulation());
  all.push_back(events());
  add_parts(&all);
  for (kind &k : all)
    for (key &each : k.keys)
      if (each.what == holds::part && each.within == nullptr) each.within = control_part;
  return all;
}

}  // namespace

const std::vector<kind> &model_kinds() {
  static const std::vector<kind> all = make_kinds();
  return all;
}

const kind *find_kind(std::string_view group, std::string_view name) {
  for (const kind &k : model_kinds())
    if (k.group == group && k.name == name) return &k;
  return nullptr;
}

const key *find_key(const kind &of, std::string_view name) {
  for (const key &k : of.keys)
    if (k.name == name) return &k;
  return nullptr;
}

std::vector<std::string> kind_names(std::string_view group) {
  std::vector<std::string> names;
  for (const kind &k : model_kinds())
    if (k.group == group) names.push_back(k.name);
  return names;
}

}  // namespace perp::io
