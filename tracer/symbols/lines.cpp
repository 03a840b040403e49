#include "symbols/lines.hpp"

#include <algorithm>
#include <filesystem>

namespace callpath::dw {
namespace {

constexpr std::size_t most_rows = 20'000'000;

/// Absolute if the table or the unit's compilation folder allows; without "..".
std::string clean(const char* path, const std::filesystem::path& folder) {
  if (!path) return {};
  const std::filesystem::path given(path);
  return (given.is_absolute() ? given : folder / given).lexically_normal().string();
}

std::vector<std::string> names(Die unit, Dwarf_Files* files, std::size_t count) {
  const char* folder = text(attribute(unit, DW_AT_comp_dir));
  std::vector<std::string> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = clean(dwarf_filesrc(files, i, nullptr, nullptr), folder ? folder : "");
  return all;
}

}  // namespace

/// Which rows count follows gdb's reader (its rules decide where breakpoints land): rows without a line are dropped; a change of file
/// withdraws the old file's rows at the same address; a non-statement of another file does not replace a statement; repeated rows of a
/// line that has discriminators are one row.
class LineTable::Reader {
 public:
  Reader(std::vector<LineRow>& rows) : rows_(rows) {}

  void row(const LineRow& r, bool discriminator) {
    if (r.line != seen_line_) discriminators_ = false;
    seen_line_ = r.line;
    discriminators_ |= discriminator;
    const bool changed = started_ && r.file != file_;
    const bool ignored = r.line == 0 || (changed && address_ == r.address && !r.statement && statement_here_);
    if (changed && !ignored) withdraw(r.address);
    if (!ignored) take(r);
    if (address_ != r.address) statement_here_ = false;
    address_ = r.address;
    statement_here_ |= r.statement;
  }

  void end(std::uint64_t address) {
    withdraw(address);
    if (!rows_.empty() && !rows_.back().end) rows_.push_back({address, 0, 0, false, true, false});
    started_ = discriminators_ = statement_here_ = false;
    seen_line_ = line_ = 0;
    address_ = ~0ull;
  }

 private:
  void take(const LineRow& r) {
    if (!started_ || r.file != file_ || r.line != line_ || !discriminators_) rows_.push_back(r);
    started_ = true;
    file_ = r.file;
    line_ = r.line;
  }
  void withdraw(std::uint64_t address) {
    while (!rows_.empty() && !rows_.back().end && rows_.back().address == address) rows_.pop_back();
  }

  std::vector<LineRow>& rows_;
  bool started_ = false, discriminators_ = false, statement_here_ = false;
  std::uint32_t file_ = 0, line_ = 0, seen_line_ = 0;
  std::uint64_t address_ = ~0ull;
};

LineTable::LineTable(Die unit, const ElfFile& code) {
  Dwarf_Lines* lines = nullptr;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0, file_count = 0;
  if (dwarf_getsrclines(&unit, &lines, &count) != 0) return;
  if (dwarf_getsrcfiles(&unit, &files, &file_count) == 0) files_ = names(unit, files, file_count);

  Reader reader(rows_);
  bool in_code = false;
  for (std::size_t i = 0; i < std::min(count, most_rows); ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    int number = 0;
    bool end = false, statement = false, prologue_end = false;
    unsigned discriminator = 0;
    std::size_t file = 0;
    Dwarf_Files* ignored = nullptr;
    if (!line || dwarf_lineaddr(line, &address) != 0 || dwarf_lineendsequence(line, &end) != 0) continue;
    if (end) {
      if (in_code) reader.end(address);
      in_code = false;
      continue;
    }
    if (!code.is_code(address)) continue;
    in_code = true;
    dwarf_lineno(line, &number);
    dwarf_linebeginstatement(line, &statement);
    dwarf_lineprologueend(line, &prologue_end);
    dwarf_linediscriminator(line, &discriminator);
    dwarf_line_file(line, &ignored, &file);
    reader.row({address, static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(number), statement, false, prologue_end},
               discriminator != 0);
  }
}

const LineRow* LineTable::at(std::uint64_t offset) const {
  auto after = std::upper_bound(rows_.begin(), rows_.end(), offset, [](std::uint64_t a, const LineRow& r) { return a < r.address; });
  return after == rows_.begin() ? nullptr : speaking(&*std::prev(after));
}

const LineRow* LineTable::speaking(const LineRow* row) const {
  if (row->end) return nullptr;
  for (const LineRow* r = row; r->address == row->address && r->file == row->file && !r->end; --r) {
    if (r->statement) return r;  // of several rows for one address a statement speaks
    if (r == rows_.data()) break;
  }
  return row;
}

std::uint64_t LineTable::next_address(std::uint64_t offset) const {
  auto after = std::upper_bound(rows_.begin(), rows_.end(), offset, [](std::uint64_t a, const LineRow& r) { return a < r.address; });
  return after == rows_.end() ? 0 : after->address;
}

const std::string& LineTable::file(std::uint32_t index) const {
  static const std::string none;
  return index < files_.size() ? files_[index] : none;
}

std::vector<std::string> unit_files(Die unit) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  return dwarf_getsrcfiles(&unit, &files, &count) == 0 ? names(unit, files, count) : std::vector<std::string>{};
}

}  // namespace callpath::dw
