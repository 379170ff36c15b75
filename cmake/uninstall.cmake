# SPDX-License-Identifier: MIT
# Removes what the last installation from a build put down, and what it leaves empty of folders named
# perp:  cmake -DMANIFEST=BUILD/install_manifest.txt -P uninstall.cmake
# As cmake --install, it puts the environment's DESTDIR before every path.
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "There is no ${MANIFEST}: nothing was installed from this build")
endif()
file(STRINGS "${MANIFEST}" files)
foreach(file IN LISTS files)
  set(path "$ENV{DESTDIR}${file}")
  if(EXISTS "${path}" OR IS_SYMLINK "${path}")
    message(STATUS "Uninstalling: ${path}")
    file(REMOVE "${path}")
  endif()
  cmake_path(GET file PARENT_PATH folder)
  while(folder MATCHES "/perp(/|$)")
    file(GLOB left LIST_DIRECTORIES ON "$ENV{DESTDIR}${folder}/*" "$ENV{DESTDIR}${folder}/.*")
    if(left OR NOT IS_DIRECTORY "$ENV{DESTDIR}${folder}")
      break()
    endif()
    file(REMOVE_RECURSE "$ENV{DESTDIR}${folder}")
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endforeach()
