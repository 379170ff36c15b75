// SPDX-License-Identifier: MIT
// Logs: what is written is read, byte by byte as the header says, and what is no log is refused.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "log_tools.hpp"

namespace {

using namespace tools;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/** A log on a disk in memory that is open. */
struct open_log {
  disk d;
  log_io io = d.io();
  small_schema s;
  perp_log_options options = perp_log_options_default();
  perp_log *log = nullptr;
  perp_info info = PERP_INFO_INIT;
  perp_log_reader *reader = nullptr;
  ~open_log() {
    perp_log_close(log, nullptr);
    perp_log_reader_close(reader);
  }
  perp_status create() { return perp_log_create_on(&log, "log", &s.schema, &options, &io, &info); }
  perp_status append(int where, bool with_schema = false) {
    return perp_log_append_on(&log, "log", with_schema ? &s.schema : nullptr, &options, where, &io,
                              &info);
  }
  perp_status close() {
    perp_log *l = log;
    log = nullptr;
    return perp_log_close(l, &info);
  }
  perp_status open() {
    perp_log_reader_close(reader);
    return perp_log_reader_open_on(&reader, "log", &io, &info);
  }
  perp_log_summary summary() {
    perp_log_summary out = PERP_LOG_SUMMARY_INIT;
    EXPECT_EQ(perp_log_reader_summary(reader, &out), PERP_OK);
    return out;
  }
};

void put32(bytes &b, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; i++) b[at + i] = static_cast<unsigned char>(value >> 8 * i);
}

/** Give the block that begins at `at` the checksum of what it is. */
void seal(bytes &b, std::size_t at) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < 8; i++) n |= std::uint64_t{b[at + 8 + i]} << 8 * i;
  bytes all(b.begin() + static_cast<std::ptrdiff_t>(at),
            b.begin() + static_cast<std::ptrdiff_t>(at + 28));
  const auto payload = b.begin() + static_cast<std::ptrdiff_t>(at + 32);
  all.insert(all.end(), payload, payload + static_cast<std::ptrdiff_t>((n + 7) / 8 * 8));
  put32(b, at + 28, slow_crc(all.data(), all.size()));
}

TEST(Log, TheChecksumIsThatOfRfc3720) {
  crc32c crc;
  perp_crc32c_init(&crc);
  unsigned char b[300] = {0};
  EXPECT_EQ(perp_crc32c_add(&crc, 0, 9, "123456789"), 0xE3069283u);
  EXPECT_EQ(perp_crc32c_add(&crc, 0, 32, b), 0x8A9136AAu);
  std::memset(b, 0xff, 32);
  EXPECT_EQ(perp_crc32c_add(&crc, 0, 32, b), 0x62A8AB43u);
  for (int i = 0; i < 32; i++) b[i] = static_cast<unsigned char>(i);
  EXPECT_EQ(perp_crc32c_add(&crc, 0, 32, b), 0x46DD794Eu);
  for (int i = 0; i < 300; i++) b[i] = static_cast<unsigned char>(i * i);
  for (std::size_t n = 0; n < 64; n++)
    for (std::size_t cut = 0; cut <= n; cut++)
      ASSERT_EQ(perp_crc32c_add(&crc, perp_crc32c_add(&crc, 0, cut, b + n), n - cut, b + n + cut),
                slow_crc(b + n, n));
}

