// SPDX-License-Identifier: MIT
// What is wrong with a model at its start, beyond what its file says by itself.
#ifndef PERP_TOOL_MODEL_CHECK_HPP
#define PERP_TOOL_MODEL_CHECK_HPP

#include <memory>
#include <string>
#include <vector>

#include "io/model.hpp"

namespace perp::tool {

struct model_findings {
  std::vector<std::string> errors;         // with their places: no run can be right
  std::vector<std::string> warnings;       // likewise: what may well be meant
  std::vector<std::string> facts;          // relative degrees, what was compared
  std::shared_ptr<perp_simulation> begun;  // of time-stepping, behind its first step
};

// Look at the start of a model, and at a few states beside it.
model_findings check_model(const io::loaded_model &m);

// Only whether its equalities contradict one another there. most: operations, of each part of the
// model; a larger part is not compared.
model_findings check_equalities(const io::loaded_model &m, double most = 2e9);

// Where in the file the object of a refusal is; the file's name where that is not known.
std::string place_of(const io::loaded_model &m, const perp_info &info);

// What the library says, in which it numbers systems and interactions, with their names in the
// file.
std::string named(const io::loaded_model &m, const perp_info &info, const std::string &text);

}  // namespace perp::tool

#endif
