# How a module, its tests and its flags are declared: one call each.

add_library(negzero_flags INTERFACE)
target_compile_features(negzero_flags INTERFACE cxx_std_20)
# Contraction is off everywhere: the host executor must round like the explicit operations that a kernel spells.
target_compile_options(negzero_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wno-unknown-pragmas;-ffp-contract=off>)
# g++ looks for memory to use again from 128 MB on, and is done a tenth sooner where it begins at 1 GB.
cmake_host_system_information(RESULT negzero_memory QUERY TOTAL_PHYSICAL_MEMORY)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND negzero_memory GREATER_EQUAL 6000)
  target_compile_options(negzero_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-heapsize=1000000>")
endif()
if(NEGZERO_SANITIZE)
  target_compile_options(negzero_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(negzero_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(negzero_flags INTERFACE NEGZERO_SANITIZE=1)
endif()
# What libFuzzer sees of a target: kernels, and the modules that read bytes of strangers. Covering the others too would
# double what a run costs, and make a corpus of what an oracle does. Nor the depth of the stack: threads of a block have
# stacks of their own, which say nothing of how deep calls go.
set(negzero_covered_modules formula source tensor notation files verdict operation case_file contract kernel protocol worker run campaign)
set(negzero_coverage_flags)
if(NEGZERO_FUZZ)
  set(negzero_coverage_flags -fsanitize=fuzzer-no-link -fno-sanitize-coverage=stack-depth)
endif()
target_include_directories(negzero_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)

# {fmt}, compiled here once: packages have it as a shared library, which other machines lack, and as headers alone it takes
# the compiler a third longer in every file.
add_library(negzero_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt.cpp)
target_include_directories(negzero_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)

# negzero_module(NAME [TEXT] [EXCEPT files...] [DEPENDS targets...]): the library negzero::NAME from every .cpp of its folder
# but main.cpp and those files, as one unit where units are joined. TEXT: it handles text, files, processes and
# whole cases, and loops over elements are elsewhere; a compiler is done sooner at -O1, and a run takes no longer.
function(negzero_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TEXT" "" "DEPENDS;EXCEPT")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  foreach(file IN LISTS arg_EXCEPT)
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  if(sources)
    add_library(negzero_${name} STATIC ${sources})
    target_link_libraries(negzero_${name} PUBLIC negzero_flags ${arg_DEPENDS})
    set_target_properties(negzero_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
    if(arg_TEXT)
      target_compile_options(negzero_${name} PRIVATE -O1)
    endif()
    if(name IN_LIST negzero_covered_modules)
      target_compile_options(negzero_${name} PRIVATE ${negzero_coverage_flags})
    endif()
  else()
    add_library(negzero_${name} INTERFACE)
    target_link_libraries(negzero_${name} INTERFACE negzero_flags ${arg_DEPENDS})
  endif()
  add_library(negzero::${name} ALIAS negzero_${name})
endfunction()

# The target whose compiled headers the test programs of one level of optimisation share.
function(negzero_test_headers level)
  set(target negzero_test_headers${level})
  if(NOT TARGET ${target})
    negzero_compiled_headers(${target} <gmock/gmock.h> <gtest/gtest.h>)
    # As programs are compiled, which libraries of objects are not.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE} ${level} -fpch-preprocess)
    target_link_libraries(${target} PRIVATE negzero_flags GTest::gtest GTest::gmock)
  endif()
endfunction()

# negzero_test(NAME [TEXT] SOURCES files... [LINK targets...] [SERVES examiner|worker]): one GoogleTest program, each of its
# tests known to ctest. SERVES: it registers kernels of its own, and is called as the process that examines or runs them.
# TEXT: its own code is of little length, and what takes time is elsewhere, as of a module.
function(negzero_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TEXT" "SERVES" "SOURCES;LINK")
  set(main_examiner serving_main.cpp)
  set(main_worker worker_main.cpp)
  add_executable(${name} ${arg_SOURCES})
  if(arg_SERVES)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/${main_${arg_SERVES}})
    target_link_libraries(${name} PRIVATE GTest::gtest)
  else()
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
  endif()
  # What is tested keeps its flags. A test spends more time in the compiler than in its own loops.
  set(level -O1)
  if(arg_TEXT)
    set(level -O0)
  endif()
  target_compile_options(${name} PRIVATE ${level})
  target_link_libraries(${name} PRIVATE negzero_flags ${arg_LINK} GTest::gmock rapidcheck)
  # Each of a hundred units would read these for a second. clang refuses headers whose flags are not quite the same.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    negzero_test_headers(${level})
    target_compile_options(${name} PRIVATE -fpch-preprocess)  # for ccache
    target_precompile_headers(${name} REUSE_FROM negzero_test_headers${level})
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 600)
endfunction()
