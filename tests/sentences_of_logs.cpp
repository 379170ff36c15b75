// SPDX-License-Identifier: MIT
// What logs refuse, by whole sentences: a part of test_sentences.
#include <perp/perp.h>

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>

#include "sentences.hpp"

namespace sentences {
namespace {

std::string place() { return ::testing::TempDir() + "perp_sentences_" + std::to_string(getpid()); }

/** A log of one quantity that is created, and added to. */
struct logged {
  perp_log_quantity quantity = {};
  perp_log_schema schema = PERP_LOG_SCHEMA_INIT;
  perp_log_options options = perp_log_options_default();
  std::string path = place();
  const char *name = path.c_str();
  perp_log_schema *what = &schema;
  perp_log **out = &log;
  perp_log *log = nullptr;
  int where = -1;  // PERP_LOG_AT_...: is appended to then
  logged() {
    quantity.kind = "ball";
    quantity.name = "q";
    quantity.members = 2;
    quantity.components = 1;
    schema.quantities = &quantity;
    schema.n_quantities = 1;
  }
  ~logged() {
    perp_log_close(log, nullptr);
    std::remove(path.c_str());
  }
  perp_status create(perp_info *info) {
    const perp_status status = perp_log_create(out, name, what, &options, info);
    if (status != PERP_OK || where < 0) return status;
    perp_log_close(log, info);
    return perp_log_append(&log, name, what, &options, where, info);
  }
  std::string said() {
    return sentences::said([&](perp_info *info) { return create(info); });
  }
};

TEST(Sentences, LogsThatAreNotBegun) {
  expect<logged>({
      {"out is missing", [](logged &l) { l.out = nullptr; }},
      {"path is missing", [](logged &l) { l.name = nullptr; }},
      {"schema is missing", [](logged &l) { l.what = nullptr; }},
      {"schema.struct_size = 0: must be set by PERP_LOG_SCHEMA_INIT",
       [](logged &l) { l.schema.struct_size = 0; }},
      {"options are missing", [](logged &l) { l.options.struct_size = 0; }},
      {"every = 0: must be >= 1", [](logged &l) { l.options.every = 0; }},
      {"float32 = 2: must be 0 or 1", [](logged &l) { l.options.float32 = 2; }},
      {"block_bytes = 1: must be 1024 ... 2^26", [](logged &l) { l.options.block_bytes = 1; }},
      {"contact_lists = 2: must be 0 or 1", [](logged &l) { l.options.contact_lists = 2; }},
      {"sync_seconds = nan: must be >= 0", [](logged &l) { l.options.sync_seconds = nan; }},
      {"select[0] names nothing that there is: a kind, a member, or one of these, a point and a "
       "quantity",
       [](logged &l) { l.options.select = "cube"; }},
      {"n_quantities = -1: must be >= 0", [](logged &l) { l.schema.n_quantities = -1; }},
      {"quantities are missing", [](logged &l) { l.schema.quantities = nullptr; }},
      {"quantities = 2: must differ by kind and name, have the sizes of the simulation, and be "
       "those of a log that goes on",
       [](logged &l) {
         static perp_log_quantity two[2];
         two[0] = two[1] = l.quantity;
         l.schema.quantities = two;
         l.schema.n_quantities = 2;
       }},
      {"quantities.kind[0] is empty, or has a control character or one of . , * [ ] / in it",
       [](logged &l) { l.quantity.kind = "a.b"; }},
      {"quantities.name[0] is empty, or has a control character or one of . , * [ ] / in it",
       [](logged &l) { l.quantity.name = nullptr; }},
      {"quantities.members[0] = 0: must be >= 1, at most 2^24 with all components, and 1 of an "
       "energy",
       [](logged &l) { l.quantity.members = 0; }},
      {"quantities.components[0] = -1: must be >= 1, and 1 of an energy",
       [](logged &l) { l.quantity.components = -1; }},
      {"quantities.member_names[0] are not all there and different, or have a comma or * in one",
       [](logged &l) {
         static const char *const names[] = {"a", "a"};
         l.quantity.member_names = names;
       }},
      {"quantities.objects[0] = -7: must be >= 0",
       [](logged &l) {
         static const std::int32_t objects[] = {1, -7};
         l.quantity.objects = objects;
       }},
      {"quantities.source[0] = 13: must be PERP_LOG_OWN ... PERP_LOG_CONTACT_FORCE",
       [](logged &l) { l.quantity.source = 13; }},
      {"where = 2: must be PERP_LOG_AT_END or PERP_LOG_AT_CHECKPOINT",
       [](logged &l) { l.where = 2; }},
      {"log.checkpoint is needed to go on from: there is none in this log",
       [](logged &l) { l.where = PERP_LOG_AT_CHECKPOINT; }},
      {"log.open: there is no such file or folder", [](logged &l) { l.name = "/no/such/a.log"; }},
      {"log.open: this is a folder", [](logged &l) { l.name = "/"; }},
  });
}

TEST(Sentences, WhatLogsDoNotTake) {
  logged l;
  perp_info begun = PERP_INFO_INIT;
  ASSERT_EQ(l.create(&begun), PERP_OK);
  const double x[2] = {0, 0};
  perp_log_event e = {};
  const auto says = [&](auto call) { return said([&](perp_info *info) { return call(info); }); };
  EXPECT_EQ(says([&](auto *i) { return perp_log_flush(nullptr, 0, i); }), "log is missing");
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_sample(l.log, 0, x, 1, i); }),
            "n_values = 1: must be as many as the quantities of the log have");
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_sample(l.log, 0, nullptr, 2, i); }),
            "values are missing");
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_event(l.log, nullptr, i); }),
            "event is missing");
  e.n_impulse = -2;
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_event(l.log, &e, i); }),
            "n_impulse = -2: must be >= 0");
  e.n_impulse = 1;
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_event(l.log, &e, i); }), "impulse is missing");
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_contacts(l.log, 0, nullptr, -1, i); }),
            "n_contacts = -1: must be >= 0");
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_contacts(l.log, 0, nullptr, 1, i); }),
            "list is missing");
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_note(l.log, nullptr, "", i); }),
            "name is missing");
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_note(l.log, "", nullptr, i); }),
            "text is missing");
  EXPECT_EQ(says([&](auto *i) { return perp_log_add_checkpoint(l.log, 0, "", nullptr, 1, i); }),
            "bytes are missing");
  EXPECT_EQ(says([&](auto *i) { return perp_log_step(l.log, nullptr, nullptr, 0, i); }),
            "sim is missing");
}

