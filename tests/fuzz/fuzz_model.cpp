// SPDX-License-Identifier: MIT
// Model files of any bytes: read or refused, whatever they hold. The first byte chooses the format.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
  try {
    (void)perp::io::read_model(text, (data[0] & 1) != 0 ? "model.json" : "model.toml");
  } catch (const perp::io::model_error &) {
  }
  return 0;
}
