// SPDX-License-Identifier: MIT
// What each ending of a problem is: right, wrong, or unsolved.
#include <cstdio>
#include <cstring>

#include "exact.hpp"
#include "trial.hpp"

namespace verdicts {

bool is_inside(unsigned assumes, unsigned properties) {
  const std::pair<unsigned, unsigned> needs[] = {{PERP_ASSUMES_SYMMETRIC, kSymmetric},
                                                 {PERP_ASSUMES_DEFINITE, kDefinite},
                                                 {PERP_ASSUMES_SEMIDEFINITE, kSemidefinite},
                                                 {PERP_ASSUMES_P_MATRIX, kPMatrix},
                                                 {PERP_ASSUMES_COPOSITIVE, kCopositive}};
  for (const auto &[bit, property] : needs)
    if ((assumes & bit) != 0 && (properties & property) == 0) return false;
  return true;
}

namespace {

// What is known of a problem once all solvers were heard.
struct knowledge {
  bool solvable = false;        // a point passes both tests
  long double amplification;    // the least of those points
  bool planted_passes = false;  // with A <= 1e8, and room to the limits
};

constexpr long double kPlain = 1e8L;

knowledge learn(const instance &p, const std::vector<outcome> &all) {
  knowledge k;
  k.amplification = static_cast<long double>(kInf);
  const auto take = [&](const judgement &j) {
    if (!j.solved()) return;
    k.solvable = true;
    if (j.amplification() < k.amplification) k.amplification = j.amplification();
  };
  if (!p.planted.empty()) {
    const judgement j = judge(p, p.planted.data());
    take(j);
    k.planted_passes = j.solved() && j.amplification() <= kPlain &&
                       j.residual <= 1e-2L * kTol * j.scale && j.residual <= 1e-1L * kFloor * j.hat;
  }
  for (const outcome &o : all) take(o.verdict);
  return k;
}

enum class infeasible { right, wrong, below_bound, unjudged };

// What an exact solution makes of the verdict "infeasible".
infeasible contradiction(const exact_solution &e, double bound) {
  if (!e.fits) return infeasible::right;
  if (e.amplification < kDoubt) return infeasible::wrong;
  return e.norm < bound ? infeasible::below_bound : infeasible::right;
}

// By a proof, by an exact solution, or by the search for one; against: that solution.
infeasible judge_infeasible(const instance &p, double bound, exact_solution &against) {
  if (p.has(kInfeasible)) return infeasible::right;
  if (!p.planted.empty() && solves_exactly(p, p.planted)) {
    against = {0, static_cast<double>(judge(p, p.planted.data()).amplification()), true};
    for (double x : p.planted) against.norm += std::fabs(x);
    const infeasible i = contradiction(against, bound);
    if (i != infeasible::right) return i;
  }
  if (p.n > 9 || !p.contacts.empty() || !p.polyhedra.empty()) return infeasible::unjudged;
  const exact_answer e = solve_exactly(p);
  if (e.solvable == answer::unknown) return infeasible::unjudged;
  against = e.solution;
  return e.solvable == answer::no ? infeasible::right : contradiction(against, bound);
}

class clerk {
 public:
  clerk(const family &f, const instance &p, std::uint64_t seed, tally &t)
      : f_(f), p_(p), seed_(seed), t_(t) {}

  void take(const outcome &o, const knowledge &k) {
    counts &c = t_.of(f_.name, o.solver->name);
    c.runs++;
    c.seconds += o.seconds;
    if (o.seconds > c.slowest) c.slowest = o.seconds, c.slowest_seed = seed_;
    if (o.status == PERP_OK) return solved(o, c, k);
    if (o.status == PERP_INFEASIBLE) return refuted(o, c, k);
    if (o.status == PERP_EUNSUPPORTED || (o.status < 0 && !p_.has(kUnitScale))) {
      c.declined++;
      return;
    }
    if (o.status == PERP_STOPPED) {
      c.cut++;
      return;
    }
    if (o.status < 0 || o.status == PERP_UNBOUNDED || o.status > PERP_UNBOUNDED)
      return report(wrong::call, o);
    unsolved(o, c, k);
    refused(o, k);
  }

