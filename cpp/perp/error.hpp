// SPDX-License-Identifier: MIT
/** @file error.hpp
 * Only negative statuses throw: "no solution" is an answer, a wrong call is not. */
#ifndef PERP_CXX_ERROR_HPP
#define PERP_CXX_ERROR_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "perp/heap.h"

namespace perp {

namespace detail {

/** "simulation: h = -0.5: must be > 0". */
inline std::string sentence(perp_status status, const char *who, const perp_info &info) {
  char text[512];
  (void)perp_explain(status, &info, 0, text, sizeof text);
  return std::string(who == nullptr || *who == '\0' ? "perp" : who) + ": " + text;
}

/** Of the façade's own: what may say what is wrong, with a ": " in it. */
inline std::string own_sentence(perp_status status, const char *what, const perp_info &info) {
  if (what == nullptr || std::strstr(what, ": ") == nullptr) return sentence(status, what, info);
  std::string text = what;
  char value[40];
  (void)std::snprintf(value, sizeof value, "%.9g", info.value);
  if (info.field == nullptr || info.value == 0 || text.find(value) != std::string::npos)
    return text;
  text += std::string(" (") + info.field;
  if (info.index >= 0) text += "[" + std::to_string(info.index) + "]";
  return text + " = " + value + ")";
}

/** An info that names a field. */
inline perp_info about(const char *field, std::int32_t index, double value) {
  perp_info info = PERP_INFO_INIT;
  info.field = field;
  info.index = index;
  info.value = value;
  return info;
}

}  // namespace detail

/** A call that was wrong, or an environment that failed: a negative status and what was wrong. */
class error : public std::runtime_error {
 public:
  /** @param what  who refused; with a ": " in it also what is wrong, and that is the sentence
   * @param field  static, may be NULL */
  explicit error(perp_status status, const char *what = "perp", const char *field = nullptr,
                 std::int32_t index = -1, double value = 0)
      : std::runtime_error(detail::own_sentence(status, what, detail::about(field, index, value))),
        status_(status),
        info_(detail::about(field, index, value)) {}
  /** With what an info tells. */
  error(perp_status status, const char *who, const perp_info &info)
      : std::runtime_error(detail::sentence(status, who, info)), status_(status), info_(info) {}

  /** Which error; negative. */
  perp_status status() const noexcept { return status_; }
  /** Name of the offending argument, NULL if none. */
  const char *field() const noexcept { return info_.field; }
  /** Which system, interaction or entry, see info().of; -1: none, or the only one. */
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

/** That an array has another size than is needed. */
[[noreturn]] inline void wrong_size(const char *what, const char *field, std::size_t size,
                                    std::size_t need) {
  const std::string text = std::string(what) + ": " + field + " has " + std::to_string(size) +
                           " entries where " + std::to_string(need) + " are needed";
  refuse(PERP_EINVAL, text.c_str(), field, -1, static_cast<double>(size));
}

/** That there is no such object: "q: no such system as 7", and what else may be wrong. */
[[noreturn]] inline void no_such(const char *who, const char *kind, std::int32_t i,
                                 const char *more = "") {
  const std::string text =
      std::string(who) + ": no such " + kind + " as " + std::to_string(i) + more;
  refuse(PERP_EINVAL, text.c_str(), who, i);
}

/** That there is no memory for a block, and how much was wanted. */
[[noreturn]] inline void no_memory(const char *who, const char *field, std::size_t bytes) {
  const std::string text = std::string(who) + ": no memory";
  refuse(PERP_EWORKSPACE, text.c_str(), field, -1, static_cast<double>(bytes));
}

}  // namespace detail

}  // namespace perp

#endif
