#include "cli/process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "core/error.hpp"

namespace {

using callpath::Error;
using callpath::cli::Child;
using callpath::cli::run_captured;

TEST(RunCaptured, GivesOutputErrorsAndStatusApart) {
  const auto result = run_captured({"/bin/sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.status, 7);
}

TEST(RunCaptured, PassesArgumentsUntouched) {
  const auto result = run_captured({"/usr/bin/printf", "%s|", "a b", "d\xc3\xafr", "", "$HOME", "'"});
  EXPECT_EQ(result.output, "a b|d\xc3\xafr||$HOME|'|");
}

TEST(RunCaptured, ReadsBothStreamsWhenTheyAreLarge) {
  const auto result = run_captured({"/bin/sh", "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"});
  EXPECT_EQ(result.output.size(), 300000u);
  EXPECT_EQ(result.errors.size(), 300000u);
}

TEST(RunCaptured, SetsAndTakesAwayVariables) {
  setenv("CALLPATH_TEST_GONE", "here", 1);
  const auto result = run_captured({"/bin/sh", "-c", "echo ${CALLPATH_TEST_GONE-gone} $CALLPATH_TEST_SET"},
                                   {{"CALLPATH_TEST_GONE", std::nullopt}, {"CALLPATH_TEST_SET", "value"}});
  EXPECT_EQ(result.output, "gone value\n");
}

TEST(RunCaptured, SaysBySignalHowAProgramDied) { EXPECT_EQ(run_captured({"/bin/sh", "-c", "kill -9 $$"}).status, 128 + SIGKILL); }

TEST(RunCaptured, InputIsEmpty) { EXPECT_EQ(run_captured({"/bin/cat"}).output, ""); }

TEST(RunCaptured, AProgramThatIsNotThereIsAnErrorWithItsName) {
  try {
    run_captured({"/nowhere/at-all"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at-all"), std::string::npos);
  }
}

TEST(Child, TwoRunSideBySide) {
  // Each waits for the file that the other makes: in turn they would never end.
  char folder[] = "/tmp/callpath-process-test.XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  const std::string meet = R"(cd "$0"; touch $1; i=0; while [ ! -e $2 ] && [ $i -lt 1000 ]; do sleep 0.01; i=$((i+1)); done; [ -e $2 ])";
  Child first({"/bin/sh", "-c", meet, folder, "a", "b"});
  Child second({"/bin/sh", "-c", meet, folder, "b", "a"});
  EXPECT_EQ(first.wait().status, 0);
  EXPECT_EQ(second.wait().status, 0);
  run_captured({"/bin/rm", "-r", folder});
}

}  // namespace
