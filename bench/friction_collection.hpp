// SPDX-License-Identifier: MIT
// The collection of generated problems by name.
#ifndef BENCH_FRICTION_COLLECTION_HPP
#define BENCH_FRICTION_COLLECTION_HPP

#include "friction_families.hpp"

namespace friction_families {

struct member {
  std::string family;
  std::int32_t contacts;
  std::uint64_t seed;
  bool global;

  bool rolling() const { return family.rfind("rolling", 0) == 0; }
  // "spheres-200-1", "global-wall-50-0", "rolling-disks-30-2"
  std::string name() const {
    return (global ? "global-" : "") + family + "-" + std::to_string(contacts) + "-" +
           std::to_string(seed);
  }
  std::string file() const { return name() + (rolling() ? ".dat" : ".hdf5"); }
};

// About a hundred, smallest first.
inline std::vector<member> collection() {
  std::vector<member> all;
  std::uint64_t seed = 0;
  const auto add = [&](const std::vector<const char *> &names, const ints &sizes, bool global) {
    for (const std::int32_t size : sizes)
      for (const char *name : names) all.push_back({name, size, seed++, global});
  };
  add({"single"}, {1, 1, 1, 1, 1, 1, 1, 1, 20, 500}, false);
  add({"spheres", "pyramid", "stacks", "planks", "wall", "chain", "arch", "elastic", "disks"},
      {4, 20, 60, 200, 500}, false);
  add({"rolling-spheres", "rolling-disks"}, {4, 20, 100, 300}, false);
  add({"spheres", "pyramid", "stacks", "planks", "wall", "chain", "arch", "disks"}, {1500, 4000},
      false);
  add({"spheres", "pyramid", "stacks", "planks", "wall", "chain", "arch", "elastic", "disks"},
      {40, 300}, true);
  add({"spheres", "disks"}, {50000}, false);
  add({"planks", "pyramid", "wall"}, {50000}, true);
  return all;
}

}  // namespace friction_families

#endif
