// Line tables, read as gdb reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbols/die.hpp"

namespace callpath::dw {

struct LineRow {
  std::uint64_t address = 0;
  std::uint32_t file = 0;  ///< Index for LineTable::file.
  std::uint32_t line = 0;
  bool statement = false;
  bool end = false;  ///< No code from here on.
  bool prologue_end = false;
};

class LineTable {
 public:
  LineTable() = default;
  LineTable(Die unit, const ElfFile& code);

  /// The row an address belongs to, or null.
  const LineRow* at(std::uint64_t offset) const;

  /// Of the rows of one address, the last of which is given, the one that speaks; null where code ends there.
  const LineRow* speaking(const LineRow* last) const;

  /// Address of the first row (or end) after an address; 0 if there is none.
  std::uint64_t next_address(std::uint64_t offset) const;

  const std::string& file(std::uint32_t index) const;
  const std::vector<LineRow>& rows() const { return rows_; }
  const std::vector<std::string>& files() const { return files_; }

 private:
  class Reader;
  std::vector<LineRow> rows_;
  std::vector<std::string> files_;
};

/// Names of a unit's files as its DIEs number them (DW_AT_call_file, DW_AT_decl_file).
std::vector<std::string> unit_files(Die unit);

}  // namespace callpath::dw
