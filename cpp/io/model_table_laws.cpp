// SPDX-License-Identifier: MIT
#include "io/model_function.hpp"
#include "io/model_keys.hpp"

namespace perp::io {

using namespace keys;

namespace {

perp_status begin_graph(perp_piecewise_linear *at, std::size_t) {
  *at = PERP_PIECEWISE_LINEAR_INIT;
  return PERP_OK;
}

perp_status begin_own(file_law_table *at, std::size_t) {
  *at = {};
  at->law.open.law.struct_size = sizeof(file_law);
  at->law.open.law.size = 1;
  at->ops.struct_size = sizeof(perp_law_ops);
  at->ops.set = PERP_SET_OTHER;
  at->ops.name = "user";
  return PERP_OK;
}

#define OPS(field) #field, offsetof(file_law_table, ops) + offsetof(perp_law_ops, field)

// A law of the file's own: most keys are of its table of operations.
kind own_law() {
  using L = file_law_table;
  const auto at = [](key k, std::size_t offset) { return k.offset = offset, k; };
  const auto numbers = [&at](const char *name, std::size_t offset, const char *says,
                             const char *rows) {
    return at(own(name, holds::array, says).shape(rows), offset);
  };
  const auto called = [](const char *name, std::size_t offset, signature type, const char *reads,
                         const char *says, const char *rows = "size", const char *cols = "1") {
    return function(name, offset, type, reads, says, rows, cols);
  };
  const char *const step = "t h y ydot lambda s z";
  kind k = make(
      "law", "user", STRUCT_BY(file_law_table, begin_own),
      "a law of one's own, -y in the normal cone of a set K at lambda; s is the state of a copy",
      {at(own("size", holds::integer, "components of a copy"), offsetof(L, law.open.law.size))
           .from(1)
           .otherwise("1"),
       option(OPS(set),
              {{"other", PERP_SET_OTHER},
               {"free", PERP_SET_FREE},
               {"orthant", PERP_SET_ORTHANT},
               {"box", PERP_SET_BOX}},
              "K: known by project, all numbers, those >= 0, from lower to upper"),
       truth(OPS(unilateral), "acts only while its gap is closed"),
       truth(OPS(bounded), "K is bounded"),
       numbers("lower", offsetof(L, law.lower), "of a box, may hold -inf", "size").or_infinite(),
       numbers("upper", offsetof(L, law.upper), "of a box, may hold inf", "size").or_infinite(),
       numbers("state", offsetof(L, law.start), "s at first", "n_s"),
       numbers("z", offsetof(L, law.open.z), "parameters", "n_z"),
       called(OPS(project), signature::law_project, "x s z", "the point of K nearest to x")
           .derived(OPS(jacobian), "x"),
       called(OPS(shift), signature::law_shift, "y s z", "y after De Saxce's change of variable"),
       called(OPS(restitute_step), signature::law_restitute, step,
              "what is added to y, from the begin of a step: restitution; order 2"),
       called(OPS(preload), signature::law_preload, step,
              "the part of lambda that the begin of a step tells: adhesion; order 2"),
       called(OPS(compliance), signature::law_compliance, "h z",
              "D: the law holds between y + D lambda and lambda; order 2", "size", "size"),
       called(OPS(acts), signature::law_acts, "s z", "not 0: acts across an open gap", "1"),
       called(OPS(commit_step), signature::law_commit, step,
              "s after a step; at order 1 of y, lambda", "n_s")});
  k.structure = "perp_law_ops";
  return k;
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
  all->push_back(own_law());
}

}  // namespace perp::io
