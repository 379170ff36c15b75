// SPDX-License-Identifier: MIT
// What tests of logs have in common: a disk in memory that can fail and lose what was not synced, a
// log whose every number is known beforehand, and what of it a reader finds.
#ifndef PERP_TESTS_LOG_TOOLS_HPP
#define PERP_TESTS_LOG_TOOLS_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "log/log.h"
}

namespace tools {

using bytes = std::vector<unsigned char>;

/** A file in memory. What was written since the last sync may be lost. */
struct disk {
  struct write_of {
    std::int64_t at;
    bytes what;
  };
  bytes file, synced;             // as programs see it, as it is after the last sync
  std::vector<write_of> pending;  // since then, in their order
  int writes = 0, syncs = 0;
  int fail_write = -1, fail_sync = -1, error = ENOSPC;  // which of them fails
  std::size_t short_by = 0;                             // the failing write writes all but these
  double now = 0, tick = 0;

  log_io io() {
    return {[](void *self, const char *, int how) {
              auto *d = static_cast<disk *>(self);
              if (how == LOG_REPLACE) d->file.clear(), d->synced.clear();
              return 3;
            },
            [](void *self, int) {
              return static_cast<std::int64_t>(static_cast<disk *>(self)->file.size());
            },
            [](void *self, int, std::int64_t at, void *to, std::size_t n) {
              const bytes &f = static_cast<disk *>(self)->file;
              const auto from = static_cast<std::size_t>(at);
              if (from >= f.size()) return std::int64_t{0};
              n = std::min({n, f.size() - from, std::size_t{1000}});  // readers ask again
              std::memcpy(to, f.data() + from, n);
              return static_cast<std::int64_t>(n);
            },
            [](void *self, int, std::int64_t at, const void *from, std::size_t n) {
              return static_cast<disk *>(self)->write(at, from, n);
            },
            [](void *self, int) { return static_cast<disk *>(self)->sync(); },
            [](void *self, int, std::int64_t size) {
              static_cast<disk *>(self)->file.resize(static_cast<std::size_t>(size));
              return 0;
            },
            [](void *, int) { return 0; },
            [](void *self) {
              auto *d = static_cast<disk *>(self);
              return d->now += d->tick;
            },
            this};
  }

  std::int64_t write(std::int64_t at, const void *from, std::size_t n) {
    if (fail_write >= 0 && writes > fail_write) return -error;
    const bool fails = writes++ == fail_write;
    if (fails) n = n > short_by ? n - short_by : 0;  // a part first, then nothing
    if (fails && n == 0) return -error;
    const auto *b = static_cast<const unsigned char *>(from);
    pending.push_back({at, bytes(b, b + n)});
    put(file, pending.back());
    return static_cast<std::int64_t>(n);
  }

  int sync() {
    if (syncs++ == fail_sync) return -error;
    synced = file;
    pending.clear();
    return 0;
  }

