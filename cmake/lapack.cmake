# SPDX-License-Identifier: MIT
# Target perp_lapack: LAPACKE and CBLAS, from OpenBLAS where there is one. Read by perp's own build,
# and by perpConfig.cmake where perp::perp is a static library.
if(NOT TARGET perp_lapack)
  find_path(PERP_LAPACKE_INCLUDE lapacke.h PATH_SUFFIXES openblas lapacke)
  find_path(PERP_CBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas openblas-pthread cblas)
  find_library(PERP_LAPACKE_LIBRARY NAMES lapacke openblas)
  find_library(PERP_CBLAS_LIBRARY NAMES openblas cblas blas)
  foreach(part IN ITEMS LAPACKE_INCLUDE CBLAS_INCLUDE LAPACKE_LIBRARY CBLAS_LIBRARY)
    if(NOT PERP_${part})
      message(FATAL_ERROR "perp::perp needs LAPACKE and CBLAS, and PERP_${part} was not found. "
                          "On Debian and Ubuntu: libopenblas-dev and liblapacke-dev. "
                          "-DPERP_FULL=OFF builds perp::core alone, which needs neither.")
    endif()
  endforeach()
  add_library(perp_lapack INTERFACE IMPORTED)
  set_target_properties(perp_lapack PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${PERP_LAPACKE_INCLUDE};${PERP_CBLAS_INCLUDE}"
    INTERFACE_LINK_LIBRARIES "${PERP_LAPACKE_LIBRARY};${PERP_CBLAS_LIBRARY}")
endif()
