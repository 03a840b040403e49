#include "annotate/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "annotate/cpp_name.hpp"
#include "annotate/parts.hpp"

namespace callpath {
namespace {

// "/usr/src/python/../Python/ceval.c" and "../Python/ceval.c" -> "Python/ceval.c".
std::string last_components(const std::string& path) {
  const std::size_t last = path.find_last_of('/');
  if (last == std::string::npos || last == 0) return path.substr(last == 0 ? 1 : 0);
  const std::size_t before = path.find_last_of('/', last - 1);
  const std::string folder =
      path.substr(before == std::string::npos ? 0 : before + 1, last - (before == std::string::npos ? 0 : before + 1));
  return folder == "." || folder == ".." ? path.substr(last + 1) : path.substr(before == std::string::npos ? 0 : before + 1);
}

// The user's script may run from a copy in a folder of another name: the walkthroughs' variants do.
std::string comparable_file(const Frame& frame) {
  const std::string& path = frame.source->file;
  return frame.layer == Layer::user ? path.substr(path.find_last_of('/') + 1) : last_components(path);
}

std::string place(const Normalised& frame) {
  if (frame.file.empty()) return "no source";
  return frame.line ? fmt::format("{}:{}", frame.file, *frame.line) : frame.file;
}

bool same_function(const Normalised& a, const Normalised& b) {
  if (a.has_parameters && b.has_parameters) return a.function == b.function;
  return a.without_parameters == b.without_parameters;
}

bool other_instruction(const Normalised& a, const Normalised& b) {
  return a.instruction && b.instruction && a.build == b.build && *a.instruction != *b.instruction;
}

// Names are all that is left of a function without lines: what it does is told apart by where in it the program stands.
bool told_by_instruction(const Frame& frame) {
  switch (frame.layer) {
    case Layer::startup:
    case Layer::protocol:
    case Layer::eval:
    case Layer::runtime:
    case Layer::import:
    case Layer::compile:
    case Layer::class_build:
      return false;
    default:
      return frame.kind == Kind::native && frame.offset && !(frame.source && frame.source->line);
  }
}

std::string describe(const Normalised& frame) {
  return fmt::format("{} {} [{}] {}", to_string(frame.kind), frame.function, to_string(frame.layer), place(frame));
}

// What two frames that stand at the same place of two paths differ in.
std::string describe(const Normalised& a, const Normalised& b) {
  std::string out;
  const auto say = [&](const char* what, const std::string& left, const std::string& right) {
    if (left != right) out += fmt::format("{}{}: {} against {}", out.empty() ? "" : "; ", what, left, right);
  };
  if (!same_function(a, b)) say("function", a.function, b.function);
  say("kind", to_string(a.kind), to_string(b.kind));
  say("layer", to_string(a.layer), to_string(b.layer));
  say("module", a.module, b.module);
  say("place", place(a), place(b));
  if (other_instruction(a, b))
    say("instruction", fmt::format("{}+{:#x}", a.module, *a.instruction), fmt::format("{}+{:#x}", b.module, *b.instruction));
  return out;
}

struct Path {
  std::vector<std::size_t> indices;
  std::vector<Normalised> frames;
};

Path path_of(const Event& event, const Recording& recording) {
  Path path{compared_frames(event), {}};
  for (const std::size_t i : path.indices) path.frames.push_back(normalise(event.frames[i], recording));
  return path;
}

/// Pairs of equal frames, in order: a longest common subsequence after equal ends are taken off, which leaves little to compare.
class Alignment {
 public:
  Alignment(const Path& a, const Path& b) : a_(a.frames), b_(b.frames) {
    while (head_ < a_.size() && head_ < b_.size() && same_frame(a_[head_], b_[head_])) ++head_;
    while (tail_ + head_ < a_.size() && tail_ + head_ < b_.size() && same_frame(a_[a_.size() - 1 - tail_], b_[b_.size() - 1 - tail_]))
      ++tail_;
    rows_ = a_.size() - head_ - tail_, columns_ = b_.size() - head_ - tail_;
  }

  bool equal() const { return rows_ == 0 && columns_ == 0; }

  /// Calls gap(first_a, last_a, first_b, last_b) for each stretch without a partner.
  template <class Function>
  void each_gap(Function gap) const {
    std::size_t i = 0, j = 0, gap_i = 0, gap_j = 0;
    const auto close = [&] {
      if (gap_i < i || gap_j < j) gap(head_ + gap_i, head_ + i, head_ + gap_j, head_ + j);
    };
    if (rows_ * columns_ > most_cells) {
      i = rows_, j = columns_;
      return close();
    }
    const auto lengths = common_lengths();
    while (i < rows_ && j < columns_) {
      if (same_frame(a_[head_ + i], b_[head_ + j])) {
        close();
        gap_i = ++i, gap_j = ++j;
      } else if (lengths[(i + 1) * (columns_ + 1) + j] >= lengths[i * (columns_ + 1) + j + 1]) {
        ++i;
      } else {
        ++j;
      }
    }
    i = rows_, j = columns_;
    close();
  }

