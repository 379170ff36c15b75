// SPDX-License-Identifier: MIT
// Spheres and disks: random piles that settle in a box, and lattices.
#include <algorithm>

#include "friction_scene.hpp"

namespace friction_families {

namespace {

// Spheres in the box 0 <= x <= width, 0 <= y <= width (in the plane y = 0), 0 <= z.
struct pile {
  bool plane = false;
  double width = 0;
  std::vector<vec3> x;
  reals radius;
  double largest = 0;

  double gap(std::size_t i, std::size_t j) const {
    return norm(x[i] - x[j]) - radius[i] - radius[j];
  }
};

pile scatter(std::int32_t count, bool plane, random_source *u) {
  pile p;
  p.plane = plane;
  for (std::int32_t i = 0; i < count; i++) p.radius.push_back((*u)(0.7, 1.3));
  p.largest = 1.3;
  const double n = count;
  const double side = plane ? std::sqrt(4 * n) : std::cbrt(7 * n);
  p.width = std::max(side, 2.7);
  const double step = 2.05 * p.largest;
  const auto across = static_cast<std::int32_t>((p.width - 2 * p.largest) / step) + 1;
  const std::int32_t layer = plane ? across : across * across;
  const double slack = across > 1 ? (p.width - 2 * p.largest) / (across - 1) : 0;
  for (std::int32_t i = 0; i < count; i++) {
    const std::int32_t k = i % layer;
    const vec3 noise{(*u)(-0.05, 0.05), (*u)(-0.05, 0.05), 0};
    p.x.push_back(vec3{p.largest + (k % across) * slack, p.largest + (k / across) * slack,
                       p.largest + (i / layer) * step} +
                  noise);
    if (plane) p.x.back().y = 0;
  }
  return p;
}

// All pairs (i, j), i < j, nearer than reach to contact; those of one i follow one another.
std::vector<std::array<std::size_t, 2>> neighbours(const pile &p, double reach) {
  const double cell = 2 * p.largest + reach;
  double height = 0;
  for (const vec3 &x : p.x) height = std::max(height, x.z);
  const auto count = [&](double length) {
    return static_cast<std::int32_t>(std::max(length, 0.0) / cell) + 1;
  };
  const std::int32_t nx = count(p.width), ny = p.plane ? 1 : nx, nz = count(height);
  const auto clamp = [&](double x, std::int32_t n) {
    return std::min(n - 1, static_cast<std::int32_t>(std::max(x, 0.0) / cell));
  };
  std::vector<std::vector<std::size_t>> cells(at(nx) * at(ny) * at(nz));
  const auto of = [&](std::int32_t i, std::int32_t j,
                      std::int32_t k) -> std::vector<std::size_t> & {
    return cells[at(i) + at(nx) * (at(j) + at(ny) * at(k))];
  };
  for (std::size_t i = 0; i < p.x.size(); i++)
    of(clamp(p.x[i].x, nx), clamp(p.x[i].y, ny), clamp(p.x[i].z, nz)).push_back(i);
  std::vector<std::array<std::size_t, 2>> pairs;
  for (std::size_t i = 0; i < p.x.size(); i++) {
    const std::int32_t cx = clamp(p.x[i].x, nx), cy = clamp(p.x[i].y, ny), cz = clamp(p.x[i].z, nz);
    for (std::int32_t c = std::max(cz - 1, 0); c <= std::min(cz + 1, nz - 1); c++)
      for (std::int32_t b = std::max(cy - 1, 0); b <= std::min(cy + 1, ny - 1); b++)
        for (std::int32_t a = std::max(cx - 1, 0); a <= std::min(cx + 1, nx - 1); a++)
          for (const std::size_t j : of(a, b, c))
            if (j > i && p.gap(i, j) < reach) pairs.push_back({i, j});
  }
  return pairs;
}

void push_from_walls(pile *p) {
  for (std::size_t i = 0; i < p->x.size(); i++) {
    const double r = p->radius[i];
    vec3 &x = p->x[i];
    x.x = std::min(std::max(x.x, r), p->width - r);
    if (!p->plane) x.y = std::min(std::max(x.y, r), p->width - r);
    x.z = std::max(x.z, r);
  }
}

// Take overlapping spheres apart; the upper one moves by the share.
void separate(pile *p, const std::vector<std::array<std::size_t, 2>> &pairs, double share) {
  for (const auto &[i, j] : pairs) {
    const double overlap = -p->gap(i, j);
    if (overlap <= 0) continue;
    const bool higher = p->x[i].z > p->x[j].z;
    const vec3 d = unit(p->x[i] - p->x[j]);
    p->x[i] = p->x[i] + (overlap * (higher ? share : 1 - share)) * d;
    p->x[j] = p->x[j] - (overlap * (higher ? 1 - share : share)) * d;
  }
  push_from_walls(p);
}

// Let everything sink by ever smaller steps and take apart what overlaps, the lowest first.
void settle(pile *p) {
  double top = 0;
  for (const vec3 &x : p->x) top = std::max(top, x.z);
  const auto falling = static_cast<std::int32_t>(6 * top) + 20;
  constexpr std::int32_t slowing = 200, resting = 100;
  std::vector<std::array<std::size_t, 2>> pairs;
  double step = 0.1;
  for (std::int32_t k = 0; k < falling + slowing + resting; k++) {
    if (k > falling) step *= 0.96;
    const bool rests = k >= falling + slowing;
    if (k % 5 == 0) {
      pairs = neighbours(*p, 0.6);
      std::sort(pairs.begin(), pairs.end(), [&](const auto &a, const auto &b) {
        const double za = p->x[a[0]].z + p->x[a[1]].z, zb = p->x[b[0]].z + p->x[b[1]].z;
        return za < zb || (za == zb && a < b);
      });
    }
    for (vec3 &x : p->x) x.z -= rests ? 0 : step;
    push_from_walls(p);
    for (std::int32_t pass = 0; pass < 3; pass++) separate(p, pairs, rests ? 1.0 : 0.8);
  }
}

// What touches within a hundredth of the radius, walls included; lengths become metres.
scene scene_of(const pile &p, random_source *u) {
  constexpr double scale = 0.02, reach = 0.01;
  const double mu = (*u)(0.1, 0.9), rolling = (*u)(0.01, 0.2) * scale;
  const double density = (*u)(500, 5000);
  scene s;
  s.plane = p.plane;
  for (std::size_t i = 0; i < p.x.size(); i++)
    s.bodies.push_back(sphere(scale * p.x[i], scale * p.radius[i], density));
  const auto add = [&](std::size_t a, std::int32_t b, vec3 n, double distance) {
    const vec3 point = scale * (p.x[a] - distance * n);
    s.contacts.push_back({static_cast<std::int32_t>(a), b, point, n, mu, rolling});
  };
  const vec3 walls[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t i = 0; i < p.x.size(); i++) {
    const double r = p.radius[i];
    const double x[] = {p.x[i].x, p.x[i].y, p.x[i].z};
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
      if (p.plane && axis == 1) continue;
      if (x[axis] - r < reach) add(i, -1, walls[axis], x[axis]);
      if (axis < 2 && p.width - x[axis] - r < reach)
        add(i, -1, -1 * walls[axis], p.width - x[axis]);
    }
  }
  for (const auto &[i, j] : neighbours(p, reach))
    add(i, static_cast<std::int32_t>(j), unit(p.x[i] - p.x[j]), p.radius[i]);
  return s;
}

model settled(std::int32_t contacts, std::uint64_t seed, bool plane, bool rolling,
              const char *name) {
  random_source u(seed);
  const double each = plane ? 1.9 : 2.7;
  const std::int32_t count = std::max(1, static_cast<std::int32_t>(contacts / each + 0.5));
  pile p = scatter(count, plane, &u);
  settle(&p);
  scene s = scene_of(p, &u);
  s.rolling = rolling;
  set_in_motion(&s, motion_of(seed), &u);
  s.restitution = 0; /* between walls a rebound may have nowhere to go, and no solution exists */
  return model_of(s, name);
}

}  // namespace

