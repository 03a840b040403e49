// Names for functions without symbols, from the tables through which the program calls them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "core/module.hpp"
#include "symbols/symbols.hpp"
#include "tables/dispatcher.hpp"
#include "tables/functions.hpp"
#include "tables/reading.hpp"

namespace callpath::tables {

/// One physical frame of a stack, innermost first.
struct Place {
  Address pc, lookup;              ///< As captured; as it is looked up.
  const Module* module = nullptr;  ///< Null for code that lies in no file.
  std::string name, full;          ///< What symbols say.
  bool nameless = false;           ///< They say nothing: to be named here.
};

/// Where pointers may stand apart from the files' own data: the heap, other anonymous memory that can be written. Asked for only if needed.
using Heap = std::function<std::vector<Extent>()>;

/// Names are kept by function, so that one object serves a whole session. Nothing is run in the program.
class TableNames {
 public:
  explicit TableNames(Symbols& symbols) : symbols_(symbols) {}

  /// A name for each nameless place, in the order of the stack; nothing where no table and no decoded call tells.
  std::vector<std::optional<Reading>> name(const std::vector<Place>& stack, const std::vector<Module>&, const Memory&, const Heap&);

  /// The function, or the part of one, that holds an address.
  std::optional<Extent> extent(const Module& module, const Memory& memory, Address a) { return extents_.at(module, memory, a); }

  /// Memory that was left out of a search because there is too much of it.
  std::uint64_t left_out() const { return left_out_; }

 private:
  using Key = std::pair<std::string, std::uint64_t>;  ///< A file's identity and the function's place in it.
  void resolve(std::vector<Address> functions, const std::vector<Module>&, const Memory&, const Heap&);
  static Key key(const Module& module, Address begin) { return {module.path + '\n' + module.build_id, module.offset(begin).value}; }

  Symbols& symbols_;
  FunctionExtents extents_;
  std::map<Key, std::optional<Reading>> known_;
  std::uint64_t left_out_ = 0;
};

}  // namespace callpath::tables
