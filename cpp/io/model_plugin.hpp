// SPDX-License-Identifier: MIT
// Functions that a model names in place of expressions, `plugin:spring.so:force`: of shared
// libraries and of Python. Nothing is opened that is not allowed.
#ifndef PERP_IO_MODEL_PLUGIN_HPP
#define PERP_IO_MODEL_PLUGIN_HPP

#include <memory>
#include <string>
#include <vector>

#include "io/model_function.hpp"
#include "io/model_tree.hpp"

namespace perp::io {

// What a model may open; by default nothing.
struct plugin_permission {
  bool folder = false;             // what it names, below its own folder
  std::vector<std::string> files;  // these, wherever they are
};

// What a field needs of a function.
struct wanted_function {
  const kind *of = nullptr;
  std::string field;  // of the struct of that kind
  signature called = signature::none;
  bool jacobian = false;            // of a body: perp_body_jacobian_fn
  std::string reads;                // "t q v z"
  std::int32_t rows = 1, cols = 0;  // cols 0: a vector
  input_layout layout;
  struct system {
    std::string name;
    std::int32_t n_q, n_v;
  };
  std::vector<system> systems;  // this and the next: of find
  std::vector<double> z;
};

// What has been found: a function of the field's type, or with `call` one of another type.
struct found_function {
  any_function function = nullptr;
  decltype(model_slot::call) call = nullptr;
};

// An opened library, or a module of Python.
struct plugin_library {
  std::string name;  // as the model has it
  std::string path;  // of its file; empty: a module that is no file of Python
  void *handle = nullptr;
  bool python = false;
  std::int32_t version = 0;  // 0: none is told
  std::size_t (*save)(void *bytes, std::size_t room) = nullptr;
  std::int32_t (*restore)(const void *bytes, std::size_t n_bytes) = nullptr;
};

// "plugin:...", "siconos:..." or "py:...".
bool names_function(const model_node &node);

class model_plugins {
 public:
  // model: the path of the file, beside which plug-ins are. @throws model_error
  void allow(const std::string &model, const plugin_permission &may);

  // The function that a text names; without one *why is what there is to say about it.
  found_function find(const std::string &text, const wanted_function &wanted, std::string *why);

  // Add the files that have been opened. @throws file_error
  void list(std::vector<model_file> *files) const;
  // What has been opened and remembers things that it cannot save; empty: a run can be resumed.
  std::vector<std::string> forgetful() const;
  // Append what all plug-ins remember; nothing where none does. @throws std::runtime_error
  void save(std::vector<unsigned char> *bytes) const;
  // Take what save() has appended from the end of n_bytes, which become as many as were before.
  // @throws std::runtime_error
  void restore(const void *bytes, std::size_t *n_bytes) const;
  // What a function of Python has thrown, ": ValueError: ... (spring.py:3)"; mostly empty.
  std::string complaint() const;

 private:
  plugin_library *open(const std::string &name, std::string *why);
  plugin_library *import(const std::string &name, std::string *why);
  std::string path_of(const std::string &name, std::string *why) const;

  std::string folder_;
  plugin_permission may_;
  std::vector<std::unique_ptr<plugin_library>> libraries_;
};

}  // namespace perp::io

#endif
