#include "session/process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "core/error.hpp"

namespace callpath::session {
namespace {

/// The value of "Name:\tvalue" in a status file of /proc; empty if the file or the line is not there.
std::string status_field(const std::string& file, const std::string& name) {
  std::ifstream status(file);
  for (std::string line; std::getline(status, line);)
    if (line.rfind(name + ":", 0) == 0) return line.substr(std::min(line.size(), line.find_first_not_of(" \t", name.size() + 1)));
  return {};
}

Mapping parse_mapping(const std::string& line) {
  Mapping mapping;
  std::istringstream in(line);
  std::string range, flags, offset;
  in >> range >> flags >> offset >> mapping.device >> mapping.inode;
  std::getline(in >> std::ws, mapping.path);
  mapping.begin.value = std::stoull(range, nullptr, 16);
  mapping.end.value = std::stoull(range.substr(range.find('-') + 1), nullptr, 16);
  mapping.offset = std::stoull(offset, nullptr, 16);
  mapping.readable = flags[0] == 'r';
  mapping.writable = flags[1] == 'w';
  mapping.executable = flags[2] == 'x';
  return mapping;
}

}  // namespace

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> threads;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(fmt::format("/proc/{}/task", pid).c_str()), closedir);
  if (!folder) return threads;
  while (const auto* entry = readdir(folder.get()))
    if (entry->d_name[0] != '.') threads.push_back(std::atoi(entry->d_name));
  return threads;
}

ProcessMemory::ProcessMemory(pid_t pid) : pid_(pid) {}

ProcessMemory::~ProcessMemory() {
  if (file_ >= 0) close(file_);
}

bool ProcessMemory::read(Address from, void* to, std::size_t size) const {
  iovec here{to, size}, there{reinterpret_cast<void*>(from.value), size};
  return process_vm_readv(pid_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

void ProcessMemory::write_text(Address to, const void* from, std::size_t size) {
  if (file_ < 0) file_ = open(fmt::format("/proc/{}/mem", pid_).c_str(), O_RDWR | O_CLOEXEC);
  if (file_ >= 0 && pwrite(file_, from, size, static_cast<off_t>(to.value)) == static_cast<ssize_t>(size)) return;
  throw Error(fmt::format("the program's text at {:#x} cannot be written: /proc/{}/mem: {}", to.value, pid_, std::strerror(errno)),
              "Writing to another process's memory must be allowed: not inside a sandbox that forbids ptrace, with the same user, and "
              "with the kernel's proc_mem.force_override not restricted.");
}

std::vector<Mapping> read_mappings(pid_t pid) {
  std::vector<Mapping> mappings;
  errno = 0;
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  if (!maps && errno != ENOENT && errno != ESRCH)  // Those say that the process has ended: it has no mappings.
    throw Error(fmt::format("/proc/{}/maps cannot be read: {}", pid, std::strerror(errno)));
  for (std::string line; std::getline(maps, line);) mappings.push_back(parse_mapping(line));
  return mappings;
}

namespace {

/// Adds the pages of a mapping that are in memory or in swap, as far as the kernel says.
void add_touched(int pagemap, const Mapping& mapping, std::vector<tables::Extent>& out) {
  constexpr std::uint64_t page = 4096, present = 3ull << 62, at_once = 4096;
  std::vector<std::uint64_t> entries(at_once);
  bool open = false;
  for (Address at = mapping.begin; at < mapping.end;) {
    const std::uint64_t count = std::min(at_once, (mapping.end.value - at.value) / page);
    const auto size = static_cast<ssize_t>(count * sizeof entries[0]);
    const bool known =
        pread(pagemap, entries.data(), static_cast<std::size_t>(size), static_cast<off_t>(at.value / page * sizeof entries[0])) == size;
    for (std::uint64_t i = 0; i < count; ++i, at = at + page) {
      const bool there = !known || (entries[i] & present);
      if (there && open)
        out.back().end = at + page;
      else if (there)
        out.push_back({at, at + page});
      open = there;
    }
  }
}

}  // namespace

std::vector<tables::Extent> heap_of(pid_t pid) {
  std::vector<tables::Extent> heap;
  auto mappings = read_mappings(pid);
  // What malloc grows first, then small mappings: large ones are mostly data.
  const auto is_heap = [](const Mapping& m) { return m.path == "[heap]"; };
  std::stable_sort(mappings.begin(), mappings.end(), [&](const Mapping& a, const Mapping& b) {
    if (is_heap(a) != is_heap(b)) return is_heap(a);
    return a.end.value - a.begin.value < b.end.value - b.begin.value;
  });
  const int pagemap = open(fmt::format("/proc/{}/pagemap", pid).c_str(), O_RDONLY | O_CLOEXEC);
  for (const auto& mapping : mappings)
    if (mapping.readable && mapping.writable && mapping.inode == 0 && (mapping.path.empty() || mapping.path[0] == '['))
      add_touched(pagemap, mapping, heap);
  if (pagemap >= 0) close(pagemap);
  return heap;
}

pid_t tracer_of(pid_t pid) { return std::atoi(status_field(fmt::format("/proc/{}/status", pid), "TracerPid").c_str()); }

std::vector<pid_t> threads_blocking(pid_t pid, int signal) {
  std::vector<pid_t> blocking;
  for (pid_t tid : threads_of(pid)) {
    std::string mask = status_field(fmt::format("/proc/{}/task/{}/status", pid, tid), "SigBlk");
    if (!mask.empty() && std::stoull(mask, nullptr, 16) >> (signal - 1) & 1) blocking.push_back(tid);
  }
  return blocking;
}

std::string thread_name(pid_t pid, pid_t tid) {
  std::ifstream comm(fmt::format("/proc/{}/task/{}/comm", pid, tid));
  std::string name;
  std::getline(comm, name);
  return name;
}

std::vector<std::string> arguments_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string one; std::getline(file, one, '\0');) arguments.push_back(one);
  return arguments;
}

std::string proc_link(pid_t pid, const char* name) {
  char target[4096];
  ssize_t size = readlink(fmt::format("/proc/{}/{}", pid, name).c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string{};
}

}  // namespace callpath::session
