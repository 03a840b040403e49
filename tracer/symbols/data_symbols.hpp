// Data symbols of an ELF file: variables, tables, vtables.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/elf_file.hpp"

namespace callpath::dw {

struct DataEntry {
  std::uint64_t start = 0, size = 0;
  const char* name = "";  ///< Mangled; lives as long as the ElfFile.
};

class DataSymbols {
 public:
  /// Defined objects of .symtab if the file has one, else of .dynsym.
  explicit DataSymbols(const ElfFile&);

  /// The objects that hold an address, the tightest first.
  std::vector<const DataEntry*> at(std::uint64_t offset) const;
  /// The object of this exact (mangled) name, or null.
  const DataEntry* named(const std::string&) const;

 private:
  void load(Elf*, std::uint32_t section_type);

  std::vector<DataEntry> all_;
  std::vector<std::uint64_t> reach_;  ///< Largest end among all_[0..i].
};

}  // namespace callpath::dw
