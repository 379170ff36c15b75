// SPDX-License-Identifier: MIT
#include "tool/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "perp/check.h"
#include "perp/experimental.h"
#include "tool/log_size.hpp"

namespace perp::tool {

namespace {

using doubles = std::vector<double>;

std::size_t z(std::int32_t i) { return static_cast<std::size_t>(i); }

std::string number(double value) {
  char text[40];
  (void)std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string member_name(const std::string &name) { return name.substr(0, name.find('[')); }

const io::model_node *member(const io::loaded_model &m, const char *group,
                             const std::string &name) {
  const io::model_node *const all = m.tree.find(group);
  return all == nullptr ? nullptr : all->find(member_name(name));
}

// The table of the relation or law of an interaction.
const io::model_node *part(const io::loaded_model &m, const io::model_node *interaction,
                           const char *key, const char *group) {
  const io::model_node *const given = interaction == nullptr ? nullptr : interaction->find(key);
  return given == nullptr || given->kind == io::model_node::table ? given
                                                                  : member(m, group, given->words);
}

// The key of a table whose field of C, or a derivative of it, has that name.
const io::model_node *key_of(const io::model_node *table, const char *group, const char *field) {
  const io::model_node *const name = table == nullptr ? nullptr : table->find("kind");
  const io::kind *const of = name == nullptr ? nullptr : io::find_kind(group, name->words);
  if (of == nullptr) return nullptr;
  const std::string wanted = field;
  for (const io::key &k : of->keys) {
    const bool same = k.field == wanted || k.name == wanted ||
                      std::any_of(k.derivatives.begin(), k.derivatives.end(),
                                  [&](const io::derivative &d) { return d.field == wanted; });
    if (!same) continue;
    if (const io::model_node *const found = table->find(k.name)) return found;
  }
  return nullptr;
}

// The element of a list, or of a list of rows, that is entry `row` column by column.
const io::model_node *element(const io::model_node *node, std::size_t row) {
  if (node->kind == io::model_node::table && node->find("value") != nullptr)
    node = node->find("value");
  if (node->kind != io::model_node::list || node->items.empty()) return node;
  const std::size_t rows = node->items.size();
  const io::model_node &item = node->items[row % rows];
  if (item.kind != io::model_node::list) return row < rows ? &item : node;
  return row / rows < item.items.size() ? &item.items[row / rows] : &item;
}

// Systems with their places in the vectors of all.
struct layout {
  std::vector<std::size_t> q, v;  // of order 2: in q0 and v0; of order 1: in x0
  doubles q0, v0, x0;

  explicit layout(const perp_model &model) {
    std::size_t at_q = 0, at_v = 0, at_x = 0;
    for (std::int32_t s = 0; s < model.n_systems; s++) {
      const perp_system &each = *model.systems[s];
      std::size_t &at = each.ops->order == 2 ? at_v : at_x;
      q.push_back(at_q), v.push_back(at);
      at += z(each.n);
      if (each.ops->order == 2) at_q += z(each.n + each.ops->extra_q);
    }
    const auto take = [](const double *from, std::size_t n) {
      return from == nullptr ? doubles(n) : doubles(from, from + n);
    };
    q0 = take(model.q0, at_q), v0 = take(model.v0, at_v), x0 = take(model.x0, at_x);
  }
};

// The vectors of the systems that an interaction joins, one after another.
struct joined {
  doubles q, v;
  std::vector<std::size_t> columns;  // where each entry of v is among those of its order
};

class checker {
 public:
  explicit checker(const io::loaded_model &m)
      : m_(m),
        model_(*perp_builder_model(m.builder.get())),
        options_(*perp_builder_options(m.builder.get())),
        at_(model_),
        t0_(m.by_events ? m.events.t0 : options_.t0) {}

  model_findings look() {
    look_at_values();
    look_at_masses();
    if (found_.errors.empty()) begin();
    if (found_.errors.empty()) {
      count_steps();
      look_at_derivatives();
      look_at_degrees();
      look_at_rows();
    }
    return std::move(found_);
  }

  model_findings compare(double most) {
    most_ = most;
    for (std::int32_t k = 0; k < model_.n_interactions; k++)
      if (is_equality(k)) look_at_interaction(k);
    for (int order = 1; order <= 2; order++) look_at_equalities(order);
    return std::move(found_);
  }

 private:
  // Each thing once for all that is repeated of it.
  void say(bool error, const io::model_node *at, const std::string &what, const std::string &once) {
    const std::string place = at == nullptr ? m_.name : at->place();
    if (!said_.insert(place + once).second) return;
    (error ? found_.errors : found_.warnings).push_back(place + ": " + what);
  }
  void error(const io::model_node *at, const std::string &what, const std::string &once) {
    say(true, at, what, once);
  }
  void warn(const io::model_node *at, const std::string &what, const std::string &once) {
    say(false, at, what, once);
  }

  const std::string &system(std::int32_t s) const { return m_.systems[z(s)]; }
  const std::string &interaction(std::int32_t k) const { return m_.interactions[z(k)]; }
  const io::model_node *table_of_system(std::int32_t s) const {
    return member(m_, "systems", system(s));
  }
  const io::model_node *table_of(std::int32_t k) const {
    return member(m_, "interactions", interaction(k));
  }
  const io::model_node *relation_of(std::int32_t k) const {
    return part(m_, table_of(k), "relation", "relations");
  }

  joined join(std::int32_t k) const {
    joined out;
    const perp_interaction &inter = *model_.interactions[k];
    for (std::int32_t j = 0; j < inter.n_systems; j++) {
      const std::int32_t s = inter.systems[j];
      const perp_system &each = *model_.systems[s];
      const bool second = each.ops->order == 2;
      const doubles &from = second ? at_.v0 : at_.x0;
      for (std::int32_t i = 0; i < each.n; i++) {
        out.columns.push_back(at_.v[z(s)] + z(i));
        out.v.push_back(from[at_.v[z(s)] + z(i)]);
      }
      for (std::int32_t i = 0; second && i < each.n + each.ops->extra_q; i++)
        out.q.push_back(at_.q0[at_.q[z(s)] + z(i)]);
    }
    return out;
  }

  // Expressions and other functions: finite at the start, and their derivatives, too?

  template <class Ops>
  void look_at_functions(const Ops *description, const io::model_node *table, const char *group,
                         const std::string &name, const double *a, const double *b_state,
                         const double *b_lambda) {
    perp_jacobian listed;
    if (description->ops->jacobian == nullptr) return;
    for (std::int32_t k = 0; description->ops->jacobian(description, k, &listed) != 0; k++) {
      const double *const b = b_lambda == nullptr || listed.velocity != 0 ? b_state : b_lambda;
      const io::model_node *const key = key_of(table, group, listed.name);
      const auto call = [&](perp_callback_fn f, std::int32_t columns, bool clock) {
        doubles out(z(listed.rows) * z(std::max(columns, 1)));
        doubles room = out;
        room.resize(out.size() + out.size() * out.size() + 64);
        const std::int32_t done =
            clock ? reinterpret_cast<perp_time_fn>(reinterpret_cast<void (*)()>(f))(
                        t0_, room.data(), listed.user)
                  : f(t0_, a, b, listed.z, room.data(), listed.user);
        std::copy_n(room.begin(), out.size(), out.begin());
        if (done != 0) std::fill(out.begin(), out.end(), 0.0);  // begin() tells what gives up
        return out;
      };
      const doubles values = call(listed.f, 1, listed.by == PERP_BY_CLOCK);
      const auto bad = std::find_if(values.begin(), values.end(),
                                    [](double each) { return !std::isfinite(each); });
      if (bad != values.end()) {
        not_finite(table, key, listed.name, name, static_cast<std::size_t>(bad - values.begin()),
                   *bad);
        continue;
      }
      if (listed.J == nullptr || listed.by >= PERP_BY_NONE) continue;
      const doubles J = call(listed.J, listed.columns, false);
      const auto worst =
          std::find_if(J.begin(), J.end(), [](double each) { return !std::isfinite(each); });
      if (worst == J.end()) continue;
      const auto entry = static_cast<std::size_t>(worst - J.begin());
      const io::model_node *const text =
          key == nullptr ? nullptr : element(key, entry % z(listed.rows));
      warn(text == nullptr ? table : text,
           "found " + (text == nullptr ? std::string("`") + listed.name + "`" : text->shown()) +
               ", whose derivative (" + listed.name + ", column " +
               std::to_string(entry / z(listed.rows)) + ") is " + number(*worst) +
               " at the start of " + name,
           "derivative");
    }
  }

  void not_finite(const io::model_node *table, const io::model_node *key, const char *field,
                  const std::string &name, std::size_t row, double value) {
    const io::model_node *const text = key == nullptr ? nullptr : element(key, row);
    const std::string why = std::isnan(value)
                                ? "no number at the start of " + name +
                                      ": 0/0, or a root or logarithm of what is negative"
                                : number(value) + " at the start of " + name +
                                      ": it divides by zero, or grows beyond all numbers";
    error(text == nullptr ? table : text,
          "found " + (text == nullptr ? std::string("`") + field + "`" : text->shown()) +
              ", which is " + why,
          "finite");
  }

  void look_at_values() {
    for (std::int32_t s = 0; s < model_.n_systems; s++) {
      const perp_system *const each = model_.systems[s];
      const bool second = each->ops->order == 2;
      const double *const state = (second ? at_.v0 : at_.x0).data() + at_.v[z(s)];
      look_at_functions(each, table_of_system(s), "system", system(s),
                        second ? at_.q0.data() + at_.q[z(s)] : nullptr, state, nullptr);
    }
    for (std::int32_t k = 0; k < model_.n_interactions; k++) {
      const perp_relation *const r = model_.interactions[k]->relation;
      const joined with = join(k);
      const doubles lambda(z(r->m));
      const bool first = r->ops->order == 1;
      look_at_functions(r, relation_of(k), "relation", interaction(k),
                        first ? with.v.data() : with.q.data(), with.v.data(), lambda.data());
    }
  }

  // Masses of order 2 are symmetric positive definite.

  static doubles dense(const perp_matrix &M, std::int32_t n) {
    doubles out(z(n) * z(n));
    for (std::int32_t i = 0; i < n; i++) {
      if (M.kind == PERP_DIAGONAL) out[z(i) * z(n) + z(i)] = M.values[i];
      for (std::int32_t j = 0; M.kind == PERP_DENSE && j < n; j++)
        out[z(j) * z(n) + z(i)] = M.values[z(i) + z(M.ld) * z(j)];
      for (std::int32_t e = M.kind == PERP_BLOCKS ? M.start[i] : 0;
           M.kind == PERP_BLOCKS && e < M.start[i + 1]; e++)
        out[z(M.index[e]) * z(n) + z(i)] = M.values[e];
    }
    return out;
  }

  // Mass at the start, empty where it is not looked at.
  doubles mass(std::int32_t s) const {
    const perp_system &each = *model_.systems[s];
    const perp_system_ops &ops = *each.ops;
    const bool varying =
        ops.terms == nullptr || (ops.varying != nullptr && ops.varying(&each) != 0);
    if (each.n > 1000) return {};
    if (!varying) {
      perp_system_terms terms = {};
      ops.terms(&each, &terms);
      return dense(terms.M, each.n);
    }
    doubles M(z(each.n) * z(each.n));
    doubles scratch(ops.scratch_doubles == nullptr ? 0 : ops.scratch_doubles(&each));
    const std::int32_t done =
        ops.mass(&each, t0_, at_.q0.data() + at_.q[z(s)], M.data(), scratch.data());
    return done == 0 ? M : doubles();
  }

  void look_at_masses() {
    for (std::int32_t s = 0; s < model_.n_systems; s++) {
      const perp_system &each = *model_.systems[s];
      if (each.ops->order != 2 || (s > 0 && model_.systems[s - 1] == &each)) continue;
      doubles M = mass(s);
      if (M.empty()) continue;
      const auto n = z(each.n);
      const io::model_node *const table = table_of_system(s);
      const io::model_node *at = key_of(table, "system", "mass");
      if (at == nullptr) at = key_of(table, "system", "M");
      if (at == nullptr) at = table;
      double largest = 0, skew = 0;
      std::size_t row = 0, column = 0;
      for (std::size_t i = 0; i < n; i++)
        for (std::size_t j = 0; j < i; j++) {
          const double difference = std::fabs(M[i + n * j] - M[j + n * i]);
          if (difference > skew) skew = difference, row = i, column = j;
        }
      for (double entry : M) largest = std::fmax(largest, std::fabs(entry));
      if (skew > 1e-12 * largest) {
        error(at,
              "found a mass of " + system(s) + " that is not symmetric at the start: M[" +
                  std::to_string(row) + "][" + std::to_string(column) +
                  "] = " + number(M[row + n * column]) + " and " + number(M[column + n * row]),
              "mass");
        continue;
      }
      const std::size_t pivot = first_bad_pivot(&M, n);
      if (pivot < n)
        error(at,
              "found a mass of " + system(s) +
                  " that is not positive definite at the start: " + "pivot " +
                  std::to_string(pivot) + " of its factors is " + number(M[pivot + n * pivot]),
              "mass");
    }
  }

  // Cholesky's factors of M over its lower half; n if all pivots are positive.
  static std::size_t first_bad_pivot(doubles *M, std::size_t n) {
    doubles &L = *M;
    for (std::size_t j = 0; j < n; j++) {
      const double before = std::fabs(L[j + n * j]);
      for (std::size_t k = 0; k < j; k++) L[j + n * j] -= L[j + n * k] * L[j + n * k];
      if (!(L[j + n * j] > 1e-14 * before)) return j;
      const double root = std::sqrt(L[j + n * j]);
      for (std::size_t i = j + 1; i < n; i++) {
        for (std::size_t k = 0; k < j; k++) L[i + n * j] -= L[i + n * k] * L[j + n * k];
        L[i + n * j] /= root;
      }
      L[j + n * j] = root;
    }
    return n;
  }

  void count_steps() {
    if (m_.by_events) return;
    const double steps = steps_from(m_, t0_);
    found_.facts.push_back(number(steps) + (steps == 1 ? " step" : " steps") +
                           " to t = " + number(m_.last_time()));
    if (steps > 1e10)
      warn(m_.tree.find("simulation")->find("h"),
           "found " + number(steps) + " steps: at ten million a second " + number(steps / 864e9) +
               " days",
           "steps");
  }

  // The beginning of a run: all that is refused, and the first step.

  void begin() {
    perp_info info = PERP_INFO_INIT;
    if (m_.by_events) {
      perp_event_driven *sim = nullptr;
      const perp_status status = perp_event_driven_create(&sim, &model_, &m_.events, &info);
      if (status != PERP_OK) refused(status, info);
      perp_event_driven_destroy(sim);
      return;
    }
    perp_simulation *sim = nullptr;
    perp_status status = perp_simulation_create(&sim, &model_, &options_, &info);
    if (status != PERP_OK) return refused(status, info);
    found_.begun.reset(sim, perp_simulation_destroy);
    status = perp_simulation_step(sim, &info);
    if (status != PERP_OK && status != PERP_END) {
      char ending[512];
      (void)perp_simulation_ending(sim, status, &info, 0, ending, sizeof ending);
      const bool lost = status < 0 || status == PERP_INFEASIBLE;
      (lost ? found_.errors : found_.warnings)
          .push_back(place_of(m_, info) + ": " + named(m_, info, ending));
    }
  }

  void refused(perp_status status, const perp_info &info) {
    found_.errors.push_back(place_of(m_, info) + ": " +
                            named(m_, info, io::explained(status, info)));
  }

  // Derivatives against differences, at the start and beside it.

  void look_at_derivatives() {
    const std::size_t bytes = perp_model_check_derivatives_workspace(&model_);
    doubles work(bytes / sizeof(double) + 1);
    struct found {
      perp_derivative_report worst;
      int points;
    };
    std::map<std::pair<std::pair<std::int32_t, std::int32_t>, std::string>, found> wrong;
    int looked = 0, compared = 0;
    for (int point = 0; point < 4; point++) {
      const doubles v = beside(at_.v0, point), x = beside(at_.x0, point), q = moved(point);
      perp_derivative_report r = PERP_DERIVATIVE_REPORT_INIT;
      const perp_status status =
          perp_model_check_derivatives(&model_, t0_ + 0.013 * point, q.data(), v.data(), x.data(),
                                       nullptr, 1e-6, work.data(), bytes, &r);
      if (status != PERP_OK && status != PERP_INACCURATE) continue;  // no derivatives there
      looked++;
      compared = std::max(compared, r.compared);
      if (status == PERP_OK) continue;
      found &f = wrong[{{r.found, r.index}, r.jacobian}];
      if (f.points++ == 0 || r.error > f.worst.error) f.worst = r;
    }
    for (const auto &[what, f] : wrong) {
      const bool of_system = f.worst.found == PERP_FOUND_SYSTEM;
      const io::model_node *const table =
          of_system ? table_of_system(f.worst.index) : relation_of(f.worst.index);
      const io::model_node *const key =
          key_of(table, of_system ? "system" : "relation", f.worst.jacobian);
      say(f.points == looked, key == nullptr ? table : key,
          std::string("found derivative `") + f.worst.jacobian + "` of " +
              (of_system ? system(f.worst.index) : interaction(f.worst.index)) + ", whose [" +
              std::to_string(f.worst.row) + "][" + std::to_string(f.worst.column) + "] is " +
              number(f.worst.given) + ", by differences " + number(f.worst.expected) +
              (f.points == looked ? "" : " at some states: wrong there, or a corner is near"),
          "differences");
    }
    if (compared > 0)
      found_.facts.push_back(std::to_string(compared) + " derivative" + (compared == 1 ? "" : "s") +
                             " compared with differences at " + std::to_string(looked) + " states");
  }

  static doubles beside(doubles values, int point) {
    for (std::size_t i = 0; i < values.size(); i++) values[i] += aside(i, point);
    return values;
  }
  static double aside(std::size_t i, int point) {
    return 0.03 * point * (1 + static_cast<double>((5 * i + z(point)) % 7) / 8);
  }
  doubles moved(int point) const {
    doubles q = at_.q0;
    std::size_t at = 0;
    for (std::int32_t s = 0; s < model_.n_systems; s++) {
      const perp_system &each = *model_.systems[s];
      if (each.ops->order != 2) continue;
      doubles d(z(each.n));
      for (double &entry : d) entry = aside(at++, point);
      double *const mine = q.data() + at_.q[z(s)];
      if (each.ops->move != nullptr)
        each.ops->move(&each, mine, d.data(), mine);
      else
        for (std::size_t i = 0; i < d.size(); i++) mine[i] += d[i];
    }
    return q;
  }

  // Relative degrees, of at most so many of what is repeated.

  void look_at_degrees() {
    const int most = 100;
    std::map<std::string, int> looked;
    std::map<std::string, std::set<std::int32_t>> degrees;
    std::vector<std::string> order;
    for (std::int32_t k = 0; k < model_.n_interactions; k++) {
      const std::string name = member_name(interaction(k));
      if (looked[name]++ >= most) continue;
      if (looked[name] == 1) order.push_back(name);
      const std::int32_t m = model_.interactions[k]->relation->m;
      std::vector<std::int32_t> degree(z(m));
      const std::size_t bytes = perp_model_relative_degree_workspace(&model_, k);
      doubles work(bytes / sizeof(double) + 1);
      if (perp_model_relative_degree(&model_, k, t0_, nullptr, nullptr, nullptr, degree.data(),
                                     work.data(), bytes, nullptr) != PERP_OK)
        continue;
      for (std::int32_t i = 0; i < m; i++) degree_of_row(k, i, degree[z(i)]);
      degrees[name].insert(degree.begin(), degree.end());
    }
    for (const std::string &name : order) {
      std::string text = "relative degree of ";
      text += name;
      const char *mark = ": ";
      for (const std::int32_t d : degrees[name]) {
        if (d < 0) continue;
        text.append(mark).append(std::to_string(d));
        mark = ", ";
      }
      if (mark[0] == ',') found_.facts.push_back(text);
    }
  }

  void degree_of_row(std::int32_t k, std::int32_t row, std::int32_t degree) {
    if (degree >= 0 && degree <= 2) return;
    const std::string of = "row " + std::to_string(row) + " of " + interaction(k);
    warn(relation_of(k),
         degree < 0 ? "found " + of +
                          ", on which λ does not act at the start: its relative degree "
                          "is undefined"
                    : "found " + of + " of relative degree " + std::to_string(degree) +
                          ", a run takes 0, 1 and 2",
         "degree" + std::to_string(row));
  }

  // Rows of laws at the start.

  struct one_row {
    std::int32_t interaction, row;
    std::vector<std::pair<std::size_t, double>> entries;
    double y, offset;  // y and, at order 2, what ẏ has beside H v
  };

  void look_at_rows() {
    for (std::int32_t k = 0; k < model_.n_interactions; k++) look_at_interaction(k);
    for (int order = 1; order <= 2; order++) look_at_equalities(order);
  }

  bool is_equality(std::int32_t k) const {
    const perp_law_ops &law = *model_.interactions[k]->law->ops;
    return law.set == PERP_SET_FREE && law.compliance == nullptr;
  }

  void look_at_interaction(std::int32_t k) {
    const perp_interaction &inter = *model_.interactions[k];
    const perp_relation &r = *inter.relation;
    const joined with = join(k);
    const std::size_t m = z(r.m), n = z(r.n);
    doubles y(m), ydot(m), H(m * n), D(m * m);
    if (!evaluate(r, with, &y, &ydot, &H, &D)) return;
    const perp_law_ops &law = *inter.law->ops;
    const bool equality = is_equality(k);
    const bool positions =
        r.ops->order == 2 &&
        (r.ops->features == nullptr || (r.ops->features(&r) & PERP_RELATION_HOLONOMIC) != 0);
    for (std::size_t i = 0; i < m; i++) {
      const std::string of = "row " + std::to_string(i) + " of " + interaction(k);
      bool feeds = false;
      for (std::size_t j = 0; j < m; j++) feeds = feeds || D[i + m * j] != 0;
      if (equality && !feeds) {
        const bool level = r.ops->order == 1 || positions;
        one_row row{k, static_cast<std::int32_t>(i), {}, level ? y[i] : 0, ydot[i]};
        for (std::size_t j = 0; j < n; j++)
          if (H[i + m * j] != 0) {
            row.entries.emplace_back(with.columns[j], H[i + m * j]);
            row.offset -= H[i + m * j] * with.v[j];
          }
        rows_[r.ops->order].push_back(std::move(row));
        if (level && std::fabs(y[i]) > 1e-8 * size_of(with.q, with.v))
          warn(table_of(k),
               "found " + of + " with y = " + number(y[i]) + " at the start, where its law has 0",
               "y" + std::to_string(i));
        if (r.ops->order == 2 && std::fabs(ydot[i]) > 1e-8 * size_of(with.v, with.v))
          warn(table_of(k),
               "found " + of + " with ẏ = " + number(ydot[i]) +
                   " at the start, where its law has 0: velocities jump there",
               "ydot" + std::to_string(i));
      }
      const std::size_t size = z(inter.law->size);
      if (law.unilateral == 0 || !positions || i % size != 0) continue;
      if (y[i] <= 0 && ydot[i] < -1e-8)
        warn(table_of(k),
             "found " + of + " closed and approaching at the start, ẏ = " + number(ydot[i]) +
                 ": an impact",
             "impact" + std::to_string(i));
    }
  }

  static double size_of(const doubles &a, const doubles &b) {
    double most = 1;
    for (const doubles *each : {&a, &b})
      for (double entry : *each) most = std::fmax(most, std::fabs(entry));
    return most;
  }

  // y, ẏ (order 2), H, D at the start; false where that is not known.
  bool evaluate(const perp_relation &r, const joined &with, doubles *y, doubles *ydot, doubles *H,
                doubles *D) const {
    const std::size_t m = z(r.m), n = z(r.n);
    const bool second = r.ops->order == 2;
    if (r.ops->terms != nullptr) {
      if (second && with.q.size() != n) return false;
      perp_relation_terms terms = {};
      r.ops->terms(&r, &terms);
      if (terms.H != nullptr) std::copy_n(terms.H, m * n, H->begin());
      const perp_matrix &rows = terms.H_rows;
      for (std::size_t i = 0; terms.H == nullptr && rows.kind == PERP_BLOCKS && i < m; i++)
        for (std::int32_t e = rows.start[i]; e < rows.start[i + 1]; e++)
          (*H)[i + m * z(rows.index[e])] = rows.values[e];
      if (terms.D != nullptr) std::copy_n(terms.D, m * m, D->begin());
      for (std::size_t i = 0; i < m; i++) {
        (*y)[i] = terms.b == nullptr ? 0 : terms.b[i];
        for (std::size_t j = 0; terms.F != nullptr && j < z(terms.n_z); j++)
          (*y)[i] += terms.F[i + m * j] * terms.z[j];
        for (std::size_t j = 0; j < n; j++) {
          (*y)[i] += (*H)[i + m * j] * (second ? with.q : with.v)[j];
          (*ydot)[i] += (*H)[i + m * j] * with.v[j];
        }
      }
      return true;
    }
    const std::uint32_t has = r.ops->features == nullptr ? 0 : r.ops->features(&r);
    doubles lambda(m), reaction(n), B(n * m), K(n * n);
    doubles scratch(r.ops->scratch_doubles == nullptr ? 0 : r.ops->scratch_doubles(&r));
    const perp_relation_point point = {
        t0_, options_.h, with.q.data(), with.v.data(), lambda.data(), lambda.data(), 0};
    const perp_relation_values values = {
        y->data(),
        second ? ydot->data() : nullptr,
        H->data(),
        (has & PERP_RELATION_D) != 0 ? D->data() : nullptr,
        second ? nullptr : reaction.data(),
        second ? nullptr : B.data(),
        !second && (has & PERP_RELATION_K) != 0 ? K.data() : nullptr};
    return r.ops->evaluate(&r, &point, &values, scratch.data()) == 0;
  }

  // Equalities that repeat others, or contradict them: Gram and Schmidt's process over their rows,
  // with y and the offset of ẏ as two more columns that it takes along. Part by part of the model.
  void look_at_equalities(int order) {
    std::vector<one_row> &rows = rows_[order];
    std::vector<std::size_t> parent((order == 2 ? at_.v0 : at_.x0).size());
    for (std::size_t i = 0; i < parent.size(); i++) parent[i] = i;
    const auto root = [&](std::size_t i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (const one_row &row : rows)
      for (const auto &each : row.entries) parent[root(each.first)] = root(row.entries[0].first);
    std::map<std::size_t, std::vector<const one_row *>> parts;
    for (const one_row &row : rows)
      if (!row.entries.empty()) parts[root(row.entries[0].first)].push_back(&row);
    for (const auto &each : parts) look_at_part(order, each.second);
  }

  void look_at_part(int order, const std::vector<const one_row *> &rows) {
    std::map<std::size_t, std::size_t> columns;
    for (const one_row *row : rows)
      for (const auto &each : row->entries) columns.emplace(each.first, columns.size());
    const std::size_t n = columns.size();
    if (static_cast<double>(rows.size()) * static_cast<double>(rows.size()) *
            static_cast<double>(n) >
        most_) {
      found_.facts.push_back(std::to_string(rows.size()) +
                             " equalities that are joined: too many to be compared");
      return;
    }
    const double at_q = size_of(at_.q0, at_.x0), at_v = size_of(at_.v0, at_.v0);
    std::vector<doubles> basis;
    for (const one_row *row : rows) {
      doubles g(n + 2);
      double length = 0;
      for (const auto &each : row->entries) g[columns[each.first]] += each.second;
      for (std::size_t j = 0; j < n; j++) length += g[j] * g[j];
      length = std::sqrt(length);
      g[n] = row->y, g[n + 1] = row->offset;
      for (double &entry : g) entry /= length;
      double left = 1;
      for (int twice = 0; twice < 2; twice++) {
        for (const doubles &b : basis) {
          double along = 0;
          for (std::size_t j = 0; j < n; j++) along += b[j] * g[j];
          for (std::size_t j = 0; j < n + 2; j++) g[j] -= along * b[j];
        }
        left = 0;
        for (std::size_t j = 0; j < n; j++) left += g[j] * g[j];
        left = std::sqrt(left);
      }
      if (left > 1e-9) {
        for (double &entry : g) entry /= left;
        basis.push_back(std::move(g));
        continue;
      }
      const std::string of =
          "row " + std::to_string(row->row) + " of " + interaction(row->interaction);
      const io::model_node *const at = table_of(row->interaction);
      const std::string once = "row" + std::to_string(row->row);
      if (std::fabs(g[n]) > 1e-8 * at_q / length)
        error(at,
              "found " + of + ", which contradicts other equalities: where they hold, its y is " +
                  number(g[n] * length),
              once);
      else if (order == 2 && std::fabs(g[n + 1]) > 1e-8 * at_v / length)
        error(at,
              "found " + of + ", which contradicts other equalities: where they hold, its ẏ is " +
                  number(g[n + 1] * length),
              once);
      else
        warn(at,
             "found " + of +
                 ", which other equalities already say at the start: one of many λ "
                 "is taken",
             once);
    }
  }

  const io::loaded_model &m_;
  const perp_model &model_;
  const perp_simulation_options &options_;
  const layout at_;
  const double t0_;
  double most_ = 2e9;                         // operations
  std::map<int, std::vector<one_row>> rows_;  // of equalities, by their order
  std::set<std::string> said_;
  model_findings found_;
};

}  // namespace

std::string place_of(const io::loaded_model &m, const perp_info &info) {
  const io::model_node *at = nullptr;
  const auto named = [&](const std::vector<std::string> &names) {
    return info.index >= 0 && z(info.index) < names.size() ? names[z(info.index)] : std::string();
  };
  const char *const field = info.field == nullptr ? "" : info.field;
  if (info.of == PERP_OF_SYSTEM || info.of == PERP_OF_BODY) {
    at = member(m, "systems", named(m.systems));
    if (const io::model_node *const key = key_of(at, "system", field)) at = key;
  } else if (info.of == PERP_OF_INTERACTION) {
    at = member(m, "interactions", named(m.interactions));
    const io::model_node *const relation = part(m, at, "relation", "relations");
    const io::model_node *const law = part(m, at, "law", "laws");
    if (const io::model_node *const in_relation = key_of(relation, "relation", field))
      at = in_relation;
    else if (const io::model_node *const in_law = key_of(law, "law", field))
      at = in_law;
  }
  return at == nullptr ? m.name : at->place();
}

std::string named(const io::loaded_model &m, const perp_info &info, const std::string &text) {
  static const std::regex numbered(
      "\\b(?:(systems?|body|bodies)|interaction|contact|guard|schedule) [0-9]+(?:, [0-9]+)*(?: and "
      "[0-9]+)?");
  static const std::regex number("[0-9]+");
  std::string out;
  const char *at = text.c_str();
  for (std::cregex_iterator found(at, at + text.size(), numbered), none; found != none; ++found) {
    const std::string words = found->str();
    const std::vector<std::string> *names = &m.interactions;
    if ((*found)[1].matched) names = &m.systems;
    if (words[0] == 'c' && info.of == PERP_OF_CONTACT) continue;  // of a pool, which has no name
    std::vector<std::string> hooks;
    if (words[0] == 'g' || words.compare(0, 3, "sch") == 0)
      for (const io::model_hook *each : m.all_of(words[0] == 'g')) hooks.push_back(each->name);
    if (!hooks.empty()) names = &hooks;
    out.append(at, found->prefix().second);
    at = (*found)[0].first;
    for (std::cregex_iterator i(at, (*found)[0].second, number); i != none; ++i) {
      const std::size_t k = std::stoul(i->str());
      out.append(at, (*i)[0].first);
      out += k < names->size() ? (*names)[k] : i->str();
      at = (*i)[0].second;
    }
  }
  return out + at;
}

model_findings check_model(const io::loaded_model &m) { return checker(m).look(); }

model_findings check_equalities(const io::loaded_model &m, double most) {
  return checker(m).compare(most);
}

}  // namespace perp::tool
