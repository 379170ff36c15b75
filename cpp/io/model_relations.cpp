// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "io/model_assembler.hpp"

namespace perp::io {

namespace {

template <class T>
void append(std::vector<char> *key, const T &value) {
  const char *const bytes = reinterpret_cast<const char *>(&value);
  key->insert(key->end(), bytes, bytes + sizeof value);
}

}  // namespace

bool assembler::vector3(const reading &r, const char *name, std::vector<double> *out) {
  const model_node *const node = r.table.find(name);
  return node != nullptr && values_.matrix(*node, *find_key(r.of, name), r.index, 3, 1, out);
}

const double *assembler::start_of(const reading &r, std::size_t which) const {
  if (which >= r.systems.size()) return nullptr;
  return systems_[static_cast<std::size_t>(r.systems[which])].q0.data();
}

bool assembler::read_relation(reading *r) {
  const std::string &name = r->of.name;
  const bool geometry = r->of.structure == "perp_sphere_plane" ||
                        r->of.structure == "perp_sphere_sphere" ||
                        r->of.structure == "perp_point_plane";
  const auto joined = static_cast<std::int32_t>(r->systems.size());
  if ((geometry || name == "joint" || name == "joint_coordinate" || name == "gear") &&
      r->bodies != joined) {
    values_.note(r->table, "found `" + name + "` with a system that is no rigid body");
    return false;
  }
  if (geometry) return read_geometry(r);
  if (name == "joint") return read_joint(r);
  if (name == "gear") return read_gear(r);
  if (name == "joint_coordinate") return read_coordinate(r);
  std::int32_t m = r->law_size;
  if (name == "lagrangian_contact") {
    const model_node *const T = r->table.find("T");
    const std::int32_t tangents = list_size(T);
    m = tangents >= 1 ? tangents + 1 : T != nullptr && names_function(*T) ? r->law_size : 2;
  } else if (!size_of_table(r->table, r->of, "m", r->index, &m)) {
    if (r->table.find("m") != nullptr) return false;
    m = r->law_size;
  }
  if (r->bodies != 0 && r->bodies != joined && r->of.user != nowhere) {
    values_.note(r->table, "found `" + name + "` that joins rigid bodies with other systems");
    return false;
  }
  any_struct *const out = &r->made;
  if (r->of.begin(out, m, r->n) != PERP_OK) {
    values_.note(r->table, "found a size of `" + name + "` that is refused");
    return false;
  }
  bool ok = true;
  sizes dims = {{"n", r->n}, {"m", m}};
  values_.fill(r->table, r->of, r->index, dims, out, &ok);
  input_layout layout;
  if (r->of.order == 2)
    layout.n_q = r->n_q, layout.n_v = r->n;
  else
    layout.n_x = r->n;
  layout.n_lambda = m;
  layout.bodies = r->bodies;
  dims["n_z"] = layout.n_z = std::max(list_size(r->table.find("z")), 0);
  values_.functions(r->table, r->of, r->index, dims, layout, r->of.order, out, &ok);
  if (!ok) return false;
  r->user = values_.callbacks();
  append(&r->key, r->user);
  const std::int32_t bodies = r->bodies > 0 ? 1 : 0;
  if (r->of.structure == "perp_lagrangian_relation") out->lagrangian_relation.bodies = bodies;
  if (r->of.structure == "perp_lagrangian_velocity_relation")
    out->velocity_relation.bodies = bodies;
  if (r->of.structure == "perp_lagrangian_contact_relation") out->contact_relation.bodies = bodies;
  return true;
}

template <class T>
bool assembler::read_shape(reading *r, perp_locate_fn locate) {
  T shape;
  std::memset(&shape, 0, sizeof shape);
  bool ok = true;
  values_.fill(r->table, r->of, r->index, {}, &shape, &ok);
  if (!ok) return false;
  append(&r->key, shape);
  void *&kept = shapes_[r->key];
  if (kept == nullptr) kept = values_.keep_struct(shape);
  r->made.body_contact.locate = locate;
  r->made.body_contact.user = kept;
  r->user = kept;
  return true;
}

bool assembler::read_geometry(reading *r) {
  const std::string &name = r->of.name;
  std::int32_t m = r->law_size;
  if (r->table.find("m") != nullptr && !size_of_table(r->table, r->of, "m", r->index, &m))
    return false;
  const auto joined = static_cast<std::int32_t>(r->systems.size());
  const std::int32_t wanted = name == "sphere_sphere" ? 2 : 1;
  if (joined != wanted) {
    values_.note(r->table, "found `" + name + "` that joins " + std::to_string(joined) +
                               " systems, expected " + std::to_string(wanted));
    return false;
  }
  if (perp_body_contact_init(&r->made.body_contact, sizeof r->made.body_contact, m, joined) !=
      PERP_OK) {
    values_.note(r->table,
                 "found `" + name + "` of " + std::to_string(m) + " rows, must be 1, 2, 3 or 5");
    return false;
  }
  if (name == "sphere_plane") return read_shape<perp_sphere_plane>(r, perp_locate_sphere_plane);
  if (name == "sphere_sphere") return read_shape<perp_sphere_sphere>(r, perp_locate_sphere_sphere);
  return read_shape<perp_point_plane>(r, perp_locate_point_plane);
}

bool assembler::read_joint(reading *r) {
  std::int32_t which = PERP_JOINT_SPHERICAL;
  if (const model_node *const given = r->table.find("joint"))
    if (!values_.choose(*given, *find_key(r->of, "joint"), &which)) return false;
  const auto joined = static_cast<std::int32_t>(r->systems.size());
  perp_joint *const joint = &r->made.joint;
  if (joined > 2 || perp_joint_init(joint, sizeof *joint, which, joined) != PERP_OK) {
    values_.note(r->table,
                 "found a joint of " + std::to_string(joined) + " bodies, expected 1 or 2");
    return false;
  }
  bool ok = true;
  values_.fill(r->table, r->of, r->index, {}, joint, &ok);
  std::vector<double> point, axis;
  ok = vector3(*r, "point", &point) && ok;
  if (r->table.find("axis") != nullptr) ok = vector3(*r, "axis", &axis) && ok;
  if (!ok) return false;
  if (perp_joint_place(joint, point.data(), axis.empty() ? nullptr : axis.data(), start_of(*r, 0),
                       start_of(*r, 1)) == PERP_OK)
    return true;
  values_.note(r->table, "found a joint whose axis has no direction");
  return false;
}

bool assembler::read_gear(reading *r) {
  const auto joined = static_cast<std::int32_t>(r->systems.size());
  perp_gear *const gear = &r->made.gear;
  if (joined < 2 || joined > 3 || perp_gear_init(gear, sizeof *gear, joined) != PERP_OK) {
    values_.note(r->table, "found gears of " + std::to_string(joined) + " bodies, expected 2 or 3");
    return false;
  }
  bool ok = true;
  values_.fill(r->table, r->of, r->index, {}, gear, &ok);
  std::vector<double> a, b;
  ok = vector3(*r, "axis_a", &a) && ok;
  ok = vector3(*r, "axis_b", &b) && ok;
  if (!ok) return false;
  if (perp_gear_place(gear, a.data(), b.data(), start_of(*r, 0), start_of(*r, 1),
                      start_of(*r, 2)) == PERP_OK)
    return true;
  values_.note(r->table, "found gears whose axis has no direction");
  return false;
}

bool assembler::read_coordinate(reading *r) {
  const model_node *const given = r->table.find("joint");
  if (given == nullptr) return false;
  const std::int32_t which =
      member_of(*given, r->index, joints_, "an interaction above that has a joint");
  if (which < 0) return false;
  const one_interaction &of = interactions_[static_cast<std::size_t>(which)];
  if (of.systems != r->systems) {
    values_.note(*given,
                 "found `" + m_.interactions[static_cast<std::size_t>(which)] +
                     "`, a joint of other bodies, or in another order, than `systems` here");
    return false;
  }
  const perp_joint *const joint = of.joint;
  std::int32_t coordinate = 0, use = 0;
  const auto option = [&](const char *name, std::int32_t *value) {
    const model_node *const node = r->table.find(name);
    return node == nullptr || values_.choose(*node, *find_key(r->of, name), value);
  };
  if (!option("coordinate", &coordinate) || !option("use", &use)) return false;
  perp_joint_coordinate *const out = &r->made.coordinate;
  if (perp_joint_coordinate_init(out, sizeof *out, joint, coordinate, use) != PERP_OK) {
    values_.note(r->table, "found a coordinate that its joint has not");
    return false;
  }
  bool ok = true;
  values_.fill(r->table, r->of, r->index, {{"n", joint->relation.n}, {"m", out->relation.m}}, out,
               &ok);
  values_.functions(r->table, r->of, r->index, {{"n", joint->relation.n}, {"m", out->relation.m}},
                    {}, 2, out, &ok);
  if (!ok) return false;
  r->user = values_.callbacks();
  if (r->user != nullptr) append(&r->key, r->user);
  return true;
}

}  // namespace perp::io
