# callpath_library(NAME SOURCES... [DEPENDS targets...]): a static library of one folder of tracer/, headers found from tracer/.
function(callpath_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(callpath_${name} STATIC ${arg_SOURCES})
  target_include_directories(callpath_${name} PUBLIC "${PROJECT_SOURCE_DIR}/tracer")
  target_link_libraries(callpath_${name} PUBLIC ${arg_DEPENDS})
endfunction()

# callpath_test(NAME SOURCES... [DEPENDS targets...]): a GoogleTest program, each of its tests known to ctest.
function(callpath_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()
if(CALLPATH_TESTS)
  include(GoogleTest)
endif()