TEST(Log, WhatIsWrittenIsRead) {
  open_log l;
  l.s.schema.program = "test 1";
  l.s.schema.options = "{}";
  const char *const xy[] = {"x", "y"}, *const units[] = {"m/s", "mm/s"},
                    *const ball[] = {"die Kugel"};
  const std::int32_t object[] = {7};
  l.s.quantities[1].component_names = xy;
  l.s.quantities[1].component_units = units;
  l.s.quantities[1].member_names = ball;
  l.s.quantities[1].objects = object;
  l.s.quantities[1].description = "how fast";
  l.s.quantities[1].source = PERP_LOG_V;
  ASSERT_EQ(l.create(), PERP_OK);
  EXPECT_EQ(perp_log_n_values(l.log), 4);
  const double x[] = {1.5, nan, -inf, -0.0}, impulse[] = {3, inf};
  ASSERT_EQ(perp_log_add_note(l.log, "name", "t\xc3\xa4xt", &l.info), PERP_OK);
  ASSERT_EQ(perp_log_add_sample(l.log, 0.1, x, 4, &l.info), PERP_OK);
  const perp_log_event e = {0.15, PERP_EVENT_SLIP, 2, 1, 3, 4, 2, 1e-9, 0.16, impulse};
  ASSERT_EQ(perp_log_add_event(l.log, &e, &l.info), PERP_OK);
  ASSERT_EQ(perp_log_add_sample(l.log, nan, x, 4, &l.info), PERP_OK);
  ASSERT_EQ(perp_log_add_checkpoint(l.log, 0.2, "s", "\0abc", 4, &l.info), PERP_OK);
  ASSERT_EQ(perp_log_add_end(l.log, 0.3, PERP_MAX_ITER, "why", "{\"a\": 1}", &l.info), PERP_OK);
  ASSERT_EQ(l.close(), PERP_OK);
  ASSERT_EQ(l.open(), PERP_OK);
  const perp_log_schema *s = perp_log_reader_schema(l.reader);
  EXPECT_STREQ(s->program, "test 1");
  EXPECT_STREQ(s->model_name, "beads.toml");
  EXPECT_STREQ(s->model, l.s.schema.model);
  EXPECT_STREQ(s->options, "{}");
  ASSERT_EQ(s->n_quantities, 2);
  const perp_log_quantity *q = s->quantities;
  EXPECT_STREQ(q[0].kind, "bead");
  EXPECT_STREQ(q[0].unit, "m");
  EXPECT_STREQ(q[0].description, "");
  EXPECT_EQ(q[0].member_names, nullptr);
  EXPECT_EQ(q[0].objects, nullptr);
  EXPECT_STREQ(q[0].component_names[0], "");
  EXPECT_STREQ(q[1].name, "v");
  EXPECT_STREQ(q[1].description, "how fast");
  EXPECT_STREQ(q[1].member_names[0], "die Kugel");
  EXPECT_STREQ(q[1].component_names[1], "y");
  EXPECT_STREQ(q[1].component_units[1], "mm/s");
  EXPECT_EQ(q[1].objects[0], 7);
  EXPECT_EQ(q[1].source, PERP_LOG_V);
  const perp_log_summary u = l.summary();
  EXPECT_EQ(u.major, 1);
  EXPECT_EQ(u.perp_version, perp_version());
  EXPECT_EQ(u.samples, 2);
  EXPECT_EQ(u.events, 1);
  EXPECT_EQ(u.checkpoints, 1);
  EXPECT_EQ(u.notes, 1);
  EXPECT_EQ(u.ended, 1);
  EXPECT_EQ(u.n_values, 4);
  EXPECT_EQ(u.bytes, u.whole);
  perp_log_record r = PERP_LOG_RECORD_INIT;
  const auto next = [&] { return perp_log_reader_next(l.reader, 0, &r, &l.info); };
  ASSERT_EQ(next(), PERP_OK);
  EXPECT_EQ(r.type, PERP_LOG_NOTE);
  EXPECT_STREQ(r.name, "name");
  EXPECT_STREQ(r.text, "t\xc3\xa4xt");
  ASSERT_EQ(next(), PERP_OK);
  EXPECT_EQ(r.type, PERP_LOG_SAMPLES);
  EXPECT_EQ(r.count, 1);
  EXPECT_EQ(r.times[0], 0.1);
  EXPECT_EQ(std::memcmp(r.values, x, sizeof x), 0);
  ASSERT_EQ(next(), PERP_OK);
  EXPECT_EQ(r.type, PERP_LOG_EVENTS);
  EXPECT_EQ(r.event.t, 0.15);
  EXPECT_EQ(r.event.kind, PERP_EVENT_SLIP);
  EXPECT_EQ(r.event.index, 2);
  EXPECT_EQ(r.event.copy, 1);
  EXPECT_EQ(r.event.before, 3);
  EXPECT_EQ(r.event.after, 4);
  EXPECT_EQ(r.event.error, 1e-9);
  EXPECT_EQ(r.event.until, 0.16);
  ASSERT_EQ(r.event.n_impulse, 2);
  EXPECT_EQ(r.event.impulse[1], inf);
  ASSERT_EQ(next(), PERP_OK);
  EXPECT_TRUE(std::isnan(r.times[0]));
  EXPECT_EQ(r.first, 1);
  ASSERT_EQ(next(), PERP_OK);
  EXPECT_EQ(r.type, PERP_LOG_CHECKPOINT);
  EXPECT_EQ(r.t, 0.2);
  EXPECT_EQ(r.offered, 2);
  EXPECT_STREQ(r.name, "s");
  ASSERT_EQ(r.n_bytes, 4u);
  EXPECT_EQ(std::memcmp(r.bytes, "\0abc", 4), 0);
  ASSERT_EQ(next(), PERP_OK);
  EXPECT_EQ(r.type, PERP_LOG_END);
  EXPECT_EQ(r.t, 0.3);
  EXPECT_EQ(r.status, PERP_MAX_ITER);
  EXPECT_STREQ(r.text, "why");
  EXPECT_STREQ(r.report, "{\"a\": 1}");
  EXPECT_EQ(next(), PERP_END);
  EXPECT_EQ(next(), PERP_END);
  ASSERT_EQ(perp_log_reader_last(l.reader, 1u << PERP_LOG_EVENTS, &r, &l.info), PERP_OK);
  EXPECT_EQ(r.event.index, 2);
  ASSERT_EQ(perp_log_reader_next(l.reader, 1u << PERP_LOG_SAMPLES, &r, &l.info), PERP_OK);
  EXPECT_EQ(r.first, 1);
}

