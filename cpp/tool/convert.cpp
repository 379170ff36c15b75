// SPDX-License-Identifier: MIT
#include "tool/commands.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

int convert_command(const convert_arguments &a, std::string *) {
  io::document d = io::read_problem(a.in, a.class_name);
  if (a.storage == "dense") io::store(&d.problem, io::storage::dense);
  if (a.storage == "blocks") io::store(&d.problem, io::storage::blocks, a.block);
  if (a.storage == "sparse") io::store(&d.problem, io::storage::sparse);
  io::write_problem(a.out, d,
                    a.layout == "triplet"   ? io::layout::triplet
                    : a.layout == "columns" ? io::layout::columns
                                            : io::layout::rows);
  return exit_solved;
}

}  // namespace perp::tool
