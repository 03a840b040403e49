#include "session/modules.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>

namespace callpath::session {
namespace {

constexpr int max_headers = 128;
constexpr std::size_t max_notes = 64 * 1024;

std::vector<Elf64_Phdr> program_headers(const Memory& memory, Address header_at) {
  auto header = memory.get<Elf64_Ehdr>(header_at);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return {};
  if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > max_headers) return {};
  std::vector<Elf64_Phdr> headers(header->e_phnum);
  if (!memory.read(header_at + header->e_phoff, headers.data(), headers.size() * sizeof(Elf64_Phdr))) return {};
  return headers;
}

std::string build_id_in(const std::vector<std::uint8_t>& notes) {
  auto align = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
  for (std::size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    std::size_t name = at + sizeof note, description = name + align(note.n_namesz), end = description + align(note.n_descsz);
    if (end > notes.size() || end < at) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0) {
      std::string text;
      for (std::size_t i = 0; i < note.n_descsz; ++i) text += fmt::format("{:02x}", notes[description + i]);
      return text;
    }
    at = end;
  }
  return {};
}

std::string read_build_id(const Memory& memory, std::uint64_t bias, const std::vector<Elf64_Phdr>& headers) {
  for (const auto& header : headers) {
    if (header.p_type != PT_NOTE || header.p_memsz > max_notes) continue;
    std::vector<std::uint8_t> notes(header.p_memsz);
    if (!memory.read({bias + header.p_vaddr}, notes.data(), notes.size())) continue;
    if (auto id = build_id_in(notes); !id.empty()) return id;
  }
  return {};
}

/// The run-time address of a file's first byte is that of its first segment, less that segment's place in the file.
std::uint64_t bias_of(Address header_at, const std::vector<Elf64_Phdr>& headers) {
  for (const auto& header : headers)
    if (header.p_type == PT_LOAD) return header_at.value - (header.p_vaddr - header.p_offset);
  return header_at.value;
}

std::optional<LoadedModule> load(const Memory& memory, const Mapping& first) {
  auto headers = program_headers(memory, first.begin);
  LoadedModule loaded;
  loaded.module.path = first.path;
  loaded.module.bias = bias_of(first.begin, headers);
  loaded.range.begin = ~0ull;
  bool executable = false;
  for (const auto& header : headers) {
    Address begin{loaded.module.bias + header.p_vaddr}, end = begin + header.p_memsz;
    if (header.p_type == PT_GNU_EH_FRAME) loaded.range.eh_frame_hdr = begin.value, loaded.range.hdr_size = header.p_memsz;
    if (header.p_type != PT_LOAD) continue;
    loaded.module.segments.push_back({begin, end, (header.p_flags & PF_X) != 0});
    executable |= (header.p_flags & PF_X) != 0;
    loaded.range.begin = std::min(loaded.range.begin, begin.value);
    loaded.range.end = std::max(loaded.range.end, end.value);
  }
  if (!executable) return std::nullopt;
  loaded.module.build_id = read_build_id(memory, loaded.module.bias, headers);
  return loaded;
}

bool may_be_a_file(const Mapping& mapping) {
  return mapping.offset == 0 && mapping.readable && !mapping.path.empty() && (mapping.path[0] == '/' || mapping.path == "[vdso]");
}

/// A file mapped for reading only, such as a library that a program inspects, has an ELF header in memory too, but runs nowhere.
bool runs(const LoadedModule& loaded, const std::vector<Mapping>& mappings) {
  for (const auto& segment : loaded.module.segments)
    for (const auto& mapping : mappings)
      if (segment.executable && mapping.executable && mapping.begin <= segment.begin && segment.begin < mapping.end &&
          mapping.path == loaded.module.path)
        return true;
  return false;
}

}  // namespace

bool ModuleTable::refresh() {
  auto mappings = read_mappings(pid_);
  std::map<Key, LoadedModule> now;
  bool changed = false;
  for (const auto& mapping : mappings) {
    if (!may_be_a_file(mapping)) continue;
    Key key{mapping.begin.value, fmt::format("{} {} {}", mapping.path, mapping.device, mapping.inode)};
    auto known = loaded_.find(key);
    if (known != loaded_.end()) {
      now.insert(*known);
    } else if (auto loaded = load(memory_, mapping); loaded && runs(*loaded, mappings)) {
      loaded->range.identity = std::hash<std::string>()(key.second);
      now.emplace(key, *loaded);
      changed = true;
    }
  }
  changed |= now.size() != loaded_.size();
  if (!changed) return false;
  loaded_ = std::move(now);
  modules_.clear();
  for (const auto& [key, loaded] : loaded_) modules_.push_back(loaded.module);
  return true;
}

const LoadedModule* ModuleTable::find(Address address) const {
  for (auto at = loaded_.upper_bound({address.value, "\x7f"}); at != loaded_.begin();) {
    --at;
    if (at->second.module.contains(address)) return &at->second;
    if (at->second.range.end <= address.value) break;
  }
  return nullptr;
}

std::vector<capture::ModuleRange> ModuleTable::ranges() const {
  std::vector<capture::ModuleRange> ranges;
  for (const auto& [key, loaded] : loaded_) ranges.push_back(loaded.range);
  return ranges;
}

std::optional<LoaderBreak> find_loader_break(const std::vector<Module>& modules, const Memory& memory, const std::string& executable) {
  for (const auto& module : modules) {
    if (module.path != executable || module.segments.empty()) continue;
    Address header_at{module.segments.front().begin.value & ~std::uint64_t{4095}};
    for (const auto& header : program_headers(memory, header_at)) {
      if (header.p_type != PT_DYNAMIC) continue;
      const Address first{module.bias + header.p_vaddr};
      for (Address at = first; at < first + header.p_memsz; at = at + sizeof(Elf64_Dyn)) {
        auto entry = memory.get<Elf64_Dyn>(at);
        if (!entry || entry->d_tag == DT_NULL) break;
        if (entry->d_tag != DT_DEBUG) continue;
        auto debug = memory.get<r_debug>({entry->d_un.d_ptr});
        if (debug && debug->r_brk) return LoaderBreak{{entry->d_un.d_ptr + offsetof(r_debug, r_state)}, {debug->r_brk}};
      }
    }
  }
  return std::nullopt;
}

}  // namespace callpath::session
