// What stands behind Symbols; also used by Values.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "symbols/module_state.hpp"

namespace callpath {

struct Symbols::Impl {
  std::unordered_map<std::string, std::unique_ptr<dw::ModuleState>> modules;
  bool keeps_index = true;
  dw::ModuleState& state(const Module&);
};

}  // namespace callpath
