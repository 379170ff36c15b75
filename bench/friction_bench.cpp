// SPDX-License-Identifier: MIT
// The friction solvers of perp and those of a peer on the same problems, in one run.
//
//   friction_bench [--seconds S] [--limit S] [--once] [--no-peer] [--solver NAME]... [--verbose]
//                  [--data DIR] CASE...
//
// A case is friction-NAME-TOL: NAME of a file under DIR/problems (without its ending), or
// FAMILY-CONTACTS-SEED of bench/friction_families.hpp, global- before it for the global form; TOL
// 1e-4 or the like. The beginning of a file's name is enough.
//
// The tolerance of the peer is its natural error ‖r − P_K(r − û)‖₂ / ‖q‖₂, that of perp is a
// backward error, and a global problem has yet another in the peer; so solvers are compared at
// equal natural error (global form: q after elimination of v), computed here. Each runs with the
// largest tolerance out of a list of decades with which it says "solved" and its natural error is
// at most TOL, and that run is timed: TOL, TOL/10, ... for the peer, which usually means the first,
// and 10³ TOL, 10² TOL, ... for perp. Every solver runs in a process of its own, for a limited
// time, from r = 0; setting up is not measured. The figure is the best time of the thread of
// several runs. One JSON line a case: auto (or the solvers named) and the fastest of the peer's
// that is right, and in "all" and "peer_all" each of them.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "friction.h"
#include "friction_families.hpp"
#include "io/file.hpp"
#include "perp/global.hpp"
#include "perp/heap.h"
#include "perp/sparse.h"
#include "perp/sweeps.h"

