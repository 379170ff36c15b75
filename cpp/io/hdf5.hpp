// SPDX-License-Identifier: MIT
// HDF5 by its C interface: handles that close themselves, quiet errors, small reads and writes.
#ifndef PERP_IO_HDF5_HPP
#define PERP_IO_HDF5_HPP

#include <hdf5.h>

#include <optional>
#include <string>
#include <utility>

#include "io/error.hpp"
#include "io/matrix.hpp"

namespace perp::io::hdf5 {

// What H5...open or H5...create gave; closed by the function for its kind.
class handle {
 public:
  handle() = default;
  handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~handle() {
    if (id_ >= 0 && close_ != nullptr) (void)close_(id_);
  }
  handle(handle &&o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  handle &operator=(handle &&o) noexcept {
    std::swap(id_, o.id_);
    std::swap(close_, o.close_);
    return *this;
  }
  handle(const handle &) = delete;
  handle &operator=(const handle &) = delete;
  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

// HDF5 prints nothing while one of these lives, and nothing at the end of the program, where a
// damaged file could keep it from letting go.
class quiet {
 public:
  quiet() {
    (void)H5dont_atexit();
    (void)H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    (void)H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~quiet() { (void)H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  quiet(const quiet &) = delete;
  quiet &operator=(const quiet &) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void *data_ = nullptr;
};

// A file that is read, and its name for messages.
class reader {
 public:
  explicit reader(const std::string &path);

  // Whether a path "/a/b" leads to an object of this file; links to names are refused, since a name
  // may lead to any other file.
  bool has(const std::string &name) const;
  std::int32_t integer(const std::string &name) const;
  // One-dimensional; all entries of an absent dataset.
  ints integers(const std::string &name) const;
  reals numbers(const std::string &name, bool finite = true) const;
  // With so many entries.
  ints integers(const std::string &name, std::size_t count) const;
  reals numbers(const std::string &name, std::size_t count) const;
  // Empty where there is none.
  std::string text(const std::string &name) const;

  [[noreturn]] void fail(const std::string &name, const std::string &what) const;

 private:
  struct data {
    handle set;
    std::size_t count = 0;
  };
  // Whether the file may hold so many bytes of data.
  bool fits(double bytes) const;
  data open(const std::string &name, H5T_class_t kind, H5T_class_t other) const;

  std::string path_;
  handle file_;
};

// A new file, and the name for messages.
class writer {
 public:
  writer(const std::string &name, const std::string &path);

  void group(const std::string &name);
  void integers(const std::string &name, const ints &values);
  void integer(const std::string &name, std::int32_t value) { integers(name, {value}); }
  void numbers(const std::string &name, const reals &values);
  void text(const std::string &name, const std::string &value);
  // Everything has reached the file.
  void finish();

 private:
  void write(const std::string &name, hid_t type, std::size_t count, const void *data);
  [[noreturn]] void fail(const std::string &name) const;

  std::string path_;
  handle file_;
};

}  // namespace perp::io::hdf5

#endif
