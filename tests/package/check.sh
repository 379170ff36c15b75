#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Install a build, move it, and use it in every way a user can:
#   check.sh BUILD_FOLDER          (CC, CXX and CMAKE_GENERATOR from the environment)
# One word a use; stops at the first that fails.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
at=$build/package
rm -rf "$at"
mkdir -p "$at"

fail() { echo "check.sh: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$at/first" >"$at/install.log"
cmake --build "$build" --target uninstall >"$at/uninstall.log"
left=$(find "$at/first" ! -type d -o -name perp)
[[ -z $left ]] || fail "uninstall leaves $left"
cmake --install "$build" --prefix "$at/first" >"$at/install.log"
mv "$at/first" "$at/prefix" # what is installed can be moved

use() { # use NAME PROGRAM...
  local name=$1 program
  cmake -S "$here" -B "$at/$name" -DUSE="$name" -DCMAKE_PREFIX_PATH="$at/prefix" \
    -DCMAKE_BUILD_TYPE="${type:-Release}" >"$at/$name.log" 2>&1 || { cat "$at/$name.log"; return 1; }
  cmake --build "$at/$name" >>"$at/$name.log" 2>&1 || { cat "$at/$name.log"; return 1; }
  for program in "${@:2}"; do "$at/$name/$program"; done
  echo "$name"
}
use core core
type=Debug use source core # compiled in half the time
cmake --install "$at/source" --prefix "$at/parent" >"$at/parent.log"
[[ -z $(find "$at/parent" -path '*perp*' 2>/dev/null) ]] || fail "a subproject installs what its parent did not ask for"
use all core full cxx

doc=$(dirname "$(find "$at/prefix" -path '*/doc/*' -name LICENSE)")
cmp "$doc/LICENSE" "$here/../../LICENSE"
while read -r page; do # from the README, pages are found where they are named
  [[ -f $doc/$page ]] || fail "$doc/$page is missing"
done < <(grep -oE '\]\((docs/[A-Za-z-]+|[A-Z]+)\.md' "$doc/README.md" | cut -c 3- | sort -u)
echo pages

# The manual names each subcommand and each option of the command, and no other.
man=$(find "$at/prefix" -name perp.1)
perp=$(find "$at/prefix" -path '*/bin/perp')
if [[ -n $perp ]]; then
  names() { grep -oE -- '--[a-z-]+' | sort -u; }
  commands=$("$perp" --help | sed '1,/^Subcommands/d' | grep -oE '^  [a-z]+')
  for command in $commands; do
    grep -q "^\.B $command\$" "$man" || fail "perp.1 lacks perp $command"
  done
  diff <({ "$perp" --help; for command in $commands; do "$perp" "$command" --help; done; } | names) \
    <(sed 's/\\-/-/g' "$man" | names) || fail "perp.1 and perp --help name other options"
  echo manual
fi

PKG_CONFIG_PATH=$(dirname "$(find "$at/prefix" -name perp.pc)")
export PKG_CONFIG_PATH
lib=$(pkg-config --variable=libdir perp)
[[ $(pkg-config --modversion perp) == $(pkg-config --modversion perp-core) ]]
# shellcheck disable=SC2046 # the flags are words
"${CC:-cc}" "$here/core.c" -o "$at/pc-core" $(pkg-config --cflags --libs perp-core)
# shellcheck disable=SC2046
"${CC:-cc}" "$here/full.c" -o "$at/pc-full" $(pkg-config --cflags --libs perp) "-Wl,-rpath,$lib"
"$at/pc-core" && "$at/pc-full" && echo pkg-config

if pkg-config --exists perp-fortran; then
  use fortran ball >"$at/fortran-ball.log"
  # shellcheck disable=SC2046
  (cd "$at" && gfortran "$here/../../bindings/fortran/examples/ball.f90" -o pc-fortran \
    $(pkg-config --cflags --libs perp-fortran) "-Wl,-rpath,$lib" && ./pc-fortran >pc-fortran.log)
  echo fortran
fi
