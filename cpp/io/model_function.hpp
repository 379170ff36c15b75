// SPDX-License-Identifier: MIT
// Callbacks made of expressions: programs with the derivatives of a table's functions, and the C
// functions that a description points to.
#ifndef PERP_IO_MODEL_FUNCTION_HPP
#define PERP_IO_MODEL_FUNCTION_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expression/expression.h"
#include "io/model_table.hpp"
#include "perp/plugin.h"

namespace perp::io {

struct expression_deleter {
  void operator()(perp_expression *p) const noexcept { perp_expression_free(p); }
};
using expression_program = std::unique_ptr<perp_expression, expression_deleter>;

// Where the inputs of a table's expressions stand: t, q, v, x, lambda, z, i one after another; of
// laws h, y, ydot and s behind them.
struct input_layout {
  std::int32_t n_q = 0, n_v = 0, n_x = 0, n_lambda = 0, n_z = 0;
  std::int32_t n_y = 0, n_s = 0;  // of laws: size, and the state of a copy
  std::int32_t bodies = 0;        // q has quaternions: 7 entries and 6 increments each

  std::int32_t q() const { return 1; }
  std::int32_t v() const { return q() + n_q; }
  std::int32_t x() const { return v() + n_v; }
  std::int32_t lambda() const { return x() + n_x; }
  std::int32_t z() const { return lambda() + n_lambda; }
  std::int32_t index() const { return z() + n_z; }
  std::int32_t h() const { return index() + 1; }
  std::int32_t y() const { return h() + 1; }
  std::int32_t ydot() const { return y() + n_y; }
  std::int32_t s() const { return ydot() + n_y; }
  std::int32_t all() const { return n_y == 0 ? index() + 1 : s() + n_s; }
};

// What a function is called with; nullptr: what its type has not.
struct call_arguments {
  double t = 0;
  const double *q = nullptr, *v = nullptr, *x = nullptr, *lambda = nullptr, *z = nullptr;
  double h = 0;  // this and the following: of laws
  const double *y = nullptr, *ydot = nullptr, *s = nullptr;
};

using any_function = void (*)();
struct model_callbacks;

// A function of a table, or the derivative of one.
struct model_slot {
  expression_program program;
  // In place of a program: a function of another type than the field's, and what calls it.
  any_function other = nullptr;
  std::int32_t (*call)(any_function other, const model_callbacks &with, const call_arguments &a,
                       double *out) = nullptr;
  std::int32_t texts = 0;
  std::int32_t seeds = 0;      // 0: the values
  bool by_increments = false;  // of q, where there are bodies
};

// The functions of one table: shared by all that is repeated of it.
struct model_programs {
  input_layout layout;
  std::vector<model_slot> slots;
  bool reads_index = false;
};

// What the user pointer of a description points to; begins with what perp/plugin.h says of it.
struct model_callbacks {
  double index;
  const model_programs *programs;
  const double *z;  // the parameters of the description, for types that are not handed them
};

// A law of kind "user".
struct file_law {
  perp_plugin_law open;
  const model_callbacks *with;  // nullptr: no function is made of expressions
  const double *start;          // n_s: the state of a copy at first
  const double *lower, *upper;  // of a box; nullptr
  std::int32_t n_s, reserved;
};
// The same while it is read.
struct file_law_table {
  file_law law;
  perp_law_ops ops;
};

// Set what does not depend on functions: state, bounds, how it is copied, a commit at order 1.
void finish_law(const file_law &law, perp_law_ops *ops);

enum { most_slots = 16 };

// The C function of a slot, for a field of that signature.
any_function callback(signature called, std::size_t slot);
// The perp_body_jacobian_fn of two slots, by q and the next one by v.
any_function body_jacobian(std::size_t slot);

}  // namespace perp::io

#endif
