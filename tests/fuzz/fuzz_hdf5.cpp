// SPDX-License-Identifier: MIT
// FCLIB files with any content: a valid problem in which the bytes change, remove or replace
// datasets. The container itself is written by HDF5, for what that library makes of damaged
// containers is its own affair. The reader ends with a problem or with one line, and a problem that
// was read is the same after it was written.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <variant>

#include "../io_tools.hpp"
#include "io/fclib.hpp"
#include "io/hdf5.hpp"

namespace {

using namespace tools;

// The bytes of the fuzzer as numbers; zeros when they are used up.
class bytes {
 public:
  bytes(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}
  bool more() const { return size_ > 0; }
  unsigned byte() {
    if (size_ == 0) return 0;
    size_--;
    return *data_++;
  }
  std::uint64_t word(int count) {
    std::uint64_t bits = 0;
    for (int i = 0; i < count; i++) bits = bits << 8 | byte();
    return bits;
  }
  std::int32_t integer() {
    const unsigned kind = byte();
    if (kind < 200) return static_cast<std::int32_t>(kind % 16) - 3;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(word(4)));
  }
  double number() {
    const unsigned kind = byte();
    if (kind < 200) return (static_cast<int>(kind) - 100) / 8.0;
    const std::uint64_t all = word(8); /* NaN and infinities too */
    double x;
    std::memcpy(&x, &all, sizeof x);
    return x;
  }

 private:
  const std::uint8_t *data_;
  std::size_t size_;
};

struct nothing {};
struct sub_group {};
using content = std::variant<nothing, sub_group, ints, reals, std::string>;
using contents = std::map<std::string, content>;

void add_matrix(contents *c, const std::string &name, std::int32_t rows, std::int32_t cols,
                std::int32_t nz) {
  const std::int32_t lists = nz == -1 ? cols : rows;
  ints p, i;
  if (nz >= 0) {
    p = ints(at(nz), 0), i = ints(at(nz), 0);
  } else {
    for (std::int32_t k = 0; k <= lists; k++) p.push_back(k < 2 ? k : 2);
    i = {0, 1};
  }
  const std::size_t count = i.size();
  (*c)[name] = sub_group();
  (*c)[name + "/m"] = ints{rows};
  (*c)[name + "/n"] = ints{cols};
  (*c)[name + "/nz"] = ints{nz};
  (*c)[name + "/p"] = p;
  (*c)[name + "/i"] = i;
  (*c)[name + "/x"] = reals(count, 0.5);
}

contents valid(unsigned form) {
  contents c;
  const bool global = (form & 1u) != 0, equations = (form & 2u) != 0;
  const std::int32_t nz = (form & 4u) != 0 ? 3 : (form & 8u) != 0 ? -1 : -2;
  const std::string g = global ? "/fclib_global" : "/fclib_local";
  c[g] = sub_group();
  c[g + "/spacedim"] = ints{2};
  c[g + "/info"] = sub_group();
  c[g + "/info/title"] = std::string("title");
  c[g + "/vectors"] = sub_group();
  c[g + "/vectors/mu"] = reals{0.5, 0.25};
  c[g + (global ? "/vectors/f" : "/vectors/q")] = reals{1, -1, 0.5, 2};
  add_matrix(&c, g + (global ? "/M" : "/W"), 4, 4, nz);
  if (global) {
    c[g + "/vectors/w"] = reals{1, -1, 0.5, 2};
    add_matrix(&c, g + "/H", 4, 4, nz);
  }
  if (equations && global) {
    add_matrix(&c, g + "/G", 4, 3, nz);
  } else if (equations) {
    c[g + "/vectors/s"] = reals{1, 2, 3};
    add_matrix(&c, g + "/V", 4, 3, nz);
    add_matrix(&c, g + "/R", 3, 3, nz);
  }
  c["/guesses"] = sub_group();
  c["/guesses/number_of_guesses"] = ints{1};
  c["/guesses/1"] = sub_group();
  c["/guesses/1/r"] = reals{1, 2, 3, 4};
  c["/solution"] = sub_group();
  c["/solution/u"] = reals{1, 2, 3, 4};
  return c;
}

void change(bytes *in, contents *c) {
  auto it = c->begin();
  std::advance(it, in->byte() % c->size());
  content &value = it->second;
  const unsigned what = in->byte() % 8, count = in->byte() % 8;
  if (what == 0) value = nothing();
  if (what == 1) value = sub_group();
  if (what == 2) value = std::string(count, 'x');
  if (what == 3) value = ints();
  if (what == 4) value = reals();
  if (what == 5) { /* one entry */
    if (auto *i = std::get_if<ints>(&value); i != nullptr && !i->empty())
      (*i)[count % i->size()] = in->integer();
    if (auto *x = std::get_if<reals>(&value); x != nullptr && !x->empty())
      (*x)[count % x->size()] = in->number();
    return;
  }
  for (unsigned k = 0; k < count; k++) { /* more entries, or the first of another kind */
    if (auto *i = std::get_if<ints>(&value)) i->push_back(in->integer());
    if (auto *x = std::get_if<reals>(&value)) x->push_back(in->number());
  }
}

void write(const std::string &path, const contents &all) {
  const hdf5::quiet silence;
  hdf5::writer out(path, path);
  for (const auto &[name, value] : all) { /* a group comes before what it holds */
    try {
      if (std::holds_alternative<sub_group>(value)) out.group(name);
      if (const auto *i = std::get_if<ints>(&value)) out.integers(name, *i);
      if (const auto *x = std::get_if<reals>(&value)) out.numbers(name, *x);
      if (const auto *t = std::get_if<std::string>(&value)) out.text(name, *t);
    } catch (const file_error &) { /* its group is no group */
    }
  }
  out.finish();
}

[[noreturn]] void broken(const char *what) {
  (void)std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const folder place;
  const std::string path = place / "a.h5", again = place / "b.h5";
  bytes in(data, size);
  const unsigned form = in.byte();
  const layout order = (form & 16u) != 0   ? layout::rows
                       : (form & 32u) != 0 ? layout::columns
                                           : layout::triplet;
  contents all = valid(form);
  while (in.more()) change(&in, &all);
  write(path, all);
  document d;
  try {
    d = read_problem(path);
  } catch (const file_error &e) {
    if (std::string(e.what()).find('\n') != std::string::npos) broken("a message of many lines");
    return 0;
  }
  write_problem(again, d, order);
  if (!same(read_problem(again).problem, d.problem)) broken("another problem");
  return 0;
}