 private:
  static constexpr std::size_t most_cells = 25'000'000;

  // Longest common subsequence of what begins at (i, j).
  std::vector<std::uint32_t> common_lengths() const {
    std::vector<std::uint32_t> lengths((rows_ + 1) * (columns_ + 1));
    for (std::size_t i = rows_; i-- > 0;)
      for (std::size_t j = columns_; j-- > 0;) {
        auto& cell = lengths[i * (columns_ + 1) + j];
        if (same_frame(a_[head_ + i], b_[head_ + j]))
          cell = lengths[(i + 1) * (columns_ + 1) + j + 1] + 1;
        else
          cell = std::max(lengths[(i + 1) * (columns_ + 1) + j], lengths[i * (columns_ + 1) + j + 1]);
      }
    return lengths;
  }

  const std::vector<Normalised>&a_, &b_;
  std::size_t head_ = 0, tail_ = 0, rows_ = 0, columns_ = 0;
};

const Value* find_value(const std::vector<Value>& values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const Value& v) { return v.name == name; });
  return found == values.end() ? nullptr : &*found;
}

std::string shown(const Fact& fact) { return fact.unit.empty() ? fact.text : fact.text + " " + fact.unit; }

}  // namespace

Normalised normalise(const Frame& frame, const Recording& recording) {
  Normalised out;
  out.kind = frame.kind;
  out.layer = frame.layer;
  if (frame.kind == Kind::python) {
    out.function = out.without_parameters = frame.full;
  } else {
    out.function = comparable_name(frame.full);
    out.without_parameters = comparable_without_parameters(frame.full);
    out.has_parameters = has_parameters(frame.full);
  }
  if (frame.layer == Layer::startup) return out;
  if (frame.kind != Kind::python) out.module = module_name(frame, recording);
  if (frame.source) out.file = comparable_file(frame), out.line = frame.source->line;
  if (told_by_instruction(frame) && frame.module && static_cast<std::size_t>(*frame.module) < recording.modules.size())
    out.build = recording.modules[static_cast<std::size_t>(*frame.module)].build_id;
  if (!out.build.empty()) out.instruction = frame.offset;
  return out;
}

bool same_frame(const Normalised& a, const Normalised& b) {
  return a.kind == b.kind && a.layer == b.layer && same_function(a, b) && a.module == b.module && a.file == b.file && a.line == b.line &&
         !other_instruction(a, b);
}

std::vector<std::size_t> compared_frames(const Event& event) {
  const auto& frames = event.frames;
  std::size_t end = 0;
  if (const auto user = innermost_user_frame(event))
    end = *user + 1;
  else
    while (end < frames.size() && frames[end].layer != Layer::startup) ++end;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < end; ++i) out.push_back(i);
  for (std::size_t i = end; i < frames.size(); ++i)
    if (frames[i].layer == Layer::startup && frames[i].kind == Kind::native) out.push_back(i);
  return out;
}

std::vector<Difference> compare_paths(const Event& a, const Recording& of_a, const Event& b, const Recording& of_b) {
  const Path left = path_of(a, of_a), right = path_of(b, of_b);
  std::vector<Difference> out;
  Alignment(left, right).each_gap([&](std::size_t i, std::size_t end_i, std::size_t j, std::size_t end_j) {
    for (; i < end_i && j < end_j; ++i, ++j)
      out.push_back({Difference::What::changed, left.indices[i], right.indices[j], describe(left.frames[i], right.frames[j])});
    for (; i < end_i; ++i) out.push_back({Difference::What::only_a, left.indices[i], std::nullopt, describe(left.frames[i])});
    for (; j < end_j; ++j) out.push_back({Difference::What::only_b, std::nullopt, right.indices[j], describe(right.frames[j])});
  });
  return out;
}

std::vector<std::string> compare_values(const Event& a, const Event& b) {
  std::vector<std::string> out;
  for (const auto& fact : a.facts) {
    const Fact* const other = find_fact(b, fact.name, static_cast<std::size_t>(fact.frame));
    if (!other)
      out.push_back(fmt::format("{}: {} only on the first side", fact.name, shown(fact)));
    else if (other->text != fact.text)
      out.push_back(fmt::format("{}: {} against {}", fact.name, shown(fact), shown(*other)));
  }
  for (const auto& fact : b.facts)
    if (!find_fact(a, fact.name, static_cast<std::size_t>(fact.frame)))
      out.push_back(fmt::format("{}: {} only on the second side", fact.name, shown(fact)));
  if (a.frames.empty() || b.frames.empty()) return out;
  for (const auto& value : a.frames[0].arguments) {
    const Value* const other = find_value(b.frames[0].arguments, value.name);
    if (other && other->value != value.value)
      out.push_back(
          fmt::format("argument {}: {} against {}", value.name, value.value.value_or("no value"), other->value.value_or("no value")));
  }
  return out;
}

}  // namespace callpath
