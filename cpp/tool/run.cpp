// SPDX-License-Identifier: MIT
#include "tool/run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "perp/admm.h"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

using steady = std::chrono::steady_clock;

double since(steady::time_point start) {
  return std::chrono::duration<double>(steady::now() - start).count();
}

template <std::size_t N>
std::vector<std::string> names_of(std::uint32_t bits, const std::array<const char *, N> &names) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < N; i++)
    if ((bits >> i & 1u) != 0) words.emplace_back(names[i]);
  return words;
}

constexpr std::array all_sets = {"free",         "orthant",    "box",  "cone",
                                 "rolling cone", "polyhedron", "other"};

std::uint32_t sets_of(const perp_problem &p) {
  perp_shape shape;
  perp_problem_shape(&p, &shape);
  return shape.sets;
}

bool takes_matrix(const perp_solver *solver, std::int32_t kind) {
  return (solver->matrices >> static_cast<unsigned>(kind) & 1u) != 0;
}

struct deadline {
  steady::time_point start;
  double seconds;
};

std::int32_t watch(const perp_iterate *, void *user) {
  const auto *d = static_cast<const deadline *>(user);
  return since(d->start) > d->seconds ? 1 : 0;
}

perp_residual unknown_residual() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  perp_residual r = PERP_RESIDUAL_INIT;
  r.residual = r.relative = r.scale = r.hat = r.natural_error = r.componentwise = nan;
  r.worst = r.worst_block = -1;
  return r;
}

void judge(const perp_problem &p, outcome *out) {
  std::vector<std::byte> work(perp_problem_residual_workspace(&p));
  io::reals y(out->lambda.size());
  (void)perp_problem_residual(&p, out->lambda.data(), y.data(), &out->residual, work.data(),
                              work.size());
}

// The residual of a global problem is the larger one of contact and equilibrium.
void judge_global(const perp_global_problem &g, const io::reals &v, outcome *out) {
  std::vector<std::byte> work(perp_global_residual_workspace(&g));
  io::reals u(out->lambda.size());
  perp_global_parts parts = PERP_GLOBAL_PARTS_INIT;
  (void)perp_global_residual(&g, v.data(), out->lambda.data(), u.data(), &parts, work.data(),
                             work.size());
  out->residual = parts.contact;
  out->residual.relative = parts.relative;
  out->residual.componentwise = std::numeric_limits<double>::quiet_NaN();  // not computed there
}

// What the laws of a global problem see.
perp_problem laws_of(const perp_global_problem &g) {
  perp_problem p = PERP_PROBLEM_INIT;
  p.M.rows = p.M.cols = g.n;
  p.q = g.b;
  p.n = g.n;
  p.n_blocks = g.n_blocks;
  p.laws = g.laws;
  p.offset = g.offset;
  return p;
}

// Bytes with their pages in memory before the clock runs.
class memory {
 public:
  explicit memory(std::size_t size) : bytes_(new std::byte[size + 1]), size_(size) {
    constexpr std::size_t touched = std::size_t{1} << 28;
    std::memset(bytes_.get(), 0, std::min(size, touched));
  }
  void *data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
};

perp_solver_options options_of(const settings &s, deadline *limit) {
  return {sizeof(perp_solver_options),        s.max_iter, s.tol,
          s.time_limit > 0 ? watch : nullptr, limit,      0};
}

// Options of the solvers that factorise a matrix in blocks dense where they are given no back end.
struct own_options {
  perp_friction_newton_options newton = perp_friction_newton_options_default();
  perp_friction_interior_options interior = perp_friction_interior_options_default();
};

template <class Options>
const void *with_back_end(const perp_solver_options &common, Options *own) {
  own->max_iter = common.max_iter;
  own->tol = common.tol;
  own->observe = common.observe;
  own->user = common.user;
  own->sparse = perp_sparse_klu();
  return own;
}

const void *options_for(const perp_solver *solver, std::int32_t matrix,
                        const perp_solver_options &common, own_options *own) {
  if (matrix == PERP_BLOCKS && solver == perp_solver_friction_newton())
    return with_back_end(common, &own->newton);
  if (matrix == PERP_BLOCKS && solver == perp_solver_friction_interior())
    return with_back_end(common, &own->interior);
  return &common;
}

