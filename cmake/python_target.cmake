# The interpreter to build for, asked itself: headers, version, suffix of extension modules. Gives the target callpath_python_headers.
execute_process(
  COMMAND "${CALLPATH_PYTHON}" -I -c
    "import sys, sysconfig; print(';'.join([sysconfig.get_paths()['include'], '%d.%d' % sys.version_info[:2], sysconfig.get_config_var('EXT_SUFFIX'), sys.executable]))"
  OUTPUT_VARIABLE python_answer OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE python_failed)
if(python_failed)
  message(FATAL_ERROR "CALLPATH_PYTHON=${CALLPATH_PYTHON} does not run. Give the path of a CPython 3.11 interpreter: -DCALLPATH_PYTHON=/usr/bin/python3")
endif()
list(GET python_answer 0 CALLPATH_PYTHON_INCLUDE)
list(GET python_answer 1 CALLPATH_PYTHON_VERSION)
list(GET python_answer 2 CALLPATH_PYTHON_SUFFIX)
if(NOT EXISTS "${CALLPATH_PYTHON_INCLUDE}/Python.h")
  message(FATAL_ERROR "Python.h is not in ${CALLPATH_PYTHON_INCLUDE}. On Debian: apt-get install python${CALLPATH_PYTHON_VERSION}-dev")
endif()
add_library(callpath_python_headers INTERFACE)
target_include_directories(callpath_python_headers SYSTEM INTERFACE "${CALLPATH_PYTHON_INCLUDE}")

# callpath_python_extension(TARGET MODULE SOURCES...): a C++ extension module.
function(callpath_python_extension target)
  cmake_parse_arguments(arg "" "MODULE;OUTPUT" "SOURCES;DEPENDS" ${ARGN})
  add_library(${target} MODULE ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE callpath_python_headers ${arg_DEPENDS})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME "${arg_MODULE}" SUFFIX "${CALLPATH_PYTHON_SUFFIX}" LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT}")
endfunction()
