// SPDX-License-Identifier: MIT
// A quadratic program given to every solver that takes it, and to the dual active-set method.
#include <perp/qp.h>

#include <cstdio>
#include <cstring>

#include "program.hpp"

namespace verdicts {
namespace {

struct answer_of_program {
  const char *solver = "";
  unsigned assumes = 0;
  storage how = storage::dense;
  perp_status status = 0;
  vec x, nu, zeta;
  program_judgement verdict;
  double seconds = 0;
};

// P as an instance, of which storages are made.
instance hessian(const program &p) {
  instance h;
  h.resize(p.n);
  h.M = p.P;
  return h;
}

perp_qp view(const program &p, const stored &P) {
  perp_qp qp{};
  qp.n = p.n;
  qp.m = p.m;
  qp.P = P.M;
  qp.A = perp_dense(p.m, p.n, p.A.data());
  qp.c = p.c.data();
  qp.row_lower = p.row_lower.data();
  qp.row_upper = p.row_upper.data();
  qp.lower = p.lower.data();
  qp.upper = p.upper.data();
  return qp;
}

// solver NULL: the dual method. Whether it takes the program.
bool run(const program &p, const perp_solver *solver, std::uint64_t seed, answer_of_program &a) {
  source s(mix(seed, solver == nullptr ? 0 : std::strlen(solver->name)));
  const instance h = hessian(p);
  const storage how = any_storage(h, s);
  const stored P(h, how, s);
  const perp_qp qp = view(p, P);
  a.how = how;
  watch limit;
  const perp_solver_options options = {
      sizeof options,
      solver != nullptr && std::strcmp(solver->name, "enumeration") == 0 ? 20000 : 0,
      kTol,
      nullptr,
      nullptr,
      0};
  const std::size_t bytes = solver == nullptr ? perp_qp_dual_workspace(p.n, p.m)
                                              : perp_qp_workspace(solver, &qp, &options);
  if (bytes == 0) return false;
  thread_local std::vector<unsigned char> work;
  if (work.size() < bytes) work.assign(bytes, 0xA5);
  a.solver = solver == nullptr ? "qp-dual" : solver->name;
  a.assumes = solver == nullptr ? static_cast<unsigned>(PERP_ASSUMES_DEFINITE) : solver->assumes;
  a.x.assign(at(p.n), solver == nullptr ? 999 : 0);
  a.nu.assign(at(p.m), 999);
  a.zeta.assign(at(p.n), 999);
  perp_info info = PERP_INFO_INIT;
  const double begin = seconds_now();
  a.status = solver == nullptr ? perp_qp_dual(&qp, nullptr, a.x.data(), a.nu.data(), a.zeta.data(),
                                              work.data(), bytes, &info)
                               : perp_qp_solve(solver, &qp, &options, a.x.data(), a.nu.data(),
                                               a.zeta.data(), work.data(), bytes, &info);
  a.seconds = seconds_now() - begin;
  return true;
}

std::string text_of(const program &p) {
  std::string out = "  n = " + std::to_string(p.n) + ", m = " + std::to_string(p.m) + '\n';
  const auto add = [&](const char *name, const vec &v) {
    char number[80];
    out += std::string("  ") + name + " =";
    for (double x : v) {
      (void)std::snprintf(number, sizeof number, " %a (%.17g)", x, x);
      out += number;
    }
    out += '\n';
  };
  add("P", p.P);
  add("A", p.A);
  add("c", p.c);
  add("row_lower", p.row_lower);
  add("row_upper", p.row_upper);
  add("lower", p.lower);
  add("upper", p.upper);
  return out;
}

unsigned properties_of(const program &p) {
  unsigned all = kSemidefinite | kCopositive;
  if (p.m == 0) all |= kSymmetric | (p.definite ? static_cast<unsigned>(kDefinite | kPMatrix) : 0U);
  return all;
}

class clerk {
 public:
  clerk(const program_family &f, const program &p, std::uint64_t seed, tally &t)
      : f_(f), p_(p), seed_(seed), t_(t) {}
  // solvable: that a point is known, with A <= 1e8.
  void take(const answer_of_program &a, bool solvable, bool amplified) {
    counts &c = t_.of(f_.name, a.solver);
    c.runs++;
    c.seconds += a.seconds;
    if (a.seconds > c.slowest) c.slowest = a.seconds, c.slowest_seed = seed_;
    const bool inside = std::strcmp(a.solver, "qp-dual") == 0
                            ? p_.definite
                            : is_inside(a.assumes, properties_of(p_));
    if (a.status == PERP_STOPPED) {
      c.cut++;
      return;
    }
    if (a.status == PERP_EUNSUPPORTED) {
      c.declined++;
      return;
    }
    const bool known = solvable && !amplified;
    if (known) (inside ? c.solvable_inside : c.solvable_outside)++;
    if (a.status == PERP_OK) return solved(a, c);
    if (a.status == PERP_INFEASIBLE || a.status == PERP_UNBOUNDED) return refuted(a, c);
    if (a.status < 0) return report(wrong::call, a);
    if (known)
      (inside ? c.unsolved_inside : c.unsolved_outside)++;
    else
      (solvable ? c.unsolved_amplified : c.open)++;
    if (known && p_.known == truth::solvable && std::strcmp(a.solver, "auto") == 0)
      report(wrong::refused, a);
  }

