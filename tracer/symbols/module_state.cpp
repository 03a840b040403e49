#include "symbols/module_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "symbols/debug_files.hpp"
#include "symbols/decompress.hpp"

namespace callpath::dw {

ModuleState::ModuleState(const Module& module, bool keeps_index) : file_name_(module.name()), keeps_index_(keeps_index), naming_(*this) {
  open(module);
}

ModuleState::~ModuleState() {
  if (keeps_index_ && dwarf_tried_) save_index();
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
  if (code_->has_section(".debug_info") || code_->has_section(".zdebug_info")) return;
  auto debug = find_debug_file(*code_);
  detached_ = std::move(debug.file);
  if (!detached_) rejected_ = std::move(debug.rejected);
}

Dwarf* ModuleState::dwarf() {
  if (dwarf_tried_) return dwarf_;
  dwarf_tried_ = true;
  const ElfFile* file = detached_ ? detached_.get() : code_.get();
  if (file) decompress_sections(file->elf());
  if (file) dwarf_ = dwarf_begin_elf(file->elf(), DWARF_C_READ, nullptr);
  return dwarf_;
}

const ElfSymbols& ModuleState::symbols() {
  if (symbols_) return *symbols_;
  if (IndexFile* index = saved()) {
    symbols_ = std::make_unique<ElfSymbols>(static_cast<ElfSymbols::Table>(index->symbol_table()), index->symbols());
    return *symbols_;
  }
  symbols_ = std::make_unique<ElfSymbols>();
  if (detached_) *symbols_ = ElfSymbols(*detached_);
  if (symbols_->table() != ElfSymbols::Table::full && code_) *symbols_ = ElfSymbols(*code_);
  return *symbols_;
}

const DataSymbols* ModuleState::data() {
  if (!data_ && code_) data_ = std::make_unique<DataSymbols>(*code_);
  return data_.get();
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

/// Which bytes were read. A file without a build-id has no name that would hold for ever.
std::string ModuleState::index_key() const {
  if (!code_ || code_->build_id().empty()) return {};
  const auto identity = [](const ElfFile& file) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(file.path(), failed);
    const auto time = std::filesystem::last_write_time(file.path(), failed);
    return failed ? std::string("?") : fmt::format("{} {}", size, time.time_since_epoch().count());
  };
  return fmt::format("{} {} {} {}", code_->build_id(), identity(*code_), detached_ ? detached_->path() : "-",
                     detached_ ? identity(*detached_) : "-");
}

IndexFile* ModuleState::saved() {
  if (!keeps_index_ || saved_tried_) return saved_.get();
  saved_tried_ = true;
  if (const auto key = index_key(); !key.empty()) saved_ = IndexFile::open(key);
  return saved_.get();
}

void ModuleState::lay_out(int unit, Flat& flat) {
  if (!flat.bytes.empty()) return;
  flat.bytes = UnitIndex::build(*this, *units().all()[unit]);
  flat.index = UnitIndex::read(flat.bytes);
}

const UnitIndex* ModuleState::flat(int unit) {
  constexpr int often = 64;
  Flat& flat = flat_[unit];
  if (flat.asked < often && ++flat.asked == often && units().all()[unit]->missing_split().empty()) lay_out(unit, flat);
  return flat.index ? &*flat.index : nullptr;
}

/// What was asked about now, beside what was written before.
void ModuleState::save_index() {
  const auto key = index_key();
  if (key.empty() || flat_.empty() || !units().missing_splits().empty()) return;
  IndexContent content;
  content.summary.level = static_cast<std::uint32_t>(level());
  content.symbols = &symbols().all();
  content.symbol_table = static_cast<std::uint32_t>(symbols().table());
  const auto boundaries = units().boundaries();
  for (std::size_t i = 0; i + 1 < boundaries.size(); ++i)
    if (const int unit = units().number_at(boundaries[i]); unit >= 0)
      content.spans.push_back({boundaries[i], boundaries[i + 1], static_cast<std::uint32_t>(unit)});
  content.units.resize(units().all().size());
  for (int i = 0; i < static_cast<int>(content.units.size()); ++i)
    if (saved_ && saved_->unit(i)) content.units[i] = saved_->unit_bytes(i);
  for (auto& [unit, flat] : flat_) {
    lay_out(unit, flat);
    content.units[unit] = flat.bytes;
  }
  write_index(key, content);
}

std::vector<std::string> ModuleState::missing_splits() { return saved() ? std::vector<std::string>() : units().missing_splits(); }

DebugLevel ModuleState::level() {
  if (saved()) return static_cast<DebugLevel>(saved()->summary().level);
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
