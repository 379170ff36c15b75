// SPDX-License-Identifier: MIT
// What fills the builder of a model from its tree: one object for one reading.
#ifndef PERP_IO_MODEL_ASSEMBLER_HPP
#define PERP_IO_MODEL_ASSEMBLER_HPP

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/model.hpp"

namespace perp::io {

// The struct of any kind.
union any_struct {
  unsigned char bytes[struct_bytes_most];
  perp_system system;
  perp_relation relation;
  perp_law law;
  file_law_table file_law;
  perp_lagrangian_relation lagrangian_relation;
  perp_lagrangian_velocity_relation velocity_relation;
  perp_lagrangian_contact_relation contact_relation;
  perp_body_contact body_contact;
  perp_joint joint;
  perp_joint_coordinate coordinate;
  perp_gear gear;
  perp_piecewise_linear graph;
};

class assembler {
 public:
  explicit assembler(loaded_model *m) : m_(*m), values_(m->values) {}
  // @throws model_error with all that is wrong
  void assemble();

 private:
  struct one_system {
    std::int32_t order, n, n_q;  // degrees of freedom, positions
    bool body;
    double theta;                   // of its own; NaN: that of the simulation
    const perp_integrator *scheme;  // likewise, NULL
    std::vector<double> q0;         // of a body
  };
  struct one_interaction {
    const perp_joint *joint;
    std::vector<std::int32_t> systems;
  };
  // A relation while it is read.
  struct reading {
    const model_node &table;
    const kind &of;
    double index;
    std::int32_t law_size;
    std::vector<std::int32_t> systems;
    std::int32_t n = 0, n_q = 0, bodies = 0;  // of all of these together
    any_struct made = {};
    const void *user = nullptr;  // of its callbacks, and what tells it from another
    std::vector<char> key = {};
  };

  // model.cpp: tables of all kinds
  void make_lists();
  void make_lists(model_node *table, const std::string &group);
  bool is_table(const model_node &node, const char *what);
  const kind *kind_of(const model_node &table, const char *group, const char *what);
  // How often a table is repeated; 0: it is not; -1: noted.
  std::int32_t repeats(const model_node &table);
  bool is_member_name(const model_node::member &m);
  void check_named(const char *group);
  // The size of a table: by the key `dim`, or by the first list of that many rows.
  bool size_of_table(const model_node &table, const kind &of, const char *dim, double index,
                     std::int32_t *out);
  // What the library refused, at the key whose field it names.
  void refused(const model_node &table, const kind &of, perp_status status, const perp_info &info);

  // model_tables.cpp
  void read_tables();
  bool read_table(const model_node::member &m);  // false: noted; @throws model_error

  // model_systems.cpp
  void add_systems();
  void add_system(const model_node &table, const kind &of, const std::string &name, double index);
  const model_callbacks *read_control(const model_node &node, const kind &of, double index,
                                      std::int32_t n, const input_layout &layout, any_struct *s,
                                      bool *ok);
  void start(const model_node &table, const kind &of, double index, std::int32_t id,
             one_system *made);

  // model_laws.cpp
  // A law but a graph. What its table points to is kept.
  bool read_law(const model_node &l, const kind &of, double index, any_struct *law);
  bool read_own_law(const model_node &l, const kind &of, double index, file_law_table *law);

  // model_interactions.cpp
  // A table, or the name of one of a group.
  const model_node *table_or_name(const model_node &node, const char *group, const char *what);
  // By their names where the first is, and how many; 0: it is not repeated.
  using groups = std::map<std::string, std::pair<std::int32_t, std::int32_t>>;
  // The one of some groups that a name means: "ball", "bead[i + 1]". -1: noted; what: "a system".
  std::int32_t member_of(const model_node &node, double index, const groups &all, const char *what);
  std::int32_t system_of(const model_node &node, double index);
  void add_interactions();
  void add_interaction(const model_node &table, const model_node &joined, const model_node &r,
                       const kind &of_relation, const model_node &l, const kind &of_law,
                       const std::string &name, double index);

  // model_relations.cpp
  bool read_relation(reading *r);
  bool read_geometry(reading *r);
  bool read_joint(reading *r);
  bool read_gear(reading *r);
  bool read_coordinate(reading *r);
  template <class T>
  bool read_shape(reading *r, perp_locate_fn locate);
  bool vector3(const reading &r, const char *name, std::vector<double> *out);
  const double *start_of(const reading &r, std::size_t which) const;

  // model_pool.cpp
  void read_pool();
  // What a model with a pool has where its file says nothing.
  void pool_defaults(const model_node &table, perp_simulation_options *o);

  // model_options.cpp
  void read_solver(const model_node &node, const perp_solver **solver, const void **options);
  // is_run: the table of the run; otherwise that of the stretches that events give to
  // time-stepping.
  void read_simulation(const model_node &table, perp_simulation_options *o, bool is_run);
  void put_schemes(perp_simulation_options *o);
  void read_events(const model_node &table);

  // model_guards.cpp
  bool is_expression(const model_node &node);
  std::vector<perp_expression_symbol> state_symbols();
  std::int32_t place_of(const model_node::member &m,
                        const std::vector<perp_expression_symbol> &symbols, double index);
  void read_guard(const std::string &name, const model_node &table, const kind &of,
                  std::vector<perp_expression_symbol> symbols, double index, perp_guard *guard,
                  perp_schedule *schedule);
  // group: "guards" or "schedules"
  void read_guards(const char *group, perp_event_options *o);

  loaded_model &m_;
  model_values &values_;
  groups groups_;  // of systems
  groups joints_;  // of interactions that have one
  std::vector<one_system> systems_;
  std::vector<one_interaction> interactions_;
  std::map<const model_node *, model_node> indices_;
  std::map<std::vector<char>, void *> shapes_;
  std::int32_t pool_ = 0;                                  // its capacity
  std::map<const model_node *, perp_law_ops *> own_laws_;  // tables of operations
  bool lost_ = false;  // a system could not be read: what joins it is not looked at
};

// What a table gives for the field that the library names; nullptr: nothing.
const model_node *given_field(const model_node &table, const kind &of, const perp_info &info);
// Entries of a list, or of the list that a table holds; -1: neither.
std::int32_t list_size(const model_node *node);

}  // namespace perp::io

#endif
