#include "python/elf_lookup.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace callpath {
namespace {

using Values = std::vector<std::optional<ModuleOffset>>;

class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0 || elf_version(EV_CURRENT) == EV_NONE) return;
    elf_ = elf_begin(fd_, ELF_C_READ_MMAP, nullptr);
    if (elf_ && elf_kind(elf_) != ELF_K_ELF) {
      elf_end(elf_);
      elf_ = nullptr;
    }
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile() {
    if (elf_) elf_end(elf_);
    if (fd_ >= 0) ::close(fd_);
  }
  Elf* get() const { return elf_; }

 private:
  int fd_;
  Elf* elf_ = nullptr;
};

void take_symbol(Elf* elf, const GElf_Shdr& header, const GElf_Sym& symbol, const std::vector<std::string>& names, Values& values) {
  if (symbol.st_shndx == SHN_UNDEF) return;
  const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
  if (!name) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!values[i] && names[i] == name) values[i] = ModuleOffset{symbol.st_value};
}

void read_table(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const std::vector<std::string>& names, Values& values) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (!data || header.sh_entsize == 0) return;
  const std::size_t count = data->d_size / header.sh_entsize;
  GElf_Sym symbol;
  for (std::size_t i = 0; i < count; ++i)
    if (gelf_getsym(data, static_cast<int>(i), &symbol)) take_symbol(elf, header, symbol, names, values);
}

void read_tables(Elf* elf, GElf_Word type, const std::vector<std::string>& names, Values& values) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_type == type) read_table(elf, section, header, names, values);
  }
}

}  // namespace

Values look_up_symbols(const std::string& file, const std::vector<std::string>& names) {
  Values values(names.size());
  const ElfFile elf(file);
  if (!elf.get()) return values;
  read_tables(elf.get(), SHT_DYNSYM, names, values);
  if (std::find(values.begin(), values.end(), std::nullopt) != values.end()) read_tables(elf.get(), SHT_SYMTAB, names, values);
  return values;
}

}  // namespace callpath
