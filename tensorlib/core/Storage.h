// The bytes behind tensors. Views share one storage.
#pragma once

#include <cstddef>

#include "core/intrusive_ptr.h"

namespace tensorlib {

class StorageImpl : public intrusive_ptr_target {
 public:
  /// Allocates `nbytes`, aligned to 64; the contents are undefined. Raises Error when memory is short.
  explicit StorageImpl(std::size_t nbytes);
  ~StorageImpl() override;

  char* data() const { return data_; }
  std::size_t nbytes() const { return nbytes_; }

 private:
  char* data_ = nullptr;
  std::size_t nbytes_ = 0;
};

using Storage = intrusive_ptr<StorageImpl>;

}  // namespace tensorlib
