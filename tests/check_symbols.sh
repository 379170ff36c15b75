#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compare the symbols of a library with a list in the repository, one name a line, sorted:
#   check_symbols.sh exported LIBRARY LIST  what a shared library exports is the list
#   check_symbols.sh imported LIBRARY LIST  what a static library needs is within the list
#   check_symbols.sh prefixed LIBRARY       what a static library defines begins with perp_
set -euo pipefail
export LC_ALL=C
kind=$1 library=$2 list=${3:-/dev/null}
nm=${NM:-nm}
names() { awk 'NF >= 2 { print $NF }' | sed 's/@.*//' | sort -u; }
wanted() { sed '/^#/d;/^$/d' "$list"; }

case $kind in
  exported)
    wanted | sort -c
    diff <(wanted) <("$nm" -D --defined-only "$library" | names) ||
      { echo "exported symbols (>) differ from $list (<): every change is a version note"; exit 1; }
    ;;
  imported)
    inside=$("$nm" --defined-only "$library" | names)
    extra=$("$nm" -u "$library" | names | comm -23 - <(printf '%s\n' "$inside") |
      comm -23 - <(wanted | sort -u))
    [[ -z $extra ]] || { printf 'not in %s: %s\n' "$list" "$extra"; exit 1; }
    ;;
  prefixed)
    foreign=$("$nm" --extern-only --defined-only "$library" | awk 'NF == 3' | names |
      { grep -v '^perp_' || true; })
    [[ -z $foreign ]] || { printf 'could clash with a user: %s\n' "$foreign"; exit 1; }
    ;;
  *) exit 2 ;;
esac
echo "$kind symbols of $(basename "$library") are as they should be"
