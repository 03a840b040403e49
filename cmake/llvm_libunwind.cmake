# LLVM's libunwind, reduced to `unw_*`: the target callpath_unw (one relocatable object) and the folder of libunwind.h.
#
# The archive as Debian ships it defines `_Unwind_*` too. A program in which a second definition of those exists, even a hidden one,
# loses C++ exceptions and thread cancellation that pass through code bound to the wrong one. So the archive itself is never linked: its
# object of `unw_*` and the two of registers are merged, and every name but `unw_*` and `__unw_*` is made local.
#
# What the merged object would ask of libc is replaced by functions of tracer/capture that are safe in a signal handler.
set(CALLPATH_LIBUNWIND_PREFIX "${PROJECT_SOURCE_DIR}/build/deps/llvm-libunwind/usr/lib/llvm-19" CACHE PATH
    "Where LLVM's libunwind is: lib/libunwind.a and include/libunwind.h")

foreach(needed lib/libunwind.a include/libunwind.h)
  if(NOT EXISTS "${CALLPATH_LIBUNWIND_PREFIX}/${needed}")
    message(FATAL_ERROR "LLVM's libunwind is missing: ${CALLPATH_LIBUNWIND_PREFIX}/${needed} does not exist.\n"
      "Let set-up fetch it (./callpath doctor), or: mkdir -p build/deps && cd build/deps && apt-get download libunwind-19-dev && "
      "dpkg -x libunwind-19-dev_*.deb llvm-libunwind\nOr give its place: -DCALLPATH_LIBUNWIND_PREFIX=/path/to/llvm-19")
  endif()
endforeach()

set(unw_folder "${PROJECT_BINARY_DIR}/llvm_libunwind")
set(unw_object "${unw_folder}/unw.o")
set(unw_members libunwind.cpp.o UnwindRegistersSave.S.o UnwindRegistersRestore.S.o)
file(MAKE_DIRECTORY "${unw_folder}")

# Every libc function that it calls gets a replacement of the name callpath_unwind_NAME (tracer/capture/unwind_support.cpp).
set(unw_replaced --redefine-sym dl_iterate_phdr=callpath_iterate_modules)
foreach(name abort __assert_fail malloc free dladdr dlsym fprintf fwrite fflush snprintf getenv memcpy memset
             pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock)
  list(APPEND unw_replaced --redefine-sym ${name}=callpath_unwind_${name})
endforeach()

# Localising comes before renaming: a name that is kept global is matched as the archive has it.
add_custom_command(
  OUTPUT "${unw_object}"
  COMMAND "${CMAKE_AR}" x "${CALLPATH_LIBUNWIND_PREFIX}/lib/libunwind.a" ${unw_members}
  COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o merged.o ${unw_members}
  COMMAND "${CMAKE_OBJCOPY}" -w "--keep-global-symbol=unw_*" "--keep-global-symbol=__unw_*" merged.o kept.o
  COMMAND "${CMAKE_OBJCOPY}" ${unw_replaced} kept.o unw.o
  DEPENDS "${CALLPATH_LIBUNWIND_PREFIX}/lib/libunwind.a"
  WORKING_DIRECTORY "${unw_folder}"
  COMMENT "Reducing LLVM's libunwind to unw_*"
  VERBATIM)
set(CALLPATH_UNW_OBJECT "${unw_object}")
set(CALLPATH_UNW_INCLUDE "${CALLPATH_LIBUNWIND_PREFIX}/include")
