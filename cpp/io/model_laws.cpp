// SPDX-License-Identifier: MIT
#include <algorithm>

#include "io/model_assembler.hpp"

namespace perp::io {

bool assembler::read_law(const model_node &l, const kind &of, double index, any_struct *law) {
  if (of.begin(law, 0, 0) != PERP_OK) {
    values_.note(l, "found a law that is refused");
    return false;
  }
  if (of.name == "user") return read_own_law(l, of, index, &law->file_law);
  bool ok = true;
  sizes dims;
  if (of.name == "polyhedron") dims["rows"] = std::max(list_size(l.find("H")), 0);
  const bool graph = of.name == "piecewise_linear";
  if (!graph) {
    std::int32_t size = law->law.size;
    if (const model_node *const given = l.find("size"))
      ok = values_.integer(*given, index, &size);
    else if (l.find("lower") != nullptr)
      size = std::max(list_size(l.find("lower")), 1);
    dims["size"] = law->law.size = size;
  }
  values_.fill(l, of, index, dims, law, &ok);
  if (!graph) law->law.size = dims["size"];
  return ok;
}

bool assembler::read_own_law(const model_node &l, const kind &of, double index,
                             file_law_table *law) {
  bool ok = true;
  std::int32_t size = 1;
  if (const model_node *const given = l.find("size")) {
    ok = values_.integer(*given, index, &size);
    if (ok && (size < 1 || size > 1000)) {
      values_.note(*given, "found `size` = " + std::to_string(size) + ", must be >= 1 and <= 1000");
      ok = false;
    }
  } else {
    for (const char *tells : {"lower", "project", "restitute_step"})
      if (const std::int32_t told = list_size(l.find(tells)); told > 0) size = told;
  }
  if (!ok) return false;
  input_layout layout;
  layout.n_x = layout.n_y = layout.n_lambda = size;
  layout.n_s = std::max(list_size(l.find("state")), 0);
  layout.n_z = std::max(list_size(l.find("z")), 0);
  const sizes dims = {{"size", size}, {"n_s", layout.n_s}, {"n_z", layout.n_z}};
  values_.fill(l, of, index, dims, law, &ok);
  law->law.open.law.size = size;
  law->law.open.n_z = layout.n_z, law->law.n_s = layout.n_s;
  for (const char *without : {"acts", "commit_step"})
    if (const model_node *const given = l.find(without); given != nullptr && layout.n_s == 0) {
      values_.note(*given, "found `" + std::string(without) + "` without `state`, of which it is");
      ok = false;
    }
  if (!ok) return false;
  values_.functions(l, of, index, dims, layout, 0, law, &ok);
  law->law.with = values_.callbacks();
  law->law.open.index = law->law.with == nullptr ? 0 : law->law.with->index;
  finish_law(law->law, &law->ops);
  perp_law_ops *&kept = own_laws_[&l];
  if (kept == nullptr) kept = values_.keep_struct(law->ops);
  law->law.open.law.ops = kept;
  return ok;
}

}  // namespace perp::io
