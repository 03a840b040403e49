// The units of a file's debug information, found by address, read when needed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "symbols/function_index.hpp"
#include "symbols/lines.hpp"

namespace callpath::dw {

class Unit {
 public:
  Unit(Die skeleton, Die body, std::string missing_split, const ElfFile& code);

  /// Where functions and types are: the split unit if there is one.
  Die body() const { return body_; }
  Die skeleton() const { return skeleton_; }
  const std::string& missing_split() const { return missing_split_; }  ///< Name of the .dwo file that is not there; else empty.

  const FunctionIndex& functions();
  const LineTable& lines();
  const std::string& die_file(std::uint32_t index);  ///< For DW_AT_call_file and DW_AT_decl_file.

  bool cplusplus() const { return cplusplus_; }
  bool made_by_llvm() const;
  /// gdb trusts locations at a function's first instruction in what GCC optimised, and stops there instead of after the prologue.
  bool locations_valid_at_entry();

 private:
  Die skeleton_, body_;
  std::string missing_split_, producer_;
  bool cplusplus_;
  const ElfFile& code_;
  std::unique_ptr<FunctionIndex> functions_;
  std::unique_ptr<LineTable> lines_;
  std::unique_ptr<std::vector<std::string>> files_;
};

class Units {
 public:
  /// No units if either is null.
  Units(Dwarf* dwarf, const ElfFile* code);

  Unit* at(std::uint64_t offset);
  int number_at(std::uint64_t offset) const;  ///< Its place in all(); -1 if there is none.
  /// All addresses at which the answer of `at` may change, in order.
  std::vector<std::uint64_t> boundaries() const;
  std::vector<std::unique_ptr<Unit>>& all() { return units_; }
  /// Units that hold one type each (-fdebug-types-section) and no code.
  const std::vector<Die>& type_units() const { return type_units_; }
  std::vector<std::string> missing_splits() const;

 private:
  struct Span {
    Range range;
    int unit;
  };
  void list_units(Dwarf*);
  void span_from_aranges(Dwarf*);
  void span_from_units();
  void sort_spans();

  const ElfFile* code_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::vector<Die> type_units_;
  std::vector<bool> in_aranges_;
  std::vector<Span> spans_;
  std::vector<std::uint64_t> reach_;
};

}  // namespace callpath::dw
