// The search for tables that hold given functions.
#pragma once

#include <map>
#include <vector>

#include "tables/shapes.hpp"
#include "tables/table_names.hpp"
#include "tables/words.hpp"

namespace callpath::tables {

/// First the data of the files, where most tables are; then the dispatcher; then, for what is left and for the owners of methods, the heap.
class Resolver {
 public:
  Resolver(Symbols& symbols, const std::vector<Module>& modules, const Memory& memory, const Heap& heap)
      : symbols_(symbols), modules_(modules), memory_(memory), shapes_(memory_), heap_(heap) {}

  /// The best reading of each function, by its first instruction; functions of which nothing is found are left out.
  std::map<Address, Reading> run(const std::vector<Address>& functions);

  std::uint64_t left_out() const { return coverage_.left_out; }

 private:
  void look_in_files(const std::vector<Address>& functions);
  void look_in_dispatcher(const std::vector<Address>& functions);
  void look_in_heap(const std::vector<Address>& functions);
  void take_function(const Found&);
  void add(Address function, const Reading&);
  Reading best(Address function) const;
  std::vector<Reading> without_inherited(const std::vector<Reading>&) const;

  Symbols& symbols_;
  const std::vector<Module>& modules_;
  BlockMemory memory_;
  Shapes shapes_;
  const Heap& heap_;
  Coverage coverage_;
  std::map<Address, std::vector<Reading>> readings_;
  std::map<Address, Address> definitions_;  ///< Method definition -> its function, owners not looked for yet.
  std::vector<Found> unexplained_;          ///< Words that may stand in an array.
};

}  // namespace callpath::tables
