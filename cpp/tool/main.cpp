// SPDX-License-Identifier: MIT
// The perp command: arguments, exit codes, one line for what went wrong.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <type_traits>

#include "tool/commands.hpp"
#include "tool/usage.hpp"

namespace {

using namespace perp::tool;

// A number of type T, at least so large, and nothing behind it.
template <class T>
CLI::Validator at_least(T least) {
  const std::string what = std::is_integral_v<T> ? "an integer" : "a finite number";
  return CLI::Validator(
      [what, least](const std::string &text) {
        T value{};
        const char *const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        if (read.ec == std::errc() && read.ptr == end && value >= least && std::isfinite(value))
          return std::string();
        std::string shown = std::to_string(static_cast<long>(least));
        return "expected " + what + " from " + shown + ", found '" + text + "'";
      },
      "", "");
}

void add_class(CLI::App *app, std::string *name) {
  app->add_option("--class", *name, "Class of a text file, instead of guessing it")
      ->check(CLI::IsMember(
          {"lcp", "mlcp", "relay", "fc2d", "fc3d", "gfc2d", "gfc3d", "rolling", "mixed"}))
      ->type_name("CLASS");
}

void add_solve(CLI::App *app, solve_arguments *a) {
  app->description(
      "Solve a problem file and say how well it is solved.\n"
      "Exit code 0: solved and verified, 1: not solved, 2: bad input.");
  app->add_option("PROBLEM", a->file, "Text (.dat) or FCLIB HDF5 file")->required();
  add_class(app, &a->class_name);
  app->add_option("--solver", a->solver, "Name of a solver, see 'perp solvers'")
      ->capture_default_str()
      ->type_name("NAME");
  app->add_option("--tol", a->with.tol, "Accepted relative residual")
      ->capture_default_str()
      ->check(at_least(0.0))
      ->type_name("T");
  app->add_option("--max-iter", a->with.max_iter, "Iterations allowed, 0: the solver's own rule")
      ->check(at_least<std::int32_t>(0))
      ->type_name("N");
  app->add_flag("--json", a->json, "Print one JSON object");
  app->add_flag("--solution", a->solution, "Print lambda and y too, in the file's order of rows");
}

void add_convert(CLI::App *app, convert_arguments *a) {
  app->description(
      "Write a problem in another format or storage. OUT is text if its name ends in\n"
      ".dat or .txt, FCLIB if it ends in .h5, .hdf5 or .hdf (friction only).");
  app->add_option("IN", a->in, "File to read")->required();
  app->add_option("OUT", a->out, "File to write; replaced as a whole or not at all")->required();
  add_class(app, &a->class_name);
  app->add_option("--storage", a->storage, "Store M as dense, blocks or sparse; default: as it is")
      ->check(CLI::IsMember({"dense", "blocks", "sparse"}))
      ->type_name("KIND");
  app->add_option("--block", a->block, "Rows of a block where the laws do not say")
      ->capture_default_str()
      ->check(at_least<std::int32_t>(1))
      ->type_name("N");
  app->add_option("--layout", a->layout, "List sparse entries by columns, rows or triplet")
      ->capture_default_str()
      ->check(CLI::IsMember({"columns", "rows", "triplet"}))
      ->type_name("ORDER");
}

void add_bench(CLI::App *app, bench_arguments *a) {
  app->description(
      "Run every solver that applies on every problem file under a folder; print how\n"
      "many it solves, in what time, and a performance profile.");
  app->add_option("DIR", a->folder, "Folder, searched with all below it")->required();
  app->add_option("--solver", a->solvers, "Only this solver; may be repeated")->type_name("NAME");
  app->add_option("--max-iter", a->max_iter, "Iterations allowed, 0: the solver's own rule")
      ->check(at_least<std::int32_t>(0))
      ->type_name("N");
  app->add_option("--time-limit", a->time_limit,
                  "Seconds for one solve, looked at once an iteration")
      ->capture_default_str()
      ->check(at_least(0.0))
      ->type_name("S");
  auto *json = app->add_flag("--json", a->json, "Print one JSON object");
  app->add_flag("--csv", a->csv, "Print one line for each solve")->excludes(json);
  app->add_option("--tol", a->tolerances, "Relative residual; may be repeated (1e-4, 1e-6, 1e-9)")
      ->check(at_least(0.0))
      ->type_name("T");
  app->add_option("--plot", a->plot, "Draw the profile as a picture (needs gnuplot)")
      ->type_name("PNG");
}

int fail(const std::string &line) {
  (void)std::fprintf(stderr, "perp: %s\n", line.c_str());
  return exit_bad_input;
}

// What was wrong with the arguments, in one line.
std::string one_line(std::string text) {
  for (char &c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

int command(int argc, char **argv) {
  CLI::App app("Solve nonsmooth one-step problems from files: 0 <= y _|_ lambda >= 0 and its kin.",
               "perp");
  app.set_version_flag("--version", std::string("perp ") + perp_version_string(),
                       "Print the version of the library and exit");
  app.require_subcommand(1);
  solve_arguments solve;
  info_arguments info;
  convert_arguments convert;
  bench_arguments bench;
  bool solvers_json = false;
  auto *const solve_app = app.add_subcommand("solve");
  add_solve(solve_app, &solve);
  auto *const solvers_app =
      app.add_subcommand("solvers", "List the solvers, and which laws and matrices each accepts.");
  solvers_app->add_flag("--json", solvers_json, "Print a JSON array");
  auto *const info_app = app.add_subcommand("info", "Say what a problem file holds.");
  info_app->add_option("FILE", info.file, "Text (.dat) or FCLIB HDF5 file")->required();
  add_class(info_app, &info.class_name);
  info_app->add_flag("--json", info.json, "Print one JSON object");
  auto *const convert_app = app.add_subcommand("convert");
  add_convert(convert_app, &convert);
  auto *const bench_app = app.add_subcommand("bench");
  add_bench(bench_app, &bench);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0) return app.exit(e); /* --help, --version */
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty())
      return fail(std::string("no command is called '") + argv[1] + "' (see perp --help)");
    return fail(one_line(e.what()) + " (see perp --help)");
  }
  std::string out;
  int code = exit_solved;
  if (*solve_app) code = solve_command(solve, &out);
  if (*solvers_app) code = solvers_command(solvers_json, &out);
  if (*info_app) code = info_command(info, &out);
  if (*convert_app) code = convert_command(convert, &out);
  if (*bench_app) code = bench_command(bench, &out);
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0)
    return fail("the output cannot be written");
  return code;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return command(argc, argv);
  } catch (const std::bad_alloc &) {
    return fail("there is not enough memory for this problem");
  } catch (const std::exception &e) {
    return fail(e.what());
  }
}
