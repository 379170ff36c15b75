#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compare.sh HOST_PROGRAM COMMAND...: both end with 0, and write the same but for lines with '#'.
set -euo pipefail
host=$1
shift
here=$("$@") || { status=$?; printf '%s\n' "$here"; echo "$*: ended with $status"; exit 1; }
there=$("$host") || { echo "$host: ended with $?"; exit 1; }
grep '^#' <<<"$here" || true
diff <(grep -v '^#' <<<"$there") <(grep -v '^#' <<<"$here") || { echo "other bits (>) than on the host (<)"; exit 1; }
echo "$(grep -vc '^#' <<<"$here") lines with the bits of the host"
