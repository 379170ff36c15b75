// SPDX-License-Identifier: MIT
/** @file memory.hpp
 * What the façade keeps on the heap. Every program that includes it compiles these, and few lines
 * for each type: that is why they stand in place of std::unique_ptr, std::make_shared and vectors
 * of the façade's own types. */
#ifndef PERP_CXX_MEMORY_HPP
#define PERP_CXX_MEMORY_HPP

#include <cstddef>
#include <memory>
#include <new>

#include "perp/error.hpp"

namespace perp::detail {

struct by_delete {
  template <class T>
  static void end(T *p) noexcept {
    delete p;
  }
};

/** The only owner of what End ends. */
template <class T, class End = by_delete>
class owned {
 public:
  owned() = default;
  explicit owned(T *p) noexcept : p_(p) {}
  owned(owned &&other) noexcept : p_(other.release()) {}
  owned &operator=(owned &&other) noexcept {
    reset(other.release());
    return *this;
  }
  ~owned() { reset(); }

  T *get() const noexcept { return p_; }
  T *operator->() const noexcept { return p_; }
  T &operator*() const noexcept { return *p_; }
  explicit operator bool() const noexcept { return p_ != nullptr; }
  T *release() noexcept {
    T *const p = p_;
    p_ = nullptr;
    return p;
  }
  void reset(T *p = nullptr) noexcept {
    T *const before = p_;
    p_ = p;
    if (before != nullptr) End::end(before);
  }

 private:
  T *p_ = nullptr;
};

/** An object of any type, shared by copies, which ends with the last of them. */
using shared_object = std::shared_ptr<const void>;

template <class T>
void end_of_shared(const void *p) noexcept {
  delete static_cast<const T *>(p);
}
/** Of what new made. */
template <class T>
shared_object share(const T *made) {
  return shared_object(static_cast<const void *>(made), &end_of_shared<T>);
}

/** A handle that knows its type. */
template <class T>
class shared {
 public:
  shared() = default;
  explicit shared(T *made) : p_(share(made)) {}
  T *get() const noexcept { return static_cast<T *>(const_cast<void *>(p_.get())); }
  T *operator->() const noexcept { return get(); }
  T &operator*() const noexcept { return *get(); }
  explicit operator bool() const noexcept { return get() != nullptr; }
  const shared_object &object() const noexcept { return p_; }

 private:
  shared_object p_;
};

/** Values one after another. */
template <class T>
class list {
 public:
  list() = default;
  explicit list(std::size_t size) : data_(new T[size]()), size_(size), room_(size) {}
  list(list &&other) noexcept { swap(other); }
  list(const list &other) : list(other.size_) {
    for (std::size_t i = 0; i < size_; i++) data_[i] = other.data_[i];
  }
  list &operator=(list other) noexcept {
    swap(other);
    return *this;
  }
  ~list() { delete[] data_; }

  T *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T *begin() const noexcept { return data_; }
  T *end() const noexcept { return data_ + size_; }
  T &operator[](std::size_t i) const noexcept { return data_[i]; }

  /** Room for one more, so that adding it cannot fail. */
  void make_room() {
    if (size_ < room_) return;
    const std::size_t room = room_ < 2 ? 4 : 2 * room_;
    T *const more = new T[room]();
    for (std::size_t i = 0; i < size_; i++) more[i] = static_cast<T &&>(data_[i]);
    delete[] data_;
    data_ = more;
    room_ = room;
  }
  void push_back(T value) {
    make_room();
    data_[size_++] = static_cast<T &&>(value);
  }

 private:
  void swap(list &other) noexcept {
    T *const data = data_;
    const std::size_t size = size_, room = room_;
    data_ = other.data_, size_ = other.size_, room_ = other.room_;
    other.data_ = data, other.size_ = size, other.room_ = room;
  }
  T *data_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

struct by_delete_of_bytes {
  static void end(unsigned char *p) noexcept { delete[] p; }
};

/** A block of memory, aligned for everything. */
class block {
 public:
  block() = default;
  /** Of so many bytes; where there is no such memory, say who wanted how much. */
  block(const char *who, std::size_t bytes, const char *field = "work_bytes")
      : data_(new (std::nothrow) unsigned char[bytes > 0 ? bytes : 1]), size_(bytes) {
    if (!data_) no_memory(who, field, bytes);
  }
  /** Hold that many at least. */
  void reserve(const char *who, std::size_t bytes, const char *field = "work_bytes") {
    if (data_ && bytes <= size_) return;
    *this = block();
    *this = block(who, bytes, field);
  }
  void *data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }

 private:
  owned<unsigned char, by_delete_of_bytes> data_;
  std::size_t size_ = 0;
};

}  // namespace perp::detail

#endif
