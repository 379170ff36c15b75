// SPDX-License-Identifier: MIT
#include "tool/condense.hpp"

#include <cmath>
#include <map>
#include <utility>

namespace perp::tool {

namespace {

using real = long double;
using row = std::vector<std::pair<std::size_t, real>>;  // columns and entries

constexpr std::size_t largest_component = 3000;

// A connected component of M, as L U with its rows exchanged.
struct component {
  std::vector<std::size_t> members;
  std::vector<std::size_t> rows;  // of H that touch it
  std::vector<std::vector<real>> lu;
  std::vector<std::size_t> order;
};

void factorise(component *c) {
  const std::size_t n = c->members.size();
  for (std::size_t i = 0; i < n; i++) c->order.push_back(i);
  for (std::size_t k = 0; k < n; k++) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; i++)
      if (std::fabs(c->lu[i][k]) > std::fabs(c->lu[p][k])) p = i;
    if (!(std::fabs(c->lu[p][k]) > 0)) throw io::no_law("a singular M");
    std::swap(c->lu[k], c->lu[p]);
    std::swap(c->order[k], c->order[p]);
    for (std::size_t i = k + 1; i < n; i++) {
      const real f = c->lu[i][k] /= c->lu[k][k];
      if (f == 0) continue;
      for (std::size_t j = k + 1; j < n; j++) c->lu[i][j] -= f * c->lu[k][j];
    }
  }
}

std::vector<real> solve(const component &c, const std::vector<real> &b) {
  const std::size_t n = b.size();
  std::vector<real> x(n);
  for (std::size_t i = 0; i < n; i++) {
    x[i] = b[c.order[i]];
    for (std::size_t j = 0; j < i; j++) x[i] -= c.lu[i][j] * x[j];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; j++) x[i] -= c.lu[i][j] * x[j];
    x[i] /= c.lu[i][i];
  }
  return x;
}

class system {
 public:
  explicit system(const io::global_friction &p) : velocities_(p.q.size()) {
    split(io::entries_of(p.M));
    for (const io::triplet &e : io::entries_of(p.M)) {
      component &c = components_[of_[io::at(e.row)]];
      c.lu[place_[io::at(e.row)]][place_[io::at(e.col)]] += e.value;
    }
    for (component &c : components_) factorise(&c);
    rows_.resize(p.b.size() + (p.equations ? p.equations->b.size() : 0));
    add_rows(p.H, 0);
    if (p.equations) add_rows(p.equations->G, p.b.size());
  }

  one_step condensed(const io::global_friction &p) {
    one_step out;
    std::vector<real> q(p.b.begin(), p.b.end());
    if (p.equations) q.insert(q.end(), p.equations->b.begin(), p.equations->b.end());
    for (const component &c : components_) {
      std::vector<real> b;
      for (const std::size_t i : c.members) b.push_back(p.q[i]);
      const std::vector<real> v = solve(c, b);
      for (const std::size_t i : c.rows) q[i] += dot(i, c, v);
    }
    for (std::size_t i = 0; i < rows_.size(); i++) add_column(i, &out);
    for (const real x : q) out.q.push_back(static_cast<double>(x));
    return out;
  }

 private:
  std::size_t velocities_;
  std::vector<std::size_t> of_, place_;  // the component of a velocity, and its place in there
  std::vector<component> components_;
  std::vector<row> rows_;  // of H and G, transposed as the file has them

  void split(const std::vector<io::triplet> &M) {
    std::vector<std::size_t> parent(velocities_);
    for (std::size_t i = 0; i < velocities_; i++) parent[i] = i;
    const auto root = [&](std::size_t i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (const io::triplet &e : M)
      if (e.value != 0) parent[root(io::at(e.row))] = root(io::at(e.col));
    std::map<std::size_t, std::size_t> name;
    of_.resize(velocities_);
    place_.resize(velocities_);
    for (std::size_t i = 0; i < velocities_; i++) {
      const auto found = name.emplace(root(i), components_.size());
      if (found.second) components_.emplace_back();
      of_[i] = found.first->second;
      place_[i] = components_[of_[i]].members.size();
      components_[of_[i]].members.push_back(i);
    }
    for (component &c : components_) {
      const std::size_t n = c.members.size();
      if (n > largest_component) throw io::no_law("so large a component of M");
      c.lu.assign(n, std::vector<real>(n));
    }
  }

  void add_rows(const io::matrix &H, std::size_t below) {
    for (const io::triplet &e : io::entries_of(H)) {
      if (e.value == 0) continue;
      const std::size_t i = below + io::at(e.col), j = io::at(e.row);
      rows_[i].emplace_back(j, e.value);
      std::vector<std::size_t> &touching = components_[of_[j]].rows;
      bool known = false;
      for (std::size_t k = touching.size(); k-- > 0 && !known;) known = touching[k] == i;
      if (!known) touching.push_back(i);
    }
  }

  // H_i v in one component.
  real dot(std::size_t i, const component &c, const std::vector<real> &v) const {
    real sum = 0;
    for (const auto &[j, value] : rows_[i])
      if (&components_[of_[j]] == &c) sum += value * v[place_[j]];
    return sum;
  }

  void add_column(std::size_t i, one_step *out) const {
    std::map<std::size_t, std::vector<real>> parts;  // of row i, by component
    std::map<std::size_t, real> column;
    for (const auto &[j, value] : rows_[i]) {
      std::vector<real> &part = parts[of_[j]];
      part.resize(components_[of_[j]].members.size());
      part[place_[j]] += value;
    }
    for (const auto &[k, part] : parts) {
      const component &c = components_[k];
      const std::vector<real> x = solve(c, part);
      for (const std::size_t other : c.rows) column[other] += dot(other, c, x);
    }
    for (const auto &[other, value] : column)
      out->entries.push_back({static_cast<std::int32_t>(other), static_cast<std::int32_t>(i),
                              static_cast<double>(value)});
  }
};

}  // namespace

one_step condense(const io::global_friction &problem) { return system(problem).condensed(problem); }

one_step join(const io::friction &p) {
  one_step out{io::entries_of(p.W), p.q};
  if (!p.equations) return out;
  for (const io::triplet &e : io::entries_of(p.equations->V)) {
    out.entries.push_back({e.row, p.W.rows + e.col, e.value});
    out.entries.push_back({p.W.rows + e.col, e.row, e.value});
  }
  for (const io::triplet &e : io::entries_of(p.equations->R))
    out.entries.push_back({p.W.rows + e.row, p.W.rows + e.col, e.value});
  out.q.insert(out.q.end(), p.equations->s.begin(), p.equations->s.end());
  return out;
}

}  // namespace perp::tool
