// SPDX-License-Identifier: MIT
/** @file error.hpp
 * Only negative statuses throw: "no solution" is an answer, a wrong call is not. */
#ifndef PERP_CXX_ERROR_HPP
#define PERP_CXX_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "perp/heap.h"

namespace perp {

namespace detail {

/** "simulation: h = -0.5: must be > 0". */
inline std::string sentence(perp_status status, const char *what, const char *field,
                            std::int32_t index, double value) {
  std::string text = what == nullptr || *what == '\0' ? "perp" : what;
  if (field != nullptr) text += std::string(": ") + field;
  if (field != nullptr && index >= 0) text += "[" + std::to_string(index) + "]";
  char rest[256];
  (void)perp_explain(status, field, value, rest, sizeof rest);
  return text + rest;
}

}  // namespace detail

/** A call that was wrong, or an environment that failed: a negative status and what was wrong. */
class error : public std::runtime_error {
 public:
  /** @param what  who refused, or what is wrong; @param field  static, may be NULL */
  explicit error(perp_status status, const char *what = "perp", const char *field = nullptr,
                 std::int32_t index = -1, double value = 0)
      : std::runtime_error(detail::sentence(status, what, field, index, value)), status_(status) {
    info_.field = field;
    info_.index = index;
    info_.value = value;
  }
  /** With what an info tells. */
  error(perp_status status, const char *what, const perp_info &info)
      : std::runtime_error(detail::sentence(status, what, info.field, info.index, info.value)),
        status_(status),
        info_(info) {}

  /** Which error; negative. */
  perp_status status() const noexcept { return status_; }
  /** Name of the offending argument, NULL if none. */
  const char *field() const noexcept { return info_.field; }
  /** Which system, interaction or entry; -1: none, or the only one. */
  std::int32_t index() const noexcept { return info_.index; }
  /** The offending value, 0 if it is not a number. */
  double value() const noexcept { return info_.value; }
  /** All of it. */
  const perp_info &info() const noexcept { return info_; }

 private:
  perp_status status_;
  perp_info info_ = PERP_INFO_INIT;
};

/** The status, if it is not negative; otherwise an error of who and info. */
inline perp_status check(perp_status status, const char *who, const perp_info &info) {
  if (status < 0) throw error(status, who, info);
  return status;
}

/** The status, if it is not negative. */
inline perp_status check(perp_status status, const char *who = "perp") {
  if (status < 0) throw error(status, who);
  return status;
}

namespace detail {

/** That there is no memory for a block, and how much was wanted. */
inline error no_memory(const char *who, const char *field, std::size_t bytes) {
  const std::string text = std::string(who) + ": no memory";
  return error(PERP_EWORKSPACE, text.c_str(), field, -1, static_cast<double>(bytes));
}

/** Let a block hold so many bytes; where there is no such memory, say who wanted how much. */
inline void reserve(std::vector<std::byte> &block, const char *who, std::size_t bytes) {
  if (bytes <= block.size()) return;
  block = {};
  try {
    block.resize(bytes);
  } catch (const std::exception &) { /* bad_alloc, length_error */
    throw no_memory(who, "work_bytes", bytes);
  }
}

/** A block of so many bytes. */
inline std::vector<std::byte> memory(const char *who, std::size_t bytes) {
  std::vector<std::byte> block;
  reserve(block, who, bytes);
  return block;
}

}  // namespace detail

}  // namespace perp

#endif
