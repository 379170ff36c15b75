// SPDX-License-Identifier: MIT
// A performance profile as a picture, drawn by gnuplot.
#ifndef PERP_TOOL_PROFILE_HPP
#define PERP_TOOL_PROFILE_HPP

#include <string>
#include <vector>

namespace perp::tool {

// One solver: its times over the least time, of the problems that it solved.
struct profile_curve {
  std::string name;
  std::vector<double> ratios;
};

// Throws io::file_error where draw_profile() would for sure: before hours of work.
void check_plot(const std::string &path);

// Write a PNG of 1600 x 1100. problems: those that some solver takes, the whole of a share. Throws
// io::file_error where there is no gnuplot or the file cannot be written.
void draw_profile(const std::string &path, const std::string &tolerance, std::size_t problems,
                  std::vector<profile_curve> curves);

}  // namespace perp::tool

#endif
