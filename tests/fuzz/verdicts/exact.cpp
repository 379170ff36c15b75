// SPDX-License-Identifier: MIT
// −(M λ + q) ∈ N_[l,u](λ) in rationals. With λ = l + a, or u − a, or a − b, and y = p − m (p only
// where there is a lower bound, m only where there is an upper one) the relaxation without
// complementarity is a linear program; where its vertex is not complementary, that unknown gets a
// mode, one after the other: branch and bound, which ends and is a proof either way.
#include "exact.hpp"

#include <cmath>

namespace verdicts {

// ---- linear programs ----

namespace {

class simplex {
 public:
  simplex(std::vector<rational_row> A, rational_row b)
      : T_(std::move(A)), b_(std::move(b)), rows_(T_.size()), cols_(rows_ ? T_[0].size() : 0) {
    basic_.resize(rows_);
    cost_.assign(cols_, 0);
    for (std::size_t i = 0; i < rows_; i++) {
      if (b_[i] < 0) negate(i);
      basic_[i] = cols_ + i; /* artificial, and not stored */
      for (std::size_t j = 0; j < cols_; j++) cost_[j] -= T_[i][j];
      rest_ += b_[i];
    }
  }
  std::optional<rational_row> run() {
    for (std::size_t j = entering(); j < cols_; j = entering()) pivot(leaving(j), j);
    if (rest_ != 0) return std::nullopt;
    rational_row x(cols_);
    for (std::size_t i = 0; i < rows_; i++)
      if (basic_[i] < cols_) x[basic_[i]] = b_[i];
    return x;
  }

 private:
  void negate(std::size_t i) {
    b_[i] = -b_[i];
    for (rational &x : T_[i]) x = -x;
  }
  std::size_t entering() const {
    std::size_t j = 0;
    while (j < cols_ && cost_[j] >= 0) j++;
    return j;
  }
  // The ratio test; a reduced cost below 0 has a positive entry, as the sum of the artificial ones
  // is bounded below.
  std::size_t leaving(std::size_t j) const {
    std::size_t best = rows_;
    for (std::size_t i = 0; i < rows_; i++) {
      if (T_[i][j] <= 0) continue;
      if (best == rows_) {
        best = i;
        continue;
      }
      const int order = cmp(rational(b_[i] * T_[best][j]), rational(b_[best] * T_[i][j]));
      if (order < 0 || (order == 0 && basic_[i] < basic_[best])) best = i;
    }
    return best;
  }
  void pivot(std::size_t r, std::size_t c) {
    const rational inverse = 1 / T_[r][c];
    for (rational &x : T_[r])
      if (x != 0) x *= inverse;
    b_[r] *= inverse;
    for (std::size_t i = 0; i < rows_; i++) {
      if (i == r || T_[i][c] == 0) continue;
      const rational factor = T_[i][c];
      for (std::size_t j = 0; j < cols_; j++)
        if (T_[r][j] != 0) T_[i][j] -= factor * T_[r][j];
      b_[i] -= factor * b_[r];
    }
    const rational factor = cost_[c];
    for (std::size_t j = 0; j < cols_; j++)
      if (T_[r][j] != 0) cost_[j] -= factor * T_[r][j];
    rest_ += factor * b_[r];
    basic_[r] = c;
  }
  std::vector<rational_row> T_;
  rational_row b_, cost_;
  rational rest_ = 0;  // sum of the artificial unknowns
  std::vector<std::size_t> basic_;
  std::size_t rows_, cols_;
};

}  // namespace

std::optional<rational_row> feasible_point(std::vector<rational_row> A, rational_row b) {
  return simplex(std::move(A), std::move(b)).run();
}

// ---- branch and bound ----

namespace {

enum mode : char { any, at_lower, between, at_upper };

class search {
 public:
  search(const instance &p, int most) : p_(p), most_(most), modes_(at(p.n), any) { limit_.clear(); }
  // A cap on |M||λ| + |q| in each row, in multiples of hat.
  void limit(const rational &rows) { limit_ = {rows}; }
  answer run() {
    if (most_-- <= 0) return answer::unknown;
    if (!relax()) return answer::no;
    const std::int32_t i = worst();
    if (i < 0) return answer::yes;
    bool open = false;
    for (mode m : {at_lower, between, at_upper}) {
      if (m == at_lower && p_.lower[at(i)] == -kInf) continue;
      if (m == at_upper && (p_.upper[at(i)] == kInf || p_.lower[at(i)] == p_.upper[at(i)]))
        continue;
      modes_[at(i)] = m;
      const answer a = run();
      if (a == answer::yes) return a;
      open = open || a == answer::unknown;
    }
    modes_[at(i)] = any;
    return open ? answer::unknown : answer::no;
  }
  const rational_row &lambda() const { return lambda_; }

