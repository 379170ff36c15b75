// SPDX-License-Identifier: MIT
// Numbers of a page of perp view: columns of them in base64.
#ifndef PERP_TOOL_VIEW_NUMBERS_HPP
#define PERP_TOOL_VIEW_NUMBERS_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tool/results.hpp"

namespace perp::tool {

// Numbers one after another, little-endian.
class packed {
 public:
  void f64(double x) { put(&x, sizeof x); }
  void f32(float x) { put(&x, sizeof x); }
  void i16(std::int16_t x) { put(&x, sizeof x); }
  std::size_t size() const { return bytes_.size(); }
  std::string base64() const;

 private:
  void put(const void *number, std::size_t n);
  std::vector<unsigned char> bytes_;
};

enum class forms { f64, f32, i16 };
const char *name_of(forms form);
std::size_t bytes_of(forms form);
constexpr std::size_t bytes_of_scale = 16;

// The values of a column, and before them offset and scale. Without an offset where 0 is among
// them, so that 0 stays 0.
void put_column(packed *to, const std::vector<double> &values, forms form);

// The contacts of a pool over time, and what is told of them, about["contacts"]; nothing if there
// are none.
packed contacts_of(results *log, nlohmann::ordered_json *about);

}  // namespace perp::tool

#endif
