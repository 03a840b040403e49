#include "capture/module_table.hpp"

#include <link.h>

#include <atomic>

namespace callpath::capture {
namespace {

struct Table {
  std::size_t count = 0;
  ModuleRange ranges[max_modules];
};

// Two tables, so that a reader in a handler never sees one half written: the writer fills the one that is not in use.
Table tables[2];
std::atomic<unsigned> in_use{0};

void insert_sorted(Table& table, const ModuleRange& range) {
  std::size_t at = table.count++;
  for (; at > 0 && table.ranges[at - 1].begin > range.begin; --at) table.ranges[at] = table.ranges[at - 1];
  table.ranges[at] = range;
}

struct Collected {
  std::size_t count = 0;
  bool all = true;
  ModuleRange ranges[max_modules];
};

int collect(dl_phdr_info* info, std::size_t, void* data) {
  auto& collected = *static_cast<Collected*>(data);
  ModuleRange range{~0ull, 0, 0, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    std::uint64_t begin = info->dlpi_addr + header.p_vaddr, end = begin + header.p_memsz;
    if (header.p_type == PT_GNU_EH_FRAME) range.eh_frame_hdr = begin, range.hdr_size = header.p_memsz;
    if (header.p_type != PT_LOAD) continue;
    if (begin < range.begin) range.begin = begin;
    if (end > range.end) range.end = end;
  }
  if (range.end == 0) return 0;
  if (collected.count == max_modules) return collected.all = false, 1;
  collected.ranges[collected.count++] = range;
  return 0;
}

Collected collected;

}  // namespace

bool set_modules(const ModuleRange* ranges, std::size_t count) {
  Table& next = tables[1 - in_use.load(std::memory_order_relaxed)];
  next.count = 0;
  for (std::size_t i = 0; i < count && i < max_modules; ++i) insert_sorted(next, ranges[i]);
  in_use.store(&next == &tables[1], std::memory_order_release);
  return count <= max_modules;
}

bool refresh_modules() {
  collected.count = 0;
  collected.all = true;
  dl_iterate_phdr(collect, &collected);
  return set_modules(collected.ranges, collected.count) && collected.all;
}

const ModuleRange* module_at(std::uint64_t address) {
  const Table& table = tables[in_use.load(std::memory_order_acquire)];
  std::size_t low = 0, high = table.count;
  while (low < high) {
    std::size_t middle = (low + high) / 2;
    if (table.ranges[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return nullptr;
  const ModuleRange& range = table.ranges[low - 1];
  return address < range.end ? &range : nullptr;
}

int each_module(int (*visit)(const ModuleRange&, void*), void* data) {
  const Table& table = tables[in_use.load(std::memory_order_acquire)];
  for (std::size_t i = 0; i < table.count; ++i)
    if (int answer = visit(table.ranges[i], data)) return answer;
  return 0;
}

}  // namespace callpath::capture
