#include "symbols/unit_index.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "symbols/module_state.hpp"

namespace callpath::dw {
namespace {

constexpr std::uint32_t none = ~0u;

/// Strings by number of their first byte, each once: its length, then its bytes.
class Strings {
 public:
  std::uint32_t add(std::string_view text) {
    auto [place, fresh] = at_.try_emplace(std::string(text), static_cast<std::uint32_t>(bytes_.size()));
    if (fresh) {
      const auto size = static_cast<std::uint32_t>(text.size());
      bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
      bytes_.append(text);
    }
    return place->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::unordered_map<std::string, std::uint32_t> at_;
};

class Builder {
 public:
  Builder(ModuleState& module, Unit& unit) : module_(module), unit_(unit), index_(unit.functions()) {}

  std::string run() {
    if (!set_base()) return {};
    add_nodes();
    add_segments();
    add_physicals();
    add_lines();
    return bytes();
  }

 private:
  bool set_base() {
    std::uint64_t low = ~0ull, high = 0;
    const auto see = [&](std::uint64_t a) { low = std::min(low, a), high = std::max(high, a); };
    for (const auto start : index_.starts()) see(start);
    for (const auto& row : unit_.lines().rows()) see(row.address);
    header_.base = low > high ? 0 : low;
    return low > high || high - low < none;
  }
  std::uint32_t relative(std::uint64_t a) const { return static_cast<std::uint32_t>(a - header_.base); }

  /// The string of a file, looked up once for its number.
  template <class Name>
  std::uint32_t string_of(std::vector<std::uint32_t>& known, std::uint32_t file, Name name) {
    constexpr std::uint32_t most = 1 << 20;
    if (file >= most) return strings_.add({});
    if (file >= known.size()) known.resize(file + 1, none);
    if (known[file] == none) known[file] = strings_.add(name(file));
    return known[file];
  }

  std::uint32_t name(const ResolvedName& given) {
    auto [place, fresh] = name_at_.try_emplace(&given, static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.push_back({strings_.add(given.name), strings_.add(given.full), strings_.add(given.note), strings_.add(given.origin)});
    return place->second;
  }

  /// Blocks are left out: what was in one is in the function around it.
  std::uint32_t function_around(int node) const {
    while (node >= 0 && index_.node(node).kind == Node::Kind::block) node = index_.node(node).parent;
    return node < 0 ? none : number_[node];
  }

  void add_nodes() {
    number_.resize(index_.nodes().size(), none);
    for (int i = 0; i < static_cast<int>(number_.size()); ++i) {
      const Node& node = index_.node(i);
      if (node.kind == Node::Kind::block) continue;
      number_[i] = static_cast<std::uint32_t>(nodes_.size());
      const bool inlined = node.kind == Node::Kind::inlined;
      nodes_.push_back({function_around(node.parent), inlined ? name(module_.naming().node(unit_, i, node.entry)) : none, inlined,
                        string_of(die_files_, node.call_file, [&](auto i) { return std::string_view(unit_.die_file(i)); }),
                        node.call_line});
    }
  }

  void add_segments() {
    for (const auto start : index_.starts()) {
      const auto node = function_around(index_.at(start));
      if (segments_.empty() || segments_.back().node != node) segments_.push_back({relative(start), node});
    }
  }

  /// What a function's code is called depends on its part (hot, cold).
  void add_physicals() {
    for (int i = 0; i < static_cast<int>(number_.size()); ++i) {
      if (index_.node(i).kind != Node::Kind::function) continue;
      for (const auto& range : ranges_of(index_.node(i).die))
        if (module_.code()->is_code(range.begin)) add_physical(i, range);
    }
    std::stable_sort(physicals_.begin(), physicals_.end(), [](const Physical& a, const Physical& b) { return a.start < b.start; });
  }
  void add_physical(int node, const Range& range) {
    for (std::uint64_t at = range.begin; at < range.end;) {
      const auto [where, given] = module_.naming().physical_name(unit_, node, at);
      physicals_.push_back({relative(at), name(*given)});
      if (where.end <= at) break;
      at = where.end;
    }
  }

  void add_lines() {
    const auto& rows = unit_.lines().rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const LineRow& row = rows[i];
      if (i + 1 < rows.size() && rows[i + 1].address == row.address) continue;
      const LineRow* here = unit_.lines().speaking(&row);
      Line line{relative(row.address),
                here ? string_of(line_files_, here->file, [&](auto i) { return std::string_view(unit_.lines().file(i)); }) : none,
                here ? here->line : 0};
      if (lines_.empty() || lines_.back().file != line.file || lines_.back().line != line.line) lines_.push_back(line);
    }
  }

