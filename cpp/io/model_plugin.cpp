// SPDX-License-Identifier: MIT
#include "io/model_plugin.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "io/file.hpp"
#include "io/model_python.hpp"
#include "perp/plugin.h"

namespace perp::io {

namespace {

namespace fs = std::filesystem;

#ifdef __APPLE__
const char *const library_suffix = ".dylib";
#else
const char *const library_suffix = ".so";
#endif

bool starts_with(const std::string &text, const char *head) {
  return text.compare(0, std::strlen(head), head) == 0;
}

template <class F>
F symbol(void *handle, const std::string &name) {
  return reinterpret_cast<F>(dlsym(handle, name.c_str()));
}

// ---- types of Siconos ----

using U = unsigned int;

// z as those functions take it: they may write into it, which nobody sees. One at a time.
class writable {
 public:
  writable(const double *z, std::int32_t count) {
    room().assign(z, z + (z == nullptr ? 0 : count));
  }
  U size() const { return static_cast<U>(room().size()); }
  double *data() { return room().data(); }

 private:
  static std::vector<double> &room() {
    static thread_local std::vector<double> one;
    return one;
  }
};

struct siconos_sizes {
  U n, m;
  writable z;
  siconos_sizes(const model_callbacks &with)
      : n(static_cast<U>(with.programs->layout.n_x + with.programs->layout.n_v)),
        m(static_cast<U>(with.programs->layout.n_lambda)),
        z(with.z, with.programs->layout.n_z) {}
};

using time_type = void (*)(double, U, double *, U, double *);
std::int32_t call_time(any_function f, const model_callbacks &with, const call_arguments &a,
                       double *out) {
  siconos_sizes s(with);
  reinterpret_cast<time_type>(f)(a.t, s.n, out, s.z.size(), s.z.data());
  return 0;
}
using mass_type = void (*)(U, const double *, double *, U, double *);
std::int32_t call_mass(any_function f, const model_callbacks &with, const call_arguments &a,
                       double *out) {
  siconos_sizes s(with);
  reinterpret_cast<mass_type>(f)(s.n, a.q, out, s.z.size(), s.z.data());
  return 0;
}
using gyroscopic_type = void (*)(U, const double *, const double *, double *, U, double *);
std::int32_t call_gyroscopic(any_function f, const model_callbacks &with, const call_arguments &a,
                             double *out) {
  siconos_sizes s(with);
  reinterpret_cast<gyroscopic_type>(f)(s.n, a.q, a.v, out, s.z.size(), s.z.data());
  return 0;
}
using internal_type = void (*)(double, U, const double *, const double *, double *, U, double *);
std::int32_t call_internal(any_function f, const model_callbacks &with, const call_arguments &a,
                           double *out) {
  siconos_sizes s(with);
  reinterpret_cast<internal_type>(f)(a.t, s.n, a.q, a.v, out, s.z.size(), s.z.data());
  return 0;
}
using first_order_type = void (*)(double, U, const double *, double *, U, double *);
std::int32_t call_first_order(any_function f, const model_callbacks &with, const call_arguments &a,
                              double *out) {
  siconos_sizes s(with);
  reinterpret_cast<first_order_type>(f)(a.t, s.n, a.x, out, s.z.size(), s.z.data());
  return 0;
}
using scleronomous_type = void (*)(U, const double *, U, double *, U, double *);
std::int32_t call_scleronomous(any_function f, const model_callbacks &with, const call_arguments &a,
                               double *out) {
  siconos_sizes s(with);
  reinterpret_cast<scleronomous_type>(f)(s.n, a.q, s.m, out, s.z.size(), s.z.data());
  return 0;
}
using rheonomous_type = void (*)(U, const double *, double, U, double *, U, double *);
std::int32_t call_rheonomous(any_function f, const model_callbacks &with, const call_arguments &a,
                             double *out) {
  siconos_sizes s(with);
  reinterpret_cast<rheonomous_type>(f)(s.n, a.q, a.t, s.m, out, s.z.size(), s.z.data());
  return 0;
}
using compliant_type = void (*)(U, const double *, U, const double *, double *, U, double *);
std::int32_t call_compliant(any_function f, const model_callbacks &with, const call_arguments &a,
                            double *out) {
  siconos_sizes s(with);
  reinterpret_cast<compliant_type>(f)(s.n, a.q, s.m, a.lambda, out, s.z.size(), s.z.data());
  return 0;
}

// What Siconos has a function of the same meaning for.
const struct siconos_form {
  const char *group, *kind, *field;
  decltype(model_slot::call) call;
} siconos_forms[] = {
    {"system", "lagrangian_linear", "force", call_time},
    {"system", "first_order_linear", "input", call_time},
    {"system", "lagrangian", "external", call_time},
    {"system", "lagrangian", "mass", call_mass},
    {"system", "lagrangian", "gyroscopic", call_gyroscopic},
    {"system", "lagrangian", "gyroscopic_dq", call_gyroscopic},
    {"system", "lagrangian", "gyroscopic_dv", call_gyroscopic},
    {"system", "lagrangian", "internal", call_internal},
    {"system", "lagrangian", "internal_dq", call_internal},
    {"system", "lagrangian", "internal_dv", call_internal},
    {"system", "first_order", "f", call_first_order},
    {"system", "first_order", "f_dx", call_first_order},
    {"relation", "lagrangian_scleronomous", "h", call_scleronomous},
    {"relation", "lagrangian_scleronomous", "H", call_scleronomous},
    {"relation", "lagrangian_rheonomous", "h", call_rheonomous},
    {"relation", "lagrangian_rheonomous", "H", call_rheonomous},
    {"relation", "lagrangian_rheonomous", "h_dt", call_rheonomous},
    {"relation", "lagrangian_compliant", "h", call_compliant},
    {"relation", "lagrangian_compliant", "H", call_compliant},
    {"relation", "lagrangian_compliant", "D", call_compliant},
};

decltype(model_slot::call) siconos_call(const wanted_function &wanted) {
  if (wanted.layout.bodies > 0) return nullptr;
  for (const siconos_form &each : siconos_forms)
    if (wanted.of->group == each.group && wanted.of->name == each.kind &&
        wanted.field == each.field)
      return each.call;
  return nullptr;
}

// ---- laws by functions of Python ----

using law_type = std::int32_t (*)(double t, const double *h, const double *x, const double *y,
                                  const double *ydot, const double *lambda, const double *s,
                                  const double *z, double *out, void *user);
std::int32_t call_law(any_function f, const model_callbacks &with, const call_arguments &a,
                      double *out) {
  return reinterpret_cast<law_type>(f)(a.t, &a.h, a.x, a.y, a.ydot, a.lambda, a.s, with.z, out,
                                       nullptr);
}

// ---- what plug-ins remember ----

const unsigned char states_magic[8] = {'P', 'E', 'R', 'P', 'P', 'L', 'U', 'G'};

void append(std::vector<unsigned char> *to, const void *bytes, std::size_t count) {
  const auto *const b = static_cast<const unsigned char *>(bytes);
  to->insert(to->end(), b, b + count);
}
void append_size(std::vector<unsigned char> *to, std::uint64_t size) {
  unsigned char bytes[8];
  for (unsigned i = 0; i < 8; i++) bytes[i] = static_cast<unsigned char>(size >> (8 * i));
  append(to, bytes, sizeof bytes);
}
std::uint64_t size_at(const unsigned char *bytes) {
  std::uint64_t size = 0;
  for (unsigned i = 0; i < 8; i++) size |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return size;
}

}  // namespace

bool names_function(const model_node &node) {
  return node.kind == model_node::text &&
         (starts_with(node.words, "plugin:") || starts_with(node.words, "siconos:") ||
          starts_with(node.words, "py:"));
}

void model_plugins::allow(const std::string &model, const plugin_permission &may) {
  folder_ = fs::absolute(model).parent_path().string();
  may_ = may;
  for (const std::string &file : may.files)
    if (std::error_code none; !fs::is_regular_file(file, none))
      throw model_error({"--plugin " + file + ": there is no such file"});
}

// The file of a library that may be opened.
std::string model_plugins::path_of(const std::string &name, std::string *why) const {
  std::error_code none;
  for (const std::string &file : may_.files) {
    const fs::path path(file);
    if (path.filename() == fs::path(name).filename() ||
        path.filename() == fs::path(name + library_suffix).filename())
      return fs::absolute(path).string();
  }
  if (!may_.folder) {
    *why = "which is opened only with --plugins, or --plugin FILE";
    return {};
  }
  const fs::path folder = fs::weakly_canonical(folder_, none);
  fs::path path = fs::weakly_canonical(folder / name, none);
  if (!fs::exists(path, none)) path = fs::weakly_canonical(folder / (name + library_suffix), none);
  const fs::path below = path.lexically_relative(folder);
  if (fs::path(name).is_absolute() || below.empty() || *below.begin() == "..") {
    *why = "a path outside the folder of the model, which only --plugin opens";
    return {};
  }
  if (!fs::is_regular_file(path, none)) {
    *why = "but there is no file `" + name + "`";
    return {};
  }
  return path.string();
}

plugin_library *model_plugins::open(const std::string &name, std::string *why) {
  for (const auto &each : libraries_)
    if (!each->python && each->name == name) return each.get();
  const std::string path = path_of(name, why);
  if (path.empty()) return nullptr;
  auto library = std::make_unique<plugin_library>();
  library->name = name;
  library->path = path;
  library->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle == nullptr) {
    const char *const error = dlerror();
    *why = "but it cannot be opened as a shared library: " +
           std::string(error == nullptr ? path.c_str() : error);
    return nullptr;
  }
  if (const auto version = symbol<std::int32_t (*)()>(library->handle, "perp_plugin_version"))
    library->version = version();
  library->save = symbol<decltype(library->save)>(library->handle, "perp_plugin_save");
  library->restore = symbol<decltype(library->restore)>(library->handle, "perp_plugin_restore");
  libraries_.push_back(std::move(library));
  return libraries_.back().get();
}

