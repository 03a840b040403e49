#include "symbols/elf_file.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace callpath::dw {
namespace {

bool supported(Elf* elf) {
  GElf_Ehdr header;
  if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header)) return false;
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_X86_64;
}

std::string read_build_id(Elf* elf) {
  const void* bytes = nullptr;
  const auto size = dwelf_elf_gnu_build_id(elf, &bytes);
  std::string hex;
  for (ssize_t i = 0; i < size; ++i) hex += fmt::format("{:02x}", static_cast<const std::uint8_t*>(bytes)[i]);
  return hex;
}

Elf_Scn* find_section(Elf* elf, const std::string& name, GElf_Shdr& header) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return nullptr;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
    if (!gelf_getshdr(section, &header)) continue;
    const char* text = elf_strptr(elf, names, header.sh_name);
    if (text && name == text) return section;
  }
  return nullptr;
}

}  // namespace

ElfFile::ElfFile(int fd, Elf* elf, std::string path) : fd_(fd), elf_(elf), path_(std::move(path)), build_id_(read_build_id(elf)) {
  scan_segments();
}

ElfFile::~ElfFile() {
  elf_end(elf_);
  if (fd_ >= 0) ::close(fd_);
}

std::unique_ptr<ElfFile> ElfFile::wrap(int fd, Elf* elf, const std::string& path) {
  if (elf && supported(elf)) return std::unique_ptr<ElfFile>(new ElfFile(fd, elf, path));
  if (elf) elf_end(elf);
  if (fd >= 0) ::close(fd);
  return nullptr;
}

std::unique_ptr<ElfFile> ElfFile::open(const std::string& path) {
  elf_version(EV_CURRENT);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return nullptr;
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {  // a device or a pipe could block or never end
    ::close(fd);
    return nullptr;
  }
  return wrap(fd, elf_begin(fd, ELF_C_READ_MMAP, nullptr), path);
}

std::unique_ptr<ElfFile> ElfFile::vdso() {
  elf_version(EV_CURRENT);
  auto* image = reinterpret_cast<char*>(getauxval(AT_SYSINFO_EHDR));
  if (!image) return nullptr;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(image);
  const std::size_t size = header->e_shoff + std::size_t{header->e_shentsize} * header->e_shnum;
  return wrap(-1, elf_memory(image, size), "[vdso]");
}

void ElfFile::scan_segments() {
  std::size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf_, static_cast<int>(i), &segment)) continue;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X)) executable_.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz});
  }
}

bool ElfFile::is_code(std::uint64_t offset) const {
  return std::any_of(executable_.begin(), executable_.end(), [&](const Range& r) { return r.contains(offset); });
}

bool ElfFile::has_section(const std::string& name) const {
  GElf_Shdr header;
  return find_section(elf_, name, header) && header.sh_type != SHT_NOBITS && header.sh_size > 0;
}

std::optional<std::string> ElfFile::section(const std::string& name) const {
  GElf_Shdr header;
  Elf_Scn* found = find_section(elf_, name, header);
  if (!found || header.sh_type == SHT_NOBITS) return std::nullopt;
  Elf_Data* data = elf_rawdata(found, nullptr);
  if (!data || !data->d_buf) return std::nullopt;
  return std::string(static_cast<const char*>(data->d_buf), data->d_size);
}

bool ElfFile::read(std::uint64_t offset, void* to, std::size_t size) const {
  std::size_t count = 0, file_size = 0;
  const char* content = elf_rawfile(elf_, &file_size);
  if (!content || elf_getphdrnum(elf_, &count) != 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf_, static_cast<int>(i), &segment) || segment.p_type != PT_LOAD) continue;
    if (offset < segment.p_vaddr || offset - segment.p_vaddr >= segment.p_filesz || size > segment.p_filesz - (offset - segment.p_vaddr))
      continue;
    const std::uint64_t at = segment.p_offset + (offset - segment.p_vaddr);
    if (at > file_size || size > file_size - at) return false;
    std::memcpy(to, content + at, size);
    return true;
  }
  return false;
}

}  // namespace callpath::dw
