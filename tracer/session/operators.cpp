#include "session/operators.hpp"

#include <algorithm>

#include "python/elf_lookup.hpp"

namespace callpath::session {
namespace {
std::string identity(const Module& module) { return module.path + " " + module.build_id; }
}  // namespace

void OperatorHooks::want(const std::vector<EventSpec>& specs) {
  // The program tells by one glob; with several specs each call stops, and the session chooses.
  std::string glob;
  int count = 0;
  for (const auto& spec : specs)
    if (spec.kind->is_operators()) glob = spec.name.empty() ? "*" : spec.name, ++count;
  const bool simple = count == 1 && glob.size() < agent::operator_name_size && glob.find_first_of("[\\") == std::string::npos;
  if (!simple) glob = "*";
  std::copy_n(glob.c_str(), glob.size() + 1, shared_->operator_glob);
}

bool OperatorHooks::set(const Module& module) {
  const auto found = look_up_symbols(module.path, {operator_hook_symbol}).front();
  if (!found) return false;
  const Address word = module.address(*found);
  put(word, shared_->operator_function);
  words_.emplace_back(word, identity(module));
  return true;
}

void OperatorHooks::clear(const std::vector<Module>& loaded) {
  for (const auto& [word, library] : words_) {
    const Module* module = find_module(loaded, word);
    if (module && identity(*module) == library) put(word, 0);
  }
  words_.clear();
}

void OperatorHooks::put(Address word, std::uint64_t function) { memory_.write_text(word, &function, sizeof function); }

}  // namespace callpath::session
