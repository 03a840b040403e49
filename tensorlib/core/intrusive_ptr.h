// A pointer that counts its owners in the object itself: one word, so a debugger sees the object at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace tensorlib {

/// Base of what intrusive_ptr owns. Counting is safe from any thread; the object itself is not made so.
class intrusive_ptr_target {
 public:
  intrusive_ptr_target() = default;
  intrusive_ptr_target(const intrusive_ptr_target&) = delete;
  intrusive_ptr_target& operator=(const intrusive_ptr_target&) = delete;
  virtual ~intrusive_ptr_target() = default;

  std::uint32_t use_count() const { return refcount_.load(std::memory_order_acquire); }

 private:
  template <typename T>
  friend class intrusive_ptr;
  std::atomic<std::uint32_t> refcount_{0};
};

template <typename T>
class intrusive_ptr {
 public:
  intrusive_ptr() = default;
  explicit intrusive_ptr(T* target) : target_(target) { retain(); }
  intrusive_ptr(const intrusive_ptr& other) : target_(other.target_) { retain(); }
  intrusive_ptr(intrusive_ptr&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }
  ~intrusive_ptr() { release(); }

  T* get() const { return target_; }
  T* operator->() const { return target_; }
  T& operator*() const { return *target_; }
  explicit operator bool() const { return target_ != nullptr; }
  bool operator==(const intrusive_ptr& other) const { return target_ == other.target_; }

 private:
  void retain() const {
    if (target_) target_->refcount_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() const {
    if (target_ && target_->refcount_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete target_;
  }

  T* target_ = nullptr;
};

template <typename T, typename... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
  return intrusive_ptr<T>(new T(std::forward<Args>(args)...));
}

}  // namespace tensorlib
