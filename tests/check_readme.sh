#!/bin/sh
# SPDX-License-Identifier: MIT
# The first C++ program in README.md is examples/bouncing_ball.cpp, below its licence line.
set -eu
cd "$(dirname "$0")/.."
shown=$(awk '/^```cpp$/ {on = 1; next} on && /^```$/ {exit} on' README.md)
program=$(sed 1d examples/bouncing_ball.cpp)
if [ "$shown" != "$program" ]; then
  echo "README.md shows another program than examples/bouncing_ball.cpp" >&2
  exit 1
fi
