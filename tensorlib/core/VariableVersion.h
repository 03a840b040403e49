// How often a tensor's memory was written through an in-place operation. Views and detached aliases share one count, which is how
// backward finds that a tensor it saved has changed since.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/intrusive_ptr.h"

namespace tensorlib {

class VariableVersion {
  struct VersionCounter : intrusive_ptr_target {
    std::atomic<std::uint32_t> version_{0};
  };

 public:
  /// Counting starts when someone asks: most tensors are never shared, saved or written to.
  VariableVersion() = default;
  explicit VariableVersion(std::uint32_t version) : counter_(make_intrusive<VersionCounter>()) { counter_->version_ = version; }

  /// False for a counter that nobody shares yet; its count is 0.
  bool enabled() const { return static_cast<bool>(counter_); }
  std::uint32_t current_version() const { return counter_ ? counter_->version_.load(std::memory_order_relaxed) : 0; }
  void bump() const { counter_->version_.fetch_add(1, std::memory_order_relaxed); }

 private:
  intrusive_ptr<VersionCounter> counter_;
};

}  // namespace tensorlib
