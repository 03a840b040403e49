#include "capture/module_table.hpp"

#include <link.h>

#include <atomic>

#include "capture/row_cache.hpp"
#include "capture/syscall.hpp"

namespace callpath::capture {
namespace {

struct Table {
  std::size_t count = 0;
  ModuleRange ranges[max_modules];
};

// Two tables, so that a reader in a handler never sees one half written: the writer fills the one that is not in use, when its last reader
// left.
Table tables[2];
std::atomic<int> readers[2] = {};
std::atomic<unsigned> in_use{0};

/// Keeps the table in use from being written to. Readers wait for nobody; they look again if the tables changed places meanwhile.
class Reading {
 public:
  Reading() {
    for (;;) {
      index_ = in_use.load();
      readers[index_].fetch_add(1);
      if (in_use.load() == index_) return;
      readers[index_].fetch_sub(1);
    }
  }
  ~Reading() { readers[index_].fetch_sub(1); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  const Table& table() const { return tables[index_]; }

 private:
  unsigned index_ = 0;
};

/// A reader stays for some hundred instructions, unless it was in a thread that fork left behind, or was left by a jump: not waited for.
void wait_for_readers(unsigned index) {
  constexpr int enough = 10'000;
  for (int i = 0; i < enough && readers[index].load() > 0; ++i) system_call(SYS_sched_yield);
  readers[index].store(0);
}

void insert_sorted(Table& table, const ModuleRange& range) {
  std::size_t at = table.count++;
  for (; at > 0 && table.ranges[at - 1].begin > range.begin; --at) table.ranges[at] = table.ranges[at - 1];
  table.ranges[at] = range;
}

bool same(const ModuleRange& a, const ModuleRange& b) {
  return a.begin == b.begin && a.end == b.end && a.eh_frame_hdr == b.eh_frame_hdr && a.hdr_size == b.hdr_size && a.identity == b.identity;
}

/// Both tables are sorted.
bool all_of_it_in(const Table& table, const Table& part) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < part.count; ++i) {
    while (at < table.count && table.ranges[at].begin < part.ranges[i].begin) ++at;
    if (at == table.count || !same(table.ranges[at], part.ranges[i])) return false;
  }
  return true;
}

struct Collected {
  unsigned long long unloaded = 0;  ///< By the loader's own count.
  std::size_t count = 0;
  bool all = true;
  ModuleRange ranges[max_modules];
};

int collect(dl_phdr_info* info, std::size_t, void* data) {
  auto& collected = *static_cast<Collected*>(data);
  ModuleRange range;
  range.begin = ~0ull;
  collected.unloaded = info->dlpi_subs;
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
  const unsigned before = in_use.load();
  wait_for_readers(1 - before);
  Table& next = tables[1 - before];
  next.count = 0;
  for (std::size_t i = 0; i < count && i < max_modules; ++i) insert_sorted(next, ranges[i]);
  in_use.store(1 - before);
  // Rows of code that stays hold on; where code went, other code may be now.
  if (!all_of_it_in(next, tables[before])) row_cache.new_generation();
  return count <= max_modules;
}

bool refresh_modules() {
  collected.count = 0;
  collected.all = true;
  const auto unloaded = collected.unloaded;
  dl_iterate_phdr(collect, &collected);
  const bool all = set_modules(collected.ranges, collected.count) && collected.all;
  if (collected.unloaded != unloaded) row_cache.new_generation();
  return all;
}

bool module_at(std::uint64_t address, ModuleRange& module) {
  const Reading reading;
  const Table& table = reading.table();
  std::size_t low = 0, high = table.count;
  while (low < high) {
    std::size_t middle = (low + high) / 2;
    if (table.ranges[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0 || address >= table.ranges[low - 1].end) return false;
  module = table.ranges[low - 1];
  return true;
}

int each_module(int (*visit)(const ModuleRange&, void*), void* data) {
  const Reading reading;
  for (std::size_t i = 0; i < reading.table().count; ++i)
    if (int answer = visit(reading.table().ranges[i], data)) return answer;
  return 0;
}

}  // namespace callpath::capture
