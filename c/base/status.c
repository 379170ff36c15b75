/* SPDX-License-Identifier: MIT */
#include "base/info.h"

static const char unknown[] = "unknown status";

const char *perp_status_string(perp_status status) {
  const enum perp_status_code code = (enum perp_status_code)status;
  if ((perp_status)code != status) return unknown; /* an enum may be as narrow as a char */
  switch (code) { /* no default: a status without a line fails -Werror=switch */
    case PERP_OK:
      return "solved and verified";
    case PERP_MAX_ITER:
      return "iteration limit reached";
    case PERP_RAY:
      return "no way on; nothing is proved";
    case PERP_INACCURATE:
      return "not as accurate as asked";
    case PERP_INFEASIBLE:
      return "the problem has no solution";
    case PERP_STOPPED:
      return "stopped";
    case PERP_END:
      return "finished";
    case PERP_RETRY:
      return "a callback asked for a smaller step";
    case PERP_STORM:
      return "events crowd in time";
    case PERP_UNBOUNDED:
      return "the objective has no least value";
    case PERP_EINVAL:
      return "an argument is NULL, negative or out of range";
    case PERP_EWORKSPACE:
      return "a block of memory is too small";
    case PERP_ECALLBACK:
      return "a callback gave up, or wrote behind its end";
    case PERP_EUNSUPPORTED:
      return "not supported by this build or for this problem";
    case PERP_EBACKEND:
      return "a back end failed";
    case PERP_ENOTFINITE:
      return "NaN or infinity in an input or from a callback";
  }
  return unknown;
}

void perp_info_name(perp_info *info, const char *field, int32_t index, double value) {
  info_name(info, field, index, value);
}

void perp_info_name_of(perp_info *info, uint32_t of, const char *field, int32_t index,
                       double value) {
  info_name_of(info, of, field, index, value);
}

#if defined(__OPTIMIZE_SIZE__)
void perp_info_clear(perp_info *info) { info_clear_inline(info); }
#endif
