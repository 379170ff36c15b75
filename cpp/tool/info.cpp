// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <perp/log.hpp>
#include <utility>

#include "tool/commands.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

using json = nlohmann::ordered_json;

const char *storage_word(io::storage kind) {
  return kind == io::storage::dense ? "dense" : kind == io::storage::blocks ? "blocks" : "sparse";
}

bool is_symmetric(const io::matrix &A) {
  if (A.rows != A.cols) return false;
  const io::matrix S = io::to_sparse(A);
  auto entries = io::entries_of(S);
  for (io::triplet &e : entries) std::swap(e.row, e.col);
  const io::matrix T = io::compressed_rows(A.cols, A.rows, std::move(entries));
  return T.start == S.start && T.index == S.index && T.values == S.values;
}

json about_matrix(const io::matrix &A) {
  const auto nonzeros =
      std::count_if(A.values.begin(), A.values.end(), [](double v) { return v != 0; });
  double largest = 0;
  for (const double v : A.values) largest = std::max(largest, std::fabs(v));
  return {{"rows", A.rows},       {"cols", A.cols},       {"storage", storage_word(A.kind)},
          {"stored", A.stored()}, {"nonzeros", nonzeros}, {"symmetric", is_symmetric(A)},
          {"largest", largest}};
}

void add_range(json *j, const char *name, const io::reals &values) {
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  (*j)[name] = {*low, *high};
}

// How many rows obey each kind of law, or contacts of each kind.
void add_laws(json *j, const io::any_problem &p) {
  const auto mlcp = std::get_if<io::mlcp>(&p);
  if (mlcp != nullptr) {
    std::int32_t equalities = 0;
    for (std::size_t b = 0; b < mlcp->complementary.size(); b++)
      if (!mlcp->complementary[b]) equalities += mlcp->cuts[b + 1] - mlcp->cuts[b];
    (*j)["equalities"] = equalities;
    (*j)["complementarities"] = mlcp->M.rows - equalities;
  }
  if (const auto *relay = std::get_if<io::relay>(&p)) {
    add_range(j, "lower", relay->lower);
    add_range(j, "upper", relay->upper);
  }
  const auto contacts = [&](std::int32_t dim, const io::reals &mu) {
    (*j)["dimension"] = dim;
    (*j)["contacts"] = mu.size();
    add_range(j, "mu", mu);
  };
  if (const auto *f = std::get_if<io::friction>(&p)) {
    contacts(f->dim, f->mu);
    if (f->equations) (*j)["equations"] = f->equations->s.size();
  }
  if (const auto *g = std::get_if<io::global_friction>(&p)) {
    contacts(g->dim, g->mu);
    if (g->equations) (*j)["equations"] = g->equations->b.size();
    (*j)["H"] = about_matrix(g->H);
  }
  if (const auto *r = std::get_if<io::rolling>(&p)) {
    contacts(r->dim, r->mu);
    add_range(j, "mu_rolling", r->mu_rolling);
  }
  if (const auto *m = std::get_if<io::mixed>(&p)) (*j)["types"] = m->types;
}

std::string value_text(const json &value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return brief(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_null()) return "infinite";
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const json &part : value) text += (text.empty() ? "" : " ") + value_text(part);
  return text;
}

void add_text(std::string *text, const std::string &prefix, const json &j) {
  constexpr std::size_t width = 20;
  for (const auto &[name, value] : j.items()) {
    const std::string label = prefix + name;
    if (value.is_object()) {
      add_text(text, label + " ", value);
      continue;
    }
    const std::string shown = one_line(value_text(value));
    text->append(label)
        .append(width > label.size() ? width - label.size() : 1, ' ')
        .append(shown)
        .append("\n");
  }
}

// Time of one sample of a log (s).
double time_of(const log_reader &log, std::int64_t sample) {
  double t = 0;
  perp_info info = PERP_INFO_INIT;
  check(perp_log_reader_read(log.get(), -1, sample, 1, 1, &t, nullptr, &info), "log", info);
  return t;
}

json about_quantity(const perp_log_quantity &q) {
  json j = {{"members", q.members}, {"components", q.components}};
  if (*q.unit != '\0') j["unit"] = q.unit;
  if (*q.description != '\0') j["description"] = q.description;
  return j;
}

// What a log is of, how much of it there is, and how the run ended.
json about_log(const std::string &path) {
  log_reader log(path);
  const perp_log_schema &of = log.schema();
  const perp_log_summary s = log.summary();
  json j = {{"file", path}, {"class", "log"}};
  if (*of.program != '\0') j["program"] = of.program;
  if (*of.model_name != '\0') j["model"] = of.model_name;
  j["samples"] = s.samples;
  if (s.samples > 0) j["times"] = {time_of(log, 0), time_of(log, s.samples - 1)};
  j["every"] = s.every;
  j["single_precision"] = s.float32 != 0;
  j["events"] = s.events;
  if (s.contact_lists > 0) j["contact_lists"] = s.contact_lists;
  j["checkpoints"] = s.checkpoints;
  j["bytes"] = s.bytes;
  j["bytes_cut"] = s.bytes - s.whole;
  j["ended"] = s.ended != 0;
  perp_log_record end = PERP_LOG_RECORD_INIT;
  if (s.ended != 0 && log.next(end, 1U << PERP_LOG_END)) {
    j["ending"] = end.text;
    j["end"] = end.t;
  }
  for (std::int32_t i = 0; i < of.n_quantities; i++) {
    const perp_log_quantity &q = of.quantities[i];
    j["quantities"][std::string(q.kind) + "." + q.name] = about_quantity(q);
  }
  return j;
}

json about_problem(const info_arguments &a) {
  const io::document d = io::read_problem(a.file, a.class_name);
  json j;
  j["file"] = a.file;
  j["class"] = io::class_name(d.problem);
  j["unknowns"] = io::unknowns(d.problem);
  add_laws(&j, d.problem);
  j["M"] = about_matrix(io::matrix_of(d.problem));
  std::visit([&](const auto &p) { add_range(&j, "q", p.q); }, d.problem);
  if (!d.title.empty()) j["title"] = d.title;
  if (!d.description.empty()) j["description"] = d.description;
  if (!d.math_info.empty()) j["math_info"] = d.math_info;
  if (!d.guesses.empty()) j["guesses"] = d.guesses.size();
  if (d.solution) j["solution"] = true;
  return j;
}

}  // namespace

int info_command(const info_arguments &a, std::string *out) {
  const json j = io::looks_like_log(a.file) ? about_log(a.file) : about_problem(a);
  if (a.json) {
    *out = j.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  } else {
    add_text(out, "", j);
  }
  return exit_solved;
}

}  // namespace perp::tool
