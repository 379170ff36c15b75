// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tool/commands.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

// A of problem.h.
double amplification(const perp_residual &r) { return r.scale == r.hat ? 1 : r.scale / r.hat; }

// Numbers that are not finite become null.
std::string solution_json(const outcome &o, const std::string &ending, std::size_t n,
                          bool solution) {
  nlohmann::ordered_json j;
  j["status"] = status_word(o.status);
  j["code"] = o.status;
  j["ending"] = ending;
  j["solver"] = nullptr;
  if (!o.solver.empty()) j["solver"] = o.solver;
  j["n"] = n;
  j["iterations"] = o.iterations;
  j["residual"] = o.residual.residual;
  j["relative_residual"] = o.residual.relative;
  j["natural_error"] = o.residual.natural_error;
  j["componentwise"] = o.residual.componentwise;
  j["amplification"] = amplification(o.residual);
  if (o.status == PERP_INFEASIBLE) j["bound"] = o.bound;
  j["seconds"] = o.seconds;
  if (o.frictional) {
    j["worst_contact"] = o.residual.worst_block;
    j["violation"] = nlohmann::ordered_json::object();
    for (const std::string &set : set_names(o.sets))
      j["violation"][set] = o.residual.violation[set_number(set)];
    j["dissipates"] = o.dissipates;
    j["indefinite_block"] = nullptr;
    if (o.indefinite >= 0) j["indefinite_block"] = o.indefinite;
  }
  if (solution) {
    j["lambda"] = o.lambda;
    j["y"] = o.y;
  }
  return j.dump() + "\n";
}

std::string solution_text(const outcome &o, const std::string &ending, const std::string &problem,
                          bool solution) {
  std::string text = "problem     " + problem + "\n";
  text += "status      " + ending + "\n";
  if (o.solver.empty()) return text;
  text += "solver      " + o.solver + "\n";
  text += "iterations  " + std::to_string(o.iterations) + "\n";
  text += "residual    " + brief(o.residual.residual) + ", relative " + brief(o.residual.relative);
  if (!std::isnan(o.residual.componentwise))
    text += ", componentwise " + brief(o.residual.componentwise);
  text += ", natural error " + brief(o.residual.natural_error) + "\n";
  text += "terms       amplification " + brief(amplification(o.residual)) + "\n";
  if (o.status == PERP_INFEASIBLE)
    text += std::isinf(o.bound)
                ? "proof       there is no solution\n"
                : "proof       a solution has |lambda|_1 >= " + brief(o.bound) + "\n";
  if (o.frictional) {
    text += "worst       contact " + std::to_string(o.residual.worst_block) + "; ";
    for (const std::string &set : set_names(o.sets))
      text += set + " " + brief(o.residual.violation[set_number(set)]) + ", ";
    text += o.dissipates ? "friction dissipates\n" : "friction does not dissipate\n";
  }
  if (o.indefinite >= 0)
    text += "warning     the block of contact " + std::to_string(o.indefinite) + " is indefinite\n";
  text += "time        " + brief(o.seconds) + " s\n";
  if (!solution) return text;
  text += "                  lambda                        y\n";
  for (std::size_t i = 0; i < o.lambda.size(); i++) {
    char line[80];
    (void)std::snprintf(line, sizeof line, "%24.17g %24.17g\n", o.lambda[i], o.y[i]);
    text += line;
  }
  return text;
}

const char *storage_name(const io::matrix &A) {
  return A.kind == io::storage::dense    ? "dense"
         : A.kind == io::storage::blocks ? "blocks"
                                         : "sparse";
}

// A file that holds no finite problem, or a law with data out of range, is bad input.
int exit_code(perp_status status) {
  if (status == PERP_OK) return exit_solved;
  return status == PERP_EINVAL || status == PERP_ENOTFINITE ? exit_bad_input : exit_not_solved;
}

}  // namespace

std::string brief(double value) {
  char digits[32];
  (void)std::snprintf(digits, sizeof digits, "%.3g", value);
  return digits;
}

int solve_command(const solve_arguments &a, std::string *out) {
  const io::document d = io::read_problem(a.file, a.class_name);
  const std::size_t n = io::unknowns(d.problem);
  const outcome o = solve(d.problem, a.solver, a.with);
  const int code = exit_code(o.status);
  if (!o.refusal.empty())
    (void)std::fprintf(stderr, "perp: %s: %s\n", a.file.c_str(), o.refusal.c_str());
  if (code == exit_bad_input) return code;
  const std::string problem = a.file + ": " + io::class_name(d.problem) + ", " + std::to_string(n) +
                              " unknowns, " + storage_name(io::matrix_of(d.problem));
  const std::string said = ending(o, a.with);
  *out =
      a.json ? solution_json(o, said, n, a.solution) : solution_text(o, said, problem, a.solution);
  return code;
}

}  // namespace perp::tool
