#include "symbols/index_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace callpath::dw {
namespace {

namespace fs = std::filesystem;

constexpr char magic[8] = {'c', 'p', 'i', 'n', 'd', 'e', 'x', '1'};
constexpr std::uint64_t largest_file = 128u << 20, largest_folder = 512u << 20;

/// FNV-1a by words: for damage, not for malice.
std::uint64_t checksum(const char* bytes, std::size_t size) {
  std::uint64_t sum = 0xcbf29ce484222325ull ^ size;
  for (; size >= 8; bytes += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    sum = (sum ^ word) * 0x100000001b3ull;
    sum ^= sum >> 29;
  }
  for (; size > 0; ++bytes, --size) sum = (sum ^ static_cast<std::uint8_t>(*bytes)) * 0x100000001b3ull;
  return sum;
}

/// What this program is, to the byte: one that resolves differently does not read what another wrote.
const std::string& this_build() {
  static const std::string id = [] {
    const auto self = ElfFile::open("/proc/self/exe");
    return self ? self->build_id() : std::string();
  }();
  return id;
}

std::string whole_key(const std::string& key) { return this_build() + ' ' + key; }

fs::path file_of(const std::string& key) {
  const std::string whole = whole_key(key);
  return fs::path(index_folder()) / fmt::format("{}-{:016x}.index", key.substr(0, key.find(' ')), checksum(whole.data(), whole.size()));
}

struct UnitEntry {
  std::uint64_t at, size, sum;
};
struct SymbolEntry {
  std::uint64_t start, size;
  std::uint32_t name;
  std::uint8_t bind, type;
  std::uint16_t unused;
};
struct Header {
  char magic[8];
  std::uint64_t sum;  ///< Of the head that follows this field: everything but the units' bytes.
  std::uint64_t head_size, file_size;
  std::uint32_t spans, units, symbols, symbol_table, level, key_bytes, split_bytes, name_bytes;
};

}  // namespace

std::string index_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/') return std::string(cache) + "/callpath";
  const char* home = std::getenv("HOME");
  return home && home[0] == '/' ? std::string(home) + "/.cache/callpath" : std::string();
}

std::unique_ptr<IndexFile> IndexFile::open(const std::string& key) {
  if (index_folder().empty() || this_build().empty()) return nullptr;
  const int fd = ::open(file_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return nullptr;
  struct stat status {};
  void* bytes = MAP_FAILED;
  const bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= static_cast<off_t>(sizeof(Header));
  if (regular) bytes = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes != MAP_FAILED) futimens(fd, nullptr);  // used now: what makes room for others later goes by this
  ::close(fd);
  if (bytes == MAP_FAILED) return nullptr;
  std::unique_ptr<IndexFile> index(new IndexFile(static_cast<const char*>(bytes), static_cast<std::size_t>(status.st_size)));
  return index->check(key) ? std::move(index) : nullptr;
}

IndexFile::~IndexFile() { munmap(const_cast<char*>(bytes_), size_); }

bool IndexFile::check(const std::string& key) {
  Header h;
  std::memcpy(&h, bytes_, sizeof h);
  constexpr std::size_t summed = offsetof(Header, head_size);
  if (std::memcmp(h.magic, magic, sizeof magic) != 0 || h.file_size != size_ || h.head_size > size_ || h.head_size < sizeof h) return false;
  if (checksum(bytes_ + summed, h.head_size - summed) != h.sum) return false;
  std::size_t at = sizeof h;
  bool fits = true;
  const auto take = [&](std::uint64_t count, std::size_t each) {
    const char* here = bytes_ + at;
    fits = fits && count * each <= h.head_size - at;
    if (fits) at += count * each;
    return here;
  };
  spans_ = reinterpret_cast<const Span*>(take(h.spans, sizeof(Span)));
  units_ = take(h.units, sizeof(UnitEntry));
  symbols_ = take(h.symbols, sizeof(SymbolEntry));
  const char* text = take(std::uint64_t{h.key_bytes} + h.split_bytes + h.name_bytes, 1);
  if (!fits || std::string_view(text, h.key_bytes) != whole_key(key)) return false;
  summary_ = {h.level, std::string(text + h.key_bytes, h.split_bytes)};
  names_ = {text + h.key_bytes + h.split_bytes, h.name_bytes};
  if (!names_.empty() && names_.back() != '\0') return false;
  span_count_ = h.spans;
  unit_count_ = h.units;
  symbol_count_ = h.symbols;
  symbol_table_ = h.symbol_table;
  return true;
}

int IndexFile::unit_at(std::uint64_t offset) const {
  const Span* end = spans_ + span_count_;
  const Span* after = std::upper_bound(spans_, end, offset, [](std::uint64_t a, const Span& s) { return a < s.begin; });
  if (after == spans_ || offset >= (after - 1)->end) return -1;
  return static_cast<int>((after - 1)->unit);
}

