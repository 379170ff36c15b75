// SPDX-License-Identifier: MIT
// perp export: NumPy's .npz, MATLAB's .mat.
#include <matio.h>
#include <minizip/zip.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <set>

#include "io/file.hpp"
#include "tool/export.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

// ---- .npz ----

struct zip_close {
  void operator()(void *zip) const noexcept { (void)zipClose(zip, nullptr); }
};

// An archive of stored files, which is how np.savez() writes; large ones in zip64.
class archive {
 public:
  archive(const std::string &name, const std::string &path)
      : name_(name), path_(path), zip_(zipOpen64(name.c_str(), APPEND_STATUS_CREATE)) {
    if (zip_ == nullptr) refuse_file(path_, errno);
  }
  void begin(const std::string &name) {
    const zip_fileinfo about = {{0, 0, 0, 1, 0, 1980}, 0, 0, 0};
    constexpr int stored = 0, level = 0, zip64 = 1;
    constexpr unsigned version = 0, utf8 = 1U << 11U; /* of names */
    check(zipOpenNewFileInZip4_64(zip_.get(), name.c_str(), &about, nullptr, 0, nullptr, 0, nullptr,
                                  stored, level, 0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY,
                                  nullptr, 0, version, utf8, zip64));
  }
  void add(const void *bytes, std::size_t n) {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (const char *at = static_cast<const char *>(bytes); n > 0;) {
      const std::size_t piece = n < most ? n : most;
      check(zipWriteInFileInZip(zip_.get(), at, static_cast<unsigned>(piece)));
      at += piece, n -= piece;
    }
  }
  void end() { check(zipCloseFileInZip(zip_.get())); }
  void close() { check(zipClose(zip_.release(), nullptr)); }

  // The head of an array: numpy/lib/format.py, version 1.0.
  void begin_array(const std::string &name, const char *type,
                   const std::vector<std::int64_t> &shape) {
    begin(name + ".npy");
    std::string text = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (";
    for (const std::int64_t n : shape) text += std::to_string(n) + ",";
    text += "), }";
    constexpr std::size_t before = 10, unit = 64;
    while ((before + text.size() + 1) % unit != 0) text += ' ';
    text += '\n';
    const std::string head("\x93NUMPY\x01\x00", 8);
    const unsigned char size[] = {static_cast<unsigned char>(text.size() & 255U),
                                  static_cast<unsigned char>(text.size() >> 8U)};
    add(head.data(), head.size());
    add(size, sizeof size);
    add(text.data(), text.size());
  }
  template <class T>
  void array(const std::string &name, const char *type, const std::vector<T> &values) {
    begin_array(name, type, {static_cast<std::int64_t>(values.size())});
    add(values.data(), values.size() * sizeof(T));
    end();
  }
  void numbers(const double *values, std::size_t n, bool float32) {
    if (!float32) return add(values, n * sizeof *values);
    singles_.assign(values, values + n);
    add(singles_.data(), n * sizeof(float));
  }

 private:
  void check(int status) const {
    if (status != ZIP_OK) refuse_file(path_, io::refuses_more(name_));
  }
  std::string name_, path_;
  std::vector<float> singles_;
  std::unique_ptr<void, zip_close> zip_;
};

// ---- .mat ----

// Bytes of a variable of level 5.
constexpr std::int64_t most_bytes = std::numeric_limits<std::int32_t>::max();

usage_error too_much(const std::string &path, const std::string &name) {
  return usage_error(path + ": a .mat of level 5 takes 2 GiB of a variable, and " + name +
                     " has more: --every, --select, or .h5");
}

struct mat_close {
  void operator()(mat_t *m) const noexcept { (void)Mat_Close(m); }
};
struct variable_free {
  void operator()(matvar_t *v) const noexcept { Mat_VarFree(v); }
};
using mat_file = std::unique_ptr<mat_t, mat_close>;

class mat_writer {
 public:
  mat_writer(const std::string &name, const std::string &path)
      : name_(name),
        path_(path),
        mat_(Mat_CreateVer(name.c_str(), "MATLAB 5.0 MAT-file, perp export", MAT_FT_MAT5)) {
    if (mat_ == nullptr) refuse_file(path_, errno);
  }
  // A name that MATLAB takes, of which there is none yet.
  std::string called(const std::string &text) {
    std::string name;
    for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (std::isalpha(static_cast<unsigned char>(name.front())) == 0) name = "x" + name;
    constexpr std::size_t most = 58; /* of 63, with a number behind it */
    name.resize(std::min(name.size(), most));
    std::string free = name;
    for (int i = 2; !taken_.insert(free).second; i++) free = name + "_" + std::to_string(i);
    return free;
  }
  void write(const std::string &name, matio_classes of, matio_types type,
             std::vector<std::size_t> shape, const void *data) {
    const std::unique_ptr<matvar_t, variable_free> v(
        Mat_VarCreate(name.c_str(), of, type, static_cast<int>(shape.size()), shape.data(),
                      const_cast<void *>(data), /* only read */
                      MAT_F_DONT_COPY_DATA));
    if (v == nullptr || Mat_VarWrite(mat_.get(), v.get(), MAT_COMPRESSION_NONE) != 0)
      refuse_file(path_, io::refuses_more(name_));
    written_++;
  }
  template <class T>
  void list(const std::string &name, matio_classes of, matio_types type, const std::vector<T> &v) {
    write(called(name), of, type, {v.size(), 1}, v.data());
  }
  // The library does not tell all that could not be written: the variables (a type, a length and so
  // many bytes, behind a head) have to end where the file does.
  void close() {
    if (Mat_Close(mat_.release()) != 0) refuse_file(path_, io::refuses_more(name_));
    const file_handle from(std::fopen(name_.c_str(), "rb"));
    if (from == nullptr) refuse_file(path_, errno);
    constexpr std::int64_t head = 128;
    std::int64_t at = head;
    std::uint32_t tag[2];
    std::size_t count = 0;
    while (::fseeko(from.get(), at, SEEK_SET) == 0 &&
           std::fread(tag, sizeof tag, 1, from.get()) == 1)
      at += static_cast<std::int64_t>(sizeof tag) + tag[1], count++;
    if (::fseeko(from.get(), 0, SEEK_END) != 0 || ::ftello(from.get()) != at || count != written_)
      refuse_file(path_, io::refuses_more(name_));
  }

