// SPDX-License-Identifier: MIT
// Logs under disks that are full, that fail, that lose what was not synced, and processes that are
// killed: what is left is an exact prefix of what was added, with all that was synced.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>

#include "log_tools.hpp"

namespace {

using namespace tools;

perp_log_options small_blocks() {
  perp_log_options options = perp_log_options_default();
  options.block_bytes = 1024;
  return options;
}

/** Add records to a log, some of them flushed, until one is refused; its status and what said so.
 */
struct outcome {
  perp_status status = PERP_OK;
  std::string field;
  double value = 0;
  std::size_t added = 0, synced = 0;  // records that were taken; that a sync was reported of
};

outcome run(disk *d, int records, bool reopen = false) {
  outcome out;
  perp_info info = PERP_INFO_INIT;
  const small_schema s;
  const perp_log_options options = small_blocks();
  const log_io io = d->io();
  perp_log *log = nullptr;
  out.status = perp_log_create_on(&log, "log", &s.schema, &options, &io, &info);
  for (int i = 0; out.status == PERP_OK && i < records; i++) {
    out.status = add_record(log, i, &info);
    if (out.status == PERP_OK && i % 20 == 10)
      out.status = perp_log_flush(log, i % 40 == 10, &info);
    if (out.status == PERP_OK) out.added = static_cast<std::size_t>(i) + 1;
    if (out.status == PERP_OK && (i % 40 == 10 || i % 8 == 7)) out.synced = out.added;
    if (out.status == PERP_OK && reopen && i == records / 2) {
      EXPECT_EQ(perp_log_close(log, nullptr), PERP_OK);
      out.synced = out.added;
      out.status = perp_log_append_on(&log, "log", nullptr, &options, PERP_LOG_AT_END, &io, &info);
    }
  }
  if (info.field != nullptr) out.field = info.field;
  out.value = info.value;
  if (log == nullptr) return out;
  if (out.status != PERP_OK) { /* it says so again and again, and writes no more */
    const bytes left = d->file;
    EXPECT_EQ(add_sample(log, 0, &info), out.status);
    EXPECT_EQ(info.field, out.field);
    EXPECT_EQ(perp_log_add_note(log, "", "", &info), out.status);
    EXPECT_EQ(perp_log_flush(log, 1, &info), out.status);
    EXPECT_EQ(perp_log_close(log, &info), out.status);
    EXPECT_EQ(info.field, out.field);
    EXPECT_EQ(d->file, left);
  } else {
    out.status = perp_log_close(log, &info);
    if (info.field != nullptr) out.field = info.field;
    out.value = info.value;
  }
  return out;
}

TEST(LogLoss, AFullDiskLeavesAPrefix) {
  disk sound;
  ASSERT_EQ(run(&sound, 100).status, PERP_OK);
  ASSERT_GT(sound.writes, 15);
  for (int k = 0; k < sound.writes; k++)
    for (const std::size_t short_by : {std::size_t{1} << 30, std::size_t{1}, std::size_t{9}}) {
      disk d;
      d.fail_write = k;
      d.short_by = short_by;
      d.error = k % 2 == 0 ? ENOSPC : EFBIG;
      const outcome o = run(&d, 100);
      ASSERT_EQ(o.status, PERP_EBACKEND) << k;
      EXPECT_EQ(o.field, "log.write");
      EXPECT_EQ(o.value, d.error);
      std::vector<std::string> all;
      if (!read_bytes(d.file, &all)) {
        ASSERT_LT(k, 3);
        continue;
      }
      ASSERT_TRUE(is_prefix(all));
      ASSERT_GE(all.size(), o.synced);
      ASSERT_EQ(d.file, bytes(sound.file.begin(),
                              sound.file.begin() + static_cast<std::ptrdiff_t>(d.file.size())));
    }
}

TEST(LogLoss, ASyncThatFailsIsTold) {
  disk sound;
  ASSERT_EQ(run(&sound, 100).status, PERP_OK);
  ASSERT_GT(sound.syncs, 10);
  for (int k = 0; k < sound.syncs; k++) {
    disk d;
    d.fail_sync = k;
    d.error = EIO;
    const outcome o = run(&d, 100);
    ASSERT_EQ(o.status, PERP_EBACKEND) << k;
    EXPECT_EQ(o.field, "log.sync");
    EXPECT_EQ(o.value, EIO);
    std::vector<std::string> all;
    ASSERT_TRUE(read_bytes(d.file, &all));
    ASSERT_TRUE(is_prefix(all));
    ASSERT_GE(all.size(), o.added);
  }
}

// The time passes on a clock of the test: what is older than sync_seconds is on the disk.
TEST(LogLoss, EverySecondReachesTheDisk) {
  for (const double seconds : {0.0, 0.25, 1.0, HUGE_VAL}) {
    disk d;
    d.now = 100;
    perp_log_options options = perp_log_options_default();
    options.sync_seconds = seconds;
    const log_io io = d.io();
    const small_schema s;
    perp_log *log = nullptr;
    ASSERT_EQ(perp_log_create_on(&log, "log", &s.schema, &options, &io, nullptr), PERP_OK);
    for (unsigned i = 0; i < 1000; i++) {
      d.now = 100 + 0.01 * (i + 1);
      ASSERT_EQ(add_sample(log, i), PERP_OK);
      std::vector<std::string> all;
      const std::size_t lost = seconds < 10 ? static_cast<std::size_t>(seconds / 0.01 + 1.5) : 2000;
      if (i + 1 >= lost && i % 37 == 0) {
        ASSERT_TRUE(read_bytes(d.synced, &all));
        ASSERT_GE(all.size() + lost, i + 2) << seconds;
      }
    }
    if (seconds > 10) {
      EXPECT_EQ(d.syncs, 0);
    }
    if (seconds == 1.0) {
      EXPECT_NEAR(d.syncs, 10, 1);
    }
    ASSERT_EQ(perp_log_close(log, nullptr), PERP_OK);
    EXPECT_EQ(d.synced, d.file);
  }
}

/** What may be on a disk after the power went: of what was not synced any sectors, in a file that
 * is anything between the two lengths long. */
bytes after_power_loss(const disk &d, std::mt19937 *random) {
  constexpr std::size_t sector = 64;
  bytes left = d.synced;
  std::size_t most = d.synced.size();
  for (const disk::write_of &w : d.pending)
    most = std::max(most, static_cast<std::size_t>(w.at) + w.what.size());
  std::uniform_int_distribution<std::size_t> length(d.synced.size(), most);
  std::vector<disk::write_of> pieces;
  for (const disk::write_of &w : d.pending)
    for (std::size_t i = 0; i < w.what.size(); i += sector) {
      const std::size_t n = std::min(sector, w.what.size() - i);
      const auto from = w.what.begin() + static_cast<std::ptrdiff_t>(i);
      pieces.push_back({w.at + static_cast<std::int64_t>(i),
                        bytes(from, from + static_cast<std::ptrdiff_t>(n))});
    }
  std::shuffle(pieces.begin(), pieces.end(), *random);
  const auto share = (*random)() % 4;  // none, some, most, all of them
  for (const disk::write_of &p : pieces)
    if ((*random)() % 3 < share) disk::put(left, p);
  left.resize((*random)() % 2 == 0 ? most : length(*random));
  if (left.size() < d.synced.size()) left.resize(d.synced.size());
  return left;
}

TEST(LogLoss, PowerLossKeepsWhatWasSynced) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; trial++) {
    // stopped at a random write or sync: what comes later is not there
    disk d;
    const bool at_sync = random() % 4 == 0;
    (at_sync ? d.fail_sync : d.fail_write) = static_cast<int>(random() % (at_sync ? 15 : 25));
    d.short_by = random() % 200;
    const outcome o = run(&d, 100, random() % 2 == 0);
    const bytes left = after_power_loss(d, &random);
    std::vector<std::string> all;
    if (!read_bytes(left, &all)) {
      ASSERT_EQ(o.synced, 0u);
      continue;
    }
    ASSERT_TRUE(is_prefix(all)) << trial;
    ASSERT_GE(all.size(), o.synced) << trial;
  }
}

