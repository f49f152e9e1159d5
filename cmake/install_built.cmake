# Installs what another build folder holds, for a wheel: its folder of negzero, and the library.

set(NEGZERO_INSTALL_HOME lib/negzero CACHE STRING "Where the folder of negzero goes, below the prefix")
set(staged ${CMAKE_CURRENT_BINARY_DIR}/staged)
foreach(component IN ITEMS program python)
  install(CODE "
    file(REMOVE_RECURSE \"${staged}\")
    execute_process(COMMAND \"${CMAKE_COMMAND}\" --install \"${NEGZERO_BUILT}\" --component ${component} --prefix \"${staged}\"
      OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    if(EXISTS \"${staged}/lib/negzero\")
      file(COPY \"${staged}/lib/negzero/\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${NEGZERO_INSTALL_HOME}\")
    else()
      file(COPY \"${staged}/\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}\")
    endif()" COMPONENT ${component})
endforeach()
add_custom_target(negzero_whole)
