// SPDX-License-Identifier: MIT
// An instance as the library takes it.
#include "posed.hpp"

#include <algorithm>
#include <cstdio>

namespace verdicts {

const char *name_of(storage s) {
  switch (s) {
    case storage::dense:
      return "dense";
    case storage::diagonal:
      return "diagonal";
    case storage::blocks:
      return "blocks";
    case storage::rows:
      return "rows";
    case storage::zero:
      return "zero";
  }
  return "";
}

bool fits(const instance &p, storage s) {
  if (s != storage::diagonal && s != storage::zero) return true;
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = 0; i < p.n; i++)
      if ((i != j || s == storage::zero) && p(i, j) != 0) return false;
  return true;
}

storage any_storage(const instance &p, source &s) {
  if (s.chance(0.25) && fits(p, storage::zero)) return storage::zero;
  if (s.chance(0.25) && fits(p, storage::diagonal)) return storage::diagonal;
  const std::int32_t k = s.integer(0, 2);
  return k == 0 ? storage::dense : k == 1 ? storage::blocks : storage::rows;
}

// ---- storages ----

// What is between the columns is nobody's: NaN.
static void store_dense(stored &to, const instance &p, source &s) {
  const std::int32_t ld = p.n + s.integer(0, 2);
  to.values.assign(at(ld) * at(p.n), std::nan(""));
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = 0; i < p.n; i++) to.values[at(i) + at(ld) * at(j)] = p(i, j);
  to.M = perp_dense(p.n, p.n, to.values.data());
  to.M.ld = ld;
}

static bool is_zero(const instance &p, std::int32_t i0, std::int32_t i1, std::int32_t j0,
                    std::int32_t j1) {
  for (std::int32_t j = j0; j < j1; j++)
    for (std::int32_t i = i0; i < i1; i++)
      if (p(i, j) != 0) return false;
  return true;
}

// Blocks between the cuts, the columns of a row of blocks in any order, those of zeros left out.
static void store_blocks(stored &to, const instance &p, source &s,
                         const std::vector<std::int32_t> &cuts) {
  const std::size_t count = cuts.size() - 1;
  const bool backwards = s.chance(0.5);
  to.start.assign(1, 0);
  for (std::size_t r = 0; r < count; r++) {
    for (std::size_t k = 0; k < count; k++) {
      const std::size_t c = backwards ? count - 1 - k : k;
      if (is_zero(p, cuts[r], cuts[r + 1], cuts[c], cuts[c + 1])) continue;
      to.index.push_back(static_cast<std::int32_t>(c));
      for (std::int32_t j = cuts[c]; j < cuts[c + 1]; j++)
        for (std::int32_t i = cuts[r]; i < cuts[r + 1]; i++) to.values.push_back(p(i, j));
    }
    to.start.push_back(static_cast<std::int32_t>(to.index.size()));
  }
}

static std::vector<std::int32_t> any_cuts(const instance &p, source &s) {
  std::vector<std::int32_t> cuts{0};
  if (!p.contacts.empty() && s.chance(0.7)) {
    for (const contact &c : p.contacts) cuts.push_back(c.begin + c.size);
    while (cuts.back() < p.n) cuts.push_back(cuts.back() + 1);
    return cuts;
  }
  while (cuts.back() < p.n) cuts.push_back(std::min(p.n, cuts.back() + s.integer(1, 4)));
  return cuts;
}

stored::stored(const instance &p, storage how, source &s) {
  if (how == storage::dense) {
    store_dense(*this, p, s);
  } else if (how == storage::zero) {
    M.rows = M.cols = p.n;
  } else if (how == storage::diagonal) {
    for (std::int32_t i = 0; i < p.n; i++) values.push_back(p(i, i));
    M = perp_diagonal(p.n, values.data());
  } else {
    offset = any_cuts(p, s);
    if (how == storage::rows)
      for (std::int32_t i = 0; i <= p.n; i++) offset.resize(at(i) + 1), offset[at(i)] = i;
    store_blocks(*this, p, s, offset);
    if (index.empty()) index.reserve(1), values.reserve(1); /* arrays that are there */
    M = how == storage::rows
            ? perp_compressed_rows(p.n, start.data(), index.data(), values.data())
            : perp_block_rows(static_cast<std::int32_t>(offset.size()) - 1, offset.data(),
                              start.data(), index.data(), values.data());
  }
}

// ---- laws ----

void lawful::add(const perp_law *law, std::int32_t end) {
  laws_.push_back(law);
  offset_.push_back(end);
}

