// SPDX-License-Identifier: MIT
// perp export: CSV, NumPy's .npz, MATLAB's .mat.
#include <matio.h>
#include <minizip/zip.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <set>

#include "io/file.hpp"
#include "tool/export.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

[[noreturn]] void refuse(const std::string &path, int error) {
  throw run_error(path + ": it cannot be written" +
                  (error != 0 ? std::string(": ") + std::strerror(error) : std::string()));
}

// ---- CSV ----

std::string cell(const std::string &text) {
  if (text.find_first_of("\",\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// The fewest digits that read back to the same number.
template <class Number>
void add_number(std::string *to, Number x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x);
  to->append(text, end.ptr);
}

struct file_close {
  void operator()(std::FILE *f) const noexcept { (void)std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, file_close>;

// ---- .npz ----

struct zip_close {
  void operator()(void *zip) const noexcept { (void)zipClose(zip, nullptr); }
};

// An archive of stored files, which is how np.savez() writes; large ones in zip64.
class archive {
 public:
  archive(const std::string &name, const std::string &path)
      : name_(name), path_(path), zip_(zipOpen64(name.c_str(), APPEND_STATUS_CREATE)) {
    if (zip_ == nullptr) refuse(path_, errno);
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
    if (status != ZIP_OK) refuse(path_, io::refuses_more(name_));
  }
  std::string name_, path_;
  std::vector<float> singles_;
  std::unique_ptr<void, zip_close> zip_;
};

// ---- .mat ----

// Bytes of a variable of level 5.
constexpr std::int64_t most_bytes = std::numeric_limits<std::int32_t>::max();

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
    if (mat_ == nullptr) refuse(path_, errno);
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
      refuse(path_, io::refuses_more(name_));
    written_++;
  }
  template <class T>
  void list(const std::string &name, matio_classes of, matio_types type, const std::vector<T> &v) {
    write(called(name), of, type, {v.size(), 1}, v.data());
  }
  // The library does not tell all that could not be written: the variables (a type, a length and so
  // many bytes, behind a head) have to end where the file does.
  void close() {
    if (Mat_Close(mat_.release()) != 0) refuse(path_, io::refuses_more(name_));
    const file from(std::fopen(name_.c_str(), "rb"));
    if (from == nullptr) refuse(path_, errno);
    constexpr std::int64_t head = 128;
    std::int64_t at = head;
    std::uint32_t tag[2];
    std::size_t count = 0;
    while (::fseeko(from.get(), at, SEEK_SET) == 0 &&
           std::fread(tag, sizeof tag, 1, from.get()) == 1)
      at += static_cast<std::int64_t>(sizeof tag) + tag[1], count++;
    if (::fseeko(from.get(), 0, SEEK_END) != 0 || ::ftello(from.get()) != at || count != written_)
      refuse(path_, io::refuses_more(name_));
  }

 private:
  std::string name_, path_;
  mat_file mat_;
  std::set<std::string> taken_;
  std::size_t written_ = 0;
};

}  // namespace

void write_csv(const std::string &name, const std::string &path, const exported &e) {
  const file to(std::fopen(name.c_str(), "wb"));
  if (to == nullptr) refuse(path, errno);
  std::vector<column> columns;
  std::string text = "t";
  for (const slice &s : e.slices)
    for (const column &c : s.columns) {
      columns.push_back(c);
      text += "," + cell(c.name);
    }
  text += "\n";
  const auto put = [&] {
    if (std::fwrite(text.data(), 1, text.size(), to.get()) != text.size()) refuse(path, errno);
    text.clear();
  };
  e.log->each(
      columns,
      [&](std::int64_t count, const double *times, const double *values) {
        for (std::int64_t k = 0; k < count; k++) {
          add_number(&text, times[k]);
          for (std::size_t i = 0; i < columns.size(); i++) {
            text += ',';
            if (e.float32)
              add_number(&text, static_cast<float>(*values++));
            else
              add_number(&text, *values++);
          }
          text += '\n';
        }
        put();
      },
      e.stride);
  put();
  if (std::fflush(to.get()) != 0) refuse(path, errno);
}

void write_contacts_csv(const std::string &name, const std::string &path, const exported &e) {
  const file to(std::fopen(name.c_str(), "wb"));
  if (to == nullptr) refuse(path, errno);
  const std::vector<std::string> systems = e.log->systems();
  std::string text =
      "t,sample,first,second,identity.0,identity.1,law,rows,gap,point.x,point.y,point.z,normal.x,"
      "normal.y,normal.z,tangent.x,tangent.y,tangent.z,lambda.0,lambda.1,lambda.2,lambda.3,"
      "lambda.4\n";
  const auto put = [&] {
    if (std::fwrite(text.data(), 1, text.size(), to.get()) != text.size()) refuse(path, errno);
    text.clear();
  };
  const auto add_system = [&](std::int32_t i) {
    text += ',';
    if (i >= 0 && static_cast<std::size_t>(i) < systems.size() &&
        !systems[static_cast<std::size_t>(i)].empty())
      text += cell(systems[static_cast<std::size_t>(i)]);
    else if (i >= 0)
      add_number(&text, i);
  };
  const auto add = [&](const double *values, std::size_t n) {
    for (std::size_t i = 0; i < n; i++) {
      text += ',';
      if (e.float32)
        add_number(&text, static_cast<float>(values[i]));
      else
        add_number(&text, values[i]);
    }
  };
  e.log->each_contacts(
      [&](std::int64_t sample, double t, const perp_log_contact *list, std::int32_t n) {
        if (sample % e.stride != 0) return;
        for (const perp_log_contact *c = list; c != list + n; c++) {
          add_number(&text, t);
          text += ',';
          add_number(&text, sample / e.stride);
          for (const std::int32_t i : c->systems) add_system(i);
          for (const std::uint32_t i : c->identity) {
            text += ',';
            add_number(&text, i);
          }
          for (const std::int32_t i : {c->law, c->rows}) {
            text += ',';
            add_number(&text, i);
          }
          add(&c->gap, 1), add(c->point, 3), add(c->normal, 3), add(c->tangent, 3);
          add(c->lambda, 5);
          text += '\n';
        }
        put();
      });
  put();
  if (std::fflush(to.get()) != 0) refuse(path, errno);
}

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
      throw usage_error(path + ": a .mat of level 5 takes 2 GiB of a variable, and " + s.name +
                        " has more: --every, --select, or .h5");
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
  const std::string about = about_json(e);
  to.write(to.called("about"), MAT_C_CHAR, MAT_T_UTF8, {1, about.size()}, about.data());
  to.close();
}

}  // namespace perp::tool
