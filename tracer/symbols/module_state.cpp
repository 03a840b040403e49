#include "symbols/module_state.hpp"

#include <algorithm>

#include "symbols/debug_files.hpp"

namespace callpath::dw {

ModuleState::ModuleState(const Module& module) : file_name_(module.name()), naming_(*this) { open(module); }

ModuleState::~ModuleState() {
  units_.reset();
  if (dwarf_) dwarf_end(dwarf_);
}

void ModuleState::open(const Module& module) {
  code_ = module.path == "[vdso]" ? ElfFile::vdso() : ElfFile::open(module.path);
  if (!code_) {
    problem_ = module.path + " cannot be read as an x86-64 ELF file";
    return;
  }
  if (!module.build_id.empty() && !code_->build_id().empty() && module.build_id != code_->build_id()) {
    problem_ = module.path + " is no longer the file that was loaded (its build-id differs)";
    code_.reset();
    return;
  }
  if (!code_->has_section(".debug_info") && !code_->has_section(".zdebug_info")) detached_ = find_debug_file(*code_);
}

Dwarf* ModuleState::dwarf() {
  if (dwarf_tried_) return dwarf_;
  dwarf_tried_ = true;
  const ElfFile* file = detached_ ? detached_.get() : code_.get();
  if (file) dwarf_ = dwarf_begin_elf(file->elf(), DWARF_C_READ, nullptr);
  return dwarf_;
}

const ElfSymbols& ModuleState::symbols() {
  if (symbols_) return *symbols_;
  symbols_ = std::make_unique<ElfSymbols>();
  if (detached_) *symbols_ = ElfSymbols(*detached_);
  if (symbols_->table() != ElfSymbols::Table::full && code_) *symbols_ = ElfSymbols(*code_);
  return *symbols_;
}

Units& ModuleState::units() {
  if (!units_) units_ = std::make_unique<Units>(dwarf(), code_.get());
  return *units_;
}

TypeDefinitions& ModuleState::types() {
  if (!types_) types_ = std::make_unique<TypeDefinitions>(units(), die_names_);
  return *types_;
}

bool ModuleState::has_dwarf() {
  const auto& all = units().all();
  return std::any_of(all.begin(), all.end(), [](const auto& unit) { return unit->missing_split().empty(); });
}

DebugLevel ModuleState::level() {
  if (has_dwarf()) return DebugLevel::full;
  switch (symbols().table()) {
    case ElfSymbols::Table::full:
      return DebugLevel::symbols;
    case ElfSymbols::Table::dynamic:
      return DebugLevel::dynamic;
    default:
      return DebugLevel::none;
  }
}

}  // namespace callpath::dw