  template <class T>
  static void append(std::string& bytes, const std::vector<T>& all) {
    bytes.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(T));
  }
  std::string bytes() {
    const auto count = [](const auto& all) { return static_cast<std::uint32_t>(all.size()); };
    header_ = {header_.base, count(segments_), count(lines_), count(physicals_), count(nodes_), count(names_), count(strings_.bytes())};
    std::string all(reinterpret_cast<const char*>(&header_), sizeof header_);
    append(all, segments_);
    append(all, lines_);
    append(all, physicals_);
    append(all, nodes_);
    append(all, names_);
    return all + strings_.bytes();
  }

  using Segment = UnitIndex::Segment;
  using Line = UnitIndex::Line;
  using Physical = UnitIndex::Physical;
  ModuleState& module_;
  Unit& unit_;
  const FunctionIndex& index_;
  UnitIndex::Header header_;
  Strings strings_;
  std::vector<Segment> segments_;
  std::vector<Line> lines_;
  std::vector<Physical> physicals_;
  std::vector<UnitIndex::NodeEntry> nodes_;
  std::vector<UnitIndex::Name> names_;
  std::vector<std::uint32_t> number_;  ///< Of a node of the function index among those without blocks.
  std::vector<std::uint32_t> die_files_, line_files_;
  std::unordered_map<const ResolvedName*, std::uint32_t> name_at_;
};

/// The last entry that starts at or before an address; null if there is none.
template <class T>
const T* last_before(const T* all, std::uint32_t count, std::uint32_t at) {
  const T* after = std::upper_bound(all, all + count, at, [](std::uint32_t a, const T& entry) { return a < entry.start; });
  return after == all ? nullptr : after - 1;
}

}  // namespace

std::string UnitIndex::build(ModuleState& module, Unit& unit) { return Builder(module, unit).run(); }

std::optional<UnitIndex> UnitIndex::read(std::string_view bytes) {
  UnitIndex index;
  std::size_t at = 0;
  bool fits = true;
  const auto take = [&](auto*& array, std::uint64_t count) {
    const std::uint64_t size = count * sizeof *array;
    fits = fits && size <= bytes.size() - at;
    if (!fits) return;
    array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(bytes.data() + at);
    at += size;
  };
  take(index.header_, 1);
  if (!fits) return std::nullopt;
  const Header& h = *index.header_;
  take(index.segments_, h.segments);
  take(index.lines_, h.lines);
  take(index.physicals_, h.physicals);
  take(index.nodes_, h.nodes);
  take(index.names_, h.names);
  take(index.strings_, h.string_bytes);
  return fits ? std::optional(index) : std::nullopt;
}

std::string_view UnitIndex::string(std::uint32_t at) const {
  std::uint32_t size = 0;
  if (at > header_->string_bytes || header_->string_bytes - at < sizeof size) return {};
  std::memcpy(&size, strings_ + at, sizeof size);
  at += sizeof size;
  return size <= header_->string_bytes - at ? std::string_view(strings_ + at, size) : std::string_view();
}

SourcePlace UnitIndex::place_at(std::uint64_t offset) const {
  if (offset - header_->base >= none) return {};
  const Line* line = last_before(lines_, header_->lines, static_cast<std::uint32_t>(offset - header_->base));
  return line && line->file != none ? SourcePlace{string(line->file), line->line} : SourcePlace{};
}

bool UnitIndex::functions_at(std::uint64_t offset, std::vector<FunctionAt>& all) const {
  if (offset - header_->base >= none) return false;
  const auto at = static_cast<std::uint32_t>(offset - header_->base);
  const Segment* segment = last_before(segments_, header_->segments, at);
  if (!segment || segment->node >= header_->nodes) return false;
  SourcePlace place = place_at(offset);
  const std::size_t before = all.size();
  for (std::uint32_t i = segment->node, steps = 0; i < header_->nodes && steps < header_->nodes; i = nodes_[i].parent, ++steps) {
    const NodeEntry& node = nodes_[i];
    std::uint32_t name = node.name;
    if (!node.inlined) {
      const Physical* physical = last_before(physicals_, header_->physicals, at);
      name = physical ? physical->name : none;
    }
    if (name >= header_->names) return all.resize(before), false;
    FunctionAt& f = all.emplace_back();
    f.name = string(names_[name].name);
    f.full = string(names_[name].full);
    f.note = string(names_[name].note);
    f.origin = string(names_[name].origin);
    f.inlined = node.inlined;
    if (!place.file.empty()) f.file = place.file;
    if (place.line) f.line = static_cast<int>(place.line);
    place = {string(node.call_file), node.call_line};
  }
  return true;
}

}  // namespace callpath::dw
