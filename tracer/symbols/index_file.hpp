// The index of a module in the user's cache folder, so that a second look at the same file need not read its debug information.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_file.hpp"
#include "symbols/elf_symbols.hpp"
#include "symbols/unit_index.hpp"

namespace callpath::dw {

/// The folder: $XDG_CACHE_HOME/callpath, else ~/.cache/callpath; empty if neither variable names an absolute path.
std::string index_folder();

/// Indices of units, spans of addresses and symbols of one file. Bytes that do not check are as good as absent.
class IndexFile {
 public:
  struct Span {
    std::uint64_t begin, end;
    std::uint32_t unit;
    std::uint32_t unused = 0;
  };
  /// What of a module does not depend on an address.
  struct Summary {
    std::uint32_t level = 0;
    std::string missing_splits;  ///< One a line.
  };

  /// Nothing if there is none, if it is damaged, or if another build of callpath wrote it. `key` says which file, to the byte.
  static std::unique_ptr<IndexFile> open(const std::string& key);
  ~IndexFile();
  IndexFile(const IndexFile&) = delete;

  /// The unit whose code an address is in; -1 if it is in none.
  int unit_at(std::uint64_t offset) const;

  /// A unit's index; null if it was not written.
  const UnitIndex* unit(int number);
  std::string_view unit_bytes(int number) const;  ///< Empty if it was not written or is damaged.

  const Summary& summary() const { return summary_; }
  std::size_t unit_count() const { return unit_count_; }

  /// Symbols as they were, sorted; names lie in this file.
  std::vector<ElfSymbol> symbols() const;
  std::uint32_t symbol_table() const { return symbol_table_; }

 private:
  struct Layout;
  IndexFile(const char* bytes, std::size_t size) : bytes_(bytes), size_(size) {}
  bool check(const std::string& key);

  const char* bytes_;
  std::size_t size_;
  const Span* spans_ = nullptr;
  std::size_t span_count_ = 0, unit_count_ = 0, symbol_count_ = 0;
  std::uint32_t symbol_table_ = 0;
  const void* units_ = nullptr;
  const void* symbols_ = nullptr;
  std::string_view names_;
  Summary summary_;
  std::map<int, std::unique_ptr<UnitIndex>> read_;
};

/// What is written.
struct IndexContent {
  IndexFile::Summary summary;
  std::vector<IndexFile::Span> spans;  ///< Sorted, disjoint.
  std::vector<std::string> units;      ///< Bytes by number; empty where a unit has no index yet.
  std::uint32_t symbol_table = 0;
  const std::vector<ElfSymbol>* symbols = nullptr;
};

/// Whole or not at all, and without a word if the folder cannot be written to: it is a cache. Of several writers the last one wins. Keeps
/// the folder below 512 MB by removing what was used longest ago.
void write_index(const std::string& key, const IndexContent&);

}  // namespace callpath::dw
