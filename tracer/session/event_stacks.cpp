#include "session/event_stacks.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace callpath::session {
namespace {

/// One of the functions is among the innermost frames, inlined or not.
bool passes(const RawStack& stack, std::size_t innermost, const std::vector<Module>& modules, Symbols& symbols,
            std::initializer_list<std::string_view> functions) {
  for (std::size_t i = 0; i < std::min(innermost, stack.frames.size()); ++i) {
    const Module* module = find_module(modules, stack.frames[i].lookup());
    if (!module) continue;
    for (const auto& function : symbols.at(*module, module->offset(stack.frames[i].lookup())))
      if (std::find(functions.begin(), functions.end(), function.name) != functions.end()) return true;
  }
  return false;
}

}  // namespace

bool is_start_of_python(const RawStack& stack, const std::vector<Module>& modules, Symbols& symbols) {
  return passes(stack, stack.frames.size(), modules, symbols, {"Py_InitializeFromConfig"});
}

bool is_ready_made(const RawStack& stack, const std::vector<Module>& modules, Symbols& symbols) {
  constexpr std::size_t near = 4;  // The maker stands one to three calls from _PyCode_New.
  return passes(stack, near, modules, symbols,
                {"r_object", "code_replace", "code_replace_impl", "code_new", "code_new_impl", "PyCode_NewEmpty"});
}

}  // namespace callpath::session
