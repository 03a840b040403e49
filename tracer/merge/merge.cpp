#include "merge/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace callpath {
namespace {

using Place = std::optional<std::size_t>;  // Index of a native frame.

/// Which native frame owns an address, in logarithmic time.
class FrameFinder {
 public:
  explicit FrameFinder(const RawStack& stack) : frames_(stack.frames) {
    for (std::size_t i = 0; i < frames_.size(); ++i)
      if (frames_[i].cfa) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return frames_[a].sp < frames_[b].sp; });
  }
  Place owner(Address address) const {
    auto after = std::upper_bound(order_.begin(), order_.end(), address, [&](Address a, std::size_t i) { return a < frames_[i].sp; });
    if (after == order_.begin() || !frames_[*--after].owns(address)) return std::nullopt;
    return *after;
  }

 private:
  const std::vector<RawFrame>& frames_;
  std::vector<std::size_t> order_;
};

class Merger {
 public:
  Merger(const RawStack& native, const PythonStack& python, const IsEvaluation& is_evaluation)
      : native_(native), python_(python), is_evaluation_(is_evaluation), places_(python.runs.size()) {}

  Merged merge() {
    place_by_address();
    place_by_entry_rule();
    check_entries();
    check_places();
    const bool none = std::all_of(places_.begin(), places_.end(), [](const Place& p) { return !p; });
    if (!places_.empty() && none) return unmerged();
    put_together();
    return std::move(merged_);
  }

 private:
  void note(const std::string& text) { merged_.note += (merged_.note.empty() ? "" : "; ") + text; }

  std::string name_of(std::size_t run) const {
    const auto& frames = python_.runs[run].frames;
    return frames.empty() ? fmt::format("run {}", run) : frames.back().code.qualname;
  }

  void place_by_address() {
    const FrameFinder finder(native_);
    for (std::size_t run = 0; run < places_.size(); ++run) places_[run] = finder.owner(python_.runs[run].anchor);
  }

  bool taken(std::size_t native) const { return std::find(places_.begin(), places_.end(), Place(native)) != places_.end(); }

  // The evaluation between the neighbours' that no run lies in, if there are as many such as there are runs to be placed.
  void place_by_entry_rule() {
    for (std::size_t first = 0; first < places_.size(); ++first) {
      if (places_[first]) continue;
      std::size_t last = first;
      while (last + 1 < places_.size() && !places_[last + 1]) ++last;
      const auto free = free_evaluations(first, last);
      for (std::size_t run = first; run <= last; ++run) {
        const bool sure = free.size() == last - first + 1;
        if (sure) places_[run] = free[run - first];
        note(fmt::format("the evaluation of {} was placed by order, as its record lies in no native frame", name_of(run)));
      }
      first = last;
    }
  }

  std::vector<std::size_t> free_evaluations(std::size_t first, std::size_t last) const {
    std::vector<std::size_t> free;
    if (!is_evaluation_) return free;
    const std::size_t begin = first ? *places_[first - 1] + 1 : 0;
    const std::size_t end = last + 1 < places_.size() ? *places_[last + 1] : native_.frames.size();
    for (std::size_t i = begin; i < end; ++i)
      if (is_evaluation_(i) && !taken(i)) free.push_back(i);
    return free;
  }

  void check_entries() {
    for (std::size_t run = 0; run < python_.runs.size(); ++run) {
      const auto& frames = python_.runs[run].frames;
      for (std::size_t i = 0; i < frames.size(); ++i)
        if (frames[i].entry != (i + 1 == frames.size())) return note(fmt::format("entry flags disagree with the run of {}", name_of(run)));
    }
  }

  void check_places() {
    Place before;
    for (std::size_t run = 0; run < places_.size(); ++run) {
      if (!places_[run]) continue;
      if (before && *places_[run] == *before) note(fmt::format("two runs lie in native frame {}: {}", *before, name_of(run)));
      if (before && *places_[run] < *before) note(fmt::format("{} lies inward of the run that it called", name_of(run)));
      if (is_evaluation_ && !is_evaluation_(*places_[run]))
        note(fmt::format("{} lies in a native frame that is no evaluation", name_of(run)));
      before = places_[run];
    }
  }

  void add_run(std::size_t run, std::size_t native) {
    for (std::size_t i = 0; i < python_.runs[run].frames.size(); ++i) merged_.order.push_back({MergedEntry::What::python, native, run, i});
  }

  void add_native(std::size_t i) { merged_.order.push_back({MergedEntry::What::native, i, 0, 0}); }

  Merged unmerged() {
    merged_.merged = false;
    note("no run of Python frames lies in a native frame: the stacks are shown one after the other");
    for (std::size_t i = 0; i < native_.frames.size(); ++i) add_native(i);
    for (std::size_t run = 0; run < places_.size(); ++run) add_run(run, native_.frames.empty() ? 0 : native_.frames.size() - 1);
    return std::move(merged_);
  }

  // A run without a place goes with the next outer one that has one: just inside it.
  void put_together() {
    std::vector<std::vector<std::size_t>> runs_before(native_.frames.size() + 1);
    std::size_t place = native_.frames.size();
    for (std::size_t run = places_.size(); run-- > 0;) {
      place = places_[run].value_or(place);
      runs_before[place].insert(runs_before[place].begin(), run);
    }
    for (std::size_t i = 0; i <= native_.frames.size(); ++i) {
      for (const std::size_t run : runs_before[i]) add_run(run, std::min(i, native_.frames.size() - 1));
      if (i < native_.frames.size()) add_native(i);
    }
  }

  const RawStack& native_;
  const PythonStack& python_;
  const IsEvaluation& is_evaluation_;
  std::vector<Place> places_;  // By run.
  Merged merged_;
};

}  // namespace

Merged merge_by_address(const RawStack& native, const PythonStack& python, const IsEvaluation& is_evaluation) {
  return Merger(native, python, is_evaluation).merge();
}

}  // namespace callpath
