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

cmake --install "$build" --prefix "$at/first" >"$at/install.log"
mv "$at/first" "$at/prefix" # what is installed can be moved

use() { # use NAME PROGRAM...
  local name=$1 program
  cmake -S "$here" -B "$at/$name" -DUSE="$name" -DCMAKE_PREFIX_PATH="$at/prefix" \
    -DCMAKE_BUILD_TYPE=Release >"$at/$name.log" 2>&1 || { cat "$at/$name.log"; return 1; }
  cmake --build "$at/$name" >>"$at/$name.log" 2>&1 || { cat "$at/$name.log"; return 1; }
  for program in "${@:2}"; do "$at/$name/$program"; done
  echo "$name"
}
use core core
use source core
use all core full cxx

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
