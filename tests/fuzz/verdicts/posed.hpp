// SPDX-License-Identifier: MIT
// An instance as the library takes it: its matrix in one of the storages, its laws in blocks.
#ifndef PERP_FUZZ_VERDICTS_POSED_HPP
#define PERP_FUZZ_VERDICTS_POSED_HPP

#include <perp/law.h>
#include <perp/problem.h>

#include <deque>
#include <string>

#include "instance.hpp"

namespace verdicts {

enum class storage { dense, diagonal, blocks, rows, zero };
constexpr int kStorages = 5;
const char *name_of(storage s);
bool fits(const instance &p, storage s);  // diagonal and zero only what is
storage any_storage(const instance &p, source &s);

// A matrix, and the arrays that it views.
struct stored {
  vec values;
  std::vector<std::int32_t> start, index, offset;
  perp_matrix M{};
  stored(const instance &p, storage how, source &s);
};

// Laws of an instance: runs of one kind as one block, or every unknown its own.
class lawful {
 public:
  lawful(const instance &p, source &s);
  lawful(const lawful &) = delete;
  lawful &operator=(const lawful &) = delete;
  const std::vector<const perp_law *> &laws() const { return laws_; }
  const std::int32_t *offset() const { return offset_.data(); }

 private:
  void add(const perp_law *law, std::int32_t end);
  void add_intervals(const instance &p, std::int32_t begin, std::int32_t end, source &s);
  void add_run(const instance &p, std::int32_t begin, std::int32_t end, bool as_box);
  void add_contact(const contact &c);
  void add_polyhedron(const polyhedron &d, std::int32_t n);
  perp_equality free_;
  perp_complementarity orthant_;
  std::deque<perp_box> boxes_;
  std::deque<perp_mixed> mixed_;
  std::deque<perp_friction> frictions_;
  std::deque<perp_rolling> rollings_;
  std::deque<perp_polyhedron> polyhedra_;
  std::vector<const perp_law *> laws_;
  std::vector<std::int32_t> offset_{0};
};

// The one place that fills a perp_problem.
perp_problem problem_of(const perp_matrix &M, const vec &q, const lawful &laws);

// Everything in full precision, for a report.
std::string text_of(const instance &p);

}  // namespace verdicts

#endif