TEST(Log, SamplesAreReadInStretches) {
  for (const int single : {0, 1}) {
    open_log l;
    l.options.float32 = single;
    l.options.block_bytes = 1024;
    ASSERT_EQ(l.create(), PERP_OK);
    for (int i = 0; i < 500; i++) {
      ASSERT_EQ(add_sample(l.log, i), PERP_OK);
      if (i % 70 == 3) {
        ASSERT_EQ(perp_log_add_note(l.log, "", "", nullptr), PERP_OK);
      }
    }
    ASSERT_EQ(l.close(), PERP_OK);
    ASSERT_EQ(l.open(), PERP_OK);
    EXPECT_EQ(l.summary().samples, 500);
    EXPECT_EQ(l.summary().float32, single);
    EXPECT_EQ(perp_log_reader_find(l.reader, "ball.v"), 1);
    EXPECT_EQ(perp_log_reader_find(l.reader, "ball.q"), -1);
    EXPECT_EQ(perp_log_reader_offset(l.reader, 1), 2);
    double t[500], x[2000];
    for (const std::int64_t stride : {1, 3, 77})
      for (const std::int64_t first : {0, 1, 42}) {
        const std::int64_t count = (499 - first) / stride + 1;
        ASSERT_EQ(perp_log_reader_read(l.reader, 1, first, count, stride, t, x, &l.info), PERP_OK);
        for (std::int64_t i = 0; i < count; i++) {
          const std::int64_t sample = first + i * stride;
          ASSERT_EQ(t[i], time_at(sample));
          for (int c = 0; c < 2; c++) {
            const double v = value_at(sample, 2 + c);
            ASSERT_EQ(x[2 * i + c], single != 0 ? static_cast<double>(static_cast<float>(v)) : v);
          }
        }
        EXPECT_EQ(perp_log_reader_read(l.reader, 1, first, count + 1, stride, t, x, &l.info),
                  PERP_EINVAL);
        EXPECT_STREQ(l.info.field, "count");
      }
    ASSERT_EQ(perp_log_reader_read(l.reader, -1, 499, 1, 1, nullptr, x, &l.info), PERP_OK);
    EXPECT_FLOAT_EQ(static_cast<float>(x[3]), static_cast<float>(value_at(499, 3)));
    EXPECT_EQ(perp_log_reader_read(l.reader, -1, 500, 0, 1, nullptr, x, &l.info), PERP_OK);
  }
}

TEST(Log, EveryCutLeavesAPrefix) {
  disk d;
  perp_log_options options = perp_log_options_default();
  options.block_bytes = 1024;
  write_records(&d, 90, options);
  const std::vector<std::size_t> blocks = ends(d.file);
  ASSERT_EQ(blocks.back(), d.file.size());
  std::size_t before = 0;
  for (std::size_t n = 0; n <= d.file.size(); n++) {
    std::vector<std::string> all;
    perp_log_summary u = PERP_LOG_SUMMARY_INIT;
    const bool opens = read_bytes(
        bytes(d.file.begin(), d.file.begin() + static_cast<std::ptrdiff_t>(n)), &all, &u);
    ASSERT_EQ(opens, n >= blocks[0]) << n;
    if (!opens) continue;
    const auto whole = *(std::upper_bound(blocks.begin(), blocks.end(), n) - 1);
    ASSERT_EQ(u.whole, static_cast<std::int64_t>(whole));
    ASSERT_EQ(u.bytes, static_cast<std::int64_t>(n));
    ASSERT_TRUE(is_prefix(all));
    ASSERT_GE(all.size(), before);
    if (n > whole) {
      ASSERT_EQ(all.size(), before);
    }  // it grows with whole blocks
    before = all.size();
  }
  EXPECT_EQ(before, 90u);
}

TEST(Log, EveryFlippedBitIsFound) {
  disk d;
  write_records(&d, 12, perp_log_options_default());
  const std::vector<std::size_t> blocks = ends(d.file);
  std::vector<std::string> all;
  for (std::size_t at = 0; at < d.file.size(); at++)
    for (int bit = 0; bit < 8; bit++) {
      bytes b = d.file;
      b[at] ^= static_cast<unsigned char>(1 << bit);
      perp_log_summary u = PERP_LOG_SUMMARY_INIT;
      if (at < blocks[0]) {
        ASSERT_FALSE(read_bytes(b, &all, &u)) << at;
        continue;
      }
      ASSERT_TRUE(read_bytes(b, &all, &u));
      ASSERT_TRUE(is_prefix(all));
      const auto end = *(std::upper_bound(blocks.begin(), blocks.end(), at) - 1);
      ASSERT_EQ(u.whole, static_cast<std::int64_t>(end)) << at;
    }
}

TEST(Log, OtherVersions) {
  disk d;
  write_records(&d, 12, perp_log_options_default());
  std::vector<std::string> all;
  perp_info info = PERP_INFO_INIT;
  bytes b = d.file;
  b[8] = 2;  // a newer format may be anything behind its head
  b.resize(16);
  put32(b, 12, slow_crc(b.data(), 12));
  EXPECT_FALSE(read_bytes(b, &all, nullptr, &info));
  EXPECT_STREQ(info.field, "log.version");
  EXPECT_EQ(info.value, 2);
  disk other;
  other.file = b;
  const log_io io = other.io();
  perp_log *log = nullptr;
  EXPECT_EQ(perp_log_append_on(&log, "log", nullptr, nullptr, PERP_LOG_AT_END, &io, &info),
            PERP_EUNSUPPORTED);
  EXPECT_EQ(other.file, b);
  b = d.file;
  b[10] = 9;  // a newer minor one has more
  put32(b, 12, slow_crc(b.data(), 12));
  const std::size_t end = ends(b).back();
  b.resize(end + 40);
  std::memcpy(&b[end], "PLBK", 4);
  put32(b, end + 4, 77);
  put32(b, end + 8, 8);
  put32(b, end + 16, static_cast<std::uint32_t>(ends(d.file).size()));
  put32(b, end + 24, 5);
  seal(b, end);
  perp_log_summary u = PERP_LOG_SUMMARY_INIT;
  EXPECT_TRUE(read_bytes(b, &all, &u, &info));
  EXPECT_EQ(all.size(), 12u);
  EXPECT_EQ(u.minor, 9);
  EXPECT_EQ(u.whole, u.bytes);
  EXPECT_FALSE(read_bytes(bytes(500, 'x'), &all, nullptr, &info));
  EXPECT_STREQ(info.field, "log.magic");
  EXPECT_FALSE(read_bytes({}, &all, nullptr, &info));
  EXPECT_STREQ(info.field, "log.magic");
}

