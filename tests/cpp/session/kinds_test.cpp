// A probe on an instruction of each kind must not change what the program computes.
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "program.hpp"

namespace callpath::session {
namespace {

class Kinds : public testing::TestWithParam<const char*> {};

TEST_P(Kinds, TheProgramComputesTheSame) {
  auto options = program(KINDS_PROGRAM, std::string("kind_") + GetParam());
  options.limit = 1000;  // Every hit stops: the emulation runs each time, with the session's answer in between.
  auto outcome = run(options);
  EXPECT_EQ(outcome.places, 1u);
  EXPECT_GE(outcome.events, 1);
  EXPECT_EQ(exit_status(outcome), 0);
}

INSTANTIATE_TEST_SUITE_P(Copied, Kinds, testing::Values("push", "load_relative", "address_relative", "compare_relative", "vector"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Emulated, Kinds,
                         testing::Values("call", "call_register", "call_stack", "call_indexed", "call_relative_memory", "jump",
                                         "jump_memory", "ret", "ret_pop", "jo", "jno", "jb", "jae", "je", "jne", "jbe", "ja", "js", "jns",
                                         "jp", "jnp", "jl", "jge", "jle", "jg", "loop", "loope", "loopne", "jrcxz"),
                         [](const auto& info) { return info.param; });

struct Refusal {
  const char* kind;
  const char* reason;
};
class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithTheReasonAndBeforeTheProgramRan) {
  try {
    run(program(KINDS_PROGRAM, std::string("kind_") + GetParam().kind));
    FAIL() << "was not refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().reason), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Refused,
                         testing::Values(Refusal{"syscall", "enters the kernel"}, Refusal{"undefined", "faults by design"},
                                         Refusal{"breakpoint", "breakpoint of somebody else"},
                                         Refusal{"thread_local", "thread-local memory"}),
                         [](const auto& info) { return info.param.kind; });

TEST(Glob, PlacesThatCannotBeProbedAreLeftOutAndSaid) {
  auto outcome = run(program(KINDS_PROGRAM, "kind_*"));
  EXPECT_GT(outcome.places, 30u);
  EXPECT_EQ(outcome.refused.size(), 4u);
  EXPECT_EQ(outcome.events, 1);
  EXPECT_EQ(exit_status(outcome), 0);
}

}  // namespace
}  // namespace callpath::session
