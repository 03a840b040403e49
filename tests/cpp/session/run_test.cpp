// Programs under a session: what is recorded, and that they run as they would alone.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/error.hpp"
#include "program.hpp"

namespace callpath::session {
namespace {

struct Run {
  Recording recording;
  Outcome outcome;
  std::string output;
};

/// Runs one of the test programs, its standard output in a file.
Run run_program(const std::string& which, const std::string& at = "probed", int limit = 1,
                const std::vector<std::string>& environment = {}) {
  Run result;
  auto options = program(TEST_PROGRAMS, at, &result.recording);
  options.launch.argv.push_back(which);
  options.launch.environment.insert(options.launch.environment.end(), environment.begin(), environment.end());
  options.limit = limit;
  std::string path = testing::TempDir() + "callpath_session_output_" + std::to_string(getpid());
  int saved = dup(STDOUT_FILENO), file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  fflush(stdout);
  dup2(file, STDOUT_FILENO);
  close(file);
  struct Restore {
    int saved;
    ~Restore() {
      dup2(saved, STDOUT_FILENO);
      close(saved);
    }
  } restore{fcntl(saved, F_DUPFD_CLOEXEC, 100)};
  close(saved);
  result.outcome = run(options);
  std::ifstream in(path);
  result.output.assign(std::istreambuf_iterator<char>(in), {});
  unlink(path.c_str());
  return result;
}

std::vector<std::string> names(const Event& event) {
  std::vector<std::string> all;
  for (const auto& frame : event.frames) all.push_back(frame.name);
  return all;
}

TEST(Session, RecordsOneHitWithItsPath) {
  auto run = run_program("once");
  ASSERT_EQ(run.recording.events.size(), 1u);
  const auto& event = run.recording.events[0];
  EXPECT_TRUE(event.complete) << event.incomplete_reason;
  auto path = names(event);
  ASSERT_GE(path.size(), 4u);
  EXPECT_EQ(path[0], "probed");
  EXPECT_EQ(path[1], "once");
  EXPECT_EQ(path[2], "main");
  EXPECT_EQ(path.back(), "_start");
  EXPECT_EQ(event.frames[0].number, 0);
  EXPECT_EQ(event.trigger.spec, "probed");
  EXPECT_FALSE(event.thread.has_python);
  EXPECT_EQ(exit_status(run.outcome), 0);
}

TEST(Session, PathEqualsLibgccsWalk) {
  auto run = run_program("walks", "probed_walk");
  ASSERT_EQ(run.recording.events.size(), 1u);
  std::vector<std::uint64_t> ours, libgcc;
  for (const auto& frame : run.recording.events[0].frames)
    if (frame.kind == Kind::native && frame.pc) ours.push_back(*frame.pc);
  for (std::size_t at = 0; at < run.output.size(); at = run.output.find('\n', at) + 1)
    libgcc.push_back(std::stoull(run.output.substr(at), nullptr, 16));
  ASSERT_GT(libgcc.size(), 22u);
  ASSERT_EQ(ours.size(), libgcc.size());
  // The probed function itself stood at its start in ours, at its call of the unwinder in libgcc's.
  EXPECT_TRUE(std::equal(ours.begin() + 1, ours.end(), libgcc.begin() + 1));
}

TEST(Session, FromALineOfAFile) {
  auto function = run_program("once");
  auto line = *function.recording.events.at(0).frames.at(0).source->line;
  auto run = run_program("once", "session/programs.cpp:" + std::to_string(line));
  ASSERT_EQ(run.recording.events.size(), 1u);
  EXPECT_EQ(run.recording.events[0].frames[0].name, "probed");
  EXPECT_EQ(run.recording.events[0].frames[0].source->line, line);
}

TEST(Session, StopsNoMoreAfterTheLimit) {
  auto run = run_program("threads", "probed", 3);
  EXPECT_EQ(run.outcome.events, 3);
  EXPECT_EQ(run.recording.events.size(), 3u);
  EXPECT_LE(run.outcome.stops.target, 3 + 4) << "those that were under way";
  EXPECT_EQ(exit_status(run.outcome), 0);
}

TEST(Session, ThreadsThatHitTogetherAreAllRecorded) {
  auto run = run_program("threads", "probed", 100000);
  EXPECT_EQ(run.outcome.events, 800);
  EXPECT_EQ(exit_status(run.outcome), 0);
  std::set<std::int64_t> threads;
  for (const auto& event : run.recording.events) {
    threads.insert(event.thread.tid);
    ASSERT_EQ(event.frames.at(0).name, "probed");
    ASSERT_EQ(event.frames.at(1).name, "hits");
    ASSERT_TRUE(event.complete);
  }
  EXPECT_EQ(threads.size(), 4u);
}

TEST(Session, AForkedChildGoesOverTheProbes) {
  auto run = run_program("forks", "probed", 100);
  EXPECT_EQ(run.outcome.events, 1) << "the parent's, not the child's";
  EXPECT_EQ(exit_status(run.outcome), 0);
}

TEST(Session, AHitInAForkedChildAloneIsNotReached) {
  auto run = run_program("forks_without_hit_of_its_own");
  EXPECT_EQ(run.outcome.events, 0);
  EXPECT_EQ(exit_status(run.outcome), 0);
}

TEST(Session, ExceptionsPassThroughProbedFunctions) {
  for (const char* at : {"probed_throw", "probed_between"}) {
    auto run = run_program("throws", at, 100);
    EXPECT_EQ(run.outcome.events, 3) << at;
    EXPECT_EQ(exit_status(run.outcome), 0) << at;
  }
}

TEST(Session, LeavesErrnoAlone) { EXPECT_EQ(exit_status(run_program("errno").outcome), 0); }

TEST(Session, KeepsTheRecordOfAProgramThatLeavesHard) {
  auto run = run_program("exits_hard");
  EXPECT_EQ(run.recording.events.size(), 1u);
  EXPECT_EQ(exit_status(run.outcome), 23);
}

TEST(Session, KeepsTheRecordOfAProgramThatCrashes) {
  auto run = run_program("crashes");
  EXPECT_EQ(run.recording.events.size(), 1u);
  EXPECT_EQ(exit_status(run.outcome), 128 + SIGSEGV);
}

TEST(Session, AnExecutedProgramHasNothingOfUs) {
  auto run = run_program("executes", "probed", 100);
  EXPECT_EQ(run.recording.events.size(), 1u);
  EXPECT_EQ(exit_status(run.outcome), 31);
  EXPECT_EQ(run.output, "");
}

TEST(Session, ExecutionOfAnotherProgramBeforeTheProbeIsNotReached) {
  auto run = run_program("executes_before");
  EXPECT_EQ(run.outcome.events, 0);
  EXPECT_EQ(exit_status(run.outcome), 32);
}

TEST(Session, TheProgramsOwnHandlerOfSigtrapWorks) {
  auto run = run_program("own_sigtrap");
  EXPECT_EQ(exit_status(run.outcome), 0);
  EXPECT_EQ(run.outcome.events, 1);
}

TEST(Session, ABreakpointOfTheProgramsOwnEndsItAsAlone) {
  auto run = run_program("dies_by_own_trap");
  EXPECT_EQ(run.outcome.events, 1);
  EXPECT_EQ(exit_status(run.outcome), 128 + SIGTRAP);
}

TEST(Session, AHitInASignalHandlerWithEverythingBlocked) {
  auto run = run_program("hits_in_a_handler");
  EXPECT_EQ(exit_status(run.outcome), 0);
  ASSERT_EQ(run.recording.events.size(), 1u);
  const auto& event = run.recording.events[0];
  EXPECT_TRUE(event.complete) << event.incomplete_reason;
  auto path = names(event);
  EXPECT_EQ(path.at(1), "probing_handler");
  EXPECT_NE(std::find(path.begin(), path.end(), "hits_in_a_handler"), path.end()) << "out through the signal's frame";
}

TEST(Session, AnAgentWhosePathHasBlanksAndOtherLetters) {
  auto folder = std::filesystem::path(testing::TempDir()) / ("a b:d\xc3\xafr " + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  auto agent = folder / "libcallpath_agent.so";
  std::filesystem::copy_file(CALLPATH_AGENT, agent, std::filesystem::copy_options::overwrite_existing);
  Recording recording;
  auto options = program(TEST_PROGRAMS, "probed", &recording);
  options.launch.argv.push_back("environment");
  options.launch.agent = agent.string();
  EXPECT_EQ(exit_status(run(options)), 0);
  EXPECT_EQ(recording.events.size(), 1u);
  std::filesystem::remove_all(folder);
}

TEST(Session, TheEnvironmentIsTheUsersAlone) {
  EXPECT_EQ(exit_status(run_program("environment").outcome), 0);
  EXPECT_EQ(exit_status(run_program("preload_of_the_user", "probed", 1, {"LD_PRELOAD=libm.so.6"}).outcome), 0);
}

TEST(Session, DescriptorsAreNumberedAsAlone) {
  FILE* alone = popen((std::string(TEST_PROGRAMS) + " descriptors").c_str(), "re");
  char line[32] = {};
  ASSERT_NE(fgets(line, sizeof line, alone), nullptr);
  pclose(alone);
  EXPECT_EQ(run_program("descriptors").output, line);
}

TEST(Session, RefusesWhereSigtrapIsBlocked) {
  sigset_t trap, before;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_BLOCK, &trap, &before);  // Inherited by the program.
  try {
    run_program("once");
    ADD_FAILURE() << "was not refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("SIGTRAP is blocked"), std::string::npos) << error.what();
    EXPECT_FALSE(error.mend().empty());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Session, SaysTheNearestNames) {
  auto run = run_program("once", "proved");
  EXPECT_EQ(run.outcome.places, 0u);
  EXPECT_EQ(run.outcome.events, 0);
  EXPECT_NE(std::find(run.outcome.nearest.begin(), run.outcome.nearest.end(), "probed"), run.outcome.nearest.end());
}

TEST(Session, RefusesWhatCannotBeStarted) {
  for (const char* path : {"/nonexistent/python", "/etc/passwd", "/"}) EXPECT_THROW(run(program(path, "probed")), Error) << path;
  try {
    run(program("/usr/bin/ldd", "probed"));
    ADD_FAILURE() << "a script was started";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is a script"), std::string::npos) << error.what();
  }
}

TEST(Session, RefusesLinesOfPython) { EXPECT_THROW(run(program(TEST_PROGRAMS, "learn1.py:11")), Error); }

}  // namespace
}  // namespace callpath::session
