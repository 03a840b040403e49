// Walks of the stack that calls it, by several unwinders, timed in one process: capture.py loads it into Python.
#include <dlfcn.h>
#include <link.h>
#include <unwind.h>
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "api/python_places.hpp"
#include "capture/capture.hpp"
#include "capture/merged.hpp"

namespace {

namespace capture = callpath::capture;
constexpr std::size_t most = 4096;
capture::Frame frames[most];
capture::Point points[most];
void* pcs[most];

std::size_t by_walk() { return capture::walk_here(frames, most).count; }
std::size_t by_trace() { return capture::trace_here(points, most).count; }

_Unwind_Reason_Code add(_Unwind_Context* context, void* data) {
  auto& count = *static_cast<std::size_t*>(data);
  if (count == most) return _URC_END_OF_STACK;
  pcs[count++] = reinterpret_cast<void*>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}
std::size_t by_libgcc() {
  std::size_t count = 0;
  _Unwind_Backtrace(add, &count);
  return count;
}

std::size_t by_llvm() {
  unw_context_t context;
  unw_cursor_t cursor;
  unw_getcontext(&context);
  unw_init_local(&cursor, &context);
  std::size_t count = 0;
  do {
    unw_word_t pc = 0;
    unw_get_reg(&cursor, UNW_REG_IP, &pc);
    pcs[count++] = reinterpret_cast<void*>(pc);
  } while (count < most && unw_step(&cursor) > 0);
  return count;
}

using Backtrace = int (*)(void**, int);
Backtrace nongnu_backtrace() {
  static const auto found = [] {
    void* library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    return library ? reinterpret_cast<Backtrace>(dlsym(library, "unw_backtrace")) : nullptr;
  }();
  return found;
}
std::size_t by_nongnu() {
  const int count = nongnu_backtrace()(pcs, most);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

using Method = std::size_t (*)();
constexpr Method methods[] = {by_trace, by_walk, by_libgcc, by_llvm, by_nongnu};

double now() { return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Larger than the second level of cache, so that the stack and everything that the unwinder knows come from afar.
void disturb() {
  static std::vector<std::uint8_t> other(8 << 20, 1);
  for (std::size_t i = 0; i < other.size(); i += 64) ++other[i];
}

double warm(Method method) {
  constexpr int rounds = 50;
  const double begin = now();
  for (int i = 0; i < rounds; ++i) method();
  return (now() - begin) / rounds;
}

double disturbed(Method method) {
  disturb();
  const double begin = now();
  method();
  return now() - begin;
}

}  // namespace

/// Frames that a method sees; 0 if it is not there.
extern "C" std::size_t capture_frames(int method) { return method == 4 && !nongnu_backtrace() ? 0 : methods[method](); }

/// Medians of nanoseconds a walk, all methods in turn; `results` has one place for each.
extern "C" void capture_measure(int rounds, int with_disturbance, double* results) {
  capture::refresh_modules();
  std::vector<double> times[std::size(methods)];
  for (int round = 0; round < rounds; ++round)
    for (std::size_t m = 0; m < std::size(methods); ++m)
      if (m != 4 || nongnu_backtrace()) times[m].push_back(with_disturbance ? disturbed(methods[m]) : warm(methods[m]));
  for (std::size_t m = 0; m < std::size(methods); ++m) {
    std::sort(times[m].begin(), times[m].end());
    results[m] = times[m].empty() ? 0 : times[m][times[m].size() / 2];
  }
}

namespace {

class OwnMemory : public callpath::Memory {
 public:
  bool read(callpath::Address from, void* to, std::size_t size) const override {
    std::memcpy(to, reinterpret_cast<const void*>(from.value), size);
    return true;
  }
};

capture::PythonPlaces places_of_this_python() {
  std::vector<callpath::Module> modules(1);
  modules[0].path = "/proc/self/exe";
  dl_iterate_phdr([](dl_phdr_info* info, std::size_t, void* bias) { return *static_cast<std::uint64_t*>(bias) = info->dlpi_addr, 1; },
                  &modules[0].bias);
  const auto interpreter = callpath::find_interpreter(modules, OwnMemory());
  const auto places = interpreter ? callpath::api::python_places(*interpreter) : std::nullopt;
  return places.value_or(capture::PythonPlaces());
}

}  // namespace

/// Nanoseconds of a merged capture, the median of `rounds`; how many frames of each kind it saw. 0 if Python's frames were not seen whole.
extern "C" double capture_merged(int rounds, std::size_t* native, std::size_t* python) {
  static capture::PythonPoint pythons[most];
  static const auto places = places_of_this_python();
  const auto state = reinterpret_cast<const void* (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  capture::refresh_modules();
  std::vector<double> times;
  capture::MergedWalk walk;
  for (int round = 0; round < rounds; ++round) {
    constexpr int together = 50;
    const double begin = now();
    for (int i = 0; i < together; ++i) walk = capture::trace_merged_here(places, state(), points, most, pythons, most);
    times.push_back((now() - begin) / together);
  }
  std::sort(times.begin(), times.end());
  *native = walk.native.count;
  *python = walk.python_count;
  return walk.python_whole ? times[times.size() / 2] : 0;
}
