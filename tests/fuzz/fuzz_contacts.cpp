// SPDX-License-Identifier: MIT
// Every solver of the library that takes contacts on small problems made of extreme numbers, with
// friction, rolling and laws by component in any order: whatever the bytes say, the call ends, with
// a status that exists, and a claim of success is true.
#include <perp/auto.h>
#include <perp/heap.h>
#include <perp/solver.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../contact_system.hpp"
#include "bytes.hpp"

namespace {

using namespace contacts;

[[noreturn]] void broken(const char *what, const char *solver) {
  std::fprintf(stderr, "fuzz_contacts: %s: %s\n", solver, what);
  std::abort();
}

double coefficient(fuzz::bytes *in) { return std::fabs(in->number()); }

std::vector<unit> read_units(fuzz::bytes *in) {
  std::vector<unit> units;
  for (unsigned i = in->byte() % 4; i > 0; i--) {
    const unsigned law = in->byte() % 8;
    if (law == 0) units.push_back(free_row());
    if (law == 1) units.push_back(orthant());
    if (law == 2) units.push_back(box(-coefficient(in), coefficient(in)));
    if (law == 3 || law == 4) units.push_back(plane(coefficient(in)));
    if (law == 5) units.push_back(space(coefficient(in)));
    if (law > 5) {
      const double mu = coefficient(in), mu_rolling = coefficient(in);
      units.push_back(law == 6 ? plane_rolling(mu, mu_rolling) : space_rolling(mu, mu_rolling));
    }
  }
  return units;
}

// The judge's sums are in long double, but its inputs must not leave the range of what it squares.
bool can_be_judged(const contacts::system &p, const vec &lambda) {
  const auto small = [](const vec &x) {
    for (const double v : x)
      if (!(std::fabs(v) <= 1e150)) return false;
    return true;
  };
  for (const unit &u : p.units)
    if (!small(u.c)) return false;
  return small(p.M.a) && small(p.q) && small(lambda);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr double tol = 1e-8;
  fuzz::bytes in(data, size);
  const perp_solver *solver =
      perp_solver_at(static_cast<std::int32_t>(in.byte()) % perp_solver_count());
  std::vector<unit> units = read_units(&in);
  const unsigned form = in.byte();
  std::int32_t n = 0;
  for (const unit &u : units) n += u.size;
  dense M(n, n);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++)
      if ((form & 1u) != 0 || i >= j) M(i, j) = in.number();
  for (std::int32_t j = 0; j < n && (form & 1u) == 0; j++) /* symmetric */
    for (std::int32_t i = 0; i < j; i++) M(i, j) = M(j, i);
  vec q(static_cast<std::size_t>(n)), lambda(q.size()), y(q.size(), 999);
  for (std::size_t i = 0; i < q.size(); i++) {
    q[i] = in.number();
    lambda[i] = (form & 2u) != 0 ? in.number() : 0;
  }
  const contacts::system p(std::move(M), std::move(q), std::move(units),
                           (form & 8u) != 0 ? PERP_BLOCKS : PERP_DENSE);
  perp_auto_options options = perp_auto_options_default();
  options.max_iter = (form & 16u) != 0 ? 7 : 0;
  options.tol = tol;
  options.budget = 1e6; /* by default auto takes seconds to give up, with sanitizers minutes */
  if (solver != perp_solver_auto()) options.struct_size = sizeof(perp_solver_options);
  const std::size_t need = perp_solver_workspace(solver, &p.problem, &options);
  if (need == 0) return 0;
  std::vector<unsigned char> work(need);
  perp_info info = PERP_INFO_INIT;
  const perp_status status = perp_solver_solve(solver, &p.problem, &options, lambda.data(),
                                               y.data(), nullptr, work.data(), need, &info);
  if (std::strcmp(perp_status_string(status), "unknown status") == 0)
    broken("a status that does not exist", solver->name);
  if (status == PERP_OK && can_be_judged(p, lambda) &&
      !(error(p, lambda, 4e-15L) <= tol * (1 + 1e-6) + 1e-14))
    broken("claims a solution", solver->name);
  return 0;
}
