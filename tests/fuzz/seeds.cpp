// SPDX-License-Identifier: MIT
// Seeds for the fuzzers:  seeds FOLDER  writes FOLDER/dat/*, FOLDER/hdf5/*, FOLDER/expression/*.
#include <cstdio>

#include "../io_tools.hpp"

int main(int argc, char **argv) {
  using namespace tools;
  if (argc != 2) return 1;
  const std::string root = argv[1];
  int count = 0;
  const auto put = [&](const std::string &kind, const std::string &bytes) {
    std::filesystem::create_directories(root + "/" + kind);
    save(root + "/" + kind + "/" + std::to_string(count++), bytes);
  };
  for (any_problem p : one_of_each()) {
    const std::string guess(1, '\0');
    put("dat", guess + write_dat(p, "seed"));
    if (std::holds_alternative<mixed>(p)) continue;
    for (const layout order : {layout::rows, layout::columns, layout::triplet}) {
      store(&p, storage::sparse);
      put("dat", guess + write_dat(p, "seed", order));
    }
    store(&p, storage::blocks, 2);
    put("dat", guess + write_dat(p, "seed"));
  }
  put("dat", std::string(1, '\0') + "0 1 1 2 1 2 3 4 5 6 7 8 9 10 11 12\n");
  for (char form = 0; form < 16; form++) put("hdf5", std::string(1, form));
  for (const char *text :
       {"-m*t + sin(q[0]*t)^2 - c[1]*exp(q[1])", "t > 0 && !(q[0] == 1) ? t : 2.5e-3",
        "min(atan2(t, m), pow(t, q[1])) / (1 + hypot(t, pi))"})
    put("expression", text);
  return 0;
}
