// SPDX-License-Identifier: MIT
// Pictures by gnuplot, which gets a script and answers with the bytes of the picture: it opens no
// file, and no shell is between.
#ifndef PERP_TOOL_GNUPLOT_HPP
#define PERP_TOOL_GNUPLOT_HPP

#include <cstddef>
#include <string>

namespace perp::tool {

// What gnuplot reads as this text, without control sequences of its own.
std::string gnuplot_text(const std::string &text);

// "linecolor rgb '#0072b2' dashtype 1 linewidth 2.2": of the i-th curve. Colours that colour-blind
// readers tell apart (Okabe and Ito), then the same with dashes.
std::string curve_style(std::size_t i, double width);

// What gnuplot writes to its standard output for a script. Throws run_error, with what it says,
// where it fails or is not there; path: the picture, for messages.
std::string run_gnuplot(const std::string &path, const std::string &script);

// The same as a file, which is there as a whole or not at all. Throws run_error.
void save_picture(const std::string &path, const std::string &script);

}  // namespace perp::tool

#endif
