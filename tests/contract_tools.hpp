// SPDX-License-Identifier: MIT
// Small problems of every kind of matrix and law, and one guarded call of any solver, judged from
// the definition whatever it says.
#ifndef PERP_TESTS_CONTRACT_TOOLS_HPP
#define PERP_TESTS_CONTRACT_TOOLS_HPP

#include <gtest/gtest.h>
#include <perp/perp.h>

#include <cstring>
#include <memory>
#include <string>

#include "contact_system.hpp"
#include "problem_tools.hpp"

namespace contract {

using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::vec;

enum storage { zero, diagonal, gapped, blocks, block_rows_backward, rows, rows_backward };
constexpr storage kStorages[] = {zero, diagonal,     gapped, blocks, block_rows_backward,
                                 rows, rows_backward};

inline std::int32_t kind(storage s) {
  return s == zero       ? PERP_ZERO
         : s == diagonal ? PERP_DIAGONAL
         : s == gapped   ? PERP_DENSE
                         : PERP_BLOCKS;
}

inline dense gap(const dense &A, std::int32_t more) {  // NaN between the columns
  dense B(A.rows, A.cols, more);
  std::fill(B.a.begin(), B.a.end(), kNaN);
  for (std::int32_t j = 0; j < A.cols; j++)
    for (std::int32_t i = 0; i < A.rows; i++) B(i, j) = A(i, j);
  return B;
}

// A law of the user's own, known by its projection: a box.
struct user_law {
  perp_law law{};
  double lower = 0, upper = 0;

  static void project(const perp_law *law, const void *, const double *x, double *p) {
    const auto *self = reinterpret_cast<const user_law *>(law);
    *p = *x < self->lower ? self->lower : *x > self->upper ? self->upper : *x;
  }
  static void jacobian(const perp_law *law, const void *, const double *x, double *J) {
    const auto *self = reinterpret_cast<const user_law *>(law);
    *J = *x < self->lower || *x > self->upper ? 0 : 1;
  }
  void init(double l, double u) {
    static const perp_law_ops ops = [] {
      perp_law_ops o = {};
      o.struct_size = sizeof o;
      o.set = PERP_SET_OTHER;
      o.name = "user's box";
      o.project = project;
      o.jacobian = jacobian;
      return o;
    }();
    law = {&ops, sizeof(user_law), 1};
    lower = l;
    upper = u;
  }
};

// One letter for the law of each unknown: f free, o orthant, b box, p a polyhedron that is a box,
// u a user's law that is one. Contacts take several: cc friction in the plane, kkk in space, rrr
// rolling in the plane, RRRRR in space.
class sample {
 public:
  dense M;
  vec q, lower, upper;
  std::vector<contacts::unit> units;  // what the judge knows of the laws
  std::unique_ptr<tools::stored> view;
  perp_problem problem = PERP_PROBLEM_INIT;

  sample(dense matrix, vec rhs, const std::string &laws, storage how)
      : M(std::move(matrix)), q(std::move(rhs)) {
    const std::int32_t n = M.rows;
    const bool backward = how == block_rows_backward || how == rows_backward;
    ints cuts;
    if ((how == blocks || how == block_rows_backward) && n > 1) cuts = {0, 1, n};
    view =
        std::make_unique<tools::stored>(how == gapped ? gap(M, 3) : M, kind(how), cuts, backward);
    perp_equality_init(&equality_, sizeof equality_);
    perp_complementarity_init(&complementarity_, sizeof complementarity_);
    boxes_.resize(laws.size());
    polyhedra_.resize(laws.size());
    users_.resize(laws.size());
    levels_.resize(2 * laws.size());
    lower.assign(laws.size(), -kInf);
    upper.assign(laws.size(), kInf);
    frictions_.resize(laws.size());
    rollings_.resize(laws.size());
    for (std::size_t i = 0; i < laws.size(); i += at(laws_.back()->size)) {
      laws_.push_back(law(i, laws[i]));
      units.push_back(unit(i, laws[i]));
    }
    problem = perp_problem_of(view->view, q.data(), static_cast<std::int32_t>(laws_.size()),
                              laws_.data(), nullptr);
  }
  sample(const sample &) = delete;
  sample &operator=(const sample &) = delete;

  std::int32_t n() const { return M.rows; }

 private:
  perp_equality equality_{};
  perp_complementarity complementarity_{};
  std::vector<perp_box> boxes_;
  std::vector<perp_polyhedron> polyhedra_;
  std::vector<user_law> users_;
  vec levels_;
  std::vector<perp_friction> frictions_;
  std::vector<perp_rolling> rollings_;
  std::vector<const perp_law *> laws_;

