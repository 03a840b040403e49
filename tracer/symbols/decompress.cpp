#include "symbols/decompress.hpp"

#include <gelf.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

namespace callpath::dw {
namespace {

struct Compressed {
  Elf_Scn* section;
  std::uint64_t size;
};

/// Largest first. libelf takes no locks, so all that belongs to the file as a whole is loaded here, by one thread; what is left is the
/// section's own.
std::vector<Compressed> compressed_sections(Elf* elf) {
  std::vector<Compressed> found;
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return found;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_COMPRESSED) || header.sh_type == SHT_NOBITS) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name && std::strncmp(name, ".debug_", 7) == 0 && elf_rawdata(section, nullptr)) found.push_back({section, header.sh_size});
  }
  std::sort(found.begin(), found.end(), [](const Compressed& a, const Compressed& b) { return a.size > b.size; });
  return found;
}

}  // namespace

void decompress_sections(Elf* elf) {
  constexpr std::uint64_t worth_a_thread = 256 * 1024;
  const auto sections = compressed_sections(elf);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < sections.size();) elf_compress(sections[i].section, 0, 0);
  };
  std::thread helper;
  if (sections.size() > 1 && sections[1].size >= worth_a_thread && std::thread::hardware_concurrency() > 1) try {
      helper = std::thread(work);
    } catch (const std::system_error&) {  // no more threads: alone, then
    }
  work();
  if (helper.joinable()) helper.join();
}

}  // namespace callpath::dw
