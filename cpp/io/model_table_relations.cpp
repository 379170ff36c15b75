// SPDX-License-Identifier: MIT
#include "io/model_keys.hpp"

namespace perp::io {

using namespace keys;

namespace {

perp_status begin_joint(perp_joint *at, std::size_t bytes, std::int32_t n) {
  return perp_joint_init(at, bytes, PERP_JOINT_SPHERICAL, n / 6);
}
perp_status begin_gear(perp_gear *at, std::size_t bytes, std::int32_t n) {
  return perp_gear_init(at, bytes, n / 6);
}
// Gaps c and rows of each are told by m = c rows, and by the key size.
perp_status begin_contact(perp_lagrangian_contact_relation *at, std::size_t bytes, std::int32_t m,
                          std::int32_t n) {
  return perp_lagrangian_contact_relation_init(at, bytes, 1, m, n);
}

// Of the three set-ups of one struct: what h reads tells them apart.
std::vector<key> gap_keys(const char *reads) {
  using R = perp_lagrangian_relation;
  key h = function(FIELD(R, h), signature::gap, reads, "gap y", "m").must();
  h.derived(FIELD(R, H), "q");
  if (std::string_view(reads).find('t') != std::string_view::npos) h.derived(FIELD(R, h_dt), "t");
  if (std::string_view(reads).find("lambda") != std::string_view::npos)
    h.derived(FIELD(R, D), "lambda");
  return {rows_key(),
          h,
          function(FIELD(R, bias), signature::velocity, "t q v z",
                   "g in y'' = H v' + g, for event-driven runs; without it by differences", "m"),
          PARAMETERS(R, z, n_z),
          array(FIELD(R, typical_q), "typical sizes of q, for differences", "n").more_than(0),
          array(FIELD(R, typical_lambda), "typical sizes of lambda, for differences", "m")
              .more_than(0)};
}

}  // namespace

void add_relations(std::vector<kind> *all) {
  const auto relation = [all](const char *name, const description &of, int order, const char *says,
                              std::vector<key> keys) {
    all->push_back(make("relation", name, of, says, std::move(keys)));
    all->back().order = order;
  };
  using H = perp_lagrangian_linear_relation;
  relation("lagrangian_linear", STRUCT(perp_lagrangian_linear_relation), 2,
           "y = H q + F z + b, y' = H v + D lambda, reaction H^T lambda",
           {rows_key(), array(FIELD(H, H), "by rows", "m", "n"),
            array(FIELD(H, D), "acts where lambda is solved", "m", "m").otherwise("0"),
            array(FIELD(H, F), "of the parameters z", "m", "n_z").otherwise("0"),
            array(FIELD(H, b), "constant part of y", "m").otherwise("0"), PARAMETERS(H, z, n_z),
            operation(FIELD(H, H_rows), "H as compressed rows").shape("m", "n")});

  relation("lagrangian_scleronomous",
           STRUCT_BY(perp_lagrangian_relation, perp_lagrangian_scleronomous_init), 2,
           "y = h(q), y' = H v, H = dh/dq", gap_keys("q z"));
  relation("lagrangian_rheonomous",
           STRUCT_BY(perp_lagrangian_relation, perp_lagrangian_rheonomous_init), 2,
           "y = h(t, q), y' = H v + dh/dt, H = dh/dq", gap_keys("t q z"));
  relation(
      "lagrangian_compliant", STRUCT_BY(perp_lagrangian_relation, perp_lagrangian_compliant_init),
      2, "y = h(q, lambda), lambda a force, y' = H v + dh/dlambda lambda'", gap_keys("q lambda z"));

  using V = perp_lagrangian_velocity_relation;
  relation("lagrangian_velocity", STRUCT(perp_lagrangian_velocity_relation), 2,
           "y' = g(t, q, v), reaction H^T lambda, H = dg/dv; without a position",
           {rows_key(),
            function(FIELD(V, g), signature::velocity, "t q v z", "relative velocity y'", "m")
                .derived(FIELD(V, H), "v")
                .must(),
            function(FIELD(V, bias), signature::velocity, "t q v z",
                     "g in y'' = H v' + g, for event-driven runs; without it by differences", "m"),
            PARAMETERS(V, z, n_z),
            array(FIELD(V, typical_v), "typical sizes of v, for differences", "n").more_than(0)});

  using U = perp_prescribed_velocity;
  key which = entry(FIELD(U, index), holds::indices, "velocities that are prescribed, from 0")
                  .shape("m")
                  .from(0)
                  .must();
  relation("prescribed_velocity", STRUCT(perp_prescribed_velocity), 2,
           "y' = v[index] - (constant + F(t)), with the law equality: motors",
           {rows_key(), which, array(FIELD(U, constant), "part of it", "m").otherwise("0"),
            function(FIELD(U, velocity), signature::time, "t", "F(t), the other part", "m")});

  using C = perp_lagrangian_contact_relation;
  relation(
      "lagrangian_contact", STRUCT_BY(perp_lagrangian_contact_relation, begin_contact), 2,
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

  using P = perp_linear_relation;
  relation("linear", STRUCT(perp_linear_relation), 1,
           "y = C x + D lambda + F z + e, reaction B lambda + a",
           {rows_key(), array(FIELD(P, C), "by rows", "m", "n").must(),
            array(FIELD(P, D), "by rows", "m", "m").otherwise("0"),
            array(FIELD(P, B), "by rows; without it y is only observed", "n", "m").otherwise("0"),
            array(FIELD(P, F), "of the parameters z", "m", "n_z").otherwise("0"),
            array(FIELD(P, e), "constant part of y", "m").otherwise("0"),
            array(FIELD(P, a), "constant part of the reaction", "n").otherwise("0"),
            PARAMETERS(P, z, n_z)});

  using W = perp_linear_varying_relation;
  relation("linear_varying", STRUCT(perp_linear_varying_relation), 1,
           "y = C(t) x + D(t) lambda + F(t) z + e(t), reaction B(t) lambda + a(t)",
           {rows_key(), function(FIELD(W, C), signature::time, "t", "by rows", "m", "n"),
            function(FIELD(W, D), signature::time, "t", "by rows", "m", "m"),
            function(FIELD(W, B), signature::time, "t", "by rows", "n", "m"),
            function(FIELD(W, F), signature::time, "t", "by rows", "m", "n_z"),
            function(FIELD(W, e), signature::time, "t", "part of y", "m"),
            function(FIELD(W, a), signature::time, "t", "part of the reaction", "n"),
            PARAMETERS(W, linear.z, linear.n_z)});

  using Q = perp_first_order_relation;
  relation("first_order", STRUCT(perp_first_order_relation), 1,
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

  using S = perp_sphere_plane;
  relation("sphere_plane", PLAIN(perp_sphere_plane), 2,
           "contact of a sphere about the centre of mass of a body with a plane",
           {rows_key(), number(FIELD(S, radius), "of the sphere").in("m").more_than(0).must(),
            numbers(FIELD(S, normal), "of the plane, length 1", "3").must(),
            number(FIELD(S, offset), "of the plane from the origin, along normal", "0").in("m")});
  using T = perp_sphere_sphere;
  relation("sphere_sphere", PLAIN(perp_sphere_sphere), 2,
           "contact of two spheres about the centres of mass of two bodies",
           {rows_key(), numbers(FIELD(T, radius), "of both", "2").in("m").more_than(0).must()});
  using O = perp_point_plane;
  relation("point_plane", PLAIN(perp_point_plane), 2,
           "contact of a point of a body, as a corner of a box, with a plane",
           {rows_key(), numbers(FIELD(O, point), "in the frame of the body", "3").in("m").must(),
            numbers(FIELD(O, normal), "of the plane, length 1", "3").must(),
            number(FIELD(O, offset), "of the plane from the origin, along normal", "0").in("m")});

  using J = perp_joint;
  const std::vector<choice> joints = {
      {"spherical", PERP_JOINT_SPHERICAL}, {"pivot", PERP_JOINT_PIVOT},
      {"prismatic", PERP_JOINT_PRISMATIC}, {"cylindrical", PERP_JOINT_CYLINDRICAL},
      {"fixed", PERP_JOINT_FIXED},         {"screw", PERP_JOINT_SCREW}};
  relation(
      "joint", STRUCT_BY(perp_joint, begin_joint), 2,
      "joint of two bodies, or of a body and the ground, placed by where they start",
      {named("kind", "joint", holds::option, joints, "what remains free").otherwise("spherical"),
       own("point", holds::array, "where it is at the start, in the fixed frame")
           .in("m")
           .shape("3")
           .must(),
       own("axis", holds::array, "its direction then").shape("3").otherwise("[1, 0, 0]"),
       number(FIELD(J, lead), "of a screw: translation in one turn", "0").in("m")});

  using X = perp_joint_coordinate;
  relation(
      "joint_coordinate", PLAIN(perp_joint_coordinate), 2,
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
       number(FIELD(X, lower), "stop", "0").in("rad or m"),
       number(FIELD(X, upper), "stop, more than lower", "0").in("rad or m"),
       number(FIELD(X, centre), "angles are taken within pi of it", "0").in("rad"),
       function(FIELD(X, rate), signature::time, "t", "prescribed rate", "1").in("rad/s or m/s")});

  using E = perp_gear;
  relation("gear", STRUCT_BY(perp_gear, begin_gear), 2,
           "a pair of gears on two bodies, carried by the ground or by a third",
           {integer(FIELD(E, teeth_a), "of the first", "1").from(1),
            integer(FIELD(E, teeth_b), "of the second, not 0; < 0: internal", "1"),
            own("axis_a", holds::array, "of the first, at the start").shape("3").must(),
            own("axis_b", holds::array, "of the second, at the start").shape("3").must()});
}

}  // namespace perp::io
