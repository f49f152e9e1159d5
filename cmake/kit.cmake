# The kit: what `negzero check FILE.cu` needs to compile a file of its user for the host, beside the program. kit.json names
# the compiler, the flags of both builds and what is linked. In a build folder headers are those of the source tree, and the
# preludes are compiled ahead, since each takes longer than a kernel. An installed kit has all within, as "@kit@/...".

# What a program of kernels is linked with.
set(negzero_kit_modules formula number notation tensor files verdict operation contract matrix_unit engine watch device kernel protocol worker testing)
# What a kernel file may include besides.
set(negzero_kit_headers ${negzero_kit_modules} base cuda)

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

# Writes kit.json to FILE, where the headers, the archives and the compilers are these: `main` has the main() of a worker.
# The lists of flags are those of negzero_kit().
function(negzero_write_kit file headers main archives compiler nvcc_compiler)
  set(includes)
  set(toolkit ${headers}/negzero/cuda/toolkit ${headers}/negzero/cuda/libraries)
  # Before those of CPATH, where a toolkit may be.
  foreach(folder IN LISTS toolkit)
    list(APPEND includes -I${folder})
  endforeach()
  list(APPEND includes -isystem ${headers})
  # nvcc compiles the file as it is, for the GPU of the machine that checks it, and has CUDA's headers itself.
  set(nvcc)
  if(NEGZERO_CUDA)
    set(nvcc ${nvcc_compiler} -std=c++20 -O2 -arch=native -w -I${headers} -I${headers}/negzero/cuda/libraries)
  endif()
  set(link ${archives} ${system_libraries})
  foreach(list IN ITEMS flags fma includes toolkit reported watched link nvcc)
    negzero_json_list(${list} ${${list}})
  endforeach()
  file(GENERATE OUTPUT ${file} CONTENT "{
  \"compiler\": \"${compiler}\",
  \"flags\": ${flags},
  \"fma\": ${fma},
  \"includes\": ${includes},
  \"toolkit\": ${toolkit},
  \"reported\": ${reported},
  \"watched\": ${watched},
  \"nvcc\": ${nvcc},
  \"main\": \"${main}\",
  \"link\": ${link}
}
")
endfunction()

function(negzero_kit)
  set(built ${CMAKE_CURRENT_BINARY_DIR}/src/negzero/cli/kit)
  set(objects)
  foreach(module IN LISTS negzero_kit_modules)
    list(APPEND objects $<TARGET_OBJECTS:negzero_${module}>)
  endforeach()
  add_library(negzero_kit STATIC ${objects})
  set_target_properties(negzero_kit PROPERTIES LINKER_LANGUAGE CXX)
  # Apart, as a test program has a main() of its own.
  add_library(negzero_worker_main STATIC ${PROJECT_SOURCE_DIR}/src/negzero/worker/main.cpp)
  target_link_libraries(negzero_worker_main PRIVATE negzero_flags)

  # Device code is compiled as a GPU computes: no contraction that is not spelled, and no assumption about the types that
  # memory is read by, which CUDA's own compiler does not make where kernels read vectors from scalars. Warnings of a file
  # that another compiler is meant for say nothing to its author. At -O2 a compiler takes half as long again, and a check no
  # less: it is the user who waits.
  set(flags -std=c++20 -O1 -ffp-contract=off -fno-strict-aliasing -w -fno-pie)
  # Besides, where the CPU that compiles has it.
  set(fma)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(fma -mfma)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Places of errors are where a macro is used; and no symbol is one for all programs of a process.
    list(APPEND flags -fdiagnostics-column-unit=byte -fpermissive -ftrack-macro-expansion=0 -fno-gnu-unique)
  endif()
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

  set(others $<TARGET_FILE:negzero_fmt> $<TARGET_LINKER_FILE:Boost::context>)
  if(NEGZERO_BACKTRACE_LIBRARY)
    list(APPEND others ${NEGZERO_BACKTRACE_LIBRARY})
  endif()
  set(system_libraries -pthread -ldl)
  if(NEGZERO_CUDA)
    list(APPEND others $<TARGET_LINKER_FILE:CUDA::cudart_static>)
    list(APPEND system_libraries -lrt)
  endif()
  negzero_write_kit(${built}/kit.json ${PROJECT_SOURCE_DIR}/src $<TARGET_FILE:negzero_worker_main>
    "$<TARGET_FILE:negzero_kit>;${others}"
    ${CMAKE_CXX_COMPILER} "${CMAKE_CUDA_COMPILER}")
  set(archives @kit@/$<TARGET_FILE_NAME:negzero_kit>)
  foreach(other IN LISTS others)
    list(APPEND archives @kit@/$<PATH:GET_FILENAME,${other}>)
  endforeach()
  set(compiler g++)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(compiler clang++)
  endif()
  set(installed ${CMAKE_CURRENT_BINARY_DIR}/installed)
  negzero_write_kit(${installed}/kit.json @kit@/include @kit@/$<TARGET_FILE_NAME:negzero_worker_main>
    "${archives}" ${compiler} nvcc)
  set(negzero_kit_others ${others} PARENT_SCOPE)

  set(builds plain)
  if(watched)
    list(APPEND builds watched)
  endif()
  set(includes -isystem ${PROJECT_SOURCE_DIR}/src/negzero/cuda/toolkit -isystem ${PROJECT_SOURCE_DIR}/src/negzero/cuda/libraries
    -isystem ${PROJECT_SOURCE_DIR}/src)
  if(NEGZERO_HOST_FMA)
    list(APPEND flags ${fma})
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
  # All that belongs to the program. Without the rest it runs kernels of programs, and of none else.
  add_custom_target(negzero_whole DEPENDS negzero negzero_c negzero_kit negzero_worker_main negzero_preludes)
endfunction()
