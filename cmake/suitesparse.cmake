# SPDX-License-Identifier: MIT
# Target perp_suitesparse: KLU and LDL of SuiteSparse and what they stand on. Read by perp's own
# build, and by perpConfig.cmake where perp::perp is a static library.
if(NOT TARGET perp_suitesparse)
  find_path(PERP_KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse)
  find_path(PERP_LDL_INCLUDE ldl.h PATH_SUFFIXES suitesparse)
  set(perp_suitesparse_libraries)
  foreach(part IN ITEMS klu ldl btf amd colamd suitesparseconfig)
    string(TOUPPER PERP_${part}_LIBRARY variable)
    find_library(${variable} NAMES ${part})
    list(APPEND perp_suitesparse_libraries "${${variable}}")
    if(NOT PERP_KLU_INCLUDE OR NOT PERP_LDL_INCLUDE OR NOT ${variable})
      message(FATAL_ERROR "perp::perp needs KLU and LDL of SuiteSparse, and klu.h, ldl.h or "
                          "lib${part} was not found. On Debian and Ubuntu: libsuitesparse-dev. "
                          "-DPERP_FULL=OFF builds perp::core alone, which does not need it.")
    endif()
  endforeach()
  set(perp_suitesparse_includes "${PERP_KLU_INCLUDE}" "${PERP_LDL_INCLUDE}")
  list(REMOVE_DUPLICATES perp_suitesparse_includes)
  add_library(perp_suitesparse INTERFACE IMPORTED)
  set_target_properties(perp_suitesparse PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${perp_suitesparse_includes}"
    INTERFACE_LINK_LIBRARIES "${perp_suitesparse_libraries}")
endif()
