// SPDX-License-Identifier: MIT
// The functions of a table as callbacks of C: expressions, plug-ins, Python.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "io/model_values.hpp"

namespace perp::io {

void model_values::list_functions(const model_node &node, const key &k, std::int32_t rows,
                                  std::int32_t cols, std::vector<const model_node *> *out,
                                  bool *ok) {
  const auto size = static_cast<std::int32_t>(node.items.size());
  const bool flat = k.cols == "1";
  if (rows < 0) rows = size;
  if (node.kind != model_node::list || size != rows) {
    note(node, "found " + node.shown() + ", expected `" + k.name + "` as a list of " +
                   count_of(rows, flat ? "expression" : "row"));
    *ok = false;
    return;
  }
  const auto is_function = [this, ok](const model_node &each) {
    if (each.kind == model_node::text || each.kind == model_node::number ||
        each.kind == model_node::integer)
      return;
    note(each, "found " + each.shown() + ", expected an expression");
    *ok = false;
  };
  if (!flat)
    for (const model_node &row : node.items)
      if (row.kind != model_node::list || static_cast<std::int32_t>(row.items.size()) != cols) {
        note(row, "found " + row.shown() + ", expected a row of `" + k.name + "` with " +
                      count_of(cols, "expression"));
        *ok = false;
      }
  if (!*ok) return;
  out->assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(flat ? 1 : cols), nullptr);
  for (std::int32_t i = 0; i < rows; i++) {
    const model_node &row = node.items[static_cast<std::size_t>(i)];
    if (flat) {
      is_function(row);
      (*out)[static_cast<std::size_t>(i)] = &row;
      continue;
    }
    for (std::int32_t j = 0; j < cols; j++) {
      const model_node &entry = row.items[static_cast<std::size_t>(j)];
      is_function(entry);
      (*out)[static_cast<std::size_t>(i) +
             static_cast<std::size_t>(rows) * static_cast<std::size_t>(j)] = &entry;
    }
  }
}

namespace {

bool reads(const std::string &list, const std::string &name) {
  return (" " + list + " ").find(" " + name + " ") != std::string::npos;
}

void set_function(void *at, std::size_t offset, any_function f) {
  std::memcpy(static_cast<char *>(at) + offset, &f, sizeof f);
}

}  // namespace

void model_values::not_parameters(const model_node &at,
                                  const std::vector<perp_expression_symbol> &symbols, bool *ok) {
  for (const perp_expression_symbol &each : symbols)
    if (std::find(names_.begin(), names_.end(), each.name) != names_.end()) {
      note(at, "found parameter `" + std::string(each.name) +
                   "`, which means something else in these expressions; call it otherwise");
      *ok = false;
    }
}

