// A pointer that counts its owners in the object itself: one word, so a debugger sees the object at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/Allocator.h"

namespace tensorlib {

template <typename T>
class intrusive_ptr;

/// Base of what intrusive_ptr owns. Counting is safe from any thread; the object itself is not made so.
class intrusive_ptr_target {
 public:
  intrusive_ptr_target() = default;
  intrusive_ptr_target(const intrusive_ptr_target&) = delete;
  intrusive_ptr_target& operator=(const intrusive_ptr_target&) = delete;
  virtual ~intrusive_ptr_target() = default;

  std::uint32_t use_count() const { return refcount_.load(std::memory_order_acquire); }

  /// From the allocator of tensors' memory: what is as short-lived as tensors is made and freed with them.
  static void* operator new(std::size_t size) { return allocate_bytes(size); }
  static void operator delete(void* object, std::size_t size) { free_bytes(static_cast<char*>(object), size); }

  /// For an owner that keeps the address and stops counting, until it counts again: for the binding's objects. The count that is left.
  std::uint32_t forget_owner() { return refcount_.fetch_sub(1, std::memory_order_acq_rel) - 1; }
  void regain_owner() { refcount_.fetch_add(1, std::memory_order_relaxed); }

 private:
  template <typename T>
  friend class intrusive_ptr;
  template <typename T, typename... Args>
  friend intrusive_ptr<T> make_intrusive(Args&&... args);
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

  /// Takes over one ownership that is counted already.
  static intrusive_ptr reclaim(T* target) {
    intrusive_ptr owner;
    owner.target_ = target;
    return owner;
  }
  /// Gives up its ownership without counting down: whoever holds the result must reclaim it.
  T* forget() { return std::exchange(target_, nullptr); }

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
    if (!target_) return;
    // The last owner is alone: it need not count down. Atomic writes are what counting costs.
    const bool is_alone = target_->refcount_.load(std::memory_order_acquire) == 1;
    if (!is_alone && target_->refcount_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if constexpr (requires { target_->is_taken_over(is_alone); }) {
      if (target_->is_taken_over(is_alone)) return;
    }
    delete target_;
  }

  T* target_ = nullptr;
};

template <typename T, typename... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
  T* target = new T(std::forward<Args>(args)...);
  // Nobody else knows it yet.
  target->refcount_.store(1, std::memory_order_relaxed);
  return intrusive_ptr<T>::reclaim(target);
}

}  // namespace tensorlib
