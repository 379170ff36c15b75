// SPDX-License-Identifier: MIT
// One solver on one problem, timed and judged.
#ifndef PERP_TOOL_RUN_HPP
#define PERP_TOOL_RUN_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/problem.hpp"
#include "perp/heap.h"

namespace perp::tool {

// What the user may say of a solve.
struct settings {
  double tol = PERP_DEFAULT_TOL;
  std::int32_t max_iter = 0;  // 0: the solver's own rule
  double time_limit = 0;      // seconds, 0: none
};

struct outcome {
  perp_status status = PERP_EUNSUPPORTED;
  std::string solver;    // empty: none was tried
  bool by_auto = false;  // it was chosen for the problem
  std::int32_t iterations = 0;
  perp_residual residual = PERP_RESIDUAL_INIT;  // NaN where nothing was solved
  double bound = 0;                             // see perp_info
  double seconds = 0;                           // of the solve alone
  io::reals lambda;
  io::reals y;
  std::string refusal;           // why nothing was solved, or what was wrong
  std::uint32_t sets = 0;        // bits of the laws' sets
  bool frictional = false;       // some law is friction, and it was tried
  bool dissipates = false;       // see perp_info
  std::int32_t indefinite = -1;  // law block of the first indefinite block of M, -1: none
};

// "solved", "iteration limit", ... as docs/command.md lists them.
const char *status_word(perp_status status);
// The same as a sentence: "not solved: iteration limit after 1000 iterations, contact 17, residual
// 2.6e-09, asked 1e-10; try --tol 1e-08 or --solver auto".
std::string ending(const outcome &o, const settings &s);
// "free", "orthant", "box", ... of the sets in these bits.
std::vector<std::string> set_names(std::uint32_t sets);
// The number of such a name.
std::size_t set_number(const std::string &name);
std::vector<std::string> matrix_names(std::uint32_t matrices);
std::vector<std::string> assumption_names(std::uint32_t assumes);
std::string join(const std::vector<std::string> &words, const char *between = ", ");

// A problem of a file as solvers take it; borrows the file's arrays. Throws io::no_law.
class task {
 public:
  explicit task(const io::any_problem &problem);
  // Whether a solver takes these laws and so many unknowns, M perhaps copied into a dense array.
  bool taken_by(const perp_solver *solver) const;
  // Solve; M is copied into a dense array first where the solver wants one, and a global problem is
  // condensed for it.
  outcome run(const perp_solver *solver, const settings &s) const;

 private:
  outcome run_local(const perp_solver *solver, const settings &s) const;
  outcome run_global(const perp_solver *solver, const settings &s) const;
  std::optional<perp::problem> local_;
  std::optional<perp::global_problem> global_;
};

// Solve by a solver of this name.
outcome solve(const io::any_problem &problem, const std::string &solver, const settings &s);

}  // namespace perp::tool

#endif
