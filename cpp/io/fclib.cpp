// SPDX-License-Identifier: MIT
#include "io/fclib.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/hdf5.hpp"

namespace perp::io {

namespace {

// FCLIB's nz: what is stored in p and i. Anything >= 0 is the number of entries of a triplet list.
enum layouts { columns_nz = -1, rows_nz = -2 };

// p has lists + 1 entries that never decrease from 0 to count.
void check_starts(const hdf5::reader &in, const std::string &name, const ints &p,
                  std::size_t count) {
  if (p.front() != 0 || at(p.back()) != count || !std::is_sorted(p.begin(), p.end()))
    in.fail(name, "expected starts that rise from 0 to " + std::to_string(count));
}

void check_range(const hdf5::reader &in, const std::string &name, const ints &values,
                 std::int32_t end) {
  for (const std::int32_t v : values)
    if (v < 0 || v >= end)
      in.fail(name, "expected indices from 0 to " + std::to_string(end - 1) + ", found " +
                        std::to_string(v));
}

std::int32_t size_of(const hdf5::reader &in, const std::string &name) {
  const std::int32_t size = in.integer(name);
  if (size < 0) in.fail(name, "expected a size, found " + std::to_string(size));
  return size;
}

std::vector<triplet> read_triplets(const hdf5::reader &in, const std::string &name,
                                   std::int32_t rows, std::int32_t cols, const reals &x) {
  const ints i = in.integers(name + "/i", x.size()), p = in.integers(name + "/p", x.size());
  check_range(in, name + "/i", i, rows);
  check_range(in, name + "/p", p, cols);
  std::vector<triplet> entries;
  for (std::size_t k = 0; k < x.size(); k++) entries.push_back({i[k], p[k], x[k]});
  return entries;
}

// Entries of compressed lists: (list, place).
std::vector<triplet> read_lists(const hdf5::reader &in, const std::string &name, std::int32_t lists,
                                std::int32_t across, const reals &x) {
  const ints p = in.integers(name + "/p"), i = in.integers(name + "/i", x.size());
  if (p.size() != at(lists) + 1)
    in.fail(name + "/p", "expected " + std::to_string(at(lists) + 1) + " entries, found " +
                             std::to_string(p.size()));
  check_starts(in, name + "/p", p, x.size());
  check_range(in, name + "/i", i, across);
  std::vector<triplet> entries;
  for (std::int32_t j = 0; j < lists; j++)
    for (std::size_t k = at(p[at(j)]); k < at(p[at(j) + 1]); k++)
      entries.push_back({j, i[k], x[k]});
  return entries;
}

matrix read_matrix(const hdf5::reader &in, const std::string &name, std::int32_t rows,
                   std::int32_t cols) {
  const std::int32_t m = size_of(in, name + "/m"), n = size_of(in, name + "/n");
  if (m != rows || n != cols) {
    in.fail(name, "expected " + std::to_string(rows) + " x " + std::to_string(cols) + ", found " +
                      std::to_string(m) + " x " + std::to_string(n));
  }
  const std::int32_t nz = in.integer(name + "/nz");
  const reals x = in.numbers(name + "/x");
  std::vector<triplet> entries;
  if (nz >= 0 && at(nz) == x.size()) {
    entries = read_triplets(in, name, rows, cols, x);
  } else if (nz == rows_nz) {
    entries = read_lists(in, name, rows, cols, x);
  } else if (nz == columns_nz) {
    entries = read_lists(in, name, cols, rows, x);
    for (triplet &e : entries) std::swap(e.row, e.col);
  } else {
    in.fail(name + "/nz", "expected -1, -2 or " + std::to_string(x.size()) +
                              ", the entries of x, found " + std::to_string(nz));
  }
  matrix A = compressed_rows(rows, cols, std::move(entries));
  for (const double value : A.values)
    if (!std::isfinite(value)) in.fail(name + "/x", "expected entries with finite sums");
  return A;
}

reals read_mu(const hdf5::reader &in, const std::string &group) {
  reals mu = in.numbers(group + "/vectors/mu");
  for (const double value : mu)
    if (!(value >= 0)) in.fail(group + "/vectors/mu", "expected coefficients >= 0");
  return mu;
}

// dim of the contacts, and their rows.
std::int32_t read_contacts(const hdf5::reader &in, const std::string &group, std::int32_t *dim,
                           reals *mu) {
  *dim = in.integer(group + "/spacedim");
  if (*dim != 2 && *dim != 3)
    in.fail(group + "/spacedim", "expected 2 or 3, found " + std::to_string(*dim));
  *mu = read_mu(in, group);
  if (mu->size() > at(std::numeric_limits<std::int32_t>::max() / *dim))
    in.fail(group + "/vectors/mu", "expected fewer contacts");
  return *dim * static_cast<std::int32_t>(mu->size());
}

friction read_local(const hdf5::reader &in, const std::string &group) {
  friction p;
  const std::int32_t rows = read_contacts(in, group, &p.dim, &p.mu);
  p.q = in.numbers(group + "/vectors/q", at(rows));
  p.W = read_matrix(in, group + "/W", rows, rows);
  if (in.has(group + "/V") || in.has(group + "/R")) {
    local_equations e;
    e.s = in.numbers(group + "/vectors/s");
    const auto equations = static_cast<std::int32_t>(e.s.size());
    e.V = read_matrix(in, group + "/V", rows, equations);
    e.R = read_matrix(in, group + "/R", equations, equations);
    p.equations = std::move(e);
  }
  return p;
}

global_friction read_global(const hdf5::reader &in, const std::string &group) {
  global_friction p;
  const std::int32_t rows = read_contacts(in, group, &p.dim, &p.mu);
  p.q = in.numbers(group + "/vectors/f");
  const auto velocities = static_cast<std::int32_t>(p.q.size());
  p.b = in.numbers(group + "/vectors/w", at(rows));
  p.M = read_matrix(in, group + "/M", velocities, velocities);
  p.H = read_matrix(in, group + "/H", velocities, rows);
  if (in.has(group + "/G")) {
    const std::string b = group + "/vectors/b";
    global_equations e;
    const std::int32_t equations = size_of(in, group + "/G/n");
    if (in.has(b)) {
      e.b = in.numbers(b, at(equations));
    } else if (equations <= velocities) { /* none: 0 */
      e.b.resize(at(equations));
    } else {
      in.fail(group + "/G/n", "expected at most " + std::to_string(velocities) + " equations");
    }
    e.G = read_matrix(in, group + "/G", velocities, equations);
    p.equations = std::move(e);
  }
  return p;
}

// Solutions and guesses are not part of the problem, and need not be finite.
fclib_point read_point(const hdf5::reader &in, const std::string &group) {
  const auto get = [&](const char *name) {
    return in.has(group + name) ? in.numbers(group + name, false) : reals();
  };
  return {get("/v"), get("/l"), get("/u"), get("/r")};
}

std::vector<fclib_point> read_guesses(const hdf5::reader &in) {
  std::vector<fclib_point> guesses;
  if (!in.has("/guesses/number_of_guesses")) return guesses;
  const std::int32_t count = in.integer("/guesses/number_of_guesses");
  for (std::int32_t g = 1; g <= count; g++) {
    const std::string name = "/guesses/" + std::to_string(g);
    if (!in.has(name)) in.fail(name, "expected, but it is not there");
    guesses.push_back(read_point(in, name));
  }
  return guesses;
}

void write_matrix(hdf5::writer *out, const std::string &name, const matrix &A, layout order) {
  const std::vector<triplet> entries = entries_of(A);
  const auto count = static_cast<std::int32_t>(entries.size());
  ints i, p;
  reals x;
  if (order == layout::triplet) {
    for (const triplet &e : entries) i.push_back(e.row), p.push_back(e.col), x.push_back(e.value);
  } else {
    std::vector<triplet> lists = entries;
    if (order == layout::columns)
      for (triplet &e : lists) std::swap(e.row, e.col);
    matrix S = order == layout::columns ? compressed_rows(A.cols, A.rows, std::move(lists))
                                        : compressed_rows(A.rows, A.cols, std::move(lists));
    i = std::move(S.index), p = std::move(S.start), x = std::move(S.values);
  }
  out->group(name);
  out->integer(name + "/nzmax", static_cast<std::int32_t>(x.size()));
  out->integer(name + "/m", A.rows);
  out->integer(name + "/n", A.cols);
  out->integer(name + "/nz", order == layout::triplet   ? count
                             : order == layout::columns ? columns_nz
                                                        : rows_nz);
  out->integers(name + "/p", p);
  out->integers(name + "/i", i);
  out->numbers(name + "/x", x);
}

void write_head(hdf5::writer *out, const std::string &group, const document &d, std::int32_t dim) {
  out->group(group);
  out->integer(group + "/spacedim", dim);
  out->group(group + "/info");
  out->text(group + "/info/title", d.title);
  out->text(group + "/info/description", d.description);
  out->text(group + "/info/math_info", d.math_info);
  out->group(group + "/vectors");
}

void write_local(hdf5::writer *out, const document &d, const friction &p, layout order) {
  const std::string group = "/fclib_local";
  write_head(out, group, d, p.dim);
  write_matrix(out, group + "/W", p.W, order);
  out->numbers(group + "/vectors/q", p.q);
  out->numbers(group + "/vectors/mu", p.mu);
  if (!p.equations) return;
  write_matrix(out, group + "/V", p.equations->V, order);
  write_matrix(out, group + "/R", p.equations->R, order);
  out->numbers(group + "/vectors/s", p.equations->s);
}

void write_global(hdf5::writer *out, const document &d, const global_friction &p, layout order) {
  const std::string group = "/fclib_global";
  write_head(out, group, d, p.dim);
  write_matrix(out, group + "/M", p.M, order);
  write_matrix(out, group + "/H", p.H, order);
  out->numbers(group + "/vectors/f", p.q);
  out->numbers(group + "/vectors/w", p.b);
  out->numbers(group + "/vectors/mu", p.mu);
  if (!p.equations) return;
  write_matrix(out, group + "/G", p.equations->G, order);
  out->numbers(group + "/vectors/b", p.equations->b);
}

void write_point(hdf5::writer *out, const std::string &group, const fclib_point &p) {
  out->group(group);
  if (!p.v.empty()) out->numbers(group + "/v", p.v);
  if (!p.l.empty()) out->numbers(group + "/l", p.l);
  if (!p.u.empty()) out->numbers(group + "/u", p.u);
  if (!p.r.empty()) out->numbers(group + "/r", p.r);
}

}  // namespace

document read_fclib(const std::string &path) {
  const hdf5::quiet silence;
  const hdf5::reader in(path);
  const bool local = in.has("/fclib_local");
  const std::string group = local ? "/fclib_local" : "/fclib_global";
  if (!local && !in.has(group))
    throw file_error(
        path, "",
        in.has("/quantities")
            ? "expected a problem, found what perp export wrote, which is not read back"
            : "expected a group /fclib_local or /fclib_global");
  document d;
  if (local) {
    d.problem = read_local(in, group);
  } else {
    d.problem = read_global(in, group);
  }
  d.title = in.text(group + "/info/title");
  d.description = in.text(group + "/info/description");
  d.math_info = in.text(group + "/info/math_info");
  d.guesses = read_guesses(in);
  if (in.has("/solution")) d.solution = read_point(in, "/solution");
  return d;
}

void write_fclib(const std::string &name, const std::string &path, const document &d,
                 layout order) {
  const hdf5::quiet silence;
  const auto *local = std::get_if<friction>(&d.problem);
  const auto *global = std::get_if<global_friction>(&d.problem);
  if (local == nullptr && global == nullptr)
    throw file_error(path, "", "FCLIB files have no place for the class " + class_name(d.problem));
  hdf5::writer out(name, path);
  if (local != nullptr) write_local(&out, d, *local, order);
  if (global != nullptr) write_global(&out, d, *global, order);
  if (!d.guesses.empty()) {
    out.group("/guesses");
    out.integer("/guesses/number_of_guesses", static_cast<std::int32_t>(d.guesses.size()));
    for (std::size_t g = 0; g < d.guesses.size(); g++)
      write_point(&out, "/guesses/" + std::to_string(g + 1), d.guesses[g]);
  }
  if (d.solution) write_point(&out, "/solution", *d.solution);
  out.finish();
}

}  // namespace perp::io