plugin_library *model_plugins::import(const std::string &name, std::string *why) {
  for (const auto &each : libraries_)
    if (each->python && each->name == name) return each.get();
  std::string folder;
  for (const std::string &file : may_.files)
    if (fs::path(file).filename() == name + ".py")
      folder = fs::absolute(file).parent_path().string();
  if (folder.empty() && !may_.folder) {
    *why = "which is imported only with --plugins, or --plugin FILE.py";
    return nullptr;
  }
  auto library = std::make_unique<plugin_library>();
  library->name = name;
  library->python = true;
  if (folder.empty()) folder = folder_;
  if (!python_import(folder, library.get(), why)) return nullptr;
  std::string base = name;
  std::replace(base.begin(), base.end(), '.', '/');
  for (const char *const end : {".py", "/__init__.py"}) {
    std::error_code none;
    const fs::path path = fs::path(folder) / (base + end);
    if (fs::is_regular_file(path, none)) library->path = path.string();
  }
  libraries_.push_back(std::move(library));
  return libraries_.back().get();
}

found_function model_plugins::find(const std::string &text, const wanted_function &wanted,
                                   std::string *why) {
  const std::size_t head = text.find(':');
  const bool python = text.compare(0, head, "py") == 0;
  const bool siconos = text.compare(0, head, "siconos") == 0;
  const std::size_t cut = python ? text.rfind('.') : text.rfind(':');
  if (cut == std::string::npos || cut <= head + 1 || cut + 1 >= text.size()) {
    *why = std::string("expected `") +
           (python ? "py:MODULE.FUNCTION" : text.substr(0, head) + ":LIBRARY:FUNCTION") + "`";
    return {};
  }
  const std::string name = text.substr(head + 1, cut - head - 1), function = text.substr(cut + 1);
  if (python) {
    const plugin_library *const module = import(name, why);
    if (module == nullptr) return {};
    if (wanted.called == signature::find)
      return {python_find(name, function, wanted, why), nullptr};
    return {python_function(name, function, wanted, why),
            wanted.layout.n_y > 0 ? call_law : nullptr};
  }
  found_function found;
  if (siconos) {
    found.call = siconos_call(wanted);
    if (found.call == nullptr) {
      *why = "but `" + wanted.field + "` of `" + wanted.of->name +
             "` has no type of Siconos; expected `plugin:LIBRARY:FUNCTION`";
      return {};
    }
  }
  const plugin_library *const library = open(name, why);
  if (library == nullptr) return {};
  if (!siconos && library->version == 0)
    *why = "but `" + name + "` has no `perp_plugin_version`, which each plug-in has";
  else if (!siconos && library->version != PERP_PLUGIN_VERSION)
    *why = "but `" + name + "` is of plug-in version " + std::to_string(library->version) +
           ", expected " + std::to_string(PERP_PLUGIN_VERSION);
  else
    found.function = symbol<any_function>(library->handle, function);
  if (found.function == nullptr && why->empty())
    *why = "but `" + name + "` has no function `" + function + "`";
  return found;
}

