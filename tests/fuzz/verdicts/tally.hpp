// SPDX-License-Identifier: MIT
// What became of the problems: counts by family and solver, and what was found wrong.
#ifndef PERP_FUZZ_VERDICTS_TALLY_HPP
#define PERP_FUZZ_VERDICTS_TALLY_HPP

#include <array>
#include <map>
#include <string>

#include "instance.hpp"

namespace verdicts {

// Endings that break the contract.
enum class wrong {
  ok_residual,       // solved, r > tol scale
  ok_ceiling,        // solved, r > 1e-6 hat
  ok_infeasible,     // solved, r > 1e-6 hat, and by proof there is no solution
  infeasible,        // infeasible, and there is an exact solution of A < 2^30
  infeasible_bound,  // infeasible, and there is an exact solution of a norm below info.bound
  ok_unbounded,      // solved, and by proof there is no least value
  unbounded,         // unbounded, and by proof there is a least value
  refused,           // auto found nothing where a planted solution of A <= 1e8 passes
  call               // a negative status for a problem in order
};
constexpr int kWrongs = 9;
const char *name_of(wrong w);

// Endings by family and solver. "inside": what the solver assumes holds.
struct counts {
  std::uint64_t runs = 0, solved = 0;
  std::uint64_t infeasible = 0;  // or unbounded, and rightly so
  std::uint64_t unjudged = 0;    // infeasible, and nobody knows
  std::uint64_t declined = 0;    // the solver says that this is not for it
  std::uint64_t solvable_inside = 0, unsolved_inside = 0;  // a solution of A <= 1e8 is known
  std::uint64_t solvable_outside = 0, unsolved_outside = 0;
  std::uint64_t unsolved_amplified = 0;  // that of the known solution is larger
  std::uint64_t open = 0;                // unsolved, and no solution is known
  std::uint64_t cut = 0;                 // after a second
  double seconds = 0, slowest = 0;
  std::uint64_t slowest_seed = 0;
  void add(const counts &other);
};

struct finding {
  wrong kind{};
  std::string family, solver, storage;
  std::int32_t n = 0;
  std::uint64_t seed = 0;
  std::string detail, problem;
};

class tally {
 public:
  std::uint64_t problems = 0, known_infeasible = 0, planted = 0;
  counts &of(const std::string &family, const std::string &solver) {
    return cells_[{family, solver}];
  }
  void found(const finding &f);  // the smallest of each kind, family and solver is kept
  void merge(const tally &other);
  std::uint64_t wrongs() const;
  std::uint64_t refusals() const;  // of auto, which are no wrong verdicts
  std::uint64_t runs() const;
  void print(int most) const;                                           // to stdout
  bool write_table(const std::string &file, std::uint64_t seed) const;  // in Markdown

 private:
  struct group {
    std::uint64_t count = 0;
    finding smallest;
  };
  using key = std::array<std::string, 3>;
  std::map<std::pair<std::string, std::string>, counts> cells_;
  std::map<key, group> wrong_;
  std::array<std::uint64_t, kWrongs> by_kind_{};
  void print_wrongs(int most) const;
  void print_unsolved() const;
};

}  // namespace verdicts

#endif
