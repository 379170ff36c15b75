// SPDX-License-Identifier: MIT
// Models from files: a builder filled by what the file says, and how it is to be run.
#ifndef PERP_IO_MODEL_HPP
#define PERP_IO_MODEL_HPP

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/model_tree.hpp"
#include "io/model_values.hpp"

namespace perp::io {

struct builder_deleter {
  void operator()(perp_builder *b) const noexcept { perp_builder_destroy(b); }
};

// The expressions of a guard or a schedule, whose inputs are t, all q, all v and all x.
struct model_hook {
  bool guard = false;  // or a schedule
  std::string name;    // "floor", "floor[1]"
  expression_program value, reset;
  std::vector<std::size_t> places;  // that reset sets, among q, v and x
  bool stop = false;                // the run ends after it
  std::size_t n_q = 0, n_v = 0, n_x = 0;
  std::vector<double> all, made;  // room of a call
};

// A model as its file has it. What its descriptions point to lives as long as this.
struct loaded_model {
  std::string name;               // the file
  std::string path;               // the same; empty: a text
  std::string text;               // its text
  model_node tree;                // with includes and overrides
  std::vector<model_file> files;  // includes, tables and plug-ins
  model_values values;
  std::unique_ptr<perp_builder, builder_deleter> builder;
  std::vector<std::string> systems;       // "ball", "bead[17]"
  std::vector<std::string> interactions;  // likewise
  std::vector<std::unique_ptr<model_hook>> hooks;
  bool by_events = false;
  perp_event_options events = perp_event_options_default();  // its schedules of [simulation], too
  double until = HUGE_VAL;  // last time; HUGE_VAL: the end of the grid
  double every = 0;         // distance of outputs of an event-driven run, 0: its events only

  double first_time() const;
  // The last time, of steps that are counted theirs.
  double last_time() const;

  // Guards or schedules, as the library numbers them.
  std::vector<const model_hook *> all_of(bool guard) const {
    std::vector<const model_hook *> some;
    for (const auto &each : hooks)
      if (each->guard == guard) some.push_back(each.get());
    return some;
  }
};

// Read a model and assemble it. overrides: "NAME=VALUE"; may: what it may open.
// @throws model_error with all that is wrong
std::unique_ptr<loaded_model> load_model(const std::string &path,
                                         const std::vector<std::string> &overrides = {},
                                         const plugin_permission &may = {});
// The same of a text, which includes nothing; a name that ends in .json: JSON.
std::unique_ptr<loaded_model> read_model(std::string_view text, const std::string &name);

// Steps and outputs that no run of it would come to the end of, as until stands.
// @throws model_error
void check_times(const loaded_model &m);
// "which does not move time at t = 2, where doubles are 4.4e-16 apart": a distance that is lost in
// one of both times; empty: it is not.
std::string lost_in_time(double distance, double first, double last);

// The functions of its expressions as a file of C, which is a plug-in when compiled.
std::string compiled_model(const loaded_model &m);

// A sentence for what the library refused.
std::string explained(perp_status status, const perp_info &info);

}  // namespace perp::io

#endif
