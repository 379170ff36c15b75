# SPDX-License-Identifier: MIT
# What the tool chains without an operating system share. The file that includes it sets PERP_BARE_GCC (compiler
# driver, which links, too), PERP_BARE_TARGET (as clang names it), PERP_BARE_FLAGS, PERP_BARE_SPECS.
# Optimised for size, across the files of perp::core (PERP_LTO, gcc); one section for each function, so
# that an image links what it names. With PERP_CLANG clang compiles C, with gcc's libc and arithmetic.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a program would need a board
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PERP_CLANG)
option(PERP_CLANG "Compile for firmware with clang" OFF)

set(flags "${PERP_BARE_FLAGS} -ffunction-sections -fdata-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostartfiles -Wl,--gc-sections")
if(PERP_CLANG)
  separate_arguments(asked UNIX_COMMAND "${PERP_BARE_GCC} ${PERP_BARE_SPECS} ${PERP_BARE_FLAGS} -M -xc -")
  execute_process(COMMAND echo "#include <math.h>" COMMAND ${asked} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "[^ \n]+/math\\.h" headers "${headers}")
  get_filename_component(headers "${headers}" DIRECTORY)
  set(CMAKE_C_COMPILER clang)
  set(CMAKE_CXX_COMPILER clang++)
  set(CMAKE_C_FLAGS_INIT "--target=${PERP_BARE_TARGET} ${flags} -isystem ${headers}")
  set(CMAKE_C_LINK_EXECUTABLE "${PERP_BARE_GCC} ${PERP_BARE_SPECS} ${PERP_BARE_FLAGS} <CMAKE_C_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
else()
  set(CMAKE_C_COMPILER ${PERP_BARE_GCC})
  set(CMAKE_C_FLAGS_INIT "${PERP_BARE_SPECS} ${flags}")
  string(REGEX REPLACE "gcc$" "g++" CMAKE_CXX_COMPILER ${PERP_BARE_GCC})
  set(CMAKE_CXX_FLAGS_INIT "${PERP_BARE_SPECS} ${flags} -fno-exceptions -fno-rtti")
endif()
set(PERP_LTO ON CACHE BOOL "Optimise perp::core across its files where it is linked")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE MinSizeRel CACHE STRING "-Os -DNDEBUG")
endif()

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
