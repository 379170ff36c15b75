// SPDX-License-Identifier: MIT
// How the rows of the table of model files are written: a key by what it holds, a kind by its
// struct. For the files model_table_*.cpp.
#ifndef PERP_IO_MODEL_KEYS_HPP
#define PERP_IO_MODEL_KEYS_HPP

#include <type_traits>
#include <utility>

#include "io/model_table.hpp"

// A field of a struct by name and place; a struct, and what begins it.
#define FIELD(structure, field) #field, offsetof(structure, field)
#define STRUCT_BY(s, init) \
  { #s, bytes_of < s>(), user_of < s>(0), begin < s, init> }
#define STRUCT(s) STRUCT_BY(s, s##_init)
#define PLAIN(s) \
  { #s, bytes_of < s>(), user_of < s>(0), nullptr }

namespace perp::io::keys {

struct description {
  const char *name;
  std::size_t bytes, user;
  perp_status (*begin)(void *at, std::int32_t m, std::int32_t n);
};

template <class T>
constexpr std::size_t bytes_of() {
  static_assert(sizeof(T) <= struct_bytes_most);
  return sizeof(T);
}
template <class T>
constexpr auto user_of(int) -> decltype((void)T::user, std::size_t()) {
  return offsetof(T, user);
}
template <class T>
constexpr std::size_t user_of(long) {
  return nowhere;
}
// Begins a T: init wants rows and columns, columns, or neither.
template <class T, auto init>
perp_status begin(void *at, std::int32_t m, std::int32_t n) {
  T *const made = static_cast<T *>(at);
  if constexpr (std::is_invocable_v<decltype(init), T *, std::size_t, std::int32_t, std::int32_t>)
    return init(made, sizeof(T), m, n);
  else if constexpr (std::is_invocable_v<decltype(init), T *, std::size_t, std::int32_t>)
    return init(made, sizeof(T), n);
  else
    return init(made, sizeof(T));
}

// The key of a field is called as the field; of a nested one as its last part.
inline key entry(const char *field, std::size_t at, holds what, const char *says) {
  key k;
  k.field = field, k.what = what, k.offset = at, k.says = says;
  k.name = k.field.substr(k.field.rfind('.') + 1);
  return k;
}

inline key number(const char *field, std::size_t at, const char *says, const char *fallback = "") {
  return entry(field, at, holds::number, says).otherwise(fallback);
}
inline key integer(const char *field, std::size_t at, const char *says, const char *fallback = "") {
  return entry(field, at, holds::integer, says).otherwise(fallback);
}
inline key truth(const char *field, std::size_t at, const char *says) {
  return entry(field, at, holds::truth, says).otherwise("false");
}
inline key option(const char *field, std::size_t at, std::vector<choice> choices,
                  const char *says) {
  return entry(field, at, holds::option, says).otherwise(choices.front().name).one_of(choices);
}
inline key numbers(const char *field, std::size_t at, const char *says, const char *rows,
                   const char *cols = "1") {
  return entry(field, at, holds::numbers, says).shape(rows, cols);
}
inline key array(const char *field, std::size_t at, const char *says, const char *rows,
                 const char *cols = "1") {
  return entry(field, at, holds::array, says).shape(rows, cols);
}
inline key operation(const char *field, std::size_t at, const char *says) {
  return entry(field, at, holds::operation, says).shape("n", "n");
}
inline key function(const char *field, std::size_t at, signature called, const char *reads,
                    const char *says, const char *rows, const char *cols = "1") {
  key k = entry(field, at, holds::function, says).shape(rows, cols);
  k.called = called, k.reads = reads;
  return k;
}
// What no field of a struct holds as it stands.
inline key own(const char *name, holds what, const char *says) {
  key k;
  k.name = name, k.what = what, k.says = says;
  return k;
}
inline key named(const char *field, const char *name, holds what, std::vector<choice> choices,
                 const char *says) {
  key k = own(name, what, says);
  k.field = field, k.choices = std::move(choices);
  return k;
}

inline std::vector<key> joined(std::vector<key> head, std::vector<key> rest) {
  for (key &k : rest) head.push_back(std::move(k));
  return head;
}

inline kind make(const char *group, const char *name, const description &of, const char *says,
                 std::vector<key> keys) {
  kind k;
  k.group = group, k.name = name, k.says = says, k.keys = std::move(keys);
  k.structure = of.name, k.bytes = of.bytes, k.user = of.user, k.begin = of.begin;
  return k;
}

// Pointers of simulations and systems to an integrator.
inline const void *integrator_of(std::int32_t which) {
  const perp_integrator *(*const all[])() = {
      perp_integrator_moreau_jean, perp_integrator_schatzman_paoli, perp_integrator_theta,
      perp_integrator_theta_gamma, perp_integrator_theta_gamma_full};
  return all[which]();
}
inline key scheme(const char *name, std::size_t at, const char *says) {
  key k = option(name, at,
                 {{"moreau_jean", 0},
                  {"schatzman_paoli", 1},
                  {"theta", 2},
                  {"theta_gamma", 3},
                  {"theta_gamma_full", 4}},
                 says);
  return k.points(integrator_of).otherwise("");
}

#define PARAMETERS(structure, field_z, field_n) \
  parameters(FIELD(structure, field_z), FIELD(structure, field_n))

inline key parameters(const char *field, std::size_t at, const char *length,
                      std::size_t length_at) {
  key k = array(field, at, "parameters that expressions read as z[0], z[1] ...", "n_z");
  k.length = length, k.length_offset = length_at;
  return k;
}

inline key repeat_key() {
  return own("repeat", holds::integer,
             "so many of them, called NAME[0], NAME[1] ...; expressions read the index as i")
      .from(1);
}
inline key rows_key() {
  return own("m", holds::integer, "rows; without it as many as its arrays have").from(1);
}

}  // namespace perp::io::keys

namespace perp::io {

// Each file's kinds.
void add_systems(std::vector<kind> *all);
void add_relations(std::vector<kind> *all);
void add_laws(std::vector<kind> *all);
void add_solvers(std::vector<kind> *all);
void add_simulation(std::vector<kind> *all);
void add_events(std::vector<kind> *all);
void add_parts(std::vector<kind> *all);

}  // namespace perp::io

#endif