 private:
  // Columns of the program, for each unknown: a, b (free only), the slack of a box, p, m.
  struct columns {
    int a = -1, b = -1, slack = -1, plus = -1, minus = -1;
  };
  struct system {
    std::size_t cols = 0;
    std::vector<rational_row> A;
    rational_row b;
    void add(rational_row row, const rational &right) {
      A.push_back(std::move(row));
      b.push_back(right);
    }
  };
  std::vector<columns> lay_out(int &count) const;
  void add_balance(const std::vector<columns> &place, std::size_t i, system &e) const;
  void add_box(const columns &c, std::size_t i, system &e) const;
  void add_limit(const std::vector<columns> &place, std::size_t i, std::size_t last,
                 system &e) const;
  bool relax();
  void read(const std::vector<columns> &place, const rational_row &x);
  std::int32_t worst() const;

  const instance &p_;
  int most_;
  std::vector<char> modes_;
  rational_row lambda_, y_, limit_;
};

std::vector<search::columns> search::lay_out(int &count) const {
  std::vector<columns> place(at(p_.n));
  for (std::int32_t i = 0; i < p_.n; i++) {
    columns &c = place[at(i)];
    const bool low = p_.lower[at(i)] > -kInf, high = p_.upper[at(i)] < kInf;
    const char m = modes_[at(i)];
    if (m != at_lower && (low || m != at_upper)) c.a = count++;
    if (!low && !high) c.b = count++;
    if (low && high && m != at_upper) c.slack = count++;
    if (low && m != between && m != at_upper) c.plus = count++;
    if (high && m != between && m != at_lower) c.minus = count++;
    if (low && m == at_lower && p_.lower[at(i)] == p_.upper[at(i)]) c.minus = count++;
  }
  return place;
}

// p − m − M λ = q in row i.
void search::add_balance(const std::vector<columns> &place, std::size_t i, system &e) const {
  const std::size_t n = at(p_.n);
  rational_row row(e.cols);
  rational right = p_.q[i];
  for (std::size_t j = 0; j < n; j++) {
    const rational m = p_.M[i + n * j];
    const columns &c = place[j];
    const bool low = p_.lower[j] > -kInf, high = p_.upper[j] < kInf;
    if (low || high) right += m * rational(low ? p_.lower[j] : p_.upper[j]);
    if (c.a >= 0) row[static_cast<std::size_t>(c.a)] = !low && high ? m : rational(-m);
    if (c.b >= 0) row[static_cast<std::size_t>(c.b)] = m;
  }
  if (place[i].plus >= 0) row[static_cast<std::size_t>(place[i].plus)] += 1;
  if (place[i].minus >= 0) row[static_cast<std::size_t>(place[i].minus)] -= 1;
  e.add(std::move(row), right);
}

// a + slack = u − l, slack = 0 at the upper bound.
void search::add_box(const columns &c, std::size_t i, system &e) const {
  if (!(p_.lower[i] > -kInf && p_.upper[i] < kInf) || c.a < 0) return;
  rational_row row(e.cols);
  row[static_cast<std::size_t>(c.a)] = 1;
  if (c.slack >= 0) row[static_cast<std::size_t>(c.slack)] = 1;
  e.add(std::move(row), rational(p_.upper[i]) - rational(p_.lower[i]));
}

// |M|(a + b) + slack = limit; the slack is column last.
void search::add_limit(const std::vector<columns> &place, std::size_t i, std::size_t last,
                       system &e) const {
  rational_row row(e.cols);
  for (std::size_t j = 0; j < at(p_.n); j++) {
    const rational m = abs(rational(p_.M[i + at(p_.n) * j]));
    if (place[j].a >= 0) row[static_cast<std::size_t>(place[j].a)] = m;
    if (place[j].b >= 0) row[static_cast<std::size_t>(place[j].b)] = m;
  }
  row[last] = 1;
  e.add(std::move(row), limit_[0]);
}

bool search::relax() {
  int count = 0;
  const std::vector<columns> place = lay_out(count);
  const std::size_t n = at(p_.n), extra = limit_.empty() ? 0 : n;
  system e;
  e.cols = static_cast<std::size_t>(count) + extra;
  for (std::size_t i = 0; i < n; i++) add_balance(place, i, e);
  for (std::size_t i = 0; i < n; i++) add_box(place[i], i, e);
  for (std::size_t i = 0; i < extra; i++)
    add_limit(place, i, static_cast<std::size_t>(count) + i, e);
  const auto x = feasible_point(std::move(e.A), std::move(e.b));
  if (x) read(place, *x);
  return x.has_value();
}

void search::read(const std::vector<columns> &place, const rational_row &x) {
  const auto value = [&](int c) { return c < 0 ? rational(0) : x[static_cast<std::size_t>(c)]; };
  lambda_.assign(at(p_.n), 0);
  y_.assign(at(p_.n), 0);
  for (std::size_t i = 0; i < at(p_.n); i++) {
    const columns &c = place[i];
    const bool low = p_.lower[i] > -kInf, high = p_.upper[i] < kInf;
    lambda_[i] = value(c.a) - value(c.b);
    if (low) lambda_[i] += rational(p_.lower[i]);
    if (!low && high) lambda_[i] = rational(p_.upper[i]) - value(c.a);
    y_[i] = value(c.plus) - value(c.minus);
  }
}

// An unknown whose pair is not complementary, -1: there is none.
std::int32_t search::worst() const {
  for (std::int32_t i = 0; i < p_.n; i++) {
    const std::size_t k = at(i);
    if (y_[k] > 0 && lambda_[k] != rational(p_.lower[k])) return i;
    if (y_[k] < 0 && lambda_[k] != rational(p_.upper[k])) return i;
  }
  return -1;
}

// ‖|M| x + |q|‖∞.
rational row_maximum(const instance &p, const rational_row &x) {
  rational most = 0;
  for (std::size_t i = 0; i < at(p.n); i++) {
    rational sum = abs(rational(p.q[i]));
    for (std::size_t j = 0; j < at(p.n); j++)
      if (x[j] != 0) sum += abs(rational(p.M[i + at(p.n) * j])) * abs(x[j]);
    if (sum > most) most = sum;
  }
  return most;
}

rational_row nearest_to_zero(const instance &p, const rational_row &lambda) {
  rational_row x = lambda;
  for (std::size_t i = 0; i < at(p.n); i++)
    if (!p.bounded(static_cast<std::int32_t>(i)))
      x[i] = p.lower[i] > 0 ? p.lower[i] : p.upper[i] < 0 ? p.upper[i] : 0.0;
  return x;
}

exact_solution measure(const instance &p, const rational_row &lambda) {
  rational norm = 0;
  for (const rational &x : lambda) norm += abs(x);
  const rational scale = row_maximum(p, lambda), hat = row_maximum(p, nearest_to_zero(p, lambda));
  const rational ratio = hat == 0 ? rational(scale == 0 ? 1 : 0) : rational(scale / hat);
  static const rational most = 1e300;
  const bool fits = norm < most;
  return {fits ? norm.get_d() : kInf, hat == 0 && scale != 0 ? kInf : ratio.get_d(), fits};
}

}  // namespace

exact_answer solve_exactly(const instance &p, int most) {
  if (p.n == 0) return {answer::yes, {0, 1, true}};
  search first(p, most);
  exact_answer out;
  out.solvable = first.run();
  if (out.solvable != answer::yes) return out;
  out.solution = measure(p, first.lambda());
  if (out.solution.amplification < 0x1p30) return out;
  search second(p, most); /* is there one of small A? */
  second.limit(row_maximum(p, nearest_to_zero(p, first.lambda())) * (1 << 29));
  if (second.run() == answer::yes) out.solution = measure(p, second.lambda());
  return out;
}

// One part of a contact: ‖λ_t‖ <= μ λ_n, and λ_t = −μ λ_n y_t / ‖y_t‖ where it slides.
static bool part_holds(const rational &bound, const rational_row &x, const rational_row &y) {
  const rational square = bound * bound;
  rational xx = 0, yy = 0, xy = 0;
  for (std::size_t k = 0; k < x.size(); k++) {
    xx += x[k] * x[k];
    yy += y[k] * y[k];
    xy += x[k] * y[k];
  }
  if (xx > square) return false;
  return yy == 0 || (xx == square && xy <= 0 && xy * xy == xx * yy);
}

static bool contact_holds(const contact &c, const rational_row &lambda, const rational_row &y) {
  const std::size_t n = at(c.begin);
  if (lambda[n] < 0 || y[n] < 0 || lambda[n] * y[n] != 0) return false;
  for (std::int32_t part = 0; part < c.parts(); part++) {
    const auto first = static_cast<std::ptrdiff_t>(n + 1 + at(part * c.width()));
    const auto last = first + c.width();
    if (!part_holds(rational(c.coefficient(part)) * lambda[n],
                    {lambda.begin() + first, lambda.begin() + last},
                    {y.begin() + first, y.begin() + last}))
      return false;
  }
  return true;
}

// Hλ >= K, and y = Hᵀμ with μ >= 0 of the rows where equality holds.
static bool polyhedron_holds(const polyhedron &d, const rational_row &lambda,
                             const rational_row &y) {
  const std::size_t size = lambda.size() - at(d.begin);
  std::vector<rational_row> A(size);
  for (std::size_t k = 0; k < at(d.rows); k++) {
    rational value = -rational(d.K[k]);
    for (std::size_t j = 0; j < size; j++)
      value += rational(d.H[k + at(d.rows) * j]) * lambda[at(d.begin) + j];
    if (value < 0) return false;
    for (std::size_t j = 0; value == 0 && j < size; j++) A[j].emplace_back(d.H[k + at(d.rows) * j]);
  }
  const auto first = y.begin() + d.begin;
  return feasible_point(std::move(A), {first, y.end()}).has_value();
}

static bool interval_holds(double l, double u, double x, const rational &y) {
  return x >= l && x <= u && !(y > 0 && x != l) && !(y < 0 && x != u);
}

bool solves_exactly(const instance &p, const vec &lambda) {
  rational_row y, x;
  for (std::size_t i = 0; i < at(p.n); i++) {
    rational sum = p.q[i];
    for (std::size_t j = 0; j < at(p.n); j++)
      if (lambda[j] != 0) sum += rational(p.M[i + at(p.n) * j]) * rational(lambda[j]);
    y.push_back(sum);
    x.emplace_back(lambda[i]);
  }
  std::vector<bool> of_contact(at(p.n), false);
  for (const contact &c : p.contacts) {
    if (!contact_holds(c, x, y)) return false;
    for (std::int32_t i = 0; i < c.size; i++) of_contact[at(c.begin + i)] = true;
  }
  std::size_t end = at(p.n);
  for (const polyhedron &d : p.polyhedra) {
    if (!polyhedron_holds(d, x, y)) return false;
    end = at(d.begin);
  }
  for (std::size_t i = 0; i < end; i++)
    if (!of_contact[i] && !interval_holds(p.lower[i], p.upper[i], lambda[i], y[i])) return false;
  return true;
}

}  // namespace verdicts
