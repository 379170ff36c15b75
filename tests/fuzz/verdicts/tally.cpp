// SPDX-License-Identifier: MIT
// What became of the problems.
#include "tally.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

namespace verdicts {

const char *name_of(wrong w) {
  switch (w) {
    case wrong::ok_residual:
      return "OK, residual above tol";
    case wrong::ok_ceiling:
      return "OK, residual above its ceiling";
    case wrong::ok_infeasible:
      return "OK, infeasible by proof";
    case wrong::infeasible:
      return "INFEASIBLE, solvable";
    case wrong::infeasible_bound:
      return "INFEASIBLE, solvable below the bound";
    case wrong::ok_unbounded:
      return "OK, unbounded by proof";
    case wrong::unbounded:
      return "UNBOUNDED, has a least value";
    case wrong::refused:
      return "auto refuses what was planted";
    case wrong::call:
      return "negative status";
  }
  return "";
}

void counts::add(const counts &o) {
  runs += o.runs;
  solved += o.solved;
  infeasible += o.infeasible;
  unjudged += o.unjudged;
  declined += o.declined;
  solvable_inside += o.solvable_inside;
  unsolved_inside += o.unsolved_inside;
  solvable_outside += o.solvable_outside;
  unsolved_outside += o.unsolved_outside;
  unsolved_amplified += o.unsolved_amplified;
  open += o.open;
  cut += o.cut;
  seconds += o.seconds;
  if (o.slowest > slowest) {
    slowest = o.slowest;
    slowest_seed = o.slowest_seed;
  }
}

static bool is_smaller(const finding &a, const finding &b) {
  return a.n != b.n ? a.n < b.n : a.seed < b.seed;
}

void tally::found(const finding &f) {
  group &g = wrong_[{name_of(f.kind), f.family, f.solver}];
  if (g.count++ == 0 || is_smaller(f, g.smallest)) g.smallest = f;
  by_kind_[static_cast<std::size_t>(f.kind)]++;
}

void tally::merge(const tally &o) {
  problems += o.problems;
  known_infeasible += o.known_infeasible;
  planted += o.planted;
  for (const auto &[k, c] : o.cells_) cells_[k].add(c);
  for (const auto &[k, g] : o.wrong_) {
    group &to = wrong_[k];
    if (to.count == 0 || is_smaller(g.smallest, to.smallest)) to.smallest = g.smallest;
    to.count += g.count;
  }
  for (std::size_t i = 0; i < by_kind_.size(); i++) by_kind_[i] += o.by_kind_[i];
}

std::uint64_t tally::wrongs() const {
  std::uint64_t sum = 0;
  for (std::uint64_t k : by_kind_) sum += k;
  return sum - refusals();
}

std::uint64_t tally::refusals() const { return by_kind_[static_cast<std::size_t>(wrong::refused)]; }

std::uint64_t tally::runs() const {
  std::uint64_t sum = 0;
  for (const auto &[k, c] : cells_) sum += c.runs;
  return sum;
}

static unsigned long long number(std::uint64_t x) { return x; }

void tally::print_wrongs(int most) const {
  for (const auto &[k, g] : wrong_) {
    const finding &f = g.smallest;
    std::printf("\n%llu x %s: %s, %s\n  --family '%s' --solver %s --storage %s --one 0x%llx\n%s",
                number(g.count), k[0].c_str(), k[1].c_str(), k[2].c_str(), f.family.c_str(),
                f.solver.c_str(), f.storage.c_str(), number(f.seed), f.detail.c_str());
    if (most-- > 0) std::printf("%s", f.problem.c_str());
  }
}

static double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

static void print_line(const std::string &name, const counts &c, const std::string &slowest) {
  std::printf(
      "%-18s %9llu %9llu %9llu %7llu %7llu %5llu | %7llu %6.2f %% %7llu %6.2f %% | %6llu "
      "%7llu | %8.2f %6.3f --family '%s' --one 0x%llx\n",
      name.c_str(), number(c.runs), number(c.solved), number(c.infeasible), number(c.unjudged),
      number(c.declined), number(c.cut), number(c.unsolved_inside),
      percent(c.unsolved_inside, c.solvable_inside), number(c.unsolved_outside),
      percent(c.unsolved_outside, c.solvable_outside), number(c.unsolved_amplified), number(c.open),
      c.seconds, c.slowest, slowest.c_str(), number(c.slowest_seed));
}

void tally::print_unsolved() const {
  std::map<std::string, counts> by_solver;
  std::map<std::string, std::string> slowest;
  for (const auto &[k, c] : cells_) {
    if (c.slowest > by_solver[k.second].slowest) slowest[k.second] = k.first;
    by_solver[k.second].add(c);
  }
  std::printf(
      "\nUnsolved although a solution of A <= 1e8 is known: within what the solver assumes, "
      "and beyond\n%-18s %9s %9s %9s %7s %7s %5s | %16s %17s | %6s %7s | %8s %6s\n",
      "solver", "runs", "solved", "no sol.", "unjudged", "declined", "cut", "within", "beyond",
      "A>1e8", "open", "seconds", "slowest");
  for (const auto &[name, c] : by_solver) print_line(name, c, slowest[name]);
}

void tally::print(int most) const {
  print_wrongs(most);
  print_unsolved();
  std::printf("\nproblems: %llu\nplanted with A <= 1e8: %llu\ninfeasible by proof: %llu\n",
              number(problems), number(planted), number(known_infeasible));
  for (int i = 0; i < kWrongs; i++)
    std::printf("%s: %llu\n", name_of(static_cast<wrong>(i)),
                number(by_kind_[static_cast<std::size_t>(i)]));
}

// "12 of 340", where the solver had any; in bold what its assumptions promise.
static std::string cell(const counts &c) {
  char text[96];
  std::string out;
  if (c.solvable_inside > 0) {
    (void)std::snprintf(text, sizeof text, "%llu of %llu", number(c.unsolved_inside),
                        number(c.solvable_inside));
    out += c.unsolved_inside > 0 ? std::string("**") + text + "**" : text;
  }
  if (c.solvable_outside > 0) {
    (void)std::snprintf(text, sizeof text, "%s(%llu of %llu)", out.empty() ? "" : " ",
                        number(c.unsolved_outside), number(c.solvable_outside));
    out += text;
  }
  return out;
}

bool tally::write_table(const std::string &file, std::uint64_t seed) const {
  std::FILE *out = std::fopen(file.c_str(), "w");
  if (out == nullptr) return false;
  std::set<std::string> families, solvers;
  for (const auto &[k, c] : cells_) families.insert(k.first), solvers.insert(k.second);
  (void)std::fprintf(out,
                     "%llu problems, seed %llu. Unsolved of those with a known solution of A <= "
                     "1e8; in parentheses those beyond what the solver assumes.\n\n| family |",
                     number(problems), number(seed));
  for (const std::string &name : solvers) (void)std::fprintf(out, " %s |", name.c_str());
  (void)std::fprintf(out, "\n|---|");
  for (std::size_t i = 0; i < solvers.size(); i++) (void)std::fprintf(out, "---|");
  for (const std::string &f : families) {
    (void)std::fprintf(out, "\n| %s |", f.c_str());
    for (const std::string &name : solvers) {
      const auto c = cells_.find({f, name});
      (void)std::fprintf(out, " %s |", c == cells_.end() ? "" : cell(c->second).c_str());
    }
  }
  (void)std::fprintf(out, "\n");
  return std::fclose(out) == 0;
}

}  // namespace verdicts
