/* SPDX-License-Identifier: MIT */
#include "perp/base.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

int32_t perp_version(void) { return PERP_VERSION; }

const char *perp_version_string(void) {
  return TEXT(PERP_VERSION_MAJOR) "." TEXT(PERP_VERSION_MINOR) "." TEXT(PERP_VERSION_PATCH)
      PERP_VERSION_SUFFIX;
}
