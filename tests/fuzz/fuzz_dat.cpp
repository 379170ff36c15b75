// SPDX-License-Identifier: MIT
// Text problems from any bytes: the reader ends with a problem or with one line that names the
// file, and a problem that was read is the same after it was written, in every storage.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../io_tools.hpp"

namespace {

using namespace tools;

[[noreturn]] void broken(const char *what, const std::string &text) {
  (void)std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

void write_and_read(any_problem p, storage kind, layout order) {
  if (std::holds_alternative<mixed>(p) && kind != storage::blocks) return;
  const any_problem original = p;
  store(&p, kind, 2);
  const std::string text = write_dat(p, "again", order);
  try {
    if (!same(read_dat(text, "again", class_name(p)), original)) broken("another problem", text);
  } catch (const file_error &e) {
    broken(e.what(), text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const std::array<std::string, 10> classes = {"",     "lcp",   "mlcp",  "relay",   "fc2d",
                                                      "fc3d", "gfc2d", "gfc3d", "rolling", "mixed"};
  if (size == 0) return 0;
  const std::string &wanted = classes[data[0] % classes.size()];
  const std::string text(data + 1, data + size);
  any_problem p;
  try {
    p = read_dat(text, "name", wanted);
  } catch (const file_error &e) {
    const std::string line = e.what();
    if (line.find('\n') != std::string::npos || line.compare(0, 4, "name") != 0)
      broken("a message of another form", line);
    return 0;
  }
  if (!wanted.empty() && class_name(p) != wanted) broken("another class", text);
  for (const storage kind : {storage::dense, storage::blocks, storage::sparse})
    write_and_read(p, kind, layout::columns);
  write_and_read(p, storage::sparse, layout::rows);
  write_and_read(p, storage::sparse, layout::triplet);
  return 0;
}
