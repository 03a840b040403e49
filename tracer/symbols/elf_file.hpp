// An ELF file opened for reading. Internal to tracer/symbols and tracer/values.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace callpath::dw {

/// Addresses are module offsets: as the file itself numbers them.
struct Range {
  std::uint64_t begin = 0, end = 0;
  bool contains(std::uint64_t a) const { return begin <= a && a < end; }
};

/// Owns the descriptor and the libelf handle; both stay open because libdw looks for .dwo and alternate files beside the open file.
class ElfFile {
 public:
  /// Nothing if the file cannot be read or is not a 64-bit little-endian x86-64 ELF file.
  static std::unique_ptr<ElfFile> open(const std::string& path);

  /// The kernel's vdso. The same image serves every process on this machine, so this process's own is read.
  static std::unique_ptr<ElfFile> vdso();

  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  Elf* elf() const { return elf_; }
  const std::string& path() const { return path_; }
  const std::string& build_id() const { return build_id_; }  ///< Lower-case hex; empty if there is none.

  /// True if the section is there with content (a detached debug file keeps empty shells of code sections).
  bool has_section(const std::string& name) const;
  std::optional<std::string> section(const std::string& name) const;

  /// Executable PT_LOAD ranges.
  const std::vector<Range>& executable() const { return executable_; }
  bool is_code(std::uint64_t offset) const;

  /// Bytes as the loader would map them; false outside of the file's content.
  bool read(std::uint64_t offset, void* to, std::size_t size) const;

 private:
  ElfFile(int fd, Elf* elf, std::string path);
  static std::unique_ptr<ElfFile> wrap(int fd, Elf* elf, const std::string& path);
  void scan_segments();

  int fd_;
  Elf* elf_;
  std::string path_, build_id_;
  std::vector<Range> executable_;
};

}  // namespace callpath::dw
