# SPDX-License-Identifier: MIT
# Files (perp_io) and the command (perp_tool, program name perp). Read where PERP_TOOL is on.
find_package(HDF5 COMPONENTS C)
find_package(CLI11 QUIET)
find_package(nlohmann_json QUIET)
find_path(PERP_TOMLPLUSPLUS toml++/toml.h) # headers alone
set(toml++_FOUND ${PERP_TOMLPLUSPLUS})
find_package(ZLIB)
foreach(part IN ITEMS matio minizip) # what perp export writes .mat and .npz by
  find_library(PERP_${part} ${part})
  set(header matio.h)
  if(part STREQUAL "minizip")
    set(header minizip/zip.h)
  endif()
  find_path(PERP_${part}_INCLUDE ${header})
  if(PERP_${part} AND PERP_${part}_INCLUDE)
    set(${part}_FOUND ON)
  endif()
endforeach()
foreach(part IN ITEMS HDF5 CLI11 nlohmann_json toml++ ZLIB matio minizip)
  if(NOT ${part}_FOUND)
    message(FATAL_ERROR "The perp command needs ${part}, which was not found. On Debian and Ubuntu: "
                        "libhdf5-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev zlib1g-dev libmatio-dev libminizip-dev. "
                        "-DPERP_TOOL=OFF builds the libraries without the command.")
  endif()
endforeach()

# A shared libhdf5 brings what it needs; the wrapper compiler lists all of that as well.
set(hdf5_libraries ${HDF5_C_LIBRARIES})
if(hdf5_libraries MATCHES "libhdf5[^;]*\\.(so|dylib)")
  list(FILTER hdf5_libraries INCLUDE REGEX "libhdf5[^/]*$")
endif()

