# How kernel files (.cu) are compiled: always by the host compiler, plainly and watched, and by nvcc too where NEGZERO_CUDA
# is ON. Files for a GPU alone (DEVICE) are compiled by nvcc, or not at all.

# FMA instructions for host objects of kernels. Without them every fmaf is a call into the C library: right, but slower.
# The default asks the machine that builds; a package for unknown x86-64 machines sets it OFF. A kernel built with it
# refuses to launch on a CPU without FMA, with a message.
if(NOT DEFINED NEGZERO_HOST_FMA)
  set(fma_default OFF)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT CMAKE_CROSSCOMPILING)
    include(CheckCXXSourceRuns)
    check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"fma\") ? 0 : 1; }" NEGZERO_CPU_HAS_FMA)
    if(NEGZERO_CPU_HAS_FMA)
      set(fma_default ON)
    endif()
  endif()
  option(NEGZERO_HOST_FMA "Compile the host objects of kernels with -mfma" ${fma_default})
endif()

include(${CMAKE_CURRENT_LIST_DIR}/host_objects.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/joined.cmake)

# Makes CUDA known to the directory that calls this, and to those below: languages, their flags and imported targets are
# those of a directory. One that has negzero as a subdirectory, and calls negzero_kernels(), lies above.
macro(negzero_enable_cuda)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${NEGZERO_CUDA_ARCHITECTURES})
  endif()
  enable_language(CUDA)
  # CMake 3.25 does not know how nvcc spells 20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  find_package(CUDAToolkit REQUIRED)
endmacro()

if(NEGZERO_CUDA)
  # Explicit: `native` needs a GPU. 90a for Hopper's own instructions; 75 with PTX runs on everything since Turing.
  set(NEGZERO_CUDA_ARCHITECTURES "75;90a-real" CACHE STRING "Architectures that nvcc compiles kernels for")
  set(NEGZERO_CUDA_EXCEPT "" CACHE STRING "Kernel files that nvcc is spared: a regular expression of paths")
  negzero_enable_cuda()
endif()

# Kernel files are compiled for the host once more with every load and store reported (design section 5, watched). The
# sanitizer's own runtime is never linked, and other sanitizers cannot be combined with its instrumentation.
if(NEGZERO_SANITIZE)
  set(NEGZERO_WATCHED OFF)
else()
  option(NEGZERO_WATCHED "Compile every kernel for the watched host executor too" ON)
endif()
# Line tables are all that reports need. A vector load is split before its address is reported, so its alignment is
# checked by the other sanitizer's code, with our answer; so are indices of arrays, whose bounds only their type knows.
# No tail calls: a call in place of a return would be taken for one of the caller. Nor is the end of two branches made one:
# a report would name the line of the other.
# Ubuntu's compilers define _FORTIFY_SOURCE, whose wrappers of memcpy become stores that nobody reports.
# A search learns from the basic blocks that ran: each reports itself (src/negzero/watch/coverage.hpp).
set(negzero_watched_flags -fsanitize=alignment,bounds -fsanitize-coverage=trace-pc -g1 -fno-optimize-sibling-calls -U_FORTIFY_SOURCE)
# What a plain object needs too where it uses `volatile`: a thread that spins on such a load must let others run.
set(negzero_reported_flags -fsanitize=thread)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The sanitizer cannot follow fences, and says so of each; the watch is told of those that a kernel executes.
  list(APPEND negzero_reported_flags "SHELL:--param tsan-distinguish-volatile=1"
    "SHELL:--param tsan-instrument-func-entry-exit=0" -Wno-tsan)
  list(APPEND negzero_watched_flags
    -fno-crossjumping -fno-tree-tail-merge
    # A vector that spans what others write between its elements would be a race that the source has not.
    -fno-tree-vectorize -fno-tree-slp-vectorize
    # Stores in place of a call of these would be reported by nobody.
    -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset)
else()
  list(APPEND negzero_reported_flags "SHELL:-mllvm -tsan-distinguish-volatile=1"
    "SHELL:-mllvm -tsan-instrument-func-entry-exit=0")
  list(APPEND negzero_watched_flags "SHELL:-mllvm -tsan-instrument-read-before-write=1"
    "SHELL:-mllvm -sink-common-insts=0" "SHELL:-mllvm -enable-tail-merge=0"
    -fno-vectorize -fno-slp-vectorize)
endif()

# A project that has negzero as a subdirectory calls negzero_kernels() too, where variables of this one are not seen. Without
# these flags its watched kernels would report nothing, and pass.
foreach(flags watched reported)
  set(negzero_${flags}_flags "${negzero_${flags}_flags}" CACHE INTERNAL "")
endforeach()