static int kind_of(const instance &p, std::int32_t i) {
  if (p.lower[at(i)] == -kInf && p.upper[at(i)] == kInf) return 0;
  return p.lower[at(i)] == 0 && p.upper[at(i)] == kInf ? 1 : 2;
}

void lawful::add_run(const instance &p, std::int32_t begin, std::int32_t end, bool as_box) {
  const int kind = as_box ? 2 : kind_of(p, begin);
  if (kind == 0) return add(&free_.law, end);
  if (kind == 1) return add(&orthant_.law, end);
  perp_box &box = boxes_.emplace_back();
  perp_box_init(&box, sizeof box);
  box.law.size = end - begin;
  box.lower = p.lower.data() + begin;
  box.upper = p.upper.data() + begin;
  add(&box.law, end);
}

void lawful::add_intervals(const instance &p, std::int32_t begin, std::int32_t end, source &s) {
  const std::int32_t style = s.integer(0, 9); /* 0: one box; 1: each its own; else runs */
  for (std::int32_t i = begin; i < end;) {
    std::int32_t j = i + 1;
    while (j < end && style != 1 && (style == 0 || kind_of(p, j) == kind_of(p, i))) j++;
    add_run(p, i, j, style == 0);
    i = j;
  }
}

void lawful::add_contact(const contact &c) {
  if (c.rolls) {
    perp_rolling &r = rollings_.emplace_back();
    perp_rolling_init(&r, sizeof r);
    r.law.size = c.size;
    r.mu = c.mu;
    r.mu_rolling = c.mu_rolling;
    return add(&r.law, c.begin + c.size);
  }
  perp_friction &f = frictions_.emplace_back();
  perp_friction_init(&f, sizeof f);
  f.law.size = c.size;
  f.mu = c.mu;
  add(&f.law, c.begin + c.size);
}

void lawful::add_polyhedron(const polyhedron &d, std::int32_t n) {
  perp_polyhedron &law = polyhedra_.emplace_back();
  perp_polyhedron_init(&law, sizeof law);
  law.law.size = n - d.begin;
  law.H = perp_dense(d.rows, n - d.begin, d.H.data());
  law.K = d.K.data();
  add(&law.law, n);
}

lawful::lawful(const instance &p, source &s) {
  perp_equality_init(&free_, sizeof free_);
  perp_complementarity_init(&orthant_, sizeof orthant_);
  std::int32_t i = 0;
  for (const contact &c : p.contacts) {
    add_intervals(p, i, c.begin, s);
    add_contact(c);
    i = c.begin + c.size;
  }
  const std::int32_t end = p.polyhedra.empty() ? p.n : p.polyhedra[0].begin;
  add_intervals(p, i, end, s);
  for (const polyhedron &d : p.polyhedra) add_polyhedron(d, p.n);
}

perp_problem problem_of(const perp_matrix &M, const vec &q, const lawful &laws) {
  return perp_problem_of(M, q.data(), static_cast<std::int32_t>(laws.laws().size()),
                         laws.laws().data(), laws.offset());
}

// ---- text ----

static void print(std::string &out, const char *name, const vec &x) {
  char number[80];
  out += std::string("  ") + name + " =";
  for (double v : x) {
    (void)std::snprintf(number, sizeof number, " %a", v);
    out += number;
  }
  out += "\n  " + std::string(name) + " ~";
  for (double v : x) {
    (void)std::snprintf(number, sizeof number, " %.17g", v);
    out += number;
  }
  out += '\n';
}

std::string text_of(const instance &p) {
  char line[160];
  (void)std::snprintf(line, sizeof line, "  n = %d, M column by column\n", static_cast<int>(p.n));
  std::string out = line;
  if (p.n > 20) return out + "  (too large to print)\n";
  print(out, "M", p.M);
  print(out, "q", p.q);
  print(out, "lower", p.lower);
  print(out, "upper", p.upper);
  for (const contact &c : p.contacts) {
    (void)std::snprintf(line, sizeof line, "  contact at %d of %d: mu = %.17g, %s%.17g\n",
                        static_cast<int>(c.begin), static_cast<int>(c.size), c.mu,
                        c.rolls ? "rolling " : "no rolling ", c.mu_rolling);
    out += line;
  }
  for (const polyhedron &d : p.polyhedra) {
    (void)std::snprintf(line, sizeof line, "  from %d on a polyhedron of %d rows\n",
                        static_cast<int>(d.begin), static_cast<int>(d.rows));
    out += line;
    print(out, "H", d.H);
    print(out, "K", d.K);
  }
  if (!p.planted.empty()) print(out, "planted", p.planted);
  return out;
}

}  // namespace verdicts