  static void put(bytes &f, const write_of &w) {
    const auto at = static_cast<std::size_t>(w.at);
    if (f.size() < at + w.what.size()) f.resize(at + w.what.size());
    std::copy(w.what.begin(), w.what.end(), f.begin() + w.at);
  }
};

/** Two quantities: 2 x 1 and 1 x 2. */
struct small_schema {
  perp_log_quantity quantities[2] = {};
  perp_log_schema schema = PERP_LOG_SCHEMA_INIT;
  small_schema() {
    quantities[0].kind = "bead";
    quantities[0].name = "q";
    quantities[0].unit = "m";
    quantities[0].members = 2;
    quantities[0].components = 1;
    quantities[1].kind = "ball";
    quantities[1].name = "v";
    quantities[1].members = 1;
    quantities[1].components = 2;
    schema.n_quantities = 2;
    schema.quantities = quantities;
    schema.model_name = "beads.toml";
    schema.model = "[bead]\nrepeat = 2\n";
  }
};

inline double time_at(std::int64_t i) { return 0.001 * static_cast<double>(i); }
inline double value_at(std::int64_t i, int k) {
  return std::sqrt(static_cast<double>(i + 1)) / (k + 1);
}

inline perp_status add_sample(perp_log *log, std::int64_t i, perp_info *info = nullptr) {
  double x[4];
  for (int k = 0; k < 4; k++) x[k] = value_at(i, k);
  return perp_log_add_sample(log, time_at(i), x, 4, info);
}

/** The i-th of a sequence of records of all types, which any reader can tell from i alone. */
inline perp_status add_record(perp_log *log, std::int64_t i, perp_info *info = nullptr) {
  const double impulse[] = {value_at(i, 0), value_at(i, 1)};
  const auto n = static_cast<std::int32_t>(i);
  switch (i % 8) {
    case 3: {
      const perp_log_event e = {time_at(i), PERP_EVENT_IMPACT, n,      -1, 0, 2, n % 3,
                                0.5,        time_at(i + 1),    impulse};
      return perp_log_add_event(log, &e, info);
    }
    case 5:
      return perp_log_add_note(log, std::to_string(i).c_str(),
                               std::string(static_cast<std::size_t>(n), 'x').c_str(), info);
    case 6: {
      perp_log_contact c[3] = {};
      for (int k = 0; k < 3; k++) c[k].law = n, c[k].lambda[4] = value_at(i, k);
      return perp_log_add_contacts(log, time_at(i), c, n % 4, info);
    }
    case 7:
      return perp_log_add_checkpoint(log, time_at(i), "state", impulse,
                                     static_cast<std::size_t>(i % 16), info);
    default:
      return add_sample(log, i, info);
  }
}

/** As text, so that what differs can be seen. */
inline std::string record_text(std::int64_t i) {
  const std::string head = std::to_string(i % 8) + " " + std::to_string(time_at(i)) + " ";
  switch (i % 8) {
    case 3:
      return "event " + head + std::to_string(i) + " of " + std::to_string(i % 3);
    case 5:
      return "note " + std::to_string(i) + " " + std::string(static_cast<std::size_t>(i), 'x');
    case 6: {
      std::string all = "contacts " + head;
      for (int k = 0; k < i % 4; k++)
        all += std::to_string(i) + " " + std::to_string(value_at(i, k)) + " ";
      return all;
    }
    case 7:
      return "checkpoint " + head + std::to_string(i % 16);
    default:
      return "sample " + head + std::to_string(value_at(i, 0)) + " " +
             std::to_string(value_at(i, 3));
  }
}

/** What a reader finds, each as record_text() has it of its place. */
inline std::vector<std::string> found(perp_log_reader *reader) {
  std::vector<std::string> all;
  perp_log_record r = PERP_LOG_RECORD_INIT;
  const auto head = [&](double t) {
    return std::to_string(all.size() % 8) + " " + std::to_string(t) + " ";
  };
  perp_status status;
  while ((status = perp_log_reader_next(reader, 0, &r, nullptr)) != PERP_END) {
    if (status != PERP_OK)
      all.push_back("no record");
    else if (r.type == PERP_LOG_SAMPLES)
      for (int k = 0; k < r.count; k++)
        all.push_back("sample " + head(r.times[k]) + std::to_string(r.values[4 * k]) + " " +
                      std::to_string(r.values[4 * k + 3]));
    else if (r.type == PERP_LOG_EVENTS)
      all.push_back("event " + head(r.event.t) + std::to_string(r.event.index) + " of " +
                    std::to_string(r.event.n_impulse));
    else if (r.type == PERP_LOG_CONTACT_LIST) {
      all.push_back("contacts " + head(r.t));
      for (int k = 0; k < r.count; k++)
        all.back() +=
            std::to_string(r.contacts[k].law) + " " + std::to_string(r.contacts[k].lambda[4]) + " ";
    } else if (r.type == PERP_LOG_NOTE)
      all.push_back(std::string("note ") + r.name + " " + r.text);
    else if (r.type == PERP_LOG_CHECKPOINT)
      all.push_back("checkpoint " + head(r.t) + std::to_string(r.n_bytes));
    else
      all.push_back("end");
  }
  return all;
}

/** Read bytes as a log: whether it could be opened; then what is in it. */
inline bool read_bytes(const bytes &b, std::vector<std::string> *all,
                       perp_log_summary *summary = nullptr, perp_info *info = nullptr) {
  disk d;
  d.file = b;
  const log_io io = d.io();
  perp_log_reader *reader = nullptr;
  all->clear();
  if (perp_log_reader_open_on(&reader, "log", &io, info) != PERP_OK) return false;
  *all = found(reader);
  if (summary != nullptr) {
    EXPECT_EQ(perp_log_reader_summary(reader, summary), PERP_OK);
  }
  perp_log_reader_close(reader);
  return true;
}

/** Whether records are the first of the sequence, and no other. */
inline ::testing::AssertionResult is_prefix(const std::vector<std::string> &all) {
  for (std::size_t i = 0; i < all.size(); i++)
    if (all[i] != record_text(static_cast<std::int64_t>(i)))
      return ::testing::AssertionFailure() << "record " << i << ": " << all[i] << ", not "
                                           << record_text(static_cast<std::int64_t>(i));
  return ::testing::AssertionSuccess();
}

/** A log of n records on a disk, closed. */
inline void write_records(disk *d, int n, const perp_log_options &options) {
  const log_io io = d->io();
  const small_schema s;
  perp_log *log = nullptr;
  ASSERT_EQ(perp_log_create_on(&log, "log", &s.schema, &options, &io, nullptr), PERP_OK);
  for (int i = 0; i < n; i++) ASSERT_EQ(add_record(log, i), PERP_OK);
  ASSERT_EQ(perp_log_close(log, nullptr), PERP_OK);
}

/** The ends of the blocks of a log, by the documentation of its bytes. */
inline std::vector<std::size_t> ends(const bytes &b) {
  std::vector<std::size_t> all;
  for (std::size_t at = 16; at + 32 <= b.size(); all.push_back(at)) {
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < 8; i++) n |= std::uint64_t{b[at + 8 + i]} << 8 * i;
    at += 32 + static_cast<std::size_t>((n + 7) / 8 * 8);
  }
  return all;
}

/** CRC-32C bit by bit. */
inline std::uint32_t slow_crc(const unsigned char *b, std::size_t n) {
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t i = 0; i < n; i++) {
    crc ^= b[i];
    for (int bit = 0; bit < 8; bit++) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
  }
  return ~crc;
}

}  // namespace tools

#endif
