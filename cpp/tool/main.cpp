// SPDX-License-Identifier: MIT
// The perp command: arguments, exit codes, one line for what went wrong.
#include <fcntl.h>
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <type_traits>

#include "io/model_tree.hpp"
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

// An empty name, as that of a variable that is not set, is no name left out.
CLI::Validator named() {
  return CLI::Validator(
      [](const std::string &text) {
        return text.empty() ? std::string("expected a name, found an empty text") : std::string();
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

void add_set(CLI::App *app, std::vector<std::string> *set) {
  app->add_option("--set", *set, "Set a parameter or a key, as in e=0.5 or ball.q0=[2]; repeatable")
      ->type_name("NAME=VALUE");
}

void add_plugins(CLI::App *app, perp::io::plugin_permission *may) {
  app->add_flag("--plugins", may->folder,
                "Open the plug-ins that the model names, below its folder; they run as your code");
  app->add_option("--plugin", may->files, "Open this plug-in where the model names it; repeatable")
      ->type_name("FILE");
}

void add_run(CLI::App *app, run_arguments *a) {
  app->description(
      "Run a model file, and write a log of it. Ctrl-C ends with what there is.\n"
      "Exit code 0: finished, 1: stopped or not solved, 2: bad input.");
  app->add_option("MODEL", a->file, "Model file, TOML or JSON (.json)");
  add_set(app, &a->set);
  add_plugins(app, &a->plugins);
  app->add_option_function<double>(
         "--until", [a](double t) { a->until = t, a->until_given = true; }, "Last time")
      ->type_name("T");
  auto *every = app->add_option("--every", a->every, "Log every N-th sample")
                    ->check(at_least<std::int32_t>(1))
                    ->type_name("N");
  app->add_flag("--events", a->events,
                "Print the events of an event-driven run, and schedules of any");
  auto *energy = app->add_flag("--energy", a->energy, "Log the energies, too");
  auto *single = app->add_flag("--float32", a->float32, "Log in single precision");
  auto *contacts = app->add_flag("--contacts", a->contacts, "Log each contact of the pool, too");
  auto *select = app->add_option("--select", a->select, "What is logged, as in ball.q,*.lambda")
                     ->type_name("NAMES");
  auto *log = app->add_option("-o,--log", a->log, "The log; default: MODEL.log")
                  ->check(named())
                  ->type_name("FILE");
  app->add_option("--checkpoint", a->checkpoint,
                  "Seconds between two checkpoints, 0: none; default 10, of an event-driven run "
                  "none, there in its own time")
      ->check(at_least(0.0))
      ->type_name("S");
  app->add_option("--resume", a->resume,
                  "Go on from the last checkpoint of a log, in that log, which keeps what it logs")
      ->excludes(log)
      ->excludes(every)
      ->excludes(energy)
      ->excludes(single)
      ->excludes(contacts)
      ->excludes(select)
      ->check(named())
      ->type_name("LOG");
}

// files: where to put several; NULL: one.
void add_check(CLI::App *app, check_arguments *a, std::vector<std::string> *files,
               const char *says) {
  const char *const what = "Model file, TOML or JSON (.json)";
  app->description(says);
  (files == nullptr ? app->add_option("MODEL", a->file, what)
                    : app->add_option("MODEL", *files, what))
      ->required();
  add_set(app, &a->set);
  add_plugins(app, &a->plugins);
}

void add_view(CLI::App *app, view_arguments *a) {
  app->description(
      "Write a log as one page of HTML, which shows plots and motion in a browser, from\n"
      "a file and without a network; print the name of the page.");
  app->add_option("FILE", a->file, "The log of a run")->required();
  app->add_option("QUANTITY", a->names, "What is in it, as in ball.q bead[17].v; default: all");
  app->add_option("-o,--output", a->out, "The page; default: FILE's name with .html")
      ->check(named())
      ->type_name("OUT");
  app->add_flag("--open", a->open, "Open it in a browser, too");
}

void add_plot(CLI::App *app, plot_arguments *a) {
  app->description(
      "Draw logs of runs, over one another where there are several (needs gnuplot).\n"
      "QUANTITY: names as in ball.q,*.lambda, a panel for each; default: a choice.");
  app->add_option("FILE", a->words, "Logs, then quantities")->required();
  app->add_option("-o,--output", a->out,
                  "Picture, .png, .svg or .pdf; default: FILE's name with .png")
      ->check(named())
      ->type_name("OUT");
  auto *phase = app->add_flag("--phase", a->phase, "Velocities over positions");
  auto *law = app->add_flag("--complementarity", a->complementarity, "lambda over y");
  auto *energy = app->add_flag("--energy", a->energy, "Energies, of a run with --energy");
  auto *section = app->add_option("--poincare", a->poincare,
                                  "The phase where a quantity rises through a level, as in\n"
                                  "mass.v.0=0, or each period, as in 6.28");
  section->type_name("WHERE");
  phase->excludes(law)->excludes(energy)->excludes(section);
  law->excludes(energy)->excludes(section);
  energy->excludes(section);
  app->add_flag("--script", a->script, "Print the script for gnuplot instead");
}

void add_export(CLI::App *app, export_arguments *a) {
  app->description(
      "Write the log of a run in another format: HDF5, CSV, NumPy's .npz, MATLAB's .mat (level "
      "5),\n"
      "or .vtp frames of bodies with a .pvd. OUT appears complete or not at all.");
  app->add_option("FILE", a->file, "Log of a run")->required();
  app->add_option("-o,--output", a->out, "File to write: .h5, .csv, .npz, .mat or .pvd")
      ->required()
      ->type_name("OUT");
  app->add_option("--format", a->format, "Format, where the name of OUT has no ending")
      ->check(CLI::IsMember({"hdf5", "csv", "npz", "mat", "vtp"}))
      ->type_name("F");
  app->add_option("--select", a->select, "What is written, as in ball.q,*.lambda")
      ->type_name("NAMES");
  app->add_option("--every", a->every, "Write every N-th sample")
      ->check(at_least<std::int32_t>(1))
      ->type_name("N");
  app->add_flag("--float32", a->float32, "Write values in single precision");
}

// Names of files and models may have anything in them: what is said stays one line, and no
// terminal obeys it.
int fail(const std::string &line) {
  (void)std::fprintf(stderr, "perp: %s\n", one_line(line).c_str());
  return exit_bad_input;
}

// Where input, output or errors are closed, the next file that is opened, as a log, takes that
// place, and what is printed goes into it. A file in its stead refuses what is printed.
void keep_standard_files() {
  for (const int file : {0, 1, 2})
    if (::fcntl(file, F_GETFD) < 0 && errno == EBADF)
      (void)::open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY);
}

// Numbers have a point, whatever locale a plug-in sets.
void keep_numbers() {
  const locale_t users = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  const locale_t numbers = ::newlocale(LC_NUMERIC_MASK, "C", users);
  if (numbers != nullptr) (void)::uselocale(numbers);
}

int command(int argc, char **argv) {
  CLI::App app("Nonsmooth dynamics from files: run models, solve one-step problems.", "perp");
  app.set_version_flag("--version", std::string("perp ") + perp_version_string(),
                       "Print the version of the library and exit");
  app.require_subcommand(1);
  solve_arguments solve;
  info_arguments info;
  convert_arguments convert;
  bench_arguments bench;
  run_arguments run;
  check_arguments check;
  std::vector<std::string> check_files;
  std::vector<std::string> wrong;
  check_arguments describe;
  check_arguments compile;
  std::string compile_out;
  std::string new_name;
  bool schema_page = false;
  bool solvers_json = false;
  auto *const run_app = app.add_subcommand("run");
  add_run(run_app, &run);
  auto *const check_app = app.add_subcommand("check");
  add_check(check_app, &check, &check_files,
            "Read model files, look at their start and a first step; say what is wrong with them.");
  auto *const describe_app = app.add_subcommand("describe");
  add_check(describe_app, &describe, nullptr, "Say what a model file is made of.");
  auto *const compile_app = app.add_subcommand("compile");
  add_check(compile_app, &compile, nullptr,
            "Write the expressions of a model file as C, a plug-in.");
  compile_app->add_option("-o,--output", compile_out, "File to write; default: standard output")
      ->check(named())
      ->type_name("FILE");
  auto *const new_app =
      app.add_subcommand("new", "Write a model to begin with, or a commented table of a kind.");
  new_app
      ->add_option("NAME", new_name, "An example (ball, ...) or a kind (lagrangian, friction, ...)")
      ->required();
  std::string new_folder;
  new_app
      ->add_option("-o,--output", new_folder,
                   "Write an example into this new folder instead, with the files that it takes")
      ->check(named())
      ->type_name("FOLDER");
  auto *const schema_app = app.add_subcommand("schema", "Write the JSON schema of model files.");
  schema_app->add_flag("--page", schema_page, "Write the reference page instead");
  std::string model_log;
  std::string model_folder;
  auto *const model_app = app.add_subcommand("model", "Print the model that a log was run from.");
  model_app->add_option("LOG", model_log, "The log of a run")->required();
  model_app
      ->add_option("-o,--output", model_folder,
                   "Write it into this new folder instead, with the files that it takes")
      ->check(named())
      ->type_name("FOLDER");
  view_arguments view;
  auto *const view_app = app.add_subcommand("view");
  add_view(view_app, &view);
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
  plot_arguments plot;
  auto *const plot_app = app.add_subcommand("plot");
  add_plot(plot_app, &plot);
  export_arguments exports;
  auto *const export_app = app.add_subcommand("export");
  add_export(export_app, &exports);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0) return app.exit(e); /* --help, --version */
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty())
      return fail(std::string("no command is called '") + argv[1] + "' (see perp --help)");
    return fail(e.what() + std::string(" (see perp --help)"));
  }
  std::string out;
  int code = exit_solved;
  if (*run_app) code = run_command(run, &out);
  if (*check_app) code = check_command(check, check_files, &out, &wrong);
  if (*describe_app) code = describe_command(describe, &out);
  if (*compile_app) code = compile_command(compile, compile_out, &out);
  if (*new_app) code = new_command(new_name, new_folder, &out);
  if (*schema_app) code = schema_command(schema_page, &out);
  if (*model_app) code = model_command(model_log, model_folder, &out);
  if (*view_app) code = view_command(view, &out);
  if (*solve_app) code = solve_command(solve, &out);
  if (*solvers_app) code = solvers_command(solvers_json, &out);
  if (*info_app) code = info_command(info, &out);
  if (*convert_app) code = convert_command(convert, &out);
  if (*bench_app) code = bench_command(bench, &out);
  if (*plot_app) code = plot_command(plot, &out);
  if (*export_app) code = export_command(exports, &out);
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0)
    throw run_error("the output cannot be written");
  for (const std::string &line : wrong) (void)fail(line);
  return code;
}

}  // namespace

int main(int argc, char **argv) {
  keep_standard_files();
  keep_numbers();
  (void)std::signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error that is told */
  try {
    return command(argc, argv);
  } catch (const perp::io::model_error &e) {
    for (const std::string &line : e.lines()) (void)fail(line);
    return exit_bad_input;
  } catch (const run_error &e) {
    (void)fail(e.what());
    return exit_not_solved;
  } catch (const std::bad_alloc &) {
    return fail("there is not enough memory for this problem");
  } catch (const std::exception &e) {
    return fail(e.what());
  }
}
