# SPDX-License-Identifier: MIT
# What only a developer of perp wants; read when perp is the top-level project.
enable_language(CXX)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)

if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  # Programs follow the library's arithmetic, so that their forces have the same bits everywhere.
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${PERP_EXACT_OPTIONS}>" -Wall -Wextra -Wpedantic
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wconversion$<SEMICOLON>-Wshadow>)
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
  if(PERP_WERROR)
    add_compile_options(-Werror)
  endif()
  if(PERP_SANITIZE)
    add_compile_options(-fsanitize=${PERP_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    if(CMAKE_C_COMPILER_ID MATCHES "Clang") # to which NULL + 0, of arrays without entries, is a fault, too
      add_compile_options(-fno-sanitize=pointer-overflow)
    endif()
    add_link_options(-fsanitize=${PERP_SANITIZE})
  endif()
endif()
