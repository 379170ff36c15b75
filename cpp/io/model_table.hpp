// SPDX-License-Identifier: MIT
// What may stand in a model file: one table, from which the reader, the JSON schema, the templates
// of `perp new` and the reference page are made. A kind is a table of the file and mostly a struct
// of C, a key is a field of it.
#ifndef PERP_IO_MODEL_TABLE_HPP
#define PERP_IO_MODEL_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "perp/perp.h"

namespace perp::io {

// What a key holds, and what becomes of it in the struct.
enum class holds {
  number,   // a double, or one of the key's choices
  integer,  // an int32_t
  truth,    // an int32_t, 0 or 1
  option,   // an int32_t by one of the key's choices, or a pointer by its number
  numbers,  // rows x cols doubles within the struct, column-major
  array,    // a pointer to rows x cols doubles, column-major; in the file a list, or a list of rows
  indices,  // a pointer to rows int32_t
  operation,  // a perp_matrix: a list (diagonal), a list of rows (dense), or a table of sparse rows
  function,   // a callback: rows x cols expressions
  expression,  // one expression, not in a list, which the reader interprets
  resets,      // a table of expressions by what they set, likewise
  part,        // a table within: a struct within the struct
  name,        // a text, which the reader interprets
  names,       // one or more texts
  table        // a table, or a name of one, which the reader interprets
};

// How a callback is called, which tells what its expressions may read.
enum class signature {
  none,
  time,         // (t, out, user)
  state,        // (t, q, v, z, out, user)
  state_x,      // the same at order 1, where v is x
  first_order,  // (t, x, z, out, user)
  relation,     // (t, x, lambda, z, out, user)
  gap,          // (t, q, lambda, z, out, user)
  velocity,     // (t, q, v, z, out, user)
  body,         // (t, q, v, out, user)
  // Those of perp_law_ops:
  law_project,     // (law, state, x, p)
  law_shift,       // (law, state, y, yhat)
  law_restitute,   // (law, state, step, q)
  law_preload,     // (law, state, step, s)
  law_compliance,  // (law, h, D)
  law_acts,        // (law, state)
  law_commit,      // (law, state, step)
  find             // perp_find_fn, of plug-ins alone
};

struct choice {
  const char *name;
  std::int32_t value;
};

struct derivative {
  std::string field;
  std::size_t offset;
  std::string by;  // "q", "v", "x", "lambda", "t"
};

inline constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

// Bytes of the longest struct of a kind, at most.
inline constexpr std::size_t struct_bytes_most = 1024;

struct key {
  std::string name;
  std::string field;  // of the struct; empty: the reader interprets it
  holds what;
  std::size_t offset = nowhere;
  std::string says;
  std::string unit;
  std::string fallback;                // as it would stand in the file
  std::string rows = "1", cols = "1";  // a number, or the name of one: n, m, n_z, n_u, size
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above = false;  // low itself is not allowed
  bool infinite = false;
  bool needed = false;
  std::vector<choice> choices;
  const void *(*pointer)(std::int32_t choice) = nullptr;
  signature called = signature::none;
  std::string reads;                    // names of what an expression may read: "t q v z"
  std::vector<derivative> derivatives;  // callbacks made of the same expressions
  std::string length;                   // field that gets the number of rows, "n_z"
  std::size_t length_offset = nowhere;
  std::string within;  // the kind of a part

  key &as(const char *other) { return name = other, *this; }
  key &in(const char *u) { return unit = u, *this; }
  key &otherwise(const char *f) { return fallback = f, *this; }
  key &shape(const char *r, const char *c = "1") { return rows = r, cols = c, *this; }
  key &from(double l) { return low = l, above = false, *this; }
  key &more_than(double l) { return low = l, above = true, *this; }
  key &to(double h) { return high = h, *this; }
  key &or_infinite() { return infinite = true, *this; }
  key &must() { return needed = true, *this; }
  key &points(const void *(*at)(std::int32_t)) { return pointer = at, *this; }
  key &holding(const char *part) { return within = part, *this; }
  key &one_of(std::vector<choice> c) { return choices = std::move(c), *this; }
  key &derived(const char *f, std::size_t at, const char *by) {
    return derivatives.push_back({f, at, by}), *this;
  }
};

struct kind {
  std::string group;      // "system", "relation", "law", "solver", or a table of its own
  std::string name;       // as the file has it
  std::string structure;  // of C; empty: none
  std::size_t bytes = 0;  // its size
  std::string says;
  std::vector<key> keys;
  // What begins the struct. n: degrees of freedom or joined columns; m: rows.
  perp_status (*begin)(void *at, std::int32_t m, std::int32_t n) = nullptr;
  std::int32_t order = 0;      // of systems and relations: 1, 2 or 0: none
  std::size_t user = nowhere;  // offset of the pointer handed to its callbacks
};

// All kinds, group by group.
const std::vector<kind> &model_kinds();
// nullptr if there is none.
const kind *find_kind(std::string_view group, std::string_view name);
const key *find_key(const kind &of, std::string_view name);
// The names of a group.
std::vector<std::string> kind_names(std::string_view group);

// The name nearest to a word, empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string> &names);

// JSON schema (draft 2020-12) of a model file.
std::string model_schema();
// A commented template of a kind.
std::string model_template(const kind &of);
// The reference page, Markdown.
std::string model_reference();

}  // namespace perp::io

#endif
