# SPDX-License-Identifier: MIT
# Bare-metal Cortex-M with arm-none-eabi-gcc and newlib:
#   cmake --toolchain cmake/toolchains/arm-none-eabi.cmake -DPERP_FULL=OFF -DPERP_ARM_CPU=cortex-m7 ...
# PERP_ARM_CPU: cortex-m0, cortex-m0plus, cortex-m3 (no floating-point unit), cortex-m4, cortex-m33 (single
# precision), cortex-m7 (double precision). More in bare-metal.cmake.
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PERP_ARM_CPU)
set(PERP_ARM_CPU cortex-m7 CACHE STRING "cortex-m0, cortex-m0plus, cortex-m3, cortex-m4, cortex-m7 or cortex-m33")
if(PERP_ARM_CPU MATCHES "^cortex-m(0|0plus|3)$")
  set(unit -mfloat-abi=soft)
elseif(PERP_ARM_CPU STREQUAL "cortex-m4")
  set(unit -mfpu=fpv4-sp-d16 -mfloat-abi=hard)
elseif(PERP_ARM_CPU STREQUAL "cortex-m7")
  set(unit -mfpu=fpv5-d16 -mfloat-abi=hard)
elseif(PERP_ARM_CPU STREQUAL "cortex-m33")
  set(unit -mfpu=fpv5-sp-d16 -mfloat-abi=hard)
else()
  message(FATAL_ERROR "PERP_ARM_CPU is '${PERP_ARM_CPU}', not cortex-m0, cortex-m0plus, cortex-m3, cortex-m4, cortex-m7 or cortex-m33")
endif()
list(JOIN unit " " unit)
set(PERP_BARE_GCC arm-none-eabi-gcc)
set(PERP_BARE_TARGET arm-none-eabi)
set(PERP_BARE_FLAGS "-mcpu=${PERP_ARM_CPU} -mthumb ${unit}")
set(PERP_BARE_SPECS --specs=nano.specs)
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