  static constexpr double kMu = 0.5, kRolling = 0.25;

  contacts::unit unit(std::size_t i, char letter) const {
    if (letter == 'c') return contacts::plane(kMu);
    if (letter == 'k') return contacts::space(kMu);
    if (letter == 'r') return contacts::plane_rolling(kMu, kRolling);
    if (letter == 'R') return contacts::space_rolling(kMu, kRolling);
    return contacts::box(lower[i], upper[i]);
  }

  const perp_law *contact(std::size_t i, char letter) {
    if (letter == 'c' || letter == 'k') {
      perp_friction_init(&frictions_[i], sizeof frictions_[i]);
      frictions_[i].law.size = letter == 'c' ? 2 : 3;
      frictions_[i].mu = kMu;
      return &frictions_[i].law;
    }
    perp_rolling_init(&rollings_[i], sizeof rollings_[i]);
    rollings_[i].law.size = letter == 'r' ? 3 : 5;
    rollings_[i].mu = kMu;
    rollings_[i].mu_rolling = kRolling;
    return &rollings_[i].law;
  }

  const perp_law *law(std::size_t i, char letter) {
    static const double H[2] = {1, -1};
    if (std::strchr("ckrR", letter) != nullptr) return contact(i, letter);
    if (letter == 'f') return &equality_.law;
    lower[i] = 0;
    if (letter == 'o') return &complementarity_.law;
    lower[i] = i % 2 == 0 ? -0.25 : -1;
    upper[i] = i % 3 == 0 ? 0.5 : 2;
    if (letter == 'b') {
      perp_box_init(&boxes_[i], sizeof boxes_[i]);
      boxes_[i].lower = &lower[i];
      boxes_[i].upper = &upper[i];
      return &boxes_[i].law;
    }
    if (letter == 'u') {
      users_[i].init(lower[i], upper[i]);
      return &users_[i].law;
    }
    levels_[2 * i] = lower[i];
    levels_[2 * i + 1] = -upper[i];
    perp_polyhedron_init(&polyhedra_[i], sizeof polyhedra_[i]);
    polyhedra_[i].H = perp_dense(2, 1, H);
    polyhedra_[i].K = &levels_[2 * i];
    return &polyhedra_[i].law;
  }
};

inline std::string set_letters(const perp_solver *solver) {
  std::string letters;
  if (solver->sets >> PERP_SET_FREE & 1u) letters += 'f';
  if (solver->sets >> PERP_SET_ORTHANT & 1u) letters += 'o';
  if (solver->sets >> PERP_SET_BOX & 1u) letters += 'b';
  if (solver->sets >> PERP_SET_POLYHEDRON & 1u) letters += 'p';
  if (solver->sets >> PERP_SET_OTHER & 1u) letters += 'u';
  return letters;
}

// The laws of contacts that it takes, each as often as it has unknowns.
inline std::vector<std::string> contact_words(const perp_solver *solver) {
  std::vector<std::string> words;
  const bool plane_only = std::strcmp(solver->name, "friction-lemke") == 0;
  if (solver->sets >> PERP_SET_CONE & 1u) words.emplace_back("cc");
  if (solver->sets >> PERP_SET_CONE & 1u && !plane_only) words.emplace_back("kkk");
  if (solver->sets >> PERP_SET_ROLLING & 1u) words.emplace_back("rrr");
  if (solver->sets >> PERP_SET_ROLLING & 1u) words.emplace_back("RRRRR");
  return words;
}

// Laws for n unknowns, word after word while they fit, what is left to laws by component. Empty
// where nothing fits.
inline std::string fill(std::size_t n, const std::vector<std::string> &words,
                        const std::string &letters) {
  std::string all;
  for (std::size_t w = 0, missed = 0; all.size() < n && missed < words.size(); w++) {
    const std::string &word = words[w % words.size()];
    missed = all.size() + word.size() > n ? missed + 1 : 0;
    if (missed == 0) all += word;
  }
  for (std::size_t i = 0; all.size() < n; i++) {
    if (letters.empty()) return "";
    all += letters[i % letters.size()];
  }
  return all;
}

// Every set alone as far as it goes, and all together.
inline std::vector<std::string> law_choices(const perp_solver *solver, std::size_t n) {
  const std::string letters = set_letters(solver);
  std::vector<std::string> words = contact_words(solver), choices;
  for (char c : letters) choices.emplace_back(n, c);
  for (const std::string &word : words) choices.push_back(fill(n, {word}, letters));
  for (char c : letters) words.emplace_back(1, c);
  std::rotate(words.begin(), words.end() - static_cast<std::ptrdiff_t>(letters.size()),
              words.end());
  choices.push_back(fill(n, words, letters));
  std::reverse(words.begin(), words.end());
  choices.push_back(fill(n, words, letters));
  choices.erase(std::remove(choices.begin(), choices.end(), ""), choices.end());
  return choices;
}

inline dense definite4() {
  return tools::from_rows(4, {5, 1, -1, 0, 1, 4, 0, 1, -1, 0, 6, 2, 0, 1, 2, 5});
}
inline dense skewed4() {  // definite, not symmetric
  return tools::from_rows(4, {5, 2, -1, 0, 0, 4, 0, 2, -1, 0, 6, 3, 0, 0, 1, 5});
}
inline dense diagonal4() {
  return tools::from_rows(4, {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 5});
}
inline dense matrix_for(storage how) {
  return how == zero ? dense(4, 4) : how == diagonal ? diagonal4() : definite4();
}
inline vec rhs4() { return {-3, 1, -2, 2.5}; }

// A row of unknowns, each tied to its neighbours, some of them pressed: beyond the sizes that
// solvers treat apart. The last is tied to the first, so that the envelope is not that of a band.
inline dense chain(std::int32_t n, bool skewed) {
  dense M(n, n);
  for (std::int32_t i = 0; i < n; i++) {
    M(i, i) = 4 + i % 3;
    if (i > 0) M(i, i - 1) = M(i - 1, i) = -1;
    if (i > 0 && skewed) M(i, i - 1) = 1;
  }
  M(0, n - 1) = M(n - 1, 0) = 0.5;
  return M;
}
inline vec chain_rhs(std::int32_t n) {
  vec q;
  for (std::int32_t i = 0; i < n; i++) q.push_back(i % 4 < 2 ? -1 - 0.125 * i : 0.5 + i % 5);
  return q;
}

// Problems that the solver accepts and should solve.
inline std::vector<std::unique_ptr<sample>> definite_samples(const perp_solver *solver) {
  std::vector<std::unique_ptr<sample>> list;
  for (storage how : kStorages) {
    if (how == zero || (solver->matrices >> kind(how) & 1u) == 0) continue;
    for (const std::string &laws : law_choices(solver, 4)) {
      list.push_back(std::make_unique<sample>(matrix_for(how), rhs4(), laws, how));
      if (how != diagonal && (solver->assumes & PERP_ASSUMES_SYMMETRIC) == 0)
        list.push_back(std::make_unique<sample>(skewed4(), rhs4(), laws, how));
    }
  }
  for (storage how : {gapped, rows_backward})
    for (std::int32_t n : {10, 40}) {
      if ((solver->matrices >> kind(how) & 1u) == 0 || (solver->max_n > 0 && n > solver->max_n))
        continue;
      const auto laws = law_choices(solver, at(n));
      const bool skewed = (solver->assumes & PERP_ASSUMES_SYMMETRIC) == 0;
      for (const std::string &one : {laws.front(), laws.back()})
        list.push_back(std::make_unique<sample>(chain(n, skewed), chain_rhs(n), one, how));
    }
  return list;
}

inline std::unique_ptr<sample> simple(const perp_solver *solver) {
  const storage how = solver->matrices >> PERP_DENSE & 1u ? gapped : rows;
  return std::make_unique<sample>(definite4(), rhs4(), law_choices(solver, 4).back(), how);
}

struct watcher {
  int calls = 0, stop_at = -1;
  bool counted = true;  // iterations came as 0, 1, 2, ...
  static std::int32_t see(const perp_iterate *it, void *self) {
    auto *w = static_cast<watcher *>(self);
    w->counted = w->counted && it->iteration == w->calls;
    return ++w->calls == w->stop_at ? 1 : 0;
  }
};

// A solver of the registry, or the one method of auto that has no descriptor
// (docs/choose-a-solver.md).
inline bool known_name(const char *name) {
  return name != nullptr &&
         (perp_solver_find(name) != nullptr || std::strcmp(name, "subspace") == 0);
}

// How a call is made; what it leaves behind.
struct call {
  const void *options = nullptr;
  vec start{};
  perp_warm *warm = nullptr;
  std::size_t shift = 0;
  int fill = 0xA5;
  bool no_info = false;