bytes file_bytes(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return bytes(std::istreambuf_iterator<char>(in), {});
}

/** In memory where there is such a place: what a process wrote is there for others at once, and the
 * disk has no part in that. */
std::string temporary(const char *name) {
  const std::string folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : ::testing::TempDir();
  return folder + name + std::to_string(::getpid());
}

/** A process that adds records until it is killed; its end of the pipe is told how many are synced.
 */
[[noreturn]] void add_forever(const std::string &path, bool append, int pipe) {
  const small_schema s;
  perp_log_options options = small_blocks();
  options.sync_seconds = 0.002;
  perp_log *log = nullptr;
  std::vector<std::string> all;
  perp_status status =
      append ? perp_log_append(&log, path.c_str(), &s.schema, &options, PERP_LOG_AT_END, nullptr)
             : perp_log_create(&log, path.c_str(), &s.schema, &options, nullptr);
  if (append) read_bytes(file_bytes(path), &all);
  auto i = static_cast<std::int64_t>(all.size());
  for (; status == PERP_OK; i++) {
    status = add_record(log, i);
    if (i % 500 != 0 || status != PERP_OK) continue;
    status = perp_log_flush(log, 0, nullptr);
    if (write(pipe, &i, sizeof i) != sizeof i) break;
  }
  _exit(3);
}

