// SPDX-License-Identifier: MIT
#include "tool/view_numbers.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace perp::tool {

std::string packed::base64() const {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    std::uint32_t three = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes_.size() - i);
    for (std::size_t k = 0; k < 3; k++) three = three << 8U | (k < n ? bytes_[i + k] : 0U);
    for (std::size_t k = 0; k < 4; k++) text += k <= n ? digits[three >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

// Bytes of a number, the lowest first whatever the processor does.
void packed::put(const void *number, std::size_t n) {
  const std::uint16_t one = 1;
  unsigned char first = 0;
  std::memcpy(&first, &one, 1);
  const auto *const from = static_cast<const unsigned char *>(number);
  for (std::size_t k = 0; k < n; k++) bytes_.push_back(from[first == 1 ? k : n - 1 - k]);
}

const char *name_of(forms form) {
  return form == forms::f64 ? "f64" : form == forms::f32 ? "f32" : "i16";
}
std::size_t bytes_of(forms form) { return form == forms::f64 ? 8 : form == forms::f32 ? 4 : 2; }

void put_column(packed *to, const std::vector<double> &values, forms form) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double v : values)
    if (std::isfinite(v)) low = std::fmin(low, v), high = std::fmax(high, v);
  const bool none = !(low <= high);
  const double offset = none || (low <= 0 && high >= 0) ? 0 : low / 2 + high / 2;
  const double half = none ? 0 : std::fmax(high - offset, offset - low);
  int exponent = 0;
  (void)std::frexp(half, &exponent);
  // A power of two, so that scaling does not round: |u| < 2 as f32, <= 32767 as i16.
  double scale = half == 0 ? 1 : std::ldexp(1.0, exponent - 1);
  if (form == forms::i16 && half != 0) scale = half / 32767;
  if (form == forms::i16 && scale == 0) scale = std::numeric_limits<double>::denorm_min();
  to->f64(offset);
  to->f64(scale);
  for (const double v : values) {
    if (form == forms::f64) to->f64(v);
    if (form == forms::f32) to->f32(static_cast<float>((v - offset) / scale));
    if (form == forms::i16)
      to->i16(
          static_cast<std::int16_t>(std::isfinite(v) ? std::lround((v - offset) / scale) : -32768));
  }
}

}  // namespace perp::tool
