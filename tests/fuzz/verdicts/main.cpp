// SPDX-License-Identifier: MIT
// Random problems for every solver in every storage; each verdict is judged by what is known of the
// problem. Ends with 1 if one was wrong, or auto refused more than a thousandth of what was
// planted.
//
//   verdicts [--problems N] [--seed S] [--family NAME] [--solver NAME] [--storage NAME] [--jobs J]
//            [--table FILE] [--show K] [--one CASE_SEED] [--faults]
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <thread>

#include "exact.hpp"
#include "program.hpp"

namespace verdicts {
namespace {

struct arguments {
  std::uint64_t problems = 10000, seed = 0, one = 0;
  bool seeded = false, is_one = false, faults = false;
  int jobs = 1, show = 5;
  std::string table;
  settings how;
};

std::uint64_t number_of(const std::string &text) {
  std::size_t end = 0;
  const std::uint64_t x = std::stoull(text, &end, 0);
  if (end != text.size()) throw std::invalid_argument(text);
  return x;
}

void take(arguments &a, const std::string &name, const std::string &value) {
  if (name == "--problems")
    a.problems = number_of(value);
  else if (name == "--seed")
    a.seed = number_of(value), a.seeded = true;
  else if (name == "--one")
    a.one = number_of(value), a.is_one = true;
  else if (name == "--jobs")
    a.jobs = static_cast<int>(number_of(value));
  else if (name == "--show")
    a.show = static_cast<int>(number_of(value));
  else if (name == "--table")
    a.table = value;
  else if (name == "--family")
    a.how.family = value;
  else if (name == "--solver")
    a.how.solver = value;
  else if (name == "--storage")
    a.how.storage = value;
  else
    throw std::invalid_argument(name);
}

bool is_solver(const std::string &name) {
  return name.empty() || name == "one-contact" || name == "qp-dual" ||
         perp_solver_find(name.c_str()) != nullptr;
}

arguments read(int count, char **words) {
  arguments a;
  for (int i = 1; i < count; i++) {
    const std::string name = words[i];
    if (name == "--faults") {
      a.faults = true;
      continue;
    }
    if (i + 1 == count) throw std::invalid_argument(name);
    take(a, name, words[++i]);
  }
  if (!a.seeded) { /* the day: 20261122 */
    const std::time_t now = std::time(nullptr);
    std::tm day{};
    gmtime_r(&now, &day);
    a.seed = static_cast<std::uint64_t>((day.tm_year + 1900) * 10000 + (day.tm_mon + 1) * 100 +
                                        day.tm_mday);
  }
  if (!is_solver(a.how.solver)) throw std::invalid_argument(a.how.solver);
  return a;
}

// A family of either kind.
struct entry {
  const family *problems;
  const program_family *programs;
  const char *name() const { return problems != nullptr ? problems->name : programs->name; }
};

// Families by weight, of those wanted. Problems with contacts take longer and come less often.
std::vector<entry> families(const std::string &wanted) {
  std::vector<entry> list;
  const auto add = [&](const entry &e, int weight) {
    for (int k = 0; k < weight && (wanted.empty() || wanted == e.name()); k++) list.push_back(e);
  };
  for (const family &f : ordinary_families()) add({&f, nullptr}, 4);
  for (const family &f : hard_families()) add({&f, nullptr}, 4);
  for (const family &f : friction_families()) add({&f, nullptr}, 1);
  for (const family &f : polyhedron_families()) add({&f, nullptr}, 1);
  for (const program_family &f : program_families()) add({nullptr, &f}, 2);
  if (list.empty()) throw std::invalid_argument(wanted);
  return list;
}

// The seed alone tells the family, unless that is named.
void try_case(const std::vector<entry> &list, std::uint64_t seed, const settings &how, tally &t) {
  source s(seed);
  const entry &e = list[s.bits() % list.size()];
  if (e.problems != nullptr)
    try_problem(*e.problems, seed, how, t);
  else
    try_program(*e.programs, seed, how, t);
}

tally try_all(const arguments &a, const settings &how) {
  const std::vector<entry> list = families(how.family);
  std::vector<tally> parts(static_cast<std::size_t>(a.jobs));
  std::atomic<std::uint64_t> next{0};
  std::vector<std::thread> threads;
  for (tally &t : parts)
    threads.emplace_back([&] {
      for (std::uint64_t i = next++; i < a.problems; i = next++)
        try_case(list, mix(a.seed, i), how, t);
    });
  for (std::thread &t : threads) t.join();
  tally all;
  for (const tally &t : parts) all.merge(t);
  return all;
}

// Lies of every kind, and families where a judge has to find nearly all of them: not where a
// problem has no unknowns, or one that is infeasible by less than a tolerance.
struct lie {
  fault kind;
  const char *family, *solver, *text;
};
constexpr lie lies[] = {
    {fault::shifted, "positive definite", "auto", "lambda + 1e-5 (1 + |lambda|)"},
    {fault::shifted, "friction", "auto", "the same"},
    {fault::shifted, "friction, one contact", "one-contact", "the same"},
    {fault::shifted, "AVI, definite", "auto", "the same"},
    {fault::shifted, "QP, definite", "qp-dual", "the same"},
    {fault::infeasible, "copositive", "auto", "INFEASIBLE in place of OK"},
    {fault::infeasible, "degenerate", "auto", "the same"},
    {fault::infeasible, "AVI, definite", "auto", "the same"},
    {fault::infeasible, "QP, definite", "auto", "the same"},
    {fault::unbounded, "QP, linear", "auto", "UNBOUNDED in place of OK"},
    {fault::refused, "amplified", "auto", "MAX_ITER in place of OK"},
    {fault::refused, "QP, semidefinite", "auto", "the same"},
    {fault::solved, "infeasible, monotone", "auto", "OK in place of INFEASIBLE"},
    {fault::solved, "inconsistent equalities", "auto", "the same"},
    {fault::solved, "QP, infeasible by a hair", "auto", "the same"},
    {fault::solved, "QP, unbounded by a hair", "auto", "OK in place of UNBOUNDED"},
};

bool finds_faults(const arguments &a) {
  bool all_found = true;
  for (const lie &l : lies) {
    settings how;
    how.family = l.family;
    how.solver = l.solver;
    how.lie = l.kind;
    const tally t = try_all(a, how);
    const std::uint64_t told = t.runs(), found = t.wrongs() + t.refusals();
    std::printf("%s, %s: %llu of %llu found\n", l.text, l.family,
                static_cast<unsigned long long>(found), static_cast<unsigned long long>(told));
    all_found = all_found && told > 0 && 2 * found > told;
  }
  return all_found;
}

// The search in rationals finds a solution wherever one was planted to the last bit, and none where
// there is none by proof.
bool searches_rightly(const arguments &a) {
  std::uint64_t asked = 0, right = 0;
  for (const entry &e : families("")) {
    if (e.problems == nullptr) continue;
    for (std::uint64_t i = 0; i < a.problems / 50; i++) {
      source s(mix(a.seed, i));
      instance p;
      e.problems->make(s, p);
      const bool plain = p.contacts.empty() && p.polyhedra.empty() && p.n <= 5;
      const bool none = p.has(kInfeasible);
      if (!plain || (!none && (p.planted.empty() || !solves_exactly(p, p.planted)))) continue;
      asked++;
      right += solve_exactly(p).solvable == (none ? answer::no : answer::yes) ? 1 : 0;
    }
  }
  std::printf("searched in rationals: %llu of %llu right\n", static_cast<unsigned long long>(right),
              static_cast<unsigned long long>(asked));
  return asked > 0 && right == asked;
}

int run(const arguments &a) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(a.seed));
  if (a.faults) return finds_faults(a) && searches_rightly(a) ? 0 : 1;
  tally t;
  if (a.is_one) {
    settings how = a.how;
    how.exhaustive = how.verbose = true;
    try_case(families(how.family), a.one, how, t);
  } else {
    t = try_all(a, a.how);
  }
  t.print(a.show);
  if (!a.table.empty() && !t.write_table(a.table, a.seed)) return 2;
  std::printf("wrong verdicts: %llu\n", static_cast<unsigned long long>(t.wrongs()));
  return t.wrongs() == 0 && 1000 * t.refusals() <= t.planted ? 0 : 1;
}

}  // namespace
}  // namespace verdicts

int main(int count, char **words) {
  try {
    return verdicts::run(verdicts::read(count, words));
  } catch (const std::exception &e) {
    (void)std::fprintf(stderr, "verdicts: what is '%s'?\n", e.what());
    return 2;
  }
}