TEST(LogLoss, KilledTwoHundredTimes) {
  const std::string path = temporary("perp_killed_");
  std::mt19937 random(2);
  std::size_t before = 0, most = 0;
  for (int kill_number = 0; kill_number < 200; kill_number++) {
    const bool append = kill_number % 10 != 0;  // goes on with what the last one left
    int ends_of_pipe[2];
    ASSERT_EQ(pipe(ends_of_pipe), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) add_forever(path, append && before > 0, ends_of_pipe[1]);
    close(ends_of_pipe[1]);
    std::int64_t said, last = -1;
    const bool waits = kill_number % 10 == 9;  // for records, however slow the machine is
    while (waits && last < 500 && read(ends_of_pipe[0], &said, sizeof said) == sizeof said)
      last = said;
    usleep(static_cast<useconds_t>(random() % 8000));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int how = 0;
    ASSERT_EQ(waitpid(child, &how, 0), child);
    ASSERT_TRUE(WIFSIGNALED(how)) << "it ended by itself";
    while (read(ends_of_pipe[0], &said, sizeof said) == sizeof said) last = said;
    close(ends_of_pipe[0]);
    std::vector<std::string> all;
    const bool opens = read_bytes(file_bytes(path), &all);
    if (last >= 0) {
      ASSERT_TRUE(opens);
    }
    before = opens ? all.size() : 0;
    if (!opens) continue;  // killed before there was a head
    ASSERT_TRUE(is_prefix(all)) << kill_number;
    ASSERT_GT(static_cast<std::int64_t>(all.size()), last) << kill_number;
    most = std::max(most, all.size());
    if (before > 1500) before = 0;  // records grow with their number
  }
  EXPECT_GT(most, 500u);
  std::remove(path.c_str());
}

