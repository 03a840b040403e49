// What LLVM's libunwind gets in place of libc (cmake/llvm_libunwind.cmake redirects the names), so that a walk is safe in a signal handler
// and depends on no function that a probe could be set on.
//
// Why answers of "nothing" are right:
//  - the read-write lock and malloc/free serve one cache, of unwind entries found in modules *without* an index. On Linux a module without
//    .eh_frame_hdr is not found at all, and nobody registers frames with this private copy, so the cache is never written: readers need no
//    lock, and reaching malloc means that this reasoning broke, which ends the walk;
//  - getenv is asked for LIBUNWIND_PRINT_*, fprintf and its kin print what those switch on, or a line before abort;
//  - dladdr and snprintf serve names, which are never asked of it here.
#include "capture/unwind_support.hpp"

#include <dlfcn.h>
#include <link.h>

#include "capture/module_table.hpp"

namespace callpath::capture {
__thread void** give_up_to = nullptr;
}

using namespace callpath::capture;

extern "C" {

#define CALLPATH_HIDDEN __attribute__((visibility("hidden")))
#define CALLPATH_NOTHING(name) \
  CALLPATH_HIDDEN long callpath_unwind_##name() { return 0; }

CALLPATH_NOTHING(free)
CALLPATH_NOTHING(dladdr)
CALLPATH_NOTHING(fprintf)
CALLPATH_NOTHING(fwrite)
CALLPATH_NOTHING(fflush)
CALLPATH_NOTHING(snprintf)
CALLPATH_NOTHING(getenv)
CALLPATH_NOTHING(pthread_rwlock_rdlock)
CALLPATH_NOTHING(pthread_rwlock_wrlock)
CALLPATH_NOTHING(pthread_rwlock_unlock)

/// The walk ends with what it has, the program goes on.
CALLPATH_HIDDEN [[noreturn]] void callpath_unwind_abort() {
  if (give_up_to) __builtin_longjmp(give_up_to, 1);
  __builtin_trap();
}
CALLPATH_HIDDEN [[noreturn]] void callpath_unwind___assert_fail() { callpath_unwind_abort(); }
CALLPATH_HIDDEN [[noreturn]] void callpath_unwind_malloc() { callpath_unwind_abort(); }

CALLPATH_HIDDEN void* callpath_unwind_memcpy(void* to, const void* from, unsigned long size) {
  void* result = to;
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  return result;
}

CALLPATH_HIDDEN void* callpath_unwind_memset(void* to, int byte, unsigned long size) {
  void* result = to;
  asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
  return result;
}

/// glibc's _dl_find_object over our own table: lock-free, as the original, and out of reach of probes.
static int find_object(void* pc, dl_find_object* found) {
  ModuleRange module;
  if (!module_at(reinterpret_cast<std::uint64_t>(pc), module) || !module.eh_frame_hdr) return -1;
  found->dlfo_flags = 0;
  found->dlfo_map_start = reinterpret_cast<void*>(module.begin);
  found->dlfo_map_end = reinterpret_cast<void*>(module.end);
  found->dlfo_link_map = nullptr;
  found->dlfo_eh_frame = reinterpret_cast<void*>(module.eh_frame_hdr);
  return 0;
}

/// The library looks up one name only: _dl_find_object.
CALLPATH_HIDDEN void* callpath_unwind_dlsym(void*, const char* name) {
  const char expected[] = "_dl_find_object";
  for (unsigned i = 0; i < sizeof expected; ++i)
    if (name[i] != expected[i]) return nullptr;
  return reinterpret_cast<void*>(&find_object);
}

using PhdrCallback = int (*)(dl_phdr_info*, std::size_t, void*);
struct Visit {
  PhdrCallback callback;
  void* data;
};

static int visit_module(const ModuleRange& range, void* data) {
  auto& visit = *static_cast<Visit*>(data);
  if (!range.eh_frame_hdr) return 0;
  ElfW(Phdr) headers[2] = {};
  headers[0].p_type = PT_LOAD;
  headers[0].p_vaddr = range.begin;
  headers[0].p_memsz = range.end - range.begin;
  headers[1].p_type = PT_GNU_EH_FRAME;
  headers[1].p_vaddr = range.eh_frame_hdr;
  headers[1].p_memsz = range.hdr_size;
  dl_phdr_info info = {};
  info.dlpi_name = "";
  info.dlpi_phdr = headers;
  info.dlpi_phnum = 2;
  return visit.callback(&info, sizeof info, visit.data);
}

/// dl_iterate_phdr over our own table, for versions of the library that do not know _dl_find_object.
CALLPATH_HIDDEN int callpath_iterate_modules(PhdrCallback callback, void* data) {
  Visit visit{callback, data};
  return each_module(visit_module, &visit);
}
}
