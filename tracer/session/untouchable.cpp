#include "session/untouchable.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace callpath::session {
namespace {

// Internal aliases (__GI_...) and leading underscores are dropped before looking.
constexpr std::array<std::string_view, 8> run_with_signals_blocked = {"start_thread",   "create_thread", "clone",      "clone3",
                                                                      "clone_internal", "spawni_child",  "libc_vfork", "vfork"};

bool of_the_c_library(const Module& module) {
  const auto name = module.name();
  return name.rfind("libc.so", 0) == 0 || name.rfind("libc-2", 0) == 0 || name.rfind("libpthread", 0) == 0;
}

std::string_view plain(std::string_view name) {
  const auto strip = [&name](std::string_view prefix) {
    if (name.substr(0, prefix.size()) == prefix) name.remove_prefix(prefix.size());
  };
  strip("__GI_");
  while (!name.empty() && name.front() == '_') name.remove_prefix(1);
  return name.substr(0, name.find('.'));
}

}  // namespace

std::optional<std::string> why_untouchable(const Module& module, const FoundFunction& function) {
  const auto& known = run_with_signals_blocked;
  if (!of_the_c_library(module) || std::find(known.begin(), known.end(), plain(function.name)) == known.end()) return std::nullopt;
  return "no probe can be set in " + function.name +
         ": the C library runs it with every signal blocked, and a breakpoint there would end the program";
}

}  // namespace callpath::session
