// Where functions begin and end in code without symbols: by their unwind entries.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"

namespace callpath::tables {

struct Extent {
  Address begin, end;
  bool contains(Address a) const { return begin <= a && a < end; }
};

/// A file's program headers as they stand in memory.
struct Layout {
  std::vector<Extent> writable;  ///< Segments that the loader may write to, those it protects afterwards included.
  Extent unwind_header;          ///< .eh_frame_hdr; empty if the file has none.
};
Layout read_layout(const Module&, const Memory&);

/// Looks functions up in .eh_frame_hdr's sorted table, which is read once for each file.
class FunctionExtents {
 public:
  /// The code that the unwind entry around an address describes: a whole function, or the part of it that a compiler put elsewhere. Nothing
  /// where no entry covers the address or the table is of a form that linkers do not write.
  std::optional<Extent> at(const Module&, const Memory&, Address);

 private:
  struct Row {
    std::int32_t start, entry;  ///< Both count from the header's address.
  };
  struct Table {
    std::uint64_t header = 0;
    std::vector<Row> rows;
  };
  const Table& table(const Module&, const Memory&);
  std::map<std::pair<std::string, std::uint64_t>, Table> tables_;  ///< By identity and load bias.
};

}  // namespace callpath::tables
