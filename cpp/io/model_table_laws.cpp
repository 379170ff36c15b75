// SPDX-License-Identifier: MIT
#include "io/model_keys.hpp"

namespace perp::io {

using namespace keys;

namespace {

perp_status begin_graph(perp_piecewise_linear *at, std::size_t) {
  *at = PERP_PIECEWISE_LINEAR_INIT;
  return PERP_OK;
}

}  // namespace

void add_laws(std::vector<kind> *all) {
  const auto law = [all](const char *name, const description &of, const char *says,
                         std::vector<key> keys) {
    all->push_back(make("law", name, of, says, std::move(keys)));
  };
  const char *const rows = "components of a copy: 2 in the plane, 3 in space";
  const char *const many = "components of a copy";
  law("equality", STRUCT(perp_equality), "y = 0, lambda free",
      {integer(FIELD(perp_equality, law.size), many, "1").from(1)});
  law("complementarity", STRUCT(perp_complementarity), "0 <= y _|_ lambda >= 0",
      {integer(FIELD(perp_complementarity, law.size), many, "1").from(1)});
  law("newton_impact", STRUCT(perp_newton_impact),
      "unilateral contact, 0 <= y'+ + e y'- _|_ lambda >= 0 while closed",
      {integer(FIELD(perp_newton_impact, law.size), many, "1").from(1),
       number(FIELD(perp_newton_impact, e), "restitution", "0").from(0).to(1)});
  law("box", STRUCT(perp_box),
      "lambda = lower where y > 0, upper where y < 0, between: y = 0 (relay, saturation)",
      {integer(FIELD(perp_box, law.size), "components; without it as many as lower has").from(1),
       array(FIELD(perp_box, lower), "may hold -inf", "size").or_infinite().must(),
       array(FIELD(perp_box, upper), "may hold inf", "size").or_infinite().must()});
  law("polyhedron", STRUCT(perp_polyhedron), "-y in the normal cone of {lambda: H lambda >= K}",
      {integer(FIELD(perp_polyhedron, law.size), many).from(1).must(),
       operation(FIELD(perp_polyhedron, H), "by rows").shape("rows", "size").must(),
       array(FIELD(perp_polyhedron, K), "right-hand side", "rows").must()});
  law("friction", STRUCT(perp_friction), "unilateral contact with Coulomb friction, normal first",
      {integer(FIELD(perp_friction, law.size), rows, "3").from(2).to(3),
       number(FIELD(perp_friction, mu), "coefficient of friction", "0").from(0),
       number(FIELD(perp_friction, e_n), "normal restitution", "0").from(0).to(1),
       number(FIELD(perp_friction, e_t), "tangential restitution", "0").from(-1).to(1)});
  law("rolling", STRUCT(perp_rolling), "contact with friction and resistance to rolling",
      {integer(FIELD(perp_rolling, law.size), "components of a copy: 3 in the plane, 5 in space",
               "5")
           .from(3)
           .to(5),
       number(FIELD(perp_rolling, mu), "coefficient of friction", "0").from(0),
       number(FIELD(perp_rolling, mu_rolling), "coefficient of rolling friction", "0")
           .in("m")
           .from(0),
       number(FIELD(perp_rolling, e_n), "normal restitution", "0").from(0).to(1),
       number(FIELD(perp_rolling, e_t), "of sliding and rolling", "0").from(-1).to(1)});
  law("mixed", STRUCT(perp_mixed), "some equalities, then complementarities",
      {integer(FIELD(perp_mixed, law.size), many, "1").from(1),
       integer(FIELD(perp_mixed, equalities), "how many components are equalities", "0").from(0)});
  law("compliant", STRUCT(perp_compliant),
      "unilateral contact of a spring and a damper side by side",
      {integer(FIELD(perp_compliant, law.size), many, "1").from(1),
       number(FIELD(perp_compliant, k), "stiffness", "0").in("N/m").from(0),
       number(FIELD(perp_compliant, c), "damping; k + c > 0", "0").in("N s/m").from(0),
       number(FIELD(perp_compliant, theta), "as that of the integrator", "0.5")
           .more_than(0)
           .to(1)});
  law("fremond", STRUCT(perp_fremond), "friction with Fremond's impact law",
      {integer(FIELD(perp_fremond, friction.law.size), rows, "3").from(2).to(3),
       number(FIELD(perp_fremond, friction.mu), "coefficient of friction", "0").from(0),
       number(FIELD(perp_fremond, friction.e_n), "normal restitution", "0").from(0).to(1)});
  law("cohesive", STRUCT(perp_cohesive),
      "contact with friction between surfaces that a cohesive zone holds together",
      {integer(FIELD(perp_cohesive, friction.law.size), rows, "3").from(2).to(3),
       number(FIELD(perp_cohesive, friction.mu), "coefficient of friction", "0").from(0),
       number(FIELD(perp_cohesive, friction.e_n), "normal restitution, once broken", "0")
           .from(0)
           .to(1),
       number(FIELD(perp_cohesive, friction.e_t), "tangential restitution, once broken", "0")
           .from(-1)
           .to(1),
       number(FIELD(perp_cohesive, sigma_c), "tensile strength", "0").in("Pa").from(0),
       number(FIELD(perp_cohesive, G_c), "fracture energy").in("J/m^2").more_than(0).must(),
       number(FIELD(perp_cohesive, area), "of one copy", "1").in("m^2").more_than(0),
       number(FIELD(perp_cohesive, slip_weight), "of slip in the opening", "1").from(0)});
  using G = perp_piecewise_linear;
  key points = array(FIELD(G, y), "breakpoints, not decreasing", "points").must();
  points.length = "points", points.length_offset = offsetof(G, points);
  law("piecewise_linear", STRUCT_BY(perp_piecewise_linear, begin_graph),
      "a graph lambda(y) that does not increase, by its breakpoints",
      {points, array(FIELD(G, lambda), "at the breakpoints, not increasing", "points").must(),
       number(FIELD(G, slope_before), "-dlambda/dy before the first; inf: vertical", "0")
           .from(0)
           .or_infinite(),
       number(FIELD(G, slope_after), "-dlambda/dy behind the last; inf: vertical", "0")
           .from(0)
           .or_infinite()});
}

}  // namespace perp::io
