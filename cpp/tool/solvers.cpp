// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "tool/commands.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

using row = std::array<std::string, 5>;

std::string table(const std::vector<row> &rows) {
  std::array<std::size_t, 5> width{};
  for (const row &r : rows)
    for (std::size_t c = 0; c < r.size(); c++) width[c] = std::max(width[c], r[c].size());
  std::string text;
  for (const row &r : rows) {
    std::string line;
    for (std::size_t c = 0; c < r.size(); c++)
      line += r[c] + (c + 1 < r.size() ? std::string(width[c] - r[c].size() + 2, ' ') : "");
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

int solvers_command(bool json, std::string *out) {
  std::vector<row> rows = {{"solver", "laws", "matrices", "most unknowns", "assumes of M"}};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::int32_t i = 0; i < perp_solver_count(); i++) {
    const perp_solver *s = perp_solver_at(i);
    const auto laws = set_names(s->sets), matrices = matrix_names(s->matrices),
               assumes = assumption_names(s->assumes);
    rows.push_back({s->name, join(laws), join(matrices),
                    s->max_n == 0 ? "any" : std::to_string(s->max_n),
                    assumes.empty() ? "nothing" : join(assumes)});
    nlohmann::ordered_json j;
    j["name"] = s->name;
    j["laws"] = laws;
    j["matrices"] = matrices;
    j["assumes"] = assumes;
    j["max_n"] = nullptr;
    if (s->max_n != 0) j["max_n"] = s->max_n;
    list.push_back(std::move(j));
  }
  *out = json ? list.dump(2) + "\n" : table(rows);
  return exit_solved;
}

}  // namespace perp::tool
