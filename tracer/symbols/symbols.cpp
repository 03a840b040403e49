#include "symbols/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "symbols/advice.hpp"
#include "symbols/call_sites.hpp"
#include "symbols/impl.hpp"
#include "symbols/module_state.hpp"
#include "symbols/search.hpp"

namespace callpath {
namespace dw {
namespace {

FunctionAt entry(const ResolvedName& name, Confidence confidence) {
  FunctionAt f;
  f.name = name.name;
  f.full = name.full;
  f.note = name.note;
  f.origin = name.origin;
  f.confidence = confidence;
  return f;
}

void place(FunctionAt& f, std::string_view file, std::uint32_t line) {
  if (!file.empty()) f.file = file;
  if (line) f.line = static_cast<int>(line);
}

void place_at(FunctionAt& f, Unit& unit, std::uint64_t offset) {
  if (const LineRow* row = unit.lines().at(offset)) place(f, unit.lines().file(row->file), row->line);
}

FunctionAt without_dwarf(ModuleState& module, const Module& loaded, std::uint64_t offset) {
  FunctionAt f;
  if (const ElfSymbol* symbol = module.symbols().at(offset)) {
    f = entry(module.naming().symbol(*symbol), Confidence::symbol);
  } else {
    f.name = "??";
    f.full = fmt::format("{}+{:#x}", loaded.name(), offset);
    f.confidence = Confidence::module;
  }
  return f;
}

/// From what was laid out flat, in the cache folder or in memory.
std::vector<FunctionAt> functions_in(ModuleState& module, const Module& loaded, const UnitIndex& unit, std::uint64_t offset) {
  std::vector<FunctionAt> all;
  if (unit.functions_at(offset, all)) return all;
  all.push_back(without_dwarf(module, loaded, offset));
  const SourcePlace at = unit.place_at(offset);
  place(all.back(), at.file, at.line);
  return all;
}

/// From the debug information itself.
std::vector<FunctionAt> functions_in(ModuleState& module, const Module& loaded, Unit& unit, std::uint64_t offset) {
  std::vector<FunctionAt> all;
  const FunctionIndex& index = unit.functions();
  const Node* inner = nullptr;
  for (int i = index.at(offset); i >= 0; i = index.node(i).parent) {
    const Node& node = index.node(i);
    if (node.kind == Node::Kind::block) continue;
    auto& f = all.emplace_back(entry(module.naming().node(unit, i, offset), Confidence::exact));
    f.inlined = node.kind == Node::Kind::inlined;
    if (inner)
      place(f, unit.die_file(inner->call_file), inner->call_line);
    else
      place_at(f, unit, offset);
    inner = &node;
  }
  if (!all.empty()) return all;
  FunctionAt& f = all.emplace_back(without_dwarf(module, loaded, offset));
  place_at(f, unit, offset);
  if (!unit.missing_split().empty()) f.note += fmt::format("{}{} is missing", f.note.empty() ? "" : "; ", unit.missing_split());
  return all;
}

}  // namespace

std::vector<FunctionAt> functions_at(ModuleState& module, const Module& loaded, std::uint64_t offset) {
  if (!module.code()) return {without_dwarf(module, loaded, offset)};
  if (IndexFile* saved = module.saved()) {
    const int unit = saved->unit_at(offset);
    if (unit < 0) return {without_dwarf(module, loaded, offset)};
    if (const UnitIndex* index = saved->unit(unit)) return functions_in(module, loaded, *index, offset);
  }
  const int unit = module.units().number_at(offset);
  if (unit < 0) return {without_dwarf(module, loaded, offset)};
  if (const UnitIndex* index = module.flat(unit)) return functions_in(module, loaded, *index, offset);
  return functions_in(module, loaded, *module.units().all()[unit], offset);
}

}  // namespace dw

dw::ModuleState& Symbols::Impl::state(const Module& module) {
  auto& place = modules[module.path + '\n' + module.build_id];
  if (!place) place = std::make_unique<dw::ModuleState>(module, keeps_index);
  return *place;
}

Symbols::Symbols(Index index) : impl_(std::make_unique<Impl>()) { impl_->keeps_index = index == Index::kept; }
Symbols::~Symbols() = default;

std::vector<FunctionAt> Symbols::at(const Module& module, ModuleOffset offset) {
  return dw::functions_at(impl_->state(module), module, offset.value);
}

std::string Symbols::mangled(const Module& module, ModuleOffset offset) {
  auto& state = impl_->state(module);
  const dw::ElfSymbol* symbol = state.code() ? state.symbols().at(offset.value) : nullptr;
  return symbol ? symbol->name : std::string();
}

namespace {

DataSymbol data_symbol(const dw::DataEntry& entry) { return {entry.name, demangle(entry.name), {entry.start}, entry.size}; }

}  // namespace

std::vector<DataSymbol> Symbols::data_at(const Module& module, ModuleOffset offset) {
  std::vector<DataSymbol> found;
  if (const auto* data = impl_->state(module).data())
    for (const auto* entry : data->at(offset.value)) found.push_back(data_symbol(*entry));
  return found;
}

std::optional<DataSymbol> Symbols::data_named(const Module& module, const std::string& mangled) {
  const auto* data = impl_->state(module).data();
  const auto* entry = data ? data->named(mangled) : nullptr;
  return entry ? std::optional(data_symbol(*entry)) : std::nullopt;
}

std::vector<FoundFunction> Symbols::find(const Module& module, const std::string& pattern) {
  return dw::find_functions(impl_->state(module), pattern);
}

std::vector<FoundFunction> Symbols::find_inlined(const Module& module, const std::string& pattern) {
  return dw::find_inlined(impl_->state(module), pattern);
}

FoundFunction Symbols::function(const Module& module, ModuleOffset entry) {
  auto& state = impl_->state(module);
  if (state.code()) return dw::describe_function(state, entry.value);
  FoundFunction found;
  found.entry = found.after_prologue = entry;
  return found;
}

std::vector<FoundFunction> Symbols::find_line(const Module& module, const std::string& file, int line) {
  return dw::find_at_line(impl_->state(module), file, line);
}

std::vector<std::string> Symbols::nearest(const std::vector<Module>& modules, const std::string& pattern, std::size_t count) {
  std::vector<dw::Similar> candidates;
  for (const auto& module : modules) dw::collect_similar(impl_->state(module), pattern, candidates);
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.distance < b.distance; });
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (auto& c : candidates) {
    if (names.size() == count) break;
    if (seen.insert(c.name).second) names.push_back(c.name);
  }
  return names;
}

std::optional<CallSite> Symbols::call_returning_to(const Module& module, ModuleOffset return_address) {
  return dw::call_returning_to(impl_->state(module), module, return_address.value);
}

DebugLevel Symbols::level(const Module& module) { return impl_->state(module).level(); }

RecordedModule Symbols::describe(const Module& module) {
  static constexpr const char* levels[] = {"full", "symbols", "dynamic", "none"};
  auto& state = impl_->state(module);
  RecordedModule r;
  r.name = module.name();
  r.path = module.path;
  r.build_id = module.build_id;
  r.debug = levels[static_cast<int>(state.level())];
  if (state.detached()) r.debug_file = state.detached()->path();
  r.advice = dw::advice(state, module);
  return r;
}

}  // namespace callpath
