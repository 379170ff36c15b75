// SPDX-License-Identifier: MIT
// Problem files through the reader of the command; what is read is kept to the end of the process.
#include "read.h"

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <list>
#include <string>

#include "io/file.hpp"

namespace {

using perp::io::at;
using perp::io::reals;

struct kept {
  std::string path;
  perp::io::any_problem problem;
  perp::io::matrix M;
  reals lower, upper;
};

const reals &right_hand_side(const perp::io::any_problem &p) {
  if (const auto *lcp = std::get_if<perp::io::lcp>(&p)) return lcp->q;
  if (const auto *mlcp = std::get_if<perp::io::mlcp>(&p)) return mlcp->q;
  return std::get<perp::io::relay>(p).q;
}

void set_bounds(kept *k) {
  const std::size_t n = at(k->M.rows);
  k->lower.assign(n, 0);
  k->upper.assign(n, HUGE_VAL);
  if (const auto *mlcp = std::get_if<perp::io::mlcp>(&k->problem))
    for (std::size_t b = 0; b < mlcp->complementary.size(); b++)
      for (std::int32_t i = mlcp->cuts[b]; i < mlcp->cuts[b + 1]; i++)
        if (!mlcp->complementary[b]) k->lower[at(i)] = -HUGE_VAL;
  if (const auto *relay = std::get_if<perp::io::relay>(&k->problem)) {
    k->lower = relay->lower;
    k->upper = relay->upper;
  }
}

void read(bench_problem *p, const char *folder) {
  static std::list<kept> all;
  all.emplace_back();
  kept &k = all.back();
  k.path = p->file;
  k.problem = perp::io::read_problem(k.path, folder).problem;
  k.M = perp::io::to_dense(perp::io::matrix_of(k.problem));
  set_bounds(&k);
  p->n = k.M.rows;
  p->M = perp_dense(k.M.rows, k.M.cols, k.M.values.data());
  p->q = right_hand_side(k.problem).data();
  p->lower = k.lower.data();
  p->upper = k.upper.data();
  p->file = k.path.c_str();
}

}  // namespace

int read_named(bench_problem *p, const char *data, const char *name) {
  static const char *const folders[] = {"lcp", "mlcp", "relay"};
  for (int kind = PROBLEM_LCP; kind <= PROBLEM_RELAY; kind++) {
    const std::string path = std::string(data) + "/problems/" + folders[kind] + "/" + name + ".dat";
    if (!std::ifstream(path).good()) continue;
    try {
      *p = bench_problem{};
      p->kind = kind;
      p->file = path.c_str();
      read(p, folders[kind]);
      return 1;
    } catch (const std::exception &e) {
      std::fprintf(stderr, "%s\n", e.what());
      return 0;
    }
  }
  std::fprintf(stderr, "no file %s.dat under %s/problems\n", name, data);
  return 0;
}
