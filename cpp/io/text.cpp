// SPDX-License-Identifier: MIT
#include "io/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace perp::io {

namespace {

bool white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A token as a message can show it.
std::string shown(std::string_view token) {
  constexpr std::size_t most = 24;
  std::string text = "'";
  for (const char c : token.substr(0, most)) text += c > ' ' && c < '\x7f' ? c : '?';
  return text + (token.size() > most ? "...'" : "'");
}

// The whole token as a number of type T.
template <class T>
std::errc parse(std::string_view token, T *value) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), *value);
  if (code == std::errc::invalid_argument || end != token.data() + token.size())
    return std::errc::invalid_argument;
  return code;
}

}  // namespace

std::size_t text_reader::next() {
  while (at_ < text_.size() && white(text_[at_])) at_++;
  return at_;
}

std::string_view text_reader::peek() {
  const std::size_t from = next();
  std::size_t to = from;
  while (to < text_.size() && !white(text_[to])) to++;
  return text_.substr(from, to - from);
}

std::string_view text_reader::take() {
  const std::string_view token = peek();
  at_ += token.size();
  return token;
}

void text_reader::fail(const std::string &expected, std::size_t from,
                       file_error::kinds kind) const {
  const auto line =
      1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(from), '\n');
  text_reader rest(text_.substr(from), path_);
  const std::string_view token = rest.peek();
  if (token.empty()) kind = file_error::kinds::ended;
  throw file_error(
      path_, std::to_string(line),
      "expected " + expected + ", found " + (token.empty() ? "the end of the file" : shown(token)),
      kind, from);
}

std::int32_t text_reader::integer(const std::string &what, std::int32_t low, std::int32_t high) {
  const std::size_t from = next();
  std::int32_t value = 0;
  const bool is_one = parse(take(), &value) == std::errc();
  if (is_one && value >= low && value <= high) return value;
  const bool no_limit = high == std::numeric_limits<std::int32_t>::max();
  fail(what + (low == high ? " = " + std::to_string(low)
                           : ", an integer from " + std::to_string(low) +
                                 (no_limit ? "" : " to " + std::to_string(high))),
       from);
}

void text_reader::peek_integer(const std::string &what, std::int32_t low, std::int32_t high) {
  const std::size_t from = next();
  (void)integer(what, low, high);
  at_ = from;
}

double text_reader::real(const std::string &what, std::string_view token, std::size_t from) {
  double value = 0;
  const std::errc code = parse(token, &value);
  if (code == std::errc::result_out_of_range)
    return std::strtod(std::string(token).c_str(), nullptr);  // 0 or a denormal, or infinity
  if (code != std::errc()) fail("a number, " + what, from);
  return value;
}

double text_reader::number(const std::string &what) {
  const std::size_t from = next();
  const double value = real(what, take(), from);
  if (!std::isfinite(value)) fail("a finite number, " + what, from, file_error::kinds::value);
  return value;
}

double text_reader::bound(const std::string &what, double infinite) {
  const std::size_t from = next();
  const double value = real(what, take(), from);
  if (!std::isfinite(value) && value != infinite)
    fail(std::string("a finite number or ") + (infinite > 0 ? "inf, " : "-inf, ") + what, from,
         file_error::kinds::value);
  return value;
}

void text_reader::word(std::string_view expected) {
  const std::size_t from = next();
  if (take() != expected) fail("'" + std::string(expected) + "'", from);
}

std::string_view text_reader::any_word(const std::string &what) {
  const std::size_t from = next();
  const std::string_view token = take();
  if (token.empty()) fail(what, from);
  return token;
}

std::size_t text_reader::room(std::size_t count) const {
  return std::min(count, (text_.size() - at_ + 1) / 2);
}

reals text_reader::numbers(std::size_t count, const std::string &what) {
  reals values;
  values.reserve(room(count));
  for (std::size_t i = 0; i < count; i++) values.push_back(number(what));
  return values;
}

ints text_reader::integers(std::size_t count, const std::string &what, std::int32_t low,
                           std::int32_t high) {
  ints values;
  values.reserve(room(count));
  for (std::size_t i = 0; i < count; i++) values.push_back(integer(what, low, high));
  return values;
}

void text_reader::skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

void text_reader::require_room(std::size_t count, const std::string &what) {
  if (count <= room(count)) return;
  const auto line =
      1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
  throw file_error(path_, std::to_string(line), "expected a longer file, for " + what,
                   file_error::kinds::ended, at_);
}

}  // namespace perp::io
