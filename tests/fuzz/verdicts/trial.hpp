// SPDX-License-Identifier: MIT
// One problem: made from its seed, given to solvers in storages, and every ending judged.
#ifndef PERP_FUZZ_VERDICTS_TRIAL_HPP
#define PERP_FUZZ_VERDICTS_TRIAL_HPP

#include <perp/heap.h>
#include <perp/solver.h>

#include "families.hpp"
#include "judge.hpp"
#include "posed.hpp"
#include "tally.hpp"

namespace verdicts {

// Lies that the judge has to see, told in place of the library.
enum class fault { none, shifted, infeasible, unbounded, refused, solved };

struct settings {
  std::string family, solver, storage;  // empty: any
  bool exhaustive = false;              // all solvers in all storages
  bool verbose = false;
  fault lie = fault::none;
};

// The library lies: status and x are what it said. hopeless: there is no solution, by proof.
void tell(fault lie, bool hopeless, perp_status &status, vec &x);

// What one solver said.
struct outcome {
  const perp_solver *solver = nullptr;
  storage how = storage::dense;
  perp_status status = 0;
  double bound = 0;
  vec lambda;
  judgement verdict;
  double seconds = 0;
};

std::uint64_t mix(std::uint64_t a, std::uint64_t b);  // a seed of two

// What a solver assumes (bits PERP_ASSUMES_...) holds for a problem of these properties.
bool is_inside(unsigned assumes, unsigned properties);

// The endings of one problem, all of which are known before the first is counted.
void count_endings(const family &f, const instance &p, const std::vector<outcome> &all,
                   std::uint64_t seed, tally &t);

// By perp_contact_..., if the problem is one contact.
bool run_contact(const instance &p, outcome &o);

// A problem of the one-step kind.
void try_problem(const family &f, std::uint64_t seed, const settings &how, tally &t);

// Processor time of this thread. No verdict depends on it.
double seconds_now();

// Ends a solve that goes on for longer than a second: it is counted as cut.
class watch {
 public:
  watch() : end_(seconds_now() + 1) {}
  static std::int32_t stop(const perp_iterate *iterate, void *user);

 private:
  double end_;
  unsigned calls_ = 0;
};

}  // namespace verdicts

#endif
