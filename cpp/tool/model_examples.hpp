// SPDX-License-Identifier: MIT
// The files of examples/models, for `perp new`; cmake/tool.cmake writes the file that has them.
#ifndef PERP_TOOL_MODEL_EXAMPLES_HPP
#define PERP_TOOL_MODEL_EXAMPLES_HPP

#include <vector>

namespace perp::tool {

struct model_example {
  const char *file;
  const char *text;
};
const std::vector<model_example> &model_examples();

}  // namespace perp::tool

#endif
