// SPDX-License-Identifier: MIT
// perp export: HDF5, one dataset for each quantity, samples x members x components.
#include <cstring>

#include "io/file.hpp"
#include "io/hdf5.hpp"
#include "tool/export.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

namespace hdf5 = io::hdf5;
using hdf5::handle;

// A file that is written, closed whatever happens.
class writer {
 public:
  writer(const std::string &name, const std::string &path)
      : name_(name),
        path_(path),
        file_(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose),
        text_(H5Tcopy(H5T_C_S1), H5Tclose) {
    check(file_ && text_);
    check(H5Tset_size(text_.get(), H5T_VARIABLE) >= 0);
    check(H5Tset_cset(text_.get(), H5T_CSET_UTF8) >= 0);
  }
  // Groups on the way to a name are made.
  handle set(const std::string &name, hid_t type, const std::vector<hsize_t> &shape) const {
    const handle space(
        shape.empty() ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
        H5Sclose);
    const handle how(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    check(space && how && H5Pset_create_intermediate_group(how.get(), 1) >= 0);
    handle made(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), how.get(), H5P_DEFAULT,
                           H5P_DEFAULT),
                H5Dclose);
    check(static_cast<bool>(made));
    return made;
  }
  // Samples from first on, count of them, each of `width` numbers.
  void part(const handle &set, const std::vector<hsize_t> &shape, hsize_t first, hsize_t count,
            const double *values) const {
    std::vector<hsize_t> start(shape.size(), 0), size = shape;
    start[0] = first, size[0] = count;
    const handle in_file(H5Dget_space(set.get()), H5Sclose);
    const handle in_memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
                           H5Sclose);
    check(in_file && in_memory);
    check(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(),
                              nullptr) >= 0);
    check(H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, in_memory.get(), in_file.get(), H5P_DEFAULT,
                   values) >= 0);
  }
  template <class T>
  void list(const std::string &name, hid_t in_file, hid_t in_memory,
            const std::vector<T> &values) const {
    const handle made = set(name, in_file, {values.size()});
    check(values.empty() ||
          H5Dwrite(made.get(), in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  }
  void text(const std::string &name, const std::string &value) const {
    const handle made = set(name, text_.get(), {});
    const char *const at = value.c_str();
    check(H5Dwrite(made.get(), text_.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &at) >= 0);
  }
  void texts(const std::string &name, const std::vector<std::string> &values) const {
    std::vector<const char *> all;
    all.reserve(values.size());
    for (const std::string &v : values) all.push_back(v.c_str());
    list(name, text_.get(), text_.get(), all);
  }
  void attribute(const handle &of, const char *name, hid_t type, const std::vector<hsize_t> &shape,
                 const void *value) const {
    const handle space(
        shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, shape.data(), nullptr),
        H5Sclose);
    check(static_cast<bool>(space));
    const handle made(H5Acreate2(of.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
    check(made && H5Awrite(made.get(), type, value) >= 0);
  }
  void attribute(const handle &of, const char *name, const std::string &value) const {
    const char *const at = value.c_str();
    attribute(of, name, text_.get(), {}, &at);
  }
  void attribute(const handle &of, const char *name, const std::vector<std::string> &values) const {
    std::vector<const char *> all;
    all.reserve(values.size());
    for (const std::string &v : values) all.push_back(v.c_str());
    attribute(of, name, text_.get(), {all.size()}, all.data());
  }
  const handle &root() const { return file_; }
  // Everything has reached the file.
  void finish() {
    check(H5Fflush(file_.get(), H5F_SCOPE_LOCAL) >= 0);
    file_ = handle();
  }

 private:
  void check(bool done) const {
    if (done) return;
    const int error = io::refuses_more(name_);
    throw run_error(path_ + ": HDF5 could not write it" +
                    (error != 0 ? std::string(": ") + std::strerror(error) : std::string()));
  }
  std::string name_, path_;
  handle file_;
  handle text_;
};

void write_events(const writer &to, const event_table &t) {
  const hid_t f8 = H5T_IEEE_F64LE, i4 = H5T_STD_I32LE, number = H5T_NATIVE_DOUBLE,
              integer = H5T_NATIVE_INT32;
  to.list("/events/t", f8, number, t.t);
  to.list("/events/kind", i4, integer, t.kind);
  to.list("/events/index", i4, integer, t.index);
  to.list("/events/copy", i4, integer, t.copy);
  to.list("/events/before", i4, integer, t.before);
  to.list("/events/after", i4, integer, t.after);
  to.list("/events/error", f8, number, t.error);
  to.list("/events/until", f8, number, t.until);
  to.list("/events/impulse", f8, number, t.impulse);
  to.list("/events/impulse_start", H5T_STD_I64LE, H5T_NATIVE_INT64, t.impulse_start);
}

void write_contacts(const writer &to, const exported &e) {
  if (e.log->summary().contact_lists == 0) return;
  const std::vector<std::int64_t> start = contact_starts(e);
  to.list("/contacts/start", H5T_STD_I64LE, H5T_NATIVE_INT64, start);
  to.texts("/contacts/names", e.log->systems());
  for (const contact_part &part : contact_parts()) {
    std::vector<hsize_t> shape = {static_cast<hsize_t>(start.back())};
    if (part.width > 1) shape.push_back(part.width);
    const hid_t type = part.form == number_form::i32   ? H5T_STD_I32LE
                       : part.form == number_form::u32 ? H5T_STD_U32LE
                       : e.float32                     ? H5T_IEEE_F32LE
                                                       : H5T_IEEE_F64LE;
    const handle set = to.set(std::string("/contacts/") + part.name, type, shape);
    to.attribute(set, "units", std::string(part.unit));
    to.attribute(set, "description", std::string(part.says));
    hsize_t done = 0;
    each_contact(e, part, [&](const std::vector<double> &values) {
      const hsize_t count = values.size() / part.width;
      if (count > 0) to.part(set, shape, done, count, values.data());
      done += count;
    });
  }
}

void write_about(const writer &to, const exported &e) {
  const perp_log_schema &of = e.log->schema();
  to.text("/model", of.model);
  to.text("/options", of.options);
  to.text("/report", e.end.report);
  to.attribute(to.root(), "program", of.program);
  to.attribute(to.root(), "model_name", of.model_name);
  to.attribute(to.root(), "log_crc32", e.log_crc32);
  to.attribute(to.root(), "log_bytes", H5T_NATIVE_INT64, {}, &e.log_bytes);
  if (!e.end.ended) return;
  to.attribute(to.root(), "end", H5T_NATIVE_DOUBLE, {}, &e.end.t);
  to.attribute(to.root(), "status", H5T_NATIVE_INT32, {}, &e.end.status);
  to.attribute(to.root(), "reason", e.end.reason);
}

// What is said of a quantity. Names of members are a dataset: attributes have at most 64 kB.
void describe(const writer &to, const handle &set, const slice &s, const exported &e,
              const std::string &where) {
  const perp_log_quantity &q = e.log->schema().quantities[s.quantity];
  std::vector<std::string> members, components, units;
  for (const std::int32_t k : s.members) members.push_back(e.log->member(s.quantity, k));
  bool same = true;
  for (const std::int32_t i : s.components) {
    components.push_back(e.log->component(s.quantity, i));
    units.push_back(e.log->at(s.quantity, 0, i).unit);
    same = same && units.back() == units.front();
  }
  if (same)
    to.attribute(set, "units", units.front());
  else
    to.attribute(set, "units", units);
  to.attribute(set, "components", components);
  to.attribute(set, "description", std::string(q.description));
  to.texts("/members/" + where, members);
}

void write_samples(const writer &to, const exported &e) {
  struct target {
    handle set;
    std::vector<hsize_t> shape;
    std::vector<double> values;
  };
  std::vector<target> targets;
  std::vector<column> columns;
  const auto samples = static_cast<hsize_t>(e.samples);
  const handle t = to.set("/t", H5T_IEEE_F64LE, {samples});
  to.attribute(t, "units", std::string("s"));
  for (const slice &s : e.slices) {
    const perp_log_quantity &q = e.log->schema().quantities[s.quantity];
    const std::string where = std::string(q.kind) + "/" + q.name;
    const std::vector<hsize_t> shape = {samples, s.members.size(), s.components.size()};
    targets.push_back(
        {to.set("/quantities/" + where, e.float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, shape),
         shape,
         {}});
    describe(to, targets.back().set, s, e, where);
    columns.insert(columns.end(), s.columns.begin(), s.columns.end());
  }
  hsize_t done = 0;
  e.log->each(
      columns,
      [&](std::int64_t n, const double *times, const double *values) {
        const auto count = static_cast<hsize_t>(n);
        to.part(t, {samples}, done, count, times);
        for (target &to_set : targets) to_set.values.clear();
        for (hsize_t k = 0; k < count; k++)
          for (target &to_set : targets) {
            const std::size_t width = to_set.shape[1] * to_set.shape[2];
            to_set.values.insert(to_set.values.end(), values, values + width);
            values += width;
          }
        for (const target &to_set : targets)
          to.part(to_set.set, to_set.shape, done, count, to_set.values.data());
        done += count;
      },
      e.stride);
}

}  // namespace

void write_hdf5(const std::string &name, const std::string &path, const exported &e) {
  const hdf5::quiet hush;
  writer to(name, path);
  write_samples(to, e);
  write_events(to, e.events);
  write_contacts(to, e);
  write_about(to, e);
  to.finish();
}

}  // namespace perp::tool
