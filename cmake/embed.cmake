# Files as text of a program.

# negzero_embed(TARGET NAMESPACE HEADER [NAME FILE]...): adds a source to a target that defines each NAME, a
# `const std::string_view` of NAMESPACE which HEADER declares, as the bytes of FILE, whatever they are. A file that changes
# configures the tree again. Bytes are numbers in that source: a list of CMake would take `;`, `[` and `\` for its own, and a
# string of C++ ends somewhere.
function(negzero_embed target namespace header)
  set(definitions)
  while(ARGN)
    list(POP_FRONT ARGN name path)
    get_filename_component(path ${path} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    # The zero makes an array of an empty file, too.
    string(APPEND definitions "static constexpr char bytes_of_${name}[] = {\n${bytes}0};\n"
      "constinit const std::string_view ${name}(bytes_of_${name}, sizeof bytes_of_${name} - 1);\n")
  endwhile()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_texts.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Written by negzero_embed() of cmake/embed.cmake.
#include <string_view>
#include <${header}>
namespace ${namespace} {
${definitions}}  // namespace ${namespace}
")
  target_sources(${target} PRIVATE ${source})
endfunction()
