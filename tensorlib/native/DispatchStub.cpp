#include "native/DispatchStub.h"

#include <cstdlib>
#include <cstring>

namespace tensorlib::native {

namespace {

struct Choice {
  std::string complaint;
  CPUCapability capability;

  Choice() : capability(choose_cpu_capability(std::getenv("TENSORLIB_CPU_CAPABILITY"), best_cpu_capability(), &complaint)) {}
};

const Choice& choice() {
  static const Choice made;
  return made;
}

bool parse(const char* text, CPUCapability* capability) {
  struct Name {
    const char* text;
    CPUCapability capability;
  };
  static constexpr Name names[] = {{"default", CPUCapability::DEFAULT}, {"avx2", CPUCapability::AVX2}, {"avx512", CPUCapability::AVX512}};
  for (const Name& name : names) {
    if (std::strcmp(text, name.text) != 0) continue;
    *capability = name.capability;
    return true;
  }
  return false;
}

}  // namespace

const char* toString(CPUCapability capability) {
  switch (capability) {
    case CPUCapability::AVX512:
      return "AVX512";
    case CPUCapability::AVX2:
      return "AVX2";
    case CPUCapability::DEFAULT:
      break;
  }
  return "DEFAULT";
}

CPUCapability best_cpu_capability() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? CPUCapability::AVX512 : avx2 ? CPUCapability::AVX2 : CPUCapability::DEFAULT;
}

CPUCapability choose_cpu_capability(const char* wanted, CPUCapability best, std::string* complaint) {
  if (!wanted || !*wanted) return best;
  CPUCapability capability = best;
  if (!parse(wanted, &capability)) {
    *complaint = std::string("ignoring TENSORLIB_CPU_CAPABILITY=") + wanted + ": give default, avx2 or avx512; using " + toString(best);
    return best;
  }
  if (capability > best) {
    *complaint = std::string("this machine cannot run TENSORLIB_CPU_CAPABILITY=") + wanted + "; using " + toString(best);
    return best;
  }
  return capability;
}

std::atomic<int> StubWatcher::count{0};

namespace {
thread_local StubWatcher* watcher = nullptr;
}

StubWatcher::StubWatcher() : previous_(watcher) {
  watcher = this;
  ++count;
}
StubWatcher::~StubWatcher() {
  watcher = previous_;
  --count;
}
void StubWatcher::tell(const StubCall& call) {
  if (watcher) watcher->reached(call);
}

CPUCapability get_cpu_capability() { return choice().capability; }
std::string cpu_capability_complaint() { return choice().complaint; }

}  // namespace tensorlib::native