TEST(Sentences, WhatReadersOfLogsDoNotTake) {
  logged l;
  perp_info begun = PERP_INFO_INIT;
  ASSERT_EQ(l.create(&begun), PERP_OK);
  ASSERT_EQ(perp_log_flush(l.log, 0, nullptr), PERP_OK);
  perp_log_reader *r = nullptr, *other = nullptr;
  ASSERT_EQ(perp_log_reader_open(&r, l.name, nullptr), PERP_OK);
  perp_log_record record = PERP_LOG_RECORD_INIT;
  const auto says = [&](auto call) { return said([&](perp_info *info) { return call(info); }); };
  const auto reads = [&](int quantity, int first, int count, int stride) {
    return says([&](auto *i) {
      return perp_log_reader_read(r, quantity, first, count, stride, nullptr, nullptr, i);
    });
  };
  EXPECT_EQ(reads(1, 0, 0, 1), "quantity = 1: must be one of the log, or -1");
  EXPECT_EQ(reads(0, -1, 0, 1), "first = -1: must be >= 0");
  EXPECT_EQ(reads(0, 0, 0, 0), "stride = 0: must be >= 1");
  EXPECT_EQ(reads(0, 0, 1, 1), "count = 1: must be >= 0, and end before the last sample does");
  EXPECT_EQ(says([&](auto *i) { return perp_log_reader_next(nullptr, 0, &record, i); }),
            "reader is missing");
  EXPECT_EQ(says([&](auto *i) { return perp_log_reader_next(r, 0, nullptr, i); }),
            "record is missing");
  record.struct_size = 1;
  EXPECT_EQ(says([&](auto *i) { return perp_log_reader_next(r, 0, &record, i); }),
            "record.struct_size = 1: must be set by PERP_LOG_RECORD_INIT");
  perp_log_reader_close(r);
  const auto opens = [&](const std::string &bytes) {
    std::ofstream(l.path, std::ios::binary) << bytes;
    const std::string text = says([&](auto *i) { return perp_log_reader_open(&other, l.name, i); });
    EXPECT_EQ(other, nullptr);
    return text;
  };
  EXPECT_EQ(opens("a text"), "log.magic is not that of a log: this file is none");
  const std::string magic("\x89PLOG\r\n\x1a", 8);
  EXPECT_EQ(opens(magic + std::string(8, '\0')),
            "log.schema is damaged, so that nothing of this log can be read");
  EXPECT_EQ(opens(magic + std::string("\2\0\0\0\x98\x92\x77\xd8", 8)),
            "log.version 2 is newer than 1, the newest that is read");
}

}  // namespace
}  // namespace sentences
