# The kit: what `negzero check FILE.cu` needs to compile a file of its user for the host, beside the program. kit.json names
# the compiler, the flags of both builds and what is linked; the preludes are compiled ahead, since each takes longer than a
# kernel.

# Appends to RESULT what linking TARGET needs: archives of negzero, and libraries of others by path or by flag.
function(negzero_link_closure target result)
  get_property(seen GLOBAL PROPERTY negzero_link_seen)
  if(target IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY negzero_link_seen ${target})
  set(found ${${result}})
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_target_property(kind ${target} TYPE)
  get_target_property(needed ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT kind STREQUAL "INTERFACE_LIBRARY")
    list(APPEND found $<TARGET_LINKER_FILE:${target}>)
  endif()
  foreach(item IN LISTS needed)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" item "${item}")
    if(item MATCHES "^\\$<IF:\\$<BOOL:${NEGZERO_LIBRARY_ONLY}>,(.*),(.*)>$")
      set(item ${CMAKE_MATCH_2})
    elseif(item MATCHES "^\\$<\\$<NOT:\\$<BOOL:${NEGZERO_LIBRARY_ONLY}>>:(.*)>$")
      set(item ${CMAKE_MATCH_1})
    endif()
    if(item MATCHES "^\\$<")
      continue()
    elseif(TARGET ${item})
      negzero_link_closure(${item} found)
    elseif(item MATCHES "^[-/]")
      list(APPEND found ${item})
    elseif(item)
      list(APPEND found -l${item})
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# A JSON list of texts.
function(negzero_json_list result)
  set(items)
  foreach(item IN LISTS ARGN)
    string(REGEX REPLACE "([\\\"])" "\\\\\\1" item "${item}")
    list(APPEND items "\"${item}\"")
  endforeach()
  list(JOIN items ", " joined)
  set(${result} "[${joined}]" PARENT_SCOPE)
endfunction()

function(negzero_kit)
  set(folder $<TARGET_FILE_DIR:negzero>/kit)
  set(built ${CMAKE_CURRENT_BINARY_DIR}/src/negzero/cli/kit)
  add_library(negzero_worker_main STATIC ${PROJECT_SOURCE_DIR}/src/negzero/worker/main.cpp)
  target_link_libraries(negzero_worker_main PUBLIC negzero::worker)

  # Device code is compiled as a GPU computes: no contraction that is not spelled, and no assumption about the types that
  # memory is read by, which CUDA's own compiler does not make where kernels read vectors from scalars. Warnings of a file
  # that another compiler is meant for say nothing to its author.
  set(flags -std=c++20 -O2 -ffp-contract=off -fno-strict-aliasing -w -fno-pie)
  if(NEGZERO_HOST_FMA)
    list(APPEND flags -mfma)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Places of errors are where a macro is used; and no symbol is one for all programs of a process.
    list(APPEND flags -fdiagnostics-column-unit=byte -fpermissive -ftrack-macro-expansion=0 -fno-gnu-unique)
  endif()
  set(toolkit ${PROJECT_SOURCE_DIR}/src/negzero/cuda/toolkit ${PROJECT_SOURCE_DIR}/src/negzero/cuda/libraries)
  list(TRANSFORM toolkit PREPEND "-I" OUTPUT_VARIABLE includes)
  list(APPEND includes -I${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM includes REPLACE "^-I" "-isystem;" OUTPUT_VARIABLE includes)
  set(reported)
  set(watched)
  if(NEGZERO_WATCHED)
    foreach(kind IN ITEMS reported watched)
      foreach(flag IN LISTS negzero_${kind}_flags)
        string(REPLACE "SHELL:" "" flag "${flag}")
        separate_arguments(flag UNIX_COMMAND "${flag}")
        list(APPEND ${kind} ${flag})
      endforeach()
    endforeach()
    list(PREPEND watched ${reported})
    list(APPEND watched -DNEGZERO_WATCHED=1)
  endif()
  set(link)
  negzero_link_closure(negzero_worker_main link)
  negzero_link_closure(negzero_cuda link)

  set(builds plain)
  if(watched)
    list(APPEND builds watched)
  endif()
  set(preludes)
  set(extra_plain)
  set(extra_watched ${watched})
  foreach(build IN LISTS builds)
    file(CONFIGURE OUTPUT ${built}/${build}.hpp CONTENT "#include <negzero/cuda/unmodified.hpp>\n#include <negzero/kernel/declared.hpp>\n")
    set(output ${built}/${build}.hpp.gch)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set(output ${built}/${build}.hpp.pch)
    endif()
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_CXX_COMPILER} ${flags} ${extra_${build}} ${includes} -x c++-header ${built}/${build}.hpp
        -MD -MF ${output}.d -MT ${output} -o ${output}
      DEPFILE ${output}.d DEPENDS ${built}/${build}.hpp VERBATIM COMMENT "Compiling the prelude of ${build} files ahead")
    list(APPEND preludes ${output})
  endforeach()
  add_custom_target(negzero_preludes ALL DEPENDS ${preludes})
  add_dependencies(negzero negzero_preludes negzero_worker_main)

  # nvcc compiles the file as it is, for the GPU of the machine that checks it, and has CUDA's headers itself.
  set(nvcc)
  if(NEGZERO_CUDA)
    set(nvcc ${CMAKE_CUDA_COMPILER} -std=c++20 -O2 -arch=native -w -I${PROJECT_SOURCE_DIR}/src
      -I${PROJECT_SOURCE_DIR}/src/negzero/cuda/libraries)
  endif()
  foreach(list IN ITEMS flags includes toolkit reported watched link nvcc)
    negzero_json_list(${list} ${${list}})
  endforeach()
  file(GENERATE OUTPUT ${built}/kit.json CONTENT "{
  \"compiler\": \"${CMAKE_CXX_COMPILER}\",
  \"flags\": ${flags},
  \"includes\": ${includes},
  \"toolkit\": ${toolkit},
  \"reported\": ${reported},
  \"watched\": ${watched},
  \"nvcc\": ${nvcc},
  \"link\": ${link}
}
")
endfunction()
