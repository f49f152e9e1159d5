# Finds the headers of CUTLASS and CuTe (docs.nvidia.com/cutlass), and makes the imported target cutlass::headers of them.
#
# NEGZERO_CUTLASS_INCLUDE names the folder that has cute/tensor.hpp. Where it is empty, the folder is that of the package
# `nvidia-cutlass` (pip install nvidia-cutlass) of the Python that is found. Without either there is no target, and files
# that NEED it are left out.

set(NEGZERO_CUTLASS_INCLUDE "" CACHE PATH "Folder with cute/tensor.hpp; empty: that of the Python package nvidia-cutlass")

set(cutlass_include ${NEGZERO_CUTLASS_INCLUDE})
if(cutlass_include AND NOT EXISTS ${cutlass_include}/cute/tensor.hpp)
  message(FATAL_ERROR "NEGZERO_CUTLASS_INCLUDE=${cutlass_include}: there is no cute/tensor.hpp; name the folder `include` of CUTLASS, or none")
endif()
if(NOT cutlass_include)
  find_package(Python3 COMPONENTS Interpreter QUIET)
  if(Python3_Interpreter_FOUND)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "if True:
        import importlib.util
        spec = importlib.util.find_spec('cutlass_library')
        print(spec.submodule_search_locations[0] if spec else '')"
      OUTPUT_VARIABLE cutlass_package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(cutlass_package AND EXISTS ${cutlass_package}/source/include/cute/tensor.hpp)
      set(cutlass_include ${cutlass_package}/source/include)
    endif()
  endif()
endif()
if(cutlass_include AND NOT TARGET cutlass::headers)
  add_library(cutlass::headers INTERFACE IMPORTED)
  set_target_properties(cutlass::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${cutlass_include})
endif()
