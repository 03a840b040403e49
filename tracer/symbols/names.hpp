// Names of functions at addresses, made once each.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/record.hpp"
#include "symbols/elf_symbols.hpp"
#include "symbols/units.hpp"

namespace callpath::dw {

class ModuleState;

struct ResolvedName {
  std::string name, full, note, origin;
};

class Naming {
 public:
  explicit Naming(ModuleState& module) : module_(module) {}

  /// The function of a node; for a physical one the address decides between its parts (hot, cold).
  const ResolvedName& node(Unit&, int node, std::uint64_t offset);
  const ResolvedName& symbol(const ElfSymbol&);

  /// A physical function's name at an address, and the addresses around it for which it holds.
  std::pair<Range, const ResolvedName*> physical_name(Unit&, int node, std::uint64_t offset);

  /// As for a node, but not cached: for functions that have no code of their own.
  ResolvedName die(Die);

 private:
  struct Slot {
    Range range;  ///< Where `name` holds; inlined functions: everywhere.
    const ResolvedName* name = nullptr;
  };
  const ResolvedName& inlined(Unit&, int node);
  const ResolvedName& physical(Unit&, int node, std::uint64_t offset, Slot&);
  const ElfSymbol* symbol_of_function(Unit&, Die function, std::uint64_t offset);
  void add_origin(ResolvedName&, Die function);
  const ResolvedName& keep(ResolvedName);

  ModuleState& module_;
  std::deque<ResolvedName> kept_;
  std::unordered_map<const FunctionIndex*, std::vector<Slot>> slots_;
  std::unordered_map<const void*, const ResolvedName*> by_origin_, by_declaration_;
  std::unordered_map<const ElfSymbol*, const ResolvedName*> by_symbol_;
};

}  // namespace callpath::dw
