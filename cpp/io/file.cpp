// SPDX-License-Identifier: MIT
#include "io/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "io/fclib.hpp"

namespace perp::io {

namespace {

constexpr std::string_view hdf5_signature("\x89HDF\r\n\x1a\n", 8);

[[noreturn]] void refuse(const std::string &path, const std::string &what) {
  throw file_error(path, "", what, file_error::kinds::system);
}

[[noreturn]] void refuse_errno(const std::string &path) {
  refuse(path, std::generic_category().message(errno));
}

// An open file, closed at the end of its scope.
class descriptor {
 public:
  descriptor(const std::string &path, int flags, mode_t mode = 0)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~descriptor() {
    if (fd_ >= 0) (void)::close(fd_);
  }
  descriptor(const descriptor &) = delete;
  descriptor &operator=(const descriptor &) = delete;
  int get() const { return fd_; }
  // Close now, and tell whether what was written has arrived.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// Until a pipe has bytes, or no writer any more.
bool wait_for(const descriptor &file) {
  pollfd pipe = {file.get(), POLLIN, 0};
  return ::poll(&pipe, 1, -1) >= 0 || errno == EINTR;
}

// What is written has reached the disk, not only its cache.
bool reach_disk(const std::string &path, int flags) {
  const descriptor file(path, flags);
  return file.get() >= 0 && ::fsync(file.get()) == 0;
}

// The folder of a file, as a name that can be opened.
std::string folder_of(const std::string &path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

constexpr std::string_view part_ending = ".part";

// Remove what programs that were killed left beside the target: its name, .part, and the number of
// a process that is no more.
void remove_stale_parts(const std::string &target) {
  const std::string begin =
      std::filesystem::path(target).filename().string() + std::string(part_ending);
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator(folder_of(target), none)) {
    const std::string name = entry.path().filename().string();
    if (name.compare(0, begin.size(), begin) != 0) continue;
    pid_t process = 0;
    const char *end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + begin.size(), end, process);
    if (error != std::errc() || rest != end || process <= 0) continue;
    if (::kill(process, 0) != 0 && errno == ESRCH) (void)::unlink(entry.path().c_str());
  }
}

// The file that a name stands for, also where there is none yet.
std::string behind_links(const std::string &path) {
  std::error_code none;
  std::filesystem::path target = path;
  for (int links = 0; std::filesystem::is_symlink(target, none); links++) {
    if (links == 40) refuse(path, std::generic_category().message(ELOOP));
    target = target.parent_path() / std::filesystem::read_symlink(target, none);
  }
  return target.string();
}

// The last part of a name, in lower case, without the dot.
std::string ending(const std::string &path) {
  std::string text = std::filesystem::path(path).extension().string();
  for (char &c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool names_text(const std::string &path) {
  const std::string kind = ending(path);
  return kind == ".dat" || kind == ".txt";
}

bool names_hdf5(const std::string &path) {
  const std::string kind = ending(path);
  return kind == ".h5" || kind == ".hdf5" || kind == ".hdf";
}

}  // namespace

bool has_problem_name(const std::string &path) { return names_text(path) || names_hdf5(path); }

// A pipe that nobody writes to ends at once: it is opened without waiting for a writer.
std::string load(const std::string &path, std::size_t most) {
  const descriptor file(path, O_RDONLY | O_NONBLOCK);
  struct stat about {};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0) refuse_errno(path);
  if (S_ISDIR(about.st_mode)) refuse(path, "expected a file, found a folder");
  if (!S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode))
    refuse(path, "expected a file, found a device");
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::string bytes;
  std::size_t size = 0;
  for (;;) {
    /* one more than the file has, to see its end */
    const std::size_t left =
        S_ISREG(about.st_mode) && static_cast<std::size_t>(about.st_size) >= size
            ? static_cast<std::size_t>(about.st_size) - size + 1
            : piece;
    bytes.resize(size + left);
    const ssize_t got = ::read(file.get(), bytes.data() + size, left);
    if (got < 0 && (errno == EINTR || (errno == EAGAIN && wait_for(file)))) continue;
    if (got < 0) refuse_errno(path);
    size += static_cast<std::size_t>(got);
    if (got == 0 || size >= most) break;
  }
  bytes.resize(size);
  return bytes;
}

std::string beginning(const std::string &path, std::size_t most) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return "";
  const descriptor file(path, O_RDONLY | O_NONBLOCK);
  std::string bytes(most, 0);
  const ssize_t got = file.get() < 0 ? -1 : ::read(file.get(), bytes.data(), most);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

bool looks_like_hdf5(const std::string &path) { return beginning(path, 8) == hdf5_signature; }
bool looks_like_log(const std::string &path) { return beginning(path, 8) == "\x89PLOG\r\n\x1a"; }

void replace(const std::string &path, const std::function<void(const std::string &)> &write) {
  std::error_code none;
  const auto there = std::filesystem::status(path, none);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    refuse(path, "expected the name of a file to write");
  const std::string target = behind_links(path);
  const std::string name = target + std::string(part_ending) + std::to_string(::getpid());
  remove_stale_parts(target);
  try {
    write(name);
    if (!reach_disk(name, O_RDONLY)) refuse_errno(path);
    if (::rename(name.c_str(), target.c_str()) != 0) refuse_errno(path);
  } catch (...) {
    (void)::unlink(name.c_str());
    throw;
  }
  (void)reach_disk(folder_of(target), O_RDONLY | O_DIRECTORY); /* not every file system can */
}

namespace {

// path: for messages.
void write_bytes(const std::string &name, const std::string &path, std::string_view bytes) {
  constexpr mode_t everybody = 0666; /* less what the user's mask takes away */
  descriptor file(name, O_WRONLY | O_CREAT | O_TRUNC, everybody);
  if (file.get() < 0) refuse_errno(path);
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) refuse_errno(path);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  if (!file.close()) refuse_errno(path);
}

}  // namespace

void save(const std::string &path, std::string_view bytes) {
  replace(path, [&](const std::string &name) { write_bytes(name, path, bytes); });
}

int refuses_more(const std::string &path) {
  const descriptor file(path, O_WRONLY | O_APPEND);
  if (file.get() < 0) return errno;
  const std::string piece(std::size_t{1} << 20, 0);
  for (int times = 0; times < 4; times++)
    if (::write(file.get(), piece.data(), piece.size()) < 0 && errno != EINTR) return errno;
  return 0;
}

void write_new(const std::string &path, std::string_view bytes) { write_bytes(path, path, bytes); }

document read_problem(const std::string &path, std::string_view wanted) {
  if (!looks_like_hdf5(path)) {
    document d;
    d.problem = read_dat(load(path), path, wanted);
    return d;
  }
  document d = read_fclib(path);
  if (!wanted.empty() && class_name(d.problem) != wanted)
    throw file_error(path, "",
                     "expected " + std::string(wanted) + ", found " + class_name(d.problem));
  return d;
}

void write_problem(const std::string &path, const document &d, layout order) {
  if (names_text(path)) {
    save(path, write_dat(d.problem, path, order));
  } else if (names_hdf5(path)) {
    replace(path, [&](const std::string &name) { write_fclib(name, path, d, order); });
  } else {
    throw file_error(path, "", "expected a name that ends in .dat, .txt, .h5, .hdf5 or .hdf");
  }
}

}  // namespace perp::io
