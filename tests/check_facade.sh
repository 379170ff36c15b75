#!/bin/sh
# SPDX-License-Identifier: MIT
# check_facade.sh CXX [FLAG...]: perp/perp.hpp compiles without a warning, with exceptions, and
# without them and type information.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
translate() {
  "$@" -std=c++17 -Wall -Wextra -Wconversion -Werror -S -o /dev/null "-I$here/../include" "-I$here/../cpp"
}
translate "$@" "$here/../examples/bouncing_ball.cpp"
translate "$@" -fno-exceptions -fno-rtti "$here/test_facade_alone.cpp"
