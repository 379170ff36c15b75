# SPDX-License-Identifier: MIT
# perp::fortran: the modules perp and perp_c. ON where gfortran is found and perp is the top-level
# project; asked for without a compiler, an error.
include(CheckLanguage)
set(default OFF)
if(PROJECT_IS_TOP_LEVEL AND PERP_FULL AND NOT PERP_SANITIZE AND NOT PERP_FUZZ
   AND NOT CMAKE_CROSSCOMPILING)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    set(default ON)
  endif()
endif()
option(PERP_FORTRAN "Build perp::fortran, the Fortran modules" ${default})
if(PERP_FORTRAN)
  if(NOT PERP_FULL)
    message(FATAL_ERROR "PERP_FORTRAN needs PERP_FULL")
  endif()
  enable_language(Fortran)
  add_subdirectory(bindings/fortran)
endif()
