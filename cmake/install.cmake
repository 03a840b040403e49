# What `cmake --install` puts where. The installed binary finds the rest relative to itself (tracer/cli/places.cpp), so a prefix can be moved.
#   bin/callpath
#   lib/callpath/lib/           the agent, the engine       } beside each other as in a build tree, so that
#   lib/callpath/python/        packages callpath, tensorlib } one relative RPATH serves both
#   lib/libcallpath.so          the library for other programs, with include/callpath/ and lib/cmake/callpath/ (find_package)
#   share/callpath/gdb/         load.py and what it loads
#   share/callpath/walkthroughs/
#   share/callpath/setup/       doctor
set(packages "lib/callpath/python")
set(share "share/callpath")

install(TARGETS callpath RUNTIME DESTINATION bin)
foreach(library callpath_agent tensorlib)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION lib/callpath/lib)
  endif()
endforeach()

install(DIRECTORY "${PROJECT_BINARY_DIR}/python/" DESTINATION "${packages}"
  USE_SOURCE_PERMISSIONS PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/gdb/" DESTINATION "${share}/gdb" FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/walkthroughs/" DESTINATION "${share}/walkthroughs"
  PATTERN "__pycache__" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE)
install(FILES cmake/doctor.sh cmake/packages.sh cmake/packages.txt DESTINATION "${share}/setup")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

include(CMakePackageConfigHelpers)
set(config "${PROJECT_BINARY_DIR}/cmake")
install(TARGETS callpath_api EXPORT callpath-targets LIBRARY DESTINATION lib)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/tracer/api/include/callpath" DESTINATION include)
install(EXPORT callpath-targets NAMESPACE callpath:: DESTINATION lib/cmake/callpath)
configure_package_config_file(cmake/callpath-config.cmake.in "${config}/callpath-config.cmake" INSTALL_DESTINATION lib/cmake/callpath)
write_basic_package_version_file("${config}/callpath-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${config}/callpath-config.cmake" "${config}/callpath-config-version.cmake" DESTINATION lib/cmake/callpath)