// An outcome before the solve.
outcome started(const perp_problem &p) {
  outcome out;
  out.residual = unknown_residual();
  out.lambda.assign(io::at(p.n), 0);
  out.y.assign(io::at(p.n), 0);
  out.sets = sets_of(p);
  out.frictional = (out.sets & (1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING)) != 0;
  return out;
}

// What the library says of a solve.
void report(const perp_solver *solver, const perp_info &info, outcome *out) {
  out->solver = info.solver != nullptr ? info.solver : solver->name;
  out->iterations = info.iterations;
  out->bound = info.bound;
  out->dissipates = info.dissipates == 1;
  if ((info.warnings & PERP_WARN_INDEFINITE) != 0) out->indefinite = info.index;
  if (out->status < 0) out->refusal = detail::sentence(out->status, solver->name, info);
}

// Without condensation.
outcome run_full(const perp_global_problem &g, const perp_solver_options &own) {
  perp_admm_options options = perp_admm_options_default();
  options.max_iter = own.max_iter;
  options.tol = own.tol;
  options.observe = own.observe;
  options.user = own.user;
  options.sparse = perp_sparse_ldl();
  outcome out = started(laws_of(g));
  const memory work(perp_global_admm_workspace(&g, &options));
  io::reals v(io::at(g.m));
  perp_info info = PERP_INFO_INIT;
  const auto start = steady::now();
  out.status = perp_global_admm(&g, &options, v.data(), out.lambda.data(), out.y.data(),
                                work.data(), work.size(), &info);
  out.seconds = since(start);
  report(perp_solver_admm(), info, &out);
  judge_global(g, v, &out);
  return out;
}

const perp_solver *find_solver(const std::string &name) {
  if (const perp_solver *solver = perp_solver_find(name.c_str())) return solver;
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(perp_solver_count()));
  for (std::int32_t i = 0; i < perp_solver_count(); i++) all.emplace_back(perp_solver_at(i)->name);
  throw usage_error("no solver is called '" + name + "'; there are " + join(all));
}

}  // namespace

const char *status_word(perp_status status) {
  switch (status) {
    case PERP_OK:
      return "solved";
    case PERP_MAX_ITER:
      return "iteration limit";
    case PERP_RAY:
      return "ray";
    case PERP_INACCURATE:
      return "inaccurate";
    case PERP_INFEASIBLE:
      return "infeasible";
    case PERP_STOPPED:
      return "stopped";
    case PERP_EUNSUPPORTED:
      return "unsupported";
    default:
      return "error";
  }
}

std::string ending(const outcome &o, const settings &s) {
  if (o.status == PERP_OK || o.status == PERP_STOPPED) return status_word(o.status);
  if (!o.refusal.empty()) return "not solved: " + o.refusal;
  const auto digits = [](double value) {
    char text[32];
    (void)std::snprintf(text, sizeof text, "%.2g", value);
    return std::string(text);
  };
  const perp_residual &r = o.residual;
  std::string text = std::string("not solved: ") + status_word(o.status) + " after " +
                     std::to_string(o.iterations) +
                     (o.iterations == 1 ? " iteration" : " iterations");
  if (r.worst >= 0)
    text += o.frictional ? ", contact " + std::to_string(r.worst_block)
                         : ", row " + std::to_string(r.worst);
  if (std::isfinite(r.relative))
    text += ", residual " + digits(r.relative) + ", asked " + digits(s.tol);
  double tol = 1e-15;
  while (tol < r.relative && tol < 1e-6) tol *= 10;
  std::string help;
  if (r.relative > s.tol && r.relative <= tol && o.status != PERP_INFEASIBLE)
    help += " or --tol " + digits(tol);
  if (o.status == PERP_MAX_ITER && s.max_iter > 0) help += " or a larger --max-iter";
  if (!o.by_auto && o.status != PERP_INFEASIBLE) help += " or --solver auto";
  return help.empty() ? text : text + "; try" + help.substr(3);
}

std::vector<std::string> set_names(std::uint32_t sets) { return names_of(sets, all_sets); }

std::size_t set_number(const std::string &name) {
  return static_cast<std::size_t>(std::find(all_sets.begin(), all_sets.end(), name) -
                                  all_sets.begin());
}

std::vector<std::string> matrix_names(std::uint32_t matrices) {
  return names_of(matrices, std::array{"zero", "diagonal", "dense", "blocks"});
}

