// What --watch names: a piece of memory, told from the values at a probe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/raw_stack.hpp"
#include "session/condition.hpp"
#include "session/data_watch.hpp"
#include "session/tensors.hpp"

namespace callpath::session {

struct WatchTarget {
  WatchedPlace place;
  std::string type;  ///< "float32"
};

/// The stop at which the address is told.
struct WatchStop {
  const RawStack& stack;
  const std::vector<Module>& modules;
  const Memory& memory;
  std::string function;  ///< Full name of the function that the probe stands in: its parameters tell where a stripped one has its tensors.
  LookUp look_up;
  std::function<std::optional<SeenTensor>(const std::string& name)> tensor;  ///< A variable that debug information tells of.
};

class WatchExpression {
 public:
  /// "*(TYPE*)WHERE", WHERE being an address, a register ($rsi) or a path, perhaps with +N; or "NAME[i, j]", an element of the tensor that
  /// the argument NAME is. Without debug information the first tensor among a function's parameters is `self`, and arg0, arg1 ... count
  /// the parameters. Throws Error naming what is wrong.
  static WatchExpression parse(const std::string& text);

  std::optional<WatchTarget> resolve(const WatchStop&, std::string* why_not) const;
  const std::string& text() const { return text_; }

 private:
  std::optional<Address> address(const WatchStop&, std::string* why_not) const;
  std::optional<WatchTarget> element(const WatchStop&, std::string* why_not) const;

  std::string text_, type_, where_;
  std::int64_t offset_ = 0;
  bool is_element_ = false;
  std::vector<std::int64_t> indices_;
};

}  // namespace callpath::session
