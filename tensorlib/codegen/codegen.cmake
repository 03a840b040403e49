# The C++ that the operator tables (ops/functions) stand for, written by codegen/run.py into the build tree when a table or a generator changes.
# Gives TENSORLIB_GENERATED (to include "ops/Operators.h" from), TENSORLIB_GENERATED_SOURCES, TENSORLIB_GENERATED_HEADERS, and for the Python
# binding TENSORLIB_BINDING_SOURCES.
set(TENSORLIB_GENERATED "${CMAKE_CURRENT_BINARY_DIR}/generated")
set(codegen "${CALLPATH_PYTHON}" -I "${CMAKE_CURRENT_SOURCE_DIR}/codegen/run.py" "${CMAKE_CURRENT_SOURCE_DIR}/ops/functions" "${TENSORLIB_GENERATED}/ops")
file(GLOB codegen_inputs CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/codegen/*.py" "${CMAKE_CURRENT_SOURCE_DIR}/ops/functions/*.toml")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${codegen_inputs})

execute_process(COMMAND ${codegen} --list OUTPUT_VARIABLE codegen_files OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE codegen_failed)
if(codegen_failed)
  message(FATAL_ERROR "the operator tables cannot be used; the reason is above")
endif()
string(REPLACE "|" ";|;" codegen_files "${codegen_files}")
list(FIND codegen_files "|" codegen_middle)
list(SUBLIST codegen_files 0 ${codegen_middle} TENSORLIB_GENERATED_SOURCES)
math(EXPR codegen_middle "${codegen_middle} + 1")
list(SUBLIST codegen_files ${codegen_middle} -1 TENSORLIB_BINDING_SOURCES)
list(FILTER TENSORLIB_BINDING_SOURCES EXCLUDE REGEX "^$")
set(TENSORLIB_BINDING_SOURCES "${TENSORLIB_BINDING_SOURCES}" PARENT_SCOPE)
set(TENSORLIB_GENERATED_HEADERS "${TENSORLIB_GENERATED}/ops/Operators.h" "${TENSORLIB_GENERATED}/ops/Functions.h" "${TENSORLIB_GENERATED}/ops/NativeFunctions.h"
  "${TENSORLIB_GENERATED}/ops/ForEachOperator.h" "${TENSORLIB_GENERATED}/autograd/Functions.h")

# The files keep their times when their text stays, so what includes them is built only when it has to be.
execute_process(COMMAND ${codegen})
add_custom_command(
  OUTPUT "${TENSORLIB_GENERATED}/stamp"
  BYPRODUCTS ${TENSORLIB_GENERATED_SOURCES} ${TENSORLIB_GENERATED_HEADERS} ${TENSORLIB_BINDING_SOURCES}
  COMMAND ${codegen}
  COMMAND "${CMAKE_COMMAND}" -E touch "${TENSORLIB_GENERATED}/stamp"
  DEPENDS ${codegen_inputs}
  COMMENT "Generating operators from the tables"
  VERBATIM)
add_custom_target(tensorlib_generated DEPENDS "${TENSORLIB_GENERATED}/stamp")
