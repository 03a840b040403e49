// Which files the program has loaded, and where its loader tells about changes.
#pragma once

#include <map>
#include <optional>

#include "capture/capture.hpp"
#include "core/module.hpp"
#include "session/process.hpp"

namespace callpath::session {

/// A loaded file with what the unwinder inside the program needs of it.
struct LoadedModule {
  Module module;
  capture::ModuleRange range;
};

/// The loaded files, kept up to date. Geometry is read from the mappings and from the ELF headers in memory, not from files or the loader's
/// list: files may have been replaced since, and the list lacks the vdso's range and other namespaces.
class ModuleTable {
 public:
  ModuleTable(pid_t pid, const Memory& memory) : pid_(pid), memory_(memory) {}

  /// Reads what is mapped now. To be called while the program's loader is not at work: at its own stop, or at the program's start.
  /// True if anything changed.
  bool refresh();

  const std::vector<Module>& modules() const { return modules_; }  ///< By address.
  std::vector<capture::ModuleRange> ranges() const;
  const LoadedModule* find(Address) const;  ///< The file that holds an address, or null. Valid until the next refresh.

 private:
  using Key = std::pair<std::uint64_t, std::string>;  ///< Address of the ELF header; file, inode and all.
  pid_t pid_;
  const Memory& memory_;
  std::map<Key, LoadedModule> loaded_;
  std::vector<Module> modules_;
};

/// The loader's meeting place for debuggers.
struct LoaderBreak {
  Address state;     ///< Of r_debug::r_state: 0 when the list of libraries is consistent.
  Address function;  ///< Called at each change.
};
std::optional<LoaderBreak> find_loader_break(const std::vector<Module>&, const Memory&, const std::string& executable);

}  // namespace callpath::session
