// Tests over every capability that this machine has.
#pragma once

#include <gtest/gtest.h>

#include "native/DispatchStub.h"

namespace engine_tests {

using tensorlib::native::CPUCapability;

/// The parameter is a capability; skipped, with the reason, where the machine lacks it.
class EveryCapability : public testing::TestWithParam<CPUCapability> {
 protected:
  void SetUp() override {
    if (GetParam() > tensorlib::native::best_cpu_capability()) {
      GTEST_SKIP() << "this CPU has no " << tensorlib::native::toString(GetParam());
    }
  }
};

inline auto all_capabilities() { return testing::Values(CPUCapability::DEFAULT, CPUCapability::AVX2, CPUCapability::AVX512); }

inline std::string capability_name(const testing::TestParamInfo<CPUCapability>& info) { return tensorlib::native::toString(info.param); }

}  // namespace engine_tests
