// SPDX-License-Identifier: MIT
// Logs from any bytes: a reader ends with all records or with a status, what it says of itself
// holds together, and a log that is opened to go on is whole afterwards. With an odd first byte the
// numbers and checksums of all blocks are made right, so that what lies behind them is reached.
#include <perp/perp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

[[noreturn]] void broken(const char *what) {
  (void)std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::uint32_t crc32c(const std::uint8_t *b, std::size_t n, std::uint32_t crc) {
  for (crc = ~crc; n > 0; n--, b++) {
    crc ^= *b;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1)));
  }
  return ~crc;
}

void put(std::uint8_t *to, std::uint64_t value, int n) {
  for (int i = 0; i < n; i++, value >>= 8) to[i] = static_cast<std::uint8_t>(value & 255);
}

void make_whole(std::vector<std::uint8_t> &b) {
  if (b.size() < 16) return;
  static const std::uint8_t magic[] = {0x89, 'P', 'L', 'O', 'G', '\r', '\n', 0x1a};
  std::copy(magic, magic + 8, b.begin());
  put(&b[12], crc32c(b.data(), 12, 0), 4);
  std::uint64_t number = 0;
  for (std::size_t at = 16; at + 32 <= b.size();) {
    std::uint64_t n = 0;
    for (std::size_t i = 8; i-- > 0;) n = n << 8 | b[at + 8 + i];
    if (n > b.size() - at - 32) return;
    const std::size_t all = static_cast<std::size_t>((n + 7) / 8 * 8);
    if (all > b.size() - at - 32) b.resize(at + 32 + all);
    std::copy_n("PLBK", 4, b.begin() + static_cast<std::ptrdiff_t>(at));
    put(&b[at + 16], number++, 8);
    put(&b[at + 28], crc32c(&b[at + 32], all, crc32c(&b[at], 28, 0)), 4);
    at += 32 + all;
  }
}

double sum;  // so that all is read

void read_record(const perp_log_record &r, const perp_log_summary &s) {
  for (int i = 0; r.type == PERP_LOG_SAMPLES && i < r.count; i++) {
    sum += r.times[i];
    for (int k = 0; k < s.n_values; k++)
      sum += r.values[static_cast<std::int64_t>(i) * s.n_values + k];
  }
  for (int i = 0; i < r.event.n_impulse; i++) sum += r.event.impulse[i];
  for (int i = 0; r.type == PERP_LOG_CONTACT_LIST && i < r.count; i++)
    sum += r.contacts[i].systems[1] + r.contacts[i].lambda[4];
  for (const char *text : {r.name, r.text, r.report})
    if (text != nullptr) sum += static_cast<double>(std::string(text).size());
  for (std::size_t i = 0; i < r.n_bytes; i++) sum += static_cast<const char *>(r.bytes)[i];
}

void read(perp_log_reader *reader) {
  perp_log_summary s = PERP_LOG_SUMMARY_INIT;
  if (perp_log_reader_summary(reader, &s) != PERP_OK || s.whole > s.bytes) broken("a summary");
  std::int64_t samples = 0;
  perp_log_record r = PERP_LOG_RECORD_INIT;
  perp_status status;
  while ((status = perp_log_reader_next(reader, 0, &r, nullptr)) != PERP_END) {
    if (status != PERP_OK && status != PERP_EINVAL) broken("a status");
    if (status != PERP_OK) continue;
    if (r.type == PERP_LOG_SAMPLES && r.first != samples) broken("samples are missing");
    samples += r.type == PERP_LOG_SAMPLES ? r.count : 0;
    read_record(r, s);
  }
  if (samples != s.samples) broken("another number of samples");
  const perp_log_schema *schema = perp_log_reader_schema(reader);
  char text[16];
  for (int i = 0; i < schema->n_quantities; i++) {
    const perp_log_quantity &q = schema->quantities[i];
    const std::string name = std::string(q.kind) + "." + q.name;
    if (perp_log_reader_find(reader, name.c_str()) != i) broken("a quantity is not found");
    (void)perp_log_reader_member(reader, i, q.members - 1, text, sizeof text);
    const std::size_t n =
        static_cast<std::size_t>(q.members) * static_cast<std::size_t>(q.components);
    std::vector<double> x(s.samples > 0 ? n : 0);
    if (s.samples > 0 &&
        perp_log_reader_read(reader, i, s.samples - 1, 1, 1, nullptr, x.data(), nullptr) != PERP_OK)
      broken("a sample is not read");
  }
  (void)perp_log_reader_last(reader, 1u << PERP_LOG_END, &r, nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const int file = memfd_create("log", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (size == 0) return 0;
  std::vector<std::uint8_t> b(data + 1, data + size);
  if (data[0] % 2 != 0) make_whole(b);
  if (ftruncate(file, 0) != 0 ||
      pwrite(file, b.data(), b.size(), 0) != static_cast<ssize_t>(b.size()))
    broken("no file");
  perp_log_reader *reader = nullptr;
  const perp_status status = perp_log_reader_open(&reader, path.c_str(), nullptr);
  if (status == PERP_OK) read(reader);
  perp_log_reader_close(reader);
  if (status != PERP_OK || data[0] / 4 % 8 != 0) return 0;
  perp_log_options options = perp_log_options_default();
  options.sync_seconds = 1e9;
  perp_log *log = nullptr;
  if (perp_log_append(&log, path.c_str(), nullptr, &options, data[0] / 2 % 2, nullptr) != PERP_OK)
    return 0;
  if (perp_log_n_values(log) < 10000) {
    const std::vector<double> x(static_cast<std::size_t>(perp_log_n_values(log)), 1.0);
    if (perp_log_add_sample(log, 0, x.data(), perp_log_n_values(log), nullptr) != PERP_OK)
      broken("no sample");
  }
  if (perp_log_close(log, nullptr) != PERP_OK) broken("not closed");
  perp_log_summary s = PERP_LOG_SUMMARY_INIT;
  if (perp_log_reader_open(&reader, path.c_str(), nullptr) != PERP_OK) broken("not opened again");
  if (perp_log_reader_summary(reader, &s) != PERP_OK || s.whole != s.bytes) broken("not whole");
  perp_log_reader_close(reader);
  return 0;
}
