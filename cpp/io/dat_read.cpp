// SPDX-License-Identifier: MIT
// Problems from text. The class is guessed by reading the text as every class: the reading that
// gets furthest counts, whether it ends well or not, so that a file that is cut is not taken for a
// shorter one of another class.
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "io/dat.hpp"

namespace perp::io {

namespace {

matrix read_square(text_reader *in, const std::string &name, std::int32_t rows) {
  const std::size_t from = in->next();
  matrix M = read_matrix(in, name, rows, same_as_rows);
  if (!M.has_view()) in->fail(name + " with block columns cut like its block rows", from);
  return M;
}

reals read_friction(text_reader *in, std::int32_t contacts, const std::string &name) {
  reals mu;
  for (std::int32_t c = 0; c < contacts; c++) {
    const std::size_t from = in->next();
    mu.push_back(in->number(name));
    if (mu.back() < 0) in->fail(name + " >= 0", from, file_error::kinds::value);
  }
  return mu;
}

// dim * contacts, the number of rows.
std::int32_t rows_of(text_reader *in, std::int32_t dim, std::int32_t contacts) {
  if (contacts > std::numeric_limits<std::int32_t>::max() / dim)
    in->fail("fewer contacts before this", in->next());
  return dim * contacts;
}

any_problem read_lcp(text_reader *in) {
  lcp p;
  const std::int32_t n = in->integer("the number of unknowns");
  p.M = read_square(in, "M", n);
  p.q = in->numbers(at(n), "entry of q");
  return p;
}

any_problem read_relay(text_reader *in) {
  relay p;
  const std::int32_t n = in->integer("the number of unknowns");
  constexpr double inf = std::numeric_limits<double>::infinity();
  p.M = read_square(in, "M", n);
  p.q = in->numbers(at(n), "entry of q");
  for (std::int32_t i = 0; i < n; i++) p.lower.push_back(in->bound("lower bound", -inf));
  for (std::int32_t i = 0; i < n; i++) {
    const std::size_t from = in->next();
    p.upper.push_back(in->bound("upper bound", inf));
    if (!(p.lower[at(i)] <= p.upper.back()))
      in->fail(
          "an upper bound >= the lower one (a relay has lower and upper bounds after q; if "
          "this is an LCP, say so)",
          from, file_error::kinds::value);
  }
  return p;
}

// Blocks of rows, and M, of an MLCP in its first form.
void read_mlcp_blocks(text_reader *in, std::int32_t n, std::int32_t m, mlcp *p) {
  const std::int32_t rows = n + m;
  in->integer("the start of the first block", 0, 0);
  while (p->cuts.back() < rows)
    p->cuts.push_back(in->integer("the end of a block of rows", p->cuts.back() + 1, rows));
  std::int32_t equations = 0;
  std::size_t from = in->next();
  for (std::size_t b = 0; b + 1 < p->cuts.size(); b++) {
    from = in->next();
    p->complementary.push_back(in->integer("0 (equality) or 1 (complementarity)", 0, 1) == 1);
    if (!p->complementary.back()) equations += p->cuts[b + 1] - p->cuts[b];
  }
  if (equations != n)
    in->fail("blocks with " + std::to_string(n) + " equalities in all, not " +
                 std::to_string(equations) + ", before this",
             from);
  p->M = read_square(in, "M", rows);
  p->q = in->numbers(at(rows), "entry of q");
}

// A n x n, B m x m, C n x m, D m x n, each row by row, then a and b: M = [A C; D B].
void read_mlcp_parts(text_reader *in, std::int32_t n, std::int32_t m, mlcp *p) {
  const std::size_t rows = at(n) + at(m);
  const reals A = in->numbers(at(n) * at(n), "entry of A");
  const reals B = in->numbers(at(m) * at(m), "entry of B");
  const reals C = in->numbers(at(n) * at(m), "entry of C");
  const reals D = in->numbers(at(m) * at(n), "entry of D");
  reals q = in->numbers(at(n), "entry of a");
  const reals b = in->numbers(at(m), "entry of b");
  if (!p->q.empty()) return; /* the first form counts */
  q.insert(q.end(), b.begin(), b.end());
  reals M(rows * rows);
  const auto place = [&](const reals &part, std::size_t height, std::size_t width, std::size_t row,
                         std::size_t col) {
    for (std::size_t i = 0; i < height; i++)
      for (std::size_t j = 0; j < width; j++) M[row + i + rows * (col + j)] = part[i * width + j];
  };
  place(A, at(n), at(n), 0, 0);
  place(B, at(m), at(m), at(n), at(n));
  place(C, at(n), at(m), 0, at(n));
  place(D, at(m), at(n), at(n), 0);
  p->M = dense(n + m, n + m, std::move(M));
  p->q = std::move(q);
  p->cuts = {0};
  p->complementary.clear();
  for (const bool complementary : {false, true}) {
    const std::int32_t size = complementary ? m : n;
    if (size == 0) continue;
    p->cuts.push_back(p->cuts.back() + size);
    p->complementary.push_back(complementary);
  }
}

any_problem read_mlcp(text_reader *in) {
  mlcp p;
  const std::int32_t blocks = in->integer("whether M follows", 0, 1);
  const std::int32_t parts =
      in->integer("whether A, B, C, D follow", blocks == 1 ? 0 : 1, 1); /* one of them has to */
  const std::int32_t n = in->integer("the number of equalities");
  const std::int32_t m = in->integer("the number of complementarities", 0,
                                     std::numeric_limits<std::int32_t>::max() - n);
  if (blocks == 1) read_mlcp_blocks(in, n, m, &p);
  if (parts == 1) read_mlcp_parts(in, n, m, &p);
  return p;
}

any_problem read_fc(text_reader *in) {
  friction p;
  p.dim = in->integer("the dimension", 2, 3);
  const std::int32_t contacts = in->integer("the number of contacts");
  const std::int32_t rows = rows_of(in, p.dim, contacts);
  p.W = read_square(in, "W", rows);
  p.q = in->numbers(at(rows), "entry of q");
  p.mu = read_friction(in, contacts, "friction coefficient");
  return p;
}

any_problem read_gfc(text_reader *in) {
  global_friction p;
  p.dim = in->integer("the dimension", 2, 3);
  const std::int32_t contacts = in->integer("the number of contacts");
  const std::int32_t rows = rows_of(in, p.dim, contacts);
  p.M = read_square(in, "M", any_size);
  p.H = read_matrix(in, "H", p.M.rows, rows);
  p.q = in->numbers(at(p.M.rows), "entry of q");
  p.b = in->numbers(at(rows), "entry of b");
  p.mu = read_friction(in, contacts, "friction coefficient");
  return p;
}

any_problem read_rolling(text_reader *in) {
  rolling p;
  const std::size_t from = in->next();
  p.dim = in->integer("the dimension (3 or 5)", 3, 5);
  if (p.dim == 4) in->fail("the dimension, 3 or 5", from);
  const std::int32_t contacts = in->integer("the number of contacts");
  const std::int32_t rows = rows_of(in, p.dim, contacts);
  p.M = read_square(in, "M", rows);
  p.q = in->numbers(at(rows), "entry of q");
  p.mu = read_friction(in, contacts, "friction coefficient");
  p.mu_rolling = read_friction(in, contacts, "rolling coefficient");
  return p;
}

any_problem read_mixed(text_reader *in) {
  constexpr std::int32_t last_type = 9;
  mixed p;
  const std::size_t from = in->next();
  in->peek_integer("the storage of M (1, block rows)", 1, 1);
  p.M = read_square(in, "M", any_size);
  if (p.M.index.empty()) in->fail("an M with blocks, where it begins", from);
  p.cuts = p.M.row_cuts;
  p.q = in->numbers(at(p.M.rows), "entry of q");
  for (std::size_t b = 0; b + 1 < p.cuts.size(); b++) {
    const std::size_t where = in->next();
    const std::int32_t type = in->integer("the type of a block row", 0, last_type);
    const std::int32_t size = p.cuts[b + 1] - p.cuts[b];
    if ((type == mixed::friction_2d_type && size != 2) ||
        (type == mixed::friction_3d_type && size != 3)) {
      in->fail("a type for a block row of " + std::to_string(size) + " rows", where);
    }
    p.types.push_back(type);
    p.mu.push_back(
        type == mixed::friction_3d_type ? read_friction(in, 1, "friction coefficient").front() : 0);
  }
  return p;
}

struct reading {
  const char *name;  // of the class, as messages say it
  any_problem (*read)(text_reader *);
};
constexpr std::array<reading, 7> readings = {{{"lcp", read_lcp},
                                              {"relay", read_relay},
                                              {"mlcp", read_mlcp},
                                              {"mixed", read_mixed},
                                              {"fc", read_fc},
                                              {"gfc", read_gfc},
                                              {"rolling", read_rolling}}};

any_problem read_as(std::string_view text, const std::string &path, std::string_view name) {
  text_reader in(text, path);
  const bool local = name == "fc2d" || name == "fc3d", global = name == "gfc2d" || name == "gfc3d";
  const std::string_view general = local ? "fc" : global ? "gfc" : name;
  for (const reading &r : readings) {
    if (r.name != general) continue;
    any_problem p = r.read(&in);
    if (class_name(p) != name) {
      text_reader start(text, path);
      start.fail("the dimension of the class " + std::string(name), start.next());
    }
    return p;
  }
  throw file_error(path, "", "no class of the name '" + std::string(name) + "'");
}

// What was read as one class, and where what follows begins.
struct attempt {
  any_problem problem;
  std::size_t next;
};

// Whether the second token is 0: no contacts of a friction problem, which is rare, but for most
// others the storage of a dense matrix.
bool second_is_zero(std::string_view text) {
  text_reader in(text, "");
  if (in.peek().empty()) return false;
  (void)in.any_word("");
  return in.peek() == "0";
}

// Whether the rest of the text is one token 0 or 1.
bool lone_digit(std::string_view text, std::size_t from) {
  text_reader rest(text.substr(from), "");
  const std::string_view token = rest.peek();
  if (token != "0" && token != "1") return false;
  (void)rest.any_word("");
  return rest.peek().empty();
}

any_problem guess(std::string_view text, const std::string &path) {
  std::optional<attempt> best;
  std::optional<file_error> worst;
  const bool no_contacts = second_is_zero(text);
  for (const reading &r : readings) {
    text_reader in(text, path);
    const bool is_friction = r.read == read_fc || r.read == read_gfc;
    try {
      attempt a{r.read(&in), in.next()};
      if (is_friction && lone_digit(text, a.next)) return std::move(a.problem);
      if (!best || a.next > best->next) best = std::move(a);
    } catch (const file_error &e) {
      if (no_contacts && (is_friction || r.read == read_rolling)) continue;
      if (!worst || e.position() > worst->position()) worst = e;
    }
  }
  if (best && (!worst || worst->position() <= best->next)) return std::move(best->problem);
  throw worst ? *worst : file_error(path, "1", "expected a problem");
}

}  // namespace

any_problem read_dat(std::string_view text, const std::string &path, std::string_view wanted) {
  return wanted.empty() ? guess(text, path) : read_as(text, path, wanted);
}

}  // namespace perp::io
