// SPDX-License-Identifier: MIT
// The tree of a model file, TOML or JSON alike, with the place of everything in it.
#ifndef PERP_IO_MODEL_TREE_HPP
#define PERP_IO_MODEL_TREE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace perp::io {

// What is wrong with a model file, each in one line: "FILE:LINE:COLUMN: found ..., ...".
class model_error : public std::runtime_error {
 public:
  explicit model_error(std::vector<std::string> lines)
      : std::runtime_error(lines.front()), lines_(std::move(lines)) {}
  const std::vector<std::string> &lines() const noexcept { return lines_; }

 private:
  std::vector<std::string> lines_;
};

struct model_node {
  enum kinds { table, list, text, number, integer, truth, other };
  struct member;

  kinds kind = table;
  double value = 0;             // of a number, an integer, a truth; of a text of a list by repeat j
  std::int64_t whole = 0;       // of an integer; of a text 1: it is of a list by repeat
  std::string words;            // of a text; of what is other, what it is
  std::vector<member> members;  // of a table, in the order of the file
  std::vector<model_node> items;  // of a list
  std::shared_ptr<const std::string> file;
  std::uint32_t line = 0, column = 0;  // from 1; 0: of JSON, which path tells
  std::string path;                    // of JSON: "systems.ball.q0[1]"; of an override: its option

  const model_node *find(std::string_view name) const;
  model_node *find(std::string_view name);
  // "ball.toml:3:5", "ball.json: systems.ball.q0[1]", "--set ball.e=2".
  std::string place() const;
  // What it is, for messages: "text `abc`", "a list of 3", "number 2.5".
  std::string shown() const;
};

struct model_node::member {
  std::string name;
  model_node key;  // its place
  model_node node;
};

enum { model_bytes = 10000000, model_depth = 64 };

// A tree of text; JSON where the name ends so, TOML otherwise. @throws model_error
model_node parse_model(std::string_view text, const std::string &name);

// A file that a model is made of, beside its own.
struct model_file {
  std::string name;  // below the folder of the model; of a plug-in as the model has it
  std::string path;
  std::string checksum;  // of its bytes
  std::string text;      // they; of a plug-in empty
};

// A number in hexadecimal for bytes.
std::string checksum(std::string_view bytes);

// The tree of a file, with the files that it includes, which are added to *files. The file is read
// once, since a pipe can be, into *text.
// @throws model_error
model_node load_model_tree(const std::string &path, std::string *text,
                           std::vector<model_file> *files);

// The text of a file that a model at path names, beside the file that says so and below the folder
// of the model; path empty: the model is a text, and has no folder. Added to *files.
// @throws model_error
std::string load_beside_model(const std::string &path, const model_node &name,
                              std::vector<model_file> *files);

// Set `name=value`: a parameter, KEY of one system, law or interaction as "ball.e", or a path from
// the root. @throws model_error
void override_model(model_node *root, const std::string &assignment);

}  // namespace perp::io

#endif
