// What a function without a name is for, by decoded calls around it. A role is no symbol: it says what is called by whom.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "tables/code.hpp"
#include "tables/table_names.hpp"

namespace callpath::tables {

/// The name of the function that begins somewhere, by a symbol or a table.
using NameOf = std::function<std::optional<std::string>(Address function)>;

class Roles {
 public:
  /// `extents` and `names` are as long as the stack; names are those that tables gave.
  Roles(Symbols& symbols, const std::vector<Module>& modules, const Memory& memory, const std::vector<Place>& stack,
        const std::vector<std::optional<Extent>>& extents, std::vector<std::optional<Reading>>& names, FunctionExtents& all_extents,
        NameOf name_of)
      : symbols_(symbols),
        modules_(modules),
        memory_(memory),
        stack_(stack),
        extents_(extents),
        names_(names),
        all_extents_(all_extents),
        name_of_(std::move(name_of)) {}

  /// Fills names that are still missing, from the outside in.
  void fill();

 private:
  struct Chain {
    std::string root;  ///< The nearest outer function with a name of its own.
    int calls = 0;
  };
  std::optional<Reading> role(std::size_t index);
  std::optional<Reading> kernel_of_wrapper(std::size_t index) const;
  std::optional<Reading> callback(std::size_t index);
  std::optional<Reading> by_referrer(std::size_t index);
  std::optional<Reading> callee(std::size_t index, bool by_jump);
  enum class Call { direct, by_jump, through_pointer, elsewhere };
  Call call_of(std::size_t index) const;
  std::string name(std::size_t index) const;
  std::string full(std::size_t index) const;
  std::string call_place(std::size_t outer) const;
  std::vector<std::string> called_names(const Extent&) const;
  const References& references(std::size_t index);

  Symbols& symbols_;
  const std::vector<Module>& modules_;
  const Memory& memory_;
  const std::vector<Place>& stack_;
  const std::vector<std::optional<Extent>>& extents_;
  std::vector<std::optional<Reading>>& names_;
  FunctionExtents& all_extents_;
  NameOf name_of_;
  std::map<std::size_t, Chain> chains_;
  std::map<std::uint64_t, References> references_;
};

}  // namespace callpath::tables