std::vector<std::string> assumption_names(std::uint32_t assumes) {
  return names_of(assumes, std::array{"symmetric", "positive definite", "positive semidefinite",
                                      "P-matrix", "copositive-plus"});
}

std::string join(const std::vector<std::string> &words, const char *between) {
  std::string text;
  for (const std::string &word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

task::task(const io::any_problem &problem) {
  if (const auto *g = std::get_if<io::global_friction>(&problem))
    global_ = io::view_global(*g);
  else
    local_ = io::view(problem);
}

bool task::taken_by(const perp_solver *solver) const {
  const perp_problem p = local_ ? local_->get() : laws_of(global_->get());
  perp_shape shape;
  perp_problem_shape(&p, &shape);
  if (global_) shape.matrix = PERP_BLOCKS;
  if (!takes_matrix(solver, shape.matrix)) shape.matrix = PERP_DENSE;
  own_options own;
  const perp_solver_options common = options_of({}, nullptr);
  return perp_solver_shape_workspace(solver, &shape,
                                     options_for(solver, shape.matrix, common, &own)) != 0;
}

outcome task::run(const perp_solver *solver, const settings &s) const {
  if (taken_by(solver)) return local_ ? run_local(solver, s) : run_global(solver, s);
  outcome out;
  const perp_problem p = local_ ? local_->get() : laws_of(global_->get());
  out.residual = unknown_residual();
  out.refusal = std::string(solver->name) + " does not take " + join(set_names(sets_of(p))) +
                " with " + std::to_string(p.n) + " unknowns";
  return out;
}

outcome task::run_local(const perp_solver *solver, const settings &s) const {
  const perp_problem given = local_->get();
  perp_problem p = given;
  io::matrix copy;
  if (!takes_matrix(solver, p.M.kind)) {
    copy = io::to_dense(p.M);
    p.M = copy.view();
  }
  deadline limit{steady::now(), s.time_limit};
  const perp_solver_options common = options_of(s, &limit);
  own_options own;
  const void *options = options_for(solver, p.M.kind, common, &own);
  const memory work(perp_solver_workspace(solver, &p, options));
  outcome out = started(p);
  perp_info info = PERP_INFO_INIT;
  const auto start = steady::now();
  out.status = perp_solver_solve(solver, &p, options, out.lambda.data(), out.y.data(), nullptr,
                                 work.data(), work.size(), &info);
  out.seconds = since(start);
  report(solver, info, &out);
  judge(given, &out);
  return out;
}

outcome task::run_global(const perp_solver *solver, const settings &s) const {
  const perp_global_problem g = global_->get();
  deadline limit{steady::now(), s.time_limit};
  const perp_solver_options common = options_of(s, &limit);
  const memory scratch(perp_global_scratch(&g));
  double spent = 0;
  if (solver == perp_solver_auto() &&
      perp_global_form(&g, scratch.data(), scratch.size()) == PERP_GLOBAL_FULL) {
    outcome out = run_full(g, common);
    if (out.status == PERP_OK) return out;
    spent = out.seconds;
  }
  perp_global_options options = perp_global_options_default();
  options.solver = solver;
  own_options own;
  options.solver_options = options_for(solver, PERP_BLOCKS, common, &own);
  options.sparse = perp_sparse_klu();
  const memory work(perp_global_workspace(&g, &options, scratch.data(), scratch.size()));
  outcome out = started(laws_of(g));
  io::reals v(io::at(g.m));
  perp_info info = PERP_INFO_INIT;
  const auto start = steady::now();
  out.status = perp_global_solve(&g, &options, v.data(), out.lambda.data(), out.y.data(), nullptr,
                                 work.data(), work.size(), &info);
  out.seconds = spent + since(start);
  report(solver, info, &out);
  judge_global(g, v, &out);
  return out;
}

outcome solve(const io::any_problem &problem, const std::string &name, const settings &s) {
  const perp_solver *solver = find_solver(name);
  try {
    outcome out = task(problem).run(solver, s);
    out.by_auto = solver == perp_solver_auto();
    return out;
  } catch (const io::no_law &law) {
    outcome none;
    none.residual = unknown_residual();
    none.refusal = std::string("no solver of this build takes ") + law.what();
    return none;
  }
}

}  // namespace perp::tool