 private:
  std::string name_, path_;
  mat_file mat_;
  std::set<std::string> taken_;
  std::size_t written_ = 0;
};

// ---- contacts of a pool ----

void put_contacts(archive *to, const exported &e) {
  const std::vector<std::int64_t> start = contact_starts(e);
  to->array("contacts/start", "<i8", start);
  for (const contact_part &part : contact_parts()) {
    std::vector<std::int64_t> shape = {start.back()};
    if (part.width > 1) shape.push_back(static_cast<std::int64_t>(part.width));
    const bool real = part.form == number_form::real;
    to->begin_array(std::string("contacts/") + part.name,
                    part.form == number_form::i32   ? "<i4"
                    : part.form == number_form::u32 ? "<u4"
                    : e.float32                     ? "<f4"
                                                    : "<f8",
                    shape);
    each_contact(e, part, [&](const std::vector<double> &values) {
      if (real) return to->numbers(values.data(), values.size(), e.float32);
      std::vector<std::uint32_t> whole; /* -1 as its bits, which are those of i32 */
      for (const double x : values)
        whole.push_back(static_cast<std::uint32_t>(static_cast<std::int64_t>(x)));
      to->add(whole.data(), whole.size() * sizeof(std::uint32_t));
    });
    to->end();
  }
}

// A part as `form` has it, by columns.
template <class T>
void put_part(mat_writer *to, const exported &e, const contact_part &part, std::size_t total,
              matio_classes of, matio_types type) {
  std::vector<T> all(total * part.width);
  std::size_t at = 0;
  each_contact(e, part, [&](const std::vector<double> &values) {
    for (std::size_t i = 0; i < values.size(); at++)
      for (std::size_t c = 0; c < part.width; c++, i++)
        all[at + total * c] = static_cast<T>(values[i]);
  });
  to->write(to->called(std::string("contacts_") + part.name), of, type, {total, part.width},
            all.data());
}

void put_contacts(mat_writer *to, const std::string &path, const exported &e) {
  const std::vector<std::int64_t> start = contact_starts(e);
  for (const contact_part &part : contact_parts())
    if (start.back() > most_bytes / 8 / static_cast<std::int64_t>(part.width))
      throw too_much(path, std::string("contacts_") + part.name);
  const auto total = static_cast<std::size_t>(start.back());
  to->list("contacts_start", MAT_C_INT64, MAT_T_INT64, start);
  for (const contact_part &part : contact_parts()) switch (part.form) {
      case number_form::i32:
        put_part<std::int32_t>(to, e, part, total, MAT_C_INT32, MAT_T_INT32);
        break;
      case number_form::u32:
        put_part<std::uint32_t>(to, e, part, total, MAT_C_UINT32, MAT_T_UINT32);
        break;
      case number_form::real:
        if (e.float32)
          put_part<float>(to, e, part, total, MAT_C_SINGLE, MAT_T_SINGLE);
        else
          put_part<double>(to, e, part, total, MAT_C_DOUBLE, MAT_T_DOUBLE);
    }
}

}  // namespace

