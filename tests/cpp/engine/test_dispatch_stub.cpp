// The choice of a capability.
#include <gtest/gtest.h>

#include <fstream>

#include "native/DispatchStub.h"
#include "native/Pow.h"

namespace tensorlib::native {
namespace {

struct Wish {
  const char* wanted;
  CPUCapability best;
  CPUCapability chosen;
  bool complains;
};

TEST(ChooseCpuCapability, FollowsAWishThatTheMachineCanGrant) {
  using enum CPUCapability;
  for (const Wish& wish : {
           Wish{nullptr, AVX512, AVX512, false},
           Wish{"", AVX2, AVX2, false},
           Wish{"default", AVX512, DEFAULT, false},
           Wish{"avx2", AVX512, AVX2, false},
           Wish{"avx512", AVX512, AVX512, false},
           Wish{"avx512", AVX2, AVX2, true},
           Wish{"avx2", DEFAULT, DEFAULT, true},
           Wish{"AVX2", AVX512, AVX512, true},
           Wish{"sse9", AVX2, AVX2, true},
       }) {
    std::string complaint;
    EXPECT_EQ(choose_cpu_capability(wish.wanted, wish.best, &complaint), wish.chosen) << (wish.wanted ? wish.wanted : "null");
    EXPECT_EQ(!complaint.empty(), wish.complains) << complaint;
    if (wish.complains) {
      EXPECT_NE(complaint.find(wish.wanted), std::string::npos) << complaint;
    }
  }
}

TEST(BestCpuCapability, IsWhatTheKernelReports) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string flags;
  while (std::getline(cpuinfo, flags) && !flags.starts_with("flags")) {
  }
  flags += " ";
  const auto has = [&](const char* flag) { return flags.find(std::string(" ") + flag + " ") != std::string::npos; };
  const bool avx2 = has("avx2") && has("fma");
  const bool avx512 = avx2 && has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  EXPECT_EQ(best_cpu_capability(), avx512 ? CPUCapability::AVX512 : avx2 ? CPUCapability::AVX2 : CPUCapability::DEFAULT);
}

TEST(DispatchStub, HasADifferentKernelForEachCapabilityAndCallsTheChosenOne) {
  auto& stub = pow_tensor_scalar_stub;
  using Stub = std::remove_reference_t<decltype(stub)>;
  EXPECT_NE(Stub::DEFAULT, Stub::AVX2);
  EXPECT_NE(Stub::AVX2, Stub::AVX512);
  EXPECT_EQ(stub.get_call_ptr(), Stub::choose_cpu_impl(get_cpu_capability()));
}

}  // namespace
}  // namespace tensorlib::native
