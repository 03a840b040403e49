// Which function, inlined function and block an address of one unit is in.
#pragma once

#include <cstdint>
#include <vector>

#include "symbols/die.hpp"

namespace callpath::dw {

struct Node {
  enum class Kind : std::uint8_t { function, inlined, block };
  Die die;
  int parent = -1;  ///< Index of the enclosing node; -1 for functions.
  Kind kind = Kind::function;
  std::uint64_t entry = 0;                     ///< Start of the first range.
  std::uint32_t call_file = 0, call_line = 0;  ///< For inlined functions.
};

/// Made by descending the DIEs: `dwarf_getscopes` gives up on units whose functions are not below their scopes, as in LTO builds.
/// Overlapping or badly nested ranges are fine: the deepest node wins.
class FunctionIndex {
 public:
  /// Ranges that begin outside of code (functions the linker dropped) are left out.
  FunctionIndex(Die unit, const ElfFile& code);

  /// The innermost node, or -1.
  int at(std::uint64_t offset) const;

  const Node& node(int i) const { return nodes_[i]; }
  const std::vector<Node>& nodes() const { return nodes_; }

  /// Where the answer of `at` changes, in order.
  const std::vector<std::uint64_t>& starts() const { return starts_; }

  /// Innermost to outermost nodes that are functions, inlined or physical.
  std::vector<int> chain(int innermost) const;

  /// The range of a function that holds an address.
  Range range_around(int function, std::uint64_t offset) const;

  /// Some variable lives in different places at different addresses: what gdb takes as the sign of optimised code.
  bool has_location_lists() const { return has_location_lists_; }

 private:
  struct Interval {
    Range range;
    int depth, node;
  };
  void walk(Die parent, int enclosing, int depth, int nesting);
  void add(Die, Node::Kind, int enclosing, int depth, int nesting);
  void note_location(Die variable);
  void sweep();

  const ElfFile& code_;
  std::vector<Node> nodes_;
  std::vector<Interval> intervals_;    // used while building
  std::vector<std::uint64_t> starts_;  // segments: [starts_[i], starts_[i + 1]) belongs to owners_[i]
  std::vector<int> owners_;
  bool has_location_lists_ = false;
};

}  // namespace callpath::dw
