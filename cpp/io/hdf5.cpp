// SPDX-License-Identifier: MIT
#include "io/hdf5.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp::io::hdf5 {

namespace {

// No dataset is believed to hold more than this many times the bytes of its file (deflate reaches
// 1032, and what was never written is not stored), so that a header allocates nothing large.
constexpr double most_compression = 1100;

// Whether a dataset keeps its numbers in other files: as raw bytes there, or as parts of theirs.
bool lies_elsewhere(const handle &set) {
  const handle plan(H5Dget_create_plist(set.get()), H5Pclose);
  return !plan || H5Pget_external_count(plan.get()) != 0 ||
         H5Pget_layout(plan.get()) == H5D_VIRTUAL;
}

}  // namespace

reader::reader(const std::string &path) : path_(path) {
  file_ = handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file_) throw file_error(path, "", "expected an HDF5 file, but HDF5 cannot open it");
}

void reader::fail(const std::string &name, const std::string &what) const {
  throw file_error(path_, "", name + ": " + what);
}

bool reader::fits(double bytes) const {
  hsize_t size = 0;
  return H5Fget_filesize(file_.get(), &size) >= 0 &&
         bytes <= static_cast<double>(size) * most_compression;
}

bool reader::has(const std::string &name) const {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    H5L_info_t link;
    if (H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (H5Lget_info(file_.get(), part.c_str(), &link, H5P_DEFAULT) < 0) return false;
    if (link.type != H5L_TYPE_HARD) fail(part, "a link, which is not followed");
    if (H5Oexists_by_name(file_.get(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

reader::data reader::open(const std::string &name, H5T_class_t kind, H5T_class_t other) const {
  if (!has(name)) fail(name, "expected, but it is not there");
  data d;
  d.set = handle(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!d.set) fail(name, "expected a dataset");
  if (lies_elsewhere(d.set)) fail(name, "its numbers lie in other files, which are not read");
  const handle type(H5Dget_type(d.set.get()), H5Tclose);
  const H5T_class_t found = type ? H5Tget_class(type.get()) : H5T_NO_CLASS;
  if (found != kind && found != other)
    fail(name, kind == H5T_INTEGER ? "expected integers" : "expected numbers");
  const handle space(H5Dget_space(d.set.get()), H5Sclose);
  const hssize_t points = space ? H5Sget_simple_extent_npoints(space.get()) : -1;
  if (points < 0) fail(name, "expected a simple dataset");
  const std::size_t size = std::max<std::size_t>(H5Tget_size(type.get()), 1);
  if (!fits(static_cast<double>(points) * static_cast<double>(size)))
    fail(name, "expected " + std::to_string(points) + " entries, for which the file is too small");
  if (points > std::numeric_limits<std::int32_t>::max()) fail(name, "expected fewer entries");
  d.count = static_cast<std::size_t>(points);
  return d;
}

ints reader::integers(const std::string &name) const {
  const data d = open(name, H5T_INTEGER, H5T_INTEGER);
  std::vector<long long> wide(d.count);
  if (d.count > 0 &&
      H5Dread(d.set.get(), H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0)
    fail(name, "cannot be read");
  ints values;
  values.reserve(d.count);
  for (const long long value : wide) {
    if (value < std::numeric_limits<std::int32_t>::min() ||
        value > std::numeric_limits<std::int32_t>::max())
      fail(name, "expected integers of 32 bits, found " + std::to_string(value));
    values.push_back(static_cast<std::int32_t>(value));
  }
  return values;
}

std::int32_t reader::integer(const std::string &name) const { return integers(name, 1).front(); }

reals reader::numbers(const std::string &name, bool finite) const {
  const data d = open(name, H5T_FLOAT, H5T_INTEGER);
  reals values(d.count);
  if (d.count > 0 &&
      H5Dread(d.set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(name, "cannot be read");
  for (std::size_t i = 0; finite && i < values.size(); i++)
    if (!std::isfinite(values[i]))
      fail(name, "expected finite numbers, found " +
                     std::string(std::isnan(values[i]) ? "nan" : "inf") + " at " +
                     std::to_string(i));
  return values;
}

ints reader::integers(const std::string &name, std::size_t count) const {
  ints values = integers(name);
  if (values.size() != count)
    fail(name,
         "expected " + std::to_string(count) + " entries, found " + std::to_string(values.size()));
  return values;
}

reals reader::numbers(const std::string &name, std::size_t count) const {
  reals values = numbers(name);
  if (values.size() != count)
    fail(name,
         "expected " + std::to_string(count) + " entries, found " + std::to_string(values.size()));
  return values;
}

std::string reader::text(const std::string &name) const {
  if (!has(name)) return {};
  const handle set(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set || lies_elsewhere(set)) return {};
  const handle type(H5Dget_type(set.get()), H5Tclose), space(H5Dget_space(set.get()), H5Sclose);
  if (!type || !space || H5Tget_class(type.get()) != H5T_STRING) return {};
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Tis_variable_str(type.get()) != 0)
    return {};
  const std::size_t size = H5Tget_size(type.get());
  if (!fits(static_cast<double>(size))) return {};
  std::string value(size, '\0');
  if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0) return {};
  return value.substr(0, value.find('\0'));
}

writer::writer(const std::string &name, const std::string &path) : path_(path) {
  file_ = handle(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!file_) throw file_error(path, "", "HDF5 cannot create this file", file_error::kinds::system);
}

void writer::fail(const std::string &name) const {
  throw file_error(path_, "", name + ": HDF5 cannot write it", file_error::kinds::system);
}

void writer::group(const std::string &name) {
  const handle g(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 H5Gclose);
  if (!g) fail(name);
}

void writer::write(const std::string &name, hid_t type, std::size_t count, const void *data) {
  const hsize_t size = count;
  const handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const handle set(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT,
                              H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  if (!space || !set) fail(name);
  if (count > 0 && H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) fail(name);
}

void writer::integers(const std::string &name, const ints &values) {
  write(name, H5T_NATIVE_INT32, values.size(), values.data());
}

void writer::numbers(const std::string &name, const reals &values) {
  write(name, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void writer::text(const std::string &name, const std::string &value) {
  const handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (!type || H5Tset_size(type.get(), value.size() + 1) < 0) fail(name);
  write(name, type.get(), 1, value.c_str());
}

void writer::finish() {
  if (H5Fflush(file_.get(), H5F_SCOPE_LOCAL) < 0) fail("/");
  file_ = handle();
}

}  // namespace perp::io::hdf5
