# SPDX-License-Identifier: MIT
# Headers, libraries, find_package(perp) and pkg-config. perp::core and perp::perp are exported
# apart, so that a user of the core needs nothing of the other.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/perp)

install(DIRECTORY include/perp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(DIRECTORY cpp/perp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)
install(TARGETS perp_core EXPORT perp-core-targets)
if(NOT PERP_FULL)
  install(TARGETS perp_builder EXPORT perp-core-targets)
endif()
install(EXPORT perp-core-targets NAMESPACE perp:: DESTINATION ${package_dir})
install(TARGETS perp_cxx EXPORT perp-cxx-targets)
install(EXPORT perp-cxx-targets NAMESPACE perp:: DESTINATION ${package_dir})
if(PERP_FULL)
  install(TARGETS perp EXPORT perp-targets)
  install(EXPORT perp-targets NAMESPACE perp:: DESTINATION ${package_dir})
endif()

configure_package_config_file(cmake/perpConfig.cmake.in perpConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(perpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/perpConfig.cmake ${PROJECT_BINARY_DIR}/perpConfigVersion.cmake
  cmake/lapack.cmake cmake/suitesparse.cmake cmake/sundials.cmake DESTINATION ${package_dir})

# pkg-config files find their prefix from where they lie, so that the tree can be moved.
file(RELATIVE_PATH PERP_PC_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(packages perp-core)
if(PERP_FULL)
  list(APPEND packages perp)
endif()
if(PERP_FORTRAN)
  list(APPEND packages perp-fortran)
endif()
foreach(package IN LISTS packages)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