// Whole by their checksums, and still not what they say.
TEST(Log, NumbersThatLieAreNotBelieved) {
  disk d;
  write_records(&d, 12, perp_log_options_default());
  const std::vector<std::size_t> blocks = ends(d.file);
  std::vector<std::string> all;
  for (std::size_t k = 0; k + 1 < blocks.size(); k++) {  // each number in each head
    const std::size_t at = k == 0 ? 16 : blocks[k - 1];
    for (const std::size_t field : {4u, 8u, 12u, 16u, 24u})
      for (const std::uint32_t value : {0u, 1u, 6u, 0x7fffffffu, 0xffffffffu}) {
        bytes b = d.file;
        put32(b, at + field, value);
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < 8; i++) n |= std::uint64_t{b[at + 8 + i]} << 8 * i;
        if (n < b.size() - at - 40) seal(b, at);
        if (!read_bytes(b, &all)) {
          ASSERT_EQ(k, 0u);
        }
      }
  }
  for (std::size_t at = 48; at + 4 <= blocks[0]; at++)  // each number in the schema
    for (const std::uint32_t value : {0u, 0x7fffffffu, 0xffffffffu}) {
      bytes b = d.file;
      put32(b, at, value);
      seal(b, 16);
      if (read_bytes(b, &all)) SUCCEED();
    }
  for (std::size_t k = 1; k < blocks.size(); k++)  // and in the others
    for (std::size_t at = blocks[k - 1] + 32; at + 4 <= blocks[k]; at += 4)
      for (const std::uint32_t value : {0x7fffffffu, 0xffffffffu}) {
        bytes b = d.file;
        put32(b, at, value);
        seal(b, blocks[k - 1]);
        disk other;
        other.file = b;
        const log_io io = other.io();
        perp_log_reader *reader = nullptr;
        ASSERT_EQ(perp_log_reader_open_on(&reader, "log", &io, nullptr), PERP_OK);
        perp_log_record r = PERP_LOG_RECORD_INIT;
        perp_info info = PERP_INFO_INIT;
        perp_status status;
        int records = 0;
        while ((status = perp_log_reader_next(reader, 0, &r, &info)) != PERP_END) {
          ASSERT_LT(++records, 100);
          if (status != PERP_OK) {
            ASSERT_EQ(status, PERP_EINVAL);
            ASSERT_STREQ(info.field, "log.record");
          }
        }
        perp_log_reader_close(reader);
      }
}

TEST(Log, WhatIsSelected) {
  struct wish {
    const char *select;
    std::vector<std::string> names;  // members of all quantities
  };
  const wish wishes[] = {{nullptr, {"bead[0].q", "bead[1].q", "ball.v"}},
                         {"ball", {"ball.v"}},
                         {"bead.q", {"bead[0].q", "bead[1].q"}},
                         {"bead[1]", {"bead[1].q"}},
                         {" bead[1].* , ball.v", {"bead[1].q", "ball.v"}},
                         {"*.q", {"bead[0].q", "bead[1].q"}},
                         {"*.*", {"bead[0].q", "bead[1].q", "ball.v"}},
                         {"*", {"bead[0].q", "bead[1].q", "ball.v"}}};
  const double x[] = {1, 2, 3, 4};
  for (const wish &w : wishes) {
    open_log l;
    l.options.select = w.select;
    ASSERT_EQ(l.create(), PERP_OK) << w.select;
    ASSERT_EQ(perp_log_add_sample(l.log, 0, x, 4, nullptr), PERP_OK);
    ASSERT_EQ(l.close(), PERP_OK);
    ASSERT_EQ(l.append(PERP_LOG_AT_END, true), PERP_OK) << l.info.field;
    EXPECT_EQ(perp_log_n_values(l.log), 4);
    ASSERT_EQ(perp_log_add_sample(l.log, 1, x, 4, nullptr), PERP_OK);
    ASSERT_EQ(l.close(), PERP_OK);
    ASSERT_EQ(l.open(), PERP_OK);
    EXPECT_EQ(l.summary().samples, 2);
    std::vector<std::string> names;
    std::vector<double> values, wanted;
    const perp_log_schema *s = perp_log_reader_schema(l.reader);
    for (int i = 0; i < s->n_quantities; i++)
      for (int k = 0; k < s->quantities[i].members; k++) {
        char text[40];
        ASSERT_LT(perp_log_reader_member(l.reader, i, k, text, sizeof text), sizeof text);
        names.push_back(std::string(text) + "." + s->quantities[i].name);
        if (names.back() == "bead[0].q") wanted.push_back(1);
        if (names.back() == "bead[1].q") wanted.push_back(2);
        if (names.back() == "ball.v") wanted.insert(wanted.end(), {3, 4});
      }
    EXPECT_EQ(names, w.names);
    values.resize(wanted.size());
    for (const int sample : {0, 1}) {
      ASSERT_EQ(perp_log_reader_read(l.reader, -1, sample, 1, 1, nullptr, values.data(), nullptr),
                PERP_OK);
      EXPECT_EQ(values, wanted);
    }
  }
  for (const char *select : {"", "cube", "ball,", "bead[2]", "bead[01]", "ball.q", "bead[0].v"}) {
    open_log l;
    l.options.select = select;
    EXPECT_EQ(l.create(), PERP_EINVAL) << select;
    EXPECT_STREQ(l.info.field, "select");
    EXPECT_EQ(l.info.index, std::strcmp(select, "ball,") == 0 ? 1 : 0);
  }
}

