# SPDX-License-Identifier: MIT
# Bare-metal RV32IMAC, no floating-point unit, with riscv64-unknown-elf-gcc and picolibc:
#   cmake --toolchain cmake/toolchains/riscv32-none-elf.cmake -DPERP_FULL=OFF ...
# More in bare-metal.cmake.
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(PERP_BARE_GCC riscv64-unknown-elf-gcc)
set(PERP_BARE_TARGET riscv32-none-elf)
set(PERP_BARE_FLAGS "-march=rv32imac -mabi=ilp32")
set(PERP_BARE_SPECS --specs=picolibc.specs)
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
