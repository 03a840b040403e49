#include "symbols/elf_symbols.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "symbols/symbol_tables.hpp"

namespace callpath::dw {
namespace {

/// Of several names for one address: real functions before labels, public before private, plain before decorated.
auto rank(const ElfSymbol& s) {
  const int bind = s.bind == STB_GLOBAL ? 0 : s.bind == STB_WEAK ? 1 : 2;
  const auto underscores = std::strspn(s.name, "_");
  return std::make_tuple(s.type == STT_NOTYPE, bind, s.name[0] == '_' && s.name[1] == 'Z' ? 0 : underscores, std::strlen(s.name));
}

bool is_function(const GElf_Sym& s) {
  const int type = GELF_ST_TYPE(s.st_info);
  if (s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_ABS || s.st_value == 0) return false;
  return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && s.st_size > 0);
}

}  // namespace

ElfSymbols::ElfSymbols(const ElfFile& file) {
  load(file.elf(), SHT_SYMTAB);
  if (!symbols_.empty()) {
    table_ = Table::full;
  } else {
    load(file.elf(), SHT_DYNSYM);
    if (!symbols_.empty()) table_ = Table::dynamic;
  }
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const ElfSymbol& a, const ElfSymbol& b) { return a.start != b.start ? a.start < b.start : rank(a) < rank(b); });
  note_reach();
}

ElfSymbols::ElfSymbols(Table table, std::vector<ElfSymbol> sorted) : table_(table), symbols_(std::move(sorted)) { note_reach(); }

void ElfSymbols::note_reach() {
  std::uint64_t reach = 0;
  reach_.reserve(symbols_.size());
  for (const auto& s : symbols_) reach_.push_back(reach = std::max(reach, s.start + s.size));
}

void ElfSymbols::load(Elf* elf, std::uint32_t section_type) {
  for_each_symbol(elf, section_type, [&](const GElf_Sym& symbol, const char* name) {
    if (!is_function(symbol)) return;
    symbols_.push_back({symbol.st_value, symbol.st_size, without_version(name), static_cast<std::uint8_t>(GELF_ST_BIND(symbol.st_info)),
                        static_cast<std::uint8_t>(GELF_ST_TYPE(symbol.st_info))});
  });
}

/// Static linkers write the version into the names of .symtab, behind one "@" or two; .dynsym keeps it apart.
const char* ElfSymbols::without_version(const char* name) {
  const char* version = std::strchr(name, '@');
  return !version || version == name ? name : shortened_.emplace_back(name, version).c_str();
}

const ElfSymbol* ElfSymbols::at(std::uint64_t offset) const {
  auto after = std::upper_bound(symbols_.begin(), symbols_.end(), offset, [](std::uint64_t a, const ElfSymbol& s) { return a < s.start; });
  const ElfSymbol* best = nullptr;
  for (auto i = after - symbols_.begin(); i-- > 0;) {
    const auto& s = symbols_[i];
    if (reach_[i] <= offset || (best && s.start < best->start)) break;
    if (s.contains(offset)) best = &s;  // earlier in the group of equal starts means better rank
  }
  return best;
}

std::vector<const ElfSymbol*> ElfSymbols::starting_at(std::uint64_t offset) const {
  auto first = std::lower_bound(symbols_.begin(), symbols_.end(), offset, [](const ElfSymbol& s, std::uint64_t a) { return s.start < a; });
  std::vector<const ElfSymbol*> found;
  for (; first != symbols_.end() && first->start == offset; ++first) found.push_back(&*first);
  return found;
}

const ElfSymbol* ElfSymbols::unique(std::string_view name) const {
  if (by_name_.empty()) {
    for (const auto& s : symbols_) {
      auto [place, fresh] = by_name_.emplace(s.name, &s);
      if (!fresh && place->second && place->second->start != s.start) place->second = nullptr;
    }
  }
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace callpath::dw