TEST(Log, EveryThirdSample) {
  open_log l;
  l.options.every = 3;
  ASSERT_EQ(l.create(), PERP_OK);
  for (int i = 0; i < 5; i++) ASSERT_EQ(add_sample(l.log, i), PERP_OK);
  ASSERT_EQ(perp_log_add_checkpoint(l.log, 0, "", nullptr, 0, nullptr), PERP_OK);
  for (int i = 5; i < 20; i++) ASSERT_EQ(add_sample(l.log, i), PERP_OK);
  ASSERT_EQ(l.close(), PERP_OK);
  const bytes all = l.d.file;
  ASSERT_EQ(l.append(PERP_LOG_AT_CHECKPOINT), PERP_OK) << l.info.field;
  for (int i = 5; i < 20; i++) ASSERT_EQ(add_sample(l.log, i), PERP_OK);
  ASSERT_EQ(l.close(), PERP_OK);
  EXPECT_EQ(l.d.file, all);  // as if it had not been interrupted
  ASSERT_EQ(l.open(), PERP_OK);
  EXPECT_EQ(l.summary().every, 3);
  double t[7];
  ASSERT_EQ(l.summary().samples, 7);
  ASSERT_EQ(perp_log_reader_read(l.reader, 0, 0, 7, 1, t, nullptr, nullptr), PERP_OK);
  for (int i = 0; i < 7; i++) EXPECT_EQ(t[i], time_at(3 * i));
}

TEST(Log, SizesAreToldBeforehand) {
  for (const int every : {1, 3})
    for (const int single : {0, 1})
      for (const int more : {0, 1, 2, 30, 31, 32, 1000, 5000}) {
        open_log l;
        l.options.every = every;
        l.options.float32 = single;
        l.options.block_bytes = 2000;
        ASSERT_EQ(l.create(), PERP_OK);
        for (int i = 0; i < 100; i++) ASSERT_EQ(add_sample(l.log, i), PERP_OK);
        if (more % 2 == 0) {
          ASSERT_EQ(perp_log_add_note(l.log, "a", "b", nullptr), PERP_OK);
        }
        const std::int64_t told = perp_log_bytes(l.log, more);
        for (int i = 0; i < more; i++) ASSERT_EQ(add_sample(l.log, i), PERP_OK);
        EXPECT_EQ(perp_log_bytes(l.log, 0), told);
        ASSERT_EQ(l.close(), PERP_OK);
        EXPECT_EQ(told, static_cast<std::int64_t>(l.d.file.size()));
      }
  open_log l;
  ASSERT_EQ(l.create(), PERP_OK);
  EXPECT_EQ(perp_log_bytes(l.log, -1), -1);
  EXPECT_EQ(perp_log_bytes(l.log, std::numeric_limits<std::int64_t>::max()), -1);
  EXPECT_EQ(perp_log_bytes(nullptr, 1), -1);
}

