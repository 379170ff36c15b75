// SPDX-License-Identifier: MIT
// Problems as text.
#include "io/dat.hpp"

namespace perp::io {

namespace {

void write_numbers(std::string *out, const reals &values) {
  for (std::size_t i = 0; i < values.size(); i++)
    append(out, values[i], i + 1 == values.size() ? '\n' : ' ');
}

class writer {
 public:
  writer(std::string *out, const std::string &path, layout order)
      : out_(out), path_(path), order_(order) {}

  void operator()(const lcp &p) {
    append(out_, p.M.rows, '\n');
    write_matrix(out_, p.M, order_);
    write_numbers(out_, p.q);
  }
  void operator()(const relay &p) {
    append(out_, p.M.rows, '\n');
    write_matrix(out_, p.M, order_);
    write_numbers(out_, p.q);
    write_numbers(out_, p.lower);
    write_numbers(out_, p.upper);
  }
  void operator()(const mlcp &p) {
    std::int32_t equations = 0;
    for (std::size_t b = 0; b < p.complementary.size(); b++)
      if (!p.complementary[b]) equations += p.cuts[b + 1] - p.cuts[b];
    *out_ += "1\n0\n";
    append(out_, equations, '\n');
    append(out_, p.M.rows - equations, '\n');
    for (std::size_t b = 0; b < p.cuts.size(); b++)
      append(out_, p.cuts[b], b + 1 == p.cuts.size() ? '\n' : ' ');
    for (std::size_t b = 0; b < p.complementary.size(); b++)
      append(out_, p.complementary[b] ? 1 : 0, b + 1 == p.complementary.size() ? '\n' : ' ');
    write_matrix(out_, p.M, order_);
    write_numbers(out_, p.q);
  }
  void operator()(const friction &p) {
    if (p.equations) no_place("the equations V, R, s");
    contacts(p.dim, p.mu);
    write_matrix(out_, p.W, order_);
    write_numbers(out_, p.q);
    write_numbers(out_, p.mu);
  }
  void operator()(const global_friction &p) {
    if (p.equations) no_place("the equations G, b");
    contacts(p.dim, p.mu);
    write_matrix(out_, p.M, order_);
    write_matrix(out_, p.H, order_);
    write_numbers(out_, p.q);
    write_numbers(out_, p.b);
    write_numbers(out_, p.mu);
  }
  void operator()(const rolling &p) {
    contacts(p.dim, p.mu);
    write_matrix(out_, p.M, order_);
    write_numbers(out_, p.q);
    write_numbers(out_, p.mu);
    write_numbers(out_, p.mu_rolling);
  }
  void operator()(const mixed &p) {
    if (p.M.kind != storage::blocks) no_place("a mixed problem that is not in block rows");
    write_matrix(out_, p.M, order_);
    write_numbers(out_, p.q);
    for (std::size_t b = 0; b < p.types.size(); b++) {
      append(out_, p.types[b], '\n');
      if (p.types[b] == mixed::friction_3d_type) append(out_, p.mu[b], '\n');
    }
  }

 private:
  void contacts(std::int32_t dim, const reals &mu) {
    append(out_, dim, '\n');
    append(out_, static_cast<std::int32_t>(mu.size()), '\n');
  }
  [[noreturn]] void no_place(const std::string &what) {
    throw file_error(path_, "", "text files have no place for " + what);
  }

  std::string *out_;
  const std::string &path_;
  layout order_;
};

}  // namespace

std::string write_dat(const any_problem &p, const std::string &path, layout order) {
  std::string text;
  std::visit(writer(&text, path, order), p);
  return text;
}

}  // namespace perp::io
