#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_symbols.sh NM IMAGE...: no heap, no stdio and no way out of newlib in an image.
set -euo pipefail
nm=$1
shift
for image in "$@"; do
  names=$("$nm" "$image" | awk '{ print $NF }')
  grep -qx main <<<"$names" || { echo "$image: nm shows no main"; exit 1; }
  if grep -E '^_*([mcre]+alloc|free|sbrk|(v?[fs]?n?i?printf)|f?puts|putchar|fopen|fwrite|exit|abort|kill)(_r)?$' <<<"$names"; then
    echo "$image: has what firmware does without"
    exit 1
  fi
done
echo "no heap, no stdio, no exit in $# images"
