// SPDX-License-Identifier: MIT
// The bytes of a fuzzer as numbers, many of them extreme.
#ifndef PERP_TESTS_FUZZ_BYTES_HPP
#define PERP_TESTS_FUZZ_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fuzz {

// Zeros when the bytes are used up.
class bytes {
 public:
  bytes(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}
  unsigned byte() {
    if (size_ == 0) return 0;
    size_--;
    return *data_++;
  }
  double number() {
    static const double special[] = {0,     -0.0, 1,    -1,    2,      -3,    0.5,    1e-9,
                                     -1e-9, 1e9,  -1e9, 1e150, 1e-150, 1e300, 5e-324, -1e300};
    const unsigned kind = byte();
    if (kind < 128) return special[kind % 16];
    if (kind < 250) return (static_cast<int>(byte()) - 128) / 8.0;
    std::uint64_t bits = 0; /* anything at all, NaN and infinities too */
    for (int i = 0; i < 8; i++) bits = bits << 8 | byte();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }

 private:
  const std::uint8_t *data_;
  std::size_t size_;
};

}  // namespace fuzz

#endif