void model_plugins::list(std::vector<model_file> *files) const {
  for (const auto &each : libraries_)
    if (!each->path.empty())
      files->push_back({each->name, each->path, checksum(load(each->path)), ""});
}

std::vector<std::string> model_plugins::forgetful() const {
  std::vector<std::string> names;
  for (const auto &each : libraries_)
    if (each->save == nullptr || each->restore == nullptr) names.push_back(each->name);
  return names;
}

// For each plug-in in the order of opening: size, bytes. Then the size of all that, and a mark.
void model_plugins::save(std::vector<unsigned char> *bytes) const {
  if (libraries_.empty()) return;
  const std::size_t before = bytes->size();
  for (const auto &each : libraries_) {
    const std::size_t size = each->save(nullptr, 0);
    if (size == PERP_PLUGIN_FAILED)
      throw std::runtime_error("`" + each->name + "` cannot save what it remembers");
    append_size(bytes, size);
    const std::size_t at = bytes->size();
    bytes->resize(at + size);
    if (size > 0 && each->save(bytes->data() + at, size) != size)
      throw std::runtime_error("`" + each->name + "` does not save the " + std::to_string(size) +
                               " bytes that it remembers");
  }
  append_size(bytes, bytes->size() - before);
  append(bytes, states_magic, sizeof states_magic);
}

void model_plugins::restore(const void *bytes, std::size_t *n_bytes) const {
  if (libraries_.empty()) return;
  const std::runtime_error wrong("the checkpoint is not of a run with these plug-ins");
  const auto *const all = static_cast<const unsigned char *>(bytes);
  const std::size_t n = *n_bytes;
  if (n < 16 || std::memcmp(all + n - 8, states_magic, 8) != 0) throw wrong;
  const std::uint64_t size = size_at(all + n - 16);
  if (size > n - 16) throw wrong;
  const unsigned char *at = all + n - 16 - size;
  std::size_t left = size;
  for (const auto &each : libraries_) {
    if (left < 8 || size_at(at) > left - 8) throw wrong;
    const auto one = static_cast<std::size_t>(size_at(at));
    if (each->restore(at + 8, one) != 0)
      throw std::runtime_error("`" + each->name + "` cannot restore what it had saved");
    at += 8 + one, left -= 8 + one;
  }
  if (left != 0) throw wrong;
  *n_bytes = n - 16 - static_cast<std::size_t>(size);
}

std::string model_plugins::complaint() const {
  for (const auto &each : libraries_)
    if (each->python) return python_complaint();
  return {};
}

}  // namespace perp::io
