#include "session/launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include "core/error.hpp"

namespace callpath::session {
namespace {

constexpr int handled[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
volatile sig_atomic_t program_pid = 0;

void pass_on(int number) {
  if (program_pid > 0) kill(program_pid, number);
}

std::string starts_with_bytes(const std::string& path, std::size_t count) {
  std::string bytes(count, '\0');
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  ssize_t size = read(file, bytes.data(), count);
  close(file);
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

void check_executable(const std::string& path) {
  const char* mend = "Give a Python interpreter: --python /usr/bin/python3";
  if (access(path.c_str(), F_OK) != 0) throw Error(fmt::format("there is no interpreter at {}", path), mend);
  if (std::filesystem::is_directory(path) || access(path.c_str(), X_OK) != 0) throw Error(fmt::format("{} cannot be executed", path), mend);
  std::string magic = starts_with_bytes(path, 4);
  if (magic.rfind("#!", 0) == 0)
    throw Error(fmt::format("{} is a script that starts an interpreter, not the interpreter itself", path), mend);
  if (magic != std::string("\x7f") + "ELF") throw Error(fmt::format("{} is not an ELF program", path), mend);
}

/// The loader only warns of a library that it cannot preload, and the program would run to its end untraced.
void check_agent(const std::string& path) {
  if (access(path.c_str(), R_OK) == 0) return;
  throw Error(fmt::format("callpath's agent cannot be read: {}: {}", path, std::strerror(errno)), "Build callpath again: ./callpath test");
}

/// Blanks, colons and semicolons separate entries of LD_PRELOAD and cannot be escaped: such a path goes in by descriptor.
bool needs_descriptor(const std::string& path) { return path.find_first_of(" \t\n:;$") != std::string::npos; }

std::vector<std::string> with_agent(const Launch& launch, int memory, int agent) {
  std::string entry = agent >= 0 ? fmt::format("/proc/self/fd/{}", agent) : launch.agent;
  std::vector<std::string> environment = launch.environment;
  bool placed = false;
  for (auto& variable : environment) {
    if (variable.rfind("LD_PRELOAD=", 0) != 0) continue;
    variable = fmt::format("LD_PRELOAD={}:{}", entry, variable.substr(std::strlen("LD_PRELOAD=")));
    placed = true;
  }
  if (!placed) environment.push_back("LD_PRELOAD=" + entry);
  environment.push_back(agent >= 0 ? fmt::format("{}={},{}", agent::fd_variable, memory, agent)
                                   : fmt::format("{}={}", agent::fd_variable, memory));
  return environment;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const auto& s : strings) result.push_back(const_cast<char*>(s.c_str()));
  result.push_back(nullptr);
  return result;
}

void inherit(int descriptor) {
  if (descriptor >= 0) fcntl(descriptor, F_SETFD, 0);
}

/// Reads the errno that the child wrote if exec failed; 0 if the pipe closed by a successful exec.
int exec_error(int pipe_end) {
  int error = 0;
  while (read(pipe_end, &error, sizeof error) < 0 && errno == EINTR) {
  }
  close(pipe_end);
  return error;
}

}  // namespace

SharedMemory::SharedMemory() {
  descriptor_ = memfd_create("callpath", MFD_CLOEXEC);
  if (descriptor_ < 0 || ftruncate(descriptor_, sizeof(agent::Shared)) != 0)
    throw Error(fmt::format("no shared memory for the agent: {}", std::strerror(errno)));
  void* mapped = mmap(nullptr, sizeof(agent::Shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (mapped == MAP_FAILED) throw Error(fmt::format("the agent's shared memory cannot be mapped: {}", std::strerror(errno)));
  // The file is all zeroes, which is what the members' defaults are, but for these: constructing would touch every page of the buffers.
  shared_ = static_cast<agent::Shared*>(mapped);
  shared_->magic = agent::protocol_magic;
  shared_->size = sizeof(agent::Shared);
  shared_->session_pid = getpid();
}

SharedMemory::~SharedMemory() {
  if (shared_) munmap(shared_, sizeof(agent::Shared));
  if (descriptor_ >= 0) close(descriptor_);
}

SignalsForProgram::SignalsForProgram() {
  for (int i = 0; i < count; ++i) {
    struct sigaction action = {};
    action.sa_handler = i < 2 ? SIG_IGN : pass_on;
    action.sa_flags = SA_RESTART;
    sigaction(handled[i], nullptr, &saved_[i]);
    if (saved_[i].sa_handler != SIG_IGN) sigaction(handled[i], &action, nullptr);
  }
}

SignalsForProgram::~SignalsForProgram() {
  program_pid = 0;
  restore();
}

void SignalsForProgram::pass_to(pid_t pid) const { program_pid = pid; }

void SignalsForProgram::restore() const {
  for (int i = 0; i < count; ++i) sigaction(handled[i], &saved_[i], nullptr);
}

pid_t start(const Launch& launch, const SharedMemory& memory, const SignalsForProgram& signals) {
  check_executable(launch.executable);
  check_agent(launch.agent);
  int agent = needs_descriptor(launch.agent) ? open(launch.agent.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  auto environment = with_agent(launch, memory.descriptor(), agent);
  auto argv = pointers(launch.argv), envp = pointers(environment);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) throw Error(fmt::format("no pipe: {}", std::strerror(errno)));
  pid_t pid = fork();
  if (pid == 0) {
    signals.restore();
    inherit(memory.descriptor());
    inherit(agent);
    execve(launch.executable.c_str(), argv.data(), envp.data());
    int error = errno;
    if (write(failure[1], &error, sizeof error) < 0) {
    }
    _exit(127);
  }
  int fork_error = errno;
  close(failure[1]);
  if (agent >= 0) close(agent);
  if (pid < 0) throw Error(fmt::format("the program cannot be started: {}", std::strerror(fork_error)));
  if (int error = exec_error(failure[0])) {
    waitpid(pid, nullptr, 0);
    throw Error(fmt::format("{} cannot be executed: {}", launch.executable, std::strerror(error)));
  }
  signals.pass_to(pid);
  return pid;
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

void die_by(int number) {
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_DUMPABLE, 0);
  std::signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(number);
  _exit(128 + number);
}

}  // namespace callpath::session
