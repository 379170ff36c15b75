# SPDX-License-Identifier: MIT
# Target perp_klu: KLU of SuiteSparse and what it stands on. Read by perp's own build, and by
# perpConfig.cmake where perp::perp is a static library.
if(NOT TARGET perp_klu)
  find_path(PERP_KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse)
  set(perp_klu_libraries)
  foreach(part IN ITEMS klu btf amd colamd suitesparseconfig)
    string(TOUPPER PERP_${part}_LIBRARY variable)
    find_library(${variable} NAMES ${part})
    list(APPEND perp_klu_libraries "${${variable}}")
    if(NOT PERP_KLU_INCLUDE OR NOT ${variable})
      message(FATAL_ERROR "perp::perp needs KLU of SuiteSparse, and klu.h or lib${part} was not found. "
                          "On Debian and Ubuntu: libsuitesparse-dev. "
                          "-DPERP_FULL=OFF builds perp::core alone, which does not need it.")
    endif()
  endforeach()
  add_library(perp_klu INTERFACE IMPORTED)
  set_target_properties(perp_klu PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${PERP_KLU_INCLUDE}"
    INTERFACE_LINK_LIBRARIES "${perp_klu_libraries}")
endif()
