# What every target shares: the language, the promise about floating point, warnings.
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
option(LIMELIGHT_WERROR "Treat warnings as errors" OFF)

function(limelight_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # No contraction: a multiply-add happens where the source says MulAdd and nowhere else (docs/design.md, same bits).
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off
                         $<$<BOOL:${LIMELIGHT_WERROR}>:-Werror>)
  # g++ 12 warns of an overlap in "text" + std::string that cannot be (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
endfunction()

# A library of all sources in FOLDERS; a source parallel_X.cc belongs to it only where LIMELIGHT_PARALLEL is X.
function(limelight_library target)
  cmake_parse_arguments(ARG "" "" "FOLDERS" ${ARGN})
  set(sources)
  foreach(folder ${ARG_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
    list(APPEND sources ${found})
  endforeach()
  foreach(name tbb threads)
    if(NOT name STREQUAL LIMELIGHT_PARALLEL)
      list(FILTER sources EXCLUDE REGEX "/parallel_${name}\\.cc$")
    endif()
  endforeach()
  add_library(${target} ${sources})
  add_library(limelight::${target} ALIAS ${target})
  limelight_options(${target})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                             PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()
