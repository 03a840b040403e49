# tensorlib_add_kernels(TARGET SOURCES...): compiles each kernel source once per CPU capability into TARGET.
set(TENSORLIB_FLAGS_DEFAULT "")
set(TENSORLIB_FLAGS_AVX2 -mavx2 -mfma)
# The warning is about GCC 12's own _mm512_undefined_ps (GCC bug 105593).
set(TENSORLIB_FLAGS_AVX512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -Wno-maybe-uninitialized)

function(tensorlib_add_kernels target)
  foreach(capability DEFAULT AVX2 AVX512)
    set(objects tensorlib_kernels_${capability})
    add_library(${objects} OBJECT ${ARGN})
    target_include_directories(${objects} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_compile_definitions(${objects} PRIVATE CPU_CAPABILITY=${capability} CPU_CAPABILITY_${capability})
    target_compile_options(${objects} PRIVATE
      ${TENSORLIB_FLAGS_${capability}} -ffp-contract=off -fno-math-errno -fno-optimize-sibling-calls)
    if(TENSORLIB_TEACH)
      target_compile_options(${objects} PRIVATE -O0)
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()