 private:
  void solved(const answer_of_program &a, counts &c) {
    c.solved++;
    if (a.verdict.solved()) return;
    if (p_.known == truth::infeasible && !a.verdict.primal_passes)
      return report(wrong::ok_infeasible, a);
    if (p_.known == truth::unbounded && !a.verdict.dual_passes)
      return report(wrong::ok_unbounded, a);
    report(a.verdict.within_tol ? wrong::ok_ceiling : wrong::ok_residual, a);
  }
  // All other ways to say it end here: the truth is found in rationals.
  void refuted(const answer_of_program &a, counts &c) {
    if (a.status == PERP_INFEASIBLE && p_.known != truth::infeasible && is_feasible(p_))
      return report(wrong::infeasible, a);
    if (a.status == PERP_UNBOUNDED && p_.known != truth::unbounded && !has_descent(p_))
      return report(wrong::unbounded, a);
    c.infeasible++;
  }
  void report(wrong kind, const answer_of_program &a) {
    char text[240];
    const program_judgement &j = a.verdict;
    (void)std::snprintf(text, sizeof text,
                        "  %s: relative %.3Lg, primal %.3Lg, dual %.3Lg, in parts of what 0 does "
                        "%.3Lg, %.3Lg, A %.3Lg\n",
                        perp_status_string(a.status), j.relative, j.primal, j.dual,
                        j.primal / j.primal_hat, j.dual / j.dual_hat, j.amplification);
    t_.found({kind, f_.name, a.solver, name_of(a.how), p_.n + p_.m, seed_, text, text_of(p_)});
  }
  const program_family &f_;
  const program &p_;
  std::uint64_t seed_;
  tally &t_;
};

void count(const program_family &f, const program &p, const std::vector<answer_of_program> &all,
           std::uint64_t seed, tally &t) {
  bool solvable = false;
  long double least = static_cast<long double>(kInf);
  const auto learn = [&](const program_judgement &j) {
    if (!j.solved()) return;
    solvable = true;
    least = std::min(least, j.amplification);
  };
  if (p.known == truth::solvable) learn(judge(p, p.x, p.nu, p.zeta));
  for (const answer_of_program &a : all) learn(a.verdict);
  t.problems++;
  t.planted += p.known == truth::solvable && solvable && least <= 1e8L ? 1 : 0;
  t.known_infeasible += p.known == truth::infeasible || p.known == truth::unbounded ? 1 : 0;
  clerk c(f, p, seed, t);
  for (const answer_of_program &a : all) c.take(a, solvable, least > 1e8L);
}

std::vector<const perp_solver *> choose(std::uint64_t seed, const settings &how) {
  std::vector<const perp_solver *> list;
  source s(mix(seed, 101));
  if (how.solver.empty() || how.solver == "qp-dual") list.push_back(nullptr);
  for (std::int32_t i = 0; i < perp_solver_count(); i++) {
    const perp_solver *solver = perp_solver_at(i);
    const bool turn = std::strcmp(solver->name, "auto") == 0 || s.chance(0.2);
    if (how.solver.empty() ? turn || how.exhaustive : how.solver == solver->name)
      list.push_back(solver);
  }
  return list;
}

}  // namespace

void try_program(const program_family &f, std::uint64_t seed, const settings &how, tally &t) {
  source s(seed);
  (void)s.bits(); /* the one that chose the family */
  program p;
  f.make(s, p);
  if (how.verbose) std::printf("%s:\n%s", f.name, text_of(p).c_str());
  std::vector<answer_of_program> all;
  for (const perp_solver *solver : choose(seed, how)) {
    answer_of_program a;
    if (!run(p, solver, seed, a)) continue;
    tell(how.lie, p.known == truth::infeasible || p.known == truth::unbounded, a.status, a.x);
    a.verdict = judge(p, a.x, a.nu, a.zeta);
    if (how.verbose)
      std::printf("%-18s %-40s relative %.3Lg, primal %.3Lg, dual %.3Lg, A %.3Lg\n", a.solver,
                  perp_status_string(a.status), a.verdict.relative, a.verdict.primal,
                  a.verdict.dual, a.verdict.amplification);
    all.push_back(std::move(a));
  }
  count(f, p, all, seed, t);
}

}  // namespace verdicts