 private:
  void solved(const outcome &o, counts &c, const knowledge &k) {
    c.solved++;
    known(o, c, k, false);
    if (o.verdict.solved()) return;
    if (!o.verdict.within_ceiling && p_.has(kInfeasible)) return report(wrong::ok_infeasible, o);
    report(o.verdict.within_tol ? wrong::ok_ceiling : wrong::ok_residual, o);
  }
  void refuted(const outcome &o, counts &c, const knowledge &k) {
    exact_solution e{0, 0, true};
    if (!(o.bound > 0)) return report(wrong::infeasible_bound, o); /* says nothing */
    switch (judge_infeasible(p_, o.bound, e)) {
      case infeasible::right: /* to the last bit, but the planted point passes both tests */
        c.infeasible++;
        return refused(o, k);
      case infeasible::unjudged:
        c.unjudged++;
        return;
      case infeasible::wrong:
        report(wrong::infeasible, o, against(e));
        break;
      case infeasible::below_bound:
        report(wrong::infeasible_bound, o, against(e));
        break;
    }
    known(o, c, k, true);
  }
  void refused(const outcome &o, const knowledge &k) {
    if (k.planted_passes && is_expected() && std::strcmp(o.solver->name, "auto") == 0)
      report(wrong::refused, o);
  }
  // No method is sure of large problems of any matrix.
  bool is_expected() const {
    return p_.n <= 12 || p_.has(kSemidefinite) || p_.has(kPMatrix) || p_.has(kCopositive);
  }
  void unsolved(const outcome &o, counts &c, const knowledge &k) {
    if (!k.solvable)
      c.open++;
    else if (k.amplification > kPlain)
      c.unsolved_amplified++;
    else
      known(o, c, k, true);
  }
  void known(const outcome &o, counts &c, const knowledge &k, bool missed) {
    if (!k.solvable || k.amplification > kPlain) return;
    const bool inside = is_inside(o.solver->assumes, p_.properties);
    (inside ? c.solvable_inside : c.solvable_outside)++;
    (inside ? c.unsolved_inside : c.unsolved_outside) += missed ? 1 : 0;
  }
  static std::string against(const exact_solution &e) {
    char text[120];
    (void)std::snprintf(text, sizeof text, "  a solution has A = %.3g and a norm of %.3g\n",
                        e.amplification, e.norm);
    return text;
  }
  void report(wrong kind, const outcome &o, const std::string &more = "") {
    char text[240];
    (void)std::snprintf(
        text, sizeof text,
        "  n = %d, %s: r = %.3Lg, r/scale %.3Lg, r/hat %.3Lg, A %.3Lg, bound %.3g\n",
        static_cast<int>(p_.n), perp_status_string(o.status), o.verdict.residual,
        o.verdict.residual / o.verdict.scale, o.verdict.residual / o.verdict.hat,
        o.verdict.amplification(), o.bound);
    t_.found(
        {kind, f_.name, o.solver->name, name_of(o.how), p_.n, seed_, text + more, text_of(p_)});
  }
  const family &f_;
  const instance &p_;
  std::uint64_t seed_;
  tally &t_;
};

}  // namespace

void count_endings(const family &f, const instance &p, const std::vector<outcome> &all,
                   std::uint64_t seed, tally &t) {
  const knowledge k = learn(p, all);
  t.problems++;
  t.planted += k.planted_passes ? 1 : 0;
  t.known_infeasible += p.has(kInfeasible) ? 1 : 0;
  clerk c(f, p, seed, t);
  for (const outcome &o : all) c.take(o, k);
}

}  // namespace verdicts
