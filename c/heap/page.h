/* SPDX-License-Identifier: MIT */
/* Text that counts on when its buffer is full, as snprintf() does. */
#ifndef PERP_HEAP_PAGE_H
#define PERP_HEAP_PAGE_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct page {
  char *text;
  size_t room, length;
} page;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline void
put(page *p, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const size_t left = p->length < p->room ? p->room - p->length : 0;
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is not
  const int written = vsnprintf(left > 0 ? p->text + p->length : NULL, left, format, arguments);
  va_end(arguments);
  if (written > 0) p->length += (size_t)written;
}

/* A number in few digits, with a point whatever the locale has; text has room for 40. */
static inline const char *page_number(double value, int digits, char *text) {
  (void)snprintf(text, 40, "%.*g", digits, value == value ? value : (double)NAN);
  char *to = text;
  for (const char *c = text; *c != 0; c++) { /* 1e-08 is 1e-8, 1e+60 is 1e60 */
    const int in_exponent =
        to > text && (to[-1] == 'e' || (to[-1] == '-' && to > text + 1 && to[-2] == 'e'));
    if (in_exponent && (*c == '+' || *c == '0')) continue;
    *to++ = *c == ',' ? '.' : *c;
  }
  *to = 0;
  return text;
}

#endif