void model_values::functions(const model_node &table, const kind &of, double index,
                             const sizes &dims, const input_layout &layout, std::int32_t order,
                             void *at, bool *ok) {
  callbacks_ = nullptr;
  std::vector<const key *> given;
  for (const key &k : of.keys)
    if (k.what == holds::function && table.find(k.name) != nullptr) given.push_back(&k);
  if (given.empty()) return;
  const std::vector<std::int32_t> shape = {layout.n_q,        layout.n_v, layout.n_x,
                                           layout.n_lambda,   layout.n_z, layout.n_s,
                                           size_of("m", dims)};
  auto &programs = programs_[{&table, shape}];
  const bool made = programs != nullptr;
  if (!made) programs = std::make_unique<model_programs>(), programs->layout = layout;
  std::size_t slot = 0;
  const double *z = nullptr;
  if (const key *const k = find_key(of, "z"); k != nullptr && layout.n_z > 0)
    std::memcpy(&z, static_cast<const char *>(at) + k->offset, sizeof z);
  const auto refer = [&](const model_node &node, const wanted_function &wanted,
                         std::size_t offset) {
    std::string why;
    const found_function found = plugins.find(node.words, wanted, &why);
    if (found.function == nullptr) {
      note(node, "found `" + node.words + "`, " + why);
      *ok = false;
      return;
    }
    programs->reads_index = true;
    if (found.call == nullptr) return set_function(at, offset, found.function);
    if (!made) {
      programs->slots.emplace_back();
      programs->slots.back().other = found.function, programs->slots.back().call = found.call;
    }
    set_function(at, offset, callback(wanted.called, slot++));
  };
  for (const key *const k : given) {
    const signature called =
        k->called == signature::state && order == 1 ? signature::state_x : k->called;
    const auto columns = [&](const derivative &d) {
      if (d.by == "q" && layout.bodies > 0) return 6 * layout.bodies;
      if (d.by == "q") return layout.n_q;
      if (d.by == "v" && order == 2) return layout.n_v;
      if (d.by == "lambda") return layout.n_lambda;
      return d.by == "t" ? 0 : layout.n_x;
    };
    if (const model_node &node = *table.find(k->name); names_function(node)) {
      wanted_function wanted;
      wanted.of = &of, wanted.field = k->field, wanted.called = called, wanted.reads = k->reads;
      wanted.rows = size_of(k->rows, dims), wanted.layout = layout;
      if (k->cols != "1") wanted.cols = size_of(k->cols, dims);
      refer(node, wanted, k->offset);
      for (const derivative &d : k->derivatives)
        if (const model_node *const given_d = table.find(d.field);
            given_d != nullptr && names_function(*given_d) && *ok) {
          wanted.field = d.field, wanted.jacobian = called == signature::body;
          wanted.cols = wanted.jacobian ? 6 : columns(d);
          refer(*given_d, wanted, d.offset);
        }
      if (!*ok) return;
      continue;
    }
    std::vector<const model_node *> nodes;
    std::vector<perp_expression_symbol> symbols = {input("i", 0, layout.index())};
    const auto may = [&](const char *name, std::int32_t entries, std::int32_t first) {
      if (entries > 0 && reads(k->reads, name)) symbols.push_back(input(name, entries, first));
    };
    if (reads(k->reads, "t")) symbols.push_back(input("t", 0, 0));
    may("q", layout.n_q, layout.q());
    may("v", layout.n_v, layout.v());
    may("x", layout.n_x, layout.x());
    may("lambda", layout.n_lambda, layout.lambda());
    if (reads(k->reads, "lambda")) {
      if (layout.n_lambda > 0) symbols.push_back(input("λ", layout.n_lambda, layout.lambda()));
    }
    may("z", layout.n_z, layout.z());
    if (layout.n_y > 0) {
      may("y", layout.n_y, layout.y());
      may("ydot", layout.n_y, layout.ydot());
      may("s", layout.n_s, layout.s());
      if (reads(k->reads, "h")) symbols.push_back(input("h", 0, layout.h()));
      if (!made) not_parameters(*table.find(k->name), symbols, ok);
      if (!*ok) return;
    }
    const auto add = [&](const std::vector<std::int32_t> &seeds, bool increments) {
      if (!made) {
        model_slot s;
        s.program = compile(nodes, symbols, seeds, use::run);
        if (s.program == nullptr)
          *ok = false;
        else if (perp_expression_reads(s.program.get(), layout.index()) != 0)
          programs->reads_index = true;
        s.texts = static_cast<std::int32_t>(nodes.size());
        s.seeds = static_cast<std::int32_t>(seeds.size());
        s.by_increments = increments;
        programs->slots.push_back(std::move(s));
      }
      return slot++;
    };
    const auto range = [](std::int32_t first, std::int32_t count) {
      std::vector<std::int32_t> all(static_cast<std::size_t>(count));
      std::iota(all.begin(), all.end(), first);
      return all;
    };
    if (!made)
      list_functions(*table.find(k->name), *k, size_of(k->rows, dims),
                     std::max(size_of(k->cols, dims), 1), &nodes, ok);
    if (!*ok) return;
    const auto remember = [&](const derivative *by, std::size_t at_slot) {
      if (!made) functions_.push_back({&table, programs.get(), k, by, at_slot, called});
    };
    const std::size_t value = add({}, false);
    if (!*ok) return;
    set_function(at, k->offset, callback(called, value));
    remember(nullptr, value);
    if (called == signature::body) {
      const std::size_t by_q = add(range(layout.q(), layout.n_q), true);
      (void)add(range(layout.v(), layout.n_v), false);
      for (const derivative &d : k->derivatives) {
        set_function(at, d.offset, body_jacobian(by_q));
        remember(&d, by_q);
      }
      continue;
    }
    for (const derivative &d : k->derivatives) {
      std::string by = d.by;
      if (order == 1 && by == "q") continue;
      if (order == 1 && by == "v") by = "x";
      std::vector<std::int32_t> seeds;
      if (by == "t") seeds = {0};
      if (by == "q") seeds = range(layout.q(), layout.n_q);
      if (by == "v") seeds = range(layout.v(), layout.n_v);
      if (by == "x") seeds = range(layout.x(), layout.n_x);
      if (by == "lambda") seeds = range(layout.lambda(), layout.n_lambda);
      const std::size_t derived = add(seeds, by == "q" && layout.bodies > 0);
      set_function(at, d.offset, callback(called, derived));
      if (!*ok) return;
      remember(&d, derived);
    }
  }
  const double told = programs->reads_index ? index : 0.0;
  auto &made_of = made_[{programs.get(), told}];
  if (made_of == nullptr)
    made_of = std::make_unique<model_callbacks>(model_callbacks{told, programs.get(), z});
  callbacks_ = made_of.get();
  if (of.user != nowhere) {
    void *const user = made_of.get();
    std::memcpy(static_cast<char *>(at) + of.user, &user, sizeof user);
  }
}

}  // namespace perp::io
