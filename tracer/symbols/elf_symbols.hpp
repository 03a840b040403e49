// Function symbols of an ELF file, sorted by address.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbols/elf_file.hpp"

namespace callpath::dw {

struct ElfSymbol {
  std::uint64_t start = 0, size = 0;
  const char* name = "";  ///< Mangled, without version ("dlopen", not "dlopen@@GLIBC_2.34"); lives as long as table and ElfFile.
  std::uint8_t bind = 0, type = 0;

  bool contains(std::uint64_t a) const { return start <= a && a - start < size; }
};

class ElfSymbols {
 public:
  enum class Table { none, dynamic, full };

  /// Defined functions of .symtab if the file has one, else of .dynsym. An empty object if it has neither.
  ElfSymbols() = default;
  explicit ElfSymbols(const ElfFile&);
  /// Symbols that were sorted before; their names must outlive this.
  ElfSymbols(Table table, std::vector<ElfSymbol> sorted);
  ElfSymbols(ElfSymbols&&) = default;
  ElfSymbols& operator=(ElfSymbols&&) = default;

  Table table() const { return table_; }
  const std::vector<ElfSymbol>& all() const { return symbols_; }

  /// The symbol with start <= offset < start + size; the tightest one, and of aliases the one most likely meant. Null if none.
  const ElfSymbol* at(std::uint64_t offset) const;

  /// Symbols that start exactly there, the one most likely meant first.
  std::vector<const ElfSymbol*> starting_at(std::uint64_t offset) const;

  /// The symbol of this exact (mangled) name if there is just one address for it.
  const ElfSymbol* unique(std::string_view name) const;

 private:
  void load(Elf*, std::uint32_t section_type);
  void note_reach();
  const char* without_version(const char* name);

  Table table_ = Table::none;
  std::vector<ElfSymbol> symbols_;
  std::deque<std::string> shortened_;  ///< Names that the file has with a version only.
  std::vector<std::uint64_t> reach_;   ///< reach_[i]: largest end among symbols_[0..i], so that a backward walk can stop.
  mutable std::unordered_map<std::string_view, const ElfSymbol*> by_name_;
};

}  // namespace callpath::dw
