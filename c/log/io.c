/* SPDX-License-Identifier: MIT */
/* Files and the clock of POSIX and of Windows. */
#if !defined(_WIN32)
/* NOLINTBEGIN(bugprone-reserved-identifier): for flock() and fdatasync() */
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#define _FILE_OFFSET_BITS 64
/* NOLINTEND(bugprone-reserved-identifier) */
#endif
#include "log/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

int perp_log_read_all(const log_io *io, int file, int64_t at, void *bytes, size_t n) {
  for (size_t done = 0; done < n;) {
    const int64_t got =
        io->read(io->user, file, at + (int64_t)done, (unsigned char *)bytes + done, n - done);
    if (got < 0) return (int)got;
    if (got == 0) return -EIO;
    done += (size_t)got;
  }
  return 0;
}

enum { MOST_AT_ONCE = 1 << 26 }; /* bytes of one call */

static size_t at_once(size_t n) { return n < MOST_AT_ONCE ? n : MOST_AT_ONCE; }

#if defined(_WIN32)
#include <io.h>
#include <share.h>
#include <windows.h>

static int open_file(void *user, const char *path, int how) {
  (void)user;
  wchar_t wide[1024];
  if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 1024) == 0) return -ENAMETOOLONG;
  int flags = _O_BINARY | _O_NOINHERIT, file = -1;
  if (how == LOG_READ) flags |= _O_RDONLY;
  if (how != LOG_READ) flags |= _O_RDWR;
  if (how == LOG_REPLACE) flags |= _O_CREAT | _O_TRUNC;
  const int share = how == LOG_READ ? _SH_DENYNO : _SH_DENYWR;
  if (_wsopen_s(&file, wide, flags, share, _S_IREAD | _S_IWRITE) != 0) return -errno;
  return file;
}

static int64_t size_of(void *user, int file) {
  (void)user;
  const int64_t size = _filelengthi64(file);
  return size < 0 ? -(int64_t)errno : size;
}

static int64_t read_at(void *user, int file, int64_t at, void *bytes, size_t n) {
  (void)user;
  if (_lseeki64(file, at, SEEK_SET) < 0) return -(int64_t)errno;
  const int got = _read(file, bytes, (unsigned)at_once(n));
  return got < 0 ? -(int64_t)errno : got;
}

static int64_t write_at(void *user, int file, int64_t at, const void *bytes, size_t n) {
  (void)user;
  if (_lseeki64(file, at, SEEK_SET) < 0) return -(int64_t)errno;
  const int done = _write(file, bytes, (unsigned)at_once(n));
  return done < 0 ? -(int64_t)errno : done;
}

static int sync_file(void *user, int file) {
  (void)user;
  return _commit(file) == 0 ? 0 : -errno;
}

static int cut_file(void *user, int file, int64_t size) {
  (void)user;
  return _chsize_s(file, size) == 0 ? 0 : -errno;
}

static int close_file(void *user, int file) {
  (void)user;
  return _close(file) == 0 ? 0 : -errno;
}

static double clock_now(void *user) {
  (void)user;
  return (double)GetTickCount64() * 1e-3;
}

#else
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* The name of a new file is on the disk when its folder is. A file system that cannot do that is
 * none on which it would help. */
static void sync_folder(const char *path) {
  char folder[4096] = ".";
  const char *slash = strrchr(path, '/');
  if (slash != NULL) {
    const size_t n = slash == path ? 1 : (size_t)(slash - path);
    if (n >= sizeof folder) return;
    memcpy(folder, path, n);
    folder[n] = 0;
  }
  const int file = open(folder, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)fsync(file);
  (void)close(file);
}

static int open_file(void *user, const char *path, int how) {
  (void)user;
  const int flags = how == LOG_READ ? O_RDONLY : how == LOG_REPLACE ? O_RDWR | O_CREAT : O_RDWR;
  /* a pipe must not hang */
  const int file = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) return -errno;
  struct stat about;
  int failed = fstat(file, &about) != 0 ? errno : 0;
  if (failed == 0 && !S_ISREG(about.st_mode)) failed = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
  if (failed == 0 && how != LOG_READ && flock(file, LOCK_EX | LOCK_NB) != 0)
    failed = errno == EWOULDBLOCK ? EAGAIN : 0; /* some file systems have no locks */
  if (failed == 0 && how == LOG_REPLACE && ftruncate(file, 0) != 0) failed = errno;
  if (failed != 0) (void)close(file);
  if (failed == 0 && how == LOG_REPLACE) sync_folder(path);
  return failed != 0 ? -failed : file;
}

static int64_t size_of(void *user, int file) {
  (void)user;
  struct stat about;
  return fstat(file, &about) != 0 ? -(int64_t)errno : (int64_t)about.st_size;
}

static int64_t read_at(void *user, int file, int64_t at, void *bytes, size_t n) {
  (void)user;
  ssize_t got;
  do {
    got = pread(file, bytes, at_once(n), (off_t)at);
  } while (got < 0 && errno == EINTR);
  return got < 0 ? -(int64_t)errno : (int64_t)got;
}

static int64_t write_at(void *user, int file, int64_t at, const void *bytes, size_t n) {
  (void)user;
  ssize_t done;
  do {
    done = pwrite(file, bytes, at_once(n), (off_t)at);
  } while (done < 0 && errno == EINTR);
  return done < 0 ? -(int64_t)errno : (int64_t)done;
}

static int sync_file(void *user, int file) {
  (void)user;
#if defined(__APPLE__)
  const int failed = fsync(file);
#else
  const int failed = fdatasync(file);
#endif
  return failed == 0 ? 0 : -errno;
}

static int cut_file(void *user, int file, int64_t size) {
  (void)user;
  return ftruncate(file, (off_t)size) == 0 ? 0 : -errno;
}

static int close_file(void *user, int file) {
  (void)user;
  return close(file) == 0 ? 0 : -errno;
}

static double clock_now(void *user) {
  (void)user;
  struct timespec now;
#if defined(CLOCK_MONOTONIC_COARSE)
  const int failed = clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  const int failed = clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return failed != 0 ? 0 : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif

const log_io *perp_log_files(void) {
  static const log_io files = {open_file, size_of,    read_at,   write_at, sync_file,
                               cut_file,  close_file, clock_now, NULL};
  return &files;
}
