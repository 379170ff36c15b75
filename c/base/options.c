/* SPDX-License-Identifier: MIT */
/* A size beyond OPTIONS_MAX is taken for memory that was never initialised, so that reading such
 * a struct stops at its first four bytes. */
#include "base/options.h"

#include <string.h>

#include "base/arena.h"

enum { OPTIONS_MAX = 4096 };

void perp_options_fill(void *out, size_t size, const void *defaults, size_t defaults_size) {
  uint32_t declared = size <= OPTIONS_MAX ? (uint32_t)size : 0; /* 0 is refused when read */
  if (out == NULL || size < sizeof declared) return;
  if (declared != 0) {
    size_t shared = size < defaults_size ? size : defaults_size;
    memcpy(out, defaults, shared);
    memset((unsigned char *)out + shared, 0, size - shared);
  }
  memcpy(out, &declared, sizeof declared);
}

int perp_options_known(const void *in, size_t ours, size_t v1_size) {
  uint32_t theirs;
  memcpy(&theirs, in, sizeof theirs);
  if (theirs < v1_size || theirs > OPTIONS_MAX || theirs % sizeof theirs != 0) return 0;
  for (size_t i = ours; i < theirs; i++)
    if (((const unsigned char *)in)[i] != 0) return 0;
  return 1;
}

perp_status perp_options_read(void *out, size_t out_size, const void *in, size_t v1_size) {
  const uint32_t ours = (uint32_t)out_size;
  memcpy(out, &ours, sizeof ours);
  if (in == NULL) return PERP_OK;
  if (!perp_options_known(in, out_size, v1_size)) return PERP_EINVAL;
  uint32_t theirs;
  memcpy(&theirs, in, sizeof theirs);
  memcpy(out, in, theirs < ours ? theirs : ours);
  memcpy(out, &ours, sizeof ours);
  return PERP_OK;
}

perp_status perp_options_answer(void *out, const void *in, size_t in_size, size_t v1_size) {
  uint32_t theirs;
  memcpy(&theirs, out, sizeof theirs);
  if (theirs < v1_size) return PERP_EINVAL;
  memcpy(out, in, theirs < in_size ? theirs : in_size);
  memcpy(out, &theirs, sizeof theirs);
  return PERP_OK;
}

#if defined(__OPTIMIZE_SIZE__)
void *perp_arena_take(arena *a, size_t count, size_t size) {
  return arena_take_inline(a, count, size);
}
#endif
