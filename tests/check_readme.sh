#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs in pages are examples that CTest runs: the first of a language in docs/start-*.md is the example below its
# licence line, the first in README.md the part of examples/bouncing_ball.cpp from the model to the loop's end.
set -eu
cd "$(dirname "$0")/.."
first() { awk -v fence="^\`\`\`$1\$" '$0 ~ fence {on = 1; next} on && /^```$/ {exit} on' "$2"; } # first LANGUAGE PAGE
same() { # same PAGE SHOWN WANTED EXAMPLE
  if [ "$2" != "$3" ]; then
    echo "$1 shows another program than $4" >&2
    exit 1
  fi
}
same README.md "$(first cpp README.md)" \
  "$(sed -n '/perp::model m;/,/^  return/ { /^  return/d; s/^  //; p; }' examples/bouncing_ball.cpp)" examples/bouncing_ball.cpp
same docs/start-cpp.md "$(first cpp docs/start-cpp.md)" "$(sed 1d examples/bouncing_ball.cpp)" examples/bouncing_ball.cpp
same docs/start-c.md "$(first c docs/start-c.md)" "$(sed 1d examples/ball.c)" examples/ball.c
