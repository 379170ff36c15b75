// SPDX-License-Identifier: MIT
// Write friction problems of bench/friction_families.hpp to files.
//
//   friction_generate FAMILY CONTACTS SEED OUT     OUT ends in .hdf5 (FCLIB) or .dat
//   friction_generate --global FAMILY CONTACTS SEED OUT
//   friction_generate --all DIR [MOST]             the collection, of up to MOST contacts (all)
//   friction_generate --list                       the families
//   friction_generate --names [MOST]               the names in the collection
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include "friction_collection.hpp"
#include "io/file.hpp"

namespace {

namespace ff = friction_families;

perp::io::document document_of(const ff::model &m, std::uint64_t seed, bool global) {
  perp::io::document d;
  d.problem = global ? ff::global(m) : ff::local(m);
  d.title =
      m.family + ", " + std::to_string(m.contacts()) + " contacts, seed " + std::to_string(seed);
  d.description = "One time step of bodies under gravity, from perp's friction_generate.";
  d.math_info = "W = H M^-1 H^T, so a solution exists.";
  return d;
}

void write(const ff::member &one, const std::string &path) {
  const ff::model m = ff::make(one.family, one.contacts, one.seed);
  perp::io::write_problem(path, document_of(m, one.seed, one.global));
}

template <class T>
T number(const char *text) {
  T value{};
  const char *end = text + std::strlen(text);
  const auto done = std::from_chars(text, end, value);
  if (done.ec != std::errc() || done.ptr != end)
    throw std::invalid_argument(std::string("expected a number, found '") + text + "'");
  return value;
}

int list() {
  for (const ff::family &f : ff::families()) std::printf("%-16s %s\n", f.name, f.what);
  return 0;
}

int all(const std::string &folder, std::int32_t most) {
  std::filesystem::create_directories(folder);
  for (const ff::member &one : ff::collection()) {
    if (one.contacts > most) continue;
    const std::string path = (std::filesystem::path(folder) / one.file()).string();
    write(one, path);
    std::printf("%s\n", path.c_str());
    (void)std::fflush(stdout);
  }
  return 0;
}

int names(std::int32_t most) {
  for (const ff::member &one : ff::collection())
    if (one.contacts <= most) std::printf("%s\n", one.name().c_str());
  return 0;
}

int run(int argc, char **argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--list" && argc == 2) return list();
  if (first == "--names" && argc <= 3)
    return names(argc == 3 ? number<std::int32_t>(argv[2]) : INT32_MAX);
  if (first == "--all" && (argc == 3 || argc == 4))
    return all(argv[2], argc == 4 ? number<std::int32_t>(argv[3]) : INT32_MAX);
  const bool global = first == "--global";
  char **rest = argv + (global ? 2 : 1);
  if (argc - (rest - argv) != 4)
    throw std::invalid_argument(
        "usage: friction_generate [--global] FAMILY CONTACTS SEED OUT | --all DIR [MOST] | --names "
        "[MOST] | --list");
  write({rest[0], number<std::int32_t>(rest[1]), number<std::uint64_t>(rest[2]), global}, rest[3]);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &e) {
    (void)std::fprintf(stderr, "friction_generate: %s\n", e.what());
    return 2;
  }
}
