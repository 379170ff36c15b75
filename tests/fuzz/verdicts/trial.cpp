// SPDX-License-Identifier: MIT
// One problem: made from its seed and given to solvers in storages.
#include "trial.hpp"

#include <cstdio>
#include <cstring>
#include <ctime>

namespace verdicts {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  source s(a ^ (b + 1) * 0xD1342543DE82EF95U);
  (void)s.bits();
  return s.bits();
}

double seconds_now() {
  std::timespec t{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::int32_t watch::stop(const perp_iterate *, void *user) {
  watch &w = *static_cast<watch *>(user);
  return w.calls_++ % 16 == 15 && seconds_now() > w.end_ ? 1 : 0;
}

void tell(fault lie, bool hopeless, perp_status &status, vec &x) {
  if (lie == fault::solved && hopeless) status = PERP_OK;
  if (status != PERP_OK) return;
  if (lie == fault::shifted)
    for (double &xi : x) xi += 1e-5 * (1 + std::fabs(xi));
  if (lie == fault::infeasible) status = PERP_INFEASIBLE;
  if (lie == fault::unbounded) status = PERP_UNBOUNDED;
  if (lie == fault::refused) status = PERP_MAX_ITER;
}

namespace {

// Nodes of an enumeration may be millions, and sweeps of nsgs-small go on for seconds; what has no
// solution need not be swept for long. All others go by their own rules.
std::int32_t budget(const perp_solver *solver, const instance &p) {
  const auto is = [&](const char *name) { return std::strcmp(solver->name, name) == 0; };
  if (is("enumeration")) return 20000;
  if (is("nsgs-small")) return p.has(kInfeasible) ? 500 : 2000;
  const bool sweeps = is("nsgs") || is("extragradient") || is("fixed-point");
  return sweeps && p.has(kInfeasible) ? 500 : 0;
}

// Starts at 0, or for one problem of five anywhere.
void start(const instance &p, std::uint64_t seed, vec &lambda) {
  source s(seed);
  lambda.assign(at(p.n), 0);
  if (!s.chance(0.2)) return;
  for (double &x : lambda) x = s.signed_unit();
}

// Whether the solver takes the problem.
bool run(const instance &p, const perp_solver *solver, storage how, std::uint64_t seed,
         outcome &o) {
  source s(mix(seed, static_cast<std::uint64_t>(how)));
  const stored M(p, how, s);
  const lawful laws(p, s);
  const perp_problem problem = problem_of(M.M, p.q, laws);
  watch limit;
  const perp_solver_options options = {
      sizeof options, budget(solver, p), kTol, watch::stop, &limit, 0};
  const std::size_t bytes = perp_solver_workspace(solver, &problem, &options);
  if (bytes == 0) return false;
  thread_local std::vector<unsigned char> work;
  if (work.size() < bytes) work.assign(bytes, 0xA5);
  thread_local vec y;
  y.assign(at(p.n) + 1, 999);
  start(p, mix(seed, 17), o.lambda);
  o.lambda.push_back(999); /* not theirs */
  perp_info info = PERP_INFO_INIT;
  o.solver = solver;
  o.how = how;
  const double begin = seconds_now();
  o.status = perp_solver_solve(solver, &problem, &options, o.lambda.data(), y.data(), nullptr,
                               work.data(), bytes, &info);
  o.seconds = seconds_now() - begin;
  o.lambda.pop_back();
  o.bound = info.bound;
  return true;
}

struct choice {
  const perp_solver *solver;
  storage how;
};

bool is_wanted(const settings &how, const choice &c) {
  return (how.solver.empty() || how.solver == c.solver->name) &&
         (how.storage.empty() || how.storage == name_of(c.how));
}

std::vector<choice> all_choices(const settings &how) {
  std::vector<choice> list;
  for (std::int32_t i = 0; i < perp_solver_count(); i++)
    for (int k = 0; k < kStorages; k++) {
      const choice c{perp_solver_at(i), static_cast<storage>(k)};
      if (is_wanted(how, c)) list.push_back(c);
    }
  return list;
}

// auto first, then others by turns.
std::vector<choice> some_choices(const instance &p, std::uint64_t seed, const settings &how) {
  source s(mix(seed, 101));
  std::vector<choice> list;
  const perp_solver *one = perp_solver_find(how.solver.empty() ? "auto" : how.solver.c_str());
  if (one != nullptr) list.push_back({one, any_storage(p, s)});
  const int others = p.n > 100 ? 1 : 4;
  for (int k = 0; k < others && how.solver.empty(); k++)
    list.push_back({perp_solver_at(s.integer(0, perp_solver_count() - 1)), any_storage(p, s)});
  return list;
}

void say(const outcome &o) {
  std::printf("%-18s %-8s %-40s r/scale %.3Lg, r/hat %.3Lg, A %.3Lg, bound %.3g, %.6f s\n",
              o.solver->name, name_of(o.how), perp_status_string(o.status),
              o.verdict.residual / o.verdict.scale, o.verdict.residual / o.verdict.hat,
              o.verdict.amplification(), o.bound, o.seconds);
}

}  // namespace

void try_problem(const family &f, std::uint64_t seed, const settings &how, tally &t) {
  source s(seed);
  (void)s.bits(); /* the one that chose the family */
  instance p;
  f.make(s, p);
  if (how.verbose) std::printf("%s:\n%s", f.name, text_of(p).c_str());
  std::vector<outcome> all;
  const auto take = [&](outcome o) {
    tell(how.lie, p.has(kInfeasible), o.status, o.lambda);
    o.verdict = judge(p, o.lambda.data());
    if (how.verbose) say(o);
    all.push_back(std::move(o));
  };
  for (const choice &c : how.exhaustive ? all_choices(how) : some_choices(p, seed, how)) {
    outcome o;
    if (fits(p, c.how) && run(p, c.solver, c.how, seed, o)) take(std::move(o));
  }
  outcome o;
  if ((how.solver.empty() || how.solver == "one-contact") && run_contact(p, o)) take(std::move(o));
  count_endings(f, p, all, seed, t);
}

}  // namespace verdicts
