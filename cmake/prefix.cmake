# SPDX-License-Identifier: MIT
# In a static library, functions that files share with each other are as visible as the interface.
# So that they cannot clash with a user's, they get the prefix perp_internal_ in the archive; in a
# shared library they are hidden. As a script, with LIBRARY, NM and OBJCOPY: does it.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND ${NM} --extern-only --defined-only --format=posix ${LIBRARY}
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\n[A-Za-z0-9_]+ [A-Z] " symbols "\n${symbols}")
  list(TRANSFORM symbols REPLACE "\n([A-Za-z0-9_]+) . " "\\1")
  list(FILTER symbols EXCLUDE REGEX "^perp_")
  list(TRANSFORM symbols REPLACE "(.+)" "\\1 perp_internal_\\1\n")
  string(JOIN "" map ${symbols})
  file(WRITE ${LIBRARY}.names "${map}")
  execute_process(COMMAND ${OBJCOPY} --redefine-syms=${LIBRARY}.names ${LIBRARY}
    COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

# Needs binary utilities that know the objects: not with link-time optimisation.
function(prefix_internal_symbols library)
  if(UNIX AND NOT APPLE AND CMAKE_NM AND CMAKE_OBJCOPY AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION
     AND NOT "$ENV{CFLAGS} ${CMAKE_C_FLAGS}" MATCHES "-flto")
    add_custom_command(TARGET ${library} POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -DLIBRARY=$<TARGET_FILE:${library}> -DNM=${CMAKE_NM}
        -DOBJCOPY=${CMAKE_OBJCOPY} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/prefix.cmake)
  endif()
endfunction()
