// SPDX-License-Identifier: MIT
// What is wrong with a model at its start, beyond what its file says by itself.
#ifndef PERP_TOOL_MODEL_CHECK_HPP
#define PERP_TOOL_MODEL_CHECK_HPP

#include <string>
#include <vector>

#include "io/model.hpp"

namespace perp::tool {

struct model_findings {
  std::vector<std::string> errors;    // with their places: no run can be right
  std::vector<std::string> warnings;  // likewise: what may well be meant
  std::vector<std::string> facts;     // relative degrees, what was compared
};

// Look at the start of a model, and at a few states beside it.
model_findings check_model(const io::loaded_model &m);

// Where in the file the object of a refusal is; the file's name where that is not known.
std::string place_of(const io::loaded_model &m, const perp_info &info);

// What systems a refusal is about are called, " (`ball[1]` and the ground)"; empty where it is
// about none.
std::string names_of(const io::loaded_model &m, const perp_info &info);

}  // namespace perp::tool

#endif
