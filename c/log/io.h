/* SPDX-License-Identifier: MIT */
/* What a log needs of the system, as a table, so that tests can let it fail. */
#ifndef PERP_LOG_IO_H
#define PERP_LOG_IO_H

#include <stddef.h>
#include <stdint.h>

enum { LOG_READ, LOG_REPLACE, LOG_APPEND }; /* how a file is opened */

/* Each answers >= 0, or -errno. */
typedef struct log_io {
  int (*open)(void *user, const char *path, int how); /* a number for the file; it is locked
                                     against other writers, LOG_REPLACE makes it empty then */
  int64_t (*size)(void *user, int file);
  int64_t (*read)(void *user, int file, int64_t at, void *bytes, size_t n);
  int64_t (*write)(void *user, int file, int64_t at, const void *bytes, size_t n);
  int (*sync)(void *user, int file); /* data on the disk, and the length */
  int (*cut)(void *user, int file, int64_t size);
  int (*close)(void *user, int file);
  double (*clock)(void *user); /* seconds since whenever */
  void *user;
} log_io;

/* The files of the system. */
const log_io *perp_log_files(void);

/* Read n bytes, all of them: 0, or -errno; -EIO where the file ends before. */
int perp_log_read_all(const log_io *io, int file, int64_t at, void *bytes, size_t n);

#endif