TEST(Log, GoesOnBehindItsLastWholeBlock) {
  perp_log_options options = perp_log_options_default();
  options.block_bytes = 1024;
  disk d;
  write_records(&d, 60, options);
  const std::vector<std::size_t> blocks = ends(d.file);
  for (std::size_t n = blocks[0]; n < d.file.size(); n += 7) {
    open_log l;
    l.d.file.assign(d.file.begin(), d.file.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<std::string> before, after;
    ASSERT_TRUE(read_bytes(l.d.file, &before));
    l.options = options;
    ASSERT_EQ(l.append(PERP_LOG_AT_END), PERP_OK) << l.info.field;
    for (auto i = static_cast<std::int64_t>(before.size()); i < 70; i++)
      ASSERT_EQ(add_record(l.log, i), PERP_OK);
    ASSERT_EQ(l.close(), PERP_OK);
    perp_log_summary u = PERP_LOG_SUMMARY_INIT;
    ASSERT_TRUE(read_bytes(l.d.file, &after, &u));
    EXPECT_EQ(after.size(), 70u);
    EXPECT_TRUE(is_prefix(after));
    EXPECT_EQ(u.whole, u.bytes);
  }
  open_log l;
  l.d.file = d.file;
  l.s.quantities[1].components = 3;
  EXPECT_EQ(l.append(PERP_LOG_AT_END, true), PERP_EINVAL);
  EXPECT_STREQ(l.info.field, "quantities");
  EXPECT_EQ(l.info.index, 1);
  l.d.file.resize(blocks[0]);
  EXPECT_EQ(l.append(PERP_LOG_AT_CHECKPOINT), PERP_EINVAL);
  EXPECT_STREQ(l.info.field, "log.checkpoint");
  EXPECT_EQ(l.d.file.size(), blocks[0]);
}

TEST(Log, EventsOfManyRows) {
  open_log l;
  l.options.block_bytes = 1024;
  ASSERT_EQ(l.create(), PERP_OK);
  std::vector<double> impulse(1000);
  for (std::size_t i = 0; i < impulse.size(); i++) impulse[i] = value_at(static_cast<int>(i), 0);
  for (int n = 0; n < 1000; n += 111) {
    const perp_log_event e = {1.0 * n, 1 << 20, n, 0, 0, 0, n, 0, 0, impulse.data()};
    ASSERT_EQ(perp_log_add_event(l.log, &e, &l.info), PERP_OK);
  }
  ASSERT_EQ(l.close(), PERP_OK);
  ASSERT_EQ(l.open(), PERP_OK);
  perp_log_record r = PERP_LOG_RECORD_INIT;
  for (int n = 0; n < 1000; n += 111) {
    ASSERT_EQ(perp_log_reader_next(l.reader, 0, &r, nullptr), PERP_OK);
    ASSERT_EQ(r.event.n_impulse, n);
    for (int i = 0; i < n; i++) ASSERT_EQ(r.event.impulse[i], impulse[static_cast<size_t>(i)]);
  }
  EXPECT_EQ(perp_log_reader_next(l.reader, 0, &r, nullptr), PERP_END);
}

TEST(Log, ContactsOfAPool) {
  for (const int single : {0, 1}) {
    open_log l;
    l.options.block_bytes = 1024;
    l.options.float32 = single;
    ASSERT_EQ(l.create(), PERP_OK);
    const auto value = [&](int i, int k) {
      const double x = value_at(i, k);
      return single != 0 ? static_cast<double>(static_cast<float>(x)) : x;
    };
    std::vector<perp_log_contact> list(40);
    for (int i = 0; i < 40; i++) {
      perp_log_contact &c = list[static_cast<std::size_t>(i)];
      c.systems[0] = i, c.systems[1] = -1 - i;
      c.identity[0] = 0xffffffffu, c.identity[1] = static_cast<std::uint32_t>(3 * i);
      c.law = 5 * i, c.rows = 7 * i, c.gap = value_at(i, 0);
      for (int k = 0; k < 3; k++)
        c.point[k] = value_at(i, 1 + k), c.normal[k] = value_at(i, 4 + k),
        c.tangent[k] = value_at(i, 7 + k);
      for (int k = 0; k < 5; k++) c.lambda[k] = value_at(i, 10 + k);
    }
    ASSERT_EQ(perp_log_add_contacts(l.log, 0, list.data(), 1, &l.info), PERP_OK);
    for (int n = 0; n <= 40; n += 8) { /* two in a block, and one that is longer than a block */
      ASSERT_EQ(add_sample(l.log, n), PERP_OK);
      ASSERT_EQ(perp_log_add_contacts(l.log, n, n > 0 ? list.data() : nullptr, n, &l.info),
                PERP_OK);
      ASSERT_EQ(perp_log_add_contacts(l.log, n + 0.5, list.data() + 39, 1, &l.info), PERP_OK);
    }
    ASSERT_EQ(l.close(), PERP_OK);
    ASSERT_EQ(l.open(), PERP_OK);
    EXPECT_EQ(l.summary().contact_lists, 13);
    EXPECT_EQ(l.summary().samples, 6);
    const std::uint32_t type = 1U << PERP_LOG_CONTACT_LIST;
    perp_log_record r = PERP_LOG_RECORD_INIT;
    ASSERT_EQ(perp_log_reader_next(l.reader, type, &r, nullptr), PERP_OK);
    EXPECT_EQ(r.first, -1);
    for (int n = 0, sample = 0; n <= 40; n += 8, sample++)
      for (const double late : {0.0, 0.5}) {
        ASSERT_EQ(perp_log_reader_next(l.reader, type, &r, nullptr), PERP_OK);
        ASSERT_EQ(r.count, late > 0 ? 1 : n);
        EXPECT_EQ(r.first, sample);
        EXPECT_EQ(r.t, n + late);
        for (int j = 0; j < r.count; j++) {
          const perp_log_contact &c = r.contacts[j];
          const int i = late > 0 ? 39 : j;
          EXPECT_EQ(c.systems[0], i);
          EXPECT_EQ(c.systems[1], -1 - i);
          EXPECT_EQ(c.identity[0], 0xffffffffu);
          EXPECT_EQ(c.identity[1], static_cast<std::uint32_t>(3 * i));
          EXPECT_EQ(c.law, 5 * i);
          EXPECT_EQ(c.rows, 7 * i);
          EXPECT_EQ(c.gap, value(i, 0));
          for (int k = 0; k < 3; k++) {
            EXPECT_EQ(c.point[k], value(i, 1 + k));
            EXPECT_EQ(c.normal[k], value(i, 4 + k));
            EXPECT_EQ(c.tangent[k], value(i, 7 + k));
          }
          for (int k = 0; k < 5; k++) EXPECT_EQ(c.lambda[k], value(i, 10 + k));
        }
      }
    EXPECT_EQ(perp_log_reader_next(l.reader, type, &r, nullptr), PERP_END);
    const std::size_t at = ends(l.d.file)[0]; /* the block of the first list */
    for (const std::uint32_t n : {2u, 3u, 0x7fffffffu, 0xffffffffu}) {
      put32(l.d.file, at + 32 + 8, n);
      seal(l.d.file, at);
      ASSERT_EQ(l.open(), PERP_OK);
      EXPECT_EQ(perp_log_reader_next(l.reader, type, &r, &l.info), PERP_EINVAL) << n;
      EXPECT_STREQ(l.info.field, "log.record");
      EXPECT_EQ(perp_log_reader_next(l.reader, type, &r, nullptr), PERP_OK);
      EXPECT_EQ(r.first, 0);
    }
  }
}

TEST(Log, AFileThatChangesUnderAReader) {
  open_log l;
  l.options.block_bytes = 1024;
  ASSERT_EQ(l.create(), PERP_OK);
  for (int i = 0; i < 200; i++) ASSERT_EQ(add_sample(l.log, i), PERP_OK);
  ASSERT_EQ(l.close(), PERP_OK);
  ASSERT_EQ(l.open(), PERP_OK);
  double t;
  ASSERT_EQ(perp_log_reader_read(l.reader, 0, 199, 1, 1, &t, nullptr, &l.info), PERP_OK);
  l.d.file[ends(l.d.file)[0] + 40] ^= 1;
  EXPECT_EQ(perp_log_reader_read(l.reader, 0, 0, 1, 1, &t, nullptr, &l.info), PERP_EBACKEND);
  EXPECT_STREQ(l.info.field, "log.read");
  perp_log_record r = PERP_LOG_RECORD_INIT;
  EXPECT_EQ(perp_log_reader_next(l.reader, 0, &r, &l.info), PERP_EBACKEND);
  l.d.file.resize(600);
  EXPECT_EQ(perp_log_reader_read(l.reader, 0, 100, 1, 1, &t, nullptr, &l.info), PERP_EBACKEND);
  EXPECT_EQ(l.info.value, EIO);
}

TEST(Log, WhatIsRefused) {
  const auto refuses = [](const char *field, int index, void (*spoil)(open_log &)) {
    open_log l;
    spoil(l);
    EXPECT_EQ(l.create(), PERP_EINVAL) << field;
    EXPECT_STREQ(l.info.field, field);
    EXPECT_EQ(l.info.index, index) << field;
    EXPECT_EQ(l.log, nullptr);
    EXPECT_TRUE(l.d.file.empty());
  };
  refuses("schema.struct_size", -1, [](open_log &l) { l.s.schema.struct_size = 0; });
  refuses("options", -1, [](open_log &l) { l.options.struct_size = 4; });
  refuses("every", -1, [](open_log &l) { l.options.every = 0; });
  refuses("float32", -1, [](open_log &l) { l.options.float32 = 2; });
  refuses("block_bytes", -1, [](open_log &l) { l.options.block_bytes = -1; });
  refuses("sync_seconds", -1, [](open_log &l) { l.options.sync_seconds = nan; });
  refuses("n_quantities", -1, [](open_log &l) { l.s.schema.n_quantities = -1; });
  refuses("quantities", -1, [](open_log &l) { l.s.schema.quantities = nullptr; });
  refuses("quantities", -1, [](open_log &l) { l.s.quantities[1] = l.s.quantities[0]; });
  refuses("quantities.kind", 1, [](open_log &l) { l.s.quantities[1].kind = nullptr; });
  refuses("quantities.kind", 1, [](open_log &l) { l.s.quantities[1].kind = "a.b"; });
  refuses("quantities.name", 0, [](open_log &l) { l.s.quantities[0].name = ""; });
  refuses("quantities.name", 0, [](open_log &l) { l.s.quantities[0].name = "a\n"; });
  refuses("quantities.members", 0, [](open_log &l) { l.s.quantities[0].members = -3; });
  refuses("quantities.members", 0, [](open_log &l) { l.s.quantities[0].members = 1 << 30; });
  refuses("quantities.components", 0, [](open_log &l) { l.s.quantities[0].components = 0; });
  refuses("quantities.source", 1, [](open_log &l) { l.s.quantities[1].source = 99; });
  refuses("quantities.members", 0,
          [](open_log &l) { l.s.quantities[0].source = PERP_LOG_KINETIC; });
  refuses("quantities.objects", 0, [](open_log &l) {
    static const std::int32_t objects[] = {0, -1};
    l.s.quantities[0].objects = objects;
  });
  refuses("quantities.member_names", 0, [](open_log &l) {
    static const char *const names[] = {"a", "a"};
    l.s.quantities[0].member_names = names;
  });
  refuses("quantities.member_names", 0, [](open_log &l) {
    static const char *const names[] = {"a", nullptr};
    l.s.quantities[0].member_names = names;
  });
}

TEST(Log, NullEverywhere) {
  perp_log *log = nullptr;
  perp_log_reader *reader = nullptr;
  perp_log_record r = PERP_LOG_RECORD_INIT;
  const small_schema s;
  EXPECT_EQ(perp_log_create(nullptr, "x", &s.schema, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_create(&log, nullptr, &s.schema, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_create(&log, "x", nullptr, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_append(nullptr, "x", nullptr, nullptr, 0, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_append(&log, nullptr, nullptr, nullptr, 0, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_append(&log, "x", nullptr, nullptr, 2, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_add_sample(nullptr, 0, nullptr, 0, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_add_event(nullptr, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_add_checkpoint(nullptr, 0, "", nullptr, 0, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_add_note(nullptr, "", "", nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_add_end(nullptr, 0, 0, nullptr, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_flush(nullptr, 1, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_close(nullptr, nullptr), PERP_OK);
  EXPECT_EQ(perp_log_n_values(nullptr), 0);
  perp_log_options_init(nullptr, 8);
  EXPECT_EQ(perp_log_reader_open(nullptr, "x", nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_reader_open(&reader, nullptr, nullptr), PERP_EINVAL);
  perp_log_reader_close(nullptr);
  perp_log_reader_rewind(nullptr);
  EXPECT_EQ(perp_log_reader_schema(nullptr), nullptr);
  EXPECT_EQ(perp_log_reader_summary(nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_reader_find(nullptr, "a"), -1);
  EXPECT_EQ(perp_log_reader_offset(nullptr, 0), -1);
  EXPECT_EQ(perp_log_reader_member(nullptr, 0, 0, nullptr, 9), 0u);
  EXPECT_EQ(perp_log_reader_read(nullptr, 0, 0, 0, 1, nullptr, nullptr, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_reader_next(nullptr, 0, &r, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_reader_last(nullptr, 0, &r, nullptr), PERP_EINVAL);
  open_log l;
  ASSERT_EQ(l.create(), PERP_OK);
  const auto says = [&](perp_status status, const char *field) {
    EXPECT_EQ(status, PERP_EINVAL) << field;
    EXPECT_STREQ(l.info.field, field);
  };
  double x[4] = {0};
  perp_log_event e = {};
  says(perp_log_add_sample(l.log, 0, x, 3, &l.info), "n_values");
  says(perp_log_add_sample(l.log, 0, x, -1, &l.info), "n_values");
  says(perp_log_add_sample(l.log, 0, nullptr, 4, &l.info), "values");
  says(perp_log_add_event(l.log, nullptr, &l.info), "event");
  e.n_impulse = -1;
  says(perp_log_add_event(l.log, &e, &l.info), "n_impulse");
  e.n_impulse = 1;
  says(perp_log_add_event(l.log, &e, &l.info), "impulse");
  says(perp_log_add_note(l.log, nullptr, "", &l.info), "name");
  says(perp_log_add_note(l.log, "", nullptr, &l.info), "text");
  says(perp_log_add_checkpoint(l.log, 0, nullptr, "", 0, &l.info), "name");
  says(perp_log_add_checkpoint(l.log, 0, "", nullptr, 1, &l.info), "bytes");
  ASSERT_EQ(l.close(), PERP_OK);
  ASSERT_EQ(l.open(), PERP_OK);
  EXPECT_EQ(l.summary().samples, 0);
  says(perp_log_reader_read(l.reader, 2, 0, 0, 1, x, x, &l.info), "quantity");
  says(perp_log_reader_read(l.reader, 0, -1, 0, 1, x, x, &l.info), "first");
  says(perp_log_reader_read(l.reader, 0, 0, 0, 0, x, x, &l.info), "stride");
  says(perp_log_reader_read(l.reader, 0, 0, 1, 1, x, x, &l.info), "count");
  says(perp_log_reader_read(l.reader, 0, 0, -1, 1, x, x, &l.info), "count");
  says(perp_log_reader_next(l.reader, 0, nullptr, &l.info), "record");
  r.struct_size = 8;
  says(perp_log_reader_last(l.reader, 0, &r, &l.info), "record.struct_size");
  EXPECT_EQ(perp_log_reader_summary(l.reader, nullptr), PERP_EINVAL);
  EXPECT_EQ(perp_log_reader_member(l.reader, 0, 2, nullptr, 0), 0u);
  EXPECT_EQ(perp_log_reader_find(l.reader, nullptr), -1);
}

// By another reader, in another language, that knows the header's comment and nothing else.
TEST(Log, ReadFromItsDocumentation) {
  if (std::system("python3 -c 'import struct' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const std::string path = ::testing::TempDir() + "perp_read_log_" + std::to_string(::getpid());
  for (const int single : {0, 1}) {
    disk d;
    perp_log_options options = perp_log_options_default();
    options.block_bytes = 1024;
    options.float32 = single;
    write_records(&d, 100, options);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(d.file.data()),
               static_cast<std::streamsize>(d.file.size() - 3));  // the last block is cut
    std::string wanted = "bead q m 2 1\nball v  1 2\n", got;
    char line[200];
    for (int i = 0; i < 99; i++) {
      const auto number = [&](double x) {
        return single != 0 ? static_cast<double>(static_cast<float>(x)) : x;
      };
      if (i % 8 == 3)
        std::snprintf(line, sizeof line, "event %a 1 %d -1 0 2 %d\n", time_at(i), i, i % 3);
      else if (i % 8 == 5)
        std::snprintf(line, sizeof line, "note %d %d\n", i, i);
      else if (i % 8 == 6) {
        std::snprintf(line, sizeof line, "contacts %a %d\n", time_at(i), i % 4);
        for (int k = 0; k < i % 4; k++) {
          wanted += line + ("contact 0 0 0 0 " + std::to_string(i) + " 0");
          for (int zero = 0; zero < 14; zero++) wanted += " 0x0p+0";
          std::snprintf(line, sizeof line, " %a\n", number(value_at(i, k)));
        }
      } else if (i % 8 == 7)
        std::snprintf(line, sizeof line, "checkpoint %a state %d\n", time_at(i), i % 16);
      else
        std::snprintf(line, sizeof line, "sample %a %a %a %a %a\n", time_at(i),
                      number(value_at(i, 0)), number(value_at(i, 1)), number(value_at(i, 2)),
                      number(value_at(i, 3)));
      wanted += line;
    }
    const std::string command = "python3 " PERP_SOURCE_DIR "/tests/read_log.py " + path;
    FILE *pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    while (std::fgets(line, sizeof line, pipe) != nullptr) got += line;
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(got, wanted);
  }
  std::remove(path.c_str());
}

}  // namespace
