# find_package(negzero): kernels of a project in its own CMake and its own tests.
#
#   negzero_add_kernels(TARGET FILES a.cu ... [FLAGS flags...])
#     Compiles CUDA files with their declarations, FILE.nz beside each or `// negzero:` lines in it, as `negzero check` does.
#     FLAGS are as to nvcc. A program that links TARGET holds their kernels.
#   negzero_add_tests(TARGET [ARGS words...])
#     Makes a test of each kernel of TARGET, "TARGET.KERNEL": `negzero check` with these words too.
#
#   negzero::negzero   the program
#   negzero::gtest     for tests of GoogleTest: `#include <negzero/testing/gtest.hpp>` has NEGZERO_EXPECT_CLEAN("kernel").
#                      Such a program serves its kernels before its own main() runs.

get_filename_component(negzero_HOME "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(negzero_PROGRAM ${negzero_HOME}/negzero)
set(negzero_DISCOVER ${CMAKE_CURRENT_LIST_DIR}/discover_kernels.cmake)

if(NOT TARGET negzero::negzero)
  add_executable(negzero::negzero IMPORTED)
  set_target_properties(negzero::negzero PROPERTIES IMPORTED_LOCATION ${negzero_PROGRAM})

  file(READ ${negzero_HOME}/kit/kit.json kit)
  string(JSON count LENGTH "${kit}" link)
  math(EXPR last "${count} - 1")
  set(link)
  foreach(i RANGE ${last})
    string(JSON item GET "${kit}" link ${i})
    string(REPLACE "@kit@" "${negzero_HOME}/kit" item "${item}")
    list(APPEND link ${item})
  endforeach()
  # Its kernels are compiled for a place that does not move.
  add_library(negzero::kit INTERFACE IMPORTED)
  set_target_properties(negzero::kit PROPERTIES INTERFACE_LINK_LIBRARIES "${link}" INTERFACE_LINK_OPTIONS -no-pie)
  add_library(negzero::gtest INTERFACE IMPORTED)
  set_target_properties(negzero::gtest PROPERTIES INTERFACE_LINK_LIBRARIES negzero::kit
    INTERFACE_INCLUDE_DIRECTORIES ${negzero_HOME}/kit/include INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_COMPILE_DEFINITIONS "NEGZERO_PROGRAM=\"${negzero_PROGRAM}\"" INTERFACE_LINK_OPTIONS "LINKER:--wrap=main;LINKER:--undefined=main")
endif()

function(negzero_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES;FLAGS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_FILES)
    message(FATAL_ERROR "negzero_add_kernels(${target}): want FILES a.cu ..., got '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(objects)
  set(paths)
  set(flags)
  if(arg_FLAGS)
    set(flags -- ${arg_FLAGS})
  endif()
  foreach(file IN LISTS arg_FILES)
    get_filename_component(path ${file} ABSOLUTE)
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "negzero_add_kernels(${target}): ${path} is not there")
    endif()
    get_filename_component(name ${path} NAME)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.negzero/${name}.o)
    if(object IN_LIST objects)
      message(FATAL_ERROR "negzero_add_kernels(${target}): two files are called ${name}; give one a target of its own")
    endif()
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.negzero)
    add_custom_command(OUTPUT ${object}
      COMMAND negzero::negzero compile ${path} --output ${object} --depfile ${object}.d ${flags}
      DEPENDS ${path} negzero::negzero DEPFILE ${object}.d WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} VERBATIM
      COMMENT "Compiling kernels of ${name} for negzero")
    list(APPEND objects ${object})
    list(APPEND paths ${path})
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_custom_target(${target}_objects DEPENDS ${objects})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_objects)
  target_link_libraries(${target} INTERFACE ${objects} negzero::kit)
  set_target_properties(${target} PROPERTIES negzero_files "${paths}" negzero_flags "${flags}"
    negzero_objects "${objects}")
endfunction()

function(negzero_add_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARGS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "negzero_add_tests(${target}): want ARGS words..., got '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(files)
  if(TARGET ${target})
    get_target_property(files ${target} negzero_files)
    get_target_property(flags ${target} negzero_flags)
    get_target_property(objects ${target} negzero_objects)
  endif()
  if(NOT files)
    message(FATAL_ERROR "negzero_add_tests(${target}): negzero_add_kernels(${target} FILES ...) comes first")
  endif()
  # Which kernels there are is known once their files are compiled.
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${target}.negzero/tests.cmake)
  add_custom_command(OUTPUT ${tests}
    COMMAND ${CMAKE_COMMAND} -D "TARGET=${target}" -D "PROGRAM=${negzero_PROGRAM}" -D "FILES=${files}" -D "FLAGS=${flags}"
      -D "ARGS=${arg_ARGS}" -D "FOLDER=${CMAKE_CURRENT_SOURCE_DIR}" -D "FINDINGS=${CMAKE_CURRENT_BINARY_DIR}/findings"
      -D "OUTPUT=${tests}" -P ${negzero_DISCOVER}
    DEPENDS ${objects} ${target}_objects ${negzero_DISCOVER} VERBATIM COMMENT "Looking for kernels of ${target}")
  add_custom_target(${target}_tests ALL DEPENDS ${tests})
  add_dependencies(${target}_tests ${target}_objects)
  file(WRITE ${tests}.include.cmake "if(EXISTS \"${tests}\")
  include(\"${tests}\")
else()
  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${tests}.include.cmake)
endfunction()
