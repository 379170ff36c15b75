# SPDX-License-Identifier: MIT
# Headers, libraries, find_package(perp), pkg-config and pages. perp::core and perp::perp are exported
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
set(PERP_PC_LIBS "") # a shared library brings its own; there is no static one beside it
set(PERP_PC_FORTRAN_LIBS "")
if(PERP_FULL AND NOT PERP_SHARED)
  foreach(target IN ITEMS perp_sundials perp_suitesparse perp_lapack)
    get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
    list(APPEND PERP_PC_LIBS ${libs})
  endforeach()
  list(JOIN PERP_PC_LIBS " " PERP_PC_LIBS)
  string(PREPEND PERP_PC_LIBS " ")
  string(APPEND PERP_PC_LIBS " -lm -pthread")
  if(OpenMP_Fortran_FOUND)
    set(PERP_PC_FORTRAN_LIBS " ${OpenMP_Fortran_FLAGS}")
  endif()
endif()
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

# The pages lie as in the repository, so that their links lead somewhere.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md PATTERN *.png
  PATTERN html EXCLUDE PATTERN playground EXCLUDE PATTERN site EXCLUDE)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall VERBATIM
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)
endif()
