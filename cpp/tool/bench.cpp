// SPDX-License-Identifier: MIT
// Every solver that applies on every file of a folder. A solve "at 1e-6" is one with that
// tolerance; a profile is that of Dolan and Moré, Math. Program. 91 (2002) 201: the share of the
// files that a solver solves within τ times the time of the fastest.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "tool/commands.hpp"
#include "tool/judge.hpp"
#include "tool/profile.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

using json = nlohmann::ordered_json;

const std::vector<double> usual_tolerances = {1e-4, 1e-6, 1e-9};
constexpr std::array<double, 9> ratios = {1, 1.2, 1.5, 2, 4, 8, 16, 64, 256};

// One solve.
struct trial {
  double tol;
  outcome result;
  bool is_true;  // the answer, judged anew
};

// One solver on one file, at each tolerance.
struct attempt {
  std::size_t solver;
  std::vector<trial> trials;
};

struct problem_file {
  std::string name;  // below the folder
  std::string kind;
  std::size_t n = 0;
  std::vector<attempt> attempts;  // empty: no solver takes it
};

struct summary {
  std::int32_t files = 0;            // that the solver takes
  std::vector<std::int32_t> solved;  // at each tolerance
  std::int32_t claims = 0;           // answers "solved"
  std::int32_t truths = 0;           // of these
  std::int32_t timed = 0;
  double log_seconds = 0;  // sum over those solved at the last tolerance
  std::array<double, ratios.size()> profile{};
};

// A bar on stderr, if that is a terminal.
class progress {
 public:
  explicit progress(std::size_t total) : total_(total), shown_(::isatty(STDERR_FILENO) == 1) {}
  ~progress() {
    if (shown_) (void)std::fputs("\r\x1b[K", stderr);
  }
  progress(const progress &) = delete;
  progress &operator=(const progress &) = delete;
  void step(const std::string &name) {
    constexpr std::size_t width = 30;
    if (!shown_) return;
    const std::size_t full = total_ == 0 ? width : done_ * width / total_;
    (void)std::fprintf(stderr, "\r\x1b[K[%s%s] %zu/%zu %s", std::string(full, '#').c_str(),
                       std::string(width - full, ' ').c_str(), done_, total_, name.c_str());
    (void)std::fflush(stderr);
    done_++;
  }

 private:
  std::size_t total_, done_ = 0;
  bool shown_;
};

