// SPDX-License-Identifier: MIT
#ifndef PERP_TOOL_VIEW_HPP
#define PERP_TOOL_VIEW_HPP

#include <string>

namespace perp::tool {

// A file of cpp/tool/view that pages are made of: cmake/tool.cmake puts them into the command.
std::string view_file(const std::string &name);

}  // namespace perp::tool

#endif
