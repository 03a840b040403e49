// The files mapped into the traced program, as they were at capture time.
#pragma once

#include <string>
#include <vector>

#include "core/address.hpp"

namespace callpath {

/// One loaded ELF file. Identity is (path, build_id, bias): a later library at the same address is another module.
struct Module {
  struct Segment {
    Address begin, end;  ///< Run-time range of one PT_LOAD.
    bool executable = false;
  };
  std::string path;      ///< Absolute; "[vdso]" for the kernel's.
  std::string build_id;  ///< Lower-case hex, empty if the file has none.
  std::uint64_t bias = 0;
  std::vector<Segment> segments;

  bool contains(Address a) const {
    for (const auto& s : segments)
      if (s.begin <= a && a < s.end) return true;
    return false;
  }
  ModuleOffset offset(Address a) const { return {a.value - bias}; }
  Address address(ModuleOffset o) const { return {o.value + bias}; }
  std::string name() const { return path.substr(path.find_last_of('/') + 1); }  ///< File name without folders.
};

/// The module that holds an address, or null.
inline const Module* find_module(const std::vector<Module>& modules, Address a) {
  for (const auto& m : modules)
    if (m.contains(a)) return &m;
  return nullptr;
}

}  // namespace callpath
