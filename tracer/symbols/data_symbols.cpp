#include "symbols/data_symbols.hpp"

#include <algorithm>

#include "symbols/symbol_tables.hpp"

namespace callpath::dw {
namespace {

bool is_data(const GElf_Sym& symbol) {
  return GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS && symbol.st_size > 0;
}

}  // namespace

DataSymbols::DataSymbols(const ElfFile& file) {
  load(file.elf(), SHT_SYMTAB);
  if (all_.empty()) load(file.elf(), SHT_DYNSYM);
  std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  std::uint64_t reach = 0;
  for (const auto& entry : all_) reach_.push_back(reach = std::max(reach, entry.start + entry.size));
}

void DataSymbols::load(Elf* elf, std::uint32_t section_type) {
  for_each_symbol(elf, section_type, [&](const GElf_Sym& symbol, const char* name) {
    if (is_data(symbol)) all_.push_back({symbol.st_value, symbol.st_size, name});
  });
}

std::vector<const DataEntry*> DataSymbols::at(std::uint64_t offset) const {
  std::vector<const DataEntry*> found;
  auto after = std::upper_bound(all_.begin(), all_.end(), offset, [](std::uint64_t a, const DataEntry& e) { return a < e.start; });
  for (auto i = static_cast<std::size_t>(after - all_.begin()); i-- > 0 && reach_[i] > offset;)
    if (offset - all_[i].start < all_[i].size) found.push_back(&all_[i]);
  std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->size < b->size; });
  return found;
}

const DataEntry* DataSymbols::named(const std::string& name) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const DataEntry& e) { return name == e.name; });
  return found == all_.end() ? nullptr : &*found;
}

}  // namespace callpath::dw
