// SPDX-License-Identifier: MIT
// What the families are made of: rigid bodies, contacts between them, and random numbers.
#ifndef BENCH_FRICTION_SCENE_HPP
#define BENCH_FRICTION_SCENE_HPP

#include <array>
#include <cmath>
#include <cstdint>

#include "friction_families.hpp"

namespace friction_families {

struct vec3 {
  double x = 0, y = 0, z = 0;
};
inline vec3 operator+(vec3 a, vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline vec3 operator-(vec3 a, vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline vec3 operator*(double s, vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline vec3 cross(vec3 a, vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(vec3 a) { return std::sqrt(dot(a, a)); }
inline vec3 unit(vec3 a) { return (1 / norm(a)) * a; }

// Uniform numbers, SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}
  double operator()(double from, double to) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return from + (to - from) * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double logarithmic(double from, double to) {
    return std::exp((*this)(std::log(from), std::log(to)));
  }
  vec3 direction() {
    for (;;) {
      const vec3 d{(*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1)};
      if (dot(d, d) <= 1 && dot(d, d) >= 1e-2) return unit(d);
    }
  }

 private:
  std::uint64_t state_;
};

struct body {
  vec3 x;                                                                 // centre of mass
  std::array<vec3, 3> axes{vec3{1, 0, 0}, vec3{0, 1, 0}, vec3{0, 0, 1}};  // principal
  double mass = 1;
  vec3 inertia{1, 1, 1};  // principal moments
  vec3 v, w;              // before the step; w along the axes
};

// Pushes a along n, and b, or the ground where b is negative, the other way.
struct contact {
  std::int32_t a, b;
  vec3 p, n;
  double mu, mu_rolling;
};

struct scene {
  bool plane = false;  // x and z, rotation about y
  bool rolling = false;
  std::vector<body> bodies;
  std::vector<contact> contacts;
  double h = 5e-3;         // time step, s
  double restitution = 0;  // normal
};

// How the seed lets a family begin.
enum class motion { rest, sliding, impact };
inline motion motion_of(std::uint64_t seed) { return static_cast<motion>(seed % 3); }

body sphere(vec3 x, double radius, double density);
// axes: unit vectors; half: half the edges along them.
body box(vec3 x, const std::array<vec3, 3> &axes, vec3 half, double density);
// Velocities before the step; impact: downward, and restitution.
void set_in_motion(scene *s, motion how, random_source *u);
// M, H, f and b of a scene; name: of the family.
model model_of(const scene &s, const char *name);

model make_spheres(std::int32_t contacts, std::uint64_t seed);
model make_rolling_spheres(std::int32_t contacts, std::uint64_t seed);
model make_disks(std::int32_t contacts, std::uint64_t seed);
model make_rolling_disks(std::int32_t contacts, std::uint64_t seed);
model make_pyramid(std::int32_t contacts, std::uint64_t seed);
model make_stacks(std::int32_t contacts, std::uint64_t seed);
model make_planks(std::int32_t contacts, std::uint64_t seed);
model make_wall(std::int32_t contacts, std::uint64_t seed);
model make_chain(std::int32_t contacts, std::uint64_t seed);
model make_arch(std::int32_t contacts, std::uint64_t seed);
model make_elastic(std::int32_t contacts, std::uint64_t seed);
model make_single(std::int32_t contacts, std::uint64_t seed);

}  // namespace friction_families

#endif