std::string_view IndexFile::unit_bytes(int number) const {
  if (number < 0 || static_cast<std::size_t>(number) >= unit_count_) return {};
  const UnitEntry& entry = static_cast<const UnitEntry*>(units_)[number];
  if (entry.size == 0 || entry.at > size_ || entry.size > size_ - entry.at) return {};
  return {bytes_ + entry.at, entry.size};
}

const UnitIndex* IndexFile::unit(int number) {
  auto [place, fresh] = read_.try_emplace(number);
  if (!fresh) return place->second.get();
  const auto bytes = unit_bytes(number);
  if (bytes.empty() || checksum(bytes.data(), bytes.size()) != static_cast<const UnitEntry*>(units_)[number].sum) return nullptr;
  if (const auto index = UnitIndex::read(bytes)) place->second = std::make_unique<UnitIndex>(*index);
  return place->second.get();
}

std::vector<ElfSymbol> IndexFile::symbols() const {
  std::vector<ElfSymbol> all(symbol_count_);
  const auto* entries = static_cast<const SymbolEntry*>(symbols_);
  for (std::size_t i = 0; i < symbol_count_; ++i) {
    const SymbolEntry& e = entries[i];
    all[i] = {e.start, e.size, e.name < names_.size() ? names_.data() + e.name : "", e.bind, e.type};
  }
  return all;
}

namespace {

template <class T>
void append(std::string& bytes, const T* all, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(all), count * sizeof(T));
}

std::string head_of(const std::string& key, const IndexContent& content) {
  const std::string whole = whole_key(key);
  std::string names;
  std::vector<SymbolEntry> symbols;
  for (const auto& s : *content.symbols) {
    symbols.push_back({s.start, s.size, static_cast<std::uint32_t>(names.size()), s.bind, s.type, 0});
    names.append(s.name, std::strlen(s.name) + 1);
  }
  Header h = {};
  std::memcpy(h.magic, magic, sizeof magic);
  const auto count = [](const auto& all) { return static_cast<std::uint32_t>(all.size()); };
  h.spans = count(content.spans), h.units = count(content.units), h.symbols = count(symbols);
  h.symbol_table = content.symbol_table, h.level = content.summary.level;
  h.key_bytes = count(whole), h.split_bytes = count(content.summary.missing_splits), h.name_bytes = count(names);
  const std::size_t texts = whole.size() + content.summary.missing_splits.size() + names.size();
  h.head_size = sizeof h + content.spans.size() * sizeof(IndexFile::Span) + content.units.size() * sizeof(UnitEntry) +
                symbols.size() * sizeof(SymbolEntry) + (texts + 7) / 8 * 8;
  std::vector<UnitEntry> units;
  std::uint64_t at = h.head_size;
  for (const auto& bytes : content.units) {
    units.push_back({at, bytes.size(), bytes.empty() ? 0 : checksum(bytes.data(), bytes.size())});
    at += (bytes.size() + 7) / 8 * 8;
  }
  h.file_size = at;
  std::string head;
  append(head, &h, 1);
  append(head, content.spans.data(), content.spans.size());
  append(head, units.data(), units.size());
  append(head, symbols.data(), symbols.size());
  head += whole + content.summary.missing_splits + names;
  head.resize(h.head_size);
  constexpr std::size_t summed = offsetof(Header, head_size);
  const std::uint64_t sum = checksum(head.data() + summed, head.size() - summed);
  std::memcpy(head.data() + offsetof(Header, sum), &sum, sizeof sum);
  return head;
}

bool write_all(int fd, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

/// Also leftovers of writers that were killed.
void make_room(const fs::path& folder) {
  struct Old {
    fs::file_time_type used;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<Old> all;
  std::uint64_t total = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    std::error_code gone;
    if (entry.path().string().find(".index") == std::string::npos || !entry.is_regular_file(gone)) continue;
    const Old old{entry.last_write_time(gone), entry.file_size(gone), entry.path()};
    if (gone) continue;
    all.push_back(old);
    total += old.size;
  }
  std::sort(all.begin(), all.end(), [](const Old& a, const Old& b) { return a.used < b.used; });
  for (const auto& old : all) {
    if (total <= largest_folder) break;
    if (fs::remove(old.path, failed)) total -= old.size;
  }
}

}  // namespace

void write_index(const std::string& key, const IndexContent& content) {
  if (index_folder().empty() || this_build().empty()) return;
  const fs::path file = file_of(key);
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  std::string bytes = head_of(key, content);
  for (const auto& unit : content.units) {
    bytes += unit;
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }
  if (bytes.size() > largest_file) return;
  std::string temporary = file.string() + ".XXXXXX";
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return;
  const bool written = write_all(fd, bytes);
  ::close(fd);
  if (!written || ::rename(temporary.c_str(), file.c_str()) != 0) ::unlink(temporary.c_str());
  make_room(file.parent_path());
}

}  // namespace callpath::dw