model make_spheres(std::int32_t contacts, std::uint64_t seed) {
  return settled(contacts, seed, false, false, "spheres");
}

model make_rolling_spheres(std::int32_t contacts, std::uint64_t seed) {
  return settled(contacts, seed, false, true, "rolling-spheres");
}

model make_disks(std::int32_t contacts, std::uint64_t seed) {
  return settled(contacts, seed, true, false, "disks");
}

model make_rolling_disks(std::int32_t contacts, std::uint64_t seed) {
  return settled(contacts, seed, true, true, "rolling-disks");
}

// Equal spheres: a square layer in which neighbours touch, every further one in its hollows.
model make_pyramid(std::int32_t contacts, std::uint64_t seed) {
  random_source u(seed);
  constexpr double r = 0.05;
  const double mu = u(0.1, 0.9), spread = u(1, 100);
  std::int32_t side = 1;
  for (std::int32_t total = 1; total < contacts; side++)
    total += 4 * side * side + 2 * side * (side + 1) + 2 * side + 1;
  scene s;
  std::vector<std::int32_t> below;
  for (std::int32_t layer = 0; layer < side; layer++) {
    const std::int32_t m = side - layer;
    std::vector<std::int32_t> here(at(m) * at(m), -1);
    for (std::int32_t k = 0; k < m * m; k++) {
      if (static_cast<std::int32_t>(s.contacts.size()) >= contacts) break;
      const std::int32_t i = k % m, j = k / m, a = static_cast<std::int32_t>(s.bodies.size());
      const vec3 x{(2 * i + layer) * r, (2 * j + layer) * r, r + layer * r * std::sqrt(2.0)};
      const auto touch = [&](std::int32_t b) {
        const vec3 n = b < 0 ? vec3{0, 0, 1} : unit(x - s.bodies[at(b)].x);
        s.contacts.push_back({a, b, x - r * n, n, mu, 0});
      };
      std::vector<std::int32_t> under;
      if (layer > 0)
        for (const std::int32_t c : {k + j, k + j + 1, k + j + m + 1, k + j + m + 2})
          under.push_back(below[at(c)]);
      if (std::find(under.begin(), under.end(), -1) != under.end()) continue;
      s.bodies.push_back(sphere(x, r, u.logarithmic(1000, 1000 * spread)));
      here[at(k)] = a;
      if (layer == 0) touch(-1);
      for (const std::int32_t b : under) touch(b);
      if (i > 0 && here[at(k - 1)] >= 0) touch(here[at(k - 1)]);
      if (j > 0 && here[at(k - m)] >= 0) touch(here[at(k - m)]);
    }
    below = here;
  }
  set_in_motion(&s, motion_of(seed), &u);
  return model_of(s, "pyramid");
}

}  // namespace friction_families
