#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_firmware.sh FOLDER [OPTION...]: the five minutes of docs/embedded.md, in FOLDER: its CMakeLists.txt and
# main.c with examples/embedded/start, built as it says and run in QEMU, where main() has to return 0.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
page=$root/docs/embedded.md
first() { awk -v fence="^\`\`\`$1\$" '$0 ~ fence {on = 1; next} on && /^```$/ {exit} on' "$page"; } # first LANGUAGE
mkdir -p "$1"
cd "$1"
ln -sfn "$root" perp
first cmake >CMakeLists.txt
first c >main.c
cp perp/examples/embedded/start/* .
cmake -S . -B build -G Ninja --toolchain perp/cmake/toolchains/arm-none-eabi.cmake -DPERP_ARM_CPU=cortex-m4 "${@:2}"
cmake --build build --target firmware
place=$(arm-none-eabi-nm build/firmware | awk '$3 == "main_state" { print $1 }')
says=$({ sleep 1; echo "xp /1wd 0x$place"; echo quit; } |
  qemu-system-arm -M mps2-an386 -nodefaults -nic none -display none -monitor stdio -kernel build/firmware 2>/dev/null |
  tr -d '\r' | awk -v place="$place:" 'substr($1, length($1) - length(place) + 1) == place { print $2 }')
[[ $says == 2 ]] || { echo "docs/embedded.md: main_state is ${says:-not shown}, not 2" >&2; exit 1; }
echo "the program of docs/embedded.md starts, runs and returns 0"
