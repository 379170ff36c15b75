// SPDX-License-Identifier: MIT
// Values of a model file: parameters and expressions, numbers, lists, matrices, functions; what is
// wrong is noted, and reading goes on.
#ifndef PERP_IO_MODEL_VALUES_HPP
#define PERP_IO_MODEL_VALUES_HPP

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/model_plugin.hpp"
#include "io/model_table.hpp"
#include "io/model_tree.hpp"

namespace perp::io {

// Sizes that shapes of the table speak of.
using sizes = std::map<std::string, std::int32_t>;

class model_values {
 public:
  // What is wrong, line by line, each thing once.
  void note(const model_node &at, const std::string &what) { note_at(at.place(), what); }
  void note_at(const std::string &place, const std::string &what) {
    note_line(place + ": " + what);
  }
  void note_line(const std::string &line);
  const std::vector<std::string> &notes() const { return notes_; }

  // What uniform() and normal() draw by.
  void read_seed(const model_node *node);
  // Read [parameters]: numbers, and expressions of other parameters.
  void read_parameters(const model_node *table);
  // Read [expressions]: texts that names stand for.
  void read_expressions(const model_node *table);
  // Make lists of what is { repeat = n, value = ... } in a tree; j is the place in the list. Of
  // functions expressions stay, otherwise they become numbers.
  void make_lists(model_node *node, bool functions);

  // A table that expressions know from then on; its arrays live as long as this.
  void add_table(const model_node::member &m, const perp_expression_table &table);
  // One that could not be read: known, and not a number anywhere.
  void add_failed_table(const model_node::member &m);

  // A number, or an expression of parameters and i. False: noted, here or where a name in it is
  // defined.
  bool number(const model_node &node, double index, double *out);
  bool integer(const model_node &node, double index, std::int32_t *out);

  // Keys of a table that its kind does not have, and keys that it needs; `besides` are allowed,
  // too. False: a key that is needed is not there.
  bool check_keys(const model_node &table, const kind &of, const std::vector<std::string> &besides);

  // Fill the struct of a kind from a table: all keys that are fields. dims: sizes that are known;
  // index: i. *ok false: something was noted.
  void fill(const model_node &table, const kind &of, double index, sizes dims, void *at, bool *ok);
  // A list, or a list of rows, column-major.
  bool matrix(const model_node &node, const key &k, double index, std::int32_t rows,
              std::int32_t cols, std::vector<double> *out);
  // Make the callbacks of a table, and set the fields of its struct; nothing without functions.
  // order: of the system or relation.
  void functions(const model_node &table, const kind &of, double index, const sizes &dims,
                 const input_layout &layout, std::int32_t order, void *at, bool *ok);

  // The callbacks that functions() made last, nullptr if there are none; its key.
  const model_callbacks *callbacks() const { return callbacks_; }

  // What functions are of other libraries.
  model_plugins plugins;

  // The functions made of expressions, in the order of the file, for perp compile.
  struct made_function {
    const model_node *table;
    const model_programs *programs;
    const key *of;
    const derivative *by;  // nullptr: the values
    std::size_t slot;
    signature called;
  };
  const std::vector<made_function> &made() const { return functions_; }
  // What expressions are for: a value that is computed once, or one that a run asks for.
  enum class use { once, run };
  // A program of texts and numbers (nullptr: 0); parameters are known to it. nullptr: noted.
  expression_program compile(const std::vector<const model_node *> &nodes,
                             const std::vector<perp_expression_symbol> &symbols,
                             const std::vector<std::int32_t> &seeds, use as);

  // Choose among names; noted with the nearest one if there is none such. What: "a kind of system".
  bool choose(const model_node &node, const std::vector<std::string> &names, const char *what,
              std::string *out);
  // Choose among the choices of a key.
  bool choose(const model_node &node, const key &k, std::int32_t *out);

  // The value of a node that may be { value = ..., unit = "..." }.
  const model_node &plain(const model_node &node, const std::string &unit);

  // Doubles that live as long as this.
  const double *keep(std::vector<double> values);
  template <class T>
  T *keep_struct(T value) {
    auto held = std::make_shared<T>(std::move(value));
    held_.push_back(held);
    return held.get();
  }
  // A size of the table: "n", "m - 1", "3".
  static std::int32_t size_of(const std::string &shape, const sizes &dims);

 private:
  struct parameter {
    const model_node *node;
    int state;     // 0: not looked at, 1: being evaluated, 2: known, 3: it cannot be
    double value;  // not a number until it is known
  };
  // Whether a name of a table or an expression is free; otherwise noted. what: "table".
  bool is_free(const model_node::member &m, const char *what);
  void make_list(model_node *node, bool functions);
  // Whether so many numbers more are not too many of a model; otherwise noted.
  bool is_room(const model_node &node, double numbers);
  bool elements(const model_node &node, const key &k, double index, std::int32_t rows,
                std::int32_t cols, perp_matrix *out);
  bool evaluate_parameter(std::size_t which, std::vector<std::size_t> *open);
  void list_functions(const model_node &node, const key &k, std::int32_t rows, std::int32_t cols,
                      std::vector<const model_node *> *out, bool *ok);
  // Notes parameters that have the name of one of the symbols.
  void not_parameters(const model_node &at, const std::vector<perp_expression_symbol> &symbols,
                      bool *ok);
  bool is_derivative(const model_node &table, const kind &of, const model_node::member &m);
  bool one_key(const model_node &node, const key &k, double index, sizes *dims, char *at);
  bool in_range(const model_node &node, const key &k, double value);

  std::vector<std::string> notes_;
  std::vector<std::string> names_;
  std::vector<parameter> parameters_;
  std::unique_ptr<double> seed_;
  std::map<std::string, const model_node *> expressions_;
  double made_numbers_ = 0;  // of lists by repeat
  double read_numbers_ = 0;  // of all lists, for each that is repeated
  std::vector<perp_expression_symbol> constants_;
  bool failed_ = false;  // a parameter or table, so that it and what needs it is not a number
  std::unordered_map<const model_node *, expression_program> compiled_;
  std::map<std::pair<const model_node *, std::vector<std::int32_t>>,
           std::unique_ptr<model_programs>>
      programs_;
  std::map<std::pair<const model_programs *, double>, std::unique_ptr<model_callbacks>> made_;
  const model_callbacks *callbacks_ = nullptr;
  std::vector<made_function> functions_;
  std::deque<std::vector<double>> arrays_;
  std::vector<std::shared_ptr<void>> held_;
};

// "3 numbers", "1 number"; a number as errors show it.
inline std::string count_of(std::int32_t n, const char *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}
std::string shown_number(double value);
// What an expression reads: entries of an array (0: a number) from its input `first` on.
inline perp_expression_symbol input(const char *name, std::int32_t entries, std::int32_t first) {
  return {name, entries, first, nullptr, nullptr, nullptr, nullptr};
}

// "`a`, `b` or `c`".
std::string one_of(const std::vector<std::string> &names);
// "expected one of ...; did you mean `x`?"
std::string suggestion(const std::string &found, const std::vector<std::string> &names);

}  // namespace perp::io

#endif