TEST(LogLoss, FilesOfLimitedSize) {
  const std::string path = temporary("perp_limited_");
  for (const rlim_t limit : {10u, 100u, 5000u, 5001u, 300000u}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit most = {limit, limit};
      if (setrlimit(RLIMIT_FSIZE, &most) != 0) _exit(2);
      const small_schema s;
      const perp_log_options options = small_blocks();
      perp_log *log = nullptr;
      perp_info info = PERP_INFO_INIT;
      perp_status status = perp_log_create(&log, path.c_str(), &s.schema, &options, &info);
      for (int i = 0; status == PERP_OK && i < 5000; i++) status = add_record(log, i, &info);
      const bool told = status == PERP_EBACKEND && std::strcmp(info.field, "log.write") == 0 &&
                        static_cast<int>(info.value) == EFBIG;
      _exit(told && (log == nullptr || perp_log_close(log, &info) == PERP_EBACKEND) ? 0 : 1);
    }
    int how = 0;
    ASSERT_EQ(waitpid(child, &how, 0), child);
    ASSERT_TRUE(WIFEXITED(how));
    ASSERT_EQ(WEXITSTATUS(how), 0) << limit;
    const bytes left = file_bytes(path);
    ASSERT_LE(left.size(), limit);
    std::vector<std::string> all;
    if (limit > 1000) {
      ASSERT_TRUE(read_bytes(left, &all));
    }
    EXPECT_TRUE(is_prefix(all));
    if (limit > 1000) {
      EXPECT_GT(all.size(), 5u);
    }
  }
  std::remove(path.c_str());
}

TEST(LogLoss, OneWriterAtATime) {
  const std::string path = temporary("perp_locked_");
  const small_schema s;
  perp_log *log = nullptr, *other = nullptr;
  perp_info info = PERP_INFO_INIT;
  ASSERT_EQ(perp_log_create(&log, path.c_str(), &s.schema, nullptr, &info), PERP_OK);
  ASSERT_EQ(add_sample(log, 0), PERP_OK);
  ASSERT_EQ(perp_log_flush(log, 0, &info), PERP_OK);
  const bytes before = file_bytes(path);
  EXPECT_EQ(perp_log_create(&other, path.c_str(), &s.schema, nullptr, &info), PERP_EBACKEND);
  EXPECT_STREQ(info.field, "log.open");
  EXPECT_EQ(info.value, EAGAIN);
  EXPECT_EQ(perp_log_append(&other, path.c_str(), nullptr, nullptr, PERP_LOG_AT_END, &info),
            PERP_EBACKEND);
  EXPECT_EQ(file_bytes(path), before);
  perp_log_reader *reader = nullptr;  // one may look
  EXPECT_EQ(perp_log_reader_open(&reader, path.c_str(), &info), PERP_OK);
  EXPECT_EQ(found(reader).size(), 1u);
  perp_log_reader_close(reader);
  ASSERT_EQ(perp_log_close(log, &info), PERP_OK);
  std::remove(path.c_str());
}

TEST(LogLoss, FilesThatCannotBeOpened) {
  const small_schema s;
  perp_log *log = nullptr;
  perp_log_reader *reader = nullptr;
  perp_info info = PERP_INFO_INIT;
  const std::string none = temporary("perp_no_folder_") + "/a.log";
  EXPECT_EQ(perp_log_create(&log, none.c_str(), &s.schema, nullptr, &info), PERP_EBACKEND);
  EXPECT_STREQ(info.field, "log.open");
  EXPECT_EQ(info.value, ENOENT);
  EXPECT_EQ(perp_log_append(&log, none.c_str(), nullptr, nullptr, PERP_LOG_AT_END, &info),
            PERP_EBACKEND);
  EXPECT_EQ(perp_log_reader_open(&reader, none.c_str(), &info), PERP_EBACKEND);
  EXPECT_EQ(info.value, ENOENT);
  EXPECT_EQ(perp_log_reader_open(&reader, ::testing::TempDir().c_str(), &info), PERP_EBACKEND);
  EXPECT_EQ(info.value, EISDIR);
  const std::string fifo = temporary("perp_fifo_");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(perp_log_reader_open(&reader, fifo.c_str(), &info), PERP_EBACKEND);
  EXPECT_EQ(perp_log_create(&log, fifo.c_str(), &s.schema, nullptr, &info), PERP_EBACKEND);
  EXPECT_EQ(log, nullptr);
  EXPECT_EQ(reader, nullptr);
  std::remove(fifo.c_str());
}

}  // namespace
