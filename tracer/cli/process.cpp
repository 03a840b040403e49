#include "cli/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"

namespace callpath::cli {
namespace {

std::vector<std::string> changed_environment(const EnvironmentChanges& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!changes.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : changes)
    if (value) result.push_back(name + "=" + *value);
  return result;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void cannot_start(const std::string& program, int error) {
  throw Error(fmt::format("cannot start {}: {}", program, std::strerror(error)), "callpath doctor says what is missing.");
}

/// Reads what is there; false at the end of the stream.
bool drain(int descriptor, std::string& into) {
  char buffer[16384];
  const auto count = read(descriptor, buffer, sizeof buffer);
  if (count > 0) into.append(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// A terminal's two ends: ours, and the program's. What is typed waits in it.
bool open_terminal(int ends[2], const std::string& typed) {
  ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  char name[128];
  if (ends[0] < 0 || grantpt(ends[0]) != 0 || unlockpt(ends[0]) != 0 || ptsname_r(ends[0], name, sizeof name) != 0) return false;
  ends[1] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  return ends[1] >= 0 && write(ends[0], typed.data(), typed.size()) == static_cast<ssize_t>(typed.size());
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const EnvironmentChanges& changes, const std::optional<std::string>& terminal) {
  int output[2], errors[2];
  if (!(terminal ? open_terminal(output, *terminal) : pipe2(output, O_CLOEXEC) == 0) || pipe2(errors, O_CLOEXEC) != 0)
    cannot_start(command[0], errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (terminal)
    posix_spawn_file_actions_adddup2(&actions, output[1], 0);
  else
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output[1], 1);
  posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
  const auto environment = changed_environment(changes);
  const int failed = posix_spawnp(&pid_, command[0].c_str(), &actions, nullptr, pointers(command).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(output[1]);
  close(errors[1]);
  output_ = output[0];
  errors_ = errors[0];
  if (failed) {
    pid_ = -1;
    close(output_);
    close(errors_);
    cannot_start(command[0], failed);
  }
}

Child::~Child() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  close(output_);
  close(errors_);
}

Captured Child::wait() {
  Captured result;
  pollfd streams[2] = {{output_, POLLIN, 0}, {errors_, POLLIN, 0}};
  std::string* texts[2] = {&result.output, &result.errors};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (poll(streams, 2, -1) < 0 && errno != EINTR) break;
    for (int i = 0; i < 2; ++i)
      if (streams[i].fd >= 0 && streams[i].revents && !drain(streams[i].fd, *texts[i])) streams[i].fd = -1;
  }
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  close(output_);
  close(errors_);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Captured run_captured(const std::vector<std::string>& command, const EnvironmentChanges& changes) { return Child(command, changes).wait(); }

void become(const std::vector<std::string>& command, const EnvironmentChanges& changes) {
  const auto environment = changed_environment(changes);
  execvpe(command[0].c_str(), pointers(command).data(), pointers(environment).data());
  cannot_start(command[0], errno);
}

}  // namespace callpath::cli
