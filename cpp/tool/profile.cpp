// SPDX-License-Identifier: MIT
#include "tool/profile.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "io/file.hpp"
#include "tool/gnuplot.hpp"

namespace perp::tool {

namespace {

std::string number(double x) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

// Where the abscissa ends: a power of ten that shows all, up to 1000.
double last_ratio(const std::vector<profile_curve> &curves) {
  double most = 1;
  for (const profile_curve &c : curves)
    if (!c.ratios.empty()) most = std::max(most, c.ratios.back());
  double end = 10;
  while (end < most && end < 1000) end *= 10;
  return end;
}

// The steps of a curve, the share in percent.
std::string steps(const profile_curve &c, double problems, double end) {
  std::string text = "1 0\n";
  for (std::size_t k = 0; k < c.ratios.size() && c.ratios[k] <= end; k++)
    text += number(c.ratios[k]) + " " + number(100 * static_cast<double>(k + 1) / problems) + "\n";
  const auto within = std::upper_bound(c.ratios.begin(), c.ratios.end(), end) - c.ratios.begin();
  return text + number(end) + " " + number(100 * static_cast<double>(within) / problems) + "\ne\n";
}

std::string script(const std::string &tolerance, std::size_t problems,
                   const std::vector<profile_curve> &curves) {
  const double end = last_ratio(curves), all = static_cast<double>(problems);
  std::string text =
      "set terminal pngcairo size 1600,1100 noenhanced font 'DejaVu Sans,15' linewidth 1.5\n"
      "set border 3 linecolor rgb '#555555'\n"
      "set tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
      "set grid linecolor rgb '#dddddd' linewidth 0.7 linetype 1\n"
      "set key outside right top Left reverse samplen 2.5 spacing 1.15\n"
      "set title " +
      gnuplot_text("Share of " + std::to_string(problems) + " problems solved at " + tolerance +
                   " within so many times the least time") +
      " font ',19'\n"
      "set xlabel 'time over the least time'\n"
      "set ylabel 'problems solved (%)'\n"
      "set logscale x\n"
      "set xrange [1:" +
      number(end) +
      "]\n"
      "set yrange [0:102]\n";
  std::string plot, data;
  for (std::size_t i = 0; i < curves.size(); i++) {
    plot += std::string(plot.empty() ? "plot " : ", ") + "'-' using 1:2 with steps " +
            curve_style(i, 2.2) + " title " + gnuplot_text(curves[i].name);
    data += steps(curves[i], all, end);
  }
  /* something has to be drawn where nobody solved anything */
  if (curves.empty()) plot = "plot NaN notitle";
  return text + plot + "\n" + data;
}

[[noreturn]] void refuse(const std::string &path, const std::string &what) {
  throw io::file_error(path, "", what, io::file_error::kinds::system);
}

}  // namespace

void check_plot(const std::string &path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) refuse(path, "no such folder");
  (void)run_gnuplot(path, "\n");
}

void draw_profile(const std::string &path, const std::string &tolerance, std::size_t problems,
                  std::vector<profile_curve> curves) {
  for (profile_curve &c : curves) std::sort(c.ratios.begin(), c.ratios.end());
  curves.erase(std::remove_if(curves.begin(), curves.end(),
                              [](const profile_curve &c) { return c.ratios.empty(); }),
               curves.end());
  std::stable_sort(curves.begin(), curves.end(),
                   [](const auto &a, const auto &b) { return a.ratios.size() > b.ratios.size(); });
  save_picture(path, script(tolerance, problems, curves));
}

}  // namespace perp::tool
