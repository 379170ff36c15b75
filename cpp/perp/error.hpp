// SPDX-License-Identifier: MIT
/** @file error.hpp
 * Only negative statuses throw: "no solution" is an answer, a wrong call is not. */
#ifndef PERP_CXX_ERROR_HPP
#define PERP_CXX_ERROR_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "perp/heap.h"

namespace perp {

namespace detail {

/** "simulation: h = -0.5: must be > 0". */
inline std::string sentence(perp_status status, const char *what, const char *field,
                            std::int32_t index, double value) {
  std::string text = what == nullptr || *what == '\0' ? "perp" : what;
  char rest[256];
  if (field != nullptr) {
    (void)text.append(": ").append(field);
    if (index >= 0) {
      (void)std::snprintf(rest, sizeof rest, "[%ld]", static_cast<long>(index));
      (void)text.append(rest);
    }
  }
  (void)perp_explain(status, field, value, rest, sizeof rest);
  return text.append(rest);
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

#ifndef __cpp_exceptions
/** Without exceptions (-fno-exceptions): told each error, which ends the program once this returns.
 * Steps and solves return their negative status instead. */
inline void (*on_error)(const error &) = nullptr;
#endif

namespace detail {

#ifdef __cpp_exceptions
constexpr bool exceptions = true;
#else
constexpr bool exceptions = false;
#endif

/** Where every error leaves. */
[[noreturn]] inline void refuse(const error &e) {
#ifdef __cpp_exceptions
  throw e;
#else
  if (on_error != nullptr) on_error(e);
  std::abort();
#endif
}
[[noreturn]] inline void refuse(perp_status status, const char *what, const char *field = nullptr,
                                std::int32_t index = -1, double value = 0) {
  refuse(error(status, what, field, index, value));
}
[[noreturn]] inline void refuse(perp_status status, const char *who, const perp_info &info) {
  refuse(error(status, who, info));
}
/** With a text in two parts. */
[[noreturn]] inline void refuse(perp_status status, const char *who, const char *what,
                                const char *field, double value) {
  refuse(error(status, std::string(who).append(what).c_str(), field, -1, value));
}

}  // namespace detail

/** The status, if it is not negative; otherwise an error of who and info. */
inline perp_status check(perp_status status, const char *who, const perp_info &info) {
  if (status < 0) detail::refuse(status, who, info);
  return status;
}

/** The status, if it is not negative. */
inline perp_status check(perp_status status, const char *who = "perp") {
  if (status < 0) detail::refuse(status, who);
  return status;
}

namespace detail {

/** As check() of a call that returns its status: without exceptions a negative one, too. */
inline perp_status answer(perp_status status, const char *who, const perp_info &info) {
  return exceptions ? check(status, who, info) : status;
}

}  // namespace detail

}  // namespace perp

#endif
