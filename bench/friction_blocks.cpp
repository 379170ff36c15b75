// SPDX-License-Identifier: MIT
// Bodies that touch in faces or joints: stacks, planks, walls, arches, chains; and single contacts.
// A face counts four contacts, at the corners of what both sides share: more reactions than
// equations.
#include <algorithm>
#include <stdexcept>

#include "friction_scene.hpp"

namespace friction_families {

namespace {

constexpr std::array<vec3, 3> upright{vec3{1, 0, 0}, vec3{0, 1, 0}, vec3{0, 0, 1}};

// A rectangle of two directions.
struct face {
  vec3 centre, along, across;  // half edges
};

void add_face(scene *s, std::int32_t a, std::int32_t b, const face &f, vec3 n, double mu) {
  for (const double i : {-1.0, 1.0})
    for (const double j : {-1.0, 1.0})
      s->contacts.push_back({a, b, f.centre + i * f.along + j * f.across, n, mu, 0});
}

std::int32_t count(const scene &s) { return static_cast<std::int32_t>(s.bodies.size()); }

// Upright boxes one upon the other: the corners of the rectangle that both share.
void put_on(scene *s, std::int32_t a, vec3 half_a, std::int32_t b, vec3 half_b, double mu) {
  const vec3 x = s->bodies[at(a)].x, y = b < 0 ? x : s->bodies[at(b)].x;
  const vec3 wide = b < 0 ? half_a : half_b;
  const auto share = [](double p, double dp, double q, double dq) {
    const double low = std::max(p - dp, q - dq), high = std::min(p + dp, q + dq);
    return std::array<double, 2>{(low + high) / 2, (high - low) / 2};
  };
  const auto in_x = share(x.x, half_a.x, y.x, wide.x), in_y = share(x.y, half_a.y, y.y, wide.y);
  if (!(in_x[1] > 0) || !(in_y[1] > 0)) return;
  add_face(s, a, b, {{in_x[0], in_y[0], x.z - half_a.z}, {in_x[1], 0, 0}, {0, in_y[1], 0}},
           {0, 0, 1}, mu);
}

}  // namespace

// Stacks of up to ten boxes side by side, their weights up to 100 times apart.
model make_stacks(std::int32_t contacts, std::uint64_t seed) {
  random_source u(seed);
  scene s;
  const double mu = u(0.1, 1), spread = u(1, 100);
  const std::int32_t boxes = std::max(1, contacts / 4);
  const auto high = static_cast<std::int32_t>(u(2, 11));
  vec3 half, top;
  for (std::int32_t i = 0; i < boxes; i++) {
    const std::int32_t level = i % high;
    const vec3 before = half;
    half = {u(0.1, 0.2), u(0.1, 0.2), u(0.05, 0.2)};
    if (level == 0) top = {static_cast<double>(i / high), 0, 0};
    const vec3 x = top + vec3{u(-0.05, 0.05), u(-0.05, 0.05), half.z};
    s.bodies.push_back(box(x, upright, half, u.logarithmic(300, 300 * spread)));
    put_on(&s, i, half, level == 0 ? -1 : i - 1, before, mu);
    top = {x.x, x.y, x.z + half.z};
  }
  set_in_motion(&s, motion_of(seed), &u);
  model m = model_of(s, "stacks");
  m.rank = 6 * boxes;
  return m;
}

// Towers of up to 15 layers of two or three planks, crosswise.
model make_planks(std::int32_t contacts, std::uint64_t seed) {
  random_source u(seed);
  scene s;
  const double mu = u(0.1, 1);
  const std::int32_t wide = u(0, 1) < 0.5 ? 2 : 3;
  const vec3 half_x{0.12, 0.012, 0.004}, half_y{0.012, 0.12, 0.004};
  const double density = u(400, 900);
  for (std::int32_t tower = 0; static_cast<std::int32_t>(s.contacts.size()) < contacts; tower++) {
    for (std::int32_t layer = 0; layer < 15; layer++) {
      if (static_cast<std::int32_t>(s.contacts.size()) >= contacts) break;
      const bool along_x = layer % 2 == 0;
      const vec3 half = along_x ? half_x : half_y, other = along_x ? half_y : half_x;
      const std::int32_t first = count(s);
      for (std::int32_t k = 0; k < wide; k++) {
        const double place = 0.2 * (k / (wide - 1.0) - 0.5) + u(-0.003, 0.003);
        const vec3 x{0.5 * tower + (along_x ? u(-0.005, 0.005) : place),
                     along_x ? place : u(-0.005, 0.005), (2 * layer + 1) * half.z};
        s.bodies.push_back(box(x, upright, half, density));
        if (layer == 0) put_on(&s, first + k, half, -1, half, mu);
        for (std::int32_t b = first - wide; layer > 0 && b < first; b++)
          put_on(&s, first + k, half, b, other, mu);
      }
    }
  }
  set_in_motion(&s, motion_of(seed), &u);
  return model_of(s, "planks");
}

// Courses of bricks in running bond, half a brick at every other end; bricks touch their
// neighbours too.
model make_wall(std::int32_t contacts, std::uint64_t seed) {
  random_source u(seed);
  scene s;
  const double mu = u(0.2, 0.9), rise = 0.04, depth = 0.05, length = 0.1, density = u(1500, 2500);
  const auto bricks =
      std::max(1, static_cast<std::int32_t>(std::sqrt(contacts / 12.0 / 1.5)));  // a course
  std::vector<double> below, course;  // where bricks begin and end
  std::int32_t first_below = 0;
  for (std::int32_t row = 0; static_cast<std::int32_t>(s.contacts.size()) < contacts; row++) {
    course.assign(1, 0.0);
    if (row % 2 == 1) course.push_back(length);
    while (course.back() < bricks * 2 * length)
      course.push_back(std::min(course.back() + 2 * length, bricks * 2 * length));
    const std::int32_t first = count(s);
    for (std::size_t k = 0; k + 1 < course.size(); k++) {
      const vec3 half{(course[k + 1] - course[k]) / 2, depth, rise};
      const vec3 x{(course[k] + course[k + 1]) / 2, 0, (2 * row + 1) * rise};
      const std::int32_t a = count(s);
      s.bodies.push_back(box(x, upright, half, density));
      if (row == 0) put_on(&s, a, half, -1, half, mu);
      for (std::size_t b = 0; b + 1 < below.size(); b++)
        if (std::min(below[b + 1], course[k + 1]) - std::max(below[b], course[k]) > 0.1 * length)
          put_on(&s, a, half, first_below + static_cast<std::int32_t>(b),
                 {(below[b + 1] - below[b]) / 2, depth, rise}, mu);
      if (k > 0)
        add_face(&s, a, a - 1, {{course[k], 0, x.z}, {0, depth, 0}, {0, 0, rise}}, {1, 0, 0}, mu);
    }
    first_below = first;
    below = course;
  }
  set_in_motion(&s, motion_of(seed), &u);
  return model_of(s, "wall");
}

// Round arches of up to 41 stones on common piers; the first and the last pier do not move.
model make_arch(std::int32_t contacts, std::uint64_t seed) {
  random_source u(seed);
  scene s;
  constexpr double pi = 3.14159265358979324, inner = 2, outer = 2.4, deep = 0.3, spring = 1.5;
  const double mu = u(0.4, 1), density = u(1800, 2600), middle = (inner + outer) / 2;
  std::int32_t left = -1;  // pier
  std::int32_t remaining = std::max(2, contacts / 4);
  for (std::int32_t span = 0; remaining >= 2; span++) {
    const bool last = remaining <= 44;
    const std::int32_t stones = last ? remaining - 1 : 40;
    const vec3 centre{span * (inner + outer + 0.2), 0, spring};
    remaining -= last ? remaining : stones + 2;
    std::int32_t right = -1;
    if (!last) {
      right = count(s);
      const vec3 half{(outer - inner) / 2 + 0.1, deep, spring / 2};
      s.bodies.push_back(box(centre + vec3{middle + 0.1, 0, -spring / 2}, upright, half, density));
      put_on(&s, right, half, -1, half, mu);
    }
    for (std::int32_t k = 0; k <= stones; k++) {
      const double joint = pi * (1 - static_cast<double>(k) / stones);
      const double mid = pi * (1 - (k + 0.5) / stones);
      const vec3 radial{std::cos(joint), 0, std::sin(joint)}, n{radial.z, 0, -radial.x};
      const face f{centre + middle * radial, ((outer - inner) / 2) * radial, {0, deep, 0}};
      if (k < stones) {
        const vec3 out{std::cos(mid), 0, std::sin(mid)};
        const std::array<vec3, 3> axes{out, vec3{0, 1, 0}, vec3{-out.z, 0, out.x}};
        const vec3 half{(outer - inner) / 2, deep, pi * middle / stones / 2};
        s.bodies.push_back(box(centre + middle * out, axes, half, density));
        add_face(&s, count(s) - 1, k == 0 ? left : count(s) - 2, f, n, mu);
      } else {
        add_face(&s, count(s) - 1, right, f, -1 * n, mu);
      }
    }
    left = right;
  }
  set_in_motion(&s, motion_of(seed), &u);
  return model_of(s, "arch");
}

// Chains of up to 400 links between two fixed rings, in the shape of a parabola. A link pulls its
// neighbour at two points of the ring.
model make_chain(std::int32_t contacts, std::uint64_t seed) {
  random_source u(seed);
  scene s;
  const double mu = u(0.1, 0.6), sag = u(0.3, 1), density = 7800;
  std::int32_t joints = std::max(2, contacts / 2);
  for (std::int32_t chain = 0; joints >= 2; chain++) {
    const std::int32_t links = std::min(joints, 401) - 1;
    joints -= links + 1;
    const auto point = [&](std::int32_t k) {
      const double x = 2.0 * k / links - 1;
      return vec3{0.02 * links * x, 0.2 * chain, 0.02 * links * sag * x * x};
    };
    for (std::int32_t k = 0; k <= links; k++) {
      const vec3 p = point(k), before = point(std::max(k - 1, 0)),
                 after = point(std::min(k + 1, links)), t = unit(after - before);
      if (k < links) {
        const vec3 d = after - p, e = unit(d), side{0, 1, 0};
        const std::array<vec3, 3> axes{e, side, cross(e, side)};
        s.bodies.push_back(box(0.5 * (p + after), axes, {0.5 * norm(d), 0.008, 0.004}, density));
      }
      const std::int32_t a = k < links ? count(s) - 1 : count(s) - 1;
      const std::int32_t b = k == 0 || k == links ? -1 : count(s) - 2;
      for (const double y : {-1.0, 1.0}) {
        const vec3 n = unit((k < links ? -1 : 1) * t + vec3{0, -0.4 * y, 0});
        s.contacts.push_back({a, b, p + vec3{0, 0.003 * y, 0}, n, mu, 0});
      }
    }
  }
  set_in_motion(&s, motion_of(seed), &u);
  return model_of(s, "chain");
}

// Contacts that have nothing to do with one another: W = Q D Qᵀ with Q orthogonal; the condition of
// D up to 10¹², coefficients 0 or 10⁻³ to 10³.
model make_single(std::int32_t contacts, std::uint64_t seed) {
  random_source u(seed);
  model m;
  m.family = "single";
  m.rank = 3 * contacts;
  std::vector<perp::io::triplet> mass, rows;
  for (std::int32_t c = 0; c < contacts; c++) {
    const double decades = u(0, 12), size = u.logarithmic(1e-3, 1e3);
    const vec3 a = u.direction(), b = unit(cross(a, u.direction())), q[] = {a, b, cross(a, b)};
    const double d[] = {size, size * std::pow(10.0, -u(0, decades)),
                        size * std::pow(10.0, -decades)};
    const vec3 free = u.logarithmic(1e-3, 1e3) * (u.direction() + vec3{-0.5, 0, 0});
    for (std::int32_t k = 0; k < 3; k++) {
      const std::int32_t i = 3 * c + k;
      mass.push_back({i, i, 1 / d[k]});
      rows.push_back({3 * c, i, q[k].x});
      rows.push_back({3 * c + 1, i, q[k].y});
      rows.push_back({3 * c + 2, i, q[k].z});
      m.f.push_back(dot(q[k], free) / d[k]);
    }
    m.bodies.push_back(3 * c + 3);
    m.mu.push_back(u(0, 1) < 0.1 ? 0 : u.logarithmic(1e-3, 1e3));
  }
  m.M = perp::io::compressed_rows(3 * contacts, 3 * contacts, std::move(mass));
  m.H = perp::io::compressed_rows(3 * contacts, 3 * contacts, std::move(rows));
  m.b.assign(at(3 * contacts), 0);
  return m;
}

}  // namespace friction_families
