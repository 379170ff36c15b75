// SPDX-License-Identifier: MIT
// Families of random problems.
#ifndef PERP_FUZZ_VERDICTS_FAMILIES_HPP
#define PERP_FUZZ_VERDICTS_FAMILIES_HPP

#include "instance.hpp"

namespace verdicts {

struct family {
  const char *name;
  void (*make)(source &s, instance &p);
};

const std::vector<family> &ordinary_families();
const std::vector<family> &hard_families();
const std::vector<family> &friction_families();
const std::vector<family> &polyhedron_families();

// ---- what families are made of ----

// Numbers of one problem: whole, of few bits (so that sums of products are exact), or any.
enum class grain { whole, coarse, fine };
grain any_grain(source &s);
double number(source &s, grain g);  // within ±3, ±1, ±1

std::int32_t any_size(source &s, std::int32_t most);

// A rows x cols matrix, column by column.
struct table {
  std::int32_t rows, cols;
  vec values;
  table(std::int32_t m, std::int32_t n) : rows(m), cols(n), values(at(m) * at(n), 0) {}
  double &operator()(std::int32_t i, std::int32_t j) { return values[at(i) + at(rows) * at(j)]; }
  double operator()(std::int32_t i, std::int32_t j) const {
    return values[at(i) + at(rows) * at(j)];
  }
};
table random_table(source &s, std::int32_t m, std::int32_t n, grain g);

void add_gram(instance &p, const table &B);  // M += B Bᵀ
void add_diagonal(instance &p, double d);
void add_skew(instance &p, source &s, grain g, double weight);
void random_q(instance &p, source &s, grain g);
void random_bounds(instance &p, source &s, grain g);  // ±∞, l = u, and 0 ... ∞ among them

// q such that a complementary pair solves the problem; degenerate: the share of pairs 0, 0;
// reach: the size of λ where no bound limits it.
void plant(instance &p, source &s, grain g, double degenerate, double reach);

// q := y − M λ of the planted λ, rounded once.
void load(instance &p, const vec &y);

// Row i of M and q times row[i], column j times col[j], λ and its bounds by 1 / col[j].
void scale(instance &p, const vec &row, const vec &col);

}  // namespace verdicts

#endif