  perp_status status = 999;
  vec lambda{}, y{};
  perp_info info = PERP_INFO_INIT;

  call &run(const perp_solver *solver, const sample &s) {
    const std::size_t n = at(s.n()), room = 3 * n, need = bytes(solver, s);
    const vec values = s.view->values, q = s.q;
    vec x(n + 2, 999), v(n + 2, 999), ray(room + 1, 999);
    for (std::size_t i = 0; i < n; i++) x[i + 1] = start.empty() ? 0 : start[i];
    std::vector<unsigned char> work(shift + need + 64, 0xA5);
    std::memset(work.data() + shift, fill, need);
    info.ray = ray.data();
    info.ray_size = static_cast<std::int32_t>(room);
    status = perp_solver_solve(solver, &s.problem, options, x.data() + 1, v.data() + 1, warm,
                               work.data() + shift, need, no_info ? nullptr : &info);
    EXPECT_TRUE(x[0] == 999 && x[n + 1] == 999 && v[0] == 999 && v[n + 1] == 999) << solver->name;
    for (std::size_t i = 0; i < work.size(); i++) {
      if (i == shift) i += need;
      if (work[i] != 0xA5) ADD_FAILURE() << solver->name << " wrote beside its workspace";
    }
    EXPECT_EQ(ray[room], 999);
    EXPECT_TRUE(same_bits(values, s.view->values) && same_bits(q, s.q)) << "the input was written";
    lambda.assign(x.begin() + 1, x.end() - 1);
    y.assign(v.begin() + 1, v.end() - 1);
    judge(solver, s, ray);
    return *this;
  }