# Whether a kernel file, or one that it includes by quotes, uses `volatile` outside comments and strings.
function(negzero_uses_volatile path result)
  set(word "(^|[^A-Za-z0-9_])volatile([^A-Za-z0-9_]|$)")
  set(rest ${path})
  set(seen)
  set(${result} FALSE)
  while(rest)
    list(POP_FRONT rest file)
    if(file IN_LIST seen OR NOT EXISTS ${file})
      continue()
    endif()
    list(APPEND seen ${file})
    get_filename_component(folder ${file} DIRECTORY)
    file(STRINGS ${file} lines REGEX "${word}|^[ \t]*#[ \t]*include[ \t]*\"")
    foreach(line IN LISTS lines)
      if(line MATCHES "#[ \t]*include[ \t]*\"([^\"]+)\"")
        get_filename_component(included ${folder}/${CMAKE_MATCH_1} ABSOLUTE)
        list(APPEND rest ${included})
      elseif(NOT line MATCHES "(//|\").*${word}")
        set(${result} TRUE)
      endif()
    endforeach()
  endwhile()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${seen})
  return(PROPAGATE ${result})
endfunction()

# Tells the programs that link TARGET which files they are built without: `list kernels`, and an error about a name that is
# not known, say so. WHY is a clause.
function(negzero_absent_kernels target why)
  set(noted "")
  foreach(path IN LISTS ARGN)
    file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} ${path})
    string(APPEND noted "    negzero::kernel::registry().note_absent({\"${file}\", \"${why}\"}),\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target}/absent.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT "// Files of kernels that this build has not.

#include <negzero/kernel/kernel.hpp>

namespace {

const bool noted[] = {
@noted@};

}  // namespace
")
  add_library(${target}_absent OBJECT ${generated})
  target_link_libraries(${target}_absent PRIVATE negzero_flags negzero::kernel)
  target_link_libraries(${target} INTERFACE negzero::kernel)
  target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}_absent>)
endfunction()

# negzero_kernels(TARGET [DEVICE [NEEDS targets...]] FILES a.cu ... [LINK targets...] [HOST_FLAGS flags...]
#                 [CUDA_FLAGS flags...])
#
# Linking TARGET puts the objects of all files into the program itself, so that kernels that register themselves are never
# dropped. Flags that change numbers (-fmad=false) belong to a kernel: give its files a call of their own.
#
# DEVICE: the files are for a GPU alone. They are plain CUDA C++ and may use all of it: libraries, PTX, cooperative groups.
# A build without CUDA leaves them out, and so does one in which a target of NEEDS (CUDA::cublas) is missing: a status line
# says so, and so do the programs that link TARGET. What is to be linked is in LINK all the same.
macro(negzero_kernels)
  if(NEGZERO_CUDA AND NOT CMAKE_CUDA_COMPILER_LOADED)
    negzero_enable_cuda()
  endif()
  negzero_compile_kernels(${ARGV})
endmacro()

