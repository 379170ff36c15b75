# SPDX-License-Identifier: MIT
# Target perp_sundials: CVODE, IDA and ARKODE of SUNDIALS with serial vectors, dense, banded and
# sparse matrices. Read by perp's own build, and by perpConfig.cmake where perp::perp is a static
# library. Each part before those that it stands on.
if(NOT TARGET perp_sundials)
  find_path(PERP_SUNDIALS_INCLUDE cvode/cvode.h)
  set(perp_sundials_libraries)
  foreach(part IN ITEMS cvode ida arkode sunnonlinsolnewton sunnonlinsolfixedpoint sunlinsolklu
                        sunlinsolband sunlinsoldense sunmatrixsparse sunmatrixband sunmatrixdense
                        nvecserial generic)
    string(TOUPPER PERP_SUNDIALS_${part}_LIBRARY variable)
    find_library(${variable} NAMES sundials_${part})
    list(APPEND perp_sundials_libraries "${${variable}}")
    if(NOT PERP_SUNDIALS_INCLUDE OR NOT ${variable})
      message(FATAL_ERROR "perp::perp needs SUNDIALS 6 with KLU, and cvode/cvode.h or "
                          "libsundials_${part} was not found. On Debian and Ubuntu: "
                          "libsundials-dev. -DPERP_FULL=OFF builds perp::core alone, which does "
                          "not need it.")
    endif()
  endforeach()
  add_library(perp_sundials INTERFACE IMPORTED)
  set_target_properties(perp_sundials PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${PERP_SUNDIALS_INCLUDE}"
    INTERFACE_LINK_LIBRARIES "${perp_sundials_libraries}")
endif()
