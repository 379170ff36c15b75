# SPDX-License-Identifier: MIT
# perp::fortran: the modules perp and perp_c. ON where gfortran and a Python with pycparser, which
# writes them from the headers, are found and perp is the top-level project; asked for without, an
# error.
include(CheckLanguage)
set(default OFF)
# The Debian package python3-pycparser is for Debian's Python.
find_program(PERP_FORTRAN_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PERP_FORTRAN_PYTHON NAMES python3 python)
set(no_pycparser 1)
if(PERP_FORTRAN_PYTHON)
  execute_process(COMMAND ${PERP_FORTRAN_PYTHON} -c "import pycparser" RESULT_VARIABLE no_pycparser
    OUTPUT_QUIET ERROR_QUIET)
endif()
if(PROJECT_IS_TOP_LEVEL AND PERP_FULL AND NOT PERP_SANITIZE AND NOT PERP_FUZZ
   AND NOT CMAKE_CROSSCOMPILING)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER AND NOT no_pycparser)
    set(default ON)
  elseif(CMAKE_Fortran_COMPILER)
    message(STATUS "No Fortran modules: python3 has no pycparser (Debian: python3-pycparser)")
  endif()
endif()
option(PERP_FORTRAN "Build perp::fortran, the Fortran modules" ${default})
if(PERP_FORTRAN)
  if(NOT PERP_FULL)
    message(FATAL_ERROR "PERP_FORTRAN needs PERP_FULL")
  endif()
  if(no_pycparser)
    message(FATAL_ERROR "PERP_FORTRAN needs python3 with pycparser (Debian: python3-pycparser)")
  endif()
  enable_language(Fortran)
  add_subdirectory(bindings/fortran)
endif()
