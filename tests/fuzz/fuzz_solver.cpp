// SPDX-License-Identifier: MIT
// Every solver of the library on small problems made of extreme numbers: whatever the bytes say,
// the call ends, with a status that exists, and a claim of success or infeasibility is true.
#include <perp/heap.h>
#include <perp/law.h>
#include <perp/solver.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../families.hpp"
#include "bytes.hpp"

namespace {

using namespace families;

[[noreturn]] void broken(const char *what, const char *solver) {
  std::fprintf(stderr, "fuzz_solver: %s: %s\n", solver, what);
  std::abort();
}

// The judge's sums are in long double, but its inputs must not leave the range of what it squares.
bool can_be_judged(const instance &p) {
  for (const double x : p.M.a)
    if (!(std::fabs(x) <= 1e200)) return false;
  for (const double x : p.q)
    if (!(std::fabs(x) <= 1e200)) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::bytes in(data, size);
  const perp_solver *solver =
      perp_solver_at(static_cast<std::int32_t>(in.byte()) % perp_solver_count());
  instance p(static_cast<std::int32_t>(in.byte() % 7));
  const unsigned form = in.byte();
  const std::int32_t n = p.n();
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++) p.M(i, j) = (form & 1u) != 0 && i < j ? 0.0 : in.number();
  if ((form & 1u) != 0) /* symmetric */
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < j; i++) p.M(i, j) = p.M(j, i);
  vec lambda(p.q.size()), y(p.q.size(), 999), ray(p.q.size(), 999);
  for (std::int32_t i = 0; i < n; i++) {
    p.q[at(i)] = in.number();
    lambda[at(i)] = (form & 2u) != 0 ? in.number() : 0;
    if ((form & 4u) == 0) continue;
    const double a = in.number(), b = in.number();
    const unsigned side = in.byte() % 4;
    if (!(a <= b)) continue;
    p.lower[at(i)] = (side & 1u) != 0 || !(a < kInf) ? -kInf : a;
    p.upper[at(i)] = (side & 2u) != 0 || !(b > -kInf) ? kInf : b;
  }
  laws l(p);
  const tools::stored M(p.M, (form & 8u) != 0 ? PERP_BLOCKS : PERP_DENSE);
  l.problem.M = M.view;
  const perp_solver_options options = {
      sizeof options, (form & 16u) != 0 ? 7 : 0, 1e-9, nullptr, nullptr, 0};
  const std::size_t need = perp_solver_workspace(solver, &l.problem, &options);
  if (need == 0) return 0;
  std::vector<unsigned char> work(need);
  perp_info info = PERP_INFO_INIT;
  info.ray = ray.data();
  info.ray_size = n;
  const perp_status status = perp_solver_solve(solver, &l.problem, &options, lambda.data(),
                                               y.data(), nullptr, work.data(), need, &info);
  if (std::strcmp(perp_status_string(status), "unknown status") == 0)
    broken("a status that does not exist", solver->name);
  if (!can_be_judged(p)) return 0;
  if (status == PERP_OK && !solves(p, lambda, 1e-9, 4e-15))
    broken("claims a solution", solver->name);
  if (info.ray_kind == PERP_RAY_CERTIFICATE && !proves_infeasible(p, ray))
    broken("claims a proof", solver->name);
  return 0;
}
