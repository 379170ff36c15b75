# SPDX-License-Identifier: MIT
# Bare-metal Cortex-M with arm-none-eabi-gcc and newlib:
#   cmake --toolchain cmake/toolchains/arm-none-eabi.cmake -DPERP_FULL=OFF -DPERP_ARM_CPU=cortex-m7 ...
# PERP_ARM_CPU: cortex-m4 (single-precision unit), cortex-m7 (double-precision unit), cortex-m33 (single).
# Optimised for size, across the files of perp::core (PERP_LTO); one section for each function, so
# that an image links what it names.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a program would need a board
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PERP_ARM_CPU)

set(PERP_ARM_CPU cortex-m7 CACHE STRING "cortex-m4, cortex-m7 or cortex-m33")
if(PERP_ARM_CPU STREQUAL "cortex-m4")
  set(unit fpv4-sp-d16)
elseif(PERP_ARM_CPU STREQUAL "cortex-m7")
  set(unit fpv5-d16)
elseif(PERP_ARM_CPU STREQUAL "cortex-m33")
  set(unit fpv5-sp-d16)
else()
  message(FATAL_ERROR "PERP_ARM_CPU is '${PERP_ARM_CPU}', not cortex-m4, cortex-m7 or cortex-m33")
endif()
set(flags "-mcpu=${PERP_ARM_CPU} -mthumb -mfpu=${unit} -mfloat-abi=hard -ffunction-sections -fdata-sections")
set(CMAKE_C_FLAGS_INIT "${flags}")
set(CMAKE_CXX_FLAGS_INIT "${flags} -fno-exceptions -fno-rtti")
set(CMAKE_EXE_LINKER_FLAGS_INIT "--specs=nano.specs -nostartfiles -Wl,--gc-sections")
set(PERP_LTO ON CACHE BOOL "Optimise perp::core across its files where it is linked")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE MinSizeRel CACHE STRING "-Os -DNDEBUG")
endif()

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
