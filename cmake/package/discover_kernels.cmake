# Writes a test of each kernel of TARGET to OUTPUT, for negzero_add_tests().

set(text "")
foreach(file IN LISTS FILES)
  execute_process(COMMAND ${PROGRAM} list kernels --json --kernels ${file} ${FLAGS} WORKING_DIRECTORY ${FOLDER}
    OUTPUT_VARIABLE listed RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} list kernels --kernels ${file}: exit code ${status}")
  endif()
  string(JSON count LENGTH "${listed}" kernels)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON kernel GET "${listed}" kernels ${i} name)
    set(words)
    foreach(word IN ITEMS ${PROGRAM} check ${file} ${kernel} --save ${FINDINGS} ${ARGS} ${FLAGS})
      string(APPEND words " [==[${word}]==]")
    endforeach()
    # 77: a GPU was asked for, and there is none.
    string(APPEND text "add_test([==[${TARGET}.${kernel}]==]${words})
set_tests_properties([==[${TARGET}.${kernel}]==] PROPERTIES SKIP_RETURN_CODE 77 WORKING_DIRECTORY [==[${FOLDER}]==])
")
  endforeach()
endforeach()
file(WRITE ${OUTPUT} "${text}")