std::vector<std::string> files_under(const std::string &folder) {
  namespace fs = std::filesystem;
  std::error_code code;
  std::vector<std::string> names;
  fs::recursive_directory_iterator it(folder, code), end;
  if (code) throw io::file_error(folder, "", "expected a folder: " + code.message());
  for (; it != end; it.increment(code)) {
    if (code) throw io::file_error(folder, "", code.message());
    if (it->is_regular_file(code) && io::has_problem_name(it->path().string()))
      names.push_back(it->path().lexically_relative(folder).generic_string());
  }
  if (names.empty())
    throw io::file_error(folder, "", "expected files that end in .dat, .txt, .h5, .hdf5 or .hdf");
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<const perp_solver *> solvers_of(const bench_arguments &a) {
  std::vector<const perp_solver *> list;
  for (std::int32_t i = 0; i < perp_solver_count(); i++) {
    const perp_solver *s = perp_solver_at(i);
    const bool wanted = std::find(a.solvers.begin(), a.solvers.end(), s->name) != a.solvers.end();
    if (a.solvers.empty() || wanted) list.push_back(s);
  }
  for (const std::string &name : a.solvers)
    if (perp_solver_find(name.c_str()) == nullptr)
      throw usage_error("no solver is called '" + name + "' (see perp solvers)");
  return list;
}

// Solve once under the time limit; what was fast is repeated, and the least time counts.
outcome timed(const perp_solver *solver, const task &t, settings s) {
  constexpr double enough = 2e-3;
  constexpr int most = 50;
  outcome first;
  try {
    first = t.run(solver, s);
  } catch (const std::bad_alloc &) {
    first.solver = solver->name;
    first.status = PERP_EBACKEND;
    first.refusal = "not enough memory";
    return first;
  }
  s.time_limit = 0;
  double spent = first.seconds;
  for (int i = 0; i < most && first.status == PERP_OK && spent < enough; i++) {
    const outcome again = t.run(solver, s);
    spent += again.seconds;
    first.seconds = std::min(first.seconds, again.seconds);
  }
  return first;
}

problem_file run_file(const bench_arguments &a, const std::string &name,
                      const std::vector<double> &tolerances,
                      const std::vector<const perp_solver *> &solvers) {
  problem_file file;
  file.name = name;
  const io::document d = io::read_problem((std::filesystem::path(a.folder) / name).string());
  file.kind = io::class_name(d.problem);
  file.n = io::unknowns(d.problem);
  try {
    const task whole(d.problem);
    const judge second(d.problem);
    for (std::size_t s = 0; s < solvers.size(); s++) {
      if (!whole.taken_by(solvers[s])) continue;
      attempt t{s, {}};
      for (const double tol : tolerances) {
        const settings with{tol, a.max_iter, a.time_limit};
        trial one{tol, timed(solvers[s], whole, with), false};
        one.is_true = second.is_solution(one.result.lambda, tol);
        t.trials.push_back(std::move(one));
      }
      file.attempts.push_back(std::move(t));
    }
  } catch (const io::no_law &) {
    file.attempts.clear();
  }
  return file;
}

// The time of a true solution at the last tolerance.
std::optional<double> time_of(const attempt &t) {
  const trial &last = t.trials.back();
  if (last.result.status != PERP_OK || !last.is_true) return std::nullopt;
  return std::max(last.result.seconds, 1e-9);
}

double least_time(const problem_file &file) {
  double best = std::numeric_limits<double>::infinity();
  for (const attempt &t : file.attempts) best = std::min(best, time_of(t).value_or(best));
  return best;
}

void add_file(const problem_file &file, std::vector<summary> *all) {
  const double best = least_time(file);
  for (const attempt &t : file.attempts) {
    summary &s = (*all)[t.solver];
    s.files++;
    for (std::size_t k = 0; k < t.trials.size(); k++) {
      const bool claims = t.trials[k].result.status == PERP_OK;
      s.claims += claims ? 1 : 0;
      s.truths += claims && t.trials[k].is_true ? 1 : 0;
      s.solved[k] += claims && t.trials[k].is_true ? 1 : 0;
    }
    if (const auto seconds = time_of(t)) {
      s.timed++;
      s.log_seconds += std::log(*seconds);
      for (std::size_t r = 0; r < ratios.size(); r++)
        s.profile[r] += *seconds <= ratios[r] * best ? 1 : 0;
    }
  }
}

double mean_time(const summary &s) {
  return s.timed == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : std::exp(s.log_seconds / s.timed);
}

// ---- what is printed ----

std::string cell(const std::string &text, int width) {
  const std::size_t w = static_cast<std::size_t>(width);
  return (text.size() < w ? std::string(w - text.size(), ' ') : "") + text;
}

std::string share(double part, double whole) {
  if (whole == 0) return "-";
  char text[16];
  (void)std::snprintf(text, sizeof text, "%.1f%%", 100 * part / whole);
  return text;
}

std::string left(const std::string &text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

// "1e-4", "2.5e-7": as short as it can be said.
std::string short_name(double tol) {
  char text[40];
  for (int digits = 0; digits < 17; digits++) {
    (void)std::snprintf(text, sizeof text, "%.*e", digits, tol);
    if (std::strtod(text, nullptr) == tol) break;
  }
  std::string name = text;
  const std::size_t zero = name.find_first_of("+-") + 1;
  if (name[zero] == '0') name.erase(zero, 1);
  return name;
}

struct results {
  std::vector<double> tolerances;
  std::vector<const perp_solver *> solvers;
  std::vector<problem_file> files;
  std::vector<std::string> unreadable;  // one line each
  std::vector<summary> summaries;
  std::int32_t taken = 0;  // files that some solver takes
};

std::string as_table(const results &r) {
  constexpr int width = 9;
  constexpr std::size_t names = 24;
  std::string text = std::to_string(r.files.size()) + " problems, " + std::to_string(r.taken) +
                     " of them with a solver";
  if (!r.unreadable.empty())
    text += "; " + std::to_string(r.unreadable.size()) + " files are no problems";
  text += "\n\n" + left("solver", names) + cell("files", width);
  for (const double tol : r.tolerances) text += cell(short_name(tol), width);
  text += cell("mean s", width + 2) + cell("claims", width) + cell("true", width) + "\n";
  for (std::size_t i = 0; i < r.solvers.size(); i++) {
    const summary &s = r.summaries[i];
    text += left(r.solvers[i]->name, names) + cell(std::to_string(s.files), width);
    for (const std::int32_t solved : s.solved) text += cell(share(solved, s.files), width);
    text += cell(s.timed == 0 ? "-" : brief(mean_time(s)), width + 2) +
            cell(std::to_string(s.claims), width) + cell(std::to_string(s.truths), width) + "\n";
  }
  text += "\nShare of the " + std::to_string(r.taken) + " problems solved at " +
          short_name(r.tolerances.back()) + " within so many times the least time\n\n" +
          left("solver", names);
  for (const double ratio : ratios) text += cell(brief(ratio), width - 1);
  text += "\n";
  for (std::size_t i = 0; i < r.solvers.size(); i++) {
    text += left(r.solvers[i]->name, names);
    for (const double count : r.summaries[i].profile)
      text += cell(share(count, r.taken), width - 1);
    text += "\n";
  }
  for (const std::string &line : r.unreadable) text += "\nnot a problem: " + line;
  return text + (r.unreadable.empty() ? "" : "\n");
}

json trial_json(const trial &t) {
  const outcome &o = t.result;
  return {{"tol", t.tol},
          {"status", status_word(o.status)},
          {"code", o.status},
          {"iterations", o.iterations},
          {"relative_residual", o.residual.relative},
          {"natural_error", o.residual.natural_error},
          {"seconds", o.seconds},
          {"true", t.is_true}};
}

std::string as_json(const results &r) {
  json j;
  j["solvers"] = json::array();
  for (std::size_t i = 0; i < r.solvers.size(); i++) {
    const summary &s = r.summaries[i];
    json one = {{"solver", r.solvers[i]->name}, {"files", s.files}, {"solved", json::object()}};
    for (std::size_t k = 0; k < r.tolerances.size(); k++)
      one["solved"][short_name(r.tolerances[k])] = s.solved[k];
    one["mean_seconds"] = mean_time(s);
    one["claims"] = s.claims;
    one["true"] = s.truths;
    one["profile"] = json::array();
    for (std::size_t k = 0; k < ratios.size(); k++)
      one["profile"].push_back({ratios[k], r.taken == 0 ? 0 : s.profile[k] / r.taken});
    j["solvers"].push_back(std::move(one));
  }
  j["problems"] = json::array();
  for (const problem_file &file : r.files) {
    json one = {{"file", file.name}, {"class", file.kind}, {"n", file.n}, {"runs", json::array()}};
    for (const attempt &t : file.attempts) {
      json a = {{"solver", r.solvers[t.solver]->name}, {"trials", json::array()}};
      for (const trial &k : t.trials) a["trials"].push_back(trial_json(k));
      one["runs"].push_back(std::move(a));
    }
    j["problems"].push_back(std::move(one));
  }
  j["unreadable"] = r.unreadable;
  return j.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

// A field of CSV; quotes where it needs them.
std::string quoted(const std::string &text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string as_csv(const results &r) {
  std::string text =
      "file,class,n,solver,tol,status,iterations,relative_residual,natural_error,seconds,true\n";
  for (const problem_file &file : r.files) {
    for (const attempt &t : file.attempts) {
      for (const trial &k : t.trials) {
        text += quoted(file.name) + "," + file.kind + "," + std::to_string(file.n) + "," +
                r.solvers[t.solver]->name + "," + brief(k.tol) + "," +
                status_word(k.result.status) + "," + std::to_string(k.result.iterations) + ",";
        io::append(&text, k.result.residual.relative, ',');
        io::append(&text, k.result.residual.natural_error, ',');
        io::append(&text, k.result.seconds, ',');
        text += k.is_true ? "1\n" : "0\n";
      }
    }
  }
  return text;
}

void draw(const std::string &path, const results &r) {
  std::vector<profile_curve> curves;
  for (const perp_solver *s : r.solvers) curves.push_back({s->name, {}});
  for (const problem_file &file : r.files) {
    const double best = least_time(file);
    for (const attempt &t : file.attempts)
      if (const auto seconds = time_of(t)) curves[t.solver].ratios.push_back(*seconds / best);
  }
  draw_profile(path, short_name(r.tolerances.back()), static_cast<std::size_t>(r.taken),
               std::move(curves));
}

}  // namespace

int bench_command(const bench_arguments &a, std::string *out) {
  results r;
  if (!a.plot.empty()) check_plot(a.plot);
  r.tolerances = a.tolerances.empty() ? usual_tolerances : a.tolerances;
  r.solvers = solvers_of(a);
  r.summaries.resize(r.solvers.size());
  for (summary &s : r.summaries) s.solved.assign(r.tolerances.size(), 0);
  const std::vector<std::string> names = files_under(a.folder);
  {
    progress bar(names.size());
    for (const std::string &name : names) {
      bar.step(name);
      try {
        r.files.push_back(run_file(a, name, r.tolerances, r.solvers));
      } catch (const io::file_error &e) {
        r.unreadable.emplace_back(e.what());
      }
    }
  }
  for (const problem_file &file : r.files) {
    r.taken += file.attempts.empty() ? 0 : 1;
    add_file(file, &r.summaries);
  }
  if (!a.plot.empty()) draw(a.plot, r);
  *out = a.json ? as_json(r) : a.csv ? as_csv(r) : as_table(r);
  return exit_solved;
}

}  // namespace perp::tool
