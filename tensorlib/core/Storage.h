// The bytes behind tensors. Views share one storage.
#pragma once

#include <atomic>
#include <cstddef>

#include "core/intrusive_ptr.h"

namespace tensorlib {

class StorageImpl : public intrusive_ptr_target {
 public:
  /// Gives memory that came from elsewhere back; `context` is what it came with.
  using Deleter = void (*)(void* context);

  /// Allocates `nbytes`, aligned to 64; the contents are undefined. Raises Error when memory is short.
  explicit StorageImpl(std::size_t nbytes);
  /// Takes over memory from elsewhere; deleter(context) runs, on whichever thread that is, when no tensor needs it any more.
  StorageImpl(void* data, std::size_t nbytes, Deleter deleter, void* context);
  ~StorageImpl() override;

  char* data() const { return data_; }
  std::size_t nbytes() const { return nbytes_; }
  /// Whether resize() is allowed: the memory is our own and nobody outside has its address.
  bool resizable() const { return deleter_ == nullptr && exports_ == 0; }
  /// More or fewer bytes, the contents kept as far as they fit; data() changes. Raises Error for memory from elsewhere.
  void resize(std::size_t nbytes);

  /// Somebody outside reads and writes data() until remove_export(): Python's buffers. From any thread.
  void add_export() { ++exports_; }
  void remove_export() { --exports_; }

 private:
  /// Up to so many bytes lie in the object itself.
  static constexpr std::size_t inline_bytes = 64;

  char* allocate(std::size_t nbytes);
  void free();

  char* data_ = nullptr;
  std::size_t nbytes_ = 0;
  Deleter deleter_ = nullptr;
  void* context_ = nullptr;
  std::atomic<int> exports_ = 0;
  alignas(64) char inline_[inline_bytes];
};

using Storage = intrusive_ptr<StorageImpl>;

}  // namespace tensorlib
