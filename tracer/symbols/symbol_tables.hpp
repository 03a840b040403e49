// The symbol tables of an ELF file, entry by entry.
#pragma once

#include <gelf.h>

namespace callpath::dw {

/// Calls take(symbol, name) for each named symbol of the sections of this type (SHT_SYMTAB or SHT_DYNSYM). The name lives as long as the
/// file.
template <typename Take>
void for_each_symbol(Elf* elf, std::uint32_t section_type, Take take) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != section_type || header.sh_entsize == 0) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (!data) continue;
    const auto count = data->d_size / header.sh_entsize;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (!gelf_getsym(data, static_cast<int>(i), &symbol)) continue;
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name && *name) take(symbol, name);
    }
  }
}

}  // namespace callpath::dw
