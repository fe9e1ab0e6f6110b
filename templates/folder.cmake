# The projects that singe wrote into this folder, each in a file NAME.cmake that its list NAME.manifest has. What another run left there
# knows other kernels: it is not built.
cmake_minimum_required(VERSION 3.18)
if(NOT DEFINED CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
project(singe_projects LANGUAGES NONE)

file(GLOB SINGE_LISTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.manifest)
foreach(SINGE_LIST IN LISTS SINGE_LISTS)
  get_filename_component(SINGE_PROJECT ${SINGE_LIST} NAME_WE)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${SINGE_PROJECT}.cmake)
    file(READ ${SINGE_LIST} SINGE_FILES)
    # Behind this sign stand the files of earlier runs.
    string(REGEX REPLACE "#.*" "" SINGE_FILES "${SINGE_FILES}")
    if(NOT SINGE_FILES MATCHES "  ${SINGE_PROJECT}\\.cmake\n")
      message(FATAL_ERROR "${SINGE_PROJECT}.cmake is of an earlier run of singe than the kernels beside it: "
        "write both with --emit host, or remove it with --clean.")
    endif()
    include(${CMAKE_CURRENT_SOURCE_DIR}/${SINGE_PROJECT}.cmake)
  endif()
endforeach()
