// SPDX-License-Identifier: MIT
// The subcommands. Each returns an exit code and fills *out with what belongs on stdout; nothing is
// printed before it is complete.
#ifndef PERP_TOOL_COMMANDS_HPP
#define PERP_TOOL_COMMANDS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/model_plugin.hpp"
#include "tool/run.hpp"

namespace perp::tool {

struct solve_arguments {
  std::string file;
  std::string class_name;
  std::string solver = "auto";
  settings with;
  bool json = false;
  bool solution = false;
};
int solve_command(const solve_arguments &a, std::string *out);

int solvers_command(bool json, std::string *out);

struct info_arguments {
  std::string file;
  std::string class_name;
  bool json = false;
};
int info_command(const info_arguments &a, std::string *out);

struct convert_arguments {
  std::string in;
  std::string out;
  std::string class_name;
  std::string storage;  // dense, blocks, sparse; empty: as it is
  std::string layout = "columns";
  std::int32_t block = 4;
};
int convert_command(const convert_arguments &a, std::string *out);

struct bench_arguments {
  std::string folder;
  std::vector<std::string> solvers;  // empty: all
  std::int32_t max_iter = 0;
  double time_limit = 10;
  std::vector<double> tolerances;  // empty: 1e-4, 1e-6, 1e-9
  bool json = false;
  bool csv = false;
  std::string plot;  // a PNG; empty: none
};
int bench_command(const bench_arguments &a, std::string *out);

struct run_arguments {
  std::string file;  // empty: the model that the log of resume names
  std::vector<std::string> set;
  io::plugin_permission plugins;
  bool until_given = false;
  double until = 0;
  std::int32_t every = 1;
  bool events = false;
  bool energy = false;
  bool float32 = false;
  bool contacts = false;
  std::string select;
  std::string log;         // empty: the model's name with .log, in the working directory
  std::string resume;      // a log; empty: from the start
  double checkpoint = -1;  // s, 0: none; < 0: 10, of an event-driven run none
};
int run_command(const run_arguments &a, std::string *out);

struct check_arguments {
  std::string file;
  std::vector<std::string> set;
  io::plugin_permission plugins;
};
// *wrong: lines for stderr, of each file that is refused.
int check_command(check_arguments a, const std::vector<std::string> &files, std::string *out,
                  std::vector<std::string> *wrong);
int describe_command(const check_arguments &a, std::string *out);
// out_file: empty: stdout
int compile_command(const check_arguments &a, const std::string &out_file, std::string *out);
int new_command(const std::string &name, const std::string &folder, std::string *out);
int schema_command(bool page, std::string *out);
// The model of a log; folder: where its files go, too; empty: its text to stdout.
int model_command(const std::string &log, const std::string &folder, std::string *out);

struct view_arguments {
  std::string file;
  std::vector<std::string> names;  // of columns; empty: all of them
  std::string out;  // empty: the name of the log with .html, in the working directory
  bool open = false;
};
int view_command(const view_arguments &a, std::string *out);

struct plot_arguments {
  std::vector<std::string> words;  // logs, then quantities
  std::string out;                 // empty: the first log's name with .png
  bool phase = false;
  bool complementarity = false;
  bool energy = false;
  std::string poincare;  // NAME=LEVEL or a period; empty: no section
  bool script = false;
  std::vector<std::string> files;       // of words
  std::vector<std::string> quantities;  // of words; empty: what is worth a look
};
int plot_command(const plot_arguments &given, std::string *out);

struct export_arguments {
  std::string file;
  std::string out;
  std::string format;  // hdf5, csv, npz, mat, vtp; empty: by the name of out
  std::string select;  // empty: all
  std::int32_t every = 1;
  bool float32 = false;
};
int export_command(const export_arguments &a, std::string *out);

// "1.23e-05", and the like of fixed width.
std::string brief(double value);

}  // namespace perp::tool

#endif
