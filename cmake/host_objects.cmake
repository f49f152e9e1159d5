# How host objects of kernels are compiled, and the headers that all of them read, compiled once for each build.

# The headers that kernel files have in common, compiled ahead.
set(negzero_kernel_headers <negzero/cuda/cuda.hpp> <negzero/kernel/fault.hpp> CACHE INTERNAL "")

# What every host object of a kernel is compiled with: TARGET_BUILD is a library of such objects.
function(negzero_host_flags target build)
  # Places in reports are file:line; the build machine's folders do not belong there.
  target_compile_options(${target}_${build} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  if(build STREQUAL "watched")
    target_compile_definitions(${target}_watched PRIVATE NEGZERO_WATCHED=1)
    target_compile_options(${target}_watched PRIVATE -fdebug-prefix-map=${PROJECT_SOURCE_DIR}/=
      ${negzero_reported_flags} ${negzero_watched_flags})
  endif()
  target_compile_options(${target}_${build} PRIVATE ${negzero_coverage_flags})
  # A compiler is done in 0.6 of the time that -O3 takes it, and checks take as long: threads that wait are what they cost.
  target_compile_options(${target}_${build} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_options(${target}_${build} PRIVATE $<$<BOOL:${NEGZERO_HOST_FMA}>:-mfma>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target}_${build} PRIVATE -fpch-preprocess)  # for ccache
  endif()
endfunction()

# The target, an object of nothing, whose compiled headers other targets of the same flags use (REUSE_FROM).
function(negzero_compiled_headers target)
  set(empty ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "// Of this target its headers are used.\n")
  add_library(${target} OBJECT ${empty})
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# The target negzero_kernel_headers_BUILD, whose compiled headers all kernels of this tree use.
function(negzero_kernel_headers build)
  if(NOT TARGET negzero_kernel_headers_${build})
    negzero_compiled_headers(negzero_kernel_headers_${build} ${negzero_kernel_headers})
    target_link_libraries(negzero_kernel_headers_${build} PUBLIC negzero_flags negzero::cuda negzero::kernel)
    negzero_host_flags(negzero_kernel_headers ${build})
  endif()
endfunction()