  static bool same_bits(const vec &a, const vec &b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
  }

 private:
  std::size_t bytes(const perp_solver *solver, const sample &s) const {
    const std::size_t need = perp_solver_workspace(solver, &s.problem, options);
    EXPECT_GT(need, 0u) << solver->name;
    return need;
  }
  // What holds whatever the status is.
  void judge(const perp_solver *solver, const sample &s, const vec &ray) const {
    if (status == PERP_OK) {
      vec off = lambda;  // a point at a bound of a polyhedron up to rounding is at that bound
      for (std::size_t i = 0; i < off.size(); i++) {
        if (s.problem.n_blocks < s.n() || s.problem.laws[i]->ops->set != PERP_SET_POLYHEDRON)
          continue;
        if (std::fabs(off[i] - s.lower[i]) < 1e-9) off[i] = s.lower[i];
        if (std::fabs(off[i] - s.upper[i]) < 1e-9) off[i] = s.upper[i];
      }
      const double wrong = s.problem.n_blocks < s.n()
                               ? contacts::error(s.M, s.q, s.units, lambda)
                               : tools::box_error(s.M, s.q, s.lower, s.upper, off);
      EXPECT_LE(wrong, 1e-8) << solver->name;
      const auto exact = tools::affine(s.M, s.q, lambda);
      for (std::size_t i = 0; i < y.size(); i++)
        EXPECT_NEAR(y[i], static_cast<double>(exact[i]), 1e-10) << solver->name;
    }
    for (double x : lambda)
      EXPECT_TRUE(status < 0 || std::isfinite(x)) << solver->name << " status " << status;
    if (no_info) return;
    if (status >= 0) {
      EXPECT_TRUE(known_name(info.solver))
          << solver->name << ": " << (info.solver == nullptr ? "(null)" : info.solver);
    }
    EXPECT_EQ(status < 0, info.field != nullptr) << solver->name << " status " << status;
    if (status == PERP_INFEASIBLE && solver != perp_solver_enumeration()) prove(solver, s, ray);
  }
  // The enumeration proves by its search; every other solver hands over a certificate.
  void prove(const perp_solver *solver, const sample &s, const vec &ray) const {
    std::vector<unsigned char> work(perp_problem_residual_workspace(&s.problem));
    double bound = 999;
    ASSERT_EQ(info.ray_kind, PERP_RAY_CERTIFICATE) << solver->name;
    EXPECT_EQ(perp_problem_certificate(&s.problem, ray.data(), &bound, work.data(), work.size()),
              PERP_OK)
        << solver->name;
    EXPECT_GE(bound, 1e9) << solver->name;  // the entries of the problems here are near 1
  }
};

inline call asked(const void *options) {
  call c;
  c.options = options;
  return c;
}
inline call started(vec start) {
  call c;
  c.start = std::move(start);
  return c;
}
inline call warmed(perp_warm *warm, vec start = {}, const void *options = nullptr) {
  call c = started(std::move(start));
  c.warm = warm;
  c.options = options;
  return c;
}
inline call placed(std::size_t shift, int fill) {
  call c;
  c.shift = shift;
  c.fill = fill;
  return c;
}

}  // namespace contract

#endif