add_library(perp_io STATIC
  c/base/exponential.c # its logarithm, which libperp.so does not show
  c/expression/nodes.c
  c/expression/parse.c
  c/expression/program.c
  c/expression/random.c
  cpp/io/dat_matrix.cpp
  cpp/io/dat_read.cpp
  cpp/io/dat_write.cpp
  cpp/io/fclib.cpp
  cpp/io/file.cpp
  cpp/io/hdf5.cpp
  cpp/io/matrix.cpp
  cpp/io/model.cpp
  cpp/io/model_function.cpp
  cpp/io/model_callbacks.cpp
  cpp/io/model_compile.cpp
  cpp/io/model_fill.cpp
  cpp/io/model_guards.cpp
  cpp/io/model_interactions.cpp
  cpp/io/model_laws.cpp
  cpp/io/model_options.cpp
  cpp/io/model_pages.cpp
  cpp/io/model_plugin.cpp
  cpp/io/model_pool.cpp
  cpp/io/model_python.cpp
  cpp/io/model_relations.cpp
  cpp/io/model_systems.cpp
  cpp/io/model_table.cpp
  cpp/io/model_table_laws.cpp
  cpp/io/model_table_relations.cpp
  cpp/io/model_table_runs.cpp
  cpp/io/model_table_systems.cpp
  cpp/io/model_tables.cpp
  cpp/io/model_tree.cpp
  cpp/io/model_values.cpp
  cpp/io/problem.cpp
  cpp/io/text.cpp
)
target_include_directories(perp_io SYSTEM PUBLIC ${HDF5_C_INCLUDE_DIRS} PRIVATE ${PERP_TOMLPLUSPLUS})
target_compile_definitions(perp_io PUBLIC ${HDF5_C_DEFINITIONS})
target_link_libraries(perp_io PUBLIC perp_cxx ${hdf5_libraries} PRIVATE nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
target_include_directories(perp_io PUBLIC c) # expression/expression.h
target_compile_features(perp_io PUBLIC c_std_99)
target_compile_options(perp_io PRIVATE
  $<$<COMPILE_LANGUAGE:C>:${PERP_EXACT_OPTIONS}>
  $<$<COMPILE_LANG_AND_ID:C,GNU,Clang,AppleClang>:-fno-math-errno>)
set_target_properties(perp_io PROPERTIES C_EXTENSIONS OFF)

# What `perp new NAME` writes: examples/models.
file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/models/*.*)
set(model_lines "")
foreach(model IN LISTS models)
  get_filename_component(name ${model} NAME)
  file(READ ${model} text)
  string(APPEND model_lines "    {\"${name}\", R\"file(${text})file\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model})
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/model_examples.cpp @ONLY CONTENT
"#include \"tool/model_examples.hpp\"

const std::vector<perp::tool::model_example> &perp::tool::model_examples() {
  static const std::vector<model_example> all = {
@model_lines@  };
  return all;
}
")

# What pages of `perp view` are made of, in pieces that every compiler takes as one literal.
set(view_pieces "")
foreach(name IN ITEMS page.html page.css data.js plots.js contacts.js motion.js page.js bundle.css bundle.js)
  set(file ${PROJECT_SOURCE_DIR}/cpp/tool/view/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  foreach(from RANGE 0 ${length} 60000)
    string(SUBSTRING "${text}" ${from} 60000 piece)
    string(APPEND view_pieces "    {\"${name}\", R\"view(${piece})view\"},\n")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/view_files.cpp @ONLY CONTENT
"#include \"tool/view.hpp\"

std::string perp::tool::view_file(const std::string &name) {
  static const char *const pieces[][2] = {
@view_pieces@  };
  std::string text;
  for (const auto &piece : pieces)
    if (name == piece[0]) text += piece[1];
  return text;
}
")

add_executable(perp_tool
  ${CMAKE_CURRENT_BINARY_DIR}/model_examples.cpp
  ${CMAKE_CURRENT_BINARY_DIR}/view_files.cpp
  cpp/tool/bench.cpp
  cpp/tool/condense.cpp
  cpp/tool/convert.cpp
  cpp/tool/export.cpp
  cpp/tool/export_contacts.cpp
  cpp/tool/export_csv.cpp
  cpp/tool/export_hdf5.cpp
  cpp/tool/export_tables.cpp
  cpp/tool/export_vtp.cpp
  cpp/tool/gnuplot.cpp
  cpp/tool/info.cpp
  cpp/tool/judge.cpp
  cpp/tool/log_size.cpp
  cpp/tool/main.cpp
  cpp/tool/model_about.cpp
  cpp/tool/model_of_log.cpp
  cpp/tool/model_check.cpp
  cpp/tool/model_run.cpp
  cpp/tool/model_run_events.cpp
  cpp/tool/model_run_schedules.cpp
  cpp/tool/plot.cpp
  cpp/tool/profile.cpp
  cpp/tool/results.cpp
  cpp/tool/run.cpp
  cpp/tool/solve.cpp
  cpp/tool/solvers.cpp
  cpp/tool/view.cpp
  cpp/tool/view_contacts.cpp
  cpp/tool/view_numbers.cpp
)
target_link_libraries(perp_tool PRIVATE perp_io CLI11::CLI11 nlohmann_json::nlohmann_json
  ${PERP_matio} ${PERP_minizip} ZLIB::ZLIB)
target_include_directories(perp_tool SYSTEM PRIVATE ${PERP_matio_INCLUDE} ${PERP_minizip_INCLUDE})
set_target_properties(perp_tool PROPERTIES OUTPUT_NAME perp)
target_compile_options(perp_tool PRIVATE # -O3 takes a third longer to compile, and gains nothing here
  $<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>>:-O2>)
if(NOT PERP_SHARED) # plug-ins that find contacts call perp_simulation_q(), perp_pool_add()
  set_target_properties(perp_tool PROPERTIES ENABLE_EXPORTS ON)
endif()
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  if(APPLE)
    set_target_properties(perp_tool PROPERTIES INSTALL_RPATH "@loader_path/${up}")
  else()
    set_target_properties(perp_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${up}")
  endif()
endif()
if(PERP_INSTALL)
  install(TARGETS perp_tool DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/perp.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
