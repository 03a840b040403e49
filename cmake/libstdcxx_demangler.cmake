# libstdc++'s demangler has an entry that hands out its result piece by piece (__gcclibcxx_demangle_callback), so that an output without end can
# be cut off. The shared library does not export it; the archive that comes with every g++ holds it in an object of its own.
execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libstdc++.a OUTPUT_VARIABLE libstdcxx_archive OUTPUT_STRIP_TRAILING_WHITESPACE)
set(LIBSTDCXX_DEMANGLER "${CMAKE_BINARY_DIR}/libstdcxx/cp-demangle.o")
if(NOT EXISTS "${LIBSTDCXX_DEMANGLER}")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/libstdcxx")
  execute_process(COMMAND "${CMAKE_AR}" x "${libstdcxx_archive}" cp-demangle.o WORKING_DIRECTORY "${CMAKE_BINARY_DIR}/libstdcxx" RESULT_VARIABLE extraction_failed)
  if(extraction_failed)
    message(FATAL_ERROR "cp-demangle.o cannot be taken from ${libstdcxx_archive}. On Debian: apt-get install libstdc++-12-dev")
  endif()
endif()
