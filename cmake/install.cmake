# What `cmake --install` and the packages carry: lib/negzero, a folder that has all it needs within and can be moved as a
# whole. The program finds the rest beside itself, and find_package(negzero) its cmake/.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A wheel is that folder; on a system it lies in lib/.
set(NEGZERO_INSTALL_HOME lib/negzero CACHE STRING "Where the folder of negzero goes, below the prefix")
set(home ${NEGZERO_INSTALL_HOME})
set(installed ${CMAKE_CURRENT_BINARY_DIR}/installed)

install(TARGETS negzero RUNTIME DESTINATION ${home} COMPONENT program)
install(TARGETS negzero_kit negzero_worker_main ARCHIVE DESTINATION ${home}/kit COMPONENT program)
install(FILES ${installed}/kit.json ${negzero_kit_others} DESTINATION ${home}/kit COMPONENT program)
foreach(build IN ITEMS plain watched)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/src/negzero/cli/kit/${build}.hpp DESTINATION ${home}/kit COMPONENT program OPTIONAL)
endforeach()
# Headers that have the names of CUDA's and PyTorch's lie in folders of folders, and some have no ending. PATTERN would match
# the last part of a path alone.
foreach(module IN LISTS negzero_kit_headers)
  install(DIRECTORY src/negzero/${module} DESTINATION ${home}/kit/include/negzero COMPONENT program
    FILES_MATCHING REGEX "\\.(hpp|cuh)$|/cuda/(toolkit|libraries)/")
endforeach()
install(FILES LICENSE python/licenses/THIRD_PARTY.md DESTINATION ${home} COMPONENT program)

write_basic_package_version_file(${installed}/negzeroConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/package/negzeroConfig.cmake cmake/package/discover_kernels.cmake ${installed}/negzeroConfigVersion.cmake
  DESTINATION ${home}/cmake COMPONENT program)

# The library of recorded results, for programs in C and for the Python package.
install(TARGETS negzero_c LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(FILES src/negzero/c/negzero.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/negzero/c COMPONENT library)
file(CREATE_LINK ../${home}/negzero ${installed}/negzero SYMBOLIC)
install(FILES ${installed}/negzero DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)

# What the program says of itself: the page for man, and completions where each shell looks for those of packages.
install(CODE [[
  foreach(page IN ITEMS
      "man;man/man1/negzero.1"
      "completion bash;bash-completion/completions/negzero"
      "completion zsh;zsh/vendor-completions/_negzero"
      "completion fish;fish/vendor_completions.d/negzero.fish")
    list(GET page 0 words)
    list(GET page 1 file)
    separate_arguments(words)
    cmake_path(SET file "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/${file}")
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    execute_process(COMMAND "$<TARGET_FILE:negzero>" ${words} OUTPUT_FILE "${file}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()]] COMPONENT library)

# Of the Python package, whose modules scikit-build-core puts beside it.
install(TARGETS negzero_c LIBRARY DESTINATION . COMPONENT python EXCLUDE_FROM_ALL)

# A package of Debian: `cpack --preset package`. It brings what `negzero check FILE.cu` needs beside g++, which it asks for.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME negzero)
set(CPACK_PACKAGE_CONTACT "The negzero authors <negzero@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/package/description.txt)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ (>= 4:12), binutils")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libseccomp2")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, libgtest-dev, nvidia-cuda-toolkit")
find_program(NEGZERO_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(NEGZERO_SHLIBDEPS)
if(NEGZERO_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