function(negzero_compile_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DEVICE" "" "FILES;LINK;NEEDS;HOST_FLAGS;CUDA_FLAGS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_FILES)
    message(FATAL_ERROR "negzero_kernels(${target}): want FILES a.cu ..., got ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_DEVICE AND arg_NEEDS)
    message(FATAL_ERROR "negzero_kernels(${target}): NEEDS is for files for a GPU alone; say DEVICE too, or LINK ${arg_NEEDS}")
  endif()
  if(arg_DEVICE AND arg_HOST_FLAGS)
    message(FATAL_ERROR "negzero_kernels(${target}): HOST_FLAGS with DEVICE, whose files no host compiler reads; say CUDA_FLAGS")
  endif()
  set(cuda_sources)
  foreach(file IN LISTS arg_FILES)
    get_filename_component(path ${file} ABSOLUTE)
    list(APPEND cuda_sources ${path})
  endforeach()

  set(builds)
  if(NOT arg_DEVICE)
    list(APPEND builds host)
    if(NEGZERO_WATCHED)
      list(APPEND builds watched)
    endif()
  endif()
  set(suffix_host "")
  set(suffix_watched .watched)
  foreach(build IN LISTS builds)
    set(sources)
    foreach(path IN LISTS cuda_sources)
      get_filename_component(name ${path} NAME)
      # Files of one name in different folders are different kernels.
      file(RELATIVE_PATH unique ${CMAKE_CURRENT_SOURCE_DIR} ${path})
      string(REPLACE "../" "_/" unique ${unique})
      set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target}/${unique}${suffix_${build}}.cpp)
      file(CONFIGURE OUTPUT ${generated} CONTENT "// The ${build} object of ${name}.\n#include \"${path}\"\n")
      # A host compiler finds the kernel file behind an #include: tell the build tool which file that is.
      set_source_files_properties(${generated} PROPERTIES OBJECT_DEPENDS ${path})
      if(build STREQUAL "watched" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # CUDA's vectors have a member there that no initialiser names (src/negzero/cuda/types.hpp).
        set_property(SOURCE ${generated} APPEND PROPERTY COMPILE_OPTIONS -Wno-missing-field-initializers)
      endif()
      if(build STREQUAL "host" AND NEGZERO_WATCHED)
        negzero_uses_volatile(${path} found)
        if(found)
          string(REPLACE "SHELL:" "" flags "${negzero_reported_flags}")
          string(REPLACE " " ";" flags "${flags}")
          set_property(SOURCE ${generated} APPEND PROPERTY COMPILE_OPTIONS ${flags})
          # Precompiled headers have the flags of the others.
          set_source_files_properties(${generated} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
        endif()
      endif()
      list(APPEND sources ${generated})
    endforeach()
    add_library(${target}_${build} OBJECT ${sources})
    # Each kernel file is a world of its own: every one may call its kernel `kernel`.
    set_target_properties(${target}_${build} PROPERTIES UNITY_BUILD OFF)
    target_link_libraries(${target}_${build} PUBLIC negzero_flags negzero::cuda ${arg_LINK})
    negzero_host_flags(${target} ${build})
    target_compile_options(${target}_${build} PRIVATE ${arg_HOST_FLAGS})
    # A compiler reads these for longer than the kernels of a file. Flags of the caller's own make headers of its own, and
    # clang refuses any that differ: only what is of this tree shares what has been compiled.
    list(LENGTH sources count)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND negzero_SOURCE_DIR STREQUAL CMAKE_SOURCE_DIR AND NOT arg_HOST_FLAGS)
      negzero_kernel_headers(${build})
      target_precompile_headers(${target}_${build} REUSE_FROM negzero_kernel_headers_${build})
    elseif(count GREATER_EQUAL 4)
      target_precompile_headers(${target}_${build} PRIVATE ${negzero_kernel_headers})
    endif()
  endforeach()

  add_library(${target} INTERFACE)
  if(arg_DEVICE)
    set(why "")
    if(NOT NEGZERO_CUDA)
      set(why "for a GPU alone, and this build has no CUDA")
    endif()
    foreach(needed IN LISTS arg_NEEDS)
      if(NOT why AND NOT TARGET ${needed})
        set(why "${needed} was not found")
        message(STATUS "${target}: left out, as ${needed} was not found")
      endif()
    endforeach()
    if(why)
      negzero_absent_kernels(${target} "${why}" ${cuda_sources})
      return()
    endif()
  endif()
  target_link_libraries(${target} INTERFACE negzero_flags negzero::cuda ${arg_LINK})
  # The plain objects first: where two builds hold a function of the standard library, the linker keeps the first.
  foreach(build IN LISTS builds)
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}_${build}>)
  endforeach()

  if(NEGZERO_CUDA AND NEGZERO_CUDA_EXCEPT)
    set(spared ${cuda_sources})
    list(FILTER spared INCLUDE REGEX "${NEGZERO_CUDA_EXCEPT}")
    list(FILTER cuda_sources EXCLUDE REGEX "${NEGZERO_CUDA_EXCEPT}")
    if(arg_DEVICE AND spared)
      negzero_absent_kernels(${target} "NEGZERO_CUDA_EXCEPT spares nvcc" ${spared})
    endif()
  endif()
  if(NEGZERO_CUDA AND cuda_sources)
    negzero_join_cuda(${CMAKE_CURRENT_BINARY_DIR}/${target} cuda_units ${cuda_sources})
    add_library(${target}_cuda OBJECT ${cuda_units})
    set_target_properties(${target}_cuda PROPERTIES UNITY_BUILD OFF CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON)
    target_link_libraries(${target}_cuda PUBLIC negzero_flags negzero::cuda ${arg_LINK} CUDA::cudart_static)
    target_compile_options(${target}_cuda PRIVATE ${arg_CUDA_FLAGS})
    target_link_libraries(${target} INTERFACE CUDA::cudart_static)
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}_cuda>)
  endif()
endfunction()

# negzero_worker(NAME KERNELS targets...): the program that holds these kernels, from negzero_kernels(), and runs them for
# `negzero --kernels NAME`.
function(negzero_worker name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "KERNELS")
  add_executable(${name} ${negzero_SOURCE_DIR}/src/negzero/worker/main.cpp)
  target_link_libraries(${name} PRIVATE negzero::worker ${arg_KERNELS})
  # The records of the watched builds' checks hold 64,000 addresses, which a program that may lie anywhere would write
  # anew at each start: half of a worker's start.
  target_link_options(${name} PRIVATE -no-pie)
endfunction()
