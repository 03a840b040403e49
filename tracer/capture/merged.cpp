#include "capture/merged.hpp"

namespace callpath::capture {
namespace {

template <class T>
T at(std::uint64_t address) {
  return *reinterpret_cast<const T*>(address);
}

/// Both stacks go outward, and so do their addresses: one pass over the native frames places all runs.
class Merging {
 public:
  Merging(const PythonPlaces& places, const Point* points, std::size_t count, PythonPoint* out, std::size_t capacity)
      : places_(places), points_(points), count_(count), out_(out), capacity_(capacity) {}

  void by_cframes(std::uint64_t cframe) {
    while (cframe && whole_) {
      std::uint64_t frame = at<std::uint64_t>(cframe + places_.cframe_current_frame);
      const std::uint64_t previous = at<std::uint64_t>(cframe + places_.cframe_previous);
      if (!previous && !frame) return;  // The outermost record belongs to the thread state itself and runs nothing.
      while (frame) {
        if (!add(frame)) return;
        if (at<std::uint8_t>(frame + places_.frame_is_entry)) break;
        frame = at<std::uint64_t>(frame + places_.frame_previous);
      }
      end_run(cframe);
      cframe = previous;
    }
  }

  void by_shims(std::uint64_t frame) {
    for (; frame && whole_; frame = at<std::uint64_t>(frame + places_.frame_previous)) {
      if (at<std::uint8_t>(frame + places_.frame_owner) == places_.owner_shim)
        end_run(frame);
      else if (!add(frame))
        return;
    }
    if (begin_ != size_) whole_ = false;  // Frames of no evaluation.
  }

  std::size_t size() const { return size_; }
  bool whole() const { return whole_; }

 private:
  bool add(std::uint64_t frame) {
    if (size_ == capacity_) return whole_ = false;
    out_[size_++] = {frame, at<std::uint64_t>(frame + places_.frame_code), at<std::uint64_t>(frame + places_.frame_instruction),
                     PythonPoint::nowhere, at<std::uint8_t>(frame + places_.frame_owner)};
    return true;
  }

  /// The frame around an address: its stack pointer is not above, that of the next frame is.
  void end_run(std::uint64_t anchor) {
    while (native_ + 1 < count_ && points_[native_ + 1].sp() <= anchor) ++native_;
    const bool placed = native_ + 1 < count_ && points_[native_].sp() <= anchor;
    if (!placed) whole_ = false;
    for (; begin_ < size_; ++begin_)
      if (placed) out_[begin_].native = static_cast<std::uint32_t>(native_);
  }

  const PythonPlaces& places_;
  const Point* points_;
  std::size_t count_;
  PythonPoint* out_;
  std::size_t capacity_, size_ = 0, begin_ = 0, native_ = 0;
  bool whole_ = true;
};

}  // namespace

__attribute__((noinline)) MergedWalk trace_merged_here(const PythonPlaces& places, const void* thread_state, Point* points,
                                                       std::size_t capacity, PythonPoint* pythons, std::size_t python_capacity) {
  MergedWalk walk;
  walk.native = trace_here(points, capacity);
  Merging merging(places, points, walk.native.count, pythons, python_capacity);
  if (const auto thread = reinterpret_cast<std::uint64_t>(thread_state)) {
    if (places.has_shims && places.thread_current_frame)
      merging.by_shims(at<std::uint64_t>(thread + places.thread_current_frame));
    else if (places.has_shims)
      merging.by_shims(at<std::uint64_t>(at<std::uint64_t>(thread + places.thread_cframe) + places.cframe_current_frame));
    else
      merging.by_cframes(at<std::uint64_t>(thread + places.thread_cframe));
  }
  walk.python_count = merging.size();
  walk.python_whole = merging.whole();
  return walk;
}

}  // namespace callpath::capture