namespace {

namespace io = perp::io;
namespace ff = friction_families;
using io::at;
using io::reals;
using json = nlohmann::ordered_json;

double seconds_of(clockid_t clock) {
  timespec t;
  (void)clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double own() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

struct request {
  double seconds = 0.3, limit = 20;
  bool peer = true, verbose = false;
  std::string data = "../shared/data";
  std::vector<std::string> solvers;
};

// ---- a problem, and what judges its answers ----

struct factor {
  void *f = nullptr;
  factor() = default;
  ~factor() { perp_sparse_klu()->release(f); }
  factor(const factor &) = delete;
  factor &operator=(const factor &) = delete;
};

class problem {
 public:
  explicit problem(io::any_problem p) : p_(std::move(p)) {
    io::store(&p_, std::holds_alternative<io::global_friction>(p_) ? io::storage::sparse
                                                                   : io::storage::blocks);
    if (const auto *f = std::get_if<io::friction>(&p_)) set_local(*f);
    if (const auto *f = std::get_if<io::rolling>(&p_)) set_rolling(*f);
    if (const auto *f = std::get_if<io::global_friction>(&p_)) set_global(*f);
    if (c_.contacts == 0) throw std::runtime_error("no problem with friction");
    if (const auto *f = std::get_if<io::global_friction>(&p_)) {
      global_.emplace(io::view_global(*f));
    } else {
      held_.emplace(io::view(p_));
    }
  }

  const friction_case &get() const { return c_; }
  const io::any_problem &any() const { return p_; }
  std::size_t size() const { return at(c_.dim) * at(c_.contacts); }
  // Local and rolling.
  perp_problem one_step() const { return held_->get(); }
  // Global.
  perp_global_problem global() const { return global_->get(); }

  // Natural error of r, NaN if there is none.
  double natural_error(const reals &r) const {
    if (c_.form == FRICTION_GLOBAL) return global_error(r);
    return residual(r).natural_error;
  }
  // The relative residual of perp; NaN for the global form.
  double relative_residual(const reals &r) const {
    return c_.form == FRICTION_GLOBAL ? std::nan("") : residual(r).relative;
  }

 private:
  void set_local(const io::friction &f) {
    if (f.equations) throw std::runtime_error("equations beside the contacts");
    c_.form = FRICTION_LOCAL;
    c_.dim = f.dim;
    c_.contacts = static_cast<int>(f.mu.size());
    c_.W = f.W.view();
    c_.q = f.q.data();
    c_.mu = f.mu.data();
  }
  void set_rolling(const io::rolling &f) {
    c_.form = FRICTION_ROLLING;
    c_.dim = f.dim;
    c_.contacts = static_cast<int>(f.mu.size());
    c_.W = f.M.view();
    c_.q = f.q.data();
    c_.mu = f.mu.data();
    c_.mu_rolling = f.mu_rolling.data();
  }
  void set_global(const io::global_friction &f) {
    if (f.equations) throw std::runtime_error("equations beside the contacts");
    c_.form = FRICTION_GLOBAL;
    c_.dim = f.dim;
    c_.contacts = static_cast<int>(f.mu.size());
    c_.M = f.M.view();
    c_.H =
        perp_sparse_rows(f.H.rows, f.H.cols, f.H.start.data(), f.H.index.data(), f.H.values.data());
    c_.q = f.q.data();
    c_.b = f.b.data();
    c_.mu = f.mu.data();
  }

  perp_residual residual(const reals &r) const {
    const perp_problem p = one_step();
    perp_residual found = PERP_RESIDUAL_INIT;
    found.natural_error = found.relative = std::nan("");
    reals y(size());
    std::vector<std::byte> work(perp_problem_residual_workspace(&p));
    (void)perp_problem_residual(&p, r.data(), y.data(), &found, work.data(), work.size());
    return found;
  }

  // u = Hᵀ M⁻¹ (q + H r) + b.
  reals velocity(const reals *r) const {
    const auto &f = std::get<io::global_friction>(p_);
    if (M_.f == nullptr && perp_sparse_klu()->factor(f.M.rows, f.M.start.data(), f.M.index.data(),
                                                     f.M.values.data(), &M_.f) != PERP_OK)
      return reals(size(), std::nan(""));
    reals v = f.q, u = f.b;
    for (std::size_t i = 0; r != nullptr && i < v.size(); i++)
      for (std::size_t k = at(f.H.start[i]); k < at(f.H.start[i + 1]); k++)
        v[i] += f.H.values[k] * (*r)[at(f.H.index[k])];
    (void)perp_sparse_klu()->solve(M_.f, v.data());
    for (std::size_t i = 0; i < v.size(); i++)
      for (std::size_t k = at(f.H.start[i]); k < at(f.H.start[i + 1]); k++)
        u[at(f.H.index[k])] += f.H.values[k] * v[i];
    return u;
  }

  double global_error(const reals &r) const {
    const reals u = velocity(&r), free = velocity(nullptr);
    perp_friction law;
    (void)perp_friction_init(&law, sizeof law);
    law.law.size = c_.dim;
    double error = 0, size_of_q = 0;
    for (const double x : free) size_of_q += x * x;
    for (std::size_t i = 0; i < r.size(); i += at(c_.dim)) {
      double x[3], p[3];
      law.mu = c_.mu[i / at(c_.dim)];
      law.law.ops->shift(&law.law, nullptr, u.data() + i, x);
      for (std::size_t k = 0; k < at(c_.dim); k++) x[k] = r[i + k] - x[k];
      law.law.ops->project(&law.law, nullptr, x, p);
      for (std::size_t k = 0; k < at(c_.dim); k++) error += (r[i + k] - p[k]) * (r[i + k] - p[k]);
    }
    return std::sqrt(error / size_of_q);
  }

  io::any_problem p_;
  friction_case c_{};
  std::optional<perp::problem> held_;
  std::optional<perp::global_problem> global_;
  mutable factor M_;
};

// ---- one solver, in a process of its own ----

struct report {
  int good = 0;
  double ns = 0, error = 0, residual = 0, tol = 0;
  int iterations = 0;
  char name[32] = "";
};

// Seconds of one call: the best of windows of at least a millisecond, of the thread's own time,
// until `seconds` are spent; 0: one call. restart puts things back to the start of a solve; it is
// so cheap that it may run under the clock, or else `alone` keeps it out of it.
template <class Restart, class Solve>
double best_time(const Restart &restart, const Solve &solve, double seconds, bool alone) {
  double best = HUGE_VAL, spent = 0;
  for (int calls = 1;;) {
    if (alone) restart();
    const double start = own();
    for (int k = 0; k < calls; k++) {
      if (!alone) restart();
      solve();
    }
    const double window = own() - start;
    spent += std::max(window, 1e-7);
    best = std::min(best, window / calls);
    if (spent >= seconds) return best;
    if (!alone && window < 1e-3) calls *= window < 1e-4 ? 10 : 2;
  }
}

// Rounding of the two ways to compute a natural error.
constexpr double about = 1.01;

report run_peer(const problem &p, const friction_peer &peer, int i, double tol, double seconds) {
  report out;
  reals r(p.size()), u(p.size());
  for (int decade = 0; decade >= -7 && out.good == 0; decade--) {
    out.tol = tol * std::pow(10.0, decade);
    void *opened = peer.open(&p.get(), i, out.tol);
    if (opened == nullptr) return out;
    int status = 0;
    bool used = false;
    const bool alone = p.get().form == FRICTION_GLOBAL; /* it cannot reformulate one twice */
    const auto restart = [&] {
      std::fill(r.begin(), r.end(), 0);
      std::fill(u.begin(), u.end(), 0);
      if (used && alone) opened = peer.open(&p.get(), i, out.tol);
      used = true;
    };
    const auto solve = [&] { status = peer.solve(opened, r.data(), u.data()); };
    out.ns = 1e9 * best_time(restart, solve, 0, alone);
    out.error = p.natural_error(r);
    out.residual = p.relative_residual(r);
    out.good = status == 0 && out.error <= about * tol ? 1 : 0;
    if (out.good != 0) out.ns = std::min(out.ns, 1e9 * best_time(restart, solve, seconds, alone));
    if (status != 0) break;
  }
  return out;
}

// A solver of perp with its memory.
class perp_run {
 public:
  perp_run(const problem &p, const perp_solver *solver)
      : p_(p), solver_(solver), r(p.size()), u_(p.size()) {
    if (p.get().form == FRICTION_GLOBAL) {
      global_ = p.global();
      const perp_global_options o = options(1e-8);
      std::vector<std::byte> scratch(perp_global_scratch(&global_));
      work_.resize(perp_global_workspace(&global_, &o, scratch.data(), scratch.size()));
      v_.resize(at(global_.m));
    } else {
      local_ = p.one_step();
      work_.resize(perp_solver_workspace(solver, &local_, nullptr));
    }
  }

  bool takes() const { return !work_.empty(); }
  void restart() { std::fill(r.begin(), r.end(), 0); }
  perp_status solve(double tol) {
    info = PERP_INFO_INIT;
    if (p_.get().form == FRICTION_GLOBAL) {
      const perp_global_options o = options(tol);
      return perp_global_solve(&global_, &o, v_.data(), r.data(), u_.data(), nullptr, work_.data(),
                               work_.size(), &info);
    }
    const perp_solver_options o = {sizeof o, 0, tol, nullptr, nullptr, 0};
    return perp_solver_solve(solver_, &local_, &o, r.data(), u_.data(), nullptr, work_.data(),
                             work_.size(), &info);
  }

 private:
  perp_global_options options(double tol) const {
    perp_global_options o = perp_global_options_default();
    o.tol = tol;
    o.solver = solver_;
    o.sparse = perp_sparse_klu();
    return o;
  }

  const problem &p_;
  const perp_solver *solver_;
  perp_problem local_ = PERP_PROBLEM_INIT;
  perp_global_problem global_ = PERP_GLOBAL_PROBLEM_INIT;
  reals v_;
  std::vector<std::byte> work_;

 public:
  reals r;
  perp_info info = PERP_INFO_INIT;

 private:
  reals u_;
};

report run_perp(const problem &p, const perp_solver *solver, double tol, double seconds) {
  report out;
  perp_run run(p, solver);
  perp_status status = PERP_OK;
  const auto restart = [&] { run.restart(); };
  const auto solve = [&] { status = run.solve(out.tol); };
  for (int decade = 3; decade >= -7 && out.good == 0; decade--) {
    out.tol = tol * std::pow(10.0, decade);
    restart();
    out.ns = 1e9 * best_time(restart, solve, 0, false);
    out.error = p.natural_error(run.r);
    out.residual = p.relative_residual(run.r);
    out.iterations = run.info.iterations;
    out.good = status == PERP_OK && out.error <= about * tol ? 1 : 0;
    if (out.good != 0) out.ns = std::min(out.ns, 1e9 * best_time(restart, solve, seconds, false));
    if (status != PERP_OK && decade <= 0) break;
  }
  const char *name = run.info.solver != nullptr ? run.info.solver : solver->name;
  (void)std::snprintf(out.name, sizeof out.name, "%s", name);
  return out;
}

// What `work` reports from a process of its own, not good if it takes longer than the limit; time
// of the processor, which does not count who else runs.
template <class Work>
report apart(const Work &work, double limit) {
  int ends[2];
  report found;
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  (void)std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    (void)dup2(nowhere, 1);
    (void)dup2(nowhere, 2);
    const auto whole = static_cast<time_t>(limit);
    const itimerval end = {
        {0, 0}, {whole, static_cast<suseconds_t>(1e6 * (limit - static_cast<double>(whole)))}};
    (void)setitimer(ITIMER_PROF, &end, nullptr); /* its signal ends the process */
    const report told = work();
    const auto sent = write(ends[1], &told, sizeof told);
    _exit(sent == static_cast<ssize_t>(sizeof told) ? 0 : 1);
  }
  (void)close(ends[1]);
  pollfd waiting = {ends[0], POLLIN, 0};
  constexpr double slowed = 30; /* by others */
  report told;
  if (poll(&waiting, 1, static_cast<int>(1e3 * slowed * (limit + 1))) > 0 &&
      read(ends[0], &told, sizeof told) == static_cast<ssize_t>(sizeof told))
    found = told;
  (void)kill(child, SIGKILL);
  (void)waitpid(child, nullptr, 0);
  (void)close(ends[0]);
  return found;
}

// ---- cases ----

std::optional<io::any_problem> generated(const std::string &name) {
  const bool global = name.rfind("global-", 0) == 0;
  const std::string rest = global ? name.substr(7) : name;
  for (const ff::family &f : ff::families()) {
    int contacts = 0, end = 0;
    unsigned long seed = 0;
    const std::string form = std::string(f.name) + "-%d-%lu%n";
    if (std::sscanf(rest.c_str(), form.c_str(), &contacts, &seed, &end) != 2 ||
        at(end) != rest.size())
      continue;
    const ff::model m = f.make(contacts, seed);
    return global ? ff::global(m) : ff::local(m);
  }
  return std::nullopt;
}

// The file under DIR/problems whose name, without its ending, is or begins with this.
std::string path_of(const std::string &name, const request &ask) {
  namespace fs = std::filesystem;
  std::string found;
  for (const char *folder : {"friction2d", "friction3d", "global_friction", "rolling"}) {
    const fs::path below = fs::path(ask.data) / "problems" / folder;
    if (!fs::is_directory(below)) continue;
    for (const auto &file : fs::directory_iterator(below)) {
      const std::string whole = file.path().filename().string();
      const std::string stem = whole.substr(0, whole.find('.'));
      if (stem == name) return file.path().string();
      if (stem.rfind(name + "-", 0) == 0 && (found.empty() || file.path().string() < found))
        found = file.path().string();
    }
  }
  if (found.empty()) throw std::runtime_error("no file and no family is called so");
  return found;
}

io::any_problem named(const std::string &name, const request &ask) {
  if (auto made = generated(name)) return std::move(*made);
  return io::read_problem(path_of(name, ask)).problem;
}

json entry(const std::string &name, const report &r) {
  const auto finite = [](double x) { return std::isfinite(x) ? json(x) : json(nullptr); };
  return {{"solver", name},
          {"good", r.good != 0},
          {"ns", finite(r.ns)},
          {"error", finite(r.error)},
          {"residual", finite(r.residual)},
          {"tol", finite(r.tol)},
          {"iterations", r.iterations}};
}

void tell(const request &ask, const std::string &who, const report &r) {
  if (ask.verbose)
    (void)std::fprintf(stderr, "  %-24s %-5s %12.3f ms  natural %.1e  residual %.1e  tol %.0e %s\n",
                       who.c_str(), r.good != 0 ? "right" : "-", 1e-6 * r.ns, r.error, r.residual,
                       r.tol, r.name);
}

const friction_peer *the_peer() {
#ifdef BENCH_PEER
  return &peer_friction;
#else
  return nullptr;
#endif
}

json peers(const problem &p, double tol, const request &ask, std::string *fastest, report *best) {
  json all = json::array();
  const friction_peer *peer = ask.peer ? the_peer() : nullptr;
  const int form = p.get().form, dim = p.get().dim;
  for (int i = 0; peer != nullptr && i < peer->count(form, dim); i++) {
    const std::string name = peer->solver(form, dim, i);
    /* ten times the best so far, and time to start */
    const double limit =
        best->good != 0
            ? std::min(ask.limit, 1 + 2e-5 * static_cast<double>(p.size()) + 1e-8 * best->ns)
            : ask.limit;
    const report r =
        apart([&] { return run_peer(p, *peer, i, tol, ask.seconds); }, ask.seconds + limit);
    tell(ask, std::string(peer->name) + " " + name, r);
    all.push_back(entry(name, r));
    if (r.good == 0 || (best->good != 0 && r.ns >= best->ns)) continue;
    *best = r;
    *fastest = name;
  }
  return all;
}

bool takes(const perp_solver *solver, const problem &p) {
  return solver != nullptr && perp_run(p, solver).takes();
}

bool run_case(const std::string &name, const request &ask) {
  const std::size_t cut = name.rfind("-1e-");
  if (name.rfind("friction-", 0) != 0 || cut == std::string::npos || cut < 9)
    throw std::runtime_error("expected friction-NAME-TOL");
  const double tol = std::strtod(name.c_str() + cut + 1, nullptr);
  const problem p(named(name.substr(9, cut - 9), ask));
  if (ask.verbose) (void)std::fprintf(stderr, "%s: %d contacts\n", name.c_str(), p.get().contacts);
  json line = {{"case", name}, {"n", p.size()}, {"contacts", p.get().contacts}};
  json all = json::array();
  report ours, theirs;
  std::string ours_name, theirs_name;
  for (const std::string &wanted : ask.solvers) {
    const perp_solver *solver = perp_solver_find(wanted.c_str());
    if (!takes(solver, p)) continue;
    const report r =
        apart([&] { return run_perp(p, solver, tol, ask.seconds); }, ask.seconds + 4 * ask.limit);
    tell(ask, wanted, r);
    all.push_back(entry(wanted, r));
    if (!ours_name.empty() && (r.good == 0 || (ours.good != 0 && r.ns >= ours.ns))) continue;
    ours = r;
    ours_name = r.name[0] != 0 ? r.name : wanted;
  }
  json their_all = peers(p, tol, ask, &theirs_name, &theirs);
  line["solver"] = ours_name.empty() ? json(nullptr) : json(ours_name);
  line["ns"] = ours.good != 0 ? json(ours.ns) : json(nullptr);
  line["error"] =
      ours_name.empty() || !std::isfinite(ours.error) ? json(nullptr) : json(ours.error);
  line["peer_solver"] = theirs_name.empty() ? json(nullptr) : json(theirs_name);
  line["peer_ns"] = theirs.good != 0 ? json(theirs.ns) : json(nullptr);
  line["peer_error"] = theirs.good != 0 ? json(theirs.error) : json(nullptr);
  line["all"] = std::move(all);
  line["peer_all"] = std::move(their_all);
  (void)std::printf("%s\n", line.dump().c_str());
  (void)std::fflush(stdout);
  return ours.good != 0;
}

// ---- the cost of a sweep ----

// Seconds to read all values of W once: eight sums at a time.
double stream_time(const perp_matrix &W, std::size_t values, double seconds) {
  double seen = 0;
  const auto read = [&] {
    double sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    std::size_t k = 0;
    for (; k + 8 <= values; k += 8)
      for (std::size_t j = 0; j < 8; j++) sum[j] += W.values[k + j];
    for (; k < values; k++) sum[0] += W.values[k];
    seen += ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  };
  const double time = best_time([] {}, read, seconds, false);
  return seen == seen ? time : HUGE_VAL; /* a use of what was read */
}

// Seconds of one sweep: a solve of many sweeps less one of few, over the difference; r: where it
// ends. Time of the thread, or of the wall where there are several.
double sweep_time(const perp_problem &p, perp_nsgs_options options, double seconds, reals *r) {
  const std::size_t n = at(p.n);
  const perp_solver *nsgs = perp_solver_nsgs();
  std::vector<std::byte> work(perp_solver_workspace(nsgs, &p, &options));
  const clockid_t clock = options.parallel != nullptr ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
  reals u(n);
  double time[2];
  int sweeps[2];
  const int few = n > 30000 ? 3 : 20;
  for (int k = 0; k < 2; k++) {
    options.max_iter = k == 0 ? few : 6 * few;
    time[k] = HUGE_VAL;
    sweeps[k] = 0;
    for (double spent = 0; spent <= seconds;) {
      r->assign(n, 0);
      perp_info info = PERP_INFO_INIT;
      const double start = seconds_of(clock);
      (void)perp_solver_solve(nsgs, &p, &options, r->data(), u.data(), nullptr, work.data(),
                              work.size(), &info);
      const double once = seconds_of(clock) - start;
      time[k] = std::min(time[k], once);
      spent += std::max(once, 1e-7);
      sweeps[k] = info.iterations;
    }
  }
  return (time[1] - time[0]) / (sweeps[1] - sweeps[0]);
}

bool run_sweep(const std::string &name, const request &ask) {
  const problem p(named(name.substr(11), ask));
  if (p.get().form == FRICTION_GLOBAL) throw std::runtime_error("expected a local problem");
  const perp_problem view = p.one_step();
  const std::size_t blocks = at(p.get().W.start[p.get().W.block_rows]);
  reals one, two;
  perp_nsgs_options options = perp_nsgs_options_default();
  options.tol = 0;
  options.acceleration = PERP_NSGS_PLAIN;
  const double ns = 1e9 * sweep_time(view, options, ask.seconds, &one);
  const double limit =
      1e9 * stream_time(p.get().W, blocks * at(p.get().dim) * at(p.get().dim), ask.seconds);
  perp_threads *pool = nullptr;
  if (perp_threads_create(&pool, 2) != PERP_OK) throw std::runtime_error("no threads");
  options.parallel = perp_threads_for; /* the order of colours, whatever the user pointer */
  const double coloured = 1e9 * sweep_time(view, options, ask.seconds, &one);
  options.parallel_user = pool;
  const double threads = 1e9 * sweep_time(view, options, ask.seconds, &two);
  perp_threads_destroy(pool);
  if (one != two) throw std::runtime_error("two threads gave other bits");
  const json line = {{"case", name},
                     {"n", p.size()},
                     {"contacts", p.get().contacts},
                     {"blocks", blocks},
                     {"ns", ns},
                     {"limit_ns", limit},
                     {"coloured_ns", coloured},
                     {"two_threads_ns", threads}};
  (void)std::printf("%s\n", line.dump().c_str());
  (void)std::fflush(stdout);
  return std::isfinite(ns);
}

request read_request(int argc, char **argv, std::vector<std::string> *cases) {
  request ask;
  if (const char *data = std::getenv("PERP_DATA")) ask.data = data;
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    const auto next = [&] {
      if (i + 1 == argc) throw std::runtime_error("expected a value after " + word);
      return std::string(argv[++i]);
    };
    if (word == "--once") {
      ask.seconds = 0;
    } else if (word == "--no-peer") {
      ask.peer = false;
    } else if (word == "--verbose") {
      ask.verbose = true;
    } else if (word == "--seconds") {
      ask.seconds = std::strtod(next().c_str(), nullptr);
    } else if (word == "--limit") {
      ask.limit = std::strtod(next().c_str(), nullptr);
    } else if (word == "--solver") {
      ask.solvers.push_back(next());
    } else if (word == "--data") {
      ask.data = next();
    } else {
      cases->push_back(word);
    }
  }
  if (ask.solvers.empty()) ask.solvers.emplace_back("auto");
  return ask;
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<std::string> cases;
  bool failed = false;
  try {
    const request ask = read_request(argc, argv, &cases);
    for (const std::string &name : cases) {
      try {
        const bool sweep = name.rfind("nsgs-sweep-", 0) == 0;
        failed = !(sweep ? run_sweep(name, ask) : run_case(name, ask)) || failed;
      } catch (const std::exception &e) {
        (void)std::fprintf(stderr, "friction_bench: %s: %s\n", name.c_str(), e.what());
        failed = true;
      }
    }
  } catch (const std::exception &e) {
    (void)std::fprintf(stderr, "friction_bench: %s\n", e.what());
    return 2;
  }
  return failed ? 1 : 0;
}