void write_npz(const std::string &name, const std::string &path, const exported &e) {
  archive to(name, path);
  to.begin_array("t", "<f8", {e.samples});
  e.log->each(
      {},
      [&](std::int64_t count, const double *times, const double *) {
        to.numbers(times, static_cast<std::size_t>(count), false);
      },
      e.stride);
  to.end();
  for (const slice &s : e.slices) {
    to.begin_array(s.name, e.float32 ? "<f4" : "<f8",
                   {e.samples, static_cast<std::int64_t>(s.members.size()),
                    static_cast<std::int64_t>(s.components.size())});
    e.log->each(
        s.columns,
        [&](std::int64_t count, const double *, const double *values) {
          to.numbers(values, static_cast<std::size_t>(count) * s.columns.size(), e.float32);
        },
        e.stride);
    to.end();
  }
  const event_table &t = e.events;
  to.array("events/t", "<f8", t.t);
  to.array("events/kind", "<i4", t.kind);
  to.array("events/index", "<i4", t.index);
  to.array("events/copy", "<i4", t.copy);
  to.array("events/before", "<i4", t.before);
  to.array("events/after", "<i4", t.after);
  to.array("events/error", "<f8", t.error);
  to.array("events/until", "<f8", t.until);
  to.array("events/impulse", "<f8", t.impulse);
  to.array("events/impulse_start", "<i8", t.impulse_start);
  if (e.log->summary().contact_lists > 0) put_contacts(&to, e);
  const std::string about = about_json(e);
  to.begin("about.json");
  to.add(about.data(), about.size());
  to.end();
  to.close();
}

// By columns, as MATLAB has them: the time runs fastest.
void write_mat(const std::string &name, const std::string &path, const exported &e) {
  const auto samples = static_cast<std::size_t>(e.samples);
  for (const slice &s : e.slices)
    if (e.samples > most_bytes / (e.float32 ? 4 : 8) / static_cast<std::int64_t>(s.columns.size()))
      throw too_much(path, s.name);
  mat_writer to(name, path);
  std::vector<double> values(samples);
  double *put = values.data();
  e.log->each(
      {},
      [&](std::int64_t count, const double *times, const double *) {
        put = std::copy(times, times + count, put);
      },
      e.stride);
  to.write(to.called("t"), MAT_C_DOUBLE, MAT_T_DOUBLE, {samples, 1}, values.data());
  for (const slice &s : e.slices) {
    const std::size_t n = s.columns.size();
    const std::vector<std::size_t> shape = {samples, s.members.size(), s.components.size()};
    std::vector<float> singles(e.float32 ? samples * n : 0);
    values.resize(e.float32 ? 0 : samples * n);
    std::size_t at = 0;
    e.log->each(
        s.columns,
        [&](std::int64_t count, const double *, const double *from) {
          for (std::int64_t k = 0; k < count; k++, at++)
            for (std::size_t m = 0; m < s.members.size(); m++)
              for (std::size_t c = 0; c < s.components.size(); c++, from++) {
                const std::size_t place = at + samples * (m + s.members.size() * c);
                if (e.float32)
                  singles[place] = static_cast<float>(*from);
                else
                  values[place] = *from;
              }
        },
        e.stride);
    const std::string called = to.called(s.name);
    if (e.float32)
      to.write(called, MAT_C_SINGLE, MAT_T_SINGLE, shape, singles.data());
    else
      to.write(called, MAT_C_DOUBLE, MAT_T_DOUBLE, shape, values.data());
  }
  const event_table &t = e.events;
  to.list("events_t", MAT_C_DOUBLE, MAT_T_DOUBLE, t.t);
  to.list("events_kind", MAT_C_INT32, MAT_T_INT32, t.kind);
  to.list("events_index", MAT_C_INT32, MAT_T_INT32, t.index);
  to.list("events_copy", MAT_C_INT32, MAT_T_INT32, t.copy);
  to.list("events_before", MAT_C_INT32, MAT_T_INT32, t.before);
  to.list("events_after", MAT_C_INT32, MAT_T_INT32, t.after);
  to.list("events_error", MAT_C_DOUBLE, MAT_T_DOUBLE, t.error);
  to.list("events_until", MAT_C_DOUBLE, MAT_T_DOUBLE, t.until);
  to.list("events_impulse", MAT_C_DOUBLE, MAT_T_DOUBLE, t.impulse);
  to.list("events_impulse_start", MAT_C_INT64, MAT_T_INT64, t.impulse_start);
  if (e.log->summary().contact_lists > 0) put_contacts(&to, path, e);
  const std::string about = about_json(e);
  to.write(to.called("about"), MAT_C_CHAR, MAT_T_UTF8, {1, about.size()}, about.data());
  to.close();
}

}  // namespace perp::tool
